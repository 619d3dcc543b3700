//! Limits of the interface, with their units.

use core::time::Duration;

/// Fewest documents in one conversion request. Source: interface specification, Limits.
pub const CONVERSION_DOCUMENTS_MIN: usize = 1;

/// Most documents in one conversion request. Source: interface specification, Limits.
pub const CONVERSION_DOCUMENTS_MAX: usize = 15;

/// Longest `pdf` of a conversion request document, in base64 characters.
/// Source: interface specification, Limits.
pub const PDF_BASE64_MAX: u64 = 5_000_000;

/// Largest PDF of a conversion request document, in bytes: what [`PDF_BASE64_MAX`] characters of
/// padded base64 (RFC 4648, section 4) can hold.
pub const PDF_BYTES_MAX: u64 = PDF_BASE64_MAX / 4 * 3;

/// How long an order lives between its creation and the start of signing.
/// Source: interface specification, Limits.
pub const ORDER_WINDOW_BEFORE: Duration = Duration::from_secs(90);

/// How long an order lives after signing has ended; the download must happen within it.
/// Source: interface specification, Limits.
pub const ORDER_WINDOW_AFTER: Duration = Duration::from_secs(90);

/// How long a user may take to sign when the order names no `timeoutSeconds`. The specification
/// leaves bounds and default open; this is the service's documented default.
pub const ORDER_SIGNING_DEFAULT: Duration = Duration::from_secs(1800);

/// Fewest documents of an order. Source: the service's documentation of the order endpoints.
pub const ORDER_DOCUMENTS_MIN: usize = 1;

/// Advised upper bound for all documents of one order together, in bytes (35 MB). Not a limit: a
/// larger order may work. Source: the service's documentation of PAdES orders.
pub const ORDER_TOTAL_ADVISED_BYTES: u64 = 35_000_000;

/// Fewest hashes in one CSC authorization. Source: CSC API v2, credentials/authorize.
pub const CSC_HASHES_MIN: usize = 1;

/// Most hashes in one CSC authorization. The specification leaves it open; this is the service's
/// documented bound.
pub const CSC_HASHES_MAX: usize = 50;

/// Longest `description` of a CSC authorization, in characters.
/// Source: CSC API v2, credentials/authorize.
pub const CSC_DESCRIPTION_MAX: usize = 500;

/// How long signature activation data lives when the answer names no `expiresIn`.
/// Source: CSC API v2, credentials/authorize.
pub const CSC_SAD_LIFETIME_DEFAULT: Duration = Duration::from_secs(3600);

/// Shortest PKCE `code_verifier`, in characters. Source: RFC 7636, section 4.1.
pub const CODE_VERIFIER_MIN: usize = 43;

/// Longest PKCE `code_verifier`, in characters. Source: RFC 7636, section 4.1.
pub const CODE_VERIFIER_MAX: usize = 128;

/// Number of base64 characters (padded, no line breaks) that `bytes` bytes become; `None` where
/// the number does not fit 64 bits.
#[must_use]
pub const fn base64_length(bytes: u64) -> Option<u64> {
    bytes.div_ceil(3).checked_mul(4)
}
