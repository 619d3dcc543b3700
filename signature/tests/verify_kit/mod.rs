//! What the tests of verification share: an authority, a signer, and the options that trust them.
#![allow(
    dead_code,
    clippy::unwrap_used,
    reason = "test code; each test file uses some of it, and helpers count as outside of tests"
)]

pub mod crafted;
pub mod story;

use std::sync::Arc;

use base64::Engine as _;
use bytes::Bytes;
use signdoc_signature::asn1::Time;
use signdoc_signature::crypto::{HashAlgorithm, KeyKind};
use signdoc_signature::pdf::SharedSource;
use signdoc_signature::pki::{Identity, Pki, PkiOptions};
use signdoc_signature::sign::{PrepareOptions, Seal};
use signdoc_signature::verify::VerifyOptions;

use crate::common::signing::{Level, Signing, bytes};

/// 2026-11-20T12:00:00Z: tests do not depend on the day they run.
pub const NOW: i64 = 1_795_176_000;

pub struct Kit {
    pub pki: Pki,
    pub signer: Identity,
}

impl Kit {
    pub fn new(seed: u64) -> Kit {
        Kit::with_key(seed, KeyKind::P256)
    }

    pub fn with_key(seed: u64, key: KeyKind) -> Kit {
        let issued = Time::from_unix(NOW - 30 * 86_400);
        let pki = Pki::with_options(PkiOptions { seed, issued, key }).unwrap();
        let signer = pki.person("Kari", "Nordmann", 1, key).unwrap();
        Kit { pki, signer }
    }

    /// Trusts the authority, at a fixed time.
    pub fn options(&self) -> VerifyOptions {
        VerifyOptions {
            trust: self.pki.anchors(),
            at: Some(Time::from_unix(NOW + 3600)),
            ..VerifyOptions::default()
        }
    }

    /// An invisible signature.
    pub fn plain(&self) -> PrepareOptions {
        PrepareOptions {
            time: Some(Time::from_unix(NOW)),
            reserve: 8192,
            ..PrepareOptions::default()
        }
    }

    /// A signature with a seal.
    pub fn sealed(&self, x: f64, y: f64) -> PrepareOptions {
        let seal = Seal { x, y, width: 120.0, height: 40.0, ..Seal::default() };
        PrepareOptions { seal: Some(seal), name: Some("Kari Nordmann".into()), ..self.plain() }
    }

    pub fn sign(&self, pdf: &[u8], level: Level, options: &PrepareOptions) -> Vec<u8> {
        self.sign_as(&self.signer, pdf, level, options)
    }

    pub fn sign_as(
        &self,
        signer: &Identity,
        pdf: &[u8],
        level: Level,
        options: &PrepareOptions,
    ) -> Vec<u8> {
        let signing = Signing { pki: &self.pki, signer, level, at: Time::from_unix(NOW) };
        bytes(&signing.sign(arc(pdf), options).unwrap())
    }
}

pub fn arc(bytes: &[u8]) -> SharedSource {
    Arc::new(Bytes::copy_from_slice(bytes))
}

pub fn base64_sha256(bytes: &[u8]) -> String {
    base64::engine::general_purpose::STANDARD.encode(HashAlgorithm::Sha256.digest(bytes))
}

/// The same with other room for the CMS.
pub fn reserve(mut options: PrepareOptions, reserve: usize) -> PrepareOptions {
    options.reserve = reserve;
    options
}
