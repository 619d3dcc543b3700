//! Strings of an answer: names, text, documents, and what nobody wants.

use memchr::memchr2;

use super::machine::{Scanner, State};
use super::string::{Escape, Escaped, Half, join};
use super::{ScanError, StringMode, Visitor};
use crate::wire::base64::{DecodeError, Decoder};

/// What the string at hand is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Purpose {
    #[default]
    Skip,
    Name,
    Text(usize),
    Document,
}

/// How far into a string the scanner is.
#[derive(Debug, Default)]
pub(super) struct Reading {
    purpose: Purpose,
    /// Where the string begins.
    begun: u64,
    escape: Option<Escape>,
    /// Where the backslash of the last escape stands.
    escape_at: u64,
    /// The first half of a character, while the second may still follow.
    high: Option<u16>,
}

impl<V: Visitor> Scanner<V> {
    pub(super) fn begin_key(&mut self) {
        self.begin(Purpose::Name);
    }

    pub(super) fn begin_string(&mut self) -> Result<(), ScanError<V::Error>> {
        let mode = self.visitor.string(&self.path).map_err(ScanError::Visitor)?;
        self.begin(match mode {
            StringMode::Text { max } => Purpose::Text(max),
            StringMode::Base64 => Purpose::Document,
            StringMode::Skip => Purpose::Skip,
        });
        Ok(())
    }

    fn begin(&mut self, purpose: Purpose) {
        self.scratch.clear();
        self.reading = Reading { purpose, begun: self.offset, ..Reading::default() };
        self.state = State::String;
    }

    /// Takes a run of plain characters, one byte of an escape, or the closing quote.
    pub(super) fn string_step(&mut self, rest: &[u8]) -> Result<usize, ScanError<V::Error>> {
        let Some(&byte) = rest.first() else { return Ok(0) };
        if let Some(escape) = self.reading.escape {
            return self.escape_step(escape, byte).map(|()| 1);
        }
        match byte {
            b'\\' => {
                self.reading.escape = Some(Escape::default());
                self.reading.escape_at = self.offset;
                Ok(1)
            }
            b'"' => self.end_string().map(|()| 1),
            _ => {
                let run = memchr2(b'"', b'\\', rest).unwrap_or(rest.len());
                self.plain(rest.get(..run).unwrap_or_default())?;
                Ok(run)
            }
        }
    }

    fn escape_step(&mut self, mut escape: Escape, byte: u8) -> Result<(), ScanError<V::Error>> {
        let Some(escaped) = escape.next(byte) else {
            return Err(self.malformed("no such escape"));
        };
        self.reading.escape = (escaped == Escaped::More).then_some(escape);
        match escaped {
            Escaped::More => Ok(()),
            Escaped::Char(char) => {
                self.end_half()?;
                self.push_char(char)
            }
            Escaped::Surrogate(Half::Low(low)) => match self.reading.high.take() {
                Some(high) => self.push_char(join(high, low)),
                None => self.push_char(char::REPLACEMENT_CHARACTER),
            },
            Escaped::Surrogate(Half::High(high)) => {
                self.end_half()?;
                if self.reading.purpose == Purpose::Document {
                    return self.push_char(char::REPLACEMENT_CHARACTER);
                }
                self.reading.high = Some(high);
                Ok(())
            }
        }
    }

    /// Ends the wait for a second half that did not come.
    fn end_half(&mut self) -> Result<(), ScanError<V::Error>> {
        match self.reading.high.take() {
            Some(_) => self.push_char(char::REPLACEMENT_CHARACTER),
            None => Ok(()),
        }
    }

    fn plain(&mut self, run: &[u8]) -> Result<(), ScanError<V::Error>> {
        self.end_half()?;
        match self.reading.purpose {
            Purpose::Skip => Ok(()),
            Purpose::Name => self.push_text(run, self.limits.max_key, self.offset),
            Purpose::Text(max) => self.push_text(run, max, self.offset),
            Purpose::Document => self.push_document(run, self.offset),
        }
    }

    /// Takes an escaped character.
    fn push_char(&mut self, char: char) -> Result<(), ScanError<V::Error>> {
        let at = self.reading.escape_at;
        let mut buffer = [0; 4];
        let bytes = char.encode_utf8(&mut buffer).as_bytes();
        match self.reading.purpose {
            Purpose::Skip => Ok(()),
            Purpose::Name => self.push_whole(bytes, self.limits.max_key, at),
            Purpose::Text(max) => self.push_whole(bytes, max, at),
            Purpose::Document if char.is_ascii() => self.push_document(bytes, at),
            Purpose::Document => Err(ScanError::InvalidBase64 { offset: at }),
        }
    }

    fn push_text(&mut self, run: &[u8], max: usize, at: u64) -> Result<(), ScanError<V::Error>> {
        let room = max.saturating_sub(self.scratch.len());
        if run.len() > room {
            return Err(ScanError::TooLong { offset: at + room as u64, limit: max });
        }
        self.scratch.extend_from_slice(run);
        Ok(())
    }

    /// As [`Self::push_text`], for bytes that stem from one escape.
    fn push_whole(&mut self, bytes: &[u8], max: usize, at: u64) -> Result<(), ScanError<V::Error>> {
        if bytes.len() > max.saturating_sub(self.scratch.len()) {
            return Err(ScanError::TooLong { offset: at, limit: max });
        }
        self.scratch.extend_from_slice(bytes);
        Ok(())
    }

    fn push_document(&mut self, run: &[u8], at: u64) -> Result<(), ScanError<V::Error>> {
        let Self { visitor, path, decoder, pool, .. } = self;
        let decoder = decoder.get_or_insert_with(|| Decoder::new(pool));
        decoder.feed(run, at, &mut |bytes| visitor.bytes(path, bytes)).map_err(scan_error)
    }

    pub(super) fn flush_document(&mut self) -> Result<(), ScanError<V::Error>> {
        let Self { visitor, path, decoder, .. } = self;
        let Some(decoder) = decoder else { return Ok(()) };
        decoder.flush(&mut |bytes| visitor.bytes(path, bytes)).map_err(scan_error)
    }

    fn end_string(&mut self) -> Result<(), ScanError<V::Error>> {
        self.end_half()?;
        self.state = State::After;
        match self.reading.purpose {
            Purpose::Skip => {
                let length = self.offset.saturating_sub(self.reading.begun).saturating_sub(1);
                self.visitor.skipped(&self.path, length).map_err(ScanError::Visitor)
            }
            Purpose::Name => {
                self.path.set_key(&String::from_utf8_lossy(&self.scratch));
                self.state = State::Colon;
                Ok(())
            }
            Purpose::Text(_) => {
                let text = String::from_utf8_lossy(&self.scratch);
                self.visitor.text(&self.path, &text).map_err(ScanError::Visitor)
            }
            Purpose::Document => self.end_document(),
        }
    }

    fn end_document(&mut self) -> Result<(), ScanError<V::Error>> {
        let Self { visitor, path, decoder, offset, .. } = self;
        if let Some(decoder) = decoder {
            decoder.finish(*offset, &mut |bytes| visitor.bytes(path, bytes)).map_err(scan_error)?;
        }
        self.visitor.end_bytes(&self.path).map_err(ScanError::Visitor)
    }
}

fn scan_error<E>(error: DecodeError<E>) -> ScanError<E> {
    match error {
        DecodeError::Invalid(offset) => ScanError::InvalidBase64 { offset },
        DecodeError::Receiver(error) => ScanError::Visitor(error),
    }
}
