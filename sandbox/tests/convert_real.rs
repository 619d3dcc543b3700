//! Conversions by the installed converter, and by converters that lie.
// helpers outside of test functions are test code as well
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use common::*;
use serde_json::{Value, json};
use signdoc_sandbox::samples::{self, Expectation, Sample};
use signdoc_sandbox::{ConverterChoice, Sandbox};

/// The result of the only document, and the document when there is one.
fn convert_one(sandbox: &Sandbox, pdf: &[u8], allow_signed: bool) -> (Value, Option<Vec<u8>>) {
    let mut body: Value = serde_json::from_str(&documents(&[pdf])).unwrap();
    if allow_signed {
        body["documents"][0]["allowSigned"] = json!(true);
    }
    let reply = convert(sandbox, &body.to_string());
    let json = reply.json();
    match reply.status {
        200 => {
            let document = json[0]["convertedDocument"].as_str().unwrap();
            (json[0]["conversionResult"].clone(), Some(STANDARD.decode(document).unwrap()))
        }
        400 => (json["conversionResults"][0].clone(), None),
        other => panic!("status {other}: {}", reply.text()),
    }
}

/// The latest note of the converter.
fn notes(sandbox: &Sandbox) -> String {
    let shown = control(sandbox, "GET", "converter", &Value::Null).json();
    shown["recent"].as_array().unwrap().last().unwrap()["notes"].to_string()
}

fn found(result: &Value) -> Expectation {
    let sorted = |value: &Value| {
        let mut list = texts(value);
        list.sort();
        list
    };
    let errors = sorted(&result["conversionErrors"]);
    let warnings = sorted(&result["conversionWarnings"]);
    Expectation {
        errors: signdoc_sandbox::ConversionError::ALL
            .into_iter()
            .filter(|error| errors.contains(&error.message().to_owned()))
            .collect(),
        warnings: signdoc_sandbox::ConversionWarning::ALL
            .into_iter()
            .filter(|warning| warnings.contains(&warning.message().to_owned()))
            .collect(),
    }
}

fn try_samples(samples: Vec<Sample>) {
    let sandbox = production();
    if !has_converter(&sandbox) {
        return;
    }
    for sample in samples {
        let started = Instant::now();
        let (result, document) = convert_one(&sandbox, &sample.bytes, false);
        println!(
            "{:24} {:>8} bytes {:>5} ms -> {:?} {}",
            sample.name,
            sample.bytes.len(),
            started.elapsed().as_millis(),
            document.as_ref().map(Vec::len),
            notes(&sandbox)
        );
        assert_eq!(found(&result), sample.expectation, "{}: {result}", sample.name);
        assert_eq!(result["converted"], sample.expectation.is_converted());
        assert_eq!(document.is_some(), sample.expectation.is_converted());
        if let Some(document) = document {
            assert!(document.starts_with(b"%PDF-"), "{}", sample.name);
        }
    }
}

#[test]
fn samples_convert_as_expected() {
    try_samples(samples::all(1));
}

#[test]
fn rarer_warnings() {
    try_samples(samples::each_warning());
}

#[test]
fn near_misses_raise_nothing() {
    try_samples(samples::near_misses());
}

#[test]
fn an_allowed_signature_is_gone_afterwards() {
    let sandbox = production();
    if !has_converter(&sandbox) {
        return;
    }
    let signed = samples::signed();
    let (result, document) = convert_one(&sandbox, &signed, true);
    assert_eq!(result["converted"], true, "{result} {}", notes(&sandbox));
    let document = document.unwrap();
    assert!(!document.windows(10).any(|window| window == b"/ByteRange"));
    // converting it once more needs no permission
    let (again, _) = convert_one(&sandbox, &document, false);
    assert_eq!(again["converted"], true, "{again}");
    // permission changes nothing else
    let (attached, _) = convert_one(&sandbox, &samples::with_attachment(), true);
    assert_eq!(texts(&attached["conversionErrors"]), ["Embedded files removed"]);
}

#[test]
fn one_failure_fails_the_request_and_keeps_the_order() {
    let sandbox = production();
    if !has_converter(&sandbox) {
        return;
    }
    let good = samples::loan_agreement();
    let reply = convert(&sandbox, &documents(&[&good, &samples::corrupt(), &good]));
    assert_eq!(reply.status, 400);
    let json = reply.json();
    let converted: Vec<&Value> = json["conversionResults"]
        .as_array()
        .unwrap()
        .iter()
        .map(|result| &result["converted"])
        .collect();
    assert_eq!(converted, [true, false, true]);
    assert!(!reply.text().contains("convertedDocument"));

    let font = samples::standard_font();
    let reply = convert(&sandbox, &documents(&[&good, &font, &good, &good]));
    assert_eq!(reply.status, 200);
    let json = reply.json();
    let warned: Vec<usize> = (0..4)
        .map(|index| texts(&json[index]["conversionResult"]["conversionWarnings"]).len())
        .collect();
    assert_eq!(warned, [0, 1, 0, 0]);
}

#[test]
fn chunked_answers_hold_the_same_documents() {
    let sandbox = production();
    if !has_converter(&sandbox) {
        return;
    }
    control(&sandbox, "POST", "variants", &json!({"chunked": true, "extra_fields": true}));
    let reply = convert(&sandbox, &documents(&[&samples::photographs(1)]));
    assert_eq!(reply.header("transfer-encoding"), Some("chunked"));
    let json = reply.json();
    let document = STANDARD.decode(json[0]["convertedDocument"].as_str().unwrap()).unwrap();
    assert!(document.len() > 1000 && document.ends_with(b"%%EOF\n"));
}

/// Documents that try to hurt. None of them may stop the sandbox.
#[test]
fn hostile_documents_are_refused() {
    let sandbox = production();
    if !has_converter(&sandbox) {
        return;
    }
    let deep = [b"%PDF-1.7\n1 0 obj\n".to_vec(), b"[".repeat(3_000_000)].concat();
    let dicts = [b"%PDF-1.7\n1 0 obj\n".to_vec(), b"<</A".repeat(800_000)].concat();
    let parens = [b"%PDF-1.7\n1 0 obj\n".to_vec(), b"(".repeat(3_000_000)].concat();
    let circle = b"%PDF-1.4\n1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj\n\
        2 0 obj <</Type/Pages/Count 1/Kids[2 0 R]>> endobj\n\
        trailer <</Root 1 0 R/Size 3>>\n%%EOF"
        .to_vec();
    let cases: [(&str, &[u8], &str); 8] = [
        ("empty", b"", "Document is corrupt"),
        ("not a PDF", b"hello", "Document is corrupt"),
        ("only a header", b"%PDF-1.7\n%%EOF", "Document is corrupt"),
        ("arrays in arrays", &deep, "Document is corrupt"),
        ("dictionaries in dictionaries", &dicts, "Document is corrupt"),
        ("parentheses", &parens, "Document is corrupt"),
        ("pages in a circle", &circle, "Document is corrupt"),
        ("zeros", &[0; 1_000_000], "Document is corrupt"),
    ];
    let odd = |object: &str| {
        let objects = [
            "<</Type/Catalog/Pages 2 0 R/X 4 0 R/Metadata 4 0 R>>",
            "<</Type/Pages/Count 1/Kids[3 0 R]/Parent 3 0 R>>",
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>",
            object,
        ];
        let mut pdf = "%PDF-1.7\n".to_owned();
        for (number, object) in (1..).zip(objects) {
            pdf.push_str(&format!("{number} 0 obj\n{object}\nendobj\n"));
        }
        pdf.push_str("trailer <</Size 5/Root 1 0 R>>\n%%EOF\n");
        pdf.into_bytes()
    };
    let nested = |open: &str, close: &str| {
        odd(&format!("{}{}", open.repeat(400_000), close.repeat(400_000)))
    };
    // the converter may drown in these: a short limit keeps the test short
    let sandbox = Sandbox::builder().conversion_limit(Duration::from_secs(2)).start().unwrap();
    for (name, pdf) in [
        ("deep arrays", nested("[", "]")),
        ("deep dictionaries", nested("<</A", " 1>>")),
        ("deep strings", nested("(", ")")),
        ("itself", odd("4 0 R")),
        ("parents in a circle", odd("<</Parent 3 0 R/V 2 0 R/Font 3 0 R>>")),
    ] {
        let started = Instant::now();
        let (result, _) = convert_one(&sandbox, &pdf, false);
        println!("{name}: {} ms, {} {}", started.elapsed().as_millis(), result, notes(&sandbox));
        assert_eq!(get(&sandbox, "/_sandbox/").status, 200, "{name}");
    }
    for (name, pdf, message) in cases {
        let started = Instant::now();
        let (result, _) = convert_one(&sandbox, pdf, false);
        println!("{name}: {} ms, {}", started.elapsed().as_millis(), notes(&sandbox));
        assert_eq!(texts(&result["conversionErrors"]), [message], "{name}");
    }
}

#[cfg(unix)]
fn script(folder: &Path, body: &str) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let path = folder.join("gs");
    let text =
        format!("#!/bin/sh\nif [ \"$1\" = --version ]; then echo 10.99.0; exit 0; fi\n{body}\n");
    std::fs::write(&path, text).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}

/// A converter whose exit code says 0 whatever it did.
#[cfg(unix)]
#[test]
fn a_lying_converter_is_not_believed() {
    let plain = production();
    if !has_converter(&plain) {
        return;
    }
    let good = samples::loan_agreement();
    let honest = convert_one(&plain, &good, false).1.unwrap();
    let other = convert_one(&plain, &samples::standard_font(), false).1.unwrap();
    let blank = convert_one(&plain, &samples::blank(2), false).1.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let save = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path.display().to_string()
    };
    let (honest, other, blank) =
        (save("honest.pdf", &honest), save("other.pdf", &other), save("blank.pdf", &blank));
    let unconverted = save("in.pdf", &good);
    let cases = [
        (format!("cp {honest} out.pdf"), "", "compared"),
        (
            format!("cp {honest} out.pdf; echo 'Error: /undefined in x'"),
            "Unknown error",
            "/undefined",
        ),
        (format!("cp {honest} out.pdf; exit 1"), "Unknown error", "code 1"),
        (format!("cp {honest} out.pdf; kill -9 $$"), "Unknown error", "signal"),
        ("true".to_owned(), "Unknown error", "working files"),
        ("echo nonsense > out.pdf".to_owned(), "Unknown error", "cannot be read"),
        (format!("cp {other} out.pdf"), "Unknown error", "2 pages became 1"),
        (format!("cp {unconverted} out.pdf"), "Unknown error", "PDF/A-2B"),
        (format!("cp {blank} out.pdf"), "Unknown error", "blank: [1, 2]"),
        // stops at errors unless it is told not to
        (
            format!("case \"$*\" in *STOPONERROR*) exit 1;; esac; cp {honest} out.pdf"),
            "",
            "2 of 2 pages compared",
        ),
        ("exec sleep 600".to_owned(), "Unknown error", "not finished"),
    ];
    for (body, message, note) in cases {
        let home = tempfile::tempdir().unwrap();
        // Only who sleeps on is to meet the limit, also on a busy machine.
        let seconds = if body.contains("sleep") { 2 } else { 100 };
        let sandbox = Sandbox::builder()
            .converter(ConverterChoice::Program(script(home.path(), &body)))
            .conversion_limit(Duration::from_secs(seconds))
            .start()
            .unwrap();
        assert_eq!(sandbox.converter().unwrap(), "ghostscript 10.99.0");
        let (result, document) = convert_one(&sandbox, &good, false);
        let noted = notes(&sandbox);
        if message.is_empty() {
            assert!(document.is_some(), "{body}: {result} {noted}");
        } else {
            assert_eq!(texts(&result["conversionErrors"]), [message], "{body}: {noted}");
        }
        if note != "blank: [1, 2]" || !noted.contains("not compared: no renderer") {
            assert!(noted.contains(note), "{body}: {noted}");
        }
    }
}

#[cfg(unix)]
#[test]
fn a_converter_that_cannot_tell_its_version_is_none() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("gs");
    let choice = ConverterChoice::Program(path.clone());
    let sandbox = Sandbox::builder().converter(choice).start().unwrap();
    assert!(sandbox.converter().unwrap_err().contains("could not be run"));
}

/// What the converter leaves behind must be nothing.
#[cfg(unix)]
#[test]
fn no_converter_outlives_its_client() {
    let home = tempfile::tempdir().unwrap();
    let mark = home.path().join("pid");
    let body = format!("echo $$ > {}; exec sleep 6000", mark.display());
    let program = script(home.path(), &body);
    let sandbox = Sandbox::builder().converter(ConverterChoice::Program(program)).start().unwrap();
    if !has_converter(&sandbox) {
        return;
    }
    let bearer = bearer(&sandbox);
    let body = documents(&[&samples::loan_agreement()]);
    let mut connection = Connection::open(sandbox.base_url());
    let head = format!(
        "POST /signdoc/convert HTTP/1.1\r\nhost: x\r\nauthorization: {bearer}\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    connection.send(head.as_bytes()).unwrap();
    let wait_for = |what: &dyn Fn() -> bool| {
        let started = Instant::now();
        while !what() {
            assert!(started.elapsed() < Duration::from_secs(60), "waited too long");
            std::thread::sleep(Duration::from_millis(10));
        }
    };
    wait_for(&|| std::fs::read_to_string(&mark).is_ok_and(|text| text.ends_with('\n')));
    let pid = std::fs::read_to_string(&mark).unwrap().trim().to_owned();
    let alive = || {
        let mut kill = std::process::Command::new("kill");
        kill.args(["-0", &pid]).stderr(std::process::Stdio::null()).status().unwrap().success()
    };
    assert!(alive());
    drop(connection);
    wait_for(&|| !alive());
}
