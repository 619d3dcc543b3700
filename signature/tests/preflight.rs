//! Each preflight finding on a document made for it, and on real ones where they are at hand.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "test code; helpers count as outside of tests"
)]

mod common;

use std::sync::Arc;

use bytes::Bytes;
use signdoc_signature::fixtures::{self, PdfBuilder, Structure};
use signdoc_signature::pdf::FileSource;
use signdoc_signature::preflight::{Finding, FindingCode, PreflightOptions, Severity, preflight};
use signdoc_signature::sign::{Certification, PrepareOptions, prepare};

fn look(file: Vec<u8>) -> Vec<Finding> {
    preflight(Arc::new(Bytes::from(file)), &PreflightOptions::default()).unwrap()
}

/// The codes beside the page count.
fn codes(file: Vec<u8>) -> Vec<&'static str> {
    let findings = look(file);
    let others = findings.iter().filter(|f| f.code != FindingCode::Pages);
    others.map(|f| f.code.name()).collect()
}

#[test]
fn a_plain_document_has_nothing_but_pages() {
    for (name, file) in fixtures::all_structures() {
        let found = codes(file);
        let structure = Structure::ALL.into_iter().find(|s| format!("{s:?}") == name).unwrap();
        // The documents have one form field.
        let mut expected = vec!["ACTION_REMOVED"];
        expected.extend(structure.needs_rebuild().then_some("REBUILT"));
        assert_eq!(found, expected, "{name}");
    }
    let findings = look(PdfBuilder::new().pages(12).build());
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0].message, "12 pages");
}

#[test]
fn each_feature_gives_its_code() {
    let new = PdfBuilder::new;
    let cases = [
        (new().attachment(), "EF_REMOVED", Severity::Error),
        (new().javascript(), "ACTION_REMOVED", Severity::Warning),
        (new().launch_action(), "ACTION_REMOVED", Severity::Warning),
        (new().text_field("a"), "ACTION_REMOVED", Severity::Warning),
        (new().layers(), "OCG_REMOVED", Severity::Warning),
        (new().structure_tree(), "STRUCTURE_REMOVED", Severity::Warning),
        (new().transparency(), "TRANSP_REMOVED", Severity::Warning),
        (new().unembedded_font(), "FONT_SUBST", Severity::Warning),
        (new().colliding_colorants(), "COLORANTS", Severity::Warning),
        (new().metadata("<x xmlns:my='urn:my'/>"), "XMP_REMOVED", Severity::Warning),
        (new().pdfa_claim(2, 'B'), "PDFA_CLAIMED", Severity::Info),
        (new().xfa(), "XFA", Severity::Warning),
        (new().encrypted(), "ENCRYPTED", Severity::Error),
    ];
    for (builder, code, severity) in cases {
        for structure in [Structure::Table, Structure::ObjectStreams] {
            let findings = look(builder.clone().structure(structure).build());
            let others: Vec<&Finding> =
                findings.iter().filter(|f| f.code != FindingCode::Pages).collect();
            let [finding] = others.as_slice() else { panic!("{code}: {others:?}") };
            assert_eq!((finding.code.name(), finding.severity), (code, severity));
            assert!(!finding.message.is_empty() && !finding.remedy.is_empty());
            println!("{finding}");
        }
    }
}

#[test]
fn harmless_things_are_not_reported() {
    let page = "/MediaBox[0 0 9 9]/Group<</S/Transparency/CS/DeviceRGB>>\
                /Annots[<</Type/Annot/Subtype/Link/Rect[0 0 1 1]/A<</S/URI/URI(https://example.com)>>>>]";
    let builder =
        PdfBuilder::new().page_entries(page).catalog("/OpenAction<</S/GoTo/D[3 0 R/Fit]>>");
    assert_eq!(codes(builder.build()), Vec::<&str>::new());
}

#[test]
fn size_counts_in_base64_characters() {
    let at_limit = fixtures::sized(3_750_000).unwrap();
    assert_eq!(codes(at_limit), Vec::<&str>::new());
    let over = look(fixtures::sized(3_750_001).unwrap());
    assert_eq!(over[0].code.name(), "TOO_LARGE");
    assert!(over[0].message.contains("5000004") && over[0].message.contains("5000000"));
}

#[test]
fn signed_and_certified_documents() {
    let sign = |certification| {
        let options = PrepareOptions { certification, ..PrepareOptions::default() };
        let prepared = prepare(Arc::new(Bytes::from(fixtures::simple())), &options).unwrap();
        let mut out = Vec::new();
        prepared.embed(&[0x30, 0], &mut out).unwrap();
        out
    };
    assert_eq!(codes(sign(None)), ["DOC_SIGNED"]);
    assert_eq!(codes(sign(Some(Certification::FormFilling))), ["DOC_SIGNED"]);
    assert_eq!(codes(sign(Some(Certification::NoChanges))), ["DOC_SIGNED", "CHANGES_FORBIDDEN"]);
}

#[test]
fn corrupt_documents_and_damaged_parts() {
    for file in [&b""[..], b"hello", b"%PDF-1.4\n%%EOF"] {
        let findings = look(file.to_vec());
        assert_eq!((findings[0].code.name(), findings[0].severity), ("CORRUPT", Severity::Error));
    }
    let mut pdf = PdfBuilder::new().raw();
    pdf.set(4, "<</Length 4/Filter/FlateDecode>>\nstream\nabcd\nendstream");
    let findings = look(pdf.build(Structure::Table));
    assert_eq!((findings[0].code.name(), findings[0].severity), ("CORRUPT", Severity::Warning));
    assert!(findings[0].message.contains("page 1"), "{}", findings[0].message);
}

#[test]
fn findings_serialise_with_the_codes_of_the_specification() {
    let findings = look(PdfBuilder::new().attachment().build());
    let json = serde_json::to_value(&findings).unwrap();
    assert_eq!(json[0]["code"], "EF_REMOVED");
    assert_eq!(json[0]["severity"], "error");
}

#[test]
fn real_files_get_the_findings_they_are_known_for() {
    let Some(files) = common::corpus() else { return };
    let known = [
        ("28_", "CORRUPT"),
        ("31_", "CORRUPT"),
        ("24_", "CORRUPT"),
        ("25_", "CORRUPT"),
        ("35_", "ENCRYPTED"),
        ("36_", "ENCRYPTED"),
        ("37_", "EF_REMOVED"),
        ("38_", "ACTION_REMOVED"),
        ("39_", "ACTION_REMOVED"),
        ("41_", "XMP_REMOVED"),
        ("42_", "PDFA_CLAIMED"),
        ("08_", "STRUCTURE_REMOVED"),
        ("46_", "TRANSP_REMOVED"),
        ("53_", "EF_REMOVED"),
        ("55_", "PDFA_CLAIMED"),
        ("59_", "DOC_SIGNED"),
        ("60_", "DOC_SIGNED"),
        ("91_", "TOO_LARGE"),
    ];
    for path in files {
        let name = common::name(&path);
        let source = Arc::new(FileSource::open(&path).unwrap());
        let findings = preflight(source, &PreflightOptions::default()).unwrap();
        for finding in &findings {
            println!("{name}: {finding}");
        }
        for (_, code) in known.iter().filter(|(start, _)| name.starts_with(start)) {
            assert!(findings.iter().any(|f| f.code.name() == *code), "{name}: no {code}");
        }
        let too_large = findings.iter().any(|f| f.code == FindingCode::TooLarge);
        assert_eq!(too_large, name.starts_with("91_"), "{name}");
    }
}
