//! An order whose state cannot be asked for: whoever has signed gets the results all the same.
#![allow(missing_docs)]
// Clippy's leave for tests does not reach what tests share.
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used)]

mod common;

use common::user::{PADES, SDO, come_back, loan, visit, waiting};
use common::{client, listed, output_of, run, sandbox, seen, text};
use signdoc_sandbox::{Action, CutHow, Fault, IdTokenChange, Person, Rule, Sandbox};

const JSON: &str = "application/json";
const TOKEN: &str = "/auth/realms/sandbox/protocol/openid-connect/token";

fn never_tells(sandbox: &Sandbox, path: &str, fault: Fault) {
    sandbox.faults().add(Rule::new(fault).on("GET", path).forever()).unwrap();
}

#[test]
fn after_the_login_the_results_are_fetched_whatever_the_question_is_answered() {
    for fault in [
        Fault::status(405),
        Fault::status(500),
        Fault::status(403),
        Fault::status(404),
        Fault::answer(200, JSON, "{}"),
        Fault::answer(200, JSON, r#"{"orders":[{"phase":7}]}"#),
        Fault::answer(200, "text/plain", "all is well"),
        Fault::Html { status: 200 },
        Fault::Empty { status: 200 },
        Fault::Cut { after_bytes: 3, how: CutHow::Close },
    ] {
        let shown = format!("{fault:?}");
        let (sandbox, folder) = (sandbox(), tempfile::tempdir().unwrap());
        never_tells(&sandbox, PADES, fault);
        let (file, out) = (loan(folder.path(), "loan.pdf"), output_of(&folder));
        let waiting = waiting(client(&sandbox, &["sign", &file, "-o", &text(&out), "--json"]));
        come_back(&visit(&sandbox, &waiting.url, Action::Sign));
        let told = waiting.ended(0).json();
        assert_eq!(told["download"]["documents"][0]["signed_check"], "matches", "{shown}");
        assert_eq!(listed(&out), ["loan.pdf"], "{shown}");
    }
}

#[test]
fn it_is_told_that_the_login_is_waited_for() {
    let (sandbox, folder) = (sandbox(), tempfile::tempdir().unwrap());
    never_tells(&sandbox, SDO, Fault::status(405));
    let out = output_of(&folder);
    let arguments = ["sign", "--sdo", "--text", "I agree.", "-o", &text(&out)];
    let mut waiting = waiting(client(&sandbox, &arguments));
    let told = waiting.running.until("cannot be asked for");
    assert!(told.contains("405") && told.ends_with("waiting for the login to come back"), "{told}");
    come_back(&visit(&sandbox, &waiting.url, Action::Sign));
    waiting.ended(0);
    assert_eq!(listed(&out).len(), 1);
}

#[test]
fn who_did_not_sign_gets_no_results() {
    let (sandbox, folder) = (sandbox(), tempfile::tempdir().unwrap());
    never_tells(&sandbox, PADES, Fault::status(405));
    let (file, out) = (loan(folder.path(), "loan.pdf"), output_of(&folder));
    let waiting = waiting(client(&sandbox, &["sign", &file, "-o", &text(&out)]));
    come_back(&visit(&sandbox, &waiting.url, Action::Cancel));
    let ran = waiting.ended(4);
    assert!(ran.stderr.contains("access_denied"), "{}", ran.stderr);
    assert_eq!(seen(&sandbox, "DELETE", PADES), 0);
}

#[test]
fn without_a_login_the_way_out_is_named_and_works() {
    for fault in [Fault::status(405), Fault::answer(200, JSON, "{}")] {
        let (sandbox, folder) = (sandbox(), tempfile::tempdir().unwrap());
        never_tells(&sandbox, PADES, fault);
        let (file, out) = (loan(folder.path(), "loan.pdf"), text(&output_of(&folder)));
        let back = "https://shop.example/cb";
        let arguments = ["sign", &file, "-o", &out, "--redirect-uri", back, "--json"];
        let ran = run(client(&sandbox, &arguments));
        assert_ne!(ran.status, 0);
        let told = ran.json();
        let sign_id = told["error"]["details"]["sign_id"].as_str().unwrap();
        let command = told["error"]["details"]["download_with"].as_str().unwrap();
        assert_eq!(command, format!("signdoc download {sign_id} -o {out} --force"));
        assert!(ran.stderr.contains(&format!("`{command}`")), "{}", ran.stderr);
        sandbox.sign(sign_id, Person::default()).unwrap();
        let words: Vec<_> = command.split(' ').skip(1).collect();
        run(client(&sandbox, &words)).ended(0);
        assert_eq!(listed(&output_of(&folder)).len(), 1);
    }
}

#[test]
fn a_state_that_nobody_knows_is_told_with_the_way_out() {
    let (sandbox, folder) = (sandbox(), tempfile::tempdir().unwrap());
    never_tells(&sandbox, PADES, Fault::answer(200, JSON, r#"{"orderState":"DONE"}"#));
    let (file, out) = (loan(folder.path(), "loan.pdf"), text(&output_of(&folder)));
    let arguments = ["sign", &file, "-o", &out, "--redirect-uri", "https://shop.example/cb"];
    let mut waiting = waiting(client(&sandbox, &arguments));
    let told = waiting.running.until("DONE");
    let command = format!("signdoc download {} -o {out} --force", waiting.sign_id);
    assert!(told.contains(&format!("press Ctrl-C and type `{command}`")), "{told}");
    waiting.running.signal("INT");
    let sign_id = waiting.sign_id.clone();
    let ran = waiting.ended(130);
    assert!(ran.stderr.contains(&command), "{}", ran.stderr);
    sandbox.sign(&sign_id, Person::default()).unwrap();
    run(client(&sandbox, &["download", &sign_id, "-o", &out])).ended(8);
    let ran = run(client(&sandbox, &["download", &sign_id, "-o", &out, "--force"])).ended(0);
    assert!(ran.stdout.contains(".pdf"), "{}", ran.stdout);
}

#[test]
fn a_login_that_cannot_be_trusted_does_not_cost_the_results() {
    let (sandbox, folder) = (sandbox(), tempfile::tempdir().unwrap());
    let fault = Fault::IdToken { change: IdTokenChange::Signature, seconds: 0 };
    let (file, out) = (loan(folder.path(), "loan.pdf"), output_of(&folder));
    let waiting = waiting(client(&sandbox, &["sign", &file, "-o", &text(&out), "--json"]));
    sandbox.faults().add(Rule::new(fault).on("POST", TOKEN)).unwrap();
    come_back(&visit(&sandbox, &waiting.url, Action::Sign));
    let ran = waiting.ended(4);
    assert!(
        ran.stderr.contains("its results are here, but the login cannot be trusted"),
        "{}",
        ran.stderr
    );
    let told = ran.json();
    assert_eq!(told["error"]["name"], "id_token_signature");
    assert!(told["signer"].is_null());
    assert_eq!(told["exit_status"], 4);
    assert_eq!(listed(&out), ["loan.pdf"]);
}

#[test]
fn a_callback_of_another_login_is_ignored() {
    let (sandbox, folder) = (sandbox(), tempfile::tempdir().unwrap());
    let (file, out) = (loan(folder.path(), "loan.pdf"), output_of(&folder));
    let mut waiting = waiting(client(&sandbox, &["sign", &file, "-o", &text(&out)]));
    let back = visit(&sandbox, &waiting.url, Action::Sign);
    come_back(&format!("{}?code=x&state=another", back.split('?').next().unwrap()));
    waiting.running.until("is ignored");
    come_back(&back);
    let ran = waiting.ended(0);
    assert!(ran.stdout.contains("signed by "), "{}", ran.stdout);
}
