//! Time limits: for a connection, for silence and in all, per client and per call.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use signdoc::{CallOptions, Code, ConvertOptions, Document, Error};
use signdoc_sandbox::{Fault, Rule, Sandbox};

use crate::common::{CONVERT, PDF, TOKEN, config};
use crate::support::{client, plain, specs};

const DISCOVERY: &str = "/auth/realms/sandbox/.well-known/openid-configuration";
const SPECS: &str = "/signdoc/convert/pdf/specs";

fn stalls(sandbox: &Sandbox, path: &str) {
    sandbox.faults().clear();
    let fault = Fault::Stall { after_bytes: None, for_ms: None };
    sandbox.faults().add(Rule::new(fault).on("*", path).forever()).unwrap();
}

/// The error, which came after at least `low` and less than `high` milliseconds.
async fn timed(
    low: u64,
    high: u64,
    work: impl Future<Output = Result<Vec<String>, Error>>,
) -> Error {
    let started = Instant::now();
    let error = work.await.unwrap_err();
    let took = started.elapsed();
    let fits = (Duration::from_millis(low)..Duration::from_millis(high)).contains(&took);
    assert!(fits, "{error} after {took:?}");
    error
}

#[tokio::test]
async fn a_server_that_takes_no_connection() {
    // its backlog takes the TCP connection, and then nobody speaks TLS
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let issuer = format!("https://{}/realm", listener.local_addr().unwrap());
    let options = [("issuer", issuer.as_str()), ("connect_timeout", "0.3")];
    let client = client(&plain(), false, &options);
    let error = timed(300, 5000, specs(&client)).await;
    assert_eq!(error.code(), Code::ConnectTimeout, "{error}");
    assert!(error.message().contains("connect_timeout"), "{error}");
}

#[tokio::test]
async fn silence_at_every_step() {
    let sandbox = plain();
    for path in [DISCOVERY, TOKEN, SPECS] {
        stalls(&sandbox, path);
        let client = client(&sandbox, false, &[("read_timeout", "0.3")]);
        let error = timed(300, 5000, specs(&client)).await;
        assert_eq!(error.code(), Code::ReadTimeout, "{path}: {error}");
        assert_eq!(error.details()["limit"], 0.3);
    }
    stalls(&sandbox, CONVERT);
    let client = client(&sandbox, false, &[("read_timeout", "0.3")]);
    let document = [Document::from_bytes(PDF)];
    let error = client.convert(&document, &Default::default()).await.unwrap_err();
    assert_eq!(error.code(), Code::ReadTimeout, "{error}");
}

#[tokio::test]
async fn the_whole_time_of_a_client_and_of_a_call() {
    let sandbox = plain();
    for path in [DISCOVERY, TOKEN, SPECS] {
        stalls(&sandbox, path);
        let short = client(&sandbox, false, &[("timeout", "0.3")]);
        let error = timed(300, 5000, specs(&short)).await;
        assert_eq!(error.code(), Code::TotalTimeout, "{path}: {error}");
        assert!(error.message().contains("timeout"), "{error}");
        // a call's own limit counts instead of the client's, whichever is longer
        let call = CallOptions { timeout: Some(Duration::from_millis(900)), ..Default::default() };
        let error = timed(900, 5000, short.conversion_specs(&call)).await;
        assert_eq!(error.code(), Code::TotalTimeout, "{path}: {error}");
        let long = client(&sandbox, false, &[]);
        let call = CallOptions { timeout: Some(Duration::from_millis(300)), ..Default::default() };
        let error = timed(300, 5000, long.conversion_specs(&call)).await;
        assert_eq!(error.code(), Code::TotalTimeout, "{path}: {error}");
    }
    stalls(&sandbox, CONVERT);
    let mut options = ConvertOptions::default();
    options.call.timeout = Some(Duration::from_millis(300));
    let client = client(&sandbox, false, &[]);
    let error = client.convert(&[Document::from_bytes(PDF)], &options).await.unwrap_err();
    assert_eq!(error.code(), Code::TotalTimeout, "{error}");
}

#[tokio::test]
async fn the_whole_time_counts_repetitions() {
    let sandbox = plain();
    sandbox.faults().add(Rule::new(Fault::Html { status: 503 }).on("*", "*").forever()).unwrap();
    let mut builder = config(&sandbox);
    builder.set("timeout", "1.5").unwrap().set("max_retries", "10").unwrap();
    let client = signdoc::Client::new(builder.build().unwrap()).unwrap();
    let started = Instant::now();
    let _ = specs(&client).await.unwrap_err();
    assert!(started.elapsed() < Duration::from_secs(4), "{:?}", started.elapsed());
}
