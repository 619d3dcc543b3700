//! The sandbox as a program of its own; `signdoc sandbox` does the same.

use std::process::ExitCode;

fn main() -> ExitCode {
    let code = signdoc_sandbox::run_child(std::env::args().skip(1));
    ExitCode::from(u8::try_from(code).unwrap_or(1))
}
