//! `signdoc check`: what it finds, what it advises, what it ends with.
#![allow(missing_docs)]
// Clippy's leave for tests does not reach what tests share.
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used)]

mod common;

use common::{CONVERT, SECRET, TOKEN, client, program, run, sandbox, seen};
use serde_json::Value;
use signdoc_sandbox::{Fault, Rule, Sandbox};

const SPECS: &str = "/signdoc/convert/pdf/specs";

/// The JSON document of a check that ends with `status`.
fn checked(sandbox: &Sandbox, more: &[&str], status: i32) -> Value {
    let mut arguments = vec!["check", "--json"];
    arguments.extend(more);
    let ran = run(client(sandbox, &arguments)).ended(status);
    assert_eq!(ran.stderr, "");
    let told = ran.json();
    assert_eq!(told["exit_status"], status);
    assert_eq!(told["ok"], status == 0);
    told
}

fn point<'a>(told: &'a Value, name: &str) -> &'a Value {
    let points = told["points"].as_array().unwrap();
    points.iter().find(|point| point["name"] == name).unwrap()
}

#[test]
fn all_is_well() {
    let sandbox = sandbox();
    let ran = run(client(&sandbox, &["check"])).ended(0);
    assert_eq!(ran.stderr, "");
    let names: Vec<_> = ran.stdout.lines().take_while(|line| !line.is_empty()).collect();
    assert_eq!(names.len(), 8, "{}", ran.stdout);
    assert!(names.iter().all(|line| line.starts_with("✓ ")), "{}", ran.stdout);
    assert!(ran.stdout.contains("✓ configuration  client sandbox-client at"), "{}", ran.stdout);
    assert!(ran.stdout.ends_with("\neverything is in place\n"), "{}", ran.stdout);
    assert_eq!(seen(&sandbox, "POST", CONVERT), 0, "no document is sent");
    let told = checked(&sandbox, &[], 0);
    assert_eq!(point(&told, "service")["status"], "passed");
}

#[test]
fn refused_credentials_end_with_four_and_a_remedy() {
    let sandbox = sandbox();
    let mut wrong = client(&sandbox, &["check"]);
    wrong.env("SIGNDOC_CLIENT_SECRET", "canary-of-a-wrong-one");
    let ran = run(wrong).ended(4);
    assert!(!ran.stdout.contains("canary"));
    assert!(ran.stdout.contains("\n✗ credentials    "), "{}", ran.stdout);
    assert!(ran.stdout.contains("\n                 remedy: "), "{}", ran.stdout);
    assert!(ran.stdout.contains("\n- service        not looked at"), "{}", ran.stdout);
    assert!(ran.stdout.ends_with("\n1 point needs attention\n"), "{}", ran.stdout);
    let told = checked(&sandbox, &["--scope", "signdoc/everything"], 4);
    assert_eq!(point(&told, "scope")["status"], "failed");
    assert!(point(&told, "scope")["remedy"].is_string());
}

#[test]
fn a_configuration_that_cannot_be_used_ends_with_two() {
    let none = run(program(&["check"])).ended(2);
    assert!(none.stdout.starts_with("✗ configuration  "), "{}", none.stdout);
    assert!(none.stdout.contains("SIGNDOC_ISSUER") && none.stdout.contains("remedy: "));
    let sandbox = sandbox();
    let mut secretless = client(&sandbox, &["check", "--json"]);
    secretless.env_remove("SIGNDOC_CLIENT_SECRET");
    let told = run(secretless).ended(2).json();
    assert_eq!(point(&told, "configuration")["status"], "failed");
}

#[test]
fn what_is_wrong_elsewhere_ends_with_five() {
    let sandbox = sandbox();
    let nowhere = ["--issuer", "http://127.0.0.1:1"];
    let told = checked(&sandbox, &nowhere, 5);
    assert_eq!(point(&told, "discovery")["status"], "failed");
    assert_eq!(point(&told, "credentials")["status"], "not_checked");
    let broken = Rule::new(Fault::status(500)).on("GET", SPECS).forever();
    sandbox.faults().add(broken).unwrap();
    let specs = sandbox.requests().len();
    let told = checked(&sandbox, &[], 5);
    assert!(sandbox.requests().len() > specs);
    assert_eq!(point(&told, "credentials")["status"], "passed");
    assert_eq!(point(&told, "service")["status"], "failed", "{told:#}");
}

#[test]
fn ctrl_c_ends_it() {
    let sandbox = sandbox();
    let stall = Fault::Stall { after_bytes: None, for_ms: None };
    sandbox.faults().add(Rule::new(stall).on("POST", TOKEN).forever()).unwrap();
    let child = common::spawn(client(&sandbox, &["check"]));
    while seen(&sandbox, "POST", TOKEN) == 0 {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    common::signal(&child, "INT");
    let ran = common::ran(child.wait_with_output().unwrap()).ended(130);
    assert!(!ran.stdout.contains(SECRET));
}
