//! Forms that look the same whoever makes their appearances.

use std::collections::HashSet;

use super::appearance::draws_something;
use super::step::{Step, resolve};
use crate::pdf::{Dict, FormField, Location, Object, View};

/// How many fields lie above each other at most.
const MAX_DEPTH: usize = 32;
/// Of a button: it holds no value, and shows its caption.
const PUSH_BUTTON: i64 = 1 << 16;
const COMBO: i64 = 1 << 17;

/// Whether all fields but signatures are empty and show nothing: then it makes no difference
/// whether readers make the appearances themselves (`NeedAppearances`) or take those that are
/// there. A value could show something else in each, and an area cover what lies below.
pub(super) fn is_form_blank(step: &Step<'_>, view: &View<'_>) -> bool {
    let Ok(fields) = view.form_fields() else { return false };
    !has_unlisted_widget(step, view, &fields) && fields.iter().all(|field| is_blank(view, field))
}

/// Whether there is a widget that the form does not list: some readers take it for a field as well.
pub(super) fn has_unlisted_widget(step: &Step<'_>, view: &View<'_>, fields: &[FormField]) -> bool {
    let known: HashSet<u32> =
        fields.iter().flat_map(|f| f.widgets.iter().chain(&f.id)).map(|id| id.number).collect();
    let mut unlisted = step.uses.styled().filter(|number| !known.contains(number));
    unlisted.any(|number| holds_widget_at(step, view, number))
}

/// Whether a field is empty and shows nothing, whoever makes its appearance; signature fields have
/// rules of their own.
pub(crate) fn is_blank(view: &View<'_>, field: &FormField) -> bool {
    if is_signature(field) {
        return true;
    }
    let value = resolve(view, Some(&field.value)).0;
    let is_empty = match &value {
        Object::Null => true,
        Object::String(text) => text.to_text().is_empty(),
        Object::Name(name) => *name == "Off",
        _ => false,
    };
    // A list box shows its options, chosen or not.
    let is_list = field.field_type.as_deref() == Some("Ch") && field.flags & COMBO == 0;
    is_empty
        && !is_list
        && widgets(view, field).iter().all(|widget| is_widget_blank(view, field, widget))
}

fn holds_widget_at(step: &Step<'_>, view: &View<'_>, number: u32) -> bool {
    let Some((id, location)) = view.location(number) else { return false };
    if location == Location::Free {
        return false;
    }
    // What cannot be looked at counts as one.
    !step.uses.may_look() || view.get(id).map_or(true, |found| holds_widget(&found.object))
}

fn holds_widget(object: &Object) -> bool {
    match object {
        Object::Array(values) => values.iter().any(holds_widget),
        Object::Dict(dict) => {
            dict.is_name("Subtype", "Widget") && !dict.is_name("FT", "Sig")
                || dict.iter().any(|entry| holds_widget(&entry.value))
        }
        _ => false,
    }
}

/// Whether no field but signatures takes its text style from the form: each has its own, or that
/// of a field above it.
pub(super) fn has_every_field_its_style(view: &View<'_>) -> bool {
    let Ok(fields) = view.form_fields() else { return false };
    let mut others = fields.iter().filter(|field| !is_signature(field));
    others.all(|field| {
        let widgets = widgets(view, field);
        !widgets.is_empty() && widgets.into_iter().all(|widget| has_style(view, widget))
    })
}

fn is_signature(field: &FormField) -> bool {
    field.field_type.as_deref() == Some("Sig")
}

/// The dictionaries of a field's widgets; of a field without any its own.
fn widgets(view: &View<'_>, field: &FormField) -> Vec<Dict> {
    let ids = if field.widgets.is_empty() { field.id.as_slice() } else { &field.widgets };
    let dict = |id| view.get(id).ok().and_then(|found| found.object.as_dict().cloned());
    ids.iter().map(|id| dict(*id).unwrap_or_default()).collect()
}

fn is_widget_blank(view: &View<'_>, field: &FormField, widget: &Dict) -> bool {
    let look = view.lookup(widget, "AP").unwrap_or_default();
    let normal = look.as_dict().map(|look| resolve(view, look.get("N")).0).unwrap_or_default();
    let shown = match &normal {
        // Of several states the one that is chosen.
        Object::Dict(states) => match view.lookup(widget, "AS") {
            Ok(Object::Name(state)) => resolve(view, states.get(&state.to_text())).0,
            _ => return false,
        },
        _ => normal,
    };
    let draws = match &shown {
        Object::Null => false,
        Object::Stream(stream) => draws_something(view, stream),
        _ => true,
    };
    // Colours, captions and icons are drawn by readers that make the appearance themselves. The
    // caption of a box is what marks it.
    let is_box = field.field_type.as_deref() == Some("Btn") && field.flags & PUSH_BUTTON == 0;
    let drawn = if is_box { &["BC", "BG"][..] } else { &["BC", "BG", "CA", "I"] };
    let settings = view.lookup_dict(widget, "MK").ok().flatten().unwrap_or_default();
    let is_drawn = |key: &&str| settings.get(key).is_some_and(|value| !value.is_null());
    !draws && !drawn.iter().any(is_drawn)
}

fn has_style(view: &View<'_>, widget: Dict) -> bool {
    let mut current = widget;
    for _ in 0..MAX_DEPTH {
        if matches!(view.lookup(&current, "DA"), Ok(Object::String(_))) {
            return true;
        }
        match view.lookup_dict(&current, "Parent") {
            Ok(Some(parent)) => current = parent,
            _ => return false,
        }
    }
    false
}
