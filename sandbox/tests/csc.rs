//! The credential-based signing interface: the two tokens, the order of calls, errors, and
//! signatures that hold.
// helpers outside of test functions are test code as well
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use common::csc::*;
use common::flow::*;
use common::*;
use serde_json::{Value, json};
use signdoc_sandbox::{Action, CscKey, Sandbox, Variants, samples};
use signdoc_signature::cms::{Assembly, AttributeOptions, assemble, signed_attributes};
use signdoc_signature::crypto::{Algorithm, HashAlgorithm};
use signdoc_signature::sign::{PrepareOptions, prepare};
use signdoc_signature::tsp::{TimestampRequest, TimestampToken as Token, parse_response};
use signdoc_signature::verify::{VerifyOptions, verify_bytes};
use signdoc_signature::x509::{Certificate, TrustAnchors};

fn table(name: &str) -> Value {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/vectors/spec");
    serde_json::from_str(&std::fs::read_to_string(folder.join(name)).unwrap()).unwrap()
}

#[track_caller]
fn code_of(reply: &Reply) -> String {
    let body = reply.json();
    assert!(body["errorReference"].as_str().unwrap().starts_with("REF"), "{body}");
    assert!(!body["errorDescription"].as_str().unwrap().is_empty());
    body["errorCode"].as_str().unwrap().to_owned()
}

fn good(reply: Reply) -> Value {
    assert_eq!(reply.status, 200, "{}", reply.text());
    reply.json()
}

struct Session<'a> {
    sandbox: &'a Sandbox,
    token: String,
    credential: String,
    chain: Vec<Certificate>,
}

impl<'a> Session<'a> {
    fn listed(sandbox: &'a Sandbox) -> Self {
        let token = service_token(sandbox);
        let asked = json!({"credentialInfo": true, "certificates": "chain", "certInfo": true});
        let body = good(call(sandbox, &token, "credentials/list", &asked));
        let info = &body["credentialInfos"][0];
        assert_eq!(info["credentialID"], body["credentialIDs"][0]);
        let chain = info["cert"]["certificates"].as_array().unwrap();
        let chain = chain.iter().map(|one| Certificate::from_der(&bytes(one)).unwrap()).collect();
        let credential = info["credentialID"].as_str().unwrap().to_owned();
        Self { sandbox, token, credential, chain }
    }

    fn call(&self, path: &str, body: &Value) -> Reply {
        call(self.sandbox, &self.token, path, body)
    }

    fn authorization(&self, hashes: &[Vec<u8>], oid: &str) -> Value {
        let hashes: Vec<_> = hashes.iter().map(|hash| STANDARD.encode(hash)).collect();
        json!({
            "credentialID": self.credential,
            "numSignatures": hashes.len(),
            "hashes": hashes,
            "hashAlgorithmOID": oid,
        })
    }

    fn authorized(&self, hashes: &[Vec<u8>], oid: &str) -> String {
        let body = good(self.call("credentials/authorize", &self.authorization(hashes, oid)));
        assert_eq!(body["expiresIn"], 300);
        body["SAD"].as_str().unwrap().to_owned()
    }

    fn request(&self, sad: &str, hashes: &[Vec<u8>], algo: &str) -> Value {
        let hashes: Vec<_> = hashes.iter().map(|hash| STANDARD.encode(hash)).collect();
        json!({
            "credentialID": self.credential,
            "SAD": sad,
            "hashes": hashes,
            "hashAlgorithmOID": SHA256_OID,
            "signAlgo": algo,
        })
    }
}

fn hashes(count: u8) -> Vec<Vec<u8>> {
    (0..count).map(|seed| HashAlgorithm::Sha256.digest(&[seed])).collect()
}

#[test]
fn a_pdf_is_signed_with_every_kind_of_key() {
    let sandbox = production();
    let hash = HashAlgorithm::Sha256;
    let pss = Algorithm::RsaPss(hash).to_der();
    // behind the outer header and the identifier of 11 bytes
    let params = STANDARD.encode(&pss[2 + 11..]);
    let judge = std::env::var_os("SIGNDOC_JUDGE_PYTHON");
    if judge.is_none() {
        println!("not judged by pyHanko: SIGNDOC_JUDGE_PYTHON is not set");
    }
    for (csc_key, algo, params, algorithm) in [
        (CscKey::Rsa2048, RSA, None, Algorithm::RsaPkcs1(hash)),
        (CscKey::Rsa2048, "1.2.840.113549.1.1.11", None, Algorithm::RsaPkcs1(hash)),
        (CscKey::Rsa2048, "1.2.840.113549.1.1.10", Some(params), Algorithm::RsaPss(hash)),
        (CscKey::P256, "1.2.840.10045.4.3.2", None, Algorithm::EcdsaP256(hash)),
        (CscKey::P384, "1.2.840.10045.2.1", None, Algorithm::EcdsaP384(hash)),
    ] {
        sandbox.set_variants(Variants { csc_key, ..Variants::default() });
        let session = Session::listed(&sandbox);
        assert_eq!(session.chain[0].subject().common_name(), Some("Nordmann, Ola"));
        let source = Arc::new(Bytes::from(samples::loan_agreement()));
        let prepared = prepare(source.clone(), &PrepareOptions::default()).unwrap();
        let digest = prepared.digest(hash).unwrap();
        let options = AttributeOptions::default();
        let attributes = signed_attributes(&digest, hash, &session.chain[0], &options).unwrap();
        let wanted = [attributes.hash_to_sign()];
        let sad = session.authorized(&wanted, SHA256_OID);
        let mut request = session.request(&sad, &wanted, algo);
        if let Some(params) = params {
            request["signAlgoParams"] = json!(params);
        }
        let body = good(session.call("signatures/signHash", &request));
        let cms = assemble(&Assembly {
            attributes: &attributes,
            algorithm,
            signature: &bytes(&body["signatures"][0]),
            signer: &session.chain[0],
            others: &session.chain[1..2],
            timestamp: None,
            content: None,
        })
        .unwrap();
        let mut signed = Vec::new();
        prepared.embed(&cms, &mut signed).unwrap();
        let pem = sandbox.trust_pem().unwrap();
        let options = VerifyOptions {
            original: Some(source),
            trust: TrustAnchors::from_bytes(pem.as_bytes()).unwrap(),
            ..VerifyOptions::default()
        };
        let report = verify_bytes(signed.clone(), &options);
        assert!(report.ok, "{algo}: {}", report.to_json());
        let Some(python) = &judge else { continue };
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("root.pem"), pem).unwrap();
        std::fs::write(folder.path().join("signed.pdf"), signed).unwrap();
        let program =
            concat!(env!("CARGO_MANIFEST_DIR"), "/../signature/tests/judge/pyhanko_judge.py");
        let output = std::process::Command::new(python)
            .args([program, "root.pem", "signed.pdf"])
            .current_dir(folder.path())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        let fine = said.contains("is not installed") || said.contains("signed.pdf accepted");
        assert!(fine, "{algo}: {said}");
    }
}

#[test]
fn fifty_hashes_are_signed_in_their_order() {
    let sandbox = production();
    sandbox.set_variants(Variants { csc_key: CscKey::P256, csc_ocsp: true, ..Variants::default() });
    let session = Session::listed(&sandbox);
    let wanted = hashes(50);
    let sad = session.authorized(&wanted, SHA256_OID);
    let request = session.request(&sad, &wanted, "1.2.840.10045.4.3.2");
    let body = good(session.call("signatures/signHash", &request));
    let key = session.chain[0].public_key().unwrap();
    let signatures = body["signatures"].as_array().unwrap();
    assert_eq!(signatures.len(), 50);
    let algorithm = Algorithm::EcdsaP256(HashAlgorithm::Sha256);
    for (hash, signature) in wanted.iter().zip(signatures) {
        key.verify(algorithm, hash, &bytes(signature)).unwrap();
    }
    assert!(!bytes(&body["ocspResponse"]).is_empty());
}

#[test]
fn a_token_goes_once_through_the_calls_in_order() {
    let sandbox = production();
    sandbox.set_variants(Variants { csc_key: CscKey::P256, ..Variants::default() });
    let sequence = table("states.json")["csc_token_sequence"].clone();
    let sequence: Vec<&str> =
        sequence.as_array().unwrap().iter().map(|path| path.as_str().unwrap()).collect();
    let session = Session::listed(&sandbox);
    let used = |path: &str, body: &Value| {
        let reply = session.call(path, body);
        (reply.status, code_of(&reply))
    };
    let already = (400, "token_already_used".to_owned());
    assert_eq!(used(sequence[0], &json!({})), already);
    assert_eq!(used(sequence[2], &json!({})), already);
    let info = good(session.call("credentials/info", &json!({"credentialID": session.credential})));
    assert_eq!((&info["SCAL"], &info["multisign"]), (&json!("2"), &json!(50)));
    let sad = session.authorized(&hashes(1), SHA256_OID);
    assert_eq!(used(sequence[0], &json!({})), already);
    assert_eq!(used(sequence[1], &json!({})), already);
    let request = session.request(&sad, &hashes(1), "1.2.840.10045.4.3.2");
    good(session.call(sequence[2], &request));
    for path in sequence {
        assert_eq!(used(path, &request), already);
    }
}

#[test]
fn what_is_wrong_is_refused_by_its_code_and_does_not_use_the_token_up() {
    let sandbox = production();
    sandbox.set_variants(Variants { csc_key: CscKey::P256, ..Variants::default() });
    let session = Session::listed(&sandbox);
    let refused = |path: &str, body: Value| code_of(&session.call(path, &body));
    let with = |name: &str, value: Value| {
        let mut body = session.authorization(&hashes(2), SHA256_OID);
        body[name] = value;
        refused("credentials/authorize", body)
    };
    assert_eq!(with("numSignatures", json!(3)), "hash_mismatch");
    assert_eq!(with("numSignatures", json!(0)), "invalid_parameters");
    assert_eq!(with("numSignatures", json!(51)), "invalid_parameters");
    assert_eq!(with("numSignatures", json!("2")), "invalid_request");
    assert_eq!(with("hashes", json!([])), "invalid_parameters");
    assert_eq!(with("hashes", json!(["AAAA", "AAAA"])), "invalid_parameters");
    assert_eq!(with("hashes", json!([1])), "invalid_request");
    assert_eq!(with("hashAlgorithmOID", json!("1.3.14.3.2.26")), "invalid_hash_algorithm");
    assert_eq!(with("credentialID", json!("other")), "invalid_credential_id");
    assert_eq!(with("unknown", json!(1)), "invalid_request");
    let many = session.authorization(&hashes(51), SHA256_OID);
    assert_eq!(refused("credentials/authorize", many), "invalid_parameters");
    let long = with("description", json!("x".repeat(1024 * 1024)));
    assert_eq!(long, "document_too_large");

    let sad = session.authorized(&hashes(2), SHA256_OID);
    let with = |name: &str, value: Value| {
        let mut body = session.request(&sad, &hashes(2), "1.2.840.10045.4.3.2");
        body[name] = value;
        refused("signatures/signHash", body)
    };
    assert_eq!(with("SAD", json!("other")), "invalid_sad");
    assert_eq!(with("hashes", json!([sha256(b"x"), sha256(b"y")])), "invalid_sad");
    assert_eq!(with("hashes", json!([sha256(b"x"), "AAAA"])), "invalid_parameters");
    assert_eq!(with("signAlgo", json!(RSA)), "invalid_signature_format");
    assert_eq!(with("signAlgo", json!("1.2.840.10045.4.3.3")), "invalid_signature_format");
    assert_eq!(with("signAlgoParams", json!("MAA=")), "invalid_signature_format");
    assert_eq!(with("hashAlgorithmOID", json!("1.2.3")), "invalid_hash_algorithm");
    assert_eq!(with("operationMode", json!("A")), "unsupported_operation");
    let mut bare = session.request(&sad, &hashes(2), "1.2.840.10045.2.1");
    bare.as_object_mut().unwrap().remove("hashAlgorithmOID");
    assert_eq!(refused("signatures/signHash", bare), "invalid_request");
    sandbox.clock().advance(Duration::from_secs(300));
    assert_eq!(with("clientData", json!("late")), "invalid_sad");
}

#[test]
fn tokens_of_the_wrong_kind_are_told_apart() {
    let sandbox = production();
    sandbox.set_variants(Variants { csc_key: CscKey::P256, ..Variants::default() });
    let target = format!("{CSC}/credentials/list");
    let bare = exchange(&sandbox, "POST", &target, &[JSON], b"{}");
    assert_eq!((bare.status, code_of(&bare).as_str()), (401, "authentication_required"));
    let unknown = call(&sandbox, "nobody", "credentials/list", &json!({}));
    assert_eq!((unknown.status, code_of(&unknown).as_str()), (401, "invalid_token"));
    let own = own_token(&sandbox, "esign/csc");
    let own = call(&sandbox, &own, "credentials/list", &json!({}));
    assert_eq!((own.status, code_of(&own).as_str()), (403, "insufficient_scope"));
    let token = service_token(&sandbox);
    let userid = call(&sandbox, &token, "credentials/list", &json!({"userID": "x"}));
    assert_eq!(code_of(&userid), "invalid_request");
    sandbox.clock().advance(Duration::from_secs(3600));
    let late = call(&sandbox, &token, "credentials/list", &json!({}));
    assert_eq!(code_of(&late), "invalid_token");
}

#[test]
fn information_is_open_and_a_bearer_must_be_good() {
    let sandbox = production();
    let target = format!("{CSC}/info");
    let body = good(exchange(&sandbox, "POST", &target, &[JSON], b"{}"));
    assert_eq!((&body["specs"], &body["oauth2"]), (&json!("2.0.0.2"), &json!(sandbox.csc_url())));
    good(call(&sandbox, &own_token(&sandbox, "esign"), "info", &json!({"lang": "nb"})));
    assert_eq!(code_of(&call(&sandbox, "bad", "info", &json!({}))), "invalid_token");
    assert_eq!(exchange(&sandbox, "GET", &target, &[], b"").status, 405);
    let logo = body["logo"].as_str().unwrap().strip_prefix(sandbox.base_url()).unwrap();
    assert_eq!(get(&sandbox, logo).header("content-type"), Some("image/svg+xml"));
}

#[test]
fn credentials_vanish_lock_and_expire() {
    let sandbox = production();
    sandbox.set_variants(Variants { csc_key: CscKey::P256, ..Variants::default() });
    let session = Session::listed(&sandbox);
    let path = format!("csc/credentials/{}", session.credential);
    for (status, code) in [
        ("not_found", "credential_not_found"),
        ("locked", "credential_locked"),
        ("expired", "credential_expired"),
        ("certificate_not_found", "certificate_not_found"),
        ("certificate_expired", "certificate_expired"),
        ("certificate_revoked", "certificate_revoked"),
    ] {
        assert_eq!(control(&sandbox, "POST", &path, &json!({"status": status})).status, 200);
        let body = session.authorization(&hashes(1), SHA256_OID);
        assert_eq!(code_of(&session.call("credentials/authorize", &body)), code);
    }
    control(&sandbox, "POST", &path, &json!({"status": "valid"}));
    session.authorized(&hashes(1), SHA256_OID);
}

#[test]
fn every_code_comes_on_demand_with_its_status() {
    let sandbox = production();
    sandbox.set_variants(Variants { csc_key: CscKey::P256, ..Variants::default() });
    let token = service_token(&sandbox);
    let rows = table("csc-errors.json");
    assert_eq!(rows.as_array().unwrap().len(), 28);
    for row in rows.as_array().unwrap() {
        let rule = json!({"path": format!("{CSC}/credentials/list"),
            "fault": {"kind": "csc_error", "code": row["code"]}});
        assert_eq!(control(&sandbox, "POST", "faults", &rule).status, 201, "{row}");
        let reply = call(&sandbox, &token, "credentials/list", &json!({}));
        assert_eq!(
            (json!(reply.status), json!(code_of(&reply))),
            (row["status"].clone(), row["code"].clone())
        );
    }
    let spent = json!({"fault": {"kind": "csc_error", "code": "internal_error", "spends": true}});
    control(&sandbox, "POST", "faults", &spent);
    assert_eq!(call(&sandbox, &token, "credentials/list", &json!({})).status, 500);
    let after = call(&sandbox, &token, "credentials/list", &json!({}));
    assert_eq!(code_of(&after), "token_already_used");
    let unknown = json!({"fault": {"kind": "csc_error", "code": "no_such_code"}});
    assert_eq!(control(&sandbox, "POST", "faults", &unknown).status, 400);
}

#[test]
fn signatures_go_wrong() {
    let sandbox = production();
    sandbox.set_variants(Variants { csc_key: CscKey::P256, ..Variants::default() });
    for (change, count) in [("other_hash", 2), ("one_less", 1), ("one_more", 3), ("reversed", 2)] {
        let session = Session::listed(&sandbox);
        let sad = session.authorized(&hashes(2), SHA256_OID);
        let rule = json!({"path": format!("{CSC}/signatures/signHash"),
            "fault": {"kind": "csc", "change": change}});
        control(&sandbox, "POST", "faults", &rule);
        let request = session.request(&sad, &hashes(2), "1.2.840.10045.4.3.2");
        let body = good(session.call("signatures/signHash", &request));
        let signatures = body["signatures"].as_array().unwrap();
        assert_eq!(signatures.len(), count, "{change}");
        let key = session.chain[0].public_key().unwrap();
        let algorithm = Algorithm::EcdsaP256(HashAlgorithm::Sha256);
        let first = key.verify(algorithm, &hashes(1)[0], &bytes(&signatures[0]));
        assert_eq!(first.is_err(), ["other_hash", "reversed"].contains(&change), "{change}");
    }
    let session = Session::listed(&sandbox);
    let sad = session.authorized(&hashes(1), SHA256_OID);
    let rule = json!({"path": format!("{CSC}/signatures/signHash"),
        "fault": {"kind": "reset", "when": "after_work"}});
    control(&sandbox, "POST", "faults", &rule);
    let request = session.request(&sad, &hashes(1), "1.2.840.10045.4.3.2");
    assert_eq!(session.call("signatures/signHash", &request).ended, Ended::Reset);
    assert_eq!(code_of(&session.call("signatures/signHash", &request)), "token_already_used");
}

#[test]
fn the_end_user_approves_on_a_page() {
    let sandbox = production();
    let mut pairs = authorize_pairs(&sandbox);
    pairs.push(("lang", "nb".to_owned()));
    pairs.push(("description", "Lån <4711>".to_owned()));
    let reply = get(&sandbox, &format!("{CSC}/oauth2/authorize?{}", form(&pairs)));
    assert_eq!(reply.status, 302, "{}", reply.text());
    let session = parameter(reply.header("location").unwrap(), "session").unwrap();
    let page = get(&sandbox, &format!("{CSC}/oauth2/page?session={session}")).text();
    for wanted in ["<html lang=\"nb\">", "Lån &lt;4711&gt;", "sandbox-client", "value=\"sign\""] {
        assert!(page.contains(wanted), "{wanted}: {page}");
    }
    let body = format!("session={session}&action=sign&person=ase");
    let target = format!("{CSC}/oauth2/page");
    let done = exchange(&sandbox, "POST", &target, &[FORM], body.as_bytes());
    assert_eq!(done.status, 303);
    let location = done.header("location").unwrap();
    assert_eq!(parameter(location, "state").as_deref(), Some("st&te"));
    assert!(parameter(location, "code").is_some());
    assert_eq!(exchange(&sandbox, "POST", &target, &[FORM], body.as_bytes()).status, 400);
    let denied = visit(&sandbox, Action::Cancel);
    assert_eq!(parameter(&denied, "error").as_deref(), Some("access_denied"));
    let failed = visit(&sandbox, Action::Fail);
    assert_eq!(parameter(&failed, "error").as_deref(), Some("server_error"));
    for (name, value, error) in [
        ("code_challenge", "", "invalid_request"),
        ("code_challenge_method", "plain", "invalid_request"),
        ("scope", "credential", "invalid_scope"),
        ("response_type", "token", "unsupported_response_type"),
        ("hashes", "x", "invalid_request"),
    ] {
        let mut pairs = authorize_pairs(&sandbox);
        pairs.retain(|(key, _)| *key != name);
        if !value.is_empty() {
            pairs.push((name, value.to_owned()));
        }
        let reply = get(&sandbox, &format!("{CSC}/oauth2/authorize?{}", form(&pairs)));
        let location = reply.header("location").unwrap();
        assert_eq!(parameter(location, "error").as_deref(), Some(error), "{name} {value}");
    }
}

#[test]
fn codes_are_exchanged_under_the_merchants_own_token() {
    let sandbox = production();
    let own = own_token(&sandbox, "esign/csc");
    let code = || parameter(&visit(&sandbox, Action::Sign), "code").unwrap();
    let fresh = code();
    let error = |bearer: &str, name: &str, value: &str| {
        let mut pairs = grant(&fresh);
        pairs.retain(|(key, _)| *key != name);
        if !value.is_empty() {
            pairs.push((
                ["grant_type", "code", "code_verifier", "redirect_uri", "client_id"]
                    .into_iter()
                    .find(|known| *known == name)
                    .unwrap(),
                value.to_owned(),
            ));
        }
        let reply = redeem_at_csc(&sandbox, bearer, &pairs);
        (reply.status, reply.json()["error"].as_str().unwrap().to_owned())
    };
    let is = |status: u16, code: &str| (status, code.to_owned());
    assert_eq!(error("nobody", "", ""), is(401, "invalid_client"));
    let narrow = own_token(&sandbox, "signdoc/read_write");
    assert_eq!(error(&narrow, "", ""), is(400, "unauthorized_client"));
    assert_eq!(error(&own, "grant_type", "client_credentials"), is(400, "unsupported_grant_type"));
    assert_eq!(error(&own, "grant_type", ""), is(400, "invalid_request"));
    assert_eq!(error(&own, "code_verifier", ""), is(400, "invalid_request"));
    assert_eq!(error(&own, "client_id", "other"), is(400, "invalid_request"));
    assert_eq!(error(&own, "code_verifier", "x"), is(400, "invalid_grant"));
    assert_eq!(error(&own, "redirect_uri", ""), is(400, "invalid_grant"));
    assert_eq!(error(&own, "code", "unknown"), is(400, "invalid_grant"));
    for scope in ["esign/csc", "esign", "esign/qualified", "esign/nnin"] {
        let own = own_token(&sandbox, scope);
        let reply = redeem_at_csc(&sandbox, &own, &grant(&code()));
        assert_eq!((reply.status, &reply.json()["expires_in"]), (200, &json!(3600)), "{scope}");
    }
    assert_eq!(redeem_at_csc(&sandbox, &own, &grant(&fresh)).status, 200);
    assert_eq!(error(&own, "", ""), is(400, "invalid_grant"));
}

#[test]
fn timestamps_are_given_at_the_sandboxs_time() {
    let sandbox = production();
    sandbox.clock().advance(Duration::from_secs(1000));
    let imprint = hashes(1).remove(0);
    let request = TimestampRequest::new(HashAlgorithm::Sha256, imprint, None).to_der().unwrap();
    let headers = [("content-type", "application/timestamp-query")];
    let reply = exchange(&sandbox, "POST", "/_sandbox/tsa", &headers, &request);
    assert_eq!(reply.header("content-type"), Some("application/timestamp-reply"));
    let token = Token::parse(parse_response(&reply.body).unwrap()).unwrap();
    let ahead = token.time().unix() - i64::try_from(sandbox.clock().now_unix()).unwrap();
    assert!((-5..=0).contains(&ahead), "{ahead}");
    assert_eq!(exchange(&sandbox, "POST", "/_sandbox/tsa", &headers, b"no").status, 400);
}

/// pyHanko's own client, which nobody here wrote, signs with every kind of key.
#[test]
fn a_client_from_elsewhere_signs() {
    let Some(python) = std::env::var_os("SIGNDOC_JUDGE_PYTHON") else {
        println!("not tried: SIGNDOC_JUDGE_PYTHON is not set");
        return;
    };
    let sandbox = production();
    let folder = tempfile::tempdir().unwrap();
    let settings = json!({
        "issuer": sandbox.issuer(),
        "client_id": sandbox.client_id(),
        "client_secret": sandbox.client_secret(),
        "csc_url": sandbox.csc_url(),
        "control_url": sandbox.control_url(),
    });
    std::fs::write(folder.path().join("settings.json"), settings.to_string()).unwrap();
    std::fs::write(folder.path().join("in.pdf"), samples::loan_agreement()).unwrap();
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/judge/pyhanko_csc.py");
    for csc_key in [CscKey::Rsa2048, CscKey::P256, CscKey::P384] {
        sandbox.set_variants(Variants { csc_key, ..Variants::default() });
        let output = std::process::Command::new(&python)
            .args([program, "settings.json", "in.pdf", "out.pdf"])
            .current_dir(folder.path())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        if said.contains("RESULT not installed") {
            println!("not tried: {said}");
            return;
        }
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("RESULT signed"), "{csc_key:?}: {said} {complaint}");
        let pem = sandbox.trust_pem().unwrap();
        let options = VerifyOptions {
            original: Some(Arc::new(Bytes::from(samples::loan_agreement()))),
            trust: TrustAnchors::from_bytes(pem.as_bytes()).unwrap(),
            ..VerifyOptions::default()
        };
        let signed = std::fs::read(folder.path().join("out.pdf")).unwrap();
        let report = verify_bytes(signed, &options);
        assert!(report.ok, "{csc_key:?}: {}", report.to_json());
        assert!(sandbox.refused().is_empty(), "{:?}", sandbox.refused());
    }
}
