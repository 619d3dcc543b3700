//! An identity provider for the login: keys, ID tokens, and a token endpoint.
#![allow(dead_code, missing_docs)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use signdoc_signature::crypto::{Algorithm, HashAlgorithm, KeyKind};
use signdoc_signature::pki::SigningKey;

use super::server::{DISCOVERY, KEYS, Reply, Seen, Server, TOKEN, discovery};

/// A key pair with its name.
#[derive(Clone)]
pub struct Key {
    pub kid: String,
    key: SigningKey,
}

impl Key {
    pub fn new(kind: KeyKind, kid: &str) -> Self {
        Self { kid: kid.to_owned(), key: SigningKey::derive(kind, kid).unwrap() }
    }

    pub fn ec(kid: &str) -> Self {
        Self::new(KeyKind::P256, kid)
    }

    pub fn jwk(&self) -> Value {
        let spki = self.key.spki();
        let bits = public_bits(&spki);
        let text = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
        match self.key.kind() {
            KeyKind::Rsa(_) => {
                let (n, e) = integers(bits);
                json!({"kty": "RSA", "use": "sig", "kid": self.kid, "n": text(&n), "e": text(&e)})
            }
            kind => {
                let (crv, half) = if kind == KeyKind::P256 { ("P-256", 32) } else { ("P-384", 48) };
                let (x, y) = bits[1..].split_at(half);
                json!({"kty": "EC", "use": "sig", "kid": self.kid, "crv": crv, "x": text(x),
                    "y": text(y)})
            }
        }
    }

    fn sign(&self, alg: &str, message: &[u8]) -> Vec<u8> {
        let hash = match &alg[2..] {
            "384" => HashAlgorithm::Sha384,
            "512" => HashAlgorithm::Sha512,
            _ => HashAlgorithm::Sha256,
        };
        let digest = hash.digest(message);
        let (algorithm, half) = match &alg[..2] {
            "RS" => (Algorithm::RsaPkcs1(hash), 0),
            "PS" => (Algorithm::RsaPss(hash), 0),
            _ if hash == HashAlgorithm::Sha256 => (Algorithm::EcdsaP256(hash), 32),
            _ => (Algorithm::EcdsaP384(hash), 48),
        };
        let value = self.key.sign_hash(algorithm, &digest).unwrap();
        if half == 0 {
            return value;
        }
        let (r, s) = integers(&value);
        let padded = |number: Vec<u8>| [vec![0; half - number.len()], number].concat();
        [padded(r), padded(s)].concat()
    }

    /// A token with this header's `alg` and `kid`, signed.
    pub fn token(&self, alg: &str, claims: &Value) -> String {
        let header = json!({"alg": alg, "kid": self.kid, "typ": "JWT"});
        self.token_with(&header, claims)
    }

    pub fn token_with(&self, header: &Value, claims: &Value) -> String {
        let signed = unsigned(header, claims);
        let alg = header["alg"].as_str().unwrap_or("ES256");
        let value = self.sign(alg, signed.as_bytes());
        format!("{signed}.{}", URL_SAFE_NO_PAD.encode(value))
    }
}

pub fn unsigned(header: &Value, claims: &Value) -> String {
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    format!("{}.{}", part(header), part(claims))
}

fn public_bits(spki: &[u8]) -> &[u8] {
    // SEQUENCE { SEQUENCE algorithm, BIT STRING }
    let (_, inner) = tlv(spki);
    let (algorithm, _) = tlv_whole(inner);
    let (_, bits) = tlv(&inner[algorithm..]);
    &bits[1..]
}

/// The two numbers of a SEQUENCE, without leading zeros.
fn integers(sequence: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let (_, inner) = tlv(sequence);
    let (first, one) = tlv_whole(inner);
    let (_, other) = tlv(&inner[first..]);
    let plain = |number: &[u8]| number[usize::from(number[0] == 0 && number.len() > 1)..].to_vec();
    (plain(one), plain(other))
}

fn tlv(der: &[u8]) -> (u8, &[u8]) {
    (der[0], tlv_whole(der).1)
}

/// Length of the whole value, and its content.
fn tlv_whole(der: &[u8]) -> (usize, &[u8]) {
    let (start, length) = match der[1] {
        short if short < 0x80 => (2, usize::from(short)),
        long => {
            let count = usize::from(long & 0x7F);
            let length = der[2..2 + count].iter().fold(0, |n, byte| n << 8 | usize::from(*byte));
            (2 + count, length)
        }
    };
    (start + length, &der[start..start + length])
}

pub fn now() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() as i64
}

/// Makes an ID token of the provider's keys and good claims.
pub type MakeToken = Box<dyn Fn(&[Key], &Value) -> String + Send>;

/// What the provider does, to be changed by a test while it runs.
pub struct Provider {
    pub keys: Vec<Key>,
    /// Makes the ID token of good claims.
    pub token: MakeToken,
    /// Answers the code exchange instead.
    pub reply: Option<Reply>,
    pub headers: Vec<(String, String)>,
    /// The nonces of the logins under way, by code.
    pub nonces: BTreeMap<String, String>,
    /// The address it says it has.
    pub issuer: String,
    /// Where its key set lies, when that is not with itself.
    pub key_set: Option<String>,
}

pub type Shared = Arc<Mutex<Provider>>;

/// Starts a provider whose only key signs good tokens.
pub fn start(key: Key) -> (Server, Shared) {
    let good = |keys: &[Key], claims: &Value| keys[0].token("ES256", claims);
    let provider = Arc::new(Mutex::new(Provider {
        keys: vec![key],
        token: Box::new(good),
        reply: None,
        headers: Vec::new(),
        nonces: BTreeMap::new(),
        issuer: String::new(),
        key_set: None,
    }));
    let shared = provider.clone();
    let server = Server::start(move |seen| answer(&mut shared.lock().unwrap(), seen));
    provider.lock().unwrap().issuer = server.url();
    (server, provider)
}

fn answer(provider: &mut Provider, seen: &Seen) -> Option<Reply> {
    if seen.is("GET", DISCOVERY) {
        let own = format!("{}{KEYS}", provider.issuer);
        let key_set = provider.key_set.as_ref().unwrap_or(&own);
        return Some(discovery(&provider.issuer, key_set));
    }
    if seen.is("GET", KEYS) {
        let keys: Vec<_> = provider.keys.iter().map(Key::jwk).collect();
        return Some(Reply::json(200, json!({"keys": keys})));
    }
    if !seen.is("POST", TOKEN) || seen.form()["grant_type"] != "authorization_code" {
        return None;
    }
    if let Some(reply) = provider.reply.clone() {
        return Some(reply);
    }
    // A code is good for one use (RFC 6749 section 4.1.2).
    let Some(nonce) = provider.nonces.remove(&seen.form()["code"]) else {
        return Some(Reply::json(400, json!({"error": "invalid_grant"})));
    };
    let token = (provider.token)(&provider.keys, &claims(&provider.issuer, &nonce));
    let body = json!({"access_token": "canary-at", "token_type": "Bearer", "id_token": token});
    let headers: Vec<_> =
        provider.headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    Some(Reply::new(200, "application/json", &headers, body.to_string().as_bytes()))
}

/// Claims as they should be.
pub fn claims(issuer: &str, nonce: &str) -> Value {
    json!({"iss": issuer, "aud": "shop", "azp": "shop", "sub": "person-canary", "nonce": nonce,
        "iat": now(), "exp": now() + 300, "typ": "ID", "name": "Kari Canary"})
}
