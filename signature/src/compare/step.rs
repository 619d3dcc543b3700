//! One revision held against the one before it.
//!
//! Every object that the revision defines is collected first. Rules then walk from the trailer and
//! the catalog along the paths that signing needs, and explain the changes they accept. Whatever
//! is left unexplained is forbidden: the list of what is allowed is the only list there is.

use std::cell::{Cell, OnceCell};
use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::change::{Change, ChangeKind};
use super::describe::describe;
use super::numbers::Numbers;
use super::place::{Place, Places};
use super::scan::{Uses, claims_more, says_its_length};
use super::seal::SealFound;
use super::value::{repeats_a_key, same_value};
use crate::pdf::{Dict, Document, Location, ObjRef, Object, Revision, View};

/// More changed objects than this are not looked at one by one.
const MAX_CHANGED: usize = 50_000;
/// Keys of a stream dictionary that make it show something from elsewhere.
const OUTSIDE_KEYS: [&str; 7] = ["F", "FFilter", "DP", "Ref", "OPI", "Alternates", "OC"];

/// What every signature changes: it is not held against a document that a part of it is damaged.
const SIGNED: Places = Places::of(&[
    Place::Catalog,
    Place::Page,
    Place::Annotations,
    Place::Field,
    Place::Form,
    Place::FormFields,
    Place::Structure,
]);

/// What the rules need to know besides the two revisions.
pub(super) struct Context<'a> {
    /// The document that is verified.
    pub(super) document: &'a Document,
    /// Whether empty form fields may be filled in.
    pub(super) may_fill: bool,
    /// Offset behind the bytes that the comparison starts from.
    pub(super) base_len: u64,
}

/// An object that the revision defines, frees or redefines.
pub(super) struct Changed {
    pub(super) id: ObjRef,
    /// The value before; null for a new object.
    pub(super) before: Object,
    /// The value after; null for a freed object.
    pub(super) after: Object,
    is_explained: bool,
}

impl Changed {
    pub(super) fn new(id: ObjRef, before: Object, after: Object) -> Self {
        Changed { id, before, after, is_explained: false }
    }
}

/// One revision, and what was found about it.
pub(super) struct Step<'a> {
    pub(super) context: &'a Context<'a>,
    /// Where objects are used, this revision included once its objects are collected.
    pub(super) uses: &'a mut Uses,
    pub(super) before: View<'a>,
    pub(super) after: View<'a>,
    pub(super) revision: &'a Revision,
    pub(super) changed: BTreeMap<u32, Changed>,
    pub(super) permitted: Vec<Change>,
    pub(super) forbidden: Vec<Change>,
    /// Signature widgets of this revision, which pages may list.
    pub(super) widgets: HashSet<u32>,
    /// Pages, and the widgets they list newly.
    pub(super) listed: Vec<(ObjRef, ObjRef)>,
    /// Signature dictionaries of this revision.
    pub(super) signatures: HashSet<u32>,
    pub(super) seals: Vec<SealFound>,
    /// Form fields that were filled in.
    pub(super) filled: Vec<String>,
    /// Signature fields that were added or signed, those of document timestamps left out.
    pub(super) signed_fields: Vec<String>,
    names_before: OnceCell<HashSet<String>>,
    /// The structure's number trees before and after, read when first asked for.
    pub(super) numbers: OnceCell<Option<(Numbers, Numbers)>>,
    /// How many entries of pages were looked up in what they inherit.
    pub(super) inherited: Cell<usize>,
}

/// A value before and after, with the objects that hold it.
pub(super) struct Entry {
    pub(super) before: Object,
    pub(super) after: Object,
    pub(super) before_id: Option<ObjRef>,
    pub(super) after_id: Option<ObjRef>,
}

impl<'a> Step<'a> {
    pub(super) fn new(
        context: &'a Context<'a>,
        uses: &'a mut Uses,
        before: View<'a>,
        after: View<'a>,
        revision: &'a Revision,
    ) -> Self {
        Step {
            context,
            uses,
            before,
            after,
            revision,
            changed: BTreeMap::new(),
            permitted: Vec::new(),
            forbidden: Vec::new(),
            widgets: HashSet::new(),
            listed: Vec::new(),
            signatures: HashSet::new(),
            seals: Vec::new(),
            filled: Vec::new(),
            signed_fields: Vec::new(),
            names_before: OnceCell::new(),
            numbers: OnceCell::new(),
            inherited: Cell::new(0),
        }
    }

    /// Names of the fields that were there before.
    pub(super) fn known_names(&self) -> &HashSet<String> {
        self.names_before.get_or_init(|| {
            let fields = self.before.form_fields().unwrap_or_default();
            fields.into_iter().map(|field| field.name).collect()
        })
    }

    /// Runs all rules.
    pub(super) fn run(&mut self, is_rebuilt_base: bool) {
        self.collect(is_rebuilt_base);
        self.note_uses();
        super::idle::recall(self);
        super::file::check_structure(self);
        super::trailer::check(self);
        match (self.before.catalog(), self.after.catalog()) {
            (Ok(before), Ok(after)) => super::catalog::check(self, &before, &after),
            _ => self.forbid(None, ChangeKind::Other, "the catalog cannot be read"),
        }
        super::fields::check_changed(self);
        super::pages::check(self);
        super::structure::check(self);
        super::idle::leave(self);
        self.reject_rest();
        super::file::check_bytes(self);
    }

    /// Collects what the revision changes.
    fn collect(&mut self, is_rebuilt_base: bool) {
        let ids: Vec<(ObjRef, Location)> = if is_rebuilt_base {
            self.differing_locations()
        } else {
            let changes = self.context.document.changes(self.revision);
            changes.map(|change| (change.id, change.location)).collect()
        };
        let later: Vec<_> = ids.into_iter().filter(|(id, at)| self.is_later(*id, *at)).collect();
        let read = super::reading::values(self, &later);
        for ((id, location), (before, after)) in later.into_iter().zip(read) {
            if self.changed.len() >= MAX_CHANGED {
                let detail = format!("more than {MAX_CHANGED} objects were changed");
                self.forbid(None, ChangeKind::Other, detail);
                return;
            }
            self.collect_one(id, location, before, after);
        }
    }

    /// What this revision refers to counts before anything in it is explained.
    fn note_uses(&mut self) {
        self.uses.add_dict(None, self.after.trailer());
        for changed in self.changed.values() {
            self.uses.add(Some(changed.id), &changed.after);
        }
        self.uses.settle();
    }

    /// Whether an object stands elsewhere than before.
    fn is_later(&self, id: ObjRef, location: Location) -> bool {
        let known = self.before.location(id.number);
        let is_nothing = location == Location::Free && known.is_none();
        id.number != 0 && known != Some((id, location)) && !is_nothing
    }

    /// A rebuilt base has no sections to go by: whole tables are compared.
    fn differing_locations(&self) -> Vec<(ObjRef, Location)> {
        let mut all: BTreeSet<u32> = self.before.locations().map(|(id, _)| id.number).collect();
        all.extend(self.after.locations().map(|(id, _)| id.number));
        all.into_iter()
            .map(|number| {
                let gone = (ObjRef::new(number, 0), Location::Free);
                self.after.location(number).unwrap_or(gone)
            })
            .collect()
    }

    fn collect_one(
        &mut self,
        id: ObjRef,
        location: Location,
        before: Object,
        after: Result<Object, String>,
    ) {
        let known = self.before.location(id.number);
        let is_idle = self.uses.idle.contains_key(&id.number);
        // Nothing reached it, so it is new to all that do now.
        let before = if is_idle { Object::Null } else { before };
        let after = match (location, after) {
            (Location::Free, _) => Object::Null,
            (_, Ok(after)) => after,
            (_, Err(reason)) => return self.forbid(Some(id), ChangeKind::Other, reason),
        };
        if let Some((known_id, _)) = known
            && known_id != id
            && !before.is_null()
            && !after.is_null()
        {
            let detail = format!("the number of object {known_id} was given to another object");
            return self.forbid(Some(id), ChangeKind::Other, detail);
        }
        if before.is_null() && after.is_null() {
            return;
        }
        let is_information = self.after.trailer().get("Info").and_then(Object::as_ref) == Some(id)
            && self.uses.places(id.number) == Places::of(&[Place::Info]);
        if !is_information && (repeats_a_key(&before) || repeats_a_key(&after)) {
            let detail = "a dictionary has a key twice: readers take the first or the last";
            return self.forbid(Some(id), ChangeKind::Other, detail);
        }
        if same_value(self.context.document, &before, &after) {
            let change =
                self.change(Some(id), ChangeKind::Restated, "written again as it was".into());
            return self.permitted.push(change);
        }
        if before.is_null() && !is_idle && self.was_expected(id.number, &after) {
            let detail = format!(
                "an object was defined that the document referred to before it existed: {}",
                describe(&before, &after)
            );
            return self.forbid(Some(id), ChangeKind::Other, detail);
        }
        let number = id.number;
        self.changed.insert(number, Changed::new(id, before, after));
    }

    /// Whether the document referred to a new object before it existed. LibreOffice names copies
    /// of its sources by numbers that exist in its own files only: others give them away, and what
    /// is no stream is no copy.
    fn was_expected(&self, number: u32, after: &Object) -> bool {
        let is_copy = |path: &str| path == "AdditionalStreams";
        let is_copy_only = self.uses.all(number, |u| u.from.is_none() && is_copy(&u.path));
        !(self.uses.of(number).is_empty() || is_copy_only && after.as_stream().is_none())
    }

    /// The new value, when it stands inside its own update.
    pub(super) fn read_after(&self, id: ObjRef, location: Location) -> Result<Object, String> {
        let start = self.revision.start.max(self.context.base_len);
        if let Location::At { offset } = location
            && !(start..self.revision.end).contains(&offset)
        {
            return Err(format!("the update takes it from elsewhere in the file (byte {offset})"));
        }
        let found = self.after.get(id).map_err(|error| format!("it cannot be read: {error}"))?;
        if found.id != id {
            return Err(format!("object {} stands where the cross-reference puts it", found.id));
        }
        let end = self.revision.end;
        if found.span.is_some_and(|span| span.end > end)
            || claims_more(&self.after, &found.object, end)
        {
            return Err("it reaches behind the end of its revision".into());
        }
        if !says_its_length(&self.after, &found.object) {
            return Err("it is a stream of another length than it says: readers disagree".into());
        }
        Ok(found.object)
    }

    /// Forbids what no rule explained.
    fn reject_rest(&mut self) {
        let rest: Vec<(ObjRef, String)> = self
            .changed
            .values()
            .filter(|changed| !changed.is_explained)
            .map(|changed| (changed.id, describe(&changed.before, &changed.after)))
            .collect();
        for (id, detail) in rest {
            self.forbid(Some(id), ChangeKind::Other, detail);
        }
    }

    /// Lists a permitted change of no object of its own.
    pub(super) fn declare(&mut self, kind: ChangeKind, detail: impl Into<String>) {
        let change = self.change(None, kind, detail.into());
        self.permitted.push(change);
    }

    /// Explains the change of an object: the one way to do it. Every path that leads to the object
    /// must end in one of `places`; a new object may be for other things that rules look at, too.
    /// Says whether that is so; otherwise the change is forbidden.
    pub(super) fn claim(
        &mut self,
        id: ObjRef,
        places: &[Place],
        kind: ChangeKind,
        detail: impl Into<String>,
    ) -> bool {
        let detail = detail.into();
        let known = if self.is_new(id) { Places::FOR_NEW } else { Places::NONE };
        let others = self.uses.places(id.number).without(known).without(Places::of(places));
        let also: Vec<&str> = others.iter().map(Place::words).collect();
        if !also.is_empty() {
            let also = also.join(", ");
            let detail = format!("{detail}: the object is used for something else too ({also})");
            self.forbid(Some(id), ChangeKind::Other, detail);
            return false;
        }
        if !self.is_new(id) && !Places::of(places).meets(SIGNED) && self.uses.is_blind() {
            let detail = format!(
                "{detail}: a part of what pages show cannot be read, and may use the object too"
            );
            self.forbid(Some(id), ChangeKind::Other, detail);
            return false;
        }
        let change = self.change(Some(id), kind, detail);
        self.permitted.push(change);
        true
    }

    /// Lists a forbidden change; the object is not listed again.
    pub(super) fn forbid(
        &mut self,
        id: Option<ObjRef>,
        kind: ChangeKind,
        detail: impl Into<String>,
    ) {
        let change = self.change(id, kind, detail.into());
        self.forbidden.push(change);
    }

    fn change(&mut self, id: Option<ObjRef>, kind: ChangeKind, detail: String) -> Change {
        if let Some(changed) = id.and_then(|id| self.changed.get_mut(&id.number)) {
            changed.is_explained = true;
        }
        let object = id.map(|id| id.to_string());
        let revision = self.revision.index;
        Change { revision, object, kind, detail, place: None, place_before: None }
    }

    /// The change of an object, while no rule has explained it.
    pub(super) fn unexplained(&self, id: ObjRef) -> Option<&Changed> {
        self.changed.get(&id.number).filter(|changed| !changed.is_explained && changed.id == id)
    }

    /// Whether the object did not exist before.
    pub(super) fn is_new(&self, id: ObjRef) -> bool {
        self.changed.get(&id.number).is_some_and(|changed| changed.before.is_null())
    }

    /// A dictionary entry before and after.
    pub(super) fn entry(&self, before: &Dict, after: &Dict, key: &str) -> Entry {
        let (before, before_id) = resolve(&self.before, before.get(key));
        let (after, after_id) = resolve(&self.after, after.get(key));
        Entry { before, after, before_id, after_id }
    }

    /// Whether an entry has another value than before.
    pub(super) fn differs(&self, entry: &Entry) -> bool {
        !same_value(self.context.document, &entry.before, &entry.after)
    }

    /// Explains the object that holds a value, when it changed: it must be new, or have held the
    /// same value before, and be in no place but `place`. `false` when it was forbidden.
    pub(super) fn claim_entry(
        &mut self,
        entry: &Entry,
        place: Place,
        kind: ChangeKind,
        detail: &str,
    ) -> bool {
        let Some(id) = entry.after_id else { return true };
        let Some(changed) = self.unexplained(id) else { return true };
        if changed.before.is_null() || entry.before_id == Some(id) {
            return self.claim(id, &[place], kind, detail);
        }
        let detail = format!("an object of another kind was overwritten with {detail}");
        self.forbid(Some(id), ChangeKind::Other, detail);
        false
    }

    /// Explains the new objects below a value.
    pub(super) fn cover_new(
        &mut self,
        value: &Object,
        kind: ChangeKind,
        detail: &str,
        may_hold_streams: bool,
    ) {
        let mut open = Vec::new();
        push_references(value, &mut open, 0);
        while let Some(id) = open.pop() {
            let Some(changed) = self.unexplained(id) else { continue };
            if !changed.before.is_null() {
                continue;
            }
            let object = changed.after.clone();
            if let Object::Stream(stream) = &object {
                let outside = OUTSIDE_KEYS.iter().find(|key| stream.dict.contains(key));
                if !may_hold_streams {
                    let detail = format!("{detail} holds a stream, which it does not need");
                    self.forbid(Some(id), ChangeKind::Other, detail);
                    continue;
                }
                if let Some(key) = outside {
                    let detail = format!("{detail} depends on something outside of it ({key})");
                    self.forbid(Some(id), ChangeKind::Other, detail);
                    continue;
                }
            }
            self.claim(id, &[], kind, format!("part of {detail}"));
            push_references(&object, &mut open, 0);
        }
    }
}

/// The value that a reference leads to, and the object that holds it. What cannot be read is null,
/// and so is an object that is a reference itself: some readers follow it, and others do not.
pub(super) fn resolve(view: &View<'_>, value: Option<&Object>) -> (Object, Option<ObjRef>) {
    match value {
        None => (Object::Null, None),
        Some(Object::Ref(id)) => match view.get(*id).map(|found| found.object) {
            Ok(Object::Ref(_)) | Err(_) => (Object::Null, Some(*id)),
            Ok(value) => (value, Some(*id)),
        },
        Some(value) => (value.clone(), None),
    }
}

fn push_references(value: &Object, open: &mut Vec<ObjRef>, depth: usize) {
    match value {
        Object::Ref(id) => open.push(*id),
        Object::Array(values) if depth < 100 => {
            values.iter().for_each(|v| push_references(v, open, depth + 1));
        }
        Object::Dict(_) | Object::Stream(_) if depth < 100 => {
            let entries = value.as_dict().into_iter().flat_map(Dict::iter);
            entries.for_each(|entry| push_references(&entry.value, open, depth + 1));
        }
        _ => {}
    }
}

/// What was added to a list whose old values all stayed, in their order; `None` when they did not.
pub(super) fn added(
    document: &Document,
    before: &[Object],
    after: &[Object],
) -> Option<Vec<Object>> {
    let mut old = before.iter().peekable();
    let mut new = Vec::new();
    for value in after {
        match old.peek() {
            Some(expected) if same_value(document, expected, value) => drop(old.next()),
            _ => new.push(value.clone()),
        }
    }
    old.peek().is_none().then_some(new)
}
