//! The conversion itself: look at the document, convert it, and believe nothing that was not seen.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use bytes::Bytes;
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tokio::task::{JoinSet, spawn_blocking};
use tokio::time::timeout;

use super::compare::{self, Comparison, Renderer};
use super::features::Features;
use super::ghostscript::{Ended, Ghostscript, Mode};
use super::messages::{ConversionError, ConversionWarning};
use super::warnings::{looks_different, warnings};
use crate::Environment;
use crate::pdf::{Pdf, Unreadable};
use crate::state::State;
use crate::sync::lock;
use crate::variants::Unchanged;

/// Conversions under way at the same moment.
const AT_ONCE: usize = 2;
/// How many conversions the control surface remembers.
const REMEMBERED: usize = 100;

/// Which converter to use.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ConverterChoice {
    /// Ghostscript, when it is installed.
    #[default]
    Installed,
    /// This program, called like Ghostscript.
    Program(PathBuf),
    /// None: every document fails with GENERIC_ERROR.
    Missing,
}

/// One document to convert.
#[derive(Debug, Clone)]
pub(crate) struct Job {
    pub(crate) id: String,
    pub(crate) description: String,
    pub(crate) pdf: Bytes,
    pub(crate) allow_signed: bool,
}

/// What came of one document.
#[derive(Debug, Clone)]
pub(crate) struct Outcome {
    pub(crate) id: String,
    pub(crate) description: String,
    /// Whether it was converted.
    pub(crate) converted: bool,
    /// The converted document, or the one that was sent when it needs no conversion.
    pub(crate) document: Option<Bytes>,
    pub(crate) errors: Vec<ConversionError>,
    pub(crate) warnings: Vec<ConversionWarning>,
    /// What lies behind the errors and warnings, for the control surface and the log.
    pub(crate) notes: Vec<String>,
}

impl Outcome {
    /// Nothing has come of a document so far.
    pub(crate) fn of(job: Job) -> Self {
        Self {
            id: job.id,
            description: job.description,
            converted: false,
            document: None,
            errors: Vec::new(),
            warnings: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Whether it could not be converted; one that needs no conversion has not failed.
    pub(crate) fn is_failed(&self) -> bool {
        !self.errors.is_empty()
    }
}

/// A conversion that did not succeed.
#[derive(Debug)]
struct Failure {
    errors: Vec<ConversionError>,
    note: String,
}

impl Failure {
    fn new(error: ConversionError, note: impl Into<String>) -> Self {
        Self { errors: vec![error], note: note.into() }
    }
}

/// How much the converter's work is trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trust {
    /// It went through without a complaint.
    Usual,
    /// It went through only when told not to stop at errors: every page must look the same.
    OnlyIfCompared,
}

/// Everything a success brings.
struct Success {
    converted: bool,
    document: Option<Bytes>,
    warnings: Vec<ConversionWarning>,
    notes: Vec<String>,
}

/// What is installed.
#[derive(Debug)]
struct Installed {
    converter: Result<Ghostscript, String>,
    renderer: Option<Renderer>,
}

impl Installed {
    fn discover(choice: &ConverterChoice) -> Self {
        let given = match choice {
            ConverterChoice::Installed => None,
            ConverterChoice::Program(path) => Some(path.as_path()),
            ConverterChoice::Missing => return Self::none("the sandbox was started without one"),
        };
        // asking each program for its version takes tens of milliseconds
        std::thread::scope(|scope| {
            let renderer = scope.spawn(Renderer::discover);
            let converter = Ghostscript::discover(given);
            Self { converter, renderer: renderer.join().unwrap_or_default() }
        })
    }

    fn none(reason: &str) -> Self {
        Self { converter: Err(reason.to_owned()), renderer: None }
    }
}

/// The converter of one sandbox.
#[derive(Debug)]
pub(crate) struct Engine {
    installed: Arc<OnceLock<Installed>>,
    choice: ConverterChoice,
    slots: Semaphore,
    limit: Duration,
    recent: Mutex<VecDeque<Value>>,
}

impl Engine {
    /// Begins to find out what is installed, unless `environment` never converts. `limit` bounds
    /// every step of a conversion.
    pub(crate) fn new(choice: ConverterChoice, limit: Duration, environment: Environment) -> Self {
        let installed = Arc::new(OnceLock::new());
        if environment == Environment::Test {
            let reason = "conversion is disabled in the testing environment";
            installed.get_or_init(|| Installed::none(reason));
        } else {
            let (ahead, choice) = (Arc::clone(&installed), choice.clone());
            // without this thread it is found out when first asked for
            let _ = std::thread::Builder::new().name("discover".to_owned()).spawn(move || {
                ahead.get_or_init(|| Installed::discover(&choice));
            });
        }
        let slots = Semaphore::new(AT_ONCE);
        Self { installed, choice, slots, limit, recent: Mutex::default() }
    }

    fn installed(&self) -> &Installed {
        self.installed.get_or_init(|| Installed::discover(&self.choice))
    }

    /// Name and version of the converter, or why there is none.
    pub(crate) fn name(&self) -> Result<String, &str> {
        self.installed().converter.as_ref().map(Ghostscript::name).map_err(String::as_str)
    }

    /// What the control surface shows.
    pub(crate) fn describe(&self) -> Value {
        let name = self.name();
        json!({
            "available": name.is_ok(),
            "name": name.as_ref().ok(),
            "reason": name.as_ref().err(),
            "renderer": self.installed().renderer.as_ref().map(Renderer::name),
            "rendered_pages": compare::MAX_PAGES,
            "rendered_dpi": compare::DPI,
            "visual_limit": super::warnings::VISUAL_LIMIT,
            "at_once": AT_ONCE,
            "limit_seconds": self.limit.as_secs_f64(),
            "recent": *lock(&self.recent),
        })
    }

    /// Forgets the conversions so far.
    pub(crate) fn forget(&self) {
        lock(&self.recent).clear();
    }

    fn remember(&self, outcome: &Outcome, took: Duration) {
        let codes: Vec<_> = outcome.errors.iter().map(|error| error.code()).collect();
        let warned: Vec<_> = outcome.warnings.iter().map(|warning| warning.code()).collect();
        let mut recent = lock(&self.recent);
        if recent.len() == REMEMBERED {
            recent.pop_front();
        }
        recent.push_back(json!({
            "conversionId": outcome.id,
            "converted": outcome.converted,
            "errors": codes,
            "warnings": warned,
            "notes": outcome.notes,
            "milliseconds": u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
            "bytes": outcome.document.as_ref().map(Bytes::len),
        }));
    }

    async fn one(&self, job: &Job, unchanged: Unchanged) -> Result<Success, Failure> {
        let converter = || {
            self.installed().converter.as_ref().map_err(|reason| {
                Failure::new(ConversionError::GenericError, format!("no converter: {reason}"))
            })
        };
        if unchanged == Unchanged::None {
            converter()?;
        }
        let before = self.look_at(job.pdf.clone()).await?;
        refuse(&before, job.allow_signed)?;
        // signatures are removed by the conversion, so that one is needed
        if unchanged != Unchanged::None && before.signatures == 0 {
            return Ok(as_it_is(job, unchanged));
        }
        let converter = converter()?;
        let folder = tempfile::tempdir().map_err(internal)?;
        let path = folder.path();
        std::fs::write(path.join("in.pdf"), &job.pdf).map_err(internal)?;
        let trust = self.run_converter(converter, path, &before).await?;
        let document = Bytes::from(std::fs::read(path.join("out.pdf")).map_err(internal)?);
        let after = self.look_at(document.clone()).await.map_err(|failure| {
            let note = format!("the converted document cannot be read: {}", failure.note);
            Failure::new(ConversionError::GenericError, note)
        })?;
        check(&before, &after).map_err(|note| Failure::new(ConversionError::GenericError, note))?;
        let (comparison, notes) = self.compare(path, &before, trust).await?;
        let warnings = warnings(&before, &after, comparison.as_ref());
        Ok(Success { converted: true, document: Some(document), warnings, notes })
    }

    /// Runs the converter. When it stops at an error in a document that the renderer draws without
    /// a complaint, the fault may be the converter's: it is asked once more, not to stop, and then
    /// every page has to be compared.
    async fn run_converter(
        &self,
        converter: &Ghostscript,
        folder: &Path,
        before: &Features,
    ) -> Result<Trust, Failure> {
        let failed = |note| Err(Failure::new(ConversionError::GenericError, note));
        let complaint = match converter.convert(folder, Mode::Strict, self.limit).await {
            Ended::Finished => return Ok(Trust::Usual),
            Ended::Failed(note) => return failed(note),
            // a password that only the converter misses is no damage of the document
            Ended::Refused(note) if before.encrypted => return failed(note),
            Ended::Refused(note) => note,
        };
        let sound = match &self.installed().renderer {
            Some(renderer) => renderer.finds_sound(folder, before.longest_side, self.limit).await,
            None => false,
        };
        if !sound {
            return Err(Failure::new(ConversionError::Corrupt, complaint));
        }
        match converter.convert(folder, Mode::Lenient, self.limit).await {
            Ended::Finished => Ok(Trust::OnlyIfCompared),
            Ended::Refused(note) | Ended::Failed(note) => failed(format!(
                "the document is drawn without complaint, but the converter says: {note}"
            )),
        }
    }

    async fn look_at(&self, pdf: Bytes) -> Result<Features, Failure> {
        let reading = spawn_blocking(move || Pdf::read(&pdf).map(|pdf| Features::of(&pdf)));
        match timeout(self.limit, reading).await {
            Err(_) => Err(Failure::new(ConversionError::GenericError, "reading took too long")),
            Ok(Err(_)) => Err(Failure::new(ConversionError::Corrupt, "the PDF reader gave up")),
            Ok(Ok(Err(Unreadable::Encrypted))) => Err(Failure::new(
                ConversionError::GenericError,
                "the document is encrypted in a way that hides its structure",
            )),
            Ok(Ok(Err(Unreadable::Broken(note)))) => {
                Err(Failure::new(ConversionError::Corrupt, note))
            }
            Ok(Ok(Ok(features))) => Ok(features),
        }
    }

    async fn compare(
        &self,
        folder: &Path,
        before: &Features,
        trust: Trust,
    ) -> Result<(Option<Comparison>, Vec<String>), Failure> {
        let compared = match &self.installed().renderer {
            Some(renderer) => renderer.compare(folder, before.longest_side, self.limit).await,
            None => Err("no renderer is installed".to_owned()),
        };
        let failed = |note| Err(Failure::new(ConversionError::GenericError, note));
        match compared {
            Ok(comparison) if !comparison.blanked.is_empty() => {
                failed(format!("the converter left pages blank: {:?}", comparison.blanked))
            }
            Ok(comparison) => {
                let note = format!(
                    "{} of {} pages compared, at most {:.3} % of the pixels differ",
                    comparison.pages,
                    before.pages,
                    comparison.worst_share * 100.0
                );
                let all = comparison.pages == before.pages;
                if trust == Trust::OnlyIfCompared && (!all || looks_different(&comparison)) {
                    return failed(format!("the converter met errors: {note}"));
                }
                Ok((Some(comparison), vec![note]))
            }
            Err(reason) if trust == Trust::OnlyIfCompared => failed(format!(
                "the converter met errors, and the pages were not compared: {reason}"
            )),
            Err(reason) => Ok((None, vec![format!("not compared: {reason}")])),
        }
    }
}

fn as_it_is(job: &Job, unchanged: Unchanged) -> Success {
    let document = (unchanged == Unchanged::WithDocument).then(|| job.pdf.clone());
    let notes = vec!["the variant unchanged has it so".to_owned()];
    Success { converted: false, document, warnings: Vec::new(), notes }
}

fn internal(error: std::io::Error) -> Failure {
    Failure::new(ConversionError::GenericError, format!("working files: {error}"))
}

/// What is refused before the converter is asked.
fn refuse(before: &Features, allow_signed: bool) -> Result<(), Failure> {
    if before.pages == 0 {
        return Err(Failure::new(ConversionError::Corrupt, "the document has no pages"));
    }
    let mut errors = Vec::new();
    let mut notes = Vec::new();
    if before.signatures > 0 && !allow_signed {
        errors.push(ConversionError::DocSigned);
        notes.push(format!("{} signatures", before.signatures));
    }
    if before.embedded_files > 0 {
        errors.push(ConversionError::EfRemoved);
        notes.push(format!("{} traces of embedded files", before.embedded_files));
    }
    if errors.is_empty() { Ok(()) } else { Err(Failure { errors, note: notes.join(", ") }) }
}

/// What the converted document must be, whatever the converter says.
fn check(before: &Features, after: &Features) -> Result<(), String> {
    if before.pages != after.pages {
        return Err(format!("{} pages became {}", before.pages, after.pages));
    }
    let claim = match &after.xmp {
        Some(Ok(xmp)) => xmp.pdfa_claim(),
        _ => None,
    };
    let claims_2b = claim.is_some_and(|(part, level)| part == "2" && level == "B");
    let forbidden = ["JavaScript", "Launch", "Sound", "Movie", "ResetForm", "ImportData"];
    let rules: [(bool, &str); 6] = [
        (claims_2b, "it does not claim PDF/A-2B"),
        (after.output_intent, "it has no PDF/A output intent"),
        (!after.encrypted, "it is encrypted"),
        (after.signatures == 0, "it still holds a signature"),
        (after.embedded_files == 0, "it holds embedded files"),
        (after.fonts_missing.is_empty(), "it uses fonts that are not embedded"),
    ];
    if let Some((_, reason)) = rules.into_iter().find(|(holds, _)| !holds) {
        return Err(format!("the converted document fails the check: {reason}"));
    }
    match forbidden.into_iter().find(|action| after.actions.contains_key(*action)) {
        Some(action) => Err(format!("the converted document still has {action} actions")),
        None => Ok(()),
    }
}

/// Converts several documents; the outcomes come in the order of the jobs.
pub(crate) async fn convert(state: &Arc<State>, jobs: Vec<Job>) -> Vec<Outcome> {
    let mut tasks = JoinSet::new();
    let mut outcomes: Vec<Outcome> = jobs.iter().map(lost).collect();
    for (index, job) in jobs.into_iter().enumerate() {
        let state = Arc::clone(state);
        tasks.spawn(async move { (index, convert_one(&state, job).await) });
    }
    while let Some(finished) = tasks.join_next().await {
        let Ok((index, outcome)) = finished else { continue };
        if let Some(slot) = outcomes.get_mut(index) {
            *slot = outcome;
        }
    }
    outcomes
}

/// What stands in for a conversion whose task broke off.
fn lost(job: &Job) -> Outcome {
    Outcome {
        errors: vec![ConversionError::GenericError],
        notes: vec!["the conversion broke off".to_owned()],
        ..Outcome::of(job.clone())
    }
}

async fn convert_one(state: &State, job: Job) -> Outcome {
    // the semaphore is never closed
    let _slot = state.engine.slots.acquire().await;
    let started = Instant::now();
    let mut outcome = lost(&job);
    match state.engine.one(&job, state.variants().unchanged).await {
        Ok(success) => {
            outcome.converted = success.converted;
            outcome.document = success.document;
            outcome.errors.clear();
            outcome.warnings = success.warnings;
            outcome.notes = success.notes;
        }
        Err(failure) => {
            outcome.errors = failure.errors;
            outcome.notes = vec![failure.note];
        }
    }
    state.engine.remember(&outcome, started.elapsed());
    state.log_note(&format!(
        "conversion {}: {}",
        outcome.id,
        outcome
            .errors
            .iter()
            .map(|error| error.code())
            .chain(outcome.warnings.iter().map(|warning| warning.code()))
            .chain(outcome.notes.iter().map(String::as_str))
            .collect::<Vec<_>>()
            .join("; ")
    ));
    outcome
}
