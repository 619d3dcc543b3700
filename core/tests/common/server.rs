//! A tiny scripted HTTP server, one thread per connection: it records what it is asked, and
//! answers, or breaks off, byte for byte as a test says.
#![allow(dead_code, missing_docs)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use signdoc::{Client, Config, ConfigBuilder};

/// A request as it came.
#[derive(Clone, Debug)]
pub struct Seen {
    /// Which connection it came on, from 0.
    pub connection: usize,
    pub method: String,
    /// Path and query.
    pub target: String,
    /// By lower-case name.
    pub headers: BTreeMap<String, String>,
    pub body: Vec<u8>,
}

impl Seen {
    pub fn is(&self, method: &str, path: &str) -> bool {
        self.method == method && self.target.split('?').next() == Some(path)
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    pub fn form(&self) -> BTreeMap<String, String> {
        url::form_urlencoded::parse(&self.body).into_owned().collect()
    }

    pub fn query(&self) -> BTreeMap<String, String> {
        let query = self.target.split_once('?').map_or("", |(_, query)| query);
        url::form_urlencoded::parse(query.as_bytes()).into_owned().collect()
    }
}

/// What happens to the connection after the bytes of a reply.
#[derive(Clone, Copy, Debug)]
pub enum Then {
    KeepOpen,
    Close,
    /// RST instead of FIN.
    Reset,
    /// Nothing for so long, then close.
    Stall(Duration),
}

/// Bytes that come later.
#[derive(Clone)]
pub struct Rest(Arc<dyn Fn() -> Vec<u8> + Send + Sync>);

impl std::fmt::Debug for Rest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Rest")
    }
}

#[derive(Clone, Debug)]
pub struct Reply {
    pub bytes: Vec<u8>,
    pub rest: Option<Rest>,
    pub then: Then,
}

impl Reply {
    pub fn new(status: u16, kind: &str, headers: &[(&str, &str)], body: &[u8]) -> Self {
        let date = httpdate::fmt_http_date(SystemTime::now());
        let mut head = format!(
            "HTTP/1.1 {status} x\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n",
            body.len()
        );
        if !headers.iter().any(|(name, _)| *name == "date") {
            head.push_str(&format!("date: {date}\r\n"));
        }
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str("\r\n");
        let mut bytes = head.into_bytes();
        bytes.extend_from_slice(body);
        Self { bytes, rest: None, then: Then::KeepOpen }
    }

    /// After these bytes, those that `rest` gives, which may take its time.
    pub fn then(mut self, rest: impl Fn() -> Vec<u8> + Send + Sync + 'static) -> Self {
        self.rest = Some(Rest(Arc::new(rest)));
        self
    }

    pub fn json(status: u16, body: impl ToString) -> Self {
        Self::new(status, "application/json", &[], body.to_string().as_bytes())
    }

    pub fn text(status: u16, body: &str) -> Self {
        Self::new(status, "text/plain", &[], body.as_bytes())
    }

    pub fn html(status: u16) -> Self {
        let page = b"<html><head><title>Gateway</title></head></html>";
        Self::new(status, "text/html", &[], page)
    }

    /// Nothing is answered.
    pub fn nothing(then: Then) -> Self {
        Self { bytes: Vec::new(), rest: None, then }
    }

    /// A body without its length, ended by the end of the connection.
    pub fn until_close(body: &[u8]) -> Self {
        let mut bytes = b"HTTP/1.1 200 x\r\ncontent-type: application/json\r\n\r\n".to_vec();
        bytes.extend_from_slice(body);
        Self { bytes, rest: None, then: Then::Close }
    }

    /// The last one on its connection, and saying so.
    fn last(mut self) -> Self {
        if let (Then::KeepOpen, Some(at)) = (self.then, self.bytes.iter().position(|b| *b == b'\n'))
        {
            self.bytes.splice(at + 1..at + 1, *b"connection: close\r\n");
            self.then = Then::Close;
        }
        self
    }

    /// Only so many bytes of the body, although the head promises more.
    pub fn cut(mut self, body_bytes: usize, then: Then) -> Self {
        let head = self.bytes.windows(4).position(|w| w == b"\r\n\r\n").unwrap() + 4;
        self.bytes.truncate(head + body_bytes);
        self.then = then;
        self
    }
}

type Handler = Box<dyn FnMut(&Seen) -> Option<Reply> + Send>;

struct Shared {
    handler: Mutex<Handler>,
    seen: Mutex<Vec<Seen>>,
    tokens: AtomicUsize,
    stopped: AtomicBool,
}

pub struct Server {
    pub address: SocketAddr,
    shared: Arc<Shared>,
}

pub const DISCOVERY: &str = "/.well-known/openid-configuration";
pub const TOKEN: &str = "/token";
pub const KEYS: &str = "/keys";
pub const PADES: &str = "/signdoc/pades";
pub const SDO: &str = "/signdoc";

impl Server {
    /// Answers with what `handler` says; where it says nothing, as a provider would, or 404.
    pub fn start(handler: impl FnMut(&Seen) -> Option<Reply> + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared {
            handler: Mutex::new(Box::new(handler)),
            seen: Mutex::default(),
            tokens: AtomicUsize::new(0),
            stopped: AtomicBool::new(false),
        });
        let server = Self { address, shared: shared.clone() };
        std::thread::spawn(move || {
            for (number, stream) in listener.incoming().enumerate() {
                if shared.stopped.load(Ordering::SeqCst) {
                    return;
                }
                let shared = shared.clone();
                let stream = stream.unwrap();
                std::thread::spawn(move || serve(&shared, number, address, stream));
            }
        });
        server
    }

    /// Takes no new connections from now on.
    pub fn stop(&self) {
        self.shared.stopped.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.address);
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn config(&self) -> ConfigBuilder {
        let mut builder = Config::builder();
        for (key, value) in [
            ("issuer", self.url().as_str()),
            ("client_id", "shop"),
            ("client_secret", "s3cret"),
            ("max_retries", "0"),
            ("read_timeout", "30"),
        ] {
            builder.set(key, value).unwrap();
        }
        builder
    }

    pub fn client(&self) -> Client {
        self.client_with(&[])
    }

    pub fn client_with(&self, options: &[(&str, &str)]) -> Client {
        let mut builder = self.config();
        for (key, value) in options {
            builder.set(key, value).unwrap();
        }
        Client::new(builder.build().unwrap()).unwrap()
    }

    /// The requests so far; those of one method and path.
    pub fn all_seen(&self) -> Vec<Seen> {
        self.shared.seen.lock().unwrap().clone()
    }

    pub fn seen(&self, method: &str, path: &str) -> Vec<Seen> {
        let all = self.shared.seen.lock().unwrap();
        all.iter().filter(|seen| seen.is(method, path)).cloned().collect()
    }
}

/// The discovery document of a provider that is reached at `url`.
pub fn discovery(url: &str, key_set: &str) -> Reply {
    Reply::json(
        200,
        json!({
            "issuer": url,
            "token_endpoint": format!("{url}{TOKEN}"),
            "authorization_endpoint": format!("{url}/authorize?tenant=t"),
            "jwks_uri": key_set,
            "signdoc-baseurl": url,
        }),
    )
}

/// What a provider answers.
pub fn provider(address: SocketAddr, seen: &Seen, tokens: &AtomicUsize) -> Reply {
    if seen.is("GET", DISCOVERY) {
        let url = format!("http://{address}");
        return discovery(&url, &format!("{url}{KEYS}"));
    }
    if seen.is("POST", TOKEN) {
        let number = tokens.fetch_add(1, Ordering::SeqCst) + 1;
        let token = format!("token-{number}");
        return Reply::json(
            200,
            json!({"access_token": token, "token_type": "Bearer", "expires_in": 300}),
        );
    }
    Reply::json(404, json!({"message": "nothing here"}))
}

fn serve(shared: &Shared, connection: usize, address: SocketAddr, stream: TcpStream) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut writer = stream;
    while let Some(seen) = read(&mut reader, connection) {
        shared.seen.lock().unwrap().push(seen.clone());
        let scripted = (shared.handler.lock().unwrap())(&seen);
        let mut reply = scripted.unwrap_or_else(|| provider(address, &seen, &shared.tokens));
        if seen.headers.get("connection").is_some_and(|value| value == "close") {
            reply = reply.last();
        }
        if writer.write_all(&reply.bytes).is_err() {
            return;
        }
        if let Some(Rest(rest)) = &reply.rest
            && writer.write_all(&rest()).is_err()
        {
            return;
        }
        match reply.then {
            Then::KeepOpen => {}
            Then::Close => return,
            Then::Stall(time) => return std::thread::sleep(time),
            Then::Reset => return reset(reader, writer),
        }
    }
}

/// Lets what was written arrive, then resets.
fn reset(reader: BufReader<TcpStream>, writer: TcpStream) {
    std::thread::sleep(Duration::from_millis(50));
    drop(reader);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().unwrap();
    runtime.block_on(async {
        writer.set_nonblocking(true).unwrap();
        let stream = tokio::net::TcpStream::from_std(writer).unwrap();
        stream.set_zero_linger().unwrap();
    });
}

fn read(reader: &mut BufReader<TcpStream>, connection: usize) -> Option<Seen> {
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let mut words = line.split_whitespace();
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let length = headers.get("content-length").map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Seen { connection, method, target, headers, body })
}
