//! What was changed: the entries of the report.

use serde::Serialize;

use crate::pdf::{Page, Rect};

/// What was changed after the document that was sent, or else after the first signature.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Changes {
    /// Number of bytes that the comparison starts from; `None` when nothing was compared.
    pub base_len: Option<u64>,
    /// Changes that signing needs.
    pub permitted: Vec<Change>,
    /// Everything else. Not empty means that something else was done to the document.
    pub forbidden: Vec<Change>,
    /// How many more permitted changes there are than are listed.
    pub permitted_not_listed: usize,
    /// How many more forbidden changes there are than are listed.
    pub forbidden_not_listed: usize,
}

/// One change.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Change {
    /// Position of the revision that made it, 0 is the oldest.
    pub revision: usize,
    /// The object (`12 0 R`), where it is one.
    pub object: Option<String>,
    /// What it is.
    pub kind: ChangeKind,
    /// In words.
    pub detail: String,
    /// Where it lies on a page of the file, where that is known; the whole page for its content.
    pub place: Option<Place>,
    /// Where it lay before, where that is known.
    pub place_before: Option<Place>,
}

/// A rectangle on a page as it is shown (turned, within its crop box): points (1/72 inch) from the
/// upper left corner, as the service counts.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Place {
    /// Page number from 1.
    pub page: usize,
    /// Points from the left edge.
    pub x: f64,
    /// Points from the upper edge.
    pub y: f64,
    /// Width in points.
    pub width: f64,
    /// Height in points.
    pub height: f64,
}

/// A page as it is shown.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PageSize {
    /// Page number from 1.
    pub page: usize,
    /// Width in points.
    pub width: f64,
    /// Height in points.
    pub height: f64,
}

impl Place {
    /// Where a rectangle in default user space lies on the page; `None` where it has no area.
    pub(crate) fn of(rect: &Rect, page: &Page) -> Option<Place> {
        if rect.is_empty() {
            return None;
        }
        let [left, top, right, bottom] = page.shown_rect(rect);
        let (x, y) = (rounded(left), rounded(top));
        let (width, height) = (rounded(right - left), rounded(bottom - top));
        Some(Place { page: page.index + 1, x, y, width, height })
    }

    /// The whole page.
    pub(crate) fn whole(page: &Page) -> Place {
        let PageSize { page, width, height } = PageSize::of(page);
        Place { page, x: 0.0, y: 0.0, width, height }
    }
}

impl PageSize {
    pub(crate) fn of(page: &Page) -> PageSize {
        let (width, height) = page.shown_size();
        PageSize { page: page.index + 1, width: rounded(width), height: rounded(height) }
    }
}

/// To a hundredth of a point, which nobody sees.
fn rounded(points: f64) -> f64 {
    (points * 100.0).round() / 100.0
}

/// What a change is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ChangeKind {
    /// A signature field and its widget.
    SignatureField,
    /// A signature.
    Signature,
    /// A document timestamp.
    DocumentTimestamp,
    /// The appearance of a signature.
    Seal,
    /// Where a signature widget is listed: a page's annotations, the form, the structure tree.
    Listing,
    /// A form field was filled in.
    FormValue,
    /// The document security store: certificates and revocation answers.
    ValidationData,
    /// Document information: dates, producer, XMP.
    Metadata,
    /// Entries of the catalog or trailer that say something about the file, not its content.
    Declaration,
    /// An object was written again as it was.
    Restated,
    /// Cross-reference and object streams.
    FileStructure,
    /// Anything else.
    Other,
}

impl ChangeKind {
    /// Whether a certification that permits no changes still permits this (ISO 32000-2, table
    /// 257).
    pub(crate) fn is_always_allowed(self) -> bool {
        matches!(
            self,
            ChangeKind::ValidationData
                | ChangeKind::DocumentTimestamp
                | ChangeKind::Listing
                | ChangeKind::Declaration
                | ChangeKind::Restated
                | ChangeKind::FileStructure
                | ChangeKind::Metadata
        )
    }
}

/// Something that a visible seal lies over.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Overlap {
    /// The signature field whose seal it is.
    pub field: String,
    /// Page number from 1.
    pub page: usize,
    /// The seal's rectangle on the page in default user space: left, lower, right, upper.
    pub seal: [f64; 4],
    /// What lies below: `text`, `image`, `drawing`, `annotation`, `unknown`.
    pub below: Below,
    /// The text, where it could be read; what sort of annotation; why it is unknown.
    pub detail: String,
}

/// What lies below a seal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Below {
    /// Text.
    Text,
    /// An image.
    Image,
    /// Lines, areas or shadings.
    Drawing,
    /// An annotation or a form field.
    Annotation,
    /// The page's content could not be read.
    Unknown,
}
