//! The answer to a created order, and the conversion results in it.

use serde_json::Value;

use super::model::OrderDocument;
use crate::conversion::{Conversion, ConversionFault, ConversionWarning, judge_where};
use crate::error::{Code, Error, Result};

/// What the service says of a new order.
pub(super) struct Created {
    pub sign_id: String,
    pub conversions: Vec<Conversion>,
}

/// Reads a create-order response (specification, "Create-order response").
///
/// A document that was not converted makes it an error with all results, and no order.
pub(super) fn parse(
    value: &Value,
    status: u16,
    documents: &[OrderDocument],
    what: &str,
) -> Result<Created> {
    let sign_id = sign_id(value);
    let judged = judged(value, status, documents);
    let conversions = judged.map_err(|error| match sign_id {
        Some(sign_id) => error.with_detail("sign_id", sign_id),
        None => error,
    })?;
    let sign_id = sign_id.ok_or_else(|| {
        Error::new(Code::MissingField, format!("{what}: the answer holds no sign_id"))
            .with_status(status)
            .with_detail("field", "sign_id")
    })?;
    Ok(Created { sign_id: sign_id.to_owned(), conversions })
}

/// The new order's reference.
pub(super) fn sign_id(value: &Value) -> Option<&str> {
    let sign_id = ["sign_id", "signId"].iter().find_map(|name| value.get(name)?.as_str());
    sign_id.map(str::trim).filter(|id| !id.is_empty())
}

/// The error of a refusal that holds conversion results, or `None` where it holds no failure.
pub(super) fn refusal(value: &Value, status: u16, documents: &[OrderDocument]) -> Option<Error> {
    judged(value, status, documents).err()
}

/// The results, unless one is a failure. That a document was not converted is none where nobody
/// asked for it: there is a result for each document as soon as one is to be converted.
fn judged(value: &Value, status: u16, documents: &[OrderDocument]) -> Result<Vec<Conversion>> {
    let asked = |index: usize| documents.get(index).is_none_or(|document| document.is_converted);
    judge_where(status, conversions(value, documents), true, |result| {
        result.is_failed() && (asked(result.index) || !result.errors.is_empty())
    })
}

/// The results in `value`, each with the position of its document.
///
/// There is one for each document; where there are only as many as conversions were asked for,
/// they belong to those documents, in their order.
fn conversions(value: &Value, documents: &[OrderDocument]) -> Vec<Conversion> {
    let items = value.get("conversionResults").unwrap_or(value);
    let items = items.as_array().map(Vec::as_slice).unwrap_or_default();
    let asked: Vec<_> = (0..documents.len())
        .filter(|index| documents.get(*index).is_some_and(|document| document.is_converted))
        .collect();
    let partial = items.len() < documents.len() && items.len() == asked.len();
    let position = |at: usize| if partial { asked.get(at).copied() } else { None };
    items
        .iter()
        .enumerate()
        .map(|(at, item)| conversion(position(at).unwrap_or(at), item))
        .collect()
}

fn conversion(index: usize, item: &Value) -> Conversion {
    let item = item.get("conversionResult").unwrap_or(item);
    let text = |name: &str| item.get(name).and_then(Value::as_str).map(str::to_owned);
    let texts = |name: &str| match item.get(name) {
        Some(Value::Array(items)) => items.iter().filter_map(message).collect(),
        Some(one) => message(one).into_iter().collect::<Vec<_>>(),
        None => Vec::new(),
    };
    let converted = match item.get("converted") {
        Some(Value::String(text)) => text.eq_ignore_ascii_case("true"),
        other => other.and_then(Value::as_bool).unwrap_or(false),
    };
    Conversion {
        index,
        conversion_id: text("conversionId"),
        description: text("description"),
        converted,
        warnings: texts("conversionWarnings").into_iter().map(ConversionWarning::new).collect(),
        errors: texts("conversionErrors").into_iter().map(ConversionFault::new).collect(),
        ..Conversion::default()
    }
}

fn message(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

/// A result from its own JSON form, see [`Conversion::to_json`].
pub(super) fn saved_conversion(value: &Value) -> Conversion {
    let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
    let messages = |name: &str| {
        let items = value.get(name).and_then(Value::as_array).into_iter().flatten();
        items
            .filter_map(|item| item.get("message")?.as_str().map(str::to_owned))
            .collect::<Vec<_>>()
    };
    let index = value.get("index").and_then(Value::as_u64);
    Conversion {
        index: index.and_then(|index| usize::try_from(index).ok()).unwrap_or_default(),
        conversion_id: text("conversion_id"),
        description: text("description"),
        converted: value.get("converted").and_then(Value::as_bool).unwrap_or(false),
        warnings: messages("warnings").into_iter().map(ConversionWarning::new).collect(),
        errors: messages("errors").into_iter().map(ConversionFault::new).collect(),
        ..Conversion::default()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn documents(converted: &[bool]) -> Vec<OrderDocument> {
        let document = |is_converted: &bool| OrderDocument {
            is_converted: *is_converted,
            ..OrderDocument::default()
        };
        converted.iter().map(document).collect()
    }

    fn good(id: &str) -> Value {
        json!({"conversionId": id, "converted": true, "conversionWarnings": ["Font substituted"]})
    }

    #[test]
    fn each_result_knows_its_document() {
        let answer = json!({"sign_id": "s", "conversionResults": [good("a"), good("b")]});
        let all = parse(&answer, 201, &documents(&[true, true]), "create").unwrap();
        assert_eq!(all.conversions[1].conversion_id.as_deref(), Some("b"));
        assert_eq!(all.conversions[1].warnings[0].name(), "FONT_SUBST");
        let some = parse(&answer, 201, &documents(&[false, true, true]), "create").unwrap();
        let indexes: Vec<_> = some.conversions.iter().map(|one| one.index).collect();
        assert_eq!(indexes, [1, 2]);
    }

    #[test]
    fn a_document_that_was_not_converted_is_an_error_with_all_results() {
        let bad = json!({"converted": false, "conversionErrors": ["PDF conversion is disabled"]});
        let answer = json!({"sign_id": "s", "conversionResults": [good("a"), bad]});
        let error = parse(&answer, 201, &documents(&[true, true]), "create").err().unwrap();
        assert_eq!(error.code(), Code::ConversionDisabled);
        assert_eq!(error.conversions().len(), 2);
        assert_eq!(error.details()["sign_id"], "s");
    }

    #[test]
    fn a_result_survives_its_own_json() {
        let bad = json!({"description": "d", "conversionErrors": ["Document is corrupt", "new"]});
        let one = conversion(3, &bad);
        let again = saved_conversion(&one.to_json());
        assert_eq!(again.to_json(), one.to_json());
    }
}
