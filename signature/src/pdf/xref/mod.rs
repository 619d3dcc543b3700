//! Cross-reference information (ISO 32000-2, 7.5.4 to 7.5.8): tables, streams, hybrid sections,
//! and the chain that links them.

mod chain;
mod rebuild;
mod stream;
mod table;

use super::object::{Dict, ObjRef};

pub(crate) use chain::load;
pub(crate) use rebuild::rebuild;

/// Where an object is, as a cross-reference entry says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Location {
    /// The number is free: the object does not exist (any more).
    Free,
    /// In the file at this offset (counted from the first byte of the file).
    At {
        /// Byte offset of the object number.
        offset: u64,
    },
    /// Inside an object stream.
    InStream {
        /// Object number of the object stream.
        container: u32,
        /// Position among its objects.
        index: u32,
    },
}

/// How a cross-reference section is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SectionKind {
    /// A table with a trailer dictionary.
    Table,
    /// A cross-reference stream.
    Stream,
    /// A table whose trailer names a stream with further objects (`XRefStm`).
    Hybrid,
    /// None: the objects were found by scanning the file.
    Rebuilt,
}

/// One entry, packed: a document may have millions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Entry {
    pub(crate) number: u32,
    pub(crate) section: u16,
    pub(crate) generation: u16,
    packed: u64,
}

const IN_STREAM: u64 = 1 << 63;
const AT: u64 = 1 << 62;
const CONTAINER_MAX: u32 = (1 << 30) - 1;

/// The highest object number a conforming reader must accept (ISO 32000-1, annex C).
pub(crate) const HIGHEST_NUMBER: u32 = 8_388_607;

impl Entry {
    /// `None` where the location cannot exist.
    pub(crate) fn new(number: u32, generation: u16, location: Location) -> Option<Entry> {
        let packed = match location {
            Location::Free => 0,
            Location::At { offset } if offset < AT => AT | offset,
            Location::InStream { container, index } if container <= CONTAINER_MAX => {
                IN_STREAM | u64::from(container) << 32 | u64::from(index)
            }
            _ => return None,
        };
        let exists = number <= HIGHEST_NUMBER && (number > 0 || packed == 0);
        exists.then_some(Entry { number, section: 0, generation, packed })
    }

    pub(crate) fn location(&self) -> Location {
        if self.packed & IN_STREAM != 0 {
            let container = (self.packed >> 32) as u32 & CONTAINER_MAX;
            Location::InStream { container, index: self.packed as u32 }
        } else if self.packed & AT != 0 {
            Location::At { offset: self.packed & (AT - 1) }
        } else {
            Location::Free
        }
    }

    pub(crate) fn id(&self) -> ObjRef {
        ObjRef::new(self.number, self.generation)
    }
}

/// One cross-reference section as it was read.
#[derive(Debug)]
pub(crate) struct Section {
    /// Offset of `xref` or of the stream object.
    pub(crate) offset: u64,
    pub(crate) kind: SectionKind,
    pub(crate) trailer: Dict,
    pub(crate) entries: Vec<Entry>,
    /// Offset behind the trailer dictionary or the stream object.
    pub(crate) behind: u64,
    /// Offset of the stream that a hybrid section names.
    pub(crate) hybrid_stream: Option<u64>,
    /// Whether the table of a hybrid section and its stream put no object in different places.
    pub(crate) is_consistent: bool,
}

/// All sections, newest first, and what was odd about them.
#[derive(Debug, Default)]
pub(crate) struct Chain {
    pub(crate) sections: Vec<Section>,
    pub(crate) notes: Vec<super::StructureNote>,
}
