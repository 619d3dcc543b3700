//! Writing certificates.

use super::PkiError;
use super::key::SigningKey;
use super::profile::Profile;
use crate::asn1::{Oid, oids, writer};
use crate::crypto::{HashAlgorithm, sha1_for_identification};
use crate::x509::Certificate;

/// Start of the addresses in certificates unless another one is given; the top-level domain never
/// resolves (RFC 2606).
const NOWHERE: &str = "http://pki.signdoc.invalid";

/// The hash function an authority signs with.
pub(super) const HASH: HashAlgorithm = HashAlgorithm::Sha256;

/// Issues a certificate; without an issuer it signs itself. `address` is where evidence about it is
/// published.
pub(super) fn issue(
    profile: &Profile,
    key: &SigningKey,
    serial: &[u8],
    issuer: Option<(&Certificate, &SigningKey)>,
    address: Option<&str>,
) -> Result<Certificate, PkiError> {
    let subject = profile.subject.to_der();
    let (issuer_name, issuer_key) = match issuer {
        Some((certificate, key)) => (certificate.subject().as_der().to_vec(), key),
        None => (subject.clone(), key),
    };
    let algorithm = issuer_key.algorithm(HASH).to_der();
    let validity =
        writer::sequence(&[&writer::time(profile.not_before), &writer::time(profile.not_after)]);
    let extensions = extensions(profile, key, issuer, address);
    let tbs = writer::sequence(&[
        &writer::tagged(0, &writer::integer(2)),
        &writer::unsigned(serial),
        &algorithm,
        &issuer_name,
        &validity,
        &subject,
        &key.spki(),
        &writer::tagged(3, &extensions),
    ]);
    let signature = issuer_key.sign_hash(issuer_key.algorithm(HASH), &HASH.digest(&tbs))?;
    let der = writer::sequence(&[&tbs, &algorithm, &writer::bits(&signature)]);
    Ok(Certificate::from_der(&der)?)
}

fn extensions(
    profile: &Profile,
    key: &SigningKey,
    issuer: Option<(&Certificate, &SigningKey)>,
    address: Option<&str>,
) -> Vec<u8> {
    let mut all = Vec::new();
    if let Some(path_len) = profile.authority {
        let limit = path_len.map(writer::integer).unwrap_or_default();
        let value = writer::sequence(&[&writer::yes(), &limit]);
        all.push(extension(oids::BASIC_CONSTRAINTS, true, &value));
    }
    if !profile.key_usage.is_empty() {
        all.push(extension(oids::KEY_USAGE, true, &writer::named_bits(&profile.key_usage)));
    }
    if !profile.purposes.is_empty() {
        let value = writer::sequence_of(profile.purposes.iter().map(writer::oid));
        let critical = profile.purposes.contains(&oids::TIME_STAMPING);
        all.push(extension(oids::EXTENDED_KEY_USAGE, critical, &value));
    }
    let key_id = writer::octets(&key_id(&key.spki()));
    all.push(extension(oids::SUBJECT_KEY_ID, false, &key_id));
    if let Some((certificate, _)) = issuer {
        let id = certificate.extensions().subject_key_id().unwrap_or(&[]);
        let value = writer::sequence(&[&writer::tlv(0x80, id)]);
        all.push(extension(oids::AUTHORITY_KEY_ID, false, &value));
        all.extend(addresses(certificate, address));
    }
    for (oid, critical, value) in &profile.extensions {
        all.push(extension(*oid, *critical, value));
    }
    writer::sequence_of(all)
}

/// Where answers and lists about what `issuer` has issued lie, see [`super::Published`].
fn addresses(issuer: &Certificate, address: Option<&str>) -> [Vec<u8>; 2] {
    let url = |path: &str| writer::tlv(0x86, path.as_bytes());
    let (ocsp, certificate, list) = match address {
        Some(address) => {
            let name = if issuer.is_self_issued() { "root" } else { "issuing" };
            let of = |path: &str| url(&format!("{address}/{path}"));
            (of("ocsp"), of(&format!("{name}.cer")), of(&format!("{name}.crl")))
        }
        None => {
            let of = |path: &str| url(&format!("{NOWHERE}/{path}"));
            (of("ocsp"), of("ca.cer"), of("ca.crl"))
        }
    };
    let ocsp = writer::sequence(&[&writer::oid(&oids::OCSP), &ocsp]);
    let issuer = writer::sequence(&[&writer::oid(&oids::CA_ISSUERS), &certificate]);
    let point = writer::sequence(&[&writer::tagged(0, &writer::tagged(0, &list))]);
    [
        extension(oids::AUTHORITY_INFO_ACCESS, false, &writer::sequence(&[&ocsp, &issuer])),
        extension(oids::CRL_DISTRIBUTION_POINTS, false, &writer::sequence(&[&point])),
    ]
}

pub(super) fn extension(oid: Oid, critical: bool, value: &[u8]) -> Vec<u8> {
    let flag = if critical { writer::yes() } else { Vec::new() };
    writer::sequence(&[&writer::oid(&oid), &flag, &writer::octets(value)])
}

/// SHA-1 over the key bits (RFC 5280, 4.2.1.2, method 1).
fn key_id(spki: &[u8]) -> Vec<u8> {
    let mut reader = crate::asn1::Reader::new(spki);
    let bits = reader.sequence("public key").and_then(|mut inner| {
        inner.any("public key")?;
        inner.bits("public key")
    });
    sha1_for_identification(bits.unwrap_or(&[]))
}
