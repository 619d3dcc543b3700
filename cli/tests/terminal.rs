//! What differs on a terminal: colours, the progress bar, the width.
#![allow(missing_docs)]
// Clippy's leave for tests does not reach what tests share.
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used)]

mod common;

use std::process::{Command, Stdio};

use common::{CONVERT, client, converted, output_of, pdf, program, sandbox, text};
use serde_json::json;
use signdoc_sandbox::{Fault, Rule};

/// Runs `command` on a terminal of its own (util-linux `script`) and gives all that it showed;
/// nothing where there is no such program.
fn on_a_terminal(command: &Command, columns: u32) -> Option<String> {
    let version = Command::new("script").arg("--version").output();
    if !version.is_ok_and(|told| String::from_utf8_lossy(&told.stdout).contains("util-linux")) {
        println!("not run: util-linux `script`, which makes a terminal, is not installed");
        return None;
    }
    let quoted = |part: &std::ffi::OsStr| format!("'{}'", part.to_str().unwrap());
    let words: Vec<_> =
        std::iter::once(command.get_program()).chain(command.get_args()).map(quoted).collect();
    let line = format!("stty cols {columns} rows 40; {}", words.join(" "));
    let mut script = Command::new("script");
    script.args(["--quiet", "--return", "--command", &line, "/dev/null"]);
    script.env("TERM", "xterm").env_remove("NO_COLOR").stdin(Stdio::null());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => script.env(name, value),
            None => script.env_remove(name),
        };
    }
    let output = script.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stdout));
    Some(String::from_utf8(output.stdout).unwrap())
}

#[test]
fn colours_are_for_terminals_that_want_them() {
    let mut command = program(&["explain", "DOC_SIGNED"]);
    let Some(shown) = on_a_terminal(&command, 100) else { return };
    assert!(shown.contains("\x1b[1m502  DOC_SIGNED\x1b[0m"), "{shown}");
    for (name, value) in [("NO_COLOR", "1"), ("TERM", "dumb")] {
        let Some(shown) = on_a_terminal(command.env(name, value), 100) else { return };
        assert!(shown.contains("502  DOC_SIGNED") && !shown.contains('\x1b'), "{name}: {shown}");
        command.env_remove(name);
    }
}

#[test]
fn long_texts_are_folded_to_the_terminal() {
    let Some(shown) = on_a_terminal(&program(&["explain", "505"]), 60) else { return };
    assert!(shown.lines().all(|line| line.chars().count() < 80), "{shown}");
}

#[test]
fn a_bar_is_shown_while_a_call_is_under_way() {
    let (sandbox, folder) = (sandbox(), tempfile::tempdir().unwrap());
    let loan = pdf(folder.path(), "loan.pdf");
    let out = text(&output_of(&folder));
    let body = json!([converted(&[])]).to_string();
    let late = Fault::answer(200, "application/json", body);
    let rule = Rule::new(late).on("POST", CONVERT).forever().delay_ms(600);
    sandbox.faults().add(rule).unwrap();
    let arguments = ["convert", &loan, "-o", &out, "--overwrite"];
    let Some(shown) = on_a_terminal(&client(&sandbox, &arguments), 60) else { return };
    assert!(shown.contains("waiting for the conversion"), "{shown}");
    assert!(shown.contains("1 of 1 converted"), "{shown}");
    let results = shown.lines().find(|line| line.contains("yes")).unwrap();
    assert!(results.trim_end().ends_with("  loan.pdf"), "a path too long is cut: {results}");
    let mut quiet = client(&sandbox, &arguments);
    quiet.arg("--quiet");
    assert_eq!(on_a_terminal(&quiet, 60).as_deref().map(str::trim), Some(""));
}

#[test]
fn a_sandbox_tells_a_person_what_to_type() {
    let command = program(&["sandbox", "--client-secret", "it is secret", "--no-converter"]);
    let Some(shown) = on_a_terminal(&command, 100) else { return };
    let line = shown.lines().find(|line| line.starts_with('{')).unwrap();
    let ready: serde_json::Value = serde_json::from_str(line).unwrap();
    for (name, value) in [
        ("ISSUER", ready["issuer"].as_str().unwrap()),
        ("BASE_URL", ready["base_url"].as_str().unwrap()),
        ("CLIENT_ID", "sandbox-client"),
        ("CLIENT_SECRET", "'it is secret'"),
    ] {
        let wanted = format!("export SIGNDOC_{name}={value}");
        assert!(shown.lines().any(|line| line == wanted), "{wanted}\n{shown}");
    }
}
