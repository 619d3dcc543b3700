//! What the library says about itself: versions, the error table, and whether it is well.

use std::ffi::c_char;
use std::fmt::Write as _;

use serde_json::{Value, json};
use signdoc_core::spec::{Spec, Warning};
use signdoc_core::{Code, Error, engine};

use crate::error::signdoc_error;
use crate::guard::{self, Entry};
use crate::view::{NO_TEXT, signdoc_buffer};

/// The number of the interface this library has; see signdoc_abi_version.
pub const SIGNDOC_ABI_VERSION: u32 = 0;

/// The version as a text that ends with a zero byte.
const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");

/// The version of the library that is loaded, such as "0.1.0"; SIGNDOC_VERSION is that of the
/// header. Not to be freed.
#[unsafe(no_mangle)]
pub extern "C" fn signdoc_version() -> *const c_char {
    // SAFETY: there is no pointer.
    unsafe { Entry::new("signdoc_version") }.get(NO_TEXT, |_| Ok(VERSION.as_ptr().cast()))
}

/// The number of the interface of the library that is loaded. Where it differs from
/// SIGNDOC_ABI_VERSION, the program was built with a header that does not fit.
#[unsafe(no_mangle)]
pub extern "C" fn signdoc_abi_version() -> u32 {
    // SAFETY: there is no pointer.
    unsafe { Entry::new("signdoc_abi_version") }.get(u32::MAX, |_| Ok(SIGNDOC_ABI_VERSION))
}

/// How many faults inside the library (Rust panics) were stopped in this process so far; anything
/// but 0 is a defect worth a report. A function with a return code gives SIGNDOC_E_PANIC then, any
/// other the value it gives for wrong arguments; this number tells the two apart.
#[unsafe(no_mangle)]
pub extern "C" fn signdoc_stopped_panics() -> u64 {
    // SAFETY: there is no pointer.
    unsafe { Entry::new("signdoc_stopped_panics") }.get(0, |_| Ok(guard::panics()))
}

/// Ends the library's own threads; a later call starts new ones. Never needed, but leak checkers
/// count the memory of threads that still run when the program ends. No call may be under way;
/// downloads that are still being received are waited for, as by signdoc_downloads_finish.
#[unsafe(no_mangle)]
pub extern "C" fn signdoc_shutdown() {
    // SAFETY: there is no pointer.
    unsafe { Entry::new("signdoc_shutdown") }.get((), |_| {
        engine::shutdown();
        Ok(())
    });
}

/// The whole error table as JSON: an object with "codes" and "warnings", each an array of objects
/// with "number", "constant", "name", "summary", "advice" and more. `*out` is freed with
/// signdoc_buffer_free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_error_table_json(
    out: *mut signdoc_buffer,
    error: *mut *mut signdoc_error,
) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_error_table_json") }.status(error, |entry| {
        let out = entry.place(out, "out")?;
        let codes: Vec<_> = Code::ALL.iter().map(|code| code_row(*code)).collect();
        let warnings: Vec<_> = Warning::ALL.iter().map(|warning| warning_row(*warning)).collect();
        out.put(signdoc_buffer::of(json!({"codes": codes, "warnings": warnings}).to_string()));
        Ok(())
    })
}

fn code_row(code: Code) -> Value {
    let Spec { constant, name, category, class, http_status, retryable, summary, advice, source } =
        code.spec();
    let failure = code != Code::Ok;
    json!({
        "number": code.number(),
        "constant": constant,
        "name": name,
        "category": failure.then(|| category.label()),
        "class": failure.then_some(class),
        "http_status": http_status,
        "retryable": retryable,
        "message": code.conversion_message(),
        "summary": summary,
        "advice": advice,
        "source": source,
    })
}

fn warning_row(warning: Warning) -> Value {
    json!({
        "number": warning.number(),
        "constant": warning.constant(),
        "name": warning.name(),
        "message": warning.message(),
        "summary": warning.summary(),
        "advice": warning.advice(),
        "source": warning.source(),
    })
}

/// Explains a number ("701"), a name ("token_already_used") or a constant of the error table, or a
/// warning ("FONT_SUBST"), in any case: some lines of text for each row the word may mean. `*out`
/// is freed with signdoc_buffer_free.
///
/// SIGNDOC_E_INVALID_ARGUMENT where the table does not have the word.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_explain(
    word: *const c_char,
    out: *mut signdoc_buffer,
    error: *mut *mut signdoc_error,
) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_explain") }.status(error, |entry| {
        let word = entry.text(word, "word")?;
        let out = entry.place(out, "out")?;
        let rows = explained(word);
        if rows.is_empty() {
            let message = format!(
                "word is {word:?}, which is no number, name or constant of the error table"
            );
            return Err(Error::new(Code::InvalidArgument, message));
        }
        out.put(signdoc_buffer::of(rows.join("\n")));
        Ok(())
    })
}

fn explained(word: &str) -> Vec<String> {
    let warnings = Warning::ALL
        .iter()
        .filter(|w| Warning::from_name(word) == Some(**w) || w.constant() == word);
    Code::find(word).into_iter().map(of_code).chain(warnings.map(|w| of_warning(*w))).collect()
}

// Writing into a String cannot fail, hence the ignored results below.

fn of_code(code: Code) -> String {
    let Spec { constant, name, category, http_status, retryable, summary, advice, source, .. } =
        code.spec();
    let mut out = format!("{} {constant} ({name}): {summary}\n", code.number());
    let _ = writeln!(out, "  what to do: {advice}");
    let status = http_status.map_or_else(String::new, |status| format!(", HTTP status {status}"));
    let retry = if retryable { "yes" } else { "no" };
    let _ = writeln!(out, "  category {category}{status}, retry: {retry}");
    let _ = writeln!(out, "  source: {source}");
    out
}

fn of_warning(warning: Warning) -> String {
    let mut out = format!("{} {} ", warning.number(), warning.constant());
    let _ = writeln!(out, "({}): {}", warning.name(), warning.summary());
    let _ = writeln!(out, "  what to do: {}", warning.advice());
    let _ = writeln!(out, "  source: {}", warning.source());
    out
}
