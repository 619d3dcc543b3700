//! The program `signdoc`.

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};
use std::thread;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level;

/// So many signals end the program even while it holds the only copy of something: it hangs.
const ENOUGH: usize = 5;

fn main() {
    let count = Arc::new(AtomicUsize::new(0));
    let last = Arc::new(AtomicI32::new(0));
    // Without handlers a signal ends the program as it would any other: nothing to report.
    if let Ok(mut signals) = Signals::new([SIGINT, SIGTERM]) {
        let (count, last) = (count.clone(), last.clone());
        let listen = move || {
            for signal in signals.forever() {
                last.store(signal, Ordering::SeqCst);
                let so_far = count.fetch_add(1, Ordering::SeqCst) + 1;
                // The second one ends the program at once, whatever holds it up.
                if so_far >= ENOUGH || so_far > 1 && !signdoc_cli::is_held() {
                    low_level::exit(128 + signal);
                }
            }
        };
        let _ = thread::Builder::new().name("signals".to_owned()).spawn(listen);
    }
    let stops = || count.load(Ordering::SeqCst);
    let status = signdoc_cli::run_counting(std::env::args_os(), &stops);
    let terminated = last.load(Ordering::SeqCst) == SIGTERM;
    std::process::exit(match status {
        signdoc_cli::exit::INTERRUPTED if terminated => signdoc_cli::exit::TERMINATED,
        status => status,
    });
}
