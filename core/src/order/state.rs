//! States of orders: how answers tell them, and what they mean for the order's life.

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
    let found = named.or_else(|| value.as_str()).map(str::trim);
    let found = found.filter(|state| is_word(state)).ok_or_else(|| {
        Error::new(Code::MissingField, format!("{what}: the answer tells no orderState"))
            .with_status(status)
            .with_detail("field", "orderState")
    })?;
    Ok(found.to_ascii_uppercase())
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
