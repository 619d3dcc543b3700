//! `signdoc_csc_request`: how hashes and PDFs are signed through the credential-based interface.

use std::ffi::c_char;
use std::ptr;
use std::sync::Mutex;

use signdoc_core::csc::{
    CscLoginOptions, HashAlgorithm, HashesToSign, Padding, PdfToSign, SignPdfOptions,
    hash_algorithm,
};
use signdoc_core::pdf::sign::Seal;
use signdoc_core::{CallOptions, Document, Result};

use crate::error::signdoc_error;
use crate::guard::Entry;
use crate::handle::{self, Handle};
use crate::options::locked;
use crate::order_request::{truth, unknown_key};

/// How hashes and PDFs are signed. Freed with signdoc_csc_request_free; may be used for many
/// sessions.
pub struct signdoc_csc_request {
    _opaque: [u8; 0],
}

#[derive(Clone, Default)]
pub(crate) struct Request {
    lang: Option<String>,
    description: Option<String>,
    hash_algorithm: Option<HashAlgorithm>,
    credential_id: Option<String>,
    padding: Option<Padding>,
    pub overwrite: bool,
    field_name: Option<String>,
    reason: Option<String>,
    location: Option<String>,
    contact_info: Option<String>,
    name: Option<String>,
    seal: Option<Seal>,
}

impl Handle for signdoc_csc_request {
    type Value = Mutex<Request>;
    const TAG: u64 = u64::from_le_bytes(*b"sd-cscrq");
    const KIND: &'static str = "signdoc_csc_request";
}

const KEYS: &str = "lang, description, hash_algorithm, credential_id, padding, overwrite, field_name, reason, location, contact_info, name";

impl Request {
    fn set(&mut self, key: &str, value: &str) -> Result<()> {
        let text = Some(value.to_owned());
        match key {
            "lang" => self.lang = text,
            "description" => self.description = text,
            "hash_algorithm" => self.hash_algorithm = Some(hash_algorithm(value)?),
            "credential_id" => self.credential_id = text,
            "padding" => self.padding = Some(Padding::named(value)?),
            "overwrite" => self.overwrite = truth(key, value)?,
            "field_name" => self.field_name = text,
            "reason" => self.reason = text,
            "location" => self.location = text,
            "contact_info" => self.contact_info = text,
            "name" => self.name = text,
            _ => return Err(unknown_key(key, KEYS)),
        }
        Ok(())
    }

    pub(crate) fn login(self) -> CscLoginOptions {
        CscLoginOptions { lang: self.lang, description: self.description }
    }

    pub(crate) fn hashes(self, hashes: Vec<Vec<u8>>) -> HashesToSign {
        let algorithm = self.hash_algorithm.unwrap_or(HashAlgorithm::Sha256);
        let mut request = HashesToSign::new(hashes, algorithm);
        request.credential_id = self.credential_id;
        request.padding = self.padding;
        request.description = self.description;
        request
    }

    pub(crate) fn pdf(&self, document: Document) -> PdfToSign {
        let mut pdf = PdfToSign::new(document);
        pdf.overwrite = self.overwrite;
        let options = &mut pdf.options;
        options.field_name.clone_from(&self.field_name);
        options.reason.clone_from(&self.reason);
        options.location.clone_from(&self.location);
        options.contact_info.clone_from(&self.contact_info);
        options.name.clone_from(&self.name);
        options.seal.clone_from(&self.seal);
        pdf
    }

    pub(crate) fn options(self, call: CallOptions) -> SignPdfOptions {
        SignPdfOptions {
            hash_algorithm: self.hash_algorithm,
            credential_id: self.credential_id,
            padding: self.padding,
            description: self.description,
            call,
            ..SignPdfOptions::default()
        }
    }
}

/// A request of which nothing is set: SHA-256, the user's first credential, invisible signatures.
/// NULL only where the library stopped a fault inside itself.
#[unsafe(no_mangle)]
pub extern "C" fn signdoc_csc_request_new() -> *mut signdoc_csc_request {
    // SAFETY: there is no pointer.
    unsafe { Entry::new("signdoc_csc_request_new") }
        .get(ptr::null_mut(), |_| Ok(handle::new(Mutex::default())))
}

/// Sets one property.
///
/// "lang": language of the login pages, "nb", "nn" or "en". "description": what the user is asked
/// to agree to, at most 500 characters. "hash_algorithm": "sha256", "sha384" or "sha512".
/// "credential_id": which credential. "padding": how an RSA key signs, "pkcs1" or "pss". For PDFs:
/// "overwrite" ("true" or "false": whether existing files are replaced), "field_name" (an empty
/// signature field to fill), "reason", "location", "contact_info", "name" (the signer's; the
/// certificate's where it is not set).
///
/// SIGNDOC_E_INVALID_ARGUMENT for another key, and for a value that is none;
/// SIGNDOC_E_CSC_INVALID_HASH_ALGORITHM for another hash function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_csc_request_set(
    request: *mut signdoc_csc_request,
    property: *const c_char,
    value: *const c_char,
    error: *mut *mut signdoc_error,
) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_csc_request_set") }.status(error, |entry| {
        let request = entry.handle(request, "request")?;
        let (key, value) = (entry.text(property, "property")?, entry.text(value, "value")?);
        locked(request).set(key, value)
    })
}

/// Gives the PDFs a visible seal: `x` points from the left edge of the page as it is shown, `y`
/// points from its upper edge down, on `page` from 1, `width` by `height` points large; 0 for both
/// takes 180 by 48. It shows the signer's name, the reason and the time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_csc_request_set_seal(
    request: *mut signdoc_csc_request,
    x: f64,
    y: f64,
    page: u32,
    width: f64,
    height: f64,
    error: *mut *mut signdoc_error,
) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_csc_request_set_seal") }.status(error, |entry| {
        let request = entry.handle(request, "request")?;
        let mut seal = Seal { x, y, page, ..Seal::default() };
        if width > 0.0 || height > 0.0 {
            (seal.width, seal.height) = (width, height);
        }
        locked(request).seal = Some(seal);
        Ok(())
    })
}

/// Frees a request; what was begun with it goes on. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_csc_request_free(request: *mut signdoc_csc_request) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_csc_request_free") }.get((), |entry| {
        entry.free(request);
        Ok(())
    });
}
