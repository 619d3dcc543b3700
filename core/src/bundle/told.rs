//! What a caller tells about an order and a login, as it is kept and asked about.

use serde_json::{Map, Value};
use signdoc_signature::pdf::SharedSource;
use signdoc_signature::verify::{ExpectedSigner, VerifyOptions};

use super::refused;
use crate::error::Result;

/// Largest order and identity, in bytes: what a verification reads.
const MAX_JSON: usize = 1 << 20;

/// Claims without numbers: names, and what OpenID Connect Core (sections 2 and 5.1) says of the
/// token and the login themselves.
const KEPT: [&str; 14] = [
    "name",
    "given_name",
    "middle_name",
    "family_name",
    "iss",
    "aud",
    "azp",
    "iat",
    "nbf",
    "exp",
    "auth_time",
    "acr",
    "amr",
    "idp",
];

/// What of a report identifies a person beyond the name.
const NUMBERS: [&str; 2] = ["serial_number", "subject"];

/// A JSON object of bounded size.
pub(super) fn object(field: &str, text: &str) -> Result<Map<String, Value>> {
    if text.len() > MAX_JSON {
        let message = format!("{field} has {} bytes, at most {MAX_JSON} are kept", text.len());
        return Err(refused(field, &message));
    }
    // The reader's own error may repeat a piece of the text.
    serde_json::from_str(text).map_err(|_| refused(field, &format!("{field} is no JSON object")))
}

/// The claims that go into the bundle.
pub(super) fn kept(mut claims: Map<String, Value>, with_numbers: bool) -> Map<String, Value> {
    claims.retain(|name, _| with_numbers || KEPT.contains(&name.as_str()));
    claims
}

/// Asks a verification for what the bundle will be asked for.
pub(super) fn ask(
    order: Option<&Map<String, Value>>,
    claims: Option<&Map<String, Value>>,
    is_pdf: bool,
    asked: &mut VerifyOptions,
) {
    let text = |name: &str| Some(order?.get(name)?.as_str()?.to_owned());
    // Digests are options of PDFs; the bundle compares those of others itself.
    if is_pdf {
        let reported = &mut asked.reported;
        reported.signed_sha256 = reported.signed_sha256.take().or(text("signed_sha256"));
        reported.unsigned_sha256 = reported.unsigned_sha256.take().or(text("unsigned_sha256"));
        let is_converted = order.and_then(|order| order.get("converted")?.as_bool());
        asked.converted |= is_converted.unwrap_or(false);
    }
    let texts = claims.into_iter().flatten();
    let texts = texts.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())));
    let comparable: Vec<_> = texts.filter(|(name, _)| ExpectedSigner::compares(name)).collect();
    if !comparable.is_empty() && !asked.trust.is_empty() {
        asked.signer.get_or_insert_default().claims.extend(comparable);
    }
}

/// Takes out of a report what identifies persons beyond their names.
pub(super) fn without_numbers(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|name, _| !NUMBERS.contains(&name.as_str()));
            fields.values_mut().for_each(without_numbers);
        }
        Value::Array(items) => items.iter_mut().for_each(without_numbers),
        _ => {}
    }
}

/// Extension and MIME type of an original, by how it begins.
pub(super) fn kind(original: &SharedSource) -> (&'static str, &'static str) {
    let mut head = [0; 1024];
    let read = original.read_at(0, &mut head).unwrap_or(0);
    let head = head.get(..read).unwrap_or_default();
    if head.windows(5).any(|part| part == b"%PDF-") {
        return ("pdf", "application/pdf");
    }
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
    match text.starts_with(b"<") {
        true => ("xml", "application/xml"),
        false => ("txt", "text/plain"),
    }
}
