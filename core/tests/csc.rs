//! The credential-based interface, against a scripted service with real keys.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

#[path = "common/server.rs"]
mod server;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use server::{Reply, Seen, Server, Then};
use signdoc::csc::{
    CscLoginOptions, CscSession, HashAlgorithm, HashesToSign, Padding, PdfLevel, PdfToSign,
    SignPdfOptions, Signatures,
};
use signdoc::{CallOptions, Client, Code, Document, Error, FinishOptions, Origin};
use signdoc_signature::asn1::Time;
use signdoc_signature::crypto::{Algorithm, KeyKind};
use signdoc_signature::fixtures::{RawPdf, Structure};
use signdoc_signature::pki::{Identity, OcspOptions, Pki, Profile, Subject};
use signdoc_signature::sign::ValidationData;
use signdoc_signature::verify::{VerifyOptions, verify_bytes};

const REDIRECT: &str = "https://shop.example/callback";
const LIST: &str = "/csc/v2/credentials/list";
const AUTHORIZE: &str = "/csc/v2/credentials/authorize";
const SIGN: &str = "/csc/v2/signatures/signHash";
const TOKEN: &str = "/csc/v2/oauth2/token";

type Script = Box<dyn FnMut(&Seen) -> Option<Reply> + Send>;

/// A service with one user and one key; `script` may answer in its place.
struct Service {
    server: Server,
    script: Arc<Mutex<Script>>,
    pki: Arc<Pki>,
}

fn service(kind: KeyKind, algorithms: &'static [&'static str]) -> Service {
    let pki = Arc::new(Pki::new(7).unwrap());
    let issued = Time::now().plus_seconds(-3600);
    let profile = Profile::person(Subject::person("Kari", "Prøve", 1), kind, issued);
    let identity = pki.issue(&profile).unwrap();
    let script: Arc<Mutex<Script>> = Arc::new(Mutex::new(Box::new(|_| None)));
    let (own, keys) = (script.clone(), pki.clone());
    let server = Server::start(move |seen| {
        (own.lock().unwrap())(seen).or_else(|| answer(seen, &keys, &identity, algorithms))
    });
    Service { server, script, pki }
}

fn rsa() -> Service {
    service(KeyKind::Rsa(2048), &["1.2.840.113549.1.1.1", "1.2.840.113549.1.1.10"])
}

fn error(status: u16, code: &str) -> Reply {
    Reply::json(
        status,
        json!({"errorCode": code, "errorDescription": "scripted", "errorReference": "REF1"}),
    )
}

fn answer(seen: &Seen, pki: &Pki, identity: &Identity, algorithms: &[&str]) -> Option<Reply> {
    if seen.is("POST", TOKEN) {
        let form = seen.form();
        assert!(seen.headers["authorization"].starts_with("Bearer token-"));
        let right = form["code"] == "c0de" && form["code_verifier"].len() >= 43;
        return Some(if right {
            Reply::json(
                200,
                json!({"access_token": "csc-token", "token_type": "Bearer", "expires_in": 600}),
            )
        } else {
            Reply::json(400, json!({"error": "invalid_grant"}))
        });
    }
    if seen.is("POST", "/tsa") {
        let reply = pki.timestamp_response(&seen.body, Time::now()).unwrap();
        return Some(Reply::new(200, "application/timestamp-reply", &[], &reply));
    }
    if !seen.target.starts_with("/csc/v2/") {
        return None;
    }
    let body = seen.json();
    if seen.is("POST", "/csc/v2/info") {
        return Some(Reply::json(
            200,
            json!({"name": "Sign", "specs": "2.0.0.2", "methods": ["info"], "authType": "oauth2code"}),
        ));
    }
    assert_eq!(seen.headers["authorization"], "Bearer csc-token");
    assert_eq!(seen.headers["content-type"], "application/json");
    if seen.is("POST", LIST) {
        let chain: Vec<_> = std::iter::once(identity.certificate())
            .chain(identity.issuers())
            .map(|certificate| STANDARD.encode(certificate.as_der()))
            .collect();
        return Some(Reply::json(
            200,
            json!({"credentialIDs": ["k1"], "credentialInfos": [{
                "credentialID": "k1",
                "key": {"status": "enabled", "algo": algorithms, "len": 2048},
                "cert": {"status": "valid", "certificates": chain},
                "multisign": 50,
            }]}),
        ));
    }
    if seen.is("POST", AUTHORIZE) {
        assert_eq!(body["credentialID"], "k1");
        assert_eq!(body["numSignatures"], body["hashes"].as_array().unwrap().len());
        return Some(Reply::json(200, json!({"SAD": "sad", "expiresIn": 300})));
    }
    if seen.is("POST", SIGN) {
        assert_eq!(body["SAD"], "sad");
        let hash = match body["hashAlgorithmOID"].as_str().unwrap() {
            "2.16.840.1.101.3.4.2.1" => HashAlgorithm::Sha256,
            "2.16.840.1.101.3.4.2.2" => HashAlgorithm::Sha384,
            _ => HashAlgorithm::Sha512,
        };
        let algorithm = match body["signAlgo"].as_str().unwrap() {
            "1.2.840.113549.1.1.10" => {
                assert!(body["signAlgoParams"].is_string());
                Algorithm::RsaPss(hash)
            }
            _ => identity.algorithm(hash),
        };
        let signatures: Vec<_> = body["hashes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|text| STANDARD.decode(text.as_str().unwrap()).unwrap())
            .map(|digest| STANDARD.encode(identity.sign_hash(algorithm, &digest).unwrap()))
            .collect();
        let mut reply = json!({"signatures": signatures});
        if body["hashes"].as_array().unwrap().len() == 2 {
            let options = OcspOptions::at(Time::now());
            let ocsp = pki.ocsp(identity.certificate(), &options).unwrap();
            reply["ocspResponse"] = json!(STANDARD.encode(ocsp));
        }
        return Some(Reply::json(200, reply));
    }
    Some(error(400, "invalid_request"))
}

impl Service {
    fn client_with(&self, options: &[(&str, &str)]) -> Client {
        let url = format!("{}/csc/v2", self.server.url());
        let all = [("csc_url", url.as_str())].into_iter().chain(options.iter().copied());
        self.server.client_with(&all.collect::<Vec<_>>())
    }

    async fn session_with(&self, client: &Client) -> CscSession {
        let login = client.csc().begin(REDIRECT, &CscLoginOptions::default()).unwrap();
        let callback = format!("{REDIRECT}?code=c0de&state={}", query(&login.url)["state"]);
        let options = FinishOptions::default();
        client.csc().finish(&login.to_token(), &callback, &options).await.unwrap()
    }

    async fn session(&self) -> CscSession {
        self.session_with(&self.client_with(&[])).await
    }

    /// Answers each request to `path` with these replies first.
    fn instead(&self, path: &'static str, mut replies: Vec<Reply>) {
        replies.reverse();
        *self.script.lock().unwrap() =
            Box::new(move |seen| seen.is("POST", path).then(|| replies.pop()).flatten());
    }

    fn count(&self, path: &str) -> usize {
        self.server.seen("POST", path).len()
    }
}

fn query(url: &str) -> BTreeMap<String, String> {
    url::Url::parse(url).unwrap().query_pairs().into_owned().collect()
}

fn hashes(count: usize) -> HashesToSign {
    let hashes = (0..count).map(|n| HashAlgorithm::Sha256.digest(&[n as u8])).collect();
    HashesToSign::new(hashes, HashAlgorithm::Sha256)
}

async fn sign(session: &CscSession, request: HashesToSign) -> Result<Signatures, Error> {
    session.sign_hashes(request, &CallOptions::default()).await
}

#[tokio::test]
async fn hashes_are_signed_in_one_session_and_in_order() {
    let service = rsa();
    let session = service.session().await;
    let signed = sign(&session, hashes(3)).await.unwrap();
    assert_eq!(signed.signatures.len(), 3);
    assert_eq!(signed.credential.credential_id, "k1");
    let sent = service.server.seen("POST", SIGN)[0].json();
    assert_eq!(sent["signAlgo"], "1.2.840.113549.1.1.1");
    assert_eq!(sent["hashAlgorithmOID"], "2.16.840.1.101.3.4.2.1");
    assert_eq!(sent.as_object().unwrap().len(), 5, "{sent}");
    let authorized = service.server.seen("POST", AUTHORIZE)[0].json();
    assert_eq!(authorized["hashes"], sent["hashes"]);
    assert_eq!(authorized.as_object().unwrap().len(), 4, "{authorized}");
    let again = sign(&session, hashes(1)).await.unwrap_err();
    assert_eq!((again.code(), again.origin()), (Code::CscTokenAlreadyUsed, Origin::Local));
    assert_eq!(again.name(), "token_already_used");
    assert_eq!((service.count(LIST), service.count(AUTHORIZE), service.count(SIGN)), (1, 1, 1));
}

#[tokio::test]
async fn every_key_and_padding_signs() {
    for (kind, algorithms, padding, hash, expected) in [
        (
            KeyKind::P256,
            &["1.2.840.10045.4.3.2"][..],
            None,
            HashAlgorithm::Sha256,
            "1.2.840.10045.4.3.2",
        ),
        (
            KeyKind::P384,
            &["1.2.840.10045.4.3.3"][..],
            None,
            HashAlgorithm::Sha384,
            "1.2.840.10045.4.3.3",
        ),
        (
            KeyKind::Rsa(2048),
            &[][..],
            Some(Padding::Pss),
            HashAlgorithm::Sha512,
            "1.2.840.113549.1.1.10",
        ),
        (
            KeyKind::Rsa(2048),
            &["1.2.840.113549.1.1.10"][..],
            None,
            HashAlgorithm::Sha256,
            "1.2.840.113549.1.1.10",
        ),
        (
            KeyKind::Rsa(2048),
            &["1.2.840.113549.1.1.13"][..],
            None,
            HashAlgorithm::Sha512,
            "1.2.840.113549.1.1.13",
        ),
    ] {
        let service = service(kind, algorithms);
        let session = service.session().await;
        let mut request = HashesToSign::new(vec![hash.digest(b"x")], hash);
        request.padding = padding;
        sign(&session, request).await.unwrap();
        assert_eq!(service.server.seen("POST", SIGN)[0].json()["signAlgo"], expected);
    }
    let service = service(KeyKind::P256, &["1.2.840.10045.4.3.4"]);
    let refused = sign(&service.session().await, hashes(1)).await.unwrap_err();
    assert_eq!(refused.code(), Code::CscInvalidSignatureFormat);
    assert_eq!(service.count(AUTHORIZE), 0);
}

#[tokio::test]
async fn wrong_input_is_found_before_the_token_is_used() {
    let service = rsa();
    let session = service.session().await;
    for (request, field) in [
        (hashes(0), "hashes"),
        (hashes(51), "hashes"),
        (HashesToSign::new(vec![vec![1; 32], vec![1; 31]], HashAlgorithm::Sha256), "hashes[1]"),
    ] {
        let error = sign(&session, request).await.unwrap_err();
        assert_eq!((error.code(), error.origin()), (Code::CscInvalidParameters, Origin::Local));
        assert_eq!(error.details()["field"], field);
    }
    let mut other = hashes(1);
    other.credential_id = Some("gone".to_owned());
    assert_eq!(sign(&session, other).await.unwrap_err().code(), Code::CscCredentialNotFound);
    assert_eq!(service.count(AUTHORIZE), 0);
    sign(&session, hashes(50)).await.unwrap();
}

#[tokio::test]
async fn steps_out_of_order_fail_here_with_the_services_code() {
    let service = rsa();
    let session = service.session().await;
    let options = CallOptions::default();
    let early = session.sign_hash(&options).await.unwrap_err();
    assert_eq!(early.code(), Code::CscTokenAlreadyUsed);
    let early = session.authorize(hashes(1), &options).await.unwrap_err();
    assert_eq!(early.code(), Code::CscTokenAlreadyUsed);
    session.credentials(&options).await.unwrap();
    session.credentials(&options).await.unwrap();
    assert_eq!(service.count(LIST), 1, "the list is remembered");
    session.authorize(hashes(1), &options).await.unwrap();
    let late = session.credentials(&options).await.unwrap_err();
    assert_eq!(late.code(), Code::CscTokenAlreadyUsed);
    session.sign_hash(&options).await.unwrap();
}

#[tokio::test]
async fn a_wrong_signature_is_never_handed_out() {
    for (signatures, code) in [
        (json!([]), Code::CscHashMismatch),
        (json!(["AAAA"]), Code::CscSignatureMismatch),
        (json!(["AAAA", "AAAA"]), Code::CscHashMismatch),
    ] {
        let service = rsa();
        service.instead(SIGN, vec![Reply::json(200, json!({"signatures": signatures}))]);
        let session = service.session().await;
        assert_eq!(sign(&session, hashes(1)).await.unwrap_err().code(), code);
        assert_eq!(sign(&session, hashes(1)).await.unwrap_err().code(), Code::CscSessionSpent);
    }
}

#[tokio::test]
async fn a_lost_answer_of_the_signing_is_an_unknown_outcome() {
    let service = rsa();
    service.instead(SIGN, vec![Reply::nothing(Then::Reset)]);
    let client = service.client_with(&[("max_retries", "5")]);
    let session = service.session_with(&client).await;
    let error = sign(&session, hashes(1)).await.unwrap_err();
    assert_eq!(error.code(), Code::OutcomeUnknown);
    assert_eq!(error.details()["session_over"], true);
    assert_eq!(error.advice(), Code::CscSessionSpent.spec().advice, "not about orders");
    assert_eq!(service.count(SIGN), 1, "a spent token is not sent again");
    assert_eq!(sign(&session, hashes(1)).await.unwrap_err().code(), Code::CscSessionSpent);
}

#[tokio::test]
async fn where_the_session_is_over_the_advice_is_a_new_one() {
    let fresh = Code::CscSessionSpent.spec().advice;
    for (reply, code, advice) in [
        (Reply::nothing(Then::Reset), Code::ConnectionLost, fresh),
        (Reply::json(200, "{").cut(1, Then::Close), Code::TruncatedAnswer, fresh),
        (Reply::json(503, ""), Code::ServiceUnavailable, fresh),
        // What it says is no less true of another session.
        (error(403, "credential_locked"), Code::CscCredentialLocked, ""),
        // The session goes on.
        (error(503, "csc_user_keys_limit"), Code::CscUserKeysLimit, ""),
    ] {
        let service = rsa();
        service.instead(LIST, vec![reply]);
        let session = service.session().await;
        let error = sign(&session, hashes(1)).await.unwrap_err();
        assert_eq!(error.code(), code, "{error}");
        let expected = if advice.is_empty() { code.spec().advice } else { advice };
        assert_eq!(error.advice(), expected, "{error}");
        let goes_on = sign(&session, hashes(1)).await.is_ok();
        assert_eq!(error.is_retryable(), goes_on, "{error}");
    }
}

#[tokio::test]
async fn busy_answers_are_repeated_and_others_are_not() {
    let service = rsa();
    let busy = || error(503, "csc_user_keys_limit");
    service.instead(LIST, vec![busy(), busy()]);
    let client = service.client_with(&[("max_retries", "2")]);
    let session = service.session_with(&client).await;
    sign(&session, hashes(1)).await.unwrap();
    assert_eq!(service.count(LIST), 3);

    let service = rsa();
    service.instead(LIST, vec![busy()]);
    let session = service.session().await;
    let refused = sign(&session, hashes(1)).await.unwrap_err();
    assert_eq!((refused.code(), refused.is_retryable()), (Code::CscUserKeysLimit, true));
    assert_eq!(refused.reference(), Some("REF1"));
    sign(&session, hashes(1)).await.unwrap();
}

#[tokio::test]
async fn each_code_of_the_service_arrives_typed() {
    let table: Value = serde_json::from_str(include_str!(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../tests/vectors/spec/csc-errors.json"
    )))
    .unwrap();
    let rows = table.as_array().unwrap();
    assert_eq!(rows.len(), 28);
    for row in rows {
        let name = row["code"].as_str().unwrap();
        let status = u16::try_from(row["status"].as_u64().unwrap()).unwrap();
        for own_shape in [true, false] {
            let service = rsa();
            let reply = if own_shape {
                error(status, name)
            } else {
                Reply::json(status, json!({"error": name, "error_description": "scripted"}))
            };
            service.instead(AUTHORIZE, vec![reply]);
            let session = service.session().await;
            let error = sign(&session, hashes(1)).await.unwrap_err();
            assert_eq!(error.name(), name, "{error:?}");
            assert_eq!(Some(error.code()), Code::csc(name));
            assert_eq!(error.http_status(), Some(status));
            assert_eq!(error.category().label(), row["category"].as_str().unwrap());
            assert!(!error.advice().is_empty());
            let next = sign(&session, hashes(1)).await;
            // What the service is not up to for now, and what it refused as invalid, may come again.
            let may_come_again =
                matches!(row["category"].as_str().unwrap(), "Service" | "Request Validation");
            assert_eq!(next.is_ok(), may_come_again, "{name}");
        }
    }
}

#[tokio::test]
async fn expired_activation_data_and_tokens_fail_here() {
    let service = rsa();
    let sad = Reply::json(200, json!({"SAD": "sad", "expiresIn": 0}));
    service.instead(AUTHORIZE, vec![sad]);
    let session = service.session().await;
    assert_eq!(sign(&session, hashes(1)).await.unwrap_err().code(), Code::CscInvalidSad);
    assert_eq!(service.count(SIGN), 0);

    let service = rsa();
    let token = Reply::json(200, json!({"access_token": "csc-token", "expires_in": "0"}));
    service.instead(TOKEN, vec![token]);
    let session = service.session().await;
    assert_eq!(sign(&session, hashes(1)).await.unwrap_err().code(), Code::CscInvalidToken);
    assert_eq!(service.count(LIST), 0);
}

#[tokio::test]
async fn the_login_checks_state_and_maps_errors() {
    let service = rsa();
    let client = service.client_with(&[]);
    let options = CscLoginOptions { lang: Some("nb".to_owned()), description: None };
    let login = client.csc().begin(REDIRECT, &options).unwrap();
    assert!(login.url.starts_with(&format!("{}/csc/v2/oauth2/authorize?", service.server.url())));
    let asked = query(&login.url);
    assert_eq!((asked["scope"].as_str(), asked["lang"].as_str()), ("service", "nb"));
    assert_eq!(asked["code_challenge_method"], "S256");
    let finish = async |callback: String, token: String| {
        client.csc().finish(&token, &callback, &FinishOptions::default()).await.unwrap_err()
    };
    let state = &asked["state"];
    let token = login.to_token();
    for (callback, code) in [
        (format!("{REDIRECT}?code=c0de&state=x"), Code::LoginStateMismatch),
        (format!("{REDIRECT}?code=c0de"), Code::LoginStateMismatch),
        (format!("{REDIRECT}?state={state}"), Code::LoginCallbackIncomplete),
        (format!("{REDIRECT}?error=access_denied&state={state}"), Code::AuthorizeAccessDenied),
        (format!("{REDIRECT}?code=used&state={state}"), Code::OauthInvalidGrant),
    ] {
        assert_eq!(finish(callback.clone(), token.clone()).await.code(), code, "{callback}");
    }
    let elsewhere = service.client_with(&[("csc_url", "https://other.example/csc")]);
    let other = elsewhere.csc().begin(REDIRECT, &options).unwrap();
    let error = finish(format!("{REDIRECT}?code=c0de&state={state}"), other.to_token()).await;
    assert_eq!(error.code(), Code::LoginTokenInvalid);
    let none = service.server.client();
    assert_eq!(none.csc().begin(REDIRECT, &options).unwrap_err().code(), Code::MissingOption);
}

#[tokio::test]
async fn a_code_is_sent_once_also_where_the_providers_token_was_refused() {
    let service = rsa();
    let client = service.client_with(&[("max_retries", "5")]);
    for (reply, code) in [
        (Reply::json(401, json!({"error": "invalid_token"})), Code::OauthUnknown),
        (
            Reply::json(503, json!({"error": "temporarily_unavailable"})),
            Code::OauthTemporarilyUnavailable,
        ),
        (Reply::nothing(Then::Close), Code::OutcomeUnknown),
        (Reply::nothing(Then::Reset), Code::OutcomeUnknown),
    ] {
        let before = service.count(TOKEN);
        service.instead(TOKEN, vec![reply]);
        let login = client.csc().begin(REDIRECT, &CscLoginOptions::default()).unwrap();
        let callback = format!("{REDIRECT}?code=c0de&state={}", query(&login.url)["state"]);
        let options = FinishOptions::default();
        let finished = client.csc().finish(&login.to_token(), &callback, &options).await;
        let error = finished.unwrap_err();
        assert_eq!(error.code(), code, "{error}");
        assert_eq!(service.count(TOKEN), before + 1, "{error}");
        if code == Code::OutcomeUnknown {
            assert!(!error.is_retryable());
            assert_eq!(error.advice(), Code::CscSessionSpent.spec().advice);
        }
    }
    // The refused token serves no other login.
    let tokens = service.server.seen("POST", server::TOKEN);
    assert_eq!(tokens.len(), 2);
    assert_eq!(tokens[0].form()["scope"], "esign/csc");
}

#[tokio::test]
async fn info_is_read_with_and_without_a_token() {
    let service = rsa();
    let info = service.client_with(&[]).csc().info(&CallOptions::default()).await.unwrap();
    assert_eq!(info.name.as_deref(), Some("Sign"));
    assert_eq!(
        (info.auth_types, info.methods),
        (vec!["oauth2code".to_owned()], vec!["info".to_owned()])
    );
    let bare = service.client_with(&[("client_secret", "")]);
    bare.csc().info(&CallOptions::default()).await.unwrap();
    let seen = service.server.seen("POST", "/csc/v2/info");
    assert!(seen[0].headers.contains_key("authorization"));
    assert!(!seen[1].headers.contains_key("authorization"));
}

fn pdf() -> Vec<u8> {
    signdoc_sandbox::samples::loan_agreement()
}

async fn sign_pdfs(
    session: &CscSession,
    pdfs: &[PdfToSign],
) -> Result<Vec<signdoc::csc::SignedPdf>, Error> {
    session.sign_pdfs(pdfs, &SignPdfOptions::default()).await
}

fn verified(service: &Service, bytes: &[u8], original: &[u8], level: &str) {
    let options = VerifyOptions {
        trust: service.pki.anchors(),
        original: Some(Arc::new(bytes::Bytes::copy_from_slice(original))),
        ..VerifyOptions::default()
    };
    let report = verify_bytes(bytes.to_vec(), &options);
    assert!(report.ok, "{:#}", report.to_json());
    let found = report.signatures.last().unwrap().level.map(|level| level.name());
    assert_eq!(found, Some(level));
}

#[tokio::test]
async fn pdfs_are_signed_verified_and_written() {
    let service = rsa();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new/signed.pdf");
    let session = service.session().await;
    let jobs = [PdfToSign::new(Document::from_bytes(pdf())).to(&path)];
    let signed = sign_pdfs(&session, &jobs).await.unwrap();
    assert_eq!((signed[0].level, signed[0].path.as_ref()), (PdfLevel::B, Some(&path)));
    let bytes = std::fs::read(&path).unwrap();
    assert_eq!(bytes.len() as u64, signed[0].size);
    verified(&service, &bytes, &pdf(), "B-B");
    let exists = sign_pdfs(&service.session().await, &jobs).await.unwrap_err();
    assert_eq!(exists.code(), Code::DestinationExists);

    // Signed once more: the first signature stays valid.
    let session = service.session().await;
    let twice = sign_pdfs(&session, &[PdfToSign::new(Document::from_path(&path))]).await.unwrap();
    let twice = twice[0].data.clone().unwrap();
    assert!(twice.starts_with(&bytes));
    verified(&service, &twice, &bytes, "B-B");
}

#[tokio::test]
async fn timestamps_and_revocation_answers_raise_the_level() {
    let service = rsa();
    let tsa = format!("{}/tsa", service.server.url());
    let client = service.client_with(&[("tsa_url", &tsa)]);
    let one = PdfToSign::new(Document::from_bytes(pdf()));
    let session = service.session_with(&client).await;
    let signed = sign_pdfs(&session, std::slice::from_ref(&one)).await.unwrap();
    assert_eq!(signed[0].level, PdfLevel::T);
    verified(&service, signed[0].data.as_ref().unwrap(), &pdf(), "B-T");
    // The scripted service sends an OCSP answer along with two signatures.
    let session = service.session_with(&client).await;
    let signed = sign_pdfs(&session, &[one.clone(), one.clone()]).await.unwrap();
    // It is about the signer alone: nothing is known of those above, nor of the timestamp's.
    assert_eq!(signed[1].level, PdfLevel::T);
    let bytes = signed[1].data.as_ref().unwrap();
    assert!(bytes.windows(4).any(|window| window == b"/DSS"));
    verified(&service, bytes, &pdf(), "B-T");
    let pki = &service.pki;
    let answer = |who: &Identity| {
        pki.ocsp_response(who.certificate(), &OcspOptions::at(Time::now())).unwrap()
    };
    let ocsp_responses = vec![answer(pki.issuing()), answer(pki.timestamping())];
    let certificates = vec![pki.root().certificate().as_der().to_vec()];
    let validation = ValidationData { certificates, ocsp_responses, ..ValidationData::default() };
    let options = SignPdfOptions { validation, ..SignPdfOptions::default() };
    let session = service.session_with(&client).await;
    let signed = session.sign_pdfs(&[one.clone(), one], &options).await.unwrap();
    assert_eq!(signed[1].level, PdfLevel::Lt);
    verified(&service, signed[1].data.as_ref().unwrap(), &pdf(), "B-LT");
}

/// The list of its form's fields is the list of its page's annotations too.
fn unverifiable() -> PdfToSign {
    let mut pdf = RawPdf::new();
    pdf.object("<</Type/Catalog/Pages 2 0 R/AcroForm 4 0 R>>");
    pdf.object("<</Type/Pages/Kids[3 0 R]/Count 1>>");
    pdf.object("<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Annots 5 0 R>>");
    pdf.object("<</Fields 5 0 R>>");
    pdf.object("[]");
    PdfToSign::new(Document::from_bytes(pdf.build(Structure::Table)))
}

#[tokio::test]
async fn a_timestamp_is_verified_before_the_token_is_used() {
    let service = rsa();
    let tsa = format!("{}/tsa", service.server.url());
    let client = service.client_with(&[("tsa_url", &tsa)]);
    let session = service.session_with(&client).await;
    let one = [PdfToSign::new(Document::from_bytes(pdf()))];
    let stranger = Pki::new(99).unwrap();
    *service.script.lock().unwrap() = Box::new(move |seen| {
        let mut reply = stranger
            .timestamp_response(seen.is("POST", "/tsa").then_some(&seen.body)?, Time::now())
            .unwrap();
        // The end of the authority's signature.
        *reply.last_mut().unwrap() ^= 1;
        Some(Reply::new(200, "application/timestamp-reply", &[], &reply))
    });
    let error = sign_pdfs(&session, &one).await.unwrap_err();
    assert_eq!(error.code(), Code::MalformedAnswer);
    assert!(error.message().contains("does not hold"), "{error}");
    assert_eq!((service.count("/tsa"), service.count(LIST)), (1, 0));
    // The session is not spent: with a sound authority it serves.
    service.instead("/tsa", vec![]);
    let signed = sign_pdfs(&session, &one).await.unwrap();
    assert_eq!(signed[0].level, PdfLevel::T);
}

#[tokio::test]
async fn what_cannot_be_signed_is_refused_before_the_token_is_used() {
    let service = rsa();
    let session = service.session().await;
    let good = PdfToSign::new(Document::from_bytes(pdf()));
    let bad = PdfToSign::new(Document::from_bytes(&b"%PDF-1.7 nothing more"[..]));
    let error = sign_pdfs(&session, &[good.clone(), bad]).await.unwrap_err();
    assert_eq!(error.code(), Code::PdfNotSignable);
    assert_eq!(error.details()["index"], 1);
    // It can be signed, but not so that the signature would verify.
    let error = sign_pdfs(&session, &[good.clone(), unverifiable()]).await.unwrap_err();
    assert_eq!((error.code(), &error.details()["index"]), (Code::PdfNotSignable, &1.into()));
    assert!(error.to_string().contains("would not verify"), "{error}");
    let error = sign_pdfs(&session, &vec![good.clone(); 51]).await.unwrap_err();
    assert_eq!(error.code(), Code::CscInvalidParameters);
    assert_eq!(service.count(LIST), 0);
    sign_pdfs(&session, &[good]).await.unwrap();
}

#[tokio::test]
async fn nothing_secret_is_shown() {
    let service = rsa();
    let client = service.client_with(&[]);
    let login = client.csc().begin(REDIRECT, &CscLoginOptions::default()).unwrap();
    let session = service.session_with(&client).await;
    let listed = session.credentials(&CallOptions::default()).await.unwrap();
    let shown = format!("{login:?} {session:?} {listed:?} {client:?}");
    for secret in ["csc-token", "sad\"", "Prøve", "s3cret", &query(&login.url)["state"]] {
        assert!(!shown.contains(secret), "{secret} in {shown}");
    }
}

#[tokio::test]
async fn a_caller_who_goes_away_leaves_the_session_over() {
    let service = rsa();
    service.instead(LIST, vec![Reply::nothing(Then::Stall(Duration::from_secs(20)))]);
    let session = service.session().await;
    let began = SystemTime::now();
    let call = CallOptions::default();
    let waiting = session.credentials(&call);
    let gone = tokio::time::timeout(Duration::from_millis(200), waiting).await;
    assert!(gone.is_err(), "{:?}", began.elapsed());
    let error = session.credentials(&CallOptions::default()).await.unwrap_err();
    assert_eq!(error.code(), Code::CscSessionSpent);
}
