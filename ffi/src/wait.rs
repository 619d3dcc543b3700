//! Waiting for work on the engine's threads.
//!
//! Locks and condition variables, not the channels of the standard library: those make a thread
//! handle for whoever waits, and on the main thread of a C program nothing ever frees it.

use std::future::Future;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use signdoc_core::engine::Engine;
use signdoc_core::{Client, Code, Error, Result};

use crate::call::Watch;

/// How often a waiting call looks whether it was cancelled.
const TICK: Duration = Duration::from_millis(20);

/// How long a cancelled call may take to let go of its files and connection.
const LETTING_GO: Duration = Duration::from_secs(1);

/// A value that one thread waits for and another one brings.
pub(crate) struct Slot<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
}

enum State<T> {
    Waiting,
    Here(T),
    /// Whoever should bring the value is gone.
    Forsaken,
}

/// Brings the value, or by its end says that nobody will.
pub(crate) struct Bringer<T>(Arc<Slot<T>>);

impl<T> Slot<T> {
    pub(crate) fn new() -> (Arc<Self>, Bringer<T>) {
        let slot = Arc::new(Self { state: Mutex::new(State::Waiting), changed: Condvar::new() });
        (slot.clone(), Bringer(slot))
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn settle(&self, outcome: State<T>) {
        let mut state = self.lock();
        if matches!(*state, State::Waiting) {
            *state = outcome;
            self.changed.notify_all();
        }
    }

    /// Waits at most `patience`; `None` when there is nothing yet, an error when nothing will come.
    fn wait_for(&self, patience: Duration) -> Option<Result<T, ()>> {
        let still = |state: &mut State<T>| matches!(state, State::Waiting);
        let waited = self.changed.wait_timeout_while(self.lock(), patience, still);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        taken(&mut state)
    }

    /// Waits for as long as it takes; an error when nothing will come.
    pub(crate) fn wait(&self) -> Result<T, ()> {
        let still = |state: &mut State<T>| matches!(state, State::Waiting);
        let waited = self.changed.wait_while(self.lock(), still);
        let mut state = waited.unwrap_or_else(PoisonError::into_inner);
        taken(&mut state).unwrap_or(Err(()))
    }
}

fn taken<T>(state: &mut State<T>) -> Option<Result<T, ()>> {
    match std::mem::replace(state, State::Forsaken) {
        State::Waiting => {
            *state = State::Waiting;
            None
        }
        State::Here(value) => Some(Ok(value)),
        State::Forsaken => Some(Err(())),
    }
}

impl<T> Bringer<T> {
    fn bring(self, value: T) {
        self.0.settle(State::Here(value));
    }
}

impl<T> Drop for Bringer<T> {
    fn drop(&mut self) {
        self.0.settle(State::Forsaken);
    }
}

/// Runs work on the engine's threads and waits for its end, or for `watch` to end it.
pub(crate) fn run<T, F>(
    engine: &Engine,
    watch: Option<&Watch>,
    make: impl FnOnce(Client) -> F,
) -> Result<T>
where
    T: Send + 'static,
    F: Future<Output = Result<T>> + Send + 'static,
{
    if watch.is_some_and(Watch::is_cancelled) {
        return Err(cancelled());
    }
    let (slot, bringer) = Slot::new();
    let task = engine.start(|client| {
        let work = make(client);
        async move {
            bringer.bring(work.await);
            Ok(())
        }
    })?;
    let outcome = watch.map_or_else(|| Some(slot.wait()), |watch| wait_watched(&slot, watch));
    if let Some(outcome) = outcome {
        return outcome.unwrap_or_else(|()| Err(forsaken()));
    }
    task.cancel();
    match slot.wait_for(LETTING_GO) {
        // What was done already is not thrown away.
        Some(Ok(Ok(value))) => Ok(value),
        _ => Err(cancelled()),
    }
}

/// `None` when the call was cancelled.
fn wait_watched<T>(slot: &Slot<T>, watch: &Watch) -> Option<Result<T, ()>> {
    while !watch.is_cancelled() {
        if let Some(outcome) = slot.wait_for(TICK) {
            return Some(outcome);
        }
    }
    None
}

fn cancelled() -> Error {
    Error::new(Code::Cancelled, "the call was ended by signdoc_call_cancel")
}

fn forsaken() -> Error {
    Error::new(Code::Internal, "the call ended without a result; this is a defect of the library")
}
