//! Any number of documents: pulled from Python, and handed back, by the thread that asks for the
//! next result.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use signdoc::conversion::BatchOptions;
use signdoc::engine::{BatchRun, Engine, Next};
use signdoc::{CallOptions, Error};

use crate::documents::{document, give_back};
use crate::engine::Told;
use crate::errors::{guarded, raised};
use crate::results::{Row, to_python};
use crate::wait::TICK;

struct Run {
    run: BatchRun<Arc<Engine>>,
    call: CallOptions,
    taken: usize,
    allow_signed: bool,
}

/// A batch under way. While one thread waits for its next result, it is not in here.
#[pyclass(frozen, module = "signdoc._native")]
pub(crate) struct Batch(Mutex<Option<Run>>);

impl Batch {
    pub(crate) fn new(
        engine: Arc<Engine>,
        options: BatchOptions,
        allow_signed: bool,
    ) -> Result<Self, Error> {
        let call = options.call.clone();
        let run = BatchRun::new(engine, options)?;
        Ok(Self(Mutex::new(Some(Run { run, call, taken: 0, allow_signed }))))
    }

    fn put(&self, run: Option<Run>) -> Option<Run> {
        std::mem::replace(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner), run)
    }
}

#[pymethods]
impl Batch {
    /// The next result, or `None` when there are no more. `pull()` gives the next document, or
    /// `None` at the end. Whatever it raises ends the batch, and so does a signal.
    #[pyo3(signature = (pull, *, log))]
    fn next<'py>(
        &self,
        py: Python<'py>,
        pull: &Bound<'py, PyAny>,
        log: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Option<Row<'py>>> {
        guarded(py, || {
            let busy = "this batch has ended, or another thread waits for it";
            let mut run = self.put(None).ok_or_else(|| PyRuntimeError::new_err(busy))?;
            let told = Told { log, ..Told::default() };
            let row = loop {
                let next;
                (run, next) = py.detach(move || {
                    let next = run.run.next(TICK);
                    (run, next)
                });
                told.look(&run.call, &mut None)?;
                match next.map_err(|error| raised(py, &error))? {
                    Next::Result(conversion) => break Some(to_python(py, *conversion)?),
                    Next::Finished => break None,
                    Next::Pending => py.check_signals()?,
                    Next::WantsInput => run.feed(py, pull)?,
                }
            };
            self.put(Some(run));
            give_back(py);
            Ok(row)
        })
    }

    /// Ends the calls under way.
    fn cancel(&self, py: Python<'_>) {
        let run = self.put(None);
        py.detach(|| drop(run));
        give_back(py);
    }
}

impl Run {
    fn feed(&mut self, py: Python<'_>, pull: &Bound<'_, PyAny>) -> PyResult<()> {
        let given = pull.call0()?;
        let pushed = if given.is_none() {
            py.detach(|| self.run.end())
        } else {
            let document = document(self.taken, &given)?.allow_signed(self.allow_signed);
            self.taken += 1;
            py.detach(|| self.run.push(document))
        };
        pushed.map_err(|error| raised(py, &error))
    }
}
