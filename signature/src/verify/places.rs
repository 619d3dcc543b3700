//! Where on the pages signatures and changes lie, for those who show a report.
//!
//! Nothing is judged by it: what cannot be found, or takes more work than is left, has no place.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::candidate::Candidate;
use super::report::VerifyReport;
use crate::compare::{Change, ChangeKind, PageSize, Place};
use crate::pdf::{Dict, Document, Object, Page, View, Work};

/// Pages that are looked at in one revision.
const MAX_PAGES: usize = 5000;
/// Annotations of one page that are looked at.
const MAX_ANNOTATIONS: usize = 2000;

/// Fills in the places of the report.
pub(super) fn locate(document: &Document, candidates: &[Candidate], report: &mut VerifyReport) {
    let mut wanted: HashSet<u32> =
        candidates.iter().flat_map(|c| &c.widgets).map(|widget| widget.number).collect();
    wanted.extend(report.changes.permitted.iter().filter(|c| shows(c.kind)).filter_map(number));
    let forbidden: HashSet<u32> = report.changes.forbidden.iter().filter_map(number).collect();
    wanted.extend(&forbidden);
    // What is permitted shows by its annotation alone.
    let deep = !forbidden.is_empty();
    let now = Seen::of(&document.head(), &wanted, deep, document.work());
    let before = base(document, report.changes.base_len).filter(|_| deep);
    let before = before.map(|view| Seen::of(&view, &forbidden, deep, document.work()));
    for (signature, candidate) in report.signatures.iter_mut().zip(candidates) {
        let mut widgets = candidate.widgets.iter();
        signature.place = widgets.find_map(|widget| now.places.get(&widget.number)).copied();
    }
    for change in report.changes.permitted.iter_mut().filter(|c| shows(c.kind)) {
        change.place = number(change).and_then(|number| now.places.get(&number)).copied();
    }
    for change in &mut report.changes.forbidden {
        let Some(number) = number(change) else { continue };
        change.place = now.places.get(&number).copied();
        let before = before.as_ref().and_then(|before| before.places.get(&number));
        change.place_before = before.copied();
    }
    let mut pages = before.map(|before| before.pages).unwrap_or_default();
    pages.extend(now.pages);
    let changes = report.changes.permitted.iter().chain(&report.changes.forbidden);
    let places = changes.flat_map(|change| [change.place, change.place_before]);
    let places = places.chain(report.signatures.iter().map(|signature| signature.place));
    let shown: HashSet<usize> = places
        .flatten()
        .map(|place| place.page)
        .chain(report.overlaps.iter().map(|overlap| overlap.page))
        .collect();
    pages.retain(|number, _| shown.contains(number));
    report.pages = pages.into_values().collect();
}

/// Whether a change may show on a page; a page is listed for many permitted ones that do not.
fn shows(kind: ChangeKind) -> bool {
    use ChangeKind::{DocumentTimestamp, FormValue, Seal, Signature, SignatureField};
    matches!(kind, SignatureField | Signature | DocumentTimestamp | Seal | FormValue)
}

/// The number of the object that was changed.
fn number(change: &Change) -> Option<u32> {
    change.object.as_deref()?.split(' ').next()?.parse().ok()
}

/// The revision that changes are counted from.
fn base(document: &Document, len: Option<u64>) -> Option<View<'_>> {
    let len = len?;
    let before = document.revisions().iter().take_while(|revision| revision.marker_end <= len);
    document.at_revision(before.last()?.index)
}

#[derive(Default)]
struct Seen {
    places: HashMap<u32, Place>,
    pages: BTreeMap<usize, PageSize>,
}

impl Seen {
    fn of(view: &View<'_>, wanted: &HashSet<u32>, deep: bool, work: &Work) -> Seen {
        let mut seen = Seen::default();
        if wanted.is_empty() {
            return seen;
        }
        for page in view.pages().take(MAX_PAGES) {
            let Ok(page) = page else { continue };
            let annots = view.lookup_array(&page.dict, "Annots").unwrap_or_default();
            let annots = annots.get(..MAX_ANNOTATIONS).unwrap_or(&annots);
            if work.spend(1 + annots.len() as u64).is_err() {
                break;
            }
            seen.pages.insert(page.index + 1, PageSize::of(&page));
            let own = if deep { of_page(view, &page) } else { Vec::new() };
            for number in own.into_iter().filter(|number| wanted.contains(number)) {
                seen.places.entry(number).or_insert_with(|| Place::whole(&page));
            }
            for annot in annots {
                seen.annotation(view, &page, annot, wanted);
            }
            if !deep && seen.places.len() == wanted.len() {
                break;
            }
        }
        seen
    }

    /// An annotation, and what belongs to it alone.
    fn annotation(&mut self, view: &View<'_>, page: &Page, annot: &Object, wanted: &HashSet<u32>) {
        let Ok(Object::Dict(dict)) = view.resolve(annot) else { return };
        let mut numbers: Vec<u32> = annot.as_ref().map(|id| id.number).into_iter().collect();
        numbers.extend(reference(&dict, "Parent"));
        numbers.extend(reference(&dict, "V"));
        numbers.extend(reference(&dict, "AP"));
        let appearance = view.lookup_dict(&dict, "AP").ok().flatten();
        numbers.extend(appearance.as_ref().and_then(|ap| reference(ap, "N")));
        numbers.retain(|number| wanted.contains(number));
        if numbers.is_empty() {
            return;
        }
        let place = view.rect(&dict, "Rect").and_then(|rect| Place::of(&rect, page));
        let Some(place) = place else { return };
        for number in numbers {
            self.places.insert(number, place);
        }
    }
}

/// The page itself, its content, and what it draws with.
fn of_page(view: &View<'_>, page: &Page) -> Vec<u32> {
    let mut numbers: Vec<u32> = page.id.map(|id| id.number).into_iter().collect();
    numbers.extend(["Contents", "Annots"].iter().filter_map(|key| reference(&page.dict, key)));
    let contents = view.lookup(&page.dict, "Contents").ok();
    let parts = contents.as_ref().and_then(Object::as_array).unwrap_or_default();
    numbers.extend(parts.iter().filter_map(Object::as_ref).map(|id| id.number));
    numbers.extend(page.resources.as_ref().map(|id| id.number));
    let Ok(Object::Dict(resources)) = view.resolve(&page.resources) else { return numbers };
    for key in ["XObject", "Font"] {
        numbers.extend(reference(&resources, key));
        let named = view.lookup_dict(&resources, key).ok().flatten().unwrap_or_default();
        numbers.extend(named.iter().filter_map(|entry| entry.value.as_ref()).map(|id| id.number));
    }
    numbers
}

fn reference(dict: &Dict, key: &str) -> Option<u32> {
    dict.get(key)?.as_ref().map(|id| id.number)
}
