//! The token endpoint (RFC 6749 sections 3.2, 4.1.3, 4.4 and 5).

use http::StatusCode;
use http::header::{CACHE_CONTROL, PRAGMA, WWW_AUTHENTICATE};
use serde_json::{Map, Value, json};

use super::tokens::{Grant, SCOPES};
use super::{client_auth, exchange};
use crate::form;
use crate::http::{Answer, Call};
use crate::json::shown;
use crate::state::State;
use crate::variants::{ExpiresIn, TokenType, Variants};

/// Seconds an access token is valid on the sandbox's clock.
pub(crate) const TOKEN_SECONDS: u64 = 300;

/// A refusal of the token endpoint.
#[derive(Debug)]
pub(crate) struct TokenError {
    status: StatusCode,
    code: &'static str,
    reason: String,
}

impl TokenError {
    fn new(code: &'static str, reason: impl Into<String>) -> Self {
        Self { status: StatusCode::BAD_REQUEST, code, reason: reason.into() }
    }

    /// `invalid_request`
    pub(crate) fn request(reason: impl Into<String>) -> Self {
        Self::new("invalid_request", reason)
    }

    /// `invalid_grant`
    pub(crate) fn grant(reason: impl Into<String>) -> Self {
        Self::new("invalid_grant", reason)
    }

    /// `unauthorized_client`
    pub(crate) fn unauthorized(reason: impl Into<String>) -> Self {
        Self::new("unauthorized_client", reason)
    }

    /// `unsupported_grant_type`
    pub(crate) fn unsupported(reason: impl Into<String>) -> Self {
        Self::new("unsupported_grant_type", reason)
    }

    /// `server_error`, status 500
    pub(crate) fn server(reason: impl Into<String>) -> Self {
        Self { status: StatusCode::INTERNAL_SERVER_ERROR, ..Self::new("server_error", reason) }
    }

    /// `invalid_client`, status 401
    pub(crate) fn client(reason: impl Into<String>) -> Self {
        Self { status: StatusCode::UNAUTHORIZED, ..Self::new("invalid_client", reason) }
    }

    pub(crate) fn answer(self) -> Answer {
        // the reason stays with the sandbox: a provider does not tell a stranger whether the
        // client or the secret was wrong
        let description = match self.code {
            "invalid_client" => "client authentication failed",
            _ => self.reason.as_str(),
        };
        let body = json!({"error": self.code, "error_description": description});
        let answer = not_stored(Answer::json(self.status, &body));
        let answer = if self.status == StatusCode::UNAUTHORIZED {
            answer.header(WWW_AUTHENTICATE, "Basic realm=\"sandbox\"")
        } else {
            answer
        };
        answer.refused(format!("{}: {}", self.code, self.reason))
    }
}

fn not_stored(answer: Answer) -> Answer {
    answer.header(CACHE_CONTROL, "no-store").header(PRAGMA, "no-cache")
}

/// The parameters of a form body, each at most once.
#[derive(Debug)]
pub(crate) struct Form(Vec<(String, String)>);

impl Form {
    /// A parameter that was sent with a value; without one it counts as omitted
    /// (RFC 6749 section 3.2).
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let (_, value) = self.0.iter().find(|(key, _)| key == name)?;
        Some(value.as_str()).filter(|value| !value.is_empty())
    }
}

/// Reads the form of a request to an OAuth endpoint.
pub(crate) fn read_form(call: &Call) -> Result<Form, TokenError> {
    call.require_no_query().map_err(TokenError::request)?;
    call.require_content_type("application/x-www-form-urlencoded").map_err(TokenError::request)?;
    call.require_accepts("application/json").map_err(TokenError::request)?;
    let text = std::str::from_utf8(&call.body)
        .map_err(|_| TokenError::request("the form is not UTF-8"))?;
    let pairs = form::parse(text)
        .map_err(|error| TokenError::request(format!("the form is malformed: {error}")))?;
    for (index, (name, _)) in pairs.iter().enumerate() {
        if pairs.iter().skip(index + 1).any(|(later, _)| later == name) {
            return Err(TokenError::request(format!("parameter {} stands twice", shown(name))));
        }
    }
    Ok(Form(pairs))
}

/// Answers a token request.
pub(crate) fn answer(state: &State, call: &Call) -> Answer {
    match grant(state, call) {
        Ok(answer) => not_stored(answer),
        Err(error) => error.answer(),
    }
}

fn grant(state: &State, call: &Call) -> Result<Answer, TokenError> {
    let parameters = read_form(call)?;
    let grant_type = parameters
        .get("grant_type")
        .ok_or_else(|| TokenError::request("parameter grant_type is missing"))?;
    let client = client_auth::authenticate(state, call, &parameters)?;
    if grant_type == "authorization_code" {
        return exchange::grant(state, call, &parameters, &client);
    }
    if grant_type != "client_credentials" {
        let reason = format!("grant type {} is not served", shown(grant_type));
        return Err(TokenError::unsupported(reason));
    }
    let scopes = scopes(parameters.get("scope"), client.scopes.as_deref())?;
    let scope = scopes.join(" ");
    let expires_at_ms = state.clock.now_millis().saturating_add(TOKEN_SECONDS * 1000);
    let granted = Grant { client_id: client.id.clone(), scopes, expires_at_ms, person: None };
    let token = state.tokens.issue(granted, &state.random);
    let mut fields = token_fields(&token, TOKEN_SECONDS, &state.variants());
    fields.insert("refresh_expires_in".to_owned(), 0.into());
    fields.insert("not-before-policy".to_owned(), 0.into());
    if !scope.is_empty() {
        fields.insert("scope".to_owned(), scope.into());
    }
    Ok(Answer::json(StatusCode::OK, &fields.into()))
}

/// The fields of RFC 6749 section 5.1, in the forms of the variants.
pub(crate) fn token_fields(token: &str, seconds: u64, variants: &Variants) -> Map<String, Value> {
    let lifetime = match variants.expires_in {
        ExpiresIn::Number => Some(seconds.into()),
        ExpiresIn::Text => Some(seconds.to_string().into()),
        ExpiresIn::Absent => None,
    };
    let kind = match variants.token_type {
        TokenType::Capital => Some("Bearer".into()),
        TokenType::Lower => Some("bearer".into()),
        TokenType::Absent => None,
    };
    let fields =
        [("access_token", Some(token.into())), ("expires_in", lifetime), ("token_type", kind)];
    let given = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    given.collect()
}

fn scopes(wanted: Option<&str>, allowed: Option<&[String]>) -> Result<Vec<String>, TokenError> {
    let mut granted: Vec<String> = Vec::new();
    for scope in wanted.map(|text| text.split(' ')).into_iter().flatten() {
        let permitted = allowed.is_none_or(|list| list.iter().any(|entry| entry == scope));
        if !SCOPES.contains(&scope) || !permitted {
            return Err(TokenError::new(
                "invalid_scope",
                format!("scope {} is unknown or not granted to this client", shown(scope)),
            ));
        }
        if !granted.iter().any(|entry| entry == scope) {
            granted.push(scope.to_owned());
        }
    }
    Ok(granted)
}
