//! The journal of a download: what a process intended and did, so that another one can finish it.
//!
//! Each download has a journal of its own beside its results, `.signdoc-<order>-<n>.journal`: JSON
//! lines, the first one with version and intention. It is locked while the download runs, and gone
//! when everything is safe. The raw answer lies beside it, `.signdoc-<order>-<n>.answer.part`.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use super::digest::Sha256;
use super::model::{OrderDocument, OrderKind, saved_document, saved_form, seconds_since_epoch};
use super::places::{Names, Part, file_stem, sync_folder};
use crate::error::{Code, Error, Result};
use crate::file_lock::{LockedFile, check_own};

/// The version that is written; earlier ones are read.
const VERSION: u64 = 2;
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
    /// What was asked for; empty where it is not known.
    pub results: Vec<String>,
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
    /// The status of the answer.
    pub status: Option<u16>,
    /// The coding that the answer came in.
    pub coding: Option<String>,
    /// Where the answer went that the folder had no room for.
    pub moved: Option<PathBuf>,
    pub placed: Vec<Placed>,
    /// Partial files that parts were written to; a crash leaves the last one.
    pub partial: Vec<PathBuf>,
}

/// What lies in a folder of interrupted downloads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Remains {
    /// A journal.
    Journal(PathBuf),
    /// A raw answer whose journal is gone.
    Answer(PathBuf),
}

/// An open, locked journal.
#[derive(Debug)]
pub(super) struct Journal {
    file: LockedFile,
    folder: PathBuf,
}

impl Journal {
    /// Writes the first line and waits until it is on the disk.
    pub(super) fn begin(header: &Header) -> Result<Self> {
        let folder = &header.names.folder;
        let stem = file_stem(&header.sign_id);
        for number in 1..=MOST {
            let path = folder.join(format!("{PREFIX}{stem}-{number}{SUFFIX}"));
            if Self::answer_of(&path).symlink_metadata().is_ok() && !path.exists() {
                // A raw answer without its journal keeps its name.
                continue;
            }
            match LockedFile::create(&path) {
                Ok(Some(file)) => {
                    let journal = Self { file, folder: folder.clone() };
                    let written = journal.write(&header.to_json(), true);
                    let durable = written
                        .and_then(|()| sync_folder(folder).map_err(|error| failed(folder, &error)));
                    return match durable {
                        Ok(()) => Ok(journal),
                        Err(error) => {
                            let _ = std::fs::remove_file(&path);
                            Err(error)
                        }
                    };
                }
                // Somebody who recovers the folder looked at it in between.
                Ok(None) => {}
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

    /// The journals in a folder and the raw answers that have none, by name.
    pub(super) fn list(folder: &Path) -> Result<Vec<Remains>> {
        let entries = std::fs::read_dir(folder).map_err(|error| failed(folder, &error))?;
        let names = entries.filter_map(|entry| Some(entry.ok()?.path()));
        let mut found: Vec<_> = names.filter_map(remains).collect();
        found.sort_by(|one, other| one.path().cmp(other.path()));
        Ok(found)
    }

    /// Opens and locks an existing journal; `None` while another download holds it.
    pub(super) fn take(path: &Path) -> Result<Option<Self>> {
        let opened = LockedFile::open(path).map_err(|error| failed(path, &error))?;
        let folder = path.parent().unwrap_or(Path::new(".")).to_owned();
        Ok(opened.map(|file| Self { file, folder }))
    }

    pub(super) fn path(&self) -> &Path {
        self.file.path()
    }

    /// Where the raw answer lies, unless it was moved.
    pub(super) fn answer_path(&self) -> PathBuf {
        Self::answer_of(self.path())
    }

    fn answer_of(journal: &Path) -> PathBuf {
        let name = journal.file_name().unwrap_or_default().to_string_lossy().into_owned();
        journal.with_file_name(format!("{}{ANSWER_SUFFIX}", name.trim_end_matches(SUFFIX)))
    }

    /// Makes the entry of the raw answer durable.
    pub(super) fn answer_is_there(&self) -> Result<()> {
        sync_folder(&self.folder).map_err(|error| failed(&self.folder, &error))
    }

    /// Notes that the DELETE leaves now; it does not leave before this is on the disk.
    pub(super) fn sent(&self, now: SystemTime) -> Result<()> {
        self.write(&json!({"event": "sent", "at": seconds_since_epoch(now)}), true)
    }

    /// Notes what the head of the answer says.
    pub(super) fn answered(&self, status: u16, coding: Option<&str>) -> Result<()> {
        self.write(&json!({"event": "answered", "status": status, "coding": coding}), false)
    }

    /// Notes that the raw answer goes on in another folder.
    pub(super) fn moved(&self, answer: &Path) -> Result<()> {
        self.write(&json!({"event": "moved", "answer": answer.display().to_string()}), true)
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
    pub(super) fn end(self, answer: Option<&Path>) {
        let _ = self.write(&json!({"event": "done"}), false);
        remove_answer(&self.answer_path());
        if let Some(moved) = answer.filter(|answer| *answer != self.answer_path()) {
            remove_answer(moved);
            // Its private folder; fails, as it should, where something else is in it.
            let _ = moved.parent().map(std::fs::remove_dir);
        }
        let _ = std::fs::remove_file(self.path());
    }

    /// Removes a journal that never began.
    pub(super) fn abandon(self) {
        let _ = std::fs::remove_file(self.path());
    }

    fn write(&self, line: &Value, sync: bool) -> Result<()> {
        let text = format!("{line}\n");
        let before = self.file.len();
        let appended = self.file.append(text.as_bytes()).inspect_err(|_| {
            // Half a line would spoil the one that comes next.
            let _ = before.and_then(|length| self.file.set_len(length));
        });
        let written = appended.and_then(|()| match sync {
            true => self.file.sync(),
            false => Ok(()),
        });
        written.map_err(|error| failed(self.path(), &error))
    }

    /// What is written in it; `None` when not even the first line is.
    pub(super) fn read(&self) -> Result<Option<Story>> {
        let bytes = self.file.read(READ_MAX).map_err(|error| failed(self.path(), &error))?;
        let text = String::from_utf8_lossy(&bytes);
        // A line may have been cut by a crash or a full disk: it is no JSON then. Without the first
        // one nothing was sent.
        if !text.contains('\n') && self.answer_path().symlink_metadata().is_err() {
            return Ok(None);
        }
        let mut lines = text.lines().map(|line| serde_json::from_str::<Value>(line).ok());
        let first = lines.next().flatten().unwrap_or_default();
        let header = Header::from_json(&first, &self.folder).ok_or_else(|| {
            let why = io::Error::other("it is no journal of this version");
            failed(self.path(), &why)
        })?;
        let mut story = Story {
            header,
            sent: false,
            done: false,
            status: None,
            coding: None,
            moved: None,
            placed: Vec::new(),
            partial: Vec::new(),
        };
        for line in lines.flatten() {
            story.take(&line, &self.folder);
        }
        Ok(Some(story))
    }
}

impl Story {
    fn take(&mut self, line: &Value, folder: &Path) {
        let text = |name: &str| line.get(name).and_then(Value::as_str).map(str::to_owned);
        match line.get("event").and_then(Value::as_str) {
            Some("sent") => self.sent = true,
            Some("done") => self.done = true,
            Some("answered") => {
                let status = line.get("status").and_then(Value::as_u64);
                self.status = status.and_then(|status| u16::try_from(status).ok());
                self.coding = text("coding");
            }
            Some("moved") => {
                let answer = text("answer").map(PathBuf::from);
                self.moved = answer.filter(|path| is_fallback_of(path, &self.header.sign_id));
            }
            Some("writing") => {
                let is_own = |name: &str| self.header.names.is_partial(name);
                let file = text("file").filter(|name| is_plain(name) && is_own(name));
                self.partial.extend(file.map(|name| folder.join(name)));
            }
            Some("placing") => self.placed.extend(placed(line, folder)),
            _ => {}
        }
    }
}

impl Remains {
    pub(super) fn path(&self) -> &Path {
        match self {
            Self::Journal(path) | Self::Answer(path) => path,
        }
    }
}

/// What a file of this name is, if anything.
fn remains(path: PathBuf) -> Option<Remains> {
    let name = path.file_name()?.to_string_lossy().into_owned();
    let rest = name.strip_prefix(PREFIX)?;
    if rest.ends_with(SUFFIX) {
        return Some(Remains::Journal(path));
    }
    let stem = rest.strip_suffix(ANSWER_SUFFIX)?;
    let journal = path.with_file_name(format!("{PREFIX}{stem}{SUFFIX}"));
    let has_journal = journal.symlink_metadata().is_ok();
    (!has_journal).then_some(Remains::Answer(path))
}

/// Whether a path has the name of a raw answer.
fn is_answer(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with(PREFIX) && name.ends_with(ANSWER_SUFFIX)
}

/// The order's name in the name of its raw answer.
pub(super) fn stem_of_answer(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let stem = name.strip_prefix(PREFIX).and_then(|rest| rest.strip_suffix(ANSWER_SUFFIX));
    let stem = stem.map_or("", |stem| stem.rsplit_once('-').map_or(stem, |(stem, _)| stem));
    file_stem(stem)
}

/// The name of a raw answer, for a file in another folder than its journal's.
pub(super) fn answer_name(sign_id: &str) -> String {
    format!("{PREFIX}{}-1{ANSWER_SUFFIX}", file_stem(sign_id))
}

/// Whether a raw answer lies in a folder that was made because another one had no room.
pub(super) fn is_in_fallback(path: &Path) -> bool {
    let absolute = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = absolute.parent().and_then(Path::file_name).unwrap_or_default();
    folder.to_string_lossy().starts_with(&format!("signdoc-{}-", stem_of_answer(path)))
}

/// Whether a path can be that of a raw answer for which its folder had no room.
fn is_fallback_of(path: &Path, sign_id: &str) -> bool {
    let folder = path.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name == answer_name(sign_id).as_str()
        && folder.starts_with(&format!("signdoc-{}-", file_stem(sign_id)))
}

/// Removes a raw answer, if it is one and nobody else's.
pub(super) fn remove_answer(path: &Path) {
    let own = path.symlink_metadata().and_then(|found| check_own(path, &found));
    if own.is_ok() && is_answer(path) {
        let _ = std::fs::remove_file(path);
    }
}

impl Header {
    fn to_json(&self) -> Value {
        let documents: Vec<_> = self.documents.iter().map(saved_form).collect();
        json!({
            "signdoc_journal": VERSION,
            "kind": self.names.kind.as_str(),
            "sign_id": self.sign_id,
            "started": seconds_since_epoch(self.started),
            "overwrite": self.names.overwrite,
            "stems": self.names.stems,
            "fallback": self.names.fallback,
            "documents": documents,
            "results": self.results,
        })
    }

    fn from_json(value: &Value, folder: &Path) -> Option<Self> {
        if !(1..=VERSION).contains(&value.get("signdoc_journal")?.as_u64()?) {
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
            // The first version did not say.
            results: list("results")
                .map(|items| items.filter_map(|one| one.as_str().map(str::to_owned)).collect())
                .unwrap_or_default(),
        })
    }
}

/// A name that stays in its folder, whoever wrote it into the journal.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && !name.contains(['/', '\\', '\0']) && name != "." && name != ".."
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
                sha256_of_utf8: Some(Sha256::of(b"y")),
                is_converted: true,
                size: Some(7),
            }],
            results: vec!["sdo".to_owned()],
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
        let others = ["loan.pdf", ".hidden", "../x.part", ".signdoc-x-1.answer.part", ".film.part"];
        for not_ours in others {
            journal.write(&json!({"event": "writing", "file": not_ours}), false).unwrap();
        }
        journal.answered(200, Some("gzip")).unwrap();
        let moved = Path::new("/elsewhere/signdoc-order_1-0f/.signdoc-order_1-1.answer.part");
        journal.moved(Path::new("/elsewhere/other/.signdoc-order_1-1.answer.part")).unwrap();
        journal.moved(moved).unwrap();
        journal.placing(&placed).unwrap();
        journal.file.append(b"{\"event\":\"do").unwrap();
        let story = journal.read().unwrap().unwrap();
        assert!(story.sent && !story.done);
        assert_eq!((story.status, story.coding.as_deref()), (Some(200), Some("gzip")));
        assert_eq!(story.moved.as_deref(), Some(moved));
        assert_eq!(story.header.results, ["sdo"]);
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
        second.end(None);
        assert_eq!(Journal::list(folder.path()).unwrap().len(), 1);
    }

    #[test]
    fn raw_answers_without_a_journal_are_found_and_keep_their_names() {
        let folder = tempfile::tempdir().unwrap();
        let orphan = folder.path().join(".signdoc-order_1-1.answer.part");
        std::fs::write(&orphan, "{").unwrap();
        assert_eq!(Journal::list(folder.path()).unwrap(), [Remains::Answer(orphan.clone())]);
        assert_eq!(stem_of_answer(&orphan), "order_1");
        let journal = Journal::begin(&header(folder.path())).unwrap();
        assert_ne!(journal.answer_path(), orphan);
        journal.end(None);
        assert!(orphan.exists());
    }

    #[test]
    fn the_first_version_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let mut first = header(folder.path()).to_json();
        first["signdoc_journal"] = json!(1);
        first.as_object_mut().unwrap().remove("results");
        assert!(Header::from_json(&first, folder.path()).unwrap().results.is_empty());
        first["signdoc_journal"] = json!(3);
        assert!(Header::from_json(&first, folder.path()).is_none());
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
