//! Certificates and revocation answers inside a document: those of its security store, its
//! signatures and its timestamps. Each is checked itself before it is believed.

use std::collections::HashSet;

use crate::asn1::Time;
use crate::cms::SignedData;
use crate::pdf::{Dict, Location, ObjRef, Object, View};
use crate::revocation::{BasicResponse, ChainContext, Crl, Question, Status, check};
use crate::x509::{Certificate, Chain};

/// Items of each kind, and bytes of all together, that are read. Lists of revoked certificates
/// can be large; what is beyond is reported as not read.
const MAX_ITEMS: usize = 500;
const MAX_BYTES: usize = 5 << 20;

/// What is at hand.
#[derive(Default)]
pub(super) struct Evidence {
    pub(super) certificates: Vec<Certificate>,
    ocsp: Vec<BasicResponse>,
    crls: Vec<Crl>,
    bytes_left: usize,
    /// What stores of several revisions list.
    seen: HashSet<(ObjRef, Location)>,
    /// Items that are no evidence, or were too many or too large.
    pub(super) passed_over: usize,
}

/// What evidence says about a whole chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ChainStatus {
    /// No certificate was revoked.
    Good,
    /// A certificate was revoked.
    Revoked(String),
    /// Nothing is said about some certificate.
    Unknown(String),
}

impl Evidence {
    pub(super) fn new() -> Self {
        Evidence { bytes_left: MAX_BYTES, ..Evidence::default() }
    }

    /// Reads the document security store of a revision.
    pub(super) fn add_store(&mut self, view: &View<'_>) {
        let store = view.catalog().and_then(|catalog| view.lookup_dict(&catalog, "DSS"));
        let Ok(Some(store)) = store else { return };
        self.add_list(view, &store, "Certs", Self::add_certificate);
        self.add_list(view, &store, "OCSPs", Self::add_ocsp);
        self.add_list(view, &store, "CRLs", Self::add_crl);
    }

    fn add_list(&mut self, view: &View<'_>, store: &Dict, key: &str, add: fn(&mut Self, &[u8])) {
        let list = view.lookup_array(store, key).unwrap_or_default();
        self.passed_over += list.len().saturating_sub(MAX_ITEMS);
        for item in list.iter().take(MAX_ITEMS) {
            if let Some(id) = item.as_ref()
                && let Some((_, location)) = view.location(id.number)
                && !self.seen.insert((id, location))
            {
                continue;
            }
            let data = match view.resolve(item) {
                Ok(Object::Stream(stream)) => view.stream_data(&stream, self.bytes_left).ok(),
                _ => None,
            };
            match data {
                Some(data) => add(self, &data.data),
                None => self.passed_over += 1,
            }
        }
    }

    /// Takes what a signature or timestamp carries itself.
    pub(super) fn add_cms(&mut self, cms: &SignedData) {
        self.certificates.extend(cms.certificates().iter().take(MAX_ITEMS).cloned());
        cms.crls().iter().for_each(|crl| self.add_crl(crl));
        cms.ocsp_responses().iter().for_each(|ocsp| self.add_ocsp(ocsp));
        for signer in cms.signers() {
            if let Ok(archived) = signer.archived_revocation() {
                archived.crls.iter().for_each(|crl| self.add_crl(crl));
                archived.ocsp_responses.iter().for_each(|ocsp| self.add_ocsp(ocsp));
            }
        }
    }

    /// Whether there is room for an item; takes it.
    fn take(&mut self, count: usize, bytes: usize) -> bool {
        let left = self.bytes_left.checked_sub(bytes).filter(|_| count < MAX_ITEMS);
        match left {
            Some(left) => self.bytes_left = left,
            None => self.passed_over += 1,
        }
        left.is_some()
    }

    fn add_certificate(&mut self, der: &[u8]) {
        if self.take(self.certificates.len(), der.len()) {
            match Certificate::from_der(der) {
                Ok(certificate) => self.certificates.push(certificate),
                Err(_) => self.passed_over += 1,
            }
        }
    }

    pub(super) fn add_ocsp(&mut self, der: &[u8]) {
        if self.take(self.ocsp.len(), der.len()) {
            match BasicResponse::parse(der) {
                Ok(response) => self.ocsp.push(response),
                Err(_) => self.passed_over += 1,
            }
        }
    }

    pub(super) fn add_crl(&mut self, der: &[u8]) {
        // A list is kept in several forms while it is read.
        if self.take(self.crls.len(), der.len()) {
            match Crl::parse(der) {
                Ok(crl) => self.crls.push(crl),
                Err(_) => self.passed_over += 1,
            }
        }
    }

    /// What is said about each certificate of a chain but its anchor, at `at`.
    pub(super) fn statuses<'a>(
        &self,
        chain: &'a Chain,
        at: Time,
        now: Time,
    ) -> Vec<(&'a Certificate, Status)> {
        let ask = |(certificate, issuer)| {
            let context = Some(ChainContext { chain, pool: &self.certificates });
            let question = Question { context, ..Question::new(certificate, issuer, at, now) };
            (certificate, check(&question, &self.ocsp, &self.crls).status)
        };
        chain.links().map(ask).collect()
    }

    /// What is said about every certificate of a chain but its anchor, at `at`. Whether a
    /// revocation after `at` is passed over, `is_proven` says: a claimed time could be chosen.
    pub(super) fn status_of(
        &self,
        chain: &Chain,
        at: Time,
        now: Time,
        is_proven: bool,
    ) -> ChainStatus {
        let mut unknown = None;
        for (certificate, status) in self.statuses(chain, at, now) {
            let who = certificate.subject().shown();
            if status.is_good() || is_proven && status.holds_at(at) {
                continue;
            }
            if matches!(status, Status::Revoked { .. }) {
                return ChainStatus::Revoked(format!("{who}: {status}"));
            }
            unknown.get_or_insert(format!("{who}: {status}"));
        }
        match unknown {
            Some(detail) => ChainStatus::Unknown(detail),
            None if chain.issuer().is_none() => {
                // Nobody stands above an anchor who could revoke it.
                let detail = "the signer is a trust anchor itself: nobody can say whether it was \
                              revoked";
                ChainStatus::Unknown(detail.to_owned())
            }
            None => ChainStatus::Good,
        }
    }
}
