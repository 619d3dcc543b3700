//! ID tokens (OpenID Connect Core 1.0 section 2) and what a fault makes of them.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::hmac;
use serde_json::{Map, Value, json};

use super::logins::Code;
use super::persons::Person;
use crate::faults::{Fault, IdTokenChange, Twist};
use crate::requests::sha256;
use crate::state::State;
use crate::variants::ClaimForm;

/// Seconds an ID token is valid.
const SECONDS: u64 = 300;
/// Seconds in the past at which an expired one ended.
const EXPIRED_SINCE: u64 = 600;
/// The service's name for the stable identifier of a person.
const STABLE_ID: &str = "eid_altsub";

/// The ID token for a code, as compact JWS (RFC 7515).
pub(crate) fn issue(
    state: &State,
    code: &Code,
    access_token: &str,
    twist: Option<&Twist>,
) -> Result<String, String> {
    let change = match twist {
        Some(Fault::IdToken { change, seconds }) => Some((*change, *seconds)),
        _ => None,
    };
    let variants = state.variants();
    let alg = variants.id_token_alg;
    if matches!(change, Some((IdTokenChange::RotatedKey, _))) {
        state.keys.rotate(alg, &state.random, false)?;
    }
    let mut claims = claims(state, code, access_token);
    let key = state.keys.current(alg, &state.random)?;
    let mut header = json!({"alg": alg.name(), "typ": "JWT"});
    if let (true, Some(fields)) = (variants.id_token_kid, header.as_object_mut()) {
        fields.insert("kid".to_owned(), key.kid().into());
    }
    if let Some((change, seconds)) = change {
        change_claims(&mut claims, change, seconds);
        change_header(&mut header, change, state);
    }
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let message = format!("{}.{}", part(&header), part(&Value::Object(claims)));
    let mut signature = match change {
        Some((IdTokenChange::AlgNone, _)) => Vec::new(),
        Some((IdTokenChange::Hs256, _)) => {
            // the mistake this looks for: the public key taken for a shared secret
            let secret = hmac::Key::new(hmac::HMAC_SHA256, key.jwk().to_string().as_bytes());
            hmac::sign(&secret, message.as_bytes()).as_ref().to_vec()
        }
        _ => key.sign(message.as_bytes())?,
    };
    if let (Some((IdTokenChange::Signature, _)), Some(byte)) = (change, signature.last_mut()) {
        *byte ^= 1;
    }
    Ok(format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature)))
}

fn claims(state: &State, code: &Code, access_token: &str) -> Map<String, Value> {
    let now = state.clock.now_unix();
    let login = &code.login;
    let mut claims = Map::new();
    let mut put = |name: &str, value: Value| {
        claims.insert(name.to_owned(), value);
    };
    put("iss", state.issuer().into());
    let variants = state.variants();
    put("aud", in_form(&login.client_id, variants.id_token_aud));
    put("azp", login.client_id.as_str().into());
    put("sub", subject(code.person).into());
    put("iat", now.into());
    put("exp", (now + SECONDS).into());
    put("auth_time", code.auth_time.into());
    put("jti", state.random.uuid().into());
    put("typ", "ID".into());
    put("acr", "urn:sandbox:eid;LOA=4".into());
    put("amr", in_form("eid", variants.id_token_amr));
    put("at_hash", half_hash(access_token).into());
    put(STABLE_ID, code.person.stable_id().into());
    if let Some(nonce) = &login.nonce {
        put("nonce", nonce.as_str().into());
    }
    if login.scopes.iter().any(|scope| scope == "profile") {
        for (name, value) in profile(code.person) {
            put(name, value.into());
        }
    }
    if login.scopes.iter().any(|scope| scope == "nnin_altsub") {
        put("nnin_altsub", national_number(code.person).into());
    }
    claims
}

fn in_form(value: &str, form: ClaimForm) -> Value {
    match form {
        ClaimForm::Text => value.into(),
        ClaimForm::List => json!([value]),
    }
}

/// What the scope `profile` adds.
pub(crate) fn profile(person: Person) -> [(&'static str, String); 4] {
    [
        ("name", person.name()),
        ("given_name", person.given_name().to_owned()),
        ("family_name", person.surname().to_owned()),
        ("birthdate", person.birthdate().to_owned()),
    ]
}

/// Differs from the stable identifier, and is no name.
pub(crate) fn subject(person: Person) -> String {
    let hex: String =
        sha256(person.stable_id().as_bytes()).iter().take(16).map(|b| format!("{b:02x}")).collect();
    hex
}

/// A number in the form of a national identity number with a day of birth that cannot be.
fn national_number(person: Person) -> String {
    format!("9999{:07}", person.number())
}

/// `at_hash` (OpenID Connect Core 1.0 section 3.1.3.6); both algorithms use SHA-256.
fn half_hash(token: &str) -> String {
    let digest = sha256(token.as_bytes());
    URL_SAFE_NO_PAD.encode(digest.get(..16).unwrap_or_default())
}

fn change_claims(claims: &mut Map<String, Value>, change: IdTokenChange, seconds: i64) {
    let mut shift = |names: &[&str], by: i64| {
        for name in names {
            if let Some(time) = claims.get(*name).and_then(Value::as_i64) {
                claims.insert((*name).to_owned(), time.saturating_add(by).into());
            }
        }
    };
    let times = ["iat", "exp", "auth_time"];
    match change {
        IdTokenChange::Skew => shift(&times, seconds),
        IdTokenChange::Expired => {
            let back = SECONDS + EXPIRED_SINCE;
            shift(&times, -i64::try_from(back).unwrap_or_default());
        }
        IdTokenChange::Nonce => {
            claims.insert("nonce".to_owned(), "another-nonce".into());
        }
        IdTokenChange::NoNonce => {
            claims.remove("nonce");
        }
        IdTokenChange::Issuer => {
            claims.insert("iss".to_owned(), "https://other.example/issuer".into());
        }
        IdTokenChange::Audience => {
            claims.insert("aud".to_owned(), "another-client".into());
        }
        IdTokenChange::Azp => {
            claims.insert("azp".to_owned(), "another-client".into());
        }
        IdTokenChange::AlgNone
        | IdTokenChange::Hs256
        | IdTokenChange::UnknownKid
        | IdTokenChange::MissingKid
        | IdTokenChange::Signature
        | IdTokenChange::RotatedKey => {}
    }
}

fn change_header(header: &mut Value, change: IdTokenChange, state: &State) {
    let Some(fields) = header.as_object_mut() else { return };
    match change {
        IdTokenChange::AlgNone => {
            fields.insert("alg".to_owned(), "none".into());
        }
        IdTokenChange::Hs256 => {
            fields.insert("alg".to_owned(), "HS256".into());
        }
        IdTokenChange::UnknownKid => {
            fields.insert("kid".to_owned(), state.random.token().into());
        }
        IdTokenChange::MissingKid => {
            fields.remove("kid");
        }
        _ => {}
    }
}
