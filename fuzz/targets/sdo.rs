//! Signed data objects: no panic, and no change passes with another document or signer.

use std::sync::OnceLock;

use signdoc_signature::pki::SdoRequest;
use signdoc_signature::sdo::{DocumentKind, Sdo, SdoTrust};

use super::kit::{HASH, kit, later, now};

const DOCUMENT: &[u8] = b"pay 100 000";

pub const WORDS: &[&[u8]] = &[
    b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
    b"<!DOCTYPE a [<!ENTITY b \"c\">]>",
    b"<![CDATA[",
    b"]]>",
    b"<!--",
    b"-->",
    b"&amp;",
    b"&#x0;",
    b"&#1114112;",
    b"xmlns=\"\"",
    b"xmlns:a=\"http://www.w3.org/2000/09/xmldsig#\"",
    b"<SDODataPart>",
    b"</SDODataPart>",
    b"<SignatureElement>",
    b"<SDOSeal>",
    b"</SDO>",
    b"<SDO>",
    b"<a:b/>",
    b"\xef\xbb\xbf",
    b"\x00",
    b"====",
];

fn samples() -> &'static [String] {
    static SAMPLES: OnceLock<Vec<String>> = OnceLock::new();
    SAMPLES.get_or_init(|| {
        let kit = kit();
        let both = [&kit.signer, kit.pki.root()];
        let kinds = [DocumentKind::Text, DocumentKind::Pdf, DocumentKind::Xml];
        let make = |(index, kind): (usize, &DocumentKind)| {
            let request = SdoRequest {
                kind,
                digest: &HASH.digest(DOCUMENT),
                document: (index != 1).then_some(DOCUMENT),
                signers: if index == 2 { &both } else { &both[..1] },
                seal: &kit.signer,
                at: now(),
                description: "a description",
            };
            kit.pki.sdo(&request).unwrap()
        };
        kinds.iter().enumerate().map(make).collect()
    })
}

pub fn seeds() -> Vec<Vec<u8>> {
    samples().iter().map(|sample| sample.clone().into_bytes()).collect()
}

pub fn run(data: &[u8]) -> bool {
    let _ = Sdo::parse_all(data);
    let Ok(read) = Sdo::parse(data) else { return false };
    let anchors = kit().pki.anchors();
    let trust = SdoTrust::new(&anchors, later());
    let _ = read.verify(Some(b"another document"), &trust);
    let report = read.verify(Some(DOCUMENT), &trust);
    if !report.is_valid() && !report.is_valid_for_digest() {
        return false;
    }
    if let Some(document) = read.document().unwrap() {
        assert!(!report.is_valid() || document == DOCUMENT, "another document passes");
    }
    // What the seal covers stands exactly as it was sealed.
    let text = std::str::from_utf8(data).unwrap();
    let sealed = |sample: &String| {
        let end = "</SDODataPart>";
        let part = sample.find("<SDODataPart>").unwrap()..sample.find(end).unwrap() + end.len();
        text.contains(&sample[part])
    };
    assert!(samples().iter().any(sealed), "another sealed part passes");
    true
}
