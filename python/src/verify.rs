//! Verification and preflight: documents and words in, one JSON text out.

use std::sync::mpsc::{RecvTimeoutError, sync_channel};

use pyo3::prelude::*;
use signdoc::pdf::{Question, ask, look_over, report_json};
use signdoc::{Code, Document, Error};

use crate::buffer::give_back;
use crate::call::TICK;
use crate::documents::local;
use crate::errors::{guarded, raised};

/// Verifies one file, or several as the results of serial sessions; gives the report as JSON.
#[pyfunction]
#[pyo3(signature = (signed, *, original, trust, timestamp_trust, options))]
pub(crate) fn verify(
    py: Python<'_>,
    signed: Vec<Bound<'_, PyAny>>,
    original: Option<Bound<'_, PyAny>>,
    trust: Vec<Bound<'_, PyAny>>,
    timestamp_trust: Option<Vec<Bound<'_, PyAny>>>,
    options: Vec<(String, String)>,
) -> PyResult<String> {
    guarded(py, || {
        let all = |given: &[Bound<'_, PyAny>], field: &str| -> PyResult<Vec<Document>> {
            given.iter().map(|one| local(field, one)).collect()
        };
        let question = Question {
            signed: all(&signed, "signed")?,
            original: original.map(|given| local("original", &given)).transpose()?,
            trust: all(&trust, "trust")?,
            timestamp_trust: timestamp_trust
                .map(|given| all(&given, "timestamp_trust"))
                .transpose()?,
            options,
        };
        let shown = work(py, move || Ok(report_json(&ask(&question)?).to_string()));
        give_back(py);
        shown
    })
}

/// Looks a document over before it is sent; gives the findings as JSON.
#[pyfunction]
pub(crate) fn preflight(py: Python<'_>, pdf: Bound<'_, PyAny>) -> PyResult<String> {
    guarded(py, || {
        let document = local("pdf", &pdf)?;
        let shown = work(py, move || {
            let findings = look_over(&document)?;
            serde_json::to_string(&findings)
                .map_err(|error| Error::new(Code::Internal, error.to_string()))
        });
        give_back(py);
        shown
    })
}

/// Does work that asks nobody on a thread of its own, so that Ctrl-C ends the call. What nobody
/// waits for any more runs to its end, and changes nothing.
fn work<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> PyResult<T> {
    let (sender, receiver) = sync_channel(1);
    let run = move || drop(sender.send(work()));
    let defect = |why: &str| raised(py, &Error::new(Code::Panic, format!("the work {why}")));
    std::thread::Builder::new()
        .spawn(run)
        .map_err(|error| defect(&format!("cannot start: {error}")))?;
    let receiver = std::sync::Mutex::new(receiver);
    loop {
        let done = py.detach(|| match receiver.lock() {
            Ok(receiver) => receiver.recv_timeout(TICK),
            Err(_) => Err(RecvTimeoutError::Disconnected),
        });
        match done {
            Ok(done) => return done.map_err(|error| raised(py, &error)),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(defect("failed inside; where is on standard error"));
            }
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
        }
    }
}
