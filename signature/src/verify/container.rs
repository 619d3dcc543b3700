//! The verdict on a container of a signed file and its evidence (ASiC-E): first the container,
//! then the file in it, with everything that the container tells about it.

use serde_json::{Value, json};

use super::any::{FileReport, verify_alone};
use super::bundled;
use super::evidence::Evidence;
use super::options::{Requirement, VerifyOptions};
use super::outside::{Answer, OUTSIDE, Outside};
use super::time::{Discarded, TimeJudge, TrustedTime};
use crate::asic::{
    Archive, EVIDENCE, MANIFEST_ENTRY, MAX_MANIFEST, MIME_ENTRY, Manifest, SIGNED_PDF, SIGNED_SDO,
    TIMESTAMP_ENTRY,
};
use crate::asn1::Time;
use crate::crypto::HashAlgorithm;
use crate::pdf::{SharedSource, for_each_window};
use crate::report::{Check, Checks, Status};
use crate::tsp::{TimestampToken, TimestampTrust};
use crate::x509::{Certificate, TrustAnchors};

/// Largest timestamp token and item of evidence that are read, in bytes.
const MAX_ITEM: u64 = 5 << 20;
/// Items of evidence that are read.
const MAX_ITEMS: usize = 200;

/// What must pass whatever was asked for.
const ALWAYS: [&str; 3] = ["container", "manifest", "contents"];

/// What was found about a container.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ContainerReport {
    /// Container and signed file hold, and everything that was asked for passed.
    pub ok: bool,
    /// The checks of the container, then those of the signed file.
    pub checks: Checks,
    /// The names of checks that count for the verdict and were not made.
    pub unanswered: Vec<String>,
    /// The name of the signed file in the container; `None` where there is none.
    pub document: Option<String>,
    /// The report of the signed file.
    pub inner: Option<Box<FileReport>>,
    /// The files of the container, with their sizes in bytes.
    pub files: Vec<(String, u64)>,
    /// The moment that the container's timestamp names (RFC 3339, UTC), trusted or not.
    pub stamped_time: Option<String>,
    /// The moment that it proves, because it is trusted (RFC 3339, UTC).
    pub proven_time: Option<String>,
    /// The authority of the timestamp, as its certificate names it.
    pub authority: Option<String>,
}

/// A container while it is looked at.
struct Look<'a> {
    archive: &'a Archive,
    options: &'a VerifyOptions,
    report: ContainerReport,
}

/// Verifies a container. What it holds is never an error.
pub(super) fn verify(source: &SharedSource, options: &VerifyOptions) -> ContainerReport {
    let mut report = ContainerReport::default();
    let archive = match Archive::read(source) {
        Ok(archive) => archive,
        Err(why) => {
            report.checks.failed("container", why);
            return report;
        }
    };
    let size = |entry: &crate::asic::Entry| (entry.name.clone(), entry.content.len());
    report.files = archive.entries.iter().map(size).collect();
    report
        .checks
        .passed("container", format!("an asic-e container of {} files", archive.entries.len()));
    let mut look = Look { archive: &archive, options, report };
    look.check_manifest();
    let outside = look.outside();
    look.check_document(outside);
    look.sum_up()
}

impl Look<'_> {
    fn now(&self) -> Time {
        self.options.at.unwrap_or_else(Time::now)
    }

    /// Whether the manifest names every file, and each as it is.
    fn check_manifest(&mut self) {
        let manifest = match self.archive.bytes(MANIFEST_ENTRY, MAX_MANIFEST) {
            Ok(Some(bytes)) => Manifest::parse(&bytes).map_err(|error| error.to_string()),
            Ok(None) => Err(format!("there is no {MANIFEST_ENTRY}")),
            Err(why) => Err(why),
        };
        let checks = &mut self.report.checks;
        let manifest = match manifest {
            Ok(manifest) => manifest,
            Err(why) => {
                checks.failed("manifest", why);
                return checks.not_checked("contents", "there is no manifest to compare with");
            }
        };
        checks.push(complete(&manifest, self.archive));
        checks.push(contents(&manifest, self.archive));
    }

    /// What the container tells about the document: the time its timestamp proves, and evidence.
    fn outside(&mut self) -> Outside {
        let mut outside = Outside::default();
        let mut passed_over = 0;
        for entry in self.archive.entries.iter().filter(|entry| entry.name.starts_with(EVIDENCE)) {
            let count = outside.certificates.len() + outside.answers.len();
            let bytes = match count < MAX_ITEMS {
                true => self.archive.bytes(&entry.name, MAX_ITEM).ok().flatten(),
                false => None,
            };
            let extension = entry.name.rsplit('.').next();
            match (bytes, extension) {
                (Some(der), Some("ocsp")) => outside.answers.push(Answer::Ocsp(der)),
                (Some(der), Some("crl")) => outside.answers.push(Answer::Crl(der)),
                (Some(der), Some("cer")) => match Certificate::from_der(&der) {
                    Ok(certificate) => outside.certificates.push(certificate),
                    Err(_) => passed_over += 1,
                },
                _ => passed_over += 1,
            }
        }
        if passed_over > 0 {
            let detail = format!("{passed_over} files of evidence cannot be read");
            self.report.checks.not_checked("evidence", detail);
        }
        let stamp = self.check_timestamp(&outside);
        // Without its digest in the manifest, the timestamp says nothing about the document.
        outside.proven = stamp.filter(|_| ALWAYS.iter().all(|name| self.has_passed(name)));
        self.report.proven_time = outside.proven.as_ref().map(|stamp| stamp.time.to_string());
        outside
    }

    fn has_passed(&self, name: &str) -> bool {
        self.report.checks.status(name) == Status::Passed
    }

    fn check_timestamp(&mut self, outside: &Outside) -> Option<TrustedTime> {
        let name = "container_timestamp";
        let token = match self.archive.bytes(TIMESTAMP_ENTRY, MAX_ITEM) {
            Ok(Some(bytes)) => TimestampToken::parse(&bytes).map_err(|error| error.to_string()),
            Ok(None) => {
                let detail = "the container has no timestamp: nothing proves since when it exists";
                self.report.checks.not_checked(name, detail);
                return None;
            }
            Err(why) => Err(why),
        };
        match token.map_err(Discarded::Wrong).and_then(|token| self.judge(&token, outside)) {
            Ok(stamp) => {
                let detail = format!("{} of {} is proven", stamp.time, stamp.authority());
                self.report.checks.passed(name, detail);
                Some(stamp)
            }
            Err(Discarded::Wrong(why) | Discarded::Revoked(why)) => {
                self.report.checks.failed(name, why);
                None
            }
            Err(Discarded::Open(why)) => {
                self.report.checks.not_checked(name, why);
                None
            }
        }
    }

    fn judge(
        &mut self,
        token: &TimestampToken,
        outside: &Outside,
    ) -> Result<TrustedTime, Discarded> {
        let own = &self.options.trust;
        let anchors = self.options.timestamp_trust.as_ref().unwrap_or(own);
        let mut evidence = Evidence::new();
        outside.add_to(&mut evidence);
        evidence.add_cms(token.cms());
        let mut pool = self.options.certificates.clone();
        pool.extend_from_slice(&evidence.certificates);
        let manifest = self.archive.bytes(MANIFEST_ENTRY, MAX_MANIFEST).ok().flatten();
        let trust = TimestampTrust { anchors, pool: &pool, at: None };
        let found = token
            .verify(&mut |hash| manifest.as_ref().map(|manifest| hash.digest(manifest)), &trust);
        self.report.stamped_time = Some(found.time.to_string());
        self.report.authority = found.signer().map(|signer| signer.subject().shown());
        let judge = TimeJudge { anchors, pool: &pool, evidence: &evidence, now: self.now() };
        let known = Some(OUTSIDE);
        judge.judge(&found, known, None).map_err(|why| told(why, anchors))
    }

    /// Verifies the signed file, with what the container says about it.
    fn check_document(&mut self, mut outside: Outside) {
        let is_there = |name: &&str| self.archive.get(name).is_some();
        let found: Vec<&str> = [SIGNED_PDF, SIGNED_SDO].into_iter().filter(is_there).collect();
        let (name, source) = match found.as_slice() {
            [name] => match self.archive.get(name) {
                Some(source) => (*name, source.clone()),
                None => return,
            },
            names => {
                let detail = format!(
                    "the container holds {} signed files: one of {SIGNED_PDF} and {SIGNED_SDO} \
                     must be there",
                    names.len()
                );
                return self.report.checks.failed("document", detail);
            }
        };
        self.report.document = Some(name.to_owned());
        let mut asked = self.options.clone();
        asked.require.retain(|one| *one != Requirement::ContainerTimestamp);
        let told = bundled::read(self.archive, name == SIGNED_PDF);
        self.report.checks.extend(told.apply(&source, &mut asked));
        if name == SIGNED_SDO {
            // What exists since then is judged as of then (EN 319 102-1, 5.5).
            let proven = outside.proven.as_ref().map(|stamp| stamp.time);
            asked.at = proven.or(asked.at);
            asked.certificates.append(&mut outside.certificates);
        }
        let inner = verify_alone(&source, &asked, &outside);
        self.report.checks.extend(inner.checks().iter().cloned());
        self.report.inner = Some(Box::new(inner));
    }

    fn sum_up(mut self) -> ContainerReport {
        let mut needed = ALWAYS.to_vec();
        if self.options.require.contains(&Requirement::ContainerTimestamp) {
            needed.push("container_timestamp");
        }
        let checks = &self.report.checks;
        let is_good = self.report.inner.as_ref().is_some_and(|inner| inner.is_ok());
        self.report.ok = is_good && checks.required_passed(&needed);
        let is_open = |name: &&str| checks.status(name) == Status::NotChecked;
        let own = needed.into_iter().filter(is_open).map(str::to_owned);
        let inner = self.report.inner.iter().flat_map(|inner| inner.unanswered());
        self.report.unanswered = own.chain(inner.map(|check| check.name.clone())).collect();
        self.report
    }
}

/// Says first what a person has to know first.
fn told(why: Discarded, anchors: &TrustAnchors) -> Discarded {
    match why {
        Discarded::Open(_) if anchors.is_empty() => {
            Discarded::Open("it holds, but no trust anchors for timestamps were given".to_owned())
        }
        Discarded::Open(why) => Discarded::Open(format!("it holds, but proves no time: {why}")),
        other => other,
    }
}

/// Whether the manifest and the container name the same files.
fn complete(manifest: &Manifest, archive: &Archive) -> Check {
    let own = [MIME_ENTRY, MANIFEST_ENTRY, TIMESTAMP_ENTRY];
    let is_named = |name: &str| manifest.references.iter().any(|one| one.name == name);
    let mut all = archive.entries.iter().map(|entry| entry.name.as_str());
    let extra = all.find(|name| !own.contains(name) && !is_named(name));
    let missing = manifest.references.iter().find(|one| archive.get(&one.name).is_none());
    let own_named = own.into_iter().find(|name| is_named(name));
    let name = "manifest";
    if let Some(extra) = extra {
        return Check::failed(name, format!("{extra} is in the container and not in its manifest"));
    }
    if let Some(missing) = missing {
        let detail = format!("{} is in the manifest and not in the container", missing.name);
        return Check::failed(name, detail);
    }
    if let Some(named) = own_named {
        return Check::failed(name, format!("it names {named}, which is no signed file"));
    }
    if manifest.timestamp != TIMESTAMP_ENTRY {
        let detail =
            format!("it names {} as its timestamp, not {TIMESTAMP_ENTRY}", manifest.timestamp);
        return Check::failed(name, detail);
    }
    Check::passed(name, format!("it names all {} files", manifest.references.len()))
}

/// Whether every file is the one that the manifest has the digest of.
fn contents(manifest: &Manifest, archive: &Archive) -> Check {
    let mut changed = Vec::new();
    for reference in &manifest.references {
        let Some(content) = archive.get(&reference.name) else { continue };
        match digest(content, reference.hash) {
            Ok(found) if found == reference.digest => {}
            Ok(_) => changed.push(reference.name.as_str()),
            Err(error) => {
                return Check::failed(
                    "contents",
                    format!("{} cannot be read: {error}", reference.name),
                );
            }
        }
    }
    match changed.is_empty() {
        true => Check::passed("contents", "every file is the one that the manifest names"),
        false => {
            let detail = format!("changed since the manifest was made: {}", changed.join(", "));
            Check::failed("contents", detail)
        }
    }
}

pub(super) fn digest(content: &SharedSource, hash: HashAlgorithm) -> std::io::Result<Vec<u8>> {
    let mut hasher = hash.hasher();
    for_each_window(content.as_ref(), 0, content.len(), |window| {
        hasher.update(window);
        Ok(())
    })?;
    Ok(hasher.finish())
}

impl ContainerReport {
    /// The whole report as JSON: that of the signed file, with all checks and `container`.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut shown = match &self.inner {
            Some(inner) => inner.to_json(),
            None => json!({"signatures": []}),
        };
        let file = |(name, size): &(String, u64)| json!({"name": name, "size": size});
        let own = json!({
            "ok": self.ok,
            "checks": self.checks,
            "unanswered": self.unanswered,
            "container": {
                "document": self.document,
                "document_kind": self.inner.as_ref().map(|inner| inner.kind()),
                "files": self.files.iter().map(file).collect::<Vec<_>>(),
                "stamped_time": self.stamped_time,
                "proven_time": self.proven_time,
                "authority": self.authority,
            },
        });
        if let (Some(shown), Value::Object(own)) = (shown.as_object_mut(), own) {
            shown.extend(own);
        }
        shown
    }
}
