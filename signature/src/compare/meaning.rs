//! Values that are written in another way and mean the same.
//!
//! Programs that write a dictionary anew decode its text and encode it again, and write out what
//! the standard lets them leave out. Each rule here holds wherever the dictionary is used: a reader
//! that looks at the entry at all finds the same in both.

use crate::pdf::{Dict, Object, PdfString, decode_exactly};

/// Keys whose strings are text for people (ISO 32000-2, "text string" in its tables). Strings of
/// other keys are bytes, and compare as such: content, file names, digests, scripts.
const TEXT_KEYS: [&[u8]; 32] = [
    b"AC",
    b"ActualText",
    b"Alt",
    b"Author",
    b"CA",
    b"Comments",
    b"Company",
    b"Contents",
    b"CreationDate",
    b"Creator",
    b"DV",
    b"Desc",
    b"E",
    b"Info",
    b"Keywords",
    b"Lang",
    b"M",
    b"ModDate",
    b"NM",
    b"OutputCondition",
    b"P",
    b"Producer",
    b"RC",
    b"Reason",
    b"SourceModified",
    b"Subj",
    b"Subject",
    b"T",
    b"TM",
    b"TU",
    b"Title",
    b"V",
];

/// Whether two strings of a key that holds text are the same text, in whatever encoding.
pub(super) fn is_same_text(key: &[u8], a: &Object, b: &Object) -> bool {
    match (a, b) {
        (Object::String(a), Object::String(b)) => TEXT_KEYS.contains(&key) && same_text(a, b),
        _ => false,
    }
}

/// Whether two text strings decode to the same. What cannot be decoded is nothing but its bytes.
pub(super) fn same_text(a: &PdfString, b: &PdfString) -> bool {
    a.bytes == b.bytes
        || decode_exactly(&a.bytes).is_some_and(|text| decode_exactly(&b.bytes) == Some(text))
}

/// Whether an entry is a `Type` that one side leaves out and the other writes out, with the only
/// value it can have there.
pub(super) fn is_same_type(key: &[u8], a: (&Dict, &Object), b: (&Dict, &Object)) -> bool {
    let (dict, name) = match (key, a.1, b.1) {
        (b"Type", Object::Null, Object::Name(name)) => (b.0, name),
        (b"Type", Object::Name(name), Object::Null) => (a.0, name),
        _ => return false,
    };
    standard_type(dict).is_some_and(|standard| *name == *standard)
}

/// The `Type` that a dictionary has by what else it holds, where readers do without it.
fn standard_type(dict: &Dict) -> Option<&'static str> {
    const ANNOTATIONS: [&str; 12] = [
        "Widget",
        "Link",
        "Text",
        "FreeText",
        "Highlight",
        "Underline",
        "StrikeOut",
        "Stamp",
        "Ink",
        "Popup",
        "FileAttachment",
        "Line",
    ];
    let is = |kinds: &[&str]| kinds.iter().any(|kind| dict.is_name("Subtype", kind));
    match () {
        () if dict.contains("Rect") && is(&ANNOTATIONS) => Some("Annot"),
        () if dict.contains("BBox") && is(&["Form"]) => Some("XObject"),
        () if dict.contains("Width") && is(&["Image"]) => Some("XObject"),
        () if dict.contains("ByteRange") && dict.contains("Contents") => Some("Sig"),
        () if dict.contains("S") && dict.contains("P") && !dict.contains("Subtype") => {
            Some("StructElem")
        }
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_compared_decoded_and_bytes_are_not() {
        let doc = Object::String(PdfString::literal(
            "\u{e5}".chars().map(|c| c as u8).collect::<Vec<_>>(),
        ));
        let wide = Object::String(PdfString::literal(b"\xFE\xFF\x00\xE5".to_vec()));
        let utf8 = Object::String(PdfString::hex(b"\xEF\xBB\xBF\xC3\xA5".to_vec()));
        let other = Object::String(PdfString::literal(b"\xFE\xFF\x00\xE6".to_vec()));
        for same in [&wide, &utf8, &doc] {
            assert!(is_same_text(b"Title", &doc, same));
            assert!(!is_same_text(b"DA", &wide, same), "no text");
        }
        assert!(!is_same_text(b"Title", &doc, &other));
        // Two strings that both lose something are not the same for it.
        let lossy = |bytes: &[u8]| Object::String(PdfString::literal(bytes.to_vec()));
        assert!(!is_same_text(b"Title", &lossy(b"\xAD"), &lossy(b"\x9F")));
        assert!(!is_same_text(b"Title", &lossy(b"\xFE\xFF\x00a\x00"), &lossy(b"a")));
    }

    #[test]
    fn only_the_one_possible_type_may_be_left_out() {
        let widget = Dict::new().with("Subtype", Object::name("Widget")).with("Rect", 1);
        let check = |dict: &Dict, name: &str| {
            let typed = dict.clone().with("Type", Object::name(name));
            let value = Object::name(name);
            is_same_type(b"Type", (dict, &Object::Null), (&typed, &value))
                && is_same_type(b"Type", (&typed, &value), (dict, &Object::Null))
        };
        assert!(check(&widget, "Annot"));
        assert!(!check(&widget, "Page"));
        assert!(!check(&Dict::new().with("Kids", 1), "Pages"));
        assert!(!check(&Dict::new().with("Subtype", Object::name("XML")), "Metadata"));
        let page = Object::name("Page");
        let other = Object::name("Template");
        assert!(!is_same_type(b"Type", (&widget, &page), (&widget, &other)));
    }
}
