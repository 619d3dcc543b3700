//! The identity provider: provider metadata, key set, token endpoint and token introspection, all
//! under the issuer's path.
//!
//! Sources: OpenID Connect Discovery 1.0, RFC 6749 (OAuth 2.0), RFC 7517 (JWK), RFC 7662
//! (introspection), RFC 7523 (client assertions).

pub(crate) mod assertion;
pub(crate) mod client_auth;
pub(crate) mod client_keys;
pub(crate) mod clients;
pub(crate) mod discovery;
pub(crate) mod keys;
pub(crate) mod token;
pub(crate) mod tokens;

use http::{Method, StatusCode};
use serde_json::json;

use crate::http::{Answer, Call};
use crate::state::State;

/// Path of the issuer below the base address.
pub(crate) const ISSUER_PATH: &str = "/auth/realms/sandbox";

/// Answers requests under [`ISSUER_PATH`]; `rest` is what follows it.
pub(crate) fn answer(state: &State, call: &Call, rest: &str) -> Answer {
    match rest {
        "/.well-known/openid-configuration" => get(call, || discovery::document(state)),
        "/protocol/openid-connect/certs" => get(call, || state.keys.jwks(&state.random)),
        "/protocol/openid-connect/token" => post(call, || token::answer(state, call)),
        "/protocol/openid-connect/token/introspect" => post(call, || introspect(state, call)),
        _ => Answer::not_found(&call.path),
    }
}

fn get(call: &Call, document: impl FnOnce() -> serde_json::Value) -> Answer {
    if call.method != Method::GET {
        return Answer::method_not_allowed(&call.method, "GET");
    }
    if let Err(reason) = call.require_accepts("application/json") {
        return Answer::text(StatusCode::NOT_ACCEPTABLE, reason.clone()).refused(reason);
    }
    Answer::json(StatusCode::OK, &document())
}

fn post(call: &Call, answer: impl FnOnce() -> Answer) -> Answer {
    if call.method == Method::POST {
        answer()
    } else {
        Answer::method_not_allowed(&call.method, "POST")
    }
}

/// RFC 7662: whether a token is active, for clients that prove who they are.
fn introspect(state: &State, call: &Call) -> Answer {
    let parameters = match token::read_form(call) {
        Ok(parameters) => parameters,
        Err(error) => return error.answer(),
    };
    if let Err(error) = client_auth::authenticate(state, call, &parameters) {
        return error.answer();
    }
    let now = state.clock.now_millis();
    let found = parameters.get("token").and_then(|token| state.tokens.find(token, now));
    let body = match found {
        None => json!({"active": false}),
        Some(grant) => json!({
            "active": true,
            "client_id": grant.client_id,
            "scope": grant.scopes.join(" "),
            "exp": grant.expires_at_ms / 1000,
            "token_type": "Bearer",
        }),
    };
    Answer::json(StatusCode::OK, &body)
}
