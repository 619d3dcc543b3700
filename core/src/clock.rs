//! Time as a dependency.
//!
//! Validity windows, token expiry and retry delays ask a [`Clock`], never the system, so that a
//! test (or the sandbox's virtual clock) can move time without waiting.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime};

/// A pause, as a boxed future.
pub type Sleep = Pin<Box<dyn Future<Output = ()> + Send>>;

/// The source of the present time and of pauses.
pub trait Clock: Send + Sync + fmt::Debug {
    /// The present time.
    fn now(&self) -> SystemTime;

    /// A future that is ready after `duration`.
    fn sleep(&self, duration: Duration) -> Sleep;

    /// Moves this clock `seconds` away from the system's time (negative: into the past).
    ///
    /// Returns false where the clock cannot be moved.
    fn set_offset(&self, seconds: f64) -> bool {
        let _ = seconds;
        false
    }
}

/// The system's clock, with an offset that is zero unless somebody sets it.
#[derive(Debug, Default)]
pub struct SystemClock {
    offset_ms: AtomicI64,
}

impl Clock for SystemClock {
    fn now(&self) -> SystemTime {
        let offset = self.offset_ms.load(Ordering::Relaxed);
        let shift = Duration::from_millis(offset.unsigned_abs());
        let now = SystemTime::now();
        let moved = if offset < 0 { now.checked_sub(shift) } else { now.checked_add(shift) };
        moved.unwrap_or(now)
    }

    fn sleep(&self, duration: Duration) -> Sleep {
        Box::pin(tokio::time::sleep(duration))
    }

    fn set_offset(&self, seconds: f64) -> bool {
        self.offset_ms.store((seconds * 1000.0) as i64, Ordering::Relaxed);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_offset_moves_the_present_both_ways() {
        let clock = SystemClock::default();
        assert!(clock.set_offset(3600.0));
        assert!(clock.now() > SystemTime::now() + Duration::from_secs(3590));
        assert!(clock.set_offset(-3600.0));
        assert!(clock.now() < SystemTime::now() - Duration::from_secs(3590));
    }
}
