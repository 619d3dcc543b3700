//! The scanner of answers: how an answer is cut makes no difference, and a second JSON parser
//! agrees about what is valid.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    missing_docs,
    reason = "test code; helpers count as outside of tests"
)]

use serde::de::IgnoredAny;
use signdoc::wire::{BufferPool, Limits, Path, ScanError, Scanner, StringMode, Visitor};

pub const WORDS: &[&[u8]] = &[
    b"{",
    b"}",
    b"[",
    b"]",
    b":",
    b",",
    b"\"",
    b"\\",
    b"\\u0000",
    b"\\ud83d\\ude00",
    b"\\ud800",
    b"\\/",
    b"\\n",
    b"\xef\xbb\xbf",
    b"\xff",
    b"\xc3\xa6",
    b"null",
    b"true",
    b"false",
    b"-0",
    b"1e999",
    b"0.",
    b"1.5E-3",
    b"\"pdf\":\"AAAA\"",
    b"\"skip\":\"x\"",
    b"==",
    b"\r\n",
    b"[[[[[[[[[[[[[[[[",
];

pub fn seeds() -> Vec<Vec<u8>> {
    let document = "JVBERi0xLjcKJeLjz9MK".repeat(40);
    let answers = [
        format!(
            "[{{\"conversionId\":\"a1\",\"converted\":true,\"pdf\":\"{document}\",\"n\":-1.5e3}}]"
        ),
        "{\"pdf\":\"QUJD\\r\\nREVG\\u003d\",\"list\":[1,2,[true,false,null]],\"\":{}}".to_owned(),
        "{\"pdf\":\"QUJDRA\",\"skip\":\"\\ud83d\\ude00\",\"text\":\"\u{e6}\\\"\\\\\"}".to_owned(),
        "\"PRESENTED\"".to_owned(),
        "\u{feff} {\"orderState\" : \"SIGNED\" } ".to_owned(),
        format!("{}0{}", "[".repeat(60), "]".repeat(60)),
    ];
    answers.into_iter().map(String::into_bytes).collect()
}

/// Everything the scanner tells, as text; the bytes of a document put together again.
#[derive(Default)]
struct Record {
    events: Vec<String>,
    document: Vec<u8>,
}

impl Record {
    fn add(&mut self, what: &str, path: &Path) -> Result<(), String> {
        self.events.push(format!("{what} {path}"));
        Ok(())
    }
}

impl Visitor for Record {
    type Error = String;

    fn begin_object(&mut self, path: &Path) -> Result<(), String> {
        self.add("{", path)
    }
    fn end_object(&mut self, path: &Path) -> Result<(), String> {
        self.add("}", path)
    }
    fn begin_array(&mut self, path: &Path) -> Result<(), String> {
        self.add("[", path)
    }
    fn end_array(&mut self, path: &Path) -> Result<(), String> {
        self.add("]", path)
    }
    fn string(&mut self, path: &Path) -> Result<StringMode, String> {
        let key = path.last_key().unwrap_or_default();
        Ok(match key {
            _ if key.starts_with("pdf") => StringMode::Base64,
            _ if key.starts_with("skip") => StringMode::Skip,
            _ => StringMode::Text { max: 300 },
        })
    }
    fn text(&mut self, path: &Path, value: &str) -> Result<(), String> {
        self.add(value, path)
    }
    fn bytes(&mut self, _: &Path, decoded: &[u8]) -> Result<(), String> {
        assert!(!decoded.is_empty());
        self.document.extend_from_slice(decoded);
        Ok(())
    }
    fn end_bytes(&mut self, path: &Path) -> Result<(), String> {
        let document = std::mem::take(&mut self.document);
        self.add(&format!("{document:?}"), path)
    }
    fn number(&mut self, path: &Path, text: &str) -> Result<(), String> {
        self.add(text, path)
    }
    fn boolean(&mut self, path: &Path, value: bool) -> Result<(), String> {
        self.add(&value.to_string(), path)
    }
    fn null(&mut self, path: &Path) -> Result<(), String> {
        self.add("null", path)
    }
}

type Outcome = (Vec<String>, Result<(), ScanError<String>>);

fn scan<'a>(pieces: impl Iterator<Item = &'a [u8]>, limits: Limits) -> Outcome {
    let mut scanner = Scanner::new(Record::default(), limits, &BufferPool::new());
    for piece in pieces {
        if let Err(error) = scanner.feed(piece) {
            assert!(scanner.feed(b" ").is_err() && scanner.finish().is_err(), "goes on after all");
            return (scanner.into_visitor().events, Err(error));
        }
    }
    let result = scanner.finish();
    (scanner.into_visitor().events, result)
}

pub fn run(data: &[u8]) -> bool {
    let whole = scan(std::iter::once(data), Limits::default());
    let first = data.first().map_or(1, |byte| 1 + usize::from(*byte) % 17);
    for size in [1, first, 64] {
        let cut = scan(data.chunks(size), Limits::default());
        assert_eq!(whole, cut, "cut into pieces of {size} bytes");
    }
    let tight = Limits { max_bytes: data.len() as u64 / 2, max_depth: 3, max_key: 5 };
    assert_eq!(scan(std::iter::once(data), tight), scan(data.chunks(first), tight));

    let judged = serde_json::from_slice::<IgnoredAny>(data);
    match &whole.1 {
        // Text is read liberally: only plain ASCII must be valid for the other parser, too.
        Ok(()) if data.iter().all(|byte| (0x20..0x7f).contains(byte)) => {
            assert!(judged.is_ok(), "accepted, but {}", judged.unwrap_err());
        }
        Err(ScanError::Truncated { .. } | ScanError::Malformed { .. }) => {
            assert!(judged.is_err(), "refused: {:?}", whole.1);
        }
        _ => {}
    }
    whole.1.is_ok()
}
