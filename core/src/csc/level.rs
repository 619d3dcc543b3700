//! The PAdES level that a signed PDF has reached.

use signdoc_signature::asn1::Time;
use signdoc_signature::cms::SignedData;
use signdoc_signature::revocation::{BasicResponse, Crl, Question, check};
use signdoc_signature::sign::ValidationData;
use signdoc_signature::tsp::TimestampToken;
use signdoc_signature::x509::Certificate;

use super::model::Certificates;
use super::pdf::PdfLevel;

/// More authorities than stand above anybody.
const MAX_ABOVE: usize = 8;

/// B-LT is reached when there is an answer about every certificate below a root, of the signer and
/// of the timestamp authority (ETSI EN 319 142-1, 6.3); what is missing of it leaves B-T. So does
/// an issuer whose certificate is not at hand, because then no answer can be checked.
pub(super) fn reached(
    token: Option<&[u8]>,
    certificates: &Certificates,
    data: &ValidationData,
) -> PdfLevel {
    let Some(token) = token.and_then(|token| TimestampToken::parse(token).ok()) else {
        return PdfLevel::B;
    };
    let evidence = Evidence::of(token.cms(), certificates, data);
    let stamper = token.cms().verify_embedded(&[]).signer;
    let is_whole = |who: &Certificate| evidence.is_whole(who, token.time());
    match is_whole(&certificates.signer) && stamper.as_ref().is_some_and(is_whole) {
        true => PdfLevel::Lt,
        false => PdfLevel::T,
    }
}

struct Evidence {
    certificates: Vec<Certificate>,
    ocsp: Vec<BasicResponse>,
    crls: Vec<Crl>,
}

impl Evidence {
    fn of(stamp: &SignedData, certificates: &Certificates, data: &ValidationData) -> Self {
        let given = data.certificates.iter().filter_map(|der| Certificate::from_der(der).ok());
        let ocsp = data.ocsp_responses.iter().chain(stamp.ocsp_responses());
        let crls = data.crls.iter().chain(stamp.crls());
        Self {
            certificates: certificates
                .issuers
                .iter()
                .chain(stamp.certificates())
                .cloned()
                .chain(given)
                .collect(),
            ocsp: ocsp.filter_map(|der| BasicResponse::parse(der).ok()).collect(),
            crls: crls.filter_map(|der| Crl::parse(der).ok()).collect(),
        }
    }

    fn is_whole(&self, who: &Certificate, at: Time) -> bool {
        let mut who = who;
        for _ in 0..MAX_ABOVE {
            if who.is_self_issued() {
                return true;
            }
            let issued = |issuer: &&Certificate| {
                issuer.subject().matches(who.issuer())
                    && issuer.public_key().is_ok_and(|key| who.verify_signature(key).is_ok())
            };
            let Some(issuer) = self.certificates.iter().find(issued) else { return false };
            let question = Question::new(who, issuer, at, at);
            if !check(&question, &self.ocsp, &self.crls).status.is_good() {
                return false;
            }
            who = issuer;
        }
        false
    }
}
