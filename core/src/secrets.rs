//! The secrets a client uses, so that none of them shows where the other side repeats a request.
//!
//! Gateways and debugging endpoints echo what they got: headers, forms, whole bodies. Whatever
//! leaves this client as a credential is noted here when it leaves, and replaced in every text of
//! an answer before an error, a trace or a log is made of it.

use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use bytes::Bytes;
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Map, Value};
use zeroize::Zeroizing;

use crate::error::Error;

/// What stands in a secret's place.
pub(crate) const REDACTED: &str = "[redacted]";
/// The detail of an error whose raw answer repeats a secret.
const RAW_HOLDS_SECRETS: &str = "raw_answer_holds_secrets";
/// What stands in the place of a document.
const OMITTED: &str = "[base64 omitted]";
/// Shorter texts are no secrets that could be told apart from ordinary words.
const SHORTEST: usize = 6;
/// The bytes of a form by whose end it is looked for.
const END: usize = SHORTEST;
/// Secrets that are remembered; older ones have expired long ago.
const KEPT: usize = 256;
/// An unbroken run of base64 characters of this length is a document or a token, not a message.
const LONG_RUN: usize = 200;
/// Form fields that carry credentials (RFC 6749, RFC 7521, RFC 7636).
const FORM_FIELDS: &[&str] = &[
    "client_secret",
    "client_assertion",
    "code",
    "code_verifier",
    "refresh_token",
    "password",
    "assertion",
    "access_token",
];

/// Every form in which a secret may be repeated.
type Forms = Arc<[Zeroizing<String>]>;

struct Known {
    secret: Zeroizing<String>,
    forms: Forms,
}

/// The live secrets of one client; clones share them.
#[derive(Clone, Default)]
pub(crate) struct Secrets(Arc<Mutex<VecDeque<Known>>>);

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secrets(...)")
    }
}

impl Secrets {
    /// Notes a secret. One that is noted again becomes the newest.
    pub(crate) fn learn(&self, secret: &str) {
        let secret = secret.trim();
        if secret.len() < SHORTEST {
            return;
        }
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match known.iter().position(|one| one.secret.as_str() == secret) {
            Some(0) => {}
            Some(at) => {
                if let Some(one) = known.remove(at) {
                    known.push_front(one);
                }
            }
            None => {
                known.truncate(KEPT - 1);
                let forms = forms(secret).into();
                known.push_front(Known { secret: Zeroizing::new(secret.to_owned()), forms });
            }
        }
    }

    /// Notes what an `Authorization` header carries.
    pub(crate) fn learn_header(&self, header: &SecretString) {
        let header = header.expose_secret();
        self.learn(header.split_once(' ').map_or(header, |(_, credentials)| credentials));
    }

    /// Notes the credentials in a form.
    pub(crate) fn learn_form(&self, form: &SecretString) {
        let pairs = url::form_urlencoded::parse(form.expose_secret().as_bytes());
        for (name, value) in pairs {
            if FORM_FIELDS.contains(&name.as_ref()) {
                self.learn(&Zeroizing::new(value.into_owned()));
            }
        }
    }

    /// The text without secrets, in whatever form they stand there.
    pub(crate) fn clean<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut cleaned = Cow::Borrowed(text);
        for form in self.forms().iter().flat_map(|forms| forms.iter()) {
            if cleaned.contains(form.as_str()) {
                cleaned = Cow::Owned(cleaned.replace(form.as_str(), REDACTED));
            }
        }
        cleaned
    }

    /// All forms, in a list of its own: others learn while a text is searched.
    fn forms(&self) -> Vec<Forms> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.iter().map(|one| one.forms.clone()).collect()
    }

    /// Whether a secret stands in `bytes`, which may be large: one pass for all of them.
    fn stand_in(&self, bytes: &[u8]) -> bool {
        let known = self.forms();
        let mut by_end: HashMap<[u8; END], Vec<&[u8]>> = HashMap::new();
        // Most places are passed by at the price of one look into a table.
        let mut ends = vec![false; 1 << 16];
        for form in known.iter().flat_map(|forms| forms.iter()) {
            if let Some(end) = form.as_bytes().last_chunk::<END>() {
                by_end.entry(*end).or_default().push(form.as_bytes());
                if let Some(slot) = ends.get_mut(slot_of(end)) {
                    *slot = true;
                }
            }
        }
        bytes.windows(END).enumerate().any(|(at, window)| {
            let Some(end) = window.first_chunk::<END>() else { return false };
            ends.get(slot_of(end)).is_some_and(|slot| *slot)
                && by_end.get(end).is_some_and(|forms| {
                    let before = bytes.get(..at + END).unwrap_or_default();
                    forms.iter().any(|form| before.ends_with(form))
                })
        })
    }

    /// The error without secrets in its texts and details.
    pub(crate) fn cleaned(&self, error: Error) -> Error {
        // A raw answer stays as it came: it may be the only copy. Whoever passes the error on has to
        // know.
        let holds = |raw: &Bytes| self.stand_in(raw);
        let error = match error.raw_answer().is_some_and(holds) {
            true => error.with_detail(RAW_HOLDS_SECRETS, true),
            false => error,
        };
        error.map_texts(&|text| match self.clean(text) {
            Cow::Borrowed(_) => None,
            Cow::Owned(cleaned) => Some(cleaned),
        })
    }
}

/// A number for the end of a form, below 65,536.
fn slot_of(end: &[u8; END]) -> usize {
    let mixed = u64::from_le_bytes([end[0], end[1], end[2], end[3], end[4], end[5], 0, 0])
        .wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed >> 48) as usize
}

/// Replaces the texts in `value` for which `change` has another one.
pub(crate) fn change_texts(value: &mut Value, change: &dyn Fn(&str) -> Option<String>) {
    match value {
        Value::String(text) => {
            if let Some(changed) = change(text) {
                *text = changed;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| change_texts(item, change)),
        Value::Object(members) => change_members(members, change),
        _ => {}
    }
}

/// The same for the members of an object.
pub(crate) fn change_members(
    members: &mut Map<String, Value>,
    change: &dyn Fn(&str) -> Option<String>,
) {
    members.values_mut().for_each(|member| change_texts(member, change));
}

/// The forms in which a text may be repeated: as it is, inside of JSON, of an address, of a form,
/// of a page, and of base64 with whatever stands before it.
fn forms(secret: &str) -> Vec<Zeroizing<String>> {
    let json = Value::String(secret.to_owned()).to_string();
    let json = json.trim_matches('"').to_owned();
    let percent: String = secret.bytes().map(percent_encoded).collect();
    let form: String = url::form_urlencoded::byte_serialize(secret.as_bytes()).collect();
    let mut all = vec![
        secret.to_owned(),
        json.replace('/', "\\/"),
        in_ascii(&json, |unit| format!("\\u{unit:04x}")),
        in_ascii(&json, |unit| format!("\\u{unit:04X}")),
        json,
        percent.to_ascii_lowercase(),
        percent,
        form,
        in_html(secret, "&quot;", "&#39;"),
        in_html(secret, "&#34;", "&#x27;"),
    ];
    all.extend(in_base64(secret.as_bytes()));
    all.retain(|form| form.len() >= SHORTEST);
    // The longest first: a shorter form may be a part of it.
    all.sort_by_key(|form| std::cmp::Reverse(form.len()));
    all.dedup();
    all.into_iter().map(Zeroizing::new).collect()
}

/// A byte in an address (RFC 3986 section 2.1).
fn percent_encoded(byte: u8) -> String {
    match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
            char::from(byte).to_string()
        }
        _ => format!("%{byte:02X}"),
    }
}

/// JSON that writes everything but ASCII as escapes, of UTF-16 units (RFC 8259 section 7).
fn in_ascii(json: &str, escape: impl Fn(u16) -> String) -> String {
    let mut units = [0; 2];
    let mut out = String::new();
    for character in json.chars() {
        match character.is_ascii() {
            true => out.push(character),
            false => {
                out.extend(character.encode_utf16(&mut units).iter().map(|unit| escape(*unit)))
            }
        }
    }
    out
}

fn in_html(text: &str, quote: &str, apostrophe: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', quote)
        .replace('\'', apostrophe)
}

/// The base64 characters that `bytes` become at each of the three places they may have in what is
/// encoded, without those that depend on their neighbours.
fn in_base64(bytes: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    // The first characters hold bits of what stands before, the last one those of what follows.
    for (before, skip) in [(0, 0), (1, 2), (2, 3)] {
        let padded = [vec![0; before], bytes.to_vec()].concat();
        let whole = padded.len() / 3 * 4;
        for text in [STANDARD_NO_PAD.encode(&padded), URL_SAFE_NO_PAD.encode(&padded)] {
            let core = text.get(skip..whole.max(skip)).unwrap_or_default();
            if core.len() > SHORTEST {
                found.push(core.to_owned());
            }
        }
    }
    found
}

/// The text without runs of base64 that can only be documents or tokens.
pub(crate) fn without_documents(text: &str) -> Cow<'_, str> {
    let is_run = |c: char| c.is_ascii_alphanumeric() || "+/=_-".contains(c);
    let mut out = String::new();
    let mut kept = 0;
    let mut start = None;
    let ends = text.char_indices().map(|(at, c)| (at, is_run(c)));
    for (at, inside) in ends.chain([(text.len(), false)]) {
        match (start, inside) {
            (None, true) => start = Some(at),
            (Some(from), false) => {
                start = None;
                if at - from >= LONG_RUN {
                    out.push_str(text.get(kept..from).unwrap_or_default());
                    out.push_str(OMITTED);
                    kept = at;
                }
            }
            _ => {}
        }
    }
    if kept == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(text.get(kept..).unwrap_or_default());
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use base64::engine::general_purpose::{STANDARD, URL_SAFE};

    use super::*;

    const CANARY: &str = "Canary/4711+\"ø&secret=";

    fn secrets() -> Secrets {
        let secrets = Secrets::default();
        secrets.learn(CANARY);
        secrets
    }

    fn holds_canary(text: &str) -> bool {
        let lower = text.to_lowercase();
        ["canary", "4711", "secret"].iter().any(|part| lower.contains(part))
    }

    #[test]
    fn every_form_of_a_secret_is_replaced() {
        let whole = format!("user:{CANARY}");
        for text in [
            format!("Authorization: Bearer {CANARY}\r\n"),
            serde_json::json!({"echo": {"token": CANARY}}).to_string(),
            serde_json::json!({"echo": CANARY}).to_string().replace('/', "\\/"),
            format!(
                "token={}",
                url::form_urlencoded::byte_serialize(CANARY.as_bytes()).collect::<String>()
            ),
            format!("/cb?t={}", CANARY.bytes().map(percent_encoded).collect::<String>()),
            format!("<p>{}</p>", in_html(CANARY, "&quot;", "&#39;")),
        ] {
            let cleaned = secrets().clean(&text).into_owned();
            assert!(!holds_canary(&cleaned), "{text} became {cleaned}");
            assert!(cleaned.contains(REDACTED));
        }
        for text in [CANARY, &whole, &format!("ab{whole}tail"), &format!("abc{whole}")] {
            for encoded in [STANDARD.encode(text), URL_SAFE.encode(text)] {
                let cleaned = secrets().clean(&encoded).into_owned();
                let rest = cleaned.replace(REDACTED, "");
                assert!(cleaned.contains(REDACTED), "{encoded} became {cleaned}");
                // What is left of the secret's own characters are those it shares with neighbours.
                assert!(rest.len() + 20 < encoded.len(), "{encoded} became {cleaned}");
            }
        }
    }

    #[test]
    fn every_form_is_found_in_bytes() {
        let secrets = secrets();
        secrets.learn("another one that is longer than the first");
        for forms in secrets.forms() {
            for form in forms.iter() {
                let text = [&[0xff; 9], form.as_bytes(), b"tail"].concat();
                assert!(secrets.stand_in(&text), "{}", form.as_str());
                let cut = &text[..text.len() - 5];
                let shorter = forms.iter().any(|one| cut.ends_with(one.as_bytes()));
                let holds = String::from_utf8_lossy(cut);
                let inside = forms.iter().any(|one| holds.contains(one.as_str()));
                assert_eq!(secrets.stand_in(cut), inside || shorter, "{}", form.as_str());
            }
        }
        assert!(!secrets.stand_in(b"none"));
    }

    #[test]
    fn what_is_no_secret_stays() {
        let text = "HTTP status 400: the field client_secret is missing";
        assert!(matches!(secrets().clean(text), Cow::Borrowed(_)));
        let short = Secrets::default();
        short.learn("error");
        assert!(matches!(short.clean("an error"), Cow::Borrowed(_)), "too short to be one");
    }

    #[test]
    fn documents_in_an_echo_are_left_out() {
        let pdf = STANDARD.encode([b"%PDF-1.4 ".as_slice(), &[7; 400]].concat());
        let text = format!(r#"{{"documents":[{{"pdf":"{pdf}"}}],"error":"too many"}}"#);
        let cleaned = without_documents(&text);
        assert_eq!(
            cleaned,
            format!(r#"{{"documents":[{{"pdf":"{OMITTED}"}}],"error":"too many"}}"#)
        );
        assert!(matches!(without_documents("HTTP status 400: no"), Cow::Borrowed(_)));
    }

    #[test]
    fn old_secrets_make_room() {
        let secrets = secrets();
        for number in 0..2 * KEPT {
            secrets.learn(&format!("token-{number:04}"));
        }
        let newest = format!("token-{:04}", 2 * KEPT - 1);
        assert_eq!(secrets.clean(&newest), REDACTED);
        assert_eq!(secrets.clean("token-0000"), "token-0000");
    }
}
