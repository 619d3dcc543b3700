//! What documents of orders have besides their bytes.

use std::ffi::c_char;

use signdoc_core::{Code, Error, Result, SealPosition};

use crate::documents::{Item, item_at, signdoc_documents};
use crate::error::signdoc_error;
use crate::guard::Entry;
use crate::options::locked;
use crate::order_request::{truth, unknown_key};

/// Whose visual seal: the merchant's.
pub const SIGNDOC_SEAL_MERCHANT: i32 = 1;
/// Whose visual seal: the end user's.
pub const SIGNDOC_SEAL_END_USER: i32 = 2;

/// What only orders send.
#[derive(Clone, Default)]
pub(crate) struct Details {
    pub description: Option<String>,
    pub text: Option<String>,
    pub xml: Option<String>,
    pub xls: Option<String>,
    pub pdf_spec: Option<String>,
    pub end_user_only: Option<bool>,
    pub merchant_seal: Option<SealPosition>,
    pub end_user_seal: Option<SealPosition>,
}

impl Details {
    /// The first field that is set and that only PAdES orders have, as the specification names it.
    pub(crate) fn only_pades(&self) -> Option<&'static str> {
        let set = [
            ("pdfSpec", self.pdf_spec.is_some()),
            ("endUserOnly", self.end_user_only.is_some()),
            ("merchantSealPos", self.merchant_seal.is_some()),
            ("endUserSealPos", self.end_user_seal.is_some()),
        ];
        set.iter().find(|field| field.1).map(|field| field.0)
    }

    fn set(&mut self, key: &str, value: &str) -> Result<()> {
        match key {
            "description" => self.description = Some(value.to_owned()),
            "text" => self.text = Some(value.to_owned()),
            "xml" => self.xml = Some(value.to_owned()),
            "xls" => self.xls = Some(value.to_owned()),
            "pdf_spec" => self.pdf_spec = Some(value.to_owned()),
            "end_user_only" => self.end_user_only = Some(truth(key, value)?),
            _ => {
                return Err(unknown_key(
                    key,
                    "description, pdf_spec, end_user_only, text, xml, xls",
                ));
            }
        }
        Ok(())
    }
}

/// Adds a text to be signed, for orders of signed data objects; an empty text is one, too. The
/// service's documentation says that its ISO-8859-1 bytes are signed: a text with other characters
/// is sent with a warning in the log (SIGNDOC_E_UNENCODABLE_TEXT), and the service may refuse it.
/// NULL adds a document whose content signdoc_documents_set gives.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_documents_add_text(
    documents: *mut signdoc_documents,
    text: *const c_char,
    error: *mut *mut signdoc_error,
) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_documents_add_text") }.status(error, |entry| {
        let documents = entry.handle(documents, "documents")?;
        let text = entry.optional_text(text, "text")?.map(str::to_owned);
        locked(documents).push(Item::of_details(Details { text, ..Details::default() }));
        Ok(())
    })
}

/// Adds an XML document to be signed with the stylesheet that shows it, for orders of signed data
/// objects.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_documents_add_xml(
    documents: *mut signdoc_documents,
    xml: *const c_char,
    xls: *const c_char,
    error: *mut *mut signdoc_error,
) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_documents_add_xml") }.status(error, |entry| {
        let documents = entry.handle(documents, "documents")?;
        let owned = |text: &str| Some(text.to_owned());
        let (xml, xls) = (owned(entry.text(xml, "xml")?), owned(entry.text(xls, "xls")?));
        locked(documents).push(Item::of_details(Details { xml, xls, ..Details::default() }));
        Ok(())
    })
}

/// Sets a property of the document at `index` (from 0). For conversions: "pdf_spec", what to convert
/// to ("PDFA_2B" where it begins, and the only one that the specification has); all others are for
/// orders.
///
/// "description". For PAdES: "pdf_spec" ("PDFA_2B": the service converts the document first),
/// "end_user_only" ("true" or "false": whether the end user signs alone). For signed data objects:
/// "text", or "xml" and "xls"; exactly one kind of content must be there when the order is created.
/// An order refuses what its kind does not have.
///
/// SIGNDOC_E_INVALID_ARGUMENT for another key, for a value that is none, and where there is no such
/// document.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_documents_set(
    documents: *mut signdoc_documents,
    index: usize,
    property: *const c_char,
    value: *const c_char,
    error: *mut *mut signdoc_error,
) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_documents_set") }.status(error, |entry| {
        let mut items = locked(entry.handle(documents, "documents")?);
        let (key, value) = (entry.text(property, "property")?, entry.text(value, "value")?);
        item_at(&mut items, index)?.details.set(key, value)
    })
}

/// Sets where a visual seal of the document at `index` (from 0) stands, for PAdES orders. `whose`
/// is SIGNDOC_SEAL_MERCHANT or SIGNDOC_SEAL_END_USER; `x` and `y` are in points, `page` from 1.
///
/// SIGNDOC_E_INVALID_ARGUMENT for another `whose`, and where there is no such document.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_documents_set_seal(
    documents: *mut signdoc_documents,
    index: usize,
    whose: i32,
    x: f64,
    y: f64,
    page: i64,
    error: *mut *mut signdoc_error,
) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_documents_set_seal") }.status(error, |entry| {
        let mut items = locked(entry.handle(documents, "documents")?);
        let details = &mut item_at(&mut items, index)?.details;
        let seal = match whose {
            SIGNDOC_SEAL_MERCHANT => &mut details.merchant_seal,
            SIGNDOC_SEAL_END_USER => &mut details.end_user_seal,
            other => {
                let message = format!(
                    "whose is {other}; pass SIGNDOC_SEAL_MERCHANT or SIGNDOC_SEAL_END_USER"
                );
                return Err(Error::new(Code::InvalidArgument, message));
            }
        };
        *seal = Some(SealPosition { x, y, page });
        Ok(())
    })
}
