//! `signdoc bundle`: what it makes, what it ends with, and that `signdoc verify` reads it.
#![allow(missing_docs)]
// Clippy's leave for tests does not reach what tests share.
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used)]

mod common;
#[path = "common/signing.rs"]
mod signing;

use common::{Ran, program, run, sandbox};
use signdoc_signature::fixtures;
use signing::{How, Office};

fn ran(arguments: &[&str]) -> Ran {
    run(program(arguments))
}

#[test]
fn a_bundle_is_made_and_verified() {
    let (office, sandbox) = (Office::new(), sandbox());
    let (loan, roots) = (office.file("loan.pdf", fixtures::simple()), office.roots());
    let signed = office.sign(&loan, "signed.pdf", How { timestamp: true, seal: false });
    let claims = br#"{"given_name": "Kari", "family_name": "Nordmann", "sub": "f:1:4711"}"#;
    let claims = office.file("claims.json", claims);
    let to = office.file("loan.asice", Vec::new());
    let tsa = format!("{}tsa", sandbox.control_url());
    let all = [
        "bundle",
        &signed,
        "--original",
        &loan,
        "--identity",
        &claims,
        "--trust",
        &roots,
        "--evidence",
        &roots,
        "--tsa-url",
        &tsa,
        "-o",
        &to,
    ];
    ran(&all).ended(3);
    let made = ran(&[&all[..], &["--overwrite"]].concat()).ended(0);
    for part in [
        &format!("{to}: verified\n"),
        "\n  ✓ contents",
        "\n  ✓ signer",
        "container_timestamp  not checked: it holds",
        "\n  files\n    mimetype, 31 bytes\n",
        "\n    identity.json, ",
    ] {
        assert!(made.stdout.contains(part), "{part}\n{}", made.stdout);
    }
    assert!(!made.stdout.contains("UN:NO-"), "numbers of people: {}", made.stdout);
    let shown = ran(&[&all[..], &["--overwrite", "--json"]].concat()).ended(0).json();
    assert_eq!((&shown["stamped"], &shown["report"]["ok"]), (&true.into(), &true.into()));
    assert_eq!(shown["size"], std::fs::metadata(&to).unwrap().len());
    let seen = ran(&["verify", &to, "--trust", &roots, "--json"]).ended(0).json();
    assert_eq!(seen["results"][0]["kind"], "asice");
    ran(&["verify", &to, "--trust", &roots, "--require", "container_timestamp"]).ended(6);
    let mut bytes = std::fs::read(&to).unwrap();
    bytes.push(0);
    let changed = office.file("changed.asice", bytes);
    let told = ran(&["verify", &changed, "--trust", &roots]).ended(6);
    assert!(told.stdout.contains("✗ container "), "{}", told.stdout);
}

#[test]
fn what_it_ends_with() {
    let office = Office::new();
    let (loan, roots) = (office.file("loan.pdf", fixtures::simple()), office.roots());
    let to = |name: &str| loan.replace("loan.pdf", name);
    let made = ran(&["bundle", &loan, "-o", &to("a.asice")]).ended(0);
    assert!(made.stdout.contains("nobody is trusted"), "{}", made.stdout);
    ran(&["bundle", &loan, "--trust", &roots, "-o", &to("b.asice")]).ended(6);
    ran(&["bundle", &loan, "--order", &loan, "-o", &to("c.asice")]).ended(3);
    ran(&["bundle", &to("missing.pdf"), "-o", &to("d.asice")]).ended(3);
    ran(&["bundle", &to("a.asice"), "-o", &to("e.asice")]).ended(3);
}
