//! Everything the reader does with a document, from memory and through windows: nothing panics,
//! and where the bytes lie makes no difference.

use std::fmt::Write as _;
use std::io;

use bytes::Bytes;
use signdoc_signature::fixtures::{self, PdfBuilder, Structure};
use signdoc_signature::pdf::{self, Document, Object, Source};

use super::kit::{kit, prepare_options};
use super::signing::Level;

const MOST_OBJECTS: usize = 200;
const STREAM_CAP: usize = 1 << 18;

pub const WORDS: &[&[u8]] = &[
    b"1 0 R",
    b"2 0 R",
    b"3 0 R",
    b"9999999 0 R",
    b"<<",
    b">>",
    b"[",
    b"]",
    b"1 0 obj",
    b"endobj",
    b"stream\n",
    b"\nendstream",
    b"/Length 99999999",
    b"/Kids",
    b"/Parent",
    b"/Prev 9",
    b"/Prev 15",
    b"startxref\n0\n%%EOF\n",
    b"4294967296",
    b"-1",
    b"/Type/ObjStm",
    b"/Type/XRef",
    b"/W[8 8 8]",
    b"/Index[0 4000000000]",
    b"/XRefStm 15",
    b"trailer",
    b"xref\n0 9999999\n",
    b"/N 1000000",
    b"/First 0",
    b"/Predictor 15/Columns 1000000",
    b"/Filter[/FlateDecode/ASCII85Decode/LZWDecode/RunLengthDecode]",
    b"/ByteRange[0 1 2 3]",
    b"/Contents<",
    b"/AcroForm",
    b"/Annots",
    b"/Rotate 90",
    b"/Encrypt",
    b"(",
];

pub fn seeds() -> Vec<Vec<u8>> {
    let mut seeds: Vec<Vec<u8>> = fixtures::all_structures().into_iter().map(|(_, f)| f).collect();
    for structure in [Structure::Table, Structure::ObjectStreams] {
        let rich = PdfBuilder::new()
            .pages(2)
            .attachment()
            .layers()
            .transparency()
            .unembedded_font()
            .colliding_colorants()
            .pdfa_claim(2, 'B')
            .signature_field("Buyer", [0.0, 0.0, 99.0, 40.0], "/Lock<</Action/All>>")
            .structure(structure)
            .build();
        seeds.push(kit().sign_pdf(&rich, Level::B, &prepare_options()));
        seeds.push(rich);
    }
    seeds
}

pub fn run(data: &[u8]) -> bool {
    let bytes = Bytes::copy_from_slice(data);
    let memory = describe(Document::open(bytes.clone()));
    let windowed = describe(Document::open(Windowed(bytes)));
    assert_eq!(memory, windowed, "the answer depends on where the bytes lie");
    memory.is_ok()
}

/// A source that is not in memory, as files are; it reads less than it is asked for, too.
struct Windowed(Bytes);

impl Source for Windowed {
    fn len(&self) -> u64 {
        Source::len(&self.0)
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<usize> {
        let want = buf.len().min(1000);
        self.0.read_at(offset, &mut buf[..want])
    }
}

fn describe(opened: pdf::Result<Document>) -> Result<String, String> {
    let document = opened.map_err(|error| error.to_string())?;
    let mut text = format!("{:?} {:?}\n", document.version(), document.structure_notes());
    let mut end = 0;
    for revision in document.revisions() {
        assert!(revision.start <= revision.end && revision.end <= document.len());
        assert!(revision.start >= end, "revisions overlap");
        end = revision.end;
        let view = document.at_revision(revision.index).unwrap();
        let changes = document.changes(revision).count();
        let fields = view.form_fields().map(|fields| fields.len());
        let signatures = view.signatures().map(|signatures| signatures.len());
        let pages = view.page_count();
        writeln!(text, "{end} {changes} {fields:?} {signatures:?} {pages:?}").unwrap();
    }
    for page in document.pages().take(MOST_OBJECTS) {
        writeln!(text, "{:?}", page.map(|page| page.visible_box())).unwrap();
    }
    for (id, _) in document.head().locations().take(MOST_OBJECTS) {
        writeln!(text, "{}", describe_object(&document, document.get(id).map(|o| o.object)))
            .unwrap();
    }
    Ok(text)
}

fn describe_object(document: &Document, object: pdf::Result<Object>) -> String {
    match object {
        Ok(Object::Stream(stream)) => {
            let data = document.stream_data(&stream, STREAM_CAP);
            format!("{:?}", data.map(|decoded| decoded.data.len()))
        }
        Ok(object) => object.type_name().to_owned(),
        Err(error) => error.to_string(),
    }
}
