//! `private_key_jwt` end to end: every form of key, one assertion per attempt, and what is told
//! when the provider refuses it.

use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use serde_json::{Value, json};
use signdoc::{Client, Code, Config, Error};
use signdoc_sandbox::{Environment, Fault, Rule, Sandbox};
use signdoc_signature::asn1::Reader;

use crate::common::TOKEN;
use crate::support::{https, specs};

/// One private key in all its forms, with the public one for the provider.
#[derive(Clone, Debug)]
struct Forms {
    private: Vec<(&'static str, String)>,
    public: String,
}

/// Runs openssl; `None`, with the reason printed, where it is not installed.
fn openssl(arguments: &[&str], input: &str) -> Option<String> {
    let mut command = Command::new("openssl");
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => {
            println!("not tried: openssl cannot be started ({error}); install openssl");
            return None;
        }
    };
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "openssl {arguments:?}");
    Some(String::from_utf8(output.stdout).unwrap())
}

fn der(pem: &str) -> Vec<u8> {
    STANDARD.decode(pem.lines().filter(|line| !line.starts_with('-')).collect::<String>()).unwrap()
}

fn text(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// A JWK of an RSA key, from its PKCS#1 form (RFC 8017 appendix A.1.2).
fn rsa_jwk(pkcs1: &str) -> Value {
    let der = der(pkcs1);
    let mut key = Reader::new(&der).sequence("key").unwrap();
    let mut jwk = json!({"kty": "RSA", "kid": "own"});
    for name in ["version", "n", "e", "d", "p", "q", "dp", "dq", "qi"] {
        let digits = key.integer(name).unwrap();
        jwk[name] = text(digits.strip_prefix(&[0]).unwrap_or(digits)).into();
    }
    jwk.as_object_mut().unwrap().remove("version");
    jwk
}

/// A JWK of a P-256 key, from its SEC1 form (RFC 5915).
fn ec_jwk(sec1: &str) -> Value {
    let der = der(sec1);
    let mut key = Reader::new(&der).sequence("key").unwrap();
    key.integer("version").unwrap();
    let d = key.octets("private key").unwrap().to_vec();
    key.any("curve").unwrap();
    let mut point = key.any("point").unwrap().reader();
    let point = point.bits("point").unwrap();
    json!({"kty": "EC", "crv": "P-256", "kid": "own", "d": text(&d), "x": text(&point[1..33]),
        "y": text(&point[33..])})
}

fn make_rsa() -> Option<Forms> {
    let arguments = ["genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"];
    let pkcs8 = openssl(&arguments, "")?;
    let pkcs1 = openssl(&["rsa", "-traditional"], &pkcs8)?;
    assert!(pkcs8.contains("BEGIN PRIVATE KEY") && pkcs1.contains("BEGIN RSA PRIVATE KEY"));
    let public = openssl(&["pkey", "-pubout"], &pkcs8)?;
    let jwk = rsa_jwk(&pkcs1).to_string();
    Some(Forms { private: vec![("PKCS#8", pkcs8), ("PKCS#1", pkcs1), ("JWK", jwk)], public })
}

fn make_ec() -> Option<Forms> {
    let arguments = ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"];
    let pkcs8 = openssl(&arguments, "")?;
    let sec1 = openssl(&["ec"], &pkcs8)?;
    let with_parameters = openssl(&["ecparam", "-name", "prime256v1", "-genkey"], "")?;
    assert!(pkcs8.contains("BEGIN PRIVATE KEY") && sec1.contains("BEGIN EC PRIVATE KEY"));
    assert!(with_parameters.contains("BEGIN EC PARAMETERS"));
    let public = openssl(&["pkey", "-pubout"], &pkcs8)?;
    let jwk = ec_jwk(&sec1).to_string();
    // what `ecparam -genkey` writes: the name of the curve in a block before the key
    let block = with_parameters.split("-----BEGIN EC PRIVATE").next().unwrap();
    let both = format!("{block}{sec1}");
    let private =
        vec![("PKCS#8", pkcs8), ("SEC1", sec1), ("SEC1 and parameters", both), ("JWK", jwk)];
    Some(Forms { private, public })
}

fn rsa() -> Option<Forms> {
    static FORMS: OnceLock<Option<Forms>> = OnceLock::new();
    FORMS.get_or_init(make_rsa).clone()
}

fn ec() -> Option<Forms> {
    static FORMS: OnceLock<Option<Forms>> = OnceLock::new();
    FORMS.get_or_init(make_ec).clone()
}

fn sandbox(keys: &Forms) -> Sandbox {
    let builder = Sandbox::builder().environment(Environment::Test).client_keys(&*keys.public);
    builder.start().unwrap()
}

fn config(sandbox: &Sandbox, key: &str, options: &[(&str, &str)]) -> Result<Config, Error> {
    let mut builder = Config::builder();
    builder.set("issuer", &sandbox.issuer()).unwrap();
    builder.set("client_id", sandbox.client_id()).unwrap();
    builder.set("private_key", key).unwrap();
    for (name, value) in options {
        builder.set(name, value).unwrap();
    }
    builder.build()
}

fn client(sandbox: &Sandbox, key: &str, options: &[(&str, &str)]) -> Client {
    Client::new(config(sandbox, key, options).unwrap()).unwrap()
}

#[tokio::test]
async fn every_form_of_key_proves_the_client() {
    let (Some(rsa), Some(ec)) = (rsa(), ec()) else { return };
    for (algorithm, keys) in [("RS256", rsa), ("ES256", ec)] {
        let sandbox = sandbox(&keys);
        for (form, key) in &keys.private {
            for options in [&[][..], &[("client_auth_alg", algorithm)]] {
                let found = specs(&client(&sandbox, key, options)).await;
                assert_eq!(found.unwrap(), ["PDFA_2B"], "{algorithm} {form}");
            }
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("key");
            std::fs::write(&path, key).unwrap();
            specs(&client(&sandbox, path.to_str().unwrap(), &[])).await.unwrap();
        }
        assert!(sandbox.refused().is_empty(), "{:?}", sandbox.refused());
    }
}

#[tokio::test]
async fn the_assertion_is_addressed_to_the_token_endpoint_over_https_as_well() {
    let Some(keys) = ec() else { return };
    let sandbox = https().client_keys(&*keys.public).start().unwrap();
    let ca = sandbox.ca_file().unwrap();
    let client = client(&sandbox, &keys.private[0].1, &[("ca_file", ca.to_str().unwrap())]);
    specs(&client).await.unwrap();
    let token = sandbox.requests().into_iter().find(|seen| seen.path == TOKEN).unwrap();
    assert!(!token.headers.contains_key("authorization"));
    let body = token.body.unwrap();
    assert_eq!(body["client_id"], sandbox.client_id());
    assert!(body.get("client_secret").is_none(), "{body}");
}

#[tokio::test]
async fn each_attempt_has_an_assertion_of_its_own() {
    let Some(keys) = ec() else { return };
    let sandbox = sandbox(&keys);
    // carried out, so that its jti is used up, and then answered by nothing but a reset
    let lost = Fault::Reset { when: signdoc_sandbox::ResetWhen::AfterWork, after_bytes: 0 };
    sandbox.faults().add(Rule::new(lost).on("POST", TOKEN).times(2)).unwrap();
    specs(&client(&sandbox, &keys.private[0].1, &[])).await.unwrap();
    let tokens: Vec<_> = sandbox.requests().into_iter().filter(|seen| seen.path == TOKEN).collect();
    assert_eq!(tokens.len(), 3);
    let mut bodies: Vec<_> = tokens.iter().map(|seen| seen.body_sha256.clone().unwrap()).collect();
    bodies.sort();
    bodies.dedup();
    assert_eq!(bodies.len(), 3, "no two requests are the same");
    // a repeated jti would have been refused
    assert!(sandbox.refused().is_empty(), "{:?}", sandbox.refused());
}

#[tokio::test]
async fn a_clock_that_is_off_is_named() {
    let Some(keys) = ec() else { return };
    let sandbox = sandbox(&keys);
    let key = &keys.private[0].1;
    for (ahead, word) in [(600_i64, "behind"), (-600, "ahead of")] {
        let now = i64::try_from(sandbox.clock().now_unix()).unwrap();
        sandbox.clock().set(u64::try_from(now + ahead).unwrap());
        let error = specs(&client(&sandbox, key, &[])).await.unwrap_err();
        assert_eq!(error.code(), Code::OauthInvalidClient, "{error}");
        assert!(error.message().contains(word), "{error}");
        assert!(error.message().contains("clock"), "{error}");
        let skew = error.details()["clock_skew_seconds"].as_i64().unwrap();
        assert!((598..=602).contains(&skew), "{skew}");
        sandbox.clock().reset();
    }
    // the same with the machine's clock put right by hand
    sandbox.clock().advance(Duration::from_secs(600));
    let client = client(&sandbox, key, &[]);
    client.clock().set_offset(600.0);
    specs(&client).await.unwrap();
}

#[tokio::test]
async fn a_refusal_has_no_word_about_clocks_that_agree() {
    let (Some(rsa), Some(ec)) = (rsa(), ec()) else { return };
    let sandbox = sandbox(&rsa);
    let error = specs(&client(&sandbox, &ec.private[0].1, &[])).await.unwrap_err();
    assert_eq!(error.code(), Code::OauthInvalidClient, "{error}");
    assert!(!error.message().contains("clock"), "{error}");
    assert_eq!(sandbox.refused().len(), 1, "not tried again");
    let unknown_kid = specs(&client(&sandbox, &rsa.private[0].1, &[("key_id", "other")])).await;
    unknown_kid.unwrap();
}

#[tokio::test]
async fn the_kid_is_that_of_the_option_or_of_the_key() {
    let Some(keys) = ec() else { return };
    let mut public: Value = serde_json::from_str(&keys.private[3].1).unwrap();
    public.as_object_mut().unwrap().remove("d");
    let builder = Sandbox::builder().environment(Environment::Test);
    let sandbox = builder.client_keys(public.to_string()).start().unwrap();
    let (pem, jwk) = (&keys.private[0].1, &keys.private[3].1);
    specs(&client(&sandbox, jwk, &[])).await.unwrap();
    specs(&client(&sandbox, pem, &[("key_id", "own")])).await.unwrap();
    for key in [pem, jwk] {
        let error = specs(&client(&sandbox, key, &[("key_id", "new")])).await.unwrap_err();
        assert_eq!(error.code(), Code::OauthInvalidClient, "{error}");
    }
}

#[test]
fn keys_that_do_not_fit_are_refused_before_anything_is_sent() {
    let (Some(rsa), Some(ec)) = (rsa(), ec()) else { return };
    let sandbox = sandbox(&rsa);
    let other_curve = ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384"];
    let small = ["genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:1024"];
    let edwards = ["genpkey", "-algorithm", "ED25519"];
    let made = |arguments: &[&str]| openssl(arguments, "").unwrap();
    let locked = ["pkey", "-aes128", "-passout", "pass:test"];
    let locked = openssl(&locked, &rsa.private[0].1).unwrap();
    let p384_sec1 = openssl(&["ec"], &made(&other_curve)).unwrap();
    let mut half: Value = serde_json::from_str(&rsa.private[2].1).unwrap();
    half.as_object_mut().unwrap().remove("qi");
    let (rsa_key, ec_key) = (rsa.private[0].1.clone(), ec.private[0].1.clone());
    let cases = [
        (rsa_key, "ES256", "RS256"),
        (ec_key, "RS256", "ES256"),
        (made(&other_curve), "", "P-256"),
        (p384_sec1, "", "P-256"),
        (made(&small), "", "2048"),
        (made(&edwards), "", "P-256"),
        (locked, "", "unencrypted"),
        (rsa.public.clone(), "", "private"),
        (half.to_string(), "", "qi"),
        (r#"{"kty":"oct","k":"canary"}"#.to_owned(), "", "oct"),
        (r#"{"kty":"EC","crv":"P-521"}"#.to_owned(), "", "P-521"),
        ("{".to_owned(), "", "JSON Web Key"),
    ];
    for (key, algorithm, word) in cases {
        let error = config(&sandbox, &key, &[("client_auth_alg", algorithm)]).unwrap_err();
        assert_eq!(error.code(), Code::KeyMismatch, "{word}: {error}");
        assert!(error.message().contains(word), "{word}: {error}");
        assert_eq!(error.details()["field"], "private_key");
        let shown = format!("{error} {error:?} {}", error.to_json());
        let body = key.lines().nth(1).unwrap_or("canary");
        assert!(!shown.contains(body), "{shown}");
    }
    assert!(sandbox.requests().is_empty());
}
