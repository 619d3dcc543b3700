//! From `startxref` along `Prev` to the first section.

use std::collections::HashSet;

use super::super::StructureNote;
use super::super::error::{PdfError, Result};
use super::super::loader::Raw;
use super::super::object::{Dict, Object};
use super::{Chain, Entry, Location, Section, SectionKind, stream, table};

/// Loads every section from the newest, whose offset the caller found.
pub(crate) fn load(raw: &Raw, newest: u64, shift: u64) -> Result<Chain> {
    let mut chain = Chain::default();
    let mut seen = HashSet::new();
    let mut room = raw.limits.xref_entries;
    let mut trailer_room = raw.limits.object_values;
    let mut next = Some(newest);
    while let Some(offset) = next {
        if !seen.insert(offset) {
            chain.notes.push(StructureNote::PreviousLoop { offset });
            break;
        }
        if chain.sections.len() >= raw.limits.sections.min(usize::from(u16::MAX)) {
            return Err(PdfError::limit("there are more incremental updates than allowed"));
        }
        let section = section(raw, offset, shift, room, &mut chain.notes)?;
        room -= section.entries.len();
        trailer_room = trailer_room
            .checked_sub(section.trailer.value_count())
            .ok_or_else(|| PdfError::limit("the trailers hold more values than allowed"))?;
        next = match section.trailer.get("Prev").and_then(Object::as_int) {
            // Some writers say 0 where there is none.
            None | Some(0) => None,
            Some(prev) => Some(
                u64::try_from(prev)
                    .ok()
                    .and_then(|p| p.checked_add(shift))
                    .ok_or_else(|| PdfError::corrupt("Prev is no offset").at(offset))?,
            ),
        };
        chain.sections.push(section);
    }
    Ok(chain)
}

fn section(
    raw: &Raw,
    offset: u64,
    shift: u64,
    room: usize,
    notes: &mut Vec<StructureNote>,
) -> Result<Section> {
    if raw.keyword_at(offset, b"xref")?.is_none() {
        let found = raw.object_at(offset, raw.len, &|_| None)?;
        let (entries, mut trailer) = stream::read(raw, &found, shift, room)?;
        // Its content is in the entries now, and it may be long.
        trailer.remove("Index");
        let behind = found.span.map_or(offset, |s| s.end);
        let kind = SectionKind::Stream;
        let entries = sorted(entries);
        return Ok(Section {
            offset,
            kind,
            trailer,
            entries,
            behind,
            hybrid_stream: None,
            is_consistent: true,
        });
    }
    let table = table::read(raw, offset, shift, room)?;
    let mut section = Section {
        offset,
        kind: SectionKind::Table,
        trailer: table.trailer,
        entries: sorted(table.entries),
        behind: table.behind,
        hybrid_stream: None,
        is_consistent: true,
    };
    if let Some(at) = hybrid_offset(&section.trailer, shift) {
        section.kind = SectionKind::Hybrid;
        section.hybrid_stream = Some(at);
        match hybrid(raw, at, shift, room - section.entries.len()) {
            Ok(hidden) => {
                section.is_consistent = agree(&section.entries, &hidden);
                section.entries = merged(&section.entries, &hidden);
            }
            Err(_) => {
                section.is_consistent = false;
                notes.push(StructureNote::HybridStreamUnreadable { offset: at });
            }
        }
    }
    Ok(section)
}

fn hybrid_offset(trailer: &Dict, shift: u64) -> Option<u64> {
    let at = trailer.get("XRefStm")?.as_int()?;
    u64::try_from(at).ok()?.checked_add(shift)
}

fn hybrid(raw: &Raw, at: u64, shift: u64, room: usize) -> Result<Vec<Entry>> {
    let found = raw.object_at(at, raw.len, &|_| None)?;
    Ok(sorted(stream::read(raw, &found, shift, room)?.0))
}

/// Sorted by number; of a number that occurs twice in one section the first entry counts.
fn sorted(mut entries: Vec<Entry>) -> Vec<Entry> {
    entries.sort_by_key(|e| e.number);
    entries.dedup_by_key(|e| e.number);
    entries
}

/// Whether readers find the same, whichever of the two they look at first: an object that both
/// know stands where both say. What the table leaves out or frees may be in the stream.
fn agree(table: &[Entry], hidden: &[Entry]) -> bool {
    table.iter().filter(|e| e.number != 0 && e.location() != Location::Free).all(|entry| {
        let place = hidden.binary_search_by_key(&entry.number, |e| e.number).ok();
        let other = place.and_then(|place| hidden.get(place));
        other.is_none_or(|other| (other.id(), other.location()) == (entry.id(), entry.location()))
    })
}

/// The table counts before the stream, but what it hides as free is looked up in the stream
/// (7.5.8.4).
fn merged(table: &[Entry], hidden: &[Entry]) -> Vec<Entry> {
    let used = |e: &&Entry| e.location() != Location::Free;
    let mut all: Vec<Entry> = table.iter().filter(used).copied().collect();
    all.extend(hidden.iter().filter(used));
    all.extend(table.iter().filter(|e| !used(e)));
    all.extend(hidden.iter().filter(|e| !used(e)));
    sorted(all)
}
