//! Whether two PDF files look alike: both are rendered by an installed program and compared pixel
//! by pixel. At most [`MAX_PAGES`] pages from the front are rendered; pages behind them are not
//! judged.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::program;

/// Pages that are rendered.
pub(crate) const MAX_PAGES: usize = 20;
/// Resolution, in dots per inch.
pub(crate) const DPI: u32 = 50;
/// Pages with a side longer than this, in points, are rendered to a fixed size instead.
const HUGE_PAGE: f64 = 2000.0;
const HUGE_PAGE_PIXELS: u32 = 1400;
/// Difference of one colour channel from which a pixel counts as different, of 255.
const CHANNEL_LIMIT: u8 = 48;
/// A page whose channels all stay within this range is blank.
const BLANK_RANGE: u8 = 16;

/// An installed renderer.
#[derive(Debug, Clone)]
pub(crate) struct Renderer {
    program: PathBuf,
    version: String,
}

/// What the comparison of two files found.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Comparison {
    /// Pages that were compared.
    pub(crate) pages: usize,
    /// Greatest share of differing pixels of any page, 0 to 1.
    pub(crate) worst_share: f64,
    /// Whether some page changed its size.
    pub(crate) size_changed: bool,
    /// Pages that show something before and nothing after, from 1.
    pub(crate) blanked: Vec<usize>,
}

impl Renderer {
    /// Looks for `pdftoppm`.
    pub(crate) fn discover() -> Option<Self> {
        let program = program::find("pdftoppm")?;
        let output = std::process::Command::new(&program)
            .arg("-v")
            .stdin(std::process::Stdio::null())
            .output()
            .ok()?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let version = said.lines().next()?.strip_prefix("pdftoppm version ")?.trim().to_owned();
        Some(Self { program, version })
    }

    /// Name and version, as shown.
    pub(crate) fn name(&self) -> String {
        format!("pdftoppm {}", self.version)
    }

    /// Whether `folder/in.pdf` is drawn without a complaint: the word of a second program about a
    /// document that the converter refuses. Only the first [`MAX_PAGES`] pages are drawn.
    pub(crate) async fn finds_sound(
        &self,
        folder: &Path,
        longest_side: f64,
        limit: Duration,
    ) -> bool {
        let arguments = arguments("in.pdf", "sound", longest_side);
        match program::run(&self.program, arguments, folder, limit).await {
            Ok(ran) => ran.code == Some(0) && ran.output.trim().is_empty(),
            Err(_) => false,
        }
    }

    /// Compares `folder/in.pdf` with `folder/out.pdf`. The error says why they could not be
    /// compared, which is no word against the conversion.
    pub(crate) async fn compare(
        &self,
        folder: &Path,
        longest_side: f64,
        limit: Duration,
    ) -> Result<Comparison, String> {
        let before = self.render(folder, "in.pdf", "before", longest_side, limit).await?;
        let after = self.render(folder, "out.pdf", "after", longest_side, limit).await?;
        let compared = tokio::task::spawn_blocking(move || compare_files(&before, &after));
        compared.await.map_err(|_| "comparing the pages failed".to_owned())?
    }

    async fn render(
        &self,
        folder: &Path,
        file: &str,
        prefix: &str,
        longest_side: f64,
        limit: Duration,
    ) -> Result<Vec<PathBuf>, String> {
        let arguments = arguments(file, prefix, longest_side);
        let ran = program::run(&self.program, arguments, folder, limit)
            .await
            .map_err(|error| format!("rendering {file}: the renderer {error}"))?;
        if ran.code != Some(0) {
            return Err(format!("rendering {file}: the renderer ended with {:?}", ran.code));
        }
        let mut pages: Vec<PathBuf> = std::fs::read_dir(folder)
            .map_err(|error| error.to_string())?
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| {
                let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
                name.is_some_and(|name| name.starts_with(prefix) && name.ends_with(".ppm"))
            })
            .collect();
        // page numbers are padded to the same width
        pages.sort();
        Ok(pages)
    }
}

fn arguments(file: &str, prefix: &str, longest_side: f64) -> Vec<String> {
    let (kind, size) =
        if longest_side > HUGE_PAGE { ("-scale-to", HUGE_PAGE_PIXELS) } else { ("-r", DPI) };
    [kind, &size.to_string(), "-l", &MAX_PAGES.to_string(), file, prefix].map(str::to_owned).into()
}

fn compare_files(before: &[PathBuf], after: &[PathBuf]) -> Result<Comparison, String> {
    if before.is_empty() || before.len() != after.len() {
        return Err(format!("{} pages were rendered before, {} after", before.len(), after.len()));
    }
    let mut comparison = Comparison::default();
    for (number, (before, after)) in (1..).zip(before.iter().zip(after)) {
        let read = |path: &PathBuf| {
            let bytes = std::fs::read(path).map_err(|error| error.to_string())?;
            Image::parse(bytes).ok_or_else(|| "a rendered page is not a pixel map".to_owned())
        };
        let (before, after) = (read(before)?, read(after)?);
        comparison.pages += 1;
        comparison.size_changed |= before.differs_in_size(&after);
        comparison.worst_share = comparison.worst_share.max(before.share_of_difference(&after));
        if after.is_blank() && !before.is_blank() {
            comparison.blanked.push(number);
        }
    }
    Ok(comparison)
}

/// A picture of 8 bits per channel, red, green, blue.
#[derive(Debug)]
struct Image {
    width: usize,
    height: usize,
    pixels: Vec<u8>,
}

impl Image {
    /// Reads a binary portable pixel map (`P6`).
    fn parse(bytes: Vec<u8>) -> Option<Self> {
        let mut fields = Vec::new();
        let mut at = 0;
        while fields.len() < 4 {
            let rest = bytes.get(at..)?;
            let start = rest.iter().position(|byte| !byte.is_ascii_whitespace())?;
            let word = rest.get(start..)?;
            let length = word.iter().position(u8::is_ascii_whitespace)?;
            fields.push(std::str::from_utf8(word.get(..length)?).ok()?.to_owned());
            at += start + length;
        }
        let number = |index: usize| fields.get(index)?.parse::<usize>().ok();
        let (width, height) = (number(1)?, number(2)?);
        if fields.first()? != "P6" || number(3)? != 255 {
            return None;
        }
        let pixels = bytes.get(at + 1..)?.to_vec();
        (pixels.len() == width.checked_mul(height)?.checked_mul(3)?).then_some(Self {
            width,
            height,
            pixels,
        })
    }

    /// One pixel more or less is rounding.
    fn differs_in_size(&self, other: &Self) -> bool {
        self.width.abs_diff(other.width) > 1 || self.height.abs_diff(other.height) > 1
    }

    fn share_of_difference(&self, other: &Self) -> f64 {
        let width = self.width.min(other.width);
        let height = self.height.min(other.height);
        if width == 0 || height == 0 {
            return 0.0;
        }
        let mut different = 0_usize;
        let rows = self.rows().zip(other.rows()).take(height);
        for (row, other_row) in rows {
            let pairs = row.chunks_exact(3).zip(other_row.chunks_exact(3)).take(width);
            different += pairs
                .filter(|(one, two)| {
                    one.iter().zip(two.iter()).any(|(a, b)| a.abs_diff(*b) > CHANNEL_LIMIT)
                })
                .count();
        }
        different as f64 / (width * height) as f64
    }

    fn rows(&self) -> impl Iterator<Item = &[u8]> {
        self.pixels.chunks_exact(self.width.max(1) * 3)
    }

    fn is_blank(&self) -> bool {
        (0..3).all(|channel| {
            let values = || self.pixels.iter().skip(channel).step_by(3);
            let low = values().min().copied().unwrap_or_default();
            let high = values().max().copied().unwrap_or_default();
            high - low <= BLANK_RANGE
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(width: usize, height: usize, fill: impl Fn(usize) -> u8) -> Image {
        let mut bytes = format!("P6\n{width} {height}\n255\n").into_bytes();
        bytes.extend((0..width * height).flat_map(|pixel| [fill(pixel); 3]));
        Image::parse(bytes).unwrap()
    }

    #[test]
    fn counts_differing_pixels() {
        let white = image(10, 10, |_| 255);
        let dotted = image(10, 10, |pixel| if pixel < 3 { 0 } else { 255 });
        let pale = image(10, 10, |pixel| if pixel < 3 { 255 - CHANNEL_LIMIT } else { 255 });
        assert_eq!(white.share_of_difference(&dotted), 0.03);
        assert_eq!(white.share_of_difference(&pale), 0.0);
        assert!(white.is_blank() && !dotted.is_blank() && !pale.is_blank());
        assert!(!white.differs_in_size(&image(11, 9, |_| 255)));
        assert!(white.differs_in_size(&image(12, 10, |_| 255)));
    }

    #[test]
    fn refuses_what_is_not_a_pixel_map() {
        for bad in ["", "P5\n1 1\n255\n1", "P6\n2 2\n255\nabc", "P6\n1 1\n65535\nabcdef", "P6 9"] {
            assert!(Image::parse(bad.as_bytes().to_vec()).is_none(), "{bad}");
        }
    }
}
