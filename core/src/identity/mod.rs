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

pub(crate) use discovery::Discovery;
pub use discovery::ProviderMetadata;
pub(crate) use jwks::JwksCache;
pub use login::{FinishOptions, Identity, Login, LoginOptions, LoginStore, Logins};
pub use login_callback::Callback;
pub(crate) use signing_key::{Algorithm, SigningKey};
pub(crate) use token::{AccessToken, TokenCache};
