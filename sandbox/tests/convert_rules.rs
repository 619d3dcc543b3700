//! The conversion endpoints without a converter: requests, refusals, forms of answers.
// helpers outside of test functions are test code as well
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use common::*;
use serde_json::json;
use signdoc_sandbox::{
    ConversionError, ConverterChoice, Count, Disabled, PdfSpecs, Sandbox, SyntaxError,
    TokenRefusal, Variants,
};

const SPECS: &str = "/signdoc/convert/pdf/specs";
const CONVERT: &str = "/signdoc/convert";

#[test]
fn specs_are_a_string_or_a_list() {
    let sandbox = test_environment();
    let bearer = bearer(&sandbox);
    let ask = || exchange(&sandbox, "GET", SPECS, &[("authorization", bearer.as_str())], b"");
    let reply = ask();
    assert_eq!((reply.status, reply.header("content-type")), (200, Some("application/json")));
    assert_eq!(reply.text(), r#"{"pdfSpecs":"PDFA_2B"}"#);
    sandbox.set_variants(Variants { pdf_specs: PdfSpecs::Array, ..Variants::default() });
    assert_eq!(ask().text(), r#"{"pdfSpecs":["PDFA_2B"]}"#);
}

#[test]
fn a_token_with_the_scope_is_needed() {
    let sandbox = test_environment();
    let scoped = |scope: &str| {
        let body = format!("grant_type=client_credentials&scope={scope}");
        let token = token_with(&sandbox, &body).json()["access_token"].clone();
        format!("Bearer {}", token.as_str().unwrap())
    };
    let good = [scoped("signdoc%2Fread_write"), scoped("esign"), scoped("esign").to_lowercase()];
    // the scheme may be written in any case, the token may not
    let lower_scheme = good[0].replacen("Bearer", "bearer", 1);
    for value in [&good[0], &good[1], &lower_scheme] {
        let reply = exchange(&sandbox, "GET", SPECS, &[("authorization", value)], b"");
        assert_eq!(reply.status, 200, "{value}");
    }
    let other_scope = scoped("esign%2Fnnin");
    let none = scoped("");
    let mut bad = vec![other_scope, none, "Bearer unknown".into(), "Bearer".into()];
    bad.extend(["Bearer a b".into(), "Basic abc".into(), good[2].clone()]);
    for value in &bad {
        for (method, target) in [("GET", SPECS), ("POST", CONVERT)] {
            let reply = exchange(&sandbox, method, target, &[("authorization", value)], b"");
            assert_eq!(reply.status, 403, "{value}");
            assert_eq!(reply.json(), "Access token is invalid or missing");
        }
    }
    assert_eq!(get(&sandbox, SPECS).status, 403);
    let twice = [("authorization", good[0].as_str()), ("authorization", good[0].as_str())];
    assert_eq!(exchange(&sandbox, "GET", SPECS, &twice, b"").status, 403);
    assert_eq!(sandbox.refused().len(), bad.len() * 2 + 2);

    let variants = Variants { token_refusal: TokenRefusal::Unauthorized, ..Variants::default() };
    sandbox.set_variants(variants);
    let reply = get(&sandbox, SPECS);
    assert_eq!(reply.status, 401);
    assert!(reply.header("www-authenticate").unwrap().contains("invalid_token"));
}

#[test]
fn syntactic_errors_are_a_text_and_are_noted() {
    let sandbox = test_environment();
    let bearer = bearer(&sandbox);
    let ask = |headers: &[(&str, &str)], target: &str, body: &str| {
        let mut all = vec![("authorization", bearer.as_str())];
        all.extend_from_slice(headers);
        let reply = exchange(&sandbox, "POST", target, &all, body.as_bytes());
        let noted = sandbox.refused().pop().unwrap().refused.unwrap();
        assert_eq!(reply.status, 400);
        assert_eq!(reply.header("content-type"), Some("text/plain; charset=utf-8"));
        assert_eq!(reply.text(), format!("Invalid request: {noted}"));
        noted
    };
    let good = documents(&[b"%PDF-1.7"]);
    assert!(ask(&[], CONVERT, &good).contains("content-type is missing"));
    assert!(ask(&[("content-type", "text/plain")], CONVERT, &good).contains("text/plain"));
    assert!(ask(&[JSON, ("accept", "text/html")], CONVERT, &good).contains("accept"));
    assert!(ask(&[JSON], "/signdoc/convert?x=1", &good).contains("query"));
    assert!(ask(&[JSON], CONVERT, "").contains("empty"));
    assert!(ask(&[JSON], CONVERT, "{").contains("not JSON"));
    assert!(ask(&[JSON], CONVERT, r#"{"documents":[]}"#).contains("0 items"));
    let many: Vec<&[u8]> = vec![b"%PDF"; 16];
    assert!(ask(&[JSON], CONVERT, &documents(&many)).contains("16 items"));
    let long = vec![0_u8; 3_750_001];
    assert!(ask(&[JSON], CONVERT, &documents(&[&long])).contains("5000004 characters"));

    for (form, expected) in [
        (SyntaxError::JsonString, json!("Invalid request: the body is empty, JSON was expected")),
        (
            SyntaxError::Errors,
            json!({"errors": ["Invalid request: the body is empty, JSON was expected"]}),
        ),
    ] {
        sandbox.set_variants(Variants { syntax_error: form, ..Variants::default() });
        assert_eq!(convert(&sandbox, "").json(), expected);
    }
}

#[test]
fn other_methods_and_paths_are_refused() {
    let sandbox = test_environment();
    for (method, target, allowed) in
        [("GET", CONVERT, "POST"), ("DELETE", CONVERT, "POST"), ("POST", SPECS, "GET")]
    {
        let reply = exchange(&sandbox, method, target, &[], b"");
        assert_eq!((reply.status, reply.header("allow")), (405, Some(allowed)));
    }
    for target in ["/", "/signdoc/convert/", "/signdoc/convert/pdf", "/v1/signdoc/convert"] {
        assert_eq!(exchange(&sandbox, "POST", target, &[], b"").status, 404, "{target}");
    }
    assert_eq!(sandbox.refused().len(), 7);
}

#[test]
fn the_testing_environment_is_always_disabled() {
    let sandbox = test_environment();
    let reply = convert(&sandbox, &documents(&[b"%PDF-1.7", b"anything"]));
    assert_eq!(reply.status, 400);
    let json = reply.json();
    let results = json["conversionResults"].as_array().unwrap();
    assert_eq!(results.len(), 2);
    for (index, result) in results.iter().enumerate() {
        assert_eq!(result["converted"], false);
        assert_eq!(texts(&result["conversionErrors"]), [ConversionError::Disabled.message()]);
        assert_eq!(texts(&result["conversionWarnings"]).len(), 0);
        assert_eq!(result["description"], format!("Document - {}", index + 1));
        assert_eq!(result["conversionId"].as_str().unwrap().len(), 36);
        assert_eq!(result.as_object().unwrap().len(), 5);
    }
    assert_ne!(results[0]["conversionId"], results[1]["conversionId"]);

    sandbox.set_variants(Variants { disabled: Disabled::Ok, ..Variants::default() });
    let reply = convert(&sandbox, &documents(&[b"%PDF-1.7"]));
    assert_eq!(reply.status, 200);
    assert_eq!(reply.json()[0]["conversionResult"]["converted"], false);
    assert!(reply.json()[0].get("convertedDocument").is_none());
}

#[test]
fn without_a_converter_every_document_fails_and_the_reason_is_shown() {
    let sandbox = Sandbox::builder().converter(ConverterChoice::Missing).start().unwrap();
    let reply = convert(&sandbox, &documents(&[&signdoc_sandbox::samples::loan_agreement()]));
    assert_eq!(reply.status, 400);
    let result = &reply.json()["conversionResults"][0];
    assert_eq!(texts(&result["conversionErrors"]), ["Unknown error"]);
    let shown = control(&sandbox, "GET", "converter", &json!(null)).json();
    assert_eq!(shown["available"], false);
    assert!(shown["reason"].as_str().unwrap().contains("without"));
    assert!(shown["recent"][0]["notes"][0].as_str().unwrap().starts_with("no converter"));
    assert_eq!(shown["recent"][0]["conversionId"], result["conversionId"]);
}

#[test]
fn results_can_be_one_less_or_one_more() {
    let sandbox = test_environment();
    let count = |count| {
        sandbox.set_variants(Variants { count, ..Variants::default() });
        let json = convert(&sandbox, &documents(&[b"a", b"b"])).json();
        json["conversionResults"].as_array().unwrap().len()
    };
    assert_eq!((count(Count::OneLess), count(Count::Exact), count(Count::OneMore)), (1, 2, 3));
}

#[test]
fn requests_show_the_body_without_the_documents() {
    let sandbox = test_environment();
    let pdf = vec![7_u8; 3000];
    let body = documents(&[&pdf]);
    convert(&sandbox, &body);
    let seen = sandbox.requests().pop().unwrap();
    assert_eq!(seen.body_bytes, Some(body.len() as u64));
    assert_eq!(seen.body_sha256.unwrap().len(), 64);
    assert_eq!(
        seen.body.unwrap(),
        json!({"documents": [{"pdfSpec": "PDFA_2B", "pdf": "<4000 characters>"}]})
    );
    assert_eq!(seen.headers["authorization"], "Bearer <elided>");
    assert_eq!(seen.headers["content-length"], body.len().to_string());
    assert_eq!((seen.status, seen.finished), (Some(400), true));
    // the token request's secret is elided as well
    let token = &sandbox.requests()[0];
    assert_eq!(token.headers["authorization"], "Basic <elided>");
}

#[test]
fn fifteen_documents_of_the_greatest_length_are_taken() {
    let sandbox = test_environment();
    let pdf = STANDARD.encode(vec![0x5a_u8; 3_750_000]);
    assert_eq!(pdf.len(), 5_000_000);
    let one = format!(r#"{{"pdfSpec":"PDFA_2B","pdf":"{pdf}"}}"#);
    let body = format!("{{\"documents\":[{}]}}", vec![one; 15].join(","));
    let reply = convert(&sandbox, &body);
    assert_eq!(reply.status, 400);
    assert_eq!(reply.json()["conversionResults"].as_array().unwrap().len(), 15);
}
