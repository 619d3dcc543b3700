//! Documents whose times and evidence are chosen one by one.
#![allow(
    dead_code,
    clippy::unwrap_used,
    reason = "test code; each test file uses some of it, and helpers count as outside of tests"
)]

use std::sync::Arc;

use signdoc_signature::asn1::Time;
use signdoc_signature::cms::{Assembly, AttributeOptions, assemble, signed_attributes};
use signdoc_signature::crypto::{HashAlgorithm, KeyKind};
use signdoc_signature::fixtures;
use signdoc_signature::pdf::SharedSource;
use signdoc_signature::pki::{CrlEntry, Identity, OcspOptions, Pki, PkiOptions, RevocationReason};
use signdoc_signature::sign::{
    DssContent, PrepareOptions, TimestampOptions, ValidationData, add_dss, prepare,
    prepare_timestamp,
};
use signdoc_signature::x509::Certificate;

use super::{NOW, arc};

pub const DAY: i64 = 86_400;
pub const YEAR: i64 = 365 * DAY;
const HASH: HashAlgorithm = HashAlgorithm::Sha256;

/// So many seconds before (or after) the time of the tests.
pub fn ago(seconds: i64) -> Time {
    Time::from_unix(NOW - seconds)
}

/// An authority that began so many seconds ago.
pub fn authority(seed: u64, begun: i64) -> Pki {
    let (issued, key) = (ago(begun), KeyKind::P256);
    Pki::with_options(PkiOptions { seed, issued, key }).unwrap()
}

/// A document and what happened to it, in order.
pub struct Story(SharedSource);

impl Story {
    /// Signed by somebody who claims a time; a timestamp of an authority where one is given.
    pub fn signed(signer: &Identity, claimed: Time, stamp: Option<(&Pki, Time)>) -> Story {
        Story::signed_over(&fixtures::simple(), signer, claimed, stamp)
    }

    pub fn signed_over(
        pdf: &[u8],
        signer: &Identity,
        claimed: Time,
        stamp: Option<(&Pki, Time)>,
    ) -> Story {
        let options =
            PrepareOptions { time: Some(claimed), reserve: 6144, ..PrepareOptions::default() };
        let prepared = prepare(arc(pdf), &options).unwrap();
        let digest = prepared.digest(HASH).unwrap();
        let certificate = signer.certificate();
        let attributes =
            signed_attributes(&digest, HASH, certificate, &AttributeOptions::default()).unwrap();
        let algorithm = signer.algorithm(HASH);
        let value = signer.sign_hash(algorithm, &attributes.hash_to_sign()).unwrap();
        let token =
            stamp.map(|(pki, at)| pki.timestamp(&HASH.digest(&value), HASH, at, None).unwrap());
        let cms = assemble(&Assembly {
            attributes: &attributes,
            algorithm,
            signature: &value,
            signer: certificate,
            others: signer.intermediates(),
            timestamp: token.as_deref(),
            content: None,
        })
        .unwrap();
        Story(Arc::new(prepared.signed(&cms).unwrap()))
    }

    /// Answers and lists are put into the document.
    pub fn with(self, ocsp: Vec<Vec<u8>>, crls: Vec<Vec<u8>>) -> Story {
        let general = ValidationData { certificates: vec![], ocsp_responses: ocsp, crls };
        let content = DssContent { general, per_signature: vec![] };
        Story(Arc::new(add_dss(self.0, &content).unwrap()))
    }

    /// A document timestamp over everything so far.
    pub fn archived(self, pki: &Pki, at: Time) -> Story {
        let stamp = prepare_timestamp(self.0, &TimestampOptions::default()).unwrap();
        let token = pki.timestamp(&stamp.digest(HASH).unwrap(), HASH, at, None).unwrap();
        Story(Arc::new(stamp.signed(&token).unwrap()))
    }

    pub fn bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        signdoc_signature::pdf::copy_range(self.0.as_ref(), 0, self.0.len(), &mut out).unwrap();
        out
    }
}

/// An answer about a certificate, valid for a day; by the authority, whose responder lives only
/// for a year.
pub fn answer(pki: &Pki, certificate: &Certificate, at: Time) -> Vec<u8> {
    let options = OcspOptions { by_authority: true, ..OcspOptions::at(at) };
    pki.ocsp_response(certificate, &options).unwrap()
}

/// A list of the issuing authority, or of its root, that names these.
pub fn list(
    by: (&Pki, &Identity),
    at: Time,
    named: &[(&Certificate, Time, RevocationReason)],
) -> Vec<u8> {
    let entries: Vec<CrlEntry> =
        named.iter().map(|(who, since, reason)| CrlEntry::new(who, *since, *reason)).collect();
    by.0.crl_by(by.1, at, &entries, &[]).unwrap()
}

/// Everything about a signer and the authorities above, as it was at one time.
pub fn all_answers(pki: &Pki, who: &Identity, at: Time) -> Vec<Vec<u8>> {
    vec![answer(pki, who.certificate(), at), answer(pki, pki.issuing().certificate(), at)]
}
