//! The identity provider: provider metadata, key set, authorize endpoint with the signing page,
//! token endpoint, user information and token introspection, all under the issuer's path.
//!
//! Sources: OpenID Connect Core 1.0 and Discovery 1.0, RFC 6749 (OAuth 2.0), RFC 7517 (JWK), RFC 7636
//! (PKCE), RFC 7662 (introspection), RFC 7523 (client assertions).

pub(crate) mod assertion;
pub(crate) mod authorize;
pub(crate) mod callback;
pub(crate) mod client_auth;
pub(crate) mod client_keys;
pub(crate) mod clients;
pub(crate) mod discovery;
pub(crate) mod exchange;
pub(crate) mod html;
pub(crate) mod id_token;
pub(crate) mod keys;
pub(crate) mod logins;
pub(crate) mod page;
pub(crate) mod persons;
pub(crate) mod token;
pub(crate) mod tokens;

use std::sync::Arc;

use http::{Method, StatusCode};
use serde_json::{Value, json};

use crate::http::{Answer, Call};
use crate::state::State;

/// Path of the issuer below the base address.
pub(crate) const ISSUER_PATH: &str = "/auth/realms/sandbox";

/// Answers requests under [`ISSUER_PATH`]; `rest` is what follows it.
pub(crate) async fn answer(state: &Arc<State>, call: &Call, rest: &str) -> Answer {
    match rest {
        "/.well-known/openid-configuration" => get(call, || Ok(discovery::document(state))),
        "/protocol/openid-connect/certs" => {
            let variants = state.variants();
            get(call, || {
                state.keys.jwks(variants.id_token_alg, variants.id_token_kid, &state.random)
            })
        }
        "/protocol/openid-connect/userinfo" => exchange::userinfo(state, call),
        authorize::PATH => authorize::answer(state, call),
        page::PATH => page::answer(state, call).await,
        page::DOCUMENT_PATH => page::document(state, call),
        "/protocol/openid-connect/token" => post(call, || token::answer(state, call)),
        "/protocol/openid-connect/token/introspect" => post(call, || introspect(state, call)),
        _ => Answer::not_found(&call.path),
    }
}

fn get(call: &Call, document: impl FnOnce() -> Result<Value, String>) -> Answer {
    if call.method != Method::GET {
        return Answer::method_not_allowed(&call.method, "GET");
    }
    if let Err(reason) = call.require_accepts("application/json") {
        return Answer::text(StatusCode::NOT_ACCEPTABLE, reason.clone()).refused(reason);
    }
    match document() {
        Ok(document) => Answer::json(StatusCode::OK, &document),
        Err(reason) => {
            Answer::text(StatusCode::INTERNAL_SERVER_ERROR, "internal error").refused(reason)
        }
    }
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
