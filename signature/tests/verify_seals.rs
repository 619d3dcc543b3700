//! Where seals stand, what they lie over, and chains of sessions.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "test code; helpers count as outside of tests"
)]

mod common;
mod verify_kit;

use common::signing::Level;
use signdoc_signature::crypto::KeyKind;
use signdoc_signature::fixtures::{self, PdfBuilder};
use signdoc_signature::report::Status;
use signdoc_signature::sign::PrepareOptions;
use signdoc_signature::verify::{
    Below, ExpectedSigner, Requirement, SealPosition, VerifyOptions, VerifyReport, verify_bytes,
    verify_chain,
};
use verify_kit::{Kit, arc};

fn at(x: f64, y: f64, page: u32) -> SealPosition {
    SealPosition { x, y, page }
}

fn verify_with(
    kit: &Kit,
    original: &[u8],
    signed: &[u8],
    positions: Option<Vec<SealPosition>>,
) -> VerifyReport {
    let mut options = VerifyOptions { original: Some(arc(original)), ..kit.options() };
    options.seals.positions = positions;
    verify_bytes(signed.to_vec(), &options)
}

#[test]
fn seals_must_stand_where_they_were_asked_for() {
    let kit = Kit::new(81);
    for entries in [
        "/MediaBox[0 0 595 842]",
        "/MediaBox[-10 -20 595 842]/CropBox[5 5 500 700]",
        "/MediaBox[0 0 595 842]/Rotate 90",
        "/MediaBox[0 0 595 842]/Rotate 180",
        "/MediaBox[0 0 595 842]/CropBox[10 20 400 500]/Rotate 270",
        "/MediaBox[0 0 595 842]/UserUnit 2",
    ] {
        let original = PdfBuilder::new().page_entries(entries).build();
        let signed = kit.sign(&original, Level::B, &kit.sealed(40.0, 60.0));
        let status = |positions| {
            let report = verify_with(&kit, &original, &signed, positions);
            assert_eq!(report.ok, report.status("seals") != Status::Failed, "{entries}");
            report.status("seals")
        };
        assert_eq!(status(Some(vec![at(40.0, 60.0, 1)])), Status::Passed, "{entries}");
        assert_eq!(status(Some(vec![at(41.5, 58.5, 0)])), Status::Passed, "{entries}");
        assert_eq!(status(Some(vec![at(60.0, 40.0, 1)])), Status::Failed, "{entries}");
        assert_eq!(status(Some(vec![at(40.0, 60.0, 2)])), Status::Failed, "{entries}");
        assert_eq!(status(Some(Vec::new())), Status::Failed, "{entries}");
        assert_eq!(status(None), Status::NotChecked, "{entries}");
    }
}

#[test]
fn a_seal_on_a_turned_page_need_not_be_turned() {
    let kit = Kit::new(89);
    for (turned, ok) in [("", false), ("/Rotate 90", true), ("/Rotate 180", false)] {
        let original =
            PdfBuilder::new().page_entries(&format!("/MediaBox[0 0 595 842]{turned}")).build();
        let mut high = kit.sealed(40.0, 60.0);
        let seal = high.seal.as_mut().unwrap();
        (seal.width, seal.height) = (100.0, 280.0);
        let signed = kit.sign(&original, Level::B, &high);
        assert_eq!(verify_with(&kit, &original, &signed, None).ok, ok, "{turned}");
        (high.seal.as_mut().unwrap().width, high.seal.as_mut().unwrap().height) = (160.0, 280.0);
        let signed = kit.sign(&original, Level::B, &high);
        assert!(!verify_with(&kit, &original, &signed, None).ok, "{turned}");
    }
}

#[test]
fn one_place_takes_one_seal_and_sizes_are_limited() {
    let kit = Kit::new(82);
    let original = fixtures::simple();
    let once = kit.sign(&original, Level::B, &kit.sealed(40.0, 60.0));
    let twice = kit.sign(&once, Level::B, &kit.sealed(40.0, 60.0));
    let place = at(40.0, 60.0, 1);
    assert!(!verify_with(&kit, &original, &twice, Some(vec![place])).ok);
    assert!(verify_with(&kit, &original, &twice, Some(vec![place, place])).ok);
    assert!(verify_with(&kit, &once, &twice, Some(vec![place])).ok);
    let mut large = kit.sealed(40.0, 60.0);
    large.seal.as_mut().unwrap().width = 301.0;
    let signed = kit.sign(&original, Level::B, &large);
    assert!(!verify_with(&kit, &original, &signed, Some(vec![place])).ok);
    assert!(!verify_with(&kit, &original, &signed, None).ok);
    let mut options = VerifyOptions { original: Some(arc(&original)), ..kit.options() };
    options.seals.max_width = 400.0;
    assert!(verify_bytes(signed.clone(), &options).ok);
    options.require = vec![Requirement::Seals];
    assert!(!verify_bytes(signed, &options).ok, "the place is not known");
}

#[test]
fn a_field_that_the_sender_placed_is_where_it_should_be() {
    let kit = Kit::new(83);
    let original = PdfBuilder::new()
        .signature_field("Buyer", [50.0, 100.0, 450.0, 360.0], "")
        .text_field("amount")
        .build();
    let options = PrepareOptions { field_name: Some("Buyer".into()), ..kit.sealed(0.0, 0.0) };
    let signed = kit.sign(&original, Level::Lta, &options);
    let report = verify_with(&kit, &original, &signed, Some(Vec::new()));
    assert!(report.ok, "{:#}", report.to_json());
    assert_eq!(report.status("seals"), Status::Passed);
}

#[test]
fn what_a_seal_lies_over_is_listed() {
    let kit = Kit::new(84);
    let text = "q 1 0 0 1 72 700 cm BT /F1 12 Tf 0 0 Td (Amount: 100 000 NOK) Tj 0 -20 Td \
                (Second line) Tj T* (unseen) Tj ET Q 300 300 50 50 re f \
                q 40 0 0 40 400 400 cm BI /W 1 /H 1 /BPC 8 /CS /G ID x EI Q";
    let original = PdfBuilder::new().content(text).text_field("amount").build();
    let below = |x: f64, y: f64| {
        let signed = kit.sign(&original, Level::B, &kit.sealed(x, y));
        let report = verify_with(&kit, &original, &signed, Some(vec![at(x, y, 1)]));
        assert!(report.ok);
        let found: Vec<(Below, String)> =
            report.overlaps.into_iter().map(|o| (o.below, o.detail)).collect();
        found
    };
    // From the top: 842 - 700 = 142 is the line's base.
    let found = below(60.0, 125.0);
    assert!(
        found
            .iter()
            .any(|(kind, text)| *kind == Below::Text && text.contains("Amount: 100 000 NOK")),
        "{found:?}"
    );
    let found = below(60.0, 20.0);
    assert!(found.iter().all(|(kind, _)| *kind != Below::Text), "{found:?}");
    let found = below(290.0, 480.0);
    assert!(found.iter().any(|(kind, _)| *kind == Below::Drawing), "{found:?}");
    let found = below(380.0, 400.0);
    assert!(found.iter().any(|(kind, _)| *kind == Below::Image), "{found:?}");
    let field =
        PdfBuilder::new().signature_field("Seller", [100.0, 100.0, 300.0, 200.0], "").build();
    let signed = kit.sign(&field, Level::B, &kit.sealed(150.0, 700.0));
    let report = verify_with(&kit, &field, &signed, None);
    let found = &report.overlaps;
    assert!(
        found.iter().any(|o| o.below == Below::Annotation && o.detail.contains("Seller")),
        "{found:?}"
    );
}

#[test]
fn sessions_build_on_each_other() {
    let kit = Kit::new(85);
    let ola = kit.pki.person("Ola", "Hansen", 9, KeyKind::P256).unwrap();
    let original = fixtures::simple();
    let first = kit.sign(&original, Level::Lt, &kit.sealed(40.0, 60.0));
    let second = kit.sign_as(&ola, &first, Level::T, &kit.plain());
    let third = kit.sign(&second, Level::Lta, &kit.sealed(200.0, 60.0));
    let signer = ExpectedSigner { name: Some("Kari Nordmann".into()), ..Default::default() };
    let options = VerifyOptions {
        original: Some(arc(&original)),
        signer: Some(signer.clone()),
        ..kit.options()
    };
    let files = |all: &[&Vec<u8>]| all.iter().map(|f| arc(f)).collect::<Vec<_>>();
    let report = verify_chain(&files(&[&first, &second, &third]), &options);
    assert!(report.ok, "{:#}", report.to_json());
    assert_eq!(report.links.len(), 3);
    assert_eq!(report.links[2].changes.base_len, Some(second.len() as u64));
    assert!(!verify_chain(&files(&[&second, &first, &third]), &options).ok);
    assert!(!verify_chain(&files(&[&first, &third, &second]), &options).ok);
    let other = kit.sign(&PdfBuilder::new().content("another").build(), Level::B, &kit.plain());
    assert!(!verify_chain(&files(&[&first, &other]), &options).ok);
    let wrong = ExpectedSigner { name: Some("Ola Hansen".into()), ..Default::default() };
    let options = VerifyOptions { signer: Some(wrong), ..options };
    assert!(!verify_chain(&files(&[&first, &second, &third]), &options).ok, "the last one is Kari");
    assert!(!verify_chain(&[], &options).ok);
}

#[test]
fn honest_combinations_raise_no_alarm() {
    let kit = Kit::new(86);
    let ola = kit.pki.merchant("Butikken AS", "999999999", KeyKind::P256).unwrap();
    let mut count = 0;
    for (name, original) in fixtures::all_structures() {
        for first in [Level::B, Level::T, Level::Lt, Level::Lta] {
            for second in [Level::B, Level::Lta] {
                let once = kit.sign(&original, first, &kit.sealed(20.0, 20.0));
                let twice = kit.sign_as(&ola, &once, second, &kit.sealed(20.0, 100.0));
                let places = vec![at(20.0, 20.0, 1), at(20.0, 100.0, 1)];
                let report = verify_with(&kit, &original, &twice, Some(places));
                assert!(report.ok, "{name} {first:?} {second:?}: {:#}", report.to_json());
                count += 1;
            }
        }
    }
    println!("{count} honest files of several revisions, no alarm");
    assert!(count >= 60);
}

#[test]
fn seals_are_not_judged_where_nobody_said_what_was_sent() {
    let kit = Kit::new(87);
    let original = fixtures::simple();
    for options in [kit.plain(), kit.sealed(40.0, 60.0)] {
        let signed = kit.sign(&original, Level::B, &options);
        // The first signature's own seal cannot be told from what was sent.
        let report = verify_bytes(signed.clone(), &kit.options());
        assert_eq!(report.status("seals"), Status::NotChecked);
        assert!(report.ok, "nobody asked for it");
        let mut asked = kit.options();
        asked.require = vec![Requirement::Seals];
        assert!(!verify_bytes(signed.clone(), &asked).ok);
        let mut placed = kit.options();
        placed.seals.positions = Some(vec![at(40.0, 60.0, 1)]);
        assert!(!verify_bytes(signed.clone(), &placed).ok, "places are a question, too");
        // The digest that the service reported says it as well.
        placed.reported.unsigned_sha256 = Some(verify_kit::base64_sha256(&original));
        let report = verify_bytes(signed, &placed);
        assert!(report.ok, "{:#}", report.to_json());
        assert_eq!(report.status("seals"), Status::Passed);
    }
}

#[test]
fn details_hold_no_number_of_a_person() {
    let kit = Kit::new(88);
    let original = fixtures::simple();
    let signed = kit.sign(&original, Level::Lta, &kit.sealed(40.0, 60.0));
    let number = kit.signer.certificate().subject().serial_number().unwrap().to_owned();
    let mut late = kit.options();
    late.at = Some(signdoc_signature::asn1::Time::from_unix(verify_kit::NOW - 90 * 86_400));
    let nobody = VerifyOptions::default();
    for options in [kit.options(), late, nobody] {
        let report = verify_bytes(signed.clone(), &options);
        let own = report.signatures.iter().map(|signature| &signature.checks);
        for check in own.chain([&report.checks]).flatten() {
            assert!(!check.detail.contains(&number), "{}: {}", check.name, check.detail);
        }
        assert!(!format!("{report:?}").contains(&number), "debug output travels, too");
        let signer = &report.to_json()["signatures"][0]["signer"];
        assert_eq!(signer["serial_number"], number, "whoever asks gets it");
    }
}
