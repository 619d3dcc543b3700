//! The small part of ASN.1 that signatures need: a strict DER reader, a DER writer and a
//! converter from BER to DER (ITU-T X.690).
//!
//! Readers never panic, never recurse without a limit and never allocate more than the input.

mod ber;
mod oid;
pub mod oids;
mod reader;
mod time;
pub mod writer;

pub use ber::{MAX_DEPTH, MAX_INPUT, Transcoded, to_der};
pub use oid::Oid;
pub use reader::{Element, Reader, decode_bmp, minimal_integer, small_unsigned, string};
pub use time::Time;

/// Tag of BOOLEAN.
pub const BOOLEAN: u8 = 0x01;
/// Tag of INTEGER.
pub const INTEGER: u8 = 0x02;
/// Tag of a primitive BIT STRING.
pub const BIT_STRING: u8 = 0x03;
/// Tag of a primitive OCTET STRING.
pub const OCTET_STRING: u8 = 0x04;
/// Tag of NULL.
pub const NULL: u8 = 0x05;
/// Tag of OBJECT IDENTIFIER.
pub const OBJECT_IDENTIFIER: u8 = 0x06;
/// Tag of ENUMERATED.
pub const ENUMERATED: u8 = 0x0a;
/// Tag of UTF8String.
pub const UTF8_STRING: u8 = 0x0c;
/// Tag of PrintableString.
pub const PRINTABLE_STRING: u8 = 0x13;
/// Tag of IA5String.
pub const IA5_STRING: u8 = 0x16;
/// Tag of UTCTime.
pub const UTC_TIME: u8 = 0x17;
/// Tag of GeneralizedTime.
pub const GENERALIZED_TIME: u8 = 0x18;
/// Tag of SEQUENCE and SEQUENCE OF.
pub const SEQUENCE: u8 = 0x30;
/// Tag of SET and SET OF.
pub const SET: u8 = 0x31;

/// The constructed context tag `[n]`, for `n` below 31.
#[must_use]
pub const fn context(n: u8) -> u8 {
    0xa0 | (n & 0x1f)
}

/// The primitive context tag `[n]`, for `n` below 31.
#[must_use]
pub const fn context_primitive(n: u8) -> u8 {
    0x80 | (n & 0x1f)
}

/// Bytes that are not what the standard asks for: what was read, and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    what: &'static str,
    why: String,
}

impl Malformed {
    /// A fault in `what` (for instance `certificate serial number`).
    pub fn new(what: &'static str, why: impl Into<String>) -> Self {
        Self { what, why: why.into() }
    }

    /// The part that could not be read.
    #[must_use]
    pub fn what(&self) -> &'static str {
        self.what
    }

    /// What is wrong with it.
    #[must_use]
    pub fn why(&self) -> &str {
        &self.why
    }
}

impl std::fmt::Display for Malformed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.what, self.why)
    }
}

impl std::error::Error for Malformed {}
