//! Reads a conversion answer as it arrives, in every shape the service is known to use.
//!
//! An array of `{conversionResult: {...}, convertedDocument}` (specification), or an object
//! `{conversionResults: [...]}` whose elements hold the fields directly, with `convertedDocument`
//! beside or inside.

use std::sync::Arc;

use super::model::{Conversion, ConversionFault, ConversionWarning};
use super::plan::Plan;
use crate::error::{Code, Error, Result, of_scan, of_sink};
use crate::transport::Answer;
use crate::wire::{
    BufferPool, Delivered, Limits, Path, ScanError, Scanner, Sink, Step, StringMode, Visitor,
};

/// Longest text we keep: descriptions and messages are short.
const TEXT_MAX: usize = 64 * 1024;
/// More results than this are no answer to a call of at most fifteen documents.
const RESULTS_MAX: usize = 1024;
const WHAT: &str = "convert";

/// Reads the answer of a conversion; documents go to their places in `plan` as they arrive.
pub(super) async fn read(
    mut answer: Answer,
    plan: &Plan,
    max: u64,
    pool: &BufferPool,
) -> Result<Vec<Conversion>> {
    let status = answer.status();
    if answer.content_length().is_some_and(|length| length > max) {
        return Err(of_scan(&ScanError::<Error>::TooLarge { limit: max }, WHAT).with_status(status));
    }
    let html = answer.content_type().to_ascii_lowercase().contains("html");
    let mut first = true;
    let limits = Limits { max_bytes: max, ..Limits::default() };
    let mut scanner = Scanner::new(Reader::new(plan), limits, pool);
    let outcome = loop {
        match answer.chunk().await {
            Ok(Some(chunk)) => {
                if first && (html || chunk.trim_ascii_start().starts_with(b"<")) {
                    return Err(answer.into_raw_after(&chunk).await.into_error(WHAT));
                }
                first = false;
                if let Err(error) = scanner.feed(&chunk) {
                    break Err(error);
                }
            }
            Ok(None) if first => return Err(answer.into_raw().await.into_error(WHAT)),
            Ok(None) => break Ok(()),
            Err(error) => {
                scanner.visitor_mut().give_up();
                return Err(error.with_status(status));
            }
        }
    };
    let reader = finish(scanner, outcome, plan).map_err(|error| error.with_status(status))?;
    reader.complete(plan).and_then(none_silent).map_err(|error| error.with_status(status))
}

/// Reads the results of a refusal from a body in memory: as many as it lists. It brings no
/// documents; what looks like one is passed over, because it may belong to any of them.
pub(super) fn read_text(text: &str, plan: &Plan, pool: &BufferPool) -> Result<Vec<Conversion>> {
    let reader = Reader { takes_documents: false, ..Reader::new(plan) };
    let mut scanner = Scanner::new(reader, Limits::default(), pool);
    let outcome = scanner.feed(text.as_bytes());
    Ok(finish(scanner, outcome, plan)?.results)
}

fn finish<'a>(
    mut scanner: Scanner<Reader<'a>>,
    outcome: std::result::Result<(), ScanError<Error>>,
    plan: &Plan,
) -> Result<Reader<'a>> {
    let fed = outcome.and_then(|()| scanner.finish());
    let reader = scanner.into_visitor();
    let Err(error) = fed else { return Ok(reader) };
    plan.keep(reader.results);
    Err(match error {
        ScanError::Visitor(own) => own,
        other => of_scan(&other, WHAT),
    })
}

/// A document that is said to be converted must have come; where others were refused, it may still
/// be asked for without them.
fn none_silent(results: Vec<Conversion>) -> Result<Vec<Conversion>> {
    if results.iter().any(Conversion::is_failed) {
        return Ok(results);
    }
    let silent = results.iter().find(|result| result.converted && result.size.is_none());
    let Some(index) = silent.map(|result| result.index) else { return Ok(results) };
    Err(Error::new(
        Code::MissingField,
        format!("{WHAT}: the answer says that documents[{index}] was converted, but holds no convertedDocument for it"),
    )
    .with_detail("field", format!("[{index}].convertedDocument"))
    .with_conversions(results.into_iter().map(Conversion::without_claim).collect()))
}

/// Collects results; knows which document it is inside of.
struct Reader<'a> {
    plan: &'a Plan,
    results: Vec<Conversion>,
    sink: Option<(usize, Sink)>,
    recognised: bool,
    takes_documents: bool,
}

/// A value inside of one result.
struct Place<'p> {
    index: usize,
    field: &'p str,
}

/// Where `path` leads, or `None` outside of every result.
fn place(path: &Path) -> Option<Place<'_>> {
    let mut steps = path.steps();
    let index = match steps.next()? {
        Step::Index(index) => index,
        Step::Key("conversionResults") => match steps.next()? {
            Step::Index(index) => index,
            Step::Key(_) => return None,
        },
        Step::Key(_) => return None,
    };
    let field = match (steps.next()?, steps.next(), steps.next(), steps.next()) {
        (
            Step::Key("conversionResult"),
            Some(Step::Key(field)),
            None | Some(Step::Index(_)),
            None,
        ) => field,
        (Step::Key(field), None | Some(Step::Index(_)), None, None) => field,
        _ => return None,
    };
    Some(Place { index, field })
}

impl<'a> Reader<'a> {
    fn new(plan: &'a Plan) -> Self {
        Self { plan, results: Vec::new(), sink: None, recognised: false, takes_documents: true }
    }

    fn result(&mut self, index: usize) -> Result<&mut Conversion> {
        if index >= RESULTS_MAX {
            return Err(self.plan.miscounted(index + 1));
        }
        while self.results.len() <= index {
            let index = self.results.len();
            self.results.push(Conversion { index, ..Conversion::default() });
        }
        self.results.get_mut(index).ok_or_else(|| Error::new(Code::Internal, "no such result"))
    }

    /// Keeps what arrived whole when the answer broke off.
    fn give_up(&mut self) {
        self.sink = None;
        self.plan.keep(std::mem::take(&mut self.results));
    }

    fn complete(self, plan: &Plan) -> Result<Vec<Conversion>> {
        if !self.recognised {
            return Err(Error::new(
                Code::MalformedAnswer,
                format!(
                    "{WHAT}: the answer is neither a list of results nor an object with conversionResults"
                ),
            ));
        }
        if self.results.len() != plan.expected() {
            let error = self.plan.miscounted(self.results.len());
            return Err(error.with_conversions(self.results));
        }
        Ok(self.results)
    }
}

impl Visitor for Reader<'_> {
    type Error = Error;

    fn begin_array(&mut self, path: &Path) -> Result<()> {
        self.recognised |= path.depth() == 0 || path.key_at(0) == Some("conversionResults");
        Ok(())
    }

    fn begin_object(&mut self, path: &Path) -> Result<()> {
        let element = match path.depth() {
            1 => path.index_at(0),
            2 if path.key_at(0) == Some("conversionResults") => path.index_at(1),
            _ => None,
        };
        if let Some(index) = element {
            self.result(index)?;
        }
        Ok(())
    }

    fn string(&mut self, path: &Path) -> Result<StringMode> {
        let Some(place) = place(path) else { return Ok(StringMode::Skip) };
        Ok(match place.field {
            "convertedDocument" if !self.takes_documents => StringMode::Skip,
            "convertedDocument" if self.result(place.index)?.size.is_some() => StringMode::Skip,
            "convertedDocument" => StringMode::Base64,
            "conversionId" | "description" | "converted" | "conversionErrors"
            | "conversionWarnings" => StringMode::Text { max: TEXT_MAX },
            _ => StringMode::Skip,
        })
    }

    fn text(&mut self, path: &Path, value: &str) -> Result<()> {
        let Some(Place { index, field }) = place(path) else { return Ok(()) };
        let result = self.result(index)?;
        match field {
            "conversionId" => result.conversion_id = Some(value.to_owned()),
            "description" => result.description = Some(value.to_owned()),
            "converted" => result.converted = value.eq_ignore_ascii_case("true"),
            "conversionErrors" => result.errors.push(ConversionFault::new(value.to_owned())),
            "conversionWarnings" => result.warnings.push(ConversionWarning::new(value.to_owned())),
            _ => {}
        }
        Ok(())
    }

    fn boolean(&mut self, path: &Path, value: bool) -> Result<()> {
        if let Some(Place { index, field: "converted" }) = place(path) {
            self.result(index)?.converted = value;
        }
        Ok(())
    }

    fn number(&mut self, path: &Path, text: &str) -> Result<()> {
        if let Some(Place { index, field: "conversionId" }) = place(path) {
            self.result(index)?.conversion_id = Some(text.to_owned());
        }
        Ok(())
    }

    fn bytes(&mut self, path: &Path, decoded: &[u8]) -> Result<()> {
        let Some(Place { index, .. }) = place(path) else { return Ok(()) };
        if self.sink.is_none() {
            self.sink = Some((index, self.plan.sink(index)?));
        }
        match &mut self.sink {
            Some((_, sink)) => sink.write(decoded).map_err(|error| of_sink(&error)),
            None => Ok(()),
        }
    }

    fn end_bytes(&mut self, _: &Path) -> Result<()> {
        let Some((index, sink)) = self.sink.take() else { return Ok(()) };
        let size = sink.written();
        let delivered = sink.commit().map_err(|error| of_sink(&error))?;
        let plan = self.plan;
        let result = self.result(index)?;
        result.size = Some(size);
        match delivered {
            Delivered::Memory(bytes) => result.data = Some(bytes.into()),
            Delivered::File(path) => {
                plan.wrote(&path);
                result.path = Some(path);
            }
            Delivered::Spool(file) => result.spool = Some(Arc::new(file)),
            Delivered::Writer(_) => {}
        }
        Ok(())
    }
}
