//! The algorithms of a credential by their object identifiers.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use signdoc_signature::asn1::writer;
use signdoc_signature::asn1::{Oid, oids};
use signdoc_signature::crypto::{Algorithm, HashAlgorithm, KeyKind};

use super::errors::CscError;
use crate::json::shown;

const RSA: &str = "1.2.840.113549.1.1.1";
const RSA_PSS: &str = "1.2.840.113549.1.1.10";
const EC: &str = "1.2.840.10045.2.1";

const HASHES: [(&str, HashAlgorithm); 3] = [
    ("2.16.840.1.101.3.4.2.1", HashAlgorithm::Sha256),
    ("2.16.840.1.101.3.4.2.2", HashAlgorithm::Sha384),
    ("2.16.840.1.101.3.4.2.3", HashAlgorithm::Sha512),
];
const RSA_WITH_HASH: [(&str, HashAlgorithm); 3] = [
    ("1.2.840.113549.1.1.11", HashAlgorithm::Sha256),
    ("1.2.840.113549.1.1.12", HashAlgorithm::Sha384),
    ("1.2.840.113549.1.1.13", HashAlgorithm::Sha512),
];
const ECDSA_WITH_HASH: [(&str, HashAlgorithm); 3] = [
    ("1.2.840.10045.4.3.2", HashAlgorithm::Sha256),
    ("1.2.840.10045.4.3.3", HashAlgorithm::Sha384),
    ("1.2.840.10045.4.3.4", HashAlgorithm::Sha512),
];

fn find(table: &[(&str, HashAlgorithm)], oid: &str) -> Option<HashAlgorithm> {
    table.iter().find(|(known, _)| *known == oid).map(|(_, hash)| *hash)
}

/// The hash function of an identifier.
pub(crate) fn hash(oid: &str) -> Result<HashAlgorithm, CscError> {
    find(&HASHES, oid).ok_or_else(|| {
        let reason = format!("hashAlgorithmOID {} is not known", shown(oid));
        CscError::new("invalid_hash_algorithm", reason)
    })
}

/// Whether an identifier, or the parameters it takes, names the hash function.
pub(crate) fn names_hash(sign_algo: &str) -> bool {
    let named = find(&RSA_WITH_HASH, sign_algo).or_else(|| find(&ECDSA_WITH_HASH, sign_algo));
    named.is_some() || sign_algo == RSA_PSS
}

/// Everything a key of this kind may be asked for.
pub(crate) fn of_key(key: KeyKind) -> Vec<&'static str> {
    let (plain, with_hash) = match key {
        KeyKind::Rsa(_) => (vec![RSA, RSA_PSS], RSA_WITH_HASH),
        _ => (vec![EC], ECDSA_WITH_HASH),
    };
    plain.into_iter().chain(with_hash.map(|(oid, _)| oid)).collect()
}

/// The algorithm of a request. `hash` is that of the authorization.
pub(crate) fn signature(
    key: KeyKind,
    sign_algo: &str,
    params: Option<&str>,
    hash: HashAlgorithm,
) -> Result<Algorithm, CscError> {
    let refuse = |reason: String| CscError::new("invalid_signature_format", reason);
    let named = find(&RSA_WITH_HASH, sign_algo).or_else(|| find(&ECDSA_WITH_HASH, sign_algo));
    if !of_key(key).contains(&sign_algo) {
        return Err(refuse(format!("signAlgo {} is none of the key's", shown(sign_algo))));
    }
    if named.is_some_and(|named| named != hash) {
        return Err(refuse("signAlgo names another hash function than was authorized".to_owned()));
    }
    match (key, sign_algo, params) {
        (KeyKind::Rsa(_), RSA_PSS, Some(params)) => pss(params, hash).map_err(refuse),
        (KeyKind::Rsa(_), RSA_PSS, None) => Err(refuse("signAlgoParams is missing".to_owned())),
        (_, _, Some(_)) => Err(refuse("signAlgoParams is for RSASSA-PSS only".to_owned())),
        (KeyKind::Rsa(_), _, None) => Ok(Algorithm::RsaPkcs1(hash)),
        (KeyKind::P256, _, None) => Ok(Algorithm::EcdsaP256(hash)),
        (KeyKind::P384, _, None) => Ok(Algorithm::EcdsaP384(hash)),
        (KeyKind::Ec(_) | KeyKind::Ed25519, _, None) => {
            Err(refuse(format!("keys of kind {key} do not sign here")))
        }
    }
}

/// RSASSA-PSS-params (RFC 4055): MGF1 with the same hash, a salt as long as the hash.
fn pss(params: &str, hash: HashAlgorithm) -> Result<Algorithm, String> {
    const PSS: Oid = oids::RSA_PSS;
    let params =
        STANDARD.decode(params).map_err(|error| format!("signAlgoParams is no base64: {error}"))?;
    let algorithm = Algorithm::RsaPss(hash);
    if writer::sequence(&[&writer::oid(&PSS), &params]) == algorithm.to_der() {
        Ok(algorithm)
    } else {
        Err("signAlgoParams must be MGF1 and a salt as long as the hash, with the hash of the \
             authorization"
            .to_owned())
    }
}
