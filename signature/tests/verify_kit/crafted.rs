//! Signatures with algorithms, keys and forms that nobody here can make: the parts are put
//! together as they would stand in a file, with values that are never looked at.
#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "test code; each test file uses some of it, and helpers count as outside of tests"
)]

use signdoc_signature::asn1::{Oid, Reader, Time, oids, writer};
use signdoc_signature::crypto::HashAlgorithm;
use signdoc_signature::fixtures;
use signdoc_signature::pki::{Identity, Pki};
use signdoc_signature::sign::{PrepareOptions, prepare};

use super::{NOW, arc};
use crate::common::signing::bytes;

const HASH: HashAlgorithm = HashAlgorithm::Sha256;

/// An AlgorithmIdentifier without parameters.
pub fn named(arcs: &[u32]) -> Vec<u8> {
    writer::sequence(&[&writer::oid(&Oid::new(arcs))])
}

/// A key of a kind, on a curve where one is given.
pub fn key(kind: &[u32], curve: Option<&[u32]>, bits: usize) -> Vec<u8> {
    let curve = curve.map(|arcs| writer::oid(&Oid::new(arcs))).unwrap_or_default();
    let identifier = writer::sequence(&[&writer::oid(&Oid::new(kind)), &curve]);
    writer::sequence(&[&identifier, &writer::bits(&vec![4; bits])])
}

/// The certificate with single members of its signed part exchanged, signed anew by the issuing
/// authority. Members count from the version on: 4 is the validity, 6 the key.
pub fn reissued(pki: &Pki, of: &Identity, member: usize, with: &[u8]) -> Vec<u8> {
    let whole = of.certificate().tbs();
    let mut reader = Reader::new(whole).sequence("tbs").unwrap();
    let mut parts = Vec::new();
    while !reader.is_empty() {
        parts.push(reader.any("tbs").unwrap().raw.to_vec());
    }
    parts[member] = with.to_vec();
    let tbs = writer::sequence_of(parts);
    let issuer = pki.issuing();
    let algorithm = issuer.algorithm(HASH);
    let value = issuer.sign_hash(algorithm, &HASH.digest(&tbs)).unwrap();
    writer::sequence(&[&tbs, &algorithm.to_der(), &writer::bits(&value)])
}

/// What a crafted signature says about itself.
pub struct Crafted {
    pub certificate: Vec<u8>,
    pub digest: Vec<u8>,
    pub algorithm: Vec<u8>,
    /// The message digest where it is not the SHA-256 of the covered bytes.
    pub message_digest: Option<Vec<u8>>,
    /// Signed attributes out of DER order; the signature is a real one of the signer then.
    pub is_unsorted: bool,
}

impl Crafted {
    /// What `signer` would say.
    pub fn by(signer: &Identity) -> Crafted {
        Crafted {
            certificate: signer.certificate().as_der().to_vec(),
            digest: named(&[2, 16, 840, 1, 101, 3, 4, 2, 1]),
            algorithm: signer.algorithm(HASH).to_der(),
            message_digest: None,
            is_unsorted: false,
        }
    }

    /// A signed document.
    pub fn sign(&self, pki: &Pki, signer: &Identity) -> Vec<u8> {
        let time = Some(Time::from_unix(NOW));
        let options = PrepareOptions { time, reserve: 3072, ..PrepareOptions::default() };
        let prepared = prepare(arc(&fixtures::simple()), &options).unwrap();
        let digest = prepared.digest(HASH).unwrap();
        let attribute = |oid: Oid, value: Vec<u8>| {
            writer::sequence(&[&writer::oid(&oid), &writer::tlv(0x31, &value)])
        };
        let signed = self.message_digest.clone().unwrap_or(digest);
        let mut attributes = [
            attribute(oids::CONTENT_TYPE, writer::oid(&oids::DATA)),
            attribute(oids::MESSAGE_DIGEST, writer::octets(&signed)),
        ];
        attributes.sort();
        if self.is_unsorted {
            attributes.reverse();
        }
        let content = attributes.concat();
        let to_sign = HASH.digest(&writer::tlv(0x31, &content));
        let value = signer.sign_hash(signer.algorithm(HASH), &to_sign).unwrap();
        let certificate = signer.certificate();
        let info = writer::sequence(&[
            &writer::integer(1),
            &writer::sequence(&[
                certificate.issuer().as_der(),
                &writer::tlv(0x02, certificate.serial()),
            ]),
            &self.digest,
            &writer::tagged(0, &content),
            &self.algorithm,
            &writer::octets(&value),
        ]);
        let above: Vec<u8> = [pki.issuing().certificate().as_der()].concat();
        let data = writer::sequence(&[
            &writer::integer(1),
            &writer::tlv(0x31, &self.digest),
            &writer::sequence(&[&writer::oid(&oids::DATA)]),
            &writer::tagged(0, &[self.certificate.clone(), above].concat()),
            &writer::tlv(0x31, &info),
        ]);
        let cms = writer::sequence(&[&writer::oid(&oids::SIGNED_DATA), &writer::tagged(0, &data)]);
        bytes(&prepared.signed(&cms).unwrap())
    }
}

/// The same signature under another form: the name in the file is exchanged.
pub fn of_form(signed: &[u8], form: &str) -> Vec<u8> {
    let known = b"/ETSI.CAdES.detached";
    let at = signed.windows(known.len()).rposition(|window| window == known).unwrap();
    let mut changed = signed.to_vec();
    changed[at..at + known.len()].fill(b' ');
    changed[at..=at + form.len()].copy_from_slice(format!("/{form}").as_bytes());
    changed
}
