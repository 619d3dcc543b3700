//! Looking a document over before upload: never an error for what a file holds.

use signdoc_signature::preflight::{PreflightOptions, Severity, preflight};

use super::kit::shared;
use super::pdf_reader;

pub fn seeds() -> Vec<Vec<u8>> {
    pdf_reader::seeds()
}

pub fn run(data: &[u8]) -> bool {
    let findings = preflight(shared(data), &PreflightOptions::default()).unwrap();
    for finding in &findings {
        assert!(!finding.to_string().chars().any(|c| c == '\n'), "a finding is one line");
    }
    !findings.iter().any(|finding| finding.severity == Severity::Error)
}
