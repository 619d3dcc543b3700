//! PDF files that look like life, made in code: for demonstrations and tests.
//!
//! The same seed gives the same bytes. All names and numbers in them are invented.

mod extra;
mod file;
mod font;
mod glyphs;
mod page;

use self::file::File;
use self::page::{Page, Picture};
use crate::{ConversionError, ConversionWarning};

pub use self::extra::{each_warning, near_misses};

/// Length of the longest document a conversion takes: 5,000,000 characters of base64.
pub const LARGEST: usize = 3_750_000;

/// A PDF file and what its conversion is expected to say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    /// File name.
    pub name: &'static str,
    /// What it is, in a few words.
    pub title: &'static str,
    /// The file.
    pub bytes: Vec<u8>,
    /// What a conversion without `allowSigned` says.
    pub expectation: Expectation,
}

/// What a conversion is expected to say, with Ghostscript 10 as the converter.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Expectation {
    /// The errors; empty when the document is converted.
    pub errors: Vec<ConversionError>,
    /// The warnings.
    pub warnings: Vec<ConversionWarning>,
}

impl Expectation {
    /// Whether the document is converted.
    pub fn is_converted(&self) -> bool {
        self.errors.is_empty()
    }

    fn clean() -> Self {
        Self::default()
    }

    fn warned(warnings: &[ConversionWarning]) -> Self {
        Self { errors: Vec::new(), warnings: warnings.to_vec() }
    }

    fn refused(error: ConversionError) -> Self {
        Self { errors: vec![error], warnings: Vec::new() }
    }
}

/// All samples of a demonstration, in a fixed order.
pub fn all(seed: u64) -> Vec<Sample> {
    vec![
        sample("loan-agreement.pdf", "text, embedded font", loan_agreement(), Expectation::clean()),
        sample("photographs.pdf", "two photographs", photographs(seed), Expectation::clean()),
        sample("largest.pdf", "3,750,000 bytes, the limit", largest(seed), Expectation::clean()),
        sample(
            "standard-font.pdf",
            "text, font not embedded",
            standard_font(),
            Expectation::warned(&[ConversionWarning::FontSubst]),
        ),
        sample(
            "application-form.pdf",
            "form with a script, tagged",
            form(),
            Expectation::warned(&[
                ConversionWarning::ActionRemoved,
                ConversionWarning::StructureRemoved,
            ]),
        ),
        sample(
            "already-signed.pdf",
            "carries a signature",
            signed(),
            Expectation::refused(ConversionError::DocSigned),
        ),
        sample(
            "with-attachment.pdf",
            "carries an embedded file",
            with_attachment(),
            Expectation::refused(ConversionError::EfRemoved),
        ),
        sample(
            "corrupt.pdf",
            "cut off and overwritten",
            corrupt(),
            Expectation::refused(ConversionError::Corrupt),
        ),
    ]
}

fn sample(
    name: &'static str,
    title: &'static str,
    bytes: Vec<u8>,
    expectation: Expectation,
) -> Sample {
    Sample { name, title, bytes, expectation }
}

/// Two pages of text in an embedded font.
pub fn loan_agreement() -> Vec<u8> {
    let mut file = File::default();
    let mut first = Page::titled("Loan agreement 4711");
    first.paragraph(&[
        "Between Example Bank (the lender) and the borrower named below.",
        "1. The lender lends the borrower 250 000 kroner.",
        "2. The loan runs for 60 months from 2025-01-01.",
        "3. Interest is 4.85 % a year, effective 5.11 %.",
        "4. The borrower pays 4 698 kroner on the 15th of each month.",
        "5. Early repayment is possible at any time without a fee.",
    ]);
    let mut second = Page::titled("Signatures");
    second.paragraph(&["Lender: Example Bank", "Borrower: Kari Example", "Place: Exampletown"]);
    let pages = [first, second].map(|page| page.with_embedded_font());
    page::document(&mut file, &pages, "")
}

/// A page with two photographs.
pub fn photographs(seed: u64) -> Vec<u8> {
    let mut file = File::default();
    let mut page = Page::titled("Damage report: two photographs").with_embedded_font();
    page.picture(Picture::landscape(640, 480, seed), [72.0, 400.0, 320.0, 240.0]);
    page.picture(Picture::landscape(480, 640, seed ^ 1), [72.0, 100.0, 210.0, 280.0]);
    page::document(&mut file, &[page], "")
}

/// A document of exactly [`LARGEST`] bytes: scanned pages.
pub fn largest(seed: u64) -> Vec<u8> {
    let mut file = File::default();
    // three scans of 1.2 million bytes each, stored as they are
    let pages: Vec<Page> = (0..3)
        .map(|number| {
            let title = format!("Scan {} of 3", number + 1);
            let mut page = Page::titled(&title).with_embedded_font();
            let scan = Picture::landscape(560, 720, seed ^ (16 + number)).unpacked();
            page.picture(scan, [56.0, 60.0, 480.0, 617.0]);
            page
        })
        .collect();
    file.pad_to(LARGEST);
    page::document(&mut file, &pages, "")
}

/// White pages.
pub fn blank(pages: usize) -> Vec<u8> {
    page::document(&mut File::default(), &vec![Page::default(); pages], "")
}

/// A page in Helvetica, which is not embedded.
pub fn standard_font() -> Vec<u8> {
    let mut file = File::default();
    let mut page = Page::titled("Terms and conditions");
    page.paragraph(&["This text names a font", "without bringing it along."]);
    page::document(&mut file, &[page.with_standard_font("Helvetica")], "")
}

/// A tagged form with a text field and a script.
pub fn form() -> Vec<u8> {
    let mut file = File::default();
    let field = file.reserve();
    let mut page = Page::titled("Application form").with_embedded_font();
    page.paragraph(&["Please fill in your name."]);
    page.annotate(field);
    let appearance = file.stream(
        "/Type /XObject /Subtype /Form /BBox [0 0 200 20]",
        b"0.9 0.9 1 rg 0 0 200 20 re f",
    );
    file.set(
        field,
        format!(
            "<< /Type /Annot /Subtype /Widget /FT /Tx /T (name) /V () /Rect [72 600 272 620] /F 4 \
             /AP << /N {appearance} 0 R >> >>"
        ),
    );
    let script = file.add("<< /S /JavaScript /JS (app.alert\\(1\\);) >>");
    let structure = file.add("<< /Type /StructTreeRoot >>");
    let entries = format!(
        "/AcroForm << /Fields [{field} 0 R] >> /OpenAction {script} 0 R \
         /StructTreeRoot {structure} 0 R /MarkInfo << /Marked true >> /Lang (en)"
    );
    page::document(&mut file, &[page], &entries)
}

/// A document with a signature: a signature field, a byte range that covers the file around a
/// placeholder, and a CMS container without content in it. It is a signature by its structure only;
/// nobody signed.
pub fn signed() -> Vec<u8> {
    const RANGE: &str = "[0 0000000000 0000000000 0000000000]";
    const ROOM: usize = 2048;
    let mut file = File::default();
    let field = file.reserve();
    let mut page = Page::titled("Signed statement").with_embedded_font();
    page.paragraph(&["This document was signed before."]);
    page.annotate(field);
    // ContentInfo { signedData, [0] SEQUENCE {} }
    let container = "300f06092a864886f70d010702a0023000";
    let contents = format!("{container}{}", "0".repeat(ROOM - container.len()));
    let signature = file.add(format!(
        "<< /Type /Sig /Filter /Adobe.PPKLite /SubFilter /ETSI.CAdES.detached \
         /M (D:20250101120000Z) /ByteRange {RANGE} /Contents <{contents}> >>"
    ));
    file.set(
        field,
        format!(
            "<< /Type /Annot /Subtype /Widget /FT /Sig /T (Signature1) /V {signature} 0 R \
             /Rect [0 0 0 0] /F 132 >>"
        ),
    );
    let entries = format!("/AcroForm << /Fields [{field} 0 R] /SigFlags 3 >>");
    let mut bytes = page::document(&mut file, &[page], &entries);
    let find = |needle: &[u8]| bytes.windows(needle.len()).position(|window| window == needle);
    let (range_at, contents_at) = (find(RANGE.as_bytes()), find(b"/Contents <30"));
    if let (Some(range_at), Some(contents_at)) = (range_at, contents_at) {
        let start = contents_at + b"/Contents ".len();
        let end = start + ROOM + 2;
        let range = format!("[0 {start:010} {end:010} {:010}]", bytes.len() - end);
        if let Some(place) = bytes.get_mut(range_at..range_at + RANGE.len()) {
            place.copy_from_slice(range.as_bytes());
        }
    }
    bytes
}

/// A document with an embedded file.
pub fn with_attachment() -> Vec<u8> {
    let mut file = File::default();
    let mut page = Page::titled("Invoice").with_embedded_font();
    page.paragraph(&["The figures are attached."]);
    let data = file.packed("/Type /EmbeddedFile /Subtype /text#2Fcsv", b"item,price\nloan,4698\n");
    let spec = file.add(format!(
        "<< /Type /Filespec /F (figures.csv) /UF (figures.csv) /EF << /F {data} 0 R >> >>"
    ));
    let entries = format!("/Names << /EmbeddedFiles << /Names [(figures.csv) {spec} 0 R] >> >>");
    page::document(&mut file, &[page], &entries)
}

/// A document that was cut off and overwritten, so that no page can be found.
pub fn corrupt() -> Vec<u8> {
    let mut bytes = loan_agreement();
    bytes.truncate(bytes.len() / 2);
    for (index, byte) in bytes.iter_mut().enumerate().skip(16) {
        *byte = byte.rotate_left(3) ^ (index % 251) as u8;
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pdf::Pdf;

    #[test]
    fn samples_repeat_and_have_the_promised_size() {
        let samples = all(1);
        assert_eq!(samples, all(1));
        assert_ne!(samples, all(2));
        let largest = &samples[2];
        assert_eq!(largest.bytes.len(), LARGEST);
        for sample in &samples {
            assert!(sample.bytes.len() <= LARGEST, "{}", sample.name);
            assert!(sample.bytes.starts_with(b"%PDF-1.7\n"), "{}", sample.name);
        }
    }

    #[test]
    fn all_but_the_corrupt_one_can_be_read() {
        for sample in all(1).into_iter().chain(each_warning()).chain(near_misses()) {
            let pages =
                Pdf::read(&sample.bytes.clone().into()).map(|pdf| pdf.pages().len()).unwrap_or(0);
            assert_eq!(pages == 0, sample.name == "corrupt.pdf", "{}", sample.name);
        }
    }

    #[test]
    fn the_byte_range_leaves_out_exactly_the_container() {
        let bytes = signed();
        let text = String::from_utf8_lossy(&bytes);
        let at = text.find("/ByteRange [").unwrap() + 12;
        let numbers: Vec<usize> = text[at..]
            .split(']')
            .next()
            .unwrap()
            .split_whitespace()
            .map(|number| number.parse().unwrap())
            .collect();
        // indices of lossy text and bytes differ after the binary comment
        assert_eq!(numbers[0], 0);
        assert_eq!(bytes[numbers[1]], b'<');
        assert_eq!(bytes[numbers[2] - 1], b'>');
        assert_eq!(numbers[2] + numbers[3], bytes.len());
    }
}
