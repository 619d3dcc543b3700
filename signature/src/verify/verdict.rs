//! From the findings to the report.

use super::judgement::Findings;
use super::level::Level;
use super::options::{Requirement, VerifyOptions};
use super::purpose;
use super::report::{SignatureReport, VerifyReport};
use super::signature::Judged;
use crate::compare::Changes;
use crate::report::{Check, Checks, Status};
use crate::x509::Certificate;

/// What must pass whatever was asked for.
const ALWAYS: [&str; 6] = ["document", "structure", "integrity", "signature", "chain", "changes"];

pub(super) fn sum_up(findings: Findings, options: &VerifyOptions) -> VerifyReport {
    let Findings { mut checks, signatures, timestamps, mut compared, notes } = findings;
    let own: Vec<&Judged> = signatures.iter().map(|(_, judged)| judged).collect();
    let all: Vec<&Judged> =
        timestamps.iter().map(|(_, judged)| judged).chain(own.iter().copied()).collect();
    if own.is_empty() {
        let detail = "the document holds no signature";
        for name in ["integrity", "signature", "chain"] {
            checks.failed(name, detail);
        }
    } else {
        checks.push(combine("integrity", &all, &["byte_range", "digest"]));
        checks.push(combine("signature", &all, &["signature", "signing_certificate"]));
        checks.push(combine("chain", &own, &["chain"]));
    }
    push_comparison(&mut checks, &compared, options, &own);
    checks.extend(std::mem::take(&mut compared.checks));
    push_seals(&mut checks, &compared);
    if let Some(check) = check_signer(options, &own) {
        checks.push(check);
    }
    if !own.is_empty() {
        checks.push(combine("purpose", &own, &["purpose"]));
        if options.require.contains(&Requirement::ContentCommitment) {
            checks.push(purpose::required(own.iter().map(|judged| judged.certificate.as_ref())));
        }
        checks.push(conformance(&all, options.strict));
        // A document timestamp may prove nothing, but it must not be wrong.
        let stamps = timestamps.iter().map(|(_, judged)| judged);
        let wrong = stamps.filter(|j| j.report.checks.status("timestamp") == Status::Failed);
        let timed: Vec<&Judged> = own.iter().copied().chain(wrong).collect();
        checks.push(combine("timestamp", &timed, &["timestamp"]));
        checks.push(combine("revocation", &own, &["revocation"]));
        checks.push(check_level(&own, options));
    }
    if options.require.contains(&Requirement::ContainerTimestamp) {
        checks.failed("container_timestamp", "the file is in no container");
    }
    let needed = needed(options);
    let ok = checks.required_passed(&needed);
    let is_open = |name: &&&str| checks.status(name) == Status::NotChecked;
    let unanswered = needed.iter().filter(is_open).map(|name| (*name).to_owned()).collect();
    let mut reports: Vec<(usize, SignatureReport)> = signatures
        .into_iter()
        .chain(timestamps)
        .map(|(index, judged)| (index, judged.report))
        .collect();
    reports.sort_by_key(|(index, _)| *index);
    let reports: Vec<SignatureReport> = reports.into_iter().map(|(_, report)| report).collect();
    let (changes, overlaps) = match compared.comparison {
        Ok(comparison) => (comparison.changes, comparison.overlaps),
        Err(_) => (Changes::default(), Vec::new()),
    };
    let pages = Vec::new();
    VerifyReport { ok, checks, unanswered, signatures: reports, changes, overlaps, notes, pages }
}

/// One check from those of several signatures: the worst outcome counts. A missing
/// signing-certificate attribute is no fault by itself; the level tells.
fn combine(name: &str, judged: &[&Judged], parts: &[&str]) -> Check {
    let mut worst = Status::Passed;
    let mut details = Vec::new();
    for judged in judged {
        for part in parts {
            let check = judged.report.checks.get(part);
            let status = check.map_or(Status::NotChecked, |check| check.status);
            if status == Status::Passed
                || *part == "signing_certificate" && status == Status::NotChecked
            {
                continue;
            }
            if status == Status::Failed || worst == Status::Passed {
                worst = status;
            }
            let detail = check.map_or("not looked at", |check| check.detail.as_str());
            details.push(format!("{}: {detail}", judged.report.field));
        }
    }
    if details.is_empty() {
        match judged {
            [one] => details.extend(parts.iter().filter_map(|part| {
                let check = one.report.checks.get(part)?;
                (check.status == Status::Passed).then(|| check.detail.clone())
            })),
            _ => details.push(format!("all {} passed", judged.len())),
        }
    }
    Check::new(name, worst, details.join("; "))
}

/// What deviates from the standards and was accepted; told always, refused when asked to.
fn conformance(all: &[&Judged], is_strict: bool) -> Check {
    let mut deviations = Vec::new();
    for judged in all {
        let report = &judged.report;
        deviations.extend(report.leniencies.iter().map(|odd| format!("{}: {odd}", report.field)));
    }
    super::outcome::conformance(&deviations, is_strict)
}

fn push_comparison(
    checks: &mut Checks,
    compared: &super::comparison::Compared,
    options: &VerifyOptions,
    own: &[&Judged],
) {
    let comparison = match &compared.comparison {
        Ok(comparison) => comparison,
        Err(reason) => {
            checks.failed("changes", reason.clone());
            if compared.is_from_original && !options.converted {
                checks.failed("original", reason.clone());
            }
            return;
        }
    };
    let changes = &comparison.changes;
    let count = changes.forbidden.len() + changes.forbidden_not_listed;
    let outcome = |good: &str| match changes.forbidden.first() {
        None => (Status::Passed, good.to_owned()),
        Some(first) => {
            let object = first.object.as_deref().unwrap_or("the file");
            let rest = if count > 1 { format!(" and {} more", count - 1) } else { String::new() };
            (Status::Failed, format!("{object}: {}{rest}", first.detail))
        }
    };
    let (status, detail) = outcome("later revisions hold only what signing needs");
    checks.push(Check::new("changes", status, detail));
    if !compared.is_from_original || options.converted || options.original.is_none() {
        return;
    }
    if own.iter().all(|judged| judged.report.in_original) {
        checks.failed("original", "nobody signed it after it was sent");
        return;
    }
    let (status, detail) = outcome("only what signing needs was added to it");
    checks.push(Check::new("original", status, detail));
}

fn push_seals(checks: &mut Checks, compared: &super::comparison::Compared) {
    let Ok(comparison) = &compared.comparison else {
        return checks.not_checked("seals", "the document could not be compared");
    };
    if comparison.seals_wrong > 0 {
        let detail = format!("{} in the wrong place or too large", comparison.seals_wrong);
        checks.failed("seals", detail);
    } else if !compared.is_from_original {
        // Only what came after the first signature was looked at: never its own seal.
        let detail = "what was sent is not known; with the original, or the reported digest of \
                      the unsigned document, the seals can be told from it";
        checks.not_checked("seals", detail);
    } else if comparison.seals_unplaced > 0 {
        let detail = format!(
            "{} within the size limit; where they were asked for is not known",
            comparison.seals_unplaced
        );
        checks.not_checked("seals", detail);
    } else if comparison.seals == 0 {
        checks.passed("seals", "no visible seal was added");
    } else {
        checks.passed("seals", format!("{} in their places", comparison.seals));
    }
}

/// A trusted signature must be by whom was expected; when it is known what was sent, one that was
/// made since.
fn check_signer(options: &VerifyOptions, own: &[&Judged]) -> Option<Check> {
    let expected = options.signer.as_ref()?;
    let mut reasons = Vec::new();
    for judged in own {
        let Some(certificate) = trusted(judged).filter(|_| !judged.report.in_original) else {
            continue;
        };
        match expected.compare(certificate) {
            Ok(agreed) => {
                let detail = format!("{} agrees: {}", judged.report.field, agreed.join(", "));
                return Some(Check::passed("signer", detail));
            }
            Err(different) => {
                let what = different.join(", ");
                reasons.push(format!("{}: {what} does not agree", judged.report.field));
            }
        }
    }
    if reasons.is_empty() {
        reasons.push("there is no trusted signature to look at".to_owned());
    }
    Some(Check::failed("signer", reasons.join("; ")))
}

fn trusted(judged: &Judged) -> Option<&Certificate> {
    let passed = ["byte_range", "digest", "signature", "chain"]
        .iter()
        .all(|name| judged.report.checks.status(name) == Status::Passed);
    judged.certificate.as_ref().filter(|_| passed)
}

fn check_level(own: &[&Judged], options: &VerifyOptions) -> Check {
    let required = options.require.iter().filter_map(|requirement| match requirement {
        Requirement::Level(level) => Some(*level),
        _ => None,
    });
    let required = required.max();
    let lowest = own.iter().map(|judged| judged.report.level).min().flatten();
    match (lowest, required) {
        (Some(level), None) => Check::passed("level", level.to_string()),
        (Some(level), Some(wanted)) if level >= wanted => {
            Check::passed("level", format!("{level}, {wanted} was required"))
        }
        (found, Some(wanted)) => {
            let found = found.map_or("none", Level::name);
            Check::failed("level", format!("{found}, {wanted} was required"))
        }
        (None, None) => Check::not_checked("level", "a signature reaches no pades baseline level"),
    }
}

/// What must have passed for a good verdict, besides that nothing failed.
fn needed(options: &VerifyOptions) -> Vec<&'static str> {
    let mut needed = ALWAYS.to_vec();
    if options.original.is_some() {
        // For a converted document the digest that was reported stands in for the original.
        needed.push(if options.converted { "unsigned_digest" } else { "original" });
    }
    if options.reported.unsigned_sha256.is_some() {
        needed.push("unsigned_digest");
    }
    if options.reported.signed_sha256.is_some() {
        needed.push("signed_digest");
    }
    if options.signer.is_some() {
        needed.push("signer");
    }
    if options.seals.positions.is_some() {
        needed.push("seals");
    }
    needed.extend(options.require.iter().map(|requirement| match requirement {
        Requirement::Timestamp => "timestamp",
        Requirement::Revocation => "revocation",
        Requirement::Level(_) => "level",
        Requirement::Seals => "seals",
        Requirement::ContentCommitment => "content_commitment",
        Requirement::ContainerTimestamp => "container_timestamp",
    }));
    if options.strict {
        needed.push("conformance");
    }
    needed
}
