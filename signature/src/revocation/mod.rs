//! Was a certificate revoked? OCSP answers (RFC 6960) and revocation lists (RFC 5280, section 5),
//! both checked themselves before they are believed.

mod crl;
mod ocsp;
mod point;
mod request;
mod signer;
mod status;

pub use crl::Crl;
pub use ocsp::{BasicResponse, ResponderId, unwrap_response, wrap_basic_response};
#[cfg(feature = "pki")]
pub(crate) use request::cert_id;
pub use request::ocsp_request;
pub use status::{ChainContext, Evidence, Question, Revocation, Status, check};
