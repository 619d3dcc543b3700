//! One exchange over HTTP: the only place that sees the HTTP library.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use http::header::{
    ACCEPT_ENCODING, AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE, DATE, HeaderMap, HeaderValue,
    RETRY_AFTER,
};
use http::{Method, header};
use secrecy::{ExposeSecret, SecretString};
use tokio::time::Instant;
use url::Url;

use super::connect::{ConnectLimit, limited};
use super::encoding::{Coding, Decoder};
use super::proxy::Proxies;
use super::upload::Caller;
use crate::client::Call;
use crate::config::{Config, origin_of};
use crate::error::{Code, Error, RawAnswer, Result, failure_of, lost};
use crate::progress::Progress;
use crate::trace::Level;
use crate::wire::RequestBody;

/// How much longer than the caller the system waits for a silent other side.
const AFTER_SILENCE: Duration = Duration::from_secs(5);

/// What goes over the wire.
pub(crate) enum Body {
    /// No body.
    None,
    /// `application/x-www-form-urlencoded`.
    Form(SecretString),
    /// `application/json`, streamed.
    Json(RequestBody),
    /// `application/timestamp-query` (RFC 3161 section 3.4), answered with the like.
    #[cfg(feature = "signing")]
    TimestampQuery(Bytes),
    /// `application/ocsp-request` (RFC 6960, appendix A), answered with the like.
    #[cfg(feature = "signing")]
    OcspQuery(Bytes),
    /// No body; a file is fetched, whatever its kind.
    #[cfg(feature = "signing")]
    File,
}

impl Body {
    /// The answer that is asked for.
    fn accept(&self) -> HeaderValue {
        match self {
            #[cfg(feature = "signing")]
            Self::TimestampQuery(_) => HeaderValue::from_static("application/timestamp-reply"),
            #[cfg(feature = "signing")]
            Self::OcspQuery(_) => HeaderValue::from_static("application/ocsp-response"),
            #[cfg(feature = "signing")]
            Self::File => HeaderValue::from_static("*/*"),
            _ => HeaderValue::from_static("application/json"),
        }
    }
}

/// One request.
pub(crate) struct Request<'a> {
    /// The operation's name, for messages.
    pub what: &'static str,
    pub method: Method,
    pub url: Url,
    /// The whole Authorization header.
    pub authorization: Option<SecretString>,
    pub body: Body,
    pub call: &'a Call,
}

/// The connection pool with its settings.
#[derive(Clone, Debug)]
pub(crate) struct Transport {
    client: reqwest::Client,
    /// Keeps no connection: each request gets one of its own, so that none is lost, or sent again
    /// by the HTTP library, because a kept connection turned out to be dead.
    unpooled: reqwest::Client,
    proxies: Proxies,
    connect_timeout: Duration,
    read_timeout: Duration,
}

/// Milliseconds since the exchange began at which something last moved.
#[derive(Clone)]
struct Activity {
    start: Instant,
    last: Arc<AtomicU64>,
}

impl Activity {
    fn new() -> Self {
        Self { start: Instant::now(), last: Arc::default() }
    }

    fn touch(&self) {
        let elapsed = u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.last.store(elapsed, Ordering::Relaxed);
    }

    fn quiet_until(&self, limit: Duration) -> Instant {
        self.start + Duration::from_millis(self.last.load(Ordering::Relaxed)) + limit
    }
}

impl Transport {
    /// # Errors
    /// [`Code::InvalidOption`] for certificate files and proxies that cannot be used.
    pub(crate) fn new(config: &Config) -> Result<Self> {
        let tls = super::tls::client_config(config)?;
        let proxies = Proxies::new(config)?;
        let client = Self::client(config, &proxies, tls.clone(), 32)?;
        let unpooled = Self::client(config, &proxies, tls, 0)?;
        let (connect_timeout, read_timeout) = (config.connect_timeout, config.read_timeout);
        Ok(Self { client, unpooled, proxies, connect_timeout, read_timeout })
    }

    fn client(
        config: &Config,
        proxies: &Proxies,
        tls: rustls::ClientConfig,
        idle: usize,
    ) -> Result<reqwest::Client> {
        let mut builder = reqwest::Client::builder()
            .tls_backend_preconfigured(tls)
            .http1_only()
            // A bearer token must never follow a redirect.
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .referer(false)
            .no_proxy()
            .connector_layer(ConnectLimit)
            .pool_max_idle_per_host(idle)
            .user_agent(&config.user_agent);
        // A cancelled request whose other side has stopped reading holds its connection until the
        // system gives it up; for one under way our own limit comes first.
        #[cfg(any(target_os = "android", target_os = "fuchsia", target_os = "linux"))]
        {
            builder = builder.tcp_user_timeout(config.read_timeout + AFTER_SILENCE);
        }
        for proxy in &proxies.list {
            builder = builder.proxy(proxy.clone());
        }
        builder.build().map_err(|error| {
            Error::new(Code::Internal, format!("the HTTP client cannot be made: {error}"))
        })
    }

    /// Sends the request and waits for the answer's head.
    ///
    /// Any status is an answer; only a failed exchange is an error.
    pub(crate) async fn exchange(&self, request: Request<'_>) -> Result<Answer> {
        self.exchange_by(&self.client, request).await
    }

    /// As [`Transport::exchange`], on a connection of its own: for requests that must not be sent
    /// twice.
    pub(crate) async fn exchange_once(&self, request: Request<'_>) -> Result<Answer> {
        self.exchange_by(&self.unpooled, request).await
    }

    /// The address, without credentials, of the proxy that a request to `url` goes through.
    pub(crate) fn proxy_of(&self, url: &Url) -> Option<String> {
        self.proxies.of(url)
    }

    async fn exchange_by(&self, client: &reqwest::Client, request: Request<'_>) -> Result<Answer> {
        let Request { what, method, url, authorization, body, call } = request;
        let host = origin_of(&url);
        let activity = Activity::new();
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT, body.accept());
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        if let Some(authorization) = authorization {
            call.secrets.learn_header(&authorization);
            headers.insert(AUTHORIZATION, secret_header(what, &authorization)?);
        }
        if let Body::Form(form) = &body {
            call.secrets.learn_form(form);
        }
        let caller = Caller::default();
        let body = prepared(body, &mut headers, &call.progress, &activity, &caller);
        let builder = client.request(method.clone(), url.clone()).headers(headers);
        let builder = match body {
            Some(body) => builder.body(body),
            None => builder,
        };
        call.trace.event(Level::Debug, || format!("{what}: {method} {host}{}", url.path()));
        let quiet = call.quiet.unwrap_or(self.read_timeout);
        let limits = Limits { what, deadline: call.deadline, quiet, activity };
        let connect = call.connect.unwrap_or(self.connect_timeout);
        let response = limits
            .hold(limited(connect, builder.send()))
            .await?
            .map_err(|error| failure_of(error, what, &host, self.proxies.of(&url).as_deref()))?;
        limits.activity.touch();
        let status = response.status().as_u16();
        let elapsed = limits.activity.start.elapsed().as_millis();
        call.trace
            .event(Level::Debug, || format!("{what}: HTTP status {status} after {elapsed} ms"));
        call.trace.answered(status, response.headers(), &call.secrets);
        let coding = coding_of(response.headers());
        let decoder = Decoder::new(coding.clone());
        let call = call.clone();
        Ok(Answer { response, limits, offset: 0, call, coding, decoder, _caller: caller })
    }
}

fn prepared(
    body: Body,
    headers: &mut HeaderMap,
    progress: &Progress,
    activity: &Activity,
    caller: &Caller,
) -> Option<reqwest::Body> {
    match body {
        Body::None => {
            progress.start(0);
            None
        }
        Body::Form(form) => {
            let form = form.expose_secret().as_bytes().to_vec();
            progress.start(form.len() as u64);
            let kind = HeaderValue::from_static("application/x-www-form-urlencoded");
            headers.insert(CONTENT_TYPE, kind);
            Some(form.into())
        }
        #[cfg(feature = "signing")]
        Body::File => {
            progress.start(0);
            None
        }
        #[cfg(feature = "signing")]
        Body::TimestampQuery(query) => {
            Some(queried(query, "application/timestamp-query", headers, progress))
        }
        #[cfg(feature = "signing")]
        Body::OcspQuery(query) => {
            Some(queried(query, "application/ocsp-request", headers, progress))
        }
        Body::Json(body) => {
            progress.start(body.content_length());
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
            let (progress, activity) = (progress.clone(), activity.clone());
            let body = body.with_progress(Arc::new(move |sent| {
                progress.set_sent(sent);
                activity.touch();
            }));
            Some(reqwest::Body::wrap(caller.owns(body)))
        }
    }
}

#[cfg(feature = "signing")]
fn queried(
    query: Bytes,
    kind: &'static str,
    headers: &mut HeaderMap,
    progress: &Progress,
) -> reqwest::Body {
    progress.start(query.len() as u64);
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    query.into()
}

fn secret_header(what: &str, text: &SecretString) -> Result<HeaderValue> {
    let mut value = HeaderValue::from_str(text.expose_secret()).map_err(|_| {
        Error::new(
            Code::InvalidOption,
            format!("{what}: the credentials hold characters that no HTTP header can carry"),
        )
    })?;
    value.set_sensitive(true);
    Ok(value)
}

/// The two limits on waiting: silence, and the call's deadline.
struct Limits {
    what: &'static str,
    deadline: Instant,
    quiet: Duration,
    activity: Activity,
}

impl Limits {
    /// Waits for `future`, but neither past the deadline nor through too long a silence.
    async fn hold<T>(&self, future: impl Future<Output = T>) -> Result<T> {
        let mut future = pin!(future);
        loop {
            let quiet_until = self.activity.quiet_until(self.quiet);
            let until = quiet_until.min(self.deadline);
            if let Ok(value) = tokio::time::timeout_at(until, &mut future).await {
                return Ok(value);
            }
            let now = Instant::now();
            if now >= self.deadline {
                return Err(deadline_passed(self.what));
            }
            if now >= self.activity.quiet_until(self.quiet) {
                let seconds = self.quiet.as_secs_f64();
                return Err(Error::new(
                    Code::ReadTimeout,
                    format!("{}: nothing moved for {seconds} s (read_timeout)", self.what),
                )
                .with_detail("limit", seconds)
                .with_detail("unit", "seconds"));
            }
        }
    }
}

pub(crate) fn deadline_passed(what: &str) -> Error {
    Error::new(
        Code::TotalTimeout,
        format!("{what}: not finished within the call's timeout; allow more time with timeout"),
    )
}

/// The coding of a body; several, one on top of the other, are none that can be undone here.
fn coding_of(headers: &HeaderMap) -> Coding {
    let mut named = headers
        .get_all(CONTENT_ENCODING)
        .iter()
        .flat_map(|value| value.to_str().unwrap_or("unknown").split(','))
        .map(Coding::named)
        .filter(|coding| *coding != Coding::Identity);
    match (named.next(), named.next()) {
        (None, _) => Coding::Identity,
        (Some(one), None) => one,
        (Some(_), Some(_)) => Coding::Other("several codings".to_owned()),
    }
}

/// An answer whose body is still to come.
pub(crate) struct Answer {
    response: reqwest::Response,
    limits: Limits,
    offset: u64,
    call: Call,
    coding: Coding,
    decoder: Option<Decoder>,
    /// An answer may begin before the request has ended.
    _caller: Caller,
}

impl Answer {
    pub(crate) fn status(&self) -> u16 {
        self.response.status().as_u16()
    }

    pub(crate) fn content_type(&self) -> &str {
        let value = self.response.headers().get(CONTENT_TYPE);
        value.and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// When the answer was made, by the server's clock.
    pub(crate) fn date(&self) -> Option<SystemTime> {
        let date = self.response.headers().get(DATE)?.to_str().ok()?;
        httpdate::parse_http_date(date).ok()
    }

    /// Where a redirect leads, as it stands in the answer.
    #[cfg(feature = "signing")]
    pub(crate) fn location(&self) -> Option<&str> {
        self.response.headers().get(header::LOCATION)?.to_str().ok()
    }

    /// How long the service asks to wait before the next request.
    pub(crate) fn retry_after(&self) -> Option<Duration> {
        retry_after(self.response.headers())
    }

    /// The coding that the body comes in.
    pub(crate) fn coding(&self) -> &Coding {
        &self.coding
    }

    /// The length of the body where the service tells it beforehand.
    pub(crate) fn content_length(&self) -> Option<u64> {
        self.response.content_length()
    }

    /// The next piece of the body, decoded.
    ///
    /// # Errors
    /// [`Code::TruncatedAnswer`] when the connection ends early, the timeouts, and
    /// [`Code::MalformedAnswer`] for a coding that cannot be undone.
    pub(crate) async fn chunk(&mut self) -> Result<Option<Bytes>> {
        if let Coding::Other(name) = &self.coding {
            return Err(encoded(self.limits.what, &format!("is encoded with {name}")));
        }
        loop {
            let what = self.limits.what;
            let damaged = |error| encoded(what, &format!("is damaged in its coding: {error}"));
            if let Some(decoder) = &mut self.decoder
                && let Some(decoded) = decoder.next().map_err(damaged)?
            {
                return Ok(Some(decoded));
            }
            let chunk = self.chunk_as_it_came().await?;
            match (&mut self.decoder, chunk) {
                (None, chunk) => return Ok(chunk),
                (Some(decoder), Some(bytes)) => decoder.feed(bytes),
                (Some(decoder), None) => {
                    let rest = decoder.finish().map_err(damaged)?;
                    self.decoder = None;
                    return Ok((!rest.is_empty()).then_some(rest));
                }
            }
        }
    }

    /// The next piece of the body in the coding in which it comes.
    ///
    /// # Errors
    /// [`Code::TruncatedAnswer`] when the connection ends early, and the timeouts.
    pub(crate) async fn chunk_as_it_came(&mut self) -> Result<Option<Bytes>> {
        let chunk = self.limits.hold(self.response.chunk()).await?;
        let chunk = chunk.map_err(|error| lost(error, self.limits.what, self.offset))?;
        self.limits.activity.touch();
        if let Some(bytes) = &chunk {
            self.offset += bytes.len() as u64;
            self.call.progress.add_received(bytes.len() as u64);
        }
        Ok(chunk)
    }

    /// The whole body, for answers that are not documents: at most `cap` bytes of it.
    pub(crate) async fn body(&mut self, cap: usize) -> Result<Vec<u8>> {
        match self.body_or_part(cap).await {
            (body, None) => Ok(body),
            (_, Some(error)) => Err(error),
        }
    }

    /// As `body`; where it broke off, what came of it and why there is no more.
    pub(crate) async fn body_or_part(&mut self, cap: usize) -> (Vec<u8>, Option<Error>) {
        let mut body = Vec::new();
        loop {
            let chunk = match self.chunk().await {
                Ok(Some(chunk)) => chunk,
                Ok(None) => return (body, None),
                Err(error) => return (body, Some(error)),
            };
            let room = cap.saturating_sub(body.len());
            body.extend_from_slice(chunk.get(..room.min(chunk.len())).unwrap_or_default());
            if chunk.len() > room {
                return (body, None);
            }
        }
    }

    /// Reads an error answer whole; what was lost on the way leaves what came.
    pub(crate) async fn into_raw(self) -> RawAnswer {
        self.into_raw_after(b"").await
    }

    /// As `into_raw`, when the `first` bytes of the body have been taken already.
    pub(crate) async fn into_raw_after(mut self, first: &[u8]) -> RawAnswer {
        let (status, kind) = (self.status(), self.content_type().to_owned());
        let after = retry_after(self.response.headers());
        let mut body = first.to_vec();
        if let Coding::Other(name) = &self.coding {
            body = format!("(a body that is encoded with {name}, which was not asked for)").into();
        }
        let mut broken = false;
        while body.len() <= crate::error::BODY_CAP {
            match self.chunk().await {
                Ok(Some(chunk)) => body.extend_from_slice(&chunk),
                Ok(None) => break,
                Err(_) => {
                    broken = true;
                    break;
                }
            }
        }
        broken &= !matches!(self.coding, Coding::Other(_));
        let mut raw = RawAnswer { broken, ..RawAnswer::new(status, &kind, &body, after) };
        raw.text = self.call.secrets.clean(&raw.text).into_owned();
        self.call.trace.answered_with(&raw.text);
        raw
    }
}

fn encoded(what: &str, why: &str) -> Error {
    let told = format!("{what}: the answer {why}, although no coding was asked for");
    Error::new(Code::MalformedAnswer, told)
}

/// RFC 9110 section 10.2.3: seconds, or a date (read against the answer's own Date).
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    let value = text(RETRY_AFTER)?.trim();
    if let Ok(seconds) = value.parse::<u64>() {
        return Some(Duration::from_secs(seconds));
    }
    let until = httpdate::parse_http_date(value).ok()?;
    let now = text(DATE).and_then(|date| httpdate::parse_http_date(date).ok());
    until.duration_since(now.unwrap_or_else(SystemTime::now)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(http::HeaderName, &str)]) -> HeaderMap {
        pairs.iter().map(|(k, v)| (k.clone(), HeaderValue::from_str(v).unwrap())).collect()
    }

    #[test]
    fn retry_after_is_read_in_both_forms() {
        assert_eq!(retry_after(&headers(&[(RETRY_AFTER, "7")])), Some(Duration::from_secs(7)));
        let dated = headers(&[
            (DATE, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (RETRY_AFTER, "Sun, 06 Nov 1994 08:49:47 GMT"),
        ]);
        assert_eq!(retry_after(&dated), Some(Duration::from_secs(10)));
        assert_eq!(retry_after(&headers(&[(RETRY_AFTER, "soon")])), None);
    }
}
