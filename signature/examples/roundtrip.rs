//! Signs every PDF below the folders given, visibly and invisibly, and verifies what comes out
//! against the original: all that is signed must verify.
//!
//! ```text
//! roundtrip FOLDER ...
//! ```
//!
//! Prints each document that was refused or failed with the reason, and a summary.
#![allow(clippy::unwrap_used, reason = "a measurement is test code")]

#[path = "../tests/common/mod.rs"]
mod common;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use common::signing::{Level, Signing};
use signdoc_signature::asn1::Time;
use signdoc_signature::crypto::KeyKind;
use signdoc_signature::pdf::{FileSource, PdfErrorKind, SharedSource};
use signdoc_signature::pki::Pki;
use signdoc_signature::sign::{PrepareOptions, Seal};
use signdoc_signature::verify::{VerifyOptions, verify};

fn pdfs(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(listing) = std::fs::read_dir(folder) else { return };
    for path in listing.filter_map(|entry| Some(entry.ok()?.path())) {
        if path.is_dir() && !path.is_symlink() {
            pdfs(&path, found);
        } else if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("pdf")) {
            found.push(path);
        }
    }
}

fn main() {
    let mut files = Vec::new();
    std::env::args().skip(1).for_each(|folder| pdfs(Path::new(&folder), &mut files));
    files.sort();
    let pki = Pki::new(1).unwrap();
    let signer = pki.person("Kari", "Nordmann", 1, KeyKind::P256).unwrap();
    let signing = Signing { pki: &pki, signer: &signer, level: Level::B, at: Time::now() };
    let mut outcomes: BTreeMap<String, usize> = BTreeMap::new();
    let mut slowest = (0.0, PathBuf::new());
    for path in &files {
        for seal in [None, Some(Seal::default())] {
            let options = PrepareOptions { seal, ..PrepareOptions::default() };
            let Ok(source) = FileSource::open(path) else { continue };
            let source: SharedSource = Arc::new(source);
            let start = Instant::now();
            let outcome = match signing.sign_checked(source.clone(), &options) {
                Err(error) if error.kind() == PdfErrorKind::NotVerifiable => {
                    println!("{}: {error}", path.display());
                    "refused by our own verification".to_owned()
                }
                Err(error) => {
                    println!("{}: {error}", path.display());
                    format!("not signable: {:?}", error.kind())
                }
                Ok(signed) => {
                    let options = VerifyOptions {
                        original: Some(source),
                        trust: pki.anchors(),
                        ..VerifyOptions::default()
                    };
                    let report = verify(Arc::new(signed), &options);
                    let names = ["document", "changes", "original"];
                    let bad: Vec<String> = report
                        .failures()
                        .filter(|check| names.contains(&check.name.as_str()))
                        .map(|check| format!("{}: {}", check.name, check.detail))
                        .collect();
                    if !bad.is_empty() {
                        println!("{}: signed, {}", path.display(), bad.join("; "));
                    }
                    match (bad.is_empty(), report.ok) {
                        (true, true) => "verifies".to_owned(),
                        (true, false) => "verifies, other signatures or the structure apart".into(),
                        (false, _) => "FAILS".to_owned(),
                    }
                }
            };
            let took = start.elapsed().as_secs_f64();
            if took > slowest.0 {
                slowest = (took, path.clone());
            }
            *outcomes.entry(outcome).or_default() += 1;
        }
    }
    println!("{} files, each signed twice; the slowest: {slowest:?}", files.len());
    outcomes.iter().for_each(|(outcome, count)| println!("{count:6} {outcome}"));
}
