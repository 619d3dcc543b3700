//! The verdict in a sentence, and what to do.

use std::collections::BTreeSet;

use super::read::{Report, Signature};
use super::words::sentence;
use super::write::Html;
use crate::error::Code;
use crate::pdf::About;

/// Names of signers in the sentence; the timeline has them all.
const NAMES: usize = 4;

pub(super) fn show(html: &mut Html, title: Option<&str>, report: &Report) {
    let good = report.ok;
    html.raw(if good { "<header class=\"good\">" } else { "<header class=\"bad\">" });
    html.raw(if good { TICK } else { CROSS }).raw("<div>");
    if let Some(title) = title {
        html.raw("<p class=\"file\">").foreign(title).raw("</p>");
    }
    html.heading(1, if good { "Verified" } else { "Not verified" });
    let (said, advice) = if good { (verified(report), None) } else { refused(report) };
    html.raw("<p class=\"said\">").foreign(&said).raw("</p>");
    if let Some(advice) = advice.filter(|advice| *advice != "nothing") {
        html.raw("<p class=\"todo\"><strong>What to do:</strong> ");
        html.text(&sentence(advice)).raw("</p>");
    }
    html.raw("</div></header>");
}

const TICK: &str = "<svg class=\"sign\" viewBox=\"0 0 24 24\" aria-hidden=\"true\">\
    <circle cx=\"12\" cy=\"12\" r=\"11\"/><path d=\"M6.5 12.5l4 4 7-8.5\"/></svg>";
const CROSS: &str = "<svg class=\"sign\" viewBox=\"0 0 24 24\" aria-hidden=\"true\">\
    <circle cx=\"12\" cy=\"12\" r=\"11\"/><path d=\"M8 8l8 8M16 8l-8 8\"/></svg>";

fn verified(report: &Report) -> String {
    let own: Vec<&Signature> = report.signatures.iter().filter(|s| !s.is_timestamp()).collect();
    let mut names = Vec::new();
    for name in own.iter().map(|signature| signature.person()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let told = if report.status("original") == "passed" {
        "It is what was sent, and nothing was added but what signing needs."
    } else if report.is_sdo() {
        "Whether it is what was sent was not asked."
    } else if report.status("unsigned_digest") == "passed" {
        "It is the document that the service signed; nothing was added but what signing needs."
    } else {
        "Nothing was changed since but what signing needs; whether it is the document that was \
         sent was not asked."
    };
    format!("Signed by {}. {told}", listed(&names))
}

fn listed(names: &[String]) -> String {
    match names {
        [] => "nobody".to_owned(),
        [one] => one.clone(),
        _ if names.len() > NAMES => {
            let shown = names.get(..NAMES).unwrap_or_default().join("; ");
            format!("{shown} and {} more", names.len() - NAMES)
        }
        [first @ .., last] => format!("{} and {last}", first.join("; ")),
    }
}

/// Why not, and what to do: by the failed check that matters most.
fn refused(report: &Report) -> (String, Option<&'static str>) {
    if let Some(failure) = &report.failure {
        return (format!("It could not be looked at: {}", sentence(&failure.message)), None);
    }
    let failed = report.checks.iter().filter(|check| check.status == "failed");
    let mattering = failed.map(|check| code(report, &check.name)).min_by_key(|(rank, _)| *rank);
    match mattering {
        Some((_, code)) => (sentence(code.spec().summary), Some(code.spec().advice)),
        None => {
            let open: BTreeSet<&str> = match report.unanswered.is_empty() {
                false => report.unanswered.iter().map(String::as_str).collect(),
                true => {
                    let open = report.checks.iter().filter(|check| check.status == "not_checked");
                    open.map(|check| check.name.as_str()).collect()
                }
            };
            let open: Vec<&str> = open.into_iter().collect();
            let said = match open.is_empty() {
                true => "Nothing was looked at.".to_owned(),
                false => format!("What counts was not checked: {}.", open.join(", ")),
            };
            (said, Some(Code::NotChecked.spec().advice))
        }
    }
}

/// How much a failed check matters, and its row in the table of errors.
pub(super) fn code(report: &Report, check: &str) -> (u8, Code) {
    let problem = report.problem.as_ref().map(|problem| problem.name.as_str());
    let of_chain = [Code::CertificateExpired, Code::CertificateNotYetValid];
    let chain = of_chain.into_iter().find(|code| Some(code.name()) == problem);
    let about = About {
        is_sdo: report.is_sdo(),
        is_container: report.is_container(),
        is_unsigned: report.signatures.is_empty(),
        chain: chain.unwrap_or(Code::ChainUntrusted),
    };
    about.meaning(check)
}
