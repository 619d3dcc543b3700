//! Reading the ZIP file of a container, strictly: whatever readers could understand in different
//! ways is refused, and work and memory are bounded.

use std::collections::HashSet;
use std::io::Read;
use std::sync::Arc;

use bytes::Bytes;
use flate2::read::DeflateDecoder;
use rawzip::extra_fields::{ExtraFieldId, ExtraFields};
use rawzip::{CompressionMethod, Crc32, ZipArchive, ZipArchiveEntryWayfinder, ZipLocator};

use super::slice::{Positioned, Slice};
use super::{MAX_ENTRIES, MAX_UNPACKED, MIME_ENTRY, MIME_TYPE, is_plain};
use crate::pdf::{RangeReader, SharedSource, for_each_window};

/// What every entry of a ZIP file begins with.
const LOCAL_HEADER: &[u8] = b"PK\x03\x04";
/// Fixed part of an entry in the directory (APPNOTE.TXT, 4.3.12).
const DIRECTORY_ENTRY: u64 = 46;
/// The end of the directory (4.3.16), without a comment.
const DIRECTORY_END: u64 = 22;
/// Sizes and check sum behind an entry's data (4.3.9).
const DESCRIPTORS: [u64; 2] = [12, 16];
/// Room for the longest entry of a directory: three fields of 64 KiB.
const BUFFER: usize = 256 << 10;

/// One file of a container.
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) content: SharedSource,
}

/// The files of a container, in their order.
pub(crate) struct Archive {
    pub(crate) entries: Vec<Entry>,
}

/// Whether a file begins as ZIP files do.
pub(crate) fn is_archive(source: &SharedSource) -> bool {
    let mut head = [0; LOCAL_HEADER.len()];
    let read = source.read_at(0, &mut head);
    read.is_ok_and(|count| count == head.len()) && head == LOCAL_HEADER
}

/// Where an entry stands, as the directory says.
struct Place {
    name: String,
    way: ZipArchiveEntryWayfinder,
    start: u64,
    is_stored: bool,
    crc: u32,
    size: u64,
    packed: u64,
    has_descriptor: bool,
}

impl Archive {
    /// Reads a container.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub(crate) fn read(source: &SharedSource) -> Result<Self, String> {
        let mut buffer = vec![0; BUFFER];
        let locator = ZipLocator::new();
        let zip = locator
            .locate_in_reader(Positioned(source.clone()), &mut buffer, source.len())
            .map_err(|(_, error)| format!("it cannot be read as a zip file: {error}"))?;
        let places = directory(&zip, source.len(), &mut buffer)?;
        let mut unpacked = 0;
        let mut entries = Vec::with_capacity(places.len());
        let mut at = 0;
        for place in &places {
            if place.start != at {
                return Err(format!(
                    "there are bytes between its files, before {}: readers may see other files",
                    place.name
                ));
            }
            let range = span(&zip, place, &mut buffer)?;
            at = behind(place, range.1, &places, zip.directory_offset())?;
            let content = match place.is_stored {
                true => stored(source, place, range)?,
                false => inflated(source, place, range, &mut unpacked)?,
            };
            entries.push(Entry { name: place.name.clone(), content });
        }
        let archive = Self { entries };
        archive.check_type(places.first())?;
        Ok(archive)
    }

    /// The file of this name.
    pub(crate) fn get(&self, name: &str) -> Option<&SharedSource> {
        self.entries.iter().find(|entry| entry.name == name).map(|entry| &entry.content)
    }

    /// The bytes of a small file; nothing where there is none.
    ///
    /// # Errors
    /// When it has more than `most` bytes, or cannot be read.
    pub(crate) fn bytes(&self, name: &str, most: u64) -> Result<Option<Vec<u8>>, String> {
        let Some(content) = self.get(name) else { return Ok(None) };
        if content.len() > most {
            return Err(format!("{name} has {} bytes, at most {most} are read", content.len()));
        }
        let mut bytes = Vec::new();
        crate::pdf::copy_range(content.as_ref(), 0, content.len(), &mut bytes)
            .map_err(|error| format!("{name} cannot be read: {error}"))?;
        Ok(Some(bytes))
    }

    /// `mimetype` stands first, stored, and names the kind (EN 319 162-1, A.1).
    fn check_type(&self, first: Option<&Place>) -> Result<(), String> {
        let first = first.filter(|place| place.name == MIME_ENTRY && place.is_stored);
        if first.is_none() {
            return Err(format!("its first file is no stored {MIME_ENTRY}"));
        }
        let found = self.bytes(MIME_ENTRY, MIME_TYPE.len() as u64);
        if found.as_ref().is_ok_and(|found| found.as_deref() == Some(MIME_TYPE.as_bytes())) {
            return Ok(());
        }
        Err(format!("its {MIME_ENTRY} is not {MIME_TYPE}"))
    }
}

/// The entries by their place in the file.
fn directory(
    zip: &ZipArchive<Positioned>,
    len: u64,
    buffer: &mut [u8],
) -> Result<Vec<Place>, String> {
    if zip.end_offset() != len || zip.eocd_offset().checked_add(DIRECTORY_END) != Some(len) {
        return Err("there are bytes behind its directory: readers may see other files".into());
    }
    let mut places: Vec<Place> = Vec::new();
    let mut names = HashSet::new();
    let mut at = zip.directory_offset();
    let mut entries = zip.entries(buffer);
    let broken = |error| format!("its directory is broken: {error}");
    while let Some(entry) = entries.next_entry().map_err(broken)? {
        if places.len() == MAX_ENTRIES {
            return Err(format!("it has more than {MAX_ENTRIES} files"));
        }
        let name = plain(entry.file_path().as_bytes())?;
        if !names.insert(name.to_ascii_lowercase()) {
            return Err(format!("{name} stands twice, or differs only in its capitals"));
        }
        let method = entry.compression_method();
        let is_stored = method == CompressionMethod::STORE;
        if !is_stored && method != CompressionMethod::DEFLATE {
            return Err(format!("{name} is neither stored nor deflated"));
        }
        let flags = entry.flags();
        if flags.is_encrypted() || flags.has_strong_encryption() || flags.is_masked() {
            return Err(format!("{name} is encrypted"));
        }
        check_fields(&name, entry.extra_fields())?;
        let variable = entry.file_path().as_bytes().len()
            + entry.extra_fields().remaining_bytes().len()
            + entry.comment().as_bytes().len();
        at = at.saturating_add(DIRECTORY_ENTRY + variable as u64);
        places.push(Place {
            name,
            way: entry.wayfinder(),
            start: entry.local_header_offset(),
            is_stored,
            crc: entry.crc32(),
            size: entry.uncompressed_size_hint(),
            packed: entry.compressed_size_hint(),
            has_descriptor: flags.has_data_descriptor(),
        });
    }
    if at != zip.eocd_offset() || places.len() as u64 != zip.entries_hint() {
        return Err("its directory has another size than its end says".into());
    }
    places.sort_by_key(|place| place.start);
    Ok(places)
}

/// Fields that say once more, and perhaps differently, what a file is called or how large it is.
fn check_fields(name: &str, fields: ExtraFields<'_>) -> Result<(), String> {
    for (field, _) in fields {
        if field == ExtraFieldId::INFO_ZIP_UNICODE_PATH || field == ExtraFieldId::ZIP64 {
            return Err(format!("{name} has an extra field for its name or size"));
        }
    }
    Ok(())
}

fn plain(name: &[u8]) -> Result<String, String> {
    let text = std::str::from_utf8(name).ok().filter(|name| is_plain(name));
    text.map(str::to_owned).ok_or_else(|| {
        let shown: String = String::from_utf8_lossy(name).chars().take(60).collect();
        format!("the name {shown:?} is no plain relative path")
    })
}

/// Where the data lies, once the entry's own header agrees with the directory.
fn span(
    zip: &ZipArchive<Positioned>,
    place: &Place,
    buffer: &mut [u8],
) -> Result<(u64, u64), String> {
    let name = &place.name;
    let broken = |error| format!("{name} cannot be found: {error}");
    let entry = zip.get_entry(place.way).map_err(broken)?;
    let header = entry.local_header(buffer).map_err(broken)?;
    let method =
        if place.is_stored { CompressionMethod::STORE } else { CompressionMethod::DEFLATE };
    let has_sizes = !place.has_descriptor;
    let sizes = (header.compressed_size_hint(), header.uncompressed_size_hint(), header.crc32());
    if header.file_path().as_bytes() != name.as_bytes()
        || header.compression_method() != method
        || header.flags().has_data_descriptor() != place.has_descriptor
        || has_sizes && sizes != (place.packed, place.size, place.crc)
    {
        return Err(format!("{name} is described in two ways"));
    }
    check_fields(name, header.extra_fields())?;
    Ok(entry.compressed_data_range())
}

/// The offset behind an entry, with the sizes and the check sum that may follow it.
fn behind(place: &Place, end: u64, places: &[Place], directory: u64) -> Result<u64, String> {
    let starts = places.iter().map(|other| other.start);
    let next = starts.filter(|start| *start > place.start).min().unwrap_or(directory);
    let gap = next.checked_sub(end);
    let is_good = match place.has_descriptor {
        // Only compressed data tells where it ends.
        true => !place.is_stored && gap.is_some_and(|gap| DESCRIPTORS.contains(&gap)),
        false => gap == Some(0),
    };
    match is_good {
        true => Ok(next),
        false => Err(format!("other bytes than its own follow {}", place.name)),
    }
}

/// A stored file, read where it lies.
fn stored(source: &SharedSource, place: &Place, range: (u64, u64)) -> Result<SharedSource, String> {
    let name = &place.name;
    let (start, end) = range;
    if end.checked_sub(start) != Some(place.size) {
        return Err(format!("{name} has another size than its header says"));
    }
    let mut crc = Crc32::new();
    for_each_window(source.as_ref(), start, end, |window| {
        crc.update(window);
        Ok(())
    })
    .map_err(|error| format!("{name} cannot be read: {error}"))?;
    if crc.checksum() != place.crc {
        return Err(format!("{name} does not have its check sum"));
    }
    Ok(Arc::new(Slice { whole: source.clone(), start, len: place.size }))
}

/// A compressed file, unpacked into memory as far as there is room.
fn inflated(
    source: &SharedSource,
    place: &Place,
    range: (u64, u64),
    unpacked: &mut u64,
) -> Result<SharedSource, String> {
    let name = &place.name;
    let room = MAX_UNPACKED.saturating_sub(*unpacked);
    let too_large = || format!("its compressed files have more than {MAX_UNPACKED} bytes together");
    if place.size > room {
        return Err(too_large());
    }
    let (start, end) = range;
    let mut decoder = DeflateDecoder::new(RangeReader::new(source.clone(), start, end));
    let mut bytes = Vec::new();
    // One byte more than was said, so that a lie shows.
    let read = decoder.by_ref().take(place.size.saturating_add(1)).read_to_end(&mut bytes);
    read.map_err(|error| format!("{name} cannot be unpacked: {error}"))?;
    if bytes.len() as u64 != place.size || decoder.total_in() != end.saturating_sub(start) {
        return Err(format!("{name} has another size than its header says"));
    }
    if rawzip::crc32(&bytes) != place.crc {
        return Err(format!("{name} does not have its check sum"));
    }
    *unpacked += place.size;
    Ok(Arc::new(Bytes::from(bytes)))
}
