//! The forms in which the credential-based signing interface answers, as they come over HTTP.
// helpers outside of test functions are test code as well
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use common::csc::*;
use common::*;
use serde_json::{Value, json};
use signdoc_sandbox::Sandbox;

/// How far a session is to go.
enum Step {
    List,
    Authorize,
    Sign,
}

/// The answer of a step in a session of its own.
fn reached(sandbox: &Sandbox, step: &Step) -> Reply {
    let token = service_token(sandbox);
    let listed = call(sandbox, &token, "credentials/list", &json!({"credentialInfo": true}));
    if matches!(step, Step::List) {
        return listed;
    }
    let credential = listed.json()["credentialIDs"][0].clone();
    let hashes = json!([STANDARD.encode([7; 32])]);
    let body = json!({"credentialID": credential, "numSignatures": 1, "hashes": hashes,
        "hashAlgorithmOID": SHA256_OID});
    let authorized = call(sandbox, &token, "credentials/authorize", &body);
    if matches!(step, Step::Authorize) {
        return authorized;
    }
    let body = json!({"credentialID": credential, "SAD": authorized.json()["SAD"],
        "hashes": hashes, "hashAlgorithmOID": SHA256_OID, "signAlgo": RSA});
    call(sandbox, &token, "signatures/signHash", &body)
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn credentials_come_with_all_that_is_known_or_as_identifiers_or_not_at_all() {
    let sandbox = production();
    for (variants, names) in [
        (json!({}), vec!["credentialIDs", "credentialInfos"]),
        (json!({"csc_credential_infos": "ids_only"}), vec!["credentialIDs"]),
        (json!({"csc_credentials": "none"}), vec!["credentialIDs"]),
    ] {
        choose(&sandbox, &variants);
        let reply = reached(&sandbox, &Step::List);
        assert_eq!((reply.status, keys(&reply.json())), (200, names), "{variants}");
        let count = reply.json()["credentialIDs"].as_array().unwrap().len();
        assert_eq!(count, usize::from(variants.get("csc_credentials").is_none()));
    }
}

#[test]
fn a_credential_known_by_its_identifier_alone_still_signs() {
    let sandbox = production();
    choose(&sandbox, &json!({"csc_credential_infos": "ids_only", "csc_expires_in": false}));
    assert_eq!(keys(&reached(&sandbox, &Step::Authorize).json()), ["SAD"]);
    let signed = reached(&sandbox, &Step::Sign);
    assert_eq!(signed.json()["signatures"].as_array().unwrap().len(), 1);
}

#[test]
fn an_authorization_may_be_answered_later() {
    let sandbox = production();
    choose(&sandbox, &json!({"csc_authorize": "handle"}));
    let reply = reached(&sandbox, &Step::Authorize);
    assert_eq!((reply.status, keys(&reply.json())), (202, vec!["handle"]));
    let signed = reached(&sandbox, &Step::Sign);
    assert_eq!(signed.status, 400, "there is no activation data: {}", signed.text());
}

#[test]
fn signatures_may_come_later() {
    let sandbox = production();
    let info = || {
        let reply = exchange(&sandbox, "POST", "/csc/v2/info", &[JSON], b"{}");
        reply.json()["asynchronousOperationMode"].clone()
    };
    assert_eq!(info(), false);
    choose(&sandbox, &json!({"csc_sign_hash": "response_id"}));
    assert_eq!(info(), true);
    let reply = reached(&sandbox, &Step::Sign);
    assert_eq!((reply.status, keys(&reply.json())), (200, vec!["responseID"]));
}

#[test]
fn errors_may_be_those_of_the_standard() {
    let sandbox = production();
    let refused = || {
        let reply = call(&sandbox, "nobody", "credentials/list", &json!({}));
        assert_eq!(reply.status, 401);
        reply.json()
    };
    assert_eq!(keys(&refused()), ["errorCode", "errorDescription", "errorReference"]);
    choose(&sandbox, &json!({"csc_error_form": "standard"}));
    let body = refused();
    assert_eq!(keys(&body), ["error", "error_description"]);
    assert_eq!(body["error"], "invalid_token");
}
