//! The files of a container that is to be written.

use std::fmt;
use std::io::{self, Write};
use std::sync::Arc;

use rawzip::Crc32;

use super::manifest::Manifest;
use super::write::{Member, Zip};
use super::{MANIFEST_ENTRY, MAX_ENTRIES, MIME_ENTRY, MIME_TYPE, TIMESTAMP_ENTRY, is_plain};
use crate::crypto::HashAlgorithm;
use crate::pdf::{SharedSource, for_each_window};

/// A name that no file of a container can have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidName(String);

impl fmt::Display for InvalidName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InvalidName {}

struct File {
    member: Member,
    mime: String,
    digest: Vec<u8>,
}

/// The files of a container, with their digests: made first, written when the timestamp over
/// [`Files::manifest`] is there.
///
/// ```
/// use std::sync::Arc;
/// use bytes::Bytes;
/// use signdoc_signature::asic::{Files, SIGNED_PDF};
///
/// let mut files = Files::new();
/// files.add(SIGNED_PDF, "application/pdf", Arc::new(Bytes::from_static(b"%PDF-1.7")))?;
/// let token: Option<Vec<u8>> = None; // of an authority, over files.manifest()
/// let mut container = Vec::new();
/// files.write(token.as_deref(), &mut container)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Default)]
pub struct Files(Vec<File>);

impl fmt::Debug for Files {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.iter().map(|file| &file.member.name)).finish()
    }
}

impl Files {
    /// No files yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file and reads it once, for its digest. `mime` is its MIME type.
    ///
    /// # Errors
    /// `InvalidInput` (an [`InvalidName`]) for a name that is there already, belongs to the
    /// container itself, or is no plain relative path, and for more files than a container holds;
    /// when the file cannot be read.
    pub fn add(&mut self, name: &str, mime: &str, content: SharedSource) -> io::Result<()> {
        self.check_name(name)
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
        let mut hasher = HashAlgorithm::Sha256.hasher();
        let member = Member::reading(name, content, &mut |window| hasher.update(window))?;
        self.0.push(File { member, mime: mime.to_owned(), digest: hasher.finish() });
        Ok(())
    }

    fn check_name(&self, name: &str) -> Result<(), InvalidName> {
        let is_own = |own: &str| name.eq_ignore_ascii_case(own);
        let is_there = |file: &File| is_own(&file.member.name);
        let in_meta_inf =
            name.split('/').next().is_some_and(|folder| folder.eq_ignore_ascii_case("META-INF"));
        // Besides these there are the type, the manifest and the timestamp.
        let why = if self.0.len() + 3 >= MAX_ENTRIES {
            format!("is one more than the {MAX_ENTRIES} of a container")
        } else if !is_plain(name) {
            "is no plain relative path".to_owned()
        } else if is_own(MIME_ENTRY) || in_meta_inf {
            "belongs to the container itself".to_owned()
        } else if self.0.iter().any(is_there) {
            "is there already".to_owned()
        } else {
            return Ok(());
        };
        let shown: String = name.chars().take(60).collect();
        Err(InvalidName(format!("the file {shown:?} {why}")))
    }

    /// The manifest of the files: what the timestamp is over.
    #[must_use]
    pub fn manifest(&self) -> Vec<u8> {
        let row = |file: &File| (file.member.name.clone(), file.mime.clone(), file.digest.clone());
        let rows: Vec<_> = self.0.iter().map(row).collect();
        let rows = rows
            .iter()
            .map(|(name, mime, digest)| (name.as_str(), mime.as_str(), digest.as_slice()));
        Manifest::write(rows).into_bytes()
    }

    /// Writes the container, with a timestamp token over the manifest where there is one. Files
    /// are stored as they are, window by window.
    ///
    /// # Errors
    /// What writing reports; when a file cannot be read any more, or has changed.
    pub fn write(&self, timestamp: Option<&[u8]>, out: &mut dyn Write) -> io::Result<()> {
        let own = |name: &str, bytes: &[u8]| {
            let content: SharedSource = Arc::new(bytes.to_vec());
            Member::reading(name, content, &mut |_| ())
        };
        let mut zip = Zip::new(out);
        zip.member(&own(MIME_ENTRY, MIME_TYPE.as_bytes())?)?;
        for file in &self.0 {
            zip.member(&file.member)?;
        }
        zip.member(&own(MANIFEST_ENTRY, &self.manifest())?)?;
        if let Some(token) = timestamp {
            zip.member(&own(TIMESTAMP_ENTRY, token)?)?;
        }
        zip.finish()
    }
}

impl Member {
    fn reading(name: &str, content: SharedSource, each: &mut dyn FnMut(&[u8])) -> io::Result<Self> {
        let mut crc = Crc32::new();
        for_each_window(content.as_ref(), 0, content.len(), |window| {
            crc.update(window);
            each(window);
            Ok(())
        })?;
        Ok(Self { name: name.to_owned(), content, crc: crc.checksum() })
    }
}
