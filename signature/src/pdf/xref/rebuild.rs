//! Finding the objects of a file whose cross-reference is unusable, in one pass over the file.

use memchr::memmem;

use super::super::error::{PdfError, PdfErrorKind, Result};
use super::super::lexer::{is_regular, is_space};
use super::super::loader::Raw;
use super::super::object::{Dict, ObjRef, Object};
use super::super::source::{WINDOW, read_range};
use super::super::stream::{ObjectStream, direct_filters};
use super::{Entry, Location, Section, SectionKind, table};

/// Room for `4294967295 65535 ` before `obj`.
const BEFORE: usize = 40;

/// Scans the whole file.
pub(crate) fn rebuild(raw: &Raw) -> Result<Section> {
    let mut scan = Scan { raw, entries: Vec::new(), trailer: Dict::new(), catalog: None };
    let mut at = 0u64;
    while at < raw.len {
        at = scan.window(at)?;
    }
    scan.finish()
}

struct Scan<'r> {
    raw: &'r Raw,
    entries: Vec<Entry>,
    trailer: Dict,
    catalog: Option<ObjRef>,
}

impl Scan<'_> {
    /// Scans one window from `at`; returns where the next one begins.
    fn window(&mut self, at: u64) -> Result<u64> {
        let from = at.saturating_sub(BEFORE as u64);
        let end = (at + WINDOW as u64).min(self.raw.len);
        let buf = read_range(&*self.raw.source, from, end)?;
        self.raw.budget.spend(end - at)?;
        let skip = (at - from) as usize;
        let mut resume = skip;
        let objects = memmem::find_iter(&buf, b"obj").map(|p| (p, true));
        let trailers = memmem::find_iter(&buf, b"trailer").map(|p| (p, false));
        let mut hits: Vec<(usize, bool)> = objects.chain(trailers).collect();
        hits.sort_unstable();
        for (pos, is_object) in hits.into_iter().filter(|(p, _)| *p >= skip) {
            if pos < resume {
                continue;
            }
            let behind = if is_object {
                self.object(&buf, pos, from)?
            } else {
                self.trailer_at(from + pos as u64 + 7)
            };
            resume =
                usize::try_from(behind.saturating_sub(from)).unwrap_or(usize::MAX).max(pos + 3);
            if resume >= buf.len() {
                return Ok(from.saturating_add(resume as u64));
            }
        }
        // A keyword may straddle the end of the window.
        Ok(if end == self.raw.len { end } else { (from + resume as u64).max(end - 8).max(at + 1) })
    }

    /// Handles `obj` at `pos`; returns the offset behind the object.
    fn object(&mut self, buf: &[u8], pos: usize, base: u64) -> Result<u64> {
        let behind = base + pos as u64 + 3;
        let Some((number, generation, start)) = header_before(buf, pos) else { return Ok(behind) };
        let offset = base + start as u64;
        let found = match self.raw.object_at(offset, self.raw.len, &|_| None) {
            Ok(found) => found,
            Err(error) if error.kind() == PdfErrorKind::LimitExceeded => {
                // Only an exhausted budget ends the scan; a single monstrous object does not.
                self.raw.budget.spend(1)?;
                return Ok(behind);
            }
            // What cannot be read is not listed: it must not turn into something else when more
            // bytes follow it.
            Err(_) => return Ok(behind),
        };
        self.push(Entry::new(number, generation, Location::At { offset }))?;
        if let Some(dict) = found.object.as_dict() {
            if dict.is_name("Type", "Catalog") {
                self.catalog = Some(found.id);
            } else if dict.is_name("Type", "XRef") {
                self.take_trailer(dict);
            } else if dict.is_name("Type", "ObjStm") {
                self.object_stream(number, &found.object)?;
            }
        }
        Ok(found.span.map_or(behind, |s| s.end))
    }

    fn object_stream(&mut self, container: u32, object: &Object) -> Result<()> {
        let Some(stream) = object.as_stream() else { return Ok(()) };
        let Ok(filters) = direct_filters(&stream.dict) else { return Ok(()) };
        // Encrypted ones do not decode; the trailer tells later.
        let Ok(found) = ObjectStream::read(self.raw, stream, &filters) else {
            return self.raw.budget.spend(1);
        };
        for (index, number) in found.numbers().enumerate() {
            let index = u32::try_from(index).unwrap_or(u32::MAX);
            self.push(Entry::new(number, 0, Location::InStream { container, index }))?;
        }
        Ok(())
    }

    fn push(&mut self, entry: Option<Entry>) -> Result<()> {
        if self.entries.len() >= self.raw.limits.xref_entries {
            return Err(PdfError::limit("there are more objects than allowed"));
        }
        self.entries.extend(entry);
        Ok(())
    }

    fn trailer_at(&mut self, offset: u64) -> u64 {
        match table::trailer_at(self.raw, offset) {
            Ok((dict, behind)) => {
                self.take_trailer(&dict);
                behind
            }
            Err(_) => offset,
        }
    }

    fn take_trailer(&mut self, dict: &Dict) {
        for key in ["Root", "Info", "ID", "Encrypt", "Size"] {
            if let Some(value) = dict.get(key).filter(|v| !v.is_null()) {
                self.trailer.set(key, value.clone());
            }
        }
    }

    fn finish(mut self) -> Result<Section> {
        if !self.trailer.contains("Root") {
            let root = self.catalog.ok_or_else(|| {
                PdfError::corrupt("neither a usable cross-reference nor a catalog was found")
            })?;
            self.trailer.set("Root", root);
        }
        // Of several objects with one number the last one in the file counts.
        self.entries.reverse();
        self.entries.sort_by_key(|e| e.number);
        self.entries.dedup_by_key(|e| e.number);
        Ok(Section {
            offset: self.raw.len,
            kind: SectionKind::Rebuilt,
            trailer: self.trailer,
            entries: self.entries,
            behind: self.raw.len,
            hybrid_stream: None,
            is_consistent: true,
        })
    }
}

/// The object header that ends with `obj` at `pos`: number, generation and where it begins.
fn header_before(buf: &[u8], pos: usize) -> Option<(u32, u16, usize)> {
    let before = buf.get(..pos)?;
    let (generation, before) = number_before(before)?;
    let (number, before) = number_before(before)?;
    let start = before.len();
    if before.last().is_some_and(|b| is_regular(*b)) {
        return None;
    }
    Some((u32::try_from(number).ok()?, u16::try_from(generation).ok()?, start))
}

/// The number before the white space at the end of `bytes`, and what comes before it.
fn number_before(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let spaces = bytes.iter().rev().take_while(|b| is_space(**b)).count();
    let bytes = bytes.get(..bytes.len() - spaces)?;
    let digits = bytes.iter().rev().take_while(|b| b.is_ascii_digit()).count();
    let (before, number) = bytes.split_at_checked(bytes.len() - digits)?;
    if spaces == 0 || digits == 0 || digits > 10 {
        return None;
    }
    Some((number.iter().fold(0, |v, d| v * 10 + u64::from(d - b'0')), before))
}
