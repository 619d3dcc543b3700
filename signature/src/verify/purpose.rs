//! What a signer's certificate is for: extended key usage, key usage, and whether it is an
//! authority's.

use crate::report::{Check, Status};
use crate::x509::{Certificate, Fit, SignerPurposes};

/// Looks at the certificate of one signer. What is unusual without being forbidden is told as not
/// checked: it is for a person, or for `content_commitment`, to judge.
pub(super) fn check(name: &str, certificate: &Certificate, accepted: &SignerPurposes) -> Check {
    let mut told = Vec::new();
    let fits = match accepted.judge(certificate) {
        Fit::Unfit(detail) => return Check::failed(name, detail),
        Fit::Told(detail) => {
            told.push(detail);
            String::new()
        }
        Fit::Fits(detail) => detail,
    };
    if certificate.extensions().is_ca() {
        told.push("the certificate is that of an authority, not of a signer".to_owned());
    }
    if let Err(detail) = commitment(certificate) {
        told.push(detail);
    }
    match told.is_empty() {
        true => Check::passed(name, format!("content commitment, {fits}")),
        false => Check::not_checked(name, told.join("; ")),
    }
}

/// Whether the key is for committing to content (RFC 5280, 4.2.1.3, nonRepudiation), or what
/// stands there instead.
pub(super) fn commitment(certificate: &Certificate) -> Result<(), String> {
    match certificate.extensions().key_usage() {
        Some(usage) if usage.non_repudiation() => Ok(()),
        Some(usage) if usage.digital_signature() => {
            Err("the key is for digital signatures only, not for content commitment".into())
        }
        Some(_) => Err("the key is not for content commitment".into()),
        None => Err("the certificate does not say what its key is for".into()),
    }
}

/// The check that is there when it was required: every signer commits to the content.
pub(super) fn required<'a>(signers: impl Iterator<Item = Option<&'a Certificate>>) -> Check {
    let name = "content_commitment";
    let mut wrong = Vec::new();
    let mut is_open = false;
    for signer in signers {
        match signer.map(commitment) {
            Some(Ok(())) => {}
            Some(Err(detail)) => wrong.push(detail),
            None => is_open = true,
        }
    }
    match (wrong.is_empty(), is_open) {
        (false, _) => Check::failed(name, wrong.join("; ")),
        (true, true) => Check::new(name, Status::NotChecked, "a signer's certificate is missing"),
        (true, false) => Check::passed(name, "every signer's key is for content commitment"),
    }
}
