//! The once-only order of a session's token, as types: list, authorize, sign.

use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Value, json};
use signdoc_signature::asn1::Time;
use signdoc_spec::endpoints::{
    PATH_CSC_CREDENTIALS_AUTHORIZE, PATH_CSC_CREDENTIALS_LIST, PATH_CSC_SIGN_HASH,
};
use signdoc_spec::limits::{CSC_HASHES_MAX, CSC_HASHES_MIN, CSC_SAD_LIFETIME_DEFAULT};

use super::exchange::{leaves_token, may_have_arrived, post, text};
use super::login::check_description;
use super::model::{Credential, HashAlgorithm, Padding, SignAlgorithm, base64_of, texts};
use super::sign::check_signatures;
use crate::client::{Call, CallOptions, Client};
use crate::error::{Code, Error, Result};
use crate::trace::Level;

const LIST: &str = "credentials/list";
const INFO: &str = "credentials/info";
/// CSC API v2; the specification names no path below `/credentials` but the two of the sequence.
const PATH_INFO: &str = "/credentials/info";
/// Credentials without details that are asked for.
const MOST_NAMED: usize = 10;
const AUTHORIZE: &str = "credentials/authorize";
const SIGN: &str = "signatures/signHash";

/// The token of a session.
pub(super) struct Token {
    pub value: SecretString,
    pub expires_at: Option<SystemTime>,
}

/// What all steps of a session share.
pub(super) struct Core {
    pub client: Client,
    token: Token,
}

impl Core {
    fn now(&self) -> SystemTime {
        self.client.shared.clock.now()
    }

    /// Refuses a step that the service would refuse because the token has expired.
    fn check_token(&self, what: &str) -> Result<()> {
        match self.token.expires_at {
            Some(at) if self.now() >= at => Err(Error::new(
                Code::CscInvalidToken,
                format!("{what}: the session's token has expired; begin a new login"),
            )),
            _ => Ok(()),
        }
    }

    /// How long the token is good for.
    fn expires_in(&self) -> Option<Duration> {
        Some(self.token.expires_at?.duration_since(self.now()).unwrap_or_default())
    }

    /// One credential, looked at anew.
    async fn info(&self, credential_id: &str, call: &Call) -> Result<Credential> {
        self.check_token(INFO)?;
        let body = json!({
            "credentialID": credential_id, "certificates": "chain", "certInfo": true,
            "authInfo": true,
        });
        let mut answer = self.post(INFO, PATH_INFO, &body, call).await?;
        if let Some(answer) = answer.as_object_mut() {
            // The standard leaves the identifier out of this answer.
            answer.entry("credentialID").or_insert_with(|| json!(credential_id));
        }
        let mut found = Credential::list(&json!({"credentialInfos": [answer]}), INFO)?;
        Ok(found.swap_remove(0))
    }

    /// Asks for the details of credentials of which only the name came (CSC API v2 section 11.5).
    async fn complete(&self, credentials: &mut [Credential], call: &Call) {
        for credential in credentials.iter_mut().filter(|one| one.is_only_named()).take(MOST_NAMED)
        {
            match self.info(&credential.credential_id, call).await {
                Ok(details) => *credential = details,
                Err(error) => call.trace.event(Level::Warning, || {
                    format!("{LIST}: only the name came of a credential, and its details cannot be had: {error}")
                }),
            }
        }
    }

    async fn post(
        &self,
        what: &'static str,
        path: &str,
        body: &Value,
        call: &Call,
    ) -> Result<Value> {
        let work = post(&self.client, what, path, Some(&self.token.value), body, call);
        self.client.within(call, what, work).await
    }
}

/// A step that failed; the session comes back where its token can still be used.
pub struct StepError<S> {
    /// Why.
    pub error: Error,
    /// The session, for another attempt at the same step; `None` when its token is, or may be,
    /// spent: a new login is needed.
    pub session: Option<S>,
}

impl<S> fmt::Debug for StepError<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StepError")
            .field("error", &self.error)
            .field("is_over", &self.session.is_none())
            .finish()
    }
}

impl<S> From<StepError<S>> for Error {
    fn from(failed: StepError<S>) -> Self {
        failed.error
    }
}

impl<S> StepError<S> {
    /// A failure before anything was sent.
    fn early(error: Error, session: S) -> Self {
        Self { error, session: Some(session) }
    }

    /// A failure of the exchange itself.
    fn of_exchange(error: Error, session: S) -> Self {
        if leaves_token(&error) {
            return Self { error, session: Some(session) };
        }
        let told = format!("{}; the session is over, begin a new login", error.message());
        let error = error.with_message(told).with_detail("session_over", true);
        Self { error, session: None }
    }
}

/// A session whose token has not been used.
pub struct Session {
    core: Core,
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Session(...)")
    }
}

impl Session {
    pub(super) fn new(client: Client, token: Token) -> Self {
        Self { core: Core { client, token } }
    }

    /// How long the token is good for; `None` where the service did not say.
    #[must_use]
    pub fn expires_in(&self) -> Option<Duration> {
        self.core.expires_in()
    }

    pub(super) fn client(&self) -> &Client {
        &self.core.client
    }

    /// The user's credentials with their certificates. The service makes key and certificate now.
    ///
    /// # Errors
    /// CSC, network and protocol errors; [`Code::CscCredentialNotFound`] where there is none.
    pub async fn list(self, options: &CallOptions) -> Result<Listed, StepError<Self>> {
        if let Err(error) = self.core.check_token(LIST) {
            return Err(StepError { error, session: None });
        }
        let call = self.core.client.call(options);
        let body = json!({
            "credentialInfo": true, "certificates": "chain", "certInfo": true, "authInfo": true,
        });
        let answer = match self.core.post(LIST, PATH_CSC_CREDENTIALS_LIST, &body, &call).await {
            Ok(answer) => answer,
            Err(error) => return Err(StepError::of_exchange(error, self)),
        };
        match Credential::list(&answer, LIST) {
            Ok(mut credentials) => {
                self.core.complete(&mut credentials, &call).await;
                Ok(Listed { core: self.core, credentials })
            }
            Err(error) => Err(StepError { error, session: None }),
        }
    }
}

/// What is to be signed with one authorization.
#[derive(Clone, Debug)]
pub struct HashesToSign {
    /// The digests, 1 to 50.
    pub hashes: Vec<Vec<u8>>,
    /// The function they were made with.
    pub hash_algorithm: HashAlgorithm,
    /// Which credential; the first one without.
    pub credential_id: Option<String>,
    /// How an RSA key is to sign; as the credential offers it without, PKCS #1 v1.5 first.
    pub padding: Option<Padding>,
    /// What the user is asked to agree to, at most 500 characters.
    pub description: Option<String>,
}

impl HashesToSign {
    /// These hashes, with the first credential.
    #[must_use]
    pub fn new(hashes: Vec<Vec<u8>>, hash_algorithm: HashAlgorithm) -> Self {
        Self { hashes, hash_algorithm, credential_id: None, padding: None, description: None }
    }

    /// Refuses what the service would refuse: the number of hashes, and their lengths.
    pub(super) fn check(&self) -> Result<()> {
        check_count(self.hashes.len())?;
        check_description(self.description.as_deref())?;
        let wanted = self.hash_algorithm.output_len();
        match self.hashes.iter().enumerate().find(|(_, hash)| hash.len() != wanted) {
            None => Ok(()),
            Some((index, hash)) => Err(Error::new(
                Code::CscInvalidParameters,
                format!(
                    "hashes[{index}] has {} bytes; {} gives {wanted}",
                    hash.len(),
                    self.hash_algorithm
                ),
            )
            .with_detail("field", format!("hashes[{index}]"))
            .with_detail("limit", wanted)
            .with_detail("actual", hash.len())),
        }
    }
}

pub(super) fn check_count(count: usize) -> Result<()> {
    if (CSC_HASHES_MIN..=CSC_HASHES_MAX).contains(&count) {
        return Ok(());
    }
    Err(Error::new(
        Code::CscInvalidParameters,
        format!(
            "{count} hashes were given; one session signs {CSC_HASHES_MIN} to {CSC_HASHES_MAX}: split them with plan, each part has a login of its own"
        ),
    )
    .with_detail("field", "hashes")
    .with_detail("limit", CSC_HASHES_MAX)
    .with_detail("actual", count))
}

/// A session that knows the user's credentials.
pub struct Listed {
    core: Core,
    credentials: Vec<Credential>,
}

impl fmt::Debug for Listed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listed").field("credentials", &self.credentials).finish_non_exhaustive()
    }
}

impl Listed {
    /// The credentials.
    #[must_use]
    pub fn credentials(&self) -> &[Credential] {
        &self.credentials
    }

    /// A credential, looked at anew. It stands outside of the once-only order; by itself it is called
    /// only where the list gave no more than a credential's name.
    ///
    /// # Errors
    /// CSC, network and protocol errors; the session goes on as far as the service lets it.
    pub async fn info(&self, credential_id: &str, options: &CallOptions) -> Result<Credential> {
        let call = self.core.client.call(options);
        self.core.info(credential_id, &call).await
    }

    /// Authorizes the signing of exactly these hashes.
    ///
    /// # Errors
    /// Before anything is sent, [`Code::CscInvalidParameters`] for the number or length of hashes,
    /// [`Code::CscCredentialNotFound`], [`Code::CscCredentialLocked`],
    /// [`Code::CscCertificateExpired`], [`Code::CscCertificateRevoked`],
    /// [`Code::CscInvalidSignatureFormat`]; then CSC, network and protocol errors.
    pub async fn authorize(
        self,
        request: HashesToSign,
        options: &CallOptions,
    ) -> Result<Authorized, StepError<Self>> {
        let (credential, algorithm) = match self.checked(&request) {
            Ok(checked) => checked,
            Err(error) => return Err(StepError::early(error, self)),
        };
        if let Err(error) = self.core.check_token(AUTHORIZE) {
            return Err(StepError { error, session: None });
        }
        let call = self.core.client.call(options);
        let mut body = json!({
            "credentialID": credential.credential_id,
            "numSignatures": request.hashes.len(),
            "hashes": encoded(&request.hashes),
            "hashAlgorithmOID": request.hash_algorithm.oid().to_string(),
        });
        if let (Some(text), Some(body)) = (&request.description, body.as_object_mut()) {
            body.insert("description".to_owned(), json!(text));
        }
        let path = PATH_CSC_CREDENTIALS_AUTHORIZE;
        let answer = match self.core.post(AUTHORIZE, path, &body, &call).await {
            Ok(answer) => answer,
            Err(error) => return Err(StepError::of_exchange(error, self)),
        };
        let now = self.core.now();
        if let Some(sad) = answer.get("SAD").and_then(Value::as_str) {
            self.core.client.shared.secrets.learn(sad);
        }
        match activation(&answer, now) {
            Ok((sad, sad_expires_at)) => Ok(Authorized {
                core: self.core,
                credential,
                algorithm,
                request,
                sad,
                sad_expires_at,
            }),
            Err(error) => Err(StepError { error, session: None }),
        }
    }

    fn checked(&self, request: &HashesToSign) -> Result<(Credential, SignAlgorithm)> {
        request.check()?;
        let credential = Credential::chosen(&self.credentials, request.credential_id.as_deref())?;
        credential.check(time_of(self.core.now()))?;
        let algorithm = credential.algorithm(request.hash_algorithm, request.padding)?;
        Ok((credential.clone(), algorithm))
    }
}

/// Signature activation data and when they expire (an hour where the answer does not say).
fn activation(answer: &Value, now: SystemTime) -> Result<(SecretString, SystemTime)> {
    let sad = SecretString::from(text(answer, "SAD", AUTHORIZE)?);
    let seconds = match answer.get("expiresIn") {
        Some(Value::String(text)) => text.parse().ok(),
        other => other.and_then(Value::as_f64),
    };
    let lifetime = seconds.and_then(|s: f64| Duration::try_from_secs_f64(s).ok());
    Ok((sad, now + lifetime.unwrap_or(CSC_SAD_LIFETIME_DEFAULT).min(Duration::from_secs(86_400))))
}

/// A session that may sign what was authorized, once.
pub struct Authorized {
    core: Core,
    credential: Credential,
    algorithm: SignAlgorithm,
    request: HashesToSign,
    sad: SecretString,
    sad_expires_at: SystemTime,
}

impl fmt::Debug for Authorized {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Authorized")
            .field("credential", &self.credential)
            .field("hashes", &self.request.hashes.len())
            .finish_non_exhaustive()
    }
}

/// Signatures that were checked against hashes and certificate.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Signatures {
    /// The values, in the order of the hashes. ECDSA values are as the service wrote them.
    pub signatures: Vec<Vec<u8>>,
    /// Who signed.
    pub credential: Credential,
    /// OCSP answers that came along, complete responses in DER.
    pub ocsp_responses: Vec<Vec<u8>>,
    /// Revocation lists that came along, in DER.
    pub crls: Vec<Vec<u8>>,
    pub(super) algorithm: signdoc_signature::crypto::Algorithm,
}

impl Authorized {
    /// How long the authorization is good for.
    #[must_use]
    pub fn expires_in(&self) -> Duration {
        self.sad_expires_at.duration_since(self.core.now()).unwrap_or_default()
    }

    /// Signs, and checks each signature against its hash and the credential's certificate.
    ///
    /// # Errors
    /// [`Code::CscInvalidSad`] when the authorization has expired here; CSC, network and protocol
    /// errors; [`Code::CscSignatureMismatch`] and [`Code::CscHashMismatch`] for signatures that are
    /// wrong or too few; [`Code::OutcomeUnknown`] when the answer was lost: the signatures may have
    /// been made, and cannot be had any more.
    pub async fn sign(self, options: &CallOptions) -> Result<Signatures, StepError<Self>> {
        if let Err(error) = self.check_time() {
            return Err(StepError { error, session: None });
        }
        let call = self.core.client.call(options);
        let mut body = json!({
            "credentialID": self.credential.credential_id,
            "SAD": self.sad.expose_secret(),
            "hashes": encoded(&self.request.hashes),
            "hashAlgorithmOID": self.request.hash_algorithm.oid().to_string(),
            "signAlgo": self.algorithm.oid,
        });
        if let (Some(parameters), Some(body)) = (&self.algorithm.parameters, body.as_object_mut()) {
            body.insert("signAlgoParams".to_owned(), json!(STANDARD.encode(parameters)));
        }
        let answer = match self.core.post(SIGN, PATH_CSC_SIGN_HASH, &body, &call).await {
            Ok(answer) => answer,
            Err(error) if may_have_arrived(&error) => {
                return Err(StepError { error: unknown(&error), session: None });
            }
            Err(error) => return Err(StepError::of_exchange(error, self)),
        };
        self.read(&answer).map_err(|error| StepError { error, session: None })
    }

    /// Whether exactly these hashes were authorized.
    pub(super) fn covers(&self, request: &HashesToSign) -> bool {
        self.request.hashes == request.hashes
            && self.request.hash_algorithm == request.hash_algorithm
    }

    fn check_time(&self) -> Result<()> {
        self.core.check_token(SIGN)?;
        if self.core.now() < self.sad_expires_at {
            return Ok(());
        }
        Err(Error::new(
            Code::CscInvalidSad,
            format!("{SIGN}: the authorization has expired; begin a new login"),
        ))
    }

    fn read(&self, answer: &Value) -> Result<Signatures> {
        let encoded = texts(answer.get("signatures"));
        if encoded.is_empty() && answer.get("responseID").is_some() {
            return Err(Error::new(
                Code::MissingField,
                format!("{SIGN}: the answer has no signatures but a responseID: the service signs later (operationMode A), although it was asked to sign at once; the session is over, begin a new login"),
            )
            .with_detail("field", "signatures")
            .with_detail("session_over", true));
        }
        let signatures: Vec<_> =
            encoded.iter().map(|text| base64_of(text).unwrap_or_default()).collect();
        let request = &self.request;
        check_signatures(&self.credential, self.algorithm.algorithm, &request.hashes, &signatures)?;
        let validation = answer.get("validationInfo");
        let lists = |name: &str| validation.and_then(|value| value.get(name));
        let decoded = |value| texts(value).iter().filter_map(|text| base64_of(text)).collect();
        let mut ocsp: Vec<Vec<u8>> = decoded(lists("ocsp"));
        // The service's sister interface names it so, and sends basic responses.
        ocsp.extend::<Vec<_>>(decoded(answer.get("ocspResponse")));
        Ok(Signatures {
            signatures,
            credential: self.credential.clone(),
            ocsp_responses: ocsp.iter().map(|bytes| complete(bytes)).collect(),
            crls: decoded(lists("crl")),
            algorithm: self.algorithm.algorithm,
        })
    }
}

/// An OCSP answer as a complete response, which is what a document security store holds.
fn complete(bytes: &[u8]) -> Vec<u8> {
    use signdoc_signature::revocation::{unwrap_response, wrap_basic_response};
    match unwrap_response(bytes) {
        Ok(basic) if basic.len() < bytes.len() => bytes.to_vec(),
        _ => wrap_basic_response(bytes),
    }
}

fn unknown(error: &Error) -> Error {
    let told = format!(
        "{}; it is not known whether the hashes were signed, and the token is spent: begin a new login and sign again",
        error.message()
    );
    Error::new(Code::OutcomeUnknown, told)
        .with_detail("session_over", true)
        .with_detail("cause", error.name())
}

fn encoded(hashes: &[Vec<u8>]) -> Vec<String> {
    hashes.iter().map(|hash| STANDARD.encode(hash)).collect()
}

pub(super) fn time_of(time: SystemTime) -> Time {
    let seconds = time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    Time::from_unix(i64::try_from(seconds).unwrap_or(i64::MAX))
}
