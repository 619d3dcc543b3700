//! The trailer and the document information dictionary.

use super::change::ChangeKind;
use super::describe::shorten;
use super::place::Place;
use super::step::{Entry, Step, resolve};
use super::value::{differing_keys, same_value};
use crate::pdf::{Dict, Name, Object};

/// Keys that belong to the cross-reference section, not to the document.
const SECTION_KEYS: [&str; 9] =
    ["Size", "Prev", "Type", "W", "Index", "Length", "Filter", "DecodeParms", "XRefStm"];
/// What signing may set in the document information: it says when and by what the file was
/// written.
const INFO_KEYS: [&str; 3] = ["ModDate", "CreationDate", "Producer"];

/// What the information dictionary and XMP both say.
const XMP_KEYS: [&str; 5] = ["Title", "Author", "Subject", "Keywords", "Creator"];
const MAX_METADATA: usize = 1 << 20;
const MAX_TEXT: usize = 4096;
const MAX_PARTS: usize = 16;
/// A trailer has some ten entries; one with more is not searched for in older ones.
const MAX_KEYS: usize = 32;

pub(super) fn check(step: &mut Step<'_>) {
    let (before, after) = (step.before.trailer(), step.after.trailer());
    if after.has_repeated_keys() {
        step.forbid(None, ChangeKind::Other, "the trailer has a key twice: readers disagree");
    }
    for key in differing_keys(step.context.document, before, after) {
        match key.as_str() {
            "Info" => {}
            // The catalog that it leads to is judged by what it holds.
            "Root" if step.after.catalog_ref().is_ok_and(|id| step.is_new(id)) => {
                step.declare(ChangeKind::Declaration, "the catalog has another number");
            }
            "ID" => step.declare(ChangeKind::Declaration, "the file identifier"),
            key if SECTION_KEYS.contains(&key) => {}
            key if after.get(key).is_none_or(Object::is_null) && key != "Root" => {
                let detail = format!("the trailer entry {} was left out", shorten(key));
                step.declare(ChangeKind::Declaration, detail);
            }
            key if had_it_before(step, after, key) => {
                let detail = format!("the trailer entry {} came back", shorten(key));
                step.declare(ChangeKind::Declaration, detail);
            }
            "AdditionalStreams" if are_same_streams(step, before, after) => {
                step.declare(ChangeKind::Declaration, "the numbers of additional streams");
            }
            key => {
                let detail = format!("the trailer entry {} was changed", shorten(key));
                step.forbid(None, ChangeKind::Other, detail);
            }
        }
    }
    let info = step.entry(before, after, "Info");
    check_info(step, &info);
}

/// Whether an entry that an update left out has the value again that it had in an older one:
/// some programs take entries over from the first trailer, some from the last.
fn had_it_before(step: &Step<'_>, after: &Dict, key: &str) -> bool {
    let older = step.context.document.revisions().iter().take(step.revision.index);
    let value = after.get(key).cloned().unwrap_or_default();
    key != "Root"
        && key != "Encrypt"
        && after.len() <= MAX_KEYS
        && step.before.trailer().get(key).is_none_or(Object::is_null)
        && older
            .rev()
            .find_map(|revision| revision.trailer.get(key))
            .is_some_and(|known| same_value(step.context.document, known, &value))
}

/// Whether LibreOffice's copies of what a document was made from are the same, under whatever
/// numbers. No PDF reader looks at them.
fn are_same_streams(step: &Step<'_>, before: &Dict, after: &Dict) -> bool {
    let entry = step.entry(before, after, "AdditionalStreams");
    let (Object::Array(old), Object::Array(new)) = (&entry.before, &entry.after) else {
        return false;
    };
    let pairs = old.iter().zip(new);
    old.len() == new.len()
        && pairs.into_iter().all(|(old, new)| {
            let (old, _) = resolve(&step.before, Some(old));
            let (new, _) = resolve(&step.after, Some(new));
            same_value(step.context.document, &old, &new)
        })
}

fn check_info(step: &mut Step<'_>, info: &Entry) {
    // A key that is there twice counts as a difference, but not where nothing was written.
    let is_same = info.before_id == info.after_id;
    if is_same && info.after_id.is_some_and(|id| !step.changed.contains_key(&id.number)) {
        return;
    }
    let empty = Dict::new();
    let (before, after) = match (&info.before, &info.after) {
        (Object::Dict(before), Object::Dict(after)) => (before, after),
        (Object::Null, Object::Dict(after)) => (&empty, after),
        _ => return,
    };
    let (before, after) = (&with_text_keys(before), &with_text_keys(after));
    let mut keys = differing_keys(step.context.document, before, after);
    keys.retain(|key| {
        let entry = step.entry(before, after, key);
        let is_once = after.iter().filter(|entry| entry.key == **key).count() <= 1;
        let was_said = is_once && was_said(step, before, key, &entry.after);
        !was_said && !says_metadata(step, key, &entry.after)
    });
    if keys.is_empty() && info.after_id.is_none_or(|id| step.unexplained(id).is_none()) {
        return;
    }
    if let Some(key) = keys.iter().find(|key| !INFO_KEYS.contains(&key.as_str())) {
        let detail = format!("the document information {} was changed", shorten(key));
        return step.forbid(info.after_id, ChangeKind::Other, detail);
    }
    step.claim_entry(info, Place::Info, ChangeKind::Metadata, "the document information");
    step.cover_new(&Object::Dict(after.clone()), ChangeKind::Metadata, "the information", false);
}

/// The same with keys in UTF-8, as the standard has them (7.9.2.3); others are taken for Latin-1.
fn with_text_keys(information: &Dict) -> Dict {
    let mut out = Dict::new();
    for entry in information.iter() {
        let bytes = entry.key.as_bytes();
        let key = match std::str::from_utf8(bytes) {
            Ok(text) => text.to_owned(),
            Err(_) => bytes.iter().map(|byte| char::from(*byte)).collect(),
        };
        out.push(Name::new(key), entry.value.clone(), None);
    }
    out
}

/// Whether an entry said so before; one that is there more than once says any of its values.
fn was_said(step: &Step<'_>, before: &Dict, key: &str, after: &Object) -> bool {
    let mut said = before.iter().filter(|entry| entry.key == *key);
    said.any(|entry| is_same_information(&resolve(&step.before, Some(&entry.value)).0, after))
}

/// Whatever the key: its strings are text, and compare as it is shown.
fn is_same_information(a: &Object, b: &Object) -> bool {
    match (a, b) {
        (Object::String(a), Object::String(b)) => shown(&a.to_text()) == shown(&b.to_text()),
        (Object::Array(a), Object::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same_information(a, b))
        }
        _ => false,
    }
}

/// Without the codes that show nothing: some programs write one for the end of a C string.
fn shown(text: &str) -> String {
    text.chars().filter(|c| !matches!(*c, '\0' | char::REPLACEMENT_CHARACTER)).collect()
}

/// Whether the document's XMP metadata said the same before: some programs write their entries
/// into the information dictionary, those of several authors in one.
fn says_metadata(step: &Step<'_>, key: &str, value: &Object) -> bool {
    let Object::String(text) = value else { return false };
    let metadata = step.before.catalog().ok().map(|c| resolve(&step.before, c.get("Metadata")).0);
    let Some(Object::Stream(stream)) = metadata else { return false };
    let Ok(xmp) = step.before.stream_data(&stream, MAX_METADATA) else { return false };
    let xmp = String::from_utf8_lossy(&xmp.data);
    let said = |part: &str| {
        let escaped = part.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        [">", "\"", "'"].iter().any(|open| {
            let close = if *open == ">" { "<" } else { open };
            xmp.contains(&format!("{open}{escaped}{close}"))
        })
    };
    let text = text.to_text();
    let is_short = text.len() <= MAX_TEXT && text.split("; ").count() <= MAX_PARTS;
    XMP_KEYS.contains(&key) && is_short && (said(&text) || text.split("; ").all(said))
}
