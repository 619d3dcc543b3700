//! Documents on their way from Python.

use std::io::{self, Read};
use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString, PyTuple};
use serde_json::{Value, json};
use signdoc::{Code, Document, Error};

use crate::buffer::borrow;
use crate::errors::{raised, raised_with};

/// How much is asked of a Python file at a time.
const READ_SIZE: usize = 256 * 1024;

/// How large a file may be.
#[derive(Clone, Copy)]
pub(crate) enum Limit {
    /// As the conversion takes it: more is not even read.
    OfConversion,
    /// Orders have no limit.
    None,
}

/// One document: a path (`str`), anything with a buffer, or a pair of a binary file and a name for
/// its result.
pub(crate) fn document(index: usize, given: &Bound<'_, PyAny>, limit: Limit) -> PyResult<Document> {
    if given.is_instance_of::<PyString>() {
        Ok(Document::from_path(given.extract::<PathBuf>()?))
    } else if let Ok(pair) = given.cast::<PyTuple>() {
        spooled(index, &pair.get_item(0)?, pair.get_item(1)?.extract()?, limit)
    } else {
        Ok(Document::from_bytes(borrow(given)?))
    }
}

/// A file of any size and kind, for work that asks nobody; `field` is what it is called.
pub(crate) fn local(field: &str, given: &Bound<'_, PyAny>) -> PyResult<Document> {
    let Ok(pair) = given.cast::<PyTuple>() else { return document(0, given, Limit::None) };
    let (py, file) = (given.py(), pair.get_item(0)?);
    let mut reader = Reader { file: &file, chunk: None, at: 0, failure: None };
    let document = Document::from_large_reader(&mut reader, None);
    if let Some(failure) = reader.failure {
        return Err(failure.raised(py, field, &[("field", json!(field))]));
    }
    document.map_err(|error| raised_with(py, &error, &[("field", json!(field))]))
}

fn spooled(
    index: usize,
    file: &Bound<'_, PyAny>,
    name: Option<String>,
    limit: Limit,
) -> PyResult<Document> {
    let py = file.py();
    let mut reader = Reader { file, chunk: None, at: 0, failure: None };
    let document = match limit {
        Limit::OfConversion => Document::from_reader(&mut reader, name),
        Limit::None => Document::from_large_reader(&mut reader, name),
    };
    if let Some(failure) = reader.failure {
        let field = format!("documents[{index}]");
        let known = [("field", json!(field)), ("index", json!(index))];
        return Err(failure.raised(py, &field, &known));
    }
    document.map_err(|error| raised(py, &error.of_document(index)))
}

/// Reads a Python file, on the thread that calls.
struct Reader<'a, 'py> {
    file: &'a Bound<'py, PyAny>,
    chunk: Option<Bound<'py, PyBytes>>,
    at: usize,
    failure: Option<Failure>,
}

enum Failure {
    Raised(PyErr),
    NotBytes(String),
}

impl Failure {
    fn raised(self, py: Python<'_>, field: &str, known: &[(&str, Value)]) -> PyErr {
        let kind = match self {
            Self::Raised(error) => return error,
            Self::NotBytes(kind) => kind,
        };
        let message = match kind.as_str() {
            "str" => format!("{field} is open as text; open it in binary mode (\"rb\")"),
            "NoneType" => format!("{field} has no data ready; give a file that blocks"),
            other => format!("{field} gives {other} when it is read; give a file that gives bytes"),
        };
        raised_with(py, &Error::new(Code::InvalidArgument, message), known)
    }
}

impl Reader<'_, '_> {
    fn next_chunk(&mut self) -> Result<usize, Failure> {
        let chunk = self.file.call_method1("read", (READ_SIZE,)).map_err(Failure::Raised)?;
        match chunk.cast_into::<PyBytes>() {
            Ok(bytes) => {
                let len = bytes.as_bytes().len();
                self.chunk = Some(bytes);
                self.at = 0;
                Ok(len)
            }
            Err(error) => {
                let kind = error.into_inner().get_type().name().map(|name| name.to_string());
                Err(kind.map_or_else(Failure::Raised, Failure::NotBytes))
            }
        }
    }

    fn left(&self) -> &[u8] {
        let bytes = self.chunk.as_ref().map_or(&[][..], |chunk| chunk.as_bytes());
        bytes.get(self.at..).unwrap_or_default()
    }
}

impl Read for Reader<'_, '_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.left().is_empty() {
            match self.next_chunk() {
                Ok(0) => return Ok(0),
                Ok(_) => {}
                Err(failure) => {
                    self.failure = Some(failure);
                    return Err(io::Error::other("the Python file failed"));
                }
            }
        }
        let copied = Read::read(&mut self.left(), buffer)?;
        self.at += copied;
        Ok(copied)
    }
}

/// All documents of a call.
pub(crate) fn documents(
    given: &[Bound<'_, PyAny>],
    allow_signed: bool,
    pdf_spec: &str,
) -> PyResult<Vec<Document>> {
    given
        .iter()
        .enumerate()
        .map(|(index, one)| {
            let document = document(index, one, Limit::OfConversion)?;
            Ok(document.allow_signed(allow_signed).pdf_spec(pdf_spec))
        })
        .collect()
}

/// The error for an option of a pickled client that the environment does not have.
pub(crate) fn missing_secret(py: Python<'_>, key: &str) -> PyErr {
    let variable = format!("SIGNDOC_{}", key.to_ascii_uppercase());
    let message = format!(
        "this client was pickled without its {key}; set {variable} or {variable}_FILE in this process, or make it with pickle_secrets=True"
    );
    raised(py, &Error::new(Code::MissingSecret, message))
}
