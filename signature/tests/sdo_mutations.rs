//! No change of a signed data object passes as another, and nothing panics.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests")]

use proptest::prelude::*;
use signdoc_signature::asn1::Time;
use signdoc_signature::crypto::{HashAlgorithm, KeyKind};
use signdoc_signature::pki::{Pki, PkiOptions, SdoRequest};
use signdoc_signature::sdo::{DocumentKind, Sdo, SdoReport, SdoTrust};
use signdoc_signature::x509::TrustAnchors;

const DOCUMENT: &[u8] = b"pay 100 000";

fn sample() -> &'static (String, TrustAnchors, Time) {
    static SAMPLE: std::sync::OnceLock<(String, TrustAnchors, Time)> = std::sync::OnceLock::new();
    SAMPLE.get_or_init(|| {
        let issued = Time::from_unix(1_800_000_000);
        let pki = Pki::with_options(PkiOptions { seed: 51, issued, key: KeyKind::P256 }).unwrap();
        let user = pki.person("Kari", "Nordmann", 7, KeyKind::P256).unwrap();
        let merchant = pki.merchant("Butikken AS", "999999999", KeyKind::P256).unwrap();
        let request = SdoRequest {
            kind: &DocumentKind::Text,
            digest: &HashAlgorithm::Sha256.digest(DOCUMENT),
            document: Some(DOCUMENT),
            signers: &[&merchant, &user],
            seal: &merchant,
            at: issued,
            description: "d",
        };
        (pki.sdo(&request).unwrap(), pki.anchors(), issued)
    })
}

fn check(bytes: &[u8]) -> Option<SdoReport> {
    let (_, anchors, now) = sample();
    let read = Sdo::parse(bytes).ok()?;
    let report = read.verify(None, &SdoTrust::new(anchors, *now));
    if report.is_valid() {
        assert_eq!(read.document().unwrap().unwrap(), DOCUMENT);
    }
    Some(report)
}

#[test]
fn a_changed_byte_is_valid_only_where_nothing_is_read_or_white_space_allowed() {
    let (text, _, _) = sample();
    let original = check(text.as_bytes()).unwrap();
    assert!(original.is_valid());
    // Outside the sealed part and the document: declarations, the seal's own labels, metadata,
    // and the spare bits of base64 digits are not part of what is signed.
    let data = text.find("<SDODataPart>").unwrap()..text.find("</SDODataPart>").unwrap() + 14;
    let mut survivors = 0;
    for index in (0..text.len()).step_by(7) {
        let mut bytes = text.clone().into_bytes();
        bytes[index] ^= 0x01;
        let Some(report) = check(&bytes) else { continue };
        if !report.is_valid() {
            continue;
        }
        survivors += 1;
        assert!(!data.contains(&index), "sealed byte {index} may change");
        let people = |report: &SdoReport| -> Vec<_> {
            report.signers.iter().map(|s| (s.certificate().cloned(), s.signing_time())).collect()
        };
        assert_eq!(people(&report), people(&original), "byte {index}");
        let sealer = |report: &SdoReport| report.seal.as_ref().map(|s| s.certificate().cloned());
        assert_eq!(sealer(&report), sealer(&original), "byte {index}");
    }
    println!("{survivors} of {} single changes stay valid", text.len() / 7);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn changed_files_never_panic_nor_pass_with_another_document(
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..5),
        cut in any::<prop::sample::Index>(),
        keep_all in any::<bool>(),
    ) {
        let mut bytes = sample().0.clone().into_bytes();
        for (index, value) in &changes {
            let at = index.index(bytes.len());
            bytes[at] = *value;
        }
        if !keep_all {
            bytes.truncate(cut.index(bytes.len()));
        }
        let _ = check(&bytes);
    }

    #[test]
    fn markup_soup_never_panics(text in "[<>/a&;'\"= !?:x-]{0,200}") {
        let _ = Sdo::parse(text.as_bytes());
    }
}
