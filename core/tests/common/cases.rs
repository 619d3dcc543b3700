//! What the runners of test vectors share. The README beside the vectors explains the keys.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
#![allow(dead_code, missing_docs)]

use std::path::PathBuf;

use serde_json::Value;
use signdoc_sandbox::{Rule, Sandbox, Variants};

/// The cases of a set: those of its own file, and of `open.json` those that are like it.
pub fn cases(set: &str) -> Vec<Value> {
    let mut found = read(set);
    found.extend(read("open").into_iter().filter(|case| case["like"] == set));
    found
}

fn read(name: &str) -> Vec<Value> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/vectors");
    let text = std::fs::read(folder.join(format!("{name}.json"))).unwrap();
    let mut file: Value = serde_json::from_slice(&text).unwrap();
    serde_json::from_value(file["cases"].take()).unwrap()
}

/// Says that the case runs; whether it can, where the sandbox may not be able to convert.
pub fn runs(case: &Value, set: &str, converter: &Result<String, String>) -> bool {
    let set = if case["like"].is_null() { set } else { "open" };
    println!("vector {set}/{}", case["id"].as_str().unwrap());
    match (case["needs"].as_str(), converter) {
        (Some("converter"), Err(reason)) => {
            println!("  left out: no converter: {reason}");
            false
        }
        _ => true,
    }
}

/// Puts the sandbox in the state in which the case begins.
pub fn prepare(case: &Value, sandbox: &Sandbox) {
    sandbox.reset();
    if !case["variants"].is_null() {
        let variants: Variants = serde_json::from_value(case["variants"].clone()).unwrap();
        sandbox.set_variants(variants);
    }
    for rule in case["faults"].as_array().into_iter().flatten() {
        let rule: Rule = serde_json::from_str(&with_addresses(&rule.to_string(), sandbox)).unwrap();
        sandbox.faults().add(rule).unwrap();
    }
}

/// A text of a case, with the sandbox's addresses for the words that stand for them.
pub fn with_addresses(text: &str, sandbox: &Sandbox) -> String {
    let issuer = sandbox.issuer();
    let realm = issuer.strip_prefix(sandbox.base_url()).unwrap();
    text.replace("$ISSUER", &issuer)
        .replace("$REALM", realm)
        .replace("$BASE_URL", sandbox.base_url())
        .replace("$ORDERS_URL", sandbox.orders_url())
}

/// The client options of a case.
pub fn options(case: &Value, sandbox: &Sandbox) -> Vec<(String, String)> {
    let given = case["options"].as_object().into_iter().flatten();
    given
        .map(|(key, value)| (key.clone(), with_addresses(value.as_str().unwrap(), sandbox)))
        .collect()
}

/// What came back from a login, as the case has it: each parameter may come twice.
pub fn came_back(case: &Value, url: &str) -> String {
    match (case["callback"].as_str(), url.split_once('?')) {
        (Some("twice"), Some((_, query))) => format!("{url}&{query}"),
        _ => url.to_owned(),
    }
}

/// The documents of the last request to `path`, as far as the case names them.
pub fn check_sent_documents(case: &Value, path: &str, sandbox: &Sandbox) {
    let Some(wanted) = case["expect"]["sent_documents"].as_array() else { return };
    let requests = sandbox.requests().into_iter().rev();
    let sent = requests
        .filter(|one| one.method == "POST" && one.path == path)
        .find_map(|one| one.body)
        .unwrap_or_default();
    for (index, wanted) in wanted.iter().enumerate() {
        for (key, value) in wanted.as_object().unwrap() {
            let found = &sent["documents"][index][key];
            assert_eq!(value, found, "{}: {key} of document {index}", case["id"]);
        }
    }
}
