//! Form fields that are filled in.

use super::appearance;
use super::change::ChangeKind;
use super::describe::shorten;
use super::form;
use super::place::Place;
use super::plain;
use super::step::{Step, resolve};
use super::value::differing_keys;
use crate::pdf::{Dict, FormField, ObjRef, Object, View};

const READ_ONLY: i64 = 1;
/// Of a button: it does something, and holds no value.
const PUSH_BUTTON: i64 = 1 << 16;
const FILLED_KEYS: [&str; 5] = ["V", "AP", "AS", "I", "M"];

/// A field with text, choices or buttons, or one of its widgets, that was changed.
pub(super) fn check(step: &mut Step<'_>, field: &FormField, id: ObjRef, old: &Dict, new: &Dict) {
    match judge(step, field, id, old, new) {
        Ok((detail, how)) => {
            // Whichever part of the field was changed: its dictionary, or one of its widgets.
            if how == How::Filled && !step.filled.contains(&field.name) {
                step.filled.push(field.name.clone());
            }
            step.claim(id, &[Place::Field], ChangeKind::FormValue, detail);
        }
        Err(reason) => {
            let detail = format!("the form field {} {reason}", shorten(&field.name));
            step.forbid(Some(id), ChangeKind::FormValue, detail);
        }
    }
}

/// How a field comes to be changed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
    Filled,
    /// It got the appearance that its form asks for.
    Redrawn,
}

fn judge(
    step: &mut Step<'_>,
    field: &FormField,
    id: ObjRef,
    old: &Dict,
    new: &Dict,
) -> Result<(String, How), String> {
    let keys = differing_keys(step.context.document, old, new);
    if let Some(key) = keys.iter().find(|key| !FILLED_KEYS.contains(&key.as_str())) {
        return Err(format!("was changed: {}", shorten(key)));
    }
    if keys == ["AP"] && is_as_asked_for(step, field, old, new) {
        let detail = format!("the form field {} was drawn as the form asks", shorten(&field.name));
        return Ok((detail, How::Redrawn));
    }
    if !step.context.may_fill {
        return Err("was filled in, which is not allowed here".into());
    }
    if field.flags & READ_ONLY != 0 {
        return Err("is read-only, and was changed".into());
    }
    let kind = field.field_type.as_deref().unwrap_or_default();
    if !is_empty(&resolve(&step.before, Some(&field.value)).0) {
        return Err("had a value, which was changed".into());
    }
    let value = new_value(step, field);
    match kind {
        "Tx" | "Ch" => check_text(step, id, old, new, &keys, &value)?,
        "Btn" if field.flags & PUSH_BUTTON == 0 => check_button(step, id, old, new, &keys)?,
        _ => return Err("is of a kind that holds no value, and was changed".into()),
    }
    step.cover_new(
        &new.get("V").cloned().unwrap_or_default(),
        ChangeKind::FormValue,
        "the value",
        false,
    );
    let shown = shorten(&text_of(&value));
    let detail = format!("the empty form field {} was filled with {shown:?}", shorten(&field.name));
    Ok((detail, How::Filled))
}

/// Whether a missing appearance was drawn that the form asks for, exactly as this crate draws it.
fn is_as_asked_for(step: &mut Step<'_>, field: &FormField, old: &Dict, new: &Dict) -> bool {
    let Some(form) = crate::sign::asking_form(&step.before).filter(|_| form::may_redraw(step))
    else {
        return false;
    };
    let Some(id) = drawn_by_us(step, &form, field, old, new) else { return false };
    if step.is_new(id) && step.unexplained(id).is_some() {
        let what = "the appearance of a form field";
        return step.claim(id, &[Place::Appearance], ChangeKind::FormValue, what);
    }
    true
}

/// Whether readers show what they showed before once the form does not ask them to draw its fields
/// any more: every field shows nothing either way, or had no appearance and has ours now. One that
/// was there before may hide its text, or what lies below.
pub(super) fn are_drawn_as_asked(step: &Step<'_>) -> bool {
    let Some(form) = crate::sign::asking_form(&step.before) else { return false };
    let Ok(fields) = step.before.form_fields() else { return false };
    let dict = |view: &View<'_>, id: &ObjRef| {
        view.get(*id).ok().and_then(|found| found.object.as_dict().cloned()).unwrap_or_default()
    };
    !plain::has_unlisted_widget(step, &step.before, &fields)
        && fields.iter().all(|field| {
            plain::is_blank(&step.before, field)
                || field.widgets.iter().all(|id| {
                    let (old, new) = (dict(&step.before, id), dict(&step.after, id));
                    drawn_by_us(step, &form, field, &old, &new).is_some()
                })
        })
}

/// The appearance of a widget that had none, where it is exactly what this crate draws.
fn drawn_by_us(
    step: &Step<'_>,
    form: &Dict,
    field: &FormField,
    old: &Dict,
    new: &Dict,
) -> Option<ObjRef> {
    let (dict, content) = crate::sign::text_appearance(&step.before, form, field, old)?;
    let look = step.entry(old, new, "AP").after;
    let look = look.as_dict().filter(|look| look.iter().all(|e| e.key == *"N"))?;
    let (Object::Stream(stream), Some(id)) = resolve(&step.after, look.get("N")) else {
        return None;
    };
    let decoded = step.after.stream_data(&stream, content.len()).ok()?;
    let keys = differing_keys(step.context.document, &dict, &stream.dict);
    let is_same = keys.iter().all(|key| matches!(key.as_str(), "Length" | "Filter"))
        && !decoded.damaged
        && decoded.data == content;
    is_same.then_some(id)
}

/// The value of the field as it is now.
fn new_value(step: &Step<'_>, field: &FormField) -> Object {
    let dict = field.id.and_then(|id| step.after.get(id).ok()).map(|found| found.object);
    let value = dict.as_ref().and_then(Object::as_dict).and_then(|d| d.get("V")).cloned();
    resolve(&step.after, value.as_ref()).0
}

fn is_empty(value: &Object) -> bool {
    match value {
        Object::Null => true,
        Object::String(text) => text.to_text().trim().is_empty(),
        Object::Name(name) => *name == "Off",
        Object::Array(values) => values.is_empty(),
        _ => false,
    }
}

fn text_of(value: &Object) -> String {
    match value {
        Object::String(text) => text.to_text(),
        Object::Name(name) => name.to_text(),
        Object::Array(values) => values.iter().map(text_of).collect::<Vec<_>>().join(", "),
        _ => String::new(),
    }
}

/// Text and choices: what the new appearance draws must be the value, in fonts that were there.
fn check_text(
    step: &mut Step<'_>,
    id: ObjRef,
    old: &Dict,
    new: &Dict,
    keys: &[String],
    value: &Object,
) -> Result<(), String> {
    let appearance = step.entry(old, new, "AP");
    let look = match &appearance.after {
        Object::Dict(look) => look,
        Object::Null => return Ok(()),
        _ => return Err("has an appearance of another shape".into()),
    };
    if let Some(holder) = appearance.after_id
        && step.unexplained(holder).is_some()
    {
        if !step.is_new(holder) {
            return Err("shares an appearance that was changed".into());
        }
        step.claim(holder, &[], ChangeKind::FormValue, "the appearance of a form field");
    }
    if keys.iter().any(|key| key == "AS") {
        return Err("shows another one of several appearances".into());
    }
    if look.iter().any(|entry| entry.key != *"N") && keys.iter().any(|key| key == "AP") {
        return Err("changes its appearance under the mouse".into());
    }
    let (normal, normal_id) = resolve(&step.after, look.get("N"));
    let stream = match normal {
        Object::Stream(stream) => stream,
        Object::Null => return Ok(()),
        _ => return Err("has an appearance of another shape".into()),
    };
    let Some(normal_id) = normal_id.filter(|n| step.unexplained(*n).is_some()) else {
        // An appearance that was there before shows nothing new.
        return if keys.iter().any(|key| key == "AP") {
            Err("shows an appearance that was made for something else".into())
        } else {
            Ok(())
        };
    };
    let belongs = |path: &str| path == "AP/N";
    if !step.is_new(normal_id)
        && !step.uses.all(normal_id.number, |u| u.from == Some(id) && belongs(&u.path))
    {
        return Err("has an appearance that is used elsewhere too, and was changed".into());
    }
    let is_old_font = |font: ObjRef| !step.changed.contains_key(&font.number);
    let text = text_of(value);
    if text.trim().is_empty() && appearance::draws_something(&step.after, &stream) {
        return Err("is empty, and shows something".into());
    }
    appearance::shows_only(&step.after, &stream, &text, &is_old_font)?;
    let what = "the appearance of a form field";
    step.claim(normal_id, &[Place::Appearance], ChangeKind::FormValue, what);
    let dict = Object::Dict(stream.dict.clone());
    step.cover_new(&dict, ChangeKind::FormValue, "the appearance of a form field", false);
    Ok(())
}

/// Buttons: another one of the states that were there is shown.
fn check_button(
    step: &Step<'_>,
    id: ObjRef,
    old: &Dict,
    new: &Dict,
    keys: &[String],
) -> Result<(), String> {
    if keys.iter().any(|key| key == "AP") {
        return Err("got another appearance".into());
    }
    let was_off = match step.before.lookup(old, "AS") {
        Ok(Object::Name(state)) => state == "Off",
        _ => true,
    };
    if keys.iter().any(|key| key == "AS") && !was_off {
        return Err("was marked, and is no longer".into());
    }
    if step.changed.get(&id.number).is_none_or(|changed| changed.before.is_null()) {
        return Err("is new".into());
    }
    match step.after.lookup(new, "V") {
        Ok(Object::Name(_) | Object::Null) => Ok(()),
        _ => Err("has a value that is no state".into()),
    }
}
