//! Widths of characters and what they mean, as far as it takes to say which text lies where.

use std::collections::HashMap;

use crate::compare::content::Operations;
use crate::pdf::{Dict, Object, PdfString, View};

/// A character map larger than this is not read.
const MAX_MAP: usize = 512 << 10;
const MAX_MAPPED: usize = 70_000;
/// Width of a character whose font does not tell, in units of the type size.
const TYPICAL_WIDTH: f64 = 0.55;

/// A font.
#[derive(Debug, Default)]
pub(super) struct Font {
    /// Type 0 fonts have codes of two bytes.
    is_composite: bool,
    first: i64,
    widths: Vec<f64>,
    default_width: Option<f64>,
    map: HashMap<u32, String>,
    /// Size of the units of widths.
    unit: f64,
}

impl Font {
    pub(super) fn read(view: &View<'_>, dict: &Dict) -> Font {
        let number = |dict: &Dict, key: &str| view.lookup(dict, key).ok()?.as_number();
        let is_composite = dict.is_name("Subtype", "Type0");
        let mut font = Font { is_composite, unit: 0.001, ..Font::default() };
        if dict.is_name("Subtype", "Type3") {
            let matrix = view.lookup_array(dict, "FontMatrix").unwrap_or_default();
            font.unit = matrix.first().and_then(Object::as_number).unwrap_or(0.001).abs();
        }
        if is_composite {
            let below = view.lookup_array(dict, "DescendantFonts").unwrap_or_default();
            let below = below.first().and_then(|d| view.resolve(d).ok());
            let below = below.as_ref().and_then(Object::as_dict);
            font.default_width = Some(below.and_then(|d| number(d, "DW")).unwrap_or(1000.0));
        } else {
            font.first = number(dict, "FirstChar").unwrap_or(0.0) as i64;
            let widths = view.lookup_array(dict, "Widths").unwrap_or_default();
            font.widths = widths.iter().take(256).map(|w| w.as_number().unwrap_or(0.0)).collect();
        }
        if let Ok(Object::Stream(map)) = view.lookup(dict, "ToUnicode")
            && let Ok(decoded) = view.stream_data(&map, MAX_MAP)
        {
            font.map = read_map(&decoded.data);
        }
        font
    }

    /// The codes of a string, each with its width in units of the type size and whether it is a
    /// single space.
    pub(super) fn codes(&self, string: &PdfString) -> Vec<(u32, f64, bool)> {
        let step = if self.is_composite { 2 } else { 1 };
        string
            .bytes
            .chunks(step)
            .map(|chunk| {
                let code = chunk.iter().fold(0, |code, byte| code << 8 | u32::from(*byte));
                (code, self.width(code), step == 1 && code == 32)
            })
            .collect()
    }

    fn width(&self, code: u32) -> f64 {
        let index = usize::try_from(i64::from(code) - self.first).ok();
        let listed = index.and_then(|index| self.widths.get(index)).copied();
        match listed.or(self.default_width) {
            Some(width) => width * self.unit,
            None => TYPICAL_WIDTH,
        }
    }

    /// The text of a string, as far as the font tells.
    pub(super) fn text(&self, string: &PdfString) -> String {
        if self.map.is_empty() && self.is_composite {
            return String::new();
        }
        if self.map.is_empty() {
            return string.to_text();
        }
        let codes = self.codes(string);
        codes.iter().filter_map(|(code, _, _)| self.map.get(code)).map(String::as_str).collect()
    }
}

/// Reads the mappings of a ToUnicode map (ISO 32000-2, 9.10.3).
fn read_map(data: &[u8]) -> HashMap<u32, String> {
    let mut map = HashMap::new();
    let mut operations = Operations::new(data);
    while let Ok(Some(operation)) = operations.next() {
        match operation.name.as_slice() {
            b"endbfchar" => {
                for pair in operation.operands.as_chunks::<2>().0 {
                    if let [Object::String(from), Object::String(to)] = pair {
                        map.insert(code_of(from), utf16(to, 0));
                    }
                }
            }
            b"endbfrange" => {
                for [from, to, target] in operation.operands.as_chunks::<3>().0 {
                    add_range(&mut map, from, to, target);
                }
            }
            _ => {}
        }
        if map.len() > MAX_MAPPED {
            break;
        }
    }
    map
}

fn add_range(map: &mut HashMap<u32, String>, from: &Object, to: &Object, target: &Object) {
    let (Object::String(from), Object::String(to)) = (from, to) else { return };
    let (from, to) = (code_of(from), code_of(to));
    let count = to.saturating_sub(from).min(0xFFFF);
    for offset in 0..=count {
        let text = match target {
            Object::String(first) => utf16(first, offset),
            Object::Array(each) => match each.get(offset as usize) {
                Some(Object::String(text)) => utf16(text, 0),
                _ => return,
            },
            _ => return,
        };
        map.insert(from.saturating_add(offset), text);
    }
}

fn code_of(string: &PdfString) -> u32 {
    string.bytes.iter().take(4).fold(0, |code, byte| code << 8 | u32::from(*byte))
}

/// The text of UTF-16 bytes, its last unit moved on by `offset`.
fn utf16(string: &PdfString, offset: u32) -> String {
    let mut units: Vec<u16> = string
        .bytes
        .as_chunks::<2>()
        .0
        .iter()
        .take(16)
        .map(|pair| u16::from_be_bytes(*pair))
        .collect();
    if let Some(last) = units.last_mut() {
        *last = last.wrapping_add(offset as u16);
    }
    String::from_utf16_lossy(&units)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_of_characters_and_ranges() {
        let map = read_map(
            b"2 beginbfchar <0003> <0020> <0010> <00410042> endbfchar\n\
              2 beginbfrange <0020> <0022> <0061> <0030> <0031> [<0058> <0059>] endbfrange",
        );
        let get = |code: u32| map.get(&code).map(String::as_str);
        assert_eq!(get(3), Some(" "));
        assert_eq!(get(0x10), Some("AB"));
        assert_eq!((get(0x20), get(0x22), get(0x31)), (Some("a"), Some("c"), Some("Y")));
        let font = Font { is_composite: true, map, ..Font::default() };
        assert_eq!(font.text(&PdfString::hex([0, 0x21, 0, 3, 0, 0x30])), "b X");
    }
}
