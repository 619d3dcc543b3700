//! Preparing and embedding over real files, where they are at hand.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "test code; helpers count as outside of tests"
)]

mod common;

use std::process::Command;
use std::sync::Arc;

use bytes::Bytes;
use signdoc_signature::crypto::HashAlgorithm;
use signdoc_signature::pdf::{Document, FileSource, PdfErrorKind};
use signdoc_signature::sign::{PrepareOptions, Prepared, Seal, SealFit, prepare};

/// Whether qpdf finds nothing wrong; `None` when it is not installed.
fn qpdf_ok(path: &std::path::Path) -> Option<bool> {
    let run = Command::new("qpdf").arg("--check").arg(path).output().ok()?;
    Some(run.status.success())
}

#[test]
fn every_readable_file_takes_a_signature_and_stays_its_own_prefix() {
    let Some(files) = common::corpus() else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut signed = 0;
    for path in &files {
        let name = common::name(path);
        let source = Arc::new(FileSource::open(path).unwrap());
        let seal = Seal {
            x: 20.5,
            y: 30.25,
            width: 90.0,
            height: 30.0,
            fit: SealFit::Move,
            ..Seal::default()
        };
        let options = PrepareOptions {
            reason: Some("Prøve".to_owned()),
            seal: Some(seal),
            reserve: 2048,
            ..PrepareOptions::default()
        };
        let prepared = match prepare(source.clone(), &options) {
            Ok(prepared) => prepared,
            Err(error) => {
                println!("{name}: {error}");
                continue;
            }
        };
        signed += 1;
        let state = prepared.to_state().unwrap();
        let again = Prepared::from_state(&state, source).unwrap();
        assert_eq!(
            prepared.digest(HashAlgorithm::Sha256).unwrap(),
            again.digest(HashAlgorithm::Sha256).unwrap()
        );
        let mut out = Vec::new();
        again.embed(&[0x30; 900], &mut out).unwrap();
        let original = std::fs::read(path).unwrap();
        assert!(out.starts_with(&original), "{name}");
        let range = prepared.byte_range().map(|v| v as usize);
        assert_eq!(out.len(), range[2] + range[3], "{name}");
        assert_eq!(&out[range[1]..range[1] + 5], b"<3030", "{name}");
        assert_eq!(out[range[2] - 1], b'>', "{name}");

        let before = Document::from_bytes(original).unwrap();
        let after = Document::from_bytes(Bytes::from(out.clone())).unwrap();
        assert!(!after.is_rebuilt(), "{name}: {:?}", after.structure_notes());
        assert_eq!(after.page_count().ok(), before.page_count().ok(), "{name}");
        let signatures = after.signatures().unwrap();
        let ours = signatures.iter().find(|s| s.name == prepared.field_name()).unwrap();
        let value = ours.value.as_ref().unwrap();
        assert_eq!(value.byte_range, range.map(|v| v as i64), "{name}");
        let span = value.contents_span.unwrap();
        assert_eq!([span.start, span.end], [range[1] as u64, range[2] as u64], "{name}");
        if !before.is_rebuilt() {
            assert_eq!(after.revisions().len(), before.revisions().len() + 1, "{name}");
        }
        let output = folder.path().join(&name);
        std::fs::write(&output, &out).unwrap();
        match (qpdf_ok(path), qpdf_ok(&output)) {
            (Some(true), Some(false)) => panic!("{name}: qpdf refuses the output only"),
            (Some(false), Some(after)) => println!("{name}: qpdf objects before, after {after}"),
            (None, _) => println!("{name}: qpdf is not installed"),
            _ => {}
        }
    }
    println!("{signed} of {} signed", files.len());
    assert!(signed * 10 >= files.len() * 8);
}

#[test]
fn encrypted_files_are_refused_with_that_reason() {
    let Some(files) = common::corpus() else { return };
    for path in files.iter().filter(|p| matches!(&common::name(p)[..2], "34" | "35" | "36")) {
        let source = Arc::new(FileSource::open(path).unwrap());
        let error = prepare(source, &PrepareOptions::default()).unwrap_err();
        assert_eq!(error.kind(), PdfErrorKind::Encrypted, "{}", common::name(path));
    }
}
