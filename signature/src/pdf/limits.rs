//! Limits that keep memory and time bounded whatever a file claims.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use super::error::{PdfError, PdfErrorKind, Result};

/// Caps for reading one document.
///
/// The defaults are far above what real documents need and keep a hostile file from taking more
/// than tens of megabytes or a few seconds.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes one object may have in the file, stream data not counted.
    pub object_bytes: usize,
    /// Values (numbers, names, strings ...) inside one object.
    pub object_values: usize,
    /// How deep arrays and dictionaries may nest.
    pub nesting: usize,
    /// Entries in all cross-reference sections together.
    pub xref_entries: usize,
    /// Cross-reference sections (the file and its incremental updates).
    pub sections: usize,
    /// Decoded bytes of one object stream.
    pub object_stream_bytes: usize,
    /// Decoded bytes of object streams kept in memory, besides the two largest ones and the one
    /// that is in use.
    pub object_stream_cache: usize,
    /// Pages, and nodes of the page tree.
    pub pages: usize,
    /// Form fields.
    pub fields: usize,
    /// Units of [`Work`] during the life of one [`super::Document`], in addition to 32 times the
    /// file's size. Not looked at where the work is given ([`super::Document::open_within`]).
    pub work: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            object_bytes: 16 << 20,
            object_values: 400_000,
            nesting: 96,
            xref_entries: 2_000_000,
            sections: 10_000,
            object_stream_bytes: 32 << 20,
            object_stream_cache: 8 << 20,
            pages: 200_000,
            fields: 100_000,
            work: 1 << 30,
        }
    }
}

/// The work that reading may cause: one clock for everything that reads within it, be it one
/// document or a whole verification.
///
/// A unit is about what parsing one byte costs (10 ns); decoding, looking objects up and comparing
/// are counted in the same units, before they are done. Work is counted, not timed, so that a file
/// ends the same way on every machine. Clones share what is left.
#[derive(Clone, Debug)]
pub struct Work(Arc<Clock>);

#[derive(Debug)]
struct Clock {
    left: AtomicU64,
    allowed: u64,
    deadline: Option<Instant>,
    /// The first limit that was met: what was read since is not to be relied on.
    reached: OnceLock<PdfError>,
}

/// The least that one step costs.
const STEP: u64 = 16;
/// How often the deadline is looked at, in units.
const TICK: u64 = 1 << 20;

impl Work {
    /// So many units and no more.
    #[must_use]
    pub fn new(units: u64) -> Work {
        Work::with(units, None)
    }

    /// So many units, and none after `deadline`. It is looked at every few milliseconds of work.
    #[must_use]
    pub fn until(units: u64, deadline: Instant) -> Work {
        Work::with(units, Some(deadline))
    }

    fn with(units: u64, deadline: Option<Instant>) -> Work {
        let left = AtomicU64::new(units);
        Work(Arc::new(Clock { left, allowed: units, deadline, reached: OnceLock::new() }))
    }

    /// What reading a file of `len` bytes may take by itself.
    pub(crate) fn for_reading(limits: &Limits, len: u64) -> Work {
        Work::new(limits.work.saturating_add(len.saturating_mul(32)))
    }

    /// Units that were spent.
    #[must_use]
    pub fn spent(&self) -> u64 {
        self.0.allowed - self.0.left.load(Ordering::Relaxed)
    }

    /// The first limit that was met, of this work or of an object that was read within it.
    #[must_use]
    pub fn reached(&self) -> Option<&PdfError> {
        self.0.reached.get()
    }

    /// Takes `amount` units.
    pub(crate) fn spend(&self, amount: u64) -> Result<()> {
        let amount = amount.max(STEP);
        let clock = &*self.0;
        let taken = clock.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
            Some(left.saturating_sub(amount))
        });
        let left = taken.unwrap_or_default();
        if left < amount {
            return self.end("it takes more work than allowed");
        }
        let is_late = |deadline: Instant| Instant::now() >= deadline;
        if left / TICK != (left - amount) / TICK && clock.deadline.is_some_and(is_late) {
            clock.left.store(0, Ordering::Relaxed);
            return self.end("it takes more time than allowed");
        }
        Ok(())
    }

    fn end(&self, detail: &'static str) -> Result<()> {
        let error = PdfError::limit(detail);
        self.note(&error);
        Err(error)
    }

    /// Keeps the first limit, so that no reader takes what it could not read for something else.
    pub(crate) fn note(&self, error: &PdfError) {
        if error.kind() == PdfErrorKind::LimitExceeded {
            self.0.reached.get_or_init(|| error.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn what_was_spent_stays_spent() {
        let work = Work::new(100);
        work.spend(60).unwrap();
        let shared = work.clone();
        assert!(shared.spend(60).is_err() && work.spend(16).is_err());
        assert_eq!(work.spent(), 100);
        assert_eq!(work.reached().unwrap().kind(), PdfErrorKind::LimitExceeded);
    }

    #[test]
    fn a_deadline_in_the_past_ends_the_work_at_the_next_tick() {
        let past = Instant::now().checked_sub(Duration::from_secs(1)).unwrap_or_else(Instant::now);
        let work = Work::until(10 * TICK, past);
        assert!((0..2 * TICK / 1024).any(|_| work.spend(1024).is_err()));
        assert!(work.reached().unwrap().detail().contains("time"));
    }

    #[test]
    fn faults_of_another_kind_are_no_limit() {
        let work = Work::new(100);
        work.note(&PdfError::corrupt("damaged"));
        assert!(work.reached().is_none());
        work.note(&PdfError::limit("too large"));
        assert!(work.reached().is_some());
    }
}
