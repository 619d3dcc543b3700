//! The one place that knows how PDF files are read: by the reader of the signature crate.
//!
//! Everything else sees [`Value`]: an object with its references followed. All objects are loaded
//! at once, since the conversion looks at each of them.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use bytes::Bytes;
use signdoc_signature::pdf::{self as reader, Document, Limits, Location, ObjRef, Object};

/// No stream of a request needs to become longer than this when it is unpacked.
const MAX_UNPACKED: usize = 64 * 1024 * 1024;
/// How many references may follow one another.
const MAX_HOPS: usize = 64;
/// How deep the page tree may be, and how many pages it may have.
const MAX_TREE_DEPTH: usize = 64;
const MAX_PAGES: usize = 100_000;

/// Why a file could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Unreadable {
    /// It is encrypted in a way that hides its structure.
    Encrypted,
    /// It is not a PDF file, or too damaged.
    Broken(String),
}

/// A PDF file, read whole.
#[derive(Debug)]
pub(crate) struct Pdf {
    document: Document,
    objects: HashMap<ObjRef, Object>,
}

impl Pdf {
    /// Reads a file from memory, rebuilding its cross-reference table when it has to.
    ///
    /// Of an encrypted file the structure can be read, not its strings and streams; one that keeps
    /// objects in encrypted streams is refused. Whether it takes a password is not known here.
    pub(crate) fn read(bytes: &Bytes) -> Result<Self, Unreadable> {
        let broken = |error: reader::PdfError| Unreadable::Broken(error.to_string());
        let mut limits = Limits::default();
        // every object stays in memory, so all of them together are bounded
        limits.work = MAX_UNPACKED as u64;
        let document = Document::open_shared(Arc::new(bytes.clone()), limits).map_err(broken)?;
        let mut objects = HashMap::new();
        for (id, location) in document.head().locations() {
            match location {
                Location::Free => continue,
                Location::InStream { .. } if document.is_encrypted() => {
                    return Err(Unreadable::Encrypted);
                }
                _ => {}
            }
            match document.get(id) {
                Ok(found) => {
                    objects.insert(id, found.object);
                }
                Err(error) if error.kind() == reader::PdfErrorKind::LimitExceeded => {
                    return Err(broken(error));
                }
                // what cannot be read counts as missing, as in every reader
                Err(_) => {}
            }
        }
        Ok(Self { document, objects })
    }

    /// Whether the file is encrypted.
    pub(crate) fn is_encrypted(&self) -> bool {
        self.document.is_encrypted()
    }

    /// The document catalog.
    pub(crate) fn catalog(&self) -> Option<Dict<'_>> {
        Dict { pdf: self, inner: self.document.trailer() }.get("Root").dict()
    }

    /// The pages in order. Nodes that lead in a circle are left out.
    pub(crate) fn pages(&self) -> Vec<Dict<'_>> {
        let mut pages = Vec::new();
        let mut seen = HashSet::new();
        if let Some(root) = self.catalog().and_then(|catalog| catalog.inner.get("Pages")) {
            self.collect_pages(root, &mut seen, &mut pages, 0);
        }
        pages
    }

    fn collect_pages<'a>(
        &'a self,
        node: &'a Object,
        seen: &mut HashSet<ObjRef>,
        pages: &mut Vec<Dict<'a>>,
        depth: usize,
    ) {
        let (id, object) = self.follow(node);
        let repeated = id.is_some_and(|id| !seen.insert(id));
        if repeated || depth > MAX_TREE_DEPTH || pages.len() >= MAX_PAGES {
            return;
        }
        let Some(dict) = self.value(object).dict() else { return };
        match dict.get("Kids") {
            Value::Array(kids) => {
                for kid in kids.inner {
                    self.collect_pages(kid, seen, pages, depth + 1);
                }
            }
            _ if dict.get("Type").is_name("Pages") => {}
            _ => pages.push(dict),
        }
    }

    fn follow<'a>(&'a self, object: &'a Object) -> (Option<ObjRef>, &'a Object) {
        let mut current = object;
        let mut last = None;
        for _ in 0..MAX_HOPS {
            let Object::Ref(id) = current else { return (last, current) };
            last = Some(*id);
            current = self.objects.get(id).unwrap_or(&Object::Null);
        }
        (last, &Object::Null)
    }

    fn value<'a>(&'a self, object: &'a Object) -> Value<'a> {
        match self.follow(object).1 {
            Object::Null | Object::Ref(_) => Value::Null,
            Object::Bool(value) => Value::Bool(*value),
            Object::Int(value) => Value::Integer(*value),
            Object::Real(value) => Value::Real(*value),
            Object::Name(name) => Value::Name(name.as_bytes()),
            Object::String(text) => Value::Text(&text.bytes),
            Object::Array(items) => Value::Array(Array { pdf: self, inner: items }),
            Object::Dict(dict) => Value::Dict(Dict { pdf: self, inner: dict }),
            Object::Stream(stream) => Value::Stream(Stream { pdf: self, inner: stream }),
        }
    }

    /// Every array, dictionary and stream that can be reached from `roots`, each once. Objects that
    /// only earlier revisions used are not reached.
    pub(crate) fn reachable<'a>(
        &'a self,
        roots: impl IntoIterator<Item = Value<'a>>,
    ) -> Reached<'a> {
        let mut reached = Reached { pdf: self, seen: HashSet::new(), found: Vec::new() };
        for root in roots {
            reached.add(root);
        }
        reached
    }
}

/// The result of [`Pdf::reachable`], which can be extended.
#[derive(Debug)]
pub(crate) struct Reached<'a> {
    pdf: &'a Pdf,
    seen: HashSet<ObjRef>,
    found: Vec<Value<'a>>,
}

impl<'a> Reached<'a> {
    /// Adds what `root` leads to.
    pub(crate) fn add(&mut self, root: Value<'a>) {
        let mut stack = vec![root];
        while let Some(value) = stack.pop() {
            match value {
                Value::Array(array) => self.push_all(array.inner.iter(), &mut stack),
                Value::Dict(dict) => {
                    self.push_all(dict.inner.iter().map(|entry| &entry.value), &mut stack);
                }
                Value::Stream(stream) => {
                    self.push_all(stream.inner.dict.iter().map(|entry| &entry.value), &mut stack);
                }
                _ => continue,
            }
            self.found.push(value);
        }
    }

    fn push_all(&mut self, objects: impl Iterator<Item = &'a Object>, stack: &mut Vec<Value<'a>>) {
        for object in objects {
            let (id, target) = self.pdf.follow(object);
            if id.is_none_or(|id| self.seen.insert(id)) {
                stack.push(self.pdf.value(target));
            }
        }
    }

    /// The dictionaries found, those of streams too.
    pub(crate) fn dicts(&self) -> impl Iterator<Item = Dict<'a>> + '_ {
        self.found.iter().filter_map(|value| value.dict())
    }

    /// The arrays found.
    pub(crate) fn arrays(&self) -> impl Iterator<Item = Array<'a>> + '_ {
        self.found.iter().filter_map(|value| value.array())
    }
}

/// An object, references followed; what is missing is null.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Value<'a> {
    Null,
    Bool(bool),
    Integer(i64),
    Real(f64),
    Name(&'a [u8]),
    Text(&'a [u8]),
    Array(Array<'a>),
    Dict(Dict<'a>),
    Stream(Stream<'a>),
}

impl<'a> Value<'a> {
    /// The dictionary, of a stream its own.
    pub(crate) fn dict(self) -> Option<Dict<'a>> {
        match self {
            Value::Dict(dict) => Some(dict),
            Value::Stream(stream) => Some(stream.dict()),
            _ => None,
        }
    }

    pub(crate) fn array(self) -> Option<Array<'a>> {
        match self {
            Value::Array(array) => Some(array),
            _ => None,
        }
    }

    pub(crate) fn stream(self) -> Option<Stream<'a>> {
        match self {
            Value::Stream(stream) => Some(stream),
            _ => None,
        }
    }

    pub(crate) fn name(self) -> Option<&'a [u8]> {
        match self {
            Value::Name(name) => Some(name),
            _ => None,
        }
    }

    pub(crate) fn number(self) -> Option<f64> {
        match self {
            // PDF integers that matter here are far below 2^53
            Value::Integer(value) => Some(value as f64),
            Value::Real(value) => Some(value),
            _ => None,
        }
    }

    pub(crate) fn is_name(self, wanted: &str) -> bool {
        self.name() == Some(wanted.as_bytes())
    }

    pub(crate) fn is_null(self) -> bool {
        matches!(self, Value::Null)
    }
}

/// A dictionary.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Dict<'a> {
    pdf: &'a Pdf,
    inner: &'a reader::Dict,
}

impl<'a> Dict<'a> {
    pub(crate) fn get(self, key: &str) -> Value<'a> {
        self.inner.get(key).map_or(Value::Null, |object| self.pdf.value(object))
    }

    pub(crate) fn has(self, key: &str) -> bool {
        !self.get(key).is_null()
    }

    /// All entries in file order.
    pub(crate) fn entries(self) -> impl Iterator<Item = (&'a [u8], Value<'a>)> {
        let pdf = self.pdf;
        self.inner.iter().map(move |entry| (entry.key.as_bytes(), pdf.value(&entry.value)))
    }

    /// An entry of this dictionary or of the nearest ancestor by `Parent` that has it.
    pub(crate) fn inherited(self, key: &str) -> Value<'a> {
        let mut current = self;
        for _ in 0..MAX_TREE_DEPTH {
            let value = current.get(key);
            if !value.is_null() {
                return value;
            }
            let Some(parent) = current.get("Parent").dict() else { break };
            current = parent;
        }
        Value::Null
    }
}

/// An array.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Array<'a> {
    pdf: &'a Pdf,
    inner: &'a [Object],
}

impl<'a> Array<'a> {
    pub(crate) fn len(self) -> usize {
        self.inner.len()
    }

    pub(crate) fn get(self, index: usize) -> Value<'a> {
        self.inner.get(index).map_or(Value::Null, |object| self.pdf.value(object))
    }

    pub(crate) fn items(self) -> impl Iterator<Item = Value<'a>> {
        self.inner.iter().map(move |object| self.pdf.value(object))
    }
}

/// A stream.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stream<'a> {
    pdf: &'a Pdf,
    inner: &'a reader::Stream,
}

impl<'a> Stream<'a> {
    pub(crate) fn dict(self) -> Dict<'a> {
        Dict { pdf: self.pdf, inner: &self.inner.dict }
    }

    /// The content, unpacked; `None` when it cannot be.
    pub(crate) fn data(self) -> Option<Vec<u8>> {
        let decoded = self.pdf.document.stream_data(self.inner, MAX_UNPACKED).ok()?;
        (!decoded.damaged).then_some(decoded.data)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OBJECTS: &str = "1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n\
        2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n\
        3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj\n\
        4 0 obj<</Filter/Standard/V 1/R 2/P -4>>endobj\n";

    #[test]
    fn an_encrypted_file_shows_its_structure() {
        let plain = format!("%PDF-1.4\n{OBJECTS}trailer<</Root 1 0 R>>");
        assert!(!Pdf::read(&plain.into()).unwrap().is_encrypted());
        let locked = format!("%PDF-1.4\n{OBJECTS}trailer<</Root 1 0 R/Encrypt 4 0 R>>");
        let pdf = Pdf::read(&locked.into()).unwrap();
        assert!(pdf.is_encrypted());
        assert_eq!(pdf.pages().len(), 1);
    }

    #[test]
    fn one_that_hides_objects_in_encrypted_streams_is_not_looked_into() {
        let mut file = format!("%PDF-1.5\n{OBJECTS}").into_bytes();
        let at =
            |object: &str| 9 + OBJECTS.find(object).and_then(|at| u8::try_from(at).ok()).unwrap();
        let start = file.len();
        // object 5 lies in the object stream 6, which nobody has to read to know that
        let rows = [
            [0, 0, 255],
            [1, at("1 0 obj"), 0],
            [1, at("2 0 obj"), 0],
            [1, at("3 0 obj"), 0],
            [1, at("4 0 obj"), 0],
            [2, 6, 0],
        ];
        file.extend(
            b"7 0 obj<</Type/XRef/Size 6/W[1 1 1]/Root 1 0 R/Encrypt 4 0 R/Length 18>>stream\n",
        );
        file.extend(rows.concat());
        file.extend(format!("\nendstream endobj\nstartxref\n{start}\n%%EOF").bytes());
        assert_eq!(Pdf::read(&file.into()).unwrap_err(), Unreadable::Encrypted);
    }

    #[test]
    fn what_is_no_pdf_says_so() {
        let error = Pdf::read(&Bytes::from_static(b"hello")).unwrap_err();
        assert!(matches!(error, Unreadable::Broken(text) if text.contains("%PDF")));
    }
}
