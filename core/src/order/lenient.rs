//! Small answers as JSON values, their texts read as liberally as everywhere else.

use std::convert::Infallible;

use serde_json::{Map, Number, Value};

use crate::error::{Error, Result, of_scan};
use crate::wire::{BufferPool, Limits, Path, Scanner, StringMode, Visitor};

/// Longest text of a small answer, in bytes.
const TEXT_MAX: usize = 1024 * 1024;

/// Reads `bytes` as one JSON value.
pub(crate) fn value(bytes: &[u8], what: &str, pool: &BufferPool) -> Result<Value> {
    match part(bytes, what, pool) {
        (value, None) => Ok(value),
        (_, Some(problem)) => Err(problem.with_status(200)),
    }
}

/// Reads what there is of a JSON value, and why it is not whole, where it is not. Of one that is
/// not, the members of the outermost object that are whole are there.
pub(super) fn part(bytes: &[u8], what: &str, pool: &BufferPool) -> (Value, Option<Error>) {
    let mut scanner = Scanner::new(Builder::default(), Limits::default(), pool);
    let read = scanner.feed(bytes).and_then(|()| scanner.finish());
    let problem = read.err().map(|error| of_scan(&error, what));
    let Builder { open, root } = scanner.into_visitor();
    match root.or_else(|| open.into_iter().next()) {
        Some(value) => (value, problem),
        None => {
            let missing =
                || Error::new(crate::Code::Internal, format!("{what}: no value was built"));
            (Value::Null, Some(problem.unwrap_or_else(missing)))
        }
    }
}

/// Puts a value together from what the scanner finds.
#[derive(Default)]
struct Builder {
    open: Vec<Value>,
    root: Option<Value>,
}

impl Builder {
    fn attach(&mut self, path: &Path, value: Value) {
        match self.open.last_mut() {
            None => self.root = Some(value),
            Some(Value::Array(items)) => items.push(value),
            Some(Value::Object(members)) => {
                if let Some(key) = path.last_key() {
                    members.insert(key.to_owned(), value);
                }
            }
            Some(_) => {}
        }
    }

    fn close(&mut self, path: &Path) {
        if let Some(value) = self.open.pop() {
            self.attach(path, value);
        }
    }
}

impl Visitor for Builder {
    type Error = Infallible;

    fn begin_object(&mut self, _: &Path) -> Result<(), Infallible> {
        self.open.push(Value::Object(Map::new()));
        Ok(())
    }

    fn end_object(&mut self, path: &Path) -> Result<(), Infallible> {
        self.close(path);
        Ok(())
    }

    fn begin_array(&mut self, _: &Path) -> Result<(), Infallible> {
        self.open.push(Value::Array(Vec::new()));
        Ok(())
    }

    fn end_array(&mut self, path: &Path) -> Result<(), Infallible> {
        self.close(path);
        Ok(())
    }

    fn string(&mut self, _: &Path) -> Result<StringMode, Infallible> {
        Ok(StringMode::Text { max: TEXT_MAX })
    }

    fn text(&mut self, path: &Path, value: &str) -> Result<(), Infallible> {
        self.attach(path, Value::String(value.to_owned()));
        Ok(())
    }

    fn number(&mut self, path: &Path, text: &str) -> Result<(), Infallible> {
        let number = text.parse::<Number>().map(Value::Number);
        self.attach(path, number.unwrap_or_else(|_| Value::String(text.to_owned())));
        Ok(())
    }

    fn boolean(&mut self, path: &Path, value: bool) -> Result<(), Infallible> {
        self.attach(path, Value::Bool(value));
        Ok(())
    }

    fn null(&mut self, path: &Path) -> Result<(), Infallible> {
        self.attach(path, Value::Null);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Code;

    fn read(text: &str) -> Result<Value> {
        value(text.as_bytes(), "test", &BufferPool::new())
    }

    #[test]
    fn reads_what_the_strict_reader_reads() {
        for text in [
            r#"{"a":[1,-2.5e3,{"b":null}],"c":{"d":true,"e":[]},"f":"\u00e5"}"#,
            "[]",
            "\"x\"",
            " 7 ",
            "[[],[[]],{}]",
        ] {
            let strict: Value = serde_json::from_str(text).unwrap();
            assert_eq!(read(text).unwrap(), strict, "{text}");
        }
    }

    #[test]
    fn reads_half_a_surrogate_but_no_half_answer() {
        assert_eq!(read(r#"{"a":"\ud800x"}"#).unwrap()["a"], "\u{fffd}x");
        assert_eq!(read(r#"{"a":"#).unwrap_err().code(), Code::TruncatedAnswer);
        let (part, problem) = part(br#"{"a":1,"b":["x"],"c":"cut"#, "test", &BufferPool::new());
        assert_eq!(part, serde_json::json!({"a": 1, "b": ["x"]}));
        assert_eq!(problem.unwrap().code(), Code::TruncatedAnswer);
        assert_eq!(read("SIGN_COMPLETED").unwrap_err().code(), Code::MalformedAnswer);
    }
}
