//! Reading a request field by field: every problem is noted, so that one answer names them all.

use std::borrow::Cow;

use serde_json::Number;

use crate::json::{Json, shown};

/// What is wrong with a request, in the words of the answer.
#[derive(Debug, Default)]
pub(crate) struct Problems(Vec<String>);

impl Problems {
    /// Notes one more.
    pub(crate) fn add(&mut self, problem: impl Into<String>) {
        self.0.push(problem.into());
    }

    /// `value`, unless something is wrong.
    pub(crate) fn result<T>(self, value: T) -> Result<T, Vec<String>> {
        if self.0.is_empty() { Ok(value) } else { Err(self.0) }
    }
}

/// The fields of one object, taken one by one; what is left at [`Section::end`] is a problem.
#[derive(Debug)]
pub(crate) struct Section<'a> {
    path: String,
    left: Vec<(Cow<'a, str>, Json<'a>)>,
}

impl<'a> Section<'a> {
    /// Starts on `value`; anything but an object is noted, and reads as an empty one.
    pub(crate) fn new(value: Json<'a>, path: impl Into<String>, problems: &mut Problems) -> Self {
        let path = path.into();
        let left = match value {
            Json::Object(left) => left,
            other => {
                let what = if path.is_empty() { "The body" } else { &path };
                problems.add(format!("{what} must be an object, found {}", other.kind()));
                Vec::new()
            }
        };
        Self { path, left }
    }

    /// Where `name` stands.
    pub(crate) fn path_of(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) }
    }

    fn take(&mut self, name: &str) -> Option<Json<'a>> {
        let index = self.left.iter().position(|(key, _)| key == name)?;
        Some(self.left.swap_remove(index).1)
    }

    /// Whether the field is there.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.left.iter().any(|(key, _)| key == name)
    }

    /// Notes that a field is missing.
    pub(crate) fn missing(&self, name: &str, problems: &mut Problems) {
        // the service names the fields of the order's properties without their place
        let place =
            if self.path.starts_with("documents") { self.path_of(name) } else { name.to_owned() };
        problems.add(format!("Missing field: '{place}'"));
    }

    fn wrong(&self, name: &str, wanted: &str, found: &Json<'_>, problems: &mut Problems) {
        let place = self.path_of(name);
        problems.add(format!("Field '{place}' must be {wanted}, found {}", found.kind()));
    }

    /// A string that may be absent; null is not absence.
    pub(crate) fn optional_string(
        &mut self,
        name: &str,
        problems: &mut Problems,
    ) -> Option<Cow<'a, str>> {
        match self.take(name)? {
            Json::String(text) => Some(text),
            other => {
                self.wrong(name, "a string", &other, problems);
                None
            }
        }
    }

    /// A string that must be there.
    pub(crate) fn string(&mut self, name: &str, problems: &mut Problems) -> Option<Cow<'a, str>> {
        if !self.has(name) {
            self.missing(name, problems);
        }
        self.optional_string(name, problems)
    }

    /// A boolean that may be absent.
    pub(crate) fn optional_bool(&mut self, name: &str, problems: &mut Problems) -> Option<bool> {
        match self.take(name)? {
            Json::Bool(value) => Some(value),
            other => {
                self.wrong(name, "a boolean", &other, problems);
                None
            }
        }
    }

    fn number(&mut self, name: &str, wanted: &str, problems: &mut Problems) -> Option<Number> {
        match self.take(name)? {
            Json::Number(value) => Some(value),
            other => {
                self.wrong(name, wanted, &other, problems);
                None
            }
        }
    }

    /// An integer that may be absent and must not be below `least`.
    pub(crate) fn optional_integer(
        &mut self,
        name: &str,
        least: u64,
        problems: &mut Problems,
    ) -> Option<u64> {
        let value = self.number(name, "an integer", problems)?;
        let integer = value.as_u64().filter(|integer| *integer >= least);
        if integer.is_none() {
            let place = self.path_of(name);
            problems.add(format!(
                "Field '{place}' must be an integer of at least {least}, found {value}"
            ));
        }
        integer
    }

    /// An integer that must be there.
    pub(crate) fn integer(
        &mut self,
        name: &str,
        least: u64,
        problems: &mut Problems,
    ) -> Option<u64> {
        if !self.has(name) {
            self.missing(name, problems);
        }
        self.optional_integer(name, least, problems)
    }

    /// A number, with or without a fraction, that must be there and not be negative.
    pub(crate) fn measure(&mut self, name: &str, problems: &mut Problems) -> Option<f64> {
        if !self.has(name) {
            self.missing(name, problems);
        }
        let value = self.number(name, "a number", problems)?;
        let measure = value.as_f64().filter(|measure| measure.is_finite() && *measure >= 0.0);
        if measure.is_none() {
            let place = self.path_of(name);
            problems.add(format!("Field '{place}' must be a number from 0, found {value}"));
        }
        measure
    }

    /// An object that may be absent.
    pub(crate) fn optional_object(
        &mut self,
        name: &str,
        problems: &mut Problems,
    ) -> Option<Section<'a>> {
        let value = self.take(name)?;
        if !matches!(value, Json::Object(_)) {
            self.wrong(name, "an object", &value, problems);
            return None;
        }
        Some(Section::new(value, self.path_of(name), problems))
    }

    /// An object that must be there.
    pub(crate) fn object(&mut self, name: &str, problems: &mut Problems) -> Option<Section<'a>> {
        if !self.has(name) {
            self.missing(name, problems);
        }
        self.optional_object(name, problems)
    }

    /// An array that must be there.
    pub(crate) fn array(&mut self, name: &str, problems: &mut Problems) -> Option<Vec<Json<'a>>> {
        if !self.has(name) {
            self.missing(name, problems);
        }
        match self.take(name)? {
            Json::Array(items) => Some(items),
            other => {
                self.wrong(name, "an array", &other, problems);
                None
            }
        }
    }

    /// A list of texts that must be there.
    pub(crate) fn texts(&mut self, name: &str, problems: &mut Problems) -> Option<Vec<String>> {
        let mut texts = Vec::new();
        for (index, item) in self.array(name, problems)?.into_iter().enumerate() {
            match item {
                Json::String(text) => texts.push(text.into_owned()),
                other => {
                    let place = self.path_of(name);
                    let found = other.kind();
                    problems
                        .add(format!("Field '{place}[{index}]' must be a string, found {found}"));
                    return None;
                }
            }
        }
        Some(texts)
    }

    /// Passes over a value of any form.
    pub(crate) fn ignore(&mut self, name: &str) {
        self.take(name);
    }

    /// Notes every field that was not taken.
    pub(crate) fn end(self, problems: &mut Problems) {
        for (name, _) in &self.left {
            let name = shown(name).replace('"', "");
            problems.add(format!("Unknown field: '{}'", self.path_of(&name)));
        }
    }
}
