//! Limits that keep memory and time bounded whatever a file claims.

use std::sync::atomic::{AtomicU64, Ordering};

use super::error::{PdfError, Result};

/// Caps for reading one document.
///
/// The defaults are far above what real documents need and keep a hostile file from taking more
/// than tens of megabytes or a few seconds.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes one object may have in the file, stream data not counted.
    pub object_bytes: usize,
    /// Values (numbers, names, strings ...) inside one object.
    pub object_values: usize,
    /// How deep arrays and dictionaries may nest.
    pub nesting: usize,
    /// Entries in all cross-reference sections together.
    pub xref_entries: usize,
    /// Cross-reference sections (the file and its incremental updates).
    pub sections: usize,
    /// Decoded bytes of one object stream.
    pub object_stream_bytes: usize,
    /// Decoded object streams kept in memory.
    pub object_stream_cache: usize,
    /// Pages, and nodes of the page tree.
    pub pages: usize,
    /// Form fields.
    pub fields: usize,
    /// Bytes parsed, scanned and decoded for the document's structure during the life of one
    /// [`super::Document`], in addition to 32 times the file's size.
    pub work: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            object_bytes: 16 << 20,
            object_values: 400_000,
            nesting: 96,
            xref_entries: 2_000_000,
            sections: 10_000,
            object_stream_bytes: 32 << 20,
            object_stream_cache: 8 << 20,
            pages: 200_000,
            fields: 100_000,
            work: 1 << 30,
        }
    }
}

/// What is left of the work a document may cause.
#[derive(Debug)]
pub(crate) struct Budget {
    left: AtomicU64,
}

impl Budget {
    pub(crate) fn new(limits: &Limits, len: u64) -> Self {
        Budget { left: AtomicU64::new(limits.work.saturating_add(len.saturating_mul(32))) }
    }

    /// Takes `amount` bytes of work.
    pub(crate) fn spend(&self, amount: u64) -> Result<()> {
        let taken = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
            left.checked_sub(amount.max(16))
        });
        match taken {
            Ok(_) => Ok(()),
            Err(_) => Err(PdfError::limit("reading its structure takes more work than allowed")),
        }
    }
}
