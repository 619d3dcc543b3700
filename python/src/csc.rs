//! The credential-based signing interface, for the Python side.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use signdoc::csc::{
    Credential, CscInfo, CscLogin, CscLoginOptions, HashesToSign, Padding, PdfToSign,
    SignPdfOptions, Signatures, SignedPdf, hash_algorithm,
};
use signdoc::pdf::sign::{PrepareOptions, Seal};
use signdoc::{Callback, Client, Error, FinishOptions};

use crate::buffer::next_number;
use crate::call::Call;
use crate::documents::{Limit, document};
use crate::engine::{Engine, Limits, given, told};
use crate::errors::{guarded, json_to_python, raised};

/// A session; its order of steps is kept where it lives.
#[pyclass(frozen, module = "signdoc._native")]
pub(crate) struct CscSession(signdoc::csc::CscSession);

/// Gives name, version, region, language, description, ways to log in, methods, and the whole
/// answer.
#[pyfunction]
#[pyo3(signature = (engine, *, timeout))]
pub(crate) fn csc_info(engine: &Bound<'_, Engine>, timeout: Limits) -> Call {
    let told = told(timeout);
    let options = told.options.clone();
    let make = move |client: Client| async move { client.csc().info(&options).await };
    let give = |py: Python<'_>, info: CscInfo| {
        let raw = json_to_python(py, &info.raw)?;
        let CscInfo { name, specs, region, lang, description, auth_types, methods, .. } = info;
        given(py, (name, specs, region, lang, description, auth_types, methods, raw))
    };
    engine.get().call(told, next_number(), make, give)
}

/// Gives `(url, token)`; sends nothing.
#[pyfunction]
#[pyo3(signature = (engine, redirect_uri, *, lang, description))]
pub(crate) fn csc_begin(
    engine: &Bound<'_, Engine>,
    redirect_uri: String,
    lang: Option<String>,
    description: Option<String>,
) -> Call {
    let options = CscLoginOptions { lang, description };
    let make = move |client: Client| async move { client.csc().begin(&redirect_uri, &options) };
    let give = |py: Python<'_>, login: CscLogin| {
        let token = login.to_token();
        given(py, (login.url, token))
    };
    engine.get().call(told((None, None, None)), next_number(), make, give)
}

/// Gives a session. The callback is its address, or the fields of its form.
#[pyfunction]
#[pyo3(signature = (engine, token, url, form, *, timeout))]
pub(crate) fn csc_finish(
    engine: &Bound<'_, Engine>,
    token: String,
    url: Option<String>,
    form: Option<Vec<(String, String)>>,
    timeout: Limits,
) -> Call {
    let callback = match form {
        Some(form) => Callback::from_pairs(form),
        None => Callback::from_url(&url.unwrap_or_default()),
    };
    let told = told(timeout);
    let options = FinishOptions { call: told.options.clone(), ..FinishOptions::default() };
    let make =
        move |client: Client| async move { client.csc().finish(&token, callback, &options).await };
    let give = |py: Python<'_>, session| given(py, CscSession(session));
    engine.get().call(told, next_number(), make, give)
}

/// Gives the credentials, see [`CredentialRow`].
#[pyfunction]
#[pyo3(signature = (engine, session, *, timeout))]
pub(crate) fn csc_credentials(
    engine: &Bound<'_, Engine>,
    session: &Bound<'_, CscSession>,
    timeout: Limits,
) -> Call {
    let told = told(timeout);
    let (session, options) = (session.get().0.clone(), told.options.clone());
    let make = move |_: Client| async move { session.credentials(&options).await };
    let give = |py: Python<'_>, found: Vec<Credential>| {
        let rows: PyResult<Vec<_>> = found.iter().map(|one| credential(py, one)).collect();
        given(py, rows?)
    };
    engine.get().call(told, next_number(), make, give)
}

/// Gives one credential as in the list, looked at anew.
#[pyfunction]
#[pyo3(signature = (engine, session, credential_id, *, timeout))]
pub(crate) fn csc_credential_info(
    engine: &Bound<'_, Engine>,
    session: &Bound<'_, CscSession>,
    credential_id: String,
    timeout: Limits,
) -> Call {
    let told = told(timeout);
    let (session, options) = (session.get().0.clone(), told.options.clone());
    let make =
        move |_: Client| async move { session.credential_info(&credential_id, &options).await };
    let give = |py: Python<'_>, found: Credential| given(py, credential(py, &found)?);
    engine.get().call(told, next_number(), make, give)
}

/// Identifier, description, key's status, its algorithms, its length, certificate's status,
/// certificates in DER, signatures of one authorization, and all that was told.
type CredentialRow<'py> = (
    String,
    Option<String>,
    Option<String>,
    Vec<String>,
    Option<u64>,
    Option<String>,
    Vec<Bound<'py, PyBytes>>,
    Option<u64>,
    Bound<'py, PyAny>,
);

fn credential<'py>(py: Python<'py>, one: &Credential) -> PyResult<CredentialRow<'py>> {
    let one = one.clone();
    Ok((
        one.credential_id,
        one.description,
        one.key_status,
        one.key_algorithms,
        one.key_length,
        one.certificate_status,
        one.certificates.iter().map(|der| PyBytes::new(py, der)).collect(),
        one.multisign,
        json_to_python(py, &one.raw)?,
    ))
}

/// Hashes, hash algorithm, credential, padding, description.
type Hashes = (Vec<Vec<u8>>, String, Option<String>, Option<String>, Option<String>);

/// Gives the signatures. `step` is `authorize`, `sign` or both: `all`.
#[pyfunction]
#[pyo3(signature = (engine, session, step, hashes, *, timeout))]
pub(crate) fn csc_sign_hashes(
    py: Python<'_>,
    engine: &Bound<'_, Engine>,
    session: &Bound<'_, CscSession>,
    step: &str,
    hashes: Option<Hashes>,
    timeout: Limits,
) -> PyResult<Call> {
    let request = hashes.map(request).transpose().map_err(|error| raised(py, &error))?;
    let told = told(timeout);
    let (session, options) = (session.get().0.clone(), told.options.clone());
    let is_all = step == "all";
    let make = move |_: Client| async move {
        match request {
            Some(request) if is_all => session.sign_hashes(request, &options).await.map(Some),
            Some(request) => session.authorize(request, &options).await.map(|()| None),
            None => session.sign_hash(&options).await.map(Some),
        }
    };
    let give = |py: Python<'_>, signed: Option<Signatures>| {
        let signatures = signed.map(|signed| signed.signatures).unwrap_or_default();
        let signatures: Vec<_> = signatures.iter().map(|value| PyBytes::new(py, value)).collect();
        given(py, signatures)
    };
    Ok(engine.get().call(told, next_number(), make, give))
}

fn request(
    (hashes, algorithm, credential_id, padding, description): Hashes,
) -> Result<HashesToSign, Error> {
    let mut request = HashesToSign::new(hashes, hash_algorithm(&algorithm)?);
    request.credential_id = credential_id;
    request.padding = padding.as_deref().map(Padding::named).transpose()?;
    request.description = description;
    Ok(request)
}

/// A seal: x, y, page, width, height, lines.
type SealRow = (f64, f64, u32, f64, f64, Vec<String>);

/// A document, its file, whether that may be replaced, then field, reason, place, contact, name.
type PdfRow<'py> = (Bound<'py, PyAny>, Option<PathBuf>, bool, [Option<String>; 5], Option<SealRow>);

/// Hash algorithm, credential, padding, description.
type Choice = (String, Option<String>, Option<String>, Option<String>);

/// Gives `(index, data, path, size, field_name, level, notes)` for each document. Without a
/// session the documents are only looked over.
#[pyfunction]
#[pyo3(signature = (engine, session, pdfs, choice, *, timeout))]
pub(crate) fn csc_sign_pdfs(
    py: Python<'_>,
    engine: &Bound<'_, Engine>,
    session: Option<&Bound<'_, CscSession>>,
    pdfs: Vec<PdfRow<'_>>,
    choice: Choice,
    timeout: Limits,
) -> PyResult<Call> {
    guarded(py, || {
        let told = told(timeout);
        let (hash, credential_id, padding, description) = choice;
        let options = SignPdfOptions {
            hash_algorithm: Some(hash_algorithm(&hash).map_err(|error| raised(py, &error))?),
            credential_id,
            padding: padding
                .as_deref()
                .map(Padding::named)
                .transpose()
                .map_err(|error| raised(py, &error))?,
            description,
            call: told.options.clone(),
            ..SignPdfOptions::default()
        };
        let first = next_number();
        let pdfs: PyResult<Vec<_>> = pdfs.into_iter().enumerate().map(pdf_to_sign).collect();
        let pdfs = pdfs?;
        let session = session.map(|session| session.get().0.clone());
        let make = move |client: Client| async move {
            match session {
                Some(session) => session.sign_pdfs(&pdfs, &options).await,
                None => client.csc().check_pdfs(&pdfs, &options).await.map(|()| Vec::new()),
            }
        };
        Ok(engine.get().call(told, first, make, rows))
    })
}

fn pdf_to_sign((index, row): (usize, PdfRow<'_>)) -> PyResult<PdfToSign> {
    let (pdf, to, overwrite, [field_name, reason, location, contact_info, name], seal) = row;
    let mut job = PdfToSign::new(document(index, &pdf, Limit::None)?);
    job.to = to;
    job.overwrite = overwrite;
    job.options = PrepareOptions {
        field_name,
        reason,
        location,
        contact_info,
        name,
        seal: seal.map(|(x, y, page, width, height, lines)| Seal {
            x,
            y,
            page,
            width,
            height,
            lines,
            ..Seal::default()
        }),
        ..PrepareOptions::default()
    };
    Ok(job)
}

fn rows(py: Python<'_>, signed: Vec<SignedPdf>) -> PyResult<Py<PyAny>> {
    let row = |one: SignedPdf| -> PyResult<_> {
        let path = one.path.as_ref().map(|path| path.as_os_str().into_pyobject(py)).transpose()?;
        let data = one.data.as_ref().map(|data| PyBytes::new(py, data));
        let notes = serde_json::to_value(&one.notes).unwrap_or_default();
        Ok((
            one.index,
            data,
            path,
            one.size,
            one.field_name,
            one.level.as_str(),
            json_to_python(py, &notes)?,
        ))
    };
    let rows: PyResult<Vec<_>> = signed.into_iter().map(row).collect();
    given(py, rows?)
}
