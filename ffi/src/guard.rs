//! The one way into the library: no panic gets past it, and what the caller gives is checked here.

use std::any::Any;
use std::ffi::{CStr, c_char};
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};

use signdoc_core::{Code, Error, Result};

use crate::error::signdoc_error;
use crate::handle::{self, Handle};

static PANICS: AtomicU64 = AtomicU64::new(0);

/// How many panics were stopped so far in this process.
pub(crate) fn panics() -> u64 {
    PANICS.load(Ordering::Relaxed)
}

/// A call from C while it is under way.
pub(crate) struct Entry {
    function: &'static str,
}

impl Entry {
    /// Opens the function of this name.
    ///
    /// # Safety
    /// All pointers that are given to the methods of this entry come from the C caller, who keeps
    /// the rules at the top of the header: each is NULL or leads to what its type says, and stays
    /// so until the function returns.
    pub(crate) unsafe fn new(function: &'static str) -> Self {
        Self { function }
    }

    /// Runs the body of a function that can fail: gives its code, and the error to who asks.
    pub(crate) fn status(
        self,
        error: *mut *mut signdoc_error,
        body: impl FnOnce(&Self) -> Result<()>,
    ) -> i32 {
        let failure = match self.run(body) {
            Ok(()) => return Code::Ok.number(),
            Err(failure) => failure,
        };
        let code = failure.code();
        match stopping_panics(|| self.report(error, failure)) {
            Ok(()) => code.number(),
            Err(_) => Code::Panic.number(),
        }
    }

    /// Runs the body of a function that cannot fail: gives `otherwise` where it does.
    pub(crate) fn get<T>(self, otherwise: T, body: impl FnOnce(&Self) -> Result<T>) -> T {
        self.run(body).unwrap_or(otherwise)
    }

    /// Runs the body of a function that gives a code without an error object.
    pub(crate) fn code(self, body: impl FnOnce(&Self) -> Result<i32>) -> i32 {
        self.run(body).unwrap_or_else(|failure| failure.code().number())
    }

    fn run<T>(&self, body: impl FnOnce(&Self) -> Result<T>) -> Result<T> {
        let ran = stopping_panics(|| {
            #[cfg(feature = "panic-hook")]
            hook(self.function);
            body(self)
        });
        ran.unwrap_or_else(|fault| {
            Err(Error::new(
                Code::Panic,
                format!("{} stopped a fault inside the library: {fault}", self.function),
            ))
        })
    }

    fn report(&self, slot: *mut *mut signdoc_error, failure: Error) {
        if !slot.is_null() {
            // SAFETY: not NULL, so it is a place for a pointer by the contract of `new`.
            unsafe { slot.write(crate::error::new(failure)) };
        }
    }

    /// The value behind a handle.
    pub(crate) fn handle<H: Handle>(&self, pointer: *const H, argument: &str) -> Result<&H::Value> {
        // SAFETY: by the contract of `new`; the reference does not outlive the call.
        unsafe { handle::get(pointer, argument) }
    }

    /// The value behind a handle that may be left out.
    pub(crate) fn optional<H: Handle>(
        &self,
        pointer: *const H,
        argument: &str,
    ) -> Result<Option<&H::Value>> {
        if pointer.is_null() { Ok(None) } else { self.handle(pointer, argument).map(Some) }
    }

    /// Frees a handle.
    pub(crate) fn free<H: Handle>(&self, pointer: *mut H) {
        // SAFETY: by the contract of `new`.
        unsafe { handle::free(pointer) }
    }

    /// A text of the caller's.
    pub(crate) fn text(&self, pointer: *const c_char, argument: &str) -> Result<&str> {
        if pointer.is_null() {
            return Err(handle::null(argument, "text in UTF-8, ended by a zero byte"));
        }
        // SAFETY: not NULL, so it is a text ended by a zero byte by the contract of `new`.
        let bytes = unsafe { CStr::from_ptr(pointer) };
        bytes.to_str().map_err(|wrong| {
            let at = wrong.valid_up_to();
            Error::new(
                Code::InvalidUtf8,
                format!("{argument} is not valid UTF-8 from its byte {at} on; encode it as UTF-8"),
            )
        })
    }

    /// A text that may be left out.
    pub(crate) fn optional_text(
        &self,
        pointer: *const c_char,
        argument: &str,
    ) -> Result<Option<&str>> {
        if pointer.is_null() { Ok(None) } else { self.text(pointer, argument).map(Some) }
    }

    /// Bytes of the caller's.
    pub(crate) fn bytes(&self, pointer: *const u8, len: usize, argument: &str) -> Result<&[u8]> {
        if pointer.is_null() {
            return Err(handle::null(argument, "pointer to the bytes"));
        }
        // SAFETY: not NULL, so as many bytes as the caller says are there by the contract of `new`.
        Ok(unsafe { std::slice::from_raw_parts(pointer, len) })
    }

    /// A place for a result. Taken before the work is done, so that no result is without a place.
    pub(crate) fn place<T>(&self, pointer: *mut T, argument: &str) -> Result<Place<'_, T>> {
        if pointer.is_null() {
            return Err(handle::null(argument, "place for the result"));
        }
        Ok(Place { pointer, _entry: self })
    }
}

/// Where a result goes.
pub(crate) struct Place<'a, T> {
    pointer: *mut T,
    _entry: &'a Entry,
}

impl<T> Place<'_, T> {
    /// Puts the result there.
    pub(crate) fn put(self, value: T) {
        // SAFETY: not NULL, so it is a place for a `T` by the contract of `Entry::new`.
        unsafe { self.pointer.write(value) };
    }

    /// Puts another value there and gives what was there, which the caller had filled.
    pub(crate) fn replace(self, value: T) -> T {
        // SAFETY: as in `put`, and it holds a value: only places of the caller's are replaced.
        unsafe { self.pointer.replace(value) }
    }
}

fn stopping_panics<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    // What a panic leaves half done lies behind locks, whose poison is looked through on purpose.
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| {
        PANICS.fetch_add(1, Ordering::Relaxed);
        let text = said(payload.as_ref());
        // Dropping a payload may panic as well; that one is left alone.
        if let Err(second) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
            mem::forget(second);
        }
        text
    })
}

fn said(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("no reason given").to_owned()
}

#[cfg(feature = "panic-hook")]
#[expect(clippy::panic, reason = "panicking is what the hook is for")]
fn hook(function: &str) {
    let asked = std::env::var_os("SIGNDOC_PANIC_IN");
    if asked.is_some_and(|name| name == function) {
        panic!("asked to panic in {function}");
    }
}
