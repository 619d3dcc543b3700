//! Revocation lists.

use std::ops::Range;

use super::status::{Question, Status};
use crate::asn1::{
    ENUMERATED, GENERALIZED_TIME, INTEGER, Malformed, Oid, Reader, SEQUENCE, Time, UTC_TIME,
    context, context_primitive, minimal_integer, oids,
};
use crate::crypto::AlgorithmIdentifier;
use crate::x509::{Certificate, Extension, Name};
use crate::x509::{point_name_urls, read_extensions, span, verify_signed};

const WHAT: &str = "revocation list";

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

/// The scope of a list (issuingDistributionPoint, RFC 5280, 5.2.5).
#[derive(Default)]
struct Scope {
    urls: Option<Vec<String>>,
    only_users: bool,
    only_authorities: bool,
    /// Attribute certificates, some reasons only, or other issuers' certificates.
    other: bool,
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
    #[must_use]
    pub fn status_of(&self, question: &Question<'_>) -> Status {
        self.judge(question).unwrap_or_else(Status::NotChecked)
    }

    fn judge(&self, question: &Question<'_>) -> Result<Status, String> {
        if !self.issuer.matches(question.certificate.issuer()) {
            return Err("the revocation list is of another authority".into());
        }
        self.verify(question.issuer)
            .map_err(|reason| format!("the revocation list is not acceptable: {reason}"))?;
        // Whoever is named is revoked, whatever else the list is about; only silence needs it to
        // be understood as a whole.
        if let Some((since, reason)) = self.find(question.certificate)? {
            return Ok(Status::Revoked { since, reason });
        }
        self.check_scope(question.certificate)?;
        let kept_since = self.extension_time(oids::EXPIRED_CERTS_ON_CRL);
        question
            .covered(self.this_update, self.next_update)
            .and_then(|()| question.remembered(self.this_update, kept_since))
            .map_err(|reason| format!("revocation list {reason}"))?;
        Ok(Status::Good { this_update: self.this_update })
    }

    fn verify(&self, issuer: &Certificate) -> Result<(), String> {
        if issuer.extensions().key_usage().is_some_and(|usage| !usage.crl_sign()) {
            return Err("its issuer may not sign revocation lists".into());
        }
        let key = issuer.public_key().map_err(|error| error.to_string())?;
        verify_signed(self.part(&self.tbs), &self.algorithm, &self.signature, key)
    }

    fn check_scope(&self, certificate: &Certificate) -> Result<(), String> {
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
        let Some(point) = point else { return Ok(()) };
        let scope = read_scope(&point.value).map_err(|error| error.to_string())?;
        let is_authority = certificate.extensions().is_ca();
        let known = certificate.extensions().crl_urls();
        let elsewhere = scope.urls.is_some_and(|urls| !urls.iter().any(|url| known.contains(url)));
        if scope.other
            || elsewhere
            || (scope.only_users && is_authority)
            || (scope.only_authorities && !is_authority)
        {
            return Err("the revocation list does not cover this certificate".into());
        }
        Ok(())
    }

    /// Date and reason of the entry that names this certificate.
    ///
    /// An entry with a critical extension that is not understood spoils the silence of the whole
    /// list (RFC 5280, 5.3).
    fn find(&self, certificate: &Certificate) -> Result<Option<(Time, Option<u8>)>, String> {
        let broken = |error: Malformed| error.to_string();
        let serial = minimal_integer(certificate.serial());
        let mut list = Reader::new(self.part(&self.entries));
        let mut spoiled = None;
        let mut is_of_issuer = true;
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

fn read_scope(value: &[u8]) -> Result<Scope, Malformed> {
    let what = "issuing distribution point";
    let mut outer = Reader::new(value);
    let mut reader = outer.sequence(what)?;
    outer.finish(what)?;
    let mut scope = Scope::default();
    if let Some(name) = reader.optional(context(0), what)? {
        scope.urls = Some(point_name_urls(name.content)?);
    }
    let mut flag = |n: u8| -> Result<bool, Malformed> {
        let flag = reader.optional(context_primitive(n), what)?;
        Ok(flag.is_some_and(|flag| flag.content != [0]))
    };
    scope.only_users = flag(1)?;
    scope.only_authorities = flag(2)?;
    scope.other = flag(3)? | flag(4)? | flag(5)?;
    reader.finish(what)?;
    Ok(scope)
}
