//! Ghostscript as the converter: a separate program, called for each document.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::program::{self, NotRan, Ran};

/// Where distributions put an sRGB profile for the output intent.
const PROFILES: [&str; 8] = [
    "/usr/share/color/icc/ghostscript/srgb.icc",
    "/usr/share/color/icc/ghostscript/default_rgb.icc",
    "/usr/share/color/icc/sRGB.icc",
    "/usr/share/color/icc/colord/sRGB.icc",
    "/usr/share/color/icc/OpenICC/sRGB.icc",
    "/usr/local/share/color/icc/ghostscript/srgb.icc",
    "/opt/homebrew/share/color/icc/ghostscript/srgb.icc",
    "/Library/ColorSync/Profiles/sRGB Profile.icc",
];

/// Folders that hold one folder per Ghostscript version with `iccprofiles/srgb.icc` in it.
const VERSIONED: [&str; 3] =
    ["/usr/share/ghostscript", "/usr/local/share/ghostscript", "/opt/homebrew/share/ghostscript"];

/// An installed Ghostscript and what it needs.
#[derive(Debug, Clone)]
pub(crate) struct Ghostscript {
    program: PathBuf,
    version: String,
    profile: PathBuf,
}

/// How strict a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Stops at the first error in the document.
    Strict,
    /// Goes on where it can.
    Lenient,
}

/// What came of a run.
#[derive(Debug)]
pub(crate) enum Ended {
    /// It says it is done. Whether that is so has to be checked.
    Finished,
    /// It reported an error in the document.
    Refused(String),
    /// It could not be run to its end.
    Failed(String),
}

impl Ghostscript {
    /// Looks for Ghostscript and a profile; the error says what is missing.
    pub(crate) fn discover(given: Option<&Path>) -> Result<Self, String> {
        let program = match given {
            Some(path) => path.to_owned(),
            None => program::find("gs")
                .ok_or_else(|| "Ghostscript (program gs) is not installed".to_owned())?,
        };
        let output = std::process::Command::new(&program)
            .arg("--version")
            .stdin(std::process::Stdio::null())
            .output()
            .map_err(|error| format!("{} could not be run: {error}", program.display()))?;
        let version = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        if !output.status.success() || !version.starts_with(|first: char| first.is_ascii_digit()) {
            return Err(format!("{} --version does not name a version", program.display()));
        }
        let profile = profiles()
            .into_iter()
            .find(|path| path.is_file())
            .ok_or_else(|| "no sRGB profile was found for the PDF/A output intent".to_owned())?;
        Ok(Self { program, version, profile })
    }

    /// Name and version, as shown.
    pub(crate) fn name(&self) -> String {
        format!("ghostscript {}", self.version)
    }

    /// Converts `folder/in.pdf` to `folder/out.pdf`.
    pub(crate) async fn convert(&self, folder: &Path, mode: Mode, limit: Duration) -> Ended {
        let definition = folder.join("pdfa_def.ps");
        if let Err(error) = std::fs::write(&definition, self.definition()) {
            return Ended::Failed(format!("cannot write {}: {error}", definition.display()));
        }
        match program::run(&self.program, self.arguments(mode), folder, limit).await {
            Ok(ran) => judge(&ran),
            Err(error @ (NotRan::TimedOut(_) | NotRan::Failed(_))) => {
                Ended::Failed(format!("the converter {error}"))
            }
        }
    }

    fn arguments(&self, mode: Mode) -> Vec<String> {
        let mut arguments: Vec<String> = [
            "-q",
            "-dPDFA=2",
            "-dBATCH",
            "-dNOPAUSE",
            "-dSAFER",
            "-sDEVICE=pdfwrite",
            "-sColorConversionStrategy=RGB",
            "-dPDFACompatibilityPolicy=1",
            "-dAutoRotatePages=/None",
        ]
        .map(str::to_owned)
        .into();
        if mode == Mode::Strict {
            arguments.push("-dPDFSTOPONERROR".to_owned());
        }
        arguments.push(format!("--permit-file-read={}", self.profile.display()));
        arguments.extend(["-sOutputFile=out.pdf", "pdfa_def.ps", "in.pdf"].map(str::to_owned));
        arguments
    }

    /// The PostScript that adds the output intent of PDF/A (ISO 19005-2 section 6.2.3).
    fn definition(&self) -> String {
        let profile = postscript_string(&self.profile.display().to_string());
        format!(
            "%!\n\
             [/_objdef {{profile}} /type /stream /OBJ pdfmark\n\
             [{{profile}} << /N 3 >> /PUT pdfmark\n\
             [{{profile}} {profile} (r) file /PUT pdfmark\n\
             [/_objdef {{intent}} /type /dict /OBJ pdfmark\n\
             [{{intent}} << /Type /OutputIntent /S /GTS_PDFA1 /DestOutputProfile {{profile}} \
             /OutputConditionIdentifier (sRGB) >> /PUT pdfmark\n\
             [{{Catalog}} << /OutputIntents [ {{intent}} ] >> /PUT pdfmark\n"
        )
    }
}

fn profiles() -> Vec<PathBuf> {
    let mut candidates: Vec<PathBuf> = PROFILES.iter().map(PathBuf::from).collect();
    for parent in VERSIONED {
        let Ok(folders) = std::fs::read_dir(parent) else { continue };
        for folder in folders.flatten() {
            candidates.push(folder.path().join("iccprofiles/srgb.icc"));
        }
    }
    candidates
}

fn postscript_string(text: &str) -> String {
    let mut out = String::from("(");
    for character in text.chars() {
        if matches!(character, '(' | ')' | '\\') {
            out.push('\\');
        }
        out.push(character);
    }
    out.push(')');
    out
}

/// The exit code alone proves nothing: Ghostscript ends with 0 after errors that cost a page its
/// content. Its words are read too, and the caller compares the files.
fn judge(ran: &Ran) -> Ended {
    let complaint = ran.output.lines().map(str::trim).find(|line| is_error(line));
    match (complaint, ran.code) {
        (Some(line), _) => Ended::Refused(line.chars().take(200).collect()),
        (None, Some(0)) => Ended::Finished,
        (None, Some(code)) => Ended::Refused(format!("the converter ended with code {code}")),
        (None, None) => Ended::Failed("the converter was ended by a signal".to_owned()),
    }
}

fn is_error(line: &str) -> bool {
    let line = line.trim_start_matches(['*', ' ']);
    line.starts_with("Error")
        || line.starts_with("Couldn't initialise file")
        || line.starts_with("This file requires a password")
        || line.contains("Unrecoverable error")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(code: Option<i32>, output: &str) -> Ended {
        judge(&Ran { code, output: output.to_owned() })
    }

    #[test]
    fn words_count_more_than_the_exit_code() {
        assert!(matches!(ended(Some(0), "Loading font\n"), Ended::Finished));
        for bad in [
            "Error: /undefined in --runpdf--",
            "   **** Error: page is broken",
            "x\nCouldn't initialise file.\n",
            "GPL Ghostscript 10.00.0: Unrecoverable error, exit code 1",
        ] {
            assert!(matches!(ended(Some(0), bad), Ended::Refused(_)), "{bad}");
        }
        assert!(matches!(ended(Some(1), ""), Ended::Refused(_)));
        assert!(matches!(ended(None, ""), Ended::Failed(_)));
    }

    #[test]
    fn paths_are_quoted_for_postscript() {
        assert_eq!(postscript_string(r"a(b)\c"), r"(a\(b\)\\c)");
    }
}
