//! The identity provider: where it is, and the tokens it gives.

mod client_auth;
mod discovery;
mod flight;
mod id_token;
mod jwks;
mod login;
mod login_callback;
mod login_seal;
mod signing_key;
mod token;

#[cfg(feature = "signing")]
pub(crate) use self::{
    login::{challenge_of, check_redirect, check_state, random_text, replayed, spent_once},
    login_seal::{open as open_login, seal as seal_login},
    token::{seconds, token_error},
};
pub(crate) use discovery::Discovery;
pub use discovery::ProviderMetadata;
pub(crate) use jwks::JwksCache;
pub use login::{FinishOptions, Identity, Login, LoginCheck, LoginOptions, LoginStore, Logins};
pub use login_callback::Callback;
pub(crate) use signing_key::{Algorithm, SigningKey};
pub(crate) use token::{AccessToken, TokenCache};
