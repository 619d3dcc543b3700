//! Lists that were signed with another key than the certificate: a new or an older key of its
//! issuer, one that only signs lists, or that of an issuer of lists whom the certificate names.

use std::cell::Cell;

use super::crl::Crl;
use super::ocsp::BasicResponse;
use super::status::{ChainContext, Question, Status, check_within};
use crate::x509::{Certificate, Chain, ChainRequest, Purpose, TrustAnchors};

/// Units of work for one question, beyond the check of each list with its issuer's key.
const MAX_UNITS: u32 = 20_000;
/// What checking a signature is counted as; comparing two short names is one unit.
const SIGNATURE: u32 = 100;
/// What seeking a chain is counted as.
const CHAIN: u32 = 16 * SIGNATURE;
/// Bytes of a name that are compared for a unit.
const UNIT: usize = 256;
/// Certificates with the name of a list's issuer that are tried.
const MAX_CANDIDATES: usize = 4;
/// How many lists deep the signer of a list is asked about.
const MAX_DEPTH: u32 = 2;

/// What one question may use, and what it asks the signers of lists about.
pub(super) struct Scene<'a> {
    ocsp: &'a [BasicResponse],
    crls: &'a [Crl],
    units_left: &'a Cell<u32>,
    depth: u32,
}

impl<'a> Scene<'a> {
    pub(super) fn budget() -> Cell<u32> {
        Cell::new(MAX_UNITS)
    }

    pub(super) fn new(
        ocsp: &'a [BasicResponse],
        crls: &'a [Crl],
        units_left: &'a Cell<u32>,
    ) -> Self {
        Self { ocsp, crls, units_left, depth: MAX_DEPTH }
    }

    pub(super) fn evidence(&self) -> (&'a [BasicResponse], &'a [Crl]) {
        (self.ocsp, self.crls)
    }

    fn spend(&self, units: u32) -> Result<(), String> {
        let left = self.units_left.get().checked_sub(units);
        self.units_left.set(left.unwrap_or(0));
        left.map(drop).ok_or_else(|| "too much would have to be checked".to_owned())
    }

    /// Takes room for checking a list with its issuer's key. Only lists about the signers of other
    /// lists are counted: how many lists there are is limited where they are read.
    pub(super) fn enter(&self) -> Result<(), String> {
        if self.depth < MAX_DEPTH { self.spend(SIGNATURE) } else { Ok(()) }
    }

    /// Who signed a list, when a certificate of the issuer's name did, which an authority of the
    /// question's own chain issued: others under the same anchor could take any name. With it,
    /// whether it is known that the signer was not revoked.
    pub(super) fn find_signer(
        &self,
        list: &Crl,
        question: &Question<'_>,
    ) -> Result<SignerStatus, String> {
        let nobody = || "nobody of its issuer's name is known to have signed it".to_owned();
        let Some(context) = question.context.filter(|_| self.depth > 0) else {
            return Err(nobody());
        };
        let may_have_signed = |candidate: &Certificate| {
            candidate != question.issuer
                && candidate.subject().matches(list.issuer())
                && candidate.extensions().key_usage().is_some_and(|usage| usage.crl_sign())
                && match (list.authority_key_id(), candidate.extensions().subject_key_id()) {
                    (Some(wanted), Some(found)) => wanted == found,
                    _ => true,
                }
        };
        let known = context.chain.certificates().iter().chain(context.pool);
        let mut seen: Vec<&Certificate> = Vec::new();
        for candidate in known {
            let size = candidate.subject().as_der().len() / UNIT;
            self.spend(u32::try_from(size).unwrap_or(u32::MAX).saturating_add(1))?;
            if !may_have_signed(candidate) || seen.contains(&candidate) {
                continue;
            }
            if seen.len() == MAX_CANDIDATES {
                break;
            }
            seen.push(candidate);
            self.spend(SIGNATURE)?;
            if list.verify(candidate).is_ok()
                && let Some(status) = self.status_of(candidate, list, question, &context)
            {
                return Ok(status);
            }
        }
        Err(nobody())
    }

    fn status_of(
        &self,
        signer: &Certificate,
        list: &Crl,
        question: &Question<'_>,
        context: &ChainContext<'_>,
    ) -> Option<SignerStatus> {
        let anchors = TrustAnchors::new(context.chain.anchor().cloned().into_iter().collect());
        let mut pool = context.chain.certificates().to_vec();
        pool.extend_from_slice(context.pool);
        let (at, purpose) = (list.this_update(), Purpose::Any);
        let request = ChainRequest { anchors: &anchors, pool: &pool, at, purpose };
        self.spend(CHAIN).ok()?;
        let chain = Chain::build(signer, &request).ok()?;
        let is_known = |issuer: &Certificate| {
            context.chain.certificates().iter().any(|known| known.spki() == issuer.spki())
        };
        if !chain.issuer().is_none_or(is_known) {
            return None;
        }
        let inner = Scene { depth: self.depth.saturating_sub(1), ..*self };
        let mut found = SignerStatus::Good;
        for (certificate, issuer) in chain.links() {
            let nested = Question {
                certificate,
                issuer,
                at: question.at.min(list.this_update()),
                context: Some(ChainContext { chain: &chain, pool: context.pool }),
                ..*question
            };
            match check_within(&nested, &inner).status {
                Status::Good { .. } => {}
                Status::Revoked { .. } => return Some(SignerStatus::Revoked),
                Status::Unknown | Status::NotChecked(_) => found = SignerStatus::Unknown,
            }
        }
        Some(found)
    }
}

/// What is known about who signed a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SignerStatus {
    Good,
    Revoked,
    Unknown,
}
