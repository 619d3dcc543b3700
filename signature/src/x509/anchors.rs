//! Certificates that are trusted as they are.

use super::certificate::Certificate;
use super::pem::{pem_blocks, to_pem};
use crate::asn1::Malformed;

/// The certificates at which a chain may end. Nothing is trusted that is not listed here: there is
/// no built-in list and the operating system's is not read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrustAnchors(Vec<Certificate>);

impl TrustAnchors {
    /// No anchors: every chain fails.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// Anchors from certificates.
    #[must_use]
    pub fn new(certificates: Vec<Certificate>) -> Self {
        Self(certificates)
    }

    /// Anchors from a PEM bundle, or from one certificate in DER.
    ///
    /// # Errors
    /// When a certificate is broken, or there is none at all.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Malformed> {
        if bytes.first() == Some(&crate::asn1::SEQUENCE) {
            return Ok(Self(vec![Certificate::from_der(bytes)?]));
        }
        let blocks = pem_blocks(bytes, "CERTIFICATE")?;
        if blocks.is_empty() {
            return Err(Malformed::new(
                "trust anchors",
                "hold no certificate; give a pem bundle with begin certificate lines, or der",
            ));
        }
        blocks.iter().map(|der| Certificate::from_der(der)).collect::<Result<_, _>>().map(Self)
    }

    /// Adds one anchor.
    pub fn push(&mut self, certificate: Certificate) {
        self.0.push(certificate);
    }

    /// The anchors.
    #[must_use]
    pub fn certificates(&self) -> &[Certificate] {
        &self.0
    }

    /// True when there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// True when this very certificate is an anchor.
    #[must_use]
    pub fn contains(&self, certificate: &Certificate) -> bool {
        self.0.contains(certificate)
    }

    /// The anchors as a PEM bundle.
    #[must_use]
    pub fn to_pem(&self) -> String {
        self.0.iter().map(|certificate| to_pem("CERTIFICATE", certificate.as_der())).collect()
    }
}
