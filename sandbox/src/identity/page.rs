//! The signing page: what it shows, and what its buttons do.

use std::sync::Arc;

use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, X_CONTENT_TYPE_OPTIONS};
use http::{Method, StatusCode};
use serde::Deserialize;
use signdoc_signature::sdo::DocumentKind;

use super::callback::Callback;
use super::html::{self, Shown, ShownDocument};
use super::logins::Login;
use super::persons::Person;
use crate::faults::Twist;
use crate::http::{Answer, Call};
use crate::json::shown;
use crate::orders::order::OrderState;
use crate::orders::request::{Document, Properties};
use crate::orders::steps;
use crate::state::State;

/// Path of the page under the issuer.
pub(crate) const PATH: &str = "/protocol/openid-connect/sign";
/// Path of its documents.
pub(crate) const DOCUMENT_PATH: &str = "/protocol/openid-connect/sign/document";

/// What an end user does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Signs every document.
    #[default]
    Sign,
    /// Changes their mind.
    Cancel,
    /// Meets an error while signing.
    Fail,
}

impl Action {
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        match name {
            "sign" => Some(Self::Sign),
            "cancel" => Some(Self::Cancel),
            "fail" => Some(Self::Fail),
            _ => None,
        }
    }
}

/// Answers a browser at the page.
pub(crate) async fn answer(state: &Arc<State>, call: &Call) -> Answer {
    let outcome = match call.method {
        Method::GET => show(state, call).await,
        Method::POST => submit(state, call).await,
        _ => return Answer::method_not_allowed(&call.method, "GET, POST"),
    };
    outcome.unwrap_or_else(bad)
}

/// A page that says what is wrong.
pub(crate) fn bad(reason: String) -> Answer {
    html::answer(StatusCode::BAD_REQUEST, html::problem(&reason, false)).refused(reason)
}

/// Reads parameters of which each may stand once.
pub(crate) fn parameters<const N: usize>(
    pairs: Vec<(String, String)>,
    names: [&str; N],
) -> Result<[Option<String>; N], String> {
    let mut found = [const { None }; N];
    for (name, value) in pairs {
        let place = names.iter().position(|known| *known == name);
        let Some(slot) = place.and_then(|index| found.get_mut(index)) else {
            return Err(format!("parameter {} is unknown", shown(&name)));
        };
        if slot.replace(value).is_some() {
            return Err(format!("parameter {name} stands twice"));
        }
    }
    Ok(found)
}

fn login(state: &State, session: Option<&str>) -> Result<Arc<Login>, String> {
    let session = session.ok_or("parameter session is missing")?;
    state.logins.find(session).ok_or_else(|| "this signing session is unknown or over".to_owned())
}

/// What is shown of an order.
struct View {
    properties: Properties,
    documents: Arc<Vec<Document>>,
}

fn view(state: &State, sign_id: &str) -> Result<View, String> {
    let now = state.clock.now_millis();
    state.orders.with(sign_id, now, |order| {
        Ok(View { properties: order.properties.clone(), documents: Arc::clone(&order.documents) })
    })
}

/// The page; the merchant's signatures are made before it is shown.
async fn show(state: &Arc<State>, call: &Call) -> Result<Answer, String> {
    let [session] = parameters(call.query_pairs()?, ["session"])?;
    let login = login(state, session.as_deref())?;
    let session = session.unwrap_or_default();
    match arrive(state, &session, &login).await {
        Ok(()) => page(state, &session, &login, StatusCode::OK, false),
        Err(back) => Ok(back.answer(false, login.norwegian)),
    }
}

/// Brings the order to where the end user can sign; otherwise the way back with the reason.
pub(crate) async fn arrive(
    state: &Arc<State>,
    session: &str,
    login: &Login,
) -> Result<(), Callback> {
    let person = Person::default();
    match steps::advance(state, &login.sign_id, OrderState::UserSigning, person).await {
        Ok(OrderState::UserSigning | OrderState::SecurityStore) => Ok(()),
        Ok(other) => Err(over(state, session, login, &format!("the order is {}", other.name()))),
        Err(reason) => Err(over(state, session, login, &reason)),
    }
}

fn over(state: &State, session: &str, login: &Login, reason: &str) -> Callback {
    state.logins.close(session);
    login.back.with_error("access_denied", reason)
}

fn page(
    state: &State,
    session: &str,
    login: &Login,
    status: StatusCode,
    not_understood: bool,
) -> Result<Answer, String> {
    let view = view(state, &login.sign_id)?;
    let documents = view.documents.iter().enumerate();
    let shown = Shown {
        session,
        norwegian: login.norwegian,
        order_name: &view.properties.name,
        merchant: &login.client_id,
        documents: documents
            .map(|(index, document)| ShownDocument {
                description: match document.description.as_str() {
                    "" => html::document_name(index + 1, login.norwegian),
                    text => text.to_owned(),
                },
                kind: document.content.kind.mime().to_owned(),
                bytes: document.content.shown.len(),
            })
            .collect(),
        asks_understanding: view.properties.show_understanding,
        not_understood,
    };
    Ok(html::answer(status, html::signing(&shown)))
}

/// One document, as the end user may read it.
pub(crate) fn document(state: &State, call: &Call) -> Answer {
    if call.method != Method::GET {
        return Answer::method_not_allowed(&call.method, "GET");
    }
    find_document(state, call).unwrap_or_else(bad)
}

fn find_document(state: &State, call: &Call) -> Result<Answer, String> {
    let [session, number] = parameters(call.query_pairs()?, ["session", "number"])?;
    let login = login(state, session.as_deref())?;
    let number: usize = number
        .and_then(|number| number.parse().ok())
        .ok_or("parameter number is missing or no number")?;
    let view = view(state, &login.sign_id)?;
    let document = number
        .checked_sub(1)
        .and_then(|index| view.documents.get(index))
        .ok_or("the order has no such document")?;
    let content_type = match document.content.kind {
        DocumentKind::Pdf => "application/pdf",
        // a browser would carry out what stands in the stylesheet
        _ => "text/plain; charset=utf-8",
    };
    let bytes: Bytes = document.content.shown.clone();
    Ok(Answer::new(StatusCode::OK, content_type, bytes)
        .header(CACHE_CONTROL, "no-store")
        .header(CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'")
        .header(X_CONTENT_TYPE_OPTIONS, "nosniff"))
}

/// A button was pressed.
async fn submit(state: &Arc<State>, call: &Call) -> Result<Answer, String> {
    call.require_no_query()?;
    call.require_content_type("application/x-www-form-urlencoded")?;
    let text = std::str::from_utf8(&call.body).map_err(|_| "the form is not UTF-8")?;
    let names = ["session", "action", "person", "understood"];
    let [session, action, person, understood] = parameters(crate::form::parse(text)?, names)?;
    let login = login(state, session.as_deref())?;
    let session = session.unwrap_or_default();
    let action = action
        .and_then(|name| Action::from_name(&name))
        .ok_or("parameter action must be sign, cancel or fail")?;
    let person = match person {
        None => Person::default(),
        Some(key) => Person::from_key(&key).ok_or("parameter person is unknown")?,
    };
    if understood.as_deref().is_some_and(|value| value != "yes") {
        return Err("parameter understood must be yes".to_owned());
    }
    let properties = view(state, &login.sign_id).map(|view| view.properties);
    let asks = properties.as_ref().is_ok_and(|properties| properties.show_understanding);
    if action == Action::Sign && asks && understood.is_none() {
        return page(state, &session, &login, StatusCode::UNPROCESSABLE_ENTITY, true);
    }
    let confirms = properties.is_ok_and(|properties| properties.show_confirmation);
    let (back, signed) = act(state, &session, action, person, call.twist.as_ref()).await?;
    if signed && confirms {
        let page = html::confirmation(&back, login.norwegian);
        return Ok(html::answer(StatusCode::OK, page));
    }
    Ok(back.answer(true, login.norwegian))
}

/// Does what the end user wants; returns the way back and whether it holds a code.
///
/// # Errors
/// When the session is over already.
pub(crate) async fn act(
    state: &Arc<State>,
    session: &str,
    action: Action,
    person: Person,
    twist: Option<&Twist>,
) -> Result<(Callback, bool), String> {
    // whoever closes the session decides; a second press of a button finds it gone
    let login = state
        .logins
        .close(session)
        .ok_or_else(|| "this signing session is unknown or over".to_owned())?;
    let id = login.sign_id.as_str();
    let denied = |reason: &str| login.back.with_error("access_denied", reason);
    let now = state.clock.now_millis();
    let back = match action {
        Action::Cancel => {
            let reason = "the end user cancelled";
            let ended = state.orders.end(id, OrderState::Cancelled, reason, now);
            denied(ended.as_ref().map_or_else(String::as_str, |()| reason))
        }
        Action::Fail => {
            let reason = "signing failed";
            let ended = state.orders.end(id, OrderState::Failed, reason, now);
            denied(ended.as_ref().map_or_else(String::as_str, |()| reason))
        }
        Action::Sign => match steps::advance(state, id, OrderState::Completed, person).await {
            Ok(OrderState::Completed) => {
                let back = granted(state, &login, person).twisted(twist);
                return Ok((back, true));
            }
            Ok(other) => denied(&format!("the order is {}", other.name())),
            Err(reason) => denied(&reason),
        },
    };
    Ok((back.twisted(twist), false))
}

/// The way back with a code for whoever signed.
pub(crate) fn granted(state: &State, login: &Arc<Login>, person: Person) -> Callback {
    let now = state.clock.now_millis();
    let signer = state.orders.with(&login.sign_id, now, |order| Ok(order.signer));
    let person = signer.ok().flatten().unwrap_or(person);
    let code = state.logins.grant(Arc::clone(login), person, now, &state.random);
    login.back.with_code(code)
}
