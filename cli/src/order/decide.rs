//! What to do next while an end user signs: a pure decision.
//!
//! The order's state is what counts, where it can be asked for. Where it cannot, the login that
//! came back proves that the user has signed: then the results are fetched, because the service
//! keeps them for 90 seconds only.

use std::time::Duration;

use signdoc::spec::PadesState;
use signdoc::{Category, Code, Error};

/// How long the login may take to come back after the order's end.
const GRACE: Duration = Duration::from_secs(10);
/// How long a state nobody knows may stand, once the user has signed.
pub(super) const UNKNOWN: Duration = Duration::from_secs(30);

/// What is known so far.
#[derive(Default)]
pub(super) struct Known<'a> {
    /// The latest state.
    pub(super) state: Option<&'a str>,
    /// How long ago it was seen to be final.
    pub(super) final_since: Option<Duration>,
    /// Why the state could not be asked for, the last time.
    pub(super) trouble: Option<&'a Error>,
    /// How long ago the login came back.
    pub(super) signed_since: Option<Duration>,
    /// Whether the login comes back here.
    pub(super) expects_login: bool,
    /// How long the order can live in all is over.
    pub(super) is_over: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step {
    KeepOn,
    /// The state is final, and says how it ended.
    Judge,
    /// To the results, also where the state does not say that they are there.
    Fetch {
        force: bool,
    },
    /// Nothing more can be found out.
    GiveUp,
}

impl Known<'_> {
    pub(super) fn step(&self) -> Step {
        if let Some(since) = self.final_since {
            // The user's browser is still on its way here, and wants an answer.
            let is_settled = self.signed_since.is_some() || !self.expects_login || since > GRACE;
            return if is_settled { Step::Judge } else { Step::KeepOn };
        }
        match (self.signed_since, self.trouble) {
            (Some(_), Some(trouble)) => Step::Fetch { force: keeps_from_results(trouble) },
            (Some(since), None) if since > UNKNOWN && self.state.is_some_and(is_unknown) => {
                Step::Fetch { force: true }
            }
            (Some(_), None) => Step::KeepOn,
            (None, Some(trouble)) => match self.expects_login && !self.is_over {
                true if is_about_asking(trouble, self.state) => Step::KeepOn,
                _ => Step::GiveUp,
            },
            (None, None) => Step::KeepOn,
        }
    }
}

/// Whether a state is none of the specification's, for either kind.
pub(super) fn is_unknown(state: &str) -> bool {
    !PadesState::from_text(state).is_known()
}

/// Whether an order may be there although its state cannot be asked for. One that was seen and is
/// gone is no more.
fn is_about_asking(trouble: &Error, seen: Option<&str>) -> bool {
    match trouble.code() {
        Code::OrderNotFound | Code::WindowExpired => seen.is_none(),
        Code::Cancelled | Code::ClientClosed | Code::Internal | Code::TotalTimeout => false,
        _ => true,
    }
}

/// Whether a download would take this for the end of the order, or for a refusal. It is asked for
/// all the same: a request that is refused deletes nothing.
fn keeps_from_results(trouble: &Error) -> bool {
    match trouble.code() {
        Code::OrderNotFound | Code::WindowExpired | Code::AccessTokenRejected => true,
        _ => !matches!(
            trouble.category(),
            Category::Network
                | Category::Protocol
                | Category::Service
                | Category::RequestValidation
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Option<Duration> = Some(Duration::ZERO);
    const LATER: Option<Duration> = Some(Duration::from_secs(31));

    fn trouble(code: Code) -> Error {
        Error::new(code, "trouble")
    }

    #[test]
    fn a_final_state_is_judged_when_the_browser_has_been_answered() {
        let ended = || Known { final_since: NOW, expects_login: true, ..Known::default() };
        assert_eq!(ended().step(), Step::KeepOn);
        assert_eq!(Known { signed_since: NOW, ..ended() }.step(), Step::Judge);
        assert_eq!(Known { expects_login: false, ..ended() }.step(), Step::Judge);
        assert_eq!(Known { final_since: LATER, ..ended() }.step(), Step::Judge);
    }

    #[test]
    fn whoever_has_signed_gets_the_results_whatever_the_state() {
        for (code, force) in [
            (Code::UnexpectedStatus, false),
            (Code::MissingField, false),
            (Code::ServiceFailed, false),
            (Code::ConnectionLost, false),
            (Code::RequestRejected, false),
            (Code::AccessTokenRejected, true),
            (Code::OrderNotFound, true),
        ] {
            let told = trouble(code);
            let known = Known { trouble: Some(&told), signed_since: NOW, ..Known::default() };
            assert_eq!(known.step(), Step::Fetch { force }, "{code:?}");
        }
        let unknown =
            |since| Known { state: Some("DONE"), signed_since: since, ..Known::default() };
        assert_eq!(unknown(NOW).step(), Step::KeepOn);
        assert_eq!(unknown(LATER).step(), Step::Fetch { force: true });
        // The service's own word that it is not done counts for as long as it stands.
        for state in ["USER_SIGNING", "ADD_DOCUMENT_SECURITY_STORE"] {
            let known = Known { state: Some(state), signed_since: LATER, ..Known::default() };
            assert_eq!(known.step(), Step::KeepOn, "{state}");
        }
    }

    #[test]
    fn without_a_state_the_login_is_waited_for_where_it_comes_back_here() {
        for code in [Code::UnexpectedStatus, Code::ServiceFailed, Code::OrderNotFound] {
            let told = trouble(code);
            let here = || Known { trouble: Some(&told), expects_login: true, ..Known::default() };
            assert_eq!(here().step(), Step::KeepOn, "{code:?}");
            assert_eq!(Known { is_over: true, ..here() }.step(), Step::GiveUp);
            assert_eq!(Known { expects_login: false, ..here() }.step(), Step::GiveUp);
        }
        let gone = trouble(Code::OrderNotFound);
        let seen = Some("ORDER_RECEIVED");
        let known =
            Known { state: seen, trouble: Some(&gone), expects_login: true, ..Known::default() };
        assert_eq!(known.step(), Step::GiveUp, "it was there, and its time has run out");
        assert_eq!(Known::default().step(), Step::KeepOn);
    }

    #[test]
    fn states_of_both_kinds_are_known() {
        assert!(!is_unknown("GENERATING_MERCHANT_SEALS") && !is_unknown("GRABBED_BY_IDP"));
        assert!(is_unknown("DONE"));
    }
}
