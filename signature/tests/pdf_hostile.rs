//! Files made to hurt: nothing panics, and nothing takes long.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "test code; helpers count as outside of tests"
)]

mod common;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use signdoc_signature::fixtures::{self, PdfBuilder, RawPdf, Structure};
use signdoc_signature::pdf::{Document, Object, PdfErrorKind, Source};
use signdoc_signature::preflight::{PreflightOptions, preflight};
use signdoc_signature::sign::{
    DssContent, PrepareOptions, Seal, SealFit, ValidationData, add_dss, prepare, prepare_timestamp,
};

/// Time of the processor that a debug build may take for one file: what else the machine does makes
/// no difference.
const PATIENCE: Duration = Duration::from_secs(120);

/// A source that is not in memory, as files are: windows are used instead of slices.
struct Windowed(Bytes);

impl Source for Windowed {
    fn len(&self) -> u64 {
        Source::len(&self.0)
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> std::io::Result<usize> {
        // Short reads are allowed.
        let want = buf.len().min(1000);
        self.0.read_at(offset, &mut buf[..want])
    }
}

/// Everything the crate does with a PDF; returns what kind of document it was.
fn exercise(bytes: &Bytes) -> String {
    let memory = look(Document::open(bytes.clone()));
    let windowed = look(Document::open(Windowed(bytes.clone())));
    assert_eq!(memory, windowed, "memory and file differ");
    let source = Arc::new(bytes.clone());
    preflight(source.clone(), &PreflightOptions::default()).unwrap();
    let seal = Seal { fit: SealFit::Move, ..Seal::default() };
    let options = PrepareOptions { seal: Some(seal), reserve: 512, ..PrepareOptions::default() };
    if let Ok(prepared) = prepare(source.clone(), &options) {
        let mut out = Vec::new();
        prepared.embed(&[0x30, 0], &mut out).unwrap();
        assert!(out.starts_with(bytes));
        let again = Document::from_bytes(out).unwrap();
        assert!(!again.is_rebuilt(), "our own update must be readable");
        let name = prepared.field_name();
        assert!(again.signatures().unwrap().iter().any(|s| s.name == name), "{name}");
    }
    let _ = prepare_timestamp(source.clone(), &Default::default());
    let data = ValidationData { certificates: vec![vec![0x30, 0]], ..Default::default() };
    let _ = add_dss(source, &DssContent { general: data, per_signature: Vec::new() });
    memory
}

fn look(opened: Result<Document, signdoc_signature::pdf::PdfError>) -> String {
    let document = match opened {
        Ok(document) => document,
        Err(error) => return error.to_string(),
    };
    let mut text =
        format!("{:?} {:?}", document.page_count(), document.signatures().map(|s| s.len()));
    for revision in document.revisions() {
        text += &format!(" {} {}", revision.end, document.changes(revision).count());
        let view = document.at_revision(revision.index).unwrap();
        text += &format!(" {:?}", view.form_fields().map(|f| f.len()));
    }
    for (id, _) in document.head().locations().take(200) {
        match document.get(id) {
            Ok(found) => {
                text += found.object.type_name();
                if let Object::Stream(stream) = &found.object {
                    text += &format!(
                        "{:?}",
                        document.stream_data(stream, 1 << 20).map(|d| d.data.len())
                    );
                }
            }
            Err(error) => text += error.detail(),
        }
    }
    text
}

fn timed(name: &str, bytes: Vec<u8>) -> String {
    let start = spent();
    let text = exercise(&Bytes::from(bytes));
    match took(start) {
        Some(took) => {
            println!("{name}: {took:?}");
            assert!(took < PATIENCE, "{name} took {took:?}");
        }
        None => println!("{name}: not measured, this system does not tell a thread's time"),
    }
    text
}

/// What this thread had of the processor so far, where the system tells it.
fn spent() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds = text.split(' ').next()?.parse().ok()?;
    Some(Duration::from_nanos(nanoseconds))
}

fn took(start: Option<Duration>) -> Option<Duration> {
    spent()?.checked_sub(start?)
}

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }
}

const WORDS: [&str; 30] = [
    "1 0 R",
    "2 0 R",
    "3 0 R",
    "9999999 0 R",
    "<<",
    ">>",
    "[",
    "]",
    "endobj",
    "stream\n",
    "\nendstream",
    "/Length 99999999",
    "/Kids",
    "/Prev 9",
    "/Prev 15",
    "startxref\n0\n%%EOF",
    "4294967296",
    "-1",
    "/Type/ObjStm",
    "/Type/XRef",
    "/W[8 8 8]",
    "/Index[0 4000000000]",
    "/XRefStm 15",
    "obj",
    "trailer",
    "xref\n0 9999999\n",
    "/N 1000000",
    "/First 0",
    "/Predictor 15/Columns 1000000",
    "(",
];

fn mutate(file: &[u8], random: &mut Random) -> Vec<u8> {
    let mut out = file.to_vec();
    for _ in 0..=random.below(6) {
        let at = random.below(out.len());
        match random.below(7) {
            0 | 1 => out[at] = random.below(256) as u8,
            2 => out[at] ^= 1 << random.below(8),
            3 => {
                let word = WORDS[random.below(WORDS.len())];
                out.splice(at..at, word.bytes());
            }
            4 => {
                let word = WORDS[random.below(WORDS.len())].as_bytes();
                let end = (at + word.len()).min(out.len());
                out.splice(at..end, word.iter().copied());
            }
            5 => {
                let end = (at + random.below(40)).min(out.len());
                out.drain(at..end);
            }
            _ => {
                let end = (at + random.below(200)).min(out.len());
                let part = out[at..end].to_vec();
                let to = random.below(out.len());
                out.splice(to..to, part);
            }
        }
        if out.is_empty() {
            break;
        }
    }
    if random.below(10) == 0 {
        out.truncate(random.below(out.len()));
    }
    out
}

/// Documents with something in them to break.
fn seeds() -> Vec<Vec<u8>> {
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
        let source = Arc::new(Bytes::from(rich.clone()));
        let options = PrepareOptions { reserve: 512, ..PrepareOptions::default() };
        let mut signed = Vec::new();
        prepare(source, &options).unwrap().embed(&[0x30, 0], &mut signed).unwrap();
        seeds.extend([rich, signed]);
    }
    seeds
}

#[test]
fn random_changes_never_panic() {
    let wanted = std::env::var("SIGNDOC_MUTATIONS").ok().and_then(|v| v.parse().ok());
    let rounds: usize = wanted.unwrap_or(1500);
    let seeds = seeds();
    let mut random = Random(0x5DEE_CE66_D1CE_4E5B);
    let mut slowest = Duration::ZERO;
    let mut opened = 0;
    for round in 0..rounds {
        let file = mutate(&seeds[random.below(seeds.len())], &mut random);
        let keep = Bytes::from(file);
        let start = spent();
        let result = std::panic::catch_unwind(|| exercise(&keep));
        let took = took(start).unwrap_or_default();
        slowest = slowest.max(took);
        let Ok(text) = result else {
            let path = std::env::temp_dir().join("signdoc-mutation.pdf");
            std::fs::write(&path, &keep).unwrap();
            unreachable!("round {round} panicked; the file is {}", path.display());
        };
        opened += usize::from(text.starts_with("Ok("));
        assert!(took < PATIENCE, "round {round} took {took:?}");
    }
    println!("{rounds} changed files, {opened} opened, the slowest took {slowest:?}");
    assert!(opened > rounds / 5, "most changes should leave something to read");
}

#[test]
fn every_truncation_is_survived() {
    for seed in seeds() {
        let step = (seed.len() / 60).max(1);
        for len in (0..seed.len()).step_by(step) {
            exercise(&Bytes::copy_from_slice(&seed[..len]));
        }
    }
}

#[test]
fn deep_and_long_values_are_refused() {
    let page = |extra: &str| {
        let mut pdf = PdfBuilder::new().raw();
        pdf.set(1, format!("<</Type/Catalog/Pages 2 0 R/X {extra}>>"));
        pdf.build(Structure::Table)
    };
    timed("nested arrays", page(&"[".repeat(200_000)));
    timed("nested dictionaries", page(&"<</A".repeat(200_000)));
    timed("numbers", page(&format!("[{}]", "1 ".repeat(2_000_000))));
    timed("references", page(&format!("[{}]", "1 0 R ".repeat(100_000))));
    timed("a string without end", page(&"(".repeat(1_000_000)));
    timed("many strings without end", page(&"1 0 (".repeat(300_000)));
    timed("a long name", page(&format!("/{}", "#41".repeat(500_000))));
    timed("hex without end", page(&"<41".repeat(300_000)));
}

#[test]
fn decompression_bombs_are_bounded() {
    let zeros = vec![0u8; 80 << 20];
    let packed = deflate(&zeros);
    let dict = |entries: &str, data: &[u8]| {
        let mut body = format!("<<{entries}/Filter/FlateDecode/Length {}>>\nstream\n", data.len());
        body.push_str("");
        let mut body = body.into_bytes();
        body.extend(data);
        body.extend(b"\nendstream");
        body
    };
    let mut content = PdfBuilder::new().raw();
    content.set(4, dict("", &packed));
    timed("content", content.build(Structure::Table));

    // A cross-reference stream with more entries than a document may have.
    let mut file = b"%PDF-1.7\n1 0 obj\n".to_vec();
    file.extend(dict("/Type/XRef/Size 80000000/W[1 0 0]/Root 1 0 R", &packed));
    file.extend(b"\nendobj\nstartxref\n9\n%%EOF");
    let error = Document::from_bytes(file.clone()).unwrap_err();
    println!("{error}");
    timed("cross-reference stream", file);

    // An object stream that is larger than allowed, asked for again and again.
    let mut many = PdfBuilder::new().raw();
    let container = many.object(dict("/Type/ObjStm/N 1000000/First 10000000", &packed));
    println!("object stream {container}");
    timed("object stream", many.build(Structure::NoXref));
}

fn deflate(data: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn loops_end() {
    let mut pdf = RawPdf::new();
    let catalog = "<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[4 0 R 5 0 R]>>/OpenAction 6 0 R\
                   /Names<</EmbeddedFiles 7 0 R>>>>";
    pdf.object(catalog);
    pdf.object("<</Type/Pages/Kids[3 0 R 2 0 R 8 0 R]/Count 1>>");
    pdf.object("<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Resources 9 0 R/Annots 10 0 R>>");
    pdf.object("<</T(a)/FT/Sig/Kids[4 0 R 5 0 R]>>");
    pdf.object("<</T(b)/Kids[4 0 R]>>");
    pdf.object("<</S/JavaScript/Next[6 0 R 6 0 R 6 0 R]>>");
    pdf.object("<</Kids[7 0 R 7 0 R]>>");
    pdf.object("8 0 R");
    pdf.object("<</XObject<</A 11 0 R>>/ColorSpace<</A[/Indexed 12 0 R 1(x)]>>>>");
    pdf.object("10 0 R");
    pdf.stream("/Type/XObject/Subtype/Form/Resources 9 0 R", b"");
    pdf.object("[/Separation/A 12 0 R 12 0 R]");
    pdf.stream("/Filter 13 0 R/DecodeParms 13 0 R", b"");
    for structure in Structure::ALL {
        timed("loops", pdf.build(structure));
    }
}

#[test]
fn streams_without_end_do_not_make_it_quadratic() {
    let mut file = b"%PDF-1.4\n".to_vec();
    for number in 1..60_000 {
        file.extend(format!("{number} 0 obj<</Length 9 0 R>>stream\n").as_bytes());
    }
    file.extend(b"trailer<</Root 1 0 R>>");
    let error = Document::from_bytes(file.clone()).unwrap_err();
    assert!(matches!(error.kind(), PdfErrorKind::LimitExceeded | PdfErrorKind::Corrupt), "{error}");
    timed("streams without end", file);
}

#[test]
fn wide_trees_and_shared_functions_do_not_explode() {
    let mut pdf = RawPdf::new();
    let row = |from: u32| -> String { (from..from + 200).map(|n| format!("{n} 0 R ")).collect() };
    pdf.object("<</Type/Catalog/Pages 2 0 R>>");
    pdf.object("<</Type/Pages/Kids[3 0 R]/Count 1>>");
    let spaces: String = (0..50).map(|i| format!("/C{i}[/Separation/N{i} 4 0 R 4 0 R]")).collect();
    pdf.object(format!(
        "<</Type/Page/MediaBox[0 0 300 300]/Resources<</ColorSpace<<{spaces}>>>>>>"
    ));
    for level in 0..5u32 {
        for _ in 0..200 {
            pdf.object(format!("[{}]", row(4 + (level + 1) * 200)));
        }
    }
    timed("functions of functions", pdf.build(Structure::Table));
}

#[test]
fn real_files_survive_changes() {
    let Some(files) = common::corpus() else { return };
    let mut random = Random(0xA076_1D64_78BD_642F);
    let mut count = 0;
    for path in files {
        let file = std::fs::read(&path).unwrap();
        if file.len() > 100_000 {
            continue;
        }
        for _ in 0..8 {
            exercise(&Bytes::from(mutate(&file, &mut random)));
            count += 1;
        }
    }
    println!("{count} changed real files");
}
