//! Values of an answer that no field explains: together they may be a document in another form.

use crate::wire::Path;

/// One value, or the values of one list together, that are longer than this may be a document: a
/// signature has several times as many characters, a digest a fifth.
const VALUE: u64 = 250;
/// All of them together, for each document that was found.
const TOTAL: u64 = 4096;

/// What was passed over so far.
#[derive(Default)]
pub(super) struct Unknown {
    /// For each list that is open, the characters of the values that stand in it.
    lists: Vec<u64>,
    long: usize,
    total: u64,
}

impl Unknown {
    pub(super) fn begin_list(&mut self) {
        self.lists.push(0);
    }

    pub(super) fn end_list(&mut self) {
        let length = self.lists.pop().unwrap_or_default();
        if length > VALUE {
            self.long += 1;
        } else if let Some(outer) = self.lists.last_mut() {
            // Lists of lists: lines of numbers, say.
            *outer += length;
        }
    }

    /// A text or number of `length` characters.
    pub(super) fn value(&mut self, path: &Path, length: u64) {
        self.total = self.total.saturating_add(length);
        let list = self.lists.last_mut().filter(|_| path.last_key().is_none());
        match list {
            _ if length > VALUE => self.long += 1,
            Some(list) => *list += length,
            None => {}
        }
    }

    /// How many values may be documents.
    pub(super) fn count(&self, documents: usize) -> usize {
        let most = TOTAL.saturating_mul(documents.max(1) as u64);
        self.long + usize::from(self.long == 0 && self.total > most)
    }
}
