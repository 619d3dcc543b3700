//! Whom the client trusts, and what it shows of itself.

use signdoc::{Code, Error};
use signdoc_sandbox::{Sandbox, ServerCertificate};

use crate::support::{client, convert, https, started};

fn told(error: &Error, sandbox: &Sandbox, word: &str) {
    assert_eq!(error.code(), Code::TlsFailed, "{error}");
    assert!(!error.is_retryable(), "{error}");
    let host = sandbox.base_url().strip_prefix("https://").unwrap();
    for part in [word, host] {
        assert!(error.message().contains(part), "no {part} in: {error}");
    }
    assert!(sandbox.requests().is_empty());
}

#[tokio::test]
async fn the_systems_roots_do_not_trust_a_throw_away_authority() {
    let sandbox = started(https());
    let error = convert(&client(&sandbox, false, &[])).await.unwrap_err();
    told(&error, &sandbox, "UnknownIssuer");
    assert!(format!("{} {}", error.message(), error.advice()).contains("ca_file"), "{error}");
}

#[tokio::test]
async fn a_ca_file_adds_an_authority_and_ca_only_leaves_no_other() {
    let (sandbox, other) = (started(https()), started(https()));
    convert(&client(&sandbox, true, &[])).await.unwrap();
    convert(&client(&sandbox, true, &[("ca_only", "true")])).await.unwrap();
    let file = sandbox.ca_file().unwrap();
    let wrong = [("ca_only", "true"), ("ca_file", file.to_str().unwrap())];
    let error = convert(&client(&other, false, &wrong)).await.unwrap_err();
    told(&error, &other, "UnknownIssuer");
}

#[tokio::test]
async fn each_wrong_server_certificate_is_named() {
    for (kind, word) in [
        (ServerCertificate::Expired, "expired"),
        (ServerCertificate::WrongName, "not valid for name"),
        (ServerCertificate::UnknownCa, "UnknownIssuer"),
    ] {
        let sandbox = started(https().tls_certificate(kind));
        let error = convert(&client(&sandbox, true, &[])).await.unwrap_err();
        told(&error, &sandbox, word);
    }
}

#[tokio::test]
async fn a_client_certificate_is_shown_where_it_is_asked_for() {
    let sandbox = started(https().tls_client_certificate(true));
    let file = sandbox.client_certificate_file().unwrap();
    let own = [("client_cert", file.to_str().unwrap())];
    convert(&client(&sandbox, true, &own)).await.unwrap();
    // the same certificate does no harm where nobody asks
    let open = started(https());
    convert(&client(&open, true, &own)).await.unwrap();
}

#[tokio::test]
async fn a_missing_or_strange_client_certificate_is_told() {
    let (sandbox, other) = (
        started(https().tls_client_certificate(true)),
        started(https().tls_client_certificate(true)),
    );
    let error = convert(&client(&sandbox, true, &[])).await.unwrap_err();
    told(&error, &sandbox, "client_cert");
    let strange = other.client_certificate_file().unwrap();
    let strange = [("client_cert", strange.to_str().unwrap())];
    let error = convert(&client(&sandbox, true, &strange)).await.unwrap_err();
    told(&error, &sandbox, "client_cert");
}

#[tokio::test]
async fn files_that_cannot_be_used_are_told_before_anything_is_sent() {
    let sandbox = started(https());
    let folder = tempfile::tempdir().unwrap();
    let empty = folder.path().join("empty.pem");
    std::fs::write(&empty, "nothing").unwrap();
    let ca_alone = sandbox.ca_file().unwrap();
    for (option, path) in [
        ("ca_file", folder.path().join("missing.pem")),
        ("ca_file", empty.clone()),
        ("client_cert", empty),
        ("client_cert", ca_alone),
    ] {
        let mut builder = crate::common::config(&sandbox);
        builder.set(option, path.to_str().unwrap()).unwrap();
        let error = signdoc::Client::new(builder.build().unwrap()).unwrap_err();
        assert_eq!(error.code(), Code::InvalidOption, "{error}");
        assert_eq!(error.details()["field"], option);
        assert!(error.message().contains(path.to_str().unwrap()), "{error}");
    }
    assert!(sandbox.requests().is_empty());
}
