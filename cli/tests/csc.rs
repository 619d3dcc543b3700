//! `signdoc csc`: what a person does, with a browser played by the test.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use common::{Ran, client, run, sandbox, seen, text};
use signdoc_sandbox::{Action, Person, Sandbox, Visit, samples};
use signdoc_signature::verify::{VerifyOptions, verify_path};
use signdoc_signature::x509::TrustAnchors;

const LIST: &str = "/csc/v2/credentials/list";

fn told(sandbox: &Sandbox, arguments: &[&str]) -> Command {
    let mut command = client(sandbox, arguments);
    command.env("SIGNDOC_CSC_URL", sandbox.csc_url());
    command
}

/// Runs the program; the user does `action` at the address that it shows.
fn with_user(sandbox: &Sandbox, action: Action, arguments: &[&str]) -> Ran {
    let mut child = told(sandbox, arguments).stdin(Stdio::null()).spawn().unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap());
    let mut before = String::new();
    let url = loop {
        let mut line = String::new();
        assert!(said.read_line(&mut line).unwrap() > 0, "no address was shown: {before}");
        before.push_str(&line);
        if line.starts_with("http") {
            break line.trim().to_owned();
        }
    };
    let back = sandbox.visit(Visit { url, action, person: Person::Kari }).unwrap().url;
    browse(&back);
    let rest = thread::spawn(move || {
        let mut rest = String::new();
        said.read_to_string(&mut rest).unwrap();
        rest
    });
    let output = child.wait_with_output().unwrap();
    Ran {
        status: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: before + &rest.join().unwrap(),
    }
}

fn browse(url: &str) {
    let (host, target) = url.strip_prefix("http://").unwrap().split_once('/').unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    write!(stream, "GET /{target} HTTP/1.1\r\nhost: {host}\r\n\r\n").unwrap();
    let mut page = String::new();
    stream.read_to_string(&mut page).unwrap();
    assert!(page.starts_with("HTTP/1.1 200"), "{page}");
    assert!(page.contains("return to the terminal"), "{page}");
}

fn loan(folder: &Path) -> String {
    let path = folder.join("loan.pdf");
    std::fs::write(&path, samples::loan_agreement()).unwrap();
    text(&path)
}

#[test]
fn documents_are_signed_after_a_login() {
    let (sandbox, folder) = (sandbox(), tempfile::tempdir().unwrap());
    let loan = loan(folder.path());
    let out = folder.path().join("signed");
    let arguments = ["csc", "sign", &loan, "-o", &text(&out), "--reason", "Loan", "--json"];
    let ran = with_user(&sandbox, Action::Sign, &arguments).ended(0);
    let result = &ran.json()["results"][0];
    assert_eq!(result["document"], loan);
    assert_eq!(result["path"], text(&out.join("loan.pdf")));
    let options = VerifyOptions {
        trust: TrustAnchors::from_bytes(sandbox.trust_pem().unwrap().as_bytes()).unwrap(),
        ..VerifyOptions::default()
    };
    let report = verify_path(out.join("loan.pdf"), &options);
    assert!(report.ok, "{:#}", report.to_json());

    // Without a folder, beside the document; and as a table.
    let ran = with_user(&sandbox, Action::Sign, &["csc", "sign", &loan]).ended(0);
    assert!(ran.stdout.contains("loan.signed.pdf"), "{}", ran.stdout);
    assert!(folder.path().join("loan.signed.pdf").exists());
}

#[test]
fn a_user_who_does_not_agree_ends_it() {
    let (sandbox, folder) = (sandbox(), tempfile::tempdir().unwrap());
    let ran = with_user(&sandbox, Action::Cancel, &["csc", "sign", &loan(folder.path())]).ended(4);
    assert!(ran.stderr.contains("access_denied"), "{}", ran.stderr);
    assert!(!folder.path().join("loan.signed.pdf").exists());
}

#[test]
fn what_cannot_be_signed_is_told_before_the_login() {
    let (sandbox, folder) = (sandbox(), tempfile::tempdir().unwrap());
    let broken = folder.path().join("broken.pdf");
    std::fs::write(&broken, "%PDF-1.7 nothing more").unwrap();
    let ran = run(told(&sandbox, &["csc", "sign", &text(&broken)])).ended(3);
    assert!(ran.stderr.contains("pdf_not_signable"), "{}", ran.stderr);
    assert!(!ran.stderr.contains("http://"), "{}", ran.stderr);
    assert_eq!(seen(&sandbox, "POST", LIST), 0);
    let without = run(client(&sandbox, &["csc", "sign", &loan(folder.path())])).ended(2);
    assert!(without.stderr.contains("csc_url"), "{}", without.stderr);
}

#[test]
fn the_interface_tells_what_it_is() {
    let sandbox = sandbox();
    let ran = run(told(&sandbox, &["csc", "info"])).ended(0);
    assert!(ran.stdout.contains("signatures/signHash"), "{}", ran.stdout);
    let ran = run(told(&sandbox, &["csc", "info", "--json"])).ended(0);
    assert!(ran.json()["methods"].is_array());
    assert_eq!(run(client(&sandbox, &["csc", "info"])).status, 2);
}
