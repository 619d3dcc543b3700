//! Signing sessions: a service token goes through the endpoints once and in order, with a key and
//! certificate of its own.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use serde::Deserialize;
use serde_json::{Value, json};
use signdoc_signature::pki::Identity;

use super::errors::CscError;
use crate::identity::persons::Person;
use crate::random::Random;
use crate::sync::lock;

/// Seconds a service token is valid.
pub(crate) const TOKEN_SECONDS: u64 = 3600;
/// Seconds signature activation data is valid.
pub(crate) const SAD_SECONDS: u64 = 300;

/// The endpoint that is next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    List,
    Authorize,
    Sign,
    Spent,
}

impl Stage {
    fn name(self) -> &'static str {
        match self {
            Self::List => "credentials/list",
            Self::Authorize => "credentials/authorize",
            Self::Sign => "signatures/signHash",
            Self::Spent => "none",
        }
    }
}

/// What stands against using a credential.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Status {
    #[default]
    Valid,
    /// It is not there any more.
    NotFound,
    Locked,
    Expired,
    CertificateNotFound,
    CertificateExpired,
    CertificateRevoked,
}

impl Status {
    /// The code of the refusal.
    pub(crate) fn check(self) -> Result<(), CscError> {
        let code = match self {
            Self::Valid => return Ok(()),
            Self::NotFound => "credential_not_found",
            Self::Locked => "credential_locked",
            Self::Expired => "credential_expired",
            Self::CertificateNotFound => "certificate_not_found",
            Self::CertificateExpired => "certificate_expired",
            Self::CertificateRevoked => "certificate_revoked",
        };
        Err(CscError::new(code, "as the control surface was told"))
    }
}

/// A key with its certificate, made for one session.
#[derive(Debug)]
pub(crate) struct Credential {
    pub(crate) id: String,
    pub(crate) identity: Identity,
}

/// What the end user's activation covers.
#[derive(Debug, Clone)]
pub(crate) struct Activation {
    pub(crate) sad: String,
    pub(crate) hashes: Vec<Vec<u8>>,
    pub(crate) hash_oid: String,
    pub(crate) expires_ms: u64,
}

/// One session.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) client_id: String,
    pub(crate) person: Person,
    pub(crate) stage: Stage,
    pub(crate) credential: Option<Arc<Credential>>,
    pub(crate) status: Status,
    pub(crate) activation: Option<Activation>,
    expires_ms: u64,
}

impl Session {
    /// Checks that `stage` is the endpoint that is next.
    pub(crate) fn expect(&self, stage: Stage) -> Result<(), CscError> {
        if self.stage == stage {
            return Ok(());
        }
        let (called, next) = (stage.name(), self.stage.name());
        Err(CscError::new("token_already_used", format!("{called} was called, next is {next}")))
    }

    /// The credential with this identifier, when it can be used.
    pub(crate) fn credential(&self, id: &str) -> Result<Arc<Credential>, CscError> {
        let found = self.credential.as_ref().filter(|credential| credential.id == id);
        let found = found.ok_or_else(|| {
            CscError::new("invalid_credential_id", "this session lists no such credential")
        })?;
        self.status.check()?;
        Ok(Arc::clone(found))
    }
}

/// The sessions of one sandbox, by service token.
#[derive(Debug, Default)]
pub(crate) struct Sessions(Mutex<HashMap<String, Session>>);

impl Sessions {
    /// A service token for a new session.
    pub(crate) fn open(
        &self,
        client_id: String,
        person: Person,
        now_ms: u64,
        random: &Random,
    ) -> String {
        let token = random.token();
        let session = Session {
            client_id,
            person,
            stage: Stage::List,
            credential: None,
            status: Status::Valid,
            activation: None,
            expires_ms: now_ms.saturating_add(TOKEN_SECONDS * 1000),
        };
        lock(&self.0).insert(token.clone(), session);
        token
    }

    /// Does something with a session that is valid; `None` when there is none.
    pub(crate) fn with<T>(
        &self,
        token: &str,
        now_ms: u64,
        act: impl FnOnce(&mut Session) -> Result<T, CscError>,
    ) -> Option<Result<T, CscError>> {
        let mut sessions = lock(&self.0);
        let session = sessions.get_mut(token).filter(|session| now_ms < session.expires_ms)?;
        Some(act(session))
    }

    /// Says what stands against a credential; false when no session lists it.
    pub(crate) fn set_status(&self, id: &str, status: Status) -> bool {
        let mut sessions = lock(&self.0);
        let lists = |session: &&mut Session| {
            session.credential.as_ref().is_some_and(|credential| credential.id == id)
        };
        match sessions.values_mut().find(lists) {
            Some(session) => {
                session.status = status;
                true
            }
            None => false,
        }
    }

    /// The certificate of a credential.
    pub(crate) fn find(&self, id: &str) -> Option<Arc<Credential>> {
        let sessions = lock(&self.0);
        let mut credentials = sessions.values().filter_map(|session| session.credential.as_ref());
        credentials.find(|credential| credential.id == id).cloned()
    }

    /// Lets all tokens expire.
    pub(crate) fn expire_all(&self, now_ms: u64) {
        for session in lock(&self.0).values_mut() {
            session.expires_ms = session.expires_ms.min(now_ms);
        }
    }

    /// What the control surface shows.
    pub(crate) fn describe(&self) -> Value {
        let sessions = lock(&self.0);
        let list: Vec<Value> = sessions
            .values()
            .map(|session| {
                json!({
                    "client_id": session.client_id,
                    "person": session.person.name(),
                    "next": session.stage.name(),
                    "credentialID": session.credential.as_ref().map(|credential| &credential.id),
                })
            })
            .collect();
        list.into()
    }

    /// Forgets everything.
    pub(crate) fn clear(&self) {
        lock(&self.0).clear();
    }
}
