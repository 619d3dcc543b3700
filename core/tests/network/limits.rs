//! Time limits: for a connection, for silence and in all, per client and per call.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use signdoc::{CallOptions, Code, ConvertOptions, Document, Error};
use signdoc_sandbox::{Fault, Rule, Sandbox};

use crate::common::{CONVERT, PDF, TOKEN};
use crate::support::{client, plain, specs};

const DISCOVERY: &str = "/auth/realms/sandbox/.well-known/openid-configuration";
const SPECS: &str = "/signdoc/convert/pdf/specs";

fn stalls(sandbox: &Sandbox, path: &str) {
    sandbox.faults().clear();
    let fault = Fault::Stall { after_bytes: None, for_ms: None };
    sandbox.faults().add(Rule::new(fault).on("*", path).forever()).unwrap();
}

/// The error, which came no earlier than after `least` milliseconds. That it came at all is the
/// other half: what it waits for never happens.
async fn after(least: u64, work: impl Future<Output = Result<Vec<String>, Error>>) -> Error {
    let started = Instant::now();
    let error = work.await.unwrap_err();
    let took = started.elapsed();
    assert!(took >= Duration::from_millis(least), "{error} after {took:?}");
    error
}

fn seconds(seconds: f64) -> Option<Duration> {
    Some(Duration::from_secs_f64(seconds))
}

#[tokio::test]
async fn a_server_that_takes_no_connection() {
    // its backlog takes the TCP connection, and then nobody speaks TLS
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let issuer = format!("https://{}/realm", listener.local_addr().unwrap());
    let options = [("issuer", issuer.as_str()), ("connect_timeout", "0.3")];
    let client = client(&plain(), false, &options);
    let error = after(300, specs(&client)).await;
    assert_eq!(error.code(), Code::ConnectTimeout, "{error}");
    assert!(error.message().contains("connect_timeout"), "{error}");
    assert_eq!(error.details()["limit"], 0.3);
    // a call's own limit counts instead of the client's, whichever is longer
    let longer = CallOptions { connect_timeout: seconds(0.7), ..Default::default() };
    let error = after(700, client.conversion_specs(&longer)).await;
    assert_eq!(error.code(), Code::ConnectTimeout, "{error}");
    assert_eq!(error.details()["limit"], 0.7);
    let patient = crate::support::client(&plain(), false, &[("issuer", issuer.as_str())]);
    let shorter = CallOptions { connect_timeout: seconds(0.2), ..Default::default() };
    let error = after(200, patient.conversion_specs(&shorter)).await;
    assert_eq!(error.code(), Code::ConnectTimeout, "{error}");
    assert_eq!(error.details()["limit"], 0.2);
}

#[tokio::test]
async fn silence_at_every_step() {
    let sandbox = plain();
    for path in [DISCOVERY, TOKEN, SPECS] {
        stalls(&sandbox, path);
        let client = client(&sandbox, false, &[("read_timeout", "0.3")]);
        let error = after(300, specs(&client)).await;
        assert_eq!(error.code(), Code::ReadTimeout, "{path}: {error}");
        assert_eq!(error.details()["limit"], 0.3);
        let longer = CallOptions { read_timeout: seconds(0.6), ..Default::default() };
        let error = after(600, client.conversion_specs(&longer)).await;
        assert_eq!(error.code(), Code::ReadTimeout, "{path}: {error}");
        assert_eq!(error.details()["limit"], 0.6);
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
        let error = after(300, specs(&short)).await;
        assert_eq!(error.code(), Code::TotalTimeout, "{path}: {error}");
        assert!(error.message().contains("timeout"), "{error}");
        // a call's own limit counts instead of the client's, whichever is longer
        let call = CallOptions { timeout: seconds(0.9), ..Default::default() };
        let error = after(900, short.conversion_specs(&call)).await;
        assert_eq!(error.code(), Code::TotalTimeout, "{path}: {error}");
        let long = client(&sandbox, false, &[]);
        let call = CallOptions { timeout: seconds(0.3), ..Default::default() };
        let error = after(300, long.conversion_specs(&call)).await;
        assert_eq!(error.code(), Code::TotalTimeout, "{path}: {error}");
    }
    stalls(&sandbox, CONVERT);
    let mut options = ConvertOptions::default();
    options.call.timeout = seconds(0.3);
    let client = client(&sandbox, false, &[]);
    let error = client.convert(&[Document::from_bytes(PDF)], &options).await.unwrap_err();
    assert_eq!(error.code(), Code::TotalTimeout, "{error}");
}

#[tokio::test]
async fn the_whole_time_counts_repetitions() {
    let sandbox = plain();
    let again = [("retry-after".to_owned(), "3".to_owned())].into();
    let fault = Fault::Status {
        status: 503,
        headers: again,
        content_type: None,
        body: None,
        body_base64: None,
        json: None,
        before_body: false,
        after_work: false,
    };
    sandbox.faults().add(Rule::new(fault).on("*", "*").forever()).unwrap();
    let client = client(&sandbox, false, &[("timeout", "5"), ("max_retries", "10")]);
    let error = specs(&client).await.unwrap_err();
    assert_eq!(error.code(), Code::ServiceUnavailable, "{error}");
    // one repetition after three seconds; for another there is no time left
    let seen = sandbox.requests().len();
    assert!((1..=2).contains(&seen), "{seen} requests");
}
