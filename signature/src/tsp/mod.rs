//! Timestamps (RFC 3161): asking for them, reading and checking them.

mod request;
mod token;

pub use request::{TimestampRequest, parse_response, wrap_token};
pub use token::{TimestampToken, TimestampTrust, TimestampVerification};
