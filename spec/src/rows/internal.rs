//! Rows of faults in this library itself.

use super::Spec;
use crate::Category;

const OURS: &str = "this library";

pub(crate) const INTERNAL: Spec = Spec {
    constant: "SIGNDOC_E_INTERNAL",
    name: "internal",
    category: Category::Internal,
    class: "InternalError",
    http_status: None,
    retryable: false,
    summary: "the library met a condition it does not expect",
    advice: "this is a fault of the library: report it with the message and the version; if it concerns an answer of the service, contact support with the reference",
    source: OURS,
};

pub(crate) const PANIC: Spec = Spec {
    constant: "SIGNDOC_E_PANIC",
    name: "panic",
    category: Category::Internal,
    class: "InternalError",
    http_status: None,
    retryable: false,
    summary: "the library stopped a fault inside itself",
    advice: "this is a fault of the library: report it with the message and the version; make a new client before going on, and contact support with the reference of the last answer",
    source: OURS,
};
