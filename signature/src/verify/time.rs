//! What time a signature is judged at, and what proves it (EN 319 102-1, 5.4 to 5.6).
//!
//! A timestamp counts when its authority is trusted at the stamped moment, has not expired by the
//! moment at which the timestamp itself is known to exist (a later timestamp over it, or else
//! now), and was not revoked in a way that lets others backdate.

use super::evidence::{ChainStatus, Evidence};
use super::outside::OUTSIDE;
use super::report::{JudgedAt, TimeProof};
use crate::asn1::Time;
use crate::revocation::Status;
use crate::tsp::TimestampVerification;
use crate::x509::{Certificate, Chain, ChainRequest, Purpose, TrustAnchors};

/// How far a clock may be ahead of ours, in seconds.
pub(super) const TOLERANCE: i64 = 300;

/// A timestamp that counts.
#[derive(Debug, Clone)]
pub(super) struct TrustedTime {
    pub(super) time: Time,
    pub(super) chain: Chain,
    /// The revision of a document timestamp; that of a container is behind all of them.
    pub(super) revision: Option<usize>,
    /// What is known about the revocation of its authority; never revoked.
    pub(super) status: ChainStatus,
}

/// Why a timestamp does not count.
#[derive(Debug, Clone)]
pub(super) enum Discarded {
    /// It is wrong: changed, from the future, or of an authority that was revoked.
    Wrong(String),
    /// Its authority was revoked.
    Revoked(String),
    /// It is not known whether it is right.
    Open(String),
}

/// What timestamps are judged with.
pub(super) struct TimeJudge<'a> {
    pub(super) anchors: &'a TrustAnchors,
    pub(super) pool: &'a [Certificate],
    pub(super) evidence: &'a Evidence,
    pub(super) now: Time,
}

impl TrustedTime {
    pub(super) fn authority(&self) -> String {
        let first = self.chain.certificates().first();
        first.map(|authority| authority.subject().shown()).unwrap_or_default()
    }

    /// Whether it is over the document from outside of it.
    pub(super) fn is_outside(&self) -> bool {
        self.revision == Some(OUTSIDE)
    }

    fn proof(&self) -> TimeProof {
        match self.revision {
            Some(OUTSIDE) => TimeProof::ContainerTimestamp,
            Some(_) => TimeProof::DocumentTimestamp,
            None => TimeProof::SignatureTimestamp,
        }
    }

    pub(super) fn describe(&self) -> String {
        let kind = match self.proof() {
            TimeProof::DocumentTimestamp => "document",
            TimeProof::ContainerTimestamp => "container",
            _ => "signature",
        };
        format!("a {kind} timestamp of {} proves {}", self.authority(), self.time)
    }

    pub(super) fn judged_at(&self) -> JudgedAt {
        JudgedAt {
            time: self.time.to_string(),
            proof: self.proof(),
            authority: Some(self.authority()),
        }
    }
}

impl TimeJudge<'_> {
    /// Whether a timestamp counts. `known` is when it is proven to have existed already, by a
    /// later timestamp over it.
    pub(super) fn judge(
        &self,
        found: &TimestampVerification,
        revision: Option<usize>,
        known: Option<Time>,
    ) -> Result<TrustedTime, Discarded> {
        if found.is_open() {
            return Err(Discarded::Open(found.describe_problems()));
        }
        if !found.is_intact() {
            return Err(Discarded::Wrong(found.describe_problems()));
        }
        if found.time > self.now.plus_seconds(TOLERANCE) {
            return Err(Discarded::Wrong(format!("it is from the future: {}", found.time)));
        }
        let chain = found.chain.clone().map_err(|error| Discarded::Open(error.to_string()))?;
        self.check_end(&chain, found.time.max(known.unwrap_or(self.now)), known)?;
        let status = self.check_revocation(&chain, found.time, known)?;
        Ok(TrustedTime { time: found.time, chain, revision, status })
    }

    /// An expired authority answers for nothing any more, its key least of all (RFC 3161, 4.3).
    fn check_end(&self, chain: &Chain, at: Time, known: Option<Time>) -> Result<(), Discarded> {
        let Some(authority) = chain.certificates().first() else { return Ok(()) };
        let mut pool = chain.certificates().to_vec();
        pool.extend_from_slice(self.pool);
        let request =
            ChainRequest { anchors: self.anchors, pool: &pool, at, purpose: Purpose::TimeStamping };
        let Err(failure) = Chain::build(authority, &request) else { return Ok(()) };
        let since = match known {
            Some(known) => format!("the timestamp is proven to exist only since {known}"),
            None => "nothing proves that the timestamp existed before".to_owned(),
        };
        Err(Discarded::Open(format!("{failure}; {since}")))
    }

    /// A revocation leaves earlier timestamps good when they are proven to be earlier, or when its
    /// reason says that the key is in nobody else's hands (RFC 3161, 4.1).
    fn check_revocation(
        &self,
        chain: &Chain,
        time: Time,
        known: Option<Time>,
    ) -> Result<ChainStatus, Discarded> {
        let mut unknown = None;
        for (certificate, status) in self.evidence.statuses(chain, time, self.now) {
            let who = certificate.subject().shown();
            match &status {
                Status::Good { .. } => {}
                Status::Revoked { since, reason } => {
                    let is_earlier = known.is_some_and(|known| known < *since);
                    let is_harmless = matches!(reason, Some(0 | 3 | 4 | 5)) && time < *since;
                    if !is_earlier && !is_harmless {
                        return Err(Discarded::Revoked(format!("its authority {who}: {status}")));
                    }
                }
                Status::Unknown | Status::NotChecked(_) => {
                    unknown.get_or_insert(format!("{who}: {status}"));
                }
            }
        }
        Ok(unknown.map_or(ChainStatus::Good, ChainStatus::Unknown))
    }
}

/// When something in `revision` is proven to have existed, by the trusted document timestamps
/// behind it.
pub(super) fn known_since(stamps: &[TrustedTime], revision: Option<usize>) -> Option<Time> {
    let later = stamps.iter().filter(|stamp| revision.is_some() && stamp.revision > revision);
    later.map(|stamp| stamp.time).min()
}
