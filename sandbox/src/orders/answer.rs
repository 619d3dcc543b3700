//! Writing what the order endpoints answer. Documents are base64-encoded while they are sent.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::StatusCode;
use serde_json::{Map, Value, json};

use super::order::{Kind, Order, OrderState, Signed};
use super::request::Output;
use crate::convert::answer::{add_extra_fields, result};
use crate::convert::engine::Outcome;
use crate::faults::{DownloadChange, Fault, Twist};
use crate::http::Answer;
use crate::http::text::Writer;
use crate::requests::sha256;
use crate::variants::{OrderError, OrderStateForm, Variants};

/// The answer to a refused request.
pub(crate) fn refusal(status: StatusCode, problems: &[String], variants: &Variants) -> Answer {
    let reason = problems.join("; ");
    let answer = match variants.order_error {
        OrderError::Errors => Answer::json(status, &json!({ "errors": problems })),
        OrderError::Text => Answer::text(status, problems.join("\n")),
        OrderError::JsonString => Answer::json(status, &Value::from(problems.join("\n"))),
    };
    answer.refused(reason)
}

/// 201 for a new order.
pub(crate) fn created(id: &str, conversions: Option<&[Outcome]>, variants: &Variants) -> Answer {
    let mut fields = Map::new();
    fields.insert("sign_id".to_owned(), id.into());
    if let Some(outcomes) = conversions {
        fields.insert("conversionResults".to_owned(), results(outcomes, variants));
    }
    add_extra_fields(Some(&mut fields), variants);
    Answer::json(StatusCode::CREATED, &Value::Object(fields))
}

/// 400 when a document could not be converted; there is no order then.
pub(crate) fn not_converted(outcomes: &[Outcome], variants: &Variants) -> Answer {
    let mut body = json!({ "conversionResults": results(outcomes, variants) });
    add_extra_fields(body.as_object_mut(), variants);
    Answer::json(StatusCode::BAD_REQUEST, &body)
}

fn results(outcomes: &[Outcome], variants: &Variants) -> Value {
    outcomes.iter().map(|outcome| Value::Object(result(outcome, variants))).collect()
}

/// 200 with the state.
pub(crate) fn state(state: OrderState, variants: &Variants) -> Answer {
    let name = state.name();
    match variants.order_state {
        OrderStateForm::Object => {
            let mut body = json!({ "orderState": name });
            add_extra_fields(body.as_object_mut(), variants);
            Answer::json(StatusCode::OK, &body)
        }
        OrderStateForm::JsonString => Answer::json(StatusCode::OK, &Value::from(name)),
        OrderStateForm::Text => Answer::text(StatusCode::OK, name),
    }
}

/// 200 with everything the order brought; without documents unless it is completed.
pub(crate) fn download(order: &Order, variants: &Variants, twist: Option<&Twist>) -> Answer {
    let signed = match order.state {
        OrderState::Completed => twisted(&order.signed, twist),
        _ => Vec::new(),
    };
    let mut text = Text { writer: Writer::default(), variants };
    if variants.whitespace {
        text.raw("\u{feff}\r\n\t ");
    }
    text.raw("{");
    match order.kind {
        Kind::Pades => pades(&mut text, order, &signed, twist),
        Kind::Sdo => sdo(&mut text, order, &signed),
    }
    text.tail(order, twist);
    if variants.whitespace {
        text.raw(" \n");
    }
    let mut body = text.writer.finish();
    if variants.chunked {
        body.unannounced();
    }
    Answer::new(StatusCode::OK, "application/json", body)
}

fn twisted(signed: &[Signed], twist: Option<&Twist>) -> Vec<Signed> {
    let mut signed = signed.to_vec();
    match twist {
        Some(Fault::Download { change: DownloadChange::MissingDocument }) => {
            signed.pop();
        }
        Some(Fault::Download { change: DownloadChange::OtherDocument }) => {
            if let Some(last) = signed.last_mut() {
                let mut bytes = last.document.to_vec();
                if let Some(byte) = bytes.last_mut() {
                    *byte ^= 1;
                }
                // the reported digest stays that of the real one
                last.document = bytes.into();
            }
        }
        _ => {}
    }
    signed
}

struct Text<'a> {
    writer: Writer,
    variants: &'a Variants,
}

impl Text<'_> {
    fn raw(&mut self, text: &str) {
        self.writer.push(text);
    }

    fn string(&mut self, name: &str, value: &str) {
        self.raw(&format!("\"{name}\":{}", Value::from(value)));
    }

    fn document(&mut self, bytes: &Bytes) {
        self.raw("\"");
        self.writer.push_document(bytes, self.variants.base64);
        self.raw("\"");
    }

    /// A list of documents under a name, followed by a comma.
    fn documents<'b>(&mut self, name: &str, list: impl Iterator<Item = &'b Bytes>) {
        self.raw(&format!("\"{name}\":["));
        for (index, bytes) in list.enumerate() {
            self.raw(if index > 0 { "," } else { "" });
            self.document(bytes);
        }
        self.raw("],");
    }

    fn tail(&mut self, order: &Order, twist: Option<&Twist>) {
        let other = matches!(twist, Some(Fault::Download { change: DownloadChange::OtherSignId }));
        if order.kind == Kind::Sdo {
            self.string("clientId", &order.client_id);
            self.raw(",");
        }
        self.string(
            "signId",
            if other { "00000000-0000-4000-8000-000000000000" } else { &order.id },
        );
        self.raw(",");
        self.string("orderName", &order.properties.name);
        self.raw(",");
        self.string("orderState", order.state.name());
        let mut extra = Map::new();
        add_extra_fields(Some(&mut extra), self.variants);
        for (name, value) in extra {
            self.raw(&format!(",\"{name}\":{value}"));
        }
        self.raw("}");
    }
}

fn pades(text: &mut Text<'_>, order: &Order, signed: &[Signed], twist: Option<&Twist>) {
    let wants = |output| order.results.contains(&output);
    let wrong = |wanted: DownloadChange| matches!(twist, Some(Fault::Download { change }) if *change == wanted);
    text.raw("\"signingResults\":[");
    for (index, one) in signed.iter().enumerate() {
        let Some(document) = order.documents.get(index) else { break };
        // the digest of what was really made, whatever a fault hands out
        let real = order.signed.get(index).map_or(&one.document, |real| &real.document);
        text.raw(if index > 0 { ",{" } else { "{" });
        if wants(Output::DocumentHash) {
            let digest = hash(sha256(real), wrong(DownloadChange::SignedSha256));
            text.string("signedDocumentSha256", &digest);
            text.raw(",");
        }
        if wants(Output::SignedPdf) {
            text.raw("\"padesSignedPdf\":");
            text.document(&one.document);
            text.raw(",");
        }
        if wants(Output::Appendix) {
            text.raw("\"padesAppendix\":");
            text.document(&one.appendix);
            text.raw(",");
        }
        text.string("description", &document.description);
        if wants(Output::DocumentHash) {
            text.raw(",");
            let unsigned = one.unsigned_sha256.clone();
            let digest = hash(unsigned, wrong(DownloadChange::UnsignedSha256));
            text.string("unsignedDocumentSha256", &digest);
        }
        text.raw("}");
    }
    text.raw("],");
}

fn hash(mut digest: Vec<u8>, wrong: bool) -> String {
    if let (true, Some(byte)) = (wrong, digest.first_mut()) {
        *byte ^= 1;
    }
    STANDARD.encode(digest)
}

fn sdo(text: &mut Text<'_>, order: &Order, signed: &[Signed]) {
    let wants = |output| order.results.contains(&output);
    if wants(Output::DocumentHash) {
        let list: Vec<Value> =
            signed.iter().map(|one| STANDARD.encode(&one.unsigned_sha256).into()).collect();
        text.raw(&format!("\"documentHashes\":{},", Value::from(list)));
    }
    if wants(Output::Sdo) {
        text.documents("sdos", signed.iter().map(|one| &one.document));
    }
    if wants(Output::BasicSignature) {
        text.documents("merchantSignatures", signed.iter().map(|one| &one.merchant_cms));
        text.documents("endUserSignatures", signed.iter().map(|one| &one.end_user_cms));
    }
}
