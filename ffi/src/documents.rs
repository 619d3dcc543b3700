//! `signdoc_documents`: what is to be converted.

use std::ffi::{c_char, c_void};
use std::ptr;
use std::sync::Mutex;

use signdoc_core::{Code, Document, Error, Result};

use crate::error::signdoc_error;
use crate::guard::Entry;
use crate::handle::{self, Handle};
use crate::loan::Loan;
use crate::options::locked;

/// The documents of one call, in order. Freed with signdoc_documents_free; may be used for several
/// calls.
pub struct signdoc_documents {
    _opaque: [u8; 0],
}

impl Handle for signdoc_documents {
    type Value = Mutex<Vec<Item>>;
    const TAG: u64 = u64::from_le_bytes(*b"sd-docum");
    const KIND: &'static str = "signdoc_documents";
}

pub(crate) struct Item {
    source: Source,
    name: Option<String>,
    allow_signed: bool,
}

enum Source {
    Path(String),
    Memory { pointer: *const u8, len: usize },
}

/// The documents as the core wants them. Memory is lent from the caller until `loan` is dropped.
pub(crate) fn of(items: &Mutex<Vec<Item>>, loan: &Loan) -> Vec<Document> {
    locked(items).iter().map(|item| item.document(loan)).collect()
}

impl Item {
    fn new(source: Source, name: Option<&str>) -> Self {
        Self { source, name: name.map(str::to_owned), allow_signed: false }
    }

    fn document(&self, loan: &Loan) -> Document {
        let document = match &self.source {
            Source::Path(path) => Document::from_path(path),
            Source::Memory { pointer, len } => {
                // SAFETY: signdoc_documents_add_bytes asks the caller for just that.
                let bytes = unsafe { loan.lend(*pointer, *len) };
                Document::from_bytes(bytes)
            }
        };
        let document = document.allow_signed(self.allow_signed);
        match &self.name {
            Some(name) => document.name(name),
            None => document,
        }
    }
}

/// A list without documents. NULL only where the library stopped a fault inside itself.
#[unsafe(no_mangle)]
pub extern "C" fn signdoc_documents_new() -> *mut signdoc_documents {
    // SAFETY: there is no pointer.
    unsafe { Entry::new("signdoc_documents_new") }
        .get(ptr::null_mut(), |_| Ok(handle::new(Mutex::default())))
}

/// Adds a PDF file. It is opened and checked when the call is made, and read while it is sent. A
/// result that goes to a folder is named after it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_documents_add_path(
    documents: *mut signdoc_documents,
    path: *const c_char,
    error: *mut *mut signdoc_error,
) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_documents_add_path") }.status(error, |entry| {
        let documents = entry.handle(documents, "documents")?;
        let path = entry.text(path, "path")?;
        locked(documents).push(Item::new(Source::Path(path.to_owned()), None));
        Ok(())
    })
}

/// Adds a PDF of `len` bytes in memory. The bytes are not copied: they must stay as they are until
/// the last call with these documents has returned. `name`, which may be NULL, is what a result
/// that goes to a folder is named after (without ending).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_documents_add_bytes(
    documents: *mut signdoc_documents,
    data: *const c_void,
    len: usize,
    name: *const c_char,
    error: *mut *mut signdoc_error,
) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_documents_add_bytes") }.status(error, |entry| {
        let documents = entry.handle(documents, "documents")?;
        let name = entry.optional_text(name, "name")?;
        let source = memory(data.cast(), len)?;
        locked(documents).push(Item::new(source, name));
        Ok(())
    })
}

fn memory(pointer: *const u8, len: usize) -> Result<Source> {
    if pointer.is_null() && len > 0 {
        return Err(handle::null("data", "pointer to the bytes of the document"));
    }
    if isize::try_from(len).is_err() {
        let message = format!("len is {len}, more than there is memory; pass the number of bytes");
        return Err(Error::new(Code::InvalidArgument, message));
    }
    Ok(Source::Memory { pointer, len })
}

/// How many documents there are; 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_documents_count(documents: *const signdoc_documents) -> usize {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_documents_count") }
        .get(0, |entry| Ok(locked(entry.handle(documents, "documents")?).len()))
}

/// Lets the service convert the document at `index` (from 0) also where it is already signed; the
/// conversion removes the signature. `allow` is 1 or 0; 0 is where it begins. Deprecated by the
/// interface specification.
///
/// SIGNDOC_E_INVALID_ARGUMENT where there is no such document.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_documents_set_allow_signed(
    documents: *mut signdoc_documents,
    index: usize,
    allow: i32,
    error: *mut *mut signdoc_error,
) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_documents_set_allow_signed") }.status(error, |entry| {
        let mut items = locked(entry.handle(documents, "documents")?);
        let count = items.len();
        let item = items.get_mut(index).ok_or_else(|| {
            let message = format!("index is {index}, but there are {count} documents");
            Error::new(Code::InvalidArgument, message)
        })?;
        item.allow_signed = allow != 0;
        Ok(())
    })
}

/// Frees the list; the caller's bytes are left alone. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_documents_free(documents: *mut signdoc_documents) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_documents_free") }.get((), |entry| {
        entry.free(documents);
        Ok(())
    });
}
