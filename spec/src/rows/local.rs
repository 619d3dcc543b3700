//! Rows of the caller's own side: success, arguments, options, files.

use super::Spec;
use crate::Category;

const OURS: &str = "this library";
const LIMITS: &str = "interface specification, Limits";
const CONVERT_DOC: &str = "interface specification, Conversion request document";

pub(crate) const OK: Spec = Spec {
    constant: "SIGNDOC_OK",
    name: "ok",
    category: Category::Local,
    class: "",
    http_status: None,
    retryable: false,
    summary: "success",
    advice: "nothing to do",
    source: OURS,
};

pub(crate) const INVALID_ARGUMENT: Spec = Spec {
    constant: "SIGNDOC_E_INVALID_ARGUMENT",
    name: "invalid_argument",
    category: Category::Local,
    class: "InputError",
    http_status: None,
    retryable: false,
    summary: "an argument of the call has a value that cannot be used",
    advice: "correct the argument the message names",
    source: OURS,
};

pub(crate) const MISSING_OPTION: Spec = Spec {
    constant: "SIGNDOC_E_MISSING_OPTION",
    name: "missing_option",
    category: Category::Local,
    class: "ConfigError",
    http_status: None,
    retryable: false,
    summary: "a required option is not set",
    advice: "set the option the message names, in code or as its environment variable",
    source: OURS,
};

pub(crate) const INVALID_OPTION: Spec = Spec {
    constant: "SIGNDOC_E_INVALID_OPTION",
    name: "invalid_option",
    category: Category::Local,
    class: "ConfigError",
    http_status: None,
    retryable: false,
    summary: "an option is unknown or its value cannot be used",
    advice: "correct the option the message names; its allowed values stand in the message",
    source: OURS,
};

pub(crate) const INSECURE_URL: Spec = Spec {
    constant: "SIGNDOC_E_INSECURE_URL",
    name: "insecure_url",
    category: Category::Local,
    class: "ConfigError",
    http_status: None,
    retryable: false,
    summary: "an address uses plain http outside this machine",
    advice: "use https; plain http is allowed for loopback addresses only, where the sandbox lives",
    source: OURS,
};

pub(crate) const DOCUMENT_NOT_FOUND: Spec = Spec {
    constant: "SIGNDOC_E_DOCUMENT_NOT_FOUND",
    name: "document_not_found",
    category: Category::Local,
    class: "InputError",
    http_status: None,
    retryable: false,
    summary: "a document file does not exist",
    advice: "check the path the message names",
    source: OURS,
};

pub(crate) const DOCUMENT_UNREADABLE: Spec = Spec {
    constant: "SIGNDOC_E_DOCUMENT_UNREADABLE",
    name: "document_unreadable",
    category: Category::Local,
    class: "InputError",
    http_status: None,
    retryable: false,
    summary: "a document cannot be read",
    advice: "check that the path is a regular file and that this process may read it",
    source: OURS,
};

pub(crate) const DOCUMENT_EMPTY: Spec = Spec {
    constant: "SIGNDOC_E_DOCUMENT_EMPTY",
    name: "document_empty",
    category: Category::Local,
    class: "InputError",
    http_status: None,
    retryable: false,
    summary: "a document holds no bytes",
    advice: "give the document's content; an empty file cannot be converted or signed",
    source: OURS,
};

pub(crate) const NOT_A_PDF: Spec = Spec {
    constant: "SIGNDOC_E_NOT_A_PDF",
    name: "not_a_pdf",
    category: Category::Local,
    class: "InputError",
    http_status: None,
    retryable: false,
    summary: "a document is not a PDF",
    advice: "give a PDF file; other formats must be made into PDF first",
    source: CONVERT_DOC,
};

pub(crate) const DOCUMENT_TOO_LARGE: Spec = Spec {
    constant: "SIGNDOC_E_DOCUMENT_TOO_LARGE",
    name: "document_too_large",
    category: Category::Local,
    class: "InputError",
    http_status: None,
    retryable: false,
    summary: "a document is larger than the interface allows",
    advice: "make the PDF smaller, for example by scaling its images down, or split it; conversion takes at most 3750000 bytes (5000000 base64 characters) for each document",
    source: LIMITS,
};

pub(crate) const DOCUMENT_COUNT: Spec = Spec {
    constant: "SIGNDOC_E_DOCUMENT_COUNT",
    name: "document_count",
    category: Category::Local,
    class: "InputError",
    http_status: None,
    retryable: false,
    summary: "the number of documents is outside the allowed range",
    advice: "send 1 to 15 documents in one conversion call, or let the batch call split a longer list; an order needs at least one document",
    source: LIMITS,
};

pub(crate) const DOCUMENT_CHANGED: Spec = Spec {
    constant: "SIGNDOC_E_DOCUMENT_CHANGED",
    name: "document_changed",
    category: Category::Local,
    class: "InputError",
    http_status: None,
    retryable: false,
    summary: "a document changed while it was being sent",
    advice: "call again when nothing else writes to the file",
    source: OURS,
};

pub(crate) const DESTINATION_EXISTS: Spec = Spec {
    constant: "SIGNDOC_E_DESTINATION_EXISTS",
    name: "destination_exists",
    category: Category::Local,
    class: "InputError",
    http_status: None,
    retryable: false,
    summary: "a result file already exists",
    advice: "choose another destination, remove the file, or allow overwriting",
    source: OURS,
};

pub(crate) const DESTINATION_FAILED: Spec = Spec {
    constant: "SIGNDOC_E_DESTINATION_FAILED",
    name: "destination_failed",
    category: Category::Local,
    class: "SignDocError",
    http_status: None,
    retryable: false,
    summary: "a result could not be written",
    advice: "make room or correct the permissions of the destination, then call again; results already written are kept",
    source: OURS,
};

pub(crate) const CANCELLED: Spec = Spec {
    constant: "SIGNDOC_E_CANCELLED",
    name: "cancelled",
    category: Category::Local,
    class: "Cancelled",
    http_status: None,
    retryable: false,
    summary: "the call was cancelled by the caller",
    advice: "nothing to correct; call again when the result is wanted",
    source: OURS,
};

pub(crate) const CLIENT_CLOSED: Spec = Spec {
    constant: "SIGNDOC_E_CLIENT_CLOSED",
    name: "client_closed",
    category: Category::Local,
    class: "InputError",
    http_status: None,
    retryable: false,
    summary: "the client was closed before the call",
    advice: "make a new client, or close this one later",
    source: OURS,
};

pub(crate) const NULL_POINTER: Spec = Spec {
    constant: "SIGNDOC_E_NULL_POINTER",
    name: "null_pointer",
    category: Category::Local,
    class: "InputError",
    http_status: None,
    retryable: false,
    summary: "a required pointer is null",
    advice: "pass the argument the message names",
    source: OURS,
};

pub(crate) const INVALID_UTF8: Spec = Spec {
    constant: "SIGNDOC_E_INVALID_UTF8",
    name: "invalid_utf8",
    category: Category::Local,
    class: "InputError",
    http_status: None,
    retryable: false,
    summary: "a text is not valid UTF-8",
    advice: "encode the argument the message names as UTF-8",
    source: OURS,
};

pub(crate) const INVALID_HANDLE: Spec = Spec {
    constant: "SIGNDOC_E_INVALID_HANDLE",
    name: "invalid_handle",
    category: Category::Local,
    class: "InputError",
    http_status: None,
    retryable: false,
    summary: "a handle is of another kind or was already freed",
    advice: "pass a live handle of the kind the function names, and free each handle once",
    source: OURS,
};

pub(crate) const UNSUPPORTED_PDF_SPEC: Spec = Spec {
    constant: "SIGNDOC_E_UNSUPPORTED_PDF_SPEC",
    name: "unsupported_pdf_spec",
    category: Category::Local,
    class: "InputError",
    http_status: None,
    retryable: false,
    summary: "the conversion asked for is not supported",
    advice: "ask for PDFA_2B, the only supported conversion",
    source: CONVERT_DOC,
};

pub(crate) const CALLBACK_FAILED: Spec = Spec {
    constant: "SIGNDOC_E_CALLBACK_FAILED",
    name: "callback_failed",
    category: Category::Local,
    class: "SignDocError",
    http_status: None,
    retryable: false,
    summary: "a function given by the caller failed",
    advice: "look at the cause carried by this error: it is the failure of your own reader, writer or progress function",
    source: OURS,
};

pub(crate) const MISSING_SECRET: Spec = Spec {
    constant: "SIGNDOC_E_MISSING_SECRET",
    name: "missing_secret",
    category: Category::Local,
    class: "ConfigError",
    http_status: None,
    retryable: false,
    summary: "the client's secret or private key is not available",
    advice: "set the client secret or the private key, or name a file that holds it; a client copied to another process carries no secret and reads it from the environment there",
    source: OURS,
};

pub(crate) const KEY_MISMATCH: Spec = Spec {
    constant: "SIGNDOC_E_KEY_MISMATCH",
    name: "key_mismatch",
    category: Category::Local,
    class: "ConfigError",
    http_status: None,
    retryable: false,
    summary: "the private key does not fit the signature algorithm",
    advice: "give a key of the kind the algorithm needs (RSA for RS256, P-256 for ES256), or name the other algorithm",
    source: "RFC 7518, section 3.1",
};

pub(crate) const SANDBOX_FAILED: Spec = Spec {
    constant: "SIGNDOC_E_SANDBOX_FAILED",
    name: "sandbox_failed",
    category: Category::Local,
    class: "SignDocError",
    http_status: None,
    retryable: false,
    summary: "the sandbox could not be started or did not answer",
    advice: "read the sandbox's output in the message; check that the program is installed and that a loopback port is free",
    source: OURS,
};

pub(crate) const PDF_ENCRYPTED: Spec = Spec {
    constant: "SIGNDOC_E_PDF_ENCRYPTED",
    name: "pdf_encrypted",
    category: Category::Local,
    class: "InputError",
    http_status: None,
    retryable: false,
    summary: "the PDF is encrypted",
    advice: "remove the encryption before converting or signing the document",
    source: "ISO 32000-1, section 7.6",
};

pub(crate) const PDF_NOT_SIGNABLE: Spec = Spec {
    constant: "SIGNDOC_E_PDF_NOT_SIGNABLE",
    name: "pdf_not_signable",
    category: Category::Local,
    class: "InputError",
    http_status: None,
    retryable: false,
    summary: "the PDF cannot carry a further signature",
    advice: "look at the reason in the message; a damaged structure or a certification that forbids changes must be mended by whoever made the document",
    source: "ISO 32000-1, section 12.8",
};

pub(crate) const UNENCODABLE_TEXT: Spec = Spec {
    constant: "SIGNDOC_E_UNENCODABLE_TEXT",
    name: "unencodable_text",
    category: Category::Local,
    class: "InputError",
    http_status: None,
    retryable: false,
    summary: "a text to be signed holds a character that ISO-8859-1 cannot express; told as a warning in the log, the text is sent all the same",
    advice: "where the service refuses the order, replace the character that the warning names, or send the text as a PDF",
    source: "SEID-SDO text signing",
};

pub(crate) const SEAL_PAGE: Spec = Spec {
    constant: "SIGNDOC_E_SEAL_PAGE",
    name: "seal_page",
    category: Category::Local,
    class: "InputError",
    http_status: None,
    retryable: false,
    summary: "a visual seal is placed on a page the PDF does not have",
    advice: "give a page between 1 and the document's number of pages",
    source: "interface specification, PAdES sign order",
};

pub(crate) const CONTENT_KIND: Spec = Spec {
    constant: "SIGNDOC_E_CONTENT_KIND",
    name: "content_kind",
    category: Category::Local,
    class: "InputError",
    http_status: None,
    retryable: false,
    summary: "a document holds more or less than one kind of content",
    advice: "give exactly one of: a PDF, a text, or XML together with its stylesheet",
    source: "interface specification, SEID-SDO sign order",
};

pub(crate) const JOURNAL_FAILED: Spec = Spec {
    constant: "SIGNDOC_E_JOURNAL_FAILED",
    name: "journal_failed",
    category: Category::Local,
    class: "SignDocError",
    http_status: None,
    retryable: false,
    summary: "the download journal could not be written, read or locked",
    advice: "make the destination folder writable and see that no other process downloads into it; nothing was deleted at the service",
    source: OURS,
};

pub(crate) const WRONG_CALL_ORDER: Spec = Spec {
    constant: "SIGNDOC_E_WRONG_CALL_ORDER",
    name: "wrong_call_order",
    category: Category::Local,
    class: "InputError",
    http_status: None,
    retryable: false,
    summary: "a step was called before the one it needs",
    advice: "call the steps in the order the message names",
    source: "interface specification, States and transitions",
};
