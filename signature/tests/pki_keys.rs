//! Keys and signature values from strangers never panic, and never verify by accident.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests")]

use proptest::prelude::*;
use signdoc_signature::asn1::{Oid, oids, writer};
use signdoc_signature::crypto::{Algorithm, HashAlgorithm, KeyKind, PublicKey};
use signdoc_signature::pki::SigningKey;

fn rsa_spki(modulus: &[u8], exponent: &[u8]) -> Vec<u8> {
    let numbers = writer::sequence(&[&writer::unsigned(modulus), &writer::unsigned(exponent)]);
    let identifier = writer::sequence(&[&writer::oid(&oids::RSA), &writer::null()]);
    writer::sequence(&[&identifier, &writer::bits(&numbers)])
}

fn ec_spki(curve: &Oid, point: &[u8]) -> Vec<u8> {
    let identifier = writer::sequence(&[&writer::oid(&oids::EC_PUBLIC_KEY), &writer::oid(curve)]);
    writer::sequence(&[&identifier, &writer::bits(point)])
}

fn algorithms() -> Vec<Algorithm> {
    HashAlgorithm::ALL
        .into_iter()
        .flat_map(|hash| {
            [
                Algorithm::RsaPkcs1(hash),
                Algorithm::RsaPss(hash),
                Algorithm::RsaPssSalted(hash, 0),
                Algorithm::RsaPssSalted(hash, 512),
                Algorithm::EcdsaP256(hash),
                Algorithm::EcdsaP384(hash),
            ]
        })
        .collect()
}

fn try_all(spki: &[u8], value: &[u8]) {
    let Ok(key) = PublicKey::from_spki(spki) else { return };
    for algorithm in algorithms() {
        let digest = vec![7; algorithm.hash().output_len()];
        assert!(key.verify(algorithm, &digest, value).is_err(), "{key} {algorithm}");
        assert!(key.verify(algorithm, &digest[1..], value).is_err());
    }
}

#[test]
fn odd_rsa_keys_are_refused_or_harmless() {
    let ones = vec![0xff; 256];
    let mut even = ones.clone();
    even[255] = 0xfe;
    let mut top = vec![0; 256];
    top[0] = 0x80;
    for modulus in
        [&ones, &even, &top, &vec![0xff; 1024], &vec![0xff; 128], &vec![0; 256], &vec![1]]
    {
        for exponent in [&[0][..], &[1], &[2], &[3], &[1, 0, 1], &[0x7f, 0xff, 0xff, 0xff, 0xff]] {
            let spki = rsa_spki(modulus, exponent);
            for value in [vec![0; modulus.len()], vec![1; modulus.len()], modulus.clone(), vec![]] {
                try_all(&spki, &value);
            }
        }
    }
}

#[test]
fn the_zero_signature_and_the_point_at_infinity_never_verify() {
    for (kind, curve, size) in [(KeyKind::P256, oids::P256, 32), (KeyKind::P384, oids::P384, 48)] {
        let key = SigningKey::derive(kind, "x").unwrap();
        let zero = writer::sequence(&[&writer::integer(0), &writer::integer(0)]);
        try_all(&key.spki(), &zero);
        let huge = vec![0xff; size];
        try_all(&key.spki(), &writer::sequence(&[&writer::unsigned(&huge), &writer::integer(1)]));
        for point in [vec![0], vec![4; 1 + 2 * size], vec![2; 1 + size], vec![]] {
            try_all(&ec_spki(&curve, &point), &zero);
        }
    }
}

#[test]
fn a_key_only_accepts_its_own_algorithm() {
    for kind in [KeyKind::Rsa(2048), KeyKind::P256, KeyKind::P384] {
        let key = SigningKey::derive(kind, "own").unwrap();
        let public = PublicKey::from_spki(&key.spki()).unwrap();
        assert_eq!(public.kind(), kind);
        for made in algorithms() {
            let digest = made.hash().digest(b"data");
            let Ok(value) = key.sign_hash(made, &digest) else { continue };
            for read in algorithms() {
                let digest = read.hash().digest(b"data");
                let accepted = public.verify(read, &digest, &value).is_ok();
                assert_eq!(accepted, made == read, "{made} read as {read}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_rsa_keys(
        modulus in proptest::collection::vec(any::<u8>(), 120..300),
        exponent in proptest::collection::vec(any::<u8>(), 1..6),
        value in proptest::collection::vec(any::<u8>(), 120..300),
    ) {
        try_all(&rsa_spki(&modulus, &exponent), &value);
    }

    #[test]
    fn random_values_for_a_real_key(value in proptest::collection::vec(any::<u8>(), 0..110)) {
        for kind in [KeyKind::P256, KeyKind::P384] {
            try_all(&SigningKey::derive(kind, "x").unwrap().spki(), &value);
        }
    }
}
