//! The client's own key for `private_key_jwt`: RSA (RS256) or P-256 (ES256), as PEM or JWK.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, RSA_PKCS1_SHA256, RsaKeyPair,
};
use rustls::pki_types::PrivateKeyDer;
use rustls::pki_types::pem::PemObject;
use serde::Deserialize;

use crate::error::{Code, Error, Result};

/// The signature algorithms of client assertions (RFC 7518 section 3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Algorithm {
    Rs256,
    Es256,
}

impl Algorithm {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        match text {
            "RS256" => Some(Self::Rs256),
            "ES256" => Some(Self::Es256),
            _ => None,
        }
    }

    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Rs256 => "RS256",
            Self::Es256 => "ES256",
        }
    }
}

enum Pair {
    Rsa(RsaKeyPair),
    Ec(EcdsaKeyPair),
}

/// A private key that shows nothing of itself.
pub(crate) struct SigningKey {
    pair: Pair,
    /// The key's own `kid`, where it came as a JWK with one.
    pub(super) key_id: Option<String>,
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SigningKey({})", self.algorithm().as_str())
    }
}

impl SigningKey {
    /// Reads a key: PEM (PKCS#8, PKCS#1 or SEC1) or a JWK object.
    ///
    /// # Errors
    /// [`Code::KeyMismatch`] when it is no key, of another kind, or does not fit `wanted`.
    pub(crate) fn parse(text: &str, wanted: Option<Algorithm>) -> Result<Self> {
        let text = text.trim();
        let (pair, key_id) = if text.starts_with('{') { jwk(text)? } else { (pem(text)?, None) };
        let key = Self { pair, key_id };
        match wanted {
            Some(wanted) if wanted != key.algorithm() => Err(unfit(&format!(
                "it is for {}, but client_auth_alg asks for {}",
                key.algorithm().as_str(),
                wanted.as_str()
            ))),
            _ => Ok(key),
        }
    }

    pub(super) fn algorithm(&self) -> Algorithm {
        match self.pair {
            Pair::Rsa(_) => Algorithm::Rs256,
            Pair::Ec(_) => Algorithm::Es256,
        }
    }

    /// The JWS signature of `message` (RFC 7515 section 5.1).
    pub(super) fn sign(&self, message: &[u8]) -> Result<Vec<u8>> {
        let random = SystemRandom::new();
        let failed = |_| Error::new(Code::Internal, "the client assertion cannot be signed");
        match &self.pair {
            Pair::Rsa(pair) => {
                let mut signature = vec![0; pair.public().modulus_len()];
                pair.sign(&RSA_PKCS1_SHA256, &random, message, &mut signature).map_err(failed)?;
                Ok(signature)
            }
            Pair::Ec(pair) => Ok(pair.sign(&random, message).map_err(failed)?.as_ref().to_vec()),
        }
    }
}

fn unfit(why: &str) -> Error {
    Error::new(
        Code::KeyMismatch,
        format!("private_key cannot be used: {why}; give an RSA key of 2048 bits or more (RS256) or a P-256 key (ES256)"),
    )
    .with_detail("field", "private_key")
}

fn pem(text: &str) -> Result<Pair> {
    let der = PrivateKeyDer::from_pem_slice(text.as_bytes())
        .map_err(|_| unfit("it holds no unencrypted private key in PEM form"))?;
    match &der {
        PrivateKeyDer::Pkcs1(key) => RsaKeyPair::from_der(key.secret_pkcs1_der())
            .map(Pair::Rsa)
            .map_err(|error| unfit(&error.to_string())),
        PrivateKeyDer::Sec1(key) => ec_pkcs8(&pkcs8_of_sec1(key.secret_sec1_der())),
        PrivateKeyDer::Pkcs8(key) => match RsaKeyPair::from_pkcs8(key.secret_pkcs8_der()) {
            Ok(pair) => Ok(Pair::Rsa(pair)),
            Err(error) if is_rsa(key.secret_pkcs8_der()) => Err(unfit(&error.to_string())),
            Err(_) => ec_pkcs8(key.secret_pkcs8_der()),
        },
        _ => Err(unfit("its form is unknown")),
    }
}

/// OBJECT IDENTIFIER rsaEncryption.
const RSA_OID: [u8; 11] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01];

fn is_rsa(pkcs8: &[u8]) -> bool {
    pkcs8.windows(RSA_OID.len()).take(32).any(|window| window == RSA_OID)
}

fn ec_pkcs8(der: &[u8]) -> Result<Pair> {
    EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, der, &SystemRandom::new())
        .map(Pair::Ec)
        .map_err(|error| unfit(&format!("as a P-256 key: {error}")))
}

/// Puts an EC key of RFC 5915 into the PKCS#8 frame (RFC 5958) of a P-256 key.
fn pkcs8_of_sec1(sec1: &[u8]) -> Vec<u8> {
    const ALGORITHM: [u8; 24] = [
        0x02, 0x01, 0x00, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06,
        0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07,
    ];
    let inner = [&ALGORITHM[..], &tlv(0x04, sec1)].concat();
    tlv(0x30, &inner)
}

fn tlv(tag: u8, content: &[u8]) -> Vec<u8> {
    let mut out = vec![tag];
    match u8::try_from(content.len()) {
        Ok(short) if short < 0x80 => out.push(short),
        Ok(one) => out.extend([0x81, one]),
        Err(_) => {
            let length = (content.len() as u32).to_be_bytes();
            out.push(0x84);
            out.extend(length);
        }
    }
    out.extend_from_slice(content);
    out
}

/// A private JSON Web Key (RFC 7517, members of RFC 7518 section 6).
#[derive(Deserialize)]
struct Jwk {
    kty: String,
    crv: Option<String>,
    kid: Option<String>,
    n: Option<String>,
    e: Option<String>,
    d: Option<String>,
    p: Option<String>,
    q: Option<String>,
    dp: Option<String>,
    dq: Option<String>,
    qi: Option<String>,
    x: Option<String>,
    y: Option<String>,
}

fn jwk(text: &str) -> Result<(Pair, Option<String>)> {
    // The error of the JSON reader is not told: it may repeat a piece of the key.
    let jwk: Jwk = serde_json::from_str(text).map_err(|_| unfit("it is no JSON Web Key"))?;
    let pair = match (jwk.kty.as_str(), jwk.crv.as_deref()) {
        ("RSA", _) => jwk.rsa()?,
        ("EC", Some("P-256")) => jwk.ec()?,
        ("EC", Some(curve)) => return Err(unfit(&format!("its curve is {curve:?}"))),
        (kind, _) => return Err(unfit(&format!("it is a JSON Web Key of kind {kind:?}"))),
    };
    Ok((pair, jwk.kid))
}

fn member(name: &str, value: Option<&String>) -> Result<Vec<u8>> {
    let value = value.ok_or_else(|| unfit(&format!("the JSON Web Key has no {name}")))?;
    URL_SAFE_NO_PAD
        .decode(value.trim_end_matches('='))
        .map_err(|_| unfit(&format!("{name} of the JSON Web Key is no base64url")))
}

impl Jwk {
    fn rsa(&self) -> Result<Pair> {
        let components = ring::rsa::KeyPairComponents {
            public_key: ring::rsa::PublicKeyComponents {
                n: member("n", self.n.as_ref())?,
                e: member("e", self.e.as_ref())?,
            },
            d: member("d", self.d.as_ref())?,
            p: member("p", self.p.as_ref())?,
            q: member("q", self.q.as_ref())?,
            dP: member("dp", self.dp.as_ref())?,
            dQ: member("dq", self.dq.as_ref())?,
            qInv: member("qi", self.qi.as_ref())?,
        };
        RsaKeyPair::from_components(&components)
            .map(Pair::Rsa)
            .map_err(|error| unfit(&error.to_string()))
    }

    fn ec(&self) -> Result<Pair> {
        let mut public = vec![4];
        public.extend(member("x", self.x.as_ref())?);
        public.extend(member("y", self.y.as_ref())?);
        EcdsaKeyPair::from_private_key_and_public_key(
            &ECDSA_P256_SHA256_FIXED_SIGNING,
            &member("d", self.d.as_ref())?,
            &public,
            &SystemRandom::new(),
        )
        .map(Pair::Ec)
        .map_err(|error| unfit(&error.to_string()))
    }
}
