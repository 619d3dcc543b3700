//! `signdoc_call`: watching and ending a call from another thread.

use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use signdoc_core::{CallOptions, Progress};

use crate::error::signdoc_error;
use crate::guard::Entry;
use crate::handle::{self, Handle};

/// A view of one call under way, for other threads and signal handlers: they may end the call and
/// see how far it is. Optional; given to a function that waits, and used for one call at a time.
/// Freed with signdoc_call_free after that function has returned.
pub struct signdoc_call {
    _opaque: [u8; 0],
}

#[derive(Default)]
pub(crate) struct Watch {
    cancelled: AtomicBool,
    progress: Progress,
}

impl Handle for signdoc_call {
    type Value = Watch;
    const TAG: u64 = u64::from_le_bytes(*b"sd-call-");
    const KIND: &'static str = "signdoc_call";
}

/// The settings of a call: its time limit (0: the client's) and where its progress shows.
pub(crate) fn settings(timeout_ms: u64, watch: Option<&Watch>) -> CallOptions {
    CallOptions {
        timeout: (timeout_ms > 0).then(|| Duration::from_millis(timeout_ms)),
        progress: watch.map(|watch| watch.progress.clone()).unwrap_or_default(),
        ..CallOptions::default()
    }
}

impl Watch {
    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Acquire)
    }
}

/// A view of a call. NULL only where the library stopped a fault inside itself.
#[unsafe(no_mangle)]
pub extern "C" fn signdoc_call_new() -> *mut signdoc_call {
    // SAFETY: there is no pointer.
    unsafe { Entry::new("signdoc_call_new") }
        .get(ptr::null_mut(), |_| Ok(handle::new(Watch::default())))
}

/// Ends the call that was given this view: it returns SIGNDOC_E_CANCELLED within 100 milliseconds,
/// unless its result is there already. A call that starts later with this view ends at once. From
/// any thread, and from a signal handler. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_call_cancel(call: *mut signdoc_call) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_call_cancel") }.get((), |entry| {
        if let Some(watch) = entry.optional(call, "call")? {
            watch.cancelled.store(true, Ordering::Release);
        }
        Ok(())
    });
}

/// How far the call is, in bytes of the request and answer bodies. `to_send` gets the size of the
/// request (0 until it starts), `sent` what the connection took so far (from 0 again where the
/// request is repeated), `received` what came back so far. Each of the three may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_call_progress(
    call: *const signdoc_call,
    to_send: *mut u64,
    sent: *mut u64,
    received: *mut u64,
    error: *mut *mut signdoc_error,
) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_call_progress") }.status(error, |entry| {
        let progress = &entry.handle(call, "call")?.progress;
        let counters = [
            (to_send, progress.to_send()),
            (sent, progress.sent()),
            (received, progress.received()),
        ];
        for (pointer, value) in counters {
            if let Ok(place) = entry.place(pointer, "counter") {
                place.put(value);
            }
        }
        Ok(())
    })
}

/// Frees a view of a call. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_call_free(call: *mut signdoc_call) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_call_free") }.get((), |entry| {
        entry.free(call);
        Ok(())
    });
}
