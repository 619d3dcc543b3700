//! OCSP answers.

use super::status::{Question, Status};
use crate::asn1::{
    ENUMERATED, GENERALIZED_TIME, Malformed, Oid, Reader, SEQUENCE, Time, context,
    context_primitive, minimal_integer, oids, writer,
};
use crate::crypto::{AlgorithmIdentifier, HashAlgorithm, sha1_for_identification};
use crate::x509::{Certificate, Chain, ChainRequest, Name, Purpose, TrustAnchors};
use crate::x509::{read_extensions, verify_signed};

const WHAT: &str = "ocsp response";
const MAX_RESPONSES: usize = 1024;
const MAX_CERTIFICATES: usize = 16;

/// Who signed an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResponderId {
    /// By name.
    Name(Name),
    /// By SHA-1 of the key.
    KeyHash(Vec<u8>),
}

impl ResponderId {
    fn names(&self, certificate: &Certificate) -> bool {
        match self {
            Self::Name(name) => name.matches(certificate.subject()),
            Self::KeyHash(hash) => *hash == certificate.key_hash(),
        }
    }
}

#[derive(Clone, Debug)]
struct CertId {
    hash: Oid,
    name_hash: Vec<u8>,
    key_hash: Vec<u8>,
    serial: Vec<u8>,
}

impl CertId {
    fn read(reader: &mut Reader<'_>) -> Result<Self, Malformed> {
        let what = "ocsp certificate id";
        let mut inner = reader.sequence(what)?;
        let hash = AlgorithmIdentifier::read(&mut inner, what)?.oid;
        let name_hash = inner.octets(what)?.to_vec();
        let key_hash = inner.octets(what)?.to_vec();
        let serial = inner.integer(what)?.to_vec();
        inner.finish(what)?;
        Ok(Self { hash, name_hash, key_hash, serial })
    }

    /// SHA-1 is allowed here: it names, and the issuer's signature is what counts.
    fn names(&self, certificate: &Certificate, issuer: &Certificate) -> bool {
        let digest = |data: &[u8]| match HashAlgorithm::from_oid(self.hash) {
            Ok(hash) => Some(hash.digest(data)),
            Err(_) if self.hash == oids::SHA1 => Some(sha1_for_identification(data)),
            Err(_) => None,
        };
        minimal_integer(&self.serial) == minimal_integer(certificate.serial())
            && digest(issuer.key_bits()).is_some_and(|hash| hash == self.key_hash)
            && [issuer.subject(), certificate.issuer()]
                .iter()
                .any(|name| digest(name.as_der()).is_some_and(|hash| hash == self.name_hash))
    }
}

#[derive(Clone, Debug)]
enum CertStatus {
    Good,
    Revoked(Time, Option<u8>),
    Unknown,
}

#[derive(Clone, Debug)]
struct SingleResponse {
    id: CertId,
    status: CertStatus,
    this_update: Time,
    next_update: Option<Time>,
    archive_cutoff: Option<Time>,
    unknown_critical: Option<Oid>,
}

/// A BasicOCSPResponse as it was read (RFC 6960, 4.2.1). Nothing in it has been checked yet.
#[derive(Clone, Debug)]
pub struct BasicResponse {
    der: Vec<u8>,
    data: Vec<u8>,
    responder: ResponderId,
    produced_at: Time,
    responses: Vec<SingleResponse>,
    nonce: Option<Vec<u8>>,
    unknown_critical: Option<Oid>,
    algorithm: AlgorithmIdentifier,
    signature: Vec<u8>,
    certificates: Vec<Certificate>,
}

/// Puts a BasicOCSPResponse into an OCSPResponse with status successful, as a PDF document
/// security store wants it.
#[must_use]
pub fn wrap_basic_response(basic: &[u8]) -> Vec<u8> {
    let bytes = writer::sequence(&[&writer::oid(&oids::OCSP_BASIC), &writer::octets(basic)]);
    writer::sequence(&[&writer::enumerated(0), &writer::tagged(0, &bytes)])
}

/// The BasicOCSPResponse inside an OCSPResponse; a BasicOCSPResponse itself is returned as it is.
///
/// # Errors
/// When the bytes are neither, or the OCSPResponse reports an error instead of an answer.
pub fn unwrap_response(bytes: &[u8]) -> Result<&[u8], Malformed> {
    let mut outer = Reader::new(bytes);
    let mut whole = outer.sequence(WHAT)?;
    outer.finish(WHAT)?;
    if whole.peek() != Some(ENUMERATED) {
        return Ok(bytes);
    }
    let status = whole.expect(ENUMERATED, WHAT)?.content;
    if status != [0] {
        let number = status.last().copied().unwrap_or_default();
        return Err(Malformed::new(
            WHAT,
            format!("reports the error {number} instead of an answer"),
        ));
    }
    let mut explicit = whole.expect(context(0), WHAT)?.reader();
    let mut inner = explicit.sequence(WHAT)?;
    let kind = inner.oid(WHAT)?;
    if kind != oids::OCSP_BASIC {
        return Err(Malformed::new(WHAT, format!("is of kind {kind}, not basic")));
    }
    inner.octets(WHAT)
}

impl BasicResponse {
    /// Reads an OCSPResponse or a BasicOCSPResponse in DER.
    ///
    /// # Errors
    /// When the bytes are neither, or the OCSPResponse reports an error.
    pub fn parse(bytes: &[u8]) -> Result<Self, Malformed> {
        let basic = unwrap_response(bytes)?;
        let mut outer = Reader::new(basic);
        let mut whole = outer.sequence(WHAT)?;
        outer.finish(WHAT)?;
        let data = whole.expect(SEQUENCE, WHAT)?;
        let algorithm = AlgorithmIdentifier::read(&mut whole, WHAT)?;
        let signature = whole.bits(WHAT)?.to_vec();
        let mut certificates = Vec::new();
        if let Some(explicit) = whole.optional(context(0), WHAT)? {
            let mut list = explicit.reader().sequence(WHAT)?;
            while !list.is_empty() && certificates.len() < MAX_CERTIFICATES {
                // An unreadable one cannot be the responder's.
                certificates.extend(Certificate::from_der(list.any(WHAT)?.raw).ok());
            }
        }
        whole.finish(WHAT)?;
        let mut read = Self {
            der: basic.to_vec(),
            data: data.raw.to_vec(),
            responder: ResponderId::KeyHash(Vec::new()),
            produced_at: Time::from_unix(0),
            responses: Vec::new(),
            nonce: None,
            unknown_critical: None,
            algorithm,
            signature,
            certificates,
        };
        read.read_data(data.reader())?;
        Ok(read)
    }

    fn read_data(&mut self, mut reader: Reader<'_>) -> Result<(), Malformed> {
        reader.optional(context(0), "ocsp version")?;
        let id = reader.any("ocsp responder id")?;
        self.responder = match id.tag {
            tag if tag == context(1) => ResponderId::Name(Name::read(&mut id.reader())?),
            tag if tag == context(2) => {
                ResponderId::KeyHash(id.reader().octets("ocsp responder id")?.to_vec())
            }
            _ => return Err(Malformed::new("ocsp responder id", "is neither name nor key hash")),
        };
        self.produced_at = reader.time("ocsp producedAt")?;
        let mut list = reader.sequence("ocsp answers")?;
        while !list.is_empty() {
            if self.responses.len() == MAX_RESPONSES {
                let why = format!("are more than {MAX_RESPONSES}");
                return Err(Malformed::new("ocsp answers", why));
            }
            self.responses.push(read_single(list.sequence("ocsp answer")?)?);
        }
        if let Some(explicit) = reader.optional(context(1), "ocsp extensions")? {
            for extension in read_extensions(explicit.content)? {
                if extension.oid == oids::OCSP_NONCE {
                    self.nonce = Some(extension.value);
                } else if extension.critical {
                    self.unknown_critical = Some(extension.oid);
                }
            }
        }
        reader.finish(WHAT)
    }

    /// The BasicOCSPResponse in DER.
    #[must_use]
    pub fn as_der(&self) -> &[u8] {
        &self.der
    }

    /// When it was made.
    #[must_use]
    pub fn produced_at(&self) -> Time {
        self.produced_at
    }

    /// Who says to have signed it.
    #[must_use]
    pub fn responder(&self) -> &ResponderId {
        &self.responder
    }

    /// The value of the nonce extension.
    #[must_use]
    pub fn nonce(&self) -> Option<&[u8]> {
        self.nonce.as_deref()
    }

    /// The certificates inside.
    #[must_use]
    pub fn certificates(&self) -> &[Certificate] {
        &self.certificates
    }

    /// True when one of the answers is about this certificate.
    #[must_use]
    pub fn is_about(&self, certificate: &Certificate, issuer: &Certificate) -> bool {
        self.responses.iter().any(|single| single.id.names(certificate, issuer))
    }

    /// What this answer says, after its signature, signer and times have been checked.
    #[must_use]
    pub fn status_of(&self, question: &Question<'_>) -> Status {
        let about =
            |single: &&SingleResponse| single.id.names(question.certificate, question.issuer);
        let Some(newest) = self.responses.iter().filter(about).max_by_key(|s| s.this_update) else {
            return Status::NotChecked("the ocsp answer is about another certificate".into());
        };
        if let Err(reason) = self.verify(question) {
            return Status::NotChecked(format!("the ocsp answer is not acceptable: {reason}"));
        }
        // Whoever is said to be revoked is revoked, whatever else the answer says.
        if let CertStatus::Revoked(since, reason) = newest.status {
            return Status::Revoked { since, reason };
        }
        if let Some(oid) = self.unknown_critical.or(newest.unknown_critical) {
            return Status::NotChecked(format!("the ocsp answer has the critical extension {oid}"));
        }
        match newest.status {
            CertStatus::Revoked(since, reason) => Status::Revoked { since, reason },
            CertStatus::Unknown => Status::Unknown,
            CertStatus::Good => {
                let times = question
                    .covered(newest.this_update, newest.next_update)
                    .and_then(|()| question.remembered(newest.this_update, newest.archive_cutoff));
                match times {
                    Ok(()) => Status::Good { this_update: newest.this_update },
                    Err(reason) => Status::NotChecked(format!("ocsp {reason}")),
                }
            }
        }
    }

    /// Checks signature and signer (RFC 6960, 4.2.2.2): the issuer itself, a responder it
    /// certified directly for this purpose, or one trusted by configuration.
    fn verify(&self, question: &Question<'_>) -> Result<(), String> {
        let issuer = question.issuer;
        if self.responder.names(issuer) {
            return self.verify_with(issuer);
        }
        let trusted = question.trusted_responders;
        if let Some(known) = trusted.iter().find(|known| self.responder.names(known)) {
            if !known.is_valid_at(self.produced_at) {
                return Err("the trusted responder's certificate was not valid then".into());
            }
            return self.verify_with(known);
        }
        let mut last = "the responder's certificate is missing".to_owned();
        let named = self.certificates.iter().filter(|known| self.responder.names(known));
        for candidate in named.take(4) {
            // The issuer was checked by whoever asks; as the only anchor it forces direct issue.
            let direct = TrustAnchors::new(vec![issuer.clone()]);
            match self.verify_delegated(candidate, &direct, &[]) {
                Ok(()) => return Ok(()),
                Err(reason) => last = reason,
            }
            if let Some(anchors) = question.responder_anchors
                && self.verify_delegated(candidate, anchors, &self.certificates).is_ok()
            {
                return Ok(());
            }
        }
        Err(last)
    }

    fn verify_delegated(
        &self,
        responder: &Certificate,
        anchors: &TrustAnchors,
        pool: &[Certificate],
    ) -> Result<(), String> {
        let (at, purpose) = (self.produced_at, Purpose::OcspSigning);
        Chain::build(responder, &ChainRequest { anchors, pool, at, purpose })
            .map_err(|failure| format!("its responder is not authorised: {failure}"))?;
        self.verify_with(responder)
    }

    fn verify_with(&self, signer: &Certificate) -> Result<(), String> {
        let key = signer.public_key().map_err(|error| error.to_string())?;
        verify_signed(&self.data, &self.algorithm, &self.signature, key)
    }
}

fn read_single(mut reader: Reader<'_>) -> Result<SingleResponse, Malformed> {
    let what = "ocsp answer";
    let id = CertId::read(&mut reader)?;
    let status = reader.any(what)?;
    let status = match status.tag {
        tag if tag == context_primitive(0) => CertStatus::Good,
        tag if tag == context_primitive(2) => CertStatus::Unknown,
        tag if tag == context(1) => {
            let mut info = status.reader();
            let since = info.time(what)?;
            let reason = match info.optional(context(0), what)? {
                Some(explicit) => {
                    explicit.reader().expect(ENUMERATED, what)?.content.last().copied()
                }
                None => None,
            };
            info.finish(what)?;
            CertStatus::Revoked(since, reason)
        }
        tag => return Err(Malformed::new(what, format!("has the unknown status {tag:#04x}"))),
    };
    let this_update = reader.time(what)?;
    let next_update = match reader.optional(context(0), what)? {
        Some(explicit) => Some(explicit.reader().time(what)?),
        None => None,
    };
    let (mut archive_cutoff, mut unknown_critical) = (None, None);
    if let Some(explicit) = reader.optional(context(1), what)? {
        for extension in read_extensions(explicit.content)? {
            if extension.oid == oids::OCSP_ARCHIVE_CUTOFF {
                let value = Reader::new(&extension.value).expect(GENERALIZED_TIME, what)?;
                archive_cutoff = Some(Time::from_generalized(value.content)?);
            } else if extension.critical {
                unknown_critical = Some(extension.oid);
            }
        }
    }
    reader.finish(what)?;
    Ok(SingleResponse { id, status, this_update, next_update, archive_cutoff, unknown_critical })
}
