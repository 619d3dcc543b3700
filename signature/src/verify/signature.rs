//! Judging one signature or document timestamp: value, certificate, chain, time, revocation,
//! level.

use super::candidate::{Candidate, Content};
use super::digests::Digests;
use super::evidence::{ChainStatus, Evidence};
use super::options::VerifyOptions;
use super::outcome::{
    basic_level, check_certificate_attribute, check_value, describe_cms, report_revocation,
    uncovered, unreadable,
};
use super::purpose;
use super::report::{JudgedAt, SignatureReport, TimeProof};
use super::time::{Discarded, TOLERANCE, TimeJudge, TrustedTime, known_since};
use crate::asn1::Time;
use crate::cms::{SignedData, Verification};
use crate::pdf::Work;
use crate::report::Checks;
use crate::tsp::{TimestampToken, TimestampTrust, TimestampVerification};
use crate::x509::{
    Certificate, Chain, ChainFailure, ChainFault, ChainRequest, Purpose, TrustAnchors,
};

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

/// What later decisions need of one signature.
pub(super) struct Judged {
    pub(super) report: SignatureReport,
    pub(super) certificate: Option<Certificate>,
    /// The signer's chain and the time it was checked at.
    pub(super) chain: Option<(Chain, Time)>,
    /// The timestamp that proves the time.
    pub(super) proof: Option<TrustedTime>,
    /// Every chain that was looked for: of the signer, and of the authorities of timestamps.
    pub(super) paths: Vec<Path>,
}

/// A chain that was looked for.
pub(super) struct Path {
    pub(super) chain: Result<Chain, ChainFailure>,
    /// The time it must hold at.
    pub(super) at: Time,
    /// Whether a key that is stolen by now could still change what it proves: no later timestamp
    /// covers it.
    pub(super) is_last: bool,
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

    /// The chain of an authority whose timestamp is still to come.
    pub(super) fn expected(&self, token: &TimestampToken) -> Path {
        let found = self.check_token(token, &mut |_| None);
        Path { chain: found.chain, at: found.time, is_last: true }
    }

    fn check_token(
        &self,
        token: &TimestampToken,
        digest: &mut dyn FnMut(crate::crypto::HashAlgorithm) -> Option<Vec<u8>>,
    ) -> TimestampVerification {
        let trust = TimestampTrust { anchors: self.timestamp_anchors(), pool: self.pool, at: None };
        token.verify(digest, &trust)
    }

    fn time_judge(&self) -> TimeJudge<'_> {
        TimeJudge {
            anchors: self.timestamp_anchors(),
            pool: self.pool,
            evidence: self.evidence,
            now: self.now,
        }
    }

    /// Judges a document timestamp. `later` are the trusted ones behind it.
    pub(super) fn timestamp(
        &self,
        candidate: &Candidate,
        later: &[TrustedTime],
    ) -> (Judged, Option<TrustedTime>) {
        let mut report = candidate.report();
        if candidate.covered.is_err() {
            uncovered(&mut report.checks);
            return (Judged::of(report), None);
        }
        if self.is_over(&mut report.checks) {
            return (Judged::of(report), None);
        }
        let Content::Timestamp(token) = &candidate.content else {
            unreadable(candidate, &mut report.checks);
            return (Judged::of(report), None);
        };
        let found = self.check_token(token, &mut |hash| candidate.digest(self.digests, hash));
        report.claimed_time = Some(found.time.to_string());
        describe_cms(&found.cms, &mut report);
        let checks = &mut report.checks;
        check_stamp(&found, checks);
        self.report_chain(&found.chain, "", true, checks);
        let known = known_since(later, candidate.revision());
        let trusted = self.time_judge().judge(&found, candidate.revision(), known);
        match &trusted {
            Ok(trusted) => {
                checks.passed("timestamp", format!("{} is proven", trusted.time));
                report_revocation(&trusted.status, checks);
                report.proven_time = Some(trusted.time.to_string());
            }
            Err(Discarded::Wrong(why)) => checks.failed("timestamp", why.clone()),
            Err(Discarded::Revoked(why)) => {
                checks.failed("timestamp", why.clone());
                checks.failed("revocation", why.clone());
            }
            Err(Discarded::Open(why)) => checks.not_checked("timestamp", why.clone()),
        }
        let certificate = found.cms.signer.clone();
        let is_last = known.is_none();
        let paths = vec![Path { chain: found.chain, at: found.time, is_last }];
        (Judged { certificate, paths, ..Judged::of(report) }, trusted.ok())
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
        let Content::Signature(cms) = &candidate.content else {
            unreadable(candidate, &mut report.checks);
            return Judged::of(report);
        };
        let mut digest = |hash| candidate.digest(self.digests, hash);
        let found = cms.verify_detached(&mut digest, &self.evidence.certificates);
        describe_cms(&found, &mut report);
        check_value(&found, &mut report.checks);
        check_certificate_attribute(&found, &mut report.checks);
        let mut paths = Vec::new();
        let proof = self.prove_time(candidate, cms, stamps, &mut report, &mut paths);
        let claimed = found.signing_time.or_else(|| candidate.dictionary_time());
        report.claimed_time = claimed.map(|time| time.to_string());
        report.proven_time = proof.as_ref().map(|proof| proof.time.to_string());
        if let Some(signer) = &found.signer {
            let purposes = &self.options.extended_key_usage;
            report.checks.push(purpose::check("purpose", signer, purposes));
        } else {
            report.checks.not_checked("purpose", "the signer's certificate is not at hand");
        }
        let certificate = found.signer.clone();
        let mut judged = Judged { certificate, paths, ..Judged::of(report) };
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
        paths: &mut Vec<Path>,
    ) -> Option<TrustedTime> {
        let revision = candidate.revision();
        let behind = |stamp: &&TrustedTime| stamp.revision > revision;
        let mut proofs: Vec<TrustedTime> = stamps.iter().filter(behind).cloned().collect();
        let known = known_since(stamps, revision);
        let (mut wrong, mut open) = (Vec::new(), Vec::new());
        let signer = cms.signers().first();
        let value = signer.map(|s| s.signature()).unwrap_or_default();
        let tokens = signer.map(|s| s.timestamps()).unwrap_or_default();
        for token in tokens.iter().take(MAX_TIMESTAMPS) {
            let found = match TimestampToken::parse(token) {
                Ok(token) => self.check_token(&token, &mut |hash| Some(hash.digest(value))),
                Err(error) => {
                    wrong.push(error.to_string());
                    continue;
                }
            };
            let (chain, is_last) = (found.chain.clone(), known.is_none());
            paths.push(Path { chain, at: found.time, is_last });
            match self.time_judge().judge(&found, None, known) {
                Ok(trusted) => proofs.push(trusted),
                Err(Discarded::Wrong(why) | Discarded::Revoked(why)) => wrong.push(why),
                Err(Discarded::Open(why)) => open.push(why),
            }
        }
        let checks = &mut report.checks;
        let proof = proofs.into_iter().min_by_key(|proof| (proof.time, proof.is_outside()));
        match &proof {
            _ if !wrong.is_empty() => {
                wrong.extend(open);
                checks.failed("timestamp", wrong.join("; "));
                return None;
            }
            Some(proof) => checks.passed("timestamp", proof.describe()),
            None if open.is_empty() => {
                checks.not_checked("timestamp", "there is none; the time is only claimed");
            }
            None => checks.not_checked("timestamp", open.join("; ")),
        }
        proof
    }

    fn chain_at(&self, signer: &Certificate, at: Time) -> Result<Chain, ChainFailure> {
        let (anchors, purpose) = (&self.options.trust, Purpose::Signing);
        Chain::build(signer, &ChainRequest { anchors, pool: self.pool, at, purpose })
    }

    /// At the proven time; without one the chain must hold now, and at the claimed time as well.
    fn check_chain(
        &self,
        found: &Verification,
        claimed: Option<Time>,
        proof: Option<&TrustedTime>,
        judged: &mut Judged,
    ) {
        let Some(signer) = &found.signer else {
            let checks = &mut judged.report.checks;
            let detail = "the signer's certificate is not at hand";
            return match found.is_open() {
                true => checks.not_checked("chain", found.describe_problems()),
                false => checks.failed("chain", detail),
            };
        };
        let limit = self.now.plus_seconds(TOLERANCE);
        if let (None, Some(claimed)) = (proof, claimed)
            && claimed > limit
        {
            let detail = format!("the signature claims to be from the future: {claimed}");
            return judged.report.checks.failed("chain", detail);
        }
        let judged_at = match proof {
            Some(proof) => proof.judged_at(),
            None => JudgedAt {
                time: self.now.to_string(),
                proof: TimeProof::Verification,
                authority: None,
            },
        };
        let at = proof.map_or(self.now, |proof| proof.time);
        let (mut chain, mut basis) = (self.chain_at(signer, at), "the proven time");
        let checks = &mut judged.report.checks;
        if let (None, Some(claimed)) = (proof, claimed) {
            match (&chain, self.chain_at(signer, claimed)) {
                (Err(failure), Ok(_)) if failure.fault == ChainFault::Expired => {
                    let detail = format!(
                        "{failure}; the claimed time {claimed} lies before that, and nothing \
                         proves it"
                    );
                    judged.report.judged_at = Some(judged_at);
                    judged.report.chain_fault = Some(ChainFault::Expired);
                    return match self.options.trust.is_empty() {
                        true => checks.not_checked("chain", "no trust anchors were given"),
                        false => checks.not_checked("chain", detail),
                    };
                }
                (_, Err(failure)) => (chain, basis) = (Err(failure), "the claimed time"),
                _ => basis = "the time of verification",
            }
        } else if proof.is_none() {
            basis = "the time of verification";
        }
        self.report_chain(&chain, basis, false, checks);
        judged.paths.push(Path { chain: chain.clone(), at, is_last: false });
        judged.report.chain_fault = chain.as_ref().err().map(|failure| failure.fault);
        judged.report.judged_at = Some(judged_at);
        judged.chain = chain.ok().map(|chain| (chain, at));
    }

    /// A signer's chain that does not reach an anchor fails; an authority's only proves no time.
    fn report_chain(
        &self,
        chain: &Result<Chain, ChainFailure>,
        basis: &str,
        is_stamp: bool,
        checks: &mut Checks,
    ) {
        let anchors = if is_stamp { self.timestamp_anchors() } else { &self.options.trust };
        match chain {
            _ if anchors.is_empty() => checks.not_checked("chain", "no trust anchors were given"),
            Ok(chain) => {
                let anchor = chain.anchor().map(|a| a.subject().shown()).unwrap_or_default();
                let at = if basis.is_empty() { String::new() } else { format!(", at {basis}") };
                checks.passed("chain", format!("leads to {anchor}{at}"));
            }
            Err(failure) if is_stamp || failure.fault == ChainFault::Unsupported => {
                checks.not_checked("chain", failure.to_string());
            }
            Err(failure) => checks.failed("chain", format!("{failure} (at {basis})")),
        }
    }

    fn check_revocation(&self, judged: &mut Judged) {
        let Some((chain, at)) = &judged.chain else {
            let reason = "there is no chain to ask for";
            return judged.report.checks.not_checked("revocation", reason);
        };
        let status = self.evidence.status_of(chain, *at, self.now, judged.proof.is_some());
        let status = match (status, &judged.proof) {
            (ChainStatus::Good, Some(TrustedTime { status: ChainStatus::Unknown(why), .. })) => {
                ChainStatus::Unknown(format!("of the authority that proves the time: {why}"))
            }
            (status, _) => status,
        };
        report_revocation(&status, &mut judged.report.checks);
    }
}

/// Whether a document timestamp is over the file, and intact.
fn check_stamp(found: &TimestampVerification, checks: &mut Checks) {
    match found.imprint_matches {
        true => checks.passed("digest", "the stamped bytes are those of the file"),
        false if found.hash.is_none() && found.is_open() => {
            checks.not_checked("digest", found.unsupported.join("; "));
        }
        false => checks.failed("digest", "the stamped bytes are not those of the file"),
    }
    let mut reasons = found.problems.clone();
    reasons.extend(found.unsupported.iter().cloned());
    reasons.extend(found.cms.problems.iter().map(ToString::to_string));
    if found.is_open() {
        checks.not_checked("signature", reasons.join("; "));
    } else if found.cms.is_valid() && reasons.is_empty() {
        checks.passed("signature", "the authority's signature holds");
    } else {
        checks.failed("signature", reasons.join("; "));
    }
}

impl Judged {
    fn of(report: SignatureReport) -> Judged {
        Judged { report, certificate: None, chain: None, proof: None, paths: Vec::new() }
    }

    /// Whether all of its data is there that validation needs later: for the signer and for the
    /// authority that proves the time (EN 319 142-1, 6.3, requirements of B-LT).
    pub(super) fn is_long_term(&self, evidence: &Evidence, now: Time) -> Result<(), String> {
        let Some((chain, at)) = &self.chain else { return Err("there is no chain".into()) };
        let Some(proof) = &self.proof else { return Err("there is no timestamp".into()) };
        for (chain, at, who) in
            [(chain, *at, "the signer"), (&proof.chain, proof.time, "the timestamp authority")]
        {
            // An authority that is trusted itself needs nobody's word.
            if chain.issuer().is_none() {
                continue;
            }
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
