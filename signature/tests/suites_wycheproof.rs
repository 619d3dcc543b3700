//! Project Wycheproof: signatures that are wrong in ways that implementations have got wrong, over
//! the public keys and algorithms as certificates and CMS name them.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test may stop at what it does not expect"
)]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;
use signdoc_signature::asn1::{Oid, oids, writer};
use signdoc_signature::cms::ecdsa_to_der;
use signdoc_signature::crypto::{Algorithm, AlgorithmIdentifier, KeyKind, PublicKey, Unsupported};
use wycheproof::{ecdsa, eddsa, rsa_pkcs1_verify, rsa_pss_verify};

/// Sets of which every signature is judged. Others differ from these in size, hash function or
/// encoding only.
const JUDGED: &[&str] = &[
    "rsa_signature_2048_sha256",
    "rsa_signature_2048_sha384",
    "rsa_signature_2048_sha512",
    "rsa_signature_2048_sha3_256",
    "rsa_signature_2048_sha3_384",
    "rsa_signature_2048_sha3_512",
    "rsa_signature_3072_sha256",
    "rsa_signature_3072_sha384",
    "rsa_signature_3072_sha512",
    "rsa_signature_3072_sha3_256",
    "rsa_signature_4096_sha256",
    "rsa_signature_4096_sha512",
    "rsa_signature_8192_sha256",
    "rsa_pss_2048_sha256_mgf1_0",
    "rsa_pss_2048_sha256_mgf1_0_params",
    "rsa_pss_2048_sha256_mgf1_32",
    "rsa_pss_2048_sha256_mgf1_32_params",
    "rsa_pss_2048_sha384_mgf1_48",
    "rsa_pss_3072_sha256_mgf1_32",
    "rsa_pss_4096_sha256_mgf1_32",
    "rsa_pss_4096_sha384_mgf1_48",
    "rsa_pss_4096_sha512_mgf1_32",
    "rsa_pss_4096_sha512_mgf1_64",
    "ecdsa_secp256r1_sha256",
    "ecdsa_secp256r1_sha256_p1363",
    "ecdsa_secp256r1_sha512",
    "ecdsa_secp256r1_sha3_256",
    "ecdsa_secp384r1_sha256",
    "ecdsa_secp384r1_sha384",
    "ecdsa_secp384r1_sha3_384",
    "ecdsa_secp521r1_sha512",
    "ecdsa_secp521r1_sha512_p1363",
    "ecdsa_brainpoolP256r1_sha256",
    "ecdsa_brainpoolP256r1_sha256_p1363",
    "ecdsa_brainpoolP384r1_sha384",
    "ed25519",
];
/// Sets of which no signature may be judged: neither good nor bad.
const OPEN: &[&str] = &[
    "rsa_signature_2048_sha224",
    "rsa_signature_2048_sha512_256",
    "rsa_pss_2048_sha1_mgf1_20",
    "rsa_pss_2048_sha256_mgf1sha1_20",
    "rsa_pss_2048_shake128",
    "ecdsa_secp256r1_shake128",
    "ecdsa_secp256k1_sha256",
    "ecdsa_brainpoolP512r1_sha512",
    "ed448",
];
/// Signatures in the sets of `JUDGED`, so that none is lost.
const TESTS: usize = 10_171;

fn json(name: &str) -> Value {
    let pss = || name.parse().map(|name: rsa_pss_verify::TestName| name.json_data());
    let text = match name {
        _ if name.starts_with("rsa_pss") => pss(),
        _ if name.starts_with("rsa") => {
            name.parse().map(|name: rsa_pkcs1_verify::TestName| name.json_data())
        }
        _ if name.starts_with("ecdsa") => {
            name.parse().map(|name: ecdsa::TestName| name.json_data())
        }
        _ => name.parse().map(|name: eddsa::TestName| name.json_data()),
    };
    serde_json::from_str(text.unwrap_or_else(|error| panic!("{name}: {error}"))).unwrap()
}

fn bytes(hex: &Value) -> Vec<u8> {
    let digits = hex.as_str().unwrap();
    (0..digits.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&digits[at..at + 2], 16))
        .collect::<Result<_, _>>()
        .unwrap()
}

/// A hash function by the suite's name for it, and how it is combined with RSA and ECDSA.
fn hash(name: &str) -> (Oid, Oid, Oid) {
    const NIST: [u32; 6] = [2, 16, 840, 1, 101, 3];
    let nist = |tail: [u32; 3]| Oid::new(&[&NIST[..], &tail].concat());
    let own = |tail| Oid::new(&[1, 2, 840, 113_549, 1, 1, tail]);
    match name {
        "SHA-1" => (oids::SHA1, oids::RSA_SHA1, oids::ECDSA_SHA1),
        "SHA-224" => (oids::SHA224, own(14), Oid::new(&[1, 2, 840, 10045, 4, 3, 1])),
        "SHA-256" => (oids::SHA256, oids::RSA_SHA256, oids::ECDSA_SHA256),
        "SHA-384" => (oids::SHA384, oids::RSA_SHA384, oids::ECDSA_SHA384),
        "SHA-512" => (oids::SHA512, oids::RSA_SHA512, oids::ECDSA_SHA512),
        "SHA-512/256" => (nist([4, 2, 6]), own(16), nist([4, 3, 99])),
        "SHA3-256" => (oids::SHA3_256, oids::RSA_SHA3_256, oids::ECDSA_SHA3_256),
        "SHA3-384" => (oids::SHA3_384, oids::RSA_SHA3_384, oids::ECDSA_SHA3_384),
        "SHA3-512" => (oids::SHA3_512, oids::RSA_SHA3_512, oids::ECDSA_SHA3_512),
        "SHAKE128" => (nist([4, 2, 11]), nist([4, 3, 99]), nist([4, 3, 99])),
        other => panic!("{other}"),
    }
}

/// The AlgorithmIdentifier that a certificate or CMS would have for a group of tests.
fn identifier(name: &str, group: &Value) -> AlgorithmIdentifier {
    let text = |key: &str| group[key].as_str().unwrap_or("SHA-512");
    let (digest, rsa, ecdsa) = hash(text("sha"));
    let null = Some(writer::null());
    if name.starts_with("rsa_pss") {
        let hash_id = |oid: Oid| writer::sequence(&[&writer::oid(&oid), &writer::null()]);
        // SHAKE stands for itself.
        let (mask, _, _) =
            hash(group["mgfSha"].as_str().filter(|name| !name.is_empty()).unwrap_or(text("sha")));
        let mask = writer::sequence(&[&writer::oid(&oids::MGF1), &hash_id(mask)]);
        let parameters = writer::sequence(&[
            &writer::tagged(0, &hash_id(digest)),
            &writer::tagged(1, &mask),
            &writer::tagged(2, &writer::integer(group["sLen"].as_u64().unwrap())),
        ]);
        return AlgorithmIdentifier { oid: oids::RSA_PSS, parameters: Some(parameters) };
    }
    match name {
        _ if name.starts_with("rsa") => AlgorithmIdentifier { oid: rsa, parameters: null },
        _ if name.starts_with("ecdsa") => AlgorithmIdentifier { oid: ecdsa, parameters: None },
        "ed25519" => AlgorithmIdentifier { oid: oids::ED25519, parameters: None },
        _ => AlgorithmIdentifier { oid: Oid::new(&[1, 3, 101, 113]), parameters: None },
    }
}

fn prepare(name: &str, group: &Value) -> Result<(PublicKey, Algorithm), Unsupported> {
    let key = PublicKey::from_spki(&bytes(&group["publicKeyDer"]))?;
    let algorithm = Algorithm::from_identifier(&identifier(name, group), None, &key)?;
    Ok((key, algorithm))
}

fn half(kind: KeyKind) -> usize {
    match kind {
        KeyKind::P256 => 32,
        KeyKind::P384 => 48,
        KeyKind::Ec(curve) => curve.half_len(),
        KeyKind::Rsa(_) | KeyKind::Ed25519 => panic!("{kind} has no halves"),
    }
}

/// The signature as a CMS would carry it.
fn in_der(name: &str, kind: KeyKind, signature: Vec<u8>) -> Vec<u8> {
    match name.ends_with("p1363") {
        true => ecdsa_to_der(&signature, half(kind)),
        false => signature,
    }
}

#[test]
fn signatures_are_judged_as_the_suite_does_but_for_the_listed_deviations() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/suites/wycheproof");
    let text = fs::read_to_string(path.join("deviations.txt")).unwrap();
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let listed: BTreeMap<String, String> = lines
        .map(|line| {
            let fields: Vec<_> = line.split('|').map(str::trim).collect();
            (fields[0].to_owned(), fields[1].to_owned())
        })
        .collect();
    let (mut tests, mut acceptable, mut accepted) = (0, 0, 0);
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for name in JUDGED {
        for group in json(name)["testGroups"].as_array().unwrap() {
            let prepared = prepare(name, group);
            for test in group["tests"].as_array().unwrap() {
                let signature = bytes(&test["sig"]);
                let verdict =
                    prepared.as_ref().map_err(ToString::to_string).and_then(|(key, algorithm)| {
                        let signature = in_der(name, key.kind(), signature);
                        let verdict =
                            key.verify_message(*algorithm, &bytes(&test["msg"]), &signature);
                        verdict.map_err(|error| error.to_string())
                    });
                tests += 1;
                let told = verdict.is_ok();
                let agrees = match test["result"].as_str().unwrap() {
                    "valid" => told,
                    "invalid" => !told,
                    _ => {
                        acceptable += 1;
                        accepted += usize::from(told);
                        true
                    }
                };
                if !agrees {
                    let number = test["tcId"].to_string();
                    println!("{name} {number}: {} {} {verdict:?}", test["result"], test["comment"]);
                    found.entry((*name).to_owned()).or_default().push(number);
                }
            }
        }
    }
    println!("wycheproof: {tests} signatures, of {acceptable} acceptable ones {accepted} accepted");
    let found: BTreeMap<_, _> =
        found.into_iter().map(|(name, numbers)| (name, numbers.join(","))).collect();
    assert_eq!(found, listed, "update tests/suites/wycheproof/deviations.txt");
    assert!(tests >= TESTS, "{tests}");
}

#[test]
fn what_is_not_supported_is_not_known() {
    for name in OPEN {
        let json = json(name);
        for group in json["testGroups"].as_array().unwrap() {
            let error = prepare(name, group).unwrap_err();
            assert!(error.is_open(), "{name}: {error}");
        }
    }
    // What is no key at all is no open question.
    assert!(!PublicKey::from_spki(&[0x30, 0]).unwrap_err().is_open());
}
