//! Pages with text and pictures, and the document around them.

use super::file::File;
use super::font;

/// A4 in points.
const PAGE: &str = "[0 0 595 842]";

/// Which font a page names.
#[derive(Debug, Clone, Default)]
enum Font {
    #[default]
    Embedded,
    Standard(&'static str),
}

/// One page under construction.
#[derive(Debug, Clone, Default)]
pub(crate) struct Page {
    font: Font,
    content: String,
    next_line: i32,
    pictures: Vec<(Picture, [f32; 4])>,
    annotations: Vec<usize>,
    resources: String,
}

impl Page {
    /// A page with a heading.
    pub(crate) fn titled(title: &str) -> Self {
        let mut page = Self { next_line: 770, ..Self::default() };
        page.line(title, 18);
        page.next_line -= 24;
        page
    }

    fn line(&mut self, text: &str, size: u32) {
        let escaped = text.replace('\\', "\\\\").replace('(', "\\(").replace(')', "\\)");
        let y = self.next_line;
        self.content.push_str(&format!("BT /F1 {size} Tf 72 {y} Td ({escaped}) Tj ET\n"));
        self.next_line -= 20;
    }

    /// Lines of text below what is there.
    pub(crate) fn paragraph(&mut self, lines: &[&str]) {
        for line in lines {
            self.line(line, 11);
        }
    }

    /// Content stream operators.
    pub(crate) fn draw(&mut self, operators: &str) {
        self.content.push_str(operators);
        self.content.push('\n');
    }

    /// Further entries of the resource dictionary.
    pub(crate) fn resources(&mut self, entries: &str) {
        self.resources.push_str(entries);
    }

    /// A picture at left, bottom, width, height.
    pub(crate) fn picture(&mut self, picture: Picture, place: [f32; 4]) {
        self.pictures.push((picture, place));
    }

    /// An annotation, by its object number.
    pub(crate) fn annotate(&mut self, object: usize) {
        self.annotations.push(object);
    }

    /// Uses the embedded font.
    pub(crate) fn with_embedded_font(mut self) -> Self {
        self.font = Font::Embedded;
        self
    }

    /// Uses a font by name only.
    pub(crate) fn with_standard_font(mut self, name: &'static str) -> Self {
        self.font = Font::Standard(name);
        self
    }

    fn write(&self, file: &mut File, parent: usize, fonts: &mut Fonts) -> usize {
        let font = match self.font {
            Font::Embedded => fonts.embedded(file),
            Font::Standard(name) => file.add(format!(
                "<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>"
            )),
        };
        let mut content = self.content.clone();
        let mut images = String::new();
        for (index, (picture, [left, bottom, width, height])) in self.pictures.iter().enumerate() {
            let number = picture.write(file);
            images.push_str(&format!("/Im{index} {number} 0 R "));
            content
                .push_str(&format!("q {width} 0 0 {height} {left} {bottom} cm /Im{index} Do Q\n"));
        }
        let content = file.packed("", content.as_bytes());
        let annotations: String =
            self.annotations.iter().map(|number| format!("{number} 0 R ")).collect();
        file.add(format!(
            "<< /Type /Page /Parent {parent} 0 R /MediaBox {PAGE} /Contents {content} 0 R \
             /Resources << /Font << /F1 {font} 0 R >> /XObject << {images}>> {} >> \
             /Annots [{annotations}] >>",
            self.resources
        ))
    }
}

/// Fonts that several pages share.
#[derive(Default)]
struct Fonts {
    embedded: Option<usize>,
}

impl Fonts {
    fn embedded(&mut self, file: &mut File) -> usize {
        *self.embedded.get_or_insert_with(|| embed_font(file))
    }
}

fn embed_font(file: &mut File) -> usize {
    let program = font::truetype();
    let name = font::NAME;
    let stream = file.packed(&format!("/Length1 {}", program.len()), &program);
    let descriptor = file.add(format!(
        "<< /Type /FontDescriptor /FontName /{name} /Flags 33 /FontBBox [0 -200 600 800] \
         /ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 700 /StemV 100 \
         /FontFile2 {stream} 0 R >>"
    ));
    let widths = vec![font::ADVANCE.to_string(); 95].join(" ");
    file.add(format!(
        "<< /Type /Font /Subtype /TrueType /BaseFont /{name} /FirstChar 32 /LastChar 126 \
         /Widths [{widths}] /Encoding /WinAnsiEncoding /FontDescriptor {descriptor} 0 R >>"
    ))
}

/// Writes pages and a catalog with further `entries`, and finishes the file.
pub(crate) fn document(file: &mut File, pages: &[Page], entries: &str) -> Vec<u8> {
    let parent = file.reserve();
    let mut fonts = Fonts::default();
    let kids: Vec<String> =
        pages.iter().map(|page| format!("{} 0 R", page.write(file, parent, &mut fonts))).collect();
    let tree = format!("<< /Type /Pages /Count {} /Kids [{}] >>", kids.len(), kids.join(" "));
    file.set(parent, tree);
    let root = file.add(format!("<< /Type /Catalog /Pages {parent} 0 R {entries} >>"));
    file.finish(root)
}

/// A picture in red, green and blue.
#[derive(Debug, Clone)]
pub(crate) struct Picture {
    width: u32,
    height: u32,
    pixels: Vec<u8>,
    packed: bool,
}

impl Picture {
    /// Hills under a sky, with the grain of a photograph.
    pub(crate) fn landscape(width: u32, height: u32, seed: u64) -> Self {
        let mut noise = Noise::new(seed);
        let shift = noise.next_unit() * 6.0;
        let columns: Vec<Column> =
            (0..width).map(|x| Column::at(f64::from(x) / f64::from(width), shift)).collect();
        let mut pixels = Vec::with_capacity((width * height * 3) as usize);
        for y in 0..height {
            let down = f64::from(y) / f64::from(height);
            let (sine, cosine) = (down * 17.0).sin_cos();
            for column in &columns {
                let light = 20.0 * (column.sine * cosine + column.cosine * sine);
                let [red, green, blue] = column.colour(down, light);
                let grain = noise.next_unit() * 12.0 - 6.0;
                pixels.extend([red, green, blue].map(|channel| (channel + grain) as u8));
            }
        }
        Self { width, height, pixels, packed: true }
    }

    /// Stores the pixels as they are.
    pub(crate) fn unpacked(mut self) -> Self {
        self.packed = false;
        self
    }

    fn write(&self, file: &mut File) -> usize {
        let entries = format!(
            "/Type /XObject /Subtype /Image /Width {} /Height {} /ColorSpace /DeviceRGB \
             /BitsPerComponent 8",
            self.width, self.height
        );
        if self.packed {
            file.packed(&entries, &self.pixels)
        } else {
            file.stream(&entries, &self.pixels)
        }
    }
}

/// What is the same for all pixels of one column of a landscape.
struct Column {
    /// Where the far and the near hills begin, from the top.
    far: f64,
    near: f64,
    /// The phase of the light.
    sine: f64,
    cosine: f64,
}

impl Column {
    fn at(across: f64, shift: f64) -> Self {
        let far = 0.45 + 0.08 * (across * 7.0 + shift).sin() + 0.03 * (across * 19.0 + shift).sin();
        let near = 0.70 + 0.10 * (across * 4.0 - shift).sin();
        let (sine, cosine) = (across * 31.0 + shift).sin_cos();
        Self { far, near, sine, cosine }
    }

    /// Red, green and blue, each 10 to 240.
    fn colour(&self, down: f64, light: f64) -> [f64; 3] {
        if down < self.far {
            [120.0 + 90.0 * down, 160.0 + 60.0 * down, 230.0 - 40.0 * down]
        } else if down < self.near {
            [90.0 + light * 0.3, 110.0 + light * 0.3, 120.0]
        } else {
            [70.0 + light, 120.0 + light, 50.0 + light * 0.5]
        }
    }
}

/// A small generator for grain; nothing secret hangs on it.
#[derive(Debug)]
struct Noise(u64);

impl Noise {
    fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d)
    }

    /// A number from 0 up to 1.
    fn next_unit(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}
