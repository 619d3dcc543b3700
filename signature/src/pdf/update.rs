//! Incremental updates (ISO 32000-2, 7.5.6): new and changed objects behind an untouched file.

use std::collections::BTreeMap;

use super::document::Document;
use super::error::{PdfError, Result};
use super::filter::deflate;
use super::object::{Dict, ObjRef, Object, PdfString};
use super::serialize::{write_entries, write_object, write_text};
use super::xref::{HIGHEST_NUMBER, Location, SectionKind};

/// A cross-reference table has ten digits for an offset.
const TABLE_OFFSET_MAX: u64 = 9_999_999_999;

/// What stands between `obj` and `endobj`.
enum Body {
    Object(Object),
    /// Bytes that are written as they are.
    Bytes(Vec<u8>),
}

/// An update that is being put together.
pub(crate) struct Update<'d> {
    document: &'d Document,
    objects: BTreeMap<u32, (u16, Body)>,
    next: u32,
}

/// The bytes of an update and where each object's body begins in them.
pub(crate) struct Appendix {
    pub(crate) bytes: Vec<u8>,
    pub(crate) bodies: BTreeMap<u32, usize>,
}

/// References to the last so many numbers are passed over: above them would be no room.
const ROOM: u32 = 10_000;

impl<'d> Update<'d> {
    /// An empty update of the document's newest revision.
    pub(crate) fn new(document: &'d Document) -> Result<Self> {
        if document.is_encrypted() {
            return Err(PdfError::encrypted());
        }
        let size = document.trailer().get("Size").and_then(Object::as_int);
        let size = size.and_then(|s| u32::try_from(s).ok()).filter(|s| *s <= HIGHEST_NUMBER);
        let highest = document.inner.table.highest_number();
        // Documents refer to objects that do not exist. A new one under such a number would be
        // drawn into what it has nothing to do with.
        let referred = document.head().highest_reference(HIGHEST_NUMBER - ROOM)?;
        let next = size.unwrap_or(0).max(highest.max(referred).saturating_add(1)).max(1);
        Ok(Update { document, objects: BTreeMap::new(), next })
    }

    pub(crate) fn document(&self) -> &'d Document {
        self.document
    }

    /// Reserves a number for a new object.
    pub(crate) fn reserve(&mut self) -> Result<ObjRef> {
        let number = self.next;
        if number > HIGHEST_NUMBER {
            return Err(PdfError::limit("the document has no object number left"));
        }
        self.next += 1;
        Ok(ObjRef::new(number, 0))
    }

    /// Adds a new object.
    pub(crate) fn add(&mut self, object: impl Into<Object>) -> Result<ObjRef> {
        let id = self.reserve()?;
        self.set(id, object.into());
        Ok(id)
    }

    /// Adds a new stream, compressed where that makes it smaller.
    pub(crate) fn add_stream(&mut self, dict: Dict, data: &[u8]) -> Result<ObjRef> {
        let id = self.reserve()?;
        let body = stream_body(dict, data)?;
        self.objects.insert(id.number, (id.generation, Body::Bytes(body)));
        Ok(id)
    }

    /// Sets an object, new or of the document.
    pub(crate) fn set(&mut self, id: ObjRef, object: Object) {
        self.objects.insert(id.number, (id.generation, Body::Object(object)));
    }

    /// Sets an object to bytes that are written as they are.
    pub(crate) fn set_bytes(&mut self, id: ObjRef, bytes: Vec<u8>) {
        self.objects.insert(id.number, (id.generation, Body::Bytes(bytes)));
    }

    /// The object as it will be.
    pub(crate) fn current(&self, id: ObjRef) -> Result<Object> {
        match self.objects.get(&id.number) {
            Some((_, Body::Object(object))) => Ok(object.clone()),
            Some((_, Body::Bytes(_))) => Ok(Object::Null),
            None => Ok(self.document.get(id)?.object),
        }
    }

    /// The value or what it refers to, as it will be.
    pub(crate) fn resolve(&self, object: &Object) -> Result<Object> {
        match object.as_ref() {
            Some(id) if self.objects.contains_key(&id.number) => self.current(id),
            _ => self.document.resolve(object),
        }
    }

    /// The object that holds the value a reference leads to; `None` for a direct value.
    pub(crate) fn holder(&self, object: &Object) -> Result<Option<ObjRef>> {
        let Some(mut id) = object.as_ref() else { return Ok(None) };
        for _ in 0..16 {
            match self.current(id)? {
                Object::Ref(next) => id = next,
                _ => return Ok(Some(id)),
            }
        }
        Err(PdfError::corrupt(format!("the reference {id} leads to references without end")))
    }

    /// Changes the dictionary object `id`.
    pub(crate) fn edit(&mut self, id: ObjRef, change: impl FnOnce(&mut Dict)) -> Result<()> {
        match self.current(id)? {
            Object::Dict(mut dict) => {
                change(&mut dict);
                self.set(id, Object::Dict(dict));
                Ok(())
            }
            other => {
                let what = other.type_name();
                Err(PdfError::corrupt(format!(
                    "object {id} is a {what} where a dictionary belongs"
                )))
            }
        }
    }

    /// Appends to the array under `key` of the dictionary object `owner`: in place where the array
    /// is an object of its own, which keeps the owner unchanged.
    pub(crate) fn push(&mut self, owner: ObjRef, key: &str, value: Object) -> Result<()> {
        let dict = self.current(owner)?;
        let held = dict.as_dict().and_then(|d| d.get(key)).cloned().unwrap_or_default();
        if let Some(id) = self.holder(&held)?
            && let Object::Array(mut values) = self.resolve(&held)?
        {
            values.push(value);
            self.set(id, Object::Array(values));
            return Ok(());
        }
        self.edit(owner, |dict| {
            let mut values = match held {
                Object::Array(values) => values,
                _ => Vec::new(),
            };
            values.push(value);
            dict.set(key, values);
        })
    }

    /// Writes the update, in the style of the section it follows.
    pub(crate) fn finish(self) -> Result<Appendix> {
        let document = self.document;
        let last = document.revisions().last();
        let kind = last.map_or(SectionKind::Rebuilt, |r| r.kind);
        let mut writer = Writer {
            start: document.len(),
            shift: self.shift(),
            out: Vec::new(),
            offsets: BTreeMap::new(),
            bodies: BTreeMap::new(),
        };
        writer.separate(document)?;
        for (number, (generation, body)) in &self.objects {
            writer.object(*number, *generation, body);
        }
        let mut trailer = self.trailer(&writer.out);
        match kind {
            SectionKind::Table | SectionKind::Hybrid => {
                trailer.set("Size", i64::from(self.next));
                self.set_previous(&mut trailer, writer.shift)?;
                writer.table(&trailer)?;
            }
            SectionKind::Stream => {
                trailer.set("Size", i64::from(self.next) + 1);
                self.set_previous(&mut trailer, writer.shift)?;
                writer.stream(self.next, trailer)?;
            }
            SectionKind::Rebuilt => {
                trailer.set("Size", i64::from(self.next) + 1);
                writer.take_all(document)?;
                writer.stream(self.next, trailer)?;
            }
        }
        Ok(Appendix { bytes: writer.out, bodies: writer.bodies })
    }

    /// What the offsets of the update are counted from. A rebuilt file has no offsets to agree
    /// with: there they count from the header, as the standard says, unless an object stands
    /// before the header and could not be listed.
    fn shift(&self) -> u64 {
        let header = self.document.structure_notes().iter().find_map(|note| match note {
            super::StructureNote::HeaderOffset { offset, .. } => Some(*offset),
            _ => None,
        });
        match header {
            Some(offset) if self.document.is_rebuilt() && self.all_lie_behind(offset) => offset,
            _ => self.document.offset_shift(),
        }
    }

    fn all_lie_behind(&self, start: u64) -> bool {
        let before = |at: Location| matches!(at, Location::At { offset } if offset <= start);
        !self.document.head().locations().any(|(_, location)| before(location))
    }

    fn set_previous(&self, trailer: &mut Dict, shift: u64) -> Result<()> {
        let last = self.document.revisions().last().map(|r| r.xref_offset);
        let offset = last.and_then(|o| o.checked_sub(shift)).and_then(|o| i64::try_from(o).ok());
        let offset = offset.ok_or_else(|| PdfError::corrupt("the last section has no offset"))?;
        trailer.set("Prev", offset);
        Ok(())
    }

    /// The last trailer without what belongs to its own section, and with a new second identifier.
    fn trailer(&self, written: &[u8]) -> Dict {
        let mut trailer = self.document.trailer().clone();
        for key in [
            "Prev",
            "XRefStm",
            "Type",
            "W",
            "Index",
            "Length",
            "Filter",
            "DecodeParms",
            "F",
            "FFilter",
            "FDecodeParms",
            "DL",
        ] {
            trailer.remove(key);
        }
        let id = trailer.get("ID").map(|id| self.document.resolve(id).unwrap_or_default());
        if let Some(Object::Array(mut parts)) = id
            && let [Object::String(_), Object::String(second)] = parts.as_mut_slice()
        {
            *second = PdfString::hex(identifier(second, self.document.len(), written));
            trailer.set("ID", parts);
        }
        trailer
    }
}

/// A new file identifier (14.4): changes with the file, and needs no clock.
fn identifier(previous: &PdfString, len: u64, written: &[u8]) -> Vec<u8> {
    use sha2::{Digest, Sha256};
    let mut hash = Sha256::new();
    hash.update(&previous.bytes);
    hash.update(len.to_be_bytes());
    hash.update(written);
    hash.finalize().iter().take(16).copied().collect()
}

fn stream_body(mut dict: Dict, data: &[u8]) -> Result<Vec<u8>> {
    let packed = deflate(data)?;
    let data = if packed.len() + 20 < data.len() {
        dict.set("Filter", Object::name("FlateDecode"));
        &*packed
    } else {
        data
    };
    dict.set("Length", i64::try_from(data.len()).unwrap_or(i64::MAX));
    let mut body = b"<<".to_vec();
    write_entries(&dict, &mut body);
    body.extend(b">>\nstream\n");
    body.extend(data);
    body.extend(b"\nendstream");
    Ok(body)
}

struct Writer {
    start: u64,
    shift: u64,
    out: Vec<u8>,
    /// Generation and location of every object that the new section lists.
    offsets: BTreeMap<u32, (u16, Location)>,
    bodies: BTreeMap<u32, usize>,
}

impl Writer {
    fn offset(&self) -> u64 {
        self.start + self.out.len() as u64
    }

    /// An end of line where the file has none at its end.
    fn separate(&mut self, document: &Document) -> Result<()> {
        let last = document.len().saturating_sub(1);
        let tail = super::source::read_range(&**document.source(), last, document.len())?;
        if !matches!(tail.first(), Some(b'\n' | b'\r')) {
            self.out.push(b'\n');
        }
        Ok(())
    }

    fn object(&mut self, number: u32, generation: u16, body: &Body) {
        let offset = self.offset();
        self.offsets.insert(number, (generation, Location::At { offset }));
        write_text(&mut self.out, format_args!("{number} {generation} obj\n"));
        self.bodies.insert(number, self.out.len());
        match body {
            Body::Object(object) => write_object(object, &mut self.out),
            Body::Bytes(bytes) => self.out.extend(bytes),
        }
        self.out.extend(b"\nendobj\n");
    }

    /// Lists the objects of the document too: for a file whose own cross-reference is unusable.
    fn take_all(&mut self, document: &Document) -> Result<()> {
        for (id, location) in document.head().locations() {
            if self.offsets.contains_key(&id.number) {
                continue;
            }
            if location == (Location::At { offset: 0 }) {
                // Readers take the offset 0 for none.
                let what = format!("object {id} begins with the file and cannot be listed");
                return Err(PdfError::corrupt(what));
            }
            self.offsets.insert(id.number, (id.generation, location));
        }
        self.offsets.insert(0, (u16::MAX, Location::Free));
        Ok(())
    }

    /// The listed objects as runs of consecutive numbers.
    fn runs(&self) -> Vec<(u32, Vec<(u16, Location)>)> {
        let mut runs: Vec<(u32, Vec<(u16, Location)>)> = Vec::new();
        for (number, entry) in &self.offsets {
            match runs.last_mut() {
                Some((first, run)) if *first as usize + run.len() == *number as usize => {
                    run.push(*entry);
                }
                _ => runs.push((*number, vec![*entry])),
            }
        }
        runs
    }

    fn table(&mut self, trailer: &Dict) -> Result<()> {
        let at = self.offset() - self.shift;
        self.out.extend(b"xref\n");
        for (first, run) in self.runs() {
            write_text(&mut self.out, format_args!("{first} {}\n", run.len()));
            for (generation, location) in run {
                let Location::At { offset } = location else { continue };
                let offset = offset - self.shift;
                if offset > TABLE_OFFSET_MAX {
                    return Err(PdfError::limit(
                        "the file is too large for a cross-reference table",
                    ));
                }
                write_text(&mut self.out, format_args!("{offset:010} {generation:05} n \n"));
            }
        }
        self.out.extend(b"trailer\n");
        write_object(&Object::Dict(trailer.clone()), &mut self.out);
        write_text(&mut self.out, format_args!("\nstartxref\n{at}\n%%EOF\n"));
        Ok(())
    }

    fn stream(&mut self, number: u32, trailer: Dict) -> Result<()> {
        let offset = self.offset();
        let at = offset - self.shift;
        self.offsets.insert(number, (0, Location::At { offset }));
        let widths = self.widths();
        let mut data = Vec::new();
        let mut index = Vec::new();
        for (first, run) in self.runs() {
            index.push(Object::Int(i64::from(first)));
            index.push(Object::Int(i64::try_from(run.len()).unwrap_or(i64::MAX)));
            run.iter().for_each(|(generation, at)| self.row(*generation, *at, widths, &mut data));
        }
        let mut dict = Dict::new().with("Type", Object::name("XRef"));
        for entry in trailer.iter() {
            dict.push(entry.key.clone(), entry.value.clone(), None);
        }
        dict.set("W", vec![1.into(), widths.0.into(), widths.1.into()]);
        dict.set("Index", index);
        write_text(&mut self.out, format_args!("{number} 0 obj\n"));
        let body = stream_body(dict, &data)?;
        self.out.extend(body);
        write_text(&mut self.out, format_args!("\nendobj\nstartxref\n{at}\n%%EOF\n"));
        Ok(())
    }

    /// Bytes that the second and the third field of a row need.
    fn widths(&self) -> (u32, u32) {
        let bytes = |value: u64| (64 - value.leading_zeros()).div_ceil(8);
        let fields = self.offsets.values().map(|(generation, at)| self.fields(*generation, *at));
        fields.fold((2, 2), |(second, third), (_, b, c)| {
            (second.max(bytes(b)), third.max(bytes(u64::from(c))))
        })
    }

    fn fields(&self, generation: u16, location: Location) -> (u8, u64, u32) {
        match location {
            Location::Free => (0, 0, u32::from(generation)),
            Location::At { offset } => {
                (1, offset.saturating_sub(self.shift), u32::from(generation))
            }
            Location::InStream { container, index } => (2, u64::from(container), index),
        }
    }

    fn row(&self, generation: u16, location: Location, widths: (u32, u32), data: &mut Vec<u8>) {
        let (kind, second, third) = self.fields(generation, location);
        data.push(kind);
        data.extend(second.to_be_bytes().iter().skip(8 - widths.0 as usize));
        data.extend(third.to_be_bytes().iter().skip(4 - widths.1 as usize));
    }
}
