//! OpenSSL as a judge that is not ours.
#![allow(dead_code, reason = "each test file uses some of it")]
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::path::{Path, PathBuf};
use std::process::Command;

use signdoc_signature::x509::{Certificate, to_pem};

/// A directory with files for the `openssl` program.
pub struct Judge {
    directory: tempfile::TempDir,
}

/// What the program said.
#[derive(Debug)]
pub struct Verdict {
    pub ok: bool,
    pub text: String,
}

impl Judge {
    /// Nothing when the program is not installed; the reason is printed.
    pub fn new() -> Option<Self> {
        match Command::new("openssl").arg("version").output() {
            Ok(output) if output.status.success() => {
                Some(Self { directory: tempfile::tempdir().unwrap() })
            }
            other => {
                eprintln!("not judged: the openssl program does not run ({other:?})");
                None
            }
        }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), bytes).unwrap();
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    pub fn write_pem(&self, name: &str, certificates: &[Certificate]) {
        let text: String = certificates.iter().map(|c| to_pem("CERTIFICATE", c.as_der())).collect();
        self.write(name, text);
    }

    /// Runs `openssl` with arguments separated by spaces, inside the directory.
    pub fn run(&self, arguments: &str) -> Verdict {
        let output = Command::new("openssl")
            .args(arguments.split_whitespace())
            .current_dir(Path::new(self.directory.path()))
            .output()
            .unwrap();
        let text = [output.stdout, output.stderr]
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            .concat();
        Verdict { ok: output.status.success(), text }
    }

    #[track_caller]
    pub fn accepts(&self, arguments: &str) -> String {
        let verdict = self.run(arguments);
        assert!(verdict.ok, "openssl {arguments}\n{}", verdict.text);
        verdict.text
    }

    #[track_caller]
    pub fn refuses(&self, arguments: &str) -> String {
        let verdict = self.run(arguments);
        assert!(!verdict.ok, "openssl accepted: {arguments}\n{}", verdict.text);
        verdict.text
    }
}
