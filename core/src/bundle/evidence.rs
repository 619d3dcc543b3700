//! Certificates and revocation answers, told by what they are.

use signdoc_signature::asic::EVIDENCE;
use signdoc_signature::pdf::copy_range;
use signdoc_signature::revocation::{BasicResponse, Crl};
use signdoc_signature::verify::FileReport;
use signdoc_signature::x509::{Certificate, TrustAnchors};

use super::refused;
use crate::document::Document;
use crate::error::Result;
use crate::pdf::source;

/// Largest item, in bytes: what a verification reads.
const MAX_ITEM: u64 = 5 << 20;

#[derive(Default)]
pub(super) struct Evidence {
    certificates: Vec<Certificate>,
    answers: Vec<Vec<u8>>,
    lists: Vec<Vec<u8>>,
}

pub(super) fn read(files: &[Document]) -> Result<Evidence> {
    let mut all = Evidence::default();
    for (index, file) in files.iter().enumerate() {
        let field = format!("evidence[{index}]");
        let source = source(file, &field)?;
        if source.len() > MAX_ITEM {
            let message =
                format!("{field} has {} bytes, at most {MAX_ITEM} are kept", source.len());
            return Err(refused(&field, &message));
        }
        let mut bytes = Vec::new();
        copy_range(source.as_ref(), 0, source.len(), &mut bytes)
            .map_err(|error| refused(&field, &format!("{field} cannot be read: {error}")))?;
        if let Ok(found) = TrustAnchors::from_bytes(&bytes) {
            found.certificates().iter().for_each(|one| all.add(one));
        } else if BasicResponse::parse(&bytes).is_ok() {
            all.answers.push(bytes);
        } else if Crl::parse(&bytes).is_ok() {
            all.lists.push(bytes);
        } else {
            let message = "is no certificate, OCSP answer or list of revoked certificates";
            return Err(refused(&field, &format!("{field} {message}")));
        }
    }
    Ok(all)
}

impl Evidence {
    pub(super) fn certificates(&self) -> impl Iterator<Item = Certificate> {
        self.certificates.iter().cloned()
    }

    fn add(&mut self, certificate: &Certificate) {
        if !self.certificates.contains(certificate) {
            self.certificates.push(certificate.clone());
        }
    }

    /// Signed data objects have only the certificates of who signed: those above them are put
    /// beside the file, as far as the verification found them.
    pub(super) fn with_chains(mut self, report: &FileReport) -> Self {
        if let FileReport::Sdo(report) = report {
            let chains =
                report.signers.iter().chain(&report.seals).filter_map(|s| s.chain.as_ref());
            chains.flat_map(|chain| chain.certificates()).for_each(|one| self.add(one));
        }
        self
    }

    /// The files with their names and MIME types (RFC 2585, RFC 6960).
    pub(super) fn named(&self) -> Vec<(String, &'static str, Vec<u8>)> {
        let certificates = self.certificates.iter().map(|one| one.as_der().to_vec());
        let name = |index: usize, extension: &str| format!("{EVIDENCE}{}.{extension}", index + 1);
        let certificates = certificates.enumerate();
        let certificates =
            certificates.map(|(n, der)| (name(n, "cer"), "application/pkix-cert", der));
        let answers = self.answers.iter().cloned().enumerate();
        let answers = answers.map(|(n, der)| (name(n, "ocsp"), "application/ocsp-response", der));
        let lists = self.lists.iter().cloned().enumerate();
        let lists = lists.map(|(n, der)| (name(n, "crl"), "application/pkix-crl", der));
        certificates.chain(answers).chain(lists).collect()
    }
}
