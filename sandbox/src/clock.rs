//! The virtual clock of one sandbox: the machine's clock plus an offset, or a moment held still.

use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::sync::lock;

/// The time a sandbox lives in. Token expiry and every later validity window are counted on it.
///
/// Clones share one clock.
#[derive(Debug, Clone, Default)]
pub struct Clock(Arc<Mutex<Setting>>);

#[derive(Debug, Clone, Copy, Default)]
struct Setting {
    offset_ms: i64,
    held_ms: Option<u64>,
}

impl Clock {
    /// Now, in this sandbox.
    pub fn now(&self) -> SystemTime {
        UNIX_EPOCH + Duration::from_millis(self.now_millis())
    }

    /// Now, in whole seconds since 1970-01-01 UTC.
    pub fn now_unix(&self) -> u64 {
        self.now_millis() / 1000
    }

    /// Now, in milliseconds since 1970-01-01 UTC.
    pub fn now_millis(&self) -> u64 {
        let setting = *lock(&self.0);
        setting.held_ms.unwrap_or_else(|| real_millis().saturating_add_signed(setting.offset_ms))
    }

    /// Moves the clock forward. A clock held still stays still at the later moment.
    pub fn advance(&self, by: Duration) {
        let by_ms = i64::try_from(by.as_millis()).unwrap_or(i64::MAX);
        let mut setting = lock(&self.0);
        match setting.held_ms {
            Some(held) => setting.held_ms = Some(held.saturating_add_signed(by_ms)),
            None => setting.offset_ms = setting.offset_ms.saturating_add(by_ms),
        }
    }

    /// Sets the clock to a moment, in seconds since 1970-01-01 UTC; may lie in the past.
    pub fn set(&self, unix_seconds: u64) {
        let target = unix_seconds.saturating_mul(1000);
        let mut setting = lock(&self.0);
        match setting.held_ms {
            Some(_) => setting.held_ms = Some(target),
            None => setting.offset_ms = signed(target).saturating_sub(signed(real_millis())),
        }
    }

    /// Holds the clock still at its present moment.
    pub fn freeze(&self) {
        let now = self.now_millis();
        lock(&self.0).held_ms = Some(now);
    }

    /// Lets a clock held still run on from its moment.
    pub fn unfreeze(&self) {
        let mut setting = lock(&self.0);
        if let Some(held) = setting.held_ms.take() {
            setting.offset_ms = signed(held).saturating_sub(signed(real_millis()));
        }
    }

    /// Goes back to the machine's own clock.
    pub fn reset(&self) {
        *lock(&self.0) = Setting::default();
    }

    /// Whether the clock is held still.
    pub fn is_frozen(&self) -> bool {
        lock(&self.0).held_ms.is_some()
    }

    /// Distance to the machine's clock, in seconds; negative when the sandbox lives in the past.
    pub fn offset_seconds(&self) -> i64 {
        signed(self.now_millis()).saturating_sub(signed(real_millis())).div_euclid(1000)
    }
}

fn real_millis() -> u64 {
    let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX)
}

fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advances_while_running_and_while_held() {
        let clock = Clock::default();
        let before = clock.now_unix();
        clock.advance(Duration::from_secs(1000));
        assert!(clock.now_unix() >= before + 1000);
        clock.freeze();
        let held = clock.now_millis();
        clock.advance(Duration::from_secs(5));
        assert_eq!(clock.now_millis(), held + 5000);
        assert!(clock.is_frozen());
    }

    #[test]
    fn set_may_go_back_and_runs_on() {
        let clock = Clock::default();
        clock.set(1_000_000);
        let now = clock.now_unix();
        assert!((1_000_000..1_000_005).contains(&now), "{now}");
        assert!(clock.offset_seconds() < 0);
        clock.freeze();
        clock.set(42);
        assert_eq!(clock.now_millis(), 42_000);
        clock.unfreeze();
        assert!((42..47).contains(&clock.now_unix()));
        clock.reset();
        assert_eq!(clock.offset_seconds(), 0);
    }
}
