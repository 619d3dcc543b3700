//! Checking SignedData. Chains, revocation and timestamps are other modules' work: here it is
//! decided whether the signature value, made by the certificate's key, covers this content.

use std::fmt;

use super::attributes::Attributes;
use super::ess::CertificateId;
use super::parse::{SignedData, SignerId, SignerInfo};
use crate::asn1::{Malformed, Oid, Reader, Time, context, oids};
use crate::crypto::{
    Algorithm, AlgorithmIdentifier, DigestInfo, HashAlgorithm, KeyKind, Unsupported,
};
use crate::x509::Certificate;

/// A deviation from the standards that is accepted because real signatures have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Leniency {
    /// The structure is BER: indefinite lengths, constructed strings or padded lengths.
    Ber,
    /// The DigestInfo inside the RSA signature lacks its NULL; common libraries call it invalid.
    DigestInfoWithoutNull,
    /// The content is embedded although the signature is over a document outside.
    EmbeddedContent,
    /// There are no signed attributes: the signature is over the content itself.
    NoSignedAttributes,
    /// The signer's certificate is named by its key identifier.
    KeyIdentifier,
    /// The signed attributes are not in DER order, and the signature is over that order.
    UnsortedAttributes,
    /// The signed attributes are not in DER order, and the signature is over the sorted ones.
    AttributesSignedSorted,
    /// The signer's certificate is bound by SHA-1 only (RFC 2634).
    Sha1CertificateReference,
    /// A version number does not fit the structure.
    Version,
    /// The digest algorithm is not listed among those of the SignedData.
    DigestAlgorithmNotListed,
    /// An embedded certificate could not be read and was passed over.
    UnreadableCertificate,
    /// The signer's RSA key has fewer than 2048 bits.
    WeakKey,
}

impl Leniency {
    /// What it means, for a person.
    #[must_use]
    pub fn describe(self) -> &'static str {
        match self {
            Self::Ber => "the cms is ber, not der",
            Self::DigestInfoWithoutNull => {
                "the rsa signature wraps its digest without null; some validators refuse this"
            }
            Self::EmbeddedContent => "the cms also embeds the signed content",
            Self::NoSignedAttributes => "the cms has no signed attributes",
            Self::KeyIdentifier => "the signer is named by key identifier",
            Self::UnsortedAttributes => "the signed attributes are not in der order",
            Self::AttributesSignedSorted => {
                "the signed attributes are not in der order, but were signed in it"
            }
            Self::Sha1CertificateReference => "the signer's certificate is bound by sha-1 only",
            Self::Version => "a cms version number does not fit the content",
            Self::DigestAlgorithmNotListed => "the digest algorithm is not listed in the cms",
            Self::UnreadableCertificate => "an embedded certificate could not be read",
            Self::WeakKey => "the signer's rsa key has fewer than 2048 bits",
        }
    }
}

impl fmt::Display for Leniency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.describe())
    }
}

/// The kind of reason for which a SignedData is not valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProblemKind {
    /// There is not exactly one signer.
    SignerCount,
    /// The signer's certificate is not at hand.
    SignerCertificateMissing,
    /// The signer's certificate is embedded and cannot be read.
    SignerCertificateUnreadable,
    /// A hash function, signature algorithm or key is not accepted.
    Algorithm,
    /// A required attribute is missing, repeated or broken.
    Attribute,
    /// content-type differs from the type of the content.
    ContentType,
    /// The content does not have the signed digest: it was changed.
    Digest,
    /// The signature value does not hold.
    Signature,
    /// The signing-certificate attribute names another certificate.
    SigningCertificate,
    /// There is no content to check.
    ContentMissing,
    /// A version number is unknown.
    Version,
}

/// One reason for which a SignedData is not valid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The kind.
    pub kind: ProblemKind,
    /// In words.
    pub detail: String,
    /// True when the check could not be made, because what it needs is not supported: the
    /// signature may well hold.
    pub is_open: bool,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.detail)
    }
}

/// What was found about one SignedData.
#[derive(Clone, Debug, Default)]
pub struct Verification {
    /// The signer's certificate, when it was found.
    pub signer: Option<Certificate>,
    /// The signature algorithm, when it is accepted.
    pub algorithm: Option<Algorithm>,
    /// The claimed signing time, proven by nothing.
    pub signing_time: Option<Time>,
    /// True when an attribute names the signer's certificate and it is that one.
    pub names_certificate: bool,
    /// The attribute that names the signer's certificate, whether it fits or not.
    pub certificate_attribute: Option<Oid>,
    /// Identifiers of the signed attributes, in order.
    pub signed_attributes: Vec<Oid>,
    /// The digest of the content has the signed value.
    pub digest_matches: bool,
    /// The signature value holds.
    pub signature_matches: bool,
    /// Accepted deviations.
    pub leniencies: Vec<Leniency>,
    /// Reasons against it.
    pub problems: Vec<Problem>,
}

impl Verification {
    /// True when digest and signature were both checked and hold, and nothing speaks against it.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.digest_matches && self.signature_matches && self.problems.is_empty()
    }

    /// True when nothing was found to be wrong, but something could not be checked.
    #[must_use]
    pub fn is_open(&self) -> bool {
        !self.problems.is_empty() && self.problems.iter().all(|problem| problem.is_open)
    }

    /// True when a problem of this kind was found.
    #[must_use]
    pub fn has(&self, kind: ProblemKind) -> bool {
        self.problems.iter().any(|problem| problem.kind == kind)
    }

    /// The reasons against it in one line.
    #[must_use]
    pub fn describe_problems(&self) -> String {
        let all: Vec<_> = self.problems.iter().map(|problem| problem.detail.as_str()).collect();
        all.join("; ")
    }

    fn problem(&mut self, kind: ProblemKind, detail: impl Into<String>) {
        self.problems.push(Problem { kind, detail: detail.into(), is_open: false });
    }

    fn unsupported(&mut self, error: &Unsupported) {
        let (kind, is_open) = (ProblemKind::Algorithm, error.is_open());
        self.problems.push(Problem { kind, detail: error.to_string(), is_open });
    }

    fn attribute<T>(&mut self, read: Result<Option<T>, Malformed>) -> Option<T> {
        read.unwrap_or_else(|error| {
            self.problem(ProblemKind::Attribute, error.to_string());
            None
        })
    }
}

impl SignedData {
    /// Checks a signature over content outside. `digest` is asked once for the digest of the
    /// content with the signer's hash function; `further` are certificates from elsewhere, such as
    /// a document security store, where the signer's may be found too.
    ///
    /// There must be exactly one signer.
    pub fn verify_detached(
        &self,
        digest: &mut dyn FnMut(HashAlgorithm) -> Option<Vec<u8>>,
        further: &[Certificate],
    ) -> Verification {
        self.verify(digest, further, true)
    }

    /// Checks a signature over the embedded content.
    #[must_use]
    pub fn verify_embedded(&self, further: &[Certificate]) -> Verification {
        self.verify(&mut |hash| self.content().map(|content| hash.digest(content)), further, false)
    }

    fn verify(
        &self,
        digest: &mut dyn FnMut(HashAlgorithm) -> Option<Vec<u8>>,
        further: &[Certificate],
        detached: bool,
    ) -> Verification {
        let mut found = Verification::default();
        if self.was_ber {
            found.leniencies.push(Leniency::Ber);
        }
        if !self.unreadable.is_empty() {
            found.leniencies.push(Leniency::UnreadableCertificate);
        }
        let [signer] = self.signers() else {
            let detail = format!("the cms has {} signers, not one", self.signers.len());
            found.problem(ProblemKind::SignerCount, detail);
            return found;
        };
        self.check_versions(signer, &mut found);
        let hash = match signer.digest_algorithm.hash() {
            Ok(hash) => hash,
            Err(error) => {
                found.unsupported(&error);
                self.describe_signer(signer, further, &mut found);
                return found;
            }
        };
        if !self.digest_algorithms.contains(&hash.oid()) {
            found.leniencies.push(Leniency::DigestAlgorithmNotListed);
        }
        let Some(content_digest) = digest(hash) else {
            found.problem(ProblemKind::ContentMissing, "there is no content to check");
            return found;
        };
        if detached && let Some(content) = self.content() {
            found.leniencies.push(Leniency::EmbeddedContent);
            if hash.digest(content) != content_digest {
                found.problem(ProblemKind::Digest, "the embedded content is not the document");
            }
        }
        self.check_signer(signer, hash, &content_digest, further, &mut found);
        found
    }

    fn check_versions(&self, signer: &SignerInfo, found: &mut Verification) {
        let expected = match signer.id {
            SignerId::IssuerSerial(..) => 1,
            SignerId::KeyId(_) => {
                found.leniencies.push(Leniency::KeyIdentifier);
                3
            }
        };
        if !matches!(self.version, 1..=5) || !matches!(signer.version, 1..=3) {
            let detail =
                format!("cms versions {} and {} are unknown", self.version, signer.version);
            found.problem(ProblemKind::Version, detail);
        } else if signer.version != expected || matches!(self.version, 2) {
            found.leniencies.push(Leniency::Version);
        }
    }

    fn check_signer(
        &self,
        signer: &SignerInfo,
        hash: HashAlgorithm,
        content_digest: &[u8],
        further: &[Certificate],
        found: &mut Verification,
    ) {
        let mut reference = None;
        match &signer.signed {
            Some(attributes) => {
                reference = self.check_attributes(attributes, content_digest, found);
            }
            None => {
                found.leniencies.push(Leniency::NoSignedAttributes);
                if self.content_type != oids::DATA {
                    let detail =
                        "signed attributes are missing, though the content is no plain data";
                    found.problem(ProblemKind::Attribute, detail);
                }
            }
        }
        let candidates = self.candidates(signer, further);
        let Some(best) = choose(&candidates, reference.as_ref(), signer, hash, content_digest)
        else {
            return self.report_missing(signer, found);
        };
        if let Some(reference) = &reference {
            found.names_certificate = reference.names(best);
            if !found.names_certificate {
                let detail = "the signing-certificate attribute names another certificate";
                found.problem(ProblemKind::SigningCertificate, detail);
            }
            if reference.is_sha1() {
                found.leniencies.push(Leniency::Sha1CertificateReference);
            }
        }
        found.signer = Some(best.clone());
        check_value(signer, best, hash, content_digest, found);
    }

    fn candidates<'a>(
        &'a self,
        signer: &SignerInfo,
        further: &'a [Certificate],
    ) -> Vec<&'a Certificate> {
        let all = self.certificates.iter().chain(further);
        all.filter(|certificate| signer.id.names(certificate)).collect()
    }

    /// What can be told of the signer although nothing can be checked.
    fn describe_signer(
        &self,
        signer: &SignerInfo,
        further: &[Certificate],
        found: &mut Verification,
    ) {
        let candidates = self.candidates(signer, further);
        if let Some(attributes) = &signer.signed {
            found.signing_time = found.attribute(attributes.signing_time());
            let reference = read_reference(attributes, found);
            let named = |candidate: &&&Certificate| {
                reference.as_ref().is_some_and(|reference| reference.names(candidate))
            };
            found.signer = candidates.iter().find(named).map(|named| (*named).clone());
            found.names_certificate = found.signer.is_some();
        }
        found.signer = found.signer.take().or_else(|| candidates.first().copied().cloned());
    }

    fn report_missing(&self, signer: &SignerInfo, found: &mut Verification) {
        let unreadable = self.unreadable.iter().find(|(der, _)| signer.id.occurs_in(der));
        let (kind, detail, is_open) = match unreadable {
            Some((_, why)) => (
                ProblemKind::SignerCertificateUnreadable,
                format!("the signer's certificate cannot be read: {why}"),
                true,
            ),
            None => (
                ProblemKind::SignerCertificateMissing,
                "the signer's certificate is not in the cms".to_owned(),
                false,
            ),
        };
        found.problems.push(Problem { kind, detail, is_open });
    }

    /// Checks the signed attributes against the content; returns the certificate they name.
    fn check_attributes(
        &self,
        attributes: &Attributes,
        content_digest: &[u8],
        found: &mut Verification,
    ) -> Option<CertificateId> {
        found.signed_attributes = attributes.all().iter().map(|attribute| attribute.oid).collect();
        match found.attribute(attributes.message_digest()) {
            Some(signed) if signed == content_digest => found.digest_matches = true,
            Some(_) => {
                let detail = "the content does not have the signed digest";
                found.problem(ProblemKind::Digest, detail);
            }
            None => found.problem(ProblemKind::Attribute, "message-digest attribute is missing"),
        }
        match found.attribute(attributes.content_type()) {
            Some(oid) if oid == self.content_type => {}
            Some(oid) => {
                let detail =
                    format!("content-type attribute says {oid}, content is {}", self.content_type);
                found.problem(ProblemKind::ContentType, detail);
            }
            None => found.problem(ProblemKind::Attribute, "content-type attribute is missing"),
        }
        found.signing_time = found.attribute(attributes.signing_time());
        if let Some(value) = found.attribute(attributes.single(oids::ALGORITHM_PROTECTION)) {
            self.check_protection(value, found);
        }
        read_reference(attributes, found)
    }

    /// CMS algorithm protection (RFC 6211): the unsigned identifiers repeated in signed form.
    fn check_protection(&self, value: &[u8], found: &mut Verification) {
        let what = "algorithm protection attribute";
        let read = || -> Result<(AlgorithmIdentifier, Vec<u8>), Malformed> {
            let mut reader = Reader::new(value).sequence(what)?;
            let digest = AlgorithmIdentifier::read(&mut reader, what)?;
            let signature = reader.expect(context(1), what)?.content.to_vec();
            reader.finish(what)?;
            Ok((digest, signature))
        };
        let agrees = match (read(), self.signers()) {
            (Ok((digest, signature)), [signer]) => {
                let same_digest = digest.oid == signer.digest_algorithm.oid
                    && digest.has_no_parameters() == signer.digest_algorithm.has_no_parameters();
                let whole = crate::asn1::writer::tlv(crate::asn1::SEQUENCE, &signature);
                let named = AlgorithmIdentifier::read(&mut Reader::new(&whole), what);
                same_digest && named.as_ref() == Ok(&signer.signature_algorithm)
            }
            _ => false,
        };
        if !agrees {
            let detail = "the algorithm protection attribute does not agree with the algorithms";
            found.problem(ProblemKind::Algorithm, detail);
        }
    }
}

/// The certificate named by the strongest of the three attributes; all present must be readable.
fn read_reference(attributes: &Attributes, found: &mut Verification) -> Option<CertificateId> {
    let kinds =
        [oids::SIGNING_CERTIFICATE_V2, oids::OTHER_SIGNING_CERTIFICATE, oids::SIGNING_CERTIFICATE];
    let mut reference = None;
    for oid in kinds {
        let Some(value) = found.attribute(attributes.single(oid)) else { continue };
        match CertificateId::read_first(oid, value) {
            Ok(id) if reference.is_none() => {
                found.certificate_attribute = Some(oid);
                reference = Some(id);
            }
            Ok(_) => {}
            Err(error) => found.problem(ProblemKind::Attribute, error.to_string()),
        }
    }
    reference
}

/// Issuer and serial number may name several embedded certificates when someone added one: the
/// attribute decides, then the key that made the signature.
fn choose<'a>(
    candidates: &[&'a Certificate],
    reference: Option<&CertificateId>,
    signer: &SignerInfo,
    hash: HashAlgorithm,
    content_digest: &[u8],
) -> Option<&'a Certificate> {
    if let Some(reference) = reference
        && let Some(named) = candidates.iter().find(|candidate| reference.names(candidate))
    {
        return Some(named);
    }
    let fits = |certificate: &&&Certificate| {
        let mut trial = Verification::default();
        check_value(signer, certificate, hash, content_digest, &mut trial);
        trial.signature_matches
    };
    // More than a few certificates with one serial number only cost time.
    candidates.iter().take(4).find(fits).or_else(|| candidates.first()).copied()
}

fn check_value(
    signer: &SignerInfo,
    certificate: &Certificate,
    hash: HashAlgorithm,
    content_digest: &[u8],
    found: &mut Verification,
) {
    let key = match certificate.public_key() {
        Ok(key) => key,
        Err(error) => return found.unsupported(&error),
    };
    let algorithm = match Algorithm::from_identifier(&signer.signature_algorithm, Some(hash), key) {
        Ok(algorithm) => algorithm,
        Err(error) => return found.unsupported(&error),
    };
    found.algorithm = Some(algorithm);
    if matches!(key.kind(), KeyKind::Rsa(_)) && key.is_weak() {
        found.leniencies.push(Leniency::WeakKey);
    }
    let check = |message: &[u8]| key.verify_message(algorithm, message, &signer.signature);
    let mut outcome = match &signer.signed {
        None if algorithm == Algorithm::Ed25519 => {
            let reason = "ed25519 without signed attributes is not supported";
            return found.unsupported(&Unsupported::open(reason));
        }
        None => key.verify(algorithm, content_digest, &signer.signature),
        Some(attributes) => check(&attributes.to_signed_bytes()),
    };
    if let Some(sorted) = signer.signed.as_ref().and_then(Attributes::to_sorted_bytes) {
        if outcome.is_ok() {
            found.leniencies.push(Leniency::UnsortedAttributes);
        } else {
            outcome = check(&sorted);
            if outcome.is_ok() {
                found.leniencies.push(Leniency::AttributesSignedSorted);
            }
        }
    }
    match outcome {
        Ok(form) => {
            found.signature_matches = true;
            // Without attributes the signature itself covers the content.
            found.digest_matches |= signer.signed.is_none();
            if form == DigestInfo::WithoutNull {
                found.leniencies.push(Leniency::DigestInfoWithoutNull);
            }
        }
        Err(error) => found.problems.push(Problem {
            kind: ProblemKind::Signature,
            detail: error.to_string(),
            is_open: error.is_open(),
        }),
    }
}
