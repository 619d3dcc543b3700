//! Asking for an order's state, once or until it is what is waited for.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use http::Method;
use signdoc_spec::limits;
use tokio::sync::watch;
use tokio::time::Instant;
use url::Url;

use super::model::OrderRef;
use super::state::{self, Phase};
use super::{ANSWER_CAP, Orders};
use crate::client::{Call, CallOptions};
use crate::error::{Code, Error, RawAnswer, Result};
use crate::identity::AccessToken;
use crate::trace::Level;
use crate::transport::{Body, Request, deadline_passed, is_transient};

pub(super) const STATE: &str = "order state";
const WAIT: &str = "wait";
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// How long the service may fail to answer before waiting ends with its error.
const OUTAGE_TOLERATED: Duration = Duration::from_secs(30);
/// The longest pause that the service can ask for: results can be had for 90 seconds only.
const LONGEST_ASKED: Duration = Duration::from_secs(45);
/// States kept for somebody who does not look.
const KEPT: usize = 64;

/// What the service said of a state.
pub(super) struct Asked {
    pub state: String,
    pub retry_after: Option<Duration>,
}

/// The states that a wait has seen; clones share them.
///
/// There are no callbacks: whoever waits looks here on its own thread, or awaits
/// [`StateWatch::changed`].
#[derive(Clone, Debug)]
pub struct StateWatch(Arc<Seen>);

#[derive(Debug)]
struct Seen {
    current: watch::Sender<Option<String>>,
    untaken: Mutex<VecDeque<String>>,
}

impl Default for StateWatch {
    fn default() -> Self {
        let (current, _) = watch::channel(None);
        Self(Arc::new(Seen { current, untaken: Mutex::default() }))
    }
}

impl StateWatch {
    /// The latest state by its text; `None` until the first answer.
    #[must_use]
    pub fn state(&self) -> Option<String> {
        self.0.current.borrow().clone()
    }

    /// Takes the states that nobody has taken yet, in the order in which they were seen; equal
    /// ones in a row count once.
    #[must_use]
    pub fn take_states(&self) -> Vec<String> {
        self.untaken().drain(..).collect()
    }

    /// Waits until the state is another than `known`, and returns it.
    pub async fn changed(&self, known: Option<&str>) -> Option<String> {
        let mut receiver = self.0.current.subscribe();
        // The sender lives as long as this.
        let seen = receiver.wait_for(|state| state.as_deref() != known).await;
        seen.ok().and_then(|state| state.clone())
    }

    /// Notes a state; says whether it is a new one.
    fn note(&self, state: &str) -> bool {
        let is_new = self.0.current.send_if_modified(|current| {
            let is_new = current.as_deref() != Some(state);
            if is_new {
                *current = Some(state.to_owned());
            }
            is_new
        });
        if is_new {
            let mut untaken = self.untaken();
            if untaken.len() >= KEPT {
                untaken.pop_front();
            }
            untaken.push_back(state.to_owned());
        }
        is_new
    }

    fn untaken(&self) -> std::sync::MutexGuard<'_, VecDeque<String>> {
        self.0.untaken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Settings of a wait.
#[derive(Clone, Debug, Default)]
pub struct WaitOptions {
    /// The states to wait for, by their texts; none means any final one. A final state ends the
    /// wait in any case, because the order changes no more.
    pub until: Vec<String>,
    /// Where the states can be seen while the wait goes on.
    pub watch: StateWatch,
    /// Time limit and trace. Without a time limit: the order's whole life (90 s, the signing time,
    /// 90 s).
    pub call: CallOptions,
}

impl Orders {
    /// The state by its text.
    pub(super) async fn state(&self, order: &OrderRef, options: &CallOptions) -> Result<String> {
        order.check_kind(self.kind)?;
        let call = self.client.call(options);
        let work = async {
            let url = self.order_url(&order.sign_id, &call).await?;
            Ok(self.ask_state(order, &url, &call).await?.state)
        };
        self.client.within(&call, STATE, work).await
    }

    /// Asks for the state; repeated where that may help.
    pub(super) async fn ask_state(
        &self,
        order: &OrderRef,
        url: &Url,
        call: &Call,
    ) -> Result<Asked> {
        let asked = self
            .client
            .authorized(call, |token| async move {
                self.client.shared.repeat(call, || self.ask_once(url, &token, call)).await
            })
            .await;
        match asked {
            Ok(asked) => {
                order.note(Phase::of(&asked.state));
                Ok(asked)
            }
            Err(error) => Err(self.refined(error, order)),
        }
    }

    async fn ask_once(&self, url: &Url, token: &AccessToken, call: &Call) -> Result<Asked> {
        let request = Request {
            what: STATE,
            method: Method::GET,
            url: url.clone(),
            authorization: Some(token.header()),
            body: Body::None,
            call,
        };
        let mut answer = self.client.shared.transport.exchange(request).await?;
        if answer.status() != 200 {
            return Err(answer.into_raw().await.into_error(STATE));
        }
        let retry_after = answer.retry_after();
        let kind = answer.content_type().to_owned();
        let body = answer.body(ANSWER_CAP).await?;
        let raw = RawAnswer::new(200, &kind, &body, None);
        let state = state::parse(raw, STATE, &self.client.shared.pool)?;
        Ok(Asked { state, retry_after })
    }

    /// Asks again and again; the state that ended the wait.
    pub(super) async fn wait(&self, order: &OrderRef, options: &WaitOptions) -> Result<String> {
        order.check_kind(self.kind)?;
        let signing = order.order.as_ref().map(super::Order::signing_time);
        let whole_life = limits::ORDER_WINDOW_BEFORE
            + signing.unwrap_or(limits::ORDER_SIGNING_DEFAULT)
            + limits::ORDER_WINDOW_AFTER;
        let timeout = options.call.timeout.unwrap_or(whole_life);
        let call =
            self.client.call(&CallOptions { timeout: Some(timeout), ..options.call.clone() });
        let work = async {
            let url = self.order_url(&order.sign_id, &call).await?;
            self.poll(order, &url, options, &call).await
        };
        let waited = self.client.within(&call, WAIT, work).await;
        waited.map_err(|error| {
            let error = error.with_detail("sign_id", order.sign_id.as_str());
            match options.watch.state() {
                Some(state) => error.with_detail("order_state", state),
                None => error,
            }
        })
    }

    async fn poll(
        &self,
        order: &OrderRef,
        url: &Url,
        options: &WaitOptions,
        call: &Call,
    ) -> Result<String> {
        let mut pause = FIRST_PAUSE;
        let mut last_heard = Instant::now();
        loop {
            let asked_to_wait = match self.ask_state(order, url, call).await {
                Ok(Asked { state, retry_after }) => {
                    last_heard = Instant::now();
                    if options.watch.note(&state) {
                        pause = FIRST_PAUSE;
                        call.trace.event(Level::Info, || format!("{WAIT}: {state}"));
                    }
                    if is_over(&state, &options.until)? {
                        return Ok(state);
                    }
                    retry_after
                }
                Err(error) if is_transient(&error) && last_heard.elapsed() < OUTAGE_TOLERATED => {
                    call.trace.event(Level::Warning, || format!("{WAIT}: {}", error.message()));
                    error.retry_after()
                }
                Err(error) => return Err(vanished(error, options.watch.state().as_deref())),
            };
            let next = pause.max(asked_to_wait.unwrap_or_default().min(LONGEST_ASKED));
            if Instant::now() + next >= call.deadline {
                return Err(deadline_passed(WAIT));
            }
            self.client.shared.clock.sleep(next).await;
            pause = pause.mul_f64(1.5).min(LONGEST_PAUSE);
        }
    }
}

/// Whether the wait is over. An order that ended otherwise than it was waited for is an error.
fn is_over(state: &str, until: &[String]) -> Result<bool> {
    let phase = Phase::of(state);
    if until.is_empty() {
        return Ok(phase.is_final());
    }
    if until.iter().any(|wanted| state::is_same(wanted, state)) {
        return Ok(true);
    }
    let ended = |code, what| {
        Err(Error::new(
            code,
            format!("{WAIT}: the order will not be {}: it {what}", until.join(" or ")),
        ))
    };
    match phase {
        Phase::Failed => ended(Code::OrderFailed, "failed"),
        Phase::Cancelled => ended(Code::OrderCancelled, "was cancelled"),
        _ => Ok(phase.is_final()),
    }
}

/// An order that was there and is gone before its end has run out of time.
fn vanished(error: Error, last: Option<&str>) -> Error {
    let Some(last) = last.filter(|state| !Phase::of(state).is_final()) else { return error };
    if error.code() != Code::OrderNotFound {
        return error;
    }
    let told = format!(
        "{WAIT}: the order is gone; it was last seen in the state {last}, so its time has run out"
    );
    error.recoded(Code::WindowExpired).with_message(told)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn over(state: &str, until: &[&str]) -> Result<bool> {
        is_over(state, &until.iter().map(ToString::to_string).collect::<Vec<_>>())
    }

    #[test]
    fn a_wait_ends_with_what_was_waited_for_or_with_the_order() {
        assert!(!over("USER_SIGNING", &[]).unwrap());
        assert!(over("FAILED", &[]).unwrap());
        assert!(over("USER_SIGNING", &["user_signing"]).unwrap());
        assert!(!over("GRABBED_BY_IDP", &["USER_SIGNING"]).unwrap());
        // The state that was waited for has passed unseen.
        assert!(over("SIGN_COMPLETED", &["USER_SIGNING"]).unwrap());
        let error = over("CANCELLED", &["SIGN_COMPLETED"]).unwrap_err();
        assert_eq!(error.code(), Code::OrderCancelled);
        assert!(over("FAILED", &["SIGN_COMPLETED", "FAILED"]).unwrap());
    }

    #[tokio::test]
    async fn states_are_seen_once_and_in_order() {
        let watch = StateWatch::default();
        assert!(watch.note("A") && !watch.note("A") && watch.note("B"));
        assert_eq!(watch.take_states(), ["A", "B"]);
        assert!(watch.take_states().is_empty());
        assert_eq!(watch.changed(Some("A")).await.as_deref(), Some("B"));
    }
}
