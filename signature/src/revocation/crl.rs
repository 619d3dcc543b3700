//! Revocation lists.

use std::ops::Range;

use super::status::{Question, Status};
use crate::asn1::{
    ENUMERATED, GENERALIZED_TIME, INTEGER, Malformed, Oid, Reader, SEQUENCE, Time, UTC_TIME,
    context, context_primitive, oids,
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
        self.check_scope(question.certificate)?;
        self.verify(question.issuer)
            .map_err(|reason| format!("the revocation list is not acceptable: {reason}"))?;
        if let Some((since, reason)) = self.find(question.certificate.serial())? {
            return Ok(Status::Revoked { since, reason });
        }
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

    /// Date and reason of the entry with this serial number.
    fn find(&self, serial: &[u8]) -> Result<Option<(Time, Option<u8>)>, String> {
        let broken = |error: Malformed| error.to_string();
        let mut list = Reader::new(self.part(&self.entries));
        while !list.is_empty() {
            let mut entry = list.sequence(WHAT).map_err(broken)?;
            if entry.integer(WHAT).map_err(broken)? != serial {
                continue;
            }
            let since = entry.time(WHAT).map_err(broken)?;
            let mut reason = None;
            let extensions = if entry.is_empty() {
                Vec::new()
            } else {
                read_extensions(entry.rest()).map_err(broken)?
            };
            for extension in extensions {
                match extension.oid {
                    oids::REASON_CODE => {
                        let code = Reader::new(&extension.value).expect(ENUMERATED, WHAT);
                        reason = code.map_err(broken)?.content.last().copied();
                    }
                    oids::INVALIDITY_DATE => {}
                    // Not understood, yet the certificate is listed: never read as good.
                    oid if extension.critical => {
                        return Err(format!("the entry has the critical extension {oid}"));
                    }
                    _ => {}
                }
            }
            return Ok(Some((since, reason)));
        }
        Ok(None)
    }

    fn extension_time(&self, oid: Oid) -> Option<Time> {
        let extension = self.extensions.iter().find(|extension| extension.oid == oid)?;
        let value = Reader::new(&extension.value).expect(GENERALIZED_TIME, WHAT).ok()?;
        Time::from_generalized(value.content).ok()
    }
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
