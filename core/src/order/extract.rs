//! Makes documents of a raw answer: after a download, after a lost one, and after a crash alike.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::PathBuf;

use bytes::Bytes;

use super::digest::{Running, Sha256};
use super::fields::{DocumentText, Meaning, Text, is_list_of_results, meaning};
use super::journal::{Journal, Placed};
use super::model::OrderKind;
use super::places::{Part, Places};
use super::spool::Spool;
use crate::error::{Code, Error, Result, of_scan, of_sink};
use crate::wire::{
    BufferPool, Delivered, Limits, Path, ScanError, Scanner, Sink, SinkError, StringMode, Visitor,
    WINDOW,
};

/// Longest text that is kept, in bytes.
const TEXT_MAX: usize = 1024 * 1024;
/// More documents than this are no answer to an order.
const DOCUMENTS_MAX: usize = 100_000;
/// How often an answer is read again to get past parts that cannot be had.
const READINGS: usize = 64;
const WHAT: &str = "download";

/// One part that arrived whole.
#[derive(Clone)]
pub(super) struct Piece {
    pub data: Option<Bytes>,
    pub path: Option<PathBuf>,
    pub size: u64,
    pub sha256: Sha256,
}

/// What an answer says of one document.
#[derive(Clone, Default)]
pub(super) struct FoundDocument {
    pub pieces: BTreeMap<Part, Piece>,
    pub description: Option<String>,
    pub signed: Option<String>,
    pub unsigned: Option<String>,
    /// Whether what the answer says of it has come to its end.
    pub ended: bool,
}

impl FoundDocument {
    /// Whether the document itself is there; an appendix alone is all of a result that has ended.
    pub(super) fn is_whole(&self) -> bool {
        let alone = || self.ended && !self.pieces.is_empty();
        self.pieces.contains_key(&Part::Document) || alone()
    }
}

/// What an answer holds.
#[derive(Clone, Default)]
pub(super) struct Found {
    pub sign_id: Option<String>,
    pub client_id: Option<String>,
    pub order_name: Option<String>,
    pub order_state: Option<String>,
    pub documents: BTreeMap<usize, FoundDocument>,
}

impl Found {
    /// The parts that arrived whole.
    pub(super) fn pieces(&self) -> impl Iterator<Item = (usize, Part, &Piece)> {
        self.documents.iter().flat_map(|(index, document)| {
            document.pieces.iter().map(|(part, piece)| (*index, *part, piece))
        })
    }
}

/// What came of an answer.
pub(super) struct Extraction {
    pub found: Found,
    /// Why the answer is not whole, where it is not.
    pub problem: Option<Error>,
    /// Why a part could not be put into its file; its bytes are in memory then.
    pub unwritten: Option<Error>,
}

impl Extraction {
    pub(super) fn nothing(problem: Error) -> Self {
        Self { found: Found::default(), problem: Some(problem), unwritten: None }
    }
}

/// Reads the answer and puts each part that is whole where it belongs. `found` holds the parts
/// that are there already.
pub(super) fn extract(
    spool: &mut Spool,
    kind: OrderKind,
    places: &Places,
    journal: Option<&Journal>,
    found: Found,
    pool: &BufferPool,
) -> Extraction {
    let mut reading = Reading {
        kind,
        places,
        journal,
        found,
        current: None,
        unreadable: BTreeSet::new(),
        unwritable: BTreeSet::new(),
        unwritten: None,
        again: false,
        recognised: false,
    };
    let mut problem = None;
    for _ in 0..READINGS {
        let (outcome, after) = read(spool, reading, pool);
        reading = after;
        let Err(error) = outcome else {
            if reading.again {
                continue;
            }
            break;
        };
        let bad = matches!(error, Failure::Base64(_)).then(|| reading.current.take()).flatten();
        problem.get_or_insert(error.into_error());
        match bad {
            // What stands behind a document that cannot be read is wanted all the same.
            Some(current) => reading.unreadable.insert((current.index, current.part)),
            None if reading.again => true,
            None => break,
        };
    }
    if problem.is_none() && !reading.recognised {
        problem = Some(Error::new(
            Code::MalformedAnswer,
            format!("{WHAT}: the answer is no object with results of an order"),
        ));
    }
    Extraction { found: reading.found, problem, unwritten: reading.unwritten }
}

enum Failure {
    Base64(Error),
    Other(Error),
}

impl Failure {
    fn into_error(self) -> Error {
        match self {
            Self::Base64(error) | Self::Other(error) => error,
        }
    }
}

fn read<'a>(
    spool: &mut Spool,
    mut reading: Reading<'a>,
    pool: &BufferPool,
) -> (std::result::Result<(), Failure>, Reading<'a>) {
    reading.current = None;
    reading.again = false;
    let limits = Limits { max_bytes: u64::MAX, ..Limits::default() };
    let mut scanner = Scanner::new(reading, limits, pool);
    let outcome = feed(spool, &mut scanner);
    (outcome, scanner.into_visitor())
}

fn feed(spool: &mut Spool, scanner: &mut Scanner<Reading<'_>>) -> std::result::Result<(), Failure> {
    let unreadable = |error: std::io::Error| {
        Failure::Other(Error::new(
            Code::DestinationFailed,
            format!("{WHAT}: the answer that was put aside cannot be read again: {error}"),
        ))
    };
    let mut reader = spool.reader().map_err(unreadable)?;
    let mut window = vec![0; WINDOW];
    loop {
        let count = match reader.read(&mut window) {
            Ok(0) => return scanner.finish().map_err(failure),
            Ok(count) => count,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(unreadable(error)),
        };
        scanner.feed(window.get(..count).unwrap_or_default()).map_err(failure)?;
    }
}

fn failure(error: ScanError<Error>) -> Failure {
    match error {
        ScanError::Visitor(own) => Failure::Other(own),
        ScanError::InvalidBase64 { .. } => Failure::Base64(of_scan(&error, WHAT)),
        other => Failure::Other(of_scan(&other, WHAT)),
    }
}

/// One way through the answer.
struct Reading<'a> {
    kind: OrderKind,
    places: &'a Places,
    journal: Option<&'a Journal>,
    found: Found,
    current: Option<Current>,
    /// Parts that are no base64.
    unreadable: BTreeSet<(usize, Part)>,
    /// Parts that could not be put into a file, and go to memory.
    unwritable: BTreeSet<(usize, Part)>,
    unwritten: Option<Error>,
    /// Whether the answer must be read again for parts that go to memory.
    again: bool,
    recognised: bool,
}

/// The part whose bytes are coming.
struct Current {
    index: usize,
    part: Part,
    taking: Option<Taking>,
    failed: bool,
}

struct Taking {
    sink: Sink,
    path: Option<PathBuf>,
    digest: Running,
}

impl Reading<'_> {
    fn document(&mut self, index: usize) -> Result<&mut FoundDocument> {
        if index >= DOCUMENTS_MAX {
            return Err(Error::new(
                Code::MalformedAnswer,
                format!("{WHAT}: the answer holds more than {DOCUMENTS_MAX} documents"),
            ));
        }
        Ok(self.found.documents.entry(index).or_default())
    }

    fn open(&self, index: usize, part: Part) -> std::result::Result<Taking, SinkError> {
        let to_memory = self.unwritable.contains(&(index, part));
        let places = if to_memory { &Places::Memory } else { self.places };
        let (sink, path) = places.sink(index, part)?;
        if let (Some(journal), Some(partial)) = (self.journal, sink.partial_path()) {
            // A crash leaves this file, and a recovery clears it away; no more depends on it.
            let _ = journal.writing(partial);
        }
        Ok(Taking { sink, path, digest: Running::default() })
    }

    /// Leaves a part that its file does not take for another reading, which puts it to memory.
    fn give_up(&mut self, current: &mut Current, error: &SinkError) {
        current.taking = None;
        current.failed = true;
        self.unwritten.get_or_insert_with(|| of_sink(error));
        self.again |= self.unwritable.insert((current.index, current.part));
    }

    fn take(&mut self, current: &mut Current, decoded: &[u8]) {
        if current.failed {
            return;
        }
        if current.taking.is_none() {
            match self.open(current.index, current.part) {
                Ok(taking) => current.taking = Some(taking),
                Err(error) => return self.give_up(current, &error),
            }
        }
        let Some(taking) = &mut current.taking else { return };
        taking.digest.update(decoded);
        if let Err(error) = taking.sink.write(decoded) {
            self.give_up(current, &error);
        }
    }

    fn end(&mut self, mut current: Current) -> Result<()> {
        let Some(Taking { sink, path, digest }) = current.taking.take() else { return Ok(()) };
        let (size, sha256) = (sink.written(), digest.finish());
        let (index, part) = (current.index, current.part);
        if let (Some(journal), Some(path)) = (self.journal, &path) {
            let placed = Placed { index, part, path: path.clone(), size, sha256 };
            // A journal on a full disk must not keep the document from its file.
            let _ = journal.placing(&placed);
        }
        let data = match sink.commit() {
            Ok(Delivered::Memory(bytes)) => Some(bytes.into()),
            Ok(_) => None,
            Err(error) => {
                self.give_up(&mut current, &error);
                return Ok(());
            }
        };
        let piece = Piece { data, path, size, sha256 };
        self.document(index)?.pieces.insert(part, piece);
        Ok(())
    }
}

impl Visitor for Reading<'_> {
    type Error = Error;

    fn begin_array(&mut self, path: &Path) -> Result<()> {
        self.recognised |= is_list_of_results(path);
        Ok(())
    }

    fn begin_object(&mut self, path: &Path) -> Result<()> {
        if let (2, Some("signingResults"), Some(index)) =
            (path.depth(), path.key_at(0), path.index_at(1))
        {
            self.document(index)?;
        }
        Ok(())
    }

    fn end_object(&mut self, path: &Path) -> Result<()> {
        if let (2, Some("signingResults"), Some(index)) =
            (path.depth(), path.key_at(0), path.index_at(1))
        {
            let unreadable = self.unreadable.contains(&(index, Part::Document));
            self.document(index)?.ended = !unreadable;
        }
        Ok(())
    }

    fn string(&mut self, path: &Path) -> Result<StringMode> {
        let (index, part) = match meaning(self.kind, path) {
            Meaning::Part(index, part) => (index, part),
            Meaning::Nothing => return Ok(StringMode::Skip),
            _ => return Ok(StringMode::Text { max: TEXT_MAX }),
        };
        let known = self.document(index)?.pieces.contains_key(&part);
        if known || self.unreadable.contains(&(index, part)) {
            return Ok(StringMode::Skip);
        }
        self.current = Some(Current { index, part, taking: None, failed: false });
        Ok(StringMode::Base64)
    }

    fn text(&mut self, path: &Path, value: &str) -> Result<()> {
        let value = Some(value.to_owned());
        match meaning(self.kind, path) {
            Meaning::Text(text) => {
                self.recognised = true;
                let found = &mut self.found;
                *match text {
                    Text::SignId => &mut found.sign_id,
                    Text::ClientId => &mut found.client_id,
                    Text::OrderName => &mut found.order_name,
                    Text::OrderState => &mut found.order_state,
                } = value;
            }
            Meaning::DocumentText(index, text) => {
                let document = self.document(index)?;
                *match text {
                    DocumentText::Description => &mut document.description,
                    DocumentText::Signed => &mut document.signed,
                    DocumentText::Unsigned => &mut document.unsigned,
                } = value;
            }
            _ => {}
        }
        Ok(())
    }

    fn bytes(&mut self, _: &Path, decoded: &[u8]) -> Result<()> {
        if let Some(mut current) = self.current.take() {
            self.take(&mut current, decoded);
            self.current = Some(current);
        }
        Ok(())
    }

    fn end_bytes(&mut self, _: &Path) -> Result<()> {
        match self.current.take() {
            Some(current) => self.end(current),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::destination::Destination;

    const ANSWER: &str = r#"{"signId":"s","orderState":"SIGN_COMPLETED","signingResults":[
        {"padesSignedPdf":"JVBERi0xLjQgb25l","description":"first","padesAppendix":""},
        {"padesSignedPdf":"JVBERi0xLjQgdHdv"},
        {"description":"third","padesSignedPdf":"JVBERi0xLjQgdGhyZWU="}],"orderName":"o"}"#;

    fn of(text: &str, places: &Places) -> Extraction {
        let mut spool = Spool::anonymous();
        spool.write(text.as_bytes());
        let pool = BufferPool::new();
        extract(&mut spool, OrderKind::Pades, places, None, Found::default(), &pool)
    }

    fn sizes(extraction: &Extraction) -> Vec<(usize, u64)> {
        extraction.found.pieces().map(|(index, _, piece)| (index, piece.size)).collect()
    }

    #[test]
    fn a_whole_answer_is_taken_apart() {
        let extraction = of(ANSWER, &Places::Memory);
        assert!(extraction.problem.is_none() && extraction.unwritten.is_none());
        assert_eq!(sizes(&extraction), [(0, 12), (1, 12), (2, 14)], "an empty part is none");
        let found = extraction.found;
        assert_eq!(found.order_name.as_deref(), Some("o"));
        assert_eq!(found.documents[&2].description.as_deref(), Some("third"));
        let first = &found.documents[&0].pieces[&Part::Document];
        assert_eq!(first.data.as_deref(), Some(&b"%PDF-1.4 one"[..]));
        assert_eq!(first.sha256, Sha256::of(b"%PDF-1.4 one"));
    }

    #[test]
    fn cut_anywhere_it_gives_exactly_what_is_whole() {
        let ends: Vec<_> = ["b25l\"", "dHdv\"", "ZWU=\""]
            .iter()
            .map(|end| ANSWER.find(end).unwrap() + end.len())
            .collect();
        for cut in 0..ANSWER.len() {
            let extraction = of(&ANSWER[..cut], &Places::Memory);
            let whole = ends.iter().filter(|end| cut >= **end).count();
            assert_eq!(sizes(&extraction).len(), whole, "cut at {cut}");
            let problem = extraction.problem.unwrap();
            assert_eq!(problem.code(), Code::TruncatedAnswer, "cut at {cut}");
        }
    }

    #[test]
    fn a_document_that_is_no_base64_does_not_take_the_next_one_with_it() {
        let text = ANSWER.replace("JVBERi0xLjQgdHdv", "JVBERi0x!jQgdHdv");
        let extraction = of(&text, &Places::Memory);
        assert_eq!(sizes(&extraction), [(0, 12), (2, 14)]);
        assert_eq!(extraction.problem.unwrap().code(), Code::InvalidBase64);
        assert_eq!(extraction.found.order_name.as_deref(), Some("o"));
    }

    #[test]
    fn what_no_file_takes_is_kept_in_memory() {
        let folder = tempfile::tempdir().unwrap();
        let to = Destination::folder(folder.path().join("gone"));
        let places = Places::new(OrderKind::Pades, &to, "s", &[]).unwrap();
        std::fs::remove_dir(folder.path().join("gone")).unwrap();
        let extraction = of(ANSWER, &places);
        assert_eq!(extraction.unwritten.unwrap().code(), Code::DestinationFailed);
        assert!(extraction.problem.is_none());
        let kept: Vec<_> = extraction.found.pieces().map(|(_, _, p)| p.data.clone()).collect();
        assert_eq!(kept.len(), 3);
        assert_eq!(kept[2].as_deref(), Some(&b"%PDF-1.4 three"[..]));
    }

    #[test]
    fn something_else_is_not_taken_for_an_answer() {
        for text in ["{}", "[]", "\"x\"", r#"{"a":{"signId":"s"}}"#] {
            let problem = of(text, &Places::Memory).problem;
            assert_eq!(problem.unwrap().code(), Code::MalformedAnswer, "{text}");
        }
    }
}
