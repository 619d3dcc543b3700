//! What the tests of the program share: it is run as a person runs it.
#![allow(dead_code, missing_docs)]
// Clippy's leave for tests does not reach what tests share.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

pub mod service;
pub mod user;

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::{Value, json};
use signdoc_sandbox::{Environment, Fault, Rule, Sandbox};

/// A small PDF as far as the local checks look.
pub const PDF: &[u8] = b"%PDF-1.4 not much";
pub const CONVERT: &str = "/signdoc/convert";
pub const TOKEN: &str = "/auth/realms/sandbox/protocol/openid-connect/token";
/// A secret that must never be seen.
pub const SECRET: &str = "canary-7f3a-secret";

pub fn sandbox() -> Sandbox {
    started(Environment::Production)
}

pub fn started(environment: Environment) -> Sandbox {
    let builder = Sandbox::builder().environment(environment).client_secret(SECRET);
    builder.start().expect("the sandbox starts")
}

/// The program, with an environment that holds nothing of this machine's.
pub fn program(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_signdoc"));
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("SIGNDOC_") {
            command.env_remove(name);
        }
    }
    command
}

/// The program, told how to reach the sandbox.
pub fn client(sandbox: &Sandbox, arguments: &[&str]) -> Command {
    let mut command = program(arguments);
    command
        .env("SIGNDOC_ISSUER", sandbox.issuer())
        .env("SIGNDOC_CLIENT_ID", sandbox.client_id())
        .env("SIGNDOC_CLIENT_SECRET", sandbox.client_secret())
        .env("SIGNDOC_MAX_RETRIES", "0");
    command
}

pub struct Ran {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Ran {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}\n{}\n{}", self.stdout, self.stderr))
    }

    /// Asserts the exit status, showing everything when it is another.
    pub fn ended(self, status: i32) -> Self {
        assert_eq!(self.status, status, "\n{}\n{}", self.stdout, self.stderr);
        self
    }
}

pub fn run(mut command: Command) -> Ran {
    ran(command.output().expect("the program starts"))
}

pub fn ran(output: Output) -> Ran {
    let text = |bytes| String::from_utf8(bytes).expect("output is UTF-8");
    let ran = Ran {
        status: output.status.code().expect("the program ends by itself"),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    };
    for shown in [&ran.stdout, &ran.stderr] {
        assert!(!shown.contains(SECRET), "a secret is shown:\n{shown}");
        assert!(!shown.contains('\x1b'), "colours without a terminal:\n{shown}");
        assert!(!shown.contains("panicked"), "{shown}");
    }
    ran
}

pub fn spawn(mut command: Command) -> Child {
    command.spawn().expect("the program starts")
}

/// Sends a signal by its name.
pub fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args(["-s", name, &child.id().to_string()]).status();
    assert!(sent.expect("kill runs").success());
}

/// Makes a small PDF in `folder`.
pub fn pdf(folder: &Path, name: &str) -> String {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().expect("a folder")).unwrap();
    std::fs::write(&path, PDF).unwrap();
    text(&path)
}

pub fn text(path: &Path) -> String {
    path.to_str().expect("a path in UTF-8").to_owned()
}

pub fn listed(folder: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let name = |entry: std::io::Result<std::fs::DirEntry>| {
        entry.unwrap().file_name().to_string_lossy().into_owned()
    };
    let mut names: Vec<_> = entries.map(name).collect();
    names.sort();
    names
}

pub fn output_of(folder: &tempfile::TempDir) -> PathBuf {
    folder.path().join("out")
}

pub fn converted(warnings: &[&str]) -> Value {
    json!({
        "conversionResult": {"conversionId": "c-1", "converted": true, "conversionErrors": [], "conversionWarnings": warnings},
        "convertedDocument": "JVBERi0xLjQgb2s=",
    })
}

/// Makes the next conversion answer this.
pub fn answer(sandbox: &Sandbox, status: u16, body: &Value) {
    let fault = Fault::answer(status, "application/json", body.to_string());
    sandbox.faults().add(Rule::new(fault).on("POST", CONVERT)).unwrap();
}

/// Makes the next conversion answer with `count` converted documents.
pub fn answers(sandbox: &Sandbox, count: usize) {
    answer(sandbox, 200, &Value::Array(vec![converted(&[]); count]));
}

/// Makes every conversion fail like this.
pub fn fails(sandbox: &Sandbox, fault: Fault) {
    sandbox.faults().add(Rule::new(fault).on("POST", CONVERT).forever()).unwrap();
}

pub fn seen(sandbox: &Sandbox, method: &str, path: &str) -> usize {
    sandbox.requests().iter().filter(|seen| seen.method == method && seen.path == path).count()
}
