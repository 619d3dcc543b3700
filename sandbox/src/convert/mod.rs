//! The conversion endpoints.
//!
//! What the specification leaves open is settled like this:
//! - In the testing environment a conversion is a failure of every document, so it is answered as
//!   failures are: status 400 with `conversionResults`. The variant `disabled` makes it status 200.
//! - `description` has no source in the request; it is `Document - 1` and so on.
//! - Requests are judged in this order: method, access token, form (400 with a text), documents.
//! - When any document fails the answer is 400 with the results of all of them and no bytes;
//!   documents that could be converted have `converted: true` in it. The variants
//!   `conversion_refusal` and `partial_conversion` have it otherwise.
//! - A document that already is PDF/A-2B is converted like any other: nothing here could vouch for
//!   its claim. The variant `unchanged` plays a service that finds no conversion needed.
//! - An encrypted document that opens without a password is converted, and is not encrypted
//!   afterwards. One that needs a password, or that keeps objects in encrypted streams and so hides
//!   what it holds, fails with GENERIC_ERROR: it is not damaged.
//! - CORRUPT is what cannot be read, has no pages, or is refused by the converter while a renderer
//!   complains as well or none is installed. When the renderer draws it without a complaint the
//!   failure is the converter's, and called GENERIC_ERROR.

pub(crate) mod answer;
pub(crate) mod compare;
pub(crate) mod engine;
pub(crate) mod features;
pub(crate) mod ghostscript;
pub(crate) mod messages;
pub(crate) mod program;
pub(crate) mod request;
pub(crate) mod warnings;
pub(crate) mod xmp;

use std::sync::Arc;

use http::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::task::spawn_blocking;

use self::engine::{Job, Outcome};
use self::messages::ConversionError;
use crate::Environment;
use crate::http::{Answer, Call};
use crate::identity::tokens::SIGNDOC_SCOPES;
use crate::state::State;
use crate::variants::{PdfSpecs, SyntaxError};

/// Path of the list of supported conversions.
pub(crate) const SPECS_PATH: &str = "/signdoc/convert/pdf/specs";
/// Path of the conversion.
pub(crate) const CONVERT_PATH: &str = "/signdoc/convert";

/// The one conversion there is.
pub(crate) const PDFA_2B: &str = "PDFA_2B";

/// `GET /signdoc/convert/pdf/specs`
pub(crate) fn specs(state: &State, call: &Call) -> Answer {
    if call.method != Method::GET {
        return Answer::method_not_allowed(&call.method, "GET");
    }
    if let Err(reason) = state.authorize(call, &SIGNDOC_SCOPES) {
        return state.token_refusal(reason);
    }
    let formal = call.require_no_query().and_then(|()| call.require_accepts("application/json"));
    let formal = formal.and_then(|()| {
        if call.body.is_empty() { Ok(()) } else { Err("this request has no body".to_owned()) }
    });
    if let Err(reason) = formal {
        return syntax_error(state, reason);
    }
    let specs = match state.variants().pdf_specs {
        PdfSpecs::String => Value::from(PDFA_2B),
        PdfSpecs::Array => json!([PDFA_2B]),
    };
    Answer::json(StatusCode::OK, &json!({ "pdfSpecs": specs }))
}

/// `POST /signdoc/convert`
pub(crate) async fn answer(state: &Arc<State>, call: Call) -> Answer {
    if call.method != Method::POST {
        return Answer::method_not_allowed(&call.method, "POST");
    }
    if let Err(reason) = state.authorize(&call, &SIGNDOC_SCOPES) {
        return state.token_refusal(reason);
    }
    let read = spawn_blocking(move || {
        call.require_no_query()?;
        call.require_content_type("application/json")?;
        call.require_accepts("application/json")?;
        request::read(&call.body)
    });
    let documents = match read.await {
        Ok(Ok(documents)) => documents,
        Ok(Err(reason)) => return syntax_error(state, reason),
        Err(_) => {
            return Answer::text(StatusCode::INTERNAL_SERVER_ERROR, "internal error")
                .refused("reading the request failed");
        }
    };
    let jobs: Vec<Job> = documents
        .into_iter()
        .enumerate()
        .map(|(index, document)| Job {
            id: state.random.uuid(),
            description: format!("Document - {}", index + 1),
            pdf: document.pdf,
            allow_signed: document.allow_signed,
        })
        .collect();
    let outcomes = match state.environment {
        Environment::Test => jobs.into_iter().map(disabled).collect(),
        Environment::Production => engine::convert(state, jobs).await,
    };
    answer::write(&outcomes, state.environment, &state.variants())
}

/// The outcome where conversion is switched off.
pub(crate) fn disabled(job: Job) -> Outcome {
    Outcome { errors: vec![ConversionError::Disabled], ..Outcome::of(job) }
}

/// 400 for a request that the specification does not allow.
fn syntax_error(state: &State, reason: String) -> Answer {
    let text = format!("Invalid request: {reason}");
    let answer = match state.variants().syntax_error {
        SyntaxError::Text => Answer::text(StatusCode::BAD_REQUEST, text),
        SyntaxError::JsonString => Answer::json(StatusCode::BAD_REQUEST, &Value::from(text)),
        SyntaxError::Errors => Answer::json(StatusCode::BAD_REQUEST, &json!({"errors": [text]})),
    };
    answer.refused(reason)
}
