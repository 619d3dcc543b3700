//! ASCIIHex, ASCII85 and RunLength (ISO 32000-2, 7.4.2, 7.4.3 and 7.4.5).

use std::io;

use super::{BoxRead, Decode, Input, STEP, damaged};
use crate::pdf::lexer::{hex_value, is_space};

pub(super) struct AsciiHex(Input);

impl AsciiHex {
    pub(super) fn new(inner: BoxRead) -> Self {
        AsciiHex(Input::new(inner))
    }

    /// The next digit, `None` at the end mark or the end of the data.
    fn digit(&mut self) -> io::Result<Option<u8>> {
        loop {
            match self.0.next()? {
                None | Some(b'>') => return Ok(None),
                Some(byte) if is_space(byte) => {}
                Some(byte) => {
                    return hex_value(byte).map(Some).ok_or_else(|| damaged("no hex digit"));
                }
            }
        }
    }
}

impl Decode for AsciiHex {
    fn fill(&mut self, out: &mut Vec<u8>) -> io::Result<bool> {
        while out.len() < STEP {
            let Some(high) = self.digit()? else { return Ok(false) };
            let low = self.digit()?;
            out.push(high << 4 | low.unwrap_or(0));
            if low.is_none() {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

pub(super) struct Ascii85(Input);

impl Ascii85 {
    pub(super) fn new(inner: BoxRead) -> Self {
        Ascii85(Input::new(inner))
    }

    /// One group; `false` at the end of the data.
    fn group(&mut self, out: &mut Vec<u8>) -> io::Result<bool> {
        let (mut value, mut count) = (0u64, 0usize);
        while count < 5 {
            match self.0.next()? {
                None | Some(b'~') => break,
                Some(byte) if is_space(byte) => {}
                Some(b'z') if count == 0 => {
                    out.extend([0; 4]);
                    return Ok(true);
                }
                Some(byte @ b'!'..=b'u') => {
                    value = value * 85 + u64::from(byte - b'!');
                    count += 1;
                }
                Some(_) => return Err(damaged("no base-85 digit")),
            }
        }
        if count == 5 {
            let word = u32::try_from(value).map_err(|_| damaged("base-85 group too large"))?;
            out.extend(word.to_be_bytes());
            return Ok(true);
        }
        if count > 1 {
            for _ in count..5 {
                value = value * 85 + 84;
            }
            let bytes = (value as u32).to_be_bytes();
            out.extend(bytes.iter().take(count - 1));
        }
        Ok(false)
    }
}

impl Decode for Ascii85 {
    fn fill(&mut self, out: &mut Vec<u8>) -> io::Result<bool> {
        while out.len() < STEP {
            if !self.group(out)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

pub(super) struct RunLength(Input);

impl RunLength {
    pub(super) fn new(inner: BoxRead) -> Self {
        RunLength(Input::new(inner))
    }
}

impl Decode for RunLength {
    fn fill(&mut self, out: &mut Vec<u8>) -> io::Result<bool> {
        while out.len() < STEP {
            match self.0.next()? {
                None | Some(128) => return Ok(false),
                Some(length @ 0..=127) => {
                    for _ in 0..=length {
                        let byte = self.0.next()?.ok_or_else(|| damaged("run is cut"))?;
                        out.push(byte);
                    }
                }
                Some(length) => {
                    let byte = self.0.next()?.ok_or_else(|| damaged("run is cut"))?;
                    out.extend(std::iter::repeat_n(byte, 257 - usize::from(length)));
                }
            }
        }
        Ok(true)
    }
}
