//! Where a comparison starts from.

use std::io;
use std::sync::Arc;

use crate::pdf::{Document, Limits, SharedSource, Source, View, for_each_window};

/// White space behind the end of a document beyond this is not passed over.
const MAX_TRAILING_SPACE: u64 = 1024;

/// What the later revisions are held against.
pub(crate) struct Base {
    /// Number of bytes.
    pub(crate) len: u64,
    /// Position of its newest revision; `None` for an original whose cross-reference is unusable,
    /// so that it has no revisions.
    revision: Option<usize>,
    rebuilt: Option<Document>,
}

impl Base {
    /// Position of the first later revision.
    pub(crate) fn later_from(&self) -> usize {
        self.revision.map_or(0, |index| index + 1)
    }

    pub(super) fn is_rebuilt(&self) -> bool {
        self.rebuilt.is_some()
    }

    /// The base as a reader of it sees it.
    pub(super) fn view<'d>(&'d self, document: &'d Document) -> Option<View<'d>> {
        match (&self.rebuilt, self.revision) {
            (Some(rebuilt), _) => Some(rebuilt.head()),
            (None, Some(index)) => document.at_revision(index),
            (None, None) => None,
        }
    }
}

impl Base {
    /// What a signature covers that ends a revision, as [`crate::verify`] has found: read alone,
    /// those bytes lead to the same cross-references.
    pub(crate) fn at_revision(len: u64, revision: usize) -> Base {
        Base { len, revision: Some(revision), rebuilt: None }
    }
}

/// The document that was sent: it must be a byte prefix of `document`, and its revisions the
/// oldest ones of it. `different` is the first offset at which the bytes differ.
///
/// # Errors
/// In words, with where they differ.
pub(crate) fn base_of_original(
    document: &Document,
    original: &SharedSource,
    different: Option<u64>,
) -> Result<Base, String> {
    let len = original.len();
    if len > document.len() {
        return Err(format!(
            "the original has {len} bytes, the signed document only {}",
            document.len()
        ));
    }
    if let Some(offset) = different {
        return Err(format!(
            "the signed document is another one than the original: they differ from byte {offset} on"
        ));
    }
    if let Some(revision) = ending_at(document, len) {
        return Ok(Base::at_revision(len, revision));
    }
    let opened = Document::open_within(original.clone(), Limits::default(), document.work())
        .map_err(|error| format!("the original cannot be read: {error}"))?;
    if opened.is_rebuilt() {
        if document.is_rebuilt() {
            return Err("the cross-reference of both documents is unusable".into());
        }
        return Ok(Base { len, revision: None, rebuilt: Some(opened) });
    }
    let revision = same_history(document, &opened)?;
    Ok(Base { len, revision: Some(revision), rebuilt: None })
}

/// The first `len` bytes of the document, read alone as their readers did before more was added.
///
/// # Errors
/// In words, when they are no document by themselves or not the one that updates build on.
pub(crate) fn base_at(document: &Document, len: u64) -> Result<Base, String> {
    let prefix: SharedSource = Arc::new(Prefix { inner: document.source().clone(), len });
    let opened = Document::open_within(prefix, Limits::default(), document.work())
        .map_err(|error| format!("the covered bytes are no document by themselves: {error}"))?;
    if opened.is_rebuilt() {
        return Err("the covered bytes have no usable cross-reference by themselves".into());
    }
    let revision = same_history(document, &opened)?;
    Ok(Base { len, revision: Some(revision), rebuilt: None })
}

/// Whether the revisions of `earlier` are the oldest ones of `document`; gives the newest of them.
fn same_history(document: &Document, earlier: &Document) -> Result<usize, String> {
    let known = earlier.revisions();
    let all = document.revisions();
    let same = known.len() <= all.len()
        && document.offset_shift() == earlier.offset_shift()
        && known.iter().zip(all).all(|(old, new)| {
            old.xref_offset == new.xref_offset && old.kind == new.kind && old.trailer == new.trailer
        });
    match known.len().checked_sub(1) {
        Some(last) if same => Ok(last),
        _ => Err("its updates do not build on what it was before: its history was replaced".into()),
    }
}

/// The revision that the first `len` bytes end with, when it can be told from here that a reader
/// of those bytes alone begins with it: its end marker is the last thing in them, `startxref`
/// leads to its cross-reference, and what that describes can be read.
fn ending_at(document: &Document, len: u64) -> Option<usize> {
    let last = document.revisions().iter().rev().find(|r| r.marker_end <= len)?;
    let start = last.startxref.and_then(|at| at.checked_add(document.offset_shift()));
    let space = |window: &[u8]| window.iter().all(u8::is_ascii_whitespace);
    let mut is_clean = last.is_end_certain
        && !document.is_rebuilt()
        && start == Some(last.xref_offset)
        && len - last.marker_end <= MAX_TRAILING_SPACE;
    for_each_window(
        &**document.source(),
        last.marker_end,
        len.min(last.marker_end + MAX_TRAILING_SPACE),
        |window| {
            is_clean &= space(window);
            Ok(())
        },
    )
    .ok()?;
    let view = document.at_revision(last.index)?;
    let catalog = view.catalog().ok()?;
    let has_pages = view.lookup_dict(&catalog, "Pages").ok()?.is_some();
    let first = view.pages().next();
    (is_clean && has_pages && !matches!(first, Some(Err(_)))).then_some(last.index)
}

/// Compares what is read of a document with the original, on the way.
pub(crate) struct PrefixCheck<'a> {
    original: &'a dyn Source,
    /// Bytes that were compared.
    at: u64,
    /// The first offset at which they differ.
    different: Option<u64>,
    buffer: Vec<u8>,
}

impl<'a> PrefixCheck<'a> {
    pub(crate) fn new(original: &'a dyn Source) -> Self {
        PrefixCheck { original, at: 0, different: None, buffer: Vec::new() }
    }

    /// Bytes of the document with their offset. What was seen already is passed over.
    pub(crate) fn see(&mut self, offset: u64, window: &[u8]) -> io::Result<()> {
        let skip = usize::try_from(self.at.saturating_sub(offset)).unwrap_or(usize::MAX);
        let Some(new) = window.get(skip..).filter(|new| !new.is_empty()) else { return Ok(()) };
        let left = self.original.len().saturating_sub(self.at);
        if offset > self.at || left == 0 || self.different.is_some() {
            return Ok(());
        }
        let count = usize::try_from(left).unwrap_or(usize::MAX).min(new.len());
        let new = new.get(..count).unwrap_or_default();
        let place = match self.original.as_slice() {
            Some(all) => {
                let from = usize::try_from(self.at).unwrap_or(usize::MAX);
                let same = all.get(from..).and_then(|rest| rest.get(..count));
                first_difference(new, same.unwrap_or_default())
            }
            None => {
                self.read(count)?;
                first_difference(new, &self.buffer)
            }
        };
        self.different = place.map(|place| self.at + place as u64);
        self.at += count as u64;
        Ok(())
    }

    /// The next `count` bytes of the original.
    fn read(&mut self, count: usize) -> io::Result<()> {
        self.buffer.resize(count, 0);
        let mut done = 0;
        while let Some(rest) = self.buffer.get_mut(done..).filter(|rest| !rest.is_empty()) {
            match self.original.read_at(self.at + done as u64, rest)? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                read => done += read,
            }
        }
        Ok(())
    }

    /// Compares what was not seen yet; gives the first offset at which they differ.
    pub(crate) fn finish(mut self, document: &dyn Source) -> io::Result<Option<u64>> {
        let end = self.original.len().min(document.len());
        if self.different.is_none() && self.at < end {
            let mut at = self.at;
            for_each_window(document, at, end, |window| {
                self.see(at, window)?;
                at += window.len() as u64;
                Ok(())
            })?;
        }
        Ok(self.different)
    }
}

/// Where two slices differ first; the shorter one ends the comparison with a difference.
fn first_difference(a: &[u8], b: &[u8]) -> Option<usize> {
    if a == b {
        return None;
    }
    let place = a.iter().zip(b).position(|(a, b)| a != b);
    Some(place.unwrap_or(a.len().min(b.len())))
}

/// The first bytes of a source.
struct Prefix {
    inner: SharedSource,
    len: u64,
}

impl Source for Prefix {
    fn len(&self) -> u64 {
        self.len
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.len.saturating_sub(offset)).unwrap_or(usize::MAX);
        let count = buf.len().min(left);
        self.inner.read_at(offset, buf.get_mut(..count).unwrap_or_default())
    }

    fn as_slice(&self) -> Option<&[u8]> {
        let len = usize::try_from(self.len).ok()?;
        self.inner.as_slice()?.get(..len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_are_compared_whatever_the_pieces() {
        let document: Vec<u8> = (0..2000u32).map(|n| (n % 251) as u8).collect();
        let check = |original: &[u8], pieces: &[(usize, usize)]| {
            let original = original.to_vec();
            let mut check = PrefixCheck::new(&original);
            for (from, to) in pieces {
                check.see(*from as u64, &document[*from..*to]).unwrap();
            }
            check.finish(&document).unwrap()
        };
        for pieces in
            [&[][..], &[(0, 100), (100, 900)], &[(0, 500), (0, 200), (300, 1900)], &[(7, 90)]]
        {
            assert_eq!(check(&document[..1500], pieces), None);
            for at in [0, 99, 100, 450, 1499] {
                let mut other = document[..1500].to_vec();
                other[at] ^= 1;
                assert_eq!(check(&other, pieces), Some(at as u64), "{pieces:?}");
            }
        }
    }
}
