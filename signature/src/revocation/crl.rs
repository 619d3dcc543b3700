//! Revocation lists.

use std::ops::Range;

use super::point::{Reasons, Scope, delegates_to};
use super::signer::{Scene, SignerStatus};
use super::status::{Question, Status};
use crate::asn1::{
    ENUMERATED, GENERALIZED_TIME, INTEGER, Malformed, Oid, Reader, SEQUENCE, Time, UTC_TIME,
    context, context_primitive, minimal_integer, oids,
};
use crate::crypto::AlgorithmIdentifier;
use crate::x509::{Certificate, Extension, Name};
use crate::x509::{read_extensions, span, verify_signed};

const WHAT: &str = "revocation list";

/// Why a list alone does not answer.
pub(super) const SOME_REASONS: &str =
    "the revocation lists are about some reasons for a revocation only";

/// A CertificateList as it was read (RFC 5280, 5.1). Nothing in it has been checked yet.
#[derive(Clone, Debug)]
pub struct Crl {
    der: Vec<u8>,
    tbs: Range<usize>,
    issuer: Name,
    this_update: Time,
    next_update: Option<Time>,
    /// The content of revokedCertificates, read only when asked: lists can be large.
    entries: Range<usize>,
    extensions: Vec<Extension>,
    algorithm: AlgorithmIdentifier,
    signature: Vec<u8>,
}

/// What one list says about a certificate.
pub(super) enum Told {
    /// It is named.
    Revoked(Time, Option<u8>),
    /// It was not revoked, as of that time, for any of these reasons.
    Silent(Reasons, Time),
}

impl Crl {
    /// Reads a revocation list in DER.
    ///
    /// # Errors
    /// When the bytes are no revocation list.
    pub fn parse(der: &[u8]) -> Result<Self, Malformed> {
        let mut outer = Reader::new(der);
        let mut whole = outer.sequence(WHAT)?;
        outer.finish(WHAT)?;
        let tbs = whole.expect(SEQUENCE, WHAT)?;
        let algorithm = AlgorithmIdentifier::read(&mut whole, WHAT)?;
        let signature = whole.bits(WHAT)?.to_vec();
        whole.finish(WHAT)?;

        let mut reader = tbs.reader();
        reader.optional(INTEGER, WHAT)?;
        if AlgorithmIdentifier::read(&mut reader, WHAT)? != algorithm {
            return Err(Malformed::new(WHAT, "names its signature algorithm in two ways"));
        }
        let issuer = Name::read(&mut reader)?;
        let this_update = reader.time(WHAT)?;
        let next_update = match reader.peek() {
            Some(UTC_TIME | GENERALIZED_TIME) => Some(reader.time(WHAT)?),
            _ => None,
        };
        let entries = reader.optional(SEQUENCE, WHAT)?;
        let extensions = match reader.optional(context(0), WHAT)? {
            Some(explicit) => read_extensions(explicit.content)?,
            None => Vec::new(),
        };
        reader.finish(WHAT)?;
        Ok(Self {
            tbs: span(der, tbs.raw),
            issuer,
            this_update,
            next_update,
            entries: entries.map(|entries| span(der, entries.content)).unwrap_or_default(),
            extensions,
            algorithm,
            signature,
            der: der.to_vec(),
        })
    }

    /// The list in DER.
    #[must_use]
    pub fn as_der(&self) -> &[u8] {
        &self.der
    }

    fn part(&self, range: &Range<usize>) -> &[u8] {
        self.der.get(range.clone()).unwrap_or(&[])
    }

    /// Who says to have signed it.
    #[must_use]
    pub fn issuer(&self) -> &Name {
        &self.issuer
    }

    /// When it was made.
    #[must_use]
    pub fn this_update(&self) -> Time {
        self.this_update
    }

    /// When the next one is due.
    #[must_use]
    pub fn next_update(&self) -> Option<Time> {
        self.next_update
    }

    /// What this list says, after its signature, issuer, scope and times have been checked.
    ///
    /// Only the certificate's issuer can have signed it: [`check`](super::check) knows of others.
    #[must_use]
    pub fn status_of(&self, question: &Question<'_>) -> Status {
        let question = Question { context: None, ..*question };
        match self.judge(&question, &Scene::new(&[], &[], &Scene::budget())) {
            Ok(Told::Revoked(since, reason)) => Status::Revoked { since, reason },
            Ok(Told::Silent(Reasons::ALL, this_update)) => Status::Good { this_update },
            Ok(Told::Silent(..)) => Status::NotChecked(SOME_REASONS.to_owned()),
            Err(reason) => Status::NotChecked(reason),
        }
    }

    pub(super) fn judge(&self, question: &Question<'_>, scene: &Scene<'_>) -> Result<Told, String> {
        let is_own = self.issuer.matches(question.certificate.issuer());
        if !is_own && !delegates_to(question.certificate, &self.issuer) {
            return Err("the revocation list is of another authority".into());
        }
        scene.enter()?;
        let signer = self
            .signer(question, scene, is_own)
            .map_err(|reason| format!("the revocation list is not acceptable: {reason}"))?;
        // Whoever is named is revoked, whatever else the list is about; only silence needs it to
        // be understood as a whole.
        if let Some((since, reason)) = self.find(question.certificate, is_own)? {
            return Ok(Told::Revoked(since, reason));
        }
        if signer == SignerStatus::Unknown {
            return Err("whether the revocation list's signer was revoked is not known".into());
        }
        let reasons = self.check_scope(question.certificate)?;
        let kept_since = self.extension_time(oids::EXPIRED_CERTS_ON_CRL);
        question
            .covered(self.this_update, self.next_update)
            .and_then(|()| question.remembered(self.this_update, kept_since))
            .map_err(|reason| format!("revocation list {reason}"))?;
        Ok(Told::Silent(reasons, self.this_update))
    }

    /// The issuer itself, or somebody else who may have signed.
    fn signer(
        &self,
        question: &Question<'_>,
        scene: &Scene<'_>,
        is_own: bool,
    ) -> Result<SignerStatus, String> {
        let own = match is_own {
            true => self.verify(question.issuer),
            false => Err("it is by an issuer of lists who is not known".to_owned()),
        };
        let Err(reason) = own else { return Ok(SignerStatus::Good) };
        match scene.find_signer(self, question) {
            Ok(SignerStatus::Revoked) => Err("its signer was revoked".into()),
            Ok(status) => Ok(status),
            Err(_) => Err(reason),
        }
    }

    pub(super) fn verify(&self, issuer: &Certificate) -> Result<(), String> {
        if issuer.extensions().key_usage().is_some_and(|usage| !usage.crl_sign()) {
            return Err("its issuer may not sign revocation lists".into());
        }
        let key = issuer.public_key().map_err(|error| error.to_string())?;
        verify_signed(self.part(&self.tbs), &self.algorithm, &self.signature, key)
    }

    /// keyIdentifier of authorityKeyIdentifier.
    pub(super) fn authority_key_id(&self) -> Option<&[u8]> {
        let extension = self.extensions.iter().find(|e| e.oid == oids::AUTHORITY_KEY_ID)?;
        let mut id = Reader::new(&extension.value).sequence(WHAT).ok()?;
        id.optional(context_primitive(0), WHAT).ok()?.map(|id| id.content)
    }

    /// For which reasons the list's silence speaks about this certificate.
    fn check_scope(&self, certificate: &Certificate) -> Result<Reasons, String> {
        for extension in &self.extensions {
            let known = matches!(
                extension.oid,
                oids::ISSUING_DISTRIBUTION_POINT | oids::CRL_NUMBER | oids::AUTHORITY_KEY_ID
            );
            if extension.oid == oids::DELTA_CRL {
                return Err("the revocation list is a delta, which says only what changed".into());
            }
            if extension.critical && !known {
                let oid = extension.oid;
                return Err(format!("the revocation list has the critical extension {oid}"));
            }
        }
        let point = self.extensions.iter().find(|e| e.oid == oids::ISSUING_DISTRIBUTION_POINT);
        let scope = match point {
            Some(point) => Scope::read(&point.value, &self.issuer),
            None => Ok(Scope::default()),
        };
        let covered = scope.and_then(|scope| scope.covers(&self.issuer, certificate));
        match covered.map_err(|error| error.to_string())? {
            Reasons::NONE => Err("the revocation list does not cover this certificate".into()),
            reasons => Ok(reasons),
        }
    }

    /// Date and reason of the entry that names this certificate.
    ///
    /// An entry with a critical extension that is not understood spoils the silence of the whole
    /// list (RFC 5280, 5.3).
    fn find(
        &self,
        certificate: &Certificate,
        is_own: bool,
    ) -> Result<Option<(Time, Option<u8>)>, String> {
        let broken = |error: Malformed| error.to_string();
        let serial = minimal_integer(certificate.serial());
        let mut list = Reader::new(self.part(&self.entries));
        let mut spoiled = None;
        let mut is_of_issuer = is_own;
        while !list.is_empty() {
            let mut entry = list.sequence(WHAT).map_err(broken)?;
            let number = entry.expect(INTEGER, WHAT).map_err(broken)?.content;
            let named = minimal_integer(number) == serial;
            if number.is_empty() || minimal_integer(number).len() != number.len() {
                spoiled = spoiled.or(Some("an entry has a padded serial number".to_owned()));
            }
            let since = entry.time(WHAT).map_err(broken)?;
            let mut reason = None;
            if !entry.is_empty() {
                let told = read_entry(entry, certificate).map_err(broken)?;
                // In an indirect list an issuer stands until the next one (RFC 5280, 5.3.3).
                is_of_issuer = told.is_of_issuer.unwrap_or(is_of_issuer);
                spoiled = spoiled.or(told.unknown_critical.map(|oid| {
                    format!("an entry of the revocation list has the critical extension {oid}")
                }));
                reason = told.reason;
            }
            if named && is_of_issuer && reason != Some(REMOVED_FROM_LIST) {
                return Ok(Some((since, reason)));
            }
        }
        spoiled.map_or(Ok(None), Err)
    }

    fn extension_time(&self, oid: Oid) -> Option<Time> {
        let extension = self.extensions.iter().find(|extension| extension.oid == oid)?;
        let value = Reader::new(&extension.value).expect(GENERALIZED_TIME, WHAT).ok()?;
        Time::from_generalized(value.content).ok()
    }
}

/// removeFromCRL (RFC 5280, 5.3.1): the certificate is off hold.
const REMOVED_FROM_LIST: u8 = 8;

/// What the extensions of an entry say (RFC 5280, 5.3).
#[derive(Default)]
struct EntryExtensions {
    reason: Option<u8>,
    /// Whether certificateIssuer is there, and names the issuer of the certificate in question.
    is_of_issuer: Option<bool>,
    unknown_critical: Option<Oid>,
}

fn read_entry(entry: Reader<'_>, certificate: &Certificate) -> Result<EntryExtensions, Malformed> {
    let mut told = EntryExtensions::default();
    for extension in read_extensions(entry.rest())? {
        match extension.oid {
            oids::REASON_CODE => {
                let code = Reader::new(&extension.value).expect(ENUMERATED, WHAT)?;
                told.reason = code.content.last().copied();
            }
            oids::CERTIFICATE_ISSUER => {
                told.is_of_issuer = Some(names_issuer(&extension.value, certificate)?);
            }
            oids::INVALIDITY_DATE => {}
            oid if extension.critical => told.unknown_critical = Some(oid),
            _ => {}
        }
    }
    Ok(told)
}

/// Whether GeneralNames hold the name of the certificate's issuer.
fn names_issuer(value: &[u8], certificate: &Certificate) -> Result<bool, Malformed> {
    let mut names = Reader::new(value).sequence(WHAT)?;
    let mut is_named = false;
    while !names.is_empty() {
        let name = names.any(WHAT)?;
        if name.tag == context(4) {
            is_named |= Name::read(&mut name.reader())?.matches(certificate.issuer());
        }
    }
    Ok(is_named)
}
