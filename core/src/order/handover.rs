//! From the reception to whoever waits for it; and what happens when nobody does any more.

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

use super::download::DOWNLOAD;
use super::journal::{Header, Journal};
use super::reception::{Reception, ReceptionWatch, UnderWay};
use super::results::Download;
use super::room::Fallback;
use super::spool::Spool;
use crate::error::{Code, Error, Result};
use crate::trace::{Level, Trace};
use crate::transport::deadline_passed;

/// How long room is waited for, for results that nobody waits for.
const PATIENCE: Duration = Duration::from_secs(600);
/// How often it is tried.
const AGAIN: Duration = Duration::from_secs(2);
/// The request has not left: whoever waits can still end it.
const BEFORE: u8 = 0;
/// It has left, and nobody ends it any more.
const LEFT: u8 = 1;
/// Nobody waits, and it does not leave.
const ABANDONED: u8 = 2;

/// The raw answer of results that are in memory, until somebody has them.
pub(super) struct Unclaimed {
    pub spool: Spool,
    pub fallback: Fallback,
    pub header: Header,
    pub trace: Trace,
}

impl Unclaimed {
    /// Puts the answer into the fallback folder, with a journal to recover it by: the caller is
    /// gone, and this is the only copy. Where there is no room, it is tried again for a while, as
    /// long as the process lives.
    pub(super) fn rescue(mut self) {
        if self.spool.len() == 0 {
            return;
        }
        let Err(error) = self.keep() else { return };
        self.trace.event(Level::Warning, || {
            format!(
                "{DOWNLOAD}: nobody waits for the results of the order {} any more, and they cannot be put into {}: {error}; make room there, it is tried again for {} minutes",
                self.header.sign_id,
                self.fallback.path().display(),
                PATIENCE.as_secs() / 60
            )
        });
        let under_way = UnderWay::begin();
        let later = move || {
            let until = std::time::Instant::now() + PATIENCE;
            while std::time::Instant::now() < until {
                std::thread::sleep(AGAIN);
                if self.keep().is_ok() {
                    break;
                }
            }
            drop(under_way);
        };
        // Without a thread there is nothing left that could be done.
        let _ = std::thread::Builder::new().name("signdoc-rescue".to_owned()).spawn(later);
    }

    fn keep(&mut self) -> std::io::Result<()> {
        let folder = self.fallback.folder()?;
        self.header.names = self.header.names.within(&folder);
        let failed = |error: Error| std::io::Error::other(error.to_string());
        let journal = Journal::begin(&self.header).map_err(failed)?;
        let moved = journal
            .sent(self.header.started)
            .map_err(failed)
            .and_then(|()| self.spool.move_to(&journal.answer_path()));
        let moved = moved.map(super::spool::Moved::forget);
        if let Err(error) = moved {
            journal.end(None);
            return Err(error);
        }
        // The answer is on the disk; that its folder knows it may come a little later.
        let _ = journal.answer_is_there();
        self.trace.event(Level::Warning, || {
            format!(
                "{DOWNLOAD}: nobody waits for the results of the order {} any more; they are in {}, see recover",
                self.header.sign_id,
                self.fallback.path().display()
            )
        });
        Ok(())
    }
}

struct Shared {
    stage: AtomicU8,
    slot: Mutex<Slot>,
    ready: Notify,
    watch: ReceptionWatch,
    reception: Reception,
}

#[derive(Default)]
struct Slot {
    /// What came, until it is taken.
    came: Option<(Result<Download>, Option<Unclaimed>)>,
    /// Whether nobody will take it.
    is_forsaken: bool,
}

/// The side of the reception.
pub(super) struct Handover(Arc<Shared>);

/// The side of the caller.
pub(super) struct Waiter(Arc<Shared>);

impl Handover {
    /// Says that the request leaves now.
    ///
    /// # Errors
    /// [`Code::Cancelled`] when the caller has gone before.
    pub(super) fn leave(&self, reception: &Reception) -> Result<()> {
        let stage = &self.0.stage;
        if stage.compare_exchange(BEFORE, LEFT, Ordering::SeqCst, Ordering::SeqCst).is_err() {
            let why = format!("{DOWNLOAD}: the call ended before the request left");
            return Err(Error::new(Code::Cancelled, why));
        }
        self.0.watch.begin(reception.clone());
        Ok(())
    }

    /// Hands the result over, or puts it aside where nobody waits.
    pub(super) fn finish(self, result: Result<Download>, unclaimed: Option<Unclaimed>) {
        self.0.watch.end();
        let left = {
            let mut slot = lock(&self.0.slot);
            match slot.is_forsaken {
                true => unclaimed,
                false => {
                    slot.came = Some((result, unclaimed));
                    None
                }
            }
        };
        self.0.ready.notify_one();
        if let Some(left) = left {
            left.rescue();
        }
    }
}

impl Drop for Handover {
    fn drop(&mut self) {
        // A panic in the reception leaves nobody waiting for ever.
        self.0.watch.end();
        self.0.ready.notify_one();
    }
}

impl Waiter {
    pub(super) fn new(watch: ReceptionWatch, reception: Reception) -> (Self, Handover) {
        let shared = Arc::new(Shared {
            stage: AtomicU8::new(BEFORE),
            slot: Mutex::default(),
            ready: Notify::new(),
            watch,
            reception,
        });
        (Self(shared.clone()), Handover(shared))
    }

    /// Waits for the result, at most until `deadline`. Dropped while it waits, it leaves the
    /// result to the folder.
    pub(super) async fn wait(self, deadline: Instant) -> Result<Download> {
        let ready = tokio::time::timeout_at(deadline, self.0.ready.notified()).await.is_ok();
        let came = lock(&self.0.slot).came.take();
        if let Some((result, unclaimed)) = came {
            self.0.watch.keep(unclaimed);
            return result;
        }
        if ready {
            return Err(Error::new(Code::Internal, "the download ended without a result"));
        }
        if self.abandon() {
            return Err(deadline_passed(DOWNLOAD));
        }
        Err(self.0.reception.stopped("not finished within the call's timeout", false))
    }

    /// Keeps a request that has not left from leaving; false when it has.
    fn abandon(&self) -> bool {
        let stage = &self.0.stage;
        stage.compare_exchange(BEFORE, ABANDONED, Ordering::SeqCst, Ordering::SeqCst).is_ok()
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        self.abandon();
        let left = {
            let mut slot = lock(&self.0.slot);
            slot.is_forsaken = true;
            slot.came.take().and_then(|(_, unclaimed)| unclaimed)
        };
        if let Some(left) = left {
            left.rescue();
        }
    }
}

fn lock(slot: &Mutex<Slot>) -> std::sync::MutexGuard<'_, Slot> {
    slot.lock().unwrap_or_else(PoisonError::into_inner)
}
