//! A throw-away public-key infrastructure for tests and the sandbox: root, issuing authority,
//! signers, OCSP responder and time-stamping authority.
//!
//! Everything follows from a seed, so two runs with the same seed and time give the same
//! certificates. **Nothing here protects anything**: the keys can be derived by everyone.

mod authority;
mod issue;
mod key;
mod profile;
mod published;
mod revocation;
mod rng;
mod sdo;
mod timestamp;

pub use authority::{Identity, Pki, PkiOptions};
pub use key::SigningKey;
pub use profile::{Profile, Subject};
pub use published::Published;
pub use revocation::{CertIdHash, CrlEntry, OcspOptions, RevocationReason};
pub use sdo::SdoRequest;

use std::fmt;

use crate::asn1::Malformed;
use crate::crypto::Unsupported;

/// Something the throw-away infrastructure cannot do, with the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PkiError(String);

impl PkiError {
    fn new(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }
}

impl fmt::Display for PkiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for PkiError {}

impl From<Malformed> for PkiError {
    fn from(error: Malformed) -> Self {
        Self(error.to_string())
    }
}

impl From<Unsupported> for PkiError {
    fn from(error: Unsupported) -> Self {
        Self(error.to_string())
    }
}
