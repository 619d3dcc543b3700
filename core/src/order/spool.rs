//! The raw answer of a download, put aside byte by byte before anything is made of it.
//!
//! Until it is proven superfluous, this is the only copy. A file takes it; when that takes no more,
//! a file in another folder; when that takes no more either, memory.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use flate2::read::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};

use crate::transport::Coding;

/// How much may be in the system's hands without being on the disk, in bytes.
const SYNC_EVERY: u64 = 4 * 1024 * 1024;

/// Bytes in a file and, from the moment no file takes more, in memory.
pub(super) struct Spool {
    file: Option<File>,
    path: Option<PathBuf>,
    on_disk: u64,
    unsynced: u64,
    overflow: Vec<u8>,
    failure: Option<io::Error>,
    /// The coding that the answer's head named.
    coding: Coding,
}

impl Spool {
    /// A new file that only its owner may read.
    pub(super) fn create(path: &Path) -> io::Result<Self> {
        let file = new_file(path)?;
        Ok(Self { path: Some(path.to_owned()), ..Self::over(Some(file), 0) })
    }

    /// What an earlier process left.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let file = crate::file_lock::open_own(path)?;
        let len = file.metadata()?.len();
        Ok(Self { path: Some(path.to_owned()), ..Self::over(Some(file), len) })
    }

    /// A file without a name, for results in memory: a document that cannot be read must not take
    /// those behind it with it. Memory where no such file can be had.
    pub(super) fn anonymous(folder: &Path) -> Self {
        let file = tempfile::tempfile_in(folder).or_else(|_| tempfile::tempfile());
        Self::over(file.ok(), 0)
    }

    fn over(file: Option<File>, on_disk: u64) -> Self {
        Self {
            file,
            path: None,
            on_disk,
            unsynced: 0,
            overflow: Vec::new(),
            failure: None,
            coding: Coding::Identity,
        }
    }

    /// Takes all of `bytes`, wherever there is room. False when the file took no more of them.
    pub(super) fn write(&mut self, bytes: &[u8]) -> bool {
        let mut written = 0;
        if let (Some(file), true) = (&mut self.file, self.overflow.is_empty()) {
            let (count, failure) = write_most(file, bytes);
            written = count;
            self.on_disk += count as u64;
            self.unsynced += count as u64;
            if let Some(failure) = failure {
                self.failure = Some(failure);
            } else if self.unsynced >= SYNC_EVERY {
                self.unsynced = 0;
                if let Err(error) = file.sync_data() {
                    self.failure.get_or_insert(error);
                }
            }
        }
        let rest = bytes.get(written..).unwrap_or_default();
        self.overflow.extend_from_slice(rest);
        rest.is_empty()
    }

    /// Goes on in a new file, which gets all that came so far. The old file stays until
    /// [`Moved::forget`] is called: whoever looks for the answer must be told first.
    ///
    /// # Errors
    /// When the new file does not take it; everything is where it was then.
    pub(super) fn move_to(&mut self, path: &Path) -> io::Result<Moved> {
        let mut file = new_file(path)?;
        let copied = self.reader().and_then(|mut old| io::copy(&mut old, &mut file));
        let copied = copied.and_then(|count| file.sync_all().map(|()| count));
        let count = match copied {
            Ok(count) => count,
            Err(error) => {
                drop(file);
                let _ = std::fs::remove_file(path);
                return Err(error);
            }
        };
        let old = self.path.replace(path.to_owned());
        *self = Self {
            file: Some(file),
            path: self.path.take(),
            on_disk: count,
            unsynced: 0,
            overflow: Vec::new(),
            failure: None,
            coding: self.coding.clone(),
        };
        Ok(Moved(old))
    }

    /// Forgets what came, for another answer.
    pub(super) fn clear(&mut self) {
        self.overflow = Vec::new();
        if let Some(file) = &mut self.file
            && file.set_len(0).and_then(|()| file.seek(SeekFrom::Start(0))).is_ok()
        {
            self.on_disk = 0;
        }
    }

    /// Notes in which coding the answer comes.
    pub(super) fn coded(&mut self, coding: Coding) {
        self.coding = coding;
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

    /// Bytes that no file took.
    pub(super) fn in_memory(&self) -> u64 {
        self.overflow.len() as u64
    }

    /// The file.
    pub(super) fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Whether all that came is in a file with a name.
    pub(super) fn is_on_disk(&self) -> bool {
        self.path.is_some() && self.overflow.is_empty() && self.failure.is_none()
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

    /// The answer's bytes without the coding it came in, as far as that can be undone.
    pub(super) fn decoded(&mut self) -> io::Result<Box<dyn Read + '_>> {
        let first = self.first(2)?;
        let coding = match (&self.coding, Coding::of_bytes(&first)) {
            // What an earlier process put aside tells its coding by its first bytes.
            (Coding::Identity, seen) => seen,
            (named, _) => named.clone(),
        };
        let zlib = Coding::of_bytes(&first) == Coding::Deflate;
        let reader = self.reader()?;
        Ok(match coding {
            Coding::Gzip => Box::new(MultiGzDecoder::new(reader)),
            Coding::Deflate if zlib => Box::new(ZlibDecoder::new(reader)),
            Coding::Deflate => Box::new(DeflateDecoder::new(reader)),
            Coding::Identity | Coding::Other(_) => Box::new(reader),
        })
    }

    /// The first bytes, for a look at what came.
    ///
    /// # Errors
    /// When they cannot be read again.
    pub(super) fn head(&mut self, count: u64) -> io::Result<Vec<u8>> {
        let mut head = Vec::new();
        self.decoded()?.take(count).read_to_end(&mut head)?;
        Ok(head)
    }

    fn first(&mut self, count: u64) -> io::Result<Vec<u8>> {
        let mut first = Vec::new();
        self.reader()?.take(count).read_to_end(&mut first)?;
        Ok(first)
    }

    /// Everything, as it came.
    ///
    /// # Errors
    /// When it cannot be read again.
    pub(super) fn whole(&mut self) -> io::Result<Vec<u8>> {
        let mut whole = Vec::new();
        self.reader()?.read_to_end(&mut whole)?;
        Ok(whole)
    }
}

/// The file that was left behind.
#[must_use]
pub(super) struct Moved(Option<PathBuf>);

impl Moved {
    /// Removes it.
    pub(super) fn forget(self) {
        if let Some(old) = self.0 {
            let _ = std::fs::remove_file(old);
        }
    }
}

fn new_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
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
        spool.whole().unwrap()
    }

    #[test]
    fn what_was_written_is_read_again_as_often_as_needed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("answer");
        let mut spool = Spool::create(&path).unwrap();
        assert!(spool.write(b"one ") && spool.write(b"two"));
        assert_eq!(all(&mut spool), b"one two");
        assert_eq!(all(&mut spool), b"one two");
        drop(spool);
        let mut again = Spool::open(&path).unwrap();
        assert_eq!((again.len(), all(&mut again)), (7, b"one two".to_vec()));
        assert!(Spool::create(&path).is_err());
    }

    /// A handle that is open for reading only fails as a full disk does.
    fn full(begin: &[u8]) -> (tempfile::TempDir, Spool) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("full");
        new_file(&path).and_then(|mut file| file.write_all(begin)).unwrap();
        let spool = Spool::open(&path).unwrap();
        (folder, spool)
    }

    #[test]
    fn a_file_that_takes_no_more_loses_nothing() {
        let (_folder, mut spool) = full(b"begin ");
        assert!(!spool.write(b"middle "));
        assert!(!spool.write(b"end"));
        assert_eq!(all(&mut spool), b"begin middle end");
        assert!(!spool.is_on_disk());
        assert_eq!((spool.len(), spool.in_memory()), (16, 10));
    }

    #[test]
    fn another_file_takes_over_what_came_and_what_comes() {
        let (folder, mut spool) = full(b"begin ");
        assert!(!spool.write(b"middle "));
        let (old, new) = (folder.path().join("full"), folder.path().join("other"));
        let moved = spool.move_to(&new).unwrap();
        assert!(old.exists(), "until it is told where the answer is");
        moved.forget();
        assert!(!old.exists());
        assert!(spool.write(b"end"));
        assert!(spool.is_on_disk());
        assert_eq!(spool.path(), Some(new.as_path()));
        assert_eq!(std::fs::read(&new).unwrap(), b"begin middle end");
        let nowhere = folder.path().join("none/other");
        assert!(spool.move_to(&nowhere).is_err());
        assert_eq!(all(&mut spool), b"begin middle end", "everything is where it was");
    }

    #[test]
    fn another_answer_starts_from_nothing() {
        let mut spool = Spool::anonymous(&std::env::temp_dir());
        spool.write(b"refused");
        spool.clear();
        spool.write(b"good");
        assert_eq!(all(&mut spool), b"good");
    }

    #[test]
    fn a_coded_answer_is_read_decoded() {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(b"{\"signId\":\"s\"}").unwrap();
        let bytes = gzip.finish().unwrap();
        for named in [Coding::Gzip, Coding::Identity] {
            let mut spool = Spool::anonymous(&std::env::temp_dir());
            spool.coded(named);
            spool.write(&bytes);
            assert_eq!(spool.head(100).unwrap(), b"{\"signId\":\"s\"}");
            assert_eq!(all(&mut spool), bytes, "kept as it came");
        }
    }
}
