//! When the answer to the DELETE is lost or unreadable: what is known, what arrived, and whether
//! asking again is worth it.

use std::time::Duration;

use serde_json::{Value, json};

use super::download::DOWNLOAD;
use super::extract::Extraction;
use super::receive::Job;
use super::results::Download;
use super::spool::Spool;
use super::state::Phase;
use crate::error::{Code, Error, ErrorBody, RawAnswer};
use crate::trace::Level;

/// How long the service is asked for the order's state after a lost answer.
pub(super) const PROBE_TIME: Duration = Duration::from_secs(15);
/// How much of an answer is looked at to tell a page of a proxy from an answer.
const LOOK: u64 = 64 * 1024;

/// What the service says of the order afterwards.
pub(super) enum Fate {
    /// It does not know the order any more.
    Gone,
    /// The order is still there.
    There(String),
    /// It did not say.
    Unknown,
}

/// Why an answer that came to its end is none: a page, nothing, or the scanner's `problem`.
pub(super) fn unreadable(problem: Error, status: u16, kind: &str, spool: &mut Spool) -> Error {
    let head = match spool.head(LOOK) {
        Ok(head) => head,
        // What cannot be read again says nothing of what came; a broken coding is the problem.
        Err(_) => return problem,
    };
    let raw = RawAnswer::new(status, kind, &head, None);
    let told = raw.into_error(DOWNLOAD);
    match told.code() {
        Code::HtmlAnswer | Code::EmptyAnswer => told,
        _ => problem,
    }
}

/// Whether something between here and the service may have given this answer: a redirect, a page,
/// a proxy's own refusal, a failure. The service's own refusals are of the rest.
pub(super) fn is_doubtful(status: u16, raw: &RawAnswer) -> bool {
    let is_page = matches!(ErrorBody::decode(raw), ErrorBody::Html { .. });
    is_page || raw.broken || !(400..=499).contains(&status) || matches!(status, 407 | 408)
}

impl Job {
    /// Asks for the order's state, and tells everything that is known.
    pub(super) async fn lost(&mut self, cause: Error, extraction: Extraction) -> Error {
        self.call
            .trace
            .event(Level::Warning, || format!("{}; asking for the state", cause.message()));
        let fate = self.probe().await;
        let arrived = extraction.found.pieces().count();
        let begun = extraction.found.documents.len();
        let whole = extraction.found.documents.values().filter(|one| one.is_whole()).count();
        let in_memory = extraction.in_memory();
        let (kind, sign_id) = (self.orders.kind, self.order.sign_id.clone());
        let download = Download::new(kind, &sign_id, extraction.found, &self.sent.documents);
        let left = self.time_left();
        let worth = match &fate {
            Fate::There(state) => !is_ended(state),
            Fate::Gone => false,
            Fate::Unknown => left != Some(Duration::ZERO),
        };
        let message = self.message(&cause, &fate, (whole, arrived), worth, left);
        let lost = is_loss(&cause);
        // Nothing of an order came, and nothing was deleted, as far as the service tells.
        let is_nothing = self.spool.len() == 0 || is_of_something_else(&cause);
        let error = if lost { unknown(&cause, message) } else { cause.with_message(message) };
        let mut error = error
            .with_detail("sign_id", sign_id)
            .with_detail("order_state", fate.to_json())
            .with_detail("ask_again", worth)
            .with_detail(
                "window_seconds",
                left.map_or(Value::Null, |left| json!(left.as_secs_f64())),
            )
            .with_detail("documents_arrived", whole)
            .with_detail("documents_in_part", begun - whole)
            .with_detail("bytes_arrived", self.spool.len());
        if extraction.unwritten.is_some() && self.journal.is_some() {
            error = error.with_detail("in_memory", in_memory);
            if let Some(folder) = self.fallback.used() {
                error = error.with_detail("fallback", folder.display().to_string());
            }
        }
        let error = match matches!(fate, Fate::There(_)) && arrived == 0 && is_nothing {
            true => {
                self.end_journal();
                error
            }
            false => self.keep(error),
        };
        if begun == 0 { error } else { error.with_download(download) }
    }

    pub(super) async fn probe(&self) -> Fate {
        let call = self.limited();
        let asked = self.orders.ask_state(&self.order, &self.url, &call);
        match self.orders.client.within(&call, DOWNLOAD, asked).await {
            Ok(asked) => Fate::There(asked.state),
            Err(error) => match error.code() {
                Code::OrderNotFound | Code::WindowExpired => Fate::Gone,
                _ => Fate::Unknown,
            },
        }
    }

    fn time_left(&self) -> Option<Duration> {
        let now = self.orders.client.shared.clock.now();
        self.window_end().map(|end| end.duration_since(now).unwrap_or_default())
    }

    fn message(
        &self,
        cause: &Error,
        fate: &Fate,
        (whole, arrived): (usize, usize),
        worth: bool,
        left: Option<Duration>,
    ) -> String {
        let place = if self.journal.is_some() { "the folder" } else { "this error" };
        let came = match (whole, arrived) {
            (0, 0) => "no document arrived whole".to_owned(),
            (0, _) => format!("no document arrived whole; other parts that did are in {place}"),
            (_, _) => format!("what arrived whole is in {place}"),
        };
        let now = match fate {
            Fate::Gone => "the service does not know the order any more".to_owned(),
            Fate::There(state) => format!("the service has the order in the state {state}"),
            Fate::Unknown => "the service does not tell the order's state".to_owned(),
        };
        let next = match (worth, left) {
            (false, _) => "asking again is of no use".to_owned(),
            (true, Some(left)) => {
                format!("asking again is worth it for at most {} s", left.as_secs())
            }
            (true, None) => "asking again is worth it".to_owned(),
        };
        format!("{}; {came}; {now}; {next}", cause.message())
    }
}

impl Fate {
    fn to_json(&self) -> Value {
        match self {
            Self::Gone => json!("gone"),
            Self::There(state) => json!(state),
            Self::Unknown => Value::Null,
        }
    }
}

fn is_ended(state: &str) -> bool {
    matches!(Phase::of(state), Phase::Failed | Phase::Cancelled)
}

/// Whether what came was no answer with results.
fn is_of_something_else(cause: &Error) -> bool {
    matches!(cause.code(), Code::HtmlAnswer | Code::EmptyAnswer)
        || cause.http_status().is_some_and(|status| !(200..=299).contains(&status))
}

/// Whether the answer was lost on the way, and not merely bad.
fn is_loss(cause: &Error) -> bool {
    !matches!(
        cause.code(),
        Code::MalformedAnswer
            | Code::InvalidBase64
            | Code::HtmlAnswer
            | Code::EmptyAnswer
            | Code::AnswerTooLarge
            | Code::UnexpectedStatus
            | Code::DestinationFailed
    )
}

/// An outcome that is not known, because of `cause`.
pub(super) fn unknown(cause: &Error, message: String) -> Error {
    let told =
        json!({"code": cause.code().number(), "name": cause.name(), "message": cause.message()});
    let mut error = Error::new(Code::OutcomeUnknown, message)
        .with_retry_after(cause.retry_after())
        .with_detail("cause", told);
    if let Some(status) = cause.http_status() {
        error = error.with_status(status);
    }
    match cause.details().get("body") {
        Some(body) => error.with_detail("body", body.clone()),
        None => error,
    }
}
