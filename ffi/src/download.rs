//! `signdoc_download`: the results of an order.

use std::ffi::{CString, c_char};
use std::path::PathBuf;
use std::ptr;

use bytes::Bytes;
use signdoc_core::Download;
use signdoc_core::order::{PadesSigned, SdoSigned};
use signdoc_core::spec::{PadesState, SdoState};

use crate::guard::Entry;
use crate::handle::Handle;
use crate::view::{NO_TEXT, or_null, signdoc_view, text};

/// A part of a result: the signed PDF, or the signed data object.
pub const SIGNDOC_PART_DOCUMENT: i32 = 1;
/// A part of a PAdES result: what signing appended to the PDF.
pub const SIGNDOC_PART_APPENDIX: i32 = 2;
/// A part of a SEID-SDO result: the merchant's signature (CMS).
pub const SIGNDOC_PART_MERCHANT_SIGNATURE: i32 = 3;
/// A part of a SEID-SDO result: the end user's signature (CMS).
pub const SIGNDOC_PART_END_USER_SIGNATURE: i32 = 4;

/// What a download brought, in the order of the documents. All texts and views belong to it and
/// live as long as it does. Freed with signdoc_download_free.
pub struct signdoc_download {
    _opaque: [u8; 0],
}

pub(crate) struct Files {
    sign_id: CString,
    client_id: Option<CString>,
    order_name: Option<CString>,
    order_state: Option<CString>,
    documents: Vec<One>,
    json: CString,
}

/// The order in which parts stand.
const PARTS: [i32; 4] = [
    SIGNDOC_PART_DOCUMENT,
    SIGNDOC_PART_APPENDIX,
    SIGNDOC_PART_MERCHANT_SIGNATURE,
    SIGNDOC_PART_END_USER_SIGNATURE,
];

struct One {
    data: [Option<Bytes>; 4],
    paths: [Option<CString>; 4],
    description: Option<CString>,
    signed_sha256: Option<CString>,
    unsigned_sha256: Option<CString>,
}

impl Handle for signdoc_download {
    type Value = Files;
    const TAG: u64 = u64::from_le_bytes(*b"sd-downl");
    const KIND: &'static str = "signdoc_download";
}

impl Files {
    pub(crate) fn new(download: Download) -> Self {
        let json = text(&download.to_json().to_string());
        let optional = |value: Option<&str>| value.map(text);
        match download {
            Download::Pades(found) => Self {
                sign_id: text(&found.sign_id),
                client_id: None,
                order_name: optional(found.order_name.as_deref()),
                order_state: optional(found.order_state.as_ref().map(PadesState::as_str)),
                documents: found.documents.into_iter().map(One::pades).collect(),
                json,
            },
            Download::Sdo(found) => Self {
                sign_id: text(&found.sign_id),
                client_id: optional(found.client_id.as_deref()),
                order_name: optional(found.order_name.as_deref()),
                order_state: optional(found.order_state.as_ref().map(SdoState::as_str)),
                documents: found.documents.into_iter().map(One::sdo).collect(),
                json,
            },
        }
    }
}

fn shown(path: Option<PathBuf>) -> Option<CString> {
    path.map(|path| text(&path.to_string_lossy()))
}

impl One {
    fn pades(one: PadesSigned) -> Self {
        Self {
            data: [one.data, one.appendix, None, None],
            paths: [shown(one.path), shown(one.appendix_path), None, None],
            description: one.description.as_deref().map(text),
            signed_sha256: one.signed_sha256.as_deref().map(text),
            unsigned_sha256: one.unsigned_sha256.as_deref().map(text),
        }
    }

    fn sdo(one: SdoSigned) -> Self {
        let (merchant, end_user) = (one.merchant_signature_path, one.end_user_signature_path);
        Self {
            data: [one.sdo, None, one.merchant_signature, one.end_user_signature],
            paths: [shown(one.path), None, shown(merchant), shown(end_user)],
            description: None,
            signed_sha256: None,
            unsigned_sha256: one.document_hash.as_deref().map(text),
        }
    }
}

fn of<T>(all: &[T; 4], part: i32) -> Option<&T> {
    all.get(PARTS.iter().position(|known| *known == part)?)
}

/// A text of the whole download.
fn whole(
    entry: Entry,
    download: *const signdoc_download,
    field: impl FnOnce(&Files) -> Option<&CString>,
) -> *const c_char {
    entry.get(ptr::null(), |entry| Ok(or_null(field(entry.handle(download, "download")?))))
}

/// A text of one document.
fn one(
    entry: Entry,
    download: *const signdoc_download,
    index: usize,
    field: impl FnOnce(&One) -> Option<&CString>,
) -> *const c_char {
    entry.get(ptr::null(), |entry| {
        let documents = &entry.handle(download, "download")?.documents;
        Ok(or_null(documents.get(index).and_then(field)))
    })
}

/// How many documents there are; 0 for NULL. The functions below take an `index` from 0 to one
/// less.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_download_count(download: *const signdoc_download) -> usize {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_download_count") }
        .get(0, |entry| Ok(entry.handle(download, "download")?.documents.len()))
}

/// The service's reference of the order. Never NULL; empty for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_download_sign_id(
    download: *const signdoc_download,
) -> *const c_char {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_download_sign_id") }
        .get(NO_TEXT, |entry| Ok(entry.handle(download, "download")?.sign_id.as_ptr()))
}

/// The client the order belongs to (SEID-SDO); NULL where the service did not say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_download_client_id(
    download: *const signdoc_download,
) -> *const c_char {
    // SAFETY: the caller keeps the rules of the header.
    let entry = unsafe { Entry::new("signdoc_download_client_id") };
    whole(entry, download, |files| files.client_id.as_ref())
}

/// The order's name; NULL where the service did not say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_download_order_name(
    download: *const signdoc_download,
) -> *const c_char {
    // SAFETY: the caller keeps the rules of the header.
    let entry = unsafe { Entry::new("signdoc_download_order_name") };
    whole(entry, download, |files| files.order_name.as_ref())
}

/// The order's state when it was downloaded; NULL where the service did not say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_download_order_state(
    download: *const signdoc_download,
) -> *const c_char {
    // SAFETY: the caller keeps the rules of the header.
    let entry = unsafe { Entry::new("signdoc_download_order_state") };
    whole(entry, download, |files| files.order_state.as_ref())
}

/// The bytes of a part (SIGNDOC_PART_...) where the results are in memory, else an empty view.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_download_data(
    download: *const signdoc_download,
    index: usize,
    part: i32,
) -> signdoc_view {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_download_data") }.get(signdoc_view::EMPTY, |entry| {
        let one = entry.handle(download, "download")?.documents.get(index);
        let data = one.and_then(|one| of(&one.data, part)).and_then(Option::as_ref);
        Ok(data.map_or(signdoc_view::EMPTY, |bytes| signdoc_view::of(bytes)))
    })
}

/// Where a part (SIGNDOC_PART_...) was written; NULL where it was not.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_download_path(
    download: *const signdoc_download,
    index: usize,
    part: i32,
) -> *const c_char {
    // SAFETY: the caller keeps the rules of the header.
    let entry = unsafe { Entry::new("signdoc_download_path") };
    one(entry, download, index, |one| of(&one.paths, part).and_then(Option::as_ref))
}

/// The service's description of the document (PAdES); NULL where it gave none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_download_description(
    download: *const signdoc_download,
    index: usize,
) -> *const c_char {
    // SAFETY: the caller keeps the rules of the header.
    let entry = unsafe { Entry::new("signdoc_download_description") };
    one(entry, download, index, |one| one.description.as_ref())
}

/// The SHA-256 that the service states of the signed PDF, in base64; NULL where it states none.
/// The library has compared it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_download_signed_sha256(
    download: *const signdoc_download,
    index: usize,
) -> *const c_char {
    // SAFETY: the caller keeps the rules of the header.
    let entry = unsafe { Entry::new("signdoc_download_signed_sha256") };
    one(entry, download, index, |one| one.signed_sha256.as_ref())
}

/// The SHA-256 that the service states of what was signed, in base64; NULL where it states none.
/// The library has compared it where it knows what was sent.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_download_unsigned_sha256(
    download: *const signdoc_download,
    index: usize,
) -> *const c_char {
    // SAFETY: the caller keeps the rules of the header.
    let entry = unsafe { Entry::new("signdoc_download_unsigned_sha256") };
    one(entry, download, index, |one| one.unsigned_sha256.as_ref())
}

/// All of it as a JSON object, bytes left out. Never NULL; empty for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_download_json(download: *const signdoc_download) -> *const c_char {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_download_json") }
        .get(NO_TEXT, |entry| Ok(entry.handle(download, "download")?.json.as_ptr()))
}

/// Frees a download with its texts and bytes; files stay. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_download_free(download: *mut signdoc_download) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_download_free") }.get((), |entry| {
        entry.free(download);
        Ok(())
    });
}
