//! What is shown of a report, read from its JSON: so a report that was stored shows as well, and
//! in every language alike. What is missing is empty.

use serde::Deserialize;
use serde_json::Value;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Report {
    pub(super) ok: bool,
    pub(super) kind: Option<String>,
    pub(super) container: Container,
    pub(super) checks: Vec<Check>,
    pub(super) unanswered: Vec<String>,
    pub(super) signatures: Vec<Signature>,
    /// Of signed data objects: who sealed them.
    pub(super) seals: Vec<Signature>,
    pub(super) changes: Changes,
    pub(super) overlaps: Vec<Overlap>,
    pub(super) notes: Vec<String>,
    pub(super) pages: Vec<PageSize>,
    pub(super) mime_types: Vec<String>,
    pub(super) problem: Option<Problem>,
    /// Why the file could not be looked at.
    pub(super) failure: Option<Failure>,
}

/// Of an evidence bundle: what it holds.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Container {
    pub(super) document_kind: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Check {
    pub(super) name: String,
    pub(super) status: String,
    pub(super) detail: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Problem {
    pub(super) name: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Failure {
    pub(super) message: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Signature {
    pub(super) field: Option<String>,
    pub(super) kind: Option<String>,
    pub(super) revision: Option<u64>,
    pub(super) coverage: Option<String>,
    pub(super) in_original: bool,
    pub(super) signer: Option<Signer>,
    pub(super) claimed_time: Option<String>,
    pub(super) proven_time: Option<String>,
    pub(super) judged_at: Option<JudgedAt>,
    pub(super) level: Option<String>,
    pub(super) checks: Vec<Check>,
    pub(super) place: Option<Place>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Signer {
    pub(super) name: Option<String>,
    pub(super) organization: Option<String>,
    /// Read to be hidden.
    pub(super) serial_number: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct JudgedAt {
    pub(super) time: String,
    pub(super) proof: String,
    pub(super) authority: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Changes {
    pub(super) base_len: Option<u64>,
    pub(super) permitted: Vec<Change>,
    pub(super) forbidden: Vec<Change>,
    pub(super) permitted_not_listed: u64,
    pub(super) forbidden_not_listed: u64,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Change {
    pub(super) revision: u64,
    pub(super) object: Option<String>,
    pub(super) kind: String,
    pub(super) detail: String,
    pub(super) place: Option<Place>,
    pub(super) place_before: Option<Place>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Overlap {
    pub(super) field: String,
    pub(super) page: u64,
    pub(super) below: String,
    pub(super) detail: String,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Deserialize)]
#[serde(default)]
pub(super) struct Place {
    pub(super) page: u64,
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Deserialize)]
#[serde(default)]
pub(super) struct PageSize {
    pub(super) page: u64,
    pub(super) width: f64,
    pub(super) height: f64,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Preview {
    pub(super) ok: bool,
    pub(super) page_count: u64,
    pub(super) pages: Vec<PageSize>,
    pub(super) seals: Vec<PreviewedSeal>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct PreviewedSeal {
    pub(super) place: Place,
    pub(super) problems: Vec<SealProblem>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct SealProblem {
    pub(super) kind: String,
    pub(super) is_error: bool,
    pub(super) detail: String,
}

/// The reports of one answer: those of serial sessions one after the other.
pub(super) fn reports(report: &Value) -> Vec<Report> {
    match report.get("links").and_then(Value::as_array) {
        Some(links) if !links.is_empty() => links.iter().map(one).collect(),
        _ => vec![one(report)],
    }
}

fn one(report: &Value) -> Report {
    Report::deserialize(report).unwrap_or_default()
}

impl Signer {
    /// By name: numbers of people are only in the JSON, whose reader asked for them.
    pub(super) fn person(&self) -> String {
        let called = self.name.as_deref().unwrap_or("somebody whose certificate has no name");
        match &self.organization {
            Some(organization) if organization != called => format!("{called}, {organization}"),
            _ => called.to_owned(),
        }
    }
}

impl Signature {
    pub(super) fn is_timestamp(&self) -> bool {
        self.kind.as_deref() == Some("timestamp")
    }

    pub(super) fn person(&self) -> String {
        let unknown = || "nobody that can be named".to_owned();
        self.signer.as_ref().map_or_else(unknown, Signer::person)
    }

    pub(super) fn failed(&self) -> bool {
        self.checks.iter().any(|check| check.status == "failed")
    }
}

impl Report {
    pub(super) fn is_sdo(&self) -> bool {
        let of_document = [&self.kind, &self.container.document_kind];
        of_document.into_iter().any(|kind| kind.as_deref() == Some("sdo"))
    }

    pub(super) fn is_container(&self) -> bool {
        self.kind.as_deref() == Some("asice")
    }

    pub(super) fn status(&self, name: &str) -> &str {
        let check = self.checks.iter().find(|check| check.name == name);
        check.map_or("not_checked", |check| check.status.as_str())
    }
}
