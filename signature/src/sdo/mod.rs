//! SEID-SDO: signed data objects in XML, each with the signatures of a document, their revocation
//! answers and a seal over all of them.
//!
//! The seal covers the bytes of `<SDODataPart>…</SDODataPart>` exactly as they stand in the file,
//! without canonicalisation. So a file is read by byte spans and never written again.

mod base64;
mod parse;
mod text;
mod verify;
mod write;

pub use parse::{Sdo, SdoSignature};
pub use text::{from_iso_8859_1, to_iso_8859_1};
pub use verify::{SdoReport, SdoSigner, SdoTrust};
pub use write::{SdoData, SignatureEntry, bidxml_document};

/// Largest file that is read, in bytes.
pub const MAX_SIZE: usize = 256 << 20;

/// What kind of document was signed, by its MIME type in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DocumentKind {
    /// `application/pdf`.
    Pdf,
    /// `text/plain`: the bytes are ISO 8859-1.
    Text,
    /// `text/BIDXML`: XML with its stylesheet in one wrapper.
    Xml,
    /// Any other type.
    Other(String),
}

impl DocumentKind {
    /// The kind for a MIME type.
    #[must_use]
    pub fn from_mime(mime: &str) -> Self {
        match mime.to_ascii_lowercase().as_str() {
            "application/pdf" => Self::Pdf,
            "text/plain" => Self::Text,
            "text/bidxml" => Self::Xml,
            _ => Self::Other(mime.to_owned()),
        }
    }

    /// The MIME type as the format writes it.
    #[must_use]
    pub fn mime(&self) -> &str {
        match self {
            Self::Pdf => "application/pdf",
            Self::Text => "text/plain",
            Self::Xml => "text/BIDXML",
            Self::Other(mime) => mime,
        }
    }
}
