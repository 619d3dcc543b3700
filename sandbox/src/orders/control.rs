//! Playing the end user without a browser, and looking at the orders: for the control surface and
//! for Rust tests. The vocabulary is described in [`crate::control`].

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::order::OrderState;
use super::steps;
use crate::csc;
use crate::identity::authorize::{self, Refusal};
use crate::identity::callback;
use crate::identity::page::{self, Action};
use crate::identity::persons::Person;
use crate::state::State;

/// What an end user does at an authorize address.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Visit {
    /// The address that the merchant made.
    pub url: String,
    /// What happens at the signing page.
    #[serde(default)]
    pub action: Action,
    /// Who it is.
    #[serde(default)]
    pub person: Person,
}

/// The request by which the browser comes back to the merchant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Callback {
    /// Address, with its parameters unless they are in `form`.
    pub url: String,
    /// `GET`, or `POST` with response mode `form_post`.
    pub method: &'static str,
    /// The form that is posted.
    pub form: Option<String>,
}

impl From<callback::Callback> for Callback {
    fn from(back: callback::Callback) -> Self {
        let form = back.form();
        let method = if form.is_some() { "POST" } else { "GET" };
        Self { url: back.url(), method, form }
    }
}

/// Opens the address, waits for the page, presses the button. Faults on the requests of a browser
/// apply as far as they change what the service says.
pub(crate) async fn visit(state: &Arc<State>, visit: &Visit) -> Result<Callback, String> {
    if let Some(query) = visit.url.strip_prefix(&csc::oauth::address(state)) {
        return csc::oauth::visit(state, query, visit.action, visit.person).map(Into::into);
    }
    let endpoint = format!("{}{}", state.issuer(), authorize::PATH);
    let query = visit
        .url
        .strip_prefix(&endpoint)
        .and_then(|rest| rest.strip_prefix('?'))
        .ok_or_else(|| format!("the address does not begin with {endpoint}?"))?;
    let query = query.split('#').next().unwrap_or_default();
    let twist = |method: &str, path: &str| {
        let path = format!("{}{path}", crate::identity::ISSUER_PATH);
        let rule = state.faults.take_if(method, &path, |fault| fault.is_twist());
        rule.map(|(_, rule)| rule.fault)
    };
    let session = match authorize::begin(state, query, twist("GET", authorize::PATH).as_ref()) {
        Ok(session) => session,
        Err(Refusal::Back { back, .. }) => return Ok((*back).into()),
        Err(Refusal::Page(reason)) => return Err(reason),
    };
    let login = state.logins.find(&session).ok_or("the login is over already")?;
    if let Err(back) = page::arrive(state, &session, &login).await {
        return Ok(back.into());
    }
    let twist = twist("POST", page::PATH);
    let (back, _) = page::act(state, &session, visit.action, visit.person, twist.as_ref()).await?;
    Ok(back.into())
}

/// Brings an order to its end. When its end user is at the signing page, that is where they act,
/// and the way back is returned.
pub(crate) async fn finish(
    state: &Arc<State>,
    id: &str,
    action: Action,
    person: Person,
) -> Result<Option<Callback>, String> {
    if let Some(session) = state.logins.of_order(id) {
        state.orders.with(id, state.clock.now_millis(), |order| match order.state.is_final() {
            true => Err(format!("the order is {} already", order.state.name())),
            false => Ok(()),
        })?;
        let (back, _) = page::act(state, &session, action, person, None).await?;
        return Ok(Some(back.into()));
    }
    let now = state.clock.now_millis();
    match action {
        Action::Cancel => {
            state.orders.end(id, OrderState::Cancelled, "cancelled on demand", now)?;
        }
        Action::Fail => state.orders.end(id, OrderState::Failed, "failed on demand", now)?,
        Action::Sign => {
            let next = state.orders.with(id, now, |order| Ok(order.next()))?;
            if next.is_none() {
                return Err("the order is in a final state already".to_owned());
            }
            match steps::advance(state, id, OrderState::Completed, person).await? {
                OrderState::Completed => {}
                other => return Err(format!("the order is {}", other.name())),
            }
        }
    }
    Ok(None)
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(crate) struct Who {
    #[serde(default)]
    person: Person,
}

/// `POST /_sandbox/orders/<id>/<verb>`
pub(crate) async fn act(
    state: &Arc<State>,
    id: &str,
    verb: &str,
    who: Option<Who>,
) -> Result<Value, String> {
    let person = who.unwrap_or_default().person;
    let callback = match verb {
        "sign" => finish(state, id, Action::Sign, person).await?,
        "cancel" => finish(state, id, Action::Cancel, person).await?,
        "fail" => finish(state, id, Action::Fail, person).await?,
        "step" => {
            steps::step(state, id, person).await?;
            None
        }
        _ => return Err(format!("an order cannot {verb}; sign, cancel, fail and step are known")),
    };
    Ok(json!({"order": describe(state, id)?, "callback": callback}))
}

/// `GET /_sandbox/orders/<id>`
pub(crate) fn describe(state: &State, id: &str) -> Result<Value, String> {
    let now = state.clock.now_millis();
    state.orders.with(id, now, |order| Ok(order.describe(now)))
}
