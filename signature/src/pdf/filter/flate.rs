//! Flate (RFC 1950 and 1951). The check sum is not looked at: writers get it wrong, readers do
//! not mind.

use std::io::{self, Write};

use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::inflate_flags::{
    TINFL_FLAG_HAS_MORE_INPUT, TINFL_FLAG_IGNORE_ADLER32,
};
use miniz_oxide::inflate::core::{DecompressorOxide, decompress};

use super::{BoxRead, Decode, Input, damaged};

/// What later data may refer back to (RFC 1951, section 2).
const WINDOW: usize = 32 * 1024;

/// The engine is used without a buffer around it: one that holds decoded bytes back loses them
/// where damage follows, more or fewer of them as the input happens to be cut into pieces.
pub(super) struct Inflate {
    input: Input,
    engine: Box<DecompressorOxide>,
    window: Vec<u8>,
    /// Where in the window the next byte goes.
    at: usize,
    started: bool,
}

impl Inflate {
    pub(super) fn new(inner: BoxRead) -> Self {
        Inflate {
            input: Input::new(inner),
            engine: Box::default(),
            window: vec![0; WINDOW],
            at: 0,
            started: false,
        }
    }

    /// Passes over the two bytes of the zlib header, where they are one.
    fn skip_header(&mut self) -> io::Result<()> {
        self.started = true;
        let mut first = self.input.chunk()?.first().copied();
        // Some writers leave an end of line between `stream` and the data.
        while matches!(first, Some(b'\r' | b'\n')) {
            self.input.consume(1);
            first = self.input.chunk()?.first().copied();
        }
        if first.is_some_and(|b| b & 0x0F == 8 && b >> 4 <= 7) {
            self.input.next()?;
            self.input.next()?;
        }
        Ok(())
    }
}

impl Decode for Inflate {
    fn fill(&mut self, out: &mut Vec<u8>) -> io::Result<bool> {
        if !self.started {
            self.skip_header()?;
        }
        loop {
            let chunk = self.input.chunk()?;
            let at_end = chunk.is_empty();
            let flags = TINFL_FLAG_HAS_MORE_INPUT | TINFL_FLAG_IGNORE_ADLER32;
            let (status, used, made) =
                decompress(&mut self.engine, chunk, &mut self.window, self.at, flags);
            self.input.consume(used);
            out.extend_from_slice(self.window.get(self.at..self.at + made).unwrap_or_default());
            self.at = (self.at + made) % WINDOW;
            match status {
                TINFLStatus::Done => return Ok(false),
                TINFLStatus::NeedsMoreInput | TINFLStatus::HasMoreOutput if made > 0 => {
                    return Ok(true);
                }
                TINFLStatus::NeedsMoreInput if !at_end => {}
                TINFLStatus::NeedsMoreInput => return Err(damaged("flate data is cut")),
                _ => return Err(damaged("damaged flate data")),
            }
        }
    }
}

/// Compresses with a zlib header, as `FlateDecode` expects it.
pub(crate) fn deflate(data: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(data)?;
    encoder.finish()
}
