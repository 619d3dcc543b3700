//! Addresses: https everywhere, http to this machine only.

use url::{Host, Url};

use crate::error::{Code, Error, Result};

/// Parses and checks an address that requests will be sent to.
pub(crate) fn checked_url(field: &str, text: &str) -> Result<Url> {
    let url = Url::parse(text.trim()).map_err(|error| {
        Error::new(Code::InvalidOption, format!("{field} is no valid address: {error}"))
            .with_detail("field", field)
    })?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(Error::new(
            Code::InvalidOption,
            format!("{field} must not hold a user or password"),
        )
        .with_detail("field", field));
    }
    match url.scheme() {
        "https" if url.has_host() => Ok(url),
        "http" if is_loopback(&url) => Ok(url),
        _ => Err(Error::new(
            Code::InsecureUrl,
            format!(
                "{field} must be an https address; plain http is accepted for loopback only, not {}",
                origin_of(&url)
            ),
        )
        .with_detail("field", field)),
    }
}

/// A timestamp authority may be reached by plain http, as public ones are: a token proves itself.
pub(super) fn timestamp_url(field: &str, text: &str) -> Result<Url> {
    match Url::parse(text.trim()) {
        Ok(url)
            if url.scheme() == "http"
                && url.has_host()
                && url.username().is_empty()
                && url.password().is_none() =>
        {
            Ok(url)
        }
        _ => checked_url(field, text),
    }
}

/// A proxy may be reached by http and may carry credentials.
pub(super) fn proxy_url(text: &str) -> Result<Url> {
    Url::parse(text)
        .ok()
        .filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
        .ok_or_else(|| {
            Error::new(Code::InvalidOption, "proxy must be an http or https address with a host")
                .with_detail("field", "proxy")
        })
}

/// A part of an address without its percent encoding (RFC 3986 section 2.1).
pub(super) fn decoded(text: &str) -> String {
    let query = format!("x={}", text.replace('+', "%2B"));
    let mut pairs = url::form_urlencoded::parse(query.as_bytes());
    pairs.next().map(|(_, value)| value.into_owned()).unwrap_or_default()
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name.eq_ignore_ascii_case("localhost"),
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.is_loopback(),
        None => false,
    }
}

/// Scheme, host and port: what may be shown in a message.
pub(crate) fn origin_of(url: &Url) -> String {
    let host = url.host_str().unwrap_or("no host");
    match url.port() {
        Some(port) => format!("{}://{host}:{port}", url.scheme()),
        None => format!("{}://{host}", url.scheme()),
    }
}

/// Appends a path to a base address, whatever slashes both have.
pub(crate) fn join(base: &Url, path: &str) -> Url {
    let mut url = base.clone();
    let joined = format!("{}/{}", base.path().trim_end_matches('/'), path.trim_start_matches('/'));
    url.set_path(&joined);
    url.set_query(None);
    url.set_fragment(None);
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joining_keeps_exactly_one_slash() {
        for base in ["https://h/a", "https://h/a/"] {
            let base = Url::parse(base).unwrap();
            assert_eq!(join(&base, "/signdoc/convert").as_str(), "https://h/a/signdoc/convert");
        }
    }

    #[test]
    fn credentials_in_an_address_are_refused() {
        assert!(checked_url("base_url", "https://u:p@h/").is_err());
        assert!(timestamp_url("tsa_url", "http://u:p@h/").is_err());
    }

    #[test]
    fn only_a_timestamp_authority_may_be_reached_by_plain_http() {
        let plain = "http://tsa.example/tsr";
        assert_eq!(checked_url("base_url", plain).unwrap_err().code(), Code::InsecureUrl);
        assert_eq!(timestamp_url("tsa_url", plain).unwrap().as_str(), plain);
        assert!(timestamp_url("tsa_url", "https://tsa.example/").is_ok());
        for wrong in ["ftp://tsa.example/", "tsa.example", "http:///x y"] {
            assert!(timestamp_url("tsa_url", wrong).is_err(), "{wrong}");
        }
    }
}
