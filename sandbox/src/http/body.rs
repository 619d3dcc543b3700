//! The body of an answer: pieces in memory, base64 made chunk by chunk while it is sent.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use std::{io, mem};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use tokio::time::{Sleep, sleep};

/// Source bytes that are base64-encoded in one step; a multiple of three.
const BASE64_STEP: usize = 48 * 1024;
/// Bytes of text that are sent in one step.
const TEXT_STEP: usize = 64 * 1024;

/// A part of a body.
#[derive(Debug, Clone)]
pub(crate) enum Piece {
    /// Bytes as they are.
    Text(Bytes),
    /// Bytes to send as padded base64: a document.
    Base64(Bytes),
    /// A document as it travels.
    Encoded(Bytes),
    /// The same byte, this many times.
    Repeat(u8, u64),
}

impl Piece {
    fn len(&self) -> u64 {
        match self {
            Piece::Text(bytes) | Piece::Encoded(bytes) => bytes.len() as u64,
            Piece::Base64(bytes) => (bytes.len() as u64).div_ceil(3) * 4,
            Piece::Repeat(_, count) => *count,
        }
    }

    /// Takes the next step off this piece.
    fn step(&mut self, limit: usize) -> Bytes {
        match self {
            Piece::Text(bytes) | Piece::Encoded(bytes) => {
                bytes.split_to(bytes.len().min(limit.min(TEXT_STEP)))
            }
            Piece::Base64(bytes) => {
                let source = (limit / 4 * 3).clamp(3, BASE64_STEP);
                let taken = bytes.split_to(bytes.len().min(source));
                Bytes::from(STANDARD.encode(&taken))
            }
            Piece::Repeat(byte, count) => {
                let size = usize::try_from(*count).unwrap_or(usize::MAX).min(TEXT_STEP).min(limit);
                *count -= size as u64;
                Bytes::from(vec![*byte; size])
            }
        }
    }
}

/// How slowly a body is sent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pace {
    /// Bytes of one step.
    pub(crate) step: usize,
    /// Pause between two steps.
    pub(crate) pause: Duration,
}

/// A body whose length is known before the first byte.
#[derive(Debug)]
pub(crate) struct AnswerBody {
    pieces: VecDeque<Piece>,
    left: u64,
    /// When false the length is not announced, and the body goes out in chunks.
    announced: bool,
    pace: Option<Pace>,
    waiting: Option<Pin<Box<Sleep>>>,
}

impl AnswerBody {
    /// A body of several pieces.
    pub(crate) fn of(pieces: impl IntoIterator<Item = Piece>) -> Self {
        let pieces: VecDeque<Piece> = pieces.into_iter().filter(|piece| piece.len() > 0).collect();
        let left = pieces.iter().map(Piece::len).sum();
        Self { pieces, left, announced: true, pace: None, waiting: None }
    }

    /// Bytes still to be sent.
    pub(crate) fn len(&self) -> u64 {
        self.left
    }

    /// The body with a content coding. Each document begins and ends at a whole byte of the coding,
    /// so that an answer can still be cut at it.
    pub(crate) fn encoded<W: io::Write>(
        self,
        mut encoder: W,
        output: fn(&mut W) -> &mut Vec<u8>,
        finish: fn(W) -> io::Result<Vec<u8>>,
    ) -> io::Result<Self> {
        let mut pieces = Vec::new();
        for mut piece in self.pieces {
            while piece.len() > 0 {
                encoder.write_all(&piece.step(usize::MAX))?;
            }
            encoder.flush()?;
            let bytes = Bytes::from(mem::take(output(&mut encoder)));
            pieces.push(match piece {
                Piece::Base64(_) | Piece::Encoded(_) => Piece::Encoded(bytes),
                Piece::Text(_) | Piece::Repeat(..) => Piece::Text(bytes),
            });
        }
        pieces.push(Piece::Text(Bytes::from(finish(encoder)?)));
        Ok(Self { announced: self.announced, pace: self.pace, ..Self::of(pieces) })
    }

    /// Where one of the documents stands: offset and length.
    pub(crate) fn document(&self, index: usize) -> Option<(u64, u64)> {
        let mut offset = 0;
        let mut documents = self.pieces.iter().filter_map(|piece| {
            let start = offset;
            offset += piece.len();
            let is_document = matches!(piece, Piece::Base64(_) | Piece::Encoded(_));
            is_document.then(|| (start, piece.len()))
        });
        documents.nth(index)
    }

    /// Whether the length is announced before the first byte.
    pub(crate) fn is_announced(&self) -> bool {
        self.announced
    }

    /// Ends the body after `length` bytes, as if it had never been longer.
    pub(crate) fn truncate(&mut self, length: u64) {
        self.left = self.left.min(length);
    }

    /// Sends the body with chunked transfer coding.
    pub(crate) fn unannounced(&mut self) {
        self.announced = false;
    }

    /// Sends the body slowly.
    pub(crate) fn slow(&mut self, pace: Pace) {
        self.pace = Some(pace);
    }

    fn next_step(&mut self) -> Option<Bytes> {
        let limit = self.pace.map_or(usize::MAX, |pace| pace.step.max(1));
        while self.left > 0 {
            let piece = self.pieces.front_mut()?;
            if piece.len() == 0 {
                self.pieces.pop_front();
                continue;
            }
            let mut bytes = piece.step(limit);
            if bytes.len() as u64 > self.left {
                bytes.truncate(usize::try_from(self.left).unwrap_or(usize::MAX));
            }
            self.left -= bytes.len() as u64;
            return Some(bytes);
        }
        None
    }
}

impl From<Bytes> for AnswerBody {
    fn from(bytes: Bytes) -> Self {
        Self::of([Piece::Text(bytes)])
    }
}

impl Body for AnswerBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if let Some(waiting) = self.waiting.as_mut() {
            if waiting.as_mut().poll(context).is_pending() {
                return Poll::Pending;
            }
            self.waiting = None;
        }
        let step = self.next_step();
        if let (Some(pace), Some(_)) = (self.pace, &step) {
            self.waiting = Some(Box::pin(sleep(pace.pause)));
        }
        Poll::Ready(step.map(|bytes| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        self.left == 0
    }

    fn size_hint(&self) -> SizeHint {
        if self.announced { SizeHint::with_exact(self.left) } else { SizeHint::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drain(mut body: AnswerBody) -> Vec<u8> {
        let mut out = Vec::new();
        while let Some(step) = body.next_step() {
            assert!(!step.is_empty());
            out.extend_from_slice(&step);
        }
        assert_eq!(body.len(), 0);
        out
    }

    #[test]
    fn pieces_come_out_in_order_and_length_is_exact() {
        let data: Vec<u8> = (0..200_001_u32).map(|n| n as u8).collect();
        let make = || {
            AnswerBody::of([
                Piece::Text(Bytes::from_static(b"[\"")),
                Piece::Base64(Bytes::from(data.clone())),
                Piece::Text(Bytes::new()),
                Piece::Repeat(b' ', 70_000),
                Piece::Text(Bytes::from_static(b"\"]")),
            ])
        };
        let expected =
            format!("[\"{}{}\"]", STANDARD.encode(&data), " ".repeat(70_000)).into_bytes();
        assert_eq!(make().len(), expected.len() as u64);
        assert_eq!(drain(make()), expected);

        let mut slow = make();
        slow.slow(Pace { step: 1000, pause: Duration::ZERO });
        assert_eq!(drain(slow), expected);

        for length in [0, 1, 2, 3, 100, 65_538, 65_539] {
            let mut short = make();
            short.truncate(length);
            assert_eq!(drain(short), expected[..length as usize]);
        }
    }
}
