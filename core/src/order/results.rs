//! What a download brings, and whether it is what the service says it is.

use std::path::PathBuf;

use bytes::Bytes;
use serde_json::{Value, json};
use signdoc_spec::{PadesState, SdoState};

use super::digest::{DigestCheck, Sha256};
use super::extract::{Found, FoundDocument, Piece};
use super::model::{OrderDocument, OrderKind};
use super::pades::PadesDocument;
use super::places::Part;
use crate::document::Document;
use crate::error::{Code, Error, Result};

/// Why a digest that is none is not compared.
const UNREADABLE: &str = "the stated digest cannot be read";

/// A signed PDF and what belongs to it (specification, "PAdES download result").
#[derive(Clone)]
#[non_exhaustive]
pub struct PadesSigned {
    /// The document's position in the order, from 0.
    pub index: usize,
    /// The signed PDF, when it was asked for in memory.
    pub data: Option<Bytes>,
    /// Where the signed PDF was written.
    pub path: Option<PathBuf>,
    /// Size of the signed PDF in bytes.
    pub size: Option<u64>,
    /// What signing appended to the PDF, when it was asked for in memory.
    pub appendix: Option<Bytes>,
    /// Where the appendix was written.
    pub appendix_path: Option<PathBuf>,
    /// The service's description of the document.
    pub description: Option<String>,
    /// SHA-256 of the signed PDF as the service states it, in base64.
    pub signed_sha256: Option<String>,
    /// SHA-256 of the PDF before it was signed as the service states it, in base64.
    pub unsigned_sha256: Option<String>,
    /// Whether the signed PDF has the digest that is stated for it.
    pub signed_check: DigestCheck,
    /// Whether the stated digest of the unsigned PDF is that of what was sent.
    pub unsigned_check: DigestCheck,
}

/// A downloaded PAdES order.
#[derive(Clone)]
#[non_exhaustive]
pub struct PadesDownload {
    /// The order.
    pub sign_id: String,
    /// Its name.
    pub order_name: Option<String>,
    /// Its state when it was downloaded.
    pub order_state: Option<PadesState>,
    /// Its documents, in the order in which they were sent.
    pub documents: Vec<PadesSigned>,
}

/// A signed data object and what belongs to it (specification, "SEID-SDO download result").
#[derive(Clone)]
#[non_exhaustive]
pub struct SdoSigned {
    /// The document's position in the order, from 0.
    pub index: usize,
    /// The signed data object, when it was asked for in memory.
    pub sdo: Option<Bytes>,
    /// Where the signed data object was written.
    pub path: Option<PathBuf>,
    /// Size of the signed data object in bytes.
    pub size: Option<u64>,
    /// The merchant's signature (CMS), when it was asked for in memory.
    pub merchant_signature: Option<Bytes>,
    /// Where the merchant's signature was written.
    pub merchant_signature_path: Option<PathBuf>,
    /// The end user's signature (CMS), when it was asked for in memory.
    pub end_user_signature: Option<Bytes>,
    /// Where the end user's signature was written.
    pub end_user_signature_path: Option<PathBuf>,
    /// SHA-256 of the signed document as the service states it, in base64.
    pub document_hash: Option<String>,
    /// Whether that digest is the one of what was sent.
    pub hash_check: DigestCheck,
}

/// A downloaded SEID-SDO order.
#[derive(Clone)]
#[non_exhaustive]
pub struct SdoDownload {
    /// The order.
    pub sign_id: String,
    /// The client the order belongs to.
    pub client_id: Option<String>,
    /// Its name.
    pub order_name: Option<String>,
    /// Its state when it was downloaded.
    pub order_state: Option<SdoState>,
    /// Its documents, in the order in which they were sent.
    pub documents: Vec<SdoSigned>,
}

/// A download of either kind: what an error carries along, and what a recovery finds.
#[derive(Clone)]
pub enum Download {
    /// A PAdES order's.
    Pades(PadesDownload),
    /// A SEID-SDO order's.
    Sdo(SdoDownload),
}

impl PadesSigned {
    /// The signed PDF as a document of another order, with its description (serial signing).
    ///
    /// # Errors
    /// [`Code::InvalidArgument`] when the order was not asked for `padesSignedPdf`.
    pub fn to_document(&self) -> Result<PadesDocument> {
        let pdf = match (&self.path, &self.data) {
            (Some(path), _) => Document::from_path(path),
            (None, Some(data)) => Document::from_bytes(data.clone()),
            (None, None) => {
                let index = self.index;
                return Err(Error::new(
                    Code::InvalidArgument,
                    format!("documents[{index}] came without its signed PDF; ask for padesSignedPdf in the first order"),
                )
                .with_detail("field", format!("documents[{index}]")));
            }
        };
        Ok(PadesDocument { description: self.description.clone(), ..PadesDocument::new(pdf) })
    }
}

fn shown(path: Option<&PathBuf>) -> Option<String> {
    path.map(|path| path.display().to_string())
}

impl PadesDownload {
    /// Everything but the bytes.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let documents: Vec<_> = self
            .documents
            .iter()
            .map(|one| {
                json!({
                    "index": one.index,
                    "path": shown(one.path.as_ref()),
                    "size": one.size,
                    "appendix_path": shown(one.appendix_path.as_ref()),
                    "description": one.description,
                    "signed_sha256": one.signed_sha256,
                    "unsigned_sha256": one.unsigned_sha256,
                    "signed_check": one.signed_check.as_str(),
                    "unsigned_check": one.unsigned_check.as_str(),
                })
            })
            .collect();
        json!({
            "kind": OrderKind::Pades.as_str(),
            "sign_id": self.sign_id,
            "order_name": self.order_name,
            "order_state": self.order_state.as_ref().map(PadesState::as_str),
            "documents": documents,
        })
    }
}

impl SdoDownload {
    /// Everything but the bytes.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let documents: Vec<_> = self
            .documents
            .iter()
            .map(|one| {
                json!({
                    "index": one.index,
                    "path": shown(one.path.as_ref()),
                    "size": one.size,
                    "merchant_signature_path": shown(one.merchant_signature_path.as_ref()),
                    "end_user_signature_path": shown(one.end_user_signature_path.as_ref()),
                    "document_hash": one.document_hash,
                    "hash_check": one.hash_check.as_str(),
                })
            })
            .collect();
        json!({
            "kind": OrderKind::Sdo.as_str(),
            "sign_id": self.sign_id,
            "client_id": self.client_id,
            "order_name": self.order_name,
            "order_state": self.order_state.as_ref().map(SdoState::as_str),
            "documents": documents,
        })
    }
}

impl Download {
    /// The order.
    #[must_use]
    pub fn sign_id(&self) -> &str {
        match self {
            Self::Pades(download) => &download.sign_id,
            Self::Sdo(download) => &download.sign_id,
        }
    }

    /// Everything but the bytes.
    #[must_use]
    pub fn to_json(&self) -> Value {
        match self {
            Self::Pades(download) => download.to_json(),
            Self::Sdo(download) => download.to_json(),
        }
    }

    /// How many documents there are.
    #[must_use]
    pub fn document_count(&self) -> usize {
        match self {
            Self::Pades(download) => download.documents.len(),
            Self::Sdo(download) => download.documents.len(),
        }
    }

    /// Replaces what the service said in words where `change` has something else.
    pub(crate) fn map_texts(&mut self, change: &dyn Fn(&str) -> Option<String>) {
        let mut texts: Vec<&mut Option<String>> = Vec::new();
        let sign_id = match self {
            Self::Pades(pades) => {
                texts.push(&mut pades.order_name);
                for one in &mut pades.documents {
                    let stated = [&mut one.signed_sha256, &mut one.unsigned_sha256];
                    texts.extend(stated.into_iter().chain([&mut one.description]));
                }
                &mut pades.sign_id
            }
            Self::Sdo(sdo) => {
                texts.extend([&mut sdo.client_id, &mut sdo.order_name]);
                texts.extend(sdo.documents.iter_mut().map(|one| &mut one.document_hash));
                &mut sdo.sign_id
            }
        };
        for text in texts.into_iter().flatten().chain([sign_id]) {
            if let Some(changed) = change(text) {
                *text = changed;
            }
        }
    }

    /// What was found, with every digest compared that can be. `sent` is what is known of the
    /// documents that were sent; nothing when only the `sign_id` is known.
    pub(super) fn new(
        kind: OrderKind,
        sign_id: &str,
        found: Found,
        sent: &[OrderDocument],
    ) -> Self {
        let sign_id = found.sign_id.unwrap_or_else(|| sign_id.to_owned());
        let state = found.order_state;
        let documents = found.documents.into_iter();
        match kind {
            OrderKind::Pades => Self::Pades(PadesDownload {
                sign_id,
                order_name: found.order_name,
                order_state: state.as_deref().map(PadesState::from_text),
                documents: documents.map(|(i, one)| signed_pdf(i, one, sent.get(i))).collect(),
            }),
            OrderKind::Sdo => Self::Sdo(SdoDownload {
                sign_id,
                client_id: found.client_id,
                order_name: found.order_name,
                order_state: state.as_deref().map(SdoState::from_text),
                documents: documents.map(|(i, one)| signed_object(i, one, sent.get(i))).collect(),
            }),
        }
    }

    /// The first digest that differs or is no digest, as an error.
    pub(super) fn check_digests(&self) -> Result<()> {
        let differing = |index: usize, field: &str, check: &DigestCheck| {
            match check {
            DigestCheck::NotCompared(UNREADABLE) => Err(Error::new(
                Code::DownloadIncomplete,
                format!("documents[{index}]: what the service states as {field} is no digest; what arrived is kept"),
            )
            .with_detail("index", index)
            .with_detail("field", field)),
            DigestCheck::Differs { stated, actual } => Err(Error::new(
                Code::DigestMismatch,
                format!("documents[{index}]: the service states {field} {stated}, but here it is {actual}; the files are kept, do not use them as the signed documents"),
            )
            .with_detail("index", index)
            .with_detail("field", field)
            .with_detail("stated", stated.to_base64())
            .with_detail("actual", actual.to_base64())),
            _ => Ok(()),
        }
        };
        match self {
            Self::Pades(download) => download.documents.iter().try_for_each(|one| {
                differing(one.index, "signedDocumentSha256", &one.signed_check)?;
                differing(one.index, "unsignedDocumentSha256", &one.unsigned_check)
            }),
            Self::Sdo(download) => download
                .documents
                .iter()
                .try_for_each(|one| differing(one.index, "documentHash", &one.hash_check)),
        }
    }
}

fn signed_pdf(index: usize, mut one: FoundDocument, sent: Option<&OrderDocument>) -> PadesSigned {
    let document = one.pieces.remove(&Part::Document);
    let appendix = one.pieces.remove(&Part::Appendix);
    let signed_check = match (&document, one.signed.as_deref().map(Sha256::parse)) {
        (_, None) => DigestCheck::NotCompared("the service states no digest"),
        (_, Some(None)) => DigestCheck::NotCompared(UNREADABLE),
        (None, _) => DigestCheck::NotCompared("the signed PDF did not come"),
        (Some(piece), Some(Some(stated))) => DigestCheck::of(stated, piece.sha256),
    };
    let unsigned_check = unsigned_check(one.unsigned.as_deref(), sent, document.as_ref());
    let (data, path, size) = parts(document);
    let (appendix, appendix_path, _) = parts(appendix);
    PadesSigned {
        index,
        data,
        path,
        size,
        appendix,
        appendix_path,
        description: one.description,
        signed_sha256: one.signed.map(uniform),
        unsigned_sha256: one.unsigned.map(uniform),
        signed_check,
        unsigned_check,
    }
}

fn signed_object(index: usize, mut one: FoundDocument, sent: Option<&OrderDocument>) -> SdoSigned {
    let hash_check = unsigned_check(one.unsigned.as_deref(), sent, None);
    let (sdo, path, size) = parts(one.pieces.remove(&Part::Document));
    let (merchant_signature, merchant_signature_path, _) =
        parts(one.pieces.remove(&Part::MerchantSignature));
    let (end_user_signature, end_user_signature_path, _) =
        parts(one.pieces.remove(&Part::EndUserSignature));
    SdoSigned {
        index,
        sdo,
        path,
        size,
        merchant_signature,
        merchant_signature_path,
        end_user_signature,
        end_user_signature_path,
        document_hash: one.unsigned.map(uniform),
        hash_check,
    }
}

fn parts(piece: Option<Piece>) -> (Option<Bytes>, Option<PathBuf>, Option<u64>) {
    match piece {
        Some(Piece { data, path, size, .. }) => (data, path, Some(size)),
        None => (None, None, None),
    }
}

/// Digests are shown in the form of the specification's examples, however they came.
fn uniform(stated: String) -> String {
    Sha256::parse(&stated).map_or(stated, |digest| digest.to_base64())
}

fn unsigned_check(
    stated: Option<&str>,
    sent: Option<&OrderDocument>,
    signed: Option<&Piece>,
) -> DigestCheck {
    let Some(stated) = stated else {
        return DigestCheck::NotCompared("the service states no digest");
    };
    let Some(stated) = Sha256::parse(stated) else {
        return DigestCheck::NotCompared(UNREADABLE);
    };
    match sent {
        Some(OrderDocument { is_converted: true, .. }) => converted_check(stated, signed),
        Some(OrderDocument { sha256_of_utf8: Some(actual), .. }) if stated == *actual => {
            DigestCheck::Matches
        }
        Some(OrderDocument { sha256: Some(actual), .. }) => DigestCheck::of(stated, *actual),
        _ => DigestCheck::NotCompared(
            "it is not known here what was sent; pass the order or the original documents",
        ),
    }
}

/// What was signed is the converted PDF: the first revision of the result.
#[cfg(feature = "signing")]
fn converted_check(stated: Sha256, signed: Option<&Piece>) -> DigestCheck {
    match signed.map(super::pdf::first_revision) {
        Some(Some(digests)) if digests.contains(&stated) => DigestCheck::Matches,
        Some(Some(digests)) => match digests.first() {
            Some(actual) => DigestCheck::of(stated, *actual),
            None => DigestCheck::NotCompared("the first revision of the signed PDF was not found"),
        },
        Some(None) => {
            DigestCheck::NotCompared("the first revision of the signed PDF was not found")
        }
        None => DigestCheck::NotCompared("the signed PDF did not come"),
    }
}

#[cfg(not(feature = "signing"))]
fn converted_check(_: Sha256, _: Option<&Piece>) -> DigestCheck {
    DigestCheck::NotCompared(
        "the document was converted before it was signed, and this build has no PDF reader",
    )
}

impl std::fmt::Debug for PadesSigned {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PadesSigned")
            .field("index", &self.index)
            .field("path", &self.path)
            .field("size", &self.size)
            .finish_non_exhaustive()
    }
}

impl std::fmt::Debug for SdoSigned {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SdoSigned")
            .field("index", &self.index)
            .field("path", &self.path)
            .field("size", &self.size)
            .finish_non_exhaustive()
    }
}

impl std::fmt::Debug for PadesDownload {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "PadesDownload({})", self.to_json())
    }
}

impl std::fmt::Debug for SdoDownload {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SdoDownload({})", self.to_json())
    }
}

impl std::fmt::Debug for Download {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Download({})", self.to_json())
    }
}
