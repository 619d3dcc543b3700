//! A request body that ends with its caller.
//!
//! A dropped request is noticed by the HTTP library when its connection has to wait; while the
//! other side reads fast enough it never waits, and tens of megabytes leave after a cancellation,
//! possibly the end of a request that nobody wants any more.

use std::error::Error as StdError;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use http_body::{Body, Frame, SizeHint};

/// Somebody who waits for the answer. Dropped, nothing more of the request is sent.
#[derive(Default)]
pub(super) struct Caller(Arc<AtomicBool>);

impl Drop for Caller {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

impl Caller {
    pub(super) fn owns<B>(&self, body: B) -> Owned<B> {
        Owned { body, gone: self.0.clone() }
    }
}

/// The caller is gone.
#[derive(Debug)]
struct Gone;

impl fmt::Display for Gone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the call was cancelled")
    }
}

impl StdError for Gone {}

pub(super) struct Owned<B> {
    body: B,
    gone: Arc<AtomicBool>,
}

impl<B> Body for Owned<B>
where
    B: Body + Unpin,
    B::Error: StdError + Send + Sync + 'static,
{
    type Data = B::Data;
    type Error = Box<dyn StdError + Send + Sync>;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, Self::Error>>> {
        if self.gone.load(Ordering::Acquire) {
            return Poll::Ready(Some(Err(Box::new(Gone))));
        }
        let frame = Pin::new(&mut self.body).poll_frame(context);
        frame.map(|frame| frame.map(|result| result.map_err(Into::into)))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
