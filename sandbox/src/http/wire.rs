//! A connection that can be told to misbehave: end in the middle of an answer, reset, fall silent,
//! or say something that is not HTTP.
//!
//! The plan is laid by the request handler before it answers and carried out here, on the bytes,
//! because a well-behaved HTTP library would never do it.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Buf, Bytes};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Sleep, sleep};
use tokio_rustls::server::TlsStream;

use crate::sync::lock;

/// Before a reset in the middle of an answer, so that the bytes already written reach the peer's
/// kernel: a reset throws away what is still queued.
const SETTLE: Duration = Duration::from_millis(30);

/// How a connection ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// Orderly end of the stream (FIN).
    Close,
    /// RST.
    Reset,
    /// Nothing more is said, the connection stays; closed after the given time when there is one.
    Silence(Option<Duration>),
}

/// What is to happen on the connection.
#[derive(Debug, Default)]
enum Plan {
    #[default]
    Pass,
    /// Let this many bytes of the body of the next answer through.
    Cut {
        head: HeadScan,
        left: u64,
        end: End,
    },
    /// Let the next answer through, its body this long, and close then.
    HangUp {
        head: HeadScan,
        left: u64,
    },
    /// Say this instead of the answer, then close.
    Raw(Bytes),
    Ending(End),
    /// Reset when the connection is dropped.
    ResetOnDrop,
}

/// The handler's end of a connection's plan.
#[derive(Debug, Clone, Default)]
pub(crate) struct Wire(Arc<Mutex<Plan>>);

impl Wire {
    /// Ends the connection after `body_bytes` bytes of the body of the next answer.
    pub(crate) fn cut_after(&self, body_bytes: u64, end: End) {
        *lock(&self.0) = Plan::Cut { head: HeadScan::default(), left: body_bytes, end };
    }

    /// Closes the connection after the next answer, whose body has this length.
    pub(crate) fn hang_up_after(&self, body_bytes: u64) {
        *lock(&self.0) = Plan::HangUp { head: HeadScan::default(), left: body_bytes };
    }

    /// Replaces the next answer by bytes, then closes.
    pub(crate) fn say_instead(&self, bytes: Bytes) {
        *lock(&self.0) = Plan::Raw(bytes);
    }

    /// Makes the drop of the connection a reset.
    pub(crate) fn reset_on_drop(&self) {
        *lock(&self.0) = Plan::ResetOnDrop;
    }

    /// Back to normal, for the next request on the same connection.
    pub(crate) fn pass(&self) {
        *lock(&self.0) = Plan::Pass;
    }
}

/// Finds the end of an answer's head in the bytes going out; interim answers (100 Continue) do not
/// count.
#[derive(Debug, Default)]
struct HeadScan {
    start: Vec<u8>,
    matched: usize,
    in_body: bool,
}

const HEAD_END: [u8; 4] = *b"\r\n\r\n";
const INTERIM: &[u8] = b"HTTP/1.1 1";

impl HeadScan {
    /// How many bytes of `out` may pass when `left` bytes of body may. The head always passes.
    fn allowed(&self, out: &[u8], left: u64) -> usize {
        let mut scan =
            Self { start: self.start.clone(), matched: self.matched, in_body: self.in_body };
        let head = scan.advance(out);
        let body = out.len() - head;
        head + body.min(usize::try_from(left).unwrap_or(usize::MAX))
    }

    /// Takes note of bytes that passed; returns how many of them belong to the head.
    fn advance(&mut self, passed: &[u8]) -> usize {
        for (index, byte) in passed.iter().enumerate() {
            if self.in_body {
                return index;
            }
            if self.start.len() < INTERIM.len() {
                self.start.push(*byte);
            }
            self.matched = match HEAD_END.get(self.matched) {
                Some(wanted) if wanted == byte => self.matched + 1,
                _ => usize::from(*byte == b'\r'),
            };
            if self.matched == HEAD_END.len() {
                self.in_body = self.start != INTERIM;
                self.matched = 0;
                self.start.clear();
            }
        }
        passed.len()
    }
}

/// A transport whose close can be made a reset.
pub(crate) trait Line: AsyncRead + AsyncWrite + Unpin + Send + 'static {
    /// From now on closing sends RST.
    fn reset_on_close(&self);
}

impl Line for TcpStream {
    fn reset_on_close(&self) {
        // fails only on a socket that is gone already
        let _ = self.set_zero_linger();
    }
}

impl Line for TlsStream<TcpStream> {
    fn reset_on_close(&self) {
        self.get_ref().0.reset_on_close();
    }
}

/// The connection under the HTTP server.
#[derive(Debug)]
pub(crate) struct FaultyLine<L: Line> {
    line: L,
    wire: Wire,
    waiting: Option<Pin<Box<Sleep>>>,
}

impl<L: Line> FaultyLine<L> {
    pub(crate) fn new(line: L, wire: Wire) -> Self {
        Self { line, wire, waiting: None }
    }

    fn poll_end(&mut self, context: &mut Context<'_>, end: End) -> Poll<io::Error> {
        let pause = match end {
            End::Close => None,
            End::Reset => Some(SETTLE),
            End::Silence(None) => return Poll::Pending,
            End::Silence(Some(time)) => Some(time),
        };
        let _ = ready!(Pin::new(&mut self.line).poll_flush(context));
        if let Some(pause) = pause {
            let waiting = self.waiting.get_or_insert_with(|| Box::pin(sleep(pause)));
            ready!(waiting.as_mut().poll(context));
        }
        if end == End::Reset {
            self.line.reset_on_close();
        } else {
            let _ = ready!(Pin::new(&mut self.line).poll_shutdown(context));
        }
        Poll::Ready(io::Error::new(io::ErrorKind::ConnectionAborted, "ended by a fault"))
    }

    fn poll_planned(
        &mut self,
        context: &mut Context<'_>,
        out: &[u8],
    ) -> Poll<Option<io::Result<usize>>> {
        let wire = self.wire.clone();
        let mut plan = lock(&wire.0);
        loop {
            match &mut *plan {
                Plan::Pass | Plan::ResetOnDrop => return Poll::Ready(None),
                Plan::Cut { head, left, end } => {
                    let allowed = head.allowed(out, *left);
                    if allowed == 0 {
                        *plan = Plan::Ending(*end);
                        continue;
                    }
                    let part = out.get(..allowed).unwrap_or(out);
                    let written = ready!(Pin::new(&mut self.line).poll_write(context, part));
                    if let Ok(count) = written {
                        let passed = part.get(..count).unwrap_or(part);
                        let of_head = head.advance(passed);
                        *left = left.saturating_sub((passed.len() - of_head) as u64);
                    }
                    return Poll::Ready(Some(written));
                }
                Plan::HangUp { head, left } => {
                    let written = ready!(Pin::new(&mut self.line).poll_write(context, out));
                    if let Ok(count) = written {
                        let of_head = head.advance(out.get(..count).unwrap_or(out));
                        *left = left.saturating_sub((count - of_head) as u64);
                    }
                    if *left == 0 {
                        // so that the server looks for the next request, and finds the end
                        context.waker().wake_by_ref();
                    }
                    return Poll::Ready(Some(written));
                }
                Plan::Raw(bytes) if bytes.is_empty() => *plan = Plan::Ending(End::Close),
                Plan::Raw(bytes) => {
                    match ready!(Pin::new(&mut self.line).poll_write(context, bytes)) {
                        Ok(count) => bytes.advance(count.min(bytes.len())),
                        Err(error) => return Poll::Ready(Some(Err(error))),
                    }
                }
                Plan::Ending(end) => {
                    let end = *end;
                    let error = ready!(self.poll_end(context, end));
                    return Poll::Ready(Some(Err(error)));
                }
            }
        }
    }
}

impl<L: Line> Drop for FaultyLine<L> {
    fn drop(&mut self) {
        if matches!(*lock(&self.wire.0), Plan::ResetOnDrop) {
            self.line.reset_on_close();
        }
    }
}

impl<L: Line> AsyncRead for FaultyLine<L> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let over = |plan: &Plan| matches!(plan, Plan::HangUp { head, left: 0 } if head.in_body);
        if over(&lock(&self.wire.0)) {
            // nothing read is the end of the stream: the server closes its side as well
            return Poll::Ready(Ok(()));
        }
        Pin::new(&mut self.line).poll_read(context, buffer)
    }
}

impl<L: Line> AsyncWrite for FaultyLine<L> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        out: &[u8],
    ) -> Poll<io::Result<usize>> {
        match ready!(self.poll_planned(context, out)) {
            Some(result) => Poll::Ready(result),
            None => Pin::new(&mut self.line).poll_write(context, out),
        }
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let first = parts.iter().find(|part| !part.is_empty()).map_or(&[][..], |part| part);
        match ready!(self.poll_planned(context, first)) {
            Some(result) => Poll::Ready(result),
            None => Pin::new(&mut self.line).poll_write_vectored(context, parts),
        }
    }

    fn is_write_vectored(&self) -> bool {
        self.line.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.line).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.line).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_passes_and_interim_answers_do_not_count() {
        let out = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nx: y\r\n\r\nBODYBODY";
        let head_length = out.len() - 8;
        for split in 0..out.len() {
            let mut scan = HeadScan::default();
            let mut left = 3_u64;
            let mut passed = 0;
            for part in [&out[..split], &out[split..]] {
                let allowed = scan.allowed(part, left);
                let of_head = scan.advance(&part[..allowed]);
                left -= (allowed - of_head) as u64;
                passed += allowed;
                if allowed < part.len() {
                    break;
                }
            }
            assert_eq!(passed, head_length + 3, "split at {split}");
        }
    }
}
