//! The two tokens of the credential-based signing interface, and calls with them.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::indexing_slicing, missing_docs)]

use serde_json::Value;
use signdoc_sandbox::{Action, Person, Sandbox, Visit};

use super::flow::*;
use super::*;

pub const CSC: &str = "/csc/v2";
pub const SHA256_OID: &str = "2.16.840.1.101.3.4.2.1";
pub const RSA: &str = "1.2.840.113549.1.1.1";

/// The merchant's own token from the identity provider.
pub fn own_token(sandbox: &Sandbox, scope: &str) -> String {
    let body = format!("grant_type=client_credentials&scope={}", encoded(scope));
    let reply = token_with(sandbox, &body);
    reply.json()["access_token"].as_str().unwrap().to_owned()
}

pub fn authorize_pairs(sandbox: &Sandbox) -> Vec<(&'static str, String)> {
    vec![
        ("response_type", "code".to_owned()),
        ("client_id", sandbox.client_id().to_owned()),
        ("redirect_uri", BACK.to_owned()),
        ("code_challenge", challenge(VERIFIER)),
        ("code_challenge_method", "S256".to_owned()),
        ("state", "st&te".to_owned()),
    ]
}

pub fn visit(sandbox: &Sandbox, action: Action) -> String {
    let url = format!("{}/oauth2/authorize?{}", sandbox.csc_url(), form(&authorize_pairs(sandbox)));
    sandbox.visit(Visit { url, action, person: Person::Ola }).unwrap().url
}

pub fn redeem_at_csc(sandbox: &Sandbox, bearer: &str, pairs: &[(&str, String)]) -> Reply {
    let bearer = format!("Bearer {bearer}");
    let headers = [FORM, ("authorization", bearer.as_str())];
    let target = format!("{CSC}/oauth2/token");
    exchange(sandbox, "POST", &target, &headers, form(pairs).as_bytes())
}

pub fn grant(code: &str) -> Vec<(&'static str, String)> {
    vec![
        ("grant_type", "authorization_code".to_owned()),
        ("code", code.to_owned()),
        ("redirect_uri", BACK.to_owned()),
        ("code_verifier", VERIFIER.to_owned()),
    ]
}

/// A service token for a new session.
pub fn service_token(sandbox: &Sandbox) -> String {
    service_token_answer(sandbox)["access_token"].as_str().unwrap().to_owned()
}

/// The answer that brings it.
pub fn service_token_answer(sandbox: &Sandbox) -> Value {
    let code = parameter(&visit(sandbox, Action::Sign), "code").unwrap();
    let reply = redeem_at_csc(sandbox, &own_token(sandbox, "esign/csc"), &grant(&code));
    assert_eq!(reply.status, 200, "{}", reply.text());
    reply.json()
}

pub fn call(sandbox: &Sandbox, token: &str, path: &str, body: &Value) -> Reply {
    let bearer = format!("Bearer {token}");
    let headers = [JSON, ("authorization", bearer.as_str())];
    exchange(sandbox, "POST", &format!("{CSC}/{path}"), &headers, body.to_string().as_bytes())
}
