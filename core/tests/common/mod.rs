//! What the tests against the sandbox share.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
#![allow(dead_code, missing_docs)]

use signdoc::{Client, Config, ConfigBuilder};
use signdoc_sandbox::{Environment, Fault, Rule, Sandbox};

/// A small PDF as far as the local checks look.
pub const PDF: &[u8] = b"%PDF-1.4 not much";

pub fn sandbox(environment: Environment) -> Sandbox {
    Sandbox::builder().environment(environment).start().expect("the sandbox starts")
}

pub fn config(sandbox: &Sandbox) -> ConfigBuilder {
    let mut builder = Config::builder();
    builder.set("issuer", &sandbox.issuer()).unwrap();
    builder.set("client_id", sandbox.client_id()).unwrap();
    builder.set("client_secret", sandbox.client_secret()).unwrap();
    builder
}

pub fn client(sandbox: &Sandbox) -> Client {
    Client::new(config(sandbox).build().unwrap()).unwrap()
}

pub fn client_with(sandbox: &Sandbox, options: &[(&str, &str)]) -> Client {
    let mut builder = config(sandbox);
    for (key, value) in options {
        builder.set(key, value).unwrap();
    }
    Client::new(builder.build().unwrap()).unwrap()
}

pub const CONVERT: &str = "/signdoc/convert";
pub const TOKEN: &str = "/auth/realms/sandbox/protocol/openid-connect/token";

/// How often the sandbox saw this request.
pub fn seen(sandbox: &Sandbox, method: &str, path: &str) -> usize {
    sandbox.requests().iter().filter(|seen| seen.method == method && seen.path == path).count()
}

/// Makes the conversion answer with as many converted documents, without a converter.
pub fn answers(sandbox: &Sandbox, count: usize) {
    let one = serde_json::json!({
        "conversionResult": {"conversionId": "c", "converted": true},
        "convertedDocument": "JVBERi0xLjQgb2s=",
    });
    let body = serde_json::Value::Array(vec![one; count]).to_string();
    let fault = Fault::answer(200, "application/json", body);
    sandbox.faults().add(Rule::new(fault).on("POST", CONVERT).forever()).unwrap();
}
