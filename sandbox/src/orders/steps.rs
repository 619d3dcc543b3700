//! Moving an order on: one state at a time, with the work that leads to the next one.

use std::sync::Arc;

use tokio::task::spawn_blocking;

use super::order::{Kind, Order, OrderState, Signed};
use super::pades::{self, Progress, Role};
use super::request::Document;
use super::sdo;
use crate::authority::{Holder, time};
use crate::identity::persons::Person;
use crate::state::State;

const BROKEN_OFF: &str = "signing broke off";

/// Work that takes time, done without holding the orders.
struct Work {
    client_id: String,
    order_name: String,
    visual_seals: bool,
    documents: Arc<Vec<Document>>,
    progress: Arc<Vec<Progress>>,
    person: Person,
    task: Task,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Task {
    MerchantSignatures,
    EndUserSignatures,
    SecurityStore,
    SignedDataObjects,
}

/// What the work brought.
enum Done {
    Progress(Vec<Progress>),
    Signed(Vec<Signed>),
}

/// Moves an order one state on; returns the new state. Goes on when the caller goes away.
pub(crate) async fn step(
    state: &Arc<State>,
    id: &str,
    person: Person,
) -> Result<OrderState, String> {
    let (state, id) = (Arc::clone(state), id.to_owned());
    let task = tokio::spawn(async move { one(&state, &id, person).await });
    task.await.unwrap_or_else(|_| Err(BROKEN_OFF.to_owned()))
}

/// Moves an order on until it is in `target` or final; returns its state then. Goes on when the
/// caller goes away: an end user who closes the browser after signing has signed.
pub(crate) async fn advance(
    state: &Arc<State>,
    id: &str,
    target: OrderState,
    person: Person,
) -> Result<OrderState, String> {
    let (state, id) = (Arc::clone(state), id.to_owned());
    let task = tokio::spawn(async move {
        let now = state.clock.now_millis();
        let mut current = state.orders.with(&id, now, |order| Ok(order.state))?;
        while current != target && !current.is_final() {
            current = one(&state, &id, person).await?;
        }
        Ok(current)
    });
    task.await.unwrap_or_else(|_| Err(BROKEN_OFF.to_owned()))
}

async fn one(state: &Arc<State>, id: &str, person: Person) -> Result<OrderState, String> {
    let now = state.clock.now_millis();
    let (before, next, work) = state.orders.with(id, now, |order| begin(order, person, now))?;
    let Some(work) = work else { return Ok(next) };
    let shared = Arc::clone(state);
    let done = spawn_blocking(move || work.run(&shared)).await;
    let now = state.clock.now_millis();
    state.orders.with(id, now, |order| {
        order.busy = false;
        if order.state != before {
            return Err(format!("the order is {} meanwhile", order.state.name()));
        }
        match done {
            Ok(Ok(Done::Progress(progress))) => order.progress = Arc::new(progress),
            Ok(Ok(Done::Signed(signed))) => order.signed = Arc::new(signed),
            Ok(Err(error)) => return Err(fail(order, error, now)),
            Err(_) => return Err(fail(order, BROKEN_OFF.to_owned(), now)),
        }
        if before == OrderState::UserSigning {
            order.signer = Some(person);
        }
        order.enter(next, now);
        Ok(next)
    })
}

fn fail(order: &mut Order, error: String, now: u64) -> String {
    order.enter(OrderState::Failed, now);
    order.note = Some(error.clone());
    error
}

type Begun = (OrderState, OrderState, Option<Work>);

fn begin(order: &mut Order, person: Person, now: u64) -> Result<Begun, String> {
    let before = order.state;
    let Some(next) = order.next() else {
        return Err(format!("the order is {} already", before.name()));
    };
    if order.busy {
        return Err(format!("the order is {} and being worked on", before.name()));
    }
    let task = match (before, order.kind) {
        (OrderState::MerchantSeals, _) => Task::MerchantSignatures,
        (OrderState::UserSigning, Kind::Pades) => Task::EndUserSignatures,
        (OrderState::UserSigning, Kind::Sdo) => Task::SignedDataObjects,
        (OrderState::SecurityStore, _) => Task::SecurityStore,
        _ => {
            order.enter(next, now);
            return Ok((before, next, None));
        }
    };
    order.busy = true;
    let progress = if order.progress.is_empty() {
        Arc::new(order.documents.iter().map(Progress::new).collect())
    } else {
        Arc::clone(&order.progress)
    };
    let work = Work {
        client_id: order.client_id.clone(),
        order_name: order.properties.name.clone(),
        visual_seals: order.visual_seals,
        documents: Arc::clone(&order.documents),
        progress,
        person,
        task,
    };
    Ok((before, next, Some(work)))
}

impl Work {
    fn run(&self, state: &State) -> Result<Done, String> {
        let text = |error: signdoc_signature::pki::PkiError| error.to_string();
        let pki = state.authority.pki(&state.random, &state.clock)?;
        let at = time(state.clock.now_unix());
        let merchant = Holder::Merchant(self.client_id.clone());
        let holder = match self.task {
            Task::MerchantSignatures => merchant.clone(),
            _ => Holder::Person(self.person),
        };
        let signer = state.authority.identity(pki, holder).map_err(text)?;
        let role = match self.task {
            Task::MerchantSignatures => Role::Merchant,
            _ => Role::EndUser,
        };
        let by = pades::Signing {
            pki,
            signer: &signer,
            role,
            order_name: &self.order_name,
            visual_seals: self.visual_seals,
            at,
        };
        let each = self.documents.iter().zip(self.progress.iter());
        match self.task {
            Task::MerchantSignatures | Task::EndUserSignatures => each
                .map(|(document, progress)| match role {
                    Role::Merchant if document.end_user_only => Ok(progress.clone()),
                    _ => progress.signed(document, by),
                })
                .collect::<Result<_, _>>()
                .map(Done::Progress),
            Task::SecurityStore => each
                .map(|(document, progress)| progress.finished(document, pki, at))
                .collect::<Result<_, _>>()
                .map(Done::Signed),
            Task::SignedDataObjects => {
                let merchant = state.authority.identity(pki, merchant).map_err(text)?;
                let seal = state.authority.identity(pki, Holder::Sealing).map_err(text)?;
                let by =
                    sdo::Signers { pki, merchant: &merchant, end_user: &signer, seal: &seal, at };
                let signed = self.documents.iter().map(|document| sdo::sign(document, by));
                signed.collect::<Result<_, _>>().map(Done::Signed)
            }
        }
    }
}
