//! Rows of the OAuth 2.0 token endpoint and of the authorize redirect.

use super::Spec;
use crate::Category;

const TOKEN: &str = "interface specification, OAuth token endpoint errors; RFC 6749, section 5.2";
const AUTHORIZE: &str =
    "interface specification, OAuth authorize endpoint errors; RFC 6749, section 4.1.2.1";
const RFC6749: &str = "RFC 6749, section 5";

pub(crate) const OAUTH_INVALID_REQUEST: Spec = Spec {
    constant: "SIGNDOC_E_OAUTH_INVALID_REQUEST",
    name: "invalid_request",
    category: Category::RequestValidation,
    class: "OAuthError",
    http_status: Some(400),
    retryable: false,
    summary: "the token request lacks a parameter or has an invalid value",
    advice: "correct the token request: check scope, redirect_uri and the code given to it",
    source: TOKEN,
};

pub(crate) const OAUTH_INVALID_CLIENT: Spec = Spec {
    constant: "SIGNDOC_E_OAUTH_INVALID_CLIENT",
    name: "invalid_client",
    category: Category::Authentication,
    class: "OAuthError",
    http_status: Some(401),
    retryable: false,
    summary: "client authentication failed at the token endpoint",
    advice: "check client_id, the secret or private key, and that the client_auth method is the one registered for this client in this environment",
    source: TOKEN,
};

pub(crate) const OAUTH_INVALID_GRANT: Spec = Spec {
    constant: "SIGNDOC_E_OAUTH_INVALID_GRANT",
    name: "invalid_grant",
    category: Category::Authentication,
    class: "OAuthError",
    http_status: Some(400),
    retryable: false,
    summary: "the authorization code is invalid or expired, or the code_verifier does not match",
    advice: "start a new login: a code is valid once and for a short time, and only with the login it belongs to; the signed document can still be fetched by its sign_id within its window",
    source: TOKEN,
};

pub(crate) const OAUTH_UNAUTHORIZED_CLIENT: Spec = Spec {
    constant: "SIGNDOC_E_OAUTH_UNAUTHORIZED_CLIENT",
    name: "unauthorized_client",
    category: Category::Authorization,
    class: "OAuthError",
    http_status: Some(400),
    retryable: false,
    summary: "the client is not authorized for this grant type",
    advice: "ask support to enable the grant type for this client",
    source: TOKEN,
};

pub(crate) const OAUTH_UNSUPPORTED_GRANT_TYPE: Spec = Spec {
    constant: "SIGNDOC_E_OAUTH_UNSUPPORTED_GRANT_TYPE",
    name: "unsupported_grant_type",
    category: Category::RequestValidation,
    class: "OAuthError",
    http_status: Some(400),
    retryable: false,
    summary: "the token endpoint does not support this grant type",
    advice: "check that the issuer, and with it the token endpoint, is the intended one",
    source: TOKEN,
};

pub(crate) const OAUTH_SERVER_ERROR: Spec = Spec {
    constant: "SIGNDOC_E_OAUTH_SERVER_ERROR",
    name: "server_error",
    category: Category::Service,
    class: "OAuthError",
    http_status: Some(500),
    retryable: true,
    summary: "the token endpoint met an unexpected condition",
    advice: "call again after a short delay; contact support if it persists",
    source: TOKEN,
};

pub(crate) const OAUTH_TEMPORARILY_UNAVAILABLE: Spec = Spec {
    constant: "SIGNDOC_E_OAUTH_TEMPORARILY_UNAVAILABLE",
    name: "temporarily_unavailable",
    category: Category::Service,
    class: "OAuthError",
    http_status: Some(503),
    retryable: true,
    summary: "the token endpoint is temporarily unavailable",
    advice: "call again after a short delay",
    source: TOKEN,
};

pub(crate) const OAUTH_INVALID_SCOPE: Spec = Spec {
    constant: "SIGNDOC_E_OAUTH_INVALID_SCOPE",
    name: "invalid_scope",
    category: Category::Authorization,
    class: "OAuthError",
    http_status: Some(400),
    retryable: false,
    summary: "the scope asked for is unknown or not granted to the client",
    advice: "check the scope option; ask support to grant it to this client",
    source: "RFC 6749, section 5.2",
};

pub(crate) const OAUTH_UNKNOWN: Spec = Spec {
    constant: "SIGNDOC_E_OAUTH_UNKNOWN",
    name: "unknown_oauth_error",
    category: Category::Protocol,
    class: "OAuthError",
    http_status: None,
    retryable: false,
    summary: "the token endpoint refused with an error the interface does not name",
    advice: "look at the error and description the endpoint gave, which this error carries",
    source: RFC6749,
};

pub(crate) const OAUTH_MALFORMED: Spec = Spec {
    constant: "SIGNDOC_E_OAUTH_MALFORMED",
    name: "malformed_token_answer",
    category: Category::Protocol,
    class: "OAuthError",
    http_status: None,
    retryable: false,
    summary: "the token endpoint's answer is not an OAuth 2.0 answer",
    advice: "check that the issuer is right and that no proxy answers in its place; the raw answer is carried by this error",
    source: RFC6749,
};

pub(crate) const AUTHORIZE_INVALID_REQUEST: Spec = Spec {
    constant: "SIGNDOC_E_AUTHORIZE_INVALID_REQUEST",
    name: "invalid_request",
    category: Category::Login,
    class: "LoginError",
    http_status: None,
    retryable: false,
    summary: "the authorize request lacks a parameter or has an invalid value",
    advice: "check client_id, redirect_uri (exactly as registered) and sign_id, then start a new login",
    source: AUTHORIZE,
};

pub(crate) const AUTHORIZE_ACCESS_DENIED: Spec = Spec {
    constant: "SIGNDOC_E_AUTHORIZE_ACCESS_DENIED",
    name: "access_denied",
    category: Category::Login,
    class: "LoginError",
    http_status: None,
    retryable: false,
    summary: "the user denied the request or did not complete the signing",
    advice: "tell the user that nothing was signed, and offer to start again with a new order",
    source: AUTHORIZE,
};

pub(crate) const AUTHORIZE_UNSUPPORTED_RESPONSE_TYPE: Spec = Spec {
    constant: "SIGNDOC_E_AUTHORIZE_UNSUPPORTED_RESPONSE_TYPE",
    name: "unsupported_response_type",
    category: Category::Login,
    class: "LoginError",
    http_status: None,
    retryable: false,
    summary: "the identity provider does not support the response type asked for",
    advice: "check that the issuer is the intended one; only response_type=code is used",
    source: AUTHORIZE,
};

pub(crate) const AUTHORIZE_INVALID_SCOPE: Spec = Spec {
    constant: "SIGNDOC_E_AUTHORIZE_INVALID_SCOPE",
    name: "invalid_scope",
    category: Category::Login,
    class: "LoginError",
    http_status: None,
    retryable: false,
    summary: "the scope of the login is unknown or not granted to the client",
    advice: "ask support to enable the scope sign for this client, then start a new login",
    source: AUTHORIZE,
};

pub(crate) const AUTHORIZE_SERVER_ERROR: Spec = Spec {
    constant: "SIGNDOC_E_AUTHORIZE_SERVER_ERROR",
    name: "server_error",
    category: Category::Login,
    class: "LoginError",
    http_status: None,
    retryable: false,
    summary: "the identity provider met an unexpected condition during the login",
    advice: "start a new login after a short delay; contact support if it persists",
    source: AUTHORIZE,
};

pub(crate) const AUTHORIZE_TEMPORARILY_UNAVAILABLE: Spec = Spec {
    constant: "SIGNDOC_E_AUTHORIZE_TEMPORARILY_UNAVAILABLE",
    name: "temporarily_unavailable",
    category: Category::Login,
    class: "LoginError",
    http_status: None,
    retryable: false,
    summary: "the identity provider is temporarily unavailable",
    advice: "start a new login after a short delay",
    source: AUTHORIZE,
};

pub(crate) const AUTHORIZE_UNKNOWN: Spec = Spec {
    constant: "SIGNDOC_E_AUTHORIZE_UNKNOWN",
    name: "unknown_authorize_error",
    category: Category::Login,
    class: "LoginError",
    http_status: None,
    retryable: false,
    summary: "the login ended with an error the interface does not name",
    advice: "look at the error and description in the callback, which this error carries, and start a new login",
    source: AUTHORIZE,
};
