//! The program `signdoc`, as a library: the binary and the Python package both call [`run`].

mod args;
mod batch;
mod bundle;
mod call;
mod check;
mod connection;
mod convert;
mod csc;
mod demo;
pub mod exit;
mod explain;
mod extend;
mod inputs;
mod list;
mod order;
mod page;
mod per_document;
mod place;
mod preflight;
mod progress;
mod redirect;
mod report;
mod samples;
mod sandbox;
mod screen;
mod specs;
mod stop;
mod table;
mod verify;

use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};

use screen::Screen;
use stop::Stop;

pub use stop::is_held;

/// What tells a command to stop: asked about twenty times a second while a call is under way.
pub(crate) type Interrupted<'a> = &'a Stop<'a>;

/// Runs the program with `args` (the first is the program's name) and gives its exit status.
///
/// It never ends the process and never panics. Signals are left to the caller; use [`run_until`]
/// where one must be able to stop a call.
pub fn run(args: impl IntoIterator<Item = OsString>) -> i32 {
    run_until(args, &|| false)
}

/// As [`run`]; once `interrupted` says yes, the call under way is ended within 100 ms, no partial
/// file is left, and the status is [`exit::INTERRUPTED`].
///
/// Results of an order that the service has deleted are received all the same: only when
/// `interrupted` says no and then yes again are they given up.
///
/// `interrupted` is called on the caller's own thread.
pub fn run_until(args: impl IntoIterator<Item = OsString>, interrupted: &dyn Fn() -> bool) -> i32 {
    run_counting(args, &stop::counted(interrupted))
}

/// As [`run_until`], where `stops` says how often somebody has asked the program to stop so far.
pub fn run_counting(args: impl IntoIterator<Item = OsString>, stops: &dyn Fn() -> usize) -> i32 {
    let args: Vec<OsString> = args.into_iter().collect();
    let outcome = catch_unwind(AssertUnwindSafe(|| dispatch(args, &Stop::new(stops))));
    outcome.unwrap_or_else(|_| {
        Screen::new().problem("this is a defect of the program; please report it");
        exit::FAILED
    })
}

fn dispatch(args: Vec<OsString>, interrupted: Interrupted<'_>) -> i32 {
    let mut screen = Screen::new();
    let matches = match args::command().try_get_matches_from(args) {
        Ok(matches) => matches,
        Err(told) => {
            // Nobody is left to hear that the reader of the output is gone.
            let _ = told.print();
            return told.exit_code();
        }
    };
    let status = match matches.subcommand() {
        Some(("convert", matches)) => convert::run(matches, &mut screen, interrupted),
        Some(("check", matches)) => check::run(matches, &mut screen, interrupted),
        Some(("preflight", matches)) => preflight::run(matches, &mut screen, interrupted),
        Some(("sign", matches)) => order::sign::run(matches, &mut screen, interrupted),
        Some(("download", matches)) => order::download::run(matches, &mut screen, interrupted),
        Some(("state", matches)) => order::state::run(matches, &mut screen, interrupted),
        Some(("discard", matches)) => order::discard::run(matches, &mut screen, interrupted),
        Some(("recover", matches)) => order::recover::run(matches, &mut screen, interrupted),
        Some(("specs", matches)) => specs::run(matches, &mut screen, interrupted),
        Some(("csc", matches)) => csc::run(matches, &mut screen, interrupted),
        Some(("bundle", matches)) => bundle::run(matches, &mut screen, interrupted),
        Some(("verify", matches)) => verify::run(matches, &mut screen, interrupted),
        Some(("extend", matches)) => extend::run(matches, &mut screen, interrupted),
        Some(("demo", matches)) => demo::run(matches, &mut screen, interrupted),
        Some(("samples", matches)) => samples::run(matches, &mut screen),
        Some(("sandbox", matches)) => sandbox::run(matches),
        Some(("explain", matches)) => explain::run(matches, &mut screen),
        _ => exit::USAGE,
    };
    order::linger(&mut screen, interrupted);
    screen.close(status)
}
