//! Is what came back exactly what was sent, signed by whom it was expected, and nothing else?
//!
//! [`verify`] answers with a report of named checks, each passed, failed or not checked, and a
//! plain verdict. What a file contains is never an error and never a panic, and nothing counts as
//! good that was not looked at.
//!
//! ```
//! use signdoc_signature::verify::{VerifyOptions, verify};
//! use signdoc_signature::x509::TrustAnchors;
//! # use std::sync::Arc;
//! # use bytes::Bytes;
//! # let (signed, original) = (Bytes::from_static(b"no pdf"), Bytes::from_static(b"no pdf"));
//!
//! let options = VerifyOptions {
//!     original: Some(Arc::new(original)),
//!     trust: TrustAnchors::none(), // from_bytes(&std::fs::read("roots.pem")?)?
//!     ..VerifyOptions::default()
//! };
//! let report = verify(Arc::new(signed), &options);
//! if !report.ok {
//!     for check in report.failures() {
//!         println!("{}: {}", check.name, check.detail);
//!     }
//! }
//! assert!(!report.ok);
//! ```
//!
//! The checks of a report:
//!
//! | name | passes when |
//! |---|---|
//! | `document` | the file can be read as a PDF and is not encrypted |
//! | `structure` | its cross-references are sound, so that readers agree about its content |
//! | `integrity` | every signature covers its revision, and the covered bytes are those signed |
//! | `signature` | the value of every signature holds |
//! | `chain` | every signer's certificate leads to an anchor, at the proven time, or else now |
//! | `changes` | later revisions hold only what signing needs, and what signatures permit |
//! | `original` | the original is a prefix, and only what signing needs was added to it |
//! | `unsigned_digest`, `signed_digest` | the digests that the service reported are those of the file |
//! | `seals` | visible seals stand where they were asked for, within the size limit |
//! | `signer` | a trusted signature is by whom it was expected |
//! | `purpose` | every signer's certificate is for signing documents, and its key for commitment |
//! | `content_commitment` | where it is required: every signer's key is for commitment |
//! | `conformance` | nothing was accepted that deviates from the standards |
//! | `timestamp` | a trusted timestamp proves the time of every signature, and none is wrong |
//! | `revocation` | evidence in the file shows that no certificate was revoked |
//! | `level` | every signature reaches the PAdES level that was asked for, or one at all |
//!
//! A container (ASiC-E) of a signed file and its evidence has these before them:
//!
//! | name | passes when |
//! |---|---|
//! | `container` | it is a ZIP file that all readers understand alike, of the right type, within limits |
//! | `manifest` | there is one, and it names exactly the files that are there |
//! | `contents` | every file has the digest that the manifest names |
//! | `container_timestamp` | a trusted timestamp over the manifest proves since when it exists |
//! | `order` | the digest that the service reported is that of the signed file |
//! | `identity` | there are claims of a login that `signer` compares with the certificates |

mod any;
mod bundled;
mod byte_range;
mod cache;
mod candidate;
mod comparison;
mod container;
mod date;
mod digests;
mod evidence;
mod judgement;
mod level;
mod options;
mod outcome;
mod outside;
mod own;
mod places;
mod purpose;
mod report;
mod sdo;
mod serial;
mod signature;
mod signer;
mod survey;
mod time;
mod verdict;
mod words;

use std::io;
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;

pub use crate::compare::{Below, Change, ChangeKind, Changes, Overlap, PageSize, Place};
pub use any::{FileReport, SerialFileReport, is_sdo, verify_file, verify_files};
pub use container::ContainerReport;
pub use level::Level;
pub use options::{
    ExpectedSigner, FormFilling, ReportedDigests, Requirement, SealPosition, SealRules,
    UnknownRequirement, VerifyOptions,
};
pub(crate) use own::check_update;
pub use own::{check_appended, check_field, check_signed};
pub use report::{
    Coverage, JudgedAt, SignatureKind, SignatureReport, SignerReport, TimeProof, VerifyReport,
};
pub use sdo::SdoFileReport;
pub use serial::{SerialReport, verify_chain};
pub use survey::{Link, Survey, survey};
pub use words::{InvalidOption, OPTION_NAMES};

use crate::asn1::Time;
use crate::pdf::{Document, FileSource, Limits, SharedSource, Work};
use crate::report::Check;

/// Units of work that a verification may take besides 32 for each byte of the file: about a second.
const MAX_WORK: u64 = 96 << 20;

/// Verifies a signed document.
///
/// All of it together takes at most a fixed amount of [`Work`] besides a multiple of the file's
/// size. A file that needs more is not compared to its end, and the check `changes` fails and says
/// so.
#[must_use]
pub fn verify(signed: SharedSource, options: &VerifyOptions) -> VerifyReport {
    let work = work_for(signed.len());
    verify_within(signed, options, &work)
}

/// The same for a document in a container.
fn verify_inside(
    signed: SharedSource,
    options: &VerifyOptions,
    outside: &outside::Outside,
) -> VerifyReport {
    let work = work_for(signed.len());
    judged_within(signed, options, &work, outside)
}

fn work_for(len: u64) -> Work {
    Work::new(MAX_WORK.saturating_add(len.saturating_mul(32)))
}

/// Verifies a signed document within an amount of work, or up to a deadline, of your own choice.
#[must_use]
pub fn verify_within(signed: SharedSource, options: &VerifyOptions, work: &Work) -> VerifyReport {
    judged_within(signed, options, work, &outside::Outside::default())
}

fn judged_within(
    signed: SharedSource,
    options: &VerifyOptions,
    work: &Work,
    outside: &outside::Outside,
) -> VerifyReport {
    let source = cache::Cached::over(signed);
    let document = match Document::open_within(source, Limits::default(), work) {
        Ok(document) => document,
        Err(error) => {
            return VerifyReport::unreadable(Check::failed("document", error.to_string()));
        }
    };
    if document.is_encrypted() {
        let detail = "the document is encrypted; what it shows cannot be compared";
        return VerifyReport::unreadable(Check::failed("document", detail));
    }
    let now = options.at.unwrap_or_else(Time::now);
    judgement::run(&document, options, now, outside, None)
}

/// Verifies bytes in memory, which are shared, not copied.
#[must_use]
pub fn verify_bytes(signed: impl Into<Bytes>, options: &VerifyOptions) -> VerifyReport {
    verify(Arc::new(signed.into()), options)
}

/// Verifies the file at `path`. A file that cannot be opened is a failed check, too.
#[must_use]
pub fn verify_path(path: impl AsRef<Path>, options: &VerifyOptions) -> VerifyReport {
    match open(path.as_ref()) {
        Ok(source) => verify(source, options),
        Err(error) => {
            let detail = format!("the file cannot be opened: {error}");
            VerifyReport::unreadable(Check::failed("document", detail))
        }
    }
}

fn open(path: &Path) -> io::Result<SharedSource> {
    Ok(Arc::new(FileSource::open(path)?))
}
