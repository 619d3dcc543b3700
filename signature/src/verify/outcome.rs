//! From what was found about a CMS to the checks of a signature.

use super::candidate::{Candidate, Content};
use super::evidence::ChainStatus;
use super::level::Level;
use super::report::{SignatureReport, SignerReport};
use crate::cms::{Leniency, ProblemKind, Verification};
use crate::report::{Check, Checks, Status};

/// Without an acceptable range there is nothing that the signature could be over.
pub(super) fn uncovered(checks: &mut Checks) {
    for name in ["digest", "signature", "chain"] {
        checks.not_checked(name, "what it covers is not acceptable");
    }
}

pub(super) fn unreadable(candidate: &Candidate, checks: &mut Checks) {
    if let Content::Unsupported(reason) = &candidate.content {
        for name in ["digest", "signature", "chain"] {
            checks.not_checked(name, reason.clone());
        }
        return;
    }
    let reason = match &candidate.content {
        Content::Unreadable(reason) => reason.clone(),
        _ => "its content is of another kind than it says".to_owned(),
    };
    checks.not_checked("digest", "the signature cannot be read");
    checks.failed("signature", reason);
    checks.not_checked("chain", "the signature cannot be read");
}

pub(super) fn describe_cms(found: &Verification, report: &mut SignatureReport) {
    report.signer = found.signer.as_ref().map(SignerReport::of);
    report.algorithm = found.algorithm.map(|algorithm| algorithm.to_string());
    report.leniencies = found.leniencies.iter().map(ToString::to_string).collect();
}

pub(super) fn check_value(found: &Verification, checks: &mut Checks) {
    let of_digest = |kind| matches!(kind, ProblemKind::Digest | ProblemKind::ContentMissing);
    let (digest, other): (Vec<_>, Vec<_>) =
        found.problems.iter().partition(|problem| of_digest(problem.kind));
    let join = |problems: Vec<&crate::cms::Problem>| {
        problems.into_iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
    };
    if found.digest_matches && digest.is_empty() {
        checks.passed("digest", "the covered bytes are those that were signed");
    } else if !digest.is_empty() {
        checks.failed("digest", join(digest));
    } else if found.is_open() {
        checks.not_checked("digest", join(other.clone()));
    } else {
        checks.failed("digest", "the signed digest cannot be told");
    }
    if found.signature_matches && other.is_empty() {
        checks.passed("signature", "the signature holds");
    } else if other.is_empty() {
        checks.failed("signature", "the signature does not hold");
    } else if other.iter().all(|problem| problem.is_open) {
        checks.not_checked("signature", join(other));
    } else {
        checks.failed("signature", join(other));
    }
}

pub(super) fn check_certificate_attribute(found: &Verification, checks: &mut Checks) {
    let name = "signing_certificate";
    if found.names_certificate {
        checks.passed(name, "the signature names its certificate");
    } else if found.certificate_attribute.is_some() {
        checks.failed(name, "the signature names another certificate");
    } else {
        checks.not_checked(name, "the signature does not say which certificate belongs to it");
    }
}

pub(super) fn report_revocation(status: &ChainStatus, checks: &mut Checks) {
    match status {
        ChainStatus::Good => checks.passed("revocation", "no certificate was revoked"),
        ChainStatus::Revoked(detail) => checks.failed("revocation", detail.clone()),
        ChainStatus::Unknown(detail) => checks.not_checked("revocation", detail.clone()),
    }
}

/// B-B, when the signature is valid and has the attributes of the baseline.
pub(super) fn basic_level(
    candidate: &Candidate,
    found: &Verification,
    checks: &Checks,
) -> Option<Level> {
    let is_baseline = candidate.value.sub_filter == "ETSI.CAdES.detached"
        && found.names_certificate
        && !found.leniencies.contains(&Leniency::NoSignedAttributes)
        && !found.leniencies.contains(&Leniency::EmbeddedContent);
    let is_valid = found.is_valid() && checks.status("byte_range") == Status::Passed;
    (is_baseline && is_valid).then_some(Level::BB)
}

/// The check of what deviates from the standards although it is accepted.
pub(super) fn conformance(deviations: &[String], is_strict: bool) -> Check {
    let name = "conformance";
    match (deviations.is_empty(), is_strict) {
        (true, _) => Check::passed(name, "nothing deviates from the standards"),
        (false, true) => Check::failed(name, deviations.join("; ")),
        (false, false) => {
            Check::not_checked(name, format!("accepted all the same: {}", deviations.join("; ")))
        }
    }
}
