//! Serial signing: the output of one session was the input of the next.

use serde::Serialize;

use super::options::VerifyOptions;
use super::report::VerifyReport;
use super::verify;
use crate::pdf::SharedSource;
use crate::report::Check;

/// What a verification of several files found, from the first session to the last.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct SerialReport {
    /// Every link holds: each file verifies, and builds on the one before it.
    pub ok: bool,
    /// The reports in the order of the files. From the second one on, each compares with the file
    /// before it.
    pub links: Vec<VerifyReport>,
}

impl SerialReport {
    /// The whole report as JSON.
    #[must_use]
    pub fn to_json(&self) -> serde_json::Value {
        serde_json::to_value(self).unwrap_or_default()
    }
}

/// Verifies the results of serial sessions, in the order in which they were signed. The first one
/// is compared with the original of the options, where there is one; an expected signer, reported
/// digests and seals are those of the last one.
#[must_use]
pub fn verify_chain(files: &[SharedSource], options: &VerifyOptions) -> SerialReport {
    let mut links = Vec::new();
    let mut before: Option<&SharedSource> = None;
    for (index, file) in files.iter().enumerate() {
        let is_last = index + 1 == files.len();
        let mut own = options.clone();
        if let Some(before) = before {
            own.original = Some(before.clone());
            own.converted = false;
        }
        if !is_last {
            own.signer = None;
            own.reported = super::ReportedDigests::default();
            own.seals.positions = None;
        }
        links.push(verify(file.clone(), &own));
        before = Some(file);
    }
    if links.is_empty() {
        let check = Check::failed("document", "there are no files to verify");
        links.push(VerifyReport::unreadable(check));
    }
    SerialReport { ok: links.iter().all(|link| link.ok), links }
}
