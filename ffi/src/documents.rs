//! `signdoc_documents`: what is to be converted.

use std::ffi::{c_char, c_void};
use std::ptr;
use std::sync::Mutex;

use signdoc_core::{Code, Document, Error, PadesDocument, Result, SdoDocument};

use crate::call::Watch;
use crate::error::signdoc_error;
use crate::guard::Entry;
use crate::handle::{self, Handle};
use crate::loan::Loan;
use crate::options::locked;
use crate::order_document::Details;
use crate::order_request::only_for_pades;
use crate::reader::{self, signdoc_read_fn};

/// The documents of one call, in order. Freed with signdoc_documents_free; may be used for several
/// calls, except for what signdoc_documents_add_reader added.
pub struct signdoc_documents {
    _opaque: [u8; 0],
}

impl Handle for signdoc_documents {
    type Value = Mutex<Vec<Item>>;
    const TAG: u64 = u64::from_le_bytes(*b"sd-docum");
    const KIND: &'static str = "signdoc_documents";
}

#[derive(Clone)]
pub(crate) struct Item {
    source: Source,
    name: Option<String>,
    allow_signed: bool,
    pub(crate) details: Details,
}

#[derive(Clone)]
enum Source {
    Path(String),
    Memory {
        pointer: *const u8,
        len: usize,
    },
    Reader(reader::Source),
    /// A reader that was read before.
    Spent,
    /// No PDF, but what the details hold.
    Other,
}

/// The documents as they are now, for one call; readers are used up.
pub(crate) fn taken(items: &Mutex<Vec<Item>>) -> Vec<Item> {
    let taken = |item: &mut Item| {
        let taken = item.clone();
        if matches!(item.source, Source::Reader(_)) {
            item.source = Source::Spent;
        }
        taken
    };
    locked(items).iter_mut().map(taken).collect()
}

/// All documents as the core wants them. Memory is lent from the caller until `loan` is dropped;
/// readers are read now, on this thread.
pub(crate) fn of(items: Vec<Item>, loan: &Loan, watch: Option<&Watch>) -> Result<Vec<Document>> {
    let numbered = items.into_iter().enumerate();
    numbered.map(|(index, item)| item.document(index, loan, watch, true)).collect()
}

/// As [`of`], without the limit of conversions.
pub(crate) fn unlimited(
    items: Vec<Item>,
    loan: &Loan,
    watch: Option<&Watch>,
) -> Result<Vec<Document>> {
    let numbered = items.into_iter().enumerate();
    numbered.map(|(index, item)| item.document(index, loan, watch, false)).collect()
}

/// As [`of`], for a PAdES order.
pub(crate) fn pades(
    items: Vec<Item>,
    loan: &Loan,
    watch: Option<&Watch>,
) -> Result<Vec<PadesDocument>> {
    let numbered = items.into_iter().enumerate();
    numbered.map(|(index, item)| item.pades(index, loan, watch)).collect()
}

/// As [`of`], for an order of signed data objects.
pub(crate) fn sdo(
    items: Vec<Item>,
    loan: &Loan,
    watch: Option<&Watch>,
) -> Result<Vec<SdoDocument>> {
    let numbered = items.into_iter().enumerate();
    numbered.map(|(index, item)| item.sdo(index, loan, watch)).collect()
}

/// The item at `index`, to be changed.
pub(crate) fn item_at(items: &mut [Item], index: usize) -> Result<&mut Item> {
    let count = items.len();
    items.get_mut(index).ok_or_else(|| {
        let message = format!("index is {index}, but there are {count} documents");
        Error::new(Code::InvalidArgument, message)
    })
}

/// A file that is named.
pub(crate) fn path(path: &str) -> Item {
    Item::new(Source::Path(path.to_owned()), None)
}

/// A file in the caller's memory.
pub(crate) fn bytes(pointer: *const u8, len: usize) -> Result<Item> {
    Ok(Item::new(memory(pointer, len)?, None))
}

impl Item {
    fn new(source: Source, name: Option<&str>) -> Self {
        let (name, details) = (name.map(str::to_owned), Details::default());
        Self { source, name, allow_signed: false, details }
    }

    /// No PDF, but what these details hold.
    pub(crate) fn of_details(details: Details) -> Self {
        Self { details, ..Self::new(Source::Other, None) }
    }

    /// The document of an order of signed data objects.
    fn sdo(self, index: usize, loan: &Loan, watch: Option<&Watch>) -> Result<SdoDocument> {
        if let Some(field) = self.details.only_pades() {
            return Err(only_for_pades(&format!("documents[{index}].{field}")));
        }
        let Details { description, text, xml, xls, .. } = self.details.clone();
        let pdf = match self.source {
            Source::Other => None,
            _ => Some(self.document(index, loan, watch, false)?),
        };
        Ok(SdoDocument { pdf, text, xml, xls, description })
    }

    /// The document of a PAdES order.
    fn pades(self, index: usize, loan: &Loan, watch: Option<&Watch>) -> Result<PadesDocument> {
        let details = self.details.clone();
        if details.text.is_some() || details.xml.is_some() || details.xls.is_some() {
            return Err(no_pdf(index));
        }
        let pdf = self.document(index, loan, watch, false)?;
        Ok(PadesDocument {
            pdf,
            description: details.description,
            pdf_spec: details.pdf_spec,
            merchant_seal: details.merchant_seal,
            end_user_seal: details.end_user_seal,
            end_user_only: details.end_user_only,
        })
    }

    /// The document as the core wants it, which stands at `index` in the call.
    pub(crate) fn document(
        self,
        index: usize,
        loan: &Loan,
        watch: Option<&Watch>,
        limited: bool,
    ) -> Result<Document> {
        let document = match self.source {
            Source::Path(path) => Document::from_path(path),
            Source::Memory { pointer, len } => {
                // SAFETY: signdoc_documents_add_bytes asks the caller for just that.
                let bytes = unsafe { loan.lend(pointer, len) };
                Document::from_bytes(bytes)
            }
            Source::Reader(source) => source.read(index, None, limited, watch)?,
            Source::Other => return Err(no_pdf(index)),
            Source::Spent => return Err(spent(index)),
        };
        let document = document.allow_signed(self.allow_signed);
        let document = match self.details.pdf_spec {
            Some(spec) => document.pdf_spec(spec),
            None => document,
        };
        Ok(match self.name {
            Some(name) => document.name(name),
            None => document,
        })
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

fn no_pdf(index: usize) -> Error {
    let message = format!(
        "documents[{index}] is not a PDF alone, and only orders of signed data objects take texts and XML"
    );
    Error::new(Code::ContentKind, message)
        .with_detail("field", format!("documents[{index}]"))
        .with_detail("index", index)
}

fn spent(index: usize) -> Error {
    let message = format!(
        "documents[{index}] is given by a function, which an earlier call has read to its end; add it anew"
    );
    Error::new(Code::InvalidArgument, message)
        .with_detail("field", format!("documents[{index}].pdf"))
        .with_detail("index", index)
}

/// Adds a PDF that `function` reads; `context` is handed to it. `len` is how many bytes there are,
/// or below 0 where that is not known. `name`, which may be NULL, is what a result that goes to a
/// folder is named after (without ending).
///
/// The function is called by the thread that makes the call with these documents, and by no other:
/// before anything of the document is sent, to its end, which makes a private temporary file of
/// it, because a request may have to be repeated. That takes none of the call's time limit. It may
/// use the library, but must neither jump out of the call nor let an exception out. A document is
/// read by one call; a later one refuses it with SIGNDOC_E_INVALID_ARGUMENT.
///
/// The call fails with SIGNDOC_E_CALLBACK_FAILED where the function fails, with
/// SIGNDOC_E_DOCUMENT_UNREADABLE where it gives fewer bytes than `len` or more, and with
/// SIGNDOC_E_DOCUMENT_TOO_LARGE before it is called at all where `len` is beyond the limit.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_documents_add_reader(
    documents: *mut signdoc_documents,
    function: signdoc_read_fn,
    context: *mut c_void,
    len: i64,
    name: *const c_char,
    error: *mut *mut signdoc_error,
) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_documents_add_reader") }.status(error, |entry| {
        let documents = entry.handle(documents, "documents")?;
        if function.is_none() {
            return Err(handle::null("function", "function that reads the document"));
        }
        let name = entry.optional_text(name, "name")?;
        let source = reader::Source { function, context, len: u64::try_from(len).ok() };
        locked(documents).push(Item::new(Source::Reader(source), name));
        Ok(())
    })
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
        item_at(&mut items, index)?.allow_signed = allow != 0;
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
