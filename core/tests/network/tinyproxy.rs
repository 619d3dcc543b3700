//! A real forward proxy, Debian's tinyproxy, where it is installed.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use signdoc::Code;
use signdoc_sandbox::Sandbox;
use tempfile::TempDir;

use crate::common::{CONVERT, TOKEN};
use crate::support::{NOBODY, client, convert, https, plain, started};

struct Tinyproxy {
    child: Child,
    port: u16,
    log: PathBuf,
    _folder: TempDir,
}

impl Drop for Tinyproxy {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A port that is free, below those that the system gives away by itself.
fn free_port() -> u16 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let first = std::process::id().wrapping_mul(97);
    loop {
        let step = NEXT.fetch_add(1, Ordering::Relaxed);
        let port = 20_000 + u16::try_from(first.wrapping_add(step) % 12_000).unwrap();
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}

impl Tinyproxy {
    /// `None`, with the reason printed, where it is not installed.
    fn start(more: &str) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let port = free_port();
        let (log, conf) = (folder.path().join("log"), folder.path().join("conf"));
        let text = format!(
            "Port {port}\nListen 127.0.0.1\nTimeout 60\nLogFile \"{}\"\nLogLevel Connect\n\
             MaxClients 50\nAllow 127.0.0.1\n{more}\n",
            log.display()
        );
        fs::write(&conf, text).unwrap();
        let mut command = Command::new("tinyproxy");
        command.arg("-d").arg("-c").arg(&conf).stdout(Stdio::null()).stderr(Stdio::null());
        let child = match command.spawn() {
            Ok(child) => child,
            Err(error) => {
                println!("not tried: tinyproxy cannot be started ({error}); install tinyproxy");
                return None;
            }
        };
        let proxy = Self { child, port, log, _folder: folder };
        let started = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(started.elapsed() < Duration::from_secs(60), "tinyproxy does not answer");
            std::thread::sleep(Duration::from_millis(20));
        }
        Some(proxy)
    }

    fn url(&self, user: &str) -> String {
        format!("http://{user}127.0.0.1:{}", self.port)
    }

    /// The requests in its log.
    fn requests(&self) -> Vec<String> {
        let text = fs::read_to_string(&self.log).unwrap();
        let request = |line: &str| {
            let (_, request) = line.split_once("Request (")?;
            Some(request.split_once("): ")?.1.to_owned())
        };
        text.lines().filter_map(request).collect()
    }
}

async fn converts(sandbox: &Sandbox, proxy: &str) {
    // it ends connections after a plain request without having said so: one may be lost
    let options = [("proxy", proxy), NOBODY, ("max_retries", "2")];
    convert(&client(sandbox, true, &options)).await.unwrap();
}

#[tokio::test]
async fn carries_plain_requests_and_tunnels() {
    let Some(proxy) = Tinyproxy::start("") else { return };
    let sandbox = plain();
    crate::common::answers(&sandbox, 1);
    converts(&sandbox, &proxy.url("")).await;
    let requests = proxy.requests();
    for path in ["/.well-known/openid-configuration", TOKEN, CONVERT] {
        assert!(requests.iter().any(|line| line.contains(path)), "{path}: {requests:?}");
    }
    let secure = started(https());
    converts(&secure, &proxy.url("")).await;
    let host = secure.base_url().strip_prefix("https://").unwrap();
    let tunnels = proxy.requests();
    assert!(tunnels.iter().any(|line| line.contains(&format!("CONNECT {host}"))), "{tunnels:?}");
    assert_eq!(secure.requests().len(), 3);
}

#[tokio::test]
async fn asks_for_a_password() {
    let Some(proxy) = Tinyproxy::start("BasicAuth user secret9") else { return };
    for sandbox in [plain(), started(https())] {
        crate::common::answers(&sandbox, 1);
        converts(&sandbox, &proxy.url("user:secret9@")).await;
        let seen = sandbox.requests().len();
        assert_eq!(seen, 3);
        for user in ["", "user:wrong7@"] {
            let options = [("proxy", &*proxy.url(user)), NOBODY];
            let error = convert(&client(&sandbox, true, &options)).await.unwrap_err();
            // to a wrong password for a plain request it says 401, as if it were the service; only
            // its page gives it away
            let plain = sandbox.ca_pem().is_none() && !user.is_empty();
            let code = if plain { Code::HtmlAnswer } else { Code::ProxyFailed };
            assert_eq!(error.code(), code, "{user:?}: {error}");
            assert!(error.message().contains("proxy") && !error.is_retryable(), "{error}");
            assert!(!error.to_json().to_string().contains("wrong7"));
        }
        assert_eq!(sandbox.requests().len(), seen, "nothing passed");
    }
}

#[tokio::test]
async fn refuses_ports_it_does_not_serve() {
    let Some(proxy) = Tinyproxy::start("ConnectPort 443") else { return };
    let sandbox = started(https());
    let options = [("proxy", &*proxy.url("")), NOBODY];
    let error = convert(&client(&sandbox, true, &options)).await.unwrap_err();
    assert_eq!(error.code(), Code::ProxyFailed, "{error}");
    assert!(sandbox.requests().is_empty());
}
