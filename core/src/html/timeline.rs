//! What happened to the document, from the oldest revision on, and what proves each time.

use std::collections::BTreeMap;

use super::read::{Change, Report, Signature};
use super::words::{self, sentence};
use super::write::Html;

/// Changes of one revision that are listed.
const LISTED: usize = 40;

#[derive(Default)]
struct Step<'a> {
    signatures: Vec<&'a Signature>,
    forbidden: Vec<&'a Change>,
    permitted: Vec<&'a Change>,
}

pub(super) fn show(html: &mut Html, report: &Report) {
    let mut steps: BTreeMap<u64, Step<'_>> = BTreeMap::new();
    // What has no place in the file comes last.
    let at = |revision: Option<u64>| revision.unwrap_or(u64::MAX);
    for signature in &report.signatures {
        steps.entry(at(signature.revision)).or_default().signatures.push(signature);
    }
    for change in &report.changes.forbidden {
        steps.entry(change.revision).or_default().forbidden.push(change);
    }
    for change in &report.changes.permitted {
        steps.entry(change.revision).or_default().permitted.push(change);
    }
    if steps.is_empty() && report.seals.is_empty() {
        return;
    }
    html.raw("<section>").heading(2, "What happened, and when").raw("<ol class=\"line\">");
    base(html, report);
    for (revision, step) in &steps {
        show_step(html, *revision, step, report);
    }
    for (index, seal) in report.seals.iter().enumerate() {
        html.raw("<li>");
        signed(html, seal, "Sealed by ", is_confirmed(report, "seal.time", index));
        html.raw("</li>");
    }
    html.raw("</ol>");
    let left = report.changes.permitted_not_listed + report.changes.forbidden_not_listed;
    if left > 0 {
        html.raw("<p class=\"more\">and ").count(left).raw(" more changes</p>");
    }
    html.raw("</section>");
}

/// What the comparison began with.
fn base(html: &mut Html, report: &Report) {
    let Some(len) = report.changes.base_len else { return };
    let is_original = report.checks.iter().any(|check| check.name == "original")
        || report.status("unsigned_digest") == "passed";
    html.raw("<li class=\"base\"><p class=\"what\">");
    html.raw(match is_original {
        true => "The document as it was sent",
        false => "The document as the first signature covers it",
    });
    html.raw("</p><p class=\"facts\">").count(len).raw(" bytes; later changes are held against ");
    html.raw("it</p></li>");
}

fn show_step(html: &mut Html, revision: u64, step: &Step<'_>, report: &Report) {
    let is_wrong = !step.forbidden.is_empty() || step.signatures.iter().any(|s| s.failed());
    html.raw(if is_wrong { "<li class=\"wrong\">" } else { "<li>" });
    if !report.is_sdo() && revision != u64::MAX {
        html.raw("<p class=\"revision\">Revision ").count(revision).raw("</p>");
    }
    for (index, signature) in step.signatures.iter().enumerate() {
        let how = if signature.is_timestamp() { "Timestamp by " } else { "Signed by " };
        // Signed data objects have no revisions: all of their signatures are in one step.
        let confirmed = report.is_sdo() && is_confirmed(report, "].time", index);
        signed(html, signature, how, confirmed);
    }
    if step.signatures.is_empty() {
        html.raw("<p class=\"what\">").raw(happened(step)).raw("</p>");
    }
    changes(html, step);
    html.raw("</li>");
}

/// What a revision without a signature was for.
fn happened(step: &Step<'_>) -> &'static str {
    let has = |kind: &str| step.permitted.iter().any(|change| change.kind == kind);
    match step.forbidden.is_empty() {
        false => "The document was changed",
        true if has("form_value") => "Form fields were filled in",
        true if has("validation_data") => "Validation data was added",
        true => "The file was updated",
    }
}

/// Whether an answer about the certificate confirms the time in a signed data object: by the check
/// of the signature, or seal, of this position.
fn is_confirmed(report: &Report, check: &str, index: usize) -> bool {
    let mut times = report.checks.iter().filter(|made| made.name.ends_with(check));
    times.nth(index).is_some_and(|made| made.status == "passed")
}

fn signed(html: &mut Html, signature: &Signature, how: &'static str, confirmed: bool) {
    html.raw("<p class=\"what\">").raw(how).foreign(&signature.person()).raw("</p>");
    html.raw("<ul class=\"facts\">");
    when(html, signature, confirmed);
    if let Some(field) = &signature.field {
        html.raw("<li>In the field ").foreign(field);
        html.raw(match signature.coverage.as_deref() {
            Some("whole_file") => ", over the whole file",
            Some("revision") => ", over the file as it was then",
            _ => ", over something that is not acceptable",
        });
        html.raw("</li>");
    }
    if let Some(level) = &signature.level {
        html.raw("<li>Level PAdES ").text(level).raw("</li>");
    }
    html.raw("</ul>");
    let failed = signature.checks.iter().filter(|check| check.status == "failed");
    for check in failed {
        html.raw("<p class=\"fault\"><strong>Failed:</strong> <code>").text(&check.name);
        html.raw("</code> ").foreign(&sentence(&check.detail)).raw("</p>");
    }
}

/// The time, and what proves it.
fn when(html: &mut Html, signature: &Signature, confirmed: bool) {
    let judged = signature.judged_at.as_ref();
    let proof = judged.filter(|judged| judged.proof != "verification");
    html.raw("<li>");
    match (proof, &signature.proven_time, &signature.claimed_time) {
        (Some(proof), _, _) => {
            time(html, &proof.time);
            html.raw(match proof.proof.as_str() {
                "document_timestamp" => ": proven by a document timestamp over the signature",
                "container_timestamp" => ": proven by a timestamp over the bundle",
                _ => ": proven by a timestamp inside the signature",
            });
            if let Some(authority) = &proof.authority {
                html.raw(" by ").foreign(&common_name(authority));
            }
        }
        (None, Some(proven), _) => {
            time(html, proven);
            html.raw(": proven, the authority is trusted");
        }
        (None, None, Some(claimed)) => {
            time(html, claimed);
            html.raw(match signature.is_timestamp() {
                true => ": as the authority says, which is not trusted here",
                false if confirmed => ": confirmed by an answer about the certificate",
                false => ": as the signer says; nothing proves it",
            });
        }
        (None, None, None) => {
            html.raw("No time is stated");
        }
    }
    html.raw("</li>");
    if let Some(judged) = judged.filter(|judged| judged.proof == "verification") {
        html.raw("<li>Certificate judged at the time of the verification, ");
        time(html, &judged.time);
        html.raw("</li>");
    }
}

/// What a distinguished name calls somebody: `CN=TSA\, one, O=x` is `TSA, one`.
fn common_name(text: &str) -> String {
    let Some(rest) = text.strip_prefix("CN=") else { return text.to_owned() };
    let mut name = String::new();
    let mut letters = rest.chars();
    while let Some(c) = letters.next() {
        match c {
            '\\' => name.extend(letters.next()),
            ',' | '+' => break,
            c => name.push(c),
        }
    }
    name
}

/// `2026-11-22T10:00:05Z` for people.
fn time(html: &mut Html, text: &str) {
    let shown = match text.strip_suffix('Z').and_then(|text| text.split_once('T')) {
        Some((date, clock)) => format!("{date} {clock} UTC"),
        None => text.to_owned(),
    };
    html.raw("<time").attribute("datetime", text).raw(">").text(&shown).raw("</time>");
}

fn changes(html: &mut Html, step: &Step<'_>) {
    if !step.forbidden.is_empty() {
        html.raw("<p class=\"fault\"><strong>Changed, and signing does not need it:</strong></p>");
        list(html, &step.forbidden);
    }
    if step.permitted.is_empty() {
        return;
    }
    html.raw("<details><summary>").count(step.permitted.len() as u64);
    html.raw(match step.permitted.len() {
        1 => " change that signing needs</summary>",
        _ => " changes that signing needs</summary>",
    });
    list(html, &step.permitted);
    html.raw("</details>");
}

fn list(html: &mut Html, changes: &[&Change]) {
    html.raw("<ul class=\"changes\">");
    for change in changes.iter().take(LISTED) {
        html.raw("<li>").foreign(&change.detail).raw(" <span class=\"of\">");
        html.raw(words::change(&change.kind));
        if let Some(object) = &change.object {
            html.raw(", object ").text(object);
        }
        html.raw("</span></li>");
    }
    if changes.len() > LISTED {
        html.raw("<li>and ").count((changes.len() - LISTED) as u64).raw(" more</li>");
    }
    html.raw("</ul>");
}
