//! Whether an answer brought all that was asked for: only then is the raw answer superfluous.

use std::collections::BTreeSet;

use signdoc_spec::values::{BASIC_SIGNATURE, DOCUMENT_HASH, PADES_APPENDIX, PADES_SIGNED_PDF, SDO};

use super::download::DOWNLOAD;
use super::extract::{Found, FoundDocument};
use super::model::{OrderDocument, OrderKind};
use super::places::Part;
use super::results::Download;
use super::state::Phase;
use crate::error::{Code, Error, Result};

/// The status that the specification gives a download.
const COMPLETE: u16 = 200;

/// What an order was asked for, in terms of what its download must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Wanted {
    parts: Vec<Part>,
    digests: bool,
}

impl Wanted {
    /// From `resultContent`; `None` where it is not known what was asked for.
    pub(super) fn of(results: &[String]) -> Option<Self> {
        if results.is_empty() {
            return None;
        }
        let mut wanted = Self::default();
        for result in results {
            match result.as_str() {
                PADES_SIGNED_PDF | SDO => wanted.parts.push(Part::Document),
                PADES_APPENDIX => wanted.parts.push(Part::Appendix),
                BASIC_SIGNATURE => {
                    wanted.parts.extend([Part::MerchantSignature, Part::EndUserSignature]);
                }
                DOCUMENT_HASH => wanted.digests = true,
                _ => {}
            }
        }
        Some(wanted)
    }

    /// The parts of each document that a file is made of.
    pub(super) fn parts(&self) -> &[Part] {
        &self.parts
    }
}

/// What is known of the order whose answer is judged.
pub(super) struct Asked<'a> {
    pub kind: OrderKind,
    pub sign_id: &'a str,
    pub documents: &'a [OrderDocument],
    pub wanted: Option<&'a Wanted>,
    /// The status of the answer, where it is known.
    pub status: Option<u16>,
}

impl Asked<'_> {
    /// Refuses an answer that may hold more than was taken out of it, or something else.
    ///
    /// # Errors
    /// [`Code::OrderDeleted`] for one that holds nothing and says why; [`Code::UnexpectedStatus`],
    /// [`Code::MalformedAnswer`], [`Code::ResultCount`], [`Code::DownloadIncomplete`] and
    /// [`Code::DigestMismatch`] where it has to be kept.
    pub(super) fn judge(&self, found: &Found, download: &Download) -> Result<()> {
        self.check_status()?;
        self.check_order(found)?;
        self.check_count(found)?;
        for (index, document) in &found.documents {
            self.check_parts(*index, document)?;
        }
        self.check_alike(found)?;
        if self.wanted.is_none() && found.unexplained > 0 {
            return Err(incomplete(
                format!(
                    "the answer holds {} values that are no known result and long enough to be one, and it is not known here what was asked for; pass the order itself",
                    found.unexplained
                ),
                "unknown",
            ));
        }
        if let Some(field) = &found.doubled {
            return Err(incomplete(
                format!("the answer holds {field} twice, with different content"),
                field,
            ));
        }
        if self.wanted.is_some_and(|wanted| wanted.digests) {
            for (index, document) in &found.documents {
                self.check_digest_is_stated(*index, document)?;
            }
        }
        download.check_digests()
    }

    fn check_status(&self) -> Result<()> {
        match self.status {
            None | Some(COMPLETE) => Ok(()),
            Some(status) => Err(Error::new(
                Code::UnexpectedStatus,
                format!("{DOWNLOAD}: the answer has the status {status} instead of {COMPLETE}; what arrived is kept"),
            )
            .with_status(status)),
        }
    }

    fn check_order(&self, found: &Found) -> Result<()> {
        match &found.sign_id {
            Some(other) if !other.eq_ignore_ascii_case(self.sign_id) => Err(Error::new(
                Code::MalformedAnswer,
                format!(
                    "{DOWNLOAD}: the answer is for the order {other:?}, not for the one asked for; what arrived is kept"
                ),
            )),
            _ => Ok(()),
        }
    }

    fn check_count(&self, found: &Found) -> Result<()> {
        let (count, expected) = (found.documents.len(), self.documents.len());
        if count == 0 {
            let state = found.order_state.as_deref().map(Phase::of);
            // An order that is not done has no results to hand out, and says so.
            if found.unexplained == 0 && state.is_some_and(|state| state != Phase::Completed) {
                return Err(Error::new(
                    Code::OrderDeleted,
                    format!(
                        "{DOWNLOAD}: the service deleted the order in the state {} and handed out no document",
                        found.order_state.as_deref().unwrap_or_default()
                    ),
                ));
            }
            return Err(incomplete("the answer holds no document".to_owned(), self.list()));
        }
        if expected > 0 && count != expected {
            return Err(Error::new(
                Code::ResultCount,
                format!("{DOWNLOAD}: the order has {expected} documents, but {count} came; those that came are kept"),
            )
            .with_detail("limit", expected)
            .with_detail("actual", count));
        }
        Ok(())
    }

    fn check_parts(&self, index: usize, document: &FoundDocument) -> Result<()> {
        let Some(wanted) = self.wanted else {
            // Something of it must be there; what, only the order knows.
            if document.pieces.is_empty() {
                return Err(self.missing(index, Part::Document));
            }
            return Ok(());
        };
        let missing = wanted.parts.iter().find(|part| !document.pieces.contains_key(part));
        missing.map_or(Ok(()), |part| Err(self.missing(index, *part)))
    }

    /// Where it is not known what was asked for: of every document the same.
    fn check_alike(&self, found: &Found) -> Result<()> {
        if self.wanted.is_some() {
            return Ok(());
        }
        let parts: BTreeSet<Part> =
            found.documents.values().flat_map(|one| one.pieces.keys().copied()).collect();
        let missing = found.documents.iter().find_map(|(index, one)| {
            let part = parts.iter().find(|part| !one.pieces.contains_key(part))?;
            Some(self.missing(*index, *part))
        });
        missing.map_or(Ok(()), Err)
    }

    fn missing(&self, index: usize, part: Part) -> Error {
        let field = part.field(self.kind, index);
        incomplete(format!("{field} did not come, or cannot be read"), &field)
            .with_detail("index", index)
    }

    /// A digest that is stated has to be one; `documentHash` means that one is stated.
    fn check_digest_is_stated(&self, index: usize, document: &FoundDocument) -> Result<()> {
        if document.signed.is_some() || document.unsigned.is_some() {
            return Ok(());
        }
        let field = match self.kind {
            OrderKind::Pades => format!("signingResults[{index}].signedDocumentSha256"),
            OrderKind::Sdo => format!("documentHashes[{index}]"),
        };
        Err(incomplete(
            format!("{field} did not come, although documentHash was asked for"),
            &field,
        )
        .with_detail("index", index))
    }

    fn list(&self) -> &'static str {
        match self.kind {
            OrderKind::Pades => "signingResults",
            OrderKind::Sdo => "sdos",
        }
    }
}

fn incomplete(why: String, field: &str) -> Error {
    Error::new(Code::DownloadIncomplete, format!("{DOWNLOAD}: {why}; what arrived is kept"))
        .with_detail("field", field)
}
