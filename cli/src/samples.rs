//! `signdoc samples`: generated PDF files that look like life.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use clap::ArgMatches;
use serde_json::{Value, json};
use signdoc::{Code, Error, Result};
use signdoc_sandbox::samples::{self, Sample};

use crate::screen::{Screen, plain};
use crate::table::Table;
use crate::{exit, report};

/// The same files on every machine.
const SEED: u64 = 1;

pub(crate) fn run(matches: &ArgMatches, screen: &mut Screen) -> i32 {
    let folder = matches.get_one::<PathBuf>("output").cloned().unwrap_or_default();
    let as_json = matches.get_flag("json");
    match write(&folder, &chosen(matches.get_flag("warnings")), matches.get_flag("overwrite")) {
        Ok(written) if as_json => {
            screen.line(&in_json(&written));
            exit::OK
        }
        Ok(written) => {
            screen.line(&in_table(&written, screen));
            let shown = plain(&folder.display().to_string());
            screen.line(&format!("\n{} files in {shown}", written.len()));
            exit::OK
        }
        Err(error) => {
            screen.error(&error);
            exit::of(error.code())
        }
    }
}

/// The samples of a demonstration; with those for each conversion warning where they are wanted.
pub(crate) fn chosen(warnings: bool) -> Vec<Sample> {
    let mut chosen = samples::all(SEED);
    if warnings {
        chosen.extend(samples::each_warning());
        chosen.extend(samples::near_misses());
    }
    chosen
}

/// Writes samples to `folder`.
pub(crate) fn write(
    folder: &Path,
    samples: &[Sample],
    overwrite: bool,
) -> Result<Vec<(Sample, PathBuf)>> {
    std::fs::create_dir_all(folder).map_err(|error| failed(folder, &error))?;
    let write = |sample: &Sample| {
        let path = folder.join(sample.name);
        one(&path, &sample.bytes, overwrite)?;
        Ok((sample.clone(), path))
    };
    samples.iter().map(write).collect()
}

fn one(path: &Path, bytes: &[u8], overwrite: bool) -> Result<()> {
    let mut options = OpenOptions::new();
    options.write(true);
    if overwrite {
        options.create(true).truncate(true)
    } else {
        options.create_new(true)
    };
    let written = options.open(path).and_then(|mut file| file.write_all(bytes));
    written.map_err(|error| failed(path, &error))
}

fn failed(path: &Path, error: &std::io::Error) -> Error {
    let shown = path.display();
    if error.kind() == ErrorKind::AlreadyExists {
        let why = "exists already; choose another folder or allow overwriting";
        return Error::new(Code::DestinationExists, format!("{shown} {why}"));
    }
    Error::new(Code::DestinationFailed, format!("{shown} cannot be written: {error}"))
}

fn in_table(written: &[(Sample, PathBuf)], screen: &Screen) -> String {
    let mut table = Table::new(&["file", "size", "what it is", "a conversion says"], &[1]);
    for (sample, _) in written {
        table.row(vec![
            sample.name.to_owned(),
            report::size(sample.bytes.len() as u64),
            sample.title.to_owned(),
            expected(sample).join("\n"),
        ]);
    }
    let paint = screen.paint();
    table.render(|text| paint.bold(text))
}

fn expected(sample: &Sample) -> Vec<String> {
    let expectation = &sample.expectation;
    let errors = expectation.errors.iter().map(|error| error.code());
    let warnings = expectation.warnings.iter().map(|warning| warning.code());
    let said: Vec<_> = errors.chain(warnings).map(str::to_owned).collect();
    if said.is_empty() { vec!["-".to_owned()] } else { said }
}

fn in_json(written: &[(Sample, PathBuf)]) -> String {
    let one = |(sample, path): &(Sample, PathBuf)| -> Value {
        json!({
            "path": path.display().to_string(),
            "size": sample.bytes.len(),
            "title": sample.title,
            "converted": sample.expectation.is_converted(),
        })
    };
    let samples: Vec<_> = written.iter().map(one).collect();
    format!("{:#}", json!({"samples": samples}))
}
