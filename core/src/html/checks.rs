//! The checks: what failed first, then what was not made, then what passed.

use super::read::{Check, Report};
use super::verdict;
use super::words::{question, sentence, when_open};
use super::write::Html;

/// Checks of one report that are shown; its JSON has them all.
const SHOWN: usize = 300;

pub(super) fn show(html: &mut Html, report: &Report) {
    if report.checks.is_empty() {
        return;
    }
    html.raw("<section>").heading(2, "Checks");
    tally(html, &report.checks);
    html.raw("<ul class=\"checks\">");
    let mut ordered: Vec<&Check> = report.checks.iter().collect();
    ordered.sort_by_key(|check| rank(&check.status));
    let mut advised = Vec::new();
    for check in ordered.iter().take(SHOWN) {
        let advice = advice(report, check).filter(|advice| !advised.contains(advice));
        advised.extend(advice.clone());
        one(html, check, report.is_sdo(), advice.as_deref());
    }
    html.raw("</ul>");
    if ordered.len() > SHOWN {
        html.raw("<p class=\"more\">and ").count((ordered.len() - SHOWN) as u64).raw(" more</p>");
    }
    html.raw("</section>");
}

fn rank(status: &str) -> u8 {
    match status {
        "failed" => 0,
        "passed" => 2,
        _ => 1,
    }
}

fn tally(html: &mut Html, checks: &[Check]) {
    let count = |status: &str| checks.iter().filter(|check| check.status == status).count() as u64;
    html.raw("<p class=\"tally\">").count(count("passed")).raw(" passed, ");
    html.count(count("failed")).raw(" failed, ");
    html.count(count("not_checked")).raw(" not checked</p>");
}

fn one(html: &mut Html, check: &Check, is_sdo: bool, advice: Option<&str>) {
    let (class, word) = match check.status.as_str() {
        "passed" => ("<li class=\"passed\">", "Passed"),
        "failed" => ("<li class=\"failed\">", "Failed"),
        _ => ("<li class=\"open\">", "Not checked"),
    };
    html.raw(class).raw("<span class=\"status\">").raw(word).raw("</span><div>");
    let (owner, part) = owner(&check.name);
    html.raw("<p class=\"asked\">");
    if !owner.is_empty() {
        html.text(&owner).raw(" ");
    }
    let asked = question(part, is_sdo);
    if !asked.is_empty() {
        html.raw("<strong>").raw(asked).raw("</strong> ");
    }
    html.raw("<code>").text(&check.name).raw("</code></p>");
    if !check.detail.is_empty() {
        html.raw("<p>").foreign(&sentence(&check.detail)).raw("</p>");
    }
    if let Some(advice) = advice {
        html.raw("<p class=\"todo\">").text(advice).raw("</p>");
    }
    html.raw("</div></li>");
}

/// Whose check it is, in words, and which: `signature[0].chain` is signature 1's chain.
fn owner(name: &str) -> (String, &str) {
    let Some((owner, part)) = name.rsplit_once('.') else { return (String::new(), name) };
    let mut words = Vec::new();
    for piece in owner.split('.') {
        let numbered = piece.strip_suffix(']').and_then(|piece| piece.split_once('['));
        let numbered = numbered.and_then(|(word, at)| Some((word, at.parse::<u64>().ok()?)));
        words.push(match numbered {
            Some((word, at)) => format!("{word} {}", at.saturating_add(1)),
            None => piece.to_owned(),
        });
    }
    let mut told = sentence(&words.join(", "));
    if told.ends_with('.') {
        told.pop();
        told.push(':');
    }
    (told, part)
}

fn advice(report: &Report, check: &Check) -> Option<String> {
    let advice = match check.status.as_str() {
        "passed" => return None,
        "failed" => verdict::code(report, &check.name).1.spec().advice,
        _ => when_open(owner(&check.name).1),
    };
    (!advice.is_empty() && advice != "nothing").then(|| sentence(advice))
}
