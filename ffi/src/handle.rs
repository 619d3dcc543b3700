//! What stands behind the opaque pointers: a value with a word before it that tells its kind.

use std::sync::atomic::{AtomicU64, Ordering};

use signdoc_core::{Code, Error, Result};

/// A type that C knows by a pointer alone.
pub(crate) trait Handle {
    /// What a pointer of this type leads to.
    type Value;
    /// The kind's word in memory.
    const TAG: u64;
    /// The kind's name in C.
    const KIND: &'static str;
}

/// Stands where the tag stood once the handle is freed.
const FREED: u64 = u64::from_le_bytes(*b"sd-freed");

/// The tag comes first in every kind, so a pointer to any of them can be asked what it is.
#[repr(C)]
struct Tagged<T> {
    tag: AtomicU64,
    lent: bool,
    value: T,
}

fn make<H: Handle>(value: H::Value, lent: bool) -> *mut H {
    Box::into_raw(Box::new(Tagged { tag: AtomicU64::new(H::TAG), lent, value })).cast()
}

/// A handle that belongs to the caller from now on.
pub(crate) fn new<H: Handle>(value: H::Value) -> *mut H {
    make(value, false)
}

/// The value behind a handle.
///
/// # Safety
/// `pointer` is NULL or leads to at least one word that may be read; where that word is the tag of
/// a kind, to a live handle of that kind. Nobody frees it during `'a`.
pub(crate) unsafe fn get<'a, H: Handle>(pointer: *const H, argument: &str) -> Result<&'a H::Value> {
    if pointer.is_null() {
        return Err(null(argument, H::KIND));
    }
    let tag = pointer.cast::<AtomicU64>();
    // SAFETY: not NULL, aligned, and a readable word by the contract above.
    if !tag.is_aligned() || unsafe { &*tag }.load(Ordering::Acquire) != H::TAG {
        return Err(wrong_kind(argument, H::KIND));
    }
    // SAFETY: the tag says that this is a live `Tagged<H::Value>`.
    Ok(unsafe { &(*pointer.cast::<Tagged<H::Value>>()).value })
}

/// Frees a handle; NULL, other kinds and what is only lent are left alone.
///
/// # Safety
/// As [`get`], and nobody else uses the handle now or later.
pub(crate) unsafe fn free<H: Handle>(pointer: *mut H) {
    let tagged = pointer.cast::<Tagged<H::Value>>();
    if tagged.is_null() || !tagged.is_aligned() {
        return;
    }
    // SAFETY: a readable word by the contract above.
    let tag = unsafe { &*tagged.cast::<AtomicU64>() };
    // SAFETY: `lent` is read only where the tag says that this is a live `Tagged<H::Value>`.
    if tag.load(Ordering::Acquire) != H::TAG || unsafe { (*tagged).lent } {
        return;
    }
    // Of two threads that free the same handle at once, one gets through.
    if tag.compare_exchange(H::TAG, FREED, Ordering::AcqRel, Ordering::Relaxed).is_ok() {
        // SAFETY: made by `make` and, since the tag was still there, not freed before.
        drop(unsafe { Box::from_raw(tagged) });
    }
}

/// A handle inside another object, which frees it; callers may look at it only.
pub(crate) struct Lent<H: Handle>(*mut H);

// SAFETY: owns its value like a `Box` does, and hands out shared references alone.
unsafe impl<H: Handle> Send for Lent<H> where H::Value: Send {}
// SAFETY: as above.
unsafe impl<H: Handle> Sync for Lent<H> where H::Value: Sync {}

impl<H: Handle> Lent<H> {
    pub(crate) fn new(value: H::Value) -> Self {
        Self(make(value, true))
    }

    pub(crate) fn pointer(&self) -> *const H {
        self.0
    }
}

impl<H: Handle> Drop for Lent<H> {
    fn drop(&mut self) {
        let tagged = self.0.cast::<Tagged<H::Value>>();
        // SAFETY: made by `make` in `new`; callers cannot free what is lent.
        let tagged = unsafe { Box::from_raw(tagged) };
        tagged.tag.store(FREED, Ordering::Release);
    }
}

pub(crate) fn null(argument: &str, kind: &str) -> Error {
    Error::new(Code::NullPointer, format!("{argument} is NULL; pass a {kind}"))
}

fn wrong_kind(argument: &str, kind: &str) -> Error {
    Error::new(
        Code::InvalidHandle,
        format!("{argument} is no live {kind}: it is of another kind or was freed already"),
    )
}
