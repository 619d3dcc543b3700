//! No room where results belong: they are kept all the same, or the program does not end.
#![allow(missing_docs)]
// Clippy's leave for tests does not reach what tests share.
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used)]
#![cfg(target_os = "linux")]

mod common;

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use common::service::{ORDER, Script, Service, answer, of_sizes};
use common::user::Running;
use common::{listed, output_of, program, run, text};

/// A folder that is none.
const NOWHERE: &str = "/dev/null/no-folder";

/// Whether the limit on files can be lifted from outside (util-linux `prlimit`).
fn can_lift() -> bool {
    let version = Command::new("prlimit").arg("--version").stdout(Stdio::null()).status();
    let there = version.is_ok_and(|status| status.success());
    if !there {
        println!("not run: util-linux `prlimit`, which makes room, is not installed");
    }
    there
}

/// The program where no file may grow beyond 40 blocks of 512 or 1024 bytes, wherever it lies.
fn cramped(service: &Service, arguments: &[&str]) -> Running {
    let mut command = Command::new("sh");
    let before = "trap '' XFSZ; ulimit -S -f 40";
    command.args(["-c", &format!("{before}; exec \"$0\" \"$@\""), env!("CARGO_BIN_EXE_signdoc")]);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("SIGNDOC_") {
            command.env_remove(name);
        }
    }
    service.tell(&mut command);
    Running::start(command)
}

/// Somebody makes room.
fn lift(running: &Running) {
    let pid = running.child.id().to_string();
    let lifted = Command::new("prlimit").args(["--pid", &pid, "--fsize=unlimited:"]).status();
    assert!(lifted.expect("prlimit runs").success());
}

fn open(script: Script) -> Service {
    script.gate.open();
    script.start()
}

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn what_finds_no_room_anywhere_is_held_until_there_is_some() {
    if !can_lift() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (out, sent) = (output_of(&folder), of_sizes(&[30_000, 90_000, 10_000]));
    std::fs::create_dir(&out).unwrap();
    let taken = out.join(format!("{ORDER}-2.pdf"));
    std::fs::write(&taken, "mine").unwrap();
    let service = open(Script::completed(answer(&sent)));
    let mut running = cramped(&service, &["download", ORDER, "-o", &text(&out), "--json"]);
    let told = running.until("error: no room for 2 files");
    assert!(told.contains(ORDER) && told.contains("120.0 kB"), "{told}");
    let told = running.until("Make room in one of these folders");
    assert!(told.contains("every 3 s for 10 minutes"), "{told}");
    assert_eq!(running.line(), text(&out));
    lift(&running);
    let ran = running.ended(1);
    let told = ran.json();
    assert_eq!(told["error"]["name"], "destination_failed");
    let saved = told["error"]["details"]["saved"].as_array().unwrap();
    assert_eq!(saved.len(), 2, "{told:#}");
    for (one, document) in saved.iter().zip(&sent) {
        let path = PathBuf::from(one["path"].as_str().unwrap());
        assert_eq!(path.parent(), Some(out.as_path()));
        assert_eq!(&std::fs::read(&path).unwrap(), document);
        assert_eq!(mode(&path), 0o600);
    }
    assert_eq!(std::fs::read(taken).unwrap(), b"mine");
    let message = told["error"]["message"].as_str().unwrap();
    assert!(
        message.contains(&format!("what found no room at first is in {}", text(&out))),
        "{message}"
    );
    assert!(ran.stderr.contains("nothing is lost") && !ran.stderr.contains("recover"));
    for shown in [&ran.stderr, message] {
        assert!(!shown.contains("this error"), "nobody can see those bytes: {shown}");
    }
}

#[test]
fn a_wrong_digest_is_told_also_where_there_was_no_room() {
    if !can_lift() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let out = output_of(&folder);
    let stated = format!("\"signedDocumentSha256\":\"{}=\",\"padesSignedPdf\"", "A".repeat(43));
    let body = answer(&of_sizes(&[90_000])).replace("\"padesSignedPdf\"", &stated);
    let service = open(Script::completed(body));
    let mut running = cramped(&service, &["download", ORDER, "-o", &text(&out)]);
    running.until("Make room in one of these folders");
    lift(&running);
    let ran = running.ended(5);
    assert!(ran.stderr.contains("(digest_mismatch)"), "{}", ran.stderr);
    assert!(ran.stderr.contains("what found no room at first is in "), "{}", ran.stderr);
}

#[test]
fn an_answer_that_broke_off_is_held_as_it_came() {
    if !can_lift() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (out, sent) = (output_of(&folder), of_sizes(&[30_000, 90_000]));
    let body = answer(&sent);
    let cut = Some(body.len() - 40_000);
    let service = open(Script { cut, ..Script::completed(body) });
    let mut running = cramped(&service, &["download", ORDER, "-o", &text(&out)]);
    running.until("error: no room for 2 files");
    lift(&running);
    let ran = running.ended(7);
    assert!(ran.stderr.contains("the answer as it came is in "), "{}", ran.stderr);
    assert!(!ran.stderr.contains("this error"), "{}", ran.stderr);
    assert_eq!(std::fs::read(out.join(format!("{ORDER}-1.pdf"))).unwrap(), sent[0]);
    let found = run(program(&["recover", &text(&out), "--json"])).ended(8).json();
    let found = found["recovered"].as_array().unwrap();
    let whole = found.iter().any(|one| !one["download"]["documents"][0]["path"].is_null());
    assert!(whole, "the answer can be read again: {found:#?}");
}

#[test]
fn ctrl_c_asks_once_more_before_the_only_copy_is_lost() {
    if !can_lift() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let out = output_of(&folder);
    let service = open(Script::completed(answer(&of_sizes(&[90_000]))));
    let mut running = cramped(&service, &["download", ORDER, "-o", &text(&out)]);
    running.until("Make room in one of these folders");
    running.signal("INT");
    running.until("will be lost for good; press Ctrl-C again");
    running.signal("INT");
    let ran = running.ended(1);
    assert!(ran.stderr.contains("found no room anywhere and had to be given up"), "{}", ran.stderr);
}

#[test]
fn documents_go_home_where_no_other_folder_takes_them() {
    let folder = tempfile::tempdir().unwrap();
    let (out, moved) = (output_of(&folder), folder.path().join("moved"));
    let (home, sent) = (folder.path().join("home"), of_sizes(&[30_000, 90_000]));
    std::fs::create_dir(&home).unwrap();
    let (from, to) = (out.clone(), moved.clone());
    // The folder takes what is open already, but nothing new.
    let on_delete = Arc::new(move || std::fs::rename(&from, &to).unwrap());
    let service = open(Script { on_delete, ..Script::completed(answer(&sent)) });
    let arguments = ["download", ORDER, "-o", &text(&out), "--fallback-folder", NOWHERE];
    let mut command = service.client(&arguments);
    command.env("HOME", &home).env("TMPDIR", NOWHERE).current_dir(folder.path());
    let ran = run(command).ended(1);
    let made = listed(&home);
    let [own] = made.as_slice() else { panic!("one private folder: {made:?}\n{}", ran.stderr) };
    assert!(own.starts_with(&format!("signdoc-{ORDER}-")), "{own}");
    let own = home.join(own);
    assert_eq!(mode(&own), 0o700);
    for (at, document) in sent.iter().enumerate() {
        let path = own.join(format!("{ORDER}-{}.pdf", at + 1));
        assert_eq!(&std::fs::read(&path).unwrap(), document);
        assert_eq!(mode(&path), 0o600);
    }
    let told = format!("what found no room at first is in {}", text(&own));
    assert!(ran.stderr.contains(&told), "{}", ran.stderr);
    // The answer itself was put aside before, and says it all again.
    run(program(&["recover", &text(&moved)])).ended(0);
}
