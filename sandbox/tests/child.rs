//! The sandbox as a process of its own.
// helpers outside of test functions are test code as well
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use common::Connection;
use serde_json::Value;

struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Running {
    fn start(arguments: &[&str]) -> (Self, Value) {
        let mut child = Command::new(env!("CARGO_BIN_EXE_signdoc-sandbox"))
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        (Self(child), serde_json::from_str(&line).unwrap())
    }

    fn ends_within(&mut self, limit: Duration) -> Option<i32> {
        let started = Instant::now();
        while started.elapsed() < limit {
            if let Some(status) = self.0.try_wait().unwrap() {
                return Some(status.code().unwrap_or(-1));
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        None
    }
}

fn answers(ready: &Value) -> bool {
    let mut connection = Connection::open(ready["base_url"].as_str().unwrap());
    connection.request("GET", "/_sandbox/", &[], b"").status == 200
}

#[test]
fn says_where_it_is_and_ends_with_its_input() {
    let started = Instant::now();
    let (mut running, ready) = Running::start(&["--environment", "test", "--client-secret", "s"]);
    println!("ready after {:?}", started.elapsed());
    for key in [
        "issuer",
        "base_url",
        "orders_url",
        "client_id",
        "client_secret",
        "control_url",
        "environment",
    ] {
        assert!(ready[key].is_string(), "{key}");
    }
    assert_eq!(ready["pid"], running.0.id());
    assert_eq!((&ready["environment"], &ready["client_secret"]), (&"test".into(), &"s".into()));
    assert_eq!(ready["converter"].is_null(), ready["converter_reason"].is_string());
    assert!(answers(&ready));
    assert!(running.0.try_wait().unwrap().is_none());
    drop(running.0.stdin.take());
    assert_eq!(running.ends_within(Duration::from_secs(60)), Some(0));
    let mut rest = String::new();
    running.0.stdout.take().unwrap().read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "", "one line and nothing more");
}

#[test]
fn orders_have_an_address_of_their_own_when_it_is_told_so() {
    let (_running, ready) = Running::start(&["--two-addresses", "--no-converter"]);
    let path = "/auth/realms/sandbox/.well-known/openid-configuration";
    let mut connection = Connection::open(ready["base_url"].as_str().unwrap());
    let document = connection.request("GET", path, &[], b"").json();
    assert_eq!(document["signdoc-baseurl"], ready["orders_url"]);
    assert_eq!(document["issuer"], ready["issuer"]);
    assert_ne!(ready["orders_url"], ready["base_url"]);
}

#[cfg(unix)]
#[test]
fn signals_end_it_cleanly_and_keep_ignores_its_input() {
    for signal in ["-INT", "-TERM"] {
        let (mut running, ready) = Running::start(&["--keep", "--no-converter", "--log"]);
        assert!(ready["converter"].is_null());
        drop(running.0.stdin.take());
        assert_eq!(running.ends_within(Duration::from_millis(300)), None);
        assert!(answers(&ready));
        let pid = running.0.id().to_string();
        assert!(Command::new("kill").args([signal, &pid]).status().unwrap().success());
        assert_eq!(running.ends_within(Duration::from_secs(60)), Some(0), "{signal}");
        let mut log = String::new();
        running.0.stderr.take().unwrap().read_to_string(&mut log).unwrap();
        assert!(log.contains("no converter"), "{log}");
    }
}

#[test]
fn bad_arguments_end_with_2_and_a_taken_port_with_1() {
    let run = |arguments: &[&str]| {
        let output =
            Command::new(env!("CARGO_BIN_EXE_signdoc-sandbox")).args(arguments).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, said) = run(&["--nonsense"]);
    assert_eq!(code, Some(2));
    assert!(said.contains("--nonsense") && said.contains("usage:"), "{said}");
    let (_running, ready) = Running::start(&["--no-converter"]);
    let port = ready["base_url"].as_str().unwrap().rsplit(':').next().unwrap().to_owned();
    let (code, said) = run(&["--port", &port]);
    assert_eq!(code, Some(1));
    assert!(said.contains(&port), "{said}");
    let output =
        Command::new(env!("CARGO_BIN_EXE_signdoc-sandbox")).arg("--help").output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("usage:"));
}
