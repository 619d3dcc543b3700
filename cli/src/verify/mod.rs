//! `signdoc verify`: is what came back what was sent, signed by whom it was expected, and nothing
//! else?

mod options;
mod sdo;
mod show;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::ArgMatches;
use serde_json::{Value, json};
use signdoc::{Error, Result};
use signdoc_signature::pdf::{SharedSource, copy_range};
use signdoc_signature::sdo::MAX_SIZE;
use signdoc_signature::verify::{self, VerifyOptions, VerifyReport};

use crate::inputs::{self, Input};
use crate::screen::Screen;
use crate::{Interrupted, call, exit, report};
use sdo::SdoVerdict;

pub(crate) use options::args;

/// What was found about one file.
enum Found {
    Pdf(Box<VerifyReport>),
    Sdo(Box<SdoVerdict>),
}

/// A file with what was found, or why it could not be looked at.
struct Seen {
    input: Input,
    found: Result<Found>,
}

pub(crate) fn run(matches: &ArgMatches, screen: &mut Screen, interrupted: Interrupted<'_>) -> i32 {
    let as_json = matches.get_flag("json");
    let all = match verified(matches, interrupted) {
        Ok(all) => all,
        Err(error) => return report::failed(&error, as_json, screen),
    };
    let status = status(&all);
    if as_json {
        let results: Vec<_> = all.iter().map(Seen::to_json).collect();
        let ok = status == exit::OK;
        let document = json!({"ok": ok, "results": results, "error": null, "exit_status": status});
        screen.line(&format!("{document:#}"));
    } else {
        show::all(&all, matches.contains_id("trust"), screen);
    }
    status
}

fn verified(matches: &ArgMatches, interrupted: Interrupted<'_>) -> Result<Vec<Seen>> {
    let options = Arc::new(options::read(matches)?);
    let named = matches.get_many::<PathBuf>("files").into_iter().flatten();
    let inputs: Vec<_> = named.cloned().map(Input::new).collect();
    if matches.get_flag("serial") {
        return call::work(interrupted, move || serial(inputs, &options))?;
    }
    let mut all = Vec::new();
    for input in inputs {
        let (path, options) = (input.path.clone(), options.clone());
        let found = call::work(interrupted, move || one(&path, &options))?;
        all.push(Seen { input, found });
    }
    Ok(all)
}

fn one(path: &Path, options: &VerifyOptions) -> Result<Found> {
    let source = inputs::open(path)?;
    if is_xml(&source) {
        if source.len() > MAX_SIZE as u64 {
            return Ok(Found::Sdo(Box::new(SdoVerdict::too_large(source.len()))));
        }
        let bytes = std::fs::read(path).map_err(|error| inputs::unreadable(path, &error))?;
        return Ok(Found::Sdo(Box::new(sdo::verify(&bytes, options))));
    }
    Ok(Found::Pdf(Box::new(verify::verify(source, options))))
}

/// The results of serial sessions: each file builds on the one before it.
fn serial(inputs: Vec<Input>, options: &VerifyOptions) -> Result<Vec<Seen>> {
    let open = |input: &Input| inputs::open(&input.path);
    let files: Vec<SharedSource> = inputs.iter().map(open).collect::<Result<_>>()?;
    let links = verify::verify_chain(&files, options).links;
    let seen = |(input, link)| Seen { input, found: Ok(Found::Pdf(Box::new(link))) };
    Ok(inputs.into_iter().zip(links).map(seen).collect())
}

/// How far into a file a PDF's header may stand (ISO 32000-1, annex H, note 13).
const HEADER_WITHIN: u64 = 1024;

/// Signed data objects are XML; all else is judged as a PDF.
fn is_xml(source: &SharedSource) -> bool {
    let mut head = Vec::new();
    if copy_range(source.as_ref(), 0, source.len().min(HEADER_WITHIN), &mut head).is_err() {
        return false;
    }
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&head).trim_ascii_start();
    text.starts_with(b"<") && !head.windows(5).any(|part| part == b"%PDF-")
}

fn status(all: &[Seen]) -> i32 {
    let not_verified = |seen: &Seen| seen.found.as_ref().is_ok_and(|found| !found.is_ok());
    match all.iter().find_map(|seen| seen.found.as_ref().err()) {
        _ if all.iter().any(not_verified) => exit::NOT_VERIFIED,
        Some(error) => exit::of(error.code()),
        None => exit::OK,
    }
}

impl Found {
    fn is_ok(&self) -> bool {
        match self {
            Self::Pdf(report) => report.ok,
            Self::Sdo(verdict) => verdict.ok,
        }
    }
}

impl Seen {
    fn is_ok(&self) -> bool {
        self.found.as_ref().is_ok_and(Found::is_ok)
    }

    fn to_json(&self) -> Value {
        let mut shown = match &self.found {
            Ok(Found::Pdf(report)) => report.to_json(),
            Ok(Found::Sdo(verdict)) => verdict.to_json(),
            Err(_) => json!({"ok": false, "checks": []}),
        };
        let kind = match &self.found {
            Ok(Found::Pdf(_)) => Some("pdf"),
            Ok(Found::Sdo(_)) => Some("sdo"),
            Err(_) => None,
        };
        if let Some(fields) = shown.as_object_mut() {
            fields.insert("document".to_owned(), self.input.path.display().to_string().into());
            fields.insert("document_size".to_owned(), self.input.size.into());
            fields.insert("kind".to_owned(), kind.into());
            let failure = self.found.as_ref().err().map(Error::to_json);
            fields.insert("failure".to_owned(), failure.into());
        }
        shown
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use signdoc_signature::pdf::FileSource;

    use super::*;

    #[test]
    fn a_file_is_told_by_its_beginning() {
        let is = |bytes: &[u8]| {
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(bytes).unwrap();
            let source: SharedSource = Arc::new(FileSource::new(file).unwrap());
            is_xml(&source)
        };
        assert!(is(b"<SDOList/>") && is(b"\xef\xbb\xbf\r\n <?xml?>") && is(b"<"));
        assert!(!is(b"%PDF-1.7 <x/>") && !is(b"") && !is(b"{}"));
        assert!(!is(b"<!-- a pdf may have bytes before its header -->\n%PDF-1.7\n"));
    }
}
