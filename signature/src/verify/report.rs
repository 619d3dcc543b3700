//! The report: named checks, signatures, changes, and what seals lie over.

use serde::Serialize;

use super::level::Level;
use crate::compare::{Changes, Overlap, PageSize, Place};
use crate::report::{Check, Checks, Status};
use crate::x509::ChainFault;

/// What a verification found. Made by [`super::verify`]; never an error for what a file contains.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct VerifyReport {
    /// The plain verdict: integrity, signature and chain of every signature hold, nothing but
    /// permitted changes was made, and everything that was asked for (comparison, reported
    /// digests, signer, required checks) passed. No check failed.
    pub ok: bool,
    /// The checks with stable names; see the crate's documentation of verification.
    pub checks: Checks,
    /// The names of checks that count for the verdict and were not made.
    pub unanswered: Vec<String>,
    /// Every signature and document timestamp, by the end of what it covers.
    pub signatures: Vec<SignatureReport>,
    /// What was changed after the document that was sent, or else after the first signature.
    pub changes: Changes,
    /// What visible seals lie over, for a person to judge.
    pub overlaps: Vec<Overlap>,
    /// What is odd about the file without being wrong.
    pub notes: Vec<String>,
    /// The pages that something of the report lies on, by their number.
    pub pages: Vec<PageSize>,
}

/// What was found about one signature or document timestamp.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct SignatureReport {
    /// Fully qualified name of the field.
    pub field: String,
    /// `signature` or `timestamp`.
    pub kind: SignatureKind,
    /// `SubFilter` as it stands in the file.
    pub sub_filter: String,
    /// Position of the revision that holds it, 0 is the oldest; `None` when its range is wrong.
    pub revision: Option<usize>,
    /// What of the file it covers.
    pub coverage: Coverage,
    /// Offset behind the last byte it covers.
    pub covered_end: Option<u64>,
    /// Whether it was there already in the document that was sent.
    pub in_original: bool,
    /// The signer as the certificate names it.
    pub signer: Option<SignerReport>,
    /// The signature algorithm.
    pub algorithm: Option<String>,
    /// The time that the signer claims (RFC 3339, UTC), proven by nothing.
    pub claimed_time: Option<String>,
    /// The time that a trusted timestamp proves (RFC 3339, UTC).
    pub proven_time: Option<String>,
    /// The time that certificate and revocation were judged at, and what proves it; `None` where
    /// they were not judged.
    pub judged_at: Option<JudgedAt>,
    /// The PAdES baseline level it reaches; `None` for other signatures and invalid ones.
    pub level: Option<Level>,
    /// Why the chain fails, where it was looked for.
    #[serde(skip)]
    pub chain_fault: Option<ChainFault>,
    /// Deviations from the standards that were accepted.
    pub leniencies: Vec<String>,
    /// The checks of this signature.
    pub checks: Checks,
    /// Where it shows on a page; `None` where it is invisible.
    pub place: Option<Place>,
}

/// The time that a signature was judged at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct JudgedAt {
    /// RFC 3339, UTC.
    pub time: String,
    /// What proves that the signature existed then.
    pub proof: TimeProof,
    /// The authority of the timestamp, as its certificate names it.
    pub authority: Option<String>,
}

/// What proves that a signature existed at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TimeProof {
    /// A trusted timestamp inside the signature.
    SignatureTimestamp,
    /// A trusted document timestamp over the signature.
    DocumentTimestamp,
    /// A trusted timestamp of the container that the document is in.
    ContainerTimestamp,
    /// Nothing but that it exists now: the time is that of the verification.
    Verification,
}

/// What an entry in the list of signatures is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SignatureKind {
    /// A signature by somebody.
    Signature,
    /// A document timestamp.
    Timestamp,
}

/// What of the file a signature covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Coverage {
    /// Every byte but its own `Contents`.
    WholeFile,
    /// The file as it was when it was made; updates follow.
    Revision,
    /// Something else: its range is not acceptable.
    Invalid,
}

/// A signer as the certificate names it.
///
/// What identifies a person beyond the name is not shown in debug output.
#[derive(Clone, Serialize)]
#[non_exhaustive]
pub struct SignerReport {
    /// Common name.
    pub name: Option<String>,
    /// Given name.
    pub given_name: Option<String>,
    /// Surname.
    pub surname: Option<String>,
    /// `serialNumber` of the subject.
    pub serial_number: Option<String>,
    /// Organization.
    pub organization: Option<String>,
    /// Country.
    pub country: Option<String>,
    /// The whole subject.
    pub subject: String,
    /// The issuer.
    pub issuer: String,
    /// Serial number of the certificate, in hexadecimal.
    pub certificate_serial: String,
    /// SHA-256 of the certificate, in hexadecimal.
    pub certificate_sha256: String,
    /// First moment of validity (RFC 3339, UTC).
    pub not_before: String,
    /// Last moment of validity (RFC 3339, UTC).
    pub not_after: String,
}

impl std::fmt::Debug for SignerReport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SignerReport")
            .field("name", &self.name)
            .field("organization", &self.organization)
            .field("certificate_sha256", &self.certificate_sha256)
            .finish_non_exhaustive()
    }
}

impl VerifyReport {
    /// The report of a file that could not be looked into.
    pub(crate) fn unreadable(check: Check) -> Self {
        let mut checks = Checks::new();
        checks.push(check);
        VerifyReport {
            ok: false,
            checks,
            unanswered: Vec::new(),
            signatures: Vec::new(),
            changes: Changes::default(),
            overlaps: Vec::new(),
            notes: Vec::new(),
            pages: Vec::new(),
        }
    }

    /// The outcome of the named check; a check that is absent was not made.
    #[must_use]
    pub fn status(&self, name: &str) -> Status {
        self.checks.status(name)
    }

    /// The checks that failed, in order.
    pub fn failures(&self) -> impl Iterator<Item = &Check> {
        self.checks.iter().filter(|check| check.status == Status::Failed)
    }

    /// The whole report as JSON.
    #[must_use]
    pub fn to_json(&self) -> serde_json::Value {
        // The report holds nothing that JSON cannot hold.
        serde_json::to_value(self).unwrap_or_default()
    }
}
