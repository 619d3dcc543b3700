//! Window buffers that are used again: fresh pages cost more than the base64 arithmetic.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// Document bytes that one window holds. A multiple of 3, so that windows encode without padding
/// between them, and of the page size, so that files are written in whole pages.
pub const WINDOW: usize = 96 * 1024;

/// Base64 characters of one full [`WINDOW`]; the size of every pooled buffer.
pub const FRAME: usize = WINDOW / 3 * 4;

/// Buffers kept while nobody uses them: at most 1 MiB.
const MAX_IDLE: usize = 8;

/// A shared stock of window buffers. Cloning is cheap and shares the stock.
///
/// One pool per client keeps warm calls free of page faults; [`BufferPool::new`] per call is
/// correct too.
#[derive(Clone, Default)]
pub struct BufferPool {
    idle: Arc<Mutex<Vec<Vec<u8>>>>,
}

impl BufferPool {
    /// An empty pool; buffers are made when first needed.
    pub fn new() -> Self {
        Self::default()
    }

    /// Number of buffers that wait for use.
    pub fn idle(&self) -> usize {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// A buffer of [`FRAME`] bytes with unspecified content. It returns to the pool when dropped.
    pub(crate) fn take(&self) -> Lease {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let buffer = idle.unwrap_or_else(|| vec![0; FRAME]);
        Lease { buffer, filled: 0, pool: self.clone() }
    }
}

impl fmt::Debug for BufferPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BufferPool").field("idle", &self.idle()).finish()
    }
}

/// A pooled buffer and how much of it is filled.
pub(crate) struct Lease {
    buffer: Vec<u8>,
    filled: usize,
    pool: BufferPool,
}

impl Lease {
    /// Bytes that are filled.
    pub(crate) fn filled(&self) -> usize {
        self.filled
    }

    /// Bytes that are free, given that only the first `capacity` may be used.
    pub(crate) fn room(&self, capacity: usize) -> usize {
        capacity.min(self.buffer.len()).saturating_sub(self.filled)
    }

    /// The free rest of the buffer.
    pub(crate) fn free(&mut self) -> &mut [u8] {
        self.buffer.get_mut(self.filled..).unwrap_or_default()
    }

    /// Declares `count` more bytes of the free rest filled.
    pub(crate) fn advance(&mut self, count: usize) {
        self.filled = self.filled.saturating_add(count).min(self.buffer.len());
    }

    /// Copies as much of `bytes` as fits and returns how much that was.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> usize {
        let free = self.free();
        let count = free.len().min(bytes.len());
        if let (Some(to), Some(from)) = (free.get_mut(..count), bytes.get(..count)) {
            to.copy_from_slice(from);
        }
        self.advance(count);
        count
    }

    /// Forgets the content.
    pub(crate) fn clear(&mut self) {
        self.filled = 0;
    }
}

impl AsRef<[u8]> for Lease {
    fn as_ref(&self) -> &[u8] {
        self.buffer.get(..self.filled).unwrap_or_default()
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let mut idle = self.pool.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < MAX_IDLE {
            idle.push(std::mem::take(&mut self.buffer));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_come_back_and_the_stock_is_bounded() {
        let pool = BufferPool::new();
        let leases: Vec<Lease> = (0..20).map(|_| pool.take()).collect();
        assert_eq!(pool.idle(), 0);
        drop(leases);
        assert_eq!(pool.idle(), MAX_IDLE);
        let lease = pool.take();
        assert_eq!(lease.room(FRAME), FRAME);
        assert_eq!(pool.idle(), MAX_IDLE - 1);
    }

    #[test]
    fn a_buffer_takes_what_fits() {
        let pool = BufferPool::new();
        let mut lease = pool.take();
        assert_eq!(lease.push(&vec![7; FRAME - 1]), FRAME - 1);
        assert_eq!(lease.push(&[8, 9]), 1);
        assert_eq!(lease.push(&[9]), 0);
        assert_eq!(lease.as_ref().last(), Some(&8));
        lease.clear();
        assert_eq!(lease.as_ref(), b"");
    }
}
