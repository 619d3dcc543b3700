//! The two addresses: everything at both, or orders at one of their own.
// helpers outside of test functions are test code as well
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use common::flow::*;
use common::*;
use serde_json::{Value, json};
use signdoc_sandbox::{Address, Environment, Person, Sandbox};

const DISCOVERY: &str = "/auth/realms/sandbox/.well-known/openid-configuration";

/// One path of each part of the service but orders, and the control surface.
const OTHERS: [(&str, &str); 5] = [
    ("GET", DISCOVERY),
    ("GET", "/signdoc/convert/pdf/specs"),
    ("POST", "/signdoc/convert"),
    ("POST", "/csc/v2/info"),
    ("GET", "/_sandbox/"),
];

/// The status of a request without a token at an address.
fn status(address: &str, method: &str, path: &str) -> u16 {
    Connection::open(address).request(method, path, &[], b"").status
}

fn apart() -> Sandbox {
    let builder = Sandbox::builder().environment(Environment::Test).seed(Some(1));
    builder.two_addresses(true).start().unwrap()
}

fn published(sandbox: &Sandbox) -> String {
    get(sandbox, DISCOVERY).json()["signdoc-baseurl"].as_str().unwrap().to_owned()
}

#[test]
fn both_addresses_serve_everything_unless_they_are_kept_apart() {
    let sandbox = test_environment();
    let (base, orders) = (sandbox.base_url().to_owned(), sandbox.orders_url().to_owned());
    assert_ne!(base, orders);
    assert_eq!(published(&sandbox), base);
    for (method, path) in OTHERS.into_iter().chain([("GET", PADES), ("DELETE", SDO)]) {
        for address in [&base, &orders] {
            assert_ne!(status(address, method, path), 404, "{address}{path}");
        }
    }
    choose(&sandbox, &json!({"two_addresses": true}));
    assert_eq!(published(&sandbox), orders);
    for (method, path) in OTHERS {
        assert_ne!(status(&base, method, path), 404, "{path}");
        assert_eq!(status(&orders, method, path), 404, "{path}");
    }
    for path in [PADES, SDO] {
        for method in ["POST", "GET", "DELETE"] {
            assert_eq!(status(&base, method, path), 404, "{method} {path}");
            assert_eq!(status(&orders, method, path), 403, "{method} {path}: it asks for a token");
        }
    }
    let refused = sandbox.refused();
    let told = refused.iter().filter(|seen| seen.status == Some(404));
    assert!(told.clone().count() > 0);
    for seen in told {
        let reason = seen.refused.as_deref().unwrap();
        assert!(reason.ends_with("is served at the other address"), "{reason}");
    }
}

#[test]
fn requests_tell_at_which_address_they_arrived() {
    let sandbox = apart();
    let bearer = bearer(&sandbox);
    let headers = [JSON, ("authorization", bearer.as_str())];
    let order = sdo_order(vec![json!({"text": "Hei"})]).to_string();
    let mut connection = Connection::open(sandbox.orders_url());
    let made = connection.request("POST", SDO, &headers, order.as_bytes());
    assert_eq!(made.status, 201, "{}", made.text());
    let id = made.json()["sign_id"].as_str().unwrap().to_owned();
    sandbox.sign(&id, Person::Kari).unwrap();
    let target = format!("{SDO}?sign_id={id}");
    let body = connection.request("DELETE", &target, &headers, b"").json();
    assert_eq!(body["orderState"], "SIGN_COMPLETED");

    let seen: Vec<_> = sandbox.requests().iter().map(|seen| seen.address).collect();
    assert_eq!(seen, [Address::Base, Address::Orders, Address::Orders]);
    let listed = control(&sandbox, "GET", "requests?path=/signdoc", &Value::Null).json();
    assert_eq!(listed["requests"][0]["address"], "orders");
    let connections: Vec<_> = sandbox.requests().iter().map(|seen| seen.connection).collect();
    assert_eq!(connections[1], connections[2], "numbers are of connections, not of addresses");
    assert_ne!(connections[0], connections[1]);
}

#[test]
fn a_reset_comes_back_to_the_addresses_of_the_start() {
    for (sandbox, at_the_start) in [(apart(), true), (test_environment(), false)] {
        assert_eq!(sandbox.variants().two_addresses, at_the_start);
        let change = json!({"two_addresses": !at_the_start, "digests": "hex"});
        assert_eq!(control(&sandbox, "POST", "variants", &change).status, 200);
        assert_eq!(sandbox.variants().two_addresses, !at_the_start);
        let state = control(&sandbox, "POST", "reset", &Value::Null).json();
        assert_eq!(state["variants"]["two_addresses"], at_the_start);
        assert_eq!(state["variants"]["digests"], "base64");
        assert_eq!(state["orders_url"], sandbox.orders_url());
    }
}

#[test]
fn what_discovery_says_of_the_address_of_orders_can_be_otherwise() {
    let sandbox = apart();
    let orders = sandbox.orders_url().to_owned();
    for (form, value) in [("trailing_slash", json!(format!("{orders}/"))), ("absent", Value::Null)]
    {
        let change = json!({"discovery_signdoc_baseurl": form});
        assert_eq!(control(&sandbox, "POST", "variants", &change).status, 200);
        assert_eq!(get(&sandbox, DISCOVERY).json()["signdoc-baseurl"], value);
    }
}
