//! The caller's memory, used without a copy and given back before the call returns.

use std::convert::Infallible;
use std::slice;
use std::sync::Arc;

use bytes::Bytes;
use signdoc_core::engine::{Bringer, Slot};

/// Keeps the caller waiting, when dropped, until nobody holds the lent memory any more.
///
/// A call that ended early (time limit, cancelled) may leave its request with the connection for
/// another moment, on another thread. The caller is free to reuse the memory once it is back, so
/// that moment is waited for.
pub(crate) struct Loan {
    open: Option<Arc<Bringer<Infallible>>>,
    given_back: Arc<Slot<Infallible>>,
}

impl Loan {
    pub(crate) fn new() -> Self {
        let (given_back, open) = Slot::new();
        Self { open: Some(Arc::new(open)), given_back }
    }

    /// The memory as bytes that may be handed around.
    ///
    /// # Safety
    /// `len` bytes may be read from `pointer` (NULL only where `len` is 0) and do not change until
    /// this loan is dropped.
    pub(crate) unsafe fn lend(&self, pointer: *const u8, len: usize) -> Bytes {
        match &self.open {
            Some(open) if len > 0 => Bytes::from_owner(Lent { pointer, len, _open: open.clone() }),
            _ => Bytes::new(),
        }
    }
}

impl Drop for Loan {
    fn drop(&mut self) {
        self.open = None;
        // Ends with an error as soon as the last loan is gone; nothing is ever brought.
        let _ = self.given_back.wait();
    }
}

struct Lent {
    pointer: *const u8,
    len: usize,
    _open: Arc<Bringer<Infallible>>,
}

// SAFETY: the memory is only read, and stays until the last of these is dropped.
unsafe impl Send for Lent {}
// SAFETY: as above.
unsafe impl Sync for Lent {}

impl AsRef<[u8]> for Lent {
    fn as_ref(&self) -> &[u8] {
        // SAFETY: by the contract of `Loan::lend`; `Loan::drop` waits for this value to be gone.
        unsafe { slice::from_raw_parts(self.pointer, self.len) }
    }
}
