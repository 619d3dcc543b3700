//! The conversion calls and their options.

use std::ffi::{c_char, c_void};
use std::path::PathBuf;
use std::ptr;
use std::sync::Mutex;

use signdoc_core::engine::{BatchRun, Engine, Next};
use signdoc_core::{BatchOptions, Code, Conversion, ConvertOptions, Destination, Error, Result};

use crate::call::{self, Watch, signdoc_call};
use crate::client::signdoc_client;
use crate::documents::{self, Item, signdoc_documents};
use crate::error::signdoc_error;
use crate::guard::Entry;
use crate::handle::{self, Handle};
use crate::loan::Loan;
use crate::options::locked;
use crate::results::{Results, signdoc_results, signdoc_strings};
use crate::wait::{self, LETTING_GO, TICK};
use crate::writer::{Taker, Teller, signdoc_result_fn, signdoc_write_fn};

/// How a conversion is made. Freed with signdoc_convert_options_free; may be used for many calls.
pub struct signdoc_convert_options {
    _opaque: [u8; 0],
}

#[derive(Clone)]
pub(crate) struct Settings {
    strict: bool,
    overwrite: bool,
    concurrency: usize,
    resume: Option<PathBuf>,
    taker: Option<Taker>,
    teller: Option<Teller>,
}

impl Default for Settings {
    fn default() -> Self {
        let BatchOptions { concurrency, .. } = BatchOptions::default();
        Self {
            strict: true,
            overwrite: false,
            concurrency,
            resume: None,
            taker: None,
            teller: None,
        }
    }
}

impl Handle for signdoc_convert_options {
    type Value = Mutex<Settings>;
    const TAG: u64 = u64::from_le_bytes(*b"sd-convo");
    const KIND: &'static str = "signdoc_convert_options";
}

/// The defaults. NULL only where the library stopped a fault inside itself.
#[unsafe(no_mangle)]
pub extern "C" fn signdoc_convert_options_new() -> *mut signdoc_convert_options {
    // SAFETY: there is no pointer.
    unsafe { Entry::new("signdoc_convert_options_new") }
        .get(ptr::null_mut(), |_| Ok(handle::new(Mutex::default())))
}

/// Whether a document that was not converted makes the whole call fail. 1, the default: it does,
/// and signdoc_error_results has the results of all documents. 0: the call succeeds, and each
/// result tells how its document fared.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_convert_options_set_strict(
    options: *mut signdoc_convert_options,
    strict: i32,
    error: *mut *mut signdoc_error,
) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_convert_options_set_strict") }.status(error, |entry| {
        locked(entry.handle(options, "options")?).strict = strict != 0;
        Ok(())
    })
}

/// Whether files in the folder of the results may be replaced: 1, or 0, the default.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_convert_options_set_overwrite(
    options: *mut signdoc_convert_options,
    overwrite: i32,
    error: *mut *mut signdoc_error,
) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_convert_options_set_overwrite") }.status(error, |entry| {
        locked(entry.handle(options, "options")?).overwrite = overwrite != 0;
        Ok(())
    })
}

/// How many calls signdoc_convert_many has under way at the same time, 1 to 64; 4 by default.
///
/// SIGNDOC_E_INVALID_ARGUMENT outside that range.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_convert_options_set_concurrency(
    options: *mut signdoc_convert_options,
    calls: usize,
    error: *mut *mut signdoc_error,
) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_convert_options_set_concurrency") }.status(error, |entry| {
        let options = entry.handle(options, "options")?;
        if !(1..=64).contains(&calls) {
            let message = format!("calls is {calls}; it must be 1 to 64");
            return Err(Error::new(Code::InvalidArgument, message));
        }
        locked(options).concurrency = calls;
        Ok(())
    })
}

/// A file in which signdoc_convert_many remembers what is done: where it finds a document there, it
/// gives the former result and sends nothing. Made when it is missing; needs a folder for the
/// results. NULL: nothing is remembered, the default.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_convert_options_set_resume(
    options: *mut signdoc_convert_options,
    path: *const c_char,
    error: *mut *mut signdoc_error,
) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_convert_options_set_resume") }.status(error, |entry| {
        let options = entry.handle(options, "options")?;
        let path = entry.optional_text(path, "path")?;
        locked(options).resume = path.map(PathBuf::from);
        Ok(())
    })
}

/// Has results handed to `function`, instead of keeping them in memory; `context` is handed to it.
/// NULL: not so, which is where it begins. Results cannot go to a folder as well.
///
/// It is called by the thread that makes the call, and by no other, and with documents alone that
/// arrived whole: until then they are in private temporary files. signdoc_convert calls it when the
/// answer is complete (or, for documents that had arrived whole, has failed); signdoc_convert_many
/// with each result as it comes, while the rest goes on. It may use the library, but must neither
/// jump out of the call nor let an exception out. Where it fails, nothing more is handed over, and
/// what is still under way ends.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_convert_options_set_writer(
    options: *mut signdoc_convert_options,
    function: signdoc_write_fn,
    context: *mut c_void,
    error: *mut *mut signdoc_error,
) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_convert_options_set_writer") }.status(error, |entry| {
        let options = entry.handle(options, "options")?;
        locked(options).taker = function.map(|_| Taker { function, context });
        Ok(())
    })
}

/// Has `function` told each result of signdoc_convert_many as soon as it is there, in the order in
/// which they come; `context` is handed to it. NULL: not so, which is where it begins. The list
/// that the call gives in the end holds all results, but no bytes of those that were told.
///
/// It is called by the thread that makes the call, and by no other, while the rest goes on. It may
/// use the library, but must neither jump out of the call nor let an exception out.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_convert_options_set_result(
    options: *mut signdoc_convert_options,
    function: signdoc_result_fn,
    context: *mut c_void,
    error: *mut *mut signdoc_error,
) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_convert_options_set_result") }.status(error, |entry| {
        let options = entry.handle(options, "options")?;
        locked(options).teller = function.map(|_| Teller { function, context });
        Ok(())
    })
}

/// Frees conversion options. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_convert_options_free(options: *mut signdoc_convert_options) {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_convert_options_free") }.get((), |entry| {
        entry.free(options);
        Ok(())
    });
}

/// Asks which conversions the service supports; "PDFA_2B" is the one its specification knows.
/// The list in `*out` is freed with signdoc_strings_free.
///
/// `timeout_ms` is the time the call may take in all, 0 for the client's own limit; `call`, which
/// may be NULL, lets other threads end it, and has its limits on connecting and on silence, see
/// signdoc_call_set_timeouts. Errors of the network, the token and the service.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_conversion_specs(
    client: *const signdoc_client,
    timeout_ms: u64,
    call: *const signdoc_call,
    out: *mut *mut signdoc_strings,
    error: *mut *mut signdoc_error,
) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_conversion_specs") }.status(error, |entry| {
        let engine = entry.handle(client, "client")?;
        let watch = entry.optional(call, "call")?;
        let out = entry.place(out, "out")?;
        let settings = call::settings(timeout_ms, watch);
        let specs =
            wait::run(
                engine,
                watch,
                |client| async move { client.conversion_specs(&settings).await },
            )?;
        out.put(handle::new(specs.iter().map(|spec| crate::view::text(spec)).collect()));
        Ok(())
    })
}

/// Converts 1 to 15 PDFs of at most 5,000,000 base64 characters (3,750,000 bytes) each to
/// PDF/A-2B. Documents are read while they are sent and results written while they arrive, so
/// memory does not grow with their size unless results are wanted in memory.
///
/// `to_folder`: where results are written, each named after its document; the folder is made when
/// it is missing, a file appears complete or not at all, readable by its owner alone. NULL: results
/// stay in memory, see signdoc_results_data, or go where signdoc_convert_options_set_writer says. `options` may be NULL for the defaults. `timeout_ms`
/// is the time the call may take in all, 0 for the client's own limit; `call`, which may be NULL,
/// lets other threads watch and end it. The results in `*out` stand in the order of the documents
/// and are freed with signdoc_results_free.
///
/// Errors before anything is sent: SIGNDOC_E_DOCUMENT_COUNT, SIGNDOC_E_DOCUMENT_TOO_LARGE,
/// SIGNDOC_E_NOT_A_PDF, SIGNDOC_E_DESTINATION_EXISTS and their like. When documents were not
/// converted: the one reason of all of them, such as SIGNDOC_E_CONVERSION_DOC_SIGNED, or
/// SIGNDOC_E_CONVERSION_FAILED where there are several. Errors of the network, the token and the
/// service. Whatever arrived whole is in signdoc_error_results, and its files stay.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_convert(
    client: *const signdoc_client,
    documents: *const signdoc_documents,
    to_folder: *const c_char,
    options: *const signdoc_convert_options,
    timeout_ms: u64,
    call: *const signdoc_call,
    out: *mut *mut signdoc_results,
    error: *mut *mut signdoc_error,
) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_convert") }.status(error, |entry| {
        let engine = entry.handle(client, "client")?;
        let items = entry.handle(documents, "documents")?;
        let folder = entry.optional_text(to_folder, "to_folder")?;
        let settings = settings(entry, options)?;
        let watch = entry.optional(call, "call")?;
        let out = entry.place(out, "out")?;
        let options = ConvertOptions {
            to: settings.destination(folder)?,
            strict: settings.strict,
            call: call::settings(timeout_ms, watch),
        };
        let loan = Loan::new();
        let documents = documents::of(documents::taken(items), &loan, watch)?;
        let converted =
            wait::run(
                engine,
                watch,
                |client| async move { client.convert(&documents, &options).await },
            );
        out.put(handle::new(Results::new(handed_over(converted, &settings, watch)?)));
        Ok(())
    })
}

/// Converts any number of PDFs: in calls of up to 15, several at the same time, and once more for
/// documents whose call failed because of others in it. The arguments are those of signdoc_convert;
/// `timeout_ms` is the limit of each single call.
///
/// No document's trouble hides the others: there is one result for each document, in order, with
/// its own reasons (signdoc_results_error_count) where the service refused it, or with
/// signdoc_results_failure where it could not be sent or its call failed. SIGNDOC_OK says that
/// there are results, whatever they are.
///
/// Errors: SIGNDOC_E_CANCELLED, SIGNDOC_E_CALLBACK_FAILED where a function of the caller's failed
/// that is told of the call or takes results, and those of the folder and of the file set by
/// signdoc_convert_options_set_resume. Files that were complete before stay.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signdoc_convert_many(
    client: *const signdoc_client,
    documents: *const signdoc_documents,
    to_folder: *const c_char,
    options: *const signdoc_convert_options,
    timeout_ms: u64,
    call: *const signdoc_call,
    out: *mut *mut signdoc_results,
    error: *mut *mut signdoc_error,
) -> i32 {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { Entry::new("signdoc_convert_many") }.status(error, |entry| {
        let engine = entry.handle(client, "client")?;
        let items = entry.handle(documents, "documents")?;
        let folder = entry.optional_text(to_folder, "to_folder")?;
        let settings = settings(entry, options)?;
        let watch = entry.optional(call, "call")?;
        let out = entry.place(out, "out")?;
        let options = BatchOptions {
            to: settings.destination(folder)?,
            concurrency: settings.concurrency,
            resume: settings.resume.clone(),
            call: call::settings(timeout_ms, watch),
        };
        watch.map_or(Ok(()), Watch::check)?;
        let loan = Loan::new();
        let mut batch = engine.batch(options)?;
        let run = Run { settings: &settings, watch, loan: &loan };
        let ended = run.drive(&mut batch, documents::taken(items));
        if ended.is_err() {
            batch.cancel(LETTING_GO);
        }
        // Before the loan: its calls still hold what is lent.
        drop(batch);
        out.put(handle::new(Results::new(ended?)));
        Ok(())
    })
}

/// The results, handed to the caller's function where there is one; also those of a call that
/// failed, whose error says more than a failure of that function.
fn handed_over(
    converted: Result<Vec<Conversion>>,
    settings: &Settings,
    watch: Option<&Watch>,
) -> Result<Vec<Conversion>> {
    let Some(taker) = settings.taker else { return converted };
    match converted {
        Ok(results) => match taker.take_all(&results, watch) {
            Ok(()) => Ok(results),
            Err(failed) => Err(failed.with_conversions(results)),
        },
        Err(error) => {
            let _ = taker.take_all(error.conversions(), watch);
            Err(error)
        }
    }
}

/// A batch that is fed and drained by the thread that calls.
struct Run<'a> {
    settings: &'a Settings,
    watch: Option<&'a Watch>,
    loan: &'a Loan,
}

impl Run<'_> {
    fn drive(&self, batch: &mut BatchRun<&Engine>, items: Vec<Item>) -> Result<Vec<Conversion>> {
        let mut results = Vec::with_capacity(items.len());
        let mut items = items.into_iter().enumerate();
        loop {
            let next = batch.next(TICK)?;
            if let Some(watch) = self.watch {
                watch.tell()?;
                watch.check()?;
            }
            match next {
                Next::Result(result) => results.push(self.handed_over(*result)?),
                Next::WantsInput => match items.next() {
                    Some((index, item)) => self.feed(batch, index, item)?,
                    None => batch.end()?,
                },
                Next::Pending => {}
                Next::Finished => break,
            }
        }
        results.sort_by_key(|result| result.index);
        Ok(results)
    }

    /// A document that cannot be had is told as its own failure; the others go on.
    fn feed(&self, batch: &mut BatchRun<&Engine>, index: usize, item: Item) -> Result<()> {
        match item.document(index, self.loan, self.watch, true) {
            Ok(document) => batch.push(document),
            Err(error) if error.code() == Code::Cancelled => Err(error),
            Err(error) => {
                batch.push_failed(error);
                Ok(())
            }
        }
    }

    fn handed_over(&self, mut result: Conversion) -> Result<Conversion> {
        if let Some(taker) = self.settings.taker {
            taker.take(&result, self.watch)?;
            result.spool = None;
        }
        if let Some(teller) = self.settings.teller {
            teller.tell(&result)?;
            result.data = None;
        }
        Ok(result)
    }
}

fn settings(entry: &Entry, options: *const signdoc_convert_options) -> Result<Settings> {
    let options = entry.optional(options, "options")?;
    Ok(options.map(|own| locked(own).clone()).unwrap_or_default())
}

impl Settings {
    fn destination(&self, folder: Option<&str>) -> Result<Destination> {
        match (folder, self.taker) {
            (Some(path), None) => {
                Ok(Destination::Folder { path: PathBuf::from(path), overwrite: self.overwrite })
            }
            (None, None) => Ok(Destination::Memory),
            (None, Some(_)) => Ok(Destination::Spool),
            (Some(_), Some(_)) => Err(Error::new(
                Code::InvalidArgument,
                "to_folder is given, but results go to a write function; pass NULL",
            )
            .with_detail("field", "to_folder")),
        }
    }
}
