//! The control surface and the life of a sandbox.
// helpers outside of test functions are test code as well
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use std::net::TcpStream;
use std::time::Duration;

use common::*;
use serde_json::{Value, json};
use signdoc_sandbox::{Environment, Error, Sandbox};

fn ask(sandbox: &Sandbox, method: &str, path: &str, body: Value) -> (u16, Value) {
    let reply = control(sandbox, method, path, &body);
    (reply.status, reply.json())
}

#[test]
fn the_state_tells_everything_but_secrets() {
    let sandbox = test_environment();
    get(&sandbox, "/nowhere");
    let (status, state) = ask(&sandbox, "GET", "", json!(null));
    assert_eq!(status, 200);
    assert_eq!(state["environment"], "test");
    assert_eq!(state["issuer"], sandbox.issuer());
    assert_eq!(state["requests"], 1);
    assert_eq!(state["refused"][0]["path"], "/nowhere");
    assert!(!state.to_string().contains(sandbox.client_secret()));
    assert_eq!(get(&sandbox, "/_sandbox").status, 200);
    assert_eq!(get(&sandbox, "/_sandboxes").status, 404);
    assert_eq!(sandbox.requests().len(), 2, "control requests are not recorded");
}

#[test]
fn the_clock() {
    let sandbox = test_environment();
    let (_, clock) = ask(&sandbox, "POST", "clock", json!({"set": 1_000_000}));
    assert_eq!(clock["now"], 1_000_000);
    let (_, clock) = ask(&sandbox, "POST", "clock", json!({"frozen": true}));
    assert_eq!(clock["frozen"], true);
    let (_, clock) = ask(&sandbox, "POST", "clock", json!({"advance_seconds": 60}));
    let now = clock["now"].as_u64().unwrap();
    assert!((1_000_060..1_000_065).contains(&now), "{now}");
    assert_eq!(ask(&sandbox, "GET", "clock", json!(null)).1, clock);
    let (_, clock) = ask(&sandbox, "POST", "clock", json!({"reset": true}));
    assert_eq!((&clock["offset_seconds"], &clock["frozen"]), (&json!(0), &json!(false)));
    for bad in [json!({}), json!({"set": 1, "frozen": true}), json!({"set": -1}), json!({"x": 1})] {
        let (status, answer) = ask(&sandbox, "POST", "clock", bad);
        assert_eq!(status, 400);
        assert!(answer["error"].is_string());
    }
}

#[test]
fn fault_rules_come_and_go() {
    let sandbox = test_environment();
    let rules = json!([{"fault": {"kind": "delay"}}, {"fault": {"kind": "html"}}]);
    let (status, answer) = ask(&sandbox, "POST", "faults", rules);
    assert_eq!((status, answer), (201, json!({"ids": [1, 2]})));
    let (_, list) = ask(&sandbox, "GET", "faults", json!(null));
    assert_eq!(list["faults"][1]["fault"], json!({"kind": "html", "status": 502}));
    assert_eq!(list["faults"][0]["times"], 1);
    assert_eq!(ask(&sandbox, "DELETE", "faults/1", json!(null)).0, 200);
    assert_eq!(ask(&sandbox, "DELETE", "faults/1", json!(null)).0, 404);
    assert_eq!(get(&sandbox, "/x").status, 502);
    assert_eq!(ask(&sandbox, "DELETE", "faults", json!(null)).1["removed"], 1);
    for bad in [json!({"fault": {"kind": "none"}}), json!({"fault": {"kind": "status"}}), json!(7)]
    {
        let (status, answer) = ask(&sandbox, "POST", "faults", bad);
        assert_eq!(status, 400, "{answer}");
    }
    let half_good = json!([{"fault": {"kind": "delay"}}, {"fault": {"kind": "none"}}]);
    assert_eq!(ask(&sandbox, "POST", "faults", half_good).0, 400);
    assert_eq!(sandbox.faults().list().len(), 0, "all or none");
}

#[test]
fn requests_can_be_filtered_and_forgotten() {
    let sandbox = test_environment();
    bearer(&sandbox);
    get(&sandbox, "/a?b=c");
    let count = |query: &str| {
        let (_, answer) = ask(&sandbox, "GET", &format!("requests{query}"), json!(null));
        answer["requests"].as_array().unwrap().len()
    };
    assert_eq!((count(""), count("?method=POST"), count("?path=/a")), (2, 1, 1));
    assert_eq!((count("?refused=true"), count("?method=GET&path=/b")), (1, 0));
    assert_eq!(sandbox.requests()[1].query.as_deref(), Some("b=c"));
    assert_eq!(ask(&sandbox, "GET", "requests?what=1", json!(null)).0, 400);
    assert_eq!(ask(&sandbox, "DELETE", "requests", json!(null)).1["removed"], 2);
    assert_eq!(count(""), 0);
}

#[test]
fn tokens_and_variants() {
    let sandbox = test_environment();
    let token = bearer(&sandbox);
    bearer(&sandbox);
    let one = json!({"token": token.strip_prefix("Bearer ").unwrap()});
    assert_eq!(ask(&sandbox, "POST", "tokens/revoke", one.clone()).1["revoked"], 1);
    assert_eq!(ask(&sandbox, "POST", "tokens/revoke", one).1["revoked"], 0);
    assert_eq!(ask(&sandbox, "POST", "tokens/expire", json!(null)).1["expired"], 1);
    assert_eq!(ask(&sandbox, "POST", "tokens/revoke", json!(null)).1["revoked"], 1);

    let (_, variants) = ask(&sandbox, "POST", "variants", json!({"pdf_specs": "array"}));
    assert_eq!((&variants["pdf_specs"], &variants["count"]), (&json!("array"), &json!("exact")));
    ask(&sandbox, "POST", "variants", json!({"count": "one_less"}));
    let (_, variants) = ask(&sandbox, "GET", "variants", json!(null));
    assert_eq!(variants["pdf_specs"], "array", "what was not named stays");
    assert_eq!(ask(&sandbox, "POST", "variants", json!({"typo": 1})).0, 400);

    ask(&sandbox, "POST", "faults", json!({"fault": {"kind": "delay"}}));
    sandbox.clock().advance(Duration::from_secs(1000));
    let (_, state) = ask(&sandbox, "POST", "reset", json!(null));
    assert_eq!((&state["faults"], &state["requests"]), (&json!(0), &json!(0)));
    assert_eq!(state["clock"]["offset_seconds"], 0);
    assert_eq!(state["variants"]["pdf_specs"], "string");
    assert_eq!(ask(&sandbox, "POST", "nothing", json!(null)).0, 404);
    assert_eq!(ask(&sandbox, "PUT", "faults", json!(null)).0, 404);
}

#[test]
fn samples_can_be_fetched() {
    let sandbox = test_environment();
    let (_, list) = ask(&sandbox, "GET", "samples", json!(null));
    let list = list["samples"].as_array().unwrap();
    assert!(list.len() >= 6);
    for sample in list {
        let name = sample["name"].as_str().unwrap();
        let reply = get(&sandbox, &format!("/_sandbox/samples/{name}"));
        assert_eq!(reply.header("content-type"), Some("application/pdf"));
        assert_eq!(reply.body.len() as u64, sample["bytes"].as_u64().unwrap(), "{name}");
    }
    assert_eq!(get(&sandbox, "/_sandbox/samples/none.pdf").status, 404);
}

#[test]
fn nothing_open_holds_the_end_back() {
    let sandbox = Sandbox::builder().environment(Environment::Test).start().unwrap();
    assert_eq!(get(&sandbox, "/_sandbox/").status, 200);
    let address = sandbox.base_url().strip_prefix("http://").unwrap().to_owned();
    // an open connection, a stalled request: neither holds it back
    let _idle = Connection::open(sandbox.base_url());
    sandbox.shutdown();
    assert!(TcpStream::connect(address).is_err());
}

#[test]
fn a_taken_port_is_an_error() {
    let sandbox = test_environment();
    let port = sandbox.base_url().rsplit(':').next().unwrap().parse().unwrap();
    let error = Sandbox::builder().port(port).start().unwrap_err();
    assert!(matches!(error, Error::Bind { .. }));
    assert!(error.to_string().contains(&port.to_string()), "{error}");
}
