//! What the environment says: tested in processes of their own, which run one test of this program.

use std::path::Path;
use std::process::Command;

use signdoc::Client;
use signdoc_sandbox::{Sandbox, ServerCertificate};

use crate::common::answers;
use crate::support::{Manner, Proxy, https, plain, specs, started};

const MARK: &str = "SIGNDOC_NETWORK_TEST_CHILD";

/// Not a test by itself: asks for the conversions in the environment that its parent made.
#[tokio::test]
async fn child() {
    if std::env::var_os(MARK).is_none() {
        println!("does something only when another test starts it as a process");
        return;
    }
    match specs(&Client::from_env().unwrap()).await {
        Ok(found) => println!("outcome: {found:?}"),
        Err(error) => println!("outcome: {} {error}", error.name()),
    }
}

/// What the child finds.
fn run(sandbox: &Sandbox, issuer: &str, variables: &[(&str, &str)]) -> String {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["environment::child", "--exact", "--nocapture"]);
    let secret = sandbox.client_secret();
    for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE"] {
        command.env_remove(name).env_remove(name.to_ascii_lowercase());
    }
    command.env_remove("SSL_CERT_DIR").env_remove("REQUEST_METHOD");
    command.env(MARK, "1").env("SIGNDOC_ISSUER", issuer).env("SIGNDOC_MAX_RETRIES", "0");
    command.env("SIGNDOC_CLIENT_ID", sandbox.client_id()).env("SIGNDOC_CLIENT_SECRET", secret);
    command.envs(variables.iter().copied());
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = text.lines().find_map(|line| line.split_once("outcome: "));
    line.unwrap_or_else(|| panic!("{text} {}", String::from_utf8_lossy(&output.stderr)))
        .1
        .to_owned()
}

const FOUND: &str = r#"["PDFA_2B"]"#;

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn ssl_cert_file_and_ssl_cert_dir_name_the_roots() {
    let sandbox = started(https());
    let issuer = sandbox.issuer();
    let file = sandbox.ca_file().unwrap();
    assert_eq!(run(&sandbox, &issuer, &[("SSL_CERT_FILE", text(&file))]), FOUND);
    // a directory of roots names its files by a hash, as `openssl rehash` does
    let folder = tempfile::tempdir().unwrap();
    std::fs::copy(&file, folder.path().join("0123abcd.0")).unwrap();
    assert_eq!(run(&sandbox, &issuer, &[("SSL_CERT_DIR", text(folder.path()))]), FOUND);
    let other = started(https()).ca_file().unwrap();
    let outcome = run(&sandbox, &issuer, &[("SSL_CERT_FILE", text(&other))]);
    assert!(outcome.contains("TLS") || outcome.contains("certificate"), "{outcome}");
    assert_ne!(outcome, FOUND);
    // ca_only leaves the environment's out
    let another = started(https());
    let only = another.ca_file().unwrap();
    let variables = [
        ("SSL_CERT_FILE", text(&file)),
        ("SIGNDOC_CA_FILE", text(&only)),
        ("SIGNDOC_CA_ONLY", "true"),
    ];
    assert!(run(&sandbox, &issuer, &variables).contains("UnknownIssuer"));
}

#[test]
fn no_proxy_of_the_environment_holds_for_a_configured_proxy() {
    let sandbox = plain();
    answers(&sandbox, 1);
    let proxy = Proxy::start(Manner::Pass);
    let url = proxy.url();
    let through = [("SIGNDOC_PROXY", url.as_str())];
    assert_eq!(run(&sandbox, &sandbox.issuer(), &through), FOUND);
    assert_eq!(proxy.lines().len(), 3, "{:?}", proxy.lines());
    for name in ["NO_PROXY", "no_proxy"] {
        let direct = [("SIGNDOC_PROXY", url.as_str()), (name, "elsewhere.invalid,127.0.0.1")];
        assert_eq!(run(&sandbox, &sandbox.issuer(), &direct), FOUND);
    }
    // the option is stronger than the variable
    let both =
        [("SIGNDOC_PROXY", url.as_str()), ("NO_PROXY", "127.0.0.1"), ("SIGNDOC_NO_PROXY", "x")];
    let before = proxy.lines().len();
    assert_eq!(before, 3, "{:?}", proxy.lines());
    assert_eq!(run(&sandbox, &sandbox.issuer(), &both), FOUND);
    assert_eq!(proxy.lines().len(), 6);
}

#[test]
fn proxies_of_the_environment_are_never_asked_for_loopback() {
    let sandbox = plain();
    let proxy = Proxy::start(Manner::Pass);
    let url = proxy.url();
    for name in ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"] {
        assert_eq!(run(&sandbox, &sandbox.issuer(), &[(name, &url)]), FOUND);
    }
    assert!(proxy.lines().is_empty(), "{:?}", proxy.lines());
}

#[test]
fn proxies_of_the_environment_serve_other_hosts() {
    let sandbox = started(https().tls_certificate(ServerCertificate::WrongName));
    let address = sandbox.base_url().strip_prefix("https://").unwrap().parse().unwrap();
    let file = sandbox.ca_file().unwrap();
    let issuer = "https://elsewhere.invalid/auth/realms/sandbox";
    for name in ["HTTPS_PROXY", "https_proxy", "ALL_PROXY"] {
        let proxy = Proxy::start(Manner::PassTo(address));
        let url = proxy.url();
        let outcome = run(&sandbox, issuer, &[(name, &url), ("SIGNDOC_CA_FILE", text(&file))]);
        // the discovery document came through the tunnel, and tells the address it was made for
        assert!(outcome.contains(&sandbox.issuer()), "{name}: {outcome}");
        assert_eq!(proxy.lines(), ["CONNECT elsewhere.invalid:443"], "{name}");
    }
    // in a CGI program HTTP_PROXY is the visitor's word; HTTPS_PROXY is not
    let proxy = Proxy::start(Manner::PassTo(address));
    let url = proxy.url();
    let cgi = [("HTTPS_PROXY", url.as_str()), ("REQUEST_METHOD", "GET")];
    let _ = run(&sandbox, issuer, &cgi);
    assert_eq!(proxy.lines(), ["CONNECT elsewhere.invalid:443"]);
}
