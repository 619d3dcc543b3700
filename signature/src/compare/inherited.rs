//! Attributes that a page inherits (ISO 32000-2, 7.7.3.4), written out in the page itself.

use super::step::{Step, resolve};
use super::value::same_value;
use crate::pdf::{Dict, Object};

const ATTRIBUTES: [&str; 4] = ["Resources", "MediaBox", "CropBox", "Rotate"];
const MAX_DEPTH: usize = 64;
/// Signers write out one page or a few; more are not looked at.
const MAX_LOOKS: usize = 400;

/// Whether the page had the same value all along, from a node above it. What it inherits is taken
/// from the revision before: a node that is changed too is judged by itself.
pub(super) fn is_written_out(step: &Step<'_>, old: &Dict, new: &Dict, key: &str) -> bool {
    if !ATTRIBUTES.contains(&key) || old.contains(key) || !old.is_name("Type", "Page") {
        return false;
    }
    step.inherited.set(step.inherited.get() + 1);
    if step.inherited.get() > MAX_LOOKS {
        return false;
    }
    let mut node = old.clone();
    for _ in 0..MAX_DEPTH {
        match step.before.lookup_dict(&node, "Parent") {
            Ok(Some(parent)) => node = parent,
            _ => return false,
        }
        if let Some(value) = node.get(key) {
            return is_same(step, value, new.get(key).unwrap_or(&Object::Null));
        }
    }
    false
}

/// Whether a number, or a few, stand elsewhere now and are the same: `Rotate 8 0 R` and another
/// object that is 0 as well.
pub(super) fn is_moved(step: &Step<'_>, old: &Dict, new: &Dict, key: &str) -> bool {
    let entry = step.entry(old, new, key);
    let is_number = |value: &Object| value.as_number().is_some();
    let is_plain = is_number(&entry.before)
        || entry.before.as_array().is_some_and(|values| values.iter().all(is_number));
    ATTRIBUTES.contains(&key) && is_plain && !step.differs(&entry)
}

/// The same reference, or the same value where one of the two was written in its place.
fn is_same(step: &Step<'_>, before: &Object, after: &Object) -> bool {
    let document = step.context.document;
    same_value(document, before, after)
        || same_value(
            document,
            &resolve(&step.before, Some(before)).0,
            &resolve(&step.after, Some(after)).0,
        )
}
