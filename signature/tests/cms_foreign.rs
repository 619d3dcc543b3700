//! CMS and certificates, most of them by OpenSSL, with keys and hash functions that this library never signs with.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests")]

mod judge;

use judge::Judge;
use ring::signature::Ed25519KeyPair;
use signdoc_signature::asn1::{Oid, oids, writer};
use signdoc_signature::cms::{ProblemKind, SignedData, Verification};
use signdoc_signature::crypto::{Algorithm, HashAlgorithm, KeyKind};
use signdoc_signature::pki::Pki;
use signdoc_signature::x509::{
    Certificate, Chain, ChainRequest, Purpose, TrustAnchors, pem_blocks,
};

const DATA: &[u8] = b"what is signed\n";

/// Kinds of keys with their options of `openssl genpkey`, and the digests of a CMS.
const KINDS: &[(&str, &str, &[&str])] = &[
    ("ed25519", "-algorithm ed25519", &[]),
    ("p-521", "-algorithm EC -pkeyopt ec_paramgen_curve:P-521", &["sha256", "sha512", "sha3-512"]),
    (
        "brainpoolP256r1",
        "-algorithm EC -pkeyopt ec_paramgen_curve:brainpoolP256r1",
        &["sha256", "sha3-256"],
    ),
    ("brainpoolP384r1", "-algorithm EC -pkeyopt ec_paramgen_curve:brainpoolP384r1", &["sha384"]),
    ("rsa 2048 bits", "-algorithm RSA -pkeyopt rsa_keygen_bits:2048", &["sha3-256", "sha3-384"]),
];

fn certificate(judge: &Judge, name: &str) -> Certificate {
    let der = pem_blocks(&judge.read(name), "CERTIFICATE").unwrap().remove(0);
    Certificate::from_der(&der).unwrap()
}

fn ask(cms: &[u8]) -> Verification {
    let read = SignedData::parse(cms).unwrap();
    read.verify_detached(&mut |hash| Some(hash.digest(DATA)), &[])
}

#[test]
fn signatures_and_chains_of_openssl_hold() {
    let Some(judge) = Judge::new() else { return };
    judge.write("data", DATA);
    for (kind, options, digests) in KINDS {
        let made = judge.run(&format!("genpkey {options} -out ca.key"));
        if !made.ok {
            eprintln!("not judged: openssl makes no key of {kind} ({})", made.text);
            continue;
        }
        judge.accepts(&format!("genpkey {options} -out key"));
        judge.accepts("req -new -x509 -key ca.key -subj /CN=Authority -days 30 -out ca.pem");
        judge.accepts("req -new -key key -subj /CN=Signer -out request");
        judge.accepts("x509 -req -in request -CA ca.pem -CAkey ca.key -days 20 -out signer.pem");
        let (authority, signer) =
            (certificate(&judge, "ca.pem"), certificate(&judge, "signer.pem"));
        assert_eq!(signer.public_key().unwrap().to_string(), *kind);
        let anchors = TrustAnchors::new(vec![authority]);
        let (at, purpose) = (signer.not_before(), Purpose::Signing);
        let request = ChainRequest { anchors: &anchors, pool: &[], at, purpose };
        assert_eq!(Chain::build(&signer, &request).unwrap().certificates().len(), 2);
        for digest in *digests {
            let made = judge.run(&format!(
                "cms -sign -binary -in data -signer signer.pem -inkey key -md {digest} -outform DER -out cms"
            ));
            if !made.ok {
                eprintln!("not judged: openssl makes no cms of {kind} with {digest}");
                continue;
            }
            let cms = judge.read("cms");
            let found = ask(&cms);
            assert!(found.is_valid(), "{kind} {digest}: {}", found.describe_problems());
            // The signature stands at the end.
            let mut changed = cms.clone();
            *changed.last_mut().unwrap() ^= 1;
            let changed = ask(&changed);
            assert!(changed.has(ProblemKind::Signature) && !changed.is_open(), "{kind} {digest}");
        }
    }
}

/// A SignedData over `DATA` of which few programs make one. `sign` is given the attributes.
fn crafted(
    signer: &Certificate,
    hash: HashAlgorithm,
    algorithm: Algorithm,
    sign: &dyn Fn(&[u8]) -> Vec<u8>,
) -> Vec<u8> {
    let attribute = |oid: Oid, value: Vec<u8>| {
        writer::sequence(&[&writer::oid(&oid), &writer::tlv(0x31, &value)])
    };
    let content = [
        attribute(oids::CONTENT_TYPE, writer::oid(&oids::DATA)),
        attribute(oids::MESSAGE_DIGEST, writer::octets(&hash.digest(DATA))),
    ]
    .concat();
    let value = sign(&writer::tlv(0x31, &content));
    let digest = writer::sequence(&[&writer::oid(&hash.oid())]);
    let id = [signer.issuer().as_der(), &writer::tlv(0x02, signer.serial())].concat();
    let info = writer::sequence(&[
        &writer::integer(1),
        &writer::sequence(&[&id]),
        &digest,
        &writer::tagged(0, &content),
        &algorithm.to_der(),
        &writer::octets(&value),
    ]);
    let data = writer::sequence(&[
        &writer::integer(1),
        &writer::tlv(0x31, &digest),
        &writer::sequence(&[&writer::oid(&oids::DATA)]),
        &writer::tagged(0, signer.as_der()),
        &writer::tlv(0x31, &info),
    ]);
    writer::sequence(&[&writer::oid(&oids::SIGNED_DATA), &writer::tagged(0, &data)])
}

#[test]
fn ed25519_signs_the_attributes_themselves() {
    let Some(judge) = Judge::new() else { return };
    let seed = [7; 32];
    let key = Ed25519KeyPair::from_seed_unchecked(&seed).unwrap();
    let algorithm = writer::sequence(&[&writer::oid(&oids::ED25519)]);
    let private = writer::octets(&writer::octets(&seed));
    judge.write("key.der", writer::sequence(&[&writer::integer(0), &algorithm, &private]));
    judge.accepts("req -new -x509 -key key.der -keyform DER -subj /CN=Signer -out signer.pem");
    let signer = certificate(&judge, "signer.pem");
    let sign = |message: &[u8]| key.sign(message).as_ref().to_vec();
    let by_ed25519 = |hash| crafted(&signer, hash, Algorithm::Ed25519, &sign);
    let cms = by_ed25519(HashAlgorithm::Sha512);
    let found = ask(&cms);
    assert!(found.is_valid(), "{}", found.describe_problems());
    let mut changed = cms.clone();
    *changed.last_mut().unwrap() ^= 1;
    assert!(ask(&changed).has(ProblemKind::Signature));
    // What RFC 8419 does not foresee is not known.
    let found = ask(&by_ed25519(HashAlgorithm::Sha256));
    assert!(found.is_open(), "{}", found.describe_problems());
}

#[test]
fn digests_and_signatures_of_sha3_hold() {
    let pki = Pki::new(81).unwrap();
    for kind in [KeyKind::P256, KeyKind::P384] {
        let person = pki.person("Kari", "Nordmann", 7, kind).unwrap();
        for hash in HashAlgorithm::ACCEPTED {
            let algorithm = person.algorithm(hash);
            let sign = |message: &[u8]| person.sign_hash(algorithm, &hash.digest(message)).unwrap();
            let found = ask(&crafted(person.certificate(), hash, algorithm, &sign));
            assert!(found.is_valid(), "{kind} {hash}: {}", found.describe_problems());
        }
    }
}
