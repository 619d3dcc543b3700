//! Asking a responder.

use crate::asn1::{INTEGER, Oid, oids, writer};
use crate::crypto::sha1_for_identification;
use crate::x509::Certificate;

/// An OCSPRequest about one certificate, in DER (RFC 6960, 4.1.1; RFC 5019, 2.1.1).
///
/// SHA-1 names the certificate, because every responder knows it. There is no nonce: an answer is
/// judged by its times, and responders that sign answers beforehand cannot repeat one.
#[must_use]
pub fn ocsp_request(certificate: &Certificate, issuer: &Certificate) -> Vec<u8> {
    let id = cert_id(certificate, issuer, oids::SHA1, sha1_for_identification);
    let requests = writer::sequence(&[&writer::sequence(&[&id])]);
    writer::sequence(&[&writer::sequence(&[&requests])])
}

/// CertID (RFC 6960, 4.1.1), by the hash function `hash` that `digest` computes.
pub(crate) fn cert_id(
    certificate: &Certificate,
    issuer: &Certificate,
    hash: Oid,
    digest: impl Fn(&[u8]) -> Vec<u8>,
) -> Vec<u8> {
    writer::sequence(&[
        &writer::sequence(&[&writer::oid(&hash), &writer::null()]),
        &writer::octets(&digest(issuer.subject().as_der())),
        &writer::octets(&digest(issuer.key_bits())),
        &writer::tlv(INTEGER, certificate.serial()),
    ])
}
