//! Files inside a document, wherever they are put (ISO 32000-2, 7.11).

use std::collections::HashSet;

use super::walk::Walk;
use crate::pdf::{Dict, Object};

/// Values that are looked at below one.
const MAX_VALUES: usize = 2000;
const MAX_DEPTH: usize = 24;
/// Parts of the document itself, which actions lead to.
const ELSEWHERE: [&str; 6] = ["Page", "Pages", "Catalog", "Annot", "StructElem", "StructTreeRoot"];

impl Walk<'_> {
    /// Whether a file specification holds a file: without one it only names a file elsewhere.
    pub(super) fn is_file(&mut self, specification: &Dict) -> bool {
        let files = self.dict(specification, "EF");
        files.iter().any(|entry| matches!(self.resolve(&entry.value), Object::Stream(_)))
    }

    /// Whether there is a file anywhere below a value: in assets of rich media, in clips of
    /// renditions.
    pub(super) fn holds_file(&mut self, value: &Object) -> bool {
        let mut open = vec![(value.clone(), 0)];
        let (mut seen, mut left) = (HashSet::new(), MAX_VALUES);
        while let Some((value, depth)) = open.pop() {
            let is_new = value.as_ref().is_none_or(|id| seen.insert(id.number));
            if !is_new || depth > MAX_DEPTH || left == 0 {
                continue;
            }
            left -= 1;
            match self.resolve(&value) {
                Object::Dict(dict) => {
                    if ELSEWHERE.iter().any(|kind| dict.is_name("Type", kind)) {
                        continue;
                    }
                    if self.is_file(&dict) {
                        return true;
                    }
                    open.extend(dict.iter().map(|entry| (entry.value.clone(), depth + 1)));
                }
                Object::Array(values) => {
                    open.extend(values.into_iter().map(|value| (value, depth + 1)));
                }
                _ => {}
            }
        }
        false
    }
}
