//! Signed documents before judges that are not ours: qpdf, pdfsig and pyHanko, where installed.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "test code; helpers count as outside of tests"
)]

mod common;

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use bytes::Bytes;
use common::signing::{Level, Signing, bytes};
use signdoc_signature::asn1::Time;
use signdoc_signature::crypto::KeyKind;
use signdoc_signature::fixtures::{self, PdfBuilder};
use signdoc_signature::pdf::{FileSource, PdfErrorKind};
use signdoc_signature::pki::Pki;
use signdoc_signature::sign::{Certification, PrepareOptions, Seal, SealFit};

/// Runs a program; `None` and a printed reason when it is not installed.
fn run(program: &str, arguments: &[&str], folder: &Path) -> Option<(bool, String)> {
    match Command::new(program).args(arguments).current_dir(folder).output() {
        Ok(output) => {
            let text = [output.stdout, output.stderr].concat();
            Some((output.status.success(), String::from_utf8_lossy(&text).into_owned()))
        }
        Err(error) => {
            println!("not judged: {program} does not run ({error})");
            None
        }
    }
}

/// Signs a file at every level, one signature upon the other, and lets the judges look.
#[test]
fn every_structure_at_every_level_is_accepted() {
    let pki = Pki::new(4).unwrap();
    let signer = pki.person("Kari", "Nordmann", 1, KeyKind::P256).unwrap();
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("root.pem"), pki.trust_pem()).unwrap();
    let mut inputs = fixtures::all_structures();
    inputs.push(("Plain".to_owned(), fixtures::simple()));
    inputs.push((
        "Rotated".to_owned(),
        PdfBuilder::new().page_entries("/MediaBox[-10 -10 300 500]/Rotate 270").build(),
    ));
    let mut names = Vec::new();
    for (name, input) in inputs {
        let mut current = input;
        for (round, level) in [Level::B, Level::T, Level::Lt, Level::Lta].into_iter().enumerate() {
            let signing = Signing { pki: &pki, signer: &signer, level, at: Time::now() };
            let seal = Seal { x: 10.0, y: 10.0 + 60.0 * round as f64, ..Seal::default() };
            let options = PrepareOptions {
                name: Some("Kari Nordmann".to_owned()),
                reason: Some("Lån 4711".to_owned()),
                time: Some(Time::now()),
                seal: (round % 2 == 0).then_some(seal),
                ..PrepareOptions::default()
            };
            let signed = signing.sign(Arc::new(Bytes::from(current.clone())), &options).unwrap();
            let signed = bytes(&signed);
            assert!(signed.starts_with(&current));
            assert_eq!(
                common::signing::signature_count(&signed),
                round + 1 + usize::from(level == Level::Lta)
            );
            current = signed;
        }
        let file = format!("{name}.pdf");
        std::fs::write(folder.path().join(&file), &current).unwrap();
        names.push(file);
    }
    for file in &names {
        judge_syntax(folder.path(), file);
        judge_pdfsig(folder.path(), file, 5);
    }
    // pyHanko reads no file with bytes before its header, signed or not.
    println!("not judged by pyHanko: LeadingBytes.pdf, which it cannot read unsigned either");
    names.retain(|name| name != "LeadingBytes.pdf");
    judge_pyhanko(folder.path(), &names);
}

#[test]
fn existing_fields_and_certifications_are_accepted() {
    let pki = Pki::new(5).unwrap();
    let signer = pki.merchant("Butikken AS", "999999999", KeyKind::Rsa(2048)).unwrap();
    let signing = Signing { pki: &pki, signer: &signer, level: Level::T, at: Time::now() };
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("root.pem"), pki.trust_pem()).unwrap();
    let lock = "/Lock<</Type/SigFieldLock/Action/Include/Fields[(amount)]>>";
    let base = PdfBuilder::new()
        .text_field("amount")
        .signature_field("Buyer", [50.0, 100.0, 250.0, 160.0], lock)
        .build();
    let fill = PrepareOptions {
        field_name: Some("Buyer".to_owned()),
        seal: Some(Seal { lines: vec!["Butikken AS".to_owned()], ..Seal::default() }),
        ..PrepareOptions::default()
    };
    let certify = PrepareOptions {
        certification: Some(Certification::FormFilling),
        ..PrepareOptions::default()
    };
    let mut names = Vec::new();
    let mut write = |name: &str, data: &[u8]| {
        std::fs::write(folder.path().join(name), data).unwrap();
        names.push(name.to_owned());
    };
    let filled = bytes(&signing.sign(Arc::new(Bytes::from(base.clone())), &fill).unwrap());
    write("filled.pdf", &filled);
    let certified = bytes(&signing.sign(Arc::new(Bytes::from(base)), &certify).unwrap());
    write("certified.pdf", &certified);
    let both = bytes(&signing.sign(Arc::new(Bytes::from(certified)), &fill).unwrap());
    write("certified-filled.pdf", &both);
    let again = PrepareOptions::default();
    let third = bytes(&signing.sign(Arc::new(Bytes::from(both)), &again).unwrap());
    write("certified-filled-again.pdf", &third);
    let all = PdfBuilder::new()
        .signature_field("Buyer", [50.0, 100.0, 250.0, 160.0], "/Lock<</Action/All>>")
        .build();
    let archived = Signing { level: Level::Lt, ..signing };
    let locked = bytes(&archived.sign(Arc::new(Bytes::from(all)), &fill).unwrap());
    write("locked-with-store.pdf", &locked);
    let refused = signing.sign(Arc::new(Bytes::from(locked)), &again).unwrap_err();
    assert_eq!(refused.kind(), PdfErrorKind::FieldLocked);
    for file in &names {
        judge_syntax(folder.path(), file);
    }
    judge_pdfsig(folder.path(), "certified-filled-again.pdf", 3);
    judge_pyhanko(folder.path(), &names);
}

fn judge_syntax(folder: &Path, file: &str) {
    let Some((ok, text)) = run("qpdf", &["--check", file], folder) else { return };
    let rebuilt = file.starts_with("WrongStartxref") || file.starts_with("NoXref");
    assert!(ok || rebuilt, "{file}: {text}");
}

fn judge_pdfsig(folder: &Path, file: &str, count: usize) {
    let Some((_, text)) = run("pdfsig", &["-nocert", file], folder) else { return };
    // Document timestamps are none of the types that pdfsig knows.
    let valid = text.matches("Signature is Valid").count();
    let stamps = text.matches("Signature Type: unknown").count();
    assert_eq!(valid + stamps, count, "{file}: {text}");
}

/// pyHanko looks at every item; returns what it refused and why.
fn pyhanko(folder: &Path, items: &[String]) -> Option<Vec<(String, String)>> {
    let python = std::env::var("SIGNDOC_JUDGE_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/judge/pyhanko_judge.py");
    let script = script.to_string_lossy().into_owned();
    let mut arguments = vec![script.as_str(), "root.pem"];
    arguments.extend(items.iter().map(String::as_str));
    let (_, text) = run(&python, &arguments, folder)?;
    if text.contains("pyhanko is not installed") {
        println!("not judged by pyHanko: it is not installed for {python} (SIGNDOC_JUDGE_PYTHON)");
        return None;
    }
    let results: Vec<&str> = text.lines().filter_map(|l| l.strip_prefix("RESULT ")).collect();
    assert_eq!(results.len(), items.len(), "{text}");
    let refused = results.iter().zip(items).filter_map(|(line, item)| {
        let verdict = line.strip_prefix(item.as_str()).unwrap().trim();
        verdict.strip_prefix("refused ").map(|reason| (item.clone(), reason.to_owned()))
    });
    Some(refused.collect())
}

fn judge_pyhanko(folder: &Path, items: &[String]) {
    let Some(refused) = pyhanko(folder, items) else { return };
    assert!(refused.is_empty(), "{refused:#?}");
    println!("pyHanko accepts {} files", items.len());
}

/// Signs every real file; a judge may refuse only what it cannot read unsigned.
#[test]
fn real_files_are_accepted_by_every_judge_that_can_read_them() {
    let Some(files) = common::corpus() else { return };
    let pki = Pki::new(6).unwrap();
    let signer = pki.person("Ola", "Nordmann", 2, KeyKind::P256).unwrap();
    let signing = Signing { pki: &pki, signer: &signer, level: Level::Lt, at: Time::now() };
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("root.pem"), pki.trust_pem()).unwrap();
    let seal =
        Seal { x: 5.0, y: 5.0, width: 80.0, height: 30.0, fit: SealFit::Move, ..Seal::default() };
    let mut signed = Vec::new();
    for path in files {
        let options = PrepareOptions {
            field_name: Some("Judged".to_owned()),
            seal: Some(seal.clone()),
            ..PrepareOptions::default()
        };
        let name = common::name(&path);
        let Ok(output) = signing.sign(Arc::new(FileSource::open(&path).unwrap()), &options) else {
            continue;
        };
        std::fs::write(folder.path().join(&name), bytes(&output)).unwrap();
        std::fs::copy(&path, folder.path().join(format!("unsigned-{name}"))).unwrap();
        signed.push(name);
    }
    println!("{} files signed", signed.len());
    for name in &signed {
        pdfsig_accepts_ours(folder.path(), name);
    }
    let items = |prefix: &str, suffix: &str| -> Vec<String> {
        signed.iter().map(|name| format!("{prefix}{name}{suffix}")).collect()
    };
    for mode in ["", "store::"] {
        let Some(refused) = pyhanko(folder.path(), &items(mode, "::Judged")) else { return };
        let unread = pyhanko(folder.path(), &items("read::unsigned-", "")).unwrap();
        let mut excused = 0;
        let mut unexplained = Vec::new();
        for (item, reason) in &refused {
            let name = item.trim_start_matches("store::").trim_end_matches("::Judged");
            let before = unread.iter().find(|(i, _)| i.ends_with(name));
            match before {
                Some((_, why)) => println!("{name}: pyHanko cannot read it unsigned either: {why}"),
                None => unexplained.push((name, reason)),
            }
            excused += 1;
        }
        assert!(unexplained.is_empty(), "{unexplained:#?}");
        println!("{mode}: {} accepted, {excused} unreadable before", signed.len() - excused);
    }
}

fn pdfsig_accepts_ours(folder: &Path, name: &str) {
    let Some((_, text)) = run("pdfsig", &["-nocert", name], folder) else { return };
    let ours = text.split("Signature #").find(|part| part.contains("Field Name: Judged\n"));
    if ours.is_some_and(|part| part.contains("Signature is Valid")) {
        return;
    }
    let unsigned = format!("unsigned-{name}");
    let (readable, why) = run("pdfinfo", &[&unsigned], folder).unwrap();
    assert!(!readable, "{name}: pdfsig says {text}");
    println!(
        "{name}: poppler cannot read it unsigned either: {}",
        why.lines().next().unwrap_or("")
    );
}
