//! Where the bytes of a received document go: memory, a file that appears at once, a writer.
//!
//! Writes go through as they come; the scanner hands over large windows, so nothing is buffered a
//! second time here.

use std::ffi::OsString;
use std::fmt;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;
use thiserror::Error;

/// Longest part of the final name that the name of a partial file repeats, in bytes: with its
/// additions it must stay below the 255 that file systems allow.
const MAX_STEM: usize = 160;

/// Why bytes could not be put where they belong.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SinkError {
    /// The destination exists and may not be replaced.
    #[error("{} exists already; choose another name or allow overwriting", path.display())]
    Exists {
        /// The destination.
        path: PathBuf,
    },
    /// The destination cannot be a file: it is a directory, or a path without a name.
    #[error("{} is not a file name", path.display())]
    NotAFile {
        /// The destination.
        path: PathBuf,
    },
    /// The partial file cannot be made beside the destination.
    #[error("cannot create a file for {}: {source}", path.display())]
    Create {
        /// The destination.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Writing failed, for example because the disk is full.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The destination.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The finished file cannot be given its name.
    #[error("cannot move the finished file to {}: {source}", path.display())]
    Commit {
        /// The destination.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The caller's writer failed.
    #[error("cannot write to the given writer: {0}")]
    Writer(#[source] io::Error),
    /// More bytes than allowed.
    #[error("the document is longer than {limit} bytes")]
    TooLarge {
        /// What is allowed, in bytes.
        limit: u64,
    },
    /// Memory for the document cannot be had.
    #[error("no memory for a document of {needed} bytes; write it to a file instead")]
    OutOfMemory {
        /// Bytes that were needed in all.
        needed: u64,
    },
}

impl SinkError {
    /// The destination the error is about, when it is a file.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Exists { path }
            | Self::NotAFile { path }
            | Self::Create { path, .. }
            | Self::Write { path, .. }
            | Self::Commit { path, .. } => Some(path),
            Self::Writer(_) | Self::TooLarge { .. } | Self::OutOfMemory { .. } => None,
        }
    }

    /// What the system said, when it said anything.
    pub fn io_error(&self) -> Option<&io::Error> {
        match self {
            Self::Create { source, .. }
            | Self::Write { source, .. }
            | Self::Commit { source, .. }
            | Self::Writer(source) => Some(source),
            _ => None,
        }
    }
}

/// How a file is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileOptions {
    /// Replace what is at the destination. Otherwise an existing file is an error, both when the
    /// sink is made and when it is committed.
    pub overwrite: bool,
    /// Wait until file and directory entry are on the disk before [`Sink::commit`] returns.
    pub sync: bool,
    /// What marks the partial file: whoever finds it after a crash can tell whose it was.
    pub tag: Option<u64>,
}

/// Takes the bytes of one document. Dropped without [`Sink::commit`] it leaves nothing behind.
pub struct Sink {
    target: Target,
    written: u64,
    limit: u64,
}

enum Target {
    Memory(Vec<u8>),
    File(PartialFile),
    Spool(File),
    Writer(Box<dyn Write + Send>),
}

/// What a committed sink leaves.
pub enum Delivered {
    /// The document.
    Memory(Vec<u8>),
    /// The file it is in.
    File(PathBuf),
    /// A file without a name; its position is at its end.
    Spool(File),
    /// The writer, flushed.
    Writer(Box<dyn Write + Send>),
}

impl Sink {
    /// Memory; `hint` bytes are reserved at once. Without a hint (0) it grows as bytes come.
    ///
    /// # Errors
    /// [`SinkError::OutOfMemory`] when the hint cannot be had.
    pub fn memory(hint: usize) -> Result<Self, SinkError> {
        let mut bytes = Vec::new();
        bytes
            .try_reserve_exact(hint)
            .map_err(|_| SinkError::OutOfMemory { needed: hint as u64 })?;
        Ok(Self::new(Target::Memory(bytes)))
    }

    /// A file that appears under its name, whole, when the sink is committed. Until then its bytes
    /// are in a hidden partial file beside it, readable by the owner only (mode 0600, which the
    /// finished file keeps).
    ///
    /// # Errors
    /// [`SinkError::Exists`], [`SinkError::NotAFile`], or [`SinkError::Create`] when the directory
    /// is missing or not writable.
    pub fn file(path: impl Into<PathBuf>, options: FileOptions) -> Result<Self, SinkError> {
        PartialFile::create(path.into(), options).map(|file| Self::new(Target::File(file)))
    }

    /// A private temporary file without a name.
    ///
    /// # Errors
    /// [`SinkError::Create`].
    pub fn spool() -> Result<Self, SinkError> {
        match tempfile::tempfile() {
            Ok(file) => Ok(Self::new(Target::Spool(file))),
            Err(source) => Err(SinkError::Create { path: std::env::temp_dir(), source }),
        }
    }

    /// A writer of the caller. Bytes reach it as they come and cannot be taken back.
    pub fn writer(writer: impl Write + Send + 'static) -> Self {
        Self::new(Target::Writer(Box::new(writer)))
    }

    fn new(target: Target) -> Self {
        Self { target, written: 0, limit: u64::MAX }
    }

    /// Refuses more than `limit` bytes.
    #[must_use]
    pub fn with_limit(mut self, limit: u64) -> Self {
        self.limit = limit;
        self
    }

    /// Bytes taken so far.
    pub fn written(&self) -> u64 {
        self.written
    }

    /// The partial file, as long as there is one.
    pub fn partial_path(&self) -> Option<&Path> {
        match &self.target {
            Target::File(file) => Some(file.partial.path()),
            _ => None,
        }
    }

    /// Takes all of `bytes`.
    ///
    /// # Errors
    /// [`SinkError::TooLarge`], [`SinkError::Write`], [`SinkError::Writer`],
    /// [`SinkError::OutOfMemory`]. The sink is of no use then but may be kept, see [`Sink::keep`].
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), SinkError> {
        let total = self.written.saturating_add(bytes.len() as u64);
        if total > self.limit {
            return Err(SinkError::TooLarge { limit: self.limit });
        }
        match &mut self.target {
            Target::Memory(memory) => {
                memory
                    .try_reserve(bytes.len())
                    .map_err(|_| SinkError::OutOfMemory { needed: total })?;
                memory.extend_from_slice(bytes);
            }
            Target::File(file) => file.write(bytes)?,
            Target::Spool(file) => file
                .write_all(bytes)
                .map_err(|source| SinkError::Write { path: std::env::temp_dir(), source })?,
            Target::Writer(writer) => writer.write_all(bytes).map_err(SinkError::Writer)?,
        }
        self.written = total;
        Ok(())
    }

    /// Ends the document: a file gets its name now, a writer is flushed.
    ///
    /// # Errors
    /// [`SinkError::Exists`] when a file came to the destination meanwhile,
    /// [`SinkError::Commit`], [`SinkError::Write`], [`SinkError::Writer`]. The partial file of a
    /// failed commit is removed.
    pub fn commit(self) -> Result<Delivered, SinkError> {
        match self.target {
            Target::Memory(memory) => Ok(Delivered::Memory(memory)),
            Target::File(file) => file.commit().map(Delivered::File),
            Target::Spool(file) => Ok(Delivered::Spool(file)),
            Target::Writer(mut writer) => {
                writer.flush().map_err(SinkError::Writer)?;
                Ok(Delivered::Writer(writer))
            }
        }
    }

    /// Leaves an incomplete file under its partial name and returns that name; `None` when the
    /// bytes are in no file.
    ///
    /// # Errors
    /// [`SinkError::Commit`].
    pub fn keep(self) -> Result<Option<PathBuf>, SinkError> {
        match self.target {
            Target::File(file) => file.keep().map(Some),
            _ => Ok(None),
        }
    }
}

/// Shows sizes and paths, never content.
impl fmt::Debug for Sink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = match &self.target {
            Target::File(file) => Some(&file.path),
            _ => None,
        };
        f.debug_struct("Sink").field("path", &path).field("written", &self.written).finish()
    }
}

struct PartialFile {
    partial: NamedTempFile,
    path: PathBuf,
    options: FileOptions,
}

impl PartialFile {
    fn create(path: PathBuf, options: FileOptions) -> Result<Self, SinkError> {
        let Some(name) = path.file_name().map(std::ffi::OsStr::to_os_string) else {
            return Err(SinkError::NotAFile { path });
        };
        match std::fs::symlink_metadata(&path) {
            Ok(found) if found.is_dir() => return Err(SinkError::NotAFile { path }),
            Ok(_) if !options.overwrite => return Err(SinkError::Exists { path }),
            _ => {}
        }
        let partial = tempfile::Builder::new()
            .prefix(&partial_prefix(&name, options.tag))
            .suffix(".part")
            .rand_bytes(8)
            .tempfile_in(directory(&path));
        match partial {
            Ok(partial) => Ok(Self { partial, path, options }),
            Err(source) => Err(SinkError::Create { path, source }),
        }
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), SinkError> {
        self.partial.as_file_mut().write_all(bytes).map_err(|source| self.unwritable(source))
    }

    fn commit(self) -> Result<PathBuf, SinkError> {
        if self.options.sync {
            self.partial.as_file().sync_all().map_err(|source| self.unwritable(source))?;
        }
        let Self { partial, path, options } = self;
        let moved = if options.overwrite {
            partial.persist(&path)
        } else {
            partial.persist_noclobber(&path)
        };
        match moved {
            Ok(_) => {}
            Err(failed) if failed.error.kind() == io::ErrorKind::AlreadyExists => {
                return Err(SinkError::Exists { path });
            }
            Err(failed) => return Err(SinkError::Commit { path, source: failed.error }),
        }
        if options.sync {
            sync_directory(directory(&path))
                .map_err(|source| SinkError::Commit { path: path.clone(), source })?;
        }
        Ok(path)
    }

    fn keep(self) -> Result<PathBuf, SinkError> {
        match self.partial.keep() {
            Ok((_, partial)) => Ok(partial),
            Err(failed) => Err(SinkError::Commit { path: self.path, source: failed.error }),
        }
    }

    fn unwritable(&self, source: io::Error) -> SinkError {
        SinkError::Write { path: self.path.clone(), source }
    }
}

fn directory(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// `.` and the start of `name` and `.`: hidden, and recognisable for a person who finds it; then the
/// tag and `.`.
fn partial_prefix(name: &OsString, tag: Option<u64>) -> OsString {
    let mut prefix = OsString::from(".");
    if name.len() <= MAX_STEM {
        prefix.push(name);
    } else {
        let text = name.to_string_lossy();
        let ends = text.char_indices().map(|(at, _)| at);
        let end = ends.take_while(|at| *at <= MAX_STEM).last().unwrap_or(0);
        prefix.push(text.get(..end).unwrap_or_default());
    }
    prefix.push(".");
    if let Some(tag) = tag {
        prefix.push(format!("{tag:016x}."));
    }
    prefix
}

#[cfg(unix)]
fn sync_directory(directory: &Path) -> io::Result<()> {
    std::fs::File::open(directory)?.sync_all()
}

/// Directories cannot be opened as files here; renaming is journaled by the file system.
#[cfg(not(unix))]
fn sync_directory(_: &Path) -> io::Result<()> {
    Ok(())
}
