//! Results that a function of the caller's takes.

use std::ffi::c_void;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::ptr;

use signdoc_core::{Code, Conversion, Error, Result};

use crate::call::Watch;
use crate::handle::Lent;
use crate::results::{Results, signdoc_results};

/// How much is handed over at a time.
const WINDOW: usize = 96 * 1024;

/// Takes the next `len` bytes of the result at `index`; NULL and 0 say that it is complete. Results
/// come one after another. Anything but 0 ends the call with SIGNDOC_E_CALLBACK_FAILED.
pub type signdoc_write_fn = Option<
    unsafe extern "C" fn(
        context: *mut c_void,
        index: usize,
        bytes: *const c_void,
        len: usize,
    ) -> i32,
>;

/// Is told a result of signdoc_convert_many as soon as it is there: `index` is that of its
/// document; `result` holds it alone, at the index 0, and lives until the function returns.
/// Anything but 0 ends the call with SIGNDOC_E_CALLBACK_FAILED.
pub type signdoc_result_fn = Option<
    unsafe extern "C" fn(context: *mut c_void, index: usize, result: *const signdoc_results) -> i32,
>;

/// A function that is told results, with what it was given at registration.
#[derive(Clone, Copy)]
pub(crate) struct Teller {
    pub function: signdoc_result_fn,
    pub context: *mut c_void,
}

impl Teller {
    /// Tells one result, on this thread.
    pub(crate) fn tell(self, result: &Conversion) -> Result<()> {
        let Some(function) = self.function else { return Ok(()) };
        let index = result.index;
        let one = Lent::new(Results::new(vec![result.clone()]));
        // SAFETY: signdoc_convert_options_set_result asks the caller for just that; the result is
        // alive.
        let given = unsafe { function(self.context, index, one.pointer()) };
        if given == 0 {
            return Ok(());
        }
        let message =
            format!("the result function of the caller gave {given} for documents[{index}]");
        Err(Error::new(Code::CallbackFailed, message)
            .with_detail("callback", "result")
            .with_detail("given", given)
            .with_detail("index", index))
    }
}

/// A function that takes results, with what it was given at registration.
#[derive(Clone, Copy)]
pub(crate) struct Taker {
    pub function: signdoc_write_fn,
    pub context: *mut c_void,
}

impl Taker {
    /// Hands over the results that lie in temporary files, on this thread.
    pub(crate) fn take_all(self, results: &[Conversion], watch: Option<&Watch>) -> Result<()> {
        results.iter().try_for_each(|result| self.take(result, watch))
    }

    /// Hands over one result, if it lies in a temporary file.
    pub(crate) fn take(self, result: &Conversion, watch: Option<&Watch>) -> Result<()> {
        let Some(file) = &result.spool else { return Ok(()) };
        let index = result.index;
        let mut file: &File = file;
        let lost = |error: std::io::Error| {
            let message = format!("the result of documents[{index}] cannot be read back: {error}");
            Error::new(Code::DestinationFailed, message).with_detail("index", index)
        };
        file.seek(SeekFrom::Start(0)).map_err(lost)?;
        let mut window = vec![0; WINDOW];
        let mut offset = 0;
        loop {
            watch.map_or(Ok(()), Watch::check)?;
            let count = file.read(&mut window).map_err(lost)?;
            let Some(bytes) = window.get(..count).filter(|bytes| !bytes.is_empty()) else {
                return self.give(index, &[], offset);
            };
            self.give(index, bytes, offset)?;
            offset += count as u64;
        }
    }

    fn give(self, index: usize, bytes: &[u8], offset: u64) -> Result<()> {
        let Some(function) = self.function else { return Ok(()) };
        let pointer = if bytes.is_empty() { ptr::null() } else { bytes.as_ptr().cast() };
        // SAFETY: signdoc_convert_options_set_writer asks the caller for just that; the bytes are
        // alive.
        let given = unsafe { function(self.context, index, pointer, bytes.len()) };
        if given == 0 {
            return Ok(());
        }
        let message = format!(
            "the write function of the caller gave {given} for documents[{index}] after {offset} bytes"
        );
        Err(Error::new(Code::CallbackFailed, message)
            .with_detail("callback", "write")
            .with_detail("given", given)
            .with_detail("index", index)
            .with_detail("offset", offset))
    }
}
