//! The document security store (ETSI EN 319 142-1, 5.4).

use super::change::ChangeKind;
use super::step::{Entry, Step};
use crate::pdf::{Dict, Object};

const LISTS: [&str; 3] = ["Certs", "OCSPs", "CRLs"];
const VRI_LISTS: [&str; 3] = ["Cert", "OCSP", "CRL"];
/// Certificates and revocation answers; larger ones are no evidence that is read.
const MAX_ITEM: usize = 8 << 20;
const WHAT: &str = "the document security store";

pub(super) fn check(step: &mut Step<'_>, before: &Dict, after: &Dict) {
    let store = step.entry(before, after, "DSS");
    if store.after.is_null() {
        if !store.before.is_null() {
            let detail = "the document security store was removed";
            step.forbid(store.before_id, ChangeKind::Other, detail);
        }
        return;
    }
    let Object::Dict(new) = &store.after else {
        let detail = "the document security store is no dictionary";
        return step.forbid(store.after_id, ChangeKind::Other, detail);
    };
    let empty = Dict::new();
    let old = store.before.as_dict().unwrap_or(&empty);
    for entry in new.iter() {
        let key = entry.key.to_text();
        if !LISTS.contains(&key.as_str()) && !matches!(key.as_str(), "Type" | "VRI") {
            let detail = "the document security store holds an entry that does not belong there";
            return step.forbid(store.after_id, ChangeKind::Other, detail);
        }
    }
    step.claim(&store, ChangeKind::ValidationData, WHAT);
    for key in LISTS {
        check_list(step, old, new, key);
    }
    let vri = step.entry(old, new, "VRI");
    check_vri(step, &vri);
}

fn check_vri(step: &mut Step<'_>, vri: &Entry) {
    let Object::Dict(new) = &vri.after else { return };
    let empty = Dict::new();
    let old = vri.before.as_dict().unwrap_or(&empty);
    step.claim(vri, ChangeKind::ValidationData, WHAT);
    for entry in new.iter() {
        let key = entry.key.to_text();
        let single = step.entry(old, new, &key);
        // `Type` is optional, and no entry.
        let Object::Dict(new) = &single.after else { continue };
        let old = single.before.as_dict().unwrap_or(&empty);
        let known = |key: &str| VRI_LISTS.contains(&key) || matches!(key, "Type" | "TU" | "TS");
        if !new.iter().all(|e| known(&e.key.to_text())) {
            let detail = "an entry of the document security store holds something else";
            step.forbid(single.after_id, ChangeKind::Other, detail);
            continue;
        }
        step.claim(&single, ChangeKind::ValidationData, WHAT);
        for key in VRI_LISTS {
            check_list(step, old, new, key);
        }
        if let Some(stamp) = new.get("TS").cloned() {
            check_item(step, &stamp);
        }
        if let Some(time) = new.get("TU").cloned() {
            step.cover_new(&time, ChangeKind::ValidationData, WHAT, false);
        }
    }
}

fn check_list(step: &mut Step<'_>, old: &Dict, new: &Dict, key: &str) {
    let list = step.entry(old, new, key);
    let Object::Array(items) = &list.after else {
        if !list.after.is_null() {
            let detail = format!("the list {key} of the document security store is no array");
            step.forbid(list.after_id, ChangeKind::Other, detail);
        }
        return;
    };
    // An array that is something else too, a page's contents for instance, must not be changed.
    let belongs = |path: &str| path.rsplit('/').next() == Some(key);
    if let Some(id) = list.after_id
        && step.unexplained(id).is_some()
        && !step.is_new(id)
        && !step.context.uses.all(id.number, |u| belongs(&u.path))
    {
        let detail = format!("the list {key} is used for something else too");
        return step.forbid(list.after_id, ChangeKind::Other, detail);
    }
    step.claim(&list, ChangeKind::ValidationData, WHAT);
    for item in items {
        check_item(step, item);
    }
}

/// A stream with DER data.
fn check_item(step: &mut Step<'_>, item: &Object) {
    let Some(id) = item.as_ref() else { return };
    if step.unexplained(id).is_none() || !step.is_new(id) {
        return;
    }
    let data = step.after.get(id).and_then(|found| match found.object.as_stream() {
        Some(stream) => step.after.stream_data(stream, MAX_ITEM).map(Some),
        None => Ok(None),
    });
    match data {
        Ok(Some(data)) if data.data.first() == Some(&crate::asn1::SEQUENCE) => {
            step.cover_new(item, ChangeKind::ValidationData, WHAT, true);
        }
        _ => {
            let detail = "the document security store holds an item that is no der data";
            step.forbid(Some(id), ChangeKind::Other, detail);
        }
    }
}
