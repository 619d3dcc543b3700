//! Writing a conversion answer, in the form of the specification or in one of the variants a client
//! must be ready for. Documents are base64-encoded while they are sent.

use http::StatusCode;
use serde_json::{Map, Value, json};

use super::engine::Outcome;
use crate::Environment;
use crate::http::Answer;
use crate::http::text::Writer;
use crate::variants::{
    ConversionRefusal, Count, Disabled, Messages, NoDocument, PartialConversion, Results, Variants,
};

/// Writes the answer to a conversion.
pub(crate) fn write(outcomes: &[Outcome], environment: Environment, variants: &Variants) -> Answer {
    let failed = outcomes.iter().any(Outcome::is_failed);
    let delivers = match environment {
        Environment::Test => variants.disabled == Disabled::Ok,
        Environment::Production => variants.partial_conversion == PartialConversion::Delivered,
    };
    let as_success = delivers || !failed;
    let shown = counted(outcomes, variants.count);
    let mut text = Writer::default();
    if variants.whitespace {
        text.push("\u{feff}\r\n\t ");
    }
    if as_success {
        successes(&mut text, &shown, variants);
    } else {
        failures(&mut text, &shown, variants);
    }
    if variants.whitespace {
        text.push(" \n");
    }
    let status = if as_success { StatusCode::OK } else { StatusCode::BAD_REQUEST };
    let mut body = text.finish();
    if variants.chunked {
        body.unannounced();
    }
    Answer::new(status, "application/json", body)
}

fn counted(outcomes: &[Outcome], count: Count) -> Vec<&Outcome> {
    let mut shown: Vec<&Outcome> = outcomes.iter().collect();
    match count {
        Count::Exact => {}
        Count::OneLess => {
            shown.pop();
        }
        Count::OneMore => shown.extend(outcomes.last()),
    }
    shown
}

fn failures(text: &mut Writer, outcomes: &[&Outcome], variants: &Variants) {
    let results = refused(outcomes.iter().copied(), variants);
    let mut body = json!({ "conversionResults": results });
    add_extra_fields(body.as_object_mut(), variants);
    text.push(&body.to_string());
}

/// The results that a refusal lists.
pub(crate) fn refused<'a>(
    outcomes: impl Iterator<Item = &'a Outcome>,
    variants: &Variants,
) -> Value {
    let all = variants.conversion_refusal == ConversionRefusal::All;
    let listed = outcomes.filter(|outcome| all || outcome.is_failed());
    listed.map(|outcome| Value::Object(result(outcome, variants))).collect()
}

fn successes(text: &mut Writer, outcomes: &[&Outcome], variants: &Variants) {
    let (open, close) = match variants.results {
        Results::Beside | Results::Inside => ("[", "]"),
        Results::Object => ("{\"conversionResults\":[", "]}"),
    };
    text.push(open);
    for (index, outcome) in outcomes.iter().enumerate() {
        if index > 0 {
            text.push(if variants.whitespace { " ,\n " } else { "," });
        }
        match variants.results {
            Results::Beside => beside(text, outcome, variants),
            Results::Object => inside(text, outcome, variants),
            Results::Inside => {
                text.push("{\"conversionResult\":");
                inside(text, outcome, variants);
                text.push("}");
            }
        }
    }
    text.push(close);
}

fn beside(text: &mut Writer, outcome: &Outcome, variants: &Variants) {
    let result = Value::Object(result(outcome, variants)).to_string();
    let gap = if variants.whitespace { " : " } else { ":" };
    text.push("{");
    if variants.document_first {
        document(text, outcome, variants, "", ",");
        text.push(&format!("\"conversionResult\"{gap}{result}"));
    } else {
        text.push(&format!("\"conversionResult\"{gap}{result}"));
        document(text, outcome, variants, ",", "");
    }
    text.push("}");
}

fn inside(text: &mut Writer, outcome: &Outcome, variants: &Variants) {
    let result = Value::Object(result(outcome, variants)).to_string();
    if variants.document_first {
        text.push("{");
        document(text, outcome, variants, "", ",");
        text.push(result.strip_prefix('{').unwrap_or(&result));
    } else {
        text.push(result.strip_suffix('}').unwrap_or(&result));
        document(text, outcome, variants, ",", "");
        text.push("}");
    }
}

/// The field with the document, between separators that appear only with it.
fn document(text: &mut Writer, outcome: &Outcome, variants: &Variants, before: &str, after: &str) {
    if outcome.document.is_none() && variants.no_document == NoDocument::Absent {
        return;
    }
    text.push(before);
    text.push("\"convertedDocument\":");
    match (&outcome.document, variants.no_document) {
        (None, NoDocument::Null) => text.push("null"),
        (document, _) => {
            text.push("\"");
            if let Some(bytes) = document {
                text.push_document(bytes, variants.base64);
            }
            text.push("\"");
        }
    }
    text.push(after);
}

/// One conversion result as an object.
pub(crate) fn result(outcome: &Outcome, variants: &Variants) -> Map<String, Value> {
    let list = |messages: Vec<(&str, &str)>| -> Option<Value> {
        if messages.is_empty() && variants.absent_lists {
            return None;
        }
        if messages.is_empty() && variants.null_lists {
            return Some(Value::Null);
        }
        let said = messages.into_iter().map(|(code, text)| {
            let said = if variants.messages == Messages::Code { code } else { text };
            if variants.unknown_messages { format!("{said} (new)") } else { said.to_owned() }
        });
        Some(said.collect())
    };
    let errors = outcome.errors.iter().map(|error| (error.code(), error.message()));
    let warnings = outcome.warnings.iter().map(|warning| (warning.code(), warning.message()));
    let lists = [
        ("conversionErrors", list(errors.collect())),
        ("conversionWarnings", list(warnings.collect())),
    ];
    let mut fields = Map::new();
    fields.insert("conversionId".to_owned(), outcome.id.as_str().into());
    fields.insert("description".to_owned(), outcome.description.as_str().into());
    fields.insert("converted".to_owned(), outcome.converted.into());
    for (name, list) in lists {
        fields.extend(list.map(|list| (name.to_owned(), list)));
    }
    add_extra_fields(Some(&mut fields), variants);
    fields
}

/// Adds what no specification names, when that is wished.
pub(crate) fn add_extra_fields(fields: Option<&mut Map<String, Value>>, variants: &Variants) {
    if let (true, Some(fields)) = (variants.extra_fields, fields) {
        fields.insert("futureNull".to_owned(), Value::Null);
        fields.insert("futureNumber".to_owned(), json!(-1.5e300));
        fields.insert(
            "futureObject".to_owned(),
            json!({"convertedDocument": "not this one", "list": [[], {}, [true, "\u{1f600}\\\""]]}),
        );
    }
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD_NO_PAD;
    use bytes::Bytes;
    use http_body_util::BodyExt;

    use super::super::messages::{ConversionError, ConversionWarning};
    use super::*;
    use crate::variants::Base64Form;

    fn outcome(document: Option<&'static [u8]>) -> Outcome {
        Outcome {
            id: "id".into(),
            description: "Document - 1".into(),
            converted: document.is_some(),
            document: document.map(Bytes::from_static),
            errors: document.map_or(vec![ConversionError::Corrupt], |_| Vec::new()),
            warnings: document.map_or(Vec::new(), |_| vec![ConversionWarning::FontSubst]),
            notes: Vec::new(),
        }
    }

    fn written(outcomes: &[Outcome], environment: Environment, variants: Variants) -> String {
        let answer = write(outcomes, environment, &variants);
        let status = answer.status.as_u16();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let body = runtime.block_on(answer.body.collect()).unwrap().to_bytes();
        format!("{status} {}", String::from_utf8(body.to_vec()).unwrap())
    }

    const RESULT: &str = r#"{"conversionErrors":[],"conversionId":"id","conversionWarnings":["Font substituted"],"converted":true,"description":"Document - 1"}"#;

    #[test]
    fn the_form_of_the_specification() {
        let good = outcome(Some(b"%PDF-"));
        let production = Environment::Production;
        assert_eq!(
            written(&[good.clone(), good.clone()], production, Variants::default()),
            format!(
                "200 [{{\"conversionResult\":{RESULT},\"convertedDocument\":\"JVBERi0=\"}},\
                 {{\"conversionResult\":{RESULT},\"convertedDocument\":\"JVBERi0=\"}}]"
            )
        );
        let text = written(&[good, outcome(None)], production, Variants::default());
        assert!(text.starts_with("400 {\"conversionResults\":[{"), "{text}");
        assert!(text.contains("Document is corrupt") && text.contains(RESULT), "{text}");
        assert!(!text.contains("convertedDocument"), "{text}");
    }

    #[test]
    fn every_variant_is_still_json_with_the_same_document() {
        let good = outcome(Some(b"\xff\xfe\xfd%PDF-?>"));
        let mut all = Vec::new();
        for results in [Results::Beside, Results::Inside, Results::Object] {
            for base64 in
                [Base64Form::Strict, Base64Form::Unpadded, Base64Form::Lines, Base64Form::Escaped]
            {
                for flags in 0..16 {
                    all.push(Variants {
                        results,
                        base64,
                        whitespace: flags & 1 > 0,
                        extra_fields: flags & 2 > 0,
                        document_first: flags & 4 > 0,
                        null_lists: flags & 8 > 0,
                        ..Variants::default()
                    });
                }
            }
        }
        for variants in all {
            let text =
                written(std::slice::from_ref(&good), Environment::Production, variants.clone());
            let json = text.strip_prefix("200 ").unwrap().trim_start_matches('\u{feff}');
            let value: Value = serde_json::from_str(json).unwrap_or_else(|error| {
                panic!("{variants:?}: {error}: {text}");
            });
            let document = match variants.results {
                Results::Beside => &value[0]["convertedDocument"],
                Results::Inside => &value[0]["conversionResult"]["convertedDocument"],
                Results::Object => &value["conversionResults"][0]["convertedDocument"],
            };
            let base64: String =
                document.as_str().unwrap().chars().filter(|c| !"\r\n=".contains(*c)).collect();
            assert_eq!(STANDARD_NO_PAD.decode(base64).unwrap(), b"\xff\xfe\xfd%PDF-?>");
        }
    }

    #[test]
    fn disabled_can_be_either() {
        let mut failed = outcome(None);
        failed.errors = vec![ConversionError::Disabled];
        let text = written(&[failed.clone()], Environment::Test, Variants::default());
        assert!(text.starts_with("400 {"), "{text}");
        let variants = Variants { disabled: Disabled::Ok, ..Variants::default() };
        let text = written(&[failed], Environment::Test, variants);
        assert!(text.starts_with("200 [{\"conversionResult\":{"), "{text}");
        assert!(text.contains("PDF conversion is disabled"), "{text}");
    }
}
