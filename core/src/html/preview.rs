//! Where seals would lie, before an order is created.

use serde::Deserialize;
use serde_json::Value;

use super::marks::{self, Kind, Mark};
use super::pages::MAX_PAGES;
use super::pictures::Pictures;
use super::read::{Place, Preview, PreviewedSeal};
use super::words::{seal_problem, sentence};
use super::write::Html;

pub(super) fn show(html: &mut Html, preview: &Value, title: Option<&str>, pictures: &Pictures) {
    let preview = Preview::deserialize(preview).unwrap_or_default();
    let doubtful = preview.seals.iter().any(|seal| !seal.problems.is_empty());
    html.raw("<article>");
    html.raw(match (preview.ok, doubtful) {
        (false, _) => "<header class=\"bad\">",
        (true, true) => "<header class=\"open\">",
        (true, false) => "<header class=\"good\">",
    });
    html.raw("<div>");
    if let Some(title) = title {
        html.raw("<p class=\"file\">").foreign(title).raw("</p>");
    }
    html.heading(1, "Preview of seals").raw("<p class=\"said\">");
    let wrong = preview.seals.iter().filter(|seal| kind(seal) == Kind::Wrong).count();
    html.count(preview.seals.len() as u64);
    html.raw(if preview.seals.len() == 1 { " seal on " } else { " seals on " });
    html.count(preview.page_count);
    html.raw(if preview.page_count == 1 { " page: " } else { " pages: " });
    match (wrong, doubtful) {
        (0, false) => html.raw("all of them lie well."),
        (0, true) => html.raw("nothing forbids their places; look at what they lie over."),
        _ => html.count(wrong as u64).raw(" in the wrong place or too large."),
    };
    html.raw("</p></div></header>");
    on_pages(html, &preview, pictures);
    html.raw("</article>");
}

fn kind(seal: &PreviewedSeal) -> Kind {
    match seal.problems.as_slice() {
        [] => Kind::Seal,
        problems if problems.iter().any(|problem| problem.is_error) => Kind::Wrong,
        _ => Kind::Doubtful,
    }
}

fn on_pages(html: &mut Html, preview: &Preview, pictures: &Pictures) {
    html.raw("<section>").heading(2, "On the pages");
    html.raw("<p class=\"more\">An order tells places, not sizes: the service draws its seals as ");
    html.raw("large as it does.</p>");
    if let Some(why) = &pictures.missing {
        html.raw("<p class=\"more\">").text(&sentence(why)).raw("</p>");
    }
    let numbered: Vec<(usize, &PreviewedSeal)> =
        preview.seals.iter().enumerate().map(|(index, seal)| (index + 1, seal)).collect();
    html.raw("<div class=\"plans\">");
    for size in preview.pages.iter().take(MAX_PAGES) {
        let here: Vec<_> =
            numbered.iter().filter(|(_, seal)| seal.place.page == size.page).collect();
        let marks: Vec<Mark> = here
            .iter()
            .map(|(number, seal)| Mark { number: *number, place: seal.place, kind: kind(seal) })
            .collect();
        html.raw("<figure>").heading(3, &format!("Page {}", size.page));
        let picture = pictures.after.get(&size.page).map(Vec::as_slice);
        marks::draw(html, *size, &marks, picture, "with the seals");
        html.raw("<figcaption><ul class=\"spots\">");
        here.iter().for_each(|(number, seal)| told(html, *number, seal));
        html.raw("</ul></figcaption></figure>");
    }
    html.raw("</div>");
    let shown = |seal: &PreviewedSeal| {
        preview.pages.iter().take(MAX_PAGES).any(|size| size.page == seal.place.page)
    };
    let elsewhere: Vec<_> = numbered.iter().filter(|(_, seal)| !shown(seal)).collect();
    if !elsewhere.is_empty() {
        html.heading(3, "Not on these pages").raw("<ul class=\"spots\">");
        elsewhere.iter().for_each(|(number, seal)| told(html, *number, seal));
        html.raw("</ul>");
    }
    html.raw("</section>");
}

fn told(html: &mut Html, number: usize, seal: &PreviewedSeal) {
    let Place { page, x, y, width, height } = seal.place;
    html.raw("<li>");
    marks::badge(html, number, kind(seal));
    html.raw("<div><p><strong>Seal ").count(number as u64).raw("</strong> at ").number(x);
    html.raw(", ").number(y).raw(" on page ").count(page).raw(", ").number(width).raw(" by ");
    html.number(height).raw(" points</p>");
    for problem in &seal.problems {
        html.raw(if problem.is_error { "<p class=\"fault\">" } else { "<p class=\"doubt\">" });
        html.raw("<strong>").raw(seal_problem(&problem.kind)).raw(":</strong> ");
        html.foreign(&sentence(&problem.detail)).raw("</p>");
    }
    html.raw("</div></li>");
}
