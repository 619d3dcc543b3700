//! SHA-256 digests: of what is sent and received, and as the service states them.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use ring::digest::{Context, SHA256, digest};

use crate::error::{Result, of_encoding};
use crate::wire::{ByteSource, WINDOW};

/// A SHA-256 digest.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Sha256(pub [u8; 32]);

impl Sha256 {
    /// The digest of `bytes`.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self::taken(&digest(&SHA256, bytes))
    }

    fn taken(digest: &ring::digest::Digest) -> Self {
        let mut bytes = [0; 32];
        bytes.iter_mut().zip(digest.as_ref()).for_each(|(to, from)| *to = *from);
        Self(bytes)
    }

    /// A digest as text: 64 hexadecimal digits, or base64 (with or without padding) of 32 bytes.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let bytes = match text.len() {
            64 => from_hex(text)?,
            _ => STANDARD_NO_PAD.decode(text.trim_end_matches('=')).ok()?,
        };
        bytes.try_into().ok().map(Self)
    }

    /// Base64 with padding, as the service writes digests.
    #[must_use]
    pub fn to_base64(&self) -> String {
        STANDARD.encode(self.0)
    }

    /// The digest of a document that is about to be sent, read window by window.
    pub(super) fn of_source(source: &ByteSource) -> Result<Self> {
        if let ByteSource::Memory(bytes) = source {
            return Ok(Self::of(bytes));
        }
        let mut running = Running::default();
        let mut window = vec![0; WINDOW];
        let mut at = 0;
        while at < source.len() {
            let count = usize::try_from(source.len() - at).map_or(WINDOW, |left| left.min(WINDOW));
            let part = window.get_mut(..count).unwrap_or_default();
            source.read_exact_at(part, at).map_err(|error| of_encoding(&error))?;
            running.update(part);
            at += count as u64;
        }
        Ok(running.finish())
    }
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> =
        text.chars().map(|c| c.to_digit(16).and_then(|d| u8::try_from(d).ok())).collect();
    let pair = |pair: &[u8]| Some(pair.first()? << 4 | pair.get(1)?);
    digits?.chunks(2).map(pair).collect()
}

impl fmt::Display for Sha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_base64())
    }
}

impl fmt::Debug for Sha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sha256({self})")
    }
}

/// A digest that is being computed.
pub(super) struct Running(Context);

impl Default for Running {
    fn default() -> Self {
        Self(Context::new(&SHA256))
    }
}

impl Running {
    pub(super) fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    pub(super) fn finish(self) -> Sha256 {
        Sha256::taken(&self.0.finish())
    }
}

/// How the digest that the service states for a document compares with our own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DigestCheck {
    /// Both are the same.
    Matches,
    /// They differ: the document is not what the service says it is.
    Differs {
        /// What the service states.
        stated: Sha256,
        /// What we computed.
        actual: Sha256,
    },
    /// There was nothing to compare, and why.
    NotCompared(&'static str),
}

impl DigestCheck {
    /// `matches`, `differs` or `not_compared`.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Matches => "matches",
            Self::Differs { .. } => "differs",
            Self::NotCompared(_) => "not_compared",
        }
    }

    pub(super) fn of(stated: Sha256, actual: Sha256) -> Self {
        if stated == actual { Self::Matches } else { Self::Differs { stated, actual } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_read_as_base64_and_as_hex() {
        // FIPS 180-4, the example "abc".
        let hex = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        let digest = Sha256::of(b"abc");
        assert_eq!(Sha256::parse(hex), Some(digest));
        assert_eq!(Sha256::parse(&hex.to_uppercase()), Some(digest));
        let base64 = digest.to_base64();
        assert_eq!(Sha256::parse(&base64), Some(digest));
        assert_eq!(Sha256::parse(base64.trim_end_matches('=')), Some(digest));
        for wrong in ["", "abc", &hex[1..], &format!("{}g", &hex[1..]), "AAAA"] {
            assert_eq!(Sha256::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_file_has_the_digest_of_its_bytes() {
        let bytes: Vec<u8> = (0..3 * WINDOW + 17).map(|i| (i % 251) as u8).collect();
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), &bytes).unwrap();
        let source = ByteSource::open(file.path()).unwrap();
        assert_eq!(Sha256::of_source(&source).unwrap(), Sha256::of(&bytes));
    }
}
