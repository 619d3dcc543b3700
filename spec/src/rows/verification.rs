//! Rows of checking signed documents offline.

use super::Spec;
use crate::Category;

const OURS: &str = "this library";
const PADES: &str = "ETSI EN 319 142-1";
const X509: &str = "RFC 5280, section 6";
const BYTE_RANGE: &str = "ISO 32000-1, section 12.8.1";
const SDO: &str = "SEID-SDO 1.0";
const REFUSE: &str = "do not accept the document as signed; fetch it again from where it is kept, and if it stays so treat it as altered";

pub(crate) const VERIFICATION_FAILED: Spec = Spec {
    constant: "SIGNDOC_E_VERIFICATION_FAILED",
    name: "verification_failed",
    category: Category::Verification,
    class: "VerificationError",
    http_status: None,
    retryable: false,
    summary: "the signed document did not pass verification",
    advice: "look at the report: every check names what it found",
    source: OURS,
};

pub(crate) const INTEGRITY_FAILED: Spec = Spec {
    constant: "SIGNDOC_E_INTEGRITY_FAILED",
    name: "integrity_failed",
    category: Category::Verification,
    class: "VerificationError",
    http_status: None,
    retryable: false,
    summary: "the signed bytes do not have the digest the signature states",
    advice: REFUSE,
    source: BYTE_RANGE,
};

pub(crate) const SIGNATURE_INVALID: Spec = Spec {
    constant: "SIGNDOC_E_SIGNATURE_INVALID",
    name: "signature_invalid",
    category: Category::Verification,
    class: "VerificationError",
    http_status: None,
    retryable: false,
    summary: "the signature's value does not fit its content and certificate",
    advice: REFUSE,
    source: "RFC 5652, section 5.6",
};

pub(crate) const CHAIN_UNTRUSTED: Spec = Spec {
    constant: "SIGNDOC_E_CHAIN_UNTRUSTED",
    name: "chain_untrusted",
    category: Category::Verification,
    class: "VerificationError",
    http_status: None,
    retryable: false,
    summary: "the signer's certificate does not lead to a trusted root",
    advice: "give the roots you trust, as published by the certificate issuer; otherwise do not accept the signer",
    source: X509,
};

pub(crate) const CERTIFICATE_EXPIRED: Spec = Spec {
    constant: "SIGNDOC_E_CERTIFICATE_EXPIRED",
    name: "certificate_expired",
    category: Category::Verification,
    class: "VerificationError",
    http_status: None,
    retryable: false,
    summary: "a certificate had expired at the time of signing",
    advice: "do not accept the signature unless a trusted timestamp proves an earlier time",
    source: X509,
};

pub(crate) const CERTIFICATE_REVOKED: Spec = Spec {
    constant: "SIGNDOC_E_CERTIFICATE_REVOKED",
    name: "certificate_revoked",
    category: Category::Verification,
    class: "VerificationError",
    http_status: None,
    retryable: false,
    summary: "a certificate was revoked at the time of signing",
    advice: "do not accept the signature",
    source: X509,
};

pub(crate) const SIGNER_MISMATCH: Spec = Spec {
    constant: "SIGNDOC_E_SIGNER_MISMATCH",
    name: "signer_mismatch",
    category: Category::Verification,
    class: "VerificationError",
    http_status: None,
    retryable: false,
    summary: "the document was signed by someone else than expected",
    advice: "compare the signer in the report with the person you expected; do not accept the document for that person",
    source: OURS,
};

pub(crate) const CONTENT_CHANGED: Spec = Spec {
    constant: "SIGNDOC_E_CONTENT_CHANGED",
    name: "content_changed",
    category: Category::Verification,
    class: "VerificationError",
    http_status: None,
    retryable: false,
    summary: "the signed document is not the document that was sent",
    advice: "do not accept the document: what was signed differs from the original as the report says",
    source: OURS,
};

pub(crate) const NOT_CHECKED: Spec = Spec {
    constant: "SIGNDOC_E_NOT_CHECKED",
    name: "not_checked",
    category: Category::Verification,
    class: "VerificationError",
    http_status: None,
    retryable: false,
    summary: "a required check could not be carried out",
    advice: "give what the check needs (roots, original, a document with the evidence inside), or do not require it",
    source: OURS,
};

pub(crate) const SIGNATURE_MISSING: Spec = Spec {
    constant: "SIGNDOC_E_SIGNATURE_MISSING",
    name: "signature_missing",
    category: Category::Verification,
    class: "VerificationError",
    http_status: None,
    retryable: false,
    summary: "the document carries no signature",
    advice: "check that this is the downloaded signed document and not the original",
    source: PADES,
};

pub(crate) const SIGNATURE_UNSUPPORTED: Spec = Spec {
    constant: "SIGNDOC_E_SIGNATURE_UNSUPPORTED",
    name: "signature_unsupported",
    category: Category::Verification,
    class: "VerificationError",
    http_status: None,
    retryable: false,
    summary: "the signature's format or algorithm is not supported",
    advice: "verify the document with another program; this one can say neither yes nor no",
    source: PADES,
};

pub(crate) const CERTIFICATE_NOT_YET_VALID: Spec = Spec {
    constant: "SIGNDOC_E_CERTIFICATE_NOT_YET_VALID",
    name: "certificate_not_yet_valid",
    category: Category::Verification,
    class: "VerificationError",
    http_status: None,
    retryable: false,
    summary: "a certificate was not yet valid at the time of signing",
    advice: "do not accept the signature; if the time comes from this machine, check its clock",
    source: X509,
};

pub(crate) const REVOCATION_UNKNOWN: Spec = Spec {
    constant: "SIGNDOC_E_REVOCATION_UNKNOWN",
    name: "revocation_unknown",
    category: Category::Verification,
    class: "VerificationError",
    http_status: None,
    retryable: false,
    summary: "it is not known whether a certificate was revoked",
    advice: "ask for a document with revocation answers inside, or do not require this check",
    source: "RFC 6960",
};

pub(crate) const TIMESTAMP_INVALID: Spec = Spec {
    constant: "SIGNDOC_E_TIMESTAMP_INVALID",
    name: "timestamp_invalid",
    category: Category::Verification,
    class: "VerificationError",
    http_status: None,
    retryable: false,
    summary: "a timestamp does not fit the signature or is not trusted",
    advice: "do not rely on the stated signing time; give the roots of the timestamp authority if they are missing",
    source: "RFC 3161",
};

pub(crate) const LEVEL_NOT_MET: Spec = Spec {
    constant: "SIGNDOC_E_LEVEL_NOT_MET",
    name: "level_not_met",
    category: Category::Verification,
    class: "VerificationError",
    http_status: None,
    retryable: false,
    summary: "the signature is of a lower level than required",
    advice: "ask for a signature of the required level, or require a lower one",
    source: PADES,
};

pub(crate) const WEAK_ALGORITHM: Spec = Spec {
    constant: "SIGNDOC_E_WEAK_ALGORITHM",
    name: "weak_algorithm",
    category: Category::Verification,
    class: "VerificationError",
    http_status: None,
    retryable: false,
    summary: "the signature rests on an algorithm that is no longer trusted",
    advice: "do not accept the signature without further proof; ask for one made with a current algorithm",
    source: "ETSI TS 119 312",
};

pub(crate) const CHANGED_AFTER_SIGNING: Spec = Spec {
    constant: "SIGNDOC_E_CHANGED_AFTER_SIGNING",
    name: "changed_after_signing",
    category: Category::Verification,
    class: "VerificationError",
    http_status: None,
    retryable: false,
    summary: "the document was changed after its last signature",
    advice: "look at the changes in the report; only the part the signature covers was signed",
    source: BYTE_RANGE,
};

pub(crate) const PDF_MALFORMED: Spec = Spec {
    constant: "SIGNDOC_E_PDF_MALFORMED",
    name: "pdf_malformed",
    category: Category::Verification,
    class: "VerificationError",
    http_status: None,
    retryable: false,
    summary: "the PDF's structure cannot be read",
    advice: "check that the file is complete; a damaged file cannot be verified",
    source: "ISO 32000-1, section 7.5",
};

pub(crate) const SDO_MALFORMED: Spec = Spec {
    constant: "SIGNDOC_E_SDO_MALFORMED",
    name: "sdo_malformed",
    category: Category::Verification,
    class: "VerificationError",
    http_status: None,
    retryable: false,
    summary: "the signed data object cannot be read",
    advice: "check that the file is complete; a damaged file cannot be verified",
    source: SDO,
};

pub(crate) const SEAL_INVALID: Spec = Spec {
    constant: "SIGNDOC_E_SEAL_INVALID",
    name: "seal_invalid",
    category: Category::Verification,
    class: "VerificationError",
    http_status: None,
    retryable: false,
    summary: "the seal of the signed data object does not fit its content",
    advice: REFUSE,
    source: SDO,
};

pub(crate) const TRUST_UNUSABLE: Spec = Spec {
    constant: "SIGNDOC_E_TRUST_UNUSABLE",
    name: "trust_unusable",
    category: Category::Verification,
    class: "VerificationError",
    http_status: None,
    retryable: false,
    summary: "the trusted roots cannot be read",
    advice: "give certificates as PEM or DER, at least one",
    source: OURS,
};

pub(crate) const CONTAINER_INVALID: Spec = Spec {
    constant: "SIGNDOC_E_CONTAINER_INVALID",
    name: "container_invalid",
    category: Category::Verification,
    class: "VerificationError",
    http_status: None,
    retryable: false,
    summary: "the container of a signed file and its evidence is not whole",
    advice: "check that the file is complete and that nobody packed it anew; ask whoever made it",
    source: "ETSI EN 319 162-1, section 4.4",
};
