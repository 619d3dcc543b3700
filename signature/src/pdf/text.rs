//! Text strings (ISO 32000-2, 7.9.2.2 and annex D.3).

/// PDFDocEncoding for the codes that differ from Latin-1.
const DOC_18: [char; 8] = [
    '\u{02D8}', '\u{02C7}', '\u{02C6}', '\u{02D9}', '\u{02DD}', '\u{02DB}', '\u{02DA}', '\u{02DC}',
];
const DOC_80: [char; 31] = [
    '\u{2022}', '\u{2020}', '\u{2021}', '\u{2026}', '\u{2014}', '\u{2013}', '\u{0192}', '\u{2044}',
    '\u{2039}', '\u{203A}', '\u{2212}', '\u{2030}', '\u{201E}', '\u{201C}', '\u{201D}', '\u{2018}',
    '\u{2019}', '\u{201A}', '\u{2122}', '\u{FB01}', '\u{FB02}', '\u{0141}', '\u{0152}', '\u{0160}',
    '\u{0178}', '\u{017D}', '\u{0131}', '\u{0142}', '\u{0153}', '\u{0161}', '\u{017E}',
];

/// Decodes a text string; what cannot be decoded becomes a replacement character.
pub(crate) fn decode(bytes: &[u8]) -> String {
    if let Some(rest) = bytes.strip_prefix(&[0xFE, 0xFF]) {
        return utf16(rest, u16::from_be_bytes);
    }
    if let Some(rest) = bytes.strip_prefix(&[0xFF, 0xFE]) {
        return utf16(rest, u16::from_le_bytes);
    }
    if let Some(rest) = bytes.strip_prefix(&[0xEF, 0xBB, 0xBF]) {
        return String::from_utf8_lossy(rest).into_owned();
    }
    bytes.iter().map(|b| doc_encoding(*b)).collect()
}

/// Decodes a text string; `None` when a byte of it means nothing, so that another string could
/// decode to the same.
pub(crate) fn decode_exactly(bytes: &[u8]) -> Option<String> {
    let is_wide = bytes.starts_with(&[0xFE, 0xFF]) || bytes.starts_with(&[0xFF, 0xFE]);
    let is_whole = !is_wide || bytes.len().is_multiple_of(2);
    let text = decode(bytes);
    (is_whole && !text.contains(char::REPLACEMENT_CHARACTER)).then_some(text)
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units = bytes.as_chunks::<2>().0.iter().map(|pair| unit(*pair));
    char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

fn doc_encoding(byte: u8) -> char {
    let special = match byte {
        0x18..=0x1F => DOC_18.get(usize::from(byte - 0x18)),
        0x80..=0x9E => DOC_80.get(usize::from(byte - 0x80)),
        0x9F | 0xAD => Some(&char::REPLACEMENT_CHARACTER),
        0xA0 => Some(&'\u{20AC}'),
        _ => None,
    };
    special.copied().unwrap_or(char::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_three_encodings_decode() {
        assert_eq!(decode(b"K\xE5re \x80 \xA0"), "K\u{e5}re \u{2022} \u{20AC}");
        assert_eq!(decode(b"\xFE\xFF\x00\xE5\xD8\x3D\xDE\x00"), "\u{e5}\u{1F600}");
        assert_eq!(decode("\u{FEFF}bl\u{e5}".as_bytes()), "bl\u{e5}");
        assert_eq!(decode(b"\xFE\xFF\xD8"), "");
    }

    #[test]
    fn what_loses_something_does_not_decode_exactly() {
        assert_eq!(decode_exactly(b"K\xE5re").as_deref(), Some("K\u{e5}re"));
        assert_eq!(decode_exactly(b"\xFE\xFF\x00\xE5").as_deref(), Some("\u{e5}"));
        for lossy in [&b"\xFE\xFF\xD8"[..], b"\xFE\xFF\xD8\x00", b"\xAD", b"\xEF\xBB\xBF\xFF"] {
            assert_eq!(decode_exactly(lossy), None, "{lossy:?}");
        }
    }
}
