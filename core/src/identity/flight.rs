//! One request for any number of callers who want the same thing.

use std::future::Future;
use std::sync::{Mutex, PoisonError};

use tokio::sync::watch;

use crate::error::{Code, Result};

type Outcome<T> = watch::Receiver<Option<Result<T>>>;

/// Joins concurrent callers: the first one's work serves them all, success or failure.
///
/// The work runs as a task of its own, so that a cancelled caller does not take it down for the
/// others.
#[derive(Debug)]
pub(super) struct Flight<T> {
    current: Mutex<Option<Outcome<T>>>,
}

impl<T> Default for Flight<T> {
    fn default() -> Self {
        Self { current: Mutex::new(None) }
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
            let (mut outcome, joined) = self.current_or_start(&mut work);
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

    /// The work's outcome to be, and whether it was under way already.
    fn current_or_start<F>(&self, work: &mut impl FnMut() -> F) -> (Outcome<T>, bool)
    where
        F: Future<Output = Result<T>> + Send + 'static,
    {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        // `has_changed` fails once the sender is gone, which is when the work has ended.
        if let Some(outcome) = current.as_ref().filter(|outcome| outcome.has_changed().is_ok()) {
            return (outcome.clone(), true);
        }
        let (sender, outcome) = watch::channel(None);
        let work = work();
        tokio::spawn(async move {
            let result = work.await;
            sender.send_replace(Some(result));
        });
        *current = Some(outcome.clone());
        (outcome, false)
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
}
