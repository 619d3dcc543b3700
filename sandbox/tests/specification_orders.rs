//! Orders and logins against the specification's tables, which were transcribed by hand and are not
//! made from any code.
// helpers outside of test functions are test code as well
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use common::flow::*;
use common::*;
use serde_json::{Map, Value, json};
use signdoc_sandbox::{OrderState, Person, Sandbox};

fn table(name: &str) -> Value {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/vectors/spec");
    let text = std::fs::read_to_string(folder.join(name)).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn names(list: &Value) -> BTreeSet<String> {
    list.as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned()).collect()
}

/// The rows of one resource.
fn rows(resource: &str) -> Vec<Value> {
    let table = table("fields.json");
    let found = table.as_array().unwrap().iter().find(|entry| entry["resource"] == resource);
    let found = found.unwrap_or_else(|| panic!("no resource {resource}"));
    found["fields"].as_array().unwrap().clone()
}

fn fields(resource: &str) -> BTreeSet<String> {
    rows(resource).iter().map(|row| row["name"].as_str().unwrap().to_owned()).collect()
}

fn keys(value: &Value) -> BTreeSet<String> {
    value.as_object().unwrap_or_else(|| panic!("{value}")).keys().cloned().collect()
}

/// A resource with every field the specification gives it, made by `value`.
fn whole(resource: &str, value: impl Fn(&str, &Value) -> Value) -> Value {
    let fields: Map<String, Value> = rows(resource)
        .iter()
        .map(|row| {
            let name = row["name"].as_str().unwrap();
            (name.to_owned(), value(name, row))
        })
        .collect();
    Value::Object(fields)
}

fn properties() -> Value {
    whole("sign order properties", |name, row| match name {
        "orderName" => json!("Loan"),
        "documentDisplayMode" => row["sample"].clone(),
        "showConfirmation" | "showUnderstanding" => json!(false),
        "timeoutSeconds" => json!(60),
        other => panic!("the specification has a new field {other}"),
    })
}

fn pades() -> Value {
    let position = || {
        whole("seal position", |name, row| match (name, row["type"].as_str().unwrap()) {
            (_, "number") => json!(10.5),
            (_, "integer") => json!(1),
            (name, kind) => panic!("{name} {kind}"),
        })
    };
    let document = whole("PAdES document item", |name, row| match name {
        "description" => json!("Loan agreement"),
        "pdf" => loan()["pdf"].clone(),
        "pdfSpec" => row["values"][0].clone(),
        "merchantSealPos" | "endUserSealPos" => position(),
        other => panic!("the specification has a new field {other}"),
    });
    whole("PAdES sign order", |name, row| match name {
        "signProperties" => properties(),
        "padesSignProperties" => whole("PAdES sign properties", |_, _| json!(true)),
        "documents" => json!([document]),
        "resultContent" => row["values"].clone(),
        other => panic!("the specification has a new field {other}"),
    })
}

fn sdo() -> Value {
    let all = fields("SEID-SDO document item");
    let documents: Vec<Value> = [vec!["pdf"], vec!["text"], vec!["xml", "xls"]]
        .into_iter()
        .map(|content| {
            let mut document = json!({"description": "d"});
            for name in content {
                assert!(all.contains(name), "{name}");
                document[name] = match name {
                    "pdf" => loan()["pdf"].clone(),
                    "text" => json!("Hei"),
                    _ => json!("<a/>"),
                };
            }
            document
        })
        .collect();
    whole("SEID-SDO sign order", |name, row| match name {
        "signProperties" => properties(),
        "documents" => json!(documents),
        "resultContent" => row["values"].clone(),
        other => panic!("the specification has a new field {other}"),
    })
}

#[test]
fn every_state_is_reached_and_no_other() {
    let sandbox = production();
    let states = table("states.json");
    let all: BTreeSet<String> = OrderState::ALL.map(|state| state.name().to_owned()).into();
    assert_eq!(names(&states["pades"]), all);
    let order = |kind: &str| match kind {
        "pades" => (PADES, pades_order(vec![loan()])),
        _ => (SDO, sdo_order(vec![json!({"text": "Hei"})])),
    };
    for kind in ["pades", "sdo"] {
        let (path, order) = order(kind);
        let mut seen = BTreeSet::new();
        let id = create(&sandbox, path, &order);
        seen.insert(state(&sandbox, path, &id));
        while !sandbox.order_state(&id).unwrap().is_final() {
            sandbox.step(&id).unwrap();
            seen.insert(state(&sandbox, path, &id));
        }
        for end in [Sandbox::cancel, Sandbox::fail] {
            let id = create(&sandbox, path, &order);
            end(&sandbox, &id).unwrap();
            seen.insert(state(&sandbox, path, &id));
        }
        assert_eq!(seen, names(&states[kind]), "{kind}");
    }
}

#[test]
fn windows_are_those_of_the_specification() {
    let limits = &table("limits.json")["order_validity_seconds"];
    let window = |name: &str| Duration::from_secs(limits[name].as_u64().unwrap());
    let sandbox = production();
    sandbox.clock().freeze();
    let order = sdo_order(vec![json!({"text": "Hei"})]);
    for (name, is_signed) in [("before_signing_starts", false), ("after_signing_ends", true)] {
        let id = create(&sandbox, SDO, &order);
        if is_signed {
            sandbox.sign(&id, Person::Kari).unwrap();
        }
        sandbox.clock().advance(window(name) - Duration::from_millis(1));
        assert_ne!(state(&sandbox, SDO, &id), "404", "{name}");
        sandbox.clock().advance(Duration::from_millis(1));
        assert_eq!(state(&sandbox, SDO, &id), "404", "{name}");
    }
}

#[test]
fn orders_may_have_every_field_of_the_specification() {
    let sandbox = production();
    let mut order = pades();
    if has_converter(&sandbox) {
        let reply = send(&sandbox, "POST", PADES, &order);
        assert_eq!(reply.status, 201, "{}", reply.text());
        assert_eq!(keys(&reply.json()), fields("create-order response"));
        assert_eq!(keys(&reply.json()["conversionResults"][0]), fields("conversion result"));
    }
    order["documents"][0].as_object_mut().unwrap().remove("pdfSpec");
    let id = create(&sandbox, PADES, &order);
    sandbox.sign(&id, Person::Kari).unwrap();
    let body = download(&sandbox, PADES, &id).json();
    assert_eq!(keys(&body), fields("PAdES download result"));
    assert_eq!(keys(&body["signingResults"][0]), fields("PAdES signing result"));

    let reply = send(&sandbox, "POST", SDO, &sdo());
    assert_eq!(reply.status, 201, "{}", reply.text());
    assert_eq!(keys(&reply.json()), ["sign_id".to_owned()].into());
    let id = reply.json()["sign_id"].as_str().unwrap().to_owned();
    sandbox.sign(&id, Person::Kari).unwrap();
    let body = download(&sandbox, SDO, &id).json();
    assert_eq!(keys(&body), fields("SEID-SDO download result"));
    for list in ["documentHashes", "merchantSignatures", "sdos", "endUserSignatures"] {
        assert_eq!(body[list].as_array().unwrap().len(), 3, "{list}");
    }
}

#[test]
fn the_authorize_endpoint_takes_what_the_specification_names() {
    let sandbox = production();
    let rows = table("endpoints.json");
    let rows = rows["identity_provider"].as_array().unwrap();
    let row = rows.iter().find(|row| row["endpoint"] == "authorize endpoint").unwrap();
    let id = create(&sandbox, SDO, &sdo_order(vec![json!({"text": "Hei"})]));
    let mut pairs: Vec<(&str, String)> =
        vec![("response_type", "code".to_owned()), ("redirect_uri", BACK.to_owned())];
    for name in row["query"].as_array().unwrap() {
        let value = match name.as_str().unwrap() {
            "scope" => "sign".to_owned(),
            "sign_id" => id.clone(),
            "client_id" => sandbox.client_id().to_owned(),
            other => panic!("the specification has a new parameter {other}"),
        };
        pairs.push((name.as_str().unwrap(), value));
    }
    let session = session(&sandbox, &pairs);
    get(&sandbox, &format!("{PAGE}?session={session}"));
    press(&sandbox, &session, "sign");
    assert_eq!(state(&sandbox, SDO, &id), "SIGN_COMPLETED");
}

#[test]
fn a_code_that_is_not_good_has_the_status_of_the_specification() {
    let sandbox = production();
    let table = table("oauth-token-errors.json");
    let rows = table.as_array().unwrap();
    let row = rows.iter().find(|row| row["error"] == "invalid_grant").unwrap();
    let reply = redeem(&sandbox, "never-given");
    assert_eq!(reply.json()["error"], row["error"]);
    assert_eq!(json!(reply.status), row["status"]);
}
