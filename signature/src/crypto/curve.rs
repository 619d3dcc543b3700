//! Elliptic curves whose signatures are checked and not made: P-521 and Brainpool.

use std::fmt;

use bp256::BrainpoolP256r1;
use bp384::BrainpoolP384r1;
use ecdsa::signature::hazmat::PrehashVerifier;
use ecdsa::{Signature, VerifyingKey};
use p521::NistP521;

use super::SignatureMismatch;
use crate::asn1::{Oid, oids};

/// A curve for ECDSA, besides P-256 and P-384.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Curve {
    /// NIST P-521 (FIPS 186-5).
    P521,
    /// brainpoolP256r1 (RFC 5639).
    BrainpoolP256,
    /// brainpoolP384r1 (RFC 5639).
    BrainpoolP384,
}

impl Curve {
    /// The curve with this identifier.
    pub(super) fn from_oid(oid: Oid) -> Option<Self> {
        match oid {
            oids::P521 => Some(Self::P521),
            oids::BRAINPOOL_P256 => Some(Self::BrainpoolP256),
            oids::BRAINPOOL_P384 => Some(Self::BrainpoolP384),
            _ => None,
        }
    }

    /// The length of either half of a signature in bytes.
    #[must_use]
    pub fn half_len(self) -> usize {
        match self {
            Self::P521 => 66,
            Self::BrainpoolP256 => 32,
            Self::BrainpoolP384 => 48,
        }
    }
}

impl fmt::Display for Curve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::P521 => "p-521",
            Self::BrainpoolP256 => "brainpoolP256r1",
            Self::BrainpoolP384 => "brainpoolP384r1",
        })
    }
}

/// A point on one of the curves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CurveKey(Point);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Point {
    P521(Box<VerifyingKey<NistP521>>),
    Brainpool256(Box<VerifyingKey<BrainpoolP256r1>>),
    Brainpool384(Box<VerifyingKey<BrainpoolP384r1>>),
}

impl CurveKey {
    /// The point in these bytes (SEC 1, 2.3.4); nothing when it is none on the curve.
    pub(super) fn read(curve: Curve, bits: &[u8]) -> Option<Self> {
        Some(Self(match curve {
            Curve::P521 => Point::P521(Box::new(VerifyingKey::from_sec1_bytes(bits).ok()?)),
            Curve::BrainpoolP256 => {
                Point::Brainpool256(Box::new(VerifyingKey::from_sec1_bytes(bits).ok()?))
            }
            Curve::BrainpoolP384 => {
                Point::Brainpool384(Box::new(VerifyingKey::from_sec1_bytes(bits).ok()?))
            }
        }))
    }

    /// The curve.
    #[must_use]
    pub fn curve(&self) -> Curve {
        match self.0 {
            Point::P521(_) => Curve::P521,
            Point::Brainpool256(_) => Curve::BrainpoolP256,
            Point::Brainpool384(_) => Curve::BrainpoolP384,
        }
    }

    pub(super) fn verify(&self, digest: &[u8], signature: &[u8]) -> Result<(), SignatureMismatch> {
        // The implementation refuses digests below half the size of the curve; as a number, one
        // with zeros before it is the same (FIPS 186-5, 6.4.2).
        let zeros = (self.curve().half_len() / 2 + 1).saturating_sub(digest.len());
        let digest = [vec![0; zeros], digest.to_vec()].concat();
        match &self.0 {
            Point::P521(key) => key.verify_prehash(&digest, &Signature::from_der(signature)?),
            Point::Brainpool256(key) => {
                key.verify_prehash(&digest, &Signature::from_der(signature)?)
            }
            Point::Brainpool384(key) => {
                key.verify_prehash(&digest, &Signature::from_der(signature)?)
            }
        }
        .map_err(SignatureMismatch::from)
    }
}

impl From<ecdsa::Error> for SignatureMismatch {
    fn from(_: ecdsa::Error) -> Self {
        Self::FOUND
    }
}
