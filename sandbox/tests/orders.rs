//! Orders of both kinds: requests, states, windows, downloads.
// helpers outside of test functions are test code as well
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use std::time::Duration;

use common::flow::*;
use common::*;
use serde_json::{Value, json};
use signdoc_sandbox::{
    Fault, OrderError, OrderState, OrderStateForm, Person, ResetWhen, Rule, Sandbox, Variants,
    samples,
};

/// A sandbox whose clock stands still, so that windows can be met to the millisecond.
fn still() -> Sandbox {
    let sandbox = production();
    sandbox.clock().freeze();
    sandbox
}

fn problems(reply: &Reply) -> Vec<String> {
    assert_eq!(reply.status, 400, "{}", reply.text());
    texts(&reply.json()["errors"])
}

#[test]
fn every_state_of_a_pades_order_is_seen_in_turn() {
    let sandbox = still();
    let id = create(&sandbox, PADES, &pades_order(vec![loan()]));
    let mut seen = vec![state(&sandbox, PADES, &id)];
    while !sandbox.order_state(&id).unwrap().is_final() {
        let stepped = sandbox.step(&id).unwrap();
        seen.push(state(&sandbox, PADES, &id));
        assert_eq!(seen.last().unwrap(), stepped.name());
    }
    assert_eq!(
        seen,
        [
            "ORDER_RECEIVED",
            "GRABBED_BY_IDP",
            "GENERATING_MERCHANT_SEALS",
            "USER_SIGNING",
            "ADD_DOCUMENT_SECURITY_STORE",
            "SIGN_COMPLETED"
        ]
    );
    for (end, name) in [("cancel", "CANCELLED"), ("fail", "FAILED")] {
        let id = create(&sandbox, PADES, &pades_order(vec![loan()]));
        let reply = control(&sandbox, "POST", &format!("orders/{id}/{end}"), &Value::Null);
        assert_eq!(reply.json()["order"]["state"], name);
        assert_eq!(state(&sandbox, PADES, &id), name);
        let again = control(&sandbox, "POST", &format!("orders/{id}/sign"), &Value::Null);
        assert_eq!(again.status, 400, "{}", again.text());
    }
}

#[test]
fn an_end_users_signature_alone_and_an_sdo_skip_the_merchants_states() {
    let sandbox = still();
    let mut document = loan();
    document["endUserOnly"] = json!(true);
    let pades = create(&sandbox, PADES, &pades_order(vec![document]));
    let sdo = create(&sandbox, SDO, &sdo_order(vec![json!({"text": "Hei"})]));
    let walk = |id: &str| {
        let mut seen = Vec::new();
        while !sandbox.order_state(id).unwrap().is_final() {
            seen.push(sandbox.step(id).unwrap());
        }
        seen
    };
    use OrderState::{Completed, Grabbed, SecurityStore, UserSigning};
    assert_eq!(walk(&pades), [Grabbed, UserSigning, SecurityStore, Completed]);
    assert_eq!(walk(&sdo), [Grabbed, UserSigning, Completed]);
}

#[test]
fn the_first_window_is_90_seconds() {
    let sandbox = still();
    let order = pades_order(vec![loan()]);
    let (late, early) = (create(&sandbox, PADES, &order), create(&sandbox, PADES, &order));
    sandbox.clock().advance(Duration::from_millis(89_999));
    assert_eq!(state(&sandbox, PADES, &late), "ORDER_RECEIVED");
    assert_eq!(session(&sandbox, &careful(&sandbox, &early)).len(), 43);
    sandbox.clock().advance(Duration::from_millis(1));
    assert_eq!(state(&sandbox, PADES, &late), "404");
    assert_eq!(state(&sandbox, PADES, &early), "GRABBED_BY_IDP");
    assert_eq!(download(&sandbox, PADES, &late).status, 404);
    let reply = authorize(&sandbox, &careful(&sandbox, &late));
    let location = reply.header("location").unwrap();
    assert_eq!(parameter(location, "error").as_deref(), Some("invalid_request"), "{location}");
    let gone = control(&sandbox, "GET", "orders", &Value::Null).json();
    assert!(gone["gone"][&late].as_str().unwrap().contains("90 seconds"), "{gone}");
    assert!(sandbox.refused().iter().any(|seen| {
        seen.refused.as_ref().unwrap().contains("signing did not start within 90 seconds")
    }));
}

#[test]
fn signing_may_take_as_long_as_the_order_says() {
    let sandbox = still();
    let mut order = pades_order(vec![loan()]);
    for (seconds, limit) in [(json!(7), 7), (Value::Null, 1800)] {
        if !seconds.is_null() {
            order["signProperties"]["timeoutSeconds"] = seconds;
        } else {
            order["signProperties"].as_object_mut().unwrap().remove("timeoutSeconds");
        }
        let id = create(&sandbox, PADES, &order);
        let session = session(&sandbox, &careful(&sandbox, &id));
        get(&sandbox, &format!("{PAGE}?session={session}"));
        sandbox.clock().advance(Duration::from_millis(limit * 1000 - 1));
        assert_eq!(state(&sandbox, PADES, &id), "USER_SIGNING");
        sandbox.clock().advance(Duration::from_millis(1));
        assert_eq!(state(&sandbox, PADES, &id), "FAILED");
        let pressed = press(&sandbox, &session, "sign");
        let location = pressed.header("location").unwrap();
        assert_eq!(parameter(location, "error").as_deref(), Some("access_denied"));
        // it failed when the time was up, not when somebody looked
        sandbox.clock().advance(Duration::from_millis(89_999));
        assert_eq!(state(&sandbox, PADES, &id), "FAILED");
        sandbox.clock().advance(Duration::from_millis(1));
        assert_eq!(state(&sandbox, PADES, &id), "404");
    }
}

#[test]
fn results_wait_90_seconds_and_are_handed_out_once() {
    let sandbox = still();
    for (path, order) in
        [(PADES, pades_order(vec![loan()])), (SDO, sdo_order(vec![json!({"text": "Hei"})]))]
    {
        let (kept, lost) = (create(&sandbox, path, &order), create(&sandbox, path, &order));
        sandbox.sign(&kept, Person::Kari).unwrap();
        sandbox.sign(&lost, Person::Kari).unwrap();
        sandbox.clock().advance(Duration::from_millis(89_999));
        assert_eq!(state(&sandbox, path, &kept), "SIGN_COMPLETED");
        let result = download(&sandbox, path, &kept);
        assert_eq!((result.status, &result.json()["orderState"]), (200, &json!("SIGN_COMPLETED")));
        for second in [download(&sandbox, path, &kept), query(&sandbox, path, &kept)] {
            assert_eq!(
                (second.status, second.json()),
                (404, json!({"errors": ["Unknown 'sign_id'"]}))
            );
        }
        sandbox.clock().advance(Duration::from_millis(1));
        assert_eq!(download(&sandbox, path, &lost).status, 404);
    }
}

#[test]
fn deleting_an_unfinished_order_ends_it_without_documents() {
    let sandbox = still();
    for (end, name) in
        [(None, "ORDER_RECEIVED"), (Some("cancel"), "CANCELLED"), (Some("fail"), "FAILED")]
    {
        let id = create(&sandbox, PADES, &pades_order(vec![loan()]));
        if let Some(end) = end {
            control(&sandbox, "POST", &format!("orders/{id}/{end}"), &Value::Null);
        }
        let body = download(&sandbox, PADES, &id).json();
        assert_eq!((&body["orderState"], &body["signingResults"]), (&json!(name), &json!([])));
        assert_eq!(state(&sandbox, PADES, &id), "404");
    }
    let id = create(&sandbox, SDO, &sdo_order(vec![json!({"text": "Hei"})]));
    let body = download(&sandbox, SDO, &id).json();
    for list in ["documentHashes", "sdos", "merchantSignatures", "endUserSignatures"] {
        assert_eq!(body[list], json!([]), "{body}");
    }
}

#[test]
fn every_problem_of_a_request_is_named_at_once() {
    let sandbox = production();
    let reply = send(
        &sandbox,
        "POST",
        PADES,
        &json!({"signProperties": {"x": 1}, "documents": [{"pdf": "JVBERi0"}], "resultContent": []}),
    );
    assert_eq!(
        problems(&reply),
        [
            "Missing field: 'orderName'",
            "Unknown field: 'signProperties.x'",
            "Missing field: 'padesSignProperties'",
            "Field 'documents[0].pdf' is no base64: Invalid padding",
            "'resultContent' must contain at least one of 'padesSignedPdf' or 'padesAppendix' for \
             PAdES orders"
        ]
    );
    let refused = sandbox.refused();
    assert!(refused.last().unwrap().refused.as_ref().unwrap().contains("orderName"));
}

#[test]
fn what_the_specification_does_not_allow_is_refused() {
    let sandbox = production();
    let change = |pointer: &str, value: Value| {
        let mut order = pades_order(vec![loan()]);
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        let parent = order.pointer_mut(parent).unwrap();
        parent.as_object_mut().unwrap().insert(name.to_owned(), value);
        problems(&send(&sandbox, "POST", PADES, &order)).join("\n")
    };
    for (pointer, value, word) in [
        ("/signProperties/orderName", json!(""), "empty"),
        ("/signProperties/orderName", Value::Null, "null"),
        ("/signProperties/documentDisplayMode", json!("inside"), "interior"),
        ("/signProperties/timeoutSeconds", json!(0), "at least 1"),
        ("/signProperties/timeoutSeconds", json!(1.5), "integer"),
        ("/signProperties/showConfirmation", json!("yes"), "boolean"),
        ("/padesSignProperties/addVisualSeals", json!(null), "boolean"),
        ("/documents", json!([]), "at least one"),
        ("/documents/0/pdfSpec", json!("PDFA_1B"), "PDFA_2B"),
        ("/documents/0/merchantSealPos", json!({"x": 1, "y": 2}), "merchantSealPos.page"),
        ("/documents/0/merchantSealPos", json!({"x": -1, "y": 2, "page": 1}), "from 0"),
        ("/documents/0/endUserSealPos", json!({"x": 1, "y": 2, "page": 1, "z": 3}), "Unknown"),
        ("/documents/0/endUserSealPos", json!([1, 2]), "an array"),
        ("/documents/0/text", json!("x"), "Unknown field"),
        ("/documents/0/pdf", json!("bm8gcGRm"), "cannot be signed"),
        ("/resultContent", json!(["sdo"]), "may hold"),
        ("/resultContent", json!(["padesAppendix", "padesAppendix"]), "twice"),
        ("/more", json!(1), "Unknown field: 'more'"),
    ] {
        let found = change(pointer, value.clone());
        assert!(found.contains(word), "{pointer} {value}: {found}");
    }
    let corrupt = change("/documents/0/pdf", json!(base64_of(&samples::corrupt())));
    assert!(corrupt.contains("documents[0].pdf cannot be signed"), "{corrupt}");
    assert_eq!(control(&sandbox, "GET", "orders", &Value::Null).json()["orders"], json!([]));
}

fn base64_of(bytes: &[u8]) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

#[test]
fn a_seal_must_have_its_page() {
    let sandbox = production();
    let mut document = loan();
    document["endUserSealPos"] = json!({"x": 10.5, "y": 20, "page": 99});
    let mut order = pades_order(vec![document]);
    create(&sandbox, PADES, &order);
    order["padesSignProperties"]["addVisualSeals"] = json!(true);
    let found = problems(&send(&sandbox, "POST", PADES, &order)).join("\n");
    assert!(found.contains("page 99"), "{found}");
}

#[test]
fn queries_name_exactly_one_order_of_their_own() {
    let sandbox = production();
    let id = create(&sandbox, PADES, &pades_order(vec![loan()]));
    let status = |target: &str| send(&sandbox, "GET", target, &Value::Null).status;
    assert_eq!(status(&format!("{PADES}?sign_id={id}")), 200);
    assert_eq!(status(&format!("{SDO}?sign_id={id}")), 404, "of the other kind");
    assert_eq!(status(PADES), 400);
    assert_eq!(status(&format!("{PADES}?sign_id=")), 400);
    assert_eq!(status(&format!("{PADES}?sign_id={id}&sign_id={id}")), 400);
    assert_eq!(status(&format!("{PADES}?signId={id}")), 400);
    assert_eq!(send(&sandbox, "PUT", PADES, &Value::Null).status, 405);
    for method in ["GET", "DELETE", "POST"] {
        assert_eq!(exchange(&sandbox, method, PADES, &[], b"").status, 403, "{method}");
    }
    let stranger = json!({"client_id": "stranger", "client_secret": "s"});
    assert_eq!(control(&sandbox, "POST", "clients", &stranger).status, 200);
    let credential = basic("stranger", "s");
    let headers = [FORM, ("authorization", credential.as_str())];
    let form = b"grant_type=client_credentials&scope=signdoc%2Fread_write";
    let token = exchange(&sandbox, "POST", TOKEN_PATH, &headers, form).json();
    let bearer = format!("Bearer {}", token["access_token"].as_str().unwrap());
    let headers = [("authorization", bearer.as_str())];
    let target = format!("{PADES}?sign_id={id}");
    for method in ["GET", "DELETE"] {
        assert_eq!(exchange(&sandbox, method, &target, &headers, b"").status, 404, "{method}");
    }
    assert_eq!(state(&sandbox, PADES, &id), "ORDER_RECEIVED");
}

#[test]
fn states_and_refusals_come_in_every_form() {
    let sandbox = production();
    let id = create(&sandbox, PADES, &pades_order(vec![loan()]));
    let cases = [
        (OrderStateForm::Object, r#"{"orderState":"ORDER_RECEIVED"}"#),
        (OrderStateForm::JsonString, r#""ORDER_RECEIVED""#),
        (OrderStateForm::Text, "ORDER_RECEIVED"),
    ];
    for (order_state, text) in cases {
        sandbox.set_variants(Variants { order_state, ..Variants::default() });
        assert_eq!(query(&sandbox, PADES, &id).text(), text);
    }
    let cases = [
        (OrderError::Errors, r#"{"errors":["Unknown 'sign_id'"]}"#),
        (OrderError::Text, "Unknown 'sign_id'"),
        (OrderError::JsonString, r#""Unknown 'sign_id'""#),
    ];
    for (order_error, text) in cases {
        sandbox.set_variants(Variants { order_error, ..Variants::default() });
        assert_eq!(query(&sandbox, PADES, "nobody").text(), text);
    }
}

#[test]
fn documents_are_converted_before_they_are_signed() {
    let mut asked = loan();
    asked["pdfSpec"] = json!("PDFA_2B");
    let sandbox = production();
    if !has_converter(&sandbox) {
        return;
    }
    let reply = send(&sandbox, "POST", PADES, &pades_order(vec![asked, loan()]));
    assert_eq!(reply.status, 201, "{}", reply.text());
    let results = reply.json()["conversionResults"].clone();
    assert_eq!((&results[0]["converted"], &results[1]["converted"]), (&json!(true), &json!(false)));
    let id = reply.json()["sign_id"].as_str().unwrap().to_owned();
    sandbox.sign(&id, Person::Kari).unwrap();
    let body = download(&sandbox, PADES, &id).json();
    let [first, second] = body["signingResults"].as_array().unwrap().as_slice() else { panic!() };
    assert_eq!(second["unsignedDocumentSha256"], sha256(&samples::loan_agreement()));
    assert_ne!(first["unsignedDocumentSha256"], second["unsignedDocumentSha256"]);
    for one in [first, second] {
        let (signed, appendix) = (bytes(&one["padesSignedPdf"]), bytes(&one["padesAppendix"]));
        let unsigned = &signed[..signed.len() - appendix.len()];
        assert_eq!(one["unsignedDocumentSha256"], sha256(unsigned));
    }
}

#[test]
fn an_answer_can_be_lost_after_the_order_was_deleted() {
    let sandbox = production();
    let id = create(&sandbox, PADES, &pades_order(vec![loan()]));
    sandbox.sign(&id, Person::Kari).unwrap();
    let rule = Rule::new(Fault::reset(ResetWhen::AfterWork)).on("DELETE", PADES);
    sandbox.faults().add(rule).unwrap();
    assert_eq!(download(&sandbox, PADES, &id).ended, Ended::Reset);
    assert_eq!(state(&sandbox, PADES, &id), "404");

    let id = create(&sandbox, PADES, &pades_order(vec![loan()]));
    sandbox.sign(&id, Person::Kari).unwrap();
    let rule = json!({"method": "DELETE",
        "fault": {"kind": "status", "status": 500, "after_work": true}});
    assert_eq!(control(&sandbox, "POST", "faults", &rule).status, 201);
    assert_eq!(download(&sandbox, PADES, &id).status, 500);
    assert_eq!(state(&sandbox, PADES, &id), "404");
}

#[test]
fn a_download_can_be_cut_at_every_document() {
    let sandbox = production();
    let order = json!({
        "signProperties": {"orderName": "Loan"},
        "padesSignProperties": {"addVisualSeals": false},
        "documents": [loan(), loan()],
        "resultContent": ["padesSignedPdf"],
    });
    for (document, at, how, ended) in [
        (1, "start", "close", Ended::Early),
        (1, "middle", "reset", Ended::Reset),
        (1, "closed", "complete", Ended::Complete),
        (2, "end", "close", Ended::Early),
    ] {
        let id = create(&sandbox, PADES, &order);
        sandbox.sign(&id, Person::Kari).unwrap();
        let rule = json!({"method": "DELETE", "path": PADES,
            "fault": {"kind": "cut_document", "document": document, "at": at, "how": how}});
        assert_eq!(control(&sandbox, "POST", "faults", &rule).status, 201);
        let reply = download(&sandbox, PADES, &id);
        assert_eq!(reply.ended, ended, "{document} {at}");
        let text = reply.text();
        let documents = text.matches("\"padesSignedPdf\":\"").count();
        assert_eq!(documents, document, "{document} {at}");
        let tail = &text[text.rfind("\"padesSignedPdf\":\"").unwrap() + 18..];
        match at {
            "start" => assert_eq!(tail, ""),
            "closed" => assert!(tail.ends_with('"') && tail.len() > 1000),
            _ => assert!(!tail.contains('"') && tail.len() > 1000, "{at}"),
        }
        assert_eq!(state(&sandbox, PADES, &id), "404");
    }
}

#[test]
fn a_download_can_say_what_is_not_so() {
    let sandbox = production();
    for change in
        ["signed_sha256", "unsigned_sha256", "other_sign_id", "missing_document", "other_document"]
    {
        let id = create(&sandbox, PADES, &pades_order(vec![loan()]));
        sandbox.sign(&id, Person::Kari).unwrap();
        let rule = json!({"method": "DELETE", "fault": {"kind": "download", "change": change}});
        assert_eq!(control(&sandbox, "POST", "faults", &rule).status, 201);
        let body = download(&sandbox, PADES, &id).json();
        let one = &body["signingResults"][0];
        let wrong = match change {
            "other_sign_id" => body["signId"] != id.as_str(),
            "missing_document" => one.is_null(),
            "unsigned_sha256" => {
                one["unsignedDocumentSha256"] != sha256(&samples::loan_agreement())
            }
            _ => one["signedDocumentSha256"] != sha256(&bytes(&one["padesSignedPdf"])),
        };
        assert!(wrong, "{change}: {}", one["signedDocumentSha256"]);
    }
}
