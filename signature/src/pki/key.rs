//! Private keys of the throw-away infrastructure.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use p256::ecdsa::signature::hazmat::PrehashSigner;
use rsa::pkcs1v15::Pkcs1v15Sign;
use rsa::traits::PublicKeyParts;
use rsa::{Pss, RsaPrivateKey};
use sha2::{Sha256, Sha384, Sha512};

use super::PkiError;
use super::rng::SeededRng;
use crate::asn1::{oids, writer};
use crate::crypto::{Algorithm, HashAlgorithm, KeyKind, digest_info_prefix};

/// A private key. Its Debug form shows the kind only.
#[derive(Clone)]
pub struct SigningKey(Inner);

#[derive(Clone)]
enum Inner {
    Rsa(Arc<RsaPrivateKey>),
    P256(Box<p256::ecdsa::SigningKey>),
    P384(Box<p384::ecdsa::SigningKey>),
}

impl SigningKey {
    /// The key that follows from a label.
    ///
    /// RSA keys are made once per process, size and label, since finding primes takes long.
    ///
    /// # Errors
    /// When an RSA size is not within 1024 to 4096 bits.
    pub fn derive(kind: KeyKind, label: &str) -> Result<Self, PkiError> {
        let mut rng = SeededRng::new(format!("signdoc throw-away key {kind} {label}").as_bytes());
        let scalar = |len: usize, rng: &mut SeededRng| {
            let mut bytes = vec![0; len];
            let _ = rand_core::TryRng::try_fill_bytes(rng, &mut bytes);
            bytes
        };
        match kind {
            KeyKind::Rsa(bits) => {
                cached_rsa(bits, label, &mut rng).map(|key| Self(Inner::Rsa(key)))
            }
            // A random scalar is outside the group order with a chance of 2^-32 at most.
            KeyKind::P256 => loop {
                if let Ok(key) = p256::ecdsa::SigningKey::from_slice(&scalar(32, &mut rng)) {
                    return Ok(Self(Inner::P256(Box::new(key))));
                }
            },
            KeyKind::P384 => loop {
                if let Ok(key) = p384::ecdsa::SigningKey::from_slice(&scalar(48, &mut rng)) {
                    return Ok(Self(Inner::P384(Box::new(key))));
                }
            },
            KeyKind::Ec(_) | KeyKind::Ed25519 => {
                Err(PkiError::new(format!("keys of kind {kind} are not made here")))
            }
        }
    }

    /// The kind of the key.
    #[must_use]
    pub fn kind(&self) -> KeyKind {
        match &self.0 {
            Inner::Rsa(key) => KeyKind::Rsa(key.n().as_ref().bits_vartime() as usize),
            Inner::P256(_) => KeyKind::P256,
            Inner::P384(_) => KeyKind::P384,
        }
    }

    /// The algorithm used when nothing else is asked: PKCS#1 v1.5 for RSA, else ECDSA.
    #[must_use]
    pub fn algorithm(&self, hash: HashAlgorithm) -> Algorithm {
        match &self.0 {
            Inner::Rsa(_) => Algorithm::RsaPkcs1(hash),
            Inner::P256(_) => Algorithm::EcdsaP256(hash),
            Inner::P384(_) => Algorithm::EcdsaP384(hash),
        }
    }

    /// The SubjectPublicKeyInfo in DER.
    #[must_use]
    pub fn spki(&self) -> Vec<u8> {
        let (identifier, bits) = match &self.0 {
            Inner::Rsa(key) => (
                writer::sequence(&[&writer::oid(&oids::RSA), &writer::null()]),
                writer::sequence(&[
                    &writer::unsigned(&key.n_bytes()),
                    &writer::unsigned(&key.e_bytes()),
                ]),
            ),
            Inner::P256(key) => {
                (curve(&oids::P256), key.verifying_key().to_sec1_point(false).as_bytes().to_vec())
            }
            Inner::P384(key) => {
                (curve(&oids::P384), key.verifying_key().to_sec1_point(false).as_bytes().to_vec())
            }
        };
        writer::sequence(&[&identifier, &writer::bits(&bits)])
    }

    /// Signs a digest. ECDSA values are in DER. The same key, algorithm and digest always give the
    /// same value, PSS salts included.
    ///
    /// # Errors
    /// When algorithm, key and digest do not fit together.
    pub fn sign_hash(&self, algorithm: Algorithm, digest: &[u8]) -> Result<Vec<u8>, PkiError> {
        let hash = algorithm.hash();
        if digest.len() != hash.output_len() {
            let (found, wanted) = (digest.len(), hash.output_len());
            return Err(PkiError::new(format!("digest has {found} bytes, {hash} gives {wanted}")));
        }
        match (&self.0, algorithm) {
            (Inner::Rsa(key), Algorithm::RsaPkcs1(hash)) => {
                let prefix = digest_info_prefix(hash.oid(), &writer::null(), digest.len());
                sign_pkcs1(key, prefix, digest)
            }
            (Inner::Rsa(key), Algorithm::RsaPss(_)) => {
                sign_pss(key, hash, hash.output_len(), digest)
            }
            (Inner::Rsa(key), Algorithm::RsaPssSalted(_, salt)) => {
                sign_pss(key, hash, salt, digest)
            }
            (Inner::P256(key), Algorithm::EcdsaP256(_)) => {
                let signature: Result<p256::ecdsa::Signature, _> = key.sign_prehash(digest);
                signature.map(|s| s.to_der().as_bytes().to_vec()).map_err(failed)
            }
            (Inner::P384(key), Algorithm::EcdsaP384(_)) => {
                let signature: Result<p384::ecdsa::Signature, _> = key.sign_prehash(digest);
                signature.map(|s| s.to_der().as_bytes().to_vec()).map_err(failed)
            }
            _ => {
                let kind = self.kind();
                Err(PkiError::new(format!("a key of kind {kind} does not sign as {algorithm}")))
            }
        }
    }

    /// Signs a digest with RSA PKCS#1 v1.5 and a DigestInfo without NULL, as some end users'
    /// signatures are.
    ///
    /// # Errors
    /// When the key is no RSA key.
    pub fn sign_hash_without_null(
        &self,
        hash: HashAlgorithm,
        digest: &[u8],
    ) -> Result<Vec<u8>, PkiError> {
        match &self.0 {
            Inner::Rsa(key) => {
                sign_pkcs1(key, digest_info_prefix(hash.oid(), &[], digest.len()), digest)
            }
            _ => Err(PkiError::new("only rsa signatures have a digest info")),
        }
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SigningKey({})", self.kind())
    }
}

fn curve(oid: &crate::asn1::Oid) -> Vec<u8> {
    writer::sequence(&[&writer::oid(&oids::EC_PUBLIC_KEY), &writer::oid(oid)])
}

fn failed(error: impl fmt::Display) -> PkiError {
    PkiError::new(format!("signing failed: {error}"))
}

fn sign_pkcs1(key: &RsaPrivateKey, prefix: Vec<u8>, digest: &[u8]) -> Result<Vec<u8>, PkiError> {
    let scheme = Pkcs1v15Sign { hash_len: Some(digest.len()), prefix: prefix.into_boxed_slice() };
    key.sign(scheme, digest).map_err(failed)
}

fn sign_pss(
    key: &RsaPrivateKey,
    hash: HashAlgorithm,
    salt: usize,
    digest: &[u8],
) -> Result<Vec<u8>, PkiError> {
    let mut rng = SeededRng::new(&[b"pss", digest].concat());
    match hash {
        HashAlgorithm::Sha256 => {
            key.sign_with_rng(&mut rng, Pss::<Sha256>::new_with_salt(salt), digest)
        }
        HashAlgorithm::Sha384 => {
            key.sign_with_rng(&mut rng, Pss::<Sha384>::new_with_salt(salt), digest)
        }
        HashAlgorithm::Sha512 => {
            key.sign_with_rng(&mut rng, Pss::<Sha512>::new_with_salt(salt), digest)
        }
        HashAlgorithm::Sha3_256 | HashAlgorithm::Sha3_384 | HashAlgorithm::Sha3_512 => {
            return Err(PkiError::new(format!("{hash} is not signed with here")));
        }
    }
    .map_err(failed)
}

type Cache = Mutex<HashMap<(usize, String), Arc<RsaPrivateKey>>>;

fn cached_rsa(
    bits: usize,
    label: &str,
    rng: &mut SeededRng,
) -> Result<Arc<RsaPrivateKey>, PkiError> {
    static KEYS: OnceLock<Cache> = OnceLock::new();
    if !(1024..=4096).contains(&bits) {
        return Err(PkiError::new(format!("rsa keys have 1024 to 4096 bits here, not {bits}")));
    }
    let cache = KEYS.get_or_init(Cache::default);
    let mut keys = cache.lock().unwrap_or_else(PoisonError::into_inner);
    let entry = (bits, label.to_owned());
    if let Some(key) = keys.get(&entry) {
        return Ok(Arc::clone(key));
    }
    let key = Arc::new(RsaPrivateKey::new(rng, bits).map_err(failed)?);
    keys.insert(entry, Arc::clone(&key));
    Ok(key)
}
