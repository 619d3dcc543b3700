//! What the authorities publish about their certificates, by the addresses in these.

use super::PkiError;
use super::authority::Pki;
use super::revocation::OcspOptions;
use crate::asn1::{Reader, Time, context, oids};
use crate::crypto::{AlgorithmIdentifier, HashAlgorithm, sha1_for_identification};
use crate::x509::Certificate;

/// What lies below the address in certificates, besides the responder at `ocsp`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Published {
    /// `root.cer`: the root's certificate.
    RootCertificate,
    /// `issuing.cer`: the issuing authority's certificate.
    IssuingCertificate,
    /// `root.crl`: the root's revocation list.
    RootList,
    /// `issuing.crl`: the issuing authority's revocation list.
    IssuingList,
}

impl Published {
    /// The file of this name.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        Some(match name {
            "root.cer" => Self::RootCertificate,
            "issuing.cer" => Self::IssuingCertificate,
            "root.crl" => Self::RootList,
            "issuing.crl" => Self::IssuingList,
            _ => return None,
        })
    }

    /// Its media type (RFC 2585, section 4).
    #[must_use]
    pub fn media_type(self) -> &'static str {
        match self {
            Self::RootCertificate | Self::IssuingCertificate => "application/pkix-cert",
            Self::RootList | Self::IssuingList => "application/pkix-crl",
        }
    }
}

impl Pki {
    /// A published file in DER, as it is at a time.
    ///
    /// # Errors
    /// When signing fails.
    pub fn published(&self, what: Published, at: Time) -> Result<Vec<u8>, PkiError> {
        match what {
            Published::RootCertificate => Ok(self.root().certificate().as_der().to_vec()),
            Published::IssuingCertificate => Ok(self.issuing().certificate().as_der().to_vec()),
            Published::RootList => self.root_crl(at),
            Published::IssuingList => self.crl(at),
        }
    }

    /// Answers an OCSPRequest with an OCSPResponse, both in DER, about the first certificate that
    /// is asked about. A certificate of somebody else's is answered with `unauthorized`.
    ///
    /// The issuing authority signs itself when its responder's certificate is out of date.
    ///
    /// # Errors
    /// When the request is broken.
    pub fn ocsp_answer(&self, request: &[u8], at: Time) -> Result<Vec<u8>, PkiError> {
        let asked = Asked::read(request)?;
        let options = OcspOptions {
            by_authority: !self.responder().certificate().is_valid_at(at),
            ..OcspOptions::at(at)
        };
        for authority in [self.issuing(), self.root()] {
            if asked.is_by(authority.certificate()) {
                let basic = self.ocsp_about(&asked.id, &asked.serial, authority, &options)?;
                return Ok(crate::revocation::wrap_basic_response(&basic));
            }
        }
        Ok(UNAUTHORIZED.to_vec())
    }
}

/// An OCSPResponse with the status unauthorized (RFC 6960, 4.2.1).
const UNAUTHORIZED: [u8; 5] = [0x30, 0x03, 0x0a, 0x01, 0x06];

/// The first certificate of a request.
struct Asked {
    /// The CertID as it came.
    id: Vec<u8>,
    is_sha1: bool,
    name_hash: Vec<u8>,
    key_hash: Vec<u8>,
    serial: Vec<u8>,
}

impl Asked {
    fn read(request: &[u8]) -> Result<Self, PkiError> {
        let what = "ocsp request";
        let mut asked = Reader::new(request).sequence(what)?.sequence(what)?;
        // Version and name of whoever asks.
        asked.optional(context(0), what)?;
        asked.optional(context(1), what)?;
        let mut list = asked.sequence(what)?;
        let mut one = list.sequence(what)?;
        let id = one.any(what)?;
        let mut inner = id.reader();
        let hash = AlgorithmIdentifier::read(&mut inner, what)?.oid;
        Ok(Self {
            id: id.raw.to_vec(),
            is_sha1: hash == oids::SHA1,
            name_hash: inner.octets(what)?.to_vec(),
            key_hash: inner.octets(what)?.to_vec(),
            serial: inner.integer(what)?.to_vec(),
        })
    }

    fn is_by(&self, issuer: &Certificate) -> bool {
        let digest = |data: &[u8]| match self.is_sha1 {
            true => sha1_for_identification(data),
            false => HashAlgorithm::Sha256.digest(data),
        };
        digest(issuer.subject().as_der()) == self.name_hash
            && digest(issuer.key_bits()) == self.key_hash
    }
}
