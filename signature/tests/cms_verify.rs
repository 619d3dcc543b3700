//! What is accepted and reported, and what is refused.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests")]

#[path = "judge/ber.rs"]
mod ber;

use signdoc_signature::asn1::{Reader, oids, to_der, writer};
use signdoc_signature::cms::{
    Assembly, AttributeOptions, CertificateReference, Leniency, ProblemKind, SignedData,
    Verification, assemble, signed_attributes,
};
use signdoc_signature::crypto::{Algorithm, HashAlgorithm, KeyKind};
use signdoc_signature::pki::{Identity, Pki};
use signdoc_signature::x509::Certificate;

const CONTENT: &[u8] = b"the document, all of it";
const HASH: HashAlgorithm = HashAlgorithm::Sha256;

fn signer(key: KeyKind) -> (Pki, Identity) {
    let pki = Pki::new(31).unwrap();
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

/// A SignedData from loose parts, so that single members can be wrong.
struct Loose {
    version: u64,
    digest_algorithms: Vec<u8>,
    content_type: Vec<u8>,
    certificates: Vec<Vec<u8>>,
    signer_version: u64,
    signer_id: Vec<u8>,
    digest_algorithm: Vec<u8>,
    attributes: Option<Vec<Vec<u8>>>,
    signature_algorithm: Vec<u8>,
    signature: Vec<u8>,
}

impl Loose {
    /// A sound one by this signer; attributes in the given order, signature over that order.
    fn new(signer: &Identity, attributes: Option<Vec<Vec<u8>>>) -> Self {
        let to_sign = match &attributes {
            Some(list) => HASH.digest(&writer::tlv(0x31, &list.concat())),
            None => HASH.digest(CONTENT),
        };
        let algorithm = signer.algorithm(HASH);
        let certificate = signer.certificate();
        let digest_algorithm = writer::sequence(&[&writer::oid(&HASH.oid())]);
        Self {
            version: 1,
            digest_algorithms: digest_algorithm.clone(),
            content_type: writer::oid(&oids::DATA),
            certificates: vec![certificate.as_der().to_vec()],
            signer_version: 1,
            signer_id: writer::sequence(&[
                certificate.issuer().as_der(),
                &writer::tlv(0x02, certificate.serial()),
            ]),
            digest_algorithm,
            attributes,
            signature_algorithm: algorithm.to_der(),
            signature: signer.sign_hash(algorithm, &to_sign).unwrap(),
        }
    }

    fn signer_info(&self) -> Vec<u8> {
        let attributes = self
            .attributes
            .as_ref()
            .map(|list| writer::tagged(0, &list.concat()))
            .unwrap_or_default();
        writer::sequence(&[
            &writer::integer(self.signer_version),
            &self.signer_id,
            &self.digest_algorithm,
            &attributes,
            &self.signature_algorithm,
            &writer::octets(&self.signature),
        ])
    }

    fn encode_with(&self, signer_infos: &[u8], content: &[u8]) -> Vec<u8> {
        let data = writer::sequence(&[
            &writer::integer(self.version),
            &writer::tlv(0x31, &self.digest_algorithms),
            &writer::sequence(&[&self.content_type, content]),
            &writer::tagged(0, &self.certificates.concat()),
            &writer::tlv(0x31, signer_infos),
        ]);
        writer::sequence(&[&writer::oid(&oids::SIGNED_DATA), &writer::tagged(0, &data)])
    }

    fn encode(&self) -> Vec<u8> {
        self.encode_with(&self.signer_info(), &[])
    }
}

fn attribute(oid: signdoc_signature::asn1::Oid, values: &[Vec<u8>]) -> Vec<u8> {
    writer::sequence(&[&writer::oid(&oid), &writer::tlv(0x31, &values.concat())])
}

fn content_type() -> Vec<u8> {
    attribute(oids::CONTENT_TYPE, &[writer::oid(&oids::DATA)])
}

fn message_digest() -> Vec<u8> {
    attribute(oids::MESSAGE_DIGEST, &[writer::octets(&HASH.digest(CONTENT))])
}

#[test]
fn ber_is_accepted_and_reported() {
    for key in [KeyKind::P256, KeyKind::Rsa(2048)] {
        let (_pki, signer) = signer(key);
        let der = sign(&signer);
        let mut ber = ber::to_indefinite(&der);
        assert_eq!(ber[..2], [0x30, 0x80]);
        assert_eq!(to_der(&ber).unwrap().der, der);
        let found = verify(&ber);
        assert!(found.is_valid(), "{}", found.describe_problems());
        assert_eq!(found.leniencies, [Leniency::Ber]);
        let length = ber.len();
        ber.extend([0; 500]);
        assert!(SignedData::parse(&ber).is_err());
        let padded = SignedData::parse_padded(&ber).unwrap();
        assert_eq!(padded.encoded_len(), length);
        *ber.last_mut().unwrap() = 1;
        assert!(SignedData::parse_padded(&ber).is_err());
    }
}

#[test]
fn digest_info_without_null_is_accepted_and_reported() {
    let (_pki, signer) = signer(KeyKind::Rsa(2048));
    for hash in HashAlgorithm::ALL {
        let options = AttributeOptions::default();
        let certificate = signer.certificate();
        let attributes =
            signed_attributes(&hash.digest(CONTENT), hash, certificate, &options).unwrap();
        let signature =
            signer.key().sign_hash_without_null(hash, &attributes.hash_to_sign()).unwrap();
        let cms = assemble(&Assembly {
            attributes: &attributes,
            algorithm: Algorithm::RsaPkcs1(hash),
            signature: &signature,
            signer: certificate,
            others: &[],
            timestamp: None,
            content: None,
        })
        .unwrap();
        let found = verify(&cms);
        assert!(found.is_valid(), "{}", found.describe_problems());
        assert_eq!(found.leniencies, [Leniency::DigestInfoWithoutNull]);
        let both = verify(&ber::to_indefinite(&cms));
        assert_eq!(both.leniencies, [Leniency::Ber, Leniency::DigestInfoWithoutNull]);
    }
}

#[test]
fn other_deviations_are_accepted_and_reported() {
    let (_pki, signer) = signer(KeyKind::P256);
    let plain = Loose::new(&signer, Some(vec![content_type(), message_digest()]));
    assert_eq!(verify(&plain.encode()).leniencies, []);

    let no_attributes = Loose::new(&signer, None);
    let found = verify(&no_attributes.encode());
    assert!(found.is_valid() && found.digest_matches);
    assert_eq!(found.leniencies, [Leniency::NoSignedAttributes]);

    let unsorted = Loose::new(&signer, Some(vec![message_digest(), content_type()]));
    assert_eq!(verify(&unsorted.encode()).leniencies, [Leniency::UnsortedAttributes]);
    let mut sorted_only = Loose::new(&signer, Some(vec![content_type(), message_digest()]));
    sorted_only.attributes = Some(vec![message_digest(), content_type()]);
    let found = verify(&sorted_only.encode());
    assert!(found.is_valid());
    assert_eq!(found.leniencies, [Leniency::AttributesSignedSorted]);

    let mut by_key = Loose::new(&signer, Some(vec![content_type(), message_digest()]));
    let key_id = signer.certificate().extensions().subject_key_id().unwrap();
    by_key.signer_id = writer::tlv(0x80, key_id);
    assert_eq!(verify(&by_key.encode()).leniencies, [Leniency::KeyIdentifier, Leniency::Version]);
    by_key.signer_version = 3;
    assert_eq!(verify(&by_key.encode()).leniencies, [Leniency::KeyIdentifier]);

    let mut unlisted = Loose::new(&signer, Some(vec![content_type(), message_digest()]));
    unlisted.digest_algorithms = writer::sequence(&[&writer::oid(&oids::SHA1)]);
    assert_eq!(verify(&unlisted.encode()).leniencies, [Leniency::DigestAlgorithmNotListed]);

    let mut junk = Loose::new(&signer, Some(vec![content_type(), message_digest()]));
    junk.certificates.push(writer::sequence(&[&writer::integer(1)]));
    assert_eq!(verify(&junk.encode()).leniencies, [Leniency::UnreadableCertificate]);

    let embedded =
        plain.encode_with(&plain.signer_info(), &writer::tagged(0, &writer::octets(CONTENT)));
    assert_eq!(verify(&embedded).leniencies, [Leniency::EmbeddedContent]);
    assert!(SignedData::parse(&embedded).unwrap().verify_embedded(&[]).is_valid());
    let other = plain.encode_with(&plain.signer_info(), &writer::tagged(0, &writer::octets(b"x")));
    assert!(verify(&other).has(ProblemKind::Digest));
}

#[test]
fn certificate_references_of_all_kinds() {
    let (pki, signer) = signer(KeyKind::P256);
    let stranger = pki.person("Other", "One", 1, KeyKind::P256).unwrap();
    let algorithm = signer.algorithm(HASH);
    for (reference, oid) in [
        (CertificateReference::SigningCertificateV2, Some(oids::SIGNING_CERTIFICATE_V2)),
        (CertificateReference::OtherSigningCertificate, Some(oids::OTHER_SIGNING_CERTIFICATE)),
        (CertificateReference::Absent, None),
    ] {
        let options = AttributeOptions { reference, ..AttributeOptions::default() };
        let found = verify(&sign_with(&signer, algorithm, &options));
        assert!(found.is_valid());
        assert_eq!(found.certificate_attribute, oid);
        assert_eq!(found.names_certificate, oid.is_some());
        if oid.is_none() {
            continue;
        }
        // The attribute names someone else: valid arithmetic, refused all the same.
        let digest = HASH.digest(CONTENT);
        let foreign = signed_attributes(&digest, HASH, stranger.certificate(), &options).unwrap();
        let members = Reader::new(foreign.as_der()).set("set").unwrap().rest().to_vec();
        let found = verify(&Loose::new(&signer, Some(vec![members])).encode());
        assert!(found.signature_matches && !found.is_valid());
        assert!(found.has(ProblemKind::SigningCertificate));
    }
    // SHA-1 (RFC 2634).
    let fingerprint = sha1(signer.certificate());
    let id = |digest: &[u8]| {
        let list = writer::sequence(&[&writer::sequence(&[&writer::octets(digest)])]);
        attribute(oids::SIGNING_CERTIFICATE, &[writer::sequence(&[&list])])
    };
    let old = Loose::new(&signer, Some(vec![content_type(), message_digest(), id(&fingerprint)]));
    let found = verify(&old.encode());
    assert!(found.is_valid() && found.names_certificate);
    assert!(found.leniencies.contains(&Leniency::Sha1CertificateReference));
    let wrong = Loose::new(&signer, Some(vec![content_type(), message_digest(), id(&[0; 20])]));
    assert!(verify(&wrong.encode()).has(ProblemKind::SigningCertificate));
}

fn sha1(certificate: &Certificate) -> Vec<u8> {
    use sha1::Digest;
    sha1::Sha1::digest(certificate.as_der()).to_vec()
}

#[test]
fn broken_structures_are_refused() {
    let (pki, signer) = signer(KeyKind::P256);
    let sound = || Loose::new(&signer, Some(vec![content_type(), message_digest()]));
    let refuse = |attributes: Vec<Vec<u8>>, kind: ProblemKind| {
        let found = verify(&Loose::new(&signer, Some(attributes)).encode());
        assert!(!found.is_valid() && found.has(kind), "{kind:?}: {}", found.describe_problems());
    };
    refuse(vec![content_type()], ProblemKind::Attribute);
    refuse(vec![message_digest()], ProblemKind::Attribute);
    refuse(vec![content_type(), message_digest(), message_digest()], ProblemKind::Attribute);
    let two = attribute(
        oids::MESSAGE_DIGEST,
        &[writer::octets(&HASH.digest(CONTENT)), writer::octets(&[0; 32])],
    );
    refuse(vec![content_type(), two], ProblemKind::Attribute);
    let wrong = attribute(oids::MESSAGE_DIGEST, &[writer::octets(&HASH.digest(b"other"))]);
    refuse(vec![content_type(), wrong], ProblemKind::Digest);
    let typed = attribute(oids::CONTENT_TYPE, &[writer::oid(&oids::TST_INFO)]);
    refuse(vec![typed, message_digest()], ProblemKind::ContentType);
    let time = attribute(oids::SIGNING_TIME, &[writer::tlv(0x17, b"999999999999Z")]);
    refuse(vec![content_type(), message_digest(), time], ProblemKind::Attribute);
    let cut = attribute(oids::SIGNING_CERTIFICATE_V2, &[writer::sequence(&[])]);
    refuse(vec![content_type(), message_digest(), cut], ProblemKind::Attribute);

    let problem = |cms: &[u8], kind: ProblemKind| {
        let found = verify(cms);
        assert!(!found.is_valid() && found.has(kind), "{kind:?}: {}", found.describe_problems());
    };
    let one = sound();
    problem(&one.encode_with(&[], &[]), ProblemKind::SignerCount);
    let info = one.signer_info();
    problem(&one.encode_with(&[info.clone(), info].concat(), &[]), ProblemKind::SignerCount);
    let missing = Loose { certificates: vec![], ..sound() };
    problem(&missing.encode(), ProblemKind::SignerCertificateMissing);
    let other = pki.person("Other", "One", 1, KeyKind::P256).unwrap();
    let other = Loose { certificates: vec![other.certificate().as_der().to_vec()], ..sound() };
    problem(&other.encode(), ProblemKind::SignerCertificateMissing);
    problem(&Loose { version: 9, ..sound() }.encode(), ProblemKind::Version);
    problem(&Loose { signer_version: 0, ..sound() }.encode(), ProblemKind::Version);
    for oid in [oids::SHA1, oids::MD5, oids::SHA224] {
        let digest_algorithm = writer::sequence(&[&writer::oid(&oid)]);
        problem(&Loose { digest_algorithm, ..sound() }.encode(), ProblemKind::Algorithm);
    }
    for oid in [oids::ECDSA_SHA1, oids::RSA_SHA256, oids::RSA, oids::ECDSA_SHA384, oids::RSA_PSS] {
        let signature_algorithm = writer::sequence(&[&writer::oid(&oid)]);
        problem(&Loose { signature_algorithm, ..sound() }.encode(), ProblemKind::Algorithm);
    }
    let content_type = writer::oid(&oids::TST_INFO);
    let mut no_attributes = Loose { content_type, ..Loose::new(&signer, None) };
    problem(&no_attributes.encode(), ProblemKind::Attribute);
    no_attributes.content_type = writer::oid(&oids::DATA);
    assert!(verify(&no_attributes.encode()).is_valid());
    // Nothing to check is no success.
    let read = SignedData::parse(&sound().encode()).unwrap();
    let nothing = read.verify_detached(&mut |_| None, &[]);
    assert!(!nothing.is_valid() && nothing.has(ProblemKind::ContentMissing));
    assert!(!read.verify_embedded(&[]).is_valid());
    assert!(!Verification::default().is_valid());
}

#[test]
fn algorithm_protection_is_compared() {
    let (_pki, signer) = signer(KeyKind::P256);
    let digest = writer::sequence(&[&writer::oid(&HASH.oid())]);
    let protect = |algorithm: Algorithm| {
        let identifier = algorithm.to_der();
        let inner = Reader::new(&identifier).sequence("x").unwrap().rest().to_vec();
        let value = writer::sequence(&[&digest, &writer::tagged(1, &inner)]);
        attribute(oids::ALGORITHM_PROTECTION, &[value])
    };
    let good = protect(Algorithm::EcdsaP256(HASH));
    let found =
        verify(&Loose::new(&signer, Some(vec![content_type(), message_digest(), good])).encode());
    assert!(found.is_valid(), "{}", found.describe_problems());
    let bad = protect(Algorithm::EcdsaP256(HashAlgorithm::Sha512));
    let found =
        verify(&Loose::new(&signer, Some(vec![content_type(), message_digest(), bad])).encode());
    assert!(found.has(ProblemKind::Algorithm));
}

#[test]
fn an_added_certificate_with_the_same_serial_does_not_become_the_signer() {
    let (_pki, signer) = signer(KeyKind::P256);
    let certificate = signer.certificate();
    // The same issuer and serial number around another key: a copy with one key byte changed.
    let spki = certificate.spki();
    let start = certificate.as_der().windows(spki.len()).position(|w| w == spki).unwrap();
    let mut copy = certificate.as_der().to_vec();
    copy[start + spki.len() - 1] ^= 1;
    let attributes = Some(vec![content_type(), message_digest()]);
    for order in [0, 1] {
        let mut loose = Loose::new(&signer, attributes.clone());
        loose.certificates.insert(order, copy.clone());
        let found = verify(&loose.encode());
        assert!(found.is_valid(), "{}", found.describe_problems());
        assert_eq!(found.signer.as_ref(), Some(certificate));
    }
}

#[test]
fn a_certificate_from_elsewhere_serves_when_none_is_embedded() {
    let (_pki, signer) = signer(KeyKind::P256);
    let loose = Loose {
        certificates: vec![],
        ..Loose::new(&signer, Some(vec![content_type(), message_digest()]))
    };
    let read = SignedData::parse(&loose.encode()).unwrap();
    let further = [signer.certificate().clone()];
    assert!(read.verify_detached(&mut |h| Some(h.digest(CONTENT)), &further).is_valid());
}
