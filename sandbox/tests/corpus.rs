//! Public PDF files through the conversion, when the folder with them is present:
//! `../shared/corpus` beside the checkout, or the one `SIGNDOC_CORPUS` names.
//!
//! A part of them runs by default, all with `SIGNDOC_CORPUS_ALL=1`. What is asserted holds for any
//! file: an answer in time, errors exactly where there is no document, and a converted document
//! that converts again without a complaint about signatures or attachments.
// helpers outside of test functions are test code as well
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use common::*;
use serde_json::Value;
use signdoc_sandbox::{ConversionError, ConversionWarning, Sandbox};

/// Files of more than this are left out of the default part.
const SMALL: u64 = 100_000;
/// Every n-th of the rest is in the default part.
const PART: usize = 3;

fn corpus() -> Option<PathBuf> {
    let folder = match std::env::var_os("SIGNDOC_CORPUS") {
        Some(path) => PathBuf::from(path),
        None => PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus"),
    };
    folder.is_dir().then_some(folder)
}

fn codes(result: &Value) -> String {
    let mut codes = Vec::new();
    for text in texts(&result["conversionErrors"]) {
        let known = ConversionError::ALL.into_iter().find(|error| error.message() == text);
        codes.push(known.expect("a message of the specification").code());
    }
    for text in texts(&result["conversionWarnings"]) {
        let known = ConversionWarning::ALL.into_iter().find(|warning| warning.message() == text);
        codes.push(known.expect("a message of the specification").code());
    }
    codes.join(" ")
}

fn one(sandbox: &Sandbox, pdf: &[u8]) -> (Value, Option<Vec<u8>>) {
    let reply = convert(sandbox, &documents(&[pdf]));
    let json = reply.json();
    match reply.status {
        200 => {
            let document = STANDARD.decode(json[0]["convertedDocument"].as_str().unwrap());
            (json[0]["conversionResult"].clone(), Some(document.unwrap()))
        }
        400 => (json["conversionResults"][0].clone(), None),
        other => panic!("status {other}"),
    }
}

#[test]
fn public_files_are_answered() {
    let Some(folder) = corpus() else {
        println!("not tried: no corpus folder, set SIGNDOC_CORPUS to have one");
        return;
    };
    let sandbox = production();
    if !has_converter(&sandbox) {
        return;
    }
    let all = std::env::var_os("SIGNDOC_CORPUS_ALL").is_some();
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "pdf"))
        .filter(|path| all || path.metadata().unwrap().len() <= SMALL)
        .collect();
    files.sort();
    let chosen = files.iter().enumerate().filter(|(index, _)| all || index % PART == 0);
    for (_, path) in chosen {
        let name = path.file_name().unwrap().to_string_lossy();
        let pdf = std::fs::read(path).unwrap();
        if pdf.len() > 3_750_000 {
            println!("{name:62} longer than a request may hold");
            continue;
        }
        let started = Instant::now();
        let (result, document) = one(&sandbox, &pdf);
        let took = started.elapsed();
        println!("{name:62} {:>6} ms {}", took.as_millis(), codes(&result));
        assert!(took < Duration::from_secs(180), "{name}");
        assert_eq!(document.is_none(), !texts(&result["conversionErrors"]).is_empty(), "{name}");
        assert_eq!(document.is_some(), result["converted"] == true, "{name}");
        if let (true, Some(document)) = (all, document) {
            let (again, _) = one(&sandbox, &document);
            for error in [ConversionError::DocSigned, ConversionError::EfRemoved] {
                let errors = texts(&again["conversionErrors"]);
                assert!(!errors.contains(&error.message().to_owned()), "{name}: {errors:?}");
            }
        }
    }
}
