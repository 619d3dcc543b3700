//! From the DELETE on: the request leaves, and whatever comes is put aside before it is read.
//!
//! This is a task of its own, which no caller's clock ends (see [`super::reception`]).

use std::time::{Duration, SystemTime};

use http::Method;
use signdoc_spec::limits;
use tokio::time::Instant;
use url::Url;

use super::Orders;
use super::digest::Sha256;
use super::download::DOWNLOAD;
use super::extract::{Extraction, Found, Target, extract};
use super::handover::{Handover, Unclaimed};
use super::journal::{Header, Journal, answer_name};
use super::model::{OrderDocument, OrderRef};
use super::places::Places;
use super::proof::{Asked, Wanted};
use super::reception::{Reception, UnderWay};
use super::results::Download;
use super::room::Fallback;
use super::spool::Spool;
use super::state::Phase;
use crate::client::{Call, is_token_refused};
use crate::document::Document;
use crate::error::{BODY_CAP, Code, Error, RawAnswer, Result};
use crate::identity::AccessToken;
use crate::trace::Level;
use crate::transport::{Answer, Body, Request, is_unsent};

/// What became of a DELETE.
enum Asking {
    Answered(Box<Answer>),
    /// It did not leave.
    NotSent(Error),
    /// It left, and what became of it is not known.
    Unclear(Error),
}

/// What an answer is.
enum Received {
    /// The results, or what is wrong with them.
    Ended(Result<Download>),
    /// The service refused the request, which proves that nothing was deleted.
    Refused(Error),
}

/// What is known of an order whose results are fetched.
#[derive(Clone)]
pub(super) struct Sent {
    pub documents: Vec<OrderDocument>,
    /// `resultContent`; empty where it is not known.
    pub results: Vec<String>,
    pub wanted: Option<Wanted>,
}

/// One download, from the journal on.
pub(super) struct Job {
    pub orders: Orders,
    pub order: OrderRef,
    pub url: Url,
    pub call: Call,
    pub sent: Sent,
    /// When the order was seen completed.
    pub ready_at: Option<SystemTime>,
    pub places: Places,
    pub journal: Option<Journal>,
    pub spool: Spool,
    pub fallback: Fallback,
    pub reception: Reception,
    pub token: AccessToken,
    /// The most bytes that are received, and that memory takes of them.
    pub most: (u64, u64),
}

impl Sent {
    /// By the order, or by the originals that the caller names.
    pub(super) fn of(order: &OrderRef, originals: &[Document]) -> Result<Self> {
        if let Some(order) = &order.order
            && !order.documents.is_empty()
        {
            return Ok(Self::new(order.documents.clone(), order.results.clone()));
        }
        let document = |(index, original): (usize, &Document)| {
            let source = original.open_unlimited(index)?;
            Ok(OrderDocument {
                name: original.name.clone(),
                sha256: Some(Sha256::of_source(&source)?),
                is_converted: false,
                size: Some(source.len()),
                ..OrderDocument::default()
            })
        };
        let documents = originals.iter().enumerate().map(document).collect::<Result<_>>()?;
        Ok(Self::new(documents, Vec::new()))
    }

    pub(super) fn new(documents: Vec<OrderDocument>, results: Vec<String>) -> Self {
        let wanted = Wanted::of(&results);
        Self { documents, results, wanted }
    }
}

impl Job {
    pub(super) async fn run(mut self, handover: Handover) {
        let _under_way = UnderWay::begin();
        let result = match self.leave(&handover) {
            Ok(()) => self.fetch().await,
            Err(error) => {
                self.end_journal();
                Err(error)
            }
        };
        let Self { orders, order, spool, fallback, sent, call, journal, .. } = self;
        // Let go before the waiting caller knows: it may recover the folder at once.
        drop(journal);
        // What a folder and the fallback have no room for is in memory, as what was to go there.
        let in_memory = matches!(self.places, Places::Memory)
            || (result.is_err() && spool.len() > 0 && !spool.is_on_disk());
        let unclaimed = in_memory.then(|| Unclaimed {
            spool,
            fallback,
            header: Header {
                sign_id: order.sign_id.clone(),
                started: orders.client.shared.clock.now(),
                names: Places::names_in_memory(orders.kind, &order.sign_id, &sent.documents),
                documents: sent.documents,
                results: sent.results,
            },
            trace: call.trace.clone(),
        });
        handover.finish(result, unclaimed);
    }

    /// From here on no caller ends the work.
    fn leave(&self, handover: &Handover) -> Result<()> {
        if let Some(journal) = &self.journal {
            journal.sent(self.orders.client.shared.clock.now())?;
        }
        handover.leave(&self.reception)
    }

    async fn fetch(&mut self) -> Result<Download> {
        let mut renewed = false;
        loop {
            match self.ask().await {
                Asking::NotSent(error) => {
                    self.end_journal();
                    return Err(self.orders.refined(error, &self.order));
                }
                Asking::Unclear(error) => {
                    let nothing = Extraction::nothing(error.clone());
                    return Err(self.lost(error, nothing).await);
                }
                Asking::Answered(answer) => match self.receive(*answer).await {
                    Received::Ended(result) => return result,
                    Received::Refused(error) if is_token_refused(&error) && !renewed => {
                        renewed = true;
                        self.renew(&error).await?;
                        self.spool.clear();
                    }
                    Received::Refused(error) => {
                        self.end_journal();
                        return Err(self.orders.refined(error, &self.order));
                    }
                },
            }
        }
    }

    /// A new token, and a look at the order: only one that is still there is asked for again.
    async fn renew(&mut self, refusal: &Error) -> Result<()> {
        let shared = self.orders.client.shared.clone();
        self.call
            .trace
            .event(Level::Info, || "the service refused the token; renewing it".to_owned());
        shared.tokens.reject(&shared.config.scope, &self.token);
        let limited = self.limited();
        let token = shared.tokens.get(&shared, &shared.config.scope, &limited);
        match self.orders.client.within(&limited, DOWNLOAD, token).await {
            Ok(token) => self.token = token,
            Err(error) => {
                self.end_journal();
                return Err(error);
            }
        }
        match self.probe().await {
            super::outcome::Fate::There(_) => Ok(()),
            super::outcome::Fate::Gone => {
                let nothing = Extraction::nothing(refusal.clone());
                Err(self.lost(refusal.clone(), nothing).await)
            }
            super::outcome::Fate::Unknown => {
                self.end_journal();
                let told = format!(
                    "{}; the token was renewed, but the order's state is not told, so the request was not sent again: call again",
                    refusal.message()
                );
                Err(refusal.clone().with_message(told))
            }
        }
    }

    /// Sends the DELETE, and waits for the head of its answer.
    async fn ask(&self) -> Asking {
        let request = Request {
            what: DOWNLOAD,
            method: Method::DELETE,
            url: self.url.clone(),
            authorization: Some(self.token.header()),
            body: Body::None,
            call: &self.call,
        };
        match self.orders.client.shared.transport.exchange_once(request).await {
            Ok(answer) => Asking::Answered(Box::new(answer)),
            Err(error) if is_unsent(&error) || error.code() == Code::ProxyFailed => {
                Asking::NotSent(error)
            }
            Err(error) => Asking::Unclear(error),
        }
    }

    /// Puts the answer aside, then makes documents of it.
    async fn receive(&mut self, mut answer: Answer) -> Received {
        let (status, kind) = (answer.status(), answer.content_type().to_owned());
        let retry_after = answer.retry_after();
        let coding = answer.coding().clone();
        if let Some(journal) = &self.journal {
            // Without this line a recovery takes the answer for a good one until it has read it.
            let _ = journal.answered(status, coding.name());
        }
        self.spool.coded(coding);
        let ended = self.put_aside(&mut answer).await;
        self.spool.sync();
        let bytes = self.spool.len();
        self.call.trace.event(Level::Debug, || format!("{DOWNLOAD}: {bytes} bytes put aside"));
        let extraction = self.extract();
        let has_results = extraction.found.pieces().next().is_some();
        if !(200..=299).contains(&status) && !has_results {
            return self.refused(status, &kind, retry_after, ended).await;
        }
        Received::Ended(self.results(status, &kind, ended, extraction).await)
    }

    fn extract(&mut self) -> Extraction {
        let pool = self.orders.client.shared.pool.clone();
        let target = Target {
            kind: self.orders.kind,
            places: &self.places,
            fallback: Some(&mut self.fallback),
            journal: self.journal.as_ref(),
            expected: self.sent.documents.len(),
            most: self.most.0,
            reuse: false,
        };
        extract(&mut self.spool, target, Found::default(), &pool)
    }

    /// An answer with results, whole or not.
    async fn results(
        &mut self,
        status: u16,
        kind: &str,
        ended: Result<()>,
        extraction: Extraction,
    ) -> Result<Download> {
        // An answer whose last bytes were lost may be whole all the same.
        let Some(problem) = extraction.problem.clone() else {
            return self.complete(status, extraction).await;
        };
        let cause = match ended {
            _ if problem.details().contains_key("reading") => problem,
            Err(error) => error,
            Ok(()) => super::outcome::unreadable(problem, status, kind, &mut self.spool),
        };
        Err(self.lost(cause.with_status(status), extraction).await)
    }

    /// An answer without results and without success. Something in between may have given it:
    /// only the service's own refusal proves that nothing was deleted.
    async fn refused(
        &mut self,
        status: u16,
        kind: &str,
        retry_after: Option<Duration>,
        ended: Result<()>,
    ) -> Received {
        let body = match self.spool.head(BODY_CAP as u64) {
            Ok(body) => body,
            Err(_) => self.spool.whole().unwrap_or_default(),
        };
        let mut raw = RawAnswer::new(status, kind, &body, retry_after);
        raw.broken = ended.is_err();
        raw.text = self.call.secrets.clean(&raw.text).into_owned();
        self.call.trace.answered_with(&raw.text);
        let is_doubtful = super::outcome::is_doubtful(status, &raw);
        let error = raw.into_error(DOWNLOAD);
        if is_doubtful {
            let nothing = Extraction::nothing(error.clone());
            return Received::Ended(Err(self.lost(error, nothing).await));
        }
        Received::Refused(error)
    }

    async fn put_aside(&mut self, answer: &mut Answer) -> Result<()> {
        let (most, most_in_memory) = self.most;
        while let Some(chunk) = answer.chunk_as_it_came().await? {
            if !self.spool.write(&chunk) && self.journal.is_some() {
                self.go_on_elsewhere();
            }
            let (limit, what) = match self.spool.len() > most {
                true => (most, "than is taken at all"),
                false => (most_in_memory, "than memory takes, and no folder has room"),
            };
            if self.spool.len() > most || self.spool.in_memory() > most_in_memory {
                return Err(Error::new(
                    Code::AnswerTooLarge,
                    format!("{DOWNLOAD}: the answer is larger {what}: {limit} bytes (max_answer_size); what came before is kept"),
                )
                .with_detail("limit", limit));
            }
        }
        Ok(())
    }

    /// Puts the answer into the fallback folder when its own takes no more of it.
    fn go_on_elsewhere(&mut self) {
        let Some(journal) = &self.journal else { return };
        if self.fallback.used().is_some() {
            // It is there already, or did not take it.
            return;
        }
        let Ok(folder) = self.fallback.folder() else { return };
        let path = folder.join(answer_name(&self.order.sign_id));
        match self.spool.move_to(&path) {
            Ok(moved) => {
                // Best effort: the bytes of the file itself are on the disk.
                let _ = self.fallback.sync();
                let told = journal.moved(&path);
                moved.forget();
                if told.is_err() {
                    // The file that went made room for this line.
                    let _ = journal.moved(&path);
                }
            }
            Err(error) => self.call.trace.event(Level::Warning, || {
                format!(
                    "{DOWNLOAD}: no room for the answer, in {} neither: {error}",
                    path.display()
                )
            }),
        }
    }

    /// Judges a whole answer.
    async fn complete(&mut self, status: u16, extraction: Extraction) -> Result<Download> {
        self.order.note(Phase::Downloaded);
        let in_memory = extraction.in_memory();
        let Extraction { found, unwritten, .. } = extraction;
        let kind = self.orders.kind;
        let asked = Asked {
            kind,
            sign_id: &self.order.sign_id,
            documents: &self.sent.documents,
            wanted: self.sent.wanted.as_ref(),
            status: Some(status),
        };
        let judged_of = found.clone();
        let download = Download::new(kind, &self.order.sign_id, found, &self.sent.documents);
        let judged = asked.judge(&judged_of, &download);
        let is_superfluous = match &judged {
            Ok(()) => unwritten.is_none() || in_memory == 0,
            Err(error) => error.code() == Code::OrderDeleted,
        };
        let judged = match (unwritten, judged) {
            (None, judged) => judged,
            (Some(error), Ok(())) => Err(self.not_written(error, in_memory)),
            // What is wrong with the results matters more than where they are.
            (Some(error), Err(worse)) => {
                let place = self.not_written(error, in_memory);
                let told = format!("{}; {}", worse.message(), place.message());
                Err(worse.with_message(told))
            }
        };
        if is_superfluous {
            self.end_journal();
        }
        match judged {
            Ok(()) => Ok(download),
            Err(error) if is_superfluous => Err(error
                .with_detail("sign_id", self.order.sign_id.as_str())
                .with_detail("ask_again", false)
                .with_download(download)),
            Err(error) => {
                let error = error
                    .with_detail("sign_id", self.order.sign_id.as_str())
                    .with_detail("ask_again", false)
                    .with_download(download);
                Err(self.keep(error))
            }
        }
    }

    /// Leaves journal and raw answer where they are, and names them; what no file took of it the
    /// error has.
    pub(super) fn keep(&mut self, mut error: Error) -> Error {
        if let Some(journal) = &self.journal {
            error = error.with_detail("journal", journal.path().display().to_string());
            if let Some(path) = self.spool.path() {
                error = error.with_detail("raw_answer", path.display().to_string());
            }
            if self.spool.is_on_disk() {
                return error;
            }
        }
        if self.spool.len() == 0 {
            return error;
        }
        match self.spool.whole() {
            Ok(raw) => error.with_raw_answer(raw.into()),
            Err(_) => error,
        }
    }

    /// A folder did not take a document: it is in the fallback folder, or in memory.
    fn not_written(&self, error: Error, in_memory: usize) -> Error {
        let elsewhere = self.fallback.used().map(|folder| folder.display().to_string());
        let mut told = error.message().to_owned();
        match (&elsewhere, in_memory) {
            (Some(folder), 0) => told.push_str(&format!("; what it did not take is in {folder}")),
            _ if self.spool.is_on_disk() => {
                let raw = self.spool.path().unwrap_or(std::path::Path::new("")).display();
                told.push_str(&format!(
                    "; the raw answer is safe in {raw}: make room and call recover, or take the bytes that this error carries"
                ));
            }
            _ => told.push_str(
                "; the only copy of some is in memory: save the bytes that this error carries",
            ),
        }
        let error = error.with_message(told).with_detail("in_memory", in_memory);
        match elsewhere {
            Some(folder) => error.with_detail("fallback", folder),
            None => error,
        }
    }

    pub(super) fn end_journal(&mut self) {
        if let Some(journal) = self.journal.take() {
            journal.end(self.spool.path());
        }
    }

    /// A call of a few seconds, for what is asked along the way.
    pub(super) fn limited(&self) -> Call {
        Call { deadline: Instant::now() + super::outcome::PROBE_TIME, ..self.call.aside() }
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
}
