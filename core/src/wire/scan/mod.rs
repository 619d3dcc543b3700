//! An incremental JSON scanner (RFC 8259) for answers that carry documents.
//!
//! It is fed as the answer arrives, in pieces of any size, and tells a [`Visitor`] what it finds
//! and where. How the answer is cut makes no difference to the events or to the errors, except
//! for how decoded bytes are grouped.
//!
//! Structure and documents are read strictly. Text is read liberally, because it is for people
//! and a document that can be had only once must not be lost over a badly written description:
//! bytes that are no UTF-8 and lone surrogates become U+FFFD, raw control characters are kept.

mod machine;
mod number;
mod path;
mod string;
mod text;

use thiserror::Error;

pub use machine::Scanner;
pub use path::{Path, Pattern, Step};

/// What the visitor wants of a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StringMode {
    /// The whole text, in one call of [`Visitor::text`].
    Text {
        /// Longest text accepted, in bytes of UTF-8.
        max: usize,
    },
    /// The bytes that the text encodes in base64, in calls of [`Visitor::bytes`]. Line breaks and
    /// blanks inside are skipped, raw or escaped; missing padding is accepted.
    Base64,
    /// Nothing.
    Skip,
}

/// Receives what the scanner finds. Every method is told the path of the value.
///
/// Values a visitor does not know need no care: the methods do nothing by default, and
/// [`Visitor::string`] answers [`StringMode::Skip`]. Member names come with the path of their
/// value; when a name occurs twice the visitor sees both values.
pub trait Visitor {
    /// Why a visitor gives up; scanning ends with [`ScanError::Visitor`].
    type Error;

    /// An object begins.
    fn begin_object(&mut self, path: &Path) -> Result<(), Self::Error> {
        let _ = path;
        Ok(())
    }

    /// An object ends.
    fn end_object(&mut self, path: &Path) -> Result<(), Self::Error> {
        let _ = path;
        Ok(())
    }

    /// An array begins.
    fn begin_array(&mut self, path: &Path) -> Result<(), Self::Error> {
        let _ = path;
        Ok(())
    }

    /// An array ends.
    fn end_array(&mut self, path: &Path) -> Result<(), Self::Error> {
        let _ = path;
        Ok(())
    }

    /// A string begins; the answer says how to read it.
    fn string(&mut self, path: &Path) -> Result<StringMode, Self::Error> {
        let _ = path;
        Ok(StringMode::Skip)
    }

    /// A whole string in [`StringMode::Text`].
    fn text(&mut self, path: &Path, value: &str) -> Result<(), Self::Error> {
        let _ = (path, value);
        Ok(())
    }

    /// A whole string in [`StringMode::Skip`], `length` bytes long as it is written.
    fn skipped(&mut self, path: &Path, length: u64) -> Result<(), Self::Error> {
        let _ = (path, length);
        Ok(())
    }

    /// Decoded bytes of a string in [`StringMode::Base64`]: windows of [`super::WINDOW`] bytes,
    /// the last one shorter, never empty.
    fn bytes(&mut self, path: &Path, decoded: &[u8]) -> Result<(), Self::Error> {
        let _ = (path, decoded);
        Ok(())
    }

    /// A string in [`StringMode::Base64`] is complete and was valid to its end.
    fn end_bytes(&mut self, path: &Path) -> Result<(), Self::Error> {
        let _ = path;
        Ok(())
    }

    /// A number, as written.
    fn number(&mut self, path: &Path, text: &str) -> Result<(), Self::Error> {
        let _ = (path, text);
        Ok(())
    }

    /// `true` or `false`.
    fn boolean(&mut self, path: &Path, value: bool) -> Result<(), Self::Error> {
        let _ = (path, value);
        Ok(())
    }

    /// `null`.
    fn null(&mut self, path: &Path) -> Result<(), Self::Error> {
        let _ = path;
        Ok(())
    }
}

/// What an answer may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Longest answer, in bytes.
    pub max_bytes: u64,
    /// Most containers inside each other.
    pub max_depth: usize,
    /// Longest member name, in bytes of UTF-8.
    pub max_key: usize,
}

impl Default for Limits {
    /// 256 MiB (the largest conversion answer is about 75 MB, the largest order much less), depth
    /// 64, names of 1024 bytes.
    fn default() -> Self {
        Self { max_bytes: 256 * 1024 * 1024, max_depth: 64, max_key: 1024 }
    }
}

/// Why an answer could not be read. Offsets count bytes of the whole answer, from 0.
#[derive(Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum ScanError<E> {
    /// The answer ends before its value is complete.
    #[error("the answer ends too early, after {offset} bytes")]
    Truncated {
        /// Bytes that came.
        offset: u64,
    },
    /// The answer is no JSON.
    #[error("the answer is not valid JSON at byte {offset}: {what}")]
    Malformed {
        /// The first byte that cannot belong there.
        offset: u64,
        /// What is wrong with it.
        what: &'static str,
    },
    /// A string that should hold a document is no base64.
    #[error("the answer holds a document that is not valid base64 at byte {offset}")]
    InvalidBase64 {
        /// The first byte that cannot belong there; for an escape its backslash, for a text that
        /// lacks a character its closing quote.
        offset: u64,
    },
    /// A text, member name or number is longer than allowed.
    #[error("the answer holds a text longer than {limit} bytes, seen at byte {offset}")]
    TooLong {
        /// Where the first byte too many stands.
        offset: u64,
        /// What is allowed, in bytes.
        limit: usize,
    },
    /// Too many containers inside each other.
    #[error("the answer nests deeper than {limit} levels, at byte {offset}")]
    TooDeep {
        /// Where the container too many begins.
        offset: u64,
        /// What is allowed.
        limit: usize,
    },
    /// The answer is longer than allowed.
    #[error("the answer is longer than {limit} bytes")]
    TooLarge {
        /// What is allowed, in bytes.
        limit: u64,
    },
    /// The visitor gave up.
    #[error("{0}")]
    Visitor(E),
}

impl<E> ScanError<E> {
    fn malformed(offset: u64, what: &'static str) -> Self {
        Self::Malformed { offset, what }
    }
}
