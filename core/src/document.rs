//! Where document bytes come from, checked before anything is sent.

use std::fmt;
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use signdoc_spec::limits;
use signdoc_spec::values::PDFA_2B;

use crate::error::{Code, Error, Result};
use crate::wire::{ByteSource, encoded_len};

/// What errors call a document that is read before its place in a call is known.
pub(crate) const READ_AHEAD: &str = "the document";

/// ISO 32000-1 implementation note 13: readers accept a header within the first 1024 bytes.
const HEADER_WINDOW: u64 = 1024;

/// One PDF to be converted.
#[derive(Clone)]
pub struct Document {
    source: Source,
    pub(crate) name: Option<String>,
    pub(crate) allow_signed: bool,
    pub(crate) pdf_spec: String,
}

#[derive(Clone)]
enum Source {
    Path(PathBuf),
    Memory(Bytes),
    /// A reader of unknown length, copied to a private temporary file.
    Spooled(Arc<File>),
}

impl Document {
    /// A PDF file. It is opened and checked when the call is made, and read while it is sent.
    pub fn from_path(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        Self::new(Source::Path(path), name)
    }

    /// A PDF in memory.
    pub fn from_bytes(bytes: impl Into<Bytes>) -> Self {
        Self::new(Source::Memory(bytes.into()), None)
    }

    /// A PDF from a reader of unknown length, copied to a private temporary file first.
    ///
    /// An error does not know which document of a call this will be; [`Error::of_document`] says it.
    ///
    /// # Errors
    /// [`Code::DocumentUnreadable`] when reading or writing the copy fails, and
    /// [`Code::DocumentTooLarge`] as soon as the limit is passed.
    pub fn from_reader(reader: impl Read, name: Option<String>) -> Result<Self> {
        Self::spooled(reader, name, Some(max_bytes()), None)
    }

    /// As [`Document::from_reader`], from a reader that gives `len` bytes.
    ///
    /// # Errors
    /// [`Code::DocumentTooLarge`] and [`Code::DocumentEmpty`] before anything is read;
    /// [`Code::DocumentUnreadable`] when reading or writing the copy fails, and when the reader
    /// gives fewer bytes or more.
    pub fn from_sized_reader(reader: impl Read, len: u64, name: Option<String>) -> Result<Self> {
        Self::spooled(reader, name, Some(max_bytes()), Some(len))
    }

    /// As [`Document::from_reader`], of any size: orders have no limit of their own.
    ///
    /// # Errors
    /// [`Code::DocumentUnreadable`] when reading or writing the copy fails.
    pub fn from_large_reader(reader: impl Read, name: Option<String>) -> Result<Self> {
        Self::spooled(reader, name, None, None)
    }

    fn spooled(
        mut reader: impl Read,
        name: Option<String>,
        limit: Option<u64>,
        len: Option<u64>,
    ) -> Result<Self> {
        if let Some(len) = len {
            check_size(READ_AHEAD, len, limit)?;
        }
        let unreadable = |error: std::io::Error| {
            Error::new(Code::DocumentUnreadable, format!("{READ_AHEAD} cannot be read: {error}"))
        };
        let mut file = tempfile::tempfile().map_err(unreadable)?;
        let most = len.or(limit).map_or(u64::MAX, |most| most.saturating_add(1));
        let copied = std::io::copy(&mut (&mut reader).take(most), &mut file).map_err(unreadable)?;
        file.flush().map_err(unreadable)?;
        if let Some(len) = len.filter(|len| *len != copied) {
            let than = if copied < len { "only" } else { "at least" };
            return Err(Error::new(
                Code::DocumentUnreadable,
                format!(
                    "{READ_AHEAD} was to have {len} bytes, but its reader gave {than} {copied}"
                ),
            )
            .with_detail("limit", len)
            .with_detail("actual", copied));
        }
        check_size(READ_AHEAD, copied, limit)?;
        Ok(Self::new(Source::Spooled(Arc::new(file)), name))
    }

    fn new(source: Source, name: Option<String>) -> Self {
        Self { source, name, allow_signed: false, pdf_spec: PDFA_2B.to_owned() }
    }

    /// Lets the service convert a PDF that is already signed; its signature is removed.
    ///
    /// Deprecated by the specification, and said so in its answer.
    #[must_use]
    pub fn allow_signed(mut self, allow: bool) -> Self {
        self.allow_signed = allow;
        self
    }

    /// The wanted result; `PDFA_2B` (the default) is the only value the specification knows.
    #[must_use]
    pub fn pdf_spec(mut self, spec: impl Into<String>) -> Self {
        self.pdf_spec = spec.into();
        self
    }

    /// The name results are called after when they are written to a folder.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Opens the source and checks what can be checked here: size, header, PDF specification.
    pub(crate) fn open(&self, index: usize) -> Result<ByteSource> {
        let field = format!("documents[{index}]");
        if self.pdf_spec != PDFA_2B {
            return Err(Error::new(
                Code::UnsupportedPdfSpec,
                format!("{field}.pdfSpec must be {PDFA_2B}, not {:?}", self.pdf_spec),
            )
            .with_detail("field", format!("{field}.pdfSpec"))
            .with_detail("actual", self.pdf_spec.as_str()));
        }
        self.open_within(index, Some(max_bytes()))
    }

    /// Opens the source for an order, for which the specification gives no size limit.
    pub(crate) fn open_unlimited(&self, index: usize) -> Result<ByteSource> {
        self.open_within(index, None)
    }

    fn open_within(&self, index: usize, limit: Option<u64>) -> Result<ByteSource> {
        let field = format!("documents[{index}]");
        self.open_source(&field, limit).map_err(|error| error.of_document(index))
    }

    fn open_source(&self, field: &str, limit: Option<u64>) -> Result<ByteSource> {
        match &self.source {
            Source::Memory(bytes) => {
                check_size(field, bytes.len() as u64, limit)?;
                check_header(field, bytes.get(..HEADER_WINDOW as usize).unwrap_or(bytes))?;
                Ok(ByteSource::Memory(bytes.clone()))
            }
            Source::Path(path) => open_path(field, path, limit),
            Source::Spooled(file) => {
                let file = file.try_clone().map_err(|error| unreadable(field, "copy", &error))?;
                checked_file(field, file, Path::new("(spooled)"), limit)
            }
        }
    }

    /// The bytes as they are, by position: nothing is checked but that they can be read.
    #[cfg(feature = "signing")]
    pub(crate) fn shared(&self, field: &str) -> Result<signdoc_signature::pdf::SharedSource> {
        use signdoc_signature::pdf::FileSource;

        let opened = match &self.source {
            Source::Memory(bytes) => return Ok(Arc::new(bytes.clone())),
            Source::Path(path) if path.is_dir() => {
                let why = format!("{field} is the folder {}; name the file", path.display());
                return Err(Error::new(Code::DocumentUnreadable, why));
            }
            Source::Path(path) => {
                FileSource::open(path).map_err(|error| (path.display().to_string(), error))
            }
            Source::Spooled(file) => {
                file.try_clone().and_then(FileSource::new).map_err(|error| ("copy".into(), error))
            }
        };
        let opened = opened.map_err(|(path, error)| unreadable(field, &path, &error))?;
        Ok(Arc::new(opened))
    }
}

impl fmt::Debug for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let source = match &self.source {
            Source::Path(path) => path.display().to_string(),
            Source::Memory(bytes) => format!("{} bytes", bytes.len()),
            Source::Spooled(_) => "spooled".to_owned(),
        };
        f.debug_struct("Document").field("source", &source).field("name", &self.name).finish()
    }
}

fn max_bytes() -> u64 {
    limits::PDF_BASE64_MAX / 4 * 3
}

/// `limit` in bytes.
fn check_size(field: &str, len: u64, limit: Option<u64>) -> Result<()> {
    if len == 0 {
        return Err(
            Error::new(Code::DocumentEmpty, format!("{field} is empty")).with_detail("actual", 0)
        );
    }
    if limit.is_some_and(|limit| len > limit) {
        let characters = encoded_len(len);
        return Err(Error::new(
            Code::DocumentTooLarge,
            format!(
                "{field} has {len} bytes, which is {characters} characters in base64; the limit is {} characters ({} bytes)",
                limits::PDF_BASE64_MAX,
                max_bytes()
            ),
        )
        .with_detail("limit", limits::PDF_BASE64_MAX)
        .with_detail("actual", characters)
        .with_detail("unit", "base64 characters")
        .with_detail("bytes", len));
    }
    Ok(())
}

fn check_header(field: &str, start: &[u8]) -> Result<()> {
    if start.windows(5).any(|window| window == b"%PDF-") {
        return Ok(());
    }
    Err(Error::new(
        Code::NotAPdf,
        format!("{field} is no PDF: there is no %PDF- header in its first {HEADER_WINDOW} bytes"),
    ))
}

fn unreadable(field: &str, path: &str, error: &std::io::Error) -> Error {
    let code = match error.kind() {
        std::io::ErrorKind::NotFound => Code::DocumentNotFound,
        _ => Code::DocumentUnreadable,
    };
    Error::new(code, format!("{field} ({path}) cannot be read: {error}")).with_detail("path", path)
}

fn open_path(field: &str, path: &Path, limit: Option<u64>) -> Result<ByteSource> {
    let shown = path.display().to_string();
    let metadata = std::fs::metadata(path).map_err(|error| unreadable(field, &shown, &error))?;
    if !metadata.is_file() {
        let what = if metadata.is_dir() { "a directory" } else { "no regular file" };
        return Err(Error::new(
            Code::DocumentUnreadable,
            format!("{field} ({shown}) is {what}; name a PDF file"),
        )
        .with_detail("path", shown));
    }
    let file = File::open(path).map_err(|error| unreadable(field, &shown, &error))?;
    checked_file(field, file, path, limit).map_err(|error| error.with_detail("path", shown))
}

fn checked_file(field: &str, file: File, path: &Path, limit: Option<u64>) -> Result<ByteSource> {
    let field = format!("{field} ({})", path.display());
    let failed = |error| crate::error::of_encoding(&error);
    let source = ByteSource::from_file(file, path).map_err(failed)?;
    check_size(&field, source.len(), limit)?;
    let mut start = [0; HEADER_WINDOW as usize];
    let len = usize::try_from(source.len().min(HEADER_WINDOW)).unwrap_or(0);
    let start = start.get_mut(..len).unwrap_or_default();
    source.read_exact_at(start, 0).map_err(failed)?;
    check_header(&field, start)?;
    Ok(source)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code_of(document: &Document) -> Code {
        document.open(0).err().unwrap().code()
    }

    #[test]
    fn sizes_are_checked_at_the_edge() {
        let mut pdf = b"%PDF-1.7\n".to_vec();
        pdf.resize(3_750_000, b' ');
        assert!(Document::from_bytes(pdf.clone()).open(0).is_ok());
        pdf.push(b' ');
        let error = Document::from_bytes(pdf).open(3).err().unwrap();
        assert_eq!(error.code(), Code::DocumentTooLarge);
        assert_eq!(error.details()["limit"], 5_000_000);
        assert_eq!(error.details()["actual"], 5_000_004);
        assert_eq!(error.details()["field"], "documents[3].pdf");
    }

    #[test]
    fn what_is_no_pdf_is_refused_here() {
        assert_eq!(code_of(&Document::from_bytes(Bytes::new())), Code::DocumentEmpty);
        assert_eq!(code_of(&Document::from_bytes(&b"GIF89a"[..])), Code::NotAPdf);
        assert_eq!(code_of(&Document::from_path("/nowhere/x.pdf")), Code::DocumentNotFound);
        assert_eq!(code_of(&Document::from_path(std::env::temp_dir())), Code::DocumentUnreadable);
        let other = Document::from_bytes(&b"%PDF-1.4"[..]).pdf_spec("PDFA_1B");
        assert_eq!(code_of(&other), Code::UnsupportedPdfSpec);
    }

    #[test]
    fn a_header_after_leading_bytes_is_accepted() {
        let mut bytes = vec![b'x'; 1019];
        bytes.extend(b"%PDF-1.4");
        assert!(Document::from_bytes(bytes.clone()).open(0).is_ok());
        bytes.insert(0, b'x');
        assert_eq!(code_of(&Document::from_bytes(bytes)), Code::NotAPdf);
    }

    #[test]
    fn readers_are_spooled_and_refused_early_when_too_large() {
        assert!(Document::from_reader(&b"%PDF-1.4"[..], None).unwrap().open(0).is_ok());
        let sized = |len| Document::from_sized_reader(&b"%PDF-1.4"[..], len, None);
        assert!(sized(8).unwrap().open(0).is_ok());
        for (len, code) in [
            (0, Code::DocumentEmpty),
            (7, Code::DocumentUnreadable),
            (9, Code::DocumentUnreadable),
            (u64::MAX, Code::DocumentTooLarge),
        ] {
            assert_eq!(sized(len).err().unwrap().code(), code, "{len}");
        }
        let endless = std::io::repeat(b' ');
        let error = Document::from_reader(endless, None).err().unwrap();
        assert_eq!(error.code(), Code::DocumentTooLarge);
    }

    #[test]
    fn a_reader_that_fails_is_named_by_its_place_in_the_call() {
        struct Failing;
        impl Read for Failing {
            fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
                Err(std::io::Error::other("the tape broke"))
            }
        }
        for (error, code) in [
            (Document::from_reader(std::io::repeat(b' '), None), Code::DocumentTooLarge),
            (Document::from_reader(std::io::empty(), None), Code::DocumentEmpty),
            (Document::from_reader(Failing, None), Code::DocumentUnreadable),
            (Document::from_sized_reader(&b"%PDF-1.4"[..], 9, None), Code::DocumentUnreadable),
        ] {
            let bare = error.err().unwrap();
            assert!(bare.message().starts_with("the document "), "{bare}");
            let error = bare.of_document(3);
            assert_eq!(error.code(), code);
            assert!(error.message().starts_with("documents[3] "), "{error}");
            assert_eq!(error.details()["field"], "documents[3].pdf");
            assert_eq!(error.details()["index"], 3);
        }
    }
}
