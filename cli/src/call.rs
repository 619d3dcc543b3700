//! Waiting for calls and for work, so that Ctrl-C ends them.

use std::future::Future;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

use signdoc::engine::Engine;
use signdoc::trace::Level;
use signdoc::{Client, Code, Error, Result, Trace};

use crate::Interrupted;
use crate::stop::Hold;

/// How often a call under way is looked at: often enough to end within 100 ms of a Ctrl-C.
pub(crate) const LOOK: Duration = Duration::from_millis(40);
/// How long a cancelled call may take to put its partial files away.
pub(crate) const PATIENCE: Duration = Duration::from_secs(2);

/// Makes one call and waits for its end, or for Ctrl-C.
pub(crate) fn run<T, F>(
    engine: &Engine,
    interrupted: Interrupted<'_>,
    make: impl FnOnce(Client) -> F,
) -> Result<T>
where
    T: Send + 'static,
    F: Future<Output = Result<T>> + Send + 'static,
{
    let task = engine.start(make)?;
    loop {
        if let Some(result) = task.wait(LOOK) {
            return result;
        }
        if interrupted.is_wanted() {
            task.cancel();
            let _ = task.wait(PATIENCE);
            return Err(cancelled());
        }
    }
}

/// As [`run`], for a call that is not ended by the first Ctrl-C: it is told `first` by it, and only
/// the next one ends the waiting.
pub(crate) fn run_through<T, F>(
    engine: &Engine,
    interrupted: Interrupted<'_>,
    make: impl FnOnce(Client) -> F,
    mut first: impl FnMut(),
) -> Result<T>
where
    T: Send + 'static,
    F: Future<Output = Result<T>> + Send + 'static,
{
    let _hold = Hold::begin();
    let task = engine.start(make)?;
    let (before, mut told) = (interrupted.count(), None);
    loop {
        if let Some(result) = task.wait(LOOK) {
            return result;
        }
        let stops = interrupted.count();
        match told {
            None if stops > before => {
                told = Some(stops);
                first();
            }
            Some(told) if stops > told => {
                task.cancel();
                let _ = task.wait(PATIENCE);
                return Err(cancelled());
            }
            _ => {}
        }
    }
}

/// Does work that asks nobody on a thread of its own, and waits for its end or for Ctrl-C.
pub(crate) fn work<T: Send + 'static>(
    interrupted: Interrupted<'_>,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T> {
    let (sender, receiver) = sync_channel(1);
    let defect = |why: &str| Error::new(Code::Internal, format!("the work on a file {why}"));
    // After Ctrl-C nobody waits for it any more; it changes nothing.
    let run = move || {
        let _ = sender.send(work());
    };
    std::thread::Builder::new()
        .spawn(run)
        .map_err(|error| defect(&format!("cannot start: {error}")))?;
    loop {
        match receiver.recv_timeout(LOOK) {
            Ok(done) => return Ok(done),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(defect("ended without a result; this is a defect of the program"));
            }
            Err(RecvTimeoutError::Timeout) if interrupted.is_wanted() => return Err(cancelled()),
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

/// What a call has to say that is no error. Where there is a log, it says so itself.
pub(crate) fn warnings(trace: &Trace) -> Vec<String> {
    let events = trace.take_events();
    if std::env::var_os("SIGNDOC_LOG").is_some() {
        return Vec::new();
    }
    let warnings = events.into_iter().filter(|event| event.level == Level::Warning);
    warnings.map(|event| event.message).collect()
}

pub(crate) fn cancelled() -> Error {
    Error::new(Code::Cancelled, "interrupted")
}
