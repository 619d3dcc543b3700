//! The forms in which the identity provider answers, as they come over HTTP.
// helpers outside of test functions are test code as well
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use common::csc::service_token_answer;
use common::flow::*;
use common::*;
use serde_json::{Value, json};
use signdoc_sandbox::{Action, Person, Sandbox, Visit};

const DISCOVERY: &str = "/auth/realms/sandbox/.well-known/openid-configuration";
const CERTS: &str = "/auth/realms/sandbox/protocol/openid-connect/certs";

/// What the exchange of a code brings.
fn exchanged(sandbox: &Sandbox) -> Value {
    let id = create(sandbox, PADES, &pades_order(vec![loan()]));
    let visit = Visit { url: url(sandbox, &id), action: Action::Sign, person: Person::Kari };
    let back = sandbox.visit(visit).unwrap().url;
    let reply = redeem(sandbox, &parameter(&back, "code").unwrap());
    assert_eq!(reply.status, 200, "{}", reply.text());
    reply.json()
}

#[test]
fn token_answers_tell_lifetime_and_type_in_every_form() {
    let sandbox = production();
    for (lifetime, of_seconds) in [
        ("number", &(|seconds: u64| Some(json!(seconds))) as &dyn Fn(u64) -> Option<Value>),
        ("text", &|seconds| Some(json!(seconds.to_string()))),
        ("absent", &|_| None),
    ] {
        for (kind, word) in
            [("capital", Some("Bearer")), ("lower", Some("bearer")), ("absent", None)]
        {
            choose(&sandbox, &json!({"expires_in": lifetime, "token_type": kind}));
            let own = token_with(&sandbox, "grant_type=client_credentials&scope=esign").json();
            for (answer, seconds) in
                [(own, 300), (exchanged(&sandbox), 300), (service_token_answer(&sandbox), 3600)]
            {
                assert!(answer["access_token"].is_string(), "{answer}");
                assert_eq!(answer.get("expires_in"), of_seconds(seconds).as_ref(), "{lifetime}");
                assert_eq!(answer.get("token_type").and_then(Value::as_str), word, "{kind}");
            }
        }
    }
}

#[test]
fn keys_may_have_no_names() {
    let sandbox = production();
    for alg in ["es256", "rs256"] {
        choose(&sandbox, &json!({"id_token_alg": alg, "id_token_kid": false}));
        let token = exchanged(&sandbox)["id_token"].as_str().unwrap().to_owned();
        let (header, _) = parts(&token);
        assert_eq!(header.get("kid"), None);
        let keys = get(&sandbox, CERTS).json()["keys"].as_array().unwrap().clone();
        assert!(keys.iter().all(|key| key.get("kid").is_none()), "{keys:?}");
        assert!(keys.iter().any(|key| key["alg"] == header["alg"]), "{keys:?}");
        choose(&sandbox, &json!({"id_token_alg": alg}));
        let token = exchanged(&sandbox)["id_token"].as_str().unwrap().to_owned();
        let (header, _) = parts(&token);
        let keys = get(&sandbox, CERTS).json()["keys"].as_array().unwrap().clone();
        assert!(keys.iter().any(|key| key["kid"] == header["kid"]), "{keys:?}");
    }
}

#[test]
fn claims_with_one_value_may_be_lists() {
    let sandbox = production();
    let id = sandbox.client_id().to_owned();
    for (form, aud, amr) in
        [("text", json!(id), json!("eid")), ("list", json!([id]), json!(["eid"]))]
    {
        choose(&sandbox, &json!({"id_token_aud": form, "id_token_amr": form}));
        let token = exchanged(&sandbox)["id_token"].as_str().unwrap().to_owned();
        let (_, claims) = parts(&token);
        assert_eq!((&claims["aud"], &claims["amr"]), (&aud, &amr));
    }
}

#[test]
fn discovery_may_write_the_address_otherwise_or_not_at_all() {
    let sandbox = production();
    let base = sandbox.base_url().to_owned();
    for (form, value) in [
        ("plain", Some(base.clone())),
        ("trailing_slash", Some(format!("{base}/"))),
        ("absent", None),
    ] {
        choose(&sandbox, &json!({"discovery_signdoc_baseurl": form}));
        let document = get(&sandbox, DISCOVERY).json();
        assert_eq!(document.get("signdoc-baseurl"), value.map(Value::from).as_ref(), "{form}");
        assert_eq!(document["issuer"], sandbox.issuer());
    }
}
