//! Carrying out a fault: which part happens before the request is handled, what replaces the
//! answer, and what is done to the real one.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::{HeaderName, StatusCode};
use serde_json::json;
use tokio::time::sleep;

use super::{CutAt, CutHow, Fault, ResetWhen, Rule, Shape};
use crate::http::body::{AnswerBody, Pace, Piece};
use crate::http::wire::{End, Wire};
use crate::http::{Answer, Call};
use crate::state::State;

/// What the server does next.
pub(crate) enum Step {
    /// Handle the request.
    Handle,
    /// Send this instead.
    Answer(Box<Answer>),
    /// Drop the connection; a reset when the wire says so.
    Drop,
}

/// Before the body of the request is read.
pub(crate) async fn before_body(rule: &Rule, wire: &Wire, state: &State) -> Step {
    match &rule.fault {
        Fault::Reset { when: ResetWhen::BeforeBody, .. } => {
            pause(rule).await;
            wire.reset_on_drop();
            Step::Drop
        }
        Fault::Status { before_body: true, .. } => {
            pause(rule).await;
            replacement(&rule.fault, wire, state).map_or(Step::Handle, Step::Answer)
        }
        _ => Step::Handle,
    }
}

/// After the request is read, before it is handled.
pub(crate) async fn before_work(rule: &Rule, call: &mut Call, wire: &Wire, state: &State) -> Step {
    pause(rule).await;
    match &rule.fault {
        Fault::Reset { when: ResetWhen::AfterBody, .. } => {
            wire.reset_on_drop();
            Step::Drop
        }
        Fault::Stall { after_bytes: None, for_ms } => {
            match for_ms {
                Some(time) => sleep(Duration::from_millis(*time)).await,
                None => std::future::pending::<()>().await,
            }
            Step::Drop
        }
        Fault::ExpireTokens {} => {
            state.tokens.expire_all(state.clock.now_millis());
            state.csc.sessions.expire_all(state.clock.now_millis());
            Step::Handle
        }
        Fault::RejectToken { revoke } => {
            if let (true, Ok(token)) = (*revoke, call.bearer()) {
                state.tokens.revoke(token);
            }
            call.reject_token = true;
            Step::Handle
        }
        Fault::Status { after_work: true, .. } => Step::Handle,
        fault if fault.is_twist() => {
            call.twist = Some(fault.clone());
            Step::Handle
        }
        fault => replacement(fault, wire, state).map_or(Step::Handle, Step::Answer),
    }
}

/// After the request was handled: what happens to the real answer. False when the connection is to
/// be dropped instead of answering.
pub(crate) fn after_work(rule: &Rule, answer: &mut Answer, wire: &Wire) -> bool {
    match &rule.fault {
        Fault::Reset { when: ResetWhen::AfterWork, .. } => {
            wire.reset_on_drop();
            return false;
        }
        fault @ Fault::Status { after_work: true, .. } => {
            if let Some(instead) = fixed(fault) {
                *answer = instead;
            }
        }
        Fault::Reset { when: ResetWhen::MidAnswer, after_bytes } => {
            wire.cut_after(*after_bytes, End::Reset);
        }
        Fault::Cut { after_bytes, how: CutHow::Close } => wire.cut_after(*after_bytes, End::Close),
        Fault::Cut { after_bytes, how: CutHow::Complete } => answer.body.truncate(*after_bytes),
        Fault::CutDocument { document, at, how } => {
            let Some(after) = place(answer, *document, *at) else { return true };
            match how {
                CutHow::Close => wire.cut_after(after, End::Close),
                CutHow::Reset => wire.cut_after(after, End::Reset),
                CutHow::Complete => answer.body.truncate(after),
            }
        }
        Fault::Stall { after_bytes: Some(after), for_ms } => {
            wire.cut_after(*after, End::Silence(for_ms.map(Duration::from_millis)));
        }
        Fault::Close {} if answer.body.is_announced() => wire.hang_up_after(answer.body.len()),
        Fault::Slow { step_bytes, pause_ms } => answer.body.slow(Pace {
            step: usize::try_from(*step_bytes).unwrap_or(usize::MAX),
            pause: Duration::from_millis(*pause_ms),
        }),
        _ => {}
    }
    true
}

/// Bytes of the body before a place at one of its documents; `None` when there is no such one.
fn place(answer: &Answer, document: u32, at: CutAt) -> Option<u64> {
    let index = usize::try_from(document.checked_sub(1)?).ok()?;
    let (start, length) = answer.body.document(index)?;
    Some(match at {
        CutAt::Start => start,
        CutAt::Middle => start + length / 2,
        CutAt::End => start + length,
        CutAt::Closed => start + length + 1,
    })
}

async fn pause(rule: &Rule) {
    if rule.delay_ms > 0 {
        sleep(Duration::from_millis(rule.delay_ms)).await;
    }
}

fn replacement(fault: &Fault, wire: &Wire, state: &State) -> Option<Box<Answer>> {
    let answer = match fault {
        Fault::Status { .. } => fixed(fault)?,
        Fault::Garbage { bytes, on_wire } => {
            let noise = Bytes::from(state.random.bytes(usize::try_from(*bytes).unwrap_or(0)));
            if *on_wire {
                wire.say_instead(noise);
                Answer::text(StatusCode::OK, "")
            } else {
                Answer::new(StatusCode::OK, "application/json", noise)
            }
        }
        Fault::Html { status } => Answer::new(
            status_code(*status),
            "text/html; charset=utf-8",
            Bytes::from(format!(
                "<!DOCTYPE html>\n<html><head><title>{status}</title></head>\n\
                 <body><h1>{status}</h1><p>The gateway could not reach the upstream server.</p>\
                 </body></html>\n"
            )),
        ),
        Fault::Empty { status } => Answer {
            status: status_code(*status),
            headers: Vec::new(),
            body: AnswerBody::from(Bytes::new()),
            refused: None,
        },
        Fault::Oversized { bytes, shape } => oversized(*bytes, *shape, state),
        _ => return None,
    };
    Some(Box::new(answer))
}

fn fixed(fault: &Fault) -> Option<Answer> {
    let Fault::Status { status, headers, content_type, body, body_base64, json, .. } = fault else {
        return None;
    };
    let (default_type, bytes) = match (body, body_base64, json) {
        (Some(text), _, _) => ("text/plain; charset=utf-8", text.clone().into_bytes()),
        (_, Some(text), _) => ("text/plain; charset=utf-8", STANDARD.decode(text).ok()?),
        (_, _, Some(value)) => ("application/json", value.to_string().into_bytes()),
        _ => ("text/plain; charset=utf-8", Vec::new()),
    };
    let content_type = content_type.as_deref().unwrap_or(default_type);
    let mut answer = Answer::new(status_code(*status), content_type, Bytes::from(bytes));
    for (name, value) in headers {
        answer.headers.push((HeaderName::from_bytes(name.as_bytes()).ok()?, value.clone()));
    }
    Some(answer)
}

fn oversized(bytes: u64, shape: Shape, state: &State) -> Answer {
    let (before, after) = match shape {
        Shape::Object => ("{\"padding\":\"".to_owned(), "\"}"),
        Shape::Document => {
            let result = json!({
                "conversionId": state.random.uuid(),
                "description": "Document - 1",
                "converted": true,
                "conversionErrors": [],
                "conversionWarnings": [],
            });
            (format!("[{{\"conversionResult\":{result},\"convertedDocument\":\""), "\"}]")
        }
    };
    let body = AnswerBody::of([
        Piece::Text(Bytes::from(before)),
        Piece::Repeat(b'A', bytes),
        Piece::Text(Bytes::from_static(after.as_bytes())),
    ]);
    Answer::new(StatusCode::OK, "application/json", body)
}

fn status_code(status: u16) -> StatusCode {
    StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}
