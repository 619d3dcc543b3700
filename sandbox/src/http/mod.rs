//! HTTP as far as the sandbox needs it: one request as a [`Call`], one reply as an [`Answer`], and
//! below them a server that can also misbehave on purpose.

pub(crate) mod body;
pub(crate) mod coding;
pub(crate) mod server;
pub(crate) mod text;
pub(crate) mod wire;

use bytes::Bytes;
use http::header::{ALLOW, CONTENT_TYPE, LOCATION};
use http::{HeaderMap, HeaderName, Method, StatusCode};
use serde_json::Value;

use self::body::AnswerBody;
use crate::address::Address;
use crate::faults::Twist;
use crate::form;

/// One request, read whole.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) address: Address,
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) query: Option<String>,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    /// A fault asks for the access token to be refused, whatever it is.
    pub(crate) reject_token: bool,
    /// A fault in what the service says, which only the part that says it can carry out.
    pub(crate) twist: Option<Twist>,
}

impl Call {
    /// The access token in `Authorization: Bearer` (RFC 6750 section 2.1).
    pub(crate) fn bearer(&self) -> Result<&str, String> {
        let value = self
            .single_header("authorization")?
            .ok_or_else(|| "header authorization is missing".to_owned())?;
        let (scheme, token) = value.split_once(' ').unwrap_or((value, ""));
        if !scheme.eq_ignore_ascii_case("bearer") {
            return Err("header authorization has another scheme than Bearer".to_owned());
        }
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~+/=".contains(&byte);
        if token.is_empty() || !token.bytes().all(allowed) {
            return Err("header authorization holds no well-formed bearer token".to_owned());
        }
        Ok(token)
    }

    /// The value of a header that must not be repeated.
    pub(crate) fn single_header(&self, name: &str) -> Result<Option<&str>, String> {
        let mut values = self.headers.get_all(name).iter();
        let Some(first) = values.next() else { return Ok(None) };
        if values.next().is_some() {
            return Err(format!("header {name} stands twice"));
        }
        first.to_str().map(Some).map_err(|_| format!("header {name} is not plain ASCII"))
    }

    /// Checks that the body is declared as `wanted`. Parameters other than `charset=utf-8` are
    /// refused.
    pub(crate) fn require_content_type(&self, wanted: &str) -> Result<(), String> {
        let value = self
            .single_header("content-type")?
            .ok_or_else(|| format!("header content-type is missing, it must be {wanted}"))?;
        let mut parts = value.split(';').map(str::trim);
        let essence = parts.next().unwrap_or_default();
        let charset_ok = parts.all(|parameter| {
            parameter.is_empty()
                || parameter.eq_ignore_ascii_case("charset=utf-8")
                || parameter.eq_ignore_ascii_case("charset=\"utf-8\"")
        });
        if essence.eq_ignore_ascii_case(wanted) && charset_ok {
            Ok(())
        } else {
            Err(format!("header content-type is {value}, it must be {wanted}"))
        }
    }

    /// Checks that the caller takes `offered`; no Accept header means that anything is taken
    /// (RFC 9110 section 12.5.1).
    pub(crate) fn require_accepts(&self, offered: &str) -> Result<(), String> {
        let group = offered.split('/').next().unwrap_or_default();
        let mut seen = false;
        for value in self.headers.get_all("accept") {
            seen = true;
            let value =
                value.to_str().map_err(|_| "header accept is not plain ASCII".to_owned())?;
            for range in value.split(',') {
                let mut parts = range.split(';').map(str::trim);
                let media = parts.next().unwrap_or_default().to_ascii_lowercase();
                let refused = parts.any(|part| {
                    let weight = part.strip_prefix("q=").or_else(|| part.strip_prefix("Q="));
                    weight.is_some_and(|q| q.parse::<f32>().is_ok_and(|q| q == 0.0))
                });
                let matches = media == offered || media == "*/*" || media == format!("{group}/*");
                if matches && !refused {
                    return Ok(());
                }
            }
        }
        if seen { Err(format!("header accept leaves no room for {offered}")) } else { Ok(()) }
    }

    /// Checks that there is no query string.
    pub(crate) fn require_no_query(&self) -> Result<(), String> {
        match self.query.as_deref() {
            None | Some("") => Ok(()),
            Some(_) => Err("the query string must be empty".to_owned()),
        }
    }

    /// The query parameters in the order sent.
    pub(crate) fn query_pairs(&self) -> Result<Vec<(String, String)>, String> {
        form::parse(self.query.as_deref().unwrap_or_default())
    }
}

/// One reply, with the reason when the sandbox refused the request.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: Vec<(HeaderName, String)>,
    pub(crate) body: AnswerBody,
    /// Why the request was refused, for the control surface and the log.
    pub(crate) refused: Option<String>,
}

impl Answer {
    /// A reply with a body of the given type.
    pub(crate) fn new(status: StatusCode, content_type: &str, body: impl Into<AnswerBody>) -> Self {
        Self {
            status,
            headers: vec![(CONTENT_TYPE, content_type.to_owned())],
            body: body.into(),
            refused: None,
        }
    }

    /// A JSON reply.
    pub(crate) fn json(status: StatusCode, value: &Value) -> Self {
        Self::new(status, "application/json", Bytes::from(value.to_string()))
    }

    /// A reply of plain text.
    pub(crate) fn text(status: StatusCode, text: impl Into<String>) -> Self {
        Self::new(status, "text/plain; charset=utf-8", Bytes::from(text.into()))
    }

    /// 204, which has no body and no type.
    pub(crate) fn no_content() -> Self {
        let body = AnswerBody::from(Bytes::new());
        Self { status: StatusCode::NO_CONTENT, headers: Vec::new(), body, refused: None }
    }

    /// A page.
    pub(crate) fn html(status: StatusCode, page: String) -> Self {
        Self::new(status, "text/html; charset=utf-8", Bytes::from(page))
    }

    /// Sends a browser elsewhere.
    pub(crate) fn redirect(status: StatusCode, location: &str) -> Self {
        Self::text(status, "").header(LOCATION, location)
    }

    /// Adds a header.
    pub(crate) fn header(mut self, name: HeaderName, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// Notes why the request was refused.
    pub(crate) fn refused(mut self, reason: impl Into<String>) -> Self {
        self.refused = Some(reason.into());
        self
    }

    /// 404 for a path nobody serves.
    pub(crate) fn not_found(path: &str) -> Self {
        Self::text(StatusCode::NOT_FOUND, "not found").refused(format!("no such path {path}"))
    }

    /// 405 with the methods that are served.
    pub(crate) fn method_not_allowed(method: &Method, allowed: &str) -> Self {
        Self::text(StatusCode::METHOD_NOT_ALLOWED, "method not allowed")
            .header(ALLOW, allowed)
            .refused(format!("method {method} is not served here, only {allowed}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(headers: &[(&str, &str)]) -> Call {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(
                http::HeaderName::from_bytes(name.as_bytes()).unwrap(),
                value.parse().unwrap(),
            );
        }
        Call {
            address: Address::Base,
            method: Method::POST,
            path: "/".into(),
            query: None,
            headers: map,
            body: Bytes::new(),
            reject_token: false,
            twist: None,
        }
    }

    #[test]
    fn content_type() {
        let json = "application/json";
        for good in ["application/json", "Application/JSON; charset=UTF-8", "application/json;"] {
            call(&[("content-type", good)]).require_content_type(json).unwrap();
        }
        for bad in ["text/json", "application/json; charset=latin1", "application/json, text/plain"]
        {
            assert!(call(&[("content-type", bad)]).require_content_type(json).is_err(), "{bad}");
        }
        assert!(call(&[]).require_content_type(json).is_err());
        let twice = call(&[("content-type", json), ("content-type", json)]);
        assert!(twice.require_content_type(json).is_err());
    }

    #[test]
    fn accept() {
        let json = "application/json";
        call(&[]).require_accepts(json).unwrap();
        for good in ["*/*", "application/*;q=0.1", "text/html, application/json"] {
            call(&[("accept", good)]).require_accepts(json).unwrap();
        }
        for bad in ["text/html", "application/json;q=0", "application/pdf, text/*", ""] {
            assert!(call(&[("accept", bad)]).require_accepts(json).is_err(), "{bad}");
        }
    }
}
