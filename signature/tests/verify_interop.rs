//! Attacks and honest files made with pyHanko and pikepdf, judged by us beside pyHanko and pdfsig.
//!
//! The work is done by `tests/interop/run.py`; the tables it checks are in
//! `docs/verification.md`.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "test code; helpers count as outside of tests"
)]

use std::path::{Path, PathBuf};
use std::process::Command;

/// The example program that the script runs, built when it is not there.
fn program() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    // target/debug/deps/this -> target/debug/examples/verify
    let profile = test.ancestors().nth(2).unwrap();
    let program = profile.join("examples").join(format!("verify{}", std::env::consts::EXE_SUFFIX));
    let mut build = Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned()));
    build.args(["build", "--quiet", "--example", "verify"]);
    build.arg("--target-dir").arg(profile.parent().unwrap());
    if profile.ends_with("release") {
        build.arg("--release");
    }
    let built = build.current_dir(env!("CARGO_MANIFEST_DIR")).status().unwrap();
    assert!(built.success() && program.exists(), "{} cannot be built", program.display());
    program
}

#[test]
fn attacks_are_caught_and_honest_files_raise_no_alarm() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let script = root.join("tests/interop/run.py");
    let python = std::env::var("SIGNDOC_JUDGE_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    // Ask before anything is built.
    let asked = Command::new(&python).arg(&script).arg("--help").output();
    match asked {
        Ok(asked) if asked.status.success() => {}
        Ok(asked) => {
            let text = String::from_utf8_lossy(&asked.stdout).into_owned();
            println!("not run with {python} (SIGNDOC_JUDGE_PYTHON): {}", text.trim());
            assert_eq!(asked.status.code(), Some(3), "{asked:?}");
            return;
        }
        Err(error) => {
            println!("not run: {python} (SIGNDOC_JUDGE_PYTHON) does not start: {error}");
            return;
        }
    }
    let corpus = std::env::var_os("SIGNDOC_CORPUS")
        .map_or_else(|| root.join("../shared/corpus"), PathBuf::from);
    let run = Command::new(&python)
        .arg(&script)
        .arg("--program")
        .arg(program())
        .arg("--corpus")
        .arg(corpus)
        .output()
        .unwrap();
    let text = [run.stdout, run.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    println!("{text}");
    assert!(run.status.success(), "{text}");
}
