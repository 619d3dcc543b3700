//! `signdoc_preflight`: what the service will refuse, before it is sent.

use std::ffi::{CString, c_char};
use std::ptr;

use signdoc_core::pdf::look_over;
use signdoc_core::pdf::preflight::{Finding, Severity};
use signdoc_core::{Code, Error, Result};

use crate::documents::{self, signdoc_documents};
use crate::error::signdoc_error;
use crate::guard::Entry;
use crate::handle::{self, Handle};
use crate::loan::Loan;
use crate::view::{NO_TEXT, text};

/// What was found about a document, errors first. All texts belong to it and live as long as it
/// does. Freed with signdoc_findings_free.
pub struct signdoc_findings {
    _opaque: [u8; 0],
}

pub(crate) struct Findings {
    is_refused: bool,
    items: Vec<Shown>,
    json: CString,
}

struct Shown {
    code: CString,
    severity: CString,
    message: CString,
    remedy: CString,
}

impl Handle for signdoc_findings {
    type Value = Findings;
    const TAG: u64 = u64::from_le_bytes(*b"sd-findg");
    const KIND: &'static str = "signdoc_findings";
}

impl Findings {
    fn new(found: &[Finding]) -> Result<Self> {
        let shown = |finding: &Finding| Shown {
            code: text(finding.code.name()),
            severity: text(&finding.severity.to_string()),
            message: text(&finding.message),
            remedy: text(finding.remedy),
        };
        let json = serde_json::to_string(found)
            .map_err(|error| Error::new(Code::Internal, error.to_string()))?;
        Ok(Self {
            is_refused: found.iter().any(|finding| finding.severity == Severity::Error),
            items: found.iter().map(shown).collect(),
            json: text(&json),
        })
    }
}

/// Looks the document over, one that the list must hold alone: what the service will refuse, and
/// what its conversion will warn about. Asks nobody, and waits for nobody.
///
/// What the document contains is a finding, never an error; SIGNDOC_E_DOCUMENT_NOT_FOUND and others
/// where it cannot be read. `*findings` is freed with signdoc_findings_free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_preflight(
    documents: *const signdoc_documents,
    findings: *mut *mut signdoc_findings,
    error: *mut *mut signdoc_error,
) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_preflight") }.status(error, |entry| {
        let documents = entry.handle(documents, "documents")?;
        let findings = entry.place(findings, "findings")?;
        let items = documents::taken(documents);
        let loan = Loan::new();
        let opened = documents::unlimited(items, &loan, None)?;
        let [document] = opened.as_slice() else {
            let message = format!("documents holds {}; look them over one by one", opened.len());
            return Err(Error::new(Code::InvalidArgument, message));
        };
        let found = Findings::new(&look_over(document)?)?;
        findings.put(handle::new(found));
        Ok(())
    })
}

fn item(
    entry: Entry,
    findings: *const signdoc_findings,
    index: usize,
    field: impl FnOnce(&Shown) -> &CString,
) -> *const c_char {
    entry.get(ptr::null(), |entry| {
        let items = &entry.handle(findings, "findings")?.items;
        let found = items.get(index).ok_or_else(|| {
            let message = format!("index is {index}, but there are {}", items.len());
            Error::new(Code::InvalidArgument, message)
        })?;
        Ok(field(found).as_ptr())
    })
}

/// How many findings there are; 0 for NULL. The functions below take an `index` from 0 to one less,
/// and give NULL where there is no such finding.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_findings_count(findings: *const signdoc_findings) -> usize {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_findings_count") }
        .get(0, |entry| Ok(entry.handle(findings, "findings")?.items.len()))
}

/// 1 where the service will refuse the document, else 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_findings_refused(findings: *const signdoc_findings) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_findings_refused") }
        .get(0, |entry| Ok(i32::from(entry.handle(findings, "findings")?.is_refused)))
}

/// The service's own code where it has one ("DOC_SIGNED"), else one of the same kind ("XFA").
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_findings_code(
    findings: *const signdoc_findings,
    index: usize,
) -> *const c_char {
    // SAFETY: the caller keeps the rules of the header.
    let entry = unsafe { Entry::new("signdoc_findings_code") };
    item(entry, findings, index, |finding| &finding.code)
}

/// "error" (the service will refuse the document), "warning" or "info".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_findings_severity(
    findings: *const signdoc_findings,
    index: usize,
) -> *const c_char {
    // SAFETY: the caller keeps the rules of the header.
    let entry = unsafe { Entry::new("signdoc_findings_severity") };
    item(entry, findings, index, |finding| &finding.severity)
}

/// What was found and where.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_findings_message(
    findings: *const signdoc_findings,
    index: usize,
) -> *const c_char {
    // SAFETY: the caller keeps the rules of the header.
    let entry = unsafe { Entry::new("signdoc_findings_message") };
    item(entry, findings, index, |finding| &finding.message)
}

/// What can be done about it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_findings_remedy(
    findings: *const signdoc_findings,
    index: usize,
) -> *const c_char {
    // SAFETY: the caller keeps the rules of the header.
    let entry = unsafe { Entry::new("signdoc_findings_remedy") };
    item(entry, findings, index, |finding| &finding.remedy)
}

/// All findings as a JSON array. Never NULL; empty for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_findings_json(findings: *const signdoc_findings) -> *const c_char {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_findings_json") }
        .get(NO_TEXT, |entry| Ok(entry.handle(findings, "findings")?.json.as_ptr()))
}

/// Frees findings with their texts. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_findings_free(findings: *mut signdoc_findings) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_findings_free") }.get((), |entry| {
        entry.free(findings);
        Ok(())
    });
}
