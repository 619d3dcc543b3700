//! What was done to a document: the revisions behind a base, object by object.
//!
//! The base is the document that was sent, or what the first signature covers. Everything that
//! later revisions define must be something that signing needs; see [`step`] for how that is
//! decided, and [`scan`] for what the base itself is searched for.

mod appearance;
mod base;
mod catalog;
mod change;
mod content;
mod describe;
mod dss;
mod fields;
mod file;
mod form;
mod idle;
mod inherited;
mod intents;
mod meaning;
mod numbers;
mod overlap;
mod pages;
mod place;
mod plain;
mod reach;
mod reading;
mod scan;
mod seal;
mod srgb;
mod step;
mod structure;
mod style;
mod trailer;
mod value;
mod values;

use std::collections::HashSet;

pub(crate) use base::{Base, PrefixCheck, base_at, base_of_original};
pub use change::{Below, Change, ChangeKind, Changes, Overlap, PageSize, Place};
pub(crate) use overlap::on as lies_on;
pub(crate) use plain::is_blank;

use crate::pdf::{Document, Location, ObjRef, Object, PdfError, PdfErrorKind, Revision, View};
use crate::verify::SealRules;
use scan::Uses;
use seal::SealFound;
use step::{Context, Step};

/// Forbidden changes that are listed; more are counted.
const MAX_FORBIDDEN: usize = 200;
const MAX_PERMITTED: usize = 2000;
/// Units of work that one object of the file costs in each later revision, for tables that are
/// walked through from end to end.
const WALK: u64 = 8;

/// What is compared by.
pub(crate) struct Rules<'a> {
    pub(crate) seals: &'a SealRules,
    /// Whether empty form fields may be filled in.
    pub(crate) may_fill: bool,
}

/// What a comparison found.
pub(crate) struct Comparison {
    pub(crate) changes: Changes,
    /// What each later revision did, for the permissions that signatures grant.
    pub(crate) steps: Vec<StepSummary>,
    pub(crate) overlaps: Vec<Overlap>,
    /// Visible seals behind the base.
    pub(crate) seals: usize,
    /// Those whose place nobody told.
    pub(crate) seals_unplaced: usize,
    /// Those that are forbidden for their place or size.
    pub(crate) seals_wrong: usize,
}

/// What one revision did that signatures may have forbidden.
pub(crate) struct StepSummary {
    pub(crate) revision: usize,
    pub(crate) permitted: Vec<Change>,
    pub(crate) filled: Vec<String>,
    pub(crate) signed_fields: Vec<String>,
}

impl Changes {
    /// Lists a forbidden change, or counts it when there are too many.
    pub(crate) fn forbid(&mut self, change: Change) {
        if self.forbidden.len() < MAX_FORBIDDEN {
            self.forbidden.push(change);
        } else {
            self.forbidden_not_listed += 1;
        }
    }
}

/// Holds every revision behind the base against the one before it.
///
/// # Errors
/// In words, when the file cannot be compared: it cannot be read, or takes more work than allowed.
pub(crate) fn compare(
    document: &Document,
    base: &Base,
    rules: &Rules<'_>,
) -> Result<Comparison, String> {
    let mut changes = Changes { base_len: Some(base.len), ..Changes::default() };
    let later: Vec<&Revision> = document.revisions().iter().skip(base.later_from()).collect();
    let objects = document.head().locations().count();
    let work = document.work();
    let walks = (later.len() as u64).saturating_mul(objects as u64).saturating_mul(WALK);
    work.spend(walks).map_err(limit)?;
    let first = base.view(document).ok_or("the revision to compare with is missing")?;
    let mut uses = Uses::new(numbers_of_interest(document, base, &first, &later));
    search_base(document, base, &first, &mut uses, &mut changes)?;
    let mut steps = Vec::new();
    let mut seals = Vec::new();
    let mut before = first;
    for (index, revision) in later.iter().enumerate() {
        let after = document.at_revision(revision.index).ok_or("a revision is missing")?;
        let is_rebuilt_base = index == 0 && base.is_rebuilt();
        let context = Context { document, may_fill: rules.may_fill, base_len: base.len };
        let mut step = Step::new(&context, &mut uses, before, after, revision);
        step.run(is_rebuilt_base);
        // Behind a limit, values may be missing that are there.
        work.reached().map_or(Ok(()), |reached| Err(limit(reached.clone())))?;
        seals.append(&mut step.seals);
        let done = finish(step, &mut changes);
        steps.push(done.0);
        note_containers(&mut uses, &done.1, &after);
        if uses.is_overfull() {
            return Err("a file with so many references is not compared".into());
        }
        before = after;
    }
    let (overlaps, judged) = look_at_seals(document, &first, seals, rules.seals);
    work.reached().map_or(Ok(()), |reached| Err(limit(reached.clone())))?;
    let seals_wrong = judged.forbidden.len();
    judged.forbidden.into_iter().for_each(|change| changes.forbid(change));
    Ok(Comparison {
        changes,
        steps,
        overlaps,
        seals: judged.count,
        seals_unplaced: judged.unknown,
        seals_wrong,
    })
}

/// A limit is no finding about the document: it could not be compared.
pub(crate) fn limit(error: PdfError) -> String {
    format!("the document cannot be compared within the limits: {}", error.detail())
}

/// Every number that a later revision defines: references to them in the base are of interest.
fn numbers_of_interest(
    document: &Document,
    base: &Base,
    first: &View<'_>,
    later: &[&Revision],
) -> HashSet<u32> {
    let mut numbers = HashSet::new();
    for (index, revision) in later.iter().enumerate() {
        if index == 0 && base.is_rebuilt() {
            let after = document.at_revision(revision.index);
            let all = after.into_iter().flat_map(|view| view.locations().collect::<Vec<_>>());
            let differs = |(id, location): &(ObjRef, Location)| {
                first.location(id.number) != Some((*id, *location))
            };
            numbers.extend(all.filter(differs).map(|(id, _)| id.number));
        } else {
            numbers.extend(document.changes(revision).map(|change| change.id.number));
        }
    }
    numbers
}

fn search_base(
    document: &Document,
    base: &Base,
    first: &View<'_>,
    uses: &mut Uses,
    changes: &mut Changes,
) -> Result<(), String> {
    // Read through the document that is verified: that is what its readers will do.
    let index = base.later_from().saturating_sub(usize::from(!base.is_rebuilt()));
    let view = document.at_revision(index).ok_or("the revision to compare with is missing")?;
    let is_of_base = |id: ObjRef, location: Location| {
        !base.is_rebuilt() || first.location(id.number) == Some((id, location))
    };
    let reaching =
        scan::scan(&view, base.len, &is_of_base, uses).map_err(|error| match error.kind() {
            PdfErrorKind::LimitExceeded => limit(error),
            _ => format!("the document cannot be compared: {error}"),
        })?;
    uses.settle();
    for found in reaching {
        changes.forbid(Change {
            revision: index,
            object: Some(found.id.to_string()),
            kind: ChangeKind::Other,
            detail: found.detail,
            place: None,
            place_before: None,
        });
    }
    Ok(())
}

/// Takes a step's findings over; gives what it defined.
fn finish(step: Step<'_>, changes: &mut Changes) -> (StepSummary, Vec<u32>) {
    let summary = StepSummary {
        revision: step.revision.index,
        permitted: step.permitted.clone(),
        filled: step.filled,
        signed_fields: step.signed_fields,
    };
    step.forbidden.into_iter().for_each(|change| changes.forbid(change));
    let room = MAX_PERMITTED.saturating_sub(changes.permitted.len());
    changes.permitted_not_listed += step.permitted.len().saturating_sub(room);
    changes.permitted.extend(step.permitted.into_iter().take(room));
    let defined = step.changed.into_keys().collect();
    (summary, defined)
}

/// From the next revision's view, what this one defined belongs to the base.
fn note_containers(uses: &mut Uses, defined: &[u32], after: &View<'_>) {
    for number in defined {
        if let Some((_, location)) = after.location(*number) {
            uses.add_location(location);
        }
    }
}

fn look_at_seals(
    document: &Document,
    first: &View<'_>,
    mut seals: Vec<SealFound>,
    rules: &SealRules,
) -> (Vec<Overlap>, seal::Judged) {
    for seal in &mut seals {
        let known = first.get(seal.widget).ok().map(|found| found.object);
        let known = known.as_ref().and_then(Object::as_dict);
        seal.is_preplaced = known.is_some_and(|dict| dict.is_name("Subtype", "Widget"));
    }
    let head = document.head();
    let placed = seal::place(&head, seals, document.work());
    let overlaps = placed.iter().flat_map(|seal| overlap::below(&head, seal)).collect();
    (overlaps, seal::judge(&placed, rules))
}
