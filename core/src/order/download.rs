//! The download, which deletes the order: what leaves the service is the only copy.
//!
//! 1. Names are settled, the state is asked for, and the folder's room is looked at. Nothing is
//!    deleted before the order is done.
//! 2. The journal and the file for the raw answer lie in the folder, on the disk.
//! 3. The DELETE leaves, on a connection of its own. From here on the work is a task of its own
//!    that no caller's clock ends (see [`super::reception`]).
//! 4. The answer is put aside byte by byte, and only then taken apart. Each document appears under
//!    its name whole, and is on the disk when it does.
//! 5. When the answer is proven superfluous ([`super::proof`]), journal and raw answer go. Until
//!    then [`super::recover`] can finish.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use tokio::time::Instant;
use url::Url;

use super::Orders;
use super::handover::Waiter;
use super::journal::{Header, Journal, answer_name};
use super::model::{OrderDocument, OrderRef};
use super::places::Places;
use super::receive::{Job, Sent};
use super::reception::Reception;
use super::results::Download;
use super::room::{AnswerGoes, Fallback, Need, look};
use super::spool::Spool;
use super::state::Phase;
use crate::client::{Call, CallOptions};
use crate::destination::{Destination, failed};
use crate::document::Document;
use crate::error::{Code, Error, Result};
use crate::identity::AccessToken;
use crate::trace::Level;

pub(super) const DOWNLOAD: &str = "download";

/// How long the order's state may be asked for: the 90 seconds in which the results can be had
/// run meanwhile.
const STATE_TIME: Duration = Duration::from_secs(6);
/// A deadline that never comes.
const NEVER: Duration = Duration::from_secs(365 * 24 * 3600);
/// An answer is never larger than this many times what was sent.
const GROWTH: u64 = 16;
/// The most that a folder takes where it is not known what was sent, in bytes.
const FOLDER_MOST: u64 = 2 * 1024 * 1024 * 1024;

/// Settings of a download.
#[derive(Clone, Debug, Default)]
pub struct DownloadOptions {
    /// Where the results go. In a folder nothing that arrived can be lost, not by a crash either.
    /// Memory cannot promise that: what is not handed over when the process ends is gone, because
    /// the service has deleted it.
    pub to: Destination,
    /// Downloads, and so ends, an order that is not final. FAILED and CANCELLED orders are refused
    /// all the same: `discard` ends them, and returns what they hold.
    pub force: bool,
    /// The documents that were sent, in their order, to compare digests and to name results after;
    /// not needed where the order itself is given. Only for documents that were not converted.
    pub originals: Vec<Document>,
    /// Time limit, progress and trace. The time limit ends the waiting; it does not end the
    /// reception of results once the request has left.
    pub call: CallOptions,
}

impl Orders {
    pub(super) async fn download(
        &self,
        order: OrderRef,
        options: &DownloadOptions,
    ) -> Result<Download> {
        order.check_kind(self.kind)?;
        let sent = Sent::of(&order, &options.originals)?;
        let places = Places::new(self.kind, &options.to, &order.sign_id, &sent.documents)?;
        let call = self.client.call(&options.call);
        let before = async {
            let url = self.order_url(&order.sign_id, &call).await?;
            // A token that is slow in coming must not look like a state that is not told.
            self.token(&call).await?;
            let ready_at = self.check_ready(&order, &url, options.force, &call).await?;
            Ok((url, ready_at))
        };
        let (url, ready_at) = self.client.within(&call, DOWNLOAD, before).await?;
        let config = &self.client.shared.config;
        let fallback = Fallback::new(&config.fallback_folder(), &order.sign_id);
        let mut unsent = Unsent(Some(self.put_in_place(&order, &places, &sent, fallback)?));
        let token = self.client.within(&call, DOWNLOAD, self.token(&call)).await?;
        let Some((journal, spool, fallback)) = unsent.0.take() else {
            return Err(Error::new(Code::Internal, "there is no place for the answer"));
        };
        let folder = match &places {
            Places::Folder(names) => names.folder.clone(),
            Places::Memory => fallback.path(),
        };
        let reception = Reception { sign_id: order.sign_id.clone(), folder };
        let job = Job {
            orders: self.clone(),
            most: most_of(&sent.documents, &places, config.max_answer),
            call: self.reception_call(&call),
            order,
            url,
            sent,
            ready_at,
            places,
            journal,
            spool,
            fallback,
            reception: reception.clone(),
            token,
        };
        let (waiter, handover) = Waiter::new(options.call.reception.clone(), reception);
        tokio::spawn(job.run(handover));
        let waited = waiter.wait(call.deadline).await;
        waited.map_err(|error| call.secrets.cleaned(error))
    }

    async fn token(&self, call: &Call) -> Result<AccessToken> {
        let shared = &self.client.shared;
        shared.tokens.get(shared, &shared.config.scope, call).await
    }

    /// The same call without its caller's clocks: it ends at silence.
    fn reception_call(&self, call: &Call) -> Call {
        let config = &self.client.shared.config;
        let now = Instant::now();
        Call {
            deadline: now.checked_add(NEVER).unwrap_or(now),
            quiet: Some(config.reception_timeout),
            ..call.clone()
        }
    }

    /// Refuses to delete an order that is not done. A state that is not told within a few seconds
    /// does not keep anybody from the only copy.
    async fn check_ready(
        &self,
        order: &OrderRef,
        url: &Url,
        force: bool,
        call: &Call,
    ) -> Result<Option<SystemTime>> {
        let limited =
            Call { deadline: call.deadline.min(Instant::now() + STATE_TIME), ..call.aside() };
        let asked = self.ask_state(order, url, &limited);
        let state = match self.client.within(&limited, super::wait::STATE, asked).await {
            Ok(asked) => asked.state,
            Err(error) if Instant::now() >= call.deadline => return Err(error),
            Err(error) if force || !stands_in_the_way(&error) => {
                call.trace.event(Level::Warning, || {
                    format!("{DOWNLOAD}: fetching the results although the order's state is not known: {}", error.message())
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
                    "the order is in the state {state}; a download would delete it, so it was not touched: wait for SIGN_COMPLETED, or download with force if this state means that it is signed"
                ),
            ),
        }
    }

    /// Journal and file for the raw answer, both on the disk, after a look at the room there is.
    fn put_in_place(
        &self,
        order: &OrderRef,
        places: &Places,
        sent: &Sent,
        mut fallback: Fallback,
    ) -> Result<(Option<Journal>, Spool, Fallback)> {
        let config = &self.client.shared.config;
        let Places::Folder(names) = places else {
            return Ok((None, Spool::anonymous(&config.fallback_folder()), fallback));
        };
        let need = Need::of(&sent.documents, sent.wanted.as_ref());
        let goes = look(&names.folder, &config.fallback_folder(), need)
            .map_err(|error| error.with_detail("sign_id", order.sign_id.as_str()))?;
        let journal = Journal::begin(&Header {
            sign_id: order.sign_id.clone(),
            started: self.client.shared.clock.now(),
            names: names.clone(),
            documents: sent.documents.clone(),
            results: sent.results.clone(),
        })?;
        let made = match goes {
            AnswerGoes::BesideResults => Spool::create(&journal.answer_path())
                .map_err(|error| (journal.answer_path(), error))
                .and_then(|spool| {
                    let durable = journal.answer_is_there();
                    durable.map(|()| spool).map_err(|error| {
                        (journal.answer_path(), std::io::Error::other(error.to_string()))
                    })
                }),
            AnswerGoes::ToFallback => in_fallback(&mut fallback, &order.sign_id, &journal),
        };
        match made {
            Ok(spool) => Ok((Some(journal), spool, fallback)),
            Err((path, error)) => {
                journal.end(Some(&path));
                let why = format!("the answer cannot be put aside here: {error}");
                Err(failed(&path, &why))
            }
        }
    }
}

/// The raw answer in the fallback folder from the beginning.
fn in_fallback(
    fallback: &mut Fallback,
    sign_id: &str,
    journal: &Journal,
) -> std::result::Result<Spool, (PathBuf, std::io::Error)> {
    let path = fallback.path().join(answer_name(sign_id));
    let failed = |error: std::io::Error| (path.clone(), error);
    fallback.folder().map_err(failed)?;
    let spool = Spool::create(&path).map_err(failed)?;
    fallback.sync().map_err(failed)?;
    let told = journal.moved(&path);
    told.map_err(|error| failed(std::io::Error::other(error.to_string())))?;
    Ok(spool)
}

/// Journal and raw answer of a download that has not left: dropped, nothing of them stays.
struct Unsent(Option<(Option<Journal>, Spool, Fallback)>);

impl Drop for Unsent {
    fn drop(&mut self) {
        if let Some((Some(journal), spool, _)) = self.0.take() {
            journal.end(spool.path());
        }
    }
}

/// Whether the question for the state met something that the request for the results would meet
/// as well, or was told that there is nothing to fetch.
fn stands_in_the_way(error: &Error) -> bool {
    use crate::Category;
    match error.code() {
        Code::OrderNotFound | Code::WindowExpired | Code::AccessTokenRejected => true,
        _ => !matches!(
            error.category(),
            Category::Network
                | Category::Protocol
                | Category::Service
                | Category::RequestValidation
        ),
    }
}

/// How much is received at most, and how much of it memory takes.
pub(super) fn most_of(documents: &[OrderDocument], places: &Places, max_answer: u64) -> (u64, u64) {
    let sent: Option<u64> = documents.iter().map(|document| document.size).sum();
    let by_size = match sent.filter(|_| !documents.is_empty()) {
        Some(sent) => sent.saturating_mul(GROWTH).saturating_add(64 * 1024 * 1024),
        None => FOLDER_MOST,
    };
    match places {
        Places::Folder(_) => (by_size.max(max_answer), max_answer),
        Places::Memory => (max_answer, max_answer),
    }
}
