//! Which paths lead to each object.
//!
//! References are noted once, as the objects are read; places then spread along them, each at most
//! once to each object. So the work grows with the number of references, and an update adds what
//! its own objects refer to. Paths of earlier revisions stay: what was for something else once is
//! never taken for free.

use std::collections::HashMap;

use super::place::{self, Path, Place, Places};
use crate::pdf::{Dict, Object};

/// References that are kept, of 12 bytes each.
const MAX_REFERENCES: usize = 8_000_000;
/// Different paths; real documents have some dozens. Beyond it a path counts as content.
const MAX_PATHS: usize = 4096;
const MAX_DEPTH: usize = 100;
/// Stands for the trailer among the object numbers, which are smaller.
const TRAILER: u32 = u32::MAX;
const END: u32 = u32::MAX;

#[derive(Debug)]
struct Reference {
    path: u32,
    target: u32,
    /// The next one of the same object.
    next: u32,
}

/// The references of a document, and the places of its objects.
#[derive(Debug)]
pub(super) struct Reach {
    paths: Vec<Path>,
    path_numbers: HashMap<Path, u32>,
    /// The path behind each path and key, where it is known.
    longer: Vec<Vec<Option<u32>>>,
    references: Vec<Reference>,
    first: HashMap<u32, u32>,
    /// The first reference of the object that is being noted.
    newest: u32,
    places: HashMap<u32, Places>,
    open: Vec<(u32, Place)>,
    /// What may be linked to, looked at when all other places are known.
    links: Vec<(u32, Place)>,
    is_overfull: bool,
}

impl Default for Reach {
    fn default() -> Self {
        let mut reach = Reach {
            paths: Vec::new(),
            path_numbers: HashMap::new(),
            longer: Vec::new(),
            references: Vec::new(),
            first: HashMap::new(),
            newest: END,
            places: HashMap::new(),
            open: Vec::new(),
            links: Vec::new(),
            is_overfull: false,
        };
        reach.path_number([Some(Place::Drawn); place::COUNT]);
        reach.path_number(place::here());
        reach.mark(TRAILER, Place::Trailer);
        reach
    }
}

/// The numbers that the first two paths get.
const CONTENT: u32 = 0;
const NO_KEY: u32 = 1;

impl Reach {
    /// Notes the references of an object; `None` is the trailer.
    pub(super) fn add(&mut self, number: Option<u32>, object: &Object) {
        self.note(number, |reach| reach.walk(NO_KEY, object, 0));
    }

    /// The same of a dictionary.
    pub(super) fn add_dict(&mut self, number: Option<u32>, dict: &Dict) {
        self.note(number, |reach| reach.walk_dict(NO_KEY, dict, 0));
    }

    fn note(&mut self, number: Option<u32>, walk: impl FnOnce(&mut Self)) {
        let from = number.unwrap_or(TRAILER);
        let before = self.first.get(&from).copied().unwrap_or(END);
        self.newest = before;
        walk(self);
        if self.newest == before {
            return;
        }
        self.first.insert(from, self.newest);
        // Places that it has already go on along the new references.
        let known = self.known(from);
        self.open.extend(known.iter().map(|place| (from, place)));
    }

    /// Whether there were more references than are kept.
    pub(super) fn is_overfull(&self) -> bool {
        self.is_overfull
    }

    /// The places of an object, after [`Reach::settle`].
    pub(super) fn places(&self, number: u32) -> Places {
        debug_assert!(self.open.is_empty() && self.links.is_empty(), "not settled");
        self.known(number)
    }

    fn known(&self, number: u32) -> Places {
        self.places.get(&number).copied().unwrap_or_default()
    }

    /// Spreads the places along the references that were noted.
    pub(super) fn settle(&mut self) {
        loop {
            while let Some((number, place)) = self.open.pop() {
                self.spread(number, place);
            }
            let Some((number, place)) = self.links.pop() else { return };
            if !self.known(number).meets(place.links()) {
                self.mark(number, place);
            }
        }
    }

    fn spread(&mut self, number: u32, place: Place) {
        let mut at = self.first.get(&number).copied().unwrap_or(END);
        while let Some(reference) = self.references.get(at as usize) {
            let (target, path) = (reference.target, reference.path);
            at = reference.next;
            let found = self.paths.get(path as usize).and_then(|path| place.along(path));
            match found {
                Some(found) if found.links().is_empty() => self.mark(target, found),
                Some(found) if !self.known(target).contains(found) => {
                    self.links.push((target, found));
                }
                _ => {}
            }
        }
    }

    fn mark(&mut self, number: u32, place: Place) {
        let known = self.places.entry(number).or_default();
        if !known.contains(place) {
            *known = known.with(place);
            self.open.push((number, place));
        }
    }

    fn walk(&mut self, path: u32, object: &Object, depth: usize) {
        match object {
            Object::Ref(target) => self.refer(path, target.number),
            Object::Array(values) if depth < MAX_DEPTH && values.iter().any(leads_on) => {
                let path = self.longer(path, place::item_number());
                values.iter().for_each(|value| self.walk(path, value, depth + 1));
            }
            Object::Dict(dict) => self.walk_dict(path, dict, depth),
            Object::Stream(stream) => self.walk_dict(path, &stream.dict, depth),
            _ => {}
        }
    }

    fn walk_dict(&mut self, path: u32, dict: &Dict, depth: usize) {
        if depth >= MAX_DEPTH {
            return;
        }
        for entry in dict.iter().filter(|entry| leads_on(&entry.value)) {
            let path = self.longer(path, place::key_number(entry.key.as_bytes()));
            self.walk(path, &entry.value, depth + 1);
        }
    }

    fn refer(&mut self, path: u32, target: u32) {
        match u32::try_from(self.references.len()) {
            Ok(index) if self.references.len() < MAX_REFERENCES => {
                self.references.push(Reference { path, target, next: self.newest });
                self.newest = index;
            }
            _ => self.is_overfull = true,
        }
    }

    fn longer(&mut self, path: u32, key: usize) -> u32 {
        let at = path as usize;
        if let Some(known) = self.longer.get(at).and_then(|keys| keys.get(key)).copied().flatten() {
            return known;
        }
        let known = self.paths.get(at).copied();
        let number = known.map_or(CONTENT, |known| self.path_number(place::longer(&known, key)));
        if self.longer.len() <= at {
            self.longer.resize(at + 1, Vec::new());
        }
        if let Some(keys) = self.longer.get_mut(at) {
            if keys.len() <= key {
                keys.resize(key + 1, None);
            }
            if let Some(place) = keys.get_mut(key) {
                *place = Some(number);
            }
        }
        number
    }

    fn path_number(&mut self, path: Path) -> u32 {
        if let Some(known) = self.path_numbers.get(&path) {
            return *known;
        }
        match u32::try_from(self.paths.len()) {
            Ok(number) if self.paths.len() < MAX_PATHS => {
                self.paths.push(path);
                self.path_numbers.insert(path, number);
                number
            }
            _ => CONTENT,
        }
    }
}

fn leads_on(value: &Object) -> bool {
    matches!(value, Object::Ref(_) | Object::Array(_) | Object::Dict(_) | Object::Stream(_))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pdf::ObjRef;

    fn id(number: u32) -> Object {
        Object::Ref(ObjRef::new(number, 0))
    }

    fn dict(entries: &[(&str, Object)]) -> Object {
        let add = |dict: Dict, (key, value): &(&str, Object)| dict.with(key, value.clone());
        Object::Dict(entries.iter().fold(Dict::new(), add))
    }

    fn base() -> Reach {
        let mut reach = Reach::default();
        reach.add(None, &dict(&[("Root", id(1))]));
        reach.add(Some(1), &dict(&[("Pages", id(2)), ("Outlines", id(9))]));
        reach.add(Some(2), &dict(&[("Kids", Object::Array(vec![id(3)]))]));
        reach.add(Some(3), &dict(&[("Parent", id(2)), ("Resources", id(4))]));
        reach.add(Some(9), &dict(&[("Dest", Object::Array(vec![id(3)])), ("Title", id(10))]));
        reach.settle();
        reach
    }

    #[test]
    fn places_spread_from_the_trailer() {
        let mut reach = base();
        assert_eq!(reach.places(3), Places::of(&[Place::Page]), "a link takes nothing from a page");
        assert_eq!(reach.places(10), Places::of(&[Place::Other]));
        assert_eq!(reach.places(4), Places::of(&[Place::Drawn]));
        assert_eq!(reach.places(99), Places::NONE);
        // An update says that the resources are a security store.
        reach.add(Some(1), &dict(&[("DSS", id(4))]));
        reach.add(Some(4), &dict(&[("VRI", id(5))]));
        reach.settle();
        assert_eq!(reach.places(4), Places::of(&[Place::Drawn, Place::Store]));
        assert_eq!(reach.places(5), Places::of(&[Place::Drawn, Place::Related]));
    }

    #[test]
    fn what_an_annotation_is_drawn_from_is_no_link() {
        let mut reach = base();
        reach.add(Some(1), &dict(&[("StructTreeRoot", id(20))]));
        reach.add(Some(20), &dict(&[("K", id(21))]));
        reach.add(Some(3), &dict(&[("Annots", Object::Array(vec![id(22)]))]));
        reach.add(Some(22), &dict(&[("IC", id(21)), ("P", id(3)), ("IRT", id(22))]));
        reach.settle();
        assert_eq!(reach.places(21), Places::of(&[Place::Structure, Place::Detail]));
        assert_eq!(reach.places(3), Places::of(&[Place::Page]));
    }

    #[test]
    fn loops_and_long_chains_end() {
        let mut reach = base();
        for number in 100..50_000 {
            reach.add(Some(number), &dict(&[("Next", id(number + 1)), ("Prev", id(number - 1))]));
        }
        reach.add(Some(3), &dict(&[("Contents", id(100))]));
        reach.settle();
        assert_eq!(reach.places(50_000), Places::of(&[Place::Drawn]));
        assert!(!reach.is_overfull());
    }
}
