//! What the tests of sign orders share: the end user, and the program that waits for them.
#![allow(dead_code, missing_docs)]
// Clippy's leave for tests does not reach what tests share.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command};

use signdoc_sandbox::{Action, Person, Sandbox, Visit, samples};

use super::{Ran, client, ran, signal, text};

pub const PADES: &str = "/signdoc/pades";
pub const SDO: &str = "/signdoc";

/// The program while it runs; what it says is read line by line.
pub struct Running {
    pub child: Child,
    stderr: BufReader<std::process::ChildStderr>,
    pub told: String,
}

impl Running {
    pub fn start(mut command: Command) -> Self {
        let mut child = command.spawn().expect("the program starts");
        let stderr = BufReader::new(child.stderr.take().unwrap());
        Self { child, stderr, told: String::new() }
    }

    /// The next line on standard error.
    pub fn line(&mut self) -> String {
        let mut line = String::new();
        let count = self.stderr.read_line(&mut line).unwrap();
        assert!(count > 0, "ended after: {}", self.told);
        self.told.push_str(&line);
        line.trim().to_owned()
    }

    /// Reads on until a line holds `part`; gives that line.
    pub fn until(&mut self, part: &str) -> String {
        loop {
            let line = self.line();
            if line.contains(part) {
                return line;
            }
        }
    }

    pub fn signal(&self, name: &str) {
        signal(&self.child, name);
    }

    pub fn ended(self, status: i32) -> Ran {
        self.ended_somehow().ended(status)
    }

    pub fn ended_somehow(mut self) -> Ran {
        self.stderr.read_to_string(&mut self.told).unwrap();
        let mut output = self.child.wait_with_output().unwrap();
        output.stderr = self.told.into_bytes();
        ran(output)
    }
}

/// The program while it waits for the end user.
pub struct Waiting {
    pub running: Running,
    pub sign_id: String,
    pub url: String,
}

/// Starts the program and reads the order and the address it tells.
pub fn waiting(command: Command) -> Waiting {
    let mut running = Running::start(command);
    let told = running.until("Order ");
    let sign_id = told.strip_prefix("Order ").expect("the order is told").to_owned();
    running.until("Open this address to sign:");
    let url = running.line();
    Waiting { running, sign_id, url }
}

impl Waiting {
    pub fn ended(self, status: i32) -> Ran {
        self.running.ended(status)
    }
}

/// The end user at the signing page; gives the address the browser is sent back to.
pub fn visit(sandbox: &Sandbox, url: &str, action: Action) -> String {
    let person = Person::default();
    sandbox.visit(Visit { url: url.to_owned(), action, person }).unwrap().url
}

/// What the browser does with it.
pub fn come_back(address: &str) {
    let rest = address.strip_prefix("http://").unwrap();
    let (host, path) = rest.split_once('/').unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    write!(stream, "GET /{path} HTTP/1.1\r\nhost: {host}\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

pub fn loan(folder: &Path, name: &str) -> String {
    let path = folder.join(name);
    std::fs::write(&path, samples::loan_agreement()).unwrap();
    text(&path)
}

/// An order that nobody has signed yet; `arguments` are those of `signdoc sign`.
pub fn open_order(sandbox: &Sandbox, folder: &Path, arguments: &[&str]) -> String {
    let out = text(&folder.join("never"));
    let mut all = vec!["sign", "-o", &out, "--redirect-uri", "https://shop.example/cb"];
    all.extend(arguments);
    let waiting = waiting(client(sandbox, &all));
    let sign_id = waiting.sign_id.clone();
    waiting.running.signal("INT");
    let ran = waiting.ended(130);
    assert!(ran.stderr.contains(&format!("signdoc download {sign_id}")), "{}", ran.stderr);
    sign_id
}

/// An order that its end user has signed.
pub fn signed_order(sandbox: &Sandbox, folder: &Path, arguments: &[&str]) -> String {
    let sign_id = open_order(sandbox, folder, arguments);
    sandbox.sign(&sign_id, Person::default()).unwrap();
    sign_id
}
