//! The file around the objects: object streams, cross-reference streams, and the bytes of an
//! update that no object accounts for.

use std::collections::HashSet;
use std::io::{self, Read as _};

use super::change::ChangeKind;
use super::step::Step;
use crate::pdf::{Lexer, Location, ObjRef, Object, SectionKind, Stream, Token, for_each_window};

/// Numbers and positions at the start of an object stream that take more than this are not read.
const MAX_INDEX: u64 = 8 << 20;
/// How much of the file's beginning is searched for its linearization.
const HEAD: usize = 4096;
/// How far before `obj` the number of an object is looked for.
const HEADER_REACH: usize = 40;

/// Explains the streams that hold objects and cross-references.
pub(super) fn check_structure(step: &mut Step<'_>) {
    if step.revision.kind == SectionKind::Hybrid && !step.revision.is_consistent {
        let detail = "the update has two cross-references that disagree about an object";
        step.forbid(None, ChangeKind::Other, detail);
    }
    if becomes_linearized(step) {
        let detail =
            "the file gets the length of its linearization: readers show another first page";
        step.forbid(None, ChangeKind::Other, detail);
    }
    let ids: Vec<ObjRef> = step.changed.values().map(|changed| changed.id).collect();
    for id in ids {
        let Some(changed) = step.unexplained(id) else { continue };
        // Whatever lies in an object stream would change with it.
        if step.uses.is_container(id.number) {
            let detail = "an object stream was changed, and with it all objects in it";
            step.forbid(Some(id), ChangeKind::Other, detail);
            continue;
        }
        let Object::Stream(stream) = changed.after.clone() else { continue };
        let was_section = changed.before.as_dict().is_some_and(|d| d.is_name("Type", "XRef"));
        let is_new = changed.before.is_null();
        let at = match step.after.location(id.number) {
            Some((_, Location::At { offset })) => offset,
            _ => continue,
        };
        if stream.dict.is_name("Type", "XRef") && (is_new || was_section) {
            if at == step.revision.xref_offset || step.revision.hybrid_stream == Some(at) {
                step.claim(id, &[], ChangeKind::FileStructure, "the cross-reference");
            }
        } else if stream.dict.is_name("Type", "ObjStm") && is_new {
            check_object_stream(step, id, &stream);
        }
    }
}

/// Whether the file says that it is linearized with another length than it had, and has that length
/// now (ISO 32000-2, F.3.3): until then readers passed over what it says.
fn becomes_linearized(step: &Step<'_>) -> bool {
    let source = step.context.document.source();
    let mut head = vec![0; HEAD.min(usize::try_from(source.len()).unwrap_or(HEAD))];
    let Ok(read) = source.read_at(0, &mut head) else { return true };
    head.truncate(read);
    let mut lexer = Lexer::new(&head, true);
    let (mut is_linearized, mut lengths, mut is_length) = (false, HashSet::new(), false);
    loop {
        let at = lexer.pos();
        match lexer.token() {
            Ok(Token::End) => break,
            Ok(Token::Name(name)) => {
                is_linearized |= name == b"Linearized";
                is_length = name == b"L";
                continue;
            }
            Ok(Token::Int(length)) if is_length => lengths.extend(u64::try_from(length)),
            Ok(_) => {}
            Err(_) => lexer.seek(lexer.pos().max(at + 1)),
        }
        is_length = false;
    }
    let is_now = |length: &u64| *length == step.revision.end || *length == source.len();
    is_linearized && lengths.iter().any(|l| is_now(l) && *l != step.context.base_len)
}

/// Every object inside must be one that the cross-reference finds there.
fn check_object_stream(step: &mut Step<'_>, id: ObjRef, stream: &Stream) {
    let numbers = match numbers_in(step, stream) {
        Ok(numbers) => numbers,
        Err(reason) => return step.forbid(Some(id), ChangeKind::Other, reason),
    };
    let lies_here = |number: &u32| {
        let location = step.after.location(*number);
        matches!(location, Some((_, Location::InStream { container, .. })) if container == id.number)
    };
    if numbers.is_empty() || !numbers.iter().all(lies_here) || stream.dict.contains("Extends") {
        let detail = "an object stream holds objects that the cross-reference does not find there";
        return step.forbid(Some(id), ChangeKind::Other, detail);
    }
    step.claim(id, &[], ChangeKind::FileStructure, "an object stream");
}

fn numbers_in(step: &Step<'_>, stream: &Stream) -> Result<Vec<u32>, String> {
    let unreadable = || "an object stream cannot be read".to_owned();
    let number = |key: &str| stream.dict.get(key).and_then(Object::as_int).ok_or_else(unreadable);
    let (count, first) = (number("N")?, u64::try_from(number("First")?).unwrap_or(u64::MAX));
    let reader = step.after.stream_reader(stream).map_err(|error| error.to_string())?;
    // The objects behind have been read already.
    let mut index = Vec::new();
    reader.take(first.min(MAX_INDEX)).read_to_end(&mut index).map_err(|e| e.to_string())?;
    let mut lexer = Lexer::new(&index, true);
    let mut numbers = Vec::new();
    for _ in 0..count {
        match (lexer.token(), lexer.token()) {
            (Ok(Token::Int(number)), Ok(Token::Int(_))) => {
                numbers.push(u32::try_from(number).map_err(|_| unreadable())?);
            }
            _ => return Err(unreadable()),
        }
    }
    Ok(numbers)
}

/// Looks for objects and ends of file in the update that its cross-reference does not know. A
/// reader that repairs files would find them, and show them instead.
pub(super) fn check_bytes(step: &mut Step<'_>) {
    let revision = step.revision;
    let start = revision.start.max(step.context.base_len);
    if revision.startxref.is_none_or(|at| {
        at.checked_add(step.context.document.offset_shift()) != Some(revision.xref_offset)
    }) {
        step.forbid(None, ChangeKind::Other, "the update's startxref does not lead to its table");
    }
    let known: HashSet<u64> = step
        .after
        .locations()
        .filter_map(|(_, location)| match location {
            Location::At { offset } if offset >= start => Some(offset),
            _ => None,
        })
        .chain([revision.xref_offset])
        .collect();
    let mut finder =
        Finder { start, known: &known, tail: Vec::new(), at: start, found: None, ends: 0 };
    let read = for_each_window(&**step.context.document.source(), start, revision.end, |window| {
        finder.window(window);
        Ok::<(), io::Error>(())
    });
    let (found, ends) = (finder.found, finder.ends);
    if let Err(error) = read {
        return step.forbid(None, ChangeKind::Other, format!("the update cannot be read: {error}"));
    }
    if let Some(offset) = found {
        let detail = format!(
            "at byte {offset} stands an object that the cross-reference does not list: readers \
             that repair files would take it"
        );
        step.forbid(None, ChangeKind::Other, detail);
    }
    if ends != 1 {
        let detail = format!("the update has {ends} startxref instead of one");
        step.forbid(None, ChangeKind::Other, detail);
    }
}

/// Looks through windows for object headers, keeping what may belong to the next window.
struct Finder<'k> {
    start: u64,
    known: &'k HashSet<u64>,
    tail: Vec<u8>,
    /// Offset behind what was looked at.
    at: u64,
    found: Option<u64>,
    ends: usize,
}

impl Finder<'_> {
    fn window(&mut self, window: &[u8]) {
        let base = self.at - self.tail.len() as u64;
        let kept = self.tail.len();
        let mut buffer = std::mem::take(&mut self.tail);
        buffer.extend_from_slice(window);
        self.at += window.len() as u64;
        // A keyword counts in the window in which it ends.
        for place in memchr::memmem::find_iter(&buffer, b"obj") {
            if place + 3 <= kept {
                continue;
            }
            if let Some(start) = header(buffer.get(..place).unwrap_or_default()) {
                let offset = base + start as u64;
                if offset >= self.start && !self.known.contains(&offset) {
                    self.found.get_or_insert(offset);
                }
            }
        }
        let ends = memchr::memmem::find_iter(&buffer, b"startxref");
        self.ends += ends.filter(|place| place + 9 > kept).count();
        let keep = buffer.len().saturating_sub(HEADER_REACH);
        self.tail = buffer.split_off(keep);
    }
}

/// Where the number of the object begins whose `obj` follows `before`.
fn header(before: &[u8]) -> Option<usize> {
    let generation = digits_before(before)?;
    let number = digits_before(before.get(..generation)?)?;
    Some(number)
}

/// Where the digits begin that stand before the white space at the end.
fn digits_before(bytes: &[u8]) -> Option<usize> {
    let space = |b: &u8| matches!(b, b' ' | b'\t' | b'\r' | b'\n' | 0 | 12);
    let spaces = bytes.iter().rev().take_while(|b| space(b)).count();
    let end = bytes.len() - spaces;
    let digits = bytes.get(..end)?.iter().rev().take_while(|b| b.is_ascii_digit()).count();
    (spaces > 0 && digits > 0).then_some(end - digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_found_across_windows() {
        let known = HashSet::from([3]);
        for cut in 0..24 {
            let text = b"...7 0 obj x endobj 12 0 obj";
            let mut finder =
                Finder { start: 0, known: &known, tail: Vec::new(), at: 0, found: None, ends: 0 };
            let (first, second) = text.split_at(cut);
            finder.window(first);
            finder.window(second);
            assert_eq!(finder.found, Some(20), "{cut}");
        }
    }

    #[test]
    fn an_end_across_windows_counts_once() {
        let known = HashSet::new();
        let text = b"startxref 1 %%EOF";
        for cut in 0..text.len() {
            let mut finder =
                Finder { start: 0, known: &known, tail: Vec::new(), at: 0, found: None, ends: 0 };
            let (first, second) = text.split_at(cut);
            finder.window(first);
            finder.window(second);
            assert_eq!((finder.ends, finder.found), (1, None), "{cut}");
        }
    }
}
