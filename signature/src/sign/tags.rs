//! The structure element of a new signature widget in a tagged document (ISO 14289-1, 7.18.4), so
//! that assistive technology finds it.

use crate::pdf::{Dict, ObjRef, Object, PdfString, Result, Update};

/// Nodes of a number tree between its root and a leaf.
const MAX_DEPTH: usize = 16;
/// What a reader announces the field as (ISO 14289-1, 7.18.1).
const ANNOUNCED_AS: &str = "Signature";

/// Lists the widget in the structure tree, when the document has one.
///
/// Only for documents that nobody signed yet: validators take what a later signature adds to the
/// tree for a change of the signed document.
pub(super) fn tag(update: &mut Update<'_>, widget: ObjRef, page: ObjRef) -> Result<()> {
    let Some(root) = tree(update)? else { return Ok(()) };
    let key = next_key(update, root)?;
    let element = update.reserve()?;
    let parent = parent(update, root)?;
    let reference =
        Dict::new().with("Type", Object::name("OBJR")).with("Obj", widget).with("Pg", page);
    let form = Dict::new()
        .with("Type", Object::name("StructElem"))
        .with("S", Object::name("Form"))
        .with("P", parent)
        .with("Pg", page)
        .with("K", reference);
    update.set(element, Object::Dict(form));
    append_kid(update, parent, element)?;
    list_key(update, root, key, element)?;
    update.edit(root, |root| root.set("ParentTreeNextKey", key + 1))?;
    update.edit(widget, |widget| {
        widget.set("StructParent", key);
        widget.set("TU", PdfString::text(ANNOUNCED_AS));
    })?;
    let has_order = update.current(page)?.as_dict().is_some_and(|page| page.contains("Tabs"));
    if has_order {
        return Ok(());
    }
    // Annotations are visited in the order of the structure (7.18.3).
    update.edit(page, |page| page.set("Tabs", Object::name("S")))
}

/// The root of the structure tree of a document that says it is tagged.
fn tree(update: &Update<'_>) -> Result<Option<ObjRef>> {
    let catalog = update.current(update.document().head().catalog_ref()?)?;
    let Object::Dict(catalog) = catalog else { return Ok(None) };
    let entry = |key: &str| catalog.get(key).cloned().unwrap_or_default();
    let is_marked = match update.resolve(&entry("MarkInfo"))? {
        Object::Dict(info) => {
            let marked = info.get("Marked").cloned().unwrap_or_default();
            update.resolve(&marked)? == Object::Bool(true)
        }
        _ => false,
    };
    let root = entry("StructTreeRoot");
    let is_tree = matches!(update.resolve(&root)?, Object::Dict(_));
    if is_marked && is_tree { update.holder(&root) } else { Ok(None) }
}

/// The first key behind all that are in use.
fn next_key(update: &Update<'_>, root: ObjRef) -> Result<i64> {
    let root = dict(update, &Object::Ref(root))?;
    let said = root.get("ParentTreeNextKey").and_then(Object::as_int).unwrap_or(0);
    let mut highest = None;
    let mut node = dict(update, root.get("ParentTree").unwrap_or(&Object::Null))?;
    for _ in 0..MAX_DEPTH {
        let (nums, kids) = (list(update, &node, "Nums")?, list(update, &node, "Kids")?);
        // Keys and values in turn; the keys ascend.
        let last = nums.as_chunks::<2>().0.last().and_then(|[key, _]| key.as_int());
        highest = highest.max(last);
        let Some(kid) = kids.last() else { break };
        node = dict(update, kid)?;
        let limits = list(update, &node, "Limits")?;
        highest = highest.max(limits.last().and_then(Object::as_int));
    }
    let behind = highest.map_or(0, |key| key.saturating_add(1));
    Ok(said.max(behind).max(0))
}

/// The element that holds the whole document where there is one, else the root.
fn parent(update: &Update<'_>, root: ObjRef) -> Result<ObjRef> {
    let kids = dict(update, &Object::Ref(root))?.get("K").cloned().unwrap_or_default();
    let only = match update.resolve(&kids)? {
        Object::Array(list) => match list.as_slice() {
            [only] => only.clone(),
            _ => return Ok(root),
        },
        _ => kids,
    };
    let is_element = update.resolve(&only)?.as_dict().is_some_and(|only| only.contains("S"));
    Ok(update.holder(&only)?.filter(|_| is_element).unwrap_or(root))
}

/// A single kid may stand without an array.
fn append_kid(update: &mut Update<'_>, parent: ObjRef, element: ObjRef) -> Result<()> {
    let held = dict(update, &Object::Ref(parent))?.get("K").cloned().unwrap_or_default();
    match update.resolve(&held)? {
        Object::Array(_) | Object::Null => update.push(parent, "K", element.into()),
        _ => update.edit(parent, |dict| dict.set("K", vec![held, element.into()])),
    }
}

/// Puts the element under its key into the tree of parents (ISO 32000-2, 14.7.5.4).
fn list_key(update: &mut Update<'_>, root: ObjRef, key: i64, element: ObjRef) -> Result<()> {
    let held = dict(update, &Object::Ref(root))?.get("ParentTree").cloned().unwrap_or_default();
    let mut node = dict(update, &held)?;
    if node.contains("Kids") {
        let leaf = Dict::new()
            .with("Limits", vec![Object::Int(key), Object::Int(key)])
            .with("Nums", vec![Object::Int(key), element.into()]);
        let leaf = update.add(leaf)?;
        let mut kids = list(update, &node, "Kids")?;
        kids.push(leaf.into());
        node.set("Kids", kids);
    } else {
        let mut nums = list(update, &node, "Nums")?;
        nums.extend([Object::Int(key), element.into()]);
        node.set("Nums", nums);
    }
    match update.holder(&held)? {
        Some(id) => update.set(id, Object::Dict(node)),
        None => return update.edit(root, |root| root.set("ParentTree", node)),
    }
    Ok(())
}

/// The dictionary behind a value; an empty one where it is none.
fn dict(update: &Update<'_>, value: &Object) -> Result<Dict> {
    Ok(update.resolve(value)?.as_dict().cloned().unwrap_or_default())
}

fn list(update: &Update<'_>, dict: &Dict, key: &str) -> Result<Vec<Object>> {
    let held = dict.get(key).cloned().unwrap_or_default();
    Ok(update.resolve(&held)?.as_array().map(<[Object]>::to_vec).unwrap_or_default())
}
