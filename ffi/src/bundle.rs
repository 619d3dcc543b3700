//! `signdoc_bundle`: a signed document and its evidence in one file.

use std::ffi::{c_char, c_void};
use std::path::PathBuf;
use std::ptr;
use std::sync::Mutex;

use signdoc_core::bundle::BundleRequest;
use signdoc_core::engine::Engine;
use signdoc_core::{CallOptions, Code, Document, Error, Result};

use crate::documents::{self, Item};
use crate::error::signdoc_error;
use crate::guard::Entry;
use crate::handle::{self, Handle};
use crate::loan::Loan;
use crate::options::locked;
use crate::report::{Report, signdoc_report};

/// What goes into an evidence bundle. Freed with signdoc_bundle_options_free; may be used for
/// several bundles.
pub struct signdoc_bundle_options {
    _opaque: [u8; 0],
}

#[derive(Default)]
pub(crate) struct Held {
    signed: Option<Item>,
    original: Option<Item>,
    evidence: Vec<Item>,
    trust: Vec<Item>,
    timestamp_trust: Vec<Item>,
    options: Vec<(String, String)>,
}

impl Handle for signdoc_bundle_options {
    type Value = Mutex<Held>;
    const TAG: u64 = u64::from_le_bytes(*b"sd-bopts");
    const KIND: &'static str = "signdoc_bundle_options";
}

impl Held {
    /// Puts a file where its key says; false for a key that names none.
    fn put(&mut self, key: &str, item: Item) -> bool {
        match key {
            "signed" => self.signed = Some(item),
            "original" => self.original = Some(item),
            "evidence" => self.evidence.push(item),
            "trust" => self.trust.push(item),
            "timestamp_trust" => self.timestamp_trust.push(item),
            _ => return false,
        }
        true
    }

    fn set(&mut self, key: &str, value: &str) -> Result<()> {
        if self.put(key, documents::path(value)) {
            return Ok(());
        }
        // Tried on its own, so that a mistake is told where it is made.
        let mut tried = BundleRequest::of(Document::from_bytes(""));
        tried.options = self.verification();
        tried.set(key, value)?;
        self.options.push((key.to_owned(), value.to_owned()));
        Ok(())
    }

    /// The options of the verification among those that are set.
    fn verification(&self) -> Vec<(String, String)> {
        let mut told = BundleRequest::of(Document::from_bytes(""));
        for (key, value) in &self.options {
            // Each was accepted when it was set.
            let _ = told.set(key, value);
        }
        told.options
    }

    fn request(&self, to: PathBuf, loan: &Loan) -> Result<BundleRequest> {
        let opened = |items: &[Item]| documents::unlimited(items.to_vec(), loan, None);
        let one = |item: &Option<Item>| -> Result<Option<Document>> {
            Ok(opened(item.as_slice())?.pop())
        };
        let missing = || {
            let message = "signed is not set; name the signed document";
            Error::new(Code::InvalidArgument, message).with_detail("field", "signed")
        };
        let stamps = opened(&self.timestamp_trust)?;
        let mut request = BundleRequest {
            original: one(&self.original)?,
            evidence: opened(&self.evidence)?,
            trust: opened(&self.trust)?,
            timestamp_trust: (!stamps.is_empty()).then_some(stamps),
            ..BundleRequest::of(one(&self.signed)?.ok_or_else(missing)?)
        };
        for (key, value) in &self.options {
            request.set(key, value)?;
        }
        request.to = Some(to);
        Ok(request)
    }
}

/// Options of a bundle without files. NULL only where the library stopped a fault inside itself.
#[unsafe(no_mangle)]
pub extern "C" fn signdoc_bundle_options_new() -> *mut signdoc_bundle_options {
    // SAFETY: there is no pointer.
    unsafe { Entry::new("signdoc_bundle_options_new") }
        .get(ptr::null_mut(), |_| Ok(handle::new(Mutex::default())))
}

/// Sets an option from a text:
///
/// "signed": the path of the signed PDF or SEID-SDO file, which must be set. "original": that of
/// what was sent. "evidence": of certificates, an OCSP answer or a list of revoked certificates.
/// "trust", "timestamp_trust": of certificates (PEM or DER) at which chains may end, for the report.
/// "order": what the service said of the order, a JSON object; its "signed_sha256" and
/// "unsigned_sha256" are compared with the documents, and "converted" says that the service
/// converted the original first. "identity": the claims of the ID token, a JSON object, compared
/// with the signer. "with_numbers": "true" keeps numbers of persons, among the claims and in the
/// report. "overwrite": "true" replaces an existing file. "tsa_url": the timestamp authority
/// (RFC 3161); without it the bundle has no timestamp. "timeout", "connect_timeout",
/// "read_timeout", "max_retries", "ca_file", "ca_only", "client_cert", "proxy", "no_proxy",
/// "user_agent": how it is reached, as signdoc_options_set has them. Any other key of
/// signdoc_verify_options_set: what is asked of the verification.
///
/// "evidence", "trust" and "timestamp_trust" add to what was set before.
/// SIGNDOC_E_INVALID_OPTION for another key, and for a value that it cannot have. Files are opened
/// by signdoc_bundle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_bundle_options_set(
    options: *mut signdoc_bundle_options,
    key: *const c_char,
    value: *const c_char,
    error: *mut *mut signdoc_error,
) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_bundle_options_set") }.status(error, |entry| {
        let options = entry.handle(options, "options")?;
        let (key, value) = (entry.text(key, "key")?, entry.text(value, "value")?);
        locked(options).set(key, value)
    })
}

/// Gives a file from memory: `key` is "signed", "original", "evidence", "trust" or
/// "timestamp_trust". The `len` bytes are not copied: they must stay as they are until the last
/// signdoc_bundle with these options has returned.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_bundle_options_set_bytes(
    options: *mut signdoc_bundle_options,
    key: *const c_char,
    data: *const c_void,
    len: usize,
    error: *mut *mut signdoc_error,
) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_bundle_options_set_bytes") }.status(error, |entry| {
        let options = entry.handle(options, "options")?;
        let key = entry.text(key, "key")?;
        let item = documents::bytes(data.cast(), len)?;
        if locked(options).put(key, item) {
            return Ok(());
        }
        let known = "signed, original, evidence, trust or timestamp_trust";
        let message = format!("key is {key:?}, which names no file: use {known}");
        Err(Error::new(Code::InvalidOption, message))
    })
}

/// Frees options; the caller's bytes are left alone. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_bundle_options_free(options: *mut signdoc_bundle_options) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_bundle_options_free") }.get((), |entry| {
        entry.free(options);
        Ok(())
    });
}

/// Writes an evidence bundle, one file (ASiC-E, ETSI EN 319 162-1) that signdoc_verify checks in
/// one call, to the file `to`, which appears complete or not at all. It asks the authority of
/// "tsa_url" and nobody else, and waits for it.
///
/// `*report` is what signdoc_verify says of the bundle, which is made whatever that is; freed with
/// signdoc_report_free. `report` may be NULL. SIGNDOC_E_INVALID_ARGUMENT for an order or identity
/// that is no JSON object, evidence that is none, and a signed document that is a bundle already;
/// SIGNDOC_E_DESTINATION_EXISTS; SIGNDOC_E_DOCUMENT_NOT_FOUND and others for files that cannot be
/// read; SIGNDOC_E_TRUST_UNUSABLE; errors of the network.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_bundle(
    options: *const signdoc_bundle_options,
    to: *const c_char,
    report: *mut *mut signdoc_report,
    error: *mut *mut signdoc_error,
) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_bundle") }.status(error, |entry| {
        let options = entry.handle(options, "options")?;
        let to = PathBuf::from(entry.text(to, "to")?);
        let report = match report.is_null() {
            true => None,
            false => Some(entry.place(report, "report")?),
        };
        let loan = Loan::new();
        let request = locked(options).request(to, &loan)?;
        let engine = Engine::new(request.config()?)?;
        let made = engine
            .run(|client| async move { client.bundle(request, &CallOptions::default()).await })?;
        if let Some(report) = report {
            report.put(handle::new(Report::new(&made.report)));
        }
        Ok(())
    })
}
