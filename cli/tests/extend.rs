//! `signdoc extend`: long-term proof, from the command line to the verdict.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use std::path::Path;

use common::user::{loan, signed_order};
use common::{client, output_of, program, run, sandbox, text};
use signdoc_sandbox::{Fault, Rule, Sandbox};

/// The paths of a signed PDF, and of the sandbox's root.
fn signed(sandbox: &Sandbox, folder: &tempfile::TempDir) -> (String, String) {
    let file = loan(folder.path(), "loan.pdf");
    let sign_id = signed_order(sandbox, folder.path(), &[&file]);
    let out = output_of(folder);
    let to = text(&out);
    let arguments = ["download", &sign_id, "-o", &to, "--original", &file];
    run(client(sandbox, &arguments)).ended(0);
    let roots = folder.path().join("roots.pem");
    std::fs::write(&roots, sandbox.trust_pem().unwrap()).unwrap();
    (text(&out.join("loan.pdf")), text(&roots))
}

#[test]
fn a_signed_file_is_extended_and_verifies_at_the_level() {
    let (sandbox, folder) = (sandbox(), tempfile::tempdir().unwrap());
    let (signed, roots) = signed(&sandbox, &folder);
    let out = text(&folder.path().join("archived.pdf"));
    let tsa = sandbox.tsa_url();
    // Neither issuer nor client: this needs no account.
    let arguments = ["extend", &signed, "-o", &out, "--tsa-url", &tsa, "--trust", &roots];
    let ran = run(program(&arguments)).ended(0);
    assert!(ran.stdout.contains("B-LTA") && ran.stdout.contains(&out), "{}", ran.stdout);
    assert!(ran.stdout.contains("1 document timestamps"), "{}", ran.stdout);
    let (before, after) = (std::fs::read(&signed).unwrap(), std::fs::read(&out).unwrap());
    assert!(after.starts_with(&before));
    run(program(&["verify", &out, "--trust", &roots, "--require", "B-LTA"])).ended(0);
    run(program(&["verify", &signed, "--trust", &roots, "--require", "B-LTA"])).ended(6);

    // Renewed in place; the authority's address from the environment.
    let again = ["extend", &out, "-o", &out, "--overwrite", "--json"];
    let mut command = program(&again);
    command.env("SIGNDOC_TSA_URL", &tsa).env("SIGNDOC_ISSUER", "nonsense");
    let told = run(command).ended(0).json();
    assert_eq!((&told["ok"], &told["level"]), (&true.into(), &"B-LTA".into()));
    assert_eq!(told["signatures"][0]["before"], "B-LTA");
    assert!(told["notes"][0]["about"].as_str().unwrap().contains("Root CA"), "{told:#}");
    assert!(std::fs::read(&out).unwrap().starts_with(&after));
}

#[test]
fn what_is_missing_is_told_and_ends_with_6() {
    let (sandbox, folder) = (sandbox(), tempfile::tempdir().unwrap());
    let (signed, roots) = signed(&sandbox, &folder);
    for path in ["/pki/ocsp", "/pki/issuing.crl", "/pki/root.crl"] {
        let fault = Fault::answer(503, "text/plain", "later");
        sandbox.faults().add(Rule::new(fault).on("*", path).forever()).unwrap();
    }
    let tsa = sandbox.tsa_url();
    let arguments = ["extend", &signed, "--tsa-url", &tsa, "--trust", &roots];
    let ran = run(program(&arguments));
    assert!(ran.stdout.contains("HTTP status 503"), "{} {}", ran.stdout, ran.stderr);
    let beside = Path::new(&signed).with_extension("extended.pdf");
    assert!(beside.exists());
    // The order's own evidence is older than the timestamp that is still to come.
    assert!(ran.status == 0 || ran.status == 6, "{}", ran.stdout);
}

#[test]
fn bad_input_is_refused_before_anybody_is_asked() {
    let (sandbox, folder) = (sandbox(), tempfile::tempdir().unwrap());
    let (signed, roots) = signed(&sandbox, &folder);
    let plain = loan(folder.path(), "plain.pdf");
    let sdo = text(&folder.path().join("order.sdo"));
    std::fs::write(&sdo, "<SDOList/>").unwrap();
    let before = sandbox.requests().len();
    let tsa = sandbox.tsa_url();
    for (file, more, status, part) in [
        (&signed, vec![], 2, "tsa_url"),
        (&signed, vec!["--tsa-url", &tsa, "--level", "B-T"], 2, "document timestamp"),
        (&signed, vec!["--tsa-url", &tsa, "-o", &signed], 3, "exists"),
        (&signed, vec!["--tsa-url", &tsa, "--revocations", &roots], 3, "revocations[0]"),
        (&plain, vec!["--tsa-url", &tsa], 6, "no signature"),
        (&sdo, vec!["--tsa-url", &tsa], 3, "SEID-SDO"),
    ] {
        let mut arguments = vec!["extend", file];
        arguments.extend(more);
        let ran = run(program(&arguments)).ended(status);
        assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
    }
    assert_eq!(sandbox.requests().len(), before);
}
