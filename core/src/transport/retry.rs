//! Whether and when a failed attempt is repeated: a pure decision.

use std::time::Duration;

use crate::error::{Code, Error};

/// What a repetition would do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Repeat {
    /// The same answer again: reading, conversion, token requests.
    Safe,
    /// Something new each time, or a code that is spent: creating an order, exchanging a code.
    /// Repeated only when the request provably did not reach the other side.
    IfUnsent,
    /// One use of a token that is good for one: repeated when the request did not reach the other
    /// side, or was answered with an error that says to come back later.
    #[cfg(feature = "signing")]
    IfRefusedForNow,
}

/// What is known when an attempt has failed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attempt {
    /// Repetitions made so far.
    pub made: u32,
    /// Repetitions allowed.
    pub allowed: u32,
    /// Time left until the call's deadline.
    pub left: Duration,
    /// A random number from 0 to 1: the delay is drawn evenly from zero to the backoff.
    pub jitter: f64,
}

const FIRST: Duration = Duration::from_millis(500);
const LONGEST: Duration = Duration::from_secs(8);

/// The pause before the next attempt, or `None` when this failure is final.
pub(crate) fn decide(repeat: Repeat, error: &Error, attempt: &Attempt) -> Option<Duration> {
    let may_help = match repeat {
        Repeat::Safe => is_transient(error),
        Repeat::IfUnsent => is_unsent(error),
        #[cfg(feature = "signing")]
        Repeat::IfRefusedForNow => is_unsent(error) || is_refused_for_now(error),
    };
    if attempt.made >= attempt.allowed || !may_help {
        return None;
    }
    let backoff = FIRST.saturating_mul(1 << attempt.made.min(8)).min(LONGEST);
    let pause = backoff.mul_f64(attempt.jitter.clamp(0.0, 1.0));
    let pause = pause.max(error.retry_after().unwrap_or_default());
    (pause < attempt.left).then_some(pause)
}

/// Failures that another attempt may not meet.
pub(crate) fn is_transient(error: &Error) -> bool {
    match error.code() {
        Code::ConnectFailed
        | Code::ConnectTimeout
        | Code::ConnectionLost
        | Code::ReadTimeout
        | Code::TruncatedAnswer
        | Code::TooManyRequests
        | Code::ServiceUnavailable
        | Code::OauthServerError
        | Code::OauthTemporarilyUnavailable => true,
        Code::ServiceFailed => matches!(error.http_status(), Some(500 | 502 | 504)),
        _ => false,
    }
}

/// Failures before the first byte of the request left: there was no connection to send it on.
pub(crate) fn is_unsent(error: &Error) -> bool {
    matches!(error.code(), Code::ConnectFailed | Code::ConnectTimeout)
}

/// Errors of the CSC endpoints after which the specification says to retry after a short delay.
#[cfg(feature = "signing")]
pub(crate) fn is_refused_for_now(error: &Error) -> bool {
    matches!(
        error.code(),
        Code::CscServiceError
            | Code::CscServiceTimeout
            | Code::CscServiceUnavailable
            | Code::CscUserKeysLimit
            | Code::CscUnavailable
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST_TRY: Attempt =
        Attempt { made: 0, allowed: 2, left: Duration::from_secs(60), jitter: 1.0 };

    fn status(status: u16) -> Error {
        let raw = crate::error::RawAnswer::new(status, "", b"", None);
        raw.into_error("call")
    }

    #[test]
    fn backoff_doubles_up_to_a_cap() {
        let pauses: Vec<_> = (0..8)
            .map(|made| {
                let attempt = Attempt { made, allowed: 9, ..FIRST_TRY };
                decide(Repeat::Safe, &status(503), &attempt).unwrap().as_millis()
            })
            .collect();
        assert_eq!(pauses, [500, 1000, 2000, 4000, 8000, 8000, 8000, 8000]);
    }

    #[test]
    fn only_transient_failures_are_repeated() {
        for code in [429, 500, 502, 503, 504] {
            assert!(decide(Repeat::Safe, &status(code), &FIRST_TRY).is_some(), "{code}");
        }
        for code in [400, 401, 403, 404, 413, 501, 505] {
            assert!(decide(Repeat::Safe, &status(code), &FIRST_TRY).is_none(), "{code}");
        }
    }

    #[test]
    fn what_makes_something_new_is_repeated_only_when_it_was_not_sent() {
        let repeated =
            |repeat, code| decide(repeat, &Error::new(code, "no connection"), &FIRST_TRY).is_some();
        for unsent in [Code::ConnectFailed, Code::ConnectTimeout] {
            assert!(repeated(Repeat::IfUnsent, unsent), "{unsent:?}");
        }
        for unclear in
            [Code::ConnectionLost, Code::ReadTimeout, Code::TruncatedAnswer, Code::TlsFailed]
        {
            assert!(!repeated(Repeat::IfUnsent, unclear), "{unclear:?}");
        }
        for code in [429, 500, 502, 503, 504] {
            assert!(decide(Repeat::IfUnsent, &status(code), &FIRST_TRY).is_none(), "{code}");
        }
    }

    #[test]
    fn retry_after_is_honoured_within_the_deadline() {
        let wait = |seconds| Some(Duration::from_secs(seconds));
        let asked = status(503).with_retry_after(wait(20));
        let attempt = Attempt { jitter: 0.0, ..FIRST_TRY };
        assert_eq!(decide(Repeat::Safe, &asked, &attempt), wait(20));
        let too_long = status(503).with_retry_after(wait(61));
        assert_eq!(decide(Repeat::Safe, &too_long, &attempt), None);
    }

    #[test]
    fn the_last_attempt_is_the_last() {
        let spent = Attempt { made: 2, ..FIRST_TRY };
        assert_eq!(decide(Repeat::Safe, &status(503), &spent), None);
    }
}
