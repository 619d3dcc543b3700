//! Crashes and full disks, in processes of their own: this program starts itself again.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

#[path = "common/download.rs"]
mod download;
#[path = "common/server.rs"]
mod server;

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use download::{Script, answer, contents, documents, listed, of_sizes, sha256};
use server::{Reply, Server, Then};
use signdoc::{Code, Destination, DownloadOptions, RecoveryOutcome, recover};

const ORDER: &str = "4120de56";

/// What the child process does: one download from the parent's server.
#[test]
fn child() {
    let (Ok(url), Ok(folder)) = (std::env::var("CRASH_URL"), std::env::var("CRASH_FOLDER")) else {
        return;
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut builder = signdoc::Config::builder();
        builder.set("issuer", &url).unwrap().set("client_id", "shop").unwrap();
        builder.set("client_secret", "s3cret").unwrap();
        if let Ok(fallback) = std::env::var("CRASH_FALLBACK") {
            builder.set("fallback_folder", &fallback).unwrap();
        }
        let client = signdoc::Client::new(builder.build().unwrap()).unwrap();
        let options =
            DownloadOptions { to: Destination::folder(folder), ..DownloadOptions::default() };
        match client.pades().download(ORDER, &options).await {
            Ok(_) => println!("outcome ok, {} kB at most", peak_kilobytes()),
            Err(error) => {
                println!("outcome {} spool {}", error.code().number(), error.message());
                for document in documents(&error) {
                    println!("document {}", sha256(&document));
                }
                if let Some(raw) = error.raw_answer() {
                    println!("raw {}", sha256(raw));
                }
            }
        }
    });
}

/// The most memory this process has had, where the system tells.
fn peak_kilobytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}

fn child_of(server: &Server, folder: &Path, shell: Option<&str>) -> Command {
    let own = std::env::current_exe().unwrap();
    let mut command = match shell {
        Some(before) => {
            let mut command = Command::new("sh");
            command.args(["-c", &format!("{before}; exec \"$0\" \"$@\"")]).arg(own);
            command
        }
        None => Command::new(own),
    };
    command.args(["--exact", "child", "--nocapture"]);
    command.env("CRASH_URL", server.url()).env("CRASH_FOLDER", folder);
    command.stdout(Stdio::piped()).stderr(Stdio::null());
    command
}

/// Waits until so much of the answer is put aside.
fn await_bytes(path: &Path, bytes: u64) {
    let until = Instant::now() + Duration::from_secs(60);
    while std::fs::metadata(path).map_or(0, |metadata| metadata.len()) < bytes {
        assert!(Instant::now() < until, "the child did not get so far");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A child that has put `cut` bytes aside, and gets no more.
fn half_way(text: &str, cut: usize, folder: &Path) -> (Server, Child) {
    let reply =
        Reply::json(200, format!("{text}\n")).cut(cut, Then::Stall(Duration::from_secs(60)));
    let server = Script::completed(String::new()).replying(reply).start();
    let child = child_of(&server, folder, None).spawn().unwrap();
    await_bytes(&raw_answer(folder), cut as u64);
    (server, child)
}

fn raw_answer(folder: &Path) -> PathBuf {
    folder.join(format!(".signdoc-{ORDER}-1.answer.part"))
}

#[test]
fn a_killed_download_is_finished_by_whoever_looks() {
    let sent = of_sizes(&[50_000, 700, 30_000]);
    let text = answer(&sent);
    let ends: Vec<_> = text.match_indices("\",\"description\"").map(|(at, _)| at + 1).collect();
    let mut cuts = vec![1, ends[0] - 1, ends[2] - 1, text.len() - 1, text.len()];
    cuts.extend(&ends);
    for cut in cuts {
        let folder = tempfile::tempdir().unwrap();
        let (_server, mut child) = half_way(&text, cut, folder.path());
        let busy = recover(folder.path()).unwrap();
        assert_eq!(busy[0].outcome, RecoveryOutcome::InProgress, "not touched while it runs");
        child.kill().unwrap();
        child.wait().unwrap();

        let found = recover(folder.path()).unwrap();
        let whole = &sent[..ends.iter().filter(|end| cut >= **end).count()];
        let complete = cut == text.len();
        let expected = if complete { RecoveryOutcome::Complete } else { RecoveryOutcome::Partial };
        assert_eq!((found.len(), found[0].outcome), (1, expected), "cut at {cut}");
        assert_eq!(found[0].sign_id.as_deref(), Some(ORDER));
        assert_eq!(contents(found[0].download.as_ref().unwrap()), whole, "cut at {cut}");

        // Once more: nothing new, nothing twice.
        let files = listed(folder.path());
        let again = recover(folder.path()).unwrap();
        assert_eq!(again.is_empty(), complete);
        assert_eq!(listed(folder.path()), files, "cut at {cut}");
        assert_eq!(files.len(), whole.len() + if complete { 0 } else { 2 });
    }
}

#[test]
fn killed_at_any_moment_a_download_leaves_whole_documents_only() {
    let sent = of_sizes(&[2_000_000, 1_000_000, 3_000_000]);
    let names: Vec<_> = (1..=3).map(|number| format!("{ORDER}-{number}.pdf")).collect();
    let mut outcomes = std::collections::BTreeMap::<&str, usize>::new();
    for round in 0..16 {
        let folder = tempfile::tempdir().unwrap();
        let server = Script::completed(answer(&sent)).start();
        let mut child = child_of(&server, folder.path(), None).spawn().unwrap();
        while !raw_answer(folder.path()).exists() && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        // The whole takes some 150 ms in a test build.
        std::thread::sleep(Duration::from_millis(round * 10));
        child.kill().unwrap();
        child.wait().unwrap();
        for (name, document) in names.iter().zip(&sent) {
            let found = std::fs::read(folder.path().join(name));
            assert!(found.is_err() || &found.unwrap() == document, "whole or not at all");
        }
        let found = recover(folder.path()).unwrap();
        let outcome = found.first().map_or("ended", |one| one.outcome.as_str());
        *outcomes.entry(outcome).or_default() += 1;
        if matches!(outcome, "ended" | "complete") {
            for (name, document) in names.iter().zip(&sent) {
                assert_eq!(&std::fs::read(folder.path().join(name)).unwrap(), document);
            }
        }
        let shown: Vec<_> = listed(folder.path());
        let ours = |name: &&String| name.starts_with(".signdoc-") || names.contains(*name);
        assert!(shown.iter().all(|name| ours(&name)), "nothing twice, no remains: {shown:?}");
    }
    println!("after a kill: {outcomes:?}");
}

#[test]
fn a_process_killed_before_the_delete_left_has_touched_nothing() {
    let folder = tempfile::tempdir().unwrap();
    // No token comes for the DELETE: the journal is begun, but nothing is sent.
    let mut asked = 0;
    let server = Server::start(move |seen| {
        if seen.is("POST", server::TOKEN) {
            asked += 1;
            let token = r#"{"access_token":"t","expires_in":0}"#;
            let stall = Reply::nothing(Then::Stall(Duration::from_secs(60)));
            return Some(if asked == 1 { Reply::json(200, token) } else { stall });
        }
        let state = || Reply::json(200, r#"{"orderState":"SIGN_COMPLETED"}"#);
        seen.is("GET", server::PADES).then(state)
    });
    let mut child = child_of(&server, folder.path(), None).spawn().unwrap();
    await_bytes(&folder.path().join(format!(".signdoc-{ORDER}-1.journal")), 10);
    child.kill().unwrap();
    child.wait().unwrap();
    let found = recover(folder.path()).unwrap();
    assert_eq!(found[0].outcome, RecoveryOutcome::NotSent);
    assert!(found[0].is_worth_asking_again());
    assert!(listed(folder.path()).is_empty());
    assert!(server.seen("DELETE", server::PADES).is_empty());
}

#[cfg(unix)]
#[test]
fn a_full_disk_loses_nothing() {
    let sent = of_sizes(&[30_000, 90_000, 20_000]);
    // No file may grow beyond 40 blocks of 512 or 1024 bytes: the raw answer does not fit, and of
    // the documents the smallest does.
    let full = "trap '' XFSZ; ulimit -f 40";
    let folder = tempfile::tempdir().unwrap();
    let server = Script::completed(answer(&sent)).start();
    let output = child_of(&server, folder.path(), Some(full)).output().unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    let number = Code::DestinationFailed.number();
    assert!(told.contains(&format!("outcome {number} ")), "{told}");
    assert!(told.contains("save the bytes that this error carries"), "{told}");
    for document in &sent {
        assert!(told.contains(&format!("document {}", sha256(document))), "{told}");
    }
}

#[cfg(unix)]
#[test]
fn what_no_file_took_of_a_broken_answer_comes_with_the_error() {
    let text = answer(&of_sizes(&[30_000, 90_000]));
    let arrived = &text[..text.len() - 60_000];
    let reply = Reply::json(200, &text).cut(arrived.len(), Then::Close);
    let server = Script::completed(text.clone()).replying(reply).start();
    let folder = tempfile::tempdir().unwrap();
    let full = "trap '' XFSZ; ulimit -f 40";
    let output = child_of(&server, folder.path(), Some(full)).output().unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(told.contains(&format!("outcome {} ", Code::OutcomeUnknown.number())), "{told}");
    assert!(told.contains(&format!("raw {}", sha256(arrived.as_bytes()))), "{told}");
}

#[cfg(unix)]
#[test]
fn a_disk_that_takes_the_raw_answer_but_not_its_documents_can_be_finished_later() {
    let sent = of_sizes(&[30_000, 90_000]);
    let folder = tempfile::tempdir().unwrap();
    let mut script = Script::completed(answer(&sent));
    // The folder takes what is open already, but nothing new.
    let (path, moved) = (folder.path().join("out"), folder.path().join("moved"));
    let (from, to) = (path.clone(), moved.clone());
    script.on_delete = Some(Box::new(move || std::fs::rename(&from, &to).unwrap()));
    let server = script.start();
    let mut child = child_of(&server, &path, None);
    let output = child.env("CRASH_FALLBACK", "/dev/null/no-folder").output().unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(told.contains("call recover"), "{told}");
    for document in &sent {
        assert!(told.contains(&format!("document {}", sha256(document))), "{told}");
    }
    let found = recover(&moved).unwrap();
    assert_eq!(found[0].outcome, RecoveryOutcome::Complete);
    assert_eq!(contents(found[0].download.as_ref().unwrap()), sent);
    assert_eq!(listed(&moved), ["4120de56-1.pdf", "4120de56-2.pdf"]);
}

#[cfg(unix)]
#[test]
fn what_a_folder_does_not_take_goes_to_another_one() {
    let sent = of_sizes(&[30_000, 90_000]);
    let folder = tempfile::tempdir().unwrap();
    let fallback = tempfile::tempdir().unwrap();
    let mut script = Script::completed(answer(&sent));
    let (path, moved) = (folder.path().join("out"), folder.path().join("moved"));
    let (from, to) = (path.clone(), moved.clone());
    script.on_delete = Some(Box::new(move || std::fs::rename(&from, &to).unwrap()));
    let server = script.start();
    let mut child = child_of(&server, &path, None);
    let output = child.env("CRASH_FALLBACK", fallback.path()).output().unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(told.contains("what it did not take is in "), "{told}");
    let made = listed(fallback.path());
    let [own] = made.as_slice() else { panic!("one private folder: {made:?}") };
    let own = fallback.path().join(own);
    assert_eq!(listed(&own), ["4120de56-1.pdf", "4120de56-2.pdf"]);
    for (at, document) in sent.iter().enumerate() {
        assert_eq!(&std::fs::read(own.join(format!("{ORDER}-{}.pdf", at + 1))).unwrap(), document);
    }
}

#[test]
fn memory_does_not_grow_with_the_documents() {
    let peak = |sizes: &[usize]| {
        let sent = of_sizes(sizes);
        let folder = tempfile::tempdir().unwrap();
        let server = Script::completed(answer(&sent)).start();
        let output = child_of(&server, folder.path(), None).output().unwrap();
        let told = String::from_utf8(output.stdout).unwrap();
        assert!(told.contains("outcome ok"), "{told}");
        for (at, document) in sent.iter().enumerate() {
            let path = folder.path().join(format!("{ORDER}-{}.pdf", at + 1));
            assert_eq!(&std::fs::read(path).unwrap(), document);
        }
        let words: Vec<_> = told.split_whitespace().collect();
        let at = words.iter().position(|word| *word == "ok,").unwrap();
        words[at + 1].parse::<u64>().unwrap()
    };
    let (small, large) = (peak(&[10]), peak(&[3_700_000; 15]));
    if small == 0 {
        println!("left out: this system does not tell the memory of a process");
        return;
    }
    println!("peak memory: {small} kB for 10 bytes, {large} kB for 15 x 3.7 MB");
    assert!(large < small + 4096, "{small} kB for 10 bytes, {large} kB for 15 x 3.7 MB");
}

#[test]
fn journals_that_are_none_are_told_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let wrong = folder.path().join(".signdoc-x-1.journal");
    std::fs::write(&wrong, "{\"signdoc_journal\":2}\n").unwrap();
    std::fs::write(folder.path().join(".signdoc-y-1.journal"), "").unwrap();
    let found = recover(folder.path()).unwrap();
    assert_eq!(found.len(), 1, "an empty one is about to begin");
    assert_eq!(found[0].outcome, RecoveryOutcome::Unreadable);
    assert_eq!(found[0].problem.as_ref().unwrap().code(), Code::JournalFailed);
    assert!(wrong.exists());
}
