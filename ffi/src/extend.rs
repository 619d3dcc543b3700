//! `signdoc_extend`: long-term proof for a signed PDF.

use std::ffi::{CString, c_char, c_void};
use std::path::PathBuf;
use std::ptr;
use std::sync::Mutex;

use bytes::Bytes;
use signdoc_core::config::ConfigBuilder;
use signdoc_core::engine::Engine;
use signdoc_core::extend::{ExtendOptions, Extended};
use signdoc_core::{Code, Document, Error, Result};

use crate::call::{self, signdoc_call};
use crate::documents::{self, Item, signdoc_documents};
use crate::error::signdoc_error;
use crate::guard::Entry;
use crate::handle::{self, Handle};
use crate::loan::Loan;
use crate::options::{locked, signdoc_options};
use crate::view::{NO_TEXT, or_null, signdoc_view, text};
use crate::wait;

/// How a signed PDF is extended. Freed with signdoc_extend_options_free; may be used for several
/// documents.
pub struct signdoc_extend_options {
    _opaque: [u8; 0],
}

/// An extended PDF, and what was added to it. All texts and bytes belong to it and live as long as
/// it does. Freed with signdoc_extended_free.
pub struct signdoc_extended {
    _opaque: [u8; 0],
}

#[derive(Default)]
pub(crate) struct Asked {
    files: Vec<(String, Item)>,
    words: Vec<(String, String)>,
}

pub(crate) struct Made {
    data: Option<Bytes>,
    path: Option<CString>,
    level: Option<CString>,
    reached: bool,
    json: CString,
}

impl Handle for signdoc_extend_options {
    type Value = Mutex<Asked>;
    const TAG: u64 = u64::from_le_bytes(*b"sd-eopts");
    const KIND: &'static str = "signdoc_extend_options";
}

impl Handle for signdoc_extended {
    type Value = Made;
    const TAG: u64 = u64::from_le_bytes(*b"sd-exted");
    const KIND: &'static str = "signdoc_extended";
}

const FILES: [&str; 4] = ["trust", "timestamp_trust", "certificates", "revocations"];

impl Asked {
    fn put(&mut self, key: &str, item: Item) -> Result<()> {
        if !FILES.contains(&key) {
            let known = FILES.join(", ");
            let message = format!("key is {key:?}, which names no file: use one of {known}");
            return Err(Error::new(Code::InvalidOption, message));
        }
        self.files.push((key.to_owned(), item));
        Ok(())
    }

    fn set(&mut self, key: &str, value: &str) -> Result<()> {
        if FILES.contains(&key) {
            return self.put(key, documents::path(value));
        }
        // Tried on its own, so that a mistake is told where it is made.
        ExtendOptions::default().set(key, value)?;
        self.words.push((key.to_owned(), value.to_owned()));
        Ok(())
    }

    fn options(&self, loan: &Loan) -> Result<ExtendOptions> {
        let opened = |key: &str| -> Result<Vec<Document>> {
            let items = self.files.iter().filter(|(of, _)| of == key);
            documents::unlimited(items.map(|(_, item)| item.clone()).collect(), loan, None)
        };
        let stamps = opened("timestamp_trust")?;
        let mut options = ExtendOptions {
            trust: opened("trust")?,
            timestamp_trust: (!stamps.is_empty()).then_some(stamps),
            certificates: opened("certificates")?,
            revocations: opened("revocations")?,
            ..ExtendOptions::default()
        };
        for (key, value) in &self.words {
            options.set(key, value)?;
        }
        Ok(options)
    }
}

impl Made {
    fn of(made: Extended) -> Self {
        Self {
            path: made.path.as_ref().map(|path| text(&path.to_string_lossy())),
            level: made.level.map(|level| text(level.name())),
            reached: made.is_reached(),
            json: text(&made.to_json().to_string()),
            data: made.data,
        }
    }
}

/// Options for B-LTA that trust nobody and fetch what is needed. NULL only where the library
/// stopped a fault inside itself.
#[unsafe(no_mangle)]
pub extern "C" fn signdoc_extend_options_new() -> *mut signdoc_extend_options {
    // SAFETY: there is no pointer.
    unsafe { Entry::new("signdoc_extend_options_new") }
        .get(ptr::null_mut(), |_| Ok(handle::new(Mutex::default())))
}

/// Sets an option from a text:
///
/// "level": "B-LTA" (default), or "B-LT", which adds a timestamp only where a signature has none.
/// "trust", "timestamp_trust": the path of certificates (PEM or DER) at which chains may end;
/// without any, chains are taken to end where they lead, which a note says. "certificates": the
/// path of certificates that may stand in chains. "revocations": the path of an OCSP answer (DER)
/// or of revocation lists (DER or PEM), asked before anybody else. "fetch": "false" fetches nothing
/// by the addresses in certificates. "overwrite": "true" replaces a file that exists. "at": the
/// time of the extension in seconds since 1970.
///
/// The files add to what was set before, and are opened by signdoc_extend.
/// SIGNDOC_E_INVALID_OPTION for another key, and for a value that it cannot have.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_extend_options_set(
    options: *mut signdoc_extend_options,
    key: *const c_char,
    value: *const c_char,
    error: *mut *mut signdoc_error,
) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_extend_options_set") }.status(error, |entry| {
        let options = entry.handle(options, "options")?;
        let (key, value) = (entry.text(key, "key")?, entry.text(value, "value")?);
        locked(options).set(key, value)
    })
}

/// Gives a file from memory: `key` is "trust", "timestamp_trust", "certificates" or "revocations".
/// The `len` bytes are not copied: they must stay as they are until the last signdoc_extend with
/// these options has returned.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_extend_options_set_bytes(
    options: *mut signdoc_extend_options,
    key: *const c_char,
    data: *const c_void,
    len: usize,
    error: *mut *mut signdoc_error,
) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_extend_options_set_bytes") }.status(error, |entry| {
        let options = entry.handle(options, "options")?;
        let key = entry.text(key, "key")?;
        let item = documents::bytes(data.cast(), len)?;
        locked(options).put(key, item)
    })
}

/// Frees options; the caller's bytes are left alone. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_extend_options_free(options: *mut signdoc_extend_options) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_extend_options_free") }.get((), |entry| {
        entry.free(options);
        Ok(())
    });
}

/// Adds to a signed PDF, which `documents` must hold alone, what its validation needs when its
/// certificates have ended: certificates, OCSP answers and revocation lists, and for B-LTA a
/// document timestamp. A file that has all that is renewed. The bytes of the file stay an untouched
/// prefix; it is verified first, and what is made of it before it is handed out. No account with
/// the service is needed.
///
/// `network`: options of which "tsa_url", the address of a timestamp authority (RFC 3161), and
/// those about connections count; NULL for none. `options` may be NULL. `to_file`: the file to
/// write, complete or not at all, readable by its owner alone; NULL: the result stays in memory.
/// `timeout_ms` and `call` are as in signdoc_convert. `*out` is freed with signdoc_extended_free.
///
/// SIGNDOC_E_MISSING_OPTION without "tsa_url" where a timestamp is needed; SIGNDOC_E_CONTENT_KIND
/// for signed data objects; SIGNDOC_E_SIGNATURE_MISSING and the other codes of verification for a
/// file that does not verify; SIGNDOC_E_DESTINATION_EXISTS and its like; those of the network for
/// the timestamp authority. What else cannot be had is told in signdoc_extended_json.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_extend(
    documents: *const signdoc_documents,
    network: *const signdoc_options,
    options: *const signdoc_extend_options,
    to_file: *const c_char,
    timeout_ms: u64,
    call: *const signdoc_call,
    out: *mut *mut signdoc_extended,
    error: *mut *mut signdoc_error,
) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_extend") }.status(error, |entry| {
        let items = entry.handle(documents, "documents")?;
        let network = entry.optional(network, "network")?;
        let options = entry.optional(options, "options")?;
        let to = entry.optional_text(to_file, "to_file")?.map(PathBuf::from);
        let watch = entry.optional(call, "call")?;
        let out = entry.place(out, "out")?;
        let loan = Loan::new();
        let mut signed = documents::unlimited(documents::taken(items), &loan, watch)?;
        let (count, document) = (signed.len(), signed.pop());
        let Some(document) = document.filter(|_| count == 1) else {
            let message = format!("documents holds {count} files; add the signed PDF alone");
            return Err(Error::new(Code::InvalidArgument, message));
        };
        let mut asked = match options {
            Some(options) => locked(options).options(&loan)?,
            None => ExtendOptions::default(),
        };
        asked.to = to;
        asked.call = call::settings(timeout_ms, watch);
        let config = match network {
            Some(network) => locked(network).build_without_account()?,
            None => ConfigBuilder::default().build_without_account()?,
        };
        let engine = Engine::new(config)?;
        let made = wait::run(&engine, watch, |client| async move {
            client.extend_pdf(&document, &asked).await
        })?;
        out.put(handle::new(Made::of(made)));
        Ok(())
    })
}

/// The extended PDF where it is in memory; else an empty view.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_extended_data(extended: *const signdoc_extended) -> signdoc_view {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_extended_data") }.get(signdoc_view::EMPTY, |entry| {
        let data = entry.handle(extended, "extended")?.data.as_ref();
        Ok(data.map_or(signdoc_view::EMPTY, |data| signdoc_view::of(data)))
    })
}

/// The file it was written to; NULL where it is in memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_extended_path(extended: *const signdoc_extended) -> *const c_char {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_extended_path") }
        .get(ptr::null(), |entry| Ok(or_null(entry.handle(extended, "extended")?.path.as_ref())))
}

/// The PAdES baseline level that all signatures reach, such as "B-LTA"; NULL where one reaches
/// none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_extended_level(
    extended: *const signdoc_extended,
) -> *const c_char {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_extended_level") }
        .get(ptr::null(), |entry| Ok(or_null(entry.handle(extended, "extended")?.level.as_ref())))
}

/// 1 where that is at least the level that was asked for; else 0, for NULL as well.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_extended_reached(extended: *const signdoc_extended) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_extended_reached") }
        .get(0, |entry| Ok(i32::from(entry.handle(extended, "extended")?.reached)))
}

/// All about it as a JSON object: "reached", "level", "asked", "size", "path", "signatures" (each
/// with "field", "before" and "level"), "added" ("kind", "about", "source", "size", "time"),
/// "notes" about what could not be had ("about", "message", "advice"), and "report", what the
/// verification of the extended file found. Never NULL; empty for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_extended_json(extended: *const signdoc_extended) -> *const c_char {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_extended_json") }
        .get(NO_TEXT, |entry| Ok(entry.handle(extended, "extended")?.json.as_ptr()))
}

/// Frees an extended PDF with its bytes and texts; a file stays. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_extended_free(extended: *mut signdoc_extended) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_extended_free") }.get((), |entry| {
        entry.free(extended);
        Ok(())
    });
}
