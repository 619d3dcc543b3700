//! A small TrueType font made in code, so that samples can embed a real font program.
//!
//! Fixed pitch, 95 characters from space to tilde, outlines of rectangles. The tables are those a
//! PDF reader needs (ISO 32000-1 section 9.9) plus `name`, `post` and `OS/2`.

use super::glyphs::{Glyph, glyph};

/// PostScript name of the font.
pub(crate) const NAME: &str = "SandboxGrid";
/// Width of every character, in thousandths of the font size.
pub(crate) const ADVANCE: u16 = 600;

const UNITS_PER_EM: u16 = 1000;
const CELL: i16 = 100;
const FIRST: u8 = b' ';
const LAST: u8 = b'~';
const ASCENT: i16 = 800;
const DESCENT: i16 = -200;

/// The font program.
pub(crate) fn truetype() -> Vec<u8> {
    let outlines: Vec<Vec<u8>> = std::iter::once([0x7f; 7])
        .chain((FIRST..=LAST).map(|code| glyph(char::from(code))))
        .map(outline)
        .collect();
    let count = u16::try_from(outlines.len()).unwrap_or(u16::MAX);
    let mut glyf = Vec::new();
    let mut loca = Vec::new();
    for outline in &outlines {
        push_offset(&mut loca, glyf.len());
        glyf.extend_from_slice(outline);
    }
    push_offset(&mut loca, glyf.len());
    let tables: [(&[u8; 4], Vec<u8>); 10] = [
        (b"OS/2", os2()),
        (b"cmap", cmap()),
        (b"glyf", glyf),
        (b"head", head()),
        (b"hhea", hhea(count)),
        (b"hmtx", outlines.iter().flat_map(|outline| words(&[ADVANCE, x_min(outline)])).collect()),
        (b"loca", loca),
        (b"maxp", maxp(count, &outlines)),
        (b"name", name()),
        (b"post", post()),
    ];
    assemble(&tables)
}

fn push_offset(loca: &mut Vec<u8>, offset: usize) {
    loca.extend_from_slice(&u32::try_from(offset).unwrap_or(u32::MAX).to_be_bytes());
}

fn words(values: &[u16]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_be_bytes()).collect()
}

fn signed(value: i16) -> u16 {
    u16::from_be_bytes(value.to_be_bytes())
}

/// Rectangles of the set cells, runs joined across rows where they are equal.
fn rectangles(rows: Glyph) -> Vec<(i16, i16, i16, i16)> {
    let mut done: Vec<(i16, i16, i16, i16)> = Vec::new();
    let mut open: Vec<(i16, i16, i16, i16)> = Vec::new();
    for (row, bits) in (0_i16..).zip(rows) {
        let top = (7 - row) * CELL;
        let mut next = Vec::new();
        for (left, right) in runs(bits) {
            let above =
                open.iter().position(|rect| rect.0 == left * CELL && rect.2 == right * CELL);
            let upper = above.map_or(top, |index| open.swap_remove(index).3);
            next.push((left * CELL, top - CELL, right * CELL, upper));
        }
        done.append(&mut open);
        open = next;
    }
    done.append(&mut open);
    done
}

fn runs(bits: u8) -> Vec<(i16, i16)> {
    let mut found = Vec::new();
    let mut start = None;
    for column in 0..=5_i16 {
        let set = column < 5 && bits & (0b10000 >> column) != 0;
        match (set, start) {
            (true, None) => start = Some(column),
            (false, Some(from)) => {
                found.push((from, column));
                start = None;
            }
            _ => {}
        }
    }
    found
}

/// A simple glyph description with all points on the curve.
fn outline(rows: Glyph) -> Vec<u8> {
    let rectangles = rectangles(rows);
    if rectangles.is_empty() {
        return Vec::new();
    }
    // outlines run clockwise; half a cell of space on the left
    let points: Vec<(i16, i16)> = rectangles
        .iter()
        .map(|(left, bottom, right, top)| (left + 50, *bottom, right + 50, *top))
        .flat_map(|(left, bottom, right, top)| {
            [(left, bottom), (left, top), (right, top), (right, bottom)]
        })
        .collect();
    let range = |pick: fn(&(i16, i16)) -> i16| {
        let values = || points.iter().map(pick);
        (values().min().unwrap_or(0), values().max().unwrap_or(0))
    };
    let ((x_min, x_max), (y_min, y_max)) = (range(|point| point.0), range(|point| point.1));
    let contours = u16::try_from(rectangles.len()).unwrap_or(0);
    let mut out = words(&[contours, signed(x_min), signed(y_min), signed(x_max), signed(y_max)]);
    out.extend((1..=contours).flat_map(|contour| (contour * 4 - 1).to_be_bytes()));
    out.extend([0, 0]);
    out.extend(points.iter().map(|_| 0x01));
    for pick in [|point: &(i16, i16)| point.0, |point: &(i16, i16)| point.1] {
        let mut last = 0;
        for point in &points {
            out.extend((pick(point) - last).to_be_bytes());
            last = pick(point);
        }
    }
    while !out.len().is_multiple_of(4) {
        out.push(0);
    }
    out
}

fn cmap() -> Vec<u8> {
    let mut mac = words(&[0, 262, 0]);
    mac.extend((0..=255_u8).map(|code| match code {
        FIRST..=LAST => code - FIRST + 1,
        _ => 0,
    }));
    let delta = 1_u16.wrapping_sub(u16::from(FIRST));
    let segments = [
        [4, 32, 0, 4, 4, 1, 0].as_slice(),
        &[u16::from(LAST), 0xffff, 0],
        &[u16::from(FIRST), 0xffff],
        &[delta, 1],
        &[0, 0],
    ];
    let windows: Vec<u8> = segments.into_iter().flat_map(words).collect();
    let mut out = words(&[0, 2, 1, 0, 0, 20, 3, 1]);
    out.extend((20 + mac.len() as u32).to_be_bytes());
    out.extend(mac);
    out.extend(windows);
    out
}

/// The left side bearing: readers shift an outline until its left edge lies there.
fn x_min(outline: &[u8]) -> u16 {
    match outline {
        [_, _, high, low, ..] => u16::from_be_bytes([*high, *low]),
        _ => 0,
    }
}

fn head() -> Vec<u8> {
    let mut out = words(&[1, 0, 1, 0, 0, 0, 0x5f0f, 0x3cf5, 0b1001, UNITS_PER_EM]);
    // created and modified: 2024-01-01 in seconds since 1904
    out.extend([0, 0, 0, 0, 0xe1, 0xb8, 0x2a, 0x80].repeat(2));
    out.extend(words(&[0, signed(DESCENT), ADVANCE, signed(ASCENT), 0, 8, 2, 1, 0]));
    out
}

fn hhea(count: u16) -> Vec<u8> {
    let mut out = words(&[1, 0, signed(ASCENT), signed(DESCENT), 0, ADVANCE, 0, 0, 550, 1]);
    out.extend(words(&[0, 0, 0, 0, 0, 0, 0, count]));
    out
}

fn maxp(count: u16, outlines: &[Vec<u8>]) -> Vec<u8> {
    let contours = outlines
        .iter()
        .filter_map(|outline| Some(u16::from_be_bytes(*outline.first_chunk::<2>()?)))
        .max()
        .unwrap_or(0);
    words(&[1, 0, count, contours * 4, contours, 0, 0, 1, 0, 0, 0, 0, 64, 0, 0, 0])
}

fn name() -> Vec<u8> {
    let records = [(1, NAME), (2, "Regular"), (4, NAME), (6, NAME)];
    let mut out = words(&[0, 4, 6 + 4 * 12]);
    let mut text = Vec::new();
    for (id, value) in records {
        let wide: Vec<u8> = value.encode_utf16().flat_map(u16::to_be_bytes).collect();
        let (length, offset) = (wide.len() as u16, text.len() as u16);
        out.extend(words(&[3, 1, 0x409, id, length, offset]));
        text.extend(wide);
    }
    out.extend(text);
    out
}

fn post() -> Vec<u8> {
    let mut out = words(&[3, 0, 0, 0, signed(-100), 50, 0, 1]);
    out.extend([0; 16]);
    out
}

fn os2() -> Vec<u8> {
    let mut out = words(&[3, ADVANCE, 400, 5, 0]);
    out.extend(words(&[650, 600, 0, 75, 650, 600, 0, 350, 50, 300, 0]));
    // PANOSE: latin text, fixed pitch
    out.extend([2, 0, 5, 9, 0, 0, 0, 0, 0, 0]);
    out.extend(words(&[0, 1, 0, 0, 0, 0, 0, 0]));
    out.extend(*b"NONE");
    out.extend(words(&[0x40, u16::from(FIRST), u16::from(LAST)]));
    out.extend(words(&[signed(ASCENT), signed(DESCENT), 0, signed(ASCENT), 200]));
    out.extend(words(&[0, 1, 0, 0, 500, 700, 0, u16::from(FIRST), 0]));
    out
}

fn checksum(table: &[u8]) -> u32 {
    table.chunks(4).fold(0_u32, |sum, chunk| {
        let mut word = [0_u8; 4];
        for (to, from) in word.iter_mut().zip(chunk) {
            *to = *from;
        }
        sum.wrapping_add(u32::from_be_bytes(word))
    })
}

fn assemble(tables: &[(&[u8; 4], Vec<u8>)]) -> Vec<u8> {
    let count = u16::try_from(tables.len()).unwrap_or(0);
    let power = count.checked_ilog2().unwrap_or(0);
    let range = 16 << power;
    let mut directory = words(&[1, 0, count, range, power as u16, count * 16 - range]);
    let mut body = Vec::new();
    let start = 12 + tables.len() * 16;
    let mut head_at = None;
    for (tag, table) in tables {
        if *tag == b"head" {
            head_at = Some(start + body.len());
        }
        directory.extend_from_slice(*tag);
        directory.extend(checksum(table).to_be_bytes());
        directory.extend(((start + body.len()) as u32).to_be_bytes());
        directory.extend((table.len() as u32).to_be_bytes());
        body.extend_from_slice(table);
        while !body.len().is_multiple_of(4) {
            body.push(0);
        }
    }
    directory.extend(body);
    let adjustment = 0xb1b0_afba_u32.wrapping_sub(checksum(&directory));
    let place = head_at.and_then(|at| directory.get_mut(at + 8..at + 12));
    if let Some(place) = place {
        place.copy_from_slice(&adjustment.to_be_bytes());
    }
    directory
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_font_sums_up() {
        let font = truetype();
        assert_eq!(checksum(&font), 0xb1b0_afba);
        let lengths: Vec<(String, u32)> = (0..10)
            .map(|index| {
                let entry = &font[12 + index * 16..28 + index * 16];
                let tag = String::from_utf8_lossy(&entry[..4]).into_owned();
                (tag, u32::from_be_bytes(entry[12..16].try_into().unwrap()))
            })
            .collect();
        for (tag, length) in [("head", 54), ("hhea", 36), ("maxp", 32), ("post", 32), ("OS/2", 96)]
        {
            assert!(lengths.contains(&(tag.into(), length)), "{lengths:?}");
        }
    }

    #[test]
    fn rectangles_cover_exactly_the_set_cells() {
        for code in FIRST..=LAST {
            let rows = glyph(char::from(code));
            let cells: u32 = rows.iter().map(|row| row.count_ones()).sum();
            let area: i32 = rectangles(rows)
                .iter()
                .map(|(l, b, r, t)| i32::from(r - l) * i32::from(t - b))
                .sum();
            assert_eq!(area, cells as i32 * 10_000, "{}", char::from(code));
        }
    }
}
