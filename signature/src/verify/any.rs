//! Signed files of either kind, told by how they begin.

use super::container::{self, ContainerReport};
use super::options::VerifyOptions;
use super::outside::Outside;
use super::report::VerifyReport;
use super::sdo::{self, SdoFileReport};
use super::serial::{SerialReport, verify_chain};
use super::verify_inside;
use crate::asic::is_archive;
use crate::pdf::{SharedSource, copy_range};
use crate::report::{Check, Checks, Status};
use crate::sdo::MAX_SIZE;

/// What was found about a signed file, or about the results of serial sessions.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum FileReport {
    /// A PDF.
    Pdf(Box<VerifyReport>),
    /// A file of signed data objects.
    Sdo(Box<SdoFileReport>),
    /// A container of a signed file and its evidence.
    Container(Box<ContainerReport>),
    /// Several PDFs, each the input of the next one's session.
    Serial(Box<SerialFileReport>),
}

/// The reports of serial sessions, with the checks of all of them.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SerialFileReport {
    /// The report of each file.
    pub report: SerialReport,
    /// The checks of all files: `file[0].original` is that of the first one.
    pub checks: Checks,
}

impl FileReport {
    /// The plain verdict.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        match self {
            Self::Pdf(report) => report.ok,
            Self::Sdo(report) => report.ok,
            Self::Container(report) => report.ok,
            Self::Serial(serial) => serial.report.ok,
        }
    }

    /// What was looked at: `pdf`, `sdo`, `asice` or `serial`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Pdf(_) => "pdf",
            Self::Sdo(_) => "sdo",
            Self::Container(_) => "asice",
            Self::Serial(_) => "serial",
        }
    }

    /// The report of the signed file itself: of the one in a container, else this one.
    #[must_use]
    pub fn document(&self) -> &Self {
        match self {
            Self::Container(report) => report.inner.as_deref().unwrap_or(self),
            other => other,
        }
    }

    /// The checks, in the order in which they were made.
    #[must_use]
    pub fn checks(&self) -> &Checks {
        match self {
            Self::Pdf(report) => &report.checks,
            Self::Sdo(report) => &report.checks,
            Self::Container(report) => &report.checks,
            Self::Serial(serial) => &serial.checks,
        }
    }

    /// The checks that count for the verdict and were not made.
    #[must_use]
    pub fn unanswered(&self) -> Vec<&Check> {
        let counts = |check: &&Check| match self {
            Self::Pdf(report) => report.unanswered.contains(&check.name),
            Self::Sdo(_) => sdo::counts(&check.name),
            Self::Container(report) => report.unanswered.contains(&check.name),
            Self::Serial(serial) => {
                let links = serial.report.links.iter().enumerate();
                links
                    .flat_map(|(index, link)| link.unanswered.iter().map(move |n| (index, n)))
                    .any(|(index, name)| check.name == format!("file[{index}].{name}"))
            }
        };
        let open = self.checks().iter().filter(|check| check.status == Status::NotChecked);
        open.filter(counts).collect()
    }

    /// The whole report as a JSON object with `ok`, `kind` and `checks` at least.
    #[must_use]
    pub fn to_json(&self) -> serde_json::Value {
        let mut shown = match self {
            Self::Pdf(report) => report.to_json(),
            Self::Sdo(report) => report.to_json(),
            Self::Container(report) => report.to_json(),
            Self::Serial(serial) => {
                let mut shown = serial.report.to_json();
                if let Some(fields) = shown.as_object_mut() {
                    fields.insert("checks".into(), serial.checks.to_json());
                }
                shown
            }
        };
        if let Some(fields) = shown.as_object_mut() {
            fields.insert("kind".into(), self.kind().into());
        }
        shown
    }
}

/// Verifies a signed file: PDF, signed data objects, or a container (ASiC-E) of either with its
/// evidence.
#[must_use]
pub fn verify_file(signed: &SharedSource, options: &VerifyOptions) -> FileReport {
    if is_archive(signed) {
        return FileReport::Container(Box::new(container::verify(signed, options)));
    }
    verify_alone(signed, options, &Outside::default())
}

/// Verifies a signed file that is no container; `outside` is what one tells of it.
pub(super) fn verify_alone(
    signed: &SharedSource,
    options: &VerifyOptions,
    outside: &Outside,
) -> FileReport {
    if !is_sdo(signed) {
        return FileReport::Pdf(Box::new(verify_inside(signed.clone(), options, outside)));
    }
    if signed.len() > MAX_SIZE as u64 {
        return FileReport::Sdo(Box::new(SdoFileReport::too_large(signed.len())));
    }
    let mut bytes = Vec::new();
    FileReport::Sdo(Box::new(match copy_range(signed.as_ref(), 0, signed.len(), &mut bytes) {
        Ok(()) => sdo::verify(&bytes, options),
        Err(error) => SdoFileReport::unreadable(&error.to_string()),
    }))
}

/// Verifies one file, or several as the results of serial sessions, the first one first (see
/// [`verify_chain`]).
#[must_use]
pub fn verify_files(files: &[SharedSource], options: &VerifyOptions) -> FileReport {
    if let [file] = files {
        return verify_file(file, options);
    }
    let report = verify_chain(files, options);
    let mut checks = Checks::new();
    for (index, link) in report.links.iter().enumerate() {
        let named = |check: &Check| Check {
            name: format!("file[{index}].{}", check.name),
            ..check.clone()
        };
        checks.extend(link.checks.iter().map(named));
    }
    FileReport::Serial(Box::new(SerialFileReport { report, checks }))
}

/// How far into a file a PDF's header may stand (ISO 32000-1, annex H, note 13).
const HEADER_WITHIN: u64 = 1024;

/// Whether a file is judged as signed data objects, which are XML; all else is judged as a PDF.
#[must_use]
pub fn is_sdo(source: &SharedSource) -> bool {
    let mut head = Vec::new();
    if copy_range(source.as_ref(), 0, source.len().min(HEADER_WITHIN), &mut head).is_err() {
        return false;
    }
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&head).trim_ascii_start();
    text.starts_with(b"<") && !head.windows(5).any(|part| part == b"%PDF-")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use bytes::Bytes;

    use super::*;

    #[test]
    fn a_file_is_told_by_its_beginning() {
        let is = |bytes: &'static [u8]| {
            let source: SharedSource = Arc::new(Bytes::from_static(bytes));
            is_sdo(&source)
        };
        assert!(is(b"<SDOList/>") && is(b"\xef\xbb\xbf\r\n <?xml?>") && is(b"<"));
        assert!(!is(b"%PDF-1.7 <x/>") && !is(b"") && !is(b"{}"));
        assert!(!is(b"<!-- a pdf may have bytes before its header -->\n%PDF-1.7\n"));
    }

    #[test]
    fn checks_of_several_files_are_told_apart() {
        let file: SharedSource = Arc::new(Bytes::from_static(b"no pdf"));
        let report = verify_files(&[file.clone(), file], &VerifyOptions::default());
        let names: Vec<&str> = report.checks().iter().map(|check| check.name.as_str()).collect();
        assert_eq!(names, ["file[0].document", "file[1].document"]);
        let shown = report.to_json();
        assert_eq!((shown["kind"].as_str(), shown["ok"].as_bool()), (Some("serial"), Some(false)));
        assert_eq!(shown["links"].as_array().map(Vec::len), Some(2));
    }
}
