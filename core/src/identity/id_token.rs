//! ID tokens (OpenID Connect Core 1.0 section 3.1.3.7): signature first, then every claim.

use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Map, Value};

use super::jwks::{JwsAlgorithm, PublicKey};
use crate::error::{Code, Error, Result};

/// How far clocks may differ, in seconds.
const LEEWAY: f64 = 60.0;
/// Longest ID token that is looked at, in characters.
const LONGEST: usize = 256 * 1024;

/// An ID token taken apart; nothing in it is believed yet.
pub(super) struct Unverified<'a> {
    pub algorithm: JwsAlgorithm,
    /// The name of its key, where it names one.
    pub kid: Option<String>,
    /// Header and payload as they are signed.
    signed: &'a str,
    payload: &'a str,
    signature: Vec<u8>,
}

/// What the claims must say.
pub(super) struct Expected<'a> {
    pub issuer: &'a str,
    pub client_id: &'a str,
    pub nonce: &'a str,
    /// The present time by the client's clock.
    pub now: SystemTime,
    /// Seconds by which the client's clock is ahead of the provider's, where an answer told.
    pub skew: Option<f64>,
}

impl<'a> Unverified<'a> {
    /// Takes the compact form apart (RFC 7515 section 3.1) and refuses algorithms that are not
    /// accepted, before any key is looked for.
    pub(super) fn parse(token: &'a str) -> Result<Self> {
        if token.len() > LONGEST {
            return Err(malformed("it is too long"));
        }
        let (signed, signature) =
            token.rsplit_once('.').ok_or_else(|| malformed("it has no signature"))?;
        let (header, payload) =
            signed.split_once('.').ok_or_else(|| malformed("it has no payload"))?;
        if payload.contains('.') {
            return Err(malformed("it has more than three parts"));
        }
        let header = object(header, "header")?;
        let text = |name: &str| header.get(name).and_then(Value::as_str);
        let name = text("alg").ok_or_else(|| malformed("its header names no algorithm"))?;
        let algorithm = JwsAlgorithm::parse(name).ok_or_else(|| refused(name))?;
        if header.contains_key("crit") {
            // RFC 7515 section 4.1.11: what must be understood and is not, makes it invalid.
            return Err(malformed("its header demands extensions"));
        }
        let kid = text("kid").filter(|kid| !kid.is_empty()).map(str::to_owned);
        let signature = URL_SAFE_NO_PAD
            .decode(signature)
            .map_err(|_| malformed("its signature is no base64url"))?;
        Ok(Self { algorithm, kid, signed, payload, signature })
    }

    /// The claims, once signature and claims are verified.
    pub(super) fn verify(
        self,
        key: &PublicKey,
        expected: &Expected<'_>,
    ) -> Result<Map<String, Value>> {
        if !key.verifies(self.algorithm, self.signed.as_bytes(), &self.signature) {
            return Err(Error::new(
                Code::IdTokenSignature,
                "the ID token's signature does not fit its content and the provider's key",
            ));
        }
        let claims = object(self.payload, "payload")?;
        check_parties(&claims, expected)?;
        check_times(&claims, expected)?;
        let nonce = claims.get("nonce").and_then(Value::as_str).unwrap_or_default();
        if !is_equal(nonce, expected.nonce) {
            return Err(Error::new(
                Code::IdTokenNonce,
                "the ID token's nonce is not the one of this login",
            ));
        }
        if claims.get("sub").and_then(Value::as_str).unwrap_or_default().is_empty() {
            return Err(malformed("it names no subject (sub)"));
        }
        Ok(claims)
    }
}

fn malformed(why: &str) -> Error {
    Error::new(Code::IdTokenMalformed, format!("the ID token cannot be read: {why}"))
}

fn refused(name: &str) -> Error {
    let accepted: Vec<_> = JwsAlgorithm::ALL.iter().map(|(name, _)| *name).collect();
    let shown: String = name.chars().filter(|c| c.is_ascii_graphic()).take(20).collect();
    Error::new(
        Code::IdTokenAlgorithm,
        format!("the ID token is signed with {shown:?}; accepted are {}", accepted.join(", ")),
    )
    .with_detail("actual", shown)
}

fn object(part: &str, what: &str) -> Result<Map<String, Value>> {
    let bytes = URL_SAFE_NO_PAD.decode(part);
    let bytes = bytes.map_err(|_| malformed(&format!("its {what} is no base64url")))?;
    // The reader's own error may repeat a piece of the token.
    serde_json::from_slice(&bytes).map_err(|_| malformed(&format!("its {what} is no JSON object")))
}

fn check_parties(claims: &Map<String, Value>, expected: &Expected<'_>) -> Result<()> {
    let issuer = claims.get("iss").and_then(Value::as_str).unwrap_or_default();
    if issuer.trim_end_matches('/') != expected.issuer.trim_end_matches('/') {
        return Err(Error::new(
            Code::IdTokenIssuer,
            format!("the ID token comes from {issuer:?}, not from {:?}", expected.issuer),
        )
        .with_detail("expected", expected.issuer)
        .with_detail("actual", issuer));
    }
    let audience: Vec<_> = match claims.get("aud") {
        Some(Value::String(one)) => vec![one.as_str()],
        Some(Value::Array(many)) => many.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    if !audience.contains(&expected.client_id) {
        return Err(Error::new(
            Code::IdTokenAudience,
            format!("the ID token was made for {audience:?}, not for {:?}", expected.client_id),
        )
        .with_detail("expected", expected.client_id));
    }
    let party = claims.get("azp").and_then(Value::as_str);
    match party {
        Some(party) if party == expected.client_id => Ok(()),
        None if audience.len() == 1 && !claims.contains_key("azp") => Ok(()),
        _ => Err(Error::new(
            Code::IdTokenAuthorizedParty,
            format!(
                "the ID token's authorized party (azp) is {party:?}, not {:?}",
                expected.client_id
            ),
        )
        .with_detail("expected", expected.client_id)),
    }
}

fn check_times(claims: &Map<String, Value>, expected: &Expected<'_>) -> Result<()> {
    let time = |name: &str| claims.get(name).and_then(Value::as_f64);
    let now = expected.now.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64();
    let expires = time("exp").ok_or_else(|| malformed("it does not say when it expires (exp)"))?;
    let issued =
        time("iat").ok_or_else(|| malformed("it does not say when it was issued (iat)"))?;
    if now >= expires + LEEWAY {
        let late = now - expires;
        return Err(told(
            Error::new(
                Code::IdTokenExpired,
                format!("the ID token expired {late:.0} s ago{}", clock(expected.skew)),
            )
            .with_detail("expired_for_seconds", late),
            expected.skew,
        ));
    }
    let begins = time("nbf").map_or(issued, |nbf| nbf.max(issued));
    if begins > now + LEEWAY {
        let early = begins - now;
        return Err(told(
            Error::new(
                Code::IdTokenIssuedInFuture,
                format!(
                    "the ID token is valid from {early:.0} s in the future{}",
                    clock(expected.skew)
                ),
            )
            .with_detail("valid_in_seconds", early),
            expected.skew,
        ));
    }
    Ok(())
}

fn told(error: Error, skew: Option<f64>) -> Error {
    let error = error.with_detail("limit", LEEWAY);
    match skew {
        Some(skew) => error.with_detail("clock_skew_seconds", skew),
        None => error,
    }
}

/// Names a clock that may be the reason.
fn clock(skew: Option<f64>) -> String {
    match skew {
        Some(skew) if skew >= 1.0 => {
            format!("; this machine's clock is {skew:.0} s ahead of the provider's: set the clock")
        }
        Some(skew) if skew <= -1.0 => {
            let behind = -skew;
            format!("; this machine's clock is {behind:.0} s behind the provider's: set the clock")
        }
        _ => String::new(),
    }
}

/// Compares in a time that does not tell where the texts differ.
pub(super) fn is_equal(one: &str, other: &str) -> bool {
    // A keyed digest of both: equal only when the texts are, and compared in constant time.
    let mut key = [0; 32];
    if super::login_seal::fill(&mut key).is_err() {
        return false;
    }
    let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, &key);
    let tag = ring::hmac::sign(&key, one.as_bytes());
    ring::hmac::verify(&key, other.as_bytes(), tag.as_ref()).is_ok()
}
