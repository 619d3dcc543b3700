//! One connection: requests in, ready answers out.

use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use memchr::memmem;

use crate::Fallible;

const RECEIVE: usize = 256 * 1024;
/// The token the token endpoint hands out and the conversion endpoint asks for.
const TOKEN: &str = "bench-token";
/// Stands once in each document of a request, and base64 has no quotes: counting it is counting
/// the documents.
const KEY: &[u8] = b"\"pdfSpec\"";

/// What all connections share.
pub struct Server {
    base: String,
    answers: Vec<Vec<u8>>,
    keep: Option<PathBuf>,
    kept: AtomicUsize,
}

struct Head {
    method: String,
    path: String,
    length: usize,
    authorized: bool,
    expects: bool,
}

struct Connection<S> {
    stream: S,
    buffer: Vec<u8>,
    filled: usize,
}

impl Server {
    pub fn new(base: String, answers: Vec<Vec<u8>>, keep: Option<PathBuf>) -> Self {
        Server { base, answers, keep, kept: AtomicUsize::new(0) }
    }

    pub fn serve(&self, stream: impl Read + Write) -> Fallible<()> {
        let mut connection = Connection { stream, buffer: vec![0; RECEIVE], filled: 0 };
        while let Some(head) = connection.head()? {
            if head.expects {
                connection.stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
            }
            let convert = head.method == "POST" && head.path == "/signdoc/convert";
            let documents = connection.body(head.length, self.sink(convert)?)?;
            if !convert {
                let (status, body) = self.small(&head);
                connection.answer(status, &[body.as_bytes()])?;
            } else if !head.authorized {
                connection.answer("403 Forbidden", &[b"\"access token invalid or missing\""])?;
            } else {
                self.converted(&mut connection, documents)?;
            }
        }
        Ok(())
    }

    fn sink(&self, convert: bool) -> Fallible<Option<File>> {
        let Some(keep) = self.keep.as_ref().filter(|_| convert) else { return Ok(None) };
        let number = self.kept.fetch_add(1, Ordering::Relaxed);
        Ok(Some(File::create(keep.join(format!("request-{number}.json")))?))
    }

    fn converted<S: Read + Write>(
        &self,
        connection: &mut Connection<S>,
        documents: usize,
    ) -> Fallible<()> {
        let Some(answers) = self.answers.get(..documents).filter(|answers| !answers.is_empty())
        else {
            let text = format!("\"{documents} documents, {} answers\"", self.answers.len());
            return connection.answer("400 Bad Request", &[text.as_bytes()]);
        };
        let mut parts: Vec<&[u8]> = Vec::with_capacity(answers.len() * 2 + 1);
        for (index, answer) in answers.iter().enumerate() {
            parts.push(if index == 0 { b"[" } else { b"," });
            parts.push(answer);
        }
        parts.push(b"]");
        connection.answer("200 OK", &parts)
    }

    /// Everything that is not a conversion: discovery, token, keys, specs.
    fn small(&self, head: &Head) -> (&'static str, String) {
        let base = &self.base;
        let body = match (head.method.as_str(), head.path.as_str()) {
            ("GET", "/.well-known/openid-configuration") => format!(
                "{{\"issuer\":\"{base}\",\"authorization_endpoint\":\"{base}/authorize\",\
                 \"token_endpoint\":\"{base}/token\",\"jwks_uri\":\"{base}/jwks\",\
                 \"signdoc-baseurl\":\"{base}\"}}"
            ),
            ("POST", "/token") => format!(
                "{{\"access_token\":\"{TOKEN}\",\"token_type\":\"Bearer\",\"expires_in\":3600,\
                 \"scope\":\"signdoc/read_write\"}}"
            ),
            ("GET", "/jwks") => "{\"keys\":[]}".into(),
            ("GET", "/signdoc/convert/pdf/specs") => "{\"pdfSpecs\":\"PDFA_2B\"}".into(),
            _ => return ("404 Not Found", "\"not found\"".into()),
        };
        ("200 OK", body)
    }
}

impl<S: Read + Write> Connection<S> {
    /// The next request head; `None` when the client has closed the connection.
    fn head(&mut self) -> Fallible<Option<Head>> {
        loop {
            let received = self.buffer.get(..self.filled).unwrap_or_default();
            if let Some(end) = memmem::find(received, b"\r\n\r\n") {
                let head = parse(std::str::from_utf8(received.get(..end).unwrap_or_default())?)?;
                self.buffer.copy_within(end + 4..self.filled, 0);
                self.filled -= end + 4;
                return Ok(Some(head));
            }
            let n = match self.stream.read(self.buffer.get_mut(self.filled..).unwrap_or_default()) {
                // Not every client says goodbye in TLS before it closes.
                Err(error) if error.kind() == ErrorKind::UnexpectedEof => 0,
                read => read?,
            };
            if n == 0 {
                return Ok(None);
            }
            self.filled += n;
        }
    }

    /// Reads the body to its end and counts the documents in it.
    fn body(&mut self, length: usize, mut sink: Option<File>) -> Fallible<usize> {
        let mut left = length.checked_sub(self.filled).ok_or("bytes after the request")?;
        let (mut documents, mut carried) = (0, 0);
        loop {
            let received = self.buffer.get(..self.filled).unwrap_or_default();
            if let Some(file) = sink.as_mut() {
                file.write_all(received.get(carried..).unwrap_or_default())?;
            }
            documents += memmem::find_iter(received, KEY).count();
            if left == 0 {
                self.filled = 0;
                return Ok(documents);
            }
            // The key may lie across two reads: its length less one is looked at again.
            carried = self.filled.min(KEY.len() - 1);
            self.buffer.copy_within(self.filled - carried..self.filled, 0);
            let end = RECEIVE.min(carried + left);
            let n = self.stream.read(self.buffer.get_mut(carried..end).unwrap_or_default())?;
            if n == 0 {
                return Err("the request ends early".into());
            }
            left -= n;
            self.filled = carried + n;
        }
    }

    fn answer(&mut self, status: &str, parts: &[&[u8]]) -> Fallible<()> {
        let length: usize = parts.iter().map(|part| part.len()).sum();
        let mut start = format!(
            "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
        )
        .into_bytes();
        // Small parts travel with the next large one instead of in packets of their own.
        for part in parts {
            if part.len() < RECEIVE {
                start.extend_from_slice(part);
                continue;
            }
            self.stream.write_all(&start)?;
            start.clear();
            self.stream.write_all(part)?;
        }
        self.stream.write_all(&start)?;
        Ok(self.stream.flush()?)
    }
}

fn parse(head: &str) -> Fallible<Head> {
    let mut lines = head.lines();
    let mut request = lines.next().unwrap_or_default().split(' ').map(str::to_owned);
    let (method, path) = (request.next().unwrap_or_default(), request.next().unwrap_or_default());
    let mut parsed = Head { method, path, length: 0, authorized: false, expects: false };
    for (name, value) in lines.filter_map(|line| line.split_once(':')) {
        let value = value.trim();
        match name.to_ascii_lowercase().as_str() {
            "content-length" => parsed.length = value.parse()?,
            "authorization" => parsed.authorized = value.strip_prefix("Bearer ") == Some(TOKEN),
            "expect" => parsed.expects = value.eq_ignore_ascii_case("100-continue"),
            "transfer-encoding" => return Err("a chunked request is not read here".into()),
            _ => {}
        }
    }
    Ok(parsed)
}
