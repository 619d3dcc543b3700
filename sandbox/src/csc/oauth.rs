//! `oauth2/authorize` with its page, and `oauth2/token` (CSC API 8.4; RFC 6749, RFC 7636).

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::{Method, StatusCode};

use super::session::TOKEN_SECONDS;
use super::{PATH, SCOPES};
use crate::faults::{Fault, Twist};
use crate::http::{Answer, Call};
use crate::identity::authorize::{Parameters, Refusal, challenge, destination};
use crate::identity::callback::{Callback, Mode};
use crate::identity::html;
use crate::identity::page::{Action, bad, parameters};
use crate::identity::persons::Person;
use crate::identity::token::{TokenError, read_form, token_fields};
use crate::random::Random;
use crate::requests::sha256;
use crate::state::State;
use crate::sync::lock;

/// Paths below the interface.
pub(crate) const AUTHORIZE: &str = "/oauth2/authorize";
pub(crate) const PAGE: &str = "/oauth2/page";
pub(crate) const TOKEN: &str = "/oauth2/token";

/// Milliseconds a code is valid.
const CODE_MS: u64 = 60_000;
const KNOWN: [&str; 11] = [
    "response_type",
    "client_id",
    "redirect_uri",
    "scope",
    "code_challenge",
    "code_challenge_method",
    "state",
    "lang",
    "description",
    "clientData",
    "account_token",
];

/// What a merchant asked for.
#[derive(Debug)]
struct Approval {
    client_id: String,
    challenge: String,
    redirect_uri: Option<String>,
    back: Callback,
    description: Option<String>,
    norwegian: bool,
}

#[derive(Debug)]
struct Code {
    approval: Arc<Approval>,
    person: Person,
    expires_ms: u64,
}

/// End users at the page, and codes that wait to be exchanged.
#[derive(Debug, Default)]
pub(crate) struct Approvals {
    open: Mutex<HashMap<String, Arc<Approval>>>,
    codes: Mutex<HashMap<String, Code>>,
}

impl Approvals {
    pub(crate) fn clear(&self) {
        lock(&self.open).clear();
        lock(&self.codes).clear();
    }

    fn begin(&self, approval: Approval, random: &Random) -> String {
        let session = random.token();
        lock(&self.open).insert(session.clone(), Arc::new(approval));
        session
    }
}

/// The address of the authorize endpoint up to its query.
pub(crate) fn address(state: &State) -> String {
    format!("{}{PATH}{AUTHORIZE}?", state.base_url)
}

/// Answers a browser: on to the page, back to the merchant, or a page with the reason.
pub(crate) fn authorize(state: &State, call: &Call) -> Answer {
    if call.method != Method::GET {
        return Answer::method_not_allowed(&call.method, "GET");
    }
    match begin(state, call.query.as_deref().unwrap_or_default(), call.twist.as_ref()) {
        Ok(session) => {
            let page = format!("{}{PATH}{PAGE}?session={session}", state.base_url);
            Answer::redirect(StatusCode::FOUND, &page)
        }
        Err(refusal) => refusal.answer(),
    }
}

fn begin(state: &State, query: &str, twist: Option<&Twist>) -> Result<String, Refusal> {
    let parameters = Parameters::read(query)?;
    let (client, uri) = destination(state, &parameters)?;
    let back = Callback::new(uri, Mode::Query, parameters.get("state").map(str::to_owned));
    let lang = parameters.get("lang").unwrap_or_default();
    let norwegian = ["nb", "nn"].contains(&lang);
    let refuse = |error: &str, reason: String| {
        let back = Box::new(back.with_error(error, &reason));
        Refusal::Back { back, norwegian, reason: format!("{error}: {reason}") }
    };
    if let Some(Fault::AuthorizeError { error, description }) = twist {
        let description = description.as_deref().unwrap_or("an error on purpose");
        return Err(refuse(error, description.to_owned()));
    }
    if let Some(problem) = parameters.problem(&KNOWN) {
        return Err(refuse("invalid_request", problem));
    }
    match parameters.get("response_type") {
        Some("code") => {}
        None => return Err(refuse("invalid_request", "response_type is missing".to_owned())),
        Some(_) => {
            let reason = "only response_type code is served".to_owned();
            return Err(refuse("unsupported_response_type", reason));
        }
    }
    if parameters.get("scope").is_some_and(|scope| scope != "service") {
        return Err(refuse("invalid_scope", "only scope service is served".to_owned()));
    }
    let challenge = challenge(&parameters)
        .and_then(|challenge| challenge.ok_or_else(|| "code_challenge is missing".to_owned()));
    let description = parameters.get("description");
    if description.is_some_and(|text| text.chars().count() > 500) {
        let reason = "description has more than 500 characters".to_owned();
        return Err(refuse("invalid_request", reason));
    }
    let approval = Approval {
        client_id: client.id.clone(),
        challenge: challenge.map_err(|reason| refuse("invalid_request", reason))?,
        redirect_uri: parameters.get("redirect_uri").map(str::to_owned),
        description: description.map(str::to_owned),
        back,
        norwegian,
    };
    Ok(state.csc.approvals.begin(approval, &state.random))
}

/// The page, and its buttons.
pub(crate) fn page(state: &State, call: &Call) -> Answer {
    let outcome = match call.method {
        Method::GET => show(state, call),
        Method::POST => submit(state, call),
        _ => return Answer::method_not_allowed(&call.method, "GET, POST"),
    };
    outcome.unwrap_or_else(bad)
}

const OVER: &str = "this approval is unknown or over";

fn show(state: &State, call: &Call) -> Result<Answer, String> {
    let [session] = parameters(call.query_pairs()?, ["session"])?;
    let session = session.ok_or("parameter session is missing")?;
    let approval = lock(&state.csc.approvals.open).get(&session).cloned().ok_or(OVER)?;
    let page = html::approving(
        &session,
        &approval.client_id,
        approval.description.as_deref(),
        approval.norwegian,
    );
    Ok(html::answer(StatusCode::OK, page))
}

fn submit(state: &State, call: &Call) -> Result<Answer, String> {
    call.require_no_query()?;
    call.require_content_type("application/x-www-form-urlencoded")?;
    let text = std::str::from_utf8(&call.body).map_err(|_| "the form is not UTF-8")?;
    let pairs = crate::form::parse(text)?;
    let [session, action, person] = parameters(pairs, ["session", "action", "person"])?;
    let session = session.ok_or("parameter session is missing")?;
    let action = action
        .and_then(|name| Action::from_name(&name))
        .ok_or("parameter action must be sign, cancel or fail")?;
    let person = match person {
        None => Person::default(),
        Some(key) => Person::from_key(&key).ok_or("parameter person is unknown")?,
    };
    let (back, norwegian) = act(state, &session, action, person, call.twist.as_ref())?;
    Ok(back.answer(true, norwegian))
}

fn act(
    state: &State,
    session: &str,
    action: Action,
    person: Person,
    twist: Option<&Twist>,
) -> Result<(Callback, bool), String> {
    let approval = lock(&state.csc.approvals.open).remove(session).ok_or(OVER)?;
    let norwegian = approval.norwegian;
    let back = match action {
        Action::Cancel => approval.back.with_error("access_denied", "the end user cancelled"),
        Action::Fail => approval.back.with_error("server_error", "approval failed"),
        Action::Sign => {
            let code = state.random.token();
            let back = approval.back.with_code(code.clone());
            let expires_ms = state.clock.now_millis().saturating_add(CODE_MS);
            lock(&state.csc.approvals.codes).insert(code, Code { approval, person, expires_ms });
            back
        }
    };
    Ok((back.twisted(twist), norwegian))
}

/// Plays the end user without a browser.
pub(crate) fn visit(
    state: &State,
    query: &str,
    action: Action,
    person: Person,
) -> Result<Callback, String> {
    let twist = |method: &str, path: &str| {
        let path = format!("{PATH}{path}");
        let rule = state.faults.take_if(method, &path, |fault| fault.is_twist());
        rule.map(|(_, rule)| rule.fault)
    };
    match begin(state, query, twist("GET", AUTHORIZE).as_ref()) {
        Ok(session) => {
            let twist = twist("POST", PAGE);
            act(state, &session, action, person, twist.as_ref()).map(|(back, _)| back)
        }
        Err(Refusal::Back { back, .. }) => Ok(*back),
        Err(Refusal::Page(reason)) => Err(reason),
    }
}

/// A service token for a code; the bearer is the merchant's own token.
pub(crate) fn token(state: &State, call: &Call) -> Answer {
    if call.method != Method::POST {
        return Answer::method_not_allowed(&call.method, "POST");
    }
    match exchange(state, call) {
        Ok(answer) => answer.header(http::header::CACHE_CONTROL, "no-store"),
        Err(error) => error.answer(),
    }
}

fn exchange(state: &State, call: &Call) -> Result<Answer, TokenError> {
    let form = read_form(call)?;
    let bearer = call.bearer().map_err(TokenError::client)?;
    let now = state.clock.now_millis();
    let grant = state.tokens.find(bearer, now).filter(|_| !call.reject_token).ok_or_else(|| {
        TokenError::client("the bearer is no valid token of the identity provider")
    })?;
    if !grant.scopes.iter().any(|scope| SCOPES.contains(&scope.as_str())) {
        let reason = format!("the bearer needs one of the scopes {}", SCOPES.join(", "));
        return Err(TokenError::unauthorized(reason));
    }
    match form.get("grant_type") {
        Some("authorization_code") => {}
        Some(_) => return Err(TokenError::unsupported("only authorization_code is served")),
        None => return Err(TokenError::request("parameter grant_type is missing")),
    }
    if form.get("client_id").is_some_and(|id| id != grant.client_id) {
        return Err(TokenError::request("client_id differs from the bearer's client"));
    }
    let wanted = |name: &str| {
        form.get(name).ok_or_else(|| TokenError::request(format!("parameter {name} is missing")))
    };
    let (text, verifier) = (wanted("code")?, wanted("code_verifier")?);
    let mut codes = lock(&state.csc.approvals.codes);
    let code = codes
        .get(text)
        .filter(|code| now < code.expires_ms)
        .ok_or_else(|| TokenError::grant("the code is unknown, used or expired"))?;
    let approval = &code.approval;
    if approval.client_id != grant.client_id {
        return Err(TokenError::grant("the code was given to another client"));
    }
    if form.get("redirect_uri") != approval.redirect_uri.as_deref() {
        return Err(TokenError::grant("redirect_uri is not that of the authorize request"));
    }
    if URL_SAFE_NO_PAD.encode(sha256(verifier.as_bytes())) != approval.challenge {
        return Err(TokenError::grant("code_verifier does not match code_challenge"));
    }
    let person = code.person;
    codes.remove(text);
    let token = state.csc.sessions.open(grant.client_id, person, now, &state.random);
    let fields = token_fields(&token, TOKEN_SECONDS, &state.variants());
    Ok(Answer::json(StatusCode::OK, &fields.into()))
}
