//! What signers' certificates are for: extended key usage, key usage, authorities.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "test code; helpers count as outside of tests"
)]

mod common;
mod verify_kit;

use common::signing::Level;
use signdoc_signature::asn1::{Oid, oids, writer};
use signdoc_signature::crypto::KeyKind;
use signdoc_signature::fixtures;
use signdoc_signature::pki::{Profile, Subject};
use signdoc_signature::report::Status;
use signdoc_signature::verify::{VerifyOptions, VerifyReport, verify_bytes};
use signdoc_signature::x509::TrustAnchors;
use verify_kit::Kit;
use verify_kit::crafted::{Crafted, reissued};

use Status::{Failed, NotChecked, Passed};

/// A document signed with a certificate that says what the profile is made to say.
fn signed(kit: &Kit, change: impl FnOnce(&mut Profile)) -> Vec<u8> {
    let subject = Subject::person("Per", "Berg", 5);
    let mut profile = Profile::person(subject, KeyKind::P256, kit.pki.issued());
    change(&mut profile);
    let signer = kit.pki.issue(&profile).unwrap();
    kit.sign_as(&signer, &fixtures::simple(), Level::B, &kit.plain())
}

fn purposes(all: &[Oid], critical: bool) -> (Oid, bool, Vec<u8>) {
    (oids::EXTENDED_KEY_USAGE, critical, writer::sequence_of(all.iter().map(writer::oid)))
}

#[track_caller]
fn expect(report: &VerifyReport, ok: bool, purpose: Status) {
    assert_eq!(report.status("purpose"), purpose, "{:#}", report.to_json());
    assert_eq!(report.ok, ok, "{:#}", report.to_json());
}

fn with(kit: &Kit, name: &str, value: &str) -> VerifyOptions {
    let mut options = kit.options();
    options.set(name, value).unwrap();
    options
}

#[test]
fn extended_key_usage_says_who_may_sign_documents() {
    let kit = Kit::new(61);
    let own = Oid::new(&[2, 999, 7]);
    for (all, critical, ok, purpose) in [
        (vec![oids::DOCUMENT_SIGNING], true, true, Passed),
        (vec![oids::EMAIL_PROTECTION], true, true, Passed),
        (vec![oids::ANY_EXTENDED_KEY_USAGE], true, true, Passed),
        (vec![oids::SERVER_AUTH, oids::EMAIL_PROTECTION], true, true, Passed),
        (vec![oids::SERVER_AUTH], true, false, Failed),
        (vec![oids::OCSP_SIGNING], true, false, Failed),
        (vec![oids::TIME_STAMPING], true, false, Failed),
        (vec![oids::SERVER_AUTH, oids::TIME_STAMPING], false, false, Failed),
        (vec![oids::CLIENT_AUTH], true, false, Failed),
        (vec![oids::CLIENT_AUTH], false, true, NotChecked),
        (vec![own], false, true, NotChecked),
        (vec![own], true, false, Failed),
    ] {
        let pdf = signed(&kit, |profile| profile.extensions.push(purposes(&all, critical)));
        let report = verify_bytes(pdf.clone(), &kit.options());
        expect(&report, ok, purpose);
        if all == [own] {
            let asked = with(&kit, "extended_key_usage", "documentSigning,2.999.7");
            expect(&verify_bytes(pdf, &asked), true, Passed);
        }
    }
    // What is configured takes the place of the usual.
    let plain = kit.sign(&fixtures::simple(), Level::B, &kit.plain());
    expect(&verify_bytes(plain.clone(), &kit.options()), true, Passed);
    let asked = with(&kit, "extended_key_usage", "documentSigning");
    expect(&verify_bytes(plain.clone(), &asked), false, Failed);
    let asked = with(&kit, "extended_key_usage", "documentSigning,absent");
    expect(&verify_bytes(plain, &asked), true, Passed);
    let mail = signed(&kit, |profile| profile.purposes = vec![oids::EMAIL_PROTECTION]);
    let report = verify_bytes(mail, &asked);
    expect(&report, false, Failed);
    let detail = &report.checks.get("purpose").unwrap().detail;
    assert!(detail.contains("emailProtection only"), "{detail}");
}

#[test]
fn keys_that_do_not_commit_are_told_and_can_be_refused() {
    let kit = Kit::new(62);
    for (key_usage, told) in [
        (vec![1], ""),
        (vec![0, 1], ""),
        (vec![0], "digital signatures only"),
        (vec![], "does not say"),
    ] {
        let pdf = signed(&kit, |profile| profile.key_usage = key_usage);
        let is_committed = told.is_empty();
        let report = verify_bytes(pdf.clone(), &kit.options());
        expect(&report, true, if is_committed { Passed } else { NotChecked });
        assert!(report.checks.get("content_commitment").is_none());
        let detail = &report.checks.get("purpose").unwrap().detail;
        assert!(detail.contains(told), "{detail}");
        let report = verify_bytes(pdf, &with(&kit, "require", "content_commitment"));
        assert_eq!(report.ok, is_committed);
        let expected = if is_committed { Passed } else { Failed };
        assert_eq!(report.status("content_commitment"), expected);
    }
}

#[test]
fn an_authority_that_signs_documents_is_told() {
    let kit = Kit::new(63);
    let subject = Subject::service("Own Root (test)");
    let issued = kit.pki.issued();
    let mut profile = Profile::authority(subject, KeyKind::P256, issued, None);
    profile.key_usage.push(1);
    let root = kit.pki.issue_by(&profile, kit.pki.root()).unwrap();
    let pdf = kit.sign_as(&root, &fixtures::simple(), Level::B, &kit.plain());
    let trust = TrustAnchors::new(vec![root.certificate().clone()]);
    let report = verify_bytes(pdf, &VerifyOptions { trust, ..kit.options() });
    expect(&report, true, NotChecked);
    let detail = &report.checks.get("purpose").unwrap().detail;
    assert!(detail.contains("of an authority"), "{detail}");
}

#[test]
fn a_signers_certificate_that_cannot_be_read_is_reported_as_that() {
    let kit = Kit::new(64);
    // A validity that is no pair of times.
    let certificate = reissued(&kit.pki, &kit.signer, 4, &writer::sequence(&[]));
    let crafted = Crafted { certificate, ..Crafted::by(&kit.signer) };
    let report = verify_bytes(crafted.sign(&kit.pki, &kit.signer), &kit.options());
    expect(&report, false, NotChecked);
    for name in ["signature", "chain"] {
        assert_eq!(report.status(name), NotChecked, "{:#}", report.to_json());
        let detail = &report.checks.get(name).unwrap().detail;
        assert!(detail.contains("certificate cannot be read: certificate validity"), "{detail}");
    }
    assert_eq!(report.status("integrity"), Passed);
    assert_eq!(report.failures().count(), 0);
}
