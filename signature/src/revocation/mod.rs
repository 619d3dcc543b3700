//! Was a certificate revoked? OCSP answers (RFC 6960) and revocation lists (RFC 5280, section 5),
//! both checked themselves before they are believed.

mod crl;
mod ocsp;
mod point;
mod signer;
mod status;

pub use crl::Crl;
pub use ocsp::{BasicResponse, ResponderId, unwrap_response, wrap_basic_response};
pub use status::{ChainContext, Evidence, Question, Revocation, Status, check};
