//! `signdoc convert` with many documents: several calls at a time, and going on where it stopped.
#![allow(missing_docs)]
// Clippy's leave for tests does not reach what tests share.
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used)]

mod common;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use common::{
    CONVERT, answers, client, converted, listed, output_of, pdf, program, run, sandbox, seen,
    signal, spawn, started, text,
};
use serde_json::{Value, json};
use signdoc_sandbox::{Environment, Fault, Rule, Sandbox};

const MANIFEST: &str = ".signdoc-manifest.jsonl";

/// A folder with so many PDFs in it.
fn filled(folder: &tempfile::TempDir, count: usize) -> String {
    for number in 0..count {
        pdf(&folder.path().join("in"), &format!("{number:03}.pdf"));
    }
    text(&folder.path().join("in"))
}

/// Every call is answered with `count` documents, after a while.
fn slow(sandbox: &Sandbox, count: usize, milliseconds: u64) {
    let body = Value::Array(vec![converted(&[]); count]).to_string();
    let fault = Fault::answer(200, "application/json", body);
    let rule = Rule::new(fault).on("POST", CONVERT).forever().delay_ms(milliseconds);
    sandbox.faults().add(rule).unwrap();
}

/// Over how many connections 60 documents went; calls side by side need one each.
fn connections(sandbox: &Sandbox, inputs: &str, out: &Path, jobs: &str) -> usize {
    let before = sandbox.requests().len();
    let arguments = ["convert", inputs, "-o", &text(out), "--jobs", jobs, "--json"];
    let told = run(client(sandbox, &arguments)).ended(0).json();
    let results = told["results"].as_array().unwrap();
    for (number, result) in results.iter().enumerate() {
        assert_eq!(result["index"], number, "results stand in the order of the inputs");
        assert_eq!(result["resumed"], false);
        let name = format!("{number:03}.pdf");
        assert!(result["document"].as_str().unwrap().ends_with(&name));
        assert!(result["path"].as_str().unwrap().ends_with(&name));
    }
    let sent = sandbox.requests().into_iter().skip(before).filter(|seen| seen.path == CONVERT);
    let connections: Vec<u64> = sent.map(|seen| seen.connection).collect();
    assert_eq!(connections.len(), 4, "fifteen documents each");
    connections.into_iter().collect::<BTreeSet<_>>().len()
}

#[test]
fn calls_run_side_by_side_and_results_keep_the_order_of_the_inputs() {
    let (sandbox, folder) = (sandbox(), tempfile::tempdir().unwrap());
    let inputs = filled(&folder, 60);
    slow(&sandbox, 15, 500);
    assert_eq!(connections(&sandbox, &inputs, &folder.path().join("one"), "1"), 1);
    let two = connections(&sandbox, &inputs, &folder.path().join("two"), "2");
    assert_eq!(two, 2, "--jobs 2 is two at a time and no more");
    // a machine that stops for a while may see one end before another begins
    let four = connections(&sandbox, &inputs, &folder.path().join("four"), "4");
    assert!((3..=4).contains(&four), "{four} connections: --jobs 4 is four at a time");
}

#[test]
fn the_number_of_jobs_has_limits() {
    for wrong in ["0", "65", "many"] {
        let ran = run(program(&["convert", "a.pdf", "-o", "out", "--jobs", wrong])).ended(2);
        assert!(ran.stderr.contains("--jobs"), "{}", ran.stderr);
    }
}

#[test]
fn what_is_done_is_not_sent_again() {
    let (sandbox, folder) = (sandbox(), tempfile::tempdir().unwrap());
    let inputs = filled(&folder, 2);
    let out = output_of(&folder);
    let arguments = ["convert", &inputs, "-o", &text(&out), "--resume"];
    answers(&sandbox, 2);
    let first = run(client(&sandbox, &arguments)).ended(0);
    assert!(first.stdout.contains("\n2 of 2 converted, results in"), "{}", first.stdout);
    assert_eq!(listed(&out), [MANIFEST, "000.pdf", "001.pdf"]);

    pdf(&folder.path().join("in"), "002.pdf");
    answers(&sandbox, 1);
    let second = run(client(&sandbox, &arguments)).ended(0);
    assert_eq!(seen(&sandbox, "POST", CONVERT), 2);
    let sent = sandbox.requests().into_iter().rfind(|seen| seen.path == CONVERT).unwrap();
    assert_eq!(sent.body.unwrap()["documents"].as_array().unwrap().len(), 1);
    let line = "\n3 of 3 converted, 2 of them by an earlier run, results in";
    assert!(second.stdout.contains(line), "{}", second.stdout);
    let row = |name: &str| {
        let row = second.stdout.lines().find(|line| line.contains(name)).unwrap();
        row.split_whitespace().nth(3).unwrap().to_owned()
    };
    assert_eq!((row("000.pdf"), row("002.pdf")), ("earlier".to_owned(), "yes".to_owned()));

    let mut third = client(&sandbox, &arguments);
    third.arg("--json");
    let told = run(third).ended(0).json();
    assert_eq!(seen(&sandbox, "POST", CONVERT), 2, "nothing was left to send");
    for result in told["results"].as_array().unwrap() {
        assert_eq!((&result["status"], &result["resumed"]), (&json!("converted"), &json!(true)));
    }
}

#[test]
fn a_document_that_changed_and_a_result_that_is_gone_are_done_again() {
    let (sandbox, folder) = (sandbox(), tempfile::tempdir().unwrap());
    let inputs = filled(&folder, 3);
    let out = output_of(&folder);
    let manifest = folder.path().join("done.jsonl");
    let named = format!("--resume={}", text(&manifest));
    let arguments = ["convert", &inputs, "-o", &text(&out), &named, "--json"];
    answers(&sandbox, 3);
    run(client(&sandbox, &arguments)).ended(0);
    assert!(manifest.exists() && !out.join(MANIFEST).exists());
    std::fs::write(folder.path().join("in/000.pdf"), b"%PDF-1.4 another").unwrap();
    std::fs::remove_file(out.join("001.pdf")).unwrap();
    answers(&sandbox, 1);
    // The result of the former 000.pdf is no file of this document.
    let told = run(client(&sandbox, &arguments)).ended(3).json();
    let results = &told["results"];
    assert_eq!(results[0]["failure"]["name"], "destination_exists");
    let done = |at: usize| (results[at]["status"] == "converted", results[at]["resumed"] == true);
    assert_eq!((done(1), done(2)), ((true, false), (true, true)));
    answers(&sandbox, 1);
    let mut overwriting = client(&sandbox, &arguments);
    overwriting.arg("--overwrite");
    let told = run(overwriting).ended(0).json();
    let resumed: Vec<_> = (0..3).map(|at| told["results"][at]["resumed"].clone()).collect();
    assert_eq!(resumed, [json!(false), json!(true), json!(true)], "{told:#}");
}

#[test]
fn ctrl_c_ends_all_calls_and_the_same_command_goes_on() {
    let (sandbox, folder) = (sandbox(), tempfile::tempdir().unwrap());
    let inputs = filled(&folder, 45);
    let out = output_of(&folder);
    answers(&sandbox, 15);
    let stall = Fault::Stall { after_bytes: None, for_ms: None };
    sandbox.faults().add(Rule::new(stall).on("POST", CONVERT).forever()).unwrap();
    let arguments = ["convert", &inputs, "-o", &text(&out), "--jobs", "2", "--resume"];
    let child = spawn(client(&sandbox, &arguments));
    let begun = Instant::now();
    while seen(&sandbox, "POST", CONVERT) < 3 || listed(&out).len() < 16 {
        assert!(begun.elapsed() < Duration::from_secs(120), "{:?}", listed(&out));
        std::thread::sleep(Duration::from_millis(10));
    }
    signal(&child, "INT");
    // the calls are stalled for good: that it ends is the signal's work
    let ran = common::ran(child.wait_with_output().unwrap()).ended(130);
    assert!(ran.stderr.contains("The same command goes on from here."), "{}", ran.stderr);
    assert!(ran.stdout.contains("\n15 of 45 converted, 30 without a result"), "{}", ran.stdout);
    assert_eq!(listed(&out).len(), 16, "no partial file is left: {:?}", listed(&out));

    sandbox.faults().clear();
    answers(&sandbox, 15);
    answers(&sandbox, 15);
    let told = run(client(&sandbox, &arguments)).ended(0);
    assert_eq!(seen(&sandbox, "POST", CONVERT), 5);
    let line = "\n45 of 45 converted, 15 of them by an earlier run";
    assert!(told.stdout.contains(line), "{}", told.stdout);
}

#[test]
fn a_file_that_is_no_manifest_is_refused_and_left_alone() {
    let (sandbox, folder) = (sandbox(), tempfile::tempdir().unwrap());
    let inputs = filled(&folder, 1);
    let precious = folder.path().join("precious.pdf");
    let content = b"%PDF-1.7\nand no end of line at the end";
    std::fs::write(&precious, content).unwrap();
    let named = format!("--resume={}", text(&precious));
    let ran =
        run(client(&sandbox, &["convert", &inputs, "-o", &text(&output_of(&folder)), &named]));
    let ran = ran.ended(1);
    assert!(ran.stderr.contains("is no line of a manifest"), "{}", ran.stderr);
    assert_eq!(std::fs::read(&precious).unwrap(), content);
    assert!(sandbox.requests().is_empty());
}

#[test]
fn no_further_calls_begin_after_one_that_failed_as_a_whole() {
    let folder = tempfile::tempdir().unwrap();
    let inputs = filled(&folder, 60);
    let disabled = started(Environment::Test);
    let broken = sandbox();
    common::fails(&broken, Fault::status(500));
    let out: PathBuf = output_of(&folder);
    for (sandbox, status) in [(disabled, 8), (broken, 5)] {
        let arguments = ["convert", &inputs, "-o", &text(&out), "--jobs", "2", "--json"];
        let told = run(client(&sandbox, &arguments)).ended(status).json();
        let calls = seen(&sandbox, "POST", CONVERT);
        assert_eq!(calls, 2, "both were under way already");
        let results = told["results"].as_array().unwrap();
        let tried = results.iter().filter(|result| result["status"] == "not_converted").count();
        assert_eq!((results.len(), tried), (60, 30));
        assert_eq!(results[59]["status"], "no_result");
    }
    assert!(listed(&out).is_empty());
}
