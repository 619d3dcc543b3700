//! `signdoc convert`: PDFs to PDF/A files in a folder.

use std::path::PathBuf;

use clap::ArgMatches;
use signdoc::spec::Warning;
use signdoc::{Code, Result};

use crate::Interrupted;
use crate::batch::{Batch, Runner, Settings, is_done};
use crate::progress::Bar;
use crate::report::{self, Ending};
use crate::screen::{Screen, plain};
use crate::{connection, inputs};

/// What `--resume` keeps in the folder of the results.
const MANIFEST: &str = ".signdoc-manifest.jsonl";

pub(crate) fn run(matches: &ArgMatches, screen: &mut Screen, interrupted: Interrupted<'_>) -> i32 {
    let (as_json, quiet) = (matches.get_flag("json"), matches.get_flag("quiet"));
    let settings = Settings {
        folder: matches.get_one::<PathBuf>("output").cloned().unwrap_or_default(),
        overwrite: matches.get_flag("overwrite"),
        allow_signed: matches.get_flag("allow_signed"),
        jobs: matches.get_one("jobs").map_or(1, |jobs: &u8| usize::from(*jobs)),
        resume: manifest(matches),
    };
    let batch = match converted(matches, &settings, Bar::new(!quiet), interrupted) {
        Ok(batch) => batch,
        Err(error) => return report::failed(&error, as_json, screen),
    };
    let ending = Ending::of(&batch);
    if as_json {
        screen.line(&format!("{:#}", report::json(&batch, &ending)));
    } else if !quiet && !matches!(ending, Ending::Failed { at_once: true, .. }) {
        show(&batch, &settings, None, screen);
    }
    match &ending {
        Ending::Done => {}
        Ending::Failed { error, .. } => screen.error(error),
        Ending::Interrupted => {
            screen.problem(report::interrupted().message());
            if settings.resume.is_some() {
                screen.note("The same command goes on from here.");
            }
        }
    }
    ending.status()
}

/// The manifest, beside the results where no other is named.
fn manifest(matches: &ArgMatches) -> Option<PathBuf> {
    matches.contains_id("resume").then(|| match matches.get_one::<PathBuf>("resume") {
        Some(named) => named.clone(),
        None => matches.get_one::<PathBuf>("output").cloned().unwrap_or_default().join(MANIFEST),
    })
}

fn converted(
    matches: &ArgMatches,
    settings: &Settings,
    bar: Bar,
    interrupted: Interrupted<'_>,
) -> Result<Batch> {
    let engine = connection::engine(matches)?;
    let inputs = inputs::resolve(matches.get_many("files").into_iter().flatten())?;
    let spec = matches.get_one::<String>("pdf_spec").cloned();
    let runner = Runner::new(&engine, settings, bar, interrupted)?.pdf_spec(spec);
    runner.convert(inputs, settings)
}

/// The table, and one line to sum it up.
pub(crate) fn show(batch: &Batch, settings: &Settings, excuse: Option<&str>, screen: &mut Screen) {
    if batch.results.iter().all(Option::is_none) {
        return;
    }
    let table = report::table(batch, excuse, screen);
    screen.line(&table);
    let done = batch.rows().filter(|(_, result)| is_done(*result)).count();
    let folder = plain(&settings.folder.display().to_string());
    let place = if done > 0 { format!(", results in {folder}") } else { String::new() };
    let untried = match batch.results.iter().filter(|result| result.is_none()).count() {
        0 => String::new(),
        count => format!(", {count} without a result"),
    };
    let earlier = match batch.resumed() {
        0 => String::new(),
        count => format!(", {count} of them by an earlier run"),
    };
    let total = batch.inputs.len();
    screen.line(&format!("\n{done} of {total} converted{earlier}{untried}{place}"));
    let known = batch.results.iter().flatten();
    let warning = known.clone().flat_map(|result| &result.warnings).find_map(|said| said.code);
    let error = known.flat_map(|result| &result.errors).find_map(|said| said.code);
    if let Some(word) = warning.map(Warning::name).or(error.map(Code::name)) {
        screen.line(&format!("What a word means: signdoc explain {word}"));
    }
}
