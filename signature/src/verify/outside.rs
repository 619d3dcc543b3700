//! What is known about a document from the container around it.

use super::evidence::Evidence;
use super::time::TrustedTime;
use crate::x509::Certificate;

/// Stands behind every revision of the document.
pub(super) const OUTSIDE: usize = usize::MAX;

/// A revocation answer of a container, as it was read there.
#[derive(Debug, Clone)]
pub(super) enum Answer {
    Ocsp(Vec<u8>),
    Crl(Vec<u8>),
}

/// Nothing, for a document that stands alone.
#[derive(Debug, Clone, Default)]
pub(super) struct Outside {
    /// A trusted timestamp over the whole document.
    pub(super) proven: Option<TrustedTime>,
    /// Certificates that may stand between a signer and an anchor; they are not trusted.
    pub(super) certificates: Vec<Certificate>,
    pub(super) answers: Vec<Answer>,
}

impl Outside {
    pub(super) fn add_to(&self, evidence: &mut Evidence) {
        for answer in &self.answers {
            match answer {
                Answer::Ocsp(der) => evidence.add_ocsp(der),
                Answer::Crl(der) => evidence.add_crl(der),
            }
        }
        evidence.certificates.extend(self.certificates.iter().cloned());
    }
}
