//! Visible seals.
//!
//! A seal is drawn with strokes only, by a small line font of our own: no font needs to be
//! embedded, and its colours are device independent, so a PDF/A document stays one.

mod font;
mod geometry;
mod glyphs;

use crate::asn1::Time;
use crate::pdf::{Dict, Object, write_text};

pub(crate) use geometry::{Placed, place};

/// What happens to a seal that does not lie within its page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum SealFit {
    /// The seal is refused.
    #[default]
    Refuse,
    /// The seal is moved to the nearest place where it fits; one larger than the page is refused.
    Move,
}

/// A visible seal.
///
/// Positions follow the service's convention: points (1/72 inch) from the upper left corner of the
/// page as it is shown, that is after its rotation and within its crop box.
#[derive(Debug, Clone, PartialEq)]
pub struct Seal {
    /// Points from the left edge of the page to the left edge of the seal.
    pub x: f64,
    /// Points from the upper edge of the page down to the upper edge of the seal.
    pub y: f64,
    /// Page number from 1; 0 stands for the first page too.
    pub page: u32,
    /// Width in points.
    pub width: f64,
    /// Height in points.
    pub height: f64,
    /// The lines of text, the first one in bold; empty writes the signer's name, the reason and
    /// the time. Characters without a glyph (Latin script has them) show as a box.
    pub lines: Vec<String>,
    /// Whether a border is drawn.
    pub has_border: bool,
    /// Colour of text and border: red, green, blue from 0 to 1.
    pub color: [f64; 3],
    /// What happens where the seal does not lie within the page.
    pub fit: SealFit,
}

impl Default for Seal {
    fn default() -> Self {
        Seal {
            x: 0.0,
            y: 0.0,
            page: 1,
            width: 180.0,
            height: 48.0,
            lines: Vec::new(),
            has_border: true,
            color: [0.05, 0.13, 0.33],
            fit: SealFit::Refuse,
        }
    }
}

/// More lines than this are cut.
const MAX_LINES: usize = 12;
/// More characters than this in one line are cut.
const MAX_CHARS: usize = 200;
/// The largest type, in points of line height.
const MAX_LINE_HEIGHT: f64 = 13.0;

/// The text of the seal.
pub(crate) fn lines(
    seal: &Seal,
    name: Option<&str>,
    reason: Option<&str>,
    time: Option<Time>,
) -> Vec<String> {
    let mut lines = seal.lines.clone();
    if lines.is_empty() {
        lines.push(name.map_or_else(|| "Digitally signed".to_owned(), str::to_owned));
        lines.extend(reason.map(str::to_owned));
        lines.extend(time.map(|time| {
            let (year, month, day, hour, minute, second) = time.civil();
            format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02} UTC")
        }));
    }
    lines.truncate(MAX_LINES);
    lines.into_iter().map(|line| line.chars().take(MAX_CHARS).collect()).collect()
}

/// The form XObject of an invisible signature: PDF/A-1 wants one for every field.
pub(crate) fn empty_form() -> Dict {
    form_dict([0.0; 4])
}

fn form_dict(bbox: [f64; 4]) -> Dict {
    Dict::new()
        .with("Type", Object::name("XObject"))
        .with("Subtype", Object::name("Form"))
        .with("BBox", bbox.map(super::form::number).to_vec())
        .with("Resources", Dict::new())
}

/// The form XObject that draws the seal upright on the page as it is shown: dictionary and content.
pub(crate) fn form(seal: &Seal, lines: &[String], placed: &Placed) -> (Dict, Vec<u8>) {
    let (width, height) = (placed.width, placed.height);
    let mut dict = form_dict([0.0, 0.0, width, height]);
    if placed.rotate != 0 {
        dict.set("Matrix", placed.matrix().map(Object::Int).to_vec());
    }
    let spaces = Dict::new().with("Seal", calibrated_rgb());
    dict.set("Resources", Dict::new().with("ColorSpace", spaces));
    let mut out = Vec::new();
    let [red, green, blue] =
        seal.color.map(|c| if c.is_finite() { c.clamp(0.0, 1.0) } else { 0.0 });
    write_text(&mut out, format_args!("q\n/Seal CS {red:.3} {green:.3} {blue:.3} SC\n"));
    if seal.has_border {
        let (w, h) = (width - 1.0, height - 1.0);
        write_text(&mut out, format_args!("0.7 w 0.5 0.5 {w:.2} {h:.2} re S\n"));
    }
    out.extend(b"1 J 1 j\n");
    draw_lines(lines, width, height, &mut out);
    out.extend(b"Q\n");
    (dict, out)
}

/// Sets the lines from top to bottom, as large as the box allows.
fn draw_lines(lines: &[String], width: f64, height: f64, out: &mut Vec<u8>) {
    let margin = (height * 0.1).clamp(1.5, 5.0);
    let (room_x, room_y) = (width - 2.0 * margin, height - 2.0 * margin);
    if lines.is_empty() || room_x <= 0.0 || room_y <= 0.0 {
        return;
    }
    let line_height = (room_y / lines.len() as f64).min(MAX_LINE_HEIGHT);
    let block = line_height * lines.len() as f64;
    for (index, line) in lines.iter().enumerate() {
        let top = height - margin - (room_y - block) / 2.0 - index as f64 * line_height;
        // Each line keeps its height; one that is too long is set narrower, then smaller.
        let scale = line_height / font::LINE_UNITS;
        let natural = font::width(line) * scale;
        let squeeze = if natural > room_x { room_x / natural } else { 1.0 };
        let scale = if squeeze < 0.75 { scale * squeeze / 0.75 } else { scale };
        let narrow = squeeze.max(0.75);
        let baseline = top - (font::ASCENT_UNITS * line_height / font::LINE_UNITS);
        let weight = if index == 0 { 1.9 } else { 1.25 };
        font::draw(line, [margin, baseline], [scale * narrow, scale], weight * scale, out);
    }
}

/// sRGB's primaries with a plain gamma: allowed in PDF/A whatever its output intent.
fn calibrated_rgb() -> Vec<Object> {
    let reals = |values: &[f64]| values.iter().copied().map(Object::Real).collect::<Vec<_>>();
    let dict = Dict::new()
        .with("WhitePoint", reals(&[0.9505, 1.0, 1.089]))
        .with("Gamma", reals(&[2.2, 2.2, 2.2]))
        .with(
            "Matrix",
            reals(&[0.4124, 0.2126, 0.0193, 0.3576, 0.7152, 0.1192, 0.1805, 0.0722, 0.9505]),
        );
    vec![Object::name("CalRGB"), dict.into()]
}

#[cfg(test)]
mod tests;
