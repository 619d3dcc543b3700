//! Signature fields: new ones, and existing ones that get signed.

use std::collections::HashMap;

use super::change::ChangeKind;
use super::describe::shorten;
use super::place::Place;
use super::seal::SealFound;
use super::step::{Step, added, resolve};
use super::value::differing_keys;
use super::{appearance, values};
use crate::pdf::{Dict, FormField, ObjRef, Object, Rect};

/// Entries of a signature field and its widget that say nothing but where and how it shows.
const FIELD_KEYS: [&str; 29] = [
    "Type",
    "Subtype",
    "FT",
    "T",
    "V",
    "F",
    "P",
    "Rect",
    "AP",
    "Lock",
    "SV",
    "Ff",
    "Kids",
    "Parent",
    "TU",
    "TM",
    "DA",
    "DR",
    "MK",
    "Border",
    "BS",
    "C",
    "H",
    "M",
    "NM",
    "Q",
    "StructParent",
    "Lang",
    "AS",
];
/// What signing changes in a field that is there. A text style (`DA`) styles nothing in a field
/// without text.
const SIGNED_KEYS: [&str; 6] = ["V", "AP", "DA", "F", "M", "MK"];
const HIDDEN: i64 = 2;
const NO_VIEW: i64 = 32;
const PRINT: i64 = 4;
/// The ten flags that there are (ISO 32000-2, table 167), all set.
const ALL_FLAGS: i64 = (1 << 10) - 1;
/// NoZoom and NoRotate let a widget show outside of its rectangle, ToggleNoView under the mouse.
const UNBOUND: i64 = 8 | 16 | 256;
const MAX_DEPTH: usize = 8;

/// What a field is filled with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Filled {
    Empty,
    Signature,
    Timestamp,
}

impl Filled {
    fn kind(self) -> ChangeKind {
        match self {
            Filled::Timestamp => ChangeKind::DocumentTimestamp,
            _ => ChangeKind::SignatureField,
        }
    }
}

/// A field that was added to the form, or below a field.
pub(super) fn check_new(step: &mut Step<'_>, field: &Object, parent: Option<(&Dict, usize)>) {
    let (value, id) = resolve(&step.after, Some(field));
    let (Object::Dict(dict), Some(id)) = (&value, id) else {
        return step.forbid(id, ChangeKind::Other, "what was added to the form is no field");
    };
    if !step.is_new(id) {
        let detail = "an object that was there already was made a field";
        return step.forbid(Some(id), ChangeKind::Other, detail);
    }
    if step.unexplained(id).is_none() {
        return;
    }
    let inherited = parent.is_some_and(|(p, _)| p.is_name("FT", "Sig"));
    let kids = step.after.lookup_array(dict, "Kids").unwrap_or_default();
    let is_signature = dict.is_name("FT", "Sig") || inherited && !dict.contains("FT");
    let has_name =
        |kid: &Object| resolve(&step.after, Some(kid)).0.as_dict().is_some_and(|d| d.contains("T"));
    let is_branch = !dict.contains("FT")
        && !dict.contains("Subtype")
        && !kids.is_empty()
        && kids.iter().all(has_name);
    if !is_signature && !is_branch || !has_known_keys(dict) {
        let detail = "a field was added that is no plain signature field";
        return step.forbid(Some(id), ChangeKind::Other, detail);
    }
    let name = full_name(step, dict);
    if kids.is_empty() && step.known_names().contains(&name) {
        let detail = format!("a second field with the name {} was added", shorten(&name));
        return step.forbid(Some(id), ChangeKind::Other, detail);
    }
    let filled = check_value(step, id, dict);
    if filled != Filled::Timestamp && kids.is_empty() {
        step.signed_fields.push(name.clone());
    }
    step.claim(id, &[], filled.kind(), format!("signature field {}", shorten(&name)));
    cover_settings(step, dict, filled);
    if dict.is_name("Subtype", "Widget") {
        check_widget(step, id, dict, &name, filled);
    }
    let depth = parent.map_or(0, |(_, depth)| depth);
    for kid in kids {
        match resolve(&step.after, Some(&kid)) {
            (Object::Dict(kid_dict), Some(kid_id)) if !kid_dict.contains("T") => {
                check_new_widget(step, kid_id, &kid_dict, (id, &name), filled);
            }
            _ if depth < MAX_DEPTH => check_new(step, &kid, Some((dict, depth + 1))),
            _ => step.forbid(Some(id), ChangeKind::Other, "the new fields nest too deeply"),
        }
    }
}

fn check_new_widget(
    step: &mut Step<'_>,
    id: ObjRef,
    dict: &Dict,
    (field, name): (ObjRef, &str),
    filled: Filled,
) {
    let belongs = dict.get("Parent").and_then(Object::as_ref) == Some(field);
    if !step.is_new(id) || !dict.is_name("Subtype", "Widget") || !belongs || !has_known_keys(dict) {
        let detail = "the widget of a new signature field is no plain, new widget";
        return step.forbid(Some(id), ChangeKind::Other, detail);
    }
    step.claim(id, &[], filled.kind(), format!("widget of {}", shorten(name)));
    cover_settings(step, dict, filled);
    check_widget(step, id, dict, name, filled);
}

fn has_known_keys(dict: &Dict) -> bool {
    dict.iter().all(|entry| FIELD_KEYS.iter().any(|key| entry.key == *key))
        && !dict.has_repeated_keys()
}

fn full_name(step: &Step<'_>, dict: &Dict) -> String {
    let mut parts = Vec::new();
    let mut current = dict.clone();
    for _ in 0..MAX_DEPTH {
        if let Ok(Object::String(part)) = step.after.lookup(&current, "T") {
            parts.push(part.to_text());
        }
        match step.after.lookup_dict(&current, "Parent") {
            Ok(Some(parent)) => current = parent,
            _ => break,
        }
    }
    parts.reverse();
    parts.join(".")
}

/// New objects below a field that are neither signature nor appearance.
fn cover_settings(step: &mut Step<'_>, dict: &Dict, filled: Filled) {
    for entry in dict.iter() {
        let is_own = ["V", "AP", "Kids", "Parent", "P"].iter().any(|key| entry.key == *key);
        if !is_own {
            step.cover_new(&entry.value, filled.kind(), "the signature field", false);
        }
    }
}

/// Looks at `V`: a new signature dictionary, or nothing.
fn check_value(step: &mut Step<'_>, field: ObjRef, dict: &Dict) -> Filled {
    let (value, id) = resolve(&step.after, dict.get("V"));
    let Object::Dict(signature) = value else {
        if !value.is_null() {
            let detail = "the value of a signature field is no signature";
            step.forbid(Some(id.unwrap_or(field)), ChangeKind::Other, detail);
        }
        return Filled::Empty;
    };
    if id.is_some_and(|id| !step.is_new(id)) {
        let detail = "a signature that was there already was put into another field";
        step.forbid(Some(field), ChangeKind::Other, detail);
        return Filled::Signature;
    }
    let is_stamp = signature.is_name("SubFilter", "ETSI.RFC3161");
    let (filled, kind, detail) = if is_stamp {
        (Filled::Timestamp, ChangeKind::DocumentTimestamp, "a document timestamp")
    } else {
        (Filled::Signature, ChangeKind::Signature, "a signature")
    };
    if let Some(id) = id {
        step.signatures.insert(id.number);
        step.claim(id, &[Place::Value], kind, detail);
    } else {
        step.declare(kind, detail);
    }
    step.cover_new(&Object::Dict(signature), kind, detail, false);
    filled
}

/// Looks at what a signature widget shows.
fn check_widget(step: &mut Step<'_>, id: ObjRef, dict: &Dict, name: &str, filled: Filled) {
    step.widgets.insert(id.number);
    let rect = step.after.rect(dict, "Rect");
    let numbers = step.after.lookup(dict, "Rect").unwrap_or(Object::Bool(false));
    let is_readable = numbers.as_array().is_some_and(|numbers| numbers.len() == 4);
    if !numbers.is_null() && (rect.is_none() || !is_readable) {
        // Readers make different things of it.
        let detail = "the place of the widget cannot be read";
        return step.forbid(Some(id), ChangeKind::Seal, detail);
    }
    let rect = rect.filter(|rect| !rect.is_empty());
    let flags = match step.after.lookup(dict, "F") {
        Ok(Object::Null) => 0,
        Ok(Object::Int(flags)) if (0..=ALL_FLAGS).contains(&flags) => flags,
        _ => {
            let detail = "the flags of the widget cannot be read";
            return step.forbid(Some(id), ChangeKind::Seal, detail);
        }
    };
    let is_hidden = flags & HIDDEN != 0 || flags & (NO_VIEW | PRINT) == NO_VIEW;
    let shows = rect.filter(|_| !is_hidden || flags & UNBOUND != 0);
    if shows.is_some() && flags & UNBOUND != 0 {
        let detail = "the widget's flags let it show elsewhere or under the mouse only";
        return step.forbid(Some(id), ChangeKind::Seal, detail);
    }
    let kind = if filled == Filled::Signature { ChangeKind::Seal } else { filled.kind() };
    let Some(draws) = check_appearance(step, id, dict, kind) else { return };
    let Some(rect) = shows else { return };
    let draws = draws || has_caption(step, dict);
    match filled {
        Filled::Empty | Filled::Timestamp if draws => {
            let detail = format!(
                "the field {} is not signed by anybody, but shows something on the page",
                shorten(name)
            );
            step.forbid(Some(id), ChangeKind::Seal, detail);
        }
        Filled::Signature if draws => add_seal(step, id, name, rect),
        _ => {}
    }
}

fn add_seal(step: &mut Step<'_>, widget: ObjRef, name: &str, rect: Rect) {
    let revision = step.revision.index;
    let field = name.to_owned();
    step.seals.push(SealFound { field, widget, rect, revision, is_preplaced: false });
}

/// Colours, captions and icons from which a viewer makes an appearance itself.
fn has_caption(step: &Step<'_>, dict: &Dict) -> bool {
    let look = step.after.lookup_dict(dict, "MK").ok().flatten().unwrap_or_default();
    ["BC", "BG", "CA", "RC", "AC", "I", "RI", "IX"].iter().any(|key| match look.get(key) {
        None | Some(Object::Null) => false,
        Some(Object::Array(values)) => !values.is_empty(),
        Some(_) => true,
    })
}

/// Looks at the appearance; says whether it draws something. `None` when it was forbidden.
fn check_appearance(
    step: &mut Step<'_>,
    id: ObjRef,
    dict: &Dict,
    kind: ChangeKind,
) -> Option<bool> {
    let look = step.after.lookup(dict, "AP").unwrap_or_default();
    let look = match look {
        Object::Dict(look) => look,
        Object::Null => return Some(false),
        _ => {
            let detail = "the appearance of a signature is of another shape";
            step.forbid(Some(id), ChangeKind::Seal, detail);
            return None;
        }
    };
    if look.iter().any(|entry| entry.key != *"N") {
        let detail = "the appearance of a signature changes under the mouse";
        step.forbid(Some(id), ChangeKind::Seal, detail);
        return None;
    }
    match resolve(&step.after, look.get("N")).0 {
        Object::Null => Some(false),
        Object::Stream(stream) => {
            let draws = appearance::draws_something(&step.after, &stream);
            // Without a box nothing keeps it inside its rectangle.
            let has_box = step.after.rect(&stream.dict, "BBox").is_some_and(|b| !b.is_empty());
            if draws && !has_box {
                let detail = "the appearance of a signature has no box that limits it";
                step.forbid(Some(id), ChangeKind::Seal, detail);
                return None;
            }
            let own = dict.get("AP").cloned().unwrap_or_default();
            step.cover_new(&own, kind, "the appearance of a signature", true);
            Some(draws)
        }
        _ => {
            let detail = "the appearance of a signature has several states";
            step.forbid(Some(id), ChangeKind::Seal, detail);
            None
        }
    }
}

/// Looks at every changed object that was a field or a widget before.
pub(super) fn check_changed(step: &mut Step<'_>) {
    let fields = match step.before.form_fields() {
        Ok(fields) => fields,
        Err(error) => {
            let detail = format!("the form cannot be read: {error}");
            return step.forbid(None, ChangeKind::Other, detail);
        }
    };
    let mut by_number: HashMap<u32, &FormField> = HashMap::new();
    for field in &fields {
        for id in field.widgets.iter().chain(&field.id) {
            by_number.insert(id.number, field);
        }
    }
    // Fields first: whether a widget may change depends on its field.
    let ids: Vec<ObjRef> = step.changed.values().map(|changed| changed.id).collect();
    let (own, widgets): (Vec<_>, Vec<_>) =
        ids.into_iter().partition(|id| by_number.get(&id.number).is_none_or(|f| f.id == Some(*id)));
    for id in own.into_iter().chain(widgets) {
        let Some(changed) = step.unexplained(id) else { continue };
        let (Object::Dict(old), Object::Dict(new)) = (&changed.before, &changed.after) else {
            continue;
        };
        let (old, new) = (old.clone(), new.clone());
        match by_number.get(&id.number) {
            Some(field) if field.field_type.as_deref() == Some("Sig") => {
                check_signing(step, field, id, &old, &new);
            }
            Some(field) => values::check(step, field, id, &old, &new),
            None => check_branch(step, id, &old, &new),
        }
    }
}

/// A field that has fields below it, and got another one.
fn check_branch(step: &mut Step<'_>, id: ObjRef, old: &Dict, new: &Dict) {
    let kind = old.get("FT").and_then(Object::as_name);
    let is_field = old.contains("T")
        && old.contains("Kids")
        && !old.contains("Type")
        && kind.is_none_or(|kind| *kind == "Sig");
    if !is_field || differing_keys(step.context.document, old, new) != ["Kids"] {
        return;
    }
    let kids = step.entry(old, new, "Kids");
    let lists = (kids.before.as_array(), kids.after.as_array());
    let (Some(before), Some(after)) = lists else { return };
    let Some(added) = added(step.context.document, before, after) else { return };
    let what = "a field, which lists the signature field";
    if !step.claim(id, &[Place::Field], ChangeKind::Listing, what) {
        return;
    }
    for kid in added {
        check_new(step, &kid, Some((new, 0)));
    }
}

/// A signature field that is there, or its widget.
fn check_signing(step: &mut Step<'_>, field: &FormField, id: ObjRef, old: &Dict, new: &Dict) {
    let name = field.name.clone();
    let was_signed = !resolve(&step.before, Some(&field.value)).0.is_null();
    let keys = differing_keys(step.context.document, old, new);
    if was_signed {
        let detail = format!(
            "the field {} was changed after it was signed: {}",
            shorten(&name),
            shorten(&keys.join(", "))
        );
        return step.forbid(Some(id), ChangeKind::Other, detail);
    }
    if let Some(key) = keys.iter().find(|key| !SIGNED_KEYS.contains(&key.as_str())) {
        let detail = format!("{} of the field {} was changed", shorten(key), shorten(&name));
        return step.forbid(Some(id), ChangeKind::Other, detail);
    }
    let is_field = field.id == Some(id);
    let mut filled = match &field.id {
        Some(own) => filled_now(step, *own),
        None => Filled::Empty,
    };
    if is_field && keys.iter().any(|key| key == "V") {
        filled = check_value(step, id, new);
        if filled == Filled::Signature {
            step.signed_fields.push(name.clone());
        }
    }
    let what = format!("signature field {}", shorten(&name));
    if !step.claim(id, &[Place::Field], filled.kind(), what) {
        return;
    }
    let shows = keys.iter().any(|key| matches!(&**key, "AP" | "DA" | "F" | "MK"));
    if shows && !new.is_name("Subtype", "Widget") {
        let detail = "a signature field that is an annotation of another kind was changed";
        return step.forbid(Some(id), ChangeKind::Other, detail);
    }
    if shows {
        let settings = new.get("MK").cloned().unwrap_or_default();
        step.cover_new(&settings, filled.kind(), "the signature field", false);
        check_widget(step, id, new, &name, filled);
    }
}

/// What a field that existed before is filled with now.
fn filled_now(step: &Step<'_>, field: ObjRef) -> Filled {
    let dict = step.after.get(field).ok().map(|found| found.object);
    let value = dict.as_ref().and_then(Object::as_dict).and_then(|d| d.get("V"));
    match resolve(&step.after, value).0 {
        Object::Dict(value) if value.is_name("SubFilter", "ETSI.RFC3161") => Filled::Timestamp,
        Object::Dict(_) => Filled::Signature,
        _ => Filled::Empty,
    }
}
