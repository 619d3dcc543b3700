//! Every argument that the client has for the credential-based interface can be reached from the
//! command line, and arrives: in the requests, or in the signed documents.
#![allow(missing_docs)]
// Clippy's leave for tests does not reach what tests share.
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used)]

mod common;

use common::user::{Running, come_back, loan, visit};
use common::{client, program, run, sandbox, text};
use serde_json::Value;
use signdoc_sandbox::{Action, Sandbox};
use signdoc_signature::asn1::Time;
use signdoc_signature::pki::{OcspOptions, Pki};

/// The body of the only request of this kind.
fn body(sandbox: &Sandbox, path: &str) -> Value {
    let all = sandbox.requests();
    let mut seen = all.iter().filter(|seen| seen.method == "POST" && seen.path == path);
    let body = seen.next().unwrap_or_else(|| panic!("no POST {path}")).body.clone();
    assert!(seen.next().is_none(), "one request");
    body.expect("JSON")
}

/// The field of a CSC request, the flag that sets it, and what stands there.
const CSC: &[(&str, &str, &str, &str)] = &[
    ("/csc/v2/credentials/authorize", "description", "--description", "Sign the loan"),
    ("/csc/v2/credentials/authorize", "hashAlgorithmOID", "--hash", "2.16.840.1.101.3.4.2.2"),
    ("/csc/v2/signatures/signHash", "hashAlgorithmOID", "--hash", "2.16.840.1.101.3.4.2.2"),
    ("/csc/v2/signatures/signHash", "signAlgo", "--padding", "1.2.840.113549.1.1.10"),
];

#[test]
fn what_is_said_of_a_csc_session_and_its_documents_arrives() {
    let (sandbox, folder) = (sandbox(), tempfile::tempdir().unwrap());
    let files = [loan(folder.path(), "loan.pdf"), loan(folder.path(), "terms.pdf")];
    let out = folder.path().join("out");
    let pki = Pki::new(9).unwrap();
    let write = |name: &str, content: &[u8]| {
        std::fs::write(folder.path().join(name), content).unwrap();
        text(&folder.path().join(name))
    };
    let certificate = pki.issuing().certificate();
    let options = OcspOptions::at(Time::now());
    let to = text(&out);
    let ocsp = write("one.ocsp", &pki.ocsp_response(certificate, &options).unwrap());
    let crl = write("one.crl", &pki.crl(Time::now()).unwrap());
    let own = write("own.pem", pki.trust_pem().as_bytes());
    let arguments = [
        "csc",
        "sign",
        &files[0],
        &files[1],
        "-o",
        &to,
        "--description=Sign the loan",
        "--hash=sha384",
        "--padding=pss",
        "--lang=nn",
        "--reason=Loan agreement",
        "--location=Oslo",
        "--location=none",
        "--contact=post@shop.example",
        "--signer-name=Kari N.",
        "--field=ForTheLoan",
        "--seal=40,700,1,200,60",
        "--seal=none",
        "--seal-text=Signed here",
        "--seal-color=ff0000",
        "--no-seal-border",
        "--seal-move",
        "--certify=form-filling",
        "--sub-filter=adbe.pkcs7.detached",
        "--time=2026-01-31T12:00:00Z",
        "--embed-certificate",
        &own,
        "--embed-ocsp",
        &ocsp,
        "--embed-crl",
        &crl,
        "--json",
    ];
    let mut command = client(&sandbox, &arguments);
    command.env("SIGNDOC_CSC_URL", sandbox.csc_url());
    let mut running = Running::start(command);
    let url = running.until("http://");
    assert!(url.contains("lang=nn") && url.contains("description=Sign+the+loan"), "{url}");
    come_back(&visit(&sandbox, &url, Action::Sign));
    let told = running.ended(0).json();
    for (path, field, flag, value) in CSC {
        let body = body(&sandbox, path);
        assert_eq!(body[*field], *value, "{path} {field} by {flag}: {body:#}");
        println!("CSC {path} {field}: signdoc csc sign {flag}");
    }
    assert!(body(&sandbox, "/csc/v2/signatures/signHash")["signAlgoParams"].is_string());
    assert_eq!(told["results"][0]["field"], "ForTheLoan");
    let shown =
        |name: &str| String::from_utf8_lossy(&std::fs::read(out.join(name)).unwrap()).into_owned();
    let (first, second) = (shown("loan.pdf"), shown("terms.pdf"));
    for part in [
        "Loan agreement",
        "Oslo",
        "post@shop.example",
        "Kari N.",
        "adbe.pkcs7.detached",
        "D:20260131120000",
        "/DocMDP",
        "/CRLs",
        "/OCSPs",
    ] {
        assert!(first.contains(part), "{part}");
    }
    assert!(!second.contains("Oslo"), "none leaves a document out");
    let help = run(program(&["csc", "sign", "--help"])).ended(0).stdout;
    let flags = arguments.iter().filter_map(|one| one.strip_prefix("--")?.split('=').next());
    for flag in flags.chain(["credential", "open", "port"]) {
        assert!(help.contains(&format!("--{flag}")), "{flag}");
    }
}

#[test]
fn another_credential_than_the_first_can_be_named() {
    let (sandbox, folder) = (sandbox(), tempfile::tempdir().unwrap());
    let file = loan(folder.path(), "loan.pdf");
    let mut command = client(&sandbox, &["csc", "sign", &file, "--credential", "of-nobody"]);
    command.env("SIGNDOC_CSC_URL", sandbox.csc_url());
    let mut running = Running::start(command);
    let url = running.until("http://");
    come_back(&visit(&sandbox, &url, Action::Sign));
    let ran = running.ended(4);
    assert!(
        ran.stderr.contains("credential of-nobody is not in this session's list"),
        "{}",
        ran.stderr
    );
}
