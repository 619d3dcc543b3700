//! Signed data objects: written, checked, judged by OpenSSL, and attacked.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests")]

#[path = "judge/ber.rs"]
mod ber;
mod judge;

use judge::Judge;
use signdoc_signature::asn1::Time;
use signdoc_signature::crypto::{HashAlgorithm, KeyKind};
use signdoc_signature::pki::{Identity, Pki, RevocationReason, SdoRequest};
use signdoc_signature::report::Status;
use signdoc_signature::sdo::{
    DocumentKind, Sdo, SdoData, SdoReport, SdoTrust, SignatureEntry, bidxml_document, to_iso_8859_1,
};
use signdoc_signature::x509::TrustAnchors;

const HASH: HashAlgorithm = HashAlgorithm::Sha256;

struct Case {
    pki: Pki,
    user: Identity,
    merchant: Identity,
    seal: Identity,
}

impl Case {
    fn new(key: KeyKind) -> Self {
        let pki = Pki::new(41).unwrap();
        let user = pki.person("Kari", "Nordmann", 7, key).unwrap();
        let merchant = pki.merchant("Butikken AS", "999999999", key).unwrap();
        let seal = pki.merchant("Sealing Service (test)", "888888888", key).unwrap();
        Self { pki, user, merchant, seal }
    }

    fn write(&self, kind: &DocumentKind, document: &[u8], inside: bool) -> String {
        let request = SdoRequest {
            kind,
            digest: &HASH.digest(document),
            document: inside.then_some(document),
            signers: &[&self.merchant, &self.user],
            seal: &self.seal,
            at: self.pki.issued(),
            description: "Loan <4711> & terms",
        };
        self.pki.sdo(&request).unwrap()
    }

    fn check(&self, text: &str, document: Option<&[u8]>) -> SdoReport {
        let anchors = self.pki.anchors();
        let trust = SdoTrust::new(&anchors, self.pki.issued());
        Sdo::parse(text.as_bytes()).unwrap().verify(document, &trust)
    }
}

fn status(report: &SdoReport, name: &str) -> Status {
    report.checks.status(name)
}

#[test]
fn every_kind_of_document_is_valid_inside_and_outside() {
    let text = to_iso_8859_1("Jeg låner 100 000 kroner æøå.").unwrap();
    let xml = bidxml_document("<loan sum='100000'/>", "<xsl/>");
    let documents: [(DocumentKind, &[u8]); 3] = [
        (DocumentKind::Pdf, b"%PDF-1.7 ..."),
        (DocumentKind::Text, &text),
        (DocumentKind::Xml, &xml),
    ];
    for key in [KeyKind::P256, KeyKind::Rsa(2048)] {
        let case = Case::new(key);
        for (kind, document) in &documents {
            let with = case.write(kind, document, true);
            let report = case.check(&with, None);
            assert!(report.checks.all_passed(), "{:#?}", report.checks);
            assert!(report.is_valid());
            assert_eq!(report.kind.as_ref(), Some(kind));
            assert_eq!(report.signers.len(), 2);
            assert!(!report.signers[0].is_person() && report.signers[1].is_person());
            assert_eq!(report.signers[1].certificate(), Some(case.user.certificate()));
            assert_eq!(report.signers[1].signing_time(), Some(case.pki.issued()));
            let read = Sdo::parse(with.as_bytes()).unwrap();
            assert_eq!(read.document().unwrap().as_deref(), Some(*document));
            assert_eq!(read.metadata(), [("MerchantDesc".into(), "Loan <4711> & terms".into())]);
            assert!(case.check(&with, Some(document)).is_valid());

            let without = case.write(kind, document, false);
            let report = case.check(&without, Some(document));
            assert!(report.is_valid(), "{:#?}", report.checks);
            let report = case.check(&without, None);
            assert_eq!(status(&report, "document"), Status::NotChecked);
            assert!(!report.is_valid() && report.is_valid_for_digest());
            assert_eq!(Sdo::parse(without.as_bytes()).unwrap().document().unwrap(), None);
        }
    }
}

#[test]
fn every_cms_and_the_seal_are_accepted_by_openssl() {
    let Some(judge) = Judge::new() else { return };
    let document = b"%PDF-1.7 the whole document";
    for key in [KeyKind::P256, KeyKind::P384, KeyKind::Rsa(2048)] {
        let case = Case::new(key);
        let text = case.write(&DocumentKind::Pdf, document, true);
        let read = Sdo::parse(text.as_bytes()).unwrap();
        judge.write("root.pem", case.pki.trust_pem());
        judge.write_pem("ca.pem", case.user.intermediates());
        let parts = read.signatures().iter().map(|s| (s, document.as_slice()));
        for (signature, content) in parts.chain([(read.seal().unwrap(), read.data_part())]) {
            judge.write("content", content);
            judge.write("cms.der", &signature.cms);
            judge.write(
                "ocsp.der",
                signdoc_signature::revocation::wrap_basic_response(&signature.ocsp[0]),
            );
            let verify = "cms -verify -binary -inform DER -in cms.der -CAfile root.pem -purpose any \
                          -signer signer.pem -out out -content";
            judge.accepts(&format!("{verify} content"));
            judge.write("other", b"something else");
            judge.refuses(&format!("{verify} other"));
            judge.accepts(&format!("{verify} content"));
            let said = judge.accepts(
                "ocsp -respin ocsp.der -issuer ca.pem -cert signer.pem -CAfile root.pem -no_nonce",
            );
            assert!(said.contains("signer.pem: good"), "{said}");
        }
    }
}

#[test]
fn changes_to_document_data_part_and_seal_are_found() {
    let case = Case::new(KeyKind::P256);
    let text = case.write(&DocumentKind::Text, b"pay 100 000", true);
    let other = case.write(&DocumentKind::Text, b"pay 900 000", true);
    let part = |text: &str, from: &str, to: &str| {
        let start = text.find(from).unwrap();
        let end = text.find(to).unwrap() + to.len();
        text[start..end].to_owned()
    };
    let swap = |from: &str, to: &str| text.replace(&part(&text, from, to), &part(&other, from, to));

    let document = case.check(&swap("<SignersDocument>", "</SignersDocument>"), None);
    assert_eq!(status(&document, "document"), Status::Failed);
    assert_eq!(status(&document, "signature[0].digest"), Status::Failed);
    assert_eq!(status(&document, "signature[1].cms"), Status::Failed);
    assert_eq!(status(&document, "seal.cms"), Status::Passed);
    assert!(!document.is_valid());

    let seal = case.check(&swap("<SDOSeal>", "</SDOSeal>"), None);
    assert_eq!(status(&seal, "seal.digest"), Status::Failed);
    assert_eq!(status(&seal, "seal.cms"), Status::Failed);
    assert_eq!(status(&seal, "signature[0].cms"), Status::Passed);
    assert!(!seal.is_valid());

    let data = case.check(&swap("<SDODataPart>", "</SDODataPart>"), None);
    assert!(!data.is_valid());
    assert_eq!(status(&data, "seal.cms"), Status::Failed);

    // A space between two tags changes nothing that is read, but breaks the seal.
    let spaced = text.replacen("<SignatureElement>", "<SignatureElement> ", 1);
    let report = case.check(&spaced, None);
    assert_eq!(status(&report, "signature[0].cms"), Status::Passed);
    assert_eq!(status(&report, "seal.digest"), Status::Failed);
    assert!(!report.is_valid());

    // Taking the seal or a signature away.
    let bare = text.replace(&part(&text, "<SDOSeal>", "</SDOSeal>"), "");
    assert!(!case.check(&bare, None).is_valid());
    let fewer = text.replacen(&part(&text, "<SignatureElement>", "</SignatureElement>"), "", 1);
    assert_eq!(status(&case.check(&fewer, None), "seal.cms"), Status::Failed);

    // The document given is not the one inside, or not the signed one.
    assert!(!case.check(&text, Some(b"pay 900 000")).is_valid());
    let outside = case.write(&DocumentKind::Text, b"pay 100 000", false);
    assert!(!case.check(&outside, Some(b"pay 900 000")).is_valid());

    // Metadata is outside the seal, and the report does not speak for it.
    let renamed = text.replace("Loan &lt;4711&gt;", "Other");
    assert!(case.check(&renamed, None).is_valid());
}

#[test]
fn doubled_parts_are_refused_outright() {
    let case = Case::new(KeyKind::P256);
    let text = case.write(&DocumentKind::Text, b"pay 100 000", true);
    let between = |from: &str, to: &str| {
        let start = text.find(from).unwrap();
        let end = text.find(to).unwrap() + to.len();
        text[start..end].to_owned()
    };
    for (from, to) in [
        ("<SDODataPart>", "</SDODataPart>"),
        ("<SDOSeal>", "</SDOSeal>"),
        ("<SignedObject>", "</SignedObject>"),
        ("<SignersDocument>", "</SignersDocument>"),
        ("<CMSSignature>", "</CMSSignature>"),
        ("<ds:DigestValue>", "</ds:DigestValue>"),
        ("<SDO>", "</SDO>"),
    ] {
        let part = between(from, to);
        let doubled = text.replacen(&part, &format!("{part}{part}"), 1);
        assert!(Sdo::parse(doubled.as_bytes()).is_err(), "{from}");
    }
    // A comment that splits a value, a renamed namespace, an entity.
    let commented = text.replacen("<CMSSignature>", "<CMSSignature><!-- -->", 1);
    assert!(Sdo::parse(commented.as_bytes()).is_err());
    let foreign = text.replace("SDO_v1.0", "SDO_v9.9");
    assert!(Sdo::parse(foreign.as_bytes()).is_err());
    let entity = text.replacen("<SDOList", "<!DOCTYPE x [<!ENTITY a 'b'>]><SDOList", 1);
    assert!(Sdo::parse(entity.as_bytes()).is_err());
    assert!(Sdo::parse(b"<SDOList/>").is_err());
    assert!(Sdo::parse(b"").is_err());
    let list = between("<SDO>", "</SDO>");
    let two = text.replacen(&list, &format!("{list}{list}"), 1);
    assert_eq!(Sdo::parse_all(two.as_bytes()).unwrap().len(), 2);
}

#[test]
fn strangers_expired_and_revoked_signers_are_found() {
    let case = Case::new(KeyKind::P256);
    let text = case.write(&DocumentKind::Text, b"hello", true);
    let nobody = TrustAnchors::none();
    let now = case.pki.issued();
    let report = Sdo::parse(text.as_bytes()).unwrap().verify(None, &SdoTrust::new(&nobody, now));
    assert_eq!(status(&report, "signature[1].cms"), Status::Passed);
    assert_eq!(status(&report, "signature[1].chain"), Status::Failed);
    assert_eq!(status(&report, "signature[1].revocation"), Status::NotChecked);
    assert!(!report.is_valid() && !report.is_valid_for_digest());

    let since = now.plus_seconds(-60);
    case.pki.revoke(case.user.certificate(), since, RevocationReason::KeyCompromise);
    let report = case.check(&case.write(&DocumentKind::Text, b"hello", true), None);
    assert_eq!(status(&report, "signature[0].revocation"), Status::Passed);
    assert_eq!(status(&report, "signature[1].revocation"), Status::Failed);
    assert!(!report.is_valid());

    let anchors = case.pki.anchors();
    let request = |at: Time, now: Time| {
        let digest = HASH.digest(b"hello");
        let request = SdoRequest {
            kind: &DocumentKind::Text,
            digest: &digest,
            document: Some(b"hello"),
            signers: &[&case.merchant],
            seal: &case.seal,
            at,
            description: "",
        };
        let text = case.pki.sdo(&request).unwrap();
        Sdo::parse(text.as_bytes()).unwrap().verify(None, &SdoTrust::new(&anchors, now))
    };
    let late = now.plus_seconds(1_000 * 86_400);
    let report = request(late, late);
    assert_eq!(status(&report, "signature[0].chain"), Status::Failed, "{:#?}", report.checks);
    let report = request(now.plus_seconds(7_200), now);
    assert_eq!(status(&report, "signature[0].time"), Status::Failed);
    assert_eq!(status(&report, "signature[0].revocation"), Status::NotChecked);
    // Signed years ago, checked today.
    let report = request(now, now.plus_seconds(4_000 * 86_400));
    assert!(report.is_valid(), "{:#?}", report.checks);
}

#[test]
fn lists_missing_answers_and_claimed_times() {
    let case = Case::new(KeyKind::P256);
    let now = case.pki.issued();
    let digest = HASH.digest(b"hello");
    let cms = case.pki.sdo_signature(&case.user, &digest, now).unwrap();
    let data = SdoData::new(
        &DocumentKind::Text,
        &[SignatureEntry { digest: &digest, cms: &cms, ocsp: None }],
    );
    let finish = |data: &str| {
        let digest = HASH.digest(data.as_bytes());
        let cms = case.pki.sdo_signature(&case.seal, &digest, now).unwrap();
        let entry = SignatureEntry { digest: &digest, cms: &cms, ocsp: None };
        let whole = SdoData::new(&DocumentKind::Text, &[]).finish(&entry, &[], Some(b"hello"));
        whole.replace("<SDODataPart></SDODataPart>", data)
    };
    let plain = std::str::from_utf8(data.as_bytes()).unwrap();
    let report = case.check(&finish(plain), None);
    assert!(report.is_valid());
    for name in ["signature[0].revocation", "signature[0].time", "seal.revocation"] {
        assert_eq!(status(&report, name), Status::NotChecked, "{name}");
    }
    // A revocation list instead of an answer.
    let list = base64_of(&case.pki.crl(now).unwrap());
    let values = format!(
        "</CMSSignature><UserCertificateAndRevocationData><RevocationValues><XAdES:CRLValues>\
         <XAdES:EncapsulatedCRLValue>{list}</XAdES:EncapsulatedCRLValue></XAdES:CRLValues>\
         </RevocationValues></UserCertificateAndRevocationData>"
    );
    let with_list = finish(&plain.replace("</CMSSignature>", &values));
    let report = case.check(&with_list, None);
    assert_eq!(status(&report, "signature[0].revocation"), Status::Passed, "{:#?}", report.checks);
}

fn base64_of(bytes: &[u8]) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

#[test]
fn old_end_users_signatures_are_accepted_and_say_so() {
    use signdoc_signature::cms::{
        Assembly, AttributeOptions, Leniency, assemble, signed_attributes,
    };
    use signdoc_signature::crypto::Algorithm;
    let case = Case::new(KeyKind::Rsa(2048));
    let now = case.pki.issued();
    let digest = HASH.digest(b"hello");
    let certificate = case.user.certificate();
    let attributes =
        signed_attributes(&digest, HASH, certificate, &AttributeOptions::sdo(now)).unwrap();
    let value = case.user.key().sign_hash_without_null(HASH, &attributes.hash_to_sign()).unwrap();
    let der = assemble(&Assembly {
        attributes: &attributes,
        algorithm: Algorithm::RsaPkcs1(HASH),
        signature: &value,
        signer: certificate,
        others: case.user.intermediates(),
        timestamp: None,
        content: None,
    })
    .unwrap();
    let cms = ber::to_indefinite(&der);
    assert!(base64_of(&cms).starts_with("MIAGCSqGSIb3DQEHAqCAMIAC"));
    let entry = SignatureEntry { digest: &digest, cms: &cms, ocsp: None };
    let data = SdoData::new(&DocumentKind::Text, &[entry]);
    let sealed = HASH.digest(data.as_bytes());
    let seal = case.pki.sdo_signature(&case.seal, &sealed, now).unwrap();
    let seal = SignatureEntry { digest: &sealed, cms: &seal, ocsp: None };
    let report = case.check(&data.finish(&seal, &[], Some(b"hello")), None);
    assert!(report.is_valid(), "{:#?}", report.checks);
    let leniencies = &report.signers[0].cms.leniencies;
    assert_eq!(*leniencies, [Leniency::Ber, Leniency::DigestInfoWithoutNull]);
    let detail = &report.checks.get("signature[0].cms").unwrap().detail;
    assert!(detail.contains("without null") && detail.contains("ber"), "{detail}");
}

#[test]
fn the_report_is_json() {
    let case = Case::new(KeyKind::P256);
    let report = case.check(&case.write(&DocumentKind::Text, b"hello", true), None);
    let json = report.checks.to_json();
    assert_eq!(json[0]["name"], "structure");
    assert_eq!(json[0]["status"], "passed");
    assert_eq!(json.as_array().unwrap().len(), report.checks.as_slice().len());
}
