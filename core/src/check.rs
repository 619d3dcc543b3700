//! A doctor: is everything in place for a call, and if not, what to do.

use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use url::Url;

use crate::client::{CallOptions, Client};
use crate::config::origin_of;
use crate::error::{Code, Error, Result};
use crate::identity::ProviderMetadata;

/// A clock that is off by more than this makes tokens and assertions fail.
const SKEW_LIMIT: Duration = Duration::from_secs(30);

/// An order that nobody created.
const NO_ORDER: &str = "00000000-0000-4000-8000-000000000000";

/// How a point came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckStatus {
    /// It is as it should be.
    Passed,
    /// It is not; calls will fail.
    Failed,
    /// It could not be looked at, because something before it failed.
    NotChecked,
}

impl CheckStatus {
    /// `passed`, `failed` or `not_checked`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::NotChecked => "not_checked",
        }
    }
}

/// One point that was looked at.
#[derive(Clone, Debug)]
pub struct CheckPoint {
    /// `configuration`, `discovery`, `tls`, `proxy`, `clock`, `credentials`, `service`, `orders` or
    /// `scope`.
    pub name: &'static str,
    /// How it came out.
    pub status: CheckStatus,
    /// The row of the error table, where an error says that it failed.
    pub code: Option<Code>,
    /// What was found.
    pub detail: String,
    /// What to do, where it failed.
    pub remedy: Option<String>,
}

impl CheckPoint {
    fn passed(name: &'static str, detail: impl Into<String>) -> Self {
        let detail = detail.into();
        Self { name, status: CheckStatus::Passed, code: None, detail, remedy: None }
    }

    fn failed(name: &'static str, detail: impl Into<String>, remedy: impl Into<String>) -> Self {
        let (detail, remedy) = (detail.into(), Some(remedy.into()));
        Self { name, status: CheckStatus::Failed, code: None, detail, remedy }
    }

    /// A point that failed with `error`.
    #[must_use]
    pub fn of_error(name: &'static str, error: &Error) -> Self {
        let own = error.details().get("remedy").and_then(Value::as_str);
        let code = Some(error.code());
        Self { code, ..Self::failed(name, error.to_string(), own.unwrap_or(error.advice())) }
    }

    fn skipped(name: &'static str, because: &str) -> Self {
        let detail = format!("not looked at: {because}");
        Self { name, status: CheckStatus::NotChecked, code: None, detail, remedy: None }
    }

    /// The point as a JSON object.
    #[must_use]
    pub fn to_json(&self) -> Value {
        json!({
            "name": self.name,
            "status": self.status.as_str(),
            "code": self.code.map(Code::number),
            "error": self.code.map(Code::name),
            "detail": self.detail,
            "remedy": self.remedy,
        })
    }
}

/// What the requests of a check came to; `None` where one was not made.
struct Findings {
    discovery: Result<ProviderMetadata>,
    token: Option<Result<()>>,
    specs: Option<Result<Vec<String>>>,
    /// The question for an order that nobody created.
    orders: Option<Error>,
}

impl Findings {
    /// The first failure for which `is` holds.
    fn failure(&self, is: impl Fn(&Error) -> bool) -> Option<&Error> {
        let discovery = self.discovery.as_ref().err();
        let token = self.token.as_ref().and_then(|result| result.as_ref().err());
        let specs = self.specs.as_ref().and_then(|result| result.as_ref().err());
        [discovery, token, specs, self.orders.as_ref()]
            .into_iter()
            .flatten()
            .find(|error| is(error))
    }
}

fn is_of_tls(error: &Error) -> bool {
    error.code() == Code::TlsFailed
}

/// A page instead of JSON is a proxy's most likely; where nothing is found, a web server's.
fn is_of_proxy(error: &Error) -> bool {
    match error.code() {
        Code::ProxyFailed => true,
        Code::HtmlAnswer => error.http_status() != Some(404),
        _ => false,
    }
}

impl Client {
    /// Looks at everything a call needs: configuration, discovery, TLS, proxy, clock, credentials,
    /// both addresses of the service and scope. Sends a discovery request, a token request and two
    /// harmless questions: which conversions there are, and for the state of an order that does not
    /// exist; caches are not used for the first.
    ///
    /// Never fails: what is wrong is in the points, each with its remedy.
    pub async fn check(&self, options: &CallOptions) -> Vec<CheckPoint> {
        let fresh = match Self::with_clock(self.config().clone(), self.clock().clone()) {
            Ok(client) => client,
            Err(error) => return vec![CheckPoint::of_error("configuration", &error)],
        };
        let discovery = fresh.provider_metadata(options).await;
        let clock = fresh.check_clock(options);
        let mut found = Findings { discovery, token: None, specs: None, orders: None };
        if found.discovery.is_ok() && fresh.config().has_secret() {
            let call = fresh.call(options);
            let (shared, scope) = (&fresh.shared, &fresh.shared.config.scope);
            let token = shared.tokens.get(shared, scope, &call);
            let token = fresh.within(&call, "token request", token).await.map(drop);
            if token.is_ok() {
                found.specs = Some(fresh.conversion_specs(options).await);
                found.orders = fresh.pades().state(NO_ORDER, options).await.err();
            }
            found.token = Some(token);
        }
        let discovered = match &found.discovery {
            Ok(_) => {
                CheckPoint::passed("discovery", format!("{} answers", fresh.config().issuer()))
            }
            Err(error) => CheckPoint::of_error("discovery", error),
        };
        let mut points = vec![fresh.check_configuration(), discovered];
        points.extend([fresh.check_tls(&found), fresh.check_proxy(&found), clock]);
        points.extend(fresh.check_calls(&found));
        points
    }

    fn check_configuration(&self) -> CheckPoint {
        let config = self.config();
        if !config.has_secret() {
            let why = "there is neither a client_secret nor a private_key";
            let remedy =
                "set SIGNDOC_CLIENT_SECRET, SIGNDOC_CLIENT_SECRET_FILE or SIGNDOC_PRIVATE_KEY_FILE";
            let code = Some(Code::MissingSecret);
            return CheckPoint { code, ..CheckPoint::failed("configuration", why, remedy) };
        }
        CheckPoint::passed(
            "configuration",
            format!(
                "client {} at {}, {}, scope {}",
                config.client_id,
                config.issuer(),
                config.client_auth.as_str(),
                config.scope
            ),
        )
    }

    fn check_tls(&self, found: &Findings) -> CheckPoint {
        if let Some(error) = found.failure(is_of_tls) {
            return CheckPoint::of_error("tls", error);
        }
        let Ok(metadata) = &found.discovery else {
            return CheckPoint::skipped("tls", "the provider did not answer");
        };
        let config = self.config();
        let asked = |url: &Option<Url>| url.clone().filter(|_| found.specs.is_some());
        let mut hosts: Vec<_> = [
            Some(config.issuer.clone()),
            asked(&self.address_of(&config.base_url, metadata)),
            asked(&self.address_of(&config.orders_url, metadata)),
        ]
        .into_iter()
        .flatten()
        .filter(|url| url.scheme() == "https")
        .map(|url| origin_of(&url))
        .collect();
        hosts.sort();
        hosts.dedup();
        match hosts.len() {
            0 => CheckPoint::passed("tls", "plain http on loopback: nothing to verify"),
            1 => CheckPoint::passed(
                "tls",
                format!("the certificate of {} is trusted", hosts.concat()),
            ),
            _ => CheckPoint::passed(
                "tls",
                format!("the certificates of {} are trusted", hosts.join(" and ")),
            ),
        }
    }

    fn check_proxy(&self, found: &Findings) -> CheckPoint {
        if let Some(error) = found.failure(is_of_proxy) {
            return CheckPoint::of_error("proxy", error);
        }
        let config = self.config();
        let host = origin_of(&config.issuer);
        CheckPoint::passed(
            "proxy",
            match self.shared.transport.proxy_of(&config.issuer) {
                Some(proxy) => format!("{host} is reached through {proxy}"),
                None if config.proxy.is_some() => format!("{host} is excluded by no_proxy"),
                None => format!("{host} is reached directly"),
            },
        )
    }

    fn check_clock(&self, options: &CallOptions) -> CheckPoint {
        let headers = options.trace.last_answer().map(|answer| answer.headers).unwrap_or_default();
        let date = headers.iter().find(|(name, _)| name == "date");
        let Some(date) = date.and_then(|(_, date)| httpdate::parse_http_date(date).ok()) else {
            return CheckPoint::skipped("clock", "no answer told the time");
        };
        let now: SystemTime = self.clock().now();
        let (skew, word) = match now.duration_since(date) {
            Ok(ahead) => (ahead, "ahead of"),
            Err(behind) => (behind.duration(), "behind"),
        };
        let detail = format!("this machine's clock is {} s {word} the provider's", skew.as_secs());
        if skew > SKEW_LIMIT {
            return CheckPoint::failed(
                "clock",
                detail,
                "set this machine's clock, for example with NTP",
            );
        }
        CheckPoint::passed("clock", detail)
    }

    /// Where a part of the service is: as configured, as published, or where the other part is.
    fn address_of(&self, own: &Option<Url>, metadata: &ProviderMetadata) -> Option<Url> {
        let published = || metadata.service("").ok().cloned();
        own.clone().or_else(published).or_else(|| self.config().base_url.clone())
    }

    /// How the address was found.
    fn origin_of_address(&self, own: &Option<Url>, option: &str, found: &Findings) -> String {
        let Ok(metadata) = &found.discovery else { return String::new() };
        let Some(url) = self.address_of(own, metadata) else { return String::new() };
        let source = match (own, metadata.publishes_service()) {
            (Some(_), _) => option,
            (None, true) => "signdoc-baseurl of the discovery document",
            (None, false) => "base_url",
        };
        format!("at {} ({source})", url.as_str().trim_end_matches('/'))
    }

    /// Whether orders are sent to another place than the provider publishes.
    fn is_elsewhere(&self, found: &Findings) -> bool {
        let Some(own) = &self.config().orders_url else { return false };
        let published = found.discovery.as_ref().ok().and_then(|all| all.service("").ok());
        let plain = |url: &Url| url.as_str().trim_end_matches('/').to_owned();
        published.is_some_and(|published| plain(published) != plain(own))
    }

    /// Whether the order endpoints are where orders would be sent.
    fn check_orders(&self, found: &Findings) -> CheckPoint {
        let at = self.origin_of_address(&self.config().orders_url, "orders_url", found);
        let Some(error) = &found.orders else {
            return CheckPoint::skipped("orders", "there is no token");
        };
        match error.code() {
            // Any server says that of a path it does not know.
            Code::OrderNotFound if self.is_elsewhere(found) => CheckPoint::failed(
                "orders",
                format!(
                    "orders go to the service {at}, which knows no order, and is not where the provider says that they are"
                ),
                "leave orders_url unset, or set it to the signdoc-baseurl of the discovery document; behind a gateway of your own, make sure that it passes orders on",
            ),
            // Nobody knows that order: somebody was asked who knows others.
            Code::OrderNotFound | Code::RequestRejected | Code::OrderRejected => {
                CheckPoint::passed(
                    "orders",
                    format!("orders go to the service {at}, which answers"),
                )
            }
            Code::AccessTokenRejected => CheckPoint::passed(
                "orders",
                format!("orders go to the service {at}, which answers"),
            ),
            _ if is_of_tls(error) || is_of_proxy(error) => {
                CheckPoint::skipped("orders", "the request was not answered by the service")
            }
            _ => CheckPoint {
                detail: format!("{error}; orders go to the service {at}"),
                ..CheckPoint::of_error("orders", error)
            },
        }
    }

    /// Credentials, service, orders and scope. What TLS or a proxy kept away says nothing about them.
    fn check_calls(&self, found: &Findings) -> [CheckPoint; 4] {
        let [credentials, service, scope] = self.check_conversion(found);
        let orders = match found.discovery {
            Ok(_) => self.check_orders(found),
            Err(_) => CheckPoint::skipped("orders", "there is no discovery document"),
        };
        [credentials, service, orders, scope]
    }

    fn check_conversion(&self, found: &Findings) -> [CheckPoint; 3] {
        let scope = &self.config().scope;
        let skipped = |name, because| CheckPoint::skipped(name, because);
        let kept_away = |error: &Error| is_of_tls(error) || is_of_proxy(error);
        let accepted = CheckPoint::passed("credentials", "the provider gives a token");
        match (&found.token, &found.specs) {
            (None, _) => {
                let because = match found.discovery {
                    Ok(_) => "there are no credentials",
                    Err(_) => "there is no discovery document",
                };
                ["credentials", "service", "scope"].map(|name| skipped(name, because))
            }
            (Some(Err(error)), _) => {
                let (credentials, scope) = match error.code() {
                    Code::OauthInvalidScope => (
                        CheckPoint::passed("credentials", "the provider accepts them"),
                        CheckPoint::of_error("scope", error),
                    ),
                    _ if kept_away(error) => (
                        skipped(
                            "credentials",
                            "the token request was not answered by the provider",
                        ),
                        skipped("scope", "there is no token"),
                    ),
                    _ => (
                        CheckPoint::of_error("credentials", error),
                        skipped("scope", "there is no token"),
                    ),
                };
                [credentials, skipped("service", "there is no token"), scope]
            }
            (_, Some(Err(error))) if error.code() == Code::AccessTokenRejected => {
                let service = CheckPoint::passed("service", "it answers");
                [accepted, service, CheckPoint::of_error("scope", error)]
            }
            (_, Some(Err(error))) => {
                let service = match kept_away(error) {
                    true => skipped("service", "the request was not answered by the service"),
                    false => CheckPoint::of_error("service", error),
                };
                [accepted, service, skipped("scope", "the service did not answer as it should")]
            }
            (_, Some(Ok(specs))) => [
                accepted,
                CheckPoint::passed(
                    "service",
                    format!(
                        "converts to {} {}",
                        specs.join(", "),
                        self.origin_of_address(&self.config().base_url, "base_url", found)
                    ),
                ),
                CheckPoint::passed("scope", format!("{scope} opens the service")),
            ],
            (_, None) => {
                ["credentials", "service", "scope"].map(|name| skipped(name, "nothing was asked"))
            }
        }
    }
}
