//! After a crash: what lies in a folder, and making the most of it.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde_json::{Value, json};

use super::download::most_of;
use super::extract::{Extraction, Found, Piece, Target, extract, unreadable};
use super::fields::kind_of_list;
use super::journal::{
    Journal, Placed, Remains, Story, is_in_fallback, remove_answer, stem_of_answer,
};
use super::model::{OrderKind, seconds_since_epoch};
use super::places::{Names, Places};
use super::proof::Asked;
use super::reading::is_file_of;
use super::receive::Sent;
use super::results::Download;
use super::spool::Spool;
use super::{OrderRef, Orders};
use crate::client::CallOptions;
use crate::error::{Code, Error, Result};
use crate::file_lock::LockedFile;
use crate::transport::Coding;
use crate::wire::{self, BufferPool, Limits, Scanner, Visitor};

/// How an interrupted download stands now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecoveryOutcome {
    /// Everything had arrived, and is in the folder now. Nothing is left to do.
    Complete,
    /// A part had arrived, or more than can be understood. The documents that were whole are in the
    /// folder now; journal and raw answer are kept.
    Partial,
    /// The request had left, but nothing arrived. The order may or may not be deleted.
    NothingArrived,
    /// The request had not left: the order was not touched.
    NotSent,
    /// Another process is at it.
    InProgress,
    /// The journal cannot be used; see the problem.
    Unreadable,
}

impl RecoveryOutcome {
    /// `complete`, `partial`, `nothing_arrived`, `not_sent`, `in_progress` or `unreadable`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::Partial => "partial",
            Self::NothingArrived => "nothing_arrived",
            Self::NotSent => "not_sent",
            Self::InProgress => "in_progress",
            Self::Unreadable => "unreadable",
        }
    }
}

/// What was found of one download.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Recovery {
    /// How it stands.
    pub outcome: RecoveryOutcome,
    /// Which kind of order it is, where the journal tells.
    pub kind: Option<OrderKind>,
    /// The order, where the journal tells.
    pub sign_id: Option<String>,
    /// When the download began.
    pub started: Option<SystemTime>,
    /// The documents that are in the folder.
    pub download: Option<Download>,
    /// Why it is not complete, or what is wrong with a document.
    pub problem: Option<Error>,
    /// The order's state at the service (`gone` when it does not know the order any more), where
    /// it was asked for.
    pub order_state: Option<String>,
    /// The journal, as long as it is kept.
    pub journal: Option<PathBuf>,
    /// The raw answer, as long as it is kept.
    pub raw_answer: Option<PathBuf>,
    /// Whether the service has answered that it handed the order out, and so deleted it.
    handed_out: bool,
}

impl Recovery {
    fn new(outcome: RecoveryOutcome, story: Option<&Story>) -> Self {
        Self {
            outcome,
            kind: story.map(|story| story.header.names.kind),
            sign_id: story.map(|story| story.header.sign_id.clone()),
            started: story.map(|story| story.header.started),
            download: None,
            problem: None,
            order_state: None,
            journal: None,
            raw_answer: None,
            handed_out: story.is_some_and(|story| story.status.is_some_and(is_success)),
        }
    }

    fn kept(mut self, journal: &Journal, answer: &Path) -> Self {
        self.journal = Some(journal.path().to_owned());
        self.raw_answer = Some(answer.to_owned());
        self
    }

    fn is_unfinished(&self) -> bool {
        matches!(
            self.outcome,
            RecoveryOutcome::NotSent | RecoveryOutcome::Partial | RecoveryOutcome::NothingArrived
        )
    }

    /// Whether downloading the order again may bring what is missing.
    #[must_use]
    pub fn is_worth_asking_again(&self) -> bool {
        match self.outcome {
            _ if self.handed_out => false,
            RecoveryOutcome::NotSent => true,
            _ => self.is_unfinished() && self.order_state.as_deref() != Some("gone"),
        }
    }

    /// Removes journal and raw answer for good. Documents that were made of them stay.
    ///
    /// # Errors
    /// [`Code::JournalFailed`] while another process is at it, and when they cannot be removed.
    pub fn dismiss(&mut self) -> Result<()> {
        dismiss(self.journal.as_deref(), self.raw_answer.as_deref())?;
        (self.journal, self.raw_answer) = (None, None);
        Ok(())
    }

    /// Everything but the bytes.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let shown = |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string());
        json!({
            "outcome": self.outcome.as_str(),
            "kind": self.kind.map(OrderKind::as_str),
            "sign_id": self.sign_id,
            "started": self.started.map(seconds_since_epoch),
            "download": self.download.as_ref().map(Download::to_json),
            "problem": self.problem.as_ref().map(Error::to_json),
            "order_state": self.order_state,
            "ask_again": self.is_worth_asking_again(),
            "journal": shown(&self.journal),
            "raw_answer": shown(&self.raw_answer),
        })
    }
}

/// Removes for good what a [`Recovery`] named: journal and raw answer, or one of them alone.
/// Documents that were made of them stay.
///
/// # Errors
/// [`Code::JournalFailed`] while another process is at it, and when they cannot be removed.
pub fn dismiss(journal: Option<&Path>, raw_answer: Option<&Path>) -> Result<()> {
    let busy = |path: &Path| {
        let told = format!("{}: another process is at it", path.display());
        Err(Error::new(Code::JournalFailed, told))
    };
    match (journal, raw_answer) {
        (Some(path), answer) => match Journal::take(path)? {
            Some(journal) => journal.end(answer),
            None => return busy(path),
        },
        (None, Some(answer)) => match LockedFile::open(answer) {
            Ok(Some(_held)) => remove_answer(answer),
            Ok(None) => return busy(answer),
            Err(error) => {
                let told = format!("{} cannot be removed: {error}", answer.display());
                return Err(Error::new(Code::JournalFailed, told));
            }
        },
        (None, None) => {}
    }
    Ok(())
}

/// Lists and finishes the downloads into `directory` that a crash interrupted, of both kinds. Works
/// without the service; does not touch downloads that are under way.
///
/// Every document that had arrived whole is in the folder afterwards. Calling it again is safe.
/// Nothing that is there is replaced: a name that is taken is left for another. Journals and answers
/// that somebody else can have put there are not believed. A raw answer whose journal is gone is
/// taken for what it holds; it stays where it was moved from another folder, whose journal has the
/// last word.
///
/// # Errors
/// [`Code::JournalFailed`] when the folder cannot be read. Trouble with one download is told in its
/// own [`Recovery`].
pub fn recover(directory: impl AsRef<Path>) -> Result<Vec<Recovery>> {
    recover_of(directory.as_ref(), None)
}

/// As [`recover`]; orders of another kind than the one wanted stay for a recovery that tells of
/// them.
fn recover_of(directory: &Path, wanted: Option<OrderKind>) -> Result<Vec<Recovery>> {
    let pool = BufferPool::new();
    let found = Journal::list(directory)?;
    let recovered = found.iter().filter_map(|remains| match remains {
        Remains::Journal(path) => recover_one(path, wanted, &pool),
        Remains::Answer(path) => recover_orphan(path, wanted, &pool),
    });
    Ok(recovered.collect())
}

impl Orders {
    /// As [`recover`], for this kind; the service is asked about what is not complete.
    pub(super) async fn recover(
        &self,
        directory: &Path,
        options: &CallOptions,
    ) -> Result<Vec<Recovery>> {
        let mut found = recover_of(directory, Some(self.kind))?;
        for one in &mut found {
            let Some(sign_id) = one.sign_id.clone().filter(|_| one.is_unfinished()) else {
                continue;
            };
            one.order_state = match self.state(&OrderRef::from(sign_id), options).await {
                Ok(state) => Some(state),
                Err(error) if error.code() == Code::OrderNotFound => Some("gone".to_owned()),
                Err(_) => None,
            };
        }
        Ok(found)
    }
}

/// `None` for a journal that is about to begin or has just ended, and for orders of another kind.
fn recover_one(path: &Path, wanted: Option<OrderKind>, pool: &BufferPool) -> Option<Recovery> {
    let unreadable = |error: Error| {
        let mut one = Recovery::new(RecoveryOutcome::Unreadable, None);
        one.problem = Some(error);
        one.journal = Some(path.to_owned());
        Some(one)
    };
    let journal = match Journal::take(path) {
        Ok(Some(journal)) => journal,
        Ok(None) => return Some(Recovery::new(RecoveryOutcome::InProgress, None)),
        Err(_) if !path.exists() => return None,
        Err(error) => return unreadable(error),
    };
    let story = match journal.read() {
        Ok(Some(story)) => story,
        Ok(None) => {
            // A disk had no room for its first line, so nothing was sent.
            journal.abandon();
            return None;
        }
        Err(error) => return unreadable(error),
    };
    if wanted.is_some_and(|kind| kind != story.header.names.kind) {
        return None;
    }
    let answer = answer_of(&journal, &story);
    if story.done {
        journal.end(Some(&answer));
        return None;
    }
    if !story.sent {
        journal.end(Some(&answer));
        return Some(Recovery::new(RecoveryOutcome::NotSent, Some(&story)));
    }
    Some(finish(journal, &story, &answer, pool))
}

/// Where the raw answer is: the folder may have had no room for it.
fn answer_of(journal: &Journal, story: &Story) -> PathBuf {
    let moved = story.moved.as_ref().filter(|path| path.symlink_metadata().is_ok());
    moved.cloned().unwrap_or_else(|| journal.answer_path())
}

fn finish(journal: Journal, story: &Story, answer: &Path, pool: &BufferPool) -> Recovery {
    let nothing = || Recovery::new(RecoveryOutcome::NothingArrived, Some(story));
    let mut spool = match Spool::open(answer) {
        Ok(spool) if spool.len() > 0 => spool,
        Ok(_) => return nothing().kept(&journal, answer),
        Err(error) => {
            let is_there = answer.symlink_metadata().is_ok();
            let mut one = nothing().kept(&journal, answer);
            if is_there {
                one.outcome = RecoveryOutcome::Unreadable;
            }
            one.problem = Some(crate::destination::failed(answer, &error.to_string()));
            return one;
        }
    };
    if let Some(coding) = &story.coding {
        spool.coded(Coding::named(coding));
    }
    for partial in &story.partial {
        // Whoever wrote to it is gone: we hold the lock.
        let own = partial.symlink_metadata();
        if own.is_ok_and(|found| crate::file_lock::check_own(partial, &found).is_ok()) {
            let _ = std::fs::remove_file(partial);
        }
    }
    let header = &story.header;
    let sent = Sent::new(header.documents.clone(), header.results.clone());
    let names = header.names.within(&header.names.folder);
    let already = placed_already(&story.placed);
    let reading = Reading { names, sent, status: story.status, journal: Some(&journal) };
    let (found, problem) = reading.read(&mut spool, already, Some(&header.sign_id), pool);
    let is_answer = story.status.is_none_or(is_success);
    let mut one = Recovery::new(RecoveryOutcome::Partial, Some(story));
    one.download = Some(found);
    let count = one.download.as_ref().map_or(0, Download::document_count);
    match problem {
        None => {
            one.outcome = RecoveryOutcome::Complete;
            journal.end(Some(answer));
        }
        Some(problem) if problem.code() == Code::OrderDeleted => {
            one.outcome = RecoveryOutcome::Complete;
            one.problem = Some(problem);
            journal.end(Some(answer));
        }
        Some(problem) => {
            if count == 0 && !is_answer {
                one.outcome = RecoveryOutcome::NothingArrived;
            }
            one.problem = Some(problem);
            one = one.kept(&journal, answer);
        }
    }
    one
}

fn is_success(status: u16) -> bool {
    (200..=299).contains(&status)
}

/// A raw answer whose journal is gone; `None` for an order of another kind than the one wanted.
fn recover_orphan(path: &Path, wanted: Option<OrderKind>, pool: &BufferPool) -> Option<Recovery> {
    let mut one = Recovery::new(RecoveryOutcome::Unreadable, None);
    one.raw_answer = Some(path.to_owned());
    let refused = |mut one: Recovery, why: String| {
        one.problem = Some(Error::new(Code::JournalFailed, format!("{}: {why}", path.display())));
        Some(one)
    };
    let _held = match LockedFile::open(path) {
        Ok(Some(held)) => held,
        Ok(None) => return Some(Recovery::new(RecoveryOutcome::InProgress, None)),
        Err(error) => return refused(one, error.to_string()),
    };
    let mut spool = match Spool::open(path) {
        Ok(spool) => spool,
        Err(error) => return refused(one, error.to_string()),
    };
    if spool.len() == 0 {
        one.outcome = RecoveryOutcome::NothingArrived;
        return Some(one);
    }
    let kind = match kind_of(&mut spool, pool) {
        Ok(Some(kind)) if wanted.is_some_and(|wanted| wanted != kind) => return None,
        Ok(Some(kind)) => kind,
        Ok(None) => return refused(one, "it holds no results of an order".to_owned()),
        Err(problem) => return refused(one, problem.message().to_owned()),
    };
    let names = Names {
        folder: path.parent().unwrap_or(Path::new(".")).to_owned(),
        kind,
        overwrite: false,
        stems: Vec::new(),
        fallback: stem_of_answer(path),
    };
    let sent = Sent::new(Vec::new(), Vec::new());
    let reading = Reading { names, sent, status: None, journal: None };
    let (download, problem) = reading.read(&mut spool, Found::default(), None, pool);
    one.kind = Some(kind);
    one.sign_id = Some(download.sign_id().to_owned()).filter(|id| !id.is_empty());
    one.download = Some(download);
    one.outcome = RecoveryOutcome::Partial;
    match problem {
        None if is_in_fallback(path) => {
            one.problem = Some(Error::new(
                Code::JournalFailed,
                format!(
                    "{}: this answer was moved here, and its journal, which knows what was asked for, is in the folder of the download: recover that folder; where it is gone, dismiss this answer",
                    path.display()
                ),
            ));
        }
        None => {
            one.outcome = RecoveryOutcome::Complete;
            one.raw_answer = None;
            remove_answer(path);
        }
        Some(problem) => one.problem = Some(problem),
    }
    Some(one)
}

/// A raw answer that is read after the fact.
struct Reading<'a> {
    names: Names,
    sent: Sent,
    status: Option<u16>,
    journal: Option<&'a Journal>,
}

impl Reading<'_> {
    /// What it holds, and why it is not proven to be all.
    fn read(
        self,
        spool: &mut Spool,
        already: Found,
        sign_id: Option<&str>,
        pool: &BufferPool,
    ) -> (Download, Option<Error>) {
        let kind = self.names.kind;
        let places = Places::Folder(self.names);
        let documents = &self.sent.documents;
        let target = Target {
            kind,
            places: &places,
            fallback: None,
            journal: self.journal,
            expected: documents.len(),
            most: most_of(documents, &places, spool.len()).0,
            reuse: true,
        };
        let Extraction { found, problem, unwritten } = extract(spool, target, already, pool);
        let own = found.sign_id.clone().unwrap_or_default();
        let sign_id = sign_id.unwrap_or(&own);
        let judged_of = found.clone();
        let download = Download::new(kind, sign_id, found, documents);
        let judge = || {
            let wanted = self.sent.wanted.as_ref();
            let asked = Asked { kind, sign_id, documents, wanted, status: self.status };
            asked.judge(&judged_of, &download).err()
        };
        let problem = problem.or(unwritten).or_else(judge);
        (download, problem)
    }
}

/// Which kind of order an answer is of.
fn kind_of(spool: &mut Spool, pool: &BufferPool) -> Result<Option<OrderKind>> {
    #[derive(Default)]
    struct Seen(Option<OrderKind>);

    impl Visitor for Seen {
        type Error = std::convert::Infallible;

        fn begin_array(&mut self, path: &wire::Path) -> Result<(), Self::Error> {
            self.0 = self.0.or(kind_of_list(path));
            Ok(())
        }
    }

    let limits = Limits { max_bytes: u64::MAX, ..Limits::default() };
    let mut scanner = Scanner::new(Seen::default(), limits, pool);
    let mut reader = spool.decoded().map_err(|error| unreadable(&error))?;
    let mut window = vec![0; wire::WINDOW];
    loop {
        let count = reader.read(&mut window).map_err(|error| unreadable(&error))?;
        let part = window.get(..count).unwrap_or_default();
        // An answer that breaks off is one of its kind all the same.
        if count == 0 || scanner.feed(part).is_err() || scanner.visitor().0.is_some() {
            return Ok(scanner.visitor().0);
        }
    }
}

/// The parts that had got their names, where the file is what the journal says.
fn placed_already(placed: &[Placed]) -> Found {
    let mut found = Found::default();
    for one in placed.iter().filter(|one| is_file_of(&one.path, one.size, one.sha256)) {
        let Placed { index, part, path, size, sha256 } = one.clone();
        let piece = Piece { data: None, path: Some(path), size, sha256 };
        found.documents.entry(index).or_default().pieces.insert(part, piece);
    }
    found
}
