//! Sign orders of both kinds, for the Python side.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use serde_json::Value;
use signdoc::clock::SystemClock;
use signdoc::order::wait_for_receptions;
use signdoc::{
    CallOptions, Client, Download, DownloadOptions, Error, OrderProperties, OrderRef,
    PadesDocument, PadesOrder, Recovery, SdoDocument, SdoOrder, SealPosition, WaitOptions,
};

use crate::buffer::next_number;
use crate::call::{Call, TICK};
use crate::documents::{Limit, document};
use crate::engine::{Engine, Limits, destination, given, told};
use crate::errors::{guarded, raised};
use crate::results::{Row, to_python};

/// An order that was created, with what this process has seen of it.
#[pyclass(frozen, module = "signdoc._native")]
pub(crate) struct Order(pub(crate) signdoc::Order);

#[pymethods]
impl Order {
    /// From what `to_json` gave; counts time by the system's clock.
    #[new]
    fn new(py: Python<'_>, text: &str) -> PyResult<Self> {
        let value: Value = serde_json::from_str(text).unwrap_or_default();
        let order = signdoc::Order::from_json_at(&value, Arc::new(SystemClock::default()));
        Ok(Self(order.map_err(|error| raised(py, &error))?))
    }

    #[getter]
    fn sign_id(&self) -> &str {
        &self.0.sign_id
    }

    #[getter]
    fn kind(&self) -> &'static str {
        self.0.kind.as_str()
    }

    /// Seconds.
    fn expires_in(&self) -> f64 {
        self.0.expires_in().as_secs_f64()
    }

    fn conversions<'py>(&self, py: Python<'py>) -> PyResult<Vec<Row<'py>>> {
        self.0.conversions.iter().map(|one| to_python(py, one.clone())).collect()
    }

    fn to_json(&self) -> String {
        self.0.to_json().to_string()
    }
}

/// The kind of an order, by its name.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    Pades,
    Sdo,
}

impl FromPyObject<'_, '_> for Kind {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        match given.extract::<&str>()? {
            "pades" => Ok(Self::Pades),
            _ => Ok(Self::Sdo),
        }
    }
}

pub(crate) fn order_ref(given: &Bound<'_, PyAny>) -> PyResult<OrderRef> {
    match given.cast::<Order>() {
        Ok(order) => Ok(OrderRef::from(&order.get().0)),
        Err(_) => Ok(OrderRef::from(given.extract::<String>()?)),
    }
}

/// Name, display mode, confirmation, understanding, time limit in seconds.
type Properties = (String, Option<String>, Option<bool>, Option<bool>, Option<u32>);

fn properties(given: Properties) -> OrderProperties {
    let (name, display_mode, show_confirmation, show_understanding, timeout_seconds) = given;
    OrderProperties { name, display_mode, show_confirmation, show_understanding, timeout_seconds }
}

type Seal = Option<(f64, f64, i64)>;

fn seal(given: Seal) -> Option<SealPosition> {
    given.map(|(x, y, page)| SealPosition { x, y, page })
}

/// PDF, description, PDF specification, merchant's seal, end user's seal, end user only.
type GivenPades<'py> =
    (Bound<'py, PyAny>, Option<String>, Option<String>, Seal, Seal, Option<bool>);

/// PDF, text, XML, stylesheet, description.
type GivenSdo<'py> =
    (Option<Bound<'py, PyAny>>, Option<String>, Option<String>, Option<String>, Option<String>);

#[expect(clippy::too_many_arguments, reason = "the keywords of the Python method")]
#[pyfunction]
#[pyo3(signature = (engine, order, documents, results, *, visual_seals, strict, timeout))]
pub(crate) fn pades_create(
    py: Python<'_>,
    engine: &Bound<'_, Engine>,
    order: Properties,
    documents: Vec<GivenPades<'_>>,
    results: Option<Vec<String>>,
    visual_seals: bool,
    strict: bool,
    timeout: Limits,
) -> PyResult<Call> {
    guarded(py, || {
        let first = next_number();
        let documents: PyResult<Vec<_>> = documents
            .into_iter()
            .enumerate()
            .map(|(index, (pdf, description, pdf_spec, merchant, end_user, alone))| {
                Ok(PadesDocument {
                    description,
                    pdf_spec,
                    merchant_seal: seal(merchant),
                    end_user_seal: seal(end_user),
                    end_user_only: alone,
                    ..PadesDocument::new(document(index, &pdf, Limit::None)?)
                })
            })
            .collect();
        let mut wanted = PadesOrder::new("", documents?);
        wanted.properties = properties(order);
        wanted.add_visual_seals = visual_seals;
        wanted.strict = strict;
        if let Some(results) = results {
            wanted.results = results;
        }
        let make = |client: Client, options: CallOptions| async move {
            client.pades().create(&wanted, &options).await
        };
        Ok(created(engine, first, timeout, make))
    })
}

#[pyfunction]
#[pyo3(signature = (engine, order, documents, results, *, timeout))]
pub(crate) fn sdo_create(
    py: Python<'_>,
    engine: &Bound<'_, Engine>,
    order: Properties,
    documents: Vec<GivenSdo<'_>>,
    results: Option<Vec<String>>,
    timeout: Limits,
) -> PyResult<Call> {
    guarded(py, || {
        let first = next_number();
        let documents: PyResult<Vec<_>> = documents
            .into_iter()
            .enumerate()
            .map(|(index, (pdf, text, xml, xls, description))| {
                let pdf = pdf.map(|pdf| document(index, &pdf, Limit::None)).transpose()?;
                Ok(SdoDocument { pdf, text, xml, xls, description })
            })
            .collect();
        let mut wanted = SdoOrder::new("", documents?);
        wanted.properties = properties(order);
        if let Some(results) = results {
            wanted.results = results;
        }
        let make = |client: Client, options: CallOptions| async move {
            client.sdo().create(&wanted, &options).await
        };
        Ok(created(engine, first, timeout, make))
    })
}

fn created<F>(
    engine: &Bound<'_, Engine>,
    first: u64,
    timeout: Limits,
    make: impl FnOnce(Client, CallOptions) -> F + Send + 'static,
) -> Call
where
    F: Future<Output = signdoc::Result<signdoc::Order>> + Send + 'static,
{
    let told = told(timeout);
    let options = told.options.clone();
    let make = move |client| make(client, options);
    engine.get().call(told, first, make, |py, order| given(py, Order(order)))
}

/// A call of one order that borrows no memory.
fn ordered<T, F>(
    engine: &Bound<'_, Engine>,
    timeout: Limits,
    make: impl FnOnce(Client, CallOptions) -> F + Send + 'static,
    give: impl FnOnce(Python<'_>, T) -> PyResult<Py<PyAny>> + Send + 'static,
) -> Call
where
    T: Send + 'static,
    F: Future<Output = signdoc::Result<T>> + Send + 'static,
{
    let told = told(timeout);
    let options = told.options.clone();
    engine.get().call(told, next_number(), move |client| make(client, options), give)
}

#[pyfunction]
#[pyo3(signature = (engine, kind, order, *, timeout))]
pub(crate) fn order_state(
    engine: &Bound<'_, Engine>,
    kind: Kind,
    order: &Bound<'_, PyAny>,
    timeout: Limits,
) -> PyResult<Call> {
    let order = order_ref(order)?;
    let make = move |client: Client, options: CallOptions| async move {
        Ok(match kind {
            Kind::Pades => client.pades().state(order, &options).await?.as_str().to_owned(),
            Kind::Sdo => client.sdo().state(order, &options).await?.as_str().to_owned(),
        })
    };
    Ok(ordered(engine, timeout, make, |py, state: String| given(py, state)))
}

#[pyfunction]
#[pyo3(signature = (engine, kind, order, until, *, timeout))]
pub(crate) fn order_wait(
    engine: &Bound<'_, Engine>,
    kind: Kind,
    order: &Bound<'_, PyAny>,
    until: Vec<String>,
    timeout: Limits,
) -> PyResult<Call> {
    let order = order_ref(order)?;
    let told = told(timeout);
    let options = WaitOptions { until, watch: told.states.clone(), call: told.options.clone() };
    let make = move |client: Client| async move {
        Ok(match kind {
            Kind::Pades => client.pades().wait(order, &options).await?.as_str().to_owned(),
            Kind::Sdo => client.sdo().wait(order, &options).await?.as_str().to_owned(),
        })
    };
    let give = |py: Python<'_>, state: String| given(py, state);
    Ok(engine.get().call(told, next_number(), make, give))
}

#[expect(clippy::too_many_arguments, reason = "the keywords of the Python method")]
#[pyfunction]
#[pyo3(signature = (engine, kind, order, *, to, overwrite, force, originals, timeout))]
pub(crate) fn order_download(
    py: Python<'_>,
    engine: &Bound<'_, Engine>,
    kind: Kind,
    order: &Bound<'_, PyAny>,
    to: Option<PathBuf>,
    overwrite: bool,
    force: bool,
    originals: Vec<Bound<'_, PyAny>>,
    timeout: Limits,
) -> PyResult<Call> {
    guarded(py, || {
        let first = next_number();
        let originals = originals.iter().enumerate();
        let originals: PyResult<Vec<_>> =
            originals.map(|(index, one)| document(index, one, Limit::None)).collect();
        let order = order_ref(order)?;
        let told = told(timeout);
        let options = DownloadOptions {
            to: destination(to, overwrite),
            force,
            originals: originals?,
            call: told.options.clone(),
        };
        let make = move |client: Client| async move {
            Ok(match kind {
                Kind::Pades => Download::Pades(client.pades().download(order, &options).await?),
                Kind::Sdo => Download::Sdo(client.sdo().download(order, &options).await?),
            })
        };
        let give = |py: Python<'_>, download| given(py, download_row(py, download)?);
        Ok(engine.get().call(told, first, make, give))
    })
}

#[pyfunction]
#[pyo3(signature = (engine, kind, order, *, timeout))]
pub(crate) fn order_discard(
    engine: &Bound<'_, Engine>,
    kind: Kind,
    order: &Bound<'_, PyAny>,
    timeout: Limits,
) -> PyResult<Call> {
    let order = order_ref(order)?;
    let make = move |client: Client, options: CallOptions| async move {
        Ok(match kind {
            Kind::Pades => Download::Pades(client.pades().discard(order, &options).await?),
            Kind::Sdo => Download::Sdo(client.sdo().discard(order, &options).await?),
        })
    };
    Ok(ordered(engine, timeout, make, |py, last| given(py, download_row(py, last)?)))
}

#[pyfunction]
#[pyo3(signature = (engine, kind, directory, *, timeout))]
pub(crate) fn order_recover(
    engine: &Bound<'_, Engine>,
    kind: Kind,
    directory: PathBuf,
    timeout: Limits,
) -> Call {
    let make = move |client: Client, options: CallOptions| async move {
        match kind {
            Kind::Pades => client.pades().recover(&directory, &options).await,
            Kind::Sdo => client.sdo().recover(&directory, &options).await,
        }
    };
    ordered(engine, timeout, make, |py, found: Vec<Recovery>| {
        let rows: PyResult<Vec<_>> = found.into_iter().map(|one| recovery_row(py, one)).collect();
        given(py, rows?)
    })
}

/// As `order_recover`, of both kinds and without the service.
#[pyfunction]
pub(crate) fn recover(py: Python<'_>, directory: PathBuf) -> PyResult<Vec<RecoveryRow<'_>>> {
    guarded(py, || {
        let found = py.detach(|| signdoc::recover(directory));
        let found = found.map_err(|error: Error| raised(py, &error))?;
        found.into_iter().map(|one| recovery_row(py, one)).collect()
    })
}

/// Removes what is kept of a download for good: a journal with its raw answer, or one alone.
#[pyfunction]
#[pyo3(signature = (journal, raw_answer))]
pub(crate) fn dismiss(
    py: Python<'_>,
    journal: Option<PathBuf>,
    raw_answer: Option<PathBuf>,
) -> PyResult<()> {
    guarded(py, || {
        let dismissed =
            py.detach(|| signdoc::order::dismiss(journal.as_deref(), raw_answer.as_deref()));
        dismissed.map_err(|error: Error| raised(py, &error))
    })
}

/// How many downloads of this process are being received.
#[pyfunction]
pub(crate) fn receptions() -> usize {
    signdoc::order::receptions()
}

/// Waits until they have been received, at most so many seconds, and tells how many have not. A
/// signal whose handler raises ends the waiting.
#[pyfunction]
#[pyo3(signature = (patience))]
pub(crate) fn finish_receptions(py: Python<'_>, patience: Option<f64>) -> PyResult<usize> {
    let end = patience.and_then(|seconds| {
        let patience = Duration::try_from_secs_f64(seconds).ok()?;
        Instant::now().checked_add(patience)
    });
    guarded(py, || {
        loop {
            let left =
                end.map_or(TICK, |end| end.saturating_duration_since(Instant::now()).min(TICK));
            let count = py.detach(|| wait_for_receptions(left, || true));
            py.check_signals()?;
            if count == 0 || left.is_zero() {
                return Ok(count);
            }
        }
    })
}

type Piece<'py> = (Option<Bound<'py, PyBytes>>, Option<Bound<'py, PyString>>);

fn piece(py: Python<'_>, data: Option<Bytes>, path: Option<PathBuf>) -> PyResult<Piece<'_>> {
    // The client's own copy is let go of as soon as it is copied.
    let data = data.map(|data| PyBytes::new(py, &data));
    let path = match path {
        Some(path) => Some(path.as_os_str().into_pyobject(py)?),
        None => None,
    };
    Ok((data, path))
}

/// `(kind, sign_id, client_id, order_name, order_state, documents)`
type DownloadRow =
    (&'static str, String, Option<String>, Option<String>, Option<String>, Py<PyAny>);

pub(crate) fn download_row(py: Python<'_>, download: Download) -> PyResult<DownloadRow> {
    match download {
        Download::Pades(download) => {
            let state = download.order_state.map(|state| state.as_str().to_owned());
            let documents: PyResult<Vec<_>> = download
                .documents
                .into_iter()
                .map(|one| {
                    let document = piece(py, one.data, one.path)?;
                    let appendix = piece(py, one.appendix, one.appendix_path)?;
                    let checks = (one.signed_check.as_str(), one.unsigned_check.as_str());
                    let digests = (one.signed_sha256, one.unsigned_sha256);
                    Ok((one.index, document, one.size, appendix, one.description, digests, checks))
                })
                .collect();
            let documents = given(py, documents?)?;
            Ok(("pades", download.sign_id, None, download.order_name, state, documents))
        }
        Download::Sdo(download) => {
            let state = download.order_state.map(|state| state.as_str().to_owned());
            let documents: PyResult<Vec<_>> = download
                .documents
                .into_iter()
                .map(|one| {
                    let document = piece(py, one.sdo, one.path)?;
                    let merchant = piece(py, one.merchant_signature, one.merchant_signature_path)?;
                    let end_user = piece(py, one.end_user_signature, one.end_user_signature_path)?;
                    let check = one.hash_check.as_str();
                    Ok((
                        one.index,
                        document,
                        one.size,
                        merchant,
                        end_user,
                        one.document_hash,
                        check,
                    ))
                })
                .collect();
            let documents = given(py, documents?)?;
            let client_id = download.client_id;
            Ok(("sdo", download.sign_id, client_id, download.order_name, state, documents))
        }
    }
}

/// `(outcome, kind, sign_id, started, download, problem, order_state, ask_again, journal,
/// raw_answer)`
type RecoveryRow<'py> = (
    &'static str,
    Option<&'static str>,
    Option<String>,
    Option<f64>,
    Option<DownloadRow>,
    Option<PyErr>,
    Option<String>,
    bool,
    Option<Bound<'py, PyString>>,
    Option<Bound<'py, PyString>>,
);

fn recovery_row(py: Python<'_>, one: Recovery) -> PyResult<RecoveryRow<'_>> {
    let ask_again = one.is_worth_asking_again();
    let started = one.started.and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
    let (_, journal) = piece(py, None, one.journal)?;
    let (_, raw_answer) = piece(py, None, one.raw_answer)?;
    Ok((
        one.outcome.as_str(),
        one.kind.map(signdoc::order::OrderKind::as_str),
        one.sign_id,
        started.map(|since| since.as_secs_f64()),
        one.download.map(|download| download_row(py, download)).transpose()?,
        one.problem.map(|problem| raised(py, &problem)),
        one.order_state,
        ask_again,
        journal,
        raw_answer,
    ))
}

/// The names of the states of a kind of order, and whether each is final.
#[pyfunction]
pub(crate) fn order_states(kind: Kind) -> Vec<(&'static str, bool)> {
    match kind {
        Kind::Pades => signdoc::spec::PadesState::KNOWN
            .iter()
            .map(|state| (state.as_str(), state.is_final()))
            .collect(),
        Kind::Sdo => signdoc::spec::SdoState::KNOWN
            .iter()
            .map(|state| (state.as_str(), state.is_final()))
            .collect(),
    }
}
