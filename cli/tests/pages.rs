//! Pages for people: `signdoc verify --html` and `signdoc preflight --preview`.
#![allow(missing_docs)]
// Clippy's leave for tests does not reach what tests share.
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used)]

mod common;
#[path = "common/signing.rs"]
mod signing;

use std::path::{Path, PathBuf};

use common::{Ran, program, run, text};
use signdoc_signature::fixtures;
use signing::{How, Office};

struct Desk {
    office: Office,
    signed: String,
    loan: String,
    folder: tempfile::TempDir,
}

fn desk() -> Desk {
    let office = Office::new();
    let loan = office.file("loan.pdf", fixtures::simple());
    let signed = office.sign(&loan, "signed.pdf", How { timestamp: true, seal: true });
    Desk { office, signed, loan, folder: tempfile::tempdir().unwrap() }
}

impl Desk {
    fn page(&self) -> PathBuf {
        self.folder.path().join("page.html")
    }

    fn verify(&self, files: &[&str], more: &[&str]) -> Ran {
        let roots = self.office.roots();
        let mut command = program(&["verify", "--trust", &roots]);
        command.args(files).args(["--html", &text(&self.page())]).args(more);
        run(command)
    }

    fn read(&self) -> String {
        std::fs::read_to_string(self.page()).unwrap()
    }
}

fn has_poppler() -> bool {
    let found = std::process::Command::new("pdftoppm").arg("-v").output().is_ok();
    if !found {
        println!("no pictures: pdftoppm is not installed");
    }
    found
}

#[test]
fn a_report_becomes_a_page() {
    let desk = desk();
    desk.verify(&[&desk.signed], &["--original", &desk.loan]).ended(0);
    let page = desk.read();
    for told in ["<title>signed.pdf</title>", ">Verified<", "Page 1, after: 1 place is marked"] {
        assert!(page.contains(told), "{told} is missing in {page}");
    }
    assert!(!page.contains("UN:NO-") && !page.contains("<script") && !page.contains("<image"));
    // Written anew, for several files at once, whatever became of them.
    let missing = text(&desk.folder.path().join("missing.pdf"));
    desk.verify(&[&desk.signed, &desk.loan, &missing], &[]).ended(6);
    let page = desk.read();
    assert!(page.contains("1 of 3 files verified") && page.contains("missing.pdf does not exist"));
    let left: Vec<_> = std::fs::read_dir(desk.folder.path()).unwrap().collect();
    assert_eq!(left.len(), 1, "nothing else lies beside it");
}

#[test]
fn pictures_are_for_those_who_ask() {
    let desk = desk();
    let original = ["--original", &desk.loan, "--pictures"];
    if has_poppler() {
        desk.verify(&[&desk.signed], &original).ended(0);
        assert_eq!(desk.read().matches("data:image/png;base64,").count(), 2);
    }
    let roots = desk.office.roots();
    let mut command = program(&["verify", &desk.signed, "--trust", &roots]);
    command.args(["--html", &text(&desk.page()), "--pictures"]).env("PATH", "");
    let ran = run(command).ended(2);
    assert!(ran.stderr.contains("pdftoppm, which is not installed"), "{}", ran.stderr);
    run(program(&["verify", &desk.signed, "--pictures"])).ended(2);
}

#[test]
fn a_page_that_cannot_be_written_is_an_error() {
    let desk = desk();
    let roots = desk.office.roots();
    let nowhere = text(&Path::new("/dev/null").join("page.html"));
    let ran = run(program(&["verify", &desk.signed, "--trust", &roots, "--html", &nowhere]));
    assert_ne!(ran.status, 0);
    assert!(ran.stderr.contains("page.html cannot be written"), "{}", ran.stderr);
}

#[test]
fn planned_seals_are_shown_and_judged() {
    let desk = desk();
    let page = text(&desk.page());
    let preview = |seals: &[&str], status: i32| {
        let mut command = program(&["preflight", &desk.loan, "--preview", &page]);
        seals.iter().for_each(|seal| {
            command.args(["--seal", seal]);
        });
        run(command).ended(status)
    };
    let ran = preview(&["72,640"], 0);
    assert!(ran.stdout.contains("  seal 1 at 72, 640 on page 1\n"), "{}", ran.stdout);
    assert!(desk.read().contains("all of them lie well"));
    let ran = preview(&["500,800", "72,60,9"], 3);
    for told in ["off_page: ", "no_such_page: ", "\na seal is in the wrong place or too large\n"] {
        assert!(ran.stdout.contains(told), "{}", ran.stdout);
    }
    assert!(desk.read().contains("2 seals on 1 page: 2 in the wrong place"));
    let mut command = program(&["preflight", &desk.loan, "--json", "--preview", &page]);
    command.args(["--seal", "72,640"]);
    let told = run(command).ended(0).json();
    assert_eq!((&told["preview"]["ok"], &told["exit_status"]), (&true.into(), &0.into()));
    for wrong in
        [&["--seal", "1,2"][..], &["--preview", &page], &["--preview", &page, "--seal", "x"]]
    {
        let mut command = program(&["preflight", &desk.loan]);
        command.args(wrong);
        run(command).ended(2);
    }
}
