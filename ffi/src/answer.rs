//! `signdoc_answer`: the last answer of a call as it came, for support.

use std::ffi::{CString, c_char};
use std::ptr;

use serde_json::json;
use signdoc_core::LastAnswer;

use crate::guard::Entry;
use crate::handle::Handle;
use crate::view::{NO_TEXT, or_null, text};

/// Status, headers and text of an answer, see signdoc_call_last_answer. All texts belong to it and
/// live as long as it does. Freed with signdoc_answer_free.
pub struct signdoc_answer {
    _opaque: [u8; 0],
}

pub(crate) struct Answer {
    status: i32,
    headers: Vec<(CString, CString)>,
    body: Option<CString>,
    json: CString,
}

impl Handle for signdoc_answer {
    type Value = Answer;
    const TAG: u64 = u64::from_le_bytes(*b"sd-answr");
    const KIND: &'static str = "signdoc_answer";
}

impl Answer {
    pub(crate) fn new(last: &LastAnswer) -> Self {
        let LastAnswer { status, headers, body } = last;
        let shown = json!({"status": status, "headers": headers, "body": body});
        Self {
            status: i32::from(*status),
            headers: headers.iter().map(|(name, value)| (text(name), text(value))).collect(),
            body: body.as_deref().map(text),
            json: text(&shown.to_string()),
        }
    }
}

/// The HTTP status; 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_answer_status(answer: *const signdoc_answer) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_answer_status") }
        .get(0, |entry| Ok(entry.handle(answer, "answer")?.status))
}

/// How many headers are known: those that may be shown, so no cookies and nothing secret. The
/// functions below take an `index` from 0 to one less.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_answer_header_count(answer: *const signdoc_answer) -> usize {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_answer_header_count") }
        .get(0, |entry| Ok(entry.handle(answer, "answer")?.headers.len()))
}

/// The name of a header, in lower case; NULL where there is none at `index`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_answer_header_name(
    answer: *const signdoc_answer,
    index: usize,
) -> *const c_char {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_answer_header_name") }.get(ptr::null(), |entry| {
        Ok(or_null(entry.handle(answer, "answer")?.headers.get(index).map(|(name, _)| name)))
    })
}

/// The value of a header; NULL where there is none at `index`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_answer_header_value(
    answer: *const signdoc_answer,
    index: usize,
) -> *const c_char {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_answer_header_value") }.get(ptr::null(), |entry| {
        Ok(or_null(entry.handle(answer, "answer")?.headers.get(index).map(|(_, value)| value)))
    })
}

/// The text of an error answer, at most 64 KiB of it; NULL for answers that carry documents or
/// tokens.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_answer_body(answer: *const signdoc_answer) -> *const c_char {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_answer_body") }
        .get(ptr::null(), |entry| Ok(or_null(entry.handle(answer, "answer")?.body.as_ref())))
}

/// All of it as a JSON object: "status", "headers" (an array of pairs) and "body". Never NULL;
/// empty for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_answer_json(answer: *const signdoc_answer) -> *const c_char {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_answer_json") }
        .get(NO_TEXT, |entry| Ok(entry.handle(answer, "answer")?.json.as_ptr()))
}

/// Frees an answer with its texts. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_answer_free(answer: *mut signdoc_answer) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_answer_free") }.get((), |entry| {
        entry.free(answer);
        Ok(())
    });
}
