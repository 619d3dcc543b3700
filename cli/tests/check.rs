//! `signdoc check`: what it finds, what it advises, what it ends with.
#![allow(missing_docs)]
// Clippy's leave for tests does not reach what tests share.
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used)]

mod common;

use common::{CONVERT, SECRET, TOKEN, client, program, run, sandbox, seen};
use serde_json::Value;
use signdoc_sandbox::{Environment, Fault, Rule, Sandbox, ServerCertificate};

const SPECS: &str = "/signdoc/convert/pdf/specs";

/// The JSON document of a check that ends with `status`.
fn checked(sandbox: &Sandbox, more: &[&str], status: i32) -> Value {
    checked_in(sandbox, more, &[], status)
}

/// The same with these variables.
fn checked_in(sandbox: &Sandbox, more: &[&str], variables: &[(&str, &str)], status: i32) -> Value {
    let mut arguments = vec!["check", "--json"];
    arguments.extend(more);
    let mut command = client(sandbox, &arguments);
    command.envs(variables.iter().copied());
    let ran = run(command).ended(status);
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
    assert_eq!(names.len(), 9, "{}", ran.stdout);
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

/// The names of the points that failed; each has a remedy.
fn failed(told: &Value) -> Vec<&str> {
    let points = told["points"].as_array().unwrap();
    let failed = points.iter().filter(|point| point["status"] == "failed");
    failed
        .inspect(|point| assert!(point["remedy"].as_str().is_some_and(|remedy| remedy.len() > 10)))
        .map(|point| point["name"].as_str().unwrap())
        .collect()
}

#[test]
fn a_certificate_that_is_not_trusted_names_ca_file() {
    for (kind, word) in [
        (ServerCertificate::UnknownCa, "ca_file"),
        (ServerCertificate::Expired, "renew"),
        (ServerCertificate::WrongName, "address"),
    ] {
        let builder = Sandbox::builder().environment(Environment::Test).client_secret(SECRET);
        let sandbox = builder.tls(true).tls_certificate(kind).start().unwrap();
        let ca = common::text(&sandbox.ca_file().unwrap());
        let told = checked(&sandbox, &["--ca-file", &ca], 5);
        assert_eq!(failed(&told), ["discovery", "tls"], "{told:#}");
        let tls = point(&told, "tls");
        assert_eq!((&tls["code"], &tls["error"]), (&101.into(), &"tls_failed".into()));
        assert!(tls["remedy"].as_str().unwrap().contains(word), "{tls:#}");
    }
    let builder = Sandbox::builder().environment(Environment::Test).client_secret(SECRET);
    let sandbox = builder.tls(true).start().unwrap();
    let ca = common::text(&sandbox.ca_file().unwrap());
    let told = checked(&sandbox, &["--ca-file", &ca], 0);
    let detail = point(&told, "tls")["detail"].as_str().unwrap().to_owned();
    assert!(detail.contains("the certificate of https://127.0.0.1"), "{detail}");
}

#[test]
fn a_proxy_that_is_not_there_is_named() {
    let sandbox = sandbox();
    let variables = [("SIGNDOC_PROXY", "http://user:canary@127.0.0.1:1")];
    let told = checked_in(&sandbox, &["--no-proxy", "x.invalid"], &variables, 5);
    assert!(!told.to_string().contains("canary"));
    assert_eq!(failed(&told), ["discovery", "proxy"], "{told:#}");
    let proxy = point(&told, "proxy");
    assert!(proxy["detail"].as_str().unwrap().contains("http://127.0.0.1:1"), "{proxy:#}");
    assert!(proxy["remedy"].as_str().unwrap().contains("no_proxy"), "{proxy:#}");
    assert_eq!(sandbox.requests().len(), 0);
    // the remedy helps
    let told = checked_in(&sandbox, &["--no-proxy", "127.0.0.1"], &variables, 0);
    let detail = point(&told, "proxy")["detail"].as_str().unwrap().to_owned();
    assert!(detail.contains("no_proxy"), "{detail}");
}

#[test]
fn a_clock_that_is_off_is_told_with_how_much() {
    let sandbox = sandbox();
    for (set, word) in [(600_i64, "behind"), (-600, "ahead of")] {
        let now = i64::try_from(sandbox.clock().now_unix()).unwrap();
        sandbox.clock().set(u64::try_from(now + set).unwrap());
        let told = checked(&sandbox, &[], 5);
        assert_eq!(failed(&told), ["clock"], "{told:#}");
        let clock = point(&told, "clock");
        let detail = clock["detail"].as_str().unwrap();
        assert!(detail.contains(word) && detail.contains(" s "), "{detail}");
        assert!(clock["remedy"].as_str().unwrap().contains("clock"));
        sandbox.clock().reset();
    }
}

#[test]
fn orders_that_would_go_to_the_address_of_conversions_are_told() {
    let builder = Sandbox::builder().environment(Environment::Production).client_secret(SECRET);
    let sandbox = builder.two_addresses(true).start().unwrap();
    let base = ("SIGNDOC_BASE_URL", sandbox.base_url());
    checked_in(&sandbox, &[], &[base, ("SIGNDOC_ORDERS_URL", sandbox.orders_url())], 0);
    let told = checked_in(&sandbox, &[], &[base, ("SIGNDOC_ORDERS_URL", sandbox.base_url())], 5);
    assert_eq!(failed(&told), ["orders"], "{told:#}");
    let remedy = point(&told, "orders")["remedy"].as_str().unwrap();
    assert!(remedy.contains("signdoc-baseurl"), "{remedy}");
}

#[test]
fn a_scope_that_does_not_open_the_service_is_told() {
    let sandbox = sandbox();
    let told = checked(&sandbox, &["--scope", "esign/nnin"], 4);
    assert_eq!(failed(&told), ["scope"], "{told:#}");
    assert_eq!(point(&told, "credentials")["status"], "passed");
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
