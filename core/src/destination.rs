//! Where results go: names are settled before anything is sent.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::error::{Code, Error, Result};

/// Where the converted documents go.
#[derive(Clone, Debug, Default)]
pub enum Destination {
    /// Into the results, as bytes.
    #[default]
    Memory,
    /// Into private temporary files without a name, which are gone with the results: for faces
    /// that hand the bytes on themselves. The system's folder for temporary files has to have room.
    /// A download of an order takes this as [`Destination::Memory`].
    Spool,
    /// Into files of this folder, which is made when it is missing. A file is named after its
    /// input; it appears complete (atomic rename, mode 0600) or not at all.
    Folder {
        /// The folder.
        path: PathBuf,
        /// Whether existing files may be replaced.
        overwrite: bool,
    },
}

impl Destination {
    /// Files in the folder `path`; existing files are not replaced.
    pub fn folder(path: impl Into<PathBuf>) -> Self {
        Self::Folder { path: path.into(), overwrite: false }
    }
}

/// Longest name we make, in bytes; common file systems take 255.
const NAME_MAX: usize = 200;

/// Gives each document of a call, or of a whole batch, a path of its own in one folder.
#[derive(Debug)]
pub(crate) struct Namer {
    folder: PathBuf,
    overwrite: bool,
    taken: BTreeSet<String>,
}

impl Namer {
    /// Makes the folder when it is missing.
    pub(crate) fn new(folder: &Path, overwrite: bool) -> Result<Self> {
        // Mostly it is there.
        if !folder.is_dir() {
            std::fs::create_dir_all(folder).map_err(|error| {
                failed(
                    folder,
                    &format!("the folder cannot be made: {error}; name one that can be written"),
                )
            })?;
        }
        Ok(Self { folder: folder.to_owned(), overwrite, taken: BTreeSet::new() })
    }

    /// Whether existing files may be replaced.
    pub(crate) fn overwrites(&self) -> bool {
        self.overwrite
    }

    /// The path of document `index`: free, unless files may be replaced.
    pub(crate) fn path(
        &mut self,
        index: usize,
        name: Option<&str>,
        overwrite: bool,
    ) -> Result<PathBuf> {
        let path = self.reserve(index, name);
        if !overwrite && path.symlink_metadata().is_ok() {
            return Err(exists(&path));
        }
        Ok(path)
    }

    /// Takes a name out of use, whatever lies there.
    pub(crate) fn reserve(&mut self, index: usize, name: Option<&str>) -> PathBuf {
        let stem = match name.map(sanitised).filter(|stem| !stem.is_empty()) {
            Some(stem) if !self.taken.contains(&key(&stem)) => stem,
            Some(stem) => unique(&stem, index + 1, &self.taken),
            None => unique("document", index + 1, &self.taken),
        };
        self.taken.insert(key(&stem));
        self.folder.join(format!("{stem}.pdf"))
    }
}

/// Case is folded: two names must not meet on a file system that ignores it.
fn key(stem: &str) -> String {
    stem.to_lowercase()
}

fn unique(stem: &str, index: usize, taken: &BTreeSet<String>) -> String {
    let mut name = format!("{stem}-{index}");
    while taken.contains(&key(&name)) {
        name.push('_');
    }
    name
}

/// Letters, digits and a few marks stay; everything else becomes an underscore.
fn sanitised(stem: &str) -> String {
    let mut name: String = stem
        .chars()
        .map(|c| if c.is_alphanumeric() || "-_.() ".contains(c) { c } else { '_' })
        .collect();
    while name.len() > NAME_MAX {
        name.pop();
    }
    name.trim_matches(['.', ' ']).to_owned()
}

pub(crate) fn exists(path: &Path) -> Error {
    Error::new(
        Code::DestinationExists,
        format!("{} exists already; choose another folder or allow overwriting", path.display()),
    )
    .with_detail("path", path.display().to_string())
}

pub(crate) fn failed(path: &Path, why: &str) -> Error {
    Error::new(Code::DestinationFailed, format!("{}: {why}", path.display()))
        .with_detail("path", path.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(list: &[Option<&str>]) -> Vec<Option<String>> {
        list.iter().map(|name| name.map(str::to_owned)).collect()
    }

    fn plan(folder: &Path, names: &[Option<String>], overwrite: bool) -> Result<Vec<PathBuf>> {
        let mut namer = Namer::new(folder, overwrite)?;
        names
            .iter()
            .enumerate()
            .map(|(i, name)| namer.path(i, name.as_deref(), overwrite))
            .collect()
    }

    fn planned(list: &[Option<&str>]) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        let paths = plan(&folder.path().join("new/deep"), &names(list), false).unwrap();
        paths.iter().map(|p| p.file_name().unwrap().to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn equal_names_and_bytes_get_an_index() {
        assert_eq!(
            planned(&[Some("loan"), Some("Loan"), None, Some("terms")]),
            ["loan.pdf", "Loan-2.pdf", "document-3.pdf", "terms.pdf"]
        );
        assert_eq!(planned(&[Some("a-2"), Some("a"), Some("a")]).len(), 3);
    }

    #[test]
    fn names_cannot_leave_the_folder() {
        assert_eq!(planned(&[Some("../../etc/passwd")]), ["_.._etc_passwd.pdf"]);
        assert_eq!(planned(&[Some("..")]), ["document-1.pdf"]);
        assert_eq!(planned(&[Some("a\0b\n")]), ["a_b_.pdf"]);
        assert!(planned(&[Some(&"å".repeat(500))])[0].len() < 256);
    }

    #[test]
    fn an_existing_file_is_refused_before_anything_happens() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("loan.pdf"), b"mine").unwrap();
        let error = plan(folder.path(), &names(&[Some("loan")]), false).unwrap_err();
        assert_eq!(error.code(), Code::DestinationExists);
        assert!(plan(folder.path(), &names(&[Some("loan")]), true).is_ok());
    }
}
