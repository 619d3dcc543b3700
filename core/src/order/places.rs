//! Where each part of a download goes: names settled before the order is deleted.

use std::path::{Path, PathBuf};

use super::model::{OrderDocument, OrderKind};
use crate::destination::{Destination, Namer, exists};
use crate::error::Result;
use crate::wire::{FileOptions, Sink, SinkError};

/// One stream of bytes in a download.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    /// The signed PDF, or the signed data object.
    Document,
    /// What signing appended to the PDF.
    Appendix,
    /// The merchant's signature (CMS).
    MerchantSignature,
    /// The end user's signature (CMS).
    EndUserSignature,
}

impl Part {
    const ALL: [Self; 4] =
        [Self::Document, Self::Appendix, Self::MerchantSignature, Self::EndUserSignature];

    /// The name in journals and details.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Document => "document",
            Self::Appendix => "appendix",
            Self::MerchantSignature => "merchant_signature",
            Self::EndUserSignature => "end_user_signature",
        }
    }

    pub(super) fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|part| part.as_str() == text)
    }

    /// Where the part stands in an answer.
    pub(super) fn field(self, kind: OrderKind, index: usize) -> String {
        match (self, kind) {
            (Self::Document, OrderKind::Pades) => format!("signingResults[{index}].padesSignedPdf"),
            (Self::Appendix, _) => format!("signingResults[{index}].padesAppendix"),
            (Self::Document, OrderKind::Sdo) => format!("sdos[{index}]"),
            (Self::MerchantSignature, _) => format!("merchantSignatures[{index}]"),
            (Self::EndUserSignature, _) => format!("endUserSignatures[{index}]"),
        }
    }

    fn suffix(self, kind: OrderKind) -> &'static str {
        match (self, kind) {
            (Self::Document, OrderKind::Pades) => ".pdf",
            (Self::Document, OrderKind::Sdo) => ".sdo",
            (Self::Appendix, _) => ".appendix",
            (Self::MerchantSignature, _) => ".merchant.p7s",
            (Self::EndUserSignature, _) => ".enduser.p7s",
        }
    }
}

/// Memory, or files of one folder.
#[derive(Clone, Debug)]
pub(super) enum Places {
    Memory,
    Folder(Names),
}

/// Where a part goes: each is tried when the one before takes it no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Home {
    /// Where the caller wants it.
    Wanted,
    /// The folder that takes what the wanted one has no room for.
    Fallback,
    /// Memory: the caller gets the bytes.
    Memory,
}

/// The names of one download's files.
#[derive(Clone, Debug)]
pub(super) struct Names {
    pub folder: PathBuf,
    pub kind: OrderKind,
    pub overwrite: bool,
    /// For each document that is known beforehand, the name without its extension.
    pub stems: Vec<String>,
    /// What further documents are called, before their number.
    pub fallback: String,
}

/// How many other names are tried when a name is taken.
const OTHER_NAMES: usize = 1000;

impl Places {
    /// Settles the names; makes the folder when it is missing.
    pub(super) fn new(
        kind: OrderKind,
        to: &Destination,
        sign_id: &str,
        documents: &[OrderDocument],
    ) -> Result<Self> {
        let Destination::Folder { path, overwrite } = to else { return Ok(Self::Memory) };
        let mut namer = Namer::new(path, *overwrite)?;
        let fallback = file_stem(sign_id);
        let mut stem = |(index, document): (usize, &OrderDocument)| {
            let own = format!("{fallback}-{}", index + 1);
            let path = namer.reserve(index, Some(document.name.as_deref().unwrap_or(&own)));
            path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
        };
        let stems = documents.iter().enumerate().map(&mut stem).collect();
        let names = Names { folder: path.clone(), kind, overwrite: *overwrite, stems, fallback };
        names.check_free()?;
        Ok(Self::Folder(names))
    }

    /// The names that results in memory would have in a folder.
    pub(super) fn names_in_memory(
        kind: OrderKind,
        sign_id: &str,
        documents: &[OrderDocument],
    ) -> Names {
        let fallback = file_stem(sign_id);
        let stem = |(index, document): (usize, &OrderDocument)| match &document.name {
            Some(name) => file_stem(name),
            None => format!("{fallback}-{}", index + 1),
        };
        let stems = documents.iter().enumerate().map(stem).collect();
        Names { folder: PathBuf::new(), kind, overwrite: false, stems, fallback }
    }

    /// A place for one part; a name that is taken meanwhile is left for another.
    pub(super) fn sink(
        &self,
        index: usize,
        part: Part,
    ) -> std::result::Result<(Sink, Option<PathBuf>), SinkError> {
        match self {
            Self::Memory => Ok((Sink::memory(0)?, None)),
            Self::Folder(names) => names.sink(index, part).map(|(sink, path)| (sink, Some(path))),
        }
    }
}

impl Names {
    /// A file for one part.
    pub(super) fn sink(
        &self,
        index: usize,
        part: Part,
    ) -> std::result::Result<(Sink, PathBuf), SinkError> {
        let options = FileOptions { overwrite: self.overwrite, sync: true, tag: None };
        for path in self.candidates(index, part) {
            match Sink::file(&path, options) {
                Err(SinkError::Exists { .. } | SinkError::NotAFile { .. }) => {}
                made => return made.map(|sink| (sink, path)),
            }
        }
        Err(SinkError::Exists { path: self.path(index, part, 0) })
    }

    /// The paths that a part may have, the first one first.
    pub(super) fn candidates(
        &self,
        index: usize,
        part: Part,
    ) -> impl Iterator<Item = PathBuf> + '_ {
        (0..OTHER_NAMES).map(move |other| self.path(index, part, other))
    }

    /// The same names in another folder, where nothing is replaced.
    pub(super) fn within(&self, folder: &Path) -> Self {
        Self { folder: folder.to_owned(), overwrite: false, ..self.clone() }
    }

    /// Whether a hidden file of this name can be one that a part of this download was written to.
    pub(super) fn is_partial(&self, name: &str) -> bool {
        let Some(inner) = name.strip_prefix('.').and_then(|name| name.strip_suffix(".part")) else {
            return false;
        };
        let mut stems = self.stems.iter().chain([&self.fallback]);
        stems.any(|stem| {
            // A long name is cut in its partial file.
            let begins = inner.starts_with(stem.as_str());
            let cut = inner.rsplit_once('.').map(|(cut, _)| cut).filter(|cut| cut.len() > 100);
            begins || cut.is_some_and(|cut| stem.starts_with(cut))
        })
    }

    fn path(&self, index: usize, part: Part, other: usize) -> PathBuf {
        let mut name = match self.stems.get(index) {
            Some(stem) => stem.clone(),
            None => format!("{}-{}", self.fallback, index + 1),
        };
        if other > 0 {
            name.push_str(&format!("-{}", other + 1));
        }
        name.push_str(part.suffix(self.kind));
        self.folder.join(name)
    }

    /// Refuses before anything is deleted what would have to get another name afterwards.
    fn check_free(&self) -> Result<()> {
        if self.overwrite {
            return Ok(());
        }
        for index in 0..self.stems.len().max(1) {
            let path = self.path(index, Part::Document, 0);
            if path.symlink_metadata().is_ok() {
                return Err(exists(&path));
            }
        }
        Ok(())
    }
}

/// A file name for a reference that the service gave: it must not lead anywhere.
pub(super) fn file_stem(sign_id: &str) -> String {
    const LONGEST: usize = 80;
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let name: String =
        sign_id.chars().map(|c| if plain(c) { c } else { '_' }).take(LONGEST).collect();
    if name.is_empty() { "order".to_owned() } else { name }
}

/// Makes the entries of a folder durable.
#[cfg(unix)]
pub(super) fn sync_folder(folder: &Path) -> std::io::Result<()> {
    std::fs::File::open(folder)?.sync_all()
}

/// Folders cannot be opened as files here; the file system journals its entries.
#[cfg(not(unix))]
pub(super) fn sync_folder(_: &Path) -> std::io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Code;

    fn document(name: Option<&str>) -> OrderDocument {
        OrderDocument { name: name.map(str::to_owned), ..OrderDocument::default() }
    }

    fn names(folder: &Path, documents: &[OrderDocument]) -> Result<Names> {
        match Places::new(OrderKind::Pades, &Destination::folder(folder), "a/../b", documents)? {
            Places::Folder(names) => Ok(names),
            Places::Memory => panic!("a folder was asked for"),
        }
    }

    #[test]
    fn results_are_called_after_their_inputs_or_their_order() {
        let folder = tempfile::tempdir().unwrap();
        let documents = [document(Some("loan")), document(None), document(Some("loan"))];
        let names = names(folder.path(), &documents).unwrap();
        let path = |index, part| {
            let path = names.path(index, part, 0);
            path.file_name().unwrap().to_string_lossy().into_owned()
        };
        assert_eq!(path(0, Part::Document), "loan.pdf");
        assert_eq!(path(1, Part::Document), "a____b-2.pdf");
        assert_eq!(path(2, Part::Appendix), "loan-3.appendix");
        assert_eq!(path(9, Part::Document), "a____b-10.pdf");
    }

    #[test]
    fn a_taken_name_is_refused_before_and_avoided_after() {
        let folder = tempfile::tempdir().unwrap();
        let documents = [document(Some("loan"))];
        let settled = names(folder.path(), &documents).unwrap();
        std::fs::write(folder.path().join("loan.pdf"), b"mine").unwrap();
        let error = names(folder.path(), &documents).err().unwrap();
        assert_eq!(error.code(), Code::DestinationExists);
        let (sink, path) = Places::Folder(settled).sink(0, Part::Document).unwrap();
        sink.commit().unwrap();
        assert_eq!(path, Some(folder.path().join("loan-2.pdf")));
        assert_eq!(std::fs::read(folder.path().join("loan.pdf")).unwrap(), b"mine");
    }
}
