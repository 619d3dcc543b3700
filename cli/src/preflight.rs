//! `signdoc preflight`: what the service will refuse, before it is sent.

use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, ArgMatches};
use serde_json::{Value, json};
use signdoc::html::{HtmlOptions, preview_html};
use signdoc::pdf::look_at_seals;
use signdoc::pdf::preflight::{Finding, PreflightOptions, Severity, preflight};
use signdoc::pdf::preview::{PlannedSeal, Preview};
use signdoc::pdf::verify::Place;
use signdoc::{Code, Document, Error, Result};

use crate::inputs::{self, Input};
use crate::list::hanging;
use crate::screen::{Paint, Screen, plain};
use crate::{Interrupted, call, exit, page, report};

/// A document with what was found, or why it could not be looked at.
struct Seen {
    input: Input,
    found: Result<Vec<Finding>>,
}

pub(crate) fn run(matches: &ArgMatches, screen: &mut Screen, interrupted: Interrupted<'_>) -> i32 {
    let as_json = matches.get_flag("json");
    let inputs = match inputs::resolve(matches.get_many("files").into_iter().flatten()) {
        Ok(inputs) => inputs,
        Err(error) => return report::failed(&error, as_json, screen),
    };
    let mut all = Vec::new();
    for input in inputs {
        let path = input.path.clone();
        match call::work(interrupted, move || look(&path)) {
            Ok(found) => all.push(Seen { input, found }),
            Err(error) => return report::failed(&error, as_json, screen),
        }
    }
    let seals = match seals(&all, matches, interrupted) {
        Ok(seals) => seals,
        Err(error) => return report::failed(&error, as_json, screen),
    };
    let refused = all.iter().filter(|seen| seen.is_refused()).count();
    let is_good = refused == 0 && seals.as_ref().is_none_or(|preview| preview.ok);
    let status = if is_good { exit::OK } else { exit::REFUSED };
    if as_json {
        let results: Vec<_> = all.iter().map(Seen::to_json).collect();
        let mut document = json!({"results": results, "error": null, "exit_status": status});
        if let (Some(fields), Some(seals)) = (document.as_object_mut(), &seals) {
            fields.insert("preview".to_owned(), json!(seals));
        }
        screen.line(&format!("{document:#}"));
        return status;
    }
    for seen in &all {
        seen.show(screen);
    }
    seals.iter().for_each(|preview| show_seals(preview, screen));
    let unseen = all.iter().filter(|seen| seen.found.is_err()).count();
    screen.line(&format!("\n{}", verdict(refused - unseen, unseen, all.len())));
    if seals.is_some_and(|preview| !preview.ok) {
        screen.line("a seal is in the wrong place or too large");
    }
    if let Some(word) = all.iter().find_map(Seen::word) {
        screen.line(&format!("What a word means: signdoc explain {word}"));
    }
    status
}

/// The options of a preview of seals.
pub(crate) fn args() -> Vec<Arg> {
    let help = "write a page that shows where the seals of --seal would lie; for one document";
    let seal = Arg::new("seal")
        .long("seal")
        .value_name("X,Y[,PAGE]")
        .action(ArgAction::Append)
        .requires("preview")
        .value_parser(|text: &str| text.parse::<PlannedSeal>())
        .help(
            "a seal to be previewed, in points from the upper left corner of the page as it is \
             shown; x,y,page,width,height for one of another size than 180 by 48",
        );
    let [preview, pictures] = page::args("preview", help);
    vec![preview.requires("seal"), seal, pictures]
}

/// Where seals would lie, on a page for people, where that was asked for.
fn seals(
    all: &[Seen],
    matches: &ArgMatches,
    interrupted: Interrupted<'_>,
) -> Result<Option<Preview>> {
    let Some(path) = matches.get_one::<PathBuf>("preview") else { return Ok(None) };
    let [seen] = all else {
        let why = format!("--preview is for one document, {} are named", all.len());
        return Err(Error::new(Code::InvalidOption, why));
    };
    let seals: Vec<PlannedSeal> = matches.get_many("seal").into_iter().flatten().copied().collect();
    let (file, matches) = (seen.input.path.clone(), matches.clone());
    let made = move || -> Result<_> {
        let preview = look_at_seals(&Document::from_path(&file), &seals)?;
        let told = json!(preview);
        let pictures = vec![page::pictures(&matches, &file, &told)?];
        let title = Some(page::title(&file));
        let options = HtmlOptions { title, pictures, ..HtmlOptions::default() };
        Ok((preview_html(&told, &options), preview))
    };
    let (html, preview) = call::work(interrupted, made)??;
    page::write(path, &html)?;
    Ok(Some(preview))
}

fn show_seals(preview: &Preview, screen: &mut Screen) {
    for (index, seal) in preview.seals.iter().enumerate() {
        let Place { page, x, y, .. } = seal.place;
        screen.line(&format!("  seal {} at {x}, {y} on page {page}", index + 1));
        for problem in &seal.problems {
            let paint = screen.paint();
            let label = match problem.is_error {
                true => paint.red("error"),
                false => paint.yellow("look"),
            };
            let text = hanging(&plain(&problem.detail), INDENT + SEVERITIES + 4, screen);
            let gap = if problem.is_error { "" } else { " " };
            screen.line(&format!("    {label}{gap}    {}: {text}", problem.kind.name()));
        }
    }
}

fn look(path: &Path) -> Result<Vec<Finding>> {
    let source = inputs::open(path)?;
    preflight(source, &PreflightOptions::default()).map_err(|error| {
        Error::new(Code::DocumentUnreadable, format!("{} cannot be read: {error}", path.display()))
    })
}

fn verdict(refused: usize, unseen: usize, total: usize) -> String {
    let refused = match (refused, total) {
        (0, _) => "nothing that the service would refuse".to_owned(),
        (1, 1) => "the service would refuse it".to_owned(),
        (_, _) => format!("the service would refuse {refused} of {total} documents"),
    };
    match unseen {
        0 => refused,
        1 if total == 1 => "it could not be looked at".to_owned(),
        _ => format!("{refused}, {unseen} could not be looked at"),
    }
}

impl Seen {
    fn findings(&self) -> &[Finding] {
        self.found.as_deref().unwrap_or_default()
    }

    fn is_refused(&self) -> bool {
        self.found.is_err() || self.findings().iter().any(|found| found.severity == Severity::Error)
    }

    /// A word that `signdoc explain` knows.
    fn word(&self) -> Option<&'static str> {
        self.findings()
            .iter()
            .filter(|found| found.code.is_service_code() && found.severity > Severity::Info)
            .map(|found| found.code.name())
            .next()
    }

    fn to_json(&self) -> Value {
        json!({
            "document": self.input.path.display().to_string(),
            "document_size": self.input.size,
            "refused": self.is_refused(),
            "findings": self.findings(),
            "failure": self.found.as_ref().err().map(Error::to_json),
        })
    }

    fn show(&self, screen: &mut Screen) {
        let paint = screen.paint();
        screen.line(&paint.bold(&plain(&self.input.shown)));
        match &self.found {
            Err(error) => {
                let label = paint.red("error");
                let text = hanging(&plain(error.message()), INDENT + SEVERITIES, screen);
                screen.line(&format!("  {label}    {text}"));
            }
            Ok(findings) => {
                let names = findings.iter().map(|found| found.code.name().len()).max();
                for found in findings {
                    line(found, names.unwrap_or_default(), screen);
                }
            }
        }
    }
}

const INDENT: usize = 2;
/// The longest word for a severity, and a gap.
const SEVERITIES: usize = 9;

/// One finding: how bad, the code, what, and the remedy.
fn line(found: &Finding, names: usize, screen: &mut Screen) {
    let name = found.code.name();
    let column = INDENT + SEVERITIES + names + 2;
    let said = match found.remedy {
        "nothing" => found.message.clone(),
        remedy => format!("{}; {remedy}", found.message),
    };
    let severity = found.severity.to_string();
    let gap = " ".repeat(SEVERITIES.saturating_sub(severity.len()));
    let label = painted(found.severity, screen.paint())(&severity);
    let text = hanging(&plain(&said), column, screen);
    screen.line(&format!("  {label}{gap}{name:names$}  {text}"));
}

fn painted(severity: Severity, paint: Paint) -> impl Fn(&str) -> String {
    move |text| match severity {
        Severity::Error => paint.red(text),
        Severity::Warning => paint.yellow(text),
        Severity::Info => paint.dim(text),
    }
}
