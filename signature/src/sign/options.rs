//! What a caller chooses.

use super::seal::Seal;
use crate::asn1::Time;

/// Room for the CMS where the caller does not know its size: enough for a chain of three
/// certificates, a timestamp and embedded revocation answers.
pub const DEFAULT_RESERVE: usize = 16 * 1024;

/// How the signature is encoded (ISO 32000-2, table 260; ETSI EN 319 142-1, 6.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum SubFilter {
    /// `ETSI.CAdES.detached`, the PAdES form.
    #[default]
    EtsiCadesDetached,
    /// `adbe.pkcs7.detached`, the older form of ISO 32000-1.
    AdbePkcs7Detached,
}

impl SubFilter {
    /// The name that stands in the signature dictionary.
    pub fn name(self) -> &'static str {
        match self {
            SubFilter::EtsiCadesDetached => "ETSI.CAdES.detached",
            SubFilter::AdbePkcs7Detached => "adbe.pkcs7.detached",
        }
    }
}

/// What a certification signature lets others do (ISO 32000-2, table 257).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Certification {
    /// No changes but validation data and document timestamps.
    NoChanges,
    /// Filling in forms and signing.
    FormFilling,
    /// The same and annotations.
    Annotations,
}

impl Certification {
    /// The value of `P`.
    pub fn permission(self) -> i64 {
        match self {
            Certification::NoChanges => 1,
            Certification::FormFilling => 2,
            Certification::Annotations => 3,
        }
    }
}

/// How a document is prepared for a signature.
#[derive(Debug, Clone, PartialEq)]
pub struct PrepareOptions {
    /// Name of the signature field. An empty signature field of this name is filled; otherwise a
    /// field is added. `None` adds one with a name that is not in use (`Signature1` ...).
    pub field_name: Option<String>,
    /// Why the document is signed (`Reason`).
    pub reason: Option<String>,
    /// Where it is signed (`Location`).
    pub location: Option<String>,
    /// The signer's name (`Name`).
    pub name: Option<String>,
    /// How to reach the signer (`ContactInfo`).
    pub contact_info: Option<String>,
    /// The time the signer claims (`M`), which PAdES wants here and not in the CMS.
    pub time: Option<Time>,
    /// The encoding.
    pub sub_filter: SubFilter,
    /// A visible seal; `None` signs invisibly.
    pub seal: Option<Seal>,
    /// Bytes kept free for the CMS: at least its size, 512 to 4 MiB.
    pub reserve: usize,
    /// Makes this a certification signature, which must be the document's first one.
    pub certification: Option<Certification>,
}

impl Default for PrepareOptions {
    fn default() -> Self {
        PrepareOptions {
            field_name: None,
            reason: None,
            location: None,
            name: None,
            contact_info: None,
            time: None,
            sub_filter: SubFilter::default(),
            seal: None,
            reserve: DEFAULT_RESERVE,
            certification: None,
        }
    }
}

/// How a document is prepared for a document timestamp.
#[derive(Debug, Clone, PartialEq)]
pub struct TimestampOptions {
    /// Name of the field; `None` takes one that is not in use (`Timestamp1` ...).
    pub field_name: Option<String>,
    /// Bytes kept free for the timestamp token: 512 to 4 MiB.
    pub reserve: usize,
}

impl Default for TimestampOptions {
    fn default() -> Self {
        TimestampOptions { field_name: None, reserve: DEFAULT_RESERVE }
    }
}
