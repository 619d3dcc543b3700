//! Samples for the rarer findings, one for each.

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
            "<< /Type /Annot /Subtype /Stamp /Rect [100 400 400 600] /F 0 \
             /AP << /N {appearance} 0 R >> >>"
        ),
    );
    page::document(&mut file, &[page], "")
}

fn metadata() -> Vec<u8> {
    const PACKET: &str = "<?xpacket begin=\"\u{feff}\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>\n\
        <x:xmpmeta xmlns:x=\"adobe:ns:meta/\">\
        <rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">\
        <rdf:Description rdf:about=\"\" xmlns:case=\"http://example.com/ns/case/1.0/\">\
        <case:number>4711</case:number></rdf:Description></rdf:RDF></x:xmpmeta>\n\
        <?xpacket end=\"w\"?>";
    let mut file = File::default();
    let mut page = Page::titled("Case 4711").with_embedded_font();
    page.paragraph(&["The case number stands in the metadata too."]);
    let packet = file.stream("/Type /Metadata /Subtype /XML", PACKET.as_bytes());
    page::document(&mut file, &[page], &format!("/Metadata {packet} 0 R"))
}

fn colorants() -> Vec<u8> {
    let mut file = File::default();
    let mut space = |full: &str| {
        file.add(format!(
            "[/Separation /House#20Blue /DeviceRGB \
             << /FunctionType 2 /Domain [0 1] /C0 [1 1 1] /C1 [{full}] /N 1 >>]"
        ))
    };
    let (light, dark) = (space("0.2 0.4 0.9"), space("0 0.1 0.5"));
    let mut page = Page::titled("Two blues of one name").with_embedded_font();
    page.resources(&format!("/ColorSpace << /Light {light} 0 R /Dark {dark} 0 R >>"));
    page.draw("/Light cs 1 scn 100 500 150 100 re f /Dark cs 1 scn 300 500 150 100 re f");
    page::document(&mut file, &[page], "")
}
