//! Timestamps of an authority (RFC 3161).

use http::Method;
use signdoc_signature::crypto::HashAlgorithm;
use signdoc_signature::tsp::{TimestampRequest, TimestampToken, parse_response};
use url::Url;

use crate::client::{Call, CallOptions, Client};
use crate::error::{Code, Error, Result};
use crate::transport::{Body, Request};

const TIMESTAMP: &str = "timestamp";
const ANSWER_CAP: usize = 1024 * 1024;

/// A token over `value`, or nothing where no authority is configured.
pub(super) async fn of(
    client: &Client,
    value: &[u8],
    hash: HashAlgorithm,
    options: &CallOptions,
) -> Result<Option<Vec<u8>>> {
    let Some(url) = client.shared.config.tsa_url.clone() else { return Ok(None) };
    let call = client.call(options);
    let digest = hash.digest(value);
    let nonce = getrandom::u64()
        .map_err(|error| Error::new(Code::Internal, format!("no random numbers: {error}")))?;
    let query = TimestampRequest::new(hash, digest.clone(), Some(nonce));
    let der = query.to_der().map_err(|error| bad(&error.to_string()))?;
    let work = client.shared.repeat(&call, || ask(client, &url, &der, &call));
    let answer = client.within(&call, TIMESTAMP, work).await?;
    let token = parse_response(&answer).map_err(|error| bad(&error.to_string()))?;
    check(token, hash, &digest, query.nonce.as_deref())?;
    Ok(Some(token.to_vec()))
}

async fn ask(client: &Client, url: &Url, query: &[u8], call: &Call) -> Result<Vec<u8>> {
    let request = Request {
        what: TIMESTAMP,
        method: Method::POST,
        url: url.clone(),
        authorization: None,
        body: Body::TimestampQuery(query.to_vec().into()),
        call,
    };
    let mut answer = client.shared.transport.exchange(request).await?;
    if answer.status() != 200 {
        return Err(answer.into_raw().await.into_error(TIMESTAMP));
    }
    answer.body(ANSWER_CAP).await
}

/// The token must be about this digest and this request.
fn check(token: &[u8], hash: HashAlgorithm, digest: &[u8], nonce: Option<&[u8]>) -> Result<()> {
    let token = TimestampToken::parse(token).map_err(|error| bad(&error.to_string()))?;
    if token.hash().ok() != Some(hash) || token.imprint() != digest {
        return Err(bad("is about something else than the signature"));
    }
    if token.nonce() != nonce {
        return Err(bad("answers another request"));
    }
    Ok(())
}

fn bad(why: &str) -> Error {
    Error::new(Code::MalformedAnswer, format!("{TIMESTAMP}: the authority's answer {why}"))
}
