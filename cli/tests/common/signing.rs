//! Signed documents for the tests of `signdoc verify`, by the throw-away authority.
#![allow(dead_code, missing_docs)]
// Clippy's leave for tests does not reach what tests share.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use signdoc_signature::asn1::Time;
use signdoc_signature::cms::{Assembly, AttributeOptions, assemble, signed_attributes};
use signdoc_signature::crypto::{HashAlgorithm, KeyKind};
use signdoc_signature::pdf::{FileSource, SharedSource};
use signdoc_signature::pki::{Identity, Pki, PkiOptions, SdoRequest};
use signdoc_signature::sdo::DocumentKind;
use signdoc_signature::sign::{PrepareOptions, Seal, prepare};

const HASH: HashAlgorithm = HashAlgorithm::Sha256;
const DAY: i64 = 86_400;

/// An authority, somebody who signs, and a folder.
pub struct Office {
    pub pki: Pki,
    pub signer: Identity,
    pub folder: tempfile::TempDir,
    /// When everything is signed: an hour ago.
    pub at: Time,
}

impl Office {
    pub fn new() -> Self {
        let now = Time::now();
        let issued = now.plus_seconds(-30 * DAY);
        let options = PkiOptions { seed: 5, issued, key: KeyKind::P256 };
        let pki = Pki::with_options(options).unwrap();
        let signer = pki.person("Kari", "Nordmann", 7, KeyKind::P256).unwrap();
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("roots.pem"), pki.trust_pem()).unwrap();
        Self { pki, signer, folder, at: now.plus_seconds(-3600) }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The path of a file with this content.
    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        std::fs::write(self.path(name), content).unwrap();
        crate::common::text(&self.path(name))
    }

    pub fn roots(&self) -> String {
        crate::common::text(&self.path("roots.pem"))
    }

    /// Signs `from` and writes it as `name`.
    pub fn sign(&self, from: &str, name: &str, how: How) -> String {
        let source: SharedSource = Arc::new(FileSource::open(Path::new(from)).unwrap());
        let seal = how.seal.then(|| Seal { x: 72.0, y: 100.0, ..Seal::default() });
        let options = PrepareOptions {
            time: Some(self.at),
            seal,
            name: Some("Kari Nordmann".into()),
            ..PrepareOptions::default()
        };
        let prepared = prepare(source, &options).unwrap();
        let digest = prepared.digest(HASH).unwrap();
        let certificate = self.signer.certificate();
        let attributes =
            signed_attributes(&digest, HASH, certificate, &AttributeOptions::default()).unwrap();
        let algorithm = self.signer.algorithm(HASH);
        let value = self.signer.sign_hash(algorithm, &attributes.hash_to_sign()).unwrap();
        let stamp = || self.pki.timestamp(&HASH.digest(&value), HASH, self.at, None).unwrap();
        let token = how.timestamp.then(stamp);
        let cms = assemble(&Assembly {
            attributes: &attributes,
            algorithm,
            signature: &value,
            signer: certificate,
            others: self.signer.intermediates(),
            timestamp: token.as_deref(),
            content: None,
        });
        let mut signed = Vec::new();
        prepared.signed(&cms.unwrap()).unwrap().write_to(&mut signed).unwrap();
        self.file(name, signed)
    }

    /// A signed data object over `document`, with the document in it or not.
    pub fn sdo(&self, kind: &DocumentKind, document: &[u8], inside: bool) -> String {
        let key = KeyKind::P256;
        let seal = self.pki.merchant("Sealing Service (test)", "888888888", key).unwrap();
        let request = SdoRequest {
            kind,
            digest: &HASH.digest(document),
            document: inside.then_some(document),
            signers: &[&self.signer],
            seal: &seal,
            at: self.at,
            description: "terms",
        };
        self.pki.sdo(&request).unwrap()
    }
}

/// How a document is signed.
#[derive(Clone, Copy, Default)]
pub struct How {
    pub timestamp: bool,
    pub seal: bool,
}
