//! The provider's metadata (OpenID Connect Discovery 1.0), cached and refreshed daily.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, SystemTime};

use http::Method;
use serde_json::{Map, Value};
use signdoc_spec::values::DISCOVERY_BASE_URL;
use url::Url;

use super::flight::Flight;
use crate::client::{Call, Shared};
use crate::config::{checked_url, join, origin_of};
use crate::error::{Code, Error, Result};
use crate::transport::{Body, Request};

const WHAT: &str = "discovery";
const PATH: &str = "/.well-known/openid-configuration";
/// The provider asks for a refresh at least daily.
const FRESH_FOR: Duration = Duration::from_secs(24 * 60 * 60);
/// How long a stale document serves while the provider cannot be reached, before asking again.
const RETRY_AFTER: Duration = Duration::from_secs(60);
const DOCUMENT_CAP: usize = 1024 * 1024;

/// What the provider says of itself.
#[derive(Clone, Debug)]
pub struct ProviderMetadata {
    values: Arc<Map<String, Value>>,
    /// The service's address, parsed at its first use.
    service: Arc<OnceLock<Url>>,
}

impl ProviderMetadata {
    /// A value by its registered or vendor name, for example `signdoc-baseurl`.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.values.get(name)
    }

    /// The service's address, `signdoc-baseurl`; `remedy` is what to do where there is none.
    pub(crate) fn service(&self, remedy: &str) -> Result<&Url> {
        if let Some(url) = self.service.get() {
            return Ok(url);
        }
        let url = self.url(DISCOVERY_BASE_URL, remedy)?;
        Ok(self.service.get_or_init(|| url))
    }

    /// Whether the provider names the service's address.
    pub(crate) fn publishes_service(&self) -> bool {
        self.get(DISCOVERY_BASE_URL).is_some_and(|url| !url.is_null())
    }

    /// An address by its name.
    ///
    /// # Errors
    /// [`Code::DiscoveryIncomplete`] when it is missing, [`Code::InsecureUrl`] when it is plain
    /// http off loopback.
    pub(crate) fn url(&self, name: &str, remedy: &str) -> Result<Url> {
        let text = self.get(name).and_then(Value::as_str).ok_or_else(|| {
            Error::new(
                Code::DiscoveryIncomplete,
                format!("the provider's discovery document has no {name}; {remedy}"),
            )
            .with_detail("field", name)
        })?;
        checked_url(name, text)
    }
}

#[derive(Clone, Debug)]
struct Cached {
    metadata: ProviderMetadata,
    fresh_until: SystemTime,
}

/// The cache; one request serves all concurrent callers.
#[derive(Debug, Default)]
pub(crate) struct Discovery {
    cached: Mutex<Option<Cached>>,
    flight: Flight<ProviderMetadata>,
}

impl Discovery {
    /// The metadata, from the cache while it is fresh.
    pub(crate) async fn get(&self, shared: &Arc<Shared>, call: &Call) -> Result<ProviderMetadata> {
        let cached = self.lock().clone();
        let now = shared.clock.now();
        if let Some(cached) = &cached
            && now < cached.fresh_until
        {
            return Ok(cached.metadata.clone());
        }
        let fetched = self.flight.join(|| fetch(shared.clone(), call.aside())).await;
        match (fetched, cached) {
            (Ok(metadata), _) => {
                self.store(&metadata, now + FRESH_FOR);
                Ok(metadata)
            }
            (Err(_), Some(stale)) => {
                self.store(&stale.metadata, now + RETRY_AFTER);
                Ok(stale.metadata)
            }
            (Err(error), None) => Err(error),
        }
    }

    fn store(&self, metadata: &ProviderMetadata, fresh_until: SystemTime) {
        *self.lock() = Some(Cached { metadata: metadata.clone(), fresh_until });
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Cached>> {
        self.cached.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn fetch(shared: Arc<Shared>, call: Call) -> Result<ProviderMetadata> {
    let url = join(&shared.config.issuer, PATH);
    let attempt = || async {
        let request = Request {
            what: WHAT,
            method: Method::GET,
            url: url.clone(),
            authorization: None,
            body: Body::None,
            call: &call,
        };
        let mut answer = shared.transport.exchange(request).await?;
        if answer.status() != 200 {
            return Err(answer.into_raw().await.into_error(WHAT));
        }
        let kind = answer.content_type().to_owned();
        let body = answer.body(DOCUMENT_CAP).await?;
        parse(&shared, &body, &kind)
    };
    shared.repeat(&call, attempt).await
}

fn parse(shared: &Shared, body: &[u8], content_type: &str) -> Result<ProviderMetadata> {
    let values: Map<String, Value> = serde_json::from_slice(body).map_err(|error| {
        let raw = crate::error::RawAnswer::new(200, content_type, body, None);
        let told = raw.into_error(WHAT);
        if told.code() == Code::HtmlAnswer || told.code() == Code::EmptyAnswer {
            return told;
        }
        Error::new(
            Code::MalformedAnswer,
            format!("{WHAT}: {} sent no JSON object: {error}", origin_of(&shared.config.issuer)),
        )
        .with_status(200)
    })?;
    let expected = shared.config.issuer();
    let issuer = values.get("issuer").and_then(Value::as_str).unwrap_or_default();
    if issuer.trim_end_matches('/') != expected {
        // OpenID Connect Discovery 1.0 section 4.3: both must be the same.
        return Err(Error::new(
            Code::DiscoveryIncomplete,
            format!("the discovery document names the issuer {issuer:?}, but {expected:?} is configured; set issuer to the exact address"),
        )
        .with_detail("field", "issuer"));
    }
    Ok(ProviderMetadata { values: Arc::new(values), service: Arc::default() })
}
