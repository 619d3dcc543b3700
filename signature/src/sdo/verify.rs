//! Checking a signed data object.

use std::collections::BTreeMap;

use super::DocumentKind;
use super::parse::{Sdo, SdoSignature};
use crate::asn1::Time;
use crate::cms::{Leniency, SignedData, Verification};
use crate::crypto::HashAlgorithm;
use crate::report::Checks;
use crate::revocation::{BasicResponse, ChainContext, Crl, Question, Revocation, check};
use crate::x509::{Certificate, Chain, ChainFault, ChainRequest, Purpose, TrustAnchors};

/// Seconds by which the claimed signing time and the revocation answer may differ for the one to
/// confirm the other.
const CONFIRMED_WITHIN: i64 = 3_600;
/// Seconds by which clocks may differ.
const TOLERANCE: i64 = 300;

/// Whom to trust.
#[derive(Clone, Copy, Debug)]
pub struct SdoTrust<'a> {
    /// Where chains may end.
    pub anchors: &'a TrustAnchors,
    /// The present time.
    pub now: Time,
    /// Further certificates that may stand in a chain.
    pub pool: &'a [Certificate],
    /// OCSP responders trusted by configuration.
    pub responders: &'a [Certificate],
    /// True when every responder certified for OCSP under `anchors` is trusted, not only those
    /// certified by the signer's own authority.
    pub any_responder_under_anchors: bool,
}

impl<'a> SdoTrust<'a> {
    /// Trust in these anchors, with nothing further.
    #[must_use]
    pub fn new(anchors: &'a TrustAnchors, now: Time) -> Self {
        Self { anchors, now, pool: &[], responders: &[], any_responder_under_anchors: false }
    }
}

/// One signer, or who sealed.
#[derive(Clone, Debug, Default)]
pub struct SdoSigner {
    /// The check of the CMS.
    pub cms: Verification,
    /// The chain, when one was found.
    pub chain: Option<Chain>,
    /// What the embedded evidence says about the signer's certificate.
    pub revocation: Option<Revocation>,
}

impl SdoSigner {
    /// The certificate, whether it is trusted or not.
    #[must_use]
    pub fn certificate(&self) -> Option<&Certificate> {
        self.cms.signer.as_ref()
    }

    /// The claimed signing time.
    #[must_use]
    pub fn signing_time(&self) -> Option<Time> {
        self.cms.signing_time
    }

    /// True when the certificate names a natural person: it has a given name or surname, or a
    /// person's serial number (`UN:…`).
    #[must_use]
    pub fn is_person(&self) -> bool {
        self.certificate().is_some_and(|certificate| {
            let subject = certificate.subject();
            subject.surname().is_some()
                || subject.given_name().is_some()
                || subject.serial_number().is_some_and(|number| number.starts_with("UN:"))
        })
    }
}

/// What was found about one signed data object.
#[derive(Clone, Debug)]
pub struct SdoReport {
    /// Named checks: `structure`, `document`, then for each signature `signature[i].digest`,
    /// `.cms`, `.certificate`, `.chain`, `.revocation` and `.time`, and the same for `seal`.
    pub checks: Checks,
    /// The signers in the order of the file.
    pub signers: Vec<SdoSigner>,
    /// Who sealed.
    pub seal: Option<SdoSigner>,
    /// What kind of document was signed.
    pub kind: Option<DocumentKind>,
}

impl SdoReport {
    /// True when document, signatures and seal were all checked and hold, every chain ends at an
    /// anchor, and no check failed. Revocation and time may be not checked.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.holds(true)
    }

    /// The same when there is no document to check: the digest stands for it.
    #[must_use]
    pub fn is_valid_for_digest(&self) -> bool {
        self.holds(false)
    }

    fn holds(&self, with_document: bool) -> bool {
        let parts = (0..self.signers.len()).map(|index| format!("signature[{index}]"));
        let mut required = vec!["structure".to_owned()];
        required.extend(with_document.then(|| "document".to_owned()));
        for part in parts.chain(["seal".to_owned()]) {
            required.extend(["digest", "cms", "chain"].map(|name| format!("{part}.{name}")));
        }
        let names: Vec<&str> = required.iter().map(String::as_str).collect();
        !self.signers.is_empty() && self.checks.required_passed(&names)
    }
}

type Digests = BTreeMap<HashAlgorithm, Vec<u8>>;

impl Sdo<'_> {
    /// Checks everything that can be checked offline.
    ///
    /// `document` are the bytes of the signed document when the caller has them: required for a
    /// file that holds digests only, compared when the document is inside. Text is given as ISO
    /// 8859-1 (see [`super::to_iso_8859_1`]).
    #[must_use]
    pub fn verify(&self, document: Option<&[u8]>, trust: &SdoTrust<'_>) -> SdoReport {
        let mut checks = Checks::new();
        self.check_structure(&mut checks);
        let parsed: Vec<Result<SignedData, String>> = self
            .signatures()
            .iter()
            .map(|signature| SignedData::parse(&signature.cms).map_err(|error| error.to_string()))
            .collect();
        let digests = self.check_document(document, &parsed, &mut checks);
        let mut signers = Vec::new();
        for (index, (signature, cms)) in self.signatures().iter().zip(parsed).enumerate() {
            let part = Part { name: format!("signature[{index}]"), signature, trust };
            signers.push(part.check(cms, digests.as_ref(), &mut checks));
        }
        let seal = self.seal().map(|signature| {
            let part = Part { name: "seal".into(), signature, trust };
            let cms = SignedData::parse(&signature.cms).map_err(|error| error.to_string());
            let needed = needed_hashes(signature, cms.as_ref().ok());
            let digests: Digests =
                needed.map(|hash| (hash, hash.digest(self.data_part()))).collect();
            part.check(cms, Some(&digests), &mut checks)
        });
        if seal.is_none() {
            checks.failed("seal.cms", "the object has no seal");
        }
        SdoReport { checks, signers, seal, kind: self.kind() }
    }

    fn check_structure(&self, checks: &mut Checks) {
        let count = self.signatures().len();
        match self.version() {
            Some("1.0") | None if self.uninterpreted().is_empty() => {
                checks.passed("structure", format!("{count} signatures"));
            }
            Some("1.0") | None => {
                let names = self.uninterpreted().join(", ");
                checks.passed("structure", format!("{count} signatures; not interpreted: {names}"));
            }
            Some(version) => checks.failed("structure", format!("version {version} is unknown")),
        }
    }

    /// Digests of the document, from inside, from the caller, or from both when they agree.
    fn check_document(
        &self,
        given: Option<&[u8]>,
        parsed: &[Result<SignedData, String>],
        checks: &mut Checks,
    ) -> Option<Digests> {
        let needed: Vec<HashAlgorithm> = self
            .signatures()
            .iter()
            .zip(parsed)
            .flat_map(|(signature, cms)| needed_hashes(signature, cms.as_ref().ok()))
            .collect();
        let given = given.map(|bytes| {
            digest_with(&needed, &mut |sink| {
                sink(bytes);
                Ok(())
            })
        });
        let inside = self.has_document().then(|| {
            digest_with(&needed, &mut |sink| self.read_document(sink).map_err(|e| e.to_string()))
        });
        let digests = match (inside.transpose(), given.transpose()) {
            (Err(error), _) | (_, Err(error)) => {
                checks.failed("document", error);
                return None;
            }
            (Ok(Some(inside)), Ok(Some(given))) if inside != given => {
                checks.failed("document", "the document inside is not the one given");
                return Some(given);
            }
            (Ok(inside), Ok(given)) => given.or(inside),
        };
        let Some(digests) = digests else {
            checks.not_checked(
                "document",
                "only its digest is inside; give the document to check it",
            );
            return None;
        };
        let agrees = |signature: &SdoSignature| {
            hash_of(signature).and_then(|hash| digests.get(&hash)) == Some(&signature.digest)
        };
        if self.signatures().iter().any(|signature| hash_of(signature).is_none()) {
            let reason = "a signature is over a digest whose hash function is not supported";
            checks.not_checked("document", reason);
        } else if self.signatures().iter().all(agrees) {
            checks.passed("document", "every signature is over this document");
        } else {
            checks.failed("document", "a signature is over another document");
        }
        Some(digests)
    }
}

fn hash_of(signature: &SdoSignature) -> Option<HashAlgorithm> {
    let name = signature.digest_algorithm.as_str();
    // Both the plain name and the identifier of XML encryption are in use.
    HashAlgorithm::from_name(name.rsplit(['#', '/']).next().unwrap_or(name))
}

fn needed_hashes(
    signature: &SdoSignature,
    cms: Option<&SignedData>,
) -> impl Iterator<Item = HashAlgorithm> + use<> {
    let signers = cms.map(SignedData::signers).unwrap_or_default();
    let used: Vec<_> =
        signers.iter().filter_map(|signer| signer.digest_algorithm().hash().ok()).collect();
    hash_of(signature).into_iter().chain(used)
}

type Feed<'a> = dyn FnMut(&mut dyn FnMut(&[u8])) -> Result<(), String> + 'a;

fn digest_with(needed: &[HashAlgorithm], feed: &mut Feed<'_>) -> Result<Digests, String> {
    let mut running: BTreeMap<_, _> = needed.iter().map(|hash| (*hash, hash.hasher())).collect();
    feed(&mut |bytes| running.values_mut().for_each(|hasher| hasher.update(bytes)))?;
    Ok(running.into_iter().map(|(hash, hasher)| (hash, hasher.finish())).collect())
}

/// One signature or the seal, with the name its checks carry.
struct Part<'a> {
    name: String,
    signature: &'a SdoSignature,
    trust: &'a SdoTrust<'a>,
}

impl Part<'_> {
    fn named(&self, check: &str) -> String {
        format!("{}.{check}", self.name)
    }

    fn check(
        &self,
        cms: Result<SignedData, String>,
        digests: Option<&Digests>,
        checks: &mut Checks,
    ) -> SdoSigner {
        self.check_digest(digests, checks);
        let cms = match cms {
            Ok(cms) => cms,
            Err(error) => {
                checks.failed(self.named("cms"), error);
                return SdoSigner::default();
            }
        };
        // Without the document its digest in the sealed part stands for it.
        let stated = hash_of(self.signature).map(|hash| (hash, &self.signature.digest));
        let mut digest = |hash: HashAlgorithm| match digests {
            Some(digests) => digests.get(&hash).cloned(),
            None => stated.filter(|(known, _)| *known == hash).map(|(_, digest)| digest.clone()),
        };
        let found = cms.verify_detached(&mut digest, self.trust.pool);
        self.report_cms(&found, checks);
        let mut signer = SdoSigner { cms: found, chain: None, revocation: None };
        self.check_trust(&cms, &mut signer, checks);
        signer
    }

    fn check_digest(&self, digests: Option<&Digests>, checks: &mut Checks) {
        let name = self.named("digest");
        let Some(hash) = hash_of(self.signature) else {
            let algorithm = &self.signature.digest_algorithm;
            let reason = format!("hash function {algorithm:?} is not supported");
            return checks.not_checked(name, reason);
        };
        match digests.and_then(|digests| digests.get(&hash)) {
            Some(digest) if *digest == self.signature.digest => {
                checks.passed(name, format!("{hash} agrees with the signed bytes"));
            }
            Some(_) => {
                checks.failed(name, format!("{hash} differs: the signed bytes were changed"))
            }
            // The CMS check compares it with what was signed.
            None if self.signature.digest.len() == hash.output_len() => {
                checks.passed(name, format!("{hash} stands for the document"));
            }
            None => checks.failed(name, format!("is no {hash} digest")),
        }
    }

    fn report_cms(&self, found: &Verification, checks: &mut Checks) {
        let name = self.named("cms");
        // A signature straight over the content could be one over attributes in disguise.
        if found.leniencies.contains(&Leniency::NoSignedAttributes) {
            checks.failed(name, "the cms has no signed attributes");
        } else if found.is_valid() {
            let mut detail = found.algorithm.map(|a| a.to_string()).unwrap_or_default();
            for leniency in &found.leniencies {
                detail.push_str("; ");
                detail.push_str(leniency.describe());
            }
            checks.passed(name, detail);
        } else if found.is_open() {
            checks.not_checked(name, found.describe_problems());
        } else {
            checks.failed(name, found.describe_problems());
        }
        let name = self.named("certificate");
        if found.names_certificate {
            checks.passed(name, "the signed attributes name the signer's certificate");
        } else if found.certificate_attribute.is_some() {
            checks.failed(name, "the signed attributes name another certificate");
        } else {
            checks.not_checked(name, "the signed attributes name no certificate");
        }
    }

    fn check_trust(&self, cms: &SignedData, signer: &mut SdoSigner, checks: &mut Checks) {
        let Some(certificate) = signer.certificate().cloned() else {
            for name in ["chain", "revocation", "time"] {
                checks.not_checked(self.named(name), "there is no signer's certificate");
            }
            return;
        };
        let (ocsp, crls) = self.evidence();
        let produced = ocsp.iter().map(BasicResponse::produced_at).min();
        let at = signer.signing_time().or(produced).unwrap_or(self.trust.now);
        let mut pool = cms.certificates().to_vec();
        pool.extend_from_slice(self.trust.pool);
        let anchors = self.trust.anchors;
        let request = ChainRequest { anchors, pool: &pool, at, purpose: Purpose::Signing };
        match Chain::build(&certificate, &request) {
            Ok(chain) => {
                let subject = certificate.subject().shown();
                checks.passed(self.named("chain"), format!("{subject}, at {at}"));
                signer.chain = Some(chain);
            }
            Err(failure) if failure.fault == ChainFault::Unsupported => {
                checks.not_checked(self.named("chain"), failure.to_string());
            }
            Err(failure) => checks.failed(self.named("chain"), failure.to_string()),
        }
        self.check_revocation(&certificate, at, signer, (&ocsp, &crls), checks);
        self.check_time(signer, produced, checks);
    }

    /// What can be read of the embedded evidence; what cannot proves nothing.
    fn evidence(&self) -> (Vec<BasicResponse>, Vec<Crl>) {
        let ocsp = self.signature.ocsp.iter().filter_map(|der| BasicResponse::parse(der).ok());
        let crls = self.signature.crls.iter().filter_map(|der| Crl::parse(der).ok());
        (ocsp.collect(), crls.collect())
    }

    fn check_revocation(
        &self,
        certificate: &Certificate,
        at: Time,
        signer: &mut SdoSigner,
        (ocsp, crls): (&[BasicResponse], &[Crl]),
        checks: &mut Checks,
    ) {
        let name = self.named("revocation");
        let chain = signer.chain.as_ref();
        let Some((chain, issuer)) = chain.and_then(|chain| Some((chain, chain.issuer()?))) else {
            return checks.not_checked(name, "there is no checked issuer");
        };
        let question = Question {
            context: Some(ChainContext { chain, pool: self.trust.pool }),
            trusted_responders: self.trust.responders,
            responder_anchors: self.trust.any_responder_under_anchors.then_some(self.trust.anchors),
            ..Question::new(certificate, issuer, at, self.trust.now)
        };
        let weighed = check(&question, ocsp, crls);
        use crate::revocation::Status;
        match &weighed.status {
            good @ Status::Good { .. } => checks.passed(name, good.to_string()),
            // The signing time is only claimed, so a later revocation does not clear it.
            bad @ (Status::Revoked { .. } | Status::Unknown) => {
                checks.failed(name, bad.to_string())
            }
            Status::NotChecked(reason) => checks.not_checked(name, reason.clone()),
        }
        signer.revocation = Some(weighed);
    }

    fn check_time(&self, signer: &SdoSigner, produced: Option<Time>, checks: &mut Checks) {
        let name = self.named("time");
        let Some(claimed) = signer.signing_time() else {
            return checks.not_checked(name, "no signing time is claimed");
        };
        if claimed > self.trust.now.plus_seconds(TOLERANCE) {
            return checks.failed(name, format!("the claimed time {claimed} lies in the future"));
        }
        let good = signer.revocation.as_ref().is_some_and(|weighed| weighed.status.is_good());
        match produced.filter(|_| good) {
            Some(made) if made.seconds_since(claimed).abs() <= CONFIRMED_WITHIN => {
                checks.passed(name, format!("{claimed}, confirmed by the answer from {made}"));
            }
            Some(made) => checks.not_checked(
                name,
                format!("{claimed} is claimed, but the revocation answer is from {made}"),
            ),
            None => {
                checks.not_checked(name, format!("{claimed} is claimed, and nothing confirms it"))
            }
        }
    }
}
