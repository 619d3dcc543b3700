//! The shared library's name for the dynamic linker, and that it stays loaded.

use std::env;

/// Rises with every change that breaks programs built against an older header; equal to
/// `SIGNDOC_ABI_VERSION`, which a test compares.
const ABI: u32 = 0;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libsigndoc.so.{ABI}");
        // The library's threads run its code until the process ends, also after a dlclose.
        println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
    }
}
