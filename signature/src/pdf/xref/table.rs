//! Cross-reference tables, read entry by entry through a window.

use super::super::error::{PdfError, Result};
use super::super::lexer::{Stop, is_space};
use super::super::loader::Raw;
use super::super::object::{Dict, Object};
use super::super::parser::Parser;
use super::super::source::{WINDOW, read_range};
use super::{Entry, Location};

/// A table with its trailer.
pub(super) struct Table {
    pub(super) entries: Vec<Entry>,
    pub(super) trailer: Dict,
    pub(super) behind: u64,
}

/// Reads the table whose `xref` keyword stands at `offset`.
pub(super) fn read(raw: &Raw, offset: u64, shift: u64, room: usize) -> Result<Table> {
    let start = raw
        .keyword_at(offset, b"xref")?
        .ok_or_else(|| PdfError::corrupt("no cross-reference table here").at(offset))?;
    let mut cursor = Cursor::new(raw, start);
    let mut entries = Vec::new();
    loop {
        cursor.skip_space()?;
        match cursor.peek()? {
            Some(b'0'..=b'9') => subsection(&mut cursor, shift, room, &mut entries)?,
            _ => break,
        }
    }
    let at = cursor.offset();
    raw.budget.spend(at - offset)?;
    let behind_keyword = raw
        .keyword_at(at, b"trailer")?
        .ok_or_else(|| PdfError::corrupt("a cross-reference table has no trailer").at(at))?;
    let (trailer, behind) = trailer_at(raw, behind_keyword)?;
    Ok(Table { entries, trailer, behind })
}

/// The dictionary behind a `trailer` keyword, and where it ends.
pub(super) fn trailer_at(raw: &Raw, at: u64) -> Result<(Dict, u64)> {
    let (object, used) = raw.with_window(at, raw.len, |window, complete| {
        let mut parser = Parser::new(window, complete, Some(at), &raw.limits);
        match parser.value()? {
            Object::Dict(dict) => Ok((dict, parser.pos())),
            _ => Err(Stop::Syntax("the trailer is no dictionary")),
        }
    })?;
    raw.budget.spend(used as u64)?;
    Ok((object, at + used as u64))
}

fn subsection(
    cursor: &mut Cursor,
    shift: u64,
    room: usize,
    entries: &mut Vec<Entry>,
) -> Result<()> {
    let at = cursor.offset();
    let wrong = || PdfError::corrupt("a cross-reference subsection is damaged").at(at);
    let mut first = cursor.number()?.ok_or_else(wrong)?;
    let count = cursor.number()?.ok_or_else(wrong)?;
    for index in 0..count {
        let offset = cursor.number()?.ok_or_else(wrong)?;
        let generation = cursor.number()?.ok_or_else(wrong)?;
        let kind = cursor.word()?;
        // Some writers begin the first subsection with 1 although its first entry is that of 0.
        if index == 0 && first == 1 && kind == Some(b'f') && offset == 0 && generation == 65535 {
            first = 0;
        }
        let location = match kind {
            Some(b'n') if offset > 0 => Location::At { offset: offset.saturating_add(shift) },
            Some(b'n' | b'f') => Location::Free,
            _ => return Err(wrong()),
        };
        let number = u32::try_from(first.saturating_add(index)).map_err(|_| wrong())?;
        let generation = u16::try_from(generation).unwrap_or(u16::MAX);
        if entries.len() >= room {
            return Err(PdfError::limit("there are more cross-reference entries than allowed"));
        }
        entries.extend(Entry::new(number, generation, location));
    }
    Ok(())
}

/// Reads forward byte by byte through a window.
struct Cursor<'r> {
    raw: &'r Raw,
    base: u64,
    window: Vec<u8>,
    pos: usize,
}

impl<'r> Cursor<'r> {
    fn new(raw: &'r Raw, offset: u64) -> Self {
        Cursor { raw, base: offset, window: Vec::new(), pos: 0 }
    }

    fn offset(&self) -> u64 {
        self.base + self.pos as u64
    }

    fn peek(&mut self) -> Result<Option<u8>> {
        if self.pos >= self.window.len() {
            self.base = self.offset();
            self.pos = 0;
            // Most tables are small: begin with little.
            let size = if self.window.is_empty() { 4096 } else { WINDOW };
            self.window = read_range(&*self.raw.source, self.base, self.base + size as u64)?;
        }
        Ok(self.window.get(self.pos).copied())
    }

    fn skip_space(&mut self) -> Result<()> {
        while let Some(byte) = self.peek()? {
            if byte == b'%' {
                while !matches!(self.peek()?, None | Some(b'\r' | b'\n')) {
                    self.pos += 1;
                }
            } else if is_space(byte) {
                self.pos += 1;
            } else {
                break;
            }
        }
        Ok(())
    }

    /// A number without sign; `None` when something else stands here.
    fn number(&mut self) -> Result<Option<u64>> {
        self.skip_space()?;
        let (mut value, mut digits) = (0u64, 0);
        while let Some(digit @ b'0'..=b'9') = self.peek()? {
            value = value.saturating_mul(10).saturating_add(u64::from(digit - b'0'));
            digits += 1;
            self.pos += 1;
        }
        Ok((digits > 0 && digits <= 20).then_some(value))
    }

    fn word(&mut self) -> Result<Option<u8>> {
        self.skip_space()?;
        let byte = self.peek()?;
        self.pos += usize::from(byte.is_some());
        Ok(byte)
    }
}
