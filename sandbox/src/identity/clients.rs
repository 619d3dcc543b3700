//! The clients that the identity provider knows.

use std::sync::{Arc, Mutex};

use serde::Deserialize;

use super::client_keys::ClientKey;
use crate::sync::lock;

/// A client that the identity provider knows.
#[derive(Clone, Default)]
pub(crate) struct RegisteredClient {
    pub(crate) id: String,
    /// Without one only an assertion proves the client.
    pub(crate) secret: Option<String>,
    /// Scopes it may ask for; `None` for all.
    pub(crate) scopes: Option<Vec<String>>,
    /// Its public keys, for `private_key_jwt`.
    pub(crate) keys: Vec<ClientKey>,
    /// Where its end users may be sent back to; `None` for any https or loopback address.
    pub(crate) redirect_uris: Option<Vec<String>>,
}

impl std::fmt::Debug for RegisteredClient {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RegisteredClient").field("id", &self.id).finish_non_exhaustive()
    }
}

/// What the control surface is told about a client. What is left out stays as it is.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Registration {
    client_id: String,
    client_secret: Option<String>,
    scopes: Option<Vec<String>>,
    jwks: Option<serde_json::Value>,
    public_key_pem: Option<String>,
    redirect_uris: Option<Vec<String>>,
}

/// All clients; the first is the one that the sandbox announces.
#[derive(Debug)]
pub(crate) struct Clients {
    first_id: String,
    first_secret: String,
    list: Mutex<Vec<Arc<RegisteredClient>>>,
}

impl Clients {
    pub(crate) fn new(id: String, secret: String, keys: Vec<ClientKey>) -> Self {
        let (first_id, first_secret) = (id.clone(), secret.clone());
        let first = RegisteredClient { id, secret: Some(secret), keys, ..Default::default() };
        Self { first_id, first_secret, list: Mutex::new(vec![Arc::new(first)]) }
    }

    pub(crate) fn first_id(&self) -> &str {
        &self.first_id
    }

    pub(crate) fn first_secret(&self) -> &str {
        &self.first_secret
    }

    pub(crate) fn find(&self, id: &str) -> Option<Arc<RegisteredClient>> {
        lock(&self.list).iter().find(|client| client.id == id).cloned()
    }

    pub(crate) fn ids(&self) -> Vec<String> {
        lock(&self.list).iter().map(|client| client.id.clone()).collect()
    }

    /// Adds a client, or takes the place of the one with the same identifier.
    pub(crate) fn put(&self, client: RegisteredClient) {
        let client = Arc::new(client);
        let mut list = lock(&self.list);
        match list.iter_mut().find(|known| known.id == client.id) {
            Some(known) => *known = client,
            None => list.push(client),
        }
    }

    /// Registers or changes a client; the error says what is wrong with it.
    pub(crate) fn register(&self, wanted: Registration) -> Result<(), String> {
        if wanted.client_id.is_empty() {
            return Err("client_id is empty".to_owned());
        }
        let known = self.find(&wanted.client_id).map(|known| (*known).clone());
        let mut client = known.unwrap_or_default();
        client.id = wanted.client_id;
        client.secret = wanted.client_secret.or(client.secret);
        client.scopes = wanted.scopes.or(client.scopes);
        client.redirect_uris = wanted.redirect_uris.or(client.redirect_uris);
        if wanted.jwks.is_some() || wanted.public_key_pem.is_some() {
            client.keys.clear();
        }
        if let Some(jwks) = &wanted.jwks {
            client.keys.extend(ClientKey::from_jwks(jwks)?);
        }
        if let Some(pem) = &wanted.public_key_pem {
            client.keys.push(ClientKey::from_pem(pem)?);
        }
        self.put(client);
        Ok(())
    }
}
