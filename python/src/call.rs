//! One call of the client: made, waited for or listened to, and taken.
//!
//! Every operation of the native module returns one, so that the blocking and the asyncio face
//! share everything but the waiting.

use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use signdoc::engine::{Engine as CoreEngine, Task};
use signdoc::order::ReceptionWatch;
use signdoc::{CallOptions, Client, LastAnswer, StateWatch};

use crate::bell::Bell;
use crate::buffer::{give_back, give_back_all, next_number};
use crate::errors::{guarded, raised};

/// How long a signal may go unnoticed. Ctrl-C must end a call within 100 ms.
pub(crate) const TICK: Duration = Duration::from_millis(50);

/// How long a cancelled call may take to let go of its files.
const LETTING_GO: Duration = Duration::from_millis(30);

/// What a client remembers of the call that ended last.
pub(crate) type Last = Arc<Mutex<Option<LastAnswer>>>;

/// Makes the Python value of a result, on the thread that takes it.
type Give = Box<dyn FnOnce(Python<'_>) -> PyResult<Py<PyAny>> + Send>;
type Ring = Box<dyn FnOnce() + Send>;
type Begin = Box<dyn FnOnce(Ring) -> signdoc::Result<Task<Give>> + Send>;

enum Stage {
    Ready(Begin),
    Running(Task<Give>),
    Over,
}

/// A call. It begins when it is waited for, or started; dropping it ends it.
#[pyclass(frozen, generic, module = "signdoc._native")]
pub(crate) struct Call {
    stage: Mutex<Stage>,
    told: Mutex<Told>,
    last: Last,
    /// The numbers of the buffers it has borrowed.
    lent: Range<u64>,
}

/// What is told of a call while it is under way, by a thread that is attached.
pub(crate) struct Told {
    pub options: CallOptions,
    pub states: StateWatch,
    counts: Option<(u64, u64, u64)>,
}

/// The Python functions that are told.
#[derive(Default)]
pub(crate) struct Listeners<'a, 'py> {
    /// `progress(sent, to_send, received)`
    pub progress: Option<&'a Bound<'py, PyAny>>,
    /// `on_state(state)`
    pub on_state: Option<&'a Bound<'py, PyAny>>,
    /// `log(level, correlation_id, message)`
    pub log: Option<&'a Bound<'py, PyAny>>,
}

impl Told {
    pub(crate) fn new(options: CallOptions) -> Self {
        Self { options, states: StateWatch::default(), counts: None }
    }

    /// Tells what is new.
    pub(crate) fn look(&mut self, listeners: &Listeners<'_, '_>) -> PyResult<()> {
        if let Some(log) = listeners.log {
            for event in self.options.trace.take_events() {
                log.call1((event.level.as_str(), &*event.correlation_id, event.message))?;
            }
        }
        if let Some(progress) = listeners.progress {
            let counters = &self.options.progress;
            let now = (counters.sent(), counters.to_send(), counters.received());
            if self.counts.replace(now) != Some(now) {
                progress.call1(now)?;
            }
        }
        if let Some(on_state) = listeners.on_state {
            for state in self.states.take_states() {
                on_state.call1((state,))?;
            }
        }
        Ok(())
    }
}

impl Call {
    /// A call of `engine`: `make` makes it, and `give` the Python value of its result. `first` is
    /// the number of the first buffer it borrows.
    pub(crate) fn new<T, F>(
        engine: &Arc<CoreEngine>,
        last: &Last,
        told: Told,
        first: u64,
        make: impl FnOnce(Client) -> F + Send + 'static,
        give: impl FnOnce(Python<'_>, T) -> PyResult<Py<PyAny>> + Send + 'static,
    ) -> Self
    where
        T: Send + 'static,
        F: Future<Output = signdoc::Result<T>> + Send + 'static,
    {
        let engine = engine.clone();
        let begin: Begin = Box::new(move |ring| {
            let work = |client| {
                let call = make(client);
                async move {
                    let value = call.await?;
                    Ok(Box::new(move |py: Python<'_>| give(py, value)) as Give)
                }
            };
            engine.start_ringing(work, ring)
        });
        Self {
            stage: Mutex::new(Stage::Ready(begin)),
            told: Mutex::new(told),
            last: last.clone(),
            lent: first..next_number(),
        }
    }

    fn stage(&self) -> MutexGuard<'_, Stage> {
        self.stage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self) -> Stage {
        std::mem::replace(&mut self.stage(), Stage::Over)
    }

    fn begin(&self, py: Python<'_>, ring: Ring) -> PyResult<Task<Give>> {
        let Stage::Ready(begin) = self.take() else {
            return Err(PyRuntimeError::new_err("this call has begun already"));
        };
        py.detach(|| begin(ring)).map_err(|error| raised(py, &error))
    }

    fn look(&self, listeners: &Listeners<'_, '_>) -> PyResult<()> {
        // A listener that makes calls of its own must not find this locked: it has another call.
        self.told.lock().unwrap_or_else(PoisonError::into_inner).look(listeners)
    }

    fn ended(&self, py: Python<'_>, ended: signdoc::Result<Give>) -> PyResult<Py<PyAny>> {
        let answer = {
            let told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
            told.options.trace.last_answer()
        };
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = answer;
        give_back_all(py, &self.lent);
        let value = match ended {
            Ok(give) => give(py)?,
            Err(error) => {
                let exception = raised(py, &error);
                self.reception().claimed();
                return Err(exception);
            }
        };
        self.reception().claimed();
        Ok(value)
    }

    fn reception(&self) -> ReceptionWatch {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).options.reception.clone()
    }

    /// What goes on although nobody waits any more; results on their way to nobody are put aside.
    fn left_behind(&self, why: &str) -> Option<String> {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let reception = std::mem::take(&mut told.options.reception);
        reception.stopped(why).map(|error| error.message().to_owned())
    }
}

/// The exception with a note of what goes on, which the log is told, too.
fn with_note(py: Python<'_>, interruption: PyErr, left: Option<String>) -> PyErr {
    let Some(left) = left else { return interruption };
    let noted = interruption.value(py).call_method1("add_note", (&left,));
    let warned =
        py.import("signdoc._log").and_then(|log| log.call_method1("warn_of_reception", (left,)));
    // Neither keeps the interruption from its caller.
    for failure in [noted.err(), warned.err()].into_iter().flatten() {
        failure.write_unraisable(py, None);
    }
    interruption
}

#[pymethods]
impl Call {
    /// Makes the call and waits for its end, with signals handled.
    ///
    /// A signal whose handler raises, or an exception of a listener, ends the call.
    #[pyo3(signature = (*, progress=None, on_state=None, log=None))]
    fn wait(
        &self,
        py: Python<'_>,
        progress: Option<Bound<'_, PyAny>>,
        on_state: Option<Bound<'_, PyAny>>,
        log: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        guarded(py, || {
            let listeners = Listeners {
                progress: progress.as_ref(),
                on_state: on_state.as_ref(),
                log: log.as_ref(),
            };
            let mut task = self.begin(py, Box::new(|| {}))?;
            loop {
                let answer;
                (task, answer) = py.detach(move || {
                    let answer = task.wait(TICK);
                    (task, answer)
                });
                // A call that has ended hands over what it did; a signal waits for the next
                // instruction.
                let looked = if answer.is_some() {
                    self.look(&listeners)
                } else {
                    py.check_signals().and_then(|()| self.look(&listeners))
                };
                match (answer, looked) {
                    (answer, Err(interruption)) => {
                        task.cancel();
                        let left = py.detach(|| {
                            drop((answer, task.wait(LETTING_GO), task));
                            self.left_behind("the waiting was ended")
                        });
                        give_back_all(py, &self.lent);
                        return Err(with_note(py, interruption, left));
                    }
                    (Some(answer), Ok(())) => return self.ended(py, answer),
                    (None, Ok(())) => {}
                }
            }
        })
    }

    /// Makes the call and returns; `bell` rings `number` when it is over.
    fn start(&self, py: Python<'_>, bell: &Bell, number: u64) -> PyResult<()> {
        guarded(py, || {
            let task = self.begin(py, Box::new(bell.ring(number)))?;
            *self.stage() = Stage::Running(task);
            Ok(())
        })
    }

    /// Tells what is new of a call that was started.
    #[pyo3(signature = (*, progress=None, on_state=None, log=None))]
    fn tell(
        &self,
        progress: Option<Bound<'_, PyAny>>,
        on_state: Option<Bound<'_, PyAny>>,
        log: Option<Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        self.look(&Listeners {
            progress: progress.as_ref(),
            on_state: on_state.as_ref(),
            log: log.as_ref(),
        })
    }

    /// The result of a call that was started, once its bell has rung.
    fn result(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        guarded(py, || {
            let Stage::Running(task) = self.take() else {
                return Err(PyRuntimeError::new_err("this call is not under way"));
            };
            match task.wait(Duration::ZERO) {
                Some(ended) => self.ended(py, ended),
                None => Err(PyRuntimeError::new_err("this call is not over yet")),
            }
        })
    }

    /// Ends the call. Its bell rings when it has let go of its files. Tells what goes on.
    fn cancel(&self, py: Python<'_>) -> Option<String> {
        let stage = self.take();
        let left = py.detach(|| {
            drop(stage);
            self.left_behind("the waiting was ended")
        });
        give_back(py);
        left
    }
}
