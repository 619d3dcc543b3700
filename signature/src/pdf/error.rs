//! What can go wrong with a PDF.

use std::borrow::Cow;
use std::fmt;
use std::io;

/// The kind of a [`PdfError`]: what a program decides on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PdfErrorKind {
    /// Reading the source or writing the output failed.
    Io,
    /// There is no PDF header near the start of the file.
    NotPdf,
    /// The file cannot be read as a PDF, even after its cross-reference was rebuilt.
    Corrupt,
    /// The file is encrypted; encrypted files are neither read in full nor signed.
    Encrypted,
    /// A limit that protects memory or time was reached (see [`super::Limits`]).
    LimitExceeded,
    /// The file uses something this crate does not read (an unknown stream filter, for example).
    Unsupported,
    /// The document's certification forbids the change (ISO 32000-2, 12.8.2.2, DocMDP).
    ChangesForbidden,
    /// An earlier signature locks the field (ISO 32000-2, 12.8.2.4, FieldMDP).
    FieldLocked,
    /// The named signature field cannot be used: it is signed already or is no signature field.
    FieldUnusable,
    /// The page asked for does not exist or cannot carry an annotation.
    PageNotFound,
    /// The visible seal does not fit on the page.
    SealOutsidePage,
    /// The signature is larger than the room that was reserved for it.
    PlaceholderTooSmall,
    /// A saved state does not belong to this document or was altered.
    StateMismatch,
    /// What signing would add is not what the verification of this crate accepts. Nothing was
    /// handed out.
    NotVerifiable,
    /// An argument is outside what the call accepts.
    InvalidArgument,
}

/// A failure while reading, preparing or writing a PDF.
///
/// The text says what, where and the remedy; it never holds document content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PdfError {
    kind: PdfErrorKind,
    detail: Cow<'static, str>,
    offset: Option<u64>,
}

/// Short form used throughout this crate.
pub type Result<T, E = PdfError> = std::result::Result<T, E>;

impl PdfError {
    /// An error of this kind with its explanation.
    pub fn new(kind: PdfErrorKind, detail: impl Into<Cow<'static, str>>) -> Self {
        PdfError { kind, detail: detail.into(), offset: None }
    }

    pub(crate) fn corrupt(detail: impl Into<Cow<'static, str>>) -> Self {
        Self::new(PdfErrorKind::Corrupt, detail)
    }

    pub(crate) fn limit(detail: impl Into<Cow<'static, str>>) -> Self {
        Self::new(PdfErrorKind::LimitExceeded, detail)
    }

    pub(crate) fn encrypted() -> Self {
        Self::new(
            PdfErrorKind::Encrypted,
            "remove the encryption before signing or converting the document",
        )
    }

    /// The same error with the byte offset in the file where it was noticed.
    #[must_use]
    pub fn at(mut self, offset: u64) -> Self {
        self.offset.get_or_insert(offset);
        self
    }

    /// The kind, to decide on.
    pub fn kind(&self) -> PdfErrorKind {
        self.kind
    }

    /// Byte offset in the file where the problem was noticed, where there is one.
    pub fn offset(&self) -> Option<u64> {
        self.offset
    }

    /// The explanation without kind and offset.
    pub fn detail(&self) -> &str {
        &self.detail
    }
}

impl fmt::Display for PdfError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            PdfErrorKind::Io => "cannot read or write the pdf",
            PdfErrorKind::NotPdf => "not a pdf",
            PdfErrorKind::Corrupt => "the pdf is corrupt",
            PdfErrorKind::Encrypted => "the pdf is encrypted",
            PdfErrorKind::LimitExceeded => "the pdf exceeds a safety limit",
            PdfErrorKind::Unsupported => "the pdf uses an unsupported feature",
            PdfErrorKind::ChangesForbidden => "the pdf's certification forbids changes",
            PdfErrorKind::FieldLocked => "the signature field is locked",
            PdfErrorKind::FieldUnusable => "the signature field cannot be used",
            PdfErrorKind::PageNotFound => "the page cannot be used",
            PdfErrorKind::SealOutsidePage => "the seal is outside the page",
            PdfErrorKind::PlaceholderTooSmall => "the reserved room is too small",
            PdfErrorKind::StateMismatch => "the saved state does not fit",
            PdfErrorKind::NotVerifiable => "the signed pdf would not verify",
            PdfErrorKind::InvalidArgument => "invalid argument",
        };
        write!(f, "{what}: {}", self.detail)?;
        if let Some(offset) = self.offset {
            write!(f, " (at byte {offset})")?;
        }
        Ok(())
    }
}

impl std::error::Error for PdfError {}

impl From<io::Error> for PdfError {
    fn from(error: io::Error) -> Self {
        let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<PdfError>());
        if let Some(inner) = inner {
            return inner.clone();
        }
        PdfError::new(PdfErrorKind::Io, error.to_string())
    }
}
