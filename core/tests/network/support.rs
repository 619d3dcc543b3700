//! A sandbox over https with clients for it, and a forward proxy that records and misbehaves.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use signdoc::{CallOptions, Client, Document, Error};
use signdoc_sandbox::{Builder, Environment, Sandbox};

use crate::common::{PDF, answers, config};

/// Where a proxy on the environment must not keep a test from the one it is about.
pub const NOBODY: (&str, &str) = ("no_proxy", "nobody.invalid");
/// No repetition, so that each failure is seen once.
pub const ONCE: (&str, &str) = ("max_retries", "0");

pub fn https() -> Builder {
    Sandbox::builder().environment(Environment::Test).tls(true)
}

pub fn plain() -> Sandbox {
    Sandbox::builder().environment(Environment::Test).start().unwrap()
}

pub fn started(builder: Builder) -> Sandbox {
    let sandbox = builder.start().unwrap();
    answers(&sandbox, 1);
    sandbox
}

/// A client that makes each request once; a sandbox over https is trusted when `trusting`.
pub fn client(sandbox: &Sandbox, trusting: bool, options: &[(&str, &str)]) -> Client {
    let mut builder = config(sandbox);
    builder.set(ONCE.0, ONCE.1).unwrap();
    if let (true, Some(file)) = (trusting, sandbox.ca_file()) {
        builder.set("ca_file", file.to_str().unwrap()).unwrap();
    }
    for (key, value) in options {
        builder.set(key, value).unwrap();
    }
    Client::new(builder.build().unwrap()).unwrap()
}

/// Discovery, a token, and a conversion, in this order.
pub async fn convert(client: &Client) -> Result<(), Error> {
    let results = client.convert(&[Document::from_bytes(PDF)], &Default::default()).await?;
    assert_eq!(results[0].data.as_deref(), Some(&b"%PDF-1.4 ok"[..]));
    Ok(())
}

pub async fn specs(client: &Client) -> Result<Vec<String>, Error> {
    client.conversion_specs(&CallOptions::default()).await
}

/// How the recording proxy treats those who ask.
#[derive(Clone, Debug)]
pub enum Manner {
    /// Passes everything on.
    Pass,
    /// Passes tunnels on to this address, whatever they ask for.
    PassTo(SocketAddr),
    /// Gives this answer to everybody and closes.
    Say(String),
    /// Closes without a word.
    Close,
}

/// A forward proxy for plain requests and tunnels.
pub struct Proxy {
    pub address: SocketAddr,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Proxy {
    pub fn start(manner: Manner) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let record = Arc::clone(&seen);
        // ends with the test's process
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (record, manner) = (Arc::clone(&record), manner.clone());
                thread::spawn(move || serve(stream, &record, &manner));
            }
        });
        Self { address, seen }
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The heads of the requests it got.
    pub fn heads(&self) -> Vec<String> {
        self.seen.lock().unwrap().clone()
    }

    /// The request lines it got, without the protocol's version.
    pub fn lines(&self) -> Vec<String> {
        let line = |head: &String| {
            let line = head.lines().next().unwrap_or_default();
            line.trim_end_matches(" HTTP/1.1").to_owned()
        };
        self.heads().iter().map(line).collect()
    }
}

/// Bytes up to the end of a head, and what came behind it.
fn read_head(stream: &mut TcpStream) -> Option<(String, Vec<u8>)> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        if let Some(at) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            let rest = bytes.split_off(at + 4);
            return Some((String::from_utf8_lossy(&bytes).into_owned(), rest));
        }
        match stream.read(&mut buffer) {
            Ok(0) | Err(_) => return None,
            Ok(count) => bytes.extend_from_slice(&buffer[..count]),
        }
    }
}

fn serve(mut stream: TcpStream, record: &Mutex<Vec<String>>, manner: &Manner) {
    let Some((head, rest)) = read_head(&mut stream) else { return };
    record.lock().unwrap().push(head.clone());
    let mut words = head.split(' ');
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let target = match manner {
        Manner::Close => return,
        Manner::Say(answer) => {
            let _ = stream.write_all(answer.as_bytes());
            // a request body still under way would turn the close into a reset
            let _ = stream.shutdown(Shutdown::Write);
            let _ = std::io::copy(&mut stream, &mut std::io::sink());
            return;
        }
        Manner::PassTo(address) => address.to_string(),
        Manner::Pass => {
            let after = target.strip_prefix("http://").unwrap_or(target);
            after.split('/').next().unwrap_or_default().to_owned()
        }
    };
    let Ok(mut upstream) = TcpStream::connect(target) else { return };
    if method == "CONNECT" {
        let _ = stream.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n");
    } else {
        // one request per connection keeps this proxy small
        let origin = head.replacen("http://", "", 1);
        let path = origin.find('/').unwrap_or(0);
        let head = format!("{method} {}", &origin[path..]);
        let head = head.replacen("\r\n\r\n", "\r\nconnection: close\r\n\r\n", 1);
        // what is said to the proxy is not passed on (RFC 9110 section 11.7.2)
        let own = |line: &&str| !line.to_ascii_lowercase().starts_with("proxy-");
        let head = head.split("\r\n").filter(own).collect::<Vec<_>>().join("\r\n");
        let _ = upstream.write_all(head.as_bytes());
    }
    let _ = upstream.write_all(&rest);
    let (mut from, mut to) = (stream.try_clone().unwrap(), upstream.try_clone().unwrap());
    thread::spawn(move || {
        let _ = std::io::copy(&mut from, &mut to);
        let _ = to.shutdown(Shutdown::Write);
    });
    let _ = std::io::copy(&mut upstream, &mut stream);
    let _ = stream.shutdown(Shutdown::Both);
}
