//! A download that ends only when what came is safe.
//!
//! Once the request has left, the service has deleted the order, and its answer is the only copy.
//! So the call has no deadline of its own: this waits for it, and Ctrl-C and `--timeout` end the
//! waiting only where nothing has left.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use signdoc::engine::{Engine, Task};
use signdoc::order::{OrderKind, Reception, ReceptionWatch, receptions, wait_for_receptions};
use signdoc::{
    CallOptions, Client, Code, Destination, Download, DownloadOptions, Error, OrderRef, Progress,
    Recovery, RecoveryOutcome, Result, Trace,
};

use super::delivered;
use super::rescue::{self, Homeless, Homes};
use crate::call::{LOOK, PATIENCE, cancelled};
use crate::screen::{Screen, plain, quoted};
use crate::stop::Hold;
use crate::{Interrupted, call};

/// No time limit: the end is decided here.
const NEVER: Duration = Duration::from_secs(365 * 24 * 3600);

/// How long the end of a reception may take once its results are here.
const AFTERGLOW: Duration = Duration::from_secs(1);

/// What is to be fetched.
pub(super) struct Wanted {
    pub(super) kind: OrderKind,
    pub(super) order: OrderRef,
    pub(super) options: DownloadOptions,
    /// What was asked for, where that is known.
    pub(super) results: Option<Vec<String>>,
    /// What the documents are called, where that is known.
    pub(super) names: Vec<Option<String>>,
}

/// What came of it.
pub(super) enum Came {
    Results(Download),
    /// All of it is in the folder, but what it is was told to nobody.
    Unseen(PathBuf),
}

/// Who fetches.
pub(super) struct Fetcher<'a> {
    pub(super) engine: &'a Engine,
    pub(super) interrupted: Interrupted<'a>,
    /// Whether somebody may be shown how far it is.
    pub(super) visible: bool,
}

impl Fetcher<'_> {
    /// Downloads; everything that was asked for is a file afterwards, or this is an error.
    pub(super) fn fetch(&self, mut wanted: Wanted, screen: &mut Screen) -> Result<Came> {
        // A second signal must not end the process while this is under way.
        let _hold = Hold::begin();
        let folder = match &wanted.options.to {
            Destination::Folder { path, .. } => path.clone(),
            _ => PathBuf::new(),
        };
        let sign_id = wanted.order.sign_id().to_owned();
        let call = &mut wanted.options.call;
        let (watch, progress) = (ReceptionWatch::default(), Progress::default());
        let trace = call.trace.clone();
        *call = CallOptions {
            timeout: Some(NEVER),
            reception: watch.clone(),
            progress: progress.clone(),
            ..call.clone()
        };
        let Wanted { kind, order, options, results, names } = wanted;
        let task = self
            .engine
            .start(|client| async move { fetch(&client, kind, order, &options).await })?;
        let mut waiting = Waiting {
            task,
            watch,
            begun: Instant::now(),
            before: self.interrupted.count(),
            reception: None,
            told: None,
            trace,
            bar: Bar::new(self.visible, progress),
        };
        let fetched = waiting.wait(self, &sign_id, &folder, screen);
        waiting.bar.end();
        match fetched {
            Ok(Came::Results(download)) => {
                let digests = delivered::check(&download, &folder, results.as_deref())?;
                if let Some(path) = digests {
                    screen.say(&format!("the digests are in {}", shown(&path)));
                }
                Ok(Came::Results(download))
            }
            Ok(unseen) => Ok(unseen),
            Err(error) => {
                let homes = Homes::new(Some(&folder), &self.engine.config().fallback_folder());
                let homeless = Homeless::of_error(&error, &sign_id, &names);
                Err(rescue::rescue(error, homeless, homes, self.interrupted, screen))
            }
        }
    }
}

async fn fetch(
    client: &Client,
    kind: OrderKind,
    order: OrderRef,
    options: &DownloadOptions,
) -> Result<Download> {
    match kind {
        OrderKind::Pades => client.pades().download(order, options).await.map(Download::Pades),
        OrderKind::Sdo => client.sdo().download(order, options).await.map(Download::Sdo),
    }
}

/// A download under way.
struct Waiting {
    task: Task<Download>,
    watch: ReceptionWatch,
    begun: Instant,
    /// How often a stop had been asked for when it began.
    before: usize,
    /// Where the results go, once the request has left.
    reception: Option<Reception>,
    /// How often a stop had been asked for when it was told that this goes on.
    told: Option<usize>,
    trace: Trace,
    bar: Bar,
}

impl Waiting {
    fn wait(
        &mut self,
        by: &Fetcher<'_>,
        sign_id: &str,
        folder: &Path,
        screen: &mut Screen,
    ) -> Result<Came> {
        let limit = by.engine.config().timeout();
        loop {
            if let Some(ended) = self.task.wait(LOOK) {
                return ended.map(Came::Results);
            }
            self.bar.tick();
            for warning in call::warnings(&self.trace) {
                self.bar.aside(|| screen.warning(&warning));
            }
            let stops = by.interrupted.count();
            let (is_asked, is_late) = (stops > self.before, self.begun.elapsed() >= limit);
            self.reception = self.watch.under_way().or(self.reception.take());
            match (&self.reception, self.told) {
                // The request is about to leave, or has been answered already, while a download
                // is counted as one.
                (None, _) if (is_asked || is_late) && receptions() == 0 => {
                    return self.end(by, (sign_id, folder), is_asked, screen);
                }
                (Some(reception), None) if is_asked || is_late => {
                    let why = if is_asked { None } else { Some(limit) };
                    let note = going_on(reception, why);
                    self.bar.aside(|| screen.say(&note));
                    self.told = Some(stops);
                }
                (Some(reception), Some(told)) if stops > told => {
                    by.interrupted.give_up();
                    return Err(given_up(reception));
                }
                _ => {}
            }
        }
    }

    /// Ends a call whose request has not left.
    fn end(
        &self,
        by: &Fetcher<'_>,
        (sign_id, folder): (&str, &Path),
        is_asked: bool,
        screen: &mut Screen,
    ) -> Result<Came> {
        self.task.cancel();
        match self.task.wait(PATIENCE) {
            // It had ended before.
            Some(Ok(download)) => return Ok(Came::Results(download)),
            Some(Err(error)) if error.code() != Code::Internal => return Err(error),
            _ => {}
        }
        if receptions() > 0 {
            // It left in this very moment, and nobody is handed its results any more.
            return unseen(by.interrupted, sign_id, folder, screen);
        }
        if is_asked {
            return Err(cancelled());
        }
        let limit = by.engine.config().timeout().as_secs_f64();
        Err(Error::new(
            Code::TotalTimeout,
            format!("download: not begun within {limit} s (--timeout); the order was not touched"),
        )
        .with_detail("sign_id", sign_id)
        .with_detail("limit", limit))
    }
}

/// What is told when somebody wants to stop, or the time is over.
fn going_on(reception: &Reception, limit: Option<Duration>) -> String {
    let why = match limit {
        Some(limit) => format!("not finished within {} s (--timeout)", limit.as_secs_f64()),
        None => "not stopping yet".to_owned(),
    };
    let (folder, again) = (shown(&reception.folder), if limit.is_some() { "" } else { " again" });
    format!(
        "{why}: the service deletes the order {} with this download, so its results are received to the end, into {folder}; press Ctrl-C{again} to give them up",
        plain(&reception.sign_id)
    )
}

fn given_up(reception: &Reception) -> Error {
    let recover = format!("signdoc recover {}", quoted(&reception.folder));
    cancelled()
        .with_message(format!(
            "given up; what has arrived of the order {} lies in {}, and `{recover}` makes documents of it",
            reception.sign_id,
            shown(&reception.folder)
        ))
        .with_detail("sign_id", reception.sign_id.as_str())
        .with_detail("folder", reception.folder.display().to_string())
}

fn shown(path: &Path) -> String {
    plain(&path.display().to_string())
}

/// Waits for results that are received without anybody to hand them to, and looks for them.
fn unseen(
    interrupted: Interrupted<'_>,
    sign_id: &str,
    folder: &Path,
    screen: &mut Screen,
) -> Result<Came> {
    let told = interrupted.count();
    screen.say(&format!(
        "the results of the order {} are being received, into {}; press Ctrl-C again to give them up",
        plain(sign_id),
        shown(folder)
    ));
    if wait_for_receptions(NEVER, || interrupted.count() <= told) > 0 {
        interrupted.give_up();
        let recover = format!("signdoc recover {}", quoted(folder));
        return Err(cancelled().with_message(format!("given up; `{recover}` shows what came")));
    }
    let found = signdoc::recover(folder)?;
    judged(found, sign_id).map(|()| Came::Unseen(folder.to_owned()))
}

/// A download that left nothing to recover, or all of it, has come.
fn judged(found: Vec<Recovery>, sign_id: &str) -> Result<()> {
    let own = |one: &Recovery| one.sign_id.as_deref() == Some(sign_id);
    for one in found.into_iter().filter(own) {
        if one.outcome == RecoveryOutcome::Complete && one.problem.is_none() {
            continue;
        }
        let what = one.outcome.as_str();
        return Err(one.problem.unwrap_or_else(|| {
            Error::new(Code::DownloadIncomplete, format!("the download ended as {what}"))
                .with_detail("sign_id", sign_id)
        }));
    }
    Ok(())
}

/// Waits for whatever is still being received when a command ends.
pub(crate) fn linger(screen: &mut Screen, interrupted: Interrupted<'_>) {
    // One that has just handed over what it received still counts for a moment.
    if interrupted.has_given_up() || wait_for_receptions(AFTERGLOW, || true) == 0 {
        return;
    }
    let _hold = Hold::begin();
    let told = interrupted.count();
    screen.say("results of an order are still being received; press Ctrl-C to give them up");
    let _ = wait_for_receptions(NEVER, || interrupted.count() <= told);
}

/// How much has come, on a terminal.
struct Bar {
    bar: ProgressBar,
    progress: Progress,
}

impl Bar {
    fn new(visible: bool, progress: Progress) -> Self {
        let visible = visible && std::io::stderr().is_terminal();
        let target =
            if visible { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(0), target);
        if let Ok(style) = ProgressStyle::with_template("{spinner} downloading, {decimal_bytes}") {
            bar.set_style(style);
        }
        Self { bar, progress }
    }

    fn tick(&self) {
        self.bar.set_position(self.progress.received());
        self.bar.tick();
    }

    /// Says something without the bar in between.
    fn aside(&self, say: impl FnOnce()) {
        self.bar.suspend(say);
    }

    fn end(&self) {
        self.bar.finish_and_clear();
    }
}
