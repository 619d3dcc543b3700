//! The document security store (ETSI EN 319 142-1, 5.4).

use super::change::ChangeKind;
use super::place::Place;
use super::step::{Entry, Step, resolve};
use crate::pdf::{Dict, Object, Stream};

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
        if !LISTS.contains(&key.as_str())
            && key != "VRI"
            && !is_type(step, &key, &entry.value, "DSS")
        {
            let detail = "the document security store holds an entry that does not belong there";
            return step.forbid(store.after_id, ChangeKind::Other, detail);
        }
    }
    step.claim_entry(&store, Place::Store, ChangeKind::ValidationData, WHAT);
    for key in LISTS {
        check_list(step, old, new, key);
    }
    let vri = step.entry(old, new, "VRI");
    check_vri(step, &vri);
}

/// The optional `Type` of a dictionary, with its only value.
fn is_type(step: &Step<'_>, key: &str, value: &Object, name: &str) -> bool {
    key == "Type" && resolve(&step.after, Some(value)).0 == Object::name(name)
}

fn check_vri(step: &mut Step<'_>, vri: &Entry) {
    let new = match &vri.after {
        Object::Null => return,
        Object::Dict(new) => new,
        _ if !step.differs(vri) => return,
        _ => {
            let detail = "the VRI of the document security store is no dictionary";
            return step.forbid(vri.after_id, ChangeKind::Other, detail);
        }
    };
    let empty = Dict::new();
    let old = vri.before.as_dict().unwrap_or(&empty);
    step.claim_entry(vri, Place::Related, ChangeKind::ValidationData, WHAT);
    for entry in new.iter() {
        let key = entry.key.to_text();
        if !is_type(step, &key, &entry.value, "VRI") {
            let single = step.entry(old, new, &key);
            check_single(step, &single);
        }
    }
}

/// What belongs to one signature.
fn check_single(step: &mut Step<'_>, single: &Entry) {
    let Object::Dict(new) = &single.after else {
        if !step.differs(single) {
            return;
        }
        let detail = "an entry of the document security store is no dictionary";
        return step.forbid(single.after_id, ChangeKind::Other, detail);
    };
    let empty = Dict::new();
    let old = single.before.as_dict().unwrap_or(&empty);
    let is_known = |key: &str, value: &Object| {
        VRI_LISTS.contains(&key) || matches!(key, "TU" | "TS") || is_type(step, key, value, "VRI")
    };
    if step.differs(single) && !new.iter().all(|e| is_known(&e.key.to_text(), &e.value)) {
        let detail = "an entry of the document security store holds something else";
        return step.forbid(single.after_id, ChangeKind::Other, detail);
    }
    step.claim_entry(single, Place::RelatedEntry, ChangeKind::ValidationData, WHAT);
    for key in VRI_LISTS {
        check_list(step, old, new, key);
    }
    if let Some(stamp) = new.get("TS").cloned() {
        check_item(step, &stamp, step.differs(single));
    }
    if let Some(time) = new.get("TU").cloned() {
        if step.differs(single) && resolve(&step.after, Some(&time)).0.as_string().is_none() {
            let detail = "a time of the document security store is no text";
            return step.forbid(single.after_id, ChangeKind::Other, detail);
        }
        step.cover_new(&time, ChangeKind::ValidationData, WHAT, false);
    }
}

fn check_list(step: &mut Step<'_>, old: &Dict, new: &Dict, key: &str) {
    let list = step.entry(old, new, key);
    let Object::Array(items) = &list.after else {
        if !list.after.is_null() && step.differs(&list) {
            let detail = format!("the list {key} of the document security store is no array");
            step.forbid(list.after_id, ChangeKind::Other, detail);
        }
        return;
    };
    step.claim_entry(&list, Place::EvidenceList, ChangeKind::ValidationData, WHAT);
    let differs = step.differs(&list);
    for item in items {
        check_item(step, item, differs);
    }
}

/// A stream with DER data. What was there before is left alone.
fn check_item(step: &mut Step<'_>, item: &Object, is_list_new: bool) {
    let id = item.as_ref();
    if id.map_or(!is_list_new, |id| step.unexplained(id).is_none() || !step.is_new(id)) {
        return;
    }
    let found = id.and_then(|id| step.after.get(id).ok()).map(|found| found.object);
    let is_plain = |stream: &Stream| !["Subtype", "N"].iter().any(|key| stream.dict.contains(key));
    let data = match found.as_ref().and_then(Object::as_stream).filter(|s| is_plain(s)) {
        Some(stream) => step.after.stream_data(stream, MAX_ITEM).map(Some),
        None => Ok(None),
    };
    match data {
        Ok(Some(data)) if is_one_sequence(&data.data) => {
            step.cover_new(item, ChangeKind::ValidationData, WHAT, true);
        }
        _ => {
            let detail = "the document security store holds an item that is no der data";
            step.forbid(id, ChangeKind::Other, detail);
        }
    }
}

/// Whether these bytes are one DER SEQUENCE from the first to the last: what only begins like one
/// may be content of a page.
fn is_one_sequence(der: &[u8]) -> bool {
    let Some((&crate::asn1::SEQUENCE, rest)) = der.split_first() else { return false };
    let Some((&first, rest)) = rest.split_first() else { return false };
    let (length, rest) = match first {
        0..=0x7F => (usize::from(first), rest),
        0x81..=0x84 => {
            let (bytes, rest) =
                rest.split_at_checked(usize::from(first & 0x7F)).unwrap_or_default();
            if bytes.is_empty() {
                return false;
            }
            (bytes.iter().fold(0, |length, byte| length << 8 | usize::from(*byte)), rest)
        }
        _ => return false,
    };
    rest.len() == length
}
