//! Memory of Python objects, lent to calls without a copy.

use std::ops::Range;
use std::slice;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use pyo3::buffer::PyUntypedBuffer;
use pyo3::exceptions::PyBufferError;
use pyo3::prelude::*;

/// Buffers that calls have borrowed, numbered in the order in which they were lent.
///
/// The client may hold on to a document a little longer than the call lasts, on its own threads,
/// which must not touch Python objects. So the last reference is always here or on the caller's
/// stack, and is given back by a thread that is attached.
static LENT: Mutex<Lent> = Mutex::new(Lent { next: 0, buffers: Vec::new() });

/// Told when a call has let go of a buffer.
static LET_GO: Condvar = Condvar::new();

/// How long a call that failed may take to let go of memory that its owner may want to change.
const PATIENCE: Duration = Duration::from_millis(30);

struct Lent {
    next: u64,
    buffers: Vec<(u64, Arc<PyUntypedBuffer>)>,
}

fn lent() -> MutexGuard<'static, Lent> {
    LENT.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Borrowed(Option<Arc<PyUntypedBuffer>>);

impl Drop for Borrowed {
    fn drop(&mut self) {
        let _lent = lent();
        self.0 = None;
        LET_GO.notify_all();
    }
}

impl AsRef<[u8]> for Borrowed {
    fn as_ref(&self) -> &[u8] {
        let Some(buffer) = &self.0 else { return &[] };
        let (start, len) = (buffer.buf_ptr(), buffer.len_bytes());
        if start.is_null() || len == 0 {
            return &[];
        }
        // SAFETY: the exporter keeps `len` bytes from `start` on where they are until the buffer
        // is released, which its last owner does; `borrow` has seen to it that they are one piece.
        // That nobody writes to them meanwhile is the caller's part, as it is for the standard
        // library's own calls that let go of the interpreter, and the documentation says so.
        unsafe { slice::from_raw_parts(start.cast::<u8>(), len) }
    }
}

/// The bytes of an object with the buffer protocol, which is not copied.
pub(crate) fn borrow(object: &Bound<'_, PyAny>) -> PyResult<Bytes> {
    let buffer = PyUntypedBuffer::get(object)?;
    if !buffer.is_c_contiguous() {
        return Err(PyBufferError::new_err("the buffer is not in one piece"));
    }
    let buffer = Arc::new(buffer);
    {
        let mut lent = lent();
        let number = lent.next;
        lent.next += 1;
        lent.buffers.push((number, buffer.clone()));
    }
    Ok(Bytes::from_owner(Borrowed(Some(buffer))))
}

/// The number of the buffer that is lent next.
pub(crate) fn next_number() -> u64 {
    lent().next
}

/// Gives back the buffers that no call uses any more. To be called while attached.
pub(crate) fn give_back(_attached: Python<'_>) {
    let done = {
        let mut lent = lent();
        let (kept, done): (Vec<_>, Vec<_>) =
            lent.buffers.drain(..).partition(|(_, buffer)| Arc::strong_count(buffer) > 1);
        lent.buffers = kept;
        done
    };
    drop(done);
}

/// As [`give_back`], for a call that is over: the owner of memory that can change, such as a
/// `bytearray`, wants to use it again at once.
pub(crate) fn give_back_all(py: Python<'_>, numbers: &Range<u64>) {
    let is_used = |lent: &mut Lent| {
        lent.buffers.iter().any(|(number, buffer)| {
            numbers.contains(number) && !buffer.readonly() && Arc::strong_count(buffer) > 1
        })
    };
    if is_used(&mut lent()) {
        py.detach(|| {
            let waited = LET_GO.wait_timeout_while(lent(), PATIENCE, is_used);
            drop(waited);
        });
    }
    give_back(py);
}
