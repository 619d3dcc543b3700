//! Timestamps (RFC 3161).

use std::sync::atomic::Ordering;

use super::PkiError;
use super::authority::Pki;
use crate::asn1::{Oid, Time, oids, writer};
use crate::cms::{Assembly, AttributeOptions, assemble, signed_attributes};
use crate::crypto::HashAlgorithm;
use crate::tsp::{TimestampRequest, wrap_token};

/// A policy under the arc for examples (ITU-T X.660), so that nobody takes it for a real one.
const POLICY: Oid = Oid::new(&[2, 999, 3161, 1]);

impl Pki {
    /// A timestamp token over a digest, in DER. `nonce` is the content of the INTEGER to repeat.
    ///
    /// # Errors
    /// When the digest does not have the length of `hash`.
    pub fn timestamp(
        &self,
        imprint: &[u8],
        hash: HashAlgorithm,
        at: Time,
        nonce: Option<&[u8]>,
    ) -> Result<Vec<u8>, PkiError> {
        if imprint.len() != hash.output_len() {
            let (found, wanted) = (imprint.len(), hash.output_len());
            return Err(PkiError::new(format!("imprint has {found} bytes, {hash} gives {wanted}")));
        }
        let serial = self.counter.fetch_add(1, Ordering::Relaxed);
        let identifier = writer::sequence(&[&writer::oid(&hash.oid()), &writer::null()]);
        let nonce = nonce.map(|n| writer::tlv(crate::asn1::INTEGER, n)).unwrap_or_default();
        let info = writer::sequence(&[
            &writer::integer(1),
            &writer::oid(&POLICY),
            &writer::sequence(&[&identifier, &writer::octets(imprint)]),
            &writer::integer(serial),
            &writer::generalized_time(at),
            &writer::sequence(&[&writer::integer(1)]),
            &nonce,
        ]);
        let signer = &self.timestamping_at(at)?;
        let options = AttributeOptions {
            content_type: oids::TST_INFO,
            signing_time: Some(at),
            ..AttributeOptions::default()
        };
        let digest = HashAlgorithm::Sha256.digest(&info);
        let certificate = signer.certificate();
        let attributes = signed_attributes(&digest, HashAlgorithm::Sha256, certificate, &options)?;
        let algorithm = signer.algorithm(HashAlgorithm::Sha256);
        let signature = signer.sign_hash(algorithm, &attributes.hash_to_sign())?;
        Ok(assemble(&Assembly {
            attributes: &attributes,
            algorithm,
            signature: &signature,
            signer: certificate,
            others: signer.intermediates(),
            timestamp: None,
            content: Some(&info),
        })?)
    }

    /// Answers a TimeStampReq with a TimeStampResp, both in DER. The certificates are always put
    /// in, whether asked for or not.
    ///
    /// # Errors
    /// When the request is broken or asks for a hash function that is not accepted.
    pub fn timestamp_response(&self, request: &[u8], at: Time) -> Result<Vec<u8>, PkiError> {
        let request = TimestampRequest::parse(request)?;
        let hash = request.hash.clone()?;
        let token = self.timestamp(&request.imprint, hash, at, request.nonce.as_deref())?;
        Ok(wrap_token(&token))
    }
}
