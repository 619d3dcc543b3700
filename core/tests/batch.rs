//! Batches: what goes wrong half-way, what is cancelled, and what an earlier run has done.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
#![cfg(feature = "engine")]

#[path = "common/server.rs"]
mod server;

use std::fs;
use std::io::Read;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use server::{DISCOVERY, Reply, Seen, Server, TOKEN, Then};
use signdoc::engine::{BatchRun, Engine, Next};
use signdoc::{BatchOptions, Client, Code, Config, Conversion, Destination, Document, Progress};

const CONVERT: &str = "/signdoc/convert";
const PDF: &[u8] = b"%PDF-1.4 not much";
const MINUTE: Duration = Duration::from_secs(60);

fn pdf(folder: &Path, name: &str) -> Document {
    fs::create_dir_all(folder).unwrap();
    fs::write(folder.join(name), [PDF, name.as_bytes()].concat()).unwrap();
    Document::from_path(folder.join(name))
}

fn asked(seen: &Seen) -> usize {
    let body: Value = serde_json::from_slice(&seen.body).unwrap();
    body["documents"].as_array().unwrap().len()
}

fn converted(count: usize) -> Value {
    let one = json!({
        "conversionResult": {"converted": true, "conversionWarnings": ["Font substituted"]},
        "convertedDocument": "JVBERi0xLjQgb2s=",
    });
    Value::Array(vec![one; count])
}

/// An answer that stops within the second document, and the connection with it.
fn half(seen: &Seen) -> Reply {
    let text = converted(asked(seen)).to_string();
    let second = text.match_indices("JVBER").nth(1).map_or(text.len() / 2, |(at, _)| at + 6);
    Reply::json(200, text).cut(second, Then::Stall(MINUTE))
}

/// A service that converts everything.
fn good() -> Server {
    Server::start(|seen| seen.is("POST", CONVERT).then(|| Reply::json(200, converted(asked(seen)))))
}

fn to(folder: &Path) -> BatchOptions {
    BatchOptions { to: Destination::folder(folder), ..Default::default() }
}

async fn drained(mut batch: signdoc::Batch) -> Vec<Conversion> {
    let mut results = Vec::new();
    while let Some(result) = batch.next().await {
        results.push(result);
    }
    results.sort_by_key(|result| result.index);
    results
}

/// Every file below a folder, hidden ones too.
fn listed(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[tokio::test]
async fn what_an_earlier_run_did_is_told_apart() {
    let (server, folder) = (good(), tempfile::tempdir().unwrap());
    let (input, out) = (folder.path().join("in"), folder.path().join("out"));
    let options = || BatchOptions { resume: Some(folder.path().join("done.jsonl")), ..to(&out) };
    let two = || vec![pdf_of(&input, "a.pdf"), Document::from_bytes(PDF).name("b")];
    let first = drained(server.client().convert_many(two(), options()).unwrap()).await;
    assert!(first.iter().all(|one| !one.resumed && one.path.is_some()), "{first:?}");
    let mut three = two();
    three.insert(1, pdf_of(&input, "c.pdf"));
    let second = drained(server.client().convert_many(three, options()).unwrap()).await;
    let resumed: Vec<_> = second.iter().map(|one| one.resumed).collect();
    assert_eq!(resumed, [true, false, true]);
    assert_eq!(server.seen("POST", CONVERT).iter().map(asked).collect::<Vec<_>>(), [2, 1]);
    // what the service said then is said again
    assert_eq!(second[0].warnings, first[0].warnings);
    assert_eq!(
        second[0].path.as_ref().unwrap(),
        &first[0].path.as_ref().unwrap().canonicalize().unwrap()
    );
    assert_eq!(second[0].to_json()["resumed"], true);
    assert_eq!(second[1].to_json()["resumed"], false);
}

fn pdf_of(folder: &Path, name: &str) -> Document {
    match folder.join(name).exists() {
        true => Document::from_path(folder.join(name)),
        false => pdf(folder, name),
    }
}

#[tokio::test]
async fn results_come_while_documents_are_still_being_made() {
    let server = good();
    let made = Arc::new(AtomicUsize::new(0));
    let counter = made.clone();
    // the sixteenth document is made when the first fifteen have been told: as a program does that
    // writes one document for each result
    let (told, wait) = std::sync::mpsc::channel::<()>();
    let documents = (0..16).map(move |number| {
        if number == 15 {
            for _ in 0..15 {
                wait.recv_timeout(MINUTE).expect("the first results are told meanwhile");
            }
        }
        counter.fetch_add(1, Ordering::SeqCst);
        Document::from_bytes(PDF)
    });
    let engine = engine(&server);
    let mut run = engine.batch(BatchOptions::default()).unwrap();
    let mut documents = documents;
    let mut results = 0;
    loop {
        match run.next(Duration::from_millis(20)).unwrap() {
            Next::Result(_) => {
                results += 1;
                let _ = told.send(());
            }
            // a face that has nothing to give yet asks again later
            Next::WantsInput if made.load(Ordering::SeqCst) == 15 && results < 15 => {
                std::thread::sleep(Duration::from_millis(1));
            }
            Next::WantsInput => match documents.next() {
                Some(document) => run.push(document).unwrap(),
                None => run.end().unwrap(),
            },
            Next::Pending => {}
            Next::Finished => break,
        }
    }
    assert_eq!(results, 16);
}

fn engine(server: &Server) -> Engine {
    Engine::new(server.config().build().unwrap()).unwrap()
}

#[test]
fn documents_that_break_off_half_way_leave_nothing() {
    let server = Server::start(|seen| seen.is("POST", CONVERT).then(|| half(seen)));
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let made = Arc::new(AtomicUsize::new(0));
    let counter = made.clone();
    let documents = std::iter::from_fn(move || match counter.fetch_add(1, Ordering::SeqCst) {
        20 => panic!("the generator broke"),
        number => Some(Document::from_bytes(PDF).name(format!("{number}"))),
    });
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let client = server.client();
    let options = to(&out);
    let ended = runtime.block_on(async move {
        let batch = client.convert_many(documents, options).unwrap();
        tokio::spawn(drained(batch)).await
    });
    assert!(ended.unwrap_err().is_panic(), "it comes through");
    assert_eq!(made.load(Ordering::SeqCst), 21, "nobody asks it again");
    quiet(&runtime, "after the panic");
    whole_files_only(&out);
    assert!(server.seen("POST", CONVERT).len() <= 1, "nothing is sent after it");
}

/// Waits until no task is left, the kept connections of clients included.
fn quiet(runtime: &tokio::runtime::Runtime, when: &str) {
    // the number of turns only bounds how long a failure takes
    for _ in 0..1000 {
        if runtime.metrics().num_alive_tasks() == 0 {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("{when}: {} tasks are still running", runtime.metrics().num_alive_tasks());
}

fn whole_files_only(out: &Path) {
    for name in listed(out) {
        assert!(name.ends_with(".pdf") && !name.starts_with('.'), "{name} is left");
        assert_eq!(fs::read(out.join(&name)).unwrap(), b"%PDF-1.4 ok", "{name} is whole");
    }
}

/// Where a batch is when it is cancelled.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Stage {
    Discovery,
    Token,
    /// The other side has stopped reading.
    Sending,
    Waiting,
    Answer,
    /// The pause before a repetition.
    Pause,
}

const STAGES: [Stage; 6] =
    [Stage::Discovery, Stage::Token, Stage::Sending, Stage::Waiting, Stage::Answer, Stage::Pause];

/// A service that gets stuck at one stage, and the configuration of a client that will meet it.
struct Stuck {
    server: Server,
    deaf: TcpListener,
    stage: Stage,
}

impl Stuck {
    fn at(stage: Stage) -> Self {
        let server = Server::start(move |seen| {
            let here = match stage {
                Stage::Discovery => seen.is("GET", DISCOVERY),
                Stage::Token => seen.is("POST", TOKEN),
                _ => seen.is("POST", CONVERT),
            };
            let stall = Then::Stall(MINUTE);
            here.then(|| match stage {
                Stage::Answer => half(seen),
                Stage::Pause => Reply::new(503, "text/plain", &[("retry-after", "50")], b"later"),
                _ => Reply::nothing(stall),
            })
        });
        let deaf = TcpListener::bind("127.0.0.1:0").unwrap();
        Self { server, deaf, stage }
    }

    fn config(&self) -> Config {
        let mut builder = self.server.config();
        builder.set("read_timeout", "55").unwrap().set("max_retries", "2").unwrap();
        if self.stage == Stage::Sending {
            let deaf = format!("http://{}", self.deaf.local_addr().unwrap());
            builder.set("base_url", &deaf).unwrap();
        }
        builder.build().unwrap()
    }

    fn documents(&self) -> Vec<Document> {
        let size = if self.stage == Stage::Sending { 3_000_000 } else { 100 };
        let mut bytes = PDF.to_vec();
        bytes.resize(size, b' ');
        (0..20).map(|n| Document::from_bytes(bytes.clone()).name(format!("{n:02}"))).collect()
    }

    /// Whether the batch has got there.
    fn reached(&self, progress: &Progress, out: &Path) -> bool {
        match self.stage {
            Stage::Discovery => !self.server.seen("GET", DISCOVERY).is_empty(),
            Stage::Token => !self.server.seen("POST", TOKEN).is_empty(),
            // more than fits into the system's buffers does not leave
            Stage::Sending => progress.sent() > 0,
            Stage::Waiting | Stage::Pause => !self.server.seen("POST", CONVERT).is_empty(),
            // the first document of an answer is there, the second is coming
            Stage::Answer => listed(out).iter().any(|name| name == "00.pdf" || name == "15.pdf"),
        }
    }

    /// The side that had stopped reading goes on: what it gets is not the whole request.
    fn read_on(&self) {
        if self.stage != Stage::Sending {
            return;
        }
        self.deaf.set_nonblocking(true).unwrap();
        let mut connections = 0;
        while let Ok((mut stream, _)) = self.deaf.accept() {
            stream.set_nonblocking(false).unwrap();
            let mut bytes = Vec::new();
            // it ends, by a reset or well
            let _ = stream.read_to_end(&mut bytes);
            let head = String::from_utf8_lossy(&bytes[..bytes.len().min(1000)]).to_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            if let Some(length) = length {
                let length: usize = length.parse().unwrap();
                // what the system had taken over before is beyond recall
                assert!(bytes.len() < length, "the upload went on");
                println!("{} of {length} bytes arrived", bytes.len());
            }
            connections += 1;
        }
        assert!((1..=2).contains(&connections), "{connections} connections");
    }

    fn requests(&self) -> usize {
        self.server.seen("GET", DISCOVERY).len()
            + self.server.seen("POST", TOKEN).len()
            + self.server.seen("POST", CONVERT).len()
    }
}

#[test]
fn a_dropped_batch_leaves_nothing_running_at_any_stage() {
    for stage in STAGES {
        let (stuck, folder) = (Stuck::at(stage), tempfile::tempdir().unwrap());
        let out: PathBuf = folder.path().join("out");
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        let runtime = runtime.unwrap();
        let client = Client::new(stuck.config()).unwrap();
        let options = to(&out);
        let progress = options.call.progress.clone();
        let mut batch = client.convert_many(stuck.documents(), options).unwrap();
        let task = runtime.spawn(async move { batch.next().await });
        while !stuck.reached(&progress, &out) {
            std::thread::sleep(Duration::from_millis(5));
        }
        task.abort();
        assert!(runtime.block_on(task).unwrap_err().is_cancelled());
        drop(client);
        stuck.read_on();
        quiet(&runtime, &format!("{stage:?}"));
        whole_files_only(&out);
        let requests = stuck.requests();
        drop(runtime);
        assert_eq!(stuck.requests(), requests, "{stage:?}: nothing is sent any more");
    }
}

#[test]
fn a_dropped_run_of_a_blocking_face_has_cleaned_up_when_it_returns() {
    for stage in STAGES {
        let (stuck, folder) = (Stuck::at(stage), tempfile::tempdir().unwrap());
        let out: PathBuf = folder.path().join("out");
        let engine = Engine::new(stuck.config()).unwrap();
        let options = to(&out);
        let progress = options.call.progress.clone();
        let mut run = engine.batch(options).unwrap();
        let mut documents = stuck.documents().into_iter();
        while !stuck.reached(&progress, &out) {
            step(&mut run, &mut documents);
        }
        drop(run);
        stuck.read_on();
        whole_files_only(&out);
        let requests = stuck.requests();
        // another call finds the engine as it was
        let error = engine.run(|client| async move {
            let options = signdoc::CallOptions {
                timeout: Some(Duration::from_secs(2)),
                ..Default::default()
            };
            client.provider_metadata(&options).await
        });
        let expected = stage == Stage::Discovery;
        assert_eq!(error.is_err(), expected, "{stage:?}");
        let new = usize::from(expected);
        assert_eq!(stuck.requests(), requests + new, "{stage:?}: nothing is sent any more");
    }
}

fn step(run: &mut BatchRun<&Engine>, documents: &mut impl Iterator<Item = Document>) {
    match run.next(Duration::from_millis(5)).unwrap() {
        Next::WantsInput => match documents.next() {
            Some(document) => run.push(document).unwrap(),
            None => run.end().unwrap(),
        },
        Next::Result(result) => panic!("{result:?}"),
        Next::Pending => {}
        Next::Finished => panic!("it should be stuck"),
    }
}

#[tokio::test]
async fn survivors_go_once_more_and_not_twice() {
    let sizes = Arc::new(Mutex::new(Vec::new()));
    let seen_sizes = sizes.clone();
    // whatever is sent, its last document is refused
    let server = Server::start(move |seen| {
        if !seen.is("POST", CONVERT) {
            return None;
        }
        let count = asked(seen);
        seen_sizes.lock().unwrap().push(count);
        let mut results = vec![json!({"converted": true}); count];
        results[count - 1] =
            json!({"converted": false, "conversionErrors": ["Document is corrupt"]});
        Some(Reply::json(400, json!({"conversionResults": results})))
    });
    let results = drained(
        server
            .client()
            .convert_many(vec![Document::from_bytes(PDF); 4], Default::default())
            .unwrap(),
    )
    .await;
    assert_eq!(*sizes.lock().unwrap(), [4, 3]);
    let refused =
        |one: &Conversion| one.errors.iter().any(|e| e.code == Some(Code::ConversionCorrupt));
    assert!(refused(&results[3]) && refused(&results[2]), "{results:?}");
    for survivor in &results[..2] {
        let failure = survivor.failure.as_ref().expect("it has a reason, since it has no document");
        assert_eq!(failure.code(), Code::MissingField);
    }
}

#[tokio::test]
async fn nothing_goes_again_after_disabled() {
    let server = Server::start(|seen| {
        seen.is("POST", CONVERT).then(|| {
            let mut results = vec![json!({"converted": true}); asked(seen)];
            let disabled = ["PDF conversion is disabled"];
            results[0] = json!({"converted": false, "conversionErrors": disabled});
            Reply::json(400, json!({"conversionResults": results}))
        })
    });
    let documents = vec![Document::from_bytes(PDF); 3];
    let results =
        drained(server.client().convert_many(documents, Default::default()).unwrap()).await;
    assert_eq!(server.seen("POST", CONVERT).len(), 1);
    assert!(results[0].is_disabled() && results.iter().all(Conversion::is_failed), "{results:?}");
}
