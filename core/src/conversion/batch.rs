//! Conversions of any number of documents, in packs of what one call takes.

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;

use signdoc_spec::limits::CONVERSION_DOCUMENTS_MAX;
use tokio::task::{Id, JoinError, JoinSet};

use super::Conversion;
use super::manifest::{Input, Manifest};
use super::plan::Place;
use super::rounds::{Finished, Item, failed};
use crate::client::{CallOptions, Client};
use crate::destination::{Destination, Namer};
use crate::document::Document;
use crate::error::{Code, Error, Result};

/// Packs kept small when results stay in memory, in bytes of input.
const MEMORY_PACK: u64 = 24 * 1024 * 1024;

/// Settings of [`Client::convert_many`].
#[derive(Clone, Debug)]
pub struct BatchOptions {
    /// Where the converted documents go.
    pub to: Destination,
    /// Calls under way at the same time, 1 to 64.
    pub concurrency: usize,
    /// A file that remembers what is done: documents it names are not sent again. Needs a folder
    /// as destination.
    pub resume: Option<PathBuf>,
    /// Time limit of each call, and progress.
    pub call: CallOptions,
}

impl Default for BatchOptions {
    fn default() -> Self {
        Self { to: Destination::Memory, concurrency: 4, resume: None, call: CallOptions::default() }
    }
}

/// Documents for one call.
pub struct Pack {
    pub(super) items: Vec<Item>,
    bytes: u64,
}

impl Pack {
    /// The positions of its documents in the batch.
    #[must_use]
    pub fn indexes(&self) -> Vec<usize> {
        self.items.iter().map(|item| item.index).collect()
    }
}

/// Sorts documents into packs and results out of them; it sends nothing itself.
///
/// Faces that pull documents on a thread of their own (Python, C) drive it by hand;
/// [`Batch`] drives it for Rust.
pub struct BatchPlan {
    options: BatchOptions,
    namer: Option<Namer>,
    manifest: Option<Manifest>,
    next_index: usize,
    open: Pack,
    ready: VecDeque<Conversion>,
}

impl BatchPlan {
    /// # Errors
    /// [`Code::InvalidArgument`] for a concurrency outside 1 to 64 or `resume` without a folder;
    /// [`Code::DestinationFailed`] when the folder cannot be made; [`Code::JournalFailed`] when
    /// the manifest cannot be used.
    pub fn new(options: BatchOptions) -> Result<Self> {
        if !(1..=64).contains(&options.concurrency) {
            return Err(Error::new(
                Code::InvalidArgument,
                format!("concurrency is {}; it must be 1 to 64", options.concurrency),
            )
            .with_detail("field", "concurrency")
            .with_detail("actual", options.concurrency)
            .with_detail("limit", 64));
        }
        let namer = match &options.to {
            Destination::Memory | Destination::Spool => None,
            Destination::Folder { path, overwrite } => Some(Namer::new(path, *overwrite)?),
        };
        let manifest = match (&options.resume, &namer) {
            (None, _) => None,
            (Some(path), Some(_)) => {
                let manifest = Manifest::open(path)?;
                if let Destination::Folder { path: folder, .. } = &options.to {
                    manifest.clear_remains(folder);
                }
                Some(manifest)
            }
            (Some(_), None) => {
                return Err(Error::new(
                    Code::InvalidArgument,
                    "resume needs a folder as destination: results in memory do not outlive the program",
                )
                .with_detail("field", "resume"));
            }
        };
        let open = Pack { items: Vec::new(), bytes: 0 };
        Ok(Self { options, namer, manifest, next_index: 0, open, ready: VecDeque::new() })
    }

    /// The settings.
    #[must_use]
    pub fn options(&self) -> &BatchOptions {
        &self.options
    }

    /// Takes the next document; returns a pack when it is full.
    ///
    /// A document that cannot be sent becomes a result with a failure at once; one that is done
    /// already becomes its former result.
    pub fn add(&mut self, document: Document) -> Option<Pack> {
        let index = self.next_index;
        self.next_index += 1;
        match self.item(index, document) {
            Ok(Some(item)) => {
                self.open.bytes += item.source.len();
                self.open.items.push(item);
            }
            Ok(None) => {}
            Err(error) => self.ready.push_back(failed(index, error)),
        }
        let full = self.open.items.len() >= CONVERSION_DOCUMENTS_MAX
            || (matches!(self.options.to, Destination::Memory) && self.open.bytes >= MEMORY_PACK);
        if full { self.flush() } else { None }
    }

    /// Takes the next document as one that cannot be had: its result is this failure.
    pub fn add_failed(&mut self, error: Error) {
        let index = self.next_index;
        self.next_index += 1;
        self.ready.push_back(failed(index, error));
    }

    /// The last pack, when there is anything in it.
    pub fn flush(&mut self) -> Option<Pack> {
        let empty = Pack { items: Vec::new(), bytes: 0 };
        let pack = std::mem::replace(&mut self.open, empty);
        (!pack.items.is_empty()).then_some(pack)
    }

    /// Forgets what has been gathered for a call that is not to be made.
    pub fn drop_open(&mut self) {
        self.open = Pack { items: Vec::new(), bytes: 0 };
    }

    /// Takes the end of a call that brought nothing: each of its documents failed with `error`.
    pub fn lost(&mut self, indexes: &[usize], error: &Error) {
        self.ready.extend(indexes.iter().map(|index| failed(*index, error.clone())));
    }

    /// Takes the results of a pack.
    pub fn done(&mut self, results: Vec<Finished>) {
        for finished in results {
            let mut result = finished.result;
            if let (Some(manifest), Some(input)) = (&mut self.manifest, &finished.input)
                && result.path.is_some()
                && let Err(error) = manifest.done(input, &result)
            {
                result.failure = Some(error);
            }
            self.ready.push_back(result);
        }
    }

    /// A result that nobody has taken yet.
    pub fn next_ready(&mut self) -> Option<Conversion> {
        self.ready.pop_front()
    }

    /// What must be sent for `document`, or nothing when it is done already.
    fn item(&mut self, index: usize, document: Document) -> Result<Option<Item>> {
        let source = document.open(index)?;
        let Some(namer) = &mut self.namer else {
            let place = matches!(self.options.to, Destination::Spool).then_some(Place::Spool);
            return Ok(Some(Item { index, document, source, place, input: None }));
        };
        let input = match &self.manifest {
            Some(_) => Some(Input::of(&source)?),
            None => None,
        };
        let mut overwrite = namer.overwrites();
        if let (Some(manifest), Some(input)) = (&self.manifest, &input) {
            if let Some(mut done) = manifest.find(input) {
                done.index = index;
                namer.reserve(index, document.name.as_deref());
                self.ready.push_back(done);
                return Ok(None);
            }
            overwrite |= manifest.was_sent(input);
        }
        let path = namer.path(index, document.name.as_deref(), overwrite)?;
        if let (Some(manifest), Some(input)) = (&mut self.manifest, &input) {
            manifest.sent(input)?;
        }
        Ok(Some(Item {
            index,
            document,
            source,
            place: Some(Place::File {
                path,
                overwrite,
                run: self.manifest.as_ref().map(Manifest::run),
            }),
            input,
        }))
    }
}

impl Client {
    /// Converts any number of documents: packs of up to fifteen, several calls at a time, results
    /// as they finish.
    ///
    /// Nothing is hidden: each document gets exactly one [`Conversion`], with its own `errors`
    /// (the service refused it) or `failure` (it could not be sent, or its call failed). When the
    /// service refuses some documents of a pack, the others are sent once more without them.
    ///
    /// Documents are taken from the iterator as there is room. Dropping the [`Batch`] cancels the
    /// calls under way.
    ///
    /// # Errors
    /// As [`BatchPlan::new`].
    pub fn convert_many(
        &self,
        documents: impl IntoIterator<Item = Document, IntoIter: Send + 'static>,
        options: BatchOptions,
    ) -> Result<Batch> {
        Ok(Batch {
            client: self.clone(),
            documents: Box::new(documents.into_iter()),
            plan: BatchPlan::new(options)?,
            calls: JoinSet::new(),
            sent: HashMap::new(),
            exhausted: false,
        })
    }
}

/// Conversions under way; see [`Client::convert_many`].
pub struct Batch {
    client: Client,
    documents: Box<dyn Iterator<Item = Document> + Send>,
    plan: BatchPlan,
    calls: JoinSet<Vec<Finished>>,
    /// The documents of each call under way.
    sent: HashMap<Id, Vec<usize>>,
    exhausted: bool,
}

impl Batch {
    /// The next result, in the order in which they finish; `None` when all are told.
    ///
    /// May be cancelled: what has finished by then is told by the next call.
    pub async fn next(&mut self) -> Option<Conversion> {
        loop {
            while let Some(ended) = self.calls.try_join_next_with_id() {
                self.take(ended);
            }
            if let Some(result) = self.plan.next_ready() {
                return Some(result);
            }
            if self.calls.len() < self.plan.options.concurrency && !self.exhausted {
                self.pull();
                continue;
            }
            let ended = self.calls.join_next_with_id().await?;
            self.take(ended);
        }
    }

    /// Takes one document from the caller, and sends a pack that it filled.
    fn pull(&mut self) {
        let pack = match self.documents.next() {
            Some(document) => self.plan.add(document),
            None => {
                self.exhausted = true;
                self.plan.flush()
            }
        };
        let Some(pack) = pack else { return };
        let indexes = pack.indexes();
        let (client, options) = (self.client.clone(), self.plan.options.call.clone());
        let call = self.calls.spawn(async move { client.convert_pack(pack, &options).await });
        self.sent.insert(call.id(), indexes);
    }

    fn take(&mut self, ended: std::result::Result<(Id, Vec<Finished>), JoinError>) {
        match ended {
            Ok((id, results)) => {
                self.sent.remove(&id);
                self.plan.done(results);
            }
            // A panic in a call is a defect of ours; its documents must not be lost to sight.
            Err(error) => {
                let indexes = self.sent.remove(&error.id()).unwrap_or_default();
                let told = format!("a conversion call ended badly: {error}");
                self.plan.lost(&indexes, &Error::new(Code::Internal, told));
            }
        }
    }
}
