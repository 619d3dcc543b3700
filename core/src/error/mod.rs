//! One error type over the table in `signdoc-spec`.

mod body;
mod classify;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use serde_json::{Map, Value};
pub use signdoc_spec::{Category, Code};

pub(crate) use body::{BODY_CAP, ErrorBody, RawAnswer};
pub(crate) use classify::{failure_of, lost, of_encoding, of_scan, of_sink};

use crate::conversion::Conversion;
use crate::order::{Download, Order};

/// The result of everything in this crate that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Who found the problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// This library, before or after the service was asked.
    Local,
    /// The service or the identity provider.
    Service,
}

impl Origin {
    /// `local` or `service`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::Service => "service",
        }
    }
}

/// Everything that can go wrong, with what to do about it.
///
/// Cheap to clone: callers that waited for the same failed token request all get the same error.
#[derive(Clone)]
pub struct Error(Arc<Inner>);

#[derive(Clone)]
struct Inner {
    code: Code,
    name: Option<String>,
    origin: Origin,
    message: String,
    http_status: Option<u16>,
    reference: Option<String>,
    retry_after: Option<Duration>,
    details: Map<String, Value>,
    conversions: Vec<Conversion>,
    download: Option<Arc<Download>>,
    order: Option<Box<Order>>,
    raw_answer: Option<Bytes>,
}

impl Error {
    /// A local error: `message` says what, where and the remedy, without a final dot.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self(Arc::new(Inner {
            code,
            name: None,
            origin: Origin::Local,
            message: message.into(),
            http_status: None,
            reference: None,
            retry_after: None,
            details: Map::new(),
            conversions: Vec::new(),
            download: None,
            order: None,
            raw_answer: None,
        }))
    }

    /// An error that an answer of the service reports.
    pub(crate) fn service(code: Code, status: u16, message: impl Into<String>) -> Self {
        Self::new(code, message).map(|inner| {
            inner.origin = Origin::Service;
            inner.http_status = Some(status);
        })
    }

    /// An error that the provider tells without a status: on a redirect.
    pub(crate) fn of_provider(code: Code, message: impl Into<String>) -> Self {
        Self::new(code, message).map(|inner| inner.origin = Origin::Service)
    }

    fn map(mut self, change: impl FnOnce(&mut Inner)) -> Self {
        change(Arc::make_mut(&mut self.0));
        self
    }

    /// The same occurrence under a more exact row of the table.
    pub(crate) fn recoded(self, code: Code) -> Self {
        self.map(|inner| inner.code = code)
    }

    /// The same occurrence, told in other words.
    #[must_use]
    pub fn with_message(self, message: String) -> Self {
        self.map(|inner| inner.message = message)
    }

    /// The same occurrence with other texts where `change` has some.
    pub(crate) fn map_texts(self, change: &dyn Fn(&str) -> Option<String>) -> Self {
        let has = |text: &str| change(text).is_some();
        let needed = has(&self.0.message)
            || self.0.name.as_deref().is_some_and(has)
            || self.0.reference.as_deref().is_some_and(has)
            || has(&Value::Object(self.0.details.clone()).to_string())
            || self.0.conversions.iter().any(|one| has(&one.to_json().to_string()))
            || self.0.download.as_ref().is_some_and(|one| has(&one.to_json().to_string()))
            || self.0.order.as_ref().is_some_and(|one| has(&one.to_json().to_string()));
        if !needed {
            return self;
        }
        self.map(|inner| {
            let texts = [Some(&mut inner.message), inner.name.as_mut(), inner.reference.as_mut()];
            for text in texts.into_iter().flatten() {
                if let Some(changed) = change(text) {
                    *text = changed;
                }
            }
            crate::secrets::change_members(&mut inner.details, change);
            let of_order = inner.order.iter_mut().flat_map(|order| &mut order.conversions);
            inner.conversions.iter_mut().chain(of_order).for_each(|one| one.map_texts(change));
            if let Some(download) = &mut inner.download {
                Arc::make_mut(download).map_texts(change);
            }
        })
    }

    /// The same error about the document `index` of a call: [`Document::from_reader`] and its kind
    /// do not know which one they read.
    ///
    /// [`Document::from_reader`]: crate::Document::from_reader
    #[must_use]
    pub fn of_document(self, index: usize) -> Self {
        let field = format!("documents[{index}]");
        let named = match self.message().strip_prefix(crate::document::READ_AHEAD) {
            Some(rest) => Some(format!("{field}{rest}")),
            None if self.message().starts_with(&field) => None,
            None => Some(format!("{field}: {}", self.message())),
        };
        let error = match named {
            Some(message) => self.with_message(message),
            None => self,
        };
        error.with_detail("field", format!("{field}.pdf")).with_detail("index", index)
    }

    pub(crate) fn with_name(self, name: impl Into<String>) -> Self {
        self.map(|inner| inner.name = Some(name.into()))
    }

    pub(crate) fn with_status(self, status: u16) -> Self {
        self.map(|inner| inner.http_status = Some(status))
    }

    pub(crate) fn with_reference(self, reference: Option<String>) -> Self {
        self.map(|inner| inner.reference = reference)
    }

    pub(crate) fn with_retry_after(self, after: Option<Duration>) -> Self {
        self.map(|inner| inner.retry_after = after)
    }

    /// Adds a machine-readable detail (`field`, `limit`, `actual`, `body`, ...).
    #[must_use]
    pub fn with_detail(self, key: &str, value: impl Into<Value>) -> Self {
        self.map(|inner| {
            inner.details.insert(key.to_owned(), value.into());
        })
    }

    /// The results that came along, for all documents of the call.
    #[must_use]
    pub fn with_conversions(self, conversions: Vec<Conversion>) -> Self {
        self.map(|inner| inner.conversions = conversions)
    }

    pub(crate) fn with_download(self, download: Download) -> Self {
        self.map(|inner| inner.download = Some(Arc::new(download)))
    }

    pub(crate) fn with_order(self, order: Order) -> Self {
        self.map(|inner| inner.order = Some(Box::new(order)))
    }

    pub(crate) fn with_raw_answer(self, raw: Bytes) -> Self {
        self.map(|inner| inner.raw_answer = Some(raw))
    }

    /// The row of the error table.
    #[must_use]
    pub fn code(&self) -> Code {
        self.0.code
    }

    /// The service's own code where it sent one, else the table's name.
    #[must_use]
    pub fn name(&self) -> &str {
        self.0.name.as_deref().unwrap_or_else(|| self.0.code.spec().name)
    }

    /// Whether this library or the service found the problem.
    #[must_use]
    pub fn origin(&self) -> Origin {
        self.0.origin
    }

    /// The category, as the specification groups them.
    #[must_use]
    pub fn category(&self) -> Category {
        self.0.code.spec().category
    }

    /// What happened, where, and the remedy.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// What to do next. Where an order may have been created (`order_may_exist` among the details)
    /// that is what to do about an outcome that is not known; where a signing session is over
    /// (`session_over`) and the row would have the call repeated, it is to begin another session;
    /// where an order is gone (`ask_again` is false), what to do with what came.
    #[must_use]
    pub fn advice(&self) -> &'static str {
        let asks_again = self.may_pass() || self.0.code == Code::OutcomeUnknown;
        let row = match self.0.code {
            _ if self.ends_a_session() && asks_again => Code::CscSessionSpent,
            own @ (Code::OutcomeUnknown
            | Code::ReceptionContinues
            | Code::OrderDeleted
            | Code::DigestMismatch) => own,
            _ if self.is_of_a_deleted_order() => Code::DownloadIncomplete,
            _ if self.leaves_an_order() => Code::OutcomeUnknown,
            own => own,
        };
        row.spec().advice
    }

    /// Whether the order is gone from the service, so that asking again is of no use.
    fn is_of_a_deleted_order(&self) -> bool {
        self.0.details.get("ask_again") == Some(&Value::Bool(false))
    }

    fn leaves_an_order(&self) -> bool {
        self.0.details.contains_key("order_may_exist")
    }

    fn ends_a_session(&self) -> bool {
        self.0.details.contains_key("session_over")
    }

    /// Whether it is of a kind that passes by itself.
    fn may_pass(&self) -> bool {
        crate::transport::is_transient(self) || self.0.code.spec().retryable
    }

    /// The HTTP status of the answer, when there was one.
    #[must_use]
    pub fn http_status(&self) -> Option<u16> {
        self.0.http_status
    }

    /// The service's reference of this occurrence, to be quoted to support.
    #[must_use]
    pub fn reference(&self) -> Option<&str> {
        self.0.reference.as_deref()
    }

    /// Whether the same call may succeed when it is repeated later. Not when a signing session is
    /// over with it (`session_over` among the details): then a new login comes first. Nor when an
    /// order may have been created (`order_may_exist`): the call would create another.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        self.may_pass()
            && !self.ends_a_session()
            && !self.leaves_an_order()
            && !self.is_of_a_deleted_order()
    }

    /// How long the service asked to wait before a repetition.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.retry_after
    }

    /// Machine-readable details: `field`, `limit`, `actual`, `unit`, `offset`, `path`, `body`.
    #[must_use]
    pub fn details(&self) -> &Map<String, Value> {
        &self.0.details
    }

    /// The results of all documents of a conversion that failed as a whole or in part.
    #[must_use]
    pub fn conversions(&self) -> &[Conversion] {
        &self.0.conversions
    }

    /// What arrived whole of a download that failed: its files, or its bytes where they went to
    /// memory.
    #[must_use]
    pub fn download(&self) -> Option<&Download> {
        self.0.download.as_deref()
    }

    /// The order that exists although the call failed, as where `strict` was asked for and a
    /// document was not converted.
    #[must_use]
    pub fn order(&self) -> Option<&Order> {
        self.0.order.as_deref()
    }

    /// What a download brought, as it came, where that was not proven superfluous and no file has
    /// all of it: the service has deleted the order, so this is the only copy. A download into a
    /// folder leaves it there, named by the detail `raw_answer`, and here only what no file took.
    #[must_use]
    pub fn raw_answer(&self) -> Option<&Bytes> {
        self.0.raw_answer.as_ref()
    }

    /// Everything above as one JSON object (document bytes left out), as every face shows it.
    #[must_use]
    pub fn to_json(&self) -> Value {
        serde_json::json!({
            "code": self.code().number(),
            "name": self.name(),
            "constant": self.code().constant(),
            "class": self.code().spec().class,
            "origin": self.origin().as_str(),
            "category": self.category().label(),
            "message": self.message(),
            "advice": self.advice(),
            "http_status": self.http_status(),
            "reference": self.reference(),
            "retryable": self.is_retryable(),
            "retry_after": self.retry_after().map(|d| d.as_secs_f64()),
            "details": self.0.details,
            "download": self.download().map(Download::to_json),
            "order": self.order().map(Order::to_json),
            "raw_answer_bytes": self.raw_answer().map(Bytes::len),
            "results": self.conversions().iter().map(Conversion::to_json).collect::<Vec<_>>(),
        })
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.message)?;
        if let Some(reference) = self.reference() {
            write!(f, " (reference {reference})")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("code", &self.code().number())
            .field("name", &self.name())
            .field("message", &self.message())
            .field("http_status", &self.http_status())
            .field("reference", &self.reference())
            .finish_non_exhaustive()
    }
}

impl std::error::Error for Error {}
