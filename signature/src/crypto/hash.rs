//! The hash functions that a signature may rest on.

use std::fmt;

use sha1::Sha1;
use sha2::{Digest, Sha256, Sha384, Sha512};
use sha3::{Sha3_256, Sha3_384, Sha3_512};

use super::Unsupported;
use super::names::name_of;
use crate::asn1::{Oid, oids};

/// A hash function that is accepted in signatures. SHA-1 and MD5 are left out on purpose: what
/// rests on them is reported, never accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HashAlgorithm {
    /// SHA-256 (FIPS 180-4).
    Sha256,
    /// SHA-384 (FIPS 180-4).
    Sha384,
    /// SHA-512 (FIPS 180-4).
    Sha512,
    /// SHA3-256 (FIPS 202).
    Sha3_256,
    /// SHA3-384 (FIPS 202).
    Sha3_384,
    /// SHA3-512 (FIPS 202).
    Sha3_512,
}

impl HashAlgorithm {
    /// The hash functions to sign with.
    pub const ALL: [Self; 3] = [Self::Sha256, Self::Sha384, Self::Sha512];

    /// Every accepted hash function: those to sign with, and those that others may have used.
    pub const ACCEPTED: [Self; 6] =
        [Self::Sha256, Self::Sha384, Self::Sha512, Self::Sha3_256, Self::Sha3_384, Self::Sha3_512];

    /// The function with this identifier.
    ///
    /// # Errors
    /// When it is not accepted; the text names it.
    pub fn from_oid(oid: Oid) -> Result<Self, Unsupported> {
        match oid {
            oids::SHA256 => Ok(Self::Sha256),
            oids::SHA384 => Ok(Self::Sha384),
            oids::SHA512 => Ok(Self::Sha512),
            oids::SHA3_256 => Ok(Self::Sha3_256),
            oids::SHA3_384 => Ok(Self::Sha3_384),
            oids::SHA3_512 => Ok(Self::Sha3_512),
            oids::SHA1 => Err(Unsupported::open("hash function sha-1 is broken")),
            oids::MD5 => Err(Unsupported::open("hash function md5 is broken")),
            oids::SHA224 => Err(Unsupported::open("hash function sha-224 is not supported")),
            other => {
                let name = name_of(other);
                Err(Unsupported::open(format!("hash function {name} is not supported")))
            }
        }
    }

    /// Its identifier.
    #[must_use]
    pub fn oid(self) -> Oid {
        match self {
            Self::Sha256 => oids::SHA256,
            Self::Sha384 => oids::SHA384,
            Self::Sha512 => oids::SHA512,
            Self::Sha3_256 => oids::SHA3_256,
            Self::Sha3_384 => oids::SHA3_384,
            Self::Sha3_512 => oids::SHA3_512,
        }
    }

    /// Its name: `sha256`, `sha384`, `sha512`, `sha3-256`, `sha3-384` or `sha3-512`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Sha256 => "sha256",
            Self::Sha384 => "sha384",
            Self::Sha512 => "sha512",
            Self::Sha3_256 => "sha3-256",
            Self::Sha3_384 => "sha3-384",
            Self::Sha3_512 => "sha3-512",
        }
    }

    /// The function to sign with of this name, written `sha256`, `SHA-256` or `SHA256`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let plain = name.to_ascii_lowercase().replace('-', "");
        Self::ALL.into_iter().find(|hash| hash.name() == plain)
    }

    /// Length of a digest in bytes.
    #[must_use]
    pub fn output_len(self) -> usize {
        match self {
            Self::Sha256 | Self::Sha3_256 => 32,
            Self::Sha384 | Self::Sha3_384 => 48,
            Self::Sha512 | Self::Sha3_512 => 64,
        }
    }

    /// The digest of `data`.
    #[must_use]
    pub fn digest(self, data: &[u8]) -> Vec<u8> {
        match self {
            Self::Sha256 => Sha256::digest(data).to_vec(),
            Self::Sha384 => Sha384::digest(data).to_vec(),
            Self::Sha512 => Sha512::digest(data).to_vec(),
            Self::Sha3_256 => Sha3_256::digest(data).to_vec(),
            Self::Sha3_384 => Sha3_384::digest(data).to_vec(),
            Self::Sha3_512 => Sha3_512::digest(data).to_vec(),
        }
    }

    /// A running digest, for data that comes in pieces.
    #[must_use]
    pub fn hasher(self) -> Hasher {
        Hasher(match self {
            Self::Sha256 => Running::Sha256(Sha256::new()),
            Self::Sha384 => Running::Sha384(Sha384::new()),
            Self::Sha512 => Running::Sha512(Sha512::new()),
            Self::Sha3_256 => Running::Sha3_256(Sha3_256::new()),
            Self::Sha3_384 => Running::Sha3_384(Sha3_384::new()),
            Self::Sha3_512 => Running::Sha3_512(Sha3_512::new()),
        })
    }
}

impl fmt::Display for HashAlgorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A digest in the making. Bytes may also be written to it.
#[derive(Clone)]
pub struct Hasher(Running);

#[derive(Clone)]
enum Running {
    Sha256(Sha256),
    Sha384(Sha384),
    Sha512(Sha512),
    Sha3_256(Sha3_256),
    Sha3_384(Sha3_384),
    Sha3_512(Sha3_512),
}

impl Hasher {
    /// Adds bytes.
    pub fn update(&mut self, data: &[u8]) {
        match &mut self.0 {
            Running::Sha256(hasher) => hasher.update(data),
            Running::Sha384(hasher) => hasher.update(data),
            Running::Sha512(hasher) => hasher.update(data),
            Running::Sha3_256(hasher) => hasher.update(data),
            Running::Sha3_384(hasher) => hasher.update(data),
            Running::Sha3_512(hasher) => hasher.update(data),
        }
    }

    /// The digest of everything added.
    #[must_use]
    pub fn finish(self) -> Vec<u8> {
        match self.0 {
            Running::Sha256(hasher) => hasher.finalize().to_vec(),
            Running::Sha384(hasher) => hasher.finalize().to_vec(),
            Running::Sha512(hasher) => hasher.finalize().to_vec(),
            Running::Sha3_256(hasher) => hasher.finalize().to_vec(),
            Running::Sha3_384(hasher) => hasher.finalize().to_vec(),
            Running::Sha3_512(hasher) => hasher.finalize().to_vec(),
        }
    }
}

impl fmt::Debug for Hasher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hasher")
    }
}

impl std::io::Write for Hasher {
    fn write(&mut self, buf: &[u8]) -> std::io::Result<usize> {
        self.update(buf);
        Ok(buf.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// SHA-1 where a format uses it only to name a certificate or key (RFC 6960 CertID and KeyHash,
/// RFC 2634 ESSCertID, key identifiers). Never the base of trust.
pub(crate) fn sha1_for_identification(data: &[u8]) -> Vec<u8> {
    Sha1::digest(data).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn running_and_whole_digests_agree() {
        for hash in HashAlgorithm::ACCEPTED {
            let mut running = hash.hasher();
            running.update(b"ab");
            running.update(b"c");
            let digest = running.finish();
            assert_eq!(digest, hash.digest(b"abc"));
            assert_eq!(digest.len(), hash.output_len());
            assert_eq!(HashAlgorithm::from_oid(hash.oid()).unwrap(), hash);
            let named = HashAlgorithm::from_name(hash.name());
            assert_eq!(named, Some(hash).filter(|hash| HashAlgorithm::ALL.contains(hash)));
        }
        assert_eq!(HashAlgorithm::from_name("SHA-256"), Some(HashAlgorithm::Sha256));
        assert!(HashAlgorithm::from_oid(oids::SHA1).is_err());
        let abc = HashAlgorithm::Sha256.digest(b"abc");
        assert_eq!(abc[..4], [0xba, 0x78, 0x16, 0xbf]);
        assert_eq!(sha1_for_identification(b"abc")[..4], [0xa9, 0x99, 0x3e, 0x36]);
    }
}
