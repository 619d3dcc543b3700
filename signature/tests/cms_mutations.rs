//! No change turns one signature into another, and nothing panics.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests")]

#[path = "judge/ber.rs"]
mod ber;

use proptest::prelude::*;
use signdoc_signature::asn1::{Reader, Time, oids, to_der, writer};
use signdoc_signature::cms::{
    Assembly, AttributeOptions, SignedData, Verification, assemble, signed_attributes,
};
use signdoc_signature::crypto::{Algorithm, HashAlgorithm, KeyKind};
use signdoc_signature::pki::{Identity, Pki, PkiOptions};
use signdoc_signature::x509::Certificate;

const CONTENT: &[u8] = b"the document, all of it";
const HASH: HashAlgorithm = HashAlgorithm::Sha256;

fn signer(key: KeyKind) -> (Pki, Identity) {
    let issued = Time::from_unix(1_800_000_000);
    let pki = Pki::with_options(PkiOptions { seed: 31, issued, key: KeyKind::P256 }).unwrap();
    let signer = pki.person("Kari", "Nordmann", 7, key).unwrap();
    (pki, signer)
}

fn sign_with(signer: &Identity, algorithm: Algorithm, options: &AttributeOptions) -> Vec<u8> {
    let hash = algorithm.hash();
    let attributes =
        signed_attributes(&hash.digest(CONTENT), hash, signer.certificate(), options).unwrap();
    let signature = signer.sign_hash(algorithm, &attributes.hash_to_sign()).unwrap();
    assemble(&Assembly {
        attributes: &attributes,
        algorithm,
        signature: &signature,
        signer: signer.certificate(),
        others: signer.intermediates(),
        timestamp: None,
        content: None,
    })
    .unwrap()
}

fn sign(signer: &Identity) -> Vec<u8> {
    sign_with(signer, signer.algorithm(HASH), &AttributeOptions::default())
}

fn verify(cms: &[u8]) -> Verification {
    let read = SignedData::parse(cms).unwrap();
    read.verify_detached(&mut |hash| Some(hash.digest(CONTENT)), &[])
}

/// Where a changed byte may leave the signature valid, because it is no part of what is signed and
/// no part of the meaning.
fn unused_ranges(cms: &[u8], signer: &Identity) -> Vec<(&'static str, std::ops::Range<usize>)> {
    let find = |needle: &[u8]| {
        let start = cms.windows(needle.len()).position(|window| window == needle).unwrap();
        start..start + needle.len()
    };
    let mut ranges = vec![("issuer's certificate", find(signer.intermediates()[0].as_der()))];
    // SignedData version and digestAlgorithms stand right after the two outer headers.
    let mut outer = Reader::new(cms).sequence("info").unwrap();
    outer.oid("type").unwrap();
    let data = outer.any("explicit").unwrap().reader().sequence("data").unwrap();
    let start = cms.len() - data.rest().len();
    ranges.push(("version of the signed data", start..start + 3));
    let mut rest = data;
    rest.any("version").unwrap();
    let algorithms = rest.any("algorithms").unwrap().raw.len();
    ranges.push(("list of digest algorithms", start + 3..start + 3 + algorithms));
    // The version of the signer info stands right before issuer and serial number.
    let certificate = signer.certificate();
    let id = writer::sequence(&[
        certificate.issuer().as_der(),
        &writer::tlv(0x02, certificate.serial()),
    ]);
    let id_start = find(&id).start;
    ranges.push(("version of the signer info", id_start - 3..id_start));
    // The names inside: found again by folding case (RFC 5280, 7.1), the certificate stays bound.
    ranges.push(("issuer name of the signer id", id_start..id_start + id.len()));
    // Parameters of rsaEncryption carry no meaning.
    let rsa = writer::sequence(&[&writer::oid(&oids::RSA), &writer::null()]);
    if signer.certificate().public_key().unwrap().kind() == KeyKind::Rsa(2048) {
        let last = cms.windows(rsa.len()).rposition(|window| window == rsa).unwrap();
        ranges.push(("parameters of rsaEncryption", last + rsa.len() - 2..last + rsa.len()));
    }
    ranges
}

#[test]
fn no_changed_byte_gives_a_valid_signature_with_another_meaning() {
    let several: &[u8] = &[0x01, 0x20, 0x80];
    let one: &[u8] = &[0x01];
    for (key, changes) in
        [(KeyKind::P256, several), (KeyKind::P384, one), (KeyKind::Rsa(2048), one)]
    {
        let (_pki, signer) = signer(key);
        let cms = sign(&signer);
        let original = verify(&cms);
        let ranges = unused_ranges(&cms, &signer);
        let (mut tried, mut survivors) = (0, 0);
        for index in 0..cms.len() {
            for change in changes {
                tried += 1;
                let mut changed = cms.clone();
                changed[index] ^= *change;
                let Ok(read) = SignedData::parse_padded(&changed) else { continue };
                let found = read.verify_detached(&mut |h| Some(h.digest(CONTENT)), &[]);
                if !found.is_valid() {
                    continue;
                }
                survivors += 1;
                assert_eq!(found.signer, original.signer, "byte {index}");
                assert_eq!(found.algorithm, original.algorithm, "byte {index}");
                assert_eq!(found.signed_attributes, original.signed_attributes, "byte {index}");
                assert!(
                    ranges.iter().any(|(_, range)| range.contains(&index)),
                    "byte {index} ^ {change:#04x} of {} is not explained: {ranges:?}",
                    cms.len()
                );
            }
        }
        println!("{key}: {tried} changes, {survivors} in unused bytes");
    }
}

#[test]
fn no_cut_is_valid() {
    let (_pki, signer) = signer(KeyKind::P256);
    let cms = sign(&signer);
    for length in 0..cms.len() {
        assert!(SignedData::parse(&cms[..length]).is_err(), "{length}");
    }
}

fn sample() -> &'static [u8] {
    static SAMPLE: std::sync::OnceLock<Vec<u8>> = std::sync::OnceLock::new();
    SAMPLE.get_or_init(|| ber::to_indefinite(&sign(&signer(KeyKind::P256).1)))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn anything_is_read_without_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _ = SignedData::parse(&bytes);
        let _ = Certificate::from_der(&bytes);
        let _ = to_der(&bytes);
    }

    #[test]
    fn changed_ber_is_read_without_panic_and_never_means_something_else(
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let mut bytes = sample().to_vec();
        for (index, value) in &changes {
            let at = index.index(bytes.len());
            bytes[at] = *value;
        }
        if let Ok(read) = SignedData::parse_padded(&bytes) {
            let found = read.verify_detached(&mut |h| Some(h.digest(CONTENT)), &[]);
            if found.is_valid() {
                let (_pki, expected) = signer(KeyKind::P256);
                prop_assert_eq!(found.signer.as_ref(), Some(expected.certificate()));
            }
            for signer in read.signers() {
                let _ = signer.archived_revocation();
            }
        }
    }
}
