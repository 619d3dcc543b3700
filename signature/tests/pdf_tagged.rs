//! Signing tagged documents: the new widget is listed in the structure tree, in each form it has.
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
use signdoc_signature::pdf::{Dict, Document, Object};
use signdoc_signature::report::Status;
use signdoc_signature::verify::{VerifyOptions, verify_bytes};
use verify_kit::{Kit, arc};

/// A page with one tagged paragraph. The tree's root is object 4; 5 and on are as given.
fn tagged(root: &str, more: &[&str], page: &str) -> Vec<u8> {
    let mut pdf = RawPdf::new();
    let catalog = "<</Type/Catalog/Pages 2 0 R/StructTreeRoot 4 0 R/MarkInfo<</Marked true>>>>";
    pdf.object(catalog);
    pdf.object("<</Type/Pages/Kids[3 0 R]/Count 1>>");
    pdf.object(format!(
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/StructParents 0/Resources<<>>{page}>>"
    ));
    pdf.object(format!("<</Type/StructTreeRoot{root}>>"));
    for body in more {
        pdf.object(*body);
    }
    pdf.build(Structure::Table)
}

const DOCUMENT: &str = "<</Type/StructElem/S/Document/P 4 0 R/K 6 0 R>>";
const PARAGRAPH: &str = "<</Type/StructElem/S/P/P 5 0 R/Pg 3 0 R/K 0>>";

/// Trees of every shape, with the key that is the next one.
fn trees() -> Vec<(&'static str, Vec<u8>, i64)> {
    let direct = "/K 5 0 R/ParentTree<</Nums[0[6 0 R]]>>/ParentTreeNextKey 7";
    let object = "/K[5 0 R]/ParentTree 7 0 R";
    let kids = "/K 8 0 R/ParentTree 7 0 R/ParentTreeNextKey 1";
    let flat = "/K[5 0 R 6 0 R]/ParentTree<</Nums 7 0 R>>";
    vec![
        ("empty", tagged("", &[], ""), 0),
        ("direct", tagged(direct, &[DOCUMENT, PARAGRAPH], "/Tabs/S"), 7),
        ("object", tagged(object, &[DOCUMENT, PARAGRAPH, "<</Nums[0[6 0 R]3 6 0 R]>>"], ""), 4),
        (
            "kids",
            tagged(
                kids,
                &[
                    DOCUMENT,
                    PARAGRAPH,
                    "<</Kids[9 0 R]>>",
                    "[5 0 R]",
                    "<</Limits[0 12]/Nums[0[6 0 R]12 6 0 R]>>",
                    "[]",
                ],
                "/Annots 10 0 R",
            ),
            13,
        ),
        ("flat", tagged(flat, &[DOCUMENT, PARAGRAPH, "[0[6 0 R]]"], "/Annots[]"), 1),
    ]
}

fn dict(document: &Document, value: Option<&Object>) -> Dict {
    let value = document.resolve(value.unwrap_or(&Object::Null)).unwrap();
    value.as_dict().cloned().unwrap_or_else(|| panic!("{value:?} is no dictionary"))
}

/// The value under a key of a number tree.
fn lookup(document: &Document, node: &Dict, key: i64) -> Option<Object> {
    let list = |name: &str| {
        let held = node.get(name).cloned().unwrap_or(Object::Null);
        document.resolve(&held).unwrap().as_array().map(<[Object]>::to_vec).unwrap_or_default()
    };
    let nums = list("Nums");
    let own = nums.chunks(2).find(|pair| pair[0].as_int() == Some(key));
    own.map(|pair| pair[1].clone()).or_else(|| {
        list("Kids").iter().find_map(|kid| lookup(document, &dict(document, Some(kid)), key))
    })
}

#[test]
fn a_new_widget_is_listed_in_the_structure() {
    let kit = Kit::new(101);
    for (name, original, key) in trees() {
        for options in [kit.plain(), kit.sealed(40.0, 60.0)] {
            let signed = kit.sign(&original, Level::B, &options);
            let document = Document::from_bytes(signed.clone()).unwrap();
            let field = document.signature_fields().unwrap().remove(0);
            let widget = dict(&document, field.id.map(Object::Ref).as_ref());
            assert_eq!(widget.get("StructParent").and_then(Object::as_int), Some(key), "{name}");
            assert!(widget.contains("TU"), "{name}");
            let catalog = document.head().catalog().unwrap();
            let root = dict(&document, catalog.get("StructTreeRoot"));
            let next = root.get("ParentTreeNextKey").and_then(Object::as_int);
            assert_eq!(next, Some(key + 1), "{name}");
            let parents = dict(&document, root.get("ParentTree"));
            let element = lookup(&document, &parents, key).unwrap_or_else(|| panic!("{name}"));
            let form = dict(&document, Some(&element));
            assert!(form.is_name("S", "Form"), "{name}");
            let object = dict(&document, form.get("K"));
            assert_eq!(object.get("Obj").and_then(Object::as_ref), field.id, "{name}");
            let parent = dict(&document, form.get("P"));
            let kids = document.resolve(parent.get("K").unwrap()).unwrap();
            assert!(kids.as_array().unwrap().contains(&element), "{name}: {kids:?}");
            if name != "empty" {
                assert!(lookup(&document, &parents, 0).is_some(), "{name}: what was there stays");
            }
            let page = document.pages().next().unwrap().unwrap();
            assert!(page.dict.is_name("Tabs", "S"), "{name}");

            let original = Some(arc(&original));
            let report = verify_bytes(signed, &VerifyOptions { original, ..kit.options() });
            assert!(report.ok, "{name}: {:#}", report.to_json());
        }
    }
}

#[test]
fn a_signed_tree_is_left_alone() {
    let kit = Kit::new(102);
    let (_, original, _) = trees().remove(1);
    let once = kit.sign(&original, Level::B, &kit.sealed(40.0, 60.0));
    let twice = kit.sign(&once, Level::B, &kit.sealed(40.0, 160.0));
    let report = verify_bytes(twice.clone(), &kit.options());
    assert!(report.ok, "{:#}", report.to_json());
    let document = Document::from_bytes(twice).unwrap();
    let parents = |field: &signdoc_signature::pdf::SignatureField| {
        let widget = dict(&document, field.id.map(Object::Ref).as_ref());
        widget.contains("StructParent")
    };
    let listed: Vec<bool> = document.signature_fields().unwrap().iter().map(parents).collect();
    assert_eq!(listed, [true, false]);
}

#[test]
fn nothing_else_gets_into_the_structure() {
    let kit = Kit::new(103);
    let (_, original, _) = trees().remove(1);
    // The paragraph's element says something else now.
    for (body, number) in [
        ("<</Type/StructElem/S/P/P 5 0 R/Pg 3 0 R/K 0/ActualText(900 000)>>", 6),
        ("<</Type/StructElem/S/Document/P 4 0 R/K[6 0 R 6 0 R]>>", 5),
        ("<</Type/StructTreeRoot/K 5 0 R/ParentTree<</Nums[0[6 0 R]7 6 0 R]>>>>", 4),
        (
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<<>>/StructParents 0/Tabs/R>>",
            3,
        ),
    ] {
        let altered = signdoc_signature::fixtures::append_update(&original, &[(number, body)], 1);
        let signed = kit.sign(&altered, Level::B, &kit.plain());
        let original = Some(arc(&original));
        let report = verify_bytes(signed, &VerifyOptions { original, ..kit.options() });
        assert_eq!(report.status("original"), Status::Failed, "{body}");
    }
}
