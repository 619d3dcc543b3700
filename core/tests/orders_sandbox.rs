//! The client and the sandbox meet: orders of both kinds from creation to verified results.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use common::config;
use signdoc::clock::{Clock, Sleep};
use signdoc::order::DigestCheck;
use signdoc::spec::{PadesState, SdoState};
use signdoc::{
    CallOptions, Client, Code, Destination, Document, Download, DownloadOptions, Error,
    FinishOptions, Identity, Login, LoginOptions, OrderRef, PadesDocument, PadesOrder, SdoDocument,
    SdoOrder, SealPosition, WaitOptions,
};
use signdoc_sandbox::{
    Action, CallbackChange, CutAt, CutHow, FailedConversion, Fault, IdTokenChange, Person,
    ResetWhen, Rule, Sandbox, Variants, Visit, samples,
};
use signdoc_signature::asn1::Time;
use signdoc_signature::sdo::{Sdo, SdoTrust, to_iso_8859_1};
use signdoc_signature::verify::{
    Level, Requirement, SealPosition as SealPlace, SealRules, VerifyOptions, verify_bytes,
};
use signdoc_signature::x509::TrustAnchors;

const REDIRECT: &str = "https://shop.example/callback?shop=7";

/// The sandbox's clock as the client's; pauses do not take place.
#[derive(Debug)]
struct Virtual(signdoc_sandbox::Clock);

impl Clock for Virtual {
    fn now(&self) -> SystemTime {
        self.0.now()
    }

    fn sleep(&self, duration: Duration) -> Sleep {
        self.0.advance(duration);
        Box::pin(tokio::task::yield_now())
    }
}

fn start() -> (Sandbox, Client) {
    let sandbox = Sandbox::builder().start().unwrap();
    let clock = Arc::new(Virtual(sandbox.clock()));
    let client = Client::with_clock(config(&sandbox).build().unwrap(), clock).unwrap();
    (sandbox, client)
}

fn call() -> CallOptions {
    CallOptions::default()
}

fn loan() -> PadesDocument {
    PadesDocument {
        description: Some("Loan agreement".to_owned()),
        ..PadesDocument::new(Document::from_bytes(samples::loan_agreement()))
    }
}

async fn begin(client: &Client, order: impl Into<OrderRef>) -> Login {
    let options = LoginOptions { scopes: vec!["profile".to_owned()], ..LoginOptions::default() };
    client.login().begin(order, REDIRECT, &options).await.unwrap()
}

/// The end user follows the address and acts; the callback comes back.
fn visit(sandbox: &Sandbox, login: &Login, action: Action, person: Person) -> String {
    sandbox.visit(Visit { url: login.url.clone(), action, person }).unwrap().url
}

async fn finish(client: &Client, login: &Login, callback: &str) -> Result<Identity, Error> {
    client.login().finish(&login.to_token(), callback, &FinishOptions::default()).await
}

fn trust(sandbox: &Sandbox) -> TrustAnchors {
    TrustAnchors::from_bytes(sandbox.trust_pem().unwrap().as_bytes()).unwrap()
}

#[tokio::test]
async fn a_pades_order_from_creation_to_verified_results() {
    let (sandbox, client) = start();
    let mut order = PadesOrder::new("Loan 4711", vec![loan(), loan()]);
    order.add_visual_seals = true;
    order.documents[0].merchant_seal = Some(SealPosition { x: 40.0, y: 700.5, page: 1 });
    order.documents[0].end_user_seal = Some(SealPosition { x: 300.0, y: 700.5, page: 1 });
    order.documents[1].end_user_only = Some(true);
    order.results.push("padesAppendix".to_owned());
    let order = client.pades().create(&order, &call()).await.unwrap();
    assert_eq!(client.pades().state(&order, &call()).await.unwrap(), PadesState::OrderReceived);

    let login = begin(&client, &order).await;
    let callback = visit(&sandbox, &login, Action::Sign, Person::Ase);
    let identity = finish(&client, &login, &callback).await.unwrap();
    assert_eq!(identity.sign_id, order.sign_id);
    assert_eq!(identity.claims["name"], "Åse Ødegård");
    let until = WaitOptions::default();
    let state = client.pades().wait(&order, &until).await.unwrap();
    assert_eq!(state, PadesState::SignCompleted);

    let folder = tempfile::tempdir().unwrap();
    let options =
        DownloadOptions { to: Destination::folder(folder.path()), ..DownloadOptions::default() };
    let result = client.pades().download(&order, &options).await.unwrap();
    assert_eq!(result.order_name.as_deref(), Some("Loan 4711"));
    assert_eq!(result.documents.len(), 2);
    for (index, document) in result.documents.iter().enumerate() {
        assert_eq!(document.signed_check, DigestCheck::Matches);
        assert_eq!(document.unsigned_check, DigestCheck::Matches);
        assert_eq!(document.description.as_deref(), Some("Loan agreement"));
        let signed = std::fs::read(document.path.as_ref().unwrap()).unwrap();
        let appendix = std::fs::read(document.appendix_path.as_ref().unwrap()).unwrap();
        assert_eq!([samples::loan_agreement(), appendix].concat(), signed);
        let place = |x: f64| SealPlace { x, y: 700.5, page: 1 };
        let seals = (index == 0).then(|| SealRules {
            positions: Some(vec![place(40.0), place(300.0)]),
            ..SealRules::default()
        });
        let options = VerifyOptions {
            original: Some(Arc::new(bytes::Bytes::from(samples::loan_agreement()))),
            trust: trust(&sandbox),
            require: vec![
                Requirement::Timestamp,
                Requirement::Revocation,
                Requirement::Level(Level::BLT),
            ],
            seals: seals.unwrap_or_default(),
            ..VerifyOptions::default()
        };
        let report = verify_bytes(signed, &options);
        assert!(report.ok, "{index}: {}", report.to_json());
        let names: Vec<_> =
            report.signatures.iter().map(|one| one.signer.as_ref().unwrap().name.clone()).collect();
        let names: Vec<_> = names.into_iter().flatten().collect();
        let merchant = format!("{} (test)", sandbox.client_id());
        match index {
            0 => assert_eq!(names, [merchant, "Ødegård, Åse".to_owned()]),
            _ => assert_eq!(names, ["Ødegård, Åse"]),
        }
    }
    let again = DownloadOptions::default();
    let error = client.pades().download(order.sign_id.as_str(), &again).await.err().unwrap();
    assert_eq!(error.code(), Code::OrderNotFound, "{error}");
    assert!(
        sandbox.refused().iter().all(|seen| seen.status == Some(404)),
        "{:?}",
        sandbox.refused()
    );
}

#[tokio::test]
async fn an_sdo_order_from_creation_to_verified_results() {
    let (sandbox, client) = start();
    let text = "Jeg låner 100 000 kroner.";
    let documents = vec![
        SdoDocument::from_text(text),
        SdoDocument::from_pdf(Document::from_bytes(samples::loan_agreement())),
        SdoDocument::from_xml("<loan sum='100000'/>", "<sheet/>"),
    ];
    let mut order = SdoOrder::new("Loan 4711", documents);
    order.results.push("basicSignature".to_owned());
    let order = client.sdo().create(&order, &call()).await.unwrap();
    let login = begin(&client, &order).await;
    let callback = visit(&sandbox, &login, Action::Sign, Person::Kari);
    finish(&client, &login, &callback).await.unwrap();
    let state = client.sdo().wait(&order, &WaitOptions::default()).await.unwrap();
    assert_eq!(state, SdoState::SignCompleted);
    let result = client.sdo().download(&order, &DownloadOptions::default()).await.unwrap();
    assert_eq!(result.client_id.as_deref(), Some(sandbox.client_id()));
    let anchors = trust(&sandbox);
    for document in &result.documents {
        // what is signed of XML is not known to the client
        let is_known = document.index != 2;
        assert_eq!(document.hash_check == DigestCheck::Matches, is_known, "{}", document.index);
        let sdo = document.sdo.as_ref().unwrap();
        let read = Sdo::parse(sdo).unwrap();
        let report = read.verify(None, &SdoTrust::new(&anchors, Time::now()));
        assert!(report.is_valid() && report.checks.all_passed(), "{:#?}", report.checks);
        let cms: Vec<_> = read.signatures().iter().map(|one| one.cms.clone()).collect();
        assert!(cms.contains(&document.merchant_signature.as_ref().unwrap().to_vec()));
        assert!(cms.contains(&document.end_user_signature.as_ref().unwrap().to_vec()));
        let content = read.document().unwrap().unwrap();
        match document.index {
            0 => assert_eq!(content, to_iso_8859_1(text).unwrap()),
            1 => assert_eq!(content, samples::loan_agreement()),
            _ => assert!(String::from_utf8(content).unwrap().contains("<loan sum='100000'/>")),
        }
    }
    assert!(sandbox.refused().is_empty(), "{:?}", sandbox.refused());
}

#[tokio::test]
async fn two_people_sign_one_after_the_other() {
    let (sandbox, client) = start();
    let order = PadesOrder::new("Loan", vec![loan()]);
    let first = client.pades().create(&order, &call()).await.unwrap();
    sandbox.sign(&first.sign_id, Person::Kari).unwrap();
    let result = client.pades().download(&first, &DownloadOptions::default()).await.unwrap();
    let next = PadesOrder::following("Loan", &result).unwrap();
    let second = client.pades().create(&next, &call()).await.unwrap();
    sandbox.sign(&second.sign_id, Person::Ola).unwrap();
    let last = client.pades().download(&second, &DownloadOptions::default()).await.unwrap();
    let options = VerifyOptions {
        original: Some(Arc::new(bytes::Bytes::from(samples::loan_agreement()))),
        trust: trust(&sandbox),
        ..VerifyOptions::default()
    };
    let report = verify_bytes(last.documents[0].data.clone().unwrap(), &options);
    assert!(report.ok, "{}", report.to_json());
    assert_eq!(report.signatures.len(), 4);
}

#[tokio::test]
async fn a_user_who_does_not_sign_is_told_apart() {
    let (sandbox, client) = start();
    for (action, ended) in
        [(Action::Cancel, Code::OrderCancelled), (Action::Fail, Code::OrderFailed)]
    {
        let order = PadesOrder::new("Loan", vec![loan()]);
        let order = client.pades().create(&order, &call()).await.unwrap();
        let login = begin(&client, &order).await;
        let callback = visit(&sandbox, &login, action, Person::Kari);
        let error = finish(&client, &login, &callback).await.unwrap_err();
        assert_eq!(error.code(), Code::AuthorizeAccessDenied, "{error}");
        let options = DownloadOptions::default();
        let error = client.pades().download(&order, &options).await.err().unwrap();
        assert_eq!(error.code(), ended, "{error}");
        client.pades().discard(&order, &call()).await.unwrap();
        let error = client.pades().state(order.sign_id.as_str(), &call()).await.unwrap_err();
        assert_eq!(error.code(), Code::OrderNotFound, "{error}");
    }
}

#[tokio::test]
async fn callbacks_and_tokens_that_are_wrong_are_refused() {
    let (sandbox, client) = start();
    let token_path = "/auth/realms/sandbox/protocol/openid-connect/token";
    let signed = async || {
        let order = PadesOrder::new("Loan", vec![loan()]);
        let order = client.pades().create(&order, &call()).await.unwrap();
        let login = begin(&client, &order).await;
        let callback = visit(&sandbox, &login, Action::Sign, Person::Kari);
        (login, callback)
    };
    let (login, callback) = signed().await;
    finish(&client, &login, &callback).await.unwrap();
    let error = finish(&client, &login, &callback).await.unwrap_err();
    assert_eq!(error.code(), Code::OauthInvalidGrant, "{error}");
    for (change, seconds, code) in [
        (IdTokenChange::Nonce, 0, Code::IdTokenNonce),
        (IdTokenChange::NoNonce, 0, Code::IdTokenNonce),
        (IdTokenChange::Expired, 0, Code::IdTokenExpired),
        (IdTokenChange::Issuer, 0, Code::IdTokenIssuer),
        (IdTokenChange::Audience, 0, Code::IdTokenAudience),
        (IdTokenChange::Azp, 0, Code::IdTokenAuthorizedParty),
        (IdTokenChange::Signature, 0, Code::IdTokenSignature),
        (IdTokenChange::AlgNone, 0, Code::IdTokenAlgorithm),
        (IdTokenChange::Hs256, 0, Code::IdTokenAlgorithm),
        (IdTokenChange::Skew, 3600, Code::IdTokenIssuedInFuture),
    ] {
        let (login, callback) = signed().await;
        let fault = Fault::IdToken { change, seconds };
        sandbox.faults().add(Rule::new(fault).on("POST", token_path)).unwrap();
        let error = finish(&client, &login, &callback).await.unwrap_err();
        assert_eq!(error.code(), code, "{change:?}: {error}");
    }
    for (change, known) in [
        (IdTokenChange::UnknownKid, false),
        // There is one key that fits.
        (IdTokenChange::MissingKid, true),
        (IdTokenChange::RotatedKey, true),
    ] {
        // another client has not used up its look at the key set
        let client = common::client(&sandbox);
        let (login, callback) = signed().await;
        let fault = Fault::IdToken { change, seconds: 0 };
        sandbox.faults().add(Rule::new(fault).on("POST", token_path)).unwrap();
        match finish(&client, &login, &callback).await {
            Ok(_) => assert!(known, "{change:?}"),
            Err(error) => {
                assert!(!known, "{change:?}: {error}");
                assert_eq!(error.code(), Code::IdTokenKeyUnknown, "{change:?}: {error}");
            }
        }
    }
    for change in [CallbackChange::State, CallbackChange::NoState, CallbackChange::TwoCodes] {
        let order = PadesOrder::new("Loan", vec![loan()]);
        let order = client.pades().create(&order, &call()).await.unwrap();
        let login = begin(&client, &order).await;
        let rule = Rule::new(Fault::Callback { change });
        sandbox.faults().add(rule.on("POST", "/auth/*")).unwrap();
        let callback = visit(&sandbox, &login, Action::Sign, Person::Kari);
        let error = finish(&client, &login, &callback).await.unwrap_err();
        println!("{change:?}: {error}");
        assert_eq!(error.details()["sign_id"], order.sign_id.as_str());
    }
}

#[tokio::test]
async fn windows_are_those_of_the_service() {
    let (sandbox, client) = start();
    let order = PadesOrder::new("Loan", vec![loan()]);
    let early = client.pades().create(&order, &call()).await.unwrap();
    let login = begin(&client, &early).await;
    sandbox.clock().advance(Duration::from_secs(91));
    let error =
        client.login().begin(&early, REDIRECT, &LoginOptions::default()).await.err().unwrap();
    assert_eq!(error.code(), Code::WindowExpired, "{error}");
    let callback = visit(&sandbox, &login, Action::Sign, Person::Kari);
    let error = finish(&client, &login, &callback).await.unwrap_err();
    assert_eq!(error.code(), Code::AuthorizeInvalidRequest, "{error}");
    let error = client.pades().state(early.sign_id.as_str(), &call()).await.unwrap_err();
    assert_eq!(error.code(), Code::OrderNotFound, "{error}");

    let signed = client.pades().create(&order, &call()).await.unwrap();
    sandbox.sign(&signed.sign_id, Person::Kari).unwrap();
    sandbox.clock().advance(Duration::from_secs(91));
    let options = DownloadOptions::default();
    let error = client.pades().download(signed.sign_id.as_str(), &options).await.err().unwrap();
    assert_eq!(error.code(), Code::OrderNotFound, "{error}");
}

#[tokio::test]
async fn an_answer_lost_after_the_deletion_is_an_unknown_outcome() {
    let (sandbox, client) = start();
    let order = PadesOrder::new("Loan", vec![loan(), loan()]);
    let order = client.pades().create(&order, &call()).await.unwrap();
    sandbox.sign(&order.sign_id, Person::Kari).unwrap();
    let rule = Rule::new(Fault::reset(ResetWhen::AfterWork)).on("DELETE", "/signdoc/pades");
    sandbox.faults().add(rule).unwrap();
    let options = DownloadOptions::default();
    let error = client.pades().download(&order, &options).await.err().unwrap();
    assert_eq!(error.code(), Code::OutcomeUnknown, "{error}");
    assert!(error.download().is_none() || error.download().unwrap().document_count() == 0);
    let deletes = sandbox.requests().iter().filter(|seen| seen.method == "DELETE").count();
    assert_eq!(deletes, 1, "never sent again");
}

#[tokio::test]
async fn an_error_after_the_deletion_is_an_unknown_outcome_too() {
    let (sandbox, client) = start();
    let order = PadesOrder::new("Loan", vec![loan()]);
    let order = client.pades().create(&order, &call()).await.unwrap();
    sandbox.sign(&order.sign_id, Person::Kari).unwrap();
    let rule = Rule::new(Fault::status(500).after_work()).on("DELETE", "/signdoc/pades");
    sandbox.faults().add(rule).unwrap();
    let options = DownloadOptions::default();
    let error = client.pades().download(&order, &options).await.err().unwrap();
    assert_eq!(error.code(), Code::OutcomeUnknown, "{error}");
    let deletes = sandbox.requests().iter().filter(|seen| seen.method == "DELETE").count();
    assert_eq!(deletes, 1, "never sent again");
}

#[tokio::test]
async fn what_arrived_whole_before_a_cut_is_kept() {
    let (sandbox, client) = start();
    for (document, at, how, whole) in [
        (1, CutAt::Middle, CutHow::Close, 0),
        (1, CutAt::Closed, CutHow::Reset, 1),
        (2, CutAt::Start, CutHow::Close, 1),
        (2, CutAt::Middle, CutHow::Complete, 1),
        (3, CutAt::Closed, CutHow::Close, 3),
    ] {
        let order = PadesOrder::new("Loan", vec![loan(), loan(), loan()]);
        let order = client.pades().create(&order, &call()).await.unwrap();
        sandbox.sign(&order.sign_id, Person::Kari).unwrap();
        let rule = Rule::new(Fault::CutDocument { document, at, how });
        sandbox.faults().add(rule.on("DELETE", "/signdoc/pades")).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let to = Destination::folder(folder.path());
        let options = DownloadOptions { to, ..DownloadOptions::default() };
        let error = client.pades().download(&order, &options).await.err().unwrap();
        assert_eq!(error.code(), Code::OutcomeUnknown, "{error}");
        let Some(Download::Pades(kept)) = error.download() else {
            assert_eq!(whole, 0, "{document} {at:?}: {error}");
            continue;
        };
        let kept: Vec<_> = kept.documents.iter().filter_map(|one| one.path.as_ref()).collect();
        assert_eq!(kept.len(), whole, "{document} {at:?}: {error}");
        for path in kept {
            let options = VerifyOptions { trust: trust(&sandbox), ..VerifyOptions::default() };
            let report = verify_bytes(std::fs::read(path).unwrap(), &options);
            assert!(report.ok, "{}", report.to_json());
        }
    }
}

#[tokio::test]
async fn a_refused_order_says_why() {
    let (sandbox, client) = start();
    let broken = PadesDocument::new(Document::from_bytes(samples::corrupt()));
    let order = PadesOrder::new("Loan", vec![loan(), broken]);
    let error = client.pades().create(&order, &call()).await.err().unwrap();
    assert_eq!(error.code(), Code::OrderRejected, "{error}");
    assert!(error.to_string().contains("documents[1].pdf cannot be signed"), "{error}");
    assert_eq!(sandbox.refused().len(), 1);
}

#[tokio::test]
async fn conversion_results_belong_to_their_documents() {
    let (sandbox, client) = start();
    if let Err(reason) = sandbox.converter() {
        println!("not tried: no converter: {reason}");
        return;
    }
    let asked = || PadesDocument { pdf_spec: Some("PDFA_2B".to_owned()), ..loan() };
    let order = PadesOrder::new("Loan", vec![asked(), asked()]);
    let order = client.pades().create(&order, &call()).await.unwrap();
    assert_eq!(order.conversions.len(), 2);
    assert!(order.conversions.iter().all(|one| one.converted));
    assert_eq!(order.conversions[1].description.as_deref(), Some("Loan - 2"));
    sandbox.sign(&order.sign_id, Person::Kari).unwrap();
    let result = client.pades().download(&order, &DownloadOptions::default()).await.unwrap();
    for document in &result.documents {
        assert_eq!(document.signed_check, DigestCheck::Matches);
    }
    let mixed = PadesOrder::new("Loan", vec![loan(), asked()]);
    let mixed = client.pades().create(&mixed, &call()).await.unwrap();
    let converted: Vec<_> =
        mixed.conversions.iter().map(|one| (one.index, one.converted)).collect();
    assert_eq!(converted, [(0, false), (1, true)]);
}

#[tokio::test]
async fn a_failed_conversion_names_its_document_and_leaves_no_order() {
    let sandbox = common::sandbox(signdoc_sandbox::Environment::Test);
    let failed_conversion = FailedConversion::Refused;
    sandbox.set_variants(Variants { failed_conversion, ..Variants::default() });
    let client = common::client(&sandbox);
    let asked = PadesDocument { pdf_spec: Some("PDFA_2B".to_owned()), ..loan() };
    let order = PadesOrder::new("Loan", vec![loan(), asked]);
    let error = client.pades().create(&order, &call()).await.err().unwrap();
    assert_eq!(error.code(), Code::ConversionDisabled, "{error}");
    assert_eq!(error.details()["failed"], serde_json::json!([1]));
    let results: Vec<_> = error.conversions().iter().map(|one| one.errors.len()).collect();
    assert_eq!(results, [0, 1]);
}

#[tokio::test]
async fn an_order_of_the_testing_environment_is_signed_without_its_conversion() {
    let sandbox = common::sandbox(signdoc_sandbox::Environment::Test);
    let client = common::client(&sandbox);
    let asked = PadesDocument { pdf_spec: Some("PDFA_2B".to_owned()), ..loan() };
    let order = PadesOrder::new("Loan", vec![loan(), asked]);
    let order = client.pades().create(&order, &call()).await.unwrap();
    let errors: Vec<_> =
        order.conversions.iter().map(|one| one.errors.first().map(|e| e.name())).collect();
    assert_eq!(errors, [None, Some("DISABLED")]);
    sandbox.sign(&order.sign_id, Person::Kari).unwrap();
    let result = client.pades().download(&order, &DownloadOptions::default()).await.unwrap();
    for document in &result.documents {
        assert_eq!(document.signed_check, DigestCheck::Matches);
        assert_eq!(document.unsigned_check, DigestCheck::Matches);
    }
}
