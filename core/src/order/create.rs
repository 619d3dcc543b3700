//! Creating an order: sent again only when it provably did not arrive, and no error hides that an
//! order may have come of it.

use std::sync::atomic::{AtomicBool, Ordering};

use http::Method;
use serde_json::Value;
use signdoc_spec::limits::{ORDER_TOTAL_ADVISED_BYTES, ORDER_WINDOW_BEFORE};
use url::Url;

use super::model::{Order, OrderDocument};
use super::pades::Prepared;
use super::{ANSWER_CAP, Orders, created, lenient, outcome};
use crate::Category;
use crate::client::{Call, CallOptions};
use crate::error::{Code, Error, ErrorBody, RawAnswer, Result};
use crate::identity::AccessToken;
use crate::trace::Level;
use crate::transport::{Answer, Body, Repeat, Request, is_unsent};
use crate::wire::RequestBody;

const CREATE: &str = "create order";

impl Orders {
    pub(super) async fn create(
        &self,
        prepared: Prepared,
        strict: bool,
        options: &CallOptions,
    ) -> Result<Order> {
        let call = self.client.call(options);
        warn_of_size(prepared.total, &call);
        for warning in &prepared.warnings {
            call.trace.event(Level::Warning, || format!("{CREATE}: {warning}"));
        }
        // Whether a request is with the service that it has not refused.
        let sent = AtomicBool::new(false);
        let work = async {
            let url = self.client.url_of(self.kind.endpoint(), &call).await?;
            let posted = self.client.authorized(&call, |token| {
                let (call, url, prepared, sent) = (&call, &url, &prepared, &sent);
                async move {
                    let attempt =
                        || self.post(url, &token, prepared.body.reopen(), prepared, call, sent);
                    self.client.shared.repeat_as(Repeat::IfUnsent, call, attempt).await
                }
            });
            let about = |error| self.client.about_address(error, self.kind.endpoint(), &url);
            posted.await.map_err(about)
        };
        let made = self.client.within(&call, CREATE, work).await;
        let (order, failure) =
            made.map_err(|error| match sent.load(Ordering::SeqCst) && is_in_doubt(&error) {
                true => in_doubt(error),
                false => error,
            })?;
        match failure.filter(|_| strict) {
            Some(error) => {
                let sign_id = order.sign_id.clone();
                let told = format!("{}; the order exists as {sign_id}", error.message());
                let error = error.with_message(told).with_detail("sign_id", sign_id);
                Err(call.secrets.cleaned(error.with_order(order)))
            }
            None => Ok(order),
        }
    }

    async fn post(
        &self,
        url: &Url,
        token: &AccessToken,
        body: RequestBody,
        prepared: &Prepared,
        call: &Call,
        sent: &AtomicBool,
    ) -> Result<(Order, Option<Error>)> {
        let shared = &self.client.shared;
        let request = Request {
            what: CREATE,
            method: Method::POST,
            url: url.clone(),
            authorization: Some(token.header()),
            body: Body::Json(body),
            call,
        };
        sent.store(true, Ordering::SeqCst);
        let answer = shared.transport.exchange_once(request).await.inspect_err(|error| {
            let is_sent = !is_unsent(error) && error.code() != Code::ProxyFailed;
            sent.store(is_sent, Ordering::SeqCst);
        })?;
        let created_at = shared.clock.now();
        let status = answer.status();
        if !(200..=299).contains(&status) {
            let raw = answer.into_raw().await;
            sent.store(is_doubtful(status, &raw), Ordering::SeqCst);
            return Err(refused(raw, &prepared.documents));
        }
        let value = self.read(answer).await?;
        let created = created::parse(&value, status, &prepared.documents, CREATE)?;
        let order = Order {
            sign_id: created.sign_id,
            kind: self.kind,
            conversions: created.conversions,
            created_at,
            documents: prepared.documents.clone(),
            results: prepared.results.clone(),
            timeout_seconds: prepared.timeout_seconds,
            clock: shared.clock.clone(),
            seen: std::sync::Arc::default(),
        };
        Ok((order, created.failure))
    }

    /// The answer as a value. One that broke off behind its last brace is whole all the same.
    async fn read(&self, mut answer: Answer) -> Result<Value> {
        let (status, kind) = (answer.status(), answer.content_type().to_owned());
        let (body, broken) = answer.body_or_part(ANSWER_CAP).await;
        let (part, problem) = lenient::part(&body, CREATE, &self.client.shared.pool);
        let Some(problem) = problem else { return Ok(part) };
        let told = RawAnswer::new(status, &kind, &body, None).into_error(CREATE);
        let problem = match (told.code(), problem.code(), broken) {
            (Code::HtmlAnswer, ..) | (Code::EmptyAnswer, _, None) => told,
            // The loss tells why there is no more, and where it ended.
            (_, Code::TruncatedAnswer, Some(broken)) => broken,
            _ => problem,
        };
        let problem = problem.with_status(status);
        Err(match created::sign_id(&part) {
            Some(sign_id) => problem.with_detail("sign_id", sign_id),
            None => problem,
        })
    }
}

/// Whether an order may have come of a request that ended with `error`.
fn is_in_doubt(error: &Error) -> bool {
    match error.http_status() {
        None => matches!(
            error.code(),
            Code::ConnectionLost
                | Code::ReadTimeout
                | Code::TotalTimeout
                | Code::TruncatedAnswer
                | Code::RequestFailed
        ),
        // Timeouts of an answer that had begun are of the network.
        Some(200..=299) => matches!(error.category(), Category::Protocol | Category::Network),
        // Anything else has been judged when it came.
        Some(_) => true,
    }
}

/// Whether an answer without success says nothing of what became of the request. What is no page
/// and says that the service is not there for now, was not carried out.
fn is_doubtful(status: u16, raw: &RawAnswer) -> bool {
    let is_page = matches!(ErrorBody::decode(raw), ErrorBody::Html { .. });
    outcome::is_doubtful(status, raw) && (is_page || !matches!(status, 501 | 503 | 505))
}

/// The error, and what it means for the order.
fn in_doubt(error: Error) -> Error {
    let window = ORDER_WINDOW_BEFORE.as_secs();
    let told = match error.details().get("sign_id").and_then(Value::as_str) {
        Some(sign_id) => format!("the order exists as {sign_id}: sign or discard it"),
        None => format!(
            "the order may exist, so it was not created again: without its sign_id nobody can sign it, and it expires after {window} s"
        ),
    };
    let told = format!("{}; {told}", error.message());
    error.with_message(told).with_detail("order_may_exist", true)
}

/// A refused order: conversion results where documents were not converted, else the messages.
fn refused(raw: RawAnswer, documents: &[OrderDocument]) -> Error {
    if let ErrorBody::Conversion(results) = ErrorBody::decode(&raw)
        && raw.status == 400
        && let Some(error) = created::refusal(&results.into(), raw.status, documents)
    {
        return error;
    }
    let error = raw.into_error(CREATE);
    match error.code() {
        Code::RequestRejected => error.recoded(Code::OrderRejected),
        _ => error,
    }
}

fn warn_of_size(total: u64, call: &Call) {
    if total > ORDER_TOTAL_ADVISED_BYTES {
        call.trace.event(Level::Warning, || {
            format!(
                "{CREATE}: the documents have {total} bytes in all; the service advises at most {ORDER_TOTAL_ADVISED_BYTES}"
            )
        });
    }
}
