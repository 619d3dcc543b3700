//! The provider's keys (RFC 7517), cached; a key nobody knows has them fetched anew.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::Method;
use ring::signature::{self, EcdsaVerificationAlgorithm, RsaParameters, RsaPublicKeyComponents};
use serde::Deserialize;
use serde_json::Value;
use url::Url;

use super::flight::Flight;
use crate::client::{Call, Shared};
use crate::error::{Code, Error, RawAnswer, Result};
use crate::trace::Level;
use crate::transport::{Body, Request};

const WHAT: &str = "key set";
const ANSWER_CAP: usize = 1024 * 1024;
/// How long keys serve without being fetched again.
const FRESH_FOR: Duration = Duration::from_secs(24 * 60 * 60);
/// Unknown keys cause at most one request in this time: tokens with made-up keys cost us nothing.
const ASK_AGAIN: Duration = Duration::from_secs(60);

/// The signature algorithms that are accepted (RFC 7518 section 3.1). No `none`, nothing with a
/// shared secret: a public key must never pass for one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JwsAlgorithm {
    Rs256,
    Rs384,
    Rs512,
    Ps256,
    Es256,
    Es384,
}

enum Scheme {
    Rsa(&'static RsaParameters),
    Ec(Curve, &'static EcdsaVerificationAlgorithm),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Curve {
    P256,
    P384,
}

impl JwsAlgorithm {
    pub(super) const ALL: [(&'static str, Self); 6] = [
        ("RS256", Self::Rs256),
        ("RS384", Self::Rs384),
        ("RS512", Self::Rs512),
        ("PS256", Self::Ps256),
        ("ES256", Self::Es256),
        ("ES384", Self::Es384),
    ];

    pub(super) fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().find(|(name, _)| *name == text).map(|(_, algorithm)| *algorithm)
    }

    fn as_str(self) -> &'static str {
        Self::ALL.iter().find(|(_, algorithm)| *algorithm == self).map_or("", |(name, _)| name)
    }

    fn scheme(self) -> Scheme {
        match self {
            Self::Rs256 => Scheme::Rsa(&signature::RSA_PKCS1_2048_8192_SHA256),
            Self::Rs384 => Scheme::Rsa(&signature::RSA_PKCS1_2048_8192_SHA384),
            Self::Rs512 => Scheme::Rsa(&signature::RSA_PKCS1_2048_8192_SHA512),
            Self::Ps256 => Scheme::Rsa(&signature::RSA_PSS_2048_8192_SHA256),
            Self::Es256 => Scheme::Ec(Curve::P256, &signature::ECDSA_P256_SHA256_FIXED),
            Self::Es384 => Scheme::Ec(Curve::P384, &signature::ECDSA_P384_SHA384_FIXED),
        }
    }
}

/// A public key that signs.
#[derive(Clone, Debug)]
pub(super) struct PublicKey {
    kid: Option<String>,
    /// The algorithm the key is for, where the set says so.
    alg: Option<String>,
    material: Material,
}

#[derive(Clone, Debug)]
enum Material {
    Rsa { n: Vec<u8>, e: Vec<u8> },
    Ec { curve: Curve, point: Vec<u8> },
}

impl PublicKey {
    /// Whether this key may verify signatures of `algorithm`.
    fn fits(&self, algorithm: JwsAlgorithm) -> bool {
        let named = self.alg.as_deref().is_none_or(|alg| alg == algorithm.as_str());
        named
            && match (algorithm.scheme(), &self.material) {
                (Scheme::Rsa(_), Material::Rsa { .. }) => true,
                (Scheme::Ec(wanted, _), Material::Ec { curve, .. }) => wanted == *curve,
                _ => false,
            }
    }

    pub(super) fn verifies(&self, algorithm: JwsAlgorithm, signed: &[u8], value: &[u8]) -> bool {
        match (algorithm.scheme(), &self.material) {
            (Scheme::Rsa(parameters), Material::Rsa { n, e }) => {
                RsaPublicKeyComponents { n, e }.verify(parameters, signed, value).is_ok()
            }
            (Scheme::Ec(wanted, algorithm), Material::Ec { curve, point }) if wanted == *curve => {
                signature::UnparsedPublicKey::new(algorithm, point).verify(signed, value).is_ok()
            }
            _ => false,
        }
    }
}

/// A JSON Web Key as far as it is of use here.
#[derive(Deserialize)]
struct Jwk {
    kty: String,
    kid: Option<String>,
    alg: Option<String>,
    #[serde(rename = "use")]
    usage: Option<String>,
    key_ops: Option<Vec<String>>,
    crv: Option<String>,
    n: Option<String>,
    e: Option<String>,
    x: Option<String>,
    y: Option<String>,
}

impl Jwk {
    /// `None` for keys that are for something else, or that we cannot use.
    fn into_key(self) -> Option<PublicKey> {
        let signs = self.usage.as_deref().is_none_or(|usage| usage == "sig");
        let verifies = self.key_ops.is_none_or(|ops| ops.iter().any(|op| op == "verify"));
        if !signs || !verifies {
            return None;
        }
        let material = match (self.kty.as_str(), self.crv.as_deref()) {
            ("RSA", _) => Material::Rsa { n: number(self.n?)?, e: number(self.e?)? },
            ("EC", Some("P-256")) => point(Curve::P256, 32, &self.x?, &self.y?)?,
            ("EC", Some("P-384")) => point(Curve::P384, 48, &self.x?, &self.y?)?,
            _ => return None,
        };
        let kid = self.kid.filter(|kid| !kid.is_empty());
        Some(PublicKey { kid, alg: self.alg, material })
    }
}

fn decoded(text: &str) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(text.trim_end_matches('=')).ok()
}

/// A whole number without the leading zeros that some providers write.
fn number(text: String) -> Option<Vec<u8>> {
    let bytes = decoded(&text)?;
    let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
    bytes.get(zeros..).filter(|rest| !rest.is_empty()).map(<[u8]>::to_vec)
}

/// The point in its uncompressed form (SEC 1 section 2.3.3).
fn point(curve: Curve, size: usize, x: &str, y: &str) -> Option<Material> {
    let (x, y) = (decoded(x)?, decoded(y)?);
    let fits = x.len() == size && y.len() == size;
    fits.then(|| Material::Ec { curve, point: [&[4], x.as_slice(), &y].concat() })
}

/// All keys of the provider that sign.
#[derive(Debug, Default)]
pub(super) struct KeySet(Vec<PublicKey>);

impl KeySet {
    /// # Errors
    /// [`Code::MalformedAnswer`] when it is no key set. Single keys that we cannot read are left
    /// out.
    fn parse(body: &[u8], content_type: &str) -> Result<Self> {
        let malformed = |why: &str| {
            let told = RawAnswer::new(200, content_type, body, None).into_error(WHAT);
            match told.code() {
                Code::HtmlAnswer | Code::EmptyAnswer => told,
                _ => Error::new(Code::MalformedAnswer, format!("{WHAT}: {why}")).with_status(200),
            }
        };
        let value: Value =
            serde_json::from_slice(body).map_err(|_| malformed("the answer is no JSON"))?;
        let keys = value.get("keys").and_then(Value::as_array);
        let keys = keys.ok_or_else(|| malformed("the answer holds no list of keys"))?;
        let keys = keys.iter().filter_map(|key| Jwk::deserialize(key).ok()?.into_key());
        Ok(Self(keys.collect()))
    }

    /// The key of this name; without a name, the only one that fits (OpenID Connect Core 1.0
    /// section 10.1: a `kid` is needed only where there are several).
    fn find(&self, kid: Option<&str>, algorithm: JwsAlgorithm) -> Option<PublicKey> {
        let named = |key: &&PublicKey| kid.is_none() || key.kid.as_deref() == kid;
        let mut fitting = self.0.iter().filter(|key| key.fits(algorithm)).filter(named);
        let found = fitting.next()?;
        (kid.is_some() || fitting.next().is_none()).then(|| found.clone())
    }
}

#[derive(Debug, Default)]
struct Cached {
    keys: Option<(Url, Arc<KeySet>, SystemTime)>,
    /// When an unknown key last had the keys fetched anew.
    asked_again: Option<SystemTime>,
}

/// The cache; one request serves all concurrent callers.
#[derive(Debug, Default)]
pub(crate) struct JwksCache {
    cached: Mutex<Cached>,
    flight: Flight<Arc<KeySet>>,
}

impl JwksCache {
    /// The key `kid`, or the only one that there is for `algorithm`.
    ///
    /// # Errors
    /// [`Code::IdTokenKeyUnknown`]; network and protocol errors.
    pub(super) async fn key(
        &self,
        shared: &Arc<Shared>,
        call: &Call,
        kid: Option<&str>,
        algorithm: JwsAlgorithm,
    ) -> Result<PublicKey> {
        let metadata = shared.discovery.get(shared, call).await?;
        let url = metadata.url("jwks_uri", "ID tokens cannot be verified without it")?;
        let now = shared.clock.now();
        let Some(known) = self.fresh(&url, now) else {
            let fetched = self.fetch(shared, call, &url).await?;
            return fetched.find(kid, algorithm).ok_or_else(|| unknown(kid));
        };
        if let Some(key) = known.find(kid, algorithm) {
            return Ok(key);
        }
        if !self.may_ask_again(now) {
            return Err(unknown(kid));
        }
        call.trace.event(Level::Info, || "an unknown key: fetching the key set anew".to_owned());
        self.fetch(shared, call, &url).await?.find(kid, algorithm).ok_or_else(|| unknown(kid))
    }

    fn fresh(&self, url: &Url, now: SystemTime) -> Option<Arc<KeySet>> {
        let cached = self.lock();
        let (of, keys, fetched) = cached.keys.as_ref()?;
        let age = now.duration_since(*fetched).ok()?;
        (of == url && age < FRESH_FOR).then(|| keys.clone())
    }

    /// Says yes once in a while.
    fn may_ask_again(&self, now: SystemTime) -> bool {
        let mut cached = self.lock();
        let since = cached.asked_again.and_then(|asked| now.duration_since(asked).ok());
        let may = since.is_none_or(|since| since >= ASK_AGAIN);
        if may {
            cached.asked_again = Some(now);
        }
        may
    }

    async fn fetch(&self, shared: &Arc<Shared>, call: &Call, url: &Url) -> Result<Arc<KeySet>> {
        let work = || fetch(shared.clone(), url.clone(), call.aside());
        let keys = self.flight.join(work).await?;
        self.lock().keys = Some((url.clone(), keys.clone(), shared.clock.now()));
        Ok(keys)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Cached> {
        self.cached.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn unknown(kid: Option<&str>) -> Error {
    let told = match kid {
        Some(_) => {
            "the ID token is signed with a key that the provider does not publish for its algorithm"
        }
        None => {
            "the ID token does not name its key (kid), and the provider publishes none or several for its algorithm"
        }
    };
    Error::new(Code::IdTokenKeyUnknown, told)
}

async fn fetch(shared: Arc<Shared>, url: Url, call: Call) -> Result<Arc<KeySet>> {
    let attempt = || async {
        let request = Request {
            what: WHAT,
            method: Method::GET,
            url: url.clone(),
            authorization: None,
            body: Body::None,
            call: &call,
        };
        let mut answer = shared.transport.exchange(request).await?;
        if answer.status() != 200 {
            return Err(answer.into_raw().await.into_error(WHAT));
        }
        let kind = answer.content_type().to_owned();
        let body = answer.body(ANSWER_CAP).await?;
        KeySet::parse(&body, &kind)
    };
    shared.repeat(&call, attempt).await.map(Arc::new)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(json: &str) -> KeySet {
        KeySet::parse(json.as_bytes(), "application/json").unwrap()
    }

    #[test]
    fn keys_for_other_things_are_left_out() {
        let keys = set(r#"{"keys":[
            {"kty":"oct","kid":"a","k":"c2VjcmV0"},
            {"kty":"RSA","kid":"b","use":"enc","n":"AQAB","e":"AQAB"},
            {"kty":"RSA","kid":"c","key_ops":["encrypt"],"n":"AQAB","e":"AQAB"},
            {"kty":"EC","kid":"d","crv":"P-521","x":"AA","y":"AA"},
            {"kty":"EC","kid":"e","crv":"P-256","x":"AA","y":"AA"},
            {"kty":7},
            {"kty":"RSA","kid":"good","use":"sig","n":"AAEAAQ","e":"AQAB"}]}"#);
        assert_eq!(keys.0.len(), 1);
        let Material::Rsa { n, .. } = &keys.0[0].material else { panic!("RSA") };
        assert_eq!(n, &[1, 0, 1], "leading zeros are dropped");
    }

    #[test]
    fn a_key_serves_its_own_algorithm_only() {
        let keys = set(r#"{"keys":[{"kty":"RSA","kid":"k","alg":"RS256","n":"AQAB","e":"AQAB"}]}"#);
        assert!(keys.find(Some("k"), JwsAlgorithm::Rs256).is_some());
        assert!(keys.find(Some("k"), JwsAlgorithm::Ps256).is_none());
        assert!(keys.find(Some("k"), JwsAlgorithm::Es256).is_none());
        assert!(keys.find(Some("other"), JwsAlgorithm::Rs256).is_none());
    }

    #[test]
    fn without_a_name_the_only_key_that_fits_is_it() {
        let rsa = r#"{"kty":"RSA","n":"AQAB","e":"AQAB"}"#;
        let named = r#"{"kty":"RSA","kid":"k","n":"AQAB","e":"AQAB"}"#;
        let other = r#"{"kty":"RSA","kid":"p","alg":"PS256","n":"AQAB","e":"AQAB"}"#;
        for (keys, found) in [
            (rsa.to_owned(), true),
            (named.to_owned(), true),
            (format!("{named},{other}"), true),
            (format!("{named},{rsa}"), false),
            (other.to_owned(), false),
        ] {
            let keys = set(&format!("{{\"keys\":[{keys}]}}"));
            assert_eq!(keys.find(None, JwsAlgorithm::Rs256).is_some(), found, "{keys:?}");
        }
        let unnamed = set(&format!("{{\"keys\":[{rsa}]}}"));
        assert!(unnamed.find(Some("k"), JwsAlgorithm::Rs256).is_none(), "a name must be met");
    }

    #[test]
    fn what_is_no_key_set_is_said_so() {
        for (text, code) in [
            ("{}", Code::MalformedAnswer),
            ("[", Code::MalformedAnswer),
            ("<html>", Code::HtmlAnswer),
            ("", Code::EmptyAnswer),
        ] {
            assert_eq!(KeySet::parse(text.as_bytes(), "").unwrap_err().code(), code, "{text}");
        }
    }
}
