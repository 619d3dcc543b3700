//! `signdoc demo`: the main job, from end to end, on this machine alone.

use std::path::{Path, PathBuf};

use clap::ArgMatches;
use signdoc::engine::Engine;
use signdoc::{Code, Config, Error, Result};
use signdoc_sandbox::{ConverterChoice, Sandbox};

use crate::Interrupted;
use crate::batch::{Batch, Runner, Settings, is_done};
use crate::inputs::Input;
use crate::progress::Bar;
use crate::report::{self, Ending};
use crate::screen::{Screen, plain};
use crate::{convert, exit, samples};

/// What the demonstration has found out.
struct Shown {
    batch: Batch,
    settings: Settings,
    /// Documents that came back as their samples promise, in the order of the batch.
    as_promised: Vec<bool>,
    converter: std::result::Result<String, String>,
}

pub(crate) fn run(matches: &ArgMatches, screen: &mut Screen, interrupted: Interrupted<'_>) -> i32 {
    let as_json = matches.get_flag("json");
    let shown = match demonstrate(matches, screen, interrupted) {
        Ok(shown) => shown,
        Err(error) => return report::failed(&error, as_json, screen),
    };
    let ending = Ending::of(&shown.batch);
    let status = shown.status(&ending);
    if as_json {
        let mut document = report::json(&shown.batch, &ending);
        if let Some(fields) = document.as_object_mut() {
            fields.insert("converter".to_owned(), shown.converter.clone().ok().into());
            fields.insert("exit_status".to_owned(), status.into());
        }
        screen.line(&format!("{document:#}"));
    } else {
        shown.tell(screen);
    }
    match &ending {
        Ending::Failed { error, .. } if status != exit::OK => screen.error(error),
        Ending::Interrupted => screen.problem(report::interrupted().message()),
        _ => {}
    }
    status
}

fn demonstrate(
    matches: &ArgMatches,
    screen: &mut Screen,
    interrupted: Interrupted<'_>,
) -> Result<Shown> {
    let converter = match matches.get_flag("no_converter") {
        true => ConverterChoice::Missing,
        false => ConverterChoice::Installed,
    };
    let sandbox = Sandbox::builder().converter(converter).start().map_err(|error| {
        Error::new(Code::SandboxFailed, format!("the sandbox did not start: {error}"))
    })?;
    let folder = match matches.get_one::<PathBuf>("output") {
        Some(folder) => folder.clone(),
        None => temporary()?,
    };
    let written = samples::write(&folder.join("samples"), &samples::chosen(false), true)?;
    if !matches.get_flag("json") {
        screen.line(&opening(&sandbox, &folder));
    }
    let input = |(sample, path): &(signdoc_sandbox::samples::Sample, PathBuf)| {
        Input::new(path.clone()).called(sample.name)
    };
    let inputs: Vec<_> = written.iter().map(input).collect();
    let settings = Settings {
        folder: folder.join("converted"),
        overwrite: true,
        allow_signed: false,
        jobs: 1,
        resume: None,
    };
    let engine = client(&sandbox)?;
    let runner = Runner::new(&engine, &settings, Bar::new(true), interrupted)?;
    let batch = runner.convert(inputs, &settings)?;
    let promised = |(result, (sample, _)): (_, &(signdoc_sandbox::samples::Sample, _))| {
        is_done(result) == sample.expectation.is_converted()
    };
    let results = batch.rows().map(|(_, result)| result);
    let as_promised = results.zip(&written).map(promised).collect();
    Ok(Shown { batch, settings, as_promised, converter: sandbox.converter() })
}

fn temporary() -> Result<PathBuf> {
    let made = tempfile::Builder::new().prefix("signdoc-demo-").tempdir();
    made.map(tempfile::TempDir::keep).map_err(|error| {
        Error::new(
            Code::DestinationFailed,
            format!("no temporary folder can be made: {error}; name a folder with -o"),
        )
    })
}

fn opening(sandbox: &Sandbox, folder: &Path) -> String {
    format!(
        "service:    a sandbox inside this program, {}\n\
         converter:  {}\n\
         documents:  generated, in {}\n",
        sandbox.base_url(),
        sandbox.converter().unwrap_or_else(|_| "none".to_owned()),
        plain(&folder.join("samples").display().to_string()),
    )
}

/// The client as any program would make it, told about the sandbox.
fn client(sandbox: &Sandbox) -> Result<Engine> {
    let mut builder = Config::builder();
    builder
        .set("issuer", &sandbox.issuer())?
        .set("client_id", sandbox.client_id())?
        .set("client_secret", sandbox.client_secret())?;
    Engine::new(builder.build()?)
}

impl Shown {
    /// Zero when everything went as promised: samples that no service can convert are part of the
    /// demonstration, and so is a machine without a converter.
    fn status(&self, ending: &Ending) -> i32 {
        let refused_only = self.batch.failed().all(|(_, result)| result.failure.is_none());
        match ending {
            Ending::Interrupted => exit::INTERRUPTED,
            Ending::Failed { status, .. } if !refused_only => *status,
            _ if self.converter.is_err() => exit::OK,
            _ if self.as_promised.iter().all(|promised| *promised) => exit::OK,
            _ => exit::INCOMPLETE,
        }
    }

    fn tell(&self, screen: &mut Screen) {
        let excuse = self.converter.is_err().then_some("no converter");
        convert::show(&self.batch, &self.settings, excuse, screen);
        match &self.converter {
            Err(reason) => screen.line(&format!("not converted: no converter ({reason})")),
            Ok(_) if self.as_promised.contains(&false) => {
                screen.line("Not all documents came back as they should.");
            }
            Ok(_) => screen
                .line("Those that were not converted are meant to show what a refusal looks like."),
        }
        screen.line("What to try next: signdoc sandbox --help");
    }
}
