//! The signed files that the vectors of all languages verify, made from a seed.
//!
//! They are committed in `tests/data/verification`. This test makes them anew and compares;
//! `SIGNDOC_BLESS=1 cargo test -p signdoc-signature --test verification_data` writes them.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "test code; helpers count as outside of tests"
)]

mod common;
mod verify_kit;

use std::collections::BTreeMap;
use std::path::Path;

use common::signing::{Level, Signing, bytes};
use signdoc_signature::asic::{Files, IDENTITY, ORDER, SIGNED_PDF, SIGNED_SDO};
use signdoc_signature::asn1::{Time, oids, writer};
use signdoc_signature::crypto::{HashAlgorithm, KeyKind};
use signdoc_signature::fixtures::{PdfBuilder, RawPdf, Structure, append_update};
use signdoc_signature::pki::{
    Identity, OcspOptions, Pki, PkiOptions, Profile, RevocationReason, SdoRequest, Subject,
};
use signdoc_signature::sdo::{DocumentKind, to_iso_8859_1};
use signdoc_signature::sign::PrepareOptions;
use verify_kit::crafted::{Crafted, key, named, of_form, reissued};
use verify_kit::story::{DAY, Story, YEAR, ago, list};
use verify_kit::{Kit, NOW, arc, base64_sha256, reserve};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/verification");
const TERMS: &str = "Kjøpekontrakt: 100 000 kr\n";

fn loan(amount: &str) -> Vec<u8> {
    let text = format!("BT /F1 12 Tf 72 700 Td (Amount: {amount} NOK) Tj ET");
    PdfBuilder::new().content(&text).text_field("comment").build()
}

fn files() -> BTreeMap<&'static str, Vec<u8>> {
    let kit = Kit::new(4711);
    let ola = kit.pki.person("Ola", "Hansen", 2, KeyKind::P256).unwrap();
    let loan = loan("100 000");
    let sealed = reserve(kit.sealed(40.0, 60.0), 3072);
    let invisible = reserve(kit.plain(), 3072);
    let long = reserve(kit.plain(), 6144);
    let signed = kit.sign(&loan, Level::B, &sealed);
    let second = kit.sign_as(&ola, &signed, Level::B, &invisible);

    let mut all = BTreeMap::new();
    // The content stream says another amount: the case that everybody else accepts.
    let content = "BT /F1 12 Tf 72 700 Td (Amount: 900 000 NOK) Tj ET";
    let stream = format!("<</Length {}>>stream\n{content}\nendstream", content.len());
    let number = content_stream(&loan);
    let altered = append_update(&loan, &[(number, stream.as_str())], 1);
    all.insert("altered.pdf", kit.sign(&altered, Level::B, &invisible));
    all.insert("later.pdf", append_update(&signed, &[(number, stream.as_str())], 1));
    let mut broken = signed.clone();
    broken[20] ^= 1;
    all.insert("broken.pdf", broken);
    let (twice, claimed) = serving_twice(&kit, &invisible);
    all.insert("twice.pdf", twice);
    all.insert("twice-later.pdf", claimed);
    all.insert("stamped.pdf", kit.sign(&loan, Level::Lt, &long));
    all.insert("revoked.pdf", revoked(&kit, &loan, &long));
    all.insert("expired.pdf", expired(&kit, &loan, &invisible));
    all.insert("attached.pdf", PdfBuilder::new().attachment().javascript().build());
    all.insert("encrypted.pdf", PdfBuilder::new().encrypted().build());
    let document = &loan;
    let pdf = DocumentKind::Pdf;
    all.insert("loan.sdo", sdo(&kit, &pdf, document, true));
    all.insert("loan-outside.sdo", sdo(&kit, &pdf, document, false));
    let terms = to_iso_8859_1(TERMS).unwrap();
    let text = sdo(&kit, &DocumentKind::Text, &terms, true);
    let unsealed = String::from_utf8(text.clone()).unwrap();
    all.insert("terms.sdo", text);
    let unsealed = unsealed.replace("</SDODataPart>", " </SDODataPart>");
    all.insert("terms-changed.sdo", unsealed.into_bytes());
    all.insert("terms.txt", TERMS.as_bytes().to_vec());
    all.insert("roots.pem", kit.pki.trust_pem().into_bytes());
    all.insert("other-roots.pem", Kit::new(4712).pki.trust_pem().into_bytes());
    all.insert("loan.pdf", loan);
    all.insert("signed.pdf", signed);
    all.insert("second.pdf", second);
    all.extend(verdicts());
    all.extend(bundles(&all));
    all
}

/// Files about time, purpose and what is not supported; by the same authority made anew, so that
/// the other files stay as they are.
fn verdicts() -> BTreeMap<&'static str, Vec<u8>> {
    let kit = Kit::new(4711);
    let (pki, kari) = (&kit.pki, &kit.signer);
    let mut all = BTreeMap::new();
    let now = ago(0);
    let answers = |who: &Identity, at: Time| {
        let answer =
            |who: &Identity| pki.ocsp_response(who.certificate(), &OcspOptions::at(at)).unwrap();
        vec![answer(who), answer(pki.issuing())]
    };
    let tsa = pki.timestamping().certificate();
    let taken = [(tsa, ago(10 * DAY), RevocationReason::KeyCompromise)];
    let stamped = Story::signed(kari, now, Some((pki, now)));
    let lists = vec![list((pki, pki.issuing()), now, &taken)];
    all.insert("revoked-authority.pdf", stamped.with(vec![], lists).bytes());
    let earlier = ago(20 * DAY);
    let claimed = Story::signed(kari, earlier, None);
    all.insert("old-answer.pdf", claimed.with(answers(kari, earlier), vec![]).bytes());
    let fresh = Story::signed(kari, earlier, None);
    all.insert("fresh-answer.pdf", fresh.with(answers(kari, now), vec![]).bytes());

    let profile = || Profile::person(Subject::person("Eva", "Lie", 4), KeyKind::P256, pki.issued());
    let ended = pki.issue(&Profile { not_after: ago(DAY), ..profile() }).unwrap();
    all.insert("claimed-before-end.pdf", Story::signed(&ended, earlier, None).bytes());
    let usage = writer::sequence(&[&writer::oid(&oids::SERVER_AUTH)]);
    let extensions = vec![(oids::EXTENDED_KEY_USAGE, true, usage)];
    let server = pki.issue(&Profile { extensions, ..profile() }).unwrap();
    all.insert("server-certificate.pdf", Story::signed(&server, now, None).bytes());
    let login = pki.issue(&Profile { key_usage: vec![0], ..profile() }).unwrap();
    all.insert("login-certificate.pdf", Story::signed(&login, now, None).bytes());

    let ed448: &[u32] = &[1, 3, 101, 113];
    let certificate = reissued(pki, kari, 6, &key(ed448, None, 57));
    let edwards = Crafted { certificate, algorithm: named(ed448), ..Crafted::by(kari) };
    all.insert("ed448.pdf", edwards.sign(pki, kari));
    let digest = named(&[1, 3, 14, 3, 2, 26]);
    all.insert("sha1.pdf", Crafted { digest, ..Crafted::by(kari) }.sign(pki, kari));
    let unsorted = Crafted { is_unsorted: true, ..Crafted::by(kari) };
    all.insert("unsorted.pdf", unsorted.sign(pki, kari));
    let certificate = reissued(pki, kari, 4, &writer::sequence(&[]));
    let unreadable = Crafted { certificate, ..Crafted::by(kari) };
    all.insert("unreadable-certificate.pdf", unreadable.sign(pki, kari));
    let plain = Story::signed(kari, now, None).bytes();
    all.insert("old-form.pdf", of_form(&plain, "adbe.pkcs7.sha1"));
    // Extended to B-LTA, and again before the first timestamp's authority ends.
    let data = |who: &Identity, at| [answers(kari, now), answers(who, at)].concat();
    let archived = || {
        let signed = Story::signed(kari, now, None);
        signed.with(data(pki.timestamping(), now), vec![]).archived(pki, now)
    };
    all.insert("archived.pdf", archived().bytes());
    let later = ago(-4 * YEAR);
    let by_authority = OcspOptions { by_authority: true, ..OcspOptions::at(later) };
    let answer = pki.ocsp_response(pki.timestamping().certificate(), &by_authority).unwrap();
    let issuing = answers(pki.issuing(), later).swap_remove(1);
    let renewed = archived().with(vec![answer, issuing], vec![]).archived(pki, later);
    all.insert("archived-twice.pdf", renewed.bytes());
    all
}

/// A signed document whose security store lists as `VRI` what the page uses as drawings, and an
/// update that is all right for a store.
/// Evidence bundles: a whole one with a timestamp, one without, one of an SDO, and one that was
/// packed anew.
fn bundles(all: &BTreeMap<&'static str, Vec<u8>>) -> BTreeMap<&'static str, Vec<u8>> {
    let kit = Kit::new(4711);
    let order = format!("{{\"signed_sha256\": \"{}\"}}\n", base64_sha256(&all["signed.pdf"]));
    let identity = br#"{"given_name": "Kari", "family_name": "Nordmann"}"#;
    let bundle = |files: &[(&str, &[u8])], is_stamped: bool| {
        let mut held = Files::new();
        for (name, data) in files {
            held.add(name, "application/octet-stream", arc(data)).unwrap();
        }
        let digest = HashAlgorithm::Sha256.digest(&held.manifest());
        let at = Time::from_unix(NOW + 60);
        let token = kit.pki.timestamp(&digest, HashAlgorithm::Sha256, at, None).unwrap();
        let mut out = Vec::new();
        held.write(is_stamped.then_some(token.as_slice()), &mut out).unwrap();
        out
    };
    let files = [
        (SIGNED_PDF, all["signed.pdf"].as_slice()),
        ("original.pdf", &all["loan.pdf"]),
        (ORDER, order.as_bytes()),
        (IDENTITY, identity),
    ];
    let whole = bundle(&files, true);
    let mut changed = whole.clone();
    changed.push(b'\n');
    let sdo = [(SIGNED_SDO, all["terms.sdo"].as_slice()), ("original.txt", &all["terms.txt"])];
    BTreeMap::from([
        ("bundle.asice", whole),
        ("bundle-changed.asice", changed),
        ("bundle-unstamped.asice", bundle(&files, false)),
        ("bundle-sdo.asice", bundle(&sdo, true)),
    ])
}

fn serving_twice(kit: &Kit, how: &PrepareOptions) -> (Vec<u8>, Vec<u8>) {
    let drawing = |amount: &str| {
        let text = format!("BT /F1 12 Tf 72 700 Td (Amount: {amount} NOK) Tj ET");
        format!(
            "<</Type/XObject/Subtype/Form/BBox[0 0 595 842]/Resources<</Font<</F1 5 0 R>>>>\
             /Length {}>>\nstream\n{text}\nendstream",
            text.len()
        )
    };
    let mut pdf = RawPdf::new();
    pdf.object("<</Type/Catalog/Pages 2 0 R/DSS<</VRI 6 0 R>>>>");
    pdf.object("<</Type/Pages/Kids[3 0 R]/Count 1>>");
    pdf.object(
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R\
         /Resources<</XObject 6 0 R>>>>",
    );
    pdf.object("<</Length 6>>\nstream\n/X1 Do\nendstream");
    pdf.object("<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>");
    pdf.object("<</X1 7 0 R>>");
    pdf.object(drawing("100 000"));
    pdf.object(drawing("900 000"));
    let signed = kit.sign(&pdf.build(Structure::Table), Level::B, how);
    let claimed = append_update(&signed, &[(6, "<</X1 8 0 R>>")], 1);
    (signed, claimed)
}

/// The number of the page's content.
fn content_stream(pdf: &[u8]) -> u32 {
    let text = String::from_utf8_lossy(pdf);
    let behind = text.split("/Contents ").nth(1).unwrap();
    behind.split(' ').next().unwrap().parse().unwrap()
}

fn sdo(kit: &Kit, kind: &DocumentKind, document: &[u8], is_inside: bool) -> Vec<u8> {
    let seal = kit.pki.merchant("Sealing Service (test)", "888888888", KeyKind::P256).unwrap();
    let request = SdoRequest {
        kind,
        digest: &HashAlgorithm::Sha256.digest(document),
        document: is_inside.then_some(document),
        signers: &[&kit.signer],
        seal: &seal,
        at: Time::from_unix(NOW),
        description: "Loan 4711",
    };
    kit.pki.sdo(&request).unwrap().into_bytes()
}

fn sign_with(
    pki: &Pki,
    signer: &Identity,
    level: Level,
    pdf: &[u8],
    how: &PrepareOptions,
) -> Vec<u8> {
    let signing = Signing { pki, signer, level, at: Time::from_unix(NOW) };
    bytes(&signing.sign(arc(pdf), how).unwrap())
}

/// By somebody whose certificate was revoked the day before.
fn revoked(kit: &Kit, pdf: &[u8], how: &PrepareOptions) -> Vec<u8> {
    // The same authority once more: its memory of revocations is its own.
    let issued = Time::from_unix(NOW - 30 * 86_400);
    let options = PkiOptions { seed: 4711, issued, key: KeyKind::P256 };
    let pki = Pki::with_options(options).unwrap();
    assert_eq!(pki.trust_pem(), kit.pki.trust_pem());
    let signer = pki.person("Per", "Berg", 3, KeyKind::P256).unwrap();
    let at = Time::from_unix(NOW - 86_400);
    pki.revoke(signer.certificate(), at, RevocationReason::KeyCompromise);
    sign_with(&pki, &signer, Level::Lt, pdf, how)
}

/// By somebody whose certificate had expired the day before.
fn expired(kit: &Kit, pdf: &[u8], how: &PrepareOptions) -> Vec<u8> {
    let issued = Time::from_unix(NOW - 30 * 86_400);
    let subject = Subject::person("Eva", "Lie", 4);
    let profile = Profile::person(subject, KeyKind::P256, issued);
    let signer = kit.pki.issue(&profile.expired_at(Time::from_unix(NOW - 86_400))).unwrap();
    sign_with(&kit.pki, &signer, Level::B, pdf, how)
}

#[test]
fn the_committed_files_are_those_of_the_seed() {
    let folder = Path::new(FOLDER);
    let is_blessing = std::env::var_os("SIGNDOC_BLESS").is_some();
    let mut total = 0;
    for (name, made) in files() {
        let path = folder.join(name);
        total += made.len();
        if is_blessing {
            std::fs::write(&path, &made).unwrap();
            continue;
        }
        let found = std::fs::read(&path).unwrap_or_default();
        assert!(found == made, "tests/data/verification/{name} is stale; see the top of this test");
    }
    println!("{total} bytes of signed files, {}", if is_blessing { "written" } else { "as made" });
    let known = files();
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(known.contains_key(name.as_str()), "nothing makes tests/data/verification/{name}");
    }
}
