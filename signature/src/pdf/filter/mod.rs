//! Stream filters (ISO 32000-2, 7.4), all of them streaming: memory does not grow with the data.

mod ascii;
mod flate;
mod lzw;
mod predictor;

use std::io::{self, Read};

use super::limits::Work;
pub(crate) use flate::deflate;
pub(crate) use predictor::PredictorParams;

/// A reader that can be moved between threads.
pub(crate) type BoxRead = Box<dyn Read + Send>;

/// One step of decoding.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Filter {
    Flate(Option<PredictorParams>),
    Lzw {
        early_change: bool,
        predictor: Option<PredictorParams>,
    },
    AsciiHex,
    Ascii85,
    RunLength,
    /// The `Crypt` filter with its identity transformation.
    Identity,
}

impl Filter {
    /// The filter of this name, `None` for image filters and unknown ones.
    pub(crate) fn from_name(
        name: &[u8],
        predictor: Option<PredictorParams>,
        early_change: bool,
    ) -> Option<Filter> {
        Some(match name {
            b"FlateDecode" | b"Fl" => Filter::Flate(predictor),
            b"LZWDecode" | b"LZW" => Filter::Lzw { early_change, predictor },
            b"ASCIIHexDecode" | b"AHx" => Filter::AsciiHex,
            b"ASCII85Decode" | b"A85" => Filter::Ascii85,
            b"RunLengthDecode" | b"RL" => Filter::RunLength,
            b"Crypt" => Filter::Identity,
            _ => return None,
        })
    }
}

/// Puts the filters over the encoded data. What each of them reads and gives counts as work.
pub(crate) fn decoder(encoded: BoxRead, filters: &[Filter], work: &Work) -> BoxRead {
    let metered = |inner: BoxRead| -> BoxRead { Box::new(Metered { inner, work: work.clone() }) };
    filters.iter().fold(metered(encoded), |input, filter| {
        metered(match filter {
            Filter::Flate(params) => {
                with_predictor(Box::new(Pump::new(flate::Inflate::new(input))), params)
            }
            Filter::Lzw { early_change, predictor } => {
                with_predictor(Box::new(Pump::new(lzw::Lzw::new(input, *early_change))), predictor)
            }
            Filter::AsciiHex => Box::new(Pump::new(ascii::AsciiHex::new(input))),
            Filter::Ascii85 => Box::new(Pump::new(ascii::Ascii85::new(input))),
            Filter::RunLength => Box::new(Pump::new(ascii::RunLength::new(input))),
            Filter::Identity => input,
        })
    })
}

/// Bytes that one step of decoding gives at most: each is paid for before the next is made.
const METERED: usize = 8 * 1024;

/// Counts what is read, at the price of decoding: half of what parsing costs.
struct Metered {
    inner: BoxRead,
    work: Work,
}

impl Read for Metered {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let room = buf.len().min(METERED);
        let read = self.inner.read(buf.get_mut(..room).unwrap_or_default())?;
        self.work.spend(read as u64 / 2).map_err(io::Error::other)?;
        Ok(read)
    }
}

fn with_predictor(input: BoxRead, params: &Option<PredictorParams>) -> BoxRead {
    match params {
        Some(params) => Box::new(Pump::new(predictor::Predictor::new(input, params))),
        None => input,
    }
}

/// A decoder that appends some bytes at a time.
trait Decode: Send {
    /// Appends decoded bytes to `out`; `false` when nothing more will come.
    fn fill(&mut self, out: &mut Vec<u8>) -> io::Result<bool>;
}

/// Makes a reader of a decoder. What was decoded before damage is delivered before the error.
struct Pump<D> {
    decode: D,
    out: Vec<u8>,
    at: usize,
    done: bool,
    damage: Option<io::Error>,
}

impl<D: Decode> Pump<D> {
    fn new(decode: D) -> Self {
        Pump { decode, out: Vec::new(), at: 0, done: false, damage: None }
    }
}

impl<D: Decode> Read for Pump<D> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        while self.at >= self.out.len() {
            if let Some(damage) = self.damage.take() {
                return Err(damage);
            }
            if self.done || buf.is_empty() {
                return Ok(0);
            }
            self.out.clear();
            self.at = 0;
            match self.decode.fill(&mut self.out) {
                Ok(more) => self.done = !more,
                Err(error) => {
                    self.done = true;
                    self.damage = Some(error);
                }
            }
        }
        let rest = self.out.get(self.at..).unwrap_or_default();
        let count = rest.len().min(buf.len());
        if let (Some(to), Some(from)) = (buf.get_mut(..count), rest.get(..count)) {
            to.copy_from_slice(from);
        }
        self.at += count;
        Ok(count)
    }
}

/// Encoded bytes, one at a time.
struct Input {
    inner: BoxRead,
    buf: Vec<u8>,
    at: usize,
    end: usize,
}

impl Input {
    fn new(inner: BoxRead) -> Self {
        Input { inner, buf: vec![0; 8192], at: 0, end: 0 }
    }

    /// What is buffered, refilled when empty; empty at the end.
    fn chunk(&mut self) -> io::Result<&[u8]> {
        if self.at >= self.end {
            self.at = 0;
            self.end = loop {
                match self.inner.read(&mut self.buf) {
                    Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                    other => break other?,
                }
            };
        }
        Ok(self.buf.get(self.at..self.end).unwrap_or_default())
    }

    fn consume(&mut self, count: usize) {
        self.at += count;
    }

    fn next(&mut self) -> io::Result<Option<u8>> {
        let byte = self.chunk()?.first().copied();
        self.at += usize::from(byte.is_some());
        Ok(byte)
    }
}

fn damaged(what: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// Decoded bytes produced per step, roughly.
const STEP: usize = 16 * 1024;

#[cfg(test)]
mod tests;
