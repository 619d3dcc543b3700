//! Rows of answers that do not follow the interface, and of plain HTTP statuses.

use super::Spec;
use crate::Category;

const OURS: &str = "this library";
const RFC9110: &str = "RFC 9110";
const ENDPOINTS: &str = "interface specification, Endpoints";
const RFC4648: &str = "RFC 4648";
const SUPPORT: &str = "this is not the answer the interface promises; call again later, and if it persists contact support with the raw answer that this error carries";

pub(crate) const UNEXPECTED_STATUS: Spec = Spec {
    constant: "SIGNDOC_E_UNEXPECTED_STATUS",
    name: "unexpected_status",
    category: Category::Protocol,
    class: "ProtocolError",
    http_status: None,
    retryable: false,
    summary: "the service answered with a status the interface does not name",
    advice: SUPPORT,
    source: ENDPOINTS,
};

pub(crate) const MALFORMED_ANSWER: Spec = Spec {
    constant: "SIGNDOC_E_MALFORMED_ANSWER",
    name: "malformed_answer",
    category: Category::Protocol,
    class: "ProtocolError",
    http_status: None,
    retryable: false,
    summary: "the answer is not valid JSON or not of the expected shape",
    advice: SUPPORT,
    source: ENDPOINTS,
};

pub(crate) const TRUNCATED_ANSWER: Spec = Spec {
    constant: "SIGNDOC_E_TRUNCATED_ANSWER",
    name: "truncated_answer",
    category: Category::Protocol,
    class: "ProtocolError",
    http_status: None,
    retryable: true,
    summary: "the answer ended before it was complete",
    advice: "call again; a proxy or an unstable connection may cut answers",
    source: RFC9110,
};

pub(crate) const ANSWER_TOO_LARGE: Spec = Spec {
    constant: "SIGNDOC_E_ANSWER_TOO_LARGE",
    name: "answer_too_large",
    category: Category::Protocol,
    class: "ProtocolError",
    http_status: None,
    retryable: false,
    summary: "the answer is larger than the client accepts",
    advice: "send fewer documents in one call; if the size is expected, raise the answer limit",
    source: OURS,
};

pub(crate) const INVALID_BASE64: Spec = Spec {
    constant: "SIGNDOC_E_INVALID_BASE64",
    name: "invalid_base64",
    category: Category::Protocol,
    class: "ProtocolError",
    http_status: None,
    retryable: false,
    summary: "a document in the answer is not valid base64",
    advice: SUPPORT,
    source: RFC4648,
};

pub(crate) const EMPTY_ANSWER: Spec = Spec {
    constant: "SIGNDOC_E_EMPTY_ANSWER",
    name: "empty_answer",
    category: Category::Protocol,
    class: "ProtocolError",
    http_status: None,
    retryable: false,
    summary: "the answer holds no content",
    advice: SUPPORT,
    source: ENDPOINTS,
};

pub(crate) const RESULT_COUNT: Spec = Spec {
    constant: "SIGNDOC_E_RESULT_COUNT",
    name: "result_count",
    category: Category::Protocol,
    class: "ProtocolError",
    http_status: None,
    retryable: false,
    summary: "the number of results differs from the number of documents sent",
    advice: "use the results that arrived, which this error carries, with care: they may not match their documents; contact support if it persists",
    source: ENDPOINTS,
};

pub(crate) const HTML_ANSWER: Spec = Spec {
    constant: "SIGNDOC_E_HTML_ANSWER",
    name: "html_answer",
    category: Category::Protocol,
    class: "ProtocolError",
    http_status: None,
    retryable: false,
    summary: "the answer is an HTML page instead of JSON",
    advice: "check the address and the proxy: a gateway, a login page or an error page answered in place of the service",
    source: ENDPOINTS,
};

pub(crate) const DISCOVERY_INCOMPLETE: Spec = Spec {
    constant: "SIGNDOC_E_DISCOVERY_INCOMPLETE",
    name: "discovery_incomplete",
    category: Category::Protocol,
    class: "ProtocolError",
    http_status: None,
    retryable: false,
    summary: "the identity provider's discovery document lacks a needed entry",
    advice: "check the issuer; where signdoc-baseurl is the missing entry, set base_url yourself",
    source: "OpenID Connect Discovery 1.0; interface specification, Versioning",
};

pub(crate) const MISSING_FIELD: Spec = Spec {
    constant: "SIGNDOC_E_MISSING_FIELD",
    name: "missing_field",
    category: Category::Protocol,
    class: "ProtocolError",
    http_status: None,
    retryable: false,
    summary: "the answer lacks a required field",
    advice: SUPPORT,
    source: "interface specification, Resources and their fields",
};

pub(crate) const REQUEST_REJECTED: Spec = Spec {
    constant: "SIGNDOC_E_REQUEST_REJECTED",
    name: "request_rejected",
    category: Category::RequestValidation,
    class: "ServiceError",
    http_status: Some(400),
    retryable: false,
    summary: "the service refused the request as invalid",
    advice: "correct what the service's message names, then call again",
    source: ENDPOINTS,
};

pub(crate) const ACCESS_TOKEN_REJECTED: Spec = Spec {
    constant: "SIGNDOC_E_ACCESS_TOKEN_REJECTED",
    name: "access_token_rejected",
    category: Category::Authentication,
    class: "ServiceError",
    http_status: None,
    retryable: false,
    summary: "the service refused the access token",
    advice: "check the client's credentials and that its token has the scope the call needs (signdoc/read_write); the token was already renewed once",
    source: "interface specification, Authentication",
};

pub(crate) const NOT_FOUND: Spec = Spec {
    constant: "SIGNDOC_E_NOT_FOUND",
    name: "not_found",
    category: Category::Protocol,
    class: "ServiceError",
    http_status: Some(404),
    retryable: false,
    summary: "the service knows nothing at this address",
    advice: "check that the environment (test or production) is the intended one, and the address: base_url for conversions, orders_url for orders (where not set, both come from the identity provider's signdoc-baseurl), csc_url for the credential-based interface",
    source: RFC9110,
};

pub(crate) const PAYLOAD_TOO_LARGE: Spec = Spec {
    constant: "SIGNDOC_E_PAYLOAD_TOO_LARGE",
    name: "payload_too_large",
    category: Category::RequestValidation,
    class: "ServiceError",
    http_status: Some(413),
    retryable: false,
    summary: "the request is larger than the service accepts",
    advice: "send smaller or fewer documents",
    source: RFC9110,
};

pub(crate) const TOO_MANY_REQUESTS: Spec = Spec {
    constant: "SIGNDOC_E_TOO_MANY_REQUESTS",
    name: "too_many_requests",
    category: Category::Service,
    class: "ServiceError",
    http_status: Some(429),
    retryable: true,
    summary: "the service asks for fewer requests",
    advice: "wait as long as retry_after says, then call again, with less concurrency",
    source: "RFC 6585, section 4",
};

pub(crate) const SERVICE_FAILED: Spec = Spec {
    constant: "SIGNDOC_E_SERVICE_FAILED",
    name: "service_failed",
    category: Category::Service,
    class: "ServiceError",
    http_status: Some(500),
    retryable: true,
    summary: "the service failed while handling the request",
    advice: "call again after a short delay; contact support with the reference if it persists",
    source: RFC9110,
};

pub(crate) const SERVICE_UNAVAILABLE: Spec = Spec {
    constant: "SIGNDOC_E_SERVICE_UNAVAILABLE",
    name: "service_unavailable",
    category: Category::Service,
    class: "ServiceError",
    http_status: Some(503),
    retryable: true,
    summary: "the service is temporarily unavailable",
    advice: "call again after a short delay, or when retry_after says so",
    source: RFC9110,
};

pub(crate) const DIGEST_MISMATCH: Spec = Spec {
    constant: "SIGNDOC_E_DIGEST_MISMATCH",
    name: "digest_mismatch",
    category: Category::Protocol,
    class: "ProtocolError",
    http_status: None,
    retryable: false,
    summary: "a downloaded document does not have the digest the service states for it",
    advice: "keep the file aside, do not use it as the signed document, and contact support with the order's sign_id",
    source: "interface specification, PAdES download result",
};

pub(crate) const DOWNLOAD_INCOMPLETE: Spec = Spec {
    constant: "SIGNDOC_E_DOWNLOAD_INCOMPLETE",
    name: "download_incomplete",
    category: Category::Protocol,
    class: "ProtocolError",
    http_status: None,
    retryable: false,
    summary: "a download lacks a result that was asked for, or holds one that cannot be read",
    advice: "do not download again, the order is gone from the service: use what arrived, which this error carries, and keep the raw answer it names; recover reads that again, also with a later version; contact support with the sign_id",
    source: "interface specification, PAdES and SEID-SDO download result",
};
