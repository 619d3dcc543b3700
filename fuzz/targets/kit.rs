//! One throw-away authority for all targets, the same in every process.

use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use signdoc_signature::asn1::Time;
use signdoc_signature::crypto::{HashAlgorithm, KeyKind};
use signdoc_signature::pdf::SharedSource;
use signdoc_signature::pki::{Identity, Pki, PkiOptions, RevocationReason};
use signdoc_signature::sign::PrepareOptions;

use super::signing::{Level, Signing, bytes};

/// 2026-11-20T12:00:00Z: no target depends on the day it runs.
const NOW: i64 = 1_795_176_000;

pub const HASH: HashAlgorithm = HashAlgorithm::Sha256;

pub struct Kit {
    pub pki: Pki,
    pub signer: Identity,
    /// Revoked a day before `now`.
    pub revoked: Identity,
}

/// The authority, made once in a process.
pub fn kit() -> &'static Kit {
    static KIT: OnceLock<Kit> = OnceLock::new();
    KIT.get_or_init(|| {
        let issued = Time::from_unix(NOW - 30 * 86_400);
        let pki = Pki::with_options(PkiOptions { seed: 4, issued, key: KeyKind::P256 }).unwrap();
        let signer = pki.person("Kari", "Nordmann", 1, KeyKind::P256).unwrap();
        let revoked = pki.person("Ola", "Nordmann", 2, KeyKind::P256).unwrap();
        let since = Time::from_unix(NOW - 86_400);
        pki.revoke(revoked.certificate(), since, RevocationReason::KeyCompromise);
        Kit { pki, signer, revoked }
    })
}

/// When everything was signed.
pub fn now() -> Time {
    Time::from_unix(NOW)
}

/// When everything is looked at.
pub fn later() -> Time {
    Time::from_unix(NOW + 3600)
}

pub fn shared(bytes: &[u8]) -> SharedSource {
    Arc::new(Bytes::copy_from_slice(bytes))
}

/// Small room for the CMS: mutations should meet more than padding.
pub fn prepare_options() -> PrepareOptions {
    PrepareOptions { time: Some(now()), reserve: 4096, ..PrepareOptions::default() }
}

impl Kit {
    pub fn sign_pdf(&self, pdf: &[u8], level: Level, options: &PrepareOptions) -> Vec<u8> {
        let signing = Signing { pki: &self.pki, signer: &self.signer, level, at: now() };
        bytes(&signing.sign(shared(pdf), options).unwrap())
    }
}
