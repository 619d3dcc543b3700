//! What a PDF file contains, as far as the conversion has to know: compared before and after.

use std::collections::{BTreeMap, BTreeSet};

use super::xmp::{Property, Xmp};
use crate::pdf::{Array, Dict, Pdf, Reached, Value};
use crate::requests::sha256_hex;

/// Action types that count as interactive. A plain GoTo is left out: every link and outline has one,
/// and PDF/A keeps them.
const ACTIONS: [&str; 18] = [
    "GoTo3DView",
    "GoToE",
    "GoToR",
    "Hide",
    "ImportData",
    "JavaScript",
    "Launch",
    "Movie",
    "Named",
    "Rendition",
    "ResetForm",
    "RichMediaExecute",
    "SetOCGState",
    "Sound",
    "SubmitForm",
    "Thread",
    "Trans",
    "URI",
];

/// Findings on one file.
#[derive(Debug, Default)]
pub(crate) struct Features {
    /// Number of pages.
    pub(crate) pages: usize,
    /// Longest side of any page, in points.
    pub(crate) longest_side: f64,
    /// Whether the file is encrypted. Its metadata cannot be read then, and counts as absent.
    pub(crate) encrypted: bool,
    /// Signature fields with a value, and signature dictionaries.
    pub(crate) signatures: usize,
    /// Embedded files, by whatever way.
    pub(crate) embedded_files: usize,
    /// Whether there is a structure tree (tags).
    pub(crate) structure: bool,
    /// Optional content groups.
    pub(crate) layers: usize,
    /// Actions by type, additional-actions dictionaries under `AA`.
    pub(crate) actions: BTreeMap<String, usize>,
    /// Annotations by subtype.
    pub(crate) annotations: BTreeMap<String, usize>,
    /// Whether a resource uses real transparency.
    pub(crate) transparency: bool,
    /// Names of fonts that pages use and whose program is in the file.
    pub(crate) fonts_embedded: BTreeSet<String>,
    /// Names of fonts that pages use and whose program is not in the file.
    pub(crate) fonts_missing: BTreeSet<String>,
    /// Names of colorants that are defined in more than one way.
    pub(crate) colliding_colorants: BTreeSet<String>,
    /// The metadata; `None` without a packet, an error for a malformed one.
    pub(crate) xmp: Option<Result<Xmp, String>>,
    /// Whether there is a PDF/A output intent with a profile.
    pub(crate) output_intent: bool,
}

impl Features {
    /// Looks through a file.
    pub(crate) fn of(pdf: &Pdf) -> Self {
        let pages = pdf.pages();
        let mut features =
            Self { pages: pages.len(), encrypted: pdf.is_encrypted(), ..Self::default() };
        let Some(catalog) = pdf.catalog() else { return features };
        features.read_catalog(catalog);
        let all = pdf.reachable([Value::Dict(catalog)]);
        features.read_objects(&all);
        features.colliding_colorants = colliding_colorants(&all);
        for page in &pages {
            features.read_page(*page);
        }
        let mut resources = pdf.reachable([]);
        for page in &pages {
            resources.add(page.inherited("Resources"));
        }
        features.read_resources(&resources);
        features
    }

    /// The properties of the metadata packet, none without a readable one.
    pub(crate) fn xmp_properties(&self) -> BTreeSet<&Property> {
        match &self.xmp {
            Some(Ok(xmp)) => xmp.properties.keys().collect(),
            _ => BTreeSet::new(),
        }
    }

    fn read_catalog(&mut self, catalog: Dict<'_>) {
        self.structure = catalog.has("StructTreeRoot");
        let groups = catalog.get("OCProperties").dict().and_then(|oc| oc.get("OCGs").array());
        self.layers = groups.map_or(0, Array::len);
        if let Some(stream) = catalog.get("Metadata").stream()
            && !self.encrypted
        {
            let packet = stream.data().ok_or_else(|| "the stream cannot be unpacked".to_owned());
            self.xmp = Some(packet.and_then(|packet| Xmp::parse(&packet)));
        }
        let intents = catalog.get("OutputIntents").array();
        self.output_intent = intents.into_iter().flat_map(Array::items).any(|intent| {
            intent.dict().is_some_and(|intent| {
                intent.get("S").is_name("GTS_PDFA1")
                    && intent.get("DestOutputProfile").stream().is_some()
            })
        });
    }

    fn read_objects(&mut self, all: &Reached<'_>) {
        for dict in all.dicts() {
            if is_signature(dict) || is_signed_field(dict) {
                self.signatures += 1;
            }
            let holds_file = dict.get("EF").dict().is_some();
            if holds_file || dict.get("Type").is_name("EmbeddedFile") {
                self.embedded_files += 1;
            }
            if dict.get("Subtype").is_name("FileAttachment") {
                self.embedded_files += 1;
            }
            if let Some(action) = action_type(dict) {
                *self.actions.entry(action.to_owned()).or_default() += 1;
            }
            if dict.get("AA").dict().is_some() {
                *self.actions.entry("AA".to_owned()).or_default() += 1;
            }
        }
    }

    fn read_page(&mut self, page: Dict<'_>) {
        if let Some(media) = page.inherited("MediaBox").array() {
            let side = |low, high| match (media.get(low).number(), media.get(high).number()) {
                (Some(low), Some(high)) => (high - low).abs(),
                _ => 0.0,
            };
            self.longest_side = self.longest_side.max(side(0, 2)).max(side(1, 3));
        }
        for annotation in page.get("Annots").array().into_iter().flat_map(Array::items) {
            let Some(subtype) = annotation.dict().and_then(|dict| dict.get("Subtype").name())
            else {
                continue;
            };
            let subtype = String::from_utf8_lossy(subtype).into_owned();
            *self.annotations.entry(subtype).or_default() += 1;
        }
    }

    fn read_resources(&mut self, resources: &Reached<'_>) {
        for dict in resources.dicts() {
            for (_, font) in entries(dict.get("Font")) {
                if let Some(font) = font.dict() {
                    self.read_font(font);
                }
            }
            for (_, state) in entries(dict.get("ExtGState")) {
                self.transparency |= state.dict().is_some_and(is_transparent_state);
            }
            let masked_image =
                dict.get("Subtype").is_name("Image") && dict.get("SMask").stream().is_some();
            self.transparency |= masked_image;
        }
    }

    fn read_font(&mut self, font: Dict<'_>) {
        let Some(name) = font.get("BaseFont").name() else { return };
        if font.get("Subtype").is_name("Type3") {
            return;
        }
        let descendant = font.get("DescendantFonts").array().and_then(|array| array.get(0).dict());
        let descriptor = descendant.unwrap_or(font).get("FontDescriptor").dict();
        let embedded = descriptor.is_some_and(|descriptor| {
            ["FontFile", "FontFile2", "FontFile3"]
                .iter()
                .any(|key| descriptor.get(key).stream().is_some())
        });
        let name = without_subset_tag(&String::from_utf8_lossy(name));
        let list = if embedded { &mut self.fonts_embedded } else { &mut self.fonts_missing };
        list.insert(name);
    }
}

fn entries<'a>(value: Value<'a>) -> impl Iterator<Item = (&'a [u8], Value<'a>)> {
    value.dict().into_iter().flat_map(Dict::entries)
}

/// A signature dictionary (ISO 32000-2 section 12.8.1), whether a field points at it or not.
fn is_signature(dict: Dict<'_>) -> bool {
    dict.get("ByteRange").array().is_some() && matches!(dict.get("Contents"), Value::Text(_))
}

/// A signature field whose value is not a signature dictionary by the rule above: counted too,
/// since it claims to be signed.
fn is_signed_field(dict: Dict<'_>) -> bool {
    let Some(value) = dict.get("V").dict() else { return false };
    dict.inherited("FT").is_name("Sig") && !is_signature(value)
}

fn action_type(dict: Dict<'_>) -> Option<&'static str> {
    let name = dict.get("S").name()?;
    if dict.get("Type").is_name("StructElem") {
        return None;
    }
    ACTIONS.into_iter().find(|action| action.as_bytes() == name)
}

/// An ExtGState that makes something transparent (ISO 32000-2 table 57).
fn is_transparent_state(state: Dict<'_>) -> bool {
    let below_one = |key| state.get(key).number().is_some_and(|alpha| alpha < 1.0);
    let plain = |mode: Value<'_>| mode.is_name("Normal") || mode.is_name("Compatible");
    let blends = match state.get("BM") {
        Value::Null => false,
        // of a list the first mode known to the reader counts
        Value::Array(modes) => !plain(modes.get(0)),
        mode => !plain(mode),
    };
    blends || below_one("ca") || below_one("CA") || state.get("SMask").dict().is_some()
}

/// `ABCDEF+Name` is a subset of `Name` (ISO 32000-2 section 9.9.2).
fn without_subset_tag(name: &str) -> String {
    match name.split_once('+') {
        Some((tag, rest)) if tag.len() == 6 && tag.bytes().all(|b| b.is_ascii_uppercase()) => {
            rest.to_owned()
        }
        _ => name.to_owned(),
    }
}

/// Colorants whose Separation spaces differ in alternate space or tint transform
/// (ISO 19005-2 section 6.2.4.4).
fn colliding_colorants(all: &Reached<'_>) -> BTreeSet<String> {
    let mut seen: BTreeMap<String, String> = BTreeMap::new();
    let mut colliding = BTreeSet::new();
    for array in all.arrays() {
        let Some(name) = array.get(1).name() else { continue };
        if !array.get(0).is_name("Separation") || name == b"All" || name == b"None" {
            continue;
        }
        let name = String::from_utf8_lossy(name).into_owned();
        let mut definition = String::new();
        describe(array.get(2), 0, &mut definition);
        describe(array.get(3), 0, &mut definition);
        if seen.get(&name).is_some_and(|known| *known != definition) {
            colliding.insert(name.clone());
        }
        seen.entry(name).or_insert(definition);
    }
    colliding
}

/// Writes what a value is, so that equal values give equal text however they are stored.
fn describe(value: Value<'_>, depth: usize, out: &mut String) {
    const MAX_DEPTH: usize = 12;
    if depth > MAX_DEPTH {
        return;
    }
    match value {
        Value::Null => out.push_str("null "),
        Value::Bool(value) => out.push_str(if value { "true " } else { "false " }),
        Value::Integer(_) | Value::Real(_) => {
            out.push_str(&format!("{:.6} ", value.number().unwrap_or_default()));
        }
        Value::Name(name) => out.push_str(&format!("/{} ", String::from_utf8_lossy(name))),
        Value::Text(text) => out.push_str(&format!("<{}> ", sha256_hex(text))),
        Value::Array(array) => {
            out.push_str("[ ");
            array.items().for_each(|item| describe(item, depth + 1, out));
            out.push_str("] ");
        }
        Value::Dict(dict) => describe_dict(dict, depth, out),
        Value::Stream(stream) => {
            describe_dict(stream.dict(), depth, out);
            out.push_str(&stream.data().map_or("?".to_owned(), |data| sha256_hex(&data)));
            out.push(' ');
        }
    }
}

fn describe_dict(dict: Dict<'_>, depth: usize, out: &mut String) {
    let mut entries: Vec<_> = dict
        .entries()
        .filter(|(key, _)| !matches!(*key, b"Length" | b"Filter" | b"DecodeParms"))
        .collect();
    entries.sort_by_key(|(key, _)| *key);
    out.push_str("<< ");
    for (key, value) in entries {
        out.push_str(&format!("/{} ", String::from_utf8_lossy(key)));
        describe(value, depth + 1, out);
    }
    out.push_str(">> ");
}
