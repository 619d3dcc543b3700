//! Where the bytes of a document come from while a request is sent.

use std::fmt;
use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use bytes::Bytes;

use super::encode::EncodeError;

/// Bytes of known length that can be read again from the start. Cloning is cheap: memory and file
/// handle are shared.
#[derive(Clone)]
pub enum ByteSource {
    /// Bytes in memory.
    Memory(Bytes),
    /// A file, as it was when it was opened.
    File(FileSource),
}

impl ByteSource {
    /// Opens a file and remembers its length and time of modification.
    ///
    /// # Errors
    /// [`EncodeError::Open`] when it is missing or unreadable, [`EncodeError::NotAFile`] for a
    /// directory, pipe or device.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, EncodeError> {
        FileSource::open(path.into()).map(Self::File)
    }

    /// Takes a file that is open already; `path` is for messages only. The position of the handle
    /// does not matter on Unix (reads name their offset) and is moved elsewhere.
    ///
    /// # Errors
    /// As [`ByteSource::open`].
    pub fn from_file(file: File, path: impl Into<PathBuf>) -> Result<Self, EncodeError> {
        FileSource::new(file, path.into()).map(Self::File)
    }

    /// Length in bytes, fixed when the source was made.
    pub fn len(&self) -> u64 {
        match self {
            Self::Memory(bytes) => bytes.len() as u64,
            Self::File(file) => file.len,
        }
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The path of a file source.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Memory(_) => None,
            Self::File(file) => Some(&file.path),
        }
    }

    /// Fills `buffer` from `offset` on; `offset + buffer.len()` must lie within [`ByteSource::len`].
    ///
    /// # Errors
    /// [`EncodeError::Read`] for an I/O error, [`EncodeError::Changed`] when fewer bytes are there.
    pub fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> Result<(), EncodeError> {
        match self {
            Self::File(file) => file.read_exact_at(buffer, offset),
            Self::Memory(bytes) => {
                let start = usize::try_from(offset).unwrap_or(usize::MAX);
                let from = bytes.get(start..).and_then(|rest| rest.get(..buffer.len()));
                let from = from.ok_or(EncodeError::OutOfRange { offset, len: self.len() })?;
                buffer.copy_from_slice(from);
                Ok(())
            }
        }
    }
}

impl From<Bytes> for ByteSource {
    fn from(bytes: Bytes) -> Self {
        Self::Memory(bytes)
    }
}

impl From<Vec<u8>> for ByteSource {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Memory(bytes.into())
    }
}

/// Shows length and path, never content.
impl fmt::Debug for ByteSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ByteSource").field("path", &self.path()).field("len", &self.len()).finish()
    }
}

/// An open file with the length and time of modification it had when it was opened.
#[derive(Clone)]
pub struct FileSource {
    file: Arc<File>,
    path: Arc<Path>,
    len: u64,
    modified: Option<SystemTime>,
}

impl FileSource {
    fn open(path: PathBuf) -> Result<Self, EncodeError> {
        // Looked at before it is opened: opening a pipe would wait for its writer.
        let metadata = std::fs::metadata(&path)
            .map_err(|source| EncodeError::Open { path: path.clone(), source })?;
        if !metadata.is_file() {
            return Err(EncodeError::NotAFile { path });
        }
        match File::open(&path) {
            Ok(file) => Self::new(file, path),
            Err(source) => Err(EncodeError::Open { path, source }),
        }
    }

    fn new(file: File, path: PathBuf) -> Result<Self, EncodeError> {
        let metadata =
            file.metadata().map_err(|source| EncodeError::Open { path: path.clone(), source })?;
        if !metadata.is_file() {
            return Err(EncodeError::NotAFile { path });
        }
        let modified = metadata.modified().ok();
        Ok(Self { file: Arc::new(file), path: path.into(), len: metadata.len(), modified })
    }

    /// Refuses a file that is no longer the one that was opened.
    pub(crate) fn check_unchanged(&self) -> Result<(), EncodeError> {
        let now = self.metadata()?;
        if now.len() != self.len || now.modified().ok() != self.modified {
            return Err(self.changed(now.len()));
        }
        Ok(())
    }

    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> Result<(), EncodeError> {
        let mut done = 0;
        while let Some(free) = buffer.get_mut(done..).filter(|free| !free.is_empty()) {
            match read_at(&self.file, free, offset + done as u64) {
                Ok(0) => return Err(self.changed(self.metadata()?.len())),
                Ok(count) => done += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(source) => return Err(self.unreadable(source)),
            }
        }
        Ok(())
    }

    fn metadata(&self) -> Result<Metadata, EncodeError> {
        self.file.metadata().map_err(|source| self.unreadable(source))
    }

    fn unreadable(&self, source: io::Error) -> EncodeError {
        EncodeError::Read { path: self.path.to_path_buf(), source }
    }

    fn changed(&self, actual: u64) -> EncodeError {
        EncodeError::Changed { path: self.path.to_path_buf(), expected: self.len, actual }
    }
}

#[cfg(unix)]
fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, offset)
}

#[cfg(windows)]
fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, offset)
}
