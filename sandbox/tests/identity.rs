//! The identity provider: metadata, keys, tokens.
// helpers outside of test functions are test code as well
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use std::time::Duration;

use common::*;
use signdoc_sandbox::Sandbox;

#[test]
fn metadata_names_every_endpoint_and_extension() {
    let sandbox = test_environment();
    let target = "/auth/realms/sandbox/.well-known/openid-configuration";
    let reply = get(&sandbox, target);
    assert_eq!((reply.status, reply.header("content-type")), (200, Some("application/json")));
    let document = reply.json();
    assert_eq!(document["issuer"], sandbox.issuer());
    assert_eq!(document["signdoc-baseurl"], sandbox.base_url());
    for key in [
        "authorization_endpoint",
        "token_endpoint",
        "token_introspection_endpoint",
        "introspection_endpoint",
        "userinfo_endpoint",
        "end_session_endpoint",
        "pushed_authorization_request_endpoint",
        "jwks_uri",
        "jwks_uri_enc",
        "esign-baseurl",
        "fraud-data-baseurl",
        "aml-baseurl",
    ] {
        let url = document[key].as_str().unwrap_or_else(|| panic!("{key} is missing"));
        assert!(url.starts_with(sandbox.base_url()), "{key} {url}");
    }
    for key in [
        "release",
        "require_pushed_authorization_requests",
        "tls_client_certificate_bound_access_tokens",
        "code_challenge_methods_supported",
        "response_types_supported",
        "subject_types_supported",
        "id_token_signing_alg_values_supported",
        "grant_types_supported",
        "token_endpoint_auth_methods_supported",
    ] {
        assert!(!document[key].is_null(), "{key}");
    }
    assert_eq!(exchange(&sandbox, "POST", target, &[], b"").status, 405);
    let keys = get(&sandbox, "/auth/realms/sandbox/protocol/openid-connect/certs").json();
    assert_eq!(keys["keys"][0]["alg"], "ES256");
}

#[test]
fn keys_rotate() {
    let sandbox = test_environment();
    let path = "/auth/realms/sandbox/protocol/openid-connect/certs";
    let first = get(&sandbox, path).json();
    let kid = sandbox.rotate_keys(true).unwrap();
    let second = get(&sandbox, path).json();
    assert_eq!(second["keys"][0]["kid"], kid);
    assert_eq!(second["keys"][1], first["keys"][0]);
    let reply =
        control(&sandbox, "POST", "keys/rotate", &serde_json::json!({"keep_previous": false}));
    let third = get(&sandbox, path).json();
    assert_eq!(third["keys"].as_array().unwrap().len(), 1);
    assert_eq!(third["keys"][0]["kid"], reply.json()["kid"]);
}

#[test]
fn tokens_are_issued_both_ways() {
    let sandbox = test_environment();
    let reply =
        token_with(&sandbox, "grant_type=client_credentials&scope=signdoc%2Fread_write+esign");
    assert_eq!(reply.status, 200, "{}", reply.text());
    assert_eq!(reply.header("cache-control"), Some("no-store"));
    assert_eq!(reply.header("pragma"), Some("no-cache"));
    let body = reply.json();
    assert_eq!(body["expires_in"], 300);
    assert_eq!(body["token_type"], "Bearer");
    assert_eq!(body["scope"], "signdoc/read_write esign");
    let form = format!(
        "grant_type=client_credentials&client_id={}&client_secret={}",
        sandbox.client_id(),
        sandbox.client_secret()
    );
    let reply = exchange(&sandbox, "POST", TOKEN_PATH, &[FORM], form.as_bytes());
    assert_eq!(reply.status, 200, "{}", reply.text());
    assert!(reply.json().get("scope").is_none(), "no scope was asked for");
    assert_ne!(reply.json()["access_token"], body["access_token"]);
}

#[test]
fn secrets_with_reserved_characters_must_be_encoded() {
    let secret = "p%40ss:w+rd/é ?";
    let sandbox = Sandbox::builder().client_id("a:b").client_secret(secret).start().unwrap();
    let encoded = "p%2540ss%3Aw%2Brd%2F%C3%A9+%3F";
    let body = b"grant_type=client_credentials";
    let right = basic("a%3Ab", encoded);
    let reply = exchange(&sandbox, "POST", TOKEN_PATH, &[FORM, ("authorization", &right)], body);
    assert_eq!(reply.status, 200, "{}", reply.text());
    let form = format!("grant_type=client_credentials&client_id=a%3Ab&client_secret={encoded}");
    let reply = exchange(&sandbox, "POST", TOKEN_PATH, &[FORM], form.as_bytes());
    assert_eq!(reply.status, 200, "{}", reply.text());
    let raw = basic("a:b", "p%40ss:w+rd/?");
    let reply = exchange(&sandbox, "POST", TOKEN_PATH, &[FORM, ("authorization", &raw)], body);
    assert_eq!(reply.status, 401);
}

/// Status, `error` and the reason noted.
fn refusal(sandbox: &Sandbox, headers: &[(&str, &str)], body: &str) -> (u16, String, String) {
    let reply = exchange(sandbox, "POST", TOKEN_PATH, headers, body.as_bytes());
    assert_eq!(reply.header("cache-control"), Some("no-store"));
    let json = reply.json();
    let noted = sandbox.refused().pop().unwrap().refused.unwrap();
    assert!(!json["error_description"].as_str().unwrap().is_empty());
    (reply.status, json["error"].as_str().unwrap().to_owned(), noted)
}

/// Headers, body, status, code.
type Case<'a> = (Vec<(&'a str, &'a str)>, &'a str, u16, &'a str);

#[test]
fn every_refusal_has_its_code() {
    let sandbox = test_environment();
    let good = basic(sandbox.client_id(), sandbox.client_secret());
    let wrong = basic(sandbox.client_id(), "wrong");
    let stranger = basic("stranger", sandbox.client_secret());
    let auth = |value| vec![FORM, ("authorization", value)];
    let grant = "grant_type=client_credentials";
    let post =
        format!("{grant}&client_id=sandbox-client&client_secret={}", sandbox.client_secret());
    let both = post.clone();
    let unknown_type = "grant_type=client_credentials&client_assertion=x&client_assertion_type=y";
    let cases: Vec<Case<'_>> = vec![
        (auth(&good), "", 400, "invalid_request"),
        (auth(&good), "scope=esign", 400, "invalid_request"),
        (auth(&good), "grant_type=", 400, "invalid_request"),
        (auth(&good), "grant_type=client_credentials&grant_type=x", 400, "invalid_request"),
        (auth(&good), "grant_type=%zz", 400, "invalid_request"),
        (auth(&good), &both, 400, "invalid_request"),
        (auth(&good), "grant_type=client_credentials&client_id=other", 400, "invalid_request"),
        (auth(&good), "grant_type=password", 400, "unsupported_grant_type"),
        (auth(&good), "grant_type=client_credentials&scope=nonsense", 400, "invalid_scope"),
        (auth(&good), "grant_type=client_credentials&scope=sign", 400, "invalid_scope"),
        (auth(&good), "grant_type=client_credentials&scope=esign++esign", 400, "invalid_scope"),
        (auth(&wrong), grant, 401, "invalid_client"),
        (auth(&stranger), grant, 401, "invalid_client"),
        (auth("Bearer abc"), grant, 401, "invalid_client"),
        (vec![FORM], grant, 401, "invalid_client"),
        (vec![FORM], "grant_type=client_credentials&client_secret=x", 400, "invalid_request"),
        (vec![FORM], "grant_type=client_credentials&client_assertion=x", 400, "invalid_request"),
        (vec![FORM], unknown_type, 401, "invalid_client"),
        (vec![JSON, ("authorization", &good)], grant, 400, "invalid_request"),
        (vec![("authorization", &good)], grant, 400, "invalid_request"),
    ];
    for (headers, body, status, code) in cases {
        let found = refusal(&sandbox, &headers, body);
        assert_eq!((found.0, found.1.as_str()), (status, code), "{body}: {}", found.2);
    }
    let reply = exchange(&sandbox, "POST", TOKEN_PATH, &auth(&wrong), grant.as_bytes());
    assert!(reply.header("www-authenticate").unwrap().starts_with("Basic "));
    let target = format!("{TOKEN_PATH}?grant_type=client_credentials");
    assert_eq!(exchange(&sandbox, "POST", &target, &auth(&good), b"").status, 400);
    assert_eq!(exchange(&sandbox, "GET", TOKEN_PATH, &auth(&good), b"").status, 405);
}

#[test]
fn clients_keep_to_their_scopes() {
    let sandbox = Sandbox::builder().client("small", "s", Some(&["esign"])).start().unwrap();
    let credential = basic("small", "s");
    let ask = |scope: &str| {
        let body = format!("grant_type=client_credentials&scope={scope}");
        let headers = [FORM, ("authorization", credential.as_str())];
        exchange(&sandbox, "POST", TOKEN_PATH, &headers, body.as_bytes())
    };
    assert_eq!(ask("esign").status, 200);
    assert_eq!(ask("signdoc%2Fread_write").json()["error"], "invalid_scope");
}

#[test]
fn tokens_expire_on_the_virtual_clock_and_can_be_introspected() {
    let sandbox = test_environment();
    sandbox.clock().freeze();
    let bearer = bearer(&sandbox);
    let specs = || {
        let headers = [("authorization", bearer.as_str())];
        exchange(&sandbox, "GET", "/signdoc/convert/pdf/specs", &headers, b"").status
    };
    let active = || {
        let credential = basic(sandbox.client_id(), sandbox.client_secret());
        let body = format!("token={}", bearer.strip_prefix("Bearer ").unwrap());
        let headers = [FORM, ("authorization", credential.as_str())];
        let target = format!("{TOKEN_PATH}/introspect");
        exchange(&sandbox, "POST", &target, &headers, body.as_bytes()).json()["active"].clone()
    };
    assert_eq!((specs(), active()), (200, true.into()));
    sandbox.clock().advance(Duration::from_secs(299));
    assert_eq!(specs(), 200);
    sandbox.clock().advance(Duration::from_secs(1));
    assert_eq!((specs(), active()), (403, false.into()));
}

#[test]
fn a_seed_repeats_secrets_and_tokens() {
    let one = test_environment();
    let two = test_environment();
    assert_eq!(one.client_secret(), two.client_secret());
    assert_eq!(bearer(&one), bearer(&two));
    let other = Sandbox::builder().start().unwrap();
    assert_ne!(one.client_secret(), other.client_secret());
    assert!(!format!("{one:?}").contains(one.client_secret()));
}
