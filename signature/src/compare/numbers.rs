//! The number tree that leads from pages and widgets to structure elements (ISO 32000-2, 7.9.7 and
//! 14.7.5.4), compared by what it says: programs that add an entry write its nodes anew.

use std::collections::BTreeMap;

use super::step::resolve;
use super::value::same_value;
use crate::pdf::{Dict, Document, ObjRef, Object, View};

/// Deeper or larger trees are not looked into.
const MAX_DEPTH: usize = 32;
const MAX_ENTRIES: usize = 50_000;

/// What a number tree says.
#[derive(Default)]
pub(super) struct Numbers {
    values: BTreeMap<i64, Object>,
    /// Objects that hold its nodes and lists.
    holders: Vec<ObjRef>,
}

/// What a tree says beyond an older one, and the objects that hold all of it.
pub(super) struct Added {
    pub(super) values: Vec<(i64, Object)>,
    pub(super) holders: Vec<ObjRef>,
}

impl Numbers {
    /// Reads a tree; `None` when it is none, or says something about a number twice.
    pub(super) fn read(view: &View<'_>, root: Option<&Object>) -> Option<Numbers> {
        let mut numbers = Numbers::default();
        let is_absent = root.is_none_or(Object::is_null);
        (is_absent || numbers.node(view, root, 0).is_some()).then_some(numbers)
    }

    pub(super) fn contains(&self, number: i64) -> bool {
        self.values.contains_key(&number)
    }

    fn node(&mut self, view: &View<'_>, value: Option<&Object>, depth: usize) -> Option<()> {
        let (Object::Dict(node), id) = resolve(view, value) else { return None };
        self.hold(id, depth)?;
        if !is_plain(&node) {
            return None;
        }
        let (nums, holder) = resolve(view, node.get("Nums"));
        self.holders.extend(holder);
        for pair in nums.as_array().unwrap_or_default().chunks(2) {
            let [number, value] = pair else { return None };
            let (number, holder) = resolve(view, Some(number));
            self.hold(holder, depth)?;
            if self.values.insert(number.as_int()?, value.clone()).is_some() {
                return None;
            }
        }
        let (kids, holder) = resolve(view, node.get("Kids"));
        self.hold(holder, depth)?;
        for kid in kids.as_array().unwrap_or_default() {
            self.node(view, Some(kid), depth + 1)?;
        }
        Some(())
    }

    fn hold(&mut self, id: Option<ObjRef>, depth: usize) -> Option<()> {
        self.holders.extend(id);
        let is_small = self.holders.len() < MAX_ENTRIES && self.values.len() < MAX_ENTRIES;
        (depth < MAX_DEPTH && is_small).then_some(())
    }

    /// What `new` says beyond this tree, by number; `None` when something it said is gone or
    /// means something else. Lists of elements may have moved: they are taken for the holders'.
    pub(super) fn added(
        &self,
        document: &Document,
        (before, after): (&View<'_>, &View<'_>),
        new: &Numbers,
    ) -> Option<Added> {
        let mut holders = new.holders.clone();
        for (number, value) in &self.values {
            let other = new.values.get(number)?;
            let (old, _) = resolve(before, Some(value));
            let (now, holder) = resolve(after, Some(other));
            let is_list = matches!((&old, &now), (Object::Array(_), Object::Array(_)));
            let is_same = if is_list {
                same_value(document, &old, &now)
            } else {
                same_value(document, value, other)
            };
            if !is_same {
                return None;
            }
            if is_list {
                holders.extend(holder);
            }
        }
        let is_new = |(number, _): &(&i64, &Object)| !self.values.contains_key(number);
        let values = new.values.iter().filter(is_new).map(|(n, v)| (*n, v.clone())).collect();
        Some(Added { values, holders })
    }
}

/// `Type` is not in the standard, and some write it.
fn is_plain(node: &Dict) -> bool {
    const KEYS: [&str; 4] = ["Nums", "Kids", "Limits", "Type"];
    let is_known = |key: &[u8]| KEYS.iter().any(|known| known.as_bytes() == key);
    node.iter().all(|entry| is_known(entry.key.as_bytes()))
        && !node.has_repeated_keys()
        && (!node.contains("Type") || node.is_name("Type", "ParentTree"))
}
