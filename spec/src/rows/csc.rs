//! Rows of the credential-based signing (CSC) endpoints, in the specification's order.

use super::Spec;
use crate::Category;

const ERRORS: &str = "interface specification, CSC endpoint errors";
const OURS: &str = "this library";

pub(crate) const CSC_INVALID_REQUEST: Spec = Spec {
    constant: "SIGNDOC_E_CSC_INVALID_REQUEST",
    name: "invalid_request",
    category: Category::RequestValidation,
    class: "CscRequestError",
    http_status: Some(400),
    retryable: false,
    summary: "the request lacks a required parameter, has an invalid value or is malformed",
    advice: "correct the request as the description says, then send it again; contact support with the reference if it persists",
    source: ERRORS,
};

pub(crate) const CSC_INVALID_PARAMETERS: Spec = Spec {
    constant: "SIGNDOC_E_CSC_INVALID_PARAMETERS",
    name: "invalid_parameters",
    category: Category::RequestValidation,
    class: "CscRequestError",
    http_status: Some(400),
    retryable: false,
    summary: "one or more parameters are invalid or missing",
    advice: "correct the parameters the description names, then send the request again; contact support with the reference if it persists",
    source: ERRORS,
};

pub(crate) const CSC_INVALID_CREDENTIAL_ID: Spec = Spec {
    constant: "SIGNDOC_E_CSC_INVALID_CREDENTIAL_ID",
    name: "invalid_credential_id",
    category: Category::RequestValidation,
    class: "CscRequestError",
    http_status: Some(400),
    retryable: false,
    summary: "the credential ID is invalid or not found",
    advice: "use a credential ID from this session's list, unchanged; contact support with the reference if it persists",
    source: ERRORS,
};

pub(crate) const CSC_INVALID_SAD: Spec = Spec {
    constant: "SIGNDOC_E_CSC_INVALID_SAD",
    name: "invalid_sad",
    category: Category::RequestValidation,
    class: "CscRequestError",
    http_status: Some(400),
    retryable: false,
    summary: "the signature activation data is invalid",
    advice: "use the SAD that this session's authorize step gave, once and before it expires; otherwise start a new session; contact support with the reference if it persists",
    source: ERRORS,
};

pub(crate) const CSC_INVALID_HASH_ALGORITHM: Spec = Spec {
    constant: "SIGNDOC_E_CSC_INVALID_HASH_ALGORITHM",
    name: "invalid_hash_algorithm",
    category: Category::RequestValidation,
    class: "CscRequestError",
    http_status: Some(400),
    retryable: false,
    summary: "the hash algorithm is not supported",
    advice: "use a hash algorithm the credential supports, such as sha256, and hashes of its length; contact support with the reference if it persists",
    source: ERRORS,
};

pub(crate) const CSC_INVALID_SIGNATURE_FORMAT: Spec = Spec {
    constant: "SIGNDOC_E_CSC_INVALID_SIGNATURE_FORMAT",
    name: "invalid_signature_format",
    category: Category::RequestValidation,
    class: "CscRequestError",
    http_status: Some(400),
    retryable: false,
    summary: "the signature format or algorithm is not supported",
    advice: "use a signature algorithm from the credential's own list; contact support with the reference if it persists",
    source: ERRORS,
};

pub(crate) const CSC_HASH_MISMATCH: Spec = Spec {
    constant: "SIGNDOC_E_CSC_HASH_MISMATCH",
    name: "hash_mismatch",
    category: Category::RequestValidation,
    class: "CscRequestError",
    http_status: Some(400),
    retryable: false,
    summary: "the number of hashes differs from numSignatures",
    advice: "authorize exactly the hashes that are to be signed; contact support with the reference if it persists",
    source: ERRORS,
};

pub(crate) const CSC_DOCUMENT_TOO_LARGE: Spec = Spec {
    constant: "SIGNDOC_E_CSC_DOCUMENT_TOO_LARGE",
    name: "document_too_large",
    category: Category::RequestValidation,
    class: "CscRequestError",
    http_status: Some(413),
    retryable: false,
    summary: "the payload exceeds the maximum size",
    advice: "send fewer hashes in one session; contact support with the reference if it persists",
    source: ERRORS,
};

pub(crate) const CSC_TOKEN_ALREADY_USED: Spec = Spec {
    constant: "SIGNDOC_E_CSC_TOKEN_ALREADY_USED",
    name: "token_already_used",
    category: Category::TokenLifecycle,
    class: "CscTokenError",
    http_status: Some(400),
    retryable: false,
    summary: "the token was already used at this endpoint or used out of order",
    advice: "obtain a fresh access token and start a new session: each token goes through list, authorize and signHash once; contact support with the reference if it persists",
    source: ERRORS,
};

pub(crate) const CSC_AUTHENTICATION_REQUIRED: Spec = Spec {
    constant: "SIGNDOC_E_CSC_AUTHENTICATION_REQUIRED",
    name: "authentication_required",
    category: Category::Authentication,
    class: "CscAuthenticationError",
    http_status: Some(401),
    retryable: false,
    summary: "authentication is required",
    advice: "send the session's access token as a bearer token; contact support with the reference if it persists",
    source: ERRORS,
};

pub(crate) const CSC_INVALID_TOKEN: Spec = Spec {
    constant: "SIGNDOC_E_CSC_INVALID_TOKEN",
    name: "invalid_token",
    category: Category::Authentication,
    class: "CscAuthenticationError",
    http_status: Some(401),
    retryable: false,
    summary: "the access token is invalid, expired or malformed",
    advice: "use the token the signing interface issued for this session, before it expires, or start a new session; contact support with the reference if it persists",
    source: ERRORS,
};

pub(crate) const CSC_INSUFFICIENT_SCOPE: Spec = Spec {
    constant: "SIGNDOC_E_CSC_INSUFFICIENT_SCOPE",
    name: "insufficient_scope",
    category: Category::Authorization,
    class: "CscAuthorizationError",
    http_status: Some(403),
    retryable: false,
    summary: "the token lacks the required scope",
    advice: "use a token with the required scope; ask support to grant it to this client if it cannot be obtained",
    source: ERRORS,
};

pub(crate) const CSC_CREDENTIAL_NOT_FOUND: Spec = Spec {
    constant: "SIGNDOC_E_CSC_CREDENTIAL_NOT_FOUND",
    name: "credential_not_found",
    category: Category::Credential,
    class: "CscCredentialError",
    http_status: Some(404),
    retryable: false,
    summary: "the credential was not found",
    advice: "verify the credential ID against this session's list; contact support with the reference if it persists",
    source: ERRORS,
};

pub(crate) const CSC_CREDENTIAL_LOCKED: Spec = Spec {
    constant: "SIGNDOC_E_CSC_CREDENTIAL_LOCKED",
    name: "credential_locked",
    category: Category::Credential,
    class: "CscCredentialError",
    http_status: Some(403),
    retryable: false,
    summary: "the credential is locked or suspended",
    advice: "verify the credential's status; its owner must have it unlocked, or use another credential; contact support with the reference if it persists",
    source: ERRORS,
};

pub(crate) const CSC_CREDENTIAL_EXPIRED: Spec = Spec {
    constant: "SIGNDOC_E_CSC_CREDENTIAL_EXPIRED",
    name: "credential_expired",
    category: Category::Credential,
    class: "CscCredentialError",
    http_status: Some(403),
    retryable: false,
    summary: "the credential has expired",
    advice: "verify the credential's status, and start a new session to get a current one; contact support with the reference if it persists",
    source: ERRORS,
};

pub(crate) const CSC_CERTIFICATE_NOT_FOUND: Spec = Spec {
    constant: "SIGNDOC_E_CSC_CERTIFICATE_NOT_FOUND",
    name: "certificate_not_found",
    category: Category::Credential,
    class: "CscCredentialError",
    http_status: Some(404),
    retryable: false,
    summary: "the certificate was not found",
    advice: "verify the credential ID and its status; contact support with the reference if it persists",
    source: ERRORS,
};

pub(crate) const CSC_CERTIFICATE_EXPIRED: Spec = Spec {
    constant: "SIGNDOC_E_CSC_CERTIFICATE_EXPIRED",
    name: "certificate_expired",
    category: Category::Credential,
    class: "CscCredentialError",
    http_status: Some(403),
    retryable: false,
    summary: "the certificate has expired",
    advice: "verify the credential's status, and start a new session to get a current certificate; contact support with the reference if it persists",
    source: ERRORS,
};

pub(crate) const CSC_CERTIFICATE_REVOKED: Spec = Spec {
    constant: "SIGNDOC_E_CSC_CERTIFICATE_REVOKED",
    name: "certificate_revoked",
    category: Category::Credential,
    class: "CscCredentialError",
    http_status: Some(403),
    retryable: false,
    summary: "the certificate was revoked",
    advice: "do not sign with this credential; its owner must obtain a new one; contact support with the reference if it persists",
    source: ERRORS,
};

pub(crate) const CSC_CERTIFICATE_CREATION_FAILED: Spec = Spec {
    constant: "SIGNDOC_E_CSC_CERTIFICATE_CREATION_FAILED",
    name: "certificate_creation_failed",
    category: Category::SigningBackend,
    class: "CscSigningBackendError",
    http_status: Some(500),
    retryable: false,
    summary: "the certificate could not be generated while the credential was created",
    advice: "contact support with the reference; nothing in the request is known to be wrong",
    source: ERRORS,
};

pub(crate) const CSC_SIGNING_LIMIT_EXCEEDED: Spec = Spec {
    constant: "SIGNDOC_E_CSC_SIGNING_LIMIT_EXCEEDED",
    name: "signing_limit_exceeded",
    category: Category::Signing,
    class: "CscSigningError",
    http_status: Some(403),
    retryable: false,
    summary: "the signing limit is exceeded",
    advice: "contact support with the reference; they know the limit that applies",
    source: ERRORS,
};

pub(crate) const CSC_SIGNATURE_VALIDATION_FAILED: Spec = Spec {
    constant: "SIGNDOC_E_CSC_SIGNATURE_VALIDATION_FAILED",
    name: "signature_validation_failed",
    category: Category::Signing,
    class: "CscSigningError",
    http_status: Some(422),
    retryable: false,
    summary: "the signature could not be validated",
    advice: "contact support with the reference; no signature was handed out",
    source: ERRORS,
};

pub(crate) const CSC_UNSUPPORTED_OPERATION: Spec = Spec {
    constant: "SIGNDOC_E_CSC_UNSUPPORTED_OPERATION",
    name: "unsupported_operation",
    category: Category::Signing,
    class: "CscSigningError",
    http_status: Some(501),
    retryable: false,
    summary: "the operation is not supported for this type of credential",
    advice: "contact support with the reference to learn what the credential can do",
    source: ERRORS,
};

pub(crate) const CSC_SERVICE_ERROR: Spec = Spec {
    constant: "SIGNDOC_E_CSC_SERVICE_ERROR",
    name: "csc_service_error",
    category: Category::Service,
    class: "CscServiceError",
    http_status: Some(500),
    retryable: true,
    summary: "the service could not communicate with the signing backend",
    advice: "try again after a short delay; contact support with the reference if it persists",
    source: ERRORS,
};

pub(crate) const CSC_SERVICE_TIMEOUT: Spec = Spec {
    constant: "SIGNDOC_E_CSC_SERVICE_TIMEOUT",
    name: "csc_service_timeout",
    category: Category::Service,
    class: "CscServiceError",
    http_status: Some(500),
    retryable: true,
    summary: "the signing backend did not answer in time",
    advice: "try again after a short delay; contact support with the reference if it persists",
    source: ERRORS,
};

pub(crate) const CSC_SERVICE_UNAVAILABLE: Spec = Spec {
    constant: "SIGNDOC_E_CSC_SERVICE_UNAVAILABLE",
    name: "csc_service_unavailable",
    category: Category::Service,
    class: "CscServiceError",
    http_status: Some(503),
    retryable: true,
    summary: "the signing backend is temporarily unavailable",
    advice: "try again after a short delay; contact support with the reference if it persists",
    source: ERRORS,
};

pub(crate) const CSC_USER_KEYS_LIMIT: Spec = Spec {
    constant: "SIGNDOC_E_CSC_USER_KEYS_LIMIT",
    name: "csc_user_keys_limit",
    category: Category::Service,
    class: "CscServiceError",
    http_status: Some(503),
    retryable: true,
    summary: "the signing backend's key generation limit is reached",
    advice: "try again after a short delay, when keys can be generated anew; contact support with the reference if it persists",
    source: ERRORS,
};

pub(crate) const CSC_UNAVAILABLE: Spec = Spec {
    constant: "SIGNDOC_E_CSC_UNAVAILABLE",
    name: "service_unavailable",
    category: Category::Service,
    class: "CscServiceError",
    http_status: Some(503),
    retryable: true,
    summary: "the service is temporarily unavailable",
    advice: "try again after a short delay; contact support with the reference if it persists",
    source: ERRORS,
};

pub(crate) const CSC_INTERNAL_ERROR: Spec = Spec {
    constant: "SIGNDOC_E_CSC_INTERNAL_ERROR",
    name: "internal_error",
    category: Category::Internal,
    class: "CscInternalError",
    http_status: Some(500),
    retryable: false,
    summary: "the service met an internal error",
    advice: "contact support with the reference; nothing in the request is known to be wrong",
    source: ERRORS,
};

pub(crate) const CSC_UNKNOWN: Spec = Spec {
    constant: "SIGNDOC_E_CSC_UNKNOWN",
    name: "unknown_csc_error",
    category: Category::Protocol,
    class: "CscError",
    http_status: None,
    retryable: false,
    summary: "the signing interface refused with a code the interface does not name",
    advice: "look at the service's description, which this error carries; contact support with the reference",
    source: ERRORS,
};

pub(crate) const CSC_SIGNATURE_MISMATCH: Spec = Spec {
    constant: "SIGNDOC_E_CSC_SIGNATURE_MISMATCH",
    name: "signature_mismatch",
    category: Category::Signing,
    class: "CscSigningError",
    http_status: None,
    retryable: false,
    summary: "a returned signature does not fit the hash and the credential's certificate",
    advice: "do not use the signature; contact support with the reference of the session",
    source: OURS,
};

pub(crate) const CSC_SESSION_SPENT: Spec = Spec {
    constant: "SIGNDOC_E_CSC_SESSION_SPENT",
    name: "session_spent",
    category: Category::TokenLifecycle,
    class: "CscTokenError",
    http_status: None,
    retryable: false,
    summary: "this signing session has already signed or failed",
    advice: "start a new session: each access token allows one list, one authorize and one signHash",
    source: "interface specification, States and transitions",
};
