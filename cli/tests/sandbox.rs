//! `signdoc sandbox`, `signdoc samples` and `signdoc demo`.
#![allow(missing_docs)]
// Clippy's leave for tests does not reach what tests share.
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used)]

mod common;

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use common::{listed, output_of, program, ran, run, signal, spawn, text};
use serde_json::Value;

/// A sandbox as another language starts it, and what it says when it is ready.
fn started(arguments: &[&str]) -> (Child, Value) {
    let mut command = program(&["sandbox"]);
    command.args(arguments).stdin(Stdio::piped());
    let mut child = spawn(command);
    let mut line = String::new();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    output.read_line(&mut line).unwrap();
    child.stdout = Some(output.into_inner());
    (child, serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}")))
}

fn ends(mut child: Child) -> i32 {
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code().expect("it ends by itself");
        }
        if begun.elapsed() > Duration::from_secs(60) {
            child.kill().unwrap();
            panic!("the sandbox does not end");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn it_tells_where_it_is_and_ends_with_its_input() {
    let (mut child, ready) = started(&["--environment", "test", "--client-id", "shop"]);
    assert_eq!(ready["client_id"], "shop");
    assert_eq!(ready["environment"], "test");
    let folder = tempfile::tempdir().unwrap();
    let loan = common::pdf(folder.path(), "loan.pdf");
    let mut command = program(&["convert", &loan, "-o", &text(&output_of(&folder))]);
    for (name, key) in
        [("ISSUER", "issuer"), ("CLIENT_ID", "client_id"), ("CLIENT_SECRET", "client_secret")]
    {
        command.env(format!("SIGNDOC_{name}"), ready[key].as_str().unwrap());
    }
    let refused = run(command).ended(8);
    assert!(refused.stderr.contains("(DISABLED)"), "{}", refused.stderr);
    drop(child.stdin.take());
    let mut said = child.stderr.take().unwrap();
    assert_eq!(ends(child), 0);
    let mut shown = String::new();
    std::io::Read::read_to_string(&mut said, &mut shown).unwrap();
    assert!(!shown.contains("export"), "that is for a person at a terminal: {shown}");
}

#[test]
fn what_a_terminal_is_told_reaches_both_addresses() {
    let (mut child, ready) = started(&["--environment", "test", "--two-addresses"]);
    assert_ne!(ready["base_url"], ready["orders_url"]);
    let mut command = program(&["check", "--json"]);
    for (name, key) in [
        ("ISSUER", "issuer"),
        ("BASE_URL", "base_url"),
        ("CLIENT_ID", "client_id"),
        ("CLIENT_SECRET", "client_secret"),
    ] {
        command.env(format!("SIGNDOC_{name}"), ready[key].as_str().unwrap());
    }
    let told = run(command).ended(0).json();
    for (name, key) in [("service", "base_url"), ("orders", "orders_url")] {
        let points = told["points"].as_array().unwrap();
        let point = points.iter().find(|point| point["name"] == name).unwrap();
        let at = ready[key].as_str().unwrap();
        assert!(point["detail"].as_str().unwrap().contains(at), "{key}: {told:#}");
    }
    drop(child.stdin.take());
    assert_eq!(ends(child), 0);
}

#[test]
fn it_speaks_https_and_the_doctor_tells_what_is_wrong_with_it() {
    for (kind, status, detail) in [("valid", 0, " answers"), ("expired", 5, "expired")] {
        let (mut child, ready) = started(&["--tls-certificate", kind]);
        assert!(ready["issuer"].as_str().unwrap().starts_with("https://"), "{ready}");
        let mut command = program(&["check", "--json"]);
        for (name, key) in [
            ("ISSUER", "issuer"),
            ("CLIENT_ID", "client_id"),
            ("CLIENT_SECRET", "client_secret"),
            ("CA_FILE", "ca_file"),
        ] {
            command.env(format!("SIGNDOC_{name}"), ready[key].as_str().unwrap());
        }
        let told = run(command).ended(status).json();
        let points = told["points"].as_array().unwrap();
        let point = points.iter().find(|point| point["name"] == "discovery").unwrap();
        assert!(point["detail"].as_str().unwrap().contains(detail), "{kind}: {told:#}");
        drop(child.stdin.take());
        assert_eq!(ends(child), 0);
    }
    let unknown = run(program(&["sandbox", "--tls-certificate", "odd"])).ended(2);
    assert!(unknown.stderr.contains("unknown-ca"), "{}", unknown.stderr);
}

#[test]
fn ctrl_c_and_terminate_end_it_even_when_kept() {
    for name in ["INT", "TERM"] {
        let (mut child, _) = started(&["--keep"]);
        drop(child.stdin.take());
        std::thread::sleep(Duration::from_millis(200));
        assert!(child.try_wait().unwrap().is_none(), "--keep outlives its input");
        signal(&child, name);
        assert_eq!(ends(child), 0);
    }
}

#[test]
fn a_seed_makes_its_secret_repeat() {
    let secret = || {
        let (mut child, ready) = started(&["--seed", "7"]);
        drop(child.stdin.take());
        assert_eq!(ends(child), 0);
        ready["client_secret"].as_str().unwrap().to_owned()
    };
    assert_eq!(secret(), secret());
}

#[test]
fn a_taken_port_is_told() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let ran = run(program(&["sandbox", "--port", &port])).ended(1);
    assert!(ran.stderr.contains(&port), "{}", ran.stderr);
}

#[test]
fn samples_are_written_once() {
    let folder = tempfile::tempdir().unwrap();
    let out = output_of(&folder);
    let arguments = ["samples", "-o", &text(&out)];
    let first = run(program(&arguments)).ended(0);
    let names = listed(&out);
    assert!(names.len() >= 6, "{names:?}");
    assert!(names.iter().all(|name| first.stdout.contains(name.as_str())));
    assert!(first.stdout.contains("3.75 MB"));
    let again = run(program(&arguments)).ended(3);
    assert!(again.stderr.contains("(destination_exists)"), "{}", again.stderr);
    let mut overwriting = program(&arguments);
    overwriting.args(["--overwrite", "--json"]);
    let told = run(overwriting).ended(0).json();
    assert_eq!(told["samples"].as_array().unwrap().len(), names.len());
    let size = told["samples"][0]["size"].as_u64().unwrap();
    let path = told["samples"][0]["path"].as_str().unwrap();
    assert_eq!(std::fs::metadata(path).unwrap().len(), size);
}

#[test]
fn the_demonstration_ends_well_without_a_converter() {
    let folder = tempfile::tempdir().unwrap();
    let out = text(&output_of(&folder));
    let shown = run(program(&["demo", "-o", &out, "--no-converter"])).ended(0);
    assert!(shown.stdout.contains("\nnot converted: no converter"), "{}", shown.stdout);
    assert!(shown.stdout.contains("loan-agreement.pdf"));
    assert!(listed(&output_of(&folder).join("converted")).is_empty());
    assert_eq!(shown.stderr, "");
}

#[test]
fn the_demonstration_shows_what_the_samples_promise() {
    let folder = tempfile::tempdir().unwrap();
    let out = output_of(&folder);
    for _ in 0..2 {
        let mut command = program(&["demo", "--json", "-o", &text(&out)]);
        let told = ran(command.output().unwrap()).ended(0).json();
        let results = told["results"].as_array().unwrap();
        assert!(results.len() >= 6);
        let Some(converter) = told["converter"].as_str() else {
            println!("no converter is installed: only the ending is checked");
            return;
        };
        println!("converter: {converter}");
        let of = |name: &str| {
            let same = |result: &&Value| result["document"].as_str().unwrap().ends_with(name);
            results.iter().find(same).unwrap_or_else(|| panic!("no {name}"))
        };
        assert_eq!(of("loan-agreement.pdf")["status"], "converted");
        assert_eq!(of("standard-font.pdf")["warnings"][0]["code"], "FONT_SUBST");
        assert_eq!(of("already-signed.pdf")["errors"][0]["code"], "DOC_SIGNED");
        assert_eq!(of("corrupt.pdf")["errors"][0]["code"], "CORRUPT");
        let written = listed(&out.join("converted"));
        let done = results.iter().filter(|result| result["status"] == "converted").count();
        assert_eq!(written.len(), done);
    }
}
