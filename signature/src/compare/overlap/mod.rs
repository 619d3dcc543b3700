//! What a visible seal lies over, for a person to judge.

mod font;
mod matrix;
mod paint;

use super::change::{Below, Overlap};
use super::describe::shorten;
use super::seal::PlacedSeal;
use crate::pdf::{Object, Rect, View};

/// Text that is listed for one seal.
const MAX_TEXT: usize = 300;
/// Annotations that are looked at on one page.
const MAX_ANNOTATIONS: usize = 2000;

/// Lists what the seal lies over: text, images, drawings and annotations of its page.
pub(super) fn below(view: &View<'_>, placed: &PlacedSeal) -> Vec<Overlap> {
    let rect = placed.seal.rect;
    let mut found = Vec::new();
    let mut add = |below, detail: String| {
        found.push(Overlap {
            field: shorten(&placed.seal.field),
            page: placed.page.index + 1,
            seal: [rect.x0, rect.y0, rect.x1, rect.y1],
            below,
            detail,
        });
    };
    let painted = paint::below(view, &placed.page, &rect);
    if !painted.text.is_empty() {
        let text: String = painted.text.join(" ").chars().take(MAX_TEXT).collect();
        add(Below::Text, text);
    }
    if painted.images > 0 {
        add(Below::Image, format!("{} on this place", count(painted.images, "image")));
    }
    if painted.drawings > 0 {
        add(Below::Drawing, format!("{} on this place", count(painted.drawings, "drawing")));
    }
    if let Some(reason) = painted.unread {
        add(Below::Unknown, format!("the page's content could not be read: {reason}"));
    }
    for kind in annotations(view, placed, &rect) {
        add(Below::Annotation, kind);
    }
    found
}

fn count(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

fn annotations(view: &View<'_>, placed: &PlacedSeal, seal: &Rect) -> Vec<String> {
    let annots = view.lookup_array(&placed.page.dict, "Annots").unwrap_or_default();
    annots
        .iter()
        .take(MAX_ANNOTATIONS)
        .filter(|annot| annot.as_ref() != Some(placed.seal.widget))
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
