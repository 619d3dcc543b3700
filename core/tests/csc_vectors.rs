//! The cases of `tests/vectors/csc.json` through the Rust face.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

#[path = "common/cases.rs"]
mod cases;
mod common;

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value;
use signdoc::csc::{CscLoginOptions, CscSession, HashesToSign, Padding, hash_algorithm};
use signdoc::{CallOptions, Client, Error, FinishOptions};
use signdoc_sandbox::{Action, Environment, Person, Sandbox, Visit};

const REDIRECT: &str = "https://shop.example/callback";
/// What every case counts; other requests only where it names them.
const COUNTED: [&str; 2] = ["POST /csc/v2/credentials/", "POST /csc/v2/signatures/"];

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

fn client(case: &Value, sandbox: &Sandbox) -> Client {
    let csc = sandbox.csc_url();
    let mut options = vec![("csc_url", csc.as_str()), ("max_retries", "0")];
    let given = cases::options(case, sandbox);
    options.extend(given.iter().map(|(key, value)| (key.as_str(), value.as_str())));
    common::client_with(sandbox, &options)
}

async fn login(case: &Value, sandbox: &Sandbox, client: &Client) -> Result<CscSession, Error> {
    let login = client.csc().begin(REDIRECT, &CscLoginOptions::default())?;
    let action = match text(case, "action") {
        "cancel" => Action::Cancel,
        "fail" => Action::Fail,
        _ => Action::Sign,
    };
    let visit = Visit { url: login.url.clone(), action, person: Person::Kari };
    let callback = cases::came_back(case, &sandbox.visit(visit).unwrap().url);
    let finish = || async {
        let options = FinishOptions::default();
        client.csc().finish(&login.to_token(), &callback, &options).await
    };
    for _ in 1..case["finish"].as_u64().unwrap_or(1) {
        finish().await?;
    }
    finish().await
}

/// What is signed: the digests are all different, their content does not matter.
fn wanted(sign: &Value) -> Result<HashesToSign, Error> {
    let name = sign["hash_algorithm"].as_str().unwrap_or("sha256");
    let length = sign["length"].as_u64().unwrap_or(match name {
        "sha384" => 48,
        "sha512" => 64,
        _ => 32,
    });
    let count = sign["count"].as_u64().unwrap();
    let hashes = (1..=count).map(|number| vec![number as u8; length as usize]).collect();
    let mut request = HashesToSign::new(hashes, hash_algorithm(name)?);
    request.credential_id = sign["credential_id"].as_str().map(str::to_owned);
    request.padding = sign["padding"].as_str().map(Padding::named).transpose()?;
    request.description = sign["description"].as_str().map(str::to_owned);
    Ok(request)
}

/// Moves the clock, and signs where something is to be signed: how many signatures came.
async fn sign(step: &Value, sandbox: &Sandbox, session: &CscSession) -> Result<u64, Error> {
    if let Some(seconds) = step["advance"].as_u64() {
        sandbox.clock().advance(Duration::from_secs(seconds));
    }
    if step["sign"].is_null() {
        return Ok(0);
    }
    let signed = session.sign_hashes(wanted(&step["sign"])?, &CallOptions::default()).await?;
    Ok(signed.signatures.len() as u64)
}

fn check_error(id: &str, expect: &Value, error: &Error) {
    let told = error.to_json();
    let expected =
        expect["error"].as_object().unwrap_or_else(|| panic!("{id}: unexpected {told:#}"));
    for (key, value) in expected {
        assert_eq!(value, &told[key], "{id}: {key} of {told:#}");
    }
    for (key, value) in expect["details"].as_object().into_iter().flatten() {
        assert_eq!(value, &told["details"][key], "{id}: details.{key} of {told:#}");
    }
    for part in expect["message"].as_array().into_iter().flatten() {
        let part = part.as_str().unwrap();
        assert!(error.message().contains(part), "{id}: {part:?} in {:?}", error.message());
    }
    if let Some(expected) = expect["reference"].as_bool() {
        assert_eq!(error.reference().is_some(), expected, "{id}: reference of {told:#}");
    }
}

fn check_requests(id: &str, expect: &Value, sandbox: &Sandbox) {
    let Some(expected) = expect["requests"].as_object() else { return };
    let expected: BTreeMap<_, _> =
        expected.iter().map(|(key, count)| (key.clone(), count.as_u64().unwrap())).collect();
    let mut counts: BTreeMap<_, _> = expected.keys().map(|key| (key.clone(), 0)).collect();
    for seen in sandbox.requests() {
        let request = format!("{} {}", seen.method, seen.path);
        if counts.contains_key(&request) || COUNTED.iter().any(|start| request.starts_with(start)) {
            *counts.entry(request).or_default() += 1;
        }
    }
    assert_eq!(counts, expected, "{id}");
}

fn check(id: &str, step: &Value, sandbox: &Sandbox, outcome: Result<u64, Error>) {
    let expect = &step["expect"];
    match outcome {
        Err(error) => check_error(id, expect, &error),
        Ok(count) => {
            assert!(expect["error"].is_null(), "{id}: no error came");
            assert_eq!(count, expect["signatures"].as_u64().unwrap_or(0), "{id}: signatures");
        }
    }
    check_requests(id, expect, sandbox);
}

async fn run(case: &Value, sandbox: &Sandbox) {
    let id = text(case, "id");
    cases::prepare(case, sandbox);
    let client = client(case, sandbox);
    let session = match login(case, sandbox, &client).await {
        Ok(session) => session,
        Err(error) => return check(id, case, sandbox, Err(error)),
    };
    check(id, case, sandbox, sign(case, sandbox, &session).await);
    let then = &case["then"];
    if !then.is_null() {
        check(&format!("{id}, then"), then, sandbox, sign(then, sandbox, &session).await);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_case_comes_out_as_written() {
    let sandbox = common::sandbox(Environment::Production);
    for case in cases::cases("csc") {
        if cases::runs(&case, "csc", &sandbox.converter()) {
            run(&case, &sandbox).await;
        }
    }
}
