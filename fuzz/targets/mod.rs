//! What is fuzzed: one module for each target, the same for libFuzzer and for the smoke run on a
//! stable compiler (`signature/tests/smoke.rs`).
//!
//! Every module has `seeds` (valid input, made in code), `WORDS` (pieces that mutations put in)
//! and `run`, which panics when the code under test does, or when it answers what it must not.
//! It tells whether the input was found good, so that a target that refuses everything is noticed.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    missing_docs,
    reason = "test code; helpers count as outside of tests"
)]

pub mod cms;
pub mod container;
pub mod kit;
pub mod pdf_reader;
pub mod preflight;
pub mod revocation;
pub mod sdo;
pub mod sign;
#[allow(dead_code, reason = "shared with other tests, which use more of it")]
#[path = "../../signature/tests/common/signing.rs"]
pub mod signing;
pub mod tsp;
pub mod verify;

/// One target with everything that belongs to it.
pub struct Target {
    pub name: &'static str,
    pub seeds: fn() -> Vec<Vec<u8>>,
    pub words: &'static [&'static [u8]],
    /// Whether the input was found good: read, signed or verified, as the target has it.
    pub run: fn(&[u8]) -> bool,
}

/// All targets that need nothing but the signature room.
#[rustfmt::skip]
pub const TARGETS: [Target; 9] = [
    Target { name: "pdf_reader", seeds: pdf_reader::seeds, words: pdf_reader::WORDS, run: pdf_reader::run },
    Target { name: "preflight", seeds: preflight::seeds, words: pdf_reader::WORDS, run: preflight::run },
    Target { name: "sign", seeds: sign::seeds, words: pdf_reader::WORDS, run: sign::run },
    Target { name: "verify", seeds: verify::seeds, words: pdf_reader::WORDS, run: verify::run },
    Target { name: "cms", seeds: cms::seeds, words: cms::WORDS, run: cms::run },
    Target { name: "tsp", seeds: tsp::seeds, words: cms::WORDS, run: tsp::run },
    Target { name: "revocation", seeds: revocation::seeds, words: cms::WORDS, run: revocation::run },
    Target { name: "sdo", seeds: sdo::seeds, words: sdo::WORDS, run: sdo::run },
    Target { name: "container", seeds: container::seeds, words: container::WORDS, run: container::run },
];
