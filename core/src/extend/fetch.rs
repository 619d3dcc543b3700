//! Fetching evidence by addresses that strangers wrote into certificates: everything is bounded,
//! and nothing that comes is believed before it was checked.

use std::collections::HashMap;
use std::time::Duration;

use http::Method;
use url::Url;

use crate::client::{Call, Client};
use crate::config::origin_of;
use crate::transport::{Body, Request};

const FETCH: &str = "fetch evidence";
/// One request with its redirects may take so long.
const PATIENCE: Duration = Duration::from_secs(30);
const REDIRECTS: usize = 3;
/// Requests of one extension.
const REQUESTS: usize = 100;
/// Certificates and OCSP answers are a few kilobytes.
const SMALL: usize = 256 * 1024;
/// More would not be read by a verification either.
const LIST: usize = 4 << 20;

/// What is wanted of an address.
#[derive(Clone, Copy)]
pub(super) enum Wanted<'a> {
    /// An OCSP answer to this request.
    Ocsp(&'a [u8]),
    /// A revocation list.
    Crl,
    /// Certificates.
    Certificates,
}

impl Wanted<'_> {
    fn cap(self) -> usize {
        match self {
            Self::Crl => LIST,
            Self::Ocsp(_) | Self::Certificates => SMALL,
        }
    }
}

/// Fetches for one extension.
pub(super) struct Fetcher {
    client: Client,
    call: Call,
    left: usize,
    /// Servers that failed to answer: nobody waits for them twice.
    dead: HashMap<String, String>,
}

impl Fetcher {
    pub(super) fn new(client: Client, call: &Call) -> Self {
        Self { client, call: call.aside(), left: REQUESTS, dead: HashMap::new() }
    }

    /// What is at `address`.
    ///
    /// # Errors
    /// In words: what cannot be had is told, and ends nothing.
    pub(super) async fn fetch(
        &mut self,
        address: &str,
        wanted: Wanted<'_>,
    ) -> Result<Vec<u8>, String> {
        let url = Url::parse(address.trim()).map_err(|error| format!("is no address: {error}"))?;
        let patience = PATIENCE.min(self.client.config().timeout());
        let origin = origin_of(&url);
        if let Some(why) = self.dead.get(&origin) {
            return Err(why.clone());
        }
        let fetched = tokio::time::timeout(patience, self.follow(url, wanted)).await;
        fetched.unwrap_or_else(|_| {
            let why = format!("did not answer in full within {} s", patience.as_secs_f64());
            self.dead.insert(origin, why.clone());
            Err(why)
        })
    }

    async fn follow(&mut self, mut url: Url, wanted: Wanted<'_>) -> Result<Vec<u8>, String> {
        for _ in 0..=REDIRECTS {
            match self.ask(&url, wanted).await? {
                Ok(body) => return Ok(body),
                Err(next) => url = next,
            }
        }
        Err(format!("redirects more than {REDIRECTS} times"))
    }

    /// The body, or where the answer leads on to.
    async fn ask(&mut self, url: &Url, wanted: Wanted<'_>) -> Result<Result<Vec<u8>, Url>, String> {
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
            return Err(format!("is an address of kind {}, not http or https", url.scheme()));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err("holds a user or password".to_owned());
        }
        self.left = self.left.checked_sub(1).ok_or_else(|| {
            format!("was not asked: an extension makes at most {REQUESTS} requests")
        })?;
        let (method, body) = match wanted {
            Wanted::Ocsp(query) => (Method::POST, Body::OcspQuery(query.to_vec().into())),
            _ => (Method::GET, Body::File),
        };
        let (what, url, call) = (FETCH, url.clone(), &self.call);
        let asked = url.clone();
        let request = Request { what, method, url, authorization: None, body, call };
        let sent = self.client.shared.transport.exchange(request).await;
        let mut answer = sent.map_err(|error| {
            let why = format!("did not answer: {}", error.message());
            self.dead.insert(origin_of(&asked), why.clone());
            why
        })?;
        let status = answer.status();
        if matches!(status, 301 | 302 | 303 | 307 | 308) {
            let location = answer.location().ok_or("redirects to nowhere")?;
            let next = asked.join(location).map_err(|_| "redirects to what is no address")?;
            return Ok(Err(next));
        }
        if status != 200 {
            return Err(format!("answered with HTTP status {status}"));
        }
        let cap = wanted.cap();
        let too_large = || format!("answered with more than {cap} bytes");
        if answer.content_length().is_some_and(|length| length > cap as u64) {
            return Err(too_large());
        }
        let kind = answer.content_type().to_owned();
        let body = answer.body(cap + 1).await.map_err(|error| error.message().to_owned())?;
        match body.len() {
            0 => Err("answered with nothing".to_owned()),
            len if len > cap => Err(too_large()),
            // The kind does not matter where the content is right: many servers tell a wrong one.
            _ if body.first() == Some(&b'<') => Err(format!("answered with a page ({kind})")),
            _ => Ok(Ok(body)),
        }
    }
}
