//! Sending the end user to a login page, and taking the callback on a loopback address
//! (RFC 8252, section 7.3).

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::time::Duration;

use signdoc::{Code, Error, Result};

use crate::Interrupted;
use crate::call::{LOOK, cancelled};

const PATH: &str = "/callback";
/// A browser that says nothing must not hold up the one that brings the callback.
const PATIENCE: Duration = Duration::from_secs(2);
/// The longest request that is read, in bytes.
const LONGEST: u64 = 64 * 1024;
const PAGE: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>signdoc</title>\
    <p>The login has come back. You may close this page and return to the terminal.</p></html>";

/// A listener for one callback.
pub(crate) struct Callback {
    listener: TcpListener,
    address: String,
}

impl Callback {
    /// Listens on the loopback address; on a free port with 0.
    pub(crate) fn listen(port: u16) -> Result<Self> {
        let failed = |error: std::io::Error| {
            Error::new(
                Code::InvalidArgument,
                format!("port {port} cannot be listened on: {error}; choose another with --port"),
            )
            .with_detail("field", "port")
        };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let port = listener.local_addr().map_err(failed)?.port();
        Ok(Self { listener, address: format!("http://127.0.0.1:{port}{PATH}") })
    }

    /// Where the callback must go: an address that is registered with the service.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// The callback's address with its query, if it has come.
    pub(crate) fn poll(&self) -> Option<String> {
        let (stream, _) = self.listener.accept().ok()?;
        taken(stream).map(|query| format!("{}?{query}", self.address))
    }

    /// Waits for the callback and gives its address with its query.
    pub(crate) fn wait(&self, interrupted: Interrupted<'_>) -> Result<String> {
        loop {
            if let Some(came) = self.poll() {
                return Ok(came);
            }
            if interrupted.is_wanted() {
                return Err(cancelled());
            }
            std::thread::sleep(LOOK);
        }
    }
}

/// The query of a callback, or its form, which is written as a query is; anything else that asks
/// is told that there is nothing.
fn taken(mut stream: TcpStream) -> Option<String> {
    stream.set_nonblocking(false).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    stream.set_write_timeout(Some(PATIENCE)).ok()?;
    let mut reader = BufReader::new(stream.try_clone().ok()?.take(LONGEST));
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let (mut header, mut length) = (String::new(), 0);
    while reader.read_line(&mut header).ok()? > 2 {
        if let Some((name, value)) = header.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().unwrap_or(0);
        }
        header.clear();
    }
    let mut words = line.split(' ');
    let (method, target) = (words.next()?, words.next()?);
    let query = match (method, target.strip_prefix(PATH)) {
        ("GET", Some(rest)) => rest.strip_prefix('?').map(str::to_owned),
        ("POST", Some("")) => {
            let mut form = String::new();
            reader.take(length).read_to_string(&mut form).ok()?;
            Some(form)
        }
        _ => None,
    };
    let (status, page) = match query {
        Some(_) => ("200 OK", PAGE),
        None => ("404 Not Found", ""),
    };
    let length = page.len();
    // A browser that is gone has brought the callback all the same.
    let _ = write!(
        stream,
        "HTTP/1.1 {status}\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: {length}\r\ncache-control: no-store\r\nconnection: close\r\n\r\n{page}"
    );
    query
}

/// Opens `address` in the user's browser; says whether a program for that was there.
pub(crate) fn open(address: &str) -> bool {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let mut command = Command::new(program);
    command.arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stop::Stop;

    fn ask(address: &str, target: &str) -> String {
        let host = address.strip_prefix("http://").unwrap().split('/').next().unwrap();
        let mut stream = TcpStream::connect(host).unwrap();
        write!(stream, "GET {target} HTTP/1.1\r\nhost: {host}\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    #[test]
    fn the_callback_is_taken_and_nothing_else() {
        let callback = Callback::listen(0).unwrap();
        let address = callback.address().to_owned();
        let browser = std::thread::spawn(move || {
            assert!(ask(&address, "/favicon.ico").starts_with("HTTP/1.1 404"));
            assert!(ask(&address, "/callback?code=a%2Bb&state=s").starts_with("HTTP/1.1 200"));
        });
        let came = callback.wait(&Stop::new(&|| 0)).unwrap();
        assert_eq!(came, format!("{}?code=a%2Bb&state=s", callback.address()));
        browser.join().unwrap();
    }

    #[test]
    fn a_callback_that_is_posted_is_taken_as_well() {
        let callback = Callback::listen(0).unwrap();
        let address = callback.address().to_owned();
        let browser = std::thread::spawn(move || {
            let host = address.strip_prefix("http://").unwrap().split('/').next().unwrap();
            let mut stream = TcpStream::connect(host).unwrap();
            let form = "code=a%2Bb&state=s";
            let length = form.len();
            write!(
                stream,
                "POST /callback HTTP/1.1\r\nhost: {host}\r\nContent-Length: {length}\r\n\r\n{form}"
            )
            .unwrap();
            let mut answer = String::new();
            stream.read_to_string(&mut answer).unwrap();
            assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        });
        let came = callback.wait(&Stop::new(&|| 0)).unwrap();
        assert_eq!(came, format!("{}?code=a%2Bb&state=s", callback.address()));
        browser.join().unwrap();
    }

    #[test]
    fn waiting_can_be_interrupted() {
        let callback = Callback::listen(0).unwrap();
        assert_eq!(callback.wait(&Stop::new(&|| 1)).unwrap_err().code(), Code::Cancelled);
    }
}
