//! Whether the verification accepts what this crate has signed.

use super::options::{SealRules, VerifyOptions};
use super::report::VerifyReport;
use super::{cache, verify, work_for};
use crate::compare::{self, Rules};
use crate::pdf::{Document, Limits, PdfError, PdfErrorKind, SharedSource};
use crate::report::Status;

/// Seals of any size: whoever signs decides.
fn any_seal() -> SealRules {
    SealRules { max_width: f64::INFINITY, max_height: f64::INFINITY, ..SealRules::default() }
}

fn refused(detail: impl std::fmt::Display) -> PdfError {
    PdfError::new(PdfErrorKind::NotVerifiable, detail.to_string())
}

/// Compares an update with what it was made for, before anything is signed: whether a signature
/// in it could verify. Reads every object and hashes nothing.
pub(crate) fn check_update(updated: SharedSource, original: &SharedSource) -> Result<(), PdfError> {
    let work = work_for(updated.len());
    let document = Document::open_within(cache::Cached::over(updated), Limits::default(), &work)?;
    let seals = any_seal();
    let rules = Rules { seals: &seals, may_fill: false };
    let compared = compare::base_of_original(&document, original, None)
        .and_then(|base| compare::compare(&document, &base, &rules));
    if let Some(reached) = work.reached() {
        return Err(reached.clone());
    }
    let changes = compared.map_err(refused)?.changes;
    match changes.forbidden.first() {
        None => Ok(()),
        Some(first) => {
            let object = first.object.as_deref().unwrap_or("the file");
            Err(refused(format!("{object}: {}", first.detail)))
        }
    }
}

/// Verifies a signed document against what was to be signed, whoever signed it: that the original
/// is untouched, that only what signing needs was added, and that the signature in `field` covers
/// all of it and holds. For whoever hands signed documents out, before they do.
///
/// Costs what a verification costs; memory does not grow with the document.
///
/// # Errors
/// `NotVerifiable` with the check that failed.
pub fn check_signed(
    signed: SharedSource,
    original: SharedSource,
    field: &str,
) -> Result<(), PdfError> {
    let options =
        VerifyOptions { original: Some(original), seals: any_seal(), ..VerifyOptions::default() };
    let report = verify(signed, &options);
    for name in ["document", "changes", "original"] {
        let check = report.checks.get(name);
        if check.is_none_or(|check| check.status != Status::Passed) {
            let detail = check.map_or("was not made", |check| check.detail.as_str());
            return Err(refused(format!("{name}: {detail}")));
        }
    }
    check_field(&report, field)
}

/// Compares a document to which validation data or a document timestamp was appended with what it
/// was before: only what these need was added. For whoever hands extended documents out; that the
/// former bytes are a prefix, they see to themselves.
///
/// # Errors
/// `NotVerifiable` with what is too much; as the reader reports.
pub fn check_appended(updated: SharedSource, original: &SharedSource) -> Result<(), PdfError> {
    check_update(updated, original)
}

/// Whether the signature or timestamp in `field` covers its revision and holds, whoever made it.
///
/// # Errors
/// `NotVerifiable` with the check that failed.
pub fn check_field(report: &VerifyReport, field: &str) -> Result<(), PdfError> {
    let own = report.signatures.iter().find(|signature| signature.field == field);
    let own = own.ok_or_else(|| refused(format!("the signature in {field} is not found")))?;
    for name in ["byte_range", "digest", "signature"] {
        if own.checks.status(name) != Status::Passed {
            let detail = own.checks.get(name).map_or("was not made", |check| &check.detail);
            return Err(refused(format!("{field}: {name}: {detail}")));
        }
    }
    Ok(())
}
