//! Verifying: no panic, and no change of what was signed is called good.

use std::sync::OnceLock;

use signdoc_signature::fixtures::{PdfBuilder, Structure, append_update};
use signdoc_signature::pdf::Document;
use signdoc_signature::report::Status;
use signdoc_signature::sign::{PrepareOptions, Seal};
use signdoc_signature::verify::{VerifyOptions, verify};

use super::kit::{kit, later, prepare_options, shared};
use super::signing::Level;

/// A document as it was sent, and what of its signed forms no change may touch.
struct Case {
    original: Vec<u8>,
    signed: Vec<Vec<u8>>,
    /// The bytes before the first signature's gap, and behind it up to the end of its revision.
    covered: Vec<(Vec<u8>, Vec<u8>)>,
}

fn cases() -> &'static [Case] {
    static CASES: OnceLock<Vec<Case>> = OnceLock::new();
    CASES.get_or_init(|| {
        [Structure::Table, Structure::ObjectStreams, Structure::Hybrid].map(case).into()
    })
}

fn case(structure: Structure) -> Case {
    let original = PdfBuilder::new()
        .text_field("amount")
        .signature_field("Buyer", [10.0, 10.0, 99.0, 40.0], "")
        .content("BT (pay 100 000) Tj ET")
        .structure(structure)
        .build();
    let seal = Seal { x: 72.0, y: 72.0, width: 120.0, height: 40.0, ..Seal::default() };
    let sealed = PrepareOptions { seal: Some(seal), ..prepare_options() };
    let filled = PrepareOptions { field_name: Some("Buyer".into()), ..prepare_options() };
    let basic = kit().sign_pdf(&original, Level::B, &prepare_options());
    let signed = vec![
        kit().sign_pdf(&basic, Level::B, &filled),
        kit().sign_pdf(&original, Level::T, &sealed),
        kit().sign_pdf(&original, Level::Lta, &prepare_options()),
        basic,
    ];
    let covered = signed.iter().map(|file| first_covered(file)).collect();
    Case { original, signed, covered }
}

fn first_covered(file: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let document = Document::from_bytes(file.to_vec()).unwrap();
    let ranges = document.signatures().unwrap().into_iter().filter_map(|field| {
        let range: [i64; 4] = field.value?.byte_range.try_into().ok()?;
        Some(range.map(|n| usize::try_from(n).unwrap()))
    });
    let [_, before, after, rest] = ranges.min_by_key(|range| range[1]).unwrap();
    (file[..before].to_vec(), file[after..after + rest].to_vec())
}

pub fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for case in cases() {
        seeds.extend(case.signed.iter().cloned());
    }
    // What must fail already: an update behind the signature, and no signature at all.
    let table = &cases()[0];
    let catalog = "<</Type/Catalog/Pages 2 0 R>>";
    seeds.push(append_update(&table.signed[3], &[(1, catalog)], 1));
    seeds.push(table.original.clone());
    seeds
}

pub fn run(data: &[u8]) -> bool {
    let known = cases().iter().find(|case| data.starts_with(&case.original));
    let case = known.unwrap_or(&cases()[0]);
    let options = VerifyOptions {
        original: Some(shared(&case.original)),
        trust: kit().pki.anchors(),
        at: Some(later()),
        ..VerifyOptions::default()
    };
    let report = verify(shared(data), &options);
    assert!(report.to_json().is_object());
    if !report.ok {
        return false;
    }
    assert!(known.is_some(), "called good, but the original is no prefix");
    assert_eq!(report.failures().count(), 0);
    for name in ["document", "integrity", "signature", "chain", "original"] {
        assert_eq!(report.status(name), Status::Passed, "{name}");
    }
    let intact = |(before, after): &(Vec<u8>, Vec<u8>)| {
        data.starts_with(before) && data.windows(after.len()).any(|window| window == after)
    };
    assert!(case.covered.iter().any(intact), "called good, but signed bytes were changed");
    let ours = [kit().signer.certificate(), kit().pki.timestamping().certificate()];
    for signer in report.signatures.iter().filter_map(|s| s.signer.as_ref()) {
        let serial = &signer.certificate_serial;
        let known = ours.iter().any(|known| known.serial_hex().eq_ignore_ascii_case(serial));
        assert!(known, "signed by {}", signer.subject);
    }
    true
}
