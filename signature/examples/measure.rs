//! What signing and verifying cost, for `benches/verification.py`: one job in a fresh process.
//!
//! ```text
//! measure make FOLDER BYTES           writes unsigned.pdf, signed.pdf and roots.pem
//! measure hash FILE RUNS              hashes the file once, the best of so many runs
//! measure verify SIGNED ROOTS RUNS [ORIGINAL]
//! measure sign FILE OUT RUNS
//! measure changed COUNT PADDING RUNS  an update of so many objects, two object streams each time
//! measure packed BYTES RUNS           a file whose objects lie in one object stream of this size
//! measure hostile KIND RUNS           a file that asks for as much work as it can
//! measure preflight FILE RUNS
//! ```
//!
//! Prints one line of JSON: the least CPU time of a run in milliseconds, and resident memory before
//! the first run and at its peak in KiB (both null where the system does not tell).
#![allow(clippy::unwrap_used, reason = "a bench is test code")]

#[path = "../tests/common/mod.rs"]
mod common;

use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use common::packed::{changed, hostile, in_one_stream};
use common::signing::{Level, Signing};
use signdoc_signature::asn1::Time;
use signdoc_signature::crypto::{HashAlgorithm, KeyKind};
use signdoc_signature::fixtures::sized;
use signdoc_signature::pdf::{FileSource, SharedSource, for_each_window};
use signdoc_signature::pki::Pki;
use signdoc_signature::preflight::{PreflightOptions, preflight};
use signdoc_signature::sign::{PrepareOptions, Seal, prepare};
use signdoc_signature::verify::{VerifyOptions, verify};
use signdoc_signature::x509::TrustAnchors;

/// Time the process was on a processor, where the system tells; else the time that passed.
fn cpu(work: impl FnOnce()) -> Duration {
    let now = || {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        Some(Duration::from_nanos(text.split(' ').next()?.parse().ok()?))
    };
    let (start, clock) = (now(), Instant::now());
    work();
    match (start, now()) {
        (Some(start), Some(end)) => end - start,
        _ => clock.elapsed(),
    }
}

/// A figure of `/proc/self/status` in KiB.
fn memory(key: &str) -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    text.lines().find_map(|line| line.strip_prefix(key)?.split_whitespace().next()?.parse().ok())
}

fn measured(runs: &str, mut work: impl FnMut()) {
    // Sets the peak back to what is resident now.
    let is_reset = std::fs::write("/proc/self/clear_refs", "5").is_ok();
    let before = memory("VmRSS:").filter(|_| is_reset);
    let runs: usize = runs.parse().unwrap();
    let best = (0..runs).map(|_| cpu(&mut work)).min().unwrap();
    let peak = memory("VmHWM:").filter(|_| is_reset);
    let cpu_ms = best.as_secs_f64() * 1e3;
    println!("{}", serde_json::json!({"cpu_ms": cpu_ms, "before_kib": before, "peak_kib": peak}));
}

fn file(path: &str) -> SharedSource {
    Arc::new(FileSource::open(path).unwrap())
}

fn hash(source: &SharedSource) {
    let mut hasher = HashAlgorithm::Sha256.hasher();
    for_each_window(&**source, 0, source.len(), |window| {
        hasher.update(window);
        Ok(())
    })
    .unwrap();
    assert_eq!(hasher.finish().len(), 32);
}

fn sign(pki: &Pki, from: &str, to: &Path, level: Level) {
    let signer = pki.person("Kari", "Nordmann", 1, KeyKind::P256).unwrap();
    let signing = Signing { pki, signer: &signer, level, at: Time::now() };
    let options = PrepareOptions { seal: Some(Seal::default()), ..PrepareOptions::default() };
    let signed = signing.sign_checked(file(from), &options).unwrap();
    signed.write_to(&mut File::create(to).unwrap()).unwrap();
}

/// Compares with the original; nobody signed.
fn compare(original: Vec<u8>, signed: Vec<u8>, runs: &str) {
    eprintln!("{} bytes", signed.len());
    let original: SharedSource = Arc::new(Bytes::from(original));
    let signed: SharedSource = Arc::new(Bytes::from(signed));
    let options = VerifyOptions { original: Some(original), ..VerifyOptions::default() };
    let mut found = None;
    measured(runs, || {
        let report = verify(signed.clone(), &options);
        let changes = report.checks.get("changes").map(|check| check.detail.clone());
        assert!(!report.ok, "{changes:?}");
        found = changes;
    });
    eprintln!("{}", found.unwrap_or_default());
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["make", folder, bytes] => {
            let folder = Path::new(folder);
            let unsigned = folder.join("unsigned.pdf");
            std::fs::write(&unsigned, sized(bytes.parse().unwrap()).unwrap()).unwrap();
            let pki = Pki::new(1).unwrap();
            sign(&pki, unsigned.to_str().unwrap(), &folder.join("signed.pdf"), Level::Lt);
            std::fs::write(folder.join("roots.pem"), pki.trust_pem()).unwrap();
        }
        ["hash", path, runs] => {
            let source = file(path);
            measured(runs, || hash(&source));
        }
        ["verify", signed, roots, runs, original @ ..] => {
            let options = VerifyOptions {
                trust: TrustAnchors::from_bytes(&std::fs::read(roots).unwrap()).unwrap(),
                original: original.first().map(|path| file(path)),
                ..VerifyOptions::default()
            };
            let source = file(signed);
            measured(runs, || assert!(verify(source.clone(), &options).ok));
        }
        ["changed", count, padding, runs] => {
            let (original, signed) = changed(count.parse().unwrap(), padding.parse().unwrap());
            compare(original, signed, runs);
        }
        ["hostile", kind, runs] => {
            let (original, signed) = hostile(kind);
            compare(original, signed, runs);
        }
        ["packed", bytes, runs] => {
            let original = in_one_stream(bytes.parse().unwrap());
            let source: SharedSource = Arc::new(Bytes::from(original.clone()));
            let prepared = prepare(source, &PrepareOptions::default()).unwrap();
            let mut signed = Vec::new();
            prepared.embed(&[0x30, 0], &mut signed).unwrap();
            compare(original, signed, runs);
        }
        ["preflight", path, runs] => {
            let source = file(path);
            measured(runs, || drop(preflight(source.clone(), &PreflightOptions::default())));
        }
        ["sign", from, to, runs] => {
            let pki = Pki::new(1).unwrap();
            measured(runs, || sign(&pki, from, Path::new(to), Level::B));
        }
        _ => {
            eprintln!("measure make|hash|verify|sign ...; see the top of the source");
            std::process::exit(2);
        }
    }
}
