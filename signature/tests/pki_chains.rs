//! Certificates and chains, judged by ourselves and by OpenSSL.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests")]

mod judge;

use judge::Judge;
use signdoc_signature::asn1::{Oid, Time, oids, writer};
use signdoc_signature::crypto::KeyKind;
use signdoc_signature::pki::{Identity, Pki, PkiOptions, Profile, Subject};
use signdoc_signature::x509::{
    Certificate, Chain, ChainFailure, ChainFault, ChainRequest, Purpose, TrustAnchors,
};

const KINDS: [KeyKind; 4] = [KeyKind::P256, KeyKind::P384, KeyKind::Rsa(2048), KeyKind::Rsa(3072)];

fn build(pki: &Pki, identity: &Identity, purpose: Purpose) -> Result<Chain, ChainFailure> {
    build_at(pki, identity, purpose, pki.issued())
}

fn build_at(
    pki: &Pki,
    identity: &Identity,
    purpose: Purpose,
    at: Time,
) -> Result<Chain, ChainFailure> {
    let anchors = pki.anchors();
    let pool = identity.intermediates();
    Chain::build(identity.certificate(), &ChainRequest { anchors: &anchors, pool, at, purpose })
}

fn person(pki: &Pki, key: KeyKind) -> Identity {
    pki.person("Kari", "Nordmann", 7, key).unwrap()
}

/// A person's certificate with something changed.
fn odd(pki: &Pki, change: impl FnOnce(&mut Profile)) -> Identity {
    let subject = Subject::person("Odd", "Test", 9);
    let mut profile = Profile::person(subject, KeyKind::P256, pki.issued());
    change(&mut profile);
    pki.issue(&profile).unwrap()
}

#[test]
fn chains_of_every_key_kind_hold_here_and_in_openssl() {
    for authority in [KeyKind::P256, KeyKind::P384, KeyKind::Rsa(2048)] {
        let options = PkiOptions { seed: 5, key: authority, ..PkiOptions::default() };
        let pki = Pki::with_options(options).unwrap();
        for key in KINDS {
            let signer = person(&pki, key);
            let chain = build(&pki, &signer, Purpose::Signing).unwrap();
            assert_eq!(chain.certificates().len(), 3);
            assert_eq!(chain.anchor(), Some(pki.root().certificate()));
            assert_eq!(chain.issuer(), Some(pki.issuing().certificate()));
            assert_eq!(signer.certificate().public_key().unwrap().kind(), key);
            let Some(judge) = Judge::new() else { continue };
            judge.write("root.pem", pki.trust_pem());
            judge.write_pem("ca.pem", signer.intermediates());
            judge.write_pem("signer.pem", &[signer.certificate().clone()]);
            judge.accepts("verify -x509_strict -CAfile root.pem -untrusted ca.pem signer.pem");
        }
    }
}

#[test]
fn names_are_read_as_openssl_shows_them() {
    let pki = Pki::new(1).unwrap();
    let signer = person(&pki, KeyKind::P256);
    let subject = signer.certificate().subject();
    assert_eq!(subject.common_name(), Some("Nordmann, Kari"));
    assert_eq!(subject.serial_number(), Some("UN:NO-9578-6000-4-7"));
    assert_eq!(subject.surname(), Some("Nordmann"));
    assert_eq!(subject.given_name(), Some("Kari"));
    assert_eq!(subject.organization(), Some("TestBank AS"));
    assert_eq!(subject.country(), Some("NO"));
    assert_eq!(
        subject.to_string(),
        "CN=Nordmann\\, Kari, O=TestBank AS, C=NO, serialNumber=UN:NO-9578-6000-4-7, SN=Nordmann, GN=Kari"
    );
    assert!(!format!("{:?}", signer.certificate()).contains("Nordmann"));
    let extensions = signer.certificate().extensions();
    assert_eq!(extensions.ocsp_urls(), ["http://pki.signdoc.invalid/ocsp"]);
    assert_eq!(extensions.ca_issuer_urls(), ["http://pki.signdoc.invalid/ca.cer"]);
    assert_eq!(extensions.crl_urls(), ["http://pki.signdoc.invalid/ca.crl"]);
    let Some(judge) = Judge::new() else { return };
    judge.write_pem("signer.pem", &[signer.certificate().clone()]);
    let shown =
        judge.accepts("x509 -in signer.pem -noout -subject -serial -nameopt utf8,sep_comma_plus");
    assert!(shown.contains("CN=Nordmann, Kari,O=TestBank AS,C=NO"), "{shown}");
    assert!(shown.to_lowercase().contains(&signer.certificate().serial_hex()), "{shown}");
}

#[test]
fn the_same_seed_gives_the_same_certificates() {
    let options =
        PkiOptions { seed: 3, issued: Time::from_unix(1_700_000_000), key: KeyKind::P256 };
    let (a, b) = (Pki::with_options(options).unwrap(), Pki::with_options(options).unwrap());
    assert_eq!(a.root().certificate(), b.root().certificate());
    assert_eq!(person(&a, KeyKind::P256).certificate(), person(&b, KeyKind::P256).certificate());
    let other = Pki::with_options(PkiOptions { seed: 4, ..options }).unwrap();
    assert_ne!(a.root().certificate(), other.root().certificate());
}

#[test]
fn validity_is_taken_at_the_time_asked() {
    let pki = Pki::new(1).unwrap();
    let signer = person(&pki, KeyKind::P256);
    let years = |count: i64| pki.issued().plus_seconds(count * 366 * 86_400);
    assert!(build_at(&pki, &signer, Purpose::Signing, years(1)).is_ok());
    for (at, fault) in [
        (years(-1), ChainFault::NotYetValid),
        (years(3), ChainFault::Expired),
        (years(20), ChainFault::Expired),
    ] {
        let failure = build_at(&pki, &signer, Purpose::Signing, at).unwrap_err();
        assert_eq!(failure.fault, fault, "{failure}");
    }
    let expired = odd(&pki, |profile| *profile = profile.clone().expired_at(pki.issued()));
    let failure = build(&pki, &expired, Purpose::Signing).unwrap_err();
    assert_eq!(failure.fault, ChainFault::Expired);
    let Some(judge) = Judge::new() else { return };
    judge.write("root.pem", pki.trust_pem());
    judge.write_pem("ca.pem", expired.intermediates());
    judge.write_pem("signer.pem", &[expired.certificate().clone()]);
    judge.refuses("verify -CAfile root.pem -untrusted ca.pem signer.pem");
}

#[test]
fn chains_without_anchor_or_issuer_fail() {
    let (pki, other) = (Pki::new(1).unwrap(), Pki::new(2).unwrap());
    let signer = person(&pki, KeyKind::P256);
    let fail = |anchors: &TrustAnchors, pool: &[Certificate]| {
        let request = ChainRequest { anchors, pool, at: pki.issued(), purpose: Purpose::Signing };
        Chain::build(signer.certificate(), &request).unwrap_err()
    };
    let missing = fail(&pki.anchors(), &[]);
    assert_eq!(missing.fault, ChainFault::NoIssuer);
    assert!(missing.detail.contains("Issuing CA"), "{missing}");
    let foreign = fail(&other.anchors(), signer.issuers());
    assert_eq!(foreign.fault, ChainFault::NoIssuer);
    assert!(foreign.detail.contains("not among the trust anchors"), "{foreign}");
    assert_eq!(foreign.partial.len(), 3);
    assert_eq!(fail(&TrustAnchors::none(), signer.issuers()).fault, ChainFault::NoIssuer);
    // The issuing authority as an anchor of its own is enough.
    let pinned = TrustAnchors::new(vec![pki.issuing().certificate().clone()]);
    let request =
        ChainRequest { anchors: &pinned, pool: &[], at: pki.issued(), purpose: Purpose::Signing };
    assert_eq!(Chain::build(signer.certificate(), &request).unwrap().certificates().len(), 2);
}

#[test]
fn an_impostor_with_the_issuers_name_is_refused() {
    let pki = Pki::new(1).unwrap();
    // The same names by another seed would differ, so issue an authority with a borrowed name.
    let other = Pki::with_options(PkiOptions { seed: 2, ..PkiOptions::default() }).unwrap();
    let subject = Subject::service("Sandbox Issuing CA 1 (test)");
    let profile = Profile::authority(subject, KeyKind::P256, pki.issued(), Some(0));
    let impostor = other.issue_by(&profile, other.root()).unwrap();
    let person =
        Profile::person(Subject::person("Kari", "Nordmann", 7), KeyKind::P256, pki.issued());
    let forged = other.issue_by(&person, &impostor).unwrap();
    let anchors = pki.anchors();
    let pool = [pki.issuing().certificate().clone(), impostor.certificate().clone()];
    let request =
        ChainRequest { anchors: &anchors, pool: &pool, at: pki.issued(), purpose: Purpose::Any };
    assert!(Chain::build(forged.certificate(), &request).is_err());
}

#[test]
fn signers_that_are_no_authority_cannot_issue() {
    let pki = Pki::new(1).unwrap();
    let merchant = pki.merchant("Shop AS", "999999999", KeyKind::P256).unwrap();
    let profile = Profile::person(Subject::person("Eve", "Evil", 6), KeyKind::P256, pki.issued());
    let forged = pki.issue_by(&profile, &merchant).unwrap();
    let failure = build(&pki, &forged, Purpose::Signing).unwrap_err();
    assert_eq!(failure.fault, ChainFault::Usage, "{failure}");
    // Path length 0 of the issuing authority forbids another authority below it.
    let sub = Profile::authority(Subject::service("Sub CA"), KeyKind::P256, pki.issued(), None);
    let sub = pki.issue(&sub).unwrap();
    let below = pki.issue_by(&profile, &sub).unwrap();
    let failure = build(&pki, &below, Purpose::Signing).unwrap_err();
    assert_eq!(failure.fault, ChainFault::Usage, "{failure}");
    // An authority without the right to sign certificates.
    let mut weak =
        Profile::authority(Subject::service("CRL CA"), KeyKind::P256, pki.issued(), None);
    weak.key_usage = vec![6];
    let weak = pki.issue_by(&weak, pki.root()).unwrap();
    let below = pki.issue_by(&profile, &weak).unwrap();
    let failure = build(&pki, &below, Purpose::Signing).unwrap_err();
    assert_eq!(failure.fault, ChainFault::Usage, "{failure}");
    let Some(judge) = Judge::new() else { return };
    judge.write("root.pem", pki.trust_pem());
    judge.write_pem("above.pem", forged.intermediates());
    judge.write_pem("signer.pem", &[forged.certificate().clone()]);
    judge.refuses("verify -CAfile root.pem -untrusted above.pem signer.pem");
}

#[test]
fn purposes_are_kept_apart() {
    let pki = Pki::new(1).unwrap();
    let signer = person(&pki, KeyKind::P256);
    assert!(build(&pki, pki.responder(), Purpose::OcspSigning).is_ok());
    assert!(build(&pki, pki.timestamping(), Purpose::TimeStamping).is_ok());
    for (identity, purpose) in [
        (&signer, Purpose::OcspSigning),
        (&signer, Purpose::TimeStamping),
        (pki.responder(), Purpose::TimeStamping),
        (pki.timestamping(), Purpose::OcspSigning),
    ] {
        let failure = build(&pki, identity, purpose).unwrap_err();
        assert_eq!(failure.fault, ChainFault::Usage, "{failure}");
    }
    let both =
        odd(&pki, |profile| profile.purposes = vec![oids::TIME_STAMPING, oids::OCSP_SIGNING]);
    assert!(build(&pki, &both, Purpose::TimeStamping).is_err());
    let encryption_only = odd(&pki, |profile| profile.key_usage = vec![2]);
    assert!(build(&pki, &encryption_only, Purpose::Signing).is_err());
    assert!(build(&pki, &encryption_only, Purpose::Any).is_ok());
    let issuing = build(&pki, pki.issuing(), Purpose::Signing).unwrap_err();
    assert_eq!(issuing.fault, ChainFault::Usage);
}

#[test]
fn extensions_that_are_not_applied_fail_the_chain() {
    let pki = Pki::new(1).unwrap();
    let private = Oid::new(&[2, 999, 1]);
    let ignored = odd(&pki, |p| p.extensions.push((private, false, writer::null())));
    assert!(build(&pki, &ignored, Purpose::Signing).is_ok());
    let value = writer::octets(b"end-user attributes");
    let known = odd(&pki, |p| p.extensions.push((oids::NORWEGIAN_END_USER, false, value.clone())));
    assert!(build(&pki, &known, Purpose::Signing).is_ok());
    assert_eq!(known.certificate().norwegian_end_user(), Some(value.as_slice()));
    assert_eq!(ignored.certificate().norwegian_end_user(), None);
    let cases: [(Oid, bool, Vec<u8>); 4] = [
        (private, true, writer::null()),
        (oids::NAME_CONSTRAINTS, false, writer::sequence(&[])),
        (oids::SUBJECT_KEY_ID, false, writer::octets(&[1])),
        (oids::AUTHORITY_INFO_ACCESS, false, writer::null()),
    ];
    for (oid, critical, value) in cases {
        let identity = odd(&pki, |profile| profile.extensions.push((oid, critical, value)));
        let failure = build(&pki, &identity, Purpose::Signing).unwrap_err();
        assert_eq!(failure.fault, ChainFault::Extension, "{failure}");
    }
}

#[test]
fn weak_keys_fail_the_chain() {
    let pki = Pki::new(1).unwrap();
    let weak = odd(&pki, |profile| profile.key = KeyKind::Rsa(1024));
    let failure = build(&pki, &weak, Purpose::Signing).unwrap_err();
    assert_eq!(failure.fault, ChainFault::Key, "{failure}");
}

#[test]
fn many_authorities_with_one_name_cost_a_bounded_search() {
    let pki = Pki::new(1).unwrap();
    let profile =
        |name: &str| Profile::authority(Subject::service(name), KeyKind::P256, pki.issued(), None);
    // Every authority claims the same name, so each may have issued each.
    let mut pool = Vec::new();
    let mut last = pki.issue_by(&profile("Maze"), pki.root()).unwrap();
    for _ in 0..200 {
        let next = pki.issue_by(&profile("Maze"), &last).unwrap();
        pool.push(next.certificate().clone());
        last = next;
    }
    let person = Profile::person(Subject::person("Lost", "Soul", 1), KeyKind::P256, pki.issued());
    let signer = pki.issue_by(&person, &last).unwrap();
    let anchors = TrustAnchors::none();
    let started = std::time::Instant::now();
    let request =
        ChainRequest { anchors: &anchors, pool: &pool, at: pki.issued(), purpose: Purpose::Any };
    assert!(Chain::build(signer.certificate(), &request).is_err());
    assert!(started.elapsed().as_secs() < 120, "took {:?}", started.elapsed());
}

#[test]
fn anchors_are_read_from_pem_and_der() {
    let pki = Pki::new(1).unwrap();
    let pem = pki.trust_pem();
    assert_eq!(TrustAnchors::from_bytes(pem.as_bytes()).unwrap(), pki.anchors());
    let der = pki.root().certificate().as_der();
    assert_eq!(TrustAnchors::from_bytes(der).unwrap(), pki.anchors());
    assert!(TrustAnchors::from_bytes(b"no certificate here").is_err());
    assert!(TrustAnchors::from_bytes(&der[..der.len() - 1]).is_err());
}

#[test]
fn no_changed_byte_of_a_certificate_keeps_a_chain() {
    for key in [KeyKind::P256, KeyKind::Rsa(2048)] {
        let options = PkiOptions { seed: 6, key, ..PkiOptions::default() };
        let pki = Pki::with_options(options).unwrap();
        let signer = person(&pki, KeyKind::P256);
        let anchors = pki.anchors();
        let holds = |leaf: &Certificate, pool: &[Certificate]| {
            let request = ChainRequest {
                anchors: &anchors,
                pool,
                at: pki.issued(),
                purpose: Purpose::Signing,
            };
            Chain::build(leaf, &request).is_ok()
        };
        let issuing = pki.issuing().certificate().clone();
        assert!(holds(signer.certificate(), std::slice::from_ref(&issuing)));
        let changed = |certificate: &Certificate, index: usize| {
            let mut der = certificate.as_der().to_vec();
            der[index] ^= 0x01;
            Certificate::from_der(&der).ok()
        };
        for index in 0..signer.certificate().as_der().len() {
            let Some(leaf) = changed(signer.certificate(), index) else { continue };
            assert!(!holds(&leaf, std::slice::from_ref(&issuing)), "byte {index} of the leaf");
        }
        for index in 0..issuing.as_der().len() {
            let Some(authority) = changed(&issuing, index) else { continue };
            assert!(!holds(signer.certificate(), &[authority]), "byte {index} of the authority");
        }
    }
}
