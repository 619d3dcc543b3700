//! The orders of one sandbox, and what became of those that are gone.

use std::collections::{BTreeMap, HashMap};
use std::sync::Mutex;

use serde_json::{Value, json};

use super::order::{Kind, Order, OrderState};
use crate::sync::lock;

/// How many gone orders are remembered with their reason.
const REMEMBERED: usize = 10_000;

/// All orders. Time is let pass whenever one is looked at.
#[derive(Debug, Default)]
pub(crate) struct Orders(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    /// By number of creation, so that a list is in order.
    open: BTreeMap<u64, Order>,
    numbers: HashMap<String, u64>,
    gone: HashMap<String, String>,
    last: u64,
}

impl Kept {
    fn forget(&mut self, id: &str, why: &str) -> Option<Order> {
        let order = self.open.remove(&self.numbers.remove(id)?);
        if self.gone.len() < REMEMBERED {
            self.gone.insert(id.to_owned(), why.to_owned());
        }
        order
    }

    /// An order that is valid now; the error says why there is none.
    fn find(&mut self, id: &str, now_ms: u64) -> Result<&mut Order, String> {
        let number = self.numbers.get(id).copied();
        let settled =
            number.and_then(|number| self.open.get_mut(&number)).map(|o| o.settle(now_ms));
        match settled {
            Some(Ok(())) => number
                .and_then(|number| self.open.get_mut(&number))
                .ok_or_else(|| "no such order".to_owned()),
            Some(Err(why)) => {
                self.forget(id, why);
                Err(format!("the order is no longer valid: {why}"))
            }
            None => Err(match self.gone.get(id) {
                Some(why) => format!("the order is no longer there: {why}"),
                None => "no order has this sign_id".to_owned(),
            }),
        }
    }
}

impl Orders {
    /// Takes a new order.
    pub(crate) fn add(&self, order: Order) {
        let mut kept = lock(&self.0);
        kept.last += 1;
        let number = kept.last;
        kept.numbers.insert(order.id.clone(), number);
        kept.open.insert(number, order);
    }

    /// Does something with an order that is valid at `now_ms`.
    pub(crate) fn with<T>(
        &self,
        id: &str,
        now_ms: u64,
        act: impl FnOnce(&mut Order) -> Result<T, String>,
    ) -> Result<T, String> {
        act(lock(&self.0).find(id, now_ms)?)
    }

    /// The same for an order of this kind and client; others are as good as unknown.
    pub(crate) fn with_own<T>(
        &self,
        (id, kind, client): (&str, Kind, &str),
        now_ms: u64,
        act: impl FnOnce(&mut Order) -> Result<T, String>,
    ) -> Result<T, String> {
        self.with(id, now_ms, |order| {
            if order.kind != kind {
                return Err(format!("the order is of kind {}", order.kind.name()));
            }
            if order.client_id != client {
                return Err("the order belongs to another client".to_owned());
            }
            act(order)
        })
    }

    /// Hands an order out for good.
    pub(crate) fn take(&self, own: (&str, Kind, &str), now_ms: u64) -> Result<Order, String> {
        self.with_own(own, now_ms, |_| Ok(()))?;
        let taken = lock(&self.0).forget(own.0, "it was downloaded and deleted");
        taken.ok_or_else(|| "no order has this sign_id".to_owned())
    }

    /// Ends an order that is not final.
    pub(crate) fn end(
        &self,
        id: &str,
        state: OrderState,
        note: &str,
        now_ms: u64,
    ) -> Result<(), String> {
        self.with(id, now_ms, |order| {
            if order.state.is_final() {
                return Err(format!("the order is {} already", order.state.name()));
            }
            order.enter(state, now_ms);
            order.note = Some(note.to_owned());
            Ok(())
        })
    }

    /// Every order, and for those that are gone the reason.
    pub(crate) fn list(&self, now_ms: u64) -> Value {
        let mut kept = lock(&self.0);
        let ids: Vec<String> = kept.open.values().map(|order| order.id.clone()).collect();
        for id in ids {
            // who is no longer valid leaves the list here
            let _ = kept.find(&id, now_ms);
        }
        let open: Vec<Value> = kept.open.values().map(|order| order.describe(now_ms)).collect();
        json!({"orders": open, "gone": kept.gone})
    }

    /// Forgets everything.
    pub(crate) fn clear(&self) {
        let mut kept = lock(&self.0);
        kept.open.clear();
        kept.numbers.clear();
        kept.gone.clear();
    }
}
