//! What a call did, for logs and for support: events without secrets, and the last answer.
//!
//! Nothing is called back from a runtime thread. Events wait in the call's [`Trace`] until whoever
//! waits for the call takes them; `SIGNDOC_LOG` (`info` or `debug`) also writes them to standard
//! error as they happen. Redaction is by construction: an event can hold only what its fields say,
//! and headers are shown from an allow list.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use http::HeaderMap;

use crate::secrets::{Secrets, without_documents};

/// Events a trace keeps when nobody takes them; older ones are dropped.
const KEPT: usize = 256;
/// How much of an answer's text is kept, in bytes.
const TEXT_KEPT: usize = 64 * 1024;

/// How important an event is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Each request and answer.
    Debug,
    /// What changed: a new token, new metadata.
    Info,
    /// A repetition or a failure that the caller may not see.
    Warning,
}

impl Level {
    /// `debug`, `info` or `warning`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Debug => "debug",
            Self::Info => "info",
            Self::Warning => "warning",
        }
    }
}

/// One thing that happened.
#[derive(Clone, Debug)]
pub struct Event {
    /// How important it is.
    pub level: Level,
    /// The call it belongs to: the same for everything one call does.
    pub correlation_id: Arc<str>,
    /// What happened; holds no secret, document or personal identifier.
    pub message: String,
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} [{}] {}", self.level.as_str(), self.correlation_id, self.message)
    }
}

/// The last answer of a call, as it came.
#[derive(Clone, Debug)]
pub struct LastAnswer {
    /// The HTTP status.
    pub status: u16,
    /// The headers that may be shown, by lower-case name.
    pub headers: Vec<(String, String)>,
    /// The text of an error answer, at most 64 KiB; `None` for answers that carry documents or
    /// tokens.
    pub body: Option<String>,
}

/// Headers worth showing to support; everything else may hold secrets.
const SHOWN: &[&str] = &[
    "content-type",
    "content-length",
    "date",
    "server",
    "via",
    "retry-after",
    "x-request-id",
    "x-correlation-id",
    "traceparent",
    "www-authenticate",
    "location",
];

/// The record of one call; clones share it.
#[derive(Clone, Debug)]
pub struct Trace(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    id: Arc<str>,
    events: Mutex<VecDeque<Event>>,
    last: Mutex<Option<LastAnswer>>,
}

impl Default for Trace {
    fn default() -> Self {
        let number = getrandom::u64().unwrap_or_default();
        let id = format!("{number:016x}").into();
        Self(Arc::new(Inner { id, events: Mutex::default(), last: Mutex::default() }))
    }
}

impl Trace {
    /// What marks this call in logs: sixteen hexadecimal digits.
    #[must_use]
    pub fn correlation_id(&self) -> &str {
        &self.0.id
    }

    /// Takes the events that nobody has taken yet, oldest first.
    #[must_use]
    pub fn take_events(&self) -> Vec<Event> {
        lock(&self.0.events).drain(..).collect()
    }

    /// The last answer this call got, token and metadata requests included.
    #[must_use]
    pub fn last_answer(&self) -> Option<LastAnswer> {
        lock(&self.0.last).clone()
    }

    pub(crate) fn event(&self, level: Level, message: impl FnOnce() -> String) {
        let event = Event { level, correlation_id: self.0.id.clone(), message: message() };
        if printed().is_some_and(|least| level >= least) {
            eprintln!("signdoc {event}");
        }
        let mut events = lock(&self.0.events);
        if events.len() >= KEPT {
            events.pop_front();
        }
        events.push_back(event);
    }

    pub(crate) fn answered(&self, status: u16, headers: &HeaderMap, secrets: &Secrets) {
        let shown = |(name, value): (&http::HeaderName, &http::HeaderValue)| {
            let value = value.to_str().ok().filter(|_| SHOWN.contains(&name.as_str()))?;
            // A redirect's query may carry a code or state.
            let value = value.split('?').next().unwrap_or_default();
            Some((name.as_str().to_owned(), secrets.clean(value).into_owned()))
        };
        let headers = headers.iter().filter_map(shown).collect();
        *lock(&self.0.last) = Some(LastAnswer { status, headers, body: None });
    }

    pub(crate) fn answered_with(&self, text: &str) {
        if let Some(last) = lock(&self.0.last).as_mut() {
            let text = without_documents(text);
            let end = text.floor_char_boundary(TEXT_KEPT);
            last.body = text.get(..end).map(str::to_owned);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The least level that `SIGNDOC_LOG` asks to see.
fn printed() -> Option<Level> {
    static LEVEL: OnceLock<Option<Level>> = OnceLock::new();
    *LEVEL.get_or_init(|| match std::env::var("SIGNDOC_LOG").ok()?.as_str() {
        "debug" => Some(Level::Debug),
        "info" => Some(Level::Info),
        "warning" => Some(Level::Warning),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_events_make_room_and_headers_are_chosen() {
        let trace = Trace::default();
        for number in 0..300 {
            trace.event(Level::Debug, || number.to_string());
        }
        let events = trace.take_events();
        assert_eq!(events.len(), KEPT);
        assert_eq!(events[0].message, "44");
        assert!(trace.take_events().is_empty());

        let mut headers = HeaderMap::new();
        headers.insert("set-cookie", "canary=1".parse().unwrap());
        headers.insert("location", "https://shop.example/cb?code=canary".parse().unwrap());
        trace.answered(302, &headers, &Secrets::default());
        let shown = format!("{:?}", trace.last_answer());
        assert!(!shown.contains("canary") && shown.contains("shop.example"), "{shown}");
    }
}
