//! Where the bytes of a PDF come from: memory or a file, read by position.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;

/// Bytes that can be read by position.
///
/// Implementations must return the same bytes for the same position for as long as they live.
pub trait Source: Send + Sync {
    /// Number of bytes.
    fn len(&self) -> u64;

    /// Whether there are no bytes.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Reads at most `buf.len()` bytes from `offset`; 0 means that the end was reached.
    ///
    /// # Errors
    /// Whatever the underlying storage reports.
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<usize>;

    /// All bytes at once where they are in memory already, so that nothing needs to be copied.
    fn as_slice(&self) -> Option<&[u8]> {
        None
    }
}

/// A source that can be shared between a document, its views and what is prepared from it.
pub type SharedSource = Arc<dyn Source>;

impl Source for Bytes {
    fn len(&self) -> u64 {
        <[u8]>::len(self) as u64
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<usize> {
        Ok(copy_from_slice(self, offset, buf))
    }

    fn as_slice(&self) -> Option<&[u8]> {
        Some(self)
    }
}

impl Source for Vec<u8> {
    fn len(&self) -> u64 {
        <[u8]>::len(self) as u64
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<usize> {
        Ok(copy_from_slice(self, offset, buf))
    }

    fn as_slice(&self) -> Option<&[u8]> {
        Some(self)
    }
}

impl<S: Source + ?Sized> Source for Arc<S> {
    fn len(&self) -> u64 {
        (**self).len()
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<usize> {
        (**self).read_at(offset, buf)
    }

    fn as_slice(&self) -> Option<&[u8]> {
        (**self).as_slice()
    }
}

fn copy_from_slice(data: &[u8], offset: u64, buf: &mut [u8]) -> usize {
    let rest = usize::try_from(offset).ok().and_then(|o| data.get(o..)).unwrap_or_default();
    let count = rest.len().min(buf.len());
    if let (Some(to), Some(from)) = (buf.get_mut(..count), rest.get(..count)) {
        to.copy_from_slice(from);
    }
    count
}

/// A file read by position; its content must not change while it is in use.
#[derive(Debug)]
pub struct FileSource {
    file: File,
    len: u64,
}

impl FileSource {
    /// Opens the file at `path` for reading.
    ///
    /// # Errors
    /// When the file cannot be opened or its size cannot be told.
    pub fn open(path: impl AsRef<Path>) -> io::Result<Self> {
        Self::new(File::open(path)?)
    }

    /// Uses an open file.
    ///
    /// # Errors
    /// When its size cannot be told.
    pub fn new(file: File) -> io::Result<Self> {
        let len = file.metadata()?.len();
        Ok(FileSource { file, len })
    }
}

impl Source for FileSource {
    fn len(&self) -> u64 {
        self.len
    }

    #[cfg(unix)]
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<usize> {
        std::os::unix::fs::FileExt::read_at(&self.file, buf, offset)
    }

    #[cfg(windows)]
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<usize> {
        std::os::windows::fs::FileExt::seek_read(&self.file, buf, offset)
    }
}

/// Fills `buf` from `offset` as far as the source goes; returns how much was read.
pub(crate) fn read_full_at(source: &dyn Source, offset: u64, buf: &mut [u8]) -> io::Result<usize> {
    let mut done = 0;
    while let Some(rest) = buf.get_mut(done..).filter(|r| !r.is_empty()) {
        match source.read_at(offset + done as u64, rest) {
            Ok(0) => break,
            Ok(n) => done += n.min(rest.len()),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(done)
}

/// The bytes of `start..end`, cut at the end of the source.
pub(crate) fn read_range(source: &dyn Source, start: u64, end: u64) -> io::Result<Vec<u8>> {
    let end = end.min(source.len());
    let count = usize::try_from(end.saturating_sub(start)).map_err(io::Error::other)?;
    let mut buf = vec![0; count];
    let read = read_full_at(source, start, &mut buf)?;
    buf.truncate(read);
    Ok(buf)
}

/// Size of the window that large copies and scans go through.
pub(crate) const WINDOW: usize = 64 * 1024;

/// Hands `start..end` to `each` window by window, without copying where the source is in memory.
///
/// # Errors
/// An unexpected end of the source, or what reading or `each` report.
pub fn for_each_window(
    source: &dyn Source,
    start: u64,
    end: u64,
    mut each: impl FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<()> {
    if end < start {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "range ends before it starts"));
    }
    if let Some(all) = source.as_slice() {
        let range = usize::try_from(start).ok().zip(usize::try_from(end).ok());
        let part = range.and_then(|(s, e)| all.get(s..e)).ok_or(io::ErrorKind::UnexpectedEof)?;
        return part.chunks(WINDOW * 4).try_for_each(each);
    }
    let mut buf = vec![0; WINDOW];
    let mut at = start;
    while at < end {
        let want = usize::try_from(end - at).unwrap_or(WINDOW).min(WINDOW);
        let window = buf.get_mut(..want).unwrap_or_default();
        let read = read_full_at(source, at, window)?;
        if read < want {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        each(window)?;
        at += read as u64;
    }
    Ok(())
}

/// Copies `start..end` of the source to `out` window by window: memory does not grow with size.
///
/// # Errors
/// As [`for_each_window`], and what writing reports.
pub fn copy_range(
    source: &dyn Source,
    start: u64,
    end: u64,
    out: &mut dyn Write,
) -> io::Result<()> {
    for_each_window(source, start, end, |window| out.write_all(window))
}

/// A reader over a part of a source.
pub(crate) struct RangeReader {
    source: SharedSource,
    at: u64,
    end: u64,
}

impl RangeReader {
    pub(crate) fn new(source: SharedSource, start: u64, end: u64) -> Self {
        let end = end.min(source.len());
        RangeReader { source, at: start, end }
    }
}

impl Read for RangeReader {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.end.saturating_sub(self.at)).unwrap_or(usize::MAX);
        let want = left.min(buf.len());
        let Some(part) = buf.get_mut(..want).filter(|p| !p.is_empty()) else { return Ok(0) };
        let read = self.source.read_at(self.at, part)?.min(want);
        self.at += read as u64;
        Ok(read)
    }
}
