//! The catalog: which of its entries signing may touch.

use super::change::ChangeKind;
use super::describe::shorten;
use super::place::Place;
use super::step::{Step, resolve};
use super::value::differing_keys;
use crate::pdf::{Dict, Object};

pub(super) fn check(step: &mut Step<'_>, before: &Dict, after: &Dict) {
    let own = step.after.catalog_ref().ok();
    let differing = differing_keys(step.context.document, before, after);
    let mut acceptable = Vec::new();
    for key in &differing {
        match key.as_str() {
            "AcroForm" | "DSS" | "Perms" | "Extensions" | "Metadata" => acceptable.push(key),
            "OutputIntents" if super::intents::is_srgb_added(step, before, after) => {
                acceptable.push(key);
            }
            "Version" if is_version(after.get("Version")) => acceptable.push(key),
            key => {
                let detail = format!("the catalog entry {} was changed", shorten(key));
                step.forbid(own, ChangeKind::Other, detail);
            }
        }
    }
    if let Some(id) = own
        && step.unexplained(id).is_some()
        && (!differing.is_empty() || step.is_new(id))
    {
        let names: Vec<&str> = acceptable.iter().map(|key| key.as_str()).collect();
        let detail = if names.is_empty() {
            "the catalog, with the entries it had".into()
        } else {
            format!("the catalog entries {}", names.join(", "))
        };
        step.claim(id, &[Place::Catalog], ChangeKind::Declaration, detail);
    }
    // What an entry refers to may change although the catalog stays.
    super::form::check(step, before, after);
    super::dss::check(step, before, after);
    check_metadata(step, before, after);
    check_permissions(step, before, after);
    check_extensions(step, before, after);
}

fn is_version(value: Option<&Object>) -> bool {
    let name = value.and_then(Object::as_name).map(|n| n.to_text());
    matches!(name.as_deref().map(str::as_bytes), Some([b'1' | b'2', b'.', b'0'..=b'9']))
}

fn check_metadata(step: &mut Step<'_>, before: &Dict, after: &Dict) {
    let entry = step.entry(before, after, "Metadata");
    let changed = entry.after_id.is_some_and(|id| step.unexplained(id).is_some());
    let Object::Stream(stream) = &entry.after else {
        if !entry.before.is_null() && entry.after.is_null() {
            step.forbid(entry.before_id, ChangeKind::Other, "the metadata was removed");
        }
        return;
    };
    if !changed {
        return;
    }
    if !stream.dict.is_name("Subtype", "XML") || stream.dict.contains("F") {
        let detail = "the metadata is no xml stream inside the file";
        return step.forbid(entry.after_id, ChangeKind::Other, detail);
    }
    step.claim_entry(&entry, Place::Metadata, ChangeKind::Metadata, "xmp metadata");
    let dict = Object::Dict(stream.dict.clone());
    step.cover_new(&dict, ChangeKind::Metadata, "xmp metadata", false);
}

/// `Perms` may get a `DocMDP` entry for a signature that is made in this very revision.
fn check_permissions(step: &mut Step<'_>, before: &Dict, after: &Dict) {
    let entry = step.entry(before, after, "Perms");
    let empty = Dict::new();
    let old = entry.before.as_dict().unwrap_or(&empty);
    let new = entry.after.as_dict().unwrap_or(&empty);
    let keys = differing_keys(step.context.document, old, new);
    if keys.is_empty() {
        return;
    }
    let target = new.get("DocMDP").and_then(Object::as_ref);
    let is_new_signature = target.is_some_and(|id| step.signatures.contains(&id.number));
    if keys == ["DocMDP"] && !old.contains("DocMDP") && is_new_signature {
        let what = "the permissions of a certification";
        step.claim_entry(&entry, Place::Permissions, ChangeKind::Declaration, what);
        step.declare(ChangeKind::Declaration, "the signature certifies the document");
    } else {
        let detail = format!("the permissions {} were changed", shorten(&keys.join(", ")));
        step.forbid(entry.after_id.or(entry.before_id), ChangeKind::Other, detail);
    }
}

/// `Extensions` names developers and levels of extensions (ISO 32000-2, 7.12).
fn check_extensions(step: &mut Step<'_>, before: &Dict, after: &Dict) {
    const WHAT: &str = "developer extensions";
    let entry = step.entry(before, after, "Extensions");
    if entry.after.is_null() {
        return;
    }
    let is_plain = entry.after.as_dict().is_some_and(|extensions| {
        !extensions.has_repeated_keys()
            && extensions.iter().all(|e| is_developer(step, e.key.as_bytes(), &e.value))
    });
    // What was there before stays as it was.
    if !is_plain && step.differs(&entry) {
        let detail = "the developer extensions hold something else";
        return step.forbid(entry.after_id, ChangeKind::Other, detail);
    }
    step.claim_entry(&entry, Place::Extensions, ChangeKind::Declaration, WHAT);
    step.cover_new(&entry.after, ChangeKind::Declaration, WHAT, false);
}

/// The type of the dictionary, or what one developer defined: one level, or several in an array.
fn is_developer(step: &Step<'_>, key: &[u8], value: &Object) -> bool {
    match resolve(&step.after, Some(value)).0 {
        Object::Name(name) => key == b"Type" && name == "Extensions",
        Object::Dict(dict) => is_level(step, &dict),
        Object::Array(levels) => levels.iter().all(|level| {
            matches!(resolve(&step.after, Some(level)).0, Object::Dict(dict) if is_level(step, &dict))
        }),
        _ => false,
    }
}

fn is_level(step: &Step<'_>, dict: &Dict) -> bool {
    dict.iter().all(|entry| {
        let value = resolve(&step.after, Some(&entry.value)).0;
        match entry.key.as_bytes() {
            b"Type" => value.as_name().is_some(),
            b"BaseVersion" => value.as_name().is_some(),
            b"ExtensionLevel" => value.as_int().is_some(),
            b"URL" | b"ExtensionRevision" => value.as_string().is_some(),
            _ => false,
        }
    })
}
