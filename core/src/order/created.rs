//! The answer to a created order, and the conversion results in it.

use serde_json::Value;

use super::model::OrderDocument;
use crate::conversion::{Conversion, ConversionFault, ConversionWarning, judge_where};
use crate::error::{Code, Error, Result};

/// What the service says of a new order.
#[derive(Debug)]
pub(super) struct Created {
    pub sign_id: String,
    pub conversions: Vec<Conversion>,
    /// Which documents were not converted although it was asked for, as an error with all results.
    pub failure: Option<Error>,
}

/// Reads a create-order response (specification, "Create-order response").
///
/// An answer with a `sign_id` is an order, whatever it says of conversions: the order exists.
pub(super) fn parse(
    value: &Value,
    status: u16,
    documents: &[OrderDocument],
    what: &str,
) -> Result<Created> {
    let conversions = conversions(value, documents);
    let failure = failure(&conversions, status, documents);
    match (sign_id(value), failure) {
        (Some(sign_id), failure) => {
            Ok(Created { sign_id: sign_id.to_owned(), conversions, failure })
        }
        (None, Some(failure)) => Err(failure),
        (None, None) => {
            Err(Error::new(Code::MissingField, format!("{what}: the answer holds no sign_id"))
                .with_status(status)
                .with_detail("field", "sign_id"))
        }
    }
}

/// The new order's reference.
pub(super) fn sign_id(value: &Value) -> Option<&str> {
    let sign_id = ["sign_id", "signId"].iter().find_map(|name| value.get(name)?.as_str());
    sign_id.map(str::trim).filter(|id| !id.is_empty())
}

/// The error of a refusal that holds conversion results, or `None` where it holds no failure.
pub(super) fn refusal(value: &Value, status: u16, documents: &[OrderDocument]) -> Option<Error> {
    failure(&conversions(value, documents), status, documents)
}

/// The failures among the results. That a document was not converted is none without a reason: it
/// needed no conversion, or nobody asked for one.
fn failure(results: &[Conversion], status: u16, documents: &[OrderDocument]) -> Option<Error> {
    let asked = |index: usize| documents.get(index).is_none_or(|document| document.is_converted);
    let is_failed =
        |one: &Conversion| one.is_failed() && (asked(one.index) || !one.errors.is_empty());
    judge_where(status, results.to_vec(), true, is_failed).err()
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
    fn an_order_exists_although_a_document_was_not_converted() {
        let bad = json!({"converted": false, "conversionErrors": ["PDF conversion is disabled"]});
        let answer = json!({"sign_id": "s", "conversionResults": [good("a"), bad]});
        let created = parse(&answer, 201, &documents(&[true, true]), "create").unwrap();
        assert_eq!((created.sign_id.as_str(), created.conversions.len()), ("s", 2));
        let error = created.failure.unwrap();
        assert_eq!(error.code(), Code::ConversionDisabled);
        assert_eq!(error.conversions().len(), 2);
        let without = json!({"conversionResults": answer["conversionResults"]});
        let error = parse(&without, 201, &documents(&[true, true]), "create").unwrap_err();
        assert_eq!(error.code(), Code::ConversionDisabled);
    }

    #[test]
    fn a_document_that_needed_no_conversion_is_no_failure() {
        let unchanged = json!({"conversionId": "a", "converted": false, "conversionErrors": []});
        let answer = json!({"sign_id": "s", "conversionResults": [unchanged]});
        let created = parse(&answer, 201, &documents(&[true]), "create").unwrap();
        assert!(created.failure.is_none() && !created.conversions[0].converted);
    }

    #[test]
    fn a_result_survives_its_own_json() {
        let bad = json!({"description": "d", "conversionErrors": ["Document is corrupt", "new"]});
        let one = conversion(3, &bad);
        let again = saved_conversion(&one.to_json());
        assert_eq!(again.to_json(), one.to_json());
    }
}
