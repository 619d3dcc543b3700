//! `signdoc_options`: the same keys as everywhere.

use std::ffi::c_char;
use std::ptr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};
use signdoc_core::ConfigBuilder;
use signdoc_core::config::{OPTIONS, OptionSpec};

use crate::error::signdoc_error;
use crate::guard::Entry;
use crate::handle::{self, Handle};
use crate::view::signdoc_buffer;

/// The options of a client, as texts under their keys: "issuer", "client_id" and "client_secret" at
/// least, "base_url", "timeout" and all others that signdoc_option_table_json describes. Freed with
/// signdoc_options_free; one object may serve for many clients.
pub struct signdoc_options {
    _opaque: [u8; 0],
}

impl Handle for signdoc_options {
    type Value = Mutex<ConfigBuilder>;
    const TAG: u64 = u64::from_le_bytes(*b"sd-optio");
    const KIND: &'static str = "signdoc_options";
}

pub(crate) fn locked<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Options without any value. NULL only where the library stopped a fault inside itself.
#[unsafe(no_mangle)]
pub extern "C" fn signdoc_options_new() -> *mut signdoc_options {
    // SAFETY: there is no pointer.
    unsafe { Entry::new("signdoc_options_new") }
        .get(ptr::null_mut(), |_| Ok(handle::new(Mutex::default())))
}

/// Sets one option. Values are texts also where they mean numbers ("2.5") or truth ("true"); times
/// are in seconds. An empty value unsets the option. Values are checked when a client is made.
///
/// SIGNDOC_E_INVALID_OPTION where no option has this key; the message lists them all.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_options_set(
    options: *mut signdoc_options,
    key: *const c_char,
    value: *const c_char,
    error: *mut *mut signdoc_error,
) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_options_set") }.status(error, |entry| {
        let options = entry.handle(options, "options")?;
        let (key, value) = (entry.text(key, "key")?, entry.text(value, "value")?);
        locked(options).set(key, value)?;
        Ok(())
    })
}

/// Takes every option that is not set yet from the environment: SIGNDOC_ISSUER,
/// SIGNDOC_CLIENT_ID and so on. A secret may also stand in a file: SIGNDOC_CLIENT_SECRET_FILE
/// names it.
///
/// SIGNDOC_E_INVALID_OPTION where such a file cannot be read or a variable is not UTF-8. No other
/// thread may change the environment meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_options_from_env(
    options: *mut signdoc_options,
    error: *mut *mut signdoc_error,
) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_options_from_env") }.status(error, |entry| {
        locked(entry.handle(options, "options")?).env()?;
        Ok(())
    })
}

/// All options there are as a JSON array: objects with "key", "env" (the name of the environment
/// variable), "secret" (whether the value is never shown) and "help". `*out` is freed with
/// signdoc_buffer_free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_option_table_json(
    out: *mut signdoc_buffer,
    error: *mut *mut signdoc_error,
) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_option_table_json") }.status(error, |entry| {
        let out = entry.place(out, "out")?;
        out.put(signdoc_buffer::of(Value::Array(OPTIONS.iter().map(row).collect()).to_string()));
        Ok(())
    })
}

fn row(option: &OptionSpec) -> Value {
    let OptionSpec { key, secret, help } = option;
    json!({"key": key, "env": option.env(), "secret": secret, "help": help})
}

/// Frees options; clients made from them go on. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_options_free(options: *mut signdoc_options) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_options_free") }.get((), |entry| {
        entry.free(options);
        Ok(())
    });
}
