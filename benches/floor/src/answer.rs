//! Reads the answer as it arrives: socket, scanner, base64 window, file.

use std::fs::File;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::Simd;
use memchr::{memchr, memmem};

use crate::engine;
use crate::job::Fallible;

/// Bytes asked from the socket at a time.
const RECEIVE: usize = 256 * 1024;
const KEY: &[u8] = br#""convertedDocument":""#;

/// The windows of the answer, kept from call to call.
pub struct Answer {
    received: Vec<u8>,
    filled: usize,
    decoder: Decoder,
}

/// Takes the documents out of the answer. It knows only the compact JSON of the answer server.
struct Decoder {
    engine: Simd,
    plain: Vec<u8>,
    document: Option<File>,
    next: usize,
}

/// Body bytes already received after the head, and the length of the body.
struct Head {
    body_start: usize,
    length: usize,
}

impl Answer {
    pub fn new() -> Self {
        let plain = vec![0; RECEIVE / 4 * 3 + 64];
        let decoder = Decoder { engine: engine(), plain, document: None, next: 0 };
        Answer { received: vec![0; RECEIVE], filled: 0, decoder }
    }

    pub fn receive(&mut self, stream: &mut TcpStream, outputs: &[PathBuf]) -> Fallible<()> {
        self.decoder.next = 0;
        let head = self.head(stream)?;
        self.discard(head.body_start);
        let mut left = head.length - self.filled;
        loop {
            let body = self.received.get(..self.filled).unwrap_or_default();
            let used = self.decoder.feed(body, outputs)?;
            self.discard(used);
            if left == 0 {
                break;
            }
            left -= self.fill(stream, left)?;
        }
        self.filled = 0;
        if self.decoder.next != outputs.len() || self.decoder.document.is_some() {
            return Err(format!("{} documents in the answer", self.decoder.next).into());
        }
        Ok(())
    }

    /// Reads the answer and keeps nothing.
    pub fn drain(&mut self, stream: &mut TcpStream) -> Fallible<()> {
        let head = self.head(stream)?;
        let mut left = head.length - (self.filled - head.body_start);
        while left > 0 {
            self.filled = 0;
            left -= self.fill(stream, left)?;
        }
        self.filled = 0;
        Ok(())
    }

    fn head(&mut self, stream: &mut TcpStream) -> Fallible<Head> {
        self.filled = 0;
        let end = loop {
            self.fill(stream, RECEIVE)?;
            let received = self.received.get(..self.filled).unwrap_or_default();
            if let Some(end) = memmem::find(received, b"\r\n\r\n") {
                break end;
            }
        };
        let head = std::str::from_utf8(self.received.get(..end).unwrap_or_default())?;
        if !head.starts_with("HTTP/1.1 200") {
            return Err(format!("the answer is not 200: {head}").into());
        }
        let mut fields = head.lines().filter_map(|line| line.split_once(':'));
        let length = fields.find(|(name, _)| name.eq_ignore_ascii_case("content-length"));
        let length = length.ok_or("the answer has no content-length")?.1.trim().parse()?;
        Ok(Head { body_start: end + 4, length })
    }

    fn fill(&mut self, stream: &mut TcpStream, most: usize) -> Fallible<usize> {
        let end = RECEIVE.min(self.filled + most);
        let n = stream.read(self.received.get_mut(self.filled..end).unwrap_or_default())?;
        if n == 0 {
            return Err("the answer ends early".into());
        }
        self.filled += n;
        Ok(n)
    }

    fn discard(&mut self, used: usize) {
        self.received.copy_within(used..self.filled, 0);
        self.filled -= used;
    }
}

impl Decoder {
    /// Takes in as much of `body` as can be judged and says how much that was.
    fn feed(&mut self, body: &[u8], outputs: &[PathBuf]) -> Fallible<usize> {
        let mut rest = body;
        loop {
            let Some(document) = self.document.as_mut() else {
                let Some(at) = memmem::find(rest, KEY) else {
                    return Ok(body.len() - rest.len().min(KEY.len() - 1));
                };
                rest = rest.get(at + KEY.len()..).unwrap_or_default();
                let path = outputs.get(self.next).ok_or("too many documents in the answer")?;
                self.document = Some(File::create(path)?);
                self.next += 1;
                continue;
            };
            let quote = memchr(b'"', rest);
            let text = rest.get(..quote.unwrap_or(rest.len() / 4 * 4)).unwrap_or_default();
            let n = self.engine.decode_slice(text, &mut self.plain)?;
            document.write_all(self.plain.get(..n).unwrap_or_default())?;
            rest = rest.get(text.len()..).unwrap_or_default();
            if quote.is_none() {
                return Ok(body.len() - rest.len());
            }
            self.document = None;
        }
    }
}
