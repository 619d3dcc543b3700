//! The values a PDF is made of (ISO 32000-2, 7.3).

use std::fmt;

/// A range of byte offsets in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u64,
    /// Offset behind the last byte.
    pub end: u64,
}

impl Span {
    /// A span of `start..end`.
    pub fn new(start: u64, end: u64) -> Self {
        Span { start, end }
    }

    /// Number of bytes.
    pub fn len(&self) -> u64 {
        self.end.saturating_sub(self.start)
    }

    /// Whether the span holds no byte.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// An indirect reference: object number and generation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjRef {
    /// Object number, from 1.
    pub number: u32,
    /// Generation number, 0 unless the number was used before.
    pub generation: u16,
}

impl ObjRef {
    /// The reference `number generation R`.
    pub fn new(number: u32, generation: u16) -> Self {
        ObjRef { number, generation }
    }
}

impl fmt::Display for ObjRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} R", self.number, self.generation)
    }
}

/// A name without its slash, `#xx` sequences decoded.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(Box<[u8]>);

impl Name {
    /// A name of these bytes.
    pub fn new(bytes: impl AsRef<[u8]>) -> Self {
        Name(bytes.as_ref().into())
    }

    /// The bytes of the name.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The name as text; bytes that are no UTF-8 are replaced.
    pub fn to_text(&self) -> String {
        String::from_utf8_lossy(&self.0).into_owned()
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "/{}", String::from_utf8_lossy(&self.0))
    }
}

impl PartialEq<str> for Name {
    fn eq(&self, other: &str) -> bool {
        &*self.0 == other.as_bytes()
    }
}

impl PartialEq<&str> for Name {
    fn eq(&self, other: &&str) -> bool {
        &*self.0 == other.as_bytes()
    }
}

/// A string, with the notation it had in the file.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct PdfString {
    /// The decoded bytes.
    pub bytes: Vec<u8>,
    /// Whether it was (or is to be) written as `<hex>` instead of `(literal)`.
    pub hex: bool,
}

impl PdfString {
    /// A string to be written in literal notation.
    pub fn literal(bytes: impl Into<Vec<u8>>) -> Self {
        PdfString { bytes: bytes.into(), hex: false }
    }

    /// A string to be written in hexadecimal notation.
    pub fn hex(bytes: impl Into<Vec<u8>>) -> Self {
        PdfString { bytes: bytes.into(), hex: true }
    }

    /// A text string: PDFDocEncoding where it is plain ASCII, else UTF-16BE with a byte order
    /// mark (ISO 32000-2, 7.9.2.2).
    pub fn text(text: &str) -> Self {
        if text.bytes().all(|b| (0x20..0x7F).contains(&b) || matches!(b, b'\n' | b'\r' | b'\t')) {
            return Self::literal(text);
        }
        let mut bytes = vec![0xFE, 0xFF];
        bytes.extend(text.encode_utf16().flat_map(u16::to_be_bytes));
        PdfString { bytes, hex: true }
    }

    /// The string as text (UTF-16, UTF-8 or PDFDocEncoding).
    pub fn to_text(&self) -> String {
        super::text::decode(&self.bytes)
    }
}

impl fmt::Debug for PdfString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Document content stays out of debug output.
        write!(f, "string of {} bytes", self.bytes.len())
    }
}

/// One entry of a dictionary.
#[derive(Debug, Clone, PartialEq)]
pub struct DictEntry {
    /// The key.
    pub key: Name,
    /// The value.
    pub value: Object,
    /// Where the value stands in the file: from its first byte to behind its last one, delimiters
    /// included. `None` for objects inside object streams and for values made by a program.
    pub span: Option<Span>,
}

/// A dictionary; the order of the file is kept, and repeated keys too.
#[derive(Clone, Default, PartialEq)]
pub struct Dict {
    entries: Vec<DictEntry>,
}

impl Dict {
    pub(crate) const EMPTY: Dict = Dict { entries: Vec::new() };

    /// An empty dictionary.
    pub fn new() -> Self {
        Dict::default()
    }

    /// The value of `key`; of a repeated key the last one, as readers do.
    pub fn get(&self, key: &str) -> Option<&Object> {
        self.entry(key).map(|e| &e.value)
    }

    /// The entry of `key`; of a repeated key the last one.
    pub fn entry(&self, key: &str) -> Option<&DictEntry> {
        self.entries.iter().rev().find(|e| e.key == *key)
    }

    /// Whether `key` is there.
    pub fn contains(&self, key: &str) -> bool {
        self.entry(key).is_some()
    }

    /// Whether some key occurs more than once: readers disagree about which one counts.
    pub fn has_repeated_keys(&self) -> bool {
        let mut keys: Vec<&[u8]> = self.entries.iter().map(|e| e.key.as_bytes()).collect();
        keys.sort_unstable();
        keys.windows(2).any(|pair| pair.first() == pair.last())
    }

    /// Sets `key`, replacing every earlier value.
    pub fn set(&mut self, key: &str, value: impl Into<Object>) {
        let value = value.into();
        let mut kept = self.entries.iter_mut().filter(|e| e.key == *key);
        if let Some(entry) = kept.next() {
            *entry = DictEntry { key: Name::new(key), value, span: None };
            let mut first = true;
            self.entries.retain(|e| e.key != *key || std::mem::take(&mut first));
        } else {
            self.push(Name::new(key), value, None);
        }
    }

    /// The same dictionary with `key` set.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<Object>) -> Self {
        self.set(key, value);
        self
    }

    /// Removes `key`; returns its value.
    pub fn remove(&mut self, key: &str) -> Option<Object> {
        let value = self.get(key).cloned();
        self.entries.retain(|e| e.key != *key);
        value
    }

    /// The entries in the order of the file.
    pub fn iter(&self) -> impl Iterator<Item = &DictEntry> {
        self.entries.iter()
    }

    /// Number of entries, repeated keys counted.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no entry.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Number of values in it, those of nested arrays and dictionaries counted.
    pub(crate) fn value_count(&self) -> usize {
        self.entries.iter().map(|e| 1 + e.value.value_count()).sum()
    }

    pub(crate) fn push(&mut self, key: Name, value: Object, span: Option<Span>) {
        self.entries.push(DictEntry { key, value, span });
    }

    /// The value of `key` when it is a direct name with this text.
    pub fn is_name(&self, key: &str, text: &str) -> bool {
        self.get(key).and_then(Object::as_name).is_some_and(|n| *n == *text)
    }
}

impl fmt::Debug for Dict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.entries.iter().map(|e| (&e.key, &e.value))).finish()
    }
}

/// A stream: its dictionary and where its encoded data stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Stream {
    /// The stream dictionary.
    pub dict: Dict,
    /// The encoded data in the file.
    pub data: Span,
}

/// A PDF value.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Object {
    /// `null`, also what a reference to a missing object resolves to.
    #[default]
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A number with a fraction.
    Real(f64),
    /// A name.
    Name(Name),
    /// A string.
    String(PdfString),
    /// An array.
    Array(Vec<Object>),
    /// A dictionary.
    Dict(Dict),
    /// A stream.
    Stream(Box<Stream>),
    /// A reference to an indirect object.
    Ref(ObjRef),
}

impl Object {
    /// Memory that the value takes, roughly. The parser limits how deep it nests.
    pub(crate) fn weight(&self) -> usize {
        const VALUE: usize = 64;
        let of_dict =
            |dict: &Dict| dict.iter().map(|entry| VALUE + entry.value.weight()).sum::<usize>();
        VALUE
            + match self {
                Object::String(text) => text.bytes.len(),
                Object::Array(values) => values.iter().map(Object::weight).sum(),
                Object::Dict(dict) => of_dict(dict),
                Object::Stream(stream) => of_dict(&stream.dict),
                _ => 0,
            }
    }

    /// A name.
    pub fn name(text: &str) -> Object {
        Object::Name(Name::new(text))
    }

    /// Whether this is null.
    pub fn is_null(&self) -> bool {
        matches!(self, Object::Null)
    }

    /// The truth value.
    pub fn as_bool(&self) -> Option<bool> {
        if let Object::Bool(value) = self { Some(*value) } else { None }
    }

    /// The integer; a real number without fraction counts.
    pub fn as_int(&self) -> Option<i64> {
        match self {
            Object::Int(value) => Some(*value),
            Object::Real(value) if value.fract() == 0.0 && value.abs() < 9e15 => {
                Some(*value as i64)
            }
            _ => None,
        }
    }

    /// The number.
    pub fn as_number(&self) -> Option<f64> {
        match self {
            Object::Int(value) => Some(*value as f64),
            Object::Real(value) => Some(*value),
            _ => None,
        }
    }

    /// The name.
    pub fn as_name(&self) -> Option<&Name> {
        if let Object::Name(name) = self { Some(name) } else { None }
    }

    /// The string.
    pub fn as_string(&self) -> Option<&PdfString> {
        if let Object::String(string) = self { Some(string) } else { None }
    }

    /// The array's values.
    pub fn as_array(&self) -> Option<&[Object]> {
        if let Object::Array(values) = self { Some(values) } else { None }
    }

    /// The dictionary, also that of a stream.
    pub fn as_dict(&self) -> Option<&Dict> {
        match self {
            Object::Dict(dict) => Some(dict),
            Object::Stream(stream) => Some(&stream.dict),
            _ => None,
        }
    }

    /// The stream.
    pub fn as_stream(&self) -> Option<&Stream> {
        if let Object::Stream(stream) = self { Some(stream) } else { None }
    }

    /// The reference.
    pub fn as_ref(&self) -> Option<ObjRef> {
        if let Object::Ref(reference) = self { Some(*reference) } else { None }
    }

    fn value_count(&self) -> usize {
        match self {
            Object::Array(values) => 1 + values.iter().map(Object::value_count).sum::<usize>(),
            Object::Dict(dict) => 1 + dict.value_count(),
            Object::Stream(stream) => 1 + stream.dict.value_count(),
            _ => 1,
        }
    }

    /// What sort of value this is, for messages.
    pub fn type_name(&self) -> &'static str {
        match self {
            Object::Null => "null",
            Object::Bool(_) => "boolean",
            Object::Int(_) | Object::Real(_) => "number",
            Object::Name(_) => "name",
            Object::String(_) => "string",
            Object::Array(_) => "array",
            Object::Dict(_) => "dictionary",
            Object::Stream(_) => "stream",
            Object::Ref(_) => "reference",
        }
    }
}

macro_rules! from_value {
    ($($from:ty => $make:expr),* $(,)?) => {$(
        impl From<$from> for Object {
            fn from(value: $from) -> Object {
                ($make)(value)
            }
        }
    )*};
}

from_value! {
    bool => Object::Bool,
    i64 => Object::Int,
    i32 => |v| Object::Int(i64::from(v)),
    u32 => |v| Object::Int(i64::from(v)),
    f64 => Object::Real,
    Name => Object::Name,
    PdfString => Object::String,
    Vec<Object> => Object::Array,
    Dict => Object::Dict,
    ObjRef => Object::Ref,
}

/// An indirect object together with where it was found.
#[derive(Debug, Clone, PartialEq)]
pub struct IndirectObject {
    /// Number and generation as written at the object itself.
    pub id: ObjRef,
    /// The value.
    pub object: Object,
    /// From the object number to behind `endobj` (or behind the value where that keyword is
    /// missing). `None` for an object inside an object stream.
    pub span: Option<Span>,
    /// The object stream that holds it, where there is one.
    pub container: Option<ObjRef>,
}
