//! What both order kinds share: properties, the created order, and references to it.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Map, Value, json};
use signdoc_spec::endpoints::{self, Endpoint};
use signdoc_spec::limits;

use super::digest::Sha256;
use super::state::Phase;
use crate::client::Client;
use crate::clock::Clock;
use crate::conversion::Conversion;
use crate::error::{Code, Error, Result};

/// The two kinds of orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrderKind {
    /// PAdES: signed PDFs. Marked outdated by the specification.
    Pades,
    /// SEID-SDO: signed data objects. Marked deprecated by the specification.
    Sdo,
}

impl OrderKind {
    /// `pades` or `sdo`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pades => "pades",
            Self::Sdo => "sdo",
        }
    }

    pub(super) fn parse(text: &str) -> Option<Self> {
        [Self::Pades, Self::Sdo].into_iter().find(|kind| kind.as_str() == text)
    }

    /// The endpoint that creates an order; the others have its address.
    pub(super) fn endpoint(self) -> &'static Endpoint {
        match self {
            Self::Pades => &endpoints::PADES_CREATE,
            Self::Sdo => &endpoints::SDO_CREATE,
        }
    }
}

/// The properties of an order (specification, "Sign order properties"). Only what is set is sent.
#[derive(Clone, Debug, Default)]
pub struct OrderProperties {
    /// Name of the order; returned in the download.
    pub name: String,
    /// `interior` (the service's default), `window` or `overlay`. Other values are sent as they
    /// are: the specification leaves them open.
    pub display_mode: Option<String>,
    /// Whether the user is shown that the signing is completed.
    pub show_confirmation: Option<bool>,
    /// Whether the user confirms that the content is understood.
    pub show_understanding: Option<bool>,
    /// Seconds the user may take to sign, above 0; the service's default is 1800.
    pub timeout_seconds: Option<u32>,
}

impl OrderProperties {
    pub(super) fn named(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    pub(super) fn check(&self) -> Result<()> {
        if self.name.trim().is_empty() {
            return Err(Error::new(
                Code::InvalidArgument,
                "signProperties.orderName is empty; give the order a name",
            )
            .with_detail("field", "signProperties.orderName"));
        }
        if self.timeout_seconds == Some(0) {
            return Err(Error::new(
                Code::InvalidArgument,
                "signProperties.timeoutSeconds is 0, which leaves no time to sign; give a whole number of seconds above 0, or none for the service's default of 1800",
            )
            .with_detail("field", "signProperties.timeoutSeconds")
            .with_detail("actual", 0));
        }
        Ok(())
    }

    pub(super) fn to_json(&self) -> Value {
        let mut object = Map::new();
        object.insert("orderName".to_owned(), json!(self.name));
        let mut set = |key: &str, value: Option<Value>| {
            if let Some(value) = value {
                object.insert(key.to_owned(), value);
            }
        };
        set("documentDisplayMode", self.display_mode.as_ref().map(|mode| json!(mode)));
        set("showConfirmation", self.show_confirmation.map(Value::from));
        set("showUnderstanding", self.show_understanding.map(Value::from));
        set("timeoutSeconds", self.timeout_seconds.map(Value::from));
        Value::Object(object)
    }
}

/// What is remembered of a document that was sent with an order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OrderDocument {
    /// The input's name without its extension; results are called after it.
    pub name: Option<String>,
    /// SHA-256 of the bytes that are signed, where they are known here: not for XML.
    pub sha256: Option<Sha256>,
    /// SHA-256 of a text in UTF-8, where that may be what is signed: the service's documentation
    /// says ISO-8859-1, the specification does not say.
    pub sha256_of_utf8: Option<Sha256>,
    /// Whether its conversion was asked for, so that something else than what was sent is signed.
    pub is_converted: bool,
    /// How many bytes were sent, before base64.
    pub size: Option<u64>,
}

/// What this process has seen of an order since it was created.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen {
    pub phase: Phase,
    pub at: SystemTime,
}

/// An order the service has accepted. Clones share what is seen of it.
#[derive(Clone)]
#[non_exhaustive]
pub struct Order {
    /// The service's reference of the order.
    pub sign_id: String,
    /// Which kind it is.
    pub kind: OrderKind,
    /// Conversion results (PAdES, where `pdf_spec` was given), in the order of the documents; the
    /// element's `index` tells its document.
    pub conversions: Vec<Conversion>,
    /// When the service's answer arrived, by the client's clock.
    pub created_at: SystemTime,
    /// The documents that were sent.
    pub documents: Vec<OrderDocument>,
    /// What was asked for (`resultContent`); empty where it is not known, as for orders that were
    /// saved by an earlier version.
    pub results: Vec<String>,
    /// The time the user may take to sign, where the order sets it.
    pub timeout_seconds: Option<u32>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) seen: Arc<Mutex<Option<Seen>>>,
}

impl Order {
    /// How long the order still lives, as far as it is known here; zero when its window has passed.
    ///
    /// 90 seconds from its creation until signing starts; once this client has seen the user sign,
    /// the signing time; once it has seen the order completed, 90 seconds from then. An estimate:
    /// the service's own count decides.
    #[must_use]
    pub fn expires_in(&self) -> Duration {
        let now = self.clock.now();
        self.window_end().duration_since(now).unwrap_or_default()
    }

    /// The end of the window the order is in.
    pub(super) fn window_end(&self) -> SystemTime {
        match self.last_seen() {
            Some(Seen { phase: Phase::Signing, at }) => at + self.signing_time(),
            Some(Seen { phase: Phase::Completed, at }) => at + limits::ORDER_WINDOW_AFTER,
            Some(Seen { phase: Phase::Downloaded | Phase::Failed | Phase::Cancelled, at }) => at,
            _ => self.created_at + limits::ORDER_WINDOW_BEFORE,
        }
    }

    /// Whether signing cannot start any more, as far as it is known here.
    pub(crate) fn is_too_late_to_sign(&self) -> bool {
        let started = self.last_seen().is_some_and(|seen| seen.phase != Phase::Received);
        !started && self.expires_in().is_zero()
    }

    pub(super) fn signing_time(&self) -> Duration {
        let set = self.timeout_seconds.map(|seconds| Duration::from_secs(seconds.into()));
        set.unwrap_or(limits::ORDER_SIGNING_DEFAULT)
    }

    pub(super) fn last_seen(&self) -> Option<Seen> {
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a phase; the time is that of its first sight, and an order never goes back.
    pub(super) fn note(&self, phase: Phase) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.is_none_or(|seen| seen.phase < phase) {
            *seen = Some(Seen { phase, at: self.clock.now() });
        }
    }

    /// The order as a JSON object for another process, see [`Order::from_json`]. It holds digests
    /// and names of the documents, but none of their bytes.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let documents: Vec<_> = self
            .documents
            .iter()
            .map(|document| {
                let mut saved = saved_form(document);
                if let Some(saved) = saved.as_object_mut() {
                    saved.insert("name".to_owned(), json!(document.name));
                }
                saved
            })
            .collect();
        json!({
            "signdoc_order": 1,
            "kind": self.kind.as_str(),
            "sign_id": self.sign_id,
            "created_at": seconds_since_epoch(self.created_at),
            "timeout_seconds": self.timeout_seconds,
            "documents": documents,
            "results": self.results,
            "conversions": self.conversions.iter().map(Conversion::to_json).collect::<Vec<_>>(),
        })
    }

    /// An order from what [`Order::to_json`] gave, counting time by the clock of `client`.
    ///
    /// # Errors
    /// [`Code::InvalidArgument`] when it is something else.
    pub fn from_json(value: &Value, client: &Client) -> Result<Self> {
        Self::from_json_at(value, client.shared.clock.clone())
    }

    /// As [`Order::from_json`], counting time by `clock`.
    ///
    /// # Errors
    /// As [`Order::from_json`].
    pub fn from_json_at(value: &Value, clock: Arc<dyn Clock>) -> Result<Self> {
        let wrong = |field: &str| {
            Error::new(Code::InvalidArgument, format!("this is no saved order: {field} is missing"))
                .with_detail("field", field)
        };
        if value.get("signdoc_order").and_then(Value::as_u64) != Some(1) {
            return Err(wrong("signdoc_order"));
        }
        let text = |name: &str| value.get(name).and_then(Value::as_str).ok_or_else(|| wrong(name));
        let list = |name: &str| value.get(name).and_then(Value::as_array).into_iter().flatten();
        let created = value.get("created_at").and_then(Value::as_f64);
        let created = created
            .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
            .and_then(|since| UNIX_EPOCH.checked_add(since));
        let timeout = value.get("timeout_seconds").and_then(Value::as_u64);
        Ok(Self {
            sign_id: text("sign_id")?.to_owned(),
            kind: OrderKind::parse(text("kind")?).ok_or_else(|| wrong("kind"))?,
            conversions: list("conversions").map(super::created::saved_conversion).collect(),
            created_at: created.ok_or_else(|| wrong("created_at"))?,
            documents: list("documents").map(saved_document).collect(),
            results: list("results").filter_map(|one| one.as_str().map(str::to_owned)).collect(),
            timeout_seconds: timeout.and_then(|seconds| u32::try_from(seconds).ok()),
            clock,
            seen: Arc::default(),
        })
    }
}

/// What is saved of a document wherever it is: all but its name.
pub(super) fn saved_form(document: &OrderDocument) -> Value {
    json!({
        "sha256": document.sha256.map(|digest| digest.to_base64()),
        "sha256_of_utf8": document.sha256_of_utf8.map(|digest| digest.to_base64()),
        "converted": document.is_converted,
        "size": document.size,
    })
}

pub(super) fn saved_document(value: &Value) -> OrderDocument {
    let digest = |key| value.get(key).and_then(Value::as_str).and_then(Sha256::parse);
    OrderDocument {
        name: value.get("name").and_then(Value::as_str).map(str::to_owned),
        sha256: digest("sha256"),
        sha256_of_utf8: digest("sha256_of_utf8"),
        is_converted: value.get("converted").and_then(Value::as_bool).unwrap_or(false),
        size: value.get("size").and_then(Value::as_u64),
    }
}

pub(super) fn seconds_since_epoch(time: SystemTime) -> f64 {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64()
}

impl fmt::Debug for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Order")
            .field("sign_id", &self.sign_id)
            .field("kind", &self.kind)
            .field("documents", &self.documents.len())
            .field("expires_in", &self.expires_in())
            .finish_non_exhaustive()
    }
}

/// What a call needs of an order: its `sign_id`, or better the order itself, which knows its
/// windows, names and digests.
#[derive(Clone, Debug)]
pub struct OrderRef {
    pub(crate) sign_id: String,
    pub(crate) order: Option<Order>,
}

impl OrderRef {
    /// The service's reference of the order.
    #[must_use]
    pub fn sign_id(&self) -> &str {
        &self.sign_id
    }

    pub(crate) fn check(&self) -> Result<()> {
        if self.sign_id.trim().is_empty() || self.sign_id.chars().any(char::is_control) {
            return Err(Error::new(
                Code::InvalidArgument,
                "sign_id is empty or holds control characters; pass the one that create returned",
            )
            .with_detail("field", "sign_id"));
        }
        Ok(())
    }

    pub(super) fn check_kind(&self, kind: OrderKind) -> Result<()> {
        self.check()?;
        match &self.order {
            Some(order) if order.kind != kind => Err(Error::new(
                Code::InvalidArgument,
                format!(
                    "this order is of the kind {}; use client.{}() for it",
                    order.kind.as_str(),
                    order.kind.as_str()
                ),
            )
            .with_detail("field", "sign_id")),
            _ => Ok(()),
        }
    }

    pub(super) fn note(&self, phase: Phase) {
        if let Some(order) = &self.order {
            order.note(phase);
        }
    }
}

impl From<&str> for OrderRef {
    fn from(sign_id: &str) -> Self {
        Self { sign_id: sign_id.to_owned(), order: None }
    }
}

impl From<String> for OrderRef {
    fn from(sign_id: String) -> Self {
        Self { sign_id, order: None }
    }
}

impl From<&String> for OrderRef {
    fn from(sign_id: &String) -> Self {
        sign_id.as_str().into()
    }
}

impl From<&Order> for OrderRef {
    fn from(order: &Order) -> Self {
        Self { sign_id: order.sign_id.clone(), order: Some(order.clone()) }
    }
}

impl From<Order> for OrderRef {
    fn from(order: Order) -> Self {
        Self { sign_id: order.sign_id.clone(), order: Some(order) }
    }
}
