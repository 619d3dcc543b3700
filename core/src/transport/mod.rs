//! The only door to the network.

mod connect;
mod encoding;
mod http;
mod proxy;
mod retry;
mod tls;
mod upload;

pub(crate) use connect::ConnectTimedOut;
pub(crate) use encoding::Coding;
pub(crate) use http::{Answer, Body, Request, Transport, deadline_passed};
#[cfg(feature = "signing")]
pub(crate) use retry::is_refused_for_now;
pub(crate) use retry::{Attempt, Repeat, decide, is_transient, is_unsent};
