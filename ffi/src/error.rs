//! `signdoc_error`: one failure, with all that is known about it.

use std::ffi::{CString, c_char};
use std::ptr;

use serde_json::Value;
use signdoc_core::Error;

use crate::download::{Files, signdoc_download};
use crate::guard::Entry;
use crate::handle::{self, Handle, Lent};
use crate::order::{Known, signdoc_order};
use crate::results::{Results, signdoc_results};
use crate::view::{NO_TEXT, or_null, signdoc_view, text};

/// A failure: its number, what happened, what to do about it, and what the service said.
///
/// Made by functions that fail, freed by the caller with signdoc_error_free. The texts that the
/// functions below give belong to the error and live as long as it does; they are in UTF-8.
pub struct signdoc_error {
    _opaque: [u8; 0],
}

pub(crate) struct Failure {
    error: Error,
    name: CString,
    constant: CString,
    message: CString,
    advice: CString,
    category: CString,
    origin: CString,
    reference: Option<CString>,
    details: CString,
    json: CString,
    results: Option<Lent<signdoc_results>>,
    download: Option<Lent<signdoc_download>>,
    order: Option<Lent<signdoc_order>>,
}

impl Handle for signdoc_error {
    type Value = Failure;
    const TAG: u64 = u64::from_le_bytes(*b"sd-error");
    const KIND: &'static str = "signdoc_error";
}

/// An error for the caller.
pub(crate) fn new(error: Error) -> *mut signdoc_error {
    handle::new(Failure::new(error))
}

impl Failure {
    pub(crate) fn new(error: Error) -> Self {
        let conversions = error.conversions();
        let results =
            (!conversions.is_empty()).then(|| Lent::new(Results::new(conversions.to_vec())));
        Self {
            name: text(error.name()),
            constant: text(error.code().constant()),
            message: text(error.message()),
            advice: text(error.advice()),
            category: text(error.category().label()),
            origin: text(error.origin().as_str()),
            reference: error.reference().map(text),
            details: text(&Value::Object(error.details().clone()).to_string()),
            json: text(&error.to_json().to_string()),
            results,
            download: error.download().map(|found| Lent::new(Files::new(found.clone()))),
            order: error.order().map(|order| Lent::new(Known::of(order.clone()))),
            error,
        }
    }
}

fn text_of(
    entry: Entry,
    error: *const signdoc_error,
    field: impl FnOnce(&Failure) -> *const c_char,
) -> *const c_char {
    entry.get(NO_TEXT, |entry| Ok(field(entry.handle(error, "error")?)))
}

/// The number of the error, one of SIGNDOC_E_...; the same that the failing function returned.
///
/// SIGNDOC_OK for NULL, SIGNDOC_E_INVALID_HANDLE for what is no error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_error_code(error: *const signdoc_error) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_error_code") }.code(|entry| {
        let failure = entry.optional(error, "error")?;
        Ok(failure.map_or(0, |failure| failure.error.code().number()))
    })
}

/// The service's own word for the error where it has one ("token_already_used", "DOC_SIGNED"),
/// else this library's ("document_too_large"). The same word may stand for several numbers.
///
/// Never NULL; empty for NULL and for what is no error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_error_name(error: *const signdoc_error) -> *const c_char {
    // SAFETY: the caller keeps the rules of the header.
    let entry = unsafe { Entry::new("signdoc_error_name") };
    text_of(entry, error, |failure| failure.name.as_ptr())
}

/// The name of the number: "SIGNDOC_E_DOCUMENT_TOO_LARGE".
///
/// Never NULL; empty for NULL and for what is no error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_error_constant(error: *const signdoc_error) -> *const c_char {
    // SAFETY: the caller keeps the rules of the header.
    let entry = unsafe { Entry::new("signdoc_error_constant") };
    text_of(entry, error, |failure| failure.constant.as_ptr())
}

/// What happened, where, and the remedy: one line for a person, without secrets.
///
/// Never NULL; empty for NULL and for what is no error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_error_message(error: *const signdoc_error) -> *const c_char {
    // SAFETY: the caller keeps the rules of the header.
    let entry = unsafe { Entry::new("signdoc_error_message") };
    text_of(entry, error, |failure| failure.message.as_ptr())
}

/// What to do next: what docs/errors.md says of the number, unless more is known of this failure.
///
/// Never NULL; empty for NULL and for what is no error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_error_advice(error: *const signdoc_error) -> *const c_char {
    // SAFETY: the caller keeps the rules of the header.
    let entry = unsafe { Entry::new("signdoc_error_advice") };
    text_of(entry, error, |failure| failure.advice.as_ptr())
}

/// The category, as the interface specification groups errors: "Request Validation".
///
/// Never NULL; empty for NULL and for what is no error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_error_category(error: *const signdoc_error) -> *const c_char {
    // SAFETY: the caller keeps the rules of the header.
    let entry = unsafe { Entry::new("signdoc_error_category") };
    text_of(entry, error, |failure| failure.category.as_ptr())
}

/// Who found the problem: "local" (this library) or "service".
///
/// Never NULL; empty for NULL and for what is no error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_error_origin(error: *const signdoc_error) -> *const c_char {
    // SAFETY: the caller keeps the rules of the header.
    let entry = unsafe { Entry::new("signdoc_error_origin") };
    text_of(entry, error, |failure| failure.origin.as_ptr())
}

/// The HTTP status of the answer; 0 where there was none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_error_http_status(error: *const signdoc_error) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_error_http_status") }
        .get(0, |entry| Ok(entry.handle(error, "error")?.error.http_status().map_or(0, i32::from)))
}

/// The service's reference of this occurrence, to be quoted to its support; NULL where it gave
/// none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_error_reference(error: *const signdoc_error) -> *const c_char {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_error_reference") }
        .get(ptr::null(), |entry| Ok(or_null(entry.handle(error, "error")?.reference.as_ref())))
}

/// 1 where the same call may succeed when it is repeated later, else 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_error_retryable(error: *const signdoc_error) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_error_retryable") }
        .get(0, |entry| Ok(i32::from(entry.handle(error, "error")?.error.is_retryable())))
}

/// How long the service asked to wait before a repetition, in milliseconds; -1 where it did not
/// say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_error_retry_after_ms(error: *const signdoc_error) -> i64 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_error_retry_after_ms") }.get(-1, |entry| {
        let after = entry.handle(error, "error")?.error.retry_after();
        Ok(after.map_or(-1, |after| i64::try_from(after.as_millis()).unwrap_or(i64::MAX)))
    })
}

/// What a program may want to know besides, as a JSON object: "field", "limit", "actual", "path",
/// "offset", "body" and their like, where they apply.
///
/// Never NULL; empty for NULL and for what is no error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_error_details_json(error: *const signdoc_error) -> *const c_char {
    // SAFETY: the caller keeps the rules of the header.
    let entry = unsafe { Entry::new("signdoc_error_details_json") };
    text_of(entry, error, |failure| failure.details.as_ptr())
}

/// The whole error as a JSON object, document bytes left out.
///
/// Never NULL; empty for NULL and for what is no error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_error_json(error: *const signdoc_error) -> *const c_char {
    // SAFETY: the caller keeps the rules of the header.
    let entry = unsafe { Entry::new("signdoc_error_json") };
    text_of(entry, error, |failure| failure.json.as_ptr())
}

/// The results of all documents of a conversion that failed as a whole or in part: those that
/// were converted are complete, and their files stay. NULL where nothing arrived.
///
/// They belong to the error and are freed with it; freeing them does nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_error_results(
    error: *const signdoc_error,
) -> *const signdoc_results {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_error_results") }.get(ptr::null(), |entry| {
        Ok(entry.handle(error, "error")?.results.as_ref().map_or(ptr::null(), Lent::pointer))
    })
}

/// What arrived of a download that failed: the documents that came whole. NULL where nothing did.
///
/// It belongs to the error and is freed with it; freeing it does nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_error_download(
    error: *const signdoc_error,
) -> *const signdoc_download {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_error_download") }.get(ptr::null(), |entry| {
        Ok(entry.handle(error, "error")?.download.as_ref().map_or(ptr::null(), Lent::pointer))
    })
}

/// The order that exists although the call failed: where signdoc_order_create was "strict" and a
/// document was not converted. NULL where there is none, or none is known.
///
/// It belongs to the error and is freed with it; freeing it does nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_error_order(error: *const signdoc_error) -> *const signdoc_order {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_error_order") }.get(ptr::null(), |entry| {
        Ok(entry.handle(error, "error")?.order.as_ref().map_or(ptr::null(), Lent::pointer))
    })
}

/// The service's answer to a download to memory as it came, where not everything that was asked
/// for could be taken out of it: the order is deleted, so this is the only copy. Empty where there
/// is none. After a download into a folder it lies there, named by "raw_answer" in
/// signdoc_error_details_json, for signdoc_recover.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_error_raw_answer(error: *const signdoc_error) -> signdoc_view {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_error_raw_answer") }.get(signdoc_view::EMPTY, |entry| {
        let raw = entry.handle(error, "error")?.error.raw_answer();
        Ok(raw.map_or(signdoc_view::EMPTY, |bytes| signdoc_view::of(bytes)))
    })
}

/// Frees an error with its texts and results. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_error_free(error: *mut signdoc_error) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_error_free") }.get((), |entry| {
        entry.free(error);
        Ok(())
    });
}
