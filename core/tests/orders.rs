//! Orders on the wire: exact requests, checks before them, and every shape of an answer.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

#[path = "common/server.rs"]
mod server;

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use server::{PADES, Reply, SDO, Seen, Server, TOKEN, Then};
use signdoc::order::{DigestCheck, OrderKind};
use signdoc::{
    CallOptions, Category, Client, Code, Document, Error, Order, PadesDocument, PadesOrder,
    SdoDocument, SdoOrder, SealPosition,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

const PDF: &[u8] = b"%PDF-1.4 not much";

fn call() -> CallOptions {
    CallOptions::default()
}

/// Answers order creation with these replies, one after the other; the last one again and again.
fn creating(replies: Vec<Reply>) -> Server {
    let mut replies = VecDeque::from(replies);
    Server::start(move |seen| {
        let is_order = seen.is("POST", PADES) || seen.is("POST", SDO);
        is_order.then(|| {
            if replies.len() > 1 { replies.pop_front().unwrap() } else { replies[0].clone() }
        })
    })
}

fn created() -> Server {
    creating(vec![Reply::json(201, json!({"sign_id": "4120de56"}))])
}

fn pades() -> PadesOrder {
    PadesOrder::new("Loan 4711", vec![PadesDocument::new(Document::from_bytes(PDF))])
}

async fn create(client: &Client, order: &PadesOrder) -> Result<Order, Error> {
    client.pades().create(order, &call()).await
}

fn only(server: &Server, path: &str) -> Seen {
    let mut seen = server.seen("POST", path);
    assert_eq!(seen.len(), 1);
    seen.pop().unwrap()
}

#[tokio::test]
async fn the_smallest_pades_order_sends_what_must_be_sent_and_nothing_else() {
    let server = created();
    let order = create(&server.client(), &pades()).await.unwrap();
    assert_eq!((order.sign_id.as_str(), order.kind), ("4120de56", OrderKind::Pades));
    let seen = only(&server, PADES);
    assert_eq!(
        seen.json(),
        json!({
            "signProperties": {"orderName": "Loan 4711"},
            "padesSignProperties": {"addVisualSeals": false},
            "documents": [{"pdf": STANDARD.encode(PDF)}],
            "resultContent": ["padesSignedPdf", "documentHash"],
        })
    );
    assert_eq!(seen.target, PADES);
    assert_eq!(seen.headers["content-type"], "application/json");
    assert_eq!(seen.headers["accept"], "application/json");
    assert_eq!(seen.headers["authorization"], "Bearer token-1");
}

#[tokio::test]
async fn every_field_of_a_pades_order_has_the_specifications_name() {
    let server = created();
    let mut order = pades();
    order.properties.display_mode = Some("interior".to_owned());
    order.properties.show_confirmation = Some(true);
    order.properties.show_understanding = Some(false);
    order.properties.timeout_seconds = Some(1200);
    order.add_visual_seals = true;
    order.results = ["padesSignedPdf", "padesAppendix", "documentHash"].map(String::from).to_vec();
    order.documents.push(PadesDocument {
        description: Some("Vilkår \"A\"".to_owned()),
        pdf_spec: Some("PDFA_2B".to_owned()),
        merchant_seal: Some(SealPosition { x: 72.5, y: 700.0, page: 1 }),
        end_user_seal: Some(SealPosition { x: 0.0, y: -0.25, page: 0 }),
        end_user_only: Some(true),
        ..PadesDocument::new(Document::from_bytes(PDF))
    });
    let answer = json!({"sign_id": "s", "conversionResults": [{"converted": true}]});
    drop(server);
    let server = creating(vec![Reply::json(201, answer)]);
    let order = create(&server.client(), &order).await.unwrap();
    let body = only(&server, PADES).json();
    assert_eq!(
        body["signProperties"],
        json!({"orderName": "Loan 4711", "documentDisplayMode": "interior",
            "showConfirmation": true, "showUnderstanding": false, "timeoutSeconds": 1200})
    );
    assert_eq!(body["padesSignProperties"], json!({"addVisualSeals": true}));
    assert_eq!(
        body["documents"][1],
        json!({"description": "Vilkår \"A\"", "pdf": STANDARD.encode(PDF), "pdfSpec": "PDFA_2B",
            "merchantSealPos": {"x": 72.5, "y": 700, "page": 1},
            "endUserSealPos": {"x": 0, "y": -0.25, "page": 0}, "endUserOnly": true})
    );
    assert_eq!(body["resultContent"], json!(["padesSignedPdf", "padesAppendix", "documentHash"]));
    assert_eq!(order.conversions[0].index, 1, "the only conversion that was asked for");
}

#[tokio::test]
async fn an_sdo_order_carries_pdf_text_and_xml() {
    let server = created();
    let order = SdoOrder::new(
        "Mixed",
        vec![
            SdoDocument {
                description: Some("one".to_owned()),
                ..SdoDocument::from_pdf(Document::from_bytes(PDF))
            },
            SdoDocument::from_text("Olav den hellige og æren.\n"),
            SdoDocument::from_xml("<a>€</a>", "<xsl/>"),
        ],
    );
    let order = server.client().sdo().create(&order, &call()).await.unwrap();
    assert_eq!(order.kind, OrderKind::Sdo);
    assert_eq!(
        only(&server, SDO).json(),
        json!({
            "signProperties": {"orderName": "Mixed"},
            "documents": [
                {"description": "one", "pdf": STANDARD.encode(PDF)},
                {"text": "Olav den hellige og æren.\n"},
                {"xml": "<a>€</a>", "xls": "<xsl/>"},
            ],
            "resultContent": ["sdo", "documentHash"],
        })
    );
    assert!(order.documents[1].sha256.is_some() && order.documents[2].sha256.is_none());
}

#[tokio::test]
async fn what_is_wrong_is_said_before_anything_is_sent() {
    let server = created();
    let client = server.client();
    let with = |change: fn(&mut PadesOrder)| {
        let mut order = pades();
        change(&mut order);
        order
    };
    let cases: Vec<(PadesOrder, Code, &str)> = vec![
        (with(|o| o.documents.clear()), Code::DocumentCount, "documents"),
        (
            with(|o| o.properties.name = " ".into()),
            Code::InvalidArgument,
            "signProperties.orderName",
        ),
        (with(|o| o.results.clear()), Code::InvalidArgument, "resultContent"),
        (with(|o| o.results[0] = "sdo".into()), Code::InvalidArgument, "resultContent"),
        (with(|o| o.results = vec!["documentHash".into()]), Code::InvalidArgument, "resultContent"),
        (
            with(|o| o.documents[0].pdf_spec = Some("PDFA_1B".into())),
            Code::UnsupportedPdfSpec,
            "documents[0].pdfSpec",
        ),
        (
            with(|o| {
                o.documents[0].end_user_seal = Some(SealPosition { x: 0.0, y: 0.0, page: -1 });
            }),
            Code::SealPage,
            "documents[0].endUserSealPos.page",
        ),
        (
            with(|o| {
                o.documents[0].merchant_seal = Some(SealPosition { x: f64::NAN, y: 0.0, page: 1 });
            }),
            Code::InvalidArgument,
            "documents[0].merchantSealPos.x",
        ),
        (
            with(|o| o.documents.push(PadesDocument::new(Document::from_bytes(&b"GIF89a"[..])))),
            Code::NotAPdf,
            "documents[1].pdf",
        ),
        (
            with(|o| o.documents[0].pdf = Document::from_path("/nowhere/x.pdf")),
            Code::DocumentNotFound,
            "documents[0].pdf",
        ),
    ];
    for (order, code, field) in cases {
        let error = create(&client, &order).await.unwrap_err();
        assert_eq!((error.code(), error.details()["field"].as_str()), (code, Some(field)));
    }
    let mut order = SdoOrder::new("o", vec![SdoDocument::from_text("t")]);
    order.results = vec!["padesSignedPdf".to_owned()];
    let error = client.sdo().create(&order, &call()).await.unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument);
    assert!(server.seen("POST", PADES).is_empty() && server.seen("POST", TOKEN).is_empty());
}

#[tokio::test]
async fn large_documents_are_sent_with_a_warning_and_no_limit() {
    let server = created();
    let mut bytes = PDF.to_vec();
    bytes.resize(35_000_001, b' ');
    let spooled = Document::from_large_reader(bytes.as_slice(), Some("big".to_owned())).unwrap();
    let order = PadesOrder::new("Big", vec![PadesDocument::new(spooled)]);
    let options = call();
    let order = server.client().pades().create(&order, &options).await.unwrap();
    let events = options.trace.take_events();
    assert!(events.iter().any(|e| e.message.contains("35000001")), "{events:?}");
    let body = &only(&server, PADES).body;
    let text = std::str::from_utf8(body).unwrap();
    let start = text.find("\"pdf\":\"").unwrap() + 7;
    let end = start + text[start..].find('"').unwrap();
    assert_eq!(STANDARD.decode(&text[start..end]).unwrap(), bytes);
    assert_eq!(order.documents[0].name.as_deref(), Some("big"));
}

#[tokio::test]
async fn refusals_are_understood_in_every_shape() {
    for (reply, code, told) in [
        (
            Reply::json(400, json!({"errors": ["Missing field: 'orderName'", "and more"]})),
            Code::OrderRejected,
            "Missing field: 'orderName'; and more",
        ),
        (Reply::text(400, "bad order"), Code::OrderRejected, "bad order"),
        (Reply::json(400, "\"bad order\""), Code::OrderRejected, "bad order"),
        (Reply::json(422, json!({"message": "bad order"})), Code::OrderRejected, "bad order"),
        (Reply::json(413, json!({})), Code::PayloadTooLarge, "413"),
        (Reply::html(400), Code::HtmlAnswer, "Gateway"),
        (Reply::json(503, ""), Code::ServiceUnavailable, "503"),
        (Reply::json(201, json!({"signed": "x"})), Code::MissingField, "sign_id"),
        (Reply::html(201), Code::HtmlAnswer, "Gateway"),
        (Reply::json(201, ""), Code::EmptyAnswer, "no body"),
        (Reply::json(201, "{\"sign_id\":\"s"), Code::TruncatedAnswer, "too early"),
    ] {
        let server = creating(vec![reply]);
        let error = create(&server.client(), &pades()).await.unwrap_err();
        assert_eq!(error.code(), code, "{error}");
        assert!(error.message().contains(told), "{error}");
        assert_eq!(server.seen("POST", PADES).len(), 1, "{error}");
    }
    let server = creating(vec![Reply::json(400, json!({"errors": ["a", "b"]}))]);
    let error = create(&server.client(), &pades()).await.unwrap_err();
    assert_eq!(error.details()["errors"], json!(["a", "b"]));
    assert_eq!(error.category(), Category::Order);
}

#[tokio::test]
async fn a_document_that_was_not_converted_leaves_the_order_that_exists() {
    let results = json!([
        {"conversionId": "1", "description": "Loan 4711 - 1", "converted": true},
        {"converted": false, "conversionErrors": ["Document is corrupt"]},
    ]);
    let mut order = pades();
    order.documents.push(order.documents[0].clone());
    order.documents.iter_mut().for_each(|d| d.pdf_spec = Some("PDFA_2B".to_owned()));
    let exists = || json!({"sign_id": "s", "conversionResults": results});
    let told = |results: &[signdoc::Conversion]| -> Vec<_> {
        results.iter().map(|one| (one.index, one.converted)).collect()
    };
    let server = creating(vec![Reply::json(201, exists())]);
    let made = create(&server.client(), &order).await.unwrap();
    assert_eq!(made.sign_id, "s");
    assert_eq!(told(&made.conversions), [(0, true), (1, false)]);
    assert_eq!(made.conversions[1].errors[0].name(), "CORRUPT");

    for (status, strict, body) in [
        (201, true, exists()),
        (400, false, json!({"conversionResults": results})),
        (400, true, json!({"conversionResults": results})),
    ] {
        let server = creating(vec![Reply::json(status, body)]);
        order.strict = strict;
        let error = create(&server.client(), &order).await.unwrap_err();
        assert_eq!(error.code(), Code::ConversionCorrupt, "{error}");
        assert_eq!(error.code().spec().class, "ConversionError");
        assert_eq!(told(error.conversions()), [(0, true), (1, false)]);
        let made = error.order().map(|order| order.sign_id.as_str());
        assert_eq!(made, (status == 201).then_some("s"), "{error}");
        assert_eq!(error.message().contains("the order exists as s"), status == 201, "{error}");
    }
    // Under another status the same body is no word of the conversion.
    let server = creating(vec![Reply::json(422, json!({"conversionResults": results}))]);
    let error = create(&server.client(), &order).await.unwrap_err();
    assert_eq!(error.code(), Code::OrderRejected, "{error}");
    assert!(error.conversions().is_empty());
}

#[tokio::test]
async fn half_a_surrogate_in_a_description_does_not_hide_the_order() {
    let body = r#"{"conversionResults":[{"converted":true,"description":"\ud83d"}],"sign_id":"s"}"#;
    let server = creating(vec![Reply::json(201, body)]);
    let mut order = pades();
    order.documents[0].pdf_spec = Some("PDFA_2B".to_owned());
    let order = create(&server.client(), &order).await.unwrap();
    assert_eq!(order.sign_id, "s");
    assert_eq!(order.conversions[0].description.as_deref(), Some("\u{fffd}"));
}

#[tokio::test]
async fn a_refused_token_is_renewed_once() {
    let server =
        creating(vec![Reply::json(401, ""), Reply::json(201, json!({"sign_id": "second"}))]);
    let order = create(&server.client(), &pades()).await.unwrap();
    assert_eq!(order.sign_id, "second");
    let tokens: Vec<_> =
        server.seen("POST", PADES).iter().map(|s| s.headers["authorization"].clone()).collect();
    assert_eq!(tokens, ["Bearer token-1", "Bearer token-2"]);

    let server = creating(vec![Reply::json(403, "\"token invalid\"")]);
    let error = create(&server.client(), &pades()).await.unwrap_err();
    assert_eq!(error.code(), Code::AccessTokenRejected);
    assert_eq!(server.seen("POST", PADES).len(), 2);
}

#[tokio::test]
async fn an_order_that_may_exist_is_not_created_again() {
    let whole = || Reply::json(201, json!({"sign_id": "4120de56"}));
    let stall = Then::Stall(Duration::from_secs(60));
    for (reply, code) in [
        (Reply::nothing(Then::Close), Code::ConnectionLost),
        (Reply::nothing(Then::Reset), Code::ConnectionLost),
        (Reply::nothing(stall), Code::ReadTimeout),
        (Reply::json(500, ""), Code::ServiceFailed),
        (Reply::json(504, ""), Code::ServiceFailed),
        (whole().cut(0, Then::Close), Code::TruncatedAnswer),
        (whole().cut(5, Then::Close), Code::TruncatedAnswer),
        (whole().cut(5, Then::Reset), Code::TruncatedAnswer),
        (whole().cut(5, stall), Code::ReadTimeout),
        (Reply::until_close(b"{\"sign_id\":\"4120"), Code::TruncatedAnswer),
        (Reply::json(201, "{\"sign_id\":\"4120"), Code::TruncatedAnswer),
        (Reply::json(201, "{\"sign_id\":,}"), Code::MalformedAnswer),
        (Reply::json(201, json!({"signed": "x"})), Code::MissingField),
        (Reply::json(201, ""), Code::EmptyAnswer),
        (Reply::html(201), Code::HtmlAnswer),
    ] {
        let server = creating(vec![reply]);
        let client = server.client_with(&[("max_retries", "5")]);
        // With a token at hand, the short limit can meet nothing but the order.
        assert!(client.pades().state("other", &call()).await.is_err());
        let quiet = (code == Code::ReadTimeout).then_some(Duration::from_millis(300));
        let options = CallOptions { read_timeout: quiet, ..call() };
        let error = client.pades().create(&pades(), &options).await.unwrap_err();
        assert_eq!((error.code(), server.seen("POST", PADES).len()), (code, 1), "{error}");
        assert_eq!(error.details()["order_may_exist"], true, "{error}");
        assert!(!error.details().contains_key("sign_id"), "{error}");
        assert!(error.message().contains("may exist"), "{error}");
        assert!(!error.is_retryable(), "{error}");
        assert_eq!(error.advice(), Code::OutcomeUnknown.spec().advice);
    }
    // These say that there is none, and when to come back.
    for status in [429, 503] {
        let server = creating(vec![Reply::json(status, "")]);
        let client = server.client_with(&[("max_retries", "5")]);
        let error = create(&client, &pades()).await.unwrap_err();
        assert_eq!(server.seen("POST", PADES).len(), 1, "{error}");
        assert!(!error.details().contains_key("order_may_exist"), "{error}");
        assert!(error.is_retryable(), "{error}");
    }
}

#[tokio::test]
async fn a_call_that_ends_before_the_order_leaves_creates_none() {
    let server = Server::start(|seen| {
        seen.is("POST", TOKEN).then(|| Reply::nothing(Then::Stall(Duration::from_secs(3))))
    });
    let call = CallOptions { timeout: Some(Duration::from_millis(300)), ..call() };
    let error = server.client().pades().create(&pades(), &call).await.unwrap_err();
    assert_eq!(error.code(), Code::TotalTimeout);
    assert!(server.seen("POST", PADES).is_empty());
    assert!(!error.details().contains_key("order_may_exist"), "{error}");
}

#[tokio::test]
async fn a_renewal_that_fails_after_a_refusal_leaves_no_order() {
    let mut tokens = 0;
    let server = Server::start(move |seen| {
        if seen.is("POST", TOKEN) {
            tokens += 1;
            return (tokens > 1).then(|| Reply::json(500, ""));
        }
        seen.is("POST", PADES).then(|| Reply::json(401, ""))
    });
    let error = create(&server.client(), &pades()).await.unwrap_err();
    assert_eq!((error.http_status(), server.seen("POST", TOKEN).len()), (Some(500), 2));
    assert!(!error.details().contains_key("order_may_exist"), "{error}");
}

#[tokio::test]
async fn an_answer_cut_at_any_byte_is_truncated_and_says_which_order_exists() {
    let text = r#"{"sign_id":"4120de56","conversionResults":[{"converted":true}]}"#;
    let known = text.find(',').unwrap();
    let mut order = pades();
    order.documents[0].pdf_spec = Some("PDFA_2B".to_owned());
    for cut in 0..text.len() {
        let then = if cut % 2 == 0 { Then::Close } else { Then::Reset };
        let server = creating(vec![Reply::json(201, text).cut(cut, then)]);
        let error = create(&server.client(), &order).await.unwrap_err();
        assert_eq!(error.code(), Code::TruncatedAnswer, "cut at {cut}: {error}");
        assert_eq!((error.http_status(), &error.details()["offset"]), (Some(201), &json!(cut)));
        assert_eq!(error.details()["order_may_exist"], true, "cut at {cut}");
        let sign_id = error.details().get("sign_id").and_then(Value::as_str);
        assert_eq!(sign_id, (cut >= known).then_some("4120de56"), "cut at {cut}");
    }
    // Behind its last brace nothing is missing.
    for then in [Then::Close, Then::Reset] {
        let reply = Reply::json(201, format!("{text} ")).cut(text.len(), then);
        let order = create(&creating(vec![reply]).client(), &order).await.unwrap();
        assert_eq!(order.sign_id, "4120de56");
    }
}

#[tokio::test]
async fn an_order_that_was_not_sent_is_sent_again() {
    // A port that is taken, and that nobody listens on until the order has failed to leave.
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let orders = format!("http://{}", socket.local_addr().unwrap());
    let provider = created();
    let client = provider.client_with(&[("max_retries", "10"), ("orders_url", &orders)]);
    let options = call();
    let trace = options.trace.clone();
    let waiting = tokio::spawn(async move { client.pades().create(&pades(), &options).await });
    while !trace.take_events().iter().any(|event| event.message.contains(": again in")) {
        assert!(!waiting.is_finished(), "no connection is no final failure");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let (mut stream, _) = socket.listen(16).unwrap().accept().await.unwrap();
    let mut request = vec![0; 4096];
    assert!(stream.read(&mut request).await.unwrap() > 0);
    let reply = Reply::json(201, json!({"sign_id": "late"}));
    stream.write_all(&reply.bytes).await.unwrap();
    assert_eq!(waiting.await.unwrap().unwrap().sign_id, "late");
}

#[tokio::test]
async fn an_order_knows_how_long_it_lives() {
    let server = created();
    let client = server.client();
    let order = create(&client, &pades()).await.unwrap();
    // Wide enough for a machine that stands still for a while.
    let close = |left: Duration, seconds: u64| {
        left > Duration::from_secs(seconds - 25) && left <= Duration::from_secs(seconds)
    };
    assert!(close(order.expires_in(), 90), "{:?}", order.expires_in());
    client.clock().set_offset(60.0);
    assert!(close(order.expires_in(), 30), "{:?}", order.expires_in());
    client.clock().set_offset(91.0);
    assert_eq!(order.expires_in(), Duration::ZERO);
    client.clock().set_offset(0.0);

    let text = order.to_json().to_string();
    let saved: Value = serde_json::from_str(&text).unwrap();
    let again = Order::from_json(&saved, &client).unwrap();
    assert_eq!(again.to_json(), order.to_json());
    assert!(close(again.expires_in(), 90));
    assert!(!text.contains(&STANDARD.encode(PDF)), "no document in it");
    let wrong = Order::from_json(&json!({"sign_id": "s"}), &client).unwrap_err();
    assert_eq!(wrong.code(), Code::InvalidArgument);
}

#[tokio::test]
async fn an_order_is_saved_to_the_last_bit_of_its_time() {
    let server = created();
    let client = server.client();
    let mut saved = create(&client, &pades()).await.unwrap().to_json();
    for step in 0..2000 {
        saved["created_at"] = json!(1_795_000_000.0 + f64::from(step) * 0.001_234_567_8);
        let read: Value = serde_json::from_str(&saved.to_string()).unwrap();
        let again = Order::from_json(&read, &client).unwrap();
        assert_eq!(again.to_json(), saved);
    }
    for no_time in [json!(-1.0), json!(1e19), json!("now"), Value::Null] {
        saved["created_at"] = no_time;
        let error = Order::from_json(&saved, &client).unwrap_err();
        assert_eq!(error.details()["field"], "created_at");
    }
}

#[tokio::test]
async fn states_are_asked_for_by_sign_id() {
    let count = AtomicUsize::new(0);
    let server = Server::start(move |seen| {
        let shapes = [
            Reply::json(200, json!({"orderState": "GENERATING_MERCHANT_SEALS"})),
            Reply::json(200, "\"GENERATING_MERCHANT_SEALS\""),
            Reply::text(200, "GENERATING_MERCHANT_SEALS"),
        ];
        let at = || count.fetch_add(1, Ordering::SeqCst) % shapes.len();
        (seen.method == "GET" && seen.target.contains("sign_id=")).then(|| shapes[at()].clone())
    });
    let client = server.client();
    for _ in 0..3 {
        let state = client.pades().state("a&b 1", &call()).await.unwrap();
        assert_eq!(state, signdoc::spec::PadesState::GeneratingMerchantSeals);
    }
    let seen = server.seen("GET", PADES);
    assert_eq!(seen[0].query()["sign_id"], "a&b 1");
    // The other kind does not have this state: it survives as a text.
    let state = client.sdo().state("s", &call()).await.unwrap();
    assert!(!state.is_known() && !state.is_final());
    assert_eq!(server.seen("GET", SDO).len(), 1);

    let error = client.pades().state(" ", &call()).await.unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument);
}

#[tokio::test]
async fn an_unknown_order_is_not_found_and_an_old_one_has_expired() {
    let server = created();
    let client = server.client();
    let error = client.pades().state("unknown", &call()).await.unwrap_err();
    assert_eq!((error.code(), error.http_status()), (Code::OrderNotFound, Some(404)));
    assert_eq!(error.details()["sign_id"], "unknown");

    let order = create(&client, &pades()).await.unwrap();
    let error = client.pades().state(&order, &call()).await.unwrap_err();
    assert_eq!(error.code(), Code::OrderNotFound, "its window is open");
    client.clock().set_offset(95.0);
    let error = client.pades().state(&order, &call()).await.unwrap_err();
    assert_eq!(error.code(), Code::WindowExpired);
    // An order is asked about where it belongs.
    let error = client.sdo().state(&order, &call()).await.unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument);
}

#[tokio::test]
async fn documents_and_texts_are_in_no_debug_output_or_error() {
    let canary = "canary-4711";
    let document = SdoDocument::from_text(format!("{canary} €"));
    let order = SdoOrder::new("o", vec![document.clone()]);
    let options = call();
    let made = created().client().sdo().create(&order, &options).await.unwrap();
    let events = options.trace.take_events();
    assert!(events.iter().any(|event| event.message.contains("U+20AC")), "{events:?}");
    let empty = SdoOrder::new("", vec![document]);
    let error = created().client().sdo().create(&empty, &call()).await.unwrap_err();
    let shown = format!("{order:?} {made:?} {events:?} {error:?} {error} {}", error.to_json());
    assert!(!shown.contains(canary), "{shown}");
    assert_eq!(DigestCheck::Matches.as_str(), "matches");
}
