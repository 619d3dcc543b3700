//! `signdoc convert` against the sandbox: what it writes, shows and ends with.
#![allow(missing_docs)]

mod common;

use common::{
    CONVERT, PDF, TOKEN, answer, answers, client, converted, listed, output_of, pdf, run, sandbox,
    seen, started, text,
};
use serde_json::json;
use signdoc_sandbox::Environment;

#[test]
fn results_are_written_and_told() {
    let (sandbox, folder) = (sandbox(), tempfile::tempdir().unwrap());
    let (loan, terms) = (pdf(folder.path(), "loan.pdf"), pdf(folder.path(), "terms.pdf"));
    let out = output_of(&folder);
    answer(&sandbox, 200, &json!([converted(&["Font substituted"]), converted(&["Brand new"])]));
    let ran = run(client(&sandbox, &["convert", &loan, &terms, "-o", &text(&out)])).ended(0);
    assert_eq!(listed(&out), ["loan.pdf", "terms.pdf"]);
    assert_eq!(std::fs::read(out.join("loan.pdf")).unwrap(), b"%PDF-1.4 ok");
    for part in [
        "loan.pdf",
        "17 B",
        "yes",
        "FONT_SUBST",
        "Brand new",
        "2 of 2 converted",
        "signdoc explain FONT_SUBST",
    ] {
        assert!(ran.stdout.contains(part), "{part}\n{}", ran.stdout);
    }
    assert!(ran.stdout.contains(&text(&out.join("terms.pdf"))));
    assert_eq!(ran.stderr, "");
}

#[test]
fn json_is_one_document_and_quiet_says_nothing() {
    let (sandbox, folder) = (sandbox(), tempfile::tempdir().unwrap());
    let loan = pdf(folder.path(), "loan.pdf");
    let out = output_of(&folder);
    answer(&sandbox, 200, &json!([converted(&["Font substituted"])]));
    let told =
        run(client(&sandbox, &["convert", &loan, "-o", &text(&out), "--json"])).ended(0).json();
    assert_eq!(told["error"], json!(null));
    assert_eq!(told["exit_status"], 0);
    let result = &told["results"][0];
    assert_eq!(result["document"], loan);
    assert_eq!(result["document_size"], PDF.len());
    assert_eq!(result["status"], "converted");
    assert_eq!(result["path"], text(&out.join("loan.pdf")));
    assert_eq!(result["warnings"], json!([{"code": "FONT_SUBST", "message": "Font substituted"}]));
    answers(&sandbox, 1);
    let ran =
        run(client(&sandbox, &["convert", &loan, "-o", &text(&out), "--overwrite", "-q"])).ended(0);
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("", ""));
}

#[test]
fn more_than_fifteen_documents_go_in_several_calls_and_keep_their_order() {
    let (sandbox, folder) = (sandbox(), tempfile::tempdir().unwrap());
    let inputs = folder.path().join("in");
    for number in 0..16 {
        pdf(&inputs, &format!("{number:02}.pdf"));
    }
    let same = pdf(&folder.path().join("other"), "00.PDF");
    let out = output_of(&folder);
    answers(&sandbox, 15);
    answers(&sandbox, 2);
    // One after another: the answers above are made for calls in this order.
    let arguments = ["convert", &text(&inputs), &same, "-o", &text(&out), "--json", "--jobs", "1"];
    let told = run(client(&sandbox, &arguments)).ended(0).json();
    assert_eq!(seen(&sandbox, "POST", CONVERT), 2);
    let results = told["results"].as_array().unwrap();
    assert_eq!(results.len(), 17);
    for (number, result) in results.iter().enumerate() {
        assert_eq!(result["index"], number);
        assert_eq!(result["status"], "converted");
    }
    assert_eq!(results[7]["path"], text(&out.join("07.pdf")));
    assert_eq!(results[16]["document"], same);
    assert_eq!(listed(&out).len(), 17, "two documents of the same name get two files");
}

#[test]
fn when_some_are_refused_the_others_are_still_converted() {
    let (sandbox, folder) = (sandbox(), tempfile::tempdir().unwrap());
    let paths: Vec<_> = ["a.pdf", "b.pdf", "c.pdf"].map(|name| pdf(folder.path(), name)).into();
    let out = output_of(&folder);
    answer(
        &sandbox,
        400,
        &json!({"conversionResults": [
            {"converted": true},
            {"converted": false, "conversionErrors": ["Document is corrupt"]},
            {"converted": true},
        ]}),
    );
    answers(&sandbox, 2);
    let arguments = ["convert", &paths[0], &paths[1], &paths[2], "-o", &text(&out)];
    let ran = run(client(&sandbox, &arguments)).ended(8);
    assert_eq!(listed(&out), ["a.pdf", "c.pdf"]);
    assert!(
        ran.stdout.contains("CORRUPT") && ran.stdout.contains("2 of 3 converted"),
        "{}",
        ran.stdout
    );
    assert!(ran.stderr.starts_with("error 501 (CORRUPT): 1 of 3 documents not converted: "));
    assert!(ran.stderr.contains("b.pdf: Document is corrupt\nadvice: "), "{}", ran.stderr);
}

#[test]
fn the_error_of_several_refusals_names_them_all() {
    let (sandbox, folder) = (sandbox(), tempfile::tempdir().unwrap());
    let (a, b) = (pdf(folder.path(), "a.pdf"), pdf(folder.path(), "b.pdf"));
    answer(
        &sandbox,
        400,
        &json!({"conversionResults": [
            {"converted": false, "conversionErrors": ["Document is corrupt"]},
            {"converted": false, "conversionErrors": ["\u{1b}[2Jnew trouble"]},
        ]}),
    );
    let out = text(&output_of(&folder));
    let told = run(client(&sandbox, &["convert", &a, &b, "-o", &out, "--json"])).ended(8);
    assert!(told.stderr.contains("\\u{1b}[2Jnew trouble"), "{}", told.stderr);
    let told = told.json();
    assert_eq!(told["error"]["code"], 500);
    assert_eq!(told["error"]["origin"], "service");
    assert_eq!(told["error"]["details"]["failed"], json!([0, 1]));
    assert_eq!(told["results"][0]["errors"][0]["code"], "CORRUPT");
    assert_eq!(told["results"][1]["errors"][0]["code"], json!(null));
}

#[test]
fn where_conversion_is_disabled_it_is_asked_once() {
    let (sandbox, folder) = (started(Environment::Test), tempfile::tempdir().unwrap());
    let (a, b) = (pdf(folder.path(), "a.pdf"), pdf(folder.path(), "b.pdf"));
    let out = output_of(&folder);
    let ran = run(client(&sandbox, &["convert", &a, &b, "-o", &text(&out)])).ended(8);
    assert!(ran.stderr.contains("(DISABLED)"), "{}", ran.stderr);
    assert_eq!(seen(&sandbox, "POST", CONVERT), 1);
    assert!(listed(&out).is_empty());
}

#[test]
fn an_existing_file_is_replaced_only_on_demand() {
    let (sandbox, folder) = (sandbox(), tempfile::tempdir().unwrap());
    let loan = pdf(folder.path(), "loan.pdf");
    let out = output_of(&folder);
    pdf(&out, "loan.pdf");
    let ran = run(client(&sandbox, &["convert", &loan, "-o", &text(&out)])).ended(3);
    assert!(ran.stderr.contains("(destination_exists)"), "{}", ran.stderr);
    assert_eq!(std::fs::read(out.join("loan.pdf")).unwrap(), PDF);
    assert!(sandbox.requests().is_empty());
    answers(&sandbox, 1);
    run(client(&sandbox, &["convert", &loan, "-o", &text(&out), "--overwrite"])).ended(0);
    assert_eq!(std::fs::read(out.join("loan.pdf")).unwrap(), b"%PDF-1.4 ok");
}

#[test]
fn allow_signed_is_asked_for() {
    let (sandbox, folder) = (sandbox(), tempfile::tempdir().unwrap());
    let loan = pdf(folder.path(), "loan.pdf");
    answers(&sandbox, 1);
    run(client(&sandbox, &["convert", &loan, "-o", &text(&output_of(&folder)), "--allow-signed"]))
        .ended(0);
    let requests = sandbox.requests();
    let body = requests.iter().find(|seen| seen.path == CONVERT).and_then(|seen| seen.body.clone());
    assert_eq!(body.unwrap()["documents"][0]["allowSigned"], true);
    assert_eq!(seen(&sandbox, "POST", TOKEN), 1);
}

#[test]
fn options_may_come_as_flags_and_the_secret_as_a_file() {
    let (sandbox, folder) = (sandbox(), tempfile::tempdir().unwrap());
    let loan = pdf(folder.path(), "loan.pdf");
    let secret = folder.path().join("secret");
    std::fs::write(&secret, format!("{}\n", common::SECRET)).unwrap();
    answers(&sandbox, 1);
    let (issuer, out) = (sandbox.issuer(), text(&output_of(&folder)));
    run(common::program(&[
        "convert",
        &loan,
        "-o",
        &out,
        "--issuer",
        &issuer,
        "--client-id",
        sandbox.client_id(),
        "--client-secret-file",
        &text(&secret),
        "--client-auth",
        "client_secret_post",
        "--timeout",
        "20",
    ]))
    .ended(0);
}
