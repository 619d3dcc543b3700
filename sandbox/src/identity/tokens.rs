//! Access tokens: opaque, bound to a client, its scopes and a moment of expiry.

use std::collections::HashMap;
use std::sync::Mutex;

use super::persons::Person;
use crate::random::Random;
use crate::sync::lock;

/// Scopes that a client may ask for with its own credentials. `sign` is not among them: it belongs
/// to the end user's redirect.
pub(crate) const SCOPES: [&str; 6] =
    ["esign", "esign/csc", "esign/nnin", "esign/qtsa", "esign/qualified", "signdoc/read_write"];

/// Scopes that open the signing and conversion interface.
pub(crate) const SIGNDOC_SCOPES: [&str; 2] = ["signdoc/read_write", "esign"];

/// What a token stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Grant {
    pub(crate) client_id: String,
    pub(crate) scopes: Vec<String>,
    pub(crate) expires_at_ms: u64,
    /// The end user it speaks for, when a code was exchanged for it.
    pub(crate) person: Option<Person>,
}

/// The tokens of one sandbox.
#[derive(Debug, Default)]
pub(crate) struct Tokens(Mutex<HashMap<String, Grant>>);

impl Tokens {
    /// Issues a token.
    pub(crate) fn issue(&self, grant: Grant, random: &Random) -> String {
        let token = random.token();
        lock(&self.0).insert(token.clone(), grant);
        token
    }

    /// The grant of a token that is valid at `now_ms`.
    pub(crate) fn find(&self, token: &str, now_ms: u64) -> Option<Grant> {
        lock(&self.0).get(token).filter(|grant| now_ms < grant.expires_at_ms).cloned()
    }

    /// Makes one token invalid; false when it was not known.
    pub(crate) fn revoke(&self, token: &str) -> bool {
        lock(&self.0).remove(token).is_some()
    }

    /// Makes all tokens invalid; returns how many there were.
    pub(crate) fn revoke_all(&self) -> usize {
        let mut tokens = lock(&self.0);
        let count = tokens.len();
        tokens.clear();
        count
    }

    /// Lets all tokens expire at `now_ms`.
    pub(crate) fn expire_all(&self, now_ms: u64) {
        for grant in lock(&self.0).values_mut() {
            grant.expires_at_ms = grant.expires_at_ms.min(now_ms);
        }
    }

    /// How many tokens are valid at `now_ms`.
    pub(crate) fn count(&self, now_ms: u64) -> usize {
        lock(&self.0).values().filter(|grant| now_ms < grant.expires_at_ms).count()
    }
}
