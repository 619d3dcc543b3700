//! JSON as the service's requests must be written: read into a tree that borrows from the body,
//! with repeated names refused, and walked by [`Fields`], which refuses what nobody asked for.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Number, Value};

/// No request of the service has more than a dozen fields in one object; the bound keeps the search
/// for repeated names short.
const MAX_FIELDS: usize = 256;

/// A JSON value that borrows its strings from the request where it can.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Json<'a> {
    Null,
    Bool(bool),
    Number(Number),
    String(Cow<'a, str>),
    Array(Vec<Json<'a>>),
    Object(Vec<(Cow<'a, str>, Json<'a>)>),
}

/// Reads a whole body. The error names line and column.
pub(crate) fn parse(body: &[u8]) -> Result<Json<'_>, String> {
    if body.is_empty() {
        return Err("the body is empty, JSON was expected".to_owned());
    }
    if body.starts_with(b"\xef\xbb\xbf") {
        return Err("the body starts with a byte order mark".to_owned());
    }
    serde_json::from_slice(body).map_err(|error| format!("not JSON: {error}"))
}

impl Json<'_> {
    /// What the value is, with its article, for messages.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Json::Null => "null",
            Json::Bool(_) => "a boolean",
            Json::Number(_) => "a number",
            Json::String(_) => "a string",
            Json::Array(_) => "an array",
            Json::Object(_) => "an object",
        }
    }

    /// A copy in which strings longer than `limit` characters are replaced by their length, so
    /// that documents never stand in the list of requests seen.
    pub(crate) fn elided(&self, limit: usize) -> Value {
        match self {
            Json::Null => Value::Null,
            Json::Bool(value) => Value::Bool(*value),
            Json::Number(value) => Value::Number(value.clone()),
            Json::String(text) => Value::String(elided_text(text, limit)),
            Json::Array(items) => items.iter().map(|item| item.elided(limit)).collect(),
            Json::Object(fields) => Value::Object(
                fields
                    .iter()
                    .map(|(name, value)| (elided_text(name, limit), value.elided(limit)))
                    .collect(),
            ),
        }
    }
}

/// A text from a request as it may stand in a message: quoted, and cut when it is long.
pub(crate) fn shown(text: &str) -> String {
    const LONGEST: usize = 60;
    match text.char_indices().nth(LONGEST) {
        None => format!("{text:?}"),
        Some((end, _)) => {
            format!("{:?} and {} bytes more", text.get(..end).unwrap_or_default(), text.len() - end)
        }
    }
}

fn elided_text(text: &str, limit: usize) -> String {
    // a length in bytes is enough to skip counting the long ones twice
    if text.len() <= limit {
        text.to_owned()
    } else {
        format!("<{} characters>", text.chars().count())
    }
}

/// The fields of one object, taken one by one; what is left at [`Fields::end`] is refused.
#[derive(Debug)]
pub(crate) struct Fields<'a> {
    path: String,
    left: Vec<(Cow<'a, str>, Json<'a>)>,
}

impl<'a> Fields<'a> {
    /// Starts on `value`, which must be an object; `path` names it in messages.
    pub(crate) fn new(value: Json<'a>, path: impl Into<String>) -> Result<Self, String> {
        let path = path.into();
        match value {
            Json::Object(left) => Ok(Self { path, left }),
            other => Err(format!("{} must be an object, found {}", named(&path), other.kind())),
        }
    }

    fn take(&mut self, name: &str) -> Option<Json<'a>> {
        let index = self.left.iter().position(|(key, _)| key == name)?;
        Some(self.left.swap_remove(index).1)
    }

    /// Where `name` stands, for messages.
    pub(crate) fn path_of(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) }
    }

    fn required(&mut self, name: &str) -> Result<Json<'a>, String> {
        self.take(name).ok_or_else(|| format!("missing field {}", self.path_of(name)))
    }

    fn wrong(&self, name: &str, wanted: &str, found: &Json<'_>) -> String {
        format!("{} must be {wanted}, found {}", self.path_of(name), found.kind())
    }

    /// A required string.
    pub(crate) fn string(&mut self, name: &str) -> Result<Cow<'a, str>, String> {
        match self.required(name)? {
            Json::String(text) => Ok(text),
            other => Err(self.wrong(name, "a string", &other)),
        }
    }

    /// A required array.
    pub(crate) fn array(&mut self, name: &str) -> Result<Vec<Json<'a>>, String> {
        match self.required(name)? {
            Json::Array(items) => Ok(items),
            other => Err(self.wrong(name, "an array", &other)),
        }
    }

    /// A boolean that may be absent; null is not absence.
    pub(crate) fn optional_bool(&mut self, name: &str) -> Result<Option<bool>, String> {
        match self.take(name) {
            None => Ok(None),
            Some(Json::Bool(value)) => Ok(Some(value)),
            Some(other) => Err(self.wrong(name, "a boolean", &other)),
        }
    }

    /// Refuses every field that was not taken.
    pub(crate) fn end(self) -> Result<(), String> {
        match self.left.first() {
            None => Ok(()),
            Some((name, _)) => Err(format!("unknown field {}", self.path_of(&unquoted(name)))),
        }
    }
}

fn unquoted(name: &str) -> String {
    shown(name).replace('"', "")
}

fn named(path: &str) -> &str {
    if path.is_empty() { "the body" } else { path }
}

impl<'de: 'a, 'a> Deserialize<'de> for Json<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(JsonVisitor)
    }
}

struct JsonVisitor;

impl<'de> Visitor<'de> for JsonVisitor {
    type Value = Json<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Self::Value, E> {
        Ok(Json::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Self::Value, E> {
        Ok(Json::Number(value.into()))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Self::Value, E> {
        Number::from_f64(value).map(Json::Number).ok_or_else(|| E::custom("number out of range"))
    }

    fn visit_borrowed_str<E>(self, value: &'de str) -> Result<Self::Value, E> {
        Ok(Json::String(Cow::Borrowed(value)))
    }

    fn visit_str<E>(self, value: &str) -> Result<Self::Value, E> {
        Ok(Json::String(Cow::Owned(value.to_owned())))
    }

    fn visit_string<E>(self, value: String) -> Result<Self::Value, E> {
        Ok(Json::String(Cow::Owned(value)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Self::Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element()? {
            items.push(item);
        }
        Ok(Json::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Self::Value, A::Error> {
        let mut fields: Vec<(Cow<'de, str>, Json<'de>)> = Vec::new();
        while let Some(name) = access.next_key::<Json<'de>>()? {
            let Json::String(name) = name else {
                return Err(A::Error::custom("a field name must be a string"));
            };
            if fields.len() == MAX_FIELDS {
                return Err(A::Error::custom(format_args!(
                    "an object has more than {MAX_FIELDS} fields"
                )));
            }
            if fields.iter().any(|(known, _)| *known == name) {
                return Err(A::Error::custom(format_args!("field {} stands twice", shown(&name))));
            }
            let value = access.next_value()?;
            fields.push((name, value));
        }
        Ok(Json::Object(fields))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_and_borrows() {
        let json = parse(br#"{"a":[1,-2,1.5,true,null,"x\n"],"b":"plain"}"#).unwrap();
        let Json::Object(fields) = &json else { panic!("{json:?}") };
        assert!(matches!(&fields[1].1, Json::String(Cow::Borrowed("plain"))));
        assert_eq!(
            json.elided(2).to_string(),
            r#"{"a":[1,-2,1.5,true,null,"x\n"],"b":"<5 characters>"}"#
        );
    }

    #[test]
    fn refuses_what_is_not_one_clean_value() {
        let bad: &[&[u8]] = &[
            b"",
            b"\xef\xbb\xbf{}",
            b"{} {}",
            b"{",
            b"\"\xff\"",
            br#"{"a":1,"a":2}"#,
            br#"{"a":{"b":1,"\u0062":2}}"#,
        ];
        for body in bad {
            assert!(parse(body).is_err(), "{}", String::from_utf8_lossy(body));
        }
        let deep = "[".repeat(10_000);
        assert!(parse(deep.as_bytes()).is_err());
    }

    #[test]
    fn fields_name_the_place() {
        let json = parse(br#"{"a":null,"b":1,"c":"x"}"#).unwrap();
        let mut fields = Fields::new(json, "documents[2]").unwrap();
        assert_eq!(
            fields.optional_bool("a").unwrap_err(),
            "documents[2].a must be a boolean, found null"
        );
        assert_eq!(
            fields.string("b").unwrap_err(),
            "documents[2].b must be a string, found a number"
        );
        assert_eq!(fields.string("d").unwrap_err(), "missing field documents[2].d");
        assert_eq!(fields.end().unwrap_err(), "unknown field documents[2].c");
        assert_eq!(shown(&"x".repeat(70)), format!("\"{}\" and 10 bytes more", "x".repeat(60)));
        assert_eq!(
            Fields::new(Json::Null, "").unwrap_err(),
            "the body must be an object, found null"
        );
    }
}
