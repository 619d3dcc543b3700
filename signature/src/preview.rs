//! Where visible seals would lie, before an order is created.
//!
//! Places and limits are those of orders and of their verification: points from the upper left
//! corner of the page as it is shown (turned, within its crop box), and
//! [`SealRules`](crate::verify::SealRules) for the size.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

use crate::compare::{Below, PageSize, Place, lies_on};
use crate::pdf::{Document, Limits, Page, PdfError, Result, SharedSource, View, Work};
use crate::sign::{Seal, place};
use crate::verify::SealRules;

/// Seals that are previewed at once.
pub const MAX_SEALS: usize = 100;
/// Units of work besides 32 for each byte of the file.
const WORK: u64 = 96 << 20;
/// Pages that are looked through for those of the seals.
const MAX_PAGES: usize = 100_000;

/// A seal that is to be previewed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlannedSeal {
    /// Points from the left edge of the page to the left edge of the seal.
    pub x: f64,
    /// Points from the upper edge of the page down to the upper edge of the seal.
    pub y: f64,
    /// Page number from 1; 0 stands for the first page too.
    pub page: u32,
    /// Width and height in points. An order cannot say them: the service draws its seals as large
    /// as it does.
    pub size: (f64, f64),
}

impl PlannedSeal {
    /// A seal of the usual size, 180 by 48 points.
    #[must_use]
    pub fn new(x: f64, y: f64, page: u32) -> Self {
        let usual = Seal::default();
        PlannedSeal { x, y, page, size: (usual.width, usual.height) }
    }
}

/// A text that is no place of a seal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidSeal(String);

impl fmt::Display for InvalidSeal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let why = "is no place; say x,y or x,y,page or x,y,page,width,height in points";
        write!(f, "seal {:?} {why}", self.0)
    }
}

impl std::error::Error for InvalidSeal {}

impl FromStr for PlannedSeal {
    type Err = InvalidSeal;

    /// `x,y`, `x,y,page` or `x,y,page,width,height`.
    fn from_str(text: &str) -> std::result::Result<Self, InvalidSeal> {
        let invalid = || InvalidSeal(text.chars().take(60).collect());
        let parts: Vec<&str> = text.split(',').map(str::trim).collect();
        let number = |text: &str| {
            let number = text.parse().ok().filter(|number: &f64| number.is_finite());
            number.ok_or_else(invalid)
        };
        let page = |text: &str| text.parse::<u32>().map_err(|_| invalid());
        match *parts.as_slice() {
            [x, y] => Ok(PlannedSeal::new(number(x)?, number(y)?, 1)),
            [x, y, on] => Ok(PlannedSeal::new(number(x)?, number(y)?, page(on)?)),
            [x, y, on, width, height] => {
                let size = (number(width)?, number(height)?);
                if size.0 < 1.0 || size.1 < 1.0 {
                    return Err(invalid());
                }
                Ok(PlannedSeal { x: number(x)?, y: number(y)?, page: page(on)?, size })
            }
            _ => Err(invalid()),
        }
    }
}

/// Where seals would lie, and what is wrong with that.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Preview {
    /// No seal has a problem that is an error.
    pub ok: bool,
    /// How many pages the document has.
    pub page_count: usize,
    /// The pages that seals were asked for on.
    pub pages: Vec<PageSize>,
    /// The seals, in the order they were given.
    pub seals: Vec<PreviewedSeal>,
}

/// One seal of a preview.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PreviewedSeal {
    /// Where it would lie; `page` is from 1.
    pub place: Place,
    /// What is wrong, errors first.
    pub problems: Vec<SealProblem>,
}

/// Something about the place of a seal.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SealProblem {
    /// What it is.
    pub kind: SealProblemKind,
    /// Whether an order should not be created like this; else a person decides.
    pub is_error: bool,
    /// In words, with the limit and the value.
    pub detail: String,
}

/// What may be wrong with the place of a seal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SealProblemKind {
    /// The document has no such page.
    NoSuchPage,
    /// It does not lie within the page.
    OffPage,
    /// It is larger than a verification accepts.
    TooLarge,
    /// It lies over another seal of the preview.
    OverSeal,
    /// It lies over text.
    OverText,
    /// It lies over an image.
    OverImage,
    /// It lies over an annotation or a form field.
    OverAnnotation,
    /// It lies over lines or areas.
    OverDrawing,
    /// What it lies over could not be told.
    Unknown,
}

impl SealProblemKind {
    /// The stable name, `off_page` and so on.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::NoSuchPage => "no_such_page",
            Self::OffPage => "off_page",
            Self::TooLarge => "too_large",
            Self::OverSeal => "over_seal",
            Self::OverText => "over_text",
            Self::OverImage => "over_image",
            Self::OverAnnotation => "over_annotation",
            Self::OverDrawing => "over_drawing",
            Self::Unknown => "unknown",
        }
    }

    fn is_error(self) -> bool {
        matches!(self, Self::NoSuchPage | Self::OffPage | Self::TooLarge | Self::OverSeal)
    }
}

impl From<Below> for SealProblemKind {
    fn from(below: Below) -> Self {
        match below {
            Below::Text => Self::OverText,
            Below::Image => Self::OverImage,
            Below::Annotation => Self::OverAnnotation,
            Below::Drawing => Self::OverDrawing,
            Below::Unknown => Self::Unknown,
        }
    }
}

/// Looks where seals would lie. At most [`MAX_SEALS`] are looked at.
///
/// # Errors
/// When the document cannot be read, or takes more work than allowed. What is wrong with a seal is
/// in the preview.
pub fn preview(pdf: SharedSource, seals: &[PlannedSeal]) -> Result<Preview> {
    if seals.len() > MAX_SEALS {
        let why = format!("{} seals are more than the {MAX_SEALS} looked at", seals.len());
        return Err(PdfError::limit(why));
    }
    let work = Work::new(WORK.saturating_add(pdf.len().saturating_mul(32)));
    let document = Document::open_within(pdf, Limits::default(), &work)?;
    let view = document.head();
    let (pages, page_count) = pages_of(&view, seals)?;
    let found = seals.iter().map(|seal| look(&view, &pages, page_count, seal));
    let mut found: Vec<PreviewedSeal> = found.collect();
    push_overlaps(&mut found);
    for seal in &mut found {
        seal.problems.sort_by_key(|problem| problem.kind);
    }
    let ok = found.iter().flat_map(|seal| &seal.problems).all(|problem| !problem.is_error);
    let pages = pages.iter().map(PageSize::of).collect();
    Ok(Preview { ok, page_count, pages, seals: found })
}

/// The pages of the seals, and how many there are in all.
fn pages_of(view: &View<'_>, seals: &[PlannedSeal]) -> Result<(Vec<Page>, usize)> {
    let mut pages = Vec::new();
    let mut count = 0;
    for page in view.pages().take(MAX_PAGES) {
        let page = page?;
        count += 1;
        if seals.iter().any(|seal| number(seal) == page.index + 1) {
            pages.push(page);
        }
    }
    Ok((pages, count))
}

fn number(seal: &PlannedSeal) -> usize {
    seal.page.max(1) as usize
}

fn look(view: &View<'_>, pages: &[Page], count: usize, seal: &PlannedSeal) -> PreviewedSeal {
    let PlannedSeal { x, y, size: (width, height), .. } = *seal;
    let place_there = Place { page: number(seal), x, y, width, height };
    let mut problems = Vec::new();
    let mut add = |kind: SealProblemKind, detail: String| {
        problems.push(SealProblem { kind, is_error: kind.is_error(), detail });
    };
    let rules = SealRules::default();
    if width > rules.max_width || height > rules.max_height {
        let detail = format!(
            "it is {width} by {height} points large, at most {} by {} are accepted",
            rules.max_width, rules.max_height
        );
        add(SealProblemKind::TooLarge, detail);
    }
    match pages.iter().find(|page| page.index + 1 == number(seal)) {
        None => {
            let pages = if count == 1 { "1 page" } else { "pages" };
            let has = if count == 1 { pages.to_owned() } else { format!("{count} {pages}") };
            let detail = format!("page {} was asked for, the document has {has}", number(seal));
            add(SealProblemKind::NoSuchPage, detail);
        }
        Some(page) => {
            let drawn = Seal { x, y, page: seal.page, width, height, ..Seal::default() };
            match place(&drawn, page) {
                Err(error) => add(SealProblemKind::OffPage, error.detail().to_owned()),
                Ok(placed) => {
                    for (below, detail) in lies_on(view, page, &placed.rect, None) {
                        add(below.into(), detail);
                    }
                }
            }
        }
    }
    PreviewedSeal { place: place_there, problems }
}

/// Seals that lie over each other, each told of the other.
fn push_overlaps(seals: &mut [PreviewedSeal]) {
    let places: Vec<Place> = seals.iter().map(|seal| seal.place).collect();
    for (index, seal) in seals.iter_mut().enumerate() {
        let mut others = places.iter().enumerate().filter(|(other, _)| *other != index);
        if let Some((other, _)) = others.find(|(_, other)| touch(&seal.place, other)) {
            let kind = SealProblemKind::OverSeal;
            let detail = format!("it lies over seal {}", other + 1);
            seal.problems.push(SealProblem { kind, is_error: kind.is_error(), detail });
        }
    }
}

fn touch(a: &Place, b: &Place) -> bool {
    a.page == b.page
        && a.x < b.x + b.width
        && b.x < a.x + a.width
        && a.y < b.y + b.height
        && b.y < a.y + a.height
}
