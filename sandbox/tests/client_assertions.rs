//! `private_key_jwt` at the token endpoint: what is accepted, and that everything else is refused.
// helpers outside of test functions are test code as well
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use common::*;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};
use serde_json::{Value, json};
use signdoc_sandbox::Sandbox;
use signdoc_signature::crypto::{Algorithm, HashAlgorithm, KeyKind};
use signdoc_signature::pki::SigningKey;

enum Key {
    Ec(Box<EcdsaKeyPair>),
    Rsa(SigningKey),
}

impl Key {
    fn ec() -> Self {
        let (kind, random) = (&ECDSA_P256_SHA256_FIXED_SIGNING, SystemRandom::new());
        let pkcs8 = EcdsaKeyPair::generate_pkcs8(kind, &random).unwrap();
        Self::Ec(Box::new(EcdsaKeyPair::from_pkcs8(kind, pkcs8.as_ref(), &random).unwrap()))
    }

    fn rsa() -> Self {
        Self::Rsa(SigningKey::derive(KeyKind::Rsa(2048), "client").unwrap())
    }

    fn public(&self) -> String {
        match self {
            Self::Ec(key) => {
                let point = key.public_key().as_ref();
                let part = |range| URL_SAFE_NO_PAD.encode(&point[range]);
                let jwk = json!({"kty": "EC", "crv": "P-256", "kid": "k1", "x": part(1..33),
                    "y": part(33..65)});
                json!({ "keys": [jwk] }).to_string()
            }
            Self::Rsa(key) => format!(
                "-----BEGIN PUBLIC KEY-----\n{}\n-----END PUBLIC KEY-----\n",
                STANDARD.encode(key.spki())
            ),
        }
    }

    fn algorithm(&self) -> &'static str {
        if matches!(self, Self::Ec(_)) { "ES256" } else { "RS256" }
    }

    fn sign(&self, header: &Value, claims: &Value) -> String {
        let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let signed = format!("{}.{}", part(header), part(claims));
        let signature = match self {
            Self::Ec(key) => {
                key.sign(&SystemRandom::new(), signed.as_bytes()).unwrap().as_ref().to_vec()
            }
            Self::Rsa(key) => {
                let hash = HashAlgorithm::Sha256;
                key.sign_hash(Algorithm::RsaPkcs1(hash), &hash.digest(signed.as_bytes())).unwrap()
            }
        };
        format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature))
    }
}

fn sandbox_with(key: &Key) -> Sandbox {
    let sandbox = Sandbox::builder().client_keys(key.public()).start().unwrap();
    sandbox.clock().freeze();
    sandbox
}

fn claims(sandbox: &Sandbox, jti: &str) -> Value {
    let (id, now) = (sandbox.client_id(), sandbox.clock().now_unix());
    let aud = format!("{}{TOKEN_PATH}", sandbox.base_url());
    json!({"iss": id, "sub": id, "aud": aud, "jti": jti, "iat": now, "exp": now + 30})
}

fn ask(sandbox: &Sandbox, assertion: &str, more: &str) -> Reply {
    let form = format!(
        "grant_type=client_credentials&client_assertion_type=urn%3Aietf%3Aparams%3Aoauth%3A\
         client-assertion-type%3Ajwt-bearer&client_assertion={assertion}{more}"
    );
    exchange(sandbox, "POST", TOKEN_PATH, &[FORM], form.as_bytes())
}

/// Asks, and expects the refusal that every wrong assertion gets; returns the noted reason.
fn refused(sandbox: &Sandbox, assertion: &str) -> String {
    let reply = ask(sandbox, assertion, "");
    assert_eq!((reply.status, &reply.json()["error"]), (401, &json!("invalid_client")));
    assert_eq!(reply.json()["error_description"], "client authentication failed");
    sandbox.refused().pop().unwrap().refused.unwrap()
}

#[test]
fn both_algorithms_prove_the_client_once() {
    for key in [Key::ec(), Key::rsa()] {
        let sandbox = sandbox_with(&key);
        let header = json!({"alg": key.algorithm(), "typ": "JWT"});
        let assertion = key.sign(&header, &claims(&sandbox, "1"));
        let reply = ask(&sandbox, &assertion, "&client_id=sandbox-client");
        assert_eq!(reply.status, 200, "{}", reply.text());
        assert!(refused(&sandbox, &assertion).contains("used before"));
        let again = key.sign(&header, &claims(&sandbox, "2"));
        assert_eq!(ask(&sandbox, &again, "").status, 200);
        let mut to_issuer = claims(&sandbox, "3");
        to_issuer["aud"] = json!(["other", sandbox.issuer()]);
        assert_eq!(ask(&sandbox, &key.sign(&header, &to_issuer), "").status, 200);
        sandbox.reset();
    }
}

#[test]
fn each_wrong_claim_is_noted() {
    let key = Key::ec();
    let sandbox = sandbox_with(&key);
    let now = sandbox.clock().now_unix();
    let cases = [
        ("iss", json!("other"), "iss"),
        ("sub", json!("stranger"), "not registered"),
        ("sub", Value::Null, "sub"),
        ("aud", json!("https://elsewhere.invalid/token"), "aud"),
        ("aud", Value::Null, "aud"),
        ("jti", Value::Null, "jti"),
        ("jti", json!(""), "jti"),
        ("exp", Value::Null, "exp"),
        ("exp", json!("soon"), "exp"),
        ("exp", json!(now - 10), "expired 10 s ago"),
        ("exp", json!(now + 311), "311 s ahead"),
        ("iat", json!(now + 11), "11 s in the future"),
        ("iat", json!(now - 311), "issued 311 s ago"),
        ("nbf", json!(now + 11), "nbf"),
    ];
    for (name, value, word) in cases {
        let mut wrong = claims(&sandbox, name);
        wrong[name] = value.clone();
        let note = refused(&sandbox, &key.sign(&json!({"alg": "ES256"}), &wrong));
        assert!(note.contains(word), "{name}={value}: {note}");
    }
    for (name, value) in [("exp", now - 9), ("exp", now + 310), ("iat", now + 10)] {
        let mut just_right = claims(&sandbox, &format!("{name}{value}"));
        just_right[name] = json!(value);
        let assertion = key.sign(&json!({"alg": "ES256"}), &just_right);
        assert_eq!(ask(&sandbox, &assertion, "").status, 200, "{name}={value}");
    }
}

#[test]
fn each_wrong_header_or_signature_is_noted() {
    let (key, other, rsa) = (Key::ec(), Key::ec(), Key::rsa());
    let sandbox = sandbox_with(&key);
    let good = claims(&sandbox, "j");
    let signed = |key: &Key, header: Value| key.sign(&header, &good);
    let right = signed(&key, json!({"alg": "ES256"}));
    let unsigned = format!("{}.", right.rsplit_once('.').unwrap().0);
    let cases = [
        (signed(&key, json!({"alg": "none"})), "alg is"),
        (signed(&key, json!({"alg": "HS256"})), "alg is"),
        (signed(&key, json!({"typ": "JWT"})), "alg"),
        (signed(&rsa, json!({"alg": "RS256"})), "for another one"),
        (signed(&other, json!({"alg": "ES256"})), "signature of the assertion is wrong"),
        (signed(&key, json!({"alg": "ES256", "kid": "k2"})), "k2"),
        (signed(&key, json!({"alg": "ES256", "crit": ["x"]})), "critical"),
        (unsigned, "signature of the assertion is wrong"),
        ("a.b".to_owned(), "three parts"),
        ("!.!.!".to_owned(), "base64url"),
        ("YQ.YQ.YQ".to_owned(), "JSON"),
    ];
    for (assertion, word) in cases {
        let note = refused(&sandbox, &assertion);
        assert!(note.contains(word), "{note}");
    }
    // a refused assertion has not used up its identifier
    let kid = signed(&key, json!({"alg": "ES256", "kid": "k1"}));
    assert_eq!(ask(&sandbox, &kid, "").status, 200);
    assert_eq!(ask(&sandbox, &right, "&client_id=other").status, 401);
    let reply = ask(&sandbox, &right, "&client_secret=x");
    assert_eq!((reply.status, &reply.json()["error"]), (400, &json!("invalid_request")));
    let form = format!("grant_type=client_credentials&client_assertion={right}");
    let reply = exchange(&sandbox, "POST", TOKEN_PATH, &[FORM], form.as_bytes());
    assert_eq!((reply.status, &reply.json()["error"]), (400, &json!("invalid_request")));
    assert!(!format!("{:?}", sandbox.requests()).contains(&right[..40]), "it is not recorded");
}

#[test]
fn clients_are_registered_while_it_runs() {
    let key = Key::ec();
    let sandbox = Sandbox::builder().start().unwrap();
    let assertion = key.sign(&json!({"alg": "ES256"}), &claims(&sandbox, "1"));
    assert!(refused(&sandbox, &assertion).contains("no key is registered"));
    let jwks: Value = serde_json::from_str(&key.public()).unwrap();
    let body = json!({"client_id": sandbox.client_id(), "jwks": jwks});
    assert_eq!(control(&sandbox, "POST", "clients", &body).status, 200);
    assert_eq!(ask(&sandbox, &assertion, "").status, 200);
    assert!(bearer(&sandbox).starts_with("Bearer "), "its secret stays");
    // a new client with a key of the other kind and no secret
    let rsa = Key::rsa();
    let body = json!({"client_id": "shop", "public_key_pem": rsa.public(), "scopes": ["esign"]});
    let reply = control(&sandbox, "POST", "clients", &body);
    assert_eq!(reply.json()["clients"], json!(["sandbox-client", "shop"]));
    let mut other = claims(&sandbox, "2");
    other["iss"] = json!("shop");
    other["sub"] = json!("shop");
    let assertion = rsa.sign(&json!({"alg": "RS256"}), &other);
    assert_eq!(ask(&sandbox, &assertion, "&scope=esign").status, 200);
    let headers = [FORM, ("authorization", &basic("shop", ""))];
    let reply = exchange(&sandbox, "POST", TOKEN_PATH, &headers, b"grant_type=client_credentials");
    assert_eq!(reply.status, 401);
}

#[test]
fn keys_that_cannot_be_used_are_refused_when_they_are_registered() {
    let sandbox = Sandbox::builder().start().unwrap();
    let small = SigningKey::derive(KeyKind::Rsa(1024), "small").unwrap();
    let p384 = SigningKey::derive(KeyKind::P384, "p384").unwrap();
    for (body, word) in [
        (json!({"client_id": "", "public_key_pem": ""}), "client_id"),
        (json!({"client_id": "a", "secret": "x"}), "unknown field"),
        (json!({"client_id": "a", "jwks": {"keys": []}}), "empty"),
        (json!({"client_id": "a", "jwks": {"kty": "EC", "crv": "P-256", "d": "x"}}), "private"),
        (json!({"client_id": "a", "jwks": {"kty": "oct", "k": "x"}}), "oct"),
        (
            json!({"client_id": "a", "jwks": {"kty": "EC", "crv": "P-256", "x": "YQ", "y": "YQ"}}),
            "32",
        ),
        (json!({"client_id": "a", "public_key_pem": "hello"}), "PUBLIC KEY"),
        (json!({"client_id": "a", "public_key_pem": Key::Rsa(small).public()}), "2048"),
        (json!({"client_id": "a", "public_key_pem": Key::Rsa(p384).public()}), "P-256"),
    ] {
        let reply = control(&sandbox, "POST", "clients", &body);
        assert_eq!(reply.status, 400, "{body}");
        assert!(reply.text().contains(word), "{}", reply.text());
    }
    let error = Sandbox::builder().client_keys("{").start().unwrap_err().to_string();
    assert!(error.contains("public key cannot be used"), "{error}");
}

#[test]
fn the_date_is_that_of_the_sandbox() {
    let sandbox = Sandbox::builder().start().unwrap();
    sandbox.clock().set(784_111_777);
    sandbox.clock().freeze();
    let reply = get(&sandbox, "/auth/realms/sandbox/.well-known/openid-configuration");
    assert!(reply.header("date").unwrap().starts_with("Sun, 06 Nov 1994 08:49:3"));
    sandbox.clock().set(u64::MAX / 1000);
    assert_eq!(get(&sandbox, "/_sandbox/clock").status, 200);
}
