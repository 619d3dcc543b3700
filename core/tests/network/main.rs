//! The network as companies have it, against real servers on loopback: TLS with one's own
//! authorities and client certificates, forward proxies, assertions by key, and time limits.
// helpers outside of test functions are test code as well
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/provider.rs"]
mod provider;
#[path = "../common/server.rs"]
mod server;

mod environment;
mod key_set;
mod keys;
mod limits;
mod proxy;
mod support;
mod tinyproxy;
mod tls;
mod tls_front;
