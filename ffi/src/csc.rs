//! `signdoc_csc_session` and `signdoc_csc_signed`: the credential-based signing interface.

use std::ffi::{CString, c_char};
use std::path::Path;

use bytes::Bytes;
use serde_json::{Value, json};
use signdoc_core::csc::{Credential, CscSession, PdfToSign, SignedPdf};
use signdoc_core::{Code, Error, FinishOptions, Result};

use crate::call::{self, signdoc_call};
use crate::client::signdoc_client;
use crate::csc_request::{Request, signdoc_csc_request};
use crate::documents::{self, signdoc_documents};
use crate::error::signdoc_error;
use crate::guard::Entry;
use crate::handle::{self, Handle};
use crate::loan::Loan;
use crate::login::{Begun, signdoc_login};
use crate::options::locked;
use crate::view::{or_null, signdoc_buffer, signdoc_view, text};
use crate::wait;

/// A signing session: one login, one authorization, up to 50 signatures. A step out of order, or a
/// second use, fails before anything is sent with SIGNDOC_E_CSC_TOKEN_ALREADY_USED, the code the
/// service would give. Threads may share it. Freed with signdoc_csc_session_free.
pub struct signdoc_csc_session {
    _opaque: [u8; 0],
}

/// What was signed: signature values or PDFs, in the order they were given. All texts and views
/// belong to it and live as long as it does. Freed with signdoc_csc_signed_free.
pub struct signdoc_csc_signed {
    _opaque: [u8; 0],
}

pub(crate) struct Signed {
    items: Vec<Item>,
    json: CString,
}

struct Item {
    data: Option<Bytes>,
    path: Option<CString>,
    level: Option<CString>,
}

impl Handle for signdoc_csc_session {
    type Value = CscSession;
    const TAG: u64 = u64::from_le_bytes(*b"sd-csc--");
    const KIND: &'static str = "signdoc_csc_session";
}

impl Handle for signdoc_csc_signed {
    type Value = Signed;
    const TAG: u64 = u64::from_le_bytes(*b"sd-cscsg");
    const KIND: &'static str = "signdoc_csc_signed";
}

impl Signed {
    fn of_values(values: Vec<Vec<u8>>) -> Self {
        let item = |value: Vec<u8>| Item { data: Some(value.into()), path: None, level: None };
        Self { json: text("[]"), items: values.into_iter().map(item).collect() }
    }

    fn of_pdfs(pdfs: Vec<SignedPdf>) -> Self {
        let row = |pdf: &SignedPdf| {
            json!({
                "index": pdf.index, "path": pdf.path, "size": pdf.size,
                "field_name": pdf.field_name, "level": pdf.level.as_str(), "notes": pdf.notes,
            })
        };
        let json = Value::Array(pdfs.iter().map(row).collect()).to_string();
        let item = |pdf: SignedPdf| Item {
            data: pdf.data,
            path: pdf.path.map(|path| text(&path.to_string_lossy())),
            level: Some(text(pdf.level.as_str())),
        };
        Self { json: text(&json), items: pdfs.into_iter().map(item).collect() }
    }
}

/// What is set of a request that may be left out.
fn asked(entry: &Entry, request: *const signdoc_csc_request) -> Result<Request> {
    let request = entry.optional(request, "request")?;
    Ok(request.map(|request| locked(request).clone()).unwrap_or_default())
}

/// What the interface says of itself (CSC API v2, info), as JSON. `*out` is freed with
/// signdoc_buffer_free. `timeout_ms` and `call` are as in signdoc_convert.
///
/// SIGNDOC_E_MISSING_OPTION without the option "csc_url"; errors of the network, the token and the
/// interface.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_csc_info_json(
    client: *const signdoc_client,
    timeout_ms: u64,
    call: *const signdoc_call,
    out: *mut signdoc_buffer,
    error: *mut *mut signdoc_error,
) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_csc_info_json") }.status(error, |entry| {
        let engine = entry.handle(client, "client")?;
        let watch = entry.optional(call, "call")?;
        let out = entry.place(out, "out")?;
        let settings = call::settings(timeout_ms, watch);
        let info =
            wait::run(engine, watch, |client| async move { client.csc().info(&settings).await })?;
        out.put(signdoc_buffer::of(info.raw.to_string()));
        Ok(())
    })
}

/// The address to send the end user to; sends nothing. `*out` is freed with signdoc_login_free;
/// its signdoc_login_sign_id is empty.
///
/// `redirect_uri`: where the user comes back to, as it is registered. `request`, which may be NULL:
/// "lang" and "description" of it are used.
///
/// SIGNDOC_E_MISSING_OPTION without the option "csc_url"; SIGNDOC_E_INVALID_ARGUMENT for a redirect
/// address that cannot be one; SIGNDOC_E_MISSING_SECRET where there is nothing to seal with.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_csc_begin(
    client: *const signdoc_client,
    redirect_uri: *const c_char,
    request: *const signdoc_csc_request,
    out: *mut *mut signdoc_login,
    error: *mut *mut signdoc_error,
) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_csc_begin") }.status(error, |entry| {
        let engine = entry.handle(client, "client")?;
        let redirect = entry.text(redirect_uri, "redirect_uri")?.to_owned();
        let options = asked(entry, request)?.login();
        let out = entry.place(out, "out")?;
        let begin =
            |client: signdoc_core::Client| async move { client.csc().begin(&redirect, &options) };
        let login = wait::run(engine, None, begin)?;
        out.put(handle::new(Begun::new(&login.url, "", &login.to_token())));
        Ok(())
    })
}

/// Takes what came back on the redirect and exchanges its code for a session. `*out` is freed with
/// signdoc_csc_session_free.
///
/// `token` is what signdoc_login_token gave; `callback` is the whole address of the callback, or
/// the form it posted. `timeout_ms` and `call` are as in signdoc_convert.
///
/// SIGNDOC_E_LOGIN_TOKEN_INVALID, SIGNDOC_E_LOGIN_STATE_MISMATCH (ignore such a callback), the
/// errors of the redirect (SIGNDOC_E_AUTHORIZE_ACCESS_DENIED and the others) and of the token
/// endpoint (SIGNDOC_E_OAUTH_INVALID_GRANT for a callback that was used before).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_csc_finish(
    client: *const signdoc_client,
    token: *const c_char,
    callback: *const c_char,
    timeout_ms: u64,
    call: *const signdoc_call,
    out: *mut *mut signdoc_csc_session,
    error: *mut *mut signdoc_error,
) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_csc_finish") }.status(error, |entry| {
        let engine = entry.handle(client, "client")?;
        let token = entry.text(token, "token")?.to_owned();
        let callback = entry.text(callback, "callback")?.to_owned();
        let watch = entry.optional(call, "call")?;
        let out = entry.place(out, "out")?;
        let options =
            FinishOptions { call: call::settings(timeout_ms, watch), ..Default::default() };
        let session = wait::run(engine, watch, |client| async move {
            client.csc().finish(&token, callback.as_str(), &options).await
        })?;
        out.put(handle::new(session));
        Ok(())
    })
}

/// The user's credentials as a JSON array (CSC API v2, credentials/list): asked for once, then
/// remembered. `*out` is freed with signdoc_buffer_free. `timeout_ms` and `call` are as in
/// signdoc_convert.
///
/// SIGNDOC_E_CSC_CREDENTIAL_NOT_FOUND where there is none; the other codes of the interface.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_csc_credentials_json(
    client: *const signdoc_client,
    session: *const signdoc_csc_session,
    timeout_ms: u64,
    call: *const signdoc_call,
    out: *mut signdoc_buffer,
    error: *mut *mut signdoc_error,
) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_csc_credentials_json") }.status(error, |entry| {
        let engine = entry.handle(client, "client")?;
        let session = entry.handle(session, "session")?.clone();
        let watch = entry.optional(call, "call")?;
        let out = entry.place(out, "out")?;
        let settings = call::settings(timeout_ms, watch);
        let found =
            wait::run(engine, watch, |_| async move { session.credentials(&settings).await })?;
        let rows: Vec<Value> = found.into_iter().map(|one: Credential| one.raw).collect();
        out.put(signdoc_buffer::of(Value::Array(rows).to_string()));
        Ok(())
    })
}

/// One of the user's credentials as JSON, looked at anew, after the list and before anything is
/// signed. It stands outside of the once-only order, and is called by
/// itself only where the list gave no more than a name. `*out` is
/// freed with signdoc_buffer_free. `timeout_ms` and `call` are as in signdoc_convert.
///
/// SIGNDOC_E_CSC_TOKEN_ALREADY_USED when it is not its turn; the codes of the interface.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_csc_credential_info_json(
    client: *const signdoc_client,
    session: *const signdoc_csc_session,
    credential_id: *const c_char,
    timeout_ms: u64,
    call: *const signdoc_call,
    out: *mut signdoc_buffer,
    error: *mut *mut signdoc_error,
) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_csc_credential_info_json") }.status(error, |entry| {
        let engine = entry.handle(client, "client")?;
        let session = entry.handle(session, "session")?.clone();
        let id = entry.text(credential_id, "credential_id")?.to_owned();
        let watch = entry.optional(call, "call")?;
        let out = entry.place(out, "out")?;
        let settings = call::settings(timeout_ms, watch);
        let found =
            wait::run(
                engine,
                watch,
                |_| async move { session.credential_info(&id, &settings).await },
            )?;
        out.put(signdoc_buffer::of(found.raw.to_string()));
        Ok(())
    })
}

/// Signs digests: list, authorize, signHash, and the check of each signature. The values in `*out`,
/// one for each digest, are had with signdoc_csc_signed_data and freed with
/// signdoc_csc_signed_free. Values of ECDSA keys are as the service wrote them.
///
/// `hashes`: `count` digests (1 to 50) of `hash_len` bytes each, one behind the other. `request`,
/// which may be NULL, tells how they were made and how they are signed. `timeout_ms` is the time
/// each step may take; `call` is as in signdoc_convert.
///
/// Before anything is sent: SIGNDOC_E_CSC_INVALID_PARAMETERS, SIGNDOC_E_CSC_TOKEN_ALREADY_USED. The
/// codes of the interface; SIGNDOC_E_CSC_SIGNATURE_MISMATCH for a signature that is not the one
/// asked for; SIGNDOC_E_OUTCOME_UNKNOWN when the answer was lost.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_csc_sign_hashes(
    client: *const signdoc_client,
    session: *const signdoc_csc_session,
    hashes: *const u8,
    count: usize,
    hash_len: usize,
    request: *const signdoc_csc_request,
    timeout_ms: u64,
    call: *const signdoc_call,
    out: *mut *mut signdoc_csc_signed,
    error: *mut *mut signdoc_error,
) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_csc_sign_hashes") }.status(error, |entry| {
        let engine = entry.handle(client, "client")?;
        let session = entry.handle(session, "session")?.clone();
        let request = asked(entry, request)?;
        let watch = entry.optional(call, "call")?;
        let out = entry.place(out, "out")?;
        let request = request.hashes(entry.digests(hashes, count, hash_len)?);
        let settings = call::settings(timeout_ms, watch);
        let signed =
            wait::run(
                engine,
                watch,
                |_| async move { session.sign_hashes(request, &settings).await },
            )?;
        out.put(handle::new(Signed::of_values(signed.signatures)));
        Ok(())
    })
}

/// Signs 1 to 50 PDFs in one session. Documents and destinations are checked before the session's
/// token is used; each signature is verified before it is embedded; the bytes of a document stay an
/// untouched prefix of the signed one. `*out` is freed with signdoc_csc_signed_free.
///
/// `session`: NULL only looks documents and destinations over, as should be done before a user is
/// sent to log in; `*out` is empty then. `to_folder`: where signed PDFs are written, each named
/// after its document, complete or not at all, readable by its owner alone; NULL: they stay in
/// memory. `request`, which may be NULL, tells how they are signed. `timeout_ms` is the time each
/// step may take; `call` is as in signdoc_convert.
///
/// SIGNDOC_E_PDF_ENCRYPTED, SIGNDOC_E_PDF_NOT_SIGNABLE, SIGNDOC_E_SEAL_PAGE,
/// SIGNDOC_E_DESTINATION_EXISTS and their like before the token is used; those of
/// signdoc_csc_sign_hashes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_csc_sign_pdfs(
    client: *const signdoc_client,
    session: *const signdoc_csc_session,
    documents: *const signdoc_documents,
    to_folder: *const c_char,
    request: *const signdoc_csc_request,
    timeout_ms: u64,
    call: *const signdoc_call,
    out: *mut *mut signdoc_csc_signed,
    error: *mut *mut signdoc_error,
) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_csc_sign_pdfs") }.status(error, |entry| {
        let engine = entry.handle(client, "client")?;
        let session = entry.optional(session, "session")?.cloned();
        let items = entry.handle(documents, "documents")?;
        let folder = entry.optional_text(to_folder, "to_folder")?;
        let request = asked(entry, request)?;
        let watch = entry.optional(call, "call")?;
        let out = entry.place(out, "out")?;
        let loan = Loan::new();
        let documents = documents::unlimited(documents::taken(items), &loan, watch)?;
        let mut pdfs: Vec<_> = documents.into_iter().map(|one| request.pdf(one)).collect();
        if let Some(folder) = folder {
            PdfToSign::into_folder(&mut pdfs, Path::new(folder), request.overwrite)?;
        }
        let options = request.options(call::settings(timeout_ms, watch));
        let signed = wait::run(engine, watch, |client| async move {
            match session {
                Some(session) => session.sign_pdfs(&pdfs, &options).await,
                None => client.csc().check_pdfs(&pdfs, &options).await.map(|()| Vec::new()),
            }
        })?;
        out.put(handle::new(Signed::of_pdfs(signed)));
        Ok(())
    })
}

/// How many there are; 0 for NULL. The functions below take an `index` from 0 to one less.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_csc_signed_count(signed: *const signdoc_csc_signed) -> usize {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_csc_signed_count") }
        .get(0, |entry| Ok(entry.handle(signed, "signed")?.items.len()))
}

/// The signature value, or the signed PDF where it is in memory; else an empty view.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_csc_signed_data(
    signed: *const signdoc_csc_signed,
    index: usize,
) -> signdoc_view {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_csc_signed_data") }.get(signdoc_view::EMPTY, |entry| {
        let data = entry.handle(signed, "signed")?.items.get(index);
        let data = data.and_then(|item| item.data.as_ref());
        Ok(data.map_or(signdoc_view::EMPTY, |data| signdoc_view::of(data)))
    })
}

/// The file a signed PDF was written to; NULL where it is in memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_csc_signed_path(
    signed: *const signdoc_csc_signed,
    index: usize,
) -> *const c_char {
    // SAFETY: the caller keeps the rules of the header.
    let entry = unsafe { Entry::new("signdoc_csc_signed_path") };
    of_item(entry, signed, index, |item| item.path.as_ref())
}

/// The PAdES baseline level a PDF has reached: "B-B", "B-T" (with the option "tsa_url") or "B-LT"
/// (and revocation answers); NULL for signature values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_csc_signed_level(
    signed: *const signdoc_csc_signed,
    index: usize,
) -> *const c_char {
    // SAFETY: the caller keeps the rules of the header.
    let entry = unsafe { Entry::new("signdoc_csc_signed_level") };
    of_item(entry, signed, index, |item| item.level.as_ref())
}

fn of_item(
    entry: Entry,
    signed: *const signdoc_csc_signed,
    index: usize,
    field: impl FnOnce(&Item) -> Option<&CString>,
) -> *const c_char {
    entry.get(std::ptr::null(), |entry| {
        let items = &entry.handle(signed, "signed")?.items;
        Ok(or_null(items.get(index).and_then(field)))
    })
}

/// All about the signed PDFs as a JSON array: "index", "path", "size", "field_name", "level",
/// "notes". Never NULL; empty for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_csc_signed_json(
    signed: *const signdoc_csc_signed,
) -> *const c_char {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_csc_signed_json") }
        .get(crate::view::NO_TEXT, |entry| Ok(entry.handle(signed, "signed")?.json.as_ptr()))
}

/// Frees a session; its token is forgotten. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_csc_session_free(session: *mut signdoc_csc_session) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_csc_session_free") }.get((), |entry| {
        entry.free(session);
        Ok(())
    });
}

/// Frees what was signed with its texts; files stay. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_csc_signed_free(signed: *mut signdoc_csc_signed) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_csc_signed_free") }.get((), |entry| {
        entry.free(signed);
        Ok(())
    });
}

impl Entry {
    /// `count` digests of the caller's, one behind the other.
    fn digests(&self, hashes: *const u8, count: usize, hash_len: usize) -> Result<Vec<Vec<u8>>> {
        let wrong = |why: String| {
            Err(Error::new(Code::CscInvalidParameters, why).with_detail("field", "hashes"))
        };
        // Far above what is allowed, and far below what a sum could not hold.
        if count > 10_000 || !(1..=1024).contains(&hash_len) {
            return wrong(format!("{count} hashes of {hash_len} bytes cannot be signed"));
        }
        if count == 0 {
            return Ok(Vec::new());
        }
        let bytes = self.bytes(hashes, count * hash_len, "hashes")?;
        Ok(bytes.chunks_exact(hash_len).map(<[u8]>::to_vec).collect())
    }
}
