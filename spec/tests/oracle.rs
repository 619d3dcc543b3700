//! The crate against the specification's tables as transcribed by hand in `tests/vectors/spec`:
//! every row of theirs is here, and nothing is here beyond theirs but what these tests name.

#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "helpers of tests")]

use std::fs;
use std::path::Path;

use serde_json::Value;
use signdoc_spec::endpoints::{self, Base};
use signdoc_spec::{Category, Code, PadesState, SdoState, Warning, fields, limits, scopes, values};

fn oracle(file: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/vectors/spec").join(file);
    let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn rows(table: &Value) -> &[Value] {
    table.as_array().expect("the table is an array")
}

fn text<'a>(row: &'a Value, key: &str) -> &'a str {
    row[key].as_str().unwrap_or_else(|| panic!("{row} has no text {key}"))
}

fn texts(list: &Value) -> Vec<&str> {
    rows(list).iter().map(|item| item.as_str().expect("a text")).collect()
}

/// The codes of a range of numbers, without those named as additions.
fn ours(range: std::ops::RangeInclusive<i32>, additions: &[Code]) -> Vec<Code> {
    let of_range = |code: &Code| range.contains(&code.number());
    for addition in additions {
        assert!(of_range(addition), "{addition:?} is no addition to {range:?}");
    }
    Code::ALL.iter().copied().filter(|c| of_range(c) && !additions.contains(c)).collect()
}

fn status(row: &Value) -> Option<u16> {
    row["status"].as_u64().map(|status| u16::try_from(status).expect("an HTTP status"))
}

#[test]
fn csc_errors_are_the_specifications_in_its_order() {
    let table = oracle("csc-errors.json");
    let additions = [Code::CscUnknown, Code::CscSignatureMismatch, Code::CscSessionSpent];
    let ours = ours(700..=799, &additions);
    assert_eq!(rows(&table).len(), 28);
    assert_eq!(ours.len(), rows(&table).len());
    for (row, code) in rows(&table).iter().zip(ours) {
        let spec = code.spec();
        assert_eq!(spec.name, text(row, "code"));
        assert_eq!(spec.http_status, status(row), "{code:?}");
        assert_eq!(spec.category.label(), text(row, "category"), "{code:?}");
        assert_eq!(Code::csc(spec.name), Some(code));
    }
}

#[test]
fn csc_numbers_follow_the_table_without_gaps() {
    for (number, row) in (700..).zip(rows(&oracle("csc-errors.json"))) {
        let code = Code::from_number(number).expect("a code for every row");
        assert_eq!(code.name(), text(row, "code"));
    }
}

#[test]
fn oauth_token_errors_are_the_specifications() {
    let table = oracle("oauth-token-errors.json");
    // RFC 6749 section 5.2 has invalid_scope, which the specification's table leaves out.
    let additions = [Code::OauthInvalidScope, Code::OauthUnknown, Code::OauthMalformed];
    let ours = ours(300..=399, &additions);
    assert_eq!(rows(&table).len(), 7);
    assert_eq!(ours.len(), rows(&table).len());
    for (row, code) in rows(&table).iter().zip(ours) {
        assert_eq!(code.name(), text(row, "error"));
        assert_eq!(code.spec().http_status, status(row), "{code:?}");
        assert_eq!(Code::oauth_token(code.name()), Some(code));
    }
}

#[test]
fn authorize_errors_are_the_specifications() {
    let table = oracle("authorize-errors.json");
    let ours = ours(400..=449, &[Code::AuthorizeUnknown]);
    assert_eq!(rows(&table["codes"]).len(), 6);
    assert_eq!(ours.len(), rows(&table["codes"]).len());
    for (row, code) in rows(&table["codes"]).iter().zip(ours) {
        assert_eq!(code.name(), text(row, "error"));
        assert_eq!(code.spec().http_status, None, "{code:?} comes with a redirect");
        assert_eq!(Code::authorize(code.name()), Some(code));
    }
}

#[test]
fn conversion_errors_are_the_specifications() {
    let table = oracle("conversion-errors.json");
    let additions = [Code::ConversionFailed, Code::ConversionUnknownError];
    let ours = ours(500..=599, &additions);
    assert_eq!(rows(&table).len(), 5);
    assert_eq!(ours.len(), rows(&table).len());
    for (row, code) in rows(&table).iter().zip(ours) {
        assert_eq!(code.name(), text(row, "code"));
        assert_eq!(code.conversion_message(), Some(text(row, "message")));
        assert_eq!(Code::conversion_error(text(row, "message")), Some(code));
    }
    for code in Code::ALL.iter().filter(|code| code.conversion_message().is_some()) {
        assert!((500..=599).contains(&code.number()), "{code:?} has a conversion message");
        assert!(!additions.contains(code), "{code:?} has a conversion message");
    }
}

#[test]
fn conversion_warnings_are_the_specifications() {
    let table = oracle("conversion-warnings.json");
    assert_eq!(rows(&table).len(), 8);
    assert_eq!(Warning::ALL.len(), rows(&table).len());
    for (number, (row, warning)) in (1..).zip(rows(&table).iter().zip(Warning::ALL)) {
        assert_eq!(warning.number(), number);
        assert_eq!(warning.name(), text(row, "code"));
        assert_eq!(warning.message(), text(row, "message"));
        assert_eq!(Warning::from_message(text(row, "message")), Some(*warning));
    }
}

#[test]
fn categories_and_their_handling_are_the_specifications() {
    let table = oracle("categories-handling.json");
    let theirs = rows(&table["categories"]);
    let additions = [
        Category::Local,
        Category::Network,
        Category::Protocol,
        Category::Conversion,
        Category::Order,
        Category::Login,
        Category::Verification,
    ];
    assert_eq!(theirs.len(), 9);
    assert_eq!(Category::ALL.len(), theirs.len() + additions.len());
    for (row, category) in theirs.iter().zip(Category::ALL) {
        assert_eq!(category.label(), text(row, "category"));
        match row["handling"].as_str() {
            Some(handling) => assert_eq!(category.handling(), handling),
            None => assert_eq!(category.handling(), "contact support with the reference"),
        }
        let retry = row["handling"].as_str().is_some_and(|h| h.contains("after a short delay"));
        assert_eq!(category.is_retryable(), retry, "{category:?}");
    }
    assert_eq!(&Category::ALL[theirs.len()..], additions);
    assert!(!additions.iter().any(|category| category.is_retryable()));
}

#[test]
fn every_service_row_tells_to_contact_support() {
    for code in ours(700..=728, &[]) {
        let advice = code.spec().advice;
        let support = advice.contains("support") || code == Code::CscCertificateRevoked;
        assert!(support, "{code:?}: {advice}");
    }
}

#[test]
fn limits_are_the_specifications() {
    let table = oracle("limits.json");
    let number = |value: &Value| value.as_u64().expect("a number");
    let documents = &table["conversion_documents"];
    assert_eq!(limits::CONVERSION_DOCUMENTS_MIN as u64, number(&documents["min"]));
    assert_eq!(limits::CONVERSION_DOCUMENTS_MAX as u64, number(&documents["max"]));
    let characters = number(&table["conversion_pdf_base64_characters"]["max"]);
    assert_eq!(limits::PDF_BASE64_MAX, characters);
    assert_eq!(limits::base64_length(limits::PDF_BYTES_MAX), Some(characters));
    assert_eq!(limits::base64_length(limits::PDF_BYTES_MAX + 1), Some(characters + 4));
    let validity = &table["order_validity_seconds"];
    let before = limits::ORDER_WINDOW_BEFORE.as_secs();
    assert_eq!(before, number(&validity["before_signing_starts"]));
    assert_eq!(limits::ORDER_WINDOW_AFTER.as_secs(), number(&validity["after_signing_ends"]));
    let too_large = Code::csc(text(&table["csc_payload"], "code")).expect("a CSC code");
    assert_eq!(too_large.spec().http_status, status(&table["csc_payload"]));
}

#[test]
fn states_are_the_specifications() {
    let table = oracle("states.json");
    let pades: Vec<_> = PadesState::KNOWN.iter().map(PadesState::as_str).collect();
    let sdo: Vec<_> = SdoState::KNOWN.iter().map(SdoState::as_str).collect();
    assert_eq!(pades, texts(&table["pades"]));
    assert_eq!(sdo, texts(&table["sdo"]));
    for text in pades {
        assert_eq!(PadesState::from_text(text).as_str(), text);
        assert!(PadesState::from_text(text).is_known());
    }
    for text in sdo {
        assert_eq!(SdoState::from_text(text).as_str(), text);
        assert!(SdoState::from_text(text).is_known());
    }
    let sequence: Vec<_> =
        endpoints::CSC_SEQUENCE.iter().map(|path| path.trim_start_matches('/')).collect();
    assert_eq!(sequence, texts(&table["csc_token_sequence"]));
}

#[test]
fn scopes_are_the_specifications() {
    let table = oracle("scopes.json");
    assert_eq!(scopes::SPECIFIED.len(), rows(&table).len());
    for (row, scope) in rows(&table).iter().zip(scopes::SPECIFIED) {
        assert_eq!(scope.name, text(row, "scope"));
        assert!(scope.meaning.eq_ignore_ascii_case(text(row, "meaning")), "{}", scope.name);
    }
}

#[test]
fn resources_and_fields_are_the_specifications() {
    let table = oracle("fields.json");
    let names: Vec<_> = fields::RESOURCES.iter().map(|resource| resource.name).collect();
    let theirs: Vec<_> = rows(&table).iter().map(|row| text(row, "resource")).collect();
    assert_eq!(names, theirs);
    for (row, resource) in rows(&table).iter().zip(fields::RESOURCES) {
        assert_eq!(resource.fields.len(), rows(&row["fields"]).len(), "{}", resource.name);
        for (row, field) in rows(&row["fields"]).iter().zip(resource.fields) {
            let place = format!("{}, {}", resource.name, field.name);
            assert_eq!(field.name, text(row, "name"), "{place}");
            assert_eq!(field.kind.label(), text(row, "type"), "{place}");
            assert_eq!(field.required, row["required"].as_bool(), "{place}");
            assert_eq!(resource.field(field.name), Some(field));
        }
    }
}

/// The values the specification allows for a field, from the oracle.
fn allowed(table: &Value, resource: &str, field: &str) -> Vec<String> {
    let resource = rows(table).iter().find(|row| row["resource"] == resource).expect("resource");
    let field = rows(&resource["fields"]).iter().find(|row| row["name"] == field).expect("field");
    texts(&field["values"]).into_iter().map(str::to_owned).collect()
}

#[test]
fn values_are_the_specifications() {
    let table = oracle("fields.json");
    let pades = allowed(&table, "PAdES sign order", "resultContent");
    assert_eq!(values::PADES_RESULTS, pades);
    assert_eq!(values::SDO_RESULTS, allowed(&table, "SEID-SDO sign order", "resultContent"));
    for resource in ["conversion request document", "PAdES document item"] {
        assert_eq!(values::PDF_SPECS, allowed(&table, resource, "pdfSpec"));
    }
    assert!(values::DISPLAY_MODES.contains(&"interior"));
}

#[test]
fn endpoints_are_the_specifications() {
    let table = oracle("endpoints.json");
    assert_eq!(endpoints::ENDPOINTS.len(), rows(&table["http"]).len());
    for (row, endpoint) in rows(&table["http"]).iter().zip(endpoints::ENDPOINTS) {
        let base = match endpoint.base {
            Base::Service => "{base_url}",
            Base::Signing => "{signdoc-baseurl}",
            other => panic!("{other:?} has no table"),
        };
        assert_eq!(endpoint.method, text(row, "method"));
        assert_eq!(format!("{base}{}", endpoint.path), text(row, "url"));
        assert_eq!(endpoint.query, texts(&row["query"]), "{endpoint:?}");
        assert_eq!(Some(endpoint.bearer), row["bearer"].as_bool(), "{endpoint:?}");
        let mut statuses = vec![u64::from(endpoint.success)];
        statuses.extend(endpoint.refusals.iter().copied().map(u64::from));
        let theirs: Vec<_> = rows(&row["statuses"]).iter().filter_map(Value::as_u64).collect();
        assert_eq!(statuses, theirs, "{endpoint:?}");
    }
    let paths: Vec<_> = rows(&table["csc"]).iter().map(|row| text(row, "path")).collect();
    assert_eq!(endpoints::CSC_PATHS, paths);
}

#[test]
fn versions_and_deprecations_are_the_specifications() {
    let table = oracle("versioning.json");
    assert_eq!(values::INTERFACE_VERSION, text(&table, "conversion_interface_version"));
    assert_eq!(values::INTERFACE_TITLE, text(&table, "conversion_interface_title"));
    assert_eq!(values::DISCOVERY_BASE_URL, text(&table, "discovery_key"));
    assert!(values::PADES_DEPRECATION.notice.contains(text(&table, "pades")));
    assert!(values::SDO_DEPRECATION.notice.contains(text(&table, "sdo")));
    assert_eq!(vec![values::ALLOW_SIGNED_DEPRECATION.what], texts(&table["deprecated_fields"]));
    assert_eq!(values::DEPRECATIONS.len(), 3);
}
