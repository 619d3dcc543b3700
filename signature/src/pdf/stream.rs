//! Which filters a stream has, and object streams (ISO 32000-2, 7.3.8.2 and 7.5.7).

use std::io::Read;

use super::error::{PdfError, PdfErrorKind, Result};
use super::filter::{self, BoxRead, Filter, PredictorParams};
use super::lexer::Stop;
use super::loader::Raw;
use super::object::{Dict, Object, Stream};
use super::parser::Parser;
use super::source::RangeReader;

/// More filters than this on one stream are an attack, not a document.
const MAX_FILTERS: usize = 8;

/// The filters of a stream whose dictionary holds no references.
pub(crate) fn direct_filters(dict: &Dict) -> Result<Vec<Filter>> {
    filters(dict, &Object::clone)
}

/// The filters of a stream; `resolve` follows references.
pub(crate) fn filters(dict: &Dict, resolve: &dyn Fn(&Object) -> Object) -> Result<Vec<Filter>> {
    let value = |keys: [&str; 2]| keys.iter().find_map(|k| dict.get(k)).map(resolve);
    if dict.contains("F") && !dict.contains("Filter") {
        return Err(unsupported("stream data in another file"));
    }
    if dict.contains("DP") && dict.contains("DecodeParms") {
        // Readers differ in which they take.
        return Err(PdfError::corrupt("a stream has two sets of filter parameters"));
    }
    let names = match value(["Filter", "F"]) {
        None | Some(Object::Null) => return Ok(Vec::new()),
        Some(Object::Array(names)) => names,
        Some(name) => vec![name],
    };
    if names.len() > MAX_FILTERS {
        return Err(PdfError::limit(format!("a stream has {} filters", names.len())));
    }
    let params = match value(["DecodeParms", "DP"]) {
        Some(Object::Array(params)) => params,
        Some(params) => vec![params],
        None => Vec::new(),
    };
    let mut filters = Vec::new();
    for (index, name) in names.iter().enumerate() {
        let name = resolve(name);
        let params = params.get(index).map(resolve);
        filters.push(one_filter(&name, params.as_ref().and_then(Object::as_dict), resolve)?);
    }
    Ok(filters)
}

fn one_filter(
    name: &Object,
    params: Option<&Dict>,
    resolve: &dyn Fn(&Object) -> Object,
) -> Result<Filter> {
    let name = name.as_name().ok_or_else(|| PdfError::corrupt("a stream filter has no name"))?;
    let number = |key: &str, default: i64| {
        let value = params.and_then(|p| p.get(key)).map(resolve);
        value.and_then(|v| v.as_int()).unwrap_or(default)
    };
    let predictor = PredictorParams::new(
        number("Predictor", 1),
        number("Colors", 1),
        number("BitsPerComponent", 8),
        number("Columns", 1),
    )
    .map_err(PdfError::corrupt)?;
    let crypt = *name == "Crypt" && params.is_some_and(|p| !p.is_name("Name", "Identity"));
    if crypt && params.is_some_and(|p| p.contains("Name")) {
        return Err(PdfError::encrypted());
    }
    Filter::from_name(name.as_bytes(), predictor, number("EarlyChange", 1) != 0)
        .ok_or_else(|| unsupported(format!("the stream filter {}", name.to_text())))
}

fn unsupported(what: impl Into<std::borrow::Cow<'static, str>>) -> PdfError {
    PdfError::new(PdfErrorKind::Unsupported, what)
}

/// Reads a decoded stream to its end, at most `cap` bytes; what comes before damage is kept.
pub(crate) fn read_decoded(mut reader: BoxRead, cap: usize) -> Result<Decoded> {
    let mut data = Vec::new();
    let mut limited = (&mut reader).take(cap as u64 + 1);
    let damaged = match limited.read_to_end(&mut data) {
        Ok(_) => false,
        Err(e) if e.kind() == std::io::ErrorKind::InvalidData => true,
        Err(e) => return Err(e.into()),
    };
    if data.len() > cap {
        return Err(PdfError::limit(format!("a stream decodes to more than {cap} bytes")));
    }
    Ok(Decoded { data, damaged })
}

/// The decoded data of a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decoded {
    /// The data; where it is damaged, what could be decoded.
    pub data: Vec<u8>,
    /// Whether decoding stopped before the end of the data.
    pub damaged: bool,
}

/// A decoded object stream.
#[derive(Debug)]
pub(crate) struct ObjectStream {
    data: Vec<u8>,
    /// Object number and position in `data`.
    index: Vec<(u32, usize)>,
    /// Places in `index` by object number.
    by_number: Vec<u32>,
}

impl ObjectStream {
    /// Decodes the object stream.
    pub(crate) fn read(raw: &Raw, stream: &Stream, filters: &[Filter]) -> Result<ObjectStream> {
        let Stream { dict, data } = stream;
        let number = |key: &str| dict.get(key).and_then(Object::as_int);
        let wrong = || PdfError::corrupt("an object stream is damaged").at(data.start);
        let count = number("N").and_then(|n| usize::try_from(n).ok()).ok_or_else(wrong)?;
        let first = number("First").and_then(|n| usize::try_from(n).ok()).ok_or_else(wrong)?;
        let encoded = Box::new(RangeReader::new(raw.source.clone(), data.start, data.end));
        let reader = filter::decoder(encoded, filters, &raw.budget);
        let decoded = read_decoded(reader, raw.limits.object_stream_bytes)?.data;
        let mut parser = Parser::new(&decoded, true, None, &raw.limits);
        let mut index = Vec::new();
        for _ in 0..count.min(raw.limits.xref_entries) {
            let (Ok(Object::Int(number)), Ok(Object::Int(at))) = (parser.value(), parser.value())
            else {
                break;
            };
            let at = usize::try_from(at).ok().and_then(|at| at.checked_add(first));
            // A damaged pair keeps its place: entries count by position.
            index.push((u32::try_from(number).unwrap_or(u32::MAX), at.unwrap_or(usize::MAX)));
        }
        raw.budget.spend(parser.pos() as u64)?;
        index.shrink_to_fit();
        let mut by_number: Vec<u32> = (0..u32::try_from(index.len()).unwrap_or(u32::MAX)).collect();
        let number_at = |place: u32| index.get(place as usize).map(|(number, _)| *number);
        if !by_number.is_sorted_by_key(|place| number_at(*place)) {
            by_number.sort_by_key(|place| number_at(*place));
        }
        Ok(ObjectStream { data: decoded, index, by_number })
    }

    /// The numbers of its objects.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = u32> {
        self.index.iter().map(|(number, _)| *number)
    }

    /// Memory it takes, roughly.
    pub(crate) fn cost(&self) -> usize {
        self.data.len() + self.index.len() * 20
    }

    /// The object `number`, expected at position `index`.
    pub(crate) fn object(&self, raw: &Raw, number: u32, index: u32) -> Result<Object> {
        let place = self.index.get(index as usize).filter(|(n, _)| *n == number);
        let place = place.or_else(|| self.find(number));
        let Some((_, at)) = place else {
            return Err(PdfError::corrupt(format!("object {number} is not in its object stream")));
        };
        let data = self.data.get(*at..).unwrap_or_default();
        let mut parser = Parser::new(data, true, None, &raw.limits);
        let object = parser.value();
        raw.budget.spend(parser.pos() as u64)?;
        object.map_err(|stop| match stop {
            Stop::Limit(what) => PdfError::limit(what),
            _ => PdfError::corrupt(format!("object {number} in its object stream is damaged")),
        })
    }

    /// The first entry of this number, for a cross-reference that gives the wrong position.
    fn find(&self, number: u32) -> Option<&(u32, usize)> {
        let entry = |place: &u32| self.index.get(*place as usize);
        let before = |place: &u32| entry(place).is_some_and(|(n, _)| *n < number);
        let found = self.by_number.get(self.by_number.partition_point(before))?;
        entry(found).filter(|(n, _)| *n == number)
    }
}
