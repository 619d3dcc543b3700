//! Every request field of the specification can be reached from the command line, and arrives.
#![allow(missing_docs)]
// Clippy's leave for tests does not reach what tests share.
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used)]

mod common;

use std::collections::BTreeMap;
use std::path::Path;

use common::user::{PADES, SDO, loan, waiting};
use common::{CONVERT, answers, client, program, run, sandbox, started, text};
use serde_json::{Value, json};
use signdoc_sandbox::{Environment, Sandbox};

const FIELDS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/vectors/spec/fields.json");

/// The resources that a client sends; all others are answers.
const REQUESTS: &[&str] = &[
    "conversion request",
    "conversion request document",
    "sign order properties",
    "PAdES sign order",
    "PAdES sign properties",
    "PAdES document item",
    "seal position",
    "SEID-SDO sign order",
    "SEID-SDO document item",
];
const ANSWERS: &[&str] = &[
    "conversion result",
    "conversion answer item",
    "conversion rejection",
    "pdf specs answer",
    "create-order response",
    "PAdES download result",
    "PAdES signing result",
    "SEID-SDO download result",
    "CSC error body",
];

/// One field: the command and what of its line sets it, where it stands in the request, and what
/// stands there after the commands of this test.
struct Reached {
    resource: &'static str,
    field: &'static str,
    command: &'static str,
    flag: &'static str,
    pointer: &'static str,
    value: Expected,
}

enum Expected {
    Is(Value),
    /// Something that the sandbox shows by its length only, or an object looked at elsewhere.
    Something,
}

use Expected::{Is, Something};

fn mapping() -> Vec<Reached> {
    let mut all = Vec::new();
    let mut add =
        |resource, command, rows: Vec<(&'static str, &'static str, &'static str, Expected)>| {
            for (field, flag, pointer, value) in rows {
                all.push(Reached { resource, field, command, flag, pointer, value });
            }
        };
    add("conversion request", "convert", vec![("documents", "FILE", "/documents", Something)]);
    add(
        "conversion request document",
        "convert",
        vec![
            ("pdfSpec", "--pdf-spec", "/documents/0/pdfSpec", Is(json!("PDFA_2B"))),
            ("pdf", "FILE", "/documents/0/pdf", Something),
            ("allowSigned", "--allow-signed", "/documents/0/allowSigned", Is(json!(true))),
        ],
    );
    add(
        "sign order properties",
        "sign",
        vec![
            ("orderName", "--name", "/signProperties/orderName", Is(json!("Loan 4711"))),
            (
                "documentDisplayMode",
                "--display-mode",
                "/signProperties/documentDisplayMode",
                Is(json!("overlay")),
            ),
            (
                "showConfirmation",
                "--no-confirmation",
                "/signProperties/showConfirmation",
                Is(json!(false)),
            ),
            (
                "showUnderstanding",
                "--understanding",
                "/signProperties/showUnderstanding",
                Is(json!(true)),
            ),
            ("timeoutSeconds", "--signing-time", "/signProperties/timeoutSeconds", Is(json!(600))),
        ],
    );
    add(
        "PAdES sign order",
        "sign",
        vec![
            ("signProperties", "--name", "/signProperties", Something),
            ("padesSignProperties", "--visual-seals", "/padesSignProperties", Something),
            ("documents", "FILE", "/documents", Something),
            (
                "resultContent",
                "--results",
                "/resultContent",
                Is(json!(["padesSignedPdf", "padesAppendix"])),
            ),
        ],
    );
    add(
        "PAdES sign properties",
        "sign",
        vec![(
            "addVisualSeals",
            "--visual-seals",
            "/padesSignProperties/addVisualSeals",
            Is(json!(true)),
        )],
    );
    add(
        "PAdES document item",
        "sign",
        vec![
            ("description", "--description", "/documents/1/description", Is(json!("The terms"))),
            ("pdf", "FILE", "/documents/1/pdf", Something),
            ("pdfSpec", "--convert", "/documents/0/pdfSpec", Is(json!("PDFA_2B"))),
            (
                "merchantSealPos",
                "--merchant-seal",
                "/documents/0/merchantSealPos",
                Is(json!({"x": 40, "y": 700.5, "page": 1})),
            ),
            (
                "endUserSealPos",
                "--end-user-seal",
                "/documents/1/endUserSealPos",
                Is(json!({"x": 300, "y": 600, "page": 1})),
            ),
        ],
    );
    add(
        "seal position",
        "sign",
        vec![
            ("x", "--merchant-seal", "/documents/0/merchantSealPos/x", Is(json!(40))),
            ("y", "--merchant-seal", "/documents/0/merchantSealPos/y", Is(json!(700.5))),
            ("page", "--merchant-seal", "/documents/0/merchantSealPos/page", Is(json!(1))),
        ],
    );
    add(
        "SEID-SDO sign order",
        "sign",
        vec![
            ("signProperties", "--name", "/signProperties", Something),
            ("documents", "--text", "/documents", Something),
            (
                "resultContent",
                "--results",
                "/resultContent",
                Is(json!(["sdo", "basicSignature", "documentHash"])),
            ),
        ],
    );
    add(
        "SEID-SDO document item",
        "sign",
        vec![
            ("description", "--description", "/documents/3/description", Is(json!("Consent"))),
            ("pdf", "FILE", "/documents/0/pdf", Something),
            ("text", "--text", "/documents/3/text", Is(json!("I agree. Æ"))),
            ("xml", "FILE", "/documents/1/xml", Is(json!("<a>1</a>"))),
            ("xls", "--xls", "/documents/1/xls", Something),
        ],
    );
    all
}

/// The fields of the specification, by resource.
fn fields() -> BTreeMap<String, Vec<String>> {
    let all: Value = serde_json::from_slice(&std::fs::read(FIELDS).unwrap()).unwrap();
    let one = |resource: &Value| {
        let fields = resource["fields"].as_array().unwrap();
        let names = fields.iter().map(|field| field["name"].as_str().unwrap().to_owned());
        (resource["resource"].as_str().unwrap().to_owned(), names.collect())
    };
    all.as_array().unwrap().iter().map(one).collect()
}

#[test]
fn every_request_field_has_a_flag() {
    let (fields, mapping) = (fields(), mapping());
    let unknown: Vec<_> = fields
        .keys()
        .filter(|name| !REQUESTS.contains(&name.as_str()) && !ANSWERS.contains(&name.as_str()))
        .collect();
    assert!(unknown.is_empty(), "requests or answers? {unknown:?}");
    let mut missing = Vec::new();
    for resource in REQUESTS {
        for field in fields.get(*resource).unwrap_or_else(|| panic!("no {resource}")) {
            let reached =
                mapping.iter().find(|one| one.resource == *resource && one.field == field);
            match reached {
                Some(one) => println!("{resource}.{field}: signdoc {} {}", one.command, one.flag),
                None => missing.push(format!("{resource}.{field}")),
            }
        }
    }
    assert!(missing.is_empty(), "no flag sets {missing:#?}");
    for one in &mapping {
        let Reached { resource, field, command, flag, .. } = one;
        assert!(fields[*resource].iter().any(|name| name == field), "{resource} has no {field}");
        let help = run(program(&[command, "--help"])).ended(0).stdout;
        let is_there = help.split_whitespace().any(|word| {
            word.trim_matches(['[', ']', '<', '>', '.'])
                .split(['[', '|', '='])
                .any(|one| one == *flag)
        });
        assert!(is_there, "signdoc {command} --help does not have {flag}");
    }
}

/// The body of the only request of this kind.
fn body(sandbox: &Sandbox, path: &str) -> Value {
    let all = sandbox.requests();
    let mut seen = all.iter().filter(|seen| seen.method == "POST" && seen.path == path);
    let body = seen.next().unwrap_or_else(|| panic!("no POST {path}")).body.clone();
    assert!(seen.next().is_none(), "one request");
    body.expect("JSON")
}

fn check(body: &Value, resources: &[&str]) {
    for one in mapping().iter().filter(|one| resources.contains(&one.resource)) {
        let Reached { resource, field, flag, pointer, value, .. } = one;
        let found = body.pointer(pointer);
        let shown = format!("{resource}.{field} by {flag}: {found:?} in {body:#}");
        match value {
            Is(value) => assert_eq!(found, Some(value), "{shown}"),
            Something => assert!(found.is_some_and(|found| !found.is_null()), "{shown}"),
        }
    }
}

const BACK: [&str; 2] = ["--redirect-uri", "https://shop.example/cb"];

/// Runs `signdoc sign` until it has told the address, and gives that.
fn created(sandbox: &Sandbox, folder: &Path, arguments: &[&str]) -> String {
    let out = text(&folder.join("out"));
    let mut all = vec!["sign", "-o", &out];
    all.extend(BACK);
    all.extend(arguments);
    let waiting = waiting(client(sandbox, &all));
    let url = waiting.url.clone();
    waiting.running.signal("INT");
    waiting.ended(130);
    url
}

#[test]
fn what_is_said_of_a_pades_order_arrives() {
    // Conversions are switched off there, so no converter is needed.
    let (sandbox, folder) = (started(Environment::Test), tempfile::tempdir().unwrap());
    let files = [loan(folder.path(), "loan.pdf"), loan(folder.path(), "terms.pdf")];
    let arguments: [&str; 18] = [
        &files[0],
        &files[1],
        "--name=Loan 4711",
        "--display-mode=overlay",
        "--no-confirmation",
        "--understanding",
        "--signing-time=600",
        "--results=padesSignedPdf, padesAppendix",
        "--description=",
        "--description=The terms",
        "--convert",
        "--convert=none",
        "--visual-seals",
        "--merchant-seal=40,700.5,1",
        "--merchant-seal=none",
        "--end-user-seal=300,600",
        "--end-user-only=no",
        "--end-user-only",
    ];
    let out = text(&folder.path().join("out"));
    let mut all = vec!["sign", "-o", &out];
    all.extend(arguments);
    run(client(&sandbox, &all)).ended(8);
    let body = body(&sandbox, PADES);
    check(
        &body,
        &[
            "sign order properties",
            "PAdES sign order",
            "PAdES sign properties",
            "PAdES document item",
            "seal position",
        ],
    );
    let [first, second] = body["documents"].as_array().unwrap().as_slice() else {
        panic!("two documents")
    };
    // Each document has its own.
    assert!(first["description"].is_null(), "left to the service");
    assert!(second["pdfSpec"].is_null() && second["merchantSealPos"].is_null());
    assert_eq!(first["endUserSealPos"], second["endUserSealPos"], "given once for all");
    assert_eq!((&first["endUserOnly"], &second["endUserOnly"]), (&json!(false), &json!(true)));
}

#[test]
fn what_is_said_of_an_order_of_data_objects_arrives() {
    let (sandbox, folder) = (sandbox(), tempfile::tempdir().unwrap());
    let write = |name: &str, content: &str| {
        std::fs::write(folder.path().join(name), content).unwrap();
        text(&folder.path().join(name))
    };
    let sheet = concat!(
        r#"<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">"#,
        r#"<xsl:template match="/"><html><body/></html></xsl:template></xsl:stylesheet>"#
    );
    let arguments = [
        "--sdo",
        &loan(folder.path(), "loan.pdf"),
        &write("one.xml", "<a>1</a>"),
        &write("two.xml", "<a>2</a>"),
        "--text=I agree. Æ",
        "--name=Loan 4711",
        "--display-mode=overlay",
        "--no-confirmation",
        "--understanding",
        "--signing-time=600",
        "--results=sdo,basicSignature,documentHash",
        "--description=Loan",
        "--description=One",
        "--description=Two",
        "--description=Consent",
        "--xls",
        &write("sheet.xsl", sheet),
        "--xsl",
        &write("other.xsl", &sheet.replace("<body/>", "<body>2</body>")),
    ];
    created(&sandbox, folder.path(), &arguments);
    let body = body(&sandbox, SDO);
    check(&body, &["sign order properties", "SEID-SDO sign order", "SEID-SDO document item"]);
    assert_eq!(body["documents"][2]["xml"], "<a>2</a>");
    let sheets = |at: usize| body["documents"][at]["xls"].to_string();
    assert_ne!(sheets(1), sheets(2), "each XML document has its own stylesheet");
    assert!(body["documents"][0]["xls"].is_null());
}

#[test]
fn what_is_said_of_a_conversion_arrives() {
    let (sandbox, folder) = (sandbox(), tempfile::tempdir().unwrap());
    let (file, out) = (loan(folder.path(), "loan.pdf"), text(&folder.path().join("out")));
    answers(&sandbox, 1);
    let arguments = ["convert", &file, "-o", &out, "--pdf-spec", "PDFA_2B", "--allow-signed"];
    run(client(&sandbox, &arguments)).ended(0);
    check(&body(&sandbox, CONVERT), &["conversion request", "conversion request document"]);
    // What the specification does not have is refused, with the field.
    let arguments = ["convert", &file, "-o", &out, "--pdf-spec", "PDFA_9"];
    let ran = run(client(&sandbox, &arguments)).ended(3);
    assert!(ran.stderr.contains("pdfSpec must be PDFA_2B"), "{}", ran.stderr);
    let arguments = ["sign", &file, "-o", &out, "--convert=PDFA_9"];
    let ran = run(client(&sandbox, &arguments)).ended(3);
    assert!(ran.stderr.contains("documents[0].pdfSpec must be PDFA_2B"), "{}", ran.stderr);
}

#[test]
fn what_is_said_of_the_login_arrives() {
    let (sandbox, folder) = (sandbox(), tempfile::tempdir().unwrap());
    let file = loan(folder.path(), "loan.pdf");
    let url = created(
        &sandbox,
        folder.path(),
        &[&file, "--lang=nb en", "--login-scope=profile, phone", "--response-mode=fragment"],
    );
    for part in ["ui_locales=nb+en", "scope=openid+sign+profile+phone", "response_mode=fragment"] {
        assert!(url.contains(part), "{part}: {url}");
    }
}
