//! Waiting for calls and for work, so that Ctrl-C ends them.

use std::future::Future;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

use signdoc::engine::Engine;
use signdoc::{Client, Code, Error, Result};

use crate::Interrupted;

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
        if interrupted() {
            task.cancel();
            let _ = task.wait(PATIENCE);
            return Err(cancelled());
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
            Err(RecvTimeoutError::Timeout) if interrupted() => return Err(cancelled()),
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

pub(crate) fn cancelled() -> Error {
    Error::new(Code::Cancelled, "interrupted")
}
