//! The tables of the specification, for the Python side and its tests.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use signdoc::config::OPTIONS;
use signdoc_spec::{Code, Warning};

fn row<'py>(py: Python<'py>, code: Code) -> PyResult<Bound<'py, PyDict>> {
    let spec = code.spec();
    let row = PyDict::new(py);
    row.set_item("number", code.number())?;
    row.set_item("constant", spec.constant)?;
    row.set_item("name", spec.name)?;
    row.set_item("class", spec.class)?;
    row.set_item("category", spec.category.label())?;
    row.set_item("http_status", spec.http_status)?;
    row.set_item("retryable", spec.retryable)?;
    row.set_item("message", code.conversion_message())?;
    row.set_item("summary", spec.summary)?;
    row.set_item("advice", spec.advice)?;
    row.set_item("source", spec.source)?;
    Ok(row)
}

/// One row of the error table by its number; `None` where there is none.
#[pyfunction]
pub(crate) fn spec(py: Python<'_>, number: i32) -> PyResult<Option<Bound<'_, PyDict>>> {
    Code::from_number(number).map(|code| row(py, code)).transpose()
}

/// All rows of the error table but the one for success.
#[pyfunction]
pub(crate) fn error_table(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    Code::ALL.iter().filter(|code| **code != Code::Ok).map(|code| row(py, *code)).collect()
}

/// The conversion warnings: name and message.
#[pyfunction]
pub(crate) fn warning_table() -> Vec<(&'static str, &'static str)> {
    Warning::ALL.iter().map(|warning| (warning.name(), warning.message())).collect()
}

/// All options: key, whether it is secret, name of its environment variable, help.
#[pyfunction]
pub(crate) fn options() -> Vec<(&'static str, bool, String, &'static str)> {
    OPTIONS.iter().map(|option| (option.key, option.secret, option.env(), option.help)).collect()
}
