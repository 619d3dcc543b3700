//! A glance at XMP metadata: what it claims and which schemas it uses. No XML parser is needed for
//! that, and none is offered to hostile input.

use std::collections::BTreeSet;

/// Schemas that converters write themselves, or that XMP is made of (ISO 19005-2, 6.6.2.3).
const KNOWN: [&str; 20] = [
    "adobe:ns:meta/",
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "http://purl.org/dc/elements/1.1/",
    "http://purl.org/dc/terms/",
    "http://ns.adobe.com/xap/1.0/",
    "http://ns.adobe.com/xap/1.0/g/",
    "http://ns.adobe.com/xap/1.0/g/img/",
    "http://ns.adobe.com/xap/1.0/mm/",
    "http://ns.adobe.com/xap/1.0/rights/",
    "http://ns.adobe.com/xap/1.0/t/pg/",
    "http://ns.adobe.com/xap/1.0/sType/ResourceRef#",
    "http://ns.adobe.com/xap/1.0/sType/ResourceEvent#",
    "http://ns.adobe.com/pdf/1.3/",
    "http://www.aiim.org/pdfa/ns/id/",
    "http://www.aiim.org/pdfa/ns/extension/",
    "http://www.aiim.org/pdfa/ns/schema#",
    "http://www.aiim.org/pdfa/ns/property#",
    "http://www.aiim.org/pdfa/ns/type#",
    "http://www.aiim.org/pdfa/ns/field#",
    "http://www.w3.org/XML/1998/namespace",
];
/// Schemas named at most.
const MAX_NAMED: usize = 50;

/// The metadata as text, whichever encoding of Unicode it is in.
pub(super) fn text(data: &[u8]) -> String {
    let utf16 = |units: Vec<u16>| String::from_utf16_lossy(&units);
    match data {
        [0xFE, 0xFF, rest @ ..] => {
            utf16(rest.as_chunks::<2>().0.iter().map(|c| u16::from_be_bytes(*c)).collect())
        }
        [0xFF, 0xFE, rest @ ..] => {
            utf16(rest.as_chunks::<2>().0.iter().map(|c| u16::from_le_bytes(*c)).collect())
        }
        _ => String::from_utf8_lossy(data).into_owned(),
    }
}

/// What `pdfaid:part` and `pdfaid:conformance` say, as in `PDF/A-2B`.
pub(super) fn pdfa_claim(text: &str) -> Option<String> {
    let part = value_of(text, "pdfaid:part")?;
    let level = value_of(text, "pdfaid:conformance").unwrap_or_default();
    let plain = |s: &str| s.len() <= 4 && s.chars().all(|c| c.is_ascii_alphanumeric());
    (!part.is_empty() && plain(part) && plain(level)).then(|| format!("PDF/A-{part}{level}"))
}

/// The value of a simple property, written as an attribute or as an element.
fn value_of<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let (_, behind) = text.split_once(name)?;
    let behind = behind.trim_start();
    if let Some(attribute) = behind.strip_prefix('=') {
        let attribute = attribute.trim_start();
        let quote = attribute.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        return attribute.get(1..)?.split(quote).next().map(str::trim);
    }
    let (_, content) = behind.split_once('>')?;
    content.split('<').next().map(str::trim)
}

/// Namespaces that are declared and not among the well-known ones.
pub(super) fn foreign_namespaces(text: &str) -> BTreeSet<String> {
    let declared = text.split("xmlns:").skip(1).filter_map(|rest| {
        let (_, value) = rest.split_once('=')?;
        let value = value.trim_start();
        let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        value.get(1..)?.split(quote).next()
    });
    declared
        .filter(|uri| !KNOWN.contains(uri))
        .map(|uri| uri.chars().filter(|c| !c.is_control()).take(100).collect())
        .take(MAX_NAMED)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_in_both_notations() {
        let attribute = "<rdf:Description pdfaid:part='3' pdfaid:conformance=\"U\"/>";
        assert_eq!(pdfa_claim(attribute).as_deref(), Some("PDF/A-3U"));
        let element = "<pdfaid:part> 2 </pdfaid:part><pdfaid:conformance>B</pdfaid:conformance>";
        assert_eq!(pdfa_claim(element).as_deref(), Some("PDF/A-2B"));
        assert_eq!(pdfa_claim("<pdfaid:part>4</pdfaid:part>").as_deref(), Some("PDF/A-4"));
        for wrong in ["", "pdfaid:part", "pdfaid:part=", "pdfaid:part='", "pdfaid:part>"] {
            assert_eq!(pdfa_claim(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn only_foreign_schemas_are_named() {
        let text = "xmlns:dc=\"http://purl.org/dc/elements/1.1/\" xmlns:x='http://example.com/my#'";
        assert_eq!(
            foreign_namespaces(text).into_iter().collect::<Vec<_>>(),
            ["http://example.com/my#"]
        );
    }

    #[test]
    fn utf16_reads_too() {
        let bytes: Vec<u8> = "\u{FEFF}a\u{e5}".encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(text(&bytes), "a\u{e5}");
    }
}
