//! Whether a signer's certificate is meant for signing documents: extended key usage (RFC 5280,
//! 4.2.1.12).

use std::fmt;
use std::str::FromStr;

use super::certificate::Certificate;
use crate::asn1::{Oid, oids};

/// Purposes with a name; the others are told by their identifiers.
const NAMED: [(&str, Oid); 10] = [
    ("documentSigning", oids::DOCUMENT_SIGNING),
    ("emailProtection", oids::EMAIL_PROTECTION),
    ("any", oids::ANY_EXTENDED_KEY_USAGE),
    ("clientAuth", oids::CLIENT_AUTH),
    ("codeSigning", oids::CODE_SIGNING),
    ("serverAuth", oids::SERVER_AUTH),
    ("OCSPSigning", oids::OCSP_SIGNING),
    ("timeStamping", oids::TIME_STAMPING),
    ("microsoftDocumentSigning", oids::MICROSOFT_DOCUMENT_SIGNING),
    ("adobeDocumentSigning", oids::ADOBE_DOCUMENT_SIGNING),
];

/// Purposes that say what a document is signed for; accepted without being asked for.
const DOCUMENTS: [Oid; 5] = [
    oids::DOCUMENT_SIGNING,
    oids::EMAIL_PROTECTION,
    oids::ANY_EXTENDED_KEY_USAGE,
    oids::MICROSOFT_DOCUMENT_SIGNING,
    oids::ADOBE_DOCUMENT_SIGNING,
];

/// Purposes of machines and services: nobody who has only these signs documents.
const SERVICES: [Oid; 4] =
    [oids::SERVER_AUTH, oids::OCSP_SIGNING, oids::TIME_STAMPING, oids::CODE_SIGNING];

/// The purposes that a signer's certificate may have.
///
/// The default accepts certificates without extended key usage and those for signing documents
/// (`documentSigning`, `emailProtection`, `any`, and those of Microsoft and Adobe). It refuses
/// those that have only other purposes where the extension is critical, or where all of them are
/// of servers, responders, timestamps or code; what else stands there is told, not refused.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SignerPurposes(Option<Vec<Accepted>>);

/// One thing that is accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accepted {
    /// A certificate without the extension.
    Absent,
    /// One that names this purpose.
    Purpose(Oid),
}

/// What the extension says about signing documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fit {
    /// It is meant for it, or nothing speaks against it.
    Fits(String),
    /// It names other purposes, which do not forbid it.
    Told(String),
    /// It is not meant for it.
    Unfit(String),
}

impl SignerPurposes {
    /// Accepts these and no others.
    #[must_use]
    pub fn only(accepted: Vec<Accepted>) -> Self {
        Self(Some(accepted))
    }

    /// Accepts one more, and from now on no others than those named.
    pub fn add(&mut self, accepted: Accepted) {
        self.0.get_or_insert_default().push(accepted);
    }

    /// Looks at a certificate.
    #[must_use]
    pub fn judge(&self, certificate: &Certificate) -> Fit {
        let Some(purposes) = certificate.extensions().extended_key_usage() else {
            return match &self.0 {
                Some(accepted) if !accepted.contains(&Accepted::Absent) => {
                    Fit::Unfit("the certificate has no extended key usage".into())
                }
                _ => Fit::Fits("any extended key usage".into()),
            };
        };
        let accepts = |purpose: &&Oid| match &self.0 {
            Some(accepted) => accepted.contains(&Accepted::Purpose(**purpose)),
            None => DOCUMENTS.contains(*purpose),
        };
        if let Some(purpose) = purposes.iter().find(accepts) {
            return Fit::Fits(format!("extended key usage {}", shown(*purpose)));
        }
        let extension = certificate.extensions().get(oids::EXTENDED_KEY_USAGE);
        let is_critical = extension.is_some_and(|extension| extension.critical);
        let names: Vec<String> = purposes.iter().take(8).map(|purpose| shown(*purpose)).collect();
        let detail = format!("the certificate is for {} only", names.join(", "));
        let only_services = purposes.iter().all(|purpose| SERVICES.contains(purpose));
        match self.0.is_some() || is_critical || only_services {
            true => Fit::Unfit(detail),
            false => Fit::Told(detail),
        }
    }
}

fn shown(purpose: Oid) -> String {
    let named = NAMED.iter().find(|(_, oid)| *oid == purpose);
    named.map_or_else(|| purpose.to_string(), |(name, _)| (*name).to_owned())
}

/// A purpose that cannot be understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownPurpose(String);

impl fmt::Display for UnknownPurpose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known: Vec<&str> = NAMED.iter().map(|(name, _)| *name).collect();
        let text: String = self.0.chars().take(60).collect();
        write!(
            f,
            "{text:?} is no purpose: use absent, {}, or an identifier such as 1.3.6.1.5.5.7.3.36",
            known.join(", ")
        )
    }
}

impl std::error::Error for UnknownPurpose {}

impl FromStr for Accepted {
    type Err = UnknownPurpose;

    /// `absent`, a name such as `documentSigning` (case ignored), or a dotted identifier.
    fn from_str(text: &str) -> Result<Self, UnknownPurpose> {
        let text = text.trim();
        if text.eq_ignore_ascii_case("absent") {
            return Ok(Self::Absent);
        }
        let named = NAMED.iter().find(|(name, _)| name.eq_ignore_ascii_case(text));
        if let Some((_, oid)) = named {
            return Ok(Self::Purpose(*oid));
        }
        let oid: Result<Oid, _> = text.parse();
        oid.map(Self::Purpose).map_err(|_| UnknownPurpose(text.to_owned()))
    }
}
