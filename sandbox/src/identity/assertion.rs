//! Client assertions: `private_key_jwt` (OpenID Connect Core 1.0 section 9, RFC 7521 section 4.2,
//! RFC 7523 section 3).
//!
//! Everything is checked: signature by a registered key with RS256 or ES256, `iss` and `sub`, the
//! audience, the times on the sandbox's clock, and that `jti` was never seen before.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Map, Value};

use super::clients::RegisteredClient;
use crate::json::shown;
use crate::state::State;
use crate::sync::lock;

pub(crate) const ASSERTION_TYPE: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/// Seconds by which the clocks may differ.
const TOLERANCE: u64 = 10;
/// Seconds an assertion may be valid, and may be old.
const LONGEST_LIFE: u64 = 300;

/// The `jti` values seen, by client, with the second from which they may be forgotten.
#[derive(Debug, Default)]
pub(crate) struct SeenAssertions(Mutex<HashMap<(String, String), u64>>);

impl SeenAssertions {
    /// Takes note of an identifier; false when it is known already.
    fn first_time(&self, client: &str, jti: &str, forget_at: u64, now: u64) -> bool {
        let mut seen = lock(&self.0);
        seen.retain(|_, forget_at| *forget_at >= now);
        seen.insert((client.to_owned(), jti.to_owned()), forget_at).is_none()
    }

    /// Forgets everything.
    pub(crate) fn clear(&self) {
        lock(&self.0).clear();
    }
}

/// The client that an assertion proves; the error says why it proves none.
pub(crate) fn verify(
    state: &State,
    assertion: &str,
    audiences: &[String],
) -> Result<Arc<RegisteredClient>, String> {
    let parts: Vec<&str> = assertion.split('.').collect();
    let [header, claims, signature] = parts.as_slice() else {
        return Err("the assertion has not three parts".to_owned());
    };
    let head = object("header", header)?;
    let body = object("claims", claims)?;
    let subject = text(&body, "sub")?;
    let client = state
        .clients
        .find(subject)
        .ok_or_else(|| format!("sub is {}, which is not registered", shown(subject)))?;
    let signature = URL_SAFE_NO_PAD
        .decode(signature)
        .map_err(|_| "the signature of the assertion is no base64url".to_owned())?;
    let signed = assertion.rsplit_once('.').map_or("", |(signed, _)| signed);
    check_signature(&client, &head, signed.as_bytes(), &signature)?;
    let forget_at = check_claims(&body, &client.id, audiences, state.clock.now_unix())?;
    let jti = text(&body, "jti")?;
    if !state.assertions.first_time(&client.id, jti, forget_at, state.clock.now_unix()) {
        return Err(format!("jti {} was used before", shown(jti)));
    }
    Ok(client)
}

fn object(what: &str, part: &str) -> Result<Map<String, Value>, String> {
    let bytes = URL_SAFE_NO_PAD
        .decode(part)
        .map_err(|_| format!("the {what} of the assertion is no base64url"))?;
    serde_json::from_slice(&bytes)
        .map_err(|_| format!("the {what} of the assertion is no JSON object"))
}

fn text<'a>(object: &'a Map<String, Value>, name: &str) -> Result<&'a str, String> {
    match object.get(name) {
        Some(Value::String(text)) if !text.is_empty() => Ok(text),
        Some(_) => Err(format!("{name} of the assertion is no text, or empty")),
        None => Err(format!("{name} of the assertion is missing")),
    }
}

fn check_signature(
    client: &RegisteredClient,
    head: &Map<String, Value>,
    signed: &[u8],
    signature: &[u8],
) -> Result<(), String> {
    if head.contains_key("crit") {
        return Err("the assertion has critical extensions, none is understood".to_owned());
    }
    let algorithm = text(head, "alg")?;
    if !["RS256", "ES256"].contains(&algorithm) {
        return Err(format!("alg is {}, it must be RS256 or ES256", shown(algorithm)));
    }
    if client.keys.is_empty() {
        return Err("no key is registered for this client".to_owned());
    }
    let kid = head.get("kid").and_then(Value::as_str);
    let mut candidates = client.keys.iter().filter(|key| key.may_be(kid)).peekable();
    if candidates.peek().is_none() {
        return Err(format!("no registered key has the kid {}", shown(kid.unwrap_or_default())));
    }
    let mut fitting = candidates.filter(|key| key.algorithm() == algorithm).peekable();
    if fitting.peek().is_none() {
        return Err(format!("alg is {algorithm}, but the registered key is for another one"));
    }
    if fitting.any(|key| key.verifies(signed, signature)) {
        Ok(())
    } else {
        Err("the signature of the assertion is wrong".to_owned())
    }
}

/// Checks the claims; returns the second from which a repetition would be too old anyway.
fn check_claims(
    body: &Map<String, Value>,
    client: &str,
    audiences: &[String],
    now: u64,
) -> Result<u64, String> {
    if text(body, "iss")? != client {
        return Err("iss of the assertion differs from sub".to_owned());
    }
    let named: Vec<&str> = match body.get("aud") {
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(list)) => list.iter().filter_map(Value::as_str).collect(),
        _ => return Err("aud of the assertion is missing".to_owned()),
    };
    if !named.iter().any(|name| audiences.iter().any(|own| own == name)) {
        return Err(format!("aud is {}, not the token endpoint", shown(&named.join(" "))));
    }
    let time = |name: &str| match body.get(name) {
        None => Ok(None),
        Some(value) => value
            .as_f64()
            .filter(|seconds| (0.0..1e12).contains(seconds))
            .map(|seconds| Some(seconds as u64))
            .ok_or_else(|| format!("{name} of the assertion is no time")),
    };
    let expires = time("exp")?.ok_or_else(|| "exp of the assertion is missing".to_owned())?;
    if expires + TOLERANCE <= now {
        return Err(format!("the assertion expired {} s ago", now - expires));
    }
    if expires > now + LONGEST_LIFE + TOLERANCE {
        return Err(format!("exp lies {} s ahead, {LONGEST_LIFE} are allowed", expires - now));
    }
    for name in ["iat", "nbf"] {
        let Some(at) = time(name)? else { continue };
        if at > now + TOLERANCE {
            return Err(format!("{name} lies {} s in the future", at - now));
        }
        if name == "iat" && at + LONGEST_LIFE + TOLERANCE < now {
            return Err(format!("the assertion was issued {} s ago", now - at));
        }
    }
    Ok(expires + TOLERANCE)
}
