//! What verifying costs beside hashing the file once: CPU time of this thread, the best of some
//! runs, and their ratio. `cargo bench -p signdoc-signature --bench verify`.
#![allow(clippy::unwrap_used, reason = "a bench is test code")]

#[path = "../tests/common/mod.rs"]
mod common;

use std::sync::Arc;
use std::time::{Duration, Instant};

use common::signing::{Level, Signing};
use signdoc_signature::asn1::Time;
use signdoc_signature::crypto::{HashAlgorithm, KeyKind};
use signdoc_signature::fixtures::{RawPdf, Structure, sized};
use signdoc_signature::pdf::{FileSource, SharedSource, for_each_window};
use signdoc_signature::pki::Pki;
use signdoc_signature::sign::{PrepareOptions, Seal};
use signdoc_signature::verify::{VerifyOptions, verify};

const SIZE: usize = 50 << 20;
const RUNS: usize = 7;

/// Time this thread was on a processor, where the system tells; else the time that passed.
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

fn best(mut work: impl FnMut()) -> Duration {
    (0..RUNS).map(|_| cpu(&mut work)).min().unwrap()
}

/// As many pages as it takes, each with content of a few kilobytes.
fn pages() -> Vec<u8> {
    let mut pdf = RawPdf::new();
    pdf.object("<</Type/Catalog/Pages 2 0 R>>");
    pdf.reserve();
    let text =
        "BT /F1 12 Tf 72 700 Td (The borrower pays back within five years.) Tj ET\n".repeat(60);
    let count = SIZE / (text.len() + 220);
    let mut kids = String::new();
    for _ in 0..count {
        let content = pdf.stream("", text.as_bytes());
        let page = pdf.object(format!(
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents {content} 0 R>>"
        ));
        kids += &format!("{page} 0 R ");
    }
    pdf.set(2, format!("<</Type/Pages/Kids[{kids}]/Count {count}>>"));
    pdf.build(Structure::Table)
}

fn main() {
    let pki = Pki::new(1).unwrap();
    let signer = pki.person("Kari", "Nordmann", 1, KeyKind::P256).unwrap();
    let signing = Signing { pki: &pki, signer: &signer, level: Level::Lt, at: Time::now() };
    let folder = tempfile::tempdir().unwrap();
    for (name, data) in [("one large stream", sized(SIZE).unwrap()), ("pages", pages())] {
        let (unsigned, signed) =
            (folder.path().join("unsigned.pdf"), folder.path().join("signed.pdf"));
        std::fs::write(&unsigned, &data).unwrap();
        let options = PrepareOptions { seal: Some(Seal::default()), ..PrepareOptions::default() };
        let appended = signing.sign(Arc::new(bytes::Bytes::from(data)), &options).unwrap();
        appended.write_to(&mut std::fs::File::create(&signed).unwrap()).unwrap();
        let file = |path| -> SharedSource { Arc::new(FileSource::open(path).unwrap()) };
        let source = file(&signed);
        let hash = best(|| {
            let mut hasher = HashAlgorithm::Sha256.hasher();
            for_each_window(&*source, 0, source.len(), |window| {
                hasher.update(window);
                Ok(())
            })
            .unwrap();
            assert_eq!(hasher.finish().len(), 32);
        });
        let alone = VerifyOptions { trust: pki.anchors(), ..VerifyOptions::default() };
        let beside = VerifyOptions { original: Some(file(&unsigned)), ..alone.clone() };
        println!("{name}: {} bytes, hashed once in {hash:.1?}", source.len());
        for (what, options) in [("verified", &alone), ("verified against its original", &beside)] {
            let time = best(|| assert!(verify(source.clone(), options).ok));
            println!(
                "  {what} in {time:.1?}: {:.2} times",
                time.as_secs_f64() / hash.as_secs_f64()
            );
        }
    }
}
