//! Real files, where they are at hand: signed by us and held against themselves, no alarm may
//! rise; and what other people signed is read without a panic.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "test code; helpers count as outside of tests"
)]

mod common;
mod verify_kit;

use std::sync::Arc;

use common::signing::{Level, Signing, bytes};
use signdoc_signature::asn1::Time;
use signdoc_signature::pdf::{Document, FileSource};
use signdoc_signature::report::Status;
use signdoc_signature::sign::SealFit;
use signdoc_signature::verify::{SealPosition, VerifyOptions, verify_bytes, verify_path};
use verify_kit::{Kit, NOW};

#[test]
fn signed_real_files_verify_against_themselves() {
    let Some(files) = common::corpus() else { return };
    let kit = Kit::new(31);
    let mut verified = 0;
    let mut alarms = Vec::new();
    for path in &files {
        let name = common::name(path);
        let mut options = kit.sealed(20.0, 30.0);
        options.seal.as_mut().unwrap().fit = SealFit::Move;
        let signing = Signing {
            pki: &kit.pki,
            signer: &kit.signer,
            level: Level::Lta,
            at: Time::from_unix(NOW),
        };
        let source = Arc::new(FileSource::open(path).unwrap());
        let Ok(signed) = signing.sign(source.clone(), &options) else {
            println!("{name}: not signed");
            continue;
        };
        let had_signatures = Document::open(source.clone()).unwrap().signatures().unwrap().len();
        let options = VerifyOptions { original: Some(source), ..kit.options() };
        let report = verify_bytes(bytes(&signed), &options);
        verified += 1;
        let ours = report.signatures.iter().find(|s| !s.in_original).unwrap();
        // What others signed before may be untrusted or broken: that is not what is asked here.
        let fine = match had_signatures {
            0 => report.ok,
            _ => report.status("original") == Status::Passed && !ours.checks.any_failed(),
        };
        if !fine || ours.level.is_none() {
            let failures: Vec<_> = report.failures().collect();
            let forbidden = &report.changes.forbidden;
            alarms.push(format!("{name}: {failures:#?} {forbidden:#?} {:?}", ours.level));
        }
    }
    println!("{verified} of {} files verified against themselves", files.len());
    assert!(alarms.is_empty(), "{} alarms\n{}", alarms.len(), alarms.join("\n"));
    assert!(verified >= 50);
}

#[test]
fn a_file_is_never_ok_without_a_trusted_signature() {
    let Some(files) = common::corpus() else { return };
    let kit = Kit::new(32);
    for path in &files {
        let mut options = kit.options();
        options.seals.positions = Some(vec![SealPosition { x: 0.0, y: 0.0, page: 1 }]);
        options.original = Some(Arc::new(FileSource::open(path).unwrap()));
        let report = verify_path(path, &options);
        assert!(!report.ok, "{}", common::name(path));
        assert!(report.failures().count() > 0, "{}", common::name(path));
    }
}
