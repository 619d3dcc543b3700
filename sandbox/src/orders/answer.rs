//! Writing what the order endpoints answer. Documents are base64-encoded while they are sent.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::StatusCode;
use serde_json::{Map, Value, json};

use super::order::{Kind, Order, OrderState, Signed};
use super::request::Output;
use crate::convert::answer::{add_extra_fields, refused, result};
use crate::convert::engine::Outcome;
use crate::faults::{DownloadChange, Fault, Twist};
use crate::http::Answer;
use crate::http::text::Writer;
use crate::requests::sha256;
use crate::variants::{
    Digests, DownloadResults, OrderError, OrderStateForm, SignIdName, UnaskedResults, Variants,
};

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
    let name = match variants.sign_id_name {
        SignIdName::Snake => "sign_id",
        SignIdName::Camel => "signId",
    };
    fields.insert(name.to_owned(), id.into());
    if let Some(outcomes) = conversions {
        fields.insert("conversionResults".to_owned(), results(outcomes, variants));
    }
    add_extra_fields(Some(&mut fields), variants);
    Answer::json(StatusCode::CREATED, &Value::Object(fields))
}

/// 400 when a document could not be converted; there is no order then.
pub(crate) fn not_converted(outcomes: &[Outcome], variants: &Variants) -> Answer {
    let mut body = json!({ "conversionResults": refused(outcomes.iter(), variants) });
    add_extra_fields(body.as_object_mut(), variants);
    Answer::json(StatusCode::BAD_REQUEST, &body)
}

fn results(outcomes: &[Outcome], variants: &Variants) -> Value {
    outcomes.iter().map(|outcome| Value::Object(result(outcome, variants))).collect()
}

/// 200 with the state.
pub(crate) fn state(order: &Order, variants: &Variants) -> Answer {
    let name = order.state.name();
    let mut body = match variants.order_state {
        OrderStateForm::Object => json!({ "orderState": name }),
        OrderStateForm::WithOrder => json!({
            "signId": order.id, "orderName": order.properties.name, "orderState": name,
        }),
        OrderStateForm::OtherField => json!({ "status": name }),
        OrderStateForm::Nested => json!({"order": {"orderState": name}}),
        OrderStateForm::List => json!([{ "orderState": name }]),
        OrderStateForm::JsonString => Value::from(name),
        // who cannot be asked is not asked
        OrderStateForm::None | OrderStateForm::MethodNotAllowed => json!({}),
        OrderStateForm::Text => return Answer::text(StatusCode::OK, name),
        OrderStateForm::ServerError => {
            return Answer::text(StatusCode::INTERNAL_SERVER_ERROR, "internal error")
                .refused("the variant order_state has it so");
        }
    };
    add_extra_fields(body.as_object_mut(), variants);
    Answer::json(StatusCode::OK, &body)
}

/// 200 with everything the order brought; without documents unless it is completed.
pub(crate) fn download(order: &Order, variants: &Variants, twist: Option<&Twist>) -> Answer {
    let signed = match order.state {
        OrderState::Completed => twisted(&order.signed, twist),
        _ => Vec::new(),
    };
    let mut text = Text { writer: Writer::default(), variants, more: false };
    if variants.whitespace {
        text.raw("\u{feff}\r\n\t ");
    }
    text.open();
    match order.kind {
        Kind::Pades => pades(&mut text, order, &signed, twist),
        Kind::Sdo => sdo(&mut text, order, &signed),
    }
    text.tail(order, twist);
    text.close();
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
    /// Whether the object that is being written has a field already.
    more: bool,
}

impl Text<'_> {
    fn raw(&mut self, text: &str) {
        self.writer.push(text);
    }

    fn open(&mut self) {
        self.raw("{");
        self.more = false;
    }

    fn close(&mut self) {
        self.raw("}");
        self.more = true;
    }

    fn key(&mut self, name: &str) {
        let comma = if self.more { "," } else { "" };
        self.raw(&format!("{comma}\"{name}\":"));
        self.more = true;
    }

    fn value(&mut self, name: &str, value: &Value) {
        self.key(name);
        self.raw(&value.to_string());
    }

    fn string(&mut self, name: &str, value: &str) {
        self.value(name, &value.into());
    }

    fn base64(&mut self, bytes: &Bytes) {
        self.raw("\"");
        self.writer.push_document(bytes, self.variants.base64);
        self.raw("\"");
    }

    /// A document; `None` when it was not asked for.
    fn document(&mut self, name: &str, bytes: Option<&Bytes>) {
        let Some(bytes) = bytes else { return self.unasked(name, "".into()) };
        self.key(name);
        self.base64(bytes);
    }

    /// A list of documents; `None` when it was not asked for.
    fn documents<'b>(&mut self, name: &str, list: Option<impl Iterator<Item = &'b Bytes>>) {
        let Some(list) = list else { return self.unasked(name, json!([])) };
        self.key(name);
        self.raw("[");
        for (index, bytes) in list.enumerate() {
            self.raw(if index > 0 { "," } else { "" });
            self.base64(bytes);
        }
        self.raw("]");
    }

    /// A digest; `None` when it was not asked for.
    fn digest(&mut self, name: &str, digest: Option<&[u8]>) {
        match digest {
            Some(digest) => self.string(name, &shown_digest(digest, self.variants)),
            None => self.unasked(name, "".into()),
        }
    }

    fn unasked(&mut self, name: &str, empty: Value) {
        match self.variants.unasked_results {
            UnaskedResults::Absent => {}
            UnaskedResults::Null => self.value(name, &Value::Null),
            UnaskedResults::Empty => self.value(name, &empty),
        }
    }

    fn tail(&mut self, order: &Order, twist: Option<&Twist>) {
        let other = matches!(twist, Some(Fault::Download { change: DownloadChange::OtherSignId }));
        if order.kind == Kind::Sdo {
            self.string("clientId", &order.client_id);
        }
        let id = if other { "00000000-0000-4000-8000-000000000000" } else { &order.id };
        self.string("signId", id);
        self.string("orderName", &order.properties.name);
        self.string("orderState", order.state.name());
        let mut extra = Map::new();
        add_extra_fields(Some(&mut extra), self.variants);
        for (name, value) in extra {
            self.value(&name, &value);
        }
    }
}

fn pades(text: &mut Text<'_>, order: &Order, signed: &[Signed], twist: Option<&Twist>) {
    let wants = |output| order.results.contains(&output);
    let wrong = |wanted: DownloadChange| matches!(twist, Some(Fault::Download { change }) if *change == wanted);
    let bare = text.variants.download_results == DownloadResults::ObjectForOne && signed.len() == 1;
    text.key("signingResults");
    text.raw(if bare { "" } else { "[" });
    for (index, one) in signed.iter().enumerate() {
        let Some(document) = order.documents.get(index) else { break };
        // the digest of what was really made, whatever a fault hands out
        let real = order.signed.get(index).map_or(&one.document, |real| &real.document);
        let hashed = wants(Output::DocumentHash);
        let signed = changed(sha256(real), wrong(DownloadChange::SignedSha256));
        let unsigned = one.unsigned_sha256.clone();
        let unsigned = changed(unsigned, wrong(DownloadChange::UnsignedSha256));
        text.raw(if index > 0 { "," } else { "" });
        text.open();
        text.digest("signedDocumentSha256", hashed.then_some(signed.as_slice()));
        text.document("padesSignedPdf", wants(Output::SignedPdf).then_some(&one.document));
        text.document("padesAppendix", wants(Output::Appendix).then_some(&one.appendix));
        text.string("description", &document.description);
        text.digest("unsignedDocumentSha256", hashed.then_some(unsigned.as_slice()));
        text.close();
    }
    text.raw(if bare { "" } else { "]" });
}

fn changed(mut digest: Vec<u8>, wrong: bool) -> Vec<u8> {
    if let (true, Some(byte)) = (wrong, digest.first_mut()) {
        *byte ^= 1;
    }
    digest
}

fn shown_digest(digest: &[u8], variants: &Variants) -> String {
    match variants.digests {
        Digests::Base64 => STANDARD.encode(digest),
        Digests::Hex => digest.iter().map(|byte| format!("{byte:02x}")).collect(),
    }
}

fn sdo(text: &mut Text<'_>, order: &Order, signed: &[Signed]) {
    let wants = |output| order.results.contains(&output);
    if wants(Output::DocumentHash) {
        let shown = |one: &Signed| Value::from(shown_digest(&one.unsigned_sha256, text.variants));
        let list: Value = signed.iter().map(shown).collect();
        text.value("documentHashes", &list);
    } else {
        text.unasked("documentHashes", json!([]));
    }
    let list = |wanted: bool, part: fn(&Signed) -> &Bytes| wanted.then(|| signed.iter().map(part));
    text.documents("sdos", list(wants(Output::Sdo), |one| &one.document));
    let basic = wants(Output::BasicSignature);
    text.documents("merchantSignatures", list(basic, |one| &one.merchant_cms));
    text.documents("endUserSignatures", list(basic, |one| &one.end_user_cms));
}
