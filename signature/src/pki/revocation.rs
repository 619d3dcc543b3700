//! Answers and lists about revocation.

use std::sync::PoisonError;

use super::PkiError;
use super::authority::{Identity, Pki};
use super::issue::{HASH, extension};
use crate::asn1::{INTEGER, Oid, Time, oids, writer};
use crate::crypto::{HashAlgorithm, sha1_for_identification};
use crate::revocation::cert_id;
use crate::x509::Certificate;

/// Why a certificate was revoked (RFC 5280, 5.3.1); the number is the standard's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum RevocationReason {
    /// No reason given.
    Unspecified = 0,
    /// The key is in other hands.
    KeyCompromise = 1,
    /// The holder no longer belongs to the organisation.
    AffiliationChanged = 3,
    /// Replaced.
    Superseded = 4,
    /// No longer needed.
    CessationOfOperation = 5,
}

/// The hash function that names the issuer in an OCSP answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CertIdHash {
    /// SHA-1, which every responder uses.
    #[default]
    Sha1,
    /// SHA-256.
    Sha256,
}

/// How an OCSP answer is made.
#[derive(Clone, Copy, Debug)]
pub struct OcspOptions {
    /// When it is made, and thisUpdate.
    pub at: Time,
    /// Seconds until nextUpdate; nothing leaves nextUpdate out.
    pub valid_for: Option<i64>,
    /// How the certificate is named.
    pub hash: CertIdHash,
    /// A nonce to repeat.
    pub nonce: Option<[u8; 16]>,
    /// True when the authority signs itself instead of its responder.
    pub by_authority: bool,
}

impl OcspOptions {
    /// An answer made at `at`, valid for a day, by the responder.
    #[must_use]
    pub fn at(at: Time) -> Self {
        Self {
            at,
            valid_for: Some(86_400),
            hash: CertIdHash::Sha1,
            nonce: None,
            by_authority: false,
        }
    }
}

/// An entry of a revocation list, as it is to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CrlEntry {
    /// The content of the serial number INTEGER.
    pub serial: Vec<u8>,
    /// From when on.
    pub since: Time,
    /// Entry extensions: identifier, critical, value.
    pub extensions: Vec<(Oid, bool, Vec<u8>)>,
}

impl CrlEntry {
    /// The usual entry, with a reason.
    #[must_use]
    pub fn new(certificate: &Certificate, since: Time, reason: RevocationReason) -> Self {
        let reason = (oids::REASON_CODE, false, writer::enumerated(reason as u8));
        Self { serial: certificate.serial().to_vec(), since, extensions: vec![reason] }
    }

    fn to_der(&self) -> Vec<u8> {
        let extensions: Vec<Vec<u8>> = self
            .extensions
            .iter()
            .map(|(oid, critical, value)| extension(*oid, *critical, value))
            .collect();
        let extensions = match extensions.is_empty() {
            true => Vec::new(),
            false => writer::sequence_of(extensions),
        };
        writer::sequence(&[
            &writer::tlv(INTEGER, &self.serial),
            &writer::time(self.since),
            &extensions,
        ])
    }
}

impl Pki {
    /// A BasicOCSPResponse (RFC 6960, 4.2.1) about one certificate of the issuing authority, or
    /// about the issuing authority itself (then signed by the root).
    ///
    /// # Errors
    /// When signing fails.
    pub fn ocsp(
        &self,
        certificate: &Certificate,
        options: &OcspOptions,
    ) -> Result<Vec<u8>, PkiError> {
        let by_root = certificate.issuer() == self.root().certificate().subject();
        let authority = if by_root { self.root() } else { self.issuing() };
        let id = id_of(certificate, authority.certificate(), options.hash);
        self.ocsp_about(&id, certificate.serial(), authority, options)
    }

    /// The same about the certificate that a CertID names.
    pub(super) fn ocsp_about(
        &self,
        id: &[u8],
        serial: &[u8],
        authority: &Identity,
        options: &OcspOptions,
    ) -> Result<Vec<u8>, PkiError> {
        let by_root = authority.certificate() == self.root().certificate();
        let direct = by_root || options.by_authority;
        let signer = if direct { authority } else { self.responder() };
        let responses = writer::sequence(&[&self.single_response(id, serial, options)]);
        let nonce = match &options.nonce {
            Some(nonce) => {
                let value = extension(oids::OCSP_NONCE, false, &writer::octets(nonce));
                writer::tagged(1, &writer::sequence(&[&value]))
            }
            None => Vec::new(),
        };
        let key_hash = writer::octets(&signer.certificate().key_hash());
        let data = writer::sequence(&[
            &writer::tagged(2, &key_hash),
            &writer::generalized_time(options.at),
            &responses,
            &nonce,
        ]);
        let certificates = if direct {
            Vec::new()
        } else {
            writer::tagged(0, &writer::sequence(&[signer.certificate().as_der()]))
        };
        sign(signer, &data, &certificates)
    }

    /// The same wrapped into an OCSPResponse with status successful.
    ///
    /// # Errors
    /// When signing fails.
    pub fn ocsp_response(
        &self,
        certificate: &Certificate,
        options: &OcspOptions,
    ) -> Result<Vec<u8>, PkiError> {
        Ok(crate::revocation::wrap_basic_response(&self.ocsp(certificate, options)?))
    }

    fn single_response(&self, id: &[u8], serial: &[u8], options: &OcspOptions) -> Vec<u8> {
        let status = match self.revocation_of(serial) {
            None => writer::tlv(0x80, &[]),
            Some((at, reason)) => {
                let reason = writer::tagged(0, &writer::enumerated(reason as u8));
                let moment = writer::generalized_time(at);
                writer::tagged(1, &[moment, reason].concat())
            }
        };
        let next = match options.valid_for {
            Some(seconds) => {
                let next = options.at.plus_seconds(seconds);
                writer::tagged(0, &writer::generalized_time(next))
            }
            None => Vec::new(),
        };
        writer::sequence(&[id, &status, &writer::generalized_time(options.at), &next])
    }

    fn revocation_of(&self, serial: &[u8]) -> Option<(Time, RevocationReason)> {
        let revoked = self.revoked.lock().unwrap_or_else(PoisonError::into_inner);
        revoked.get(serial).copied()
    }

    /// The revocation list of the issuing authority (RFC 5280, 5.1), valid for seven days.
    ///
    /// # Errors
    /// When signing fails.
    pub fn crl(&self, at: Time) -> Result<Vec<u8>, PkiError> {
        let mut entries: Vec<CrlEntry> = self
            .revoked
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .iter()
            .map(|(serial, (since, reason))| CrlEntry {
                serial: serial.clone(),
                since: *since,
                extensions: vec![(oids::REASON_CODE, false, writer::enumerated(*reason as u8))],
            })
            .collect();
        entries.sort_by(|a, b| a.serial.cmp(&b.serial));
        self.crl_by(self.issuing(), at, &entries, &[])
    }

    /// A revocation list of any authority with these entries and further extensions (identifier,
    /// critical, value), valid for seven days.
    ///
    /// # Errors
    /// When signing fails.
    pub fn crl_by(
        &self,
        authority: &Identity,
        at: Time,
        entries: &[CrlEntry],
        extensions: &[(Oid, bool, Vec<u8>)],
    ) -> Result<Vec<u8>, PkiError> {
        let entries: Vec<Vec<u8>> = entries.iter().map(CrlEntry::to_der).collect();
        let further = extensions.iter().map(|(oid, critical, v)| extension(*oid, *critical, v));
        revocation_list(authority, at, &entries, further)
    }

    /// The revocation list of the root, which is always empty.
    ///
    /// # Errors
    /// When signing fails.
    pub fn root_crl(&self, at: Time) -> Result<Vec<u8>, PkiError> {
        self.crl_by(self.root(), at, &[], &[])
    }
}

fn id_of(certificate: &Certificate, issuer: &Certificate, hash: CertIdHash) -> Vec<u8> {
    match hash {
        CertIdHash::Sha1 => cert_id(certificate, issuer, oids::SHA1, sha1_for_identification),
        CertIdHash::Sha256 => {
            let sha256 = HashAlgorithm::Sha256;
            cert_id(certificate, issuer, oids::SHA256, |data| sha256.digest(data))
        }
    }
}

fn revocation_list(
    issuer: &Identity,
    at: Time,
    entries: &[Vec<u8>],
    further: impl Iterator<Item = Vec<u8>>,
) -> Result<Vec<u8>, PkiError> {
    // An absent list, not an empty one (RFC 5280, 5.1.2.6).
    let entries = if entries.is_empty() { Vec::new() } else { writer::sequence_of(entries) };
    let key_id = issuer.certificate().extensions().subject_key_id().unwrap_or(&[]);
    let authority_key = writer::sequence(&[&writer::tlv(0x80, key_id)]);
    let number = writer::integer(at.unix().unsigned_abs());
    let mut extensions = vec![
        extension(oids::AUTHORITY_KEY_ID, false, &authority_key),
        extension(oids::CRL_NUMBER, false, &number),
    ];
    extensions.extend(further);
    let extensions = writer::sequence_of(extensions);
    let list = writer::sequence(&[
        &writer::integer(1),
        &issuer.algorithm(HASH).to_der(),
        issuer.certificate().subject().as_der(),
        &writer::time(at),
        &writer::time(at.plus_seconds(7 * 86_400)),
        &entries,
        &writer::tagged(0, &extensions),
    ]);
    sign(issuer, &list, &[])
}

fn sign(signer: &Identity, data: &[u8], after: &[u8]) -> Result<Vec<u8>, PkiError> {
    let algorithm = signer.algorithm(HASH);
    let signature = signer.sign_hash(algorithm, &HASH.digest(data))?;
    Ok(writer::sequence(&[data, &algorithm.to_der(), &writer::bits(&signature), after]))
}
