//! SEID-SDO orders: what is asked for, checked and written as the request.
//!
//! The specification marks this interface as deprecated.

use std::fmt;

use serde_json::json;
use signdoc_spec::values::{DOCUMENT_HASH, SDO, SDO_RESULTS};

use super::digest::Sha256;
use super::model::{OrderDocument, OrderProperties};
use super::pades::{Prepared, check_count, check_results, refuse_allow_signed};
use crate::document::Document;
use crate::error::{Code, Error, Result, of_encoding};
use crate::wire::{BufferPool, RequestBuilder};

/// A document to be signed: a PDF, or a text, or XML together with its stylesheet.
///
/// Exactly one of the three; it is checked when the order is created, because not every language
/// can say so in its types.
#[derive(Clone, Default)]
pub struct SdoDocument {
    /// A PDF.
    pub pdf: Option<Document>,
    /// Plain text. The service's documentation says that its ISO-8859-1 bytes are signed; a text
    /// with other characters is sent with a warning in the log.
    pub text: Option<String>,
    /// An XML document; needs `xls`.
    pub xml: Option<String>,
    /// The XSL stylesheet that shows `xml` (the field's name is the specification's).
    pub xls: Option<String>,
    /// Description.
    pub description: Option<String>,
}

impl SdoDocument {
    /// A PDF.
    #[must_use]
    pub fn from_pdf(pdf: Document) -> Self {
        Self { pdf: Some(pdf), ..Self::default() }
    }

    /// Plain text.
    #[must_use]
    pub fn from_text(text: impl Into<String>) -> Self {
        Self { text: Some(text.into()), ..Self::default() }
    }

    /// XML with its stylesheet.
    #[must_use]
    pub fn from_xml(xml: impl Into<String>, xls: impl Into<String>) -> Self {
        Self { xml: Some(xml.into()), xls: Some(xls.into()), ..Self::default() }
    }
}

/// Shows kinds and sizes, never content.
impl fmt::Debug for SdoDocument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = |text: &Option<String>| text.as_ref().map(String::len);
        f.debug_struct("SdoDocument")
            .field("pdf", &self.pdf)
            .field("text", &size(&self.text))
            .field("xml", &size(&self.xml))
            .field("xls", &size(&self.xls))
            .finish_non_exhaustive()
    }
}

/// A SEID-SDO order (specification, "SEID-SDO sign order").
#[derive(Clone, Debug)]
pub struct SdoOrder {
    /// Name, display and time limit.
    pub properties: OrderProperties,
    /// The documents, at least one.
    pub documents: Vec<SdoDocument>,
    /// What is handed out: `basicSignature`, `documentHash`, `sdo`.
    pub results: Vec<String>,
}

impl SdoOrder {
    /// An order for signed data objects and digests.
    #[must_use]
    pub fn new(name: impl Into<String>, documents: Vec<SdoDocument>) -> Self {
        Self {
            properties: OrderProperties::named(name),
            documents,
            results: vec![SDO.to_owned(), DOCUMENT_HASH.to_owned()],
        }
    }

    /// Checks everything that can be checked here, and makes the request.
    pub(super) fn prepare(&self, pool: &BufferPool) -> Result<Prepared> {
        self.properties.check()?;
        check_count(self.documents.len())?;
        check_results(&self.results, SDO_RESULTS)?;
        for (index, document) in self.documents.iter().enumerate() {
            document.check(index)?;
        }
        let properties = self.properties.to_json();
        let mut builder = RequestBuilder::new()
            .raw("{\"signProperties\":")
            .raw(&properties.to_string())
            .raw(",\"documents\":[");
        let mut documents = Vec::with_capacity(self.documents.len());
        let mut total = 0;
        for (index, document) in self.documents.iter().enumerate() {
            builder = builder.raw(if index == 0 { "{" } else { ",{" });
            if let Some(description) = &document.description {
                builder = builder.raw("\"description\":").string(description).raw(",");
            }
            let (sent, known) = document.write(index, builder)?;
            builder = sent.raw("}");
            total += known.size.unwrap_or_default();
            documents.push(known);
        }
        let results = json!(self.results);
        let builder = builder.raw("],\"resultContent\":").raw(&results.to_string()).raw("}");
        let body = builder.build(pool).map_err(|error| of_encoding(&error))?;
        let timeout_seconds = self.properties.timeout_seconds;
        let results = self.results.clone();
        let warnings = self.documents.iter().enumerate().filter_map(warning_of_text).collect();
        Ok(Prepared { body, documents, results, timeout_seconds, warnings, total })
    }
}

impl SdoDocument {
    fn check(&self, index: usize) -> Result<()> {
        let kinds = [
            ("pdf", self.pdf.is_some()),
            ("text", self.text.is_some()),
            ("xml", self.xml.is_some() || self.xls.is_some()),
        ];
        let given: Vec<_> = kinds.iter().filter(|kind| kind.1).map(|kind| kind.0).collect();
        let why = match given.as_slice() {
            [_] => match (&self.xml, &self.xls) {
                (Some(_), None) => "has xml without its stylesheet xls".to_owned(),
                (None, Some(_)) => "has the stylesheet xls without its xml".to_owned(),
                _ => return Ok(()),
            },
            [] => "has no content".to_owned(),
            several => format!("has {} at once", several.join(" and ")),
        };
        Err(Error::new(
            Code::ContentKind,
            format!("documents[{index}] {why}; give exactly one of pdf, text, or xml with xls"),
        )
        .with_detail("field", format!("documents[{index}]"))
        .with_detail("index", index))
    }

    /// Adds the content; tells what is to be remembered of it: its digests where it is known what is
    /// signed, and its size.
    fn write(
        &self,
        index: usize,
        builder: RequestBuilder,
    ) -> Result<(RequestBuilder, OrderDocument)> {
        if let Some(pdf) = &self.pdf {
            refuse_allow_signed(pdf, index)?;
            let source = pdf.open_unlimited(index)?;
            let known = OrderDocument {
                name: pdf.name.clone(),
                sha256: Some(Sha256::of_source(&source)?),
                size: Some(source.len()),
                ..OrderDocument::default()
            };
            return Ok((builder.raw("\"pdf\":").document(source), known));
        }
        if let Some(text) = &self.text {
            let known = OrderDocument {
                sha256: latin_1(text).map(|bytes| Sha256::of(&bytes)),
                sha256_of_utf8: (!text.is_ascii()).then(|| Sha256::of(text.as_bytes())),
                size: Some(text.len() as u64),
                ..OrderDocument::default()
            };
            return Ok((builder.raw("\"text\":").string(text), known));
        }
        let (xml, xls) =
            (self.xml.as_deref().unwrap_or_default(), self.xls.as_deref().unwrap_or_default());
        let builder = builder.raw("\"xml\":").string(xml).raw(",\"xls\":").string(xls);
        let size = Some((xml.len() + xls.len()) as u64);
        Ok((builder, OrderDocument { size, ..OrderDocument::default() }))
    }
}

/// The bytes that are signed for a text, says the service's documentation: ISO-8859-1, one for each
/// character.
fn latin_1(text: &str) -> Option<Vec<u8>> {
    text.chars().map(|c| u8::try_from(u32::from(c)).ok()).collect()
}

/// The service's documentation says that the ISO-8859-1 bytes of a text are signed; the
/// specification does not. Whether it takes other characters is left to the service.
fn warning_of_text((index, document): (usize, &SdoDocument)) -> Option<String> {
    let text = document.text.as_ref()?;
    let (position, found) = text.chars().enumerate().find(|(_, c)| u32::from(*c) > 0xFF)?;
    let before: String = text.chars().take(position).collect();
    let line = before.matches('\n').count() + 1;
    let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
    let point = format!("U+{:04X}", u32::from(found));
    Some(format!(
        "documents[{index}].text holds {point} at line {line}, column {column}, which ISO-8859-1 cannot express ({}); the service may refuse it",
        Code::UnencodableText.name()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code_of(document: SdoDocument) -> Code {
        SdoOrder::new("o", vec![document]).prepare(&BufferPool::new()).err().unwrap().code()
    }

    #[test]
    fn exactly_one_kind_of_content_is_taken() {
        let pdf = || Some(Document::from_bytes(&b"%PDF-1.4"[..]));
        let text = || Some("t".to_owned());
        let cases = [
            SdoDocument::default(),
            SdoDocument { pdf: pdf(), text: text(), ..Default::default() },
            SdoDocument { pdf: pdf(), xml: text(), xls: text(), ..Default::default() },
            SdoDocument { xml: text(), ..Default::default() },
            SdoDocument { xls: text(), ..Default::default() },
            SdoDocument { text: text(), xls: text(), ..Default::default() },
        ];
        for document in cases {
            let shown = format!("{document:?}");
            assert_eq!(code_of(document), Code::ContentKind, "{shown}");
        }
        for good in [
            SdoDocument { pdf: pdf(), ..Default::default() },
            SdoDocument::from_text("t"),
            SdoDocument::from_xml("<a/>", "<b/>"),
        ] {
            assert!(SdoOrder::new("o", vec![good]).prepare(&BufferPool::new()).is_ok());
        }
    }

    #[test]
    fn a_text_outside_of_latin_1_is_sent_with_a_warning_that_names_its_place() {
        let order = SdoOrder::new(
            "o",
            vec![SdoDocument::from_text("blå"), SdoDocument::from_text("æ\nto €")],
        );
        let prepared = order.prepare(&BufferPool::new()).unwrap();
        let [warning] = prepared.warnings.as_slice() else { panic!("one warning") };
        for part in ["documents[1].text", "U+20AC", "line 2, column 4"] {
            assert!(warning.contains(part), "{warning}");
        }
        assert!(prepared.documents[0].sha256.is_some());
        assert_eq!(prepared.documents[1].sha256, None, "nobody knows what is signed");
    }

    #[test]
    fn the_digest_of_a_text_is_that_of_its_latin_1_bytes() {
        let order = SdoOrder::new("o", vec![SdoDocument::from_text("blå")]);
        let prepared = order.prepare(&BufferPool::new()).unwrap();
        assert_eq!(prepared.documents[0].sha256, Some(Sha256::of(b"bl\xe5")));
    }
}
