//! `signdoc preflight`: one line for each finding, and what it ends with.
#![allow(missing_docs)]
// Clippy's leave for tests does not reach what tests share.
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used)]

mod common;

use common::{program, run, text};
use serde_json::json;
use signdoc_sandbox::samples;

/// The generated samples, in a folder.
fn written() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for sample in samples::all(1) {
        std::fs::write(folder.path().join(sample.name), &sample.bytes).unwrap();
    }
    folder
}

#[test]
fn a_good_document_is_let_through() {
    let folder = written();
    let loan = text(&folder.path().join("loan-agreement.pdf"));
    let ran = run(program(&["preflight", &loan])).ended(0);
    assert!(ran.stdout.starts_with(&format!("{loan}\n  info     ")), "{}", ran.stdout);
    assert!(ran.stdout.contains("PAGES"), "{}", ran.stdout);
    let end = "\nnothing that the service would refuse\n";
    assert!(ran.stdout.ends_with(end), "{}", ran.stdout);
    assert_eq!(ran.stderr, "");
}

#[test]
fn every_finding_has_a_line_with_its_remedy() {
    let folder = written();
    let signed = text(&folder.path().join("already-signed.pdf"));
    let ran = run(program(&["preflight", &signed])).ended(3);
    let line = ran.stdout.lines().find(|line| line.contains("DOC_SIGNED")).unwrap();
    assert!(line.starts_with("  error    DOC_SIGNED"), "{line}");
    assert!(line.contains("; send it to signing without conversion"), "{line}");
    assert!(ran.stdout.contains("\nthe service would refuse it\n"), "{}", ran.stdout);
    assert!(ran.stdout.ends_with("signdoc explain DOC_SIGNED\n"), "{}", ran.stdout);
}

/// The samples say what the service will answer: the forecast must agree about refusals.
#[test]
fn the_forecast_is_what_the_samples_promise() {
    let folder = written();
    let told = run(program(&["preflight", &text(folder.path()), "--json"])).ended(3).json();
    assert_eq!((&told["error"], &told["exit_status"]), (&json!(null), &json!(3)));
    let results = told["results"].as_array().unwrap();
    let samples = samples::all(1);
    assert_eq!(results.len(), samples.len());
    for sample in &samples {
        let same = |result: &&serde_json::Value| {
            result["document"].as_str().unwrap().ends_with(sample.name)
        };
        let result = results.iter().find(same).unwrap();
        assert_eq!(result["document_size"], sample.bytes.len());
        let is_refused = !sample.expectation.is_converted();
        assert_eq!(result["refused"], is_refused, "{}: {result:#}", sample.name);
        for error in &sample.expectation.errors {
            let findings = result["findings"].as_array().unwrap();
            let named = findings.iter().any(|found| found["code"] == error.code());
            assert!(named, "{}: {} in {findings:?}", sample.name, error.code());
        }
    }
}

#[test]
fn what_is_no_document_is_refused_and_the_others_are_looked_at() {
    let folder = written();
    let file = |name: &str| text(&folder.path().join(name));
    let strange = folder.path().join("strange.pdf");
    std::fs::write(&strange, b"\x1b[2J no pdf at all").unwrap();
    let (missing, good) = (file("missing.pdf"), file("loan-agreement.pdf"));
    let ran = run(program(&["preflight", &missing, &text(&strange), &good])).ended(3);
    for part in [
        "missing.pdf does not exist",
        "  error  CORRUPT",
        "PAGES",
        "\nthe service would refuse 1 of 3 documents, 1 could not be looked at\n",
    ] {
        let folded = ran.stdout.replace("error    ", "error  ");
        assert!(folded.contains(part), "{part}\n{}", ran.stdout);
    }
    let told = run(program(&["preflight", &missing, &good, "--json"])).ended(3).json();
    assert_eq!(told["results"][0]["failure"]["name"], "document_not_found");
    assert_eq!(told["results"][1]["refused"], false);
    run(program(&["preflight"])).ended(2);
}
