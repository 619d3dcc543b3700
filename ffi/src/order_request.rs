//! `signdoc_order_request`: what an order asks for, besides its documents.

use std::ffi::c_char;
use std::ptr;
use std::sync::Mutex;

use signdoc_core::order::OrderKind;
use signdoc_core::{
    Code, Error, OrderProperties, PadesDocument, PadesOrder, Result, SdoDocument, SdoOrder,
};

use crate::error::signdoc_error;
use crate::guard::Entry;
use crate::handle::{self, Handle};
use crate::options::locked;

/// A kind of order: signed PDFs. Marked outdated by the interface specification.
pub const SIGNDOC_ORDER_PADES: i32 = 1;
/// A kind of order: signed data objects (SEID-SDO). Marked deprecated by the interface
/// specification.
pub const SIGNDOC_ORDER_SDO: i32 = 2;

/// The properties of a sign order. Freed with signdoc_order_request_free; may be used for many
/// orders.
pub struct signdoc_order_request {
    _opaque: [u8; 0],
}

#[derive(Clone, Default)]
pub(crate) struct Request {
    properties: OrderProperties,
    visual_seals: Option<bool>,
    strict: Option<bool>,
    results: Option<Vec<String>>,
}

impl Handle for signdoc_order_request {
    type Value = Mutex<Request>;
    const TAG: u64 = u64::from_le_bytes(*b"sd-ordrq");
    const KIND: &'static str = "signdoc_order_request";
}

const KEYS: &str = "name, display_mode, show_confirmation, show_understanding, timeout_seconds, visual_seals, strict, results";

impl Request {
    fn set(&mut self, key: &str, value: &str) -> Result<()> {
        let properties = &mut self.properties;
        match key {
            "name" => value.clone_into(&mut properties.name),
            "display_mode" => properties.display_mode = Some(value.to_owned()),
            "show_confirmation" => properties.show_confirmation = Some(truth(key, value)?),
            "show_understanding" => properties.show_understanding = Some(truth(key, value)?),
            "timeout_seconds" => {
                let seconds = value.trim().parse();
                properties.timeout_seconds = Some(
                    seconds.map_err(|_| wrong(key, value, "a whole number of seconds above 0"))?,
                );
            }
            "visual_seals" => self.visual_seals = Some(truth(key, value)?),
            "strict" => self.strict = Some(truth(key, value)?),
            "results" => {
                let names = value.split(',').map(|name| name.trim().to_owned());
                self.results = Some(names.filter(|name| !name.is_empty()).collect());
            }
            _ => return Err(unknown_key(key, KEYS)),
        }
        Ok(())
    }

    pub(crate) fn pades(self, documents: Vec<PadesDocument>) -> PadesOrder {
        let mut order = PadesOrder::new("", documents);
        order.properties = self.properties;
        order.add_visual_seals = self.visual_seals.unwrap_or_default();
        order.strict = self.strict.unwrap_or_default();
        order.results = self.results.unwrap_or(order.results);
        order
    }

    pub(crate) fn sdo(self, documents: Vec<SdoDocument>) -> Result<SdoOrder> {
        let only_pades = [("visual_seals", self.visual_seals), ("strict", self.strict)];
        if let Some((key, _)) = only_pades.iter().find(|given| given.1.is_some()) {
            return Err(only_for_pades(key));
        }
        let mut order = SdoOrder::new("", documents);
        order.properties = self.properties;
        order.results = self.results.unwrap_or(order.results);
        Ok(order)
    }
}

/// A property that the other kind of order does not have is refused, not left out.
pub(crate) fn only_for_pades(field: &str) -> Error {
    let message = format!("{field} is set, but only PAdES orders have it: leave it out");
    Error::new(Code::InvalidArgument, message).with_detail("field", field)
}

/// The kind a number stands for.
pub(crate) fn kind(number: i32) -> Result<OrderKind> {
    match number {
        SIGNDOC_ORDER_PADES => Ok(OrderKind::Pades),
        SIGNDOC_ORDER_SDO => Ok(OrderKind::Sdo),
        other => {
            let message = format!("kind is {other}; pass SIGNDOC_ORDER_PADES or SIGNDOC_ORDER_SDO");
            Err(Error::new(Code::InvalidArgument, message).with_detail("field", "kind"))
        }
    }
}

pub(crate) fn truth(key: &str, value: &str) -> Result<bool> {
    match value.trim().to_ascii_lowercase().as_str() {
        "true" | "1" | "yes" => Ok(true),
        "false" | "0" | "no" => Ok(false),
        _ => Err(wrong(key, value, "\"true\" or \"false\"")),
    }
}

fn wrong(key: &str, value: &str, wanted: &str) -> Error {
    Error::new(Code::InvalidArgument, format!("{key} is {value:?}; pass {wanted}"))
        .with_detail("field", key)
}

pub(crate) fn unknown_key(key: &str, known: &str) -> Error {
    Error::new(Code::InvalidArgument, format!("key is {key:?}; known are {known}"))
        .with_detail("field", "key")
}

/// Properties of which none is set. NULL only where the library stopped a fault inside itself.
#[unsafe(no_mangle)]
pub extern "C" fn signdoc_order_request_new() -> *mut signdoc_order_request {
    // SAFETY: there is no pointer.
    unsafe { Entry::new("signdoc_order_request_new") }
        .get(ptr::null_mut(), |_| Ok(handle::new(Mutex::default())))
}

/// Sets one property; what is not set is not sent, and the service's own default holds.
///
/// "name": the order's name, which is needed. "display_mode": "interior", "window" or "overlay".
/// "show_confirmation", "show_understanding": "true" or "false". "timeout_seconds": how long the
/// user may take to sign, above 0; the service's default is 1800. "visual_seals" (PAdES): whether
/// seals are drawn, "false" where it begins. "strict" (PAdES): whether a document that was not
/// converted makes signdoc_order_create fail although the order exists, "false" where it begins.
/// "results": what is handed out, with commas between: "padesSignedPdf", "padesAppendix",
/// "documentHash" for PAdES, "sdo", "basicSignature", "documentHash" for SEID-SDO;
/// "padesSignedPdf,documentHash" and "sdo,documentHash" where it begins. An order of the other kind
/// refuses what only PAdES has.
///
/// SIGNDOC_E_INVALID_ARGUMENT for another key, and for a value that is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_order_request_set(
    request: *mut signdoc_order_request,
    property: *const c_char,
    value: *const c_char,
    error: *mut *mut signdoc_error,
) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_order_request_set") }.status(error, |entry| {
        let request = entry.handle(request, "request")?;
        let (key, value) = (entry.text(property, "property")?, entry.text(value, "value")?);
        locked(request).set(key, value)
    })
}

/// Frees properties; orders made from them go on. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_order_request_free(request: *mut signdoc_order_request) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_order_request_free") }.get((), |entry| {
        entry.free(request);
        Ok(())
    });
}
