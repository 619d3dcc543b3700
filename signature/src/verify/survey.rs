//! What later validation of a document needs to know: each certificate of each chain, and what
//! the document's own evidence says of it (ETSI EN 319 142-1, 5.4 and 6.3).

use super::options::VerifyOptions;
use super::outside::Outside;
use super::report::VerifyReport;
use super::signature::{Judge, Judged, Path};
use super::{cache, judgement, work_for};
use crate::asn1::Time;
use crate::pdf::{Document, Limits, PdfError, PdfErrorKind, SharedSource};
use crate::revocation::Status;
use crate::tsp::TimestampToken;
use crate::x509::{Certificate, ChainFault};

/// A certificate below an anchor, with what is known about its revocation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The field of the signature or timestamp; `None` for a timestamp that is still to come.
    pub field: Option<String>,
    /// The certificate.
    pub certificate: Certificate,
    /// Its issuer.
    pub issuer: Certificate,
    /// The time that the question is about.
    pub at: Time,
    /// What the evidence says.
    pub status: Status,
    /// Whether an answer of now is worth more than one of then: the certificate is that of a
    /// timestamp that no later one covers.
    pub is_last: bool,
}

/// What a document has, and what it lacks.
#[derive(Clone, Debug)]
pub struct Survey {
    /// What was found, as [`super::verify`] tells.
    pub report: VerifyReport,
    /// Every certificate that can be revoked.
    pub links: Vec<Link>,
    /// Members of chains that are not in the document.
    pub absent: Vec<Certificate>,
    /// Where chains break off: the issuer is not at hand, or is nobody's anchor.
    pub ends: Vec<Certificate>,
}

/// Takes what a judgement finds besides its report.
pub(super) struct Watch<'a> {
    /// Timestamps of the authorities that are going to be asked.
    pub(super) expected: &'a [TimestampToken],
    links: Vec<Link>,
    absent: Vec<Certificate>,
    ends: Vec<Certificate>,
}

impl Watch<'_> {
    pub(super) fn take<'j>(&mut self, judge: &Judge<'_>, all: impl Iterator<Item = &'j Judged>) {
        for judged in all {
            for path in &judged.paths {
                self.follow(judge, Some(&judged.report.field), path);
            }
        }
        for token in self.expected {
            self.follow(judge, None, &judge.expected(token));
        }
    }

    fn follow(&mut self, judge: &Judge<'_>, field: Option<&str>, path: &Path) {
        let chain = match &path.chain {
            Ok(chain) => chain,
            Err(failure) => {
                let end = failure.partial.last().filter(|_| failure.fault == ChainFault::NoIssuer);
                if let Some(end) = end.filter(|end| !self.ends.contains(end)) {
                    self.ends.push(end.clone());
                }
                return;
            }
        };
        for member in chain.certificates() {
            if !judge.evidence.certificates.contains(member) && !self.absent.contains(member) {
                self.absent.push(member.clone());
            }
        }
        let statuses = judge.evidence.statuses(chain, path.at, judge.now);
        for ((certificate, issuer), (_, status)) in chain.links().zip(statuses) {
            let link = Link {
                field: field.map(str::to_owned),
                certificate: certificate.clone(),
                issuer: issuer.clone(),
                at: path.at,
                status,
                is_last: path.is_last,
            };
            if !self.links.contains(&link) {
                self.links.push(link);
            }
        }
    }
}

/// Verifies a document and tells what its validation data lacks. `expected` are timestamps of the
/// authorities that are going to stamp it.
///
/// # Errors
/// As the reader reports; `Encrypted`.
pub fn survey(
    signed: SharedSource,
    options: &VerifyOptions,
    expected: &[TimestampToken],
) -> Result<Survey, PdfError> {
    let work = work_for(signed.len());
    let document = Document::open_within(cache::Cached::over(signed), Limits::default(), &work)?;
    if document.is_encrypted() {
        let detail = "the document is encrypted; what it shows cannot be compared";
        return Err(PdfError::new(PdfErrorKind::Encrypted, detail));
    }
    let now = options.at.unwrap_or_else(Time::now);
    let (links, absent, ends) = Default::default();
    let mut watch = Watch { expected, links, absent, ends };
    let report = judgement::run(&document, options, now, &Outside::default(), Some(&mut watch));
    let Watch { links, absent, ends, .. } = watch;
    Ok(Survey { report, links, absent, ends })
}
