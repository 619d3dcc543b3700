//! The doctor names what is wrong, with its remedy.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use common::{TOKEN, client, client_with, sandbox};
use signdoc::{CallOptions, CheckPoint, CheckStatus, Client, Code};
use signdoc_sandbox::{Environment, Fault, Rule, Sandbox, ServerCertificate};

async fn checked(client: &Client) -> Vec<CheckPoint> {
    client.check(&CallOptions::default()).await
}

fn status(points: &[CheckPoint], name: &str) -> CheckStatus {
    points.iter().find(|point| point.name == name).unwrap_or_else(|| panic!("no {name}")).status
}

fn failed(points: &[CheckPoint]) -> Vec<&str> {
    let failed = points.iter().filter(|point| point.status == CheckStatus::Failed);
    failed.inspect(|point| assert!(point.remedy.is_some(), "{point:?}")).map(|p| p.name).collect()
}

#[tokio::test]
async fn a_healthy_client_passes_every_point() {
    let sandbox = sandbox(Environment::Test);
    let points = checked(&client(&sandbox)).await;
    let names: Vec<_> = points.iter().map(|point| point.name).collect();
    let all = [
        "configuration",
        "discovery",
        "tls",
        "proxy",
        "clock",
        "credentials",
        "service",
        "orders",
        "scope",
    ];
    assert_eq!(names, all);
    assert!(points.iter().all(|point| point.status == CheckStatus::Passed), "{points:#?}");
    for name in ["service", "orders"] {
        let told = &point(&points, name).detail;
        let at = format!("at {} (signdoc-baseurl of the discovery document)", sandbox.base_url());
        assert!(told.contains(&at), "{told}");
    }
}

#[tokio::test]
async fn each_trouble_is_named() {
    let sandbox = sandbox(Environment::Test);
    let once = |options: &[(&str, &str)]| client_with(&sandbox, options);
    assert_eq!(failed(&checked(&once(&[("client_secret", "wrong")])).await), ["credentials"]);
    assert_eq!(failed(&checked(&once(&[("scope", "nonsense")])).await), ["scope"]);
    assert_eq!(failed(&checked(&once(&[("scope", "esign/nnin")])).await), ["scope"]);
    let down = once(&[("base_url", "http://127.0.0.1:1"), ("max_retries", "0")]);
    assert_eq!(failed(&checked(&down).await), ["service"]);
    let no_orders = once(&[("orders_url", "http://127.0.0.1:1"), ("max_retries", "0")]);
    let points = checked(&no_orders).await;
    assert_eq!(failed(&points), ["orders"]);
    assert!(point(&points, "orders").detail.contains("127.0.0.1:1 (orders_url)"));
    let nobody = once(&[("issuer", "http://127.0.0.1:1/realm"), ("max_retries", "0")]);
    let points = checked(&nobody).await;
    assert_eq!(failed(&points), ["discovery"]);
    assert_eq!(status(&points, "credentials"), CheckStatus::NotChecked);

    let skewed = client(&sandbox);
    skewed.clock().set_offset(-120.0);
    assert_eq!(failed(&checked(&skewed).await), ["clock"]);

    let page = Rule::new(Fault::Html { status: 403 }).on("GET", "*").forever();
    sandbox.faults().add(page).unwrap();
    assert_eq!(failed(&checked(&client(&sandbox)).await), ["discovery", "proxy"]);
}

fn point<'a>(points: &'a [CheckPoint], name: &str) -> &'a CheckPoint {
    points.iter().find(|point| point.name == name).unwrap()
}

#[tokio::test]
async fn tls_is_told_with_the_remedy_for_what_is_wrong() {
    for (kind, remedy) in [
        (ServerCertificate::UnknownCa, "ca_file"),
        (ServerCertificate::Expired, "renew"),
        (ServerCertificate::WrongName, "another host"),
    ] {
        let builder = Sandbox::builder().environment(Environment::Test);
        let sandbox = builder.tls(true).tls_certificate(kind).start().unwrap();
        let ca = sandbox.ca_file().unwrap();
        let points = checked(&client_with(&sandbox, &[("ca_file", ca.to_str().unwrap())])).await;
        assert_eq!(failed(&points), ["discovery", "tls"], "{points:#?}");
        let tls = point(&points, "tls");
        assert_eq!(tls.code, Some(Code::TlsFailed));
        assert!(tls.remedy.as_ref().unwrap().contains(remedy), "{tls:?}");
    }
    let builder = Sandbox::builder().environment(Environment::Test);
    let sandbox = builder.tls(true).tls_client_certificate(true).start().unwrap();
    let ca = sandbox.ca_file().unwrap();
    let points = checked(&client_with(&sandbox, &[("ca_file", ca.to_str().unwrap())])).await;
    assert!(point(&points, "tls").remedy.as_ref().unwrap().contains("client_cert"), "{points:#?}");
}

#[tokio::test]
async fn a_trouble_of_the_token_endpoints_host_is_not_taken_for_wrong_credentials() {
    let sandbox = sandbox(Environment::Test);
    let page = Rule::new(Fault::Html { status: 403 }).on("POST", TOKEN).forever();
    sandbox.faults().add(page).unwrap();
    let points = checked(&client_with(&sandbox, &[("max_retries", "0")])).await;
    assert_eq!(failed(&points), ["proxy"], "{points:#?}");
    assert_eq!(status(&points, "credentials"), CheckStatus::NotChecked);

    sandbox.faults().clear();
    sandbox.faults().add(Rule::new(Fault::status(503)).on("POST", TOKEN).forever()).unwrap();
    let points = checked(&client_with(&sandbox, &[("max_retries", "0")])).await;
    assert_eq!(failed(&points), ["credentials"], "{points:#?}");
    assert_eq!(point(&points, "credentials").code, Some(Code::ServiceUnavailable));

    // a page that is not found is a wrong address, whoever answers
    sandbox.faults().clear();
    let page = Rule::new(Fault::Html { status: 404 }).on("GET", "*").forever();
    sandbox.faults().add(page).unwrap();
    assert_eq!(failed(&checked(&client(&sandbox)).await), ["discovery"]);
}

#[tokio::test]
async fn no_secret_is_a_finding_and_nothing_is_asked_with_it() {
    let sandbox = sandbox(Environment::Test);
    let mut builder = common::config(&sandbox);
    builder.set("client_secret", "").unwrap();
    let points = checked(&Client::new(builder.build().unwrap()).unwrap()).await;
    assert_eq!(failed(&points), ["configuration"]);
    assert_eq!(point(&points, "configuration").code, Some(Code::MissingSecret));
    assert_eq!(status(&points, "credentials"), CheckStatus::NotChecked);
    assert_eq!(common::seen(&sandbox, "POST", TOKEN), 0);
}
