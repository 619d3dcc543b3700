//! The order of a verification: read, hash once, judge each signature, compare, sum up.

use super::candidate::Candidate;
use super::comparison::{self, Compared};
use super::digests::{Digests, Range};
use super::evidence::Evidence;
use super::level::Level;
use super::options::VerifyOptions;
use super::outside::Outside;
use super::places;
use super::report::VerifyReport;
use super::signature::{Judge, Judged};
use super::survey::Watch;
use super::time::TrustedTime;
use super::verdict;
use crate::asn1::Time;
use crate::compare::PrefixCheck;
use crate::crypto::{HashAlgorithm, Metered};
use crate::pdf::{Document, StructureNote};
use crate::report::{Check, Checks};
use crate::sign::late_certification;
use crate::x509::Certificate;

/// Signatures and timestamps in one document beyond this are not judged.
const MAX_SIGNATURES: usize = 100;
const MAX_POOL: usize = 2000;

/// Everything that was found, before it is summed up.
pub(super) struct Findings {
    pub(super) checks: Checks,
    /// Signatures by somebody, with their place among `all`.
    pub(super) signatures: Vec<(usize, Judged)>,
    /// Document timestamps, the same.
    pub(super) timestamps: Vec<(usize, Judged)>,
    pub(super) compared: Compared,
    pub(super) notes: Vec<String>,
}

pub(super) fn run(
    document: &Document,
    options: &VerifyOptions,
    now: Time,
    outside: &Outside,
    watch: Option<&mut Watch<'_>>,
) -> VerifyReport {
    let work = document.work().clone();
    let _metered = Metered::by(move |units| work.spend(units).is_ok());
    let mut checks = Checks::new();
    checks.passed("document", format!("a pdf with {}", revisions(document)));
    let mut notes = Vec::new();
    checks.push(structure(document, &mut notes));
    let fields = match document.signatures() {
        Ok(fields) if fields.len() <= MAX_SIGNATURES => fields,
        other => {
            let detail = match other {
                Ok(fields) => format!("{} signatures, at most {MAX_SIGNATURES}", fields.len()),
                Err(error) => format!("the form cannot be read: {error}"),
            };
            checks.failed("integrity", detail);
            return VerifyReport { checks, notes, ..VerifyReport::unreadable(placeholder()) };
        }
    };
    notes.extend(late_certification(&document.head(), &fields));
    let candidates: Vec<Candidate> =
        fields.into_iter().filter_map(|field| Candidate::new(document, field)).collect();
    let (digests, different) = match take_digests(document, options, &candidates) {
        Ok(taken) => taken,
        Err(error) => {
            checks
                .failed("integrity", format!("the file, or its original, cannot be read: {error}"));
            return VerifyReport { checks, notes, ..VerifyReport::unreadable(placeholder()) };
        }
    };
    let (mut signatures, mut timestamps) =
        judge(document, options, &candidates, &digests, (now, outside), &mut notes, watch);
    let compared = comparison::run(document, options, &candidates, &digests, different);
    if let Some(len) = compared.sent_len {
        for (index, judged) in signatures.iter_mut().chain(&mut timestamps) {
            let span = candidates.get(*index).and_then(|c| c.value.contents_span);
            judged.report.in_original = span.is_some_and(|span| span.end <= len);
        }
    }
    let findings = Findings { checks, signatures, timestamps, compared, notes };
    let mut report = verdict::sum_up(findings, options);
    places::locate(document, &candidates, &mut report);
    report
}

fn placeholder() -> Check {
    Check::not_checked("document", "")
}

fn revisions(document: &Document) -> String {
    match document.revisions().len() {
        1 => "one revision".to_owned(),
        count => format!("{count} revisions"),
    }
}

/// Whether readers agree about what the file is.
fn structure(document: &Document, notes: &mut Vec<String>) -> Check {
    let mut faults = Vec::new();
    for note in document.structure_notes() {
        match note {
            StructureNote::Rebuilt { reason } => faults.push(format!(
                "the cross-reference is unusable ({reason}): readers may show different content"
            )),
            StructureNote::PreviousLoop { .. } => {
                faults.push("the chain of updates leads in a circle".to_owned());
            }
            StructureNote::HybridStreamUnreadable { .. } => {
                faults.push("a part of the cross-reference cannot be read".to_owned());
            }
            StructureNote::HeaderOffset { offset, .. } => {
                notes.push(format!("there are {offset} bytes before the header"));
            }
            StructureNote::LinearizedSections { .. } => {
                notes.push("the file is linearized".to_owned());
            }
            StructureNote::TrailingBytes { count, .. } => {
                notes.push(format!("there are {count} bytes behind the end of the last revision"));
            }
        }
    }
    if faults.is_empty() {
        Check::passed("structure", "the cross-references are sound")
    } else {
        Check::failed("structure", faults.join("; "))
    }
}

/// Reads the file once, for all digests and the comparison with the original's bytes; gives the
/// first offset at which those differ.
fn take_digests(
    document: &Document,
    options: &VerifyOptions,
    candidates: &[Candidate],
) -> std::io::Result<(Digests, Option<u64>)> {
    let mut digests = Digests::default();
    for candidate in candidates {
        if let (Some(hash), Some(range)) = (candidate.hash(), candidate.range()) {
            digests.want(hash, range);
        }
    }
    if options.reported.signed_sha256.is_some() {
        digests.want(HashAlgorithm::Sha256, Range::prefix(document.len()));
    }
    for len in comparison::unsigned_lengths(document, options, candidates) {
        digests.want(HashAlgorithm::Sha256, Range::prefix(len));
    }
    let source = &**document.source();
    let Some(original) = options.original.as_ref().filter(|_| !options.converted) else {
        digests.take(source, &mut |_, _| Ok(()))?;
        return Ok((digests, None));
    };
    let mut check = PrefixCheck::new(&**original);
    digests.take(source, &mut |at, window| check.see(at, window))?;
    let different = check.finish(source)?;
    Ok((digests, different))
}

type All = Vec<(usize, Judged)>;

/// Judges timestamps first: they prove times of signatures.
fn judge(
    document: &Document,
    options: &VerifyOptions,
    candidates: &[Candidate],
    digests: &Digests,
    (now, outside): (Time, &Outside),
    notes: &mut Vec<String>,
    watch: Option<&mut Watch<'_>>,
) -> (All, All) {
    let mut evidence = Evidence::new();
    // An update may leave out of its store what speaks against somebody.
    for index in 0..document.revisions().len() {
        if let Some(view) = document.at_revision(index) {
            evidence.add_store(&view);
        }
    }
    evidence.add_store(&document.head());
    candidates
        .iter()
        .filter_map(Candidate::cms)
        .for_each(|cms| add_with_stamps(&mut evidence, cms));
    watch.iter().flat_map(|w| w.expected).for_each(|token| evidence.add_cms(token.cms()));
    outside.add_to(&mut evidence);
    if evidence.passed_over > 0 {
        notes.push(format!("{} items of validation data were not read", evidence.passed_over));
    }
    let pool: Vec<Certificate> =
        options.certificates.iter().chain(&evidence.certificates).take(MAX_POOL).cloned().collect();
    let work = document.work();
    let judge = Judge { options, digests, evidence: &evidence, pool: &pool, now, work };
    let mut stamps: Vec<TrustedTime> = outside.proven.iter().cloned().collect();
    let mut timestamps = Vec::new();
    // The newest first: it proves since when the older ones exist.
    let mut order: Vec<(usize, &Candidate)> =
        candidates.iter().enumerate().filter(|(_, c)| c.is_timestamp).collect();
    order.sort_by_key(|(_, candidate)| std::cmp::Reverse(candidate.revision()));
    for (index, candidate) in order {
        let (judged, trusted) = judge.timestamp(candidate, &stamps);
        stamps.extend(trusted);
        timestamps.push((index, judged));
    }
    let mut signatures: All = candidates
        .iter()
        .enumerate()
        .filter(|(_, candidate)| !candidate.is_timestamp)
        .map(|(index, candidate)| (index, judge.signature(candidate, &stamps)))
        .collect();
    for (_, judged) in &mut signatures {
        raise_level(document, candidates, &evidence, &stamps, now, judged);
    }
    if let Some(watch) = watch {
        watch.take(&judge, signatures.iter().chain(&timestamps).map(|(_, judged)| judged));
    }
    (signatures, timestamps)
}

/// A signature's certificates and answers, and those of the timestamps inside it.
fn add_with_stamps(evidence: &mut Evidence, cms: &crate::cms::SignedData) {
    evidence.add_cms(cms);
    for signer in cms.signers() {
        for token in signer.timestamps().iter().take(8) {
            if let Ok(token) = crate::tsp::TimestampToken::parse(token) {
                evidence.add_cms(token.cms());
            }
        }
    }
}

/// From B-B upwards.
fn raise_level(
    document: &Document,
    candidates: &[Candidate],
    evidence: &Evidence,
    stamps: &[TrustedTime],
    now: Time,
    judged: &mut Judged,
) {
    // A level is of the document alone.
    let is_timed = judged.proof.as_ref().is_some_and(|proof| !proof.is_outside());
    if judged.report.level != Some(Level::BB) || judged.chain.is_none() || !is_timed {
        return;
    }
    judged.report.level = Some(Level::BT);
    match judged.is_long_term(evidence, now) {
        Ok(()) => {
            judged.report.checks.passed("validation_data", "all of it is in the file");
            judged.report.level = Some(Level::BLT);
        }
        Err(reason) => {
            judged.report.checks.not_checked("validation_data", reason);
            return;
        }
    }
    let own = judged.report.revision;
    let archived = stamps.iter().filter(|stamp| stamp.revision > own).any(|stamp| {
        let view = stamp.revision.and_then(|index| document.at_revision(index));
        view.is_some_and(|view| {
            let mut stamped = Evidence::new();
            stamped.add_store(&view);
            candidates
                .iter()
                .filter(|candidate| candidate.revision() < stamp.revision)
                .filter_map(Candidate::cms)
                .for_each(|cms| add_with_stamps(&mut stamped, cms));
            judged.is_long_term(&stamped, now).is_ok()
        })
    });
    if archived {
        judged.report.level = Some(Level::BLTA);
    }
}
