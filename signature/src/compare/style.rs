//! What readers draw with fonts and settings of the form: text without an appearance of its own.
//!
//! A free text annotation or a field without `AP` is drawn from its `DA` in a font that the form's
//! `DR` names, and an appearance that lacks a resource may find it there. Where a document has
//! anything of that kind, the form's style is content.

use super::appearance::draws_something;
use super::content::{Operation, Operations};
use super::plain;
use super::scan::takes_style;
use super::step::{Step, resolve};
use crate::pdf::{Dict, ObjRef, Object, Stream, View};

/// Larger appearances are not looked into and count as using the form's style.
const MAX_CONTENT: usize = 256 << 10;
const MAX_DEPTH: usize = 4;
/// Colour spaces that are no resources.
const STANDARD: [&str; 4] = ["DeviceGray", "DeviceRGB", "DeviceCMYK", "Pattern"];

/// Whether anything on pages or in the form is drawn in the form's style. The forms before and
/// after are looked at, because either may ask readers to draw all fields anew.
pub(super) fn is_in_use(step: &Step<'_>, old: &Dict, new: &Dict) -> bool {
    let asks = |view: &View<'_>, form: &Dict| {
        resolve(view, form.get("NeedAppearances")).0.as_bool().unwrap_or(false)
    };
    // Blank fields stay blank, whoever draws them.
    let is_asked = asks(&step.before, old) || asks(&step.after, new);
    let draws_anew = is_asked && !plain::is_form_blank(step, &step.before);
    let may_look = || step.uses.may_look();
    let look = Look { view: &step.before, draws_anew, may_look: &may_look };
    step.uses.styled().any(|number| {
        if !may_look() {
            return true;
        }
        let Some((id, _)) = step.before.location(number) else { return false };
        match step.before.get(ObjRef::new(number, id.generation)) {
            Ok(found) => look.uses_style(&found.object),
            Err(_) => true,
        }
    })
}

/// What the search for uses of the style knows.
struct Look<'a> {
    view: &'a View<'a>,
    /// Readers draw all fields anew.
    draws_anew: bool,
    may_look: &'a dyn Fn() -> bool,
}

impl Look<'_> {
    /// Whether the object, or a dictionary inside it, uses the style.
    fn uses_style(&self, object: &Object) -> bool {
        match object {
            Object::Array(values) => values.iter().any(|value| self.uses_style(value)),
            Object::Dict(dict) => {
                let takes = dict.iter().any(takes_style) && !is_signature(self.view, dict);
                takes && (self.draws_anew || !self.has_appearance(dict))
                    || dict.iter().any(|entry| self.uses_style(&entry.value))
            }
            _ => false,
        }
    }

    /// Whether it is drawn from an appearance that needs nothing of the form. A field that is no
    /// annotation has widgets, which are looked at by themselves.
    fn has_appearance(&self, dict: &Dict) -> bool {
        if !dict.contains("Subtype") && !dict.contains("Rect") {
            return true;
        }
        let look = self.view.lookup_dict(dict, "AP").ok().flatten().unwrap_or_default();
        match resolve(self.view, look.get("N")).0 {
            Object::Stream(stream) => self.stands_alone(&stream, 0),
            Object::Dict(states) => {
                let stands = |value: &Object| match resolve(self.view, Some(value)).0 {
                    Object::Stream(stream) => self.stands_alone(&stream, 0),
                    _ => false,
                };
                !states.is_empty() && states.iter().all(|entry| stands(&entry.value))
            }
            _ => false,
        }
    }

    /// Whether an appearance names no resource but its own.
    fn stands_alone(&self, stream: &Stream, depth: usize) -> bool {
        if depth > MAX_DEPTH || !(self.may_look)() {
            return false;
        }
        if !draws_something(self.view, stream) {
            return true;
        }
        let Ok(resources) = self.view.lookup_dict(&stream.dict, "Resources") else { return false };
        let resources = resources.unwrap_or_default();
        let Ok(decoded) = self.view.stream_data(stream, MAX_CONTENT) else { return false };
        let mut operations = Operations::new(&decoded.data);
        loop {
            match operations.next() {
                Ok(Some(operation)) if self.is_at_hand(&resources, &operation, depth) => {}
                Ok(None) => return true,
                _ => return false,
            }
        }
    }

    /// Whether the resource that an operation names, if it names one, is among its own.
    fn is_at_hand(&self, resources: &Dict, operation: &Operation, depth: usize) -> bool {
        let kind = match operation.name.as_slice() {
            b"Tf" => "Font",
            b"Do" => "XObject",
            b"gs" => "ExtGState",
            b"sh" => "Shading",
            b"cs" | b"CS" => "ColorSpace",
            b"scn" | b"SCN" => "Pattern",
            _ => return true,
        };
        let Some(name) = operation.operands.iter().find_map(Object::as_name) else { return true };
        if kind == "ColorSpace" && STANDARD.iter().any(|standard| *name == **standard) {
            return true;
        }
        let own = self.view.lookup_dict(resources, kind).ok().flatten().unwrap_or_default();
        match resolve(self.view, own.get(&name.to_text())).0 {
            Object::Null => false,
            Object::Stream(inner) if inner.dict.is_name("Subtype", "Form") => {
                self.stands_alone(&inner, depth + 1)
            }
            _ => true,
        }
    }
}

/// Whether it is a signature field, or the widget of one.
fn is_signature(view: &View<'_>, dict: &Dict) -> bool {
    if !dict.is_name("Subtype", "Widget") && dict.contains("Subtype") {
        return false;
    }
    let mut current = dict.clone();
    for _ in 0..16 {
        match view.lookup(&current, "FT") {
            Ok(Object::Name(kind)) => return kind == "Sig",
            Ok(Object::Null) => {}
            _ => return false,
        }
        match view.lookup_dict(&current, "Parent") {
            Ok(Some(parent)) => current = parent,
            _ => return false,
        }
    }
    false
}
