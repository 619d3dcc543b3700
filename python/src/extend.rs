//! Long-term proof for signed PDFs, for the Python side.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use signdoc::extend::{ExtendOptions, Extended};
use signdoc::{Client, Document};

use crate::buffer::next_number;
use crate::call::Call;
use crate::documents::local;
use crate::engine::{Engine, Limits, given, told};
use crate::errors::{guarded, raised};

/// Files of the caller's by their field: certificates to trust, those for timestamps, further
/// certificates, revocation answers.
type Files<'py> = (
    Vec<Bound<'py, PyAny>>,
    Option<Vec<Bound<'py, PyAny>>>,
    Vec<Bound<'py, PyAny>>,
    Vec<Bound<'py, PyAny>>,
);

/// Gives what was done as JSON, and the bytes where no file was named. `options` are words, see
/// `ExtendOptions::set`.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the keywords of the Python function")]
#[pyo3(signature = (engine, document, files, *, to, overwrite, options, timeout))]
pub(crate) fn extend(
    py: Python<'_>,
    engine: &Bound<'_, Engine>,
    document: Bound<'_, PyAny>,
    files: Files<'_>,
    to: Option<PathBuf>,
    overwrite: bool,
    options: Vec<(String, String)>,
    timeout: Limits,
) -> PyResult<Call> {
    guarded(py, || {
        let told = told(timeout);
        let first = next_number();
        let all = |given: &[Bound<'_, PyAny>], field: &str| -> PyResult<Vec<Document>> {
            given.iter().map(|one| local(field, one)).collect()
        };
        let (trust, stamps, certificates, revocations) = &files;
        let mut asked = ExtendOptions {
            to,
            overwrite,
            trust: all(trust, "trust")?,
            timestamp_trust: match stamps {
                Some(stamps) => Some(all(stamps, "timestamp_trust")?),
                None => None,
            },
            certificates: all(certificates, "certificates")?,
            revocations: all(revocations, "revocations")?,
            call: told.options.clone(),
            ..ExtendOptions::default()
        };
        for (key, value) in &options {
            asked.set(key, value).map_err(|error| raised(py, &error))?;
        }
        let document = local("document", &document)?;
        let make = move |client: Client| async move { client.extend_pdf(&document, &asked).await };
        let give = |py: Python<'_>, made: Extended| {
            let data = made.data.as_ref().map(|data| PyBytes::new(py, data));
            given(py, (made.to_json().to_string(), data))
        };
        Ok(engine.get().call(told, first, make, give))
    })
}
