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
use signdoc_signature::fixtures::{self, PdfBuilder, RawPdf, Structure};
use signdoc_signature::pdf::{FileSource, Work};
use signdoc_signature::preflight::{
    Finding, FindingCode, PreflightOptions, Severity, preflight, preflight_within,
};
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

/// A page with one annotation; `more` are the objects from 5 on.
fn annotated(annotation: &str, more: &[&str]) -> Vec<u8> {
    let mut pdf = RawPdf::new();
    pdf.object("<</Type/Catalog/Pages 2 0 R>>");
    pdf.object("<</Type/Pages/Kids[3 0 R]/Count 1>>");
    pdf.object("<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<<>>/Annots[4 0 R]>>");
    pdf.object(format!("<</Type/Annot/Rect[0 0 99 99]{annotation}>>"));
    for body in more {
        pdf.object(*body);
    }
    pdf.stream("/Type/EmbeddedFile", b"MZ");
    pdf.build(Structure::Table)
}

#[test]
fn files_inside_media_are_found() {
    let file = "<</Type/Filespec/F(a.swf)/EF<</F 6 0 R>>>>";
    let media = "/Subtype/RichMedia/RichMediaContent<</Assets<</Names[(a) 5 0 R]>>>>";
    let instance = "/Subtype/RichMedia/RichMediaContent<</Configurations[<</Instances[<</Asset \
                    5 0 R>>]>>]>>";
    let rendition =
        "/Subtype/Screen/A<</S/Rendition/OP 0/AN 4 0 R/R<</S/MR/C<</S/MCD/D 5 0 R>>>>>>";
    let selector = "/Subtype/Screen/A<</S/Rendition/R<</S/SR/R[<</S/MR/C<</D 5 0 R>>>>]>>>>";
    let opened = "/Subtype/Screen/AA<</PO<</S/Rendition/R<</S/MR/C<</D 5 0 R>>>>>>>>";
    let movie = "/Subtype/Movie/Movie<</F 5 0 R>>";
    let attached = "/Subtype/FileAttachment/FS 5 0 R";
    for annotation in [media, instance, rendition, selector, opened, movie, attached] {
        assert!(codes(annotated(annotation, &[file])).contains(&"EF_REMOVED"), "{annotation}");
        let without = codes(annotated(annotation, &["<</Type/Filespec/F(a.swf)>>"]));
        assert!(!without.contains(&"EF_REMOVED"), "{annotation}");
    }
    // What an action leads to is not part of it.
    let leads = "/Subtype/Screen/A<</S/Rendition/R<</S/MR/C<</D[3 0 R/Fit]>>>>>>";
    let page = annotated(leads, &["<</Type/Annot/Subtype/FileAttachment/FS<</EF<</F 6 0 R>>>>>>"]);
    assert!(!codes(page).contains(&"EF_REMOVED"));
}

#[test]
fn an_attachment_without_a_file_is_none() {
    let broken = ["", "/FS 5 0 R", "/FS(name)", "/FS<</EF<</F 99 0 R>>>>", "/FS<</EF<<>>>>"];
    for entry in broken {
        let file = annotated(&format!("/Subtype/FileAttachment{entry}"), &["<</F(b.txt)>>"]);
        assert!(!codes(file).contains(&"EF_REMOVED"), "{entry}");
    }
}

#[test]
fn a_certification_behind_an_approval_is_told() {
    let signed = |first: &str, second: &str| {
        let mut pdf = RawPdf::new();
        pdf.object(
            "<</Type/Catalog/Pages 2 0 R/AcroForm<</SigFlags 3/Fields[4 0 R 5 0 R]>>\
             /Perms<</DocMDP 7 0 R>>>>",
        );
        pdf.object("<</Type/Pages/Kids[3 0 R]/Count 1>>");
        pdf.object("<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>");
        pdf.object("<</FT/Sig/T(one)/V 6 0 R>>");
        pdf.object("<</FT/Sig/T(two)/V 7 0 R>>");
        let value = |end: u32, entries: &str| {
            format!("<</Type/Sig/ByteRange[0 1 2 {end}]/Contents<00>{entries}>>")
        };
        pdf.object(value(10, first));
        pdf.object(value(20, second));
        let found = look(pdf.build(Structure::Table));
        let finding = found.into_iter().find(|f| f.code == FindingCode::DocSigned);
        finding.unwrap().message
    };
    let reference = "/Reference[<</TransformMethod/DocMDP/TransformParams<</P 2/V/1.2>>>>]/SubFilter\
         /ETSI.CAdES.detached";
    let message = signed("/SubFilter/ETSI.CAdES.detached", reference);
    assert!(message.contains("\"two\" certifies the document after"), "{message}");
    assert!(!signed("/SubFilter/ETSI.RFC3161", reference).contains("certifies"));
    assert!(!signed(reference, reference).contains("certifies"));
}

#[test]
fn large_images_cost_little() {
    let mut pdf = RawPdf::new();
    pdf.object("<</Type/Catalog/Pages 2 0 R>>");
    pdf.object("<</Type/Pages/Kids[3 0 R]/Count 1>>");
    let images: String = (4..24).map(|n| format!("/I{n} {n} 0 R")).collect();
    pdf.object(format!(
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Resources<</XObject<<{images}>>>>>>"
    ));
    let packed = common::packed::deflate(&vec![0; 12 << 20]);
    for _ in 0..20 {
        pdf.stream(
            "/Subtype/Image/Width 2000/Height 2000/ColorSpace/DeviceRGB/BitsPerComponent 8\
             /Filter/FlateDecode/DecodeParms<</Predictor 15/Colors 3/Columns 2000>>",
            &packed,
        );
    }
    let source = Arc::new(Bytes::from(pdf.build(Structure::Table)));
    let work = Work::new(1 << 40);
    let found = preflight_within(source, &PreflightOptions::default(), &work).unwrap();
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(work.spent() < 24 << 20, "{}", work.spent());
}

#[test]
fn what_takes_too_much_work_is_told() {
    let file = common::packed::in_one_stream(1 << 20);
    let source = Arc::new(Bytes::from(file));
    let found =
        preflight_within(source, &PreflightOptions::default(), &Work::new(200_000)).unwrap();
    assert!(!found.is_empty());
    assert!(found.iter().any(|f| f.message.contains("more work than allowed")), "{found:?}");
}
