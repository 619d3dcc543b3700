//! A value that one thread waits for and another one brings.
//!
//! Locks and condition variables, not the channels of the standard library: those make a thread
//! handle for whoever waits, and on the main thread of a C program nothing ever frees it.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The waiting side.
#[derive(Debug)]
pub struct Slot<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
}

#[derive(Debug)]
enum State<T> {
    Waiting,
    Here(T),
    /// Whoever should bring the value is gone.
    Forsaken,
}

/// Brings the value, or by its end says that nobody will.
#[derive(Debug)]
pub struct Bringer<T>(Arc<Slot<T>>);

/// Nothing will come: whoever should bring the value is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Forsaken;

impl<T> Slot<T> {
    /// Both sides of a value that is to come.
    #[must_use]
    pub fn new() -> (Arc<Self>, Bringer<T>) {
        let slot = Arc::new(Self { state: Mutex::new(State::Waiting), changed: Condvar::new() });
        (slot.clone(), Bringer(slot))
    }

    /// Waits at most `patience`; `None` when there is nothing yet.
    pub fn wait_for(&self, patience: Duration) -> Option<Result<T, Forsaken>> {
        let still = |state: &mut State<T>| matches!(state, State::Waiting);
        let waited = self.changed.wait_timeout_while(self.lock(), patience, still);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        taken(&mut state)
    }

    /// Waits for as long as it takes.
    ///
    /// # Errors
    /// [`Forsaken`] when nothing will come.
    pub fn wait(&self) -> Result<T, Forsaken> {
        let still = |state: &mut State<T>| matches!(state, State::Waiting);
        let waited = self.changed.wait_while(self.lock(), still);
        let mut state = waited.unwrap_or_else(PoisonError::into_inner);
        taken(&mut state).unwrap_or(Err(Forsaken))
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
}

fn taken<T>(state: &mut State<T>) -> Option<Result<T, Forsaken>> {
    match std::mem::replace(state, State::Forsaken) {
        State::Waiting => {
            *state = State::Waiting;
            None
        }
        State::Here(value) => Some(Ok(value)),
        State::Forsaken => Some(Err(Forsaken)),
    }
}

impl<T> Bringer<T> {
    /// Brings the value.
    pub fn bring(self, value: T) {
        self.0.settle(State::Here(value));
    }
}

impl<T> Drop for Bringer<T> {
    fn drop(&mut self) {
        self.0.settle(State::Forsaken);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_waited_for_and_taken_once() {
        let (slot, bringer) = Slot::new();
        assert_eq!(slot.wait_for(Duration::ZERO), None);
        bringer.bring(7);
        assert_eq!(slot.wait_for(Duration::ZERO), Some(Ok(7)));
        assert_eq!(slot.wait(), Err(Forsaken));
    }

    #[test]
    fn whoever_waits_learns_that_nothing_will_come() {
        let (slot, bringer) = Slot::<()>::new();
        let waiting = std::thread::spawn(move || slot.wait());
        drop(bringer);
        assert_eq!(waiting.join().unwrap(), Err(Forsaken));
    }
}
