//! Containers of signed files and their evidence: what is whole verifies, and whatever is changed
//! is found by the check that is named for it.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "test code; helpers count as outside of tests"
)]

mod common;
mod container_kit;
mod verify_kit;

use std::sync::Arc;

use common::signing::Level as Made;
use container_kit::{Entry, entries_of, entry, zip, zip_around};
use signdoc_signature::asic::{Files, IDENTITY, ORDER, SIGNED_PDF, SIGNED_SDO};
use signdoc_signature::asn1::Time;
use signdoc_signature::crypto::{HashAlgorithm, KeyKind};
use signdoc_signature::fixtures;
use signdoc_signature::pki::{OcspOptions, SdoRequest};
use signdoc_signature::report::Status;
use signdoc_signature::sdo::DocumentKind;
use signdoc_signature::verify::{FileReport, Requirement, VerifyOptions, verify_file};
use signdoc_signature::x509::TrustAnchors;
use verify_kit::{Kit, NOW, arc, base64_sha256};

const HASH: HashAlgorithm = HashAlgorithm::Sha256;
const STAMPED: i64 = NOW + 60;

fn stamped(kit: &Kit, files: &Files) -> Vec<u8> {
    let digest = HASH.digest(&files.manifest());
    let token = kit.pki.timestamp(&digest, HASH, Time::from_unix(STAMPED), None).unwrap();
    written(files, Some(&token))
}

fn written(files: &Files, token: Option<&[u8]>) -> Vec<u8> {
    let mut out = Vec::new();
    files.write(token, &mut out).unwrap();
    out
}

fn files(all: &[(&str, &[u8])]) -> Files {
    let mut files = Files::new();
    for (name, data) in all {
        files.add(name, "application/octet-stream", Arc::new(data.to_vec())).unwrap();
    }
    files
}

/// A signed PDF with all that is known about it.
fn of_pdf(kit: &Kit) -> Files {
    let original = fixtures::simple();
    let signed = kit.sign(&original, Made::B, &kit.plain());
    let order = serde_json::json!({
        "order_id": "4711", "signed_sha256": base64_sha256(&signed),
        "unsigned_sha256": base64_sha256(&original),
    });
    let identity = serde_json::json!({"given_name": "Kari", "family_name": "Nordmann"});
    let (order, identity) = (order.to_string(), identity.to_string());
    let at = Time::from_unix(STAMPED);
    let answer = |who| kit.pki.ocsp_response(who, &OcspOptions::at(at)).unwrap();
    files(&[
        ("original.pdf", &original),
        (SIGNED_PDF, &signed),
        (ORDER, order.as_bytes()),
        (IDENTITY, identity.as_bytes()),
        ("evidence/signer.ocsp", &answer(kit.signer.certificate())),
        ("evidence/authority.ocsp", &answer(kit.pki.timestamping().certificate())),
        ("evidence/issuing.crl", &kit.pki.crl(at).unwrap()),
        ("evidence/root.crl", &kit.pki.root_crl(at).unwrap()),
    ])
}

fn of_sdo(kit: &Kit, at: Time) -> Vec<u8> {
    let seal = kit.pki.merchant("Sealing Service (test)", "888888888", KeyKind::P256).unwrap();
    let request = SdoRequest {
        kind: &DocumentKind::Text,
        digest: &HASH.digest(b"A loan"),
        document: Some(b"A loan"),
        signers: &[&kit.signer],
        seal: &seal,
        at,
        description: "Loan",
    };
    kit.pki.sdo(&request).unwrap().into_bytes()
}

fn look(container: &[u8], options: &VerifyOptions) -> FileReport {
    verify_file(&arc(container), options)
}

fn status(report: &FileReport, name: &str) -> Status {
    report.checks().status(name)
}

#[track_caller]
fn assert_ok(report: &FileReport) {
    assert!(report.is_ok(), "{:#}", report.to_json());
}

/// The check fails and its detail says this.
#[track_caller]
fn assert_failed(container: &[u8], kit: &Kit, check: &str, detail: &str) {
    let report = look(container, &kit.options());
    assert!(!report.is_ok());
    assert_eq!(status(&report, check), Status::Failed, "{check}: {:#}", report.to_json());
    let told = &report.checks().get(check).unwrap().detail;
    assert!(told.contains(detail), "{detail}: {told}");
}

#[test]
fn a_whole_container_of_a_pdf_verifies_with_nothing_but_trust() {
    let kit = Kit::new(61);
    let container = stamped(&kit, &of_pdf(&kit));
    let report = look(&container, &kit.options());
    assert_ok(&report);
    assert_eq!((report.kind(), report.document().kind()), ("asice", "pdf"));
    for name in [
        "container",
        "manifest",
        "contents",
        "container_timestamp",
        "order",
        "identity",
        "original",
        "unsigned_digest",
        "signer",
        "timestamp",
        "revocation",
    ] {
        assert_eq!(status(&report, name), Status::Passed, "{name}: {:#}", report.to_json());
    }
    let shown = report.to_json();
    assert_eq!(shown["container"]["proven_time"], Time::from_unix(STAMPED).to_string());
    assert_eq!(shown["signatures"][0]["judged_at"]["proof"], "container_timestamp");
    // A level is of the document alone.
    assert_eq!(shown["signatures"][0]["level"], "B-B");
    let require = vec![Requirement::ContainerTimestamp, Requirement::Timestamp];
    assert_ok(&look(&container, &VerifyOptions { require, ..kit.options() }));
}

#[test]
fn the_same_files_give_the_same_container() {
    let kit = Kit::new(61);
    assert_eq!(written(&of_pdf(&kit), None), written(&of_pdf(&kit), None));
}

#[test]
fn signatures_within_keep_their_own_proof_and_level() {
    let kit = Kit::new(62);
    let original = fixtures::simple();
    for (made, level) in [(Made::T, "B-T"), (Made::Lta, "B-LTA")] {
        let signed = kit.sign(&original, made, &kit.plain());
        let container = stamped(&kit, &files(&[(SIGNED_PDF, &signed)]));
        let report = look(&container, &kit.options());
        assert_ok(&report);
        let shown = report.to_json();
        assert_eq!(shown["signatures"][0]["level"], level);
        assert_ne!(shown["signatures"][0]["judged_at"]["proof"], "container_timestamp");
    }
}

#[test]
fn without_a_timestamp_the_container_says_so() {
    let kit = Kit::new(63);
    let container = written(&of_pdf(&kit), None);
    let report = look(&container, &kit.options());
    assert_ok(&report);
    assert_eq!(status(&report, "container_timestamp"), Status::NotChecked);
    let require = vec![Requirement::ContainerTimestamp];
    let report = look(&container, &VerifyOptions { require: require.clone(), ..kit.options() });
    assert!(!report.is_ok());
    assert_eq!(report.unanswered()[0].name, "container_timestamp");
    // A file that is in no container cannot have one.
    let signed = kit.sign(&fixtures::simple(), Made::B, &kit.plain());
    let report = look(&signed, &VerifyOptions { require, ..kit.options() });
    assert_eq!(status(&report, "container_timestamp"), Status::Failed);
}

#[test]
fn trust_is_what_the_caller_gives() {
    let kit = Kit::new(64);
    let container = stamped(&kit, &of_pdf(&kit));
    let report = look(&container, &VerifyOptions { trust: TrustAnchors::none(), ..kit.options() });
    assert!(!report.is_ok());
    let check = report.checks().get("container_timestamp").unwrap();
    assert_eq!(check.status, Status::NotChecked);
    assert!(check.detail.contains("no trust anchors"), "{}", check.detail);
    let other = Some(Kit::new(65).pki.anchors());
    let report = look(&container, &VerifyOptions { timestamp_trust: other, ..kit.options() });
    assert_eq!(status(&report, "container_timestamp"), Status::NotChecked);
    assert_eq!(report.to_json()["container"]["proven_time"], serde_json::Value::Null);
}

#[test]
fn an_sdo_is_judged_at_the_time_that_its_container_proves() {
    let kit = Kit::new(66);
    let sdo = of_sdo(&kit, Time::from_unix(NOW));
    let issuing = kit.pki.issuing().certificate().as_der().to_vec();
    let held = files(&[
        (SIGNED_SDO, &sdo),
        ("original.txt", b"A loan"),
        ("evidence/issuing.cer", &issuing),
    ]);
    let report = look(&stamped(&kit, &held), &kit.options());
    assert_ok(&report);
    assert_eq!((report.kind(), report.document().kind()), ("asice", "sdo"));
    for name in ["container_timestamp", "original", "signature[0].time", "seal.chain"] {
        assert_eq!(status(&report, name), Status::Passed, "{name}: {:#}", report.to_json());
    }
    assert_ok(&look(&written(&held, None), &kit.options()));
    // Signed after it was stamped, as its signer says.
    let late = of_sdo(&kit, Time::from_unix(STAMPED + 1800));
    let held = files(&[(SIGNED_SDO, &late)]);
    assert_ok(&look(&written(&held, None), &kit.options()));
    assert_failed(&stamped(&kit, &held), &kit, "signature[0].time", "lies in the future");
}

#[test]
fn what_the_container_tells_is_compared_with_the_document() {
    let kit = Kit::new(67);
    let original = fixtures::simple();
    let signed = kit.sign(&original, Made::B, &kit.plain());
    let with =
        |name: &str, data: &[u8]| stamped(&kit, &files(&[(SIGNED_PDF, &signed), (name, data)]));
    let other = base64_sha256(b"other");
    let order = |name: &str| format!("{{\"{name}\": \"{other}\"}}");
    let wrong = [
        (
            IDENTITY,
            br#"{"given_name": "Ola", "family_name": "Nordmann"}"#.to_vec(),
            "signer",
            "given_name",
        ),
        (IDENTITY, b"[]".to_vec(), "identity", "no json object"),
        (ORDER, order("signed_sha256").into_bytes(), "order", "another digest"),
        (ORDER, order("unsigned_sha256").into_bytes(), "unsigned_digest", ""),
        (ORDER, b"no json".to_vec(), "order", "no json object"),
        ("original.pdf", b"%PDF-1.7 other".to_vec(), "original", ""),
    ];
    for (name, data, check, detail) in wrong {
        assert_failed(&with(name, &data), &kit, check, detail);
    }
    // What the caller knows better is not replaced.
    let options = VerifyOptions { original: Some(arc(b"%PDF-1.4 other")), ..kit.options() };
    let report = look(&with("original.pdf", &original), &options);
    assert_eq!(status(&report, "original"), Status::Failed);
    let report = look(&with(IDENTITY, br#"{"sub": "f:1"}"#), &kit.options());
    assert_eq!(status(&report, "identity"), Status::NotChecked);
    assert_ok(&report);
}

type Tampering = fn(&mut Vec<Entry>);

fn named<'a>(entries: &'a mut [Entry], name: &str) -> &'a mut Entry {
    entries.iter_mut().find(|entry| entry.name == name.as_bytes()).unwrap()
}

#[test]
fn every_tampering_fails_the_check_that_is_named_for_it() {
    let kit = Kit::new(68);
    let good = entries_of(&stamped(&kit, &of_pdf(&kit)));
    let cases: [(&str, &str, Tampering); 23] = [
        ("contents", ORDER, |e| named(e, ORDER).data[5] ^= 1),
        ("contents", SIGNED_PDF, |e| named(e, SIGNED_PDF).data.push(b'\n')),
        ("manifest", "extra.txt", |e| e.push(entry("extra.txt", b"x"))),
        ("manifest", "META-INF/signatures.xml", |e| e.push(entry("META-INF/signatures.xml", b"x"))),
        ("manifest", "evidence/signer.ocsp", |e| e.retain(|one| !one.name.ends_with(b".ocsp"))),
        ("manifest", "there is no", |e| e.retain(|one| !one.name.ends_with(b".xml"))),
        ("container_timestamp", "other content", |e| {
            let manifest = &mut named(e, "META-INF/ASiCManifest.xml").data;
            manifest.pop();
        }),
        ("container_timestamp", "", |e| named(e, "META-INF/timestamp.tst").data.truncate(90)),
        ("document", "0 signed files", |e| named(e, SIGNED_PDF).name = b"other.pdf".to_vec()),
        ("container", "twice", |e| e.push(entry(ORDER, b"{}"))),
        ("container", "twice", |e| e.push(entry("Order.JSON", b"{}"))),
        ("container", "mimetype", |e| e[0].data = b"application/zip".to_vec()),
        ("container", "mimetype", |e| e.swap(0, 1)),
        ("container", "mimetype", |e| e[0] = e[0].clone().deflated()),
        ("container", "plain relative path", |e| e.push(entry("../evil", b"x"))),
        ("container", "plain relative path", |e| e.push(entry("folder/", b""))),
        ("container", "two ways", |e| e[2].local_name = Some(b"signed.pdx".to_vec())),
        ("container", "bytes between", |e| e[0].before = b"PK\x03\x04 hidden".to_vec()),
        ("container", "follow", |e| e[2].before = b"PK\x03\x04 hidden".to_vec()),
        ("container", "check sum", |e| e[2].crc = Some(1)),
        ("container", "encrypted", |e| e[2].flags = 1),
        ("container", "extra field", |e| e[2].extra = b"up\x01\0\x01".to_vec()),
        ("container", "more than", |e| e.extend((0..1000).map(|n| entry(&format!("f{n}"), b"")))),
    ];
    assert_ok(&look(&zip(&good), &kit.options()));
    for (check, detail, tamper) in cases {
        let mut entries = good.clone();
        tamper(&mut entries);
        assert_failed(&zip(&entries), &kit, check, detail);
    }
    assert_failed(&zip_around(&good, b"gap", b""), &kit, "container", "follow");
    assert_failed(&zip_around(&good, b"", b"tail"), &kit, "container", "behind its directory");
}

#[test]
fn the_timestamp_of_another_manifest_is_found() {
    let kit = Kit::new(69);
    let other = entries_of(&stamped(&kit, &files(&[(SIGNED_PDF, b"%PDF-1.7")])));
    let mut entries = entries_of(&stamped(&kit, &of_pdf(&kit)));
    *entries.last_mut().unwrap() = other.last().unwrap().clone();
    assert_failed(&zip(&entries), &kit, "container_timestamp", "other content");
}

#[test]
fn compressed_files_are_read_within_bounds() {
    let kit = Kit::new(70);
    let good = entries_of(&stamped(&kit, &of_pdf(&kit)));
    let packed = |entry: &Entry| match entry.name == b"mimetype" {
        true => entry.clone(),
        false => entry.clone().deflated(),
    };
    let mut entries: Vec<Entry> = good.iter().map(packed).collect();
    assert_ok(&look(&zip(&entries), &kit.options()));
    entries.iter_mut().skip(1).for_each(|entry| entry.flags = 8);
    assert_ok(&look(&zip(&entries), &kit.options()));
    entries.push(entry("bomb", &vec![0; 4 << 20]).deflated());
    // What is said to be large is not unpacked at all.
    entries.last_mut().unwrap().size = Some((128 << 20) + 1);
    assert_failed(&zip(&entries), &kit, "container", "together");
    // What is said to be small is unpacked no further than that.
    entries.last_mut().unwrap().size = Some(10);
    assert_failed(&zip(&entries), &kit, "container", "another size");
    entries.last_mut().unwrap().size = Some(0xffff_fff0);
    assert_failed(&zip(&entries), &kit, "container", "together");
}

#[test]
fn no_change_of_a_byte_passes_or_panics() {
    let kit = Kit::new(71);
    let signed = kit.sign(&fixtures::simple(), Made::B, &kit.plain());
    let container = stamped(&kit, &files(&[(SIGNED_PDF, &signed)]));
    let options = VerifyOptions { require: vec![Requirement::ContainerTimestamp], ..kit.options() };
    assert_ok(&look(&container, &options));
    let mut passed = Vec::new();
    for at in (0..container.len()).step_by(7) {
        let mut bytes = container.clone();
        bytes[at] ^= 0x41;
        if look(&bytes, &options).is_ok() {
            passed.push(at);
        }
    }
    // Times, versions and attributes of entries say nothing about what is in them.
    let shown = |at: &usize| (*at, container[*at]);
    assert!(passed.len() < 20, "{:?}", passed.iter().map(shown).collect::<Vec<_>>());
    for end in (0..container.len()).step_by(61) {
        assert!(!look(&container[..end], &options).is_ok());
    }
}

#[test]
fn names_that_no_file_can_have_are_refused() {
    let mut held = files(&[(SIGNED_PDF, b"%PDF-1.7")]);
    for name in ["", "/a", "../a", "mimetype", "META-INF/x", "meta-inf/x", "Signed.pdf", "æ"] {
        let error = held.add(name, "text/plain", Arc::new(b"x".to_vec())).unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput, "{name}");
    }
}
