//! Files that say "another process is at it": locked while they are used, and only ever one's own.
//!
//! On Unix the lock belongs to the process (`fcntl`), not to the open file: a forked child that
//! outlives its parent does not keep it. Such a lock knows nothing of one's own threads, and goes
//! when any handle to the file is closed; so this process remembers what it holds, and opens none
//! of those files a second time.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// An open file that this process holds.
#[derive(Debug)]
pub(crate) struct LockedFile {
    /// Nothing only while it is dropped.
    file: Option<File>,
    path: PathBuf,
    #[cfg(unix)]
    held: held::Entry,
}

impl LockedFile {
    /// Makes a new file that only its owner may read, and holds it. `None` where somebody else
    /// took it in the moment after it was made.
    ///
    /// # Errors
    /// [`io::ErrorKind::AlreadyExists`], and what the system says.
    pub(crate) fn create(path: &Path) -> io::Result<Option<Self>> {
        Self::hold(path, true)
    }

    /// Opens an existing file and holds it; `None` while somebody else does.
    ///
    /// # Errors
    /// What the system says; [`io::ErrorKind::InvalidInput`] for what is no regular file, or could
    /// have been put there by somebody else, see [`check_own`].
    pub(crate) fn open(path: &Path) -> io::Result<Option<Self>> {
        check_own(path, &std::fs::symlink_metadata(path)?)?;
        let opened = Self::hold(path, false)?;
        if let Some(opened) = &opened {
            // It may have been another file a moment ago.
            check_own(path, &opened.file()?.metadata()?)?;
        }
        Ok(opened)
    }

    /// As [`LockedFile::open`] for a file that the caller names, whoever may write to it, and makes
    /// the file when it is missing.
    pub(crate) fn open_or_create(path: &Path) -> io::Result<Option<Self>> {
        // The name may be a link to it.
        match path.canonicalize() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Self::create(path),
            Err(error) => Err(error),
            Ok(path) if !path.is_file() => Err(not_regular(&path)),
            Ok(path) => Self::hold(&path, false),
        }
    }

    fn file(&self) -> io::Result<&File> {
        self.file.as_ref().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// All that is in the file, but no more than `most` bytes.
    pub(crate) fn read(&self, most: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let mut file = self.file()?;
        file.seek(SeekFrom::Start(0))?;
        file.take(most).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Adds to its end.
    pub(crate) fn append(&self, bytes: &[u8]) -> io::Result<()> {
        self.file()?.write_all(bytes)
    }

    /// Its length in bytes.
    pub(crate) fn len(&self) -> io::Result<u64> {
        Ok(self.file()?.metadata()?.len())
    }

    pub(crate) fn sync(&self) -> io::Result<()> {
        self.file()?.sync_all()
    }

    pub(crate) fn set_len(&self, length: u64) -> io::Result<()> {
        self.file()?.set_len(length)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

/// Whether this is a file that nobody but this user can have put there or changed: a regular file
/// with one name, the user's own, and writable by nobody else.
///
/// # Errors
/// [`io::ErrorKind::InvalidInput`], and why not.
pub(crate) fn check_own(path: &Path, found: &Metadata) -> io::Result<()> {
    let refused = |why: &str| {
        Err(io::Error::new(io::ErrorKind::InvalidInput, format!("{} {why}", path.display())))
    };
    if !found.is_file() {
        return Err(not_regular(path));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        if found.uid() != rustix::process::geteuid().as_raw() {
            return refused("belongs to another user");
        }
        if found.nlink() != 1 {
            return refused("has more than one name");
        }
        if found.mode() & 0o022 != 0 {
            return refused("may be written by others");
        }
    }
    Ok(())
}

fn not_regular(path: &Path) -> io::Error {
    let told = format!("{} is no regular file", path.display());
    io::Error::new(io::ErrorKind::InvalidInput, told)
}

/// Opens a file for reading that passes [`check_own`], without waiting for anybody: a pipe that
/// was put in its place is refused, not read.
pub(crate) fn open_own(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    without_waiting(&mut options);
    check_own(path, &std::fs::symlink_metadata(path)?)?;
    let file = options.open(path)?;
    check_own(path, &file.metadata()?)?;
    Ok(file)
}

#[cfg(unix)]
fn without_waiting(options: &mut OpenOptions) {
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    let flags = i32::try_from(flags.bits()).unwrap_or_default();
    std::os::unix::fs::OpenOptionsExt::custom_flags(options, flags);
}

#[cfg(not(unix))]
fn without_waiting(_: &mut OpenOptions) {}

fn options(create: bool) -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).append(true).create_new(create);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    without_waiting(&mut options);
    options
}

#[cfg(unix)]
impl LockedFile {
    fn hold(path: &Path, create: bool) -> io::Result<Option<Self>> {
        use rustix::fs::{FlockOperation, fcntl_lock};
        use rustix::io::Errno;

        held::in_turn(|| {
            let there = std::fs::symlink_metadata(path);
            if !create && there.is_ok_and(|found| held::holds(&found)) {
                // To open and close it once more would let go of the lock.
                return Ok(None);
            }
            let file = options(create).open(path)?;
            let found = file.metadata()?;
            if held::holds(&found) {
                // It got its name in between.
                std::mem::forget(file);
                return Ok(None);
            }
            if !found.is_file() {
                return Err(not_regular(path));
            }
            match fcntl_lock(&file, FlockOperation::NonBlockingLockExclusive) {
                // A file system without locks is taken as it is.
                Ok(()) | Err(Errno::NOLCK | Errno::OPNOTSUPP) => {}
                Err(Errno::AGAIN | Errno::ACCESS) => return Ok(None),
                Err(other) => return Err(other.into()),
            }
            Ok(Some(Self { held: held::add(&found), path: path.to_owned(), file: Some(file) }))
        })
    }
}

#[cfg(unix)]
impl Drop for LockedFile {
    fn drop(&mut self) {
        // In one turn: another thread's file may get the number of this one as soon as it is
        // closed, and must not be taken for held.
        held::in_turn(|| {
            drop(self.file.take());
            held::remove(self.held);
        });
    }
}

#[cfg(not(unix))]
impl LockedFile {
    fn hold(path: &Path, create: bool) -> io::Result<Option<Self>> {
        use std::fs::TryLockError;

        let file = options(create).open(path)?;
        let locked = file.try_lock();
        let held = Self { file: Some(file), path: path.to_owned() };
        match locked {
            Ok(()) => Ok(Some(held)),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {
                Ok(Some(held))
            }
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}

/// What this process holds. No lock is involved that a fork could leave taken.
#[cfg(unix)]
mod held {
    use std::fs::Metadata;
    use std::os::unix::fs::MetadataExt;
    use std::process;
    use std::sync::atomic::{AtomicU32, Ordering};

    use arc_swap::ArcSwapOption;

    /// Process, device and file.
    pub(super) type Entry = (u32, u64, u64);

    static HELD: ArcSwapOption<Vec<Entry>> = ArcSwapOption::const_empty();
    /// The process whose thread is opening or closing right now.
    static TURN: AtomicU32 = AtomicU32::new(0);

    fn entry(found: &Metadata) -> Entry {
        (process::id(), found.dev(), found.ino())
    }

    pub(super) fn holds(found: &Metadata) -> bool {
        let entry = entry(found);
        HELD.load().as_ref().is_some_and(|held| held.contains(&entry))
    }

    pub(super) fn add(found: &Metadata) -> Entry {
        let entry = entry(found);
        change(|held| held.push(entry));
        entry
    }

    pub(super) fn remove(entry: Entry) {
        change(|held| held.retain(|one| *one != entry));
    }

    fn change(change: impl Fn(&mut Vec<Entry>)) {
        HELD.rcu(|held| {
            let mut held = held.as_ref().map_or_else(Vec::new, |held| held.to_vec());
            change(&mut held);
            (!held.is_empty()).then(|| held.into())
        });
    }

    /// One thread of this process at a time. A turn that the process this one was forked from
    /// had is nobody's here.
    pub(super) fn in_turn<T>(work: impl FnOnce() -> T) -> T {
        let own = process::id();
        loop {
            match TURN.compare_exchange(0, own, Ordering::Acquire, Ordering::Relaxed) {
                Ok(_) => break,
                Err(other) if other != own => {
                    let taken =
                        TURN.compare_exchange(other, own, Ordering::Acquire, Ordering::Relaxed);
                    if taken.is_ok() {
                        break;
                    }
                }
                Err(_) => std::thread::yield_now(),
            }
        }
        struct End;
        impl Drop for End {
            fn drop(&mut self) {
                TURN.store(0, Ordering::Release);
            }
        }
        let _end = End;
        work()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_at_a_time_also_in_one_process() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let first = LockedFile::create(&path).unwrap().unwrap();
        assert!(LockedFile::open(&path).unwrap().is_none());
        let again = LockedFile::create(&path).unwrap_err();
        assert_eq!(again.kind(), io::ErrorKind::AlreadyExists);
        first.append(b"one\n").unwrap();
        assert_eq!(first.read(100).unwrap(), b"one\n");
        drop(first);
        let second = LockedFile::open_or_create(&path).unwrap().unwrap();
        second.append(b"two").unwrap();
        assert_eq!(second.read(5).unwrap(), b"one\nt");
    }

    #[cfg(unix)]
    #[test]
    fn another_process_sees_the_lock() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let held = LockedFile::create(&path).unwrap().unwrap();
        let script = "import fcntl, sys\nf = open(sys.argv[1], 'a')\n\
                      try:\n    fcntl.lockf(f, fcntl.LOCK_EX | fcntl.LOCK_NB)\n    print('free')\n\
                      except OSError:\n    print('held')";
        let look = || {
            let output =
                std::process::Command::new("python3").args(["-c", script]).arg(&path).output();
            String::from_utf8(output.unwrap().stdout).unwrap()
        };
        assert_eq!(look().trim(), "held");
        drop(held);
        assert_eq!(look().trim(), "free");
    }

    #[cfg(unix)]
    #[test]
    fn what_others_could_have_put_there_is_refused() {
        use std::os::unix::fs::{PermissionsExt, symlink};

        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("own"), "x").unwrap();
        symlink(path("own"), path("link")).unwrap();
        std::fs::write(path("open"), "x").unwrap();
        std::fs::set_permissions(path("open"), PermissionsExt::from_mode(0o666)).unwrap();
        std::fs::write(path("two"), "x").unwrap();
        std::fs::hard_link(path("two"), path("names")).unwrap();
        let fifo = std::process::Command::new("mkfifo").arg(path("pipe")).status().unwrap();
        assert!(fifo.success());
        for (name, why) in [
            ("link", "no regular file"),
            ("open", "written by others"),
            ("two", "more than one name"),
            ("pipe", "no regular file"),
            (".", "no regular file"),
        ] {
            let refused = LockedFile::open(&path(name)).unwrap_err();
            assert!(refused.to_string().contains(why), "{name}: {refused}");
            assert!(open_own(&path(name)).is_err(), "{name}");
        }
        assert!(open_own(&path("own")).is_ok());
    }
}
