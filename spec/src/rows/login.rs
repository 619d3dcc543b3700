//! Rows of the redirect login and of ID-token verification.

use super::Spec;
use crate::Category;

const OURS: &str = "this library";
const IDT: &str = "OpenID Connect Core 1.0, section 3.1.3.7";
const CSRF: &str = "RFC 6749, section 10.12";
const FORGED: &str = "do not treat the user as identified; check that issuer and client_id are those the login was started with, then start a new login; the signed document can still be fetched by its sign_id within its window";

pub(crate) const LOGIN_STATE_MISMATCH: Spec = Spec {
    constant: "SIGNDOC_E_LOGIN_STATE_MISMATCH",
    name: "login_state_mismatch",
    category: Category::Login,
    class: "LoginError",
    http_status: None,
    retryable: false,
    summary: "the callback's state is not the state this login was started with",
    advice: "ignore the callback: it belongs to another login or was forged; match callbacks to logins by your own session",
    source: CSRF,
};

pub(crate) const LOGIN_TOKEN_INVALID: Spec = Spec {
    constant: "SIGNDOC_E_LOGIN_TOKEN_INVALID",
    name: "login_token_invalid",
    category: Category::Login,
    class: "LoginError",
    http_status: None,
    retryable: false,
    summary: "the saved login is damaged, or sealed with another key",
    advice: "pass the text that to_token gave, unchanged, and use the same client secret or state_key in every process",
    source: OURS,
};

pub(crate) const LOGIN_CALLBACK_INCOMPLETE: Spec = Spec {
    constant: "SIGNDOC_E_LOGIN_CALLBACK_INCOMPLETE",
    name: "login_callback_incomplete",
    category: Category::Login,
    class: "LoginError",
    http_status: None,
    retryable: false,
    summary: "the callback carries neither a code nor an error",
    advice: "pass the whole callback address with its query, or all fields of its form",
    source: "RFC 6749, section 4.1.2",
};

pub(crate) const ID_TOKEN_MALFORMED: Spec = Spec {
    constant: "SIGNDOC_E_ID_TOKEN_MALFORMED",
    name: "id_token_malformed",
    category: Category::Login,
    class: "IdTokenError",
    http_status: None,
    retryable: false,
    summary: "the ID token is missing or cannot be read",
    advice: "check that the login's scope includes openid; contact support if it persists",
    source: "RFC 7519, section 7.2",
};

pub(crate) const ID_TOKEN_SIGNATURE: Spec = Spec {
    constant: "SIGNDOC_E_ID_TOKEN_SIGNATURE",
    name: "id_token_signature",
    category: Category::Login,
    class: "IdTokenError",
    http_status: None,
    retryable: false,
    summary: "the ID token's signature is not valid",
    advice: FORGED,
    source: "RFC 7515, section 5.2",
};

pub(crate) const ID_TOKEN_ALGORITHM: Spec = Spec {
    constant: "SIGNDOC_E_ID_TOKEN_ALGORITHM",
    name: "id_token_algorithm",
    category: Category::Login,
    class: "IdTokenError",
    http_status: None,
    retryable: false,
    summary: "the ID token is signed with an algorithm that is not accepted",
    advice: FORGED,
    source: IDT,
};

pub(crate) const ID_TOKEN_KEY_UNKNOWN: Spec = Spec {
    constant: "SIGNDOC_E_ID_TOKEN_KEY_UNKNOWN",
    name: "id_token_key_unknown",
    category: Category::Login,
    class: "IdTokenError",
    http_status: None,
    retryable: false,
    summary: "the ID token is signed with a key the identity provider does not publish",
    advice: FORGED,
    source: "OpenID Connect Core 1.0, section 10.1.1",
};

pub(crate) const ID_TOKEN_ISSUER: Spec = Spec {
    constant: "SIGNDOC_E_ID_TOKEN_ISSUER",
    name: "id_token_issuer",
    category: Category::Login,
    class: "IdTokenError",
    http_status: None,
    retryable: false,
    summary: "the ID token comes from another issuer",
    advice: FORGED,
    source: IDT,
};

pub(crate) const ID_TOKEN_AUDIENCE: Spec = Spec {
    constant: "SIGNDOC_E_ID_TOKEN_AUDIENCE",
    name: "id_token_audience",
    category: Category::Login,
    class: "IdTokenError",
    http_status: None,
    retryable: false,
    summary: "the ID token was made for another client",
    advice: FORGED,
    source: IDT,
};

pub(crate) const ID_TOKEN_EXPIRED: Spec = Spec {
    constant: "SIGNDOC_E_ID_TOKEN_EXPIRED",
    name: "id_token_expired",
    category: Category::Login,
    class: "IdTokenError",
    http_status: None,
    retryable: false,
    summary: "the ID token has expired",
    advice: "check this machine's clock; then start a new login",
    source: IDT,
};

pub(crate) const ID_TOKEN_ISSUED_IN_FUTURE: Spec = Spec {
    constant: "SIGNDOC_E_ID_TOKEN_ISSUED_IN_FUTURE",
    name: "id_token_issued_in_future",
    category: Category::Login,
    class: "IdTokenError",
    http_status: None,
    retryable: false,
    summary: "the ID token was issued in the future",
    advice: "check this machine's clock; then start a new login",
    source: IDT,
};

pub(crate) const ID_TOKEN_NONCE: Spec = Spec {
    constant: "SIGNDOC_E_ID_TOKEN_NONCE",
    name: "id_token_nonce",
    category: Category::Login,
    class: "IdTokenError",
    http_status: None,
    retryable: false,
    summary: "the ID token's nonce is not the nonce of this login",
    advice: FORGED,
    source: IDT,
};

pub(crate) const ID_TOKEN_AUTHORIZED_PARTY: Spec = Spec {
    constant: "SIGNDOC_E_ID_TOKEN_AUTHORIZED_PARTY",
    name: "id_token_authorized_party",
    category: Category::Login,
    class: "IdTokenError",
    http_status: None,
    retryable: false,
    summary: "the ID token's authorized party is another client",
    advice: FORGED,
    source: IDT,
};

pub(crate) const LOGIN_REPLAYED: Spec = Spec {
    constant: "SIGNDOC_E_LOGIN_REPLAYED",
    name: "login_replayed",
    category: Category::Login,
    class: "LoginError",
    http_status: None,
    retryable: false,
    summary: "this login was already finished",
    advice: "finish each login once; for another identification start a new login",
    source: CSRF,
};

pub(crate) const LOGIN_EXPIRED: Spec = Spec {
    constant: "SIGNDOC_E_LOGIN_EXPIRED",
    name: "login_expired",
    category: Category::Login,
    class: "LoginError",
    http_status: None,
    retryable: false,
    summary: "the saved login is older than it may be",
    advice: "begin a new login; saved logins may be used for as long as login_lifetime says",
    source: OURS,
};
