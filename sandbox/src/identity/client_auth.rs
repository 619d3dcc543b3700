//! How a client proves who it is (RFC 6749 section 2.3): `client_secret_basic`,
//! `client_secret_post` or `private_key_jwt`, never two of them.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::assertion::{self, ASSERTION_TYPE};
use super::clients::RegisteredClient;
use super::discovery;
use super::token::{Form, TokenError};
use crate::form;
use crate::http::Call;
use crate::state::State;

/// Finds the registered client that the request comes from.
pub(crate) fn authenticate(
    state: &State,
    call: &Call,
    parameters: &Form,
) -> Result<Arc<RegisteredClient>, TokenError> {
    let header = call.single_header("authorization").map_err(TokenError::request)?;
    if let Some(assertion) = parameters.get("client_assertion") {
        if header.is_some() || parameters.get("client_secret").is_some() {
            return Err(TokenError::request("the client authenticates in more than one way"));
        }
        return by_assertion(state, parameters, assertion);
    }
    let (id, secret) = match (header, parameters.get("client_secret")) {
        (Some(_), Some(_)) => {
            return Err(TokenError::request("the client authenticates in more than one way"));
        }
        (Some(header), None) => {
            let (id, secret) = basic(header).map_err(TokenError::client)?;
            if parameters.get("client_id").is_some_and(|sent| sent != id) {
                return Err(TokenError::request("client_id differs from the Basic credential"));
            }
            (id, secret)
        }
        (None, Some(secret)) => {
            let id = parameters
                .get("client_id")
                .ok_or_else(|| TokenError::request("client_id is missing"))?;
            (id.to_owned(), secret.to_owned())
        }
        (None, None) => return Err(TokenError::client("client authentication is missing")),
    };
    let client =
        state.clients.find(&id).ok_or_else(|| TokenError::client("client is not registered"))?;
    match &client.secret {
        Some(known) if *known == secret => Ok(client),
        Some(_) => Err(TokenError::client("client secret is wrong")),
        None => Err(TokenError::client("this client proves itself by an assertion only")),
    }
}

fn by_assertion(
    state: &State,
    parameters: &Form,
    assertion: &str,
) -> Result<Arc<RegisteredClient>, TokenError> {
    match parameters.get("client_assertion_type") {
        Some(ASSERTION_TYPE) => {}
        Some(_) => return Err(TokenError::client("client_assertion_type is unknown")),
        None => return Err(TokenError::request("client_assertion_type is missing")),
    }
    let audiences = [discovery::token_endpoint(state), state.issuer()];
    let client = assertion::verify(state, assertion, &audiences).map_err(TokenError::client)?;
    if parameters.get("client_id").is_some_and(|sent| sent != client.id) {
        return Err(TokenError::client("client_id differs from sub of the assertion"));
    }
    Ok(client)
}

/// Both halves of a Basic credential; each is form-urlencoded inside (RFC 6749 section 2.3.1).
fn basic(header: &str) -> Result<(String, String), String> {
    let (scheme, value) = header.split_once(' ').unwrap_or((header, ""));
    if !scheme.eq_ignore_ascii_case("basic") {
        return Err("header authorization has another scheme than Basic".to_owned());
    }
    let bytes =
        STANDARD.decode(value).map_err(|_| "the Basic credential is not base64".to_owned())?;
    let text =
        String::from_utf8(bytes).map_err(|_| "the Basic credential is not UTF-8".to_owned())?;
    let (id, secret) =
        text.split_once(':').ok_or_else(|| "the Basic credential has no colon".to_owned())?;
    let half = |part: &str, which: &str| {
        form::decode(part).map_err(|error| format!("{which} in the Basic credential: {error}"))
    };
    Ok((half(id, "client_id")?, half(secret, "client_secret")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn basic_halves_are_form_encoded() {
        let header = format!("Basic {}", STANDARD.encode("cl%3Aient:s%2Bcr+et%25"));
        assert_eq!(basic(&header).unwrap(), ("cl:ient".to_owned(), "s+cr et%".to_owned()));
        for bad in ["Bearer x", "Basic", "Basic !!", "Basic YQ", "Basic YQ=="] {
            assert!(basic(bad).is_err(), "{bad}");
        }
        let unencoded = format!("Basic {}", STANDARD.encode("client:50%off"));
        assert!(basic(&unencoded).is_err());
    }
}
