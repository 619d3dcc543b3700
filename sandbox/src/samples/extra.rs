//! Samples for the warnings of a conversion: what raises them, and what comes close and does not.

use super::file::File;
use super::page::{self, Page};
use super::{Expectation, Sample, sample};
use crate::ConversionWarning;

/// One document for each warning that [`super::all`] does not show and a conversion can be made to
/// give.
pub fn each_warning() -> Vec<Sample> {
    vec![
        sample(
            "layers.pdf",
            "optional content",
            layers(),
            Expectation::warned(&[ConversionWarning::OcgRemoved]),
        ),
        sample(
            "screen-stamp.pdf",
            "stamp for the screen only",
            screen_stamp(),
            Expectation::warned(&[ConversionWarning::VisualDiff, ConversionWarning::ActionRemoved]),
        ),
        sample(
            "metadata.pdf",
            "metadata of its own",
            metadata(),
            Expectation::warned(&[ConversionWarning::XmpRemoved]),
        ),
        sample(
            "colorants.pdf",
            "one colorant, two meanings",
            colorants(),
            Expectation::warned(&[ConversionWarning::Colorants]),
        ),
        sample(
            "hidden-layer.pdf",
            "transparent drawing in a layer that is off",
            hidden_layer(),
            Expectation::warned(&[ConversionWarning::OcgRemoved, ConversionWarning::TranspRemoved]),
        ),
    ]
}

/// Documents that come close to a warning and must not raise any.
pub fn near_misses() -> Vec<Sample> {
    let clean = |name, title, bytes| sample(name, title, bytes, Expectation::clean());
    vec![
        clean("printed-stamp.pdf", "stamp that is printed", stamp(4)),
        clean("one-colorant.pdf", "one colorant, defined twice alike", one_colorant()),
        clean("no-layers.pdf", "optional content without groups", no_layers()),
        clean("see-through.pdf", "transparency that stays", see_through()),
        clean("usual-metadata.pdf", "metadata that every converter writes", usual_metadata()),
        clean("spare-font.pdf", "a font by name that no page uses", spare_font()),
        clean("bookmark.pdf", "links within the document", bookmark()),
        clean("marked.pdf", "marked content without a structure tree", marked()),
    ]
}

fn layers() -> Vec<u8> {
    let mut file = File::default();
    let group = file.add("<< /Type /OCG /Name (Remarks) >>");
    let mut page = Page::titled("Drawing with layers").with_embedded_font();
    page.resources(&format!("/Properties << /Layer1 {group} 0 R >>"));
    page.draw("/OC /Layer1 BDC 0.2 0.4 0.8 rg 100 400 200 100 re f EMC");
    let entries = format!(
        "/OCProperties << /OCGs [{group} 0 R] /D << /ON [{group} 0 R] /Order [{group} 0 R] >> >>"
    );
    page::document(&mut file, &[page], &entries)
}

/// PDF/A has no annotations that are not printed, so the converter leaves this one out.
fn screen_stamp() -> Vec<u8> {
    stamp(0)
}

/// A stamp with these annotation flags (ISO 32000-2 table 167).
fn stamp(flags: u8) -> Vec<u8> {
    let mut file = File::default();
    let stamp = file.reserve();
    let mut page = Page::titled("Draft").with_embedded_font();
    page.annotate(stamp);
    let appearance = file.stream(
        "/Type /XObject /Subtype /Form /BBox [0 0 300 200]",
        b"0.1 0.2 0.5 rg 0 0 300 200 re f",
    );
    file.set(
        stamp,
        format!(
            "<< /Type /Annot /Subtype /Stamp /Rect [100 400 400 600] /F {flags} \
             /AP << /N {appearance} 0 R >> >>"
        ),
    );
    page::document(&mut file, &[page], "")
}

fn metadata() -> Vec<u8> {
    with_metadata(
        "xmlns:case=\"http://example.com/ns/case/1.0/\"",
        "<case:number>4711</case:number>",
    )
}

/// What a converter writes into every document (PDF/A identification, dates, producer).
fn usual_metadata() -> Vec<u8> {
    with_metadata(
        "xmlns:pdf=\"http://ns.adobe.com/pdf/1.3/\" xmlns:xmp=\"http://ns.adobe.com/xap/1.0/\" \
         xmlns:dc=\"http://purl.org/dc/elements/1.1/\"",
        "<pdf:Producer>a program</pdf:Producer>\
         <xmp:CreateDate>2025-01-01T12:00:00Z</xmp:CreateDate>\
         <xmp:ModifyDate>2025-01-01T12:00:00Z</xmp:ModifyDate>\
         <xmp:MetadataDate>2025-01-01T12:00:00Z</xmp:MetadataDate>\
         <dc:format>application/pdf</dc:format>",
    )
}

fn with_metadata(namespaces: &str, properties: &str) -> Vec<u8> {
    let packet = format!(
        "<?xpacket begin=\"\u{feff}\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>\n\
         <x:xmpmeta xmlns:x=\"adobe:ns:meta/\">\
         <rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">\
         <rdf:Description rdf:about=\"\" {namespaces}>{properties}</rdf:Description>\
         </rdf:RDF></x:xmpmeta>\n<?xpacket end=\"w\"?>"
    );
    let mut file = File::default();
    let mut page = Page::titled("Case 4711").with_embedded_font();
    page.paragraph(&["The case number stands in the metadata too."]);
    let packet = file.stream("/Type /Metadata /Subtype /XML", packet.as_bytes());
    page::document(&mut file, &[page], &format!("/Metadata {packet} 0 R"))
}

fn colorants() -> Vec<u8> {
    two_blues("0.2 0.4 0.9", "0 0.1 0.5")
}

fn one_colorant() -> Vec<u8> {
    two_blues("0.2 0.4 0.9", "0.2 0.4 0.9")
}

/// A drawing with two definitions of one colorant.
fn two_blues(light: &str, dark: &str) -> Vec<u8> {
    let mut file = File::default();
    let mut space = |full: &str| {
        file.add(format!(
            "[/Separation /House#20Blue /DeviceRGB \
             << /FunctionType 2 /Domain [0 1] /C0 [1 1 1] /C1 [{full}] /N 1 >>]"
        ))
    };
    let (light, dark) = (space(light), space(dark));
    let mut page = Page::titled("Two blues of one name").with_embedded_font();
    page.resources(&format!("/ColorSpace << /Light {light} 0 R /Dark {dark} 0 R >>"));
    page.draw("/Light cs 1 scn 100 500 150 100 re f /Dark cs 1 scn 300 500 150 100 re f");
    page::document(&mut file, &[page], "")
}

/// A layer that is off holds a transparent drawing: with the layer, the transparency goes.
fn hidden_layer() -> Vec<u8> {
    let mut file = File::default();
    let group = file.add("<< /Type /OCG /Name (Draft) >>");
    let state = file.add("<< /Type /ExtGState /ca 0.5 /CA 0.5 >>");
    let mut page = Page::titled("Drawing with a draft").with_embedded_font();
    page.resources(&format!(
        "/Properties << /Layer1 {group} 0 R >> /ExtGState << /Half {state} 0 R >>"
    ));
    page.draw("/OC /Layer1 BDC q /Half gs 0.2 0.4 0.8 rg 100 400 200 100 re f Q EMC");
    let entries = format!(
        "/OCProperties << /OCGs [{group} 0 R] /D << /OFF [{group} 0 R] /Order [{group} 0 R] >> >>"
    );
    page::document(&mut file, &[page], &entries)
}

fn no_layers() -> Vec<u8> {
    let mut page = Page::titled("Drawing without layers").with_embedded_font();
    page.draw("/Artifact BMC 0.2 0.4 0.8 rg 100 400 200 100 re f EMC");
    let entries = "/OCProperties << /OCGs [] /D << /Order [] >> >>";
    page::document(&mut File::default(), &[page], entries)
}

fn see_through() -> Vec<u8> {
    let mut file = File::default();
    let state = file.add("<< /Type /ExtGState /ca 0.5 /CA 0.5 >>");
    let mut page = Page::titled("Overlapping areas").with_embedded_font();
    page.resources(&format!("/ExtGState << /Half {state} 0 R >>"));
    page.draw(
        "0.9 0.3 0.2 rg 100 500 150 100 re f q /Half gs 0.2 0.4 0.8 rg 180 450 150 100 re f Q",
    );
    page::document(&mut file, &[page], "")
}

/// A form object that is never drawn names a font that is not in the file.
fn spare_font() -> Vec<u8> {
    let mut file = File::default();
    let font = file.add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>");
    let mut page = Page::titled("A page in its own font").with_embedded_font();
    page.paragraph(&["The other font is only mentioned."]);
    page.resources(&format!("/Pattern << /Spare << /Font << /F9 {font} 0 R >> >> >>"));
    page::document(&mut file, &[page], "")
}

/// PDF/A keeps actions that go somewhere in the document.
fn bookmark() -> Vec<u8> {
    let mut file = File::default();
    let link = file.reserve();
    let mut page = Page::titled("Contents").with_embedded_font();
    page.paragraph(&["Back to the top"]);
    page.annotate(link);
    file.set(
        link,
        "<< /Type /Annot /Subtype /Link /F 4 /Border [0 0 0] /Rect [72 700 300 730] \
         /A << /S /GoTo /D [0 /Fit] >> >>",
    );
    page::document(&mut file, &[page], "/OpenAction << /S /GoTo /D [0 /Fit] >>")
}

fn marked() -> Vec<u8> {
    let mut page = Page::titled("Marked content").with_embedded_font();
    page.draw("/P << /MCID 0 >> BDC 0.2 0.4 0.8 rg 100 400 200 100 re f EMC");
    page::document(&mut File::default(), &[page], "/MarkInfo << /Marked true >> /Lang (en)")
}
