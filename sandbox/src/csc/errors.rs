//! The errors of the CSC endpoints: the service's own body, with the statuses of the specification.

use http::StatusCode;
use serde_json::json;

use crate::http::Answer;
use crate::state::State;
use crate::variants::CscErrorForm;

/// Every code with its status and what is said by default.
pub(crate) const CODES: [(&str, u16, &str); 28] = [
    ("invalid_request", 400, "Missing required parameter, invalid value, or malformed request"),
    ("invalid_parameters", 400, "One or more parameters invalid or missing"),
    ("invalid_credential_id", 400, "Credential ID invalid or not found"),
    ("invalid_sad", 400, "Signature Activation Data invalid"),
    ("invalid_hash_algorithm", 400, "Hash algorithm not supported"),
    ("invalid_signature_format", 400, "Signature format or algorithm not supported"),
    ("hash_mismatch", 400, "Number of hashes differs from numSignatures"),
    ("document_too_large", 413, "Payload exceeds the maximum size"),
    ("token_already_used", 400, "Token already used at this endpoint or used out of order"),
    ("authentication_required", 401, "Authentication required"),
    ("invalid_token", 401, "Access token invalid, expired or malformed"),
    ("insufficient_scope", 403, "Token lacks the required scope"),
    ("credential_not_found", 404, "Credential not found"),
    ("credential_locked", 403, "Credential locked or suspended"),
    ("credential_expired", 403, "Credential expired"),
    ("certificate_not_found", 404, "Certificate not found"),
    ("certificate_expired", 403, "Certificate expired"),
    ("certificate_revoked", 403, "Certificate revoked"),
    ("certificate_creation_failed", 500, "Certificate generation failed"),
    ("signing_limit_exceeded", 403, "Signing limit exceeded"),
    ("signature_validation_failed", 422, "Signature validation failed"),
    ("unsupported_operation", 501, "Operation unsupported for this credential type"),
    ("csc_service_error", 500, "Error communicating with the signing backend"),
    ("csc_service_timeout", 500, "Signing backend did not respond in time"),
    ("csc_service_unavailable", 503, "Signing backend temporarily unavailable"),
    ("csc_user_keys_limit", 503, "Signing backend key generation limit reached"),
    ("service_unavailable", 503, "Service temporarily unavailable"),
    ("internal_error", 500, "Internal server error"),
];

/// Whether the specification knows a code.
pub(crate) fn is_known(code: &str) -> bool {
    CODES.iter().any(|(known, _, _)| *known == code)
}

/// A refusal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CscError {
    code: String,
    reason: String,
}

impl CscError {
    /// A refusal with its reason, which is also told.
    pub(crate) fn new(code: &str, reason: impl Into<String>) -> Self {
        Self { code: code.to_owned(), reason: reason.into() }
    }

    /// The body with `errorCode`, `errorDescription` and `errorReference`, or the standard's.
    pub(crate) fn answer(&self, state: &State) -> Answer {
        let row = CODES.iter().find(|(known, _, _)| *known == self.code);
        let (status, said) = row.map_or((500, ""), |(_, status, said)| (*status, *said));
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let number =
            state.random.block().iter().take(4).fold(0, |n: u64, byte| n << 8 | u64::from(*byte));
        let description = format!("{said}: {}", self.reason);
        let body = match state.variants().csc_error_form {
            CscErrorForm::Service => json!({
                "errorCode": self.code,
                "errorDescription": description,
                "errorReference": format!("REF{number:010}"),
            }),
            CscErrorForm::Standard => {
                json!({"error": self.code, "error_description": description})
            }
        };
        Answer::json(status, &body).refused(format!("{}: {}", self.code, self.reason))
    }
}
