//! What other signers write anew means the same; beside each such change stands one that looks
//! like it, means something else and is caught.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "test code; helpers count as outside of tests"
)]

mod common;
mod verify_kit;

use common::signing::Level;
use signdoc_signature::verify::{VerifyOptions, VerifyReport, verify_bytes};
use verify_kit::{Kit, arc};

const CONTENT: &str = "BT /F1 12 Tf 72 700 Td (Amount: 100 000 NOK) Tj ET";
const ANNOTATION: &str = "/Subtype/FreeText/Rect[72 500 272 520]/F 4/DA(/F1 11 Tf)/Contents(Gjelder l\\345n)/AP<</N 9 0 R>>";
const FIELD: &str = "/Type/Annot/Subtype/Widget/FT/Tx/T(city)/Rect[72 400 272 420]/F 4/P 3 0 R";
const WIDGET: &str =
    "/Type/Annot/Subtype/Widget/FT/Sig/T(S)/F 132/P 3 0 R/Rect[0 0 0 0]/StructParent 2";

fn stream(entries: &str, data: &str) -> String {
    format!("<<{entries}/Length {}>>\nstream\n{data}\nendstream", data.len())
}

/// A file written object by object, and its updates.
#[derive(Clone)]
struct File {
    bytes: Vec<u8>,
    trailer: String,
    previous: Option<usize>,
}

impl File {
    fn new(objects: &[(u32, String)], trailer: &str) -> File {
        let trailer = format!("/Root 1 0 R{trailer}");
        let file = File { bytes: b"%PDF-1.7\n".to_vec(), trailer, previous: None };
        file.update(&objects.iter().map(|(n, text)| (*n, text.as_str())).collect::<Vec<_>>())
    }

    fn update(&self, objects: &[(u32, &str)]) -> File {
        self.update_with(objects, &self.trailer)
    }

    fn update_with(&self, objects: &[(u32, &str)], trailer: &str) -> File {
        let mut file = self.clone();
        let mut table = String::from("xref\n");
        if file.previous.is_none() {
            table += "0 1\n0000000000 65535 f \n";
        }
        for (number, body) in objects {
            table += &format!("{number} 1\n{:010} 00000 n \n", file.bytes.len());
            file.bytes.extend(format!("{number} 0 obj\n{body}\nendobj\n").bytes());
        }
        let at = file.bytes.len();
        let previous = file.previous.map(|at| format!("/Prev {at}")).unwrap_or_default();
        let end = format!("trailer\n<</Size 100{trailer}{previous}>>\nstartxref\n{at}\n%%EOF\n");
        file.bytes.extend(table.bytes().chain(end.bytes()));
        file.previous = Some(at);
        file
    }
}

/// Catalog 1, page tree 2, page 3, content 4, font 5, form 6, field 7, annotation 8, appearance 9,
/// information 10, structure 11 with element 12 and its list 13, metadata 14.
fn objects() -> Vec<(u32, String)> {
    let text = |text: &str| text.to_owned();
    vec![
        (1, catalog("")),
        (
            2,
            text(
                "<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 595 842]/Resources<</Font<</F1 5 0 R>>>>>>",
            ),
        ),
        (3, page("")),
        (4, stream("", CONTENT)),
        (5, text("<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>")),
        (6, text("<</Fields[7 0 R]/NeedAppearances true>>")),
        (7, field("/DA(/F1 11 Tf)")),
        (8, format!("<</Type/Annot{ANNOTATION}>>")),
        (9, stream("/Subtype/Form/BBox[0 0 200 20]", "")),
        (10, text("<</Title(L\\345n)/Producer(one)>>")),
        (
            11,
            text(
                "<</Type/StructTreeRoot/K 12 0 R/ParentTree<</Nums[0 13 0 R 1 12 0 R]>>/ParentTreeNextKey 2>>",
            ),
        ),
        (12, text("<</Type/StructElem/S/P/P 11 0 R/Pg 3 0 R/K 0>>")),
        (13, text("[12 0 R null]")),
        (14, stream("/Type/Metadata/Subtype/XML", "<x><t>By XMP</t></x>")),
    ]
}

fn catalog(more: &str) -> String {
    format!(
        "<</Type/Catalog/Pages 2 0 R/AcroForm 6 0 R/StructTreeRoot 11 0 R/Metadata 14 0 R{more}>>"
    )
}

fn page(more: &str) -> String {
    format!("<</Type/Page/Parent 2 0 R/Contents 4 0 R/Annots[7 0 R 8 0 R]/StructParents 0{more}>>")
}

fn field(more: &str) -> String {
    format!("<<{FIELD}{more}>>")
}

fn base() -> File {
    File::new(&objects(), "/Info 10 0 R")
}

/// The document with some objects written otherwise from the start.
fn base_with(changes: &[(u32, &str)]) -> File {
    let change = |(number, text): (u32, String)| {
        let other = changes.iter().find(|(changed, _)| *changed == number);
        (number, other.map_or(text, |(_, other)| (*other).to_owned()))
    };
    File::new(&objects().into_iter().map(change).collect::<Vec<_>>(), "/Info 10 0 R")
}

struct Judge(Kit);

impl Judge {
    fn new(seed: u64) -> Judge {
        Judge(Kit::new(seed))
    }

    fn ask(&self, original: &File, changed: &File) -> VerifyReport {
        let signed = self.0.sign(&changed.bytes, Level::B, &self.0.plain());
        let options = VerifyOptions { original: Some(arc(&original.bytes)), ..self.0.options() };
        verify_bytes(signed, &options)
    }

    #[track_caller]
    fn fine(&self, original: &File, changed: &File) -> VerifyReport {
        let report = self.ask(original, changed);
        let failed: Vec<_> = report.failures().collect();
        assert!(report.ok, "{failed:#?} {:#?}", report.changes.forbidden);
        report
    }

    #[track_caller]
    fn caught(&self, original: &File, changed: &File, because: &str) {
        let report = self.ask(original, changed);
        assert!(!report.ok, "not caught: {because}");
        let forbidden = &report.changes.forbidden;
        assert!(
            forbidden.iter().any(|change| change.detail.contains(because)),
            "{because:?} is not among {forbidden:#?}"
        );
    }
}

#[test]
fn text_in_another_encoding_is_the_same_and_other_text_is_not() {
    let judge = Judge::new(61);
    let base = base();
    judge.fine(&base, &base.update(&[(10, "<</Title<FEFF004C00E5006E>/Producer(two)>>")]));
    judge.fine(&base, &base.update(&[(10, "<</Title<EFBBBF4CC3A56E>/Producer(one)>>")]));
    judge.caught(&base, &base.update(&[(10, "<</Title<FEFF004C00E5006D>>>")]), "Title");
    let words = |text: &str| ANNOTATION.replace("(Gjelder l\\345n)", text);
    let wide = "<FEFF0047006A0065006C0064006500720020006C00E5006E>";
    judge.fine(&base, &base.update(&[(8, &format!("<</Type/Annot{}>>", words(wide)))]));
    let other = format!("<</Type/Annot{}>>", words("(Gjelder l\\346n)"));
    judge.caught(&base, &base.update(&[(8, &other)]), "(FreeText) was changed");
    // Not every string is text: how something is drawn is bytes.
    let drawn = ANNOTATION.replace("(/F1 11 Tf)", "<FEFF002F004600310020003100310020005400660000>");
    judge.caught(
        &base,
        &base.update(&[(8, &format!("<</Type/Annot{drawn}>>"))]),
        "(FreeText) was changed",
    );
    // What loses something is nothing but its bytes.
    let lossy = base_with(&[(8, &format!("<</Type/Annot{}>>", words("(\\255)")))]);
    let other = format!("<</Type/Annot{}>>", words("(\\237)"));
    judge.caught(&lossy, &lossy.update(&[(8, &other)]), "(FreeText) was changed");
}

#[test]
fn information_may_say_what_the_metadata_says() {
    let judge = Judge::new(62);
    let base = base();
    let say = |title: &str| base.update(&[(10, &format!("<</Title({title})/Producer(one)>>"))]);
    judge.fine(&base, &say("By XMP"));
    judge.caught(&base, &say("By XM"), "Title");
    judge.caught(&base, &say("Gift"), "Title");
    // What came with the same update is no witness.
    let xmp = stream("/Type/Metadata/Subtype/XML", "<x><t>Gift</t></x>");
    let both = base.update(&[(10, "<</Title(Gift)/Producer(one)>>"), (14, &xmp)]);
    judge.caught(&base, &both, "Title");
}

#[test]
fn information_may_be_written_anew_by_other_keys_and_once() {
    let judge = Judge::new(71);
    // A key in Latin-1, and an entry that is there twice: readers take either.
    let base = base_with(&[(10, "<</Title(One)/Title(Two)/Saks#e5r(2024)>>")]);
    for said in ["One", "Two"] {
        let text = format!("<</Title({said})/Saks#c3#a5r(2024)>>");
        judge.fine(&base, &base.update(&[(10, &text)]));
    }
    judge.caught(&base, &base.update(&[(10, "<</Title(Three)/Saks#c3#a5r(2024)>>")]), "Title");
    let twice = "<</Title(One)/Title(Three)/Saks#c3#a5r(2024)>>";
    judge.caught(&base, &base.update(&[(10, twice)]), "Title");
    let other = "<</Title(One)/Saks#c3#a5r(2025)>>";
    judge.caught(&base, &base.update(&[(10, other)]), "Saksår");
}

#[test]
fn a_number_of_a_page_may_stand_in_another_object() {
    let judge = Judge::new(72);
    let moved = |text: &str| page(&format!("/Rotate {text}"));
    let mut all = objects();
    all[2].1 = moved("20 0 R");
    all.push((20, "0".into()));
    let base = File::new(&all, "/Info 10 0 R");
    let to = |value: &str| base.update(&[(3, &moved("21 0 R")), (21, value)]);
    judge.fine(&base, &to("0"));
    judge.fine(&base, &base.update(&[(3, &moved("0"))]));
    judge.caught(&base, &to("90"), "Rotate");
    judge.caught(&base, &base.update(&[(20, "90")]), "a number was changed");
}

#[test]
fn the_only_possible_type_may_be_left_out() {
    let judge = Judge::new(63);
    let base = base();
    judge.fine(&base, &base.update(&[(8, &format!("<<{ANNOTATION}>>"))]));
    judge.caught(&base, &base.update(&[(8, &format!("<</Type/Page{ANNOTATION}>>"))]), "Type");
    let untyped = page("").replace("/Type/Page", "");
    judge.caught(&base, &base.update(&[(3, &untyped)]), "Type");
    // Into a node of the page tree: readers would look for its kids.
    let node = page("").replace("/Type/Page", "/Type/Pages");
    judge.caught(&base, &base.update(&[(3, &node)]), "Type");
}

#[test]
fn what_a_page_inherits_may_be_written_out() {
    let judge = Judge::new(64);
    let base = base();
    let with = |more: &str| base.update(&[(3, &page(more))]);
    judge.fine(&base, &with("/MediaBox[0 0 595.0 842]"));
    judge.fine(&base, &with("/MediaBox[0 0 595 842]/Resources<</Font<</F1 5 0 R>>>>"));
    judge.caught(&base, &with("/MediaBox[0 0 595 400]"), "MediaBox");
    judge.caught(&base, &with("/CropBox[0 0 595 400]"), "CropBox");
    judge.caught(&base, &with("/Rotate 90"), "Rotate");
    judge.caught(&base, &with("/Resources<</Font<</F1 30 0 R>>>>"), "Resources");
    // A value of its own is no inherited one.
    let own = base_with(&[(3, &page("/MediaBox[0 0 300 300]"))]);
    judge.caught(&own, &own.update(&[(3, &page("/MediaBox[0 0 595 842]"))]), "MediaBox");
}

#[test]
fn what_nothing_reaches_is_reported_and_looked_at_when_something_does() {
    let judge = Judge::new(65);
    let base = base();
    let other = stream("", &CONTENT.replace("100", "900"));
    let idle = base.update(&[(30, &other), (31, "<</Type/Font>>")]);
    let report = judge.fine(&base, &idle);
    let told = report.changes.permitted.iter().filter(|c| c.detail.contains("nothing reaches it"));
    assert_eq!(told.count(), 2);
    let later = idle.update(&[(3, &page("").replace("4 0 R", "30 0 R"))]);
    judge.caught(&base, &later, "Contents");
    // By a new object, and by one that was idle as well.
    let chain = base.update(&[(30, &other), (31, "[30 0 R]")]);
    judge.fine(&base, &chain);
    judge.caught(&base, &chain.update(&[(1, &catalog("/Names 31 0 R"))]), "Names");
    // As the appearance of a field that nobody signed, over two revisions.
    let look = stream("/Type/XObject/Subtype/Form/BBox[0 0 200 20]", "0 0 200 20 re f");
    let shown = "<</Type/Annot/Subtype/Widget/FT/Sig/T(S)/F 132/P 3 0 R\
                 /Rect[72 690 272 710]/AP<</N 30 0 R>>>>";
    let listed = page("").replace("8 0 R]", "8 0 R 32 0 R]");
    let form = "<</Fields[7 0 R 32 0 R]/NeedAppearances true/SigFlags 3>>";
    let later = base.update(&[(30, &look)]).update(&[(32, shown), (3, &listed), (6, form)]);
    judge.caught(&base, &later, "not signed by anybody");
    // Written anew while it lies idle, it is still new to whoever reaches it.
    let again = base.update(&[(30, &look)]).update(&[(30, &other)]);
    judge.fine(&base, &again);
    judge.caught(&base, &again.update(&[(3, &page("").replace("4 0 R", "30 0 R"))]), "Contents");
    // Readers that repair files look for these among all objects.
    for found in [&catalog("/Lang(en)"), "<</Type/Pages/Kids[]/Count 0>>", "<</Root 1 0 R>>"] {
        judge.caught(&base, &base.update(&[(30, found)]), "was added");
    }
}

#[test]
fn the_catalog_may_get_another_number_and_nothing_else() {
    let judge = Judge::new(66);
    let base = base();
    let moved = |more: &str| base.update_with(&[(30, &catalog(more))], "/Root 30 0 R/Info 10 0 R");
    judge.fine(&base, &moved(""));
    judge.caught(&base, &moved("/OpenAction[3 0 R/Fit]"), "catalog entry OpenAction");
    let other = catalog("").replace("/Pages 2 0 R", "/Pages 31 0 R");
    judge.caught(
        &base,
        &base.update_with(
            &[(30, &other), (31, "<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 9 9]>>")],
            "/Root 30 0 R",
        ),
        "catalog entry Pages",
    );
    // An object that was there already is no new catalog.
    let hidden = File::new(
        &[objects(), vec![(20, catalog("/PageMode/FullScreen"))]].concat(),
        "/Info 10 0 R",
    );
    let shown = hidden.update_with(&[], "/Root 20 0 R/Info 10 0 R");
    judge.caught(&hidden, &shown, "Root");
}

#[test]
fn the_tree_of_numbers_may_be_written_anew() {
    let judge = Judge::new(67);
    let base = base();
    let form = "<</Fields[7 0 R 32 0 R]/NeedAppearances true/SigFlags 3>>";
    let root = |tree: &str| {
        format!(
            "<</Type/StructTreeRoot/K[12 0 R 33 0 R]/ParentTree {tree}/ParentTreeNextKey 3/RoleMap<<>>>>"
        )
    };
    let listed = page("").replace("8 0 R]", "8 0 R 32 0 R]");
    let change = |tree: &str, list: &str| {
        base.update(&[
            (3, &listed),
            (6, form),
            (11, &root("34 0 R")),
            (32, &format!("<<{WIDGET}>>")),
            (33, "<</S/Form/P 11 0 R/Pg 3 0 R/K<</Type/OBJR/Obj 32 0 R>>>>"),
            (34, tree),
            (35, list),
        ])
    };
    let same = "<</Nums[0 35 0 R 1 12 0 R 2 33 0 R]>>";
    judge.fine(&base, &change(same, "[12 0 R null]"));
    for (tree, list) in [
        (same, "[null 12 0 R]"),
        (same, "[33 0 R null]"),
        ("<</Nums[0 35 0 R 2 33 0 R]>>", "[12 0 R null]"),
        ("<</Nums[0 35 0 R 1 33 0 R 2 33 0 R]>>", "[12 0 R null]"),
        ("<</Nums[0 35 0 R 1 12 0 R 2 12 0 R]>>", "[12 0 R null]"),
        ("<</Nums[0 35 0 R 1 12 0 R 7 33 0 R]>>", "[12 0 R null]"),
        ("<</Nums[0 35 0 R 1 12 0 R 2 33 0 R 2 12 0 R]>>", "[12 0 R null]"),
    ] {
        judge.caught(&base, &change(tree, list), "StructTreeRoot");
    }
    let mapped = root("34 0 R").replace("/RoleMap<<>>", "/RoleMap<</P/Artifact>>");
    let changed = change(same, "[12 0 R null]").update(&[(11, &mapped)]);
    judge.caught(&base, &changed, "RoleMap");
}

#[test]
fn appearances_need_not_be_made_where_nothing_shows() {
    let judge = Judge::new(68);
    let form = [(6, "<</Fields[7 0 R]>>")];
    let blank = base();
    judge.fine(&blank, &blank.update(&form));
    for (more, why) in [
        ("/V(Oslo)", "a value without an appearance would be gone"),
        ("/V(Oslo)/AP<</N 15 0 R>>", "the appearance may show something else"),
        ("/AP<</N 15 0 R>>", "the appearance covers what lies below"),
        ("/MK<</BG[1 1 1]>>", "the background would be gone"),
        ("/MK<</BC[1 0 0]>>", "the border would be gone"),
    ] {
        let mut all = objects();
        all[6].1 = field(&format!("/DA(/F1 11 Tf){more}"));
        all.push((15, stream("/Subtype/Form/BBox[0 0 200 20]", "0 0 200 20 re f")));
        let base = File::new(&all, "/Info 10 0 R");
        let report = judge.ask(&base, &base.update(&form));
        assert!(!report.ok, "{why}");
    }
    // A widget that the form does not list is a field to some readers.
    let widget = field("/V(100)/AP<</N 9 0 R>>").replace("(city)", "(town)");
    let unlisted = base_with(&[(8, &widget)]);
    judge.caught(&unlisted, &unlisted.update(&form), "NeedAppearances");
    // A style for all fields is nobody's where each has its own.
    let styled = "<</Fields[7 0 R]/DA(/Helv 0 Tf 1 g)>>";
    let quiet =
        base_with(&[(6, "<</Fields[7 0 R]>>"), (8, "<</Type/Annot/Subtype/Link/Rect[0 0 1 1]>>")]);
    let own = quiet.update(&[(6, styled)]);
    // The field has no appearance: readers draw it in its own style.
    judge.caught(&quiet, &own, "DA");
    let none = base_with(&[(6, "<</Fields[7 0 R]>>"), (7, &field("/V(Oslo)/AP<</N 9 0 R>>"))]);
    judge.caught(&none, &none.update(&[(6, styled)]), "DA");
}

#[test]
fn entries_of_the_trailer_that_no_reader_looks_at() {
    let judge = Judge::new(69);
    let info = "/Info 10 0 R";
    let base = File::new(&objects(), &format!("{info}/DocChecksum/ABC"));
    let gone = base.update_with(&[], &format!("/Root 1 0 R{info}"));
    judge.fine(&base, &gone);
    judge.fine(&base, &gone.update_with(&[], &format!("/Root 1 0 R{info}/DocChecksum/ABC")));
    let other = gone.update_with(&[], &format!("/Root 1 0 R{info}/DocChecksum/ABD"));
    judge.caught(&base, &other, "DocChecksum");
    // Copies of the source, under a number that nobody has: LibreOffice would open one that came.
    let copies = File::new(&objects(), &format!("{info}/AdditionalStreams[/odt 30 0 R]"));
    judge.fine(&copies, &copies.update(&[(30, "<</Type/Font>>")]));
    judge.caught(&copies, &copies.update(&[(30, &stream("", "PK"))]), "before it existed");
    let moved = format!("/Root 1 0 R{info}/AdditionalStreams[/odt 4 0 R]");
    judge.caught(&copies, &copies.update_with(&[], &moved), "AdditionalStreams");
}

#[test]
fn output_intents_are_srgb_or_nothing() {
    let judge = Judge::new(70);
    let base = base();
    let add = |intents: &str, profile: &str| {
        base.update(&[(1, &catalog(&format!("/OutputIntents{intents}"))), (30, profile)])
    };
    let named = "[<</Type/OutputIntent/S/GTS_PDFA1/OutputConditionIdentifier(sRGB)/DestOutputProfile 30 0 R>>]";
    judge.caught(&base, &add(named, &stream("/N 3", "no profile")), "OutputIntents");
    judge.caught(
        &base,
        &add("[<</S/GTS_PDFX/DestOutputProfileRef<<>>>>]", "null"),
        "OutputIntents",
    );
    judge.caught(&base, &add("[4 0 R]", "null"), "OutputIntents");
}

/// An update with a table and a stream that the trailer names besides.
fn hybrid(base: &File, moved: usize) -> File {
    let mut file = base.clone();
    let info = file.bytes.len();
    file.bytes.extend(b"10 0 obj\n<</Title(L\\345n)/Producer(two)>>\nendobj\n");
    let hidden = file.bytes.len();
    let entry = |place: usize| [&[1u8][..], &(place as u32).to_be_bytes(), &[0, 0]].concat();
    let data = [entry(info + moved), entry(hidden)].concat();
    let head = "<</Type/XRef/W[1 4 2]/Index[10 1 40 1]/Size 100/Root 1 0 R/Length 14>>";
    file.bytes.extend(format!("40 0 obj\n{head}\nstream\n").bytes());
    file.bytes.extend(data.iter().chain(b"\nendstream\nendobj\n"));
    let at = file.bytes.len();
    let previous = base.previous.unwrap();
    file.bytes.extend(
        format!(
            "xref\n10 1\n{info:010} 00000 n \n40 1\n{hidden:010} 00000 n \ntrailer\n\
             <</Size 100/Root 1 0 R/Info 10 0 R/Prev {previous}/XRefStm {hidden}>>\n\
             startxref\n{at}\n%%EOF\n"
        )
        .bytes(),
    );
    file.previous = Some(at);
    file
}

#[test]
fn two_cross_references_of_an_update_agree() {
    let judge = Judge::new(71);
    let base = base();
    judge.fine(&base, &hybrid(&base, 0));
    judge.caught(&base, &hybrid(&base, 4), "two cross-references that disagree");
}

#[test]
fn a_signature_field_has_no_text_to_style() {
    let judge = Judge::new(72);
    let placed = |kind: &str, style: &str| {
        format!(
            "<</Type/Annot/Subtype/{kind}/FT/Sig/T(S)/F 4/P 3 0 R/Rect[72 690 272 710]/DA({style})>>"
        )
    };
    for (kind, is_fine) in [("Widget", true), ("FreeText", false)] {
        let base = base_with(&[(8, &placed(kind, "/F1 9 Tf")), (6, "<</Fields[7 0 R 8 0 R]>>")]);
        let other = base.update(&[(8, &placed(kind, "/F1 99 Tf 1 g"))]);
        if is_fine {
            judge.fine(&base, &other);
        } else {
            judge.caught(&base, &other, "an annotation of another kind");
        }
    }
}
