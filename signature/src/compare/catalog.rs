//! The catalog: which of its entries signing may touch.

use super::change::ChangeKind;
use super::describe::shorten;
use super::step::Step;
use super::value::differing_keys;
use crate::pdf::{Dict, Object};

pub(super) fn check(step: &mut Step<'_>, before: &Dict, after: &Dict) {
    let own = step.after.catalog_ref().ok();
    let differing = differing_keys(step.context.document, before, after);
    let mut acceptable = Vec::new();
    for key in &differing {
        match key.as_str() {
            "AcroForm" | "DSS" | "Perms" | "Extensions" | "Metadata" => acceptable.push(key),
            "Version" if is_version(after.get("Version")) => acceptable.push(key),
            key => {
                let detail = format!("the catalog entry {} was changed", shorten(key));
                step.forbid(own, ChangeKind::Other, detail);
            }
        }
    }
    if let Some(id) = own
        && step.unexplained(id).is_some()
        && !differing.is_empty()
    {
        let names: Vec<&str> = acceptable.iter().map(|key| key.as_str()).collect();
        let detail = format!("the catalog entries {}", names.join(", "));
        step.permit(own, ChangeKind::Declaration, detail);
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
    // A stream that is page content too would change the page.
    let catalog = step.after.catalog_ref().ok();
    if let Some(id) = entry.after_id
        && !step.is_new(id)
        && !step.context.uses.all(id.number, |u| u.from == catalog && u.path == "Metadata")
    {
        let detail = "the metadata stream is used for something else too, and was replaced";
        return step.forbid(entry.after_id, ChangeKind::Other, detail);
    }
    step.claim(&entry, ChangeKind::Metadata, "xmp metadata");
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
        step.claim(&entry, ChangeKind::Declaration, "the permissions of a certification");
        step.permit(None, ChangeKind::Declaration, "the signature certifies the document");
    } else {
        let detail = format!("the permissions {} were changed", shorten(&keys.join(", ")));
        step.forbid(entry.after_id.or(entry.before_id), ChangeKind::Other, detail);
    }
}

/// `Extensions` names developers and levels of extensions (ISO 32000-2, 7.12).
fn check_extensions(step: &mut Step<'_>, before: &Dict, after: &Dict) {
    let entry = step.entry(before, after, "Extensions");
    let Object::Dict(extensions) = &entry.after else { return };
    let plain =
        extensions.iter().all(|e| match super::step::resolve(&step.after, Some(&e.value)) {
            (Object::Dict(dict), _) => dict.iter().all(|e| !matches!(e.value, Object::Dict(_))),
            (Object::Name(_) | Object::Array(_), _) => true,
            _ => false,
        });
    if !plain {
        let detail = "the developer extensions hold something else";
        return step.forbid(entry.after_id, ChangeKind::Other, detail);
    }
    step.claim(&entry, ChangeKind::Declaration, "developer extensions");
    step.cover_new(&entry.after, ChangeKind::Declaration, "developer extensions", false);
}
