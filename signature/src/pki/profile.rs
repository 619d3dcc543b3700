//! What a certificate of the throw-away infrastructure says.

use crate::asn1::{Oid, Time, oids, writer};
use crate::crypto::KeyKind;

/// Whom a certificate names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject(Vec<(Oid, String)>);

impl Subject {
    /// A person, in the form of Norwegian bank certificates:
    /// `CN=Nordmann, Kari, O=TestBank AS, C=NO, serialNumber=UN:NO-9578-6000-4-7, SN=…, GN=…`.
    #[must_use]
    pub fn person(given_name: &str, surname: &str, number: u32) -> Self {
        Self(vec![
            (oids::COMMON_NAME, format!("{surname}, {given_name}")),
            (oids::ORGANIZATION, "TestBank AS".into()),
            (oids::COUNTRY, "NO".into()),
            (oids::SERIAL_NUMBER, format!("UN:NO-9578-6000-4-{number}")),
            (oids::SURNAME, surname.into()),
            (oids::GIVEN_NAME, given_name.into()),
        ])
    }

    /// A merchant: `CN=…, O=…, C=NO, serialNumber=<organisation number>`.
    #[must_use]
    pub fn merchant(name: &str, organisation_number: &str) -> Self {
        Self(vec![
            (oids::COMMON_NAME, name.into()),
            (oids::ORGANIZATION, name.into()),
            (oids::COUNTRY, "NO".into()),
            (oids::SERIAL_NUMBER, organisation_number.into()),
        ])
    }

    /// An authority or service: `CN=…, O=Sandbox Trust (test data), C=NO`.
    #[must_use]
    pub fn service(name: &str) -> Self {
        Self(vec![
            (oids::COMMON_NAME, name.into()),
            (oids::ORGANIZATION, "Sandbox Trust (test data)".into()),
            (oids::COUNTRY, "NO".into()),
        ])
    }

    /// A name from attributes.
    #[must_use]
    pub fn from_attributes(attributes: Vec<(Oid, String)>) -> Self {
        Self(attributes)
    }

    pub(super) fn to_der(&self) -> Vec<u8> {
        writer::sequence_of(self.0.iter().map(|(oid, text)| {
            let value = match *oid {
                oids::COUNTRY | oids::SERIAL_NUMBER if text.is_ascii() => writer::printable(text),
                _ => writer::utf8(text),
            };
            writer::set_of([writer::sequence(&[&writer::oid(oid), &value])])
        }))
    }
}

/// Key usage bits by number (RFC 5280, 4.2.1.3).
pub(super) const DIGITAL_SIGNATURE: u8 = 0;
pub(super) const NON_REPUDIATION: u8 = 1;
pub(super) const KEY_CERT_SIGN: u8 = 5;
pub(super) const CRL_SIGN: u8 = 6;

/// Everything about one certificate to issue. Tests change single fields to make a certificate
/// that must be refused.
#[derive(Clone, Debug)]
pub struct Profile {
    /// Whom it names.
    pub subject: Subject,
    /// The kind of its key.
    pub key: KeyKind,
    /// First moment of validity.
    pub not_before: Time,
    /// Last moment of validity.
    pub not_after: Time,
    /// Set for an authority: the path length limit, when there is one.
    pub authority: Option<Option<u64>>,
    /// Bits of key usage; the extension is left out when empty.
    pub key_usage: Vec<u8>,
    /// Purposes of extended key usage; left out when empty.
    pub purposes: Vec<Oid>,
    /// Further extensions: identifier, critical, value.
    pub extensions: Vec<(Oid, bool, Vec<u8>)>,
}

impl Profile {
    fn new(subject: Subject, key: KeyKind, issued: Time, years: i64) -> Self {
        Self {
            subject,
            key,
            not_before: issued.plus_seconds(-86_400),
            not_after: issued.plus_seconds(years * 365 * 86_400),
            authority: None,
            key_usage: Vec::new(),
            purposes: Vec::new(),
            extensions: Vec::new(),
        }
    }

    /// A person's certificate for signing: nonRepudiation, two years.
    #[must_use]
    pub fn person(subject: Subject, key: KeyKind, issued: Time) -> Self {
        let key_usage = vec![NON_REPUDIATION];
        Self { key_usage, ..Self::new(subject, key, issued, 2) }
    }

    /// A merchant's certificate for signing: digitalSignature and nonRepudiation, two years.
    #[must_use]
    pub fn merchant(subject: Subject, key: KeyKind, issued: Time) -> Self {
        let key_usage = vec![DIGITAL_SIGNATURE, NON_REPUDIATION];
        Self { key_usage, ..Self::new(subject, key, issued, 2) }
    }

    /// An authority with an optional path length limit, ten years.
    #[must_use]
    pub fn authority(subject: Subject, key: KeyKind, issued: Time, path_len: Option<u64>) -> Self {
        let key_usage = vec![KEY_CERT_SIGN, CRL_SIGN];
        Self { key_usage, authority: Some(path_len), ..Self::new(subject, key, issued, 10) }
    }

    /// A responder's certificate: OCSPSigning and id-pkix-ocsp-nocheck, one year.
    #[must_use]
    pub fn responder(subject: Subject, key: KeyKind, issued: Time) -> Self {
        Self {
            key_usage: vec![DIGITAL_SIGNATURE],
            purposes: vec![oids::OCSP_SIGNING],
            extensions: vec![(oids::OCSP_NO_CHECK, false, writer::null())],
            ..Self::new(subject, key, issued, 1)
        }
    }

    /// A time-stamping authority's certificate: timeStamping only, critical, five years.
    #[must_use]
    pub fn timestamping(subject: Subject, key: KeyKind, issued: Time) -> Self {
        Self {
            key_usage: vec![DIGITAL_SIGNATURE],
            purposes: vec![oids::TIME_STAMPING],
            ..Self::new(subject, key, issued, 5)
        }
    }

    /// The same, but out of date since the day before `at`.
    #[must_use]
    pub fn expired_at(mut self, at: Time) -> Self {
        self.not_before = at.plus_seconds(-400 * 86_400);
        self.not_after = at.plus_seconds(-86_400);
        self
    }
}
