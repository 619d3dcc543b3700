//! A file with an update behind it, without a copy of the file.

use std::io::{self, Write};

use bytes::Bytes;

use crate::pdf::{PdfError, Result, SharedSource, Source, copy_range};

/// A source followed by appended bytes: what an update makes of a file.
///
/// It is a [`Source`] itself, so that the next update can be put on it before anything is written.
#[derive(Clone)]
pub struct Appended {
    base: SharedSource,
    tail: Bytes,
}

impl std::fmt::Debug for Appended {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Appended({} + {} bytes)", self.base.len(), self.tail.len())
    }
}

impl Appended {
    pub(crate) fn new(base: SharedSource, tail: impl Into<Bytes>) -> Self {
        Appended { base, tail: tail.into() }
    }

    /// A source as it is, with nothing behind it.
    pub fn unchanged(base: SharedSource) -> Self {
        Appended { base, tail: Bytes::new() }
    }

    /// The bytes behind the base file: what the service calls the appendix.
    pub fn appendix(&self) -> &Bytes {
        &self.tail
    }

    /// Writes the whole file, window by window.
    ///
    /// # Errors
    /// `Io` when reading or writing fails.
    pub fn write_to(&self, out: &mut dyn Write) -> Result<u64> {
        copy_range(&*self.base, 0, self.base.len(), out).map_err(PdfError::from)?;
        out.write_all(&self.tail)?;
        Ok(Source::len(self))
    }
}

impl Source for Appended {
    fn len(&self) -> u64 {
        self.base.len() + self.tail.len() as u64
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<usize> {
        let base_len = self.base.len();
        let Some(inside) = offset.checked_sub(base_len) else {
            let left = usize::try_from(base_len - offset).unwrap_or(usize::MAX).min(buf.len());
            return self.base.read_at(offset, buf.get_mut(..left).unwrap_or_default());
        };
        self.tail.read_at(inside, buf)
    }
}
