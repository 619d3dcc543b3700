//! Signed data objects signed by the throw-away infrastructure.

use super::PkiError;
use super::authority::{Identity, Pki};
use super::revocation::OcspOptions;
use crate::asn1::Time;
use crate::cms::{Assembly, AttributeOptions, assemble, signed_attributes};
use crate::crypto::HashAlgorithm;
use crate::sdo::{DocumentKind, SdoData, SignatureEntry};

/// The hash function of the format.
const HASH: HashAlgorithm = HashAlgorithm::Sha256;

/// What to put into a signed data object.
#[derive(Clone, Copy, Debug)]
pub struct SdoRequest<'a> {
    /// What kind of document it is.
    pub kind: &'a DocumentKind,
    /// SHA-256 of the document.
    pub digest: &'a [u8],
    /// The document; without it only the digest is written.
    pub document: Option<&'a [u8]>,
    /// Who signs, in the order of the file.
    pub signers: &'a [&'a Identity],
    /// Who seals.
    pub seal: &'a Identity,
    /// The claimed signing time, which is also that of the revocation answers.
    pub at: Time,
    /// The description for the metadata.
    pub description: &'a str,
}

impl Pki {
    /// A detached CMS in the form of the format, over a SHA-256 digest.
    ///
    /// # Errors
    /// When the digest is no SHA-256 digest, or signing fails.
    pub fn sdo_signature(
        &self,
        signer: &Identity,
        digest: &[u8],
        at: Time,
    ) -> Result<Vec<u8>, PkiError> {
        let certificate = signer.certificate();
        let options = AttributeOptions::sdo(at);
        let attributes = signed_attributes(digest, HASH, certificate, &options)?;
        let algorithm = signer.algorithm(HASH);
        let signature = signer.sign_hash(algorithm, &attributes.hash_to_sign())?;
        Ok(assemble(&Assembly {
            attributes: &attributes,
            algorithm,
            signature: &signature,
            signer: certificate,
            others: signer.intermediates(),
            timestamp: None,
            content: None,
        })?)
    }

    /// A whole signed data object: each signature with its revocation answer, then the seal.
    ///
    /// # Errors
    /// When the digest is no SHA-256 digest, or signing fails.
    pub fn sdo(&self, request: &SdoRequest<'_>) -> Result<String, PkiError> {
        let answers = OcspOptions::at(request.at);
        let mut signed = Vec::new();
        for signer in request.signers {
            signed.push((
                self.sdo_signature(signer, request.digest, request.at)?,
                self.ocsp(signer.certificate(), &answers)?,
            ));
        }
        let entries: Vec<_> = signed
            .iter()
            .map(|(cms, ocsp)| SignatureEntry { digest: request.digest, cms, ocsp: Some(ocsp) })
            .collect();
        let data = SdoData::new(request.kind, &entries);
        let digest = HASH.digest(data.as_bytes());
        let cms = self.sdo_signature(request.seal, &digest, request.at)?;
        let ocsp = self.ocsp(request.seal.certificate(), &answers)?;
        let seal = SignatureEntry { digest: &digest, cms: &cms, ocsp: Some(&ocsp) };
        let metadata = [("MerchantDesc", request.description)];
        Ok(data.finish(&seal, &metadata, request.document))
    }
}
