//! The program `signdoc`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

fn main() {
    let signal = Arc::new(AtomicUsize::new(0));
    let again = Arc::new(AtomicBool::new(false));
    for wanted in [SIGINT, SIGTERM] {
        // Without a handler the signal ends the program as it would any other: nothing to report.
        // The second signal ends it at once, whatever holds it up; so this comes first.
        let _ = flag::register_conditional_shutdown(wanted, 128 + wanted, again.clone());
        let _ = flag::register(wanted, again.clone());
        let number = usize::try_from(wanted).unwrap_or_default();
        let _ = flag::register_usize(wanted, signal.clone(), number);
    }
    let came = || signal.load(Ordering::SeqCst);
    let status = signdoc_cli::run_until(std::env::args_os(), &|| came() != 0);
    let terminated = usize::try_from(SIGTERM).is_ok_and(|number| number == came());
    std::process::exit(match status {
        signdoc_cli::exit::INTERRUPTED if terminated => signdoc_cli::exit::TERMINATED,
        status => status,
    });
}
