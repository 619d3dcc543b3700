//! The structure tree of tagged documents (ISO 32000-2, 14.7): it may get an element for a
//! signature widget, so that assistive technology finds it.

use std::collections::HashSet;

use super::change::ChangeKind;
use super::numbers::Numbers;
use super::place::{Place, Places};
use super::step::{Step, added, resolve};
use super::value::differing_keys;
use crate::pdf::{Dict, ObjRef, Object, View};

const WHAT: &str = "the structure tree, which lists the signature widget";
const TREE: &[Place] = &[Place::Structure, Place::Numbers, Place::NumberKids];
const ELEMENT_KEYS: [&str; 9] = ["Type", "S", "P", "K", "Pg", "Alt", "T", "Lang", "ID"];

pub(super) fn check(step: &mut Step<'_>) {
    if step.widgets.is_empty() {
        return;
    }
    let says_the_same = check_parent_tree(step);
    let ids: Vec<ObjRef> = step.changed.values().map(|changed| changed.id).collect();
    for id in ids {
        let Some(changed) = step.unexplained(id) else { continue };
        match (&changed.before, &changed.after) {
            (Object::Dict(old), Object::Dict(new)) => {
                let (old, new) = (old.clone(), new.clone());
                check_node(step, id, (&old, &new), says_the_same);
            }
            (Object::Array(old), Object::Array(new)) => {
                let (old, new) = (old.clone(), new.clone());
                // Lists of another kind are none of its business.
                if step.uses.places(id.number).contains(Place::Structure)
                    && is_addition(step, &old, &new)
                {
                    step.claim(id, TREE, ChangeKind::Listing, WHAT);
                }
            }
            _ => {}
        }
    }
}

/// Whether a page without a number in the structure tree got one that leads nowhere, before and
/// after: some programs number a page before they list a widget on it.
pub(super) fn is_unused_number(step: &Step<'_>, old: &Dict, new: &Dict) -> bool {
    let Some(number) = new.get("StructParents").and_then(Object::as_int) else { return false };
    let Some((before, after)) = number_trees(step) else { return false };
    !old.contains("StructParents") && !before.contains(number) && !after.contains(number)
}

/// The number trees before and after; `None` when one of them is none.
fn number_trees<'s>(step: &'s Step<'_>) -> Option<&'s (Numbers, Numbers)> {
    let read = |view: &View<'_>| {
        let catalog = view.catalog().ok()?;
        let root = view.lookup_dict(&catalog, "StructTreeRoot").ok()?.unwrap_or_default();
        Numbers::read(view, root.get("ParentTree"))
    };
    step.numbers.get_or_init(|| Some((read(&step.before)?, read(&step.after)?))).as_ref()
}

/// The number tree that leads from pages and widgets to elements may be written anew, when it says
/// the same and besides names elements of this revision's widgets. Its nodes are explained then.
fn check_parent_tree(step: &mut Step<'_>) -> bool {
    let is_of_tree = |id: &u32| step.uses.places(*id).meets(Places::of(TREE));
    if !step.changed.keys().any(is_of_tree) {
        return false;
    }
    let Some((old, new)) = number_trees(step) else { return false };
    let views = (&step.before, &step.after);
    let Some(added) = old.added(step.context.document, views, new) else { return false };
    // An element that describes a widget goes by the widget's number.
    let given = step.widgets.iter().filter_map(|id| {
        let widget = step.changed.get(id)?.after.as_dict()?;
        widget.get("StructParent")?.as_int()
    });
    let given: HashSet<i64> = given.collect();
    if !added
        .values
        .iter()
        .all(|(number, value)| given.contains(number) && is_new_element(step, value))
    {
        return false;
    }
    for id in added.holders {
        if step.unexplained(id).is_some() {
            step.claim(id, TREE, ChangeKind::Listing, WHAT);
        }
    }
    true
}

/// The root of the tree, an element, or a node of the number tree that leads to elements.
fn check_node(step: &mut Step<'_>, id: ObjRef, (old, new): (&Dict, &Dict), says_the_same: bool) {
    let is_root = old.is_name("Type", "StructTreeRoot");
    let is_element = old.is_name("Type", "StructElem") || old.contains("S") && old.contains("P");
    let leads_on = old.contains("Kids") && step.uses.places(id.number).contains(Place::Numbers);
    // Number trees have no type; Skia writes one into theirs.
    let has_own_type = old.contains("Type") && !old.is_name("Type", "ParentTree");
    let is_number_node = (old.contains("Nums") || leads_on) && !has_own_type && !is_element;
    for key in differing_keys(step.context.document, old, new) {
        let entry = step.entry(old, new, &key);
        let is_accepted = match key.as_str() {
            "K" if is_root || is_element => is_addition(
                step,
                &list(&entry.before, old.get("K")),
                &list(&entry.after, new.get("K")),
            ),
            "Nums" | "Kids" if is_number_node => is_number_addition(step, old, new, &key),
            // It has been looked at as a whole, and what is left of it by its nodes.
            "ParentTree" if is_root && says_the_same => true,
            // No roles are mapped in either.
            "RoleMap" if is_root => is_empty(&entry.before) && is_empty(&entry.after),
            "ParentTreeNextKey" if is_root => entry.after.as_int() >= entry.before.as_int(),
            "ParentTree" if is_root => match (&entry.before, &entry.after) {
                (Object::Dict(a), Object::Dict(b)) => {
                    let (a, b) = (a.clone(), b.clone());
                    differing_keys(step.context.document, &a, &b)
                        .iter()
                        .all(|key| is_number_addition(step, &a, &b, key))
                }
                (Object::Null, Object::Dict(new)) => {
                    let new = new.clone();
                    new.iter().all(|entry| entry.key == *"Nums")
                        && is_number_addition(step, &Dict::new(), &new, "Nums")
                }
                _ => false,
            },
            "Limits" if is_number_node => true,
            _ => false,
        };
        if !is_accepted {
            return;
        }
    }
    if is_root || is_element || is_number_node {
        step.claim(id, TREE, ChangeKind::Listing, WHAT);
    }
}

fn is_empty(value: &Object) -> bool {
    value.is_null() || value.as_dict().is_some_and(Dict::is_empty)
}

/// Numbers with new elements, or new leaves with such, behind those that are there.
fn is_number_addition(step: &mut Step<'_>, old: &Dict, new: &Dict, key: &str) -> bool {
    let entry = step.entry(old, new, key);
    let (before, after) = (list(&entry.before, None), list(&entry.after, None));
    match key {
        "Nums" => is_addition(step, &before, &after),
        "Kids" => {
            let Some(added) = added(step.context.document, &before, &after) else { return false };
            added.iter().all(|leaf| is_new_leaf(step, leaf))
        }
        _ => false,
    }
}

fn is_new_leaf(step: &mut Step<'_>, value: &Object) -> bool {
    let (leaf, id) = resolve(&step.after, Some(value));
    let (Object::Dict(leaf), Some(id)) = (&leaf, id) else { return false };
    let is_plain = leaf.iter().all(|entry| entry.key == *"Nums" || entry.key == *"Limits");
    let nums = resolve(&step.after, leaf.get("Nums")).0;
    if !step.is_new(id) || !is_plain || !is_addition(step, &[], &list(&nums, None)) {
        return false;
    }
    step.cover_new(value, ChangeKind::Listing, WHAT, false);
    true
}

/// A single kid stands without an array.
fn list(resolved: &Object, direct: Option<&Object>) -> Vec<Object> {
    match (resolved, direct) {
        (Object::Array(values), _) => values.clone(),
        (Object::Null, _) => Vec::new(),
        (_, Some(value)) => vec![value.clone()],
        (value, None) => vec![value.clone()],
    }
}

/// Whether only numbers and new elements for this revision's widgets were added.
fn is_addition(step: &mut Step<'_>, old: &[Object], new: &[Object]) -> bool {
    let Some(added) = added(step.context.document, old, new) else { return false };
    added.iter().all(|value| value.as_int().is_some() || is_new_element(step, value))
}

fn is_new_element(step: &mut Step<'_>, value: &Object) -> bool {
    let (element, id) = resolve(&step.after, Some(value));
    let (Object::Dict(dict), Some(id)) = (&element, id) else { return false };
    if !step.is_new(id) || !dict.iter().all(|e| ELEMENT_KEYS.iter().any(|key| e.key == *key)) {
        return false;
    }
    let kids = resolve(&step.after, dict.get("K")).0;
    let kids = list(&kids, dict.get("K"));
    let is_widget = |kid: &Object| match resolve(&step.after, Some(kid)).0 {
        Object::Dict(reference) if reference.is_name("Type", "OBJR") => {
            let target = reference.get("Obj").and_then(Object::as_ref);
            target.is_some_and(|id| step.widgets.contains(&id.number))
        }
        _ => false,
    };
    if kids.is_empty() || !kids.iter().all(is_widget) {
        return false;
    }
    step.cover_new(value, ChangeKind::Listing, WHAT, false);
    true
}
