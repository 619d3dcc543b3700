//! The question, the answer, and how evidence of both kinds is weighed.

use std::fmt;

use super::crl::{Crl, SOME_REASONS, Told};
use super::ocsp::BasicResponse;
use super::point::Reasons;
use super::signer::Scene;
use crate::asn1::Time;
use crate::x509::{Certificate, Chain, TrustAnchors};

/// What evidence says about one certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    /// Not revoked at the time asked.
    Good {
        /// When the answer or list says so.
        this_update: Time,
    },
    /// Revoked. Whether before or after the time asked, `since` says.
    Revoked {
        /// From when on.
        since: Time,
        /// The reason by its number (RFC 5280, 5.3.1), when given.
        reason: Option<u8>,
    },
    /// The responder does not know the certificate.
    Unknown,
    /// Nothing can be said, for this reason.
    NotChecked(String),
}

impl Status {
    /// True when the certificate was not revoked at `at`: good, or revoked later.
    ///
    /// The second holds only when `at` is proven, for instance by a timestamp: a claimed signing
    /// time can be set before the revocation.
    #[must_use]
    pub fn holds_at(&self, at: Time) -> bool {
        match self {
            Self::Good { .. } => true,
            Self::Revoked { since, .. } => *since > at,
            Self::Unknown | Self::NotChecked(_) => false,
        }
    }

    /// True for a certificate that was not revoked.
    #[must_use]
    pub fn is_good(&self) -> bool {
        matches!(self, Self::Good { .. })
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Good { this_update } => write!(f, "not revoked, as of {this_update}"),
            Self::Revoked { since, reason: None } => write!(f, "revoked since {since}"),
            Self::Revoked { since, reason: Some(reason) } => {
                write!(f, "revoked since {since} ({})", reason_name(*reason))
            }
            Self::Unknown => f.write_str("not known to the responder"),
            Self::NotChecked(reason) => f.write_str(reason),
        }
    }
}

fn reason_name(reason: u8) -> &'static str {
    match reason {
        0 => "unspecified",
        1 => "key compromise",
        2 => "authority compromise",
        3 => "affiliation changed",
        4 => "superseded",
        5 => "cessation of operation",
        6 => "certificate hold",
        8 => "removed from list",
        9 => "privilege withdrawn",
        10 => "attribute authority compromise",
        _ => "unknown reason",
    }
}

/// Where a certificate stands.
#[derive(Clone, Copy, Debug)]
pub struct ChainContext<'a> {
    /// Its checked chain, or one that it is part of.
    pub chain: &'a Chain,
    /// Certificates among which signers of lists may be; they are not trusted by being here.
    pub pool: &'a [Certificate],
}

/// What is asked, and how strictly time is taken.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The certificate in question.
    pub certificate: &'a Certificate,
    /// Its issuer, already checked.
    pub issuer: &'a Certificate,
    /// The time asked for: usually when the certificate was used.
    pub at: Time,
    /// The present time: evidence from later is not believed.
    pub now: Time,
    /// How far clocks may differ, in seconds.
    pub tolerance: i64,
    /// How much older than `at` evidence without a nextUpdate may be, in seconds.
    pub max_age: i64,
    /// Responders trusted by configuration (RFC 6960, 4.2.2.2, first case).
    pub trusted_responders: &'a [Certificate],
    /// When given, a responder certified for OCSP by any authority under these anchors is trusted
    /// too, not only one certified by the certificate's own issuer. Some infrastructures have one
    /// responder for all their authorities.
    pub responder_anchors: Option<&'a TrustAnchors>,
    /// When given, [`check`] accepts lists that were signed under another key of the issuer, or by
    /// the issuer of lists whom the certificate names (cRLIssuer), when an authority of the chain
    /// certified that key for it and it was not revoked.
    pub context: Option<ChainContext<'a>>,
}

impl<'a> Question<'a> {
    /// The question with five minutes of tolerance and an hour of age.
    #[must_use]
    pub fn new(certificate: &'a Certificate, issuer: &'a Certificate, at: Time, now: Time) -> Self {
        let (tolerance, max_age) = (300, 3_600);
        Self {
            certificate,
            issuer,
            at,
            now,
            tolerance,
            max_age,
            trusted_responders: &[],
            responder_anchors: None,
            context: None,
        }
    }

    /// Whether evidence from `this_update` speaks about the time asked. Evidence made at or after
    /// that time does; older evidence does until its nextUpdate.
    pub(super) fn covered(&self, this_update: Time, next: Option<Time>) -> Result<(), String> {
        if this_update > self.now.plus_seconds(self.tolerance) {
            return Err(format!("evidence from {this_update} lies in the future"));
        }
        if this_update >= self.at.plus_seconds(-self.tolerance) {
            return Ok(());
        }
        match next {
            Some(next) if self.at <= next.plus_seconds(self.tolerance) => Ok(()),
            Some(next) => Err(format!("evidence was valid until {next}, asked for {}", self.at)),
            None if self.at.seconds_since(this_update) <= self.max_age => Ok(()),
            None => Err(format!("evidence from {this_update} is too old for {}", self.at)),
        }
    }

    /// Responders may forget expired certificates (RFC 6960, 4.4.4), so that silence after expiry
    /// proves nothing unless `kept_since` says how far back they remember.
    pub(super) fn remembered(
        &self,
        this_update: Time,
        kept_since: Option<Time>,
    ) -> Result<(), String> {
        let expired = self.certificate.not_after();
        if this_update <= expired || kept_since.is_some_and(|since| since <= expired) {
            return Ok(());
        }
        Err(format!("evidence from {this_update} was made after the certificate expired"))
    }
}

/// Where the weighed answer came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// An OCSP answer.
    Ocsp,
    /// A revocation list.
    Crl,
}

/// The weighed answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revocation {
    /// The status.
    pub status: Status,
    /// What it rests on; nothing when nothing could be checked.
    pub evidence: Option<Evidence>,
    /// Index of that evidence in the list it came from.
    pub index: Option<usize>,
}

/// Weighs all evidence: one valid statement of revocation outweighs every good one, then good
/// outweighs unknown, and unknown outweighs silence. Lists about some reasons only are good
/// together.
#[must_use]
pub fn check(question: &Question<'_>, ocsp: &[BasicResponse], crls: &[Crl]) -> Revocation {
    check_within(question, &Scene::new(ocsp, crls, &Scene::budget()))
}

pub(super) fn check_within(question: &Question<'_>, scene: &Scene<'_>) -> Revocation {
    let (ocsp, crls) = scene.evidence();
    let nothing = Status::NotChecked("there is no revocation evidence".into());
    let best = Revocation { status: nothing, evidence: None, index: None };
    let mut weighing = Weighing { best, reasons: Vec::new() };
    for (index, response) in ocsp.iter().enumerate() {
        weighing.add(response.status_of(question), Evidence::Ocsp, index);
    }
    // Reasons that lists are silent about so far, and since when the oldest of them is.
    let (mut covered, mut oldest) = (Reasons::NONE, None);
    for (index, crl) in crls.iter().enumerate() {
        let status = match crl.judge(question, scene) {
            Ok(Told::Revoked(since, reason)) => Status::Revoked { since, reason },
            Ok(Told::Silent(Reasons::ALL, this_update)) => Status::Good { this_update },
            Ok(Told::Silent(reasons, this_update)) => {
                covered |= reasons;
                let this_update = oldest.map_or(this_update, |known| this_update.min(known));
                oldest = Some(this_update);
                match covered == Reasons::ALL {
                    true => Status::Good { this_update },
                    false => Status::NotChecked(SOME_REASONS.to_owned()),
                }
            }
            Err(reason) => Status::NotChecked(reason),
        };
        weighing.add(status, Evidence::Crl, index);
    }
    weighing.finish()
}

struct Weighing {
    best: Revocation,
    reasons: Vec<String>,
}

impl Weighing {
    fn add(&mut self, status: Status, evidence: Evidence, index: usize) {
        let rank = |status: &Status| match status {
            Status::NotChecked(_) => 0,
            Status::Unknown => 1,
            Status::Good { .. } => 2,
            Status::Revoked { .. } => 3,
        };
        if let Status::NotChecked(reason) = &status
            && !self.reasons.contains(reason)
        {
            self.reasons.push(reason.clone());
        }
        let is_better = match (&status, &self.best.status) {
            (Status::Revoked { since, .. }, Status::Revoked { since: known, .. }) => since < known,
            _ => rank(&status) > rank(&self.best.status),
        };
        if is_better {
            self.best = Revocation { status, evidence: Some(evidence), index: Some(index) };
        }
    }

    fn finish(mut self) -> Revocation {
        if let (Status::NotChecked(_), false) = (&self.best.status, self.reasons.is_empty()) {
            self.best.status = Status::NotChecked(self.reasons.join("; "));
        }
        self.best
    }
}
