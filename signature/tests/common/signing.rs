//! Signing with the throw-away authority, up to each PAdES level.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "test code; helpers count as outside of tests"
)]

use std::sync::Arc;

use signdoc_signature::asn1::Time;
use signdoc_signature::cms::{
    Assembly, AttributeOptions, SignedAttributes, assemble, signed_attributes,
};
use signdoc_signature::crypto::HashAlgorithm;
use signdoc_signature::pdf::{Document, Result, SharedSource};
use signdoc_signature::pki::{Identity, OcspOptions, Pki};
use signdoc_signature::sign::{
    Appended, DssContent, PrepareOptions, Prepared, TimestampOptions, ValidationData, VriKey,
    add_dss, prepare, prepare_timestamp, prepare_unchecked,
};

const HASH: HashAlgorithm = HashAlgorithm::Sha256;

/// PAdES baseline levels (EN 319 142-1, 6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd)]
pub enum Level {
    B,
    T,
    Lt,
    Lta,
}

pub struct Signing<'a> {
    pub pki: &'a Pki,
    pub signer: &'a Identity,
    pub level: Level,
    pub at: Time,
}

impl Signing<'_> {
    /// Whatever it is, also a document laid out for an attack.
    pub fn sign(&self, source: SharedSource, options: &PrepareOptions) -> Result<Appended> {
        self.finish(&prepare_unchecked(source, options)?)
    }

    /// Only what will verify.
    pub fn sign_checked(&self, source: SharedSource, options: &PrepareOptions) -> Result<Appended> {
        self.finish(&prepare(source, options)?)
    }

    fn finish(&self, prepared: &Prepared) -> Result<Appended> {
        let cms = self.cms(prepared);
        let signed = prepared.signed(&cms)?;
        if self.level < Level::Lt {
            return Ok(signed);
        }
        let with_data = add_dss(Arc::new(signed), &self.validation_data(prepared, &cms))?;
        if self.level < Level::Lta {
            return Ok(with_data);
        }
        let stamp = prepare_timestamp(Arc::new(with_data), &TimestampOptions::default())?;
        let token = self.pki.timestamp(&stamp.digest(HASH)?, HASH, self.at, None).unwrap();
        stamp.signed(&token)
    }

    fn cms(&self, prepared: &Prepared) -> Vec<u8> {
        let digest = prepared.digest(HASH).unwrap();
        let certificate = self.signer.certificate();
        let attributes =
            signed_attributes(&digest, HASH, certificate, &AttributeOptions::default()).unwrap();
        let algorithm = self.signer.algorithm(HASH);
        let value = self.signer.sign_hash(algorithm, &attributes.hash_to_sign()).unwrap();
        let token = (self.level >= Level::T)
            .then(|| self.pki.timestamp(&HASH.digest(&value), HASH, self.at, None).unwrap());
        self.assemble(&attributes, &value, token.as_deref())
    }

    fn assemble(
        &self,
        attributes: &SignedAttributes,
        value: &[u8],
        token: Option<&[u8]>,
    ) -> Vec<u8> {
        assemble(&Assembly {
            attributes,
            algorithm: self.signer.algorithm(HASH),
            signature: value,
            signer: self.signer.certificate(),
            others: self.signer.intermediates(),
            timestamp: token,
            content: None,
        })
        .unwrap()
    }

    fn validation_data(&self, prepared: &Prepared, cms: &[u8]) -> DssContent {
        let mut contents = cms.to_vec();
        contents.resize(prepared.reserve(), 0);
        let answer =
            |certificate| self.pki.ocsp_response(certificate, &OcspOptions::at(self.at)).unwrap();
        let pki = self.pki;
        let certificates =
            [self.signer, pki.timestamping(), pki.responder(), pki.issuing(), pki.root()];
        let data = ValidationData {
            certificates: certificates.iter().map(|i| i.certificate().as_der().to_vec()).collect(),
            ocsp_responses: vec![
                answer(self.signer.certificate()),
                answer(pki.timestamping().certificate()),
                answer(pki.issuing().certificate()),
            ],
            crls: vec![pki.crl(self.at).unwrap(), pki.root_crl(self.at).unwrap()],
        };
        DssContent {
            general: ValidationData::default(),
            per_signature: vec![(VriKey::of_contents(&contents), data)],
        }
    }
}

/// The bytes of a signed document.
pub fn bytes(signed: &Appended) -> Vec<u8> {
    let mut out = Vec::new();
    signed.write_to(&mut out).unwrap();
    out
}

/// How many signatures and timestamps a document holds.
pub fn signature_count(bytes: &[u8]) -> usize {
    Document::from_bytes(bytes.to_vec()).unwrap().signatures().unwrap().len()
}
