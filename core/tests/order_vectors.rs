//! The cases of `tests/vectors/orders.json` through the Rust face.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

#[path = "common/cases.rs"]
mod cases;
mod common;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, LazyLock};
use std::time::{Duration, SystemTime};

use serde_json::{Map, Value, json};
use signdoc::clock::{Clock, Sleep};
use signdoc::{
    CallOptions, Client, Destination, Document, Download, DownloadOptions, Error, FinishOptions,
    LoginOptions, OrderProperties, OrderRef, PadesDocument, PadesOrder, SdoDocument, SdoOrder,
    SealPosition, WaitOptions,
};
use signdoc_sandbox::{Action, Environment, Person, Sandbox, Visit, samples};

/// The sandbox's time as the client's.
#[derive(Debug)]
struct Virtual(signdoc_sandbox::Clock);

impl Clock for Virtual {
    fn now(&self) -> SystemTime {
        self.0.now()
    }

    fn sleep(&self, duration: Duration) -> Sleep {
        Box::pin(tokio::time::sleep(duration))
    }
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

fn owned(value: &Value, key: &str) -> Option<String> {
    value[key].as_str().map(str::to_owned)
}

fn texts(value: &Value) -> Vec<String> {
    let list = value.as_array().into_iter().flatten();
    list.map(|one| one.as_str().unwrap().to_owned()).collect()
}

fn document(spec: &Value) -> Option<Document> {
    if let Some(name) = spec["sample"].as_str() {
        static SAMPLES: LazyLock<Vec<samples::Sample>> = LazyLock::new(|| samples::all(1));
        let sample = SAMPLES.iter().find(|sample| sample.name == name);
        let sample = sample.unwrap_or_else(|| panic!("no sample {name}"));
        return Some(
            Document::from_bytes(sample.bytes.clone()).name(name.trim_end_matches(".pdf")),
        );
    }
    spec["bytes"].as_str().map(|bytes| Document::from_bytes(bytes.to_owned()))
}

fn seal(spec: &Value) -> Option<SealPosition> {
    let page = spec["page"].as_i64()?;
    Some(SealPosition { x: spec["x"].as_f64().unwrap(), y: spec["y"].as_f64().unwrap(), page })
}

fn properties(order: &Value) -> OrderProperties {
    OrderProperties {
        name: text(order, "name").to_owned(),
        display_mode: owned(order, "display_mode"),
        show_confirmation: order["show_confirmation"].as_bool(),
        show_understanding: order["show_understanding"].as_bool(),
        timeout_seconds: order["timeout_seconds"].as_u64().map(|one| one.try_into().unwrap()),
    }
}

fn pades(order: &Value) -> PadesOrder {
    let documents = order["documents"].as_array().unwrap().iter().map(|spec| PadesDocument {
        description: owned(spec, "description"),
        pdf_spec: owned(spec, "pdf_spec"),
        merchant_seal: seal(&spec["merchant_seal"]),
        end_user_seal: seal(&spec["end_user_seal"]),
        end_user_only: spec["end_user_only"].as_bool(),
        ..PadesDocument::new(document(spec).unwrap())
    });
    let mut made = PadesOrder::new("", documents.collect());
    made.properties = properties(order);
    made.add_visual_seals = order["visual_seals"].as_bool().unwrap_or(false);
    made.strict = order["strict"].as_bool().unwrap_or(false);
    if !order["results"].is_null() {
        made.results = texts(&order["results"]);
    }
    made
}

fn sdo(order: &Value) -> SdoOrder {
    let documents = order["documents"].as_array().unwrap().iter().map(|spec| SdoDocument {
        pdf: document(spec),
        text: owned(spec, "text"),
        xml: owned(spec, "xml"),
        xls: owned(spec, "xls"),
        description: owned(spec, "description"),
    });
    let mut made = SdoOrder::new("", documents.collect());
    made.properties = properties(order);
    if !order["results"].is_null() {
        made.results = texts(&order["results"]);
    }
    made
}

/// What came of a case, by the keys of `expect`.
type Found = Map<String, Value>;

fn note_download(found: &mut Found, download: &Download) {
    for (key, value) in download.to_json().as_object().unwrap() {
        found.insert(key.clone(), value.clone());
    }
    for one in found["documents"].as_array().unwrap() {
        let path = one["path"].as_str();
        assert!(path.is_none_or(|path| Path::new(path).exists()), "{one}");
    }
}

async fn go(
    case: &Value,
    sandbox: &Sandbox,
    client: &Client,
    folder: &Path,
    found: &mut Found,
) -> Result<(), Error> {
    let call = CallOptions::default();
    let is_pades = text(case, "kind") == "pades";
    let order = match is_pades {
        true => client.pades().create(&pades(&case["order"]), &call).await?,
        false => client.sdo().create(&sdo(&case["order"]), &call).await?,
    };
    let conversions = order.conversions.iter().map(signdoc::Conversion::to_json).collect();
    found.insert("conversions".to_owned(), conversions);
    match text(case, "user") {
        "sign" => drop(sandbox.sign(&order.sign_id, Person::Kari).unwrap()),
        "cancel" => drop(sandbox.cancel(&order.sign_id).unwrap()),
        "fail" => drop(sandbox.fail(&order.sign_id).unwrap()),
        _ => {}
    }
    if let Some(seconds) = case["advance"].as_u64() {
        sandbox.clock().advance(Duration::from_secs(seconds));
    }
    let reference = match text(case, "by") {
        "sign_id" => OrderRef::from(order.sign_id.as_str()),
        _ => OrderRef::from(&order),
    };
    let mut state = |state: String| found.insert("state".to_owned(), state.into());
    match (text(case, "then"), is_pades) {
        ("state", true) => {
            state(client.pades().state(reference, &call).await?.as_str().to_owned());
        }
        ("state", false) => {
            state(client.sdo().state(reference, &call).await?.as_str().to_owned());
        }
        ("wait", _) => {
            let options = WaitOptions { until: texts(&case["until"]), ..WaitOptions::default() };
            match is_pades {
                true => state(client.pades().wait(reference, &options).await?.as_str().to_owned()),
                false => state(client.sdo().wait(reference, &options).await?.as_str().to_owned()),
            };
        }
        ("download", _) => {
            let to = match case["memory"] == true {
                true => Destination::Memory,
                false => Destination::folder(folder.join("out")),
            };
            let force = case["force"] == true;
            let options = DownloadOptions { to, force, ..DownloadOptions::default() };
            let download = match is_pades {
                true => Download::Pades(client.pades().download(reference, &options).await?),
                false => Download::Sdo(client.sdo().download(reference, &options).await?),
            };
            note_download(found, &download);
        }
        ("discard", true) => {
            let last = client.pades().discard(reference, &call).await?;
            note_download(found, &Download::Pades(last));
        }
        ("discard", false) => {
            let last = client.sdo().discard(reference, &call).await?;
            note_download(found, &Download::Sdo(last));
        }
        ("login", _) => login(case, sandbox, client, reference, found).await?,
        _ => {}
    }
    Ok(())
}

async fn login(
    case: &Value,
    sandbox: &Sandbox,
    client: &Client,
    order: OrderRef,
    found: &mut Found,
) -> Result<(), Error> {
    let address = text(case, "redirect_uri");
    let login = client.login().begin(order, address, &LoginOptions::default()).await?;
    let action = match text(case, "action") {
        "cancel" => Action::Cancel,
        "fail" => Action::Fail,
        _ => Action::Sign,
    };
    let visit = Visit { url: login.url.clone(), action, person: Person::Kari };
    let back = sandbox.visit(visit).unwrap();
    let options = FinishOptions::default();
    let back = cases::came_back(case, back.url.as_str());
    let identity = client.login().finish(&login.to_token(), &back, &options).await?;
    let known = identity.sign_id == login.sign_id && !identity.subject.is_empty();
    found.insert("identity".to_owned(), known.into());
    Ok(())
}

fn check_error(case: &Value, error: &Error) {
    let id = text(case, "id");
    let told = error.to_json();
    let expected =
        case["expect"]["error"].as_object().unwrap_or_else(|| panic!("{id}: unexpected {told:#}"));
    for (key, value) in expected {
        assert_eq!(value, &told[key], "{id}: {key} of {told:#}");
    }
    for (key, value) in case["expect"]["details"].as_object().into_iter().flatten() {
        assert_eq!(value, &told["details"][key], "{id}: details.{key} of {told:#}");
    }
    for part in texts(&case["expect"]["message"]) {
        assert!(error.message().contains(&part), "{id}: {part:?} in {:?}", error.message());
    }
}

/// What a failure has kept: the order, and the answer that could not be taken apart.
fn check_kept(case: &Value, error: &Error) {
    let (id, expected) = (text(case, "id"), &case["expect"]);
    if let Some(wanted) = expected["error_order"].as_bool() {
        let found = error.order().is_some_and(|order| !order.sign_id.is_empty());
        assert_eq!(found, wanted, "{id}: error_order");
    }
    if let Some(wanted) = expected["raw_answer"].as_bool() {
        let path = error.details().get("raw_answer").and_then(Value::as_str);
        let is_kept =
            error.raw_answer().is_some() || path.is_some_and(|path| Path::new(path).exists());
        assert_eq!(is_kept, wanted, "{id}: raw_answer");
    }
}

fn check_found(case: &Value, found: &Found) {
    let (id, expected) = (text(case, "id"), &case["expect"]);
    for key in ["state", "identity", "order_name", "order_state"] {
        if !expected[key].is_null() {
            assert_eq!(expected[key], found[key], "{id}: {key}");
        }
    }
    for key in ["conversions", "documents"] {
        let Some(wanted) = expected[key].as_array() else { continue };
        let actual = found[key].as_array().unwrap();
        assert_eq!(actual.len(), wanted.len(), "{id}: {key} of {actual:?}");
        for (wanted, actual) in wanted.iter().zip(actual) {
            for (name, value) in wanted.as_object().unwrap() {
                let shown = match name.as_str() {
                    "errors" => actual[name].as_array().unwrap().iter().map(named).collect(),
                    _ => actual[name].clone(),
                };
                assert_eq!(value, &shown, "{id}: {name} of {actual}");
            }
        }
    }
}

/// An error of a conversion by its name.
fn named(error: &Value) -> Value {
    if error["code"].is_null() { error["name"].clone() } else { error["code"].clone() }
}

fn check_requests(case: &Value, sandbox: &Sandbox) {
    let (id, expected) = (text(case, "id"), &case["expect"]);
    let seen: Vec<_> =
        sandbox.requests().into_iter().filter(|one| one.path.starts_with("/signdoc")).collect();
    let sent = seen.iter().find(|one| one.method == "POST").and_then(|one| one.body.clone());
    if let Some(wanted) = expected["sent"].as_object() {
        let mut sent = sent.clone().unwrap();
        sent.as_object_mut().unwrap().remove("documents");
        assert_eq!(sent, json!(wanted), "{id}");
    }
    let path = if text(case, "kind") == "pades" { "/signdoc/pades" } else { "/signdoc" };
    cases::check_sent_documents(case, path, sandbox);
    let Some(wanted) = expected["requests"].as_object() else { return };
    let mut counts = BTreeMap::<String, u64>::new();
    for one in seen {
        *counts.entry(format!("{} {}", one.method, one.path)).or_default() += 1;
    }
    let wanted: BTreeMap<_, _> =
        wanted.iter().map(|(key, count)| (key.clone(), count.as_u64().unwrap())).collect();
    assert_eq!(counts, wanted, "{id}");
}

async fn run(case: &Value, sandbox: &Sandbox) {
    cases::prepare(case, sandbox);
    let folder = tempfile::tempdir().unwrap();
    let clock = Arc::new(Virtual(sandbox.clock()));
    let mut builder = common::config(sandbox);
    for (key, value) in cases::options(case, sandbox) {
        builder.set(&key, &value).unwrap();
    }
    let client = Client::with_clock(builder.build().unwrap(), clock).unwrap();
    let mut found = Found::new();
    match go(case, sandbox, &client, folder.path(), &mut found).await {
        Ok(()) => assert!(case["expect"]["error"].is_null(), "{}: no error", text(case, "id")),
        Err(error) => {
            check_error(case, &error);
            check_kept(case, &error);
            if !error.conversions().is_empty() {
                let conversions =
                    error.conversions().iter().map(signdoc::Conversion::to_json).collect();
                found.insert("conversions".to_owned(), conversions);
            }
            if let Some(download) = error.download() {
                note_download(&mut found, download);
            }
        }
    }
    check_found(case, &found);
    check_requests(case, sandbox);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_case_comes_out_as_written() {
    let production = common::sandbox(Environment::Production);
    let test = common::sandbox(Environment::Test);
    let converter = production.converter();
    for case in cases::cases("orders") {
        if cases::runs(&case, "orders", &converter) {
            let sandbox = if text(&case, "environment") == "test" { &test } else { &production };
            run(&case, sandbox).await;
        }
    }
}
