//! Room for a download: looked for before the order is deleted, and a second home for what the
//! folder does not take all the same.

use std::io;
use std::path::{Path, PathBuf};

use super::download::DOWNLOAD;
use super::model::OrderDocument;
use super::places::{Part, file_stem, sync_folder};
use super::proof::Wanted;
use crate::error::{Code, Error, Result};

/// What signing adds to a document: signatures, certificates, revocation answers, a seal. In bytes.
const SIGNING_ADDS: u64 = 64 * 1024;
/// A signature by itself, in bytes.
const SIGNATURE: u64 = 16 * 1024;

/// What a download will probably need, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Need {
    /// The raw answer.
    pub answer: u64,
    /// The files that are made of it.
    pub results: u64,
}

impl Need {
    /// What was sent tells the order of magnitude; `None` where that is not known.
    pub(super) fn of(documents: &[OrderDocument], wanted: Option<&Wanted>) -> Option<Self> {
        let parts = wanted.map_or(&[Part::Document][..], Wanted::parts);
        let mut results = 0_u64;
        for document in documents {
            let size = document.size?;
            for part in parts {
                results = results.saturating_add(match part {
                    // A signed data object holds its document in base64.
                    Part::Document => size.div_ceil(3) * 4 + SIGNING_ADDS,
                    Part::Appendix => SIGNING_ADDS,
                    Part::MerchantSignature | Part::EndUserSignature => SIGNATURE,
                });
            }
        }
        (!documents.is_empty()).then(|| Self { answer: results.div_ceil(3) * 4, results })
    }
}

/// Where the raw answer goes, after a look at the room there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AnswerGoes {
    BesideResults,
    ToFallback,
}

/// Refuses a folder that will not take the results, before anything is deleted.
///
/// # Errors
/// [`Code::DestinationFailed`] with what is needed and what is free.
pub(super) fn look(folder: &Path, fallback: &Path, need: Option<Need>) -> Result<AnswerGoes> {
    let (Some(need), Some(free)) = (need, free_space(folder)) else {
        return Ok(AnswerGoes::BesideResults);
    };
    if free >= need.results.saturating_add(need.answer) {
        return Ok(AnswerGoes::BesideResults);
    }
    let beside = free_space(fallback).unwrap_or(0);
    if free >= need.results && beside >= need.answer {
        return Ok(AnswerGoes::ToFallback);
    }
    let needed = need.results + need.answer;
    Err(Error::new(
        Code::DestinationFailed,
        format!(
            "{DOWNLOAD}: {} has {free} bytes free, and the results need about {needed}; nothing was deleted: make room, or name another folder",
            folder.display()
        ),
    )
    .with_detail("path", folder.display().to_string())
    .with_detail("needed", needed)
    .with_detail("free", free)
    .with_detail("unit", "bytes"))
}

/// What this user may still write to the file system of `folder`, in bytes; `None` where the
/// system does not tell.
#[cfg(unix)]
fn free_space(folder: &Path) -> Option<u64> {
    let system = rustix::fs::statvfs(folder).ok()?;
    Some(system.f_bavail.saturating_mul(system.f_frsize))
}

/// Not asked for here: a full disk is noticed when it is written to.
#[cfg(not(unix))]
fn free_space(_: &Path) -> Option<u64> {
    None
}

/// A private folder, made when it is first needed, for what has no room where it belongs.
#[derive(Debug)]
pub(super) struct Fallback {
    parent: PathBuf,
    name: String,
    made: bool,
}

impl Fallback {
    /// One for the order `sign_id`, in `parent`. Nothing is made yet, but its name is settled.
    pub(super) fn new(parent: &Path, sign_id: &str) -> Self {
        let number = getrandom::u64().unwrap_or_default();
        let name = format!("signdoc-{}-{number:016x}", file_stem(sign_id));
        Self { parent: parent.to_owned(), name, made: false }
    }

    /// Where it is, or will be.
    pub(super) fn path(&self) -> PathBuf {
        self.parent.join(&self.name)
    }

    /// The folder, made now if it is not there.
    ///
    /// # Errors
    /// What the system says.
    pub(super) fn folder(&mut self) -> io::Result<PathBuf> {
        let path = self.path();
        if !self.made {
            std::fs::create_dir_all(&self.parent)?;
            let mut builder = std::fs::DirBuilder::new();
            #[cfg(unix)]
            std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
            builder.create(&path)?;
            self.made = true;
        }
        Ok(path)
    }

    /// Makes the entries of what was put into it durable.
    ///
    /// # Errors
    /// What the system says.
    pub(super) fn sync(&self) -> io::Result<()> {
        sync_folder(&self.path()).and_then(|()| sync_folder(&self.parent))
    }

    /// The folder, where anything was put into it.
    pub(super) fn used(&self) -> Option<PathBuf> {
        self.made.then(|| self.path())
    }
}

impl Drop for Fallback {
    fn drop(&mut self) {
        if self.made {
            // Fails, as it should, where something is in it.
            let _ = std::fs::remove_dir(self.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(sizes: &[Option<u64>]) -> Vec<OrderDocument> {
        let document = |size: &Option<u64>| OrderDocument { size: *size, ..Default::default() };
        sizes.iter().map(document).collect()
    }

    #[test]
    fn what_was_sent_tells_how_much_is_needed() {
        let need = Need::of(&sent(&[Some(3_000_000), Some(0)]), None).unwrap();
        assert_eq!(need.results, 4_000_000 + 2 * SIGNING_ADDS);
        assert!(need.answer > need.results * 13 / 10);
        assert_eq!(Need::of(&sent(&[Some(1), None]), None), None);
        assert_eq!(Need::of(&[], None), None);
    }

    #[test]
    fn a_folder_without_room_is_refused_with_numbers() {
        let folder = tempfile::tempdir().unwrap();
        let look = |need| look(folder.path(), folder.path(), need);
        assert_eq!(look(None).unwrap(), AnswerGoes::BesideResults);
        let some = Need { answer: 1, results: 1 };
        assert_eq!(look(Some(some)).unwrap(), AnswerGoes::BesideResults);
        if free_space(folder.path()).is_none() {
            println!("left out: this system does not tell how much room there is");
            return;
        }
        let all = Need { answer: 1 << 60, results: 1 << 60 };
        let error = look(Some(all)).unwrap_err();
        assert_eq!(error.code(), Code::DestinationFailed);
        assert_eq!(error.details()["needed"], 1_u64 << 61);
        assert!(error.details()["free"].as_u64().is_some());
    }

    #[test]
    fn a_fallback_that_holds_nothing_leaves_nothing() {
        let parent = tempfile::tempdir().unwrap();
        let mut fallback = Fallback::new(parent.path(), "a/../b");
        assert!(fallback.used().is_none());
        let folder = fallback.folder().unwrap();
        assert!(folder.starts_with(parent.path()) && folder.is_dir());
        drop(fallback);
        assert!(!folder.exists());
        let mut fallback = Fallback::new(parent.path(), "b");
        std::fs::write(fallback.folder().unwrap().join("x"), b"x").unwrap();
        let folder = fallback.used().unwrap();
        drop(fallback);
        assert!(folder.join("x").exists());
    }
}
