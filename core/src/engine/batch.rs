//! Batches for blocking faces: documents are pulled, and results handed out, on the caller's thread.

use std::borrow::Borrow;
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::{Engine, Task};
use crate::client::Client;
use crate::conversion::{BatchOptions, BatchPlan, Conversion, Finished, Pack};
use crate::document::Document;
use crate::error::{Code, Error, Result};

/// How long a dropped batch waits for its calls to take their partial files with them.
const PATIENCE: Duration = Duration::from_secs(1);

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
pub struct BatchRun<E: Borrow<Engine>> {
    engine: E,
    plan: BatchPlan,
    mailbox: Arc<Mailbox>,
    calls: Vec<Running>,
    started: u64,
    ended: bool,
    ring: Arc<dyn Fn() + Send + Sync>,
}

/// A call under way, and the documents it is for.
struct Running {
    number: u64,
    task: Task<()>,
    indexes: Vec<usize>,
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
        Ok(Self { engine, plan, mailbox, calls, started: 0, ended: false, ring })
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

    /// Says that nothing more is to be sent: documents gathered for another call get no result,
    /// the calls under way end as they would have.
    pub fn stop(&mut self) {
        self.ended = true;
        self.plan.drop_open();
    }

    /// The next thing to know; waits at most `patience` for it.
    ///
    /// # Errors
    /// [`Code::Cancelled`] in a process that was forked while calls were under way: its parent
    /// gets their results.
    pub fn next(&mut self, patience: Duration) -> Result<Next> {
        if self.calls.iter().any(|call| !call.task.is_here()) {
            let why = "the process was forked while the batch was under way; only the parent gets its results";
            return Err(Error::new(Code::Cancelled, why));
        }
        self.collect();
        if let Some(result) = self.plan.next_ready() {
            return Ok(Next::Result(Box::new(result)));
        }
        if !self.ended && self.calls.len() < self.plan.options().concurrency {
            return Ok(Next::WantsInput);
        }
        if self.calls.is_empty() {
            return Ok(Next::Finished);
        }
        if let Some((number, results)) = self.mailbox.take(patience) {
            self.take(number, results);
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
        self.stop();
        self.calls.iter().for_each(|call| call.task.cancel());
        let until = Instant::now() + patience;
        for call in self.calls.drain(..).filter(|call| call.task.is_here()) {
            let _ = call.task.wait(until.saturating_duration_since(Instant::now()));
        }
        while let Some((_, results)) = self.mailbox.take(Duration::ZERO) {
            self.plan.done(results);
        }
    }

    /// Takes in what has come. The documents of a call that ended without results failed with it.
    fn collect(&mut self) {
        let plan = &mut self.plan;
        self.calls.retain(|call| match call.task.wait(Duration::ZERO) {
            Some(Err(error)) => {
                plan.lost(&call.indexes, &error);
                false
            }
            // One that ended well has put its results into the mailbox before.
            None | Some(Ok(())) => true,
        });
        while let Some((number, results)) = self.mailbox.take(Duration::ZERO) {
            self.take(number, results);
        }
    }

    fn take(&mut self, number: u64, results: Vec<Finished>) {
        self.calls.retain(|call| call.number != number);
        self.plan.done(results);
    }

    fn send(&mut self, pack: Option<Pack>) -> Result<()> {
        let Some(pack) = pack else { return Ok(()) };
        let (indexes, options) = (pack.indexes(), self.plan.options().call.clone());
        let (mailbox, number) = (self.mailbox.clone(), self.started);
        let work = move |client: Client| async move {
            mailbox.put(number, client.convert_pack(pack, &options).await);
            Ok(())
        };
        let ring = self.ring.clone();
        let task = self.engine.borrow().start_ringing(work, move || ring())?;
        self.started += 1;
        self.calls.push(Running { number, task, indexes });
        Ok(())
    }
}

impl<E: Borrow<Engine>> Drop for BatchRun<E> {
    fn drop(&mut self) {
        if !self.calls.is_empty() {
            self.cancel(PATIENCE);
        }
    }
}

/// What a call with this number brought.
type Letter = (u64, Vec<Finished>);

/// Results of calls for the thread that waits; see [`super::Slot`] for why this is no channel.
#[derive(Default)]
struct Mailbox {
    letters: Mutex<VecDeque<Letter>>,
    arrived: Condvar,
}

impl Mailbox {
    fn put(&self, number: u64, results: Vec<Finished>) {
        self.lock().push_back((number, results));
        self.arrived.notify_all();
    }

    fn take(&self, patience: Duration) -> Option<Letter> {
        let waited =
            self.arrived.wait_timeout_while(self.lock(), patience, |letters| letters.is_empty());
        let (mut letters, _) = waited.unwrap_or_else(PoisonError::into_inner);
        letters.pop_front()
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Letter>> {
        self.letters.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
