//! The reader and the writer over every file structure, with files made in code.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "test code; helpers count as outside of tests"
)]

use std::sync::Arc;

use bytes::Bytes;
use signdoc_signature::fixtures::{self, PdfBuilder, Structure};
use signdoc_signature::pdf::{
    Document, Location, ObjRef, Object, PdfErrorKind, SectionKind, StructureNote,
};
use signdoc_signature::sign::{PrepareOptions, prepare};

fn open(bytes: &[u8]) -> Document {
    Document::from_bytes(bytes.to_vec()).unwrap()
}

fn form_names(document: &Document) -> Vec<String> {
    document.head().form_fields().unwrap().into_iter().map(|f| f.name).collect()
}

#[test]
fn every_structure_reads_the_same() {
    for (name, file) in fixtures::all_structures() {
        let document = open(&file);
        assert_eq!(document.page_count().unwrap(), 3, "{name}");
        assert_eq!(form_names(&document), ["amount"], "{name}");
        assert_eq!(document.version(), (1, 7), "{name}");
        assert_eq!(document.revisions().len(), 1, "{name}");
        let rebuilt =
            document.structure_notes().iter().any(|n| matches!(n, StructureNote::Rebuilt { .. }));
        let expected = name == "WrongStartxref" || name == "NoXref";
        assert_eq!(rebuilt, expected, "{name}: {:?}", document.structure_notes());
        for page in document.pages() {
            let page = page.unwrap();
            let content = document.lookup(&page.dict, "Contents").unwrap();
            let data = document.stream_data(content.as_stream().unwrap(), 1000).unwrap();
            assert!(data.data.starts_with(b"0 0 m 100"), "{name}");
            assert!(!data.damaged);
        }
        if !expected {
            let revision = &document.revisions()[0];
            assert_eq!(revision.end, file.len() as u64, "{name}");
            assert!(revision.is_end_certain, "{name}");
        }
    }
}

#[test]
fn offsets_count_from_the_header_where_bytes_precede_it() {
    let file = PdfBuilder::new().structure(Structure::LeadingBytes).build();
    let document = open(&file);
    assert_eq!(document.offset_shift(), 20);
    let catalog = document.get(ObjRef::new(1, 0)).unwrap();
    let span = catalog.span.unwrap();
    assert!(file[span.start as usize..span.end as usize].starts_with(b"1 0 obj"));
    assert!(file[span.start as usize..span.end as usize].ends_with(b"endobj"));
}

#[test]
fn updates_follow_in_the_style_of_the_file_and_can_be_repeated() {
    for (name, file) in fixtures::all_structures() {
        let mut current = file.clone();
        for round in 1..=3 {
            let source = Arc::new(Bytes::from(current.clone()));
            let options = PrepareOptions { reserve: 512, ..PrepareOptions::default() };
            let prepared = prepare(source, &options).unwrap();
            assert_eq!(prepared.field_name(), format!("Signature{round}"));
            let mut out = Vec::new();
            prepared.embed(&[0x30, 0], &mut out).unwrap();
            assert!(out.starts_with(&current), "{name}");
            let document = open(&out);
            assert!(!document.is_rebuilt(), "{name}: {:?}", document.structure_notes());
            assert_eq!(document.signatures().unwrap().len(), round, "{name}");
            assert_eq!(document.page_count().unwrap(), 3, "{name}");
            assert_eq!(form_names(&document)[0], "amount", "{name}");
            let last = document.revisions().last().unwrap();
            let expected = match name.as_str() {
                "XrefStream" | "ObjectStreams" | "WrongStartxref" | "NoXref" => SectionKind::Stream,
                _ => SectionKind::Table,
            };
            assert_eq!(last.kind, expected, "{name}");
            assert_eq!(last.end, out.len() as u64, "{name}");
            current = out;
        }
    }
}

#[test]
fn revisions_tell_what_changed_and_show_the_past() {
    let base = PdfBuilder::new().content("BT (100 000) Tj ET").build();
    let page = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 5 5]>>";
    let updated = fixtures::append_update(&base, &[(3, page), (50, "<</New true>>")], 1);
    let document = open(&updated);
    let [first, second] = document.revisions() else { panic!("two revisions expected") };
    assert_eq!((first.start, first.end), (0, base.len() as u64));
    assert_eq!((second.start, second.end), (base.len() as u64, updated.len() as u64));
    let changed: Vec<u32> = document.changes(second).map(|c| c.id.number).collect();
    assert_eq!(changed, [3, 50]);
    let old = document.at_revision(0).unwrap();
    assert_eq!(old.get(ObjRef::new(50, 0)).unwrap().object, Object::Null);
    assert_eq!(old.pages().next().unwrap().unwrap().visible_box().width(), 595.0);
    assert_eq!(document.pages().next().unwrap().unwrap().visible_box().width(), 5.0);
    assert!(document.at_revision(2).is_none());
}

#[test]
fn freed_objects_are_null_and_reported() {
    let base = PdfBuilder::new().build();
    let at = base.len();
    let previous = memchr::memmem::rfind(&base, b"startxref").unwrap();
    let previous: String = base[previous + 10..]
        .iter()
        .take_while(|b| b.is_ascii_digit())
        .map(|b| *b as char)
        .collect();
    let mut file = base.clone();
    file.extend(
        format!(
            "xref\n4 1\n0000000000 00001 f \ntrailer\n<</Size 6/Root 1 0 R/Prev {previous}>>\n\
             startxref\n{at}\n%%EOF"
        )
        .as_bytes(),
    );
    let document = open(&file);
    let change = document.changes(&document.revisions()[1]).next().unwrap();
    assert_eq!((change.id.number, change.location), (4, Location::Free));
    assert!(document.get(ObjRef::new(4, 0)).unwrap().object.is_null());
    assert!(!document.at_revision(0).unwrap().get(ObjRef::new(4, 0)).unwrap().object.is_null());
    assert_eq!(document.revisions()[1].end, file.len() as u64);
}

#[test]
fn encryption_is_recognised_before_anything_else_fails() {
    for structure in Structure::ALL {
        let file = PdfBuilder::new().structure(structure).encrypted().build();
        let document = open(&file);
        let encryption = document.encryption().unwrap();
        assert_eq!((encryption.filter.as_str(), encryption.version), ("Standard", 2));
        let error = prepare(Arc::new(Bytes::from(file)), &PrepareOptions::default()).unwrap_err();
        assert_eq!(error.kind(), PdfErrorKind::Encrypted, "{structure:?}");
    }
}

#[test]
fn what_is_no_pdf_says_so() {
    for (bytes, kind) in [
        (&b""[..], PdfErrorKind::NotPdf),
        (b"hello", PdfErrorKind::NotPdf),
        (b"%PDF-1.7", PdfErrorKind::Corrupt),
        (b"%PDF-1.7\n1 0 obj<</Type/Catalog>>endobj", PdfErrorKind::Corrupt),
        (b"%PDF-1.7\nstartxref\n99999999999999999999\n%%EOF", PdfErrorKind::Corrupt),
    ] {
        assert_eq!(Document::from_bytes(bytes).unwrap_err().kind(), kind, "{bytes:?}");
    }
}

#[test]
fn a_previous_loop_ends() {
    let base = String::from_utf8_lossy(&PdfBuilder::new().build()).into_owned();
    let xref = base.rfind("xref\n0").unwrap();
    let looped = base.replace("/Size 5", &format!("/Prev {xref}/Size 5"));
    let bytes: Vec<u8> =
        looped.chars().map(|c| if c == '\u{FFFD}' { '~' } else { c } as u8).collect();
    let document = Document::from_bytes(bytes).unwrap();
    assert_eq!(document.page_count().unwrap(), 1);
}

#[test]
fn sized_files_have_exactly_that_size() {
    for len in [2000, 2500, 9_999, 10_000, 123_456, 3_750_000] {
        let file = fixtures::sized(len).unwrap();
        assert_eq!(file.len(), len);
        let document = open(&file);
        assert!(!document.is_rebuilt());
        assert_eq!(document.page_count().unwrap(), 1);
    }
    assert!(fixtures::sized(1999).is_none());
}
