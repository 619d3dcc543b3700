//! Flate (RFC 1950 and 1951). The check sum is not looked at: writers get it wrong, readers do
//! not mind.

use std::io::{self, Write};

use flate2::{Decompress, FlushDecompress, Status};

use super::{BoxRead, Decode, Input, STEP, damaged};

pub(super) struct Inflate {
    input: Input,
    engine: Decompress,
    started: bool,
}

impl Inflate {
    pub(super) fn new(inner: BoxRead) -> Self {
        Inflate { input: Input::new(inner), engine: Decompress::new(false), started: false }
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
        out.reserve(STEP);
        loop {
            let chunk = self.input.chunk()?;
            let at_end = chunk.is_empty();
            let (before_in, before_out) = (self.engine.total_in(), out.len());
            let status = self
                .engine
                .decompress_vec(chunk, out, FlushDecompress::None)
                .map_err(|_| damaged("damaged flate data"))?;
            let used = usize::try_from(self.engine.total_in() - before_in).unwrap_or(0);
            self.input.consume(used);
            if status == Status::StreamEnd {
                return Ok(false);
            }
            if out.len() > before_out {
                return Ok(true);
            }
            if used == 0 {
                return Err(damaged(if at_end {
                    "flate data is cut"
                } else {
                    "damaged flate data"
                }));
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
