//! What `signdoc convert` ends with when things go wrong, and how soon it ends on Ctrl-C.
#![allow(missing_docs)]
// Clippy's leave for tests does not reach what tests share.
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used)]

mod common;

use std::io::{Read, Write};
use std::net::TcpListener;
use std::process::{Child, Output};
use std::time::{Duration, Instant};

use common::{
    CONVERT, TOKEN, answer, answers, client, converted, fails, listed, output_of, pdf, program,
    ran, run, sandbox, seen, signal, spawn, text,
};
use serde_json::json;
use signdoc_sandbox::{CutHow, Fault, ResetWhen};

#[test]
fn the_configuration_is_checked_first() {
    let folder = tempfile::tempdir().unwrap();
    let loan = pdf(folder.path(), "loan.pdf");
    let out = text(&output_of(&folder));
    let missing = run(program(&["convert", &loan, "-o", &out])).ended(2);
    assert!(missing.stderr.contains("SIGNDOC_ISSUER"), "{}", missing.stderr);
    assert!(missing.stderr.contains("\nadvice: "));
    let mut plain = program(&["convert", &loan, "-o", &out, "--json"]);
    plain.env("SIGNDOC_ISSUER", "http://id.example").env("SIGNDOC_CLIENT_ID", "shop");
    let told = run(plain).ended(2).json();
    assert_eq!(told["error"]["name"], "insecure_url");
    assert_eq!(told["exit_status"], 2);
    assert_eq!(told["results"], json!([]));
    let file =
        run(program(&["convert", &loan, "-o", &out, "--client-secret-file", "/nowhere"])).ended(2);
    assert!(file.stderr.contains("--client-secret-file names /nowhere"), "{}", file.stderr);
    assert!(!output_of(&folder).exists(), "nothing is made before the configuration is right");
}

#[test]
fn inputs_are_checked_before_anything_is_sent() {
    let (sandbox, folder) = (sandbox(), tempfile::tempdir().unwrap());
    let out = text(&output_of(&folder));
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        text(&path)
    };
    let mut large = b"%PDF-1.7\n".to_vec();
    large.resize(3_750_001, b' ');
    let empty_folder = folder.path().join("empty");
    std::fs::create_dir(&empty_folder).unwrap();
    for (path, name) in [
        (text(&folder.path().join("missing.pdf")), "document_not_found"),
        (write("empty.pdf", b""), "document_empty"),
        (write("picture.pdf", b"GIF89a"), "not_a_pdf"),
        (write("large.pdf", &large), "document_too_large"),
        (text(&empty_folder), "document_not_found"),
    ] {
        let ran = run(client(&sandbox, &["convert", &path, "-o", &out])).ended(3);
        assert!(ran.stderr.contains(&format!("({name})")), "{}", ran.stderr);
        assert!(ran.stderr.contains(&path), "{}", ran.stderr);
    }
    assert!(sandbox.requests().is_empty());
}

#[test]
fn a_bad_input_does_not_hold_up_the_good_ones() {
    let (sandbox, folder) = (sandbox(), tempfile::tempdir().unwrap());
    let good = pdf(folder.path(), "good.pdf");
    let out = output_of(&folder);
    answers(&sandbox, 1);
    let ran = run(client(&sandbox, &["convert", "missing.pdf", &good, "-o", &text(&out)])).ended(3);
    assert_eq!(listed(&out), ["good.pdf"]);
    assert!(ran.stdout.contains("1 of 2 converted"), "{}", ran.stdout);
}

#[test]
fn a_run_has_its_own_limits_on_connecting_and_on_silence() {
    let (sandbox, folder) = (sandbox(), tempfile::tempdir().unwrap());
    let loan = pdf(folder.path(), "loan.pdf");
    let out = text(&output_of(&folder));
    fails(&sandbox, Fault::Stall { after_bytes: None, for_ms: None });
    // Its backlog takes the connection, and then nobody speaks TLS.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let far = format!("https://{}/realm", silent.local_addr().unwrap());
    for (issuer, flag, limit, name) in [
        (sandbox.issuer(), "--read-timeout", "0.4", "read_timeout"),
        (far, "--connect-timeout", "0.3", "connect_timeout"),
    ] {
        let arguments = ["convert", &loan, "-o", &out, "--json", "--issuer", &issuer, flag, limit];
        let told = run(client(&sandbox, &arguments)).ended(5).json();
        assert_eq!(told["error"]["name"], name, "{told}");
        assert_eq!(told["error"]["details"]["limit"].to_string(), limit, "{told}");
    }
}

#[test]
fn refused_credentials_end_with_four_and_are_tried_once() {
    let (sandbox, folder) = (sandbox(), tempfile::tempdir().unwrap());
    for number in 0..16 {
        pdf(&folder.path().join("in"), &format!("{number}.pdf"));
    }
    let inputs = text(&folder.path().join("in"));
    let out = text(&output_of(&folder));
    let one_by_one = ["convert", &inputs, "-o", &out, "--json", "--jobs", "1"];
    let mut wrong = client(&sandbox, &one_by_one);
    wrong.env("SIGNDOC_CLIENT_SECRET", "canary-of-a-wrong-one");
    let ran = run(wrong).ended(4);
    assert!(!ran.stderr.contains("canary") && !ran.stdout.contains("canary"));
    assert!(ran.stderr.contains("(invalid_client)"), "{}", ran.stderr);
    assert_eq!(seen(&sandbox, "POST", TOKEN), 1, "the second call would fail the same way");
    let told = ran.json();
    assert_eq!(told["error"]["class"], "OAuthError");
    assert_eq!(told["results"][0]["status"], "not_converted");
    assert_eq!(told["results"][15]["status"], "no_result");

    let scope = ["convert", &inputs, "-o", &out, "--scope", "signdoc/everything"];
    let ran = run(client(&sandbox, &scope)).ended(4);
    assert!(ran.stderr.contains("(invalid_scope)"), "{}", ran.stderr);
    let mut none = client(&sandbox, &["convert", &inputs, "-o", &out]);
    none.env_remove("SIGNDOC_CLIENT_SECRET");
    run(none).ended(2);
}

#[test]
fn what_the_service_does_wrong_ends_with_five() {
    let folder = tempfile::tempdir().unwrap();
    let loan = pdf(folder.path(), "loan.pdf");
    let out = output_of(&folder);
    let cut = |after_bytes| Fault::Cut { after_bytes, how: CutHow::Close };
    for (fault, name) in [
        (Fault::status(500), "service_failed"),
        (Fault::status(503), "service_unavailable"),
        (Fault::Html { status: 200 }, "html_answer"),
        (Fault::Html { status: 502 }, "service_failed"),
        (Fault::Empty { status: 200 }, "empty_answer"),
        (Fault::Garbage { bytes: 100, on_wire: false }, "malformed_answer"),
        (Fault::reset(ResetWhen::AfterBody), "connection_lost"),
        (
            Fault::answer(200, "application/json", "[{\"convertedDocument\":\"JVBE"),
            "truncated_answer",
        ),
        (Fault::answer(200, "application/json", "[]"), "result_count"),
        (cut(1), "truncated_answer"),
    ] {
        let sandbox = sandbox();
        fails(&sandbox, fault);
        let ran = run(client(&sandbox, &["convert", &loan, "-o", &text(&out)])).ended(5);
        assert!(ran.stderr.contains(&format!("({name})")), "{name}: {}", ran.stderr);
        assert!(ran.stderr.contains("\nadvice: "));
        assert!(listed(&out).is_empty(), "{name} leaves {:?}", listed(&out));
    }
}

#[test]
fn a_service_that_is_not_there_ends_with_five() {
    let folder = tempfile::tempdir().unwrap();
    let loan = pdf(folder.path(), "loan.pdf");
    let out = text(&output_of(&folder));
    let mut command = program(&["convert", &loan, "-o", &out, "--issuer", "http://127.0.0.1:1"]);
    command.args(["--client-id", "shop", "--max-retries", "0"]).env("SIGNDOC_CLIENT_SECRET", "x");
    let ran = run(command).ended(5);
    assert!(ran.stderr.contains("(connect_failed)"), "{}", ran.stderr);
}

#[test]
fn the_services_reference_is_told() {
    let (sandbox, folder) = (sandbox(), tempfile::tempdir().unwrap());
    let loan = pdf(folder.path(), "loan.pdf");
    let body = json!({"errorCode": "internal_error", "errorDescription": "boom", "errorReference": "REF1234"});
    answer(&sandbox, 500, &body);
    let ran = run(client(&sandbox, &["convert", &loan, "-o", &text(&output_of(&folder))])).ended(5);
    assert!(ran.stderr.contains("\nreference: REF1234\n"), "{}", ran.stderr);
}

#[test]
fn a_folder_that_cannot_be_made_is_told() {
    let (sandbox, folder) = (sandbox(), tempfile::tempdir().unwrap());
    let loan = pdf(folder.path(), "loan.pdf");
    let ran = run(client(&sandbox, &["convert", &loan, "-o", &format!("{loan}/out")])).ended(1);
    assert!(ran.stderr.contains("(destination_failed)"), "{}", ran.stderr);
    assert!(sandbox.requests().is_empty());
}

/// Waits until `ready`, for two minutes at most.
fn until(what: &str, ready: impl Fn() -> bool) {
    let begun = Instant::now();
    while !ready() {
        assert!(begun.elapsed() < Duration::from_secs(120), "{what} does not come");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn ctrl_c_ends_a_call_soon() {
    for (name, status) in [("INT", 130), ("TERM", 143)] {
        let (sandbox, folder) = (sandbox(), tempfile::tempdir().unwrap());
        let loan = pdf(folder.path(), "loan.pdf");
        let out = output_of(&folder);
        fails(&sandbox, Fault::Stall { after_bytes: None, for_ms: None });
        let child = spawn(client(&sandbox, &["convert", &loan, "-o", &text(&out), "--json"]));
        until("the request", || seen(&sandbox, "POST", CONVERT) > 0);
        let (output, took) = ended_by(child, name);
        println!("SIG{name}: ended after {took:?}");
        let ran = ran(output).ended(status);
        // 100 ms on a quiet machine; here the call is stalled for good: only the signal ends it.
        assert!(ran.stderr.contains("interrupted"), "{}", ran.stderr);
        assert!(listed(&out).is_empty());
        let told = ran.json();
        assert_eq!(told["error"]["name"], "cancelled");
        assert_eq!(told["results"][0]["status"], "no_result");
    }
}

fn ended_by(child: Child, name: &str) -> (Output, Duration) {
    let asked = Instant::now();
    signal(&child, name);
    let output = child.wait_with_output().unwrap();
    (output, asked.elapsed())
}

/// A service that answers with the beginning of `body` and then falls silent.
fn half_of(body: String) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut request = Vec::new();
        while !request.ends_with(b"]}") {
            let mut some = [0; 4096];
            let count = stream.read(&mut some).unwrap();
            request.extend(&some[..count]);
        }
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";
        let half = &body[..body.len() / 2];
        write!(stream, "{head}Content-Length: {}\r\n\r\n{half}", body.len()).unwrap();
        // Until the other side has had enough.
        let _ = stream.read(&mut [0]);
    });
    format!("http://{address}")
}

#[test]
fn ctrl_c_leaves_whole_files_and_no_partial_ones() {
    let (sandbox, folder) = (sandbox(), tempfile::tempdir().unwrap());
    let (a, b) = (pdf(folder.path(), "a.pdf"), pdf(folder.path(), "b.pdf"));
    let out = output_of(&folder);
    let mut second = converted(&[]);
    second["convertedDocument"] = "JVBERi0xLjQg".repeat(100_000).into();
    let base = half_of(json!([converted(&[]), second]).to_string());
    let arguments = ["convert", &a, &b, "-o", &text(&out), "--base-url", &base];
    let child = spawn(client(&sandbox, &arguments));
    until("the second file", || listed(&out).len() == 2);
    let partial: Vec<_> = listed(&out).into_iter().filter(|name| name != "a.pdf").collect();
    assert_ne!(partial, ["b.pdf"], "it has its name only when it is whole");
    let (output, took) = ended_by(child, "INT");
    println!("ended after {took:?}, {partial:?} is put away");
    ran(output).ended(130);
    assert_eq!(listed(&out), ["a.pdf"]);
}

#[test]
fn the_function_asks_its_caller_whether_to_stop() {
    let (sandbox, folder) = (sandbox(), tempfile::tempdir().unwrap());
    let loan = pdf(folder.path(), "loan.pdf");
    let secret = folder.path().join("secret");
    std::fs::write(&secret, common::SECRET).unwrap();
    fails(&sandbox, Fault::Stall { after_bytes: None, for_ms: None });
    let issuer = sandbox.issuer();
    let (secret, out) = (text(&secret), text(&output_of(&folder)));
    let arguments = [
        "signdoc",
        "convert",
        &loan,
        "-o",
        &out,
        "--issuer",
        &issuer,
        "--client-id",
        sandbox.client_id(),
        "--client-secret-file",
        &secret,
    ];
    let sent = || seen(&sandbox, "POST", CONVERT) > 0;
    let status = signdoc_cli::run_until(arguments.iter().map(Into::into), &sent);
    assert_eq!(status, signdoc_cli::exit::INTERRUPTED);
}
