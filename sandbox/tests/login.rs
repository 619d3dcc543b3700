//! The login: authorize endpoint, signing page, code exchange, ID tokens, and their faults.
// helpers outside of test functions are test code as well
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use common::flow::*;
use common::*;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents, UnparsedPublicKey,
};
use serde_json::{Value, json};
use signdoc_sandbox::{Action, IdTokenAlg, Person, Sandbox, Variants, Visit, samples};

const CERTS: &str = "/auth/realms/sandbox/protocol/openid-connect/certs";

fn order(sandbox: &Sandbox) -> String {
    create(sandbox, PADES, &pades_order(vec![loan()]))
}

/// A code for a new order, without a browser.
fn code(sandbox: &Sandbox) -> String {
    parameter(&visit(sandbox, Action::Sign), "code").unwrap()
}

fn visit(sandbox: &Sandbox, action: Action) -> String {
    let url = url(sandbox, &order(sandbox));
    sandbox.visit(Visit { url, action, person: Person::Ase }).unwrap().url
}

fn id_token(sandbox: &Sandbox, code: &str) -> String {
    let reply = redeem(sandbox, code);
    assert_eq!(reply.status, 200, "{}", reply.text());
    reply.json()["id_token"].as_str().unwrap().to_owned()
}

/// Whether a key of the published set verifies the token.
fn verifies(sandbox: &Sandbox, token: &str) -> bool {
    let (header, _) = parts(token);
    let (message, signature) = token.rsplit_once('.').unwrap();
    let signature = URL_SAFE_NO_PAD.decode(signature).unwrap();
    let keys = get(sandbox, CERTS).json();
    let found = keys["keys"].as_array().unwrap().iter().find(|key| key["kid"] == header["kid"]);
    let Some(key) = found else { return false };
    assert_eq!(key["use"], "sig");
    if key["alg"] != header["alg"] {
        return false;
    }
    let part = |name: &str| URL_SAFE_NO_PAD.decode(key[name].as_str().unwrap()).unwrap();
    if key["kty"] == "EC" {
        let point = [vec![4], part("x"), part("y")].concat();
        let key = UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point);
        key.verify(message.as_bytes(), &signature).is_ok()
    } else {
        let key = RsaPublicKeyComponents { n: part("n"), e: part("e") };
        key.verify(&RSA_PKCS1_2048_8192_SHA256, message.as_bytes(), &signature).is_ok()
    }
}

#[test]
fn a_browser_signs_and_comes_back_with_a_code() {
    let sandbox = production();
    let id = order(&sandbox);
    let session = session(&sandbox, &careful(&sandbox, &id));
    assert_eq!(state(&sandbox, PADES, &id), "GRABBED_BY_IDP");
    let page = get(&sandbox, &format!("{PAGE}?session={session}"));
    assert_eq!((page.status, state(&sandbox, PADES, &id).as_str()), (200, "USER_SIGNING"));
    let text = page.text();
    for wanted in [
        "<html lang=\"en\">",
        "<h1>Sign documents</h1>",
        "Loan 4711",
        "Loan agreement",
        "application/pdf",
        "<label for=\"person\">",
        " for=\"understood\">",
        "value=\"sign\"",
        "value=\"cancel\"",
        "value=\"fail\"",
        "<form method=\"post\"",
    ] {
        assert!(text.contains(wanted), "{wanted} is missing in {text}");
    }
    assert!(!text.contains("<script"), "{text}");
    assert!(page.header("content-security-policy").unwrap().contains("default-src 'none'"));
    assert_eq!(page.header("cache-control"), Some("no-store"));
    let document = get(&sandbox, &format!("{PAGE}/document?session={session}&number=1"));
    assert_eq!(document.header("content-type"), Some("application/pdf"));
    assert_eq!(document.body, samples::loan_agreement());

    let body = format!("session={session}&action=sign&person=kari");
    let unread = exchange(&sandbox, "POST", PAGE, &[FORM], body.as_bytes());
    assert_eq!(unread.status, 422);
    assert!(unread.text().contains("role=\"alert\""), "{}", unread.text());
    let done = press(&sandbox, &session, "sign");
    assert_eq!((done.status, state(&sandbox, PADES, &id).as_str()), (200, "SIGN_COMPLETED"));
    let text = done.text();
    let link = text.split_once("href=\"").unwrap().1.split_once('"').unwrap().0;
    let link = link.replace("&amp;", "&");
    assert!(link.starts_with(&format!("{BACK}?")), "{link}");
    assert_eq!(parameter(&link, "state").as_deref(), Some("st&te"));
    let token = id_token(&sandbox, &parameter(&link, "code").unwrap());
    assert!(verifies(&sandbox, &token));
    assert_eq!(press(&sandbox, &session, "sign").status, 400, "the session is over");
    let seen = serde_json::to_string(&sandbox.requests()).unwrap();
    assert!(!seen.contains(&session) && seen.contains("session=<elided>"), "{seen}");
}

#[test]
fn orders_choose_what_the_page_asks_and_confirms() {
    let sandbox = production();
    let mut order = pades_order(vec![loan()]);
    order["signProperties"]["showConfirmation"] = json!(false);
    order["signProperties"]["showUnderstanding"] = json!(false);
    let id = create(&sandbox, PADES, &order);
    let mut pairs = careful(&sandbox, &id);
    pairs.push(("ui_locales", "no".to_owned()));
    let session = session(&sandbox, &pairs);
    let page = get(&sandbox, &format!("{PAGE}?session={session}")).text();
    assert!(page.contains("<html lang=\"nb\">") && !page.contains("understood"), "{page}");
    let body = format!("session={session}&action=sign");
    let done = exchange(&sandbox, "POST", PAGE, &[FORM], body.as_bytes());
    assert_eq!(done.status, 303);
    assert!(parameter(done.header("location").unwrap(), "code").is_some());
}

#[test]
fn who_cancels_or_fails_comes_back_with_access_denied() {
    let sandbox = production();
    for (action, name) in [("cancel", "CANCELLED"), ("fail", "FAILED")] {
        let id = order(&sandbox);
        let session = session(&sandbox, &careful(&sandbox, &id));
        get(&sandbox, &format!("{PAGE}?session={session}"));
        let reply = press(&sandbox, &session, action);
        let location = reply.header("location").unwrap();
        assert_eq!(reply.status, 303);
        assert_eq!(parameter(location, "error").as_deref(), Some("access_denied"));
        assert_eq!(parameter(location, "state").as_deref(), Some("st&te"));
        assert_eq!(parameter(location, "code"), None);
        assert_eq!(state(&sandbox, PADES, &id), name);
    }
}

#[test]
fn every_response_mode_comes_back() {
    let sandbox = production();
    for (mode, start) in [("query", '?'), ("fragment", '#'), ("form_post", ' ')] {
        let id = order(&sandbox);
        let mut pairs = careful(&sandbox, &id);
        pairs.push(("response_mode", mode.to_owned()));
        let url = format!("{}{AUTHORIZE}?{}", sandbox.base_url(), form(&pairs));
        let visit = json!({"url": url});
        let back = control(&sandbox, "POST", "visit", &visit).json()["callback"].clone();
        let parameters = match mode {
            "form_post" => {
                assert_eq!((&back["method"], &back["url"]), (&json!("POST"), &json!(BACK)));
                format!("?{}", back["form"].as_str().unwrap())
            }
            _ => {
                assert_eq!(back["method"], "GET");
                back["url"].as_str().unwrap().to_owned()
            }
        };
        assert!(mode == "form_post" || parameters.starts_with(&format!("{BACK}{start}code=")));
        let code = parameter(&parameters, "code").unwrap();
        assert_eq!(redeem(&sandbox, &code).status, 200, "{mode}");
    }
}

#[test]
fn what_cannot_be_sent_back_ends_on_a_page() {
    let sandbox = production();
    let strict = json!({"client_id": sandbox.client_id(), "redirect_uris": [BACK]});
    let id = order(&sandbox);
    let with = |name: &str, value: &str| {
        let mut pairs = careful(&sandbox, &id);
        pairs.retain(|(key, _)| *key != name);
        if !value.is_empty() {
            pairs.push((
                if name == "client_id" { "client_id" } else { "redirect_uri" },
                value.into(),
            ));
        }
        let reply = authorize(&sandbox, &pairs);
        assert_eq!(reply.header("location"), None, "{name} {value}");
        assert!(reply.text().contains("role=\"alert\""));
        reply.status
    };
    for (name, value) in [
        ("client_id", ""),
        ("client_id", "nobody"),
        ("redirect_uri", ""),
        ("redirect_uri", "/callback"),
        ("redirect_uri", "http://shop.example/callback"),
        ("redirect_uri", "https://shop.example/callback#x"),
        ("redirect_uri", "javascript:alert(1)"),
    ] {
        assert_eq!(with(name, value), 400, "{name} {value}");
    }
    control(&sandbox, "POST", "clients", &strict);
    assert_eq!(with("redirect_uri", "https://shop.example/callback/"), 400);
    let twice = [careful(&sandbox, &id), vec![("redirect_uri", BACK.to_owned())]].concat();
    assert_eq!(authorize(&sandbox, &twice).status, 400);
    assert_eq!(state(&sandbox, PADES, &id), "ORDER_RECEIVED");
    session(&sandbox, &careful(&sandbox, &id));
}

#[test]
fn what_is_wrong_with_a_request_comes_back_as_an_error() {
    let sandbox = production();
    let id = order(&sandbox);
    for (name, value, error) in [
        ("response_type", "", "invalid_request"),
        ("response_type", "token", "unsupported_response_type"),
        ("response_mode", "web_message", "invalid_request"),
        ("scope", "", "invalid_scope"),
        ("scope", "openid", "invalid_scope"),
        ("scope", "openid sign email", "invalid_scope"),
        ("sign_id", "", "invalid_request"),
        ("sign_id", "4120de56-4391-4e5a-adea-a28e62daac7e", "invalid_request"),
        ("code_challenge", "short", "invalid_request"),
        ("code_challenge", "", "invalid_request"),
        ("code_challenge_method", "plain", "invalid_request"),
        ("code_challenge_method", "", "invalid_request"),
        ("prompt", "none", "invalid_request"),
    ] {
        let mut pairs = careful(&sandbox, &id);
        pairs.retain(|(key, _)| *key != name);
        if !value.is_empty() {
            pairs.push((name, value.to_owned()));
        }
        let reply = authorize(&sandbox, &pairs);
        let location = reply.header("location").unwrap_or_else(|| panic!("{name} {value}"));
        assert_eq!(parameter(location, "error").as_deref(), Some(error), "{name} {value}");
        assert_eq!(parameter(location, "state").as_deref(), Some("st&te"));
        assert!(sandbox.refused().last().unwrap().refused.as_ref().unwrap().starts_with(error));
    }
    let mut twice = careful(&sandbox, &id);
    twice.push(("nonce", "another".to_owned()));
    let reply = authorize(&sandbox, &twice);
    let location = reply.header("location").unwrap();
    assert_eq!(parameter(location, "error").as_deref(), Some("invalid_request"));
    assert_eq!(state(&sandbox, PADES, &id), "ORDER_RECEIVED");
    // the specification names scope=sign alone
    let mut bare = careful(&sandbox, &id);
    bare.retain(|(key, _)| ["client_id", "redirect_uri", "response_type", "sign_id"].contains(key));
    bare.push(("scope", "sign".to_owned()));
    session(&sandbox, &bare);
}

#[test]
fn errors_of_the_authorize_endpoint_come_on_demand() {
    let sandbox = production();
    let rows = include_str!("../../tests/vectors/spec/authorize-errors.json");
    let table: Value = serde_json::from_str(rows).unwrap();
    for row in table["codes"].as_array().unwrap() {
        let rule = json!({"path": AUTHORIZE,
            "fault": {"kind": "authorize_error", "error": row["error"]}});
        assert_eq!(control(&sandbox, "POST", "faults", &rule).status, 201);
        let reply = authorize(&sandbox, &careful(&sandbox, "any"));
        let location = reply.header("location").unwrap();
        assert_eq!(row["error"], parameter(location, "error").unwrap());
        for name in table["parameters"].as_array().unwrap() {
            assert!(parameter(location, name.as_str().unwrap()).is_some(), "{name}");
        }
    }
}

#[test]
fn the_id_token_says_who_signed_and_for_whom() {
    let sandbox = production();
    sandbox.clock().freeze();
    for id_token_alg in [IdTokenAlg::Es256, IdTokenAlg::Rs256] {
        sandbox.set_variants(Variants { id_token_alg, ..Variants::default() });
        let reply = redeem(&sandbox, &code(&sandbox)).json();
        assert_eq!(
            (&reply["token_type"], &reply["scope"]),
            (&json!("Bearer"), &json!("openid profile sign"))
        );
        let token = reply["id_token"].as_str().unwrap();
        assert!(verifies(&sandbox, token));
        let (header, claims) = parts(token);
        assert_eq!(header["alg"], id_token_alg.name());
        let now = sandbox.clock().now_unix();
        for (name, value) in [
            ("iss", json!(sandbox.issuer())),
            ("aud", json!(sandbox.client_id())),
            ("azp", json!(sandbox.client_id())),
            ("nonce", json!("n-once")),
            ("iat", json!(now)),
            ("auth_time", json!(now)),
            ("exp", json!(now + 300)),
            ("typ", json!("ID")),
            ("amr", json!(["eid"])),
            ("name", json!("Åse Ødegård")),
            ("given_name", json!("Åse")),
            ("family_name", json!("Ødegård")),
            ("birthdate", json!("1992-02-29")),
            ("eid_altsub", json!("9578-6000-4-10003")),
        ] {
            assert_eq!(claims[name], value, "{name}");
        }
        assert!(claims["acr"].as_str().unwrap().ends_with("LOA=4"));
        let bearer = format!("Bearer {}", reply["access_token"].as_str().unwrap());
        let headers = [("authorization", bearer.as_str())];
        let target = "/auth/realms/sandbox/protocol/openid-connect/userinfo";
        let info = exchange(&sandbox, "GET", target, &headers, b"").json();
        assert_eq!((&info["sub"], &info["name"]), (&claims["sub"], &claims["name"]));
        // the end user's token does not open the merchant's interface
        let target = "/signdoc/convert/pdf/specs";
        assert_eq!(exchange(&sandbox, "GET", target, &headers, b"").status, 403);
    }
}

#[test]
fn a_code_is_worth_one_token_to_whom_it_was_given() {
    let sandbox = production();
    sandbox.clock().freeze();
    let ask = |code: &str, change: &[(&str, &str)]| {
        let mut pairs = vec![
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", BACK),
            ("code_verifier", VERIFIER),
        ];
        for (name, value) in change {
            pairs.retain(|(key, _)| key != name);
            if !value.is_empty() {
                pairs.push((name, value));
            }
        }
        let pairs: Vec<(&str, String)> =
            pairs.into_iter().map(|(name, value)| (name, value.to_owned())).collect();
        let reply = token_with(&sandbox, &form(&pairs));
        match reply.status {
            200 => "granted".to_owned(),
            _ => reply.json()["error"].as_str().unwrap().to_owned(),
        }
    };
    let fresh = code(&sandbox);
    for (name, value, error) in [
        ("code", "unknown", "invalid_grant"),
        ("code", "", "invalid_request"),
        ("redirect_uri", "https://shop.example/other", "invalid_grant"),
        ("redirect_uri", "", "invalid_request"),
        ("code_verifier", "", "invalid_grant"),
        ("code_verifier", "short", "invalid_request"),
        ("code_verifier", "another-verifier-of-forty-three-characters-0123", "invalid_grant"),
    ] {
        assert_eq!(ask(&fresh, &[(name, value)]), error, "{name} {value}");
    }
    // a stranger with the code
    control(&sandbox, "POST", "clients", &json!({"client_id": "b", "client_secret": "b"}));
    let credential = basic("b", "b");
    let body = format!(
        "grant_type=authorization_code&code={fresh}&redirect_uri={}&code_verifier={VERIFIER}",
        encoded(BACK)
    );
    let headers = [FORM, ("authorization", credential.as_str())];
    let reply = exchange(&sandbox, "POST", TOKEN_PATH, &headers, body.as_bytes());
    assert_eq!((reply.status, &reply.json()["error"]), (400, &json!("invalid_grant")));

    let reply = redeem(&sandbox, &fresh);
    let bearer = format!("Bearer {}", reply.json()["access_token"].as_str().unwrap());
    let userinfo = || {
        let target = "/auth/realms/sandbox/protocol/openid-connect/userinfo";
        exchange(&sandbox, "GET", target, &[("authorization", &bearer)], b"").status
    };
    assert_eq!(userinfo(), 200);
    assert_eq!(ask(&fresh, &[]), "invalid_grant", "a replay");
    assert_eq!(userinfo(), 401, "a replay takes the first token with it");
    let old = code(&sandbox);
    sandbox.clock().advance(Duration::from_millis(59_999));
    let kept = code(&sandbox);
    sandbox.clock().advance(Duration::from_millis(1));
    assert_eq!((ask(&old, &[]), ask(&kept, &[])), ("invalid_grant".into(), "granted".into()));
}

#[test]
fn tokens_go_wrong_in_every_way_that_a_client_must_notice() {
    let sandbox = production();
    let known = get(&sandbox, CERTS).json();
    let faulty = |fault: Value| {
        let rule = json!({"method": "POST", "path": TOKEN_PATH, "skip": 1, "fault": fault});
        assert_eq!(control(&sandbox, "POST", "faults", &rule).status, 201);
        // the first request to the endpoint fetches the merchant's token for the order
        let token = id_token(&sandbox, &code(&sandbox));
        let verified = verifies(&sandbox, &token);
        let (header, claims) = parts(&token);
        (header, claims, verified)
    };
    let change = |change: &str| faulty(json!({"kind": "id_token", "change": change}));
    let now = || sandbox.clock().now_unix();
    assert_eq!(change("nonce").1["nonce"], "another-nonce");
    assert!(change("no_nonce").1["nonce"].is_null());
    assert_eq!(change("issuer").1["iss"], "https://other.example/issuer");
    assert_eq!(change("audience").1["aud"], "another-client");
    assert_eq!(change("azp").1["azp"], "another-client");
    assert!(change("expired").1["exp"].as_u64().unwrap() + 590 < now());
    let (_, claims, verified) =
        faulty(json!({"kind": "id_token", "change": "skew", "seconds": 120}));
    assert!(claims["iat"].as_u64().unwrap() >= now() + 110 && verified);
    let (header, _, _) = change("alg_none");
    assert_eq!(header["alg"], "none");
    let rule = json!({"fault": {"kind": "id_token", "change": "hs256"}});
    let fresh = code(&sandbox);
    control(&sandbox, "POST", "faults", &rule);
    assert_eq!(parts(&id_token(&sandbox, &fresh)).0["alg"], "HS256");
    let (header, _, verified) = change("unknown_kid");
    assert!(!verified && header["kid"].is_string());
    assert!(change("missing_kid").0["kid"].is_null());
    assert!(!change("signature").2);
    let (header, _, verified) = change("rotated_key");
    assert!(verified);
    assert!(known["keys"].as_array().unwrap().iter().all(|key| key["kid"] != header["kid"]));
}

#[test]
fn ways_back_go_wrong() {
    let sandbox = production();
    for (change, check) in [
        ("state", "a-state-that-nobody-sent"),
        ("no_state", ""),
        ("code", "a-code-that-was-never-given"),
        ("no_code", ""),
        ("two_codes", "another-code"),
    ] {
        let rule = json!({"method": "POST", "path": PAGE,
            "fault": {"kind": "callback", "change": change}});
        assert_eq!(control(&sandbox, "POST", "faults", &rule).status, 201);
        let back = visit(&sandbox, Action::Sign);
        assert!(back.contains(check), "{change}: {back}");
        assert_eq!(parameter(&back, "state").is_none(), change == "no_state", "{back}");
        assert_eq!(parameter(&back, "code").is_none(), change == "no_code", "{back}");
        assert_eq!(
            back.matches("code=").count(),
            match change {
                "two_codes" => 2,
                "no_code" => 0,
                _ => 1,
            }
        );
    }
}

#[test]
fn an_order_signed_beside_the_page_takes_its_end_user_along() {
    let sandbox = production();
    let id = order(&sandbox);
    let session = session(&sandbox, &careful(&sandbox, &id));
    let body = json!({"person": "ola"});
    let reply = control(&sandbox, "POST", &format!("orders/{id}/sign"), &body).json();
    assert_eq!(reply["order"]["signer"], "Ola Nordmann");
    let back = reply["callback"]["url"].as_str().unwrap();
    let token = id_token(&sandbox, &parameter(back, "code").unwrap());
    assert_eq!(parts(&token).1["given_name"], "Ola");
    assert_eq!(press(&sandbox, &session, "sign").status, 400);
    assert!(
        sandbox
            .visit(Visit {
                url: "https://elsewhere.example/auth?x=y".to_owned(),
                action: Action::Sign,
                person: Person::Kari,
            })
            .is_err()
    );
}

#[test]
fn who_closes_the_browser_after_signing_has_signed() {
    let sandbox = production();
    let large = json!({"pdf": loan()["pdf"], "endUserOnly": false});
    let id = create(&sandbox, PADES, &pades_order(vec![large; 30]));
    let session = session(&sandbox, &careful(&sandbox, &id));
    get(&sandbox, &format!("{PAGE}?session={session}"));
    let body = format!("session={session}&action=sign&understood=yes");
    let head = format!(
        "POST {PAGE} HTTP/1.1\r\nhost: sandbox\r\ncontent-type: {}\r\ncontent-length: {}\r\n\r\n",
        FORM.1,
        body.len()
    );
    let mut connection = Connection::open(sandbox.base_url());
    connection.send(format!("{head}{body}").as_bytes()).unwrap();
    while state(&sandbox, PADES, &id) == "USER_SIGNING" {
        std::thread::sleep(Duration::from_millis(5));
        if sandbox.requests().iter().any(|seen| seen.method == "POST" && seen.path == PAGE) {
            break;
        }
    }
    drop(connection);
    for _ in 0..2000 {
        if state(&sandbox, PADES, &id) == "SIGN_COMPLETED" {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("the order stays {}", state(&sandbox, PADES, &id));
}
