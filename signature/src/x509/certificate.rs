//! One certificate.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use super::extensions::Extensions;
use super::name::Name;
use crate::asn1::{Malformed, Oid, Reader, SEQUENCE, Time, context, context_primitive, oids};
use crate::crypto::{
    Algorithm, AlgorithmIdentifier, DigestInfo, HashAlgorithm, PublicKey, Unsupported,
    sha1_for_identification,
};

const WHAT: &str = "certificate";
/// Real certificates have a few kilobytes.
const MAX_SIZE: usize = 256 << 10;

/// A parsed certificate (RFC 5280, 4.1). Cloning is cheap.
#[derive(Clone)]
pub struct Certificate(Arc<Inner>);

struct Inner {
    der: Vec<u8>,
    tbs: Range<usize>,
    version: u64,
    serial: Vec<u8>,
    issuer: Name,
    subject: Name,
    not_before: Time,
    not_after: Time,
    spki: Range<usize>,
    key: Result<PublicKey, Unsupported>,
    extensions: Extensions,
    signature_algorithm: AlgorithmIdentifier,
    signature: Vec<u8>,
}

impl Certificate {
    /// Reads a certificate in DER. Nothing may follow it.
    ///
    /// A key of an unsupported kind is no error here, so that the certificate can still be shown:
    /// see [`Certificate::public_key`].
    ///
    /// # Errors
    /// When the bytes are no certificate, or more than 256 KiB.
    pub fn from_der(der: &[u8]) -> Result<Self, Malformed> {
        if der.len() > MAX_SIZE {
            let why = format!("has {} bytes, more than {MAX_SIZE}", der.len());
            return Err(Malformed::new(WHAT, why));
        }
        let mut outer = Reader::new(der);
        let mut whole = outer.sequence(WHAT)?;
        outer.finish(WHAT)?;
        let tbs = whole.expect(SEQUENCE, WHAT)?;
        let signature_algorithm = AlgorithmIdentifier::read(&mut whole, "certificate signature")?;
        let signature = whole.bits("certificate signature")?.to_vec();
        whole.finish(WHAT)?;

        let mut reader = tbs.reader();
        let version = read_version(&mut reader)?;
        let serial = reader.integer("certificate serial number")?.to_vec();
        let inner_algorithm = AlgorithmIdentifier::read(&mut reader, "certificate signature")?;
        if inner_algorithm != signature_algorithm {
            return Err(Malformed::new("certificate signature", "is named in two ways"));
        }
        let issuer = Name::read(&mut reader)?;
        let (not_before, not_after) = read_validity(&mut reader)?;
        let subject = Name::read(&mut reader)?;
        let spki = reader.expect(SEQUENCE, "public key")?;
        for unique_id in [1, 2] {
            reader.optional(context_primitive(unique_id), "unique identifier")?;
        }
        let extensions = match reader.optional(context(3), "extensions")? {
            Some(list) => Extensions::read(list.content)?,
            None => Extensions::default(),
        };
        reader.finish(WHAT)?;
        Ok(Self(Arc::new(Inner {
            tbs: span(der, tbs.raw),
            version,
            serial,
            issuer,
            subject,
            not_before,
            not_after,
            spki: span(der, spki.raw),
            key: PublicKey::from_spki(spki.raw),
            extensions,
            signature_algorithm,
            signature,
            der: der.to_vec(),
        })))
    }

    /// The certificate as it was read.
    #[must_use]
    pub fn as_der(&self) -> &[u8] {
        &self.0.der
    }

    /// The signed part.
    #[must_use]
    pub fn tbs(&self) -> &[u8] {
        self.0.der.get(self.0.tbs.clone()).unwrap_or(&[])
    }

    /// The version, 1 to 3.
    #[must_use]
    pub fn version(&self) -> u64 {
        self.0.version
    }

    /// The content of the serial number INTEGER.
    #[must_use]
    pub fn serial(&self) -> &[u8] {
        &self.0.serial
    }

    /// The serial number in hexadecimal.
    #[must_use]
    pub fn serial_hex(&self) -> String {
        self.0.serial.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Who signed it.
    #[must_use]
    pub fn issuer(&self) -> &Name {
        &self.0.issuer
    }

    /// Whom it names.
    #[must_use]
    pub fn subject(&self) -> &Name {
        &self.0.subject
    }

    /// First moment of validity.
    #[must_use]
    pub fn not_before(&self) -> Time {
        self.0.not_before
    }

    /// Last moment of validity.
    #[must_use]
    pub fn not_after(&self) -> Time {
        self.0.not_after
    }

    /// True when `at` lies within the validity.
    #[must_use]
    pub fn is_valid_at(&self, at: Time) -> bool {
        self.0.not_before <= at && at <= self.0.not_after
    }

    /// The whole SubjectPublicKeyInfo in DER.
    #[must_use]
    pub fn spki(&self) -> &[u8] {
        self.0.der.get(self.0.spki.clone()).unwrap_or(&[])
    }

    /// The bytes inside the key's BIT STRING, over which key hashes are made.
    #[must_use]
    pub fn key_bits(&self) -> &[u8] {
        let mut reader = Reader::new(self.spki());
        let bits = reader.sequence("public key").and_then(|mut spki| {
            spki.any("public key")?;
            spki.bits("public key")
        });
        bits.unwrap_or(&[])
    }

    /// SHA-1 of the key bits: the KeyHash of RFC 6960 and the usual key identifier.
    #[must_use]
    pub fn key_hash(&self) -> Vec<u8> {
        sha1_for_identification(self.key_bits())
    }

    /// The public key.
    ///
    /// # Errors
    /// When its kind is not supported.
    pub fn public_key(&self) -> Result<&PublicKey, Unsupported> {
        self.0.key.as_ref().map_err(Clone::clone)
    }

    /// Its extensions.
    #[must_use]
    pub fn extensions(&self) -> &Extensions {
        &self.0.extensions
    }

    /// The Norwegian end-user attributes (2.16.578.1.61.2.4), uninterpreted DER.
    #[must_use]
    pub fn norwegian_end_user(&self) -> Option<&[u8]> {
        self.0.extensions.get(oids::NORWEGIAN_END_USER).map(|extension| extension.value.as_slice())
    }

    /// The digest of the whole certificate.
    #[must_use]
    pub fn fingerprint(&self, hash: HashAlgorithm) -> Vec<u8> {
        hash.digest(&self.0.der)
    }

    /// True when subject and issuer are the same name.
    #[must_use]
    pub fn is_self_issued(&self) -> bool {
        self.0.subject.matches(&self.0.issuer)
    }

    /// True when the extended key usage lists this purpose (not `any`).
    #[must_use]
    pub fn has_purpose(&self, purpose: Oid) -> bool {
        self.0.extensions.extended_key_usage().is_some_and(|all| all.contains(&purpose))
    }

    /// The algorithm that this certificate was signed with, for the issuer's key.
    ///
    /// # Errors
    /// When it is not accepted, or does not fit the key.
    pub fn signature_algorithm(&self, issuer: &PublicKey) -> Result<Algorithm, Unsupported> {
        Algorithm::from_identifier(&self.0.signature_algorithm, None, issuer)
    }

    /// Checks the signature on this certificate with the issuer's key. Names, validity and
    /// extensions are not looked at.
    ///
    /// # Errors
    /// In words, when the signature does not hold or its algorithm is not accepted.
    pub fn verify_signature(&self, issuer: &PublicKey) -> Result<(), String> {
        verify_signed(self.tbs(), &self.0.signature_algorithm, &self.0.signature, issuer)
    }
}

impl PartialEq for Certificate {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.der == other.0.der
    }
}

impl Eq for Certificate {}

impl fmt::Debug for Certificate {
    // The subject may name a person: only the serial number is shown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Certificate({})", self.serial_hex())
    }
}

/// Checks a signature over `tbs` as X.509, OCSP and revocation lists carry it.
pub(crate) fn verify_signed(
    tbs: &[u8],
    identifier: &AlgorithmIdentifier,
    signature: &[u8],
    key: &PublicKey,
) -> Result<(), String> {
    let algorithm =
        Algorithm::from_identifier(identifier, None, key).map_err(|error| error.to_string())?;
    match key.verify_message(algorithm, tbs, signature) {
        Ok(DigestInfo::Standard) => Ok(()),
        // Only end users' signatures are known to lack it; authorities have no excuse.
        Ok(DigestInfo::WithoutNull) => Err("the signature wraps its digest without null".into()),
        Err(error) => Err(error.to_string()),
    }
}

fn read_version(reader: &mut Reader<'_>) -> Result<u64, Malformed> {
    let what = "certificate version";
    let Some(explicit) = reader.optional(context(0), what)? else { return Ok(1) };
    let mut inner = explicit.reader();
    let version = inner.unsigned(what)?;
    inner.finish(what)?;
    if version > 2 {
        return Err(Malformed::new(what, format!("is {}, known are 1 to 3", version + 1)));
    }
    Ok(version + 1)
}

fn read_validity(reader: &mut Reader<'_>) -> Result<(Time, Time), Malformed> {
    let what = "certificate validity";
    let mut validity = reader.sequence(what)?;
    let times = (validity.time(what)?, validity.time(what)?);
    validity.finish(what)?;
    Ok(times)
}

/// Where `part` lies inside `whole`; `part` is a slice of it.
pub(crate) fn span(whole: &[u8], part: &[u8]) -> Range<usize> {
    let start = (part.as_ptr() as usize).saturating_sub(whole.as_ptr() as usize);
    start..start + part.len()
}
