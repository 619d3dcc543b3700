//! Looking at a PDF before it is sent: what the service will refuse, and what its conversion to
//! PDF/A will warn about.
//!
//! Findings carry the service's own codes where it has one for the case. They are a forecast:
//! errors are sure, warnings say what a converter usually does. Content streams are decoded to see
//! whether they can be, but not interpreted.
//!
//! ```
//! use signdoc_signature::preflight::{PreflightOptions, Severity, preflight};
//! # fn main() -> Result<(), signdoc_signature::pdf::PdfError> {
//! let source = std::sync::Arc::new(bytes::Bytes::from_static(b"no pdf at all"));
//! let findings = preflight(source, &PreflightOptions::default())?;
//! assert_eq!(findings[0].code.name(), "CORRUPT");
//! assert_eq!(findings[0].severity, Severity::Error);
//! # Ok(())
//! # }
//! ```

mod annotations;
mod catalog;
mod colorants;
mod files;
mod resources;
mod walk;
mod xmp;

use std::fmt;

use serde::{Serialize, Serializer};

use crate::pdf::{Document, Limits, PdfErrorKind, Result, SharedSource, Work};
use walk::Walk;

/// What was found. The names of the conversion's errors and warnings are the specification's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum FindingCode {
    /// The document is no PDF, or it or a part of it cannot be read.
    Corrupt,
    /// The document is encrypted.
    Encrypted,
    /// The document is larger than the service takes.
    TooLarge,
    /// The document is signed.
    DocSigned,
    /// The document's certification forbids signing it.
    ChangesForbidden,
    /// The document has embedded files.
    EfRemoved,
    /// The document holds an XFA form, which replaces what the pages show.
    Xfa,
    /// A font's program is not embedded.
    FontSubst,
    /// The document has scripts, actions, form fields or other interactive elements.
    ActionRemoved,
    /// The document has optional content (layers).
    OcgRemoved,
    /// The document is tagged.
    StructureRemoved,
    /// Something is transparent.
    TranspRemoved,
    /// The metadata holds schemas of its own.
    XmpRemoved,
    /// One colorant name stands for different colours.
    Colorants,
    /// The cross-reference is damaged and had to be rebuilt.
    Rebuilt,
    /// The metadata claims PDF/A.
    PdfaClaimed,
    /// How many pages there are.
    Pages,
    /// The document is too large or too nested to be looked at completely.
    Incomplete,
}

impl FindingCode {
    /// The code as the service writes it; for findings it has no code for, one of the same kind.
    pub fn name(self) -> &'static str {
        match self {
            FindingCode::Corrupt => "CORRUPT",
            FindingCode::Encrypted => "ENCRYPTED",
            FindingCode::TooLarge => "TOO_LARGE",
            FindingCode::DocSigned => "DOC_SIGNED",
            FindingCode::ChangesForbidden => "CHANGES_FORBIDDEN",
            FindingCode::EfRemoved => "EF_REMOVED",
            FindingCode::Xfa => "XFA",
            FindingCode::FontSubst => "FONT_SUBST",
            FindingCode::ActionRemoved => "ACTION_REMOVED",
            FindingCode::OcgRemoved => "OCG_REMOVED",
            FindingCode::StructureRemoved => "STRUCTURE_REMOVED",
            FindingCode::TranspRemoved => "TRANSP_REMOVED",
            FindingCode::XmpRemoved => "XMP_REMOVED",
            FindingCode::Colorants => "COLORANTS",
            FindingCode::Rebuilt => "REBUILT",
            FindingCode::PdfaClaimed => "PDFA_CLAIMED",
            FindingCode::Pages => "PAGES",
            FindingCode::Incomplete => "INCOMPLETE",
        }
    }

    /// Whether the service's specification knows this code.
    pub fn is_service_code(self) -> bool {
        !matches!(
            self,
            FindingCode::Encrypted
                | FindingCode::TooLarge
                | FindingCode::ChangesForbidden
                | FindingCode::Xfa
                | FindingCode::Rebuilt
                | FindingCode::PdfaClaimed
                | FindingCode::Pages
                | FindingCode::Incomplete
        )
    }

    fn severity(self) -> Severity {
        match self {
            FindingCode::Corrupt
            | FindingCode::Encrypted
            | FindingCode::TooLarge
            | FindingCode::DocSigned
            | FindingCode::ChangesForbidden
            | FindingCode::EfRemoved => Severity::Error,
            FindingCode::PdfaClaimed | FindingCode::Pages | FindingCode::Incomplete => {
                Severity::Info
            }
            _ => Severity::Warning,
        }
    }

    fn remedy(self) -> &'static str {
        match self {
            FindingCode::Corrupt => "export the document again from the program that made it",
            FindingCode::Encrypted => "save it without password and restrictions",
            FindingCode::TooLarge => "reduce images, or split the document",
            FindingCode::DocSigned => {
                "send it to signing without conversion, or convert the document before it is signed"
            }
            FindingCode::ChangesForbidden => "ask its author for a version that allows signing",
            FindingCode::EfRemoved => "remove the attachments, or send them as documents",
            FindingCode::Xfa => "print the form to a plain pdf, so that signers see what is signed",
            FindingCode::FontSubst => "embed all fonts when exporting",
            FindingCode::ActionRemoved => {
                "print it to a plain pdf: scripts, actions and fields do not survive the conversion"
            }
            FindingCode::OcgRemoved => "flatten the layers, so that you decide what shows",
            FindingCode::StructureRemoved => {
                "nothing, unless readers depend on the tags (accessibility)"
            }
            FindingCode::TranspRemoved => {
                "flatten the transparency, so that you decide how it looks"
            }
            FindingCode::XmpRemoved => "keep the metadata elsewhere if it matters",
            FindingCode::Colorants => "define each colorant once",
            FindingCode::Rebuilt => "save it again with the program that made it",
            FindingCode::PdfaClaimed => "nothing: the claim is not proof, and was not checked",
            FindingCode::Pages => "nothing",
            FindingCode::Incomplete => "look at the result of the conversion with care",
        }
    }
}

impl fmt::Display for FindingCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Serialize for FindingCode {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Good to know.
    Info,
    /// The conversion will probably warn.
    Warning,
    /// The service will refuse the document.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::Error => "error",
        })
    }
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What it is.
    pub code: FindingCode,
    /// How much it matters.
    pub severity: Severity,
    /// What was found and where.
    pub message: String,
    /// What can be done about it.
    pub remedy: &'static str,
}

impl Finding {
    fn new(code: FindingCode, message: impl Into<String>) -> Finding {
        let (severity, remedy) = (code.severity(), code.remedy());
        Finding { code, severity, message: message.into(), remedy }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Finding { code, severity, message, remedy } = self;
        write!(f, "{severity}: {code}: {message}; {remedy}")
    }
}

/// What the document is measured against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PreflightOptions {
    /// How long the document may be as base64, in characters (interface specification, limits:
    /// 5,000,000).
    pub max_base64_chars: u64,
}

impl Default for PreflightOptions {
    fn default() -> Self {
        PreflightOptions { max_base64_chars: 5_000_000 }
    }
}

/// Units of work besides 8 for each byte of the file: well under a second.
const MAX_WORK: u64 = 64 << 20;

/// Looks a document over, errors first.
///
/// # Errors
/// `Io` only: everything a file contains is a finding.
pub fn preflight(source: SharedSource, options: &PreflightOptions) -> Result<Vec<Finding>> {
    let work = Work::new(MAX_WORK.saturating_add(source.len().saturating_mul(8)));
    preflight_within(source, options, &work)
}

/// Looks a document over within an amount of work of your own choice. Where it does not suffice,
/// a finding says that not everything was looked at.
///
/// # Errors
/// `Io` only.
pub fn preflight_within(
    source: SharedSource,
    options: &PreflightOptions,
    work: &Work,
) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    let chars = source.len().div_ceil(3).saturating_mul(4);
    if chars > options.max_base64_chars {
        findings.push(Finding::new(
            FindingCode::TooLarge,
            format!(
                "{} bytes are {chars} base64 characters, {} are allowed",
                source.len(),
                options.max_base64_chars
            ),
        ));
    }
    match Document::open_within(source, Limits::default(), work) {
        Ok(document) => {
            let mut walk = Walk::new(&document);
            walk.run();
            findings.extend(walk.findings());
        }
        Err(error) => match error.kind() {
            PdfErrorKind::Io => return Err(error),
            _ => findings.push(Finding::new(FindingCode::Corrupt, error.to_string())),
        },
    }
    findings.sort_by_key(|f| (std::cmp::Reverse(f.severity), f.code));
    Ok(findings)
}
