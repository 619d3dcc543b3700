//! What a visible seal lies over, for a person to judge.

mod font;
mod matrix;
mod paint;

use super::change::{Below, Overlap};
use super::describe::shorten;
use super::seal::PlacedSeal;
use crate::pdf::{ObjRef, Object, Page, Rect, View};

/// Text that is listed for one seal.
const MAX_TEXT: usize = 300;
/// Annotations that are looked at on one page.
const MAX_ANNOTATIONS: usize = 2000;

/// Lists what the seal lies over: text, images, drawings and annotations of its page.
pub(super) fn below(view: &View<'_>, placed: &PlacedSeal) -> Vec<Overlap> {
    let rect = placed.seal.rect;
    let found = on(view, &placed.page, &rect, Some(placed.seal.widget)).into_iter();
    let told = found.map(|(below, detail)| Overlap {
        field: shorten(&placed.seal.field),
        page: placed.page.index + 1,
        seal: [rect.x0, rect.y0, rect.x1, rect.y1],
        below,
        detail,
    });
    told.collect()
}

/// What lies on a place of a page, but for the annotation `own`.
pub(crate) fn on(
    view: &View<'_>,
    page: &Page,
    rect: &Rect,
    own: Option<ObjRef>,
) -> Vec<(Below, String)> {
    let mut found = Vec::new();
    let painted = paint::below(view, page, rect);
    if !painted.text.is_empty() {
        let text: String = painted.text.join(" ").chars().take(MAX_TEXT).collect();
        found.push((Below::Text, text));
    }
    if painted.images > 0 {
        let detail = format!("{} on this place", count(painted.images, "image"));
        found.push((Below::Image, detail));
    }
    if painted.drawings > 0 {
        let detail = format!("{} on this place", count(painted.drawings, "drawing"));
        found.push((Below::Drawing, detail));
    }
    if let Some(reason) = painted.unread {
        found.push((Below::Unknown, format!("the page's content could not be read: {reason}")));
    }
    let kinds = annotations(view, page, rect, own);
    found.extend(kinds.into_iter().map(|kind| (Below::Annotation, kind)));
    found
}

fn count(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

fn annotations(view: &View<'_>, page: &Page, seal: &Rect, own: Option<ObjRef>) -> Vec<String> {
    let annots = view.lookup_array(&page.dict, "Annots").unwrap_or_default();
    annots
        .iter()
        .take(MAX_ANNOTATIONS)
        .filter(|annot| own.is_none() || annot.as_ref() != own)
        .filter_map(|annot| {
            let value = view.resolve(annot).ok()?;
            let dict = value.as_dict()?;
            view.rect(dict, "Rect")?.intersection(seal)?;
            let kind = dict.get("Subtype").and_then(Object::as_name).map(|n| n.to_text());
            let field = view.lookup(dict, "T").ok();
            let field = field.as_ref().and_then(Object::as_string).map(|s| s.to_text());
            Some(match field {
                Some(name) => format!("{} {}", kind.unwrap_or_default(), shorten(&name)),
                None => shorten(&kind.unwrap_or_default()),
            })
        })
        .collect()
}
