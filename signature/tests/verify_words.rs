//! What is not supported is not known: it is neither good nor invalid. What is accepted although
//! it deviates is told.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "test code; helpers count as outside of tests"
)]

mod common;
mod verify_kit;

use common::signing::Level;
use signdoc_signature::asn1::writer;
use signdoc_signature::fixtures;
use signdoc_signature::report::Status;
use signdoc_signature::verify::{VerifyReport, verify_bytes};
use verify_kit::Kit;
use verify_kit::crafted::{Crafted, key, named, of_form, reissued};

use Status::{Failed, NotChecked, Passed};

const EC: &[u32] = &[1, 2, 840, 10045, 2, 1];
const ECDSA_SHA512: &[u32] = &[1, 2, 840, 10045, 4, 3, 4];

/// Not good, yet nothing failed, and the reason is told.
#[track_caller]
fn unknown(report: &VerifyReport, why: &str) {
    assert!(!report.ok);
    assert_eq!(report.failures().count(), 0, "{why}: {:#}", report.to_json());
    assert_eq!(report.status("signature"), NotChecked, "{:#}", report.to_json());
    let detail = &report.checks.get("signature").unwrap().detail;
    assert!(detail.contains(why), "{why}: {detail}");
    assert!(report.unanswered.iter().any(|name| name == "signature"));
}

#[test]
fn keys_that_are_not_supported_are_not_known() {
    let kit = Kit::new(71);
    let brainpool: &[u32] = &[1, 3, 36, 3, 3, 2, 8, 1, 1, 13];
    let (koblitz, ed448): (&[u32], &[u32]) = (&[1, 3, 132, 0, 10], &[1, 3, 101, 113]);
    let dsa: &[u32] = &[1, 2, 840, 10040, 4, 1];
    for (spki, algorithm, name) in [
        (key(EC, Some(brainpool), 129), ECDSA_SHA512, "brainpoolP512r1"),
        (key(EC, Some(koblitz), 65), ECDSA_SHA512, "secp256k1"),
        (key(ed448, None, 57), ed448, "ed448"),
        (key(dsa, None, 64), &[2, 16, 840, 1, 101, 3, 4, 3, 2][..], "dsa"),
        (key(&[2, 999, 5], None, 64), &[2, 999, 6][..], "2.999.5"),
    ] {
        let certificate = reissued(&kit.pki, &kit.signer, 6, &spki);
        let crafted =
            Crafted { certificate, algorithm: named(algorithm), ..Crafted::by(&kit.signer) };
        let report = verify_bytes(crafted.sign(&kit.pki, &kit.signer), &kit.options());
        unknown(&report, name);
        assert_eq!(report.status("integrity"), Passed);
        assert_eq!(report.status("chain"), NotChecked);
        let signer = report.signatures[0].signer.clone().unwrap();
        assert_eq!(signer.name.as_deref(), Some("Nordmann, Kari"));
    }
}

#[test]
fn algorithms_that_are_not_supported_are_not_known() {
    let kit = Kit::new(72);
    let sha = |last: u32| named(&[2, 16, 840, 1, 101, 3, 4, 2, last]);
    let sha1 = || named(&[1, 3, 14, 3, 2, 26]);
    let ecdsa = || named(&[1, 2, 840, 10045, 4, 3, 2]);
    for (digest, algorithm, name) in [
        (sha(7), named(&[2, 16, 840, 1, 101, 3, 4, 3, 9]), "sha3-224"),
        (sha(11), ecdsa(), "shake128"),
        (sha(12), named(&[1, 3, 101, 113]), "shake256"),
        (sha(1), named(&[2, 16, 840, 1, 101, 3, 4, 3, 9]), "ecdsa-with-sha3-224"),
        // What is broken is called so.
        (sha1(), named(&[1, 2, 840, 113549, 1, 1, 5]), "sha-1 is broken"),
        (sha(1), named(&[1, 2, 840, 10045, 4, 1]), "rests on sha-1, which is broken"),
    ] {
        let crafted = Crafted { digest, algorithm, ..Crafted::by(&kit.signer) };
        let report = verify_bytes(crafted.sign(&kit.pki, &kit.signer), &kit.options());
        unknown(&report, name);
        assert_eq!(report.status("chain"), Passed, "the signer is known: {:#}", report.to_json());
        assert!(report.signatures[0].signer.is_some());
    }
    // The key's own identifier leaves the hash function to the digest algorithm.
    let crafted = Crafted { algorithm: named(EC), ..Crafted::by(&kit.signer) };
    let report = verify_bytes(crafted.sign(&kit.pki, &kit.signer), &kit.options());
    assert_eq!(report.status("signature"), Passed, "{:#}", report.to_json());
    // Changed bytes are found whatever the signature algorithm is.
    let algorithm = named(&[1, 3, 101, 112]);
    let message_digest = Some(vec![7; 32]);
    let crafted = Crafted { algorithm, message_digest, ..Crafted::by(&kit.signer) };
    let report = verify_bytes(crafted.sign(&kit.pki, &kit.signer), &kit.options());
    assert_eq!(report.status("integrity"), Failed);
    // What contradicts itself is no open question.
    let algorithm = named(&[1, 2, 840, 113549, 1, 1, 11]);
    let crafted = Crafted { algorithm, ..Crafted::by(&kit.signer) };
    let report = verify_bytes(crafted.sign(&kit.pki, &kit.signer), &kit.options());
    assert_eq!(report.status("signature"), Failed);
}

#[test]
fn forms_that_are_not_supported_are_not_known() {
    let kit = Kit::new(73);
    let signed = kit.sign(&fixtures::simple(), Level::B, &kit.plain());
    for form in ["adbe.pkcs7.sha1", "adbe.x509.rsa_sha1"] {
        let report = verify_bytes(of_form(&signed, form), &kit.options());
        unknown(&report, "sha-1");
        assert_eq!(report.signatures[0].sub_filter, form);
        assert_eq!(report.status("integrity"), NotChecked);
    }
    unknown(&verify_bytes(of_form(&signed, "vendor.own"), &kit.options()), "vendor.own");
}

#[test]
fn a_chain_through_an_algorithm_that_is_not_supported_is_not_known() {
    let kit = Kit::new(74);
    // The certificate says that its authority signed it with SHA-1.
    let der = kit.signer.certificate().as_der();
    let known = writer::oid(&signdoc_signature::asn1::oids::ECDSA_SHA256);
    let at: Vec<usize> = (0..der.len()).filter(|at| der[*at..].starts_with(&known)).collect();
    let mut certificate = der.to_vec();
    for at in at {
        // ecdsa-with-SHA1 is shorter by one arc; ecdsa-with-SHA224 is not supported either.
        certificate[at + known.len() - 1] = 1;
    }
    let crafted = Crafted { certificate, ..Crafted::by(&kit.signer) };
    let report = verify_bytes(crafted.sign(&kit.pki, &kit.signer), &kit.options());
    assert_eq!(report.status("signature"), Passed, "{:#}", report.to_json());
    assert_eq!(report.status("chain"), NotChecked);
    assert_eq!(report.failures().count(), 0);
}

#[test]
fn deviations_are_told_and_can_be_refused() {
    let kit = Kit::new(75);
    let mut strict = kit.options();
    strict.set("strict", "true").unwrap();
    let plain = kit.sign(&fixtures::simple(), Level::T, &kit.plain());
    for options in [&kit.options(), &strict] {
        let report = verify_bytes(plain.clone(), options);
        assert!(report.ok, "{:#}", report.to_json());
        assert_eq!(report.status("conformance"), Passed);
    }
    let crafted = Crafted { is_unsorted: true, ..Crafted::by(&kit.signer) };
    let unsorted = crafted.sign(&kit.pki, &kit.signer);
    let report = verify_bytes(unsorted.clone(), &kit.options());
    assert!(report.ok, "{:#}", report.to_json());
    assert_eq!(report.status("conformance"), NotChecked);
    let detail = &report.checks.get("conformance").unwrap().detail;
    assert!(detail.contains("not in der order"), "{detail}");
    let report = verify_bytes(unsorted, &strict);
    assert!(!report.ok);
    assert_eq!(report.status("conformance"), Failed);
    assert_eq!(report.failures().count(), 1);
}
