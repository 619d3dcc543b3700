//! Sign orders of both kinds: create, follow, download.
//!
//! A download deletes the order at the service, so it is built to lose nothing: see
//! [`DownloadOptions`] and [`recover`].

mod create;
mod created;
mod digest;
mod download;
mod extract;
mod fields;
mod handover;
mod journal;
pub(crate) mod lenient;
mod model;
mod outcome;
mod pades;
mod pages;
#[cfg(feature = "signing")]
mod pdf;
mod places;
mod proof;
mod reading;
mod receive;
mod reception;
mod recover;
mod results;
mod room;
mod sdo;
mod spool;
mod state;
mod unknown;
mod wait;

use std::path::Path;

use http::Method;
use signdoc_spec::endpoints::QUERY_SIGN_ID;
use signdoc_spec::{PadesState, SdoState};
use url::Url;

use crate::client::{Call, CallOptions, Client};
use crate::error::{Code, Error, Result};
use crate::identity::AccessToken;
use crate::transport::{Body, Request};

pub use digest::{DigestCheck, Sha256};
pub use download::DownloadOptions;
pub use model::{Order, OrderDocument, OrderKind, OrderProperties, OrderRef};
pub use pades::{PadesDocument, PadesOrder, SealPosition};
#[cfg(feature = "signing")]
pub(crate) use pdf::SentDocument;
pub use reception::{Reception, ReceptionWatch, receptions, wait_for_receptions};
pub use recover::{Recovery, RecoveryOutcome, dismiss, recover};
pub use results::{Download, PadesDownload, PadesSigned, SdoDownload, SdoSigned};
pub use sdo::{SdoDocument, SdoOrder};
pub use wait::{StateWatch, WaitOptions};

const DISCARD: &str = "discard order";
/// The detail of an answer that something between here and the service may have given.
const DOUBTFUL: &str = "doubtful";
/// Answers without documents are short, in bytes.
const ANSWER_CAP: usize = 4 * 1024 * 1024;

/// What both kinds have in common.
#[derive(Clone, Debug)]
struct Orders {
    client: Client,
    kind: OrderKind,
}

/// PAdES orders: PDFs signed for long-term validation.
///
/// The specification marks this interface as outdated and scheduled for removal; a newer signing
/// solution replaces it.
#[derive(Clone, Debug)]
pub struct Pades(Orders);

/// SEID-SDO orders: signed data objects for PDFs, texts and XML.
///
/// The specification marks this interface as deprecated; the newer signing solution has no
/// equivalent.
#[derive(Clone, Debug)]
pub struct Sdo(Orders);

impl Client {
    /// PAdES orders (outdated, says the specification).
    #[must_use]
    pub fn pades(&self) -> Pades {
        Pades(Orders { client: self.clone(), kind: OrderKind::Pades })
    }

    /// SEID-SDO orders (deprecated, says the specification).
    #[must_use]
    pub fn sdo(&self) -> Sdo {
        Sdo(Orders { client: self.clone(), kind: OrderKind::Sdo })
    }
}

impl Pades {
    /// Creates an order. The user must come to sign within 90 seconds.
    ///
    /// Source: specification, `POST /signdoc/pades`. Repeated only when the request provably did
    /// not reach the service. What exists is returned: an order with its [`Order::conversions`],
    /// also where a document with `pdf_spec` was not converted (as in the testing environment),
    /// unless [`PadesOrder::strict`] asks for an error that carries the order.
    ///
    /// # Errors
    /// * Before anything is sent: [`Code::InvalidArgument`], [`Code::DocumentCount`],
    ///   [`Code::NotAPdf`], [`Code::SealPage`] and their like, naming the field.
    /// * The conversion's own codes when a document with `pdf_spec` was not converted, with the
    ///   results of all documents: where the service made no order of it, or with [`Error::order`]
    ///   where it did and `strict` is set.
    /// * [`Code::OrderRejected`] with the service's messages; network and token errors.
    /// * Where the answer was lost, cut off ([`Code::TruncatedAnswer`]) or unreadable, the order may
    ///   exist: `order_may_exist` is among the details, with the `sign_id` if that much arrived.
    pub async fn create(&self, order: &PadesOrder, options: &CallOptions) -> Result<Order> {
        let prepared = order.prepare(&self.0.client.shared.pool)?;
        self.0.create(prepared, order.strict, options).await
    }

    /// The order's state.
    ///
    /// Source: specification, `GET /signdoc/pades?sign_id=`.
    ///
    /// # Errors
    /// [`Code::OrderNotFound`], or [`Code::WindowExpired`] where the order itself is given and its
    /// time has run out; network, token and service errors.
    pub async fn state(
        &self,
        order: impl Into<OrderRef>,
        options: &CallOptions,
    ) -> Result<PadesState> {
        let state = self.0.state(&order.into(), options).await?;
        Ok(PadesState::from_text(&state))
    }

    /// Asks for the state until it is one of `until`, or final: every second at first, every five
    /// seconds later, and no sooner than the service asks for.
    ///
    /// # Errors
    /// [`Code::OrderFailed`] and [`Code::OrderCancelled`] when the order ends so and other states
    /// were waited for; [`Code::WindowExpired`] when it vanishes before its end;
    /// [`Code::TotalTimeout`]; and as [`Pades::state`].
    pub async fn wait(
        &self,
        order: impl Into<OrderRef>,
        options: &WaitOptions,
    ) -> Result<PadesState> {
        let state = self.0.wait(&order.into(), options).await?;
        Ok(PadesState::from_text(&state))
    }

    /// Downloads the signed documents, which deletes the order: they can be had only once, within
    /// 90 seconds after the signing.
    ///
    /// Source: specification, `DELETE /signdoc/pades?sign_id=`. Sent once; a second time only
    /// after the service itself refused the token and told that the order is still there. See
    /// [`DownloadOptions`] for what a folder promises and memory cannot.
    ///
    /// The state is asked for first, for a few seconds at most: one that is not told does not keep
    /// anybody from the only copy. Once the request has left, neither a time limit nor dropping
    /// this future ends the reception, which ends at silence (`reception_timeout`) or at a cap on
    /// its size; it needs the runtime to live on, see [`wait_for_receptions`].
    ///
    /// # Errors
    /// * Before anything is deleted: [`Code::OrderNotReady`], [`Code::OrderFailed`],
    ///   [`Code::OrderCancelled`], [`Code::OrderNotFound`], [`Code::DestinationExists`],
    ///   [`Code::DestinationFailed`] where the folder has no room, [`Code::JournalFailed`].
    /// * [`Code::ReceptionContinues`] when the time limit ended the waiting: the results come into
    ///   the folder that the error names.
    /// * [`Code::OutcomeUnknown`] when the answer was lost: [`Error::download`] has what arrived
    ///   whole; the details tell `order_state`, `ask_again`, `window_seconds`, and how many
    ///   documents arrived whole (`documents_arrived`) and not whole (`documents_in_part`).
    /// * [`Code::DownloadIncomplete`] when a result that was asked for did not come,
    ///   [`Code::DigestMismatch`], [`Code::ResultCount`], [`Code::DestinationFailed`],
    ///   [`Code::InvalidBase64`] and their like, with everything that arrived in
    ///   [`Error::download`]. The raw answer is kept: in the folder for [`recover`], or as
    ///   [`Error::raw_answer`].
    /// * [`Code::OrderDeleted`] when the service handed out nothing.
    pub async fn download(
        &self,
        order: impl Into<OrderRef>,
        options: &DownloadOptions,
    ) -> Result<PadesDownload> {
        match self.0.download(order.into(), options).await? {
            Download::Pades(download) => Ok(download),
            Download::Sdo(_) => Err(other_kind()),
        }
    }

    /// Ends an order on purpose, in whatever state it is, and returns the service's last answer
    /// about it: the state, and what results there were, in memory. An answer that says nothing
    /// leaves its fields empty.
    ///
    /// # Errors
    /// [`Code::OrderNotFound`]; [`Code::OutcomeUnknown`] when it is not known whether the order is
    /// gone; network, token and service errors.
    pub async fn discard(
        &self,
        order: impl Into<OrderRef>,
        options: &CallOptions,
    ) -> Result<PadesDownload> {
        match self.0.discard(&order.into(), options).await? {
            Download::Pades(download) => Ok(download),
            Download::Sdo(_) => Err(other_kind()),
        }
    }

    /// Lists and finishes the downloads of PAdES orders into `directory` that a crash interrupted,
    /// as [`recover`] does, and asks the service about those that are not complete.
    ///
    /// # Errors
    /// As [`recover`].
    pub async fn recover(
        &self,
        directory: impl AsRef<Path>,
        options: &CallOptions,
    ) -> Result<Vec<Recovery>> {
        self.0.recover(directory.as_ref(), options).await
    }
}

impl Sdo {
    /// Creates an order. The user must come to sign within 90 seconds.
    ///
    /// Source: specification, `POST /signdoc`. Repeated only when the request provably did not
    /// reach the service.
    ///
    /// # Errors
    /// * Before anything is sent: [`Code::ContentKind`], [`Code::InvalidArgument`], [`Code::DocumentCount`], [`Code::NotAPdf`] and their like,
    ///   naming the field.
    /// * [`Code::OrderRejected`] with the service's messages; network and token errors.
    /// * Where the answer was lost, cut off ([`Code::TruncatedAnswer`]) or unreadable, the order may
    ///   exist: `order_may_exist` is among the details, with the `sign_id` if that much arrived.
    pub async fn create(&self, order: &SdoOrder, options: &CallOptions) -> Result<Order> {
        let prepared = order.prepare(&self.0.client.shared.pool)?;
        self.0.create(prepared, false, options).await
    }

    /// The order's state, as [`Pades::state`]. Source: specification, `GET /signdoc?sign_id=`.
    ///
    /// # Errors
    /// As [`Pades::state`].
    pub async fn state(
        &self,
        order: impl Into<OrderRef>,
        options: &CallOptions,
    ) -> Result<SdoState> {
        let state = self.0.state(&order.into(), options).await?;
        Ok(SdoState::from_text(&state))
    }

    /// Asks for the state until it is one of `until`, or final, as [`Pades::wait`].
    ///
    /// # Errors
    /// As [`Pades::wait`].
    pub async fn wait(
        &self,
        order: impl Into<OrderRef>,
        options: &WaitOptions,
    ) -> Result<SdoState> {
        let state = self.0.wait(&order.into(), options).await?;
        Ok(SdoState::from_text(&state))
    }

    /// Downloads the signed data objects, which deletes the order, as [`Pades::download`]. Source:
    /// specification, `DELETE /signdoc?sign_id=`.
    ///
    /// # Errors
    /// As [`Pades::download`].
    pub async fn download(
        &self,
        order: impl Into<OrderRef>,
        options: &DownloadOptions,
    ) -> Result<SdoDownload> {
        match self.0.download(order.into(), options).await? {
            Download::Sdo(download) => Ok(download),
            Download::Pades(_) => Err(other_kind()),
        }
    }

    /// Ends an order on purpose, as [`Pades::discard`].
    ///
    /// # Errors
    /// As [`Pades::discard`].
    pub async fn discard(
        &self,
        order: impl Into<OrderRef>,
        options: &CallOptions,
    ) -> Result<SdoDownload> {
        match self.0.discard(&order.into(), options).await? {
            Download::Sdo(download) => Ok(download),
            Download::Pades(_) => Err(other_kind()),
        }
    }

    /// Lists and finishes interrupted downloads of SEID-SDO orders, as [`Pades::recover`].
    ///
    /// # Errors
    /// As [`recover`].
    pub async fn recover(
        &self,
        directory: impl AsRef<Path>,
        options: &CallOptions,
    ) -> Result<Vec<Recovery>> {
        self.0.recover(directory.as_ref(), options).await
    }
}

fn other_kind() -> Error {
    Error::new(Code::Internal, "the download is of the other kind")
}

impl Orders {
    /// The address of one order.
    async fn order_url(&self, sign_id: &str, call: &Call) -> Result<Url> {
        let mut url = self.client.url_of(self.kind.endpoint(), call).await?;
        url.query_pairs_mut().append_pair(QUERY_SIGN_ID, sign_id);
        Ok(url)
    }

    async fn discard(&self, order: &OrderRef, options: &CallOptions) -> Result<Download> {
        order.check_kind(self.kind)?;
        let call = self.client.call(options);
        let work = async {
            let url = self.order_url(&order.sign_id, &call).await?;
            let (url, call) = (&url, &call);
            let delete = |token| self.delete(order, url, token, call);
            match self.client.authorized(call, delete).await {
                Ok(download) => {
                    order.note(state::Phase::Downloaded);
                    Ok(download)
                }
                Err(error) if is_unclear(&error) => {
                    self.was_discarded(order, url, error, call).await
                }
                Err(error) => Err(self.refined(error, order)),
            }
        };
        self.client.within(&call, DISCARD, work).await
    }

    /// Deletes, and takes of the answer what it says.
    async fn delete(
        &self,
        order: &OrderRef,
        url: &Url,
        token: AccessToken,
        call: &Call,
    ) -> Result<Download> {
        let request = Request {
            what: DISCARD,
            method: Method::DELETE,
            url: url.clone(),
            authorization: Some(token.header()),
            body: Body::None,
            call,
        };
        let mut answer = self.client.shared.transport.exchange_once(request).await?;
        let status = answer.status();
        if !(200..=299).contains(&status) {
            let raw = answer.into_raw().await;
            let is_doubtful = outcome::is_doubtful(status, &raw);
            let error = raw.into_error(DISCARD);
            return Err(if is_doubtful { error.with_detail(DOUBTFUL, true) } else { error });
        }
        let config = &self.client.shared.config;
        let most = config.max_answer;
        let mut spool = spool::Spool::anonymous(&config.fallback_folder());
        let ended = loop {
            match answer.chunk().await {
                Ok(Some(chunk)) if spool.len() <= most => spool.write(&chunk),
                Ok(_) => break Ok(()),
                Err(error) => break Err(error),
            };
        };
        let target = extract::Target {
            kind: self.kind,
            places: &places::Places::Memory,
            fallback: None,
            journal: None,
            expected: 0,
            most,
            reuse: false,
        };
        let pool = &self.client.shared.pool;
        let found = extract::extract(&mut spool, target, extract::Found::default(), pool).found;
        let last = Download::new(self.kind, &order.sign_id, found, &[]);
        match ended {
            Ok(()) => Ok(last),
            Err(error) => {
                order.note(state::Phase::Downloaded);
                let told = format!(
                    "{}; the order is discarded, but its last answer did not come whole",
                    error.message()
                );
                Err(error
                    .with_message(told)
                    .with_status(status)
                    .with_detail("sign_id", order.sign_id.as_str())
                    .with_detail("ask_again", false)
                    .with_download(last))
            }
        }
    }

    /// After a lost answer: an order that is gone has been discarded.
    async fn was_discarded(
        &self,
        order: &OrderRef,
        url: &Url,
        error: Error,
        call: &Call,
    ) -> Result<Download> {
        let state = match self.ask_state(order, url, &call.aside()).await {
            Err(told) if matches!(told.code(), Code::OrderNotFound | Code::WindowExpired) => {
                let nothing = extract::Found::default();
                return Ok(Download::new(self.kind, &order.sign_id, nothing, &[]));
            }
            Err(_) => serde_json::Value::Null,
            Ok(asked) => asked.state.into(),
        };
        let told = format!("{}; it is not known whether the order is gone", error.message());
        Err(outcome::unknown(&error, told)
            .with_detail("sign_id", order.sign_id.as_str())
            .with_detail("order_state", state)
            .with_detail("ask_again", true))
    }

    /// The error of an order endpoint in the terms of orders.
    fn refined(&self, error: Error, order: &OrderRef) -> Error {
        // A page is not the service's word.
        let is_told = error.code() != Code::HtmlAnswer;
        let is_gone = error.code() == Code::NotFound || is_told && error.http_status() == Some(410);
        if !is_gone {
            return error;
        }
        let error = error.with_detail("sign_id", order.sign_id.as_str());
        let downloaded = |order: &Order| {
            order.last_seen().is_some_and(|seen| seen.phase >= state::Phase::Failed)
        };
        match &order.order {
            Some(order) if order.expires_in().is_zero() && !downloaded(order) => {
                let told = format!(
                    "{}; the order's window has passed, so it has expired (or was downloaded elsewhere)",
                    error.message()
                );
                error.recoded(Code::WindowExpired).with_message(told)
            }
            _ => error.recoded(Code::OrderNotFound),
        }
    }
}

/// Whether the request may have been carried out although it failed.
fn is_unclear(error: &Error) -> bool {
    let by_network = error.http_status().is_none() && !crate::transport::is_unsent(error);
    by_network && error.category() == crate::Category::Network
        || error.details().contains_key(DOUBTFUL)
}
