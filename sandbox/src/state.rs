//! Everything one sandbox keeps, shared by all connections.

use std::sync::Mutex;

use http::StatusCode;
use http::header::WWW_AUTHENTICATE;
use serde_json::Value;
use signdoc_signature::crypto::KeyKind;

use crate::Environment;
use crate::address::Address;
use crate::authority::Authority;
use crate::clock::Clock;
use crate::convert::engine::Engine;
use crate::csc::Csc;
use crate::faults::Faults;
use crate::http::{Answer, Call};
use crate::identity::ISSUER_PATH;
use crate::identity::assertion::SeenAssertions;
use crate::identity::clients::Clients;
use crate::identity::keys::Keys;
use crate::identity::logins::Logins;
use crate::identity::tokens::{Grant, Tokens};
use crate::orders::store::Orders;
use crate::random::Random;
use crate::requests::Requests;
use crate::sync::lock;
use crate::tls::Tls;
use crate::variants::{CscKey, TokenRefusal, Variants};

/// The state of one sandbox.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) base_url: String,
    pub(crate) orders_url: String,
    pub(crate) environment: Environment,
    pub(crate) clients: Clients,
    pub(crate) assertions: SeenAssertions,
    pub(crate) tls: Option<Tls>,
    pub(crate) clock: Clock,
    pub(crate) random: Random,
    pub(crate) keys: Keys,
    pub(crate) tokens: Tokens,
    pub(crate) faults: Faults,
    pub(crate) requests: Requests,
    pub(crate) variants: Mutex<Variants>,
    /// The variants of the start, for a reset.
    pub(crate) first_variants: Variants,
    pub(crate) engine: Engine,
    pub(crate) orders: Orders,
    pub(crate) authority: Authority,
    pub(crate) logins: Logins,
    pub(crate) csc: Csc,
    pub(crate) log: bool,
}

impl State {
    /// Address of the identity provider.
    pub(crate) fn issuer(&self) -> String {
        format!("{}{ISSUER_PATH}", self.base_url)
    }

    /// Address of the order endpoints, as discovery publishes it.
    pub(crate) fn signing_url(&self) -> &str {
        match self.variants().two_addresses {
            true => &self.orders_url,
            false => &self.base_url,
        }
    }

    /// Whether everything but orders is served at this address.
    pub(crate) fn serves_all_but_orders(&self, address: Address) -> bool {
        address == Address::Base || !self.variants().two_addresses
    }

    /// Whether orders are served at this address.
    pub(crate) fn serves_orders(&self, address: Address) -> bool {
        address == Address::Orders || !self.variants().two_addresses
    }

    /// The kind of the keys behind credentials.
    pub(crate) fn csc_key(&self) -> KeyKind {
        match self.variants().csc_key {
            CscKey::Rsa2048 => KeyKind::Rsa(2048),
            CscKey::Rsa3072 => KeyKind::Rsa(3072),
            CscKey::P256 => KeyKind::P256,
            CscKey::P384 => KeyKind::P384,
        }
    }

    /// The forms to answer in.
    pub(crate) fn variants(&self) -> Variants {
        lock(&self.variants).clone()
    }

    /// Checks the access token of a call; it needs at least one of `scopes`.
    pub(crate) fn authorize(&self, call: &Call, scopes: &[&str]) -> Result<Grant, String> {
        let token = call.bearer()?;
        if call.reject_token {
            return Err("access token refused by a fault".to_owned());
        }
        let grant = self
            .tokens
            .find(token, self.clock.now_millis())
            .ok_or_else(|| "access token is unknown, expired or revoked".to_owned())?;
        if grant.scopes.iter().any(|scope| scopes.contains(&scope.as_str())) {
            Ok(grant)
        } else {
            Err(format!("access token lacks the scope, one of {} is needed", scopes.join(", ")))
        }
    }

    /// The answer to a call whose token was refused: a JSON string.
    pub(crate) fn token_refusal(&self, reason: String) -> Answer {
        let body = Value::from("Access token is invalid or missing");
        let answer = match self.variants().token_refusal {
            TokenRefusal::Forbidden => Answer::json(StatusCode::FORBIDDEN, &body),
            TokenRefusal::Unauthorized => Answer::json(StatusCode::UNAUTHORIZED, &body)
                .header(WWW_AUTHENTICATE, "Bearer error=\"invalid_token\""),
        };
        answer.refused(reason)
    }

    /// Forgets what happened and goes back to the settings of the start. Clients, keys, the
    /// authority and the address stay.
    pub(crate) fn reset(&self) {
        self.clock.reset();
        self.tokens.revoke_all();
        self.assertions.clear();
        self.faults.clear();
        self.requests.clear();
        self.engine.forget();
        self.orders.clear();
        self.logins.clear();
        self.csc.clear();
        *lock(&self.variants) = self.first_variants.clone();
    }

    /// One line on standard error for a request that is over, when the log is on.
    pub(crate) fn log_request(&self, id: u64) {
        if !self.log {
            return;
        }
        let Some(seen) = self.requests.get(id) else { return };
        let status = seen.status.map_or("dropped".to_owned(), |status| status.to_string());
        let mut line = format!("sandbox: #{id} {} {} {status}", seen.method, seen.path);
        if seen.address == Address::Orders {
            line.push_str(" (orders address)");
        }
        if let Some(fault) = seen.fault {
            line.push_str(&format!(" (fault {fault})"));
        }
        if let Some(reason) = seen.refused {
            line.push_str(&format!(" (refused: {reason})"));
        }
        eprintln!("{line}");
    }

    /// One line on standard error about something else.
    pub(crate) fn log_note(&self, note: &str) {
        if self.log {
            eprintln!("sandbox: {note}");
        }
    }
}
