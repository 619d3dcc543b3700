//! Reports and previews as pages for people: one file each, without scripts, which asks for
//! nothing from anywhere.
//!
//! A page is made from a report's JSON, so a stored report shows as well and every language gets
//! the same bytes. All texts are escaped: names, reasons and details come from files that may be
//! hostile. Numbers of persons are not shown. The page says nothing of when it was made.
//!
//! ```
//! use std::sync::Arc;
//! use signdoc::html::{HtmlOptions, report_html};
//! use signdoc::pdf::{report_json, verify::{VerifyOptions, verify_files}};
//! # use bytes::Bytes;
//!
//! let signed: signdoc::pdf::pdf::SharedSource = Arc::new(Bytes::from_static(b"no pdf"));
//! let report = verify_files(&[signed], &VerifyOptions::default());
//! let page = report_html(&report_json(&report), &HtmlOptions::default());
//! assert!(page.contains("Not verified"));
//! ```

mod checks;
mod marks;
mod pages;
mod pictures;
mod preview;
mod read;
mod timeline;
mod verdict;
mod words;
mod write;

use serde_json::Value;

pub use pictures::{Pictures, draw};

use read::Report;
use write::Html;

const STYLE: &str = include_str!("style.css");

/// How a page is made.
#[derive(Debug, Clone, Default)]
pub struct HtmlOptions {
    /// What the page is called: the name of the file.
    pub title: Option<String>,
    /// Only what stands between the tags of a body, for a page of the caller's.
    pub is_fragment: bool,
    /// Pictures of the pages, one entry for each file of the report (see [`draw`]). Without,
    /// pages are outlines.
    pub pictures: Vec<Pictures>,
}

/// One of several reports on a page.
#[derive(Debug, Clone)]
pub struct Titled {
    /// The name of the file.
    pub title: String,
    /// The report as [`report_json`](crate::pdf::report_json) gives it; one with a `failure`, an
    /// object with `message`, is of a file that could not be looked at.
    pub report: Value,
    /// Pictures of its pages.
    pub pictures: Pictures,
}

/// A report as a page.
#[must_use]
pub fn report_html(report: &Value, options: &HtmlOptions) -> String {
    let HtmlOptions { title, pictures, .. } = options;
    let reports = read::reports(report);
    let several = reports.len() > 1;
    let called = |index: usize| match (title, several) {
        (Some(title), false) => Some(title.clone()),
        (Some(title), true) => Some(format!("{title}, session {}", index + 1)),
        (None, true) => Some(format!("session {}", index + 1)),
        (None, false) => None,
    };
    let pictures = |index: usize| pictures.get(index).cloned().unwrap_or_default();
    let rows = reports.into_iter().enumerate();
    let rows: Vec<Row> = rows.map(|(i, report)| (called(i), report, pictures(i))).collect();
    page(title.as_deref(), &rows, options.is_fragment)
}

/// Several reports as one page.
#[must_use]
pub fn reports_html(reports: &[Titled]) -> String {
    let rows: Vec<Row> = reports
        .iter()
        .flat_map(|Titled { title, report, pictures }| {
            let all = read::reports(report).into_iter();
            all.map(move |report| (Some(title.clone()), report, pictures.clone()))
        })
        .collect();
    let title = match reports {
        [one] => Some(one.title.as_str()),
        _ => None,
    };
    page(title, &rows, false)
}

/// A preview of seals as a page; `preview` is the JSON of
/// [`Preview`](crate::pdf::preview::Preview).
#[must_use]
pub fn preview_html(preview: &Value, options: &HtmlOptions) -> String {
    let none = Pictures::default();
    let pictures = options.pictures.first().unwrap_or(&none);
    let name = options.title.as_deref();
    let mut html = Html::new(if options.is_fragment { 2 } else { 0 });
    frame(&mut html, name.unwrap_or("Preview of seals"), options.is_fragment, |html| {
        preview::show(html, preview, name, pictures);
    });
    html.finish()
}

type Row = (Option<String>, Report, Pictures);

fn page(title: Option<&str>, rows: &[Row], is_fragment: bool) -> String {
    let depth = if is_fragment { 2 } else { 0 } + usize::from(rows.len() > 1);
    let mut html = Html::new(depth);
    let reports = rows.iter().map(|(_, report, _)| report);
    for signature in reports.flat_map(|report| report.signatures.iter().chain(&report.seals)) {
        let number = signature.signer.as_ref().and_then(|who| who.serial_number.as_deref());
        number.into_iter().for_each(|number| html.hide(number));
    }
    let title = title.unwrap_or("Verification of signatures");
    frame(&mut html, title, is_fragment, |html| {
        if rows.len() > 1 {
            let ok = rows.iter().filter(|(_, report, _)| report.ok).count();
            html.raw("<header class=\"sum\">");
            // Above the files' own headings.
            html.raw(if is_fragment { "<h3>" } else { "<h1>" });
            html.count(ok as u64).raw(" of ").count(rows.len() as u64).raw(" files verified");
            html.raw(if is_fragment { "</h3>" } else { "</h1>" }).raw("</header>");
        }
        for (title, report, pictures) in rows {
            html.raw("<article>");
            verdict::show(html, title.as_deref(), report);
            checks::show(html, report);
            timeline::show(html, report);
            pages::show(html, report, pictures);
            notes(html, report);
            html.raw("</article>");
        }
    });
    html.finish()
}

/// What stands around the content.
fn frame(html: &mut Html, title: &str, is_fragment: bool, content: impl FnOnce(&mut Html)) {
    if is_fragment {
        html.raw("<div class=\"signdoc\"><style>").raw(STYLE).raw("</style>");
        content(html);
        html.raw("</div>");
        return;
    }
    html.raw("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">")
        .raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">")
        // Should anything of a file ever become markup: it can load nothing and run nothing.
        .raw("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; ")
        .raw("style-src 'unsafe-inline'; img-src data:\">")
        .raw("<meta name=\"referrer\" content=\"no-referrer\"><title>")
        .text(title)
        .raw("</title><style>")
        .raw(STYLE)
        .raw("</style></head><body><main class=\"signdoc\">");
    content(html);
    html.raw("</main></body></html>\n");
}

fn notes(html: &mut Html, report: &Report) {
    if report.notes.is_empty() {
        return;
    }
    html.raw("<section>").heading(2, "To be noted").raw("<ul class=\"plain\">");
    for note in &report.notes {
        html.raw("<li>").foreign(&words::sentence(note)).raw("</li>");
    }
    html.raw("</ul></section>");
}

#[cfg(test)]
mod tests;
