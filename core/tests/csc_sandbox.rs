//! The client and the sandbox meet at the credential-based interface.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use std::sync::Arc;

use bytes::Bytes;
use signdoc::csc::{
    CscLoginOptions, CscSession, HashAlgorithm, HashesToSign, Padding, PdfLevel, PdfToSign,
    SignPdfOptions,
};
use signdoc::{CallOptions, Client, Code, Document, Error, FinishOptions};
use signdoc_sandbox::{
    Action, CscChange, CscKey, Fault, Person, ResetWhen, Rule, Sandbox, Variants, Visit, samples,
};
use signdoc_signature::verify::{VerifyOptions, verify_bytes};
use signdoc_signature::x509::TrustAnchors;

const REDIRECT: &str = "https://shop.example/callback";

fn start(csc_key: CscKey) -> Sandbox {
    let sandbox = Sandbox::builder().start().unwrap();
    sandbox.set_variants(Variants { csc_key, csc_ocsp: true, ..Variants::default() });
    sandbox
}

fn client(sandbox: &Sandbox) -> Client {
    let tsa = format!("{}tsa", sandbox.control_url());
    let csc = sandbox.csc_url();
    common::client_with(sandbox, &[("csc_url", csc.as_str()), ("tsa_url", tsa.as_str())])
}

async fn login(client: &Client, sandbox: &Sandbox, action: Action) -> Result<CscSession, Error> {
    let options = CscLoginOptions {
        lang: Some("nb".to_owned()),
        description: Some("Loan agreement".to_owned()),
    };
    let login = client.csc().begin(REDIRECT, &options).unwrap();
    let visit = Visit { url: login.url.clone(), action, person: Person::Ola };
    let callback = sandbox.visit(visit).unwrap().url;
    client.csc().finish(&login.to_token(), &callback, &FinishOptions::default()).await
}

async fn session(sandbox: &Sandbox) -> CscSession {
    login(&client(sandbox), sandbox, Action::Sign).await.unwrap()
}

fn hashes(count: u8) -> HashesToSign {
    let hashes = (0..count).map(|seed| HashAlgorithm::Sha256.digest(&[seed])).collect();
    HashesToSign::new(hashes, HashAlgorithm::Sha256)
}

fn call() -> CallOptions {
    CallOptions::default()
}

#[tokio::test]
async fn a_credential_is_looked_at_anew_without_using_the_token() {
    let sandbox = start(CscKey::P256);
    let session = session(&sandbox).await;
    let early = session.credential_info("any", &call()).await.unwrap_err();
    assert_eq!(early.code(), Code::CscTokenAlreadyUsed);
    let listed = session.credentials(&call()).await.unwrap();
    let id = listed[0].credential_id.as_str();
    for _ in 0..2 {
        let again = session.credential_info(id, &call()).await.unwrap();
        assert_eq!(again.credential_id, id);
        assert_eq!(again.certificates, listed[0].certificates);
    }
    let other = session.credential_info("another", &call()).await.unwrap_err();
    assert_eq!(other.category().label(), "Request Validation", "{other:?}");
    session.sign_hashes(hashes(1), &call()).await.unwrap();
}

#[tokio::test]
async fn information_comes_with_and_without_a_token() {
    let sandbox = start(CscKey::P256);
    let info = client(&sandbox).csc().info(&call()).await.unwrap();
    assert_eq!(info.name.as_deref(), Some("Sandbox signing service"));
}

#[tokio::test]
async fn pdfs_are_signed_with_every_kind_of_key() {
    for (key, padding, hash) in [
        (CscKey::Rsa2048, None, HashAlgorithm::Sha256),
        (CscKey::Rsa2048, Some(Padding::Pss), HashAlgorithm::Sha512),
        (CscKey::P256, None, HashAlgorithm::Sha256),
        (CscKey::P384, None, HashAlgorithm::Sha384),
    ] {
        let sandbox = start(key);
        let session = session(&sandbox).await;
        let pdfs = vec![
            PdfToSign::new(Document::from_bytes(samples::loan_agreement())),
            PdfToSign::new(Document::from_bytes(samples::blank(2))),
        ];
        let options = SignPdfOptions { hash_algorithm: Some(hash), padding, ..Default::default() };
        let signed = session.sign_pdfs(&pdfs, &options).await.unwrap();
        assert_eq!(signed.len(), 2);
        for one in signed {
            assert_ne!(one.level, PdfLevel::B, "{key:?}");
            let pem = sandbox.trust_pem().unwrap();
            let options = VerifyOptions {
                original: (one.index == 0)
                    .then(|| Arc::new(Bytes::from(samples::loan_agreement())) as _),
                trust: TrustAnchors::from_bytes(pem.as_bytes()).unwrap(),
                ..VerifyOptions::default()
            };
            let report = verify_bytes(one.data.unwrap(), &options);
            assert!(report.ok, "{key:?}: {}", report.to_json());
            let signer = report.signatures[0].signer.as_ref().unwrap();
            assert_eq!(signer.name.as_deref(), Some("Nordmann, Ola"));
        }
        let refused = sandbox.refused();
        assert!(refused.is_empty(), "{refused:?}");
    }
}

#[tokio::test]
async fn fifty_hashes_are_one_session_and_the_token_is_spent_then() {
    let sandbox = start(CscKey::P256);
    let session = session(&sandbox).await;
    let signed = session.sign_hashes(hashes(50), &call()).await.unwrap();
    assert_eq!(signed.signatures.len(), 50);
    let spent = session.sign_hashes(hashes(1), &call()).await.unwrap_err();
    assert_eq!(spent.name(), "token_already_used");
    assert!(sandbox.refused().is_empty(), "{:?}", sandbox.refused());
}

#[tokio::test]
async fn a_user_who_does_not_approve_is_told() {
    let sandbox = start(CscKey::P256);
    let client = client(&sandbox);
    let denied = login(&client, &sandbox, Action::Cancel).await.err().unwrap();
    assert_eq!(denied.code(), Code::AuthorizeAccessDenied, "{denied}");
    let failed = login(&client, &sandbox, Action::Fail).await.err().unwrap();
    assert_eq!(failed.code(), Code::AuthorizeServerError, "{failed}");
}

#[tokio::test]
async fn wrong_signatures_and_lost_answers_are_noticed() {
    let sandbox = start(CscKey::P256);
    let path = "/csc/v2/signatures/signHash";
    for (change, code) in [
        (CscChange::OtherHash, Code::CscSignatureMismatch),
        (CscChange::Reversed, Code::CscSignatureMismatch),
        (CscChange::OneLess, Code::CscHashMismatch),
        (CscChange::OneMore, Code::CscHashMismatch),
    ] {
        let session = session(&sandbox).await;
        sandbox.faults().add(Rule::new(Fault::Csc { change }).on("POST", path)).unwrap();
        let error = session.sign_hashes(hashes(2), &call()).await.unwrap_err();
        assert_eq!(error.code(), code, "{change:?}: {error}");
    }
    let session = session(&sandbox).await;
    sandbox.faults().add(Rule::new(Fault::reset(ResetWhen::AfterWork)).on("POST", path)).unwrap();
    let error = session.sign_hashes(hashes(2), &call()).await.unwrap_err();
    assert_eq!(error.code(), Code::OutcomeUnknown, "{error}");
    assert_eq!(common::seen(&sandbox, "POST", path), 5, "never sent again");
}

#[tokio::test]
async fn the_services_codes_arrive_by_their_names() {
    let sandbox = start(CscKey::P256);
    for (path, code) in [
        ("/csc/v2/credentials/list", "certificate_creation_failed"),
        ("/csc/v2/credentials/authorize", "credential_locked"),
        ("/csc/v2/signatures/signHash", "signing_limit_exceeded"),
    ] {
        let session = session(&sandbox).await;
        let fault = Fault::CscError { code: code.to_owned(), spends: false };
        sandbox.faults().add(Rule::new(fault).on("POST", path)).unwrap();
        let error = session.sign_hashes(hashes(1), &call()).await.unwrap_err();
        assert_eq!(error.name(), code, "{error}");
        assert!(error.reference().unwrap().starts_with("REF"));
    }
}
