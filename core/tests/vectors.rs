//! The cases of `tests/vectors/conversion.json` through the Rust face.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

#[path = "common/cases.rs"]
mod cases;
mod common;

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;
use signdoc::{
    BatchOptions, Client, Config, Conversion, ConvertOptions, Destination, Document, Error,
};
use signdoc_sandbox::{Environment, Sandbox, samples};

enum Outcome {
    Results(Vec<Conversion>),
    Specs(Vec<String>),
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

fn document(spec: &Value, folder: &Path, case: &Value) -> Document {
    let document = if let Some(name) = spec["sample"].as_str() {
        let sample = [samples::all(1), samples::each_warning(), samples::near_misses()]
            .concat()
            .into_iter()
            .find(|sample| sample.name == name);
        Document::from_bytes(sample.unwrap_or_else(|| panic!("no sample {name}")).bytes)
    } else if let Some(path) = spec["path"].as_str() {
        Document::from_path(folder.join(path))
    } else {
        let mut bytes = text(spec, "bytes").as_bytes().to_vec();
        if let Some(size) = spec["size"].as_u64() {
            bytes.resize(size as usize, b' ');
        }
        Document::from_bytes(bytes)
    };
    let document = document.allow_signed(case["allow_signed"] == true);
    match case["pdf_spec"].as_str() {
        Some(spec) => document.pdf_spec(spec),
        None => document,
    }
}

fn documents(case: &Value, folder: &Path) -> Vec<Document> {
    let list = case["documents"].as_array().cloned().unwrap_or_default();
    match case["count"].as_u64() {
        Some(count) => (0..count).map(|_| document(&list[0], folder, case)).collect(),
        None => list.iter().map(|spec| document(spec, folder, case)).collect(),
    }
}

fn client(case: &Value, sandbox: &Sandbox) -> Result<Client, Error> {
    let mut builder = Config::builder();
    builder.set("issuer", &sandbox.issuer())?;
    builder.set("client_id", sandbox.client_id())?;
    builder.set("client_secret", sandbox.client_secret())?;
    for (key, value) in cases::options(case, sandbox) {
        builder.set(&key, &value)?;
    }
    Client::new(builder.build()?)
}

async fn call(case: &Value, sandbox: &Sandbox, folder: &Path) -> Result<Outcome, Error> {
    let client = client(case, sandbox)?;
    if text(case, "call") == "specs" {
        return client.conversion_specs(&Default::default()).await.map(Outcome::Specs);
    }
    let to = match case["to"].as_str() {
        Some("folder") => Destination::folder(folder.join("out")),
        _ => Destination::Memory,
    };
    if text(case, "call") == "convert_many" {
        let options = BatchOptions { to, ..Default::default() };
        let mut batch = client.convert_many(documents(case, folder), options)?;
        let mut results = Vec::new();
        while let Some(result) = batch.next().await {
            results.push(result);
        }
        results.sort_by_key(|result| result.index);
        return Ok(Outcome::Results(results));
    }
    let strict = case["strict"].as_bool().unwrap_or(true);
    let options = ConvertOptions { to, strict, ..Default::default() };
    client.convert(&documents(case, folder), &options).await.map(Outcome::Results)
}

fn check_error(case: &Value, error: &Error) {
    let id = text(case, "id");
    let told = error.to_json();
    let expected =
        case["expect"]["error"].as_object().unwrap_or_else(|| panic!("{id}: unexpected {told:#}"));
    for (key, value) in expected {
        let same = match (value.as_f64(), told[key].as_f64()) {
            (Some(expected), Some(told)) => (expected - told).abs() < f64::EPSILON,
            _ => *value == told[key],
        };
        assert!(same, "{id}: {key} of {told:#}");
    }
    for (key, value) in case["expect"]["details"].as_object().into_iter().flatten() {
        assert_eq!(value, &told["details"][key], "{id}: details.{key} of {told:#}");
    }
    for part in case["expect"]["message"].as_array().into_iter().flatten() {
        let part = part.as_str().unwrap();
        assert!(error.message().contains(part), "{id}: {part:?} in {:?}", error.message());
    }
}

fn names<'a>(list: impl Iterator<Item = &'a str>) -> Value {
    list.collect::<Vec<_>>().into()
}

fn has_pdf(result: &Conversion) -> bool {
    match (&result.data, &result.path) {
        (Some(data), _) => data.starts_with(b"%PDF-"),
        (None, Some(path)) => std::fs::read(path).unwrap().starts_with(b"%PDF-"),
        (None, None) => false,
    }
}

fn check_results(case: &Value, results: &[Conversion]) {
    let id = text(case, "id");
    let Some(expected) = case["expect"]["results"].as_array() else { return };
    assert_eq!(results.len(), expected.len(), "{id}: {results:?}");
    for (index, (result, expected)) in results.iter().zip(expected).enumerate() {
        assert_eq!(result.index, index, "{id}");
        for (key, value) in expected.as_object().unwrap() {
            let actual = match key.as_str() {
                "converted" => result.converted.into(),
                "warnings" => names(result.warnings.iter().map(|w| w.name())),
                "errors" => names(result.errors.iter().map(|e| e.name())),
                "bytes" => has_pdf(result).into(),
                other => panic!("{id}: unknown key {other}"),
            };
            assert_eq!(value, &actual, "{id}: {key} of {result:?}");
        }
    }
}

fn check_requests(case: &Value, sandbox: &Sandbox) {
    let id = text(case, "id");
    let Some(expected) = case["expect"]["requests"].as_object() else { return };
    let mut counts = BTreeMap::<String, u64>::new();
    for seen in sandbox.requests() {
        *counts.entry(format!("{} {}", seen.method, seen.path)).or_default() += 1;
    }
    counts.retain(|request, _| expected.contains_key(request) || request.contains(" /signdoc/"));
    let expected: BTreeMap<_, _> =
        expected.iter().map(|(key, count)| (key.clone(), count.as_u64().unwrap())).collect();
    assert_eq!(counts, expected, "{id}");
}

async fn run(case: &Value, sandbox: &Sandbox) {
    cases::prepare(case, sandbox);
    let folder = tempfile::tempdir().unwrap();
    match call(case, sandbox, folder.path()).await {
        Err(error) => {
            check_error(case, &error);
            check_results(case, error.conversions());
        }
        Ok(outcome) => {
            assert!(case["expect"]["error"].is_null(), "{}: no error came", text(case, "id"));
            match outcome {
                Outcome::Results(results) => check_results(case, &results),
                Outcome::Specs(specs) => assert_eq!(case["expect"]["specs"], Value::from(specs)),
            }
        }
    }
    check_requests(case, sandbox);
    cases::check_sent_documents(case, common::CONVERT, sandbox);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_case_comes_out_as_written() {
    let production = common::sandbox(Environment::Production);
    let test = common::sandbox(Environment::Test);
    let converter = production.converter();
    for case in cases::cases("conversion") {
        if cases::runs(&case, "conversion", &converter) {
            let sandbox = if text(&case, "environment") == "test" { &test } else { &production };
            run(&case, sandbox).await;
        }
    }
}
