//! One way through the raw answer of a download: what is whole appears under its name.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::PathBuf;

use super::digest::{Running, Sha256};
use super::extract::{Found, FoundDocument, Piece, Target, WHAT};
use super::fields::{DocumentText, Meaning, Text, is_list_of_results, meaning, result_at};
use super::journal::Placed;
use super::places::{Home, Part, Places};
use super::unknown::Unknown;
use crate::error::{Code, Error, Result, of_sink};
use crate::wire::{Delivered, Path, Sink, SinkError, StringMode, Visitor, WINDOW};

/// Longest text that is kept, in bytes.
pub(super) const TEXT_MAX: usize = 1024 * 1024;
/// Documents that are taken where it is not known how many there must be.
pub(super) const DOCUMENTS_MAX: usize = 1000;
/// Documents that are taken beyond those that there must be.
const DOCUMENTS_MORE: usize = 16;

/// One way through the answer.
pub(super) struct Reading<'a> {
    pub target: Target<'a>,
    pub found: Found,
    pub current: Option<Current>,
    /// Parts that are no base64.
    pub unreadable: BTreeSet<(usize, Part)>,
    /// Parts that their place did not take, and where they go instead.
    pub homes: BTreeMap<(usize, Part), Home>,
    pub unwritten: Option<Error>,
    /// Whether the answer must be read again for parts that go elsewhere.
    pub again: bool,
    pub recognised: bool,
    /// Whether texts are passed over: one of them was too long.
    pub without_texts: bool,
    pub unknown: Unknown,
}

/// The part whose bytes are coming.
pub(super) struct Current {
    pub index: usize,
    pub part: Part,
    taking: Option<Taking>,
    failed: bool,
    /// The part is there: only its content is compared.
    compared: Option<(u64, Running)>,
}

struct Taking {
    sink: Sink,
    path: Option<PathBuf>,
    digest: Running,
}

impl Reading<'_> {
    fn document(&mut self, index: usize) -> Result<&mut FoundDocument> {
        let most = match self.target.expected {
            0 => DOCUMENTS_MAX,
            expected => expected + DOCUMENTS_MORE,
        };
        if index >= most {
            return Err(Error::new(
                Code::MalformedAnswer,
                format!(
                    "{WHAT}: the answer holds more than {most} documents; those before are kept"
                ),
            )
            .with_detail("limit", most));
        }
        Ok(self.found.documents.entry(index).or_default())
    }

    fn open(&mut self, index: usize, part: Part) -> std::result::Result<Taking, SinkError> {
        let home = self.homes.get(&(index, part)).copied().unwrap_or(Home::Wanted);
        let (sink, path) = match (home, self.target.places) {
            (Home::Wanted, places) => places.sink(index, part)?,
            (Home::Fallback, Places::Folder(names)) if self.target.fallback.is_some() => {
                let folder = self.target.fallback.as_mut().map(|one| one.folder()).transpose();
                let folder = folder
                    .map_err(|source| SinkError::Create { path: names.folder.clone(), source })?;
                let folder = folder.as_deref().unwrap_or(&names.folder);
                let (sink, path) = names.within(folder).sink(index, part)?;
                (sink, Some(path))
            }
            _ => (Sink::memory(0)?, None),
        };
        if let (Some(journal), Some(partial), Home::Wanted) =
            (self.target.journal, sink.partial_path(), home)
        {
            // A crash leaves this file, and a recovery clears it away; no more depends on it.
            let _ = journal.writing(partial);
        }
        Ok(Taking { sink, path, digest: Running::default() })
    }

    /// Leaves a part that its place does not take for another reading, which puts it elsewhere.
    fn give_up(&mut self, current: &mut Current, error: &SinkError) {
        current.taking = None;
        current.failed = true;
        self.unwritten.get_or_insert_with(|| of_sink(error));
        let at = (current.index, current.part);
        let next = match self.homes.get(&at) {
            None if self.target.fallback.is_some() => Home::Fallback,
            Some(Home::Memory) => return,
            _ => Home::Memory,
        };
        self.homes.insert(at, next);
        self.again = true;
    }

    fn take(&mut self, current: &mut Current, decoded: &[u8]) {
        if current.failed {
            return;
        }
        if let Some((size, digest)) = &mut current.compared {
            *size += decoded.len() as u64;
            digest.update(decoded);
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
        let (index, part) = (current.index, current.part);
        if let Some((size, digest)) = current.compared.take() {
            self.compare(index, part, size, digest.finish());
            return Ok(());
        }
        let Some(Taking { sink, path, digest }) = current.taking.take() else { return Ok(()) };
        let (size, sha256) = (sink.written(), digest.finish());
        if let Some(path) = self.written_before(index, part, size, sha256) {
            let piece = Piece { data: None, path: Some(path), size, sha256 };
            self.document(index)?.pieces.insert(part, piece);
            return Ok(());
        }
        if let (Some(journal), Some(path)) = (self.target.journal, &path) {
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

    /// A part that stands there again must be the same one.
    fn compare(&mut self, index: usize, part: Part, size: u64, sha256: Sha256) {
        let known = self.found.documents.get(&index).and_then(|one| one.pieces.get(&part));
        let differs = known.is_some_and(|known| known.size != size || known.sha256 != sha256);
        // An empty one adds nothing.
        if differs && size > 0 {
            self.found.doubled.get_or_insert_with(|| part.field(self.target.kind, index));
        }
    }

    /// The file that an earlier attempt gave this part.
    fn written_before(
        &self,
        index: usize,
        part: Part,
        size: u64,
        sha256: Sha256,
    ) -> Option<PathBuf> {
        let Places::Folder(names) = self.target.places else { return None };
        if !self.target.reuse {
            return None;
        }
        let there =
            names.candidates(index, part).take_while(|path| path.symlink_metadata().is_ok());
        there.into_iter().find(|path| is_file_of(path, size, sha256))
    }
}

/// Whether the file is there with this content.
pub(super) fn is_file_of(path: &std::path::Path, size: u64, sha256: Sha256) -> bool {
    let Ok(mut file) = crate::file_lock::open_own(path) else { return false };
    if !file.metadata().is_ok_and(|metadata| metadata.len() == size) {
        return false;
    }
    let mut running = Running::default();
    let mut window = vec![0; WINDOW];
    loop {
        match file.read(&mut window) {
            Ok(0) => return running.finish() == sha256,
            Ok(count) => running.update(window.get(..count).unwrap_or_default()),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return false,
        }
    }
}

impl Visitor for Reading<'_> {
    type Error = Error;

    fn begin_array(&mut self, path: &Path) -> Result<()> {
        self.recognised |= is_list_of_results(path);
        self.unknown.begin_list();
        Ok(())
    }

    fn end_array(&mut self, _: &Path) -> Result<()> {
        self.unknown.end_list();
        self.found.unexplained = self.unknown.count(self.found.documents.len());
        Ok(())
    }

    fn begin_object(&mut self, path: &Path) -> Result<()> {
        self.recognised |= is_list_of_results(path);
        if let Some(index) = result_at(path) {
            self.document(index)?;
        }
        Ok(())
    }

    fn end_object(&mut self, path: &Path) -> Result<()> {
        if let Some(index) = result_at(path) {
            let unreadable = self.unreadable.contains(&(index, Part::Document));
            self.document(index)?.ended = !unreadable;
        }
        Ok(())
    }

    fn string(&mut self, path: &Path) -> Result<StringMode> {
        let (index, part) = match meaning(self.target.kind, path) {
            Meaning::Part(index, part) => (index, part),
            Meaning::Nothing => return Ok(StringMode::Skip),
            _ if self.without_texts => return Ok(StringMode::Skip),
            _ => return Ok(StringMode::Text { max: TEXT_MAX }),
        };
        let at = (index, part);
        if self.unreadable.contains(&at) {
            return Ok(StringMode::Skip);
        }
        let is_there = self.document(index)?.pieces.contains_key(&part);
        let compared = is_there.then(|| (0, Running::default()));
        self.current = Some(Current { index, part, taking: None, failed: false, compared });
        Ok(StringMode::Base64)
    }

    fn skipped(&mut self, path: &Path, length: u64) -> Result<()> {
        if matches!(meaning(self.target.kind, path), Meaning::Nothing) {
            self.unknown.value(path, length);
            self.found.unexplained = self.unknown.count(self.found.documents.len());
        }
        Ok(())
    }

    /// No result is a number; a list of them may be the bytes of one.
    fn number(&mut self, path: &Path, text: &str) -> Result<()> {
        self.unknown.value(path, text.len() as u64);
        Ok(())
    }

    fn text(&mut self, path: &Path, value: &str) -> Result<()> {
        let value = Some(value.to_owned());
        match meaning(self.target.kind, path) {
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
                // An empty digest is none.
                let value = value.filter(|stated| {
                    matches!(text, DocumentText::Description) || !stated.trim().is_empty()
                });
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
