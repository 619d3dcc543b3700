//! Bytes and texts on their way to C.

use std::ffi::{CString, c_char};
use std::ptr;

use crate::guard::Entry;

/// Bytes that belong to another object and live as long as it does. Not to be freed.
#[repr(C)]
pub struct signdoc_view {
    /// The first byte; NULL where there are none.
    pub ptr: *const u8,
    /// How many bytes there are.
    pub len: usize,
}

impl signdoc_view {
    pub(crate) const EMPTY: Self = Self { ptr: ptr::null(), len: 0 };

    pub(crate) fn of(bytes: &[u8]) -> Self {
        Self { ptr: bytes.as_ptr(), len: bytes.len() }
    }
}

/// Bytes that belong to the caller, to be freed with signdoc_buffer_free. A zero byte that is not
/// counted in `len` follows them, so that a text can be printed as it is.
#[repr(C)]
pub struct signdoc_buffer {
    /// The first byte.
    pub ptr: *mut u8,
    /// How many bytes there are, without the zero byte behind them.
    pub len: usize,
}

impl signdoc_buffer {
    pub(crate) fn of(text: String) -> Self {
        let len = text.len();
        let mut bytes = text.into_bytes();
        bytes.push(0);
        Self { ptr: Box::into_raw(bytes.into_boxed_slice()).cast(), len }
    }
}

/// Frees the bytes of a buffer and empties it. NULL and empty buffers are fine, so a buffer may be
/// freed twice; a copy of the struct may not be.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_buffer_free(buffer: *mut signdoc_buffer) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_buffer_free") }.get((), |entry| {
        let Ok(place) = entry.place(buffer, "buffer") else { return Ok(()) };
        let signdoc_buffer { ptr, len } =
            place.replace(signdoc_buffer { ptr: ptr::null_mut(), len: 0 });
        if !ptr.is_null() {
            let bytes = ptr::slice_from_raw_parts_mut(ptr, len + 1);
            // SAFETY: made by `signdoc_buffer::of` with one byte more than `len`.
            drop(unsafe { Box::from_raw(bytes) });
        }
        Ok(())
    });
}

/// A text as C wants it. A zero byte inside, which only a text of the service could have, becomes
/// the replacement character.
pub(crate) fn text(text: &str) -> CString {
    CString::new(text.replace('\0', "\u{fffd}")).unwrap_or_default()
}

/// The text, or NULL where there is none.
pub(crate) fn or_null(text: Option<&CString>) -> *const c_char {
    text.map_or(ptr::null(), |text| text.as_ptr())
}

/// What functions that never give NULL give instead.
pub(crate) const NO_TEXT: *const c_char = c"".as_ptr();
