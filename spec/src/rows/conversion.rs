//! Rows of the conversion errors, one for each message of the specification.

use super::Spec;
use crate::Category;

const ERRORS: &str = "interface specification, Conversion errors";

pub(crate) const CONVERSION_FAILED: Spec = Spec {
    constant: "SIGNDOC_E_CONVERSION_FAILED",
    name: "conversion_failed",
    category: Category::Conversion,
    class: "ConversionError",
    http_status: Some(400),
    retryable: false,
    summary: "some documents could not be converted",
    advice: "look at each document's result: every one names its own errors",
    source: ERRORS,
};

pub(crate) const CONVERSION_CORRUPT: Spec = Spec {
    constant: "SIGNDOC_E_CONVERSION_CORRUPT",
    name: "CORRUPT",
    category: Category::Conversion,
    class: "ConversionError",
    http_status: Some(400),
    retryable: false,
    summary: "the service found the document corrupt",
    advice: "open the PDF and save it anew, or make it again from its source, then convert the new file",
    source: ERRORS,
};

pub(crate) const CONVERSION_DOC_SIGNED: Spec = Spec {
    constant: "SIGNDOC_E_CONVERSION_DOC_SIGNED",
    name: "DOC_SIGNED",
    category: Category::Conversion,
    class: "ConversionError",
    http_status: Some(400),
    retryable: false,
    summary: "the document already contains signatures",
    advice: "convert the document as it was before signing; allowing signed documents (deprecated) lets the conversion remove the signatures",
    source: ERRORS,
};

pub(crate) const CONVERSION_EF_REMOVED: Spec = Spec {
    constant: "SIGNDOC_E_CONVERSION_EF_REMOVED",
    name: "EF_REMOVED",
    category: Category::Conversion,
    class: "ConversionError",
    http_status: Some(400),
    retryable: false,
    summary: "the document has embedded files, which conversion would remove",
    advice: "remove the attachments yourself, or send them as documents of their own",
    source: ERRORS,
};

pub(crate) const CONVERSION_GENERIC_ERROR: Spec = Spec {
    constant: "SIGNDOC_E_CONVERSION_GENERIC_ERROR",
    name: "GENERIC_ERROR",
    category: Category::Conversion,
    class: "ConversionError",
    http_status: Some(400),
    retryable: false,
    summary: "the conversion failed for a reason the service does not name",
    advice: "try the PDF saved anew by another program; contact support with the conversion id if it persists",
    source: ERRORS,
};

pub(crate) const CONVERSION_DISABLED: Spec = Spec {
    constant: "SIGNDOC_E_CONVERSION_DISABLED",
    name: "DISABLED",
    category: Category::Conversion,
    class: "ConversionError",
    http_status: Some(400),
    retryable: false,
    summary: "PDF conversion is disabled in this environment",
    advice: "expect this in the public testing environment, where no conversion is done; use the production environment or the sandbox to convert",
    source: ERRORS,
};

pub(crate) const CONVERSION_UNKNOWN_ERROR: Spec = Spec {
    constant: "SIGNDOC_E_CONVERSION_UNKNOWN_ERROR",
    name: "unknown_conversion_error",
    category: Category::Conversion,
    class: "ConversionError",
    http_status: Some(400),
    retryable: false,
    summary: "the conversion failed with a message the interface does not name",
    advice: "look at the service's message, which this error carries; contact support with the conversion id",
    source: ERRORS,
};
