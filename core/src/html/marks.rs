//! Pages drawn as SVG: their outline or picture, and numbered boxes on them.

use super::read::{PageSize, Place};
use super::write::Html;

/// Boxes that are drawn on one page.
const MAX_BOXES: usize = 60;
/// Points: pages beyond are drawn as if they were as large.
const MAX_SIDE: f64 = 20_000.0;

/// What a box stands for, which its colour and line tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A visible seal.
    Seal,
    /// A permitted change.
    Permitted,
    /// A change that signing does not need, or a seal that must not lie there.
    Wrong,
    /// What a person should look at.
    Doubtful,
}

/// A numbered box.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mark {
    pub(super) number: usize,
    pub(super) place: Place,
    pub(super) kind: Kind,
}

/// One page with its boxes; `caption` says which of its states it is.
pub(super) fn draw(
    html: &mut Html,
    size: PageSize,
    marks: &[Mark],
    picture: Option<&[u8]>,
    caption: &'static str,
) {
    let (width, height) = (side(size.width), side(size.height));
    let told = match marks.len() {
        0 => format!("Page {}, {caption}: nothing is marked", size.page),
        1 => format!("Page {}, {caption}: 1 place is marked", size.page),
        count => format!("Page {}, {caption}: {count} places are marked", size.page),
    };
    html.raw("<svg class=\"page\" role=\"img\"").attribute("aria-label", &told);
    html.raw(" viewBox=\"0 0 ").number(width).raw(" ").number(height).raw("\">");
    html.raw("<rect class=\"paper\"").length("width", width).length("height", height).raw("/>");
    if let Some(picture) = picture {
        html.raw("<image").length("width", width).length("height", height);
        html.raw(" preserveAspectRatio=\"none\" href=\"").data("image/png", picture).raw("\"/>");
    }
    // As large in pages of any size.
    let unit = width.max(height * 0.7) / 26.0;
    for mark in marks.iter().take(MAX_BOXES) {
        frame(html, mark, [width, height], unit);
    }
    html.raw("</svg>");
}

fn side(points: f64) -> f64 {
    if points.is_finite() { points.clamp(1.0, MAX_SIDE) } else { 1.0 }
}

fn frame(html: &mut Html, mark: &Mark, [width, height]: [f64; 2], unit: f64) {
    let Place { x, y, width: w, height: h, .. } = mark.place;
    // What lies off the page shows at its edge.
    let line = unit / 8.0;
    let (left, top) = (within(x, line, width - line), within(y, line, height - line));
    let right = within(x + w, left + line, width - line);
    let bottom = within(y + h, top + line, height - line);
    // A frame around a whole page must not hide what is on it.
    let is_whole = right - left > width * 0.95 && bottom - top > height * 0.95;
    html.raw(match mark.kind {
        Kind::Seal => "<g class=\"seal",
        Kind::Permitted => "<g class=\"permitted",
        Kind::Wrong => "<g class=\"wrong",
        Kind::Doubtful => "<g class=\"doubtful",
    });
    html.raw(if is_whole { " whole\">" } else { "\">" });
    html.raw("<rect").length("x", left).length("y", top);
    html.length("width", right - left).length("height", bottom - top);
    html.length("stroke-width", line).raw("/>");
    // The number stands on the upper right corner, and never off the page.
    let (cx, cy) = (within(right, unit, width - unit), within(top, unit, height - unit));
    html.raw("<circle").length("cx", cx).length("cy", cy).length("r", unit * 0.8).raw("/>");
    html.raw("<text").length("x", cx).length("y", cy + unit * 0.36);
    html.length("font-size", unit).raw(">").count(mark.number as u64).raw("</text></g>");
}

/// Between two bounds; the lower one where a page is too small for both.
fn within(value: f64, low: f64, high: f64) -> f64 {
    value.min(high).max(low)
}

/// The number of a box in a list.
pub(super) fn badge(html: &mut Html, number: usize, kind: Kind) {
    html.raw(match kind {
        Kind::Seal => "<span class=\"badge seal\">",
        Kind::Permitted => "<span class=\"badge permitted\">",
        Kind::Wrong => "<span class=\"badge wrong\">",
        Kind::Doubtful => "<span class=\"badge doubtful\">",
    });
    html.count(number as u64).raw("</span>");
}
