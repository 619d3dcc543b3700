//! `signdoc_client`: the client, for any thread and across a fork.

use signdoc_core::Result;
use signdoc_core::engine::Engine;

use crate::error::signdoc_error;
use crate::guard::Entry;
use crate::handle::{self, Handle};
use crate::options::{locked, signdoc_options};

/// A client of the service. Any number of threads may use one at the same time; it keeps
/// connections and tokens between calls. A client that was made before fork() works in the child
/// as well. Freed with signdoc_client_free when no call uses it any more.
pub struct signdoc_client {
    _opaque: [u8; 0],
}

impl Handle for signdoc_client {
    type Value = Engine;
    const TAG: u64 = u64::from_le_bytes(*b"sd-clien");
    const KIND: &'static str = "signdoc_client";
}

/// A client with these options; later changes to them do not matter to it. Nothing is sent yet.
///
/// SIGNDOC_E_MISSING_OPTION, SIGNDOC_E_INVALID_OPTION or SIGNDOC_E_INSECURE_URL, naming the option.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_client_new(
    options: *const signdoc_options,
    out: *mut *mut signdoc_client,
    error: *mut *mut signdoc_error,
) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_client_new") }.status(error, |entry| {
        let options = entry.handle(options, "options")?;
        let out = entry.place(out, "out")?;
        let config = locked(options).build()?;
        out.put(handle::new(Engine::new(config)?));
        Ok(())
    })
}

/// Moves the client's clock away from the system's, by so many milliseconds (negative: into the
/// past). Token expiry and validity windows follow it. For tests, and for hosts whose clock is
/// wrong.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_client_set_clock_offset(
    client: *const signdoc_client,
    offset_ms: i64,
    error: *mut *mut signdoc_error,
) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_client_set_clock_offset") }.status(error, |entry| {
        entry.handle(client, "client")?.set_clock_offset(offset_ms as f64 / 1000.0);
        Ok(())
    })
}

/// Refuses further calls: they fail with SIGNDOC_E_CLIENT_CLOSED. Calls under way end as they
/// would have. May be called more than once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_client_close(
    client: *const signdoc_client,
    error: *mut *mut signdoc_error,
) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_client_close") }.status(error, |entry| -> Result<()> {
        entry.handle(client, "client")?.close();
        Ok(())
    })
}

/// Frees a client with its connections and tokens. No call may be under way. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_client_free(client: *mut signdoc_client) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_client_free") }.get((), |entry| {
        entry.free(client);
        Ok(())
    });
}
