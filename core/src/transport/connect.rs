//! How long a connection may take to be made: the client's limit, or that of the call it is for.

use std::error::Error as StdError;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tower_layer::Layer;
use tower_service::Service;

type BoxError = Box<dyn StdError + Send + Sync>;

tokio::task_local! {
    /// The limit of the call that is being driven.
    static LIMIT: Duration;
}

/// Drives `work`; connections it begins may take so long.
pub(super) async fn limited<F: Future>(limit: Duration, work: F) -> F::Output {
    LIMIT.scope(limit, work).await
}

/// There was no connection in time: name, TCP, proxy and TLS together.
#[derive(Debug)]
pub(crate) struct ConnectTimedOut {
    limit: Duration,
}

impl ConnectTimedOut {
    /// What was allowed, in seconds.
    pub(crate) fn seconds(&self) -> f64 {
        self.limit.as_secs_f64()
    }
}

impl fmt::Display for ConnectTimedOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "nothing within {} s", self.seconds())
    }
}

impl StdError for ConnectTimedOut {}

/// Limits each new connection: the HTTP library has one limit for a client, calls have their own.
#[derive(Clone, Copy, Debug)]
pub(super) struct ConnectLimit;

impl<S> Layer<S> for ConnectLimit {
    type Service = Limited<S>;

    fn layer(&self, inner: S) -> Limited<S> {
        Limited { inner }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Limited<S> {
    inner: S,
}

impl<S, R> Service<R> for Limited<S>
where
    S: Service<R, Error = BoxError>,
    S::Future: Send + 'static,
    S::Response: 'static,
{
    type Response = S::Response;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<S::Response, BoxError>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: R) -> Self::Future {
        // Read here, on the caller's task: the HTTP library may finish the connection elsewhere.
        let limit = LIMIT.try_with(|limit| *limit).ok();
        let work = self.inner.call(request);
        Box::pin(async move {
            let Some(limit) = limit else { return work.await };
            match tokio::time::timeout(limit, work).await {
                Ok(made) => made,
                Err(_) => Err(Box::new(ConnectTimedOut { limit }) as BoxError),
            }
        })
    }
}
