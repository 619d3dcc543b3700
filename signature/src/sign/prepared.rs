//! A prepared signature: what is to be signed, and where the result goes.

use std::io::Write;
use std::ops::Range;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use super::appended::Appended;
use super::prepare::byte_range;
use crate::crypto::HashAlgorithm;
use crate::pdf::{
    PdfError, PdfErrorKind, Result, SharedSource, Source, copy_range, for_each_window, write_hex,
};
use crate::verify::check_update;

/// Something a person should know about a document that is about to be signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SigningNote {
    /// The document holds an XFA form, which shows something else than the PDF pages do and is not
    /// kept in step.
    Xfa,
    /// The document carries usage rights (`UR3`), which any change voids.
    UsageRights,
    /// The field demands something of its signature (`SV`), which was not looked at.
    SeedValues,
    /// An earlier signature locks all fields, or all but some. The standard lets document timestamps
    /// be added nevertheless; some validators take their field for a forbidden change.
    LockedFields,
    /// The field has no area on a page: the seal does not show.
    SealNotShown,
    /// The form asks viewers to draw its fields anew (`NeedAppearances`), and that could not be
    /// answered without changing what it shows: some viewers leave the seal out.
    FormRedrawn,
}

/// A document with room for a signature.
///
/// Holds the update only; the document itself stays where it is. It can be saved with
/// [`Prepared::to_state`] and taken up in another process.
#[derive(Clone)]
pub struct Prepared {
    source: SharedSource,
    update: Vec<u8>,
    /// Where `Contents` stands in the update, its `<` and `>` included.
    contents: Range<usize>,
    field_name: String,
    notes: Vec<SigningNote>,
}

impl std::fmt::Debug for Prepared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Prepared")
            .field("field_name", &self.field_name)
            .field("byte_range", &self.byte_range())
            .finish_non_exhaustive()
    }
}

/// What is saved between the two steps.
#[derive(Serialize, Deserialize)]
struct State {
    version: u32,
    source_len: u64,
    source_sha256: String,
    update: String,
    contents: Range<usize>,
    field_name: String,
    notes: Vec<SigningNote>,
}

const STATE_VERSION: u32 = 1;

impl Prepared {
    pub(super) fn new(
        source: SharedSource,
        update: Vec<u8>,
        contents: Range<usize>,
        field_name: String,
        notes: Vec<SigningNote>,
    ) -> Result<Prepared> {
        let prepared = Prepared { source, update, contents, field_name, notes };
        prepared.parts()?;
        Ok(prepared)
    }

    /// Asks the verification whether it will accept the update, before anything is signed: the
    /// signature itself changes nothing that is compared.
    pub(super) fn checked(self) -> Result<Prepared> {
        let updated = Appended::new(self.source.clone(), self.update.clone());
        check_update(std::sync::Arc::new(updated), &self.source)?;
        Ok(self)
    }

    /// The update before, in and behind the `Contents` string.
    fn parts(&self) -> Result<(&[u8], &[u8], &[u8])> {
        let before = self.update.get(..self.contents.start);
        let inside = self.update.get(self.contents.clone());
        let after = self.update.get(self.contents.end..);
        match (before, inside, after) {
            (Some(before), Some(inside @ [b'<', zeros @ .., b'>']), Some(after))
                if zeros.iter().all(|b| *b == b'0') && zeros.len() % 2 == 0 =>
            {
                Ok((before, inside, after))
            }
            _ => Err(state_error("its placeholder is not where it says")),
        }
    }

    /// Name of the signature field.
    pub fn field_name(&self) -> &str {
        &self.field_name
    }

    /// What a person should know before signing.
    pub fn notes(&self) -> &[SigningNote] {
        &self.notes
    }

    /// The ranges that are signed: offset and length, twice. The gap is the `Contents` string.
    pub fn byte_range(&self) -> [u64; 4] {
        byte_range(self.source.len(), self.update.len(), &self.contents)
    }

    /// Bytes there are for the CMS.
    pub fn reserve(&self) -> usize {
        (self.contents.len().saturating_sub(2)) / 2
    }

    /// Size of the document once it is signed.
    pub fn signed_len(&self) -> u64 {
        self.source.len() + self.update.len() as u64
    }

    /// The digest of what is signed: the message digest attribute of the CMS, or what a timestamp
    /// authority gets. Reads the document once, window by window.
    ///
    /// # Errors
    /// `Io`.
    pub fn digest(&self, algorithm: HashAlgorithm) -> Result<Vec<u8>> {
        let (before, _, after) = self.parts()?;
        let mut hasher = algorithm.hasher();
        for_each_window(&*self.source, 0, self.source.len(), |window| {
            hasher.update(window);
            Ok(())
        })?;
        hasher.update(before);
        hasher.update(after);
        Ok(hasher.finish())
    }

    /// The update with the CMS in it: the bytes that follow the original document.
    ///
    /// # Errors
    /// `PlaceholderTooSmall` when the CMS does not fit, `InvalidArgument` when it is empty.
    pub fn appendix(&self, cms: &[u8]) -> Result<Vec<u8>> {
        self.check_size(cms)?;
        let (before, inside, after) = self.parts()?;
        let mut out = Vec::with_capacity(self.update.len());
        out.extend(before);
        out.push(b'<');
        write_hex(cms, &mut out);
        out.resize(before.len() + inside.len() - 1, b'0');
        out.push(b'>');
        out.extend(after);
        Ok(out)
    }

    fn check_size(&self, cms: &[u8]) -> Result<()> {
        let reserve = self.reserve();
        if cms.is_empty() {
            return Err(PdfError::new(PdfErrorKind::InvalidArgument, "the cms is empty"));
        }
        if cms.len() > reserve {
            return Err(PdfError::new(
                PdfErrorKind::PlaceholderTooSmall,
                format!(
                    "the signature has {} bytes, {reserve} were reserved; prepare again with \
                     reserve of at least {}",
                    cms.len(),
                    cms.len()
                ),
            ));
        }
        Ok(())
    }

    /// Writes the signed document; returns its size. Memory does not grow with the document.
    ///
    /// # Errors
    /// As [`Prepared::appendix`], and `Io`.
    pub fn embed(&self, cms: &[u8], out: &mut dyn Write) -> Result<u64> {
        let appendix = self.appendix(cms)?;
        copy_range(&*self.source, 0, self.source.len(), out)?;
        out.write_all(&appendix)?;
        Ok(self.signed_len())
    }

    /// Writes the signed document to `path`: under another name first, then moved in place, so
    /// that no half-written file is ever found there. An existing file is replaced.
    ///
    /// # Errors
    /// As [`Prepared::embed`].
    pub fn embed_to_path(&self, cms: &[u8], path: impl AsRef<Path>) -> Result<u64> {
        let path = path.as_ref();
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(format!(".{}.part", std::process::id()));
        let part = path.with_file_name(name);
        let written = self.write_part(cms, &part).and_then(|len| {
            std::fs::rename(&part, path)?;
            Ok(len)
        });
        if written.is_err() {
            // Best effort: the first error is the one to report.
            let _ = std::fs::remove_file(&part);
        }
        written
    }

    fn write_part(&self, cms: &[u8], part: &Path) -> Result<u64> {
        let file = std::fs::File::create(part)?;
        let mut out = std::io::BufWriter::with_capacity(256 * 1024, file);
        let len = self.embed(cms, &mut out)?;
        out.into_inner().map_err(std::io::IntoInnerError::into_error)?.sync_all()?;
        Ok(len)
    }

    /// The signed document as a source, for the next update: nothing is copied.
    ///
    /// # Errors
    /// As [`Prepared::appendix`].
    pub fn signed(&self, cms: &[u8]) -> Result<Appended> {
        Ok(Appended::new(self.source.clone(), self.appendix(cms)?))
    }

    /// Saves the preparation as JSON text. The document itself is not part of it, its SHA-256 is.
    ///
    /// # Errors
    /// `Io` when the document cannot be read.
    pub fn to_state(&self) -> Result<String> {
        let state = State {
            version: STATE_VERSION,
            source_len: self.source.len(),
            source_sha256: sha256_hex(&*self.source)?,
            update: STANDARD.encode(&self.update),
            contents: self.contents.clone(),
            field_name: self.field_name.clone(),
            notes: self.notes.clone(),
        };
        serde_json::to_string(&state).map_err(|e| state_error(e.to_string()))
    }

    /// Takes a saved preparation up again, with the same document.
    ///
    /// The text is not authenticated: whoever can change it can make the signature useless, but
    /// not make it cover something else, as the digest was taken before.
    ///
    /// # Errors
    /// `StateMismatch` when the text is damaged or belongs to another document, `Io`.
    pub fn from_state(state: &str, source: SharedSource) -> Result<Prepared> {
        let state: State = serde_json::from_str(state)
            .map_err(|e| state_error(format!("it is no saved preparation: {e}")))?;
        if state.version != STATE_VERSION {
            return Err(state_error(format!("its version is {}, not 1", state.version)));
        }
        let is_same = state.source_len == source.len();
        if !is_same || state.source_sha256 != sha256_hex(&*source)? {
            return Err(state_error(
                "the document is not the one that was prepared; prepare it again",
            ));
        }
        let update = STANDARD.decode(&state.update).map_err(|e| state_error(e.to_string()))?;
        Prepared::new(source, update, state.contents, state.field_name, state.notes)
    }
}

fn state_error(detail: impl Into<std::borrow::Cow<'static, str>>) -> PdfError {
    PdfError::new(PdfErrorKind::StateMismatch, detail)
}

fn sha256_hex(source: &dyn Source) -> Result<String> {
    let mut hasher = HashAlgorithm::Sha256.hasher();
    for_each_window(source, 0, source.len(), |window| {
        hasher.update(window);
        Ok(())
    })?;
    let mut text = Vec::new();
    write_hex(&hasher.finish(), &mut text);
    Ok(String::from_utf8_lossy(&text).into_owned())
}
