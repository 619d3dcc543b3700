//! Reading SignedData.

use super::attributes::Attributes;
use crate::asn1::{
    INTEGER, Malformed, OCTET_STRING, Oid, Reader, SEQUENCE, context, context_primitive,
    minimal_integer, oids, to_der, writer,
};
use crate::crypto::AlgorithmIdentifier;
use crate::x509::{Certificate, Name};

const WHAT: &str = "cms";
const MAX_CERTIFICATES: usize = 256;
const MAX_SIGNERS: usize = 16;
/// id-ri-ocsp-response (RFC 5940).
const RI_OCSP_RESPONSE: Oid = Oid::new(&[1, 3, 6, 1, 5, 5, 7, 16, 2]);

/// How a signer's certificate is named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SignerId {
    /// By issuer and serial number.
    IssuerSerial(Name, Vec<u8>),
    /// By subject key identifier.
    KeyId(Vec<u8>),
}

impl SignerId {
    /// True when this names `certificate`.
    #[must_use]
    pub fn names(&self, certificate: &Certificate) -> bool {
        match self {
            Self::IssuerSerial(issuer, serial) => {
                minimal_integer(serial) == minimal_integer(certificate.serial())
                    && issuer.matches(certificate.issuer())
            }
            Self::KeyId(id) => match certificate.extensions().subject_key_id() {
                Some(found) => found == id,
                None => *id == certificate.key_hash(),
            },
        }
    }

    /// Whether the bytes of a certificate that cannot be read hold what this names.
    pub(super) fn occurs_in(&self, der: &[u8]) -> bool {
        let holds = |part: &[u8]| der.windows(part.len().max(1)).any(|window| window == part);
        match self {
            Self::IssuerSerial(issuer, serial) => {
                holds(&writer::tlv(INTEGER, serial)) && holds(issuer.as_der())
            }
            Self::KeyId(id) => holds(id),
        }
    }
}

/// What adbe-revocationInfoArchival holds (ISO 32000-1, 12.8.3.3).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArchivedRevocation {
    /// Revocation lists, each in DER.
    pub crls: Vec<Vec<u8>>,
    /// OCSP responses, each in DER.
    pub ocsp_responses: Vec<Vec<u8>>,
}

/// One signer (RFC 5652, 5.3).
#[derive(Clone, Debug)]
pub struct SignerInfo {
    pub(super) version: u64,
    pub(super) id: SignerId,
    pub(super) digest_algorithm: AlgorithmIdentifier,
    pub(super) signature_algorithm: AlgorithmIdentifier,
    pub(super) signature: Vec<u8>,
    pub(super) signed: Option<Attributes>,
    pub(super) unsigned: Option<Attributes>,
}

impl SignerInfo {
    /// How the certificate is named.
    #[must_use]
    pub fn id(&self) -> &SignerId {
        &self.id
    }

    /// The digest algorithm as it stands.
    #[must_use]
    pub fn digest_algorithm(&self) -> &AlgorithmIdentifier {
        &self.digest_algorithm
    }

    /// The signature value, over which signature timestamps are made.
    #[must_use]
    pub fn signature(&self) -> &[u8] {
        &self.signature
    }

    /// The signed attributes.
    #[must_use]
    pub fn signed_attributes(&self) -> Option<&Attributes> {
        self.signed.as_ref()
    }

    /// The unsigned attributes.
    #[must_use]
    pub fn unsigned_attributes(&self) -> Option<&Attributes> {
        self.unsigned.as_ref()
    }

    /// The timestamp tokens over the signature value (RFC 3161, appendix A), each in DER.
    #[must_use]
    pub fn timestamps(&self) -> Vec<&[u8]> {
        self.unsigned.iter().flat_map(|all| all.values(oids::SIGNATURE_TIMESTAMP)).collect()
    }

    /// Revocation lists and OCSP answers inside adbe-revocationInfoArchival, each in DER.
    ///
    /// # Errors
    /// When the attribute is broken.
    pub fn archived_revocation(&self) -> Result<ArchivedRevocation, Malformed> {
        let what = "adbe-revocationInfoArchival";
        let mut archived = ArchivedRevocation::default();
        for value in self.signed.iter().flat_map(|all| all.values(oids::ADBE_REVOCATION)) {
            let mut reader = Reader::new(value).sequence(what)?;
            while !reader.is_empty() {
                let member = reader.any(what)?;
                let list = match member.tag {
                    tag if tag == context(0) => &mut archived.crls,
                    tag if tag == context(1) => &mut archived.ocsp_responses,
                    _ => continue,
                };
                let mut items = member.reader().sequence(what)?;
                while !items.is_empty() {
                    list.push(items.any(what)?.raw.to_vec());
                }
            }
        }
        Ok(archived)
    }
}

/// A SignedData as it was read (RFC 5652, 5.1). Nothing in it has been checked yet.
#[derive(Clone, Debug)]
pub struct SignedData {
    pub(super) was_ber: bool,
    pub(super) version: u64,
    pub(super) digest_algorithms: Vec<Oid>,
    pub(super) content_type: Oid,
    pub(super) content: Option<Vec<u8>>,
    pub(super) certificates: Vec<Certificate>,
    /// Embedded certificates that could not be read, and why.
    pub(super) unreadable: Vec<(Vec<u8>, Malformed)>,
    pub(super) crls: Vec<Vec<u8>>,
    pub(super) ocsp_responses: Vec<Vec<u8>>,
    pub(super) signers: Vec<SignerInfo>,
    consumed: usize,
}

impl SignedData {
    /// Reads a ContentInfo with SignedData, in DER or BER. Nothing may follow it.
    ///
    /// # Errors
    /// When the bytes are something else.
    pub fn parse(bytes: &[u8]) -> Result<Self, Malformed> {
        let read = Self::parse_prefix(bytes)?;
        match bytes.len() - read.consumed {
            0 => Ok(read),
            left => Err(Malformed::new(WHAT, format!("is followed by {left} bytes"))),
        }
    }

    /// Reads a ContentInfo that may be followed by zero bytes, the padding of a PDF placeholder.
    ///
    /// # Errors
    /// When the bytes are something else, or anything but zeros follows.
    pub fn parse_padded(bytes: &[u8]) -> Result<Self, Malformed> {
        let read = Self::parse_prefix(bytes)?;
        let padding = bytes.get(read.consumed..).unwrap_or(&[]);
        if padding.iter().any(|byte| *byte != 0) {
            return Err(Malformed::new(WHAT, "is followed by bytes that are no zero padding"));
        }
        Ok(read)
    }

    fn parse_prefix(bytes: &[u8]) -> Result<Self, Malformed> {
        let transcoded = to_der(bytes)?;
        let mut outer = Reader::new(&transcoded.der);
        let mut info = outer.sequence(WHAT)?;
        let kind = info.oid(WHAT)?;
        if kind != oids::SIGNED_DATA {
            return Err(Malformed::new(WHAT, format!("has content type {kind}, not signed data")));
        }
        let explicit = info.expect(context(0), WHAT)?;
        info.finish(WHAT)?;
        let mut explicit = explicit.reader();
        let mut reader = explicit.sequence(WHAT)?;
        explicit.finish(WHAT)?;
        let mut read = Self::parse_signed_data(&mut reader)?;
        read.was_ber = transcoded.changed;
        read.consumed = transcoded.consumed;
        Ok(read)
    }

    fn parse_signed_data(reader: &mut Reader<'_>) -> Result<Self, Malformed> {
        let version = reader.unsigned("cms version")?;
        let mut algorithms = reader.set("cms digest algorithms")?;
        let mut digest_algorithms = Vec::new();
        while !algorithms.is_empty() {
            digest_algorithms.push(AlgorithmIdentifier::read(&mut algorithms, WHAT)?.oid);
        }
        let (content_type, content) = read_content(reader)?;
        let mut read = Self {
            was_ber: false,
            version,
            digest_algorithms,
            content_type,
            content,
            certificates: Vec::new(),
            unreadable: Vec::new(),
            crls: Vec::new(),
            ocsp_responses: Vec::new(),
            signers: Vec::new(),
            consumed: 0,
        };
        if let Some(set) = reader.optional(context(0), "cms certificates")? {
            read.read_certificates(set.reader())?;
        }
        if let Some(set) = reader.optional(context(1), "cms revocation lists")? {
            read.read_revocation(set.reader())?;
        }
        let mut signers = reader.set("cms signer infos")?;
        reader.finish(WHAT)?;
        while !signers.is_empty() {
            if read.signers.len() == MAX_SIGNERS {
                return Err(Malformed::new(WHAT, format!("has more than {MAX_SIGNERS} signers")));
            }
            read.signers.push(read_signer(signers.sequence("signer info")?)?);
        }
        Ok(read)
    }

    /// Attribute certificates and other kinds are passed over.
    fn read_certificates(&mut self, mut set: Reader<'_>) -> Result<(), Malformed> {
        while !set.is_empty() {
            let element = set.any("cms certificates")?;
            if element.tag != SEQUENCE {
                continue;
            }
            if self.certificates.len() + self.unreadable.len() >= MAX_CERTIFICATES {
                let why = format!("are more than {MAX_CERTIFICATES}");
                return Err(Malformed::new("cms certificates", why));
            }
            match Certificate::from_der(element.raw) {
                Ok(certificate) => self.certificates.push(certificate),
                Err(why) => self.unreadable.push((element.raw.to_vec(), why)),
            }
        }
        Ok(())
    }

    fn read_revocation(&mut self, mut set: Reader<'_>) -> Result<(), Malformed> {
        let what = "cms revocation lists";
        while !set.is_empty() {
            let element = set.any(what)?;
            if element.tag == SEQUENCE {
                self.crls.push(element.raw.to_vec());
            } else if element.tag == context(1) {
                let mut other = element.reader();
                if other.oid(what)? == RI_OCSP_RESPONSE {
                    self.ocsp_responses.push(other.any(what)?.raw.to_vec());
                }
            }
        }
        Ok(())
    }

    /// True when the bytes were BER and had to be rewritten.
    #[must_use]
    pub fn was_ber(&self) -> bool {
        self.was_ber
    }

    /// How many bytes of the input the structure took, without padding.
    #[must_use]
    pub fn encoded_len(&self) -> usize {
        self.consumed
    }

    /// The type of the signed content.
    #[must_use]
    pub fn content_type(&self) -> Oid {
        self.content_type
    }

    /// The content when it is embedded.
    #[must_use]
    pub fn content(&self) -> Option<&[u8]> {
        self.content.as_deref()
    }

    /// The embedded certificates, in order. None of them is trusted.
    #[must_use]
    pub fn certificates(&self) -> &[Certificate] {
        &self.certificates
    }

    /// Embedded revocation lists, each in DER.
    #[must_use]
    pub fn crls(&self) -> &[Vec<u8>] {
        &self.crls
    }

    /// Embedded OCSP responses (RFC 5940), each in DER.
    #[must_use]
    pub fn ocsp_responses(&self) -> &[Vec<u8>] {
        &self.ocsp_responses
    }

    /// The signers.
    #[must_use]
    pub fn signers(&self) -> &[SignerInfo] {
        &self.signers
    }
}

fn read_content(reader: &mut Reader<'_>) -> Result<(Oid, Option<Vec<u8>>), Malformed> {
    let what = "cms content";
    let mut inner = reader.sequence(what)?;
    let content_type = inner.oid(what)?;
    let content = match inner.optional(context(0), what)? {
        None => None,
        Some(explicit) => {
            let mut explicit = explicit.reader();
            let content = explicit.expect(OCTET_STRING, what)?.content.to_vec();
            explicit.finish(what)?;
            Some(content)
        }
    };
    inner.finish(what)?;
    Ok((content_type, content))
}

fn read_signer(mut reader: Reader<'_>) -> Result<SignerInfo, Malformed> {
    let what = "signer info";
    let version = reader.unsigned(what)?;
    let id = match reader.optional(context_primitive(0), what)? {
        Some(key_id) => SignerId::KeyId(key_id.content.to_vec()),
        None => {
            let mut pair = reader.sequence(what)?;
            let issuer = Name::read(&mut pair)?;
            let serial = pair.integer(what)?.to_vec();
            pair.finish(what)?;
            SignerId::IssuerSerial(issuer, serial)
        }
    };
    let digest_algorithm = AlgorithmIdentifier::read(&mut reader, what)?;
    let signed = match reader.optional(context(0), what)? {
        Some(element) => Some(Attributes::read(&element)?),
        None => None,
    };
    let signature_algorithm = AlgorithmIdentifier::read(&mut reader, what)?;
    let signature = reader.octets(what)?.to_vec();
    let unsigned = match reader.optional(context(1), what)? {
        Some(element) => Some(Attributes::read(&element)?),
        None => None,
    };
    reader.finish(what)?;
    Ok(SignerInfo {
        version,
        id,
        digest_algorithm,
        signature_algorithm,
        signature,
        signed,
        unsigned,
    })
}
