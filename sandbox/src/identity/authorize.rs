//! The authorize endpoint (RFC 6749 section 4.1.1, OpenID Connect Core 1.0 section 3.1.2, RFC 7636).
//!
//! What the specification leaves open is settled like this:
//! - `scope` must hold `sign`; `openid` is taken but not asked for, as the specification names `sign`
//!   alone.
//! - PKCE is optional, and S256 only.
//! - Unknown parameters, repeated ones and empty ones are refused.
//! - Nothing is sent to a `redirect_uri` that is not the client's: such requests end on a page.
//! - Without registered addresses a client may use any https address, and http on loopback.

use http::{Method, StatusCode};

use super::callback::{Callback, Mode};
use super::clients::RegisteredClient;
use super::html;
use super::logins::Login;
use crate::faults::{Fault, Twist};
use crate::http::{Answer, Call};
use crate::json::shown;
use crate::orders::order::OrderState;
use crate::state::State;

/// Every parameter that is understood.
const PARAMETERS: [&str; 12] = [
    "client_id",
    "scope",
    "redirect_uri",
    "response_type",
    "response_mode",
    "code_challenge",
    "code_challenge_method",
    "state",
    "nonce",
    "login_hint",
    "ui_locales",
    "sign_id",
];
/// Scopes that belong to an end user.
pub(crate) const USER_SCOPES: [&str; 4] = ["openid", "profile", "nnin_altsub", "sign"];
/// Path of the endpoint under the issuer.
pub(crate) const PATH: &str = "/protocol/openid-connect/auth";

/// Why a request to the endpoint was refused.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// There is nobody to send the browser back to.
    Page(String),
    /// The browser goes back with an error.
    Back { back: Box<Callback>, norwegian: bool, reason: String },
}

impl Refusal {
    /// The answer to the browser.
    pub(crate) fn answer(self) -> Answer {
        match self {
            Self::Page(reason) => {
                html::answer(StatusCode::BAD_REQUEST, html::problem(&reason, false)).refused(reason)
            }
            Self::Back { back, norwegian, reason } => back.answer(false, norwegian).refused(reason),
        }
    }
}

/// Answers a browser: on to the signing page, back to the merchant, or a page with the reason.
pub(crate) fn answer(state: &State, call: &Call) -> Answer {
    if call.method != Method::GET {
        return Answer::method_not_allowed(&call.method, "GET");
    }
    match begin(state, call.query.as_deref().unwrap_or_default(), call.twist.as_ref()) {
        Ok(session) => {
            let page = format!("{}{}?session={session}", state.issuer(), super::page::PATH);
            Answer::redirect(StatusCode::FOUND, &page)
                .header(http::header::CACHE_CONTROL, "no-store")
        }
        Err(refusal) => refusal.answer(),
    }
}

/// The parameters of one request.
pub(crate) struct Parameters(Vec<(String, String)>);

impl Parameters {
    /// Reads a query string.
    pub(crate) fn read(query: &str) -> Result<Self, Refusal> {
        let pairs = crate::form::parse(query)
            .map_err(|error| Refusal::Page(format!("the query string is malformed: {error}")))?;
        Ok(Self(pairs))
    }

    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// What is wrong with the list as a whole, when only `known` ones may stand in it.
    pub(crate) fn problem(&self, known: &[&str]) -> Option<String> {
        self.0.iter().enumerate().find_map(|(index, (name, value))| {
            if !known.contains(&name.as_str()) {
                return Some(format!("parameter {} is unknown", shown(name)));
            }
            if value.is_empty() {
                return Some(format!("parameter {name} is empty"));
            }
            let again = self.0.iter().skip(index + 1).any(|(later, _)| later == name);
            again.then(|| format!("parameter {name} stands twice"))
        })
    }

    fn count(&self, name: &str) -> usize {
        self.0.iter().filter(|(key, _)| key == name).count()
    }
}

/// Takes an end user in; returns the session of the signing page.
pub(crate) fn begin(state: &State, query: &str, twist: Option<&Twist>) -> Result<String, Refusal> {
    let parameters = Parameters::read(query)?;
    let (client, redirect_uri) = destination(state, &parameters)?;
    let mode = parameters.get("response_mode").map(Mode::from_name);
    let back = Callback::new(
        redirect_uri,
        mode.flatten().unwrap_or_default(),
        parameters.get("state").map(str::to_owned),
    );
    let locales = parameters.get("ui_locales").unwrap_or_default();
    let norwegian = ["no", "nb", "nn"].iter().any(|code| locales.starts_with(code));
    let refuse = |error: &str, reason: String| {
        let back = Box::new(back.with_error(error, &reason));
        Refusal::Back { back, norwegian, reason: format!("{error}: {reason}") }
    };
    if let Some(Fault::AuthorizeError { error, description }) = twist {
        let description = description.as_deref().unwrap_or("an error on purpose");
        return Err(refuse(error, description.to_owned()));
    }
    if let Some(problem) = parameters.problem(&PARAMETERS) {
        return Err(refuse("invalid_request", problem));
    }
    if mode == Some(None) {
        return Err(refuse("invalid_request", "response_mode is unknown".to_owned()));
    }
    match parameters.get("response_type") {
        Some("code") => {}
        None => return Err(refuse("invalid_request", "response_type is missing".to_owned())),
        Some(other) => {
            let reason = format!("response_type {} is not served", shown(other));
            return Err(refuse("unsupported_response_type", reason));
        }
    }
    let scopes = scopes(parameters.get("scope")).map_err(|why| refuse("invalid_scope", why))?;
    let challenge = challenge(&parameters).map_err(|reason| refuse("invalid_request", reason))?;
    let sign_id = parameters
        .get("sign_id")
        .ok_or_else(|| refuse("invalid_request", "sign_id is missing".to_owned()))?;
    grab(state, sign_id, &client.id).map_err(|reason| {
        // a stranger learns only that there is no such order
        let back = Box::new(back.with_error("invalid_request", "sign_id is unknown"));
        Refusal::Back { back, norwegian, reason: format!("invalid_request: {reason}") }
    })?;
    let login = Login {
        client_id: client.id.clone(),
        sign_id: sign_id.to_owned(),
        scopes,
        nonce: parameters.get("nonce").map(str::to_owned),
        challenge,
        sent_redirect_uri: parameters.get("redirect_uri").map(str::to_owned),
        back,
        norwegian,
    };
    Ok(state.logins.open(login, &state.random))
}

type Destination = (std::sync::Arc<RegisteredClient>, String);

/// The client and where its end users go back to; anything unclear here is not redirected.
pub(crate) fn destination(state: &State, parameters: &Parameters) -> Result<Destination, Refusal> {
    let page = |reason: &str| Refusal::Page(reason.to_owned());
    for name in ["client_id", "redirect_uri"] {
        if parameters.count(name) > 1 {
            return Err(Refusal::Page(format!("parameter {name} stands twice")));
        }
    }
    let id = parameters.get("client_id").ok_or_else(|| page("client_id is missing"))?;
    let client = state
        .clients
        .find(id)
        .ok_or_else(|| Refusal::Page(format!("client_id {} is not registered", shown(id))))?;
    let registered = client.redirect_uris.as_deref();
    let uri = match (parameters.get("redirect_uri"), registered) {
        (Some(sent), Some(known)) if known.iter().any(|uri| uri == sent) => sent.to_owned(),
        (Some(sent), Some(_)) => {
            return Err(Refusal::Page(format!(
                "redirect_uri {} is not registered for this client",
                shown(sent)
            )));
        }
        (Some(sent), None) => {
            check_uri(sent).map_err(|why| {
                Refusal::Page(format!("redirect_uri {} cannot be used: {why}", shown(sent)))
            })?;
            sent.to_owned()
        }
        (None, Some([only])) => only.clone(),
        (None, _) => return Err(page("redirect_uri is missing")),
    };
    Ok((client, uri))
}

fn check_uri(text: &str) -> Result<(), &'static str> {
    if text.contains('#') {
        return Err("it has a fragment");
    }
    let uri: http::Uri = text.parse().map_err(|_| "it is malformed")?;
    let host = uri.host().ok_or("it is not absolute")?;
    match uri.scheme_str() {
        Some("https") => Ok(()),
        Some("http") if ["127.0.0.1", "localhost", "[::1]"].contains(&host) => Ok(()),
        _ => Err("it must be https, or http on loopback"),
    }
}

fn scopes(text: Option<&str>) -> Result<Vec<String>, String> {
    let text = text.ok_or("scope is missing")?;
    let scopes: Vec<String> = text.split(' ').map(str::to_owned).collect();
    if let Some(unknown) = scopes.iter().find(|scope| !USER_SCOPES.contains(&scope.as_str())) {
        return Err(format!("scope {} is unknown", shown(unknown)));
    }
    if scopes.iter().any(|scope| scope == "sign") {
        Ok(scopes)
    } else {
        Err("scope must hold sign".to_owned())
    }
}

/// The challenge of RFC 7636, which for S256 is the base64url of 32 bytes.
pub(crate) fn challenge(parameters: &Parameters) -> Result<Option<String>, String> {
    let method = parameters.get("code_challenge_method");
    let Some(challenge) = parameters.get("code_challenge") else {
        return match method {
            None => Ok(None),
            Some(_) => Err("code_challenge is missing".to_owned()),
        };
    };
    if method != Some("S256") {
        return Err("code_challenge_method must be S256".to_owned());
    }
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    if challenge.len() != 43 || !challenge.bytes().all(allowed) {
        return Err("code_challenge is not the base64url of a SHA-256".to_owned());
    }
    Ok(Some(challenge.to_owned()))
}

/// Takes the order for the end user. Who comes again before the end comes to the same order.
fn grab(state: &State, sign_id: &str, client: &str) -> Result<(), String> {
    let now = state.clock.now_millis();
    state.orders.with(sign_id, now, |order| {
        if order.client_id != client {
            return Err("the order belongs to another client".to_owned());
        }
        if order.state.is_final() {
            return Err(format!("the order is {} already", order.state.name()));
        }
        if order.state == OrderState::Received {
            order.enter(OrderState::Grabbed, now);
        }
        Ok(())
    })
}
