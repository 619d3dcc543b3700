//! PDF/A conversion: what is supported, and converting up to fifteen documents in one call.

mod answer;
mod batch;
mod manifest;
mod model;
mod plan;

use std::sync::Arc;

use http::Method;
use serde_json::Value;
use signdoc_spec::{endpoints, limits};
use url::Url;

use crate::client::{Call, CallOptions, Client};
use crate::config::join;
use crate::destination::Destination;
use crate::document::Document;
use crate::error::{Code, Error, ErrorBody, RawAnswer, Result};
use crate::identity::AccessToken;
use crate::transport::{Answer, Body, Request};
use crate::wire::{ByteSource, RequestBody, RequestBuilder};

pub use batch::{Batch, BatchOptions, BatchPlan, Finished, Pack};
pub use model::{Conversion, ConversionFault, ConversionWarning};
use plan::{Place, Plan};

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
            let url = join(&self.base_url(&call).await?, endpoints::PATH_PDF_SPECS);
            let exchange = Exchange { client: self, call: &call };
            let body = self
                .authorized(&call, |token| {
                    let (exchange, url) = (&exchange, &url);
                    async move {
                        self.shared.repeat(exchange.call, || exchange.specs(url, &token)).await
                    }
                })
                .await?;
            parse_specs(&body)
        };
        self.within(&call, SPECS, work).await
    }

    /// Converts 1 to 15 PDFs of at most 5,000,000 base64 characters each to PDF/A-2B.
    ///
    /// Documents are streamed: read while they are sent, and written while they arrive. Results
    /// stand in the order of `documents`.
    ///
    /// Source: specification, `POST /signdoc/convert`.
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
        let places = plan::places(documents, &options.to)?;
        let documents: Vec<_> = documents.iter().zip(sources).collect();
        let (status, results) = self.convert_opened(documents, places, &options.call).await?;
        judge(status, results, options.strict)
    }

    /// Sends documents that have been checked; the status tells what the results are worth.
    async fn convert_opened(
        &self,
        documents: Vec<(&Document, ByteSource)>,
        places: Vec<Place>,
        options: &CallOptions,
    ) -> Result<(u16, Vec<Conversion>)> {
        let sources: Vec<_> = documents.iter().map(|(_, source)| source.clone()).collect();
        let plan = Arc::new(Plan::new(&sources, places));
        let body = request_body(documents, &self.shared.pool)?;
        let call = self.call(options);
        let work = async {
            let url = join(&self.base_url(&call).await?, endpoints::PATH_CONVERT);
            let exchange = Exchange { client: self, call: &call };
            self.authorized(&call, |token| {
                let (exchange, url, body, plan) = (&exchange, &url, &body, &plan);
                async move {
                    let attempt = || exchange.convert(url, &token, body.reopen(), plan);
                    self.shared.repeat(exchange.call, attempt).await
                }
            })
            .await
        };
        self.within(&call, CONVERT, work).await.map_err(|error| plan.hand_over(error))
    }
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
    ) -> Result<(u16, Vec<Conversion>)> {
        let answer = self.send(CONVERT, Method::POST, url, token, Body::Json(body)).await?;
        let status = answer.status();
        let pool = &self.client.shared.pool;
        if status == 200 {
            let limit = self.client.shared.config.max_answer;
            return answer::read(answer, plan, limit, pool).await.map(|results| (status, results));
        }
        let raw = answer.into_raw().await;
        match ErrorBody::decode(&raw) {
            ErrorBody::Conversion(_) => {
                answer::read_text(&raw.text, plan, pool).map(|results| (status, results))
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
    let code_of = |result: &Conversion| match result.errors.first() {
        Some(fault) => fault.code.unwrap_or(Code::ConversionUnknownError),
        None => Code::ConversionUnknownError,
    };
    let first = failed.first().map_or(Code::ConversionFailed, |result| code_of(result));
    let same = failed.iter().all(|result| code_of(result) == first);
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
    let why: Vec<_> = result
        .errors
        .iter()
        .map(|fault| match fault.code {
            Some(code) => format!("{} ({})", fault.message, code.name()),
            None => fault.message.clone(),
        })
        .collect();
    let why = if why.is_empty() { "no reason given".to_owned() } else { why.join(", ") };
    format!("documents[{}]: {why}", result.index)
}
