//! Evidence bundles: made with a timestamp of the sandbox's authority, verified with nothing but
//! trust, and refused where what goes in is none.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "test code; helpers count as outside of tests"
)]

use signdoc::bundle::BundleRequest;
use signdoc::pdf::asn1::Time;
use signdoc::pdf::cms;
use signdoc::pdf::crypto::{HashAlgorithm, KeyKind};
use signdoc::pdf::fixtures;
use signdoc::pdf::pki::{Identity, OcspOptions, Pki, SdoRequest};
use signdoc::pdf::report::Status;
use signdoc::pdf::sdo::DocumentKind;
use signdoc::pdf::sign::{PrepareOptions, prepare};
use signdoc::pdf::verify::FileReport;
use signdoc::pdf::{Question, ask};
use signdoc::{CallOptions, Client, Code, Document};
use signdoc_sandbox::Sandbox;

const HASH: HashAlgorithm = HashAlgorithm::Sha256;

struct Office {
    pki: Pki,
    signer: Identity,
}

impl Office {
    fn new() -> Self {
        let pki = Pki::new(21).unwrap();
        let signer = pki.person("Kari", "Nordmann", 7, KeyKind::P256).unwrap();
        Self { pki, signer }
    }

    fn roots(&self) -> Document {
        Document::from_bytes(self.pki.anchors().to_pem().into_bytes())
    }

    fn sign(&self, pdf: &[u8]) -> Vec<u8> {
        let options = PrepareOptions { time: Some(Time::now()), ..PrepareOptions::default() };
        let prepared = prepare(std::sync::Arc::new(pdf.to_vec()), &options).unwrap();
        let own = self.signer.certificate();
        let digest = prepared.digest(HASH).unwrap();
        let options = cms::AttributeOptions::default();
        let attributes = cms::signed_attributes(&digest, HASH, own, &options).unwrap();
        let algorithm = self.signer.algorithm(HASH);
        let signature = self.signer.sign_hash(algorithm, &attributes.hash_to_sign()).unwrap();
        let cms = cms::assemble(&cms::Assembly {
            attributes: &attributes,
            algorithm,
            signature: &signature,
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
            kind: &DocumentKind::Text,
            digest: &HASH.digest(document),
            document: Some(document),
            signers: &[&self.signer],
            seal: &seal,
            at: Time::now(),
            description: "terms",
        };
        self.pki.sdo(&request).unwrap().into_bytes()
    }

    fn request(&self, signed: Vec<u8>) -> BundleRequest {
        let trust = vec![self.roots()];
        BundleRequest { trust, ..BundleRequest::of(Document::from_bytes(signed)) }
    }
}

/// A client that knows a timestamp authority and no service.
fn alone(request: &BundleRequest) -> Client {
    Client::new(request.config().unwrap()).unwrap()
}

fn status(report: &FileReport, name: &str) -> Status {
    report.checks().status(name)
}

fn hex(bytes: &[u8]) -> String {
    HASH.digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[tokio::test]
async fn a_bundle_is_made_stamped_and_verified() {
    let (office, sandbox) = (Office::new(), Sandbox::builder().start().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new/loan.asice");
    let original = fixtures::simple();
    let signed = office.sign(&original);
    let answer = office
        .pki
        .ocsp_response(office.signer.certificate(), &OcspOptions::at(Time::now()))
        .unwrap();
    let mut request = office.request(signed.clone());
    request.original = Some(Document::from_bytes(original.clone()));
    request.evidence = ["0", "1"]
        .iter()
        .zip([answer, office.pki.crl(Time::now()).unwrap()])
        .map(|(_, der)| Document::from_bytes(der))
        .collect();
    let order = format!(
        r#"{{"order_id": "4711", "signed_sha256": "{}", "unsigned_sha256": "{}"}}"#,
        hex(&signed),
        hex(&original)
    );
    request.set("order", &order).unwrap();
    let claims = r#"{"given_name": "Kari", "family_name": "Nordmann", "sub": "f:1:4711",
                     "eid_altsub": "UN:NO-9578-4050-7", "auth_time": 1795176000}"#;
    request.set("identity", claims).unwrap();
    request.set("to", path.to_str().unwrap()).unwrap();
    request.set("tsa_url", &format!("{}tsa", sandbox.control_url())).unwrap();
    let client = alone(&request);
    let bundle = client.bundle(request.clone(), &CallOptions::default()).await.unwrap();
    assert!(bundle.is_stamped && bundle.data.is_none());
    assert_eq!(std::fs::metadata(&path).unwrap().len(), bundle.size);
    assert!(bundle.report.is_ok(), "{:#}", bundle.report.to_json());
    // The sandbox's authority is nobody that was trusted.
    assert_eq!(status(&bundle.report, "container_timestamp"), Status::NotChecked);
    for name in ["contents", "order", "identity", "original", "signer", "unsigned_digest"] {
        assert_eq!(status(&bundle.report, name), Status::Passed, "{name}");
    }
    let bytes = std::fs::read(&path).unwrap();
    let text = String::from_utf8_lossy(&bytes);
    assert!(text.contains("order.json") && text.contains("evidence/1.ocsp"));
    assert!(text.contains("auth_time") && !text.contains("f:1:4711"), "numbers were kept");
    assert!(!text.contains("\"serial_number\""), "numbers were kept in the report");

    let question = Question {
        signed: vec![Document::from_path(&path)],
        trust: vec![office.roots()],
        ..Question::default()
    };
    assert!(ask(&question).unwrap().is_ok());
    let again = client.bundle(request.clone(), &CallOptions::default()).await.unwrap_err();
    assert_eq!(again.code(), Code::DestinationExists);
    request.with_numbers = true;
    request.overwrite = true;
    client.bundle(request, &CallOptions::default()).await.unwrap();
    let bytes = std::fs::read(&path).unwrap();
    assert!(String::from_utf8_lossy(&bytes).contains("f:1:4711"));
}

#[tokio::test]
async fn an_sdo_gets_the_certificates_above_its_signers_beside_it() {
    let office = Office::new();
    let mut request = office.request(office.sdo(b"Terms"));
    request.original = Some(Document::from_bytes("Terms"));
    request.order = Some(format!("{{\"unsigned_sha256\": \"{}\"}}", hex(b"Terms")));
    let bundle = alone(&request).bundle(request, &CallOptions::default()).await.unwrap();
    assert!(!bundle.is_stamped && bundle.report.is_ok(), "{:#}", bundle.report.to_json());
    assert_eq!(bundle.report.document().kind(), "sdo");
    let text = String::from_utf8_lossy(bundle.data.as_deref().unwrap()).into_owned();
    assert!(text.contains("evidence/2.cer") && text.contains("original.txt"));
}

#[tokio::test]
async fn what_is_no_bundle_is_refused_by_name() {
    let office = Office::new();
    let request = || office.request(office.sign(&fixtures::simple()));
    let with = |change: fn(&mut BundleRequest)| {
        let mut request = request();
        change(&mut request);
        request
    };
    let none = || vec![Document::from_bytes("none")];
    let wrong = [
        (with(|request| request.order = Some("[]".into())), Code::InvalidArgument, "order"),
        (with(|request| request.identity = Some("{".into())), Code::InvalidArgument, "identity"),
        (BundleRequest { evidence: none(), ..request() }, Code::InvalidArgument, "evidence[0]"),
        (BundleRequest { trust: none(), ..request() }, Code::TrustUnusable, "trust"),
        (with(|r| r.signed = Document::from_path("missing.pdf")), Code::DocumentNotFound, "signed"),
    ];
    for (request, code, field) in wrong {
        let error = alone(&request).bundle(request, &CallOptions::default()).await.unwrap_err();
        assert_eq!(error.code(), code, "{error}");
        assert_eq!(error.details()["field"], field, "{error}");
    }
    let made = alone(&request()).bundle(request(), &CallOptions::default()).await.unwrap();
    let twice = office.request(made.data.unwrap().to_vec());
    let error = alone(&twice).bundle(twice, &CallOptions::default()).await.unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument);
    let mut request = request();
    for (name, value) in [("unheard", "x"), ("overwrite", "perhaps"), ("require", "gold")] {
        assert_eq!(request.set(name, value).unwrap_err().code(), Code::InvalidOption);
    }
    // A document that does not verify is bundled all the same: the report says what is wrong.
    let unsigned = office.request(fixtures::simple());
    let bundle = alone(&unsigned).bundle(unsigned, &CallOptions::default()).await.unwrap();
    assert!(!bundle.report.is_ok());
}
