//! What only the PDF reader can tell of documents that are sent and received.

use std::io;

use signdoc_signature::pdf::{Document, Source, for_each_window};

use super::digest::{Running, Sha256};
use super::extract::Piece;
use crate::wire::ByteSource;

/// A document that is about to be sent, read by position.
pub(crate) struct SentDocument(pub(crate) ByteSource);

impl Source for SentDocument {
    fn len(&self) -> u64 {
        self.0.len()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.0.len().saturating_sub(offset);
        let count = usize::try_from(left).unwrap_or(usize::MAX).min(buffer.len());
        let part = buffer.get_mut(..count).unwrap_or_default();
        self.0.read_exact_at(part, offset).map_err(io::Error::other)?;
        Ok(count)
    }
}

/// The PDF of a source, where it can be read.
pub(super) fn open(source: &ByteSource) -> Option<Document> {
    Document::open(SentDocument(source.clone())).ok()
}

/// Digests that the first revision of a signed PDF may have had as a file of its own: its end of
/// line after the end marker may or may not have been part of it. The likeliest comes first.
pub(super) fn first_revision(piece: &Piece) -> Option<Vec<Sha256>> {
    let pdf = match (&piece.path, &piece.data) {
        (_, Some(data)) => Document::from_bytes(data.clone()).ok()?,
        (Some(path), None) => Document::open_path(path).ok()?,
        (None, None) => return None,
    };
    let first = pdf.revisions().first().filter(|revision| revision.is_end_certain)?;
    let (marker, end) = (first.marker_end, first.end.min(pdf.len()));
    // "\r\n" gives two ends besides the marker's.
    let ends = [end, marker, marker + 1];
    let mut ends: Vec<_> = ends.into_iter().filter(|at| *at >= marker && *at <= end).collect();
    ends.dedup();
    ends.into_iter().map(|end| digest_to(&pdf, end)).collect()
}

fn digest_to(pdf: &Document, end: u64) -> Option<Sha256> {
    let mut running = Running::default();
    let feed = |window: &[u8]| {
        running.update(window);
        Ok(())
    };
    for_each_window(pdf.source().as_ref(), 0, end, feed).ok()?;
    Some(running.finish())
}
