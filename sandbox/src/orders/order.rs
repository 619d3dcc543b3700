//! One sign order and its states on the virtual clock.

use std::sync::Arc;

use bytes::Bytes;
use serde_json::{Value, json};

use super::request::{Document, Output, Properties};
use crate::identity::persons::Person;

/// Milliseconds an order is valid before signing starts, and again after it ended.
const WINDOW_MS: u64 = 90_000;

/// Which of the two interfaces an order belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Pades,
    Sdo,
}

impl Kind {
    /// `pades` or `sdo`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Pades => "pades",
            Self::Sdo => "sdo",
        }
    }
}

/// Where an order stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OrderState {
    /// ORDER_RECEIVED
    Received,
    /// GRABBED_BY_IDP
    Grabbed,
    /// GENERATING_MERCHANT_SEALS, PAdES only
    MerchantSeals,
    /// USER_SIGNING
    UserSigning,
    /// ADD_DOCUMENT_SECURITY_STORE, PAdES only
    SecurityStore,
    /// FAILED
    Failed,
    /// CANCELLED
    Cancelled,
    /// SIGN_COMPLETED
    Completed,
}

impl OrderState {
    /// All states, in the order of the specification.
    pub const ALL: [Self; 8] = [
        Self::Received,
        Self::Grabbed,
        Self::MerchantSeals,
        Self::UserSigning,
        Self::SecurityStore,
        Self::Failed,
        Self::Cancelled,
        Self::Completed,
    ];

    /// The word of the specification.
    pub fn name(self) -> &'static str {
        match self {
            Self::Received => "ORDER_RECEIVED",
            Self::Grabbed => "GRABBED_BY_IDP",
            Self::MerchantSeals => "GENERATING_MERCHANT_SEALS",
            Self::UserSigning => "USER_SIGNING",
            Self::SecurityStore => "ADD_DOCUMENT_SECURITY_STORE",
            Self::Failed => "FAILED",
            Self::Cancelled => "CANCELLED",
            Self::Completed => "SIGN_COMPLETED",
        }
    }

    /// Whether nothing follows.
    pub fn is_final(self) -> bool {
        matches!(self, Self::Failed | Self::Cancelled | Self::Completed)
    }
}

/// What a finished document brings.
#[derive(Debug, Clone, Default)]
pub(crate) struct Signed {
    /// SHA-256 of the bytes that were signed.
    pub(crate) unsigned_sha256: Vec<u8>,
    /// The signed PDF, or the signed data object.
    pub(crate) document: Bytes,
    /// PAdES: what follows the unsigned document in the signed one.
    pub(crate) appendix: Bytes,
    /// SEID-SDO: the merchant's CMS and the end user's.
    pub(crate) merchant_cms: Bytes,
    pub(crate) end_user_cms: Bytes,
}

/// One order.
#[derive(Debug)]
pub(crate) struct Order {
    pub(crate) id: String,
    pub(crate) client_id: String,
    pub(crate) kind: Kind,
    pub(crate) properties: Properties,
    pub(crate) visual_seals: bool,
    pub(crate) documents: Arc<Vec<Document>>,
    pub(crate) results: Vec<Output>,
    pub(crate) state: OrderState,
    pub(crate) created_ms: u64,
    /// When the end user arrived.
    pub(crate) started_ms: Option<u64>,
    /// When a final state was reached.
    pub(crate) ended_ms: Option<u64>,
    /// A step that takes time is under way.
    pub(crate) busy: bool,
    pub(crate) signer: Option<Person>,
    /// Why it failed.
    pub(crate) note: Option<String>,
    /// Documents on their way: with the merchant's signature, then with the end user's.
    pub(crate) progress: Arc<Vec<super::pades::Progress>>,
    pub(crate) signed: Arc<Vec<Signed>>,
}

impl Order {
    /// Enters a state.
    pub(crate) fn enter(&mut self, state: OrderState, now_ms: u64) {
        self.state = state;
        if state == OrderState::Grabbed {
            self.started_ms = Some(now_ms);
        }
        if state.is_final() {
            self.ended_ms = Some(now_ms);
        }
    }

    /// Lets time pass. The order fails when the end user took too long; the text says why it is
    /// no longer valid at all.
    pub(crate) fn settle(&mut self, now_ms: u64) -> Result<(), &'static str> {
        if let Some(limit) = self.signing_ends_ms()
            && now_ms >= limit
            && !self.state.is_final()
        {
            self.enter(OrderState::Failed, limit);
            self.note = Some("timeoutSeconds passed before the end user had signed".to_owned());
        }
        match self.valid_until_ms() {
            Some(end) if now_ms >= end && self.state.is_final() => {
                Err("it was not fetched within 90 seconds after signing ended")
            }
            Some(end) if now_ms >= end => Err("signing did not start within 90 seconds"),
            _ => Ok(()),
        }
    }

    fn signing_ends_ms(&self) -> Option<u64> {
        Some(self.started_ms?.saturating_add(self.properties.timeout_seconds.saturating_mul(1000)))
    }

    /// The end of the window that is open; `None` while the end user signs.
    pub(crate) fn valid_until_ms(&self) -> Option<u64> {
        match (self.ended_ms, self.started_ms) {
            (Some(ended), _) => Some(ended.saturating_add(WINDOW_MS)),
            (None, None) => Some(self.created_ms.saturating_add(WINDOW_MS)),
            (None, Some(_)) => None,
        }
    }

    /// The state that follows when nobody interferes.
    pub(crate) fn next(&self) -> Option<OrderState> {
        let pades = self.kind == Kind::Pades;
        let sealed = pades && self.documents.iter().any(|document| !document.end_user_only);
        match self.state {
            OrderState::Received => Some(OrderState::Grabbed),
            OrderState::Grabbed if sealed => Some(OrderState::MerchantSeals),
            OrderState::Grabbed | OrderState::MerchantSeals => Some(OrderState::UserSigning),
            OrderState::UserSigning if pades => Some(OrderState::SecurityStore),
            OrderState::UserSigning | OrderState::SecurityStore => Some(OrderState::Completed),
            OrderState::Failed | OrderState::Cancelled | OrderState::Completed => None,
        }
    }

    /// What the control surface shows.
    pub(crate) fn describe(&self, now_ms: u64) -> Value {
        let left = |end: u64| end.saturating_sub(now_ms) as f64 / 1000.0;
        let limit = self.signing_ends_ms().filter(|_| !self.state.is_final());
        let documents: Vec<Value> = self
            .documents
            .iter()
            .map(|document| {
                json!({
                    "description": document.description,
                    "type": document.content.kind.mime(),
                    "bytes": document.content.bytes.len(),
                    "endUserOnly": document.end_user_only,
                })
            })
            .collect();
        json!({
            "sign_id": self.id,
            "kind": self.kind.name(),
            "client_id": self.client_id,
            "orderName": self.properties.name,
            "documentDisplayMode": self.properties.display_mode,
            "state": self.state.name(),
            "final": self.state.is_final(),
            "valid_for_seconds": self.valid_until_ms().or(limit).map(left),
            "signer": self.signer.map(Person::name),
            "note": self.note,
            "resultContent": self.results.iter().map(|output| output.name()).collect::<Vec<_>>(),
            "documents": documents,
        })
    }
}
