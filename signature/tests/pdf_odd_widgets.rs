//! Widgets, appearances and stores that readers understand in different ways: whatever one of them
//! may show, the verification is not fooled by what another makes of it.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "test code; helpers count as outside of tests"
)]

mod common;
mod verify_kit;

use common::signing::Level;
use signdoc_signature::asn1::Time;
use signdoc_signature::crypto::KeyKind;
use signdoc_signature::fixtures::{RawPdf, Structure, append_update};
use signdoc_signature::pki::RevocationReason;
use signdoc_signature::sign::{SigningNote, prepare};
use signdoc_signature::verify::{
    Requirement, SealPosition, SealRules, VerifyOptions, verify_bytes,
};
use verify_kit::story::{Story, ago, all_answers, authority, list};
use verify_kit::{Kit, arc};

const PAGE: &str = "/Contents 4 0 R/Annots[]";
const FONTS: &str = "/DR<</Font<</F1 5 0 R>>>>";
/// An empty text field over the amount.
const TEXT: &str = "<</Type/Annot/Subtype/Widget/FT/Tx/T(t)/V()/DA(/F1 12 Tf 0 g)\
                    /Rect[60 690 500 730]/F 4/P 3 0 R>>";

fn stream(entries: &str, data: &str) -> String {
    format!("<<{entries}/Length {}>>\nstream\n{data}\nendstream", data.len())
}

fn look(data: &str) -> String {
    let entries = "/Type/XObject/Subtype/Form/BBox[0 0 595 842]/Resources<</Font<</F1 5 0 R>>>>";
    stream(entries, data)
}

fn cover() -> String {
    look("1 g 0 0 595 842 re f 0 g BT /F1 24 Tf 72 700 Td (Amount: 900 000 NOK) Tj ET")
}

/// Objects 1 to 6 are catalog, pages, page, content, font and form.
fn document(page: &str, form: &str, more: &[&str]) -> Vec<u8> {
    let content = stream("", "BT /F1 24 Tf 72 700 Td (Amount: 100 000 NOK) Tj ET");
    let page = format!(
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F1 5 0 R>>>>{page}>>"
    );
    let form = format!("<<{form}>>");
    let mut pdf = RawPdf::new();
    for body in [
        "<</Type/Catalog/Pages 2 0 R/AcroForm 6 0 R>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        &page,
        &content,
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        &form,
    ] {
        pdf.object(body);
    }
    more.iter().for_each(|body| {
        pdf.object(*body);
    });
    pdf.build(Structure::Table)
}

/// The last definition of an object.
fn body(file: &[u8], number: u32) -> String {
    let text: String = file.iter().map(|byte| char::from(*byte)).collect();
    let header = format!("\n{number} 0 obj");
    let at = text.rfind(&header).unwrap() + header.len();
    let end = at + text[at..].find("endobj").unwrap();
    text[at..end].trim().to_owned()
}

/// An update with new objects, and with others in which one text takes the place of another.
fn update(file: &[u8], set: &[(u32, String)], edit: &[(u32, &str, &str)]) -> Vec<u8> {
    let mut objects = set.to_vec();
    for (number, from, to) in edit {
        let old = body(file, *number);
        assert!(old.contains(from), "{from} is not in {old}");
        objects.push((*number, old.replacen(from, to, 1)));
    }
    let objects: Vec<(u32, &str)> = objects.iter().map(|(n, body)| (*n, body.as_str())).collect();
    append_update(file, &objects, 1)
}

/// Adds an unsigned signature field with these entries after signing, and before.
fn assert_caught(kit: &Kit, name: &str, entries: &str, more: &[(u32, String)]) {
    let base = document(PAGE, "/Fields[]", &[]);
    let widget = format!("<</Type/Annot/Subtype/Widget/FT/Sig/T(X)/P 3 0 R{entries}>>");
    let set = [&[(60, widget)], more].concat();
    let lists = [(6, "/Fields[", "/Fields[60 0 R "), (3, "/Annots[", "/Annots[60 0 R ")];
    let signed = kit.sign(&base, Level::B, &kit.plain());
    let after = verify_bytes(update(&signed, &set, &lists), &kit.options());
    assert!(!after.ok, "{name}, after signing");
    let before = kit.sign(&update(&base, &set, &lists), Level::B, &kit.plain());
    let options = VerifyOptions { original: Some(arc(&base)), ..kit.options() };
    assert!(!verify_bytes(before, &options).ok, "{name}, before signing");
}

#[test]
fn unsigned_fields_that_some_readers_show() {
    let kit = Kit::new(31);
    let shown = "/AP<</N 61 0 R>>";
    let everywhere = "/Rect[0 0 595 842]";
    for (name, entries) in [
        ("plain", format!("/F 4{everywhere}{shown}")),
        ("flags beyond those that there are", format!("/F 4294967298{everywhere}{shown}")),
        ("flags that are no integer", format!("/F 2.0{everywhere}{shown}")),
        ("a place that is no number", format!("/F 4/Rect[null null 595 842]{shown}")),
        ("a place of five numbers", format!("/F 4/Rect[0 0 0 0 9]{shown}")),
    ] {
        assert_caught(&kit, name, &entries, &[(61, cover())]);
    }
    let border = "/F 4/Rect[60 690 500 730]/MK<</BC[1 0 0]>>/BS<</W 40/S/S>>";
    assert_caught(&kit, "a border", border, &[]);
    // A stream in the place of the appearances, passed off as a certificate.
    let store = "<</Type/Catalog/Pages 2 0 R/AcroForm 6 0 R/DSS<</Certs[61 0 R]>>>>".to_owned();
    let more = [(61, stream("/N 62 0 R", "0 g")), (62, cover()), (1, store)];
    assert_caught(&kit, "a stream as appearances", &format!("/F 4{everywhere}/AP 61 0 R"), &more);
    let two = "/Type/XObject/Subtype/Form/BBox[0 0 595 842]/Filter/ASCIIHexDecode\
               /DecodeParms[null]/DP<<>>";
    let more = [(61, stream(two, "25>"))];
    assert_caught(&kit, "two sets of parameters", &format!("/F 4{everywhere}{shown}"), &more);
}

#[test]
fn annotations_that_are_found_by_way_of_another_object() {
    let kit = Kit::new(32);
    let base = document(PAGE, "/Fields[]", &[]);
    let signed = kit.sign(&base, Level::B, &kit.plain());
    let widget = "<</Type/Annot/Subtype/Widget/FT/Sig/T(X)/P 3 0 R/F 4/Rect[0 0 9 9]/TU 64 0 R>>";
    let set = [(60, widget.to_owned()), (64, "60 0 R".to_owned())];
    let lists = [(6, "/Fields[", "/Fields[60 0 R "), (3, "/Annots[", "/Annots[64 0 R ")];
    assert!(!verify_bytes(update(&signed, &set, &lists), &kit.options()).ok);
}

#[test]
fn whoever_marks_a_field_after_the_last_signature_is_noticed() {
    let kit = Kit::new(33);
    let box_of = |data: &str| stream("/Type/XObject/Subtype/Form/BBox[0 0 440 40]", data);
    let white = box_of("1 g 0 0 440 40 re f");
    let styled = format!("/Fields[7 0 R]/DA(/F1 12 Tf 0 g){FONTS}");
    let listed = |number: u32| format!("/Contents 4 0 R/Annots[{number} 0 R]");
    let tick = document(
        &listed(8),
        "/Fields[7 0 R]",
        &[
            "<</FT/Btn/T(agree)/V/Off/Kids[8 0 R]>>",
            "<</Type/Annot/Subtype/Widget/Parent 7 0 R/Rect[72 500 372 530]/F 4/P 3 0 R/AS/Off\
             /AP<</N<</Off 9 0 R/Yes 10 0 R>>>>>>",
            &box_of(""),
            &box_of("0 g 0 0 30 30 re f"),
        ],
    );
    let text = document(&listed(7), &styled, &[TEXT]);
    let kid = document(
        &listed(8),
        &styled,
        &[
            "<</FT/Tx/T(t)/V()/DA(/F1 12 Tf 0 g)/Kids[8 0 R]>>",
            "<</Type/Annot/Subtype/Widget/Parent 7 0 R/Rect[60 690 500 730]/F 4/P 3 0 R>>",
        ],
    );
    let store = |number: u32| {
        let store = format!("/DSS<</Certs[{number} 0 R]>>");
        (1, format!("<</Type/Catalog/Pages 2 0 R/AcroForm 6 0 R{store}>>"))
    };
    let amount = look("0 g BT /F1 24 Tf 12 10 Td (Amount: 900 000 NOK) Tj ET");
    let one = [(60, white)];
    let states = [(60, amount.clone()), store(60)];
    let looks = [(60, amount), (61, stream("/N 60 0 R", "0 g")), store(61)];
    for (name, base, set, edit) in [
        ("a box is ticked", &tick, &[][..], (8, "/AS/Off", "/AS/Yes")),
        ("an appearance alone", &text, &one, (7, "/FT/Tx", "/AP<</N 60 0 R>>/FT/Tx")),
        ("the appearance of a widget", &kid, &one, (8, "/F 4", "/AP<</N 60 0 R>>/F 4")),
        ("several states", &text, &states, (7, "/FT/Tx", "/AP<</N<</Off 60 0 R>>>>/FT/Tx")),
        ("a stream as appearances", &text, &looks, (7, "/FT/Tx", "/AP 61 0 R/FT/Tx")),
    ] {
        let signed = kit.sign(base, Level::B, &kit.plain());
        assert!(verify_bytes(signed.clone(), &kit.options()).ok, "{name}");
        assert!(!verify_bytes(update(&signed, set, &[edit]), &kit.options()).ok, "{name}");
    }
}

#[test]
fn seals_stand_where_they_were_asked_for_on_every_page() {
    let kit = Kit::new(34);
    let lists = [(6, "/Fields[", "/Fields[7 0 R "), (3, "/Annots[", "/Annots[7 0 R ")];
    let mut options = kit.sealed(0.0, 0.0);
    options.field_name = Some("X".into());
    // A number that was given to nothing is no field that the sender placed.
    let base = document(PAGE, "/Fields[]", &["null"]);
    let widget = "<</Type/Annot/Subtype/Widget/FT/Sig/T(X)/P 3 0 R/F 4/Rect[0 0 595 842]>>";
    let prepared = update(&base, &[(7, widget.to_owned())], &lists);
    let judge = |base: &[u8], prepared: &[u8], positions: Vec<SealPosition>| {
        let seals = SealRules { positions: Some(positions), ..SealRules::default() };
        let options_of = VerifyOptions { original: Some(arc(base)), seals, ..kit.options() };
        verify_bytes(kit.sign(prepared, Level::B, &options), &options_of).ok
    };
    assert!(!judge(&base, &prepared, Vec::new()));
    // One widget on two pages.
    let second = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Annots[]\
                  /Resources<</Font<</F1 5 0 R>>>>>>";
    let base = update(
        &document(PAGE, "/Fields[]", &[second]),
        &[(2, "<</Type/Pages/Kids[3 0 R 7 0 R]/Count 2>>".to_owned())],
        &[],
    );
    let widget = "<</Type/Annot/Subtype/Widget/FT/Sig/T(X)/F 4/Rect[60 690 180 730]>>";
    let field = (6, "/Fields[", "/Fields[60 0 R ");
    let (first, both) = ((3, "/Annots[", "/Annots[60 0 R "), (7, "/Annots[", "/Annots[60 0 R "));
    let at = || vec![SealPosition { x: 60.0, y: 112.0, page: 1 }];
    let set = [(60, widget.to_owned())];
    assert!(judge(&base, &update(&base, &set, &[field, first]), at()));
    assert!(!judge(&base, &update(&base, &set, &[field, first, both]), at()));
}

#[test]
fn forms_whose_look_only_viewers_know_keep_their_request() {
    let kit = Kit::new(35);
    let field = |rest: &str| {
        format!("<</Type/Annot/Subtype/Widget/Rect[72 500 272 530]/F 4/P 3 0 R{rest}>>")
    };
    let plain = "/DA(/F1 12 Tf 0 g)";
    let white = look("BT /F1 12 Tf 1 g 2 9 Td (100 000) Tj ET");
    let red = look("1 0 0 rg 0 0 30 30 re f");
    for (name, field, more) in [
        (
            "a choice whose words stand for another",
            field(&format!("/FT/Ch/Ff 131072/T(a)/V(1)/Opt[[(1)(Rejected)]]{plain}")),
            "null",
        ),
        (
            "a background",
            field("/FT/Tx/T(t)/V(clause)/MK<</BG[0 0 0.4]>>/DA(/F1 12 Tf 1 g)"),
            "null",
        ),
        (
            "rich text",
            field(&format!("/FT/Tx/Ff 33554432/T(t)/V(plain)/RV(<p>rich</p>){plain}")),
            "null",
        ),
        ("white text", field(&format!("/FT/Tx/T(t)/V(100 000)/AP<</N 8 0 R>>{plain}")), &white),
        ("a box", field("/FT/Btn/T(t)/V/Off/AS/Off/AP<</N<</Off 8 0 R>>>>/MK<</CA(4)>>"), &red),
        ("a list", field(&format!("/FT/Ch/T(t)/Opt[(Rejected)]{plain}")), "null"),
    ] {
        let form = format!("/Fields[7 0 R]/NeedAppearances true/DA(/F1 12 Tf 0 g){FONTS}");
        let base = document("/Contents 4 0 R/Annots[7 0 R]", &form, &[&field, more]);
        let prepared = prepare(arc(&base), &kit.sealed(300.0, 600.0)).unwrap();
        assert_eq!(prepared.notes(), [SigningNote::FormRedrawn], "{name}");
        let signed = kit.sign(&base, Level::B, &kit.sealed(300.0, 600.0));
        let options = VerifyOptions { original: Some(arc(&base)), ..kit.options() };
        assert!(verify_bytes(signed, &options).ok, "{name}");
    }
}

#[test]
fn the_style_of_a_field_is_that_of_the_fields_above_it() {
    let kit = Kit::new(36);
    let form = format!("/Fields[7 0 R]/NeedAppearances true/DA(/F1 12 Tf 1 g){FONTS}");
    let base = document(
        "/Contents 4 0 R/Annots[8 0 R]",
        &form,
        &[
            "<</T(p)/FT/Tx/Kids[8 0 R]/DA(/F1 12 Tf 0.5 g)>>",
            "<</Type/Annot/Subtype/Widget/Parent 7 0 R/T(c)/V(100)/Rect[72 500 272 530]/F 4\
             /P 3 0 R>>",
        ],
    );
    let signed = kit.sign(&base, Level::B, &kit.sealed(300.0, 600.0));
    let text: String = signed.iter().map(|byte| char::from(*byte)).collect();
    assert!(text.contains("/F1 12 Tf 0.5 g") && !text[base.len()..].contains("/F1 12 Tf 1 g\n"));
    let options = VerifyOptions { original: Some(arc(&base)), ..kit.options() };
    assert!(verify_bytes(signed, &options).ok);
}

#[test]
fn evidence_that_an_update_leaves_out_counts() {
    let pki = authority(3, 400 * 86_400);
    let kari = pki.person("Kari", "Nordmann", 1, KeyKind::P256).unwrap();
    let then = ago(3 * 86_400);
    let mut options = VerifyOptions {
        trust: pki.anchors(),
        at: Some(Time::from_unix(verify_kit::NOW)),
        ..VerifyOptions::default()
    };
    let revoked = (kari.certificate(), ago(4 * 86_400), RevocationReason::KeyCompromise);
    let crl = list((&pki, pki.issuing()), ago(86_400), &[revoked]);
    let answers = [
        all_answers(&pki, &kari, ago(3 * 86_400)),
        all_answers(&pki, pki.timestamping(), ago(3 * 86_400)),
    ];
    let told =
        Story::signed(&kari, then, Some((&pki, then))).with(answers.concat(), vec![crl]).bytes();
    assert!(!verify_bytes(told.clone(), &options).ok);
    let text: String = told.iter().map(|byte| char::from(*byte)).collect();
    let number_behind = |text: &str, key: &str| -> u32 {
        let at = text.rfind(key).unwrap() + key.len();
        text[at..].split_whitespace().next().unwrap().parse().unwrap()
    };
    let root = number_behind(&text, "/Root ");
    let store = number_behind(&body(&told, root), "/DSS ");
    let dict = body(&told, store);
    let from = dict.find("/CRLs").unwrap();
    let to = from + dict[from..].find(']').unwrap() + 1;
    let without = format!("{}{}", &dict[..from], &dict[to..]);
    let later = append_update(&told, &[(store, &without)], root);
    assert!(!verify_bytes(later.clone(), &options).ok);
    options.require.push(Requirement::Revocation);
    assert!(!verify_bytes(later, &options).ok);
}
