//! PDF/A conversion: what is supported, and converting up to fifteen documents in one call.

mod answer;
mod batch;
mod manifest;
mod model;
mod plan;
mod rounds;

use std::sync::Arc;

use http::Method;
use serde_json::Value;
use signdoc_spec::{endpoints, limits};
use url::Url;

use crate::client::{Call, CallOptions, Client};
use crate::destination::Destination;
use crate::document::Document;
use crate::error::{Code, Error, ErrorBody, RawAnswer, Result};
use crate::identity::AccessToken;
use crate::transport::{Answer, Body, Request};
use crate::wire::{ByteSource, RequestBody, RequestBuilder};

pub use batch::{Batch, BatchOptions, BatchPlan, Pack};
pub use model::{Conversion, ConversionFault, ConversionWarning};
use plan::Plan;
pub use rounds::Finished;
use rounds::Item;

const SPECS: &str = "conversion_specs";
const CONVERT: &str = "convert";
const SPECS_CAP: usize = 1024 * 1024;

/// Settings of [`Client::convert`].
#[derive(Clone, Debug)]
pub struct ConvertOptions {
    /// Where the converted documents go.
    pub to: Destination,
    /// Whether a document that was not converted makes the call fail (the default). The error
    /// carries the results of all documents either way.
    pub strict: bool,
    /// Time limit and progress.
    pub call: CallOptions,
}

impl Default for ConvertOptions {
    fn default() -> Self {
        Self { to: Destination::Memory, strict: true, call: CallOptions::default() }
    }
}

impl Client {
    /// The conversions the service supports: `PDFA_2B` is the one the specification knows.
    ///
    /// Source: specification, `GET /signdoc/convert/pdf/specs`. Both a text and a list are
    /// understood.
    ///
    /// # Errors
    /// Network, token and service errors.
    pub async fn conversion_specs(&self, options: &CallOptions) -> Result<Vec<String>> {
        let call = self.call(options);
        let work = async {
            let url = self.url_of(&endpoints::PDF_SPECS, &call).await?;
            let exchange = Exchange { client: self, call: &call };
            let asked =
                self.authorized(&call, |token| {
                    let (exchange, url) = (&exchange, &url);
                    async move {
                        self.shared.repeat(exchange.call, || exchange.specs(url, &token)).await
                    }
                });
            let about = |error| self.about_address(error, &endpoints::PDF_SPECS, &url);
            parse_specs(&asked.await.map_err(about)?)
        };
        self.within(&call, SPECS, work).await
    }

    /// Converts 1 to 15 PDFs of at most 5,000,000 base64 characters each to PDF/A-2B.
    ///
    /// Documents are streamed: read while they are sent, and written while they arrive. Results
    /// stand in the order of `documents`.
    ///
    /// Source: specification, `POST /signdoc/convert`. A refusal brings no documents: those it says
    /// nothing against are sent once more without the others (never where conversion is switched
    /// off), so that [`Conversion::converted`] means that the document is here.
    ///
    /// # Errors
    /// * Before anything is sent: [`Code::DocumentCount`], [`Code::DocumentTooLarge`],
    ///   [`Code::NotAPdf`], [`Code::DestinationExists`] and their like, naming the field.
    /// * When documents were not converted (unless `strict` is off): the document's own code, or
    ///   [`Code::ConversionFailed`] where several met. [`Error::conversions`] has all results.
    /// * [`Code::ResultCount`], [`Code::TruncatedAnswer`], [`Code::InvalidBase64`] and their like
    ///   for answers that cannot be right; what had arrived whole is in [`Error::conversions`].
    /// * Network, token and service errors.
    pub async fn convert(
        &self,
        documents: &[Document],
        options: &ConvertOptions,
    ) -> Result<Vec<Conversion>> {
        check_count(documents.len())?;
        let sources = documents
            .iter()
            .enumerate()
            .map(|(index, document)| document.open(index))
            .collect::<Result<Vec<_>>>()?;
        let mut places = plan::places(documents, &options.to)?.into_iter();
        let items = documents.iter().zip(sources).enumerate().map(|(index, (document, source))| {
            let (document, place) = (document.clone(), places.next());
            Item { index, document, source, place, input: None }
        });
        let (status, results) = self.convert_items(items.collect(), &options.call).await?;
        judge(status, results, options.strict)
    }

    /// Sends documents that have been checked.
    async fn convert_body(
        &self,
        body: RequestBody,
        plan: Plan,
        options: &CallOptions,
    ) -> Result<Answered> {
        let plan = Arc::new(plan);
        let call = self.call(options);
        let work = async {
            let url = self.url_of(&endpoints::CONVERT, &call).await?;
            let exchange = Exchange { client: self, call: &call };
            let sent = self.authorized(&call, |token| {
                let (exchange, url, body, plan) = (&exchange, &url, &body, &plan);
                async move {
                    let attempt = || exchange.convert(url, &token, body.reopen(), plan);
                    self.shared.repeat(exchange.call, attempt).await
                }
            });
            sent.await.map_err(|error| self.about_address(error, &endpoints::CONVERT, &url))
        };
        self.within(&call, CONVERT, work).await.map_err(|error| plan.hand_over(error))
    }
}

/// What the service says of the documents of a call.
struct Answered {
    /// The status tells what the results are worth.
    status: u16,
    results: Vec<Conversion>,
}

/// What all attempts of one call share.
struct Exchange<'a> {
    client: &'a Client,
    call: &'a Call,
}

impl Exchange<'_> {
    async fn send(
        &self,
        what: &'static str,
        method: Method,
        url: &Url,
        token: &AccessToken,
        body: Body,
    ) -> Result<Answer> {
        let request = Request {
            what,
            method,
            url: url.clone(),
            authorization: Some(token.header()),
            body,
            call: self.call,
        };
        self.client.shared.transport.exchange(request).await
    }

    async fn specs(&self, url: &Url, token: &AccessToken) -> Result<RawAnswer> {
        let mut answer = self.send(SPECS, Method::GET, url, token, Body::None).await?;
        if answer.status() != 200 {
            return Err(answer.into_raw().await.into_error(SPECS));
        }
        let kind = answer.content_type().to_owned();
        let body = answer.body(SPECS_CAP).await?;
        Ok(RawAnswer::new(200, &kind, &body, None))
    }

    async fn convert(
        &self,
        url: &Url,
        token: &AccessToken,
        body: RequestBody,
        plan: &Plan,
    ) -> Result<Answered> {
        let answer = self.send(CONVERT, Method::POST, url, token, Body::Json(body)).await?;
        let status = answer.status();
        let pool = &self.client.shared.pool;
        if status == 200 {
            let limit = self.client.shared.config.max_answer;
            let results = answer::read(answer, plan, limit, pool).await?;
            return Ok(Answered { status, results });
        }
        let raw = answer.into_raw().await;
        // Only this status says that the results are those of the conversion.
        let is_refusal = status == 400 && !raw.broken;
        match ErrorBody::decode(&raw) {
            ErrorBody::Conversion(_) if is_refusal => {
                let results = answer::read_text(&raw.text, plan, pool);
                let results = results.map_err(|error| error.with_status(status))?;
                if results.len() > plan.expected() {
                    let count = results.len();
                    return Err(plan
                        .miscounted(count)
                        .with_status(status)
                        .with_conversions(results));
                }
                match results.iter().any(Conversion::is_failed) {
                    true => Ok(Answered { status, results }),
                    // A refusal without a reason is no word about any document.
                    false => Err(raw.into_error(CONVERT)),
                }
            }
            _ => Err(raw.into_error(CONVERT)),
        }
    }
}

fn check_count(count: usize) -> Result<()> {
    let (min, max) = (limits::CONVERSION_DOCUMENTS_MIN, limits::CONVERSION_DOCUMENTS_MAX);
    if (min..=max).contains(&count) {
        return Ok(());
    }
    Err(Error::new(
        Code::DocumentCount,
        format!("documents has {count} items; one call takes {min} to {max}"),
    )
    .with_detail("field", "documents")
    .with_detail("limit", max)
    .with_detail("actual", count))
}

/// `{"documents":[{"pdfSpec":"PDFA_2B","pdf":"..."}, ...]}`, with `allowSigned` only where set.
fn request_body(
    documents: Vec<(&Document, ByteSource)>,
    pool: &crate::wire::BufferPool,
) -> Result<RequestBody> {
    let mut builder = RequestBuilder::new().raw("{\"documents\":[");
    for (index, (document, source)) in documents.into_iter().enumerate() {
        builder = builder.raw(if index == 0 { "{" } else { ",{" });
        builder = builder.raw("\"pdfSpec\":").string(&document.pdf_spec);
        builder = builder.raw(",\"pdf\":").document(source);
        if document.allow_signed {
            builder = builder.raw(",\"allowSigned\":true");
        }
        builder = builder.raw("}");
    }
    builder.raw("]}").build(pool).map_err(|error| crate::error::of_encoding(&error))
}

fn parse_specs(raw: &RawAnswer) -> Result<Vec<String>> {
    let malformed =
        |why: &str| Error::new(Code::MalformedAnswer, format!("{SPECS}: {why}")).with_status(200);
    let value: Value = match serde_json::from_str(raw.text.trim()) {
        Ok(value) => value,
        Err(error) => {
            let told = raw.clone().into_error(SPECS);
            return Err(match told.code() {
                Code::HtmlAnswer | Code::EmptyAnswer => told,
                _ => malformed(&format!("the answer is no JSON: {error}")),
            });
        }
    };
    let specs = value.get("pdfSpecs").ok_or_else(|| {
        Error::new(Code::MissingField, format!("{SPECS}: the answer has no pdfSpecs"))
            .with_status(200)
            .with_detail("field", "pdfSpecs")
    })?;
    match specs {
        Value::String(one) => Ok(vec![one.clone()]),
        Value::Array(many) => many
            .iter()
            .map(|one| {
                one.as_str()
                    .map(str::to_owned)
                    .ok_or_else(|| malformed("pdfSpecs holds something else than texts"))
            })
            .collect(),
        _ => Err(malformed("pdfSpecs is neither a text nor a list")),
    }
}

/// All results, or the error that carries them.
pub(crate) fn judge(
    status: u16,
    results: Vec<Conversion>,
    strict: bool,
) -> Result<Vec<Conversion>> {
    judge_where(status, results, strict, Conversion::is_failed)
}

/// The same, where `is_failed` says which results count as failures.
pub(crate) fn judge_where(
    status: u16,
    results: Vec<Conversion>,
    strict: bool,
    is_failed: impl Fn(&Conversion) -> bool,
) -> Result<Vec<Conversion>> {
    let failed: Vec<_> = results.iter().filter(|result| is_failed(result)).collect();
    if failed.is_empty() || !strict {
        return Ok(results);
    }
    let refused: Vec<_> = failed.iter().filter(|result| !result.errors.is_empty()).collect();
    if let (true, Some(failure)) =
        (refused.is_empty(), failed.first().and_then(|result| result.failure.clone()))
    {
        return Err(failure.with_conversions(results));
    }
    let code_of = |result: &Conversion| match result.errors.first() {
        Some(fault) => fault.code.unwrap_or(Code::ConversionUnknownError),
        None => Code::ConversionUnknownError,
    };
    let first = refused.first().map_or(Code::ConversionFailed, |result| code_of(result));
    let same = refused.iter().all(|result| code_of(result) == first);
    let code = if same { first } else { Code::ConversionFailed };
    let told: Vec<_> = failed.iter().map(|result| told(result)).collect();
    let message = format!(
        "{} of {} documents not converted: {}",
        failed.len(),
        results.len(),
        told.join("; ")
    );
    let indexes: Vec<_> = failed.iter().map(|result| result.index).collect();
    Err(Error::service(code, status, message)
        .with_detail("failed", indexes)
        .with_conversions(results))
}

fn told(result: &Conversion) -> String {
    let failure = result.failure.iter().map(|failure| failure.message().to_owned());
    let why: Vec<_> = result
        .errors
        .iter()
        .map(|fault| match fault.code {
            Some(code) => format!("{} ({})", fault.message, code.name()),
            None => fault.message.clone(),
        })
        .chain(failure)
        .collect();
    let why = if why.is_empty() { "no reason given".to_owned() } else { why.join(", ") };
    format!("documents[{}]: {why}", result.index)
}
