//! What Ctrl-C and `--timeout` do once the service has deleted the order: nothing, at first.
#![allow(missing_docs)]
// Clippy's leave for tests does not reach what tests share.
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used)]

mod common;

use std::path::Path;
use std::time::{Duration, Instant};

use common::service::{ORDER, Script, Service, answer, of_sizes};
use common::user::{Running, waiting};
use common::{listed, output_of, pdf, program, run, text};

/// The service has sent the first document and half of the second.
fn half_way(sent: &[Vec<u8>]) -> Service {
    let text = answer(sent);
    Script { first: in_the_second(&text), ..Script::completed(text) }.start()
}

fn in_the_second(text: &str) -> usize {
    text.find("Loan - 2").unwrap() + 1000
}

/// Waits, for two minutes at most.
fn until(what: &str, ready: impl Fn() -> bool) {
    let begun = Instant::now();
    while !ready() {
        assert!(begun.elapsed() < Duration::from_secs(120), "{what} does not come");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Waits until everything that was sent of the answer is on the disk.
fn begun(service: &Service, out: &Path) {
    let answer = out.join(format!(".signdoc-{ORDER}-1.answer.part"));
    until("the answer", || answer.metadata().is_ok_and(|found| found.len() == service.first));
}

fn downloading(service: &Service, out: &Path, more: &[&str]) -> Running {
    let to = text(out);
    let mut arguments = vec!["download", ORDER, "-o", &to];
    arguments.extend(more);
    let running = Running::start(service.client(&arguments));
    begun(service, out);
    running
}

#[test]
fn ctrl_c_does_not_cut_a_download_short() {
    let folder = tempfile::tempdir().unwrap();
    let (out, sent) = (output_of(&folder), of_sizes(&[30_000, 90_000]));
    for signal in ["INT", "TERM"] {
        let service = half_way(&sent);
        let mut running = downloading(&service, &out, &["--overwrite"]);
        running.signal(signal);
        let told = running.until("not stopping yet");
        for part in [ORDER, &text(&out), "press Ctrl-C again to give them up"] {
            assert!(told.contains(part), "{told}");
        }
        service.gate.open();
        let ran = running.ended(0);
        assert!(ran.stdout.contains(".pdf"), "{}", ran.stdout);
        let names: Vec<_> = (1..=2).map(|number| format!("{ORDER}-{number}.pdf")).collect();
        assert_eq!(listed(&out), names);
        for (name, document) in names.iter().zip(&sent) {
            assert_eq!(&std::fs::read(out.join(name)).unwrap(), document);
        }
        assert_eq!(service.seen("DELETE"), 1);
    }
}

#[test]
fn the_second_ctrl_c_gives_up_and_says_how_to_get_what_came() {
    for (signal, status) in [("INT", 130), ("TERM", 143)] {
        let folder = tempfile::tempdir().unwrap();
        let (out, sent) = (output_of(&folder), of_sizes(&[30_000, 90_000]));
        let service = half_way(&sent);
        let mut running = downloading(&service, &out, &["--json"]);
        running.signal(signal);
        running.until("not stopping yet");
        running.signal(signal);
        let ran = running.ended(status);
        let recover = format!("`signdoc recover {}`", text(&out));
        assert!(ran.stderr.contains(&recover), "{}", ran.stderr);
        let told = ran.json();
        assert_eq!(told["error"]["details"]["sign_id"], ORDER);
        assert_eq!(told["error"]["name"], "cancelled");
        let found = run(program(&["recover", &text(&out), "--json"])).ended(8).json();
        assert_eq!(found["recovered"][0]["outcome"], "partial");
        let name = format!("{ORDER}-1.pdf");
        assert_eq!(std::fs::read(out.join(name)).unwrap(), sent[0], "what had come whole");
    }
}

#[test]
fn a_time_limit_does_not_cut_a_download_short() {
    let folder = tempfile::tempdir().unwrap();
    let (out, sent) = (output_of(&folder), of_sizes(&[30_000, 90_000]));
    let service = half_way(&sent);
    // Long enough for all that comes before, on a machine that has much to do.
    let mut running = downloading(&service, &out, &["--timeout", "10", "--json"]);
    let told = running.until("--timeout");
    for part in ["not finished within 10 s", ORDER, &text(&out), "press Ctrl-C to give them up"] {
        assert!(told.contains(part), "{told}");
    }
    service.gate.open();
    let told = running.ended(0).json();
    assert_eq!(told["download"]["documents"].as_array().unwrap().len(), 2);
    assert_eq!(std::fs::read(out.join(format!("{ORDER}-2.pdf"))).unwrap(), sent[1]);
}

#[test]
fn one_ctrl_c_gives_up_what_a_time_limit_has_told_of() {
    let folder = tempfile::tempdir().unwrap();
    let out = output_of(&folder);
    let service = half_way(&of_sizes(&[30_000, 90_000]));
    let mut running = downloading(&service, &out, &["--timeout", "10"]);
    running.until("not finished within 10 s");
    running.signal("INT");
    let ran = running.ended(130);
    assert!(ran.stderr.contains("given up"), "{}", ran.stderr);
}

#[test]
fn before_the_request_has_left_ctrl_c_ends_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let out = output_of(&folder);
    let script = Script { holds_state: true, ..Script::completed(answer(&of_sizes(&[100]))) };
    let service = script.start();
    let running = Running::start(service.client(&["download", ORDER, "-o", &text(&out)]));
    until("the question for the state", || service.seen("GET") > 0);
    running.signal("INT");
    let ran = running.ended(130);
    assert!(ran.stderr.contains("interrupted"), "{}", ran.stderr);
    assert!(!ran.stderr.contains("recover"), "{}", ran.stderr);
    assert_eq!(service.seen("DELETE"), 0);
    assert!(listed(&out).is_empty());
}

#[test]
fn a_call_that_cannot_begin_in_time_has_touched_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let out = output_of(&folder);
    let script = Script { holds_state: true, ..Script::completed(answer(&of_sizes(&[100]))) };
    let service = script.start();
    let arguments = ["download", ORDER, "-o", &text(&out), "--timeout", "1"];
    let ran = run(service.client(&arguments)).ended(5);
    assert!(ran.stderr.contains("(total_timeout)"), "{}", ran.stderr);
    assert!(ran.stderr.contains("the order was not touched"), "{}", ran.stderr);
    assert_eq!(service.seen("DELETE"), 0);
}

#[test]
fn what_comes_with_the_end_of_an_order_is_received_as_well() {
    let folder = tempfile::tempdir().unwrap();
    let (out, sent) = (output_of(&folder), of_sizes(&[30_000]));
    let to = text(&out);
    let arguments = ["discard", ORDER, "--yes", "-o", &to, "--json"];
    let service = Script::completed(answer(&sent)).start();
    let mut running = Running::start(service.client(&arguments));
    until("the end of the order", || service.seen("DELETE") > 0);
    running.signal("INT");
    running.until("not stopping yet: the order is being ended");
    service.gate.open();
    let told = running.ended(0).json();
    let path = told["saved"][0]["path"].as_str().unwrap();
    assert_eq!(std::fs::read(path).unwrap(), sent[0]);

    let service = Script::completed(answer(&sent)).start();
    let mut running = Running::start(service.client(&arguments));
    until("the end of the order", || service.seen("DELETE") > 0);
    running.signal("INT");
    running.until("not stopping yet");
    running.signal("INT");
    let ran = running.ended(130);
    assert!(ran.stderr.contains(&format!("`signdoc state {ORDER}`")), "{}", ran.stderr);
}

#[test]
fn signing_receives_its_results_to_the_end_as_well() {
    let folder = tempfile::tempdir().unwrap();
    let out = output_of(&folder);
    let sent = of_sizes(&[30_000, 90_000]);
    let service = half_way(&sent);
    let files = [pdf(folder.path(), "loan.pdf"), pdf(folder.path(), "terms.pdf")];
    let to = text(&out);
    let arguments = [
        "sign",
        &files[0],
        &files[1],
        "-o",
        &to,
        "--redirect-uri",
        "https://shop.example/cb",
        "--results",
        "padesSignedPdf",
    ];
    let mut waiting = waiting(service.client(&arguments));
    begun(&service, &out);
    waiting.running.signal("INT");
    waiting.running.until("not stopping yet");
    service.gate.open();
    waiting.ended(0);
    assert_eq!(listed(&out), ["loan.pdf", "terms.pdf"]);
    assert_eq!(std::fs::read(out.join("terms.pdf")).unwrap(), sent[1]);
}
