//! The credential-based signing interface, after CSC API v2.0.0.2 with the service's deviations.
//!
//! What the specification leaves open is settled like this:
//! - Everything lies below `/csc/v2`. `info` is open to all; a bearer that is sent must be good.
//! - The token endpoint takes the merchant's own token from the identity provider as bearer, with
//!   one of the esign scopes, and gives a service token for one signing session.
//! - A service token goes through list, authorize and signHash, each once. A request that is refused
//!   for what it says does not use the token up; one that is carried out does. `credentials/info`
//!   stands outside of this order, after list.
//! - list makes a key and a certificate for the session. Requests are judged in this order: size,
//!   token, order of calls, form (invalid_request), credential, values (invalid_parameters and the
//!   more special codes).
//! - Signature activation data is good for the hashes that were authorized, in their order, for 300
//!   seconds.
//! - ECDSA signatures are in DER.

pub(crate) mod algorithms;
pub(crate) mod credentials;
pub(crate) mod errors;
pub(crate) mod oauth;
pub(crate) mod session;
pub(crate) mod sign;

use std::sync::Arc;

use bytes::Bytes;
use http::{Method, StatusCode};
use serde_json::{Value, json};

use self::errors::CscError;
use self::oauth::Approvals;
use self::session::{Session, Sessions};
use crate::faults::Fault;
use crate::fields::{Problems, Section};
use crate::http::{Answer, Call};
use crate::json;
use crate::state::State;
use crate::variants::CscSignHash;

/// Path of the interface below the base address.
pub(crate) const PATH: &str = "/csc/v2";
const LOGO_PATH: &str = "/logo.svg";
const LOGO: &[u8] = b"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 8 8\">\
    <path d=\"M1 5 3 7 7 1\" fill=\"none\" stroke=\"#003d82\"/></svg>";
/// Longest request body.
const MAX_BODY: usize = 1024 * 1024;
/// Most signatures of one session.
pub(crate) const MAX_SIGNATURES: u64 = 50;

/// Scopes of the merchant's own token, each of which opens the token endpoint.
pub(crate) const SCOPES: [&str; 4] = ["esign/csc", "esign", "esign/qualified", "esign/nnin"];

/// Everything the interface keeps.
#[derive(Debug, Default)]
pub(crate) struct Csc {
    pub(crate) sessions: Sessions,
    pub(crate) approvals: Approvals,
}

impl Csc {
    /// Forgets everything.
    pub(crate) fn clear(&self) {
        self.sessions.clear();
        self.approvals.clear();
    }
}

/// Answers requests under [`PATH`]; `rest` is what follows it.
pub(crate) async fn answer(state: &Arc<State>, call: &Call, rest: &str) -> Answer {
    match rest {
        oauth::AUTHORIZE => return oauth::authorize(state, call),
        oauth::PAGE => return oauth::page(state, call),
        oauth::TOKEN => return oauth::token(state, call),
        LOGO_PATH if call.method == Method::GET => {
            return Answer::new(StatusCode::OK, "image/svg+xml", Bytes::from_static(LOGO));
        }
        _ => {}
    }
    if let Some(Fault::CscError { code, spends }) = &call.twist {
        if *spends && let Ok(token) = call.bearer() {
            spend(state, token);
        }
        return CscError::new(code, "an error on purpose").answer(state);
    }
    let outcome = match rest {
        "/info" => checked(call).and_then(|()| info(state, call)),
        "/credentials/list" => match checked(call) {
            Ok(()) => credentials::list(state, call).await,
            Err(error) => Err(error),
        },
        "/credentials/info" => checked(call).and_then(|()| credentials::info(state, call)),
        "/credentials/authorize" => {
            let answer = checked(call).and_then(|()| credentials::authorize(state, call));
            // with a handle the activation data is to be asked for later
            if let Ok(body) = &answer
                && body.get("handle").is_some()
            {
                return Answer::json(StatusCode::ACCEPTED, body);
            }
            answer
        }
        "/signatures/signHash" => match checked(call) {
            Ok(()) => sign::answer(state, call).await,
            Err(error) => Err(error),
        },
        _ => return Answer::not_found(&call.path),
    };
    if call.method != Method::POST {
        return Answer::method_not_allowed(&call.method, "POST");
    }
    match outcome {
        Ok(body) => Answer::json(StatusCode::OK, &body),
        Err(error) => error.answer(state),
    }
}

fn spend(state: &State, token: &str) {
    state.csc.sessions.with(token, state.clock.now_millis(), |session| {
        session.stage = session::Stage::Spent;
        Ok(())
    });
}

/// What every request of the interface must be.
fn checked(call: &Call) -> Result<(), CscError> {
    let refuse = |reason| CscError::new("invalid_request", reason);
    if call.method != Method::POST {
        return Err(refuse("only POST is served".to_owned()));
    }
    if call.body.len() > MAX_BODY {
        let (found, limit) = (call.body.len(), MAX_BODY);
        let reason = format!("the body has {found} bytes, at most {limit} are taken");
        return Err(CscError::new("document_too_large", reason));
    }
    call.require_no_query().map_err(refuse)?;
    call.require_content_type("application/json").map_err(refuse)?;
    call.require_accepts("application/json").map_err(refuse)
}

/// The session of the call's service token.
pub(crate) fn with_session<T>(
    state: &State,
    call: &Call,
    act: impl FnOnce(&mut Session) -> Result<T, CscError>,
) -> Result<T, CscError> {
    if !call.headers.contains_key("authorization") {
        return Err(CscError::new("authentication_required", "header authorization is missing"));
    }
    let token = call.bearer().map_err(|reason| CscError::new("invalid_token", reason))?;
    if call.reject_token {
        return Err(CscError::new("invalid_token", "refused by a fault"));
    }
    let now = state.clock.now_millis();
    state.csc.sessions.with(token, now, act).unwrap_or_else(|| {
        Err(match state.tokens.find(token, now) {
            Some(_) => {
                let reason = "this is the merchant's own token, not one of oauth2/token";
                CscError::new("insufficient_scope", reason)
            }
            None => CscError::new("invalid_token", "it is unknown or has expired"),
        })
    })
}

/// Reads the body; every problem with its form is `invalid_request`.
pub(crate) fn read<T>(
    call: &Call,
    fields: impl FnOnce(&mut Section<'_>, &mut Problems) -> T,
) -> Result<T, CscError> {
    let refuse = |problems: Vec<String>| CscError::new("invalid_request", problems.join("; "));
    let json = json::parse(&call.body).map_err(|problem| refuse(vec![problem]))?;
    let mut problems = Problems::default();
    let mut section = Section::new(json, "", &mut problems);
    let value = fields(&mut section, &mut problems);
    section.end(&mut problems);
    problems.result(value).map_err(refuse)
}

/// `info` (CSC API 11.1)
fn info(state: &State, call: &Call) -> Result<Value, CscError> {
    if call.headers.contains_key("authorization") {
        let token = call.bearer().map_err(|reason| CscError::new("invalid_token", reason))?;
        let now = state.clock.now_millis();
        let known = state.tokens.find(token, now).is_some()
            || state.csc.sessions.with(token, now, |_| Ok(())).is_some();
        if !known || call.reject_token {
            return Err(CscError::new("invalid_token", "it is unknown or has expired"));
        }
    }
    read(call, |fields, problems| {
        fields.optional_string("lang", problems);
    })?;
    let base = format!("{}{PATH}", state.base_url);
    Ok(json!({
        "specs": "2.0.0.2",
        "name": "Sandbox signing service",
        "logo": format!("{base}{LOGO_PATH}"),
        "region": "NO",
        "lang": "en-US",
        "description": "A sandbox. Nothing that is signed here binds anybody.",
        "authType": ["oauth2code"],
        "oauth2": base,
        "asynchronousOperationMode": state.variants().csc_sign_hash == CscSignHash::ResponseId,
        "methods": [
            "oauth2/authorize",
            "oauth2/token",
            "credentials/list",
            "credentials/info",
            "credentials/authorize",
            "signatures/signHash",
        ],
        "validationInfo": false,
        "signAlgorithms": {"algos": algorithms::of_key(state.csc_key())},
        "signature_formats": {"formats": ["P", "C"]},
        "conformance_levels": ["Ades-B-B"],
    }))
}
