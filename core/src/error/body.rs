//! One decoder for every error body the service, the identity provider or a proxy may send.

use std::time::Duration;

use serde_json::{Map, Value};

use super::{Code, Error};
use crate::secrets::without_documents;

/// How much of an error body is read at all, in bytes.
pub(crate) const BODY_CAP: usize = 1024 * 1024;
/// How much of its text stays in the error's details, in bytes.
const TEXT_CAP: usize = 64 * 1024;

/// An answer that is not the one hoped for, as it came.
#[derive(Clone, Debug)]
pub(crate) struct RawAnswer {
    pub status: u16,
    pub content_type: String,
    pub text: String,
    pub retry_after: Option<Duration>,
    /// Whether the connection was lost before the body's end.
    pub broken: bool,
}

impl RawAnswer {
    pub(crate) fn new(
        status: u16,
        content_type: &str,
        body: &[u8],
        retry_after: Option<Duration>,
    ) -> Self {
        let body = body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(body);
        let text = String::from_utf8_lossy(body).into_owned();
        Self {
            status,
            content_type: content_type.to_ascii_lowercase(),
            text,
            retry_after,
            broken: false,
        }
    }

    /// The error that this answer means; `what` names the operation for the message.
    pub(crate) fn into_error(self, what: &str) -> Error {
        let body = ErrorBody::decode(&self);
        let mut code = body.code(self.status);
        let mut message = body.message(what, self.status);
        if self.broken && code == Code::RequestRejected {
            // What was refused, and why, was in the part that is missing.
            code = Code::TruncatedAnswer;
            message = format!("{message} (the answer broke off after {} bytes)", self.text.len());
        }
        let mut error = Error::service(code, self.status, message)
            .with_retry_after(self.retry_after)
            .with_detail("body", excerpt(&self.text));
        match body {
            ErrorBody::Csc { code, reference, .. } => {
                error = error.with_name(code).with_reference(reference);
            }
            ErrorBody::OAuth { error: name, .. } => error = error.with_name(name),
            ErrorBody::List(items) => error = error.with_detail("errors", items),
            ErrorBody::Html { title } => error = error.with_detail("title", title),
            _ => {}
        }
        error
    }
}

fn excerpt(text: &str) -> String {
    let text = &*without_documents(text);
    let mut end = text.len().min(TEXT_CAP);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default().to_owned()
}

/// The shapes that error bodies come in.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ErrorBody {
    /// The credential-based interface's own object.
    Csc { code: String, description: String, reference: Option<String> },
    /// The OAuth 2.0 object (RFC 6749 section 5.2), also the CSC standard's.
    OAuth { error: String, description: String },
    /// Per-document results of a conversion.
    Conversion(Vec<Value>),
    /// `{"errors": [...]}` of the order endpoints.
    List(Vec<String>),
    /// A JSON string, plain text, or an object with a message.
    Message(String),
    /// A page, probably by a proxy between here and the service.
    Html { title: String },
    /// Nothing at all.
    Empty,
}

impl ErrorBody {
    pub(crate) fn decode(raw: &RawAnswer) -> Self {
        let text = raw.text.trim();
        if text.is_empty() {
            return Self::Empty;
        }
        if raw.content_type.contains("html") || text.starts_with('<') {
            return Self::Html { title: html_title(text) };
        }
        match serde_json::from_str::<Value>(text) {
            Ok(Value::Object(object)) => Self::from_object(object, text),
            Ok(Value::String(message)) => Self::Message(message),
            Ok(Value::Array(items)) if items.iter().any(is_result) => Self::Conversion(items),
            Ok(Value::Array(items)) if !items.is_empty() => Self::List(texts(&items)),
            _ => Self::Message(text.to_owned()),
        }
    }

    fn from_object(object: Map<String, Value>, text: &str) -> Self {
        let field = |name: &str| object.get(name).and_then(Value::as_str).map(str::to_owned);
        if let Some(code) = field("errorCode") {
            return Self::Csc {
                code,
                description: field("errorDescription").unwrap_or_default(),
                reference: field("errorReference"),
            };
        }
        if let Some(Value::Array(results)) = object.get("conversionResults") {
            return Self::Conversion(results.clone());
        }
        if let Some(Value::Array(items)) = object.get("errors") {
            return Self::List(texts(items));
        }
        if let Some(error) = field("error") {
            let description = field("error_description").or_else(|| field("message"));
            return Self::OAuth { error, description: description.unwrap_or_default() };
        }
        let message = ["message", "error_description", "detail", "title"];
        Self::Message(
            message.iter().find_map(|name| field(name)).unwrap_or_else(|| text.to_owned()),
        )
    }

    /// The row of the table: the service's own code where it is known, else by status.
    fn code(&self, status: u16) -> Code {
        match self {
            Self::Csc { code, .. } => Code::csc(code).unwrap_or(Code::CscUnknown),
            _ if status == 407 => Code::ProxyFailed,
            Self::Html { .. } if !(500..600).contains(&status) && status != 429 => Code::HtmlAnswer,
            Self::Empty if (200..300).contains(&status) => Code::EmptyAnswer,
            _ => by_status(status),
        }
    }

    fn message(&self, what: &str, status: u16) -> String {
        let said = match self {
            _ if status == 407 => {
                "the proxy asks for a user and a password, or refuses those in proxy".to_owned()
            }
            Self::Csc { code, description, .. } => join(code, description),
            Self::OAuth { error, description } => join(error, description),
            Self::List(items) => items.join("; "),
            Self::Message(text) => first_line(text),
            Self::Html { title } => format!(
                "an HTML page ({title:?}) came instead of JSON, probably from a proxy between this machine and the service"
            ),
            Self::Conversion(_) => "the documents were not converted".to_owned(),
            Self::Empty => "the answer has no body".to_owned(),
        };
        format!("{what}: HTTP status {status}: {said}")
    }
}

pub(crate) fn by_status(status: u16) -> Code {
    match status {
        401 | 403 => Code::AccessTokenRejected,
        404 => Code::NotFound,
        413 => Code::PayloadTooLarge,
        429 => Code::TooManyRequests,
        503 => Code::ServiceUnavailable,
        407 => Code::ProxyFailed,
        400..=499 => Code::RequestRejected,
        500..=599 => Code::ServiceFailed,
        _ => Code::UnexpectedStatus,
    }
}

fn is_result(item: &Value) -> bool {
    item.get("conversionResult").is_some() || item.get("conversionErrors").is_some()
}

fn texts(items: &[Value]) -> Vec<String> {
    items.iter().map(|item| item.as_str().map_or_else(|| item.to_string(), str::to_owned)).collect()
}

fn join(code: &str, description: &str) -> String {
    if description.is_empty() { code.to_owned() } else { format!("{code}: {description}") }
}

fn first_line(text: &str) -> String {
    const SHOWN: usize = 300;
    let text = &*without_documents(text);
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", line.get(..end).unwrap_or_default()),
        None => line.to_owned(),
    }
}

fn html_title(text: &str) -> String {
    let lower = text.to_ascii_lowercase();
    let title = lower.find("<title").and_then(|tag| {
        let start = tag + lower.get(tag..)?.find('>')? + 1;
        let end = start + lower.get(start..)?.find("</title")?;
        text.get(start..end)
    });
    first_line(title.unwrap_or("no title").trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(status: u16, content_type: &str, body: &str) -> (ErrorBody, Error) {
        let raw = RawAnswer::new(status, content_type, body.as_bytes(), None);
        (ErrorBody::decode(&raw), raw.into_error("call"))
    }

    #[test]
    fn the_csc_object_keeps_code_description_and_reference() {
        let body = r#"{"errorCode":"token_already_used","errorDescription":"spent","errorReference":"R1"}"#;
        let (_, error) = decode(400, "application/json", body);
        assert_eq!(error.name(), "token_already_used");
        assert_eq!(error.reference(), Some("R1"));
        assert_eq!(error.http_status(), Some(400));
        assert_eq!(error.details()["body"], body);
    }

    #[test]
    fn a_page_from_a_proxy_is_named_as_such() {
        let (body, error) =
            decode(403, "text/html", "<html><head><title>Blocked</title></head></html>");
        assert_eq!(body, ErrorBody::Html { title: "Blocked".into() });
        assert_eq!(error.code(), Code::HtmlAnswer);
        let (_, error) = decode(502, "", "<!doctype html><p>bad gateway");
        assert_eq!(error.code(), Code::ServiceFailed);
    }

    #[test]
    fn strings_lists_and_nothing_are_told_apart() {
        assert_eq!(decode(403, "", "\"no token\"").0, ErrorBody::Message("no token".into()));
        assert_eq!(decode(400, "", "bad field").0, ErrorBody::Message("bad field".into()));
        assert_eq!(
            decode(400, "", r#"{"errors":["a","b"]}"#).0,
            ErrorBody::List(vec!["a".into(), "b".into()])
        );
        assert_eq!(decode(500, "", " \r\n").0, ErrorBody::Empty);
        assert_eq!(
            decode(400, "", "\u{feff}{\"message\":\"m\"}").0,
            ErrorBody::Message("m".into())
        );
    }
}
