//! How far a call is, readable from any thread while it runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counters of one call; clones share them.
///
/// There are no callbacks: whoever waits for the call looks at the counters on its own thread.
#[derive(Clone, Debug, Default)]
pub struct Progress(Arc<Counters>);

#[derive(Debug, Default)]
struct Counters {
    to_send: AtomicU64,
    sent: AtomicU64,
    received: AtomicU64,
}

impl Progress {
    /// Bytes of the request body in all; zero until the request starts.
    #[must_use]
    pub fn to_send(&self) -> u64 {
        self.0.to_send.load(Ordering::Relaxed)
    }

    /// Bytes of the request body handed to the connection so far; starts again when repeated.
    #[must_use]
    pub fn sent(&self) -> u64 {
        self.0.sent.load(Ordering::Relaxed)
    }

    /// Bytes of the answer's body received so far.
    #[must_use]
    pub fn received(&self) -> u64 {
        self.0.received.load(Ordering::Relaxed)
    }

    pub(crate) fn start(&self, to_send: u64) {
        self.0.to_send.store(to_send, Ordering::Relaxed);
        self.set_sent(0);
        self.0.received.store(0, Ordering::Relaxed);
    }

    pub(crate) fn set_sent(&self, bytes: u64) {
        self.0.sent.store(bytes, Ordering::Relaxed);
    }

    pub(crate) fn add_received(&self, bytes: u64) {
        self.0.received.fetch_add(bytes, Ordering::Relaxed);
    }
}
