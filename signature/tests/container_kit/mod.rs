//! ZIP files written by hand, so that tests can make wrong ones.
#![allow(dead_code, clippy::unwrap_used, reason = "test code; each test file uses some of it")]

use std::io::Write;

/// One entry, and what is wrong with it.
#[derive(Clone)]
pub struct Entry {
    pub name: Vec<u8>,
    /// The name in the header before the data.
    pub local_name: Option<Vec<u8>>,
    pub data: Vec<u8>,
    pub is_deflated: bool,
    pub flags: u16,
    pub extra: Vec<u8>,
    /// The size that is said.
    pub size: Option<u32>,
    pub crc: Option<u32>,
    /// Bytes in front of it.
    pub before: Vec<u8>,
}

pub fn entry(name: &str, data: &[u8]) -> Entry {
    Entry {
        name: name.into(),
        local_name: None,
        data: data.to_vec(),
        is_deflated: false,
        flags: 0,
        extra: Vec::new(),
        size: None,
        crc: None,
        before: Vec::new(),
    }
}

impl Entry {
    pub fn deflated(mut self) -> Self {
        self.is_deflated = true;
        self
    }

    fn packed(&self) -> Vec<u8> {
        if !self.is_deflated {
            return self.data.clone();
        }
        let mut encoder =
            flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(&self.data).unwrap();
        encoder.finish().unwrap()
    }

    fn described(&self, packed: usize, name: usize) -> Vec<u8> {
        let mut out = vec![20, 0];
        out.extend(self.flags.to_le_bytes());
        out.extend([if self.is_deflated { 8 } else { 0 }, 0, 0, 0, 0x21, 0]);
        out.extend(self.crc.unwrap_or_else(|| rawzip::crc32(&self.data)).to_le_bytes());
        out.extend(u32::try_from(packed).unwrap().to_le_bytes());
        out.extend(self.size.unwrap_or(self.data.len() as u32).to_le_bytes());
        out.extend((name as u16).to_le_bytes());
        out.extend((self.extra.len() as u16).to_le_bytes());
        out
    }
}

/// A ZIP file of these entries, with bytes before the directory and behind its end.
pub fn zip_around(entries: &[Entry], gap: &[u8], tail: &[u8]) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for entry in entries {
        out.extend(&entry.before);
        let start = out.len() as u32;
        let packed = entry.packed();
        let local = entry.local_name.as_ref().unwrap_or(&entry.name);
        out.extend(b"PK\x03\x04");
        out.extend(entry.described(packed.len(), local.len()));
        out.extend(local);
        out.extend(&entry.extra);
        out.extend(&packed);
        if entry.flags & 8 != 0 {
            out.extend(b"PK\x07\x08");
            out.extend(rawzip::crc32(&entry.data).to_le_bytes());
            out.extend((packed.len() as u32).to_le_bytes());
            out.extend((entry.data.len() as u32).to_le_bytes());
        }
        directory.extend(b"PK\x01\x02\x14\0");
        directory.extend(entry.described(packed.len(), entry.name.len()));
        directory.extend([0; 10]);
        directory.extend(start.to_le_bytes());
        directory.extend(&entry.name);
        directory.extend(&entry.extra);
    }
    out.extend(gap);
    let start = out.len() as u32;
    out.extend(&directory);
    out.extend(b"PK\x05\x06\0\0\0\0");
    let count = (entries.len() as u16).to_le_bytes();
    out.extend(count);
    out.extend(count);
    out.extend((directory.len() as u32).to_le_bytes());
    out.extend(start.to_le_bytes());
    out.extend([0, 0]);
    out.extend(tail);
    out
}

pub fn zip(entries: &[Entry]) -> Vec<u8> {
    zip_around(entries, &[], &[])
}

/// The entries of a good container, to be changed.
pub fn entries_of(container: &[u8]) -> Vec<Entry> {
    let archive = rawzip::ZipArchive::from_slice(container).unwrap();
    let mut entries = Vec::new();
    let mut all = archive.entries();
    while let Some(found) = all.next_entry().unwrap() {
        let name = std::str::from_utf8(found.file_path().as_bytes()).unwrap().to_owned();
        let data = archive.get_entry(found.wayfinder()).unwrap().data().to_vec();
        entries.push(entry(&name, &data));
    }
    entries
}
