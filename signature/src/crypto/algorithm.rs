//! Signature algorithms and their identifiers.

use std::fmt;

use super::names::name_of;
use super::{Curve, HashAlgorithm, PublicKey};
use crate::asn1::{Malformed, Oid, Reader, context, oids, writer};

/// An algorithm that this library does not accept, with the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    reason: String,
    is_open: bool,
}

impl Unsupported {
    /// Something that contradicts itself or is malformed: it could not hold anywhere.
    pub(crate) fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), is_open: false }
    }

    /// Something that may hold and is not looked at here.
    pub(crate) fn open(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), is_open: true }
    }

    /// True when the algorithm is not implemented, or too weak to prove anything: whether the
    /// signature holds is then not known. False for what is malformed or contradicts itself.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.is_open
    }
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for Unsupported {}

/// An AlgorithmIdentifier as it stands in a structure (RFC 5280, 4.1.1.2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlgorithmIdentifier {
    /// The algorithm.
    pub oid: Oid,
    /// The whole DER element of the parameters; nothing when absent.
    pub parameters: Option<Vec<u8>>,
}

impl AlgorithmIdentifier {
    /// Reads the next AlgorithmIdentifier.
    ///
    /// # Errors
    /// When it is none.
    pub fn read(reader: &mut Reader<'_>, what: &'static str) -> Result<Self, Malformed> {
        let mut inner = reader.sequence(what)?;
        let oid = inner.oid(what)?;
        let parameters = if inner.is_empty() { None } else { Some(inner.any(what)?.raw.to_vec()) };
        inner.finish(what)?;
        Ok(Self { oid, parameters })
    }

    /// True when parameters are absent or NULL.
    #[must_use]
    pub fn has_no_parameters(&self) -> bool {
        self.parameters.as_deref().is_none_or(|parameters| parameters == [0x05, 0x00])
    }

    /// The hash function this names.
    ///
    /// # Errors
    /// When it is not accepted, or has parameters.
    pub fn hash(&self) -> Result<HashAlgorithm, Unsupported> {
        let hash = HashAlgorithm::from_oid(self.oid)?;
        if !self.has_no_parameters() {
            return Err(Unsupported::new(format!("hash function {hash} has parameters")));
        }
        Ok(hash)
    }
}

/// A signature algorithm with its hash function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Algorithm {
    /// RSASSA-PKCS1-v1_5 (RFC 8017).
    RsaPkcs1(HashAlgorithm),
    /// RSASSA-PSS (RFC 8017), MGF1 with the same hash function. The salt is as long as the digest
    /// in what this library writes; [`Algorithm::RsaPssSalted`] carries other lengths when reading.
    RsaPss(HashAlgorithm),
    /// RSASSA-PSS with a salt length of its own, in bytes.
    RsaPssSalted(HashAlgorithm, usize),
    /// ECDSA on P-256 (FIPS 186-5).
    EcdsaP256(HashAlgorithm),
    /// ECDSA on P-384 (FIPS 186-5).
    EcdsaP384(HashAlgorithm),
    /// ECDSA on another curve.
    Ecdsa(Curve, HashAlgorithm),
    /// Ed25519 (RFC 8032): the signature is over the bytes themselves, not over a digest.
    Ed25519,
}

impl Algorithm {
    /// The hash function over the signed bytes; for Ed25519 that which goes with it in CMS
    /// (RFC 8419, 2.3).
    #[must_use]
    pub fn hash(self) -> HashAlgorithm {
        match self {
            Self::RsaPkcs1(hash)
            | Self::RsaPss(hash)
            | Self::RsaPssSalted(hash, _)
            | Self::EcdsaP256(hash)
            | Self::EcdsaP384(hash)
            | Self::Ecdsa(_, hash) => hash,
            Self::Ed25519 => HashAlgorithm::Sha512,
        }
    }

    /// The algorithm that an identifier means for this key.
    ///
    /// In CMS the identifier may be the key's own (`rsaEncryption`, `id-ecPublicKey`), so that
    /// `digest` decides; where it names a hash function itself, `digest` must be the same.
    ///
    /// # Errors
    /// When the algorithm is not accepted, does not fit the key, or contradicts `digest`.
    pub fn from_identifier(
        identifier: &AlgorithmIdentifier,
        digest: Option<HashAlgorithm>,
        key: &PublicKey,
    ) -> Result<Self, Unsupported> {
        let hash = match (identifier.oid, key) {
            (oids::EC_PUBLIC_KEY, PublicKey::P256(_) | PublicKey::P384(_) | PublicKey::Ec(_)) => {
                Some(
                    digest
                        .ok_or_else(|| Unsupported::new("id-ecPublicKey names no hash function"))?,
                )
            }
            _ => named_hash(identifier)?,
        };
        let algorithm = match (identifier.oid, key) {
            (oids::RSA_PSS, PublicKey::Rsa { .. }) => pss(identifier)?,
            (oids::RSA, PublicKey::Rsa { pss_only: false, .. }) => Self::RsaPkcs1(
                digest.ok_or_else(|| Unsupported::new("rsaEncryption names no hash function"))?,
            ),
            (
                oids::RSA_SHA256
                | oids::RSA_SHA384
                | oids::RSA_SHA512
                | oids::RSA_SHA3_256
                | oids::RSA_SHA3_384
                | oids::RSA_SHA3_512,
                PublicKey::Rsa { pss_only: false, .. },
            ) => Self::RsaPkcs1(hash.ok_or_else(|| unknown(identifier))?),
            (_, PublicKey::P256(_)) if is_ecdsa(identifier.oid) => {
                Self::EcdsaP256(hash.ok_or_else(|| unknown(identifier))?)
            }
            (_, PublicKey::P384(_)) if is_ecdsa(identifier.oid) => {
                Self::EcdsaP384(hash.ok_or_else(|| unknown(identifier))?)
            }
            (_, PublicKey::Ec(key)) if is_ecdsa(identifier.oid) => {
                Self::Ecdsa(key.curve(), hash.ok_or_else(|| unknown(identifier))?)
            }
            (oids::ED25519, PublicKey::Ed25519(_)) => return ed25519(digest),
            _ => {
                let text = format!("{} does not fit the key ({key})", name_of(identifier.oid));
                return Err(Unsupported::new(text));
            }
        };
        match digest {
            Some(digest) if digest != algorithm.hash() => Err(Unsupported::new(format!(
                "the signature uses {} but the digest algorithm is {digest}",
                algorithm.hash()
            ))),
            _ => Ok(algorithm),
        }
    }

    /// The DER AlgorithmIdentifier, as certificates and CMS carry it.
    #[must_use]
    pub fn to_der(self) -> Vec<u8> {
        let null = writer::null();
        match self {
            Self::RsaPkcs1(hash) => {
                let oid = match hash {
                    HashAlgorithm::Sha256 => oids::RSA_SHA256,
                    HashAlgorithm::Sha384 => oids::RSA_SHA384,
                    HashAlgorithm::Sha512 => oids::RSA_SHA512,
                    HashAlgorithm::Sha3_256 => oids::RSA_SHA3_256,
                    HashAlgorithm::Sha3_384 => oids::RSA_SHA3_384,
                    HashAlgorithm::Sha3_512 => oids::RSA_SHA3_512,
                };
                writer::sequence(&[&writer::oid(&oid), &null])
            }
            Self::RsaPss(hash) => pss_identifier(hash, hash.output_len()),
            Self::RsaPssSalted(hash, salt) => pss_identifier(hash, salt),
            Self::EcdsaP256(hash) | Self::EcdsaP384(hash) | Self::Ecdsa(_, hash) => {
                let oid = match hash {
                    HashAlgorithm::Sha256 => oids::ECDSA_SHA256,
                    HashAlgorithm::Sha384 => oids::ECDSA_SHA384,
                    HashAlgorithm::Sha512 => oids::ECDSA_SHA512,
                    HashAlgorithm::Sha3_256 => oids::ECDSA_SHA3_256,
                    HashAlgorithm::Sha3_384 => oids::ECDSA_SHA3_384,
                    HashAlgorithm::Sha3_512 => oids::ECDSA_SHA3_512,
                };
                writer::sequence(&[&writer::oid(&oid)])
            }
            Self::Ed25519 => writer::sequence(&[&writer::oid(&oids::ED25519)]),
        }
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RsaPkcs1(hash) => write!(f, "rsa pkcs#1 v1.5 with {hash}"),
            Self::RsaPss(hash) => write!(f, "rsa pss with {hash}"),
            Self::RsaPssSalted(hash, salt) => {
                write!(f, "rsa pss with {hash}, salt of {salt} bytes")
            }
            Self::EcdsaP256(hash) => write!(f, "ecdsa p-256 with {hash}"),
            Self::EcdsaP384(hash) => write!(f, "ecdsa p-384 with {hash}"),
            Self::Ecdsa(curve, hash) => write!(f, "ecdsa {curve} with {hash}"),
            Self::Ed25519 => f.write_str("ed25519"),
        }
    }
}

/// The hash function an identifier names by itself; broken ones are refused by name.
fn named_hash(identifier: &AlgorithmIdentifier) -> Result<Option<HashAlgorithm>, Unsupported> {
    let hash = match identifier.oid {
        oids::RSA_SHA256 | oids::ECDSA_SHA256 => HashAlgorithm::Sha256,
        oids::RSA_SHA384 | oids::ECDSA_SHA384 => HashAlgorithm::Sha384,
        oids::RSA_SHA512 | oids::ECDSA_SHA512 => HashAlgorithm::Sha512,
        oids::RSA_SHA3_256 | oids::ECDSA_SHA3_256 => HashAlgorithm::Sha3_256,
        oids::RSA_SHA3_384 | oids::ECDSA_SHA3_384 => HashAlgorithm::Sha3_384,
        oids::RSA_SHA3_512 | oids::ECDSA_SHA3_512 => HashAlgorithm::Sha3_512,
        oids::RSA | oids::RSA_PSS => return Ok(None),
        oids::ED25519 | oids::EC_PUBLIC_KEY => return without_parameters(identifier, None),
        _ => return Err(unknown(identifier)),
    };
    without_parameters(identifier, Some(hash))
}

fn without_parameters(
    identifier: &AlgorithmIdentifier,
    hash: Option<HashAlgorithm>,
) -> Result<Option<HashAlgorithm>, Unsupported> {
    if !identifier.has_no_parameters() {
        let text = format!("{} has parameters", name_of(identifier.oid));
        return Err(Unsupported::new(text));
    }
    Ok(hash)
}

/// RFC 8419 (2.3) has SHA-512 beside Ed25519; whether another one was meant is not known.
fn ed25519(digest: Option<HashAlgorithm>) -> Result<Algorithm, Unsupported> {
    match digest {
        None | Some(HashAlgorithm::Sha512) => Ok(Algorithm::Ed25519),
        Some(other) => Err(Unsupported::open(format!("ed25519 beside {other} is not supported"))),
    }
}

fn is_ecdsa(oid: Oid) -> bool {
    matches!(
        oid,
        oids::ECDSA_SHA256
            | oids::ECDSA_SHA384
            | oids::ECDSA_SHA512
            | oids::ECDSA_SHA3_256
            | oids::ECDSA_SHA3_384
            | oids::ECDSA_SHA3_512
            | oids::EC_PUBLIC_KEY
    )
}

fn unknown(identifier: &AlgorithmIdentifier) -> Unsupported {
    Unsupported::open(match identifier.oid {
        oids::RSA_SHA1 | oids::ECDSA_SHA1 => {
            format!("{} rests on sha-1, which is broken", name_of(identifier.oid))
        }
        oid => format!("signature algorithm {} is not supported", name_of(oid)),
    })
}

fn pss_identifier(hash: HashAlgorithm, salt: usize) -> Vec<u8> {
    let hash_id = writer::sequence(&[&writer::oid(&hash.oid()), &writer::null()]);
    let mask = writer::sequence(&[&writer::oid(&oids::MGF1), &hash_id]);
    let parameters = writer::sequence(&[
        &writer::tagged(0, &hash_id),
        &writer::tagged(1, &mask),
        &writer::tagged(2, &writer::integer(salt as u64)),
    ]);
    writer::sequence(&[&writer::oid(&oids::RSA_PSS), &parameters])
}

/// RSASSA-PSS-params (RFC 8017, A.2.3): absent members mean SHA-1, which is refused.
fn pss(identifier: &AlgorithmIdentifier) -> Result<Algorithm, Unsupported> {
    let broken = |error: Malformed| Unsupported::new(error.to_string());
    let parameters = identifier.parameters.as_deref().unwrap_or(&[]);
    let mut outer = Reader::new(parameters);
    let what = "rsassa-pss parameters";
    let mut reader = outer.sequence(what).map_err(broken)?;
    outer.finish(what).map_err(broken)?;
    let mut member = |n: u8| reader.optional(context(n), what).map_err(broken);
    let (hash, mask) = (member(0)?, member(1)?);
    let (salt, trailer) = (member(2)?, member(3)?);
    reader.finish(what).map_err(broken)?;
    let sha1 = || Unsupported::open("rsassa-pss rests on sha-1, which is broken");
    let hash = read_identifier(hash.ok_or_else(sha1)?.reader())?.hash()?;
    let mask = read_identifier(mask.ok_or_else(sha1)?.reader())?;
    let mask_hash =
        read_identifier(Reader::new(mask.parameters.as_deref().unwrap_or(&[])))?.hash()?;
    if mask.oid != oids::MGF1 || mask_hash != hash {
        let text = format!("rsassa-pss masks with other than mgf1 and {hash}");
        return Err(Unsupported::open(text));
    }
    if let Some(trailer) = trailer
        && trailer.content != [0x02, 0x01, 0x01]
    {
        return Err(Unsupported::new("rsassa-pss has an unknown trailer field"));
    }
    let salt = match salt {
        Some(salt) => salt.reader().unsigned(what).map_err(broken)?,
        None => 20,
    };
    let salt = usize::try_from(salt).ok().filter(|salt| *salt <= 512);
    match salt {
        Some(salt) if salt == hash.output_len() => Ok(Algorithm::RsaPss(hash)),
        Some(salt) => Ok(Algorithm::RsaPssSalted(hash, salt)),
        None => Err(Unsupported::new("rsassa-pss has a salt of more than 512 bytes")),
    }
}

fn read_identifier(mut reader: Reader<'_>) -> Result<AlgorithmIdentifier, Unsupported> {
    let what = "rsassa-pss parameters";
    let read = AlgorithmIdentifier::read(&mut reader, what);
    read.and_then(|identifier| reader.finish(what).map(|()| identifier))
        .map_err(|error| Unsupported::new(error.to_string()))
}
