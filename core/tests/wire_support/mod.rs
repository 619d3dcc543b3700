//! A visitor that writes down everything it is told, for the tests of the wire format.
#![allow(dead_code, reason = "each test program uses its own part")]

use signdoc::wire::{
    BufferPool, Limits, Path, ScanError, Scanner, Step, StringMode, Visitor, WINDOW,
};

/// One thing the scanner told, with the path as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    BeginObject(String),
    EndObject(String),
    BeginArray(String),
    EndArray(String),
    Text(String, String),
    Bytes(String, Vec<u8>),
    Number(String, String),
    Boolean(String, bool),
    Null(String),
}

/// Members whose name begins with `pdf` are documents, those that begin with `skip` unwanted;
/// everything else is text.
pub struct Recorder {
    pub events: Vec<Event>,
    pub max_text: usize,
    pub refuse_bytes: bool,
    pub document: Vec<u8>,
}

impl Default for Recorder {
    fn default() -> Self {
        Self { events: Vec::new(), max_text: 1 << 20, refuse_bytes: false, document: Vec::new() }
    }
}

impl Recorder {
    fn add(&mut self, event: Event) -> Result<(), String> {
        self.events.push(event);
        Ok(())
    }

    /// Bytes of a document that has not ended.
    pub fn open_document(&self) -> &[u8] {
        &self.document
    }
}

fn innermost_key(path: &Path) -> String {
    let keys = path.steps().filter_map(|step| match step {
        Step::Key(key) => Some(key.to_owned()),
        Step::Index(_) => None,
    });
    keys.last().unwrap_or_default()
}

pub fn mode_of(key: &str, max: usize) -> StringMode {
    if key.starts_with("pdf") {
        StringMode::Base64
    } else if key.starts_with("skip") {
        StringMode::Skip
    } else {
        StringMode::Text { max }
    }
}

impl Visitor for Recorder {
    type Error = String;

    fn begin_object(&mut self, path: &Path) -> Result<(), String> {
        self.add(Event::BeginObject(path.to_string()))
    }
    fn end_object(&mut self, path: &Path) -> Result<(), String> {
        self.add(Event::EndObject(path.to_string()))
    }
    fn begin_array(&mut self, path: &Path) -> Result<(), String> {
        self.add(Event::BeginArray(path.to_string()))
    }
    fn end_array(&mut self, path: &Path) -> Result<(), String> {
        self.add(Event::EndArray(path.to_string()))
    }
    fn string(&mut self, path: &Path) -> Result<StringMode, String> {
        Ok(mode_of(&innermost_key(path), self.max_text))
    }
    fn text(&mut self, path: &Path, value: &str) -> Result<(), String> {
        self.add(Event::Text(path.to_string(), value.to_owned()))
    }
    fn bytes(&mut self, _: &Path, decoded: &[u8]) -> Result<(), String> {
        assert!(!decoded.is_empty() && decoded.len() <= WINDOW);
        if self.refuse_bytes {
            return Err("no".to_owned());
        }
        self.document.extend_from_slice(decoded);
        Ok(())
    }
    fn end_bytes(&mut self, path: &Path) -> Result<(), String> {
        let document = std::mem::take(&mut self.document);
        self.add(Event::Bytes(path.to_string(), document))
    }
    fn number(&mut self, path: &Path, text: &str) -> Result<(), String> {
        self.add(Event::Number(path.to_string(), text.to_owned()))
    }
    fn boolean(&mut self, path: &Path, value: bool) -> Result<(), String> {
        self.add(Event::Boolean(path.to_string(), value))
    }
    fn null(&mut self, path: &Path) -> Result<(), String> {
        self.add(Event::Null(path.to_string()))
    }
}

/// Events, and how it ended.
pub type Outcome = (Vec<Event>, Result<(), ScanError<String>>);

/// Scans `pieces` as one answer.
pub fn scan_pieces<'a>(pieces: impl IntoIterator<Item = &'a [u8]>, limits: Limits) -> Outcome {
    scan_with(Recorder::default(), pieces, limits)
}

pub fn scan_with<'a>(
    recorder: Recorder,
    pieces: impl IntoIterator<Item = &'a [u8]>,
    limits: Limits,
) -> Outcome {
    let mut scanner = Scanner::new(recorder, limits, &BufferPool::new());
    let mut result = Ok(());
    for piece in pieces {
        result = scanner.feed(piece);
        if result.is_err() {
            break;
        }
    }
    let result = result.and_then(|()| scanner.finish());
    (scanner.into_visitor().events, result)
}

/// Scans `text` in one piece.
pub fn scan(text: &[u8]) -> Outcome {
    scan_pieces([text], Limits::default())
}
