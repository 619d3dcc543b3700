//! The interactive form (ISO 32000-2, 12.7.3): which of its entries signing may touch.

use super::change::ChangeKind;
use super::describe::shorten;
use super::fields;
use super::place::Place;
use super::plain;
use super::step::{Entry, Step, added};
use super::style;
use super::value::differing_keys;
use super::values;
use crate::pdf::{Dict, Object};

const WHAT: &str = "the form, which lists the signature field";

pub(super) fn check(step: &mut Step<'_>, before: &Dict, after: &Dict) {
    let form = step.entry(before, after, "AcroForm");
    let empty = Dict::new();
    let new = match &form.after {
        Object::Dict(new) => new,
        Object::Null if form.before.is_null() => return,
        _ => {
            let id = form.after_id.or(form.before_id);
            return step.forbid(id, ChangeKind::Other, "the form was removed");
        }
    };
    let old = form.before.as_dict().unwrap_or(&empty);
    for key in differing_keys(step.context.document, old, new) {
        check_key(step, &form, old, new, &key);
    }
    step.claim_entry(&form, Place::Form, ChangeKind::Listing, WHAT);
    let list = step.entry(old, new, "Fields");
    check_fields(step, &list);
}

fn check_key(step: &mut Step<'_>, form: &Entry, old: &Dict, new: &Dict, key: &str) {
    let entry = step.entry(old, new, key);
    let is_accepted = match key {
        "Fields" => true,
        "SigFlags" => {
            let flags = |value: &Object| value.as_int().unwrap_or(0);
            let (before, after) = (flags(&entry.before), flags(&entry.after));
            step.claim_entry(&entry, Place::FormStyle, ChangeKind::Declaration, "signature flags");
            (0..=3).contains(&after) && after & before == before
        }
        // Fonts and text style of whatever is drawn without an appearance of its own: where there
        // is none of it they show nowhere. Beside other fields resources are only added.
        "DR" | "DA" if style::is_in_use(step, old, new) => {
            let detail = format!(
                "the form entry {key} was changed, in whose style readers draw what has no \
                 appearance of its own"
            );
            return step.forbid(form.after_id, ChangeKind::Other, detail);
        }
        "DR" => {
            entry.after.as_dict().is_some() && (!has_other_fields(step) || extends(step, &entry))
        }
        "DA" => {
            entry.after.as_string().is_some()
                && (!has_other_fields(step) || plain::has_every_field_its_style(&step.before))
        }
        "NeedAppearances" => {
            let asks = |value: &Object| value.as_bool().unwrap_or(false);
            let is_answered = asks(&entry.before) && !asks(&entry.after) && may_redraw(step);
            asks(&entry.after) == asks(&entry.before)
                || is_answered && values::are_drawn_as_asked(step)
                || plain::is_form_blank(step, &step.before)
                    && plain::is_form_blank(step, &step.after)
        }
        _ => false,
    };
    if !is_accepted {
        let detail = format!("the form entry {} was changed", shorten(key));
        return step.forbid(form.after_id, ChangeKind::Other, detail);
    }
    if matches!(key, "DR" | "DA") {
        let value = new.get(key).cloned().unwrap_or_default();
        step.cover_new(&value, ChangeKind::Declaration, "resources of the form", true);
    }
}

/// Whether the fields may be drawn as the form asks for: nobody has signed how they look.
pub(super) fn may_redraw(step: &Step<'_>) -> bool {
    step.before.signatures().is_ok_and(|signed| signed.is_empty())
}

/// Whether resources were added, and none changed.
fn extends(step: &Step<'_>, resources: &Entry) -> bool {
    let empty = Dict::new();
    let before = resources.before.as_dict().unwrap_or(&empty);
    let Object::Dict(after) = &resources.after else { return false };
    before.iter().all(|kind| {
        let key = kind.key.to_text();
        let entry = step.entry(before, after, &key);
        match (&entry.before, &entry.after) {
            (Object::Dict(old), Object::Dict(new)) => {
                let changed = differing_keys(step.context.document, old, new);
                changed.iter().all(|name| !old.contains(name))
            }
            _ => !differing_keys(step.context.document, before, after).contains(&key),
        }
    })
}

fn has_other_fields(step: &Step<'_>) -> bool {
    let fields = step.before.form_fields();
    fields.is_ok_and(|all| all.iter().any(|f| f.field_type.as_deref() != Some("Sig")))
}

fn check_fields(step: &mut Step<'_>, list: &Entry) {
    let old = list.before.as_array().unwrap_or(&[]);
    let Object::Array(new) = &list.after else {
        if !old.is_empty() {
            step.forbid(list.after_id, ChangeKind::Other, "the form's fields were removed");
        }
        return;
    };
    let Some(added) = added(step.context.document, old, new) else {
        let detail = "fields were removed from the form, or put in another order";
        return step.forbid(list.after_id, ChangeKind::Other, detail);
    };
    step.claim_entry(list, Place::FormFields, ChangeKind::Listing, "the list of fields");
    for field in added {
        fields::check_new(step, &field, None);
    }
}
