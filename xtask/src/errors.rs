//! The error table as a document and as a test vector.

use std::fmt::Write as _;

use serde::Serialize;
use signdoc_spec::{Category, Code, Spec, Warning};

use crate::files::Generated;

const COMMAND: &str = "cargo xtask errors";

/// The ranges of numbers, with what stands in them.
const RANGES: &[(i32, i32, &str)] = &[
    (1, 99, "Caller and local"),
    (100, 199, "Network"),
    (200, 299, "Protocol"),
    (300, 399, "OAuth token endpoint"),
    (400, 449, "Authorize redirect"),
    (450, 499, "Login and ID token"),
    (500, 599, "Conversion"),
    (600, 699, "Orders"),
    (700, 799, "Credential-based signing (CSC)"),
    (800, 899, "Verification"),
    (900, 999, "Internal"),
];

const HEAD: &str = "\
# Errors

<!-- Made by `cargo xtask errors` from the error table in spec/src. Do not edit. -->

Every failure has one number, the same in every language. Numbers are never changed and never used again. \
`signdoc explain <number, name or constant>` prints a row of this page.

The **name** is the service's own word where it has one; the same word may stand in several ranges \
(`invalid_request` does), while the **constant** is unique. \
**Retry** says whether the same call, unchanged, may succeed after a short delay. It does not say that repeating is safe: \
where an operation must not be repeated blindly, a lost answer is reported as \
[SIGNDOC_E_OUTCOME_UNKNOWN](#signdoc_e_outcome_unknown).
";

#[derive(Serialize)]
struct CodeRow {
    number: i32,
    constant: &'static str,
    name: &'static str,
    category: Option<&'static str>,
    class: Option<&'static str>,
    http_status: Option<u16>,
    retryable: bool,
    message: Option<&'static str>,
    summary: &'static str,
    advice: &'static str,
    source: &'static str,
}

#[derive(Serialize)]
struct WarningRow {
    number: i32,
    constant: &'static str,
    name: &'static str,
    message: &'static str,
    summary: &'static str,
    advice: &'static str,
    source: &'static str,
}

/// `docs/errors.md` and `tests/vectors/errors.json`.
pub fn generate() -> Result<Vec<Generated>, String> {
    Ok(vec![
        Generated { path: "docs/errors.md", command: COMMAND, text: document() },
        Generated { path: "tests/vectors/errors.json", command: COMMAND, text: vector()? },
        crate::go::generate(),
    ])
}

/// One row a line, so that a changed row is one changed line.
fn vector() -> Result<String, String> {
    let codes = lines(Code::ALL.iter().map(|code| code_row(*code)))?;
    let warnings = lines(Warning::ALL.iter().map(|warning| warning_row(*warning)))?;
    Ok(format!("{{\"codes\": [\n{codes}\n],\n\"warnings\": [\n{warnings}\n]}}\n"))
}

fn lines<T: Serialize>(rows: impl Iterator<Item = T>) -> Result<String, String> {
    let rows: Result<Vec<String>, _> = rows.map(|row| serde_json::to_string(&row)).collect();
    Ok(rows.map_err(|e| e.to_string())?.join(",\n"))
}

fn code_row(code: Code) -> CodeRow {
    let Spec { constant, name, category, class, http_status, retryable, summary, advice, source } =
        code.spec();
    let failure = code != Code::Ok;
    CodeRow {
        number: code.number(),
        constant,
        name,
        category: failure.then(|| category.label()),
        class: failure.then_some(class),
        http_status,
        retryable,
        message: code.conversion_message(),
        summary,
        advice,
        source,
    }
}

fn warning_row(warning: Warning) -> WarningRow {
    WarningRow {
        number: warning.number(),
        constant: warning.constant(),
        name: warning.name(),
        message: warning.message(),
        summary: warning.summary(),
        advice: warning.advice(),
        source: warning.source(),
    }
}

fn document() -> String {
    let mut out = String::from(HEAD);
    categories(&mut out);
    contents(&mut out);
    for range in RANGES {
        section(&mut out, *range);
    }
    warnings(&mut out);
    out
}

// Writing into a String cannot fail, hence the ignored results below.

fn categories(out: &mut String) {
    out.push_str("\n## Categories\n\n| Category | What to do | Retry |\n|---|---|---|\n");
    for category in Category::ALL {
        let retry = if category.is_retryable() { "yes" } else { "no" };
        let _ = writeln!(out, "| {category} | {} | {retry} |", category.handling());
    }
    out.push_str(
        "\nSome errors of the way to the service pass by themselves too; each row says so.\n",
    );
}

fn contents(out: &mut String) {
    out.push_str("\n## Ranges\n\n| Numbers | What |\n|---|---|\n| 0 | success, `SIGNDOC_OK` |\n");
    for (first, last, title) in RANGES {
        let _ = writeln!(out, "| {first} to {last} | [{title}](#{}) |", anchor(title));
    }
    out.push_str("| apart | [Conversion warnings](#conversion-warnings) |\n");
}

/// The anchor a heading gets.
fn anchor(title: &str) -> String {
    let kept = title.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}

fn section(out: &mut String, (first, last, title): (i32, i32, &str)) {
    let _ = writeln!(out, "\n## {title}\n\n| Number | Name | What happened |\n|---|---|---|");
    let codes = || Code::ALL.iter().filter(|code| (first..=last).contains(&code.number()));
    for code in codes() {
        let Spec { constant, name, summary, .. } = code.spec();
        let link = anchor(constant);
        let _ = writeln!(out, "| {} | [`{name}`](#{link}) | {summary} |", code.number());
    }
    for code in codes() {
        entry(out, *code);
    }
}

fn entry(out: &mut String, code: Code) {
    let Spec { constant, name, category, class, http_status, retryable, summary, advice, source } =
        code.spec();
    let number = code.number();
    let _ = writeln!(out, "\n### {constant}\n\n**{number}**, `{name}`: {summary}.\n");
    if let Some(message) = code.conversion_message() {
        let _ = writeln!(out, "- Text of the service: \"{message}\"");
    }
    let status = http_status.map_or_else(String::new, |status| format!("; HTTP status {status}"));
    let retry = if retryable { "yes" } else { "no" };
    let _ = writeln!(out, "- What to do: {advice}.");
    let _ = writeln!(out, "- Category {category}{status}; retry: {retry}; Python `{class}`");
    let _ = writeln!(out, "- Source: {source}");
}

fn warnings(out: &mut String) {
    out.push_str(
        "\n## Conversion warnings\n\n\
         The document was converted; a warning says what that did to it. \
         The numbers are a table of their own.\n\n\
         | Number | Name | Text of the service | What happened | What to do |\n|---|---|---|---|---|\n",
    );
    for warning in Warning::ALL {
        let WarningRow { number, name, message, summary, advice, .. } = warning_row(*warning);
        let _ = writeln!(out, "| {number} | `{name}` | {message} | {summary} | {advice} |");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_in_the_document_once_and_every_link_leads_somewhere() {
        let text = document();
        for code in Code::ALL.iter().filter(|code| **code != Code::Ok) {
            let heading = format!("\n### {}\n", code.constant());
            assert_eq!(text.matches(&heading).count(), 1, "{}", code.constant());
        }
        let headings: Vec<String> =
            text.lines().filter_map(|l| l.split_once("# ")).map(|(_, t)| anchor(t)).collect();
        for link in text.split("](#").skip(1).filter_map(|rest| rest.split(')').next()) {
            assert!(headings.iter().any(|heading| heading == link), "#{link} leads nowhere");
        }
    }

    #[test]
    fn no_text_breaks_a_table() {
        for line in document().lines().filter(|line| line.starts_with('|')) {
            let cells = line.matches('|').count() - 1;
            assert!([2, 3, 5].contains(&cells), "{line}");
        }
    }

    #[test]
    fn the_vector_is_json_with_every_row() {
        let json: serde_json::Value = serde_json::from_str(&vector().unwrap()).unwrap();
        assert_eq!(json["codes"].as_array().unwrap().len(), Code::ALL.len());
        assert_eq!(json["warnings"].as_array().unwrap().len(), Warning::ALL.len());
        assert_eq!(json["codes"][0]["constant"], "SIGNDOC_OK");
        assert!(json["codes"][0]["class"].is_null());
    }

    #[test]
    fn the_committed_files_are_current() {
        crate::files::check(&generate().unwrap()).unwrap();
    }

    #[test]
    fn the_same_table_gives_the_same_bytes() {
        let (first, second) = (generate().unwrap(), generate().unwrap());
        for (a, b) in first.iter().zip(&second) {
            assert_eq!(a.text, b.text, "{}", a.path);
            assert!(a.text.ends_with('\n') && !a.text.contains('\r'), "{}", a.path);
        }
    }
}
