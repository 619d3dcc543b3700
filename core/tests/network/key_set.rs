//! The provider's key set, which a login asks for, over the same network as everything else.

use signdoc::{Client, Code, Config, Error, FinishOptions, Identity, LoginOptions};

use crate::provider::{self, Key, Shared};
use crate::server::{DISCOVERY, KEYS, Server, TOKEN};
use crate::support::{Manner, NOBODY, Proxy};
use crate::tls_front::TlsFront;

const REDIRECT: &str = "https://shop.example/callback";

/// A provider that says it lives at `url`.
fn provider_at(url: &str) -> (Server, Shared) {
    let (server, provider) = provider::start(Key::ec("one"));
    provider.lock().unwrap().issuer = url.to_owned();
    (server, provider)
}

fn client(issuer: &str, options: &[(&str, &str)]) -> Client {
    let mut builder = Config::builder();
    let own = [("issuer", issuer), ("client_id", "shop"), ("client_secret", "s3cret")];
    for (key, value) in own.iter().chain(options) {
        builder.set(key, value).unwrap();
    }
    builder.set("max_retries", "0").unwrap();
    Client::new(builder.build().unwrap()).unwrap()
}

/// A whole login: discovery, the exchange of the code, the key set.
async fn login(client: &Client, provider: &Shared) -> Result<Identity, Error> {
    let login = client.login().begin("4120de56", REDIRECT, &LoginOptions::default()).await?;
    let url = url::Url::parse(&login.url).unwrap();
    let value = |name: &str| url.query_pairs().find(|(key, _)| key == name).unwrap().1.into_owned();
    provider.lock().unwrap().nonces.insert("code".to_owned(), value("nonce"));
    let callback = format!("{REDIRECT}?code=code&state={}", value("state"));
    client.login().finish(&login.to_token(), callback.as_str(), &FinishOptions::default()).await
}

#[tokio::test]
async fn is_read_over_tls_with_an_authority_of_ones_own() {
    let listener = TlsFront::listener().await;
    let url = format!("https://{}", listener.local_addr().unwrap());
    let (server, provider) = provider_at(&url);
    let front = TlsFront::on(listener, server.address);
    let ca = front.ca_file();
    for only in ["true", "false"] {
        let client = client(&url, &[("ca_file", ca.to_str().unwrap()), ("ca_only", only)]);
        login(&client, &provider).await.unwrap();
    }
    for (method, path) in [("GET", DISCOVERY), ("POST", TOKEN), ("GET", KEYS)] {
        assert_eq!(server.seen(method, path).len(), 2, "{method} {path}");
    }
    let error = login(&client(&url, &[]), &provider).await.unwrap_err();
    assert_eq!(error.code(), Code::TlsFailed, "{error}");
}

#[tokio::test]
async fn is_read_through_a_proxy() {
    let (server, provider) = provider::start(Key::ec("one"));
    let proxy = Proxy::start(Manner::Pass);
    let url = proxy.url();
    login(&client(&server.url(), &[("proxy", &url), NOBODY]), &provider).await.unwrap();
    let base = server.url();
    let expected = [
        format!("GET {base}{DISCOVERY}"),
        format!("POST {base}{TOKEN}"),
        format!("GET {base}{KEYS}"),
    ];
    assert_eq!(proxy.lines(), expected);
}

#[tokio::test]
async fn is_read_through_a_proxys_tunnels() {
    let listener = TlsFront::listener().await;
    let address = listener.local_addr().unwrap();
    let url = format!("https://{address}");
    let (server, provider) = provider_at(&url);
    let front = TlsFront::on(listener, server.address);
    let ca = front.ca_file();
    let proxy = Proxy::start(Manner::Pass);
    let options = [("ca_file", ca.to_str().unwrap()), ("proxy", &*proxy.url()), NOBODY];
    login(&client(&url, &options), &provider).await.unwrap();
    assert_eq!(server.seen("GET", KEYS).len(), 1);
    let lines = proxy.lines();
    assert!(!lines.is_empty() && lines.iter().all(|line| *line == format!("CONNECT {address}")));
}

#[tokio::test]
async fn a_page_in_its_place_is_named_and_the_login_keeps_its_order() {
    let (server, provider) = provider::start(Key::ec("one"));
    let page = b"<html><head><title>Blocked by policy</title></head></html>";
    let blocked = Server::start(move |seen| {
        seen.is("GET", KEYS).then(|| crate::server::Reply::new(200, "text/html", &[], page))
    });
    // keys come from the host that a company blocks
    let keys = format!("{}{KEYS}", blocked.url());
    provider.lock().unwrap().key_set = Some(keys);
    let error = login(&client(&server.url(), &[]), &provider).await.unwrap_err();
    assert_eq!(error.code(), Code::HtmlAnswer, "{error}");
    assert!(error.message().contains("Blocked by policy"), "{error}");
    assert_eq!(error.details()["sign_id"], "4120de56");
}
