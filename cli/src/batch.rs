//! Converting any number of documents: several calls of the service at a time.

use std::path::PathBuf;
use std::time::Duration;

use signdoc::engine::{BatchRun, Engine, Next};
use signdoc::spec::limits::CONVERSION_DOCUMENTS_MAX;
use signdoc::{BatchOptions, CallOptions, Conversion, Destination, Document, Progress, Result};

use crate::call::{LOOK, PATIENCE};
use crate::inputs::Input;
use crate::progress::Bar;
use crate::{Interrupted, exit};

/// What is the same for all documents.
pub(crate) struct Settings {
    pub(crate) folder: PathBuf,
    pub(crate) overwrite: bool,
    pub(crate) allow_signed: bool,
    /// Calls under way at the same time.
    pub(crate) jobs: usize,
    /// The file that remembers what is done.
    pub(crate) resume: Option<PathBuf>,
}

/// What came of a batch.
#[derive(Default)]
pub(crate) struct Batch {
    pub(crate) inputs: Vec<Input>,
    /// One place for each input; empty where nothing is known of it.
    pub(crate) results: Vec<Option<Conversion>>,
    pub(crate) interrupted: bool,
}

/// Runs calls and keeps what they bring.
pub(crate) struct Runner<'a> {
    run: BatchRun<&'a Engine>,
    jobs: usize,
    interrupted: Interrupted<'a>,
    bar: Bar,
    progress: Progress,
    batch: Batch,
    /// What documents are converted to; the client's own choice without.
    pdf_spec: Option<String>,
    /// The document just pushed: a result that is there at once was not sent.
    pushed: Option<usize>,
    /// Whether all results of the last call are failures that the next call would have, too.
    hopeless: Option<bool>,
}

impl<'a> Runner<'a> {
    /// # Errors
    /// When the folder for the results cannot be made, or the manifest cannot be used.
    pub(crate) fn new(
        engine: &'a Engine,
        settings: &Settings,
        bar: Bar,
        interrupted: Interrupted<'a>,
    ) -> Result<Self> {
        let progress = Progress::default();
        let run = engine.batch(BatchOptions {
            to: Destination::Folder {
                path: settings.folder.clone(),
                overwrite: settings.overwrite,
            },
            concurrency: settings.jobs,
            resume: settings.resume.clone(),
            call: CallOptions { progress: progress.clone(), ..CallOptions::default() },
        })?;
        Ok(Self {
            run,
            jobs: settings.jobs,
            interrupted,
            bar,
            progress,
            batch: Batch::default(),
            pdf_spec: None,
            pushed: None,
            hopeless: None,
        })
    }

    /// Asks for another conversion.
    pub(crate) fn pdf_spec(mut self, spec: Option<String>) -> Self {
        self.pdf_spec = spec;
        self
    }

    /// Converts all documents; their results stand in the order of `inputs`.
    pub(crate) fn convert(mut self, inputs: Vec<Input>, settings: &Settings) -> Result<Batch> {
        self.batch.results = inputs.iter().map(|_| None).collect();
        let documents: Vec<_> = inputs
            .iter()
            .map(|input| Document::from_path(&input.path).allow_signed(settings.allow_signed))
            .map(|document| match &self.pdf_spec {
                Some(spec) => document.pdf_spec(spec.as_str()),
                None => document,
            })
            .collect();
        self.batch.inputs = inputs;
        self.bar.begin(self.several_calls().then_some(self.batch.inputs.len()));
        self.drive(documents)?;
        self.bar.end();
        Ok(self.batch)
    }

    /// Whether calls run side by side: then their progress is counted in documents.
    fn several_calls(&self) -> bool {
        self.jobs > 1 && self.batch.inputs.len() > CONVERSION_DOCUMENTS_MAX
    }

    fn drive(&mut self, documents: Vec<Document>) -> Result<()> {
        let mut documents = documents.into_iter().enumerate();
        loop {
            if self.interrupted.is_wanted() && !self.batch.interrupted {
                self.batch.interrupted = true;
                self.run.cancel(PATIENCE);
            }
            // A document that was not sent has its result at once.
            let patience = if self.pushed.is_some() { Duration::ZERO } else { LOOK };
            let next = self.run.next(patience)?;
            let pushed = self.pushed.take();
            match next {
                Next::Result(result) => self.keep(*result, pushed),
                Next::Pending => self.bar.update(&self.progress),
                Next::Finished => return Ok(()),
                Next::WantsInput => self.feed(&mut documents)?,
            }
        }
    }

    fn feed(&mut self, documents: &mut impl Iterator<Item = (usize, Document)>) -> Result<()> {
        let hopeless = self.hopeless.take() == Some(true);
        match documents.next().filter(|_| !hopeless) {
            Some((index, document)) => {
                self.pushed = Some(index);
                self.run.push(document)
            }
            None if hopeless => {
                self.run.stop();
                Ok(())
            }
            None => self.run.end(),
        }
    }

    fn keep(&mut self, result: Conversion, pushed: Option<usize>) {
        let index = result.index;
        if pushed != Some(index) {
            let other = |failure: &signdoc::Error| exit::of(failure.code()) != exit::REFUSED;
            let bad = result.is_disabled() || result.failure.as_ref().is_some_and(other);
            self.hopeless = Some(bad && self.hopeless.unwrap_or(true));
        }
        if let Some(place) = self.batch.results.get_mut(index) {
            *place = Some(result);
        }
        let known = self.batch.results.iter().flatten().count();
        self.bar.known(known, self.batch.inputs.len());
    }
}

impl Batch {
    /// Inputs with their results.
    pub(crate) fn rows(&self) -> impl Iterator<Item = (&Input, Option<&Conversion>)> {
        self.inputs.iter().zip(self.results.iter().map(Option::as_ref))
    }

    /// How many an earlier run had converted, so that they were not sent again.
    pub(crate) fn resumed(&self) -> usize {
        self.results.iter().flatten().filter(|result| result.resumed).count()
    }

    /// What was tried and came to nothing.
    pub(crate) fn failed(&self) -> impl Iterator<Item = (&Input, &Conversion)> {
        let failed = |result: &&Conversion| !is_done(Some(result));
        self.rows().filter_map(move |(input, result)| Some((input, result.filter(failed)?)))
    }
}

/// Whether a converted document is there and nothing was said against it.
pub(crate) fn is_done(result: Option<&Conversion>) -> bool {
    result.is_some_and(|result| !result.is_failed() && result.path.is_some())
}
