//! Objects that nothing reaches: no reader comes to them, so they are reported and not forbidden.
//! When a later revision reaches one of them, it is looked at there as if it were new.

use super::change::ChangeKind;
use super::describe::describe;
use super::step::{Changed, Step};
use crate::pdf::{Dict, ObjRef, Object};

/// What readers that repair a file look for among all objects, reached or not.
const FOUND_BY_TYPE: [&str; 4] = ["Catalog", "Pages", "XRef", "ObjStm"];
const FOUND_BY_KEY: [&str; 4] = ["Root", "Pages", "Linearized", "Encrypt"];

/// Takes up what earlier revisions left lying and this one reaches.
pub(super) fn recall(step: &mut Step<'_>) {
    let numbers: Vec<u32> = step.uses.idle.keys().copied().collect();
    for number in numbers {
        if step.changed.contains_key(&number) {
            step.uses.idle.remove(&number);
        } else if !step.uses.places(number).is_empty()
            && let Some((id, object)) = step.uses.idle.remove(&number)
        {
            step.changed.insert(number, Changed::new(id, Object::Null, object));
        }
    }
}

/// Explains what is left and reached by nothing.
pub(super) fn leave(step: &mut Step<'_>) {
    let left: Vec<(ObjRef, Object, String)> = step
        .changed
        .values()
        .filter(|changed| step.unexplained(changed.id).is_some() && may_lie(step, changed))
        .map(|changed| (changed.id, changed.after.clone(), words(changed)))
        .collect();
    for (id, object, words) in left {
        if step.claim(id, &[], ChangeKind::FileStructure, words) && !object.is_null() {
            step.uses.idle.insert(id.number, (id, object));
        }
    }
}

fn words(changed: &Changed) -> String {
    format!("{}, and nothing reaches it", describe(&changed.before, &changed.after))
}

fn may_lie(step: &Step<'_>, changed: &Changed) -> bool {
    let is_new_or_gone = changed.before.is_null() || changed.after.is_null();
    let is_found = |dict: &Dict| {
        FOUND_BY_TYPE.iter().any(|kind| dict.is_name("Type", kind))
            || FOUND_BY_KEY.iter().any(|key| dict.contains(key))
    };
    is_new_or_gone
        && step.uses.places(changed.id.number).is_empty()
        && !changed.after.as_dict().is_some_and(is_found)
}
