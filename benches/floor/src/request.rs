//! Sends the conversion request: file window, base64 window, socket.

use std::fs::File;
use std::io::{Read, Write};
use std::net::TcpStream;

use base64::Engine as _;
use base64::engine::Simd;

use crate::engine;
use crate::job::{Fallible, Job};

/// Bytes read from a file at a time: a multiple of 3, so that only the last window is padded.
pub const RAW: usize = 96 * 1024;
const TEXT: usize = RAW / 3 * 4;
/// Room for the head and the JSON around the documents.
const FRAMING: usize = 4096;

pub const OPEN: &[u8] = br#"{"documents":["#;
pub const BEFORE: &[u8] = br#"{"pdfSpec":"PDFA_2B","pdf":""#;
pub const AFTER: &[u8] = br#""}"#;
pub const CLOSE: &[u8] = b"]}";

fn host(url: &str) -> Fallible<&str> {
    let rest = url.strip_prefix("http://").ok_or("only http addresses are known here")?;
    Ok(rest.trim_end_matches('/'))
}

pub fn connect(url: &str) -> Fallible<TcpStream> {
    let stream = TcpStream::connect(host(url)?)?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// Opens the documents and adds up the length of the body they make.
pub fn open(job: &Job) -> Fallible<(Vec<(File, usize)>, usize)> {
    let mut files = Vec::with_capacity(job.files.len());
    let mut length = OPEN.len() + CLOSE.len() + job.files.len() - 1;
    for path in &job.files {
        let file = File::open(path)?;
        let size = usize::try_from(file.metadata()?.len())?;
        length += BEFORE.len() + size.div_ceil(3) * 4 + AFTER.len();
        files.push((file, size));
    }
    Ok((files, length))
}

pub fn head(job: &Job, length: usize) -> Fallible<String> {
    let (host, token) = (host(&job.url)?, &job.token);
    Ok(format!(
        "POST /signdoc/convert HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n\
         Content-Type: application/json\r\nAccept: application/json\r\n\
         Content-Length: {length}\r\n\r\n"
    ))
}

/// The windows of the request, kept from call to call.
pub struct Upload {
    engine: Simd,
    raw: Vec<u8>,
    text: Vec<u8>,
    filled: usize,
}

impl Upload {
    pub fn new() -> Self {
        Upload { engine: engine(), raw: vec![0; RAW], text: vec![0; TEXT + FRAMING], filled: 0 }
    }

    pub fn send(&mut self, stream: &mut TcpStream, job: &Job) -> Fallible<()> {
        let (files, length) = open(job)?;
        self.put(stream, head(job, length)?.as_bytes())?;
        self.put(stream, OPEN)?;
        for (index, (file, size)) in files.into_iter().enumerate() {
            if index > 0 {
                self.put(stream, b",")?;
            }
            self.put(stream, BEFORE)?;
            self.document(stream, file, size)?;
            self.put(stream, AFTER)?;
        }
        self.put(stream, CLOSE)?;
        self.flush(stream)
    }

    fn document(&mut self, stream: &mut TcpStream, mut file: File, size: usize) -> Fallible<()> {
        let mut left = size;
        while left > 0 {
            let window = self.raw.get_mut(..left.min(RAW)).unwrap_or_default();
            file.read_exact(window)?;
            left -= window.len();
            if self.text.len() - self.filled < TEXT {
                stream.write_all(self.text.get(..self.filled).unwrap_or_default())?;
                self.filled = 0;
            }
            let room = self.text.get_mut(self.filled..).unwrap_or_default();
            self.filled += self.engine.encode_slice(window, room)?;
        }
        Ok(())
    }

    fn put(&mut self, stream: &mut TcpStream, bytes: &[u8]) -> Fallible<()> {
        if self.text.len() - self.filled < bytes.len() {
            self.flush(stream)?;
        }
        let room = self.text.get_mut(self.filled..self.filled + bytes.len());
        room.ok_or("the framing does not fit its window")?.copy_from_slice(bytes);
        self.filled += bytes.len();
        Ok(())
    }

    fn flush(&mut self, stream: &mut TcpStream) -> Fallible<()> {
        stream.write_all(self.text.get(..self.filled).unwrap_or_default())?;
        self.filled = 0;
        Ok(())
    }
}
