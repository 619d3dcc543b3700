//! Changes in words, without document content.

use crate::pdf::{Dict, Object};

/// What happened to an object.
pub(super) fn describe(before: &Object, after: &Object) -> String {
    match (before, after) {
        (Object::Null, after) => format!("{} was added", what(after)),
        (before, Object::Null) => format!("{} was removed", what(before)),
        (Object::Stream(old), Object::Stream(new)) => {
            let keys = differing(&old.dict, &new.dict);
            if keys.is_empty() {
                format!("the content of {} was changed", what(after))
            } else {
                format!("{} was changed: {}", what(after), keys.join(", "))
            }
        }
        (Object::Dict(old), Object::Dict(new)) => {
            format!("{} was changed: {}", what(after), differing(old, new).join(", "))
        }
        (before, after) if before.type_name() == after.type_name() => {
            format!("{} was changed", what(after))
        }
        (before, after) => format!("{} was replaced by {}", what(before), what(after)),
    }
}

/// What sort of object it is, by its `Type` and `Subtype`.
pub(super) fn what(object: &Object) -> String {
    let Some(dict) = object.as_dict() else {
        let article = if object.as_array().is_some() { "an" } else { "a" };
        return format!("{article} {}", object.type_name());
    };
    let name = |key: &str| dict.get(key).and_then(Object::as_name).map(|n| shorten(&n.to_text()));
    match (name("Type").as_deref(), name("Subtype").as_deref()) {
        (Some("Page"), _) => "a page".into(),
        (Some("Pages"), _) => "a node of the page tree".into(),
        (Some("Catalog"), _) => "the catalog".into(),
        (Some("Font"), _) => "a font".into(),
        (_, Some("Widget")) => "a form widget".into(),
        (Some("Annot"), Some(sub)) => format!("an annotation ({sub})"),
        (Some("XObject") | None, Some("Form")) => "a form xobject".into(),
        (Some("XObject") | None, Some("Image")) => "an image".into(),
        (Some(kind), Some(sub)) => format!("a {} ({kind}, {sub})", object.type_name()),
        (Some(kind), None) => format!("a {} ({kind})", object.type_name()),
        _ if dict.contains("FT") || dict.contains("T") && dict.contains("Kids") => {
            "a form field".into()
        }
        _ => format!("a {}", object.type_name()),
    }
}

/// Names come from the file: they are cut, and what could disturb a terminal is escaped.
pub(super) fn shorten(text: &str) -> String {
    shorten_to(text, 60)
}

/// The same, to at most `count` characters.
pub(super) fn shorten_to(text: &str, count: usize) -> String {
    let is_unsafe = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    text.chars().take(count).map(|c| if is_unsafe(c) { '?' } else { c }).collect()
}

fn differing(old: &Dict, new: &Dict) -> Vec<String> {
    let mut keys: Vec<String> = old
        .iter()
        .chain(new.iter())
        .filter(|entry| {
            let key = entry.key.to_text();
            let plain = |dict: &Dict| dict.get(&key).map(|v| format!("{v:?}"));
            key != "Length" && plain(old) != plain(new)
        })
        .map(|entry| shorten(&entry.key.to_text()))
        .collect();
    keys.sort();
    keys.dedup();
    keys.truncate(12);
    keys
}
