//! What the throw-away authority publishes at the addresses in its certificates: OCSP answers,
//! revocation lists and certificates, and a time-stamping authority; all at the sandbox's time.

use bytes::Bytes;
use http::{Method, StatusCode};
use signdoc_signature::pki::Published;

use crate::authority::time;
use crate::http::{Answer, Call};
use crate::state::State;

/// Below the sandbox's first address.
pub(crate) const PATH: &str = "/pki";

/// Answers a request below [`PATH`]; nobody needs a token here.
pub(crate) fn answer(state: &State, call: &Call, rest: &str) -> Answer {
    match rest {
        "/ocsp" => asked(state, call, "application/ocsp-request", "application/ocsp-response"),
        "/tsa" => asked(state, call, "application/timestamp-query", "application/timestamp-reply"),
        _ => match rest.strip_prefix('/').and_then(Published::of_name) {
            Some(what) => file(state, call, what),
            None => Answer::not_found(&call.path),
        },
    }
}

fn asked(state: &State, call: &Call, question: &str, kind: &str) -> Answer {
    if call.method != Method::POST {
        return Answer::method_not_allowed(&call.method, "POST");
    }
    let answered = call.require_content_type(question).and_then(|()| {
        let pki = state.authority.pki(&state.random, &state.clock)?;
        let at = time(state.clock.now_unix());
        let answered = match kind {
            "application/ocsp-response" => pki.ocsp_answer(&call.body, at),
            _ => pki.timestamp_response(&call.body, at),
        };
        answered.map_err(|error| error.to_string())
    });
    match answered {
        Ok(der) => Answer::new(StatusCode::OK, kind, Bytes::from(der)),
        Err(reason) => Answer::text(StatusCode::BAD_REQUEST, reason.clone()).refused(reason),
    }
}

fn file(state: &State, call: &Call, what: Published) -> Answer {
    if call.method != Method::GET {
        return Answer::method_not_allowed(&call.method, "GET");
    }
    let made = state.authority.pki(&state.random, &state.clock).and_then(|pki| {
        pki.published(what, time(state.clock.now_unix())).map_err(|error| error.to_string())
    });
    match made {
        Ok(der) => Answer::new(StatusCode::OK, what.media_type(), Bytes::from(der)),
        Err(reason) => Answer::text(StatusCode::INTERNAL_SERVER_ERROR, reason),
    }
}
