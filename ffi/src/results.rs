//! `signdoc_results`: what a conversion gave, document by document; and lists of texts.

use std::ffi::{CString, c_char};
use std::ptr;

use bytes::Bytes;
use signdoc_core::{Code, Conversion, Error, Result};

use crate::error::{Failure, signdoc_error};
use crate::guard::Entry;
use crate::handle::{Handle, Lent};
use crate::view::{NO_TEXT, or_null, signdoc_view, text};

/// The results of a conversion, in the order of the documents. All texts and views belong to it
/// and live as long as it does. Freed with signdoc_results_free.
pub struct signdoc_results {
    _opaque: [u8; 0],
}

/// A list of texts. Freed with signdoc_strings_free.
pub struct signdoc_strings {
    _opaque: [u8; 0],
}

pub(crate) struct Results {
    items: Vec<Item>,
    json: CString,
}

struct Item {
    /// Of the document in the call.
    index: usize,
    converted: bool,
    failed: bool,
    resumed: bool,
    conversion_id: Option<CString>,
    description: Option<CString>,
    warnings: Vec<Remark>,
    errors: Vec<Remark>,
    failure: Option<Lent<signdoc_error>>,
    data: Option<Bytes>,
    path: Option<CString>,
    size: u64,
}

/// A warning or an error: its number (0 where the specification does not have it), its name and
/// the service's text.
struct Remark {
    code: i32,
    name: CString,
    message: CString,
}

impl Handle for signdoc_results {
    type Value = Results;
    const TAG: u64 = u64::from_le_bytes(*b"sd-resul");
    const KIND: &'static str = "signdoc_results";
}

impl Handle for signdoc_strings {
    type Value = Vec<CString>;
    const TAG: u64 = u64::from_le_bytes(*b"sd-strin");
    const KIND: &'static str = "signdoc_strings";
}

impl Results {
    pub(crate) fn new(conversions: Vec<Conversion>) -> Self {
        let json = serde_json::Value::Array(conversions.iter().map(Conversion::to_json).collect());
        Self {
            json: text(&json.to_string()),
            items: conversions.into_iter().map(Item::new).collect(),
        }
    }

    fn item(&self, index: usize) -> Result<&Item> {
        self.items.get(index).ok_or_else(|| outside(index, self.items.len()))
    }
}

impl Item {
    fn new(conversion: Conversion) -> Self {
        let remark = |code: Option<i32>, name: &str, message: &str| Remark {
            code: code.unwrap_or(0),
            name: text(name),
            message: text(message),
        };
        let warnings = conversion.warnings.iter();
        let errors = conversion.errors.iter();
        Self {
            index: conversion.index,
            converted: conversion.converted,
            failed: conversion.is_failed(),
            resumed: conversion.resumed,
            conversion_id: conversion.conversion_id.as_deref().map(text),
            description: conversion.description.as_deref().map(text),
            warnings: warnings
                .map(|w| remark(w.code.map(|code| code.number()), w.name(), &w.message))
                .collect(),
            errors: errors
                .map(|e| remark(e.code.map(Code::number), e.name(), &e.message))
                .collect(),
            failure: conversion.failure.map(|failure| Lent::new(Failure::new(failure))),
            path: conversion.path.as_ref().map(|path| text(&path.to_string_lossy())),
            size: conversion.size.unwrap_or(0),
            data: conversion.data,
        }
    }
}

fn outside(index: usize, count: usize) -> Error {
    Error::new(Code::InvalidArgument, format!("index is {index}, but there are {count}"))
}

fn item(
    entry: Entry,
    results: *const signdoc_results,
    index: usize,
    field: impl FnOnce(&Item) -> *const c_char,
) -> *const c_char {
    entry.get(ptr::null(), |entry| Ok(field(entry.handle(results, "results")?.item(index)?)))
}

fn remark<T>(
    entry: Entry,
    results: *const signdoc_results,
    (index, which): (usize, usize),
    list: impl FnOnce(&Item) -> &[Remark],
    otherwise: T,
    field: impl FnOnce(&Remark) -> T,
) -> T {
    entry.get(otherwise, |entry| {
        let list = list(entry.handle(results, "results")?.item(index)?);
        Ok(field(list.get(which).ok_or_else(|| outside(which, list.len()))?))
    })
}

/// How many results there are; 0 for NULL. The functions below take an `index` from 0 to one less,
/// and give 0, NULL or an empty text where there is no such result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_results_count(results: *const signdoc_results) -> usize {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_results_count") }
        .get(0, |entry| Ok(entry.handle(results, "results")?.items.len()))
}

/// Which document of the call the result is about, from 0. It is `index` itself, but for an order
/// only some of whose documents were to be converted.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_results_document(
    results: *const signdoc_results,
    index: usize,
) -> usize {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_results_document") }
        .get(0, |entry| Ok(entry.handle(results, "results")?.item(index)?.index))
}

/// 1 where the service says that it converted the document, else 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_results_converted(
    results: *const signdoc_results,
    index: usize,
) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_results_converted") }
        .get(0, |entry| Ok(i32::from(entry.handle(results, "results")?.item(index)?.converted)))
}

/// 1 where the service refused the document or sent nothing for it, else 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_results_failed(
    results: *const signdoc_results,
    index: usize,
) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_results_failed") }
        .get(0, |entry| Ok(i32::from(entry.handle(results, "results")?.item(index)?.failed)))
}

/// 1 where an earlier signdoc_convert_many with the same signdoc_convert_options_set_resume
/// converted the document, so that it was not sent again, else 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_results_resumed(
    results: *const signdoc_results,
    index: usize,
) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_results_resumed") }
        .get(0, |entry| Ok(i32::from(entry.handle(results, "results")?.item(index)?.resumed)))
}

/// The service's identifier of the conversion; NULL where it gave none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_results_conversion_id(
    results: *const signdoc_results,
    index: usize,
) -> *const c_char {
    // SAFETY: the caller keeps the rules of the header.
    let entry = unsafe { Entry::new("signdoc_results_conversion_id") };
    item(entry, results, index, |item| or_null(item.conversion_id.as_ref()))
}

/// The service's description of the document; NULL where it gave none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_results_description(
    results: *const signdoc_results,
    index: usize,
) -> *const c_char {
    // SAFETY: the caller keeps the rules of the header.
    let entry = unsafe { Entry::new("signdoc_results_description") };
    item(entry, results, index, |item| or_null(item.description.as_ref()))
}

/// Where the converted document was written; NULL where it was not.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_results_path(
    results: *const signdoc_results,
    index: usize,
) -> *const c_char {
    // SAFETY: the caller keeps the rules of the header.
    let entry = unsafe { Entry::new("signdoc_results_path") };
    item(entry, results, index, |item| or_null(item.path.as_ref()))
}

/// The size of the converted document in bytes, in memory or in its file; 0 where there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_results_size(
    results: *const signdoc_results,
    index: usize,
) -> u64 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_results_size") }
        .get(0, |entry| Ok(entry.handle(results, "results")?.item(index)?.size))
}

/// The bytes of the converted document where the results are in memory, else an empty view.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_results_data(
    results: *const signdoc_results,
    index: usize,
) -> signdoc_view {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_results_data") }.get(signdoc_view::EMPTY, |entry| {
        let data = &entry.handle(results, "results")?.item(index)?.data;
        Ok(data.as_ref().map_or(signdoc_view::EMPTY, |bytes| signdoc_view::of(bytes)))
    })
}

/// How many warnings the document has. The functions below take a `warning` from 0 to one less.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_results_warning_count(
    results: *const signdoc_results,
    index: usize,
) -> usize {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_results_warning_count") }
        .get(0, |entry| Ok(entry.handle(results, "results")?.item(index)?.warnings.len()))
}

/// The number of a warning, one of SIGNDOC_WARNING_...; 0 for one that the specification does not
/// have.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_results_warning_code(
    results: *const signdoc_results,
    index: usize,
    warning: usize,
) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    let entry = unsafe { Entry::new("signdoc_results_warning_code") };
    remark(entry, results, (index, warning), |item| &item.warnings, 0, |warning| warning.code)
}

/// The name of a warning ("FONT_SUBST"), or the service's text where it has none. Never NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_results_warning_name(
    results: *const signdoc_results,
    index: usize,
    warning: usize,
) -> *const c_char {
    // SAFETY: the caller keeps the rules of the header.
    let entry = unsafe { Entry::new("signdoc_results_warning_name") };
    let name = |warning: &Remark| warning.name.as_ptr();
    remark(entry, results, (index, warning), |item| &item.warnings, NO_TEXT, name)
}

/// The service's text of a warning ("Font substituted"). Never NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_results_warning_message(
    results: *const signdoc_results,
    index: usize,
    warning: usize,
) -> *const c_char {
    // SAFETY: the caller keeps the rules of the header.
    let entry = unsafe { Entry::new("signdoc_results_warning_message") };
    let message = |warning: &Remark| warning.message.as_ptr();
    remark(entry, results, (index, warning), |item| &item.warnings, NO_TEXT, message)
}

/// How many reasons there are why the document could not be converted. The functions below take a
/// `reason` from 0 to one less.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_results_error_count(
    results: *const signdoc_results,
    index: usize,
) -> usize {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_results_error_count") }
        .get(0, |entry| Ok(entry.handle(results, "results")?.item(index)?.errors.len()))
}

/// The number of a reason, one of SIGNDOC_E_CONVERSION_...; 0 for one that the specification does
/// not have.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_results_error_code(
    results: *const signdoc_results,
    index: usize,
    reason: usize,
) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    let entry = unsafe { Entry::new("signdoc_results_error_code") };
    remark(entry, results, (index, reason), |item| &item.errors, 0, |reason| reason.code)
}

/// The name of a reason ("DOC_SIGNED"), or the service's text where it has none. Never NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_results_error_name(
    results: *const signdoc_results,
    index: usize,
    reason: usize,
) -> *const c_char {
    // SAFETY: the caller keeps the rules of the header.
    let entry = unsafe { Entry::new("signdoc_results_error_name") };
    let name = |reason: &Remark| reason.name.as_ptr();
    remark(entry, results, (index, reason), |item| &item.errors, NO_TEXT, name)
}

/// The service's text of a reason ("Document contains signatures"). Never NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_results_error_message(
    results: *const signdoc_results,
    index: usize,
    reason: usize,
) -> *const c_char {
    // SAFETY: the caller keeps the rules of the header.
    let entry = unsafe { Entry::new("signdoc_results_error_message") };
    let message = |reason: &Remark| reason.message.as_ptr();
    remark(entry, results, (index, reason), |item| &item.errors, NO_TEXT, message)
}

/// Why the document could not be sent or its call failed, after signdoc_convert_many; NULL where
/// that is not so. The error belongs to the results and is freed with them; freeing it does nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_results_failure(
    results: *const signdoc_results,
    index: usize,
) -> *const signdoc_error {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_results_failure") }.get(ptr::null(), |entry| {
        let failure = &entry.handle(results, "results")?.item(index)?.failure;
        Ok(failure.as_ref().map_or(ptr::null(), Lent::pointer))
    })
}

/// All results as a JSON array, document bytes left out. Never NULL; empty for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_results_json(results: *const signdoc_results) -> *const c_char {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_results_json") }
        .get(NO_TEXT, |entry| Ok(entry.handle(results, "results")?.json.as_ptr()))
}

/// Frees results with their texts and bytes; files stay. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_results_free(results: *mut signdoc_results) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_results_free") }.get((), |entry| {
        entry.free(results);
        Ok(())
    });
}

/// How many texts there are; 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_strings_count(strings: *const signdoc_strings) -> usize {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_strings_count") }
        .get(0, |entry| Ok(entry.handle(strings, "strings")?.len()))
}

/// The text at `index`, from 0; it lives as long as the list. NULL where there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_strings_get(
    strings: *const signdoc_strings,
    index: usize,
) -> *const c_char {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_strings_get") }
        .get(ptr::null(), |entry| Ok(or_null(entry.handle(strings, "strings")?.get(index))))
}

/// Frees a list of texts. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_strings_free(strings: *mut signdoc_strings) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_strings_free") }.get((), |entry| {
        entry.free(strings);
        Ok(())
    });
}
