//! The handle behind `signdoc.Client`.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use signdoc::config::{ConfigBuilder, OPTIONS};
use signdoc::conversion::BatchOptions;
use signdoc::engine::{Engine as CoreEngine, Task};
use signdoc::{CallOptions, Client, Config, ConvertOptions, Destination, Error, LastAnswer};

use crate::batch::Batch;
use crate::documents::{bad_timeout, documents, give_back, missing_secret};
use crate::errors::{guarded, raised};
use crate::results::{Row, to_python};
use crate::wait::wait;

/// A client and the options it was made of. Secrets are shown to nobody but `options(True)`.
#[pyclass(frozen, module = "signdoc._native")]
pub(crate) struct Engine {
    core: Arc<CoreEngine>,
    options: ConfigBuilder,
    last: Mutex<Option<LastAnswer>>,
}

/// Python functions that are told of a call while it is under way, by the thread that waits.
#[derive(Default)]
pub(crate) struct Told<'py> {
    /// `progress(sent, to_send, received)`
    pub progress: Option<Bound<'py, PyAny>>,
    /// `log(level, correlation_id, message)`
    pub log: Option<Bound<'py, PyAny>>,
}

/// Status, headers and text of an answer.
type Answer = (u16, Vec<(String, String)>, Option<String>);

#[pymethods]
impl Engine {
    /// `environment`: whether unset options come from `SIGNDOC_*`; `missing`: secrets that must
    /// come from there in any case.
    #[new]
    #[pyo3(signature = (options, environment=false, missing=None))]
    fn new(
        py: Python<'_>,
        options: BTreeMap<String, String>,
        environment: bool,
        missing: Option<Vec<String>>,
    ) -> PyResult<Self> {
        guarded(py, || {
            let mut builder = filled(&options, environment).map_err(|error| raised(py, &error))?;
            if let Some(missing) = missing {
                let mut around = Config::builder();
                around.env().map_err(|error| raised(py, &error))?;
                for key in &missing {
                    let value = around.get(key).ok_or_else(|| missing_secret(py, key))?;
                    builder.set(key, value).map_err(|error| raised(py, &error))?;
                }
            }
            let made = py.detach(|| CoreEngine::new(builder.build()?));
            let core = made.map_err(|error| raised(py, &error))?;
            Ok(Self { core: Arc::new(core), options: builder, last: Mutex::default() })
        })
    }

    /// The options that are set, by key; secret ones only when `secrets` is true.
    #[pyo3(signature = (secrets=false))]
    fn options<'py>(&self, py: Python<'py>, secrets: bool) -> PyResult<Bound<'py, PyDict>> {
        let shown = PyDict::new(py);
        for option in OPTIONS.iter().filter(|option| secrets || !option.secret) {
            if let Some(value) = self.options.get(option.key) {
                shown.set_item(option.key, value)?;
            }
        }
        Ok(shown)
    }

    /// The keys of the secret options that are set.
    fn secrets(&self) -> Vec<&'static str> {
        let secret = OPTIONS.iter().filter(|option| option.secret);
        secret.filter(|option| self.options.has(option.key)).map(|option| option.key).collect()
    }

    fn close(&self) {
        self.core.close();
    }

    fn set_clock_offset(&self, seconds: f64) {
        self.core.set_clock_offset(seconds);
    }

    /// The last answer of the call that ended last.
    fn last_answer(&self) -> Option<Answer> {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner).clone()?;
        Some((last.status, last.headers, last.body))
    }

    #[pyo3(signature = (*, timeout, log))]
    fn conversion_specs<'py>(
        &self,
        py: Python<'py>,
        timeout: Option<f64>,
        log: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Vec<String>> {
        guarded(py, || {
            let options = CallOptions { timeout: limit(py, timeout)?, ..Default::default() };
            let told = Told { log, ..Told::default() };
            self.call(py, &told, &options.clone(), |client| async move {
                client.conversion_specs(&options).await
            })
        })
    }

    #[expect(clippy::too_many_arguments, reason = "the keywords of the Python method")]
    #[pyo3(signature = (given, *, to, strict, overwrite, allow_signed, timeout, progress, log))]
    fn convert<'py>(
        &self,
        py: Python<'py>,
        given: Vec<Bound<'py, PyAny>>,
        to: Option<PathBuf>,
        strict: bool,
        overwrite: bool,
        allow_signed: bool,
        timeout: Option<f64>,
        progress: Option<Bound<'py, PyAny>>,
        log: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Vec<Row<'py>>> {
        guarded(py, || {
            let call = CallOptions { timeout: limit(py, timeout)?, ..CallOptions::default() };
            let to = destination(to, overwrite);
            let options = ConvertOptions { to, strict, call: call.clone() };
            let converted = documents(&given, allow_signed).and_then(|documents| {
                self.call(py, &Told { progress, log }, &call, |client| async move {
                    client.convert(&documents, &options).await
                })
            });
            give_back(py);
            converted?.into_iter().map(|conversion| to_python(py, conversion)).collect()
        })
    }

    #[expect(clippy::too_many_arguments, reason = "the keywords of the Python method")]
    #[pyo3(signature = (*, to, overwrite, allow_signed, concurrency, resume, timeout))]
    fn batch(
        &self,
        py: Python<'_>,
        to: Option<PathBuf>,
        overwrite: bool,
        allow_signed: bool,
        concurrency: usize,
        resume: Option<PathBuf>,
        timeout: Option<f64>,
    ) -> PyResult<Batch> {
        guarded(py, || {
            let call = CallOptions { timeout: limit(py, timeout)?, ..CallOptions::default() };
            let to = destination(to, overwrite);
            let options = BatchOptions { to, concurrency, resume, call };
            let started = py.detach(|| Batch::new(self.core.clone(), options, allow_signed));
            started.map_err(|error| raised(py, &error))
        })
    }
}

impl Engine {
    fn call<T, F>(
        &self,
        py: Python<'_>,
        told: &Told<'_>,
        options: &CallOptions,
        make: impl FnOnce(Client) -> F + Send,
    ) -> PyResult<T>
    where
        T: Send + 'static,
        F: Future<Output = signdoc::Result<T>> + Send + 'static,
    {
        let started: signdoc::Result<Task<T>> = py.detach(|| self.core.start(make));
        let task = started.map_err(|error| raised(py, &error))?;
        let mut seen = None;
        let ended = wait(py, task, || told.look(options, &mut seen));
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = options.trace.last_answer();
        ended?.map_err(|error| raised(py, &error))
    }
}

impl Told<'_> {
    /// Tells what is new; `seen` is what was told of the progress before.
    pub(crate) fn look(
        &self,
        options: &CallOptions,
        seen: &mut Option<(u64, u64, u64)>,
    ) -> PyResult<()> {
        if let Some(log) = &self.log {
            for event in options.trace.take_events() {
                log.call1((event.level.as_str(), &*event.correlation_id, event.message))?;
            }
        }
        if let Some(progress) = &self.progress {
            let counters = &options.progress;
            let now = (counters.sent(), counters.to_send(), counters.received());
            if seen.replace(now) != Some(now) {
                progress.call1(now)?;
            }
        }
        Ok(())
    }
}

fn filled(options: &BTreeMap<String, String>, environment: bool) -> Result<ConfigBuilder, Error> {
    let mut builder = Config::builder();
    for (key, value) in options {
        builder.set(key, value)?;
    }
    if environment {
        builder.env()?;
    }
    Ok(builder)
}

fn destination(to: Option<PathBuf>, overwrite: bool) -> Destination {
    to.map_or(Destination::Memory, |path| Destination::Folder { path, overwrite })
}

fn limit(py: Python<'_>, seconds: Option<f64>) -> PyResult<Option<Duration>> {
    let Some(seconds) = seconds else { return Ok(None) };
    let duration = Duration::try_from_secs_f64(seconds).ok().filter(|limit| !limit.is_zero());
    duration.map(Some).ok_or_else(|| bad_timeout(py, seconds))
}
