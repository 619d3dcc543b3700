//! The exchange of a code for tokens (RFC 6749 section 4.1.3, RFC 7636 section 4.6, OpenID Connect
//! Core 1.0 section 3.1.3), and user information (section 5.3).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::{Method, StatusCode};
use serde_json::{Map, Value};

use super::clients::RegisteredClient;
use super::id_token;
use super::logins::{BadCode, Code};
use super::token::{Form, TOKEN_SECONDS, TokenError, token_fields};
use super::tokens::Grant;
use crate::http::{Answer, Call};
use crate::requests::sha256;
use crate::state::State;

/// Answers the grant type `authorization_code`.
pub(crate) fn grant(
    state: &State,
    call: &Call,
    parameters: &Form,
    client: &RegisteredClient,
) -> Result<Answer, TokenError> {
    let text =
        parameters.get("code").ok_or_else(|| TokenError::request("parameter code is missing"))?;
    let now = state.clock.now_millis();
    let code = state.logins.look(text, now).map_err(|bad| refuse(state, bad))?;
    check(&code, parameters, client)?;
    if !state.logins.spend(text) {
        return Err(TokenError::grant("the code was used before"));
    }
    let scopes = code.login.scopes.clone();
    let scope = scopes.join(" ");
    let expires_at_ms = now.saturating_add(TOKEN_SECONDS * 1000);
    let person = Some(code.person);
    let granted = Grant { client_id: client.id.clone(), scopes, expires_at_ms, person };
    let token = state.tokens.issue(granted, &state.random);
    state.logins.bought(text, token.clone());
    let id_token =
        id_token::issue(state, &code, &token, call.twist.as_ref()).map_err(TokenError::server)?;
    let mut fields = token_fields(&token, TOKEN_SECONDS, &state.variants());
    fields.insert("refresh_expires_in".to_owned(), 0.into());
    fields.insert("id_token".to_owned(), id_token.into());
    fields.insert("not-before-policy".to_owned(), 0.into());
    fields.insert("scope".to_owned(), scope.into());
    Ok(Answer::json(StatusCode::OK, &fields.into()))
}

/// A code that was used before takes the token of its first use with it (RFC 6749, 4.1.2).
fn refuse(state: &State, bad: BadCode) -> TokenError {
    TokenError::grant(match bad {
        BadCode::Unknown => "the code is unknown",
        BadCode::Expired => "the code has expired",
        BadCode::UsedBefore(token) => {
            if let Some(token) = token {
                state.tokens.revoke(&token);
            }
            "the code was used before"
        }
    })
}

fn check(code: &Code, parameters: &Form, client: &RegisteredClient) -> Result<(), TokenError> {
    let login = &code.login;
    if login.client_id != client.id {
        return Err(TokenError::grant("the code was given to another client"));
    }
    match (parameters.get("redirect_uri"), &login.sent_redirect_uri) {
        (Some(sent), Some(known)) if sent == known => {}
        (None, None) => {}
        (None, Some(_)) => return Err(TokenError::request("parameter redirect_uri is missing")),
        _ => return Err(TokenError::grant("redirect_uri is not that of the authorize request")),
    }
    match (parameters.get("code_verifier"), &login.challenge) {
        (None, None) => Ok(()),
        (None, Some(_)) => Err(TokenError::grant("code_verifier is missing")),
        (Some(_), None) => Err(TokenError::grant("code_verifier came without a code_challenge")),
        (Some(verifier), Some(challenge)) => {
            let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
            if !(43..=128).contains(&verifier.len()) || !verifier.bytes().all(allowed) {
                return Err(TokenError::request(
                    "code_verifier must be 43 to 128 characters of A-Z a-z 0-9 - . _ ~",
                ));
            }
            if URL_SAFE_NO_PAD.encode(sha256(verifier.as_bytes())) == *challenge {
                Ok(())
            } else {
                Err(TokenError::grant("code_verifier does not match code_challenge"))
            }
        }
    }
}

/// `GET userinfo`: who the access token speaks for.
pub(crate) fn userinfo(state: &State, call: &Call) -> Answer {
    if call.method != Method::GET {
        return Answer::method_not_allowed(&call.method, "GET");
    }
    let grant = match state.authorize(call, &["openid"]) {
        Ok(grant) => grant,
        Err(reason) => return refused_userinfo(reason),
    };
    let Some(person) = grant.person else {
        return refused_userinfo("the access token speaks for no end user".to_owned());
    };
    let mut claims = Map::new();
    claims.insert("sub".to_owned(), id_token::subject(person).into());
    if grant.scopes.iter().any(|scope| scope == "profile") {
        for (name, value) in id_token::profile(person) {
            claims.insert(name.to_owned(), value.into());
        }
    }
    Answer::json(StatusCode::OK, &Value::Object(claims))
}

fn refused_userinfo(reason: String) -> Answer {
    Answer::text(StatusCode::UNAUTHORIZED, "")
        .header(http::header::WWW_AUTHENTICATE, "Bearer error=\"invalid_token\"")
        .refused(reason)
}
