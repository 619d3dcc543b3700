//! A signature or document timestamp as it stands in the file, before it is judged.

use super::byte_range::{self, Covered};
use super::date;
use super::digests::{Digests, Range};
use super::report::{Coverage, SignatureKind, SignatureReport};
use crate::asn1::Time;
use crate::cms::SignedData;
use crate::crypto::HashAlgorithm;
use crate::pdf::{Document, ObjRef, SignatureField, SignatureValue};
use crate::report::Checks;
use crate::tsp::TimestampToken;

/// A CMS beyond this is not read.
const MAX_CMS: usize = 8 << 20;

/// What `Contents` holds.
pub(super) enum Content {
    Signature(Box<SignedData>),
    Timestamp(Box<TimestampToken>),
    /// Of a form that is not supported: whether it holds is not known.
    Unsupported(String),
    Unreadable(String),
}

pub(super) struct Candidate {
    pub(super) name: String,
    pub(super) value: SignatureValue,
    pub(super) covered: Result<Covered, String>,
    pub(super) content: Content,
    pub(super) is_timestamp: bool,
    /// Its widgets, for where it shows.
    pub(super) widgets: Vec<ObjRef>,
}

impl Candidate {
    pub(super) fn new(document: &Document, field: SignatureField) -> Option<Candidate> {
        let mut value = field.value?;
        let covered = byte_range::check(document, &value);
        let is_timestamp = value.sub_filter == "ETSI.RFC3161";
        let content = read(&value, is_timestamp);
        // Read now, and up to a few megabytes for each signature.
        value.contents = Vec::new();
        let (name, widgets) = (field.name, field.widgets);
        Some(Candidate { name, value, covered, content, is_timestamp, widgets })
    }

    /// The hash function that the digest of the covered bytes is needed with.
    pub(super) fn hash(&self) -> Option<HashAlgorithm> {
        match &self.content {
            Content::Signature(cms) => match cms.signers() {
                [signer] => signer.digest_algorithm().hash().ok(),
                _ => None,
            },
            Content::Timestamp(token) => token.hash().ok(),
            Content::Unsupported(_) | Content::Unreadable(_) => None,
        }
    }

    pub(super) fn range(&self) -> Option<Range> {
        let covered = self.covered.as_ref().ok()?;
        Some(Range { gap: (covered.gap.start, covered.gap.end), end: covered.end })
    }

    pub(super) fn digest(&self, digests: &Digests, hash: HashAlgorithm) -> Option<Vec<u8>> {
        Some(digests.get(hash, self.range()?)?.to_vec())
    }

    pub(super) fn cms(&self) -> Option<&SignedData> {
        match &self.content {
            Content::Signature(cms) => Some(cms),
            Content::Timestamp(token) => Some(token.cms()),
            Content::Unsupported(_) | Content::Unreadable(_) => None,
        }
    }

    /// Position of its revision; `None` when its range is wrong.
    pub(super) fn revision(&self) -> Option<usize> {
        self.covered.as_ref().ok().map(|covered| covered.revision)
    }

    /// The time of the signature dictionary (`M`).
    pub(super) fn dictionary_time(&self) -> Option<Time> {
        date::parse(&self.value.text("M")?)
    }

    /// The report, with the check of what is covered.
    pub(super) fn report(&self) -> SignatureReport {
        let mut checks = Checks::new();
        match &self.covered {
            Ok(covered) if covered.coverage == Coverage::WholeFile => {
                checks.passed("byte_range", "covers the whole file but its own contents");
            }
            Ok(covered) => {
                let detail = format!("covers the file up to byte {}, its revision", covered.end);
                checks.passed("byte_range", detail);
            }
            Err(reason) => checks.failed("byte_range", reason.clone()),
        }
        let covered = self.covered.as_ref().ok();
        let kind = match self.is_timestamp {
            true => SignatureKind::Timestamp,
            false => SignatureKind::Signature,
        };
        SignatureReport {
            field: self.name.clone(),
            kind,
            sub_filter: self.value.sub_filter.clone(),
            revision: self.revision(),
            coverage: covered.map_or(Coverage::Invalid, |c| c.coverage),
            covered_end: covered.map(|c| c.end),
            in_original: false,
            signer: None,
            algorithm: None,
            claimed_time: None,
            proven_time: None,
            judged_at: None,
            level: None,
            chain_fault: None,
            leniencies: Vec::new(),
            checks,
            place: None,
        }
    }
}

fn read(value: &SignatureValue, is_timestamp: bool) -> Content {
    let unreadable = |reason: String| Content::Unreadable(reason);
    if value.contents.len() > MAX_CMS {
        return unreadable(format!("contents are larger than {MAX_CMS} bytes"));
    }
    match value.sub_filter.as_str() {
        _ if is_timestamp => TimestampToken::parse_padded(&value.contents)
            .map_or_else(|e| unreadable(e.to_string()), |t| Content::Timestamp(Box::new(t))),
        "ETSI.CAdES.detached" | "adbe.pkcs7.detached" => SignedData::parse_padded(&value.contents)
            .map_or_else(|e| unreadable(e.to_string()), |cms| Content::Signature(Box::new(cms))),
        "adbe.pkcs7.sha1" | "adbe.x509.rsa_sha1" => Content::Unsupported(format!(
            "the signature is of the form {}, which rests on sha-1 and is not supported",
            value.sub_filter
        )),
        "" => unreadable("the signature does not say of what form it is".to_owned()),
        other => Content::Unsupported(format!(
            "the signature is of the form {:?}; known are ETSI.CAdES.detached, \
             adbe.pkcs7.detached and ETSI.RFC3161",
            other.chars().take(40).collect::<String>()
        )),
    }
}
