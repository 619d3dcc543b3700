//! `signdoc explain`, usage, help and version, as a person meets them.
#![allow(missing_docs)]

mod common;

use common::{program, run};

#[test]
fn a_word_shows_all_its_rows() {
    let ran = run(program(&["explain", "invalid_request"])).ended(0);
    for constant in ["OAUTH", "AUTHORIZE", "CSC"] {
        assert!(ran.stdout.contains(&format!("SIGNDOC_E_{constant}_INVALID_REQUEST")));
    }
    assert_eq!(ran.stderr, "");
}

#[test]
fn numbers_constants_and_the_services_text_are_understood() {
    for word in ["505", "disabled", "SIGNDOC_E_CONVERSION_DISABLED", "PDF conversion is disabled"] {
        let ran = run(program(&["explain", word])).ended(0);
        assert!(ran.stdout.starts_with("505  DISABLED"), "{word}: {}", ran.stdout);
        assert!(ran.stdout.contains("what to do"));
    }
    let words = run(program(&["explain", "Document", "contains", "signatures."])).ended(0);
    assert!(words.stdout.starts_with("502  DOC_SIGNED"));
    let warning = run(program(&["explain", "FONT_SUBST"])).ended(0);
    assert!(warning.stdout.contains("embed all fonts"));
}

#[test]
fn json_is_one_document_with_the_fields_of_the_table() {
    let found = run(program(&["explain", "--json", "token_already_used"])).ended(0).json();
    assert_eq!(found["codes"][0]["number"], 708);
    assert_eq!(found["codes"][0]["constant"], "SIGNDOC_E_CSC_TOKEN_ALREADY_USED");
    assert_eq!(found["codes"][0]["exit_status"], 4);
    assert_eq!(found["warnings"].as_array().unwrap().len(), 0);
    let all = run(program(&["explain", "--json"])).ended(0).json();
    assert_eq!(all["codes"].as_array().unwrap().len(), signdoc_spec::Code::ALL.len());
    assert_eq!(all["warnings"].as_array().unwrap().len(), 8);
}

/// The program shows what the table that every language is made from says.
#[test]
fn json_agrees_with_the_vectors() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/vectors/errors.json");
    let table = std::fs::read_to_string(path).expect("the table is part of the project");
    let table: serde_json::Value = serde_json::from_str(&table).unwrap();
    let mut shown = run(program(&["explain", "--json"])).ended(0).json();
    for row in shown["codes"].as_array_mut().unwrap() {
        assert!(row.as_object_mut().unwrap().remove("exit_status").is_some());
    }
    assert_eq!(shown["codes"], table["codes"]);
    assert_eq!(shown["warnings"], table["warnings"]);
}

#[test]
fn an_unknown_word_is_answered_with_its_neighbours() {
    let ran = run(program(&["explain", "doc_singed"])).ended(2);
    assert_eq!(ran.stdout, "");
    assert!(ran.stderr.contains("DOC_SIGNED"), "{}", ran.stderr);
    let ran = run(program(&["explain", "1234567"])).ended(2);
    assert!(ran.stderr.contains("901"), "{}", ran.stderr);
}

#[test]
fn without_a_word_everything_is_listed() {
    let ran = run(program(&["explain"])).ended(0);
    for word in ["missing_option", "invalid_client", "DISABLED", "window_expired", "FONT_SUBST"] {
        assert!(ran.stdout.contains(word), "{word}");
    }
}

#[test]
fn a_reader_that_leaves_early_is_no_failure() {
    let mut command = program(&["explain"]);
    let mut child = command.spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(output.stderr, b"");
}

#[test]
fn output_that_cannot_be_written_is_a_failure() {
    let Ok(full) = std::fs::OpenOptions::new().write(true).open("/dev/full") else {
        println!("not run: this system has no /dev/full");
        return;
    };
    let mut command = program(&["explain", "--json"]);
    command.stdout(full);
    let ran = run(command).ended(1);
    assert!(ran.stderr.contains("standard output cannot be written"), "{}", ran.stderr);
}

#[test]
fn usage_errors_end_with_two() {
    for arguments in [
        &[][..],
        &["fly"],
        &["convert"],
        &["convert", "a.pdf"],
        &["convert", "-o", "out"],
        &["convert", "a.pdf", "-o", "out", "--max-retires", "1"],
        &["convert", "a.pdf", "-o", "out", "--client-secret", "x"],
        &["sandbox", "--port", "70000"],
        &["sandbox", "--environment", "staging"],
        &["samples"],
    ] {
        let ran = run(program(arguments)).ended(2);
        assert!(!ran.stderr.is_empty(), "{arguments:?}");
        assert_eq!(ran.stdout, "");
    }
}

#[test]
fn help_and_version() {
    let version = run(program(&["--version"])).ended(0);
    assert_eq!(version.stdout, format!("signdoc {}\n", env!("CARGO_PKG_VERSION")));
    let help = run(program(&["--help"])).ended(0);
    for command in ["demo", "convert", "explain", "sandbox", "samples"] {
        assert!(help.stdout.contains(&format!("\n  {command} ")), "{}", help.stdout);
        let own = run(program(&[command, "--help"])).ended(0);
        assert!(own.stdout.contains("Example"), "{command}");
        assert!(own.stdout.lines().all(|line| line.chars().count() <= 100), "{command}");
    }
    assert!(help.stdout.contains("Exit status:"));
}

/// The Python package calls the program as a function.
#[test]
fn the_function_gives_the_status_and_stays_alive() {
    let call = |arguments: &[&str]| signdoc_cli::run(arguments.iter().map(Into::into));
    assert_eq!(call(&["signdoc", "explain", "no such word"]), 2);
    assert_eq!(
        call(&["/usr/local/bin/signdoc", "convert", "a.pdf", "-o", "/tmp", "--issuer", "x"]),
        2
    );
    assert_eq!(call(&["signdoc", "fly"]), 2);
    assert_eq!(call(&[]), 2);
}
