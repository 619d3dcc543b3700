//! Writing small PDF files (ISO 32000-1), with a plain cross-reference table.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;

/// A PDF file under construction. Objects are numbered from 1 in the order they are added.
#[derive(Debug, Default)]
pub(crate) struct File {
    objects: Vec<Vec<u8>>,
    wanted_length: usize,
}

impl File {
    /// Adds an object and returns its number.
    pub(crate) fn add(&mut self, body: impl Into<Vec<u8>>) -> usize {
        self.objects.push(body.into());
        self.objects.len()
    }

    /// Takes a number for an object that is given later.
    pub(crate) fn reserve(&mut self) -> usize {
        self.add("null")
    }

    /// Gives a reserved object its content.
    pub(crate) fn set(&mut self, number: usize, body: impl Into<Vec<u8>>) {
        if let Some(slot) = number.checked_sub(1).and_then(|index| self.objects.get_mut(index)) {
            *slot = body.into();
        }
    }

    /// Adds a stream as it is; `entries` are those of its dictionary besides the length.
    pub(crate) fn stream(&mut self, entries: &str, data: &[u8]) -> usize {
        let mut body = format!("<< {entries} /Length {} >>\nstream\n", data.len()).into_bytes();
        body.extend_from_slice(data);
        body.extend_from_slice(b"\nendstream");
        self.add(body)
    }

    /// Adds a stream packed with Flate.
    pub(crate) fn packed(&mut self, entries: &str, data: &[u8]) -> usize {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
        // writing to memory does not fail
        let packed = encoder.write_all(data).and_then(|()| encoder.finish()).unwrap_or_default();
        self.stream(&format!("{entries} /Filter /FlateDecode"), &packed)
    }

    /// Lengthens the finished file to this many bytes.
    pub(crate) fn pad_to(&mut self, length: usize) {
        self.wanted_length = length;
    }

    /// The whole file, with `root` as its catalog.
    pub(crate) fn finish(&self, root: usize) -> Vec<u8> {
        let mut out = self.written(root, 0);
        let mut padding = 0;
        // longer offsets lengthen the file too, so once may not be enough
        while out.len() < self.wanted_length {
            padding += self.wanted_length - out.len();
            out = self.written(root, padding);
        }
        out
    }

    fn written(&self, root: usize, padding: usize) -> Vec<u8> {
        let mut out = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3".to_vec();
        // the second line is a comment, as long as it needs to be
        out.extend(std::iter::repeat_n(b' ', padding));
        out.push(b'\n');
        let mut table = b"0000000000 65535 f \n".to_vec();
        for (number, body) in (1..).zip(&self.objects) {
            table.extend_from_slice(format!("{:010} 00000 n \n", out.len()).as_bytes());
            out.extend_from_slice(format!("{number} 0 obj\n").as_bytes());
            out.extend_from_slice(body);
            out.extend_from_slice(b"\nendobj\n");
        }
        let start = out.len();
        let size = self.objects.len() + 1;
        out.extend_from_slice(format!("xref\n0 {size}\n").as_bytes());
        out.extend_from_slice(&table);
        out.extend_from_slice(
            format!(
                "trailer\n<< /Size {size} /Root {root} 0 R \
                 /ID [<00112233445566778899aabbccddeeff> <00112233445566778899aabbccddeeff>] >>\n\
                 startxref\n{start}\n%%EOF\n"
            )
            .as_bytes(),
        );
        out
    }
}
