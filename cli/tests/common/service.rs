//! A service with one order whose download a test holds in its hands, byte for byte.
#![allow(dead_code, missing_docs)]
// Clippy's leave for tests does not reach what tests share.
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::Command;
use std::sync::{Arc, Condvar, Mutex};

use serde_json::{Value, json};

use super::{SECRET, program};

pub const ORDER: &str = "4120de56";

/// Closed until somebody opens it.
#[derive(Clone, Default)]
pub struct Gate(Arc<(Mutex<bool>, Condvar)>);

impl Gate {
    pub fn open(&self) {
        *self.0.0.lock().unwrap() = true;
        self.0.1.notify_all();
    }

    fn pass(&self) {
        let mut open = self.0.0.lock().unwrap();
        while !*open {
            open = self.0.1.wait(open).unwrap();
        }
    }
}

/// What the service does.
#[derive(Clone)]
pub struct Script {
    /// Status and body of the answer to the question for the state.
    pub state: (u16, String),
    /// The body of the download.
    pub answer: String,
    /// So many bytes of it come before the gate.
    pub first: usize,
    /// So many come at all, although more are announced.
    pub cut: Option<usize>,
    pub gate: Gate,
    /// The question for the state is not answered before the gate.
    pub holds_state: bool,
    pub on_delete: Arc<dyn Fn() + Send + Sync>,
}

impl Script {
    /// An order that is completed; nothing of its download comes before the gate.
    pub fn completed(answer: String) -> Self {
        Self {
            state: (200, json!({"orderState": "SIGN_COMPLETED"}).to_string()),
            answer,
            first: 0,
            cut: None,
            gate: Gate::default(),
            holds_state: false,
            on_delete: Arc::new(|| {}),
        }
    }

    pub fn start(self) -> Service {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (gate, first) = (self.gate.clone(), self.first as u64);
        let service = Service { address, seen: seen.clone(), gate, first };
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (script, seen, stream) = (self.clone(), seen.clone(), stream.unwrap());
                std::thread::spawn(move || serve(&script, address, &seen, stream));
            }
        });
        service
    }
}

pub struct Service {
    address: SocketAddr,
    seen: Arc<Mutex<Vec<String>>>,
    pub gate: Gate,
    /// So many bytes of the download come before the gate.
    pub first: u64,
}

impl Service {
    /// How often this was asked.
    pub fn seen(&self, method: &str) -> usize {
        self.seen.lock().unwrap().iter().filter(|one| *one == method).count()
    }

    /// The program, told how to reach it.
    pub fn client(&self, arguments: &[&str]) -> Command {
        let mut command = program(arguments);
        self.tell(&mut command);
        command
    }

    pub fn tell(&self, command: &mut Command) {
        command
            .env("SIGNDOC_ISSUER", format!("http://{}", self.address))
            .env("SIGNDOC_CLIENT_ID", "shop")
            .env("SIGNDOC_CLIENT_SECRET", SECRET)
            .env("SIGNDOC_MAX_RETRIES", "0");
    }
}

fn serve(
    script: &Script,
    address: SocketAddr,
    seen: &Mutex<Vec<String>>,
    mut stream: TcpStream,
) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let mut words = line.split_whitespace();
        let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
        let mut length = 0;
        loop {
            let mut header = String::new();
            reader.read_line(&mut header).ok()?;
            let Some((name, value)) = header.split_once(':') else { break };
            if name.eq_ignore_ascii_case("content-length") {
                length = value.trim().parse().unwrap();
            }
        }
        reader.read_exact(&mut vec![0; length]).ok()?;
        let path = target.split('?').next().unwrap().to_owned();
        let is_order = path.starts_with("/signdoc");
        if is_order {
            seen.lock().unwrap().push(method.clone());
        }
        let (status, body) = match (method.as_str(), is_order) {
            ("DELETE", true) => {
                (script.on_delete)();
                download(script, &mut stream)?;
                return None;
            }
            ("GET", true) => {
                if script.holds_state {
                    script.gate.pass();
                }
                script.state.clone()
            }
            ("POST", true) => (201, json!({"sign_id": ORDER}).to_string()),
            _ => provider(address, &path),
        };
        let length = body.len();
        write!(
            stream,
            "HTTP/1.1 {status} x\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
        )
        .ok()?;
    }
}

fn download(script: &Script, stream: &mut TcpStream) -> Option<()> {
    let body = script.answer.as_bytes();
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 200 x\r\ncontent-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
    )
    .ok()?;
    stream.write_all(&body[..script.first]).ok()?;
    stream.flush().ok()?;
    script.gate.pass();
    let end = script.cut.unwrap_or(length);
    stream.write_all(&body[script.first.min(end)..end]).ok()
}

fn provider(address: SocketAddr, path: &str) -> (u16, String) {
    let url = format!("http://{address}");
    match path {
        "/.well-known/openid-configuration" => (
            200,
            json!({
                "issuer": url,
                "token_endpoint": format!("{url}/token"),
                "authorization_endpoint": format!("{url}/authorize"),
                "jwks_uri": format!("{url}/keys"),
                "signdoc-baseurl": url,
            })
            .to_string(),
        ),
        "/token" => (
            200,
            json!({"access_token": "t", "token_type": "Bearer", "expires_in": 300}).to_string(),
        ),
        _ => (404, json!({"message": "nothing here"}).to_string()),
    }
}

/// PDFs, as far as anybody here looks, of these sizes.
pub fn of_sizes(sizes: &[usize]) -> Vec<Vec<u8>> {
    let pdf = |(at, size): (usize, &usize)| {
        let mut bytes = b"%PDF-".to_vec();
        bytes.extend((5..*size).map(|i| (i * 31 + at * 7) as u8));
        bytes
    };
    sizes.iter().enumerate().map(pdf).collect()
}

/// The answer to a download of these documents.
pub fn answer(documents: &[Vec<u8>]) -> String {
    let result = |(at, document): (usize, &Vec<u8>)| -> Value {
        json!({"padesSignedPdf": base64(document), "description": format!("Loan - {}", at + 1)})
    };
    let results: Vec<_> = documents.iter().enumerate().map(result).collect();
    json!({
        "signingResults": results,
        "signId": ORDER,
        "orderState": "SIGN_COMPLETED",
        "orderName": "Loan",
    })
    .to_string()
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let of = |at: usize| u32::from(three.get(at).copied().unwrap_or(0));
        let number = of(0) << 16 | of(1) << 8 | of(2);
        for digit in 0..4 {
            match digit <= three.len() {
                true => text.push(DIGITS[(number >> (18 - 6 * digit) & 63) as usize].into()),
                false => text.push('='),
            }
        }
    }
    text
}
