//! Where documents go: files that appear whole or not at all, memory, writers.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "in a test a panic is the report"
)]

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use signdoc::wire::{Delivered, FileOptions, Sink, SinkError};
use tempfile::TempDir;

const REPLACE: FileOptions = FileOptions { overwrite: true, sync: false, tag: None };

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn committed_file(sink: Sink) -> PathBuf {
    match sink.commit() {
        Ok(Delivered::File(path)) => path,
        Ok(_) => panic!("no file"),
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn a_file_appears_whole_when_it_is_committed() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("loan.pdf");
    for sync in [false, true] {
        let mut sink = Sink::file(&path, FileOptions { overwrite: true, sync, tag: None }).unwrap();
        let partial = sink.partial_path().unwrap().to_owned();
        let name = partial.file_name().unwrap().to_str().unwrap();
        assert!(name.starts_with(".loan.pdf.") && name.ends_with(".part"), "{name}");
        assert_eq!(partial.parent(), path.parent());
        sink.write(b"one ").unwrap();
        sink.write(b"two").unwrap();
        assert_eq!(sink.written(), 7);
        assert_eq!(fs::read(&partial).unwrap(), b"one two", "nothing waits in a buffer");
        if !sync {
            assert!(!path.exists());
        }
        assert_eq!(committed_file(sink), path);
        assert_eq!(fs::read(&path).unwrap(), b"one two");
        assert_eq!(names(directory.path()), ["loan.pdf"]);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
    }
}

#[test]
fn a_sink_that_is_dropped_leaves_nothing() {
    let directory = TempDir::new().unwrap();
    let mut sink = Sink::file(directory.path().join("a"), FileOptions::default()).unwrap();
    sink.write(b"half").unwrap();
    assert_eq!(names(directory.path()).len(), 1);
    drop(sink);
    assert!(names(directory.path()).is_empty());
}

#[test]
fn an_incomplete_file_can_be_kept() {
    let directory = TempDir::new().unwrap();
    let mut sink = Sink::file(directory.path().join("a"), FileOptions::default()).unwrap();
    sink.write(b"half").unwrap();
    let kept = sink.keep().unwrap().unwrap();
    assert_eq!(fs::read(kept).unwrap(), b"half");
    assert!(!directory.path().join("a").exists());
    assert!(Sink::memory(0).unwrap().keep().unwrap().is_none());
}

#[test]
fn an_existing_file_is_replaced_only_when_allowed() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("a.pdf");
    fs::write(&path, b"old").unwrap();
    let refused = Sink::file(&path, FileOptions::default()).unwrap_err();
    assert!(matches!(&refused, SinkError::Exists { path: at } if *at == path));
    assert_eq!(refused.path(), Some(path.as_path()));

    // It came while the document was received.
    fs::remove_file(&path).unwrap();
    let mut sink = Sink::file(&path, FileOptions::default()).unwrap();
    sink.write(b"new").unwrap();
    fs::write(&path, b"other").unwrap();
    assert!(matches!(sink.commit(), Err(SinkError::Exists { .. })));
    assert_eq!(fs::read(&path).unwrap(), b"other");
    assert_eq!(names(directory.path()), ["a.pdf"], "the partial file is gone");

    let mut sink = Sink::file(&path, REPLACE).unwrap();
    sink.write(b"new").unwrap();
    committed_file(sink);
    assert_eq!(fs::read(&path).unwrap(), b"new");
}

#[cfg(unix)]
#[test]
fn a_dangling_link_counts_as_existing() {
    let directory = TempDir::new().unwrap();
    let link = directory.path().join("link");
    std::os::unix::fs::symlink("nowhere", &link).unwrap();
    let refused = Sink::file(&link, FileOptions::default());
    assert!(matches!(refused, Err(SinkError::Exists { .. })));
}

#[test]
fn impossible_destinations_are_named_before_anything_is_received() {
    let directory = TempDir::new().unwrap();
    let missing = directory.path().join("no/such/a.pdf");
    let error = Sink::file(&missing, FileOptions::default()).unwrap_err();
    assert!(matches!(&error, SinkError::Create { path, .. } if *path == missing));
    assert_eq!(error.io_error().unwrap().kind(), io::ErrorKind::NotFound);
    for path in [directory.path(), Path::new("/"), Path::new(".."), Path::new("")] {
        let error = Sink::file(path, REPLACE).unwrap_err();
        assert!(matches!(error, SinkError::NotAFile { .. }), "{path:?}: {error}");
    }
}

#[test]
fn long_and_foreign_names_are_possible() {
    let directory = TempDir::new().unwrap();
    for name in ["a".repeat(255), "ø".repeat(127), format!("{}ø", "a".repeat(159))] {
        let path = directory.path().join(&name);
        let mut sink = Sink::file(&path, FileOptions::default()).unwrap();
        sink.write(b"x").unwrap();
        committed_file(sink);
        assert_eq!(fs::read(&path).unwrap(), b"x");
    }
    assert_eq!(names(directory.path()).len(), 3);
}

#[test]
fn a_bare_name_means_the_current_directory() {
    // Nothing is written there: the sink is dropped.
    let name = "signdoc-wire-sink-test.pdf";
    let sink = Sink::file(name, FileOptions::default()).unwrap();
    let partial = sink.partial_path().unwrap().to_owned();
    assert!(partial.exists());
    drop(sink);
    assert!(!partial.exists());
}

#[test]
fn memory_is_reserved_bounded_and_handed_over() {
    let mut sink = Sink::memory(4).unwrap().with_limit(6);
    sink.write(b"abcd").unwrap();
    sink.write(b"ef").unwrap();
    assert!(matches!(sink.write(b"g"), Err(SinkError::TooLarge { limit: 6 })));
    assert_eq!(sink.written(), 6);
    match sink.commit().unwrap() {
        Delivered::Memory(bytes) => assert_eq!(bytes, b"abcdef"),
        _ => panic!("not memory"),
    }
    assert!(matches!(Sink::memory(usize::MAX), Err(SinkError::OutOfMemory { .. })));
}

#[derive(Clone, Default)]
struct Shared(Arc<Mutex<(Vec<u8>, usize)>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut shared = self.0.lock().unwrap();
        if shared.0.len() + bytes.len() > 10 {
            return Err(io::Error::from(io::ErrorKind::StorageFull));
        }
        shared.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        self.0.lock().unwrap().1 += 1;
        Ok(())
    }
}

#[test]
fn a_writer_gets_the_bytes_as_they_come() {
    let shared = Shared::default();
    let mut sink = Sink::writer(shared.clone());
    sink.write(b"12345").unwrap();
    assert_eq!(shared.0.lock().unwrap().0, b"12345");
    let error = sink.write(b"678901").unwrap_err();
    assert_eq!(error.io_error().unwrap().kind(), io::ErrorKind::StorageFull);
    assert!(matches!(sink.commit(), Ok(Delivered::Writer(_))));
    assert_eq!(shared.0.lock().unwrap().1, 1, "flushed once");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_reported_with_its_path() {
    // A tiny file system of its own; where mounting is not possible the reason is printed.
    let directory = TempDir::new().unwrap();
    let mounted = std::process::Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=64k", "tmpfs"])
        .arg(directory.path())
        .output();
    match mounted {
        Ok(output) if output.status.success() => {}
        Ok(output) => {
            return eprintln!("not tested: {}", String::from_utf8_lossy(&output.stderr).trim());
        }
        Err(error) => return eprintln!("not tested: mount cannot be run: {error}"),
    }
    let path = directory.path().join("a.pdf");
    let mut sink = Sink::file(&path, FileOptions::default()).unwrap();
    let result = sink.write(&vec![0; 1 << 20]);
    drop(sink);
    let left = names(directory.path());
    let unmounted = std::process::Command::new("umount").arg(directory.path()).status();
    assert!(unmounted.unwrap().success());
    let error = result.unwrap_err();
    assert!(matches!(&error, SinkError::Write { path: at, .. } if *at == path), "{error}");
    assert_eq!(error.io_error().unwrap().kind(), io::ErrorKind::StorageFull);
    assert!(left.is_empty(), "{left:?}");
}
