//! `signatures/signHash` (CSC API 11.10).

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};
use signdoc_signature::crypto::Algorithm;
use signdoc_signature::pki::OcspOptions;
use tokio::task::spawn_blocking;

use super::errors::CscError;
use super::session::{Credential, Session, Stage};
use super::{algorithms, credentials, read, with_session};
use crate::authority::time;
use crate::faults::{CscChange, Fault};
use crate::http::Call;
use crate::state::State;
use crate::variants::CscSignHash;

/// What is to be signed.
struct Wanted {
    id: String,
    sad: String,
    hashes: Vec<String>,
    hash_oid: Option<String>,
    sign_algo: String,
    params: Option<String>,
    mode: Option<String>,
}

/// What was found good, and uses the token up.
struct Job {
    credential: Arc<Credential>,
    algorithm: Algorithm,
    hashes: Vec<Vec<u8>>,
}

/// Signs the hashes.
pub(crate) async fn answer(state: &Arc<State>, call: &Call) -> Result<Value, CscError> {
    with_session(state, call, |session| session.expect(Stage::Sign))?;
    let wanted = read(call, |fields, problems| {
        let wanted = Wanted {
            id: fields.string("credentialID", problems).unwrap_or_default().into_owned(),
            sad: fields.string("SAD", problems).unwrap_or_default().into_owned(),
            hashes: fields.texts("hashes", problems).unwrap_or_default(),
            hash_oid: fields.optional_string("hashAlgorithmOID", problems).map(Into::into),
            sign_algo: fields.string("signAlgo", problems).unwrap_or_default().into_owned(),
            params: fields.optional_string("signAlgoParams", problems).map(Into::into),
            mode: fields.optional_string("operationMode", problems).map(Into::into),
        };
        fields.optional_integer("validity_period", 0, problems);
        fields.optional_string("response_uri", problems);
        fields.optional_string("clientData", problems);
        wanted
    })?;
    let now = state.clock.now_millis();
    let job = with_session(state, call, |session| {
        session.expect(Stage::Sign)?;
        let job = check(session, &wanted, now)?;
        session.stage = Stage::Spent;
        Ok(job)
    })?;
    if state.variants().csc_sign_hash == CscSignHash::ResponseId {
        return Ok(json!({"responseID": state.random.token()}));
    }
    let change = match &call.twist {
        Some(Fault::Csc { change }) => Some(*change),
        _ => None,
    };
    let shared = Arc::clone(state);
    match spawn_blocking(move || job.sign(&shared, change)).await {
        Ok(signed) => signed.map_err(|reason| CscError::new("csc_service_error", reason)),
        Err(_) => Err(CscError::new("csc_service_error", "signing broke off")),
    }
}

fn check(session: &Session, wanted: &Wanted, now: u64) -> Result<Job, CscError> {
    let credential = session.credential(&wanted.id)?;
    match wanted.mode.as_deref() {
        None | Some("S") => {}
        Some("A") => {
            return Err(CscError::new("unsupported_operation", "operationMode A is not served"));
        }
        Some(_) => return Err(CscError::new("invalid_request", "operationMode must be S or A")),
    }
    let sad = |reason: &str| CscError::new("invalid_sad", reason);
    let activation = session.activation.as_ref().filter(|known| known.sad == wanted.sad);
    let activation = activation.ok_or_else(|| sad("it is not that of this session"))?;
    if now >= activation.expires_ms {
        return Err(sad("it has expired"));
    }
    let hash = algorithms::hash(wanted.hash_oid.as_deref().unwrap_or(&activation.hash_oid))?;
    let kind = credential.identity.key().kind();
    let algorithm = algorithms::signature(kind, &wanted.sign_algo, wanted.params.as_deref(), hash)?;
    if wanted.hash_oid.is_none() && !algorithms::names_hash(&wanted.sign_algo) {
        let reason = "hashAlgorithmOID is missing, and signAlgo names no hash function";
        return Err(CscError::new("invalid_request", reason));
    }
    let hashes = credentials::decode(&wanted.hashes, hash.output_len())?;
    if hashes != activation.hashes || algorithms::hash(&activation.hash_oid)? != hash {
        return Err(sad("it was given for other hashes"));
    }
    Ok(Job { credential, algorithm, hashes })
}

impl Job {
    fn sign(&self, state: &State, change: Option<CscChange>) -> Result<Value, String> {
        let identity = &self.credential.identity;
        let mut signatures = Vec::new();
        for (index, hash) in self.hashes.iter().enumerate() {
            let mut hash = hash.clone();
            if let (Some(CscChange::OtherHash), 0, Some(byte)) = (change, index, hash.last_mut()) {
                *byte ^= 1;
            }
            let signature =
                identity.sign_hash(self.algorithm, &hash).map_err(|error| error.to_string())?;
            signatures.push(Value::from(STANDARD.encode(signature)));
        }
        match change {
            Some(CscChange::OneLess) => {
                signatures.pop();
            }
            Some(CscChange::OneMore) => signatures.extend(signatures.last().cloned()),
            Some(CscChange::Reversed) => signatures.reverse(),
            Some(CscChange::OtherHash) | None => {}
        }
        let mut body = Map::new();
        body.insert("signatures".to_owned(), signatures.into());
        if state.variants().csc_ocsp {
            let pki = state.authority.pki(&state.random, &state.clock)?;
            let options = OcspOptions::at(time(state.clock.now_unix()));
            let answer =
                pki.ocsp(identity.certificate(), &options).map_err(|error| error.to_string())?;
            body.insert("ocspResponse".to_owned(), STANDARD.encode(answer).into());
        }
        Ok(body.into())
    }
}
