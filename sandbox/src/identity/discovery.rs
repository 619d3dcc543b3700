//! Provider metadata (OpenID Connect Discovery 1.0 section 3) with the service's extensions.

use serde_json::{Value, json};

use super::authorize::{self, USER_SCOPES};
use super::tokens::SCOPES;
use crate::state::State;
use crate::variants::DiscoveryBaseUrl;

/// What ID tokens may say.
const CLAIMS: [&str; 16] = [
    "iss",
    "sub",
    "aud",
    "azp",
    "exp",
    "iat",
    "auth_time",
    "nonce",
    "acr",
    "amr",
    "at_hash",
    "name",
    "given_name",
    "family_name",
    "birthdate",
    "nnin_altsub",
];

/// Address of the token endpoint.
pub(crate) fn token_endpoint(state: &State) -> String {
    format!("{}/protocol/openid-connect/token", state.issuer())
}

/// The discovery document.
pub(crate) fn document(state: &State) -> Value {
    let issuer = state.issuer();
    let base = &state.base_url;
    let connect = format!("{issuer}/protocol/openid-connect");
    let mut scopes = USER_SCOPES.to_vec();
    scopes.extend(SCOPES);
    let mut document = json!({
        "issuer": issuer,
        "authorization_endpoint": format!("{issuer}{}", authorize::PATH),
        "token_endpoint": token_endpoint(state),
        "token_introspection_endpoint": format!("{connect}/token/introspect"),
        "introspection_endpoint": format!("{connect}/token/introspect"),
        "userinfo_endpoint": format!("{connect}/userinfo"),
        "end_session_endpoint": format!("{connect}/logout"),
        "pushed_authorization_request_endpoint": format!("{connect}/ext/par/request"),
        "require_pushed_authorization_requests": false,
        "jwks_uri": format!("{connect}/certs"),
        "jwks_uri_enc": format!("{connect}/certs"),
        "response_types_supported": ["code"],
        "response_modes_supported": ["query", "fragment", "form_post"],
        "grant_types_supported": ["authorization_code", "client_credentials"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["ES256", "RS256"],
        "claims_supported": CLAIMS,
        "token_endpoint_auth_methods_supported":
            ["client_secret_basic", "client_secret_post", "private_key_jwt"],
        "token_endpoint_auth_signing_alg_values_supported": ["ES256", "RS256"],
        "code_challenge_methods_supported": ["S256"],
        "tls_client_certificate_bound_access_tokens": false,
        "scopes_supported": scopes,
        "ui_locales_supported": ["no", "en"],
        "release": concat!("sandbox ", env!("CARGO_PKG_VERSION")),
        "esign-baseurl": state.signing_url(),
        "fraud-data-baseurl": base,
        "aml-baseurl": base,
    });
    let signing = state.signing_url();
    let signing = match state.variants().discovery_signdoc_baseurl {
        DiscoveryBaseUrl::Plain => Some(signing.to_owned()),
        DiscoveryBaseUrl::TrailingSlash => Some(format!("{signing}/")),
        DiscoveryBaseUrl::Absent => None,
    };
    if let (Some(signing), Some(fields)) = (signing, document.as_object_mut()) {
        fields.insert("signdoc-baseurl".to_owned(), signing.into());
    }
    document
}
