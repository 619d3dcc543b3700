//! Attacks by hand: each rule of the comparison has a file that only it catches, beside the
//! honest change that it lets through.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "test code; helpers count as outside of tests"
)]

mod common;
mod verify_kit;

use common::signing::Level;
use signdoc_signature::fixtures::{RawPdf, Structure};
use signdoc_signature::verify::{VerifyOptions, VerifyReport, verify_bytes};
use verify_kit::{Kit, arc};

/// The parts of a document that attacks aim at. Catalog 1, page tree 2, page 3, content 4, font 5,
/// form 6, text field 7, metadata 8, appearance 9, information 10.
struct Victim {
    catalog: String,
    page: String,
    form: String,
    field: String,
}

impl Default for Victim {
    fn default() -> Self {
        Victim {
            catalog: "/Metadata 8 0 R/AcroForm 6 0 R".into(),
            page: "/Contents 4 0 R/Annots[7 0 R]".into(),
            form: "/Fields[7 0 R]/DA(/F1 11 Tf 0 g)/DR<</Font<</F1 5 0 R>>>>".into(),
            field: "/FT/Tx/T(city)/V()".into(),
        }
    }
}

const CONTENT: &str = "BT /F1 12 Tf 72 700 Td (Amount: 100 000 NOK) Tj ET";

fn stream(entries: &str, data: &str) -> String {
    format!("<<{entries}/Length {}>>\nstream\n{data}\nendstream", data.len())
}

impl Victim {
    fn build(&self) -> Vec<u8> {
        self.raw().build(Structure::Table)
    }

    fn raw(&self) -> RawPdf {
        let mut pdf = RawPdf::new();
        pdf.object(format!("<</Type/Catalog/Pages 2 0 R{}>>", self.catalog));
        pdf.object("<</Type/Pages/Kids[3 0 R]/Count 1>>");
        pdf.object(format!(
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F1 5 0 R>>>>{}>>",
            self.page
        ));
        pdf.object(stream("", CONTENT));
        pdf.object("<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>");
        pdf.object(format!("<<{}>>", self.form));
        pdf.object(format!("<<{WIDGET}{}>>", self.field));
        pdf.object(stream("/Type/Metadata/Subtype/XML", "<x:xmpmeta/>"));
        pdf.object(stream("/Type/XObject/Subtype/Form/BBox[0 0 200 20]", ""));
        pdf.object("<</Title(Loan agreement)/Producer(one)>>");
        pdf.trailer("/Info 10 0 R");
        pdf
    }
}

const WIDGET: &str = "/Type/Annot/Subtype/Widget/Rect[72 500 272 520]/F 4/P 3 0 R";
const SEAL: &str = "/Type/Annot/Subtype/Widget/FT/Sig/T(S)/F 132/P 3 0 R/Rect[300 100 400 140]";

struct Case<'a> {
    kit: &'a Kit,
    victim: Victim,
}

impl Case<'_> {
    /// What a verification says after `objects` were slipped in before signing.
    fn judge(&self, objects: &[(u32, &str)]) -> VerifyReport {
        let original = self.victim.build();
        let forged = append_update(&original, objects, 1);
        self.judge_files(&original, &forged)
    }

    fn judge_files(&self, original: &[u8], forged: &[u8]) -> VerifyReport {
        let signed = self.kit.sign(forged, Level::B, &self.kit.plain());
        let options = VerifyOptions { original: Some(arc(original)), ..self.kit.options() };
        verify_bytes(signed, &options)
    }

    #[track_caller]
    fn caught(&self, objects: &[(u32, &str)], because: &str) {
        assert_caught(&self.judge(objects), because);
    }

    #[track_caller]
    fn fine(&self, objects: &[(u32, &str)]) {
        assert_fine(&self.judge(objects));
    }
}

#[track_caller]
fn assert_fine(report: &VerifyReport) {
    let failed: Vec<_> = report.failures().collect();
    assert!(report.ok, "{failed:#?} {:#?}", report.changes.forbidden);
}

/// An incremental update with a table.
fn append_update(file: &[u8], objects: &[(u32, &str)], root: u32) -> Vec<u8> {
    let text = String::from_utf8_lossy(file);
    let previous = text.rsplit("startxref").next().unwrap().split_whitespace().next().unwrap();
    let mut out = file.to_vec();
    let mut table = String::from("xref\n");
    for (number, body) in objects {
        table += &format!("{number} 1\n{:010} 00000 n \n", out.len());
        out.extend(format!("{number} 0 obj\n{body}\nendobj\n").bytes());
    }
    let at = out.len();
    out.extend(table.bytes());
    let info = if text.contains("/Info 10 0 R") { "/Info 10 0 R" } else { "" };
    out.extend(
        format!(
            "trailer\n<</Size 100/Root {root} 0 R{info}/Prev {previous}>>\nstartxref\n{at}\n%%EOF\n"
        )
        .bytes(),
    );
    out
}

#[track_caller]
fn assert_caught(report: &VerifyReport, because: &str) {
    assert!(!report.ok, "not caught: {because}");
    let forbidden = &report.changes.forbidden;
    let failed: Vec<_> = report.failures().collect();
    assert!(
        forbidden.iter().any(|change| change.detail.contains(because))
            || failed.iter().any(|check| check.detail.contains(because)),
        "{because:?} is not among {failed:#?} {forbidden:#?}"
    );
}

fn case(kit: &Kit) -> Case<'_> {
    Case { kit, victim: Victim::default() }
}

fn case_with(kit: &Kit, change: impl FnOnce(&mut Victim)) -> Case<'_> {
    let mut victim = Victim::default();
    change(&mut victim);
    Case { kit, victim }
}

#[test]
fn metadata_and_information() {
    let kit = Kit::new(41);
    let case = case(&kit);
    let xml = stream("/Type/Metadata/Subtype/XML", "<x:xmpmeta>new</x:xmpmeta>");
    case.fine(&[(8, &xml)]);
    case.caught(&[(8, &stream("", CONTENT))], "no xml stream");
    case.caught(&[(8, "<</Type/Metadata>>")], "was replaced by");
    case.fine(&[(10, "<</Title(Loan agreement)/Producer(two)/ModDate(D:2026)>>")]);
    case.caught(&[(10, "<</Title(Gift)/Producer(one)>>")], "information Title was changed");
    // The same stream is the page's content: replacing it as metadata would change the page.
    let polyglot = case_with(&kit, |v| v.page = "/Contents 8 0 R".into());
    polyglot.caught(&[(8, &xml)], "used for something else too");
    let polyglot = case_with(&kit, |v| v.page = "/Contents 10 0 R".into());
    polyglot.caught(&[(10, "<</Title(Loan agreement)>>")], "used for something else too");
}

#[test]
fn entries_of_catalog_trailer_and_permissions() {
    let kit = Kit::new(42);
    let case = case(&kit);
    let catalog =
        |more: &str| format!("<</Type/Catalog/Pages 2 0 R/Metadata 8 0 R/AcroForm 6 0 R{more}>>");
    case.fine(&[(
        1,
        &catalog("/Version/1.7/Extensions<</ADBE<</BaseVersion/1.7/ExtensionLevel 8>>>>"),
    )]);
    for (more, because) in [
        ("/Names<</JavaScript 20 0 R>>", "catalog entry Names"),
        ("/OpenAction[3 0 R/Fit]", "catalog entry OpenAction"),
        ("/OCProperties<<>>", "catalog entry OCProperties"),
        ("/Collection<<>>", "catalog entry Collection"),
        ("/Version(1.7)", "catalog entry Version"),
        ("/Perms<</DocMDP 20 0 R>>", "permissions DocMDP"),
        ("/Perms<</UR3 20 0 R>>", "permissions UR3"),
        ("/Pages 2 0 R", "catalog entry Pages"),
        ("/Extensions<</ADBE(x)>>", "developer extensions hold something else"),
        ("/AcroForm null", "the form was removed"),
    ] {
        case.caught(&[(1, &catalog(more))], because);
    }
    let original = case.victim.build();
    let other = append_update(&original, &[(20, &catalog(""))], 20);
    assert_fine(&case.judge_files(&original, &other));
    let other = append_update(&original, &[(20, &catalog("/OpenAction[3 0 R/Fit]"))], 20);
    assert_caught(&case.judge_files(&original, &other), "catalog entry OpenAction");
}

#[test]
fn entries_of_the_form() {
    let kit = Kit::new(43);
    let case = case(&kit);
    let form = |fields: &str, more: &str| {
        format!("<</Fields[{fields}]/DA(/F1 11 Tf 0 g)/DR<</Font<</F1 5 0 R>>>>{more}>>")
    };
    let plain = format!("<<{SEAL}>>");
    case.fine(&[(6, &form("7 0 R 20 0 R", "/SigFlags 1")), (20, &plain)]);
    for (form, because) in [
        (form("7 0 R", "/XFA(x)"), "form entry XFA"),
        (form("7 0 R", "/SigFlags 8"), "form entry SigFlags"),
        (form("7 0 R", "/CO[7 0 R]"), "form entry CO"),
        (form("", ""), "fields were removed"),
        (form("7 0 R", "/DA(/F1 99 Tf)"), "form entry DA"),
        ("<</Fields[7 0 R]/DA(/F1 11 Tf 0 g)/DR<</Font<</F1 9 0 R>>>>>>".into(), "form entry DR"),
        (form("7 0 R 9 0 R", ""), "what was added to the form is no field"),
        (form("7 0 R 10 0 R", ""), "was made a field"),
    ] {
        case.caught(&[(6, &form)], because);
    }
    let valued = case_with(&kit, |v| v.field = "/FT/Tx/T(city)/V(Oslo)".into());
    valued.caught(&[(6, &form("7 0 R", "/NeedAppearances true"))], "form entry NeedAppearances");
    for (field, because) in [
        ("<</FT/Tx/T(note)/V(900 000)>>", "no plain signature field"),
        (&*format!("<<{SEAL}/A<</S/JavaScript/JS(x)>>>>"), "no plain signature field"),
        (&format!("<<{SEAL}/AA<<>>>>"), "no plain signature field"),
        (&format!("<<{SEAL}/OC 3 0 R>>"), "no plain signature field"),
        (&format!("<<{SEAL}/T(S)>>"), "has a key twice"),
        (
            "<</Type/Annot/Subtype/Widget/FT/Sig/T(city)/Rect[0 0 0 0]>>",
            "second field with the name",
        ),
        (&format!("<<{SEAL}/V 4 0 R>>"), "no signature"),
        (&format!("<<{SEAL}/V 10 0 R>>"), "was put into another field"),
    ] {
        case.caught(&[(6, &form("7 0 R 20 0 R", "")), (20, field)], because);
    }
}

#[test]
fn appearances_of_fields_that_nobody_signed() {
    let kit = Kit::new(44);
    let case = case(&kit);
    let form = "<</Fields[7 0 R 20 0 R]/DA(/F1 11 Tf 0 g)/DR<</Font<</F1 5 0 R>>>>>>";
    let page = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F1 5 0 R>>>>\
                /Contents 4 0 R/Annots[7 0 R 20 0 R]>>";
    let drawing = stream("/Type/XObject/Subtype/Form/BBox[0 0 9 9]", "0 0 9 9 re f");
    let empty = stream("/Type/XObject/Subtype/Form/BBox[0 0 9 9]", "q Q");
    let judge = |field: &str, look: &str| {
        case.judge(&[(3, page), (6, form), (20, &format!("<<{SEAL}{field}>>")), (21, look)])
    };
    let report = judge("/AP<</N 21 0 R>>", &empty);
    assert_fine(&report);
    assert_caught(&judge("/AP<</N 21 0 R>>", &drawing), "is not signed by anybody");
    assert_caught(&judge("/AP<</N 9 0 R/D 21 0 R>>", &drawing), "changes under the mouse");
    assert_caught(&judge("/AP<</N<</On 21 0 R>>>>", &drawing), "several states");
    assert_caught(&judge("/MK<</BG[1 1 1]/CA(900 000)>>", &empty), "is not signed by anybody");
    // Drawn by an object that was there before.
    assert_caught(&judge("/AP<</N 4 0 R>>", &empty), "no box that limits it");
    assert_caught(
        &judge("/AP<</N 21 0 R>>", &stream("/Subtype/Form/BBox[0 0 9 9]/Ref<<>>", "q Q")),
        "depends on something outside of it",
    );
    let zoom = SEAL.replace("/F 132", "/F 140");
    let report = case.judge(&[(3, page), (6, form), (20, &format!("<<{zoom}>>"))]);
    assert_caught(&report, "let it show elsewhere");
    // Shown when printed only.
    let printed = SEAL.replace("/F 132", "/F 36");
    let field = format!("<<{printed}/AP<</N 21 0 R>>>>");
    let report = case.judge(&[(3, page), (6, form), (20, &field), (21, &drawing)]);
    assert_caught(&report, "is not signed by anybody");
    let unbounded = stream("/Subtype/Form", "0 0 9 9 re f");
    assert_caught(&judge("/AP<</N 21 0 R>>", &unbounded), "no box that limits it");
    let report = case.judge(&[(3, page), (6, form), (20, &format!("<<{zoom}>>"))]);
    assert_caught(&report, "let it show elsewhere");
    // A widget that the form does not list is an annotation like any other.
    let unlisted = case.judge(&[(3, page), (20, &format!("<<{SEAL}>>"))]);
    assert_caught(&unlisted, "a form widget was put on a page");
}

#[test]
fn filling_in_fields() {
    let kit = Kit::new(45);
    let case = case(&kit);
    let filled = |more: &str| format!("<<{WIDGET}/FT/Tx/T(city)/V(Oslo){more}>>");
    let look =
        |data: &str| stream("/Subtype/Form/BBox[0 0 200 20]/Resources<</Font<</F1 5 0 R>>>>", data);
    let good = look("/Tx BMC q BT /F1 11 Tf 0 g 2 5 Td (Oslo) Tj ET Q EMC");
    case.fine(&[(7, &filled(""))]);
    case.fine(&[(7, &filled("/AP<</N 20 0 R>>")), (20, &good)]);
    case.fine(&[(7, &filled("/AP<</N 20 0 R>>")), (20, &look("BT /F1 9 Tf (Os) Tj (lo) Tj ET"))]);
    for (data, because) in [
        ("BT /F1 11 Tf (900 000) Tj ET", "shows something else than its value"),
        ("BT /F1 11 Tf (Oslo 900 000) Tj ET", "shows something else than its value"),
        ("BT /F1 11 Tf (Oslo) Tj ET /X1 Do", "draws more than text"),
        ("BT /F1 11 Tf (Oslo) Tj ET 0 0 m 9 9 l S", "draws more than text"),
        ("0 0 1 1 re 2 0 1 1 re 4 0 1 1 re 6 0 1 1 re 8 0 1 1 re f", "draws more than text"),
        ("BT 3 Tr (Oslo) Tj ET", "unusual way"),
        ("(Oslo", "cannot be read"),
    ] {
        case.caught(&[(7, &filled("/AP<</N 20 0 R>>")), (20, &look(data))], because);
    }
    let strange = stream(
        "/Subtype/Form/BBox[0 0 200 20]/Resources<</Font<</F9 21 0 R>>>>",
        "BT /F9 11 Tf (Oslo) Tj ET",
    );
    let font = "<</Type/Font/Subtype/Type1/BaseFont/Evil/Encoding<</Differences[49/nine]>>>>";
    case.caught(
        &[(7, &filled("/AP<</N 20 0 R>>")), (20, &strange), (21, font)],
        "font that came with the value",
    );
    case.caught(&[(7, &filled("/AP<</N 4 0 R>>"))], "made for something else");
    case.caught(&[(7, &filled("/Rect[0 0 595 842]"))], "has a key twice");
    let moved = filled("").replace("/Rect[72 ", "/Rect[73 ");
    case.caught(&[(7, &moved)], "was changed: Rect");
    case.caught(&[(7, &filled("/AA<<>>"))], "was changed: AA");
    for (before, after, because) in [
        ("/FT/Tx/T(city)/V(Oslo)", "/FT/Tx/T(city)/V(Bergen)", "had a value"),
        ("/FT/Tx/T(city)/Ff 1", "/FT/Tx/T(city)/Ff 1/V(Oslo)", "is read-only"),
        ("/FT/Btn/T(ok)/V/Yes/AS/Yes", "/FT/Btn/T(ok)/V/Off/AS/Off", "had a value"),
        ("/FT/Btn/T(go)/Ff 65536", "/FT/Btn/T(go)/Ff 65536/V/x", "holds no value"),
        ("/FT/Btn/T(ok)/AS/Off", "/FT/Btn/T(ok)/V/Yes/AS/Yes/AP<</N 4 0 R>>", "another appearance"),
    ] {
        let case = case_with(&kit, |v| v.field = before.into());
        case.caught(&[(7, &format!("<<{WIDGET}{after}>>"))], because);
    }
    // The appearance is the page's content too.
    let shared = case_with(&kit, |v| {
        v.field = "/FT/Tx/T(city)/AP<</N 9 0 R>>".into();
        v.page = "/Contents[4 0 R 9 0 R]/Annots[7 0 R]".into();
    });
    let after = format!("<<{WIDGET}/FT/Tx/T(city)/V(Oslo)/AP<</N 9 0 R>>>>");
    shared.caught(&[(7, &after), (9, &good)], "used elsewhere too");
}

#[test]
fn lists_that_are_something_else_too() {
    let kit = Kit::new(46);
    let seal = format!("<<{SEAL}>>");
    let form =
        |fields: &str| format!("<</Fields {fields}/DA(/F1 11 Tf 0 g)/DR<</Font<</F1 5 0 R>>>>>>");
    // The page's annotations are an array of their own.
    let own = |page: &str| {
        let mut pdf = Victim { page: page.into(), ..Victim::default() }.raw();
        pdf.object("[7 0 R]");
        pdf.build(Structure::Table)
    };
    let list = "[7 0 R 20 0 R]";
    let objects = [(11, list), (6, &*form(list)), (20, &*seal)];
    let case = case(&kit);
    let honest = own("/Contents 4 0 R/Annots 11 0 R");
    let report = case.judge_files(&honest, &append_update(&honest, &objects, 1));
    assert_fine(&report);
    let shared = own("/Contents 4 0 R/Annots 11 0 R/B 11 0 R");
    let report = case.judge_files(&shared, &append_update(&shared, &objects, 1));
    assert_caught(&report, "an array was changed");
    let stranger = "<</Type/Annot/Subtype/FreeText/Rect[0 0 9 9]>>";
    let objects = [(11, list), (20, stranger)];
    let report = case.judge_files(&honest, &append_update(&honest, &objects, 1));
    assert_caught(&report, "an annotation (FreeText) was put on a page");
}

#[test]
fn the_document_security_store() {
    let kit = Kit::new(47);
    let case = case(&kit);
    let catalog = "<</Type/Catalog/Pages 2 0 R/Metadata 8 0 R/AcroForm 6 0 R/DSS 20 0 R>>";
    let item = stream("", "0\u{1}x");
    case.fine(&[(1, catalog), (20, "<</Certs[21 0 R]>>"), (21, &item)]);
    case.fine(&[
        (1, catalog),
        (20, "<</Type/DSS/CRLs 22 0 R/VRI<</AB<</CRL[21 0 R]/TU(D:2026)>>>>>>"),
        (21, &item),
        (22, "[21 0 R]"),
    ]);
    for (store, because) in [
        ("<</Certs[21 0 R]/Font<<>>>>", "does not belong there"),
        ("<</Certs 21 0 R>>", "is no array"),
        ("[21 0 R]", "is no dictionary"),
        ("<</VRI<</AB<</XObject<<>>>>>>>>", "holds something else"),
        ("<</Certs[22 0 R]>>", "no der data"),
    ] {
        let content = stream("", "BT (900 000) Tj ET");
        case.caught(&[(1, catalog), (20, store), (21, &item), (22, &content)], because);
    }
    // What nobody refers to is told, and harms nobody.
    case.fine(&[(30, "<</Any(thing)>>")]);
}

#[test]
fn numbers_offsets_and_files() {
    let kit = Kit::new(48);
    let case = case(&kit);
    let original = case.victim.build();
    let honest =
        append_update(&original, &[(5, "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>")], 1);
    let report = case.judge_files(&original, &honest);
    assert!(report.ok && report.changes.permitted.iter().any(|c| c.detail.contains("as it was")));
    let replace = |from: &str, to: &str| {
        let text = String::from_utf8_lossy(&honest).into_owned();
        assert!(text.contains(from), "{from} in {text}");
        let at = text.rfind(from).unwrap();
        let mut out = honest.clone();
        let at = honest.len() - (text.len() - at);
        out.splice(at..at + from.len(), to.bytes());
        out
    };
    // The number gets another generation, or is freed.
    let freed = replace(" 00000 n", " 00001 f");
    assert_caught(&case.judge_files(&original, &freed), "a font was removed");
    let comment = replace("%%EOF", "%12 0 obj 5 endobj\n%%EOF");
    assert_caught(&case.judge_files(&original, &comment), "the cross-reference does not list");
    let twice = replace("xref\n5 1", "startxref\n7\nxref\n5 1");
    assert!(!case.judge_files(&original, &twice).ok);
    // One byte of the original differs.
    let mut touched = original.clone();
    let at = touched.windows(7).position(|w| w == b"100 000").unwrap();
    touched[at] = b'9';
    let report = case.judge_files(&original, &touched);
    assert_caught(&report, &format!("they differ from byte {at} on"));
    let report = case.judge_files(&honest, &original);
    assert_caught(&report, "another one than the original");
}

#[test]
fn object_streams() {
    use signdoc_signature::fixtures;
    let kit = Kit::new(49);
    for (name, original) in fixtures::all_structures() {
        let case = case(&kit);
        let number = fixtures_content(&original);
        let forged = append_update(&original, &[(number, &stream("", "0 0 9 9 re f"))], 1);
        let report = case.judge_files(&original, &forged);
        assert!(!report.ok, "{name}: {:#}", report.to_json());
    }
}

/// Object number of the first page's content.
fn fixtures_content(pdf: &[u8]) -> u32 {
    use signdoc_signature::pdf::{Document, Object};
    let document = Document::from_bytes(pdf.to_vec()).unwrap();
    let page = document.pages().next().unwrap().unwrap();
    match page.dict.get("Contents") {
        Some(Object::Ref(id)) => id.number,
        other => panic!("{other:?}"),
    }
}

#[test]
fn streams_that_say_another_length() {
    let kit = Kit::new(50);
    let case = case(&kit);
    let data = "BT /F1 12 Tf 72 700 Td (Amount: 100 000 NOK) Tj ET";
    case.fine(&[(4, &stream("", data))]);
    let short = format!("<</Length 5>>\nstream\n{data}\nendstream");
    case.caught(&[(4, &short)], "another length than it says");
    let xml =
        "<</Type/Metadata/Subtype/XML/Length 5>>\nstream\n<x:xmpmeta>new</x:xmpmeta>\nendstream";
    case.caught(&[(8, xml)], "another length than it says");
}

#[test]
fn objects_that_have_no_end() {
    let kit = Kit::new(51);
    let case = case(&kit);
    let original = case.victim.build();
    // An object of the original opens a string that only later bytes would close.
    for body in ["<</Type/Font/Note(", "<</Type/Font", "[1 2 3", "(open"] {
        let text = String::from_utf8_lossy(&original).into_owned();
        let font = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>\nendobj";
        let at = text.find(font).unwrap();
        let mut open = original.clone();
        let at = original.len() - (text.len() - at);
        let padded = format!("{body:<width$}", width = font.len());
        open.splice(at..at + font.len(), padded.bytes());
        let forged = append_update(&open, &[], 1);
        let report = case.judge_files(&open, &forged);
        assert_caught(&report, "has no end within its revision");
    }
}

#[test]
fn certifications_permit_timestamps_and_nothing_more() {
    use signdoc_signature::sign::{Certification, PrepareOptions};
    let kit = Kit::new(52);
    let original = Victim::default().build();
    let certify = PrepareOptions { certification: Some(Certification::NoChanges), ..kit.plain() };
    let signed = kit.sign(&original, Level::Lta, &certify);
    let options = VerifyOptions { original: Some(arc(&original)), ..kit.options() };
    assert_fine(&verify_bytes(signed.clone(), &options));
    let filled = append_update(&signed, &[(7, &format!("<<{WIDGET}/FT/Tx/T(city)/V(Oslo)>>"))], 1);
    let report = verify_bytes(filled, &kit.options());
    assert_caught(&report, "forbids changes");
}
