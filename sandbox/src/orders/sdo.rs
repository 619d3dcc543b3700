//! SEID-SDO results: one signed data object per document, with the CMS of both signers in it.

use bytes::Bytes;
use signdoc_signature::asn1::Time;
use signdoc_signature::pki::{Identity, Pki, SdoRequest};
use signdoc_signature::sdo::Sdo;

use super::order::Signed;
use super::request::Document;
use crate::requests::sha256;

/// Who takes part in an order.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Signers<'a> {
    pub(crate) pki: &'a Pki,
    pub(crate) merchant: &'a Identity,
    pub(crate) end_user: &'a Identity,
    pub(crate) seal: &'a Identity,
    pub(crate) at: Time,
}

/// Signs one document.
pub(crate) fn sign(document: &Document, by: Signers<'_>) -> Result<Signed, String> {
    let bytes = &document.content.bytes;
    let digest = sha256(bytes);
    let request = SdoRequest {
        kind: &document.content.kind,
        digest: &digest,
        document: Some(bytes),
        signers: &[by.end_user, by.merchant],
        seal: by.seal,
        at: by.at,
        description: &document.description,
    };
    let text = by.pki.sdo(&request).map_err(|error| error.to_string())?;
    let read = Sdo::parse(text.as_bytes()).map_err(|error| error.to_string())?;
    let cms = |index: usize| {
        let signature = read.signatures().get(index);
        signature.map(|one| Bytes::from(one.cms.clone())).ok_or("a signature is missing")
    };
    let (end_user_cms, merchant_cms) = (cms(0)?, cms(1)?);
    Ok(Signed {
        unsigned_sha256: digest,
        document: Bytes::from(text),
        appendix: Bytes::new(),
        merchant_cms,
        end_user_cms,
    })
}
