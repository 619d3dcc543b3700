//! Receptions under way: what a caller who stopped waiting for a download can still know of it.
//!
//! Once the DELETE has left, the answer is the only copy there is. A caller's deadline, a cancelled
//! call or Ctrl-C end the waiting, not the reception, which ends at silence or at its cap.

use std::fmt;
use std::path::PathBuf;
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::download::DOWNLOAD;
use super::handover::Unclaimed;
use crate::error::{Code, Error};

/// How often [`wait_for_receptions`] looks.
const LOOK: Duration = Duration::from_millis(20);

/// Where the results of an order go, once the request that deletes it has left.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reception {
    /// The order.
    pub sign_id: String,
    /// The folder to call [`recover`](super::recover) with. For results that were to go to memory
    /// it is made only if the caller is gone when they have come.
    pub folder: PathBuf,
}

impl Reception {
    /// What to tell somebody who stops waiting.
    #[must_use]
    pub fn told(&self) -> String {
        format!(
            "the results of the order {} are still being received, into {}: let this process live until they have come, and call recover with that folder if it does not",
            self.sign_id,
            self.folder.display()
        )
    }

    /// The error of a caller whose waiting ended.
    pub(super) fn stopped(&self, why: &str, has_ended: bool) -> Error {
        let told = match has_ended {
            false => self.told(),
            true => format!(
                "the request that deletes the order {} had left, and its answer has been received: what came is in {}, call recover with that folder",
                self.sign_id,
                self.folder.display()
            ),
        };
        Error::new(Code::ReceptionContinues, format!("{DOWNLOAD}: {why}; {told}"))
            .with_detail("sign_id", self.sign_id.as_str())
            .with_detail("ask_again", false)
            .with_detail("reception", self.to_json())
    }

    fn to_json(&self) -> Value {
        json!({"sign_id": self.sign_id, "folder": self.folder.display().to_string()})
    }
}

/// Shows whether the request that deletes an order has left; clones share it.
///
/// A face that ends a call on its caller's wish looks here, and says what goes on.
#[derive(Clone, Default)]
pub struct ReceptionWatch(Arc<Watched>);

#[derive(Default)]
struct Watched {
    /// Whether results that went to memory are put aside unless they are claimed.
    keeps: bool,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    reception: Option<Reception>,
    has_ended: bool,
    unclaimed: Option<Unclaimed>,
}

impl ReceptionWatch {
    /// A watch that has results in memory put into the fallback folder, see
    /// [`recover`](super::recover), where its last clone goes before [`ReceptionWatch::claimed`]: a
    /// call that is cancelled while its result is on the way to the caller must not lose it.
    #[must_use]
    pub fn keeping() -> Self {
        Self(Arc::new(Watched { keeps: true, seen: Mutex::default() }))
    }

    /// Says that the caller has the results, or the error in their place.
    pub fn claimed(&self) {
        *self.seen() = Seen::default();
    }

    /// The reception that has begun and not ended; `None` before and after.
    #[must_use]
    pub fn under_way(&self) -> Option<Reception> {
        let seen = self.seen();
        seen.reception.clone().filter(|_| !seen.has_ended)
    }

    /// What to tell a caller whose waiting ended without a result, and `why` it did; `None` where
    /// the request had not left.
    #[must_use]
    pub fn stopped(&self, why: &str) -> Option<Error> {
        let seen = self.seen();
        seen.reception.as_ref().map(|reception| reception.stopped(why, seen.has_ended))
    }

    pub(super) fn begin(&self, reception: Reception) {
        *self.seen() = Seen { reception: Some(reception), ..Seen::default() };
    }

    pub(super) fn end(&self) {
        self.seen().has_ended = true;
    }

    /// Takes what the results were made of, until they are claimed.
    pub(super) fn keep(&self, unclaimed: Option<Unclaimed>) {
        if self.0.keeps {
            self.seen().unclaimed = unclaimed;
        }
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.0.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        let seen = self.seen.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(unclaimed) = seen.unclaimed.take() {
            unclaimed.rescue();
        }
    }
}

impl fmt::Debug for ReceptionWatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ReceptionWatch").field(&self.under_way()).finish()
    }
}

/// Receptions of this process: its id in the upper half, their number in the lower. A forked child
/// finds another id, and has none.
static UNDER_WAY: AtomicU64 = AtomicU64::new(0);

fn count_in(word: u64) -> u64 {
    if word >> 32 == u64::from(process::id()) { word & u64::from(u32::MAX) } else { 0 }
}

fn change(by: impl Fn(u64) -> u64) {
    let own = u64::from(process::id()) << 32;
    let changed = |word| Some(own | by(count_in(word)));
    let _ = UNDER_WAY.fetch_update(Ordering::SeqCst, Ordering::SeqCst, changed);
}

/// Counts as a reception until it is dropped.
#[derive(Debug)]
pub(super) struct UnderWay(u32);

impl UnderWay {
    pub(super) fn begin() -> Self {
        change(|count| count + 1);
        Self(process::id())
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        if self.0 == process::id() {
            change(|count| count.saturating_sub(1));
        }
    }
}

/// How many downloads of this process are being received, waited for or not.
#[must_use]
pub fn receptions() -> usize {
    let count = count_in(UNDER_WAY.load(Ordering::SeqCst));
    usize::try_from(count).unwrap_or(usize::MAX)
}

/// Waits until all downloads of this process have been received, at most `patience`, and tells how
/// many have not. Blocks the calling thread: for a program that is about to end.
///
/// `keep_on` is asked about fifty times a second; false ends the waiting.
pub fn wait_for_receptions(patience: Duration, keep_on: impl Fn() -> bool) -> usize {
    let begun = Instant::now();
    loop {
        let left = receptions();
        if left == 0 || begun.elapsed() >= patience || !keep_on() {
            return left;
        }
        std::thread::sleep(LOOK.min(patience.saturating_sub(begun.elapsed())));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn receptions_are_counted_until_they_end() {
        let before = receptions();
        let one = UnderWay::begin();
        let two = UnderWay::begin();
        assert_eq!(receptions(), before + 2);
        drop(one);
        assert!(wait_for_receptions(Duration::from_millis(30), || true) >= 1);
        assert!(wait_for_receptions(Duration::from_secs(60), || false) >= 1);
        drop(two);
        assert_eq!(receptions(), before);
    }
}
