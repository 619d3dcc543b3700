//! The exit status of every outcome.

use signdoc::spec::{Category, Code};

/// All went well.
pub const OK: i32 = 0;
/// Something failed on this machine: a result could not be written, the sandbox did not start.
pub const FAILED: i32 = 1;
/// The command line or the configuration is wrong.
pub const USAGE: i32 = 2;
/// The input was refused: by the local checks, or by the service as an invalid request.
pub const REFUSED: i32 = 3;
/// Credentials, token, scope or login were not accepted.
pub const AUTHENTICATION: i32 = 4;
/// The service failed, could not be reached, or answered in a way that cannot be understood.
pub const SERVICE: i32 = 5;
/// A signed document did not pass its checks.
pub const NOT_VERIFIED: i32 = 6;
/// A request was sent and nobody knows what became of it.
pub const OUTCOME_UNKNOWN: i32 = 7;
/// Some documents were not converted, or an order was not completed.
pub const INCOMPLETE: i32 = 8;
/// Interrupted with Ctrl-C (128 + SIGINT, as shells count).
pub const INTERRUPTED: i32 = 130;
/// Ended by SIGTERM (128 + SIGTERM).
pub const TERMINATED: i32 = 143;

/// The list that the help text shows.
pub const HELP: &str = "\
Exit status:
  0    all went well
  1    something failed on this machine (a result could not be written, ...)
  2    wrong usage or configuration
  3    an input was refused (missing file, no PDF, too large, ...)
  4    authentication failed (client secret, token, scope, login)
  5    the service failed, could not be reached or answered nonsense
  6    a signed document did not pass its checks
  7    the outcome of a request is unknown
  8    some documents were not converted, or an order was not completed
  130  interrupted with Ctrl-C (143: by SIGTERM)";

/// The exit status for an error of the table.
#[must_use]
pub fn of(code: Code) -> i32 {
    let spec = code.spec();
    match (code, spec.class, spec.category) {
        (Code::Ok, ..) => OK,
        (Code::Cancelled, ..) => INTERRUPTED,
        (Code::OutcomeUnknown, ..) => OUTCOME_UNKNOWN,
        (_, "ConfigError", _) => USAGE,
        (_, "InputError", _) => REFUSED,
        (_, "InternalError", _) | (_, _, Category::Local) => FAILED,
        (_, "OAuthError", Category::RequestValidation) => AUTHENTICATION,
        (_, _, Category::RequestValidation) => REFUSED,
        (
            _,
            _,
            Category::TokenLifecycle
            | Category::Authentication
            | Category::Authorization
            | Category::Credential
            | Category::Login,
        ) => AUTHENTICATION,
        (_, _, Category::Conversion | Category::Order) => INCOMPLETE,
        (_, _, Category::Verification) => NOT_VERIFIED,
        _ => SERVICE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_code_of_each_kind() {
        for (code, status) in [
            (Code::Ok, OK),
            (Code::MissingOption, USAGE),
            (Code::InsecureUrl, USAGE),
            (Code::MissingSecret, USAGE),
            (Code::NotAPdf, REFUSED),
            (Code::DestinationExists, REFUSED),
            (Code::RequestRejected, REFUSED),
            (Code::PayloadTooLarge, REFUSED),
            (Code::CscHashMismatch, REFUSED),
            (Code::DestinationFailed, FAILED),
            (Code::SandboxFailed, FAILED),
            (Code::Internal, FAILED),
            (Code::Cancelled, INTERRUPTED),
            (Code::OauthInvalidClient, AUTHENTICATION),
            (Code::OauthInvalidScope, AUTHENTICATION),
            (Code::OauthUnsupportedGrantType, AUTHENTICATION),
            (Code::OauthServerError, SERVICE),
            (Code::OauthMalformed, SERVICE),
            (Code::AccessTokenRejected, AUTHENTICATION),
            (Code::AuthorizeAccessDenied, AUTHENTICATION),
            (Code::IdTokenSignature, AUTHENTICATION),
            (Code::CscTokenAlreadyUsed, AUTHENTICATION),
            (Code::ConnectFailed, SERVICE),
            (Code::TotalTimeout, SERVICE),
            (Code::TruncatedAnswer, SERVICE),
            (Code::ServiceUnavailable, SERVICE),
            (Code::CscInternalError, SERVICE),
            (Code::OutcomeUnknown, OUTCOME_UNKNOWN),
            (Code::ConversionDisabled, INCOMPLETE),
            (Code::OrderNotReady, INCOMPLETE),
            (Code::IntegrityFailed, NOT_VERIFIED),
        ] {
            assert_eq!(of(code), status, "{code:?}");
        }
    }

    #[test]
    fn success_alone_ends_with_zero() {
        for &code in Code::ALL {
            assert_eq!(of(code) == OK, code == Code::Ok, "{code:?}");
            let shown = format!("\n  {}", of(code));
            assert!(HELP.contains(&shown), "{code:?} ends with a status the help does not list");
        }
    }
}
