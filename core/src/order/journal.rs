//! The journal of a download: what a process intended and did, so that another one can finish it.
//!
//! Each download has a journal of its own beside its results, `.signdoc-<order>-<n>.journal`: JSON
//! lines, the first one with version and intention. It is locked while the download runs, and gone
//! when everything is safe. The raw answer lies beside it, `.signdoc-<order>-<n>.answer.part`.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use super::digest::Sha256;
use super::model::{OrderDocument, OrderKind, saved_document, seconds_since_epoch};
use super::places::{Names, Part, file_stem, sync_folder};
use crate::error::{Code, Error, Result};

const VERSION: u64 = 1;
const PREFIX: &str = ".signdoc-";
const SUFFIX: &str = ".journal";
const ANSWER_SUFFIX: &str = ".answer.part";
/// More interrupted downloads of one order in one folder than this are no accident.
const MOST: usize = 1000;
/// Largest journal that is read, in bytes.
const READ_MAX: u64 = 16 * 1024 * 1024;

/// The first line: all that is needed to finish the download elsewhere.
#[derive(Clone, Debug)]
pub(super) struct Header {
    pub sign_id: String,
    pub started: SystemTime,
    pub names: Names,
    pub documents: Vec<OrderDocument>,
}

/// A part that was about to get its name.
#[derive(Clone, Debug)]
pub(super) struct Placed {
    pub index: usize,
    pub part: Part,
    pub path: PathBuf,
    pub size: u64,
    pub sha256: Sha256,
}

/// What a journal tells.
#[derive(Clone, Debug)]
pub(super) struct Story {
    pub header: Header,
    /// Whether the DELETE may have left.
    pub sent: bool,
    /// Whether all was well in the end.
    pub done: bool,
    pub placed: Vec<Placed>,
    /// Partial files that parts were written to; a crash leaves the last one.
    pub partial: Vec<PathBuf>,
}

/// An open, locked journal.
#[derive(Debug)]
pub(super) struct Journal {
    file: File,
    path: PathBuf,
    folder: PathBuf,
}

impl Journal {
    /// Writes the first line and waits until it is on the disk.
    pub(super) fn begin(header: &Header) -> Result<Self> {
        let folder = &header.names.folder;
        let stem = file_stem(&header.sign_id);
        for number in 1..=MOST {
            let path = folder.join(format!("{PREFIX}{stem}-{number}{SUFFIX}"));
            let mut options = OpenOptions::new();
            options.read(true).append(true).create_new(true);
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
            match options.open(&path) {
                Ok(file) if lock(&file).map_err(|error| failed(&path, &error))? => {
                    let journal = Self { file, path, folder: folder.clone() };
                    journal.write(&header.to_json(), true)?;
                    sync_folder(folder).map_err(|error| failed(folder, &error))?;
                    return Ok(journal);
                }
                // Somebody who recovers the folder looked at it in between.
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    // One that cannot be opened any more has just come to its end.
                    if matches!(Self::take(&path), Ok(None)) {
                        return Err(under_way(&path, &header.sign_id));
                    }
                }
                Err(error) => return Err(failed(&path, &error)),
            }
        }
        let why = io::Error::other(format!("{MOST} journals of this order lie here already"));
        Err(failed(folder, &why))
    }

    /// The journals in a folder, by name.
    pub(super) fn list(folder: &Path) -> Result<Vec<PathBuf>> {
        let entries = std::fs::read_dir(folder).map_err(|error| failed(folder, &error))?;
        let is_journal = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with(PREFIX) && name.ends_with(SUFFIX)
        };
        let mut found: Vec<_> =
            entries.filter_map(|entry| Some(entry.ok()?.path())).filter(is_journal).collect();
        found.sort();
        Ok(found)
    }

    /// Opens and locks an existing journal; `None` while another download holds it.
    pub(super) fn take(path: &Path) -> Result<Option<Self>> {
        let opened = OpenOptions::new().read(true).append(true).open(path);
        let file = opened.map_err(|error| failed(path, &error))?;
        let folder = path.parent().unwrap_or(Path::new(".")).to_owned();
        let locked = lock(&file).map_err(|error| failed(path, &error))?;
        Ok(locked.then(|| Self { file, path: path.to_owned(), folder }))
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Where the raw answer lies.
    pub(super) fn answer_path(&self) -> PathBuf {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        self.folder.join(format!("{}{ANSWER_SUFFIX}", name.trim_end_matches(SUFFIX)))
    }

    /// Notes that the DELETE leaves now; it does not leave before this is on the disk.
    pub(super) fn sent(&self, now: SystemTime) -> Result<()> {
        self.write(&json!({"event": "sent", "at": seconds_since_epoch(now)}), true)
    }

    /// Notes that a part is written to this partial file from now on.
    pub(super) fn writing(&self, partial: &Path) -> Result<()> {
        let file = partial.file_name().unwrap_or_default().to_string_lossy();
        self.write(&json!({"event": "writing", "file": file}), false)
    }

    /// Notes that a part gets its name now. Its bytes are on the disk already.
    pub(super) fn placing(&self, placed: &Placed) -> Result<()> {
        let file = placed.path.file_name().unwrap_or_default().to_string_lossy();
        let event = json!({
            "event": "placing",
            "index": placed.index,
            "part": placed.part.as_str(),
            "file": file,
            "size": placed.size,
            "sha256": placed.sha256.to_base64(),
        });
        self.write(&event, false)
    }

    /// Ends the journal: everything is safe, or nothing was deleted. What cannot be removed now is
    /// removed by the next recovery.
    pub(super) fn end(self) {
        let _ = self.write(&json!({"event": "done"}), false);
        let _ = std::fs::remove_file(self.answer_path());
        let _ = std::fs::remove_file(&self.path);
    }

    fn write(&self, line: &Value, sync: bool) -> Result<()> {
        let text = format!("{line}\n");
        let written = (&self.file).write_all(text.as_bytes()).and_then(|()| match sync {
            true => self.file.sync_all(),
            false => Ok(()),
        });
        written.map_err(|error| failed(&self.path, &error))
    }

    /// What is written in it; `None` when not even the first line is.
    pub(super) fn read(&self) -> Result<Option<Story>> {
        let mut text = String::new();
        let file = File::open(&self.path).map_err(|error| failed(&self.path, &error))?;
        file.take(READ_MAX)
            .read_to_string(&mut text)
            .map_err(|error| failed(&self.path, &error))?;
        // The last line may have been cut by the crash: it is no JSON then.
        let mut lines = text.lines().map_while(|line| serde_json::from_str::<Value>(line).ok());
        let Some(first) = lines.next() else { return Ok(None) };
        let header = Header::from_json(&first, &self.folder).ok_or_else(|| {
            let why = io::Error::other("it is no journal of this version");
            failed(&self.path, &why)
        })?;
        let mut story =
            Story { header, sent: false, done: false, placed: Vec::new(), partial: Vec::new() };
        for line in lines {
            match line.get("event").and_then(Value::as_str) {
                Some("sent") => story.sent = true,
                Some("done") => story.done = true,
                Some("writing") => story.partial.extend(partial(&line, &self.folder)),
                Some("placing") => story.placed.extend(placed(&line, &self.folder)),
                _ => {}
            }
        }
        Ok(Some(story))
    }
}

impl Header {
    fn to_json(&self) -> Value {
        let documents: Vec<_> = self
            .documents
            .iter()
            .map(|document| {
                json!({
                    "sha256": document.sha256.map(|digest| digest.to_base64()),
                    "converted": document.is_converted,
                })
            })
            .collect();
        json!({
            "signdoc_journal": VERSION,
            "kind": self.names.kind.as_str(),
            "sign_id": self.sign_id,
            "started": seconds_since_epoch(self.started),
            "overwrite": self.names.overwrite,
            "stems": self.names.stems,
            "fallback": self.names.fallback,
            "documents": documents,
        })
    }

    fn from_json(value: &Value, folder: &Path) -> Option<Self> {
        if value.get("signdoc_journal")?.as_u64()? != VERSION {
            return None;
        }
        let text = |name: &str| value.get(name)?.as_str().map(str::to_owned);
        let list = |name: &str| Some(value.get(name)?.as_array()?.iter());
        let stem = |value: &Value| value.as_str().filter(|stem| is_plain(stem)).map(str::to_owned);
        let started = Duration::try_from_secs_f64(value.get("started")?.as_f64()?).ok()?;
        Some(Self {
            sign_id: text("sign_id")?,
            started: UNIX_EPOCH.checked_add(started)?,
            names: Names {
                folder: folder.to_owned(),
                kind: OrderKind::parse(&text("kind")?)?,
                overwrite: value.get("overwrite")?.as_bool()?,
                stems: list("stems")?.map(stem).collect::<Option<_>>()?,
                fallback: text("fallback").filter(|stem| is_plain(stem))?,
            },
            documents: list("documents")?.map(saved_document).collect(),
        })
    }
}

/// A name that stays in its folder, whoever wrote it into the journal.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && !name.contains(['/', '\\', '\0']) && name != "." && name != ".."
}

/// Only what can be a partial file of ours.
fn partial(line: &Value, folder: &Path) -> Option<PathBuf> {
    let file = line.get("file")?.as_str().filter(|name| is_plain(name))?;
    let is_ours = file.starts_with('.') && file.ends_with(".part");
    (is_ours && !file.ends_with(ANSWER_SUFFIX)).then(|| folder.join(file))
}

fn placed(line: &Value, folder: &Path) -> Option<Placed> {
    let file = line.get("file")?.as_str().filter(|name| is_plain(name))?;
    Some(Placed {
        index: usize::try_from(line.get("index")?.as_u64()?).ok()?,
        part: Part::parse(line.get("part")?.as_str()?)?,
        path: folder.join(file),
        size: line.get("size")?.as_u64()?,
        sha256: Sha256::parse(line.get("sha256")?.as_str()?)?,
    })
}

/// Whether the lock was free. A file system without locks is taken as it is.
fn lock(file: &File) -> io::Result<bool> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => Ok(true),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

fn failed(path: &Path, error: &io::Error) -> Error {
    Error::new(
        Code::JournalFailed,
        format!("the download journal {} cannot be used: {error}", path.display()),
    )
    .with_detail("path", path.display().to_string())
}

fn under_way(path: &Path, sign_id: &str) -> Error {
    Error::new(
        Code::JournalFailed,
        format!(
            "another download of this order into this folder is under way ({}); wait for it",
            path.display()
        ),
    )
    .with_detail("path", path.display().to_string())
    .with_detail("sign_id", sign_id)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(folder: &Path) -> Header {
        Header {
            sign_id: "order 1".to_owned(),
            started: UNIX_EPOCH + Duration::from_secs(7),
            names: Names {
                folder: folder.to_owned(),
                kind: OrderKind::Sdo,
                overwrite: true,
                stems: vec!["loan".to_owned()],
                fallback: "order_1".to_owned(),
            },
            documents: vec![OrderDocument {
                name: None,
                sha256: Some(Sha256::of(b"x")),
                is_converted: true,
            }],
        }
    }

    #[test]
    fn a_journal_tells_its_story_also_when_it_ends_in_the_middle_of_a_line() {
        let folder = tempfile::tempdir().unwrap();
        let journal = Journal::begin(&header(folder.path())).unwrap();
        let placed = Placed {
            index: 2,
            part: Part::EndUserSignature,
            path: folder.path().join("loan.enduser.p7s"),
            size: 9,
            sha256: Sha256::of(b"y"),
        };
        journal.sent(UNIX_EPOCH).unwrap();
        journal.writing(&folder.path().join(".loan.enduser.p7s.abc.part")).unwrap();
        for not_ours in ["loan.pdf", ".hidden", "../x.part", ".signdoc-x-1.answer.part"] {
            (&journal.file)
                .write_all(
                    format!("{}\n", json!({"event": "writing", "file": not_ours})).as_bytes(),
                )
                .unwrap();
        }
        journal.placing(&placed).unwrap();
        (&journal.file).write_all(b"{\"event\":\"do").unwrap();
        let story = journal.read().unwrap().unwrap();
        assert!(story.sent && !story.done);
        assert_eq!(story.header.documents, header(folder.path()).documents);
        assert_eq!(story.header.names.kind, OrderKind::Sdo);
        assert_eq!(story.placed[0].path, placed.path);
        assert_eq!(story.partial, [folder.path().join(".loan.enduser.p7s.abc.part")]);
        assert_eq!(story.placed[0].sha256, placed.sha256);
    }

    #[test]
    fn a_running_download_keeps_others_of_the_same_order_out() {
        let folder = tempfile::tempdir().unwrap();
        let running = Journal::begin(&header(folder.path())).unwrap();
        let error = Journal::begin(&header(folder.path())).unwrap_err();
        assert_eq!(error.code(), Code::JournalFailed);
        assert!(Journal::take(running.path()).unwrap().is_none());
        // What a crash leaves is not locked and does not stand in the way.
        drop(running);
        let second = Journal::begin(&header(folder.path())).unwrap();
        assert_eq!(Journal::list(folder.path()).unwrap().len(), 2);
        second.end();
        assert_eq!(Journal::list(folder.path()).unwrap().len(), 1);
    }

    #[test]
    fn a_journal_cannot_name_files_elsewhere() {
        let folder = tempfile::tempdir().unwrap();
        let line = json!({"index": 0, "part": "document", "file": "../x", "size": 1,
            "sha256": Sha256::of(b"x").to_base64()});
        assert!(super::placed(&line, folder.path()).is_none());
        let mut first = header(folder.path()).to_json();
        assert!(Header::from_json(&first, folder.path()).is_some());
        first["stems"] = json!(["../../x"]);
        assert!(Header::from_json(&first, folder.path()).is_none());
    }
}
