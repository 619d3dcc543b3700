//! What a batch has done, so that it can go on after a crash: JSON lines, one for each step.
//!
//! `{"signdoc_manifest":2}` first; then `{"run":ID}` for each run, `{"sent":KEY}` before a document
//! leaves and `{"done":KEY,"result":{...}}` when its file has its name. KEY is the path with size and
//! time of modification, or the SHA-256 of a document that is in memory; ID stands in the names of
//! the run's partial files, so that a later run can clear away what a killed one left.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

use super::model::{Conversion, ConversionWarning};
use crate::error::{Code, Error, Result};
use crate::file_lock::{LockedFile, check_own};
use crate::wire::ByteSource;

/// The version that is written; earlier ones are read.
const VERSION: u32 = 2;

/// What an input is known by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Input(String);

impl Input {
    pub(super) fn of(source: &ByteSource) -> Result<Self> {
        if let Some(path) = source.path()
            && let Ok(metadata) = std::fs::metadata(path)
        {
            let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
            let modified =
                metadata.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
            let nanos = modified.map_or(0, |since| since.as_nanos());
            return Ok(Self(format!("{}#{}#{nanos}", path.display(), metadata.len())));
        }
        Ok(Self(format!("sha256#{}", digest(source)?)))
    }
}

fn digest(source: &ByteSource) -> Result<String> {
    let mut context = ring::digest::Context::new(&ring::digest::SHA256);
    let mut window = vec![0; 64 * 1024];
    let mut offset = 0;
    while offset < source.len() {
        let rest = usize::try_from(source.len() - offset).unwrap_or(usize::MAX);
        let count = rest.min(window.len());
        let piece = window.get_mut(..count).unwrap_or_default();
        source.read_exact_at(piece, offset).map_err(|error| crate::error::of_encoding(&error))?;
        context.update(piece);
        offset += count as u64;
    }
    Ok(context.finish().as_ref().iter().map(|byte| format!("{byte:02x}")).collect())
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Line {
    SigndocManifest(u32),
    Run(String),
    Sent(String),
    Done { key: String, result: Done },
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Done {
    path: PathBuf,
    size: u64,
    conversion_id: Option<String>,
    description: Option<String>,
    warnings: Vec<String>,
}

/// The file, locked while it is open.
#[derive(Debug)]
pub(super) struct Manifest {
    file: LockedFile,
    /// Marks this run's partial files.
    run: u64,
    earlier_runs: Vec<String>,
    sent: BTreeSet<String>,
    done: BTreeMap<String, Done>,
}

impl Manifest {
    pub(super) fn open(path: &Path) -> Result<Self> {
        let failed = |why: &dyn std::fmt::Display| broken(path, why);
        let file = LockedFile::open_or_create(path).map_err(|error| failed(&error))?;
        let file = file.ok_or_else(|| failed(&"another batch is using it"))?;
        let run = getrandom::u64().map_err(|error| failed(&error))?;
        let mut manifest = Self {
            file,
            run,
            earlier_runs: Vec::new(),
            sent: BTreeSet::new(),
            done: BTreeMap::new(),
        };
        if !manifest.load()? {
            manifest.write(&Line::SigndocManifest(VERSION))?;
        }
        manifest.write(&Line::Run(format!("{run:016x}")))?;
        Ok(manifest)
    }

    /// What marks this run's partial files.
    pub(super) fn run(&self) -> u64 {
        self.run
    }

    /// Removes the partial files that earlier runs left in `folder`: they were killed, or this one
    /// would not hold the manifest.
    pub(super) fn clear_remains(&self, folder: &Path) {
        let Ok(entries) = std::fs::read_dir(folder) else { return };
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_partial = name.starts_with('.') && name.ends_with(".part");
            let is_earlier = |run: &String| name.contains(&format!(".{run}."));
            if is_partial && self.earlier_runs.iter().any(is_earlier) {
                let own = std::fs::symlink_metadata(entry.path());
                if own.and_then(|found| check_own(&entry.path(), &found)).is_ok() {
                    let _ = std::fs::remove_file(entry.path());
                }
            }
        }
    }

    /// Reads what is there; false for an empty file. Half a line, as a crash may leave at the end,
    /// is cut off, but only from a file that is a manifest.
    fn load(&mut self) -> Result<bool> {
        let text = self.file.read(u64::MAX).map_err(|error| self.broken(&error))?;
        let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let (lines, rest) = text.split_at(whole.min(text.len()));
        let mut seen = false;
        for (number, line) in lines.split_inclusive(|byte| *byte == b'\n').enumerate() {
            let line = serde_json::from_slice(line);
            match line {
                Ok(Line::SigndocManifest(1..=VERSION)) if number == 0 => seen = true,
                Ok(Line::SigndocManifest(version)) => {
                    let why = format!("it has version {version}; this is {VERSION}");
                    return Err(self.broken(&io::Error::other(why)));
                }
                Ok(Line::Run(run)) if seen => self.earlier_runs.push(run),
                Ok(Line::Sent(key)) if seen => {
                    self.sent.insert(key);
                }
                Ok(Line::Done { key, result }) if seen => {
                    self.done.insert(key, result);
                }
                _ => return Err(self.foreign(number + 1)),
            }
        }
        if !rest.is_empty() {
            let is_head = |version: u32| {
                let head = serde_json::to_vec(&Line::SigndocManifest(version)).unwrap_or_default();
                head.starts_with(rest)
            };
            if !seen && !(1..=VERSION).any(is_head) {
                return Err(self.foreign(1));
            }
            self.file.set_len(whole as u64).map_err(|error| self.broken(&error))?;
        }
        Ok(seen)
    }

    fn broken(&self, error: &io::Error) -> Error {
        broken(self.file.path(), error)
    }

    fn foreign(&self, number: usize) -> Error {
        let why = format!("line {number} is no line of a manifest; name another file");
        broken(self.file.path(), &why)
    }

    /// The former result, when its file is still there and of the same size.
    pub(super) fn find(&self, input: &Input) -> Option<Conversion> {
        let done = self.done.get(&input.0)?;
        let there = std::fs::metadata(&done.path).is_ok_and(|meta| meta.len() == done.size);
        there.then(|| Conversion {
            conversion_id: done.conversion_id.clone(),
            description: done.description.clone(),
            converted: true,
            warnings: done.warnings.iter().cloned().map(ConversionWarning::new).collect(),
            path: Some(done.path.clone()),
            size: Some(done.size),
            resumed: true,
            ..Conversion::default()
        })
    }

    /// Whether an earlier run sent this input: a file with its name is then our own.
    pub(super) fn was_sent(&self, input: &Input) -> bool {
        self.sent.contains(&input.0)
    }

    pub(super) fn sent(&mut self, input: &Input) -> Result<()> {
        if self.sent.insert(input.0.clone()) {
            self.write(&Line::Sent(input.0.clone()))?;
        }
        Ok(())
    }

    pub(super) fn done(&mut self, input: &Input, result: &Conversion) -> Result<()> {
        let (Some(path), Some(size)) = (&result.path, result.size) else { return Ok(()) };
        let done = Done {
            path: std::fs::canonicalize(path).unwrap_or_else(|_| path.clone()),
            size,
            conversion_id: result.conversion_id.clone(),
            description: result.description.clone(),
            warnings: result.warnings.iter().map(|warning| warning.message.clone()).collect(),
        };
        self.write(&Line::Done { key: input.0.clone(), result: done })
    }

    fn write(&mut self, line: &Line) -> Result<()> {
        let path = self.file.path();
        let mut text = serde_json::to_vec(line).map_err(|error| broken(path, &error))?;
        text.push(b'\n');
        self.file.append(&text).map_err(|error| broken(path, &error))
    }
}

fn broken(path: &Path, why: &dyn std::fmt::Display) -> Error {
    Error::new(
        Code::JournalFailed,
        format!("the manifest {} cannot be used: {why}", path.display()),
    )
    .with_detail("path", path.display().to_string())
}
