//! Where visible seals stand.

use std::collections::{HashMap, HashSet};

use super::change::{Change, ChangeKind};
use super::describe::shorten;
use crate::pdf::{ObjRef, Object, Page, Rect, View, Work};
use crate::verify::{SealPosition, SealRules};

/// The appearance of a signature, on whatever page it is.
#[derive(Debug, Clone)]
pub(super) struct SealFound {
    pub(super) field: String,
    pub(super) widget: ObjRef,
    pub(super) rect: Rect,
    pub(super) revision: usize,
    /// The field with its rectangle was in the document already.
    pub(super) is_preplaced: bool,
}

/// A seal with the page that shows it.
pub(super) struct PlacedSeal {
    pub(super) seal: SealFound,
    pub(super) page: Page,
}

/// Finds the pages of each seal: all that list it. A seal that no page lists is not shown, and left
/// out.
pub(super) fn place(view: &View<'_>, seals: Vec<SealFound>, work: &Work) -> Vec<PlacedSeal> {
    let mut by_widget: HashMap<ObjRef, SealFound> = HashMap::new();
    for seal in seals {
        by_widget.entry(seal.widget).or_insert(seal);
    }
    let mut placed = Vec::new();
    if by_widget.is_empty() {
        return placed;
    }
    for page in view.pages() {
        let Ok(page) = page else { continue };
        let annots = view.lookup_array(&page.dict, "Annots").unwrap_or_default();
        if work.spend(annots.len() as u64).is_err() {
            break;
        }
        let mut here = HashSet::new();
        let listed = annots.iter().filter_map(Object::as_ref).filter(|id| here.insert(*id));
        for seal in listed.filter_map(|id| by_widget.get(&id)) {
            placed.push(PlacedSeal { seal: seal.clone(), page: page.clone() });
        }
    }
    placed
}

/// What the seals are judged by, and how far.
pub(super) struct Judged {
    pub(super) forbidden: Vec<Change>,
    /// Seals whose place nobody told.
    pub(super) unknown: usize,
    pub(super) count: usize,
}

/// Holds seals against what was asked for. Each position takes one seal.
pub(super) fn judge(seals: &[PlacedSeal], rules: &SealRules) -> Judged {
    let mut free: Option<Vec<SealPosition>> = rules.positions.clone();
    let mut judged = Judged { forbidden: Vec::new(), unknown: 0, count: seals.len() };
    for placed in seals {
        if let Err(reason) = judge_one(placed, rules, free.as_mut()) {
            let field = shorten(&placed.seal.field);
            judged.forbidden.push(Change {
                revision: placed.seal.revision,
                object: Some(placed.seal.widget.to_string()),
                kind: ChangeKind::Seal,
                detail: format!("the seal of {field} {reason}"),
                place: None,
                place_before: None,
            });
        }
        judged.unknown += usize::from(free.is_none() && !placed.seal.is_preplaced);
    }
    judged
}

fn judge_one(
    placed: &PlacedSeal,
    rules: &SealRules,
    free: Option<&mut Vec<SealPosition>>,
) -> Result<(), String> {
    // A field that the sender placed is where the sender wanted it.
    if placed.seal.is_preplaced {
        return Ok(());
    }
    let [left, top, right, bottom] = placed.page.shown_rect(&placed.seal.rect);
    let (width, height) = (right - left, bottom - top);
    let is_within = |width: f64, height: f64| {
        width <= rules.max_width + 0.01 && height <= rules.max_height + 0.01
    };
    // On a page that is shown turned, some signers do not turn the seal.
    let is_turned = !placed.page.rotate.is_multiple_of(180);
    if !(is_within(width, height) || is_turned && is_within(height, width)) {
        return Err(format!(
            "is {width:.1} by {height:.1} points large, at most {} by {} are allowed",
            rules.max_width, rules.max_height
        ));
    }
    let Some(free) = free else { return Ok(()) };
    let number = placed.page.index as u64 + 1;
    let fits = |position: &SealPosition| {
        u64::from(position.page.max(1)) == number
            && (position.x - left).abs() <= rules.tolerance
            && (position.y - top).abs() <= rules.tolerance
    };
    match free.iter().position(fits) {
        Some(index) => {
            free.swap_remove(index);
            Ok(())
        }
        None => {
            Err(format!("stands at {left:.1}, {top:.1} on page {number}, where none was asked for"))
        }
    }
}
