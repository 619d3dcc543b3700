//! What the other files of a container say about the signed one: what was sent, what the service
//! reported, who logged in.

use serde_json::{Map, Value};

use super::comparison::decoded_digest;
use super::container::digest;
use super::options::{ExpectedSigner, VerifyOptions};
use crate::asic::{Archive, IDENTITY, ORDER, ORIGINAL};
use crate::crypto::HashAlgorithm;
use crate::pdf::SharedSource;
use crate::report::Check;

/// Largest order and identity that are read, in bytes.
const MAX_JSON: u64 = 1 << 20;

/// What was found, not yet compared.
#[derive(Default)]
pub(super) struct Told {
    is_pdf: bool,
    original: Option<SharedSource>,
    order: Option<Map<String, Value>>,
    claims: Option<Map<String, Value>>,
    checks: Vec<Check>,
}

pub(super) fn read(archive: &Archive, is_pdf: bool) -> Told {
    let mut told = Told { is_pdf, ..Told::default() };
    let is_original =
        |name: &str| name.strip_prefix(ORIGINAL).is_some_and(|rest| rest.starts_with('.'));
    let mut originals = archive.entries.iter().filter(|entry| is_original(&entry.name));
    told.original = originals.next().map(|entry| entry.content.clone());
    if originals.next().is_some() {
        told.original = None;
        told.checks.push(Check::failed("original", "the container holds several originals"));
    }
    for (name, check) in [(ORDER, "order"), (IDENTITY, "identity")] {
        let found = match archive.bytes(name, MAX_JSON) {
            Ok(None) => continue,
            Ok(Some(bytes)) => serde_json::from_slice::<Map<String, Value>>(&bytes)
                .map_err(|_| format!("{name} is no json object")),
            Err(why) => Err(why),
        };
        match (found, name) {
            (Ok(found), ORDER) => told.order = Some(found),
            (Ok(found), _) => told.claims = Some(found),
            (Err(why), _) => told.checks.push(Check::failed(check, why)),
        }
    }
    told
}

impl Told {
    /// Asks for what was told, besides what the caller asks: nothing that the caller gave is
    /// replaced. Gives the checks that are made here.
    pub(super) fn apply(mut self, signed: &SharedSource, asked: &mut VerifyOptions) -> Vec<Check> {
        if asked.original.is_none() {
            asked.original = self.original.take();
        }
        let mut checks = std::mem::take(&mut self.checks);
        if let Some(order) = &self.order {
            checks.push(check_order(order, signed, asked, self.is_pdf));
        }
        if let Some(claims) = &self.claims {
            checks.push(expect(claims, asked));
        }
        checks
    }
}

/// The digest of the signed file is compared here, that of the unsigned one by its verification.
fn check_order(
    order: &Map<String, Value>,
    signed: &SharedSource,
    asked: &mut VerifyOptions,
    is_pdf: bool,
) -> Check {
    let text = |name: &str| order.get(name).and_then(Value::as_str);
    let same = |one: &str, other: &str| {
        decoded_digest(one).is_some_and(|d| Some(d) == decoded_digest(other))
    };
    if let Some(unsigned) = text("unsigned_sha256").filter(|_| is_pdf) {
        let known = asked.reported.unsigned_sha256.get_or_insert_with(|| unsigned.to_owned());
        if !same(known, unsigned) {
            return Check::failed("order", "it has another digest of the unsigned document");
        }
    }
    if is_pdf && order.get("converted").and_then(Value::as_bool) == Some(true) {
        asked.converted = true;
    }
    let Some(reported) = text("signed_sha256") else {
        return Check::not_checked("order", "it has no digest of the signed document");
    };
    match digest(signed, HashAlgorithm::Sha256) {
        Ok(found) if decoded_digest(reported).as_deref() == Some(found.as_slice()) => {
            Check::passed("order", "the digest that the service reported is that of the document")
        }
        Ok(_) => Check::failed("order", "the service reported another digest of the document"),
        Err(error) => Check::failed("order", format!("the document cannot be read: {error}")),
    }
}

/// A trusted signature must be by whom the claims name, besides whom the caller expects.
fn expect(claims: &Map<String, Value>, asked: &mut VerifyOptions) -> Check {
    let texts = claims.iter().filter_map(|(name, value)| Some((name, value.as_str()?)));
    let comparable: Vec<(String, String)> = texts
        .filter(|(name, _)| ExpectedSigner::compares(name))
        .map(|(name, value)| (name.clone(), value.to_owned()))
        .collect();
    if comparable.is_empty() {
        return Check::not_checked(
            "identity",
            "it has no claim that a certificate could agree with",
        );
    }
    if asked.trust.is_empty() {
        return Check::not_checked("identity", "no trust anchors were given: nobody is known");
    }
    let names: Vec<&str> = comparable.iter().map(|(name, _)| name.as_str()).collect();
    let detail = format!("its claims are compared with the signer: {}", names.join(", "));
    asked.signer.get_or_insert_default().claims.extend(comparable);
    Check::passed("identity", detail)
}
