//! Reading a new order: exactly what the specification allows, and nothing else.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use quick_xml::events::Event;
use signdoc_signature::sdo::{DocumentKind, bidxml_document, to_iso_8859_1};

use super::Kind;
use crate::convert::PDFA_2B;
use crate::fields::{Problems, Section};
use crate::json::{self, Json, shown};
use crate::variants::Texts;

/// Seconds for the end user's signing when the order does not say.
const DEFAULT_TIMEOUT: u64 = 1800;
/// Ways to show documents.
const DISPLAY_MODES: [&str; 3] = [DEFAULT_MODE, "window", "overlay"];
/// The way when the order does not say.
const DEFAULT_MODE: &str = "interior";

/// What an order asks for.
#[derive(Debug)]
pub(crate) struct Wanted {
    pub(crate) properties: Properties,
    pub(crate) visual_seals: bool,
    pub(crate) documents: Vec<Document>,
    pub(crate) results: Vec<Output>,
}

/// `signProperties`
#[derive(Debug, Clone, Default)]
pub(crate) struct Properties {
    pub(crate) name: String,
    pub(crate) display_mode: String,
    pub(crate) show_confirmation: bool,
    pub(crate) show_understanding: bool,
    pub(crate) timeout_seconds: u64,
}

/// One document of an order.
#[derive(Debug, Clone)]
pub(crate) struct Document {
    pub(crate) description: String,
    pub(crate) content: Content,
    /// Whether `pdfSpec` asks for a conversion.
    pub(crate) convert: bool,
    pub(crate) end_user_only: bool,
    pub(crate) merchant_seal: Option<SealPosition>,
    pub(crate) end_user_seal: Option<SealPosition>,
}

/// What is signed.
#[derive(Debug, Clone)]
pub(crate) struct Content {
    pub(crate) kind: DocumentKind,
    /// The bytes that are signed.
    pub(crate) bytes: Bytes,
    /// What the end user is shown: the XML without its wrapper.
    pub(crate) shown: Bytes,
}

/// Where a seal goes: points from the upper left corner, page from 1 (0 counts as 1).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SealPosition {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) page: u32,
}

/// A requested result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Output {
    SignedPdf,
    Appendix,
    DocumentHash,
    BasicSignature,
    Sdo,
}

impl Output {
    fn of(kind: Kind) -> [Self; 3] {
        match kind {
            Kind::Pades => [Self::SignedPdf, Self::Appendix, Self::DocumentHash],
            Kind::Sdo => [Self::BasicSignature, Self::DocumentHash, Self::Sdo],
        }
    }

    /// The word of the specification.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::SignedPdf => "padesSignedPdf",
            Self::Appendix => "padesAppendix",
            Self::DocumentHash => "documentHash",
            Self::BasicSignature => "basicSignature",
            Self::Sdo => "sdo",
        }
    }
}

/// Reads the body of a new order; the error has all problems.
pub(crate) fn read(body: &[u8], kind: Kind, texts: Texts) -> Result<Wanted, Vec<String>> {
    let json = json::parse(body).map_err(|problem| vec![format!("Invalid request: {problem}")])?;
    let mut problems = Problems::default();
    let mut order = Section::new(json, "", &mut problems);
    let properties = match order.object("signProperties", &mut problems) {
        Some(section) => properties(section, &mut problems),
        None => Properties::default(),
    };
    let visual_seals = match kind {
        Kind::Pades => visual_seals(&mut order, &mut problems),
        Kind::Sdo => false,
    };
    let items = order.array("documents", &mut problems);
    if items.as_ref().is_some_and(Vec::is_empty) {
        problems.add("'documents' must contain at least one document");
    }
    let each = items.unwrap_or_default().into_iter().enumerate();
    let documents = each
        .filter_map(|(index, value)| {
            let section = Section::new(value, format!("documents[{index}]"), &mut problems);
            let default = description(&properties.name, index);
            match kind {
                Kind::Pades => pades_document(section, default, &mut problems),
                Kind::Sdo => sdo_document(section, default, texts, &mut problems),
            }
        })
        .collect();
    let results = results(&mut order, kind, &mut problems);
    order.end(&mut problems);
    problems.result(Wanted { properties, visual_seals, documents, results })
}

/// The description of a document that has none of its own, and of its conversion.
pub(crate) fn description(order_name: &str, index: usize) -> String {
    format!("{order_name} - {}", index + 1)
}

fn properties(mut section: Section<'_>, problems: &mut Problems) -> Properties {
    let name = section.string("orderName", problems);
    if name.as_deref() == Some("") {
        problems.add("Field 'orderName' must not be empty");
    }
    let mode = section.optional_string("documentDisplayMode", problems);
    if let Some(mode) = &mode
        && !DISPLAY_MODES.contains(&mode.as_ref())
    {
        problems.add(format!(
            "Field 'documentDisplayMode' is {}, it must be one of {}",
            shown(mode),
            DISPLAY_MODES.join(", ")
        ));
    }
    let properties = Properties {
        name: name.unwrap_or_default().into_owned(),
        display_mode: mode.map_or_else(|| DEFAULT_MODE.to_owned(), Into::into),
        show_confirmation: section.optional_bool("showConfirmation", problems).unwrap_or(true),
        show_understanding: section.optional_bool("showUnderstanding", problems).unwrap_or(true),
        timeout_seconds: section
            .optional_integer("timeoutSeconds", 1, problems)
            .unwrap_or(DEFAULT_TIMEOUT),
    };
    section.end(problems);
    properties
}

fn visual_seals(order: &mut Section<'_>, problems: &mut Problems) -> bool {
    let Some(mut section) = order.object("padesSignProperties", problems) else { return false };
    if !section.has("addVisualSeals") {
        section.missing("addVisualSeals", problems);
    }
    let seals = section.optional_bool("addVisualSeals", problems).unwrap_or(false);
    section.end(problems);
    seals
}

fn pades_document(
    mut section: Section<'_>,
    default: String,
    problems: &mut Problems,
) -> Option<Document> {
    let description = section.optional_string("description", problems);
    let pdf = pdf(&mut section, problems);
    let spec = section.optional_string("pdfSpec", problems);
    if let Some(spec) = &spec
        && spec != PDFA_2B
    {
        let place = section.path_of("pdfSpec");
        problems.add(format!("Field '{place}' is {}, it must be {PDFA_2B}", shown(spec)));
    }
    let document = Document {
        description: description.map_or(default, Into::into),
        content: pdf.unwrap_or_else(|| Content {
            kind: DocumentKind::Pdf,
            bytes: Bytes::new(),
            shown: Bytes::new(),
        }),
        convert: spec.is_some(),
        end_user_only: section.optional_bool("endUserOnly", problems).unwrap_or(false),
        merchant_seal: seal(&mut section, "merchantSealPos", problems),
        end_user_seal: seal(&mut section, "endUserSealPos", problems),
    };
    section.end(problems);
    Some(document)
}

fn pdf(section: &mut Section<'_>, problems: &mut Problems) -> Option<Content> {
    let text = section.string("pdf", problems)?;
    match STANDARD.decode(text.as_bytes()) {
        Ok(bytes) => {
            let bytes = Bytes::from(bytes);
            Some(Content { kind: DocumentKind::Pdf, shown: bytes.clone(), bytes })
        }
        Err(error) => {
            problems.add(format!("Field '{}' is no base64: {error}", section.path_of("pdf")));
            None
        }
    }
}

fn seal(section: &mut Section<'_>, name: &str, problems: &mut Problems) -> Option<SealPosition> {
    let mut position = section.optional_object(name, problems)?;
    let x = position.measure("x", problems);
    let y = position.measure("y", problems);
    let page = position.integer("page", 0, problems);
    let place = position.path_of("page");
    position.end(problems);
    let page = u32::try_from(page?);
    if page.is_err() {
        problems.add(format!("Field '{place}' is out of range"));
    }
    Some(SealPosition { x: x?, y: y?, page: page.ok()? })
}

/// A document of a SEID-SDO order has exactly one kind of content.
fn sdo_document(
    mut section: Section<'_>,
    default: String,
    texts: Texts,
    problems: &mut Problems,
) -> Option<Document> {
    let description = section.optional_string("description", problems);
    let place = section.path_of("");
    let place = place.trim_end_matches('.').to_owned();
    let kinds = ["pdf", "text", "xml"].map(|name| section.has(name));
    let content = match kinds {
        [true, false, false] => pdf(&mut section, problems),
        [false, true, false] => text(&mut section, texts, problems),
        [false, false, true] => xml(&mut section, problems),
        _ => {
            problems.add(format!(
                "'{place}' must contain exactly one of 'pdf', 'text', or 'xml' with 'xls'"
            ));
            return None;
        }
    };
    section.end(problems);
    Some(Document {
        description: description.map_or(default, Into::into),
        content: content?,
        convert: false,
        end_user_only: false,
        merchant_seal: None,
        end_user_seal: None,
    })
}

fn text(section: &mut Section<'_>, texts: Texts, problems: &mut Problems) -> Option<Content> {
    let text = section.string("text", problems)?;
    let place = section.path_of("text");
    if text.is_empty() {
        problems.add(format!("Field '{place}' must not be empty"));
    }
    let utf_8 = || Some(text.as_bytes().to_vec());
    let bytes = match texts {
        Texts::Any => to_iso_8859_1(&text).or_else(utf_8),
        Texts::Latin1 => to_iso_8859_1(&text),
        Texts::Utf8 => utf_8(),
    };
    let Some(bytes) = bytes else {
        let odd = text.chars().find(|character| u32::from(*character) > 0xff);
        problems.add(format!(
            "Field '{place}' holds {:?}, which ISO-8859-1 does not have",
            odd.unwrap_or_default()
        ));
        return None;
    };
    let shown = Bytes::copy_from_slice(text.as_bytes());
    Some(Content { kind: DocumentKind::Text, bytes: bytes.into(), shown })
}

fn xml(section: &mut Section<'_>, problems: &mut Problems) -> Option<Content> {
    let xml = section.string("xml", problems);
    // the service's own documentation calls it both
    let name = if section.has("xsl") { "xsl" } else { "xls" };
    let sheet = section.string(name, problems);
    for (name, text) in [("xml", &xml), (name, &sheet)] {
        if let Some(Err(error)) = text.as_ref().map(|text| well_formed(text)) {
            let place = section.path_of(name);
            problems.add(format!("Field '{place}' is no well-formed XML: {error}"));
        }
    }
    let (xml, sheet) = (xml?, sheet?);
    Some(Content {
        kind: DocumentKind::Xml,
        bytes: bidxml_document(&xml, &sheet).into(),
        shown: Bytes::copy_from_slice(xml.as_bytes()),
    })
}

fn well_formed(text: &str) -> Result<(), String> {
    let mut reader = quick_xml::Reader::from_str(text);
    let (mut depth, mut roots) = (0_usize, 0_usize);
    loop {
        match reader.read_event().map_err(|error| error.to_string())? {
            Event::Start(_) => {
                roots += usize::from(depth == 0);
                depth += 1;
            }
            Event::Empty(_) => roots += usize::from(depth == 0),
            Event::End(_) => depth = depth.saturating_sub(1),
            Event::Eof if depth > 0 => return Err("an element is not closed".to_owned()),
            Event::Eof if roots == 1 => return Ok(()),
            Event::Eof => return Err(format!("it has {roots} root elements")),
            _ => {}
        }
    }
}

fn results(order: &mut Section<'_>, kind: Kind, problems: &mut Problems) -> Vec<Output> {
    let Some(items) = order.array("resultContent", problems) else { return Vec::new() };
    let known = Output::of(kind);
    let mut results = Vec::new();
    for item in items {
        let found = match &item {
            Json::String(text) => known.into_iter().find(|output| output.name() == text.as_ref()),
            _ => None,
        };
        match found {
            Some(output) if results.contains(&output) => {
                problems.add(format!("'resultContent' holds '{}' twice", output.name()));
            }
            Some(output) => results.push(output),
            None => {
                let names = known.map(Output::name).join(", ");
                problems.add(format!("'resultContent' may hold {names} only"));
            }
        }
    }
    let pdf = results.contains(&Output::SignedPdf) || results.contains(&Output::Appendix);
    if kind == Kind::Pades && !pdf {
        problems.add(
            "'resultContent' must contain at least one of 'padesSignedPdf' or 'padesAppendix' \
             for PAdES orders",
        );
    }
    results
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(body: &str, kind: Kind) -> Vec<String> {
        read(body.as_bytes(), kind, Texts::Latin1).unwrap_err()
    }

    #[test]
    fn the_published_refusal_comes_word_for_word() {
        let body = r#"{"signProperties":{},"documents":[{"pdf":"JVBERg=="}],"resultContent":[]}"#;
        assert_eq!(
            problems(body, Kind::Pades),
            [
                "Missing field: 'orderName'",
                "Missing field: 'padesSignProperties'",
                "'resultContent' must contain at least one of 'padesSignedPdf' or \
                 'padesAppendix' for PAdES orders"
            ]
        );
    }

    #[test]
    fn defaults_are_those_of_the_service() {
        let body = r#"{"signProperties":{"orderName":"Loan"},
            "padesSignProperties":{"addVisualSeals":false},
            "documents":[{"pdf":"JVBERg=="},{"pdf":"","description":"d","endUserOnly":true,
             "pdfSpec":"PDFA_2B","merchantSealPos":{"x":1.5,"y":2,"page":0}}],
            "resultContent":["padesAppendix"]}"#;
        let wanted = read(body.as_bytes(), Kind::Pades, Texts::Any).unwrap();
        let properties = &wanted.properties;
        assert_eq!(
            (properties.timeout_seconds, properties.display_mode.as_str()),
            (1800, "interior")
        );
        assert!(properties.show_confirmation && properties.show_understanding);
        let [first, second] = wanted.documents.as_slice() else { panic!("{wanted:?}") };
        assert_eq!(first.description, "Loan - 1");
        assert!(!first.convert && !first.end_user_only && first.merchant_seal.is_none());
        assert_eq!(second.description, "d");
        assert!(second.convert && second.end_user_only);
        assert_eq!(second.merchant_seal, Some(SealPosition { x: 1.5, y: 2.0, page: 0 }));
    }

    #[test]
    fn documents_of_an_sdo_have_one_kind_of_content() {
        let order = |document: &str| {
            format!(
                r#"{{"signProperties":{{"orderName":"Loan"}},"documents":[{document}],
                "resultContent":["sdo"]}}"#
            )
        };
        for good in [
            r#"{"pdf":"JVBERg=="}"#,
            r#"{"text":"Lån"}"#,
            r#"{"xml":"<a/>","xls":"<b></b>","description":"x"}"#,
            r#"{"xml":"<a/>","xsl":"<b/>"}"#,
        ] {
            read(order(good).as_bytes(), Kind::Sdo, Texts::Latin1).unwrap();
        }
        for (bad, word) in [
            ("{}", "exactly one"),
            (r#"{"pdf":"","text":"x"}"#, "exactly one"),
            (r#"{"xml":"<a/>"}"#, "documents[0].xls"),
            (r#"{"xml":"<a/>","xsl":"<a/>","xls":"<a/>"}"#, "Unknown field: 'documents[0].xls'"),
            (r#"{"xml":"<a/>","xsl":"<a"}"#, "documents[0].xsl"),
            (r#"{"xml":"<a>","xls":"<b/>"}"#, "well-formed"),
            (r#"{"text":"5 €"}"#, "'€'"),
            (r#"{"text":""}"#, "empty"),
            (r#"{"text":null}"#, "null"),
            (r#"{"text":"x","endUserOnly":true}"#, "Unknown field"),
            (r#"{"text":"x","pdfSpec":"PDFA_2B"}"#, "Unknown field"),
        ] {
            let found = problems(&order(bad), Kind::Sdo).join("\n");
            assert!(found.contains(word), "{bad}: {found}");
        }
    }

    #[test]
    fn a_text_is_encoded_as_the_variant_has_it() {
        let bytes = |text: &str, texts: Texts| {
            let body = format!(
                r#"{{"signProperties":{{"orderName":"o"}},"documents":[{{"text":"{text}"}}],
                "resultContent":["sdo"]}}"#
            );
            let wanted = read(body.as_bytes(), Kind::Sdo, texts).ok()?;
            Some(wanted.documents.first()?.content.bytes.to_vec())
        };
        for (text, texts, signed) in [
            ("æ", Texts::Any, Some(&b"\xe6"[..])),
            ("æ", Texts::Latin1, Some(&b"\xe6"[..])),
            ("æ", Texts::Utf8, Some("æ".as_bytes())),
            ("æ €", Texts::Any, Some("æ €".as_bytes())),
            ("æ €", Texts::Latin1, None),
            ("", Texts::Any, None),
            ("", Texts::Utf8, None),
        ] {
            assert_eq!(bytes(text, texts).as_deref(), signed, "{text} {texts:?}");
        }
    }
}
