//! Reports and previews as pages for people.
#![cfg(feature = "signing")]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "test code; helpers count as outside of tests"
)]

use std::fmt::Write as _;
use std::sync::Arc;

use bytes::Bytes;
use signdoc::html::{HtmlOptions, Titled, preview_html, report_html, reports_html};
use signdoc::pdf::asn1::Time;
use signdoc::pdf::crypto::{HashAlgorithm, KeyKind};
use signdoc::pdf::fixtures::{RawPdf, Structure};
use signdoc::pdf::pdf::SharedSource;
use signdoc::pdf::pki::{Identity, Pki, PkiOptions};
use signdoc::pdf::preview::{PlannedSeal, Preview};
use signdoc::pdf::sign::{PrepareOptions, Seal, prepare};
use signdoc::pdf::verify::{VerifyOptions, verify_files};
use signdoc::pdf::{Question, ask, cms, look_at_seals, report_json};
use signdoc::{Code, Document};

const NOW: i64 = 1_795_176_000;
const HASH: HashAlgorithm = HashAlgorithm::Sha256;
const HOSTILE: &str = "<img src=x onerror=alert(1)>\u{202e}";

fn arc(bytes: &[u8]) -> SharedSource {
    Arc::new(Bytes::copy_from_slice(bytes))
}

/// Two pages: text, and one that lies on its side and shows a part of itself alone.
fn contract() -> Vec<u8> {
    let mut text = String::from("BT /F1 22 Tf 72 760 Td (Loan agreement) Tj /F1 11 Tf 0 -20 Td ");
    for line in 1..24 {
        let _ =
            write!(text, "0 -16 Td (\\247 {line} The lender and the borrower agree on this.) Tj ");
    }
    text.push_str("ET");
    let stream = |text: &str| format!("<</Length {}>>\nstream\n{text}\nendstream", text.len());
    let mut pdf = RawPdf::new();
    pdf.object("<</Type/Catalog/Pages 2 0 R>>");
    pdf.object("<</Type/Pages/Kids[3 0 R 6 0 R]/Count 2/Resources<</Font<</F1 5 0 R>>>>>>");
    pdf.object("<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R>>");
    pdf.object(stream(&text));
    pdf.object("<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>");
    pdf.object(
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 900]/CropBox[50 50 550 850]/Rotate 90\
         /Contents 7 0 R>>",
    );
    pdf.object(stream("BT /F1 14 Tf 0 1 -1 0 100 100 Tm (Appendix) Tj ET"));
    pdf.build(Structure::Table)
}

struct Office {
    pki: Pki,
}

impl Office {
    fn new() -> Self {
        let issued = Time::from_unix(NOW - 30 * 86_400);
        let pki = Pki::with_options(PkiOptions { seed: 5, issued, key: KeyKind::P256 }).unwrap();
        Self { pki }
    }

    fn person(&self, given: &str, surname: &str, number: u32) -> Identity {
        self.pki.person(given, surname, number, KeyKind::P256).unwrap()
    }

    /// With a seal, a reason and a field of any text, and a timestamp.
    fn sign(
        &self,
        pdf: &[u8],
        who: &Identity,
        field: &str,
        (x, y, page): (f64, f64, u32),
    ) -> Vec<u8> {
        let at = Time::from_unix(NOW);
        let options = PrepareOptions {
            field_name: Some(field.into()),
            reason: Some(HOSTILE.into()),
            seal: Some(Seal { x, y, page, ..Seal::default() }),
            time: Some(at),
            reserve: 8192,
            ..PrepareOptions::default()
        };
        let prepared = prepare(arc(pdf), &options).unwrap();
        let digest = prepared.digest(HASH).unwrap();
        let own = who.certificate();
        let attributes =
            cms::signed_attributes(&digest, HASH, own, &cms::AttributeOptions::default()).unwrap();
        let algorithm = who.algorithm(HASH);
        let value = who.sign_hash(algorithm, &attributes.hash_to_sign()).unwrap();
        let token = self.pki.timestamp(&HASH.digest(&value), HASH, at, None).unwrap();
        let cms = cms::assemble(&cms::Assembly {
            attributes: &attributes,
            algorithm,
            signature: &value,
            signer: own,
            others: who.intermediates(),
            timestamp: Some(&token),
            content: None,
        });
        let mut signed = Vec::new();
        prepared.embed(&cms.unwrap(), &mut signed).unwrap();
        signed
    }

    fn report(&self, signed: &[u8], original: &[u8]) -> serde_json::Value {
        let options = VerifyOptions {
            trust: self.pki.anchors(),
            at: Some(Time::from_unix(NOW + 3600)),
            original: Some(arc(original)),
            ..VerifyOptions::default()
        };
        report_json(&verify_files(&[arc(signed)], &options))
    }

    /// By three people, the last one with a name that is markup.
    fn signed_by_three(&self) -> Vec<u8> {
        let one =
            self.sign(&contract(), &self.person("Kari", "Nordmann", 4711), "A", (72.0, 640.0, 1));
        let two = self.sign(&one, &self.person("Ola", "Hansen", 4712), "B", (320.0, 640.0, 1));
        let last = self.person(HOSTILE, "Berg", 4713);
        self.sign(&two, &last, &format!("C{HOSTILE}"), (72.0, 300.0, 2))
    }
}

/// An update that puts an annotation on the first page.
fn annotated(file: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(file);
    let xref = text.rsplit("startxref").next().unwrap().split_whitespace().next().unwrap();
    let size = text.rsplit("/Size ").next().unwrap();
    let size: u32 = size.split(|c: char| !c.is_ascii_digit()).next().unwrap().parse().unwrap();
    let mut out = file.to_vec();
    let mut table = String::from("xref\n");
    let page = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Annots[900 0 R]>>";
    let note = "<</Type/Annot/Subtype/FreeText/F 4/DA(/Helv 14 Tf 1 0 0 rg)/Rect[72 600 372 640]\
                /Contents(<script>alert\\(1\\)</script>)>>";
    for (number, body) in [(3, page), (900, note)] {
        let _ = write!(table, "{number} 1\n{:010} 00000 n \n", out.len());
        out.extend(format!("{number} 0 obj\n{body}\nendobj\n").bytes());
    }
    let start = out.len();
    let size = size.max(901);
    out.extend(
        format!(
            "{table}trailer\n<</Size {size}/Root 1 0 R/Prev {xref}>>\nstartxref\n{start}\n%%EOF\n"
        )
        .bytes(),
    );
    out
}

/// Wherever they may come from: nothing of the file became markup, and nobody's number shows.
fn is_harmless(page: &str) {
    for bad in ["<script", "<img", "\u{202e}", "\u{200b}", "4711", "4712", "4713", "UN:NO"] {
        assert!(!page.contains(bad), "{bad:?} is in the page");
    }
    for loads in ["http:", "https:", "src=", "url(", "@import", "<link", " on"] {
        let attribute = page.split('<').filter_map(|tag| tag.split('>').next());
        let found = attribute.filter(|tag| tag.contains(loads)).count();
        assert_eq!(found, 0, "{loads} is in a tag of the page");
    }
    balanced(page);
}

/// Every element that is opened is closed in its turn.
fn balanced(page: &str) {
    let mut open: Vec<&str> = Vec::new();
    for tag in page.split('<').skip(1) {
        let inner = tag.split('>').next().unwrap();
        let name = inner.trim_start_matches('/').split([' ', '/']).next().unwrap();
        if inner.starts_with('/') {
            assert_eq!(open.pop(), Some(name), "{inner}");
        } else if !inner.ends_with('/') && !["meta", "!doctype"].contains(&name) {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

#[test]
fn three_signatures_with_their_seals_and_proven_times() {
    let office = Office::new();
    let signed = office.signed_by_three();
    let report = office.report(&signed, &contract());
    assert_eq!(report["ok"], true, "{report:#}");
    let place = &report["signatures"][1]["place"];
    assert_eq!(
        place,
        &serde_json::json!({
            "page": 1, "x": 320.0, "y": 640.0, "width": 180.0, "height": 48.0,
        })
    );
    // The second page lies on its side and is cropped; places are those of the page as it shows.
    let place = &report["signatures"][2]["place"];
    assert_eq!(
        (&place["page"], &place["x"], &place["y"]),
        (&2.into(), &72.0.into(), &300.0.into())
    );
    assert_eq!(report["pages"][1], serde_json::json!({"page": 2, "width": 800.0, "height": 500.0}));

    let options = HtmlOptions { title: Some("loan.pdf".into()), ..HtmlOptions::default() };
    let page = report_html(&report, &options);
    is_harmless(&page);
    assert_eq!(page, report_html(&report, &options), "the same bytes for the same report");
    let again: serde_json::Value = serde_json::from_str(&report.to_string()).unwrap();
    assert_eq!(page, report_html(&again, &options), "also for one that was stored");
    for told in [
        "<title>loan.pdf</title>",
        "Signed by <bdi>Nordmann, Kari, TestBank AS</bdi>",
        "&lt;img src=x onerror=alert(1)&gt;\\u{202e}",
        "proven by a timestamp inside the signature",
        "The document as it was sent",
        "Page 2, after: 1 place is marked",
    ] {
        assert!(page.contains(told), "{told} is missing");
    }
    assert_eq!(page.matches("<svg class=\"page\"").count(), 4, "two pages, before and after");
    assert_eq!(page.matches("<h1>").count(), 1);

    let fragment = report_html(&report, &HtmlOptions { is_fragment: true, ..options });
    is_harmless(&fragment);
    assert!(fragment.starts_with("<div class=\"signdoc\"><style>") && !fragment.contains("<h1>"));
    keep("three", &page);
}

#[test]
fn a_change_is_marked_where_it_lies() {
    let office = Office::new();
    let signed =
        office.sign(&contract(), &office.person("Kari", "Nordmann", 4711), "A", (72.0, 640.0, 1));
    let report = office.report(&annotated(&signed), &contract());
    assert_eq!(report["ok"], false);
    let forbidden = report["changes"]["forbidden"].as_array().unwrap();
    let note = forbidden.iter().find(|change| change["object"] == "900 0 R").unwrap();
    assert_eq!(
        note["place"],
        serde_json::json!({
            "page": 1, "x": 72.0, "y": 202.0, "width": 300.0, "height": 40.0,
        })
    );
    assert_eq!(note["place_before"], serde_json::Value::Null);
    let page = report_html(&report, &HtmlOptions::default());
    is_harmless(&page);
    for told in ["Not verified", "What to do:", "It was not on the page before.", "class=\"wrong\""]
    {
        assert!(page.contains(told), "{told} is missing");
    }
    keep("attack", &page);
}

#[test]
fn an_evidence_bundle_says_what_proves_it() {
    let data = |name: &str| {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/verification");
        Document::from_path(std::path::Path::new(folder).join(name))
    };
    let page = |name: &str| {
        let question = Question {
            signed: vec![data(name)],
            original: None,
            trust: vec![data("roots.pem")],
            timestamp_trust: None,
            options: Vec::new(),
        };
        report_html(&report_json(&ask(&question).unwrap()), &HtmlOptions::default())
    };
    let whole = page("bundle.asice");
    balanced(&whole);
    for told in ["Verified", "Is the bundle of evidence whole?", "by a timestamp over the bundle"] {
        assert!(whole.contains(told), "{told} is missing");
    }
    let changed = page("bundle-changed.asice");
    balanced(&changed);
    assert!(changed.contains("Not verified") && changed.contains("readers may see other files"));
}

#[test]
fn several_files_have_a_page_in_common() {
    let office = Office::new();
    let contract = contract();
    let signed = office.signed_by_three();
    let of = |title: &str, report| Titled {
        title: title.into(),
        report,
        pictures: signdoc::html::Pictures::default(),
    };
    let missing = serde_json::json!({"ok": false, "failure": {"message": "it is <gone>"}});
    let page = reports_html(&[
        of("loan.pdf", office.report(&signed, &contract)),
        of("01010112345.pdf", office.report(&contract, &contract)),
        of("gone.pdf", missing),
    ]);
    is_harmless(&page);
    for told in ["1 of 3 files verified", "It could not be looked at: It is &lt;gone&gt;."] {
        assert!(page.contains(told), "{told} is missing");
    }
    assert!(!page.contains("01010112345"), "a national identity number");
    assert_eq!((page.matches("<h1>").count(), page.matches("<article>").count()), (1, 3));
    keep("several", &page);
}

fn look(seals: &[&str]) -> Preview {
    let seals: Vec<PlannedSeal> = seals.iter().map(|seal| seal.parse().unwrap()).collect();
    look_at_seals(&Document::from_bytes(contract()), &seals).unwrap()
}

#[test]
fn planned_seals_are_looked_at() {
    let kinds = |preview: &Preview| -> Vec<Vec<&str>> {
        let seals = preview.seals.iter();
        seals.map(|seal| seal.problems.iter().map(|one| one.kind.name()).collect()).collect()
    };
    let good = look(&["72,640", "320,640,0", "600,400,2"]);
    assert!(good.ok && kinds(&good).iter().all(Vec::is_empty), "{good:#?}");
    assert_eq!((good.page_count, good.pages.len()), (2, 2));
    let bad = look(&["72,60", "72,640,1,301,40", "200,660", "500,640", "10,10,3", "700,10,2"]);
    assert_eq!(
        kinds(&bad),
        [
            vec!["over_text"],
            vec!["too_large", "over_seal"],
            vec!["over_seal"],
            vec!["off_page"],
            vec!["no_such_page"],
            vec!["off_page"],
        ]
    );
    assert!(!bad.ok && look(&["72,60"]).ok, "what lies below a seal is for a person to judge");
    let page = preview_html(&serde_json::json!(bad), &HtmlOptions::default());
    is_harmless(&page);
    for told in ["6 seals on 2 pages: 5 in the wrong place", "No such page", "at most 300 by 150"] {
        assert!(page.contains(told), "{told} is missing");
    }
    keep("preview", &page);
    for text in ["", "1", "1,2,3,4", "1,2,-1", "NaN,2", "1,2,1,0,5", "1,2,1.5"] {
        assert!(text.parse::<PlannedSeal>().is_err(), "{text}");
    }
    let contract = Document::from_bytes(contract());
    let many = vec![PlannedSeal::new(1.0, 1.0, 1); 101];
    for seals in [&[][..], &many[..]] {
        assert_eq!(look_at_seals(&contract, seals).unwrap_err().code(), Code::InvalidArgument);
    }
    let broken = look_at_seals(&Document::from_bytes("no pdf"), &many[..1]).unwrap_err();
    assert_eq!(broken.code(), Code::DocumentUnreadable);
}

/// `SIGNDOC_PICTURES` names a folder that keeps the pages, to be looked at.
fn keep(name: &str, page: &str) {
    if let Some(folder) = std::env::var_os("SIGNDOC_PICTURES") {
        std::fs::write(std::path::Path::new(&folder).join(format!("{name}.html")), page).unwrap();
    }
}
