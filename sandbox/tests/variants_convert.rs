//! The forms in which conversions answer, their own and those of orders, as they come over HTTP.
// helpers outside of test functions are test code as well
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use common::flow::*;
use common::*;
use serde_json::{Value, json};
use signdoc_sandbox::{ConverterChoice, Person, Sandbox, samples};

const DISABLED: &str = "PDF conversion is disabled";

/// A sandbox in which every conversion fails without a program being asked.
fn without_converter() -> Sandbox {
    Sandbox::builder().converter(ConverterChoice::Missing).start().unwrap()
}

fn asked() -> Value {
    let mut document = loan();
    document["pdfSpec"] = json!("PDFA_2B");
    document
}

/// What the control surface knows of orders.
fn orders(sandbox: &Sandbox) -> Value {
    control(sandbox, "GET", "orders", &Value::Null).json()["orders"].clone()
}

#[test]
fn an_order_is_refused_or_created_when_a_conversion_fails() {
    let order = pades_order(vec![loan(), asked()]);
    for (sandbox, error, by_environment) in
        [(test_environment(), DISABLED, 201), (without_converter(), "Unknown error", 400)]
    {
        for (form, status) in
            [("by_environment", by_environment), ("created", 201), ("refused", 400)]
        {
            choose(&sandbox, &json!({"failed_conversion": form}));
            let reply = send(&sandbox, "POST", PADES, &order);
            assert_eq!(reply.status, status, "{form}: {}", reply.text());
            let results = reply.json()["conversionResults"].clone();
            assert_eq!(results[0]["conversionErrors"], json!([]));
            assert_eq!(results[1]["conversionErrors"], json!([error]));
            assert_eq!(results[1]["description"], "Loan 4711 - 2");
            assert_eq!(reply.json()["sign_id"].is_string(), status == 201);
        }
        assert_eq!(
            orders(&sandbox).as_array().unwrap().len(),
            if by_environment == 201 { 2 } else { 1 }
        );
    }
}

#[test]
fn an_order_whose_conversion_failed_is_about_the_documents_as_they_were_sent() {
    let sandbox = test_environment();
    let id = create(&sandbox, PADES, &pades_order(vec![asked()]));
    sandbox.sign(&id, Person::Kari).unwrap();
    let body = download(&sandbox, PADES, &id).json();
    let one = &body["signingResults"][0];
    assert_eq!(one["unsignedDocumentSha256"], sha256(&samples::loan_agreement()));
    assert_eq!(one["signedDocumentSha256"], sha256(&bytes(&one["padesSignedPdf"])));

    let mut broken = asked();
    broken["pdf"] = json!("bm8gcGRm");
    let reply = send(&sandbox, "POST", PADES, &pades_order(vec![broken]));
    assert_eq!(reply.status, 400);
    assert!(reply.text().contains("cannot be signed"), "{}", reply.text());
}

#[test]
fn a_new_order_has_results_of_all_documents_or_of_those_that_asked() {
    let sandbox = test_environment();
    let order = pades_order(vec![loan(), asked(), loan()]);
    for (form, descriptions) in [
        ("every_document", vec!["Loan 4711 - 1", "Loan 4711 - 2", "Loan 4711 - 3"]),
        ("asked_for", vec!["Loan 4711 - 2"]),
    ] {
        for failed in ["created", "refused"] {
            choose(&sandbox, &json!({"create_results": form, "failed_conversion": failed}));
            let body = send(&sandbox, "POST", PADES, &order).json();
            let results = body["conversionResults"].as_array().unwrap().clone();
            let found: Vec<_> = results.iter().map(|one| one["description"].clone()).collect();
            assert_eq!(found, descriptions, "{form} {failed}");
        }
    }
}

#[test]
fn a_refusal_lists_all_results_or_those_that_failed() {
    let sandbox = production();
    // found good as it is, so that one succeeds where there is no converter
    let pdfs: [&[u8]; 2] = [&samples::loan_agreement(), b"no pdf"];
    let mut broken = asked();
    broken["pdf"] = json!("bm8gcGRm");
    let order = pades_order(vec![asked(), broken]);
    for (form, documents_of) in [("all", vec!["1", "2"]), ("failed_only", vec!["2"])] {
        choose(&sandbox, &json!({"conversion_refusal": form, "unchanged": "with_document"}));
        for (reply, name) in [
            (convert(&sandbox, &documents(&pdfs)), "Document"),
            (send(&sandbox, "POST", PADES, &order), "Loan 4711"),
        ] {
            assert_eq!(reply.status, 400, "{}", reply.text());
            let body = reply.json();
            let results = body["conversionResults"].as_array().unwrap();
            let found: Vec<_> = results.iter().map(|one| one["description"].clone()).collect();
            let wanted: Vec<_> = documents_of.iter().map(|n| format!("{name} - {n}")).collect();
            assert_eq!(found, wanted, "{form}");
            assert_eq!(results.last().unwrap()["conversionErrors"], json!(["Document is corrupt"]));
        }
    }
}

#[test]
fn a_document_may_need_no_conversion() {
    let sandbox = without_converter();
    let loan = samples::loan_agreement();
    for (form, has_document) in [("with_document", true), ("without_document", false)] {
        choose(&sandbox, &json!({"unchanged": form}));
        let reply = convert(&sandbox, &documents(&[&loan]));
        assert_eq!(reply.status, 200, "{form}: {}", reply.text());
        let item = &reply.json()[0];
        let result = &item["conversionResult"];
        assert_eq!(
            (&result["converted"], &result["conversionErrors"]),
            (&json!(false), &json!([]))
        );
        assert_eq!(item.get("convertedDocument").is_some(), has_document, "{form}");
        if has_document {
            assert_eq!(bytes(&item["convertedDocument"]), loan);
        }

        let reply = send(&sandbox, "POST", PADES, &pades_order(vec![asked()]));
        assert_eq!(reply.status, 201, "{form}: {}", reply.text());
        let body = reply.json();
        let result = &body["conversionResults"][0];
        assert_eq!(
            (&result["converted"], &result["conversionErrors"]),
            (&json!(false), &json!([]))
        );
        let id = body["sign_id"].as_str().unwrap();
        sandbox.sign(id, Person::Kari).unwrap();
        let body = download(&sandbox, PADES, id).json();
        assert_eq!(body["signingResults"][0]["unsignedDocumentSha256"], sha256(&loan));

        // who looks at documents still finds what is wrong with them
        let reply = convert(&sandbox, &documents(&[b"no pdf", &samples::signed()]));
        let errors =
            |index: usize| reply.json()["conversionResults"][index]["conversionErrors"][0].clone();
        assert_eq!(
            (errors(0), errors(1)),
            ("Document is corrupt".into(), "Document contains signatures".into())
        );
    }
    let shown = control(&sandbox, "GET", "converter", &Value::Null).json();
    assert_eq!(shown["recent"][0]["converted"], false);
    let sandbox = test_environment();
    choose(&sandbox, &json!({"unchanged": "with_document"}));
    assert_eq!(convert(&sandbox, &documents(&[&loan])).status, 400, "disabled all the same");
}

#[test]
fn documents_that_were_converted_may_come_beside_those_that_failed() {
    let sandbox = production();
    let loan = samples::loan_agreement();
    for (form, bare) in [("absent", None), ("null", Some(Value::Null)), ("empty", Some(json!("")))]
    {
        choose(
            &sandbox,
            &json!({"partial_conversion": "delivered", "unchanged": "with_document",
                "no_document": form}),
        );
        let reply = convert(&sandbox, &documents(&[&loan, b"no pdf"]));
        assert_eq!(reply.status, 200, "{}", reply.text());
        let body = reply.json();
        assert_eq!(bytes(&body[0]["convertedDocument"]), loan);
        assert_eq!(body[1].get("convertedDocument"), bare.as_ref(), "{form}");
        let errors = &body[1]["conversionResult"]["conversionErrors"];
        assert_eq!(errors, &json!(["Document is corrupt"]));
    }
}

#[test]
fn messages_may_be_codes_and_empty_lists_left_out() {
    let sandbox = test_environment();
    let result = |variants: Value| {
        choose(&sandbox, &variants);
        convert(&sandbox, &documents(&[b"%PDF"])).json()["conversionResults"][0].clone()
    };
    assert_eq!(result(json!({}))["conversionErrors"], json!([DISABLED]));
    assert_eq!(result(json!({"messages": "code"}))["conversionErrors"], json!(["DISABLED"]));
    let found = result(json!({"absent_lists": true, "null_lists": true}));
    assert_eq!(found["conversionErrors"], json!([DISABLED]));
    assert_eq!(found.get("conversionWarnings"), None);
    assert_eq!(result(json!({"null_lists": true}))["conversionWarnings"], Value::Null);
}
