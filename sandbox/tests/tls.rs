//! https with the sandbox's own authority, seen by a client of its own.
// helpers outside of test functions are test code as well
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use signdoc_sandbox::{CutHow, Environment, Fault, ResetWhen, Rule, Sandbox, ServerCertificate};

const DISCOVERY: &str = "/auth/realms/sandbox/.well-known/openid-configuration";

fn over_tls() -> signdoc_sandbox::Builder {
    Sandbox::builder().environment(Environment::Test).tls(true)
}

fn client_config(sandbox: &Sandbox, identity: Option<&str>) -> ClientConfig {
    let mut roots = RootCertStore::empty();
    let ca = sandbox.ca_pem().unwrap().as_bytes();
    roots.add(CertificateDer::from_pem_slice(ca).unwrap()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots);
    match identity {
        None => builder.with_no_client_auth(),
        Some(pem) => builder
            .with_client_auth_cert(
                vec![CertificateDer::from_pem_slice(pem.as_bytes()).unwrap()],
                PrivateKeyDer::from_pem_slice(pem.as_bytes()).unwrap(),
            )
            .unwrap(),
    }
}

/// Everything the server says to a GET, and how that ended.
fn get_with(
    sandbox: &Sandbox,
    identity: Option<&str>,
    path: &str,
) -> (String, std::io::Result<()>) {
    get_from(sandbox, sandbox.base_url(), identity, path)
}

fn get_from(
    sandbox: &Sandbox,
    url: &str,
    identity: Option<&str>,
    path: &str,
) -> (String, std::io::Result<()>) {
    let address = url.strip_prefix("https://").unwrap();
    let config = Arc::new(client_config(sandbox, identity));
    let host = address.split(':').next().unwrap().to_owned();
    let connection = ClientConnection::new(config, host.try_into().unwrap()).unwrap();
    let socket = TcpStream::connect(address).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let mut stream = StreamOwned::new(connection, socket);
    let request = format!("GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
    let mut answer = Vec::new();
    let ended = stream
        .write_all(request.as_bytes())
        .and_then(|()| stream.read_to_end(&mut answer))
        .map(drop);
    (String::from_utf8_lossy(&answer).into_owned(), ended)
}

fn get(sandbox: &Sandbox, path: &str) -> (String, std::io::Result<()>) {
    get_with(sandbox, None, path)
}

#[test]
fn everything_is_served_over_https() {
    let sandbox = over_tls().start().unwrap();
    assert!(sandbox.base_url().starts_with("https://127.0.0.1:"));
    let (answer, ended) = get(&sandbox, DISCOVERY);
    assert!(ended.is_ok(), "{ended:?}");
    assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
    assert!(answer.contains(&format!("\"issuer\":\"{}\"", sandbox.issuer())), "{answer}");
    let (overview, _) = get(&sandbox, "/_sandbox/");
    assert!(overview.contains("\"certificate\":\"valid\""), "{overview}");
    assert!(sandbox.client_certificate_pem().is_none());
}

#[test]
fn both_addresses_show_the_same_certificate() {
    let sandbox = over_tls().two_addresses(true).start().unwrap();
    for (url, path, status) in [
        (sandbox.base_url(), DISCOVERY, "200"),
        (sandbox.orders_url(), "/signdoc/pades", "403"),
        (sandbox.orders_url(), DISCOVERY, "404"),
    ] {
        let (answer, ended) = get_from(&sandbox, url, None, path);
        assert!(ended.is_ok(), "{url}: {ended:?}");
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{url}{path}: {answer}");
    }
}

#[test]
fn the_files_are_private_and_go_with_the_sandbox() {
    let sandbox = over_tls().tls_client_certificate(true).start().unwrap();
    let files = [sandbox.ca_file().unwrap(), sandbox.client_certificate_file().unwrap()];
    assert_eq!(std::fs::read_to_string(&files[0]).unwrap(), sandbox.ca_pem().unwrap());
    let identity = std::fs::read_to_string(&files[1]).unwrap();
    assert_eq!(identity, sandbox.client_certificate_pem().unwrap());
    assert!(!format!("{sandbox:?}").contains("PRIVATE"));
    #[cfg(unix)]
    for file in &files {
        let mode = std::os::unix::fs::MetadataExt::mode(&file.metadata().unwrap());
        assert_eq!(mode & 0o777, 0o600, "{}", file.display());
    }
    sandbox.shutdown();
    assert!(files.iter().all(|file| !file.exists()));
}

#[test]
fn two_sandboxes_with_one_seed_have_different_authorities() {
    let (one, two) = (over_tls().seed(Some(1)).start(), over_tls().seed(Some(1)).start());
    assert_ne!(one.unwrap().ca_pem(), two.unwrap().ca_pem());
}

#[test]
fn each_wrong_certificate_is_wrong_in_its_own_way() {
    for (kind, word) in [
        (ServerCertificate::Expired, "expired"),
        (ServerCertificate::WrongName, "not valid for name"),
        (ServerCertificate::UnknownCa, "UnknownIssuer"),
    ] {
        let sandbox = Sandbox::builder().tls_certificate(kind).start().unwrap();
        let (_, ended) = get(&sandbox, DISCOVERY);
        let text = ended.unwrap_err().to_string();
        assert!(text.contains(word), "{}: {text}", kind.name());
        assert!(sandbox.requests().is_empty());
    }
}

#[test]
fn a_client_certificate_opens_and_its_absence_closes() {
    let sandbox = over_tls().tls_client_certificate(true).start().unwrap();
    let (answer, ended) = get_with(&sandbox, sandbox.client_certificate_pem(), DISCOVERY);
    assert!(ended.is_ok() && answer.starts_with("HTTP/1.1 200 OK"), "{ended:?} {answer}");
    let other = over_tls().tls_client_certificate(true).start().unwrap();
    for identity in [None, other.client_certificate_pem()] {
        let (answer, ended) = get_with(&sandbox, identity, DISCOVERY);
        assert_eq!(answer, "");
        assert!(ended.is_err());
    }
    assert_eq!(sandbox.requests().len(), 1);
}

#[test]
fn faults_work_under_tls_as_well() {
    let sandbox = over_tls().start().unwrap();
    let add = |fault| sandbox.faults().add(Rule::new(fault)).unwrap();
    add(Fault::Cut { after_bytes: 5, how: CutHow::Close });
    let (answer, _) = get(&sandbox, DISCOVERY);
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200 OK"));
    assert_eq!(body.len(), 5);
    add(Fault::Reset { when: ResetWhen::AfterBody, after_bytes: 0 });
    let (answer, ended) = get(&sandbox, DISCOVERY);
    assert_eq!(answer, "");
    assert_eq!(ended.unwrap_err().kind(), std::io::ErrorKind::ConnectionReset);
    let (answer, _) = get(&sandbox, DISCOVERY);
    assert!(answer.starts_with("HTTP/1.1 200 OK"));
}

#[test]
fn the_ready_line_says_what_a_client_needs() {
    use std::io::{BufRead, BufReader};
    use std::process::{Command, Stdio};
    let keys = tempfile::NamedTempFile::new().unwrap();
    let jwk = r#"{"kty":"EC","crv":"P-256","x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4","y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"}"#;
    std::fs::write(keys.path(), jwk).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_signdoc-sandbox"))
        .args(["--tls", "--tls-client-ca", "--client-jwks", keys.path().to_str().unwrap()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let ready: serde_json::Value = serde_json::from_str(&line).unwrap();
    assert!(ready["issuer"].as_str().unwrap().starts_with("https://127.0.0.1:"));
    for (pem, file) in
        [("ca_pem", "ca_file"), ("client_certificate_pem", "client_certificate_file")]
    {
        let written = std::fs::read_to_string(ready[file].as_str().unwrap()).unwrap();
        assert_eq!(ready[pem], written.as_str());
    }
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());
    assert!(!std::path::Path::new(ready["ca_file"].as_str().unwrap()).exists());
}
