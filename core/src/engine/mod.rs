//! The client for blocking faces: one runtime for a process, rebuilt after a fork.
//!
//! A forked child inherits memory but no threads, so a runtime or a connection pool of the parent
//! can never be used in it. Everything that has threads is therefore kept under the process id it
//! belongs to; a child finds another id, leaves what it inherited untouched (dropping it would
//! wait for threads that do not exist) and builds its own. No lock is involved that a fork could
//! leave taken.

mod batch;
mod slot;

use std::future::Future;
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use arc_swap::ArcSwapOption;
use tokio::runtime::Runtime;
use tokio::task::AbortHandle;

use crate::client::Client;
use crate::clock::{Clock, SystemClock};
use crate::config::Config;
use crate::error::{Code, Error, Result};
use crate::order::wait_for_receptions;
use crate::transport::Transport;

pub use batch::{BatchRun, Next};
pub use slot::{Bringer, Forsaken, Slot};

/// Threads that drive all calls of a process. Two, so that a slow disk under one call does not
/// hold up the others.
const WORKERS: usize = 2;

struct Owned<T> {
    pid: u32,
    value: T,
}

static RUNTIME: ArcSwapOption<Owned<Runtime>> = ArcSwapOption::const_empty();

/// The value of this process: what is there, or what `make` makes.
fn of_this_process<T>(
    place: &ArcSwapOption<Owned<T>>,
    make: impl FnOnce() -> Result<T>,
) -> Result<Arc<Owned<T>>> {
    let pid = process::id();
    let seen = place.load_full();
    if let Some(owned) = seen.as_ref().filter(|owned| owned.pid == pid) {
        return Ok(owned.clone());
    }
    let made = Arc::new(Owned { pid, value: make()? });
    let before = place.compare_and_swap(&seen, Some(made.clone()));
    let winner = before.as_ref().filter(|owned| owned.pid == pid).cloned();
    // The parent's value must not be dropped here.
    std::mem::forget(seen);
    Ok(winner.unwrap_or(made))
}

fn runtime() -> Result<Arc<Owned<Runtime>>> {
    of_this_process(&RUNTIME, || {
        tokio::runtime::Builder::new_multi_thread()
            .worker_threads(WORKERS)
            .thread_name("signdoc")
            .enable_all()
            .build()
            .map_err(|error| {
                Error::new(Code::Internal, format!("no threads can be started: {error}"))
            })
    })
}

/// How long [`shutdown`] waits for a thread that is stuck in the file system.
const SHUTDOWN_PATIENCE: Duration = Duration::from_secs(5);

/// Ends the threads of this process; no call may be under way. The next call starts new ones.
///
/// Results of orders that are still being received are waited for: the service has deleted those
/// orders. For hosts that want nothing left when they end, such as those under a leak checker.
pub fn shutdown() {
    wait_for_receptions(Duration::MAX, || true);
    let Some(owned) = RUNTIME.swap(None) else { return };
    if owned.pid != process::id() {
        std::mem::forget(owned);
        return;
    }
    // Somebody who starts a call right now also holds it, and drops it instead.
    if let Ok(owned) = Arc::try_unwrap(owned) {
        owned.value.shutdown_timeout(SHUTDOWN_PATIENCE);
    }
}

/// A client that any thread may call and wait for, also after a fork.
pub struct Engine {
    config: Config,
    clock: Arc<SystemClock>,
    client: ArcSwapOption<Owned<Client>>,
    closed: AtomicBool,
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").field("config", &self.config).finish_non_exhaustive()
    }
}

impl Engine {
    /// An engine for a checked configuration; threads start with the first call.
    ///
    /// # Errors
    /// [`Code::InvalidOption`] when a certificate file or proxy cannot be used.
    pub fn new(config: Config) -> Result<Self> {
        Transport::new(&config)?;
        Ok(Self {
            config,
            clock: Arc::default(),
            client: ArcSwapOption::empty(),
            closed: AtomicBool::new(false),
        })
    }

    /// The configuration.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Moves this client's clock away from the system's, by `seconds`.
    pub fn set_clock_offset(&self, seconds: f64) {
        self.clock.set_offset(seconds);
    }

    /// Refuses further calls. Calls under way end as they would have.
    pub fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
    }

    /// Whether `close` was called.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::SeqCst)
    }

    /// Starts a call on the engine's threads.
    ///
    /// # Errors
    /// [`Code::ClientClosed`]; [`Code::Internal`] when no threads can be started.
    pub fn start<T, F>(&self, make: impl FnOnce(Client) -> F) -> Result<Task<T>>
    where
        T: Send + 'static,
        F: Future<Output = Result<T>> + Send + 'static,
    {
        self.start_ringing(make, || {})
    }

    /// As [`Engine::start`]; `ring` is called when the task is over, in whatever way: it may be
    /// asked for its result then without waiting, and has let go of its files.
    ///
    /// It is called on a thread of the engine, and must neither wait nor fail: for hosts with an
    /// event loop of their own, it writes to something that the loop listens to.
    ///
    /// # Errors
    /// As [`Engine::start`].
    pub fn start_ringing<T, F>(
        &self,
        make: impl FnOnce(Client) -> F,
        ring: impl FnOnce() + Send + 'static,
    ) -> Result<Task<T>>
    where
        T: Send + 'static,
        F: Future<Output = Result<T>> + Send + 'static,
    {
        if self.is_closed() {
            return Err(Error::new(Code::ClientClosed, "the client is closed; make a new one"));
        }
        let runtime = runtime()?;
        let client = of_this_process(&self.client, || {
            Client::with_clock(self.config.clone(), self.clock.clone())
        })?;
        let work = make(client.value.clone());
        let (slot, bringer) = Slot::new();
        let bell = Bell(Some(ring));
        let task = runtime.value.spawn(async move {
            // Dropped last, also when the task is cut short.
            let _bell = bell;
            let (bringer, work) = (bringer, work);
            bringer.bring(work.await);
        });
        Ok(Task { slot, abort: task.abort_handle(), pid: process::id() })
    }

    /// Starts a call and waits for its end.
    ///
    /// # Errors
    /// As [`Engine::start`], and the call's own.
    pub fn run<T, F>(&self, make: impl FnOnce(Client) -> F) -> Result<T>
    where
        T: Send + 'static,
        F: Future<Output = Result<T>> + Send + 'static,
    {
        let task = self.start(make)?;
        loop {
            if let Some(result) = task.wait(Duration::from_secs(3600)) {
                return result;
            }
        }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        if let Some(owned) = self.client.swap(None)
            && owned.pid != process::id()
        {
            std::mem::forget(owned);
        }
    }
}

/// Rings when it is dropped.
struct Bell<F: FnOnce()>(Option<F>);

impl<F: FnOnce()> Drop for Bell<F> {
    fn drop(&mut self) {
        if let Some(ring) = self.0.take() {
            ring();
        }
    }
}

/// A call under way; dropping it cancels the call.
#[derive(Debug)]
pub struct Task<T> {
    slot: Arc<Slot<Result<T>>>,
    abort: AbortHandle,
    pid: u32,
}

impl<T> Task<T> {
    /// Waits at most `patience`; `None` when the call is still under way then.
    pub fn wait(&self, patience: Duration) -> Option<Result<T>> {
        match self.slot.wait_for(patience) {
            Some(Ok(result)) => Some(result),
            None if self.pid == process::id() => None,
            None => Some(Err(Error::new(
                Code::Cancelled,
                "the process was forked while the call was under way; only the parent gets its result",
            ))),
            Some(Err(Forsaken)) => Some(Err(Error::new(
                Code::Internal,
                "the call ended without a result; this is a defect of the library",
            ))),
        }
    }

    /// Whether the call was started by this process, not by the one it was forked from.
    pub(super) fn is_here(&self) -> bool {
        self.pid == process::id()
    }

    /// Ends the call; nothing more is sent or written.
    pub fn cancel(&self) {
        if self.is_here() {
            self.abort.abort();
        }
    }
}

impl<T> Drop for Task<T> {
    fn drop(&mut self) {
        self.cancel();
    }
}
