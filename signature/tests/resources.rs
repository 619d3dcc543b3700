//! External objects that an update adds to resources which pages use: they are permitted where no
//! content names them, however a document hides that some does.
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

const TEXT: &str = "BT /F1 12 Tf 72 700 Td (Amount: 100 000 NOK) Tj ET ";
/// Covers the amount.
const SEAL: &str = "1 g 0 0 595 842 re f";

fn stream(entries: &str, data: &str) -> String {
    format!("<<{entries}/Length {}>>\nstream\n{data}\nendstream", data.len())
}

fn form(entries: &str, data: &str) -> String {
    stream(&format!("/Type/XObject/Subtype/Form/BBox[0 0 595 842]{entries}"), data)
}

/// A document whose form shares resources (6) with its page. Catalog 1, page tree 2, page 3,
/// content 4, font 5; further objects from 8 on.
struct Case {
    content: String,
    page: &'static str,
    form: &'static str,
    resources: &'static str,
    more: Vec<String>,
    /// The resources afterwards; object 30 is new.
    after: String,
}

impl Default for Case {
    fn default() -> Self {
        Case {
            content: TEXT.into(),
            page: "/Resources 6 0 R",
            form: "/DR 6 0 R",
            resources: "/XObject<</Im0 7 0 R>>",
            more: Vec::new(),
            after: "/XObject<</Im0 7 0 R/FRM 30 0 R>>".into(),
        }
    }
}

const FONTS: &str = "/Font<</F1 5 0 R>>";
const PIXEL: &str =
    "/Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray";

impl Case {
    fn document(&self) -> Vec<u8> {
        let mut pdf = RawPdf::new();
        pdf.object(format!("<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[]{}>>>>", self.form));
        pdf.object("<</Type/Pages/Kids[3 0 R]/Count 1>>");
        let contents = if self.page.contains("/Contents") { "" } else { "/Contents 4 0 R" };
        pdf.object(format!(
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]{contents}{}>>",
            self.page
        ));
        pdf.object(stream("", &self.content));
        pdf.object("<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>");
        pdf.object(format!("<<{FONTS}{}>>", self.resources));
        // Looks like a name, in data that is only ever drawn as an image.
        pdf.object(stream(&format!("{PIXEL}/Filter/DCTDecode"), "x/FRM x"));
        for body in &self.more {
            pdf.object(body.as_str());
        }
        pdf.build(Structure::Table)
    }

    fn judge(&self, kit: &Kit) -> [VerifyReport; 2] {
        let original = self.document();
        let signed = kit.sign(&original, Level::B, &kit.plain());
        let with = VerifyOptions { original: Some(arc(&original)), ..kit.options() };
        let report = verify_bytes(signed.clone(), &with);
        assert!(report.ok, "{:#?} {:#?}", report.checks, report.changes.forbidden);
        let seal = form(&format!("/Resources<<{FONTS}>>"), SEAL);
        let resources = format!("<<{FONTS}{}>>", self.after);
        let objects = [(6, resources.as_str()), (30, seal.as_str())];
        let later = append_update(&signed, &objects, 1);
        [verify_bytes(later.clone(), &kit.options()), verify_bytes(later, &with)]
    }

    #[track_caller]
    fn permitted(&self, kit: &Kit) {
        for report in self.judge(kit) {
            assert!(report.ok, "{:#?} {:#?}", report.checks, report.changes.forbidden);
        }
    }

    #[track_caller]
    fn forbidden(&self, kit: &Kit) {
        for report in self.judge(kit) {
            assert!(!report.ok && !report.changes.forbidden.is_empty(), "{:#?}", report.changes);
        }
    }
}

#[test]
fn external_objects_that_no_content_names_may_be_added() {
    let kit = Kit::new(65);
    let plain = Case::default;
    plain().permitted(&kit);
    Case { after: "/XObject<</FRM 30 0 R>>".into(), resources: "", ..plain() }.permitted(&kit);
    // An appearance that has one of its own of the same name.
    let own = form(&format!("/Resources<<{FONTS}/XObject<</FRM 9 0 R>>>>"), "/FRM Do");
    let note = "<</Subtype/Stamp/Rect[10 10 20 20]/F 4/AP<</N 8 0 R>>>>".to_owned();
    let more = vec![own, form("", "0 g 0 0 1 1 re f"), note];
    Case { more, page: "/Resources 6 0 R/Annots[10 0 R]", ..plain() }.permitted(&kit);
}

#[test]
fn those_that_some_content_names_may_not() {
    let kit = Kit::new(65);
    let plain = Case::default;
    for used in ["/FRM Do", "/F#52M Do", "/FRM", "q /FR"] {
        Case { content: format!("{TEXT}{used}"), ..plain() }.forbidden(&kit);
    }
    // A form, a pattern and glyphs that take what they name from the page.
    for (content, resources, more) in [
        ("/Fm Do", "/XObject<</Im0 7 0 R/Fm 8 0 R>>", vec![form("", "/FRM Do")]),
        (
            "/Pattern cs /P scn 0 0 9 9 re f",
            "/XObject<</Im0 7 0 R>>/Pattern<</P 8 0 R>>",
            vec![stream(
                "/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 9 9]/XStep 9/YStep 9",
                "/FRM Do",
            )],
        ),
    ] {
        let after = resources.replace("/Im0 7 0 R", "/Im0 7 0 R/FRM 30 0 R");
        let content = format!("{TEXT}{content}");
        Case { content, resources, more, after, ..plain() }.forbidden(&kit);
    }
    let glyph = stream(&format!("{PIXEL}/Filter/DCTDecode"), "what it says cannot be known");
    for (resources, glyphs) in [
        // One object is a glyph and an image, by way of its own dictionary or a shared one.
        ("/XObject<</Im0 7 0 R/Im1 8 0 R>>", "<</a 8 0 R>>"),
        ("/XObject<</Im0 7 0 R/Im1 8 0 R>>", "<</SMask 8 0 R>>"),
        ("/XObject<</Im0 7 0 R/Im1 8 0 R>>", "<</XObject 8 0 R>>"),
        ("/XObject<</Im0 7 0 R>>", "<</XObject 8 0 R>>"),
    ] {
        let font = format!(
            "<</Type/Font/Subtype/Type3/FontBBox[0 0 1 1]/FontMatrix[1 0 0 1 0 0]/FirstChar 97\
             /LastChar 97/Widths[1]/Encoding<</Differences[97/a]>>/CharProcs{glyphs}>>"
        );
        let after = resources.replace("/Im0 7 0 R", "/Im0 7 0 R/FRM 30 0 R");
        let page = "/Resources 6 0 R/Annots[<</Subtype/Stamp/Rect[1 1 2 2]/AP<</N 10 0 R>>>>]";
        let shown = form("/Resources<</Font<</T 9 0 R>>>>", "BT /T 1 Tf (a) Tj ET");
        let more = vec![glyph.clone(), font, shown];
        Case { resources, more, after, page, ..plain() }.forbidden(&kit);
    }
    // Content that is called an image, and the same where it is one.
    let resources = "/XObject<</Im0 7 0 R/Im1 8 0 R>>";
    let after = "/XObject<</Im0 7 0 R/Im1 8 0 R/FRM 30 0 R>>";
    let more = vec![stream(PIXEL, "/FRM Do")];
    let called = Case { more, resources, after: after.into(), ..plain() };
    called.permitted(&kit);
    Case { page: "/Resources 6 0 R/Contents[4 0 R 8 0 R]", ..called }.forbidden(&kit);
}

#[test]
fn nothing_else_of_resources_may_change() {
    let kit = Kit::new(65);
    for after in [
        "/XObject<</Im0 30 0 R>>",
        "/XObject<</FRM 30 0 R>>",
        "/XObject<</Im0 7 0 R/FRM 30 0 R/FRM 7 0 R/Im0 30 0 R>>",
        "/XObject<</Im0 7 0 R>>/Pattern<</FRM 30 0 R>>",
        "/XObject<</Im0 7 0 R/FRM 30 0 R>>/ExtGState<</FRM 30 0 R>>",
        "/XObject 30 0 R",
    ] {
        Case { after: after.into(), ..Case::default() }.forbidden(&kit);
    }
    // Resources of a font, or of what cannot be told, are none.
    for (page, form) in [
        ("/Resources<</Font<</F1 5 0 R/Resources 6 0 R>>>>", ""),
        ("/Resources<</Font 6 0 R>>", "/DR<</Font 6 0 R>>"),
        ("/Resources 6 0 R/Group 6 0 R", "/DR 6 0 R"),
    ] {
        Case { page, form, ..Case::default() }.forbidden(&kit);
    }
}
