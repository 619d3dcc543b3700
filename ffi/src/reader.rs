//! Documents that a function of the caller's reads.

use std::ffi::c_void;
use std::io::{self, Read};

use signdoc_core::{Code, Document, Error, Result};

use crate::call::Watch;

/// Reads the next bytes of a document into `buffer`: at most `room` of them, fewer are fine. Gives
/// how many; 0 at the end; a number below 0 where it cannot, which ends with
/// SIGNDOC_E_CALLBACK_FAILED.
pub type signdoc_read_fn =
    Option<unsafe extern "C" fn(context: *mut c_void, buffer: *mut c_void, room: usize) -> i64>;

/// A function that reads, with what it was given at registration.
#[derive(Clone, Copy)]
pub(crate) struct Source {
    pub function: signdoc_read_fn,
    pub context: *mut c_void,
    /// How many bytes there are, where the caller said so.
    pub len: Option<u64>,
}

impl Source {
    /// Reads the document to its end, on this thread, into a private temporary file. `limited`:
    /// whether the conversion's limit holds.
    pub(crate) fn read(
        self,
        index: usize,
        name: Option<String>,
        limited: bool,
        watch: Option<&Watch>,
    ) -> Result<Document> {
        let mut reader = Reader { source: self, watch, given: 0, stopped: None };
        let made = match (limited, self.len) {
            (true, Some(len)) => Document::from_sized_reader(&mut reader, len, name),
            (true, None) => Document::from_reader(&mut reader, name),
            (false, _) => Document::from_large_reader(&mut reader, name),
        };
        let failed = match (reader.stopped, made) {
            (Some(stopped), _) => stopped,
            (None, Ok(document)) => return Ok(document),
            (None, Err(failed)) => failed,
        };
        Err(failed.of_document(index))
    }
}

struct Reader<'a> {
    source: Source,
    watch: Option<&'a Watch>,
    given: u64,
    /// Why the function is not asked any more.
    stopped: Option<Error>,
}

impl Reader<'_> {
    fn next(&mut self, buffer: &mut [u8]) -> Result<usize> {
        self.watch.map_or(Ok(()), Watch::check)?;
        let Some(function) = self.source.function else { return Ok(0) };
        let room = buffer.len();
        // SAFETY: signdoc_documents_add_reader asks the caller for just that; there are `room`
        // bytes to be written.
        let given = unsafe { function(self.source.context, buffer.as_mut_ptr().cast(), room) };
        match usize::try_from(given) {
            Ok(count) if count <= room => {
                self.given += count as u64;
                Ok(count)
            }
            _ => Err(self.failed(given, room)),
        }
    }

    fn failed(&self, given: i64, room: usize) -> Error {
        let at = self.given;
        let message = if given < 0 {
            format!("the read function of the caller gave {given} after {at} bytes")
        } else {
            format!("the read function of the caller gave {given}, but there was room for {room}")
        };
        Error::new(Code::CallbackFailed, message)
            .with_detail("callback", "read")
            .with_detail("given", given)
            .with_detail("offset", at)
    }
}

impl Read for Reader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.next(buffer).map_err(|stopped| {
            self.stopped = Some(stopped);
            io::Error::other("the read function of the caller failed")
        })
    }
}
