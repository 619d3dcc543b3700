//! Chains from a certificate to a trust anchor (RFC 5280, section 6).

use std::fmt;

use super::anchors::TrustAnchors;
use super::budget::Budget;
use super::certificate::Certificate;
use super::policy::PolicyDemands;
use super::{constraints, policy};
use crate::asn1::{Time, oids};
use crate::crypto::Unsupported;

/// Most certificates in a chain, anchor included.
const MAX_LENGTH: usize = 8;
/// Most signatures checked while looking for one chain.
const MAX_SIGNATURES: u32 = 64;

/// What the first certificate of a chain is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Signing documents: key usage, when given, allows digitalSignature or nonRepudiation.
    Signing,
    /// Signing OCSP answers for an authority (RFC 6960, 4.2.2.2).
    OcspSigning,
    /// Signing timestamps: the only purpose, and critical (RFC 3161, 2.3).
    TimeStamping,
    /// Any use: only the chain itself is of interest.
    Any,
}

/// What to build a chain for.
#[derive(Clone, Copy, Debug)]
pub struct ChainRequest<'a> {
    /// Where a chain may end.
    pub anchors: &'a TrustAnchors,
    /// Certificates that may stand in between; they are not trusted by being here.
    pub pool: &'a [Certificate],
    /// The moment at which every certificate must be valid.
    pub at: Time,
    /// What the first certificate is used for.
    pub purpose: Purpose,
}

/// A checked chain: the certificate first, the anchor last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain(Vec<Certificate>);

impl Chain {
    /// The certificates, the first one first and the anchor last; never empty.
    #[must_use]
    pub fn certificates(&self) -> &[Certificate] {
        &self.0
    }

    /// The anchor.
    #[must_use]
    pub fn anchor(&self) -> Option<&Certificate> {
        self.0.last()
    }

    /// Who issued the first certificate; nothing when it is an anchor itself.
    #[must_use]
    pub fn issuer(&self) -> Option<&Certificate> {
        self.0.get(1)
    }

    /// Each certificate with its issuer, without the anchor.
    pub fn links(&self) -> impl Iterator<Item = (&Certificate, &Certificate)> {
        self.0.iter().zip(self.0.iter().skip(1))
    }
}

/// The kind of reason for which no chain was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChainFault {
    /// No certificate of the issuer is at hand, or the chain does not end at an anchor.
    NoIssuer,
    /// The search was given up: more signatures or certificates than the limit.
    Limit,
    /// A signature does not hold.
    Signature,
    /// A certificate is not yet valid at the time asked.
    NotYetValid,
    /// A certificate is not valid any more at the time asked.
    Expired,
    /// A certificate may not be used the way it is.
    Usage,
    /// A name lies outside of what an authority above may certify.
    Name,
    /// No certificate policy is left where one is asked for.
    Policy,
    /// A certificate has an extension that is broken, or critical and not applied here.
    Extension,
    /// A key is too weak, or cannot be one.
    Key,
    /// A key or an algorithm is not supported: whether the chain holds is not known.
    Unsupported,
}

/// Why no chain was found: the fault that lies furthest along.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainFailure {
    /// The kind of fault.
    pub fault: ChainFault,
    /// In words, with the certificate concerned.
    pub detail: String,
    /// The certificates that were linked before the fault.
    pub partial: Vec<Certificate>,
}

impl fmt::Display for ChainFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.detail)
    }
}

impl std::error::Error for ChainFailure {}

impl Chain {
    /// Looks for a chain from `certificate` to an anchor.
    ///
    /// Every certificate is checked for validity at the time asked, basic constraints, path
    /// length, key usage, names and key identifiers, signature, key size, name constraints,
    /// policies, and for critical extensions that this library does not apply (they fail). No
    /// policy is demanded but by the certificates themselves. Revocation is not looked at.
    ///
    /// # Errors
    /// With the most telling reason, when there is none within the limits.
    pub fn build(
        certificate: &Certificate,
        request: &ChainRequest<'_>,
    ) -> Result<Self, ChainFailure> {
        Self::build_for(certificate, request, &PolicyDemands::default())
    }

    /// As [`Chain::build`], and the chain must meet these demands on its policies.
    ///
    /// # Errors
    /// As [`Chain::build`].
    pub fn build_for(
        certificate: &Certificate,
        request: &ChainRequest<'_>,
        policies: &PolicyDemands<'_>,
    ) -> Result<Self, ChainFailure> {
        let (signatures_left, budget) = (MAX_SIGNATURES, Budget::new());
        let mut search = Search { request, policies, signatures_left, budget, best: None };
        let mut path = vec![certificate.clone()];
        if let Err((fault, detail)) = check_first(certificate, request) {
            return Err(ChainFailure { fault, detail, partial: path });
        }
        if search.extend(&mut path) {
            return Ok(Self(path));
        }
        Err(search.best.unwrap_or_else(|| ChainFailure {
            fault: ChainFault::NoIssuer,
            detail: "no chain was found".into(),
            partial: path,
        }))
    }
}

pub(super) type Fault = (ChainFault, String);

struct Search<'a> {
    request: &'a ChainRequest<'a>,
    policies: &'a PolicyDemands<'a>,
    signatures_left: u32,
    /// For names and policies.
    budget: Budget,
    best: Option<ChainFailure>,
}

impl Search<'_> {
    /// Extends `path` to an anchor; on failure `path` is as before.
    fn extend(&mut self, path: &mut Vec<Certificate>) -> bool {
        let Some(last) = path.last().cloned() else { return false };
        if self.request.anchors.contains(&last) {
            return match self.check_whole(path) {
                Ok(()) => true,
                Err((fault, detail)) => {
                    self.note(path, fault, detail);
                    false
                }
            };
        }
        if path.len() >= MAX_LENGTH {
            self.note(path, ChainFault::Limit, format!("chain is longer than {MAX_LENGTH}"));
            return false;
        }
        let mut found = false;
        for candidate in self.candidates(&last) {
            if path.iter().any(|member| same_entity(member, &candidate)) {
                continue;
            }
            found = true;
            match self.check_issuer(path, &last, &candidate) {
                Ok(()) => {
                    path.push(candidate);
                    if self.extend(path) {
                        return true;
                    }
                    path.pop();
                }
                Err((fault, detail)) => self.note(path, fault, detail),
            }
        }
        if !found {
            let detail = if last.is_self_issued() {
                format!("{} is not among the trust anchors", last.subject().shown())
            } else {
                format!("no certificate of the issuer {} is at hand", last.issuer())
            };
            self.note(path, ChainFault::NoIssuer, detail);
        }
        false
    }

    /// What only the whole chain can tell, the anchor being its last certificate. The anchor's own
    /// policies demand nothing: it is trusted because it was given.
    fn check_whole(&mut self, path: &[Certificate]) -> Result<(), Fault> {
        let below: Vec<&Certificate> = path.iter().rev().skip(1).collect();
        constraints::check(path.last(), &below, &mut self.budget)?;
        policy::check(&below, self.policies, &mut self.budget)
    }

    /// Anchors first, then the pool, by name and key identifier.
    fn candidates(&self, child: &Certificate) -> Vec<Certificate> {
        let anchors = self.request.anchors.certificates().iter();
        let mut all: Vec<Certificate> = Vec::new();
        for candidate in anchors.chain(self.request.pool) {
            if may_have_issued(candidate, child) && !all.contains(candidate) {
                all.push(candidate.clone());
            }
        }
        all
    }

    fn check_issuer(
        &mut self,
        path: &[Certificate],
        child: &Certificate,
        issuer: &Certificate,
    ) -> Result<(), Fault> {
        let who = issuer.subject().shown();
        self.signatures_left = self.signatures_left.checked_sub(1).ok_or_else(|| {
            let detail = format!("more than {MAX_SIGNATURES} signatures would have to be checked");
            (ChainFault::Limit, detail)
        })?;
        let key = issuer.public_key().map_err(|error| key_fault(&who, &error))?;
        child.signature_algorithm(key).map_err(|error| match error.is_open() {
            true => {
                let child = child.subject().shown();
                (ChainFault::Unsupported, format!("certificate of {child}: {error}"))
            }
            false => (ChainFault::Signature, format!("{}: {error}", child.subject().shown())),
        })?;
        child.verify_signature(key).map_err(|error| {
            let detail = format!(
                "certificate of {}, said to be from {who}: {error}",
                child.subject().shown()
            );
            (ChainFault::Signature, detail)
        })?;
        check_any(issuer, self.request.at)?;
        let extensions = issuer.extensions();
        let old_anchor = issuer.version() < 3 && self.request.anchors.contains(issuer);
        if !extensions.is_ca() && !old_anchor {
            return Err((ChainFault::Usage, format!("{who} is no certificate authority")));
        }
        if extensions.key_usage().is_some_and(|usage| !usage.key_cert_sign()) {
            return Err((ChainFault::Usage, format!("{who} may not sign certificates")));
        }
        // Self-issued authorities do not count (RFC 5280, 4.2.1.9).
        let below = path.iter().skip(1).filter(|member| !member.is_self_issued()).count() as u64;
        if extensions.path_len().is_some_and(|limit| below > limit) {
            let detail = format!("{who} allows fewer authorities below it than the {below} here");
            return Err((ChainFault::Usage, detail));
        }
        Ok(())
    }

    fn note(&mut self, path: &[Certificate], fault: ChainFault, detail: String) {
        let rank = |failure: &ChainFailure| (failure.partial.len(), failure.fault);
        let failure = ChainFailure { fault, detail, partial: path.to_vec() };
        if self.best.as_ref().is_none_or(|best| rank(&failure) > rank(best)) {
            self.best = Some(failure);
        }
    }
}

/// The same name with the same key: a chain through both would be a loop.
fn same_entity(a: &Certificate, b: &Certificate) -> bool {
    a == b || (a.spki() == b.spki() && a.subject().matches(b.subject()))
}

fn may_have_issued(issuer: &Certificate, child: &Certificate) -> bool {
    let ids = (child.extensions().authority_key_id(), issuer.extensions().subject_key_id());
    issuer.subject().matches(child.issuer())
        && match ids {
            (Some(wanted), Some(found)) => wanted == found,
            _ => true,
        }
}

fn key_fault(who: &str, error: &Unsupported) -> Fault {
    let fault = if error.is_open() { ChainFault::Unsupported } else { ChainFault::Key };
    (fault, format!("{who}: {error}"))
}

/// Checks that every certificate of a chain must stand.
fn check_any(certificate: &Certificate, at: Time) -> Result<(), Fault> {
    let who = certificate.subject().shown();
    if at < certificate.not_before() {
        let detail = format!("{who} is valid from {}, asked for {at}", certificate.not_before());
        return Err((ChainFault::NotYetValid, detail));
    }
    if at > certificate.not_after() {
        let detail = format!("{who} was valid until {}, asked for {at}", certificate.not_after());
        return Err((ChainFault::Expired, detail));
    }
    let key = certificate.public_key().map_err(|error| key_fault(&who, &error))?;
    if key.is_weak() {
        return Err((ChainFault::Key, format!("{who}: the key ({key}) is too weak")));
    }
    let extensions = certificate.extensions();
    if let Some(fault) = extensions.faults().first() {
        return Err((ChainFault::Extension, format!("{who}: {fault}")));
    }
    if let Some(oid) = extensions.unknown_critical() {
        let detail = format!("{who} has the critical extension {oid}, which is not supported");
        return Err((ChainFault::Extension, detail));
    }
    Ok(())
}

fn check_first(certificate: &Certificate, request: &ChainRequest<'_>) -> Result<(), Fault> {
    check_any(certificate, request.at)?;
    let who = certificate.subject().shown();
    let extensions = certificate.extensions();
    let usage_allows = extensions
        .key_usage()
        .is_none_or(|usage| usage.digital_signature() || usage.non_repudiation());
    if request.purpose != Purpose::Any && !usage_allows {
        return Err((ChainFault::Usage, format!("{who}: the key may not sign data")));
    }
    let purposes = extensions.extended_key_usage();
    match request.purpose {
        Purpose::Signing | Purpose::Any => Ok(()),
        Purpose::OcspSigning if certificate.has_purpose(oids::OCSP_SIGNING) => Ok(()),
        Purpose::OcspSigning => {
            Err((ChainFault::Usage, format!("{who} may not sign revocation answers")))
        }
        Purpose::TimeStamping => {
            let extension = extensions.get(oids::EXTENDED_KEY_USAGE);
            if purposes == Some(&[oids::TIME_STAMPING]) && extension.is_some_and(|e| e.critical) {
                return Ok(());
            }
            let detail =
                format!("{who}: timestamping is not the only, critical purpose of the key");
            Err((ChainFault::Usage, detail))
        }
    }
}
