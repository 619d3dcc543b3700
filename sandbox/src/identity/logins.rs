//! Logins under way: end users at the signing page, and codes that wait to be exchanged.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use super::callback::Callback;
use super::persons::Person;
use crate::random::Random;
use crate::sync::lock;

/// Milliseconds a code is valid.
const CODE_MS: u64 = 60_000;

/// What a merchant asked for when it sent the end user.
#[derive(Debug, Clone)]
pub(crate) struct Login {
    pub(crate) client_id: String,
    pub(crate) sign_id: String,
    pub(crate) scopes: Vec<String>,
    pub(crate) nonce: Option<String>,
    /// The S256 challenge (RFC 7636).
    pub(crate) challenge: Option<String>,
    /// `redirect_uri` as it was sent; absent when the only registered one was meant.
    pub(crate) sent_redirect_uri: Option<String>,
    pub(crate) back: Callback,
    pub(crate) norwegian: bool,
}

/// A code that was handed out.
#[derive(Debug, Clone)]
pub(crate) struct Code {
    pub(crate) login: Arc<Login>,
    pub(crate) person: Person,
    /// When the end user signed, in seconds since 1970.
    pub(crate) auth_time: u64,
    expires_ms: u64,
    used: bool,
    /// The access token that it was exchanged for.
    token: Option<String>,
}

/// Why a code buys nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum BadCode {
    Unknown,
    Expired,
    /// With the access token that the first use gave.
    UsedBefore(Option<String>),
}

/// The logins of one sandbox.
#[derive(Debug, Default)]
pub(crate) struct Logins {
    sessions: Mutex<HashMap<String, Arc<Login>>>,
    codes: Mutex<HashMap<String, Code>>,
}

impl Logins {
    /// Opens a session; an earlier one for the same order ends.
    pub(crate) fn open(&self, login: Login, random: &Random) -> String {
        let session = random.token();
        let mut sessions = lock(&self.sessions);
        sessions.retain(|_, other| other.sign_id != login.sign_id);
        sessions.insert(session.clone(), Arc::new(login));
        session
    }

    pub(crate) fn find(&self, session: &str) -> Option<Arc<Login>> {
        lock(&self.sessions).get(session).cloned()
    }

    /// The session of the end user who is to sign this order.
    pub(crate) fn of_order(&self, sign_id: &str) -> Option<String> {
        let sessions = lock(&self.sessions);
        let found = sessions.iter().find(|(_, login)| login.sign_id == sign_id);
        found.map(|(session, _)| session.clone())
    }

    /// Ends a session; only the first caller gets the login.
    pub(crate) fn close(&self, session: &str) -> Option<Arc<Login>> {
        lock(&self.sessions).remove(session)
    }

    /// Hands out a code.
    pub(crate) fn grant(
        &self,
        login: Arc<Login>,
        person: Person,
        now_ms: u64,
        random: &Random,
    ) -> String {
        let code = random.token();
        let granted = Code {
            login,
            person,
            auth_time: now_ms / 1000,
            expires_ms: now_ms.saturating_add(CODE_MS),
            used: false,
            token: None,
        };
        lock(&self.codes).insert(code.clone(), granted);
        code
    }

    /// Looks at a code without spending it.
    pub(crate) fn look(&self, code: &str, now_ms: u64) -> Result<Code, BadCode> {
        let codes = lock(&self.codes);
        let found = codes.get(code).ok_or(BadCode::Unknown)?;
        match found {
            Code { used: true, token, .. } => Err(BadCode::UsedBefore(token.clone())),
            Code { expires_ms, .. } if now_ms >= *expires_ms => Err(BadCode::Expired),
            _ => Ok(found.clone()),
        }
    }

    /// Spends a code; false when somebody was faster.
    pub(crate) fn spend(&self, code: &str) -> bool {
        let mut codes = lock(&self.codes);
        codes.get_mut(code).is_some_and(|found| !std::mem::replace(&mut found.used, true))
    }

    /// Notes the access token that a code was exchanged for.
    pub(crate) fn bought(&self, code: &str, token: String) {
        if let Some(found) = lock(&self.codes).get_mut(code) {
            found.token = Some(token);
        }
    }

    /// Forgets everything.
    pub(crate) fn clear(&self) {
        lock(&self.sessions).clear();
        lock(&self.codes).clear();
    }
}
