//! Annotations and actions (ISO 32000-2, 12.5 and 12.6).

use super::FindingCode;
use super::walk::Walk;
use crate::pdf::{Dict, Object};

/// Actions that PDF/A allows (ISO 19005-2, 6.5.1).
const HARMLESS: [&str; 6] = ["GoTo", "GoToR", "GoToE", "Thread", "URI", ""];
/// Named actions that PDF/A allows.
const HARMLESS_NAMED: [&str; 4] = ["NextPage", "PrevPage", "FirstPage", "LastPage"];
/// Annotations that PDF/A forbids (ISO 19005-2, 6.3.1), attachments aside.
const FORBIDDEN: [&str; 5] = ["3D", "Sound", "Screen", "Movie", "RichMedia"];

impl Walk<'_> {
    pub(super) fn annotations(&mut self, page: &Dict, label: &str) {
        for annotation in self.array(page, "Annots") {
            if !self.enter(&annotation, 0) {
                continue;
            }
            let Object::Dict(dict) = self.resolve(&annotation) else { continue };
            self.annotation(&dict, label);
        }
    }

    fn annotation(&mut self, dict: &Dict, label: &str) {
        let subtype = self.name(dict, "Subtype");
        if subtype == "FileAttachment" {
            let specification = self.dict(dict, "FS");
            if self.is_file(&specification) {
                self.note(FindingCode::EfRemoved, format!("attached to {label}"));
            }
        }
        for key in ["RichMediaContent", "Movie"] {
            if dict.get(key).is_some_and(|media| self.holds_file(media)) {
                self.note(FindingCode::EfRemoved, format!("played on {label}"));
            }
        }
        if FORBIDDEN.contains(&subtype.as_str()) {
            let text = format!("a {subtype} annotation on {label}");
            self.note(FindingCode::ActionRemoved, text);
        }
        self.actions(dict, label);
        let opacity = self.get(dict, "CA").as_number();
        if opacity.is_some_and(|v| v < 1.0) {
            self.note(FindingCode::TranspRemoved, format!("an annotation on {label}"));
        }
        let appearance = self.dict(dict, "AP");
        self.appearance(&appearance);
    }

    fn appearance(&mut self, appearance: &Dict) {
        for entry in appearance.iter() {
            match self.resolve(&entry.value) {
                Object::Stream(_) => self.form_xobject(&entry.value, 0),
                Object::Dict(states) => {
                    for state in states.iter() {
                        self.form_xobject(&state.value, 0);
                    }
                }
                _ => {}
            }
        }
    }

    /// `A` and `AA` of a catalog, page, field or annotation.
    pub(super) fn actions(&mut self, dict: &Dict, label: &str) {
        if let Object::Dict(action) = self.get(dict, "A") {
            self.action(&action, label, 0);
        }
        let additional = self.dict(dict, "AA");
        if !additional.is_empty() {
            if self.holds_file(&Object::Dict(additional)) {
                self.note(FindingCode::EfRemoved, format!("played by {label}"));
            }
            self.note(FindingCode::ActionRemoved, format!("additional actions of {label}"));
        }
    }

    pub(super) fn action(&mut self, action: &Dict, label: &str, depth: usize) {
        let kind = self.name(action, "S");
        let named = self.name(action, "N");
        let is_harmless = HARMLESS.contains(&kind.as_str())
            || (kind == "Named" && HARMLESS_NAMED.contains(&named.as_str()));
        if !is_harmless {
            self.note(FindingCode::ActionRemoved, format!("a {kind} action of {label}"));
        }
        if action.get("R").is_some_and(|rendition| self.holds_file(rendition)) {
            self.note(FindingCode::EfRemoved, format!("played by {label}"));
        }
        let next = match self.get(action, "Next") {
            Object::Array(actions) => actions,
            _ => action.get("Next").cloned().into_iter().collect(),
        };
        for action in next {
            if self.enter(&action, depth)
                && let Object::Dict(action) = self.resolve(&action)
            {
                self.action(&action, label, depth + 1);
            }
        }
    }
}
