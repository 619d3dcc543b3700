//! `signdoc_report`: what a verification found.

use std::ffi::{CString, c_char};
use std::ptr;

use signdoc_core::html::{HtmlOptions, report_html};
use signdoc_core::pdf::report::Check;
use signdoc_core::pdf::verify::FileReport;
use signdoc_core::pdf::{problem, report_json};
use signdoc_core::{Code, Error, Result};

use crate::error::{Failure, signdoc_error};
use crate::guard::Entry;
use crate::handle::{Handle, Lent};
use crate::view::{NO_TEXT, or_null, signdoc_buffer, text};

/// What a verification found: named checks, and a plain verdict. All texts belong to it and live
/// as long as it does. Freed with signdoc_report_free.
pub struct signdoc_report {
    _opaque: [u8; 0],
}

pub(crate) struct Report {
    ok: bool,
    checks: Vec<Shown>,
    signatures: Vec<Signature>,
    problem: Option<Lent<signdoc_error>>,
    json: CString,
}

struct Shown {
    name: CString,
    status: CString,
    detail: CString,
}

struct Signature {
    signer: Option<CString>,
    level: Option<CString>,
}

impl Handle for signdoc_report {
    type Value = Report;
    const TAG: u64 = u64::from_le_bytes(*b"sd-reprt");
    const KIND: &'static str = "signdoc_report";
}

impl Report {
    pub(crate) fn new(found: &FileReport) -> Self {
        let shown = |check: &Check| Shown {
            name: text(&check.name),
            status: text(check.status.as_str()),
            detail: text(&check.detail),
        };
        Self {
            ok: found.is_ok(),
            checks: found.checks().iter().map(shown).collect(),
            signatures: signatures(found),
            problem: problem(found).map(|error| Lent::new(Failure::new(error))),
            json: text(&report_json(found).to_string()),
        }
    }
}

fn signatures(found: &FileReport) -> Vec<Signature> {
    match found.document() {
        FileReport::Pdf(report) => report
            .signatures
            .iter()
            .map(|one| Signature {
                signer: one.signer.as_ref().and_then(|who| who.name.as_deref()).map(text),
                level: one.level.map(|level| text(level.name())),
            })
            .collect(),
        FileReport::Sdo(report) => report
            .signers
            .iter()
            .map(|one| Signature {
                signer: one.certificate().and_then(|own| own.subject().common_name()).map(text),
                level: None,
            })
            .collect(),
        _ => Vec::new(),
    }
}

fn at<T>(list: &[T], index: usize) -> Result<&T> {
    list.get(index).ok_or_else(|| {
        let message = format!("index is {index}, but there are {}", list.len());
        Error::new(Code::InvalidArgument, message)
    })
}

fn of_check(
    entry: Entry,
    report: *const signdoc_report,
    index: usize,
    field: impl FnOnce(&Shown) -> &CString,
) -> *const c_char {
    entry.get(ptr::null(), |entry| {
        Ok(field(at(&entry.handle(report, "report")?.checks, index)?).as_ptr())
    })
}

/// 1 where everything that counts was looked at and holds: integrity, signature and chain of every
/// signature, no change but those that signing needs, and whatever was asked for. Else 0, for NULL
/// as well.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_report_ok(report: *const signdoc_report) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_report_ok") }
        .get(0, |entry| Ok(i32::from(entry.handle(report, "report")?.ok)))
}

/// How many checks there are; 0 for NULL. The functions below take an `index` from 0 to one less.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_report_check_count(report: *const signdoc_report) -> usize {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_report_check_count") }
        .get(0, |entry| Ok(entry.handle(report, "report")?.checks.len()))
}

/// The stable name of a check: "integrity", "chain", "original" and so on. NULL where there is no
/// such check.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_report_check_name(
    report: *const signdoc_report,
    index: usize,
) -> *const c_char {
    // SAFETY: the caller keeps the rules of the header.
    let entry = unsafe { Entry::new("signdoc_report_check_name") };
    of_check(entry, report, index, |check| &check.name)
}

/// How a check ended: "passed", "failed" or "not_checked". NULL where there is no such check.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_report_check_status(
    report: *const signdoc_report,
    index: usize,
) -> *const c_char {
    // SAFETY: the caller keeps the rules of the header.
    let entry = unsafe { Entry::new("signdoc_report_check_status") };
    of_check(entry, report, index, |check| &check.status)
}

/// What was found, or why it was not looked at, for a person. NULL where there is no such check.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_report_check_detail(
    report: *const signdoc_report,
    index: usize,
) -> *const c_char {
    // SAFETY: the caller keeps the rules of the header.
    let entry = unsafe { Entry::new("signdoc_report_check_detail") };
    of_check(entry, report, index, |check| &check.detail)
}

/// How the check of this name ended; "not_checked" where there is none, because what was not asked
/// was not looked at. Never NULL; empty for wrong arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_report_status(
    report: *const signdoc_report,
    name: *const c_char,
) -> *const c_char {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_report_status") }.get(NO_TEXT, |entry| {
        let report = entry.handle(report, "report")?;
        let name = entry.text(name, "name")?;
        let found = report.checks.iter().find(|check| check.name.to_bytes() == name.as_bytes());
        Ok(found.map_or(NOT_CHECKED, |check| check.status.as_ptr()))
    })
}

const NOT_CHECKED: *const c_char = c"not_checked".as_ptr();

/// How many signatures and document timestamps a file holds; 0 for several files, whose report has
/// them in its JSON.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_report_signature_count(report: *const signdoc_report) -> usize {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_report_signature_count") }
        .get(0, |entry| Ok(entry.handle(report, "report")?.signatures.len()))
}

/// The name of who signed, as the certificate says; whether it is trusted, the checks tell. NULL
/// where there is no name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_report_signature_signer(
    report: *const signdoc_report,
    index: usize,
) -> *const c_char {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_report_signature_signer") }.get(ptr::null(), |entry| {
        Ok(or_null(at(&entry.handle(report, "report")?.signatures, index)?.signer.as_ref()))
    })
}

/// The PAdES level a signature reaches, "B-B" to "B-LTA"; NULL where it reaches none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_report_signature_level(
    report: *const signdoc_report,
    index: usize,
) -> *const c_char {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_report_signature_level") }.get(ptr::null(), |entry| {
        Ok(or_null(at(&entry.handle(report, "report")?.signatures, index)?.level.as_ref()))
    })
}

/// What matters most of what is wrong, as an error with one of SIGNDOC_E_... from 800 on; NULL
/// where the report is good. It belongs to the report and is freed with it; freeing it does
/// nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_report_problem(
    report: *const signdoc_report,
) -> *const signdoc_error {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_report_problem") }.get(ptr::null(), |entry| {
        let problem = &entry.handle(report, "report")?.problem;
        Ok(problem.as_ref().map_or(ptr::null(), Lent::pointer))
    })
}

/// The whole report as a JSON object. Never NULL; empty for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_report_json(report: *const signdoc_report) -> *const c_char {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_report_json") }
        .get(NO_TEXT, |entry| Ok(entry.handle(report, "report")?.json.as_ptr()))
}

/// The report as a page for people, UTF-8: one HTML file without scripts, which loads nothing. It
/// has the verdict in a sentence, the checks with what to do, what happened when and what proves
/// it, and outlines of the pages with seals and changes where they lie. Names of people stand in
/// it, their numbers do not; the same report gives the same bytes. `title` is what the page is
/// called, for instance the name of the file; it may be NULL. `*html` is freed with
/// signdoc_buffer_free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_report_html(
    report: *const signdoc_report,
    title: *const c_char,
    html: *mut signdoc_buffer,
    error: *mut *mut signdoc_error,
) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_report_html") }.status(error, |entry| {
        let report = entry.handle(report, "report")?;
        let title = entry.optional_text(title, "title")?.map(str::to_owned);
        let html = entry.place(html, "html")?;
        let told = serde_json::from_slice(report.json.as_bytes());
        let told = told.map_err(|error| Error::new(Code::Internal, error.to_string()))?;
        let options = HtmlOptions { title, ..HtmlOptions::default() };
        html.put(signdoc_buffer::of(report_html(&told, &options)));
        Ok(())
    })
}

/// Frees a report with its texts. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_report_free(report: *mut signdoc_report) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_report_free") }.get((), |entry| {
        entry.free(report);
        Ok(())
    });
}
