//! Access tokens from the client credentials grant (RFC 6749 section 4.4), cached by scope.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use http::Method;
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;

use super::client_auth::{Proof, prove};
use super::flight::Flight;
use crate::client::{Call, Shared};
use crate::config::{ClientAuth, Config};
use crate::error::{Code, Error, ErrorBody, RawAnswer, Result};
use crate::trace::Level;
use crate::transport::{Body, Request, is_transient};

const WHAT: &str = "token request";
const ANSWER_CAP: usize = 1024 * 1024;
/// Assumed where the answer has no `expires_in`, which RFC 6749 only recommends.
const DEFAULT_LIFETIME: Duration = Duration::from_secs(60);
/// A token is renewed this long before its end, or after four fifths of its life.
const RENEW_EARLY: Duration = Duration::from_secs(60);
/// A clock that is off by more than this is told when an assertion is refused.
const SKEW_TOLD: Duration = Duration::from_secs(5);
/// How long a valid token goes on serving after its renewal failed.
const RENEW_AGAIN: Duration = Duration::from_secs(10);

/// A bearer token.
#[derive(Clone)]
pub(crate) struct AccessToken {
    value: Arc<SecretString>,
    renew_at: SystemTime,
    expires_at: SystemTime,
}

impl AccessToken {
    /// The whole Authorization header (RFC 6750 section 2.1).
    pub(crate) fn header(&self) -> SecretString {
        SecretString::from(format!("Bearer {}", self.value.expose_secret()))
    }

    /// The bare token.
    #[cfg(feature = "signing")]
    pub(crate) fn value(&self) -> SecretString {
        SecretString::from(self.value.expose_secret())
    }

    fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.value, &other.value)
    }
}

impl fmt::Debug for AccessToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AccessToken(...)")
    }
}

/// Tokens by scope; each is asked for once, however many callers need it.
#[derive(Debug, Default)]
pub(crate) struct TokenCache {
    slots: Mutex<HashMap<String, Arc<Slot>>>,
}

#[derive(Debug, Default)]
struct Slot {
    token: Mutex<Option<AccessToken>>,
    flight: Flight<AccessToken>,
}

impl Slot {
    fn lock(&self) -> std::sync::MutexGuard<'_, Option<AccessToken>> {
        self.token.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps serving `token` for a while although its renewal failed.
    fn postpone(&self, token: &AccessToken, now: SystemTime) {
        let mut current = self.lock();
        if let Some(current) = current.as_mut().filter(|current| current.is_same(token)) {
            current.renew_at = now + RENEW_AGAIN;
        }
    }
}

impl TokenCache {
    fn slot(&self, scope: &str) -> Arc<Slot> {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        slots.entry(scope.to_owned()).or_default().clone()
    }

    /// A token for `scope`: from the cache, or one request for all who wait.
    pub(crate) async fn get(
        &self,
        shared: &Arc<Shared>,
        scope: &str,
        call: &Call,
    ) -> Result<AccessToken> {
        let slot = self.slot(scope);
        let seen = slot.lock().clone();
        let now = shared.clock.now();
        if let Some(token) = seen.as_ref().filter(|token| now < token.renew_at) {
            return Ok(token.clone());
        }
        let work =
            || renew(shared.clone(), slot.clone(), scope.to_owned(), seen.clone(), call.aside());
        match (slot.flight.join(work).await, seen) {
            (Err(error), Some(token)) if now < token.expires_at && is_transient(&error) => {
                slot.postpone(&token, now);
                Ok(token)
            }
            (result, _) => result,
        }
    }

    /// Forgets a token that the service refused, unless it has been replaced already.
    pub(crate) fn reject(&self, scope: &str, token: &AccessToken) {
        let slot = self.slot(scope);
        let mut current = slot.lock();
        if current.as_ref().is_some_and(|current| current.is_same(token)) {
            *current = None;
        }
    }
}

/// Asks for a new token, unless somebody else got one since the caller looked.
async fn renew(
    shared: Arc<Shared>,
    slot: Arc<Slot>,
    scope: String,
    seen: Option<AccessToken>,
    call: Call,
) -> Result<AccessToken> {
    let current = slot.lock().clone();
    if let Some(current) = current
        && !seen.is_some_and(|seen| seen.is_same(&current))
    {
        return Ok(current);
    }
    let metadata = shared.discovery.get(&shared, &call).await?;
    let url = metadata.url("token_endpoint", "it cannot be used as an issuer")?;
    let token = shared.repeat(&call, || request(&shared, &url, &scope, &call)).await?;
    call.trace.event(Level::Info, || format!("new token for {scope}"));
    *slot.lock() = Some(token.clone());
    Ok(token)
}

async fn request(shared: &Shared, url: &url::Url, scope: &str, call: &Call) -> Result<AccessToken> {
    let fields = [("grant_type", "client_credentials"), ("scope", scope)];
    let Proof { form, authorization } =
        prove(&shared.config, &fields, url.as_str(), shared.clock.now())?;
    let request = Request {
        what: WHAT,
        method: Method::POST,
        url: url.clone(),
        authorization,
        body: Body::Form(form),
        call,
    };
    let asked_at = shared.clock.now();
    let mut answer = shared.transport.exchange(request).await?;
    if answer.status() != 200 {
        let date = answer.date();
        let error = token_error(answer.into_raw().await, WHAT);
        return Err(with_skew(error, &shared.config, date, asked_at));
    }
    let kind = answer.content_type().to_owned();
    let body = answer.body(ANSWER_CAP).await?;
    parse(&body, &kind, asked_at)
}

/// The error of RFC 6749 section 5.2, or what came in its place.
pub(crate) fn token_error(raw: RawAnswer, what: &str) -> Error {
    let known = match ErrorBody::decode(&raw) {
        ErrorBody::OAuth { error, .. } => {
            Some(Code::oauth_token(&error).unwrap_or(Code::OauthUnknown))
        }
        _ => None,
    };
    let error = raw.into_error(what);
    match known {
        Some(code) => error.recoded(code),
        None => error,
    }
}

/// Names a wrong clock where it may be why an assertion was refused.
pub(super) fn with_skew(
    error: Error,
    config: &Config,
    date: Option<SystemTime>,
    now: SystemTime,
) -> Error {
    let (ClientAuth::PrivateKeyJwt, Some(date)) = (config.client_auth, date) else { return error };
    let (skew, word) = match now.duration_since(date) {
        Ok(ahead) => (ahead, "ahead of"),
        Err(behind) => (behind.duration(), "behind"),
    };
    if skew < SKEW_TOLD {
        return error;
    }
    let seconds = skew.as_secs();
    let told = format!(
        "{}; this machine's clock is {seconds} s {word} the provider's, which makes assertions invalid: set the clock",
        error.message()
    );
    error.with_message(told).with_detail("clock_skew_seconds", seconds)
}

#[derive(Deserialize)]
struct TokenAnswer {
    access_token: String,
    token_type: Option<String>,
    #[serde(default, deserialize_with = "seconds")]
    expires_in: Option<f64>,
}

/// A number of seconds, also when it is written as a text.
pub(crate) fn seconds<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<f64>, D::Error> {
    let value = serde_json::Value::deserialize(deserializer)?;
    Ok(value.as_f64().or_else(|| value.as_str()?.parse().ok()))
}

fn parse(body: &[u8], content_type: &str, asked_at: SystemTime) -> Result<AccessToken> {
    let malformed = |why: &str| {
        Error::new(Code::OauthMalformed, format!("{WHAT}: the provider's answer {why}"))
            .with_status(200)
    };
    let answer: TokenAnswer = serde_json::from_slice(body).map_err(|error| {
        let told = RawAnswer::new(200, content_type, b"", None);
        match ErrorBody::decode(&RawAnswer {
            text: String::from_utf8_lossy(body).into_owned(),
            ..told.clone()
        }) {
            ErrorBody::Html { title } => {
                malformed(&format!("is an HTML page ({title:?}), probably from a proxy"))
            }
            // The text may hold a token: only the position is told.
            _ => {
                malformed(&format!("is no token: line {} column {}", error.line(), error.column()))
            }
        }
    })?;
    if answer.access_token.is_empty() {
        return Err(malformed("has an empty access_token"));
    }
    if let Some(kind) =
        answer.token_type.as_deref().filter(|kind| !kind.eq_ignore_ascii_case("bearer"))
    {
        return Err(malformed(&format!("has the token_type {kind:?}; only Bearer is understood")));
    }
    let lifetime = answer
        .expires_in
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .unwrap_or(DEFAULT_LIFETIME)
        .min(Duration::from_secs(365 * 24 * 3600));
    let early = RENEW_EARLY.min(lifetime / 5);
    Ok(AccessToken {
        value: Arc::new(SecretString::from(answer.access_token)),
        renew_at: asked_at + (lifetime - early),
        expires_at: asked_at + lifetime,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_liberally_and_lifetimes_are_bounded() {
        let at = SystemTime::UNIX_EPOCH;
        let life = |body: &str| {
            parse(body.as_bytes(), "", at).unwrap().expires_at.duration_since(at).unwrap()
        };
        assert_eq!(
            life(r#"{"access_token":"t","token_type":"bearer","expires_in":300}"#).as_secs(),
            300
        );
        assert_eq!(life(r#"{"access_token":"t","expires_in":"300"}"#).as_secs(), 300);
        assert_eq!(life(r#"{"access_token":"t","expires_in":-1}"#), DEFAULT_LIFETIME);
        assert_eq!(life(r#"{"access_token":"t","expires_in":1e300}"#), DEFAULT_LIFETIME);
    }

    #[test]
    fn a_wrong_answer_is_told_without_its_text() {
        let error =
            parse(b"{\"access_token\":\"canary\",", "", SystemTime::UNIX_EPOCH).unwrap_err();
        assert_eq!(error.code(), Code::OauthMalformed);
        assert!(!format!("{error} {error:?} {}", error.to_json()).contains("canary"));
        let mac = br#"{"access_token":"t","token_type":"mac"}"#;
        assert_eq!(
            parse(mac, "", SystemTime::UNIX_EPOCH).unwrap_err().code(),
            Code::OauthMalformed
        );
    }
}
