//! What a verification says about documents of ours: levels, times, revocation, signers, digests.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "test code; helpers count as outside of tests"
)]

mod common;
mod verify_kit;

use common::signing::Level as Made;
use signdoc_signature::crypto::KeyKind;
use signdoc_signature::fixtures::{self, PdfBuilder};
use signdoc_signature::report::Status;
use signdoc_signature::verify::{
    Coverage, ExpectedSigner, Level, ReportedDigests, Requirement, VerifyOptions, VerifyReport,
    verify_bytes,
};
use signdoc_signature::x509::TrustAnchors;
use verify_kit::{Kit, arc, base64_sha256};

#[track_caller]
fn assert_ok(report: &VerifyReport) {
    assert!(report.ok, "{:#}", report.to_json());
}

#[track_caller]
fn assert_failed(report: &VerifyReport, check: &str) {
    assert!(!report.ok);
    assert_eq!(report.status(check), Status::Failed, "{check}: {:#}", report.to_json());
}

#[test]
fn every_level_is_recognised() {
    let kit = Kit::new(1);
    let original = fixtures::simple();
    for (made, level) in [
        (Made::B, Level::BB),
        (Made::T, Level::BT),
        (Made::Lt, Level::BLT),
        (Made::Lta, Level::BLTA),
    ] {
        let signed = kit.sign(&original, made, &kit.plain());
        let options = VerifyOptions { original: Some(arc(&original)), ..kit.options() };
        let report = verify_bytes(signed.clone(), &options);
        assert_ok(&report);
        assert_eq!(report.signatures[0].level, Some(level), "{:#}", report.to_json());
        assert_eq!(report.signatures.len(), if made == Made::Lta { 2 } else { 1 });
        assert_eq!(report.signatures[0].sub_filter, "ETSI.CAdES.detached");
        let is_timed = level >= Level::BT;
        assert_eq!(report.signatures[0].proven_time.is_some(), is_timed);
        assert_eq!(report.status("timestamp") == Status::Passed, is_timed);
        for required in [Level::BB, Level::BT, Level::BLT, Level::BLTA] {
            let require = vec![Requirement::Level(required)];
            let report = verify_bytes(signed.clone(), &VerifyOptions { require, ..kit.options() });
            assert_eq!(report.ok, required <= level, "{required} of {level}");
        }
        let expected = [Status::NotChecked, Status::Passed][usize::from(level >= Level::BLT)];
        assert_eq!(report.status("revocation"), expected);
        for (word, fine) in [("timestamp", is_timed), ("revocation", level >= Level::BLT)] {
            let require = vec![word.parse().unwrap()];
            let report = verify_bytes(signed.clone(), &VerifyOptions { require, ..kit.options() });
            assert_eq!(report.ok, fine, "{word} at {level}");
        }
    }
    assert!("B-XL".parse::<Requirement>().is_err());
}

#[test]
fn the_signer_is_reported_and_compared() {
    let kit = Kit::new(2);
    let signed = kit.sign(&fixtures::simple(), Made::B, &kit.plain());
    let report = verify_bytes(signed.clone(), &kit.options());
    let signer = report.signatures[0].signer.clone().unwrap();
    assert_eq!(signer.surname.as_deref(), Some("Nordmann"));
    let number = signer.serial_number.clone().unwrap();
    let check = |expected: ExpectedSigner| {
        let options = VerifyOptions { signer: Some(expected), ..kit.options() };
        verify_bytes(signed.clone(), &options).ok
    };
    let name = |name: &str| ExpectedSigner { name: Some(name.into()), ..Default::default() };
    assert!(check(name("Kari Nordmann")) && check(name(" NORDMANN,  kari ")));
    assert!(!check(name("Kari")) && !check(name("Ola Nordmann")) && !check(name("")));
    let serial = |n: &str| ExpectedSigner { serial_number: Some(n.into()), ..Default::default() };
    assert!(check(serial(&number)));
    let bare = number.split_once('-').unwrap().1;
    assert!(check(serial(bare)), "{number}");
    assert!(!check(serial(&bare[1..])) && !check(serial("")));
    let certificate = ExpectedSigner {
        certificate_serial: Some(signer.certificate_serial.to_uppercase()),
        ..Default::default()
    };
    assert!(check(certificate));
    let claims = |all: &[(&str, &str)]| ExpectedSigner {
        claims: all.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect(),
        ..Default::default()
    };
    assert!(check(claims(&[("given_name", "kari"), ("family_name", "Nordmann"), ("sub", "x")])));
    assert!(check(claims(&[("eid_altsub", bare)])));
    assert!(!check(claims(&[("given_name", "Kari"), ("family_name", "Hansen")])));
    assert!(!check(claims(&[("sub", "x"), ("birthdate", "1990-01-01")])), "nothing comparable");
    assert!(!check(ExpectedSigner::default()));
    let options = VerifyOptions { signer: Some(name("Ola Hansen")), ..kit.options() };
    let report = verify_bytes(signed.clone(), &options);
    assert_failed(&report, "signer");
    assert!(!report.checks.get("signer").unwrap().detail.contains("Hansen"));
}

#[test]
fn an_expected_signer_must_have_signed_what_was_sent() {
    let kit = Kit::new(3);
    let ola = kit.pki.person("Ola", "Hansen", 9, KeyKind::P256).unwrap();
    let first = kit.sign(&fixtures::simple(), Made::B, &kit.plain());
    let second = kit.sign_as(&ola, &first, Made::B, &kit.plain());
    let with = |original: &[u8], name: &str| {
        let signer = ExpectedSigner { name: Some(name.into()), ..Default::default() };
        let options =
            VerifyOptions { original: Some(arc(original)), signer: Some(signer), ..kit.options() };
        verify_bytes(second.clone(), &options)
    };
    assert_ok(&with(&first, "Ola Hansen"));
    // Her signature was there before it was sent.
    assert_failed(&with(&first, "Kari Nordmann"), "signer");
    assert_ok(&with(&fixtures::simple(), "Kari Nordmann"));
    let report = with(&second, "Ola Hansen");
    assert_failed(&report, "original");
}

#[test]
fn nothing_is_trusted_by_default() {
    let kit = Kit::new(4);
    let signed = kit.sign(&fixtures::simple(), Made::Lta, &kit.plain());
    let report = verify_bytes(signed.clone(), &VerifyOptions::default());
    assert!(!report.ok && report.failures().count() == 0);
    assert_eq!(report.status("chain"), Status::NotChecked);
    let stranger = VerifyOptions { trust: Kit::new(5).pki.anchors(), ..kit.options() };
    assert_failed(&verify_bytes(signed.clone(), &stranger), "chain");
    // A timestamp by somebody else proves nothing, but breaks nothing.
    let other_clock =
        VerifyOptions { timestamp_trust: Some(TrustAnchors::none()), ..kit.options() };
    let report = verify_bytes(signed, &other_clock);
    assert_ok(&report);
    assert_eq!(report.status("timestamp"), Status::NotChecked);
    assert_eq!(report.signatures[0].level, Some(Level::BB));
    for bytes in [&b""[..], b"no pdf", b"%PDF-1.7\n", &fixtures::simple()] {
        let report = verify_bytes(bytes.to_vec(), &kit.options());
        assert!(!report.ok && report.failures().count() > 0);
    }
    let report = verify_bytes(PdfBuilder::new().encrypted().build(), &kit.options());
    assert_failed(&report, "document");
}

#[test]
fn reported_digests_are_compared_and_stand_in_for_a_converted_original() {
    let kit = Kit::new(6);
    let converted = fixtures::simple();
    let upload = PdfBuilder::new().content("another file").build();
    let signed = kit.sign(&converted, Made::T, &kit.plain());
    let good = ReportedDigests {
        signed_sha256: Some(base64_sha256(&signed)),
        unsigned_sha256: Some(base64_sha256(&converted)),
    };
    let options = |original: Option<&[u8]>, converted, reported: &ReportedDigests| VerifyOptions {
        original: original.map(arc),
        converted,
        reported: reported.clone(),
        ..kit.options()
    };
    let report = verify_bytes(signed.clone(), &options(Some(&upload), true, &good));
    assert_ok(&report);
    assert_eq!(report.status("original"), Status::NotChecked);
    assert_eq!(report.status("unsigned_digest"), Status::Passed);
    assert_eq!(report.changes.base_len, Some(converted.len() as u64));
    assert_ok(&verify_bytes(signed.clone(), &options(Some(&converted), false, &good)));
    assert_ok(&verify_bytes(signed.clone(), &options(None, false, &good)));
    // Without the digest, nothing ties the result to the upload.
    let none = ReportedDigests::default();
    assert!(!verify_bytes(signed.clone(), &options(Some(&upload), true, &none)).ok);
    assert_failed(&verify_bytes(signed.clone(), &options(Some(&upload), false, &good)), "original");
    let wrong = ReportedDigests { unsigned_sha256: Some(base64_sha256(b"x")), ..good.clone() };
    let report = verify_bytes(signed.clone(), &options(None, false, &wrong));
    assert_failed(&report, "unsigned_digest");
    let wrong = ReportedDigests { signed_sha256: Some("nonsense".into()), ..good };
    assert_failed(&verify_bytes(signed, &options(None, false, &wrong)), "signed_digest");
}

#[test]
fn a_content_change_before_signing_is_found_by_its_digest_too() {
    let kit = Kit::new(7);
    let converted = fixtures::simple();
    let forged = fixtures::append_update(&converted, &[(4, "<</Length 0>>stream\n\nendstream")], 1);
    let signed = kit.sign(&forged, Made::B, &kit.plain());
    let reported = ReportedDigests {
        unsigned_sha256: Some(base64_sha256(&converted)),
        ..ReportedDigests::default()
    };
    let report = verify_bytes(signed, &VerifyOptions { reported, ..kit.options() });
    assert_eq!(report.status("unsigned_digest"), Status::Passed);
    assert_failed(&report, "changes");
}

#[test]
fn both_forms_of_signature_are_told_apart() {
    use signdoc_signature::sign::{PrepareOptions, SubFilter};
    let kit = Kit::new(8);
    let old = PrepareOptions { sub_filter: SubFilter::AdbePkcs7Detached, ..kit.plain() };
    let report = verify_bytes(kit.sign(&fixtures::simple(), Made::T, &old), &kit.options());
    assert_ok(&report);
    assert_eq!(report.signatures[0].sub_filter, "adbe.pkcs7.detached");
    assert_eq!(report.signatures[0].level, None);
    assert_eq!(report.status("level"), Status::NotChecked);
    assert_eq!(report.signatures[0].coverage, Coverage::WholeFile);
}

#[test]
fn every_structure_and_algorithm_verifies_against_its_original() {
    let kit = Kit::new(9);
    for (name, original) in fixtures::all_structures() {
        let signed = kit.sign(&original, Made::Lta, &kit.sealed(20.0, 30.0));
        let options = VerifyOptions { original: Some(arc(&original)), ..kit.options() };
        let report = verify_bytes(signed, &options);
        assert!(report.ok, "{name}: {:#}", report.to_json());
    }
    for kind in [KeyKind::Rsa(2048), KeyKind::P384] {
        let signer = kit.pki.person("Per", "Hansen", 3, kind).unwrap();
        let signed = kit.sign_as(&signer, &fixtures::simple(), Made::Lt, &kit.plain());
        assert_ok(&verify_bytes(signed, &kit.options()));
    }
}

#[test]
fn checks_of_signatures_are_work_of_the_verification() {
    let kit = Kit::new(97);
    let signed = kit.sign(&fixtures::simple(), Made::B, &kit.plain());
    let verify = |units: u64| {
        let work = signdoc_signature::pdf::Work::new(units);
        let report = signdoc_signature::verify::verify_within(arc(&signed), &kit.options(), &work);
        (report, work.spent())
    };
    let (report, spent) = verify(u64::MAX);
    assert!(report.ok && spent > 40_000, "{spent}");
    // What is not looked at is not called wrong.
    let (report, _) = verify(30_000);
    assert!(!report.ok);
    let details: Vec<&str> = report.checks.iter().map(|check| check.detail.as_str()).collect();
    assert!(!details.iter().any(|detail| detail.contains("does not match")), "{details:#?}");
}
