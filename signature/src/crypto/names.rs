//! Names of algorithms that are met in the field, for a person to read.

use crate::asn1::{Oid, oids};

/// What this library cannot check, with its usual name.
const FOREIGN: &[(Oid, &str)] = &[
    (Oid::new(&[1, 3, 101, 113]), "ed448"),
    (Oid::new(&[1, 2, 840, 10040, 4, 1]), "dsa"),
    (Oid::new(&[1, 2, 840, 10040, 4, 3]), "dsa-with-sha1"),
    (Oid::new(&[2, 16, 840, 1, 101, 3, 4, 3, 1]), "dsa-with-sha224"),
    (Oid::new(&[2, 16, 840, 1, 101, 3, 4, 3, 2]), "dsa-with-sha256"),
    (Oid::new(&[2, 16, 840, 1, 101, 3, 4, 2, 7]), "sha3-224"),
    (Oid::new(&[2, 16, 840, 1, 101, 3, 4, 3, 9]), "ecdsa-with-sha3-224"),
    (Oid::new(&[2, 16, 840, 1, 101, 3, 4, 3, 13]), "rsa-with-sha3-224"),
    (Oid::new(&[2, 16, 840, 1, 101, 3, 4, 2, 11]), "shake128"),
    (Oid::new(&[2, 16, 840, 1, 101, 3, 4, 2, 12]), "shake256"),
    (Oid::new(&[1, 3, 36, 3, 2, 1]), "ripemd160"),
    (Oid::new(&[1, 3, 132, 0, 10]), "secp256k1"),
    (Oid::new(&[1, 3, 36, 3, 3, 2, 8, 1, 1, 13]), "brainpoolP512r1"),
];

/// The usual name, or the identifier where there is none here.
pub(super) fn name_of(oid: Oid) -> String {
    match oid {
        oids::RSA => "rsaEncryption".into(),
        oids::RSA_PSS => "rsassa-pss".into(),
        oids::RSA_SHA1 => "sha1WithRSAEncryption".into(),
        oids::RSA_SHA256 => "sha256WithRSAEncryption".into(),
        oids::RSA_SHA384 => "sha384WithRSAEncryption".into(),
        oids::RSA_SHA512 => "sha512WithRSAEncryption".into(),
        oids::ECDSA_SHA1 => "ecdsa-with-SHA1".into(),
        oids::ECDSA_SHA256 => "ecdsa-with-SHA256".into(),
        oids::ECDSA_SHA384 => "ecdsa-with-SHA384".into(),
        oids::ECDSA_SHA512 => "ecdsa-with-SHA512".into(),
        oids::RSA_SHA3_256 => "rsa-with-sha3-256".into(),
        oids::RSA_SHA3_384 => "rsa-with-sha3-384".into(),
        oids::RSA_SHA3_512 => "rsa-with-sha3-512".into(),
        oids::ECDSA_SHA3_256 => "ecdsa-with-sha3-256".into(),
        oids::ECDSA_SHA3_384 => "ecdsa-with-sha3-384".into(),
        oids::ECDSA_SHA3_512 => "ecdsa-with-sha3-512".into(),
        oids::ED25519 => "ed25519".into(),
        oids::EC_PUBLIC_KEY => "id-ecPublicKey".into(),
        other => match FOREIGN.iter().find(|(oid, _)| *oid == other) {
            Some((_, name)) => (*name).to_owned(),
            None => other.to_string(),
        },
    }
}
