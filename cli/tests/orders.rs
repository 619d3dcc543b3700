//! `signdoc sign`, `signdoc download` and `signdoc recover`, as people run them.
#![allow(missing_docs)]
// Clippy's leave for tests does not reach what tests share.
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used)]

mod common;

use std::io::{BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Command;

use common::user::{PADES, come_back, loan, signed_order, visit, waiting};
use common::{client, listed, output_of, program, run, sandbox, text};
use serde_json::json;
use signdoc_sandbox::{Action, CutAt, CutHow, Fault, Person, Rule, Texts, Variants, Visit};

#[test]
fn pdfs_are_signed_from_the_order_to_the_results() {
    let (sandbox, folder) = (sandbox(), tempfile::tempdir().unwrap());
    let files = [loan(folder.path(), "loan.pdf"), loan(folder.path(), "terms.pdf")];
    let out = output_of(&folder);
    let to = text(&out);
    let arguments = ["sign", &files[0], &files[1], "-o", &to, "--name", "Loan 4711", "--json"];
    let waiting = waiting(client(&sandbox, &arguments));
    let sign_id = waiting.sign_id.clone();
    come_back(&visit(&sandbox, &waiting.url, Action::Sign));
    let ran = waiting.ended(0);
    let told = ran.json();
    assert_eq!(told["sign_id"], json!(sign_id));
    assert_eq!(told["download"]["order_name"], "Loan 4711");
    assert_eq!(told["download"]["order_state"], "SIGN_COMPLETED");
    for document in told["download"]["documents"].as_array().unwrap() {
        assert_eq!(document["signed_check"], "matches");
        assert_eq!(document["unsigned_check"], "matches");
    }
    assert!(told["signer"]["subject"].as_str().is_some_and(|subject| !subject.is_empty()));
    assert_eq!(listed(&out), ["loan.pdf", "terms.pdf"]);

    let roots = folder.path().join("roots.pem");
    std::fs::write(&roots, sandbox.trust_pem().unwrap()).unwrap();
    let (signed, roots) = (text(&out.join("loan.pdf")), text(&roots));
    let verify = ["verify", &signed, "--trust", &roots, "--original", &files[0], "--json"];
    run(program(&verify)).ended(0);
}

#[test]
fn data_objects_are_signed() {
    let (sandbox, folder) = (sandbox(), tempfile::tempdir().unwrap());
    let consent = folder.path().join("consent.txt");
    std::fs::write(&consent, "I agree. Æ").unwrap();
    let out = output_of(&folder);
    let arguments = ["sign", &text(&consent), "--kind", "sdo", "-o", &text(&out)];
    let waiting = waiting(client(&sandbox, &arguments));
    come_back(&visit(&sandbox, &waiting.url, Action::Sign));
    let ran = waiting.ended(0);
    assert!(ran.stdout.contains("signed by "), "{}", ran.stdout);
    assert_eq!(listed(&out).len(), 1);
    assert!(listed(&out)[0].ends_with(".sdo"));

    // whether a text may have other characters is for the service to say
    sandbox.set_variants(Variants { texts: Texts::Latin1, ..Variants::default() });
    std::fs::write(&consent, "5 €").unwrap();
    let ran = run(client(&sandbox, &arguments)).ended(8);
    assert!(
        ran.stderr.contains("warning: create order: documents[0].text holds U+20AC"),
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.contains("(order_rejected)"), "{}", ran.stderr);
    let xml = folder.path().join("a.xml");
    std::fs::write(&xml, "<a/>").unwrap();
    let ran = run(client(&sandbox, &["sign", &text(&xml), "--kind", "sdo", "-o", &text(&out)]));
    assert!(ran.ended(3).stderr.contains("without its stylesheet"));
}

#[test]
fn an_order_that_is_not_signed_ends_with_eight() {
    let (sandbox, folder) = (sandbox(), tempfile::tempdir().unwrap());
    let file = loan(folder.path(), "loan.pdf");
    let out = output_of(&folder);
    for (action, name) in [(Action::Cancel, "order_cancelled"), (Action::Fail, "order_failed")] {
        let arguments = ["sign", &file, "-o", &text(&out), "--json"];
        let waiting = waiting(client(&sandbox, &arguments));
        let sign_id = waiting.sign_id.clone();
        come_back(&visit(&sandbox, &waiting.url, action));
        let told = waiting.ended(8).json();
        assert_eq!(told["error"]["name"], name);
        assert_eq!(told["error"]["details"]["sign_id"], json!(sign_id));
        assert!(listed(&out).is_empty());
    }
}

#[test]
fn without_a_callback_the_state_alone_is_followed() {
    let (sandbox, folder) = (sandbox(), tempfile::tempdir().unwrap());
    let file = loan(folder.path(), "loan.pdf");
    let out = output_of(&folder);
    let back = "https://shop.example/callback";
    let arguments = ["sign", &file, "-o", &text(&out), "--redirect-uri", back];
    let waiting = waiting(client(&sandbox, &arguments));
    assert!(visit(&sandbox, &waiting.url, Action::Sign).starts_with(back));
    let ran = waiting.ended(0);
    assert!(ran.stdout.contains("it is not known who signed"), "{}", ran.stdout);
    assert_eq!(listed(&out), ["loan.pdf"]);
}

#[test]
fn a_callback_may_be_posted() {
    let (sandbox, folder) = (sandbox(), tempfile::tempdir().unwrap());
    let (file, out) = (loan(folder.path(), "loan.pdf"), output_of(&folder));
    let arguments = ["sign", &file, "-o", &text(&out), "--response-mode", "form_post"];
    let waiting = waiting(client(&sandbox, &arguments));
    let (url, person) = (waiting.url.clone(), Person::Kari);
    let back = sandbox.visit(Visit { url, action: Action::Sign, person }).unwrap();
    let (host, path) = back.url.strip_prefix("http://").unwrap().split_once('/').unwrap();
    let form = back.form.unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    let length = form.len();
    write!(
        stream,
        "POST /{path} HTTP/1.1\r\nhost: {host}\r\ncontent-length: {length}\r\n\r\n{form}"
    )
    .unwrap();
    let mut page = String::new();
    stream.read_to_string(&mut page).unwrap();
    assert!(page.starts_with("HTTP/1.1 200"), "{page}");
    let ran = waiting.ended(0);
    assert!(ran.stdout.contains("signed by "), "{}", ran.stdout);
}

#[test]
fn an_order_is_downloaded_once() {
    let (sandbox, folder) = (sandbox(), tempfile::tempdir().unwrap());
    let file = loan(folder.path(), "loan.pdf");
    let sign_id = signed_order(&sandbox, folder.path(), &[&file]);
    let out = output_of(&folder);
    let to = text(&out);
    let arguments = ["download", &sign_id, "-o", &to, "--original", &file, "--json"];
    let told = run(client(&sandbox, &arguments)).ended(0).json();
    assert_eq!(told["download"]["documents"][0]["unsigned_check"], "matches");
    assert_eq!(listed(&out), ["loan.pdf"]);
    let ran = run(client(&sandbox, &["download", &sign_id, "-o", &to, "--overwrite"])).ended(8);
    assert!(ran.stderr.contains("(order_not_found)"), "{}", ran.stderr);
    let ran = run(program(&["recover", &to])).ended(0);
    assert!(ran.stdout.contains("no download was interrupted"), "{}", ran.stdout);
}

#[test]
fn a_download_that_breaks_off_is_recovered() {
    let (sandbox, folder) = (sandbox(), tempfile::tempdir().unwrap());
    let files = [loan(folder.path(), "loan.pdf"), loan(folder.path(), "terms.pdf")];
    let sign_id = signed_order(&sandbox, folder.path(), &[&files[0], &files[1]]);
    let fault = Fault::CutDocument { document: 2, at: CutAt::Middle, how: CutHow::Close };
    sandbox.faults().add(Rule::new(fault).on("DELETE", PADES)).unwrap();
    let out = output_of(&folder);
    let to = text(&out);
    let ran = run(client(&sandbox, &["download", &sign_id, "-o", &to])).ended(7);
    assert!(ran.stderr.contains(&format!("signdoc recover {to}")), "{}", ran.stderr);

    let ran = run(program(&["recover", &to])).ended(8);
    assert!(ran.stdout.contains("a part had arrived"), "{}", ran.stdout);
    let told = run(client(&sandbox, &["recover", &to, "--online", "--json"])).ended(8).json();
    assert_eq!(told["recovered"][0]["outcome"], "partial");
    assert_eq!(told["recovered"][0]["order_state"], "gone");
    let pdfs = listed(&out).iter().filter(|name| name.ends_with(".pdf")).count();
    assert_eq!(pdfs, 1, "{:?}", listed(&out));
    run(program(&["recover", "/nowhere/at/all"])).ended(1);
}

#[test]
fn a_person_at_a_terminal_sees_the_time_that_is_left() {
    let version = Command::new("script").arg("--version").output();
    if !version.is_ok_and(|told| String::from_utf8_lossy(&told.stdout).contains("util-linux")) {
        println!("not run: util-linux `script`, which makes a terminal, is not installed");
        return;
    }
    let (sandbox, folder) = (sandbox(), tempfile::tempdir().unwrap());
    let file = loan(folder.path(), "loan.pdf");
    let (out, back) = (text(&output_of(&folder)), "https://shop.example/callback");
    let own = client(&sandbox, &["sign", &file, "-o", &out, "--redirect-uri", back]);
    let words = std::iter::once(own.get_program()).chain(own.get_args());
    let words: Vec<_> = words.map(|word| format!("'{}'", word.to_str().unwrap())).collect();
    let mut script = Command::new("script");
    script.args(["--quiet", "--return", "--command", &words.join(" "), "/dev/null"]);
    script.env("TERM", "xterm").stdin(std::process::Stdio::null());
    script.stdout(std::process::Stdio::piped());
    for (name, value) in own.get_envs() {
        match value {
            Some(value) => script.env(name, value),
            None => script.env_remove(name),
        };
    }
    let mut child = script.spawn().unwrap();
    let mut screen = BufReader::new(child.stdout.take().unwrap());
    let mut shown = String::new();
    while !shown.contains(" left") {
        let mut part = [0; 256];
        let count = screen.read(&mut part).unwrap();
        assert!(count > 0, "{shown}");
        shown.push_str(&String::from_utf8_lossy(&part[..count]));
    }
    assert!(shown.contains("waiting for the end user") && shown.contains(", 1:"), "{shown}");
    let url = shown.lines().find(|line| line.starts_with("http://")).unwrap().trim().to_owned();
    visit(&sandbox, &url, Action::Sign);
    screen.read_to_string(&mut shown).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0), "{shown}");
    assert!(shown.contains("matches"), "{shown}");
}
