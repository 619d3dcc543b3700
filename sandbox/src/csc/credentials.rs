//! `credentials/list`, `credentials/info` and `credentials/authorize` (CSC API 11.4, 11.5, 11.6).

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};
use signdoc_signature::asn1::Time;
use signdoc_signature::crypto::KeyKind;
use signdoc_signature::pki::{Profile, Subject};
use tokio::task::spawn_blocking;

use super::errors::CscError;
use super::session::{Activation, Credential, SAD_SECONDS, Session, Stage};
use super::{MAX_SIGNATURES, algorithms, read, with_session};
use crate::authority::time;
use crate::fields::{Problems, Section};
use crate::http::Call;
use crate::identity::persons::Person;
use crate::state::State;
use crate::variants::{CscAuthorize, CscCredentialInfos, CscCredentials};

/// Which parts of a credential are asked for.
struct Asked {
    credential_info: bool,
    detail: Detail,
}

struct Detail {
    certificates: String,
    cert_info: bool,
    auth_info: bool,
}

impl Detail {
    fn read(fields: &mut Section<'_>, problems: &mut Problems) -> Self {
        let certificates = fields.optional_string("certificates", problems);
        if let Some(wanted) = &certificates
            && !["none", "single", "chain"].contains(&wanted.as_ref())
        {
            problems.add("Field 'certificates' must be none, single or chain");
        }
        let detail = Self {
            certificates: certificates.map_or_else(|| "single".to_owned(), Into::into),
            cert_info: fields.optional_bool("certInfo", problems).unwrap_or(false),
            auth_info: fields.optional_bool("authInfo", problems).unwrap_or(false),
        };
        fields.optional_string("lang", problems);
        fields.optional_string("clientData", problems);
        detail
    }
}

/// Makes a key and a certificate for the session, and lists them.
pub(crate) async fn list(state: &Arc<State>, call: &Call) -> Result<Value, CscError> {
    with_session(state, call, |session| session.expect(Stage::List))?;
    let asked = read(call, |fields, problems| {
        if fields.has("userID") {
            problems.add("Field 'userID' must be absent: the token is the user's");
            fields.ignore("userID");
        }
        let credential_info = fields.optional_bool("credentialInfo", problems).unwrap_or(false);
        fields.optional_bool("onlyValid", problems);
        Asked { credential_info, detail: Detail::read(fields, problems) }
    })?;
    // from here on the token is used at this endpoint
    let person = with_session(state, call, |session| {
        session.expect(Stage::List)?;
        session.stage = Stage::Authorize;
        Ok(session.person)
    })?;
    let variants = state.variants();
    if variants.csc_credentials == CscCredentials::None {
        return Ok(json!({"credentialIDs": []}));
    }
    let shared = Arc::clone(state);
    let made = spawn_blocking(move || make(&shared, person)).await;
    let failed = |reason: String| CscError::new("certificate_creation_failed", reason);
    let credential = match made {
        Ok(made) => Arc::new(made.map_err(failed)?),
        Err(_) => return Err(failed("it broke off".to_owned())),
    };
    let kept = Arc::clone(&credential);
    let body = with_session(state, call, |session| {
        session.credential = Some(kept);
        let mut body = json!({"credentialIDs": [credential.id]});
        let told =
            asked.credential_info && variants.csc_credential_infos == CscCredentialInfos::Full;
        if let (true, Some(fields)) = (told, body.as_object_mut()) {
            let info = describe(&credential, session, &asked.detail, state);
            fields.insert("credentialInfos".to_owned(), json!([with_id(&credential, info)]));
        }
        Ok(body)
    })?;
    Ok(body)
}

fn with_id(credential: &Credential, mut info: Map<String, Value>) -> Map<String, Value> {
    info.insert("credentialID".to_owned(), credential.id.as_str().into());
    info
}

fn make(state: &State, person: Person) -> Result<Credential, String> {
    let pki = state.authority.pki(&state.random, &state.clock)?;
    let subject = Subject::person(person.given_name(), person.surname(), person.number());
    let issued = time(state.clock.now_unix());
    let mut profile = Profile::person(subject, state.csc_key(), issued);
    // made for the session, so it is valid for little longer
    profile.not_after = issued.plus_seconds(24 * 3600);
    let identity = pki.issue(&profile).map_err(|error| error.to_string())?;
    let number =
        state.random.block().iter().take(5).fold(0, |n: u64, byte| n << 8 | u64::from(*byte));
    Ok(Credential { id: format!("GX{number:013}"), identity })
}

/// The credential as `list` and `info` describe it.
fn describe(
    credential: &Credential,
    session: &Session,
    detail: &Detail,
    state: &State,
) -> Map<String, Value> {
    let identity = &credential.identity;
    let certificate = identity.certificate();
    let kind = identity.key().kind();
    let (length, curve) = match kind {
        KeyKind::Rsa(bits) => (bits, None),
        KeyKind::P256 => (256, Some("1.2.840.10045.3.1.7")),
        KeyKind::P384 => (384, Some("1.3.132.0.34")),
        // No credential has another kind of key.
        KeyKind::Ec(curve) => (8 * curve.half_len(), None),
        KeyKind::Ed25519 => (256, None),
    };
    let mut key = json!({"status": "enabled", "algo": algorithms::of_key(kind), "len": length});
    if let (Some(curve), Some(fields)) = (curve, key.as_object_mut()) {
        fields.insert("curve".to_owned(), curve.into());
    }
    let mut cert = Map::new();
    let status = if session.status.check().is_ok() { "valid" } else { "suspended" };
    cert.insert("status".to_owned(), status.into());
    let base64 = |der: &[u8]| Value::from(STANDARD.encode(der));
    let own = std::iter::once(certificate);
    let chain: Vec<Value> = match detail.certificates.as_str() {
        "none" => Vec::new(),
        "single" => own.map(|one| base64(one.as_der())).collect(),
        _ => own.chain(identity.issuers()).map(|one| base64(one.as_der())).collect(),
    };
    if !chain.is_empty() {
        cert.insert("certificates".to_owned(), chain.into());
    }
    if detail.cert_info {
        cert.insert("issuerDN".to_owned(), certificate.issuer().shown().into());
        cert.insert("serialNumber".to_owned(), certificate.serial_hex().into());
        cert.insert("subjectDN".to_owned(), certificate.subject().shown().into());
        cert.insert("validFrom".to_owned(), generalized(certificate.not_before()).into());
        cert.insert("validTo".to_owned(), generalized(certificate.not_after()).into());
    }
    let mut info = Map::new();
    info.insert("key".to_owned(), key);
    info.insert("cert".to_owned(), cert.into());
    if detail.auth_info {
        info.insert("auth".to_owned(), json!({"mode": "explicit"}));
    }
    info.insert("SCAL".to_owned(), "2".into());
    info.insert("multisign".to_owned(), MAX_SIGNATURES.into());
    info.insert("lang".to_owned(), "en-US".into());
    if state.variants().extra_fields {
        info.insert("futureField".to_owned(), json!({"list": [null, 1]}));
    }
    info
}

/// `YYYYMMDDHHMMSSZ`
fn generalized(time: Time) -> String {
    let (year, month, day, hour, minute, second) = time.civil();
    format!("{year:04}{month:02}{day:02}{hour:02}{minute:02}{second:02}Z")
}

/// The same for one credential, outside of the order of calls.
pub(crate) fn info(state: &State, call: &Call) -> Result<Value, CscError> {
    with_session(state, call, |_| Ok(()))?;
    let (id, detail) = read(call, |fields, problems| {
        let id = fields.string("credentialID", problems).unwrap_or_default().into_owned();
        (id, Detail::read(fields, problems))
    })?;
    with_session(state, call, |session| {
        let credential = session.credential(&id)?;
        Ok(describe(&credential, session, &detail, state).into())
    })
}

/// What is to be authorized.
struct Wanted {
    id: String,
    count: u64,
    hashes: Vec<String>,
    hash_oid: String,
}

/// Gives activation data for the hashes.
pub(crate) fn authorize(state: &State, call: &Call) -> Result<Value, CscError> {
    with_session(state, call, |session| session.expect(Stage::Authorize))?;
    let wanted = read(call, |fields, problems| {
        let wanted = Wanted {
            id: fields.string("credentialID", problems).unwrap_or_default().into_owned(),
            count: fields.integer("numSignatures", 0, problems).unwrap_or_default(),
            hashes: fields.texts("hashes", problems).unwrap_or_default(),
            hash_oid: fields.string("hashAlgorithmOID", problems).unwrap_or_default().into_owned(),
        };
        fields.ignore("authData");
        let description = fields.optional_string("description", problems);
        if description.is_some_and(|text| text.chars().count() > 500) {
            problems.add("Field 'description' has more than 500 characters");
        }
        fields.optional_string("clientData", problems);
        wanted
    })?;
    let now = state.clock.now_millis();
    with_session(state, call, |session| {
        session.expect(Stage::Authorize)?;
        session.credential(&wanted.id)?;
        let hashes = check(&wanted)?;
        let sad = state.random.token();
        let variants = state.variants();
        if variants.csc_authorize == CscAuthorize::Handle {
            session.stage = Stage::Sign;
            return Ok(json!({"handle": sad}));
        }
        session.activation = Some(Activation {
            sad: sad.clone(),
            hashes,
            hash_oid: wanted.hash_oid.clone(),
            expires_ms: now.saturating_add(SAD_SECONDS * 1000),
        });
        session.stage = Stage::Sign;
        Ok(match variants.csc_expires_in {
            true => json!({"SAD": sad, "expiresIn": SAD_SECONDS}),
            false => json!({ "SAD": sad }),
        })
    })
}

fn check(wanted: &Wanted) -> Result<Vec<Vec<u8>>, CscError> {
    if !(1..=MAX_SIGNATURES).contains(&wanted.count) {
        let reason = format!("numSignatures is {}, 1 to {MAX_SIGNATURES} are served", wanted.count);
        return Err(CscError::new("invalid_parameters", reason));
    }
    let hash = algorithms::hash(&wanted.hash_oid)?;
    let hashes = decode(&wanted.hashes, hash.output_len())?;
    if hashes.len() as u64 == wanted.count {
        return Ok(hashes);
    }
    let reason = format!("{} hashes, numSignatures is {}", hashes.len(), wanted.count);
    Err(CscError::new("hash_mismatch", reason))
}

/// Hashes of the right length and number.
pub(crate) fn decode(hashes: &[String], length: usize) -> Result<Vec<Vec<u8>>, CscError> {
    let refuse = |reason: String| CscError::new("invalid_parameters", reason);
    if hashes.is_empty() || hashes.len() as u64 > MAX_SIGNATURES {
        return Err(refuse(format!("{} hashes, 1 to {MAX_SIGNATURES} are served", hashes.len())));
    }
    let one = |(index, text): (usize, &String)| {
        let bytes = STANDARD
            .decode(text)
            .map_err(|error| refuse(format!("hashes[{index}] is no base64: {error}")))?;
        if bytes.len() == length {
            Ok(bytes)
        } else {
            let found = bytes.len();
            Err(refuse(format!("hashes[{index}] has {found} bytes, the hash has {length}")))
        }
    };
    hashes.iter().enumerate().map(one).collect()
}
