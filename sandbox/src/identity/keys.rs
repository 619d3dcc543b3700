//! The provider's signing keys: EC P-256 for ES256 and RSA for RS256 (RFC 7518 sections 3.3 and
//! 3.4), made when first asked for, replaceable at any time.

use std::fmt;
use std::sync::{Arc, Mutex};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use p256::SecretKey;
use p256::ecdsa::signature::Signer;
use p256::elliptic_curve::sec1::ToSec1Point;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use signdoc_signature::crypto::{Algorithm, HashAlgorithm, KeyKind};
use signdoc_signature::pki;

use super::client_keys;
use crate::random::Random;
use crate::sync::lock;
use crate::variants::IdTokenAlg;

/// Bits of an RSA key.
const RSA_BITS: usize = 2048;

enum Secret {
    P256(p256::ecdsa::SigningKey),
    Rsa(pki::SigningKey),
}

/// One signing key.
pub(crate) struct SigningKey {
    jwk: Value,
    kid: String,
    secret: Secret,
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningKey").field("kid", &self.kid).finish_non_exhaustive()
    }
}

impl SigningKey {
    fn generate(alg: IdTokenAlg, random: &Random) -> Result<Self, String> {
        match alg {
            IdTokenAlg::Es256 => Ok(Self::generate_p256(random)),
            IdTokenAlg::Rs256 => Self::generate_rsa(random),
        }
    }

    fn generate_p256(random: &Random) -> Self {
        // all but 2^-32 of the 32-byte values are keys of the curve
        let secret = loop {
            if let Ok(secret) = SecretKey::from_slice(&random.block()) {
                break secret;
            }
        };
        let point = secret.public_key().to_sec1_point(false);
        let encoded = |part: Option<&[u8]>| URL_SAFE_NO_PAD.encode(part.unwrap_or_default());
        let bytes = point.as_bytes();
        let (x, y) = (encoded(bytes.get(1..33)), encoded(bytes.get(33..65)));
        let kid = thumbprint(&format!(r#"{{"crv":"P-256","kty":"EC","x":"{x}","y":"{y}"}}"#));
        let jwk = json!({
            "kty": "EC", "crv": "P-256", "use": "sig", "alg": "ES256", "kid": kid, "x": x, "y": y,
        });
        Self { jwk, kid, secret: Secret::P256(secret.into()) }
    }

    fn generate_rsa(random: &Random) -> Result<Self, String> {
        let secret = pki::SigningKey::derive(KeyKind::Rsa(RSA_BITS), &random.token())
            .map_err(|error| error.to_string())?;
        let (n, e) = client_keys::rsa_numbers(&secret.spki())
            .ok_or_else(|| "the new RSA key cannot be read".to_owned())?;
        let (n, e) = (URL_SAFE_NO_PAD.encode(n), URL_SAFE_NO_PAD.encode(e));
        let kid = thumbprint(&format!(r#"{{"e":"{e}","kty":"RSA","n":"{n}"}}"#));
        let jwk = json!({
            "kty": "RSA", "use": "sig", "alg": "RS256", "kid": kid, "n": n, "e": e,
        });
        Ok(Self { jwk, kid, secret: Secret::Rsa(secret) })
    }

    pub(crate) fn alg(&self) -> IdTokenAlg {
        match self.secret {
            Secret::P256(_) => IdTokenAlg::Es256,
            Secret::Rsa(_) => IdTokenAlg::Rs256,
        }
    }

    pub(crate) fn kid(&self) -> &str {
        &self.kid
    }

    /// The public key as it stands in the key set.
    pub(crate) fn jwk(&self) -> &Value {
        &self.jwk
    }

    /// The signature of a JWS over `message`.
    pub(crate) fn sign(&self, message: &[u8]) -> Result<Vec<u8>, String> {
        match &self.secret {
            Secret::P256(key) => {
                let signature: p256::ecdsa::Signature =
                    key.try_sign(message).map_err(|error| error.to_string())?;
                Ok(signature.to_bytes().to_vec())
            }
            Secret::Rsa(key) => {
                let hash = HashAlgorithm::Sha256;
                key.sign_hash(Algorithm::RsaPkcs1(hash), &hash.digest(message))
                    .map_err(|error| error.to_string())
            }
        }
    }
}

/// The thumbprint of RFC 7638; `canonical` has the required members in lexical order.
fn thumbprint(canonical: &str) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(canonical.as_bytes()))
}

/// The keys of one sandbox, the latest one first.
#[derive(Debug, Default)]
pub(crate) struct Keys(Mutex<Vec<Arc<SigningKey>>>);

impl Keys {
    /// The key set (RFC 7517 section 5), with a key for `alg` in it. Keys have no name unless
    /// `named`.
    pub(crate) fn jwks(
        &self,
        alg: IdTokenAlg,
        named: bool,
        random: &Random,
    ) -> Result<Value, String> {
        self.current(alg, random)?;
        let mut list: Vec<Value> = lock(&self.0).iter().map(|key| key.jwk.clone()).collect();
        if !named {
            list.iter_mut().filter_map(Value::as_object_mut).for_each(|key| {
                key.remove("kid");
            });
        }
        Ok(json!({ "keys": list }))
    }

    /// The key that signs with `alg`.
    pub(crate) fn current(
        &self,
        alg: IdTokenAlg,
        random: &Random,
    ) -> Result<Arc<SigningKey>, String> {
        let mut keys = lock(&self.0);
        if let Some(key) = keys.iter().find(|key| key.alg() == alg) {
            return Ok(Arc::clone(key));
        }
        let key = Arc::new(SigningKey::generate(alg, random)?);
        keys.insert(0, Arc::clone(&key));
        Ok(key)
    }

    /// Starts using a new key; returns its `kid`. Earlier ones stay in the set when `keep` says so.
    pub(crate) fn rotate(
        &self,
        alg: IdTokenAlg,
        random: &Random,
        keep: bool,
    ) -> Result<String, String> {
        let key = Arc::new(SigningKey::generate(alg, random)?);
        let kid = key.kid.clone();
        let mut keys = lock(&self.0);
        if !keep {
            keys.clear();
        }
        keys.insert(0, key);
        Ok(kid)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_made_once_and_rotate() {
        let random = Random::seeded(3);
        let keys = Keys::default();
        let es = IdTokenAlg::Es256;
        let first = keys.jwks(es, true, &random).unwrap();
        assert_eq!(first, keys.jwks(es, true, &random).unwrap());
        assert_eq!(first["keys"][0]["x"].as_str().unwrap().len(), 43);
        let kid = keys.rotate(es, &random, true).unwrap();
        let second = keys.jwks(es, true, &random).unwrap();
        assert_eq!(second["keys"].as_array().unwrap().len(), 2);
        assert_eq!(second["keys"][0]["kid"], kid);
        assert_eq!(second["keys"][1], first["keys"][0]);
        keys.rotate(es, &random, false).unwrap();
        assert_eq!(keys.jwks(es, true, &random).unwrap()["keys"].as_array().unwrap().len(), 1);
    }

    #[test]
    fn each_kind_verifies_as_its_own_public_key_says() {
        let random = Random::seeded(4);
        for alg in [IdTokenAlg::Es256, IdTokenAlg::Rs256] {
            let key = Keys::default().current(alg, &random).unwrap();
            let public = client_keys::ClientKey::from_jwks(key.jwk()).unwrap();
            let signature = key.sign(b"message").unwrap();
            assert!(public[0].verifies(b"message", &signature), "{alg:?}");
            assert!(!public[0].verifies(b"other", &signature), "{alg:?}");
        }
    }
}
