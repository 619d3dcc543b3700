//! The download: refused too early, sent once, and what it brings.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

#[path = "common/download.rs"]
mod download;
#[path = "common/server.rs"]
mod server;

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use download::{Script, answer, body, documents, listed, of_sizes, sha256};
use serde_json::json;
use server::{PADES, Reply, SDO, Server, Then};
use signdoc::order::DigestCheck;
use signdoc::{
    CallOptions, Code, Destination, Document, DownloadOptions, PadesDocument, PadesOrder,
    SdoDocument, SdoOrder,
};

fn into(folder: &Path) -> DownloadOptions {
    DownloadOptions { to: Destination::folder(folder), ..Default::default() }
}

#[tokio::test]
async fn a_completed_order_becomes_files_and_leaves_nothing_else() {
    use std::os::unix::fs::PermissionsExt;
    let documents = of_sizes(&[300_000, 5, 1000]);
    let server = Script::completed(answer(&documents)).start();
    let out = tempfile::tempdir().unwrap();
    let client = server.client();
    let got = client.pades().download("4120de56", &into(out.path())).await.unwrap();
    assert_eq!(got.order_name.as_deref(), Some("Loan"));
    assert!(got.order_state.unwrap().is_completed());
    assert_eq!(listed(out.path()), ["4120de56-1.pdf", "4120de56-2.pdf", "4120de56-3.pdf"]);
    for (document, one) in documents.iter().zip(&got.documents) {
        let path = one.path.as_ref().unwrap();
        assert_eq!(&std::fs::read(path).unwrap(), document);
        assert_eq!(std::fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(one.signed_check, DigestCheck::Matches);
        assert_eq!(one.signed_sha256.as_deref(), Some(sha256(document).as_str()));
        assert!(one.data.is_none());
    }
    assert_eq!(server.seen("DELETE", PADES)[0].query()["sign_id"], "4120de56");

    let error = client.pades().download("4120de56", &into(out.path())).await.unwrap_err();
    assert_eq!(error.code(), Code::DestinationExists);
    assert_eq!(server.seen("DELETE", PADES).len(), 1, "refused before anything was sent");
}

#[tokio::test]
async fn memory_and_appendices_are_served_too() {
    let text = json!({"signId": "s", "orderState": "SIGN_COMPLETED", "signingResults": [
        {"padesSignedPdf": STANDARD.encode("%PDF-1.4 x"), "padesAppendix": STANDARD.encode("app"),
         "description": "d"}]});
    let server = Script::completed(text.to_string()).start();
    let client = server.client();
    let got = client.pades().download("s", &DownloadOptions::default()).await.unwrap();
    assert_eq!(got.documents[0].data.as_deref(), Some(&b"%PDF-1.4 x"[..]));
    assert_eq!(got.documents[0].appendix.as_deref(), Some(&b"app"[..]));
    assert_eq!(got.documents[0].description.as_deref(), Some("d"));

    let server = Script::completed(text.to_string()).start();
    let out = tempfile::tempdir().unwrap();
    let got = server.client().pades().download("s", &into(out.path())).await.unwrap();
    assert_eq!(listed(out.path()), ["s-1.appendix", "s-1.pdf"]);
    assert_eq!(std::fs::read(got.documents[0].appendix_path.as_ref().unwrap()).unwrap(), b"app");
}

#[tokio::test]
async fn an_sdo_order_brings_objects_signatures_and_hashes() {
    let text = json!({
        "documentHashes": [sha256(b"bl\xe5"), sha256(b"other")],
        "sdos": [STANDARD.encode("<SDOList/>"), STANDARD.encode("<SDOList>2</SDOList>")],
        "merchantSignatures": [STANDARD.encode("m1"), STANDARD.encode("m2")],
        "endUserSignatures": [STANDARD.encode("e1"), STANDARD.encode("e2")],
        "signId": "910b", "clientId": "shop", "orderState": "SIGN_COMPLETED", "orderName": "o",
    });
    let server = Script::completed(text.to_string()).start();
    let client = server.client();
    let order =
        SdoOrder::new("o", vec![SdoDocument::from_text("blå"), SdoDocument::from_xml("x", "y")]);
    let order = client.sdo().create(&order, &CallOptions::default()).await.unwrap();
    let out = tempfile::tempdir().unwrap();
    let got = client.sdo().download(&order, &into(out.path())).await.unwrap();
    assert_eq!(got.client_id.as_deref(), Some("shop"));
    assert_eq!(got.documents[0].hash_check, DigestCheck::Matches, "the Latin-1 bytes");
    assert!(matches!(got.documents[1].hash_check, DigestCheck::NotCompared(_)));
    assert_eq!(
        listed(out.path()),
        [
            "910b-1.enduser.p7s",
            "910b-1.merchant.p7s",
            "910b-1.sdo",
            "910b-2.enduser.p7s",
            "910b-2.merchant.p7s",
            "910b-2.sdo"
        ]
    );
    let read = |path: &Option<std::path::PathBuf>| std::fs::read(path.as_ref().unwrap()).unwrap();
    assert_eq!(read(&got.documents[1].path), b"<SDOList>2</SDOList>");
    assert_eq!(read(&got.documents[1].merchant_signature_path), b"m2");
    assert_eq!(read(&got.documents[1].end_user_signature_path), b"e2");
    assert_eq!(server.seen("DELETE", SDO).len(), 1);

    let server = Script::completed(text.to_string()).start();
    let got = server.client().sdo().download("910b", &DownloadOptions::default()).await.unwrap();
    assert_eq!(got.documents[0].end_user_signature.as_deref(), Some(&b"e1"[..]));
}

#[tokio::test]
async fn an_order_that_is_not_done_is_not_touched() {
    for (state, code, forced) in [
        ("USER_SIGNING", Code::OrderNotReady, None),
        ("SOMETHING_NEW", Code::OrderNotReady, None),
        ("FAILED", Code::OrderFailed, Some(Code::OrderFailed)),
        ("CANCELLED", Code::OrderCancelled, Some(Code::OrderCancelled)),
    ] {
        let nothing = answer(&[]).replace("SIGN_COMPLETED", state);
        let server = Script { state: state.to_owned(), ..Script::completed(nothing) }.start();
        let out = tempfile::tempdir().unwrap();
        let client = server.client();
        let error = client.pades().download("4120de56", &into(out.path())).await.unwrap_err();
        assert_eq!((error.code(), &error.details()["order_state"]), (code, &json!(state)));
        assert!(listed(out.path()).is_empty());
        assert!(server.seen("DELETE", PADES).is_empty());
        let options = DownloadOptions { force: true, ..into(out.path()) };
        let error = client.pades().download("4120de56", &options).await.unwrap_err();
        // What is forced is done, and the service hands out nothing.
        assert_eq!(error.code(), forced.unwrap_or(Code::OrderDeleted));
        assert_eq!(server.seen("DELETE", PADES).len(), usize::from(forced.is_none()));
        assert!(listed(out.path()).is_empty());
    }
}

#[tokio::test]
async fn an_order_is_discarded_in_any_state() {
    for state in ["ORDER_RECEIVED", "FAILED", "SIGN_COMPLETED"] {
        let server = Script { state: state.to_owned(), ..Script::completed(answer(&[])) }.start();
        server.client().pades().discard("s", &CallOptions::default()).await.unwrap();
        assert_eq!(server.seen("DELETE", PADES).len(), 1);
        let again = server.client().pades().discard("s", &CallOptions::default()).await;
        assert_eq!(again.unwrap_err().code(), Code::OrderNotFound);
    }
    // A lost answer, but the order is gone: that was the wish.
    let server = Script::completed(answer(&[])).replying(Reply::nothing(Then::Close)).start();
    server.client().pades().discard("s", &CallOptions::default()).await.unwrap();
    let mut script = Script::completed(answer(&[])).replying(Reply::nothing(Then::Close));
    script.deletes = false;
    let error = script.start().client().pades().discard("s", &CallOptions::default()).await;
    assert_eq!(error.unwrap_err().code(), Code::OutcomeUnknown);
}

#[tokio::test]
async fn the_journal_lies_on_the_disk_before_the_delete_leaves() {
    let out = tempfile::tempdir().unwrap();
    let found = Arc::new(Mutex::new(Vec::new()));
    let (folder, seen_then) = (out.path().to_owned(), found.clone());
    let mut script = Script::completed(answer(&of_sizes(&[10])));
    script.on_delete = Some(Box::new(move || {
        for name in listed(&folder) {
            let text = std::fs::read_to_string(folder.join(&name)).unwrap();
            seen_then.lock().unwrap().push((name, text));
        }
    }));
    let server = script.start();
    server.client().pades().download("4120de56", &into(out.path())).await.unwrap();
    let found = found.lock().unwrap();
    let names: Vec<_> = found.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, [".signdoc-4120de56-1.answer.part", ".signdoc-4120de56-1.journal"]);
    let lines: Vec<serde_json::Value> =
        found[1].1.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[0]["signdoc_journal"], 2);
    assert_eq!(lines[0]["sign_id"], "4120de56");
    assert_eq!(lines[1]["event"], "sent");
}

#[tokio::test]
async fn the_delete_leaves_once_on_a_connection_of_its_own() {
    // The connection is warm from asking for the state. The DELETE does not use it, so that a
    // dead one cannot make the HTTP library send it again.
    for reply in [
        Reply::nothing(Then::Close),
        Reply::nothing(Then::Reset),
        Reply::json(500, ""),
        Reply::json(503, ""),
        Reply::json(429, ""),
    ] {
        let server = Script::completed(answer(&[])).replying(reply).start();
        let client = server.client_with(&[("max_retries", "5")]);
        for _ in 0..3 {
            client.pades().state("s", &CallOptions::default()).await.unwrap();
        }
        let warm: Vec<_> = server.seen("GET", PADES).iter().map(|seen| seen.connection).collect();
        assert!(warm.windows(2).all(|pair| pair[0] == pair[1]), "kept alive: {warm:?}");
        let out = tempfile::tempdir().unwrap();
        let error = client.pades().download("s", &into(out.path())).await.unwrap_err();
        let deletes = server.seen("DELETE", PADES);
        assert_eq!(deletes.len(), 1, "{error}");
        assert!(!warm.contains(&deletes[0].connection));
    }
}

#[tokio::test]
async fn a_refused_token_may_be_followed_by_another_delete() {
    let documents = of_sizes(&[100]);
    let mut script = Script::completed(answer(&documents));
    script.refusals = 1;
    let server = script.start();
    let out = tempfile::tempdir().unwrap();
    server.client().pades().download("4120de56", &into(out.path())).await.unwrap();
    let tokens: Vec<_> =
        server.seen("DELETE", PADES).iter().map(|s| s.headers["authorization"].clone()).collect();
    assert_eq!(tokens, ["Bearer token-1", "Bearer token-2"]);

    let mut script = Script::completed(answer(&documents));
    script.refusals = 9;
    let server = script.start();
    let error = server.client().pades().download("t", &into(out.path())).await.unwrap_err();
    assert_eq!(error.code(), Code::AccessTokenRejected);
    assert_eq!(server.seen("DELETE", PADES).len(), 2);
    assert_eq!(
        listed(out.path()),
        ["4120de56-1.pdf"],
        "nothing was deleted, so no journal is left"
    );
}

#[tokio::test]
async fn without_a_connection_nothing_was_sent() {
    let orders = Arc::new(Script::completed(answer(&[])).start());
    let url = orders.url();
    let stopping = orders.clone();
    // The token for the DELETE is asked for after the state: that is when the service goes away.
    let mut tokens = 0;
    let provider = Server::start(move |seen| {
        if seen.is("POST", server::TOKEN) {
            tokens += 1;
            if tokens == 2 {
                stopping.stop();
                std::thread::sleep(Duration::from_millis(50));
            }
            let token = json!({"access_token": format!("t{tokens}"), "expires_in": 0});
            return Some(Reply::json(200, token));
        }
        None
    });
    let client = provider.client_with(&[("orders_url", &url)]);
    let out = tempfile::tempdir().unwrap();
    let error = client.pades().download("s", &into(out.path())).await.unwrap_err();
    assert_eq!(error.code(), Code::ConnectFailed, "{error}");
    assert!(error.is_retryable());
    assert!(listed(out.path()).is_empty(), "{:?}", listed(out.path()));
    assert!(orders.seen("DELETE", PADES).is_empty());
}

#[tokio::test]
async fn both_digests_are_compared() {
    let signed = b"%PDF-1.4 signed".to_vec();
    let text = |signed_digest: &str, unsigned: &str| {
        json!({"orderState": "SIGN_COMPLETED", "signingResults": [{
            "padesSignedPdf": STANDARD.encode(&signed),
            "signedDocumentSha256": signed_digest, "unsignedDocumentSha256": unsigned}]})
        .to_string()
    };
    let original = b"%PDF-1.4 original";
    let hex = ring::digest::digest(&ring::digest::SHA256, original);
    let hex: String = hex.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
    let other = sha256(b"something else");
    let originals = || vec![Document::from_bytes(&original[..]).name("loan")];
    let options = || DownloadOptions { originals: originals(), ..DownloadOptions::default() };

    let server = Script::completed(text(&sha256(&signed), &hex)).start();
    let got = server.client().pades().download("s", &options()).await.unwrap();
    assert_eq!(got.documents[0].unsigned_check, DigestCheck::Matches);
    assert_eq!(got.documents[0].unsigned_sha256, Some(sha256(original)), "one form for both");

    for (text, field) in [
        (text(&other, &hex), "signedDocumentSha256"),
        (text(&sha256(&signed), &other), "unsignedDocumentSha256"),
    ] {
        let server = Script::completed(text).start();
        let out = tempfile::tempdir().unwrap();
        let options = DownloadOptions { to: Destination::folder(out.path()), ..options() };
        let error = server.client().pades().download("s", &options).await.unwrap_err();
        assert_eq!(
            (error.code(), &error.details()["field"]),
            (Code::DigestMismatch, &json!(field))
        );
        assert_eq!(error.details()["stated"], other);
        assert_eq!(listed(out.path()).last().unwrap(), "loan.pdf", "kept all the same");
        assert_eq!(listed(out.path()).len(), 3, "and the raw answer with it");
        assert_eq!(error.download().unwrap().document_count(), 1);
        let found = signdoc::recover(out.path()).unwrap();
        assert_eq!(
            found[0].outcome,
            signdoc::RecoveryOutcome::Partial,
            "nor does a recovery drop it"
        );
    }
    let server = Script::completed(text("?", &hex)).start();
    let error =
        server.client().pades().download("s", &DownloadOptions::default()).await.unwrap_err();
    assert_eq!(error.code(), Code::DownloadIncomplete, "{error}");
    let signdoc::Download::Pades(got) = error.download().unwrap() else { panic!("PAdES") };
    assert!(matches!(got.documents[0].signed_check, DigestCheck::NotCompared(_)));
    assert!(matches!(got.documents[0].unsigned_check, DigestCheck::NotCompared(_)));
    assert_eq!(error.raw_answer().unwrap(), text("?", &hex).as_bytes());
}

#[tokio::test]
async fn an_order_remembers_the_digests_and_names_of_what_was_sent() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("loan.pdf");
    std::fs::write(&path, b"%PDF-1.4 original").unwrap();
    let order = PadesOrder::new("Loan", vec![PadesDocument::new(Document::from_path(&path))]);
    for (stated, expected) in
        [(sha256(b"%PDF-1.4 original"), None), (sha256(b"x"), Some(Code::DigestMismatch))]
    {
        let text = json!({"signingResults": [{"padesSignedPdf": STANDARD.encode("%PDF-1.4 s"),
            "unsignedDocumentSha256": stated}]});
        let server = Script::completed(text.to_string()).start();
        let client = server.client();
        let order = client.pades().create(&order, &CallOptions::default()).await.unwrap();
        let out = tempfile::tempdir().unwrap();
        let got = client.pades().download(&order, &into(out.path())).await;
        assert_eq!(got.err().map(|error| error.code()), expected);
        let kept = if expected.is_some() { 3 } else { 1 };
        assert_eq!(listed(out.path()).len(), kept, "what is in doubt is kept as it came");
        assert_eq!(listed(out.path()).last().unwrap(), "loan.pdf");
        let again = client.pades().download(&order, &DownloadOptions::default()).await;
        assert_eq!(again.unwrap_err().code(), Code::OrderNotFound, "it was downloaded once");
    }
}

#[tokio::test]
async fn answers_that_do_not_fit_the_order_are_kept_and_told() {
    let two = of_sizes(&[10, 20]);
    let originals = vec![Document::from_bytes(&b"%PDF-1.4"[..])];
    let other = body(&two, "another");
    for (text, code) in [(answer(&two), Code::ResultCount), (other, Code::MalformedAnswer)] {
        let server = Script::completed(text).start();
        let out = tempfile::tempdir().unwrap();
        let options = DownloadOptions { originals: originals.clone(), ..into(out.path()) };
        let error = server.client().pades().download("4120de56", &options).await.unwrap_err();
        assert_eq!(error.code(), code, "{error}");
        assert_eq!(listed(out.path()).len(), 4, "two documents, the raw answer and its journal");
        assert_eq!(documents(&error), two);
    }
    let deleted = json!({"signId": "4120de56", "orderState": "FAILED", "signingResults": []});
    let server = Script::completed(deleted.to_string()).start();
    let out = tempfile::tempdir().unwrap();
    let error = server.client().pades().download("4120de56", &into(out.path())).await.unwrap_err();
    assert_eq!(error.code(), Code::OrderDeleted);
    assert!(listed(out.path()).is_empty());
}

#[tokio::test]
async fn serial_signing_sends_the_signed_documents_on() {
    let documents = of_sizes(&[2000, 30]);
    let server = Script::completed(answer(&documents)).start();
    let client = server.client();
    let out = tempfile::tempdir().unwrap();
    let first = client.pades().download("4120de56", &into(out.path())).await.unwrap();
    let second = PadesOrder::following("Second signer", &first).unwrap();
    let order = client.pades().create(&second, &CallOptions::default()).await.unwrap();
    assert!(order.expires_in() > Duration::from_secs(85), "a window of its own");
    let sent = server.seen("POST", PADES)[0].json();
    for (at, document) in documents.iter().enumerate() {
        assert_eq!(sent["documents"][at]["pdf"], STANDARD.encode(document));
        assert_eq!(sent["documents"][at]["description"], format!("Loan - {}", at + 1));
    }
    let hash_only = json!({"signingResults": [{"padesAppendix": STANDARD.encode("a")}]});
    let server = Script::completed(hash_only.to_string()).start();
    let first = server.client().pades().download("s", &DownloadOptions::default()).await.unwrap();
    let error = PadesOrder::following("Second", &first).unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument);
}
