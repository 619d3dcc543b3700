//! Updates that claim an object for a purpose that signing needs, while the page uses it for
//! another: each verifies only if some path to the object is overlooked.
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
use signdoc_signature::verify::{VerifyOptions, VerifyReport, verify_bytes};
use verify_kit::{Kit, arc};

/// A document in which one object serves twice, and what an update makes of it. Catalog 1, page
/// tree 2, page 3, content 4, font 5; further objects from 6 on.
#[derive(Default)]
struct Attack {
    catalog: &'static str,
    tree: &'static str,
    page: &'static str,
    resources: &'static str,
    content: &'static str,
    more: Vec<String>,
    /// Objects that are set, new ones among them.
    set: Vec<(u32, String)>,
    /// Replacements in objects as they stand after the signature.
    edit: Vec<(u32, &'static str, &'static str)>,
    /// Signing itself changes the object that serves twice.
    is_caught_when_signed: bool,
}

const TEXT: &str = "BT /F1 12 Tf 72 700 Td (Amount: 100 000 NOK) Tj ET";
const OTHER: &str = "BT /F1 12 Tf 72 700 Td (Amount: 900 000 NOK) Tj ET";
const NINES: &str = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding<</Type/Encoding\
                     /Differences[49/nine]>>>>";

fn stream(entries: &str, data: &str) -> String {
    format!("<<{entries}/Length {}>>\nstream\n{data}\nendstream", data.len())
}

fn form(data: &str) -> String {
    stream("/Type/XObject/Subtype/Form/BBox[0 0 595 842]/Resources<</Font<</F1 5 0 R>>>>", data)
}

impl Attack {
    fn document(&self) -> Vec<u8> {
        let mut pdf = RawPdf::new();
        let tree = if self.catalog.contains("/Pages") { "" } else { "/Pages 2 0 R" };
        pdf.object(format!("<</Type/Catalog{tree}{}>>", self.catalog));
        pdf.object(format!("<</Type/Pages/Kids[3 0 R]/Count 1{}>>", self.tree));
        let resources = match self.resources {
            "" if self.tree.contains("/Resources") => String::new(),
            "" => "/Resources<</Font<</F1 5 0 R>>>>".into(),
            own if own.starts_with(|c: char| c.is_ascii_digit()) => format!("/Resources {own}"),
            own => format!("/Resources<</Font<</F1 5 0 R>>{own}>>"),
        };
        pdf.object(format!(
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R{resources}{}>>",
            self.page
        ));
        pdf.object(stream("", if self.content.is_empty() { TEXT } else { self.content }));
        pdf.object("<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>");
        for body in &self.more {
            pdf.object(body.as_str());
        }
        pdf.build(Structure::Table)
    }

    fn update(&self, file: &[u8]) -> Vec<u8> {
        let mut objects: Vec<(u32, String)> = self.set.clone();
        for (number, from, to) in &self.edit {
            let body = match objects.iter().position(|(n, _)| n == number) {
                Some(at) => objects.remove(at).1,
                None => body_of(file, *number),
            };
            assert!(body.contains(from), "{from} is not in {body}");
            objects.push((*number, body.replace(from, to)));
        }
        let objects: Vec<(u32, &str)> = objects.iter().map(|(n, b)| (*n, b.as_str())).collect();
        append_update(file, &objects, 1)
    }

    /// After the signature, with the original or without; and before it.
    fn judge(&self, kit: &Kit) -> [VerifyReport; 3] {
        let original = self.document();
        let signed = kit.sign(&original, Level::B, &kit.plain());
        let with = VerifyOptions { original: Some(arc(&original)), ..kit.options() };
        for (file, options) in [(&signed, &with), (&signed, &kit.options())] {
            if self.is_caught_when_signed {
                break;
            }
            let report = verify_bytes(file.clone(), options);
            assert!(report.ok, "{:#?} {:#?}", report.checks, report.changes.forbidden);
        }
        let later = self.update(&signed);
        let earlier = kit.sign(&self.update(&original), Level::B, &kit.plain());
        [
            verify_bytes(later.clone(), &kit.options()),
            verify_bytes(later, &with),
            verify_bytes(earlier, &with),
        ]
    }

    #[track_caller]
    fn caught(&self, kit: &Kit, because: &str) {
        for (report, how) in self.judge(kit).iter().zip(["after", "original", "before"]) {
            assert!(!report.ok, "not caught ({how}): {because}");
            let forbidden = &report.changes.forbidden;
            assert!(
                forbidden.iter().any(|change| change.detail.contains(because)),
                "{how}: {because:?} is not among {forbidden:#?}"
            );
        }
    }

    #[track_caller]
    fn fine(&self, kit: &Kit) {
        for report in self.judge(kit) {
            assert!(report.ok, "{:#?} {:#?}", report.checks, report.changes.forbidden);
        }
    }
}

/// The body of an object as it stands last in the file.
fn body_of(file: &[u8], number: u32) -> String {
    let text: String = file.iter().map(|byte| char::from(*byte)).collect();
    let header = format!("\n{number} 0 obj");
    let at = text.rfind(&header).unwrap() + header.len();
    let end = at + text[at..].find("endobj").unwrap();
    text[at..end].trim().to_owned()
}

const TOO: &str = "used for something else too";

#[test]
fn the_security_store_is_something_of_the_page() {
    let kit = Kit::new(61);
    let store = "/DSS<</VRI 6 0 R>>";
    // The page's XObjects.
    Attack {
        catalog: store,
        resources: "/XObject 6 0 R",
        content: "/X1 Do",
        more: vec!["<</X1 7 0 R>>".into(), form(TEXT), form(OTHER)],
        set: vec![(6, "<</X1 8 0 R>>".into())],
        ..Attack::default()
    }
    .caught(&kit, TOO);
    // A font's encoding.
    Attack {
        catalog: store,
        resources: "7 0 R",
        more: vec![
            "<</Type/Encoding/Differences[65/A]>>".into(),
            "<</Font<</F1 8 0 R>>>>".into(),
            "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding 6 0 R>>".into(),
        ],
        set: vec![(6, "<</Type/Encoding/Differences[49/nine]>>".into())],
        ..Attack::default()
    }
    .caught(&kit, TOO);
    // Which layers are on.
    Attack {
        catalog: "/DSS<</VRI 6 0 R>>/OCProperties<</OCGs[7 0 R 8 0 R]/D 6 0 R>>",
        resources: "/Properties<</A 7 0 R/B 8 0 R>>/XObject<</X 9 0 R/Y 10 0 R>>",
        content: "/OC /A BDC /X Do EMC /OC /B BDC /Y Do EMC",
        more: vec![
            "<</BaseState/ON/OFF[8 0 R]>>".into(),
            "<</Type/OCG/Name(a)>>".into(),
            "<</Type/OCG/Name(b)>>".into(),
            form(TEXT),
            form(OTHER),
        ],
        set: vec![(6, "<</BaseState/ON/OFF[7 0 R]>>".into())],
        ..Attack::default()
    }
    .caught(&kit, TOO);
    // A colour space.
    Attack {
        catalog: "/DSS<</Certs 6 0 R>>",
        resources: "/ColorSpace<</C 6 0 R>>",
        content: "/C cs 0 sc 72 700 90 20 re f",
        more: vec!["[/Indexed/DeviceRGB 0 <FFFFFF>]".into()],
        set: vec![(6, "[/Indexed/DeviceRGB 0 <000000>]".into())],
        ..Attack::default()
    }
    .caught(&kit, TOO);
    // The store is reached twice, what changes in it only through it.
    Attack {
        catalog: "/DSS 6 0 R",
        resources: "/Properties 6 0 R/XObject<</X 9 0 R>>",
        content: "/OC /VRI BDC /X Do EMC",
        more: vec![
            "<</VRI 7 0 R>>".into(),
            "<</Type/OCMD/VE[/Not[/And]]>>".into(),
            "<</Any(thing)>>".into(),
            form(OTHER),
        ],
        set: vec![(7, "<</Type/OCMD/VE[/And]>>".into())],
        ..Attack::default()
    }
    .caught(&kit, TOO);
}

#[test]
fn every_value_of_the_security_store_has_its_type() {
    let kit = Kit::new(62);
    let item = stream("", "0\u{1}x");
    let judge = |store: &str| Attack {
        catalog: "/DSS 6 0 R",
        more: vec!["<</Certs[7 0 R]>>".into(), item.clone()],
        set: vec![(6, store.into()), (60, item.clone()), (61, stream("", "no der"))],
        ..Attack::default()
    };
    judge("<</Type/DSS/Certs[7 0 R 60 0 R]/VRI<</AB<</Type/VRI/TU(D:2026)>>>>>>")
        .set_without(61)
        .fine(&kit);
    for (store, because) in [
        ("<</Certs[7 0 R]/VRI[60 0 R]>>", "VRI of the document security store is no dictionary"),
        ("<</Certs[7 0 R]/VRI/Name>>", "VRI of the document security store is no dictionary"),
        ("<</Certs[7 0 R]/VRI<</AB 5>>>>", "security store is no dictionary"),
        ("<</Certs[7 0 R]/VRI<</Type/Other>>>>", "security store is no dictionary"),
        ("<</Certs[7 0 R]/Type(DSS)>>", "does not belong there"),
        ("<</Certs[7 0 R]/VRI<</AB<</TU[1 2]>>>>>>", "is no text"),
        ("<</Certs[7 0 R]/VRI<</AB<</TS 61 0 R>>>>>>", "no der data"),
        ("<</Certs[7 0 R]/VRI<</AB<</Cert<</A 1>>>>>>>>", "is no array"),
        ("<</Certs[7 0 R/Name]>>", "no der data"),
        ("<</Certs[7 0 R[/Indexed/DeviceRGB 0 <000000>]]>>", "no der data"),
    ] {
        judge(store).caught(&kit, because);
    }
}

impl Attack {
    fn set_without(mut self, number: u32) -> Attack {
        self.set.retain(|(n, _)| *n != number);
        self
    }
}

#[test]
fn the_extensions_are_something_of_the_page() {
    let kit = Kit::new(63);
    let honest = "<</ADBE<</BaseVersion/1.7/ExtensionLevel 8>>>>";
    Attack {
        catalog: "/Extensions 6 0 R",
        more: vec![honest.into()],
        set: vec![(6, "<</ADBE<</BaseVersion/1.7/ExtensionLevel 9>>/ISO_[<</BaseVersion/2.0/ExtensionLevel 32001>>]>>".into())],
        ..Attack::default()
    }
    .fine(&kit);
    // The page's resources, its own or inherited.
    let fonts = |inherited: bool| Attack {
        catalog: "/Extensions 6 0 R",
        tree: if inherited { "/Resources 6 0 R" } else { "" },
        resources: if inherited { "" } else { "6 0 R" },
        more: vec!["<</Font<</F1 5 0 R>>>>".into(), NINES.into()],
        set: vec![(6, "<</Font<</F1 7 0 R>>>>".into())],
        ..Attack::default()
    };
    fonts(false).caught(&kit, "developer extensions hold something else");
    fonts(true).caught(&kit, "developer extensions hold something else");
    // What has the shape of an extension, and serves as a graphics state.
    Attack {
        catalog: "/Extensions 6 0 R",
        resources: "/ExtGState 6 0 R",
        content: "/ADBE gs BT /F1 12 Tf 72 700 Td (Amount: 100 000 NOK) Tj ET",
        more: vec![honest.into()],
        set: vec![(6, honest.replace('8', "9"))],
        ..Attack::default()
    }
    .caught(&kit, TOO);
    Attack {
        catalog: "/Extensions 6 0 R",
        resources: "7 0 R",
        more: vec![
            "<</Type/Encoding/Differences[65/A]>>".into(),
            "<</Font<</F1 8 0 R>>>>".into(),
            "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding 6 0 R>>".into(),
        ],
        set: vec![(6, "<</Type/Encoding/Differences[49/nine]>>".into())],
        ..Attack::default()
    }
    .caught(&kit, "developer extensions hold something else");
}

#[test]
fn the_form_is_an_annotation_too() {
    let kit = Kit::new(64);
    Attack {
        catalog: "/AcroForm 6 0 R",
        page: "/Annots[6 0 R]",
        more: vec![
            "<</Type/Annot/Subtype/FreeText/Rect[72 600 300 640]/F 4/Contents(Amount: 1)\
             /DA(/Helv 12 Tf 1 g)/Fields[]>>"
                .into(),
        ],
        edit: vec![(6, "12 Tf 1 g", "12 Tf 0 g")],
        is_caught_when_signed: true,
        ..Attack::default()
    }
    .caught(&kit, "the form entry DA was changed");
}

#[test]
fn a_text_without_an_appearance_is_drawn_in_the_style_of_the_form() {
    let kit = Kit::new(65);
    let judge = |annotation: &str, form: &str| Attack {
        catalog: "/AcroForm 6 0 R",
        page: "/Annots[7 0 R]",
        more: vec![
            format!("<</Fields[]{form}>>"),
            format!("<</Type/Annot/Rect[72 600 300 640]/F 4/Contents(Amount: 1){annotation}>>"),
            form_stream("q Q"),
            form_stream("BT /Helv 12 Tf (1) Tj ET"),
        ],
        set: vec![(60, NINES.into())],
        edit: vec![(6, "/Fields", "/DR<</Font<</Helv 60 0 R>>>>/Fields")],
        ..Attack::default()
    };
    let because = "in whose style readers draw what has no appearance";
    judge("/Subtype/FreeText/DA(/Helv 12 Tf 0 g)", "").caught(&kit, because);
    judge("/Subtype/FreeText/DA(/Helv 12 Tf 0 g)/AP<</N null>>", "").caught(&kit, because);
    judge("/Subtype/FreeText/DA(/Helv 12 Tf 0 g)/AP<</D 8 0 R>>", "").caught(&kit, because);
    // An appearance that finds its font in the form.
    judge("/Subtype/FreeText/DA(/Helv 12 Tf 0 g)/AP<</N 9 0 R>>", "").caught(&kit, because);
    judge("/Subtype/FreeText/DA(/Helv 12 Tf 0 g)/AP<</N 8 0 R>>", "").fine(&kit);
    judge("/Subtype/Link", "").fine(&kit);
    let mut style = judge("/Subtype/FreeText/DA(/Helv 12 Tf 0 g)", "/DA(/Helv 0 Tf)");
    style.set.clear();
    style.edit = vec![(6, "/Helv 0 Tf", "/Helv 9 Tf")];
    style.caught(&kit, because);
}

/// An appearance without resources.
fn form_stream(data: &str) -> String {
    stream("/Type/XObject/Subtype/Form/BBox[0 0 228 40]", data)
}

#[test]
fn what_the_information_and_structure_files_are_for_is_all_they_are() {
    let kit = Kit::new(66);
    // Metadata that colours are taken from.
    let xml = |data: &str| stream("/Type/Metadata/Subtype/XML/N 3", data);
    Attack {
        catalog: "/Metadata 6 0 R",
        resources: "/ColorSpace<</C[/ICCBased 6 0 R]>>",
        content: "/C cs 0 0 0 sc 72 700 90 20 re f",
        more: vec![xml("<x:xmpmeta/>")],
        set: vec![(6, xml("<x:xmpmeta>x</x:xmpmeta>"))],
        ..Attack::default()
    }
    .caught(&kit, TOO);
    // A catalog that is a graphics state.
    Attack {
        resources: "/ExtGState<</G 1 0 R>>",
        content: "/G gs",
        edit: vec![(1, "/Type", "/Version/1.7/Type")],
        is_caught_when_signed: true,
        ..Attack::default()
    }
    .caught(&kit, TOO);
}

#[test]
fn fields_that_are_something_else_too() {
    let kit = Kit::new(67);
    let seal = "/FT/Sig/T(S)/Rect[72 600 300 640]/F 4";
    // A field that was reserved for a signature, and is a stamp that was hidden.
    let stamp =
        format!("<</Type/Annot/Subtype/Stamp{}/AP<</N 8 0 R>>>>", seal.replace("/F 4", "/F 2"));
    Attack {
        catalog: "/AcroForm 6 0 R",
        page: "/Annots[7 0 R]",
        more: vec!["<</Fields[7 0 R]>>".into(), stamp, form(OTHER)],
        edit: vec![(7, "/F 2", "/F 4")],
        ..Attack::default()
    }
    .caught(&kit, "an annotation of another kind");
    // A field that is the page's graphics states: its value is one of them.
    Attack {
        catalog: "/AcroForm 6 0 R",
        page: "/Annots[7 0 R]",
        resources: "/ExtGState 7 0 R",
        content: "/MK gs BT /F1 12 Tf 72 700 Td (Amount: 100 000 NOK) Tj ET",
        more: vec![
            "<</Fields[7 0 R]>>".into(),
            format!("<</Type/Annot/Subtype/Widget{}>>", seal.replace("/F 4", "/F 2")),
        ],
        edit: vec![(7, "/Type/Annot", "/MK<</ca 0>>/Type/Annot")],
        ..Attack::default()
    }
    .caught(&kit, TOO);
    // A text field with two appearances: filling it in shows the other one.
    Attack {
        catalog: "/AcroForm 6 0 R",
        page: "/Annots[7 0 R]",
        more: vec![
            "<</Fields[7 0 R]>>".into(),
            "<</Type/Annot/Subtype/Widget/FT/Tx/T(t)/Rect[72 600 300 640]/F 4/AS/a\
             /AP<</N<</a 8 0 R/b 9 0 R>>>>>>"
                .into(),
            form("q Q"),
            form(OTHER),
        ],
        edit: vec![(7, "/AS/a", "/AS/b/V(x)")],
        ..Attack::default()
    }
    .caught(&kit, "shows another one of several appearances");
}

#[test]
fn what_cannot_be_read_may_use_the_object_too() {
    let kit = Kit::new(69);
    let attack = Attack {
        catalog: "/DSS<</VRI 6 0 R>>",
        resources: "7 0 R",
        content: "/X1 Do",
        more: vec!["<</AB<<>>>>".into(), "<</XObject 6 0 R>>".into()],
        set: vec![(6, "<</AB<</Cert[]>>>>".into())],
        ..Attack::default()
    };
    // Some readers take an object whose number is another one than they look for.
    let mut document = attack.document();
    let at = document.windows(7).position(|window| window == b"7 0 obj").unwrap();
    document[at] = b'9';
    let signed = kit.sign(&document, Level::B, &kit.plain());
    let report = verify_bytes(attack.update(&signed), &kit.options());
    let forbidden = &report.changes.forbidden;
    let found = forbidden.iter().any(|c| c.detail.contains("may use the object too"));
    assert!(!report.ok && found, "{forbidden:#?}");
    // What is only added is no danger.
    let catalog = body_of(&signed, 1).replace("<</VRI 6 0 R>>", "<</VRI 6 0 R/Certs[60 0 R]>>");
    let item = stream("", "0\u{1}x");
    let honest = append_update(&signed, &[(1, &catalog), (60, &item)], 1);
    let report = verify_bytes(honest, &kit.options());
    assert!(report.ok, "{:#?} {:#?}", report.checks, report.changes.forbidden);
}

#[test]
fn the_update_that_introduces_the_claim_is_no_way_around_it() {
    let kit = Kit::new(68);
    // The catalog claims an object of the page for the store only now.
    let original = Attack {
        resources: "/Properties 6 0 R/XObject<</X 7 0 R>>",
        content: "/OC /AB BDC /X Do EMC",
        more: vec!["<</AB<</Type/OCMD/VE[/And]>>>>".into(), form(TEXT)],
        set: vec![(6, "<</AB<</Cert[]>>>>".into())],
        edit: vec![(1, "/Type", "/DSS<</VRI 6 0 R>>/Type")],
        ..Attack::default()
    };
    original.caught(&kit, "an object of another kind was overwritten");
    // A revision claims it without a change, the next one changes it.
    let document = original.document();
    let signed = kit.sign(&document, Level::B, &kit.plain());
    let body = body_of(&signed, 1).replace("/Type", "/DSS<</VRI 6 0 R>>/Type");
    let first = append_update(&signed, &[(1, &body)], 1);
    let second = append_update(&first, &[(6, "<</AB<</Cert[]>>>>")], 1);
    let report = verify_bytes(second, &kit.options());
    let words: Vec<_> = report.changes.forbidden.iter().map(|c| c.detail.as_str()).collect();
    assert!(!report.ok && words.iter().any(|word| word.contains(TOO)), "{words:?}");
}
