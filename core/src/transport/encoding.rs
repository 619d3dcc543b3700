//! Content codings (RFC 9110 section 8.4.1). This client asks for none; what comes encoded all the
//! same is decoded piece by piece, so that a small answer cannot become a large one unnoticed.

use std::io::{self, Write};

use bytes::Bytes;
use flate2::write::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};

/// Encoded bytes that are decoded at a time: deflate makes at most 1032 bytes of one.
const STEP: usize = 256;

/// How an answer's body is encoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Coding {
    /// Not at all.
    Identity,
    Gzip,
    Deflate,
    /// In a way that cannot be undone here.
    Other(String),
}

impl Coding {
    /// The coding that a `Content-Encoding` header names.
    pub(crate) fn named(text: &str) -> Self {
        match text.trim().to_ascii_lowercase().as_str() {
            "" | "identity" => Self::Identity,
            "gzip" | "x-gzip" => Self::Gzip,
            "deflate" => Self::Deflate,
            other => Self::Other(other.chars().take(40).collect()),
        }
    }

    /// The name of a coding that is one.
    pub(crate) fn name(&self) -> Option<&str> {
        match self {
            Self::Identity => None,
            Self::Gzip => Some("gzip"),
            Self::Deflate => Some("deflate"),
            Self::Other(name) => Some(name),
        }
    }

    /// What the first bytes of a JSON answer tell of its coding: JSON begins with none of these.
    pub(crate) fn of_bytes(first: &[u8]) -> Self {
        match first {
            [0x1f, 0x8b, ..] => Self::Gzip,
            [first, second, ..] if is_zlib(*first, *second) => Self::Deflate,
            _ => Self::Identity,
        }
    }
}

/// RFC 1950 section 2.2: the method is deflate, and both bytes are a multiple of 31.
fn is_zlib(first: u8, second: u8) -> bool {
    first & 0x0f == 8 && first >> 4 <= 7 && (u16::from(first) << 8 | u16::from(second)) % 31 == 0
}

enum Stream {
    Gzip(MultiGzDecoder<Vec<u8>>),
    Zlib(ZlibDecoder<Vec<u8>>),
    Raw(DeflateDecoder<Vec<u8>>),
}

impl Stream {
    fn feed(&mut self, bytes: &[u8]) -> io::Result<Vec<u8>> {
        match self {
            Self::Gzip(stream) => {
                stream.write_all(bytes).map(|()| std::mem::take(stream.get_mut()))
            }
            Self::Zlib(stream) => {
                stream.write_all(bytes).map(|()| std::mem::take(stream.get_mut()))
            }
            Self::Raw(stream) => stream.write_all(bytes).map(|()| std::mem::take(stream.get_mut())),
        }
    }

    fn finish(self) -> io::Result<Vec<u8>> {
        match self {
            Self::Gzip(stream) => stream.finish(),
            Self::Zlib(stream) => stream.finish(),
            Self::Raw(stream) => stream.finish(),
        }
    }
}

/// Decodes a body as it comes.
pub(crate) struct Decoder {
    coding: Coding,
    stream: Option<Stream>,
    /// Bytes that have come and are not decoded yet.
    waiting: Bytes,
}

impl Decoder {
    /// A decoder for `coding`; `None` where there is nothing to decode.
    pub(crate) fn new(coding: Coding) -> Option<Self> {
        let decodes = matches!(coding, Coding::Gzip | Coding::Deflate);
        decodes.then(|| Self { coding, stream: None, waiting: Bytes::new() })
    }

    /// Takes the next bytes of the body.
    pub(crate) fn feed(&mut self, bytes: Bytes) {
        self.waiting = match self.waiting.is_empty() {
            true => bytes,
            false => [&self.waiting[..], &bytes].concat().into(),
        };
    }

    /// The next decoded bytes; `None` when more must come first.
    ///
    /// # Errors
    /// When the bytes are not of this coding.
    pub(crate) fn next(&mut self) -> io::Result<Option<Bytes>> {
        while !self.waiting.is_empty() {
            if self.stream.is_none() && self.coding == Coding::Deflate && self.waiting.len() < 2 {
                return Ok(None);
            }
            let part = self.waiting.split_to(self.waiting.len().min(STEP));
            let coding = &self.coding;
            let stream = self.stream.get_or_insert_with(|| stream(coding, &part));
            let decoded = stream.feed(&part)?;
            if !decoded.is_empty() {
                return Ok(Some(decoded.into()));
            }
        }
        Ok(None)
    }

    /// What is left when the body has ended.
    ///
    /// # Errors
    /// When it ended too early.
    pub(crate) fn finish(&mut self) -> io::Result<Bytes> {
        let rest = std::mem::take(&mut self.waiting);
        if self.stream.is_none() && !rest.is_empty() {
            self.stream = Some(stream(&self.coding, &rest));
        }
        let Some(mut stream) = self.stream.take() else { return Ok(Bytes::new()) };
        let mut decoded = stream.feed(&rest)?;
        decoded.extend(stream.finish()?);
        Ok(decoded.into())
    }
}

/// Some servers send bare deflate (RFC 1951) under the name of what RFC 1950 wraps around it.
fn stream(coding: &Coding, first: &[u8]) -> Stream {
    match (coding, first) {
        (Coding::Deflate, [a, b, ..]) if is_zlib(*a, *b) => {
            Stream::Zlib(ZlibDecoder::new(Vec::new()))
        }
        (Coding::Deflate, _) => Stream::Raw(DeflateDecoder::new(Vec::new())),
        _ => Stream::Gzip(MultiGzDecoder::new(Vec::new())),
    }
}

#[cfg(test)]
mod tests {
    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};

    use super::*;

    fn encoded(text: &[u8]) -> Vec<(Coding, Vec<u8>)> {
        let level = Compression::best();
        let mut gzip = GzEncoder::new(Vec::new(), level);
        gzip.write_all(text).unwrap();
        let mut zlib = ZlibEncoder::new(Vec::new(), level);
        zlib.write_all(text).unwrap();
        let mut raw = DeflateEncoder::new(Vec::new(), level);
        raw.write_all(text).unwrap();
        vec![
            (Coding::Gzip, gzip.finish().unwrap()),
            (Coding::Deflate, zlib.finish().unwrap()),
            (Coding::Deflate, raw.finish().unwrap()),
        ]
    }

    fn decoded(coding: &Coding, bytes: &[u8], step: usize) -> io::Result<Vec<u8>> {
        let mut decoder = Decoder::new(coding.clone()).unwrap();
        let mut out = Vec::new();
        for part in bytes.chunks(step) {
            decoder.feed(Bytes::copy_from_slice(part));
            while let Some(piece) = decoder.next()? {
                assert!(piece.len() <= 1024 * 1024, "{} bytes at once", piece.len());
                out.extend_from_slice(&piece);
            }
        }
        out.extend_from_slice(&decoder.finish()?);
        Ok(out)
    }

    #[test]
    fn each_coding_is_undone_however_it_is_cut() {
        let text: Vec<u8> = (0..40_000_u32).flat_map(|i| (i * i).to_le_bytes()).collect();
        for (coding, bytes) in encoded(&text) {
            for step in [1, 7, 1000, bytes.len()] {
                assert!(decoded(&coding, &bytes, step).unwrap() == text, "{coding:?} by {step}");
            }
        }
    }

    #[test]
    fn what_grows_comes_in_small_pieces() {
        for (coding, bytes) in encoded(&vec![b'x'; 30_000_000]) {
            assert_eq!(decoded(&coding, &bytes, bytes.len()).unwrap().len(), 30_000_000);
        }
    }

    #[test]
    fn codings_are_known_by_name_and_by_their_first_bytes() {
        for (name, coding) in [
            ("", Coding::Identity),
            (" GZIP ", Coding::Gzip),
            ("x-gzip", Coding::Gzip),
            ("deflate", Coding::Deflate),
            ("br", Coding::Other("br".to_owned())),
        ] {
            assert_eq!(Coding::named(name), coding);
        }
        let all = encoded(b"{}");
        assert_eq!(Coding::of_bytes(&all[0].1), Coding::Gzip);
        assert_eq!(Coding::of_bytes(&all[1].1), Coding::Deflate);
        for json in [&b"{\"a\":1}"[..], b"[", b"\"", b" {", b"\xef\xbb\xbf{", b""] {
            assert_eq!(Coding::of_bytes(json), Coding::Identity);
        }
    }

    #[test]
    fn a_damaged_body_is_an_error() {
        for (coding, bytes) in encoded(b"some text that is long enough") {
            let cut = &bytes[..bytes.len() - 9];
            assert!(decoded(&coding, cut, 5).map_or(true, |text| text.len() < 29), "{coding:?}");
        }
        assert!(decoded(&Coding::Gzip, b"this is no gzip", 4).is_err());
    }
}
