//! The provider's signing keys: EC P-256 for ES256 (RFC 7518 section 3.4), made when first asked
//! for, replaceable at any time.

use std::sync::Mutex;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use p256::SecretKey;
use p256::elliptic_curve::sec1::ToSec1Point;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::random::Random;
use crate::sync::lock;

/// One signing key.
#[derive(Debug, Clone)]
pub(crate) struct SigningKey {
    jwk: Value,
    kid: String,
}

impl SigningKey {
    fn generate(random: &Random) -> Self {
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
        // the thumbprint of RFC 7638: required members in lexical order, no white space
        let canonical = format!(r#"{{"crv":"P-256","kty":"EC","x":"{x}","y":"{y}"}}"#);
        let kid = URL_SAFE_NO_PAD.encode(Sha256::digest(canonical.as_bytes()));
        let jwk = json!({
            "kty": "EC", "crv": "P-256", "use": "sig", "alg": "ES256", "kid": kid, "x": x, "y": y,
        });
        Self { jwk, kid }
    }
}

/// The keys of one sandbox, the current one first.
#[derive(Debug, Default)]
pub(crate) struct Keys(Mutex<Vec<SigningKey>>);

impl Keys {
    /// The key set (RFC 7517 section 5).
    pub(crate) fn jwks(&self, random: &Random) -> Value {
        let mut keys = lock(&self.0);
        if keys.is_empty() {
            keys.push(SigningKey::generate(random));
        }
        let list: Vec<&Value> = keys.iter().map(|key| &key.jwk).collect();
        json!({ "keys": list })
    }

    /// Starts using a new key; returns its `kid`. Earlier ones stay in the set when `keep` says so.
    pub(crate) fn rotate(&self, random: &Random, keep: bool) -> String {
        let key = SigningKey::generate(random);
        let kid = key.kid.clone();
        let mut keys = lock(&self.0);
        if !keep {
            keys.clear();
        }
        keys.insert(0, key);
        kid
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_made_once_and_rotate() {
        let random = Random::seeded(3);
        let keys = Keys::default();
        let first = keys.jwks(&random);
        assert_eq!(first, keys.jwks(&random));
        assert_eq!(first["keys"][0]["x"].as_str().unwrap().len(), 43);
        let kid = keys.rotate(&random, true);
        let second = keys.jwks(&random);
        assert_eq!(second["keys"].as_array().unwrap().len(), 2);
        assert_eq!(second["keys"][0]["kid"], kid);
        assert_eq!(second["keys"][1], first["keys"][0]);
        keys.rotate(&random, false);
        assert_eq!(keys.jwks(&random)["keys"].as_array().unwrap().len(), 1);
    }
}
