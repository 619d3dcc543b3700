//! LZW with codes of 9 to 12 bits (ISO 32000-2, 7.4.4.2).

use std::io;

use super::{BoxRead, Decode, Input, STEP, damaged};

const CLEAR: u16 = 256;
const END: u16 = 257;

pub(super) struct Lzw {
    input: Input,
    early: usize,
    bits: u32,
    bit_count: u32,
    /// For each code from 258: the code it extends and the byte it adds.
    table: Vec<(u16, u8)>,
    previous: Option<u16>,
    scratch: Vec<u8>,
}

impl Lzw {
    pub(super) fn new(inner: BoxRead, early_change: bool) -> Self {
        Lzw {
            input: Input::new(inner),
            early: usize::from(early_change),
            bits: 0,
            bit_count: 0,
            table: Vec::with_capacity(4096 - 258),
            previous: None,
            scratch: Vec::new(),
        }
    }

    fn code(&mut self) -> io::Result<Option<u16>> {
        let width = match self.table.len() + 258 + self.early {
            0..=511 => 9,
            512..=1023 => 10,
            1024..=2047 => 11,
            _ => 12,
        };
        while self.bit_count < width {
            let Some(byte) = self.input.next()? else { return Ok(None) };
            self.bits = self.bits << 8 | u32::from(byte);
            self.bit_count += 8;
        }
        self.bit_count -= width;
        Ok(Some((self.bits >> self.bit_count & ((1 << width) - 1)) as u16))
    }

    /// Writes the bytes of `code` backwards into the scratch space.
    fn expand(&mut self, mut code: u16) -> io::Result<()> {
        self.scratch.clear();
        while code >= 258 {
            let entry = self.table.get(usize::from(code) - 258);
            let (prefix, byte) = *entry.ok_or_else(|| damaged("unknown lzw code"))?;
            self.scratch.push(byte);
            code = prefix;
        }
        self.scratch.push(code as u8);
        Ok(())
    }

    fn step(&mut self, code: u16, out: &mut Vec<u8>) -> io::Result<()> {
        let known = usize::from(code) < 258 + self.table.len();
        let source = match (known, self.previous) {
            (true, _) => code,
            (false, Some(previous)) if usize::from(code) == 258 + self.table.len() => previous,
            _ => return Err(damaged("unknown lzw code")),
        };
        self.expand(source)?;
        let first = self.scratch.last().copied().unwrap_or_default();
        out.extend(self.scratch.iter().rev());
        if !known {
            out.push(first);
        }
        if let Some(previous) = self.previous
            && self.table.len() < 4096 - 258
        {
            self.table.push((previous, first));
        }
        self.previous = Some(code);
        Ok(())
    }
}

impl Decode for Lzw {
    fn fill(&mut self, out: &mut Vec<u8>) -> io::Result<bool> {
        while out.len() < STEP {
            match self.code()? {
                None | Some(END) => return Ok(false),
                Some(CLEAR) => {
                    self.table.clear();
                    self.previous = None;
                }
                Some(code) => self.step(code, out)?,
            }
        }
        Ok(true)
    }
}
