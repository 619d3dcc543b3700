//! The parts of a download, whatever its kind: what each is called, and where it is.

use std::path::PathBuf;

use bytes::Bytes;
use signdoc::Download;
use signdoc::spec::values::{BASIC_SIGNATURE, PADES_APPENDIX, PADES_SIGNED_PDF, SDO};

/// One stream of bytes of a download.
pub(super) struct Part<'a> {
    /// The document's position, from 0.
    pub(super) index: usize,
    /// What asks for it (`resultContent`).
    pub(super) asked_as: &'static str,
    /// Its name for programs.
    pub(super) key: &'static str,
    /// Its name for people.
    pub(super) what: &'static str,
    pub(super) suffix: &'static str,
    pub(super) path: Option<&'a PathBuf>,
    pub(super) data: Option<&'a Bytes>,
    /// Size in bytes, where it is told.
    pub(super) size: Option<u64>,
}

/// Whether this is a result that files are made of.
pub(super) fn is_of_files(asked: &str) -> bool {
    [PADES_SIGNED_PDF, PADES_APPENDIX, SDO, BASIC_SIGNATURE].contains(&asked)
}

/// All parts there can be, whether they came or not.
pub(super) fn parts(download: &Download) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    match download {
        Download::Pades(download) => {
            for one in &download.documents {
                parts.push(Part {
                    index: one.index,
                    asked_as: PADES_SIGNED_PDF,
                    key: "document",
                    what: "the signed PDF",
                    suffix: ".pdf",
                    path: one.path.as_ref(),
                    data: one.data.as_ref(),
                    size: one.size,
                });
                parts.push(Part {
                    index: one.index,
                    asked_as: PADES_APPENDIX,
                    key: "appendix",
                    what: "the appendix",
                    suffix: ".appendix",
                    path: one.appendix_path.as_ref(),
                    data: one.appendix.as_ref(),
                    size: None,
                });
            }
        }
        Download::Sdo(download) => {
            for one in &download.documents {
                parts.push(Part {
                    index: one.index,
                    asked_as: SDO,
                    key: "document",
                    what: "the signed data object",
                    suffix: ".sdo",
                    path: one.path.as_ref(),
                    data: one.sdo.as_ref(),
                    size: one.size,
                });
                parts.push(Part {
                    index: one.index,
                    asked_as: BASIC_SIGNATURE,
                    key: "merchant_signature",
                    what: "the merchant's signature",
                    suffix: ".merchant.p7s",
                    path: one.merchant_signature_path.as_ref(),
                    data: one.merchant_signature.as_ref(),
                    size: None,
                });
                parts.push(Part {
                    index: one.index,
                    asked_as: BASIC_SIGNATURE,
                    key: "end_user_signature",
                    what: "the end user's signature",
                    suffix: ".enduser.p7s",
                    path: one.end_user_signature_path.as_ref(),
                    data: one.end_user_signature.as_ref(),
                    size: None,
                });
            }
        }
    }
    parts
}
