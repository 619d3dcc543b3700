//! What came of a batch: as a table, as JSON, as an exit status.

use serde_json::{Map, Value, json};
use signdoc::{Code, Conversion, Error};

use crate::batch::{Batch, is_done};
use crate::exit;
use crate::inputs::Input;
use crate::screen::{Paint, Screen, plain};
use crate::table::{Table, fold};

const NAME_WIDTH: usize = 40;
const TEXT_WIDTH: usize = 24;
/// Documents named in one message; the table and the JSON document have them all.
const NAMED: usize = 5;

/// How a batch ended.
pub(crate) enum Ending {
    /// Every document was converted.
    Done,
    /// Some were not.
    Failed {
        /// The trouble they share, or all their troubles in one message.
        error: Error,
        status: i32,
        /// Whether nothing at all was converted, for one and the same reason: a table would only
        /// repeat it.
        at_once: bool,
    },
    Interrupted,
}

impl Ending {
    pub(crate) fn of(batch: &Batch) -> Self {
        if batch.interrupted {
            return Self::Interrupted;
        }
        let failed: Vec<_> = batch.failed().collect();
        let Some(&(_, first)) = failed.first() else { return Self::Done };
        let (code, status) = (code_of(first), exit::of(code_of(first)));
        let all = |same: &dyn Fn(Code) -> bool| failed.iter().all(|(_, row)| same(code_of(row)));
        let status =
            if all(&|other| exit::of(other) == status) { status } else { exit::INCOMPLETE };
        let code = if all(&|other| other == code) { code } else { Code::ConversionFailed };
        let same_words = || failed.iter().all(|(_, row)| message_of(row) == message_of(first));
        let shared = first.failure.as_ref().filter(|_| same_words());
        let error = match shared {
            Some(shared) => shared.clone(),
            None => Error::new(code, message(&failed, batch.inputs.len())),
        };
        let at_once = shared.is_some() && !batch.rows().any(|(_, result)| is_done(result));
        Self::Failed { error, status, at_once }
    }

    pub(crate) fn status(&self) -> i32 {
        match self {
            Self::Done => exit::OK,
            Self::Failed { status, .. } => *status,
            Self::Interrupted => exit::INTERRUPTED,
        }
    }
}

fn code_of(result: &Conversion) -> Code {
    let fault = result.errors.first().and_then(|fault| fault.code);
    match &result.failure {
        Some(failure) => failure.code(),
        None => fault.unwrap_or(Code::ConversionUnknownError),
    }
}

fn message_of(result: &Conversion) -> String {
    if let Some(failure) = &result.failure {
        return failure.message().to_owned();
    }
    let said: Vec<_> = result.errors.iter().map(|fault| fault.message.as_str()).collect();
    if said.is_empty() { "no reason given".to_owned() } else { said.join(", ") }
}

fn message(failed: &[(&Input, &Conversion)], total: usize) -> String {
    let told = |(input, result): &(&Input, &Conversion)| {
        let (name, why) = (&input.shown, message_of(result));
        if why.contains(name) { why } else { format!("{name}: {why}") }
    };
    let mut list: Vec<_> = failed.iter().take(NAMED).map(told).collect();
    if failed.len() > NAMED {
        list.push(format!("and {} more", failed.len() - NAMED));
    }
    let documents = if total == 1 { "document" } else { "documents" };
    format!("{} of {total} {documents} not converted: {}", failed.len(), list.join("; "))
}

/// One row for each document. On a terminal too narrow for whole paths, results are named without
/// their folder.
///
/// `excuse` is said of documents that failed for no reason of their own.
pub(crate) fn table(batch: &Batch, excuse: Option<&str>, screen: &Screen) -> String {
    let paint = screen.paint();
    let render = |short: bool| {
        let headings = ["document", "size", "converted", "warnings", "errors", "result"];
        let mut table = Table::new(&headings, &[1]);
        for (input, result) in batch.rows() {
            table.row(row(input, result, Shown { excuse, short }, paint));
        }
        table
    };
    let whole = render(false);
    let fits = screen.width().is_none_or(|width| whole.width() <= width);
    let table = if fits { whole } else { render(true) };
    table.render(|text| paint.bold(text))
}

/// How one row is shown.
struct Shown<'a> {
    excuse: Option<&'a str>,
    short: bool,
}

fn row(input: &Input, result: Option<&Conversion>, shown: Shown<'_>, paint: Paint) -> Vec<String> {
    let Shown { excuse, short } = shown;
    let unnamed = |result: &Conversion| code_of(result) == Code::ConversionGenericError;
    let converted = match result {
        None => paint.dim("no result"),
        Some(result) if result.resumed => paint.green("earlier"),
        Some(_) if is_done(result) => paint.green("yes"),
        Some(result) => paint.red(excuse.filter(|_| unnamed(result)).unwrap_or("no")),
    };
    let warnings = result.map(|result| &result.warnings[..]).unwrap_or_default();
    let failure = result.and_then(|result| result.failure.as_ref()).map(Error::name);
    let faults = result.map(|result| &result.errors[..]).unwrap_or_default();
    let errors = failure.into_iter().chain(faults.iter().map(|fault| fault.name()));
    let path = result.and_then(|result| result.path.as_deref());
    let path = path.map(|path| match path.file_name() {
        Some(name) if short => name.to_string_lossy().into_owned(),
        _ => path.display().to_string(),
    });
    vec![
        plain(&shortened(&input.shown)),
        input.size.map_or_else(|| "?".to_owned(), size),
        converted,
        cell(warnings.iter().map(|warning| warning.name()), |text| paint.yellow(text)),
        cell(errors, |text| paint.red(text)),
        path.map_or_else(|| "-".to_owned(), |path| plain(&path)),
    ]
}

fn cell<'a>(names: impl Iterator<Item = &'a str>, paint: impl Fn(&str) -> String) -> String {
    let lines = names.flat_map(|name| fold(&plain(name), TEXT_WIDTH));
    let lines: Vec<_> = lines.map(|line| paint(&line)).collect();
    if lines.is_empty() { "-".to_owned() } else { lines.join("\n") }
}

/// Long paths lose their beginning: the end tells more.
fn shortened(path: &str) -> String {
    let length = path.chars().count();
    if length <= NAME_WIDTH {
        return path.to_owned();
    }
    format!("...{}", path.chars().skip(length - NAME_WIDTH + 3).collect::<String>())
}

/// A size for people, in decimal units.
pub(crate) fn size(bytes: u64) -> String {
    let count = bytes as f64;
    match bytes {
        0..1000 => format!("{bytes} B"),
        1000..1_000_000 => format!("{:.1} kB", count / 1e3),
        _ => format!("{:.2} MB", count / 1e6),
    }
}

/// The one JSON document of `--json`.
pub(crate) fn json(batch: &Batch, ending: &Ending) -> Value {
    let results: Vec<_> = batch
        .rows()
        .enumerate()
        .map(|(index, (input, result))| result_json(index, input, result))
        .collect();
    let error = match ending {
        Ending::Done => Value::Null,
        Ending::Failed { error, .. } => failed_json(error, batch),
        Ending::Interrupted => error_json(&interrupted()),
    };
    json!({"results": results, "error": error, "exit_status": ending.status()})
}

/// The JSON document of a command that failed before there were any results.
fn failure_json(error: &Error) -> Value {
    json!({"results": [], "error": error_json(error), "exit_status": exit::of(error.code())})
}

/// Tells an error that came before there were any results, and gives the exit status.
pub(crate) fn failed(error: &Error, as_json: bool, screen: &mut Screen) -> i32 {
    failed_advised(error, None, as_json, screen)
}

/// As [`failed`], with other advice than the table's.
pub(crate) fn failed_advised(
    error: &Error,
    advice: Option<&str>,
    as_json: bool,
    screen: &mut Screen,
) -> i32 {
    let advice = advice.unwrap_or(error.advice());
    if as_json {
        let mut told = failure_json(error);
        if let Some(place) = told.pointer_mut("/error/advice") {
            *place = advice.into();
        }
        screen.line(&format!("{told:#}"));
    }
    screen.error_advised(error, advice);
    exit::of(error.code())
}

pub(crate) fn interrupted() -> Error {
    Error::new(Code::Cancelled, "interrupted; results that were complete stay")
}

fn result_json(index: usize, input: &Input, result: Option<&Conversion>) -> Value {
    let status = match result {
        None => "no_result",
        Some(_) if is_done(result) => "converted",
        Some(_) => "not_converted",
    };
    let mut fields = Map::new();
    fields.insert("document".to_owned(), input.path.display().to_string().into());
    fields.insert("document_size".to_owned(), input.size.into());
    fields.insert("status".to_owned(), status.into());
    if let Value::Object(known) = result.cloned().unwrap_or_default().to_json() {
        fields.extend(known);
    }
    let failure = result.and_then(|result| result.failure.as_ref());
    fields.insert("failure".to_owned(), failure.map_or(Value::Null, error_json));
    fields.insert("index".to_owned(), index.into());
    Value::Object(fields)
}

/// The error as every face shows it. The results stand beside it, for all calls.
fn error_json(error: &Error) -> Value {
    let mut shown = error.to_json();
    if let Some(fields) = shown.as_object_mut() {
        fields.remove("results");
    }
    shown
}

fn failed_json(error: &Error, batch: &Batch) -> Value {
    let mut shown = error_json(error);
    let indexes: Vec<_> = batch.failed().map(|(_, result)| result.index).collect();
    let refused = batch.failed().any(|(_, result)| result.failure.is_none());
    if let Some(fields) = shown.as_object_mut() {
        if refused {
            fields.insert("origin".to_owned(), signdoc::Origin::Service.as_str().into());
        }
        if let Some(Value::Object(details)) = fields.get_mut("details") {
            details.insert("failed".to_owned(), indexes.into());
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_decimal() {
        assert_eq!(size(0), "0 B");
        assert_eq!(size(999), "999 B");
        assert_eq!(size(1000), "1.0 kB");
        assert_eq!(size(3_750_000), "3.75 MB");
    }

    #[test]
    fn long_paths_keep_their_end() {
        assert_eq!(shortened("loan.pdf"), "loan.pdf");
        let long = format!("/a/very/long/way/to/the/folder/of/{}", "loan-4711-2026.pdf");
        assert_eq!(shortened(&long).chars().count(), NAME_WIDTH);
        assert!(shortened(&long).ends_with("loan-4711-2026.pdf"));
    }

    fn batch(failures: &[Option<Error>]) -> Batch {
        let mut batch = Batch::default();
        for (index, failure) in failures.iter().enumerate() {
            batch.inputs.push(Input::new(format!("{index}.pdf").into()));
            let mut result = Conversion::default();
            result.index = index;
            match failure {
                None => {
                    (result.converted, result.size) = (true, Some(1));
                    result.path = Some("out.pdf".into());
                }
                Some(_) => result.failure.clone_from(failure),
            }
            batch.results.push(Some(result));
        }
        batch
    }

    #[test]
    fn the_status_is_what_the_failures_share() {
        let lost = || Some(Error::new(Code::ConnectionLost, "convert: lost"));
        let no_pdf = || Some(Error::new(Code::NotAPdf, "documents[1] is no PDF"));
        let empty = || Some(Error::new(Code::DocumentEmpty, "documents[2] is empty"));
        for (failures, status, code) in [
            (vec![None, None], exit::OK, None),
            (vec![None, lost(), lost()], exit::SERVICE, Some(Code::ConnectionLost)),
            (vec![None, no_pdf(), empty()], exit::REFUSED, Some(Code::ConversionFailed)),
            (vec![no_pdf(), lost()], exit::INCOMPLETE, Some(Code::ConversionFailed)),
        ] {
            let ending = Ending::of(&batch(&failures));
            assert_eq!(ending.status(), status);
            match ending {
                Ending::Failed { error, .. } => assert_eq!(Some(error.code()), code),
                _ => assert_eq!(code, None),
            }
        }
    }

    #[test]
    fn one_message_names_few_documents() {
        let failures: Vec<_> = (0..9)
            .map(|n| Some(Error::new(Code::NotAPdf, format!("documents[{n}] is no PDF"))))
            .collect();
        let Ending::Failed { error, .. } = Ending::of(&batch(&failures)) else { panic!() };
        assert!(error.message().starts_with("9 of 9 documents not converted: 0.pdf: documents[0]"));
        assert!(error.message().ends_with("and 4 more"), "{error}");
    }
}
