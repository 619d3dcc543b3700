//! Public keys and the check of a signature value.

use std::fmt;

use rsa::pkcs1v15::Pkcs1v15Sign;
use rsa::traits::{PublicKeyParts, SignatureScheme};
use rsa::{BoxedUint, Pss, RsaPublicKey};
use sha2::{Sha256, Sha384, Sha512};
use sha3::{Sha3_256, Sha3_384, Sha3_512};

use p256::ecdsa::signature::hazmat::PrehashVerifier;

use super::meter;
use super::names::name_of;
use super::{Algorithm, AlgorithmIdentifier, Curve, CurveKey, HashAlgorithm, Unsupported};
use crate::asn1::{Malformed, Oid, Reader, oids, writer};

/// A public key that can check signatures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PublicKey {
    /// RSA.
    Rsa {
        /// Modulus and exponent.
        key: Box<RsaPublicKey>,
        /// True when the key may only be used with PSS (RFC 4055, 1.2).
        pss_only: bool,
    },
    /// A point on P-256.
    P256(Box<p256::ecdsa::VerifyingKey>),
    /// A point on P-384.
    P384(Box<p384::ecdsa::VerifyingKey>),
    /// A point on another curve.
    Ec(CurveKey),
    /// Ed25519.
    Ed25519([u8; 32]),
}

/// The kind of a key, with the size of an RSA modulus in bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KeyKind {
    /// RSA with a modulus of so many bits.
    Rsa(usize),
    /// NIST P-256.
    P256,
    /// NIST P-384.
    P384,
    /// Another curve.
    Ec(Curve),
    /// Ed25519.
    Ed25519,
}

/// How the digest was wrapped inside an RSA PKCS#1 v1.5 signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DigestInfo {
    /// As RFC 8017 asks, or an algorithm without DigestInfo.
    Standard,
    /// The hash identifier lacks its NULL parameter. RFC 8017 (9.2, note 1) allows to accept it;
    /// common libraries refuse it.
    WithoutNull,
}

/// A signature that was not made by this key over this digest, or was not looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignatureMismatch {
    is_open: bool,
}

impl SignatureMismatch {
    /// The key did not make it.
    pub(super) const FOUND: SignatureMismatch = SignatureMismatch { is_open: false };
    /// What is verified takes more work than allowed.
    const NOT_SOUGHT: SignatureMismatch = SignatureMismatch { is_open: true };

    /// Whether the signature was not looked at, because the document that it belongs to takes more
    /// work than allowed.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.is_open
    }
}

impl fmt::Display for SignatureMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.is_open {
            true => "the signature was not checked: there are more than one verification checks",
            false => "the signature value does not match",
        })
    }
}

impl std::error::Error for SignatureMismatch {}

impl PublicKey {
    /// Reads a SubjectPublicKeyInfo (RFC 5280, 4.1.2.7).
    ///
    /// # Errors
    /// When it is broken, of an unknown kind, or an RSA key outside 1024 to 8192 bits.
    pub fn from_spki(spki: &[u8]) -> Result<Self, Unsupported> {
        let what = "public key";
        let (identifier, bits) = split_spki(spki).map_err(|error| bad_key(error.to_string()))?;
        match identifier.oid {
            oids::RSA => rsa_key(bits, false),
            oids::RSA_PSS => rsa_key(bits, true),
            oids::EC_PUBLIC_KEY => {
                let parameters = identifier.parameters.as_deref().unwrap_or(&[]);
                let curve = Reader::new(parameters).oid(what);
                match curve.map_err(|error| bad_key(error.to_string()))? {
                    oids::P256 => p256::ecdsa::VerifyingKey::from_sec1_bytes(bits)
                        .map(|key| Self::P256(Box::new(key)))
                        .map_err(|_| bad_key("public key is no point on p-256")),
                    oids::P384 => p384::ecdsa::VerifyingKey::from_sec1_bytes(bits)
                        .map(|key| Self::P384(Box::new(key)))
                        .map_err(|_| bad_key("public key is no point on p-384")),
                    other => other_curve(other, bits),
                }
            }
            oids::ED25519 => match (identifier.parameters, bits.try_into()) {
                (None, Ok(bytes)) => Ok(Self::Ed25519(bytes)),
                _ => Err(bad_key("public key is none of ed25519")),
            },
            other => {
                let name = name_of(other);
                Err(Unsupported::open(format!("key type {name} is not supported")))
            }
        }
    }

    /// The kind of the key.
    #[must_use]
    pub fn kind(&self) -> KeyKind {
        match self {
            Self::Rsa { key, .. } => KeyKind::Rsa(key.n().as_ref().bits_vartime() as usize),
            Self::P256(_) => KeyKind::P256,
            Self::P384(_) => KeyKind::P384,
            Self::Ec(key) => KeyKind::Ec(key.curve()),
            Self::Ed25519(_) => KeyKind::Ed25519,
        }
    }

    /// True for an RSA modulus below 2048 bits, which no present policy accepts.
    #[must_use]
    pub fn is_weak(&self) -> bool {
        matches!(self.kind(), KeyKind::Rsa(bits) if bits < 2048)
    }

    /// Checks a signature value over a digest.
    ///
    /// ECDSA values are DER as in X.509 and CMS. Ed25519 signs no digest: see
    /// [`PublicKey::verify_message`].
    ///
    /// # Errors
    /// When the signature was not made by this key over this digest with this algorithm.
    pub fn verify(
        &self,
        algorithm: Algorithm,
        digest: &[u8],
        signature: &[u8],
    ) -> Result<DigestInfo, SignatureMismatch> {
        if digest.len() != algorithm.hash().output_len() {
            return Err(SignatureMismatch::FOUND);
        }
        if !meter::spend(self.kind()) {
            return Err(SignatureMismatch::NOT_SOUGHT);
        }
        match (self, algorithm) {
            (Self::Rsa { key, pss_only: false }, Algorithm::RsaPkcs1(hash)) => {
                verify_pkcs1(key, hash, digest, signature)
            }
            (Self::Rsa { key, .. }, Algorithm::RsaPss(hash)) => {
                verify_pss(key, hash, hash.output_len(), digest, signature)
            }
            (Self::Rsa { key, .. }, Algorithm::RsaPssSalted(hash, salt)) => {
                verify_pss(key, hash, salt, digest, signature)
            }
            (Self::P256(key), Algorithm::EcdsaP256(_)) => {
                let signature = p256::ecdsa::Signature::from_der(signature);
                let signature = signature.map_err(|_| SignatureMismatch::FOUND)?;
                key.verify_prehash(digest, &signature).map_err(|_| SignatureMismatch::FOUND)?;
                Ok(DigestInfo::Standard)
            }
            (Self::P384(key), Algorithm::EcdsaP384(_)) => {
                let signature = p384::ecdsa::Signature::from_der(signature);
                let signature = signature.map_err(|_| SignatureMismatch::FOUND)?;
                key.verify_prehash(digest, &signature).map_err(|_| SignatureMismatch::FOUND)?;
                Ok(DigestInfo::Standard)
            }
            (Self::Ec(key), Algorithm::Ecdsa(curve, _)) if key.curve() == curve => {
                key.verify(digest, signature).map(|()| DigestInfo::Standard)
            }
            _ => Err(SignatureMismatch::FOUND),
        }
    }

    /// Checks a signature value over a whole message, which is hashed where the algorithm wants.
    ///
    /// # Errors
    /// As [`PublicKey::verify`].
    pub fn verify_message(
        &self,
        algorithm: Algorithm,
        message: &[u8],
        signature: &[u8],
    ) -> Result<DigestInfo, SignatureMismatch> {
        match (self, algorithm) {
            (Self::Ed25519(_), Algorithm::Ed25519) if !meter::spend(self.kind()) => {
                Err(SignatureMismatch::NOT_SOUGHT)
            }
            (Self::Ed25519(key), Algorithm::Ed25519) => {
                let key = ring::signature::UnparsedPublicKey::new(&ring::signature::ED25519, key);
                key.verify(message, signature).map_err(|_| SignatureMismatch::FOUND)?;
                Ok(DigestInfo::Standard)
            }
            _ => self.verify(algorithm, &algorithm.hash().digest(message), signature),
        }
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.kind(), f)
    }
}

impl fmt::Display for KeyKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rsa(bits) => write!(f, "rsa {bits} bits"),
            Self::P256 => f.write_str("p-256"),
            Self::P384 => f.write_str("p-384"),
            Self::Ec(curve) => fmt::Display::fmt(curve, f),
            Self::Ed25519 => f.write_str("ed25519"),
        }
    }
}

fn bad_key(reason: impl Into<String>) -> Unsupported {
    Unsupported::new(reason)
}

fn split_spki(spki: &[u8]) -> Result<(AlgorithmIdentifier, &[u8]), Malformed> {
    let what = "public key";
    let mut outer = Reader::new(spki);
    let mut reader = outer.sequence(what)?;
    outer.finish(what)?;
    let identifier = AlgorithmIdentifier::read(&mut reader, what)?;
    let bits = reader.bits(what)?;
    reader.finish(what)?;
    Ok((identifier, bits))
}

fn other_curve(oid: Oid, bits: &[u8]) -> Result<PublicKey, Unsupported> {
    let Some(curve) = Curve::from_oid(oid) else {
        return Err(Unsupported::open(format!("curve {} is not supported", name_of(oid))));
    };
    CurveKey::read(curve, bits)
        .map(PublicKey::Ec)
        .ok_or_else(|| bad_key(format!("public key is no point on {curve}")))
}

fn rsa_key(bits: &[u8], pss_only: bool) -> Result<PublicKey, Unsupported> {
    let numbers = || -> Result<(&[u8], &[u8]), Malformed> {
        let what = "rsa public key";
        let mut outer = Reader::new(bits);
        let mut reader = outer.sequence(what)?;
        outer.finish(what)?;
        let numbers = (reader.integer(what)?, reader.integer(what)?);
        reader.finish(what)?;
        Ok(numbers)
    };
    let (modulus, exponent) = numbers().map_err(|error| bad_key(error.to_string()))?;
    let is_negative = |number: &[u8]| number.first().is_none_or(|first| first & 0x80 != 0);
    if is_negative(modulus) || is_negative(exponent) {
        return Err(bad_key("rsa modulus or exponent is negative"));
    }
    if modulus.len() > 1025 {
        return Err(Unsupported::open("rsa modulus is above 8192 bits"));
    }
    if exponent.len() > 5 {
        return Err(Unsupported::open("rsa exponent is above 2^33"));
    }
    RsaPublicKey::new(
        BoxedUint::from_be_slice_vartime(modulus),
        BoxedUint::from_be_slice_vartime(exponent),
    )
    .map(|key| PublicKey::Rsa { key: Box::new(key), pss_only })
    .map_err(|error| bad_key(format!("rsa key is not usable: {error}")))
}

fn verify_pkcs1(
    key: &RsaPublicKey,
    hash: HashAlgorithm,
    digest: &[u8],
    signature: &[u8],
) -> Result<DigestInfo, SignatureMismatch> {
    let accepts = |null: &[u8]| {
        let scheme = Pkcs1v15Sign {
            hash_len: Some(hash.output_len()),
            prefix: digest_info_prefix(hash.oid(), null, hash.output_len()).into_boxed_slice(),
        };
        scheme.verify(key, digest, signature).is_ok()
    };
    if accepts(&writer::null()) {
        Ok(DigestInfo::Standard)
    } else if accepts(&[]) {
        Ok(DigestInfo::WithoutNull)
    } else {
        Err(SignatureMismatch::FOUND)
    }
}

/// Everything of a DER DigestInfo before the digest itself (RFC 8017, 9.2).
pub(crate) fn digest_info_prefix(hash: Oid, parameters: &[u8], digest_len: usize) -> Vec<u8> {
    let identifier = writer::sequence(&[&writer::oid(&hash), parameters]);
    let whole = writer::sequence(&[&identifier, &writer::octets(&vec![0; digest_len])]);
    let end = whole.len().saturating_sub(digest_len);
    whole.get(..end).map(<[u8]>::to_vec).unwrap_or_default()
}

fn verify_pss(
    key: &RsaPublicKey,
    hash: HashAlgorithm,
    salt: usize,
    digest: &[u8],
    signature: &[u8],
) -> Result<DigestInfo, SignatureMismatch> {
    // Longer salts cannot fit (RFC 8017, 9.1.2, step 3).
    if key.size() < hash.output_len() + salt + 2 {
        return Err(SignatureMismatch::FOUND);
    }
    match hash {
        HashAlgorithm::Sha256 => Pss::<Sha256>::new_with_salt(salt).verify(key, digest, signature),
        HashAlgorithm::Sha384 => Pss::<Sha384>::new_with_salt(salt).verify(key, digest, signature),
        HashAlgorithm::Sha512 => Pss::<Sha512>::new_with_salt(salt).verify(key, digest, signature),
        HashAlgorithm::Sha3_256 => {
            Pss::<Sha3_256>::new_with_salt(salt).verify(key, digest, signature)
        }
        HashAlgorithm::Sha3_384 => {
            Pss::<Sha3_384>::new_with_salt(salt).verify(key, digest, signature)
        }
        HashAlgorithm::Sha3_512 => {
            Pss::<Sha3_512>::new_with_salt(salt).verify(key, digest, signature)
        }
    }
    .map(|()| DigestInfo::Standard)
    .map_err(|_| SignatureMismatch::FOUND)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digest_info_prefixes() {
        let with = digest_info_prefix(oids::SHA256, &writer::null(), 32);
        assert_eq!(with[..2], [0x30, 0x31]);
        assert_eq!(with.len(), 19);
        let without = digest_info_prefix(oids::SHA256, &[], 32);
        assert_eq!(without[..2], [0x30, 0x2f]);
        assert_eq!(without.len(), 17);
    }

    #[test]
    fn broken_keys_are_refused() {
        for spki in [&[][..], &[0x30, 0], &[0x30, 3, 1, 2, 3]] {
            assert!(PublicKey::from_spki(spki).is_err());
        }
        let identifier = writer::sequence(&[&writer::oid(&oids::RSA), &writer::null()]);
        for modulus in [0, 1, 4] {
            let numbers = writer::sequence(&[&writer::integer(modulus), &writer::integer(3)]);
            let spki = writer::sequence(&[&identifier, &writer::bits(&numbers)]);
            assert!(PublicKey::from_spki(&spki).is_err());
        }
    }
}
