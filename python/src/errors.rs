//! Errors on their way to Python: one structure, from which the Python side makes the exception.

use std::panic::{AssertUnwindSafe, catch_unwind};

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyList};
use serde_json::Value;
use signdoc::{Code, Error};

use crate::orders::{Order, download_row};

/// The Python exception for `error`.
pub(crate) fn raised(py: Python<'_>, error: &Error) -> PyErr {
    raised_with(py, error, &[])
}

/// As [`raised`], with details that only the caller knows; they do not replace what is there.
pub(crate) fn raised_with(py: Python<'_>, error: &Error, known: &[(&str, Value)]) -> PyErr {
    make(py, error, known).map_or_else(|failure| failure, PyErr::from_value)
}

fn make<'py>(
    py: Python<'py>,
    error: &Error,
    known: &[(&str, Value)],
) -> PyResult<Bound<'py, PyAny>> {
    static MAKE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let details = PyDict::new(py);
    for (key, value) in known {
        details.set_item(key, json_to_python(py, value)?)?;
    }
    for (key, value) in error.details() {
        details.set_item(key, json_to_python(py, value)?)?;
    }
    let fields = PyDict::new(py);
    fields.set_item("code", error.code().number())?;
    fields.set_item("name", error.name())?;
    fields.set_item("advice", error.advice())?;
    fields.set_item("origin", error.origin().as_str())?;
    fields.set_item("http_status", error.http_status())?;
    fields.set_item("reference", error.reference())?;
    fields.set_item("retryable", error.is_retryable())?;
    fields.set_item("retry_after", error.retry_after().map(|pause| pause.as_secs_f64()))?;
    fields.set_item("details", details)?;
    let results: PyResult<Vec<_>> = error
        .conversions()
        .iter()
        .map(|conversion| crate::results::to_python(py, conversion.clone()))
        .collect();
    let download = error.download().map(|download| download_row(py, download.clone()));
    MAKE.import(py, "signdoc.errors", "_from_native")?.call1((
        error.code().spec().class,
        error.message(),
        fields,
        results?,
        download.transpose()?,
        error.order().map(|order| Order(order.clone())),
        error.raw_answer().map(|raw| PyBytes::new(py, raw)),
    ))
}

pub(crate) fn json_to_python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Null => py.None().into_bound(py),
        Value::Bool(value) => value.into_pyobject(py)?.to_owned().into_any(),
        Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(number), _) => number.into_pyobject(py)?.into_any(),
            (_, Some(number)) => number.into_pyobject(py)?.into_any(),
            _ => number.as_f64().into_pyobject(py)?.into_any(),
        },
        Value::String(text) => text.into_pyobject(py)?.into_any(),
        Value::Array(items) => {
            let items: PyResult<Vec<_>> =
                items.iter().map(|item| json_to_python(py, item)).collect();
            PyList::new(py, items?)?.into_any()
        }
        Value::Object(items) => {
            let dict = PyDict::new(py);
            for (key, item) in items {
                dict.set_item(key, json_to_python(py, item)?)?;
            }
            dict.into_any()
        }
    })
}

/// Runs what Python asked for; a panic becomes an `InternalError` and leaves the process alive.
pub(crate) fn guarded<T>(py: Python<'_>, work: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        let message = concat!(
            "signdoc ",
            env!("CARGO_PKG_VERSION"),
            " failed inside; where is on standard error"
        );
        Err(raised(py, &Error::new(Code::Panic, message)))
    })
}
