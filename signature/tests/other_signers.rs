//! Documents of our own, signed by others: PDFBox, iText, OpenPDF, EU DSS and pyHanko
//! (`tests/data/signers`, made by `tests/interop/samples.py`).
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "test code; helpers count as outside of tests"
)]

use std::path::PathBuf;
use std::sync::Arc;

use signdoc_signature::asn1::Time;
use signdoc_signature::pdf::FileSource;
use signdoc_signature::verify::{VerifyOptions, VerifyReport, verify_bytes, verify_path};
use signdoc_signature::x509::TrustAnchors;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/data/signers")
}

fn manifest() -> serde_json::Value {
    serde_json::from_slice(&std::fs::read(folder().join("manifest.json")).unwrap()).unwrap()
}

fn options(manifest: &serde_json::Value) -> VerifyOptions {
    let roots = std::fs::read(folder().join("roots.pem")).unwrap();
    let trust = TrustAnchors::from_bytes(&roots).unwrap();
    let at = Some(Time::from_unix(manifest["at"].as_i64().unwrap()));
    VerifyOptions { trust, at, ..VerifyOptions::default() }
}

fn original(case: &serde_json::Value) -> PathBuf {
    folder().join(case["original"].as_str().unwrap())
}

fn signed(case: &serde_json::Value) -> PathBuf {
    folder().join(case["signed"].as_str().unwrap())
}

fn alarms(report: &VerifyReport) -> String {
    let failed: Vec<_> = report.failures().map(|check| check.detail.clone()).collect();
    format!("{failed:#?} {:#?}", report.changes.forbidden)
}

#[test]
fn no_signer_raises_an_alarm() {
    let manifest = manifest();
    let plain = options(&manifest);
    let cases = manifest["cases"].as_array().unwrap();
    assert!(cases.len() >= 30, "{}", cases.len());
    for case in cases {
        let source = Arc::new(FileSource::open(original(case)).unwrap());
        let with = VerifyOptions { original: Some(source), ..plain.clone() };
        for options in [&with, &plain] {
            let report = verify_path(signed(case), options);
            assert!(report.ok, "{}: {}", case["signed"], alarms(&report));
            let count = report.signatures.len();
            assert_eq!(count as u64, case["signatures"].as_u64().unwrap());
        }
    }
}

/// What those signers write beside a signature covers nothing else: the same files with other
/// content behind them fail.
#[test]
fn what_is_added_behind_them_is_seen() {
    let manifest = manifest();
    let options = options(&manifest);
    for case in manifest["cases"].as_array().unwrap() {
        let mut bytes = std::fs::read(signed(case)).unwrap();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let end = text.rsplit("startxref").next().unwrap();
        let previous: u64 = end.split_whitespace().next().unwrap().parse().unwrap();
        let place = text.rfind("/Root ").unwrap() + 6;
        let root = text[place..].split_whitespace().next().unwrap();
        let at = bytes.len();
        let catalog = format!("{root} 0 obj\n<</Type/Catalog/Pages 9999 0 R>>\nendobj\n");
        let table = at + catalog.len();
        bytes.extend(catalog.bytes());
        bytes.extend(
            format!(
                "xref\n{root} 1\n{at:010} 00000 n \ntrailer\n<</Size 99999/Root {root} 0 R\
                 /Prev {previous}>>\nstartxref\n{table}\n%%EOF\n"
            )
            .bytes(),
        );
        let report = verify_bytes(bytes, &options);
        assert!(!report.ok, "{}", case["signed"]);
    }
}
