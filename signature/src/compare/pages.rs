//! Pages may list signature widgets among their annotations, and change in nothing else.

use super::change::ChangeKind;
use super::describe::what;
use super::inherited;
use super::place::Place;
use super::step::{Step, added, resolve};
use super::structure;
use super::value::differing_keys;
use crate::pdf::{Dict, ObjRef, Object};

pub(super) fn check(step: &mut Step<'_>) {
    let ids: Vec<ObjRef> = step.changed.values().map(|changed| changed.id).collect();
    for id in ids {
        let Some(changed) = step.unexplained(id) else { continue };
        match (&changed.before, &changed.after) {
            // Whatever else it may be: annotations matter on pages only.
            (Object::Dict(old), Object::Dict(new)) => {
                let (old, new) = (old.clone(), new.clone());
                check_page(step, id, &old, &new);
            }
            (Object::Array(old), Object::Array(new)) => {
                let (old, new) = (old.clone(), new.clone());
                check_list(step, id, &old, &new);
            }
            _ => {}
        }
    }
}

fn check_page(step: &mut Step<'_>, id: ObjRef, old: &Dict, new: &Dict) {
    let keys = differing_keys(step.context.document, old, new);
    let (moved, keys): (Vec<_>, Vec<_>) =
        keys.into_iter().partition(|key| inherited::is_moved(step, old, new, key));
    for key in &moved {
        let entry = step.entry(old, new, key);
        let what = "a number of a page, which is the same";
        step.claim_entry(&entry, Place::Drawn, ChangeKind::Restated, what);
    }
    let (written_out, keys): (Vec<_>, Vec<_>) =
        keys.into_iter().partition(|key| inherited::is_written_out(step, old, new, key));
    if keys.is_empty() && !(written_out.is_empty() && moved.is_empty()) {
        let what = "a page, with what it inherits written out";
        step.claim(id, &[Place::Page], ChangeKind::Restated, what);
        return;
    }
    let (numbered, keys): (Vec<_>, Vec<_>) = keys
        .into_iter()
        .partition(|key| key == "StructParents" && structure::is_unused_number(step, old, new));
    if keys.is_empty() && !numbered.is_empty() {
        let what = "a page, whose number in the structure tree";
        step.claim(id, &[Place::Page], ChangeKind::Listing, what);
        return;
    }
    let may_change = |key: &String| key == "Annots" || key == "Tabs";
    if keys.is_empty() || !keys.iter().all(may_change) {
        return;
    }
    if keys.iter().any(|key| key == "Tabs") {
        // In which order annotations are visited: a tagged document names it for its widgets.
        let order = step.entry(old, new, "Tabs");
        let was_named = matches!(order.before, Object::Name(_));
        let is_named = !was_named && order.after == Object::name("S");
        if !is_named || step.widgets.is_empty() {
            return;
        }
        if keys == ["Tabs"] {
            let what = "a page, whose order of annotations";
            step.claim(id, &[Place::Page], ChangeKind::Listing, what);
            return;
        }
    }
    let annots = step.entry(old, new, "Annots");
    let (Object::Array(_) | Object::Null, Object::Array(after)) = (&annots.before, &annots.after)
    else {
        return;
    };
    let before = annots.before.as_array().unwrap_or(&[]);
    if check_added(step, id, before, after, &[id]) {
        let what = "a page, which lists the signature widget";
        step.claim(id, &[Place::Page], ChangeKind::Listing, what);
    }
    step.claim_entry(&annots, Place::Annotations, ChangeKind::Listing, "the annotations of a page");
}

/// An array of its own: it must be the annotations of pages and nothing else.
fn check_list(step: &mut Step<'_>, id: ObjRef, old: &[Object], new: &[Object]) {
    if !step.uses.all(id.number, |u| u.path == "Annots" && u.from.is_some()) {
        return;
    }
    let pages: Vec<ObjRef> = step.uses.of(id.number).iter().filter_map(|u| u.from).collect();
    if check_added(step, id, old, new, &pages) {
        step.claim(id, &[Place::Annotations], ChangeKind::Listing, "the annotations of a page");
    }
}

/// Whether only signature widgets of this revision were added. What else was done is forbidden.
fn check_added(
    step: &mut Step<'_>,
    owner: ObjRef,
    old: &[Object],
    new: &[Object],
    pages: &[ObjRef],
) -> bool {
    let Some(added) = added(step.context.document, old, new) else {
        let detail = "annotations of a page were removed, or put in another order";
        step.forbid(Some(owner), ChangeKind::Other, detail);
        return false;
    };
    let mut is_clean = true;
    for annotation in added {
        let (value, id) = resolve(&step.after, Some(&annotation));
        // By way of another object some readers find it, and others do not.
        let is_direct = annotation.as_ref() == id;
        match id.filter(|id| is_direct && step.widgets.contains(&id.number)) {
            Some(id) => step.listed.extend(pages.iter().map(|page| (*page, id))),
            None => {
                let detail = format!("{} was put on a page", what(&value));
                step.forbid(id.or(Some(owner)), ChangeKind::Other, detail);
                is_clean = false;
            }
        }
    }
    if !is_clean {
        step.forbid(Some(owner), ChangeKind::Other, "a page lists annotations that are no seal");
    }
    is_clean
}
