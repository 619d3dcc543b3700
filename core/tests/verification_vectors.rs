//! The cases of `tests/vectors/verification.json` through the Rust face.
#![cfg(feature = "signing")]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "test code; helpers count as outside of tests"
)]

use std::path::Path;

use serde_json::Value;
use signdoc::pdf::{Question, ask, look_over, report_json};
use signdoc::{Document, Result};

const TESTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests");

fn document(name: &Value) -> Document {
    let folder = Path::new(TESTS).join("data/verification");
    Document::from_path(folder.join(name.as_str().unwrap()))
}

fn texts(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect()
}

/// What is found, as JSON: the report, or an object with `findings`.
fn found(case: &Value) -> Result<Value> {
    let files: Vec<Document> = case["files"].as_array().unwrap().iter().map(document).collect();
    if case["call"] == "preflight" {
        return Ok(serde_json::json!({ "findings": look_over(&files[0])? }));
    }
    let pair = |pair: &Value| (texts(pair)[0].to_owned(), texts(pair)[1].to_owned());
    let question = Question {
        signed: files,
        original: case.get("original").map(document),
        trust: case.get("trust").map(document).into_iter().collect(),
        timestamp_trust: None,
        options: case["options"].as_array().unwrap().iter().map(pair).collect(),
    };
    Ok(report_json(&ask(&question)?))
}

fn check_report(expected: &Value, report: &Value) {
    assert_eq!(report["ok"], expected["ok"]);
    let checks = report["checks"].as_array().unwrap();
    for (name, status) in expected["checks"].as_object().unwrap() {
        let check = checks.iter().find(|check| check["name"] == *name);
        assert_eq!(check.map(|check| &check["status"]), Some(status), "{name}");
    }
    assert_eq!(report["problem"]["code"], expected["problem"], "{}", report["problem"]);
    if let Some(kind) = expected.get("kind") {
        assert_eq!(report["kind"], *kind);
    }
    let signatures = report["signatures"].as_array().cloned().unwrap_or_default();
    let listed = |of: &dyn Fn(&Value) -> Value| signatures.iter().map(of).collect::<Value>();
    if let Some(signers) = expected.get("signers") {
        assert_eq!(listed(&|one| one["signer"]["name"].clone()), *signers);
    }
    if let Some(levels) = expected.get("levels") {
        assert_eq!(listed(&|one| one["level"].clone()), *levels);
    }
}

fn check_findings(expected: &Value, found: &Value) {
    let findings = found["findings"].as_array().unwrap();
    let refused = findings.iter().any(|finding| finding["severity"] == "error");
    assert_eq!(refused, expected["refused"].as_bool().unwrap());
    for code in texts(&expected["findings"]) {
        assert!(findings.iter().any(|finding| finding["code"] == code), "{code}: {found}");
    }
}

#[test]
fn every_vector_passes() {
    let path = Path::new(TESTS).join("vectors/verification.json");
    let vectors: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    for case in vectors["cases"].as_array().unwrap() {
        println!("vector verification/{}", case["id"].as_str().unwrap());
        let expected = &case["expect"];
        match (found(case), expected.get("error")) {
            (Err(error), Some(wanted)) => {
                assert_eq!(wanted["code"], error.code().number(), "{error}");
                assert_eq!(wanted["class"], error.code().spec().class, "{error}");
            }
            (Ok(report), None) if case["call"] == "preflight" => check_findings(expected, &report),
            (Ok(report), None) => check_report(expected, &report),
            (Ok(report), Some(_)) => assert_eq!(report, Value::Null, "an error was expected"),
            (Err(error), None) => assert_eq!(error.to_string(), "", "no error was expected"),
        }
    }
}
