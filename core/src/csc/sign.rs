//! The local check of what the service signed.

use signdoc_signature::cms::ecdsa_to_der;
use signdoc_signature::crypto::Algorithm;

use super::model::Credential;
use crate::error::{Code, Error, Result};

/// Checks that there is one signature for each hash, made by the credential's key.
pub(super) fn check_signatures(
    credential: &Credential,
    algorithm: Algorithm,
    hashes: &[Vec<u8>],
    signatures: &[Vec<u8>],
) -> Result<()> {
    if hashes.len() != signatures.len() {
        return Err(Error::new(
            Code::CscHashMismatch,
            format!("{} hashes were sent, but {} signatures came", hashes.len(), signatures.len()),
        )
        .with_detail("limit", hashes.len())
        .with_detail("actual", signatures.len()));
    }
    let certificates = credential.certificates()?;
    let key = certificates.signer.public_key().map_err(|error| {
        Error::new(Code::CscInvalidSignatureFormat, format!("the certificate's {error}"))
    })?;
    for (index, (hash, signature)) in hashes.iter().zip(signatures).enumerate() {
        let signature = match algorithm {
            Algorithm::EcdsaP256(_) => ecdsa_to_der(signature, 32),
            Algorithm::EcdsaP384(_) => ecdsa_to_der(signature, 48),
            _ => signature.clone(),
        };
        if key.verify(algorithm, hash, &signature).is_err() {
            return Err(Error::new(
                Code::CscSignatureMismatch,
                format!(
                    "signatures[{index}] does not fit hashes[{index}] and the certificate of credential {} as {algorithm}; it is not used",
                    credential.credential_id
                ),
            )
            .with_detail("index", index));
        }
    }
    Ok(())
}
