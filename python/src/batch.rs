//! Any number of documents: given by Python, and handed back, by the thread that asks for the next
//! result.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use signdoc::Error;
use signdoc::conversion::BatchOptions;
use signdoc::engine::{BatchRun, Engine, Next};

use crate::bell::Bell;
use crate::buffer::give_back;
use crate::call::{Listeners, TICK, Told};
use crate::documents::{Limit, document};
use crate::errors::{guarded, raised};
use crate::results::{Row, to_python};

struct Run {
    run: BatchRun<Arc<Engine>>,
    told: Told,
    given: usize,
    /// Whether documents that are signed are converted, and what to.
    conversion: (bool, String),
}

/// A batch under way. While one thread waits for its next result, it is not in here.
#[pyclass(frozen, module = "signdoc._native")]
pub(crate) struct Batch(Mutex<Option<Run>>);

/// What [`Batch::step`] found: a result, or which of the others.
type Step<'py> = (&'static str, Option<Row<'py>>);

impl Batch {
    pub(crate) fn new(
        engine: Arc<Engine>,
        options: BatchOptions,
        conversion: (bool, String),
    ) -> Result<Self, Error> {
        let told = Told::new(options.call.clone());
        let run = BatchRun::new(engine, options)?;
        Ok(Self(Mutex::new(Some(Run { run, told, given: 0, conversion }))))
    }

    fn put(&self, run: Option<Run>) -> Option<Run> {
        std::mem::replace(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner), run)
    }

    fn take(&self) -> PyResult<Run> {
        let busy = "this batch has ended, or another thread waits for it";
        self.put(None).ok_or_else(|| PyRuntimeError::new_err(busy))
    }
}

#[pymethods]
impl Batch {
    /// What is next: `("result", row)`, `("wants", None)` when a document or the end can be given,
    /// `("pending", None)` when nothing is known yet, or `("finished", None)`. With `wait`, it is
    /// never pending. Whatever is raised ends the batch, and so does a signal.
    #[pyo3(signature = (*, wait, log))]
    fn step<'py>(
        &self,
        py: Python<'py>,
        wait: bool,
        log: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Step<'py>> {
        guarded(py, || {
            let mut run = self.take()?;
            let patience = if wait { TICK } else { Duration::ZERO };
            let listeners = Listeners { log: log.as_ref(), ..Listeners::default() };
            let step = loop {
                let next;
                (run, next) = py.detach(move || {
                    let next = run.run.next(patience);
                    (run, next)
                });
                run.told.look(&listeners)?;
                match next.map_err(|error| raised(py, &error))? {
                    Next::Result(conversion) => {
                        break ("result", Some(to_python(py, *conversion)?));
                    }
                    Next::Finished => break ("finished", None),
                    Next::WantsInput => break ("wants", None),
                    Next::Pending if wait => py.check_signals()?,
                    Next::Pending => break ("pending", None),
                }
            };
            self.put(Some(run));
            give_back(py);
            Ok(step)
        })
    }

    /// Gives the next document; `None` says that there are no more.
    fn give(&self, py: Python<'_>, given: Option<Bound<'_, PyAny>>) -> PyResult<()> {
        guarded(py, || {
            let mut run = self.take()?;
            let document = match given {
                Some(given) => {
                    let (allow_signed, pdf_spec) = &run.conversion;
                    let document = document(run.given, &given, Limit::OfConversion)?;
                    Some(document.allow_signed(*allow_signed).pdf_spec(pdf_spec))
                }
                None => None,
            };
            let (run, done) = py.detach(move || {
                let done = match document {
                    Some(document) => {
                        run.given += 1;
                        run.run.push(document)
                    }
                    None => run.run.end(),
                };
                (run, done)
            });
            self.put(Some(run));
            done.map_err(|error| raised(py, &error))
        })
    }

    /// Has `bell` ring `number` whenever a call is over; to be said before the first document.
    fn listen(&self, bell: &Bell, number: u64) -> PyResult<()> {
        let mut run = self.take()?;
        run.run.ring_with(bell.ring(number));
        self.put(Some(run));
        Ok(())
    }

    /// Ends the calls under way.
    fn cancel(&self, py: Python<'_>) {
        let run = self.put(None);
        py.detach(|| drop(run));
        give_back(py);
    }
}
