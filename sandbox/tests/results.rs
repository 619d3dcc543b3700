//! What orders bring, before judges that are not ours: pdfsig, pyHanko and OpenSSL, and before the
//! library's own verification.
// helpers outside of test functions are test code as well
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use common::flow::*;
use common::*;
use serde_json::{Value, json};
use signdoc_sandbox::{Person, Sandbox, samples};
use signdoc_signature::asn1::Time;
use signdoc_signature::pdf::{Document, Rect, SignatureField};
use signdoc_signature::revocation::wrap_basic_response;
use signdoc_signature::sdo::{Sdo, SdoTrust, to_iso_8859_1};
use signdoc_signature::verify::{
    Level, ReportedDigests, Requirement, SealPosition, SealRules, VerifyOptions, verify_bytes,
};
use signdoc_signature::x509::{TrustAnchors, to_pem};

/// Files for programs that judge.
struct Bench(tempfile::TempDir);

impl Bench {
    fn new(sandbox: &Sandbox) -> Self {
        let bench = Self(tempfile::tempdir().unwrap());
        let reply = get(sandbox, "/_sandbox/trust.pem");
        assert_eq!(reply.status, 200);
        assert_eq!(reply.text(), sandbox.trust_pem().unwrap());
        bench.write("root.pem", &reply.body);
        bench
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        std::fs::write(self.path(name), bytes).unwrap();
    }

    /// What a program says; `None` with a printed reason when it is not there.
    fn run(&self, program: &str, arguments: &str) -> Option<(bool, String)> {
        let mut command = Command::new(program);
        command.args(arguments.split_whitespace()).current_dir(self.0.path());
        match command.output() {
            Ok(output) => {
                let both = [output.stdout, output.stderr].concat();
                Some((output.status.success(), String::from_utf8_lossy(&both).into_owned()))
            }
            Err(error) => {
                println!("not judged: {program} does not run: {error}");
                None
            }
        }
    }

    #[track_caller]
    fn accepts(&self, program: &str, arguments: &str) -> Option<String> {
        let (ok, said) = self.run(program, arguments)?;
        assert!(ok, "{program} {arguments}\n{said}");
        Some(said)
    }
}

/// Creates, signs and downloads.
fn signed(sandbox: &Sandbox, path: &str, order: &Value, person: Person) -> Value {
    let id = create(sandbox, path, order);
    sandbox.sign(&id, person).unwrap();
    let reply = download(sandbox, path, &id);
    assert_eq!(reply.status, 200, "{}", reply.text());
    reply.json()
}

fn anchors(sandbox: &Sandbox) -> TrustAnchors {
    TrustAnchors::from_bytes(sandbox.trust_pem().unwrap().as_bytes()).unwrap()
}

fn options(sandbox: &Sandbox, original: Vec<u8>, result: &Value) -> VerifyOptions {
    let text = |name: &str| result[name].as_str().map(str::to_owned);
    VerifyOptions {
        original: Some(Arc::new(Bytes::from(original))),
        trust: anchors(sandbox),
        reported: ReportedDigests {
            signed_sha256: text("signedDocumentSha256"),
            unsigned_sha256: text("unsignedDocumentSha256"),
        },
        require: vec![
            Requirement::Timestamp,
            Requirement::Revocation,
            Requirement::Level(Level::BLT),
        ],
        ..VerifyOptions::default()
    }
}

/// pyHanko, with the document's own store and nothing else for every signature.
fn judge_with_pyhanko(bench: &Bench, file: &str) {
    let Some(python) = std::env::var_os("SIGNDOC_JUDGE_PYTHON") else {
        println!("not judged by pyHanko: SIGNDOC_JUDGE_PYTHON is not set");
        return;
    };
    let judge = concat!(env!("CARGO_MANIFEST_DIR"), "/../signature/tests/judge/pyhanko_judge.py");
    let arguments = format!("{judge} root.pem {file} store::{file}");
    let (ok, said) = bench.run(python.to_str().unwrap(), &arguments).unwrap();
    if said.contains("is not installed") {
        println!("not judged by pyHanko: {said}");
        return;
    }
    assert!(ok && said.matches(" accepted").count() == 2, "{said}");
}

#[test]
fn signed_pdfs_are_accepted_by_every_judge() {
    let sandbox = production();
    let bench = Bench::new(&sandbox);
    let mut alone = loan();
    alone["endUserOnly"] = json!(true);
    let order = pades_order(vec![loan(), alone]);
    let body = signed(&sandbox, PADES, &order, Person::Ase);
    for (index, signatures) in [(0, 2), (1, 1)] {
        let one = &body["signingResults"][index];
        let pdf = bytes(&one["padesSignedPdf"]);
        let original = samples::loan_agreement();
        assert_eq!(pdf, [original.clone(), bytes(&one["padesAppendix"])].concat());
        assert_eq!(one["signedDocumentSha256"], sha256(&pdf));
        assert_eq!(one["unsignedDocumentSha256"], sha256(&original));
        let report = verify_bytes(pdf.clone(), &options(&sandbox, original, one));
        assert!(report.ok, "{}", report.to_json());
        assert_eq!(report.signatures.len(), signatures);
        bench.write("signed.pdf", &pdf);
        if let Some(said) = bench.accepts("pdfsig", "-nocert signed.pdf") {
            let valid = said.matches("Signature is Valid").count();
            assert_eq!(valid, signatures, "{said}");
            assert!(said.contains("ETSI.CAdES.detached"), "{said}");
        }
        judge_with_pyhanko(&bench, "signed.pdf");
    }
}

/// The visible part of the first page, and every seal on it.
fn seals(pdf: &[u8]) -> (Rect, Vec<Rect>) {
    let document = Document::from_bytes(pdf.to_vec()).unwrap();
    let page = document.pages().next().unwrap().unwrap().visible_box();
    let fields = document.signatures().unwrap();
    let rect = |field: &SignatureField| {
        let widget = document.get(field.widgets[0]).unwrap().object;
        document.head().rect(widget.as_dict().unwrap(), "Rect").unwrap()
    };
    (page, fields.iter().map(rect).filter(|rect| !rect.is_empty()).collect())
}

/// A PDF with one page of these attributes.
fn page_of(attributes: &str) -> Vec<u8> {
    let objects = [
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        "<</Type/Pages/Kids[3 0 R]/Count 1>>".to_owned(),
        format!("<</Type/Page/Parent 2 0 R{attributes}>>"),
    ];
    let mut pdf = "%PDF-1.7\n".to_owned();
    let mut table = "xref\n0 4\n0000000000 65535 f \n".to_owned();
    for (at, object) in objects.iter().enumerate() {
        table.push_str(&format!("{:010} 00000 n \n", pdf.len()));
        pdf.push_str(&format!("{} 0 obj\n{object}\nendobj\n", at + 1));
    }
    let start = pdf.len();
    pdf.push_str(&format!("{table}trailer\n<</Size 4/Root 1 0 R>>\nstartxref\n{start}\n%%EOF\n"));
    pdf.into_bytes()
}

#[test]
fn seals_without_a_position_never_overlap() {
    let sandbox = production();
    let at = |x: u32, y: u32| json!({"x": x, "y": y, "page": 1});
    let none = || Value::Null;
    for page in [
        "/MediaBox[0 0 595 842]",
        "/MediaBox[0 0 595 842]/Rotate 90",
        "/MediaBox[10 20 400 620]/CropBox[50 60 350 560]/Rotate 270",
        "/MediaBox[0 0 300 300]/UserUnit 2/Rotate 180",
        "/MediaBox[0 0 200 300]",
        "/MediaBox[0 0 180 48]",
        "/MediaBox[0 0 60 40]",
    ] {
        // The end user's seal may have been asked for where the merchant's would go, and the other
        // way round.
        for (merchant, user) in [
            (none(), none()),
            (none(), at(36, 794)),
            (none(), at(0, 0)),
            (at(228, 794), none()),
            (at(0, 10_000), none()),
        ] {
            let is_small = page.contains("180 48") || page.contains("60 40");
            if is_small && (merchant.is_object() || user.is_object()) {
                // A seal that was asked for covers all of such a page.
                continue;
            }
            let mut document = json!({"pdf": STANDARD.encode(page_of(page))});
            for (name, position) in [("merchantSealPos", &merchant), ("endUserSealPos", &user)] {
                if position.is_object() {
                    document[name] = position.clone();
                }
            }
            let mut order = pades_order(vec![document]);
            order["padesSignProperties"]["addVisualSeals"] = json!(true);
            let first = signed(&sandbox, PADES, &order, Person::Kari);
            // A second order signs what came of the first.
            order["documents"] = json!([{"pdf": first["signingResults"][0]["padesSignedPdf"]}]);
            let second = signed(&sandbox, PADES, &order, Person::Ola);
            let pdf = bytes(&second["signingResults"][0]["padesSignedPdf"]);
            let (shown, seals) = seals(&pdf);
            assert_eq!(seals.len(), 4, "{page}");
            for (index, one) in seals.iter().enumerate() {
                assert!(shown.contains(one), "{page}: {one:?}");
                for other in &seals[..index] {
                    let both = one.intersection(other);
                    let overlap = both.map_or(0.0, |both| both.width().min(both.height()));
                    // Numbers in a PDF are rounded.
                    assert!(overlap < 0.01, "{page} {merchant} {user}: {one:?} {other:?}");
                }
            }
        }
    }
}

#[test]
fn seals_stand_where_they_were_asked_for() {
    let sandbox = production();
    let mut asked = loan();
    asked["merchantSealPos"] = json!({"x": 36.5, "y": 90, "page": 1});
    asked["endUserSealPos"] = json!({"x": 300, "y": 640.25, "page": 0});
    let mut order = pades_order(vec![asked.clone(), loan()]);
    let places = |pdf: &[u8]| -> Vec<(f64, f64)> {
        let (page, seals) = seals(pdf);
        let round = |value: f64| (value * 100.0).round() / 100.0;
        seals.iter().map(|seal| (round(seal.x0 - page.x0), round(page.y1 - seal.y1))).collect()
    };
    let body = signed(&sandbox, PADES, &order, Person::Kari);
    let pdf = bytes(&body["signingResults"][0]["padesSignedPdf"]);
    assert!(places(&pdf).is_empty(), "no seals were asked for");
    order["padesSignProperties"]["addVisualSeals"] = json!(true);
    let body = signed(&sandbox, PADES, &order, Person::Kari);
    let results = &body["signingResults"];
    let pdf = bytes(&results[0]["padesSignedPdf"]);
    assert_eq!(places(&pdf), [(36.5, 90.0), (300.0, 640.25)]);
    let place = |x, y| SealPosition { x, y, page: 1 };
    let mut options = options(&sandbox, samples::loan_agreement(), &results[0]);
    options.require.push(Requirement::Seals);
    options.seals = SealRules {
        positions: Some(vec![place(36.5, 90.0), place(300.0, 640.25)]),
        ..SealRules::default()
    };
    let report = verify_bytes(pdf, &options);
    assert!(report.ok, "{}", report.to_json());
    let automatic = places(&bytes(&results[1]["padesSignedPdf"]));
    assert_eq!(automatic.len(), 2);
    assert!(automatic[0].0 < automatic[1].0 && automatic[0].1 > 600.0, "{automatic:?}");
}

#[test]
fn two_people_sign_one_after_the_other() {
    let sandbox = production();
    let bench = Bench::new(&sandbox);
    let first = signed(&sandbox, PADES, &pades_order(vec![loan()]), Person::Kari);
    let between = bytes(&first["signingResults"][0]["padesSignedPdf"]);
    let again = json!({"pdf": first["signingResults"][0]["padesSignedPdf"], "endUserOnly": true});
    let second = signed(&sandbox, PADES, &pades_order(vec![again]), Person::Ola);
    let one = &second["signingResults"][0];
    let pdf = bytes(&one["padesSignedPdf"]);
    assert!(pdf.starts_with(&between));
    let report = verify_bytes(pdf.clone(), &options(&sandbox, between, one));
    assert!(report.ok, "{}", report.to_json());
    let names: Vec<_> = report
        .signatures
        .iter()
        .map(|s| s.signer.as_ref().unwrap().name.clone().unwrap())
        .collect();
    assert_eq!(names[1..], ["Nordmann, Kari", "Nordmann, Ola"]);
    bench.write("signed.pdf", &pdf);
    judge_with_pyhanko(&bench, "signed.pdf");
}

#[test]
fn signed_data_objects_are_accepted_by_every_judge() {
    let sandbox = production();
    let bench = Bench::new(&sandbox);
    let text = "Jeg låner 100 000 kroner.";
    let order = sdo_order(vec![
        json!({"text": text, "description": "Text"}),
        json!({"pdf": loan()["pdf"]}),
        json!({"xml": "<loan sum='1'/>", "xls": "<x:s xmlns:x='urn:x'/>"}),
    ]);
    let body = signed(&sandbox, SDO, &order, Person::Kari);
    assert_eq!(
        (&body["orderName"], &body["clientId"]),
        (&json!("Loan 4711"), &json!(sandbox.client_id()))
    );
    let anchors = anchors(&sandbox);
    for (index, kind) in ["text/plain", "application/pdf", "text/BIDXML"].into_iter().enumerate() {
        let file = bytes(&body["sdos"][index]);
        let sdo = Sdo::parse(&file).unwrap();
        let report = sdo.verify(None, &SdoTrust::new(&anchors, Time::now()));
        assert!(report.is_valid() && report.checks.all_passed(), "{:#?}", report.checks);
        assert_eq!(report.kind.as_ref().unwrap().mime(), kind);
        let content = sdo.document().unwrap().unwrap();
        match index {
            0 => assert_eq!(content, to_iso_8859_1(text).unwrap()),
            1 => assert_eq!(content, samples::loan_agreement()),
            _ => {}
        }
        assert_eq!(body["documentHashes"][index], sha256(&content));
        let description =
            if index == 0 { "Text".into() } else { format!("Loan 4711 - {}", index + 1) };
        assert_eq!(sdo.metadata(), [("MerchantDesc".to_owned(), description)]);
        let cms =
            [&body["endUserSignatures"][index], &body["merchantSignatures"][index]].map(bytes);
        assert_eq!(cms.each_ref(), [&sdo.signatures()[0].cms, &sdo.signatures()[1].cms]);
        assert!(report.signers[0].is_person() && !report.signers[1].is_person());
        let issuing = report.signers[0].chain.as_ref().unwrap();
        let above: String = issuing
            .certificates()
            .iter()
            .skip(1)
            .map(|c| to_pem("CERTIFICATE", c.as_der()))
            .collect();
        bench.write("ca.pem", above.as_bytes());
        let parts = sdo.signatures().iter().map(|signature| (signature, content.as_slice()));
        for (signature, content) in parts.chain([(sdo.seal().unwrap(), sdo.data_part())]) {
            bench.write("content", content);
            bench.write("cms.der", &signature.cms);
            bench.write("ocsp.der", &wrap_basic_response(&signature.ocsp[0]));
            let verify = "cms -verify -binary -inform DER -in cms.der -CAfile root.pem \
                          -purpose any -signer signer.pem -out out -content";
            if bench.accepts("openssl", &format!("{verify} content")).is_none() {
                return;
            }
            bench.write("other", b"something else");
            assert!(!bench.run("openssl", &format!("{verify} other")).unwrap().0);
            bench.accepts("openssl", &format!("{verify} content"));
            let said = bench.accepts(
                "openssl",
                "ocsp -respin ocsp.der -issuer ca.pem -cert signer.pem -CAfile root.pem -no_nonce",
            );
            assert!(said.unwrap().contains("signer.pem: good"));
        }
    }
}

#[test]
fn only_what_was_asked_for_is_handed_out() {
    let sandbox = production();
    let cases = [
        (PADES, json!(["padesSignedPdf"]), vec!["description", "padesSignedPdf"]),
        (PADES, json!(["padesAppendix"]), vec!["description", "padesAppendix"]),
        (
            PADES,
            json!(["documentHash", "padesAppendix"]),
            vec!["description", "padesAppendix", "signedDocumentSha256", "unsignedDocumentSha256"],
        ),
    ];
    for (path, wanted, names) in cases {
        let mut order = pades_order(vec![loan()]);
        order["resultContent"] = wanted;
        let body = signed(&sandbox, path, &order, Person::Kari);
        let found: Vec<_> = body["signingResults"][0].as_object().unwrap().keys().collect();
        assert_eq!(found, names);
    }
    for (wanted, names) in [
        ("sdo", vec!["sdos"]),
        ("documentHash", vec!["documentHashes"]),
        ("basicSignature", vec!["endUserSignatures", "merchantSignatures"]),
    ] {
        let mut order = sdo_order(vec![json!({"text": "Hei"})]);
        order["resultContent"] = json!([wanted]);
        let body = signed(&sandbox, SDO, &order, Person::Kari);
        let lists = body.as_object().unwrap().iter();
        let found: Vec<_> = lists.filter(|(_, value)| value.is_array()).collect();
        let found: Vec<_> = found.into_iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(found, names);
    }
}
