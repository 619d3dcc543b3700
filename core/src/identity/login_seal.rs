//! Saved logins: sealed, so that they may pass through a browser or another host.
//!
//! ChaCha20-Poly1305 (RFC 8439) under a key that HKDF-SHA256 (RFC 5869) derives from `state_key`,
//! or from the client secret. Each purpose has a key of its own, so that a login saved for one
//! interface cannot be finished at another.

use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::hkdf::{HKDF_SHA256, Salt};
use secrecy::ExposeSecret;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::config::Config;
use crate::error::{Code, Error, Result};

/// The version of the form; what comes later gets another one.
const VERSION: &str = "sdl2";
/// Longest saved login that is looked at, in characters.
const LONGEST: usize = 16 * 1024;

/// What is sealed, and when it was.
#[derive(Serialize, Deserialize)]
struct Dated<T> {
    /// Seconds since 1970.
    at: u64,
    value: T,
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

/// Seals `value` for `purpose`: base64url text behind a version, safe in JSON, URLs and cookies.
pub(crate) fn seal<T: Serialize>(
    config: &Config,
    purpose: &str,
    value: &T,
    now: SystemTime,
) -> Result<String> {
    let failed = |_| Error::new(Code::Internal, "a login cannot be sealed");
    let key = key(config, purpose)?;
    let mut nonce = [0; NONCE_LEN];
    fill(&mut nonce)?;
    let dated = Dated { at: seconds(now), value };
    let mut sealed = serde_json::to_vec(&dated).map_err(|error| {
        Error::new(Code::Internal, format!("a login cannot be written: {error}"))
    })?;
    let with = Nonce::assume_unique_for_key(nonce);
    key.seal_in_place_append_tag(with, Aad::from(VERSION), &mut sealed).map_err(failed)?;
    let whole = [&nonce[..], &sealed].concat();
    Ok(format!("{VERSION}.{}", URL_SAFE_NO_PAD.encode(whole)))
}

/// Opens what [`seal`] made for the same purpose with the same key, as long as it may be used.
pub(crate) fn open<T: DeserializeOwned>(
    config: &Config,
    purpose: &str,
    text: &str,
    now: SystemTime,
) -> Result<T> {
    let text = text.trim();
    let body = text.strip_prefix(VERSION).and_then(|rest| rest.strip_prefix('.'));
    let body = body.filter(|_| text.len() <= LONGEST);
    let body = body.ok_or_else(|| invalid("it does not begin as one"))?;
    let mut whole = URL_SAFE_NO_PAD.decode(body).map_err(|_| invalid("it is no base64url"))?;
    if whole.len() < NONCE_LEN {
        return Err(invalid("it is too short"));
    }
    let (nonce, sealed) = whole.split_at_mut(NONCE_LEN);
    let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_| invalid("it is too short"))?;
    let opened = key(config, purpose)?
        .open_in_place(nonce, Aad::from(VERSION), sealed)
        .map_err(|_| invalid("it is damaged, or was sealed with another key"))?;
    let Dated { at, value } = serde_json::from_slice(opened)
        .map_err(|_| invalid("its content is that of another version"))?;
    // One from the future comes of a clock that is behind.
    let (age, limit) = (seconds(now).saturating_sub(at), config.login_lifetime.as_secs());
    if age <= limit {
        return Ok(value);
    }
    Err(Error::new(
        Code::LoginExpired,
        format!("the saved login is {age} s old, and may be used for {limit} s (login_lifetime); begin a new one"),
    )
    .with_detail("limit", limit)
    .with_detail("actual", age)
    .with_detail("unit", "seconds"))
}

/// Random bytes from the operating system.
pub(crate) fn fill(bytes: &mut [u8]) -> Result<()> {
    getrandom::fill(bytes)
        .map_err(|error| Error::new(Code::Internal, format!("no random numbers: {error}")))
}

pub(super) fn invalid(why: &str) -> Error {
    Error::new(
        Code::LoginTokenInvalid,
        format!(
            "the saved login cannot be used: {why}; pass the text of to_token unchanged, and use the same client secret or state_key in every process"
        ),
    )
}

fn key(config: &Config, purpose: &str) -> Result<LessSafeKey> {
    let secret = config.state_key.as_ref().or(config.client_secret.as_ref()).ok_or_else(|| {
        Error::new(
            Code::MissingSecret,
            "logins are sealed with state_key or client_secret, and neither is there; set SIGNDOC_STATE_KEY to a long random text, the same in every process",
        )
        .with_detail("field", "state_key")
    })?;
    let failed = |_| Error::new(Code::Internal, "no key can be derived");
    let salt = Salt::new(HKDF_SHA256, b"signdoc saved login");
    let prk = salt.extract(secret.expose_secret().as_bytes());
    let info = [VERSION.as_bytes(), purpose.as_bytes()];
    let derived = prk.expand(&info, &CHACHA20_POLY1305).map_err(failed)?;
    Ok(LessSafeKey::new(UnboundKey::from(derived)))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const NOW: SystemTime = UNIX_EPOCH;

    fn config(pairs: &[(&str, &str)]) -> Config {
        let mut builder = Config::builder();
        builder.set("issuer", "https://id.example").unwrap().set("client_id", "shop").unwrap();
        for (key, value) in pairs {
            builder.set(key, value).unwrap();
        }
        builder.build().unwrap()
    }

    #[test]
    fn what_is_sealed_opens_with_the_same_key_and_purpose_only() {
        let shop = config(&[("client_secret", "s3cret")]);
        let sealed = seal(&shop, "sign", &"verifier-canary".to_owned(), NOW).unwrap();
        assert!(!sealed.contains("canary"));
        assert!(sealed.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c)));
        assert_eq!(open::<String>(&shop, "sign", &sealed, NOW).unwrap(), "verifier-canary");
        assert_ne!(seal(&shop, "sign", &"verifier-canary".to_owned(), NOW).unwrap(), sealed);
        let code = |config: &Config, purpose: &str| {
            open::<String>(config, purpose, &sealed, NOW).unwrap_err().code()
        };
        assert_eq!(code(&shop, "csc"), Code::LoginTokenInvalid);
        assert_eq!(code(&config(&[("client_secret", "other")]), "sign"), Code::LoginTokenInvalid);
        let keyed = config(&[("client_secret", "s3cret"), ("state_key", "0123456789abcdef")]);
        assert_eq!(code(&keyed, "sign"), Code::LoginTokenInvalid);
        assert_eq!(code(&config(&[]), "sign"), Code::MissingSecret);
    }

    #[test]
    fn no_changed_character_passes() {
        let shop = config(&[("state_key", "0123456789abcdef")]);
        let sealed = seal(&shop, "sign", &7_u32, NOW).unwrap();
        for at in 0..sealed.len() {
            let mut changed = sealed.clone().into_bytes();
            changed[at] = if changed[at] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(changed).unwrap();
            let error = open::<u32>(&shop, "sign", &changed, NOW).unwrap_err();
            assert_eq!(error.code(), Code::LoginTokenInvalid, "{at}");
        }
        for wrong in ["", "sdl2", "sdl2.", "sdl2.AAAA", "sdl1.AAAA"] {
            assert_eq!(
                open::<u32>(&shop, "sign", wrong, NOW).unwrap_err().code(),
                Code::LoginTokenInvalid
            );
        }
    }

    #[test]
    fn a_saved_login_grows_old() {
        let shop = config(&[("client_secret", "s3cret"), ("login_lifetime", "600")]);
        let sealed = seal(&shop, "sign", &7_u32, NOW + Duration::from_secs(1000)).unwrap();
        let open =
            |seconds| open::<u32>(&shop, "sign", &sealed, NOW + Duration::from_secs(seconds));
        for good in [0, 1000, 1600] {
            assert_eq!(open(good).unwrap(), 7, "{good}");
        }
        let error = open(1601).unwrap_err();
        assert_eq!((error.code(), &error.details()["actual"]), (Code::LoginExpired, &601.into()));
    }
}
