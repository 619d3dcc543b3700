//! Random values of one sandbox: tokens, secrets, identifiers, keys.
//!
//! With a seed the sequence repeats, so that a test can name the values it expects; without one it
//! starts from the operating system's generator. Each block is SHA-256(key, counter).

use std::sync::atomic::{AtomicU64, Ordering};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

/// A source of random bytes, usable from several threads.
#[derive(Debug)]
pub(crate) struct Random {
    key: [u8; 32],
    counter: AtomicU64,
}

impl Random {
    /// A source that repeats for the same seed.
    pub(crate) fn seeded(seed: u64) -> Self {
        let mut hasher = Sha256::new();
        hasher.update(b"signdoc sandbox seed");
        hasher.update(seed.to_be_bytes());
        Self { key: hasher.finalize().into(), counter: AtomicU64::new(0) }
    }

    /// A source that starts from the operating system.
    pub(crate) fn from_system() -> std::io::Result<Self> {
        let mut key = [0_u8; 32];
        getrandom::fill(&mut key).map_err(std::io::Error::other)?;
        Ok(Self { key, counter: AtomicU64::new(0) })
    }

    /// The next 32 bytes.
    pub(crate) fn block(&self) -> [u8; 32] {
        let counter = self.counter.fetch_add(1, Ordering::Relaxed);
        let mut hasher = Sha256::new();
        hasher.update(self.key);
        hasher.update(counter.to_be_bytes());
        hasher.finalize().into()
    }

    /// `length` bytes.
    pub(crate) fn bytes(&self, length: usize) -> Vec<u8> {
        let mut out = Vec::with_capacity(length + 32);
        while out.len() < length {
            out.extend_from_slice(&self.block());
        }
        out.truncate(length);
        out
    }

    /// 256 bits as 43 characters that need no escaping in URLs, forms and JSON.
    pub(crate) fn token(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.block())
    }

    /// A version 4 UUID (RFC 9562 section 5.4).
    pub(crate) fn uuid(&self) -> String {
        let mut value = u128::from_be_bytes(first_half(self.block()));
        value &= !(0xf000_u128 << 64) & !(0xc000_u128 << 48);
        value |= (0x4000_u128 << 64) | (0x8000_u128 << 48);
        let hex = format!("{value:032x}");
        let mut out = String::with_capacity(36);
        for (index, digit) in hex.chars().enumerate() {
            if matches!(index, 8 | 12 | 16 | 20) {
                out.push('-');
            }
            out.push(digit);
        }
        out
    }
}

fn first_half(block: [u8; 32]) -> [u8; 16] {
    let mut half = [0_u8; 16];
    half.copy_from_slice(block.split_at(16).0);
    half
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_repeats_and_no_seed_does_not() {
        assert_eq!(Random::seeded(7).bytes(100), Random::seeded(7).bytes(100));
        assert_ne!(Random::seeded(7).bytes(100), Random::seeded(8).bytes(100));
        assert_ne!(Random::from_system().unwrap().block(), Random::from_system().unwrap().block());
    }

    #[test]
    fn uuids_say_version_4_and_the_variant() {
        let random = Random::seeded(1);
        for _ in 0..100 {
            let uuid = random.uuid();
            let bytes = uuid.as_bytes();
            assert_eq!(uuid.len(), 36);
            assert_eq!(bytes[14], b'4');
            assert!(matches!(bytes[19], b'8' | b'9' | b'a' | b'b'), "{uuid}");
        }
    }
}
