//! `signdoc verify`: is what came back what was sent, signed by whom it was expected, and nothing
//! else?

mod options;
pub(crate) mod show;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::ArgMatches;
use serde_json::{Value, json};
use signdoc::html::{Pictures, Titled, reports_html};
use signdoc::pdf::pdf::SharedSource;
use signdoc::pdf::report_json;
use signdoc::pdf::verify::{self, FileReport, VerifyOptions};
use signdoc::{Error, Result};

use crate::inputs::{self, Input};
use crate::screen::Screen;
use crate::{Interrupted, call, exit, page, report};

pub(crate) use options::args;

/// A file with what was found, or why it could not be looked at.
struct Seen {
    input: Input,
    found: Result<FileReport>,
}

pub(crate) fn run(matches: &ArgMatches, screen: &mut Screen, interrupted: Interrupted<'_>) -> i32 {
    let as_json = matches.get_flag("json");
    let all = match verified(matches, interrupted) {
        Ok(all) => all,
        Err(error) => return report::failed(&error, as_json, screen),
    };
    let status = status(&all);
    if let Err(error) = page(&all, matches, interrupted) {
        return report::failed(&error, as_json, screen);
    }
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

/// The reports as a page for people, where one was asked for.
fn page(all: &[Seen], matches: &ArgMatches, interrupted: Interrupted<'_>) -> Result<()> {
    let Some(path) = matches.get_one::<PathBuf>("html") else { return Ok(()) };
    let mut titled = Vec::new();
    for seen in all {
        let report = match &seen.found {
            Ok(found) => report_json(found),
            Err(error) => json!({"ok": false, "failure": {"message": error.message()}}),
        };
        let (matches, file, told) = (matches.clone(), seen.input.path.clone(), report.clone());
        let pictures = call::work(interrupted, move || page::pictures(&matches, &file, &told))?;
        // A file that cannot be read has no pages.
        let pictures = if seen.found.is_err() { Pictures::default() } else { pictures? };
        titled.push(Titled { title: page::title(&seen.input.path), report, pictures });
    }
    page::write(path, &reports_html(&titled))
}

fn one(path: &Path, options: &VerifyOptions) -> Result<FileReport> {
    Ok(verify::verify_file(&inputs::open(path)?, options))
}

/// The results of serial sessions: each file builds on the one before it.
fn serial(inputs: Vec<Input>, options: &VerifyOptions) -> Result<Vec<Seen>> {
    let open = |input: &Input| inputs::open(&input.path);
    let files: Vec<SharedSource> = inputs.iter().map(open).collect::<Result<_>>()?;
    let links = verify::verify_chain(&files, options).links;
    let seen = |(input, link)| Seen { input, found: Ok(FileReport::Pdf(Box::new(link))) };
    Ok(inputs.into_iter().zip(links).map(seen).collect())
}

fn status(all: &[Seen]) -> i32 {
    let not_verified = |seen: &Seen| seen.found.as_ref().is_ok_and(|found| !found.is_ok());
    match all.iter().find_map(|seen| seen.found.as_ref().err()) {
        _ if all.iter().any(not_verified) => exit::NOT_VERIFIED,
        Some(error) => exit::of(error.code()),
        None => exit::OK,
    }
}

impl Seen {
    fn is_ok(&self) -> bool {
        self.found.as_ref().is_ok_and(FileReport::is_ok)
    }

    fn to_json(&self) -> Value {
        let mut shown = match &self.found {
            Ok(report) => report.to_json(),
            Err(_) => json!({"ok": false, "checks": [], "kind": null}),
        };
        if let Some(fields) = shown.as_object_mut() {
            fields.insert("document".to_owned(), self.input.path.display().to_string().into());
            fields.insert("document_size".to_owned(), self.input.size.into());
            let failure = self.found.as_ref().err().map(Error::to_json);
            fields.insert("failure".to_owned(), failure.into());
        }
        shown
    }
}
