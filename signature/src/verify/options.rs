//! What a caller asks of a verification.

use std::fmt;
use std::str::FromStr;

use super::level::Level;
use crate::asn1::Time;
use crate::pdf::SharedSource;
use crate::x509::{Certificate, SignerPurposes, TrustAnchors};

/// What is asked of a verification. The default trusts nobody and compares with nothing, so that
/// nothing verifies with it.
#[derive(Clone, Default)]
pub struct VerifyOptions {
    /// The document as it was sent. It must be a byte prefix of the signed one, and what follows
    /// may hold only what signing needs.
    pub original: Option<SharedSource>,
    /// The service converted the document before it was signed: the bytes that were signed are
    /// not those of `original`. The reported digest of the unsigned document takes its place.
    pub converted: bool,
    /// The digests that the service reported beside the signed document.
    pub reported: ReportedDigests,
    /// Where chains of signers may end. Without any, no chain is checked and nothing is `ok`.
    pub trust: TrustAnchors,
    /// Where chains of timestamp authorities may end; `None` takes those of `trust`.
    pub timestamp_trust: Option<TrustAnchors>,
    /// Further certificates that may stand between a signer and an anchor. They are not trusted.
    pub certificates: Vec<Certificate>,
    /// Who is expected to have signed.
    pub signer: Option<ExpectedSigner>,
    /// Checks that must pass although they are optional otherwise.
    pub require: Vec<Requirement>,
    /// The time of the verification; `None` asks the machine's clock.
    pub at: Option<Time>,
    /// Where visible seals may stand.
    pub seals: SealRules,
    /// The purposes (extended key usage) that a signer's certificate may have.
    pub extended_key_usage: SignerPurposes,
    /// Refuse what is accepted although it deviates from the standards.
    pub strict: bool,
    /// Whether form fields may be filled in between what was sent and a signature.
    pub form_filling: FormFilling,
}

impl fmt::Debug for VerifyOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VerifyOptions")
            .field("has_original", &self.original.is_some())
            .field("converted", &self.converted)
            .field("anchors", &self.trust.certificates().len())
            .field("expects_signer", &self.signer.is_some())
            .field("require", &self.require)
            .field("at", &self.at)
            .field("seals", &self.seals)
            .field("extended_key_usage", &self.extended_key_usage)
            .field("strict", &self.strict)
            .field("form_filling", &self.form_filling)
            .finish_non_exhaustive()
    }
}

/// SHA-256 digests as the service reports them: base64 or hexadecimal.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReportedDigests {
    /// `signedDocumentSha256`: of the whole signed document.
    pub signed_sha256: Option<String>,
    /// `unsignedDocumentSha256`: of the document that was signed, after conversion.
    pub unsigned_sha256: Option<String>,
}

/// Who is expected to have signed. Everything that is given must agree with the certificate of
/// one trusted signature.
///
/// Nothing of it is shown in debug output.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct ExpectedSigner {
    /// The full name: the certificate's common name, or given name and surname in either order.
    /// Case and white space do not matter.
    pub name: Option<String>,
    /// The `serialNumber` of the subject, or a part of it behind a scheme such as `UN:NO-`.
    pub serial_number: Option<String>,
    /// The serial number of the certificate itself, in hexadecimal.
    pub certificate_serial: Option<String>,
    /// Claims of the login's ID token or of its user information, as text. `name`, `given_name`,
    /// `family_name` and the eID's own number (a claim that ends with `_altsub`) are compared;
    /// others say nothing about a certificate and are passed over.
    pub claims: Vec<(String, String)>,
}

impl fmt::Debug for ExpectedSigner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExpectedSigner")
            .field("has_name", &self.name.is_some())
            .field("has_serial_number", &self.serial_number.is_some())
            .field("has_certificate_serial", &self.certificate_serial.is_some())
            .field("claims", &self.claims.len())
            .finish()
    }
}

/// An optional check that must pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Requirement {
    /// Every signature has a trusted time.
    Timestamp,
    /// No certificate was revoked, shown by evidence in the file.
    Revocation,
    /// Every signature reaches this level.
    Level(Level),
    /// Visible seals stand where they were asked for.
    Seals,
    /// Every signer's key is for content commitment (nonRepudiation).
    ContentCommitment,
    /// A trusted timestamp proves since when the container around the file exists.
    ContainerTimestamp,
}

impl FromStr for Requirement {
    type Err = UnknownRequirement;

    /// `timestamp`, `revocation`, `seals`, `content_commitment`, `container_timestamp`, `level`
    /// (the lowest one), or a level: `B-B`, `B-T`, `B-LT`, `B-LTA`.
    fn from_str(text: &str) -> Result<Self, UnknownRequirement> {
        let folded = text.trim().to_ascii_lowercase();
        Ok(match folded.as_str() {
            "timestamp" => Requirement::Timestamp,
            "revocation" => Requirement::Revocation,
            "seals" => Requirement::Seals,
            "content_commitment" => Requirement::ContentCommitment,
            "container_timestamp" => Requirement::ContainerTimestamp,
            "level" => Requirement::Level(Level::BB),
            other => Requirement::Level(
                Level::from_name(other).ok_or_else(|| UnknownRequirement(text.to_owned()))?,
            ),
        })
    }
}

/// A requirement that does not exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownRequirement(String);

impl fmt::Display for UnknownRequirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "require names {:?}: use timestamp, revocation, seals, content_commitment, \
             container_timestamp, level, B-B, B-T, B-LT or B-LTA",
            self.0
        )
    }
}

impl std::error::Error for UnknownRequirement {}

/// Where visible seals may stand.
#[derive(Debug, Clone, PartialEq)]
pub struct SealRules {
    /// The places that were asked for; an empty list says that no seal was asked for. `None` when
    /// it is not known: then seals within the size limit are listed with what they lie over.
    pub positions: Option<Vec<SealPosition>>,
    /// The largest width of a seal, in points.
    pub max_width: f64,
    /// The largest height of a seal, in points.
    pub max_height: f64,
    /// How far a seal's corner may lie from its place, in points.
    pub tolerance: f64,
}

impl Default for SealRules {
    /// Positions unknown, at most 300 by 150 points, a tolerance of 2 points.
    fn default() -> Self {
        SealRules { positions: None, max_width: 300.0, max_height: 150.0, tolerance: 2.0 }
    }
}

/// The upper left corner of a seal, as the service counts: points (1/72 inch) from the upper left
/// corner of the page as it is shown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SealPosition {
    /// Points from the left edge.
    pub x: f64,
    /// Points from the upper edge.
    pub y: f64,
    /// Page number from 1; 0 stands for the first page too.
    pub page: u32,
}

/// Whether form fields may be filled in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FormFilling {
    /// Empty fields that are not read-only may be filled in before a signature covers them. What
    /// was filled in is listed; a value that was there must not change.
    #[default]
    EmptyFields,
    /// No field may change.
    Forbidden,
}
