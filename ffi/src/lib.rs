//! libsigndoc: the C ABI over the core.
//!
//! Every exported function is one [`guard::Entry`]: no panic gets past it, and what the caller
//! gives is checked there. `include/signdoc.h` and `include/signdoc.symbols` are made from this
//! crate by `cargo xtask header`, comments included; the rules for callers stand in
//! `cbindgen.toml`, which puts them at the top of the header.

// The types bear their C names.
#![allow(non_camel_case_types)]
// No Rust code can call a cdylib: the rules of the header are the safety section of all functions.
#![allow(clippy::missing_safety_doc)]

mod abi;
mod error;
mod options;

mod answer;
mod call;
mod client;

mod conversion;
mod documents;
mod reader;
mod results;
mod writer;

mod csc;
mod csc_request;
mod download;
mod login;
mod order;
mod order_document;
mod order_request;

mod bundle;
mod extend;
mod preflight;
mod report;
mod verify;

mod guard;
mod handle;
mod loan;
mod view;
mod wait;
