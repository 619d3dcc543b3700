//! What a verification costs is bounded, and grows with the file: work is counted, not timed.
#![allow(clippy::unwrap_used, reason = "test code; helpers count as outside of tests")]

mod common;

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use common::packed::{Packed, changed, in_one_stream, one_page};
use signdoc_signature::pdf::{SharedSource, Work};
use signdoc_signature::report::Status;
use signdoc_signature::sign::{PrepareOptions, prepare};
use signdoc_signature::verify::{VerifyOptions, VerifyReport, verify, verify_within};

fn source(bytes: Vec<u8>) -> SharedSource {
    Arc::new(Bytes::from(bytes))
}

/// The report of a comparison with the original, and the units of work it took.
fn compared(original: Vec<u8>, signed: Vec<u8>, units: u64) -> (VerifyReport, u64) {
    let work = Work::new(units);
    let options = VerifyOptions { original: Some(source(original)), ..VerifyOptions::default() };
    let report = verify_within(source(signed), &options, &work);
    (report, work.spent())
}

const PLENTY: u64 = 1 << 40;

#[test]
fn work_grows_with_the_number_of_changed_objects_and_no_faster() {
    let cost = |count| {
        let (original, signed) = changed(count, 0);
        let (report, spent) = compared(original, signed, PLENTY);
        let changes = &report.changes;
        let found = changes.forbidden.len() + changes.forbidden_not_listed;
        assert!(found >= count as usize, "{found} of {count}");
        spent
    };
    let costs: Vec<(u64, u64)> = [10, 100, 1000, 50_000].map(|n| (u64::from(n), cost(n))).to_vec();
    println!("{costs:?}");
    let (few, many) = (costs[2], costs[3]);
    let each = few.1 / few.0;
    assert!(each < 2000, "{each} units for each of a thousand objects");
    assert!(many.1 < many.0 * each * 5 / 4, "{costs:?}");
}

#[test]
fn object_streams_that_drive_each_other_out_are_decoded_once() {
    let (original, signed) = changed(4000, 5 << 20);
    assert!(signed.len() < 200_000, "{} bytes", signed.len());
    let (plain_original, plain) = changed(4000, 0);
    let (_, spent_plain) = compared(plain_original, plain, PLENTY);
    let (report, spent) = compared(original, signed, PLENTY);
    assert!(!report.ok && report.changes.forbidden.len() >= 200);
    // Four streams, each decoded by the pass over the base and by the comparison at most, at
    // half a unit for each byte that two readers see.
    let streams = 4 * (5 << 20);
    assert!(spent < spent_plain + 3 * streams, "{spent}");
}

#[test]
fn more_work_than_allowed_is_a_limit_and_nothing_else() {
    let (original, signed) = changed(4000, 5 << 20);
    let (_, whole) = compared(original.clone(), signed.clone(), PLENTY);
    for part in [whole / 50, whole / 9, whole / 3, whole / 2, whole - 1000] {
        let (report, spent) = compared(original.clone(), signed.clone(), part);
        assert_eq!(spent, part);
        assert!(!report.ok);
        let Some(changes) = report.checks.get("changes") else {
            // It ended before there was a document.
            assert_eq!(report.checks.status("document"), Status::Failed, "{part}");
            continue;
        };
        assert_eq!(changes.status, Status::Failed);
        assert!(changes.detail.contains("within the limits"), "{}", changes.detail);
        assert!(report.changes.forbidden.is_empty(), "what was not read is no change");
    }
}

#[test]
fn a_verification_ends_by_itself_whatever_the_file_asks_for() {
    // Streams that are decoded again and again, because together they are more than is kept.
    let streams = |text: &str| -> Vec<Vec<(u32, String)>> {
        (0..12).map(|n| vec![(10 + n, format!("<</Number({text} {n})>>"))]).collect()
    };
    let mut file = Packed::new(100);
    file.revision(&one_page(), &streams("old"), 3 << 20);
    let original = file.bytes.clone();
    for round in 0..4 {
        file.revision(&[], &streams(&round.to_string()), 3 << 20);
    }
    let options = VerifyOptions { original: Some(source(original)), ..VerifyOptions::default() };
    let work = Work::new(32 << 20);
    let report = verify_within(source(file.bytes), &options, &work);
    let changes = report.checks.get("changes").unwrap();
    assert!(changes.detail.contains("within the limits"), "{}", changes.detail);
}

#[test]
fn a_large_honest_object_stream_is_compared_to_its_end() {
    let original = in_one_stream(9 << 20);
    let prepared = prepare(source(original.clone()), &PrepareOptions::default()).unwrap();
    let mut signed = Vec::new();
    prepared.embed(&[0x30, 0], &mut signed).unwrap();
    let options = VerifyOptions { original: Some(source(original)), ..VerifyOptions::default() };
    let report = verify(source(signed), &options);
    assert_eq!(report.checks.status("changes"), Status::Passed, "{:?}", report.checks);
}

#[test]
fn a_deadline_ends_the_whole_verification() {
    let (original, signed) = changed(4000, 5 << 20);
    let past = Instant::now().checked_sub(Duration::from_secs(1)).unwrap_or_else(Instant::now);
    let work = Work::until(PLENTY, past);
    let options = VerifyOptions { original: Some(source(original)), ..VerifyOptions::default() };
    let report = verify_within(source(signed), &options, &work);
    let failed: Vec<_> = report.failures().map(|check| check.detail.clone()).collect();
    assert!(failed.iter().any(|detail| detail.contains("more time than allowed")), "{failed:?}");
}
