//! The targets, for the fuzzing programs and for the writer of seeds.

#[path = "../targets/mod.rs"]
pub mod targets;
#[path = "../targets/wire_scan.rs"]
pub mod wire_scan;
