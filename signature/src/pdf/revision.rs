//! Revisions: the file as it was first written, and each incremental update.

use super::loader::Raw;
use super::object::{Dict, ObjRef};
use super::xref::{Chain, Entry, Location, Section, SectionKind};
use super::{StructureNote, error::Result};

/// One revision of a document: what one save wrote.
///
/// A linearized file has two cross-reference sections; they are one revision.
#[derive(Debug, Clone)]
pub struct Revision {
    /// Position among the revisions, 0 is the oldest.
    pub index: usize,
    /// Where the revision's bytes begin: the end of the one before.
    pub start: u64,
    /// Offset behind the `%%EOF` marker that ends the revision.
    pub marker_end: u64,
    /// Offset behind the end of line that follows the marker, where there is one.
    pub end: u64,
    /// Offset of the cross-reference section that readers of this revision begin with.
    pub xref_offset: u64,
    /// How that section is written.
    pub kind: SectionKind,
    /// Its trailer dictionary (of a cross-reference stream: the stream dictionary).
    pub trailer: Dict,
    /// Whether the end was found by its marker; otherwise it is an estimate.
    pub is_end_certain: bool,
    /// Where the file says that the cross-reference begins (`startxref`), where that was found.
    pub startxref: Option<u64>,
    /// Of a hybrid section: the offset of the stream that its trailer names (`XRefStm`).
    pub hybrid_stream: Option<u64>,
    /// Whether the section's table and its stream, where it has both, put no object in different
    /// places.
    pub is_consistent: bool,
    pub(crate) first_section: u16,
    pub(crate) last_section: u16,
}

/// What a revision says about one object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Change {
    /// The object.
    pub id: ObjRef,
    /// Where the revision puts it, or that it frees the number.
    pub location: Location,
}

/// The document's cross-reference information, all revisions together.
pub(crate) struct Table {
    /// Sorted by object number, then by section; sections count from the oldest.
    entries: Vec<Entry>,
    pub(crate) revisions: Vec<Revision>,
}

impl Table {
    /// Numbers the sections from the oldest, merges their entries and finds the revisions.
    pub(crate) fn new(
        raw: &Raw,
        mut chain: Chain,
        notes: &mut Vec<StructureNote>,
    ) -> Result<Table> {
        notes.append(&mut chain.notes);
        chain.sections.reverse();
        let mut entries = Vec::new();
        for (index, section) in chain.sections.iter_mut().enumerate() {
            let number = u16::try_from(index).unwrap_or(u16::MAX);
            let mut taken = std::mem::take(&mut section.entries);
            taken.iter_mut().for_each(|e| e.section = number);
            entries.append(&mut taken);
        }
        entries.sort_unstable();
        let revisions = revisions(raw, &chain.sections, notes)?;
        Ok(Table { entries, revisions })
    }

    /// The entry of `number` as of `last_section`.
    pub(crate) fn lookup(&self, number: u32, last_section: u16) -> Option<&Entry> {
        let behind =
            self.entries.partition_point(|e| (e.number, e.section) <= (number, last_section));
        self.entries.get(behind.checked_sub(1)?).filter(|e| e.number == number)
    }

    /// Where the revision ends whose bytes `offset` is among: an object never reads on into what
    /// was appended later.
    pub(crate) fn bound(&self, offset: u64) -> u64 {
        let holder = self.revisions.partition_point(|r| r.end <= offset);
        match self.revisions.get(holder) {
            Some(revision) if revision.is_end_certain => revision.end,
            _ => u64::MAX,
        }
    }

    /// The highest object number in use or freed.
    pub(crate) fn highest_number(&self) -> u32 {
        self.entries.last().map_or(0, |e| e.number)
    }

    /// The newest entry of every number as of `last_section`.
    pub(crate) fn current(&self, last_section: u16) -> impl Iterator<Item = &Entry> {
        self.entries
            .chunk_by(|a, b| a.number == b.number)
            .filter_map(move |versions| versions.iter().rev().find(|e| e.section <= last_section))
    }

    /// What a revision defines, by object number.
    pub(crate) fn changes<'t>(
        &'t self,
        revision: &Revision,
    ) -> impl Iterator<Item = Change> + use<'t> {
        let sections = revision.first_section..=revision.last_section;
        self.entries
            .chunk_by(|a, b| a.number == b.number)
            .filter_map(move |versions| {
                versions.iter().rev().find(|e| sections.contains(&e.section))
            })
            .map(|e| Change { id: e.id(), location: e.location() })
    }
}

fn revisions(
    raw: &Raw,
    sections: &[Section],
    notes: &mut Vec<StructureNote>,
) -> Result<Vec<Revision>> {
    let mut revisions: Vec<Revision> = Vec::new();
    let mut previous: Option<&Section> = None;
    for (index, section) in sections.iter().enumerate() {
        let number = u16::try_from(index).unwrap_or(u16::MAX);
        // An update stands behind what it updates. A section before its predecessor is the first
        // part of a linearized file (annex F), or belongs to no update at all.
        let same = previous.is_some_and(|p| section.offset < p.offset);
        let limit = sections.get(index + 1).map_or(raw.len, |s| s.offset).max(section.offset);
        let tail = tail(raw, section, limit)?;
        match revisions.last_mut().filter(|_| same) {
            Some(revision) => {
                join(revision, section, &tail, number);
                notes.push(StructureNote::LinearizedSections { offset: section.offset });
            }
            None => {
                let start = revisions.last().map_or(0, |r| r.end);
                revisions.push(revision(revisions.len(), start, section, &tail, number));
            }
        }
        previous = Some(section);
    }
    Ok(revisions)
}

struct EndOf {
    startxref: Option<u64>,
    marker_end: u64,
    end: u64,
    is_certain: bool,
}

fn revision(index: usize, start: u64, section: &Section, tail: &EndOf, number: u16) -> Revision {
    Revision {
        index,
        start,
        marker_end: tail.marker_end,
        end: tail.end,
        xref_offset: section.offset,
        hybrid_stream: section.hybrid_stream,
        is_consistent: section.is_consistent,
        kind: section.kind,
        trailer: section.trailer.clone(),
        is_end_certain: tail.is_certain,
        startxref: tail.startxref,
        first_section: number,
        last_section: number,
    }
}

fn join(revision: &mut Revision, section: &Section, tail: &EndOf, number: u16) {
    revision.last_section = number;
    revision.xref_offset = section.offset;
    revision.hybrid_stream = section.hybrid_stream;
    revision.is_consistent &= section.is_consistent;
    revision.kind = section.kind;
    revision.trailer = section.trailer.clone();
    if tail.end > revision.end {
        revision.marker_end = tail.marker_end;
        revision.end = tail.end;
        revision.is_end_certain = tail.is_certain;
        revision.startxref = tail.startxref;
    }
}

/// Looks for the end marker of a section, at most up to the next section.
fn tail(raw: &Raw, section: &Section, limit: u64) -> Result<EndOf> {
    let guess = EndOf {
        startxref: None,
        marker_end: section.behind,
        end: section.behind,
        is_certain: false,
    };
    if section.kind == SectionKind::Rebuilt {
        return Ok(guess);
    }
    let keyword = match raw.keyword_at(section.behind, b"startxref")? {
        Some(behind) => Some(behind - 9),
        None => raw.find(b"startxref", section.behind, limit)?,
    };
    let Some(found) = keyword.map(|at| raw.startxref_at(at)).transpose()?.flatten() else {
        return Ok(guess);
    };
    let startxref = u64::try_from(found.value).ok();
    let (marker_end, end) = found.marker.unwrap_or((found.behind, found.behind));
    Ok(EndOf { startxref, marker_end, end, is_certain: found.marker.is_some() })
}
