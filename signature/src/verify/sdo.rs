//! The verdict on a file of signed data objects (SEID-SDO).

use serde_json::{Value, json};

use super::options::{ExpectedSigner, Requirement, VerifyOptions};
use super::outcome::conformance;
use super::purpose;
use super::report::SignerReport;
use crate::asn1::Time;
use crate::pdf::copy_range;
use crate::report::{Check, Checks, Status};
use crate::sdo::{DocumentKind, MAX_SIZE, Sdo, SdoReport, SdoSigner, SdoTrust, to_iso_8859_1};

/// What was found about a file of signed data objects.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct SdoFileReport {
    /// Every object holds, and everything that was asked for passed.
    pub ok: bool,
    /// The checks of every object; `object[0].` stands before their names where there are several.
    pub checks: Checks,
    /// The signers of all objects, in the order of the file.
    pub signers: Vec<SdoSigner>,
    /// Who sealed the objects.
    pub seals: Vec<SdoSigner>,
    /// MIME types of the documents.
    pub mime_types: Vec<String>,
}

/// Verifies every object of a file. What it contains is never an error.
pub(super) fn verify(bytes: &[u8], options: &VerifyOptions) -> SdoFileReport {
    let mut verdict = SdoFileReport::default();
    let original = match original(options) {
        Ok(original) => original,
        Err(why) => {
            verdict.checks.failed("original", why);
            return verdict;
        }
    };
    let objects = match Sdo::parse_all(bytes) {
        Ok(objects) => objects,
        Err(error) => {
            verdict.checks.failed("structure", error.to_string());
            return verdict;
        }
    };
    let several = objects.len() > 1;
    let mut all_hold = true;
    for (index, object) in objects.iter().enumerate() {
        let report = report(object, original.as_deref(), options);
        let mut checks = report.checks.clone();
        ask_more(&mut checks, &report, options);
        all_hold &= report.is_valid() && is_ok(&checks);
        let named = |check: Check| match several {
            true => Check { name: format!("object[{index}].{}", check.name), ..check },
            false => check,
        };
        verdict.checks.extend(checks.into_iter().map(named));
        verdict.signers.extend(report.signers);
        verdict.seals.extend(report.seal);
        verdict.mime_types.extend(report.kind.map(|kind| kind.mime().to_owned()));
    }
    verdict.ok = all_hold && !objects.is_empty();
    verdict
}

/// The bytes that were sent, when they are given.
fn original(options: &VerifyOptions) -> Result<Option<Vec<u8>>, String> {
    let Some(source) = &options.original else { return Ok(None) };
    if source.len() > MAX_SIZE as u64 {
        return Err(format!("it has {} bytes, at most {MAX_SIZE} are read", source.len()));
    }
    let mut bytes = Vec::new();
    copy_range(source.as_ref(), 0, source.len(), &mut bytes)
        .map_err(|error| format!("it cannot be read: {error}"))?;
    Ok(Some(bytes))
}

fn report(object: &Sdo<'_>, original: Option<&[u8]>, options: &VerifyOptions) -> SdoReport {
    let now = options.at.unwrap_or_else(Time::now);
    let trust = SdoTrust { pool: &options.certificates, ..SdoTrust::new(&options.trust, now) };
    let report = object.verify(original, &trust);
    // Texts are signed as ISO 8859-1; the file that was sent may well be UTF-8.
    let passed = |report: &SdoReport| report.checks.status("document") == Status::Passed;
    let is_text = object.kind() == Some(DocumentKind::Text);
    let other = original.filter(|_| is_text && !passed(&report));
    let other = other.and_then(|bytes| to_iso_8859_1(std::str::from_utf8(bytes).ok()?));
    let other = other.map(|bytes| object.verify(Some(&bytes), &trust));
    other.filter(passed).unwrap_or(report)
}

/// No failure, and no answer missing that was asked for.
fn is_ok(checks: &Checks) -> bool {
    let asked = checks.iter().filter(|check| ASKED.contains(&check.name.as_str()));
    !checks.any_failed() && asked.into_iter().all(|check| check.status == Status::Passed)
}

/// Whether a check counts for the verdict, by its name.
pub(super) fn counts(name: &str) -> bool {
    let of_object = name.split_once("].").filter(|(owner, _)| owner.starts_with("object"));
    let name = of_object.map_or(name, |(_, rest)| rest);
    ASKED.contains(&name)
        || name == "document"
        || name.split_once('.').is_some_and(|(_, part)| matches!(part, "digest" | "cms" | "chain"))
}

/// Checks that are there only when they were asked for.
const ASKED: [&str; 6] =
    ["original", "signer", "timestamp", "revocation", "level", "content_commitment"];

fn ask_more(checks: &mut Checks, report: &SdoReport, options: &VerifyOptions) {
    if options.original.is_some() {
        let status = checks.status("document");
        let detail = match status {
            Status::Passed => "what was signed is what was sent",
            _ => "what was signed is not what was sent",
        };
        checks.push(Check::new("original", status, detail));
    }
    if let Some(expected) = &options.signer {
        checks.push(signer(expected, report));
    }
    for (owner, part) in parts(report) {
        if let Some(certificate) = part.certificate() {
            let name = format!("{owner}.purpose");
            checks.push(purpose::check(&name, certificate, &options.extended_key_usage));
        }
    }
    for requirement in &options.require {
        checks.push(required(*requirement, report));
    }
    let odd = |(owner, part): (String, &SdoSigner)| {
        let all = part.cms.leniencies.iter().map(|odd| format!("{owner}: {odd}"));
        all.collect::<Vec<_>>()
    };
    let deviations: Vec<String> = parts(report).flat_map(odd).collect();
    checks.push(conformance(&deviations, options.strict));
    let other = only_for_pdf(options);
    if !other.is_empty() {
        let detail = format!("this is no pdf; {} cannot be answered", other.join(" and "));
        checks.failed("options", detail);
    }
}

/// The signers and who sealed, with the names that their checks carry.
fn parts(report: &SdoReport) -> impl Iterator<Item = (String, &SdoSigner)> {
    let signers = report.signers.iter().enumerate();
    let signers = signers.map(|(index, signer)| (format!("signature[{index}]"), signer));
    signers.chain(report.seal.iter().map(|seal| ("seal".to_owned(), seal)))
}

/// What is asked and has no meaning here must not pass unnoticed.
fn only_for_pdf(options: &VerifyOptions) -> Vec<&'static str> {
    let given = [
        (options.converted, "whether it was converted"),
        (options.reported.signed_sha256.is_some(), "its reported sha-256"),
        (options.reported.unsigned_sha256.is_some(), "the sha-256 before it was signed"),
        (options.seals.positions.is_some(), "where its visible seals stand"),
    ];
    given.into_iter().filter_map(|(is_given, name)| is_given.then_some(name)).collect()
}

/// Whether one of the trusted signatures is by whom it was expected.
fn signer(expected: &ExpectedSigner, report: &SdoReport) -> Check {
    let mut different = Vec::new();
    for (index, signer) in report.signers.iter().enumerate() {
        let trusted = ["digest", "cms", "chain"].iter().all(|part| {
            report.checks.status(&format!("signature[{index}].{part}")) == Status::Passed
        });
        let Some(certificate) = signer.certificate().filter(|_| trusted) else { continue };
        match expected.compare(certificate) {
            Ok(agreed) => {
                let detail = format!("signature {} agrees: {}", index + 1, agreed.join(", "));
                return Check::passed("signer", detail);
            }
            Err(named) => different.extend(named),
        }
    }
    different.dedup();
    Check::failed(
        "signer",
        match different.is_empty() {
            true => "there is no trusted signature to compare".to_owned(),
            false => format!("no trusted signature agrees: {}", different.join(", ")),
        },
    )
}

fn required(requirement: Requirement, report: &SdoReport) -> Check {
    let (name, part) = match requirement {
        Requirement::Timestamp => ("timestamp", "time"),
        Requirement::Revocation => ("revocation", "revocation"),
        Requirement::Level(level) => {
            let detail = format!("{level} is a level of pdf signatures; this is no pdf");
            return Check::failed("level", detail);
        }
        Requirement::ContentCommitment => {
            return purpose::required(report.signers.iter().map(SdoSigner::certificate));
        }
        Requirement::ContainerTimestamp => {
            return Check::failed("container_timestamp", "the file is in no container");
        }
        Requirement::Seals => {
            return Check::failed("seals", "visible seals are for pdfs; this is no pdf");
        }
    };
    let parts = (0..report.signers.len()).map(|index| format!("signature[{index}]"));
    let open: Vec<_> = parts
        .chain(["seal".to_owned()])
        .map(|owner| format!("{owner}.{part}"))
        .filter(|name| report.checks.status(name) != Status::Passed)
        .collect();
    match open.is_empty() {
        true => Check::passed(name, "it is proven for every signature and the seal"),
        false => Check::failed(name, format!("not proven: {}", open.join(", "))),
    }
}

impl SdoFileReport {
    /// Of a file that is not even read.
    pub(super) fn too_large(size: u64) -> Self {
        Self::unreadable(&format!("the file has {size} bytes, at most {MAX_SIZE} are read"))
    }

    pub(super) fn unreadable(why: &str) -> Self {
        let mut verdict = Self::default();
        verdict.checks.failed("structure", why);
        verdict
    }

    /// The whole report as JSON.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let named = |signer: &SdoSigner| {
            json!({
                "signer": signer.certificate().map(SignerReport::of),
                "claimed_time": signer.signing_time().map(|time| time.to_string()),
            })
        };
        json!({
            "ok": self.ok,
            "checks": self.checks,
            "signatures": self.signers.iter().map(named).collect::<Vec<_>>(),
            "seals": self.seals.iter().map(named).collect::<Vec<_>>(),
            "mime_types": self.mime_types,
        })
    }
}
