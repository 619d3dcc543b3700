//! Every fault, as it looks on the wire.
// helpers outside of test functions are test code as well
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use std::time::{Duration, Instant};

use common::*;
use serde_json::{Value, json};
use signdoc_sandbox::{CutHow, Fault, ResetWhen, Rule, Sandbox, Shape};

const META: &str = "/auth/realms/sandbox/.well-known/openid-configuration";

fn with(rule: Rule) -> Sandbox {
    let sandbox = test_environment();
    sandbox.faults().add(rule).unwrap();
    sandbox
}

fn one(fault: Fault) -> Sandbox {
    with(Rule::new(fault).on("GET", META))
}

#[test]
fn status_with_headers_once() {
    let sandbox = one(Fault::status(503).with_header("Retry-After", "2"));
    let reply = get(&sandbox, META);
    assert_eq!((reply.status, reply.header("retry-after")), (503, Some("2")));
    assert_eq!(get(&sandbox, META).status, 200, "only once");
    let seen = sandbox.requests();
    assert_eq!((seen[0].fault, seen[1].fault), (Some(1), None));
}

#[test]
fn exact_bytes_and_every_content_type() {
    let sandbox = one(Fault::answer(200, "application/x-thing", b"\x00\xff\r\n"));
    let reply = get(&sandbox, META);
    assert_eq!(reply.body, b"\x00\xff\r\n");
    assert_eq!(reply.header("content-type"), Some("application/x-thing"));
    control(
        &sandbox,
        "POST",
        "faults",
        &json!({"fault": {"kind": "status", "status": 400, "json": {"a": 1}}}),
    );
    let reply = get(&sandbox, META);
    assert_eq!((reply.status, reply.text().as_str()), (400, r#"{"a":1}"#));
}

#[test]
fn times_skip_and_forever() {
    let sandbox = with(Rule::new(Fault::status(500)).on("*", "/auth/*").skip(1).times(2));
    let statuses: Vec<u16> = (0..4).map(|_| get(&sandbox, META).status).collect();
    assert_eq!(statuses, [200, 500, 500, 200]);
    sandbox.faults().clear();
    sandbox.faults().add(Rule::new(Fault::status(500)).forever()).unwrap();
    assert!((0..5).all(|_| get(&sandbox, META).status == 500));
    assert_eq!(get(&sandbox, "/_sandbox/").status, 200, "never on the control surface");
}

#[test]
fn delay_and_slow() {
    let sandbox = with(Rule::new(Fault::Delay {}).delay_ms(200));
    let started = Instant::now();
    assert_eq!(get(&sandbox, META).status, 200);
    assert!(started.elapsed() >= Duration::from_millis(200));
    let length = get(&sandbox, META).body.len();
    sandbox.faults().add(Rule::new(Fault::Slow { step_bytes: 300, pause_ms: 30 })).unwrap();
    let started = Instant::now();
    let reply = get(&sandbox, META);
    assert_eq!((reply.body.len(), reply.ended), (length, Ended::Complete));
    let pauses = (length as u64 - 1) / 300;
    assert!(started.elapsed() >= Duration::from_millis(30 * pauses), "{pauses} pauses");
}

#[test]
fn resets_at_each_moment() {
    let sandbox = with(Rule::new(Fault::reset(ResetWhen::Accept)));
    assert_eq!(get(&sandbox, META).ended, Ended::Reset);
    assert_eq!(sandbox.requests().len(), 0);

    for (when, carried_out) in [
        (ResetWhen::BeforeBody, false),
        (ResetWhen::AfterBody, false),
        (ResetWhen::AfterWork, true),
    ] {
        let sandbox = with(Rule::new(Fault::reset(when)).on("POST", TOKEN_PATH));
        let reply = token_with(&sandbox, "grant_type=client_credentials");
        assert_eq!((reply.ended, reply.raw.len()), (Ended::Reset, 0), "{when:?}");
        let seen = &sandbox.requests()[0];
        assert_eq!((seen.status, seen.finished), (None, true));
        assert_eq!(seen.body_bytes.is_some(), when != ResetWhen::BeforeBody, "{when:?}");
        let tokens = get(&sandbox, "/_sandbox/").json()["tokens"].clone();
        assert_eq!(tokens, u64::from(carried_out), "{when:?}");
    }

    let sandbox = one(Fault::Reset { when: ResetWhen::MidAnswer, after_bytes: 100 });
    let reply = get(&sandbox, META);
    assert_eq!((reply.status, reply.ended, reply.body.len()), (200, Ended::Reset, 100));
}

#[test]
fn reset_on_a_warm_connection() {
    let sandbox = with(Rule::new(Fault::reset(ResetWhen::BeforeBody)).on("GET", META).skip(1));
    let mut connection = Connection::open(sandbox.base_url());
    assert_eq!(connection.request("GET", META, &[], b"").status, 200);
    assert_eq!(connection.request("GET", META, &[], b"").ended, Ended::Reset);
    assert_eq!(sandbox.requests().len(), 2);
    assert_eq!(sandbox.requests()[0].connection, sandbox.requests()[1].connection);
}

#[test]
fn cut_in_both_ways_at_every_place() {
    let length = get(&test_environment(), META).body.len() as u64;
    for after_bytes in [0, 1, 500, length - 1] {
        let sandbox = one(Fault::Cut { after_bytes, how: CutHow::Close });
        let reply = get(&sandbox, META);
        assert_eq!((reply.status, reply.ended), (200, Ended::Early));
        assert_eq!(reply.header("content-length").unwrap(), length.to_string());
        assert_eq!(reply.body.len() as u64, after_bytes);

        let sandbox = one(Fault::Cut { after_bytes, how: CutHow::Complete });
        let reply = get(&sandbox, META);
        assert_eq!((reply.status, reply.ended), (200, Ended::Complete));
        assert_eq!(reply.header("content-length").unwrap(), after_bytes.to_string());
    }
    let sandbox = one(Fault::Cut { after_bytes: length, how: CutHow::Close });
    assert_eq!(get(&sandbox, META).ended, Ended::Complete, "nothing left to cut");
}

#[test]
fn a_cut_does_not_stay_on_the_connection() {
    let sandbox = one(Fault::Cut { after_bytes: u64::MAX, how: CutHow::Close });
    let mut connection = Connection::open(sandbox.base_url());
    for _ in 0..3 {
        assert_eq!(connection.request("GET", META, &[], b"").ended, Ended::Complete);
    }
}

#[test]
fn close_after_a_whole_answer() {
    let sandbox = one(Fault::Close {});
    let mut connection = Connection::open(sandbox.base_url());
    let reply = connection.request("GET", META, &[], b"");
    assert_eq!((reply.status, reply.ended), (200, Ended::Complete));
    assert_eq!(reply.header("connection"), None, "nothing announces it");
    connection.patience(Duration::from_secs(60));
    assert_eq!(connection.read().ended, Ended::Early, "closed while idle");
    let reply = connection.request("GET", META, &[], b"");
    assert!(reply.raw.is_empty());
    assert_eq!(sandbox.requests().len(), 1, "the second request was never read");
}

#[test]
fn garbage_as_body_and_on_the_wire() {
    let sandbox = one(Fault::Garbage { bytes: 1000, on_wire: false });
    let reply = get(&sandbox, META);
    assert_eq!((reply.status, reply.body.len()), (200, 1000));
    assert!(serde_json::from_slice::<Value>(&reply.body).is_err());
    let sandbox = one(Fault::Garbage { bytes: 1000, on_wire: true });
    let reply = get(&sandbox, META);
    assert_eq!((reply.raw.len(), reply.ended), (1000, Ended::Early));
    assert!(!reply.raw.starts_with(b"HTTP"));
}

#[test]
fn html_and_empty() {
    let sandbox = one(Fault::Html { status: 502 });
    let reply = get(&sandbox, META);
    assert_eq!(reply.status, 502);
    assert_eq!(reply.header("content-type"), Some("text/html; charset=utf-8"));
    assert!(reply.text().starts_with("<!DOCTYPE html>"));
    let sandbox = one(Fault::Empty { status: 200 });
    let reply = get(&sandbox, META);
    assert_eq!((reply.status, reply.body.len()), (200, 0));
    assert_eq!((reply.header("content-type"), reply.header("content-length")), (None, Some("0")));
}

#[test]
fn stall_before_and_inside_the_answer() {
    let stalled = |after_bytes, for_ms| {
        let sandbox = one(Fault::Stall { after_bytes, for_ms });
        let mut connection = Connection::open(sandbox.base_url());
        connection.patience(Duration::from_secs(3));
        let reply = connection.request("GET", META, &[], b"");
        (reply.body.len(), !reply.raw.is_empty(), reply.ended)
    };
    assert_eq!(stalled(None, None), (0, false, Ended::Silence));
    assert_eq!(stalled(Some(10), None), (10, true, Ended::Silence));
    assert_eq!(stalled(None, Some(50)), (0, false, Ended::Early));
    assert_eq!(stalled(Some(10), Some(50)), (10, true, Ended::Early));
}

#[test]
fn oversized_in_both_shapes() {
    let sandbox = one(Fault::Oversized { bytes: 5_000_000, shape: Shape::Object });
    let reply = get(&sandbox, META);
    assert_eq!(reply.json()["padding"].as_str().unwrap().len(), 5_000_000);
    let sandbox = one(Fault::Oversized { bytes: 4_000_000, shape: Shape::Document });
    let reply = get(&sandbox, META);
    assert_eq!(reply.json()[0]["convertedDocument"].as_str().unwrap().len(), 4_000_000);
    assert_eq!(reply.json()[0]["conversionResult"]["converted"], true);
}

#[test]
fn an_answer_before_the_body_is_read() {
    let sandbox = test_environment();
    let rule = json!({"path": TOKEN_PATH, "fault": {"kind": "status", "status": 413, "before_body": true}});
    assert_eq!(control(&sandbox, "POST", "faults", &rule).status, 201);
    let mut connection = Connection::open(sandbox.base_url());
    let head = format!("POST {TOKEN_PATH} HTTP/1.1\r\nhost: x\r\ncontent-length: 1000000\r\n\r\n");
    connection.send(head.as_bytes()).unwrap();
    assert_eq!(connection.read().status, 413);
    assert_eq!(sandbox.requests()[0].body_bytes, None);
}

#[test]
fn token_faults() {
    let sandbox = test_environment();
    let specs = |bearer: &str| {
        let headers = [("authorization", bearer)];
        exchange(&sandbox, "GET", "/signdoc/convert/pdf/specs", &headers, b"").status
    };
    let (first, second) = (bearer(&sandbox), bearer(&sandbox));
    sandbox.faults().add(Rule::new(Fault::RejectToken { revoke: false })).unwrap();
    assert_eq!([specs(&first), specs(&first)], [403, 200]);
    sandbox.faults().add(Rule::new(Fault::RejectToken { revoke: true })).unwrap();
    assert_eq!([specs(&first), specs(&first), specs(&second)], [403, 403, 200]);
    sandbox.faults().add(Rule::new(Fault::ExpireTokens {})).unwrap();
    assert_eq!([specs(&second), specs(&second)], [403, 403]);
    let third = bearer(&sandbox);
    assert_eq!(specs(&third), 200);
    assert_eq!(sandbox.revoke_tokens(), 2, "the first one is gone already");
    assert_eq!(specs(&third), 403);
}
