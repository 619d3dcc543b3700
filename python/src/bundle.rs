//! Evidence bundles: documents and words in; the report, the bytes, the path and more out.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use signdoc::bundle::{Bundle, BundleRequest};
use signdoc::engine::Engine as CoreEngine;
use signdoc::pdf::report_json;
use signdoc::{Client, Document};

use crate::buffer::next_number;
use crate::call::{Call, Last};
use crate::documents::local;
use crate::engine::{Limits, given, told};
use crate::errors::{guarded, raised};

/// Gives `(report, data, path, size, stamped)`; the report as JSON.
#[expect(clippy::too_many_arguments, reason = "the keywords of the Python function")]
#[pyfunction]
#[pyo3(signature = (signed, *, original, evidence, trust, timestamp_trust, to, options, timeout))]
pub(crate) fn bundle(
    py: Python<'_>,
    signed: Bound<'_, PyAny>,
    original: Option<Bound<'_, PyAny>>,
    evidence: Vec<Bound<'_, PyAny>>,
    trust: Vec<Bound<'_, PyAny>>,
    timestamp_trust: Option<Vec<Bound<'_, PyAny>>>,
    to: Option<PathBuf>,
    options: Vec<(String, String)>,
    timeout: Limits,
) -> PyResult<Call> {
    guarded(py, || {
        let first = next_number();
        let all = |files: &[Bound<'_, PyAny>], field: &str| -> PyResult<Vec<Document>> {
            let named = |(n, one)| local(&format!("{field}[{n}]"), one);
            files.iter().enumerate().map(named).collect()
        };
        let mut request = BundleRequest {
            original: original.map(|one| local("original", &one)).transpose()?,
            evidence: all(&evidence, "evidence")?,
            trust: all(&trust, "trust")?,
            timestamp_trust: timestamp_trust
                .map(|files| all(&files, "timestamp_trust"))
                .transpose()?,
            to,
            ..BundleRequest::of(local("signed", &signed)?)
        };
        for (name, value) in &options {
            request.set(name, value).map_err(|error| raised(py, &error))?;
        }
        let engine = py.detach(|| CoreEngine::new(request.config()?));
        let engine = Arc::new(engine.map_err(|error| raised(py, &error))?);
        let told = told(timeout);
        let call = told.options.clone();
        let make = move |client: Client| async move { client.bundle(request, &call).await };
        Ok(Call::new(&engine, &Last::default(), told, first, make, shown))
    })
}

fn shown(py: Python<'_>, bundle: Bundle) -> PyResult<Py<PyAny>> {
    let data = bundle.data.as_ref().map(|data| PyBytes::new(py, data));
    let report = report_json(&bundle.report).to_string();
    given(py, (report, data, bundle.path, bundle.size, bundle.is_stamped))
}
