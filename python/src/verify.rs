//! Verification and preflight: documents and words in, one JSON text out.

use std::sync::mpsc::{RecvTimeoutError, sync_channel};

use pyo3::prelude::*;
use serde_json::Value;
use signdoc::html::{HtmlOptions, draw, preview_html as preview_page, report_html as report_page};
use signdoc::pdf::preview::PlannedSeal;
use signdoc::pdf::{Question, ask, look_at_seals, look_over, report_json, source};
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

/// A report as a page for people, from its JSON; `pictures` are the files that it is about, for
/// pictures of their pages.
#[pyfunction]
#[pyo3(signature = (report, *, title, fragment, pictures))]
pub(crate) fn report_html(
    py: Python<'_>,
    report: &str,
    title: Option<String>,
    fragment: bool,
    pictures: Vec<Bound<'_, PyAny>>,
) -> PyResult<String> {
    page(py, report, (title, fragment), &pictures, report_page)
}

/// The same for a preview of seals.
#[pyfunction]
#[pyo3(signature = (preview, *, title, fragment, pictures))]
pub(crate) fn preview_html(
    py: Python<'_>,
    preview: &str,
    title: Option<String>,
    fragment: bool,
    pictures: Vec<Bound<'_, PyAny>>,
) -> PyResult<String> {
    page(py, preview, (title, fragment), &pictures, preview_page)
}

fn page(
    py: Python<'_>,
    told: &str,
    (title, is_fragment): (Option<String>, bool),
    pictures: &[Bound<'_, PyAny>],
    make: fn(&Value, &HtmlOptions) -> String,
) -> PyResult<String> {
    guarded(py, || {
        let told: Value = serde_json::from_str(told).map_err(|error| {
            let why = format!("the text is no report: {error}");
            raised(py, &Error::new(Code::InvalidArgument, why))
        })?;
        let files = pictures.iter().map(|one| local("pictures", one));
        let files: Vec<Document> = files.collect::<PyResult<_>>()?;
        let shown = work(py, move || {
            let mut pictures = Vec::new();
            for (index, file) in files.iter().enumerate() {
                let link = told.get("links").and_then(|links| links.get(index));
                pictures.push(draw(&source(file, "pictures")?, link.unwrap_or(&told))?);
            }
            Ok(make(&told, &HtmlOptions { title, is_fragment, pictures }))
        });
        give_back(py);
        shown
    })
}

/// Looks where seals would lie; gives the preview as JSON.
#[pyfunction]
pub(crate) fn preview(
    py: Python<'_>,
    pdf: Bound<'_, PyAny>,
    seals: Vec<String>,
) -> PyResult<String> {
    guarded(py, || {
        let document = local("pdf", &pdf)?;
        let mut planned = Vec::new();
        for (index, seal) in seals.iter().enumerate() {
            planned.push(seal.parse::<PlannedSeal>().map_err(|error| {
                let error = Error::new(Code::InvalidArgument, error.to_string());
                raised(py, &error.with_detail("field", format!("seals[{index}]")))
            })?);
        }
        let shown = work(py, move || {
            let preview = look_at_seals(&document, &planned)?;
            serde_json::to_string(&preview)
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
