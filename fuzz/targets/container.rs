//! Containers of signed files: no panic, and nothing passes but what was stamped.

use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use signdoc_signature::asic::{Files, IDENTITY, ORDER, SIGNED_SDO};
use signdoc_signature::pdf::SharedSource;
use signdoc_signature::pki::SdoRequest;
use signdoc_signature::sdo::DocumentKind;
use signdoc_signature::verify::{Requirement, VerifyOptions, verify_file};

use super::kit::{HASH, kit, later, now};

const DOCUMENT: &[u8] = b"pay 100 000";

pub const WORDS: &[&[u8]] = &[
    b"PK\x03\x04",
    b"PK\x01\x02",
    b"PK\x05\x06",
    b"PK\x06\x06",
    b"PK\x07\x08",
    b"mimetype",
    b"application/vnd.etsi.asic-e+zip",
    b"META-INF/ASiCManifest.xml",
    b"META-INF/timestamp.tst",
    b"META-INF/signatures.xml",
    b"signed.sdo",
    b"signed.pdf",
    b"../",
    b"up\x05\x00\x01",
    b"<asic:DataObjectReference URI=\"",
    b"<ds:DigestValue>",
    b"http://www.w3.org/2001/04/xmlenc#sha512",
    b"{\"signed_sha256\": \"\"}",
    b"\xff\xff\xff\xff",
    b"\x08\x00",
];

struct Sample {
    bytes: Vec<u8>,
    manifest: Vec<u8>,
}

fn sample(is_whole: bool) -> Sample {
    let kit = kit();
    let request = SdoRequest {
        kind: &DocumentKind::Text,
        digest: &HASH.digest(DOCUMENT),
        document: Some(DOCUMENT),
        signers: &[&kit.signer],
        seal: &kit.signer,
        at: now(),
        description: "a description",
    };
    let sdo = kit.pki.sdo(&request).unwrap().into_bytes();
    let issuing = kit.pki.issuing().certificate().as_der().to_vec();
    let more: [(&str, &[u8]); 4] = [
        ("original.txt", DOCUMENT),
        (ORDER, b"{\"order_id\": \"4711\"}"),
        (IDENTITY, b"{\"given_name\": \"Kari\"}"),
        ("evidence/1.cer", &issuing),
    ];
    let mut files = Files::new();
    let all =
        [(SIGNED_SDO, sdo.as_slice())].into_iter().chain(more.into_iter().filter(|_| is_whole));
    for (name, data) in all {
        files.add(name, "application/octet-stream", Arc::new(data.to_vec())).unwrap();
    }
    let manifest = files.manifest();
    let token = kit.pki.timestamp(&HASH.digest(&manifest), HASH, now(), None).unwrap();
    let mut bytes = Vec::new();
    files.write(Some(&token), &mut bytes).unwrap();
    Sample { bytes, manifest }
}

fn samples() -> &'static [Sample] {
    static SAMPLES: OnceLock<Vec<Sample>> = OnceLock::new();
    SAMPLES.get_or_init(|| vec![sample(true), sample(false)])
}

pub fn seeds() -> Vec<Vec<u8>> {
    samples().iter().map(|sample| sample.bytes.clone()).collect()
}

pub fn run(data: &[u8]) -> bool {
    let options = VerifyOptions {
        trust: kit().pki.anchors(),
        require: vec![Requirement::ContainerTimestamp],
        at: Some(later()),
        ..VerifyOptions::default()
    };
    let source: SharedSource = Arc::new(Bytes::copy_from_slice(data));
    let report = verify_file(&source, &options);
    assert!(report.to_json().is_object());
    if !report.is_ok() {
        return false;
    }
    let has = |part: &[u8]| data.windows(part.len()).any(|window| window == part);
    assert!(samples().iter().any(|sample| has(&sample.manifest)), "another manifest passes");
    true
}
