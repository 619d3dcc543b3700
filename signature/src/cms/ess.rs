//! Attributes that bind a signature to one certificate: signing-certificate (RFC 2634),
//! signing-certificate-v2 (RFC 5035) and other-signing-certificate (RFC 3126).

use crate::asn1::{
    Malformed, OCTET_STRING, Oid, Reader, SEQUENCE, context, minimal_integer, oids, writer,
};
use crate::crypto::{AlgorithmIdentifier, HashAlgorithm, sha1_for_identification};
use crate::x509::{Certificate, Name};

/// A certificate named by its digest, and possibly by issuer and serial number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CertificateId {
    /// The hash function; nothing for SHA-1, which names but does not protect.
    hash: Result<HashAlgorithm, Oid>,
    digest: Vec<u8>,
    issuer_serial: Option<(Vec<Name>, Vec<u8>)>,
}

impl CertificateId {
    /// True when the digest was made with SHA-1.
    #[must_use]
    pub fn is_sha1(&self) -> bool {
        self.hash == Err(oids::SHA1)
    }

    /// True when this names `certificate`.
    #[must_use]
    pub fn names(&self, certificate: &Certificate) -> bool {
        let digest = match self.hash {
            Ok(hash) => certificate.fingerprint(hash),
            Err(oids::SHA1) => sha1_for_identification(certificate.as_der()),
            Err(_) => return false,
        };
        let serial_agrees = match &self.issuer_serial {
            Some((names, serial)) => {
                minimal_integer(serial) == minimal_integer(certificate.serial())
                    && (names.is_empty() || names.iter().any(|n| n.matches(certificate.issuer())))
            }
            None => true,
        };
        digest == self.digest && serial_agrees
    }

    /// The first certificate in a value of one of the three attributes: the signer's.
    ///
    /// # Errors
    /// When the value is broken or names no certificate.
    pub fn read_first(attribute: Oid, value: &[u8]) -> Result<Self, Malformed> {
        let what = "signing-certificate attribute";
        let mut outer = Reader::new(value);
        let mut whole = outer.sequence(what)?;
        outer.finish(what)?;
        let mut list = whole.sequence(what)?;
        whole.optional(SEQUENCE, what)?;
        whole.finish(what)?;
        let mut id = list.sequence(what)?;
        let (hash, digest) = match attribute {
            oids::SIGNING_CERTIFICATE => (Err(oids::SHA1), id.octets(what)?),
            oids::SIGNING_CERTIFICATE_V2 => {
                let hash = match id.peek() {
                    Some(SEQUENCE) => read_hash(&mut id)?,
                    _ => Ok(HashAlgorithm::Sha256),
                };
                (hash, id.octets(what)?)
            }
            _ if id.peek() == Some(OCTET_STRING) => (Err(oids::SHA1), id.octets(what)?),
            _ => {
                let mut pair = id.sequence(what)?;
                let hash = read_hash(&mut pair)?;
                let digest = pair.octets(what)?;
                pair.finish(what)?;
                (hash, digest)
            }
        };
        let issuer_serial = match id.optional(SEQUENCE, what)? {
            Some(element) => Some(read_issuer_serial(element.reader())?),
            None => None,
        };
        id.finish(what)?;
        Ok(Self { hash, digest: digest.to_vec(), issuer_serial })
    }
}

fn read_hash(reader: &mut Reader<'_>) -> Result<Result<HashAlgorithm, Oid>, Malformed> {
    let identifier = AlgorithmIdentifier::read(reader, "signing-certificate attribute")?;
    Ok(identifier.hash().map_err(|_| identifier.oid))
}

/// IssuerSerial with its GeneralNames; only directory names are of interest.
fn read_issuer_serial(mut reader: Reader<'_>) -> Result<(Vec<Name>, Vec<u8>), Malformed> {
    let what = "signing-certificate issuer";
    let mut general = reader.sequence(what)?;
    let mut names = Vec::new();
    while !general.is_empty() {
        let element = general.any(what)?;
        if element.tag == context(4) {
            names.push(Name::read(&mut element.reader())?);
        }
    }
    Ok((names, reader.integer(what)?.to_vec()))
}

fn issuer_serial(certificate: &Certificate) -> Vec<u8> {
    let general = writer::sequence(&[&writer::tagged(4, certificate.issuer().as_der())]);
    let serial = writer::tlv(crate::asn1::INTEGER, certificate.serial());
    writer::sequence(&[&general, &serial])
}

/// A SigningCertificateV2 naming `certificate`. SHA-256 is the default and not written.
pub(super) fn signing_certificate_v2(certificate: &Certificate, hash: HashAlgorithm) -> Vec<u8> {
    let algorithm = match hash {
        HashAlgorithm::Sha256 => Vec::new(),
        other => writer::sequence(&[&writer::oid(&other.oid())]),
    };
    let digest = writer::octets(&certificate.fingerprint(hash));
    let id = writer::sequence(&[&algorithm, &digest, &issuer_serial(certificate)]);
    writer::sequence(&[&writer::sequence(&[&id])])
}

/// An OtherSigningCertificate naming `certificate`.
pub(super) fn other_signing_certificate(certificate: &Certificate, hash: HashAlgorithm) -> Vec<u8> {
    let algorithm = writer::sequence(&[&writer::oid(&hash.oid()), &writer::null()]);
    let digest = writer::octets(&certificate.fingerprint(hash));
    let named = writer::sequence(&[&algorithm, &digest]);
    let id = writer::sequence(&[&named, &issuer_serial(certificate)]);
    writer::sequence(&[&writer::sequence(&[&id])])
}
