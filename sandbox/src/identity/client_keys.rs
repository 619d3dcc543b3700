//! Public keys of clients (RFC 7517, RFC 7518 section 6; PEM of RFC 7468), and what they verify.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents, UnparsedPublicKey,
};
use rustls_pki_types::SubjectPublicKeyInfoDer;
use rustls_pki_types::pem::PemObject;
use serde_json::Value;
use signdoc_signature::asn1::{Reader, oids};

use crate::json::shown;

#[derive(Debug, Clone)]
enum Material {
    /// Modulus and exponent.
    Rsa(Vec<u8>, Vec<u8>),
    /// The uncompressed point.
    P256(Vec<u8>),
}

/// One public key of a client.
#[derive(Debug, Clone)]
pub(crate) struct ClientKey {
    kid: Option<String>,
    material: Material,
}

impl ClientKey {
    /// Keys from a JWK set, a single JWK, or PEM.
    pub(crate) fn parse(text: &str) -> Result<Vec<Self>, String> {
        if text.trim_start().starts_with('{') {
            let json = serde_json::from_str(text)
                .map_err(|error| format!("the key set is no JSON: {error}"))?;
            Self::from_jwks(&json)
        } else {
            Ok(vec![Self::from_pem(text)?])
        }
    }

    /// Keys from a JWK set (RFC 7517 section 5) or a single JWK.
    pub(crate) fn from_jwks(json: &Value) -> Result<Vec<Self>, String> {
        let keys = match json.get("keys") {
            Some(Value::Array(keys)) => {
                keys.iter().map(Self::from_jwk).collect::<Result<_, _>>()?
            }
            Some(_) => return Err("keys of the key set is no list".to_owned()),
            None => vec![Self::from_jwk(json)?],
        };
        if keys.is_empty() { Err("the key set is empty".to_owned()) } else { Ok(keys) }
    }

    fn from_jwk(jwk: &Value) -> Result<Self, String> {
        if jwk.get("d").is_some() {
            return Err("this is a private key; register the public one only".to_owned());
        }
        let text = |name: &str| jwk.get(name).and_then(Value::as_str);
        let bytes = |name: &str| {
            text(name)
                .and_then(|value| URL_SAFE_NO_PAD.decode(value).ok())
                .ok_or_else(|| format!("{name} of the JWK is missing or no base64url"))
        };
        let material = match (text("kty"), text("crv")) {
            (Some("RSA"), _) => Material::Rsa(bytes("n")?, bytes("e")?),
            (Some("EC"), Some("P-256")) => {
                Material::P256([vec![4], bytes("x")?, bytes("y")?].concat())
            }
            (kty, crv) => {
                return Err(format!(
                    "the JWK is of kind {} and curve {}; RSA and EC with P-256 are known",
                    shown(kty.unwrap_or("(none)")),
                    shown(crv.unwrap_or("(none)"))
                ));
            }
        };
        Self::checked(text("kid").map(str::to_owned), material)
    }

    /// A key from `-----BEGIN PUBLIC KEY-----` (SubjectPublicKeyInfo, RFC 5280 section 4.1.2.7).
    pub(crate) fn from_pem(pem: &str) -> Result<Self, String> {
        let der = SubjectPublicKeyInfoDer::from_pem_slice(pem.as_bytes())
            .map_err(|_| "there is no PEM block PUBLIC KEY".to_owned())?;
        let material = read_spki(&der).ok_or_else(|| {
            "the public key is neither RSA nor on the curve P-256, or malformed".to_owned()
        })?;
        Self::checked(None, material)
    }

    fn checked(kid: Option<String>, material: Material) -> Result<Self, String> {
        match &material {
            Material::Rsa(modulus, _) if modulus.len() < 256 => {
                Err("the RSA key is shorter than 2048 bits".to_owned())
            }
            Material::P256(point) if point.len() != 65 => {
                Err("the P-256 key has not two coordinates of 32 bytes".to_owned())
            }
            _ => Ok(Self { kid, material }),
        }
    }

    /// Whether an assertion with this `kid` may be signed by this key.
    pub(crate) fn may_be(&self, kid: Option<&str>) -> bool {
        match (kid, self.kid.as_deref()) {
            (Some(wanted), Some(own)) => wanted == own,
            _ => true,
        }
    }

    /// The only algorithm it verifies (RFC 7518 section 3.1).
    pub(crate) fn algorithm(&self) -> &'static str {
        match self.material {
            Material::Rsa(..) => "RS256",
            Material::P256(_) => "ES256",
        }
    }

    /// Whether `signature` over `message` is by this key.
    pub(crate) fn verifies(&self, message: &[u8], signature: &[u8]) -> bool {
        match &self.material {
            Material::Rsa(n, e) => RsaPublicKeyComponents { n, e }
                .verify(&RSA_PKCS1_2048_8192_SHA256, message, signature)
                .is_ok(),
            Material::P256(point) => UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point)
                .verify(message, signature)
                .is_ok(),
        }
    }
}

/// Modulus and exponent of an RSA key as SubjectPublicKeyInfo.
pub(crate) fn rsa_numbers(der: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
    match read_spki(der)? {
        Material::Rsa(n, e) => Some((n, e)),
        Material::P256(_) => None,
    }
}

fn read_spki(der: &[u8]) -> Option<Material> {
    let mut outer = Reader::new(der).sequence("public key").ok()?;
    let mut algorithm = outer.sequence("algorithm").ok()?;
    let kind = algorithm.oid("algorithm").ok()?;
    let bits = outer.bits("key").ok()?;
    if kind == oids::RSA {
        let mut key = Reader::new(bits).sequence("rsa key").ok()?;
        let mut number = || {
            let digits = key.integer("number").ok()?;
            Some(digits.strip_prefix(&[0]).unwrap_or(digits).to_vec())
        };
        return Some(Material::Rsa(number()?, number()?));
    }
    let on_p256 = kind == oids::EC_PUBLIC_KEY && algorithm.oid("curve").ok()? == oids::P256;
    on_p256.then(|| Material::P256(bits.to_vec()))
}
