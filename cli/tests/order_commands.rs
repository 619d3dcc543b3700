//! `signdoc state`, `signdoc discard`, `signdoc specs`; and what success means.
#![allow(missing_docs)]
// Clippy's leave for tests does not reach what tests share.
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used)]

mod common;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use common::user::{PADES, SDO, come_back, loan, open_order, signed_order, visit, waiting};
use common::{client, listed, output_of, program, run, sandbox, seen, text};
use serde_json::json;
use signdoc_sandbox::{Action, DownloadChange, Fault, Rule};

const JSON: &str = "application/json";

#[test]
fn the_state_is_told() {
    let (sandbox, folder) = (sandbox(), tempfile::tempdir().unwrap());
    let file = loan(folder.path(), "loan.pdf");
    let open = open_order(&sandbox, folder.path(), &[&file]);
    let ran = run(client(&sandbox, &["state", &open])).ended(0);
    assert_eq!(ran.stdout, "ORDER_RECEIVED\n");
    let signed = signed_order(&sandbox, folder.path(), &["--sdo", "--text", "I agree."]);
    let told = run(client(&sandbox, &["state", &signed, "--sdo", "--json"])).ended(0).json();
    let expected = json!({
        "sign_id": signed,
        "kind": "sdo",
        "state": "SIGN_COMPLETED",
        "final": true,
        "exit_status": 0,
    });
    assert_eq!(told, expected);
    // The kinds know nothing of each other's orders.
    let ran = run(client(&sandbox, &["state", &signed])).ended(8);
    assert!(ran.stderr.contains("(order_not_found)"), "{}", ran.stderr);
    assert!(ran.stderr.contains("add --sdo"), "{}", ran.stderr);
    let told = run(client(&sandbox, &["state", "nothing", "--json"])).ended(8).json();
    assert_eq!(told["error"]["name"], "order_not_found");
    assert_eq!(seen(&sandbox, "DELETE", SDO), 0);
}

#[test]
fn an_order_is_discarded_when_that_is_meant() {
    let (sandbox, folder) = (sandbox(), tempfile::tempdir().unwrap());
    let file = loan(folder.path(), "loan.pdf");
    let order = open_order(&sandbox, folder.path(), &[&file]);
    let ran = run(client(&sandbox, &["discard", &order])).ended(2);
    assert!(ran.stderr.contains("say --yes"), "{}", ran.stderr);
    assert_eq!(seen(&sandbox, "DELETE", PADES), 0);
    let told = run(client(&sandbox, &["discard", &order, "--yes", "--json"])).ended(0).json();
    assert_eq!(told["discarded"]["sign_id"], json!(order));
    assert_eq!(told["discarded"]["order_state"], "ORDER_RECEIVED");
    assert_eq!((&told["saved"], &told["lost"]), (&json!([]), &json!(0)));
    run(client(&sandbox, &["state", &order])).ended(8);
    let told = run(client(&sandbox, &["discard", &order, "--yes", "--json"])).ended(8).json();
    assert_eq!(told["error"]["name"], "order_not_found");

    let order = open_order(&sandbox, folder.path(), &[&file]);
    sandbox.cancel(&order).unwrap();
    let ran = run(client(&sandbox, &["discard", &order, "-y"])).ended(0);
    assert!(ran.stdout.contains("is gone; the service's last word: CANCELLED"), "{}", ran.stdout);
}

fn private(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777 == 0o600
}

#[test]
fn documents_that_come_with_the_last_answer_are_not_thrown_away() {
    let (sandbox, folder) = (sandbox(), tempfile::tempdir().unwrap());
    let files = [loan(folder.path(), "loan.pdf"), loan(folder.path(), "terms.pdf")];
    let order = signed_order(&sandbox, folder.path(), &[&files[0], &files[1]]);
    let fallback = folder.path().join("fallback");
    let arguments = ["discard", &order, "--yes", "--fallback-folder", &text(&fallback)];
    let ran = run(client(&sandbox, &arguments)).ended(0);
    let made = listed(&fallback);
    let [own] = made.as_slice() else { panic!("one private folder: {made:?}") };
    let own = fallback.join(own);
    assert_eq!(listed(&own).len(), 2);
    for name in listed(&own) {
        let path = own.join(&name);
        assert!(std::fs::read(&path).unwrap().starts_with(b"%PDF-"));
        assert!(private(&path) && ran.stdout.contains(&text(&path)), "{}", ran.stdout);
    }

    // With a folder, and never in the place of another file.
    let order = signed_order(&sandbox, folder.path(), &["--sdo", "--text", "I agree."]);
    let out = output_of(&folder);
    std::fs::create_dir(&out).unwrap();
    let taken = out.join(format!("{order}-1.sdo"));
    std::fs::write(&taken, "mine").unwrap();
    let arguments = ["discard", &order, "--sdo", "--yes", "--json", "-o", &text(&out)];
    let told = run(client(&sandbox, &arguments)).ended(0).json();
    assert_eq!(told["discarded"]["order_state"], "SIGN_COMPLETED");
    let path = PathBuf::from(told["saved"][0]["path"].as_str().unwrap());
    assert_eq!(path, out.join(format!("{order}-1-2.sdo")));
    assert!(private(&path));
    assert_eq!(std::fs::read(taken).unwrap(), b"mine");
}

#[test]
fn on_a_terminal_a_question_is_asked_first() {
    let version = Command::new("script").arg("--version").output();
    if !version.is_ok_and(|told| String::from_utf8_lossy(&told.stdout).contains("util-linux")) {
        println!("not run: util-linux `script`, which makes a terminal, is not installed");
        return;
    }
    let (sandbox, folder) = (sandbox(), tempfile::tempdir().unwrap());
    let file = loan(folder.path(), "loan.pdf");
    let order = open_order(&sandbox, folder.path(), &[&file]);
    let answered = |answer: &str| {
        let own = client(&sandbox, &["discard", &order]);
        let mut script = Command::new("script");
        let line = format!("'{}' discard {order}", env!("CARGO_BIN_EXE_signdoc"));
        script.args(["--quiet", "--return", "--command", &line, "/dev/null"]);
        for (name, value) in own.get_envs() {
            match value {
                Some(value) => script.env(name, value),
                None => script.env_remove(name),
            };
        }
        script.env("TERM", "xterm").stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = script.spawn().unwrap();
        let mut keys = child.stdin.take().unwrap();
        writeln!(keys, "{answer}").unwrap();
        // Closed, it would be taken for the end of what is typed.
        let output = child.wait_with_output().unwrap();
        drop(keys);
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    for (answer, status, said) in
        [("n", 130, "was not touched"), ("", 130, "was not touched"), ("yes", 0, "is gone")]
    {
        let (ended, shown) = answered(answer);
        assert_eq!(ended, Some(status), "{answer}: {shown}");
        assert!(shown.contains("is in the state ORDER_RECEIVED"), "{shown}");
        assert!(shown.contains("End it for good?") && shown.contains(said), "{answer}: {shown}");
    }
    assert_eq!(seen(&sandbox, "DELETE", PADES), 1);
}

#[test]
fn the_conversions_of_the_service_are_listed() {
    let sandbox = sandbox();
    assert_eq!(run(client(&sandbox, &["specs"])).ended(0).stdout, "PDFA_2B\n");
    let told = run(client(&sandbox, &["specs", "--json"])).ended(0).json();
    assert_eq!(told, json!({"pdf_specs": ["PDFA_2B"], "exit_status": 0}));
    run(program(&["specs"])).ended(2);
    let fault = Rule::new(Fault::status(503)).on("GET", "/signdoc/convert/pdf/specs").forever();
    sandbox.faults().add(fault).unwrap();
    run(client(&sandbox, &["specs"])).ended(5);
}

#[test]
fn an_answer_without_all_that_was_asked_for_is_no_success() {
    for (answer, name) in [
        (Some(r#"{"orderState":"SIGN_COMPLETED"}"#), "download_incomplete"),
        (Some(r#"{"signingResults":[],"orderState":"SIGN_COMPLETED"}"#), "download_incomplete"),
        (
            Some(r#"{"signingResults":[{"description":"A"},{"description":"B"}]}"#),
            "download_incomplete",
        ),
        (Some("{}"), "malformed_answer"),
        (Some(""), "empty_answer"),
        (None, "result_count"),
    ] {
        let (sandbox, folder) = (sandbox(), tempfile::tempdir().unwrap());
        let files = [loan(folder.path(), "loan.pdf"), loan(folder.path(), "terms.pdf")];
        let out = output_of(&folder);
        let arguments = ["sign", &files[0], &files[1], "-o", &text(&out), "--json"];
        let waiting = waiting(client(&sandbox, &arguments));
        let fault = match answer {
            Some("") => Fault::Empty { status: 200 },
            Some(answer) => Fault::answer(200, JSON, answer),
            None => Fault::Download { change: DownloadChange::MissingDocument },
        };
        sandbox.faults().add(Rule::new(fault).on("DELETE", PADES)).unwrap();
        come_back(&visit(&sandbox, &waiting.url, Action::Sign));
        let ran = waiting.running.ended_somehow();
        let told = ran.json();
        assert_ne!(ran.status, 0, "{answer:?}");
        assert_eq!(told["error"]["name"], name, "{answer:?}: {told:#}");
        assert!(!ran.stderr.contains("this error"), "{}", ran.stderr);
    }
}

#[test]
fn a_document_that_was_not_converted_is_told_and_with_strict_an_error() {
    let (sandbox, folder) = (sandbox(), tempfile::tempdir().unwrap());
    let (file, out) = (loan(folder.path(), "loan.pdf"), text(&output_of(&folder)));
    let refused = json!({
        "sign_id": "910b",
        "conversionResults": [{
            "conversionId": "c", "description": "loan - 1", "converted": false,
            "conversionErrors": ["PDF conversion is disabled"], "conversionWarnings": [],
        }],
    });
    let fault = Fault::answer(201, JSON, refused.to_string());
    sandbox.faults().add(Rule::new(fault).on("POST", PADES).forever()).unwrap();
    let back = "https://shop.example/cb";
    let arguments = ["sign", &file, "-o", &out, "--convert", "--redirect-uri", back];
    let waiting = waiting(client(&sandbox, &arguments));
    let told = &waiting.running.told;
    assert!(
        told.contains("loan was not converted (DISABLED); the order goes on with it"),
        "{told}"
    );
    waiting.running.signal("INT");
    let _ = waiting.running.ended_somehow();

    let mut strict = client(&sandbox, &arguments);
    strict.args(["--strict", "--json"]);
    let ran = run(strict).ended(8);
    assert!(ran.stderr.contains("`signdoc discard 910b`"), "{}", ran.stderr);
    assert!(ran.stderr.contains("the order exists as 910b"), "{}", ran.stderr);
    let told = ran.json();
    assert_eq!(told["error"]["name"], "DISABLED");
    assert_eq!(told["error"]["order"]["sign_id"], "910b");
    assert_eq!(told["error"]["details"]["sign_id"], "910b");
}

#[test]
fn digests_alone_become_a_file_as_well() {
    let (sandbox, folder) = (sandbox(), tempfile::tempdir().unwrap());
    let out = output_of(&folder);
    let arguments =
        ["sign", "--sdo", "--text", "I agree.", "--results", "documentHash", "-o", &text(&out)];
    let waiting = waiting(client(&sandbox, &arguments));
    let sign_id = waiting.sign_id.clone();
    come_back(&visit(&sandbox, &waiting.url, Action::Sign));
    waiting.ended(0);
    assert_eq!(listed(&out), [format!("{sign_id}.digests.json")]);
    let written = std::fs::read(out.join(format!("{sign_id}.digests.json"))).unwrap();
    let written: serde_json::Value = serde_json::from_slice(&written).unwrap();
    assert_eq!(written["documents"][0]["hash_check"], "matches");
    assert!(written["documents"][0]["document_hash"].is_string());
}
