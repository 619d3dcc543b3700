//! Orders and logins, step by step as a client takes them.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::indexing_slicing, missing_docs)]

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use signdoc_sandbox::{Sandbox, samples};

use super::*;

pub const PADES: &str = "/signdoc/pades";
pub const SDO: &str = "/signdoc";
pub const AUTHORIZE: &str = "/auth/realms/sandbox/protocol/openid-connect/auth";
pub const PAGE: &str = "/auth/realms/sandbox/protocol/openid-connect/sign";
pub const BACK: &str = "https://shop.example/callback";
pub const VERIFIER: &str = "a-verifier-of-at-least-forty-three-characters-0123";

/// An order with one document and every result.
pub fn pades_order(documents: Vec<Value>) -> Value {
    json!({
        "signProperties": {"orderName": "Loan 4711"},
        "padesSignProperties": {"addVisualSeals": false},
        "documents": documents,
        "resultContent": ["padesSignedPdf", "padesAppendix", "documentHash"],
    })
}

pub fn sdo_order(documents: Vec<Value>) -> Value {
    json!({
        "signProperties": {"orderName": "Loan 4711"},
        "documents": documents,
        "resultContent": ["basicSignature", "documentHash", "sdo"],
    })
}

pub fn loan() -> Value {
    json!({"pdf": STANDARD.encode(samples::loan_agreement()), "description": "Loan agreement"})
}

pub fn send(sandbox: &Sandbox, method: &str, target: &str, body: &Value) -> Reply {
    let bearer = bearer(sandbox);
    let headers = [JSON, ("authorization", bearer.as_str())];
    let text = if body.is_null() { String::new() } else { body.to_string() };
    exchange(sandbox, method, target, &headers, text.as_bytes())
}

/// Creates an order and returns its `sign_id`.
#[track_caller]
pub fn create(sandbox: &Sandbox, path: &str, order: &Value) -> String {
    let reply = send(sandbox, "POST", path, order);
    assert_eq!(reply.status, 201, "{}", reply.text());
    reply.json()["sign_id"].as_str().unwrap().to_owned()
}

pub fn query(sandbox: &Sandbox, path: &str, id: &str) -> Reply {
    send(sandbox, "GET", &format!("{path}?sign_id={id}"), &Value::Null)
}

/// The state, or the status of the refusal.
pub fn state(sandbox: &Sandbox, path: &str, id: &str) -> String {
    let reply = query(sandbox, path, id);
    match reply.status {
        200 => reply.json()["orderState"].as_str().unwrap().to_owned(),
        other => other.to_string(),
    }
}

pub fn download(sandbox: &Sandbox, path: &str, id: &str) -> Reply {
    send(sandbox, "DELETE", &format!("{path}?sign_id={id}"), &Value::Null)
}

pub fn challenge(verifier: &str) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.as_bytes()))
}

/// The parameters that a careful client sends to the authorize endpoint.
pub fn careful(sandbox: &Sandbox, id: &str) -> Vec<(&'static str, String)> {
    vec![
        ("client_id", sandbox.client_id().to_owned()),
        ("redirect_uri", BACK.to_owned()),
        ("response_type", "code".to_owned()),
        ("scope", "openid profile sign".to_owned()),
        ("sign_id", id.to_owned()),
        ("state", "st&te".to_owned()),
        ("nonce", "n-once".to_owned()),
        ("code_challenge", challenge(VERIFIER)),
        ("code_challenge_method", "S256".to_owned()),
    ]
}

pub fn encoded(text: &str) -> String {
    text.bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                char::from(byte).to_string()
            }
            _ => format!("%{byte:02X}"),
        })
        .collect()
}

pub fn form(pairs: &[(&str, String)]) -> String {
    let one = |(name, value): &(&str, String)| format!("{name}={}", encoded(value));
    pairs.iter().map(one).collect::<Vec<_>>().join("&")
}

pub fn decoded(text: &str) -> String {
    let mut out = Vec::new();
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        if byte == b'%' {
            let pair = [bytes.next().unwrap(), bytes.next().unwrap()];
            out.push(u8::from_str_radix(std::str::from_utf8(&pair).unwrap(), 16).unwrap());
        } else {
            out.push(if byte == b'+' { b' ' } else { byte });
        }
    }
    String::from_utf8(out).unwrap()
}

/// One parameter of an address, from its query string or its fragment.
pub fn parameter(url: &str, name: &str) -> Option<String> {
    let (_, query) = url.split_once(['?', '#'])?;
    let found = query.split('&').find_map(|pair| pair.strip_prefix(&format!("{name}=")));
    found.map(decoded)
}

pub fn authorize(sandbox: &Sandbox, pairs: &[(&str, String)]) -> Reply {
    get(sandbox, &format!("{AUTHORIZE}?{}", form(pairs)))
}

/// The session of the signing page that an end user is sent to.
#[track_caller]
pub fn session(sandbox: &Sandbox, pairs: &[(&str, String)]) -> String {
    let reply = authorize(sandbox, pairs);
    assert_eq!(reply.status, 302, "{}", reply.text());
    let location = reply.header("location").unwrap();
    assert!(location.starts_with(&format!("{}{PAGE}?", sandbox.base_url())), "{location}");
    parameter(location, "session").unwrap()
}

pub fn press(sandbox: &Sandbox, session: &str, action: &str) -> Reply {
    let body = format!("session={session}&action={action}&person=kari&understood=yes");
    exchange(sandbox, "POST", PAGE, &[FORM], body.as_bytes())
}

/// The authorize address as a client makes it.
pub fn url(sandbox: &Sandbox, id: &str) -> String {
    format!("{}{AUTHORIZE}?{}", sandbox.base_url(), form(&careful(sandbox, id)))
}

/// Exchanges a code as the careful client does.
pub fn redeem(sandbox: &Sandbox, code: &str) -> Reply {
    let pairs = [
        ("grant_type", "authorization_code".to_owned()),
        ("code", code.to_owned()),
        ("redirect_uri", BACK.to_owned()),
        ("code_verifier", VERIFIER.to_owned()),
    ];
    token_with(sandbox, &form(&pairs))
}

/// Header and claims of a token, unverified.
pub fn parts(token: &str) -> (Value, Value) {
    let mut parts = token.split('.');
    let mut part = || {
        let bytes = URL_SAFE_NO_PAD.decode(parts.next().unwrap()).unwrap();
        serde_json::from_slice(&bytes).unwrap()
    };
    (part(), part())
}

pub fn bytes(value: &Value) -> Vec<u8> {
    STANDARD.decode(value.as_str().unwrap_or_else(|| panic!("{value}"))).unwrap()
}

pub fn sha256(bytes: &[u8]) -> String {
    STANDARD.encode(Sha256::digest(bytes))
}
