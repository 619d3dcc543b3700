//! After a crash: what lies in a folder, and making the most of it.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde_json::{Value, json};

use super::extract::{Extraction, Found, Piece, extract};
use super::journal::{Journal, Placed, Story};
use super::model::{OrderKind, seconds_since_epoch};
use super::places::Places;
use super::results::Download;
use super::spool::Spool;
use super::{OrderRef, Orders, digest::Running};
use crate::client::CallOptions;
use crate::error::{Code, Error, Result};
use crate::wire::{BufferPool, WINDOW};

/// How an interrupted download stands now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecoveryOutcome {
    /// Everything had arrived, and is in the folder now. Nothing is left to do.
    Complete,
    /// A part had arrived. The documents that were whole are in the folder now; journal and raw
    /// answer are kept.
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
        }
    }

    fn kept(mut self, journal: &Journal) -> Self {
        self.journal = Some(journal.path().to_owned());
        self.raw_answer = Some(journal.answer_path());
        self
    }

    /// Whether downloading the order again may bring what is missing.
    #[must_use]
    pub fn is_worth_asking_again(&self) -> bool {
        match self.outcome {
            RecoveryOutcome::NotSent => true,
            RecoveryOutcome::Partial | RecoveryOutcome::NothingArrived => {
                self.order_state.as_deref() != Some("gone")
            }
            _ => false,
        }
    }

    /// Removes journal and raw answer for good. Documents that were made of them stay.
    ///
    /// # Errors
    /// [`Code::JournalFailed`] while another process is at it, and when they cannot be removed.
    pub fn dismiss(&mut self) -> Result<()> {
        let Some(path) = self.journal.take() else { return Ok(()) };
        match Journal::take(&path)? {
            Some(journal) => journal.end(),
            None => {
                return Err(Error::new(
                    Code::JournalFailed,
                    format!("{}: another process is at it", path.display()),
                ));
            }
        }
        self.raw_answer = None;
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

/// Lists and finishes the downloads into `directory` that a crash interrupted, of both kinds. Works
/// without the service; does not touch downloads that are under way.
///
/// Every document that had arrived whole is in the folder afterwards. Calling it again is safe.
///
/// # Errors
/// [`Code::JournalFailed`] when the folder cannot be read. Trouble with one download is told in its
/// own [`Recovery`].
pub fn recover(directory: impl AsRef<Path>) -> Result<Vec<Recovery>> {
    let pool = BufferPool::new();
    let paths = Journal::list(directory.as_ref())?;
    Ok(paths.iter().filter_map(|path| recover_one(path, &pool)).collect())
}

impl Orders {
    /// As [`recover`], for this kind; the service is asked about what is not complete.
    pub(super) async fn recover(
        &self,
        directory: &Path,
        options: &CallOptions,
    ) -> Result<Vec<Recovery>> {
        let mut found = recover(directory)?;
        found.retain(|one| one.kind.is_none_or(|kind| kind == self.kind));
        for one in &mut found {
            let Some(sign_id) = one.sign_id.clone().filter(|_| one.is_worth_asking_again()) else {
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

/// `None` for a journal that is about to begin or has just ended.
fn recover_one(path: &Path, pool: &BufferPool) -> Option<Recovery> {
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
        Ok(story) => story?,
        Err(error) => return unreadable(error),
    };
    if story.done {
        journal.end();
        return None;
    }
    if !story.sent {
        journal.end();
        return Some(Recovery::new(RecoveryOutcome::NotSent, Some(&story)));
    }
    Some(finish(journal, &story, pool))
}

fn finish(journal: Journal, story: &Story, pool: &BufferPool) -> Recovery {
    let mut spool = match Spool::open(&journal.answer_path()) {
        Ok(spool) if spool.len() > 0 => spool,
        Ok(_) => return Recovery::new(RecoveryOutcome::NothingArrived, Some(story)).kept(&journal),
        Err(error) => {
            let mut one =
                Recovery::new(RecoveryOutcome::NothingArrived, Some(story)).kept(&journal);
            let path = journal.answer_path();
            one.problem = Some(crate::destination::failed(&path, &error.to_string()));
            return one;
        }
    };
    for partial in &story.partial {
        // Whoever wrote to it is gone: we hold the lock.
        let _ = std::fs::remove_file(partial);
    }
    let names = &story.header.names;
    let places = Places::Folder(names.clone());
    let already = placed_already(&story.placed);
    let Extraction { found, problem, unwritten } =
        extract(&mut spool, names.kind, &places, Some(&journal), already, pool);
    let download = Download::new(names.kind, &story.header.sign_id, found, &story.header.documents);
    let mut one = Recovery::new(RecoveryOutcome::Partial, Some(story));
    match problem.or(unwritten) {
        Some(problem) => {
            one.problem = Some(problem);
            one = one.kept(&journal);
        }
        None => {
            one.outcome = RecoveryOutcome::Complete;
            one.problem = download.check_digests().err();
            journal.end();
        }
    }
    one.download = Some(download);
    one
}

/// The parts that had got their names, where the file is what the journal says.
fn placed_already(placed: &[Placed]) -> Found {
    let mut found = Found::default();
    for one in placed.iter().filter(|one| is_there(one)) {
        let Placed { index, part, path, size, sha256 } = one.clone();
        let piece = Piece { data: None, path: Some(path), size, sha256 };
        found.documents.entry(index).or_default().pieces.insert(part, piece);
    }
    found
}

fn is_there(placed: &Placed) -> bool {
    let Ok(mut file) = std::fs::File::open(&placed.path) else { return false };
    if !file.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.len() == placed.size) {
        return false;
    }
    let mut running = Running::default();
    let mut window = vec![0; WINDOW];
    loop {
        match std::io::Read::read(&mut file, &mut window) {
            Ok(0) => return running.finish() == placed.sha256,
            Ok(count) => running.update(window.get(..count).unwrap_or_default()),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return false,
        }
    }
}
