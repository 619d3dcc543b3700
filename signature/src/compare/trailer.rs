//! The trailer and the document information dictionary.

use super::change::ChangeKind;
use super::describe::shorten;
use super::place::Place;
use super::step::{Entry, Step};
use super::value::differing_keys;
use crate::pdf::{Dict, Object};

/// Keys that belong to the cross-reference section, not to the document.
const SECTION_KEYS: [&str; 9] =
    ["Size", "Prev", "Type", "W", "Index", "Length", "Filter", "DecodeParms", "XRefStm"];
/// What signing may set in the document information: it says when and by what the file was
/// written.
const INFO_KEYS: [&str; 3] = ["ModDate", "CreationDate", "Producer"];

pub(super) fn check(step: &mut Step<'_>) {
    let (before, after) = (step.before.trailer(), step.after.trailer());
    if after.has_repeated_keys() {
        step.forbid(None, ChangeKind::Other, "the trailer has a key twice: readers disagree");
    }
    for key in differing_keys(step.context.document, before, after) {
        match key.as_str() {
            "Info" => {}
            "ID" => step.declare(ChangeKind::Declaration, "the file identifier"),
            key if SECTION_KEYS.contains(&key) => {}
            key if after.get(key).is_none_or(Object::is_null) && key != "Root" => {
                let detail = format!("the trailer entry {} was left out", shorten(key));
                step.declare(ChangeKind::Declaration, detail);
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

fn check_info(step: &mut Step<'_>, info: &Entry) {
    let empty = Dict::new();
    let (before, after) = match (&info.before, &info.after) {
        (Object::Dict(before), Object::Dict(after)) => (before, after),
        (Object::Null, Object::Dict(after)) => (&empty, after),
        _ => return,
    };
    let keys = differing_keys(step.context.document, before, after);
    if keys.is_empty() {
        return;
    }
    if let Some(key) = keys.iter().find(|key| !INFO_KEYS.contains(&key.as_str())) {
        let detail = format!("the document information {} was changed", shorten(key));
        return step.forbid(info.after_id, ChangeKind::Other, detail);
    }
    step.claim_entry(info, Place::Info, ChangeKind::Metadata, "the document information");
    step.cover_new(&Object::Dict(after.clone()), ChangeKind::Metadata, "the information", false);
}
