//! Equality of values from different places.

use std::collections::{BTreeMap, BTreeSet};

use super::meaning;
use crate::pdf::{Dict, Document, Object, Span, Stream, for_each_window};

/// Whether two values mean the same. References are compared as they stand, streams by their
/// encoded data.
pub(super) fn same_value(document: &Document, a: &Object, b: &Object) -> bool {
    match (a, b) {
        (Object::String(a), Object::String(b)) => a.bytes == b.bytes,
        (Object::Array(a), Object::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_item(document, a, b))
        }
        (Object::Dict(a), Object::Dict(b)) => differing_keys(document, a, b).is_empty(),
        (Object::Stream(a), Object::Stream(b)) => same_stream(document, a, b),
        _ => a == b,
    }
}

/// In arrays numbers compare by value. By themselves they do not: `Rotate 90.0` and
/// `BitsPerComponent 8.0` are no numbers to readers that ask for an integer.
fn same_item(document: &Document, a: &Object, b: &Object) -> bool {
    let numbers = (a.as_number(), b.as_number());
    matches!(numbers, (Some(a), Some(b)) if a == b) || same_value(document, a, b)
}

/// Whether a dictionary in a value has a key twice: readers take the first or the last of them.
pub(super) fn repeats_a_key(value: &Object) -> bool {
    let of_dict = |dict: &Dict| {
        dict.has_repeated_keys() || dict.iter().any(|entry| repeats_a_key(&entry.value))
    };
    match value {
        Object::Array(values) => values.iter().any(repeats_a_key),
        Object::Dict(dict) => of_dict(dict),
        Object::Stream(stream) => of_dict(&stream.dict),
        _ => false,
    }
}

fn same_stream(document: &Document, a: &Stream, b: &Stream) -> bool {
    let keys = differing_keys(document, &a.dict, &b.dict);
    // A length that is wrong would make other readers stop elsewhere.
    let says_its_length =
        || b.dict.get("Length").and_then(Object::as_int) == i64::try_from(b.data.len()).ok();
    let is_same = keys.is_empty() || keys == ["Length"] && says_its_length();
    is_same && same_bytes(document, a.data, b.data)
}

/// Whether two parts of the file hold the same bytes.
fn same_bytes(document: &Document, a: Span, b: Span) -> bool {
    if a == b {
        return true;
    }
    if a.len() != b.len() {
        return false;
    }
    if document.work().spend(a.len() / 16).is_err() {
        return false;
    }
    let source = &**document.source();
    let mut at = b.start;
    let mut same = true;
    let mut other = Vec::new();
    let read = for_each_window(source, a.start, a.end, |window| {
        other.resize(window.len(), 0);
        let mut done = 0;
        while let Some(rest) = other.get_mut(done..).filter(|r| !r.is_empty()) {
            match source.read_at(at + done as u64, rest)? {
                0 => return Err(std::io::ErrorKind::UnexpectedEof.into()),
                n => done += n,
            }
        }
        same &= window == other.as_slice();
        at += window.len() as u64;
        Ok(())
    });
    same && read.is_ok()
}

/// The keys whose values differ in meaning; null counts as absent (7.3.9). A repeated key counts as
/// a difference, because readers disagree about what it means.
pub(super) fn differing_keys(document: &Document, a: &Dict, b: &Dict) -> Vec<String> {
    let (old, _) = index(a);
    let (new, repeated) = index(b);
    let keys: BTreeSet<&[u8]> = old.keys().chain(new.keys()).copied().collect();
    let differs = |key: &&[u8]| {
        let old = old.get(key).copied().unwrap_or(&NULL);
        let new = new.get(key).copied().unwrap_or(&NULL);
        let is_same = || {
            same_value(document, old, new)
                || meaning::is_same_text(key, old, new)
                || meaning::is_same_type(key, (a, old), (b, new))
        };
        repeated.contains(key) || !is_same()
    };
    keys.into_iter().filter(differs).map(|key| String::from_utf8_lossy(key).into_owned()).collect()
}

static NULL: Object = Object::Null;

/// The values by key, the last one of each, and the keys that occur twice.
fn index(dict: &Dict) -> (BTreeMap<&[u8], &Object>, BTreeSet<&[u8]>) {
    let mut values = BTreeMap::new();
    let mut repeated = BTreeSet::new();
    for entry in dict.iter() {
        if values.insert(entry.key.as_bytes(), &entry.value).is_some() {
            repeated.insert(entry.key.as_bytes());
        }
    }
    (values, repeated)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::simple;
    use crate::pdf::{ObjRef, PdfString};

    #[test]
    fn notation_and_order_do_not_matter_but_repetition_does() {
        let document = Document::from_bytes(simple()).unwrap();
        let a = Dict::new()
            .with("A", 1)
            .with("S", PdfString::literal("x"))
            .with("R", ObjRef::new(1, 0))
            .with("N", Object::Null);
        let b =
            Dict::new().with("R", ObjRef::new(1, 0)).with("S", PdfString::hex("x")).with("A", 1);
        assert!(differing_keys(&document, &a, &b).is_empty());
        let c = b.clone().with("A", 2).with("B", true);
        assert_eq!(differing_keys(&document, &a, &c), ["A", "B"]);
        let mut d = b.clone();
        d.push(crate::pdf::Name::new("A"), 1.into(), None);
        assert_eq!(differing_keys(&document, &a, &d), ["A"]);
    }
}
