//! Waiting for work on the engine's threads; meanwhile the caller's functions are told of it.

use std::future::Future;
use std::time::Duration;

use signdoc_core::engine::{Engine, Task};
use signdoc_core::{Client, Error, Result};

use crate::call::Watch;

/// How often a waiting call looks whether it was cancelled, and tells what is new.
pub(crate) const TICK: Duration = Duration::from_millis(20);

/// How long a call that ended early may take to let go of its files and connection.
pub(crate) const LETTING_GO: Duration = Duration::from_secs(1);

/// How long a call without a view is waited for in one go.
const LONG: Duration = Duration::from_secs(3600);

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
    watch.map_or(Ok(()), Watch::check)?;
    let task = engine.start(make)?;
    let Some(watch) = watch else { return unwatched(&task) };
    loop {
        let ended = task.wait(TICK);
        let told = watch.tell();
        if let Some(outcome) = ended {
            watch.claimed();
            return outcome;
        }
        if let Err(stopped) = watch.check().and(told) {
            return stop(&task, watch, stopped);
        }
    }
}

fn unwatched<T>(task: &Task<T>) -> Result<T> {
    loop {
        if let Some(outcome) = task.wait(LONG) {
            return outcome;
        }
    }
}

fn stop<T>(task: &Task<T>, watch: &Watch, stopped: Error) -> Result<T> {
    task.cancel();
    match task.wait(LETTING_GO) {
        // What was done already is not thrown away.
        Some(Ok(value)) => {
            watch.claimed();
            Ok(value)
        }
        _ => Err(watch.left(stopped)),
    }
}
