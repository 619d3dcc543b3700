//! The metadata packet of a document (ISO 16684-1): which properties it has, and what it claims
//! about PDF/A.

use std::collections::BTreeMap;

use quick_xml::NsReader;
use quick_xml::events::{BytesStart, Event};
use quick_xml::name::ResolveResult;

const RDF: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
const PDFA_ID: &str = "http://www.aiim.org/pdfa/ns/id/";

/// Namespace and local name of a property.
pub(crate) type Property = (String, String);

/// What a packet says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Xmp {
    /// The properties with their text, where it is simple.
    pub(crate) properties: BTreeMap<Property, String>,
}

impl Xmp {
    /// Reads a packet; the error says why it is malformed.
    pub(crate) fn parse(packet: &[u8]) -> Result<Self, String> {
        let text = to_text(packet)?;
        let mut reader = NsReader::from_str(&text);
        let mut xmp = Self::default();
        let mut state = Walk::default();
        loop {
            match reader.read_event().map_err(|error| error.to_string())? {
                Event::Start(start) => {
                    state.open(&reader, &start, &mut xmp);
                    state.depth += 1;
                }
                Event::Empty(start) => {
                    state.open(&reader, &start, &mut xmp);
                    state.close();
                }
                Event::End(_) => {
                    state.depth = state.depth.saturating_sub(1);
                    state.close();
                }
                Event::Text(text) => state.text(&text, &mut xmp),
                Event::Eof => break,
                _ => {}
            }
        }
        if state.depth == 0 { Ok(xmp) } else { Err("elements are left open".to_owned()) }
    }

    /// Part and conformance level of PDF/A that the packet claims, for example `("2", "B")`.
    pub(crate) fn pdfa_claim(&self) -> Option<(&str, &str)> {
        let value = |local: &str| {
            self.properties.get(&(PDFA_ID.to_owned(), local.to_owned())).map(|text| text.trim())
        };
        Some((value("part")?, value("conformance").unwrap_or_default()))
    }
}

/// Where in the packet the reader stands. Properties are the attributes of `rdf:Description` and
/// its direct children.
#[derive(Default)]
struct Walk {
    depth: usize,
    /// Depth of the description that is open.
    description: Option<usize>,
    /// The property that is open.
    property: Option<Property>,
}

impl Walk {
    fn open(&mut self, reader: &NsReader<&[u8]>, start: &BytesStart<'_>, xmp: &mut Xmp) {
        let (namespace, local) = reader.resolver().resolve_element(start.name());
        let namespace = bound(&namespace);
        if self.description.is_none() {
            if namespace == Some(RDF) && local.as_ref() == "Description" {
                self.description = Some(self.depth);
                for attribute in start.attributes().flatten() {
                    let (namespace, local) = reader.resolver().resolve_attribute(attribute.key);
                    if let Some(property) = property(bound(&namespace), local.as_ref()) {
                        let value = attribute.value.clone().into_owned();
                        xmp.properties.insert(property, value);
                    }
                }
            }
        } else if self.description == self.depth.checked_sub(1) {
            self.property = property(namespace, local.as_ref());
            if let Some(property) = &self.property {
                xmp.properties.entry(property.clone()).or_default();
            }
        }
    }

    fn close(&mut self) {
        if self.description == Some(self.depth) {
            self.description = None;
        }
        if self.description == self.depth.checked_sub(1) {
            self.property = None;
        }
    }

    fn text(&self, text: &str, xmp: &mut Xmp) {
        if let Some(property) = &self.property {
            xmp.properties.entry(property.clone()).or_default().push_str(text);
        }
    }
}

fn bound<'n>(namespace: &ResolveResult<'n>) -> Option<&'n str> {
    match namespace {
        ResolveResult::Bound(namespace) => Some(namespace.0),
        _ => None,
    }
}

fn property(namespace: Option<&str>, local: &str) -> Option<Property> {
    let namespace = namespace?;
    let of_xml = ["http://www.w3.org/XML/1998/namespace", "http://www.w3.org/2000/xmlns/"];
    if namespace == RDF || of_xml.contains(&namespace) {
        return None;
    }
    Some((namespace.to_owned(), local.to_owned()))
}

/// Packets are UTF-8, UTF-16 or UTF-32 (ISO 16684-1 section 7.1); the last is not met in PDF.
fn to_text(packet: &[u8]) -> Result<String, String> {
    let wide = |bytes: &[u8], big: bool| {
        let units = bytes.chunks_exact(2).map(|pair| {
            let unit = <[u8; 2]>::try_from(pair).unwrap_or_default();
            if big { u16::from_be_bytes(unit) } else { u16::from_le_bytes(unit) }
        });
        String::from_utf16(&units.collect::<Vec<_>>()).map_err(|_| "not UTF-16".to_owned())
    };
    match packet {
        [0xfe, 0xff, rest @ ..] => wide(rest, true),
        [0xff, 0xfe, rest @ ..] => wide(rest, false),
        [0, b'<', ..] => wide(packet, true),
        [b'<', 0, ..] => wide(packet, false),
        [0xef, 0xbb, 0xbf, rest @ ..] => utf8(rest),
        _ => utf8(packet),
    }
}

fn utf8(bytes: &[u8]) -> Result<String, String> {
    // some writers pad the packet with NUL
    let end = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    let bytes = bytes.get(..end).unwrap_or(bytes);
    String::from_utf8(bytes.to_vec()).map_err(|_| "not UTF-8".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACKET: &str = r#"<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:pdfaid="http://www.aiim.org/pdfa/ns/id/" pdfaid:part="2">
<pdfaid:conformance>B</pdfaid:conformance></rdf:Description>
<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:e="http://e.example/">
<dc:title><rdf:Alt><rdf:li xml:lang="x-default">T</rdf:li></rdf:Alt></dc:title>
<e:own rdf:parseType="Resource"><e:inner>1</e:inner></e:own><e:empty/></rdf:Description>
</rdf:RDF></x:xmpmeta><?xpacket end="w"?>"#;

    fn names(xmp: &Xmp) -> Vec<&str> {
        xmp.properties.keys().map(|(_, local)| local.as_str()).collect()
    }

    #[test]
    fn finds_properties_in_both_forms() {
        let xmp = Xmp::parse(PACKET.as_bytes()).unwrap();
        assert_eq!(names(&xmp), ["empty", "own", "title", "conformance", "part"]);
        assert_eq!(xmp.pdfa_claim(), Some(("2", "B")));
    }

    #[test]
    fn reads_utf16_and_refuses_damage() {
        let mut wide = vec![0xfe, 0xff];
        wide.extend(PACKET.encode_utf16().flat_map(u16::to_be_bytes));
        assert_eq!(Xmp::parse(&wide).unwrap(), Xmp::parse(PACKET.as_bytes()).unwrap());
        for bad in [&b"<a><b></a>"[..], b"<a>", b"\xff\xff", b"<a"] {
            assert!(Xmp::parse(bad).is_err(), "{}", String::from_utf8_lossy(bad));
        }
        assert_eq!(Xmp::parse(b"").unwrap(), Xmp::default());
    }
}
