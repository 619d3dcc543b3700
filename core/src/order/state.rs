//! States of orders: how answers tell them, and what they mean for the order's life.

use std::collections::BTreeSet;

use serde_json::Value;
use signdoc_spec::PadesState;

use crate::error::{Code, Error, RawAnswer, Result};
use crate::wire::BufferPool;

/// Names under which a state has been seen; the specification does not show the field's name.
const FIELDS: &[&str] = &["orderState", "order_state", "state", "status"];
/// Longest text that is taken for a state, in bytes.
const WORD_MAX: usize = 64;

/// How far an order is, whatever its kind. Ordered: an order never goes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Phase {
    /// The user has not come to sign yet.
    Received,
    /// The user is signing, or the service works on it; unknown states, too.
    Signing,
    Completed,
    Failed,
    Cancelled,
    /// This client has fetched the results.
    Downloaded,
}

impl Phase {
    /// The phase of a state by its text; a state nobody knows is not final.
    pub(crate) fn of(state: &str) -> Self {
        match PadesState::from_text(state) {
            PadesState::OrderReceived => Self::Received,
            PadesState::SignCompleted => Self::Completed,
            PadesState::Failed => Self::Failed,
            PadesState::Cancelled => Self::Cancelled,
            _ => Self::Signing,
        }
    }

    pub(crate) fn is_final(self) -> bool {
        !matches!(self, Self::Received | Self::Signing)
    }
}

/// Whether both texts name the same state.
pub(super) fn is_same(one: &str, other: &str) -> bool {
    one.trim().eq_ignore_ascii_case(other.trim())
}

/// The state in an answer: a field of an object, a JSON string, or plain text.
pub(super) fn parse(raw: RawAnswer, what: &'static str, pool: &BufferPool) -> Result<String> {
    let text = raw.text.trim();
    if is_word(text) {
        return Ok(text.to_ascii_uppercase());
    }
    let status = raw.status;
    let value = match super::lenient::value(text.as_bytes(), what, pool) {
        Ok(value) => value,
        Err(error) => {
            let told = raw.into_error(what);
            return Err(match told.code() {
                Code::HtmlAnswer | Code::EmptyAnswer => told,
                _ => error,
            });
        }
    };
    let named = FIELDS.iter().find_map(|field| value.get(field).and_then(Value::as_str));
    let named = named.or_else(|| value.as_str()).map(str::trim).filter(|state| is_word(state));
    let found = named.map(str::to_ascii_uppercase).or_else(|| by_value(&value));
    found.ok_or_else(|| {
        Error::new(Code::MissingField, format!("{what}: the answer tells no orderState"))
            .with_status(status)
            .with_detail("field", "orderState")
    })
}

/// The one state of the specification that stands anywhere in the answer: it does not show the
/// name of the field. `None` where there is none, or where several are named.
fn by_value(value: &Value) -> Option<String> {
    let mut known = BTreeSet::new();
    collect(value, &mut known);
    let mut known = known.into_iter();
    known.next().filter(|_| known.next().is_none())
}

fn collect(value: &Value, known: &mut BTreeSet<String>) {
    match value {
        Value::String(text) => {
            let state = PadesState::from_text(text.trim());
            if PadesState::KNOWN.contains(&state) {
                known.insert(state.as_str().to_owned());
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, known)),
        Value::Object(members) => members.values().for_each(|member| collect(member, known)),
        _ => {}
    }
}

fn is_word(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    text.len() <= WORD_MAX
        && text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(plain)
        && !matches!(text, "null" | "true" | "false")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<String> {
        let raw = RawAnswer::new(200, "application/json", text.as_bytes(), None);
        parse(raw, "state", &BufferPool::new())
    }

    #[test]
    fn every_shape_of_a_state_is_read() {
        for text in [
            r#"{"orderState":"USER_SIGNING","signId":"x"}"#,
            r#"{"state":"USER_SIGNING"}"#,
            "\"USER_SIGNING\"",
            "USER_SIGNING",
            " user_signing\r\n",
            r#"{"signId":"x","phase":"USER_SIGNING"}"#,
            r#"{"order":{"details":{"now":"USER_SIGNING"}}}"#,
            r#"["USER_SIGNING"]"#,
            r#"[{"orders":[{"s":"USER_SIGNING"}],"again":"user_signing"}]"#,
            r#"{"orderState":7,"text":"USER_SIGNING"}"#,
            r#"{"orderState":{"name":"USER_SIGNING"}}"#,
        ] {
            assert_eq!(read(text).unwrap(), "USER_SIGNING", "{text}");
        }
        assert_eq!(read("\"WAITING_FOR_MOON\"").unwrap(), "WAITING_FOR_MOON");
    }

    #[test]
    fn what_tells_no_state_is_said_so() {
        for (text, code) in [
            ("{}", Code::MissingField),
            ("null", Code::MissingField),
            (r#"{"orderState":7}"#, Code::MissingField),
            (r#"{"past":"USER_SIGNING","now":"SIGN_COMPLETED"}"#, Code::MissingField),
            (r#"{"note":"see USER_SIGNING"}"#, Code::MissingField),
            ("<html><title>Login</title>", Code::HtmlAnswer),
            ("", Code::EmptyAnswer),
            ("all is well", Code::MalformedAnswer),
        ] {
            assert_eq!(read(text).unwrap_err().code(), code, "{text}");
        }
    }

    #[test]
    fn final_states_are_final_and_unknown_ones_are_not() {
        for state in ["FAILED", "CANCELLED", "SIGN_COMPLETED"] {
            assert!(Phase::of(state).is_final());
        }
        for state in ["ORDER_RECEIVED", "USER_SIGNING", "ADD_DOCUMENT_SECURITY_STORE", "NEW"] {
            assert!(!Phase::of(state).is_final());
        }
    }
}
