//! How the client proves itself at the token endpoint (RFC 6749 section 2.3.1, RFC 7523).

use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use secrecy::{ExposeSecret, SecretString};
use serde_json::json;

use crate::config::{ClientAuth, Config};
use crate::error::{Code, Error, Result};

/// How long an assertion is valid, in seconds: long enough for the way, too short to be stolen.
const ASSERTION_LIFETIME: u64 = 30;
const ASSERTION_TYPE: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/// A form body and, for `client_secret_basic`, the Authorization header.
pub(super) struct Proof {
    pub form: SecretString,
    pub authorization: Option<SecretString>,
}

/// Adds the client's proof to the grant's own `fields`.
///
/// Called anew for each attempt: an assertion is good for one (its `jti` is never used again).
pub(super) fn prove(
    config: &Config,
    fields: &[(&str, &str)],
    audience: &str,
    now: SystemTime,
) -> Result<Proof> {
    let mut form = url::form_urlencoded::Serializer::new(String::new());
    form.extend_pairs(fields);
    let mut authorization = None;
    match config.client_auth {
        ClientAuth::SecretBasic => {
            authorization = Some(basic(&config.client_id, secret(config)?));
        }
        ClientAuth::SecretPost => {
            form.append_pair("client_id", &config.client_id);
            form.append_pair("client_secret", secret(config)?.expose_secret());
        }
        ClientAuth::PrivateKeyJwt => {
            form.append_pair("client_id", &config.client_id);
            form.append_pair("client_assertion_type", ASSERTION_TYPE);
            let assertion = assertion(config, audience, now)?;
            form.append_pair("client_assertion", assertion.expose_secret());
        }
    }
    Ok(Proof { form: SecretString::from(form.finish()), authorization })
}

fn secret(config: &Config) -> Result<&SecretString> {
    config.client_secret.as_ref().ok_or_else(|| {
        Error::new(
            Code::MissingSecret,
            "client_secret is missing: pass it, or set SIGNDOC_CLIENT_SECRET or SIGNDOC_CLIENT_SECRET_FILE",
        )
        .with_detail("field", "client_secret")
    })
}

/// Both halves are form-encoded before they are joined, as the RFC demands.
fn basic(id: &str, secret: &SecretString) -> SecretString {
    let encode =
        |text: &str| url::form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
    let pair = format!("{}:{}", encode(id), encode(secret.expose_secret()));
    SecretString::from(format!("Basic {}", STANDARD.encode(pair)))
}

/// A signed assertion (RFC 7523 section 3, OpenID Connect Core 1.0 section 9).
fn assertion(config: &Config, audience: &str, now: SystemTime) -> Result<SecretString> {
    let key = config.private_key.as_ref().ok_or_else(|| {
        Error::new(
            Code::MissingSecret,
            "private_key is missing: pass it, or set SIGNDOC_PRIVATE_KEY or SIGNDOC_PRIVATE_KEY_FILE",
        )
        .with_detail("field", "private_key")
    })?;
    let mut header = json!({"alg": key.algorithm().as_str(), "typ": "JWT"});
    let key_id = config.key_id.as_ref().or(key.key_id.as_ref());
    if let (Some(key_id), Some(header)) = (key_id, header.as_object_mut()) {
        header.insert("kid".to_owned(), json!(key_id));
    }
    let issued = now.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let claims = json!({
        "iss": config.client_id,
        "sub": config.client_id,
        "aud": audience,
        "jti": random_id()?,
        "iat": issued,
        "exp": issued + ASSERTION_LIFETIME,
    });
    let part = |value: &serde_json::Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let signed = format!("{}.{}", part(&header), part(&claims));
    let signature = URL_SAFE_NO_PAD.encode(key.sign(signed.as_bytes())?);
    Ok(SecretString::from(format!("{signed}.{signature}")))
}

/// 128 random bits from the operating system, as base64url.
fn random_id() -> Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)
        .map_err(|error| Error::new(Code::Internal, format!("no random numbers: {error}")))?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn basic_credentials_are_form_encoded_first() {
        let header = basic("a:b", &SecretString::from("p%q r"));
        let expected = format!("Basic {}", STANDARD.encode("a%3Ab:p%25q+r"));
        assert_eq!(header.expose_secret(), expected.as_str());
    }
}
