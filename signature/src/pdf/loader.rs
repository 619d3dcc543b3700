//! Objects at an offset: windows that grow with the object, and where stream data ends.

use std::sync::{Mutex, PoisonError};

use memchr::memmem;

use super::error::{PdfError, PdfErrorKind, Result};
use super::lexer::{Lexer, Stop, Token, is_space};
use super::limits::{Limits, Work};
use super::object::{IndirectObject, ObjRef, Object, Span, Stream};
use super::parser::{Parser, Tail};
use super::source::{SharedSource, WINDOW, read_full_at, read_range};

/// First window for an object; most objects fit.
const FIRST_WINDOW: usize = 2048;

/// The file as bytes, with limits and the budget of work.
pub(crate) struct Raw {
    pub(crate) source: SharedSource,
    pub(crate) len: u64,
    pub(crate) limits: Limits,
    pub(crate) budget: Work,
    endstream: LastSearch,
    endobj: LastSearch,
}

/// Where the last search for a keyword began and what it found: streams without an end do not
/// make reading quadratic.
type LastSearch = Mutex<Option<(u64, Option<u64>)>>;

/// How the length of a stream is looked up when it is an indirect object.
pub(crate) type LengthOf<'a> = &'a dyn Fn(ObjRef) -> Option<u64>;

impl Raw {
    pub(crate) fn new(source: SharedSource, limits: Limits, budget: Work) -> Raw {
        let len = source.len();
        Raw {
            source,
            len,
            limits,
            budget,
            endstream: LastSearch::default(),
            endobj: LastSearch::default(),
        }
    }

    /// Runs `read` over windows from `offset` up to `bound`, larger ones as long as it asks for
    /// more.
    pub(crate) fn with_window<T>(
        &self,
        offset: u64,
        bound: u64,
        mut read: impl FnMut(&[u8], bool) -> Result<T, Stop>,
    ) -> Result<T> {
        let bound = bound.min(self.len);
        if offset >= bound {
            return Err(PdfError::corrupt("an object lies behind the end of the file").at(offset));
        }
        let cap = self.limits.object_bytes;
        let fail = |stop: Stop| match stop {
            Stop::More => PdfError::limit("an object is larger than allowed").at(offset),
            Stop::Syntax(what) => PdfError::corrupt(what).at(offset),
            Stop::Limit(what) => PdfError::limit(what).at(offset),
        };
        if let Some(all) = self.source.as_slice() {
            let range = usize::try_from(offset).ok().zip(usize::try_from(bound).ok());
            let rest = range.and_then(|(o, b)| all.get(o..b)).unwrap_or_default();
            let window = rest.get(..cap).unwrap_or(rest);
            return read(window, window.len() == rest.len()).map_err(fail);
        }
        let mut size = FIRST_WINDOW;
        loop {
            let end = offset.saturating_add(size as u64).min(bound);
            let window = read_range(&*self.source, offset, end)?;
            let complete = end == bound;
            match read(&window, complete) {
                Err(Stop::More) if !complete && size < cap => size = (size * 4).min(cap),
                other => return other.map_err(fail),
            }
        }
    }

    /// The indirect object at `offset`, of which nothing lies behind `bound`.
    pub(crate) fn object_at(
        &self,
        offset: u64,
        bound: u64,
        length_of: LengthOf,
    ) -> Result<IndirectObject> {
        let (id, object, tail) = self.parsed(offset, bound, |parser| {
            let id = parser.object_header()?;
            let object = parser.object_value()?;
            let tail = parser.tail(matches!(object, Object::Dict(_)))?;
            Ok((id, object, tail))
        })?;
        let absolute = |pos: usize| offset + pos as u64;
        match (tail, object) {
            (Tail::Stream(start), Object::Dict(dict)) => {
                let length = match dict.get("Length") {
                    Some(Object::Ref(reference)) => length_of(*reference),
                    Some(value) => value.as_int().and_then(|l| u64::try_from(l).ok()),
                    None => None,
                };
                let (data, end) = self.stream_extent(absolute(start), bound, length)?;
                let object = Object::Stream(Box::new(Stream { dict, data }));
                Ok(IndirectObject {
                    id,
                    object,
                    span: Some(Span::new(offset, end)),
                    container: None,
                })
            }
            (Tail::EndObj(end) | Tail::Other(end) | Tail::Stream(end), object) => {
                let span = Some(Span::new(offset, absolute(end)));
                Ok(IndirectObject { id, object, span, container: None })
            }
        }
    }

    /// Parses at `offset`. What was read counts, also where it is no object.
    fn parsed<T>(
        &self,
        offset: u64,
        bound: u64,
        mut read: impl FnMut(&mut Parser<'_>) -> Result<T, Stop>,
    ) -> Result<T> {
        // Nothing is read any more when nothing is left.
        self.budget.spend(0)?;
        let mut used = 0;
        let found = self.with_window(offset, bound, |window, complete| {
            let mut parser = Parser::new(window, complete, Some(offset), &self.limits);
            let found = read(&mut parser);
            used += parser.pos();
            found
        });
        self.budget.spend(used as u64)?;
        found
    }

    /// The integer object `id` at `offset`: a stream length, read without following anything.
    pub(crate) fn int_at(&self, offset: u64, id: ObjRef) -> Option<u64> {
        let value =
            self.parsed(offset, self.len, |parser| Ok((parser.object_header()?, parser.value()?)));
        let (found, value) = value.ok()?;
        (found == id).then(|| value.as_int().and_then(|v| u64::try_from(v).ok())).flatten()
    }

    /// Where stream data that begins at `start` ends, and where its object ends.
    fn stream_extent(&self, start: u64, bound: u64, length: Option<u64>) -> Result<(Span, u64)> {
        let claimed =
            length.and_then(|l| start.checked_add(l)).filter(|end| *end <= bound.min(self.len));
        if let Some(end) = claimed
            && let Some(behind) = self.keyword_at(end, b"endstream")?
        {
            return Ok((Span::new(start, end), self.object_end(behind)?));
        }
        // Nothing behind the object may become part of it: what another revision appends must not
        // change how this one reads.
        let within = |found: Option<u64>| found.filter(|at| *at < bound);
        let marker = within(self.search(&self.endstream, b"endstream", start)?);
        let object = within(self.search(&self.endobj, b"endobj", start)?);
        match (marker, object) {
            (Some(marker), object) if object.is_none_or(|o| marker < o) => {
                let end = self.without_line_end(start, marker)?;
                Ok((Span::new(start, end), self.object_end(marker + 9)?))
            }
            (_, Some(object)) => Ok((Span::new(start, object), object + 6)),
            _ => Err(PdfError::corrupt("a stream has no end").at(start)),
        }
    }

    fn search(&self, last: &LastSearch, keyword: &[u8], start: u64) -> Result<Option<u64>> {
        let lock = || last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((from, found)) = *lock()
            && from <= start
            && found.is_none_or(|at| start <= at)
        {
            return Ok(found);
        }
        let found = self.find(keyword, start, self.len)?;
        *lock() = Some((start, found));
        Ok(found)
    }

    fn object_end(&self, behind_endstream: u64) -> Result<u64> {
        Ok(self.keyword_at(behind_endstream, b"endobj")?.unwrap_or(behind_endstream))
    }

    /// The offset behind `word` when it stands at `offset`, white space before it allowed.
    pub(crate) fn keyword_at(&self, offset: u64, word: &[u8]) -> Result<Option<u64>> {
        let window = self.small_window(offset)?;
        let window = window.get(..self.small_len(offset)).unwrap_or_default();
        let spaces = window.iter().take_while(|b| is_space(**b)).count();
        let found = window.get(spaces..).is_some_and(|rest| rest.starts_with(word));
        Ok(found.then(|| offset + (spaces + word.len()) as u64))
    }

    fn small_len(&self, offset: u64) -> usize {
        usize::try_from(self.len.saturating_sub(offset)).unwrap_or(64).min(64)
    }

    fn small_window(&self, offset: u64) -> Result<[u8; 64]> {
        let mut window = [0; 64];
        read_full_at(&*self.source, offset, &mut window)?;
        Ok(window)
    }

    /// Without the end of line that belongs to `endstream`.
    fn without_line_end(&self, start: u64, end: u64) -> Result<u64> {
        let from = end.saturating_sub(2).max(start);
        let tail = read_range(&*self.source, from, end)?;
        let strip = match &*tail {
            [.., b'\r', b'\n'] => 2,
            [.., b'\n' | b'\r'] => 1,
            _ => 0,
        };
        Ok(end - strip)
    }

    /// The first place of `needle` that begins in `from..to`.
    pub(crate) fn find(&self, needle: &[u8], from: u64, to: u64) -> Result<Option<u64>> {
        let to = to.min(self.len);
        let finder = memmem::Finder::new(needle);
        let overlap = needle.len().saturating_sub(1);
        if let Some(all) = self.source.as_slice() {
            let range = usize::try_from(from).ok().zip(usize::try_from(to).ok());
            let part = range.and_then(|(f, t)| all.get(f..t)).unwrap_or_default();
            let found = finder.find(part);
            self.budget.spend(found.unwrap_or(part.len()) as u64)?;
            return Ok(found.map(|at| from + at as u64));
        }
        let mut at = from;
        while at < to {
            let end = to.min(at + (WINDOW + overlap) as u64);
            let window = read_range(&*self.source, at, end)?;
            self.budget.spend(window.len() as u64)?;
            if let Some(found) = finder.find(&window) {
                return Ok(Some(at + found as u64));
            }
            if window.len() <= overlap || end == to {
                break;
            }
            at += (window.len() - overlap) as u64;
        }
        Ok(None)
    }

    /// The last place of `needle` in the last `reach` bytes of `..to`.
    pub(crate) fn find_last(&self, needle: &[u8], to: u64, reach: u64) -> Result<Option<u64>> {
        let to = to.min(self.len);
        let from = to.saturating_sub(reach);
        let window = read_range(&*self.source, from, to)?;
        self.budget.spend(window.len() as u64)?;
        Ok(memmem::rfind(&window, needle).map(|at| from + at as u64))
    }

    /// `startxref`, its number and the end-of-file marker, from the keyword at `at`.
    pub(crate) fn startxref_at(&self, at: u64) -> Result<Option<StartXref>> {
        let read = self.with_window(at, self.len, |window, complete| {
            let mut lexer = Lexer::new(window, complete);
            if !matches!(lexer.token()?, Token::Word(word) if word == b"startxref") {
                return Ok(None);
            }
            let Token::Int(value) = lexer.token()? else { return Ok(None) };
            let mut pos = lexer.pos();
            let spaces = window.get(pos..).unwrap_or_default();
            pos += spaces.iter().take_while(|b| is_space(**b)).count();
            let rest = window.get(pos..).unwrap_or_default();
            if rest.len() < 7 && !complete {
                return Err(Stop::More);
            }
            let marker = rest.strip_prefix(b"%%EOF").map(|behind| {
                let line_end = match behind {
                    [b'\r', b'\n', ..] => 2,
                    [b'\r' | b'\n', ..] => 1,
                    _ => 0,
                };
                (at + pos as u64 + 5, at + pos as u64 + 5 + line_end)
            });
            let behind = at + lexer.pos() as u64;
            Ok(Some(StartXref { value, marker, behind }))
        });
        match read {
            Ok(found) => Ok(found),
            Err(error) if error.kind() == PdfErrorKind::Io => Err(error),
            Err(_) => Ok(None),
        }
    }
}

/// What stands at the end of a revision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StartXref {
    pub(crate) value: i64,
    /// Behind `%%EOF`, and behind the end of line that follows it.
    pub(crate) marker: Option<(u64, u64)>,
    /// Behind the number.
    pub(crate) behind: u64,
}
