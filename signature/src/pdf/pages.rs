//! The page tree (ISO 32000-2, 7.7.3).

use std::collections::HashSet;

use super::error::{PdfError, Result};
use super::object::{Dict, ObjRef, Object};
use super::view::View;

/// Page trees are a few levels deep; this is generous.
const MAX_DEPTH: usize = 64;

/// A rectangle in default user space, with its lower left corner first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rect {
    /// Left edge.
    pub x0: f64,
    /// Lower edge.
    pub y0: f64,
    /// Right edge.
    pub x1: f64,
    /// Upper edge.
    pub y1: f64,
}

impl Rect {
    /// US Letter: what readers assume where a page has no MediaBox.
    pub const LETTER: Rect = Rect { x0: 0.0, y0: 0.0, x1: 612.0, y1: 792.0 };

    /// A rectangle of two opposite corners, in any order; `None` unless all are finite.
    pub fn from_corners(corners: [f64; 4]) -> Option<Rect> {
        let [a, b, c, d] = corners;
        corners.iter().all(|v| v.is_finite() && v.abs() < 1e9).then(|| Rect {
            x0: a.min(c),
            y0: b.min(d),
            x1: a.max(c),
            y1: b.max(d),
        })
    }

    /// Width in user space units.
    pub fn width(&self) -> f64 {
        self.x1 - self.x0
    }

    /// Height in user space units.
    pub fn height(&self) -> f64 {
        self.y1 - self.y0
    }

    /// Whether it has no area.
    pub fn is_empty(&self) -> bool {
        self.width() <= 0.0 || self.height() <= 0.0
    }

    /// What both cover; `None` where they do not overlap.
    pub fn intersection(&self, other: &Rect) -> Option<Rect> {
        let rect = Rect {
            x0: self.x0.max(other.x0),
            y0: self.y0.max(other.y0),
            x1: self.x1.min(other.x1),
            y1: self.y1.min(other.y1),
        };
        (!rect.is_empty()).then_some(rect)
    }

    /// Whether `other` lies inside, give or take a hundredth of a unit.
    pub fn contains(&self, other: &Rect) -> bool {
        other.x0 >= self.x0 - 0.01
            && other.y0 >= self.y0 - 0.01
            && other.x1 <= self.x1 + 0.01
            && other.y1 <= self.y1 + 0.01
    }
}

/// A page with what it inherits.
#[derive(Debug, Clone)]
pub struct Page {
    /// Position in the document, 0 is the first page.
    pub index: usize,
    /// Its reference; `None` for a page written into its parent, which the standard forbids.
    pub id: Option<ObjRef>,
    /// The page dictionary as it stands in the file.
    pub dict: Dict,
    /// `Resources`, own or inherited, unresolved; null where there is none.
    pub resources: Object,
    /// `MediaBox`, own or inherited; `None` where it is missing or impossible.
    pub media_box: Option<Rect>,
    /// `CropBox`, own or inherited.
    pub crop_box: Option<Rect>,
    /// By how many degrees the page is turned clockwise when shown: 0, 90, 180 or 270.
    pub rotate: u16,
    /// Size of a user space unit in points (1/72 inch), usually 1.
    pub user_unit: f64,
}

impl Page {
    /// The part of the page that is shown: the crop box inside the media box.
    pub fn visible_box(&self) -> Rect {
        let media = self.media_box.filter(|b| !b.is_empty()).unwrap_or(Rect::LETTER);
        self.crop_box.and_then(|crop| crop.intersection(&media)).unwrap_or(media)
    }

    /// Width and height of the page as it is shown: turned, within its crop box, in points.
    pub fn shown_size(&self) -> (f64, f64) {
        let visible = self.visible_box();
        let (width, height) = (visible.width() * self.user_unit, visible.height() * self.user_unit);
        if self.rotate % 180 == 90 { (height, width) } else { (width, height) }
    }

    /// From default user space to the page as it is shown: left, top, right and bottom in points
    /// from its upper left corner.
    pub fn shown_rect(&self, rect: &Rect) -> [f64; 4] {
        let visible = self.visible_box();
        let Rect { x0, y0, x1, y1 } = *rect;
        let corners = match self.rotate {
            90 => [y0 - visible.y0, x0 - visible.x0, y1 - visible.y0, x1 - visible.x0],
            180 => [visible.x1 - x1, y0 - visible.y0, visible.x1 - x0, y1 - visible.y0],
            270 => [visible.y1 - y1, visible.x1 - x1, visible.y1 - y0, visible.x1 - x0],
            _ => [x0 - visible.x0, visible.y1 - y1, x1 - visible.x0, visible.y1 - y0],
        };
        corners.map(|value| value * self.user_unit)
    }
}

/// What pages inherit from the nodes above them.
#[derive(Debug, Clone, Default)]
struct Inherited {
    resources: Object,
    media_box: Option<Rect>,
    crop_box: Option<Rect>,
    rotate: i64,
}

struct Node {
    kids: std::vec::IntoIter<Object>,
    inherited: Inherited,
}

/// Walks the page tree; see [`View::pages`].
pub struct Pages<'d> {
    view: View<'d>,
    stack: Vec<Node>,
    seen: HashSet<u32>,
    index: usize,
    started: bool,
    kids_left: usize,
}

impl<'d> Pages<'d> {
    pub(crate) fn new(view: View<'d>) -> Self {
        let kids_left = view.inner.raw.limits.pages;
        let seen = HashSet::new();
        Pages { view, stack: Vec::new(), seen, index: 0, started: false, kids_left }
    }

    fn start(&mut self) -> Result<Option<Page>> {
        self.started = true;
        let catalog = self.view.catalog()?;
        let root = catalog.get("Pages").cloned().unwrap_or_default();
        self.visit(&root, &Inherited::default())
    }

    /// Looks at a kid: gives a page, or descends into a node.
    fn visit(&mut self, kid: &Object, inherited: &Inherited) -> Result<Option<Page>> {
        let id = kid.as_ref();
        if let Some(id) = id
            && !self.seen.insert(id.number)
        {
            return Err(PdfError::corrupt(format!("the page tree contains {id} twice")));
        }
        let dict = match self.view.resolve(kid)? {
            Object::Dict(dict) => dict,
            // A kid that does not exist (any more) is passed over, as readers do.
            Object::Null => return Ok(None),
            other => {
                let what = other.type_name();
                return Err(PdfError::corrupt(format!("a {what} stands where a page should")));
            }
        };
        self.view.copied(inherited.resources.weight())?;
        let inherited = self.inherit(&dict, inherited);
        if !dict.contains("Kids") {
            return Ok(Some(self.page(id, dict, inherited)));
        }
        let kids = self.view.lookup_array(&dict, "Kids")?;
        let limit = |what| PdfError::limit(what);
        self.kids_left = self
            .kids_left
            .checked_sub(kids.len())
            .ok_or_else(|| limit("there are too many pages"))?;
        if self.stack.len() >= MAX_DEPTH {
            return Err(limit("the page tree is too deep"));
        }
        self.stack.push(Node { kids: kids.into_iter(), inherited });
        Ok(None)
    }

    fn inherit(&self, dict: &Dict, above: &Inherited) -> Inherited {
        let rect = |key| self.rect(dict, key);
        let rotate = dict.get("Rotate").and_then(|v| self.view.resolve(v).ok()?.as_int());
        Inherited {
            resources: dict.get("Resources").unwrap_or(&above.resources).clone(),
            media_box: rect("MediaBox").or(above.media_box),
            crop_box: rect("CropBox").or(above.crop_box),
            rotate: rotate.unwrap_or(above.rotate),
        }
    }

    fn rect(&self, dict: &Dict, key: &str) -> Option<Rect> {
        self.view.rect(dict, key)
    }

    fn page(&mut self, id: Option<ObjRef>, dict: Dict, inherited: Inherited) -> Page {
        let unit = dict.get("UserUnit").and_then(|v| self.view.resolve(v).ok()?.as_number());
        let index = self.index;
        self.index += 1;
        Page {
            index,
            id,
            resources: inherited.resources,
            media_box: inherited.media_box,
            crop_box: inherited.crop_box,
            rotate: quarter_turns(inherited.rotate) * 90,
            user_unit: unit.filter(|u| (1e-3..1e6).contains(u)).unwrap_or(1.0),
            dict,
        }
    }
}

/// Rotations that are no multiple of 90 degrees are ignored by readers.
fn quarter_turns(degrees: i64) -> u16 {
    if degrees % 90 == 0 { degrees.div_euclid(90).rem_euclid(4) as u16 } else { 0 }
}

impl View<'_> {
    /// The rectangle under `key`, `None` where it is missing or impossible.
    pub fn rect(&self, dict: &Dict, key: &str) -> Option<Rect> {
        let Ok(Object::Array(values)) = self.lookup(dict, key) else { return None };
        let mut corners = [0.0; 4];
        for (index, corner) in corners.iter_mut().enumerate() {
            *corner = self.resolve(values.get(index)?).ok()?.as_number()?;
        }
        Rect::from_corners(corners)
    }
}

impl Iterator for Pages<'_> {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Result<Page>> {
        if !self.started
            && let Some(found) = self.start().transpose()
        {
            return Some(found);
        }
        loop {
            let node = self.stack.last_mut()?;
            let Some(kid) = node.kids.next() else {
                self.stack.pop();
                continue;
            };
            let inherited = node.inherited.clone();
            if let Some(found) = self.visit(&kid, &inherited).transpose() {
                return Some(found);
            }
        }
    }
}
