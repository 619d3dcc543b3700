//! A document as it was in one revision.

use std::io::Read;

use super::document::Inner;
use super::error::{PdfError, PdfErrorKind, Result};
use super::filter;
use super::object::{Dict, IndirectObject, ObjRef, Object, Stream};
use super::pages::Pages;
use super::revision::Revision;
use super::source::RangeReader;
use super::stream::{self, Decoded, ObjectStream};
use super::xref::Location;

/// A reference that leads to a reference is followed this far.
const MAX_HOPS: usize = 16;

/// Units of work for finding an object, besides what parsing it takes.
const LOOKUP: u64 = 48;

static NO_TRAILER: Dict = Dict::EMPTY;

/// One revision of a document, resolved as a reader of that revision would.
#[derive(Clone, Copy)]
pub struct View<'d> {
    pub(crate) inner: &'d Inner,
    revision: Option<&'d Revision>,
    section: u16,
}

impl<'d> View<'d> {
    pub(crate) fn new(inner: &'d Inner, revision: &'d Revision) -> Self {
        View { inner, revision: Some(revision), section: revision.last_section }
    }

    pub(crate) fn empty(inner: &'d Inner) -> Self {
        View { inner, revision: None, section: 0 }
    }

    /// The revision's trailer dictionary.
    pub fn trailer(&self) -> &'d Dict {
        self.revision.map_or(&NO_TRAILER, |r| &r.trailer)
    }

    /// Position of the revision, 0 is the oldest.
    pub fn revision_index(&self) -> usize {
        self.revision.map_or(0, |r| r.index)
    }

    /// The catalog's reference.
    ///
    /// # Errors
    /// `Corrupt` where the trailer names none.
    pub fn catalog_ref(&self) -> Result<ObjRef> {
        let root = self.trailer().get("Root").and_then(Object::as_ref);
        root.ok_or_else(|| PdfError::corrupt("the trailer names no catalog"))
    }

    /// The document catalog.
    ///
    /// # Errors
    /// `Corrupt` where it is missing or no dictionary.
    pub fn catalog(&self) -> Result<Dict> {
        match self.get(self.catalog_ref()?)?.object {
            Object::Dict(dict) => Ok(dict),
            other => {
                let what = other.type_name();
                Err(PdfError::corrupt(format!("the catalog is a {what}, not a dictionary")))
            }
        }
    }

    /// Where an object is, `None` when the number is not in the cross-reference.
    pub fn location(&self, number: u32) -> Option<(ObjRef, Location)> {
        self.inner.location(number, self.section)
    }

    /// Every object number of the revision with its location, free ones included.
    pub fn locations(&self) -> impl Iterator<Item = (ObjRef, Location)> + use<'d> {
        self.inner.table.current(self.section).map(|e| (e.id(), e.location()))
    }

    /// The same, objects of their own by number and then those in object streams, one stream after
    /// the other: whoever reads them all decodes each stream once.
    pub(crate) fn locations_as_stored(&self) -> impl Iterator<Item = (ObjRef, Location)> + use<'d> {
        let in_stream = |location: Location| match location {
            Location::InStream { container, index } => Some((container, index)),
            _ => None,
        };
        let mut packed: Vec<(u32, u32, u32)> = self
            .locations()
            .filter_map(|(id, location)| in_stream(location).map(|(c, i)| (c, i, id.number)))
            .collect();
        packed.sort_unstable();
        let packed = packed.into_iter().map(|(container, index, number)| {
            (ObjRef::new(number, 0), Location::InStream { container, index })
        });
        self.locations().filter(move |(_, location)| in_stream(*location).is_none()).chain(packed)
    }

    /// The highest number below `limit` that any object of the revision refers to, whether there
    /// is an object of this number or not. What cannot be read refers to nothing.
    ///
    /// # Errors
    /// `LimitExceeded`, `Io`.
    pub(crate) fn highest_reference(&self, limit: u32) -> Result<u32> {
        let mut highest = 0;
        for entry in self.trailer().iter() {
            note_references(&entry.value, limit, &mut highest);
        }
        for (id, location) in self.locations_as_stored() {
            if location == Location::Free {
                continue;
            }
            match self.get(id) {
                Ok(found) => note_references(&found.object, limit, &mut highest),
                Err(error) => match error.kind() {
                    PdfErrorKind::LimitExceeded | PdfErrorKind::Io => return Err(error),
                    _ => {}
                },
            }
        }
        Ok(highest)
    }

    /// The indirect object `id`; a missing or freed one is null, as the standard says (7.3.10).
    ///
    /// # Errors
    /// `Corrupt` when its location holds no such object, `Encrypted` when it lies in an encrypted
    /// object stream, `LimitExceeded`, `Io`.
    pub fn get(&self, id: ObjRef) -> Result<IndirectObject> {
        let work = &self.inner.raw.budget;
        work.spend(LOOKUP)?;
        self.find(id).inspect_err(|error| work.note(error))
    }

    /// Counts the work of copying a value of this weight.
    pub(crate) fn copied(&self, weight: usize) -> Result<()> {
        self.inner.raw.budget.spend(weight as u64 / 16)
    }

    fn find(&self, id: ObjRef) -> Result<IndirectObject> {
        let absent = IndirectObject { id, object: Object::Null, span: None, container: None };
        let Some((found, location)) = self.location(id.number) else { return Ok(absent) };
        if found.generation != id.generation {
            return Ok(absent);
        }
        match location {
            Location::Free => Ok(absent),
            Location::At { offset } => self.object_at(id, offset),
            Location::InStream { container, index } => {
                let (container, objects) = self.object_stream(container)?;
                let object = objects.object(&self.inner.raw, id.number, index)?;
                Ok(IndirectObject { id, object, span: None, container: Some(container) })
            }
        }
    }

    fn object_at(&self, id: ObjRef, offset: u64) -> Result<IndirectObject> {
        let raw = &self.inner.raw;
        let mut found = raw.object_at(offset, self.inner.table.bound(offset), &|length| {
            self.stream_length(length, true)
        })?;
        if found.id.number != id.number {
            let text = format!("object {} is not where the cross-reference puts it", id.number);
            return Err(PdfError::corrupt(text).at(offset));
        }
        // White space before the object number is not part of it.
        if let Some(span) = &mut found.span {
            span.start = offset;
        }
        Ok(found)
    }

    /// A stream length; `in_streams` says whether object streams may be looked into for it.
    fn stream_length(&self, id: ObjRef, in_streams: bool) -> Option<u64> {
        match self.location(id.number)?.1 {
            Location::Free => None,
            Location::At { offset } => self.inner.raw.int_at(offset, id),
            Location::InStream { container, index } if in_streams => {
                let (_, objects) = self.object_stream(container).ok()?;
                let value = objects.object(&self.inner.raw, id.number, index).ok()?;
                u64::try_from(value.as_int()?).ok()
            }
            Location::InStream { .. } => None,
        }
    }

    fn object_stream(&self, number: u32) -> Result<(ObjRef, std::sync::Arc<ObjectStream>)> {
        let Some((id, Location::At { offset })) = self.location(number) else {
            return Err(PdfError::corrupt(format!("object stream {number} is missing")));
        };
        let raw = &self.inner.raw;
        let make = || {
            if self.inner.is_encrypted() {
                return Err(PdfError::encrypted());
            }
            let found = raw.object_at(offset, self.inner.table.bound(offset), &|length| {
                self.stream_length(length, false)
            })?;
            let stream = found.object.as_stream().filter(|_| found.id.number == number);
            let stream = stream.ok_or_else(|| {
                PdfError::corrupt(format!("object {number} is no object stream")).at(offset)
            })?;
            let filters = stream::direct_filters(&stream.dict)?;
            ObjectStream::read(raw, stream, &filters)
        };
        Ok((id, self.inner.object_stream(offset, make)?))
    }

    /// The object itself, or what a reference leads to.
    ///
    /// # Errors
    /// As [`View::get`]; `Corrupt` when references lead to references without end.
    pub fn resolve(&self, object: &Object) -> Result<Object> {
        let Object::Ref(first) = object else { return Ok(object.clone()) };
        let mut id = *first;
        for _ in 0..MAX_HOPS {
            match self.get(id)?.object {
                Object::Ref(next) => id = next,
                found => return Ok(found),
            }
        }
        Err(PdfError::corrupt(format!("the reference {first} leads to references without end")))
    }

    /// The resolved value of `key`, null where it is absent.
    ///
    /// # Errors
    /// As [`View::resolve`].
    pub fn lookup(&self, dict: &Dict, key: &str) -> Result<Object> {
        dict.get(key).map_or(Ok(Object::Null), |value| self.resolve(value))
    }

    /// The resolved value of `key` where it is a dictionary (or a stream's one).
    ///
    /// # Errors
    /// As [`View::resolve`].
    pub fn lookup_dict(&self, dict: &Dict, key: &str) -> Result<Option<Dict>> {
        Ok(match self.lookup(dict, key)? {
            Object::Dict(found) => Some(found),
            Object::Stream(stream) => Some(stream.dict),
            _ => None,
        })
    }

    /// The resolved value of `key` where it is an array, else an empty one.
    ///
    /// # Errors
    /// As [`View::resolve`].
    pub fn lookup_array(&self, dict: &Dict, key: &str) -> Result<Vec<Object>> {
        Ok(match self.lookup(dict, key)? {
            Object::Array(values) => values,
            _ => Vec::new(),
        })
    }

    /// The pages in order. A damaged branch gives one error and is passed over.
    pub fn pages(&self) -> Pages<'d> {
        Pages::new(*self)
    }

    /// Number of pages, by walking the page tree: `Count` is not believed.
    ///
    /// # Errors
    /// `Corrupt` where the tree is damaged, `LimitExceeded`.
    pub fn page_count(&self) -> Result<usize> {
        let mut count = 0;
        for page in self.pages() {
            page?;
            count += 1;
        }
        Ok(count)
    }

    /// A reader over the encoded data of a stream.
    pub fn encoded_reader(&self, stream: &Stream) -> Box<dyn Read + Send> {
        let source = self.inner.raw.source.clone();
        Box::new(RangeReader::new(source, stream.data.start, stream.data.end))
    }

    /// A reader over the decoded data of a stream; damage is an error of kind `InvalidData` behind
    /// what could be decoded. Nothing but the document's [`super::Work`] limits how much it gives.
    ///
    /// # Errors
    /// `Unsupported` for image filters and unknown ones, `Encrypted`, `Corrupt`.
    pub fn stream_reader(&self, stream: &Stream) -> Result<Box<dyn Read + Send>> {
        if self.inner.is_encrypted() {
            return Err(PdfError::encrypted());
        }
        let resolve = |object: &Object| self.resolve(object).unwrap_or_default();
        let filters = stream::filters(&stream.dict, &resolve)?;
        Ok(filter::decoder(self.encoded_reader(stream), &filters, &self.inner.raw.budget))
    }

    /// The decoded data of a stream, at most `cap` bytes.
    ///
    /// # Errors
    /// As [`View::stream_reader`]; `LimitExceeded` when there is more.
    pub fn stream_data(&self, stream: &Stream, cap: usize) -> Result<Decoded> {
        stream::read_decoded(self.stream_reader(stream)?, cap)
    }
}

/// Raises `highest` to the numbers below `limit` that a value refers to.
fn note_references(value: &Object, limit: u32, highest: &mut u32) {
    let mut of_dict =
        |dict: &Dict| dict.iter().for_each(|entry| note_references(&entry.value, limit, highest));
    match value {
        Object::Ref(id) if id.number < limit => *highest = id.number.max(*highest),
        Object::Array(values) => {
            values.iter().for_each(|value| note_references(value, limit, highest));
        }
        Object::Dict(dict) => of_dict(dict),
        Object::Stream(stream) => of_dict(&stream.dict),
        _ => {}
    }
}
