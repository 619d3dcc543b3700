//! `signdoc verify`: the report, the verdict, and what it ends with.
#![allow(missing_docs)]
// Clippy's leave for tests does not reach what tests share.
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used)]

mod common;
#[path = "common/signing.rs"]
mod signing;

use common::{Ran, program, run};
use serde_json::{Value, json};
use signdoc_signature::fixtures::{self, PdfBuilder};
use signdoc_signature::sdo::DocumentKind;
use signing::{How, Office};

fn verify(arguments: &[&str]) -> Ran {
    let mut command = program(&["verify"]);
    command.args(arguments);
    run(command)
}

/// The one result of a verification that ends with `status`.
fn judged(arguments: &[&str], status: i32) -> Value {
    let mut arguments = arguments.to_vec();
    arguments.push("--json");
    let told = verify(&arguments).ended(status).json();
    assert_eq!((&told["ok"], &told["exit_status"]), (&json!(status == 0), &json!(status)));
    assert_eq!(told["results"].as_array().unwrap().len(), 1);
    assert_eq!(told["results"][0]["ok"], status == 0);
    told["results"][0].clone()
}

fn status<'a>(result: &'a Value, check: &str) -> &'a str {
    let checks = result["checks"].as_array().unwrap();
    let found = checks.iter().find(|found| found["name"] == check);
    found.unwrap_or_else(|| panic!("no {check} in {result:#}"))["status"].as_str().unwrap()
}

#[test]
fn what_came_back_is_what_was_sent() {
    let office = Office::new();
    let (loan, roots) = (office.file("loan.pdf", fixtures::simple()), office.roots());
    let signed = office.sign(&loan, "signed.pdf", How { timestamp: true, seal: true });
    let ran = verify(&[&signed, "--original", &loan, "--trust", &roots]).ended(0);
    assert_eq!(ran.stderr, "");
    assert!(!ran.stdout.contains("UN:NO-"), "numbers of people are in --json: {}", ran.stdout);
    for part in [
        &format!("{signed}: verified\n"),
        "\n  ✓ original",
        "\n  ✓ chain",
        "Nordmann, Kari, TestBank AS",
        "PAdES B-T",
        "\n  permitted changes\n",
        "\n  - revocation",
    ] {
        assert!(ran.stdout.contains(part), "{part}\n{}", ran.stdout);
    }
    let arguments = [&signed, "--trust", &roots, "--original", &loan, "--signer", "Kari Nordmann"];
    let result = judged(&arguments, 0);
    assert_eq!(result["kind"], "pdf");
    assert_eq!(result["document"], signed);
    assert_eq!(status(&result, "signer"), "passed");
    assert_eq!(result["signatures"][0]["level"], "B-T");
}

#[test]
fn nobody_is_trusted_by_default() {
    let office = Office::new();
    let loan = office.file("loan.pdf", fixtures::simple());
    let signed = office.sign(&loan, "signed.pdf", How::default());
    let ran = verify(&[&signed]).ended(6);
    assert!(ran.stdout.starts_with(&format!("{signed}: NOT verified\n")), "{}", ran.stdout);
    assert!(ran.stdout.contains("- original "), "what was not asked is open: {}", ran.stdout);
    let remedy = "\nNobody is trusted: name the certificates that you trust with --trust.\n";
    assert!(ran.stdout.ends_with(remedy), "{}", ran.stdout);
    let others = office.file("others.pem", roots_of_another());
    assert_eq!(status(&judged(&[&signed, "--trust", &others], 6), "chain"), "failed");
    let unsigned = judged(&[&loan, "--trust", &office.roots()], 6);
    assert_eq!(status(&unsigned, "signature"), "failed");
}

fn roots_of_another() -> String {
    signdoc_signature::pki::Pki::new(77).unwrap().trust_pem()
}

#[test]
fn another_document_and_a_later_change_are_found() {
    let office = Office::new();
    let (loan, roots) = (office.file("loan.pdf", fixtures::simple()), office.roots());
    let other = office.file("other.pdf", PdfBuilder::new().content("900 000").build());
    // Altered before it was signed: the signature itself is good.
    let page = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>";
    let altered = fixtures::append_update(&fixtures::simple(), &[(3, page)], 1);
    let altered = office.file("altered.pdf", altered);
    let signed = office.sign(&altered, "signed.pdf", How::default());
    for (original, check) in [(&other, "original"), (&loan, "original")] {
        let result = judged(&[&signed, "--trust", &roots, "--original", original], 6);
        assert_eq!(status(&result, check), "failed", "{result:#}");
        assert_eq!(status(&result, "signature"), "passed");
    }
    let shown = verify(&[&signed, "--trust", &roots, "--original", &loan]).ended(6).stdout;
    assert!(shown.contains("\n  ✗ original"), "{shown}");
    assert!(shown.contains("\n  changes that signing does not need\n"), "{shown}");

    let mut broken = std::fs::read(&signed).unwrap();
    broken[20] ^= 1;
    let broken = office.file("broken.pdf", broken);
    assert_eq!(status(&judged(&[&broken, "--trust", &roots], 6), "integrity"), "failed");
}

#[test]
fn the_signer_and_the_requirements_are_asked_for() {
    let office = Office::new();
    let (loan, roots) = (office.file("loan.pdf", fixtures::simple()), office.roots());
    let plain = office.sign(&loan, "plain.pdf", How::default());
    let stamped = office.sign(&loan, "stamped.pdf", How { timestamp: true, seal: true });
    let result = judged(&[&plain, "--trust", &roots], 0);
    let number = result["signatures"][0]["signer"]["serial_number"].as_str().unwrap();
    let serial = result["signatures"][0]["signer"]["certificate_serial"].as_str().unwrap();
    let certificate = format!("certificate={serial}");
    for (signer, expected) in [
        ("Nordmann, Kari", 0),
        (number, 0),
        (&certificate, 0),
        ("Ola Nordmann", 6),
        ("12345678901", 6),
        ("name=Kari", 6),
    ] {
        let result = judged(&[&plain, "--trust", &roots, "--signer", signer], expected);
        assert_eq!(status(&result, "signer") == "passed", expected == 0, "{signer}");
    }
    for (file, require, expected) in [
        (&plain, "level", 0),
        (&plain, "timestamp", 6),
        (&stamped, "timestamp,B-T", 0),
        (&stamped, "timestamp,revocation", 6),
        (&stamped, "B-LT", 6),
    ] {
        let result = judged(&[file, "--trust", &roots, "--require", require], expected);
        assert_eq!(result["ok"], expected == 0, "{require}: {result:#}");
    }
    let seal = |place: &str, expected| {
        let arguments = [&stamped, "--trust", &roots, "--original", &loan, "--seal", place];
        assert_eq!(status(&judged(&arguments, expected), "seals") == "passed", expected == 0);
    };
    seal("72,100", 0);
    seal("300,100", 6);
}

#[test]
fn the_results_of_serial_sessions_build_on_each_other() {
    let office = Office::new();
    let (loan, roots) = (office.file("loan.pdf", fixtures::simple()), office.roots());
    let first = office.sign(&loan, "first.pdf", How::default());
    let second = office.sign(&first, "second.pdf", How::default());
    let serial = ["--serial", "--trust", &roots, "--original", &loan];
    let ran = verify(&[&[first.as_str(), &second], &serial[..]].concat()).ended(0);
    assert!(ran.stdout.ends_with("\n2 of 2 verified\n"), "{}", ran.stdout);
    let told =
        verify(&[&[second.as_str(), &first, "--json"], &serial[..]].concat()).ended(6).json();
    assert_eq!(told["results"][1]["ok"], false, "the order matters");
    let several = verify(&[&first, &second, "--trust", &roots, "--original", &loan]).ended(2);
    assert!(several.stderr.contains("--original is for one file"), "{}", several.stderr);
    let each = verify(&[&first, &second, "--trust", &roots]).ended(0);
    assert!(each.stdout.contains("\n2 of 2 verified\n"), "{}", each.stdout);
}

#[test]
fn signed_data_objects_are_recognised() {
    let office = Office::new();
    let roots = office.roots();
    let document = fixtures::simple();
    let original = office.file("loan.pdf", &document);
    let inside = office.file("inside.sdo", office.sdo(&DocumentKind::Pdf, &document, true));
    let outside = office.file("outside.xml", office.sdo(&DocumentKind::Pdf, &document, false));
    let ran = verify(&[&inside, "--trust", &roots]).ended(0);
    for part in ["✓ document", "✓ signature[0].cms", "✓ seal.chain", "signed by", "sealed by"]
    {
        assert!(ran.stdout.contains(part), "{part}\n{}", ran.stdout);
    }
    assert!(ran.stdout.contains("\n    Nordmann, Kari, "), "{}", ran.stdout);
    assert!(!ran.stdout.contains("UN:NO-"), "numbers of people are in --json: {}", ran.stdout);
    let result = judged(&[&inside, "--trust", &roots, "--original", &original], 0);
    assert_eq!((&result["kind"], status(&result, "original")), (&json!("sdo"), "passed"));
    assert_eq!(result["signatures"][0]["signer"]["surname"], "Nordmann");
    assert_eq!(status(&judged(&[&outside, "--trust", &roots], 6), "document"), "not_checked");
    judged(&[&outside, "--trust", &roots, "--original", &original], 0);
    let other = office.file("other.pdf", PdfBuilder::new().content("900 000").build());
    for file in [&inside, &outside] {
        let result = judged(&[file, "--trust", &roots, "--original", &other], 6);
        assert_eq!(status(&result, "original"), "failed");
    }
    assert_eq!(status(&judged(&[&inside], 6), "signature[0].chain"), "failed");
}

#[test]
fn what_is_asked_of_a_signed_data_object_must_be_answered() {
    let office = Office::new();
    let roots = office.roots();
    // In a UTF-8 file, while texts are signed as ISO 8859-1.
    let text = "Kjøpekontrakt: 100 000 kr";
    let latin: Vec<u8> = text.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
    let original = office.file("terms.txt", text);
    let sdo = office.file("terms.sdo", office.sdo(&DocumentKind::Text, &latin, false));
    let asked = [sdo.as_str(), "--trust", &roots, "--original", &original];
    let ask = |more: &[&str], expected: i32| judged(&[&asked[..], more].concat(), expected);
    ask(&[], 0);
    ask(&["--signer", "Kari Nordmann", "--require", "revocation,timestamp"], 0);
    assert_eq!(status(&ask(&["--signer", "Ola Nordmann"], 6), "signer"), "failed");
    assert_eq!(status(&ask(&["--require", "B-B"], 6), "level"), "failed");
    assert_eq!(status(&ask(&["--require", "seals"], 6), "seals"), "failed");
    for more in [["--converted"].as_slice(), &["--seal", "1,2"], &["--unsigned-sha256", "00"]] {
        assert_eq!(status(&ask(more, 6), "options"), "failed", "{more:?} is not passed over");
    }
}

#[test]
fn no_content_is_an_exception() {
    let office = Office::new();
    let roots = office.roots();
    let mut cut = office.sdo(&DocumentKind::Pdf, &fixtures::simple(), true).into_bytes();
    cut.truncate(cut.len() / 2);
    for (name, content) in [
        ("empty.pdf", b"".to_vec()),
        ("text.pdf", b"\x1b[2Jnot a pdf".to_vec()),
        ("header.pdf", b"%PDF-1.7\n".to_vec()),
        ("angle.xml", b"<".to_vec()),
        ("other.xml", b"<?xml version=\"1.0\"?><html/>".to_vec()),
        ("bomb.xml", b"<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>".to_vec()),
        ("cut.sdo", cut),
    ] {
        let path = office.file(name, content);
        let result = judged(&[&path, "--trust", &roots, "--original", &path], 6);
        let checks = result["checks"].as_array().unwrap();
        assert!(checks.iter().any(|check| check["status"] == "failed"), "{name}: {result:#}");
        let shown = verify(&[&path, "--trust", &roots]).ended(6);
        assert!(shown.stdout.contains("NOT verified\n  ✗ "), "{name}: {}", shown.stdout);
    }
}

#[test]
fn what_cannot_be_used_is_told() {
    let office = Office::new();
    let (loan, roots) = (office.file("loan.pdf", fixtures::simple()), office.roots());
    let missing = common::text(&office.path("missing.pdf"));
    for (arguments, status, told) in [
        (vec![&missing as &str, "--trust", &roots], 3, "does not exist"),
        (vec![&loan, "--original", &missing], 3, "does not exist"),
        (vec![&loan, "--trust", &missing], 2, "--trust names"),
        (vec![&loan, "--timestamp-trust", &loan], 2, "--timestamp-trust names"),
        (vec![&loan, "--require", "everything"], 2, "--require names"),
        (vec![&loan, "--seal", "left"], 2, "--seal left is no place"),
        (vec![&loan, "--signer", "Kari", "--signer", "Ola"], 2, "--signer tells"),
        (vec![&loan, "--seal", "72,100"], 2, "need to know what was sent"),
        (vec![&loan, "--require", "seals"], 2, "need to know what was sent"),
    ] {
        let ran = verify(&arguments).ended(status);
        let said = format!("{}{}", ran.stdout, ran.stderr);
        assert!(said.contains(told), "{told}\n{said}");
        let json = verify(&[&arguments[..], &["--json"]].concat()).ended(status).json();
        assert_eq!(json["exit_status"], status);
    }
    let folder = common::text(office.folder.path());
    verify(&[&folder]).ended(3);
    let both = verify(&[&missing, &loan, "--trust", &roots]).ended(6);
    assert!(both.stdout.contains("\n0 of 2 verified\n"), "{}", both.stdout);
}
