//! Conversion end to end where the vectors cannot reach: files, folders, repetition, batches.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use std::fs;
use std::path::Path;
use std::time::Duration;

use common::{CONVERT, PDF, TOKEN, answers, client, client_with, sandbox, seen};
use signdoc::{BatchOptions, Code, ConvertOptions, Destination, Document};
use signdoc_sandbox::{Environment, Fault, Rule};

fn pdf(folder: &Path, name: &str, size: usize) -> Document {
    let mut bytes = PDF.to_vec();
    bytes.resize(size, b' ');
    fs::write(folder.join(name), bytes).unwrap();
    Document::from_path(folder.join(name))
}

fn into(folder: &Path) -> ConvertOptions {
    ConvertOptions { to: Destination::folder(folder), ..Default::default() }
}

fn listed(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[tokio::test]
async fn a_file_that_changes_while_it_is_sent_is_refused() {
    let sandbox = sandbox(Environment::Test);
    let folder = tempfile::tempdir().unwrap();
    let document = pdf(folder.path(), "growing.pdf", 100_000);
    let rule = Rule::new(Fault::Delay {}).on("POST", TOKEN).delay_ms(400);
    sandbox.faults().add(rule).unwrap();
    let path = folder.path().join("growing.pdf");
    let writer = tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(100)).await;
        fs::write(path, vec![b' '; 100_001]).unwrap();
    });
    let error = client(&sandbox).convert(&[document], &Default::default()).await.unwrap_err();
    writer.await.unwrap();
    assert_eq!(error.code(), Code::DocumentChanged, "{error}");
    assert_eq!(error.details()["expected"], 100_000);
    assert_eq!(error.details()["actual"], 100_001);
}

#[tokio::test]
async fn results_are_private_files_and_never_replace_others() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = sandbox(Environment::Test);
    answers(&sandbox, 2);
    let folder = tempfile::tempdir().unwrap();
    let (input, out) = (folder.path().join("in"), folder.path().join("out"));
    fs::create_dir(&input).unwrap();
    let documents = [pdf(&input, "loan.pdf", 100), Document::from_bytes(PDF)];
    let client = client(&sandbox);
    let results = client.convert(&documents, &into(&out)).await.unwrap();
    assert_eq!(listed(&out), ["document-2.pdf", "loan.pdf"]);
    assert_eq!(results[0].path.as_deref(), Some(out.join("loan.pdf").as_path()));
    let mode = fs::metadata(out.join("loan.pdf")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);

    let requests = seen(&sandbox, "POST", CONVERT);
    let error = client.convert(&documents, &into(&out)).await.unwrap_err();
    assert_eq!(error.code(), Code::DestinationExists);
    assert_eq!(seen(&sandbox, "POST", CONVERT), requests, "refused before anything was sent");
    let options = ConvertOptions {
        to: Destination::Folder { path: out, overwrite: true },
        ..Default::default()
    };
    client.convert(&documents, &options).await.unwrap();
}

#[tokio::test]
async fn what_arrived_whole_stays_when_the_answer_breaks_off() {
    let sandbox = sandbox(Environment::Test);
    let body = r#"[{"convertedDocument":"JVBERi0xLjQgb2s=","conversionResult":{"converted":true}},{"convertedDocument":"JVBERi0xLjQg"#;
    let rule = Rule::new(Fault::answer(200, "application/json", body)).on("POST", CONVERT);
    sandbox.faults().add(rule.forever()).unwrap();
    let out = tempfile::tempdir().unwrap();
    let client = client_with(&sandbox, &[("max_retries", "0")]);
    let documents = [Document::from_bytes(PDF), Document::from_bytes(PDF)];
    let error = client.convert(&documents, &into(out.path())).await.unwrap_err();
    assert_eq!(error.code(), Code::TruncatedAnswer);
    assert_eq!(listed(out.path()), ["document-1.pdf"], "whole ones only, nothing partial");
    assert_eq!(error.conversions()[0].path, Some(out.path().join("document-1.pdf")));
}

#[tokio::test]
async fn a_repetition_may_replace_what_its_first_attempt_wrote() {
    let sandbox = sandbox(Environment::Test);
    let good = r#"[{"convertedDocument":"JVBERi0xLjQgb2s=","conversionResult":{"converted":true}},{"convertedDocument":"JVBERi0xLjQgb2s=","conversionResult":{"converted":true}}]"#;
    let cut = Fault::answer(200, "application/json", &good[..100]);
    sandbox.faults().add(Rule::new(cut).on("POST", CONVERT)).unwrap();
    let rule = Rule::new(Fault::answer(200, "application/json", good)).on("POST", CONVERT);
    sandbox.faults().add(rule).unwrap();
    let out = tempfile::tempdir().unwrap();
    let documents = [Document::from_bytes(PDF), Document::from_bytes(PDF)];
    let results = client(&sandbox).convert(&documents, &into(out.path())).await.unwrap();
    assert_eq!(results.len(), 2);
    assert_eq!(listed(out.path()), ["document-1.pdf", "document-2.pdf"]);
    assert_eq!(seen(&sandbox, "POST", CONVERT), 2);
}

#[tokio::test]
async fn an_answer_before_the_body_is_read_is_understood() {
    let sandbox = sandbox(Environment::Test);
    let early = Fault::Status {
        status: 413,
        headers: Default::default(),
        content_type: None,
        body: Some("too large".into()),
        body_base64: None,
        json: None,
        before_body: true,
        after_work: false,
    };
    sandbox.faults().add(Rule::new(early).on("POST", CONVERT).forever()).unwrap();
    let mut bytes = PDF.to_vec();
    bytes.resize(3_750_000, b' ');
    let documents = vec![Document::from_bytes(bytes); 15];
    let client = client_with(&sandbox, &[("max_retries", "0")]);
    let error = client.convert(&documents, &Default::default()).await.unwrap_err();
    assert!(
        matches!(error.code(), Code::PayloadTooLarge | Code::ConnectionLost),
        "an answer, or at least a lost connection, not {error}"
    );
}

/// Drains a batch; results by index.
async fn drained(mut batch: signdoc::Batch) -> Vec<signdoc::Conversion> {
    let mut results = Vec::new();
    while let Some(result) = batch.next().await {
        results.push(result);
    }
    results.sort_by_key(|result| result.index);
    results
}

#[tokio::test]
async fn a_batch_tells_every_document_once_and_bad_ones_hide_nothing() {
    let sandbox = sandbox(Environment::Test);
    // Two good documents are all that each call has to bring back.
    answers(&sandbox, 2);
    let folder = tempfile::tempdir().unwrap();
    let documents = vec![
        Document::from_bytes(PDF),
        Document::from_bytes(&b"GIF89a"[..]),
        Document::from_path(folder.path().join("missing.pdf")),
        Document::from_bytes(PDF),
    ];
    let batch = client(&sandbox).convert_many(documents, BatchOptions::default()).unwrap();
    let results = drained(batch).await;
    let failures: Vec<_> =
        results.iter().map(|r| r.failure.as_ref().map(|error| error.code())).collect();
    assert_eq!(failures, [None, Some(Code::NotAPdf), Some(Code::DocumentNotFound), None]);
    assert!(results[0].data.is_some() && results[3].data.is_some());
    assert_eq!(seen(&sandbox, "POST", CONVERT), 1);
}

#[tokio::test]
async fn survivors_of_a_refused_pack_are_sent_once_more() {
    let sandbox = sandbox(Environment::Test);
    let refused = r#"{"conversionResults":[{"converted":true},{"converted":false,"conversionErrors":["Document is corrupt"]},{"converted":true}]}"#;
    let rule = Rule::new(Fault::answer(400, "application/json", refused)).on("POST", CONVERT);
    sandbox.faults().add(rule).unwrap();
    answers(&sandbox, 2);
    let documents = vec![Document::from_bytes(PDF); 3];
    let batch = client(&sandbox).convert_many(documents, BatchOptions::default()).unwrap();
    let results = drained(batch).await;
    assert!(results[0].size.is_some() && results[2].size.is_some(), "{results:?}");
    assert_eq!(results[1].errors[0].code, Some(Code::ConversionCorrupt));
    assert_eq!(seen(&sandbox, "POST", CONVERT), 2);
}

#[tokio::test]
async fn nothing_is_sent_again_where_conversion_is_switched_off() {
    let sandbox = sandbox(Environment::Test);
    let documents = vec![Document::from_bytes(PDF); 20];
    let options = BatchOptions { concurrency: 2, ..Default::default() };
    let results = drained(client(&sandbox).convert_many(documents, options).unwrap()).await;
    assert_eq!(results.len(), 20);
    assert!(results.iter().all(signdoc::Conversion::is_disabled));
    assert_eq!(seen(&sandbox, "POST", CONVERT), 2, "fifteen and five");
}

#[tokio::test]
async fn a_batch_goes_on_where_it_stopped() {
    let sandbox = sandbox(Environment::Test);
    answers(&sandbox, 2);
    let folder = tempfile::tempdir().unwrap();
    let (out, manifest) = (folder.path().join("out"), folder.path().join("done.jsonl"));
    let options = || BatchOptions {
        to: Destination::folder(&out),
        resume: Some(manifest.clone()),
        ..Default::default()
    };
    let client = client(&sandbox);
    let two = || vec![pdf_once(folder.path(), "a.pdf"), pdf_once(folder.path(), "b.pdf")];
    let first = drained(client.convert_many(two(), options()).unwrap()).await;
    assert!(first.iter().all(|result| result.path.is_some()), "{first:?}");
    let again = drained(client.convert_many(two(), options()).unwrap()).await;
    assert_eq!(seen(&sandbox, "POST", CONVERT), 1, "nothing was sent again");
    assert!(again.iter().all(|result| result.path.is_some() && result.converted));

    // A crash leaves half a line, and a file that no line tells of: both are ours to put right.
    let text = fs::read_to_string(&manifest).unwrap();
    let kept: Vec<_> = text.lines().filter(|line| !line.contains("done")).collect();
    fs::write(&manifest, format!("{}\n{{\"done\":{{\"ke", kept.join("\n"))).unwrap();
    let resumed = drained(client.convert_many(two(), options()).unwrap()).await;
    assert!(resumed.iter().all(|result| result.failure.is_none()), "{resumed:?}");
    assert_eq!(seen(&sandbox, "POST", CONVERT), 2);
}

fn pdf_once(folder: &Path, name: &str) -> Document {
    if folder.join(name).exists() {
        return Document::from_path(folder.join(name));
    }
    pdf(folder, name, 1000)
}

#[tokio::test]
async fn a_manifest_that_is_none_is_left_alone() {
    let sandbox = sandbox(Environment::Test);
    let folder = tempfile::tempdir().unwrap();
    let precious = folder.path().join("precious.pdf");
    let options = || BatchOptions {
        to: Destination::folder(folder.path().join("out")),
        resume: Some(precious.clone()),
        ..Default::default()
    };
    for content in ["not a manifest\n", "no line at all", "%PDF-1.7\nno end of line at the end"] {
        fs::write(&precious, content).unwrap();
        let error = client(&sandbox).convert_many(Vec::new(), options()).err().unwrap();
        assert_eq!(error.code(), Code::JournalFailed);
        assert_eq!(fs::read_to_string(&precious).unwrap(), content);
    }
    // What a crash leaves of the very first line is no harm.
    fs::write(&precious, "{\"signdoc_man").unwrap();
    client(&sandbox).convert_many(Vec::new(), options()).unwrap();
    let begun = fs::read_to_string(&precious).unwrap();
    assert!(begun.starts_with("{\"signdoc_manifest\":2}\n{\"run\":\""), "{begun}");
}
