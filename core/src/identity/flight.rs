//! One request for any number of callers who want the same thing.

use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::watch;
use tokio::task::AbortHandle;

use crate::error::{Code, Result};

/// Joins concurrent callers: the first one's work serves them all, success or failure.
///
/// The work runs as a task of its own, so that a cancelled caller does not take it down for the
/// others. When the last of them is gone, it ends.
#[derive(Debug)]
pub(super) struct Flight<T> {
    current: Mutex<Weak<Running<T>>>,
}

impl<T> Default for Flight<T> {
    fn default() -> Self {
        Self { current: Mutex::default() }
    }
}

/// Work under way; held by everybody who waits for it.
#[derive(Debug)]
struct Running<T> {
    outcome: watch::Receiver<Option<Result<T>>>,
    task: AbortHandle,
}

impl<T> Drop for Running<T> {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl<T: Clone + Send + Sync + 'static> Flight<T> {
    /// Joins the work under way, or starts `work`.
    ///
    /// Work that ran out of the time of the caller who started it says nothing to one who joined
    /// later and has time left: that one starts anew.
    pub(super) async fn join<F>(&self, mut work: impl FnMut() -> F) -> Result<T>
    where
        F: Future<Output = Result<T>> + Send + 'static,
    {
        loop {
            let (running, joined) = self.current_or_start(&mut work);
            let mut outcome = running.outcome.clone();
            // An error here means that the task died with its runtime: start again.
            if let Ok(value) = outcome.wait_for(Option::is_some).await
                && let Some(result) = value.clone()
            {
                match result {
                    Err(error) if joined && error.code() == Code::TotalTimeout => {}
                    result => return result,
                }
            }
            tokio::task::yield_now().await;
        }
    }

    /// The work under way, and whether it was so already.
    fn current_or_start<F>(&self, work: &mut impl FnMut() -> F) -> (Arc<Running<T>>, bool)
    where
        F: Future<Output = Result<T>> + Send + 'static,
    {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        // `has_changed` fails once the sender is gone, which is when the work has ended.
        let under_way = |running: &Arc<Running<T>>| running.outcome.has_changed().is_ok();
        if let Some(running) = current.upgrade().filter(under_way) {
            return (running, true);
        }
        let (sender, outcome) = watch::channel(None);
        let work = work();
        let task = tokio::spawn(async move {
            let result = work.await;
            sender.send_replace(Some(result));
        });
        let running = Arc::new(Running { outcome, task: task.abort_handle() });
        *current = Arc::downgrade(&running);
        (running, false)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;
    use crate::error::Error;

    #[tokio::test(flavor = "multi_thread")]
    async fn fifty_callers_cause_one_piece_of_work_and_share_its_error() {
        let flight = Arc::new(Flight::<u32>::default());
        let runs = Arc::new(AtomicUsize::new(0));
        let calls: Vec<_> = (0..50)
            .map(|_| {
                let (flight, runs) = (flight.clone(), runs.clone());
                tokio::spawn(async move {
                    let work = || {
                        let runs = runs.clone();
                        async move {
                            runs.fetch_add(1, Ordering::SeqCst);
                            tokio::time::sleep(Duration::from_millis(200)).await;
                            Err(Error::new(Code::ConnectFailed, "down"))
                        }
                    };
                    flight.join(work).await
                })
            })
            .collect();
        for call in calls {
            assert_eq!(call.await.unwrap().unwrap_err().code(), Code::ConnectFailed);
        }
        assert_eq!(runs.load(Ordering::SeqCst), 1);
    }

    #[tokio::test]
    async fn the_first_callers_deadline_is_not_that_of_the_others() {
        let flight = Arc::new(Flight::<u32>::default());
        let hasty = || async {
            tokio::time::sleep(Duration::from_millis(50)).await;
            Err(Error::new(Code::TotalTimeout, "too slow"))
        };
        let first = tokio::spawn({
            let flight = flight.clone();
            async move { flight.join(hasty).await }
        });
        tokio::task::yield_now().await;
        assert_eq!(flight.join(|| async { Ok(8) }).await.unwrap(), 8);
        assert_eq!(first.await.unwrap().unwrap_err().code(), Code::TotalTimeout);
    }

    #[tokio::test]
    async fn a_cancelled_first_caller_does_not_take_the_others_down() {
        let flight = Arc::new(Flight::<u32>::default());
        let work = || async {
            tokio::time::sleep(Duration::from_millis(50)).await;
            Ok(7)
        };
        let first = tokio::spawn({
            let flight = flight.clone();
            async move { flight.join(work).await }
        });
        tokio::task::yield_now().await;
        first.abort();
        let second = flight.join(|| async { Ok(8) }).await.unwrap();
        assert_eq!(second, 7);
    }
    #[tokio::test]
    async fn work_that_nobody_waits_for_ends() {
        let flight = Arc::new(Flight::<u32>::default());
        let started = Arc::new(AtomicUsize::new(0));
        let endless = || {
            started.fetch_add(1, Ordering::SeqCst);
            let alive = started.clone();
            async move {
                let _alive = alive;
                std::future::pending().await
            }
        };
        for _ in 0..2 {
            let waiting = tokio::time::timeout(Duration::from_millis(20), flight.join(endless));
            assert!(waiting.await.is_err());
        }
        assert_eq!(flight.join(|| async { Ok(9) }).await.unwrap(), 9);
        assert_eq!(started.load(Ordering::SeqCst), 2);
        assert_eq!(Arc::strong_count(&started), 1, "the work is gone");
    }
}
