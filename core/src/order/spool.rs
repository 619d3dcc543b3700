//! The raw answer of a download, put aside byte by byte before anything is made of it.
//!
//! Until every document in it is safe under its own name, this is the only copy.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// Bytes in a file and, from the moment the file takes no more, in memory.
pub(super) struct Spool {
    file: Option<File>,
    on_disk: u64,
    overflow: Vec<u8>,
    failure: Option<io::Error>,
}

impl Spool {
    /// A new file that only its owner may read.
    pub(super) fn create(path: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        Ok(Self::over(Some(options.open(path)?), 0))
    }

    /// What an earlier process left.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let len = file.metadata()?.len();
        Ok(Self::over(Some(file), len))
    }

    /// A file without a name, for results in memory: a document that cannot be read must not take
    /// those behind it with it. Memory where no such file can be had.
    pub(super) fn anonymous() -> Self {
        Self::over(tempfile::tempfile().ok(), 0)
    }

    fn over(file: Option<File>, on_disk: u64) -> Self {
        Self { file, on_disk, overflow: Vec::new(), failure: None }
    }

    /// Takes all of `bytes`, wherever there is room.
    pub(super) fn write(&mut self, bytes: &[u8]) {
        let written = match &mut self.file {
            Some(file) if self.overflow.is_empty() => {
                let (written, failure) = write_most(file, bytes);
                self.on_disk += written as u64;
                self.failure = failure;
                written
            }
            _ => 0,
        };
        self.overflow.extend_from_slice(bytes.get(written..).unwrap_or_default());
    }

    /// Waits until the file's part is on the disk.
    pub(super) fn sync(&mut self) {
        if let Some(Err(error)) = self.file.as_ref().map(File::sync_all) {
            self.failure.get_or_insert(error);
        }
    }

    pub(super) fn len(&self) -> u64 {
        self.on_disk + self.overflow.len() as u64
    }

    /// Why the file does not hold everything, where it does not.
    pub(super) fn failure(&self) -> Option<&io::Error> {
        self.failure.as_ref()
    }

    /// All bytes, from the first.
    pub(super) fn reader(&mut self) -> io::Result<impl Read + '_> {
        let file: Box<dyn Read + Send + '_> = match &mut self.file {
            Some(file) => {
                file.seek(SeekFrom::Start(0))?;
                Box::new(file.take(self.on_disk))
            }
            None => Box::new(io::empty()),
        };
        Ok(file.chain(self.overflow.as_slice()))
    }

    /// The first bytes, for a look at what came.
    pub(super) fn head(&mut self, count: u64) -> Vec<u8> {
        let mut head = Vec::new();
        if let Ok(reader) = self.reader() {
            // What can be read is enough for a look.
            let _ = reader.take(count).read_to_end(&mut head);
        }
        head
    }
}

/// Writes until the end or the first failure; tells how many bytes are written.
fn write_most(file: &mut File, bytes: &[u8]) -> (usize, Option<io::Error>) {
    let mut done = 0;
    while let Some(rest) = bytes.get(done..).filter(|rest| !rest.is_empty()) {
        match file.write(rest) {
            Ok(0) => return (done, Some(io::ErrorKind::WriteZero.into())),
            Ok(count) => done += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return (done, Some(error)),
        }
    }
    (done, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(spool: &mut Spool) -> Vec<u8> {
        let mut bytes = Vec::new();
        spool.reader().unwrap().read_to_end(&mut bytes).unwrap();
        bytes
    }

    #[test]
    fn what_was_written_is_read_again_as_often_as_needed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("answer");
        let mut spool = Spool::create(&path).unwrap();
        spool.write(b"one ");
        spool.write(b"two");
        assert_eq!(all(&mut spool), b"one two");
        assert_eq!(all(&mut spool), b"one two");
        drop(spool);
        let mut again = Spool::open(&path).unwrap();
        assert_eq!((again.len(), all(&mut again)), (7, b"one two".to_vec()));
        assert!(Spool::create(&path).is_err());
    }

    #[test]
    fn a_file_that_takes_no_more_loses_nothing() {
        // A handle that is open for reading only fails as a full disk does.
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), b"begin ").unwrap();
        let mut spool = Spool::open(file.path()).unwrap();
        spool.write(b"middle ");
        spool.write(b"end");
        assert_eq!(all(&mut spool), b"begin middle end");
        assert!(spool.failure().is_some());
        assert_eq!(spool.len(), 16);
    }
}
