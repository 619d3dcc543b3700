//! CMS signatures: no panic, and no change turns one into another that holds.

use std::sync::OnceLock;

use signdoc_signature::asn1::{Oid, oids, to_der};
use signdoc_signature::cms::{
    Assembly, AttributeOptions, SignedData, add_unsigned_attribute, assemble, signed_attributes,
};
use signdoc_signature::crypto::KeyKind;
use signdoc_signature::pki::Identity;
use signdoc_signature::x509::{Certificate, TrustAnchors};

use super::kit::{HASH, kit, now};

pub const CONTENT: &[u8] = b"the document, all of it";

pub const WORDS: &[&[u8]] = &[
    &[0x30, 0x80],
    &[0x30, 0x00],
    &[0x00, 0x00],
    &[0x24, 0x80],
    &[0x04, 0x84, 0xff, 0xff, 0xff, 0xff],
    &[0x30, 0x84, 0x7f, 0xff, 0xff, 0xff],
    &[0x31, 0x00],
    &[0xa0, 0x80],
    &[0xa0, 0x02, 0x05, 0x00],
    &[0x05, 0x00],
    &[0x02, 0x01, 0x01],
    &[0x02, 0x01, 0x80],
    &[0x06, 0x00],
    &[0x06, 0x02, 0x80, 0x80],
    &[0x1f, 0xff, 0xff, 0x7f],
    &[0x17, 0x0d],
    &[0x18, 0x0f],
    &[0x03, 0x01, 0x07],
    // id-signedData, id-data, message-digest, signing-certificate-v2, sha-256, tst-info.
    &[0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, 0x02],
    &[0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, 0x01],
    &[0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x09, 0x04],
    &[0x06, 0x0b, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x09, 0x10, 0x02, 0x2f],
    &[0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01],
    &[0x06, 0x0b, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x09, 0x10, 0x01, 0x04],
];

fn signed(signer: &Identity, options: &AttributeOptions, content: Option<&[u8]>) -> Vec<u8> {
    let certificate = signer.certificate();
    let attributes = signed_attributes(&HASH.digest(CONTENT), HASH, certificate, options).unwrap();
    let algorithm = signer.algorithm(HASH);
    let signature = signer.sign_hash(algorithm, &attributes.hash_to_sign()).unwrap();
    let stamp = kit().pki.timestamp(&HASH.digest(&signature), HASH, now(), None).unwrap();
    assemble(&Assembly {
        attributes: &attributes,
        algorithm,
        signature: &signature,
        signer: certificate,
        others: signer.intermediates(),
        timestamp: content.is_none().then_some(stamp.as_slice()),
        content,
    })
    .unwrap()
}

/// Signatures of every kind of key, with the attributes of PAdES and of signed data objects.
fn samples() -> &'static [Vec<u8>] {
    static SAMPLES: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    SAMPLES.get_or_init(|| {
        let pki = &kit().pki;
        let mut samples = Vec::new();
        for kind in [KeyKind::P256, KeyKind::P384, KeyKind::Rsa(2048)] {
            let signer = pki.person("Kari", "Nordmann", 7, kind).unwrap();
            samples.push(signed(&signer, &AttributeOptions::default(), None));
            samples.push(signed(&signer, &AttributeOptions::sdo(now()), Some(CONTENT)));
        }
        samples
    })
}

pub fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = samples().to_vec();
    seeds.push(kit().pki.timestamp(&HASH.digest(CONTENT), HASH, now(), None).unwrap());
    seeds.push(kit().signer.certificate().as_der().to_vec());
    seeds.push(kit().pki.trust_pem().into_bytes());
    seeds
}

/// Who signed the samples, and which attributes they signed.
fn known() -> &'static [(Certificate, Vec<Oid>)] {
    static KNOWN: OnceLock<Vec<(Certificate, Vec<Oid>)>> = OnceLock::new();
    KNOWN.get_or_init(|| {
        let found = samples().iter().map(|cms| {
            let found = SignedData::parse(cms).unwrap().verify_detached(&mut digest, &[]);
            assert!(found.is_valid(), "{}", found.describe_problems());
            (found.signer.unwrap(), found.signed_attributes)
        });
        found.collect()
    })
}

fn digest(hash: signdoc_signature::crypto::HashAlgorithm) -> Option<Vec<u8>> {
    Some(hash.digest(CONTENT))
}

pub fn run(data: &[u8]) -> bool {
    let _ = TrustAnchors::from_bytes(data);
    if let Ok(certificate) = Certificate::from_der(data) {
        let _ = certificate.public_key();
        let _ = certificate.is_valid_at(now());
        assert_eq!(certificate.as_der(), data);
    }
    if let Ok(first) = to_der(data) {
        let again = to_der(&first.der).unwrap();
        assert!(!again.changed && again.der == first.der, "der does not stay as it is");
    }
    let Ok(read) = SignedData::parse_padded(data) else { return false };
    assert!(read.encoded_len() <= data.len());
    for signer in read.signers() {
        let _ = (signer.archived_revocation(), signer.timestamps().len());
    }
    let found = read.verify_detached(&mut digest, &[]);
    let _ = (read.verify_embedded(&[]).describe_problems(), found.describe_problems());
    if found.is_valid() {
        // Whoever makes a certificate can sign with it; in our name nobody else can.
        let signer = found.signer.as_ref().unwrap();
        let ours: Vec<_> = known()
            .iter()
            .filter(|(certificate, _)| certificate.key_bits() == signer.key_bits())
            .collect();
        let same = |(certificate, attributes): &&(Certificate, Vec<Oid>)| {
            certificate == signer && *attributes == found.signed_attributes
        };
        assert!(ours.is_empty() || ours.iter().any(same), "another meaning");
    }
    if let Ok(extended) = add_unsigned_attribute(data, oids::SIGNATURE_TIMESTAMP, &[0x05, 0x00]) {
        let again = SignedData::parse(&extended).unwrap().verify_detached(&mut digest, &[]);
        assert_eq!(again.is_valid(), found.is_valid(), "an unsigned attribute changed the verdict");
    }
    found.is_valid()
}
