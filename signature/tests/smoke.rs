//! The fuzz targets of `fuzz/` on a stable compiler: seeds and changed seeds, bounded by the number
//! of executions (`SIGNDOC_SMOKE_EXECUTIONS` sets it), not by time.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "test code; helpers count as outside of tests"
)]

#[path = "../../fuzz/targets/driver.rs"]
mod driver;
#[path = "../../fuzz/targets/mod.rs"]
mod targets;

use targets::TARGETS;

fn smoke(name: &str, default: usize) {
    let target = TARGETS.iter().find(|target| target.name == name).unwrap();
    driver::smoke(name, default, &(target.seeds)(), target.words, target.run);
}

/// One test for each target, with its number of executions.
macro_rules! smoke_tests {
    ($($name:ident $executions:literal,)*) => {
        $(
            #[test]
            fn $name() {
                smoke(stringify!($name), $executions);
            }
        )*

        #[test]
        fn every_target_is_run() {
            let run = [$(stringify!($name)),*];
            let all = TARGETS.map(|target| target.name);
            assert_eq!(run, all);
        }
    };
}

smoke_tests! {
    pdf_reader 10_000,
    preflight 15_000,
    sign 3_000,
    verify 4_000,
    cms 15_000,
    tsp 20_000,
    revocation 50_000,
    sdo 10_000,
    container 5_000,
}
