//! A document: the newest revision of a file, with the older ones behind it.

use std::fs::File;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;

use super::error::{PdfError, PdfErrorKind, Result};
use super::fields::SignatureField;
use super::lexer::is_space;
use super::limits::{Limits, Work};
use super::loader::Raw;
use super::object::{Dict, IndirectObject, ObjRef, Object, Stream};
use super::pages::Pages;
use super::revision::{Change, Revision, Table};
use super::source::{FileSource, SharedSource, Source, read_range};
use super::stream::{Decoded, ObjectStream};
use super::view::View;
use super::xref::{self, Chain, Location};

/// How far from the start of the file the header is looked for.
const HEADER_REACH: u64 = 1024;

/// Something about a file's structure that readers disagree on, or that a person wants to know.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum StructureNote {
    /// There are bytes before the header; `shift` is what the file's own offsets are counted from.
    HeaderOffset {
        /// Offset of `%PDF-`.
        offset: u64,
        /// Added to every offset in the file: the header's offset, or 0.
        shift: u64,
    },
    /// The cross-reference was unusable and was rebuilt by scanning the file. Revisions cannot be
    /// told apart then.
    Rebuilt {
        /// Why.
        reason: PdfError,
    },
    /// `Prev` leads back to a section that was read already.
    PreviousLoop {
        /// Offset of that section.
        offset: u64,
    },
    /// The stream that a hybrid section names cannot be read; its objects are missing.
    HybridStreamUnreadable {
        /// Offset of the stream.
        offset: u64,
    },
    /// A section that stands before its predecessor was counted as part of the same revision, as
    /// in linearized files.
    LinearizedSections {
        /// Offset of the section.
        offset: u64,
    },
    /// There is more than white space behind the end of the last revision.
    TrailingBytes {
        /// Offset of the end of the last revision.
        offset: u64,
        /// Number of bytes behind it.
        count: u64,
    },
}

/// How a file is encrypted (ISO 32000-2, 7.6.2).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Encryption {
    /// The security handler, usually `Standard`.
    pub filter: String,
    /// Algorithm version (`V`).
    pub version: i64,
    /// Revision of the handler (`R`).
    pub revision: i64,
    /// Permission bits (`P`).
    pub permissions: i64,
}

pub(crate) struct Inner {
    pub(crate) raw: Arc<Raw>,
    pub(crate) table: Table,
    pub(crate) notes: Vec<StructureNote>,
    pub(crate) shift: u64,
    pub(crate) is_rebuilt: bool,
    header_version: (u8, u8),
    encryption: Option<Encryption>,
    object_streams: Mutex<StreamCache>,
}

/// A PDF document, read by position. Cloning is cheap.
///
/// The methods look at the newest revision; [`Document::at_revision`] looks at an older one.
#[derive(Clone)]
pub struct Document {
    pub(crate) inner: Arc<Inner>,
}

impl std::fmt::Debug for Document {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Document")
            .field("len", &self.len())
            .field("revisions", &self.revisions().len())
            .field("notes", &self.inner.notes)
            .finish_non_exhaustive()
    }
}

impl Document {
    /// Opens a document with the default [`Limits`].
    ///
    /// An encrypted document opens too; see [`Document::encryption`].
    ///
    /// # Errors
    /// `NotPdf` without a header, `Corrupt` when even a scan finds no catalog and page tree,
    /// `LimitExceeded`, `Io`.
    pub fn open(source: impl Source + 'static) -> Result<Document> {
        Self::open_shared(Arc::new(source), Limits::default())
    }

    /// Opens the file at `path`.
    ///
    /// # Errors
    /// As [`Document::open`].
    pub fn open_path(path: impl AsRef<Path>) -> Result<Document> {
        Self::open(FileSource::open(path)?)
    }

    /// Opens an open file.
    ///
    /// # Errors
    /// As [`Document::open`].
    pub fn open_file(file: File) -> Result<Document> {
        Self::open(FileSource::new(file)?)
    }

    /// Opens bytes in memory, which are shared, not copied.
    ///
    /// # Errors
    /// As [`Document::open`].
    pub fn from_bytes(bytes: impl Into<Bytes>) -> Result<Document> {
        Self::open(bytes.into())
    }

    /// Opens a shared source with limits of your own.
    ///
    /// # Errors
    /// As [`Document::open`].
    pub fn open_shared(source: SharedSource, limits: Limits) -> Result<Document> {
        let work = Work::for_reading(&limits, source.len());
        Self::open_within(source, limits, &work)
    }

    /// Opens a shared source; all that is ever read of it counts as `work`.
    ///
    /// # Errors
    /// As [`Document::open`].
    pub fn open_within(source: SharedSource, limits: Limits, work: &Work) -> Result<Document> {
        let raw = Arc::new(Raw::new(source, limits, work.clone()));
        let header = header(&raw)?;
        let opened =
            newest_section(&raw).and_then(|start| Self::by_cross_reference(&raw, &header, start));
        match opened {
            Err(reason)
                if !matches!(reason.kind(), PdfErrorKind::Io | PdfErrorKind::LimitExceeded) =>
            {
                Self::by_scan(&raw, &header, reason)
            }
            other => other,
        }
    }

    fn by_cross_reference(raw: &Arc<Raw>, header: &Header, start: u64) -> Result<Document> {
        let lost = || PdfError::corrupt("startxref leads nowhere");
        let mut result = Err(lost());
        // Where bytes stand before the header, offsets count from it or from the first byte.
        for shift in [Some(header.offset), (header.offset > 0).then_some(0)].into_iter().flatten() {
            result = start
                .checked_add(shift)
                .ok_or_else(lost)
                .and_then(|at| xref::load(raw, at, shift))
                .and_then(|chain| Self::assemble(raw, header, shift, chain, Vec::new()));
            if result.is_ok() {
                break;
            }
        }
        result
    }

    fn by_scan(raw: &Arc<Raw>, header: &Header, reason: PdfError) -> Result<Document> {
        let section = xref::rebuild(raw)?;
        let chain = Chain { sections: vec![section], notes: Vec::new() };
        let notes = vec![StructureNote::Rebuilt { reason }];
        Self::assemble(raw, header, 0, chain, notes)
    }

    /// Builds the document and looks whether its catalog and page tree can be read.
    fn assemble(
        raw: &Arc<Raw>,
        header: &Header,
        shift: u64,
        chain: Chain,
        mut notes: Vec<StructureNote>,
    ) -> Result<Document> {
        let is_rebuilt = notes.iter().any(|n| matches!(n, StructureNote::Rebuilt { .. }));
        if header.offset > 0 {
            notes.push(StructureNote::HeaderOffset { offset: header.offset, shift });
        }
        let table = Table::new(raw, chain, &mut notes)?;
        let mut inner = Inner {
            raw: raw.clone(),
            table,
            notes,
            shift,
            is_rebuilt,
            header_version: header.version,
            encryption: None,
            object_streams: Mutex::new(StreamCache::default()),
        };
        inner.check()?;
        Ok(Document { inner: Arc::new(inner) })
    }

    /// The newest revision.
    pub fn head(&self) -> View<'_> {
        self.inner.head()
    }

    /// The document as it was in revision `index` (0 is the oldest); `None` when there is no such
    /// revision.
    pub fn at_revision(&self, index: usize) -> Option<View<'_>> {
        let revision = self.inner.table.revisions.get(index)?;
        Some(View::new(&self.inner, revision))
    }

    /// The revisions from the oldest to the newest; never empty.
    pub fn revisions(&self) -> &[Revision] {
        &self.inner.table.revisions
    }

    /// The objects a revision defines or frees, by object number.
    pub fn changes<'d>(&'d self, revision: &Revision) -> impl Iterator<Item = Change> + use<'d> {
        self.inner.table.changes(revision)
    }

    /// What is odd about the file's structure.
    pub fn structure_notes(&self) -> &[StructureNote] {
        &self.inner.notes
    }

    /// Whether the cross-reference was unusable and was rebuilt by scanning.
    pub fn is_rebuilt(&self) -> bool {
        self.inner.is_rebuilt
    }

    /// What the file's own offsets are counted from: 0, or the offset of the header.
    pub fn offset_shift(&self) -> u64 {
        self.inner.shift
    }

    /// How the file is encrypted, `None` where it is not.
    pub fn encryption(&self) -> Option<&Encryption> {
        self.inner.encryption.as_ref()
    }

    /// Whether the file is encrypted.
    pub fn is_encrypted(&self) -> bool {
        self.inner.encryption.is_some()
    }

    /// What reading it has cost, and the first limit that was met.
    pub fn work(&self) -> &Work {
        &self.inner.raw.budget
    }

    /// Number of bytes of the file.
    pub fn len(&self) -> u64 {
        self.inner.raw.len
    }

    /// Always false: an empty file is no document.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes of the file.
    pub fn source(&self) -> &SharedSource {
        &self.inner.raw.source
    }

    /// PDF version as major and minor number: that of the catalog where it is higher than that of
    /// the header.
    pub fn version(&self) -> (u8, u8) {
        let catalog = self.catalog().ok();
        let named = catalog.and_then(|c| c.get("Version")?.as_name().map(|n| n.to_text()));
        let named = named.and_then(|text| parse_version(text.as_bytes()));
        named.map_or(self.inner.header_version, |v| v.max(self.inner.header_version))
    }

    /// The trailer dictionary of the newest revision.
    pub fn trailer(&self) -> &Dict {
        self.inner.head().trailer()
    }

    /// See [`View::catalog`].
    ///
    /// # Errors
    /// As there.
    pub fn catalog(&self) -> Result<Dict> {
        self.head().catalog()
    }

    /// See [`View::get`].
    ///
    /// # Errors
    /// As there.
    pub fn get(&self, id: ObjRef) -> Result<IndirectObject> {
        self.head().get(id)
    }

    /// See [`View::resolve`].
    ///
    /// # Errors
    /// As there.
    pub fn resolve(&self, object: &Object) -> Result<Object> {
        self.head().resolve(object)
    }

    /// See [`View::lookup`].
    ///
    /// # Errors
    /// As there.
    pub fn lookup(&self, dict: &Dict, key: &str) -> Result<Object> {
        self.head().lookup(dict, key)
    }

    /// See [`View::pages`].
    pub fn pages(&self) -> Pages<'_> {
        self.head().pages()
    }

    /// See [`View::page_count`].
    ///
    /// # Errors
    /// As there.
    pub fn page_count(&self) -> Result<usize> {
        self.head().page_count()
    }

    /// See [`View::stream_data`].
    ///
    /// # Errors
    /// As there.
    pub fn stream_data(&self, stream: &Stream, cap: usize) -> Result<Decoded> {
        self.head().stream_data(stream, cap)
    }

    /// See [`View::signature_fields`].
    ///
    /// # Errors
    /// As there.
    pub fn signature_fields(&self) -> Result<Vec<SignatureField>> {
        self.head().signature_fields()
    }

    /// The signature fields that hold a signature, by the end of what each one covers.
    ///
    /// # Errors
    /// As [`View::signature_fields`].
    pub fn signatures(&self) -> Result<Vec<SignatureField>> {
        self.head().signatures()
    }
}

impl Inner {
    fn head(&self) -> View<'_> {
        match self.table.revisions.last() {
            Some(revision) => View::new(self, revision),
            None => View::empty(self),
        }
    }

    pub(crate) fn is_encrypted(&self) -> bool {
        self.encryption.is_some()
    }

    fn check(&mut self) -> Result<()> {
        self.encryption = self.find_encryption();
        self.note_trailing_bytes()?;
        if self.encryption.is_some() {
            return Ok(());
        }
        let head = self.head();
        let catalog = head.catalog()?;
        match head.lookup(&catalog, "Pages")? {
            Object::Dict(_) => {}
            _ => return Err(PdfError::corrupt("the catalog has no page tree")),
        }
        // A table whose offsets are off shows at the first page at the latest.
        match head.pages().next() {
            Some(Err(error)) if !self.is_rebuilt && error.offset().is_some() => Err(error),
            _ => Ok(()),
        }
    }

    fn find_encryption(&self) -> Option<Encryption> {
        let head = self.head();
        let value = head.trailer().get("Encrypt").filter(|v| !v.is_null())?;
        // What cannot be read is still taken for encryption.
        let dict = head.resolve(value).ok();
        let dict = dict.as_ref().and_then(Object::as_dict);
        let number = |key: &str| dict.and_then(|d| d.get(key)?.as_int()).unwrap_or(0);
        let filter = dict.and_then(|d| Some(d.get("Filter")?.as_name()?.to_text()));
        Some(Encryption {
            filter: filter.unwrap_or_default(),
            version: number("V"),
            revision: number("R"),
            permissions: number("P"),
        })
    }

    fn note_trailing_bytes(&mut self) -> Result<()> {
        let Some(last) = self.table.revisions.last() else { return Ok(()) };
        let (end, len) = (last.end, self.raw.len);
        let start = read_range(&*self.raw.source, end, end.saturating_add(1024).min(len))?;
        if start.iter().any(|b| !is_space(*b)) {
            let count = len.saturating_sub(end);
            self.notes.push(StructureNote::TrailingBytes { offset: end, count });
        }
        Ok(())
    }

    /// The decoded object stream at `offset`, made by `make` unless it is at hand.
    pub(crate) fn object_stream(
        &self,
        offset: u64,
        make: impl FnOnce() -> Result<ObjectStream>,
    ) -> Result<Arc<ObjectStream>> {
        let lock = || self.object_streams.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = lock().get(offset) {
            return Ok(found);
        }
        let made = Arc::new(make()?);
        lock().put(offset, made.clone(), self.raw.limits.object_stream_cache);
        Ok(made)
    }

    pub(crate) fn location(&self, number: u32, section: u16) -> Option<(ObjRef, Location)> {
        self.table.lookup(number, section).map(|e| (e.id(), e.location()))
    }
}

/// Object streams used last, the newest at the end.
#[derive(Default)]
struct StreamCache {
    streams: Vec<(u64, Arc<ObjectStream>)>,
}

impl StreamCache {
    fn get(&mut self, offset: u64) -> Option<Arc<ObjectStream>> {
        let at = self.streams.iter().position(|(o, _)| *o == offset)?;
        let found = self.streams.remove(at);
        let stream = found.1.clone();
        self.streams.push(found);
        Some(stream)
    }

    /// Keeps the newest and, up to a size, the two largest besides: an update that lies in one
    /// large stream and changes what lies in another one decodes each of them once.
    fn put(&mut self, offset: u64, stream: Arc<ObjectStream>, cap: usize) {
        self.streams.push((offset, stream));
        while let Some(oldest) = self.superfluous(cap) {
            self.streams.remove(oldest);
        }
    }

    /// The oldest stream that need not be kept, when those take more than `cap` or are too many.
    fn superfluous(&self, cap: usize) -> Option<usize> {
        let cost = |place: &usize| self.streams.get(*place).map_or(0, |(_, s)| s.cost());
        let mut places: Vec<usize> = (0..self.streams.len().saturating_sub(1)).collect();
        // Of streams of one size, the newer ones count as the larger.
        places.sort_by_key(|place| (cost(place), *place));
        let mut pinned = 0;
        for _ in 0..2 {
            pinned += places.last().map_or(0, cost);
            if pinned <= MAX_PINNED {
                places.pop();
            }
        }
        let total: usize = places.iter().map(cost).sum();
        let is_full = total > cap || self.streams.len() > MAX_STREAMS;
        places.into_iter().min().filter(|_| is_full)
    }
}

/// Bytes that the two largest may take to be kept besides the others.
const MAX_PINNED: usize = 40 << 20;
/// Decoded object streams that are kept at most.
const MAX_STREAMS: usize = 64;

struct Header {
    offset: u64,
    version: (u8, u8),
}

fn header(raw: &Raw) -> Result<Header> {
    let start = read_range(&*raw.source, 0, HEADER_REACH + 16)?;
    let at = memchr::memmem::find(&start, b"%PDF-").ok_or_else(|| {
        PdfError::new(PdfErrorKind::NotPdf, "there is no %PDF- header in the first 1024 bytes")
    })?;
    let version = parse_version(start.get(at + 5..).unwrap_or_default());
    Ok(Header { offset: at as u64, version: version.unwrap_or((1, 0)) })
}

fn parse_version(text: &[u8]) -> Option<(u8, u8)> {
    match text {
        [major @ b'0'..=b'9', b'.', minor @ b'0'..=b'9', ..] => Some((major - b'0', minor - b'0')),
        _ => None,
    }
}

/// The offset that the last `startxref` of the file gives.
fn newest_section(raw: &Raw) -> Result<u64> {
    for reach in [2048, 256 << 10] {
        if let Some(at) = raw.find_last(b"startxref", raw.len, reach)? {
            let found = raw.startxref_at(at)?;
            let value = found.and_then(|f| u64::try_from(f.value).ok());
            return value.ok_or_else(|| PdfError::corrupt("startxref has no offset").at(at));
        }
    }
    Err(PdfError::corrupt("there is no startxref near the end of the file"))
}
