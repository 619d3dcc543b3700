//! One exchange with a CSC endpoint.

use http::Method;
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use url::Url;

use crate::client::{Call, Client};
use crate::config::join;
use crate::error::{Code, Error, ErrorBody, RawAnswer, Result};
use crate::order::lenient;
use crate::transport::{Body, Repeat, Request};
use crate::wire::RequestBuilder;

/// A signature or a chain of certificates has a few kilobytes, and there are at most 50.
pub(super) const ANSWER_CAP: usize = 4 * 1024 * 1024;

/// The address of the interface.
pub(super) fn address(client: &Client) -> Result<&Url> {
    client.shared.config.csc_url.as_ref().ok_or_else(|| {
        Error::new(
            Code::MissingOption,
            "csc_url is missing: pass the address of the credential-based signing interface, or set SIGNDOC_CSC_URL",
        )
        .with_detail("field", "csc_url")
    })
}

/// Posts JSON and reads the JSON object that comes back.
///
/// Repeated only where the request did not get through, or was answered with an error that says
/// to come back later: a token is good for one use, and a lost answer may have used it.
pub(super) async fn post(
    client: &Client,
    what: &'static str,
    path: &str,
    bearer: Option<&SecretString>,
    body: &Value,
    call: &Call,
) -> Result<Value> {
    let url = join(address(client)?, path);
    let attempt = || post_once(client, what, &url, bearer, body, call);
    client.shared.repeat_as(Repeat::IfRefusedForNow, call, attempt).await
}

async fn post_once(
    client: &Client,
    what: &'static str,
    url: &Url,
    bearer: Option<&SecretString>,
    body: &Value,
    call: &Call,
) -> Result<Value> {
    let shared = &client.shared;
    let built = RequestBuilder::new().json(body).and_then(|builder| builder.build(&shared.pool));
    let request = Request {
        what,
        method: Method::POST,
        url: url.clone(),
        authorization: bearer
            .map(|token| SecretString::from(format!("Bearer {}", token.expose_secret()))),
        body: Body::Json(built.map_err(|error| crate::error::of_encoding(&error))?),
        call,
    };
    let mut answer = shared.transport.exchange_once(request).await?;
    let status = answer.status();
    if !(200..=299).contains(&status) {
        return Err(refused(answer.into_raw().await, what));
    }
    let kind = answer.content_type().to_owned();
    let body = answer.body(ANSWER_CAP).await?;
    let value = lenient::value(&body, what, &shared.pool).map_err(|error| {
        // The text may hold activation data: only what kind of answer it is gets told.
        match RawAnswer::new(status, &kind, &body, None).into_error(what) {
            told if matches!(told.code(), Code::HtmlAnswer | Code::EmptyAnswer) => told,
            _ => error,
        }
    })?;
    if value.is_object() {
        return Ok(value);
    }
    Err(Error::new(Code::MalformedAnswer, format!("{what}: the answer is no JSON object"))
        .with_status(status))
}

/// The error of a refusal: in the service's own shape, in the CSC standard's, or by its status.
fn refused(raw: RawAnswer, what: &str) -> Error {
    let named = match ErrorBody::decode(&raw) {
        ErrorBody::OAuth { error, .. } => {
            Some((Code::csc(&error).unwrap_or(Code::CscUnknown), error))
        }
        _ => None,
    };
    let status = raw.status;
    let error = raw.into_error(what);
    match (named, error.code(), status) {
        (Some((code, name)), _, _) => error.recoded(code).with_name(name),
        (None, Code::AccessTokenRejected, 401) => error.recoded(Code::CscInvalidToken),
        (None, Code::PayloadTooLarge, _) => error.recoded(Code::CscDocumentTooLarge),
        _ => error,
    }
}

/// Whether the request may have been carried out, and the token used, although it failed.
pub(super) fn may_have_arrived(error: &Error) -> bool {
    error.http_status().is_none()
        && error.category() == crate::Category::Network
        && !crate::transport::is_unsent(error)
}

/// Whether the token is still good for the endpoint that gave this error: the request did not
/// arrive, is to come again later, or was refused as invalid (specification, "Client handling by
/// category": fix the request and retry).
pub(super) fn leaves_token(error: &Error) -> bool {
    let was_invalid = error.category() == crate::Category::RequestValidation
        && matches!(error.http_status(), Some(400 | 413));
    was_invalid || crate::transport::is_unsent(error) || crate::transport::is_refused_for_now(error)
}

/// A text that must be there.
pub(super) fn text<'a>(value: &'a Value, name: &str, what: &str) -> Result<&'a str> {
    value.get(name).and_then(Value::as_str).filter(|text| !text.is_empty()).ok_or_else(|| {
        Error::new(Code::MissingField, format!("{what}: the answer holds no {name}"))
            .with_detail("field", name)
    })
}
