//! Tokens and metadata: cached, renewed early, and asked for once however many callers there are.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use std::collections::BTreeSet;
use std::time::Duration;

use common::{CONVERT, TOKEN, answers, client, client_with, config, sandbox, seen};
use signdoc::{CallOptions, Client, Code, Error};
use signdoc_sandbox::{Environment, Fault, Rule, Sandbox};

const DISCOVERY: &str = "/auth/realms/sandbox/.well-known/openid-configuration";

/// Fifty callers at the same time.
async fn fifty(client: &Client) -> Vec<Result<Vec<String>, Error>> {
    let calls: Vec<_> = (0..50)
        .map(|_| {
            let client = client.clone();
            tokio::spawn(async move { client.conversion_specs(&CallOptions::default()).await })
        })
        .collect();
    let mut results = Vec::new();
    for call in calls {
        results.push(call.await.unwrap());
    }
    results
}

fn slow_tokens(sandbox: &Sandbox) {
    let rule = Rule::new(Fault::Delay {}).on("POST", TOKEN).delay_ms(300).forever();
    sandbox.faults().add(rule).unwrap();
}

async fn specs(client: &Client) -> Result<Vec<String>, Error> {
    client.conversion_specs(&CallOptions::default()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn fifty_callers_with_no_token_cause_one_request() {
    let sandbox = sandbox(Environment::Test);
    slow_tokens(&sandbox);
    for result in fifty(&client(&sandbox)).await {
        assert_eq!(result.unwrap(), ["PDFA_2B"]);
    }
    assert_eq!(seen(&sandbox, "POST", TOKEN), 1);
    assert_eq!(seen(&sandbox, "GET", DISCOVERY), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn fifty_callers_with_an_expired_token_cause_one_request() {
    let sandbox = sandbox(Environment::Test);
    let client = client(&sandbox);
    specs(&client).await.unwrap();
    sandbox.clock().advance(Duration::from_secs(400));
    client.clock().set_offset(400.0);
    slow_tokens(&sandbox);
    for result in fifty(&client).await {
        result.unwrap();
    }
    assert_eq!(seen(&sandbox, "POST", TOKEN), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn fifty_callers_whose_token_is_refused_cause_one_renewal() {
    let sandbox = sandbox(Environment::Test);
    let client = client(&sandbox);
    specs(&client).await.unwrap();
    sandbox.revoke_tokens();
    slow_tokens(&sandbox);
    for result in fifty(&client).await {
        result.unwrap();
    }
    assert_eq!(seen(&sandbox, "POST", TOKEN), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn fifty_callers_share_one_failure() {
    let sandbox = sandbox(Environment::Test);
    let client = client_with(&sandbox, &[("max_retries", "0")]);
    client.provider_metadata(&CallOptions::default()).await.unwrap();
    let rule = Rule::new(Fault::status(500)).on("POST", TOKEN).delay_ms(300).forever();
    sandbox.faults().add(rule).unwrap();
    let told: BTreeSet<_> =
        fifty(&client).await.into_iter().map(|result| result.unwrap_err().to_string()).collect();
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!(seen(&sandbox, "POST", TOKEN), 1);
}

#[tokio::test]
async fn a_token_is_renewed_before_its_end_and_serves_while_renewal_fails() {
    let sandbox = sandbox(Environment::Test);
    let client = client_with(&sandbox, &[("max_retries", "0")]);
    specs(&client).await.unwrap();
    // 300 s of life: renewed from 240 s on.
    client.clock().set_offset(200.0);
    specs(&client).await.unwrap();
    assert_eq!(seen(&sandbox, "POST", TOKEN), 1);

    client.clock().set_offset(270.0);
    let id =
        sandbox.faults().add(Rule::new(Fault::status(503)).on("POST", TOKEN).forever()).unwrap();
    specs(&client).await.unwrap();
    assert_eq!(seen(&sandbox, "POST", TOKEN), 2, "renewal was tried");
    specs(&client).await.unwrap();
    assert_eq!(seen(&sandbox, "POST", TOKEN), 2, "and is not tried at every call");

    sandbox.faults().remove(id);
    client.clock().set_offset(285.0);
    specs(&client).await.unwrap();
    assert_eq!(seen(&sandbox, "POST", TOKEN), 3);
}

#[tokio::test]
async fn a_wrong_secret_does_not_go_on_serving_the_old_token() {
    let sandbox = sandbox(Environment::Test);
    let client = client(&sandbox);
    specs(&client).await.unwrap();
    client.clock().set_offset(270.0);
    let refused = Fault::answer(401, "application/json", r#"{"error":"invalid_client"}"#);
    sandbox.faults().add(Rule::new(refused).on("POST", TOKEN).forever()).unwrap();
    assert_eq!(specs(&client).await.unwrap_err().code(), Code::OauthInvalidClient);
}

#[tokio::test]
async fn metadata_is_refreshed_daily_and_survives_an_outage() {
    let sandbox = sandbox(Environment::Test);
    let client = client_with(&sandbox, &[("max_retries", "0")]);
    let metadata = client.provider_metadata(&CallOptions::default()).await.unwrap();
    assert!(metadata.get("signdoc-baseurl").is_some());
    client.clock().set_offset(23.0 * 3600.0);
    client.provider_metadata(&CallOptions::default()).await.unwrap();
    assert_eq!(seen(&sandbox, "GET", DISCOVERY), 1);
    client.clock().set_offset(25.0 * 3600.0);
    sandbox.faults().add(Rule::new(Fault::status(503)).on("GET", DISCOVERY).forever()).unwrap();
    client.provider_metadata(&CallOptions::default()).await.unwrap();
    assert_eq!(seen(&sandbox, "GET", DISCOVERY), 2);
}

#[tokio::test]
async fn scopes_have_tokens_of_their_own_and_an_umbrella_scope_serves() {
    let sandbox = sandbox(Environment::Test);
    let umbrella = client_with(&sandbox, &[("scope", "esign")]);
    specs(&umbrella).await.unwrap();
    let wrong = client_with(&sandbox, &[("scope", "esign/nnin")]);
    assert_eq!(specs(&wrong).await.unwrap_err().code(), Code::AccessTokenRejected);
    assert_eq!(seen(&sandbox, "POST", TOKEN), 3, "one, then one and its single renewal");
}

#[tokio::test]
async fn an_independent_deadline_holds_while_somebody_else_fetches_the_token() {
    let sandbox = sandbox(Environment::Test);
    let client = client(&sandbox);
    sandbox
        .faults()
        .add(
            Rule::new(Fault::Stall { after_bytes: None, for_ms: None }).on("POST", TOKEN).forever(),
        )
        .unwrap();
    let patient = tokio::spawn({
        let client = client.clone();
        async move { specs(&client).await }
    });
    tokio::time::sleep(Duration::from_millis(100)).await;
    let options = CallOptions { timeout: Some(Duration::from_millis(200)), ..Default::default() };
    let error = client.conversion_specs(&options).await.unwrap_err();
    assert_eq!(error.code(), Code::TotalTimeout);
    patient.abort();
}

#[tokio::test]
async fn secrets_are_in_no_request_record_error_or_debug_output() {
    let sandbox = Sandbox::builder().client_secret("canary-4711").start().unwrap();
    let client = client(&sandbox);
    answers(&sandbox, 2);
    let error = client
        .convert(&[signdoc::Document::from_bytes(common::PDF)], &Default::default())
        .await
        .unwrap_err();
    let shown = format!("{client:?} {error:?} {error} {} {:?}", error.to_json(), config(&sandbox));
    assert!(!shown.contains("canary"), "{shown}");
    assert_eq!(seen(&sandbox, "POST", CONVERT), 1);
}
