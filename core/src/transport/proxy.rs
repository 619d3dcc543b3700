//! Which requests go through a proxy.

use std::fmt;
use std::sync::Arc;

use hyper_util::client::proxy::matcher::{Builder, Matcher};
use reqwest::{NoProxy, Proxy};
use url::Url;

use crate::config::Config;
use crate::error::{Code, Error, Result};

/// Hosts that a proxy from the environment never sees.
const LOOPBACK: &str = "localhost,127.0.0.0/8,::1";

/// The proxies in use: for the HTTP library, and to tell of each request which one it meets.
#[derive(Clone)]
pub(super) struct Proxies {
    pub(super) list: Vec<Proxy>,
    matchers: Arc<[Matcher]>,
}

impl fmt::Debug for Proxies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // their addresses may hold passwords
        write!(f, "Proxies({})", self.list.len())
    }
}

/// How one scheme's proxy is told to the HTTP library and to a matcher.
struct Kind {
    proxy: fn(String) -> reqwest::Result<Proxy>,
    matcher: fn(Builder, String) -> Builder,
}

const ALL: Kind = Kind { proxy: Proxy::all, matcher: Builder::all };
const HTTP: Kind = Kind { proxy: Proxy::http, matcher: Builder::http };
const HTTPS: Kind = Kind { proxy: Proxy::https, matcher: Builder::https };

impl Proxies {
    /// The configured proxy, or those of the environment; none where nothing is said.
    pub(super) fn new(config: &Config) -> Result<Self> {
        let excluded = config.no_proxy.clone().or_else(|| variable(&["NO_PROXY", "no_proxy"]));
        let mut found = Found::default();
        if let Some(url) = &config.proxy {
            found.add("proxy", url.as_str(), &ALL, excluded.as_deref().unwrap_or_default())?;
            return Ok(found.done());
        }
        let excluded = match excluded {
            Some(list) => format!("{list},{LOOPBACK}"),
            None => LOOPBACK.to_owned(),
        };
        let mut add = |names: &[&'static str; 2], kind: &Kind| match variable(names) {
            None => Ok(()),
            Some(url) if url.contains("://") => found.add(names[0], &url, kind, &excluded),
            Some(url) => found.add(names[0], &format!("http://{url}"), kind, &excluded),
        };
        add(&["HTTPS_PROXY", "https_proxy"], &HTTPS)?;
        // In a CGI program HTTP_PROXY comes from the client's "Proxy:" header.
        if std::env::var_os("REQUEST_METHOD").is_none() {
            add(&["HTTP_PROXY", "http_proxy"], &HTTP)?;
        }
        add(&["ALL_PROXY", "all_proxy"], &ALL)?;
        Ok(found.done())
    }

    /// The address, without credentials, of the proxy that a request to `url` goes through.
    pub(super) fn of(&self, url: &Url) -> Option<String> {
        let uri = url.as_str().parse().ok()?;
        let met = self.matchers.iter().find_map(|matcher| matcher.intercept(&uri))?;
        let scheme = met.uri().scheme_str().unwrap_or("http");
        let host = met.uri().host()?;
        let port = met.uri().port_u16().map(|port| format!(":{port}")).unwrap_or_default();
        Some(format!("{scheme}://{host}{port}"))
    }
}

#[derive(Default)]
struct Found {
    list: Vec<Proxy>,
    matchers: Vec<Matcher>,
}

impl Found {
    fn add(&mut self, name: &str, url: &str, kind: &Kind, excluded: &str) -> Result<()> {
        let proxy = (kind.proxy)(url.to_owned()).map_err(|_| unusable(name))?;
        self.list.push(proxy.no_proxy(NoProxy::from_string(excluded)));
        let builder = (kind.matcher)(Matcher::builder(), url.to_owned());
        self.matchers.push(builder.no(excluded).build());
        Ok(())
    }

    fn done(self) -> Proxies {
        Proxies { list: self.list, matchers: self.matchers.into() }
    }
}

fn variable(names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| std::env::var(name).ok()).filter(|value| !value.is_empty())
}

fn unusable(name: &str) -> Error {
    Error::new(Code::InvalidOption, format!("the address in {name} cannot be used as a proxy"))
        .with_detail("field", name)
}
