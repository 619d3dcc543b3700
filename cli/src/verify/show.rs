//! The report for a person.

use signdoc::pdf::report::{Check, Checks, Status};
use signdoc::pdf::sdo::SdoSigner;
use signdoc::pdf::verify::{
    Below, Change, Changes, ContainerReport, Coverage, FileReport, JudgedAt, Overlap,
    SdoFileReport, SignatureKind, SignatureReport, SignerReport, TimeProof, VerifyReport,
};

use super::Seen;
use crate::list::{self, Mark, Point, hanging};
use crate::screen::{Screen, plain};

/// Lines of one kind; `--json` has them all.
const LISTED: usize = 20;

pub(super) fn all(all: &[Seen], is_anybody_trusted: bool, screen: &mut Screen) {
    for (index, seen) in all.iter().enumerate() {
        if index > 0 {
            screen.line("");
        }
        one(seen, screen);
    }
    if !is_anybody_trusted {
        let text = "Nobody is trusted: name the certificates that you trust with --trust.";
        screen.line(&format!("\n{}", hanging(text, 0, screen)));
    }
    if all.len() > 1 {
        let verified = all.iter().filter(|seen| seen.is_ok()).count();
        screen.line(&format!("\n{verified} of {} verified", all.len()));
    }
}

fn one(seen: &Seen, screen: &mut Screen) {
    let paint = screen.paint();
    let verdict = match seen.is_ok() {
        true => paint.green("verified"),
        false => paint.red("NOT verified"),
    };
    screen.line(&format!("{}: {verdict}", paint.bold(&plain(&seen.input.shown))));
    match &seen.found {
        Ok(FileReport::Sdo(report)) => sdo(report, screen),
        Ok(FileReport::Pdf(report)) => pdf(report, screen),
        Ok(FileReport::Container(report)) => container(report, screen),
        Ok(other) => of_file(other.checks(), screen),
        Err(error) => {
            let text = hanging(&plain(error.message()), 2, screen);
            screen.line(&format!("  {text}"));
        }
    }
}

fn checks<'a>(checks: impl IntoIterator<Item = &'a Check>, indent: usize, screen: &mut Screen) {
    let point = |check: &Check| Point {
        mark: match check.status {
            Status::Passed => Mark::Good,
            Status::Failed => Mark::Bad,
            Status::NotChecked => Mark::Open,
        },
        name: check.name.clone(),
        detail: match check.status {
            Status::NotChecked => format!("not checked: {}", check.detail),
            _ => check.detail.clone(),
        },
        remedy: None,
    };
    let points: Vec<_> = checks.into_iter().map(point).collect();
    list::show(&points, indent, screen);
}

/// The checks of a file, and the one that nobody asked for but everybody should.
fn of_file(found: &Checks, screen: &mut Screen) {
    let reason = "say what was sent with --original";
    let unasked = found.get("original").is_none().then(|| Check::not_checked("original", reason));
    checks(found.iter().chain(&unasked), 2, screen);
}

/// An evidence bundle: its checks, and what was found in the signed file.
pub(crate) fn container(report: &ContainerReport, screen: &mut Screen) {
    of_file(&report.checks, screen);
    match report.inner.as_deref() {
        Some(FileReport::Pdf(inner)) => pdf_parts(inner, screen),
        Some(FileReport::Sdo(inner)) => sdo_parts(inner, screen),
        _ => {}
    }
    let file = |(name, size): &(String, u64)| format!("{name}, {size} bytes");
    section("files", report.files.iter().map(file), screen);
}

fn pdf(report: &VerifyReport, screen: &mut Screen) {
    of_file(&report.checks, screen);
    pdf_parts(report, screen);
}

fn pdf_parts(report: &VerifyReport, screen: &mut Screen) {
    for signature in &report.signatures {
        one_signature(signature, screen);
    }
    changes(&report.changes, screen);
    let over = |found: &Overlap| {
        let Overlap { field, page, below, detail, .. } = found;
        format!("{field}, page {page}: {}, {detail}", word(*below))
    };
    section("visible seals lie over", report.overlaps.iter().map(over), screen);
    section("to be noted", report.notes.iter().cloned(), screen);
}

fn word(below: Below) -> &'static str {
    match below {
        Below::Text => "text",
        Below::Image => "an image",
        Below::Drawing => "a drawing",
        Below::Annotation => "an annotation",
        Below::Unknown => "it is not known what",
    }
}

fn one_signature(signature: &SignatureReport, screen: &mut Screen) {
    let kind = match signature.kind {
        SignatureKind::Signature => "signature",
        SignatureKind::Timestamp => "document timestamp",
    };
    let coverage = match signature.coverage {
        Coverage::WholeFile => "the whole file",
        Coverage::Revision => "the file as it was then",
        Coverage::Invalid => "not what it should",
    };
    let heading = format!("{kind} {}", signature.field);
    let mut facts = Vec::new();
    facts.extend(signature.signer.as_ref().map(|signer| ("by", person(signer))));
    let proven = signature.proven_time.clone().map(|time| ("at", format!("{time}, proven")));
    let claimed = signature.claimed_time.clone().map(|time| ("at", format!("{time}, claimed")));
    facts.extend(proven.or(claimed));
    facts.extend(signature.judged_at.as_ref().map(|judged| ("judged", basis(judged))));
    facts.push(("covers", coverage.to_owned()));
    let level = signature.level.map_or_else(|| "none".to_owned(), |level| format!("PAdES {level}"));
    facts.push(("level", format!("{level}, {}", signature.sub_filter)));
    facts.extend(signature.leniencies.iter().map(|odd| ("accepted", odd.clone())));
    screen.line(&format!("  {}", plain(&heading)));
    for (name, text) in facts {
        let text = hanging(&plain(&text), FACTS, screen);
        screen.line(&format!("    {name:<8}  {text}"));
    }
    let failed = signature.checks.iter().filter(|check| check.status == Status::Failed);
    checks(failed, 4, screen);
}

/// The time that certificate and revocation were judged at, and what proves it.
fn basis(judged: &JudgedAt) -> String {
    let by = judged.authority.as_deref().map(|who| format!(" of {who}")).unwrap_or_default();
    match judged.proof {
        TimeProof::SignatureTimestamp => format!("at {}, by a timestamp{by}", judged.time),
        TimeProof::DocumentTimestamp => format!("at {}, by a document timestamp{by}", judged.time),
        TimeProof::ContainerTimestamp => {
            format!("at {}, by the timestamp of its container{by}", judged.time)
        }
        TimeProof::Verification => format!("at {}, now: nothing proves its time", judged.time),
    }
}

/// The column of the facts about a signature.
const FACTS: usize = 14;

/// By name: numbers of people are only in the JSON document, whose reader asked for them.
fn person(signer: &SignerReport) -> String {
    let called = signer.name.as_deref().unwrap_or("somebody whose certificate has no name");
    match &signer.organization {
        Some(organization) if organization != called => format!("{called}, {organization}"),
        _ => called.to_owned(),
    }
}

fn changes(changes: &Changes, screen: &mut Screen) {
    let told = |change: &Change| match &change.object {
        Some(object) => format!("{} ({object}, revision {})", change.detail, change.revision),
        None => format!("{} (revision {})", change.detail, change.revision),
    };
    section("changes that signing does not need", changes.forbidden.iter().map(told), screen);
    if changes.forbidden_not_listed > 0 {
        screen.line(&format!("    and {} more", changes.forbidden_not_listed));
    }
    section("permitted changes", changes.permitted.iter().map(told), screen);
}

/// A heading and lines below it; nothing where there are none.
fn section(heading: &str, lines: impl Iterator<Item = String>, screen: &mut Screen) {
    let lines: Vec<_> = lines.collect();
    if lines.is_empty() {
        return;
    }
    screen.line(&format!("  {}", plain(heading)));
    for line in lines.iter().take(LISTED) {
        let text = hanging(&plain(line), 6, screen);
        screen.line(&format!("    {text}"));
    }
    if lines.len() > LISTED {
        screen.line(&format!("    and {} more; --json has them all", lines.len() - LISTED));
    }
}

fn sdo(verdict: &SdoFileReport, screen: &mut Screen) {
    of_file(&verdict.checks, screen);
    sdo_parts(verdict, screen);
}

fn sdo_parts(verdict: &SdoFileReport, screen: &mut Screen) {
    let told = |signer: &SdoSigner| {
        let name = signer.certificate().map(|certificate| person(&SignerReport::of(certificate)));
        let name = name.unwrap_or_else(|| "nobody that can be named".to_owned());
        let time = signer.signing_time().map(|time| format!(", {time}"));
        format!("{name}{}", time.unwrap_or_default())
    };
    section("signed by", verdict.signers.iter().map(told), screen);
    section("sealed by", verdict.seals.iter().map(told), screen);
}
