//! Writing SignedData.

use super::ess;
use crate::asn1::{INTEGER, Malformed, Oid, Reader, SET, Time, context, oids, writer};
use crate::crypto::{Algorithm, HashAlgorithm, KeyKind};
use crate::x509::Certificate;

/// How the signed attributes name the signer's certificate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CertificateReference {
    /// signing-certificate-v2, as PAdES and RFC 3161 timestamps ask.
    #[default]
    SigningCertificateV2,
    /// other-signing-certificate, as SEID-SDO signatures carry it.
    OtherSigningCertificate,
    /// None at all.
    Absent,
}

/// What the signed attributes hold besides content-type and message-digest.
#[derive(Clone, Debug)]
pub struct AttributeOptions {
    /// The type of the signed content, `id-data` for documents.
    pub content_type: Oid,
    /// The claimed time. PAdES keeps it in the PDF dictionary instead and forbids it here.
    pub signing_time: Option<Time>,
    /// How the certificate is named.
    pub reference: CertificateReference,
}

impl Default for AttributeOptions {
    /// The PAdES baseline (EN 319 142-1, table 1): content-type, message-digest and
    /// signing-certificate-v2.
    fn default() -> Self {
        Self {
            content_type: oids::DATA,
            signing_time: None,
            reference: CertificateReference::SigningCertificateV2,
        }
    }
}

impl AttributeOptions {
    /// The attributes of a SEID-SDO signature: contentType, signingTime, messageDigest and
    /// otherSigCert.
    #[must_use]
    pub fn sdo(signing_time: Time) -> Self {
        Self {
            content_type: oids::DATA,
            signing_time: Some(signing_time),
            reference: CertificateReference::OtherSigningCertificate,
        }
    }
}

/// The attributes that are signed, ready to be hashed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedAttributes {
    der: Vec<u8>,
    hash: HashAlgorithm,
    content_type: Oid,
}

impl SignedAttributes {
    /// The DER SET OF that the signature covers.
    #[must_use]
    pub fn as_der(&self) -> &[u8] {
        &self.der
    }

    /// The hash function of content and attributes.
    #[must_use]
    pub fn hash(&self) -> HashAlgorithm {
        self.hash
    }

    /// The digest that the key signs: what CSC `signHash` takes.
    #[must_use]
    pub fn hash_to_sign(&self) -> Vec<u8> {
        self.hash.digest(&self.der)
    }
}

/// The attributes to sign for a content with this digest.
///
/// # Errors
/// When the digest does not have the length of `hash`.
pub fn signed_attributes(
    content_digest: &[u8],
    hash: HashAlgorithm,
    certificate: &Certificate,
    options: &AttributeOptions,
) -> Result<SignedAttributes, Malformed> {
    if content_digest.len() != hash.output_len() {
        let (found, wanted) = (content_digest.len(), hash.output_len());
        let why = format!("has {found} bytes, but {hash} gives {wanted}");
        return Err(Malformed::new("content digest", why));
    }
    let mut attributes = vec![
        attribute(oids::CONTENT_TYPE, &writer::oid(&options.content_type)),
        attribute(oids::MESSAGE_DIGEST, &writer::octets(content_digest)),
    ];
    if let Some(time) = options.signing_time {
        attributes.push(attribute(oids::SIGNING_TIME, &writer::time(time)));
    }
    match options.reference {
        CertificateReference::SigningCertificateV2 => attributes.push(attribute(
            oids::SIGNING_CERTIFICATE_V2,
            &ess::signing_certificate_v2(certificate, hash),
        )),
        CertificateReference::OtherSigningCertificate => attributes.push(attribute(
            oids::OTHER_SIGNING_CERTIFICATE,
            &ess::other_signing_certificate(certificate, hash),
        )),
        CertificateReference::Absent => {}
    }
    Ok(SignedAttributes {
        der: writer::set_of(attributes),
        hash,
        content_type: options.content_type,
    })
}

fn attribute(oid: Oid, value: &[u8]) -> Vec<u8> {
    writer::sequence(&[&writer::oid(&oid), &writer::set_of([value])])
}

/// The parts of a SignedData with one signer.
#[derive(Clone, Copy, Debug)]
pub struct Assembly<'a> {
    /// The attributes that were signed.
    pub attributes: &'a SignedAttributes,
    /// How they were signed.
    pub algorithm: Algorithm,
    /// The signature value: RSA as it is; ECDSA in DER, or as r and s side by side.
    pub signature: &'a [u8],
    /// The signer's certificate.
    pub signer: &'a Certificate,
    /// Further certificates to put in, usually the issuers up to, but without, the root.
    pub others: &'a [Certificate],
    /// A timestamp token over the signature value (RFC 3161).
    pub timestamp: Option<&'a [u8]>,
    /// The content when it is not detached.
    pub content: Option<&'a [u8]>,
}

/// Puts a SignedData together, in DER inside a ContentInfo.
///
/// The signature value is checked against certificate and attributes first, so that a signature
/// made by another key or over another hash is found here and not by the reader of the document.
///
/// # Errors
/// When the signature does not match, or the algorithm does not fit hash or key.
pub fn assemble(parts: &Assembly<'_>) -> Result<Vec<u8>, Malformed> {
    let what = "signature value";
    let bad = |why: String| Malformed::new(what, why);
    if parts.algorithm.hash() != parts.attributes.hash {
        let (algorithm, hash) = (parts.algorithm, parts.attributes.hash);
        return Err(bad(format!("is {algorithm}, but the attributes were made for {hash}")));
    }
    let key = parts.signer.public_key().map_err(|error| bad(error.to_string()))?;
    let signature = match parts.algorithm {
        Algorithm::EcdsaP256(_) => ecdsa_to_der(parts.signature, 32),
        Algorithm::EcdsaP384(_) => ecdsa_to_der(parts.signature, 48),
        Algorithm::Ecdsa(curve, _) => ecdsa_to_der(parts.signature, curve.half_len()),
        _ => parts.signature.to_vec(),
    };
    key.verify(parts.algorithm, &parts.attributes.hash_to_sign(), &signature).map_err(|_| {
        let algorithm = parts.algorithm;
        bad(format!(
            "does not match the signer's certificate ({key}) and the signed attributes as {algorithm}"
        ))
    })?;
    Ok(encode(parts, &signature))
}

/// An ECDSA value as DER: r and s side by side, each `half` bytes, are converted; anything else is
/// returned as it is.
#[must_use]
pub fn ecdsa_to_der(signature: &[u8], half: usize) -> Vec<u8> {
    match signature.split_at_checked(half) {
        Some((r, s)) if s.len() == half => {
            writer::sequence(&[&writer::unsigned(r), &writer::unsigned(s)])
        }
        _ => signature.to_vec(),
    }
}

fn encode(parts: &Assembly<'_>, signature: &[u8]) -> Vec<u8> {
    let attributes = parts.attributes;
    let digest_algorithm = writer::sequence(&[&writer::oid(&attributes.hash.oid())]);
    let content = match parts.content {
        Some(content) => writer::tagged(0, &writer::octets(content)),
        None => Vec::new(),
    };
    let encapsulated = writer::sequence(&[&writer::oid(&attributes.content_type), &content]);
    let mut certificates = vec![parts.signer.as_der()];
    for other in parts.others {
        if !certificates.contains(&other.as_der()) {
            certificates.push(other.as_der());
        }
    }
    let members = Reader::new(&attributes.der).set("signed attributes");
    let unsigned = match parts.timestamp {
        Some(token) => writer::tagged(1, &attribute(oids::SIGNATURE_TIMESTAMP, token)),
        None => Vec::new(),
    };
    let signer_info = writer::sequence(&[
        &writer::integer(1),
        &issuer_and_serial(parts.signer),
        &digest_algorithm,
        &writer::tagged(0, members.as_ref().map_or(&[], Reader::rest)),
        &signature_identifier(parts.algorithm),
        &writer::octets(signature),
        &unsigned,
    ]);
    // RFC 5652, 5.1: content other than id-data makes it version 3.
    let version = if attributes.content_type == oids::DATA { 1 } else { 3 };
    let signed_data = writer::sequence(&[
        &writer::integer(version),
        &writer::tlv(SET, &digest_algorithm),
        &encapsulated,
        &writer::tagged(0, &sorted(certificates)),
        &writer::tlv(SET, &signer_info),
    ]);
    let explicit = writer::tagged(0, &signed_data);
    writer::sequence(&[&writer::oid(&oids::SIGNED_DATA), &explicit])
}

fn sorted(mut members: Vec<&[u8]>) -> Vec<u8> {
    members.sort_unstable();
    members.concat()
}

fn issuer_and_serial(certificate: &Certificate) -> Vec<u8> {
    let serial = writer::tlv(INTEGER, certificate.serial());
    writer::sequence(&[certificate.issuer().as_der(), &serial])
}

/// RFC 5754 asks for rsaEncryption beside the digest algorithm; the others name the hash function.
fn signature_identifier(algorithm: Algorithm) -> Vec<u8> {
    match algorithm {
        Algorithm::RsaPkcs1(_) => writer::sequence(&[&writer::oid(&oids::RSA), &writer::null()]),
        other => other.to_der(),
    }
}

/// An upper bound of the size of what [`assemble`] will return, in bytes, exact but for the
/// length of an ECDSA value. `timestamp_room` is the size kept for a timestamp token, 0 for none.
#[must_use]
pub fn size_estimate(
    signer: &Certificate,
    others: &[Certificate],
    hash: HashAlgorithm,
    options: &AttributeOptions,
    timestamp_room: usize,
) -> usize {
    let (algorithm, value) = match signer.public_key().map(|key| key.kind()) {
        Ok(KeyKind::P256) => (Algorithm::EcdsaP256(hash), 72),
        Ok(KeyKind::P384) => (Algorithm::EcdsaP384(hash), 104),
        Ok(KeyKind::Ec(curve)) => (Algorithm::Ecdsa(curve, hash), 2 * curve.half_len() + 9),
        Ok(KeyKind::Ed25519) => (Algorithm::Ed25519, 64),
        // PSS has the longer identifier.
        Ok(KeyKind::Rsa(bits)) => (Algorithm::RsaPss(hash), bits.div_ceil(8)),
        Err(_) => (Algorithm::RsaPss(hash), 1024),
    };
    let digest = vec![0; hash.output_len()];
    let Ok(attributes) = signed_attributes(&digest, hash, signer, options) else { return 0 };
    let token = vec![0; timestamp_room];
    let parts = Assembly {
        attributes: &attributes,
        algorithm,
        signature: &[],
        signer,
        others,
        timestamp: (timestamp_room > 0).then_some(&token),
        content: None,
    };
    encode(&parts, &vec![0; value]).len()
}

/// Adds an unsigned attribute (for instance a timestamp token) to the only signer of a SignedData
/// in DER. Everything that is signed stays as it is.
///
/// # Errors
/// When the bytes are no SignedData with exactly one signer.
pub fn add_unsigned_attribute(cms: &[u8], oid: Oid, value: &[u8]) -> Result<Vec<u8>, Malformed> {
    let what = "cms";
    let mut outer = Reader::new(cms);
    let mut info = outer.sequence(what)?;
    outer.finish(what)?;
    let kind = info.expect(crate::asn1::OBJECT_IDENTIFIER, what)?.raw;
    let explicit = info.expect(context(0), what)?;
    let mut all = explicit.reader().sequence(what)?;
    let mut members = Vec::new();
    while !all.is_empty() {
        members.push(all.any(what)?);
    }
    // signerInfos is the last member (RFC 5652, 5.1).
    let Some((signers, head)) = members.split_last() else {
        return Err(Malformed::new(what, "is empty"));
    };
    let mut list = signers.reader();
    let mut signer = list.sequence("signer info")?;
    list.finish("signer infos with one signer")?;
    let mut kept = Vec::new();
    let mut unsigned = vec![attribute(oid, value)];
    while !signer.is_empty() {
        let member = signer.any("signer info")?;
        if member.tag == context(1) {
            let mut old = member.reader();
            while !old.is_empty() {
                unsigned.push(old.any("unsigned attributes")?.raw.to_vec());
            }
        } else {
            kept.push(member.raw);
        }
    }
    unsigned.sort();
    let unsigned = writer::tagged(1, &unsigned.concat());
    let info = writer::sequence(&[&kept.concat(), &unsigned]);
    let mut parts: Vec<&[u8]> = head.iter().map(|member| member.raw).collect();
    let signers = writer::tlv(SET, &info);
    parts.push(&signers);
    Ok(writer::sequence(&[kind, &writer::tagged(0, &writer::sequence(&parts))]))
}
