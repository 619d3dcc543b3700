//! Makes documents of a raw answer: after a download, after a lost one, and after a crash alike.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::PathBuf;

use bytes::Bytes;

use super::digest::Sha256;
use super::journal::Journal;
use super::model::OrderKind;
use super::places::{Part, Places};
use super::reading::{Reading, TEXT_MAX};
use super::room::Fallback;
use super::spool::Spool;
use super::unknown::Unknown;
use crate::error::{Code, Error, of_scan};
use crate::wire::{BufferPool, Limits, ScanError, Scanner, WINDOW};

/// How often an answer is read again to get past parts that cannot be had.
const READINGS: usize = 64;
pub(super) const WHAT: &str = "download";

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
    /// Values in places where no result belongs that are long enough to be one.
    pub unexplained: usize,
    /// A part that stands twice with different content.
    pub doubled: Option<String>,
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
    /// Why a part could not be put where it belongs; it is in another folder or in memory then.
    pub unwritten: Option<Error>,
}

impl Extraction {
    pub(super) fn nothing(problem: Error) -> Self {
        Self { found: Found::default(), problem: Some(problem), unwritten: None }
    }

    /// How many parts are in memory only.
    pub(super) fn in_memory(&self) -> usize {
        self.found.pieces().filter(|(_, _, piece)| piece.path.is_none()).count()
    }
}

/// Where the parts of an answer go, and how many there may be.
pub(super) struct Target<'a> {
    pub kind: OrderKind,
    pub places: &'a Places,
    pub fallback: Option<&'a mut Fallback>,
    pub journal: Option<&'a Journal>,
    /// How many documents there must be; 0 where it is not known.
    pub expected: usize,
    /// The most bytes of a decoded answer that are looked at.
    pub most: u64,
    /// Whether a file that has a part's name and content is that part: after a crash.
    pub reuse: bool,
}

/// Reads the answer and puts each part that is whole where it belongs. `found` holds the parts
/// that are there already.
pub(super) fn extract(
    spool: &mut Spool,
    target: Target<'_>,
    found: Found,
    pool: &BufferPool,
) -> Extraction {
    let most = target.most;
    let mut reading = Reading {
        target,
        found,
        current: None,
        unreadable: BTreeSet::new(),
        homes: BTreeMap::new(),
        unwritten: None,
        again: false,
        recognised: false,
        without_texts: false,
        unknown: Unknown::default(),
    };
    let mut problem = None;
    for _ in 0..READINGS {
        let (outcome, after) = read(spool, reading, most, pool);
        reading = after;
        let Err(error) = outcome else {
            if reading.again {
                continue;
            }
            break;
        };
        let bad = matches!(error, Failure::Base64(_)).then(|| reading.current.take()).flatten();
        let too_long = matches!(error, Failure::Text(_)) && !reading.without_texts;
        problem.get_or_insert(error.into_error());
        match bad {
            // What stands behind a document that cannot be read is wanted all the same.
            Some(current) => {
                reading.unreadable.insert((current.index, current.part));
            }
            None if too_long => reading.without_texts = true,
            None if reading.again => {}
            None => break,
        }
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
    /// A text that is longer than anybody wants.
    Text(Error),
    Other(Error),
}

impl Failure {
    fn into_error(self) -> Error {
        match self {
            Self::Base64(error) | Self::Text(error) | Self::Other(error) => error,
        }
    }
}

fn read<'a>(
    spool: &mut Spool,
    mut reading: Reading<'a>,
    most: u64,
    pool: &BufferPool,
) -> (std::result::Result<(), Failure>, Reading<'a>) {
    reading.current = None;
    reading.again = false;
    reading.found.unexplained = 0;
    reading.unknown = Unknown::default();
    let limits = Limits { max_bytes: most, ..Limits::default() };
    let mut scanner = Scanner::new(reading, limits, pool);
    let outcome = feed(spool, &mut scanner);
    (outcome, scanner.into_visitor())
}

fn feed(spool: &mut Spool, scanner: &mut Scanner<Reading<'_>>) -> std::result::Result<(), Failure> {
    let mut reader = spool.decoded().map_err(|error| Failure::Other(unreadable(&error)))?;
    let mut window = vec![0; WINDOW];
    loop {
        let count = match reader.read(&mut window) {
            Ok(0) => return scanner.finish().map_err(failure),
            Ok(count) => count,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(Failure::Other(unread(&error))),
        };
        scanner.feed(window.get(..count).unwrap_or_default()).map_err(failure)?;
    }
}

/// Why the answer that was put aside cannot be read again, in its own terms: this is no word
/// about what the service sent.
pub(super) fn unreadable(error: &std::io::Error) -> Error {
    Error::new(
        Code::DestinationFailed,
        format!("{WHAT}: the answer that was put aside cannot be read again: {error}"),
    )
    .with_detail("reading", true)
}

/// The same, or what is wrong with the coding the answer came in.
fn unread(error: &std::io::Error) -> Error {
    let told = |code, why: &str| Error::new(code, format!("{WHAT}: the answer {why}: {error}"));
    match error.kind() {
        std::io::ErrorKind::UnexpectedEof => {
            told(Code::TruncatedAnswer, "ends too early in the coding it came in")
        }
        std::io::ErrorKind::InvalidInput | std::io::ErrorKind::InvalidData => {
            told(Code::MalformedAnswer, "is damaged in the coding it came in")
        }
        _ => unreadable(error),
    }
}

fn failure(error: ScanError<Error>) -> Failure {
    match error {
        ScanError::Visitor(own) => Failure::Other(own),
        ScanError::InvalidBase64 { .. } => Failure::Base64(of_scan(&error, WHAT)),
        ScanError::TooLong { limit: TEXT_MAX, .. } => Failure::Text(of_scan(&error, WHAT)),
        other => Failure::Other(of_scan(&other, WHAT)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::reading::DOCUMENTS_MAX;
    use super::*;
    use crate::destination::Destination;

    const ANSWER: &str = r#"{"signId":"s","orderState":"SIGN_COMPLETED","signingResults":[
        {"padesSignedPdf":"JVBERi0xLjQgb25l","description":"first","padesAppendix":""},
        {"padesSignedPdf":"JVBERi0xLjQgdHdv"},
        {"description":"third","padesSignedPdf":"JVBERi0xLjQgdGhyZWU="}],"orderName":"o"}"#;

    fn of(text: &str, places: &Places) -> Extraction {
        let mut spool = Spool::anonymous(&std::env::temp_dir());
        spool.write(text.as_bytes());
        let target = Target {
            kind: OrderKind::Pades,
            places,
            fallback: None,
            journal: None,
            expected: 0,
            most: u64::MAX,
            reuse: false,
        };
        extract(&mut spool, target, Found::default(), &BufferPool::new())
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
    fn what_has_no_place_and_what_stands_twice_is_noted() {
        let long = "QUJD".repeat(100);
        let renamed =
            ANSWER.replace("padesSignedPdf\":\"JVBERi0xLjQgdHdv", &format!("pdf\":\"{long}"));
        let found = of(&renamed, &Places::Memory).found;
        assert_eq!((found.unexplained, found.pieces().count()), (1, 2));
        let nested = renamed.replace(&format!("\"{long}\""), &format!("[\"{long}\",\"{long}\"]"));
        assert_eq!(of(&nested, &Places::Memory).found.unexplained, 2);
        let twice = |other: &str| {
            let both =
                format!("padesSignedPdf\":\"JVBERi0xLjQgdHdv\",\"padesSignedPdf\":\"{other}");
            of(&ANSWER.replace("padesSignedPdf\":\"JVBERi0xLjQgdHdv", &both), &Places::Memory).found
        };
        assert_eq!(twice("JVBERi0xLjQgdHdv").doubled, None, "the same is no doubt");
        let field = "signingResults[1].padesSignedPdf";
        assert_eq!(twice("JVBERi0xLjQgb25l").doubled.as_deref(), Some(field));
        assert_eq!(sizes(&of(ANSWER, &Places::Memory)).len(), 3);
    }

    #[test]
    fn a_text_that_is_too_long_does_not_hide_the_documents() {
        let text = ANSWER.replace("\"first\"", &format!("\"{}\"", "x".repeat(TEXT_MAX + 1)));
        let extraction = of(&text, &Places::Memory);
        assert_eq!(sizes(&extraction).len(), 3);
        assert_eq!(extraction.problem.unwrap().code(), Code::MalformedAnswer);
    }

    #[test]
    fn more_documents_than_there_can_be_are_not_taken() {
        let one = r#"{"padesSignedPdf":"JVBERi0="}"#;
        let many = vec![one; DOCUMENTS_MAX + 1].join(",");
        let extraction = of(&format!("{{\"signingResults\":[{many}]}}"), &Places::Memory);
        assert_eq!(extraction.found.pieces().count(), DOCUMENTS_MAX);
        assert_eq!(extraction.problem.unwrap().details()["limit"], DOCUMENTS_MAX);
    }

    #[test]
    fn something_else_is_not_taken_for_an_answer() {
        for text in ["{}", "[]", "\"x\"", r#"{"a":{"signId":"s"}}"#] {
            let problem = of(text, &Places::Memory).problem;
            assert_eq!(problem.unwrap().code(), Code::MalformedAnswer, "{text}");
        }
    }

    #[test]
    fn a_disk_that_fails_while_the_answer_is_read_again_is_told_as_that() {
        let error = unread(&std::io::Error::other("input/output error"));
        assert_eq!(error.code(), Code::DestinationFailed);
        assert_eq!(error.details()["reading"], true);
        assert!(error.message().contains("cannot be read again: input/output error"), "{error}");
        let damaged = unread(&std::io::Error::from(std::io::ErrorKind::InvalidData));
        assert_eq!(damaged.code(), Code::MalformedAnswer);
    }
}
