//! What this crate signs, it verifies, and what it could not verify it does not sign.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "test code; helpers count as outside of tests"
)]

mod common;
mod verify_kit;

use common::signing::Level;
use signdoc_signature::fixtures::{RawPdf, Structure, append_update};
use signdoc_signature::pdf::{Document, PdfErrorKind};
use signdoc_signature::sign::{PrepareOptions, SigningNote, prepare};
use signdoc_signature::verify::{VerifyOptions, check_signed, verify_bytes};
use verify_kit::{Kit, arc};

/// Objects as one file; the first one is the catalog, the third one the page.
fn file(bodies: &[&str]) -> Vec<u8> {
    let mut pdf = RawPdf::new();
    bodies.iter().for_each(|body| {
        pdf.object(*body);
    });
    pdf.build(Structure::Table)
}

const PAGES: &str = "<</Type/Pages/Kids[3 0 R]/Count 1>>";
const PAGE: &str = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<<>>>>";

/// A tagged page as Skia writes it: its number tree has a type.
fn skia() -> Vec<u8> {
    file(&[
        "<</Type/Catalog/Pages 2 0 R/MarkInfo<</Type/MarkInfo/Marked true>>\
         /StructTreeRoot 4 0 R/Lang(nb)>>",
        PAGES,
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<<>>/StructParents 0/Tabs/S>>",
        "<</Type/StructTreeRoot/K 6 0 R/ParentTreeNextKey 1/ParentTree 5 0 R>>",
        "<</Type/ParentTree/Nums[0 8 0 R]>>",
        "<</Type/StructElem/S/Document/P 4 0 R/K[7 0 R]>>",
        "<</Type/StructElem/S/P/P 6 0 R/K[<</Type/MCR/Pg 3 0 R/MCID 0>>]>>",
        "[7 0 R]",
    ])
}

/// A file whose trailer and page refer to objects that do not exist.
fn dangling() -> Vec<u8> {
    let mut pdf = RawPdf::new();
    pdf.object("<</Type/Catalog/Pages 2 0 R>>");
    pdf.object(PAGES);
    pdf.object(
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]\
         /Resources<</XObject<</A 4 0 R/B 5 0 R/C 9 0 R>>>>/Contents[6 0 R 7 0 R]>>",
    );
    pdf.trailer("/AdditionalStreams[/application#2Fvnd.oasis.opendocument.text 12 0 R]");
    pdf.build(Structure::Table)
}

fn verified(original: &[u8]) -> Vec<u8> {
    let kit = Kit::new(10);
    let mut last = Vec::new();
    for options in [kit.plain(), kit.sealed(50.0, 100.0)] {
        last = kit.sign(original, Level::Lt, &options);
        let options = VerifyOptions { original: Some(arc(original)), ..kit.options() };
        let report = verify_bytes(last.clone(), &options);
        assert!(report.ok, "{:?}", report.checks);
        check_signed(arc(&last), arc(original), "Signature1").unwrap();
    }
    last
}

#[test]
fn the_tagged_documents_of_browsers_verify() {
    verified(&skia());
}

#[test]
fn new_objects_stand_above_every_reference() {
    let signed = Document::from_bytes(verified(&dangling())).unwrap();
    let news = signed.changes(&signed.revisions()[1]).filter(|change| change.id.number > 3);
    let news: Vec<u32> = news.map(|change| change.id.number).collect();
    assert!(!news.is_empty() && news.iter().all(|number| *number > 12), "{news:?}");
}

#[test]
fn a_reference_to_the_last_number_leaves_room() {
    let original =
        file(&["<</Type/Catalog/Pages 2 0 R/A 8388607 0 R/B 8388606 0 R>>", PAGES, PAGE]);
    verified(&original);
}

#[test]
fn keys_that_stand_twice_in_the_information_stay() {
    let mut pdf = RawPdf::new();
    pdf.object("<</Type/Catalog/Pages 2 0 R>>");
    pdf.object(PAGES);
    pdf.object(PAGE);
    pdf.object("<</Author(one)/Author()/Producer(a test)>>");
    pdf.trailer("/Info 4 0 R");
    verified(&pdf.build(Structure::Table));
}

#[test]
fn what_could_not_verify_is_not_prepared() {
    // The form is an annotation of the page too: its change is more than a signature's.
    let original = file(&[
        "<</Type/Catalog/Pages 2 0 R/AcroForm 4 0 R>>",
        PAGES,
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 5 0 R/Annots 6 0 R>>",
        "<</Fields 6 0 R>>",
        "<</Length 0>>stream\n\nendstream",
        "[]",
    ]);
    let error = prepare(arc(&original), &PrepareOptions::default()).unwrap_err();
    assert_eq!(error.kind(), PdfErrorKind::NotVerifiable);
    assert!(error.to_string().starts_with("the signed pdf would not verify: "), "{error}");
}

#[test]
fn a_signed_document_is_checked_against_what_was_to_be_signed() {
    let kit = Kit::new(11);
    let original = skia();
    let signed = kit.sign(&original, Level::B, &kit.plain());
    let check = |signed: &[u8], original: &[u8], field: &str| {
        check_signed(arc(signed), arc(original), field).map_err(|error| error.to_string())
    };
    check(&signed, &original, "Signature1").unwrap();
    assert!(check(&signed, &original, "Signature2").unwrap_err().contains("not found"));
    let other = check(&signed, &dangling(), "Signature1").unwrap_err();
    assert!(other.contains("original: "), "{other}");
    // A digit of the signature value, in the hexadecimal of its container.
    let mut broken = signed.clone();
    let contents = signed.windows(10).position(|w| w == b"/Contents ").unwrap();
    let zeros = signed[contents..].windows(8).position(|w| w == b"00000000").unwrap();
    let at = contents + zeros - 40;
    broken[at] = if broken[at] == b'1' { b'2' } else { b'1' };
    let error = check(&broken, &original, "Signature1").unwrap_err();
    assert!(error.contains("signature"), "{error}");
}

/// A form that asks viewers to draw its fields; `field` is its only one.
fn asking(field: &str, more: &[&str]) -> Vec<u8> {
    let mut bodies = vec![
        "<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[4 0 R]/NeedAppearances true\
         /DA(/Helv 0 Tf 0 g)/DR<</Font<</Helv 5 0 R>>>>>>>>",
        PAGES,
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<<>>/Annots[4 0 R]>>",
        field,
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
    ];
    bodies.extend(more);
    file(&bodies)
}

const TEXT: &str = "<</Type/Annot/Subtype/Widget/FT/Tx/T(a)/V(500 \\(net\\))/Rect[20 20 220 50]\
                    /DA(/Helv 12 Tf 0 g)/P 3 0 R/F 4>>";

fn asks(bytes: &[u8]) -> bool {
    let document = Document::from_bytes(bytes.to_vec()).unwrap();
    let form = document.head().lookup_dict(&document.catalog().unwrap(), "AcroForm").unwrap();
    form.unwrap().get("NeedAppearances").and_then(|v| v.as_bool()) == Some(true)
}

/// What Poppler draws, in the lower right corner and in the upper left one: dark pixels.
fn drawn(bytes: &[u8]) -> Option<(usize, usize)> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.pdf");
    std::fs::write(&path, bytes).unwrap();
    let mut program = std::process::Command::new("pdftoppm");
    let shown = program.args(["-r", "72", "-gray"]).arg(&path).output();
    let output = shown.ok().filter(|output| output.status.success());
    let Some(output) = output else {
        println!("not run: pdftoppm is not at hand");
        return None;
    };
    // P5, width, height and depth, then a byte for each pixel.
    let header = output.stdout.split(|b| b.is_ascii_whitespace()).take(4);
    let start: usize = header.clone().map(|part| part.len() + 1).sum();
    let width: usize =
        std::str::from_utf8(header.clone().nth(1).unwrap()).unwrap().parse().unwrap();
    let rows: Vec<&[u8]> = output.stdout[start..].chunks(width).collect();
    let dark =
        |rows: &[&[u8]]| rows.iter().flat_map(|row| row.iter()).filter(|p| **p < 128).count();
    Some((dark(&rows[rows.len() / 2..]), dark(&rows[..rows.len() / 2])))
}

#[test]
fn the_seal_shows_where_the_form_asks_for_appearances() {
    let original = asking(TEXT, &[]);
    let signed = verified(&original);
    assert!(asks(&original) && !asks(&signed));
    let (Some(before), Some(after)) = (drawn(&original), drawn(&signed)) else { return };
    assert_eq!(before.1, 0);
    assert!(after.1 > 100, "{after:?}");
    // The field shows as before, give or take what viewers differ by.
    assert!(before.0 > 50 && after.0 > before.0 / 2 && after.0 < before.0 * 2, "{after:?}");
}

#[test]
fn a_form_that_is_drawn_already_keeps_its_request() {
    let drawn = "<</Type/Annot/Subtype/Widget/FT/Tx/T(a)/V(500)/Rect[20 20 220 50]/P 3 0 R/F 4\
                 /DA(/Helv 12 Tf 0 g)/AP<</N 6 0 R>>>>";
    let look = |text: &str| {
        let content = format!("/Tx BMC BT /Helv 12 Tf ({text}) Tj ET EMC");
        format!(
            "<</Subtype/Form/BBox[0 0 200 30]/Resources<</Font<</Helv 5 0 R>>>>/Length {}>>\
             stream\n{content}\nendstream",
            content.len()
        )
    };
    // What viewers draw is not known to be the same as what is there, or shown at all.
    for shown in ["500", "900"] {
        let there = asking(drawn, &[&look(shown)]);
        let kit = Kit::new(12);
        let prepared = prepare(arc(&there), &kit.sealed(50.0, 100.0)).unwrap();
        assert_eq!(prepared.notes(), [SigningNote::FormRedrawn]);
        assert!(asks(&verified(&there)));
        let update = append_update(&there, &[(1, ANSWERED)], 1);
        let signed = kit.sign(&update, Level::B, &kit.plain());
        let options = VerifyOptions { original: Some(arc(&there)), ..kit.options() };
        let report = verify_bytes(signed, &options);
        let mut forbidden = report.changes.forbidden.iter();
        assert!(forbidden.any(|change| change.detail.contains("NeedAppearances")), "{shown}");
    }
}

#[test]
fn an_empty_form_loses_its_request() {
    let empty = TEXT.replace("/V(500 \\(net\\))", "");
    assert_ne!(empty, TEXT);
    assert!(!asks(&verified(&asking(&empty, &[]))));
}

/// The catalog of [`asking`] without the request.
const ANSWERED: &str = "<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[4 0 R]/DA(/Helv 0 Tf 0 g)\
                        /DR<</Font<</Helv 5 0 R>>>>>>>>";

#[test]
fn a_form_that_was_signed_stays_as_it_is() {
    let kit = Kit::new(13);
    let first = kit.sign(&asking(TEXT, &[]), Level::B, &kit.plain());
    assert!(asks(&first), "nothing is drawn for an invisible signature");
    let prepared = prepare(arc(&first), &kit.sealed(50.0, 100.0)).unwrap();
    assert_eq!(prepared.notes(), [SigningNote::FormRedrawn]);
    let second = kit.sign(&first, Level::B, &kit.sealed(50.0, 100.0));
    assert!(asks(&second));
    // Who signed saw the fields as viewers draw them: the request must stay.
    let update = append_update(&first, &[(1, ANSWERED)], 1);
    assert!(!verify_bytes(update, &kit.options()).ok);
}

#[test]
fn an_appearance_that_was_not_asked_for_is_a_change() {
    let kit = Kit::new(14);
    let original = asking(TEXT, &[]);
    // White text: what the field holds, where nobody sees it.
    let content = "/Tx BMC q BT /Helv 12 Tf 1 g 2 9 Td (500 \\(net\\)) Tj ET Q EMC";
    let look = format!(
        "<</Subtype/Form/BBox[0 0 200 30]/Resources<</Font<</Helv 5 0 R>>>>/Length {}>>stream\n\
         {content}\nendstream",
        content.len()
    );
    let field = TEXT.replace("/F 4", "/F 4/AP<</N 6 0 R>>");
    let update = append_update(&original, &[(4, &field), (6, &look)], 1);
    let signed = kit.sign(&update, Level::B, &kit.plain());
    let options = VerifyOptions { original: Some(arc(&original)), ..kit.options() };
    let report = verify_bytes(signed, &options);
    assert!(
        report.changes.forbidden.iter().any(|c| c.detail.contains("had a value")),
        "{:?}",
        report.changes
    );
}
