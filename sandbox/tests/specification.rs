//! The sandbox against the specification's tables, which were transcribed by hand and are not made
//! from any code.
// helpers outside of test functions are test code as well
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use std::collections::BTreeSet;
use std::path::Path;

use common::*;
use serde_json::{Value, json};
use signdoc_sandbox::{ConversionError, ConversionWarning, Variants, samples};

fn table(name: &str) -> Value {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/vectors/spec");
    let text = std::fs::read_to_string(folder.join(name)).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Names of the fields of one resource.
fn fields(resource: &str) -> BTreeSet<String> {
    let table = table("fields.json");
    let found = table.as_array().unwrap().iter().find(|entry| entry["resource"] == resource);
    let list = found.unwrap_or_else(|| panic!("no resource {resource}"))["fields"].as_array();
    list.unwrap().iter().map(|field| field["name"].as_str().unwrap().to_owned()).collect()
}

fn keys(value: &Value) -> BTreeSet<String> {
    value.as_object().unwrap_or_else(|| panic!("{value}")).keys().cloned().collect()
}

fn pairs(name: &str) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let table = table(name);
    table
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (text(&row["code"]), text(&row["message"])))
        .collect()
}

#[test]
fn messages_are_those_of_the_specification() {
    let errors: Vec<_> = ConversionError::ALL
        .into_iter()
        .map(|error| (error.code().to_owned(), error.message().to_owned()))
        .collect();
    assert_eq!(errors, pairs("conversion-errors.json"));
    let warnings: Vec<_> = ConversionWarning::ALL
        .into_iter()
        .map(|warning| (warning.code().to_owned(), warning.message().to_owned()))
        .collect();
    assert_eq!(warnings, pairs("conversion-warnings.json"));
}

#[test]
fn limits_hold_on_both_sides() {
    let limits = table("limits.json");
    let count = &limits["conversion_documents"];
    let (min, max) = (count["min"].as_u64().unwrap(), count["max"].as_u64().unwrap());
    let longest = limits["conversion_pdf_base64_characters"]["max"].as_u64().unwrap() as usize;
    let sandbox = test_environment();
    let taken = |body: &str| {
        let reply = convert(&sandbox, body);
        assert_eq!(reply.status, 400);
        // a refusal is a text, an answer an object
        serde_json::from_slice::<Value>(&reply.body).is_ok()
    };
    let many = |count: u64| documents(&vec![&b"%PDF"[..]; count as usize]);
    assert_eq!(
        [min - 1, min, max, max + 1].map(|count| taken(&many(count))),
        [false, true, true, false]
    );
    let long = |length: usize| {
        json!({"documents": [{"pdfSpec": "PDFA_2B", "pdf": "A".repeat(length)}]}).to_string()
    };
    assert_eq!([longest, longest + 4].map(|length| taken(&long(length))), [true, false]);
}

#[test]
fn requests_may_have_exactly_the_fields_of_the_specification() {
    let sandbox = test_environment();
    let names = fields("conversion request document");
    let value = |name: &str| match name {
        "pdfSpec" => json!("PDFA_2B"),
        "pdf" => json!("JVBERg=="),
        "allowSigned" => json!(true),
        other => panic!("the specification has a new field {other}"),
    };
    let document: Value = names.iter().map(|name| (name.clone(), value(name))).collect();
    let ask = |document: &Value, wrapper: &str| {
        let reply = convert(&sandbox, &json!({ wrapper: [document] }).to_string());
        serde_json::from_slice::<Value>(&reply.body).is_ok()
    };
    assert_eq!(fields("conversion request"), ["documents".to_owned()].into());
    assert!(ask(&document, "documents"));
    assert!(!ask(&document, "document"));
    let rules = table("fields.json");
    let rows = rules.as_array().unwrap();
    let rows = rows.iter().find(|entry| entry["resource"] == "conversion request document");
    for row in rows.unwrap()["fields"].as_array().unwrap() {
        let mut without = document.clone();
        without.as_object_mut().unwrap().remove(row["name"].as_str().unwrap());
        assert_eq!(ask(&without, "documents"), row["required"] == false, "{row}");
    }
}

#[test]
fn answers_have_exactly_the_fields_of_the_specification() {
    let sandbox = test_environment();
    let refused = convert(&sandbox, &documents(&[b"%PDF"])).json();
    assert_eq!(keys(&refused), fields("conversion rejection"));
    assert_eq!(keys(&refused["conversionResults"][0]), fields("conversion result"));
    let bearer = bearer(&sandbox);
    let headers = [("authorization", bearer.as_str())];
    let specs = exchange(&sandbox, "GET", "/signdoc/convert/pdf/specs", &headers, b"").json();
    assert_eq!(keys(&specs), fields("pdf specs answer"));

    let sandbox = production();
    assert_eq!(sandbox.variants(), Variants::default());
    if has_converter(&sandbox) {
        let reply = convert(&sandbox, &documents(&[&samples::loan_agreement()]));
        assert_eq!(reply.status, 200);
        let item = &reply.json()[0];
        assert_eq!(keys(item), fields("conversion answer item"));
        assert_eq!(keys(&item["conversionResult"]), fields("conversion result"));
    }
}

#[test]
fn endpoints_stand_where_the_specification_says() {
    let sandbox = test_environment();
    for row in table("endpoints.json")["http"].as_array().unwrap() {
        let url = row["url"].as_str().unwrap();
        // discovery gives the same address for both
        let path = url.split_once('}').unwrap().1;
        let reply = exchange(&sandbox, row["method"].as_str().unwrap(), path, &[], b"");
        // without a token the specification's 403 says that the endpoint is there
        assert_eq!((reply.status, &row["bearer"]), (403, &json!(true)), "{row}");
    }
}

#[test]
fn scopes_are_those_of_the_specification() {
    let sandbox = test_environment();
    for row in table("scopes.json").as_array().unwrap() {
        let scope = row["scope"].as_str().unwrap();
        let body = format!("grant_type=client_credentials&scope={}", scope.replace('/', "%2F"));
        let reply = token_with(&sandbox, &body);
        // "used by the end user in the authorize redirect": not for a client on its own
        let expected = if scope == "sign" { 400 } else { 200 };
        assert_eq!(reply.status, expected, "{scope}");
    }
}

#[test]
fn token_errors_have_the_status_of_the_specification() {
    let sandbox = test_environment();
    let status = |code: &str| {
        let table = table("oauth-token-errors.json");
        let rows = table.as_array().unwrap();
        let row = rows.iter().find(|row| row["error"] == code || row["code"] == code);
        let row = row.unwrap_or_else(|| panic!("{code} is not in the specification"));
        row["status"].as_u64().or(row["http_status"].as_u64()).unwrap()
    };
    for (body, code) in [
        ("grant_type=", "invalid_request"),
        ("grant_type=password", "unsupported_grant_type"),
        // RFC 6749, 5.2: more than one way to authenticate
        ("grant_type=client_credentials&client_assertion=x", "invalid_request"),
    ] {
        let reply = token_with(&sandbox, body);
        assert_eq!(reply.json()["error"], code);
        assert_eq!(u64::from(reply.status), status(code), "{code}");
    }
    let stranger = [FORM, ("authorization", "Basic bm9ib2R5OndyaXR0ZW4=")];
    let reply = exchange(&sandbox, "POST", TOKEN_PATH, &stranger, b"grant_type=client_credentials");
    assert_eq!(reply.json()["error"], "invalid_client");
    assert_eq!(u64::from(reply.status), status("invalid_client"));
}
