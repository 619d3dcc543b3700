//! Where the interpreter is let go of while a call is under way.

use std::time::Duration;

use pyo3::prelude::*;
use signdoc::engine::Task;
use signdoc::{Error, Result};

/// How long a signal may go unnoticed. Ctrl-C must end a call within 100 ms.
pub(crate) const TICK: Duration = Duration::from_millis(50);

/// How long a cancelled call may take to let go of its files.
const LETTING_GO: Duration = Duration::from_millis(30);

/// Waits for the end of `task`; `look` is called now and then, and once at the end.
///
/// A signal whose handler raises, or an exception of `look`, cancels the task.
pub(crate) fn wait<T: Send>(
    py: Python<'_>,
    mut task: Task<T>,
    mut look: impl FnMut() -> PyResult<()>,
) -> PyResult<Result<T, Error>> {
    loop {
        let answer;
        (task, answer) = py.detach(move || {
            let answer = task.wait(TICK);
            (task, answer)
        });
        // A call that has ended hands over what it did; a signal waits for the next instruction.
        let looked =
            if answer.is_some() { look() } else { py.check_signals().and_then(|()| look()) };
        match (answer, looked) {
            (_, Err(interruption)) => {
                task.cancel();
                py.detach(move || drop(task.wait(LETTING_GO)));
                return Err(interruption);
            }
            (Some(answer), Ok(())) => return Ok(answer),
            (None, Ok(())) => {}
        }
    }
}
