//! What we sign, judged by OpenSSL.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests")]

mod judge;

use judge::Judge;
use signdoc_signature::asn1::{Time, oids};
use signdoc_signature::cms::{
    Assembly, AttributeOptions, SignedData, add_unsigned_attribute, assemble, ecdsa_to_der,
    signed_attributes, size_estimate,
};
use signdoc_signature::crypto::{Algorithm, HashAlgorithm, KeyKind};
use signdoc_signature::pki::{Identity, Pki};

const CONTENT: &[u8] = b"the document, all of it";

type Algorithms = Vec<fn(HashAlgorithm) -> Algorithm>;

fn identities(pki: &Pki) -> Vec<(Identity, Algorithms)> {
    let person = |key| pki.person("Kari", "Nordmann", 7, key).unwrap();
    let rsa: Vec<fn(HashAlgorithm) -> Algorithm> = vec![Algorithm::RsaPkcs1, Algorithm::RsaPss];
    vec![
        (person(KeyKind::Rsa(2048)), rsa.clone()),
        (person(KeyKind::Rsa(3072)), rsa),
        (person(KeyKind::P256), vec![Algorithm::EcdsaP256]),
        (person(KeyKind::P384), vec![Algorithm::EcdsaP384]),
    ]
}

fn sign(signer: &Identity, algorithm: Algorithm, options: &AttributeOptions) -> Vec<u8> {
    let hash = algorithm.hash();
    let certificate = signer.certificate();
    let attributes = signed_attributes(&hash.digest(CONTENT), hash, certificate, options).unwrap();
    let signature = signer.sign_hash(algorithm, &attributes.hash_to_sign()).unwrap();
    assemble(&Assembly {
        attributes: &attributes,
        algorithm,
        signature: &signature,
        signer: certificate,
        others: signer.intermediates(),
        timestamp: None,
        content: None,
    })
    .unwrap()
}

#[test]
fn every_algorithm_is_accepted_by_openssl_as_cades() {
    let pki = Pki::new(21).unwrap();
    for (signer, algorithms) in identities(&pki) {
        for make in algorithms {
            for hash in HashAlgorithm::ALL {
                let algorithm = make(hash);
                let cms = sign(&signer, algorithm, &AttributeOptions::default());
                check_ours(&cms, &signer, algorithm);
                let Some(judge) = Judge::new() else { continue };
                judge.write("root.pem", pki.trust_pem());
                judge.write("content", CONTENT);
                judge.write("cms.der", &cms);
                let verify = "cms -verify -cades -binary -inform DER -in cms.der -CAfile root.pem \
                              -purpose any -out out -content";
                judge.accepts(&format!("{verify} content"));
                assert_eq!(judge.read("out"), CONTENT);
                judge.write("other", b"another document");
                judge.refuses(&format!("{verify} other"));
            }
        }
    }
}

fn check_ours(cms: &[u8], signer: &Identity, algorithm: Algorithm) {
    let read = SignedData::parse(cms).unwrap();
    let found = read.verify_detached(&mut |hash| Some(hash.digest(CONTENT)), &[]);
    assert!(found.is_valid(), "{algorithm}: {}", found.describe_problems());
    assert_eq!(found.signer.as_ref(), Some(signer.certificate()));
    assert_eq!(found.algorithm, Some(algorithm));
    assert_eq!(found.certificate_attribute, Some(oids::SIGNING_CERTIFICATE_V2));
    assert!(found.names_certificate);
    assert_eq!(found.leniencies, []);
    assert_eq!(found.signing_time, None);
    assert_eq!(found.signed_attributes.len(), 3);
    assert_eq!(read.encoded_len(), cms.len());
    assert_eq!(read.certificates().len(), 2);
}

#[test]
fn sdo_attributes_are_accepted_by_openssl() {
    let pki = Pki::new(21).unwrap();
    let time = pki.issued();
    for (signer, algorithms) in identities(&pki) {
        let algorithm = algorithms[0](HashAlgorithm::Sha256);
        let cms = sign(&signer, algorithm, &AttributeOptions::sdo(time));
        let read = SignedData::parse(&cms).unwrap();
        let found = read.verify_detached(&mut |hash| Some(hash.digest(CONTENT)), &[]);
        assert!(found.is_valid(), "{}", found.describe_problems());
        assert_eq!(found.certificate_attribute, Some(oids::OTHER_SIGNING_CERTIFICATE));
        assert!(found.names_certificate);
        assert_eq!(found.signing_time, Some(time));
        let Some(judge) = Judge::new() else { continue };
        judge.write("root.pem", pki.trust_pem());
        judge.write("content", CONTENT);
        judge.write("cms.der", &cms);
        judge.accepts(
            "cms -verify -binary -inform DER -in cms.der -CAfile root.pem -purpose any -content content -out out",
        );
        let shown = judge.accepts("cms -cmsout -print -noout -inform DER -in cms.der");
        for name in ["signingTime", "messageDigest", "contentType", "id-smime-aa-ets-otherSigCert"]
        {
            assert!(shown.contains(name), "{name} in {shown}");
        }
    }
}

#[test]
fn timestamps_go_in_before_or_after() {
    let pki = Pki::new(21).unwrap();
    let signer = pki.person("Kari", "Nordmann", 7, KeyKind::P256).unwrap();
    let hash = HashAlgorithm::Sha256;
    let certificate = signer.certificate();
    let options = AttributeOptions::default();
    let attributes = signed_attributes(&hash.digest(CONTENT), hash, certificate, &options).unwrap();
    let algorithm = signer.algorithm(hash);
    let signature = signer.sign_hash(algorithm, &attributes.hash_to_sign()).unwrap();
    let token = pki.timestamp(&hash.digest(&signature), hash, pki.issued(), None).unwrap();
    let mut parts = Assembly {
        attributes: &attributes,
        algorithm,
        signature: &signature,
        signer: certificate,
        others: signer.intermediates(),
        timestamp: Some(&token),
        content: None,
    };
    let at_once = assemble(&parts).unwrap();
    parts.timestamp = None;
    let plain = assemble(&parts).unwrap();
    let afterwards = add_unsigned_attribute(&plain, oids::SIGNATURE_TIMESTAMP, &token).unwrap();
    assert_eq!(at_once, afterwards);
    let read = SignedData::parse(&at_once).unwrap();
    let info = &read.signers()[0];
    assert_eq!(info.timestamps(), [token.as_slice()]);
    assert_eq!(info.signature(), signature);
    assert!(read.verify_detached(&mut |h| Some(h.digest(CONTENT)), &[]).is_valid());
    let twice = add_unsigned_attribute(&at_once, oids::SIGNATURE_TIMESTAMP, &token).unwrap();
    assert_eq!(SignedData::parse(&twice).unwrap().signers()[0].timestamps().len(), 2);
    assert!(add_unsigned_attribute(&plain[..50], oids::SIGNATURE_TIMESTAMP, &token).is_err());
    let Some(judge) = Judge::new() else { return };
    judge.write("root.pem", pki.trust_pem());
    judge.write("content", CONTENT);
    judge.write("cms.der", &at_once);
    judge.accepts(
        "cms -verify -cades -binary -inform DER -in cms.der -CAfile root.pem -purpose any -content content -out out",
    );
}

#[test]
fn the_estimate_is_never_too_small_and_close() {
    let pki = Pki::new(21).unwrap();
    for (signer, algorithms) in identities(&pki) {
        for make in algorithms {
            for hash in HashAlgorithm::ALL {
                let algorithm = make(hash);
                for options in [AttributeOptions::default(), AttributeOptions::sdo(pki.issued())] {
                    let size = sign(&signer, algorithm, &options).len();
                    let room = size_estimate(
                        signer.certificate(),
                        signer.intermediates(),
                        hash,
                        &options,
                        0,
                    );
                    assert!(size <= room && room - size < 80, "{algorithm}: {size} of {room}");
                }
            }
        }
    }
    let signer = &identities(&pki)[2].0;
    let estimate = |room| {
        let options = AttributeOptions::default();
        size_estimate(signer.certificate(), &[], HashAlgorithm::Sha256, &options, room)
    };
    assert!(estimate(5000) > estimate(0) + 5000);
}

#[test]
fn a_signature_by_another_key_or_over_another_hash_is_refused_before_it_is_written() {
    let pki = Pki::new(21).unwrap();
    let (a, b) = (
        pki.person("A", "One", 1, KeyKind::P256).unwrap(),
        pki.person("B", "Two", 2, KeyKind::P256).unwrap(),
    );
    let hash = HashAlgorithm::Sha256;
    let options = AttributeOptions::default();
    let attributes =
        signed_attributes(&hash.digest(CONTENT), hash, a.certificate(), &options).unwrap();
    let to_sign = attributes.hash_to_sign();
    let algorithm = Algorithm::EcdsaP256(hash);
    let good = a.sign_hash(algorithm, &to_sign).unwrap();
    let attempt = |signature: &[u8], signer: &Identity, algorithm| {
        assemble(&Assembly {
            attributes: &attributes,
            algorithm,
            signature,
            signer: signer.certificate(),
            others: &[],
            timestamp: None,
            content: None,
        })
    };
    assert!(attempt(&good, &a, algorithm).is_ok());
    assert!(attempt(&good, &b, algorithm).is_err());
    assert!(attempt(&good, &a, Algorithm::EcdsaP256(HashAlgorithm::Sha384)).is_err());
    assert!(attempt(&good, &a, Algorithm::EcdsaP384(hash)).is_err());
    assert!(attempt(&good, &a, Algorithm::RsaPss(hash)).is_err());
    assert!(attempt(&[], &a, algorithm).is_err());
    let over_content = a.sign_hash(algorithm, &hash.digest(CONTENT)).unwrap();
    let error = attempt(&over_content, &a, algorithm).unwrap_err();
    assert!(error.to_string().contains("does not match"), "{error}");
    assert!(signed_attributes(&[0; 20], hash, a.certificate(), &options).is_err());
}

#[test]
fn r_and_s_side_by_side_are_accepted() {
    let pki = Pki::new(21).unwrap();
    for (key, half) in [(KeyKind::P256, 32), (KeyKind::P384, 48)] {
        let signer = pki.person("Kari", "Nordmann", 7, key).unwrap();
        for round in 0..20_u8 {
            let hash = HashAlgorithm::Sha256;
            let algorithm = signer.algorithm(hash);
            let certificate = signer.certificate();
            let options = AttributeOptions::default();
            let digest = hash.digest(&[round]);
            let attributes = signed_attributes(&digest, hash, certificate, &options).unwrap();
            let der = signer.sign_hash(algorithm, &attributes.hash_to_sign()).unwrap();
            let raw = raw_ecdsa(&der, half);
            assert_eq!(ecdsa_to_der(&raw, half), der);
            assert_eq!(ecdsa_to_der(&der, half), der);
            let parts = Assembly {
                attributes: &attributes,
                algorithm,
                signature: &raw,
                signer: certificate,
                others: &[],
                timestamp: None,
                content: None,
            };
            assert!(assemble(&parts).is_ok());
        }
    }
}

fn raw_ecdsa(der: &[u8], half: usize) -> Vec<u8> {
    let mut reader = signdoc_signature::asn1::Reader::new(der).sequence("ecdsa").unwrap();
    let mut out = Vec::new();
    for _ in 0..2 {
        let number = reader.integer("ecdsa").unwrap();
        let digits: Vec<u8> = number.iter().copied().skip_while(|byte| *byte == 0).collect();
        out.extend(vec![0; half - digits.len()]);
        out.extend(digits);
    }
    out
}

#[test]
fn what_openssl_signs_is_valid_here() {
    let Some(judge) = Judge::new() else { return };
    judge.write("content", CONTENT);
    let keys = [
        ("rsa", "req -x509 -newkey rsa:2048 -nodes -subj /CN=Test -keyout key.pem -out cert.pem"),
        (
            "p256",
            "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=Test -keyout key.pem -out cert.pem",
        ),
        (
            "p384",
            "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-384 -nodes -subj /CN=Test -keyout key.pem -out cert.pem",
        ),
    ];
    for (kind, make) in keys {
        judge.accepts(make);
        let mut forms = vec!["", "-cades", "-keyid", "-noattr", "-nodetach", "-stream", "-indef"];
        if kind == "rsa" {
            forms.extend(["-keyopt rsa_padding_mode:pss", "-keyopt rsa_padding_mode:pss -cades"]);
        }
        for form in forms {
            for digest in ["sha256", "sha384", "sha512"] {
                judge.accepts(&format!(
                    "cms -sign -binary -in content -signer cert.pem -inkey key.pem -md {digest} {form} -outform DER -out cms.der"
                ));
                let read = SignedData::parse(&judge.read("cms.der")).unwrap();
                let found = read.verify_detached(&mut |h| Some(h.digest(CONTENT)), &[]);
                assert!(found.is_valid(), "{kind} {form} {digest}: {}", found.describe_problems());
                let other = read.verify_detached(&mut |h| Some(h.digest(b"x")), &[]);
                assert!(!other.is_valid(), "{kind} {form} {digest}");
                assert_eq!(found.names_certificate, form.contains("-cades"));
            }
        }
        judge.accepts(
            "cms -sign -binary -in content -signer cert.pem -inkey key.pem -md sha1 -outform DER -out cms.der",
        );
        let read = SignedData::parse(&judge.read("cms.der")).unwrap();
        let found = read.verify_detached(&mut |h| Some(h.digest(CONTENT)), &[]);
        assert!(!found.is_valid() && found.describe_problems().contains("sha-1"));
    }
}

#[test]
fn signing_time_is_claimed_only_when_asked() {
    let pki = Pki::new(21).unwrap();
    let signer = pki.person("Kari", "Nordmann", 7, KeyKind::P256).unwrap();
    let time = Time::from_unix(1_800_000_000);
    let options = AttributeOptions { signing_time: Some(time), ..AttributeOptions::default() };
    let cms = sign(&signer, signer.algorithm(HashAlgorithm::Sha256), &options);
    let read = SignedData::parse(&cms).unwrap();
    let found = read.verify_detached(&mut |h| Some(h.digest(CONTENT)), &[]);
    assert_eq!(found.signing_time, Some(time));
}
