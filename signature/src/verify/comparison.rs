//! What the verification compares with, and what signatures permit afterwards.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};

use super::candidate::Candidate;
use super::digests::{Digests, Range};
use super::options::{FormFilling, VerifyOptions};
use super::report::Coverage;
use crate::compare::{self, Base, Change, ChangeKind, Comparison, Rules};
use crate::crypto::HashAlgorithm;
use crate::pdf::{Document, Location, Revision};
use crate::report::Check;
use crate::sign::FieldLock;

/// Revision boundaries that are held against the reported digest.
const MAX_BOUNDARIES: usize = 48;

/// What was found by comparing.
pub(super) struct Compared {
    /// `original`, `unsigned_digest` and `signed_digest`, those that were asked for.
    pub(super) checks: Vec<Check>,
    /// The comparison from the base; an error where there is none.
    pub(super) comparison: Result<Comparison, String>,
    /// Whether the base is what was sent.
    pub(super) is_from_original: bool,
    /// Number of bytes of what was sent; `None` when it is not known.
    pub(super) sent_len: Option<u64>,
}

/// Compares, from what was sent where that is known, else from what the first signature covers.
/// `different` is the first offset at which document and original differ.
pub(super) fn run(
    document: &Document,
    options: &VerifyOptions,
    candidates: &[Candidate],
    digests: &Digests,
    different: Option<u64>,
) -> Compared {
    let mut checks = Vec::new();
    checks.extend(signed_digest(document, options, digests));
    let mut base = None;
    let mut is_from_original = false;
    if let Some(original) = options.original.as_ref().filter(|_| !options.converted) {
        match compare::base_of_original(document, original, different) {
            Ok(found) => {
                base = Some(found);
                is_from_original = true;
            }
            Err(reason) => checks.push(Check::failed("original", reason)),
        }
    }
    let by_digest = unsigned_digest(document, options, candidates, digests, base.as_ref());
    if let Some((check, found)) = by_digest {
        is_from_original |= found.is_some();
        base = base.or(found);
        checks.push(check);
    }
    if options.converted && options.original.is_some() {
        let detail = "the service converted it: what was signed is its conversion, whose digest \
                      is compared instead";
        checks.push(Check::not_checked("original", detail));
    }
    let sent_len = base.as_ref().filter(|_| is_from_original).map(|base| base.len);
    let base = base.map_or_else(|| first_signed(document, candidates), Ok);
    let rules =
        Rules { seals: &options.seals, may_fill: options.form_filling == FormFilling::EmptyFields };
    let mut comparison = base.and_then(|base| compare::compare(document, &base, &rules));
    if let Ok(comparison) = &mut comparison {
        apply_permissions(document, candidates, comparison);
    }
    // Whatever else was found: behind a limit, nothing is sure.
    if let Some(reached) = document.work().reached() {
        comparison = Err(compare::limit(reached.clone()));
    }
    Compared { checks, comparison, is_from_original, sent_len }
}

/// The earliest state of the document that some signature covers.
fn first_signed(document: &Document, candidates: &[Candidate]) -> Result<Base, String> {
    let covered = candidates.iter().filter_map(|candidate| candidate.covered.as_ref().ok());
    let first = covered.min_by_key(|covered| covered.end);
    let first = first.ok_or("no signature covers a state of the document")?;
    // White space behind the last revision belongs to it.
    let end = match first.coverage {
        Coverage::WholeFile => document.len(),
        _ => first.end,
    };
    if document.is_rebuilt() {
        return Err("without a usable cross-reference there are no revisions".into());
    }
    Ok(Base::at_revision(end, first.revision))
}

fn sha256(digests: &Digests, len: u64) -> Option<&[u8]> {
    digests.get(HashAlgorithm::Sha256, Range::prefix(len))
}

fn signed_digest(document: &Document, options: &VerifyOptions, digests: &Digests) -> Option<Check> {
    let reported = options.reported.signed_sha256.as_deref()?;
    let name = "signed_digest";
    Some(match (decoded_digest(reported), sha256(digests, document.len())) {
        (None, _) => Check::failed(name, "what was reported is no sha-256 in base64 or hex"),
        (Some(reported), Some(found)) if reported == found => {
            Check::passed(name, "the file has the reported sha-256")
        }
        _ => Check::failed(name, "the file has another sha-256 than was reported"),
    })
}

/// Lengths at which the document that was signed may have ended.
pub(super) fn unsigned_lengths(
    document: &Document,
    options: &VerifyOptions,
    candidates: &[Candidate],
) -> Vec<u64> {
    if options.reported.unsigned_sha256.is_none() {
        return Vec::new();
    }
    if let Some(original) = options.original.as_ref().filter(|_| !options.converted) {
        return vec![original.len().min(document.len())];
    }
    let first = candidates.iter().filter_map(Candidate::revision).min().unwrap_or(0);
    let mut lengths = Vec::new();
    for pair in document.revisions().windows(2).take(first) {
        let [revision, next] = pair else { continue };
        let update = first_object(document, next).filter(|at| *at > revision.end);
        lengths.extend([revision.end, revision.marker_end]);
        // White space between the two may belong to either.
        if let Some(at) = update {
            lengths.extend([at, at - 1, at.saturating_sub(2)]);
        }
        if lengths.len() >= MAX_BOUNDARIES {
            break;
        }
    }
    lengths.sort_unstable();
    lengths.dedup();
    lengths
}

/// Offset of the first object of a revision.
fn first_object(document: &Document, revision: &Revision) -> Option<u64> {
    let offsets = document.changes(revision).filter_map(|change| match change.location {
        Location::At { offset } if offset >= revision.start => Some(offset),
        _ => None,
    });
    offsets.chain([revision.xref_offset]).min()
}

/// Holds the reported digest of the unsigned document against what the file was before it was
/// signed; gives that state as a base.
fn unsigned_digest(
    document: &Document,
    options: &VerifyOptions,
    candidates: &[Candidate],
    digests: &Digests,
    base: Option<&Base>,
) -> Option<(Check, Option<Base>)> {
    let reported = options.reported.unsigned_sha256.as_deref()?;
    let name = "unsigned_digest";
    let Some(reported) = decoded_digest(reported) else {
        let detail = "what was reported is no sha-256 in base64 or hex";
        return Some((Check::failed(name, detail), None));
    };
    let lengths = unsigned_lengths(document, options, candidates);
    let found = lengths.into_iter().find(|len| sha256(digests, *len) == Some(&*reported));
    let Some(len) = found else {
        let detail = "no state of the document before its first signature has the reported sha-256";
        return Some((Check::failed(name, detail), None));
    };
    if base.is_some() {
        return Some((Check::passed(name, "the original has the reported sha-256"), None));
    }
    Some(match compare::base_at(document, len) {
        Ok(base) => {
            let detail = format!("the first {len} bytes have the reported sha-256");
            (Check::passed(name, detail), Some(base))
        }
        Err(reason) => (Check::failed(name, reason), None),
    })
}

/// 32 bytes from hexadecimal or any base64.
pub(super) fn decoded_digest(text: &str) -> Option<Vec<u8>> {
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    if text.len() == 64 && text.bytes().all(|b| b.is_ascii_hexdigit()) {
        let digit = |b: u8| (b as char).to_digit(16).unwrap_or(0) as u8;
        return Some(
            text.as_bytes()
                .as_chunks::<2>()
                .0
                .iter()
                .map(|[a, b]| digit(*a) << 4 | digit(*b))
                .collect(),
        );
    }
    [STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD]
        .iter()
        .find_map(|engine| engine.decode(&text).ok())
        .filter(|bytes| bytes.len() == 32)
}

/// What earlier signatures forbid of what is permitted otherwise (ISO 32000-2, 12.8.2).
fn apply_permissions(document: &Document, candidates: &[Candidate], comparison: &mut Comparison) {
    let mut forbidden = Vec::new();
    for step in &comparison.steps {
        let mut forbid = |detail: String| {
            forbidden.push(Change {
                revision: step.revision,
                object: None,
                kind: ChangeKind::Other,
                detail,
                place: None,
                place_before: None,
            });
        };
        let covers = |candidate: &Candidate| {
            !candidate.is_timestamp && candidate.revision() >= Some(step.revision)
        };
        if !step.filled.is_empty() && !candidates.iter().any(covers) {
            forbid("form fields were filled in after the last signature".to_owned());
        }
        for earlier in candidates.iter().filter(|c| c.revision().is_some_and(|r| r < step.revision))
        {
            let certified = earlier.value.doc_mdp_permission().is_some_and(|p| p <= 1);
            let change = step.permitted.iter().find(|change| !change.kind.is_always_allowed());
            if let Some(change) = change.filter(|_| certified) {
                forbid(format!(
                    "the certification in {} forbids changes: {}",
                    earlier.name, change.detail
                ));
            }
            for name in locked(document, earlier, &step.filled, &step.signed_fields) {
                forbid(format!("the field {name} is locked by the signature in {}", earlier.name));
            }
        }
    }
    forbidden.into_iter().for_each(|change| comparison.changes.forbid(change));
}

/// Fields that were changed although a signature locks them.
fn locked(
    document: &Document,
    signature: &Candidate,
    filled: &[String],
    signed: &[String],
) -> Vec<String> {
    let view = signature.revision().and_then(|index| document.at_revision(index));
    let Some(view) = view else { return Vec::new() };
    let references = signature.value.references.iter().filter(|r| r.method == "FieldMDP");
    let locks: Vec<FieldLock> =
        references.filter_map(|r| FieldLock::read(&view, &r.params).ok().flatten()).collect();
    let names: usize = locks.iter().map(FieldLock::len).sum();
    let pairs = names.saturating_mul(filled.len() + signed.len());
    if document.work().spend(pairs as u64).is_err() {
        return Vec::new();
    }
    filled
        .iter()
        .chain(signed)
        .filter(|name| locks.iter().any(|lock| lock.locks(name)))
        .cloned()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_in_every_notation() {
        let bytes: Vec<u8> = (0..32).map(|n| n * 7).collect();
        let hex: String = bytes.iter().map(|b| format!("{b:02X}")).collect();
        for text in [STANDARD.encode(&bytes), STANDARD_NO_PAD.encode(&bytes), hex] {
            assert_eq!(decoded_digest(&text), Some(bytes.clone()), "{text}");
        }
        assert_eq!(decoded_digest("AAAA"), None);
        assert_eq!(decoded_digest(""), None);
    }
}
