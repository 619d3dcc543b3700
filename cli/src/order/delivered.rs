//! Success means files: every result that was asked for lies in the folder.

use std::fs;
use std::path::{Path, PathBuf};

use signdoc::{Code, Download, Error, Result};

use super::parts::{Part, is_of_files, parts};
use crate::place;

/// Looks whether all is there; the file of the digests, where nothing else was asked for.
///
/// # Errors
/// [`Code::DownloadIncomplete`] with the first result that is no file.
pub(super) fn check(
    download: &Download,
    folder: &Path,
    asked: Option<&[String]>,
) -> Result<Option<PathBuf>> {
    let is_asked = |name: &str| asked.is_some_and(|asked| asked.iter().any(|one| one == name));
    let mut files = 0;
    for part in parts(download) {
        match part.path {
            Some(path) => check_file(path, part.size)?,
            None if is_asked(part.asked_as) => return Err(no_file(&part)),
            None => continue,
        }
        files += 1;
    }
    if files > 0 {
        return Ok(None);
    }
    let only_digests = asked.is_some_and(|asked| !asked.iter().any(|name| is_of_files(name)));
    if only_digests && download.document_count() > 0 {
        return write_digests(download, folder).map(Some);
    }
    Err(missing("none of its results is a file".to_owned()))
}

/// Digests alone come without a file of their own, and are as much the only copy as any other.
fn write_digests(download: &Download, folder: &Path) -> Result<PathBuf> {
    let stem = place::stem(download.sign_id());
    let told = download.to_json();
    place::write_new(folder, &stem, ".digests.json", format!("{told:#}\n").as_bytes()).map_err(
        |error| {
            let why = format!(
                "{}: the digests cannot be written: {error}; they are: {told}",
                folder.display()
            );
            Error::new(Code::DestinationFailed, why)
        },
    )
}

fn check_file(path: &Path, size: Option<u64>) -> Result<()> {
    let fits = fs::metadata(path)
        .is_ok_and(|found| found.is_file() && size.is_none_or(|size| size == found.len()));
    match fits {
        true => Ok(()),
        false => Err(missing(format!("{} is not there as it was written", path.display()))),
    }
}

fn no_file(part: &Part<'_>) -> Error {
    missing(format!("{} of document {} is no file", part.what, part.index + 1))
}

fn missing(why: String) -> Error {
    Error::new(Code::DownloadIncomplete, format!("download: {why}"))
}
