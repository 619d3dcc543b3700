//! Updates that some readers take in one way and others in another: what a dictionary says twice,
//! references to references, whole numbers written as others, and a file that becomes linearized.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "test code; helpers count as outside of tests"
)]

mod common;
mod verify_kit;

use common::signing::Level;
use signdoc_signature::fixtures::{RawPdf, Structure, append_update};
use signdoc_signature::verify::{VerifyOptions, VerifyReport, verify_bytes};
use verify_kit::{Kit, arc};

const CONTENT: &str = "BT /F1 12 Tf 72 700 Td (Amount: 100 000 NOK) Tj ET";
const STAMP: &str = "/Subtype/Stamp/Rect[9 9 90 90]/F 4";

/// Page tree 2, page 3, content 4, font 5, rotation 6, a reference to it 7, annotations 8, a
/// reference to them 9.
fn document(page: &str) -> Vec<u8> {
    let mut pdf = RawPdf::new();
    pdf.object("<</Type/Catalog/Pages 2 0 R>>");
    pdf.object("<</Type/Pages/Kids[3 0 R]/Count 1>>");
    pdf.object(self::page(page));
    pdf.object(format!("<</Length {}>>\nstream\n{CONTENT}\nendstream", CONTENT.len()));
    pdf.object("<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>");
    pdf.object("0");
    pdf.object("6 0 R");
    pdf.object(format!("[<</Type/Annot{STAMP}>>]"));
    pdf.object("8 0 R");
    pdf.build(Structure::Table)
}

fn page(more: &str) -> String {
    format!(
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>{more}>>"
    )
}

/// What verifying says when the document was updated before somebody signed it.
fn judge(kit: &Kit, original: &[u8], objects: &[(u32, &str)]) -> VerifyReport {
    let signed = kit.sign(&append_update(original, objects, 1), Level::B, &kit.plain());
    let options = VerifyOptions { original: Some(arc(original)), ..kit.options() };
    verify_bytes(signed, &options)
}

#[track_caller]
fn caught(kit: &Kit, original: &[u8], objects: &[(u32, &str)]) {
    let report = judge(kit, original, objects);
    assert!(!report.ok && !report.changes.forbidden.is_empty(), "{objects:?}");
}

#[track_caller]
fn fine(kit: &Kit, original: &[u8], objects: &[(u32, &str)]) {
    let report = judge(kit, original, objects);
    assert!(report.ok, "{objects:?}: {:#?}", report.changes.forbidden);
}

#[test]
fn what_a_dictionary_says_twice() {
    let kit = Kit::new(91);
    let plain = document("");
    fine(&kit, &plain, &[(3, &page(""))]);
    for twice in ["/MediaBox[0 0 9 9]", "/Contents 5 0 R", "/Annots[]/Annots 8 0 R"] {
        caught(&kit, &plain, &[(3, &page(twice))]);
    }
    // Deeper, and in what was there before.
    let deep = page("").replace("/F1 5 0 R", "/F1 5 0 R/F1 5 0 R");
    caught(&kit, &plain, &[(3, &deep)]);
    caught(&kit, &document("/Rotate 0/Rotate 90"), &[(3, &page("/Rotate 90"))]);
}

#[test]
fn references_to_references() {
    let kit = Kit::new(92);
    let turned = document("/Rotate 6 0 R");
    caught(&kit, &turned, &[(3, &page("/Rotate 7 0 R"))]);
    caught(&kit, &turned, &[(3, &page("/Rotate 30 0 R")), (30, "6 0 R")]);
    fine(&kit, &turned, &[(3, &page("/Rotate 30 0 R")), (30, "0")]);
    let marked = document("/Annots 8 0 R");
    caught(&kit, &marked, &[(3, &page("/Annots 9 0 R"))]);
}

#[test]
fn whole_numbers_that_are_written_as_others() {
    let kit = Kit::new(93);
    let turned = document("/Rotate 90");
    caught(&kit, &turned, &[(3, &page("/Rotate 90.0"))]);
    caught(&kit, &document("/Rotate 6 0 R"), &[(6, "0.0")]);
    // Readers ask for any number there.
    let boxed = page("/Rotate 90").replace("[0 0 595 842]", "[0.0 0 595.00 842]");
    fine(&kit, &turned, &[(3, &boxed)]);
}

#[test]
fn a_file_that_becomes_linearized() {
    let kit = Kit::new(94);
    // Its length and its first page lie in the first object of the file.
    let with = |length: usize| {
        let mut pdf = RawPdf::new();
        pdf.object("<</Type/Catalog/Pages 2 0 R>>");
        pdf.object("<</Type/Pages/Kids[3 0 R]/Count 1>>");
        pdf.object(page(""));
        pdf.object(format!("<</Length {}>>\nstream\n{CONTENT}\nendstream", CONTENT.len()));
        pdf.object("<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>");
        pdf.object(format!("<</Linear#69zed 1/L {length:06}/H[0 0]/O 3/E 0/N 1/T 0>>"));
        pdf.build(Structure::Table)
    };
    let restated = |file: &[u8]| {
        append_update(file, &[(5, "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>")], 1)
    };
    let judged = |length: usize| {
        let signed = kit.sign(&with(length), Level::B, &kit.plain());
        let later = restated(&signed);
        (later.len(), verify_bytes(later, &kit.options()))
    };
    let (length, report) = judged(1);
    assert!(report.ok, "{:#?}", report.changes.forbidden);
    let (same, report) = judged(length);
    assert_eq!(same, length);
    assert!(!report.ok && !report.changes.forbidden.is_empty());
}
