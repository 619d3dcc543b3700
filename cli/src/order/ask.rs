//! Asking for an order's state, again and again, on the engine's threads.

use std::time::{Duration, Instant};

use signdoc::engine::{Engine, Task};
use signdoc::order::OrderKind;
use signdoc::spec::PadesState;
use signdoc::{CallOptions, Client, OrderRef, Result, StateWatch, WaitOptions};

use crate::call::LOOK;

/// How long one question may take once the results can be fetched: 90 seconds run meanwhile.
const HURRY: Duration = Duration::from_secs(6);
/// Between two questions then.
const SOON: Duration = Duration::from_secs(1);
/// After an answer that tells no state: as long as the client lets pass between questions.
const LATER: Duration = Duration::from_secs(5);

/// The state by its text.
pub(super) async fn state(
    client: &Client,
    kind: OrderKind,
    order: OrderRef,
    options: &CallOptions,
) -> Result<String> {
    match kind {
        OrderKind::Pades => {
            client.pades().state(order, options).await.map(|state| state.as_str().to_owned())
        }
        OrderKind::Sdo => {
            client.sdo().state(order, options).await.map(|state| state.as_str().to_owned())
        }
    }
}

async fn wait(
    client: &Client,
    kind: OrderKind,
    order: OrderRef,
    options: &WaitOptions,
) -> Result<String> {
    match kind {
        OrderKind::Pades => {
            client.pades().wait(order, options).await.map(|state| state.as_str().to_owned())
        }
        OrderKind::Sdo => {
            client.sdo().wait(order, options).await.map(|state| state.as_str().to_owned())
        }
    }
}

/// Whether the order changes no more by itself.
pub(super) fn is_final(state: &str) -> bool {
    PadesState::from_text(state).is_final()
}

/// Asks as long as somebody looks at it.
pub(super) struct Asker<'a> {
    engine: &'a Engine,
    kind: OrderKind,
    order: OrderRef,
    states: StateWatch,
    under_way: Option<(Task<String>, bool)>,
    next: Instant,
    /// What single questions brought.
    told: Option<String>,
}

impl<'a> Asker<'a> {
    pub(super) fn new(engine: &'a Engine, kind: OrderKind, order: OrderRef) -> Self {
        let (states, next) = (StateWatch::default(), Instant::now());
        Self { engine, kind, order, states, under_way: None, next, told: None }
    }

    /// The latest state.
    pub(super) fn latest(&self) -> Option<String> {
        self.told.clone().or_else(|| self.states.state())
    }

    /// Looks, for a moment, what came. `in_a_hurry` asks question by question, so that one that
    /// is not answered is noticed at once; else the client bridges outages.
    pub(super) fn poll(&mut self, in_a_hurry: bool) -> Result<Option<Result<String>>> {
        if self.under_way.as_ref().is_some_and(|(_, hurried)| in_a_hurry && !hurried) {
            // Dropped, it is cancelled.
            self.under_way = None;
            self.next = Instant::now();
        }
        if self.under_way.is_none() {
            if Instant::now() < self.next {
                std::thread::sleep(LOOK);
                return Ok(None);
            }
            self.under_way = Some((self.start(in_a_hurry)?, in_a_hurry));
        }
        let Some(ended) = self.under_way.as_ref().and_then(|(task, _)| task.wait(LOOK)) else {
            return Ok(None);
        };
        self.under_way = None;
        self.next = Instant::now() + if in_a_hurry { SOON } else { LATER };
        if let Ok(state) = &ended {
            self.told = Some(state.clone());
        }
        Ok(Some(ended))
    }

    fn start(&self, in_a_hurry: bool) -> Result<Task<String>> {
        let (kind, order) = (self.kind, self.order.clone());
        if in_a_hurry {
            let options = CallOptions { timeout: Some(HURRY), ..CallOptions::default() };
            return self
                .engine
                .start(|client| async move { state(&client, kind, order, &options).await });
        }
        let options = WaitOptions { watch: self.states.clone(), ..WaitOptions::default() };
        self.engine.start(|client| async move { wait(&client, kind, order, &options).await })
    }
}
