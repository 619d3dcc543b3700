//! PAdES orders: what is asked for, checked and written as the request.
//!
//! The specification marks this interface as outdated and scheduled for removal.

use serde_json::{Map, Value, json};
use signdoc_spec::limits;
use signdoc_spec::values::{
    DOCUMENT_HASH, PADES_RESULTS, PADES_RESULTS_ONE_OF, PADES_SIGNED_PDF, PDF_SPECS,
};

use super::digest::Sha256;
use super::model::{OrderDocument, OrderProperties};
use super::results::PadesDownload;
use crate::document::Document;
use crate::error::{Code, Error, Result, of_encoding};
use crate::wire::{BufferPool, ByteSource, RequestBody, RequestBuilder};

/// Where a visual seal goes (specification, "PAdES document item").
///
/// The specification leaves units and origin open; the service counts points from the upper left
/// corner of the page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SealPosition {
    /// Points from the left edge.
    pub x: f64,
    /// Points from the upper edge.
    pub y: f64,
    /// The page, from 1; 0 is taken for the first page.
    pub page: i64,
}

/// A PDF to be signed.
#[derive(Clone, Debug)]
pub struct PadesDocument {
    /// The PDF; orders have no size limit of their own.
    pub pdf: Document,
    /// Description; the service makes one from the order's name and the position when it is
    /// missing.
    pub description: Option<String>,
    /// `PDFA_2B` to have it converted first; the order then carries conversion results.
    pub pdf_spec: Option<String>,
    /// Where the merchant's seal goes.
    pub merchant_seal: Option<SealPosition>,
    /// Where the end user's seal goes.
    pub end_user_seal: Option<SealPosition>,
    /// Whether the end user signs alone, without the merchant. Not in the specification's tables;
    /// from the service's documentation. Sent only when set.
    pub end_user_only: Option<bool>,
}

impl PadesDocument {
    /// A PDF with nothing else said.
    #[must_use]
    pub fn new(pdf: Document) -> Self {
        Self {
            pdf,
            description: None,
            pdf_spec: None,
            merchant_seal: None,
            end_user_seal: None,
            end_user_only: None,
        }
    }
}

/// A PAdES order (specification, "PAdES sign order").
#[derive(Clone, Debug)]
pub struct PadesOrder {
    /// Name, display and time limit.
    pub properties: OrderProperties,
    /// Whether visual seals are added; always sent.
    pub add_visual_seals: bool,
    /// The documents, at least one.
    pub documents: Vec<PadesDocument>,
    /// What is handed out: `padesSignedPdf`, `padesAppendix`, `documentHash`.
    pub results: Vec<String>,
    /// Whether an order of which a document was not converted is an error, which carries the
    /// order. Without it the order is returned, and its conversions tell.
    pub strict: bool,
}

impl PadesOrder {
    /// An order for signed PDFs and their digests.
    #[must_use]
    pub fn new(name: impl Into<String>, documents: Vec<PadesDocument>) -> Self {
        Self {
            properties: OrderProperties::named(name),
            add_visual_seals: false,
            documents,
            results: vec![PADES_SIGNED_PDF.to_owned(), DOCUMENT_HASH.to_owned()],
            strict: false,
        }
    }

    /// The order by which the next person signs what an earlier order brought (serial signing):
    /// its documents are the signed PDFs of `previous`, with their descriptions.
    ///
    /// # Errors
    /// [`Code::InvalidArgument`] when a document of `previous` came without its signed PDF.
    pub fn following(name: impl Into<String>, previous: &PadesDownload) -> Result<Self> {
        let documents: Result<Vec<_>> =
            previous.documents.iter().map(super::PadesSigned::to_document).collect();
        Ok(Self::new(name, documents?))
    }
}

/// A checked order, ready to be sent.
pub(super) struct Prepared {
    pub body: RequestBody,
    pub documents: Vec<OrderDocument>,
    pub results: Vec<String>,
    pub timeout_seconds: Option<u32>,
    /// What the caller should know of the documents, for the log.
    pub warnings: Vec<String>,
    /// Bytes of all documents together.
    pub total: u64,
}

impl PadesOrder {
    /// Checks everything that can be checked here, and makes the request.
    pub(super) fn prepare(&self, pool: &BufferPool) -> Result<Prepared> {
        self.properties.check()?;
        check_count(self.documents.len())?;
        check_results(&self.results, PADES_RESULTS)?;
        let named = |wanted: &&str| self.results.iter().any(|result| result == wanted);
        if !PADES_RESULTS_ONE_OF.iter().any(named) {
            return Err(Error::new(
                Code::InvalidArgument,
                format!(
                    "resultContent must hold at least one of {}",
                    PADES_RESULTS_ONE_OF.join(" and ")
                ),
            )
            .with_detail("field", "resultContent"));
        }
        let mut sources = Vec::with_capacity(self.documents.len());
        for (index, document) in self.documents.iter().enumerate() {
            sources.push(document.open(index)?);
        }
        let mut documents = Vec::with_capacity(sources.len());
        for (document, source) in self.documents.iter().zip(&sources) {
            documents.push(OrderDocument {
                name: document.pdf.name.clone(),
                sha256: Some(Sha256::of_source(source)?),
                is_converted: document.pdf_spec.is_some(),
                size: Some(source.len()),
                ..OrderDocument::default()
            });
        }
        let total = sources.iter().map(ByteSource::len).sum();
        let body = self.body(sources, pool)?;
        let timeout_seconds = self.properties.timeout_seconds;
        let results = self.results.clone();
        let warnings = Vec::new();
        Ok(Prepared { body, documents, results, timeout_seconds, warnings, total })
    }

    fn body(&self, sources: Vec<ByteSource>, pool: &BufferPool) -> Result<RequestBody> {
        let properties = self.properties.to_json();
        let seals = json!({"addVisualSeals": self.add_visual_seals});
        let mut builder = RequestBuilder::new()
            .raw("{\"signProperties\":")
            .raw(&properties.to_string())
            .raw(",\"padesSignProperties\":")
            .raw(&seals.to_string())
            .raw(",\"documents\":[");
        for (index, (document, source)) in self.documents.iter().zip(sources).enumerate() {
            builder = builder.raw(if index == 0 { "{" } else { ",{" });
            if let Some(description) = &document.description {
                builder = builder.raw("\"description\":").string(description).raw(",");
            }
            builder = builder.raw("\"pdf\":").document(source);
            for (key, value) in document.options() {
                builder = builder.raw(",").string(&key).raw(":").raw(&value.to_string());
            }
            builder = builder.raw("}");
        }
        let results = json!(self.results);
        let builder = builder.raw("],\"resultContent\":").raw(&results.to_string()).raw("}");
        builder.build(pool).map_err(|error| of_encoding(&error))
    }
}

impl PadesDocument {
    fn open(&self, index: usize) -> Result<ByteSource> {
        let field = format!("documents[{index}]");
        if let Some(spec) =
            self.pdf_spec.as_ref().filter(|spec| !PDF_SPECS.contains(&spec.as_str()))
        {
            return Err(Error::new(
                Code::UnsupportedPdfSpec,
                format!("{field}.pdfSpec must be {}, not {spec:?}", PDF_SPECS.join(" or ")),
            )
            .with_detail("field", format!("{field}.pdfSpec"))
            .with_detail("actual", spec.as_str()));
        }
        let seals =
            [("merchantSealPos", self.merchant_seal), ("endUserSealPos", self.end_user_seal)];
        for (name, seal) in seals {
            if let Some(seal) = seal {
                seal.check(&format!("{field}.{name}"))?;
            }
        }
        refuse_allow_signed(&self.pdf, index)?;
        let source = self.pdf.open_unlimited(index)?;
        for (name, seal) in seals {
            if let Some(seal) = seal {
                super::pages::check(&format!("{field}.{name}"), seal.page, &source)?;
            }
        }
        Ok(source)
    }

    /// The optional fields that are set.
    fn options(&self) -> Map<String, Value> {
        let mut set = Map::new();
        if let Some(spec) = &self.pdf_spec {
            set.insert("pdfSpec".to_owned(), json!(spec));
        }
        if let Some(seal) = self.merchant_seal {
            set.insert("merchantSealPos".to_owned(), seal.to_json());
        }
        if let Some(seal) = self.end_user_seal {
            set.insert("endUserSealPos".to_owned(), seal.to_json());
        }
        if let Some(alone) = self.end_user_only {
            set.insert("endUserOnly".to_owned(), json!(alone));
        }
        set
    }
}

impl SealPosition {
    fn check(&self, field: &str) -> Result<()> {
        for (name, value) in [("x", self.x), ("y", self.y)] {
            if !value.is_finite() {
                return Err(Error::new(
                    Code::InvalidArgument,
                    format!("{field}.{name} is {value}; give a number of points"),
                )
                .with_detail("field", format!("{field}.{name}")));
            }
        }
        if self.page < 0 {
            return Err(wrong_page(field, self.page, "pages are counted from 1"));
        }
        Ok(())
    }

    fn to_json(self) -> Value {
        json!({"x": number(self.x), "y": number(self.y), "page": self.page})
    }
}

/// Whole numbers are written without a fraction: a reader of integers takes them, too.
fn number(value: f64) -> Value {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if value.fract() == 0.0 && value.abs() < EXACT { json!(value as i64) } else { json!(value) }
}

pub(super) fn wrong_page(field: &str, page: i64, why: &str) -> Error {
    Error::new(Code::SealPage, format!("{field}.page is {page}, but {why}"))
        .with_detail("field", format!("{field}.page"))
        .with_detail("actual", page)
}

/// A field of conversions only: ignored here, it would promise what does not happen.
pub(super) fn refuse_allow_signed(pdf: &Document, index: usize) -> Result<()> {
    if !pdf.allow_signed {
        return Ok(());
    }
    let field = format!("documents[{index}].allowSigned");
    let why = format!("{field} is set, but only conversions have it: leave it out of orders");
    Err(Error::new(Code::InvalidArgument, why).with_detail("field", field))
}

pub(super) fn check_count(count: usize) -> Result<()> {
    if count >= limits::ORDER_DOCUMENTS_MIN {
        return Ok(());
    }
    Err(Error::new(Code::DocumentCount, "documents is empty; an order takes at least 1")
        .with_detail("field", "documents")
        .with_detail("limit", limits::ORDER_DOCUMENTS_MIN)
        .with_detail("actual", count))
}

/// Every wanted result must be one the specification knows, and there must be one.
pub(super) fn check_results(results: &[String], known: &[&str]) -> Result<()> {
    let wrong = |message: String| {
        Err(Error::new(Code::InvalidArgument, message).with_detail("field", "resultContent"))
    };
    let names = known.join(", ");
    if results.is_empty() {
        return wrong(format!("resultContent is empty; ask for some of {names}"));
    }
    match results.iter().find(|result| !known.contains(&result.as_str())) {
        Some(unknown) => wrong(format!("resultContent holds {unknown:?}; known are {names}")),
        None => Ok(()),
    }
}
