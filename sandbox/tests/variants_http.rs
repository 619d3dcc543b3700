//! The forms in which every answer travels.
// helpers outside of test functions are test code as well
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use std::io::Read;

use common::flow::*;
use common::*;
use flate2::read::{DeflateDecoder, GzDecoder, ZlibDecoder};
use serde_json::{Value, json};
use signdoc_sandbox::{Fault, Person, Rule};

const DISCOVERY: &str = "/auth/realms/sandbox/.well-known/openid-configuration";
const FORMS: [(&str, &str); 3] =
    [("gzip", "gzip"), ("deflate", "deflate"), ("raw_deflate", "deflate")];

/// What can be decoded of a body, from its beginning.
fn decoded(form: &str, body: &[u8]) -> Vec<u8> {
    let mut decoder: Box<dyn Read> = match form {
        "gzip" => Box::new(GzDecoder::new(body)),
        "deflate" => Box::new(ZlibDecoder::new(body)),
        _ => Box::new(DeflateDecoder::new(body)),
    };
    let mut out = Vec::new();
    let mut buffer = [0; 4096];
    while let Ok(count @ 1..) = decoder.read(&mut buffer) {
        out.extend_from_slice(&buffer[..count]);
    }
    out
}

#[test]
fn every_part_of_the_service_may_encode_what_it_answers() {
    let sandbox = production();
    let bearer = bearer(&sandbox);
    let ask = |method: &str, target: &str, body: &str| {
        let headers = [JSON, ("accept-encoding", "identity"), ("authorization", bearer.as_str())];
        exchange(&sandbox, method, target, &headers, body.as_bytes())
    };
    let order = sdo_order(vec![json!({"text": "Hei"})]).to_string();
    let calls = [
        ("GET", DISCOVERY, ""),
        ("GET", "/signdoc/convert/pdf/specs", ""),
        ("POST", "/signdoc/convert", "{}"),
        ("POST", SDO, &order),
        ("POST", "/csc/v2/info", "{}"),
        ("GET", "/nowhere", ""),
    ];
    for (method, target, body) in calls {
        choose(&sandbox, &json!({}));
        let plain = ask(method, target, body);
        assert_eq!(plain.header("content-encoding"), None);
        for (form, name) in FORMS {
            choose(&sandbox, &json!({"content_encoding": form}));
            let reply = ask(method, target, body);
            assert_eq!(reply.header("content-encoding"), Some(name), "{target}");
            assert_eq!(reply.status, plain.status);
            assert_eq!(reply.header("content-length"), Some(&*reply.body.len().to_string()));
            let text = decoded(form, &reply.body);
            let same = |bytes: &[u8]| match serde_json::from_slice::<Value>(bytes) {
                // an order has a new sign_id each time
                Ok(mut value) if target == SDO => {
                    value["sign_id"] = json!(null);
                    value.to_string()
                }
                _ => String::from_utf8_lossy(bytes).into_owned(),
            };
            assert_eq!(same(&text), same(&plain.body), "{form} {target}");
        }
    }
    let shown = control(&sandbox, "GET", "", &Value::Null);
    assert_eq!(shown.header("content-encoding"), None, "the control surface is not the service");
}

#[test]
fn bodies_that_are_empty_or_of_a_fault_are_not_encoded() {
    let sandbox = production();
    let id = create(&sandbox, SDO, &sdo_order(vec![json!({"text": "Hei"})]));
    let token = bearer(&sandbox);
    choose(&sandbox, &json!({"content_encoding": "gzip", "unfinished_delete": "no_content"}));
    let headers = [("authorization", token.as_str())];
    let reply = exchange(&sandbox, "DELETE", &format!("{SDO}?sign_id={id}"), &headers, b"");
    assert_eq!((reply.status, reply.header("content-encoding")), (204, None));
    sandbox.faults().add(Rule::new(Fault::answer(200, "text/plain", "as it is"))).unwrap();
    let reply = get(&sandbox, DISCOVERY);
    assert_eq!((reply.text().as_str(), reply.header("content-encoding")), ("as it is", None));
}

#[test]
fn an_encoded_download_is_whole_and_can_be_cut_at_its_documents() {
    let sandbox = production();
    let order = pades_order(vec![loan(), loan()]);
    for (form, _) in FORMS {
        let new = || {
            choose(&sandbox, &json!({}));
            let id = create(&sandbox, PADES, &order);
            sandbox.sign(&id, Person::Kari).unwrap();
            let token = bearer(&sandbox);
            choose(&sandbox, &json!({"content_encoding": form}));
            (format!("{PADES}?sign_id={id}"), token)
        };
        let (target, token) = new();
        let headers = [("authorization", token.as_str())];
        let reply = exchange(&sandbox, "DELETE", &target, &headers, b"");
        let body: Value = serde_json::from_slice(&decoded(form, &reply.body)).unwrap();
        let one = &body["signingResults"][1];
        assert_eq!(one["signedDocumentSha256"], sha256(&bytes(&one["padesSignedPdf"])));

        // document 3 is the second signed PDF, after the first one with its appendix
        let (target, token) = new();
        let headers = [("authorization", token.as_str())];
        let rule = json!({"method": "DELETE",
            "fault": {"kind": "cut_document", "document": 3, "at": "end", "how": "complete"}});
        assert_eq!(control(&sandbox, "POST", "faults", &rule).status, 201);
        let reply = exchange(&sandbox, "DELETE", &target, &headers, b"");
        let text = String::from_utf8(decoded(form, &reply.body)).unwrap();
        assert_eq!(text.matches("padesSignedPdf").count(), 2, "{form}");
        let last = text.rsplit('"').next().unwrap();
        assert_eq!(sha256(&bytes(&json!(last))).len(), 44, "the whole document came");
    }
}

#[test]
fn json_may_come_under_another_type_or_none() {
    let sandbox = production();
    for (form, kind) in [
        ("json", Some("application/json")),
        ("json_charset", Some("application/json;charset=UTF-8")),
        ("text", Some("text/plain")),
        ("absent", None),
    ] {
        choose(&sandbox, &json!({"content_type": form}));
        assert_eq!(get(&sandbox, DISCOVERY).header("content-type"), kind);
        let other = get(&sandbox, "/nowhere");
        assert_eq!(other.header("content-type"), Some("text/plain; charset=utf-8"));
    }
}
