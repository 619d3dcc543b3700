//! Judging one signature or document timestamp: value, certificate, chain, time, revocation,
//! level.

use super::candidate::{Candidate, Content};
use super::digests::Digests;
use super::evidence::{ChainStatus, Evidence};
use super::level::Level;
use super::options::VerifyOptions;
use super::report::{SignatureReport, SignerReport};
use crate::asn1::Time;
use crate::cms::{Leniency, ProblemKind, SignedData, Verification};
use crate::pdf::Work;
use crate::report::{Checks, Status};
use crate::tsp::{TimestampToken, TimestampTrust, TimestampVerification};
use crate::x509::{Certificate, Chain, ChainRequest, Purpose, TrustAnchors};

/// How far a clock may be ahead of ours, in seconds.
const TOLERANCE: i64 = 300;
/// Signature timestamps that are looked at; one is usual.
const MAX_TIMESTAMPS: usize = 8;

/// Units of work for judging one signature: a handful of public-key operations.
const JUDGING: u64 = 500_000;

/// What all signatures of a document are judged with.
pub(super) struct Judge<'a> {
    pub(super) options: &'a VerifyOptions,
    pub(super) digests: &'a Digests,
    pub(super) evidence: &'a Evidence,
    /// Certificates that may stand in chains.
    pub(super) pool: &'a [Certificate],
    pub(super) now: Time,
    /// What the whole verification may take.
    pub(super) work: &'a Work,
}

/// A timestamp whose authority is trusted.
#[derive(Debug, Clone)]
pub(super) struct TrustedTime {
    pub(super) time: Time,
    pub(super) chain: Chain,
    /// The revision of a document timestamp.
    pub(super) revision: Option<usize>,
}

/// What later decisions need of one signature.
pub(super) struct Judged {
    pub(super) report: SignatureReport,
    pub(super) certificate: Option<Certificate>,
    /// The signer's chain and the time it was checked at.
    pub(super) chain: Option<(Chain, Time)>,
    /// The timestamp that proves the time.
    pub(super) proof: Option<TrustedTime>,
}

impl Judge<'_> {
    fn timestamp_anchors(&self) -> &TrustAnchors {
        self.options.timestamp_trust.as_ref().unwrap_or(&self.options.trust)
    }

    /// Whether the verification has no work left for another signature.
    fn is_over(&self, checks: &mut Checks) -> bool {
        let spent = self.work.spend(JUDGING);
        if let Err(error) = &spent {
            checks.failed("signature", format!("it was not looked at: {}", error.detail()));
        }
        spent.is_err()
    }

    fn check_token(
        &self,
        token: &TimestampToken,
        digest: &mut dyn FnMut(crate::crypto::HashAlgorithm) -> Option<Vec<u8>>,
    ) -> TimestampVerification {
        let trust = TimestampTrust { anchors: self.timestamp_anchors(), pool: self.pool, at: None };
        token.verify(digest, &trust)
    }

    /// Judges a document timestamp.
    pub(super) fn timestamp(&self, candidate: &Candidate) -> (Judged, Option<TrustedTime>) {
        let mut report = candidate.report();
        if candidate.covered.is_err() {
            uncovered(&mut report.checks);
            return (Judged::of(report), None);
        }
        if self.is_over(&mut report.checks) {
            return (Judged::of(report), None);
        }
        let token = match &candidate.content {
            Content::Timestamp(token) => token,
            Content::Signature(_) | Content::Unreadable(_) => {
                unreadable(candidate, &mut report.checks);
                return (Judged::of(report), None);
            }
        };
        let found = self.check_token(token, &mut |hash| candidate.digest(self.digests, hash));
        report.claimed_time = Some(found.time.to_string());
        describe_cms(&found.cms, &mut report);
        let checks = &mut report.checks;
        outcome(checks, "digest", found.imprint_matches, "the stamped bytes are those of the file");
        if found.cms.is_valid() && found.problems.is_empty() {
            checks.passed("signature", "the authority's signature holds");
        } else {
            let mut reasons = found.problems.clone();
            reasons.extend(found.cms.problems.iter().map(ToString::to_string));
            checks.failed("signature", reasons.join("; "));
        }
        let chain = found.chain.clone();
        self.report_chain(&chain.clone().map_err(|e| e.to_string()), true, checks);
        let is_future = found.time > self.now.plus_seconds(TOLERANCE);
        if is_future {
            checks.failed("timestamp", format!("it is from the future: {}", found.time));
        }
        let is_good = found.is_intact() && !is_future && !checks.any_failed();
        let trusted = chain.ok().filter(|_| is_good).map(|chain| TrustedTime {
            time: found.time,
            chain,
            revision: candidate.revision(),
        });
        if let Some(trusted) = &trusted {
            report.proven_time = Some(trusted.time.to_string());
            let status = self.evidence.status_of(&trusted.chain, trusted.time, self.now, true);
            report_revocation(&status, &mut report.checks);
        }
        let certificate = found.cms.signer.clone();
        (Judged { certificate, ..Judged::of(report) }, trusted)
    }

    /// Judges a signature. `stamps` are the trusted document timestamps of the file.
    pub(super) fn signature(&self, candidate: &Candidate, stamps: &[TrustedTime]) -> Judged {
        let mut report = candidate.report();
        if candidate.covered.is_err() {
            uncovered(&mut report.checks);
            return Judged::of(report);
        }
        if self.is_over(&mut report.checks) {
            return Judged::of(report);
        }
        let cms = match &candidate.content {
            Content::Signature(cms) => cms,
            Content::Timestamp(_) | Content::Unreadable(_) => {
                unreadable(candidate, &mut report.checks);
                return Judged::of(report);
            }
        };
        let mut digest = |hash| candidate.digest(self.digests, hash);
        let found = cms.verify_detached(&mut digest, &self.evidence.certificates);
        describe_cms(&found, &mut report);
        check_value(&found, &mut report.checks);
        check_certificate_attribute(&found, &mut report.checks);
        let proof = self.prove_time(candidate, cms, stamps, &mut report);
        let claimed = found.signing_time.or_else(|| candidate.dictionary_time());
        report.claimed_time = claimed.map(|time| time.to_string());
        report.proven_time = proof.as_ref().map(|proof| proof.time.to_string());
        let mut judged = Judged { certificate: found.signer.clone(), ..Judged::of(report) };
        self.check_chain(&found, claimed, proof.as_ref(), &mut judged);
        judged.report.level = basic_level(candidate, &found, &judged.report.checks);
        judged.proof = proof;
        self.check_revocation(&mut judged);
        judged
    }

    /// The earliest moment that a trusted timestamp proves.
    fn prove_time(
        &self,
        candidate: &Candidate,
        cms: &SignedData,
        stamps: &[TrustedTime],
        report: &mut SignatureReport,
    ) -> Option<TrustedTime> {
        let mut proofs: Vec<TrustedTime> = stamps
            .iter()
            .filter(|stamp| stamp.revision > candidate.revision() && candidate.covered.is_ok())
            .cloned()
            .collect();
        let mut reasons = Vec::new();
        let mut is_broken = false;
        let signer = cms.signers().first();
        for token in signer.map(|s| s.timestamps()).unwrap_or_default().iter().take(MAX_TIMESTAMPS)
        {
            let value = signer.map(|s| s.signature()).unwrap_or_default();
            let found = match TimestampToken::parse(token) {
                Ok(token) => self.check_token(&token, &mut |hash| Some(hash.digest(value))),
                Err(error) => {
                    is_broken = true;
                    reasons.push(error.to_string());
                    continue;
                }
            };
            is_broken |= !found.is_intact() || found.time > self.now.plus_seconds(TOLERANCE);
            match &found.chain {
                Ok(chain) if found.is_intact() => {
                    let (time, chain) = (found.time, chain.clone());
                    proofs.push(TrustedTime { time, chain, revision: None });
                }
                _ => reasons.push(found.describe_problems()),
            }
        }
        let checks = &mut report.checks;
        proofs.retain(|proof| proof.time <= self.now.plus_seconds(TOLERANCE));
        let proof = proofs.into_iter().min_by_key(|proof| proof.time);
        match (&proof, is_broken) {
            (_, true) => checks.failed("timestamp", reasons.join("; ")),
            (Some(proof), false) => {
                let source = if proof.revision.is_some() { "document" } else { "signature" };
                let detail = format!("a {source} timestamp proves {}", proof.time);
                checks.passed("timestamp", detail);
            }
            (None, false) if reasons.is_empty() => {
                checks.not_checked("timestamp", "there is none; the time is only claimed");
            }
            (None, false) => checks.not_checked("timestamp", reasons.join("; ")),
        }
        proof.filter(|_| !is_broken)
    }

    fn check_chain(
        &self,
        found: &Verification,
        claimed: Option<Time>,
        proof: Option<&TrustedTime>,
        judged: &mut Judged,
    ) {
        let checks = &mut judged.report.checks;
        let Some(signer) = &found.signer else {
            return checks.failed("chain", "the signer's certificate is not at hand");
        };
        let limit = self.now.plus_seconds(TOLERANCE);
        let (at, basis) = match (proof, claimed) {
            (Some(proof), _) => (proof.time, "the proven time"),
            (None, Some(claimed)) if claimed > limit => {
                let detail = format!("the signature claims to be from the future: {claimed}");
                return checks.failed("chain", detail);
            }
            (None, Some(claimed)) => (claimed, "the claimed time"),
            (None, None) => (self.now, "the time of verification"),
        };
        let pool: Vec<Certificate> = self.pool.to_vec();
        let request = ChainRequest {
            anchors: &self.options.trust,
            pool: &pool,
            at,
            purpose: Purpose::Signing,
        };
        let chain = Chain::build(signer, &request);
        let described = match &chain {
            Ok(chain) => Ok(chain.clone()),
            Err(failure) => Err(format!("{failure} (at {basis}, {at})")),
        };
        self.report_chain(&described, false, checks);
        judged.report.chain_fault = chain.as_ref().err().map(|failure| failure.fault);
        judged.chain = chain.ok().map(|chain| (chain, at));
    }

    /// A signer's chain that does not reach an anchor fails; an authority's only proves no time.
    fn report_chain(&self, chain: &Result<Chain, String>, is_stamp: bool, checks: &mut Checks) {
        let anchors = if is_stamp { self.timestamp_anchors() } else { &self.options.trust };
        match chain {
            _ if anchors.is_empty() => {
                checks.not_checked("chain", "no trust anchors were given");
            }
            Ok(chain) => {
                let anchor = chain.anchor().map(|a| a.subject().shown()).unwrap_or_default();
                checks.passed("chain", format!("leads to {anchor}"));
            }
            Err(reason) if is_stamp => checks.not_checked("chain", reason.clone()),
            Err(reason) => checks.failed("chain", reason.clone()),
        }
    }

    fn check_revocation(&self, judged: &mut Judged) {
        let Some((chain, at)) = &judged.chain else {
            let reason = "there is no chain to ask for";
            return judged.report.checks.not_checked("revocation", reason);
        };
        let is_proven = judged.proof.is_some();
        let status = self.evidence.status_of(chain, *at, self.now, is_proven);
        report_revocation(&status, &mut judged.report.checks);
    }
}

impl Judged {
    fn of(report: SignatureReport) -> Judged {
        Judged { report, certificate: None, chain: None, proof: None }
    }

    /// Whether all of its data is there that validation needs later: for the signer and for the
    /// authority that proves the time (EN 319 142-1, 6.3, requirements of B-LT).
    pub(super) fn is_long_term(&self, evidence: &Evidence, now: Time) -> Result<(), String> {
        let Some((chain, at)) = &self.chain else { return Err("there is no chain".into()) };
        let Some(proof) = &self.proof else { return Err("there is no timestamp".into()) };
        for (chain, at, who) in
            [(chain, *at, "the signer"), (&proof.chain, proof.time, "the timestamp authority")]
        {
            match evidence.status_of(chain, at, now, true) {
                ChainStatus::Good => {}
                ChainStatus::Revoked(detail) | ChainStatus::Unknown(detail) => {
                    return Err(format!("validation data of {who} is incomplete: {detail}"));
                }
            }
        }
        Ok(())
    }
}

/// Without an acceptable range there is nothing that the signature could be over.
fn uncovered(checks: &mut Checks) {
    for name in ["digest", "signature", "chain"] {
        checks.not_checked(name, "what it covers is not acceptable");
    }
}

fn unreadable(candidate: &Candidate, checks: &mut Checks) {
    let reason = match &candidate.content {
        Content::Unreadable(reason) => reason.clone(),
        _ => "its content is of another kind than it says".to_owned(),
    };
    checks.not_checked("digest", "the signature cannot be read");
    checks.failed("signature", reason);
    checks.not_checked("chain", "the signature cannot be read");
}

fn outcome(checks: &mut Checks, name: &str, holds: bool, detail: &str) {
    if holds {
        checks.passed(name, detail);
    } else {
        checks.failed(name, format!("does not hold: {detail}"));
    }
}

fn describe_cms(found: &Verification, report: &mut SignatureReport) {
    report.signer = found.signer.as_ref().map(SignerReport::of);
    report.algorithm = found.algorithm.map(|algorithm| algorithm.to_string());
    report.leniencies = found.leniencies.iter().map(ToString::to_string).collect();
}

fn check_value(found: &Verification, checks: &mut Checks) {
    let of_digest = |kind| matches!(kind, ProblemKind::Digest | ProblemKind::ContentMissing);
    let (digest, other): (Vec<_>, Vec<_>) =
        found.problems.iter().partition(|problem| of_digest(problem.kind));
    let join = |problems: Vec<&crate::cms::Problem>| {
        problems.into_iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
    };
    if found.digest_matches && digest.is_empty() {
        checks.passed("digest", "the covered bytes are those that were signed");
    } else if !digest.is_empty() {
        checks.failed("digest", join(digest));
    } else {
        checks.failed("digest", "the signed digest cannot be told");
    }
    if found.signature_matches && other.is_empty() {
        checks.passed("signature", "the signature holds");
    } else if other.is_empty() {
        checks.failed("signature", "the signature does not hold");
    } else {
        checks.failed("signature", join(other));
    }
}

fn check_certificate_attribute(found: &Verification, checks: &mut Checks) {
    let name = "signing_certificate";
    if found.names_certificate {
        checks.passed(name, "the signature names its certificate");
    } else if found.certificate_attribute.is_some() {
        checks.failed(name, "the signature names another certificate");
    } else {
        checks.not_checked(name, "the signature does not say which certificate belongs to it");
    }
}

fn report_revocation(status: &ChainStatus, checks: &mut Checks) {
    match status {
        ChainStatus::Good => checks.passed("revocation", "no certificate was revoked"),
        ChainStatus::Revoked(detail) => checks.failed("revocation", detail.clone()),
        ChainStatus::Unknown(detail) => checks.not_checked("revocation", detail.clone()),
    }
}

/// B-B, when the signature is valid and has the attributes of the baseline.
fn basic_level(candidate: &Candidate, found: &Verification, checks: &Checks) -> Option<Level> {
    let is_baseline = candidate.value.sub_filter == "ETSI.CAdES.detached"
        && found.names_certificate
        && !found.leniencies.contains(&Leniency::NoSignedAttributes)
        && !found.leniencies.contains(&Leniency::EmbeddedContent);
    let is_valid = found.is_valid() && checks.status("byte_range") == Status::Passed;
    (is_baseline && is_valid).then_some(Level::BB)
}
