//! The client: where configuration, clock, tokens and transport meet.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use signdoc_spec::endpoints::{Base, Endpoint};
use tokio::time::Instant;
use url::Url;

use crate::clock::{Clock, SystemClock};
use crate::config::{Config, ConfigBuilder, join};
use crate::error::{Code, Error, Result};
use crate::identity::{AccessToken, Discovery, JwksCache, ProviderMetadata, TokenCache};
use crate::order::ReceptionWatch;
use crate::progress::Progress;
use crate::secrets::Secrets;
use crate::trace::{Level, Trace};
use crate::transport::{Attempt, Repeat, Transport, deadline_passed, decide};
use crate::wire::BufferPool;

/// A client of the service; clones share everything.
///
/// Its methods are async and need a tokio runtime with time and I/O enabled. While a request is
/// sent, files are read in windows of 96 KiB on the thread that drives the call.
#[derive(Clone, Debug)]
pub struct Client {
    pub(crate) shared: Arc<Shared>,
}

/// What all clones of a client and its background work share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub config: Config,
    pub clock: Arc<dyn Clock>,
    pub transport: Transport,
    pub discovery: Discovery,
    pub tokens: TokenCache,
    pub jwks: JwksCache,
    pub pool: BufferPool,
    pub secrets: Secrets,
}

/// Settings of one call.
#[derive(Clone, Debug, Default)]
pub struct CallOptions {
    /// The time this call may take in all; the client's `timeout` where it is not set.
    pub timeout: Option<Duration>,
    /// How long a connection may take to be made; the client's `connect_timeout` where it is not
    /// set.
    pub connect_timeout: Option<Duration>,
    /// How long the connection may be silent; the client's `read_timeout` where it is not set.
    pub read_timeout: Option<Duration>,
    /// Counters to watch the call by.
    pub progress: Progress,
    /// What the call did, for logs and for support.
    pub trace: Trace,
    /// Whether results of an order are being received, which no time limit ends.
    pub reception: ReceptionWatch,
}

/// What everything that one call does has in common.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub deadline: Instant,
    /// The call's own limits on connecting and on silence.
    pub connect: Option<Duration>,
    pub quiet: Option<Duration>,
    pub progress: Progress,
    pub trace: Trace,
    /// What must not show where an answer repeats it.
    pub secrets: Secrets,
}

impl Call {
    /// The same call for a request of its own, whose progress is not the caller's.
    pub(crate) fn aside(&self) -> Self {
        Self { progress: Progress::default(), ..self.clone() }
    }
}

impl Client {
    /// A client from a checked configuration. Nothing is sent yet.
    ///
    /// # Errors
    /// [`Code::InvalidOption`] when a certificate file or proxy cannot be used.
    pub fn new(config: Config) -> Result<Self> {
        Self::with_clock(config, Arc::new(SystemClock::default()))
    }

    /// As [`Client::new`], with a clock of the caller's.
    ///
    /// # Errors
    /// As [`Client::new`].
    pub fn with_clock(config: Config, clock: Arc<dyn Clock>) -> Result<Self> {
        let transport = Transport::new(&config)?;
        let secrets = Secrets::default();
        config.tell_secrets(&secrets);
        let shared = Shared {
            config,
            clock,
            transport,
            discovery: Discovery::default(),
            tokens: TokenCache::default(),
            jwks: JwksCache::default(),
            pool: BufferPool::new(),
            secrets,
        };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// A client from `SIGNDOC_*` variables.
    ///
    /// # Errors
    /// As [`ConfigBuilder::build`] and [`Client::new`].
    pub fn from_env() -> Result<Self> {
        Self::new(Config::builder().env()?.build()?)
    }

    /// A configuration to be filled.
    #[must_use]
    pub fn builder() -> ConfigBuilder {
        Config::builder()
    }

    /// The configuration.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.shared.config
    }

    /// The clock this client asks.
    #[must_use]
    pub fn clock(&self) -> &Arc<dyn Clock> {
        &self.shared.clock
    }

    /// What the identity provider says of itself (OpenID Connect Discovery 1.0), from the cache
    /// while it is younger than a day.
    ///
    /// # Errors
    /// Network and protocol errors; [`Code::DiscoveryIncomplete`] for a wrong issuer.
    pub async fn provider_metadata(&self, options: &CallOptions) -> Result<ProviderMetadata> {
        let call = self.call(options);
        self.within(&call, "discovery", self.shared.discovery.get(&self.shared, &call)).await
    }

    pub(crate) fn call(&self, options: &CallOptions) -> Call {
        let timeout = options.timeout.unwrap_or(self.shared.config.timeout);
        let now = Instant::now();
        let deadline = now.checked_add(timeout);
        Call {
            deadline: deadline.unwrap_or(now + Duration::from_secs(365 * 24 * 3600)),
            connect: options.connect_timeout,
            quiet: options.read_timeout,
            progress: options.progress.clone(),
            trace: options.trace.clone(),
            secrets: self.shared.secrets.clone(),
        }
    }

    /// Ends `work` at the deadline wherever it is, also while it waits for somebody else's token.
    pub(crate) async fn within<T>(
        &self,
        call: &Call,
        what: &'static str,
        work: impl Future<Output = Result<T>>,
    ) -> Result<T> {
        let ended = tokio::time::timeout_at(call.deadline, work).await;
        ended
            .unwrap_or_else(|_| Err(deadline_passed(what)))
            .map_err(|error| call.secrets.cleaned(error))
    }

    /// Where an endpoint is: its path at the address that the specification puts it to.
    ///
    /// Conversions are at `base_url`, orders at `orders_url`. Where the option is not set: what the
    /// provider publishes as `signdoc-baseurl`; for orders where it publishes none, `base_url`.
    /// Source: specification, "Endpoints".
    pub(crate) async fn url_of(&self, endpoint: &Endpoint, call: &Call) -> Result<Url> {
        let (option, own) = self.option_of(endpoint);
        if let Some(url) = own {
            return Ok(join(url, endpoint.path));
        }
        let metadata = self.shared.discovery.get(&self.shared, call).await?;
        let base = match &self.shared.config.base_url {
            Some(url) if !metadata.publishes_service() => url,
            _ => metadata.service(&format!("set {option}"))?,
        };
        Ok(join(base, endpoint.path))
    }

    /// The option that says where an endpoint is, and its value.
    fn option_of(&self, endpoint: &Endpoint) -> (&'static str, Option<&Url>) {
        let config = &self.shared.config;
        match endpoint.base {
            Base::Signing => ("orders_url", config.orders_url.as_ref()),
            _ => ("base_url", config.base_url.as_ref()),
        }
    }

    /// An error of a request that may be meant for another address, with the option that says which.
    pub(crate) fn about_address(&self, error: Error, endpoint: &Endpoint, url: &Url) -> Error {
        if error.code() != Code::NotFound {
            return error;
        }
        let (option, own) = self.option_of(endpoint);
        let whose = match own {
            Some(_) => format!("the option {option}"),
            None => "the signdoc-baseurl that the identity provider publishes".to_owned(),
        };
        let told = format!(
            "{}; {url} was asked, by {whose}: {option} is where it should be",
            error.message()
        );
        error.with_message(told).with_detail("field", option)
    }

    /// Runs `attempt` with a token; when the service refuses the token, once more with a new one.
    pub(crate) async fn authorized<T, F>(
        &self,
        call: &Call,
        mut attempt: impl FnMut(AccessToken) -> F,
    ) -> Result<T>
    where
        F: Future<Output = Result<T>>,
    {
        let shared = &self.shared;
        let scope = shared.config.scope.as_str();
        let token = shared.tokens.get(shared, scope, call).await?;
        match attempt(token.clone()).await {
            Err(error) if is_token_refused(&error) => {
                call.trace
                    .event(Level::Info, || "the service refused the token; renewing it".into());
                shared.tokens.reject(scope, &token);
                let token = shared.tokens.get(shared, scope, call).await?;
                attempt(token).await
            }
            result => result,
        }
    }
}

pub(crate) fn is_token_refused(error: &Error) -> bool {
    error.code() == Code::AccessTokenRejected && error.name() != "insufficient_scope"
}

impl Shared {
    /// Repeats `attempt`, which may be repeated safely, as the retry decision says.
    pub(crate) async fn repeat<T, F>(&self, call: &Call, attempt: impl FnMut() -> F) -> Result<T>
    where
        F: Future<Output = Result<T>>,
    {
        self.repeat_as(Repeat::Safe, call, attempt).await
    }

    /// Repeats `attempt` as far as `repeat` and the retry decision allow.
    pub(crate) async fn repeat_as<T, F>(
        &self,
        repeat: Repeat,
        call: &Call,
        mut attempt: impl FnMut() -> F,
    ) -> Result<T>
    where
        F: Future<Output = Result<T>>,
    {
        let mut made = 0;
        let mut earlier = Vec::new();
        loop {
            let error = match attempt().await {
                Ok(value) => return Ok(value),
                Err(error) => with_earlier(error, &earlier),
            };
            let facts = Attempt {
                made,
                allowed: self.config.max_retries,
                left: call.deadline.saturating_duration_since(Instant::now()),
                jitter: random_share(),
            };
            let Some(pause) = decide(repeat, &error, &facts) else { return Err(error) };
            call.trace.event(Level::Warning, || {
                format!("{}: again in {} ms", error.message(), pause.as_millis())
            });
            earlier.push(told(&error));
            self.clock.sleep(pause).await;
            made += 1;
        }
    }
}

/// What stays of a failure after which the attempt was repeated.
fn told(error: &Error) -> Value {
    json!({
        "code": error.code().number(),
        "name": error.name(),
        "message": error.message(),
        "http_status": error.http_status(),
        "reference": error.reference(),
    })
}

/// The last failure, with those before it: support asks for the first one's reference.
fn with_earlier(error: Error, earlier: &[Value]) -> Error {
    if earlier.is_empty() {
        return error;
    }
    let first = earlier.iter().find_map(|one| one.get("reference")?.as_str());
    let error = match (error.reference(), first) {
        (None, Some(first)) => error.with_reference(Some(first.to_owned())),
        _ => error,
    };
    error.with_detail("earlier", earlier.to_vec())
}

/// An even random number from 0 to 1, from the operating system: right after a fork, too.
fn random_share() -> f64 {
    let number = getrandom::u32().unwrap_or(u32::MAX / 2);
    f64::from(number) / f64::from(u32::MAX)
}
