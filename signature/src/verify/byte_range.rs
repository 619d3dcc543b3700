//! What a signature covers (ISO 32000-2, 12.8.1): the rules whose breach every known forgery of
//! signature wrapping, universal forgery and incremental saving rests on.

use super::report::Coverage;
use crate::pdf::{Document, Object, SignatureValue, Source, Span, for_each_window};

/// More white space than this behind the covered part is not passed over.
const MAX_TRAILING_SPACE: u64 = 1024;

/// A range that obeys the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Covered {
    /// The `Contents` string, its `<` and `>` included: the only part that is not covered.
    pub(super) gap: Span,
    /// Offset behind the last covered byte.
    pub(super) end: u64,
    /// The revision that ends there and holds the signature.
    pub(super) revision: usize,
    pub(super) coverage: Coverage,
}

/// Checks the `ByteRange` of a signature.
pub(super) fn check(document: &Document, value: &SignatureValue) -> Result<Covered, String> {
    let [start, before, after, rest] = numbers(value)?;
    if start != 0 {
        return Err(format!("the range starts at byte {start}, not at the first one"));
    }
    let end = after
        .checked_add(rest)
        .filter(|end| *end <= document.len())
        .ok_or("the range reaches behind the end of the file")?;
    let gap = Span::new(before, after);
    check_gap(document, value, gap)?;
    let (revision, coverage) = place(document, gap, end)?;
    Ok(Covered { gap, end, revision, coverage })
}

fn numbers(value: &SignatureValue) -> Result<[u64; 4], String> {
    let entry = value.dict.get("ByteRange").ok_or("there is no byte range")?;
    // An array that is an object of its own could be replaced without touching the signature.
    let Object::Array(values) = entry else {
        return Err("the byte range is not written into the signature dictionary".into());
    };
    let numbers: Option<Vec<u64>> = values
        .iter()
        .map(|v| if let Object::Int(n) = v { u64::try_from(*n).ok() } else { None })
        .collect();
    let numbers = numbers.ok_or("the byte range holds something that is no offset or length")?;
    numbers
        .try_into()
        .map_err(|all: Vec<u64>| format!("the byte range has {} numbers, not four", all.len()))
}

/// The part that is left out must be the `Contents` string itself, and nothing else.
fn check_gap(document: &Document, value: &SignatureValue, gap: Span) -> Result<(), String> {
    if value.dict.has_repeated_keys() {
        return Err("the signature dictionary has a key twice: readers disagree about it".into());
    }
    let span = value
        .contents_span
        .ok_or("contents are missing, or not written into the signature dictionary")?;
    if span != gap {
        return Err(format!(
            "the range leaves out bytes {} to {}, contents stand at {} to {}",
            gap.start, gap.end, span.start, span.end
        ));
    }
    let mut at = gap.start;
    let mut wrong = None;
    let read = for_each_window(&**document.source(), gap.start, gap.end, |window| {
        for byte in window {
            let fits = if at == gap.start {
                *byte == b'<'
            } else if at + 1 == gap.end {
                *byte == b'>'
            } else {
                byte.is_ascii_hexdigit()
            };
            if !fits && wrong.is_none() {
                wrong = Some(at);
            }
            at += 1;
        }
        Ok(())
    });
    match (read, wrong) {
        (Err(error), _) => Err(error.to_string()),
        (Ok(()), Some(at)) => Err(format!("contents are no plain hexadecimal string (byte {at})")),
        (Ok(()), None) if !gap.len().is_multiple_of(2) => Err("contents have half a byte".into()),
        (Ok(()), None) => Ok(()),
    }
}

/// The revision in which a signature stands and whose end it must reach.
fn place(document: &Document, gap: Span, end: u64) -> Result<(usize, Coverage), String> {
    let revisions = document.revisions();
    let holds = |start: u64, limit: u64| start <= gap.start && gap.end <= limit;
    if end == document.len() {
        let last = revisions.last().filter(|r| holds(r.start, end));
        let last = last.ok_or("the range also covers updates made after the signature")?;
        return Ok((last.index, Coverage::WholeFile));
    }
    let own = revisions.iter().find(|r| holds(r.start, r.end));
    let own = own.ok_or("the signature does not stand inside a revision of the file")?;
    if !own.is_end_certain || end < own.marker_end || end > own.end {
        return Err(format!(
            "the range ends at byte {end}, the signature's revision at byte {}, the file at {}",
            own.marker_end,
            document.len()
        ));
    }
    // Read alone, the covered bytes must lead to the same cross-reference.
    let start = own.startxref.and_then(|at| at.checked_add(document.offset_shift()));
    if start != Some(own.xref_offset) {
        return Err("the covered bytes do not lead to the cross-reference of their revision".into());
    }
    if revisions.get(own.index + 1).is_some() {
        return Ok((own.index, Coverage::Revision));
    }
    if is_space(&**document.source(), end, document.len()) {
        return Ok((own.index, Coverage::WholeFile));
    }
    Err(format!(
        "{} bytes at the end of the file are covered by no signature and belong to no update",
        document.len() - end
    ))
}

fn is_space(source: &dyn Source, start: u64, end: u64) -> bool {
    let mut all = end - start <= MAX_TRAILING_SPACE;
    let read = for_each_window(source, start, end.min(start + MAX_TRAILING_SPACE), |window| {
        all &= window.iter().all(|b| matches!(b, b' ' | b'\t' | b'\r' | b'\n' | 0 | 12));
        Ok(())
    });
    all && read.is_ok()
}
