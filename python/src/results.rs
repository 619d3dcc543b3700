//! Results on their way to Python, as tuples; the Python side makes its classes of them.

use bytes::Bytes;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use signdoc::Conversion;
use signdoc_spec::{Code, Warning};

/// A warning or error: the specification's code (`None` for a text it does not have) and the text.
type Said = (Option<&'static str>, String);

/// `(index, conversion_id, description, converted, warnings, errors, data, path, size, failure,
/// resumed)`
pub(crate) type Row<'py> = (
    usize,
    Option<String>,
    Option<String>,
    bool,
    Vec<Said>,
    Vec<Said>,
    Option<Bound<'py, PyBytes>>,
    Option<Bound<'py, PyString>>,
    Option<u64>,
    Option<PyErr>,
    bool,
);

/// Takes the conversion apart. The document's own memory is let go of as soon as it is copied.
pub(crate) fn to_python(py: Python<'_>, conversion: Conversion) -> PyResult<Row<'_>> {
    let path = match &conversion.path {
        Some(path) => Some(path.as_os_str().into_pyobject(py)?),
        None => None,
    };
    let copy = |data: Bytes| PyBytes::new(py, &data);
    Ok((
        conversion.index,
        conversion.conversion_id,
        conversion.description,
        conversion.converted,
        conversion.warnings.into_iter().map(|w| (w.code.map(Warning::name), w.message)).collect(),
        conversion.errors.into_iter().map(|e| (e.code.map(Code::name), e.message)).collect(),
        conversion.data.map(copy),
        path,
        conversion.size,
        conversion.failure.map(|failure| crate::errors::raised(py, &failure)),
        conversion.resumed,
    ))
}
