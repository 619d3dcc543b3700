//! The forms in which the order endpoints answer, as they come over HTTP.
// helpers outside of test functions are test code as well
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use std::sync::Arc;

use bytes::Bytes;
use common::flow::*;
use common::*;
use serde_json::{Value, json};
use signdoc_sandbox::{Person, Sandbox};
use signdoc_signature::pdf::SharedSource;
use signdoc_signature::sdo::{Sdo, to_iso_8859_1};
use signdoc_signature::verify::{VerifyOptions, verify_file};
use signdoc_signature::x509::TrustAnchors;

/// Signs an order and returns its download.
#[track_caller]
fn signed(sandbox: &Sandbox, path: &str, order: &Value) -> Value {
    let id = create(sandbox, path, order);
    sandbox.sign(&id, Person::Kari).unwrap();
    let reply = download(sandbox, path, &id);
    assert_eq!(reply.status, 200, "{}", reply.text());
    reply.json()
}

#[test]
fn a_text_of_any_characters_is_signed_and_verifies_as_it_was_sent() {
    let sandbox = production();
    let trust = TrustAnchors::from_bytes(sandbox.trust_pem().unwrap().as_bytes()).unwrap();
    let both = ["Lån på 5 000 kr", "Lån på 5 000 €"];
    for (form, latin_1) in [("any", [true, false]), ("utf8", [false, false])] {
        choose(&sandbox, &json!({"texts": form}));
        let body =
            signed(&sandbox, SDO, &sdo_order(both.map(|text| json!({"text": text})).to_vec()));
        for (index, text) in both.into_iter().enumerate() {
            let file = bytes(&body["sdos"][index]);
            let content = Sdo::parse(&file).unwrap().document().unwrap().unwrap();
            match latin_1[index] {
                true => assert_eq!(content, to_iso_8859_1(text).unwrap()),
                false => assert_eq!(content, text.as_bytes()),
            }
            assert_eq!(body["documentHashes"][index], sha256(&content));
            let verify = |original: &'static str| {
                let mut options = VerifyOptions { trust: trust.clone(), ..Default::default() };
                options.original = Some(Arc::new(Bytes::from_static(original.as_bytes())));
                let signed: SharedSource = Arc::new(Bytes::from(file.clone()));
                verify_file(&signed, &options)
            };
            let report = verify(text);
            assert!(report.is_ok(), "{form} {text}: {}", report.to_json());
            assert!(!verify("Lån på 6 000 kr").is_ok(), "{form} {text}");
        }
    }
    choose(&sandbox, &json!({"texts": "latin1"}));
    for (text, status) in [(both[0], 201), (both[1], 400)] {
        let reply = send(&sandbox, "POST", SDO, &sdo_order(vec![json!({"text": text})]));
        assert_eq!(reply.status, status, "{}", reply.text());
    }
    let problem = sandbox.refused().last().unwrap().refused.clone().unwrap();
    assert!(problem.contains("'€'"), "{problem}");
}

#[test]
fn an_empty_text_is_refused_whatever_is_taken() {
    let sandbox = production();
    for form in ["any", "latin1", "utf8"] {
        choose(&sandbox, &json!({"texts": form}));
        let reply = send(&sandbox, "POST", SDO, &sdo_order(vec![json!({"text": ""})]));
        let told = json!({"errors": ["Field 'documents[0].text' must not be empty"]});
        assert_eq!((reply.status, reply.json()), (400, told), "{form}");
    }
}

#[test]
fn a_stylesheet_has_either_of_its_names() {
    let sandbox = production();
    let (xml, sheet) = ("<loan/>", "<x:s xmlns:x='urn:x'/>");
    let made = ["xls", "xsl"].map(|name| {
        let body = signed(&sandbox, SDO, &sdo_order(vec![json!({"xml": xml, name: sheet})]));
        body["documentHashes"].clone()
    });
    assert_eq!(made[0], made[1]);
    for bad in [json!({"xml": xml}), json!({"xml": xml, "xls": sheet, "xsl": sheet})] {
        assert_eq!(send(&sandbox, "POST", SDO, &sdo_order(vec![bad])).status, 400);
    }
}

#[test]
fn a_new_order_is_named_in_either_way() {
    let sandbox = production();
    for (form, name, other) in [("snake", "sign_id", "signId"), ("camel", "signId", "sign_id")] {
        choose(&sandbox, &json!({"sign_id_name": form}));
        for (path, order) in
            [(PADES, pades_order(vec![loan()])), (SDO, sdo_order(vec![json!({"text": "Hei"})]))]
        {
            let body = send(&sandbox, "POST", path, &order).json();
            assert!(body[name].is_string() && body.get(other).is_none(), "{body}");
        }
    }
}

#[test]
fn the_state_of_an_order_comes_in_many_forms() {
    let sandbox = production();
    for (path, order) in
        [(PADES, pades_order(vec![loan()])), (SDO, sdo_order(vec![json!({"text": "Hei"})]))]
    {
        let id = create(&sandbox, path, &order);
        let state = "ORDER_RECEIVED";
        for (form, body) in [
            ("object", json!({ "orderState": state })),
            ("json_string", json!(state)),
            ("with_order", json!({"signId": id, "orderName": "Loan 4711", "orderState": state})),
            ("other_field", json!({ "status": state })),
            ("nested", json!({"order": {"orderState": state}})),
            ("list", json!([{ "orderState": state }])),
            ("none", json!({})),
        ] {
            choose(&sandbox, &json!({"order_state": form}));
            let reply = query(&sandbox, path, &id);
            assert_eq!((reply.status, reply.json()), (200, body), "{form}");
        }
        choose(&sandbox, &json!({"order_state": "text"}));
        assert_eq!(query(&sandbox, path, &id).text(), state);
        choose(&sandbox, &json!({"order_state": "method_not_allowed"}));
        let reply = query(&sandbox, path, &id);
        assert_eq!((reply.status, reply.header("allow")), (405, Some("POST, DELETE")));
        choose(&sandbox, &json!({"order_state": "server_error"}));
        assert_eq!(query(&sandbox, path, &id).status, 500);
        assert_eq!(download(&sandbox, path, &id).status, 200, "it is only the question");
    }
}

#[test]
fn digests_may_be_hexadecimal() {
    let sandbox = production();
    let hex = |base64: &Value| -> String {
        bytes(base64).iter().map(|byte| format!("{byte:02x}")).collect()
    };
    let pades = pades_order(vec![loan()]);
    let text = sdo_order(vec![json!({"text": "Hei"})]);
    choose(&sandbox, &json!({"digests": "hex"}));
    let one = signed(&sandbox, PADES, &pades)["signingResults"][0].clone();
    assert_eq!(one["signedDocumentSha256"], hex(&sha256(&bytes(&one["padesSignedPdf"])).into()));
    let unsigned = sha256(&bytes(&loan()["pdf"]));
    assert_eq!(one["unsignedDocumentSha256"], hex(&unsigned.into()));
    let hashes = signed(&sandbox, SDO, &text)["documentHashes"].clone();
    assert_eq!(hashes, json!([hex(&sha256(b"Hei").into())]));
}

#[test]
fn a_single_result_may_be_no_list() {
    let sandbox = production();
    choose(&sandbox, &json!({"download_results": "object_for_one"}));
    let one = signed(&sandbox, PADES, &pades_order(vec![loan()]));
    assert_eq!(one["signingResults"]["description"], "Loan agreement");
    assert_eq!(one["orderState"], "SIGN_COMPLETED");
    let two = signed(&sandbox, PADES, &pades_order(vec![loan(), loan()]));
    assert_eq!(two["signingResults"].as_array().unwrap().len(), 2);
    let id = create(&sandbox, PADES, &pades_order(vec![loan()]));
    assert_eq!(download(&sandbox, PADES, &id).json()["signingResults"], json!([]));
}

#[test]
fn results_that_were_not_asked_for_may_be_there_without_content() {
    let sandbox = production();
    for (form, text, list) in [("null", Value::Null, Value::Null), ("empty", json!(""), json!([]))]
    {
        choose(&sandbox, &json!({"unasked_results": form}));
        let mut order = pades_order(vec![loan()]);
        order["resultContent"] = json!(["padesSignedPdf"]);
        let one = signed(&sandbox, PADES, &order)["signingResults"][0].clone();
        assert!(one["padesSignedPdf"].as_str().unwrap().len() > 1000);
        for name in ["padesAppendix", "signedDocumentSha256", "unsignedDocumentSha256"] {
            assert_eq!(one.get(name), Some(&text), "{form} {name}");
        }
        let mut order = sdo_order(vec![json!({"text": "Hei"})]);
        order["resultContent"] = json!(["sdo"]);
        let body = signed(&sandbox, SDO, &order);
        for name in ["documentHashes", "merchantSignatures", "endUserSignatures"] {
            assert_eq!(body.get(name), Some(&list), "{form} {name}");
        }
    }
}

#[test]
fn an_unfinished_order_is_deleted_in_many_words() {
    let sandbox = production();
    let order = pades_order(vec![loan()]);
    let cases = [
        ("state", 200, Some(json!("ORDER_RECEIVED"))),
        ("empty", 200, None),
        ("no_content", 204, None),
    ];
    for (form, status, state_told) in cases {
        choose(&sandbox, &json!({"unfinished_delete": form}));
        let id = create(&sandbox, PADES, &order);
        let reply = download(&sandbox, PADES, &id);
        assert_eq!(reply.status, status, "{form}");
        match (form, state_told) {
            ("no_content", _) => assert!(reply.body.is_empty()),
            (_, None) => assert_eq!(reply.json(), json!({})),
            (_, state) => assert_eq!(reply.json().get("orderState"), state.as_ref()),
        }
        assert_eq!(state(&sandbox, PADES, &id), "404", "{form}: it is gone");
        let whole = signed(&sandbox, PADES, &order);
        assert_eq!(whole["orderState"], "SIGN_COMPLETED", "{form}: others are not concerned");
    }
    choose(&sandbox, &json!({"unfinished_delete": "refused"}));
    let id = create(&sandbox, PADES, &order);
    let reply = download(&sandbox, PADES, &id);
    let told = json!({"errors": ["The order is ORDER_RECEIVED"]});
    assert_eq!((reply.status, reply.json()), (400, told));
    assert_eq!(state(&sandbox, PADES, &id), "ORDER_RECEIVED", "it is still there");
    sandbox.cancel(&id).unwrap();
    assert_eq!(download(&sandbox, PADES, &id).json()["orderState"], "CANCELLED");
}

#[test]
fn an_order_that_is_not_there_has_one_of_three_statuses() {
    let sandbox = production();
    let done = create(&sandbox, PADES, &pades_order(vec![loan()]));
    assert_eq!(download(&sandbox, PADES, &done).status, 200);
    for (form, status) in [("not_found", 404), ("gone", 410), ("bad_request", 400)] {
        choose(&sandbox, &json!({"unknown_order": form}));
        for id in ["nobody", &done] {
            for reply in [query(&sandbox, PADES, id), download(&sandbox, PADES, id)] {
                let told = json!({"errors": ["Unknown 'sign_id'"]});
                assert_eq!((reply.status, reply.json()), (status, told), "{form} {id}");
            }
        }
    }
}
