//! The download, which deletes the order: what leaves the service is the only copy.
//!
//! 1. Names are settled and the state is asked for. Nothing is deleted before the order is done.
//! 2. The journal and the file for the raw answer lie in the folder, on the disk.
//! 3. The DELETE leaves: once, on a connection of its own, never repeated. From here on the work is
//!    a task of its own, so that a caller who goes away does not cut it short.
//! 4. The answer is put aside byte by byte, and only then taken apart. Each document appears under
//!    its name whole, and is on the disk when it does.
//! 5. When all is safe, journal and raw answer go. Until then [`super::recover`] can finish.

use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use http::Method;
use signdoc_spec::limits;
use url::Url;

use super::extract::{Extraction, Found, extract};
use super::journal::{Header, Journal};
use super::model::{OrderDocument, OrderRef};
use super::places::Places;
use super::results::Download;
use super::spool::Spool;
use super::state::Phase;
use super::{Orders, digest::Sha256};
use crate::client::{Call, CallOptions};
use crate::destination::{Destination, failed};
use crate::document::Document;
use crate::error::{Code, Error, Result};
use crate::identity::AccessToken;
use crate::trace::Level;
use crate::transport::{Answer, Body, Repeat, Request, is_unsent};

pub(super) const DOWNLOAD: &str = "download";

/// Settings of a download.
#[derive(Clone, Debug, Default)]
pub struct DownloadOptions {
    /// Where the results go. In a folder nothing that arrived can be lost, not by a crash either.
    /// Memory cannot promise that: what is not handed over when the process ends, or when the
    /// caller goes away, is gone, because the service has deleted it.
    pub to: Destination,
    /// Downloads, and so ends, an order that is not final. FAILED and CANCELLED orders are refused
    /// all the same: `discard` ends them.
    pub force: bool,
    /// The documents that were sent, in their order, to compare digests and to name results after;
    /// not needed where the order itself is given. Only for documents that were not converted.
    pub originals: Vec<Document>,
    /// Time limit, progress and trace.
    pub call: CallOptions,
}

/// How far the DELETE got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sent {
    /// It did not leave.
    No,
    /// It left, and what became of it is not known.
    Unclear,
    /// The service refused it.
    Refused,
}

/// One download, from the journal on.
pub(super) struct Job {
    pub orders: Orders,
    pub order: OrderRef,
    pub url: Url,
    pub call: Call,
    pub documents: Vec<OrderDocument>,
    /// When the order was seen completed.
    pub ready_at: Option<SystemTime>,
    places: Places,
    journal: Option<Journal>,
    spool: Spool,
    sent: Mutex<Sent>,
}

impl Orders {
    pub(super) async fn download(
        &self,
        order: OrderRef,
        options: &DownloadOptions,
    ) -> Result<Download> {
        order.check_kind(self.kind)?;
        let documents = known_documents(&order, &options.originals)?;
        let places = Places::new(self.kind, &options.to, &order.sign_id, &documents)?;
        let call = self.client.call(&options.call);
        let before = async {
            let url = self.order_url(&order.sign_id, &call).await?;
            let ready_at = self.check_ready(&order, &url, options.force, &call).await?;
            Ok((url, ready_at))
        };
        let (url, ready_at) = self.client.within(&call, DOWNLOAD, before).await?;
        let (journal, spool) = self.put_in_place(&order, &places, &documents)?;
        let job = Job {
            orders: self.clone(),
            order,
            url,
            call,
            documents,
            ready_at,
            places,
            journal,
            spool,
            sent: Mutex::new(Sent::No),
        };
        let gone = |_| Err(Error::new(Code::Internal, "the download ended without a result"));
        tokio::spawn(job.run()).await.unwrap_or_else(gone)
    }

    /// Refuses to delete an order that is not done.
    async fn check_ready(
        &self,
        order: &OrderRef,
        url: &Url,
        force: bool,
        call: &Call,
    ) -> Result<Option<SystemTime>> {
        let state = match self.ask_state(order, url, call).await {
            Ok(asked) => asked.state,
            Err(error) if force && error.code() != Code::OrderNotFound => {
                call.trace.event(Level::Warning, || {
                    format!("{DOWNLOAD}: the state is not known: {}", error.message())
                });
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        let told = |code, message: String| {
            Err(Error::new(code, format!("{DOWNLOAD}: {message}"))
                .with_detail("sign_id", order.sign_id.as_str())
                .with_detail("order_state", state.as_str()))
        };
        match Phase::of(&state) {
            Phase::Completed => Ok(Some(self.client.shared.clock.now())),
            Phase::Failed => told(
                Code::OrderFailed,
                "the signing failed; the order was not touched, end it with discard".to_owned(),
            ),
            Phase::Cancelled => told(
                Code::OrderCancelled,
                "the signing was cancelled; the order was not touched, end it with discard"
                    .to_owned(),
            ),
            _ if force => Ok(None),
            _ => told(
                Code::OrderNotReady,
                format!(
                    "the order is in the state {state}; a download would delete it, so it was not touched: wait for SIGN_COMPLETED"
                ),
            ),
        }
    }

    /// Journal and file for the raw answer, both on the disk.
    fn put_in_place(
        &self,
        order: &OrderRef,
        places: &Places,
        documents: &[OrderDocument],
    ) -> Result<(Option<Journal>, Spool)> {
        let Places::Folder(names) = places else { return Ok((None, Spool::anonymous())) };
        let journal = Journal::begin(&Header {
            sign_id: order.sign_id.clone(),
            started: self.client.shared.clock.now(),
            names: names.clone(),
            documents: documents.to_vec(),
        })?;
        match Spool::create(&journal.answer_path()) {
            Ok(spool) => Ok((Some(journal), spool)),
            Err(error) => {
                let path = journal.answer_path();
                journal.end();
                Err(failed(&path, &format!("the answer cannot be put aside here: {error}")))
            }
        }
    }
}

impl Job {
    async fn run(mut self) -> Result<Download> {
        let asked = {
            let delete = self.orders.client.authorized(&self.call, |token| {
                let job = &self;
                async move {
                    let shared = &job.orders.client.shared;
                    shared.repeat_as(Repeat::Never, &job.call, || job.ask(&token)).await
                }
            });
            self.orders.client.within(&self.call, DOWNLOAD, delete).await
        };
        match asked {
            Ok(answer) => self.receive(answer).await,
            Err(error) if self.how_far() == Sent::Unclear => {
                Err(self.lost(error.clone(), Extraction::nothing(error)).await)
            }
            Err(error) => {
                self.end_journal();
                Err(self.orders.refined(error, &self.order))
            }
        }
    }

    /// Sends the DELETE. Any refusal by the service, and only that, proves that nothing was done.
    async fn ask(&self, token: &AccessToken) -> Result<Answer> {
        if let Some(journal) = &self.journal {
            journal.sent(self.orders.client.shared.clock.now())?;
        }
        self.set(Sent::Unclear);
        let request = Request {
            what: DOWNLOAD,
            method: Method::DELETE,
            url: self.url.clone(),
            authorization: Some(token.header()),
            body: Body::None,
            call: &self.call,
        };
        let answer = match self.orders.client.shared.transport.exchange_once(request).await {
            Ok(answer) => answer,
            Err(error) => {
                if is_unsent(&error) || error.code() == Code::ProxyFailed {
                    self.set(Sent::No);
                }
                return Err(error);
            }
        };
        match answer.status() {
            200..=299 => return Ok(answer),
            300..=499 => self.set(Sent::Refused),
            _ => {}
        }
        Err(answer.into_raw().await.into_error(DOWNLOAD))
    }

    /// Puts the answer aside, then makes documents of it.
    async fn receive(mut self, mut answer: Answer) -> Result<Download> {
        let (status, kind) = (answer.status(), answer.content_type().to_owned());
        let ended = self.put_aside(&mut answer).await;
        self.spool.sync();
        let bytes = self.spool.len();
        self.call.trace.event(Level::Debug, || format!("{DOWNLOAD}: {bytes} bytes put aside"));
        let (kind_of_order, pool) = (self.orders.kind, self.orders.client.shared.pool.clone());
        let extraction = extract(
            &mut self.spool,
            kind_of_order,
            &self.places,
            self.journal.as_ref(),
            Found::default(),
            &pool,
        );
        // An answer whose last bytes were lost may be whole all the same.
        let Some(problem) = extraction.problem.clone() else {
            return self.complete(extraction);
        };
        let cause = match ended {
            Err(error) => error,
            Ok(()) => super::outcome::unreadable(problem, status, &kind, &mut self.spool),
        };
        Err(self.lost(cause.with_status(status), extraction).await)
    }

    async fn put_aside(&mut self, answer: &mut Answer) -> Result<()> {
        let in_memory = matches!(self.places, Places::Memory);
        let limit = self.orders.client.shared.config.max_answer;
        while let Some(chunk) = answer.chunk().await? {
            self.spool.write(&chunk);
            // A folder takes what comes: the answer can be had only once.
            if in_memory && self.spool.len() > limit {
                return Err(Error::new(
                    Code::AnswerTooLarge,
                    format!("{DOWNLOAD}: the answer is larger than {limit} bytes (max_answer_size), which is too much for memory; download into a folder"),
                )
                .with_detail("limit", limit));
            }
        }
        Ok(())
    }

    /// Judges a whole answer.
    fn complete(mut self, extraction: Extraction) -> Result<Download> {
        let Extraction { found, unwritten, .. } = extraction;
        self.order.note(Phase::Downloaded);
        let named = found.sign_id.clone();
        let download = Download::new(self.orders.kind, &self.order.sign_id, found, &self.documents);
        let judged = match unwritten {
            Some(error) => Err(self.not_written(error)),
            None => self.judge(named.as_deref(), &download),
        };
        if judged.is_ok() || self.spool.failure().is_some() || !is_unwritten(&judged) {
            self.end_journal();
        }
        match judged {
            Ok(()) => Ok(download),
            Err(error) => Err(error
                .with_detail("sign_id", self.order.sign_id.as_str())
                .with_detail("ask_again", false)
                .with_download(download)),
        }
    }

    fn judge(&self, named: Option<&str>, download: &Download) -> Result<()> {
        let (count, expected) = (download.document_count(), self.documents.len());
        if let Some(other) = named.filter(|other| !other.eq_ignore_ascii_case(&self.order.sign_id))
        {
            return Err(Error::new(
                Code::MalformedAnswer,
                format!(
                    "{DOWNLOAD}: the answer is for the order {other:?}, not for the one asked for; the files are kept"
                ),
            ));
        }
        if count == 0 {
            return Err(Error::new(
                Code::OrderDeleted,
                format!("{DOWNLOAD}: the service deleted the order and handed out no document"),
            ));
        }
        if expected > 0 && count != expected {
            return Err(Error::new(
                Code::ResultCount,
                format!("{DOWNLOAD}: the order has {expected} documents, but {count} came; those that came are kept"),
            )
            .with_detail("limit", expected)
            .with_detail("actual", count));
        }
        download.check_digests()
    }

    /// The folder did not take a document: it is in memory, and in the raw answer if that is whole.
    fn not_written(&self, error: Error) -> Error {
        let told = match (&self.journal, self.spool.failure()) {
            (Some(journal), None) => format!(
                "{}; the raw answer is safe in {}: make room and call recover, or take the bytes that this error carries",
                error.message(),
                journal.answer_path().display()
            ),
            _ => format!(
                "{}; the only copy is in memory: save the bytes that this error carries",
                error.message()
            ),
        };
        error.with_message(told)
    }

    pub(super) fn end_journal(&mut self) {
        if let Some(journal) = self.journal.take() {
            journal.end();
        }
    }

    pub(super) fn journal(&self) -> Option<&Journal> {
        self.journal.as_ref()
    }

    pub(super) fn spool(&self) -> &Spool {
        &self.spool
    }

    /// The latest moment at which the order can still be downloaded, as far as it is known.
    pub(super) fn window_end(&self) -> Option<SystemTime> {
        let seen = self.ready_at.map(|at| at + limits::ORDER_WINDOW_AFTER);
        let counted = self.order.order.as_ref().map(super::Order::window_end);
        match (seen, counted) {
            (Some(seen), Some(counted)) => Some(seen.min(counted)),
            (seen, _) => seen,
        }
    }

    fn how_far(&self) -> Sent {
        *self.sent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, sent: Sent) {
        *self.sent.lock().unwrap_or_else(PoisonError::into_inner) = sent;
    }
}

fn is_unwritten(judged: &Result<()>) -> bool {
    let code = judged.as_ref().err().map(Error::code);
    matches!(code, Some(Code::DestinationFailed | Code::DestinationExists))
}

/// What is known of the documents: by the order, or by the originals that the caller names.
fn known_documents(order: &OrderRef, originals: &[Document]) -> Result<Vec<OrderDocument>> {
    if let Some(order) = &order.order
        && !order.documents.is_empty()
    {
        return Ok(order.documents.clone());
    }
    let document = |(index, original): (usize, &Document)| {
        let source = original.open_unlimited(index)?;
        Ok(OrderDocument {
            name: original.name.clone(),
            sha256: Some(Sha256::of_source(&source)?),
            is_converted: false,
        })
    };
    originals.iter().enumerate().map(document).collect()
}
