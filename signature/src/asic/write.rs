//! Writing a ZIP file of stored entries (APPNOTE.TXT 4.3), with sizes and check sums in front of
//! the data: Java's streams read no stored entry that is described behind it, which is the only
//! form that the library for reading writes.

use std::io::{self, Write};

use rawzip::Crc32;

use crate::pdf::{SharedSource, for_each_window};

/// 2.0, of MS-DOS: nothing but names, sizes and check sums.
const VERSION: u16 = 20;
/// 1 January 1980, midnight: no entry tells when it was made.
const NO_TIME: [u8; 4] = [0, 0, 0x21, 0];

pub(super) struct Member {
    pub(super) name: String,
    pub(super) content: SharedSource,
    pub(super) crc: u32,
}

pub(super) struct Zip<'a> {
    out: &'a mut dyn Write,
    at: u32,
    directory: Vec<u8>,
    count: u16,
}

fn too_large() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "the container would have more than 4 GiB")
}

impl<'a> Zip<'a> {
    pub(super) fn new(out: &'a mut dyn Write) -> Self {
        Self { out, at: 0, directory: Vec::new(), count: 0 }
    }

    pub(super) fn member(&mut self, member: &Member) -> io::Result<()> {
        let described = described(member)?;
        let start = self.at;
        self.write(b"PK\x03\x04")?;
        self.write(&described)?;
        self.write(member.name.as_bytes())?;
        let mut crc = Crc32::new();
        let len = member.content.len();
        for_each_window(member.content.as_ref(), 0, len, |window| {
            crc.update(window);
            self.write(window)
        })?;
        if crc.checksum() != member.crc {
            let why = format!("{} was changed meanwhile", member.name);
            return Err(io::Error::new(io::ErrorKind::InvalidData, why));
        }
        self.directory.extend_from_slice(b"PK\x01\x02");
        self.directory.extend_from_slice(&VERSION.to_le_bytes());
        self.directory.extend_from_slice(&described);
        // No comment, first disk, no attributes.
        self.directory.extend_from_slice(&[0; 10]);
        self.directory.extend_from_slice(&start.to_le_bytes());
        self.directory.extend_from_slice(member.name.as_bytes());
        self.count = self.count.checked_add(1).ok_or_else(too_large)?;
        Ok(())
    }

    pub(super) fn finish(mut self) -> io::Result<()> {
        let (start, count) = (self.at, self.count.to_le_bytes());
        let directory = std::mem::take(&mut self.directory);
        let len = u32::try_from(directory.len()).map_err(|_| too_large())?;
        self.write(&directory)?;
        self.write(b"PK\x05\x06\0\0\0\0")?;
        self.write(&count)?;
        self.write(&count)?;
        self.write(&len.to_le_bytes())?;
        self.write(&start.to_le_bytes())?;
        self.write(&[0, 0])
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let len = u32::try_from(bytes.len()).map_err(|_| too_large())?;
        self.at = self.at.checked_add(len).ok_or_else(too_large)?;
        self.out.write_all(bytes)
    }
}

/// What header and directory both say.
fn described(member: &Member) -> io::Result<Vec<u8>> {
    let size = u32::try_from(member.content.len()).map_err(|_| too_large())?.to_le_bytes();
    let name = u16::try_from(member.name.len()).map_err(|_| too_large())?;
    let mut out = VERSION.to_le_bytes().to_vec();
    // No flags, stored.
    out.extend_from_slice(&[0; 4]);
    out.extend_from_slice(&NO_TIME);
    out.extend_from_slice(&member.crc.to_le_bytes());
    out.extend_from_slice(&size);
    out.extend_from_slice(&size);
    out.extend_from_slice(&name.to_le_bytes());
    out.extend_from_slice(&[0; 2]);
    Ok(out)
}
