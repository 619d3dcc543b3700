//! Where visual seals go.
//!
//! A position that was asked for is kept, moved only as far as the page needs. Where none was, the
//! place is found: along the lower edge of the first page, from the left, clear of every other seal
//! of this order or an earlier one, and of form fields and other annotations while there is room.

use signdoc_signature::pdf::{Document as Pdf, Limits, Page, Rect, SharedSource};
use signdoc_signature::sign::{Seal, SealFit};

use super::request::SealPosition;

/// Points from the left edge to the first seal that is placed by itself.
const MARGIN: f64 = 36.0;
/// Points between two of them.
const GAP: f64 = 12.0;
/// So many rows and columns are looked at: pages may claim to be as large as a country.
const MOST: f64 = 64.0;

/// Part of a page as it is shown: points from its upper left corner.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Area {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
}

impl Area {
    fn meets(&self, other: &Area) -> bool {
        self.x < other.x + other.width
            && other.x < self.x + self.width
            && self.y < other.y + other.height
            && other.y < self.y + self.height
    }
}

/// What stands on a page already.
#[derive(Debug, Default)]
struct Taken {
    seals: Vec<Area>,
    others: Vec<Area>,
}

/// The seal at the place that was asked for. One that would leave the page is moved, one larger
/// than the page shrinks.
pub(super) fn asked(source: &SharedSource, at: SealPosition) -> Result<Seal, String> {
    let pdf = open(source)?;
    let page = page(&pdf, at.page)?;
    Ok(seal(at.page, area(at, size(&page))))
}

/// A seal at a free place. `other` is the place asked for the seal that is still to come, and
/// `alone` tells that none is: else there is room left for one more.
pub(super) fn automatic(
    source: &SharedSource,
    other: Option<SealPosition>,
    alone: bool,
) -> Result<Seal, String> {
    let pdf = open(source)?;
    let page = page(&pdf, 1)?;
    let shown = size(&page);
    let mut taken = taken(&pdf, &page);
    let on_first_page = other.filter(|at| at.page <= 1);
    taken.seals.extend(on_first_page.map(|at| area(at, shown)));
    let needed = if alone || other.is_some() { 1 } else { 2 };
    Ok(seal(1, free(shown, &taken, needed)))
}

fn open(source: &SharedSource) -> Result<Pdf, String> {
    Pdf::open_shared(source.clone(), Limits::default()).map_err(|error| error.to_string())
}

fn page(pdf: &Pdf, number: u32) -> Result<Page, String> {
    match pdf.pages().nth(number.saturating_sub(1) as usize) {
        Some(page) => page.map_err(|error| error.to_string()),
        None => Err(format!("page {number} of a seal is not there")),
    }
}

fn seal(page: u32, Area { x, y, width, height }: Area) -> Seal {
    Seal { x, y, page, width, height, fit: SealFit::Move, ..Seal::default() }
}

/// Width and height of the page as it is shown, in points.
fn size(page: &Page) -> (f64, f64) {
    let shown = page.visible_box();
    let (width, height) = (shown.width() * page.user_unit, shown.height() * page.user_unit);
    if page.rotate % 180 == 90 { (height, width) } else { (width, height) }
}

fn area(at: SealPosition, (width, height): (f64, f64)) -> Area {
    let usual = Seal::default();
    let (own_width, own_height) = (usual.width.min(width), usual.height.min(height));
    Area {
        x: at.x.min(width - own_width).max(0.0),
        y: at.y.min(height - own_height).max(0.0),
        width: own_width,
        height: own_height,
    }
}

fn taken(pdf: &Pdf, page: &Page) -> Taken {
    let mut taken = Taken::default();
    let annotations = page.dict.get("Annots").and_then(|list| pdf.resolve(list).ok());
    for one in annotations.iter().filter_map(|list| list.as_array()).flatten() {
        let Ok(object) = pdf.resolve(one) else { continue };
        let Some(dict) = object.as_dict() else { continue };
        let Some(rect) = pdf.head().rect(dict, "Rect").filter(|rect| !rect.is_empty()) else {
            continue;
        };
        // Signatures of this sandbox are fields with one widget each.
        let is_seal = dict.is_name("FT", "Sig");
        let list = if is_seal { &mut taken.seals } else { &mut taken.others };
        list.push(as_shown(&rect, page));
    }
    taken
}

/// From default user space to the page as it is shown.
fn as_shown(rect: &Rect, page: &Page) -> Area {
    let all = page.visible_box();
    let (width, height) = (rect.width(), rect.height());
    let (x, y, width, height) = match page.rotate {
        90 => (rect.y0 - all.y0, rect.x0 - all.x0, height, width),
        180 => (all.x1 - rect.x1, rect.y0 - all.y0, width, height),
        270 => (all.y1 - rect.y1, all.x1 - rect.x1, height, width),
        _ => (rect.x0 - all.x0, all.y1 - rect.y1, width, height),
    };
    let [x, y, width, height] = [x, y, width, height].map(|value| value * page.user_unit);
    Area { x, y, width, height }
}

/// The first of as many free places as are needed. Seals shrink rather than meet, and meet other
/// things rather than shrink.
fn free(shown: (f64, f64), taken: &Taken, needed: usize) -> Area {
    let usual = Seal::default();
    let (mut width, mut height) = (usual.width.min(shown.0), usual.height.min(shown.1));
    let corner = Area { x: 0.0, y: shown.1 - height, width, height };
    while width >= 1.0 && height >= 1.0 {
        let clear = |place: &Area| !taken.seals.iter().any(|seal| seal.meets(place));
        let lonely = |place: &Area| !taken.others.iter().any(|other| other.meets(place));
        let places: Vec<_> = grid(shown, width, height).into_iter().filter(clear).collect();
        let best: Vec<_> = places.iter().copied().filter(lonely).collect();
        for found in [best, places] {
            if let Some(first) = found.first().filter(|_| found.len() >= needed) {
                return *first;
            }
        }
        width /= 2.0;
        height /= 2.0;
    }
    corner
}

/// Places that do not meet one another, from the lower edge up, each row from the left.
fn grid((page_width, page_height): (f64, f64), width: f64, height: f64) -> Vec<Area> {
    let count = |room: f64, own: f64| ((room + GAP) / (own + GAP)).clamp(0.0, MOST) as u32;
    let margin = MARGIN.min(page_width - width).max(0.0);
    let (columns, rows) = (count(page_width - margin, width), count(page_height, height));
    let place = |row: u32, column: u32| Area {
        x: margin + f64::from(column) * (width + GAP),
        y: page_height - height - f64::from(row) * (height + GAP),
        width,
        height,
    };
    (0..rows).flat_map(|row| (0..columns).map(move |column| place(row, column))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const A4: (f64, f64) = (595.0, 842.0);

    fn at(x: f64, y: f64, width: f64, height: f64) -> Area {
        Area { x, y, width, height }
    }

    #[test]
    fn seals_line_up_at_the_lower_edge() {
        let mut taken = Taken::default();
        let mut places = Vec::new();
        for _ in 0..4 {
            let place = free(A4, &taken, 1);
            taken.seals.push(place);
            places.push((place.x, place.y));
        }
        assert_eq!(places, [(36.0, 794.0), (228.0, 794.0), (36.0, 734.0), (228.0, 734.0)]);
    }

    #[test]
    fn a_seal_leaves_fields_alone_while_there_is_room() {
        let field = at(30.0, 790.0, 500.0, 40.0);
        let mut taken = Taken { others: vec![field], ..Taken::default() };
        let place = free(A4, &taken, 1);
        assert_eq!((place.x, place.y), (36.0, 734.0), "above it");
        taken.others.push(at(0.0, 0.0, A4.0, A4.1));
        let place = free(A4, &taken, 1);
        assert_eq!((place.width, place.x, place.y), (180.0, 36.0, 794.0), "there is none");
    }

    #[test]
    fn large_pages_are_not_searched_for_ever() {
        let shown = (1.0e12, 1.0e12);
        let mut taken = Taken::default();
        let place = free(shown, &taken, 2);
        assert_eq!((place.x, place.y), (36.0, shown.1 - 48.0));
        taken.others.push(at(0.0, 0.0, shown.0, shown.1));
        assert_eq!(free(shown, &taken, 2), place, "there is none that is clear");
    }

    #[test]
    fn small_pages_have_small_seals() {
        for shown in [(180.0, 48.0), (60.0, 40.0), (100.0, 10.0), (20.0, 20.0)] {
            let first = free(shown, &Taken::default(), 2);
            let taken = Taken { seals: vec![first], ..Taken::default() };
            let second = free(shown, &taken, 1);
            assert!(!first.meets(&second), "{shown:?}: {first:?} {second:?}");
            for one in [first, second] {
                let inside = one.x >= 0.0
                    && one.y >= 0.0
                    && one.x + one.width <= shown.0
                    && one.y + one.height <= shown.1;
                assert!(inside, "{shown:?}: {one:?}");
            }
        }
    }
}
