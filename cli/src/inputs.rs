//! Which documents a command is about.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use signdoc::pdf::pdf::{FileSource, SharedSource};
use signdoc::{Code, Error, Result};

/// One document of the command line.
#[derive(Clone, Debug)]
pub(crate) struct Input {
    pub(crate) path: PathBuf,
    /// Size in bytes, where the file could be looked at.
    pub(crate) size: Option<u64>,
    /// What it is called in tables and messages.
    pub(crate) shown: String,
}

impl Input {
    pub(crate) fn new(path: PathBuf) -> Self {
        let size = std::fs::metadata(&path).ok().map(|metadata| metadata.len());
        let shown = path.display().to_string();
        Self { path, size, shown }
    }

    pub(crate) fn called(self, shown: &str) -> Self {
        Self { shown: shown.to_owned(), ..self }
    }
}

/// Opens a document to look into it, position by position.
///
/// # Errors
/// When there is no such file, or it cannot be read.
pub(crate) fn open(path: &Path) -> Result<SharedSource> {
    match FileSource::open(path) {
        Ok(_) if path.is_dir() => {
            let why = "is a folder; name the file";
            Err(Error::new(Code::DocumentUnreadable, format!("{} {why}", path.display())))
        }
        Ok(source) => Ok(Arc::new(source)),
        Err(error) => Err(unreadable(path, &error)),
    }
}

/// What it means that a file cannot be read.
pub(crate) fn unreadable(path: &Path, error: &std::io::Error) -> Error {
    let shown = path.display();
    match error.kind() {
        std::io::ErrorKind::NotFound => {
            Error::new(Code::DocumentNotFound, format!("{shown} does not exist"))
        }
        _ => Error::new(Code::DocumentUnreadable, format!("{shown} cannot be read: {error}")),
    }
}

/// Files as they were named, and the PDF files of folders, sorted by name.
pub(crate) fn resolve<'a>(named: impl Iterator<Item = &'a PathBuf>) -> Result<Vec<Input>> {
    let mut paths = Vec::new();
    for path in named {
        if path.is_dir() {
            paths.extend(folder(path)?);
        } else {
            paths.push(path.clone());
        }
    }
    Ok(paths.into_iter().map(Input::new).collect())
}

fn folder(path: &Path) -> Result<Vec<PathBuf>> {
    let refused = |code, why: &str| Error::new(code, format!("{}: {why}", path.display()));
    let unreadable = |error: std::io::Error| {
        refused(Code::DocumentUnreadable, &format!("the folder cannot be read: {error}"))
    };
    let mut found = Vec::new();
    for entry in std::fs::read_dir(path).map_err(unreadable)? {
        let file = entry.map_err(unreadable)?.path();
        let pdf = file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("pdf"));
        if pdf && !file.is_dir() {
            found.push(file);
        }
    }
    if found.is_empty() {
        return Err(refused(
            Code::DocumentNotFound,
            "the folder holds no *.pdf file; name the files, or the folder they are in",
        ));
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_stands_for_its_pdf_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_owned();
        let empty = resolve([path.clone()].iter()).unwrap_err();
        assert_eq!(empty.code(), Code::DocumentNotFound);
        for name in ["b.pdf", "a.PDF", "note.txt"] {
            std::fs::write(path.join(name), b"12345").unwrap();
        }
        std::fs::create_dir(path.join("deep.pdf")).unwrap();
        let other = PathBuf::from("elsewhere.pdf");
        let found = resolve([other, path.clone()].iter()).unwrap();
        let paths: Vec<_> = found.iter().map(|input| input.path.clone()).collect();
        assert_eq!(paths, [PathBuf::from("elsewhere.pdf"), path.join("a.PDF"), path.join("b.pdf")]);
        assert_eq!((found[0].size, found[1].size), (None, Some(5)));
    }
}
