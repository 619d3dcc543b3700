//! Where each result of a call goes, and what has arrived whole so far.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use super::{CONVERT, Conversion};
use crate::destination::{Destination, Namer};
use crate::document::Document;
use crate::error::{Code, Error, Result};
use crate::wire::{ByteSource, FileOptions, Sink};

/// Where one result goes, if not to memory.
#[derive(Clone, Debug)]
pub(super) enum Place {
    File {
        path: PathBuf,
        overwrite: bool,
        /// Marks the partial file as one of a batch that can be resumed.
        run: Option<u64>,
    },
    Spool,
}

/// Shared by all attempts of one call: a document that arrived in a first attempt stays when the
/// rest is asked for again.
pub(super) struct Plan {
    hints: Vec<usize>,
    /// One for each document; empty when results stay in memory.
    places: Vec<Place>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Paths this call has written already: only they may be replaced without `overwrite`.
    written: Vec<PathBuf>,
    results: Vec<Conversion>,
}

/// Places for all documents of one call, before anything is sent.
pub(super) fn places(documents: &[Document], to: &Destination) -> Result<Vec<Place>> {
    let (path, overwrite) = match to {
        Destination::Memory => return Ok(Vec::new()),
        Destination::Spool => return Ok(vec![Place::Spool; documents.len()]),
        Destination::Folder { path, overwrite } => (path, overwrite),
    };
    let mut namer = Namer::new(path, *overwrite)?;
    let place = |(index, document): (usize, &Document)| {
        let path = namer.path(index, document.name.as_deref(), *overwrite)?;
        Ok(Place::File { path, overwrite: *overwrite, run: None })
    };
    documents.iter().enumerate().map(place).collect()
}

impl Plan {
    pub(super) fn new(sources: &[ByteSource], places: Vec<Place>) -> Self {
        let hint = |source: &ByteSource| usize::try_from(source.len()).unwrap_or(0);
        Self { hints: sources.iter().map(hint).collect(), places, state: Mutex::default() }
    }

    /// How many results there must be.
    pub(super) fn expected(&self) -> usize {
        self.hints.len()
    }

    /// The error of an answer with another number of results.
    pub(super) fn miscounted(&self, count: usize) -> Error {
        let expected = self.expected();
        Error::new(
            Code::ResultCount,
            format!("{CONVERT}: {expected} documents were sent, but {count} results came"),
        )
        .with_detail("limit", expected)
        .with_detail("actual", count)
    }

    /// A place for the document `index`, also for one that nobody asked for.
    pub(super) fn sink(&self, index: usize) -> Result<Sink> {
        let Some(first) = self.places.first() else {
            let hint = self.hints.get(index).copied().unwrap_or(0);
            return Sink::memory(hint).map_err(|error| crate::error::of_sink(&error));
        };
        let made = match self.places.get(index).unwrap_or(first) {
            Place::Spool => Sink::spool(),
            Place::File { path, overwrite, run } => {
                let path = match self.places.get(index) {
                    Some(_) => path.clone(),
                    None => path.with_file_name(format!("unasked-{}.pdf", index + 1)),
                };
                let overwrite = *overwrite || self.lock().written.contains(&path);
                Sink::file(&path, FileOptions { overwrite, tag: *run, ..FileOptions::default() })
            }
        };
        made.map_err(|error| crate::error::of_sink(&error))
    }

    /// Notes that `path` now holds a result of this call.
    pub(super) fn wrote(&self, path: &std::path::Path) {
        let mut state = self.lock();
        if !state.written.iter().any(|known| known == path) {
            state.written.push(path.to_owned());
        }
    }

    /// Notes what is known so far, for the case that the attempt fails.
    pub(super) fn keep(&self, results: Vec<Conversion>) {
        let mut state = self.lock();
        for result in results {
            match state.results.iter_mut().find(|known| known.index == result.index) {
                // A later attempt may know less than an earlier one that got further.
                Some(known) if known.size.is_some() && result.size.is_none() => {}
                Some(known) => *known = result,
                None => state.results.push(result),
            }
        }
    }

    /// Gives what arrived along with the error.
    pub(super) fn hand_over(&self, error: Error) -> Error {
        let mut results = std::mem::take(&mut self.lock().results);
        if results.is_empty() || !error.conversions().is_empty() {
            return error;
        }
        results.sort_by_key(|result| result.index);
        let results = results.into_iter().map(Conversion::without_claim).collect();
        error.with_conversions(results)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
