//! A tiny HTTP client on a plain socket: it shows exactly what came over the wire.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::indexing_slicing, missing_docs)]

pub mod csc;
pub mod flow;

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use signdoc_sandbox::{Environment, Sandbox};

/// How an exchange ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// The answer is complete.
    Complete,
    /// The stream ended before the announced length.
    Early,
    /// The connection was reset.
    Reset,
    /// Nothing more came in time.
    Silence,
}

#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// Everything that was read, head included.
    pub raw: Vec<u8>,
    pub ended: Ended,
}

impl Reply {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| {
            panic!("{error} in {} {}", self.status, self.text());
        })
    }
}

pub struct Connection(TcpStream);

impl Connection {
    pub fn open(base_url: &str) -> Self {
        let stream = TcpStream::connect(base_url.strip_prefix("http://").unwrap()).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(100))).unwrap();
        Self(stream)
    }

    pub fn patience(&self, time: Duration) {
        self.0.set_read_timeout(Some(time)).unwrap();
    }

    pub fn send(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.0.write_all(bytes)
    }

    pub fn request(
        &mut self,
        method: &str,
        target: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Reply {
        let mut head = format!("{method} {target} HTTP/1.1\r\nhost: sandbox\r\n");
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        if !body.is_empty() || method == "POST" {
            head.push_str(&format!("content-length: {}\r\n", body.len()));
        }
        head.push_str("\r\n");
        let sent = self.send(head.as_bytes()).and_then(|()| self.send(body));
        let mut reply = self.read();
        // a reset may already meet the writing, and reading then only sees the end
        if sent.is_err() && reply.raw.is_empty() {
            reply.ended = Ended::Reset;
        }
        reply
    }

    pub fn read(&mut self) -> Reply {
        let mut raw = Vec::new();
        let mut ended = None;
        let head_end = loop {
            if let Some(at) = raw.windows(4).position(|window| window == b"\r\n\r\n") {
                break Some(at + 4);
            }
            if let Some(end) = self.more(&mut raw) {
                ended = Some(end);
                break None;
            }
        };
        let Some(head_end) = head_end else {
            let ended = ended.unwrap();
            return Reply { status: 0, headers: Vec::new(), body: Vec::new(), raw, ended };
        };
        let head = String::from_utf8_lossy(&raw[..head_end]).into_owned();
        let mut lines = head.split("\r\n");
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let headers: Vec<(String, String)> = lines
            .filter_map(|line| line.split_once(": "))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
            .collect();
        let mut reply = Reply { status, headers, body: Vec::new(), raw, ended: Ended::Complete };
        if reply.header("transfer-encoding") == Some("chunked") {
            while !reply.raw.ends_with(b"0\r\n\r\n") {
                if let Some(end) = self.more(&mut reply.raw) {
                    reply.ended = end;
                    break;
                }
            }
            reply.body = unchunk(&reply.raw[head_end..]);
            return reply;
        }
        let length = reply.header("content-length").map_or(0, |text| text.parse().unwrap());
        while reply.raw.len() < head_end + length {
            if let Some(end) = self.more(&mut reply.raw) {
                reply.ended = end;
                break;
            }
        }
        reply.body = reply.raw[head_end..].to_vec();
        reply
    }

    fn more(&mut self, raw: &mut Vec<u8>) -> Option<Ended> {
        let mut buffer = vec![0; 256 * 1024];
        match self.0.read(&mut buffer) {
            Ok(0) => Some(Ended::Early),
            Ok(count) => {
                raw.extend_from_slice(&buffer[..count]);
                None
            }
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                Some(Ended::Silence)
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => None,
            Err(_) => Some(Ended::Reset),
        }
    }
}

fn unchunk(mut rest: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    while let Some(at) = rest.windows(2).position(|window| window == b"\r\n") {
        let size = usize::from_str_radix(std::str::from_utf8(&rest[..at]).unwrap(), 16).unwrap();
        if size == 0 {
            break;
        }
        body.extend_from_slice(&rest[at + 2..at + 2 + size]);
        rest = &rest[at + 4 + size..];
    }
    body
}

pub fn exchange(
    sandbox: &Sandbox,
    method: &str,
    target: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> Reply {
    Connection::open(sandbox.base_url()).request(method, target, headers, body)
}

pub fn get(sandbox: &Sandbox, target: &str) -> Reply {
    exchange(sandbox, "GET", target, &[], b"")
}

pub fn control(sandbox: &Sandbox, method: &str, path: &str, body: &Value) -> Reply {
    let text = if body.is_null() { String::new() } else { body.to_string() };
    let target = format!("/_sandbox/{path}");
    exchange(sandbox, method, &target, &[("content-type", "application/json")], text.as_bytes())
}

/// Chooses forms through the control surface; forms that are not named are the usual ones.
#[track_caller]
pub fn choose(sandbox: &Sandbox, variants: &Value) {
    sandbox.set_variants(signdoc_sandbox::Variants::default());
    let reply = control(sandbox, "POST", "variants", variants);
    assert_eq!(reply.status, 200, "{variants}: {}", reply.text());
}

pub const TOKEN_PATH: &str = "/auth/realms/sandbox/protocol/openid-connect/token";
pub const FORM: (&str, &str) = ("content-type", "application/x-www-form-urlencoded");
pub const JSON: (&str, &str) = ("content-type", "application/json");

pub fn basic(id: &str, secret: &str) -> String {
    format!("Basic {}", STANDARD.encode(format!("{id}:{secret}")))
}

pub fn token_with(sandbox: &Sandbox, body: &str) -> Reply {
    let credential = basic(sandbox.client_id(), sandbox.client_secret());
    let headers = [FORM, ("authorization", credential.as_str())];
    exchange(sandbox, "POST", TOKEN_PATH, &headers, body.as_bytes())
}

/// A token with the usual scope, as the value of an Authorization header.
pub fn bearer(sandbox: &Sandbox) -> String {
    let reply = token_with(sandbox, "grant_type=client_credentials&scope=signdoc%2Fread_write");
    assert_eq!(reply.status, 200, "{}", reply.text());
    format!("Bearer {}", reply.json()["access_token"].as_str().unwrap())
}

pub fn documents(pdfs: &[&[u8]]) -> String {
    let list: Vec<Value> =
        pdfs.iter().map(|pdf| json!({"pdfSpec": "PDFA_2B", "pdf": STANDARD.encode(pdf)})).collect();
    json!({ "documents": list }).to_string()
}

pub fn convert(sandbox: &Sandbox, body: &str) -> Reply {
    let bearer = bearer(sandbox);
    let headers = [JSON, ("authorization", bearer.as_str())];
    exchange(sandbox, "POST", "/signdoc/convert", &headers, body.as_bytes())
}

pub fn test_environment() -> Sandbox {
    Sandbox::builder().environment(Environment::Test).seed(Some(1)).start().unwrap()
}

pub fn production() -> Sandbox {
    Sandbox::builder().seed(Some(1)).start().unwrap()
}

/// The texts in a list of messages.
pub fn texts(value: &Value) -> Vec<String> {
    value.as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
}

/// Whether a converter is installed; prints why not, so that a test that needs one says so.
pub fn has_converter(sandbox: &Sandbox) -> bool {
    match sandbox.converter() {
        Ok(_) => true,
        Err(reason) => {
            println!("not tried: no converter: {reason}");
            false
        }
    }
}
