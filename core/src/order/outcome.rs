//! When the answer to the DELETE is lost or unreadable: what is known, what arrived, and whether
//! asking again is worth it.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use super::download::{DOWNLOAD, Job};
use super::extract::Extraction;
use super::results::Download;
use super::spool::Spool;
use super::state::Phase;
use crate::client::Call;
use crate::error::{Code, Error, RawAnswer};
use crate::trace::Level;

/// How long the service is asked for the order's state after a lost answer, also when the call's
/// own time is over.
const PROBE_TIME: Duration = Duration::from_secs(15);
/// How much of an answer is looked at to tell a page of a proxy from an answer.
const LOOK: u64 = 64 * 1024;

/// What the service says of the order afterwards.
enum Fate {
    /// It does not know the order any more.
    Gone,
    /// The order is still there.
    There(String),
    /// It did not say.
    Unknown,
}

/// Why an answer that came to its end is none: a page, nothing, or the scanner's `problem`.
pub(super) fn unreadable(problem: Error, status: u16, kind: &str, spool: &mut Spool) -> Error {
    let raw = RawAnswer::new(status, kind, &spool.head(LOOK), None);
    let told = raw.into_error(DOWNLOAD);
    match told.code() {
        Code::HtmlAnswer | Code::EmptyAnswer => told,
        _ => problem,
    }
}

impl Job {
    /// Asks for the order's state, and tells everything that is known.
    pub(super) async fn lost(mut self, cause: Error, extraction: Extraction) -> Error {
        self.call
            .trace
            .event(Level::Warning, || format!("{}; asking for the state", cause.message()));
        let fate = self.probe().await;
        let arrived = extraction.found.pieces().count();
        let begun = extraction.found.documents.len();
        let whole = extraction.found.documents.values().filter(|one| one.is_whole()).count();
        let download =
            Download::new(self.orders.kind, &self.order.sign_id, extraction.found, &self.documents);
        let left = self.time_left();
        let worth = match &fate {
            Fate::There(state) => !is_ended(state),
            Fate::Gone => false,
            Fate::Unknown => left != Some(Duration::ZERO),
        };
        let message = self.message(&cause, &fate, (whole, arrived), worth, left);
        let lost = is_loss(&cause);
        let error = if lost { unknown(&cause, message) } else { cause.with_message(message) };
        let mut error = error
            .with_detail("sign_id", self.order.sign_id.as_str())
            .with_detail("order_state", fate.to_json())
            .with_detail("ask_again", worth)
            .with_detail(
                "window_seconds",
                left.map_or(Value::Null, |left| json!(left.as_secs_f64())),
            )
            .with_detail("documents_arrived", whole)
            .with_detail("documents_in_part", begun - whole)
            .with_detail("bytes_arrived", self.spool().len());
        error = self.settle(error, &fate);
        if begun == 0 { error } else { error.with_download(download) }
    }

    async fn probe(&self) -> Fate {
        let call = Call { deadline: Instant::now() + PROBE_TIME, ..self.call.aside() };
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
        let place = if self.journal().is_some() { "the folder" } else { "this error" };
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

    /// Leaves journal and raw answer where they may be needed, and names them.
    fn settle(&mut self, error: Error, fate: &Fate) -> Error {
        if self.spool().len() == 0 && matches!(fate, Fate::There(_)) {
            // Nothing came, and nothing was deleted.
            self.end_journal();
        }
        let Some(journal) = self.journal() else { return error };
        error
            .with_detail("journal", journal.path().display().to_string())
            .with_detail("raw_answer", journal.answer_path().display().to_string())
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

/// Whether the answer was lost on the way, and not merely bad.
fn is_loss(cause: &Error) -> bool {
    !matches!(
        cause.code(),
        Code::MalformedAnswer
            | Code::InvalidBase64
            | Code::HtmlAnswer
            | Code::EmptyAnswer
            | Code::AnswerTooLarge
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
