//! The answer server of the benches: ready answers, a process of its own, one thread for each
//! connection. It must never be what a client waits for, so it does as little as it can: it reads
//! the request to its end, counts the documents in passing and writes prepared bytes.
//!
//! ```text
//! bench-server --answers DIR [--keep DIR] [--tls FILE]
//! ```
//!
//! `DIR` holds the PDF files that come back: the n-th document of a request is answered with the
//! n-th file in order of name. With `--keep` every conversion request is written to
//! `DIR/request-N.json` before it is answered, so that the bodies can be judged. One JSON line
//! and `--tls` it speaks TLS with a certificate of an authority of its own, whose certificate it
//! writes to the file. One JSON line
//! with the port is printed when it listens; it ends when its standard input closes.

mod answers;
mod connection;
mod tls;

use std::error::Error;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::thread;

use connection::Server;

type Fallible<T> = Result<T, Box<dyn Error + Send + Sync>>;

type Prepared = (TcpListener, Arc<Server>, Option<Arc<rustls::ServerConfig>>);

fn prepare() -> Fallible<Prepared> {
    let (mut answers, mut keep, mut ca) = (None, None, None);
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let value = args.next().map(PathBuf::from);
        match arg.as_str() {
            "--answers" => answers = value,
            "--keep" => keep = value,
            "--tls" => ca = value,
            _ => return Err("usage: bench-server --answers DIR [--keep DIR] [--tls FILE]".into()),
        }
    }
    let answers = answers::load(&answers.ok_or("--answers DIR is missing")?)?;
    let tls = ca.map(|ca| tls::prepare(&ca)).transpose()?;
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let port = listener.local_addr()?.port();
    println!("{{\"ready\":true,\"port\":{port},\"answers\":{}}}", answers.len());
    std::io::stdout().flush()?;
    let scheme = if tls.is_some() { "https" } else { "http" };
    let server = Server::new(format!("{scheme}://127.0.0.1:{port}"), answers, keep);
    Ok((listener, Arc::new(server), tls))
}

fn run() -> Fallible<()> {
    let (listener, server, tls) = prepare()?;
    thread::spawn(|| {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        std::process::exit(0);
    });
    loop {
        let (stream, _) = listener.accept()?;
        stream.set_nodelay(true)?;
        let (server, tls) = (Arc::clone(&server), tls.clone());
        thread::spawn(move || {
            let served = match tls {
                None => server.serve(stream),
                Some(config) => tls::accept(config, stream).and_then(|tls| server.serve(tls)),
            };
            if let Err(error) = served {
                eprintln!("bench-server: {error}");
            }
        });
    }
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench-server: {error}");
            ExitCode::FAILURE
        }
    }
}
