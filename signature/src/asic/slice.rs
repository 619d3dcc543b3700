//! A part of a source, as a source of its own.

use std::io;

use rawzip::ReaderAt;

use crate::pdf::{SharedSource, Source};

pub(super) struct Slice {
    pub(super) whole: SharedSource,
    pub(super) start: u64,
    pub(super) len: u64,
}

impl Source for Slice {
    fn len(&self) -> u64 {
        self.len
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<usize> {
        let left = self.len.saturating_sub(offset);
        let count = usize::try_from(left).map_or(buf.len(), |left| left.min(buf.len()));
        let at = self.start.saturating_add(offset);
        self.whole.read_at(at, buf.get_mut(..count).unwrap_or_default())
    }

    fn as_slice(&self) -> Option<&[u8]> {
        let start = usize::try_from(self.start).ok()?;
        let end = start.checked_add(usize::try_from(self.len).ok()?)?;
        self.whole.as_slice()?.get(start..end)
    }
}

/// A source as the library for ZIP files reads it.
pub(super) struct Positioned(pub(super) SharedSource);

impl ReaderAt for Positioned {
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        self.0.read_at(offset, buf)
    }
}
