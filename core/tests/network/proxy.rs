//! Forward proxies that record, refuse, ask for a password, or answer with a page of their own.

use std::net::TcpListener;

use signdoc::{Client, Code, Error};
use signdoc_sandbox::Sandbox;

use crate::common::{CONVERT, TOKEN};
use crate::support::{Manner, NOBODY, Proxy, client, convert, https, plain, specs, started};
use crate::tls_front::TlsFront;

const DISCOVERY: &str = "/auth/realms/sandbox/.well-known/openid-configuration";

fn through(sandbox: &Sandbox, proxy: &str) -> Client {
    client(sandbox, true, &[("proxy", proxy), NOBODY])
}

fn page(status: &str) -> String {
    let body = "<html><head><title>Blocked by policy</title></head><body>no</body></html>";
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: text/html\r\nconnection: close\r\n\
         content-length: {length}\r\n\r\n{body}"
    )
}

async fn failure(client: &Client) -> Error {
    convert(client).await.unwrap_err()
}

/// A port on which nobody listens.
fn nobody() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}", listener.local_addr().unwrap())
}

#[tokio::test]
async fn every_plain_request_goes_through_it() {
    let sandbox = plain();
    crate::common::answers(&sandbox, 1);
    let proxy = Proxy::start(Manner::Pass);
    convert(&through(&sandbox, &proxy.url())).await.unwrap();
    let base = sandbox.base_url();
    let expected = [
        format!("GET {base}{DISCOVERY}"),
        format!("POST {base}{TOKEN}"),
        format!("POST {base}{CONVERT}"),
    ];
    assert_eq!(proxy.lines(), expected);
    assert_eq!(sandbox.requests().len(), 3);
}

#[tokio::test]
async fn every_https_request_goes_through_its_tunnels() {
    let sandbox = started(https());
    let proxy = Proxy::start(Manner::Pass);
    convert(&through(&sandbox, &proxy.url())).await.unwrap();
    let host = sandbox.base_url().strip_prefix("https://").unwrap();
    let lines = proxy.lines();
    assert!(!lines.is_empty() && lines.iter().all(|line| *line == format!("CONNECT {host}")));
    // each connection that the sandbox saw came out of one of them
    let mut connections: Vec<u64> = sandbox.requests().iter().map(|seen| seen.connection).collect();
    assert_eq!(connections.len(), 3);
    connections.dedup();
    assert_eq!(connections.len(), lines.len());
    let heads = proxy.heads().join("\n").to_ascii_lowercase();
    assert!(!heads.contains("authorization"), "the service's credentials stay inside: {heads}");
}

#[tokio::test]
async fn hosts_of_no_proxy_are_reached_directly() {
    let proxy = Proxy::start(Manner::Close);
    for sandbox in [plain(), started(https())] {
        let url = proxy.url();
        let options = [("proxy", url.as_str()), ("no_proxy", "elsewhere.invalid, 127.0.0.0/8")];
        specs(&client(&sandbox, true, &options)).await.unwrap();
    }
    assert!(proxy.lines().is_empty());
}

#[tokio::test]
async fn one_that_nobody_runs_is_named() {
    for sandbox in [plain(), started(https())] {
        let address = nobody();
        let error = failure(&through(&sandbox, &address)).await;
        assert_eq!(error.code(), Code::ProxyFailed, "{error}");
        assert!(error.message().contains(address.trim_start_matches("http://")), "{error}");
        assert!(sandbox.requests().is_empty());
    }
}

#[tokio::test]
async fn one_that_asks_for_a_password_says_so() {
    let answer = page("407 Proxy Authentication Required").replacen(
        "\r\n",
        "\r\nproxy-authenticate: Basic realm=\"p\"\r\n",
        1,
    );
    let proxy = Proxy::start(Manner::Say(answer));
    for sandbox in [plain(), started(https())] {
        let error = failure(&through(&sandbox, &proxy.url())).await;
        assert_eq!(error.code(), Code::ProxyFailed, "{error}");
        let text = format!("{} {}", error.message(), error.advice());
        assert!(text.contains("proxy") && text.contains("password"), "{text}");
        assert!(!error.is_retryable());
    }
}

#[tokio::test]
async fn credentials_in_its_address_are_sent_to_it_and_shown_to_nobody() {
    let proxy = Proxy::start(Manner::Pass);
    let url = format!("http://user:p%40ss-canary@{}", proxy.address);
    for sandbox in [plain(), started(https())] {
        let client = through(&sandbox, &url);
        assert!(!format!("{client:?}").contains("canary"));
        specs(&client).await.unwrap();
        for seen in sandbox.requests() {
            assert!(!seen.headers.contains_key("proxy-authorization"), "{seen:?}");
        }
    }
    // "user:p@ss-canary"
    let expected = "basic dXNlcjpwQHNzLWNhbmFyeQ==".to_ascii_lowercase();
    for head in proxy.heads() {
        assert!(head.to_ascii_lowercase().contains(&expected), "{head}");
    }
    let refusing = Proxy::start(Manner::Say(page("403 Forbidden")));
    let url = format!("http://user:p%40ss-canary@{}", refusing.address);
    let error = failure(&through(&plain(), &url)).await;
    assert!(!format!("{error} {error:?} {}", error.to_json()).contains("canary"));
}

#[tokio::test]
async fn its_own_pages_are_not_taken_for_the_service() {
    for status in ["403 Forbidden", "502 Bad Gateway", "200 OK"] {
        let proxy = Proxy::start(Manner::Say(page(status)));
        let sandbox = plain();
        let error = failure(&through(&sandbox, &proxy.url())).await;
        // a bad gateway may be a better one in a moment, whoever says it
        let code = if status.starts_with("502") { Code::ServiceFailed } else { Code::HtmlAnswer };
        assert_eq!(error.code(), code, "{status}: {error}");
        assert!(error.message().contains("Blocked by policy"), "{error}");
        assert!(sandbox.requests().is_empty());
        if status == "200 OK" {
            continue;
        }
        // a tunnel that is refused
        let error = failure(&through(&started(https()), &proxy.url())).await;
        assert_eq!(error.code(), Code::ProxyFailed, "{status}: {error}");
    }
}

#[tokio::test]
async fn one_that_hangs_up_is_told() {
    let proxy = Proxy::start(Manner::Close);
    let error = failure(&through(&started(https()), &proxy.url())).await;
    assert_eq!(error.code(), Code::ProxyFailed, "{error}");
    let error = failure(&through(&plain(), &proxy.url())).await;
    assert!(matches!(error.code(), Code::ConnectionLost | Code::ProxyFailed), "{error}");
}

#[tokio::test]
async fn one_that_is_reached_over_tls() {
    let inner = Proxy::start(Manner::Pass);
    let front = TlsFront::start(inner.address).await;
    let proxy = front.url().replace("https://", "https://user:canary@");
    let folder = tempfile::tempdir().unwrap();
    let both = folder.path().join("both.pem");
    for sandbox in [plain(), started(https())] {
        crate::common::answers(&sandbox, 1);
        // the proxy's authority, and the service's where it has one
        let mut text = std::fs::read_to_string(front.ca_file()).unwrap();
        text.push_str(sandbox.ca_pem().unwrap_or_default());
        std::fs::write(&both, text).unwrap();
        let before = inner.lines().len();
        let ca = [("ca_file", both.to_str().unwrap()), ("proxy", proxy.as_str()), NOBODY];
        convert(&client(&sandbox, false, &ca)).await.unwrap();
        assert!(inner.lines().len() > before, "it went through the proxy");
        assert_eq!(sandbox.requests().len(), 3);
        // one whose certificate nobody vouches for gets nothing
        let before = inner.lines().len();
        let error = failure(&client(&sandbox, true, &[("proxy", &proxy), NOBODY])).await;
        assert_eq!(error.code(), Code::TlsFailed, "{error}");
        assert!(error.message().contains(&front.url()), "{error}");
        assert!(!format!("{error} {error:?}").contains("canary"));
        assert_eq!(inner.lines().len(), before);
    }
    let expected = "basic dXNlcjpjYW5hcnk=".to_ascii_lowercase();
    assert!(inner.heads().iter().all(|head| head.to_ascii_lowercase().contains(&expected)));
}
