//! TimeStampReq and TimeStampResp.

use crate::asn1::{BOOLEAN, INTEGER, Malformed, OBJECT_IDENTIFIER, Oid, Reader, SEQUENCE, writer};
use crate::crypto::{AlgorithmIdentifier, HashAlgorithm, Unsupported};

/// A TimeStampReq (RFC 3161, 2.4.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimestampRequest {
    /// The hash function of the imprint, or why it is not accepted.
    pub hash: Result<HashAlgorithm, Unsupported>,
    /// The digest to be stamped.
    pub imprint: Vec<u8>,
    /// The policy asked for.
    pub policy: Option<Oid>,
    /// The content of the nonce INTEGER.
    pub nonce: Option<Vec<u8>>,
    /// True when the answer must contain the authority's certificate.
    pub wants_certificate: bool,
}

impl TimestampRequest {
    /// A request for a timestamp over a digest that was made with `hash`. The authority's
    /// certificate is asked for.
    #[must_use]
    pub fn new(hash: HashAlgorithm, imprint: Vec<u8>, nonce: Option<u64>) -> Self {
        let nonce = nonce.map(|nonce| {
            let element = writer::integer(nonce);
            Reader::new(&element).integer("nonce").map(<[u8]>::to_vec).unwrap_or_default()
        });
        Self { hash: Ok(hash), imprint, policy: None, nonce, wants_certificate: true }
    }

    /// The request in DER.
    ///
    /// # Errors
    /// When the hash function is not accepted.
    pub fn to_der(&self) -> Result<Vec<u8>, Unsupported> {
        let hash = self.hash.clone()?;
        let identifier = writer::sequence(&[&writer::oid(&hash.oid()), &writer::null()]);
        let imprint = writer::sequence(&[&identifier, &writer::octets(&self.imprint)]);
        let policy = self.policy.as_ref().map(writer::oid).unwrap_or_default();
        let nonce = self.nonce.as_ref().map(|n| writer::tlv(INTEGER, n)).unwrap_or_default();
        let flag = if self.wants_certificate { writer::yes() } else { Vec::new() };
        Ok(writer::sequence(&[&writer::integer(1), &imprint, &policy, &nonce, &flag]))
    }

    /// Reads a request.
    ///
    /// # Errors
    /// When the bytes are no request, or the imprint has the wrong length.
    pub fn parse(der: &[u8]) -> Result<Self, Malformed> {
        let what = "timestamp request";
        let mut outer = Reader::new(der);
        let mut reader = outer.sequence(what)?;
        outer.finish(what)?;
        if reader.unsigned(what)? != 1 {
            return Err(Malformed::new(what, "is of a version other than 1"));
        }
        let (hash, imprint) = read_imprint(&mut reader)?;
        let policy = match reader.peek() {
            Some(OBJECT_IDENTIFIER) => Some(reader.oid(what)?),
            _ => None,
        };
        let nonce = reader.optional(INTEGER, what)?.map(|nonce| nonce.content.to_vec());
        let wants_certificate = reader.peek() == Some(BOOLEAN) && reader.boolean(what)?;
        Ok(Self { hash, imprint, policy, nonce, wants_certificate })
    }
}

/// MessageImprint (RFC 3161, 2.4.1).
pub(super) fn read_imprint(
    reader: &mut Reader<'_>,
) -> Result<(Result<HashAlgorithm, Unsupported>, Vec<u8>), Malformed> {
    let what = "timestamp imprint";
    let mut inner = reader.sequence(what)?;
    let hash = AlgorithmIdentifier::read(&mut inner, what)?.hash();
    let imprint = inner.octets(what)?.to_vec();
    inner.finish(what)?;
    if let Ok(hash) = &hash
        && imprint.len() != hash.output_len()
    {
        return Err(Malformed::new(what, format!("has {} bytes for {hash}", imprint.len())));
    }
    Ok((hash, imprint))
}

/// The token inside a TimeStampResp (RFC 3161, 2.4.2), in DER.
///
/// # Errors
/// When the bytes are no response, or the authority refused; the text names status and failure.
pub fn parse_response(der: &[u8]) -> Result<&[u8], Malformed> {
    let what = "timestamp response";
    let mut outer = Reader::new(der);
    let mut whole = outer.sequence(what)?;
    outer.finish(what)?;
    let mut info = whole.sequence(what)?;
    let status = info.unsigned(what)?;
    // granted or grantedWithMods
    if status > 1 {
        let mut reasons = String::new();
        if let Some(texts) = info.optional(SEQUENCE, what)? {
            let mut texts = texts.reader();
            while !texts.is_empty() {
                let text = texts.any(what)?;
                let shown = crate::asn1::string(&text).unwrap_or_default();
                reasons.push_str(": ");
                reasons.extend(shown.chars().filter(|c| !c.is_control()).take(200));
            }
        }
        return Err(Malformed::new(what, format!("refuses with status {status}{reasons}")));
    }
    let token = whole.expect(SEQUENCE, what)?;
    whole.finish(what)?;
    Ok(token.raw)
}

/// A TimeStampResp with status granted around a token.
#[must_use]
pub fn wrap_token(token: &[u8]) -> Vec<u8> {
    writer::sequence(&[&writer::sequence(&[&writer::integer(0)]), token])
}
