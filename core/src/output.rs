//! Where a signed PDF goes: whole, or not at all.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use signdoc_signature::pdf::{PdfError, PdfErrorKind, Source as _};
use signdoc_signature::sign::Appended;

use crate::destination::{exists, failed};
use crate::error::{Error, Result};

/// Memory, or a file that appears complete.
pub(crate) enum Output {
    Memory,
    File { path: PathBuf, overwrite: bool },
}

/// What was written.
pub(crate) struct Written {
    pub data: Option<Bytes>,
    pub path: Option<PathBuf>,
    pub size: u64,
}

impl Output {
    /// Makes way for a file.
    pub(crate) fn new(path: Option<&Path>, overwrite: bool) -> Result<Self> {
        let Some(path) = path else { return Ok(Self::Memory) };
        make_way(path, overwrite)?;
        Ok(Self::File { path: path.to_owned(), overwrite })
    }

    /// `told` says what an error of the reader means.
    pub(crate) fn write(
        self,
        signed: &Appended,
        told: impl Fn(&PdfError) -> Error,
    ) -> Result<Written> {
        match self {
            Self::Memory => {
                let mut data = Vec::with_capacity(usize::try_from(signed.len()).unwrap_or(0));
                signed.write_to(&mut data).map_err(|error| told(&error))?;
                Ok(Written { size: data.len() as u64, data: Some(data.into()), path: None })
            }
            Self::File { path, overwrite } => {
                let size = write_file(signed, &path, overwrite, told)?;
                Ok(Written { data: None, path: Some(path), size })
            }
        }
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn write_file(
    signed: &Appended,
    path: &Path,
    overwrite: bool,
    told: impl Fn(&PdfError) -> Error,
) -> Result<u64> {
    appear(path, overwrite, |out| {
        // The writer's `Io` means the destination where the source can still be read.
        signed.write_to(out).map_err(|error| match error.kind() {
            PdfErrorKind::Io => failed(path, &format!("copying the document failed: {error}")),
            _ => told(&error),
        })
    })
}

/// Writes a file that appears under its name when it is whole, mode 0600 like every result.
pub(crate) fn appear<T>(
    path: &Path,
    overwrite: bool,
    write: impl FnOnce(&mut dyn Write) -> Result<T>,
) -> Result<T> {
    let lost = |error: io::Error| failed(path, &format!("writing failed: {error}"));
    let part = tempfile::Builder::new()
        .prefix(".signdoc-")
        .suffix(".part")
        .tempfile_in(folder_of(path))
        .map_err(lost)?;
    let mut out = BufWriter::with_capacity(256 * 1024, part);
    let written = write(&mut out)?;
    out.flush().map_err(lost)?;
    let part = out.into_inner().map_err(|error| lost(error.into_error()))?;
    part.as_file().sync_all().map_err(lost)?;
    let kept = if overwrite { part.persist(path) } else { part.persist_noclobber(path) };
    match kept {
        Ok(_) => Ok(written),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Err(exists(path)),
        Err(error) => Err(lost(error.error)),
    }
}

/// Makes the folder when it is missing, and refuses a file that is in the way.
pub(crate) fn make_way(path: &Path, overwrite: bool) -> Result<()> {
    let folder = folder_of(path);
    std::fs::create_dir_all(folder).map_err(|error| {
        failed(folder, &format!("the folder cannot be made: {error}; name one that can be written"))
    })?;
    match !overwrite && path.symlink_metadata().is_ok() {
        true => Err(exists(path)),
        false => Ok(()),
    }
}
