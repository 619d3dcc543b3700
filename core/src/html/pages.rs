//! The pages with their seals, and every change where it lies: before and after.

use std::collections::BTreeMap;

use super::marks::{self, Kind, Mark};
use super::pictures::Pictures;
use super::read::{Change, PageSize, Place, Report, Signature};
use super::words::{self, sentence};
use super::write::Html;

/// Pages that are shown; the list of changes has the others.
pub(super) const MAX_PAGES: usize = 20;

/// A place on a page, before or after or both, with everything that is there.
struct Spot<'a> {
    before: Option<Place>,
    after: Option<Place>,
    kind: Kind,
    signatures: Vec<&'a Signature>,
    changes: Vec<&'a Change>,
}

pub(super) fn show(html: &mut Html, report: &Report, pictures: &Pictures) {
    let pages = spots(report);
    if pages.is_empty() {
        return;
    }
    let sizes: BTreeMap<u64, PageSize> = report.pages.iter().map(|one| (one.page, *one)).collect();
    html.raw("<section>").heading(2, "On the pages");
    legend(html, &pages);
    if let Some(why) = &pictures.missing {
        html.raw("<p class=\"more\">").text(&sentence(why)).raw("</p>");
    }
    let mut number = 0;
    for (page, spots) in pages.iter().take(MAX_PAGES) {
        let usual = PageSize { page: *page, width: 595.0, height: 842.0 };
        let size = sizes.get(page).copied().unwrap_or(usual);
        show_page(html, report, size, spots, pictures, &mut number);
    }
    if pages.len() > MAX_PAGES {
        let left = (pages.len() - MAX_PAGES) as u64;
        html.raw("<p class=\"more\">and ").count(left).raw(" more pages</p>");
    }
    html.raw("</section>");
}

/// What lies on which page.
fn spots(report: &Report) -> BTreeMap<u64, Vec<Spot<'_>>> {
    let mut pages: BTreeMap<u64, Vec<Spot<'_>>> = BTreeMap::new();
    for signature in &report.signatures {
        let Some(place) = signature.place else { continue };
        let before = Some(place).filter(|_| signature.in_original);
        let spot = Spot { before, after: Some(place), kind: Kind::Seal, ..Spot::empty() };
        pages.entry(place.page).or_default().push(Spot { signatures: vec![signature], ..spot });
    }
    let forbidden = report.changes.forbidden.iter().map(|change| (change, Kind::Wrong));
    let permitted = report.changes.permitted.iter().map(|change| (change, Kind::Permitted));
    for (change, kind) in forbidden.chain(permitted) {
        let (before, after) = (change.place_before, change.place);
        for page in [after, before].into_iter().flatten().map(|place| place.page).take(1) {
            let spots = pages.entry(page).or_default();
            let there = spots.iter_mut().find(|spot| match kind {
                Kind::Permitted => spot.after == after,
                _ => spot.kind == kind && share((spot.before, spot.after), (before, after)),
            });
            match there {
                // A seal's own parts are no news beside it.
                Some(spot) if spot.kind == Kind::Seal => {}
                Some(spot) => {
                    spot.before = spot.before.or(before);
                    spot.after = spot.after.or(after);
                    spot.changes.push(change);
                }
                None => {
                    spots.push(Spot { before, after, kind, changes: vec![change], ..Spot::empty() })
                }
            }
        }
    }
    pages
}

type Places = (Option<Place>, Option<Place>);

/// Whether two changes share a box: before and after agree where both are known, and one is.
fn share(one: Places, other: Places) -> bool {
    let pairs = [(one.0, other.0), (one.1, other.1)];
    pairs.iter().all(|(one, other)| one.is_none() || other.is_none() || one == other)
        && pairs.iter().any(|(one, other)| one.is_some() && one == other)
}

impl Spot<'_> {
    fn empty() -> Self {
        let (signatures, changes) = (Vec::new(), Vec::new());
        Spot { before: None, after: None, kind: Kind::Seal, signatures, changes }
    }
}

fn legend(html: &mut Html, pages: &BTreeMap<u64, Vec<Spot<'_>>>) {
    html.raw("<ul class=\"legend\">");
    for (kind, word) in [
        (Kind::Seal, "<li class=\"seal\">signature that shows on the page</li>"),
        (Kind::Permitted, "<li class=\"permitted\">change that signing needs, or permits</li>"),
        (Kind::Wrong, "<li class=\"wrong\">change that signing does not need</li>"),
    ] {
        if pages.values().flatten().any(|spot| spot.kind == kind) {
            html.raw(word);
        }
    }
    html.raw("</ul>");
}

fn show_page(
    html: &mut Html,
    report: &Report,
    size: PageSize,
    spots: &[Spot<'_>],
    pictures: &Pictures,
    number: &mut usize,
) {
    let numbered: Vec<(usize, &Spot<'_>)> =
        spots.iter().enumerate().map(|(index, spot)| (*number + index + 1, spot)).collect();
    *number += spots.len();
    let marks = |place: fn(&Spot<'_>) -> Option<Place>| -> Vec<Mark> {
        let of = |(number, spot): &(usize, &Spot<'_>)| {
            let place = place(spot).filter(|place| place.page == size.page)?;
            Some(Mark { number: *number, place, kind: spot.kind })
        };
        numbered.iter().filter_map(of).collect()
    };
    html.raw("<figure>").heading(3, &format!("Page {}", size.page)).raw("<div class=\"sides\">");
    let has_before = report.changes.base_len.is_some();
    if has_before {
        html.raw("<div><p class=\"side\">Before</p>");
        let picture = pictures.before.get(&size.page).map(Vec::as_slice);
        marks::draw(html, size, &marks(|spot| spot.before), picture, "before");
        html.raw("</div>");
    }
    html.raw("<div><p class=\"side\">").raw(if has_before { "After" } else { "As it is" });
    html.raw("</p>");
    let picture = pictures.after.get(&size.page).map(Vec::as_slice);
    marks::draw(html, size, &marks(|spot| spot.after), picture, "after");
    html.raw("</div></div><figcaption><ul class=\"spots\">");
    for (number, spot) in &numbered {
        html.raw("<li>");
        marks::badge(html, *number, spot.kind);
        html.raw("<div>");
        told(html, report, spot);
        html.raw("</div></li>");
    }
    html.raw("</ul></figcaption></figure>");
}

fn told(html: &mut Html, report: &Report, spot: &Spot<'_>) {
    for signature in &spot.signatures {
        html.raw("<p><strong>");
        html.raw(if signature.is_timestamp() { "Timestamp by " } else { "Signed by " });
        html.foreign(&signature.person()).raw("</strong>");
        if let Some(field) = &signature.field {
            html.raw(", field ").foreign(field);
            lies_over(html, report, field);
        }
        html.raw("</p>");
    }
    for change in &spot.changes {
        html.raw("<p>");
        if spot.kind == Kind::Wrong {
            html.raw("<strong>Signing does not need this:</strong> ");
        }
        html.foreign(&change.detail).raw(" <span class=\"of\">");
        html.raw(words::change(&change.kind)).raw(", revision ").count(change.revision);
        html.raw("</span></p>");
    }
    match (spot.kind, spot.before, spot.after) {
        (Kind::Wrong, Some(_), None) => {
            html.raw("<p class=\"of\">It is no longer on the page.</p>");
        }
        (Kind::Wrong, None, Some(_)) => {
            html.raw("<p class=\"of\">It was not on the page before.</p>");
        }
        (Kind::Wrong, Some(before), Some(after)) if before != after => {
            html.raw("<p class=\"of\">It was in another place before.</p>");
        }
        _ => {}
    }
}

fn lies_over(html: &mut Html, report: &Report, field: &str) {
    let mut over = report.overlaps.iter().filter(|overlap| overlap.field == field).peekable();
    if over.peek().is_none() {
        return;
    }
    html.raw("; it lies over ");
    for (index, overlap) in over.enumerate() {
        html.raw(if index > 0 { ", " } else { "" }).raw(words::below(&overlap.below));
        if overlap.below == "text" {
            html.raw(": “").foreign(&overlap.detail).raw("”");
        }
    }
}
