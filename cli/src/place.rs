//! Files for what is the only copy: whole or not at all, on the disk when they appear, for their
//! owner alone, and never in the place of another.

use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// How many other names are tried when a name is taken.
const OTHER_NAMES: usize = 1000;
/// The longest name that is made of a text from elsewhere, in bytes.
const LONGEST: usize = 150;

/// Writes a file called `stem` and `suffix`; with a number between them where that is taken.
pub(crate) fn write_new(
    folder: &Path,
    stem: &str,
    suffix: &str,
    bytes: &[u8],
) -> io::Result<PathBuf> {
    let builder = &mut tempfile::Builder::new();
    // Mode 0600, like every result.
    let mut file = builder.prefix(".signdoc-").suffix(".part").tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    for other in 1..=OTHER_NAMES {
        let number = if other == 1 { String::new() } else { format!("-{other}") };
        let path = folder.join(format!("{stem}{number}{suffix}"));
        match file.persist_noclobber(&path) {
            Ok(_) => {
                // What cannot be synced lies there all the same.
                let _ = std::fs::File::open(folder).and_then(|folder| folder.sync_all());
                return Ok(path);
            }
            Err(taken) if taken.error.kind() == ErrorKind::AlreadyExists => file = taken.file,
            Err(failed) => return Err(failed.error),
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}

/// A file name, without its ending, for a text that may hold anything.
pub(crate) fn stem(text: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() || "-_.() ".contains(c) { c } else { '_' };
    let mut name: String = text.chars().map(plain).collect();
    while name.len() > LONGEST {
        name.pop();
    }
    let name = name.trim_matches(['.', ' ']);
    if name.is_empty() { "order".to_owned() } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_is_there_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("loan.pdf"), "mine").unwrap();
        for expected in ["loan-2.pdf", "loan-3.pdf"] {
            let path = write_new(folder.path(), "loan", ".pdf", b"signed").unwrap();
            assert_eq!(path, folder.path().join(expected));
            assert_eq!(std::fs::read(&path).unwrap(), b"signed");
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt;
                let mode = std::fs::metadata(&path).unwrap().permissions().mode();
                assert_eq!(mode & 0o777, 0o600);
            }
        }
        assert_eq!(std::fs::read(folder.path().join("loan.pdf")).unwrap(), b"mine");
        assert!(write_new(&folder.path().join("none"), "loan", ".pdf", b"x").is_err());
    }

    #[test]
    fn names_stay_in_their_folder() {
        assert_eq!(stem("../../etc/passwd"), "_.._etc_passwd");
        assert_eq!(stem("Kjøpekontrakt 7"), "Kjøpekontrakt 7");
        assert_eq!(stem(".."), "order");
        assert!(stem(&"å".repeat(500)).len() <= LONGEST);
    }
}
