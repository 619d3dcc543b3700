//! The redirect login: addresses, callbacks, code exchange and ID tokens.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

#[path = "common/provider.rs"]
mod provider;
#[path = "common/server.rs"]
mod server;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use provider::{Key, Shared, now, start, unsigned};
use serde_json::{Value, json};
use server::{KEYS, PADES, Reply, Server, TOKEN, Then};
use signdoc::{
    CallOptions, Callback, Client, Code, Document, Error, FinishOptions, Identity, Login,
    LoginOptions, LoginStore, PadesDocument, PadesOrder,
};
use signdoc_signature::crypto::KeyKind;

const REDIRECT: &str = "https://shop.example/callback";

async fn begin(client: &Client) -> Login {
    client.login().begin("4120de56", REDIRECT, &LoginOptions::default()).await.unwrap()
}

fn query(url: &str) -> BTreeMap<String, String> {
    url::Url::parse(url).unwrap().query_pairs().into_owned().collect()
}

/// The user signs: the provider knows a code for the login, and sends the browser back.
fn signed(provider: &Shared, login: &Login) -> String {
    let query = query(&login.url);
    let mut provider = provider.lock().unwrap();
    let code = format!("code-{}", provider.nonces.len());
    provider.nonces.insert(code.clone(), query["nonce"].clone());
    format!("{REDIRECT}?code={code}&state={}", query["state"])
}

async fn finish(client: &Client, login: &Login, callback: &str) -> Result<Identity, Error> {
    client.login().finish(&login.to_token(), callback, &FinishOptions::default()).await
}

/// A whole login whose ID token `make` makes of good claims.
async fn with_token(
    make: impl Fn(&[Key], &Value) -> String + Send + 'static,
) -> Result<Identity, Error> {
    let (server, provider) = start(Key::ec("one"));
    provider.lock().unwrap().token = Box::new(make);
    let client = server.client();
    let login = begin(&client).await;
    let callback = signed(&provider, &login);
    finish(&client, &login, &callback).await
}

#[tokio::test]
async fn the_authorize_address_asks_for_all_that_is_checked_later() {
    let (server, _) = start(Key::ec("one"));
    let client = server.client();
    let options = LoginOptions {
        ui_locales: Some("nb en".to_owned()),
        scopes: vec!["profile".to_owned(), "sign".to_owned()],
        response_mode: Some("form_post".to_owned()),
        ..LoginOptions::default()
    };
    let login = client.login().begin("a&b", REDIRECT, &options).await.unwrap();
    assert_eq!(login.sign_id, "a&b");
    assert!(login.url.starts_with(&format!("{}/authorize?tenant=t&", server.url())));
    let query = query(&login.url);
    let is = |name: &str, value: &str| assert_eq!(query[name], value, "{name}");
    is("client_id", "shop");
    is("response_type", "code");
    is("scope", "openid sign profile");
    is("redirect_uri", REDIRECT);
    is("sign_id", "a&b");
    is("code_challenge_method", "S256");
    is("ui_locales", "nb en");
    is("response_mode", "form_post");
    assert_eq!(query["code_challenge"].len(), 43);
    assert!(query["state"].len() >= 43 && query["nonce"].len() >= 43);

    let plain = begin(&client).await;
    let names: BTreeSet<String> = self::query(&plain.url).into_keys().collect();
    assert!(!names.contains("ui_locales") && !names.contains("response_mode"));
    assert_ne!(self::query(&plain.url)["state"], query["state"]);
    for wrong in ["/callback", "https://shop.example/cb#top", ""] {
        let error = client.login().begin("s", wrong, &LoginOptions::default()).await.unwrap_err();
        assert_eq!(error.code(), Code::InvalidArgument, "{wrong}");
    }
}

#[test]
fn logins_and_orders_may_be_driven_by_any_thread() {
    fn is_send(_: &impl Send) {}
    let (server, _) = start(Key::ec("one"));
    let client = server.client();
    let (logins, options) = (client.login(), FinishOptions::default());
    is_send(&logins.finish("token", "callback", &options));
    is_send(&logins.begin("s", REDIRECT, &LoginOptions::default()));
    let (pades, sdo) = (client.pades(), client.sdo());
    is_send(&pades.download("s", &signdoc::DownloadOptions::default()));
    is_send(&pades.create(&PadesOrder::new("o", Vec::new()), &CallOptions::default()));
    is_send(&sdo.wait("s", &signdoc::WaitOptions::default()));
    is_send(&sdo.discard("s", &CallOptions::default()));
    is_send(&sdo.recover(".", &CallOptions::default()));
}

#[tokio::test]
async fn a_login_is_finished_in_another_process() {
    let (server, provider) = start(Key::ec("one"));
    let login = begin(&server.client()).await;
    let callback = signed(&provider, &login);
    // Another client knows nothing but the sealed text.
    let saved: String =
        serde_json::from_str(&serde_json::to_string(&login.to_token()).unwrap()).unwrap();
    let other = server.client();
    let identity =
        other.login().finish(&saved, callback.as_str(), &FinishOptions::default()).await.unwrap();
    assert_eq!(
        (identity.sign_id.as_str(), identity.subject.as_str()),
        ("4120de56", "person-canary")
    );
    assert_eq!(identity.claims["name"], "Kari Canary");

    let exchange = &server.seen("POST", TOKEN)[0];
    let form = exchange.form();
    assert_eq!(form["redirect_uri"], REDIRECT);
    let verifier = ring::digest::digest(&ring::digest::SHA256, form["code_verifier"].as_bytes());
    assert_eq!(URL_SAFE_NO_PAD.encode(verifier), query(&login.url)["code_challenge"]);
    assert!(exchange.headers["authorization"].starts_with("Basic "));
    let shown = format!("{identity:?} {login:?} {}", login.to_token());
    assert!(!shown.contains("anary") && !shown.contains(&form["code_verifier"]), "{shown}");
}

#[tokio::test]
async fn the_code_is_exchanged_with_the_clients_own_proof() {
    let (server, provider) = start(Key::ec("one"));
    let post = server.client_with(&[("client_auth", "client_secret_post")]);
    let login = begin(&post).await;
    finish(&post, &login, &signed(&provider, &login)).await.unwrap();
    assert_eq!(server.seen("POST", TOKEN)[0].form()["client_secret"], "s3cret");

    let key = ring::signature::EcdsaKeyPair::generate_pkcs8(
        &ring::signature::ECDSA_P256_SHA256_FIXED_SIGNING,
        &ring::rand::SystemRandom::new(),
    );
    let pem = base64::engine::general_purpose::STANDARD.encode(key.unwrap());
    let pem = format!("-----BEGIN PRIVATE KEY-----\n{pem}\n-----END PRIVATE KEY-----\n");
    let options = [("client_secret", ""), ("private_key", pem.as_str())];
    let keyed = server.client_with(&options);
    let error = keyed.login().begin("s", REDIRECT, &LoginOptions::default()).await.unwrap_err();
    assert_eq!(
        (error.code(), &error.details()["field"]),
        (Code::MissingSecret, &json!("state_key"))
    );
    let keyed = server.client_with(&[options[0], options[1], ("state_key", "a long random text")]);
    let login = begin(&keyed).await;
    finish(&keyed, &login, &signed(&provider, &login)).await.unwrap();
    let form = server.seen("POST", TOKEN)[1].form();
    assert_eq!(form["client_assertion"].split('.').count(), 3);
}

#[tokio::test]
async fn callbacks_that_are_not_of_this_login_are_refused_before_anything_is_sent() {
    let (server, provider) = start(Key::ec("one"));
    let client = server.client();
    let login = begin(&client).await;
    let good = signed(&provider, &login);
    let state = &query(&login.url)["state"];
    let cases = [
        (format!("{REDIRECT}?code=x&state=wrong"), Code::LoginStateMismatch),
        (format!("{REDIRECT}?code=x"), Code::LoginStateMismatch),
        (format!("{REDIRECT}?error=access_denied&state=wrong"), Code::LoginStateMismatch),
        (format!("{good}&iss=https%3A%2F%2Fevil.example"), Code::LoginStateMismatch),
        (format!("{good}&state={state}"), Code::LoginCallbackIncomplete),
        (format!("{REDIRECT}?state={state}"), Code::LoginCallbackIncomplete),
        (format!("{REDIRECT}?error=access_denied&state={state}"), Code::AuthorizeAccessDenied),
        (format!("{REDIRECT}?error=server_error&state={state}"), Code::AuthorizeServerError),
        (format!("{REDIRECT}?error=odd&state={state}&code=x"), Code::AuthorizeUnknown),
    ];
    for (callback, code) in cases {
        let error = finish(&client, &login, &callback).await.unwrap_err();
        assert_eq!(error.code(), code, "{callback}");
        assert_eq!(error.code().spec().class, "LoginError");
        assert_eq!(error.details()["sign_id"], "4120de56");
    }
    assert!(server.seen("POST", TOKEN).is_empty());
    // The provider may name itself (RFC 9207), and a form is as good as an address.
    let mut pairs = query(&good);
    pairs.insert("iss".to_owned(), server.url());
    let options = FinishOptions::default();
    let callback = Callback::from_pairs(pairs);
    client.login().finish(&login.to_token(), callback, &options).await.unwrap();
}

#[tokio::test]
async fn a_saved_login_opens_for_its_own_client_only() {
    let (server, provider) = start(Key::ec("one"));
    let login = begin(&server.client()).await;
    let callback = signed(&provider, &login);
    let other_secret = server.client_with(&[("client_secret", "other")]);
    let error = finish(&other_secret, &login, &callback).await.unwrap_err();
    assert_eq!(error.code(), Code::LoginTokenInvalid);
    assert!(!error.details().contains_key("sign_id"), "it could not be read");
    let other_client = server.client_with(&[("client_id", "another")]);
    let error = finish(&other_client, &login, &callback).await.unwrap_err();
    assert_eq!(error.code(), Code::LoginTokenInvalid);
    let error = server
        .client()
        .login()
        .finish("garbage", callback.as_str(), &FinishOptions::default())
        .await
        .unwrap_err();
    assert_eq!(error.code(), Code::LoginTokenInvalid);
}

#[derive(Default)]
struct Once(Mutex<BTreeSet<String>>);

impl LoginStore for Once {
    fn claim(&self, id: &str) -> Result<bool, Error> {
        Ok(self.0.lock().unwrap().insert(id.to_owned()))
    }
}

#[tokio::test]
async fn a_replayed_callback_is_refused_by_the_store_or_by_the_provider() {
    let (server, provider) = start(Key::ec("one"));
    let client = server.client();
    let login = begin(&client).await;
    let callback = signed(&provider, &login);
    finish(&client, &login, &callback).await.unwrap();
    let error = finish(&client, &login, &callback).await.unwrap_err();
    assert_eq!((error.code(), error.name()), (Code::OauthInvalidGrant, "invalid_grant"));
    assert_eq!(error.details()["sign_id"], "4120de56");

    let options = FinishOptions { store: Some(Arc::<Once>::default()), ..Default::default() };
    let login = begin(&client).await;
    let callback = signed(&provider, &login);
    let login_token = login.to_token();
    client.login().finish(&login_token, callback.as_str(), &options).await.unwrap();
    let asked = server.seen("POST", TOKEN).len();
    let again = client.login().finish(&login_token, callback.as_str(), &options).await;
    assert_eq!(again.unwrap_err().code(), Code::LoginReplayed);
    assert_eq!(server.seen("POST", TOKEN).len(), asked);
}

#[tokio::test]
async fn a_code_is_sent_once() {
    for (reply, code) in [
        (Reply::nothing(Then::Close), Code::OutcomeUnknown),
        (Reply::json(200, "{\"id_token\":").cut(5, Then::Close), Code::OutcomeUnknown),
        (
            Reply::json(503, json!({"error": "temporarily_unavailable"})),
            Code::OauthTemporarilyUnavailable,
        ),
        (Reply::json(401, json!({"error": "invalid_client"})), Code::OauthInvalidClient),
        (Reply::json(200, json!({"access_token": "canary"})), Code::IdTokenMalformed),
        (Reply::json(200, "{\"id_token\":\"canary"), Code::OauthMalformed),
        (Reply::html(200), Code::OauthMalformed),
    ] {
        let (server, provider) = start(Key::ec("one"));
        provider.lock().unwrap().reply = Some(reply);
        let client = server.client_with(&[("max_retries", "5")]);
        let login = begin(&client).await;
        let error = finish(&client, &login, &signed(&provider, &login)).await.unwrap_err();
        assert_eq!(error.code(), code, "{error}");
        assert_eq!(error.details()["sign_id"], "4120de56");
        assert_eq!(server.seen("POST", TOKEN).len(), 1);
        let shown = format!("{error} {error:?} {}", error.to_json());
        assert!(!shown.contains("canary"), "{shown}");
    }
}

#[tokio::test]
async fn every_accepted_algorithm_is_verified() {
    let rsa = || Key::new(KeyKind::Rsa(2048), "rsa");
    for (alg, key) in [
        ("RS256", rsa()),
        ("RS384", rsa()),
        ("RS512", rsa()),
        ("PS256", rsa()),
        ("ES256", Key::ec("p256")),
        ("ES384", Key::new(KeyKind::P384, "p384")),
    ] {
        for tamper in [false, true] {
            let (server, provider) = start(key.clone());
            provider.lock().unwrap().token = Box::new(move |keys, claims| {
                let token = keys[0].token(alg, claims);
                if !tamper {
                    return token;
                }
                let mut other = claims.clone();
                other["sub"] = json!("somebody else");
                let header = json!({"alg": alg, "kid": keys[0].kid});
                let (_, signature) = token.rsplit_once('.').unwrap();
                format!("{}.{signature}", unsigned(&header, &other))
            });
            let client = server.client();
            let login = begin(&client).await;
            let finished = finish(&client, &login, &signed(&provider, &login)).await;
            let code = finished.err().map(|error| error.code());
            assert_eq!(code, tamper.then_some(Code::IdTokenSignature), "{alg}");
        }
    }
}

#[tokio::test]
async fn tokens_that_prove_nothing_are_refused() {
    let signed_by_nobody = |alg: Value| {
        move |_: &[Key], claims: &Value| {
            format!("{}.", unsigned(&json!({"alg": alg, "kid": "one"}), claims))
        }
    };
    for alg in ["none", "None", "NONE", "HS256", "HS512", "RS1", "ES512", ""] {
        let error = with_token(signed_by_nobody(json!(alg))).await.unwrap_err();
        assert_eq!(error.code(), Code::IdTokenAlgorithm, "{alg}");
        assert_eq!(error.code().spec().class, "IdTokenError");
        assert_eq!(error.details()["sign_id"], "4120de56");
    }
    // HS256 with the public key as its secret.
    let confused = |keys: &[Key], claims: &Value| {
        let signed = unsigned(&json!({"alg": "HS256", "kid": "one"}), claims);
        let secret = keys[0].jwk().to_string();
        let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, secret.as_bytes());
        let value = ring::hmac::sign(&key, signed.as_bytes());
        format!("{signed}.{}", URL_SAFE_NO_PAD.encode(value))
    };
    assert_eq!(with_token(confused).await.unwrap_err().code(), Code::IdTokenAlgorithm);
    // A key of another kind than the algorithm's, another key under the same name, no name.
    let mixed = |keys: &[Key], claims: &Value| {
        Key::new(KeyKind::P384, "other")
            .token_with(&json!({"alg": "ES384", "kid": keys[0].kid}), claims)
    };
    assert_eq!(with_token(mixed).await.unwrap_err().code(), Code::IdTokenKeyUnknown);
    let forged = |_: &[Key], claims: &Value| {
        Key::ec("forger").token_with(&json!({"alg": "ES256", "kid": "one"}), claims)
    };
    assert_eq!(with_token(forged).await.unwrap_err().code(), Code::IdTokenSignature);
    let nameless =
        |_: &[Key], claims: &Value| Key::ec("forger").token_with(&json!({"alg": "ES256"}), claims);
    assert_eq!(with_token(nameless).await.unwrap_err().code(), Code::IdTokenSignature);
    let unsigned_token = |keys: &[Key], claims: &Value| {
        let token = keys[0].token("ES256", claims);
        token[..token.rfind('.').unwrap() + 1].to_owned()
    };
    assert_eq!(with_token(unsigned_token).await.unwrap_err().code(), Code::IdTokenSignature);
}

#[tokio::test]
async fn a_token_that_does_not_name_its_key_needs_the_only_one_that_fits() {
    let nameless =
        |keys: &[Key], claims: &Value| keys[0].token_with(&json!({"alg": "ES256"}), claims);
    assert!(with_token(nameless).await.is_ok());
    for (other, code) in
        [(Key::new(KeyKind::P384, "two"), None), (Key::ec("two"), Some(Code::IdTokenKeyUnknown))]
    {
        let (server, provider) = start(Key::ec("one"));
        provider.lock().unwrap().keys.push(other);
        provider.lock().unwrap().token = Box::new(nameless);
        let client = server.client();
        let login = begin(&client).await;
        let finished = finish(&client, &login, &signed(&provider, &login)).await;
        assert_eq!(finished.as_ref().err().map(signdoc::Error::code), code, "{finished:?}");
        if let Err(error) = finished {
            assert!(error.message().contains("kid"), "{error}");
        }
    }
}

#[tokio::test]
async fn tokens_that_cannot_be_read_are_refused_without_their_text() {
    let cases: Vec<fn(&[Key], &Value) -> String> = vec![
        |_, _| "canary".to_owned(),
        |_, _| "a.b".to_owned(),
        |keys, claims| format!("{}.canary", keys[0].token("ES256", claims)),
        |keys, claims| format!("!{}", keys[0].token("ES256", claims)),
        |keys, claims| {
            keys[0].token_with(&json!({"alg": "ES256", "kid": "one", "crit": ["b64"]}), claims)
        },
        |keys, _| keys[0].token("ES256", &json!(["canary"])),
    ];
    for make in cases {
        let error = with_token(make).await.unwrap_err();
        assert_eq!(error.code(), Code::IdTokenMalformed, "{error}");
        assert!(!error.to_json().to_string().contains("canary"));
    }
}

/// The error for claims changed like this.
async fn with_claims(change: impl Fn(&mut Value) + Send + 'static) -> Option<Error> {
    let make = move |keys: &[Key], claims: &Value| {
        let mut claims = claims.clone();
        change(&mut claims);
        keys[0].token("ES256", &claims)
    };
    with_token(make).await.err()
}

#[tokio::test]
async fn every_claim_is_checked() {
    type Change = fn(&mut Value);
    let refused: Vec<(Change, Code)> = vec![
        (|c| c["iss"] = json!("https://evil.example"), Code::IdTokenIssuer),
        (|c| c["iss"] = Value::Null, Code::IdTokenIssuer),
        (|c| c["aud"] = json!("another"), Code::IdTokenAudience),
        (|c| c["aud"] = json!(["another", "third"]), Code::IdTokenAudience),
        (|c| c["aud"] = Value::Null, Code::IdTokenAudience),
        (|c| c["azp"] = json!("another"), Code::IdTokenAuthorizedParty),
        (
            |c| {
                c["aud"] = json!(["shop", "another"]);
                c.as_object_mut().unwrap().remove("azp");
            },
            Code::IdTokenAuthorizedParty,
        ),
        (|c| c["exp"] = json!(now() - 61), Code::IdTokenExpired),
        (|c| c["exp"] = Value::Null, Code::IdTokenMalformed),
        (|c| c["iat"] = json!(now() + 65), Code::IdTokenIssuedInFuture),
        (|c| c["nbf"] = json!(now() + 65), Code::IdTokenIssuedInFuture),
        (|c| c["iat"] = json!("soon"), Code::IdTokenMalformed),
        (|c| c["nonce"] = json!("other"), Code::IdTokenNonce),
        (|c| c["nonce"] = Value::Null, Code::IdTokenNonce),
        (|c| c["sub"] = json!(""), Code::IdTokenMalformed),
    ];
    for (at, (change, code)) in refused.into_iter().enumerate() {
        let error = with_claims(change).await.unwrap();
        assert_eq!(error.code(), code, "case {at}: {error}");
        assert_eq!(error.details()["sign_id"], "4120de56");
        assert!(!error.to_json().to_string().contains("anary"), "{error}");
    }
    let accepted: Vec<Change> = vec![
        |c| c["aud"] = json!(["shop"]),
        |c| c["aud"] = json!(["another", "shop"]),
        |c| {
            c.as_object_mut().unwrap().remove("azp");
        },
        |c| c["exp"] = json!(now() - 50),
        |c| c["iat"] = json!(now() + 50),
        |c| c["exp"] = json!(now() as f64 + 0.5),
    ];
    for (at, change) in accepted.into_iter().enumerate() {
        assert!(with_claims(change).await.is_none(), "case {at}");
    }
}

#[tokio::test]
async fn a_wrong_clock_is_named() {
    let (server, provider) = start(Key::ec("one"));
    let client = server.client();
    let login = begin(&client).await;
    let callback = signed(&provider, &login);
    client.clock().set_offset(600.0);
    let error = finish(&client, &login, &callback).await.unwrap_err();
    assert_eq!(error.code(), Code::IdTokenExpired);
    let skew = error.details()["clock_skew_seconds"].as_f64().unwrap();
    assert!((598.0..=602.0).contains(&skew), "{skew}");
    assert!(error.message().contains("ahead of the provider's"), "{error}");

    let login = begin(&client).await;
    let callback = signed(&provider, &login);
    let date = httpdate::fmt_http_date(SystemTime::now());
    provider.lock().unwrap().headers = vec![("date".to_owned(), date)];
    client.clock().set_offset(-600.0);
    let error = finish(&client, &login, &callback).await.unwrap_err();
    assert_eq!(error.code(), Code::IdTokenIssuedInFuture);
    assert!(error.message().contains("behind the provider's"), "{error}");
}

#[tokio::test]
async fn new_keys_are_fetched_at_once_but_not_for_every_made_up_one() {
    let (server, provider) = start(Key::ec("one"));
    let client = server.client();
    let login = async |alg_key: Option<Key>| {
        if let Some(key) = alg_key {
            provider.lock().unwrap().token = Box::new(move |_, claims| key.token("ES256", claims));
        }
        let login = begin(&client).await;
        let callback = signed(&provider, &login);
        finish(&client, &login, &callback).await.map_err(|error| error.code())
    };
    let fetched = || server.seen("GET", KEYS).len();
    login(None).await.unwrap();
    login(None).await.unwrap();
    assert_eq!(fetched(), 1, "kept");

    provider.lock().unwrap().keys = vec![Key::ec("two"), Key::ec("one")];
    login(None).await.unwrap();
    assert_eq!(fetched(), 2, "a rotated key is found at once");
    login(None).await.unwrap();
    assert_eq!(fetched(), 2);

    for made_up in ["x", "y", "z"] {
        assert_eq!(login(Some(Key::ec(made_up))).await.err(), Some(Code::IdTokenKeyUnknown));
    }
    assert_eq!(fetched(), 2, "made-up keys cost nothing");
    client.clock().set_offset(61.0);
    assert_eq!(login(Some(Key::ec("x"))).await.err(), Some(Code::IdTokenKeyUnknown));
    assert_eq!(fetched(), 3);
    client.clock().set_offset(25.0 * 3600.0);
    let _ = login(None).await;
    assert_eq!(fetched(), 4, "a day later they are fetched anyway");
}

#[tokio::test]
async fn the_login_of_an_order_that_has_expired_does_not_begin() {
    let (_, provider) = start(Key::ec("one"));
    let key = provider.lock().unwrap().keys[0].clone();
    let server = Server::start(move |seen| {
        if seen.is("GET", KEYS) {
            return Some(Reply::json(200, json!({"keys": [key.jwk()]})));
        }
        seen.is("POST", PADES).then(|| Reply::json(201, json!({"sign_id": "s"})))
    });
    let client = server.client();
    let document = PadesDocument::new(Document::from_bytes(&b"%PDF-1.4"[..]));
    let order = PadesOrder::new("o", vec![document]);
    let order = client.pades().create(&order, &CallOptions::default()).await.unwrap();
    let options = LoginOptions::default();
    client.login().begin(&order, REDIRECT, &options).await.unwrap();
    client.clock().set_offset(90.5);
    let error = client.login().begin(&order, REDIRECT, &options).await.unwrap_err();
    assert_eq!(error.code(), Code::WindowExpired);
    // Nothing is known of a bare reference: the provider decides.
    client.login().begin("s", REDIRECT, &options).await.unwrap();
    assert_eq!(order.expires_in(), Duration::ZERO);
}
