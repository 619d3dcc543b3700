//! Waiting for the end user: the callback, the order's state, and the time that is left.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use signdoc::engine::Engine;
use signdoc::order::OrderKind;
use signdoc::spec::limits::{ORDER_SIGNING_DEFAULT, ORDER_WINDOW_AFTER, ORDER_WINDOW_BEFORE};
use signdoc::{Category, Code, Error, FinishOptions, Identity, Order, Result};

use super::ask::{Asker, is_final};
use super::decide::{Known, Step, UNKNOWN, is_unknown};
use crate::call::{LOOK, cancelled};
use crate::redirect::Callback;
use crate::screen::{Screen, plain, quoted};
use crate::{Interrupted, call};

/// What is known of who signed.
pub(super) enum Login {
    /// Nobody has come back yet, or nobody comes back here.
    Open,
    Known(Box<Identity>),
    /// It came back, and cannot be trusted or understood.
    Bad(Error),
}

/// An order whose end user is on the way.
pub(super) struct Watch<'a> {
    engine: &'a Engine,
    order: &'a Order,
    /// Where the login comes back to; nowhere here when there is none.
    callback: Option<&'a Callback>,
    token: String,
    folder: PathBuf,
    interrupted: Interrupted<'a>,
    countdown: Countdown,
    asker: Asker<'a>,
    begun: Instant,
    login: Login,
    signed_at: Option<Instant>,
    final_at: Option<Instant>,
    trouble: Option<Error>,
    has_told: bool,
}

/// What a watch is about.
pub(super) struct About<'a> {
    pub(super) engine: &'a Engine,
    pub(super) order: &'a Order,
    pub(super) callback: Option<&'a Callback>,
    /// The saved login.
    pub(super) token: String,
    /// Where results go.
    pub(super) folder: PathBuf,
    /// Whether the time that is left may be shown.
    pub(super) visible: bool,
}

impl<'a> Watch<'a> {
    pub(super) fn new(about: About<'a>, interrupted: Interrupted<'a>) -> Self {
        let About { engine, order, callback, token, folder, visible } = about;
        Self {
            engine,
            order,
            callback,
            token,
            folder,
            interrupted,
            countdown: Countdown::new(visible),
            asker: Asker::new(engine, order.kind, order.into()),
            begun: Instant::now(),
            login: Login::Open,
            signed_at: None,
            final_at: None,
            trouble: None,
            has_told: false,
        }
    }

    /// Who signed, as far as that is known.
    pub(super) fn into_login(self) -> Login {
        self.login
    }

    /// Waits until the results can be fetched; whether against the state that the service tells.
    pub(super) fn until_signed(&mut self, screen: &mut Screen) -> Result<bool> {
        (self.final_at, self.trouble) = (None, None);
        loop {
            if self.interrupted.is_wanted() {
                return Err(self.left());
            }
            if matches!(self.login, Login::Open)
                && let Some(came) = self.callback.and_then(Callback::poll)
            {
                self.take(came, screen)?;
            }
            let asked = match self.final_at {
                None => self.asker.poll(self.signed_at.is_some())?,
                Some(_) => {
                    std::thread::sleep(LOOK);
                    None
                }
            };
            match asked {
                Some(Ok(state)) => {
                    self.trouble = None;
                    if is_final(&state) {
                        self.final_at.get_or_insert_with(Instant::now);
                    }
                }
                Some(Err(trouble)) => self.trouble = Some(trouble),
                None => {}
            }
            let state = self.asker.latest();
            self.tell_once(state.as_deref(), screen);
            match self.known(state.as_deref()).step() {
                Step::KeepOn => {}
                Step::Judge => {
                    self.judge(state.as_deref().unwrap_or_default())?;
                    return Ok(false);
                }
                Step::Fetch { force } => return Ok(force),
                Step::GiveUp => return Err(self.given_up()),
            }
            let far = match (self.signed_at, &self.trouble) {
                (Some(_), _) => Far::Signed,
                // How far the order is decides how much time is left.
                (None, Some(_)) => Far::Unknown,
                (None, None) => Far::Open(self.order.expires_in()),
            };
            self.countdown.show(far, state.as_deref());
        }
    }

    fn known<'k>(&'k self, state: Option<&'k str>) -> Known<'k> {
        Known {
            state,
            final_since: self.final_at.map(|at| at.elapsed()),
            trouble: self.trouble.as_ref(),
            signed_since: self.signed_at.map(|at| at.elapsed()),
            expects_login: self.expects_login(),
            is_over: self.begun.elapsed() > self.whole_life(),
        }
    }

    fn expects_login(&self) -> bool {
        self.callback.is_some() && matches!(self.login, Login::Open)
    }

    fn whole_life(&self) -> Duration {
        let signing = self.order.timeout_seconds.map(|seconds| Duration::from_secs(seconds.into()));
        ORDER_WINDOW_BEFORE + signing.unwrap_or(ORDER_SIGNING_DEFAULT) + ORDER_WINDOW_AFTER
    }

    /// The login that came back. Where the user did not sign, the order's state says more than
    /// the login's error; where it is the login that is wrong, the results are there all the same.
    fn take(&mut self, came: String, screen: &mut Screen) -> Result<()> {
        let token = self.token.clone();
        let finished = call::run(self.engine, self.interrupted, |client| async move {
            client.login().finish(&token, came.as_str(), &FinishOptions::default()).await
        });
        match finished {
            Ok(identity) => {
                self.login = Login::Known(Box::new(identity));
                self.signed_at = Some(Instant::now());
            }
            Err(error) if error.code() == Code::Cancelled => return Err(self.left()),
            Err(error) if error.code() == Code::LoginStateMismatch => {
                // Any page can send a browser here.
                self.aside(|| {
                    screen.say("a callback that is not of this login came, and is ignored")
                });
            }
            Err(error) if is_of_redirect(error.code()) => {
                let state = self.state_now();
                self.judge(state.as_deref().unwrap_or_default()).and(Err(error))?;
            }
            Err(error) => {
                let told = plain(error.message());
                self.aside(|| screen.say(&format!("the login came back, but: {told}")));
                self.login = Login::Bad(error);
            }
        }
        Ok(())
    }

    fn state_now(&self) -> Option<String> {
        let (kind, order) = (self.order.kind, self.order.clone());
        let state = call::run(self.engine, self.interrupted, |client| async move {
            super::ask::state(&client, kind, (&order).into(), &Default::default()).await
        });
        state.ok()
    }

    /// An order that ended otherwise than signed is an error.
    fn judge(&self, state: &str) -> Result<()> {
        let (code, what) = match state {
            "CANCELLED" => (Code::OrderCancelled, "the end user cancelled the signing"),
            "FAILED" => (Code::OrderFailed, "the signing failed"),
            _ => return Ok(()),
        };
        Err(Error::new(code, format!("{what}; create a new order"))
            .with_detail("sign_id", self.order.sign_id.as_str())
            .with_detail("order_state", state))
    }

    /// Says what stands in the way, and what the user can do where this program cannot.
    fn tell_once(&mut self, state: Option<&str>, screen: &mut Screen) {
        if self.has_told || self.final_at.is_some() {
            return;
        }
        let told = match (&self.trouble, state) {
            (Some(trouble), _) if self.expects_login() => format!(
                "the order's state cannot be asked for ({}); waiting for the login to come back",
                plain(trouble.message())
            ),
            (None, Some(state)) if self.signed_at.is_some() && is_unknown(state) => format!(
                "the end user has signed, and the service says {}, which is no state this program knows; the results are fetched in {} s unless it says something else",
                plain(state),
                UNKNOWN.as_secs()
            ),
            (None, Some(state)) if self.callback.is_none() && is_unknown(state) => format!(
                "the service says {}, which is no state this program knows; if it means that the order is signed, press Ctrl-C and type `{}`",
                plain(state),
                self.command(true)
            ),
            _ => return,
        };
        self.has_told = true;
        self.aside(|| screen.say(&told));
    }

    fn aside(&self, say: impl FnOnce()) {
        self.countdown.0.suspend(say);
    }

    /// What the user can type to get the results without this program's waiting.
    fn command(&self, force: bool) -> String {
        let sdo = if self.order.kind == OrderKind::Sdo { " --sdo" } else { "" };
        let force = if force { " --force" } else { "" };
        let (sign_id, folder) = (plain(&self.order.sign_id), quoted(&self.folder));
        format!("signdoc download {sign_id} -o {folder}{sdo}{force}")
    }

    /// What can still be done about the order.
    fn hint(&self, force: bool) -> String {
        let seconds = ORDER_WINDOW_AFTER.as_secs();
        let (sign_id, command) = (&self.order.sign_id, self.command(force));
        format!(
            "the order {sign_id} is still there: once it is signed, `{command}` has {seconds} seconds to fetch it"
        )
    }

    /// Interrupted before anything was fetched.
    pub(super) fn left(&self) -> Error {
        let is_readable =
            self.trouble.is_none() && !self.asker.latest().is_some_and(|state| is_unknown(&state));
        let told = format!("interrupted; {}", self.hint(!is_readable));
        self.with_command(cancelled().with_message(told), !is_readable)
    }

    /// The command for whoever reads the error as a program.
    fn with_command(&self, error: Error, force: bool) -> Error {
        error
            .with_detail("sign_id", self.order.sign_id.as_str())
            .with_detail("download_with", self.command(force))
    }

    fn given_up(&self) -> Error {
        let Some(trouble) = self.trouble.clone() else {
            return Error::new(Code::Internal, "the waiting ended without a reason");
        };
        let trouble = trouble.with_detail("sign_id", self.order.sign_id.as_str());
        let is_gone = matches!(trouble.code(), Code::OrderNotFound | Code::WindowExpired)
            && self.asker.latest().is_some();
        if is_gone || trouble.category() == Category::Local {
            return trouble;
        }
        let told = format!("{}; {}", trouble.message(), self.hint(true));
        self.with_command(trouble.with_message(told), true)
    }
}

/// Whether the provider sent the user back without a code: nothing was signed.
fn is_of_redirect(code: Code) -> bool {
    matches!(
        code,
        Code::AuthorizeAccessDenied
            | Code::AuthorizeInvalidRequest
            | Code::AuthorizeInvalidScope
            | Code::AuthorizeServerError
            | Code::AuthorizeTemporarilyUnavailable
            | Code::AuthorizeUnsupportedResponseType
            | Code::AuthorizeUnknown
    )
}

/// How far an order is, as far as this program knows.
enum Far {
    /// Not signed, with so much time left.
    Open(Duration),
    Unknown,
    Signed,
}

/// The time that is left, on a terminal.
struct Countdown(ProgressBar);

impl Countdown {
    fn new(visible: bool) -> Self {
        let visible = visible && std::io::stderr().is_terminal();
        let target =
            if visible { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(None, target);
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
            bar.set_style(style);
        }
        Self(bar)
    }

    fn show(&self, far: Far, state: Option<&str>) {
        let state = state.map(|state| format!(" ({})", plain(state))).unwrap_or_default();
        self.0.set_message(match far {
            Far::Open(left) => format!("waiting for the end user{state}, {} left", shown(left)),
            Far::Unknown => "waiting for the end user".to_owned(),
            Far::Signed => format!("signed, waiting for the service{state}"),
        });
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
