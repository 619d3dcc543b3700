//! What the interface tells: about itself, and about credentials.

use std::fmt;
use std::ops::Range;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use signdoc_signature::asn1::Time;
pub use signdoc_signature::crypto::HashAlgorithm;
use signdoc_signature::crypto::{Algorithm, KeyKind};
use signdoc_signature::x509::Certificate;
use signdoc_spec::limits::CSC_HASHES_MAX;

use crate::error::{Code, Error, Result};

/// How an RSA key signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Padding {
    /// RSASSA-PKCS1-v1_5 (RFC 8017).
    Pkcs1,
    /// RSASSA-PSS (RFC 8017), MGF1 with the same hash function, the salt as long as the hash.
    Pss,
}

impl Padding {
    /// The padding of this name: `pkcs1` or `pss`.
    ///
    /// # Errors
    /// [`Code::InvalidArgument`] for another name.
    pub fn named(name: &str) -> Result<Self> {
        match name {
            "pkcs1" => Ok(Self::Pkcs1),
            "pss" => Ok(Self::Pss),
            _ => Err(Error::new(
                Code::InvalidArgument,
                format!("padding is {name:?}; pass pkcs1 or pss"),
            )
            .with_detail("field", "padding")),
        }
    }
}

/// The hash function of this name: `sha256`, `sha384` or `sha512`.
///
/// # Errors
/// [`Code::CscInvalidHashAlgorithm`] for another name, which is what the service would say.
pub fn hash_algorithm(name: &str) -> Result<HashAlgorithm> {
    HashAlgorithm::from_name(name).ok_or_else(|| {
        Error::new(
            Code::CscInvalidHashAlgorithm,
            format!("hash_algorithm is {name:?}; pass sha256, sha384 or sha512"),
        )
        .with_detail("field", "hash_algorithm")
    })
}

/// What the interface says of itself (CSC API v2, info).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CscInfo {
    /// The name of the service.
    pub name: Option<String>,
    /// The version of the CSC API it speaks.
    pub specs: Option<String>,
    /// Where it is operated (ISO 3166-1 alpha-2).
    pub region: Option<String>,
    /// The language of its answers.
    pub lang: Option<String>,
    /// What it is.
    pub description: Option<String>,
    /// How users log in (`oauth2code`, ...).
    pub auth_types: Vec<String>,
    /// The methods it has (`credentials/list`, ...).
    pub methods: Vec<String>,
    /// The whole answer.
    pub raw: Value,
}

impl CscInfo {
    pub(super) fn parse(raw: Value) -> Result<Self> {
        if !raw.is_object() {
            return Err(no_object("csc info"));
        }
        Ok(Self {
            name: text(&raw, "name"),
            specs: text(&raw, "specs"),
            region: text(&raw, "region"),
            lang: text(&raw, "lang"),
            description: text(&raw, "description"),
            auth_types: texts(raw.get("authType")),
            methods: texts(raw.get("methods")),
            raw,
        })
    }
}

/// One of the user's credentials (CSC API v2, credentials/list).
///
/// Names and numbers in its certificate are personal data: they are not in its debug output.
#[derive(Clone)]
#[non_exhaustive]
pub struct Credential {
    /// The identifier, for this session.
    pub credential_id: String,
    /// What it is called.
    pub description: Option<String>,
    /// `enabled` or `disabled`.
    pub key_status: Option<String>,
    /// The identifiers (OIDs) of what the key can do.
    pub key_algorithms: Vec<String>,
    /// The length of the key in bits.
    pub key_length: Option<u64>,
    /// `valid`, `expired`, `revoked` or `suspended`.
    pub certificate_status: Option<String>,
    /// The certificate and its issuers, in DER, the user's own first.
    pub certificates: Vec<Vec<u8>>,
    /// How many signatures one authorization may cover.
    pub multisign: Option<u64>,
    /// All that was told.
    pub raw: Value,
}

impl fmt::Debug for Credential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credential")
            .field("credential_id", &self.credential_id)
            .field("key_status", &self.key_status)
            .field("certificate_status", &self.certificate_status)
            .finish_non_exhaustive()
    }
}

/// A credential's certificates, read.
#[derive(Clone, Debug)]
pub struct Certificates {
    /// The user's own.
    pub signer: Certificate,
    /// Those of the issuers, without a root.
    pub issuers: Vec<Certificate>,
}

impl Credential {
    /// The credentials of an answer; those that are only named have nothing but a name.
    pub(super) fn list(answer: &Value, what: &str) -> Result<Vec<Self>> {
        let infos = match answer.get("credentialInfos") {
            Some(Value::Array(infos)) => infos.iter().collect(),
            Some(info @ Value::Object(_)) => vec![info],
            _ => Vec::new(),
        };
        let named = answer.get("credentialIDs");
        if infos.is_empty() && !matches!(named, Some(Value::Array(_) | Value::String(_))) {
            return Err(Error::new(
                Code::MissingField,
                format!("{what}: the answer has neither credentialIDs nor credentialInfos"),
            )
            .with_detail("field", "credentialIDs"));
        }
        let ids: Vec<_> = texts(named).into_iter().filter(|id| !id.is_empty()).collect();
        // Details that do not say whose they are belong to the name at their place.
        let own = |(index, info): (usize, &Value)| match info.get("credentialID") {
            Some(Value::String(id)) if !id.is_empty() => Self::parse_as(id, info),
            _ => Self::parse_as(ids.get(index).filter(|_| ids.len() == infos.len())?, info),
        };
        let mut found: Vec<Self> = infos.iter().copied().enumerate().filter_map(own).collect();
        for id in ids {
            if !found.iter().any(|credential| credential.credential_id == id) {
                found.extend(Self::parse_as(&id, &serde_json::json!({"credentialID": id})));
            }
        }
        if found.is_empty() {
            return Err(Error::new(
                Code::CscCredentialNotFound,
                format!("{what}: no credentials are available to this user"),
            ));
        }
        Ok(found)
    }

    /// The one of this name, or the first.
    pub(super) fn chosen<'a>(all: &'a [Self], id: Option<&str>) -> Result<&'a Self> {
        let found = match id {
            None => all.first(),
            Some(id) => all.iter().find(|one| one.credential_id == id),
        };
        found.ok_or_else(|| {
            Error::new(
                Code::CscCredentialNotFound,
                format!("credential {} is not in this session's list", id.unwrap_or_default()),
            )
            .with_detail("field", "credential_id")
        })
    }

    fn parse_as(id: &str, raw: &Value) -> Option<Self> {
        if !raw.is_object() {
            return None;
        }
        let (key, cert) = (raw.get("key"), raw.get("cert"));
        let within = |object: Option<&Value>, name: &str| object.and_then(|o| text(o, name));
        let number = |object: Option<&Value>, name: &str| match object?.get(name)? {
            Value::String(text) => text.parse().ok(),
            number => number.as_u64(),
        };
        let certificates = texts(cert.and_then(|cert| cert.get("certificates")));
        Some(Self {
            credential_id: id.to_owned(),
            description: text(raw, "description"),
            key_status: within(key, "status"),
            key_algorithms: texts(key.and_then(|key| key.get("algo"))),
            key_length: number(key, "len"),
            certificate_status: within(cert, "status"),
            certificates: certificates.iter().filter_map(|text| base64_of(text)).collect(),
            multisign: number(Some(raw), "multisign"),
            raw: raw.clone(),
        })
    }

    /// Whether nothing but its name came.
    pub(super) fn is_only_named(&self) -> bool {
        self.raw.get("key").is_none() && self.raw.get("cert").is_none()
    }

    /// Its certificates.
    ///
    /// # Errors
    /// [`Code::CscCertificateNotFound`] when none came along or it cannot be read.
    pub fn certificates(&self) -> Result<Certificates> {
        let missing = |why: String| {
            Error::new(
                Code::CscCertificateNotFound,
                format!("credential {}: {why}", self.credential_id),
            )
        };
        let mut parsed = self.certificates.iter().map(|der| Certificate::from_der(der));
        let signer = parsed
            .next()
            .ok_or_else(|| missing("no certificate came along".to_owned()))?
            .map_err(|error| missing(format!("its certificate cannot be read: {error}")))?;
        let issuers = parsed.filter_map(std::result::Result::ok);
        Ok(Certificates { signer, issuers: issuers.filter(|c| !c.is_self_issued()).collect() })
    }

    /// Refuses what the service would refuse: a locked key, a certificate that is not valid now.
    pub(super) fn check(&self, now: Time) -> Result<()> {
        let refuse = |code: Code, why: &str| {
            let told = format!("credential {}: {why}", self.credential_id);
            Err(Error::new(code, told).with_detail("credential_id", self.credential_id.as_str()))
        };
        if self.key_status.as_deref() == Some("disabled") {
            return refuse(Code::CscCredentialLocked, "its key is disabled");
        }
        match self.certificate_status.as_deref() {
            Some("expired") => {
                return refuse(Code::CscCertificateExpired, "its certificate has expired");
            }
            Some("revoked") => {
                return refuse(Code::CscCertificateRevoked, "its certificate is revoked");
            }
            Some("suspended") => {
                return refuse(Code::CscCredentialLocked, "its certificate is suspended");
            }
            _ => {}
        }
        if let Ok(certificates) = self.certificates()
            && now > certificates.signer.not_after()
        {
            return refuse(Code::CscCertificateExpired, "its certificate has expired");
        }
        Ok(())
    }

    /// How this credential signs hashes of this kind.
    pub(super) fn algorithm(
        &self,
        hash: HashAlgorithm,
        padding: Option<Padding>,
    ) -> Result<SignAlgorithm> {
        let certificates = self.certificates()?;
        let key = certificates.signer.public_key().map_err(|error| {
            Error::new(Code::CscInvalidSignatureFormat, format!("the certificate's {error}"))
        })?;
        let candidates = candidates(key.kind(), hash, padding);
        // A credential that does not say what it can do is taken at the first that fits its key.
        let offered = |candidate: &&SignAlgorithm| {
            self.key_algorithms.is_empty()
                || self.key_algorithms.iter().any(|oid| oid.trim() == candidate.oid)
        };
        candidates.iter().find(offered).cloned().ok_or_else(|| {
            let wanted = candidates.iter().map(|c| c.oid).collect::<Vec<_>>().join(", ");
            Error::new(
                Code::CscInvalidSignatureFormat,
                format!(
                    "credential {} signs with {}; for {hash} one of {wanted} is needed",
                    self.credential_id,
                    self.key_algorithms.join(", ")
                ),
            )
            .with_detail("field", "signAlgo")
        })
    }
}

/// What goes into `signAlgo`, and how the value is checked.
#[derive(Clone, Debug)]
pub(super) struct SignAlgorithm {
    pub oid: &'static str,
    /// DER of the parameters (`signAlgoParams`), for PSS.
    pub parameters: Option<Vec<u8>>,
    pub algorithm: Algorithm,
}

const RSA: &str = "1.2.840.113549.1.1.1";
const RSA_PSS: &str = "1.2.840.113549.1.1.10";

/// The identifiers for a key and hash function, the best first.
fn candidates(kind: KeyKind, hash: HashAlgorithm, padding: Option<Padding>) -> Vec<SignAlgorithm> {
    let plain = |oid, algorithm| SignAlgorithm { oid, parameters: None, algorithm };
    let (rsa, ecdsa) = match hash {
        HashAlgorithm::Sha256 => ("1.2.840.113549.1.1.11", "1.2.840.10045.4.3.2"),
        HashAlgorithm::Sha384 => ("1.2.840.113549.1.1.12", "1.2.840.10045.4.3.3"),
        HashAlgorithm::Sha512 => ("1.2.840.113549.1.1.13", "1.2.840.10045.4.3.4"),
        // Checked where others used it, never asked for.
        HashAlgorithm::Sha3_256 | HashAlgorithm::Sha3_384 | HashAlgorithm::Sha3_512 => {
            return vec![];
        }
    };
    match kind {
        KeyKind::P256 => vec![plain(ecdsa, Algorithm::EcdsaP256(hash))],
        KeyKind::P384 => vec![plain(ecdsa, Algorithm::EcdsaP384(hash))],
        KeyKind::Ec(_) | KeyKind::Ed25519 => vec![],
        KeyKind::Rsa(_) => {
            let pss = SignAlgorithm {
                oid: RSA_PSS,
                parameters: pss_parameters(hash),
                algorithm: Algorithm::RsaPss(hash),
            };
            let pkcs1 = Algorithm::RsaPkcs1(hash);
            match padding {
                Some(Padding::Pss) => vec![pss],
                Some(Padding::Pkcs1) => vec![plain(rsa, pkcs1), plain(RSA, pkcs1)],
                None => vec![plain(rsa, pkcs1), plain(RSA, pkcs1), pss],
            }
        }
    }
}

/// RSASSA-PSS-params (RFC 8017, A.2.3): the second element of the AlgorithmIdentifier.
fn pss_parameters(hash: HashAlgorithm) -> Option<Vec<u8>> {
    use signdoc_signature::asn1::Reader;
    use signdoc_signature::crypto::AlgorithmIdentifier;
    let identifier = Algorithm::RsaPss(hash).to_der();
    AlgorithmIdentifier::read(&mut Reader::new(&identifier), "algorithm").ok()?.parameters
}

/// Splits `total` hashes into sessions of at most 50: each range needs a login of its own.
///
/// ```
/// assert_eq!(signdoc::csc::plan(120), [0..50, 50..100, 100..120]);
/// ```
#[must_use]
pub fn plan(total: usize) -> Vec<Range<usize>> {
    (0..total)
        .step_by(CSC_HASHES_MAX)
        .map(|start| start..total.min(start + CSC_HASHES_MAX))
        .collect()
}

/// Base64 as it may be written: with line breaks, with or without padding.
pub(super) fn base64_of(text: &str) -> Option<Vec<u8>> {
    let compact: String = text.chars().filter(|c| !c.is_ascii_whitespace()).collect::<String>();
    let padded = format!(
        "{:=<1$}",
        compact.trim_end_matches('='),
        compact.trim_end_matches('=').len().div_ceil(4) * 4
    );
    STANDARD.decode(padded).ok().filter(|bytes| !bytes.is_empty())
}

fn no_object(what: &str) -> Error {
    Error::new(Code::MalformedAnswer, format!("{what}: the answer is no JSON object"))
}

fn text(value: &Value, name: &str) -> Option<String> {
    value.get(name).and_then(Value::as_str).map(str::to_owned)
}

/// An array of texts, or one text alone.
pub(super) fn texts(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::Array(items)) => {
            items.iter().filter_map(Value::as_str).map(str::to_owned).collect()
        }
        Some(Value::String(text)) => vec![text.clone()],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_read_as_it_is_written() {
        for text in ["AQIDBA==", "AQIDBA", "AQ\nIDBA=\r\n="] {
            assert_eq!(base64_of(text).unwrap(), [1, 2, 3, 4], "{text:?}");
        }
        assert_eq!(base64_of("A*"), None);
        assert_eq!(base64_of(""), None);
    }

    #[test]
    fn a_list_without_details_still_names_its_credentials() {
        let answer = serde_json::json!({"credentialIDs": ["a", "b"],
            "credentialInfos": [{"credentialID": "b", "multisign": "5"}]});
        let found = Credential::list(&answer, "list").unwrap();
        let ids: Vec<_> = found.iter().map(|c| (c.credential_id.as_str(), c.multisign)).collect();
        assert_eq!(ids, [("b", Some(5)), ("a", None)]);
        assert_eq!(found[0].certificates().unwrap_err().code(), Code::CscCertificateNotFound);
        let empty = Credential::list(&serde_json::json!({"credentialIDs": []}), "list");
        assert_eq!(empty.unwrap_err().code(), Code::CscCredentialNotFound);
    }

    #[test]
    fn pss_parameters_are_a_sequence() {
        assert_eq!(pss_parameters(HashAlgorithm::Sha256).unwrap()[0], 0x30);
    }
}
