//! A small line font: glyphs are strokes on a grid, drawn as paths.

use super::glyphs::{self, Accent};
use crate::pdf::write_text;

/// Height of a capital letter in grid units.
const CAP: f64 = 14.0;
/// Height of a small letter without ascender.
const X_HEIGHT: f64 = 9.0;
/// From the baseline to the top of an accented capital.
pub(super) const ASCENT_UNITS: f64 = 19.0;
/// Height of a line.
pub(super) const LINE_UNITS: f64 = 24.5;
/// Between two characters.
const GAP: f64 = 3.2;
/// A blank, without the gap behind it.
const BLANK: f64 = 3.0;

const TWO_THIRDS: f64 = 2.0 / 3.0;

/// One character: parts, each moved and scaled, and how wide it is.
struct Glyph {
    parts: Vec<Part>,
    width: f64,
}

struct Part {
    strokes: &'static str,
    at: [f64; 2],
    scale: f64,
}

impl Part {
    fn plain(strokes: &'static str) -> Part {
        Part { strokes, at: [0.0, 0.0], scale: 1.0 }
    }
}

/// Width of a line in grid units.
pub(super) fn width(text: &str) -> f64 {
    let total: f64 = text.chars().map(|c| glyph(c).width + GAP).sum();
    (total - GAP).max(0.0)
}

/// Draws a line of text with its baseline from `origin`; `scale` is points per grid unit.
pub(super) fn draw(text: &str, origin: [f64; 2], scale: [f64; 2], line: f64, out: &mut Vec<u8>) {
    write_text(out, format_args!("{line:.2} w\n"));
    let mut x = origin[0];
    for character in text.chars() {
        let glyph = glyph(character);
        for part in &glyph.parts {
            let at = [x + part.at[0] * scale[0], origin[1] + part.at[1] * scale[1]];
            strokes(part.strokes, at, scale.map(|s| s * part.scale), out);
        }
        x += (glyph.width + GAP) * scale[0];
    }
}

fn glyph(character: char) -> Glyph {
    if character == ' ' || character == '\u{A0}' {
        return Glyph { parts: Vec::new(), width: BLANK };
    }
    if character.is_control() {
        return Glyph { parts: Vec::new(), width: 0.0 };
    }
    if let Some(strokes) = glyphs::strokes(character) {
        return Glyph { parts: vec![Part::plain(strokes)], width: extent(strokes) };
    }
    if let Some((base, accent)) = glyphs::decompose(character)
        && let Some(strokes) = glyphs::strokes(base)
    {
        return accented(base, strokes, accent);
    }
    if let Some(parts) = glyphs::compose(character) {
        return composed(parts);
    }
    Glyph { parts: vec![Part::plain(glyphs::MISSING)], width: extent(glyphs::MISSING) }
}

fn accented(base: char, strokes: &'static str, accent: Accent) -> Glyph {
    let width = extent(strokes);
    let height = match accent {
        Accent::Cedilla => 0.0,
        _ if base.is_uppercase() => CAP + 1.6,
        _ => X_HEIGHT + 2.2,
    };
    let part = Part { strokes: glyphs::accent(accent), at: [width / 2.0, height], scale: 1.0 };
    // Accents on narrow letters need room to both sides.
    let widened = width.max(4.0);
    let shift = (widened - width) / 2.0;
    let mut parts = vec![Part::plain(strokes), part];
    parts.iter_mut().for_each(|p| p.at[0] += shift);
    Glyph { parts, width: widened }
}

fn composed(parts: &'static [(char, f64, f64, f64)]) -> Glyph {
    let mut glyph = Glyph { parts: Vec::new(), width: 0.0 };
    for (base, scale, x, y) in parts {
        let Some(strokes) = glyphs::strokes(*base) else { continue };
        glyph.width = glyph.width.max(x + extent(strokes) * scale);
        glyph.parts.push(Part { strokes, at: [*x, *y], scale: *scale });
    }
    glyph
}

/// One drawing command.
enum Step {
    Move([f64; 2]),
    Line([f64; 2]),
    /// A quadratic curve: control point and end.
    Curve([f64; 2], [f64; 2]),
}

/// Reads `M x y`, `L x y` and `Q cx cy x y`.
fn steps(strokes: &'static str) -> impl Iterator<Item = Step> {
    let mut words = strokes.split_ascii_whitespace();
    std::iter::from_fn(move || {
        let command = words.next()?;
        let mut point = || Some([words.next()?.parse().ok()?, words.next()?.parse().ok()?]);
        Some(match command {
            "M" => Step::Move(point()?),
            "L" => Step::Line(point()?),
            "Q" => Step::Curve(point()?, point()?),
            _ => return None,
        })
    })
}

fn extent(strokes: &'static str) -> f64 {
    let reach = |step| match step {
        Step::Move(p) | Step::Line(p) | Step::Curve(_, p) => p[0],
    };
    steps(strokes).map(reach).fold(0.0, f64::max)
}

fn strokes(strokes: &'static str, at: [f64; 2], scale: [f64; 2], out: &mut Vec<u8>) {
    let place = |p: [f64; 2]| [at[0] + p[0] * scale[0], at[1] + p[1] * scale[1]];
    let mut pen = at;
    for step in steps(strokes) {
        pen = match step {
            Step::Move(p) => {
                let p = place(p);
                write_text(out, format_args!("{:.2} {:.2} m\n", p[0], p[1]));
                p
            }
            Step::Line(p) => {
                let p = place(p);
                write_text(out, format_args!("{:.2} {:.2} l\n", p[0], p[1]));
                p
            }
            Step::Curve(control, p) => {
                let (c, p) = (place(control), place(p));
                // A quadratic curve as a cubic one: control points two thirds of the way.
                let near = |from: [f64; 2]| {
                    [
                        from[0] + (c[0] - from[0]) * TWO_THIRDS,
                        from[1] + (c[1] - from[1]) * TWO_THIRDS,
                    ]
                };
                let [[ax, ay], [bx, by]] = [near(pen), near(p)];
                write_text(
                    out,
                    format_args!("{ax:.2} {ay:.2} {bx:.2} {by:.2} {:.2} {:.2} c\n", p[0], p[1]),
                );
                p
            }
        };
    }
    out.extend(b"S\n");
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    #[test]
    fn every_glyph_parses_completely() {
        let count = |text: &'static str| {
            text.split_ascii_whitespace().filter(|w| matches!(*w, "M" | "L" | "Q")).count()
        };
        for character in ('!'..='\u{17F}').chain('\u{2010}'..='\u{2122}') {
            if let Some(strokes) = glyphs::strokes(character) {
                assert_eq!(steps(strokes).count(), count(strokes), "{character}");
                assert!(strokes.starts_with("M "), "{character}");
            }
        }
    }

    #[test]
    fn all_of_latin_1_and_the_sami_letters_have_a_glyph() {
        let printable = ('!'..='~').chain('\u{A1}'..='\u{FF}').filter(|c| *c != '\u{AD}');
        for character in printable.chain("ČčĐđŊŋŠšŦŧŽž€–—‘’“”•…ŒœŸ™".chars())
        {
            let found = glyphs::strokes(character).is_some()
                || glyphs::decompose(character).is_some()
                || glyphs::compose(character).is_some();
            assert!(found, "no glyph for {character:?}");
        }
    }
}
