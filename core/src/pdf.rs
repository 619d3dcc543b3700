//! Signatures in PDF and SEID-SDO files, offline: [`verify`], [`preflight`], and signing in two
//! steps with [`sign`].
//!
//! This is the crate `signdoc-signature` under one name, and what its findings mean in the error
//! table.
//!
//! ```
//! use std::sync::Arc;
//! use signdoc::pdf::{problem, verify::{VerifyOptions, verify_files}};
//! # use bytes::Bytes;
//!
//! let signed: signdoc::pdf::pdf::SharedSource = Arc::new(Bytes::from_static(b"no pdf"));
//! let report = verify_files(&[signed], &VerifyOptions::default());
//! let error = problem(&report).unwrap();
//! assert_eq!(error.code(), signdoc::Code::PdfMalformed);
//! ```

pub use signdoc_signature::*;

use serde_json::{Value, json};

use crate::{Code, Document, Error, Result};
use pdf::SharedSource;
use preflight::{Finding, PreflightOptions};
use preview::{PlannedSeal, Preview};
use report::{Check, Status};
use verify::FileReport;
use x509::{ChainFault, TrustAnchors};

/// The bytes of a document, read by position. Whatever it contains is for the verification to
/// tell; `field` is what an error calls the document.
///
/// # Errors
/// When there is no such file, or it cannot be read.
pub fn source(document: &Document, field: &str) -> Result<SharedSource> {
    document.shared(field).map_err(|error| error.with_detail("field", field))
}

/// Certificates to be trusted, as PEM or DER, from any number of files.
///
/// # Errors
/// [`Code::TrustUnusable`] for what holds no certificates; when a file cannot be read.
pub fn anchors(files: &[Document], field: &str) -> Result<TrustAnchors> {
    let mut all = TrustAnchors::none();
    for file in files {
        let source = source(file, field)?;
        let unusable = |why: &dyn std::fmt::Display| {
            let message = format!("{field} holds no certificates that can be used: {why}");
            Error::new(Code::TrustUnusable, message).with_detail("field", field)
        };
        if source.len() > MAX_TRUST {
            let size = source.len();
            return Err(unusable(&format!("{size} bytes are more than the {MAX_TRUST} read")));
        }
        let mut bytes = Vec::new();
        pdf::copy_range(source.as_ref(), 0, source.len(), &mut bytes)
            .map_err(|error| unusable(&error))?;
        let found = TrustAnchors::from_bytes(&bytes).map_err(|error| unusable(&error))?;
        found.certificates().iter().for_each(|certificate| all.push(certificate.clone()));
    }
    Ok(all)
}

/// More certificates than any list of trusted ones holds, in bytes.
const MAX_TRUST: u64 = 16 << 20;

/// What is asked about signed files, with everything as documents and texts: the form that is the
/// same in every language. From Rust, [`verify::verify_files`] takes the same typed.
#[derive(Debug, Clone, Default)]
pub struct Question {
    /// The signed file, or the results of serial sessions, the first one first.
    pub signed: Vec<Document>,
    /// What was sent.
    pub original: Option<Document>,
    /// Certificates at which chains may end, as PEM or DER; nobody is trusted without.
    pub trust: Vec<Document>,
    /// Those for timestamps; the same when it is not given.
    pub timestamp_trust: Option<Vec<Document>>,
    /// Options by name, see [`verify::VerifyOptions::set`].
    pub options: Vec<(String, String)>,
}

impl Question {
    /// The options of the question, with everything but the signed files.
    pub(crate) fn typed(&self) -> Result<verify::VerifyOptions> {
        let mut asked = typed(&self.options)?;
        asked.trust = anchors(&self.trust, "trust")?;
        if let Some(stamps) = &self.timestamp_trust {
            asked.timestamp_trust = Some(anchors(stamps, "timestamp_trust")?);
        }
        if let Some(original) = &self.original {
            asked.original = Some(source(original, "original")?);
        }
        Ok(asked)
    }
}

/// The options of these names.
pub(crate) fn typed(options: &[(String, String)]) -> Result<verify::VerifyOptions> {
    let mut asked = verify::VerifyOptions::default();
    for (name, value) in options {
        asked.set(name, value).map_err(|error| {
            let error = Error::new(Code::InvalidOption, error.to_string());
            error.with_detail("field", name.as_str())
        })?;
    }
    Ok(asked)
}

/// Verifies signed files. What they contain is in the report and never an error.
///
/// # Errors
/// When a file cannot be read; [`Code::TrustUnusable`]; [`Code::InvalidOption`].
pub fn ask(question: &Question) -> Result<FileReport> {
    let asked = question.typed()?;
    let signed = &question.signed;
    let open = |document| source(document, "signed");
    let files: Vec<SharedSource> = signed.iter().map(open).collect::<Result<_>>()?;
    Ok(verify::verify_files(&files, &asked))
}

/// What the service will refuse, and what its conversion will warn about, before a document is
/// sent; the errors come first.
///
/// # Errors
/// When the document cannot be read: what it contains is a finding.
pub fn look_over(document: &Document) -> Result<Vec<Finding>> {
    let source = source(document, "document")?;
    preflight::preflight(source, &PreflightOptions::default()).map_err(|error| {
        Error::new(Code::DocumentUnreadable, format!("the document cannot be read: {error}"))
    })
}

/// Where visible seals would lie in a document, and what is wrong with that, before an order is
/// created.
///
/// # Errors
/// [`Code::DocumentUnreadable`] for what cannot be read as a PDF within the limits;
/// [`Code::InvalidArgument`] for no seals, and for more than [`MAX_SEALS`](preview::MAX_SEALS).
pub fn look_at_seals(document: &Document, seals: &[PlannedSeal]) -> Result<Preview> {
    let limit = preview::MAX_SEALS;
    if seals.is_empty() || seals.len() > limit {
        let why = format!("seals has {} places; give 1 to {limit}", seals.len());
        let error = Error::new(Code::InvalidArgument, why).with_detail("field", "seals");
        return Err(error.with_detail("limit", limit).with_detail("actual", seals.len()));
    }
    let source = source(document, "document")?;
    preview::preview(source, seals).map_err(|error| {
        Error::new(Code::DocumentUnreadable, format!("the document cannot be read: {error}"))
    })
}

/// What the PDF reader and writer report, in the terms of the error table.
pub(crate) fn code_of(error: &pdf::PdfError) -> Code {
    use pdf::PdfErrorKind as Kind;
    match error.kind() {
        Kind::Encrypted => Code::PdfEncrypted,
        Kind::NotPdf => Code::NotAPdf,
        Kind::PageNotFound | Kind::SealOutsidePage => Code::SealPage,
        Kind::InvalidArgument => Code::InvalidArgument,
        Kind::Io => Code::DocumentUnreadable,
        Kind::PlaceholderTooSmall | Kind::StateMismatch => Code::Internal,
        _ => Code::PdfNotSignable,
    }
}

/// What is wrong with a file that did not verify, as the error that every language knows; `None`
/// for one that did.
///
/// The code is that of the failed check that matters most: one about the bytes before one about
/// the people. `details` has the names of all checks that failed, and of those that count and were
/// not made. No person is named.
#[must_use]
pub fn problem(report: &FileReport) -> Option<Error> {
    if report.is_ok() {
        return None;
    }
    let failed = failures(report).map(|(_, check)| check).collect();
    Some(problem_of(report, failed))
}

/// The same of failed checks with these codes alone; `None` where there are none.
pub(crate) fn problem_among(report: &FileReport, counts: impl Fn(Code) -> bool) -> Option<Error> {
    let failed = failures(report).filter(|(code, _)| counts(*code)).map(|(_, check)| check);
    let failed: Vec<&Check> = failed.collect();
    (!failed.is_empty()).then(|| problem_of(report, failed))
}

fn failures(report: &FileReport) -> impl Iterator<Item = (Code, &Check)> {
    let failed = report.checks().iter().filter(|check| check.status == Status::Failed);
    let about = About::of(report);
    failed.map(move |check| (about.meaning(&check.name).1, check))
}

fn problem_of(report: &FileReport, failed: Vec<&Check>) -> Error {
    let open = report.unanswered();
    let names =
        |checks: &[&Check]| checks.iter().map(|check| check.name.clone()).collect::<Vec<_>>();
    let (failed_names, open_names) = (names(&failed), names(&open));
    let about = About::of(report);
    let ranked = failed.iter().map(|check| (about.meaning(&check.name), check));
    let (code, message) = match ranked.min_by_key(|((rank, _), _)| *rank) {
        Some(((_, code), check)) => {
            let rest = match failed.len() {
                1 => String::new(),
                count => format!(" (and {} more checks failed)", count - 1),
            };
            (code, format!("not verified: {}: {}{rest}", check.name, check.detail))
        }
        None => {
            let code = match open.first().map(|check| check.name.rsplit('.').next()) {
                Some(Some("revocation")) => Code::RevocationUnknown,
                _ => Code::NotChecked,
            };
            let why = open.first().map(|check| format!("{}: {}", check.name, check.detail));
            let why = why.unwrap_or_else(|| "nothing was looked at".to_owned());
            (code, format!("not verified, what counts was not checked: {why}"))
        }
    };
    let error = Error::new(code, message);
    error.with_detail("failed", failed_names).with_detail("not_checked", open_names)
}

/// The whole report as JSON; `problem` is the error, or null.
#[must_use]
pub fn report_json(report: &FileReport) -> Value {
    let mut shown = report.to_json();
    let problem = problem(report).map_or(Value::Null, |error| {
        json!({
            "code": error.code().number(),
            "name": error.name(),
            "message": error.message(),
            "details": error.details(),
        })
    });
    if let Some(fields) = shown.as_object_mut() {
        fields.insert("problem".into(), problem);
    }
    shown
}

/// What the meaning of a failed check depends on besides its name.
pub(crate) struct About {
    pub(crate) is_sdo: bool,
    pub(crate) is_container: bool,
    pub(crate) is_unsigned: bool,
    /// The row for the signers' chains.
    pub(crate) chain: Code,
}

impl About {
    fn of(report: &FileReport) -> Self {
        Self {
            is_sdo: matches!(report.document(), FileReport::Sdo(_)),
            is_container: matches!(report, FileReport::Container(_)),
            is_unsigned: is_unsigned(report),
            chain: chain_code(report),
        }
    }

    /// How much a failed check matters (least is most), and its code.
    pub(crate) fn meaning(&self, name: &str) -> (u8, Code) {
        let is_sdo = self.is_sdo;
        match name {
            "container" | "manifest" if self.is_container => return (0, Code::ContainerInvalid),
            "contents" if self.is_container => return (0, Code::ContentChanged),
            "container_timestamp" if self.is_container => return (9, Code::TimestampInvalid),
            "order" if self.is_container => return (2, Code::ContentChanged),
            "identity" if self.is_container => return (7, Code::SignerMismatch),
            _ => {}
        }
        // Behind `file[0].` and `object[0].`; `seal.` and `signature[0].` are parts of an object.
        let name = match name.split_once("].") {
            Some((owner, rest)) if !owner.starts_with("signature") => rest,
            _ => name,
        };
        if is_sdo && name.starts_with("seal.") {
            let is_about_people = matches!(name, "seal.chain" | "seal.purpose");
            return (3, if is_about_people { Code::ChainUntrusted } else { Code::SealInvalid });
        }
        let part = name.rsplit('.').next().unwrap_or(name);
        match part {
            "structure" if is_sdo => (0, Code::SdoMalformed),
            // Against another document no digest agrees.
            "original" if is_sdo => (0, Code::ContentChanged),
            "document" if is_sdo => (2, Code::ContentChanged),
            "document" | "structure" => (0, Code::PdfMalformed),
            "integrity" if self.is_unsigned => (0, Code::SignatureMissing),
            "integrity" | "digest" => (1, Code::IntegrityFailed),
            "signature" | "cms" | "certificate" => (3, Code::SignatureInvalid),
            "original" | "unsigned_digest" | "signed_digest" => (2, Code::ContentChanged),
            "changes" => (4, Code::ChangedAfterSigning),
            "seals" => (5, Code::ContentChanged),
            "chain" => (6, self.chain),
            // A certificate for something else is trusted for something else.
            "purpose" => (6, Code::ChainUntrusted),
            "signer" => (7, Code::SignerMismatch),
            "revocation" => (8, Code::CertificateRevoked),
            "timestamp" | "time" => (9, Code::TimestampInvalid),
            "level" => (10, Code::LevelNotMet),
            _ => (11, Code::VerificationFailed),
        }
    }
}

/// The row for the signers' chains: that of a fault they share, else the general one.
fn chain_code(report: &FileReport) -> Code {
    let FileReport::Pdf(report) = report.document() else { return Code::ChainUntrusted };
    let mut faults = report.signatures.iter().filter_map(|signature| signature.chain_fault);
    match (faults.next(), faults.next()) {
        (Some(ChainFault::Expired), None) => Code::CertificateExpired,
        (Some(ChainFault::NotYetValid), None) => Code::CertificateNotYetValid,
        _ => Code::ChainUntrusted,
    }
}

fn is_unsigned(report: &FileReport) -> bool {
    matches!(report.document(), FileReport::Pdf(report) if report.signatures.is_empty())
}
