//! PAdES results: the merchant's and the end user's signature, each with a timestamp, then a
//! document security store (ETSI EN 319 142-1, level B-LT).

use std::sync::Arc;

use bytes::Bytes;
use signdoc_signature::asn1::Time;
use signdoc_signature::cms::{Assembly, AttributeOptions, assemble, signed_attributes};
use signdoc_signature::crypto::HashAlgorithm;
use signdoc_signature::pdf::SharedSource;
use signdoc_signature::pki::{Identity, OcspOptions, Pki};
use signdoc_signature::sign::{
    DssContent, PrepareOptions, Prepared, ValidationData, VriKey, add_dss, prepare,
};

use super::order::Signed;
use super::request::Document;
use super::seals;
use crate::requests::sha256;

const HASH: HashAlgorithm = HashAlgorithm::Sha256;

/// A document that is being signed.
#[derive(Debug, Clone)]
pub(crate) struct Progress {
    bytes: Bytes,
    /// Each signature so far, with the certificate it was made with.
    made: Vec<(VriKey, Identity)>,
}

/// Who signs a document now, and how it shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Merchant,
    EndUser,
}

/// What all documents of an order have in common.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Signing<'a> {
    pub(crate) pki: &'a Pki,
    pub(crate) signer: &'a Identity,
    pub(crate) role: Role,
    pub(crate) order_name: &'a str,
    pub(crate) visual_seals: bool,
    pub(crate) at: Time,
}

impl Progress {
    /// Nothing is signed yet.
    pub(crate) fn new(document: &Document) -> Self {
        Self { bytes: document.content.bytes.clone(), made: Vec::new() }
    }

    /// The document with one more signature.
    pub(crate) fn signed(&self, document: &Document, by: Signing<'_>) -> Result<Self, String> {
        let source: SharedSource = Arc::new(self.bytes.clone());
        let options = options(&source, document, by)?;
        let prepared = prepare(source, &options).map_err(|error| error.to_string())?;
        let cms = cms(&prepared, by)?;
        let mut contents = cms.clone();
        contents.resize(prepared.reserve(), 0);
        let mut bytes = Vec::new();
        prepared.embed(&cms, &mut bytes).map_err(|error| error.to_string())?;
        let mut made = self.made.clone();
        made.push((VriKey::of_contents(&contents), by.signer.clone()));
        Ok(Self { bytes: bytes.into(), made })
    }

    /// The finished document, with what validates its signatures.
    pub(crate) fn finished(
        &self,
        document: &Document,
        pki: &Pki,
        at: Time,
    ) -> Result<Signed, String> {
        let mut content = DssContent::default();
        for (key, signer) in &self.made {
            content.per_signature.push((*key, validation_data(pki, signer, at)?));
        }
        let source: SharedSource = Arc::new(self.bytes.clone());
        let appended = add_dss(source, &content).map_err(|error| error.to_string())?;
        let mut bytes = Vec::new();
        appended.write_to(&mut bytes).map_err(|error| error.to_string())?;
        let bytes = Bytes::from(bytes);
        let unsigned = &document.content.bytes;
        Ok(Signed {
            unsigned_sha256: sha256(unsigned),
            appendix: bytes.slice(unsigned.len().min(bytes.len())..),
            document: bytes,
            ..Signed::default()
        })
    }
}

/// Whether a document can be signed at all, and its seals have a place; the error says why not.
pub(crate) fn check(document: &Document, visual_seals: bool) -> Result<(), String> {
    let source: SharedSource = Arc::new(document.content.bytes.clone());
    let positions = [document.merchant_seal, document.end_user_seal];
    for position in positions.into_iter().flatten().filter(|_| visual_seals) {
        seals::asked(&source, position)?;
    }
    let prepared = prepare(source, &PrepareOptions::default());
    prepared.map(drop).map_err(|error| error.to_string())
}

fn options(
    source: &SharedSource,
    document: &Document,
    by: Signing<'_>,
) -> Result<PrepareOptions, String> {
    let subject = by.signer.certificate().subject();
    let name = subject.common_name().unwrap_or_default().to_owned();
    let (position, next) = match by.role {
        Role::Merchant => (document.merchant_seal, document.end_user_seal),
        Role::EndUser => (document.end_user_seal, None),
    };
    let seal = match (by.visual_seals, position) {
        (false, _) => None,
        (true, Some(position)) => Some(seals::asked(source, position)?),
        (true, None) => Some(seals::automatic(source, next, by.role == Role::EndUser)?),
    };
    Ok(PrepareOptions {
        reason: Some(by.order_name.to_owned()),
        name: Some(name),
        time: Some(by.at),
        seal,
        ..PrepareOptions::default()
    })
}

fn cms(prepared: &Prepared, by: Signing<'_>) -> Result<Vec<u8>, String> {
    let text = |error: &dyn std::fmt::Display| error.to_string();
    let digest = prepared.digest(HASH).map_err(|error| text(&error))?;
    let certificate = by.signer.certificate();
    let attributes = signed_attributes(&digest, HASH, certificate, &AttributeOptions::default())
        .map_err(|error| text(&error))?;
    let algorithm = by.signer.algorithm(HASH);
    let value =
        by.signer.sign_hash(algorithm, &attributes.hash_to_sign()).map_err(|error| text(&error))?;
    let token =
        by.pki.timestamp(&HASH.digest(&value), HASH, by.at, None).map_err(|error| text(&error))?;
    assemble(&Assembly {
        attributes: &attributes,
        algorithm,
        signature: &value,
        signer: certificate,
        others: by.signer.intermediates(),
        timestamp: Some(&token),
        content: None,
    })
    .map_err(|error| text(&error))
}

fn validation_data(pki: &Pki, signer: &Identity, at: Time) -> Result<ValidationData, String> {
    let answer = |identity: &Identity| {
        pki.ocsp_response(identity.certificate(), &OcspOptions::at(at)).map_err(|e| e.to_string())
    };
    let chain = [signer, pki.timestamping(), pki.responder(), pki.issuing(), pki.root()];
    Ok(ValidationData {
        certificates: chain.iter().map(|one| one.certificate().as_der().to_vec()).collect(),
        ocsp_responses: vec![answer(signer)?, answer(pki.timestamping())?, answer(pki.issuing())?],
        crls: vec![
            pki.crl(at).map_err(|error| error.to_string())?,
            pki.root_crl(at).map_err(|error| error.to_string())?,
        ],
    })
}
