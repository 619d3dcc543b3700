//! Waiting for the end user: the callback, the order's state, and the time that is left.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use signdoc::engine::{Engine, Task};
use signdoc::order::OrderKind;
use signdoc::{
    CallOptions, Code, Error, FinishOptions, Identity, Order, Result, StateWatch, WaitOptions,
};

use crate::call::{LOOK, PATIENCE, cancelled};
use crate::redirect::Callback;
use crate::screen::plain;
use crate::{Interrupted, call};

/// How long the login may take to come back after the order's end.
const GRACE: Duration = Duration::from_secs(10);

/// The time that is left, on a terminal.
pub(super) struct Countdown(ProgressBar);

impl Countdown {
    pub(super) fn new(visible: bool) -> Self {
        let target =
            if visible { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(None, target);
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
            bar.set_style(style);
        }
        Self(bar)
    }

    fn show(&self, order: &Order, state: Option<&str>) {
        let state = state.map(|state| format!(" ({})", plain(state))).unwrap_or_default();
        let left = shown(order.expires_in());
        self.0.set_message(format!("waiting for the end user{state}, {left} left"));
        self.0.tick();
    }
}

impl Drop for Countdown {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

fn shown(left: Duration) -> String {
    let seconds = left.as_secs();
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

/// An order whose end user is on the way.
pub(super) struct Watch<'a> {
    pub(super) engine: &'a Engine,
    pub(super) order: &'a Order,
    /// Where the login comes back to; nowhere here when there is none.
    pub(super) callback: Option<&'a Callback>,
    pub(super) token: String,
    pub(super) countdown: Countdown,
    pub(super) interrupted: Interrupted<'a>,
}

impl Watch<'_> {
    /// Waits until the order is signed; who signed, where the login came back.
    pub(super) fn until_signed(&self) -> Result<Option<Identity>> {
        let states = StateWatch::default();
        let waiting = self.wait(&states)?;
        let mut identity = None;
        let mut final_state: Option<(String, Instant)> = None;
        loop {
            if (self.interrupted)() {
                waiting.cancel();
                let _ = waiting.wait(PATIENCE);
                return Err(self.left());
            }
            if identity.is_none()
                && let Some(came) = self.callback.and_then(Callback::poll)
            {
                identity = Some(self.finish(came)?);
            }
            if final_state.is_none()
                && let Some(ended) = waiting.wait(LOOK)
            {
                final_state = Some((ended?, Instant::now()));
            }
            if let Some((state, at)) = &final_state {
                // The user's browser is still on its way here, and wants an answer.
                if identity.is_some() || self.callback.is_none() || at.elapsed() > GRACE {
                    return self.judge(state).map(|()| identity);
                }
                std::thread::sleep(LOOK);
            }
            self.countdown.show(self.order, states.state().as_deref());
        }
    }

    fn wait(&self, states: &StateWatch) -> Result<Task<String>> {
        let order = self.order.clone();
        let options = WaitOptions { watch: states.clone(), ..WaitOptions::default() };
        self.engine.start(|client| async move {
            match order.kind {
                OrderKind::Pades => {
                    let state = client.pades().wait(&order, &options).await?;
                    Ok(state.as_str().to_owned())
                }
                OrderKind::Sdo => {
                    let state = client.sdo().wait(&order, &options).await?;
                    Ok(state.as_str().to_owned())
                }
            }
        })
    }

    /// An order that ended otherwise than signed is an error.
    fn judge(&self, state: &str) -> Result<()> {
        let (code, what) = match state {
            "SIGN_COMPLETED" => return Ok(()),
            "CANCELLED" => (Code::OrderCancelled, "the end user cancelled the signing"),
            _ => (Code::OrderFailed, "the signing failed"),
        };
        Err(Error::new(code, format!("{what}; create a new order"))
            .with_detail("sign_id", self.order.sign_id.as_str())
            .with_detail("order_state", state))
    }

    /// Who signed. Where the user did not, the order's state says more than the login's error.
    fn finish(&self, came: String) -> Result<Identity> {
        let token = self.token.clone();
        let finished = call::run(self.engine, self.interrupted, |client| async move {
            client.login().finish(&token, came.as_str(), &FinishOptions::default()).await
        });
        let Err(error) = finished else { return finished };
        let order = self.order.clone();
        let state = call::run(self.engine, self.interrupted, |client| async move {
            let options = CallOptions::default();
            match order.kind {
                OrderKind::Pades => {
                    client.pades().state(&order, &options).await.map(|s| s.as_str().to_owned())
                }
                OrderKind::Sdo => {
                    client.sdo().state(&order, &options).await.map(|s| s.as_str().to_owned())
                }
            }
        });
        match state.as_deref() {
            Ok(state @ ("CANCELLED" | "FAILED")) => self.judge(state).and(Err(error)),
            _ => Err(error),
        }
    }

    fn left(&self) -> Error {
        let sign_id = &self.order.sign_id;
        let told = format!(
            "interrupted; the order {sign_id} is still there: once it is signed, `signdoc download {sign_id}` has 90 seconds to fetch it"
        );
        cancelled().with_message(told).with_detail("sign_id", sign_id.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_shown_in_minutes_and_seconds() {
        assert_eq!(shown(Duration::from_secs(89)), "1:29");
        assert_eq!(shown(Duration::from_millis(9_999)), "0:09");
        assert_eq!(shown(Duration::from_secs(1800)), "30:00");
    }
}
