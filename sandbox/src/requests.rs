//! What clients sent: every request but those to the control surface, without secrets and without
//! documents.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Mutex;

use bytes::Bytes;
use http::HeaderMap;
use http::request::Parts;
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::address::Address;
use crate::form;
use crate::http::Answer;
use crate::json;
use crate::sync::lock;

/// How many requests are kept; older ones are dropped and counted.
const KEPT: usize = 10_000;
/// Strings longer than this are replaced by their length in the summary of a body.
const ELIDE_OVER: usize = 256;
/// Form parameters whose value is never shown.
const SECRET_PARAMETERS: [&str; 8] = [
    "session",
    "client_secret",
    "client_assertion",
    "code",
    "code_verifier",
    "refresh_token",
    "password",
    "token",
];

/// One request as the sandbox saw it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Seen {
    /// Number of the request, from 1.
    pub id: u64,
    /// When it arrived, milliseconds since 1970-01-01 UTC on the sandbox's clock.
    pub at_ms: u64,
    /// Number of the connection it came on, from 1.
    pub connection: u64,
    /// At which of the two addresses it arrived.
    pub address: Address,
    /// Method.
    pub method: String,
    /// Path without the query string.
    pub path: String,
    /// Query string as sent, without the value of `session`.
    pub query: Option<String>,
    /// Headers by lower-case name, repeated ones joined by `, `. Of `authorization` only the
    /// scheme is kept, of `cookie` nothing.
    pub headers: BTreeMap<String, String>,
    /// Length of the body as received; absent while it was not read to its end.
    pub body_bytes: Option<u64>,
    /// SHA-256 of the body in hexadecimal.
    pub body_sha256: Option<String>,
    /// The body, when it is JSON or a form: long strings replaced by their length, secrets elided.
    pub body: Option<Value>,
    /// Status of the answer; absent while the request is under way and when the connection was
    /// dropped instead.
    pub status: Option<u16>,
    /// Length of the answer's body.
    pub answer_bytes: Option<u64>,
    /// Whether the exchange is over.
    pub finished: bool,
    /// Why the sandbox refused the request.
    pub refused: Option<String>,
    /// Number of the fault rule that was applied.
    pub fault: Option<u64>,
}

impl Seen {
    pub(crate) fn new(
        at_ms: u64,
        connection: u64,
        address: Address,
        head: &Parts,
        fault: Option<u64>,
    ) -> Self {
        Self {
            id: 0,
            at_ms,
            connection,
            address,
            method: head.method.to_string(),
            path: head.uri.path().to_owned(),
            query: head.uri.query().map(shown_query),
            headers: shown_headers(&head.headers),
            body_bytes: None,
            body_sha256: None,
            body: None,
            status: None,
            answer_bytes: None,
            finished: false,
            refused: None,
            fault,
        }
    }
}

/// A query string without the secret of a signing session.
fn shown_query(query: &str) -> String {
    let shown = |pair: &str| match pair.starts_with("session=") {
        true => "session=<elided>".to_owned(),
        false => pair.to_owned(),
    };
    query.split('&').map(shown).collect::<Vec<_>>().join("&")
}

fn shown_headers(headers: &HeaderMap) -> BTreeMap<String, String> {
    let mut shown: BTreeMap<String, String> = BTreeMap::new();
    for (name, value) in headers {
        let text = String::from_utf8_lossy(value.as_bytes());
        let text = match name.as_str() {
            "authorization" | "proxy-authorization" => {
                format!("{} <elided>", text.split(' ').next().unwrap_or_default())
            }
            "cookie" => "<elided>".to_owned(),
            _ => text.into_owned(),
        };
        shown
            .entry(name.to_string())
            .and_modify(|joined| {
                joined.push_str(", ");
                joined.push_str(&text);
            })
            .or_insert(text);
    }
    shown
}

/// The list of requests seen.
#[derive(Debug, Default)]
pub(crate) struct Requests(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    last_id: u64,
    dropped: u64,
    entries: VecDeque<Seen>,
}

impl Requests {
    pub(crate) fn begin(&self, mut seen: Seen) -> u64 {
        let mut kept = lock(&self.0);
        kept.last_id += 1;
        let id = kept.last_id;
        seen.id = id;
        if kept.entries.len() == KEPT {
            kept.entries.pop_front();
            kept.dropped += 1;
        }
        kept.entries.push_back(seen);
        id
    }

    fn change(&self, id: u64, change: impl FnOnce(&mut Seen)) {
        let mut kept = lock(&self.0);
        // from the back: the request under way is one of the latest
        if let Some(seen) = kept.entries.iter_mut().rev().find(|seen| seen.id == id) {
            change(seen);
        }
    }

    /// Notes the body; hashing and reading long ones happens off the network threads.
    pub(crate) async fn body_read(&self, id: u64, headers: &HeaderMap, body: &Bytes) {
        let body_bytes = body.len() as u64;
        let content_type = headers
            .get("content-type")
            .map(|value| String::from_utf8_lossy(value.as_bytes()).to_ascii_lowercase())
            .unwrap_or_default();
        let shared = body.clone();
        let work = move || (sha256_hex(&shared), summary(&content_type, &shared));
        let noted = if body.len() < 64 * 1024 {
            Some(work())
        } else {
            tokio::task::spawn_blocking(work).await.ok()
        };
        self.change(id, |seen| {
            seen.body_bytes = Some(body_bytes);
            if let Some((sha256, summary)) = noted {
                seen.body_sha256 = Some(sha256);
                seen.body = summary;
            }
        });
    }

    pub(crate) fn answered(&self, id: u64, answer: &Answer) {
        self.change(id, |seen| {
            seen.status = Some(answer.status.as_u16());
            seen.answer_bytes = Some(answer.body.len());
            seen.refused.clone_from(&answer.refused);
            seen.finished = true;
        });
    }

    pub(crate) fn dropped(&self, id: u64) {
        self.change(id, |seen| seen.finished = true);
    }

    pub(crate) fn get(&self, id: u64) -> Option<Seen> {
        lock(&self.0).entries.iter().rev().find(|seen| seen.id == id).cloned()
    }

    pub(crate) fn list(&self) -> Vec<Seen> {
        lock(&self.0).entries.iter().cloned().collect()
    }

    /// How many requests are no longer in the list because it was full.
    pub(crate) fn forgotten(&self) -> u64 {
        lock(&self.0).dropped
    }

    /// Empties the list. Numbers go on.
    pub(crate) fn clear(&self) {
        let mut kept = lock(&self.0);
        kept.entries.clear();
        kept.dropped = 0;
    }
}

/// SHA-256.
pub(crate) fn sha256(bytes: &[u8]) -> Vec<u8> {
    Sha256::digest(bytes).to_vec()
}

/// SHA-256 in lower-case hexadecimal.
pub(crate) fn sha256_hex(bytes: &[u8]) -> String {
    sha256(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn summary(content_type: &str, body: &[u8]) -> Option<Value> {
    if content_type.starts_with("application/x-www-form-urlencoded") {
        let pairs = form::parse(std::str::from_utf8(body).ok()?).ok()?;
        return Some(
            pairs
                .into_iter()
                .map(|(name, value)| {
                    let secret = SECRET_PARAMETERS.contains(&name.as_str());
                    let value = if secret { "<elided>".to_owned() } else { value };
                    (name, Value::String(value))
                })
                .collect(),
        );
    }
    Some(json::parse(body).ok()?.elided(ELIDE_OVER))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_and_documents_are_not_shown() {
        let mut headers = HeaderMap::new();
        headers.append("authorization", "Bearer abcdef".parse().unwrap());
        headers.append("accept", "a".parse().unwrap());
        headers.append("accept", "b".parse().unwrap());
        let shown = shown_headers(&headers);
        assert_eq!(shown["authorization"], "Bearer <elided>");
        assert_eq!(shown["accept"], "a, b");

        let form = summary("application/x-www-form-urlencoded", b"a=1&client_secret=x").unwrap();
        assert_eq!(form.to_string(), r#"{"a":"1","client_secret":"<elided>"}"#);
        let long = "A".repeat(300);
        let json = summary("application/json", format!("{{\"pdf\":\"{long}\"}}").as_bytes());
        assert_eq!(json.unwrap().to_string(), r#"{"pdf":"<300 characters>"}"#);
        assert_eq!(summary("text/plain", b"hello"), None);
    }

    #[test]
    fn the_list_is_bounded() {
        let requests = Requests::default();
        let (head, ()) = http::Request::get("/x?y").body(()).unwrap().into_parts();
        for _ in 0..KEPT + 5 {
            requests.begin(Seen::new(0, 1, Address::Base, &head, None));
        }
        assert_eq!(requests.list().len(), KEPT);
        assert_eq!(requests.forgotten(), 5);
        assert_eq!(requests.list()[0].id, 6);
        requests.clear();
        assert_eq!(requests.forgotten(), 0);
    }
}
