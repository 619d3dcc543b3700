//! A download through a proxy that stops at a random byte, and a client that is killed there: all
//! documents that the proxy had forwarded whole are recovered, byte for byte.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use signdoc::{
    CallOptions, Client, Destination, Document, Download, DownloadOptions, PadesDocument,
    PadesOrder, recover,
};
use signdoc_sandbox::{Person, Sandbox, samples};

const ROUNDS: u64 = 50;

/// What the child process does: one download through the proxy.
#[test]
fn child() {
    let (Ok(folder), Ok(sign_id)) = (std::env::var("CRASH_FOLDER"), std::env::var("CRASH_ORDER"))
    else {
        return;
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let client = Client::from_env().unwrap();
        let to = Destination::folder(folder);
        let options = DownloadOptions { to, ..DownloadOptions::default() };
        client.pades().download(sign_id.as_str(), &options).await.unwrap();
    });
}

/// The answer to the DELETE: all of it as the service sent it, and how much was forwarded.
#[derive(Default)]
struct Passed {
    answer: Vec<u8>,
    forwarded: usize,
}

impl Passed {
    fn head(&self) -> Option<usize> {
        Some(self.answer.windows(4).position(|window| window == b"\r\n\r\n")? + 4)
    }

    /// Bytes of the body that were forwarded.
    fn body_forwarded(&self) -> usize {
        self.head().map_or(0, |head| self.forwarded.saturating_sub(head))
    }
}

/// Forwards everything to the sandbox and back, but of the answer to a DELETE only so many bytes.
fn proxy(to: SocketAddr, limit: usize) -> (SocketAddr, Arc<Mutex<Passed>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let passed = Arc::new(Mutex::new(Passed::default()));
    let shared = passed.clone();
    thread::spawn(move || {
        for client in listener.incoming() {
            let (client, server) = (client.unwrap(), TcpStream::connect(to).unwrap());
            let shared = shared.clone();
            thread::spawn(move || forward(client, server, &shared, limit));
        }
    });
    (address, passed)
}

fn forward(mut client: TcpStream, mut server: TcpStream, passed: &Mutex<Passed>, limit: usize) {
    // Each request is in its first piece; the requests here have no bodies.
    let mut request = vec![0; 64 * 1024];
    loop {
        let Ok(size @ 1..) = client.read(&mut request) else { return };
        server.write_all(&request[..size]).unwrap();
        let deletes = request.starts_with(b"DELETE ");
        let mut answer = Vec::new();
        let mut piece = vec![0; 16 * 1024];
        while !is_whole(&answer) {
            let Ok(size @ 1..) = server.read(&mut piece) else { return };
            answer.extend_from_slice(&piece[..size]);
            if !deletes && client.write_all(&piece[..size]).is_err() {
                return;
            }
        }
        if deletes {
            let forwarded = limit.min(answer.len());
            client.write_all(&answer[..forwarded]).unwrap();
            *passed.lock().unwrap() = Passed { answer, forwarded };
            // Open, and silent.
            thread::sleep(Duration::from_secs(120));
        }
    }
}

fn is_whole(answer: &[u8]) -> bool {
    let Some(head) = answer.windows(4).position(|window| window == b"\r\n\r\n") else {
        return false;
    };
    let text = String::from_utf8_lossy(&answer[..head]).to_ascii_lowercase();
    let length = text.lines().find_map(|line| line.strip_prefix("content-length:"));
    let length: usize = length.expect("the sandbox tells the length").trim().parse().unwrap();
    answer.len() >= head + 4 + length
}

fn order(sandbox: &Sandbox) -> String {
    let document = |bytes: Vec<u8>| PadesDocument::new(Document::from_bytes(bytes));
    // Large ones of about one size, so that the points fall into each of them.
    let documents = vec![
        document(samples::photographs(1)),
        document(samples::photographs(2)),
        document(samples::photographs(3)),
        document(samples::loan_agreement()),
    ];
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let client = common::client(sandbox);
    let created = runtime.block_on(async {
        client.pades().create(&PadesOrder::new("Loan", documents), &CallOptions::default()).await
    });
    let sign_id = created.unwrap().sign_id;
    sandbox.sign(&sign_id, Person::Kari).unwrap();
    sign_id
}

/// The documents of an answer that ended within its first `forwarded` bytes.
fn forwarded_whole(body: &[u8], forwarded: usize) -> Vec<Vec<u8>> {
    let value: serde_json::Value = serde_json::from_slice(body).unwrap();
    let text = std::str::from_utf8(body).unwrap();
    let results = value["signingResults"].as_array().unwrap();
    assert_eq!(results.len(), 4);
    let mut whole = Vec::new();
    for result in results {
        let base64 = result["padesSignedPdf"].as_str().unwrap();
        // With its closing quote.
        if text.find(base64).unwrap() + base64.len() < forwarded {
            whole.push(STANDARD.decode(base64).unwrap());
        }
    }
    whole
}

fn await_body(folder: &Path, sign_id: &str, passed: &Mutex<Passed>, limit: usize) {
    let raw = folder.join(format!(".signdoc-{sign_id}-1.answer.part"));
    let until = Instant::now() + Duration::from_secs(60);
    loop {
        let passed = passed.lock().unwrap();
        let there = std::fs::metadata(&raw).map_or(0, |metadata| metadata.len());
        let taken = passed.forwarded > 0 && there >= passed.body_forwarded() as u64;
        let is_all = passed.forwarded < limit;
        drop(passed);
        if taken || is_all && !raw.exists() && there == 0 && has_pdf(folder) {
            return;
        }
        assert!(Instant::now() < until, "the client did not take what was forwarded");
        thread::sleep(Duration::from_millis(2));
    }
}

fn has_pdf(folder: &Path) -> bool {
    std::fs::read_dir(folder)
        .unwrap()
        .any(|entry| entry.unwrap().path().extension().is_some_and(|extension| extension == "pdf"))
}

#[test]
fn what_was_forwarded_whole_is_recovered() {
    let sandbox = Sandbox::builder().start().unwrap();
    let base = sandbox.base_url();
    let address: SocketAddr = base.strip_prefix("http://").unwrap().parse().unwrap();
    let mut random = 0x2545_F491_4F6C_DD1D_u64;
    let (mut recovered, mut length) = ([0_usize; 5], 4_000_000);
    for round in 0..ROUNDS {
        // xorshift64: the same points on every run.
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let limit = usize::try_from(random % length).unwrap();
        let sign_id = order(&sandbox);
        let folder = tempfile::tempdir().unwrap();
        let (through, passed) = proxy(address, limit.max(1));
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "child", "--nocapture"])
            .env("CRASH_FOLDER", folder.path())
            .env("CRASH_ORDER", &sign_id)
            .env("SIGNDOC_ISSUER", sandbox.issuer())
            .env("SIGNDOC_CLIENT_ID", sandbox.client_id())
            .env("SIGNDOC_CLIENT_SECRET", sandbox.client_secret())
            .env("SIGNDOC_ORDERS_URL", format!("http://{through}"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        await_body(folder.path(), &sign_id, &passed, limit.max(1));
        child.kill().unwrap();
        child.wait().unwrap();

        let passed = passed.lock().unwrap();
        let head = passed.head().unwrap();
        length = passed.answer.len() as u64;
        let whole = forwarded_whole(&passed.answer[head..], passed.body_forwarded());
        let found = recover(folder.path()).unwrap();
        let documents = match found.first().and_then(|one| one.download.clone()) {
            Some(Download::Pades(download)) => download.documents,
            _ => Vec::new(),
        };
        let mut files: Vec<_> = documents
            .iter()
            .filter_map(|one| one.path.as_ref())
            .map(|path| std::fs::read(path).unwrap())
            .collect();
        if found.is_empty() {
            // It ended before it was killed.
            let mut paths: Vec<_> =
                std::fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().path()).collect();
            paths.retain(|path| path.extension().is_some_and(|extension| extension == "pdf"));
            paths.sort();
            files = paths.iter().map(|path| std::fs::read(path).unwrap()).collect();
        }
        assert_eq!(files.len(), whole.len(), "round {round}, cut at {limit}");
        assert!(files == whole, "round {round}, cut at {limit}: other bytes");
        recovered[whole.len()] += 1;
    }
    println!("{ROUNDS} kills; rounds by the number of documents recovered: {recovered:?}");
    assert!(recovered.iter().filter(|count| **count > 0).count() >= 3, "{recovered:?}");
}
