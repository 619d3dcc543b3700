//! Cross-reference streams (ISO 32000-2, 7.5.8), decoded as a stream of entries.

use std::io::Read;

use super::super::error::{PdfError, Result};
use super::super::filter::{self, BoxRead};
use super::super::loader::Raw;
use super::super::object::{Dict, IndirectObject, Object, Stream};
use super::super::source::RangeReader;
use super::super::stream::direct_filters;
use super::{Entry, Location};

/// Reads the entries of the stream object `found`.
pub(super) fn read(
    raw: &Raw,
    found: &IndirectObject,
    shift: u64,
    room: usize,
) -> Result<(Vec<Entry>, Dict)> {
    let at = found.span.map_or(0, |s| s.start);
    let stream = found
        .object
        .as_stream()
        .ok_or_else(|| PdfError::corrupt("no cross-reference stream here").at(at))?;
    if !stream.dict.is_name("Type", "XRef") {
        return Err(PdfError::corrupt("a stream that is no cross-reference stream").at(at));
    }
    let entries = entries(raw, stream, shift, room).map_err(|e| e.at(at))?;
    Ok((entries, stream.dict.clone()))
}

fn entries(raw: &Raw, stream: &Stream, shift: u64, room: usize) -> Result<Vec<Entry>> {
    let widths = widths(&stream.dict)?;
    let mut reader = reader(raw, stream)?;
    let width = widths.iter().sum::<usize>();
    let mut row = vec![0; width];
    let mut entries = Vec::new();
    for (first, count) in subsections(&stream.dict)? {
        for index in 0..count {
            if !read_row(&mut reader, &mut row)? {
                return Ok(entries);
            }
            raw.budget.spend(width as u64)?;
            if entries.len() >= room {
                return Err(PdfError::limit("there are more cross-reference entries than allowed"));
            }
            let number = u32::try_from(first.saturating_add(index)).unwrap_or(u32::MAX);
            entries.extend(entry(number, &row, widths, shift));
        }
    }
    Ok(entries)
}

fn reader(raw: &Raw, stream: &Stream) -> Result<BoxRead> {
    let Stream { dict, data } = stream;
    let filters = direct_filters(dict)?;
    let encoded = Box::new(RangeReader::new(raw.source.clone(), data.start, data.end));
    Ok(filter::decoder(encoded, &filters, &raw.budget))
}

/// Fills `row`; `false` when the data ends, as it does early in some files.
fn read_row(reader: &mut BoxRead, row: &mut [u8]) -> Result<bool> {
    match reader.read_exact(row) {
        Ok(()) => Ok(true),
        Err(e)
            if matches!(
                e.kind(),
                std::io::ErrorKind::UnexpectedEof | std::io::ErrorKind::InvalidData
            ) =>
        {
            Ok(false)
        }
        Err(e) => Err(e.into()),
    }
}

fn widths(dict: &Dict) -> Result<[usize; 3]> {
    let wrong = || PdfError::corrupt("a cross-reference stream has impossible field widths");
    let values = dict.get("W").and_then(Object::as_array).ok_or_else(wrong)?;
    let mut widths = [0; 3];
    for (width, value) in widths.iter_mut().zip(values) {
        let value = value.as_int().and_then(|v| usize::try_from(v).ok());
        *width = value.filter(|v| *v <= 8).ok_or_else(wrong)?;
    }
    if values.len() < 3 || widths.iter().sum::<usize>() == 0 {
        return Err(wrong());
    }
    Ok(widths)
}

fn subsections(dict: &Dict) -> Result<Vec<(u64, u64)>> {
    let number = |value: &Object| value.as_int().and_then(|v| u64::try_from(v).ok());
    match dict.get("Index").and_then(Object::as_array) {
        Some(values) => Ok(values
            .as_chunks::<2>()
            .0
            .iter()
            .filter_map(|[first, count]| Some((number(first)?, number(count)?)))
            .collect()),
        None => {
            let size = dict.get("Size").and_then(number);
            let size =
                size.ok_or_else(|| PdfError::corrupt("a cross-reference stream without Size"))?;
            Ok(vec![(0, size)])
        }
    }
}

fn entry(number: u32, row: &[u8], [first, second, third]: [usize; 3], shift: u64) -> Option<Entry> {
    let field = |from: usize, width: usize| {
        let bytes = row.get(from..from + width).unwrap_or_default();
        bytes.iter().fold(0u64, |value, byte| value << 8 | u64::from(*byte))
    };
    let kind = if first == 0 { 1 } else { field(0, first) };
    let (a, b) = (field(first, second), field(first + second, third));
    let (generation, location) = match kind {
        0 => (u16::try_from(b).unwrap_or(u16::MAX), Location::Free),
        1 if a > 0 => (u16::try_from(b).ok()?, Location::At { offset: a.checked_add(shift)? }),
        1 => (0, Location::Free),
        2 => {
            let container = u32::try_from(a).ok()?;
            (0, Location::InStream { container, index: u32::try_from(b).ok()? })
        }
        // An unknown type counts as a reference to null (7.5.8.3).
        _ => (0, Location::Free),
    };
    Entry::new(number, generation, location)
}
