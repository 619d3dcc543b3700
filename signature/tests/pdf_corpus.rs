//! The reader over real files, where they are at hand.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "test code; helpers count as outside of tests"
)]

mod common;

use signdoc_signature::pdf::{Document, Object, PdfErrorKind};

#[test]
fn every_file_opens_or_says_why_not() {
    let Some(files) = common::corpus() else { return };
    for path in &files {
        let name = common::name(path);
        let file = match Document::open_path(path) {
            Ok(document) => document,
            Err(error) => {
                println!("{name}: {error}");
                assert!(matches!(error.kind(), PdfErrorKind::Corrupt | PdfErrorKind::NotPdf));
                continue;
            }
        };
        let memory = Document::from_bytes(std::fs::read(path).unwrap()).unwrap();
        let summary = summary(&file);
        println!("{name}: {summary}");
        assert_eq!(summary, self::summary(&memory), "{name}: file and memory differ");
    }
}

fn summary(document: &Document) -> String {
    let mut text = format!("{:?} pages {:?}", document.version(), document.page_count());
    for revision in document.revisions() {
        let changes = document.changes(revision).count();
        text += &format!(
            " [{:?} {}..{} certain {} xref {} objects {changes}]",
            revision.kind,
            revision.start,
            revision.end,
            revision.is_end_certain,
            revision.xref_offset
        );
    }
    let mut kinds = std::collections::BTreeMap::<String, usize>::new();
    for (id, _) in document.head().locations() {
        let kind = match document.get(id) {
            Ok(found) => {
                if let Object::Stream(stream) = &found.object {
                    let decoded = document.stream_data(stream, 64 << 20);
                    match decoded {
                        Ok(d) if d.damaged => "damaged stream".to_owned(),
                        Ok(_) => "stream".to_owned(),
                        Err(error) => error.to_string(),
                    }
                } else {
                    "object".to_owned()
                }
            }
            Err(error) => error.to_string(),
        };
        *kinds.entry(kind).or_default() += 1;
    }
    text += &format!(" {kinds:?} notes {:?}", document.structure_notes());
    match document.signatures() {
        Ok(found) if found.is_empty() => {}
        Ok(found) => {
            for field in found {
                let value = field.value.unwrap();
                text += &format!(
                    " sig {:?} {} {:?} {:?}",
                    field.name, value.sub_filter, value.byte_range, value.contents_span
                );
            }
        }
        Err(error) => text += &format!(" signatures: {error}"),
    }
    text
}
