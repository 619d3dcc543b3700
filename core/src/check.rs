//! A doctor: is everything in place for a call, and if not, what to do.

use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use crate::client::{CallOptions, Client};
use crate::config::{is_loopback, origin_of};
use crate::error::{Code, Error};

/// A clock that is off by more than this makes tokens and assertions fail.
const SKEW_LIMIT: Duration = Duration::from_secs(30);

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
    /// `configuration`, `discovery`, `tls`, `proxy`, `clock`, `credentials`, `service` or `scope`.
    pub name: &'static str,
    /// How it came out.
    pub status: CheckStatus,
    /// What was found.
    pub detail: String,
    /// What to do, where it failed.
    pub remedy: Option<String>,
}

impl CheckPoint {
    fn passed(name: &'static str, detail: impl Into<String>) -> Self {
        Self { name, status: CheckStatus::Passed, detail: detail.into(), remedy: None }
    }

    fn failed(name: &'static str, detail: impl Into<String>, remedy: impl Into<String>) -> Self {
        let remedy = Some(remedy.into());
        Self { name, status: CheckStatus::Failed, detail: detail.into(), remedy }
    }

    fn of_error(name: &'static str, error: &Error) -> Self {
        Self::failed(name, error.to_string(), error.advice())
    }

    fn skipped(name: &'static str, because: &str) -> Self {
        let detail = format!("not looked at: {because}");
        Self { name, status: CheckStatus::NotChecked, detail, remedy: None }
    }

    /// The point as a JSON object.
    #[must_use]
    pub fn to_json(&self) -> Value {
        json!({
            "name": self.name,
            "status": self.status.as_str(),
            "detail": self.detail,
            "remedy": self.remedy,
        })
    }
}

impl Client {
    /// Looks at everything a call needs: configuration, discovery, TLS, proxy, clock, credentials,
    /// service and scope. Sends a discovery request, a token request and the harmless question
    /// which conversions there are; caches are not used for the first.
    ///
    /// Never fails: what is wrong is in the points, each with its remedy.
    pub async fn check(&self, options: &CallOptions) -> Vec<CheckPoint> {
        let fresh = match Self::with_clock(self.config().clone(), self.clock().clone()) {
            Ok(client) => client,
            Err(error) => return vec![CheckPoint::of_error("configuration", &error)],
        };
        let mut points = vec![fresh.check_configuration()];
        let discovery = fresh.provider_metadata(options).await;
        points.push(match &discovery {
            Ok(_) => {
                CheckPoint::passed("discovery", format!("{} answers", fresh.config().issuer()))
            }
            Err(error) => CheckPoint::of_error("discovery", error),
        });
        points.push(fresh.check_tls(discovery.as_ref().err()));
        points.push(fresh.check_proxy(discovery.as_ref().err()));
        points.push(fresh.check_clock(options));
        if discovery.is_err() {
            let skipped = |name| CheckPoint::skipped(name, "there is no discovery document");
            points.extend(["credentials", "service", "scope"].map(skipped));
            return points;
        }
        points.extend(fresh.check_calls(options).await);
        points
    }

    fn check_configuration(&self) -> CheckPoint {
        let config = self.config();
        if !config.has_secret() {
            let why = "there is neither a client_secret nor a private_key";
            let remedy =
                "set SIGNDOC_CLIENT_SECRET, SIGNDOC_CLIENT_SECRET_FILE or SIGNDOC_PRIVATE_KEY_FILE";
            return CheckPoint::failed("configuration", why, remedy);
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

    fn check_tls(&self, failure: Option<&Error>) -> CheckPoint {
        let issuer = &self.config().issuer;
        match failure {
            Some(error) if error.code() == Code::TlsFailed => CheckPoint::of_error("tls", error),
            Some(_) => CheckPoint::skipped("tls", "the provider did not answer"),
            None if issuer.scheme() == "https" => CheckPoint::passed(
                "tls",
                format!("the certificate of {} is trusted", origin_of(issuer)),
            ),
            None => CheckPoint::passed("tls", "plain http on loopback: nothing to verify"),
        }
    }

    fn check_proxy(&self, failure: Option<&Error>) -> CheckPoint {
        let config = self.config();
        let detail = match &config.proxy {
            Some(proxy) => format!("requests go through {}", origin_of(proxy)),
            None if is_loopback(&config.issuer) => "loopback is reached directly".to_owned(),
            None => "none configured; the environment's applies where it is set".to_owned(),
        };
        match failure {
            Some(error)
                if error.code() == Code::ProxyFailed || error.code() == Code::HtmlAnswer =>
            {
                CheckPoint::of_error("proxy", error)
            }
            _ => CheckPoint::passed("proxy", detail),
        }
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

    async fn check_calls(&self, options: &CallOptions) -> Vec<CheckPoint> {
        let call = self.call(options);
        let shared = &self.shared;
        let token =
            self.within(&call, "check", shared.tokens.get(shared, &shared.config.scope, &call));
        if let Err(error) = token.await {
            let (name, other) = match error.code() {
                Code::OauthInvalidScope => ("scope", "credentials"),
                _ => ("credentials", "scope"),
            };
            let other = match other {
                "credentials" => CheckPoint::passed(other, "the provider accepts them"),
                _ => CheckPoint::skipped(other, "there is no token"),
            };
            let service = CheckPoint::skipped("service", "there is no token");
            return vec![CheckPoint::of_error(name, &error), other, service];
        }
        let credentials = CheckPoint::passed("credentials", "the provider gives a token");
        let scope = |granted| match granted {
            true => {
                CheckPoint::passed("scope", format!("{} opens the service", shared.config.scope))
            }
            false => CheckPoint::skipped("scope", "the service did not answer as it should"),
        };
        match self.conversion_specs(options).await {
            Ok(specs) => {
                let detail = format!("converts to {}", specs.join(", "));
                vec![credentials, CheckPoint::passed("service", detail), scope(true)]
            }
            Err(error) if error.code() == Code::AccessTokenRejected => {
                let service = CheckPoint::passed("service", "it answers");
                vec![credentials, service, CheckPoint::of_error("scope", &error)]
            }
            Err(error) => vec![credentials, CheckPoint::of_error("service", &error), scope(false)],
        }
    }
}
