//! The doctor names what is wrong, with its remedy.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use common::{client, client_with, sandbox};
use signdoc::{CallOptions, CheckPoint, CheckStatus, Client};
use signdoc_sandbox::{Environment, Fault, Rule};

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
    let all =
        ["configuration", "discovery", "tls", "proxy", "clock", "credentials", "service", "scope"];
    assert_eq!(names, all);
    assert!(points.iter().all(|point| point.status == CheckStatus::Passed), "{points:#?}");
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
