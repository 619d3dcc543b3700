//! Batches for blocking faces: documents are pulled, and results handed out, on the caller's thread.

use std::borrow::Borrow;
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::{Engine, Task};
use crate::client::Client;
use crate::conversion::{BatchOptions, BatchPlan, Conversion, Finished, Pack};
use crate::document::Document;
use crate::error::{Error, Result};

impl Engine {
    /// Starts a batch that the caller feeds and drains on its own thread.
    ///
    /// # Errors
    /// As [`BatchPlan::new`] and [`Engine::start`].
    pub fn batch(&self, options: BatchOptions) -> Result<BatchRun<&Self>> {
        BatchRun::new(self, options)
    }
}

/// A batch under way: [`BatchRun::push`] documents while it wants some, take results with
/// [`BatchRun::next`]. Dropping it cancels the calls under way.
pub struct BatchRun<E> {
    engine: E,
    plan: BatchPlan,
    mailbox: Arc<Mailbox>,
    calls: Vec<Task<()>>,
    running: usize,
    ended: bool,
    ring: Arc<dyn Fn() + Send + Sync>,
}

/// What [`BatchRun::next`] found.
#[derive(Debug)]
pub enum Next {
    /// A document's result.
    Result(Box<Conversion>),
    /// There is room: push a document, or say that there are no more.
    WantsInput,
    /// Nothing happened yet.
    Pending,
    /// Every document has been told.
    Finished,
}

impl<E: Borrow<Engine>> BatchRun<E> {
    /// As [`Engine::batch`], for a face whose batches share the engine's ownership (`Arc`).
    ///
    /// # Errors
    /// As [`Engine::batch`].
    pub fn new(engine: E, options: BatchOptions) -> Result<Self> {
        let plan = BatchPlan::new(options)?;
        let calls = Vec::new();
        let mailbox = Arc::default();
        let ring = Arc::new(|| {});
        Ok(Self { engine, plan, mailbox, calls, running: 0, ended: false, ring })
    }

    /// Has `ring` called whenever a call of the batch is over, as for [`Engine::start_ringing`];
    /// [`BatchRun::next`] need not wait then. For calls that start later.
    pub fn ring_with(&mut self, ring: impl Fn() + Send + Sync + 'static) {
        self.ring = Arc::new(ring);
    }

    /// Takes the next document.
    ///
    /// # Errors
    /// As [`Engine::start`].
    pub fn push(&mut self, document: Document) -> Result<()> {
        let pack = self.plan.add(document);
        self.send(pack)
    }

    /// Takes the next document as one that cannot be had: its result is this failure.
    pub fn push_failed(&mut self, error: Error) {
        self.plan.add_failed(error);
    }

    /// Says that there are no more documents.
    ///
    /// # Errors
    /// As [`Engine::start`].
    pub fn end(&mut self) -> Result<()> {
        self.ended = true;
        let pack = self.plan.flush();
        self.send(pack)
    }

    /// The next thing to know; waits at most `patience` for it.
    ///
    /// # Errors
    /// [`Code::Internal`] when a call ended without a result.
    pub fn next(&mut self, patience: Duration) -> Result<Next> {
        if let Some(result) = self.plan.next_ready() {
            return Ok(Next::Result(Box::new(result)));
        }
        if !self.ended && self.running < self.plan.options().concurrency {
            return Ok(Next::WantsInput);
        }
        if self.running == 0 {
            return Ok(Next::Finished);
        }
        if let Some(results) = self.mailbox.take(patience) {
            self.plan.done(results);
            self.running = self.running.saturating_sub(1);
        } else {
            self.reap()?;
        }
        Ok(match self.plan.next_ready() {
            Some(result) => Next::Result(Box::new(result)),
            None => Next::Pending,
        })
    }

    /// Cancels the calls under way and waits, at most `patience`, until they have taken their
    /// partial files with them; nothing more is sent. Results that were there by then can still
    /// be taken with [`BatchRun::next`].
    pub fn cancel(&mut self, patience: Duration) {
        self.ended = true;
        self.calls.iter().for_each(Task::cancel);
        let until = Instant::now() + patience;
        for task in self.calls.drain(..) {
            let _ = task.wait(until.saturating_duration_since(Instant::now()));
        }
        while let Some(results) = self.mailbox.take(Duration::ZERO) {
            self.plan.done(results);
        }
        self.running = 0;
    }

    /// Forgets calls that have ended; one that ended without results is an error.
    fn reap(&mut self) -> Result<()> {
        let mut failure = None;
        self.calls.retain(|task| match task.wait(Duration::ZERO) {
            None => true,
            Some(Ok(())) => false,
            Some(Err(error)) => {
                failure = Some(error);
                false
            }
        });
        let Some(error) = failure else { return Ok(()) };
        self.running = self.running.saturating_sub(1);
        Err(error)
    }

    fn send(&mut self, pack: Option<Pack>) -> Result<()> {
        let Some(pack) = pack else { return Ok(()) };
        let options = self.plan.options().call.clone();
        let mailbox = self.mailbox.clone();
        let work = move |client: Client| async move {
            mailbox.put(client.convert_pack(pack, &options).await);
            Ok(())
        };
        let ring = self.ring.clone();
        let task = self.engine.borrow().start_ringing(work, move || ring())?;
        self.calls.push(task);
        self.running += 1;
        Ok(())
    }
}

/// Results of calls for the thread that waits; see [`super::Slot`] for why this is no channel.
#[derive(Default)]
struct Mailbox {
    letters: Mutex<VecDeque<Vec<Finished>>>,
    arrived: Condvar,
}

impl Mailbox {
    fn put(&self, results: Vec<Finished>) {
        self.lock().push_back(results);
        self.arrived.notify_all();
    }

    fn take(&self, patience: Duration) -> Option<Vec<Finished>> {
        let waited =
            self.arrived.wait_timeout_while(self.lock(), patience, |letters| letters.is_empty());
        let (mut letters, _) = waited.unwrap_or_else(PoisonError::into_inner);
        letters.pop_front()
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Vec<Finished>>> {
        self.letters.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
