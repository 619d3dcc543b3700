//! The handle behind `signdoc.Client`.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use signdoc::config::{ConfigBuilder, OPTIONS};
use signdoc::conversion::BatchOptions;
use signdoc::engine::Engine as CoreEngine;
use signdoc::order::ReceptionWatch;
use signdoc::{CallOptions, Client, Config, Conversion, ConvertOptions, Destination, Error};

use crate::batch::Batch;
use crate::buffer::next_number;
use crate::call::{Call, Last, Told};
use crate::documents::{documents, missing_secret};
use crate::errors::{guarded, raised};
use crate::results::{Row, to_python};

/// A client and the options it was made of. Secrets are shown to nobody but `options(True)`.
#[pyclass(frozen, module = "signdoc._native")]
pub(crate) struct Engine {
    core: Arc<CoreEngine>,
    options: ConfigBuilder,
    last: Last,
}

/// Status, headers and text of an answer.
type Answer = (u16, Vec<(String, String)>, Option<String>);

#[pymethods]
impl Engine {
    /// `environment`: whether unset options come from `SIGNDOC_*`; `missing`: secrets that must
    /// come from there in any case.
    #[new]
    #[pyo3(signature = (options, environment=false, missing=None, account=true))]
    fn new(
        py: Python<'_>,
        options: BTreeMap<String, String>,
        environment: bool,
        missing: Option<Vec<String>>,
        account: bool,
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
            let made = py.detach(|| {
                CoreEngine::new(match account {
                    true => builder.build()?,
                    false => builder.build_without_account()?,
                })
            });
            let core = made.map_err(|error| raised(py, &error))?;
            Ok(Self { core: Arc::new(core), options: builder, last: Last::default() })
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

    #[pyo3(signature = (*, timeout))]
    fn conversion_specs(&self, timeout: Limits) -> Call {
        let told = told(timeout);
        let options = told.options.clone();
        let make = |client: Client| async move { client.conversion_specs(&options).await };
        self.call(told, next_number(), make, |py, specs: Vec<String>| given(py, specs))
    }

    #[expect(clippy::too_many_arguments, reason = "the keywords of the Python method")]
    #[pyo3(signature = (given, *, to, strict, overwrite, allow_signed, pdf_spec, timeout))]
    fn convert(
        &self,
        py: Python<'_>,
        given: Vec<Bound<'_, PyAny>>,
        to: Option<PathBuf>,
        strict: bool,
        overwrite: bool,
        allow_signed: bool,
        pdf_spec: &str,
        timeout: Limits,
    ) -> PyResult<Call> {
        guarded(py, || {
            let told = told(timeout);
            let to = destination(to, overwrite);
            let options = ConvertOptions { to, strict, call: told.options.clone() };
            let first = next_number();
            let documents = documents(&given, allow_signed, pdf_spec)?;
            let make = |client: Client| async move { client.convert(&documents, &options).await };
            Ok(self.call(told, first, make, rows))
        })
    }

    #[expect(clippy::too_many_arguments, reason = "the keywords of the Python method")]
    #[pyo3(signature = (*, to, overwrite, allow_signed, pdf_spec, concurrency, resume, timeout))]
    fn batch(
        &self,
        py: Python<'_>,
        to: Option<PathBuf>,
        overwrite: bool,
        allow_signed: bool,
        pdf_spec: &str,
        concurrency: usize,
        resume: Option<PathBuf>,
        timeout: Limits,
    ) -> PyResult<Batch> {
        guarded(py, || {
            let call = told(timeout).options;
            let to = destination(to, overwrite);
            let options = BatchOptions { to, concurrency, resume, call };
            let conversion = (allow_signed, pdf_spec.to_owned());
            let started = py.detach(|| Batch::new(self.core.clone(), options, conversion));
            started.map_err(|error| raised(py, &error))
        })
    }
}

impl Engine {
    pub(crate) fn call<T, F>(
        &self,
        told: Told,
        first: u64,
        make: impl FnOnce(Client) -> F + Send + 'static,
        give: impl FnOnce(Python<'_>, T) -> PyResult<Py<PyAny>> + Send + 'static,
    ) -> Call
    where
        T: Send + 'static,
        F: Future<Output = signdoc::Result<T>> + Send + 'static,
    {
        Call::new(&self.core, &self.last, told, first, make, give)
    }
}

/// Any value as a Python object.
pub(crate) fn given<'py, T: IntoPyObjectExt<'py>>(
    py: Python<'py>,
    value: T,
) -> PyResult<Py<PyAny>> {
    value.into_py_any(py)
}

fn rows(py: Python<'_>, converted: Vec<Conversion>) -> PyResult<Py<PyAny>> {
    let rows: PyResult<Vec<Row<'_>>> =
        converted.into_iter().map(|conversion| to_python(py, conversion)).collect();
    given(py, rows?)
}

/// Total, connect and read timeout in seconds, checked by the Python side.
pub(crate) type Limits = (Option<f64>, Option<f64>, Option<f64>);

/// What is told of a call with these limits.
pub(crate) fn told((total, connect, read): Limits) -> Told {
    let duration =
        |seconds: Option<f64>| Some(Duration::try_from_secs_f64(seconds?).unwrap_or(Duration::MAX));
    Told::new(CallOptions {
        timeout: duration(total),
        connect_timeout: duration(connect),
        read_timeout: duration(read),
        reception: ReceptionWatch::keeping(),
        ..CallOptions::default()
    })
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

pub(crate) fn destination(to: Option<PathBuf>, overwrite: bool) -> Destination {
    to.map_or(Destination::Memory, |path| Destination::Folder { path, overwrite })
}
