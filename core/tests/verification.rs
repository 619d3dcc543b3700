//! What a report means in the error table.
#![cfg(feature = "signing")]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "test code; helpers count as outside of tests"
)]

use std::sync::Arc;

use bytes::Bytes;
use signdoc::Code;
use signdoc::pdf::crypto::{HashAlgorithm, KeyKind};
use signdoc::pdf::pdf::SharedSource;
use signdoc::pdf::pki::{Identity, Pki, SdoRequest};
use signdoc::pdf::sdo::DocumentKind;
use signdoc::pdf::sign::{PrepareOptions, prepare};
use signdoc::pdf::verify::{VerifyOptions, verify_files};
use signdoc::pdf::{asn1::Time, cms, fixtures, problem, report_json};

struct Office {
    pki: Pki,
    signer: Identity,
}

impl Office {
    fn new() -> Self {
        let pki = Pki::new(11).unwrap();
        let signer = pki.person("Kari", "Nordmann", 7, KeyKind::P256).unwrap();
        Self { pki, signer }
    }

    /// In the two steps that are public: prepare, sign anywhere, embed.
    fn sign(&self, pdf: &[u8]) -> Vec<u8> {
        let hash = HashAlgorithm::Sha256;
        let options = PrepareOptions { time: Some(Time::now()), ..PrepareOptions::default() };
        let prepared = prepare(arc(pdf), &options).unwrap();
        let digest = prepared.digest(hash).unwrap();
        let own = self.signer.certificate();
        let attributes =
            cms::signed_attributes(&digest, hash, own, &cms::AttributeOptions::default()).unwrap();
        let algorithm = self.signer.algorithm(hash);
        let value = self.signer.sign_hash(algorithm, &attributes.hash_to_sign()).unwrap();
        let cms = cms::assemble(&cms::Assembly {
            attributes: &attributes,
            algorithm,
            signature: &value,
            signer: own,
            others: self.signer.intermediates(),
            timestamp: None,
            content: None,
        });
        let mut signed = Vec::new();
        prepared.embed(&cms.unwrap(), &mut signed).unwrap();
        signed
    }

    fn sdo(&self, document: &[u8]) -> Vec<u8> {
        let seal = self.pki.merchant("Seals AS (test)", "888888888", KeyKind::P256).unwrap();
        let request = SdoRequest {
            kind: &DocumentKind::Pdf,
            digest: &HashAlgorithm::Sha256.digest(document),
            document: Some(document),
            signers: &[&self.signer],
            seal: &seal,
            at: Time::now(),
            description: "terms",
        };
        self.pki.sdo(&request).unwrap().into_bytes()
    }

    fn options(&self) -> VerifyOptions {
        VerifyOptions { trust: self.pki.anchors(), ..VerifyOptions::default() }
    }
}

fn arc(bytes: &[u8]) -> SharedSource {
    Arc::new(Bytes::copy_from_slice(bytes))
}

fn code(file: &[u8], options: &VerifyOptions) -> Option<Code> {
    let report = verify_files(&[arc(file)], options);
    let problem = problem(&report);
    let shown = report_json(&report);
    assert_eq!(shown["problem"].is_null(), report.is_ok());
    assert_eq!(problem.is_none(), report.is_ok());
    if let Some(problem) = &problem {
        assert_eq!(shown["problem"]["code"], problem.code().number());
        assert!(!shown["problem"].to_string().contains("UN:NO"), "a number of a person");
        assert_eq!(problem.code().spec().class, "VerificationError");
    }
    problem.map(|problem| problem.code())
}

#[test]
fn each_failure_has_its_code() {
    let office = Office::new();
    let original = fixtures::simple();
    let signed = office.sign(&original);
    let good = office.options();
    let with = |change: fn(&mut VerifyOptions)| {
        let mut options = office.options();
        change(&mut options);
        options
    };
    let set = |name: &str, value: &str| {
        let mut options = office.options();
        options.set(name, value).unwrap();
        options
    };
    assert_eq!(code(&signed, &good), None);
    assert_eq!(code(b"no pdf", &good), Some(Code::PdfMalformed));
    assert_eq!(code(&original, &good), Some(Code::SignatureMissing));
    assert_eq!(code(&signed, &VerifyOptions::default()), Some(Code::NotChecked));
    let other = Pki::new(12).unwrap().anchors();
    let options = VerifyOptions { trust: other, ..VerifyOptions::default() };
    assert_eq!(code(&signed, &options), Some(Code::ChainUntrusted));
    let mut changed = signed.clone();
    changed[30] ^= 1;
    assert_eq!(code(&changed, &good), Some(Code::IntegrityFailed));
    let options = VerifyOptions {
        original: Some(arc(&fixtures::PdfBuilder::new().content("other").build())),
        ..office.options()
    };
    assert_eq!(code(&signed, &options), Some(Code::ContentChanged));
    let page = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>";
    let later = fixtures::append_update(&signed, &[(3, page)], 1);
    assert_eq!(code(&later, &good), Some(Code::ChangedAfterSigning));
    assert_eq!(code(&signed, &set("signer", "Ola Hansen")), Some(Code::SignerMismatch));
    assert_eq!(code(&signed, &set("signer", "Kari Nordmann")), None);
    assert_eq!(code(&signed, &set("require", "timestamp")), Some(Code::NotChecked));
    assert_eq!(code(&signed, &set("require", "revocation")), Some(Code::RevocationUnknown));
    assert_eq!(code(&signed, &set("require", "B-T")), Some(Code::LevelNotMet));
    let early = with(|options| options.at = Some(Time::from_unix(0)));
    assert_eq!(code(&signed, &early), Some(Code::ChainUntrusted), "signed in the future");
}

#[test]
fn signed_data_objects_have_codes_as_well() {
    let office = Office::new();
    let document = fixtures::simple();
    let sdo = office.sdo(&document);
    assert_eq!(code(&sdo, &office.options()), None);
    assert_eq!(code(b"<SDO", &office.options()), Some(Code::SdoMalformed));
    let options = VerifyOptions { original: Some(arc(b"another")), ..office.options() };
    assert_eq!(code(&sdo, &options), Some(Code::ContentChanged));
    let text = String::from_utf8(sdo).unwrap();
    let changed = text.replace("</SDODataPart>", " </SDODataPart>");
    assert_eq!(code(changed.as_bytes(), &office.options()), Some(Code::SealInvalid));
}

#[test]
fn sessions_are_named_by_file() {
    let office = Office::new();
    let original = fixtures::simple();
    let first = office.sign(&original);
    let second = office.sign(&first);
    let options = VerifyOptions { original: Some(arc(&original)), ..office.options() };
    let good = verify_files(&[arc(&first), arc(&second)], &options);
    assert!(problem(&good).is_none(), "{:#}", good.to_json());
    let other = office.sign(&fixtures::PdfBuilder::new().content("other").build());
    let bad = verify_files(&[arc(&first), arc(&other)], &options);
    let error = problem(&bad).unwrap();
    assert_eq!(error.code(), Code::ContentChanged);
    assert!(error.message().contains("file[1].original"), "{error}");
}
