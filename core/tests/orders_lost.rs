//! When the answer to the DELETE is lost, broken or unreadable: nothing that arrived is lost, and
//! the error tells what is known.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

#[path = "common/download.rs"]
mod download;
#[path = "common/server.rs"]
mod server;

use std::path::Path;
use std::time::Duration;

use download::{Script, answer, body, contents, documents, listed, of_sizes};
use serde_json::json;
use server::{PADES, Reply, Then};
use signdoc::{CallOptions, Code, Destination, DownloadOptions, Error, RecoveryOutcome, recover};

const ORDER: &str = "4120de56";
/// Longer than any limit of these tests, and those are long enough for a busy machine.
const SILENCE: Duration = Duration::from_secs(60);

fn into(folder: &Path) -> DownloadOptions {
    DownloadOptions { to: Destination::folder(folder), ..Default::default() }
}

/// Downloads what `script` answers, which must fail.
async fn failing(script: Script, options: &DownloadOptions) -> Error {
    let server = script.start();
    let client = server.client_with(&[("reception_timeout", "3")]);
    let error = client.pades().download(ORDER, options).await.unwrap_err();
    assert_eq!(server.seen("DELETE", PADES).len(), 1, "{error}");
    error
}

/// A service that sends so many bytes of its answer, and the rest when it is told to.
fn held_back(text: &str, first: usize) -> (server::Server, std::sync::mpsc::Sender<()>) {
    let (release, released) = std::sync::mpsc::channel();
    let reply = Reply::json(200, text).cut(first, Then::KeepOpen);
    let rest = text.as_bytes()[first..].to_vec();
    let released = std::sync::Arc::new(std::sync::Mutex::new(released));
    let then = move || {
        released.lock().unwrap().recv().unwrap();
        rest.clone()
    };
    let server = Script::completed(String::new()).replying(reply.then(then)).start();
    (server, release)
}

/// How many documents stand whole, closing quote and all, in the first `cut` bytes of an answer.
fn whole(text: &str, cut: usize) -> usize {
    text.match_indices("\",\"description\"").filter(|(at, _)| cut > *at).count()
}

#[tokio::test]
async fn an_answer_cut_at_any_byte_loses_no_document_that_was_whole() {
    let sent = of_sizes(&[40, 7, 60]);
    let text = answer(&sent);
    for cut in (0..text.len()).step_by(5) {
        let then = if cut % 2 == 0 { Then::Close } else { Then::Reset };
        let reply = Reply::json(200, &text).cut(cut, then);
        let out = tempfile::tempdir().unwrap();
        let error =
            failing(Script::completed(text.clone()).replying(reply), &into(out.path())).await;
        assert_eq!(error.code(), Code::OutcomeUnknown, "cut at {cut}: {error}");
        assert_eq!(error.code().spec().class, "OutcomeUnknown");
        let details = error.details();
        assert_eq!(details["order_state"], "gone", "cut at {cut}");
        assert_eq!(details["ask_again"], false);
        assert!(details["window_seconds"].as_f64().is_some_and(|s| s > 80.0 && s <= 90.0));
        assert_eq!(details["bytes_arrived"], cut);
        let expected = &sent[..whole(&text, cut)];
        assert_eq!(documents(&error), expected, "cut at {cut}");
        let hidden = listed(out.path()).iter().filter(|name| name.starts_with(".signdoc-")).count();
        assert_eq!(hidden, 2, "journal and raw answer are kept");

        let found = recover(out.path()).unwrap();
        let outcome =
            if cut == 0 { RecoveryOutcome::NothingArrived } else { RecoveryOutcome::Partial };
        assert_eq!((found.len(), found[0].outcome), (1, outcome), "cut at {cut}");
        let again = found[0].download.as_ref().map(contents).unwrap_or_default();
        assert_eq!(again, expected, "cut at {cut}");
        assert_eq!(listed(out.path()).len(), hidden + expected.len(), "no second copies");
    }
}

#[tokio::test]
async fn only_documents_that_arrived_whole_are_counted() {
    let sent = of_sizes(&[40, 60]);
    let text = answer(&sent);
    let at = |what: &str, nth: usize| {
        let (found, _) = text.match_indices(what).nth(nth).unwrap();
        found + what.len()
    };
    let pdf = "padesSignedPdf\":\"";
    let whole = "\",\"description\"";
    // Where the answer is cut, how many documents arrived whole, and how many in part.
    for (cut, arrived, begun) in [
        (0, 0, 0),
        (at("\"signingResults\":[", 0), 0, 0),
        (at("{\"signedDocumentSha256\"", 0), 0, 1),
        (at(pdf, 0), 0, 1),
        (at(pdf, 0) + 20, 0, 1),
        (at(whole, 0) - whole.len(), 0, 1),
        (at(whole, 0), 1, 0),
        (at("},", 0), 1, 0),
        (at(pdf, 1), 1, 1),
        (at(pdf, 1) + 20, 1, 1),
        (at(whole, 1), 2, 0),
        (text.len() - 1, 2, 0),
    ] {
        for folder in [true, false] {
            let out = tempfile::tempdir().unwrap();
            let options = if folder { into(out.path()) } else { DownloadOptions::default() };
            let reply = Reply::json(200, &text).cut(cut, Then::Close);
            let error = failing(Script::completed(text.clone()).replying(reply), &options).await;
            let details = error.details();
            assert_eq!(details["documents_arrived"], arrived, "cut at {cut}");
            assert_eq!(details["documents_in_part"], begun, "cut at {cut}");
            assert_eq!(documents(&error).len(), arrived, "cut at {cut}");
            let told = error.message().contains("no document arrived whole");
            assert_eq!(told, arrived == 0, "cut at {cut}: {error}");
        }
    }
}

#[tokio::test]
async fn a_signature_without_its_signed_data_object_is_no_document() {
    let text = r#"{"merchantSignatures":["AAAA","BBBB"],"endUserSignatures":["AAAA","BBBB"],"sdos":["AAAA","BBBB"],"orderState":"SIGN_COMPLETED"}"#;
    let sdos = text.find("\"sdos\"").unwrap();
    for (cut, arrived, begun) in
        [(sdos, 0, 2), (sdos + 10, 0, 2), (sdos + 15, 1, 1), (text.len() - 1, 2, 0)]
    {
        let reply = Reply::json(200, text).cut(cut, Then::Close);
        let server = Script::completed(text.to_owned()).replying(reply).start();
        let sdo = server.client().sdo();
        let error = sdo.download(ORDER, &DownloadOptions::default()).await.unwrap_err();
        assert_eq!(error.code(), Code::OutcomeUnknown, "{error}");
        assert_eq!(error.details()["documents_arrived"], arrived, "cut at {cut}");
        assert_eq!(error.details()["documents_in_part"], begun, "cut at {cut}");
        assert!(error.download().is_some(), "the signatures are there all the same");
    }
}

#[tokio::test]
async fn an_appendix_is_whole_when_its_result_is() {
    let text = r#"{"signingResults":[{"padesAppendix":"AAAA"},{"padesAppendix":"BBBB"}]}"#;
    let first = text.find("}").unwrap();
    for (cut, arrived, begun) in [(first, 0, 1), (first + 1, 1, 0), (text.len() - 1, 2, 0)] {
        let reply = Reply::json(200, text).cut(cut, Then::Close);
        let script = Script::completed(text.to_owned()).replying(reply);
        let error = failing(script, &DownloadOptions::default()).await;
        assert_eq!(error.details()["documents_arrived"], arrived, "cut at {cut}");
        assert_eq!(error.details()["documents_in_part"], begun, "cut at {cut}");
    }
}

#[tokio::test]
async fn a_whole_answer_with_a_broken_end_is_whole() {
    let sent = of_sizes(&[400, 70]);
    // One byte of white space is missing.
    let reply =
        |then| Reply::json(200, format!("{} ", answer(&sent))).cut(answer(&sent).len(), then);
    for then in [Then::Close, Then::Reset, Then::Stall(SILENCE)] {
        let server = Script::completed(String::new()).replying(reply(then)).start();
        let client = server.client_with(&[("reception_timeout", "3")]);
        let out = tempfile::tempdir().unwrap();
        client.pades().download(ORDER, &into(out.path())).await.unwrap();
        assert_eq!(listed(out.path()), ["4120de56-1.pdf", "4120de56-2.pdf"]);
    }
}

#[tokio::test]
async fn an_answer_without_a_length_is_cut_like_any_other() {
    let sent = of_sizes(&[40, 40]);
    let text = answer(&sent);
    let cut = text.rfind("\",\"description\"").unwrap();
    let reply = Reply::until_close(&text.as_bytes()[..cut]);
    let out = tempfile::tempdir().unwrap();
    let error = failing(Script::completed(String::new()).replying(reply), &into(out.path())).await;
    assert_eq!(error.code(), Code::OutcomeUnknown);
    assert_eq!(error.details()["cause"]["name"], "truncated_answer");
    assert_eq!(documents(&error), &sent[..1]);
}

#[tokio::test]
async fn memory_gets_what_arrived_with_the_error() {
    let sent = of_sizes(&[400, 70]);
    let text = answer(&sent);
    let cut = text.rfind("\",\"description\"").unwrap();
    let reply = Reply::json(200, &text).cut(cut, Then::Close);
    let script = Script::completed(String::new()).replying(reply);
    let error = failing(script, &DownloadOptions::default()).await;
    assert_eq!(documents(&error), &sent[..1]);
    assert!(!error.details().contains_key("journal"));
    assert_eq!(error.to_json()["download"]["documents"][0]["size"], 400);
}

#[tokio::test]
async fn silence_after_the_delete_is_an_unknown_outcome() {
    for reply in [
        Reply::nothing(Then::Stall(SILENCE)),
        Reply::json(200, answer(&[])).cut(10, Then::Stall(SILENCE)),
    ] {
        let out = tempfile::tempdir().unwrap();
        let error =
            failing(Script::completed(String::new()).replying(reply), &into(out.path())).await;
        assert_eq!(error.code(), Code::OutcomeUnknown);
        assert_eq!(error.details()["cause"]["name"], "read_timeout");
        assert_eq!(error.details()["order_state"], "gone");
    }
}

#[tokio::test]
async fn the_calls_deadline_ends_the_waiting_and_not_the_reception() {
    let sent = of_sizes(&[400, 70]);
    let text = answer(&sent);
    for to_folder in [true, false] {
        // The rest of the answer comes when the caller has gone.
        let (server, release) = held_back(&text, text.len() / 2);
        let out = tempfile::tempdir().unwrap();
        let fallback = tempfile::tempdir().unwrap();
        let client = server.client_with(&[("fallback_folder", fallback.path().to_str().unwrap())]);
        let call = CallOptions { timeout: Some(Duration::from_secs(2)), ..Default::default() };
        let watch = call.reception.clone();
        let to = if to_folder { into(out.path()) } else { DownloadOptions::default() };
        let options = DownloadOptions { call, ..to };
        let error = client.pades().download(ORDER, &options).await.unwrap_err();
        assert_eq!(error.code(), Code::ReceptionContinues, "{error}");
        assert!(!error.is_retryable());
        let folder = error.details()["reception"]["folder"].as_str().unwrap().to_owned();
        assert!(error.message().contains(&folder), "{error}");
        assert_eq!(watch.under_way().unwrap().folder, Path::new(&folder));
        release.send(()).unwrap();
        while watch.under_way().is_some() || signdoc::order::receptions() > 0 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        if to_folder {
            assert_eq!(listed(out.path()), ["4120de56-1.pdf", "4120de56-2.pdf"]);
            assert!(listed(fallback.path()).is_empty());
            continue;
        }
        let found = recover(&folder).unwrap();
        assert_eq!((found.len(), found[0].outcome), (1, RecoveryOutcome::Complete));
        assert_eq!(contents(found[0].download.as_ref().unwrap()), sent);
    }
}

#[tokio::test]
async fn a_failure_of_the_service_tells_whether_the_order_is_still_there() {
    for status in [500, 502, 503, 504] {
        for (deletes, state, again) in [(true, "gone", false), (false, "SIGN_COMPLETED", true)] {
            let out = tempfile::tempdir().unwrap();
            let script = Script { deletes, ..Script::completed(String::new()) };
            let reply = Reply::json(status, json!({"error": "oops"}));
            let error = failing(script.replying(reply), &into(out.path())).await;
            assert_eq!((error.name(), error.is_retryable()), ("outcome_unknown", false));
            assert_eq!(error.details()["cause"]["name"], "oops");
            assert_eq!((error.code(), error.http_status()), (Code::OutcomeUnknown, Some(status)));
            assert_eq!(error.details()["order_state"], state);
            assert_eq!(error.details()["ask_again"], again);
            let left = listed(out.path()).len();
            assert_eq!(left, if deletes { 2 } else { 0 }, "nothing lost, nothing left");
        }
    }
}

#[tokio::test]
async fn asking_again_after_a_lost_answer_works_where_the_order_is_still_there() {
    let sent = of_sizes(&[100]);
    let mut lost = true;
    let text = answer(&sent);
    let server = server::Server::start(move |seen| {
        if !seen.target.starts_with(PADES) {
            return None;
        }
        match seen.method.as_str() {
            "GET" => Some(Reply::json(200, json!({"orderState": "SIGN_COMPLETED"}))),
            _ if std::mem::take(&mut lost) => Some(Reply::nothing(Then::Close)),
            _ => Some(Reply::json(200, &text)),
        }
    });
    let out = tempfile::tempdir().unwrap();
    let client = server.client();
    let error = client.pades().download(ORDER, &into(out.path())).await.unwrap_err();
    assert_eq!(error.details()["ask_again"], true);
    client.pades().download(ORDER, &into(out.path())).await.unwrap();
    assert_eq!(listed(out.path()), ["4120de56-1.pdf"]);
}

#[tokio::test]
async fn a_state_that_nobody_tells_is_unknown() {
    let mut deleted = false;
    let server = server::Server::start(move |seen| {
        if !seen.target.starts_with(PADES) {
            return None;
        }
        if seen.method == "DELETE" {
            deleted = true;
            return Some(Reply::nothing(Then::Close));
        }
        let state = Reply::json(200, json!({"orderState": "SIGN_COMPLETED"}));
        Some(if deleted { Reply::nothing(Then::Close) } else { state })
    });
    let out = tempfile::tempdir().unwrap();
    let error = server.client().pades().download(ORDER, &into(out.path())).await.unwrap_err();
    assert_eq!(error.code(), Code::OutcomeUnknown);
    assert_eq!(error.details()["order_state"], json!(null));
    assert_eq!(error.details()["ask_again"], true, "asking costs nothing while the window is open");
}

#[tokio::test]
async fn unreadable_answers_keep_their_own_name_and_everything_readable() {
    let sent = of_sizes(&[40, 70, 50]);
    let text = answer(&sent);
    let second = text.match_indices("padesSignedPdf\":\"").nth(1).unwrap().0 + 30;
    let mut bad = text.clone();
    bad.replace_range(second..=second, "!");
    let cases = [
        (Reply::json(200, bad), Code::InvalidBase64, vec![sent[0].clone(), sent[2].clone()]),
        (Reply::json(200, format!("{text}}}")), Code::MalformedAnswer, sent.clone()),
        (Reply::html(200), Code::HtmlAnswer, vec![]),
        (Reply::json(200, ""), Code::EmptyAnswer, vec![]),
        (Reply::json(204, ""), Code::EmptyAnswer, vec![]),
        (Reply::json(200, "[]"), Code::MalformedAnswer, vec![]),
    ];
    for (reply, code, kept) in cases {
        let out = tempfile::tempdir().unwrap();
        let script = Script::completed(String::new()).replying(reply);
        let error = failing(script, &into(out.path())).await;
        assert_eq!(error.code(), code, "{error}");
        assert_eq!(documents(&error), kept, "{error}");
        assert_eq!(error.details()["order_state"], "gone");
        let raw = error.details()["raw_answer"].as_str().unwrap();
        assert!(Path::new(raw).exists(), "the raw answer is there for support");
    }
}

#[tokio::test]
async fn too_much_for_memory_is_no_reason_to_lose_what_came() {
    let sent = of_sizes(&[100, 3_000_000]);
    let server = Script::completed(answer(&sent)).start();
    let client = server.client_with(&[("max_answer_size", "2000")]);
    let out = tempfile::tempdir().unwrap();
    client.pades().download(ORDER, &into(out.path())).await.unwrap();
    assert_eq!(listed(out.path()).len(), 2, "a folder takes what comes");
    let server = Script::completed(answer(&sent)).start();
    let client = server.client_with(&[("max_answer_size", "2000")]);
    let error = client.pades().download(ORDER, &DownloadOptions::default()).await.unwrap_err();
    assert_eq!(error.code(), Code::AnswerTooLarge);
    assert!(!documents(&error).is_empty());
}

#[tokio::test]
async fn a_caller_who_goes_away_does_not_cut_the_download_short() {
    let sent = of_sizes(&[200_000]);
    let text = answer(&sent);
    let half = Reply::json(200, &text).cut(100_000, Then::Stall(SILENCE));
    let mut script = Script::completed(text.clone()).replying(half);
    let (told, deleted) = tokio::sync::oneshot::channel();
    let mut told = Some(told);
    script.on_delete = Some(Box::new(move || {
        if let Some(told) = told.take() {
            told.send(()).unwrap();
        }
    }));
    let server = script.start();
    let client = server.client_with(&[("reception_timeout", "3")]);
    let out = tempfile::tempdir().unwrap();
    let options = into(out.path());
    let download = tokio::spawn(async move { client.pades().download(ORDER, &options).await });
    deleted.await.unwrap();
    download.abort();
    // All that came is put aside.
    let raw = out.path().join(".signdoc-4120de56-1.answer.part");
    let all = async {
        while std::fs::metadata(&raw).map_or(0, |file| file.len()) < 100_000 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(2 * SILENCE, all).await.unwrap();
    assert_eq!(std::fs::metadata(raw).unwrap().len(), 100_000);
}

#[tokio::test]
async fn recovering_with_the_client_asks_what_is_left_at_the_service() {
    let sent = of_sizes(&[40, 50]);
    let text = body(&sent, ORDER);
    let reply = Reply::json(200, &text).cut(text.len() / 2, Then::Close);
    let server = Script::completed(String::new()).replying(reply).start();
    let client = server.client();
    let out = tempfile::tempdir().unwrap();
    client.pades().download(ORDER, &into(out.path())).await.unwrap_err();
    assert!(client.sdo().recover(out.path(), &CallOptions::default()).await.unwrap().is_empty());
    let mut found = client.pades().recover(out.path(), &CallOptions::default()).await.unwrap();
    assert_eq!(found[0].order_state.as_deref(), Some("gone"));
    assert!(!found[0].is_worth_asking_again());
    assert_eq!(found[0].to_json()["outcome"], "partial");
    assert_eq!(found[0].problem.as_ref().unwrap().code(), Code::TruncatedAnswer);
    found[0].dismiss().unwrap();
    assert_eq!(listed(out.path()), ["4120de56-1.pdf"], "what was made of it stays");
    assert!(recover(out.path()).unwrap().is_empty());
    assert_eq!(recover(out.path().join("none")).unwrap_err().code(), Code::JournalFailed);
}
