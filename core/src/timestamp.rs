//! Timestamps of an authority (RFC 3161).

use http::Method;
use signdoc_signature::asn1::oids;
use signdoc_signature::crypto::HashAlgorithm;
use signdoc_signature::tsp::{TimestampRequest, TimestampToken, TimestampTrust, parse_response};
use signdoc_signature::x509::TrustAnchors;
use url::Url;

use crate::client::{Call, CallOptions, Client};
use crate::error::{Code, Error, Result};
use crate::transport::{Body, Request};

const TIMESTAMP: &str = "timestamp";
const ANSWER_CAP: usize = 1024 * 1024;

/// A token over a digest, checked as far as can be without trusting anybody.
///
/// # Errors
/// As requests fail; [`Code::MalformedAnswer`] for a token about something else, or one that does
/// not hold.
pub(crate) async fn over(
    client: &Client,
    url: &Url,
    digest: &[u8],
    hash: HashAlgorithm,
    options: &CallOptions,
) -> Result<Vec<u8>> {
    let call = client.call(options);
    let nonce = getrandom::u64()
        .map_err(|error| Error::new(Code::Internal, format!("no random numbers: {error}")))?;
    let query = TimestampRequest::new(hash, digest.to_vec(), Some(nonce));
    let der = query.to_der().map_err(|error| bad(&error.to_string()))?;
    let work = client.shared.repeat(&call, || ask(client, url, &der, &call));
    let answer = client.within(&call, TIMESTAMP, work).await?;
    let token = parse_response(&answer).map_err(|error| bad(&error.to_string()))?;
    check(token, hash, digest, query.nonce.as_deref())?;
    Ok(token.to_vec())
}

/// Asks for a token over nothing: what is wrong with the authority is then known before a
/// credential is spent that serves only once, or before evidence about it is gathered.
pub(crate) async fn try_out(
    client: &Client,
    url: &Url,
    hash: HashAlgorithm,
    options: &CallOptions,
) -> Result<Vec<u8>> {
    let digest = hash.digest(b"signdoc: is the authority there?");
    over(client, url, &digest, hash, options).await
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

/// The token must be about this digest and this request, and signed by a certificate for
/// timestamps. Whether that is trusted, whoever verifies the document decides.
fn check(token: &[u8], hash: HashAlgorithm, digest: &[u8], nonce: Option<&[u8]>) -> Result<()> {
    let token = TimestampToken::parse(token).map_err(|error| bad(&error.to_string()))?;
    if token.hash().ok() != Some(hash) || token.imprint() != digest {
        return Err(bad("is about something else than was asked for"));
    }
    if token.nonce() != nonce {
        return Err(bad("answers another request"));
    }
    let trust = TimestampTrust { anchors: &TrustAnchors::none(), pool: &[], at: None };
    let found = token.verify(&mut |_| Some(digest.to_vec()), &trust);
    if !found.is_intact() {
        // Nobody is trusted here, so the missing chain is no reason.
        let mut reasons = found.problems.clone();
        reasons.extend(found.unsupported.iter().cloned());
        reasons.extend(found.cms.problems.iter().map(ToString::to_string));
        return Err(bad(&format!("does not hold: {}", reasons.join("; "))));
    }
    let stamps = found.signer().is_some_and(|signer| signer.has_purpose(oids::TIME_STAMPING));
    if !stamps {
        return Err(bad("is signed by a certificate that is not for timestamps"));
    }
    Ok(())
}

fn bad(why: &str) -> Error {
    Error::new(Code::MalformedAnswer, format!("{TIMESTAMP}: the authority's answer {why}"))
}
