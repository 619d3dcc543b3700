//! External objects that were added to resources and that no content names.
//!
//! OpenPDF lists the parts of its seal in the resources of the form, which LibreOffice shares with
//! pages. Readers draw an external object only where content names it: what no content names shows
//! nowhere, and what is listed under it is no part of what pages show. Fonts are another matter,
//! because readers look for substitutes among them.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::change::ChangeKind;
use super::named::NameSearch;
use super::place::{Place, Places};
use super::scan::SHOWN;
use super::step::{Entry, Step, resolve};
use super::value::differing_keys;
use crate::pdf::{Dict, Location, ObjRef, Object, View};

/// Documents with more references are not looked into.
const MAX_EDGES: usize = 2_000_000;
/// As deep as the parser reads.
const MAX_DEPTH: usize = 100;
const LONGEST: usize = 3;
/// Places of dictionaries that hold the resources of pages, forms and appearances.
const HOLDERS: [Place; 3] = [Place::Drawn, Place::FormResources, Place::Appearance];

/// The names that a revision adds and no content uses, by the object that lists them.
#[derive(Debug, Default)]
pub(super) struct Unnamed {
    objects: BTreeMap<u32, BTreeSet<Vec<u8>>>,
    /// Names in resources that the form holds itself.
    of_form: BTreeSet<Vec<u8>>,
}

impl Unnamed {
    /// The object without the entries that no content names, as its uses are noted.
    pub(super) fn without(&self, number: u32, after: &Object) -> Option<Object> {
        let names = self.objects.get(&number)?;
        let mut dict = after.as_dict()?.clone();
        match dict.get("XObject").cloned() {
            Some(Object::Dict(listed)) => dict.set("XObject", stripped(listed, names)),
            _ => drop(dict.remove("XObject")),
        }
        Some(Object::Dict(dict))
    }
}

fn stripped(mut dict: Dict, names: &BTreeSet<Vec<u8>>) -> Dict {
    for name in names {
        dict.remove(&String::from_utf8_lossy(name));
    }
    dict
}

/// Looks for additions before anything in the revision is explained.
pub(super) fn find(step: &Step<'_>) -> Unnamed {
    let (mut added, names) = additions(step);
    if names.is_empty() || step.uses.is_blind() {
        return Unnamed::default();
    }
    let Some(graph) = Graph::read(step) else { return Unnamed::default() };
    added.objects.retain(|number, _| graph.resources.contains(number));
    if (added.objects.is_empty() && added.of_form.is_empty()) || graph.names(&names) != Some(false)
    {
        return Unnamed::default();
    }
    added
}

/// Explains the dictionaries that got nothing but such names.
pub(super) fn check(step: &mut Step<'_>) {
    let numbers: Vec<u32> = step.unnamed.objects.keys().copied().collect();
    for number in numbers {
        let Some(changed) = step.changed.get(&number) else { continue };
        let (id, after) = (changed.id, changed.after.clone());
        let what = "resources, with external objects that no content names";
        if step.claim(id, &HOLDERS, ChangeKind::Declaration, what) {
            let listed = after.as_dict().and_then(|dict| dict.get("XObject").cloned());
            let what = "external objects that no content names";
            step.cover_new(&listed.unwrap_or_default(), ChangeKind::Declaration, what, true);
        }
    }
}

/// Whether the resources of the form got nothing but names that no content uses.
pub(super) fn is_extension(step: &Step<'_>, resources: &Entry) -> bool {
    let (Object::Dict(old), Object::Dict(new)) = (&resources.before, &resources.after) else {
        return false;
    };
    let listed = |id: ObjRef| step.unnamed.objects.contains_key(&id.number);
    match resources.after_id {
        Some(id) => resources.before_id == Some(id) && listed(id),
        None => {
            added_names(step, old, new).is_some_and(|names| names.is_subset(&step.unnamed.of_form))
        }
    }
}

/// What was added to resources, where nothing else was changed.
fn additions(step: &Step<'_>) -> (Unnamed, BTreeSet<Vec<u8>>) {
    let mut found = Unnamed::default();
    for changed in step.changed.values() {
        let (Object::Dict(old), Object::Dict(new)) = (&changed.before, &changed.after) else {
            continue;
        };
        let places = step.uses.places(changed.id.number);
        if !places.is_empty() && places.without(Places::of(&HOLDERS)).is_empty() {
            if let Some(names) = added_names(step, old, new) {
                found.objects.insert(changed.id.number, names);
            }
        } else if let Some(names) = added_to_form(step, old, new) {
            found.of_form.extend(names);
        }
    }
    let names = found.objects.values().flatten().chain(&found.of_form).cloned().collect();
    (found, names)
}

/// The same where the form holds its resources itself, in the catalog or for itself.
fn added_to_form(step: &Step<'_>, old: &Dict, new: &Dict) -> Option<BTreeSet<Vec<u8>>> {
    let inner = |dict: &Dict, key: &str| dict.get(key).and_then(Object::as_dict).cloned();
    let form = |dict: &Dict| inner(dict, "AcroForm").unwrap_or_else(|| dict.clone());
    let (old, new) = (inner(&form(old), "DR")?, inner(&form(new), "DR")?);
    added_names(step, &old, &new)
}

/// The names of external objects that resources have now and had not, when that is all that
/// differs.
fn added_names(step: &Step<'_>, old: &Dict, new: &Dict) -> Option<BTreeSet<Vec<u8>>> {
    let document = step.context.document;
    if differing_keys(document, old, new) != ["XObject"] {
        return None;
    }
    let empty = Dict::new();
    let listed = match old.get("XObject") {
        None | Some(Object::Null) => &empty,
        Some(Object::Dict(listed)) => listed,
        Some(_) => return None,
    };
    let now = match new.get("XObject")? {
        Object::Dict(now) => now.clone(),
        Object::Ref(id) if listed.is_empty() && step.is_new(*id) => {
            resolve(&step.after, Some(&Object::Ref(*id))).0.as_dict()?.clone()
        }
        _ => return None,
    };
    let changed = differing_keys(document, listed, &now);
    if changed.iter().any(|name| listed.contains(name)) || now.has_repeated_keys() {
        return None;
    }
    let is_new = |name: &&[u8]| changed.iter().any(|c| c.as_bytes() == *name);
    let names = now.iter().map(|entry| entry.key.as_bytes()).filter(is_new);
    let names: BTreeSet<Vec<u8>> = names.map(<[u8]>::to_vec).collect();
    // A name that is no text would not be found again.
    (!names.is_empty() && names.len() == changed.len()).then_some(names)
}

/// The last keys of a path, as far as they tell what it leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Key {
    Resources,
    FormResources,
    Form,
    XObject,
    Mask,
    Appearance,
    Other,
}

impl Key {
    fn of(key: &[u8]) -> Key {
        match key {
            b"Resources" => Key::Resources,
            b"DR" => Key::FormResources,
            b"AcroForm" => Key::Form,
            b"XObject" => Key::XObject,
            b"SMask" | b"Mask" => Key::Mask,
            b"AP" => Key::Appearance,
            _ => Key::Other,
        }
    }
}

/// What holds a reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holder {
    Page,
    Annotation,
    Catalog,
    Form,
    Image,
    Stream,
    Other,
}

/// Keys from an object down to a reference; one that is longer than any of interest has none.
#[derive(Debug, Clone, Copy)]
struct Path {
    keys: [Key; LONGEST],
    len: usize,
}

impl Path {
    const EMPTY: Path = Path { keys: [Key::Other; LONGEST], len: 0 };

    fn with(mut self, key: Key) -> Path {
        if let Some(place) = self.keys.get_mut(self.len) {
            *place = key;
        }
        self.len += 1;
        self
    }

    fn keys(&self) -> &[Key] {
        self.keys.get(..self.len).unwrap_or_default()
    }
}

/// A reference of something that readers draw from.
struct Edge {
    holder: Holder,
    from: u32,
    path: Path,
    target: u32,
}

/// What readers draw from: who refers to what, and as what.
struct Graph<'s, 'a> {
    step: &'s Step<'a>,
    /// Objects that are resources and nothing else.
    resources: HashSet<u32>,
    /// Images that are nothing but images.
    images: HashSet<u32>,
    /// Appearances that are nothing but appearances of annotations.
    appearances: HashSet<u32>,
    streams: Vec<ObjRef>,
}

impl<'s, 'a> Graph<'s, 'a> {
    /// `None` where the document is too large, or has parts that cannot be read.
    fn read(step: &'s Step<'a>) -> Option<Self> {
        let mut edges = Vec::new();
        let mut streams = Vec::new();
        let mut labelled = HashSet::new();
        for (id, location) in step.before.locations() {
            let places = step.uses.places(id.number);
            let leads_on = SHOWN.with(Place::Catalog).with(Place::Form);
            if location == Location::Free || !places.meets(leads_on) {
                continue;
            }
            let object = step.before.get(id).ok()?.object;
            let holder = holder(places, &object);
            if object.as_stream().is_some() {
                streams.push(id);
            }
            if holder == Holder::Image {
                labelled.insert(id.number);
            }
            note(&mut edges, (holder, id.number), &object, Path::EMPTY)?;
        }
        let resources = only(&edges, is_resources);
        let listings = only(&edges, |edge| is_listing(edge, &resources));
        let images = only(&edges, |edge| is_image_use(edge, &resources, &listings));
        let appearances = only(&edges, |edge| {
            edge.holder == Holder::Annotation
                && edge.path.keys().first() == Some(&Key::Appearance)
                && (2..=3).contains(&edge.path.len)
        });
        let images = images.intersection(&labelled).copied().collect();
        Some(Graph { step, resources, images, appearances, streams })
    }

    /// Whether any content may use one of the names; `None` where some cannot be read.
    fn names(&self, wanted: &BTreeSet<Vec<u8>>) -> Option<bool> {
        let view = &self.step.before;
        for id in &self.streams {
            if self.images.contains(&id.number) {
                continue;
            }
            let found = view.get(*id).ok()?.object;
            let stream = found.as_stream()?;
            let wanted: BTreeSet<Vec<u8>> = if self.appearances.contains(&id.number) {
                wanted.iter().filter(|name| !defines(view, &stream.dict, name)).cloned().collect()
            } else {
                wanted.clone()
            };
            if NameSearch::new(&wanted).is_in(view.stream_reader(stream).ok()?)? {
                return Some(true);
            }
        }
        Some(false)
    }
}

/// Whether a form has an external object of this name among its own resources.
fn defines(view: &View<'_>, form: &Dict, name: &[u8]) -> bool {
    let own = view.lookup_dict(form, "Resources").ok().flatten().unwrap_or_default();
    let listed = view.lookup_dict(&own, "XObject").ok().flatten().unwrap_or_default();
    let entry = std::str::from_utf8(name).ok().and_then(|name| listed.get(name));
    resolve(view, entry).0.as_stream().is_some()
}

/// The targets of which every reference is accepted.
fn only(edges: &[Edge], accept: impl Fn(&Edge) -> bool) -> HashSet<u32> {
    let mut all: HashMap<u32, bool> = HashMap::new();
    for edge in edges {
        *all.entry(edge.target).or_insert(true) &= accept(edge);
    }
    all.into_iter().filter_map(|(target, is_only)| is_only.then_some(target)).collect()
}

fn is_resources(edge: &Edge) -> bool {
    match edge.holder {
        Holder::Page | Holder::Image | Holder::Stream => *edge.path.keys() == [Key::Resources],
        Holder::Catalog => *edge.path.keys() == [Key::Form, Key::FormResources],
        Holder::Form => *edge.path.keys() == [Key::FormResources],
        Holder::Annotation => *edge.path.keys() == [Key::FormResources],
        Holder::Other => false,
    }
}

/// Whether a reference is to the external objects of some resources.
fn is_listing(edge: &Edge, resources: &HashSet<u32>) -> bool {
    match edge.path.keys() {
        [Key::XObject] => resources.contains(&edge.from),
        [Key::Resources, Key::XObject] => {
            matches!(edge.holder, Holder::Page | Holder::Image | Holder::Stream)
        }
        [Key::FormResources, Key::XObject] => edge.holder == Holder::Form,
        _ => false,
    }
}

/// Whether a reference can only be drawn as an image, if it leads to one.
fn is_image_use(edge: &Edge, resources: &HashSet<u32>, listings: &HashSet<u32>) -> bool {
    match edge.path.keys() {
        [Key::Mask] if edge.holder == Holder::Image => true,
        [_] => listings.contains(&edge.from),
        [Key::XObject, _] => resources.contains(&edge.from),
        [Key::Resources, Key::XObject, _] => {
            matches!(edge.holder, Holder::Page | Holder::Image | Holder::Stream)
        }
        [Key::FormResources, Key::XObject, _] => edge.holder == Holder::Form,
        _ => false,
    }
}

fn holder(places: Places, object: &Object) -> Holder {
    let is = |place| places == Places::of(&[place]);
    match object {
        Object::Stream(stream) if stream.dict.is_name("Subtype", "Image") => Holder::Image,
        Object::Stream(_) => Holder::Stream,
        Object::Dict(_) if is(Place::Page) => Holder::Page,
        Object::Dict(_) if is(Place::Field) => Holder::Annotation,
        Object::Dict(_) if is(Place::Catalog) => Holder::Catalog,
        Object::Dict(_) if is(Place::Form) => Holder::Form,
        _ => Holder::Other,
    }
}

/// Notes the references inside a value; `None` where there are too many, or too deep ones.
fn note(
    edges: &mut Vec<Edge>,
    (holder, from): (Holder, u32),
    object: &Object,
    path: Path,
) -> Option<()> {
    if path.len > MAX_DEPTH || edges.len() > MAX_EDGES {
        return None;
    }
    let holder_of = (holder, from);
    match object {
        Object::Ref(target) => edges.push(Edge { holder, from, path, target: target.number }),
        Object::Array(values) => {
            for value in values {
                note(edges, holder_of, value, path.with(Key::Other))?;
            }
        }
        Object::Dict(_) | Object::Stream(_) => {
            for entry in object.as_dict().into_iter().flat_map(Dict::iter) {
                let path = path.with(Key::of(entry.key.as_bytes()));
                note(edges, holder_of, &entry.value, path)?;
            }
        }
        _ => {}
    }
    Some(())
}
