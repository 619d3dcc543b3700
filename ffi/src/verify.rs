//! `signdoc_verify`: is what came back what was sent, signed by whom it was expected?

use std::ffi::{c_char, c_void};
use std::ptr;
use std::sync::Mutex;

use signdoc_core::pdf::{Question, ask};
use signdoc_core::{Code, Error, Result};

use crate::documents::{self, Item, signdoc_documents};
use crate::error::signdoc_error;
use crate::guard::Entry;
use crate::handle::{self, Handle};
use crate::loan::Loan;
use crate::options::locked;
use crate::report::{Report, signdoc_report};

/// What is asked about signed files. Freed with signdoc_verify_options_free; may be used for
/// several verifications.
pub struct signdoc_verify_options {
    _opaque: [u8; 0],
}

#[derive(Default)]
pub(crate) struct Asked {
    original: Option<Item>,
    trust: Vec<Item>,
    timestamp_trust: Vec<Item>,
    options: Vec<(String, String)>,
}

impl Handle for signdoc_verify_options {
    type Value = Mutex<Asked>;
    const TAG: u64 = u64::from_le_bytes(*b"sd-vopts");
    const KIND: &'static str = "signdoc_verify_options";
}

impl Asked {
    /// Puts a file where its key says.
    fn put(&mut self, key: &str, item: Item) -> Result<()> {
        match key {
            "original" => self.original = Some(item),
            "trust" => self.trust.push(item),
            "timestamp_trust" => self.timestamp_trust.push(item),
            _ => {
                let known = "original, trust or timestamp_trust";
                let message = format!("key is {key:?}, which names no file: use {known}");
                return Err(Error::new(Code::InvalidOption, message));
            }
        }
        Ok(())
    }

    fn set(&mut self, key: &str, value: &str) -> Result<()> {
        if matches!(key, "original" | "trust" | "timestamp_trust") {
            return self.put(key, documents::path(value));
        }
        // Tried on its own, so that a mistake is told where it is made.
        let mut tried = signdoc_core::pdf::verify::VerifyOptions::default();
        let told = self.options.iter().map(|(key, value)| (key.as_str(), value.as_str()));
        for (key, value) in told.chain([(key, value)]) {
            tried
                .set(key, value)
                .map_err(|error| Error::new(Code::InvalidOption, error.to_string()))?;
        }
        self.options.push((key.to_owned(), value.to_owned()));
        Ok(())
    }

    fn question(&self, signed: Vec<Item>, loan: &Loan) -> Result<Question> {
        let opened = |items: &[Item]| documents::unlimited(items.to_vec(), loan, None);
        let original = match &self.original {
            Some(item) => opened(std::slice::from_ref(item))?.pop(),
            None => None,
        };
        let stamps = opened(&self.timestamp_trust)?;
        Ok(Question {
            signed: opened(&signed)?,
            original,
            trust: opened(&self.trust)?,
            timestamp_trust: (!stamps.is_empty()).then_some(stamps),
            options: self.options.clone(),
        })
    }
}

/// Options that trust nobody and compare with nothing: nothing verifies with them. NULL only where
/// the library stopped a fault inside itself.
#[unsafe(no_mangle)]
pub extern "C" fn signdoc_verify_options_new() -> *mut signdoc_verify_options {
    // SAFETY: there is no pointer.
    unsafe { Entry::new("signdoc_verify_options_new") }
        .get(ptr::null_mut(), |_| Ok(handle::new(Mutex::default())))
}

/// Sets an option from a text:
///
/// "original": the path of the file that was sent. "trust", "timestamp_trust": the path of
/// certificates (PEM or DER) at which chains may end; without the second, timestamps use the first.
/// "signer": a name or a serial number, or with "name=", "serial=" or "certificate=" before it.
/// "claim": a claim of the login's token, "given_name=Kari". "require": checks that must pass, too,
/// separated by commas: timestamp, revocation, seals, content_commitment, container_timestamp (of an
/// evidence bundle), level, B-B, B-T, B-LT, B-LTA. "seal": where a visible seal was asked for, "x,y,page" in points, or "none".
/// "extended_key_usage": purposes that a signer's certificate may have instead of the usual ones,
/// separated by commas: absent, names such as documentSigning, identifiers. "strict": "true"
/// refuses deviations from the standards that are accepted otherwise. "signed_sha256",
/// "unsigned_sha256": digests that the service reported. "converted": "true" where the service
/// converted the document first. "form_filling": "empty_fields" or "forbidden". "at": the time of
/// the verification in seconds since 1970. "max_seal_width", "max_seal_height", "seal_tolerance".
///
/// "trust", "timestamp_trust", "signer", "claim", "require", "seal" and "extended_key_usage" add to
/// what was set before. SIGNDOC_E_INVALID_OPTION for another key, and for a value that it cannot
/// have. Files are opened by signdoc_verify.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_verify_options_set(
    options: *mut signdoc_verify_options,
    key: *const c_char,
    value: *const c_char,
    error: *mut *mut signdoc_error,
) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_verify_options_set") }.status(error, |entry| {
        let options = entry.handle(options, "options")?;
        let (key, value) = (entry.text(key, "key")?, entry.text(value, "value")?);
        locked(options).set(key, value)
    })
}

/// Gives a file from memory: `key` is "original", "trust" or "timestamp_trust". The `len` bytes are
/// not copied: they must stay as they are until the last signdoc_verify with these options has
/// returned.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_verify_options_set_bytes(
    options: *mut signdoc_verify_options,
    key: *const c_char,
    data: *const c_void,
    len: usize,
    error: *mut *mut signdoc_error,
) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_verify_options_set_bytes") }.status(error, |entry| {
        let options = entry.handle(options, "options")?;
        let key = entry.text(key, "key")?;
        let item = documents::bytes(data.cast(), len)?;
        locked(options).put(key, item)
    })
}

/// Frees options; the caller's bytes are left alone. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_verify_options_free(options: *mut signdoc_verify_options) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_verify_options_free") }.get((), |entry| {
        entry.free(options);
        Ok(())
    });
}

/// Verifies a signed PDF or SEID-SDO file, or an evidence bundle of one (see signdoc_bundle),
/// offline: asks nobody, and waits for nobody. Several
/// documents are the results of serial sessions, the first one first: each must build on the one
/// before it. `options` may be NULL, but nothing verifies without trust.
///
/// What the files contain is in the report, never an error: ask signdoc_report_ok.
/// SIGNDOC_E_DOCUMENT_NOT_FOUND and others for files that cannot be read,
/// SIGNDOC_E_TRUST_UNUSABLE for what holds no certificates. `*report` is freed with
/// signdoc_report_free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_verify(
    documents: *const signdoc_documents,
    options: *const signdoc_verify_options,
    report: *mut *mut signdoc_report,
    error: *mut *mut signdoc_error,
) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_verify") }.status(error, |entry| {
        let signed = entry.handle(documents, "documents")?;
        let options = entry.optional(options, "options")?;
        let report = entry.place(report, "report")?;
        let signed = documents::taken(signed);
        if signed.is_empty() {
            let message = "documents is empty; add the signed file";
            return Err(Error::new(Code::InvalidArgument, message));
        }
        let loan = Loan::new();
        let question = match options {
            Some(options) => locked(options).question(signed, &loan)?,
            None => Asked::default().question(signed, &loan)?,
        };
        let found = ask(&question)?;
        drop(question);
        report.put(handle::new(Report::new(&found)));
        Ok(())
    })
}
